"""The clusters (clumps) of a simulation: rigid bodies made of spheres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Columns, Doubles, Indices, locked
from ..base.orientations import from_matrix, inverse, product, read_orientations, turned
from ..laws.materials import Material
from ..results.contacts import Contacts
from .cell_contents import check_fixed, resting
from .clusters import Cluster
from .column_input import (
    angular_momenta,
    check_still,
    cluster_columns,
    member_columns,
    read_mask,
    read_points,
    read_vectors,
)
from .columns import AssignedColumn, Column, ImagesColumn, MaskColumn, OrientationColumn
from .population import Population
from .python_side import changes

if TYPE_CHECKING:
    from ..options import Orientations


class ClusterPopulation(Population):
    """The clusters of a `Simulation`, in the order of addition.

    Positions are centers of mass. Angular momenta are about the centers of mass, with components
    along the axes of the world.
    """

    __slots__ = ()

    noun, nouns, kind = "cluster", "clusters", _core.CLUSTERS
    positions = AssignedColumn[np.float64]()
    orientations = OrientationColumn()
    velocities = AssignedColumn[np.float64]()
    angular_momenta = AssignedColumn[np.float64]()
    angular_velocities = Column[np.float64]("spins")
    masses = Column[np.float64]()
    fixed = MaskColumn()
    forces = Column[np.float64]()
    torques = Column[np.float64]()
    images = ImagesColumn()

    @property
    def numbers(self) -> Indices:
        """The clusters' lasting numbers, as `Simulation.add_clusters` returned them."""
        return self._sim._settled().clusters

    @property
    def contacts(self) -> Contacts:
        """Contacts of the clusters' members with walls at the beginning of the last step."""
        contacts = self._sim.contacts
        return contacts[self._sim.spheres.cluster[contacts.sphere] >= 0]

    @changes
    def add(
        self,
        cluster: Cluster,
        positions: ArrayLike,
        material: Material,
        orientations: Orientations | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        fixed: ArrayLike = False,
    ) -> Indices:
        """Add rigid bodies of the same shape, made of spheres.

        Parameters
        ----------
        cluster : Cluster
        positions : (c, 3) array_like
            Where the centers of mass are placed: the points `cluster.offset` of its frame.
        material : Material
            Material of all spheres. It needs a density unless the cluster's mass was given.
        orientations : (c, 4) array_like or scipy.spatial.transform.Rotation, optional
            Rotations from the cluster's frame to the world: quaternions x, y, z, w, of any length.
        velocities, angular_velocities : (c, 3) or (3,) array_like, optional
            By default 0, or those of a cell that deforms: see `deform_cell`.
        fixed : bool or (c,) array_like of bool, default False
            Whether the clusters are fixed: see `fixed`.

        Returns
        -------
        (c,) ndarray of intp
            Lasting numbers of the new clusters. Their spheres get ids, too.

        Raises
        ------
        ValueError
            If a number is not finite, a shape is wrong, the material has no density, or one of its
            laws has `RollingA`.
        TypeError
            If an argument is of another type.

        Warns
        -----
        SimulationWarning
            If a sphere is so large that it touches its own image.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> dumbbell = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
        >>> sim.add_clusters(dumbbell, [[0, 0, 0], [0, 0, 1]], abut.Material(1000, 1e7))
        array([0, 1])
        >>> sim.clusters.positions[1], len(sim.ids)
        (array([0., 0., 1.]), 4)
        """
        if not isinstance(cluster, Cluster):
            kind = checks.a_or_an(type(cluster).__name__)
            raise TypeError(f"cluster is {kind}, but must be a Cluster")
        places = read_points(positions, "positions")
        count = len(places)
        turns = read_orientations(orientations, count, "orientations")
        spins = read_vectors(angular_velocities, "angular_velocities", count)
        laws, number = self._sim._laws.numbered(material)
        bodies, spheres = self._columns(cluster, material, number, places, turns)
        bodies["velocities"] = self._velocities(velocities, places)
        momenta = angular_momenta(bodies["orientations"], bodies["inertias"], spins)
        bodies["angular_momenta"] = momenta
        bodies["fixed"] = read_mask(fixed, count)
        check_fixed(self._sim, bodies["fixed"], "positions[{}]", range(count))
        check_still(bodies, bodies["fixed"] != 0, "positions[{}]", range(count))
        return self._put(cluster, bodies, spheres, laws=laws)

    def _columns(
        self,
        cluster: Cluster,
        material: Material,
        number: int,
        positions: Doubles,
        turns: Doubles,
    ) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Columns of clusters at rest, and of their spheres."""
        self._sim._laws.check_clusters([number])
        principal = product(turns, from_matrix(cluster.axes))
        bodies = cluster_columns(cluster, material, positions, principal)
        bodies["velocities"] = resting(self._sim, positions)
        return bodies, member_columns(cluster, bodies, number)

    def _put(
        self,
        cluster: Cluster,
        bodies: dict[str, NDArray[Any]],
        spheres: dict[str, NDArray[Any]],
        **parts: Any,
    ) -> Indices:
        """Add clusters, replace `parts` of the record `Known`, and return the new numbers."""
        count = len(bodies["masses"])
        numbers = self._sim._settled().with_spheres(len(spheres["radii"]))
        numbers = numbers.with_clusters(count, from_matrix(cluster.axes))
        self._core.add(self.kind, bodies, spheres, self._sim._changed(numbers=numbers, **parts))
        self._sim.spheres._check_images()
        return numbers.clusters[len(numbers.clusters) - count :].copy()

    @changes
    def remove(self, numbers: ArrayLike, break_bonds: bool = False) -> None:
        """Remove clusters with all of their spheres.

        Parameters
        ----------
        numbers : (k,) array_like of int
            Numbers that `add_clusters` returned. Any other number raises a ValueError.
        break_bonds : bool, default False
            Whether to remove the bonds of these spheres. By default bonds raise a ValueError.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> dumbbell = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
        >>> numbers = sim.add_clusters(dumbbell, [[0, 0, 0], [0, 0, 1]], abut.Material(1000, 1e7))
        >>> sim.remove_clusters(numbers[:1])
        >>> sim.clusters.numbers, sim.ids
        (array([1]), array([2, 3]))
        """
        clusters, spheres = self._find(numbers), self._sim.spheres
        members = np.flatnonzero(np.isin(spheres.cluster, clusters))
        self._sim.bonds._check_free(members, break_bonds)
        spheres._remove(members, clusters)

    def _read(self, column: Column[Any]) -> NDArray[Any]:
        found = super()._read(column)
        if column.name != "orientations":
            return found
        # the library stores the orientations of the principal axes, not of the given frame
        return locked(product(found, inverse(self._sim._settled().frames)))

    def _assign(self, given: Columns) -> None:
        if "orientations" in given:
            turns = product(given["orientations"], self._sim._settled().frames)
            given = given | {"orientations": turns}
        fixed = given.pop("fixed", None)
        super()._assign(given)
        if fixed is not None and len(fixed):
            spheres = self._sim.spheres
            rows = spheres.cluster
            spheres._assign({"fixed": np.where(rows >= 0, fixed[rows], spheres.fixed)})

    def _spread(self, forces: Doubles, torques: Doubles) -> tuple[Doubles, Doubles]:
        """Move forces and torques from the center of mass of each cluster to its first sphere."""
        found = self._core.read(self.kind)
        counts, rows = found["member_counts"], self._sim.spheres.cluster
        arms = turned(found["turns"], found["members"][np.cumsum(counts) - counts])
        # rows of the clusters' first members: members are consecutive rows, in the clusters' order
        firsts = np.flatnonzero(rows >= 0)[np.cumsum(counts) - counts]
        both = np.zeros((2, len(rows), 3))
        both[:, firsts] = forces, torques - np.cross(arms, forces)
        return both[0], both[1]
