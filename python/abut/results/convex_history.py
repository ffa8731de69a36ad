"""What becomes of contacts of convex bodies from one step to the next, and of their spots.

The library matches rows of convex bodies as pairs of spheres, here and where `ConvexFinder.find`
begins with those of ``before``. A body on a wall goes as a sphere and an other, the wall, whose
facets are told apart as images are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.threads import worker_count
from .history import (
    Ids,
    check_numbers,
    check_same_search,
    earlier_numbers,
    read_match,
    read_tangent,
)

if TYPE_CHECKING:
    from .convex_contacts import ConvexContacts


# The cosine of 60 degrees: walls that differ by more are not one surface that a spot slides over.
TURNED = 0.5


class Steps(NamedTuple):
    """Two tables that fit together; the number of each body of now in the step before, or -1."""

    now: ConvexContacts
    before: ConvexContacts
    earlier: Indices
    threads: int


class _Old(NamedTuple):
    """The row of the step before that each row continues, or -1; whether i and j of that row have
    changed places."""

    rows: Indices
    is_swapped: NDArray[np.bool_]


def match(now: ConvexContacts, before: ConvexContacts, ids: Ids, workers: int | None) -> Indices:
    """What `ConvexContacts.match` returns."""
    return _match(read_steps(now, before, ids, workers))


def carry(
    tangent: ArrayLike | None,
    now: ConvexContacts,
    before: ConvexContacts,
    rows: ArrayLike | None,
    ids: Ids,
    workers: int | None,
) -> Doubles:
    """What `ConvexContacts.carry` returns."""
    steps = read_steps(now, before, ids, workers)
    vectors = read_tangent(tangent, before)
    old = _read_old(rows, steps)
    carried = _gathered(vectors, old.rows)
    return _turned(carried, np.arange(len(now)), old.rows, old.is_swapped, steps)


def match_spots(steps: Steps, rows: ArrayLike | None) -> Indices:
    """What `ConvexContacts.match_spots` returns."""
    return _match_spots(_read_old(rows, steps), steps)


def carry_spots(tangent: ArrayLike | None, steps: Steps, rows: ArrayLike | None) -> Doubles:
    """What `ConvexContacts.carry_spots` returns."""
    now, before = steps.now, steps.before
    vectors = _read_spot_tangent(tangent, before)
    old = _read_old(rows, steps)
    spots = _match_spots(old, steps)
    # on walls a spot's row may continue another one than that of which the spot comes
    old_rows = np.append(before.spot_row, -1)[spots]
    is_swapped = old.is_swapped[now.spot_row]
    return _turned(_gathered(vectors, spots), now.spot_row, old_rows, is_swapped, steps)


# ---- reading -------------------------------------------------------------------------------------


def read_steps(now: ConvexContacts, before: ConvexContacts, ids: Ids, workers: int | None) -> Steps:
    """Two tables that are found to fit together."""
    threads = worker_count(workers, len(now))
    check_same_search(now, before, "ConvexContacts")
    if (now.j is None) != (before.j is None):
        raise ValueError("one table has contacts with walls, the other one has contacts of bodies")
    _check_columns(now, "")
    _check_columns(before, "previous: ")
    return Steps(now, before, _earlier(now.body_count, before.body_count, *ids), threads)


def _check_columns(table: ConvexContacts, whose: str) -> None:
    count = len(table)
    for name, column in table._made_rows().items():
        if len(column) != count:
            raise ValueError(f"{whose}{name} has {len(column)} rows, but overlap has {count}")
    check_numbers(table.i, table.body_count, f"{whose}i")
    if table.j is not None:
        check_numbers(table.j, table.body_count, f"{whose}j")


def _earlier(
    count: int, previous_count: int, ids: ArrayLike | None, previous_ids: ArrayLike | None
) -> Indices:
    if ids is None and previous_ids is None and count != previous_count:
        raise ValueError(
            f"{checks.there_are(count, 'body', 'bodies')}, but previous has {previous_count}:"
            " give ids and previous_ids"
        )
    return earlier_numbers(count, previous_count, ids, previous_ids)


def _read_old(rows: ArrayLike | None, steps: Steps) -> _Old:
    """What each row continues, as it is told or found."""
    old = _match(steps) if rows is None else read_match(rows, steps.now)
    outside = np.flatnonzero((old < -1) | (old >= len(steps.before)))
    if len(outside):
        row, count = outside[0], checks.counted(len(steps.before), "row")
        raise ValueError(f"match[{row}] is {old[row]}, but previous has {count}; -1 is none")
    there = np.flatnonzero(old >= 0)
    is_same, is_swapped = _compared(steps, there, old[there])
    if not (is_same | is_swapped).all():
        row = there[np.argmin(is_same | is_swapped)]
        raise ValueError(
            f"match[{row}] is a contact of other bodies: give ids and previous_ids as to match"
        )
    swapped = np.zeros(len(old), bool)
    swapped[there] = ~is_same
    return _Old(old, swapped)


def _compared(
    steps: Steps, rows: Indices, old: Indices
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether rows of now and of before are of the same two, and whether of these swapped."""
    now, before = steps.now, steps.before
    first, first_before = steps.earlier[now.i[rows]], before.i[old]
    if now.j is None or before.j is None:
        assert now.mesh is not None and before.mesh is not None
        is_same = (first == first_before) & (now.mesh[rows] == before.mesh[old])
        return is_same, np.zeros(len(rows), bool)
    second, second_before = steps.earlier[now.j[rows]], before.j[old]
    return (
        (first == first_before) & (second == second_before),
        (first == second_before) & (second == first_before),
    )


def _read_spot_tangent(tangent: ArrayLike | None, before: ConvexContacts) -> Doubles:
    """A vector for each spot of the step before."""
    count = before._spots()[-1]
    vectors = checks.points(tangent, "tangent", before.point.shape[1:])
    if len(vectors) != count:
        raise ValueError(
            f"tangent has {checks.counted(len(vectors), 'row')},"
            f" but {checks.there_are(count, 'previous spot')}"
        )
    return vectors


# ---- which row goes on ---------------------------------------------------------------------------


def _match(steps: Steps) -> Indices:
    now, before = _step(steps.now, ""), _step(steps.before, "previous: ")
    return _core.match_pairs(now, before, steps.earlier, None, steps.threads)


def _step(table: ConvexContacts, whose: str) -> _core._PairStep:
    """The rows as the library matches them: pairs, whichever body comes first, in any order."""
    second, image, other_count = table.j, table.image, -1
    if second is None:
        assert table.mesh is not None and table.facet is not None
        second, other_count = table.mesh, int(table.mesh.max(initial=-1)) + 1
        image = np.zeros(table.normal.shape, np.intp)
        image[:, 0] = table.facet
    return (
        table.body_count,
        checks.indices(table.i, f"{whose}i"),
        checks.indices(second, f"{whose}{'mesh' if table.j is None else 'j'}"),
        checks.doubles(table.normal, f"{whose}normal"),
        checks.indices(image, f"{whose}image"),
        table.point.shape[1],
        other_count,
        table._before,
    )


def _match_spots(old: _Old, steps: Steps) -> Indices:
    found = _core.spots_match(
        *_spot_columns(steps.now, ""),
        *_spot_columns(steps.before, "previous: "),
        old.rows,
        old.is_swapped.astype(np.uint8),
    )
    if steps.now.j is None:
        _match_across_facets(found, steps)
    return found


def _match_across_facets(found: Indices, steps: Steps) -> None:
    """Let spots that have slid onto another facet of a wall continue those of their name there."""
    before = steps.before
    new = np.flatnonzero(found < 0)
    left = np.setdiff1d(np.arange(before._spots()[-1]), found)
    names = np.concatenate([_names_on_walls(steps.now, new), _names_on_walls(before, left)])
    names[: len(new), 0] = steps.earlier[names[: len(new), 0]]
    _, numbers = np.unique(names, axis=0, return_inverse=True)
    numbers = numbers.ravel()
    # of several that have one name the first
    there, place = np.unique(numbers[len(new) :], return_index=True)
    at = np.searchsorted(there, numbers[: len(new)])
    known = np.flatnonzero(np.append(there, -1)[at] == numbers[: len(new)])
    taken, first = np.unique(at[known], return_index=True)
    spots, old = new[known[first]], left[place[taken]]
    normals = steps.now.normal[steps.now.spot_row[spots]], before.normal[before.spot_row[old]]
    is_near = (normals[0] * normals[1]).sum(axis=1) > TURNED
    found[spots[is_near]] = old[is_near]


def _names_on_walls(table: ConvexContacts, spots: Indices) -> Indices:
    """Body, wall, and what a spot is called, of each."""
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


# ---- vectors that are taken along ----------------------------------------------------------------


def _gathered(vectors: Doubles, numbers: Indices) -> Doubles:
    """The vector of each number, and 0 for those that are -1."""
    gathered = np.zeros((len(numbers), vectors.shape[1]))
    there = numbers >= 0
    gathered[there] = vectors[numbers[there]]
    return gathered


def _turned(
    vectors: Doubles,
    rows: Indices,
    old_rows: Indices,
    is_swapped: NDArray[np.bool_],
    steps: Steps,
) -> Doubles:
    """Vectors of rows of the step before, or 0 where these are -1, as they are in rows of now."""
    normals = steps.now.normal[rows]
    before = normals.copy()
    there = np.flatnonzero(old_rows >= 0)
    before[there] = steps.before.normal[old_rows[there]]
    # seen from the other body, a vector and a normal are opposite
    signs = np.where(is_swapped, -1.0, 1.0)[:, None]
    numbers = np.arange(len(rows) + 1)
    # each is a row of a body of its own
    of_each = numbers, numbers[:-1], numbers[:-1]
    now = (*of_each, normals, None, normals.shape[1], -1)
    then = (*of_each, signs * before, None, normals.shape[1], -1)
    return _core.carry_pairs(now, then, None, None, numbers[:-1], signs * vectors, steps.threads)
