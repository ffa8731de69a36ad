"""The walls of a simulation: how they are added, removed, read and assigned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arrays import Columns, Doubles, Indices, locked
from ..base.warnings import warn
from ..laws.materials import Material
from ..results.contacts import Contacts
from ..search.half_space import HalfSpace, read_surface
from .cell_contents import check_new_wall
from .column_input import read_mask
from .columns import AssignedColumn, Column, MaskColumn
from .deforming import Deforming, Structure
from .drives import Drive, Free
from .motions import Motion
from .population import Population
from .python_side import changes
from .wall_checks import check_surface
from .wall_entries import WallEntry
from .walls import Wall


class WallPopulation(Population, Sequence[Wall]):
    """The walls of a `Simulation` that were not removed: a sequence of `Wall`.

    A column holds the attribute of `Wall` with the same name, for all walls.
    """

    __slots__ = ()

    noun, nouns = "wall", "walls"
    moves = False
    active = MaskColumn()
    pose = Column[np.float64]()
    twist = Column[np.float64]()
    travel = Column[np.float64]()
    applied_force = AssignedColumn[np.float64]()
    applied_torque = AssignedColumn[np.float64]()
    force = Column[np.float64]()
    torque = Column[np.float64]()
    power = Column[np.float64]()

    @property
    def numbers(self) -> Indices:
        """The lasting numbers of the walls, each as in `Wall.number`."""
        entries = enumerate(self._sim._walls.entries)
        return np.array([number for number, entry in entries if not entry.is_gone], np.intp)

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """Which walls stand still. Assigning True stops a wall that moves."""
        entries = (wall._entry for wall in self)
        return np.array([e.motion is None and e.deforming is None for e in entries], np.bool_)

    @fixed.setter
    def fixed(self, fixed: ArrayLike) -> None:
        mask = read_mask(fixed, len(self)) != 0
        wrong = np.flatnonzero(~mask & self.fixed)
        if len(wrong):
            raise ValueError(
                f"fixed[{wrong[0]}] is False, but wall {self.numbers[wrong[0]]} stands still:"
                f" assign sim.walls[{wrong[0]}].motion to move it"
            )
        for row in np.flatnonzero(mask & ~self.fixed):
            self[int(row)].motion = None

    @property
    def contacts(self) -> Contacts:
        """Contacts with spheres at the beginning of the last step."""
        return self._sim.contacts

    @changes
    def add(
        self,
        mesh: Any,
        material: Material | None = None,
        motion: Motion | Drive | Callable[[float], Any] | None = None,
        deform: Structure | None = None,
    ) -> Wall:
        """Add a wall.

        Parameters
        ----------
        mesh : Mesh, or whatever `Mesh.from_any` takes, or HalfSpace
            The wall in its current place. Spheres touch both sides of a mesh. In contacts with a
            half space, `facet` is 0. Its normal must be perpendicular to the period. Meshes need a
            period along the axes.
        material : Material, optional
            By default ``Material()``, which is rigid.
        motion : Rotating, Translating, Oscillating, Motions, Servo, Free or callable, optional
            How the wall moves from now on: see `Wall`. By default it stands still.
        deform : callable, optional
            In place of a motion: deforms a mesh of triangles. It is called once a step, after the
            forces of the step are known. It takes the time at the end of the step, and the forces
            (v, 3) of spheres on the vertices at its beginning. It returns the vertices (v, 3) at
            the end of the step, and their velocities in its middle. A solver with central
            differences computes both; otherwise divide the change of the vertices by `step`. They
            are not compared. Only spheres touch such walls: see docs/dem.md, section 14.

        Returns
        -------
        Wall
            It has the forces of spheres and bodies on it. Another motion can be assigned to it.

        Raises
        ------
        ValueError
            If the motion of a callable is not rigid, or its pose and twist do not agree. If the
            normal of a half space has a part along the period. If the wall is a mesh, and the
            period is not along the axes. If a mesh has no area for a `Servo` with a pressure, or no
            inertia for a `Free`. If the walls that bound an area are not half spaces that face each
            other. If both `motion` and `deform` are given, or a facet of a wall that
            deforms is not a triangle.
        TypeError
            If an argument is of another type.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> lid = abut.Mesh([[-1, -1, 1], [-1, 1, 1], [1, 1, 1], [1, -1, 1]], [[0, 1, 2, 3]])
        >>> wall = sim.add_wall(lid, motion=abut.Translating((0, 0, -0.1)))
        >>> wall.number, wall.force
        (0, array([0., 0., 0.]))
        """
        laws, number = self._sim._laws.numbered(Material() if material is None else material)
        surface = read_surface(mesh)
        check_new_wall(self._sim)
        check_surface(surface, len(self._sim._walls.entries), self._sim.period)
        if not isinstance(surface, HalfSpace) and not len(surface):
            warn("the mesh of the wall has no facets: nothing can touch it")
        entry = WallEntry(surface, number, None, self._sim.time, np.eye(4))
        if deform is not None:
            if motion is not None:
                raise ValueError("a wall takes either motion= or deform=")
            begun = Deforming.begin(deform, surface, self._sim.step_count)
            entry = replace(entry, deforming=begun)
        self._sim._walls.add(entry, motion, self._sim.time, self._sim._changed(laws=laws))
        return self[-1]

    @changes
    def _move(self, number: int, motion: object) -> None:
        self._check(number)
        self._sim._walls.move(number, motion, self._sim.time)

    @changes
    def _switch(self, number: int, is_active: object) -> None:
        self._check(number)
        if not isinstance(is_active, bool | np.bool_):
            kind = checks.a_or_an(type(is_active).__name__)
            raise TypeError(f"active is {kind}, but must be True or False")
        self._sim._walls.switch(number, bool(is_active))

    @changes
    def remove(self, wall: Wall | ArrayLike) -> None:
        """Remove a wall, or several.

        Parameters
        ----------
        wall : Wall or (k,) array_like of int
            A wall that `add_wall` returned, or numbers of walls. Other walls keep their numbers.
            The number of a removed wall is not used again.

        Raises
        ------
        ValueError
            If the wall was removed before, belongs to another simulation, or bounds the area of
            another wall's `Servo`.
        TypeError
            If `wall` is neither a Wall nor integers.

        Notes
        -----
        Its contacts are removed with it, and their elastic energy counts as dissipated. To switch a
        wall off for a time, assign `Wall.active`.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-3)
        >>> gate = sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
        >>> sim.remove_wall(gate)
        >>> len(sim.walls), gate
        (0, Wall(0: removed))
        """
        if isinstance(wall, Wall):
            if wall._simulation is not self._sim:
                raise ValueError(f"{wall!r} belongs to another simulation")
            self._check(wall.number)
            leaving = [wall.number]
        else:
            leaving = [int(self.numbers[row]) for row in self._find(wall, "wall")]
        self._sim._walls.remove(leaving, self._sim.time)

    def _check(self, number: int) -> None:
        if self._sim._walls.entries[number].is_gone:
            raise ValueError(f"wall {number} was removed")

    @changes
    def _push(self, number: int, **changed: Any) -> None:
        self._check(number)
        motion = self._sim._walls.entries[number].motion
        if not isinstance(motion, Free):
            raise ValueError(f"wall {number} is not Free: only a Free wall takes applied forces")
        self._sim._walls.set_drive(number, **changed)

    def _read(self, column: Column[Any]) -> NDArray[Any]:
        return locked(np.array([getattr(wall, column.name) for wall in self]))

    def _assign(self, given: Columns) -> None:
        for name, values in given.items():
            for wall, value in zip(self, values, strict=True):
                new = bool(value) if name == "active" else value
                self._core.lend(partial(setattr, wall, name, new))

    def _spread(self, forces: Doubles, torques: Doubles) -> tuple[Doubles, Doubles]:
        """Apply the forces and torques to walls that are `Free`, and return zeros for spheres."""
        for wall, force, torque in zip(self, forces, torques, strict=True):
            if isinstance(wall.motion, Free):
                wall.applied_force, wall.applied_torque = force, torque
            elif force.any() or torque.any():
                raise ValueError(
                    f"wall {wall.number} is not Free: walls.add_force must return 0 for it"
                )
        nothing = np.zeros((len(self._sim.ids), 3))
        return nothing, nothing

    @overload
    def __getitem__(self, row: int) -> Wall: ...

    @overload
    def __getitem__(self, row: slice) -> tuple[Wall, ...]: ...

    def __getitem__(self, row: int | slice) -> Wall | tuple[Wall, ...]:
        found = self.numbers[row]
        if isinstance(row, slice):
            return tuple(Wall(self._sim, int(number)) for number in found)
        return Wall(self._sim, int(found))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple | WallPopulation):
            return NotImplemented
        return tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
