"""What happens to a simulation on its way: what is called, and what comes in, after which steps."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from .insertion import Insertion, InsertionState

# steps are counted exactly up to here
MOST_STEPS = 2.0**53


class _Event(NamedTuple):
    interval: int
    since: int  # the step before the first that counts
    call: Callable[[], object]


class _Step(NamedTuple):
    """The last step that was noted, and what is still to be called after it."""

    number: int
    due: deque[Callable[[], object]]


class Schedule:
    """What is called after each step whose number is a multiple of an interval."""

    def __init__(self) -> None:
        self._events: list[_Event] = []
        self._last = _Step(0, deque())

    def add(self, interval: int, since: int, call: Callable[[], object]) -> None:
        self._events.append(_Event(interval, since, call))

    def next_step(self, now: int, end: int) -> int:
        """The number of the next step after which something is to be called, or the end."""
        steps = (now - now % event.interval + event.interval for event in self._events)
        return min([end, *steps])

    def note(self, now: int) -> None:
        """The step with this number is done; that it is, may be told again."""
        if now == self._last.number:
            return
        due = [
            event.call for event in self._events if now > event.since and now % event.interval == 0
        ]
        # at once: Ctrl-C may come between two lines
        self._last = _Step(now, deque([*self._last.due, *due]))

    @property
    def has_due(self) -> bool:
        return bool(self._last.due)

    def call_due(self) -> None:
        """Call what is due, in the order of registration; where a call fails, the rest stays due,
        and is called before the next step, and so is a call that Ctrl-C has interrupted."""
        due = self._last.due
        while due:
            try:
                due[0]()
            except Exception:
                due.popleft()
                raise
            due.popleft()


@dataclass(frozen=True)
class Feed:
    """An insertion that goes on: what it has inserted so far is in its state, which does not
    change."""

    insertion: Insertion
    state: InsertionState
    start: float
    until: float | None
    # the last step after which it was asked for what was due
    seen: int

    def is_due(self, time: float, step: float) -> bool:
        """Whether something is to come in at this time, which is that of a whole step."""
        ends = math.inf if self.until is None else self.until + step / 2
        return time <= ends and self.insertion.due(time - self.start) > self.state.inserted

    def steps_ahead(self, time: float, step: float) -> int:
        """At most as many steps as until something is due; at least one."""
        if self.is_due(time + step, step):
            return 1
        next_due = (self.state.inserted + 1) / self.insertion.rate
        ahead = (next_due - (time - self.start)) / step
        # what is due after the end never comes; a step early is no harm, since it is asked again
        return max(1, int(min(ahead, MOST_STEPS)) - 1) if ahead > 0 else int(MOST_STEPS)
