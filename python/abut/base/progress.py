"""Progress of a run, printed on standard error."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from . import checks

# shortest time between two lines, in seconds
_PAUSE = 0.25


class Counts(NamedTuple):
    """Counts of a simulation that a line of progress shows."""

    steps: int
    spheres: int
    contacts: int
    sphere_steps: int


class _Meter:
    """A line that is written at intervals, and at the end."""

    def __init__(self, total: int, unit: str) -> None:
        self._began = self._last = time.perf_counter()
        self._line = _line_of(total, unit)

    def _write_if_due(self) -> None:
        """Write the line if the last one is old enough."""
        now = time.perf_counter()
        if now - self._last >= _PAUSE:
            self._last = now
            self._write()

    def close(self) -> None:
        """Write the line a last time, with what was done, and end it."""
        self._line.finish(*self._state())

    def _write(self) -> None:
        self._line.write(*self._state())

    def _state(self) -> tuple[int, float, str]:
        """The number of finished items, the seconds since the start, and a text."""
        raise NotImplementedError


class Progress(_Meter):
    """A line of progress that is written again and again, by tqdm if it is installed.

    Parameters
    ----------
    total : int
        Number of steps of the run.
    count : callable
        Returns the current counts.
    """

    def __init__(self, total: int, count: Callable[[], Counts]) -> None:
        self._count = count
        self._first = count()
        super().__init__(total, "step")

    def steps_ahead(self, now: int) -> int:
        """About how many steps fit into the pause between two lines, after step `now`."""
        done = now - self._first.steps
        seconds = time.perf_counter() - self._began
        return max(1, int(done / seconds * _PAUSE)) if done else 1

    def update(self, last: int) -> None:
        """Write the line if it is due; `last` is the number of the run's last step."""
        self._line.expect(last - self._first.steps)
        self._write_if_due()

    def _state(self) -> tuple[int, float, str]:
        now, first = self._count(), self._first
        seconds = time.perf_counter() - self._began
        sphere_steps = now.sphere_steps - first.sphere_steps
        text = f"{checks.counted(now.spheres, 'sphere')}, {checks.counted(now.contacts, 'contact')}"
        if sphere_steps:
            text += f", {1e9 * seconds / sphere_steps:.0f} ns per sphere-step"
        return now.steps - first.steps, seconds, text


class Tally(_Meter):
    """A line with the number of finished items of some work, which is written again and again.

    Parameters
    ----------
    total : int
        Number of items.
    unit : str
        Noun for one item.
    """

    def __init__(self, total: int, unit: str) -> None:
        super().__init__(total, unit)
        self._done, self._text = 0, ""

    def update(self, done: int, text: str) -> None:
        """Write the line if it is due."""
        self._done, self._text = done, text
        self._write_if_due()

    def _state(self) -> tuple[int, float, str]:
        return self._done, time.perf_counter() - self._began, self._text


class _Writer(Protocol):
    def expect(self, total: int) -> None:
        """Change the number of items of the whole work."""

    def write(self, done: int, seconds: float, text: str) -> None:
        """Write the line during the work."""

    def finish(self, done: int, seconds: float, text: str) -> None:
        """Write the line for the last time; fewer items than expected may be done."""


class _Line:
    """A line of text on standard error."""

    def __init__(self, total: int, unit: str) -> None:
        self._total, self._unit, self._width = total, unit, 0

    def expect(self, total: int) -> None:
        self._total = total

    def write(self, done: int, seconds: float, text: str) -> None:
        left = f", {_clock(seconds / done * (self._total - done))} left" if done else ""
        self._print(done, text + left)

    def finish(self, done: int, seconds: float, text: str) -> None:
        end = "in" if done >= self._total else "ended early, after"
        self._print(done, f"{text}, {end} {_clock(seconds)}")
        print(file=sys.stderr, flush=True)

    def _print(self, done: int, text: str) -> None:
        # rounded down: 100% stands for finished work
        percent = 100 * done // self._total if self._total else 100
        line = f"{percent:3}% of {checks.counted(self._total, self._unit)}: {text}"
        # blanks overwrite the rest of a longer line
        print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = len(line)


class _TqdmLine:
    """tqdm's bar, which shows the remaining time itself."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def expect(self, total: int) -> None:
        self._bar.total = total

    def write(self, done: int, seconds: float, text: str) -> None:
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(done - self._bar.n)

    def finish(self, done: int, seconds: float, text: str) -> None:
        self.write(done, seconds, text if done >= self._bar.total else f"{text}, ended early")
        self._bar.close()


def _line_of(total: int, unit: str) -> _Writer:
    return _tqdm_line(total, unit) or _Line(total, unit)


def _tqdm_line(total: int, unit: str) -> _Writer | None:
    try:
        tqdm = importlib.import_module("tqdm")
    except ImportError:
        return None
    return _TqdmLine(tqdm.tqdm(total=total, unit=unit, file=sys.stderr))


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds, as 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
