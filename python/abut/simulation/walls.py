"""Walls of a simulation: meshes and half spaces that stand still, move or deform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.periods import Period
from ..laws.materials import Material
from ..results.contacts import Contacts
from ..search.finder import ContactFinder
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from .column_input import table_columns
from .drives import (
    Free,
    Moving,
    Placed,
    drive_of,
    members,
    numbers,
    others_of,
    read_moving,
    servo_of,
)
from .motions import call_given, check_given
from .wall_checks import check_not_side, check_sides
from .wall_entries import (
    NO_MESH,
    Planes,
    WallEntry,
    all_stored,
    planes_of,
    touched_meshes,
    wall_columns,
    wall_order,
)

if TYPE_CHECKING:
    from ..options import WallResolution
    from .python_side import Known
    from .simulation import Simulation


# how the facets that a sphere touches become its contacts
RESOLUTIONS: dict[WallResolution, int] = {"hierarchy": _core.HIERARCHY, "sharing": _core.SHARING}

# number of members of abut_wall_state
_STATE = 25


class WallState(NamedTuple):
    """The members of abut_wall_state in their order."""

    pose: Doubles
    velocity: Doubles
    spin: Doubles
    origin: Doubles


class Derived(NamedTuple):
    """Values computed from the wall entries, cached because each step needs them."""

    entries: Sequence[WallEntry]
    stored: Indices  # the library's numbers of the walls; -1 if removed
    has_given: bool  # whether a callable, called in each step, moves a wall
    has_asked: bool  # whether a callable, called in each step, returns a load or its area
    has_deforming: bool
    driven: tuple[int, ...]  # numbers of the walls with a Servo or a Free
    planes: Planes


class Walls:
    """All walls of a simulation or a coupling, which the C side uses.

    Parameters
    ----------
    core : _core.Simulation or _core.Coupling
        The C side.
    """

    def __init__(self, core: _core.Simulation | _core.Coupling) -> None:
        self._core = core
        self._last: Derived | None = None

    @property
    def _step(self) -> float:
        """The current time step. Poses from callables, one step apart, are compared with twists."""
        raise NotImplementedError

    @property
    def entries(self) -> Sequence[WallEntry]:
        raise NotImplementedError

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """The meshes of all walls in the last step; a triangle stands for a half space."""
        return tuple(entry.facets(self._step_count) for entry in self.entries)

    @property
    def _step_count(self) -> int:
        return 0

    @property
    def order(self) -> NDArray[np.intp]:
        """The numbers of the walls in the library's order."""
        return wall_order(self.entries)

    @property
    def derived(self) -> Derived:
        entries, last = self.entries, self._last
        # it is enough to compare identities, because changed entries are always a new tuple
        if last is None or last.entries is not entries:
            last = self._last = Derived(
                entries,
                all_stored(entries),
                any(entry.is_given for entry in entries),
                any(entry.is_asked for entry in entries),
                any(entry.deforming is not None for entry in entries),
                tuple(k for k, entry in enumerate(entries) if entry.is_driven),
                planes_of(entries),
            )
        return last

    def _stored(self, number: int) -> int:
        """The library's number of a wall."""
        return int(self.derived.stored[number])

    def check_given(self, time: float) -> None:
        """Place walls that callables move, and check that their poses and twists agree."""
        for number, entry in enumerate(self.entries):
            if entry.is_given:
                self._core.place(self._stored(number), self._checked(entry, time))

    def place_given(self, time: float) -> None:
        """Place walls that callables move."""
        for number, entry in enumerate(self.entries):
            if entry.is_given:
                assert callable(entry.motion)
                self._core.place(self._stored(number), _state(*call_given(entry.motion, time)))

    def state(self, number: int) -> WallState:
        """Place and velocity of a wall at the beginning of the last step."""
        return _wall_state(self._core.wall(self._stored(number)))

    def state_now(self, number: int) -> WallState:
        return _wall_state(self._core.wall_now(self._stored(number)))

    def _moved(self, number: int, motion: Moving, time: float) -> WallEntry:
        """The entry of a wall with another motion, which begins at its current place."""
        pose = self.state_now(number).pose
        return replace(self.entries[number], motion=motion, start=time, pose=pose)

    def _checked(self, entry: WallEntry, time: float) -> Doubles:
        assert callable(entry.motion)
        return _state(*check_given(entry.motion, time, self._step, entry.size))

    def load(self, number: int) -> tuple[tuple[float, ...], tuple[float, ...], float]:
        """Force, torque and power at the beginning of the last step."""
        return cast(_core.Simulation, self._core).load(self._stored(number))

    def contacts(self, period: Period | None) -> Contacts:
        """Contacts with spheres at the beginning of the last step, with their forces."""
        meshes = self.meshes
        there = [not entry.is_gone for entry in self.entries]
        poses = np.array(
            [self.state(k).pose if is_there else np.eye(4) for k, is_there in enumerate(there)]
        )
        poses.flags.writeable = False
        settings = {
            "meshes": meshes,
            "poses": poses if len(meshes) else None,
            "period": period,
            "flat_angle": 0.0,
        }
        columns = self._core.interactions(_core.SPHERE_WALL)
        # replace the library's wall numbers; with a single wall, there is no column `mesh`
        if "mesh" in columns:
            columns["mesh"] = self.order[columns["mesh"]]
        elif self.order.any():
            columns["mesh"] = np.full(len(columns["sphere"]), self.order[0])
        return Contacts._found(table_columns(columns), settings)


class KnownWalls(Walls):
    """Walls of a `Simulation`, which can be added, moved and removed."""

    @property
    def _step(self) -> float:
        return self._known.beats[-1].step

    @property
    def _known(self) -> Known:
        known: Known = cast(_core.Simulation, self._core).known
        return known

    @property
    def entries(self) -> Sequence[WallEntry]:
        return self._known.walls

    @property
    def finder(self) -> ContactFinder | None:
        return self._known.finder

    @property
    def _step_count(self) -> int:
        return cast(_core.Simulation, self._core).counts()[0]

    def exchange(
        self,
        known: Known,
        states: Mapping[int, Doubles] | None = None,
        drives: Mapping[int, Doubles] | None = None,
    ) -> None:
        """Replace all walls. `states` and `drives` have initial values of some walls, by number."""
        begun = (
            _numbered(known.walls, states or {}, _STATE),
            _numbered(known.walls, self._with_sides(known, drives or {}), _core.DRIVE_NUMBERS),
        )
        old = self.derived.stored
        before = [old[k] if k < len(old) else -1 for k in wall_order(known.walls)]
        finder = None if known.finder is None else known.finder._core
        core = cast(_core.Simulation, self._core)
        core.set_walls(finder, wall_columns(known.walls), np.array(before, np.intp), *begun, known)

    def _with_sides(self, known: Known, drives: Mapping[int, Doubles]) -> dict[int, Doubles]:
        """The rows of drives, with the library's new numbers of the walls around their areas."""
        rows, stored = dict(drives), all_stored(known.walls)
        for number, entry in enumerate(known.walls):
            if entry.sides:
                row = members(rows[number]) if number in rows else self.drive(number)
                row = row.copy()
                row["sides"] = stored[entry.sides]
                rows[number] = numbers(row)
        return rows

    def add(self, entry: WallEntry, motion: object, time: float, known: Known) -> None:
        """Add a wall that begins its motion; `known` already has the material of the wall."""
        entry = replace(entry, motion=read_moving(motion))
        at_rest = WallState(entry.pose, *np.zeros((3, 3)))
        self._begin(len(self.entries), entry, at_rest, time, known)

    def remove(self, leaving: Sequence[int], time: float) -> None:
        """Remove walls; their numbers are not used again."""
        for number in leaving:
            check_not_side(number, self.entries, leaving)
        # walls that bound the areas of each other leave together
        for number in leaving:
            if self.entries[number].sides:
                self.move(number, None, time)
        for number in leaving:
            self._remove_one(number)

    def _remove_one(self, number: int) -> None:
        gone = replace(
            self.entries[number],
            mesh=NO_MESH,
            motion=None,
            is_active=False,
            is_gone=True,
            deforming=None,
        )
        self._exchange_one(number, gone, self._known)

    def switch(self, number: int, is_active: bool) -> None:
        """Switch a wall on or off."""
        if is_active != self.entries[number].is_active:
            check_not_side(number, self.entries, ())
            entry = replace(self.entries[number], is_active=is_active)
            if entry.deforming is not None:
                # count the current step as done: callables are not called while a wall is off
                now = entry.deforming.at(self._step_count)
                entry = replace(entry, deforming=replace(now, step_count=self._step_count))
            self._exchange_one(number, entry, self._known)

    def move(self, number: int, motion: object, time: float) -> None:
        """Give a wall another motion, which begins at its current place."""
        if self.entries[number].deforming is not None and motion is not None:
            raise ValueError(f"wall {number} deforms, and cannot have a motion")
        entry = self._moved(number, read_moving(motion), time)
        self._begin(number, entry, self.state_now(number), time, self._known)

    def _begin(
        self, number: int, entry: WallEntry, now: WallState, time: float, known: Known
    ) -> None:
        states, drives = {}, {}
        if entry.is_given:
            states[number] = self._checked(entry, time)
        drive = drive_of(entry.motion)
        if drive is not None:
            others = others_of(entry.motion)
            placed = Placed(entry.mesh, entry.pose, now.velocity, now.spin, others)
            drives[number] = numbers(drive.row(placed))
        if entry.sides:
            check_sides(entry, self.entries, lambda side: self.state_now(side).pose)
        self._exchange_one(number, entry, known, states, drives)

    def _exchange_one(
        self,
        number: int,
        entry: WallEntry,
        known: Known,
        states: Mapping[int, Doubles] | None = None,
        drives: Mapping[int, Doubles] | None = None,
    ) -> None:
        walls = _exchanged(known.walls, number, entry)
        meshes = touched_meshes(walls)
        # keep the finder if the meshes are the same
        if meshes != touched_meshes(known.walls):
            known = known._replace(finder=ContactFinder(meshes) if meshes else None)
        self.exchange(known._replace(walls=walls), states, drives)

    def nodal_forces(self, number: int) -> Doubles:
        """Forces of spheres at the vertices of a wall's mesh, or at a half space's point."""
        mesh = self.entries[number].mesh
        count = len(mesh.vertices) if isinstance(mesh, Mesh) else 1
        return cast(_core.Simulation, self._core).nodal_forces(self._stored(number), count)

    # ---- walls that deform ----

    @property
    def asks(self) -> bool:
        """Whether a callable of a wall is called in each step."""
        now = self.derived
        return now.has_given or now.has_asked or now.has_deforming

    def check_bodies(self, count: int) -> None:
        """Raise a ValueError if there are convex bodies and a wall that deforms."""
        for number, entry in enumerate(self.entries):
            if count and entry.deforming is not None and entry.is_active:
                raise ValueError(
                    f"wall {number} deforms, and only spheres may touch such walls, but there"
                    f" {'is' if count == 1 else 'are'} {checks.counted(count, 'body', 'bodies')}"
                )

    def deform(self, time: float) -> None:
        """Call the callables of walls that deform, once after each step; after an error again."""
        core, steps = cast(_core.Simulation, self._core), self._step_count
        for number in range(len(self.entries)):
            before = self.entries[number].deforming
            if before is None or not self.entries[number].is_active or before.step_count >= steps:
                continue
            forces = self.nodal_forces(number)
            deforming = core.lend(partial(before.call, time, forces, steps, number))
            # the callable may have changed the simulation
            known = self._known
            if known.walls[number].deforming is None or not known.walls[number].is_active:
                continue
            entry = replace(known.walls[number], deforming=deforming)
            walls = _exchanged(known.walls, number, entry)
            mesh, velocities = deforming.mesh._core, deforming.velocities
            core.deform(self._stored(number), mesh, velocities, known._replace(walls=walls))

    def restore_surfaces(self) -> None:
        """Give the library the vertices and velocities of the last step, from a restart file."""
        core = cast(_core.Simulation, self._core)
        for number, entry in enumerate(self.entries):
            known = entry.deforming
            if known is not None:
                velocities = known.velocities_before, known.velocities
                before = known.mesh_before.vertices
                core.restore_surface(self._stored(number), before, *velocities)

    # ---- walls with a Servo or a Free ----

    def drive(self, number: int) -> np.ndarray[Any, Any]:
        """The library's row of a driven wall, as a record with named members."""
        return members(cast(_core.Simulation, self._core).drive(self._stored(number)))

    def set_drive(self, number: int, **changed: Any) -> None:
        """Change some members of the row of a driven wall."""
        row = self.drive(number).copy()
        for name, value in changed.items():
            row[name] = value
        cast(_core.Simulation, self._core).set_drive(self._stored(number), numbers(row))

    def ask_loads(self, simulation: Any) -> None:
        """Set the loads of the walls with a callable that returns the load or its area."""
        for number, entry in enumerate(self.entries):
            servo = servo_of(entry.motion)
            if servo is not None and servo.is_asked:
                self.set_drive(number, **servo.asked(simulation))


def _exchanged(
    walls: tuple[WallEntry, ...], number: int, entry: WallEntry
) -> tuple[WallEntry, ...]:
    """A copy of `walls` with `entry` at `number`, which may be a new number at the end."""
    return (*walls[:number], entry, *walls[number + 1 :])


def _numbered(
    walls: Sequence[WallEntry], rows: Mapping[int, Doubles], width: int
) -> tuple[Indices, Doubles]:
    """The library's numbers of the walls in `rows`, and their rows as an array."""
    stored = all_stored(walls)[np.array([*rows], np.intp)]
    return stored, np.array([*rows.values()], np.float64).reshape(-1, width)


def _state(pose: Doubles, twist: Doubles) -> Doubles:
    """The state of a wall that a callable moves; its torque is about the origin of its frame."""
    return np.concatenate([pose.ravel(), twist, pose[:3, 3]])


def _wall_state(members: Doubles) -> WallState:
    return WallState(members[:16].reshape(4, 4), members[16:19], members[19:22], members[22:])


class Wall:
    """A mesh, or a half space, that spheres and bodies touch: made by `Simulation.add_wall`.

    Attributes
    ----------
    number : int
        Lasting number of the wall. `Simulation.contacts` has it in the column `mesh`.
    mesh : Mesh or HalfSpace
        The mesh as it was added, in its first place. If it deforms, it has its current vertices.
    material : Material
    motion : Rotating, Translating, Oscillating, Motions, Servo, Free, callable or None
        How it moves. A motion that is assigned begins now, at the wall's current place; None stops
        the wall. Axes and origins are in the world. A `Servo` and a `Free` begin with the wall's
        current velocity. A callable takes the simulation time and returns a pose (4, 4) and a twist
        (6,): velocity of the origin of the mesh's frame, and angular velocity, all in the world.
    active : bool
        Whether anything can touch it. It can be assigned. A wall that is switched off continues its
        motion. Its contacts are removed, and their elastic energy counts as dissipated.
    pose : (4, 4) ndarray of float64
        Its current place: the transform from the mesh's own frame to the world.
    twist : (6,) ndarray of float64
        Its current velocity: that of the origin of the mesh's frame, then the angular velocity.
        With a `Servo` or a `Free` it is half a step old, like the velocities of spheres.
    travel : (3,) ndarray of float64
        Vector by which the origin of the mesh's frame has moved since the motion began.
    applied_force, applied_torque : (3,) ndarray of float64
        Force and torque on a `Free` wall in addition to gravity and contacts, until other values
        are assigned. The torque is about the wall's center of mass, or its `origin` if given.
    force : (3,) ndarray of float64
        Force of spheres and bodies on it at the beginning of the last step, as in
        `Simulation.contacts` and `Simulation.body_contacts`.
    torque : (3,) ndarray of float64
        Torque by these forces and by `RollingC`, about a point that depends on the motion.
        With a rotation, the point is the origin of the first rotation, which later motions move.
        With a callable, it is the origin of the mesh's frame. With a `Free`, it is the `origin`, by
        default the center of mass. Otherwise it is 0, 0, 0. With a `Servo`, the point also moves
        along with it.
    power : float
        Power of these forces on the moving wall.
    nodal_forces : (v, 3) ndarray of float64
        Forces of spheres at the vertices, in the world, by the contacts' nodal weights. For a half
        space the shape is (1, 3), and the force is at its point.

    Notes
    -----
    After `Simulation.remove_wall`, all attributes but the number raise a ValueError.

    Examples
    --------
    A ball that lies on a plate, which begins to rise:

    >>> import abut
    >>> plate = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
    >>> ball, steel = abut.Material(density=1000, young=1e6), abut.Material()
    >>> sim = abut.Simulation(step=1e-4)
    >>> sim.set_law(ball, steel, abut.Hertz(restitution=0.1))
    >>> wall = sim.add_wall(plate, steel)
    >>> _ = sim.add_spheres([[0, 0, 0.1]], 0.1, ball)
    >>> sim.run(1.0)
    >>> wall.force.round(3)
    array([  0.   ,   0.   , -41.092])
    >>> wall.motion = abut.Translating((0, 0, 0.1))
    >>> sim.run(0.5)
    >>> wall.pose[:3, 3].round(6)
    array([0.  , 0.  , 0.05])
    """

    __slots__ = ("_number", "_simulation")

    def __init__(self, simulation: Simulation, number: int) -> None:
        self._simulation, self._number = simulation, number

    @property
    def number(self) -> int:
        return self._number

    @property
    def _entry(self) -> WallEntry:
        entry = self._simulation._walls.entries[self._number]
        if entry.is_gone:
            raise ValueError(f"wall {self._number} was removed")
        return entry

    @property
    def mesh(self) -> Mesh | HalfSpace:
        return self._entry.surface

    @property
    def material(self) -> Material:
        return self._simulation.materials[self._entry.material]

    @property
    def motion(self) -> Moving:
        return self._entry.motion

    @motion.setter
    def motion(self, motion: Any) -> None:
        self._simulation.walls._move(self._number, motion)

    @property
    def active(self) -> bool:
        return self._entry.is_active

    @active.setter
    def active(self, is_active: bool) -> None:
        self._simulation.walls._switch(self._number, is_active)

    @property
    def pose(self) -> Doubles:
        return self._there.state_now(self._number).pose

    @property
    def _there(self) -> KnownWalls:
        """All walls of the simulation. Raises a ValueError if this wall was removed."""
        _ = self._entry
        return self._simulation._walls

    @property
    def twist(self) -> Doubles:
        now = self._there.state_now(self._number)
        return np.concatenate([now.velocity, now.spin])

    @property
    def travel(self) -> Doubles:
        travel: Doubles = self.pose[:3, 3] - self._entry.pose[:3, 3]
        return travel

    @property
    def applied_force(self) -> Doubles:
        return self._applied("force")

    @applied_force.setter
    def applied_force(self, force: ArrayLike) -> None:
        self._simulation.walls._push(self._number, force=checks.vector(force, "applied_force"))

    @property
    def applied_torque(self) -> Doubles:
        return self._applied("torque")

    @applied_torque.setter
    def applied_torque(self, torque: ArrayLike) -> None:
        self._simulation.walls._push(self._number, torque=checks.vector(torque, "applied_torque"))

    def _applied(self, name: str) -> Doubles:
        if not isinstance(self.motion, Free):
            return np.zeros(3)
        return np.array(self._there.drive(self._number)[name])

    def _load(self) -> tuple[tuple[float, ...], tuple[float, ...], float]:
        return self._there.load(self._number)

    @property
    def force(self) -> Doubles:
        return np.array(self._load()[0])

    @property
    def torque(self) -> Doubles:
        return np.array(self._load()[1])

    @property
    def power(self) -> float:
        return self._load()[2]

    @property
    def nodal_forces(self) -> Doubles:
        return self._there.nodal_forces(self._number)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wall):
            return NotImplemented
        return self._simulation is other._simulation and self._number == other._number

    def __hash__(self) -> int:
        return hash((id(self._simulation), self._number))

    def __repr__(self) -> str:
        entry = self._simulation._walls.entries[self._number]
        if entry.is_gone:
            return f"Wall({self._number}: removed)"
        motion = "stands still" if entry.motion is None else f"motion {entry.motion!r}"
        off = "" if entry.is_active else ", off"
        return f"Wall({self._number}: {entry.mesh!r}, {motion}{off})"
