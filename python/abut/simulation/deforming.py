"""Walls that deform: what a callable says of their vertices, step by step."""

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
    """A wall's mesh now and in the step before, and how fast its vertices are then.

    `step_count`: the steps after which the callable has been asked last. Once another one is done,
    and until it is asked again, the mesh is still the one of that step.
    """

    structure: Structure
    mesh: Mesh
    velocities: Doubles
    mesh_before: Mesh
    velocities_before: Doubles
    step_count: int

    @classmethod
    def begin(cls, structure: object, mesh: Mesh | HalfSpace, step_count: int) -> Deforming:
        """A wall whose vertices stand still."""
        if not callable(structure):
            kind = checks.a_or_an(type(structure).__name__)
            raise TypeError(
                f"deform is {kind}, but must be a callable of time and forces at the vertices"
            )
        if isinstance(mesh, HalfSpace):
            raise TypeError("a HalfSpace does not deform: it has no vertices")
        mesh.moved(mesh.vertices)  # complains where a facet is no triangle
        still = np.zeros((len(mesh.vertices), 3))
        return cls(structure, mesh, still, mesh, still, step_count)

    def at(self, step_count: int) -> Deforming:
        """As it is known after so many steps: the last one may not have moved it yet."""
        if self.step_count >= step_count:
            return self
        return replace(self, mesh_before=self.mesh, velocities_before=self.velocities)

    def asked(self, time: float, forces: Doubles, step_count: int, number: int) -> Deforming:
        """What the callable says, checked."""
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
        """(v, 12), as files have it."""
        now, before = self.mesh.vertices, self.mesh_before.vertices
        return np.concatenate([now, before, self.velocities, self.velocities_before], axis=1)

    @classmethod
    def restored(
        cls, structure: Structure, mesh: Mesh, columns: Doubles, step_count: int
    ) -> Deforming:
        """Of the mesh as it was given at first."""
        now, before, velocities, velocities_before = (
            np.ascontiguousarray(part) for part in np.split(columns, 4, axis=1)
        )
        meshes = anew(mesh, now), anew(mesh, before)
        return cls(structure, meshes[0], velocities, meshes[1], velocities_before, step_count)


def check_structures(deform: Mapping[int, Structure]) -> None:
    """Complain of what is no callable."""
    for number, structure in deform.items():
        if not callable(structure):
            kind = checks.a_or_an(type(structure).__name__)
            raise TypeError(f"deform[{number}] is {kind}, but must be a callable")


def anew(mesh: Mesh, vertices: Doubles) -> Mesh:
    """A mesh as `Mesh.moved` makes it, however far it has turned since."""
    facets = mesh._facets()._replace(vertices=vertices)
    noise = mesh.noise, mesh._core.normal_noise
    return Mesh._build(
        facets, noise=noise[0], normal_noise=noise[1], noise_origin=mesh._noise_origin
    )
