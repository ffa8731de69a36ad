"""The convex bodies of a simulation, and what they touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base.arrays import Doubles, Indices
from ..base.orientations import product, read_orientations
from ..laws.materials import Material
from ..search.shape import ConvexShape
from .bodies import (
    angular_momenta,
    changed,
    check_clusters_still,
    check_finite,
    find,
    read_fixed,
    read_points,
    read_vectors,
)
from .body_contacts import BodyContacts, body_contacts
from .convex_bodies import (
    Bodies,
    bodies_of,
    body_columns,
    check_assigned,
    positive_numbers,
    read_masses,
    read_shape,
)
from .known import changes
from .state import State

if TYPE_CHECKING:
    from ..options import Orientations


class BodyPart(State):
    """What a `Simulation` does with convex bodies."""

    @changes
    def add_bodies(
        self,
        shape: ConvexShape,
        positions: ArrayLike,
        material: Material,
        *,
        orientations: Orientations | None = None,
        scales: ArrayLike = 1.0,
        masses: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        fixed: ArrayLike = False,
    ) -> Indices:
        """Add convex bodies of one shape.

        They touch each other, spheres and walls. Each spot of a contact has the force of its law:
        that of the spot's own overlap, damping, and friction and rolling with springs of its own.
        docs/dem.md, section 10, says more.

        Parameters
        ----------
        shape : ConvexShape
            A polyhedron.
        positions : (b, 3) array_like
            Where each has the origin of the shape's frame: as `ConvexFinder` takes them.
        material : Material
            With a density, unless masses are given. Where its laws are `Hertz`, or have rolling,
            the shape must be rounded, or the laws have a `curvature`; none may have `RollingA`.
        orientations : (b, 4) array_like or scipy.spatial.transform.Rotation, optional
            From the shape's frame to the world: quaternions x, y, z, w, normalized here.
        scales : (b,) array_like or float, default 1
            By which each is larger than its shape.
        masses : (b,) array_like or float, optional
            By default density x volume, rounding included. The inertia goes with the mass.
        velocities : (b, 3) or (3,) array_like, optional
            Of the centers of mass. By default they are at rest.
        angular_velocities : (b, 3) or (3,) array_like, optional
        fixed : bool or (b,) array_like of bool, default False
            Whether they are held where they are: see `fixed`.

        Returns
        -------
        (b,) ndarray of intp
            Their numbers, which last.

        Raises
        ------
        ValueError
            If a number is not finite, a scale or mass not positive, an array's shape wrong, the
            shape a polygon, the material has no density, or one of its laws has `RollingA`.
        TypeError
            If an argument is of another type.

        Examples
        --------
        A cube that falls on a floor and comes to rest there:

        >>> import abut
        >>> cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        >>> wood, rigid = abut.Material(density=500), abut.Material()
        >>> sim = abut.Simulation(step=2e-4)
        >>> sim.set_law(wood, rigid, abut.Linear(1e6, friction=0.5, restitution=0.2))
        >>> floor = sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), rigid)
        >>> sim.add_bodies(cube, [[0, 0, 0.2]], wood, scales=0.1)
        array([0])
        >>> sim.run(1.0)
        >>> floor.force.round(3) + 0.0
        array([  0.  ,   0.  , -39.24])
        >>> sim.bodies.positions.round(4) + 0.0
        array([[0. , 0. , 0.1]])
        """
        read_shape(shape)
        places = read_points(positions, "positions")
        check_finite(places, "positions")
        count = len(places)
        sizes = positive_numbers(scales, "scales", count)
        heavy = read_masses(masses, shape, sizes, material)
        turns = read_orientations(orientations, count, "orientations")
        spins = read_vectors(angular_velocities, "angular_velocities", count)
        laws, number = self._laws.numbered(material)
        laws.check_bodies([number])
        shapes = self.shapes if shape in self.shapes else (*self.shapes, shape)
        columns = body_columns(shape, shapes.index(shape), sizes, heavy, number)
        columns |= {"positions": places, "orientations": turns}
        columns["velocities"] = read_vectors(velocities, "velocities", count)
        axes = product(turns, columns["axes"])
        columns["angular_momenta"] = angular_momenta(axes, columns["inertias"], spins)
        columns["fixed"] = read_fixed(fixed, count)
        check_clusters_still(columns, range(count), "positions")
        numbers = self._settled().with_bodies(count)
        then = self._changed(numbers=numbers, laws=laws, shapes=shapes)
        self._core.add_rigids(_core.BODIES, columns, None, then)
        return numbers.bodies[len(numbers.bodies) - count :].copy()

    @changes
    def remove_bodies(self, numbers: ArrayLike) -> None:
        """Take bodies away.

        Parameters
        ----------
        numbers : (k,) array_like of int
            As `add_bodies` returned them; others are errors, as for `remove_spheres`.

        Examples
        --------
        >>> import abut
        >>> tetra = abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> sim = abut.Simulation(step=1e-3)
        >>> numbers = sim.add_bodies(tetra, [[0, 0, 0], [0, 0, 2]], abut.Material(density=1000))
        >>> sim.remove_bodies(numbers[:1])
        >>> sim.bodies.numbers
        array([1])
        """
        known = self._settled()
        rows = find(known.bodies, numbers, "body", "numbers", "sim.bodies.numbers")
        is_gone = np.zeros(len(known.bodies), np.uint8)
        is_gone[rows] = 1
        self._core.remove_bodies(is_gone, self._changed(numbers=known.without_bodies(rows)))

    @property
    def shapes(self) -> tuple[ConvexShape, ...]:
        return self._known.shapes

    @property
    def bodies(self) -> Bodies:
        return self._once("bodies", self._read_bodies)

    @bodies.setter
    @changes
    def bodies(self, bodies: Bodies) -> None:
        check_assigned(bodies, self.bodies)
        count = len(bodies.numbers)
        given = {
            name: read_vectors(getattr(bodies, name), name, count)
            for name in ("positions", "velocities", "angular_momenta")
        }
        turns = read_orientations(bodies.orientations, count, "orientations")
        moved = given | {"orientations": turns, "fixed": read_fixed(bodies.fixed, count)}
        check_clusters_still(moved, bodies.numbers, "body")
        self._core.assign_rigids(_core.BODIES, changed(moved, self.bodies._asdict()))

    def _read_bodies(self) -> Bodies:
        return bodies_of(self._settled().bodies, self._core.rigids(_core.BODIES), self.shapes)

    def _outlines(self) -> tuple[Doubles, Doubles]:
        """Centers and radii of the spheres about the bodies."""
        of = self.bodies
        reaches = np.array([shape.circumradius for shape in self.shapes])[of.shape]
        return of.centers, reaches * of.scales

    @property
    def body_contacts(self) -> BodyContacts:
        return self._once("body_contacts", lambda: self._read_meeting(0))

    @property
    def body_pairs(self) -> BodyContacts:
        return self._once("body_pairs", lambda: self._read_meeting(1))

    @property
    def body_sphere_pairs(self) -> BodyContacts:
        return self._once("body_sphere_pairs", lambda: self._read_meeting(2))

    def _read_meeting(self, number: int) -> BodyContacts:
        columns = self._core.interactions(number)
        count = len(self._settled().bodies)
        return body_contacts(columns, self._walls.order, count, self._period)
