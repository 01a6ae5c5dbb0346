"""Parts of motions: bodies, joints, constraints, points and coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .values import Values

Array = npt.NDArray[np.float64]
Column = TypeVar("Column")  # an array for a motion, a number for a sample


class Part(Generic[Column]):
    """A part of a motion, such as a body: the columns of the table that belong to it. `part["v_x"]` is a column."""

    def __init__(self, values: Values[Column], prefix: str) -> None:
        self._values = values
        self._prefix = prefix

    def __getitem__(self, name: str) -> Column:
        return self._values[self._prefix + name]

    @property
    def columns(self) -> list[str]:
        """The names of its columns, without the name of the part."""
        names = self._values._columns.all
        return [names[place][0][len(self._prefix) :] for place in self._values._places(self._prefix)]

    def _vector(self, first: str, count: int = 3) -> Array:
        return self._values._slice(self._prefix + first, count)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._prefix[:-1]}: {', '.join(self.columns)}>"


class Body(Part[Column]):
    """A body, a particle or a node of a rigid system of particles. Arrays have one row for each sample."""

    @property
    def x(self) -> Array:
        """Position of the centre of mass, world axes, m."""
        return self._vector("x")

    @property
    def q(self) -> Array:
        """Attitude as a quaternion from body axes to world axes, scalar first."""
        return self._vector("qw", 4)

    @property
    def v(self) -> Array:
        """Velocity of the centre of mass, world axes, m/s."""
        return self._vector("v_x")

    @property
    def Omega(self) -> Array:
        """Angular velocity, body axes, rad/s."""
        return self._vector("Omega_x")

    @property
    def vdot(self) -> Array:
        """Acceleration of the centre of mass, world axes, m/s^2."""
        return self._vector("vdot_x")

    @property
    def Omegadot(self) -> Array:
        """Angular acceleration, body axes, rad/s^2."""
        return self._vector("Omegadot_x")

    @property
    def force(self) -> Array:
        """Of a particle or a node of a rigid system: the force on it without `reaction`, world axes, N."""
        return self._vector("force_x")

    @property
    def reaction(self) -> Array:
        """Of a particle: the sum of the forces of joints and constraints on it; of a node of a rigid system: the force
        that keeps it at its place in the system. World axes, N."""
        return self._vector("reaction_x")


class Joint(Part[Column]):
    """A joint. The names of its coordinates and rates are those of the columns: `joint["angle"]`."""

    def _numbers(self, which: int) -> Array:
        coordinates, rates = self._values._columns.sizes[self._prefix[:-1]]
        first = self._values._places(self._prefix)[0]
        begin = first + (0, coordinates, coordinates + rates)[which]
        return self._values._table[..., begin : begin + (coordinates if which == 0 else rates)]

    @property
    def coordinates(self) -> Array:
        """Coordinates; the quaternion of a spherical or free joint has its scalar first."""
        return self._numbers(0)

    @property
    def rates(self) -> Array:
        """Rates: velocities and angular velocities of the child relative to the parent."""
        return self._numbers(1)

    @property
    def accelerations(self) -> Array:
        """Derivatives of the rates."""
        return self._numbers(2)

    @property
    def force(self) -> Array:
        """The force of the parent on the child at the child's joint point, world axes, N."""
        return self._vector("force_x")

    @property
    def torque(self) -> Array:
        """The torque of the parent on the child at the child's joint point, world axes, N m."""
        return self._vector("torque_x")


class Constraint(Part[Column]):
    """A constraint besides the joints; in coordinates, a row with its multiplier."""

    @property
    def force(self) -> Array:
        """The force on the first body that the constraint names, world axes, N."""
        return self._vector("force_x")

    @property
    def torque(self) -> Array:
        """The torque on the first body that the constraint names, about its centre of mass, world axes, N m."""
        return self._vector("torque_x")

    @property
    def multipliers(self) -> Array:
        """Its multipliers, one for each row; in coordinates, a constraint is one row."""
        sizes = self._values._columns.sizes.get(self._prefix[:-1])
        return self._vector("multiplier_0", sizes[0]) if sizes else self._vector("multiplier", 1)

    @property
    def multiplier(self) -> Column:
        """In coordinates: the multiplier of the row."""
        return self["multiplier"]

    @property
    def power(self) -> Column:
        """The power that a moving constraint supplies, W."""
        return self["power"]


class Point(Part[Column]):
    """A point of the scene."""

    @property
    def x(self) -> Array:
        """Position, world axes, m."""
        return self._vector("x")

    @property
    def v(self) -> Array:
        """Velocity, world axes, m/s."""
        return self._vector("v_x")


class Coordinate(Part[Column]):
    """A coordinate of a system in coordinates."""

    @property
    def value(self) -> Column:
        """Its value, in the units of the formulas of the scene."""
        return self["value"]

    @property
    def rate(self) -> Column:
        """The derivative of the value."""
        return self["rate"]

    @property
    def acceleration(self) -> Column:
        """The derivative of the rate."""
        return self["acceleration"]
