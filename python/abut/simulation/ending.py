"""Where a run ends: after a number of steps, at a time, where a condition is true, or by `stop`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..base import checks
from .schedule import Beat, step_after

if TYPE_CHECKING:
    from .simulation import Simulation

Condition = Callable[["Simulation"], Any]


@dataclass
class Ending:
    """The end of a run, with numbers of steps for the present length of steps."""

    beat: Beat
    limit: int  # the last step, by the run's duration or number of steps
    limit_time: float | None = None  # the time at which the run ends, by its duration
    goal: int | None = None  # the step that ends nearest to `until`, if that is a time
    goal_time: float | None = None
    condition: Condition | None = None  # `until`, if that is a callable
    interval: float | None = None  # time between two checks; None: after each step
    next_check: int = 0  # the step after which the condition is checked next
    is_true: bool = False  # whether the condition came true
    is_stopped: bool = False  # whether `stop` was called

    @property
    def last(self) -> int:
        """The last step, unless a condition or `stop` ends the run before."""
        return self.limit if self.goal is None else min(self.limit, self.goal)

    def is_over(self, now: int) -> bool:
        """Whether the run ends after this step."""
        return self.is_stopped or self.is_true or now >= self.last

    def next_stop(self) -> int:
        """The next step after which the condition is checked, or the last step."""
        return self.last if self.condition is None else min(self.next_check, self.last)

    def follow(self, now: int, time: float, beat: Beat) -> None:
        """Find all steps again, if the length of steps has changed."""
        if beat is self.beat:
            return
        self.beat = beat
        if self.limit_time is not None:
            self.limit = _step_at(self.limit_time, now, time, beat)
        if self.goal_time is not None:
            self.goal = _step_at(self.goal_time, now, time, beat)
        if self.next_check > now:
            self._find_next_check(now)

    def begin(self, now: int, time: float) -> None:
        """Find the step of `until`, and the first check."""
        if self.goal_time is not None:
            self.goal = _step_at(self.goal_time, now, time, self.beat)
        self._find_next_check(now)

    def check(self, simulation: Simulation) -> None:
        """Check the condition, if that is due after the present step, or the run ends there."""
        now = simulation.step_count
        if self.condition is None or not (now >= self.next_check or self.is_over(now)):
            return
        self.is_true = _read_answer(simulation._core.lend(partial(self.condition, simulation)))
        self._find_next_check(now)

    def result(self, now: int) -> bool | None:
        """Whether `until` came true; None without `until`."""
        if self.condition is not None:
            return self.is_true
        return None if self.goal is None else now >= self.goal

    def _find_next_check(self, now: int) -> None:
        every = self.interval
        self.next_check = now + 1 if every is None else step_after(every, now, self.beat)


def _step_at(time: float, now: int, time_now: float, beat: Beat) -> int:
    """The step that ends nearest to a time, from the present step on."""
    return now + round(max(0.0, beat.steps(time - time_now)))


def _read_answer(answer: Any) -> bool:
    try:
        if answer is not None:
            return bool(answer)
    except ValueError:  # an array with several items
        pass
    kind = "None" if answer is None else checks.a_or_an(type(answer).__name__)
    raise TypeError(f"the callable of until= returned {kind}, but must return True or False")
