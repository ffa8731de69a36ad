"""Contact history: finds the row of the step before that each row continues, and its vectors.

The library matches contacts of spheres with meshes by their points and normals. It matches all
other rows by their two partners, here and in `ConvexFinder.find` with ``before``. For the library,
a body and a wall are a pair with an other, and the facets of the wall are its images.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.periods import text_of
from ..base.threads import worker_count

if TYPE_CHECKING:
    from .contact_table import ContactTable
    from .convex_contacts import ConvexContacts

# The ids of the spheres now, and in the step before. For pairs with others, each of the two is a
# tuple: ids of the spheres, ids of the others.
Ids = tuple[Any, Any]

# If the range of the ids is at most this many times their number, they are looked up in a table,
# which takes a tenth of the time of sorting.
_TABLE_SLOTS = 4

# The cosine of 60 degrees. If the normals of two facets differ by more than this angle, spots do
# not slide from one to the other.
TURNED = 0.5


class _Steps(NamedTuple):
    """Two tables that fit together, and their columns for the library.

    earlier: two arrays, for the spheres or bodies and for the others. Each has their numbers in the
    step before, or -1, or is None if these are the same.
    """

    now: Any
    before: Any
    columns: tuple[Any, Any]
    earlier: tuple[Indices | None, Indices | None]
    threads: int


class _Old(NamedTuple):
    """The row of the step before that each row continues, or -1, and whether i, j are swapped."""

    rows: Indices
    is_swapped: NDArray[np.bool_]


def match(now: ContactTable, before: ContactTable, ids: Ids, workers: int | None) -> Indices:
    """Compute the result of `ContactTable.match`."""
    return _match(_read_steps(now, before, ids, workers))


def carry(
    tangent: ArrayLike | None,
    now: ContactTable,
    before: ContactTable,
    rows: ArrayLike | None,
    ids: Ids,
    workers: int | None,
) -> Doubles:
    """Compute the result of `ContactTable.carry`."""
    steps = _read_steps(now, before, ids, workers, is_matched=rows is not None)
    vectors = _read_tangent(tangent, before, len(before), now._row)
    if now._counted == "body":
        old = _read_old(rows, steps).rows
    else:
        old = _match(steps) if rows is None else _read_match(rows, now)
    if now._has_partners:
        return _core.carry_pairs(*steps.columns, *steps.earlier, old, vectors, steps.threads)
    return _core.carry(*steps.columns, old, vectors, steps.threads)


def match_spots(
    now: ConvexContacts,
    before: ConvexContacts,
    rows: ArrayLike | None,
    ids: Ids,
    workers: int | None,
) -> Indices:
    """Compute the result of `ConvexContacts.match_spots`."""
    steps = _read_steps(now, before, ids, workers)
    return _match_spots(_read_old(rows, steps), steps)


def carry_spots(
    tangent: ArrayLike | None,
    now: ConvexContacts,
    before: ConvexContacts,
    rows: ArrayLike | None,
    ids: Ids,
    workers: int | None,
) -> Doubles:
    """Compute the result of `ConvexContacts.carry_spots`."""
    steps = _read_steps(now, before, ids, workers)
    vectors = _read_tangent(tangent, before, before._spots()[-1], "spot")
    old = _read_old(rows, steps)
    spots = _match_spots(old, steps)
    # On walls, a spot may continue a spot on another facet, which is in a row of its own.
    old_rows = np.append(before.spot_row, -1)[spots]
    is_swapped = old.is_swapped[now.spot_row]
    return _turned(_gathered(vectors, spots), now.spot_row, old_rows, is_swapped, steps)


# ---- checks of arguments -------------------------------------------------------------------------


def _read_steps(
    now: Any, before: Any, ids: Ids, workers: int | None, is_matched: bool = False
) -> _Steps:
    """Check that two tables fit together, and find each sphere or body in the step before.

    is_matched: whether the match of rows is given; contacts with meshes then need no ids.
    """
    threads = worker_count(workers, len(now))
    _check_same_search(now, before)
    columns = now._step(""), before._step("previous: ")
    is_known = is_matched and not now._has_partners
    return _Steps(
        now, before, columns, (None, None) if is_known else _earlier(now, before, *ids), threads
    )


def _check_same_search(now: ContactTable, before: object) -> None:
    """Raise if the searches of both tables differ, such as in their dimensions."""
    if not isinstance(before, type(now)):
        raise TypeError(f"previous is {type(before).__name__}, but must be {type(now).__name__}")
    if now.point.shape[1] != before.point.shape[1]:
        raise ValueError(
            f"previous has {now._row}s in {before.point.shape[1]} dimensions,"
            f" but there are {now.point.shape[1]} now"
        )
    if not now._may_continue(before.period):
        was, is_now = text_of(before.period), text_of(now.period)
        raise ValueError(f"previous has the period {was}, but it is {is_now} now")
    now._check_previous(before)


def pair_step(
    table: Any,
    whose: str,
    first: Indices | int,
    image: Indices | None,
    other_count: int | None,
    *more: Any,
) -> Any:
    """Return rows of two partners for the library; check the columns, which users can change."""
    count = len(table)
    second = "mesh" if table.j is None else "j"
    for name, column in table._made_rows().items():
        if len(column) != count:
            raise ValueError(f"{whose}{name} has {len(column)} rows, but overlap has {count}")
    return (
        first,
        checks.indices(table.i, f"{whose}i"),
        checks.indices(getattr(table, second), f"{whose}{second}"),
        checks.doubles(table.normal, f"{whose}normal"),
        None if image is None else checks.indices(image, f"{whose}image"),
        table.point.shape[1],
        -1 if other_count is None else other_count,
        *more,
    )


def check_numbers(numbers: Indices, count: int, name: str) -> None:
    """Raise if a column has numbers outside of 0 to count - 1, since users can change columns."""
    outside = np.flatnonzero((numbers < 0) | (numbers >= count))
    if len(outside):
        row = outside[0]
        raise ValueError(f"{name}[{row}] is {numbers[row]}, but must be 0 to {count - 1}")


def _read_tangent(tangent: ArrayLike | None, before: Any, count: int, noun: str) -> Doubles:
    """Read the vectors of the rows or spots of the step before."""
    dimensions, item = before.point.shape[1:], f"previous {noun}"
    return checks.points_each(tangent, "tangent", count, item, dimensions=dimensions)


def _read_match(rows: ArrayLike, now: ContactTable) -> Indices:
    """Read the rows of the step before that the rows continue; their range is not checked yet."""
    return checks.shaped(checks.indices(rows, "match"), "match", (len(now),))


def _read_old(rows: ArrayLike | None, steps: _Steps) -> _Old:
    """Check the given match of rows of bodies, or compute the match; return it."""
    old = _match(steps) if rows is None else _read_match(rows, steps.now)
    outside = np.flatnonzero((old < -1) | (old >= len(steps.before)))
    if len(outside):
        row, count = outside[0], checks.counted(len(steps.before), "row")
        raise ValueError(f"match[{row}] is {old[row]}, but previous has {count}; -1 means none")
    there = np.flatnonzero(old >= 0)
    is_same, is_swapped = _compared(steps, there, old[there])
    if not (is_same | is_swapped).all():
        row = there[np.argmin(is_same | is_swapped)]
        raise ValueError(
            f"match[{row}] is a contact of other bodies: give ids and previous_ids as for match"
        )
    swapped = np.zeros(len(old), bool)
    swapped[there] = ~is_same
    return _Old(old, swapped)


def _compared(
    steps: _Steps, rows: Indices, old: Indices
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return two masks of rows: the old row has the same i and j; it has them swapped."""
    now, before = steps.now, steps.before
    first, first_before = _before(steps, now.i[rows]), before.i[old]
    if now.j is None:
        is_same = (first == first_before) & (now.mesh[rows] == before.mesh[old])
        return is_same, np.zeros(len(rows), bool)
    second, second_before = _before(steps, now.j[rows]), before.j[old]
    return (
        (first == first_before) & (second == second_before),
        (first == second_before) & (second == first_before),
    )


# ---- ids -----------------------------------------------------------------------------------------


def _earlier(
    now: Any, before: Any, ids: Any, previous_ids: Any
) -> tuple[Indices | None, Indices | None]:
    counts = _count(now), _count(before)
    if getattr(now, "other_count", None) is None:
        return _numbers(*counts, ids, previous_ids, now._counted), None
    ids, other_ids = _read_two(ids, "ids")
    previous_ids, previous_other_ids = _read_two(previous_ids, "previous_ids")
    first = _numbers(*counts, ids, previous_ids, "sphere")
    counts = now.other_count, before.other_count
    return first, _numbers(*counts, other_ids, previous_other_ids, "other sphere")


def _count(table: Any) -> int:
    """Return the number of spheres or bodies in the search."""
    return table.body_count if table._counted == "body" else len(table.offsets) - 1


def _read_two(ids: Any, name: str) -> tuple[Any, Any]:
    """Read the tuple (ids of spheres, ids of others); both are None if not given."""
    if ids is None:
        return None, None
    if not isinstance(ids, tuple) or len(ids) != 2:
        raise ValueError(f"{name} must be a tuple of two: for the spheres and for the others")
    return ids


def _numbers(
    count: int, previous_count: int, ids: Any, previous_ids: Any, noun: str
) -> Indices | None:
    """Return each sphere's or body's number in the step before, or -1; None if none has changed."""
    if ids is None and previous_ids is None:
        if count == previous_count:
            return None
        spheres = checks.there_are(count, noun, "bodies" if noun == "body" else None)
        raise ValueError(f"{spheres}, but previous has {previous_count}: give ids and previous_ids")
    if ids is None or previous_ids is None:
        raise ValueError("ids and previous_ids belong together: give both")
    wanted = _read_ids(ids, "ids", count)
    there = _read_ids(previous_ids, "previous_ids", previous_count)
    if previous_count == 0 or count == 0:
        return np.full(count, -1)
    low = min(int(wanted.min()), int(there.min()))
    span = max(int(wanted.max()), int(there.max())) - low + 1
    if span <= _TABLE_SLOTS * (count + previous_count):
        return _table(there - low, span)[wanted - low]
    order = np.argsort(there, kind="stable")
    place = np.searchsorted(there, wanted, sorter=order)
    found = order[np.minimum(place, previous_count - 1)]
    return np.where(there[found] == wanted, found, -1)


def _table(numbers: Indices, span: int) -> Indices:
    """Return a table with the last index in `numbers` of each number below `span`, or -1."""
    table = np.full(span, -1)
    table[numbers] = np.arange(len(numbers))
    return table


def _read_ids(ids: ArrayLike, name: str, count: int) -> Indices:
    array = checks.shaped(checks.indices(ids, name), name, (count,))
    if not _are_distinct(array):
        order = np.argsort(array, kind="stable")
        first, second = order[np.flatnonzero(np.diff(array[order]) == 0)[0] + [0, 1]]
        raise ValueError(f"{name}[{first}] and {name}[{second}] are both {array[first]}")
    return array


def _are_distinct(numbers: Indices) -> bool:
    count = len(numbers)
    if count == 0:
        return True
    low = int(numbers.min())
    span = int(numbers.max()) - low + 1
    if span <= _TABLE_SLOTS * count:
        places = numbers - low
        return bool((_table(places, span)[places] == np.arange(count)).all())
    ordered = np.sort(numbers)
    return bool((ordered[1:] != ordered[:-1]).all())


# ---- matching ------------------------------------------------------------------------------------


def _match(steps: _Steps) -> Indices:
    if steps.now._has_partners:
        return _core.match_pairs(*steps.columns, *steps.earlier, steps.threads)
    earlier = steps.earlier[0]
    if earlier is None:
        earlier = np.arange(_count(steps.now))
    return _core.match(*steps.columns, earlier, steps.threads)


def _before(steps: _Steps, numbers: Indices) -> Indices:
    """Convert numbers of spheres or bodies to their numbers in the step before."""
    earlier = steps.earlier[0]
    return numbers if earlier is None else earlier[numbers]


def _match_spots(old: _Old, steps: _Steps) -> Indices:
    found = _core.spots_match(
        *_spot_columns(steps.now, ""),
        *_spot_columns(steps.before, "previous: "),
        old.rows,
        old.is_swapped.astype(np.uint8),
    )
    if steps.now.j is None:
        _match_across_facets(found, steps)
    return found


def _match_across_facets(found: Indices, steps: _Steps) -> None:
    """Add to `found` matches of new spots with old spots on other facets of the same wall."""
    before = steps.before
    new = np.flatnonzero(found < 0)
    rest = np.setdiff1d(np.arange(before._spots()[-1]), found)
    names = np.concatenate([_names_on_walls(steps.now, new), _names_on_walls(before, rest)])
    names[: len(new), 0] = _before(steps, names[: len(new), 0])
    _, numbers = np.unique(names, axis=0, return_inverse=True)
    numbers = numbers.ravel()
    # If several spots have the same body, wall and features, the first one is used.
    there, place = np.unique(numbers[len(new) :], return_index=True)
    at = np.searchsorted(there, numbers[: len(new)])
    known = np.flatnonzero(np.append(there, -1)[at] == numbers[: len(new)])
    taken, first = np.unique(at[known], return_index=True)
    spots, old = new[known[first]], rest[place[taken]]
    normals = steps.now.normal[steps.now.spot_row[spots]], before.normal[before.spot_row[old]]
    is_near = (normals[0] * normals[1]).sum(axis=1) > TURNED
    found[spots[is_near]] = old[is_near]


def _names_on_walls(table: ConvexContacts, spots: Indices) -> Indices:
    """Return the body, the wall and the features of each spot, one row for each spot."""
    assert table.mesh is not None
    assert table.spot_type is not None and table.spot_feature is not None
    rows = table.spot_row[spots]
    columns = (table.i[rows], table.mesh[rows], table.spot_type[spots], table.spot_feature[spots])
    return np.column_stack(columns).astype(np.intp)


def _spot_columns(table: ConvexContacts, whose: str) -> tuple[Indices, NDArray[np.uint8], Indices]:
    offsets = table._spots()
    assert table.spot_type is not None and table.spot_feature is not None
    for name, column in table._made(table._list_columns).items():
        if len(column) != offsets[-1]:
            raise ValueError(f"{whose}{name} has {len(column)} rows, but must have {offsets[-1]}")
    return offsets, table.spot_type, table.spot_feature


# ---- vectors -------------------------------------------------------------------------------------


def _gathered(vectors: Doubles, numbers: Indices) -> Doubles:
    """Return the vectors with these numbers; for the number -1 the vector is 0."""
    gathered = np.zeros((len(numbers), vectors.shape[1]))
    there = numbers >= 0
    gathered[there] = vectors[numbers[there]]
    return gathered


def _turned(
    vectors: Doubles,
    rows: Indices,
    old_rows: Indices,
    is_swapped: NDArray[np.bool_],
    steps: _Steps,
) -> Doubles:
    """Turn vectors from the normals of old rows (-1: no old row) to the normals of new rows."""
    normals = steps.now.normal[rows]
    before = normals.copy()
    there = np.flatnonzero(old_rows >= 0)
    before[there] = steps.before.normal[old_rows[there]]
    # If i and j are swapped, vectors and normals have the opposite sign.
    signs = np.where(is_swapped, -1.0, 1.0)[:, None]
    numbers = np.arange(len(rows) + 1)
    # The library needs bodies: each row gets a body of its own.
    of_each = numbers, numbers[:-1], numbers[:-1]
    now = (*of_each, normals, None, normals.shape[1], -1)
    then = (*of_each, signs * before, None, normals.shape[1], -1)
    return _core.carry_pairs(now, then, None, None, numbers[:-1], signs * vectors, steps.threads)
