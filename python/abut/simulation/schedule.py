"""After which steps callables are called, and insertions are tried."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..base.arrays import Doubles, Indices
from .insertion import Insertion
from .insertion_state import InsertionState

# largest number of steps: a double holds all whole numbers up to it exactly
MOST_STEPS = 2.0**53

# Largest number of steps between two tries of an insertion with waiting particles. A try takes as
# long as about ten steps of a few hundred spheres.
_MOST_WAITED = 64

# The next grain is due in one of so many steps. The first of them comes a step before the one that
# follows from a rounded time.
_ROUNDED = 3


class Beat(NamedTuple):
    """A step length. It holds for all steps after step number `since`, which ended at `start`."""

    step: float
    since: int = 0
    start: float = 0.0

    def time(self, number: int) -> float:
        """The time after step number `number`."""
        return self.start + (number - self.since) * self.step

    def steps(self, time: float) -> float:
        """The number of steps that fit into a time, not rounded."""
        return time / self.step


def times_of(beats: Sequence[Beat], numbers: Indices) -> Doubles:
    """The times at the ends of the steps with these numbers."""
    begins = np.array([beat.since for beat in beats])
    steps, starts = (np.array([beat[k] for beat in beats]) for k in (0, 2))
    rows = np.searchsorted(begins, numbers, side="right") - 1
    return np.asarray(starts[rows] + (numbers - begins[rows]) * steps[rows])


def step_after(interval: float, now: int, beat: Beat) -> int:
    """The number of the next step that ends a multiple of an interval.

    If step lengths have changed, this step ends nearest to a multiple of the interval.
    """
    if beat.since == 0:
        steps = max(1, round(beat.steps(interval)))
        return now - now % steps + steps
    if interval <= beat.step:
        return now + 1
    multiple = math.floor(beat.time(now) / interval)
    ends = (_step_nearest((multiple + k) * interval, beat) for k in range(3))
    return next(number for number in ends if number > now)


def _step_nearest(time: float, beat: Beat) -> int:
    return beat.since + math.ceil(beat.steps(time - beat.start) - 0.5)


class _Event(NamedTuple):
    interval: float
    since: int  # number of steps when the event was registered
    call: Callable[[], object]

    def after(self, now: int, beat: Beat) -> int:
        """The number of the next step after which the callable is called."""
        return step_after(self.interval, now, beat)


class _Step(NamedTuple):
    """The number of the last step that `Schedule.note` marked, and the calls that are due."""

    number: int
    due: deque[Callable[[], object]]


class Schedule:
    """Callables that are called at regular intervals, and the calls that are due now."""

    def __init__(self) -> None:
        self._events: list[_Event] = []
        self._last = _Step(0, deque())

    def add(self, interval: float, since: int, call: Callable[[], object]) -> None:
        self._events.append(_Event(interval, since, call))

    def drop(self, call: Callable[[], object]) -> None:
        """Remove a call, even if it is due."""
        self._events = [event for event in self._events if event.call is not call]
        due = deque(other for other in self._last.due if other is not call)
        self._last = self._last._replace(due=due)

    def next_step(self, now: int, end: int, beat: Beat) -> int:
        """The number of the next step after which a call is due, or `end` if that is earlier."""
        return min([end, *(event.after(now, beat) for event in self._events)])

    def note(self, now: int, beat: Beat) -> None:
        """Mark step `now` as done, which makes calls due. A second call has no effect."""
        if now == self._last.number:
            return
        due = [
            event.call
            for event in self._events
            if now > event.since and event.after(now - 1, beat) == now
        ]
        # one assignment, because Ctrl-C may arrive between two lines
        self._last = _Step(now, deque([*self._last.due, *due]))

    @property
    def has_due(self) -> bool:
        return bool(self._last.due)

    def call_due(self) -> None:
        """Make the calls that are due, in the order of registration.

        If a call fails, the calls behind it stay due, and are made before the next step. A call
        that Ctrl-C interrupts stays due.
        """
        while self._last.due:
            call = self._last.due[0]
            try:
                call()
            except Exception:
                self._is_done(call)
                raise
            self._is_done(call)

    def _is_done(self, call: Callable[[], object]) -> None:
        # a call that has removed itself is not among the due calls any more
        due = self._last.due
        if due and due[0] is call:
            due.popleft()


@dataclass(frozen=True)
class Feed:
    """An insertion with its progress; it is immutable."""

    insertion: Insertion
    state: InsertionState
    start: float
    until: float | None
    # the last step after which the insertion was tried
    seen: int
    # the step after which there was first no place for a particle; None if no particle waits
    full_since: int | None = None
    key: object = field(default_factory=object, compare=False)  # the same in replaced copies

    def is_due(self, now: int, beat: Beat) -> bool:
        """Whether the insertion is tried after this step."""
        if self._has_ended(now, beat) or not self._looks(now):
            return False
        return self.insertion.is_due(self.state, beat.time(now) - self.start)

    def steps_ahead(self, now: int, beat: Beat) -> int:
        """The number of steps until the next try, or a lower bound of it; at least 1."""
        if self._has_ended(now + 1, beat):
            return int(MOST_STEPS)
        if self.full_since is not None:
            return self.full_since + _look_after(now - self.full_since) - now
        if self.is_due(now + 1, beat):
            return 1
        next_due = self.insertion.next_time(self.state)
        ahead = beat.steps(next_due - (beat.time(now) - self.start))
        if not ahead > 0:
            return int(MOST_STEPS)
        # begin one step early, because `ahead` is rounded
        first = max(1, int(min(ahead, MOST_STEPS)) - 1)
        tried = range(first, first + _ROUNDED)
        return next((k for k in tried if self.is_due(now + k, beat)), tried.stop)

    def tries(self, now: int) -> int:
        """Number of places to try for each particle: the number of steps since the last try."""
        waited = 0 if self.full_since is None else now - self.full_since
        return waited - _look_before(waited) if waited else 1

    def tried(self, now: int, state: InsertionState) -> Feed:
        """The feed after a try in step `now`, which led to this state."""
        since = None
        if state.waiting:
            since = now if self.full_since is None else self.full_since
        return Feed(self.insertion, state, self.start, self.until, now, since, self.key)

    def _has_ended(self, now: int, beat: Beat) -> bool:
        return self.until is not None and beat.time(now) > self.until + beat.step / 2

    def _looks(self, now: int) -> bool:
        waited = None if self.full_since is None else now - self.full_since
        return waited is None or (waited > 0 and waited == _look_after(waited - 1))


def _look_after(waited: int) -> int:
    """The number of waited steps at the next try: the first of 1, 2, 4, ..., 64, 128, 192, ... that
    is above `waited`."""
    if waited < _MOST_WAITED:
        return int(1 << waited.bit_length())
    return waited - waited % _MOST_WAITED + _MOST_WAITED


def _look_before(waited: int) -> int:
    """The number of waited steps at the last try: 0, or the number of `_look_after` before."""
    return waited // 2 if waited <= _MOST_WAITED else waited - _MOST_WAITED
