"""The record that a simulation has of each wall, and the library's columns of walls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..base.arithmetic import dots, lengths
from ..base.arrays import Doubles, Indices
from ..search.half_space import HalfSpace, facets_of, library_order, plane_rows
from ..search.mesh import Mesh
from .deforming import Deforming
from .drives import Drive, Moving, drive_of, servo_of
from .motions import Motion

# _MEMBERS: number of members of abut_motion. _GIVEN: the kind of motion of a wall that a callable
# moves.
_MEMBERS, _GIVEN = 9, 3


@dataclass(frozen=True)
class WallEntry:
    """The record of a wall; `pose` is its place at the time `start`, when its motion began."""

    mesh: Mesh | HalfSpace
    material: int
    motion: Moving
    start: float
    pose: Doubles
    is_active: bool = True
    is_gone: bool = False  # removed: its number is not used again, and its mesh is empty
    deforming: Deforming | None = None  # None unless vertices move; `mesh` has those at the start

    @property
    def surface(self) -> Mesh | HalfSpace:
        """The mesh with its current vertices, or the half space."""
        return self.mesh if self.deforming is None else self.deforming.mesh

    def facets(self, step_count: int) -> Mesh:
        """The mesh at the beginning of the last step, number `step_count`.

        A triangle stands for a half space; its first corner is the half space's point.
        """
        if self.deforming is not None:
            return self.deforming.at(step_count).mesh_before
        return facets_of(self.mesh)

    @property
    def vertex_count(self) -> int:
        """The number of vertices of a wall that deforms, else 0."""
        return 0 if self.deforming is None else len(self.deforming.mesh.vertices)

    @property
    def size(self) -> float:
        """Largest distance of the mesh's points from the origin of its frame."""
        points = self.mesh.vertices if isinstance(self.mesh, Mesh) else np.array([self.mesh.point])
        return float(lengths(points).max(initial=0.0))

    @property
    def is_given(self) -> bool:
        """Whether a callable moves the wall."""
        if self.is_gone or self.motion is None:
            return False
        return not isinstance(self.motion, Motion | Drive)

    @property
    def is_driven(self) -> bool:
        """Whether the motion is, or has, a Servo or a Free."""
        return drive_of(self.motion) is not None

    @property
    def is_asked(self) -> bool:
        """Whether callables return the wall's load, or the area on which it acts."""
        servo = servo_of(self.motion)
        return servo is not None and servo.is_asked

    @property
    def sides(self) -> list[int]:
        """The numbers of the four walls between which the loaded area is, or none."""
        servo = servo_of(self.motion)
        return [] if servo is None else [number for pair in servo.sides for number in pair]

    def rows(self) -> list[list[float]]:
        """The elementary motions of the wall, as rows of abut_motion."""
        if self.motion is None:
            return []
        if not isinstance(self.motion, Motion):
            kind = self.motion.kind if isinstance(self.motion, Drive) else _GIVEN
            return [[kind, *[0.0] * (_MEMBERS - 1)]]
        return [
            [part.kind, *part.vector, *part.origin, part.rate, part.phase]
            for part in self.motion.parts()
        ]


class WallColumns(NamedTuple):
    """The arrays of walls that the library takes, in the order of `wall_order`."""

    materials: Indices
    starts: Doubles
    poses: Doubles  # (w, 16)
    offsets: Indices  # (w + 1,): where each wall's motions begin
    motions: Doubles  # (k, 9)
    half_spaces: Doubles  # (h, 6): points and normals
    off: int  # number of walls that are switched off, which are the last ones
    vertices: Indices  # (w,): number of vertices of each wall that deforms, else 0


def wall_columns(entries: Sequence[WallEntry]) -> WallColumns:
    """The arrays of all walls for the library."""
    stored = [entries[number] for number in wall_order(entries)]
    rows = [entry.rows() for entry in stored]
    active = [entry.mesh for entry in stored if entry.is_active]
    planes = [mesh for mesh in active if isinstance(mesh, HalfSpace)]
    return WallColumns(
        np.array([entry.material for entry in stored], np.intp),
        np.array([entry.start for entry in stored], np.float64),
        np.array([entry.pose for entry in stored], np.float64).reshape(-1, 16),
        np.cumsum([0, *map(len, rows)], dtype=np.intp),
        np.array([*chain(*rows)], np.float64).reshape(-1, _MEMBERS),
        plane_rows(planes),
        len(stored) - len(active),
        np.array([entry.vertex_count for entry in stored], np.intp),
    )


def wall_order(entries: Sequence[WallEntry]) -> Indices:
    """Wall numbers in the library's order: meshes, half spaces, then walls that are off."""
    active, off = (
        np.array(
            [k for k, e in enumerate(entries) if not e.is_gone and e.is_active == one], np.intp
        )
        for one in (True, False)
    )
    return np.concatenate([active[library_order([entries[k].mesh for k in active])], off])


def all_stored(entries: Sequence[WallEntry]) -> Indices:
    stored = np.full(len(entries), -1, np.intp)
    order = wall_order(entries)
    stored[order] = np.arange(len(order))
    return stored


def touched_meshes(entries: Sequence[WallEntry]) -> list[Mesh]:
    """The meshes of the walls that are switched on; half spaces have none."""
    surfaces = [entry.surface for entry in entries if entry.is_active]
    return [surface for surface in surfaces if isinstance(surface, Mesh)]


# an empty mesh, which the entry of a removed wall has
NO_MESH = Mesh(np.empty((0, 3)), np.empty((0, 3), np.intp))


# ---- half spaces ---------------------------------------------------------------------------------


class Planes(NamedTuple):
    """The active half spaces among the walls of a simulation."""

    points: Doubles  # (k, 3), of those without a motion
    normals: Doubles  # (k, 3)
    moving: tuple[int, ...]  # numbers of the others


def planes_of(entries: Sequence[WallEntry]) -> Planes:
    """The active half spaces among these walls."""
    there = [
        (number, entry.mesh, entry)
        for number, entry in enumerate(entries)
        if entry.is_active and isinstance(entry.mesh, HalfSpace)
    ]
    still = [plane_at(space, entry.pose) for _, space, entry in there if entry.motion is None]
    points, normals = np.array(still).reshape(-1, 2, 3).transpose(1, 0, 2)
    moving = tuple(number for number, _, entry in there if entry.motion is not None)
    return Planes(points, normals, moving)


def plane_at(space: HalfSpace, pose: Doubles) -> tuple[Doubles, Doubles]:
    """A point and the normal of a half space with this pose."""
    turn = pose[:3, :3]
    return dots(turn, np.array(space.point)) + pose[:3, 3], dots(turn, np.array(space.normal))
