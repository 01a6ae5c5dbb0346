"""Values of a motion or of a sample by the names of columns and parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Generic

from ._names import nearest
from .errors import ResultError
from .parts import Array, Body, Column, Constraint, Coordinate, Joint, Point

Layout = tuple[list[tuple[str, str]], dict[str, tuple[int, int]]]


class Columns:
    """The names of the columns of a run. All of its samples share them, and look names up at a constant cost."""

    def __init__(self, layout: Layout) -> None:
        self.all, self.sizes = layout

    @cached_property
    def place(self) -> dict[str, int]:
        return {name: place for place, (name, _) in enumerate(self.all)}

    @cached_property
    def parts(self) -> dict[str, dict[str, list[int]]]:
        """The places of the columns of each part, by the kind and the name of the part."""
        parts: dict[str, dict[str, list[int]]] = {}
        for place, (column, _) in enumerate(self.all):
            kind, _, name = column.partition(".")
            if name and kind not in ("state", "sampled"):  # one column each; states of plugins have dots in their names
                name = name.split(".")[0]
            if name:
                parts.setdefault(kind, {}).setdefault(name, []).append(place)
        return parts


class Values(Generic[Column]):
    """The values of a motion by the names of the columns of its CSV table: `values["body.top.x"]`."""

    def __init__(self, columns: Callable[[], Columns], table: Callable[[], Array]) -> None:
        self._make_columns, self._make_table = columns, table

    # The columns are made when they are first needed. If only the summary of a run is read, no table is made.
    @cached_property
    def _table(self) -> Array:
        return self._make_table()

    @cached_property
    def _columns(self) -> Columns:
        return self._make_columns()

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self._columns.place)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column: "1" for numbers without a unit; empty if the scene decides it."""
        return dict(self._columns.all)

    def __getitem__(self, column: str) -> Column:
        raise NotImplementedError

    def __contains__(self, column: object) -> bool:
        return column in self._columns.place

    def _column(self, name: str) -> int:
        if not isinstance(name, str):
            raise TypeError(f'a column is named by a string such as "energy", not by {name!r}')
        place = self._columns.place.get(name)
        if place is None:
            raise ResultError(f'no column "{name}"{nearest(name, self._columns.place)}')
        return place

    def _places(self, prefix: str) -> list[int]:
        kind, name = prefix[:-1].split(".")
        return self._columns.parts[kind][name]

    def _slice(self, first: str, count: int) -> Array:
        begin = self._column(first)
        return self._table[..., begin : begin + count]

    def _names_of(self, kind: str) -> list[str]:
        return list(self._columns.parts.get(kind, ()))

    def _part(self, kind: str, name: str) -> str:
        if not isinstance(name, str):
            raise TypeError(f'a {kind.replace("_", " ")} is named by a string, not by {name!r}')
        known = self._columns.parts.get(kind, {})
        if name not in known:
            raise ResultError(f'no {kind.replace("_", " ")} "{name}"{nearest(name, known)}')
        return f"{kind}.{name}."

    @property
    def t(self) -> Column:
        """Time, s."""
        return self["t"]

    @property
    def bodies(self) -> list[str]:
        """The names of the bodies, particles and nodes."""
        return self._names_of("body")

    @property
    def joints(self) -> list[str]:
        """The names of the joints."""
        return self._names_of("joint")

    @property
    def constraints(self) -> list[str]:
        """The names of the constraints."""
        return self._names_of("constraint")

    @property
    def forces(self) -> list[str]:
        """The names of the springs and joint forces."""
        return self._names_of("force")

    @property
    def points(self) -> list[str]:
        """The names of the points."""
        return self._names_of("point")

    @property
    def states(self) -> list[str]:
        """The names of the states besides the motion, such as integrators of a controller."""
        return self._names_of("state")

    @property
    def sampled(self) -> list[str]:
        """The names of the sampled values."""
        return self._names_of("sampled")

    @property
    def coordinates(self) -> list[str]:
        """The names of the coordinates of a system in coordinates."""
        return self._names_of("coordinate")

    @property
    def quasi_velocities(self) -> list[str]:
        """The names of the quasi-velocities of a system in coordinates."""
        return self._names_of("quasi_velocity")

    def body(self, name: str) -> Body[Column]:
        """A body, a particle or a node by its name."""
        return Body(self, self._part("body", name))

    def joint(self, name: str) -> Joint[Column]:
        """A joint by its name."""
        return Joint(self, self._part("joint", name))

    def constraint(self, name: str) -> Constraint[Column]:
        """A constraint by its name."""
        return Constraint(self, self._part("constraint", name))

    def point(self, name: str) -> Point[Column]:
        """A point by its name."""
        return Point(self, self._part("point", name))

    def coordinate(self, name: str) -> Coordinate[Column]:
        """A coordinate of a system in coordinates."""
        return Coordinate(self, self._part("coordinate", name))

    def quasi_velocity(self, name: str) -> Column:
        """A quasi-velocity of a system in coordinates."""
        return self[self._part("quasi_velocity", name) + "value"]

    def force(self, name: str) -> Column:
        """The force of a spring, N, or of a joint force, N or N m."""
        return self[self._part("force", name) + "force"]

    def state(self, name: str) -> Column:
        """A state besides the motion."""
        return self[self._part("state", name)[:-1]]

    def sample(self, name: str) -> Column:
        """A sampled value."""
        return self[self._part("sampled", name)[:-1]]

    @property
    def kinetic(self) -> Column:
        """Kinetic energy, J."""
        return self["kinetic"]

    @property
    def potential(self) -> Column:
        """Potential energy, J."""
        return self["potential"]

    @property
    def energy(self) -> Column:
        """Kinetic plus potential energy, J."""
        return self["energy"]

    @property
    def work(self) -> Column:
        """Work since the start, J: of moving constraints, forces without a potential and time-dependent forces.

        The exact motion conserves energy minus work.
        """
        return self["work"]

    @property
    def linear_momentum(self) -> Array:
        """Linear momentum, kg m/s, world axes."""
        return self._slice("linear_momentum_x", 3)

    @property
    def angular_momentum(self) -> Array:
        """Angular momentum about the world origin, kg m^2/s, world axes."""
        return self._slice("angular_momentum_x", 3)
