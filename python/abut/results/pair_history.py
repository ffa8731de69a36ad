"""What becomes of pairs from one step to the next: which goes on, and what it carries along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.threads import worker_count
from .history import check_same_search, earlier_numbers, read_match, read_tangent

if TYPE_CHECKING:
    from .pairs import Pairs


def match(now: Pairs, before: Pairs, ids: tuple[Any, Any], workers: int | None) -> Indices:
    """What `Pairs.match` returns."""
    threads = worker_count(workers, len(now))
    steps = _read_steps(now, before)
    return _core.match_pairs(*steps, *_earlier(now, before, *ids), threads)


def carry(
    tangent: ArrayLike | None,
    now: Pairs,
    before: Pairs,
    rows: ArrayLike | None,
    ids: tuple[Any, Any],
    workers: int | None,
) -> Doubles:
    """What `Pairs.carry` returns."""
    threads = worker_count(workers, len(now))
    steps = _read_steps(now, before)
    vectors = read_tangent(tangent, before)
    earlier = _earlier(now, before, *ids)
    old = _core.match_pairs(*steps, *earlier, threads) if rows is None else read_match(rows, now)
    return _core.carry_pairs(*steps, *earlier, old, vectors, threads)


# ---- reading -------------------------------------------------------------------------------------


def _read_steps(now: Pairs, before: Pairs) -> tuple[_core._PairStep, _core._PairStep]:
    check_same_search(now, before, "Pairs")
    if (now.other_count is None) != (before.other_count is None):
        raise ValueError("one search had others, the other one had none")
    return _step(now, ""), _step(before, "previous: ")


def _step(pairs: Pairs, whose: str) -> _core._PairStep:
    """The columns as the library reads them, which checks their numbers."""
    count = len(pairs)
    # `_made` leaves out an image that nobody has asked for yet, which to make takes time
    for name, column in pairs._made(("i", "j", "normal", "image")).items():
        if len(column) != count:
            raise ValueError(f"{whose}{name} has {len(column)} rows, but overlap has {count}")
    if not len(pairs.offsets):
        raise ValueError(f"{whose}offsets do not ascend from 0 to the number of pairs, {count}")
    return (
        checks.indices(pairs.offsets, f"{whose}offsets"),
        checks.indices(pairs.i, f"{whose}i"),
        checks.indices(pairs.j, f"{whose}j"),
        checks.doubles(pairs.normal, f"{whose}normal"),
        # without a period two spheres are one pair at most, and images tell nothing
        None if pairs.period is None else checks.indices(pairs.image, f"{whose}image"),
        pairs.point.shape[1],
        -1 if pairs.other_count is None else pairs.other_count,
    )


# ---- who is who ----------------------------------------------------------------------------------


def _earlier(
    now: Pairs, before: Pairs, ids: Any, previous_ids: Any
) -> tuple[Indices | None, Indices | None]:
    """The numbers of the spheres, and of the others, in the step before; None: the same."""
    counts = len(now.offsets) - 1, len(before.offsets) - 1
    if now.other_count is None or before.other_count is None:
        return _numbers(*counts, ids, previous_ids), None
    ids, other_ids = _read_two(ids, "ids")
    previous_ids, previous_other_ids = _read_two(previous_ids, "previous_ids")
    first = _numbers(*counts, ids, previous_ids)
    other_counts = now.other_count, before.other_count
    return first, _numbers(*other_counts, other_ids, previous_other_ids, "other ")


def _numbers(
    count: int, previous_count: int, ids: Any, previous_ids: Any, kind: str = ""
) -> Indices | None:
    if ids is None and previous_ids is None and count == previous_count:
        return None
    return earlier_numbers(count, previous_count, ids, previous_ids, kind)


def _read_two(ids: Any, name: str) -> tuple[Any, Any]:
    """The numbers of the spheres, and of the others."""
    if ids is None:
        return None, None
    if not isinstance(ids, tuple) or len(ids) != 2:
        raise ValueError(f"{name} must be two, for the spheres and for the others: a tuple")
    return ids
