"""Mechanisms written in Python: the tables of a scene, part by part."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .scene import Scene, load


class Named:
    """A part of a model. Other parts refer to it by this object or by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def at(self, position: Any = (0, 0, 0)) -> dict[str, Any]:
        """A point of a body, in body axes from the centre of mass, m: an end of a spring, for example."""
        return {"body": self.name, "position": position}

    def __repr__(self) -> str:
        return f"<{self.name}>"


Name = str | Named


class Model:
    """A mechanism in parts. Each function adds one table of a scene, whose keys are those of docs/scene.md.

        model = torsor.Model(gravity=[0, 0, -9.81])
        top = model.body("top", mass=15, inertia=[0.24, 0.47, 0.24], angular_velocity_body=[0, 150, -4.6])
        model.joint("pivot", "spherical", child=top, child_frame={"position": [0, -1, 0]})
        motion = model.scene(end=2).run()

    Values are numbers in SI units, strings with a unit or an expression of t, lists, arrays, dictionaries, or parts
    that were added before. The key `from` is written `from_`.
    """

    def __init__(self, *, gravity: Any = None, **keys: Any) -> None:
        self._scene: dict[str, Any] = _plain(keys)
        self._functions: dict[str, tuple[Any, ...]] = {}
        if gravity is not None:
            self._scene["gravity"] = _plain(gravity)

    def _add(self, table: str, name: str, keys: dict[str, Any]) -> Named:
        self._scene.setdefault(table, []).append({"name": name, **_plain(_keys(keys))})
        return Named(name)

    def body(self, name: str, **keys: Any) -> Named:
        """A rigid body: mass, inertia (or solid), position, attitude, velocities, ..."""
        return self._add("body", name, keys)

    def particle(self, name: str, **keys: Any) -> Named:
        """A mass point: mass, position, velocity."""
        return self._add("particle", name, keys)

    def rigid_particles(self, name: str, **keys: Any) -> Named:
        """A rigid system of particles."""
        return self._add("rigid_particles", name, keys)

    def joint(self, name: str, kind: str, *, child: Name, parent: Name = "ground", **keys: Any) -> Named:
        """A joint between two bodies, or a body and the ground."""
        return self._add("joint", name, {"kind": kind, "parent": parent, "child": child, **keys})

    def force(self, name: str, kind: str, **keys: Any) -> Named:
        """A force, a spring or a joint force, by its kind."""
        return self._add("force", name, {"kind": kind, **keys})

    def constraint(self, name: str, kind: str, **keys: Any) -> Named:
        """A constraint besides the joints, by its kind."""
        return self._add("constraint", name, {"kind": kind, **keys})

    def point(self, name: str, **keys: Any) -> Named:
        """A point whose motion is reported."""
        return self._add("point", name, keys)

    def state(self, name: str, rate: Any, **keys: Any) -> Named:
        """A state besides the motion. Formulas of forces, states, samples and events use it as `state.NAME`."""
        return self._add("state", name, {"rate": rate, **keys})

    def sampled(self, name: str, value: Any, period: Any, **keys: Any) -> Named:
        """A value that is held between samples. Formulas use it as `sampled.NAME`."""
        return self._add("sampled", name, {"value": value, "period": period, **keys})

    def function(self, name: str, call: Callable[..., float], *arguments: str) -> str:
        """A Python function, which formulas of forces, states, samples and events use as `function.NAME`.

        arguments: "t" or quantities of the motion, such as "joint.axle.rate". Returns `function.NAME`.
        """
        if name in self._functions:
            raise ValueError(f'the name of function "{name}" is already used')
        self._functions[name] = (call, *arguments)
        return f"function.{name}"

    def event(self, name: str, quantity: str, **keys: Any) -> Named:
        """A time at which a quantity crosses a value."""
        return self._add("event", name, {"quantity": quantity, **keys})

    def to_dict(self) -> dict[str, Any]:
        """The scene as a dictionary, an independent copy. It has [run] and [integrator] only if `Model` got them."""
        document: dict[str, Any] = _plain(self._scene)
        return document

    def scene(
        self, *, end: Any = None, output: Any = None, begin: Any = None, name: str = "model", **integrator: Any
    ) -> Scene:
        """The scene of the model. end, output, begin: s. integrator: keys of [integrator], such as method or step.

        These arguments replace values in the tables `run` and `integrator` of `Model`. Raises SceneError
        if the model is not valid.
        """
        document, times = self.to_dict(), {"end": end, "output": output, "begin": begin}
        document.setdefault("run", {}).update((key, _plain(s)) for key, s in times.items() if s is not None)
        settings = document.setdefault("integrator", {})
        for key, rival in (("step", "tolerance"), ("tolerance", "step")):
            if key in integrator:
                settings.pop(rival, None)
        settings.update(_plain(integrator))
        return load(document, name=name, functions=self._functions)


def _keys(keywords: dict[str, Any]) -> dict[str, Any]:
    return {key.rstrip("_"): value for key, value in keywords.items()}


def _plain(value: Any) -> Any:
    """A copy of the value, with names in place of parts."""
    if isinstance(value, Named):
        return value.name
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return copy.deepcopy(value)
