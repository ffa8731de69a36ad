"""Sums over the rows of a table for each sphere or body, such as of forces."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.periods import shifts_of
from .history import check_numbers

if TYPE_CHECKING:
    from .contacts import Contacts
    from .convex_contacts import ConvexContacts
    from .pairs import Pairs
    from .table import Table


def contact_sum(contacts: Contacts, values: ArrayLike) -> Doubles:
    """Compute the result of `Contacts.sum`."""
    rows = read_values(values, "values", len(contacts))
    count = len(contacts.offsets) - 1
    spheres = numbers_of(contacts, "sphere", count)
    return by_column(partial(add_up, count, spheres), count, rows)


def pair_sum(
    pairs: Pairs, on_i: ArrayLike, on_j: ArrayLike | None
) -> Doubles | tuple[Doubles, Doubles]:
    """Compute the result of `Pairs.sum`."""
    rows = read_values(on_i, "on_i", len(pairs))
    opposite = _opposite(on_j, rows)
    count = len(pairs.offsets) - 1
    other_count = count if pairs.other_count is None else pairs.other_count
    i, j = numbers_of(pairs, "i", count), numbers_of(pairs, "j", other_count)
    if pairs.other_count is None:
        return _sum_both(i, j, count, rows, opposite)
    return (
        by_column(partial(add_up, count, i), count, rows),
        by_column(partial(add_up, other_count, j), other_count, opposite),
    )


def convex_sum(contacts: ConvexContacts, on_i: ArrayLike, on_j: ArrayLike | None) -> Doubles:
    """Compute the result of `ConvexContacts.sum`."""
    rows = read_values(on_i, "on_i", len(contacts))
    if contacts.j is None and on_j is not None:
        raise ValueError("on_j is given, but there is no j: the contacts are with walls")
    return _body_sums(contacts, np.arange(len(rows)), rows, _opposite(on_j, rows))


def spot_loads(
    contacts: ConvexContacts, forces: ArrayLike, positions: ArrayLike
) -> tuple[Doubles, Doubles]:
    """Compute the result of `ConvexContacts.loads`."""
    dimension = contacts.point.shape[1:]
    count, rows, spot = contacts.body_count, contacts.spot_row, contacts.spot
    centers = checks.points_each(positions, "positions", count, "body", "bodies", dimension)
    pushes = checks.points_each(forces, "forces", len(rows), "spot", None, dimension)
    assert spot is not None
    on_i = np.column_stack([pushes, _torque(spot - centers[contacts.i[rows]], pushes)])
    on_j = on_i  # not used with walls
    if contacts.j is not None:
        shifts = shifts_of(contacts.image, contacts.period)[rows]
        arms = spot - centers[contacts.j[rows]] - shifts
        on_j = np.column_stack([-pushes, _torque(arms, -pushes)])
    loads = _body_sums(contacts, rows, on_i, on_j)
    torques = loads[:, dimension[0] :]
    return loads[:, : dimension[0]].copy(), (torques[:, 0] if dimension == (2,) else torques).copy()


def _torque(arms: Doubles, forces: Doubles) -> Doubles:
    if arms.shape[1] == 3:
        return np.cross(arms, forces)
    return (arms[:, :1] * forces[:, 1:] - arms[:, 1:] * forces[:, :1]).copy()


def _body_sums(contacts: ConvexContacts, rows: Indices, on_i: Doubles, on_j: Doubles) -> Doubles:
    """Return, for each body, the sum of the values of contacts; `rows` has each value's contact."""
    count = contacts.body_count
    i = numbers_of(contacts, "i", count)[rows]
    if contacts.j is None:
        return by_column(partial(add_up, count, i), count, on_i)
    return _sum_both(i, numbers_of(contacts, "j", count)[rows], count, on_i, on_j)


def read_values(values: ArrayLike, name: str, count: int) -> Doubles:
    """Read an array with one number, or k numbers, for each of `count` rows."""
    array = checks.doubles(values, name)
    if array.ndim not in (1, 2) or len(array) != count:
        raise ValueError(f"{name} has shape {array.shape}, but must be ({count},) or ({count}, k)")
    return array


def _opposite(on_j: ArrayLike | None, on_i: Doubles) -> Doubles:
    """Read the values for j; by default they are -on_i."""
    if on_j is None:
        return -on_i
    array = read_values(on_j, "on_j", len(on_i))
    if array.shape != on_i.shape:
        raise ValueError(f"on_j has shape {array.shape}, but on_i has {on_i.shape}")
    return array


def numbers_of(table: Table, name: str, count: int) -> Indices:
    """Return a column of sphere numbers; raise if they are not 0 to count - 1."""
    numbers: Indices = getattr(table, name)
    if len(numbers) != len(table):
        raise ValueError(f"{name} has {len(numbers)} rows, but overlap has {len(table)}")
    check_numbers(numbers, count, name)
    return numbers


def _sum_both(i: Indices, j: Indices, count: int, on_i: Doubles, on_j: Doubles) -> Doubles:
    def both(on_i: Doubles, on_j: Doubles) -> Doubles:
        return add_up(count, i, on_i) + add_up(count, j, on_j)

    return by_column(both, count, on_i, on_j)


def by_column(reduce: Callable[..., Doubles], count: int, *values: Doubles) -> Doubles:
    """Apply `reduce` to each column of the values; it returns one number for each of `count` items.

    Reducing all columns together would need more new memory, which takes longer than the sums.
    """
    if values[0].ndim == 1:
        return reduce(*values)
    sums = np.empty((count, values[0].shape[1]))
    for k in range(sums.shape[1]):
        sums[:, k] = reduce(*(np.ascontiguousarray(array[:, k]) for array in values))
    return sums


def add_up(count: int, numbers: Indices, column: Doubles) -> Doubles:
    """Return the sum of each sphere's rows, added in their order: each run gives the same bits."""
    # NumPy annotates the result as integers, but with weights bincount returns floats.
    sums: Doubles = np.bincount(numbers, column, count)  # type: ignore[assignment]
    # Without rows bincount returns integers.
    return sums.astype(np.float64, copy=False)
