"""A slow reference in NumPy for the history of pairs from step to step.

All rows of both steps that are of the same two spheres are joined in one order of preference, and
tangential vectors are turned by the formula of two reflections.
"""

from typing import NamedTuple

import numpy as np

from reference_history import tilted

# the cosine of 60 degrees: normals of two images that both touch are as far apart, or farther
TURNED = 0.5


class Renamed(NamedTuple):
    """Pairs of now by the spheres' numbers in the step before."""

    first: np.ndarray  # -1: a sphere that was not there
    second: np.ndarray
    swapped: np.ndarray  # the first of now is the second there


def match(now, before, ids=None, previous_ids=None):
    """The row of `before` that each pair continues, or -1."""
    renamed = rename(now, before, ids, previous_ids)
    stride = second_count(before)
    known = np.flatnonzero((renamed.first >= 0) & (renamed.second >= 0))
    wanted = renamed.first[known] * stride + renamed.second[known]
    there = before.i * stride + before.j
    found = np.full(len(now), -1)
    rows, old = same_spheres(known, wanted, there)
    taken = choose(rows, old, preference(now, before, rows, old, renamed.swapped[rows]))
    found[rows[taken]] = old[taken]
    return found


def carry(tangent, now, before, rows, ids=None, previous_ids=None):
    """The vectors of `before` for the pairs of now."""
    renamed = rename(now, before, ids, previous_ids)
    continued = np.flatnonzero(rows >= 0)
    old = rows[continued]
    sign = np.where(renamed.swapped[continued], -1.0, 1.0)[:, None]
    carried = np.zeros(now.normal.shape)
    carried[continued] = tilted(
        sign * tangent[old], sign * before.normal[old], now.normal[continued]
    )
    return carried


# ---- matches -------------------------------------------------------------------------------------


def second_count(pairs):
    return len(pairs.offsets) - 1 if pairs.other_count is None else pairs.other_count


def earlier_numbers(count, ids, previous_ids):
    """The number of each sphere in the step before, or -1."""
    if ids is None:
        return np.arange(count)
    there = {number: k for k, number in enumerate(previous_ids)}
    return np.array([there.get(number, -1) for number in ids], int)


def rename(now, before, ids, previous_ids):
    count = len(now.offsets) - 1
    if now.other_count is None:
        earlier = earlier_numbers(count, ids, previous_ids)
        first, second = earlier[now.i], earlier[now.j]
        return Renamed(np.minimum(first, second), np.maximum(first, second), first > second)
    ids, other_ids = (None, None) if ids is None else ids
    previous_ids, previous_other_ids = (None, None) if ids is None else previous_ids
    first = earlier_numbers(count, ids, previous_ids)
    second = earlier_numbers(now.other_count, other_ids, previous_other_ids)
    return Renamed(first[now.i], second[now.j], np.zeros(len(now), bool))


# ---- several images of the same two spheres ------------------------------------------------------


def same_spheres(known, wanted, there):
    """All rows of both steps that have the same two spheres."""
    begin, end = (np.searchsorted(there, wanted, side) for side in ("left", "right"))
    counts = end - begin
    rows = np.repeat(known, counts)
    first = np.cumsum(counts) - counts
    return rows, np.arange(len(rows)) + np.repeat(begin - first, counts)


def preference(now, before, rows, old, swapped):
    """The order in which such rows are matched, without rows that must not match."""
    if now.period is None:
        return np.arange(len(rows))
    sign = np.where(swapped, -1, 1)[:, None]
    agreement = (now.normal[rows] * (sign * before.normal[old])).sum(axis=1)
    same = (now.image[rows] == sign * before.image[old]).all(axis=1)
    close = agreement > TURNED
    rank = np.select([same & close, close, same], [0, 1, 2], 3)
    # the closer of images that are not the same, then in the order of both tables
    order = np.lexsort((old, rows, np.where(rank == 1, -agreement, 0), rank))
    return order[: np.count_nonzero(rank < 3)]


def choose(rows, old, order):
    """The matched rows: in this order, every row of either table at most once."""
    chosen, rows_taken, old_taken = [], set(), set()
    for k in order.tolist():
        if rows[k] not in rows_taken and old[k] not in old_taken:
            rows_taken.add(rows[k]), old_taken.add(old[k])
            chosen.append(k)
    return np.array(chosen, int)
