"""What happens to a simulation on its way: what is called, and what comes in, after which steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from .insertion import Insertion, InsertionState

# steps are counted exactly up to here
MOST_STEPS = 2.0**53

# Steps between two looks for a place where one has waited for long: a look takes as long as some
# ten steps of a few hundred spheres.
_MOST_WAITED = 64


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
    # the step after which something was due that found no place; None where nothing waits
    full_since: int | None = None

    def is_due(self, now: int, step: float) -> bool:
        """Whether something is to be tried after this step."""
        due = self.insertion.due(now * step - self.start)
        return not self._has_ended(now, step) and due > self.state.inserted and self._looks(now)

    def steps_ahead(self, now: int, step: float) -> int:
        """At most as many steps as until something is to be tried; at least one."""
        if self._has_ended(now + 1, step):
            return int(MOST_STEPS)
        if self.full_since is not None:
            return self.full_since + _look_after(now - self.full_since) - now
        if self.is_due(now + 1, step):
            return 1
        next_due = (self.state.inserted + 1) / self.insertion.rate
        ahead = (next_due - (now * step - self.start)) / step
        # a step early is no harm, since it is asked again
        return max(1, int(min(ahead, MOST_STEPS)) - 1) if ahead > 0 else int(MOST_STEPS)

    def tries(self, now: int) -> int:
        """At how many places each is tried now: as many as steps since the last look."""
        waited = 0 if self.full_since is None else now - self.full_since
        return waited - _look_before(waited) if waited else 1

    def asked(self, now: int, state: InsertionState) -> Feed:
        """It was asked after this step, and has inserted more, or not."""
        since = now if self.full_since is None else self.full_since
        return replace(self, state=state, seen=now, full_since=since if state.waiting else None)

    def _has_ended(self, now: int, step: float) -> bool:
        return self.until is not None and now * step > self.until + step / 2

    def _looks(self, now: int) -> bool:
        waited = None if self.full_since is None else now - self.full_since
        return waited is None or (waited > 0 and waited == _look_after(waited - 1))


def _look_after(waited: int) -> int:
    """So many steps of waiting are over: after how many it looks next."""
    if waited < _MOST_WAITED:
        return int(1 << waited.bit_length())
    return waited - waited % _MOST_WAITED + _MOST_WAITED


def _look_before(waited: int) -> int:
    """After how many steps it has looked last before it looks now."""
    return waited // 2 if waited <= _MOST_WAITED else waited - _MOST_WAITED
