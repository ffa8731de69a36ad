"""The spheres of a simulation: they come, go, and are read and assigned by columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arrays import Doubles, Indices, locked
from ..laws.materials import Material
from .bodies import check_still, find, read_fixed, read_points, read_vectors, sphere_columns
from .bond_part import BondPart
from .columns import AssignedColumn, Column
from .known import changes


class SpherePart(BondPart):
    """What a `Simulation` does with spheres."""

    centers = AssignedColumn[np.float64]("centers")
    radii = AssignedColumn[np.float64]("radii")
    masses = AssignedColumn[np.float64]("masses")
    velocities = AssignedColumn[np.float64]("velocities")
    angular_velocities = AssignedColumn[np.float64]("spins")
    material = AssignedColumn[np.intp]("materials")
    forces = Column[np.float64]("forces")
    torques = Column[np.float64]("torques")
    images = Column[np.intp]("images")

    @changes
    def add_spheres(
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
            With a density.
        velocities, angular_velocities : (n, 3) or (3,) array_like, optional
            By default they are at rest.
        fixed : bool or (n,) array_like of bool, default False
            Whether they are held where they are: see `fixed`.

        Returns
        -------
        (n,) ndarray of intp
            Their ids: lasting numbers, none of which comes twice.

        Raises
        ------
        ValueError
            If a number is not finite, a radius not positive, a shape wrong, the material has no
            density, or one that is fixed has a velocity.
        TypeError
            If an argument is of another type.

        Warns
        -----
        SimulationWarning
            If a sphere is so large that it touches its own image. Overlaps are looked at in the
            next step: see `run`.

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
        laws, number = self._laws.numbered(material)
        columns = self._sphere_columns(points, sizes, material, number) | {
            "velocities": read_vectors(velocities, "velocities", len(points)),
            "spins": read_vectors(angular_velocities, "angular_velocities", len(points)),
            "fixed": read_fixed(fixed, len(points)),
        }
        for name, stored in (("velocities", "velocities"), ("angular_velocities", "spins")):
            rows = range(len(points))
            check_still(
                columns["fixed"], columns[stored], name, "centers", [f"[{k}]" for k in rows]
            )
        return self._put(columns, laws=laws)

    def _sphere_columns(
        self, centers: Doubles, radii: Doubles, material: Material, number: int
    ) -> dict[str, NDArray[Any]]:
        if material.density is None:
            raise ValueError(f"{material} has no density, but spheres need one")
        return sphere_columns(centers, radii, material.density, number)

    def _put(self, columns: dict[str, NDArray[Any]], **parts: Any) -> Indices:
        """Add spheres, and change these parts of what is known; their ids."""
        count = len(columns["radii"])
        numbers = self._settled().with_spheres(count)
        self._core.add(columns, self._changed(numbers=numbers, **parts))
        self._check_images()
        return numbers.ids[len(numbers.ids) - count :].copy()

    @changes
    def remove_spheres(self, ids: ArrayLike, break_bonds: bool = False) -> None:
        """Take spheres away.

        Parameters
        ----------
        ids : (k,) array_like of int
            As `add_spheres` returned them.
        break_bonds : bool, default False
            Whether their bonds go with them; these are no `breakages`.

        Raises
        ------
        ValueError
            If there is no such sphere, one is a member of a cluster (`remove_clusters` takes the
            whole), or has a bond, without `break_bonds`.
        TypeError
            If they are no integers.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> ids = sim.add_spheres([[0, 0, 0], [0, 0, 1]], 0.1, abut.Material(1000, 1e7))
        >>> sim.remove_spheres(sim.ids[sim.centers[:, 2] < 0.5])
        >>> sim.ids
        array([1])
        """
        numbers = self._settled()
        rows = find(numbers.ids, ids, "sphere", "ids", "sim.ids")
        if len(numbers.clusters):
            self._check_members(rows)
        self._check_bonds(rows, break_bonds)
        self._remove(rows, np.empty(0, np.intp))

    def _check_members(self, rows: Indices) -> None:
        """Complain of members of clusters among spheres that are to go."""
        clusters = self._core.read("clusters")[rows]
        members = np.flatnonzero(clusters >= 0)
        if len(members):
            numbers = self._settled()
            raise ValueError(
                f"sphere {numbers.ids[rows[members[0]]]} is a member of cluster"
                f" {numbers.clusters[clusters[members[0]]]}: remove_clusters takes the whole"
            )

    def _remove(self, rows: Indices, cluster_rows: Indices, **parts: Any) -> None:
        numbers = self._settled()
        is_gone = np.zeros(len(numbers.ids), np.uint8)
        is_gone[rows] = 1
        self._core.remove(
            is_gone, self._changed(numbers=numbers.without(rows, cluster_rows), **parts)
        )

    @property
    def fixed(self) -> NDArray[np.bool_]:
        return self._once("fixed", lambda: locked(self._core.read("fixed") != 0))

    @fixed.setter
    @changes
    def fixed(self, fixed: ArrayLike) -> None:
        mask = read_fixed(fixed, len(self.ids))
        clusters = self._core.read("clusters")
        members = np.flatnonzero(clusters >= 0)
        # of each member the first one of its cluster
        _, first, own = np.unique(clusters[members], return_index=True, return_inverse=True)
        others = np.flatnonzero(mask[members] != mask[members[first]][own])
        if len(others):
            row = members[others[0]]
            number = self._settled().clusters[clusters[row]]
            raise ValueError(
                f"fixed[{row}] is {bool(mask[row])}, but cluster {number} of sphere"
                f" {self.ids[row]} is held, or not, as a whole"
            )
        self._core.assign({"fixed": mask})

    def _assign(self, stored: str, array: NDArray[Any]) -> None:
        if stored in ("velocities", "spins"):
            name = "angular_velocities" if stored == "spins" else stored
            check_still(self._core.read("fixed"), array, name, "sphere ", self.ids)
        self._core.assign({stored: array})
        if stored == "radii":
            self._check_images()

    def _check_images(self) -> None:
        """Warn once of spheres that reach over a period."""
        lengths = [length for length in self._period or () if length is not None]
        if "image" in self._watch.said or not lengths:
            return
        large = np.flatnonzero(2.0 * self.radii > min(lengths))
        if len(large):
            self._watch.tell(
                "image",
                f"sphere {self.ids[large[0]]} is larger than a period, {min(lengths):g}, and"
                " touches its own image, which exerts nothing",
            )
