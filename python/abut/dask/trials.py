"""Frames that are tried, for the table's columns and for how long a frame takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..io import Frames
from . import frame_rows
from .engine import delayed
from .parcels import Parcel
from .sources import Items, Part
from .tasks import Job, noted

if TYPE_CHECKING:
    pass


class Trial(NamedTuple):
    """What it takes to try a frame."""

    job: Job
    frames: Any
    parcel: Parcel | None
    carried: Any
    client: Any

    def timed(self, number: int) -> _Timed:
        if isinstance(self.frames, Frames):
            return _timed(Part(self.frames[number : number + 1], number), self.job, self.parcel)
        task = delayed.delayed(_timed_delayed, pure=False)
        asked = task([self.frames[number]], number, self.job, self.carried)
        if self.client is None:
            return asked.compute()
        return self.client.compute(asked).result()


class _Timed(NamedTuple):
    """What one frame came to."""

    seconds: float
    meta: Any  # an empty table; None: without a row it tells nothing of the table
    is_sure: bool  # whether every column has a value that tells its dtype


def _timed(part: Part, job: Job, parcel: Parcel | None) -> _Timed:
    with noted(part, 0):
        # The first search with a finder sorts its facets, which later ones use: it is not timed.
        job.search(part.frames[0], parcel)
        start = time.perf_counter()
        rows = job.rows(part.frames[0], part.start, parcel)
        seconds = time.perf_counter() - start
    return _Timed(seconds, *frame_rows.columns_of(rows))


def _timed_delayed(items: list[Any], number: int, job: Job, parcel: Any) -> _Timed:
    return _timed(Part(Items(items), number), job, parcel)


def try_frames(trial: Trial, meta: Any) -> tuple[Any, float]:
    """Find the table's columns, unless they are known, and what a frame takes.

    Where the first frame has no row, later ones are looked at, ever farther from each other.
    """
    seconds, failure, is_known = 0.0, None, meta is not None
    for number in _picks(len(trial.frames)):
        try:
            timed = trial.timed(number)
        except Exception as error:
            if not trial.job.skips:
                raise
            failure = failure or error
            continue
        seconds = seconds or timed.seconds
        if not is_known:
            is_known = timed.is_sure
            meta = timed.meta if is_known or meta is None else meta
        if is_known:
            break
    if meta is None:
        raise ValueError(
            "no frame of those tried has a row that tells the table's columns: give meta=, as in"
            f" meta={{'force': float}}{_because(failure)}"
        ) from failure
    return meta, seconds


def _because(failure: Exception | None) -> str:
    """Of the first frame that failed, what it failed of."""
    return "" if failure is None else f". It failed: {type(failure).__name__}: {failure}"


def time_middle(trial: Trial) -> float:
    """What a frame takes there: a simulation's first one often has hardly a sphere."""
    count = len(trial.frames)
    if count == 1:
        return 0.0
    try:
        return trial.timed(count // 2).seconds
    except Exception:
        return 0.0  # it fails again when the table is computed, and is told then


def _picks(count: int) -> Iterator[int]:
    """Of so many frames the first one, then as many more as it takes to come to the last."""
    number = 0
    while number < count - 1:
        yield number
        number = 2 * number + 1
    yield count - 1
