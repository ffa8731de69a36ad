"""Grains at random places: which of them overlap nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Doubles, Indices
from ..base.periods import Period
from ..search.pair_finder import find_pairs
from .grains import Grains, orientations
from .insertion_state import InsertionState

_Mask = NDArray[np.bool_]

# type of a callable that takes centers (n, 3) and radii (n,), and returns which of these spheres
# overlap a grain or a wall
Near = Callable[[Doubles, Doubles], _Mask]


class Trial(NamedTuple):
    """Grains at random places: their kinds and sizes, and the spheres that contain them."""

    kinds: Indices
    sizes: Doubles
    turns: Doubles
    owners: Indices  # the grain of each sphere, ascending
    offsets: Doubles  # (m, 3), relative to the grains' positions
    radii: Doubles  # (m,)


def make_trial(kinds: Sequence[Grains], state: InsertionState, rounds: int) -> Trial:
    """All waiting grains, `rounds` times, in random orientations."""
    sizes = np.array(state.waiting * rounds)
    turns = np.zeros((len(sizes), 4))
    if len(kinds) == 1 and not kinds[0].turns:
        rows, numbers = np.arange(len(sizes)), np.zeros(len(sizes), np.intp)
        return Trial(numbers, sizes, turns, rows, np.zeros((len(sizes), 3)), sizes)
    waiting = state.waiting_kinds or [0] * len(state.waiting)
    numbers = np.array(waiting * rounds, np.intp)
    turning = np.array([kind.turns for kind in kinds])[numbers]
    if turning.any():
        turns[turning] = orientations(state.generator, int(turning.sum()))
    found = []
    for number, kind in enumerate(kinds):
        rows = np.flatnonzero(numbers == number)
        offsets, radii = kind.members(sizes[rows], turns[rows])
        owners = np.repeat(rows, radii.shape[1])
        found.append((owners, offsets.reshape(-1, 3), radii.ravel()))
    owners, offsets, radii = map(np.concatenate, zip(*found, strict=True))
    order = np.argsort(owners, kind="stable")
    return Trial(numbers, sizes, turns, owners[order], offsets[order], radii[order])


def bounds(trial: Trial, low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """Lowest and highest positions, (n, 3) each, of grains that are wholly inside a box."""
    reach = trial.radii[:, None]
    if len(trial.owners) == len(trial.sizes):
        return low - (trial.offsets - reach), high - (trial.offsets + reach)
    firsts = np.searchsorted(trial.owners, np.arange(len(trial.sizes)))
    return (
        low - np.minimum.reduceat(trial.offsets - reach, firsts),
        high - np.maximum.reduceat(trial.offsets + reach, firsts),
    )


def choose(
    trial: Trial, positions: Doubles, fits: _Mask, near: Near, rounds: int, period: Period | None
) -> Indices:
    """The rows of a trial to insert: at most one of each waiting grain, and no two that overlap."""
    centers = positions[trial.owners] + trial.offsets
    rows = _first_free(_free(trial, centers, fits, near), rounds)
    return rows if len(rows) < 2 else rows[_apart(trial, centers, rows, period)]


def _free(trial: Trial, centers: Doubles, tried: _Mask, near: Near) -> _Mask:
    """Which grains overlap no grain and no wall; False if not tried."""
    if tried.all() and len(trial.owners) == len(tried):
        # each grain is one sphere, which is faster
        return np.logical_not(near(centers, trial.radii))
    free = tried.copy()
    rows = np.flatnonzero(tried[trial.owners])
    if len(rows):
        taken = near(centers[rows], trial.radii[rows])
        free[trial.owners[rows[taken]]] = False
    return free


def _first_free(free: _Mask, rounds: int) -> Indices:
    """The row in `free` of the first free place of each grain that has a free place.

    Rows are those of all grains in the first round, then of all grains in the second, and so on.
    """
    if rounds == 1:
        return np.flatnonzero(free)
    of_rounds = free.reshape(rounds, -1)
    grains = np.flatnonzero(of_rounds.any(axis=0))
    return grains + of_rounds.shape[1] * of_rounds[:, grains].argmax(axis=0)


def _apart(trial: Trial, centers: Doubles, rows: Indices, period: Period | None) -> _Mask:
    """Which of the grains in these rows to insert: of two that overlap, only the first."""
    comes = np.ones(len(rows), bool)
    numbers = np.full(len(trial.sizes), -1)
    numbers[rows] = np.arange(len(rows))
    spheres = np.flatnonzero(numbers[trial.owners] >= 0)
    owners = numbers[trial.owners[spheres]]
    pairs = find_pairs(centers[spheres], trial.radii[spheres], period=period)
    both = np.sort(np.column_stack([owners[pairs.i], owners[pairs.j]]), axis=1)
    both = np.unique(both, axis=0)
    for first, second in both[both[:, 0] != both[:, 1]].tolist():
        # pairs are sorted by `first`, so `comes[first]` does not change any more
        comes[second] &= not comes[first]
    return comes
