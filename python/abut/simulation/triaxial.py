"""A triaxial cell: six walls that bear a pressure, or move at a given rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import logarithm, power_of_e
from ..base.arrays import Doubles
from ..laws.materials import Material
from ..search.half_space import HalfSpace
from .convex_bodies import volumes_of
from .drives import Servo, servo_of
from .motions import Translating
from .record import Record
from .walls import Wall, WallState

if TYPE_CHECKING:
    from .simulation import Simulation

# the pressure along an axis; None: walls do not bear a pressure
_Pressure = float | Callable[[float], float] | None

# directions in which the walls push, with those of each axis one after the other
_INWARD = np.repeat(np.eye(3), 2, axis=0) * np.tile([[1.0], [-1.0]], (3, 1))


def triaxial(
    sim: Simulation,
    box: ArrayLike | None = None,
    *,
    pressure: float | Callable[[float], float] | Sequence[_Pressure] | None = None,
    material: Material | None = None,
    speed: float | None = None,
    every: float | None = None,
    walls: Iterable[Wall | int] | None = None,
    first_sides: ArrayLike | None = None,
) -> TriaxialCell:
    """Put grains between six walls, which press on them.

    Parameters
    ----------
    sim : Simulation
        It needs no gravity, and no period. Grains may be added before or after.
    box : (2, 3) array_like
        Two opposite corners of the cell, the lower one first. On each side is a half space with a
        `Servo`, which presses on the area of the cell as it is in each step.
    pressure : float, callable, or sequence of three of these
        Pressure on all sides, or along x, y and z; positive in compression. A callable takes the
        time, as for `Servo`. None or NaN in a sequence is an axis along which the walls stand
        still.
    material : Material, optional
        Of the walls. By default ``Material()``, which is rigid. Set its law with the grains.
    speed : float, optional
        The largest speed of the walls under pressure: see `Servo`.
    every : float, optional
        Time between the rows of `TriaxialCell.record`.
    walls : sequence of six Wall or int, optional
        In place of `box` and `material`: walls that are there, such as those of a simulation that
        was copied or loaded, in the order of `TriaxialCell.walls`. `pressure` is then optional.
    first_sides : (3,) array_like, optional
        The sides for which the strain is 0: `TriaxialCell.first_sides`. By default those of the
        places at which the walls were added, so that a loaded cell continues its strain. Where
        ``cell.strain = 0`` has changed them, give them again.

    Returns
    -------
    TriaxialCell

    Raises
    ------
    ValueError, TypeError
        If the simulation has gravity or a period; if a pressure or a side is not positive; if
        `box` and `walls` are both given, or none; if the walls are not half spaces along x, y and
        z.

    Examples
    --------
    Grains that are pressed from all sides, and then along z:

    >>> import abut, numpy as np
    >>> grain, plate = abut.Material(density=2600, young=1e7), abut.Material()
    >>> sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    >>> for other in (grain, plate):
    ...     sim.set_law(grain, other, abut.Hertz(restitution=0.3))
    >>> lattice = 2e-3 * (np.argwhere(np.ones((4, 4, 4))) + 0.5)
    >>> _ = sim.add_spheres(lattice, 1e-3, grain)
    >>> cell = abut.triaxial(sim, [[0, 0, 0], [8e-3] * 3], pressure=1e4, material=plate, every=1e-3)
    >>> sim.run(0.05)
    >>> cell.stress.round(-1)
    array([10000., 10000., 10000.])
    >>> cell.compress(rate=0.1)
    >>> cell.strain = 0
    >>> sim.run(0.05)
    >>> cell.strain[2].round(3)
    np.float64(0.005)
    >>> cell.record.stress.shape, bool(cell.stress[2] > 1.2e4)
    ((100, 3), True)
    """
    if (box is None) == (walls is None):
        raise TypeError("triaxial takes either box=, or walls= that are there")
    if walls is None and pressure is None:
        raise TypeError("triaxial needs pressure=, with box=")
    if walls is not None and material is not None:
        raise TypeError("material= is for box=: walls= have theirs")
    _check_world(sim)
    limit = None if speed is None else checks.positive(speed, "speed")
    if every is not None:
        sim._events.steps_of(checks.positive(every, "every"), "every")
    wanted = None if pressure is None else _read_pressures(pressure)
    first = None if first_sides is None else _read_sides(first_sides)
    six = _added(sim, box, material) if walls is None else _there(sim, walls)
    cell = TriaxialCell(sim, six, limit)
    if first is not None:
        cell.first_sides = first
    if wanted is not None:
        cell._press(wanted)
    if every is not None:
        cell._begin_record(every)
    return cell


class TriaxialRecord(Record):
    """Stresses, strains and void ratios of a `TriaxialCell` at regular times.

    Attributes
    ----------
    times : (k,) ndarray of float64
    stress, strain : (k, 3) ndarray of float64
        Along x, y and z, positive in compression.
    void_ratio : (k,) ndarray of float64
    values : (k, 7) ndarray of float64
        Stress, strain and void ratio side by side.
    """

    __slots__ = ()

    @property
    def _table(self) -> Doubles:
        return np.array(self.values, np.float64).reshape(-1, 7)

    @property
    def stress(self) -> Doubles:
        return self._table[:, :3]

    @property
    def strain(self) -> Doubles:
        return self._table[:, 3:6]

    @property
    def void_ratio(self) -> Doubles:
        return self._table[:, 6]

    def _names(self, shape: Sequence[int]) -> list[str]:
        return [f"{name}_{axis}" for name in ("stress", "strain") for axis in "xyz"] + [
            "void_ratio"
        ]


class TriaxialCell:
    """Six walls around grains, as `triaxial` makes them.

    Attributes
    ----------
    walls : tuple of six Wall
        The lower and the upper one along x, then along y, then along z.
    sides : (3,) ndarray of float64
        Distances of the walls.
    first_sides : (3,) ndarray of float64
        Sides for which the strain is 0. They can be assigned.
    pressure : tuple of three float, callable or None
        Pressure that the walls bear along x, y and z; None where they stand still or move at a
        given rate. It can be assigned, as in `triaxial`; None or NaN in a sequence leaves the walls
        of this axis as they are.
    stress : (3,) ndarray of float64
        Mean force on both walls of an axis by the area of the cell, positive in compression, at the
        beginning of the last step. `Simulation.stress` has the shear stress, too.
    strain : (3,) ndarray of float64
        Logarithmic strain ln(L0 / L) of the sides, positive in compression, with `first_sides` for
        L0. ``cell.strain = 0`` counts anew from now on.
    void_ratio : float
        Volume of the voids by that of the grains. Where spheres overlap, their volume counts twice;
        clusters have the volume of their mass and density.
    record : TriaxialRecord
        `times`, `stress`, `strain` and `void_ratio` at regular times, if `every` was given.

    Notes
    -----
    All six walls move, so the middle of the cell stays in place. At rest the stress is the pressure
    to the accuracy of `Servo`. Restart files and copies have the walls with their loads, but not
    the record: call `triaxial` with ``walls=`` for them. After `remove` all attributes but `record`
    raise a ValueError.
    """

    __slots__ = ("_limit", "_record", "_sim", "_start", "walls")

    def __init__(self, sim: Simulation, walls: tuple[Wall, ...], limit: float | None) -> None:
        self._sim, self.walls = sim, walls
        self._limit = limit or _limit_of(walls)
        self._record: TriaxialRecord | None = None
        # half spaces keep the points with which they were added, also in restart files
        points = np.array([wall.mesh.point for wall in walls])  # type: ignore[union-attr]
        given = np.diagonal(points[1::2] - points[::2])
        self._start = given if (given > 0.0).all() else self.sides

    # ---- what moves the walls ----

    @property
    def pressure(self) -> tuple[_Pressure, ...]:
        self._check_walls()
        return tuple(_pressure_of(wall) for wall in self.walls[::2])

    @pressure.setter
    def pressure(self, pressure: float | Callable[[float], float] | Sequence[_Pressure]) -> None:
        self._check_walls()
        wanted = _read_pressures(pressure)
        _check_world(self._sim)
        self._press(wanted)

    def _press(self, pressures: Sequence[_Pressure]) -> None:
        for axis, pressure in enumerate(pressures):
            if pressure is None:
                continue
            pairs = [self.walls[2 * k : 2 * k + 2] for k in range(3) if k != axis]
            for number in (2 * axis, 2 * axis + 1):
                self.walls[number].motion = Servo(
                    pressure=pressure,
                    normal=tuple(_INWARD[number]),
                    area=pairs,  # type: ignore[arg-type]
                    speed=self._limit,
                )

    def compress(self, rate: float, axis: int = 2) -> None:
        """Let both walls of an axis approach each other at a constant speed.

        Parameters
        ----------
        rate : float
            Strain rate: the part of the current side by which it becomes shorter per time. Negative
            for extension; 0 stops the walls. The speed stays the same as the side shrinks.
        axis : int, default 2
            0, 1 or 2 for x, y or z. The walls of the other axes keep their pressure.

        Raises
        ------
        ValueError, TypeError, IndexError
            If the rate is not finite, or there is no such axis. If the simulation has gravity.
        """
        self._check_walls()
        along = checks.number_of(axis, "axis", 3, "axis", "axes")
        speed = 0.5 * checks.finite(rate, "rate") * float(self.sides[along])
        _check_world(self._sim)
        for number in (2 * along, 2 * along + 1):
            velocity = tuple(speed * _INWARD[number])
            self.walls[number].motion = Translating(velocity) if speed else None

    def remove(self) -> None:
        """Remove the six walls, and end the record, which keeps its rows."""
        self._check_walls()
        self._sim.remove_wall([wall.number for wall in self.walls])
        if self._record is not None:
            self._record.remove()

    @property
    def _removed(self) -> list[int]:
        """The numbers of those walls that were removed."""
        entries = self._sim._walls.entries
        return [wall.number for wall in self.walls if entries[wall.number].is_gone]

    def _check_walls(self) -> None:
        """Raise a ValueError if a wall was removed."""
        if removed := self._removed:
            missing = "the walls" if len(removed) == 6 else f"wall {removed[0]}"
            verb = "were" if len(removed) == 6 else "was"
            raise ValueError(
                f"{missing} of this triaxial cell {verb} removed: make another one with"
                " abut.triaxial"
            )

    # ---- what it measures ----

    @property
    def sides(self) -> Doubles:
        return self._sides(self._sim._walls.state_now)

    def _sides(self, state_of: Callable[[int], WallState]) -> Doubles:
        """The sides at the time of the states."""
        self._check_walls()
        places = []
        for row, wall in enumerate(self.walls):
            mesh, pose = wall.mesh, state_of(wall.number).pose
            assert isinstance(mesh, HalfSpace)
            axis = row // 2
            places.append((pose[axis, :3] * mesh.point).sum() + pose[axis, 3])
        return np.array(places[1::2]) - np.array(places[::2])

    @property
    def stress(self) -> Doubles:
        sides = self._sides(self._sim._walls.state)
        pushes = np.array(
            [-(wall.force * n).sum() for wall, n in zip(self.walls, _INWARD, strict=True)]
        )
        forces: Doubles = 0.5 * (pushes[::2] + pushes[1::2])
        return forces * sides / sides.prod()

    @property
    def first_sides(self) -> Doubles:
        self._check_walls()
        return self._start.copy()

    @first_sides.setter
    def first_sides(self, sides: ArrayLike) -> None:
        self._check_walls()
        self._start = _read_sides(sides)

    @property
    def strain(self) -> Doubles:
        found: Doubles = logarithm(self._start / self.sides)
        return found

    @strain.setter
    def strain(self, strain: ArrayLike) -> None:
        given = checks.doubles(strain, "strain")
        if given.shape not in ((), (3,)):
            raise ValueError(f"strain has shape {given.shape}, but must be a number or (3,)")
        checks.all_finite(given, "strain")
        self._start = self.sides * power_of_e(given)

    @property
    def void_ratio(self) -> float:
        self._check_walls()
        solid = _solid_volume(self._sim)
        return float(self.sides.prod()) / solid - 1.0 if solid else math.inf

    @property
    def record(self) -> TriaxialRecord:
        if self._record is None:
            raise ValueError("this cell has no record: give every= to triaxial")
        return self._record

    def _begin_record(self, every: float) -> None:
        record = TriaxialRecord()
        self._sim._events.record_into(record, every, lambda sim: self._row())
        self._record = record

    def _row(self) -> Doubles:
        return np.concatenate([self.stress, self.strain, [self.void_ratio]])

    def __repr__(self) -> str:
        if self._removed:
            return "TriaxialCell(removed)"
        x, y, z = self.sides
        return f"TriaxialCell(sides {x:.4g}, {y:.4g}, {z:.4g})"


# ---- arguments -----------------------------------------------------------------------------------


def _check_world(sim: Simulation) -> None:
    if not hasattr(sim, "gravity"):
        raise TypeError(f"sim is {checks.a_or_an(type(sim).__name__)}, but must be a Simulation")
    if np.any(sim.gravity):
        raise ValueError(
            f"gravity is {tuple(map(float, sim.gravity))}, but walls with the same pressure on both"
            " sides do not bear a weight, so that the cell would fall: assign sim.gravity = 0, 0, 0"
        )
    if sim.period is not None:
        raise ValueError(
            "the simulation has a period, but a triaxial cell has walls on all sides: use"
            " deform_cell(stress=...), or no period"
        )


def _read_pressures(pressure: Any) -> list[_Pressure]:
    if not callable(pressure) and np.ndim(pressure) == 0:
        pressure = checks.positive(pressure, "pressure")
    if callable(pressure) or isinstance(pressure, float):
        return [pressure] * 3
    if len(pressure) != 3:
        raise ValueError(f"pressure has {len(pressure)} entries, but must have one for each axis")
    return [_read_pressure(entry, f"pressure[{k}]") for k, entry in enumerate(pressure)]


def _read_pressure(entry: Any, name: str) -> _Pressure:
    if entry is None or callable(entry):
        return entry
    if math.isnan(checks.number(entry, name)):
        return None
    return checks.positive(entry, name)


def _read_sides(sides: Any) -> Doubles:
    """Read the first sides (3,), all positive."""
    found = np.array(checks.vector(sides, "first_sides"))
    if not (found > 0.0).all():
        raise ValueError(f"first_sides is {found.tolist()}, but must be positive")
    return found


def _added(sim: Simulation, box: Any, material: Material | None) -> tuple[Wall, ...]:
    """Six new walls that stand still."""
    low, high = checks.box(box, "box")
    points = [low, high] * 3
    planes = [HalfSpace(point, tuple(n)) for point, n in zip(points, _INWARD, strict=True)]
    return tuple(sim.add_wall(plane, material) for plane in planes)


def _there(sim: Simulation, walls: Iterable[Wall | int]) -> tuple[Wall, ...]:
    """The walls of a simulation with these numbers, in pairs along x, y and z."""
    numbers = [checks.whole(getattr(wall, "number", wall), "walls") for wall in walls]
    if len(numbers) != 6:
        raise ValueError(f"walls has {checks.counted(len(numbers), 'wall')}, but must have six")
    known = {wall.number: wall for wall in sim.walls}
    for k, number in enumerate(numbers):
        if number not in known:
            raise ValueError(f"walls[{k}] is {number}, but there is no wall {number}")
        mesh = known[number].mesh
        if not isinstance(mesh, HalfSpace) or not np.allclose(mesh.normal, _INWARD[k]):
            wanted = tuple(map(int, _INWARD[k]))
            raise ValueError(
                f"walls[{k}] is wall {number}, which is no half space with the normal {wanted}:"
                " give the walls of a TriaxialCell in their order"
            )
    return tuple(known[number] for number in numbers)


def _pressure_of(wall: Wall) -> _Pressure:
    servo = servo_of(wall.motion)
    return None if servo is None else servo.pressure


def _limit_of(walls: tuple[Wall, ...]) -> float | None:
    """The limit of speed of the first wall that has one."""
    servos = [servo_of(wall.motion) for wall in walls]
    return next((servo.speed for servo in servos if servo is not None and servo.speed), None)


def _solid_volume(sim: Simulation) -> float:
    """The volume of all grains."""
    spheres, bodies = sim.spheres, sim.bodies
    alone = spheres.cluster < 0
    volume = 4 / 3 * math.pi * _cubed(spheres.radii[alone]).sum()
    if len(sim.clusters.masses):
        # clusters are of one material each
        density = np.array([material.density or math.nan for material in sim.materials])
        clusters, first = np.unique(spheres.cluster[~alone], return_index=True)
        volume += (sim.clusters.masses[clusters] / density[spheres.material[~alone][first]]).sum()
    if len(bodies.scales):
        volume += (volumes_of(sim._known.shapes, bodies.shape) * _cubed(bodies.scales)).sum()
    return float(volume)


def _cubed(lengths: Doubles) -> Doubles:
    return lengths * lengths * lengths
