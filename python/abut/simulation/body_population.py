"""The convex bodies of a simulation: how they are added, removed, read and assigned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base.arrays import Columns, Doubles, Indices
from ..base.orientations import product, read_orientations, turned
from ..laws.materials import Material
from ..search.shape import ConvexShape
from .body_contacts import BodyContacts
from .cell_contents import check_fixed, resting
from .column_input import (
    angular_momenta,
    check_finite,
    check_still,
    read_mask,
    read_points,
    read_vectors,
)
from .columns import AssignedColumn, Column, ImagesColumn, MaskColumn, OrientationColumn
from .convex_bodies import (
    body_columns,
    centers_of,
    positive_numbers,
    read_masses,
    read_shaped,
    volumes_of,
)
from .handle import Handle
from .population import Population, read_call
from .python_side import changes

if TYPE_CHECKING:
    from ..options import Orientations
    from .simulation import Simulation


class BodyPopulation(Population):
    """The convex bodies of a `Simulation`, in the order of addition.

    `positions` are the origins of the shapes' frames, as for `ConvexFinder`. `centers` are the
    centers of mass, `velocities` are their velocities, and `torques` are about them.
    """

    __slots__ = ()

    noun, nouns, kind = "body", "bodies", _core.BODIES
    positions = AssignedColumn[np.float64]()
    orientations = OrientationColumn()
    velocities = AssignedColumn[np.float64]()
    angular_velocities = Column[np.float64]("spins")
    angular_momenta = AssignedColumn[np.float64]()
    forces = Column[np.float64]()
    torques = Column[np.float64]()
    centers = Column[np.float64]()
    masses = Column[np.float64]()
    shape = Column[np.intp]("shapes")
    scales = Column[np.float64]()
    material = Column[np.intp]("materials")
    images = ImagesColumn()
    fixed = MaskColumn()

    @property
    def numbers(self) -> Indices:
        """The bodies' lasting numbers, as `Simulation.add_bodies` returned them."""
        return self._sim._settled().bodies

    @property
    def contacts(self) -> BodyContacts:
        """Contacts of bodies with walls at the beginning of the last step."""
        return self._sim.body_contacts

    @changes
    def add(
        self,
        shapes: ConvexShape | Sequence[ConvexShape],
        positions: ArrayLike,
        material: Material,
        *,
        shape: ArrayLike | None = None,
        orientations: Orientations | None = None,
        scales: ArrayLike = 1.0,
        masses: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        fixed: ArrayLike = False,
    ) -> Indices:
        """Add convex bodies of one shape, or of several.

        Bodies touch each other, spheres and walls. The contact law acts at each spot of a contact,
        with the spot's own overlap, damping, friction spring and rolling spring; docs/dem.md,
        section 10.

        Parameters
        ----------
        shapes : ConvexShape or sequence of ConvexShape
            One polyhedron, or several.
        positions : (b, 3) array_like
            Origins of the shapes' frames in the world, as for `ConvexFinder`.
        material : Material
            It needs a density unless masses are given. No law of it may have `RollingA`. Laws that
            are `Hertz` or have rolling need a `curvature` if the shape is not rounded.
        shape : (b,) array_like of int, optional
            The number in `shapes` of each body's shape. It can be left out if there is one shape.
        orientations : (b, 4) array_like or scipy.spatial.transform.Rotation, optional
            Rotations from the shape's frame to the world: quaternions x, y, z, w, of any length.
        scales : (b,) array_like or float, default 1
            Factors by which all lengths of the shape are multiplied.
        masses : (b,) array_like or float, optional
            By default density times volume with rounding. The inertia is proportional to the mass.
        velocities : (b, 3) or (3,) array_like, optional
            Velocities of the centers of mass. By default 0, or those of a cell that deforms:
            see `deform_cell`.
        angular_velocities : (b, 3) or (3,) array_like, optional
        fixed : bool or (b,) array_like of bool, default False
            Whether the bodies are fixed: see `fixed`.

        Returns
        -------
        (b,) ndarray of intp
            Lasting numbers of the new bodies.

        Raises
        ------
        ValueError
            If a number is not finite, a scale or mass is not positive, or an array has a wrong
            shape. If a shape is a polygon, or the number of a shape is wrong or missing. If the
            material has no density, or one of its laws has `RollingA`.
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

        A tetrahedron and two more cubes; `sim.shapes` has all shapes, and ``sim.bodies.shape`` the
        number of each body's:

        >>> tetra = abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> places = [[1, 0, 0.1], [2, 0, 0.1], [3, 0, 0.1]]
        >>> sim.add_bodies([cube, tetra], places, wood, shape=[1, 0, 0], scales=0.1)
        array([1, 2, 3])
        >>> sim.bodies.shape
        array([0, 1, 0, 0])
        """
        places = read_points(positions, "positions")
        check_finite(places, "positions")
        count = len(places)
        given, own = read_shaped(shapes, shape, count)
        sizes = positive_numbers(scales, "scales", count)
        heavy = read_masses(masses, volumes_of(given, own), sizes, material)
        turns = read_orientations(orientations, count, "orientations")
        spins = read_vectors(angular_velocities, "angular_velocities", count)
        laws, number = self._sim._laws.numbered(material)
        laws.check_bodies([number])
        columns = body_columns(given, own, sizes, heavy, number)
        columns |= {"positions": places, "orientations": turns}
        columns["velocities"] = self._velocities(velocities, centers_of(given, own, columns))
        axes = product(turns, columns["axes"])
        columns["angular_momenta"] = angular_momenta(axes, columns["inertias"], spins)
        columns["fixed"] = read_mask(fixed, count)
        check_fixed(self._sim, columns["fixed"], "positions[{}]", range(count))
        check_still(columns, columns["fixed"] != 0, "positions[{}]", range(count))
        return self._put(given, columns, laws=laws)

    def _columns(
        self,
        shape: ConvexShape,
        material: Material,
        number: int,
        centers: Doubles,
        scales: Doubles,
        turns: Doubles,
    ) -> Columns:
        """Columns of bodies of one shape at rest, with these centers of mass."""
        self._sim._laws.check_bodies([number])
        own = np.zeros(len(scales), np.intp)
        masses = read_masses(None, volumes_of([shape], own), scales, material)
        arms = turned(turns, scales[:, None] * shape.centroid)
        return body_columns([shape], own, scales, masses, number) | {
            "positions": centers - arms,
            "orientations": np.ascontiguousarray(turns),
            "velocities": resting(self._sim, centers),
            "angular_momenta": np.zeros((len(scales), 3)),
        }

    def _put(self, given: Sequence[ConvexShape], columns: Columns, **parts: Any) -> Indices:
        """Add bodies, replace `parts` of the record `Known`, and return the new numbers.

        The column "shapes" has the number of each body's shape among the given ones.
        """
        known = dict.fromkeys((*self._sim.shapes, *given))
        rows = {one: row for row, one in enumerate(known)}
        columns["shapes"] = np.array([rows[one] for one in given], np.intp)[columns["shapes"]]
        count = len(columns["masses"])
        numbers = self._sim._settled().with_bodies(count)
        then = self._sim._changed(numbers=numbers, shapes=tuple(known), **parts)
        self._core.add(self.kind, columns, {}, then)
        return numbers.bodies[len(numbers.bodies) - count :].copy()

    @changes
    def remove(self, numbers: ArrayLike) -> None:
        """Remove bodies.

        Parameters
        ----------
        numbers : (k,) array_like of int
            Numbers that `add_bodies` returned. Any other number raises a ValueError.

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
        rows = self._find(numbers)
        then = self._sim._changed(numbers=self._sim._settled().without_bodies(rows))
        self._core.remove(self.kind, self._marks(rows), then)

    @changes
    def add_force(self, call: Callable[[Simulation], Any]) -> Handle:
        """Add forces of your own on convex bodies, as `add_force` does for spheres.

        Parameters
        ----------
        call : callable
            Takes the simulation at the beginning of each step. It returns forces (b, 3), which act
            at the centers of mass, or a tuple (forces, torques).

        Returns
        -------
        Handle
            Its `remove()` ends the calls.

        Examples
        --------
        >>> import abut
        >>> tetra = abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> sim = abut.Simulation(step=0.01, gravity=(0, 0, 0))
        >>> _ = sim.add_bodies(tetra, [[0, 0, 0]], abut.Material(), masses=2.0)
        >>> pull = sim.add_body_force(lambda s: [[4.0, 0, 0]])
        >>> sim.run(1.0)
        >>> sim.bodies.velocities.round(3)
        array([[2., 0., 0.]])
        """
        entry = partial(read_call(call))
        return self._enlist(self._sim._body_forces, call, entry, "add_body_force")

    def _outlines(self) -> tuple[Doubles, Doubles]:
        """Centers and radii of the circumscribed spheres of the bodies."""
        reaches = np.array([shape.circumradius for shape in self._sim.shapes])[self.shape]
        return self.centers, reaches * self.scales
