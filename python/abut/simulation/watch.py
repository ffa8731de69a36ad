"""Warnings of a simulation during a run; each kind is given once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from ..base import checks
from ..base.warnings import SimulationWarning, warn
from ..search.half_space import HalfSpace

if TYPE_CHECKING:
    from .simulation import Simulation

# Multiples of the longest stable step. Above LONGEST, there is a warning, and simulations in the
# table of docs/dem.md, section 2, no longer come to rest. Above _APART, they fly apart.
LONGEST, _APART = 1.5, 2.5

# The step length is checked every _OFTEN steps, and after the first _SOON steps of a run. A check
# takes a fifth of the time of a step, but at least as long as a step of _FEW particles. With fewer
# particles, checks are less frequent.
_OFTEN, _SOON = 200, 2
_FEW = 20

# the library's numbers of the kinds of partners
SPHERE, BODY, WALL = range(3)


class StableStep(NamedTuple):
    """The longest stable step; kind, row and contact count of the limiting particle or wall."""

    step: float
    kind: int
    row: int
    contacts: int


class Notice(NamedTuple):
    """A large displacement or overlap in a step: partners, and its length divided by a radius."""

    step: int
    kind: int
    other_kind: int
    row: int
    other_row: int
    ratio: float


class Watch:
    """The warnings that were given, and the next check.

    The library notices the first sphere or body that moves too fast, and the first overlap that is
    too large, in any step. At intervals, the step is compared with the longest stable step.
    """

    def __init__(self) -> None:
        self.warned: set[str] = set()  # kinds of warnings that were given
        self.due = 0  # the step after which the next check is due
        self._seen = -1  # the simulation's count of changes after the last steps
        self._noticed: list[tuple[str, str]] = []

    def warn_once(self, kind: str, message: str) -> None:
        """Give a warning unless one of its kind was given before."""
        if kind not in self.warned:
            self.warned.add(kind)
            warn(message, SimulationWarning)

    def begin(self, simulation: Simulation) -> None:
        """Check the step when a run begins, unless nothing has changed since the last run.

        A run that continues the last one needs no check of its own. The next check follows after
        _SOON steps, when the contacts are known.
        """
        if self._seen != simulation._core.change_count:
            self._look_at_step(simulation)
            self.due = simulation.step_count + _SOON

    def take(self, simulation: Simulation) -> None:
        """Read the events that the library has noticed, before a change can renumber the rows."""
        found = simulation._core.notices()
        if found is None:
            return
        fast, deep, placed, count, speed = found
        if placed is not None:
            deepest = Notice(*placed)
            # a new kind of warning in each step, since particles may be added several times
            kind = f"placed {deepest.step}"
            self._noticed.append((kind, _placed_text(simulation, deepest, count, speed)))
        for kind, notice in (("fast", fast), ("deep", deep)):
            if notice is not None and kind not in self.warned:
                self._noticed.append((kind, _TEXTS[kind](simulation, Notice(*notice))))

    def look(self, simulation: Simulation) -> None:
        """Give the warnings that are waiting, and check the step if a check is due."""
        self._seen = simulation._core.change_count
        self.give()
        self._look_at_servos(simulation)
        now = simulation.step_count
        if now >= self.due:
            self._look_at_step(simulation)
            count = len(simulation.ids) + len(simulation._settled().bodies)
            often = _OFTEN * -(-_FEW // min(max(count, 1), _FEW))
            self.due = now - now % often + often

    def look_at_new_step(self, simulation: Simulation) -> None:
        """Check a newly assigned step, even if an earlier step has led to a warning."""
        self.warned.discard("step")
        self._look_at_step(simulation)

    def give(self) -> None:
        """Give the warnings for the events that the library has noticed."""
        while self._noticed:
            self.warn_once(*self._noticed.pop(0))

    def _look_at_step(self, simulation: Simulation) -> None:
        if "step" in self.warned:
            return
        longest = simulation._running.longest_step()
        if simulation.step > LONGEST * longest.step:
            self.warn_once("step", _step_text(simulation, longest))

    def _look_at_servos(self, simulation: Simulation) -> None:
        walls = simulation._walls
        for number in walls.derived.driven:
            drive = walls.drive(number)
            is_plane = isinstance(walls.entries[number].mesh, HalfSpace)
            if drive["alone"] >= drive["size"] and (is_plane or drive["size"] > 0):
                moved = f"moved by {drive['alone']:.3g} with its Servo, the size of its mesh"
                moved = "left all grains with its Servo" if is_plane else moved
                self.warn_once(
                    f"alone {number}",
                    f"wall {number} has {moved}, and touches nothing that bears its load. It stands"
                    " still until something does",
                )


# ---- texts of warnings ---------------------------------------------------------------------------


def too_long(step: float, stable: float, assignment: str) -> str:
    """The text that a step is longer than the longest stable one, and what to do about it."""
    outcome = "may fly apart" if step >= _APART * stable else "may not come to rest"
    return (
        f"the step of {step:g} is {step / stable:.2g} times the longest stable one: grains"
        f" {outcome}. Use {assignment}{_rounded_down(stable)} or shorter"
    )


def _rounded_down(value: float) -> str:
    """The value rounded down to two digits, as text that can be typed."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.floor(value / unit) * unit:.2g}"


def _step_text(simulation: Simulation, longest: StableStep) -> str:
    noun, several = ("spot", "spots") if longest.kind == BODY else ("contact", "contacts")
    if longest.kind == SPHERE and len(simulation.bonds):
        noun, several = "contact or bond", "contacts and bonds"
    contacts = checks.counted(longest.contacts, noun, several)
    how = f" with its {contacts}" if longest.contacts else ", which touches nothing,"
    return (
        f"{too_long(simulation.step, longest.step, 'sim.step = ')}."
        f" {_name(simulation, longest.kind, longest.row).capitalize()}{how} sets this limit after"
        f" step {simulation.step_count}"
    )


def _name(simulation: Simulation, kind: int, row: int) -> str:
    """The name of a partner for users, with its lasting number."""
    if kind == WALL:
        return f"wall {simulation._walls.order[row]}"
    known = simulation._settled()
    return f"body {known.bodies[row]}" if kind == BODY else f"sphere {known.ids[row]}"


def _fast_text(simulation: Simulation, n: Notice) -> str:
    radius = "inner radius" if n.kind == BODY else "radius"
    remedy = f"Use sim.step = {_rounded_down(simulation.step / n.ratio)} or shorter"
    return (
        f"{_name(simulation, n.kind, n.row)} moves by {n.ratio:.3g} times its {radius} in step"
        f" {n.step}: it may pass through walls and particles without touching them. {remedy}"
    )


def _overlap(simulation: Simulation, n: Notice) -> str:
    owner = "its" if n.other_kind == WALL else "the smaller"
    radius = "inner radius" if n.kind == BODY else "radius"
    return (
        f"{_name(simulation, n.kind, n.row)} overlaps"
        f" {_name(simulation, n.other_kind, n.other_row)} by {n.ratio:.1%} of {owner} {radius} in"
        f" step {n.step}"
    )


def _placed_text(simulation: Simulation, n: Notice, count: int, speed: float) -> str:
    others = count - 1
    more = f" (and {checks.counted(others, 'other overlap')} of more than 5%)" if others else ""
    how_fast = f" at a speed of {speed:.3g}" if speed > 0 else ""
    or_bond = ", or bond them" if n.kind == n.other_kind == SPHERE else ""
    return (
        f"{_overlap(simulation, n)}, where they were placed{more}: they will fly apart{how_fast}."
        f" Move them apart{or_bond}"
    )


def _deep_text(simulation: Simulation, n: Notice) -> str:
    return (
        f"{_overlap(simulation, n)}, but contact laws hold for a few percent. Use a shorter step,"
        " lower speeds or loads, or a stiffer law"
    )


_TEXTS = {"fast": _fast_text, "deep": _deep_text}
