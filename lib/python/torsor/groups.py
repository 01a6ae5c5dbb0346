"""The groups SO(2), SO(3), SE(2) and SE(3), for arrays of elements.

Elements, twists and points are the last axis of an array; all axes before it count the elements, and are broadcast as
NumPy does. Quaternions have their scalar first. Twists are left-trivialised, linear part first: the derivative of
`exp(xi)` in the direction w is `exp(xi) dexp(xi, w)`. `docs/conventions.md` has all conventions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core

Array = npt.NDArray[np.float64]
Like = npt.ArrayLike

_maps: dict[tuple[str, str], _core.GroupMap] = {(one.group, one.name): one for one in _core.group_maps()}


def _identity(*components: float) -> Array:
    """An element that cannot be changed, since all users of the group share it."""
    array = np.array(components)
    array.setflags(write=False)
    return array


def _masked(argument: Like) -> bool:
    """Whether an array, or an array in a list or in lists of lists, has masked entries."""
    if isinstance(argument, (list, tuple)):
        return any(_masked(one) for one in argument)
    return isinstance(argument, np.ma.MaskedArray) and bool(np.any(argument.mask))


def _real(argument: Like) -> Array:
    """The argument as an array of doubles. NumPy would drop the imaginary parts of complex numbers, and masks."""
    if _masked(argument):
        raise ValueError("the groups take arrays without masked entries; fill or remove them first")
    if np.iscomplexobj(argument):
        raise ValueError("the groups take real numbers, not complex ones")
    return np.asarray(argument, dtype=np.float64)


def _rows(argument: Like, size: int, what: str) -> Array:
    array = _real(argument)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(f"{what} needs an array whose last axis has {size} components, not the shape {array.shape}")
    return array


@dataclass(frozen=True)
class Curve:
    """A curve on a group at the times that were reached, and how its integration ended."""

    t: Array  # s
    g: Array  # elements, one for each time
    status: str  # "reached-end", or why the integration ended early
    message: str  # empty if the integration reached the end
    accepted: int  # steps
    rejected: int  # steps
    evaluations: int  # of the field

    def __repr__(self) -> str:
        steps = f"{self.accepted} steps, {self.evaluations} evaluations"
        return f"<Curve to t = {self.t[-1]:g}: {self.status}, {steps}>"


class Group:
    """The maps of one group. All are static: `SO3.exp(xi)`."""

    name: str  # of the group
    dof: int  # components of a twist
    nq: int  # components of an element
    size: int  # of its matrix
    identity: Array

    @classmethod
    def _map(cls, name: str, first: Like, second: Any = None) -> Array:
        one = _maps[cls.name, name]
        size_a, size_b, size = one.sizes
        a = _rows(first, size_a, f"{cls.name}.{name}")
        if size_b == 0:
            flat = a.reshape(-1, size_a)
            return one(flat, flat).reshape(a.shape[:-1] + (size,))
        b = _rows(second, size_b, f"{cls.name}.{name}")
        shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        a = np.broadcast_to(a, shape + (size_a,)).reshape(-1, size_a)
        b = np.broadcast_to(b, shape + (size_b,)).reshape(-1, size_b)
        return one(a, b).reshape(shape + (size,))

    @classmethod
    def exp(cls, xi: Like) -> Array:
        """The elements exp(xi)."""
        return cls._map("exp", xi)

    @classmethod
    def log(cls, g: Like) -> Array:
        """The twists xi with exp(xi) = g and a rotation by at most pi."""
        return cls._map("log", g)

    @classmethod
    def dexp(cls, xi: Like, w: Like) -> Array:
        """The left-trivialised derivative of exp at xi, applied to w."""
        return cls._map("dexp", xi, w)

    @classmethod
    def dexp_inv(cls, xi: Like, w: Like) -> Array:
        """The inverse of the derivative dexp at xi, applied to w."""
        return cls._map("dexp_inv", xi, w)

    @classmethod
    def compose(cls, g: Like, h: Like) -> Array:
        """The products g h."""
        return cls._map("compose", g, h)

    @classmethod
    def inverse(cls, g: Like) -> Array:
        """The inverse elements."""
        return cls._map("inverse", g)

    @classmethod
    def act(cls, g: Like, point: Like) -> Array:
        """The points g p."""
        return cls._map("act", g, point)

    @classmethod
    def Ad(cls, g: Like, xi: Like) -> Array:
        """The twists g xi g^-1."""
        return cls._map("Ad", g, xi)

    @classmethod
    def normalized(cls, g: Like) -> Array:
        """The elements with a quaternion, or a cosine and sine, of length 1; NaN if the length is 0 or infinite."""
        return cls._map("normalized", g)

    @classmethod
    def integrate(
        cls,
        field: Callable[[float, Array], Like],
        g: Like,
        t: Like,
        *,
        method: str = "rkmk-dopri5",
        tolerance: float = 1e-8,
        first_step: float = 0.0,
        max_step: float = np.inf,
        steps: int = 0,
    ) -> Curve:
        """Integrates g' = g field(t, g): field returns the left-trivialised rate, a twist.

        g: the element at t[0]. t: two or more times in order, forward or backward; the curve has an element for each.
        method: "rkmk-dopri5" (order 5) or "rkmk-dop853" (order 8), which choose their steps such that no component of
        the error estimate of a step, a twist, exceeds `tolerance`; or "rkmk4" or "cf4", which take equal steps only.
        steps: the number of equal steps between two times; if it is given, all four methods take equal steps.
        first_step: the size of the first step; 0: chosen automatically. max_step: the greatest size of a step under a
        tolerance.

        Exceptions of the field pass through to the caller.
        """
        methods = _core.field_methods()
        if method not in methods:
            raise ValueError(f'unknown method "{method}": known are {", ".join(methods)}')
        if steps < 0:
            raise ValueError(f"steps must be 0 or the number of steps between two times, not {steps}")
        if steps == 0 and not methods[method]:
            raise ValueError(f"{method} takes equal steps only: give steps, the number of steps between two times")
        start = _real(g)
        if start.shape != (cls.nq,):
            shape = f"({cls.nq},)"
            raise ValueError(f"{cls.name}.integrate needs one element, an array of shape {shape}, not {start.shape}")
        if not _core.group_defect(cls.name, start) < 1e-6:
            raise ValueError(
                f"{start} is not an element of {cls.name}: its rotation does not have length 1; see normalized"
            )
        times = _real(t)
        change = np.diff(times) if times.ndim == 1 else np.array([])
        if change.size == 0 or not np.all(np.isfinite(times)) or not (np.all(change > 0) or np.all(change < 0)):
            raise ValueError("t needs two or more finite times, which increase or decrease, in a one-dimensional array")
        curve, status, message, accepted, rejected, evaluations = _core.integrate_field(
            cls.name, method, field, cls.normalized(start), times, (tolerance, first_step, max_step), steps
        )
        return Curve(times[: len(curve)].copy(), curve, status, message, accepted, rejected, evaluations)

    @classmethod
    def matrix(cls, g: Like) -> Array:
        """The elements as matrices (..., size, size)."""
        flat = cls._map("matrix", g)
        return flat.reshape(flat.shape[:-1] + (cls.size, cls.size))


class SO2(Group):
    """Rotations of the plane: (cos, sin). Twists have one component, the angle."""

    name, dof, nq, size = "SO2", 1, 2, 2
    identity = _identity(1.0, 0.0)


class SO3(Group):
    """Rotations of space: unit quaternions (w, x, y, z). Twists are rotation vectors."""

    name, dof, nq, size = "SO3", 3, 4, 3
    identity = _identity(1.0, 0.0, 0.0, 0.0)

    @classmethod
    def from_matrix(cls, R: Like) -> Array:
        """The quaternions of rotation matrices (..., 3, 3)."""
        array = _real(R)
        if array.shape[-2:] != (3, 3):
            raise ValueError(f"SO3.from_matrix needs matrices (..., 3, 3), not the shape {array.shape}")
        return cls._map("from_matrix", array.reshape(array.shape[:-2] + (9,)))


class SE2(Group):
    """Rigid motions of the plane: (x, y, cos, sin). Twists are (v_x, v_y, omega)."""

    name, dof, nq, size = "SE2", 3, 4, 3
    identity = _identity(0.0, 0.0, 1.0, 0.0)


class SE3(Group):
    """Rigid motions of space: position and unit quaternion (x, y, z, qw, qx, qy, qz). Twists are (v, omega)."""

    name, dof, nq, size = "SE3", 6, 7, 4
    identity = _identity(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
