"""Means over the rows of a table: fabric, stress, and the coordination number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arrays import Doubles
from .sums import numbers_of

if TYPE_CHECKING:
    from .contact_table import ContactTable
    from .contacts import Contacts
    from .pairs import Pairs


def products(first: Doubles, second: Doubles) -> Doubles:
    """Sum the outer products a b^T over all rows a of `first` and b of `second`."""
    # sums in a fixed order, because the last bit of a matrix product depends on the machine
    return np.array([[(a * b).sum() for b in second.T] for a in first.T])


def fabric(table: ContactTable, weights: ArrayLike | None) -> Doubles:
    """Compute the result of `ContactTable.fabric`."""
    normals = table.normal
    given = np.ones(len(normals)) if weights is None else _read_weights(weights, len(normals))
    with np.errstate(invalid="ignore"):
        return products(given[:, None] * normals, normals) / given.sum()


def _read_weights(weights: ArrayLike, count: int) -> Doubles:
    given = checks.shaped(checks.doubles(weights, "weights"), "weights", (count,))
    is_valid = (given >= 0.0) & (given < np.inf)
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        raise ValueError(f"weights[{row}] is {given[row]}, but must be 0 or positive, and finite")
    return given


# ---- stress --------------------------------------------------------------------------------------


def pair_stress(pairs: Pairs, forces: ArrayLike, volume: float) -> Doubles:
    """Compute the result of `Pairs.stress`."""
    return products(branches(pairs), read_forces(pairs, forces)) / checks.positive(volume, "volume")


def branches(pairs: Pairs) -> Doubles:
    """The vectors from the center of j, at the pair's image, to the center of i, (m, d)."""
    return (pairs.radius_i + pairs.radius_j - pairs.overlap)[:, None] * pairs.normal


def contact_virial(
    contacts: Contacts, forces: ArrayLike, centers: ArrayLike, volume: float
) -> Doubles:
    """Compute the result of `Contacts.virial`."""
    count = len(contacts.offsets) - 1
    spheres = numbers_of(contacts, "sphere", count)
    places = checks.points_each(centers, "centers", count, "sphere")[spheres]
    pushes = read_forces(contacts, forces)
    return products(places - contacts.point, pushes) / checks.positive(volume, "volume")


def read_forces(table: ContactTable, forces: ArrayLike) -> Doubles:
    """Read a finite force for each row of a table."""
    dimension = table.normal.shape[1:]
    found = checks.points_each(forces, "forces", len(table), table._row, dimensions=dimension)
    checks.all_finite(found, "forces")
    return found


# ---- coordination number -------------------------------------------------------------------------


def coordination(pairs: Pairs, walls: Contacts | None, rattlers: bool) -> float:
    """Compute the result of `Pairs.coordination`."""
    count = len(pairs.offsets) - 1
    touches = pairs.overlap >= 0.0
    counts = np.bincount(numbers_of(pairs, "i", count)[touches], minlength=count)
    if pairs.other_count is None:
        counts += np.bincount(numbers_of(pairs, "j", count)[touches], minlength=count)
    if walls is not None:
        counts += _wall_counts(walls, count)
    return mean_count(counts, rattlers)


def _wall_counts(walls: Contacts, count: int) -> NDArray[np.intp]:
    if not hasattr(walls, "facet"):
        raise TypeError(f"walls is {checks.a_or_an(type(walls).__name__)}, but must be Contacts")
    if len(walls.offsets) - 1 != count:
        spheres = checks.counted(len(walls.offsets) - 1, "sphere")
        raise ValueError(f"walls has contacts of {spheres}, but the pairs are of {count}")
    return np.bincount(numbers_of(walls, "sphere", count)[walls.overlap >= 0.0], minlength=count)


def mean_count(counts: NDArray[np.intp], rattlers: bool) -> float:
    """The mean number of contacts of grains; without rattlers, of those with at least two."""
    if not rattlers:
        counts = counts[counts >= 2]
    return float(counts.mean()) if len(counts) else float("nan")
