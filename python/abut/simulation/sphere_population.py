"""The spheres of a simulation: how they are added, removed, read and assigned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Columns, Doubles, Indices
from ..base.periods import shortest_period
from ..laws.materials import Material
from ..results.contacts import Contacts
from .cell_contents import check_fixed, resting
from .column_input import check_still, find, read_mask, read_points, read_vectors, sphere_columns
from .columns import AssignedColumn, Column, ImagesColumn, MaskColumn
from .handle import Handle
from .population import Population, read_call
from .python_side import changes

if TYPE_CHECKING:
    from .simulation import Simulation


class SpherePopulation(Population):
    """The spheres of a `Simulation`, including members of clusters."""

    __slots__ = ()

    noun, nouns, kind = "sphere", "spheres", _core.SPHERES
    centers = AssignedColumn[np.float64]()
    radii = AssignedColumn[np.float64]()
    masses = AssignedColumn[np.float64]()
    velocities = AssignedColumn[np.float64]()
    angular_velocities = AssignedColumn[np.float64]("spins")
    material = AssignedColumn[np.intp]("materials")
    fixed = MaskColumn()
    forces = Column[np.float64]()
    torques = Column[np.float64]()
    images = ImagesColumn()
    # for each sphere the row of its cluster; -1 if it is in no cluster
    cluster = Column[np.intp]("clusters")

    @property
    def numbers(self) -> Indices:
        """The ids of the spheres."""
        return self._sim.ids

    @property
    def contacts(self) -> Contacts:
        """Contacts with walls at the beginning of the last step; `pairs` has pairs of spheres."""
        return self._sim.contacts

    @changes
    def add(
        self,
        centers: ArrayLike,
        radii: ArrayLike,
        material: Material,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        fixed: ArrayLike = False,
    ) -> Indices:
        """Add spheres.

        Parameters
        ----------
        centers : (n, 3) array_like
        radii : (n,) array_like or float
        material : Material
            It needs a density.
        velocities, angular_velocities : (n, 3) or (3,) array_like, optional
            By default 0, or those of a cell that deforms: see `deform_cell`.
        fixed : bool or (n,) array_like of bool, default False
            Whether the spheres are fixed: see `fixed`.

        Returns
        -------
        (n,) ndarray of intp
            Ids of the new spheres: lasting numbers, which are never used again.

        Raises
        ------
        ValueError
            If a number is not finite, a radius is not positive, a shape is wrong, the material has
            no density, or a fixed sphere has a velocity.
        TypeError
            If an argument is of another type.

        Warns
        -----
        SimulationWarning
            If a sphere is so large that it touches its own image. Overlaps are checked in the next
            step: see `run`.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> grain = abut.Material(density=1000, young=1e7)
        >>> sim.add_spheres([[0, 0, 0], [0, 0, 1]], [0.1, 0.2], grain)
        array([0, 1])
        >>> sim.masses.round(2)
        array([ 4.19, 33.51])
        """
        points = read_points(centers, "centers")
        sizes = checks.lengths(radii, "radii", len(points), "center")
        laws, number = self._sim._laws.numbered(material)
        columns = self._columns(points, sizes, material, number) | {
            "velocities": self._velocities(velocities, points),
            "spins": read_vectors(angular_velocities, "angular_velocities", len(points)),
            "fixed": read_mask(fixed, len(points)),
        }
        check_fixed(self._sim, columns["fixed"], "centers[{}]", range(len(points)))
        check_still(columns, columns["fixed"] != 0, "centers[{}]", range(len(points)))
        return self._put(columns, laws=laws)

    def _columns(
        self, centers: Doubles, radii: Doubles, material: Material, number: int
    ) -> dict[str, NDArray[Any]]:
        if material.density is None:
            raise ValueError(
                f"{material} has no density, but spheres need one: Material(density=...)"
            )
        columns = sphere_columns(centers, radii, material.density, number)
        return columns | {"velocities": resting(self._sim, centers)}

    def _put(self, columns: dict[str, NDArray[Any]], **parts: Any) -> Indices:
        """Add spheres, replace `parts` of the record `Known`, and return the new ids."""
        count = len(columns["radii"])
        numbers = self._sim._settled().with_spheres(count)
        self._core.add(self.kind, columns, {}, self._sim._changed(numbers=numbers, **parts))
        self._check_images()
        return numbers.ids[len(numbers.ids) - count :].copy()

    @changes
    def remove(self, ids: ArrayLike, break_bonds: bool = False) -> None:
        """Remove spheres.

        Parameters
        ----------
        ids : (k,) array_like of int
            Ids that `add_spheres` returned.
        break_bonds : bool, default False
            Whether to remove the bonds of these spheres, which do not count as `breakages`.

        Raises
        ------
        ValueError
            If a sphere does not exist, is a member of a cluster (use `remove_clusters`), or has a
            bond and `break_bonds` is False.
        TypeError
            If the ids are not integers.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> ids = sim.add_spheres([[0, 0, 0], [0, 0, 1]], 0.1, abut.Material(1000, 1e7))
        >>> sim.remove_spheres(sim.ids[sim.centers[:, 2] < 0.5])
        >>> sim.ids
        array([1])
        """
        numbers = self._sim._settled()
        rows = find(numbers.ids, ids, "sphere", "ids", "sim.ids")
        if len(numbers.clusters):
            self._check_members(rows)
        self._sim.bonds._check_free(rows, break_bonds)
        self._remove(rows, np.empty(0, np.intp))

    def _check_members(self, rows: Indices) -> None:
        """Raise a ValueError for the first of these spheres that is a member of a cluster."""
        clusters = self.cluster[rows]
        members = np.flatnonzero(clusters >= 0)
        if len(members):
            numbers = self._sim._settled()
            raise ValueError(
                f"sphere {numbers.ids[rows[members[0]]]} is a member of cluster"
                f" {numbers.clusters[clusters[members[0]]]}: use remove_clusters"
            )

    def _remove(self, rows: Indices, cluster_rows: Indices, **parts: Any) -> None:
        numbers = self._sim._settled()
        then = self._sim._changed(numbers=numbers.without(rows, cluster_rows), **parts)
        self._core.remove(self.kind, self._marks(rows), then)

    def _check_images(self) -> None:
        """Warn once if a sphere is larger than a period."""
        if self._sim._period is None or "image" in self._sim._watch.warned:
            return
        shortest = shortest_period(self._sim.period)
        if shortest == np.inf:
            return
        large = np.flatnonzero(2.0 * self.radii > shortest)
        if len(large):
            self._sim._watch.warn_once(
                "image",
                f"sphere {self.numbers[large[0]]} is larger than a period, {shortest:g}, and"
                " touches its own image, which exerts nothing",
            )

    def add_force(self, call: Callable[[Simulation], Any]) -> Handle:
        """Add forces of your own, such as drag or a field.

        Parameters
        ----------
        call : callable
            Takes the simulation at the beginning of each step. It returns forces (n, 3), or a tuple
            (forces, torques). Forces of several callables are added.

        Returns
        -------
        Handle
            Its `remove()` ends the calls.

        Raises
        ------
        TypeError
            If `call` is not callable.

        Notes
        -----
        If a shape is wrong or a value is NaN, the error of `run` names the callable. `run` passes
        on an error that the callable raises. The simulation is then at the end of a step, and can
        continue. With a callable each step returns to Python, which takes some microseconds and
        the time of the callable.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.01, gravity=(0, 0, 0))
        >>> _ = sim.add_spheres([[0, 0, 0]], 0.1, abut.Material(density=1000))
        >>> wind = sim.add_force(lambda s: -4.0 * s.velocities + [8.0, 0, 0])
        >>> sim.run(20.0)
        >>> sim.velocities.round(3)
        array([[2., 0., 0.]])
        """
        with self._core.lock(False):
            # an object of its own, because a callable may be added twice
            entry = partial(read_call(call))
            return self._enlist(self._sim._forces, call, entry, "add_force")

    def _assign(self, given: Columns) -> None:
        fixed = given.get("fixed")
        if fixed is not None:
            self._check_fixed(fixed)
        super()._assign(given)
        if "radii" in given:
            self._check_images()

    def _check_fixed(self, mask: Indices) -> None:
        """Raise a ValueError if members of one cluster have different values."""
        members = np.flatnonzero(self.cluster >= 0)
        # first: the places in `members` of the clusters' first members; own: each member's cluster
        _, first, own = np.unique(self.cluster[members], return_index=True, return_inverse=True)
        others = np.flatnonzero(mask[members] != mask[members[first]][own])
        if len(others):
            row = members[others[0]]
            number = self._sim._settled().clusters[self.cluster[row]]
            raise ValueError(
                f"fixed[{row}] is {bool(mask[row])}, but sphere {self.numbers[row]} is a member of"
                f" cluster {number}: all members need the same value"
            )
