"""Comparisons of methods: error against work."""

from __future__ import annotations

import math
import numbers
import os
import pathlib
import re
import tempfile
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._names import file_name, listed
from .motion import Motion

if TYPE_CHECKING:
    from .scene import Scene

Names = str | Sequence[str]


class Comparison:
    """Runs of one scene with several methods, groups, formulations, connections or treatments.

    `torsor.compare` makes a comparison.
    """

    def __init__(self, core: _core.Comparison) -> None:
        self._core = core

    @property
    def runs(self) -> list[dict[str, Any]]:
        """One entry for each run: label, step or tolerance, status, message, error, cpu_s, evaluations, steps, ...

        The error and all other measured numbers of a run that failed are nan.
        """
        return self._core.runs

    @property
    def combinations(self) -> list[dict[str, Any]]:
        """One entry for each combination: label, order, observed_order (or None), refused (why it cannot run)."""
        return self._core.combinations

    @property
    def observed_orders(self) -> dict[str, float | None]:
        """The observed order of each combination, by its label."""
        return {one["label"]: one["observed_order"] for one in self.combinations if not one["refused"]}

    @property
    def unit(self) -> str:
        """The unit of the error."""
        return self._core.unit

    @property
    def errors(self) -> str:
        """Sentences that say which error is compared, and why; empty if it is that of positions."""
        return self._core.errors

    @property
    def reference(self) -> str:
        """Sentences that name the reference, and its own error, or say that this error is not known."""
        return self._core.reference

    @property
    def floor(self) -> float:
        """The least error that the comparison can measure: that of the reference, or rounding if it is greater."""
        return self._core.floor

    def to_pandas(self) -> Any:
        """The runs as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.runs)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the comparison as a page (.html), as diagrams (.svg) or as a table (.csv). Raises FileError."""
        suffix = pathlib.Path(path).suffix
        if suffix not in (".html", ".svg", ".csv"):
            raise ValueError(f'the name of a comparison ends in .html, .svg or .csv, not in "{suffix}"')
        self._core.save(file_name(path), suffix[1:], force)

    def _repr_html_(self) -> str:
        return self._core.svg()

    def __repr__(self) -> str:
        labels = [one["label"] for one in self.combinations if not one["refused"]]
        return f"<Comparison of {self._core.scene}: {', '.join(labels)}; {len(self.runs)} runs>"


def check_threads(threads: int) -> None:
    """Refuses a number of threads that is negative or above 4096."""
    if not 0 <= threads <= 4096:
        raise ValueError(f"threads must be 0, for as many as the machine has, or 1 to 4096, not {threads}")


def _numbers(values: Sequence[float], rule: str) -> list[float]:
    """The values as a list of numbers. `rule`: how messages say what they must be."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{rule}, not {values!r}")
    found = list(values)
    for one in found:
        if not isinstance(one, numbers.Real):
            raise TypeError(f"{rule}; {one!r} is not a number")
    return [float(one) for one in found]


def _uses(names: Sequence[str], node: Any) -> bool:
    """Whether a formula among the values of a scene uses a Python function of one of these names."""
    if isinstance(node, dict):
        return any(_uses(names, value) for key, value in node.items() if key not in ("title", "file"))
    if isinstance(node, list):
        return any(_uses(names, value) for value in node)
    return isinstance(node, str) and any(re.search(rf"\bfunction\.['\"]?{re.escape(name)}\b", node) for name in names)


def compare(
    scene: "Scene",
    methods: Names = (),
    *,
    groups: Names = (),
    formulations: Names = (),
    connections: Names = (),
    constraints: Names = (),
    steps: Sequence[float] = (),
    tolerances: Sequence[float] = (),
    reference: str | os.PathLike[str] | Motion = "self",
    threads: int = 0,
    case_wall_limit: float = 20,
    folder: str | os.PathLike[str] | None = None,
) -> Comparison:
    """Runs every combination of the lists, and measures the errors at the end (docs/comparing.md).

    An empty list leaves the setting of the scene. Without `steps` (s) and `tolerances`, step sizes are chosen.
    reference: "self" (a run of much higher accuracy), the file of a result, or a motion.
    threads: 0 stands for as many as the machine has. case_wall_limit: the longest time that a run may take, s; a
    reference run may take 60 s.
    folder: where the cases are kept; by default a temporary one.
    A scene that uses Python functions is refused.
    """
    check_threads(threads)
    if not 0 < case_wall_limit < math.inf:
        raise ValueError(f"case_wall_limit must be a positive number of seconds, not {case_wall_limit}")
    text = scene.to_toml()
    if _uses(list(scene._functions), scene.to_dict()):
        raise ValueError("a comparison loads the scene from its text, without the Python functions that the scene uses")
    with tempfile.TemporaryDirectory(prefix="torsor-") as temporary:
        if isinstance(reference, Motion):
            file = os.path.join(temporary, "reference.h5")
            reference.save(file)
            reference = file
        source = _core.SceneSource(text, scene.file, scene._source.folder)
        place = os.path.join(temporary, "comparison") if folder is None else file_name(folder)
        core = _core.Comparison(
            source,
            place,
            listed(methods, "methods"),
            listed(groups, "groups"),
            listed(formulations, "formulations"),
            listed(connections, "connections"),
            listed(constraints, "constraints"),
            _numbers(steps, "steps must be a list of numbers of seconds"),
            _numbers(tolerances, "tolerances must be a list of numbers"),
            file_name(reference),
            threads,
            case_wall_limit,
        )
    return Comparison(core)
