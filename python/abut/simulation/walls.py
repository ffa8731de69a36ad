"""Walls of a simulation: meshes that stand still, or move as they are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.arrays import Doubles, Indices
from ..base.poses import Period
from ..results.contacts import Contacts
from ..results.maps import vertex_sums
from ..search.finder import ContactFinder
from ..search.half_space import HalfSpace, facets_of, library_order, plane_rows
from ..search.mesh import Mesh
from .bodies import table_columns
from .materials import Material
from .motions import Given, Motion, call_given, check_given, read_motion

if TYPE_CHECKING:
    from ..options import WallResolution
    from .known import Known
    from .simulation import Simulation


# how the facets that a sphere touches become its contacts
RESOLUTIONS: dict[WallResolution, int] = {"hierarchy": _core.HIERARCHY, "sharing": _core.SHARING}

# members of abut_motion, and its kind of walls that a callable moves
_MEMBERS, _GIVEN = 9, 3

# members of abut_wall_state
_STATE = 25


@dataclass(frozen=True)
class WallEntry:
    """What a simulation knows of a wall: `pose` is where it stood at the time `start`, when its
    motion began."""

    mesh: Mesh | HalfSpace
    material: int
    motion: Motion | Given | None
    start: float
    pose: Doubles

    @property
    def facets(self) -> Mesh:
        """Its mesh; of a half space a triangle, whose first corner is the point."""
        return facets_of(self.mesh)

    @property
    def size(self) -> float:
        """How far the mesh reaches from the origin of its frame."""
        points = self.mesh.vertices if isinstance(self.mesh, Mesh) else np.array([self.mesh.point])
        return float(np.linalg.norm(points, axis=1).max(initial=0.0))

    @property
    def is_given(self) -> bool:
        """Whether a callable moves it."""
        return self.motion is not None and not isinstance(self.motion, Motion)

    def rows(self) -> list[list[float]]:
        """The motions as the library takes them."""
        if self.motion is None:
            return []
        if not isinstance(self.motion, Motion):
            return [[_GIVEN, *[0.0] * (_MEMBERS - 1)]]
        return [
            [part.kind, *part.vector, *part.origin, part.rate, part.phase]
            for part in self.motion.parts()
        ]


class WallState(NamedTuple):
    """The members of abut_wall_state in their order."""

    pose: Doubles
    velocity: Doubles
    spin: Doubles
    origin: Doubles


class Walls:
    """All walls of a simulation, which its library's side borrows.

    Parameters
    ----------
    core : _core.Simulation or _core.Coupling
        To which they are told.
    """

    def __init__(self, core: _core.Simulation | _core.Coupling) -> None:
        self._core = core

    @property
    def _step(self) -> float:
        """Of now: poses of callables are compared from step to step."""
        raise NotImplementedError

    @property
    def entries(self) -> Sequence[WallEntry]:
        raise NotImplementedError

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """The meshes whose facets contacts number; of a half space one triangle stands for it."""
        return tuple(entry.facets for entry in self.entries)

    @property
    def order(self) -> NDArray[np.intp]:
        """The walls as the library numbers them: meshes, then half spaces."""
        return wall_order(self.entries)

    def _stored(self, number: int) -> int:
        """The library's number of a wall."""
        return _stored(self.entries, number)

    @property
    def has_given(self) -> bool:
        return any(entry.is_given for entry in self.entries)

    def check_given(self, time: float) -> None:
        """Put walls that callables move where they are at this time, and look whether poses and
        twists agree."""
        for number, entry in enumerate(self.entries):
            if entry.is_given:
                self._core.place(self._stored(number), self._checked(entry, time))

    def place_given(self, time: float) -> None:
        """Put walls that callables move where they are at this time."""
        for number, entry in enumerate(self.entries):
            if entry.is_given:
                assert callable(entry.motion)
                self._core.place(self._stored(number), _state(*call_given(entry.motion, time)))

    def state(self, number: int) -> WallState:
        """Where a wall was at the beginning of the last step."""
        return _wall_state(self._core.wall(self._stored(number)))

    def state_now(self, number: int) -> WallState:
        return _wall_state(self._core.wall_now(self._stored(number)))

    def _moved(self, number: int, motion: Motion | Given | None, time: float) -> WallEntry:
        """A wall that goes on with another motion from where it is."""
        pose = self.state_now(number).pose
        return replace(self.entries[number], motion=motion, start=time, pose=pose)

    def _checked(self, entry: WallEntry, time: float) -> Doubles:
        assert callable(entry.motion)
        return _state(*check_given(entry.motion, time, self._step, entry.size))

    def load(self, number: int) -> tuple[tuple[float, ...], tuple[float, ...], float]:
        """Force, torque and power at the beginning of the last step."""
        return cast(_core.Simulation, self._core).load(self._stored(number))

    def contacts(self, period: Period | None) -> Contacts:
        """With spheres at the beginning of the last step, with what each exerts on its sphere."""
        meshes = self.meshes
        poses = np.array([self.state(k).pose for k in range(len(meshes))])
        poses.flags.writeable = False
        settings = {
            "meshes": meshes,
            "poses": poses if len(meshes) else None,
            "period": period,
            "flat_angle": 0.0,
        }
        columns = self._core.interactions(_core.SPHERE_WALL)
        # the library counts half spaces last
        if "mesh" in columns:
            columns["mesh"] = self.order[columns["mesh"]]
        return Contacts._found(table_columns(columns), settings)

    def nodal_forces(self, number: int, contacts: Contacts) -> Doubles:
        """What these contacts exert at the vertices of a wall's mesh, or a half space's point."""
        mesh = self.entries[number].mesh
        count = len(mesh.vertices) if isinstance(mesh, Mesh) else 1
        return vertex_sums(contacts, -contacts.force, number, count)


class CoupledWalls(Walls):
    """Those of a coupling, which are there when it is made; none comes, but they may move anew."""

    def __init__(self, core: _core.Coupling, step: float, entries: Sequence[WallEntry]) -> None:
        super().__init__(core)
        self._length, self._entries = step, entries

    @property
    def _step(self) -> float:
        return self._length

    @property
    def entries(self) -> Sequence[WallEntry]:
        return self._entries

    def move_some(self, motions: Mapping[int, Motion | Given | None], time: float) -> None:
        """Let walls, by their numbers, go on with other motions from where they are; where that
        fails, nothing has changed."""
        begun = {number: self._moved(number, motion, time) for number, motion in motions.items()}
        states = {number: self._checked(e, time) for number, e in begun.items() if e.is_given}
        entries = [*(dict(enumerate(self._entries)) | begun).values()]
        try:
            self._send(entries)
            self._entries = entries
        except BaseException:
            # Ctrl-C may come after the library has taken them
            self._send(self._entries)
            raise
        for number, state in states.items():
            self._core.place(self._stored(number), state)

    def _send(self, entries: Sequence[WallEntry]) -> None:
        cast(_core.Coupling, self._core).set_walls(wall_columns(entries))


class KnownWalls(Walls):
    """Those of a `Simulation`, which is told of new ones, and of new motions."""

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

    def exchange(self, known: Known, states: Mapping[int, Doubles] | None = None) -> None:
        """Have the walls of what is known then, some of them in states that are told."""
        told = states or {}
        placed = np.array([_stored(known.walls, number) for number in told], np.intp)
        rows = np.array([*told.values()], np.float64).reshape(-1, _STATE)
        finder = None if known.finder is None else known.finder._core
        core = cast(_core.Simulation, self._core)
        core.set_walls(finder, wall_columns(known.walls), placed, rows, known)

    def add(self, entry: WallEntry, motion: object, time: float, known: Known) -> None:
        """Add a wall that begins to move; the rest of what is known then, with its material."""
        if isinstance(entry.mesh, Mesh):
            known = known._replace(finder=ContactFinder([*_meshes(self.entries), entry.mesh]))
        entry = replace(entry, motion=read_motion(motion))
        self._begin(len(self.entries), entry, time, known)

    def move(self, number: int, motion: object, time: float) -> None:
        """Let a wall go on with another motion from where it is."""
        entry = self._moved(number, read_motion(motion), time)
        self._begin(number, entry, time, self._known)

    def _begin(self, number: int, entry: WallEntry, time: float, known: Known) -> None:
        states = {number: self._checked(entry, time)} if entry.is_given else {}
        walls = (*known.walls[:number], entry, *known.walls[number + 1 :])
        self.exchange(known._replace(walls=walls), states)


class WallColumns(NamedTuple):
    """Walls as the library takes them, in its order."""

    materials: Indices
    starts: Doubles
    poses: Doubles  # (w, 16)
    offsets: Indices  # (w + 1,): where each wall's motions begin
    motions: Doubles  # (k, 9)
    half_spaces: Doubles  # (h, 6): points and normals


def wall_columns(entries: Sequence[WallEntry]) -> WallColumns:
    """Walls as the library takes them."""
    stored = [entries[number] for number in wall_order(entries)]
    rows = [entry.rows() for entry in stored]
    planes = [entry.mesh for entry in stored if isinstance(entry.mesh, HalfSpace)]
    return WallColumns(
        np.array([entry.material for entry in stored], np.intp),
        np.array([entry.start for entry in stored], np.float64),
        np.array([entry.pose for entry in stored], np.float64).reshape(-1, 16),
        np.cumsum([0, *map(len, rows)], dtype=np.intp),
        np.array([*chain(*rows)], np.float64).reshape(-1, _MEMBERS),
        plane_rows(planes),
    )


def check_half_space(half_space: HalfSpace, period: Sequence[float | None] | None) -> None:
    """Complain of a half space where the world repeats across its plane."""
    for axis, length in zip("xyz", period or (None,) * 3, strict=True):
        if length is not None and half_space.normal["xyz".index(axis)] != 0.0:
            raise ValueError(
                f"a HalfSpace ends the world along its normal, {half_space.normal}, but the"
                f" world repeats along {axis}"
            )


def wall_order(entries: Sequence[WallEntry]) -> Indices:
    """The walls as the library numbers them: meshes, then half spaces."""
    return library_order([entry.mesh for entry in entries])


def _stored(entries: Sequence[WallEntry], number: int) -> int:
    """The library's number of a wall."""
    return int(np.flatnonzero(wall_order(entries) == number)[0])


def _meshes(entries: Sequence[WallEntry]) -> list[Mesh]:
    """The meshes of those walls that have one."""
    return [entry.mesh for entry in entries if isinstance(entry.mesh, Mesh)]


def _state(pose: Doubles, twist: Doubles) -> Doubles:
    """Of a wall that a callable moves, whose torque is about the origin of its frame."""
    return np.concatenate([pose.ravel(), twist, pose[:3, 3]])


def _wall_state(members: Doubles) -> WallState:
    return WallState(members[:16].reshape(4, 4), members[16:19], members[19:22], members[22:])


class Wall:
    """A mesh, or a half space, that spheres and bodies touch: made by `Simulation.add_wall`.

    Attributes
    ----------
    number : int
        Its number among the simulation's walls, and of its mesh in `Simulation.contacts`.
    mesh : Mesh or HalfSpace
        As it was given, where it was then.
    material : Material
    motion : Rotating, Translating, Oscillating, Motions, callable or None
        How it moves. A motion that is assigned begins now, where the wall is now; None stops it
        there. Axes and origins are in the world. A callable takes the time of the simulation and
        returns a pose (4, 4) and a twist (6,), both absolute: velocity of the origin of the mesh's
        frame, then angular velocity.
    pose : (4, 4) ndarray of float64
        Where it is now: the transform from the mesh's own frame to the world.
    force : (3,) ndarray of float64
        What spheres and bodies exert on it, at the beginning of the last step, as
        `Simulation.contacts` and `Simulation.body_contacts`.
    torque : (3,) ndarray of float64
        Likewise, about the origin of its motion: of several that of the first one that rotates,
        which those after it carry along, or 0, 0, 0 where none does; of a callable the origin of
        the mesh's frame. With what rolling of type C does to the wall.
    power : float
        What these forces and torques do on the moving wall.
    nodal_forces : (v, 3) ndarray of float64
        What spheres exert at each vertex of the mesh, in the world, by the nodal weights of the
        contacts; on a half space (1, 3), at its point.

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
        return self._simulation._walls.entries[self._number]

    @property
    def mesh(self) -> Mesh | HalfSpace:
        return self._entry.mesh

    @property
    def material(self) -> Material:
        return self._simulation.materials[self._entry.material]

    @property
    def motion(self) -> Motion | Given | None:
        return self._entry.motion

    @motion.setter
    def motion(self, motion: Any) -> None:
        self._simulation._move_wall(self._number, motion)

    @property
    def pose(self) -> Doubles:
        return self._simulation._walls.state_now(self._number).pose

    def _load(self) -> tuple[tuple[float, ...], tuple[float, ...], float]:
        return self._simulation._walls.load(self._number)

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
        return self._simulation._walls.nodal_forces(self._number, self._simulation.contacts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wall):
            return NotImplemented
        return self._simulation is other._simulation and self._number == other._number

    def __hash__(self) -> int:
        return hash((id(self._simulation), self._number))

    def __repr__(self) -> str:
        motion = "stands still" if self.motion is None else f"motion {self.motion!r}"
        return f"Wall({self._number}: {self.mesh!r}, {motion})"
