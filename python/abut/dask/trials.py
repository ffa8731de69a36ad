"""Trials: frames that are searched first, for the table's columns and the time for a frame."""

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
    """The inputs of the trials."""

    job: Job
    frames: Any
    parcel: Parcel | None
    carried: Any
    client: Any

    def timed(self, number: int) -> _Timed:
        if isinstance(self.frames, Frames):
            return _timed(Part(self.frames[number : number + 1], number), self.job, self.parcel)
        task = delayed.delayed(_timed_delayed, pure=False)
        trial = task([self.frames[number]], number, self.job, self.carried)
        if self.client is None:
            return trial.compute()
        return self.client.compute(trial).result()


class _Timed(NamedTuple):
    """The result of one trial."""

    seconds: float
    meta: Any  # an empty table with the columns, or None if the frame has no rows
    is_sure: bool  # whether every column has a value, so that its dtype is known


def _timed(part: Part, job: Job, parcel: Parcel | None) -> _Timed:
    with noted(part, 0):
        # The first search is not timed, since it also builds bins that later searches reuse.
        job.search(part.frames[0], parcel)
        start = time.perf_counter()
        rows = job.rows(part.frames[0], part.start, parcel)
        seconds = time.perf_counter() - start
    return _Timed(seconds, *frame_rows.columns_of(rows))


def _timed_delayed(items: list[Any], number: int, job: Job, parcel: Any) -> _Timed:
    return _timed(Part(Items(items), number), job, parcel)


def try_frames(trial: Trial, meta: Any) -> tuple[Any, float]:
    """Return the table's columns (`meta` if it is given), and the seconds for a frame.

    If the first frame has no rows, later frames are tried, at growing distances.
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
            "no frame that was tried has rows to show the table's columns: give meta=, as in"
            f" meta={{'force': float}}{_because(failure)}"
        ) from failure
    return meta, seconds


def _because(failure: Exception | None) -> str:
    """Return the end of a message: the error of the first frame that failed, or nothing."""
    return "" if failure is None else f". A frame failed: {type(failure).__name__}: {failure}"


def time_middle(trial: Trial) -> float:
    """Return the seconds for the middle frame, since the first frame may be almost empty."""
    count = len(trial.frames)
    if count == 1:
        return 0.0
    try:
        return trial.timed(count // 2).seconds
    except Exception:
        return 0.0  # the error is raised again when the table is computed


def _picks(count: int) -> Iterator[int]:
    """Yield the numbers of frames to try, from the first to the last, at growing distances."""
    number = 0
    while number < count - 1:
        yield number
        number = 2 * number + 1
    yield count - 1
