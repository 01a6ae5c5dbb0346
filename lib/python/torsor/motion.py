"""Motions: the results of runs."""

from __future__ import annotations

import html
import json
import os
import pathlib
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from ._names import file_name, listed, nearest
from .errors import ResultError

Array = npt.NDArray[np.float64]
Column = TypeVar("Column")  # an array for a motion, a number for a sample
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


class Event(NamedTuple):
    """An event of a run: its name and its time, s."""

    name: str
    t: float


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
