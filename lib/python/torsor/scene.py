"""Scenes: mechanisms and systems in coordinates, with the settings of their runs."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _build, _core, _toml
from ._names import file_name
from .comparison import Comparison, compare
from .errors import RunError
from .motion import Motion, Sample
from .parts import Array
from .values import Columns

#: Functions of Python for formulas: by name, the callable and the names of its arguments.
Functions = Mapping[str, tuple[Any, ...]]


def folders() -> _core.SceneFolders:
    """The folders in which scenes are looked up by name: TORSOR_SCENES, then the folder of the installed scenes."""
    return _core.SceneFolders(str(pathlib.Path(__file__).parent / _build.SCENES))


# The arguments of `run`, and the keys that they set.
_RUN_KEYS = {
    "method": "integrator.method",
    "tolerance": "integrator.tolerance",
    "step": "integrator.step",
    "group": "integrator.group",
    "formulation": "integrator.formulation",
    "constraints": "integrator.constraints",
    "end": "run.end",
    "output": "run.output",
}

Observer = Callable[[Sample], bool | None]
Number = float | str


class Scene:
    """A scene and the values that were set in it. `torsor.load` makes one.

    `scene["body.top.mass"] = 12` sets a value as `torsor run --set` does: tables are addressed by name, strings may
    have units ("12 kg") or be expressions of t. `scene["body.top.mass"]` is the value as it stands in the scene.
    """

    def __init__(
        self,
        source: _core.SceneSource,
        settings: Mapping[str, Any] | None = None,
        functions: Functions | None = None,
    ) -> None:
        self._source = source
        self._functions = dict(functions or {})
        self._source.give([_function(name, entry) for name, entry in self._functions.items()])
        self._settings: dict[str, str] = {}
        self._ready: dict[tuple[tuple[str, str], ...], _core.Ready] = {}
        self._read: tuple[_core.Ready, dict[str, Any]] | None = None  # the tables from which values were read last
        self.update(settings or {})  # also raises the errors of the scene itself

    @property
    def file(self) -> str:
        """The file of the scene, as messages name it."""
        return self._source.file

    @property
    def name(self) -> str:
        """The name of the scene: that of its file."""
        return pathlib.Path(self.file).stem

    @property
    def title(self) -> str:
        """The title of the scene; empty if it has none."""
        return str(self.to_dict().get("title", ""))

    @property
    def settings(self) -> dict[str, str]:
        """The values that were set, as TOML."""
        return dict(self._settings)

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, settings: Mapping[str, Any]) -> None:
        """Sets several values together. If the scene is not valid with them, raises SceneError and stays as it was."""
        changed = self._with(settings)
        self._prepare(changed)
        self._settings = changed

    def _with(self, settings: Mapping[str, Any]) -> dict[str, str]:
        changed = dict(self._settings)
        for key, value in settings.items():
            _check_key(key)
            changed.pop(key, None)  # of step and tolerance, the last one set is in force
            changed[key] = _toml.value(value)
        return changed

    def __contains__(self, key: object) -> bool:
        try:
            self[key]  # type: ignore[index]
        except KeyError:
            return False
        return True

    def __getitem__(self, key: str) -> Any:
        _check_key(key)
        ready, read = self._now(), self._read
        if read is None or read[0] is not ready:
            read = self._read = ready, tomllib.loads(ready.resolved)
        node: Any = read[1]
        for part in key.split("."):
            if isinstance(node, list):
                named = [one for one in node if isinstance(one, dict) and one.get("name") == part]
                node = named[0] if named else node[int(part)] if part.isdecimal() and int(part) < len(node) else None
            else:
                node = node.get(part) if isinstance(node, dict) else None
            if node is None:
                raise KeyError(key)
        return copy.deepcopy(node)

    def _prepare(self, settings: Mapping[str, str]) -> _core.Ready:
        """The scene with these settings, ready to run. At most eight such scenes are kept."""
        overrides = tuple(settings.items())
        ready = self._ready.get(overrides)
        if ready is None:
            if len(self._ready) >= 8:
                self._ready.clear()
            ready = self._ready[overrides] = _core.Ready(self._source, list(overrides))
        return ready

    def _now(self) -> _core.Ready:
        return self._prepare(self._settings)

    def to_toml(self) -> str:
        """The scene as TOML, with all settings and repetitions applied."""
        return self._now().resolved

    def to_dict(self) -> dict[str, Any]:
        """The scene as a dictionary, with all settings and repetitions applied."""
        return tomllib.loads(self.to_toml())

    def copy(self) -> "Scene":
        """An independent copy, which may be changed and run beside this one, also in another thread."""
        return _restored(*self.__reduce__()[1])

    def __reduce__(self) -> Any:
        source = self._source
        return _restored, ((source.text, source.file, source.folder, source.tables), self._settings, self._functions)

    def __repr__(self) -> str:
        return f"<Scene {self.name}: {self.title}>" if self.title else f"<Scene {self.name}>"

    def run(
        self,
        *,
        method: str | None = None,
        tolerance: float | None = None,
        step: Number | None = None,
        end: Number | None = None,
        output: Number | None = None,
        group: str | None = None,
        formulation: str | None = None,
        constraints: str | None = None,
        settings: Mapping[str, Any] | None = None,
        observer: Observer | None = None,
        check: bool = True,
    ) -> Motion:
        """Integrates the scene. The arguments hold for this run alone.

        method, tolerance, step, end, output, group, formulation, constraints: in place of those of the scene, as
            the keys of [integrator] and [run] in docs/scene.md. Times are in s, or strings with a unit.
        settings: further values, as `scene[key] = value`.
        observer: is called with a Sample at the start, at each output and at the end. If it returns True, the run ends
            there, with the status "cancelled".
        check: raise RunError if the run fails. If false, `status` and `message` of the motion tell how the run ended.

        Raises SceneError if the scene is not valid, and ValueError if the method cannot integrate it. Ctrl-C ends the
        run with KeyboardInterrupt. Other threads of Python run meanwhile; runs of one Scene wait for one another.
        """
        if step is not None and tolerance is not None:
            raise ValueError("a run has a step or a tolerance, not both")
        given = {} if settings is None else dict(settings)
        for name, value in (
            ("method", method),
            ("tolerance", tolerance),
            ("step", step),
            ("end", end),
            ("output", output),
            ("group", group),
            ("formulation", formulation),
            ("constraints", constraints),
        ):
            if value is not None:
                given.pop(_RUN_KEYS[name], None)  # of step and tolerance, the last one set is in force
                given[_RUN_KEYS[name]] = value
        ready = self._prepare(self._with(given) if given else self._settings)
        stopped = False
        watch: Callable[[Array], bool] | None = None
        if observer is not None:
            columns = Columns(ready.layout)
            observe = observer

            def watch(row: Array) -> bool:
                nonlocal stopped
                answer: Any = observe(Sample(lambda: columns, lambda: row))
                stopped = isinstance(answer, (bool, np.bool_)) and bool(answer)
                return stopped

        motion = Motion(ready.run(watch))
        if check and not motion.good and not stopped:
            raise RunError(motion.status, motion.message, motion)
        return motion

    def check(self) -> dict[str, Any]:
        """Validates the scene as `torsor check` does, without a run. Raises SceneError.

        Returns `freedoms`, the degrees of freedom that the constraints leave; `rows`, the number of constraint
        rows; `redundant`, the names of joints and constraints with redundant rows; `notes`; and `start`, the state at
        the start in the form of `Motion.summary`.
        """
        found = self._now().check()
        found["start"] = json.loads(found["start"])
        return found

    def geometry(self, at: float | None = None) -> dict[str, Any]:
        """The geometry of the scene at a time (s, default: its start), as `torsor geometry --json` prints it.

        Groups, connections, constraints, screws, second fundamental form, reactions: docs/geometry.md. Numbers that
        are not finite are None. Raises RunError if the run until then fails.
        """
        found: dict[str, Any] = json.loads(self._now().geometry(at))
        return found

    def compare(self, methods: Any = (), **options: Any) -> Comparison:
        """Runs the scene with several methods and compares error and work: see `torsor.compare`."""
        return compare(self, methods, **options)


def _check_key(key: object) -> None:
    if not isinstance(key, str):
        raise TypeError(f'a key of a scene is a string such as "body.top.mass", not {key!r}')


def _function(name: str, entry: Any) -> tuple[str, list[str], Callable[..., Any]]:
    """The name of a function, the names of its arguments and the callable."""
    parts = list(entry) if isinstance(entry, (tuple, list)) else []
    if len(parts) == 0 or not callable(parts[0]) or not all(isinstance(one, str) for one in parts[1:]):
        raise TypeError(f'function "{name}" must be a callable and the names of its arguments, such as (f, "t")')
    return name, parts[1:], parts[0]


def _restored(
    source: tuple[str, str, str, dict[str, str]], settings: dict[str, str], functions: Functions
) -> Scene:
    scene = Scene(_core.SceneSource(*source), functions=functions)
    scene._settings = settings
    return scene


def load(
    source: str | os.PathLike[str] | Mapping[str, Any], *, name: str = "scene", functions: Functions | None = None
) -> Scene:
    """A scene: a file, the name of a shipped scene (`torsor.scenes()`), or a dictionary with the keys of a scene file.

    name: of a scene that is given as a dictionary. functions: Python functions, which formulas of forces, states,
    samples and events use as `function.NAME`. Each entry has the callable and the names of its arguments, which are
    "t" or quantities of the motion:

        functions={"brake": (lambda t, speed: -2.0 * speed, "t", "joint.axle.rate")}

    A run calls them often, and from its own thread: they must depend on their arguments only. Raises SceneError.
    """
    if isinstance(source, Mapping):
        return Scene(_core.SceneSource(_toml.document(source), name + ".toml"), functions=functions)
    return Scene(_core.SceneSource(folders().find_scene(file_name(source))), functions=functions)


def loads(text: str, *, name: str = "scene", functions: Functions | None = None) -> Scene:
    """A scene from the text of a scene file; functions: as for `load`. Raises SceneError."""
    return Scene(_core.SceneSource(text, name + ".toml"), functions=functions)


def scenes() -> dict[str, str]:
    """The scenes that can be loaded by name, with their titles."""
    return folders().scenes()


def methods() -> list[dict[str, Any]]:
    """The methods: name, order, embedded_order, fixed_step_only, keeps, reference, treatments, connection."""
    return _core.methods()
