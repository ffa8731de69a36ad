"""Walls that deform: a callable returns their vertices after each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from .. import _core
from ..base import checks
from ..base.arrays import Doubles
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh

Structure: TypeAlias = Callable[[float, Doubles], Any]


@dataclass(frozen=True)
class Deforming:
    """A wall's mesh and the velocities of its vertices, now and in the step before.

    The callable `structure` was last called after `step_count` steps. If it is not called after the
    next step, the mesh does not change, and both states are equal.
    """

    structure: Structure
    mesh: Mesh
    velocities: Doubles
    mesh_before: Mesh
    velocities_before: Doubles
    step_count: int

    @classmethod
    def begin(cls, structure: object, mesh: Mesh | HalfSpace, step_count: int) -> Deforming:
        """The first state of a wall that deforms: its vertices are at rest."""
        if not callable(structure):
            kind = checks.a_or_an(type(structure).__name__)
            raise TypeError(
                f"deform is {kind}, but must be a callable that takes the time and the forces at"
                " the vertices"
            )
        if isinstance(mesh, HalfSpace):
            raise TypeError("a HalfSpace has no vertices and cannot deform: give a Mesh")
        mesh.moved(mesh.vertices)  # raises a ValueError if a facet is not a triangle
        still = np.zeros((len(mesh.vertices), 3))
        return cls(structure, mesh, still, mesh, still, step_count)

    def at(self, step_count: int) -> Deforming:
        """The state after `step_count` steps, even if the callable was not called after them."""
        if self.step_count >= step_count:
            return self
        return replace(self, mesh_before=self.mesh, velocities_before=self.velocities)

    def call(self, time: float, forces: Doubles, step_count: int, number: int) -> Deforming:
        """Call the callable, check what it returns, and return the new state."""
        answer = self.structure(time, forces)
        try:
            mesh, velocities = self._read(answer)
        except (TypeError, ValueError) as error:
            raise type(error)(f"deform of wall {number} at time {time:g}: {error}") from None
        now = self.at(step_count)
        return replace(
            self,
            mesh=mesh,
            velocities=velocities,
            mesh_before=now.mesh_before,
            velocities_before=now.velocities_before,
            step_count=step_count,
        )

    def _read(self, answer: Any) -> tuple[Mesh, Doubles]:
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            kind = checks.a_or_an(type(answer).__name__)
            raise TypeError(f"it returned {kind}, but must return (vertices, velocities)")
        count = len(self.mesh.vertices)
        velocities = checks.points_each(answer[1], "velocities", count, "vertex", "vertices")
        wrong = np.argwhere(~(np.abs(velocities) <= _core.COORDINATE_LIMIT))
        if len(wrong):
            row, axis = wrong[0].tolist()
            raise ValueError(
                f"velocities[{row}, {axis}] is {velocities[row, axis]}, but must lie within 1e75"
                " of 0"
            )
        return self.mesh.moved(answer[0]), velocities.copy()

    def columns(self) -> Doubles:
        """The state as a (v, 12) array, which restart files hold."""
        now, before = self.mesh.vertices, self.mesh_before.vertices
        return np.concatenate([now, before, self.velocities, self.velocities_before], axis=1)

    @classmethod
    def restored(
        cls, structure: Structure, mesh: Mesh, columns: Doubles, step_count: int
    ) -> Deforming:
        """The state from a restart file's array; `mesh` is the wall as it was added."""
        now, before, velocities, velocities_before = (
            np.ascontiguousarray(part) for part in np.split(columns, 4, axis=1)
        )
        meshes = anew(mesh, now), anew(mesh, before)
        return cls(structure, meshes[0], velocities, meshes[1], velocities_before, step_count)


def check_structures(deform: Mapping[int, Structure]) -> None:
    """Raise a TypeError for the first item that is not callable."""
    if not isinstance(deform, Mapping):
        raise TypeError(f"deform is {checks.a_or_an(type(deform).__name__)}, but must be a dict")
    for number, structure in deform.items():
        if not callable(structure):
            kind = checks.a_or_an(type(structure).__name__)
            raise TypeError(f"deform[{number}] is {kind}, but must be a callable")


def anew(mesh: Mesh, vertices: Doubles) -> Mesh:
    """A mesh with new vertices, as from `Mesh.moved`, but facets may have turned by any angle."""
    facets = mesh._facets()._replace(vertices=vertices)
    noise = mesh.noise, mesh._core.normal_noise
    return Mesh._build(
        facets, noise=noise[0], normal_noise=noise[1], noise_origin=mesh._noise_origin
    )
