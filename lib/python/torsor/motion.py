"""Motions: the results of runs."""

from __future__ import annotations

import html
import json
import os
import pathlib
import tempfile
import webbrowser
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._names import file_name, listed
from .parts import Array
from .values import Columns, Values


class Event(NamedTuple):
    """An event of a run: its name and its time, s."""

    name: str
    t: float


class Sample(Values[float]):
    """One output of a run, for an observer: as a Motion, with numbers in place of columns."""

    def __getitem__(self, column: str) -> float:
        return float(self._table[self._column(column)])

    def __repr__(self) -> str:
        return f"<Sample at t = {self['t']} s>"

    def __reduce__(self) -> Any:
        return _sample, (self._columns, self._table)


class Motion(Values[Array]):
    """The result of a run, or of a file (`torsor.read`).

    Arrays, except `drift`, are read-only views of one table and keep it alive: no access copies numbers.
    `motion.t`, `motion.body("top").x`, `motion.joint("pivot").force`, `motion.energy`, `motion["point.tip.z"]`.
    """

    def __init__(self, core: _core.Motion) -> None:
        super().__init__(lambda: Columns(core.layout), lambda: core.table)
        self._core = core

    def __getitem__(self, column: str) -> Array:
        return self._table[..., self._column(column)]

    # No motion can be changed, so it is its own copy. The pickle of a motion is its HDF5 file.
    def __copy__(self) -> "Motion":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Motion":
        return self

    def __reduce__(self) -> Any:
        with tempfile.TemporaryDirectory(prefix="torsor-") as folder:
            file = pathlib.Path(folder) / "motion.h5"
            self.save(file)
            return _motion, (file.read_bytes(),)

    def __len__(self) -> int:
        return self._core.samples

    @property
    def name(self) -> str:
        """The name of the scene."""
        return self._core.name

    @property
    def scene(self) -> str:
        """The scene as run, as TOML."""
        return self._core.scene

    @property
    def table(self) -> Array:
        """All columns: an array (samples, columns)."""
        return self._table

    @property
    def status(self) -> str:
        """"reached-end", "event", or how the run failed (docs/results.md)."""
        return self._core.status

    @property
    def message(self) -> str:
        """The reason of a failure, or the event that ended the run, with its time; empty if the run reached its end."""
        return self._core.message

    @property
    def good(self) -> bool:
        """Whether the run reached its end, or the event that ends it."""
        return self.status in ("reached-end", "event")

    @property
    def steps(self) -> int:
        """Number of accepted steps."""
        return self._core.counts[0]

    @property
    def rejected(self) -> int:
        """Number of rejected steps."""
        return self._core.counts[1]

    @property
    def evaluations(self) -> int:
        """Number of computed accelerations."""
        return self._core.counts[2]

    @property
    def notes(self) -> list[str]:
        """Harmless repairs of the scene, redundant constraints, and warnings of the run."""
        return self._core.notes + ([self._core.note] if self._core.note else [])

    @property
    def events(self) -> list[Event]:
        """The events, in order of time."""
        return [Event(*one) for one in self._core.events]

    @property
    def summary(self) -> dict[str, Any]:
        """The end of the run, as `torsor run --json` prints it: status, method, bodies, joints, energy, steps, ..."""
        found: dict[str, Any] = json.loads(self._core.json())
        return found

    @property
    def drift(self) -> Array:
        """Energy minus work, less its value at the start, J: the sum of the errors of the steps."""
        balance: Array = self.energy - self.work
        return np.subtract(balance, balance[0])

    def __repr__(self) -> str:
        return (
            f"<Motion of {self.name}: {self.status}, {len(self)} samples, "
            f"{self.steps} steps, {self.evaluations} evaluations>"
        )

    def to_pandas(self, columns: str | Sequence[str] | None = None) -> Any:
        """The table as a pandas.DataFrame with time as its index. `columns`: their names, or one; all by default."""
        import pandas

        names = [name for name in (self.columns if columns is None else listed(columns, "columns")) if name != "t"]
        places = [self._column(name) for name in names]
        index = pandas.Index(self.t, name="t")
        return pandas.DataFrame(self._table[:, places], index=index, columns=names)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the motion as HDF5 (.h5) or as a table (.csv), as `torsor run` does.

        Replaces only files of the same kind that Torsor wrote, unless `force` is true. Raises FileError.
        """
        suffix = pathlib.Path(path).suffix
        if suffix not in (".h5", ".csv"):
            raise ValueError(f'the name of a result ends in .h5 or .csv, not in "{suffix}"')
        self._core.save(file_name(path), suffix[1:], force)

    def plot(self, *columns: str, axes: Any = None) -> Any:
        """Draws columns over time with matplotlib, by default the energies and their drift ("drift"). Returns the axes.

        One diagram for each unit, and one for the drift. `axes`: the axes to draw all columns in; if the columns have
        several units, the legend gives them.
        """
        import matplotlib.pyplot as plt

        names = columns or ("kinetic", "potential", "energy", "drift")
        by_label: dict[str, list[tuple[str, Array]]] = {}
        for name in names:
            label, values = ("drift, J", self.drift) if name == "drift" else ("", self[name])
            by_label.setdefault(label or self.units[name], []).append((name, values))
        several = axes is not None and len(by_label) > 1
        if axes is None:
            _, drawn = plt.subplots(len(by_label), 1, sharex=True, squeeze=False)
            all_axes = list(drawn[:, 0])
        else:
            all_axes = [axes] * len(by_label)
        for one, (label, curves) in zip(all_axes, by_label.items()):
            shown = "" if label == "1" else label
            for name, values in curves:
                unit = "J" if name == "drift" else shown
                one.plot(self.t, values, label=f"{name}, {unit}" if several and unit else name)
            one.set_ylabel("" if several else shown)
            one.legend()
        all_axes[-1].set_xlabel("t, s")
        return all_axes[0] if axes is not None or len(all_axes) == 1 else all_axes

    def replay(self, columns: str | Sequence[str] = ()) -> str:
        """The page that replays the motion, as HTML: bodies in space, plots below. `columns`: to plot besides drift."""
        return self._core.replay(listed(columns, "columns"))

    def report(self) -> str:
        """The motion as one page for print, as HTML."""
        return self._core.report()

    def warnings(self) -> list[str]:
        """Warnings about the run, which its report prints first; empty for a good run."""
        return self._core.warnings()

    def view(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        columns: str | Sequence[str] = (),
        open: bool = True,  # noqa: A002
        force: bool = False,
    ) -> pathlib.Path:
        """Writes the replay page, by default to a temporary file, opens it in the browser, and returns its path.

        columns: as for `replay`.
        force: replace a file that is not a replay page. Raises FileError.
        """
        if path is None:
            folder = tempfile.mkdtemp(prefix="torsor-")
            path = os.path.join(folder, f"{_core.file_label(self.name)}.html")
        page = pathlib.Path(path)
        self._core.save_replay(file_name(page), listed(columns, "columns"), force)
        if open:
            webbrowser.open(page.resolve().as_uri())
        return page

    def _repr_html_(self) -> str:
        page = html.escape(self.replay(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0"></iframe>'


def _sample(columns: Columns, row: Array) -> Sample:
    return Sample(lambda: columns, lambda: row)


def _motion(content: bytes) -> Motion:
    """The motion with this HDF5 file."""
    with tempfile.TemporaryDirectory(prefix="torsor-") as folder:
        file = pathlib.Path(folder) / "motion.h5"
        file.write_bytes(content)
        return read(file)


def read(path: str | os.PathLike[str]) -> Motion:
    """Reads a result: an .h5 file, or the folder that has one. Raises ResultError and FileError."""
    return Motion(_core.Motion(file_name(path)))
