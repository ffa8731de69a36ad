"""What becomes of pairs from one step to the next: which goes on, and what it carries along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .history import check_numbers, earlier_numbers, read_match, read_tangent, tilted
from .threads import worker_count

if TYPE_CHECKING:
    from .pairs import Pairs

_Doubles = NDArray[np.float64]
_Indices = NDArray[np.intp]

# The cosine of 60 degrees. The normals of two images that both touch are as far apart, or farther,
# unless the spheres are larger than the period; from step to step a normal turns far less.
_TURNED = 0.5


class _Renamed(NamedTuple):
    """Pairs of now by the spheres' numbers in the step before."""

    first: _Indices  # -1: a sphere that was not there
    second: _Indices
    swapped: NDArray[np.bool_]  # the first of now is the second there


def match(
    now: Pairs, before: Pairs | None, ids: Any, previous_ids: Any, workers: int | None
) -> _Indices:
    """What `Pairs.match` returns."""
    worker_count(workers)  # complains about a wrong one
    if before is None:
        return np.full(len(now), -1, np.intp)
    _check_same_search(now, before)
    _check_rows(now, "")
    _check_rows(before, "previous: ")
    renamed = _rename(now, before, ids, previous_ids)
    stride = _second_count(before)
    known = np.flatnonzero((renamed.first >= 0) & (renamed.second >= 0))
    wanted = renamed.first[known] * stride + renamed.second[known]
    there = before.i * stride + before.j
    found = np.full(len(now), -1)
    if now.period is None:
        place = np.searchsorted(there, wanted)
        same = np.append(there, -1)[place] == wanted
        found[known[same]] = place[same]
        return found
    rows, old = _same_spheres(known, wanted, there)
    taken = _choose(rows, old, _preference(now, before, rows, old, renamed.swapped[rows]))
    found[rows[taken]] = old[taken]
    return found


def carry(
    tangent: ArrayLike | None,
    now: Pairs,
    before: Pairs | None,
    rows: ArrayLike | None,
    ids: tuple[Any, Any],
    workers: int | None,
) -> _Doubles:
    """What `Pairs.carry` returns."""
    if before is None:
        return np.zeros(now.normal.shape)
    _check_same_search(now, before)
    _check_rows(now, "")
    _check_rows(before, "previous: ")
    vectors = read_tangent(tangent, before)
    rows = match(now, before, *ids, workers) if rows is None else rows
    old = read_match(rows, now, before)
    renamed = _rename(now, before, *ids)
    continued = np.flatnonzero(old >= 0)
    old = old[continued]
    strange = (renamed.first[continued] != before.i[old]) | (
        renamed.second[continued] != before.j[old]
    )
    if strange.any():
        row = continued[np.argmax(strange)]
        raise ValueError(
            f"match[{row}] is a pair of other spheres: give ids and previous_ids as to match"
        )
    sign = np.where(renamed.swapped[continued], -1.0, 1.0)[:, None]
    carried = np.zeros(now.normal.shape)
    carried[continued] = tilted(
        sign * vectors[old], sign * before.normal[old], now.normal[continued]
    )
    return carried


# ---- reading -------------------------------------------------------------------------------------


def _check_same_search(now: Pairs, before: Pairs) -> None:
    if not isinstance(before, type(now)):
        raise TypeError(f"previous is no Pairs, but {type(before).__name__}")
    if now.point.shape[1] != before.point.shape[1]:
        raise ValueError(
            f"previous has pairs in {before.point.shape[1]} dimensions,"
            f" but there are {now.point.shape[1]} now"
        )
    if (now.other_count is None) != (before.other_count is None):
        raise ValueError("one search had others, the other one had none")
    if now.period != before.period:
        raise ValueError(f"previous has the period {before.period}, but it is {now.period} now")


def _check_rows(pairs: Pairs, whose: str) -> None:
    """Complain about columns that do not fit together."""
    count = len(pairs)
    for name in ("i", "j", "normal", "image"):
        if len(getattr(pairs, name)) != count:
            rows = len(getattr(pairs, name))
            raise ValueError(f"{whose}{name} has {rows} rows, but overlap has {count}")
    ends: list[int] = pairs.offsets[[0, -1]].tolist() if len(pairs.offsets) else []
    if ends != [0, count] or (np.diff(pairs.offsets) < 0).any():
        raise ValueError(f"{whose}offsets do not ascend from 0 to the number of pairs, {count}")
    check_numbers(pairs.i, len(pairs.offsets) - 1, f"{whose}i")
    check_numbers(pairs.j, _second_count(pairs), f"{whose}j")


def _second_count(pairs: Pairs) -> int:
    return len(pairs.offsets) - 1 if pairs.other_count is None else pairs.other_count


def _rename(now: Pairs, before: Pairs, ids: Any, previous_ids: Any) -> _Renamed:
    counts = len(now.offsets) - 1, len(before.offsets) - 1
    if now.other_count is None:
        earlier = earlier_numbers(*counts, ids, previous_ids)
        first, second = earlier[now.i], earlier[now.j]
        swapped = first > second
        return _Renamed(np.minimum(first, second), np.maximum(first, second), swapped)
    ids, other_ids = _read_two(ids, "ids")
    previous_ids, previous_other_ids = _read_two(previous_ids, "previous_ids")
    first = earlier_numbers(*counts, ids, previous_ids)
    counts = _second_count(now), _second_count(before)
    second = earlier_numbers(*counts, other_ids, previous_other_ids, "other ")
    return _Renamed(first[now.i], second[now.j], np.zeros(len(now), bool))


def _read_two(ids: Any, name: str) -> tuple[Any, Any]:
    """The numbers of the spheres, and of the others."""
    if ids is None:
        return None, None
    if not isinstance(ids, tuple) or len(ids) != 2:
        raise ValueError(f"{name} must be two, for the spheres and for the others: a tuple")
    return ids


# ---- several images of the same two spheres ------------------------------------------------------


def _same_spheres(known: _Indices, wanted: _Indices, there: _Indices) -> tuple[_Indices, _Indices]:
    """All rows of now, and of before, that are of the same two spheres."""
    begin, end = (np.searchsorted(there, wanted, side) for side in ("left", "right"))
    counts = end - begin
    rows = np.repeat(known, counts)
    first = np.cumsum(counts) - counts
    return rows, np.arange(len(rows)) + np.repeat(begin - first, counts)


def _preference(
    now: Pairs, before: Pairs, rows: _Indices, old: _Indices, swapped: NDArray[np.bool_]
) -> _Indices:
    """The order in which such rows are joined; those that are left out may not be."""
    sign = np.where(swapped, -1, 1)[:, None]
    agreement = (now.normal[rows] * (sign * before.normal[old])).sum(axis=1)
    same = (now.image[rows] == sign * before.image[old]).all(axis=1)
    close = agreement > _TURNED
    rank = np.select([same & close, close, same], [0, 1, 2], 3)
    # the closer of images that are not the same, then in the order of both tables
    order = np.lexsort((old, rows, np.where(rank == 1, -agreement, 0), rank))
    return order[: np.count_nonzero(rank < 3)]


def _choose(rows: _Indices, old: _Indices, order: _Indices) -> _Indices:
    """Those that are joined: in this order, every row of either table once."""
    chosen = []
    # a row that is in one place only needs no turn
    while len(order):
        first_of_row = np.zeros(len(order), bool)
        first_of_old = np.zeros(len(order), bool)
        first_of_row[np.unique(rows[order], return_index=True)[1]] = True
        first_of_old[np.unique(old[order], return_index=True)[1]] = True
        taken = order[first_of_row & first_of_old]
        chosen.append(taken)
        free = ~np.isin(rows[order], rows[taken]) & ~np.isin(old[order], old[taken])
        order = order[free]
    return np.concatenate([*chosen, np.empty(0, np.intp)])
