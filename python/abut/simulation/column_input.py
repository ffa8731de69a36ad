"""Columns of spheres and clusters: arguments are checked and converted to library arrays."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arrays import Columns, Doubles, Indices, locked
from ..base.orientations import inverse, turned
from ..laws.materials import Material
from .clusters import Cluster

# names of the columns with contact history: the next step needs them, users do not see them
HISTORY = ("moment", "spring", "roll")


class Numbers(NamedTuple):
    """Lasting numbers of spheres, clusters and bodies, in the order in which they were added.

    A lasting number is never given to another particle. The next new sphere gets `next_id`.
    """

    ids: Indices = np.empty(0, np.intp)  # numbers of the spheres
    clusters: Indices = np.empty(0, np.intp)
    # quaternions from each cluster's principal axes to the frame in which it was given
    frames: Doubles = np.empty((0, 4))
    next_id: int = 0
    next_cluster: int = 0
    bodies: Indices = np.empty(0, np.intp)
    next_body: int = 0

    def with_spheres(self, count: int) -> Numbers:
        """The numbers after `count` spheres were added."""
        end = self.next_id + count
        ids = locked(np.concatenate([self.ids, np.arange(self.next_id, end)]))
        return self._replace(ids=ids, next_id=end)

    def with_clusters(self, count: int, frame: Doubles) -> Numbers:
        """The numbers after `count` clusters were added, each with this row of `frames`."""
        end = self.next_cluster + count
        clusters = locked(np.concatenate([self.clusters, np.arange(self.next_cluster, end)]))
        frames = np.concatenate([self.frames, np.tile(frame, (count, 1))])
        return self._replace(clusters=clusters, frames=frames, next_cluster=end)

    def with_bodies(self, count: int) -> Numbers:
        """The numbers after `count` bodies were added."""
        end = self.next_body + count
        bodies = locked(np.concatenate([self.bodies, np.arange(self.next_body, end)]))
        return self._replace(bodies=bodies, next_body=end)

    def without_bodies(self, rows: Indices) -> Numbers:
        """The numbers after these rows of bodies were removed."""
        return self._replace(bodies=locked(np.delete(self.bodies, rows)))

    def without(self, rows: Indices, cluster_rows: Indices) -> Numbers:
        """The numbers after these rows of spheres and clusters were removed."""
        return self._replace(
            ids=locked(np.delete(self.ids, rows)),
            clusters=locked(np.delete(self.clusters, cluster_rows)),
            frames=np.delete(self.frames, cluster_rows, axis=0),
        )


def find(numbers: Indices, wanted: ArrayLike, what: str, named: str, source: str) -> Indices:
    """The rows of the `wanted` numbers in `numbers`, an ascending array.

    For error messages, `what` is the noun of an item, `named` the name of the argument, and
    `source` the attribute that lists all valid numbers.
    """
    array = checks.as_array(wanted, named)
    if array.dtype.kind == "b":
        raise TypeError(f"{named} is a mask, but must be integers: give {source}[mask]")
    given = np.atleast_1d(checks.indices(array, named))
    if given.ndim != 1:
        raise ValueError(f"{named} has shape {given.shape}, but must be (k,)")
    rows = np.searchsorted(numbers, given)
    there = rows < len(numbers)
    there[there] = numbers[rows[there]] == given[there]
    if not there.all():
        raise ValueError(f"there is no {what} {given[np.argmin(there)]}: {source} has all of them")
    return rows


# ---- arguments -----------------------------------------------------------------------------------


def read_points(value: Any, name: str) -> Doubles:
    """Read (n, 3) coordinates. For (n, 2) the error names the three axes of a simulation."""
    array = checks.doubles(value, name)
    if array.ndim == 2 and array.shape[1] == 2:
        raise ValueError(f"{name} has shape {array.shape}, but a Simulation is three-dimensional")
    return checks.points(array, name)


def read_vectors(value: Any, name: str, count: int) -> Doubles:
    """Read vectors as (count, 3): a vector for each item, or one for all; zeros by default."""
    array = checks.doubles((0.0, 0.0, 0.0) if value is None else value, name)
    if array.shape not in ((3,), (count, 3)):
        raise ValueError(f"{name} has shape {array.shape}, but must be ({count}, 3)")
    vectors = np.array(np.broadcast_to(array, (count, 3)), order="C")
    check_finite(vectors, name)
    return vectors


def read_forces(returned: Any, count: int, what: str) -> tuple[Doubles, Doubles]:
    """Forces and torques (count, 3) that a callable returned; torques are zero by default."""
    both = isinstance(returned, tuple) and len(returned) == 2
    forces, torques = returned if both else (returned, np.zeros((count, 3)))
    return (
        _read_force(forces, f"the force array of {what}", count),
        _read_force(torques, f"the torque array of {what}", count),
    )


def _read_force(value: Any, name: str, count: int) -> Doubles:
    array = checks.doubles(value, name)
    if array.shape != (count, 3):
        raise ValueError(f"{name} has shape {array.shape}, but must be ({count}, 3)")
    check_finite(array, name)
    return array


def check_finite(vectors: Doubles, name: str) -> None:
    """Raise a ValueError that names the first entry that is not finite."""
    wrong = np.argwhere(~np.isfinite(vectors))
    if len(wrong):
        row, axis = wrong[0]
        raise ValueError(f"{name}[{row}, {axis}] is {vectors[row, axis]}, but must be finite")


# ---- columns -------------------------------------------------------------------------------------


def sphere_columns(centers: Doubles, radii: Doubles, density: float, material: int) -> Columns:
    """Columns of spheres at rest that belong to no cluster."""
    count = len(centers)
    return {
        "centers": centers,
        "radii": radii,
        "masses": density * (4.0 / 3.0 * math.pi) * (radii * radii * radii),
        "velocities": np.zeros((count, 3)),
        "spins": np.zeros((count, 3)),
        "materials": np.full(count, material, np.intp),
        "fixed": np.zeros(count, np.intp),
    }


def cluster_columns(
    cluster: Cluster, material: Material, positions: Doubles, turns: Doubles
) -> Columns:
    """Columns of clusters at rest; `turns` rotate from the principal axes to the world."""
    count, members = len(positions), len(cluster.radii)
    return {
        "positions": positions,
        "orientations": turns,
        "velocities": np.zeros((count, 3)),
        "angular_momenta": np.zeros((count, 3)),
        "masses": np.full(count, cluster.mass_for(material.density)),
        "inertias": np.tile(cluster.inertia_for(material.density), (count, 1)),
        "fixed": np.zeros(count, np.intp),
        "member_counts": np.full(count, members, np.intp),
        "members": np.tile(cluster.members, (count, 1)),
    }


def read_mask(value: ArrayLike, count: int, name: str = "fixed") -> Indices:
    """Read `count` truth values, or one for all, as 0 and 1."""
    mask = np.asarray(value)
    if mask.dtype != bool:
        raise TypeError(
            f"{name} has dtype {mask.dtype}, but must be True, False or an array of these"
        )
    if mask.shape not in ((), (count,)):
        raise ValueError(f"{name} has shape {mask.shape}, but must be one value or ({count},)")
    return np.broadcast_to(mask, count).astype(np.intp)


# columns that must be 0 for fixed particles, and their public names
_MOVES = {
    "velocities": "velocities",
    "spins": "angular_velocities",
    "angular_momenta": "angular_momenta",
}


def check_still(columns: Columns, fixed: NDArray[Any], item: str, numbers: Any) -> None:
    """Raise a ValueError for the first fixed particle that has a velocity."""
    for stored, name in _MOVES.items():
        vectors = columns.get(stored, np.zeros((len(fixed), 3)))
        moving = np.flatnonzero(fixed & (vectors != 0).any(axis=1))
        if len(moving):
            k = int(moving[0])
            raise ValueError(
                f"{name}[{k}] is {vectors[k]}, but {item.format(numbers[k])} is fixed and cannot"
                " move: give it 0, or do not fix it"
            )


def angular_momenta(turns: Doubles, inertias: Doubles, spins: Doubles) -> Doubles:
    """Angular momenta R I R^T w of bodies with angular velocities w.

    `turns` (R) rotate from the principal axes to the world; `inertias` (I) are principal moments.
    """
    return turned(turns, inertias * turned(inverse(turns), spins))


def member_columns(cluster: Cluster, clusters: Columns, material: int) -> Columns:
    """Columns of the clusters' spheres; the library computes their velocities."""
    count, members = len(clusters["masses"]), len(cluster.radii)
    arms = turned(np.repeat(clusters["orientations"], members, axis=0), clusters["members"])
    centers = np.repeat(clusters["positions"], members, axis=0) + arms
    masses = np.repeat(clusters["masses"] / members, members)
    radii = np.tile(cluster.radii, count)
    return sphere_columns(centers, radii, 1.0, material) | {"masses": masses}


def table_columns(columns: Columns) -> Columns:
    """A table's columns, read-only, without contact history."""
    return {name: locked(column) for name, column in columns.items() if name not in HISTORY}
