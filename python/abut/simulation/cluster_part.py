"""The clusters of a simulation: rigid bodies of spheres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices, locked
from ..base.orientations import from_matrix, inverse, product, read_orientations
from ..laws.materials import Material
from .bodies import (
    angular_momenta,
    changed,
    check_clusters_still,
    cluster_columns,
    find,
    member_columns,
    read_fixed,
    read_points,
    read_vectors,
)
from .clusters import Cluster
from .known import changes
from .sphere_part import SpherePart

if TYPE_CHECKING:
    from ..options import Orientations


class Clusters(NamedTuple):
    """The clusters of a simulation, in the order in which they came."""

    numbers: Indices  # (c,): lasting, as `add_clusters` returned them
    positions: Doubles  # (c, 3): of the centers of mass
    orientations: Doubles  # (c, 4): quaternions x, y, z, w, from a cluster's frame to the world
    velocities: Doubles  # (c, 3)
    angular_momenta: Doubles  # (c, 3): about the center of mass, in the world


class ClusterPart(SpherePart):
    """What a `Simulation` does with clusters."""

    @changes
    def add_clusters(
        self,
        cluster: Cluster,
        positions: ArrayLike,
        material: Material,
        orientations: Orientations | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
        fixed: ArrayLike = False,
    ) -> Indices:
        """Add rigid bodies that are all alike.

        Parameters
        ----------
        cluster : Cluster
        positions : (c, 3) array_like
            Of their centers of mass: of the union of the spheres, or the origin of the cluster's
            frame where its mass was given.
        material : Material
            Of all spheres; with a density, but for a cluster whose mass was given.
        orientations : (c, 4) array_like or scipy.spatial.transform.Rotation, optional
            From the cluster's frame to the world: quaternions x, y, z, w, normalized here.
        velocities, angular_velocities : (c, 3) or (3,) array_like, optional
            By default they are at rest.
        fixed : bool or (c,) array_like of bool, default False
            Whether they are held where they are: see `fixed`.

        Returns
        -------
        (c,) ndarray of intp
            Their numbers, which last. Their spheres have ids, too.

        Raises
        ------
        ValueError
            If a number is not finite, a shape wrong, the material has no density, or one of its
            laws has `RollingA`.
        TypeError
            If an argument is of another type.

        Warns
        -----
        SimulationWarning
            As `add_spheres`.

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
        laws, number = self._laws.numbered(material)
        bodies, spheres = self._cluster_columns(cluster, material, number, places, turns)
        bodies["velocities"] = read_vectors(velocities, "velocities", count)
        momenta = angular_momenta(bodies["orientations"], bodies["inertias"], spins)
        bodies["angular_momenta"] = momenta
        bodies["fixed"] = read_fixed(fixed, count)
        check_clusters_still(bodies, range(count), "positions")
        return self._put_clusters(cluster, bodies, spheres, laws=laws)

    def _cluster_columns(
        self,
        cluster: Cluster,
        material: Material,
        number: int,
        positions: Doubles,
        turns: Doubles,
    ) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Clusters at rest, and their spheres."""
        self._laws.check_clusters([number])
        principal = product(turns, from_matrix(cluster.axes))
        bodies = cluster_columns(cluster, material, positions, principal)
        return bodies, member_columns(cluster, bodies, number)

    def _put_clusters(
        self,
        cluster: Cluster,
        bodies: dict[str, NDArray[Any]],
        spheres: dict[str, NDArray[Any]],
        **parts: Any,
    ) -> Indices:
        """Add clusters, and change these parts of what is known; their numbers."""
        count = len(bodies["masses"])
        numbers = self._settled().with_spheres(len(spheres["radii"]))
        numbers = numbers.with_clusters(count, from_matrix(cluster.axes))
        self._core.add_rigids(
            _core.CLUSTERS, bodies, spheres, self._changed(numbers=numbers, **parts)
        )
        self._check_images()
        return numbers.clusters[len(numbers.clusters) - count :].copy()

    @changes
    def remove_clusters(self, numbers: ArrayLike, break_bonds: bool = False) -> None:
        """Take clusters away, with all of their spheres.

        Parameters
        ----------
        numbers : (k,) array_like of int
            As `add_clusters` returned them; others are errors, as for `remove_spheres`.
        break_bonds : bool, default False
            As of `remove_spheres`.

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
        known = self._settled().clusters
        clusters = find(known, numbers, "cluster", "numbers", "sim.clusters.numbers")
        members = np.flatnonzero(np.isin(self._core.read("clusters"), clusters))
        self._check_bonds(members, break_bonds)
        self._remove(members, clusters)

    @property
    def clusters(self) -> Clusters:
        return self._once("clusters", self._read_clusters)

    @clusters.setter
    @changes
    def clusters(self, clusters: Clusters) -> None:
        numbers, positions, turns, velocities, momenta = clusters
        known = self._settled()
        if not np.array_equal(numbers, known.clusters):
            raise ValueError("clusters are assigned whole: numbers must be those of now")
        count, now = len(known.clusters), self._core.rigids(_core.CLUSTERS)
        users = read_orientations(turns, count, "orientations")
        given = {
            "positions": read_vectors(positions, "positions", count),
            "orientations": product(users, known.frames),
            "velocities": read_vectors(velocities, "velocities", count),
            "angular_momenta": read_vectors(momenta, "angular_momenta", count),
            "fixed": now["fixed"],
        }
        check_clusters_still(given, known.clusters, "cluster")
        self._core.assign_rigids(_core.CLUSTERS, changed(given, now))

    def _read_clusters(self) -> Clusters:
        found, known = self._core.rigids(_core.CLUSTERS), self._settled()
        turns = locked(product(found["orientations"], inverse(known.frames)))
        return Clusters(
            known.clusters,
            found["positions"],
            turns,
            found["velocities"],
            found["angular_momenta"],
        )
