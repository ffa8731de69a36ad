"""What a simulation warns of while it runs, of each thing once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from ..base import checks
from ..base.warnings import SimulationWarning, warn
from ..search.half_space import HalfSpace

if TYPE_CHECKING:
    from .simulation import Simulation

# Multiples of the longest stable step with which measured scenes begin not to come to rest, and to
# fly apart: the table of docs/dem.md, section 2. From the first one on a simulation warns.
LONGEST, _APART = 1.5, 2.5

# After so many steps it is asked anew, and after the first so many. Asking takes a fifth of a step,
# and as long as steps of some spheres at least: fewer than these wait longer.
_OFTEN, _SOON = 200, 2
_FEW = 20

# the library's numbers of who moves, or touches
SPHERE, BODY, WALL = range(3)


class StableStep(NamedTuple):
    """The longest stable step, and who sets it: a sphere's row, or a body's, and what it touches
    then."""

    step: float
    kind: int
    row: int
    contacts: int


class Notice(NamedTuple):
    """What the library has noticed: when, who, whom with, and by how much of a radius."""

    step: int
    kind: int
    other_kind: int
    row: int
    other_row: int
    ratio: float


class Watch:
    """What was warned of, and what is next looked at.

    The library notices the first sphere that moves too fast, and the first overlap that grows too
    large, in whichever step that is; the longest stable step is asked now and then.
    """

    def __init__(self) -> None:
        self.said: set[str] = set()
        self.due = 0  # the step after which it is looked next
        self._seen = -1  # the simulation's count of changes after the last steps
        self._noticed: list[tuple[str, str]] = []

    def tell(self, kind: str, message: str) -> None:
        """Give a warning, of a kind that was not given before."""
        if kind not in self.said:
            self.said.add(kind)
            warn(message, SimulationWarning)

    def begin(self, simulation: Simulation) -> None:
        """Look where a run begins, and once more when contacts were found, unless nothing has
        changed since the last run: it may have been one of many that are short."""
        if self._seen != simulation._core.change_count:
            self._look_at_step(simulation)
            self.due = simulation.step_count + _SOON

    def take(self, simulation: Simulation) -> None:
        """Take what the library has noticed, while numbers are those of its steps."""
        found = simulation._core.notices()
        if found is None:
            return
        fast, deep, placed, count, speed = found
        if placed is not None:
            notice = Notice(*placed)
            # of each step, since each way in is looked at
            kind = f"placed {notice.step}"
            self._noticed.append((kind, _placed_text(simulation, notice, count, speed)))
        for kind, told in (("fast", fast), ("deep", deep)):
            if told is not None and kind not in self.said:
                self._noticed.append((kind, _TEXTS[kind](simulation, Notice(*told))))

    def look(self, simulation: Simulation) -> None:
        """Tell what was noticed, and look at the step where that is due."""
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
        """Look at a step that has been assigned, whatever was said of the one before."""
        self.said.discard("step")
        self._look_at_step(simulation)

    def give(self) -> None:
        """Tell what was noticed."""
        while self._noticed:
            self.tell(*self._noticed.pop(0))

    def _look_at_step(self, simulation: Simulation) -> None:
        if "step" in self.said:
            return
        longest = simulation._running.longest_step()
        if simulation.step > LONGEST * longest.step:
            self.tell("step", _step_text(simulation, longest))

    def _look_at_servos(self, simulation: Simulation) -> None:
        walls = simulation._walls
        for number in walls.derived.driven:
            of = walls.drive(number)
            is_plane = isinstance(walls.entries[number].mesh, HalfSpace)
            if of["alone"] >= of["size"] and (is_plane or of["size"] > 0):
                limit = "away from all grains" if is_plane else "as far as its mesh is large"
                self.tell(
                    f"alone {number}",
                    f"wall {number} has gone {of['alone']:.3g} by its Servo, {limit}, and touches"
                    " nothing that bears its load: it stands still until something does",
                )


# ---- what warnings say ---------------------------------------------------------------------------


def too_long(step: float, stable: float, is_called: str) -> str:
    """What to do about a step that is longer than the longest stable one by far, and why."""
    outcome = "fly apart" if step >= _APART * stable else "not come to rest"
    return (
        f"use {is_called} = {_rounded_down(stable)} or shorter: {step:g} is"
        f" {step / stable:.2g} times the longest stable step, and grains may {outcome}"
    )


def _rounded_down(value: float) -> str:
    """Two digits that can be typed."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.floor(value / unit) * unit:.2g}"


def _step_text(simulation: Simulation, longest: StableStep) -> str:
    noun, several = ("spot", "spots") if longest.kind == BODY else ("contact", "contacts")
    if longest.kind == SPHERE and len(simulation.bonds):
        noun, several = "contact or bond", "contacts and bonds"
    contacts = checks.counted(longest.contacts, noun, several)
    how = f" with its {contacts}" if longest.contacts else ", which touches nothing,"
    return (
        f"{too_long(simulation.step, longest.step, 'sim.step')}."
        f" {_name(simulation, longest.kind, longest.row).capitalize()}{how} sets this limit after"
        f" step {simulation.step_count}"
    )


def _name(simulation: Simulation, kind: int, row: int) -> str:
    """What a caller calls it: numbers last."""
    if kind == WALL:
        return f"wall {simulation._walls.order[row]}"
    known = simulation._settled()
    return f"body {known.bodies[row]}" if kind == BODY else f"sphere {known.ids[row]}"


def _fast_text(simulation: Simulation, n: Notice) -> str:
    radius = "inner radius" if n.kind == BODY else "radius"
    return (
        f"{_name(simulation, n.kind, n.row)} moves by {n.ratio:.3g} times its {radius} in step"
        f" {n.step}: it may pass through walls and others without touching them; a shorter step"
        " helps"
    )


def _overlap(simulation: Simulation, n: Notice) -> str:
    whose = "its" if n.other_kind == WALL else "the smaller"
    radius = "inner radius" if n.kind == BODY else "radius"
    return (
        f"{_name(simulation, n.kind, n.row)} overlaps"
        f" {_name(simulation, n.other_kind, n.other_row)} by {n.ratio:.1%} of {whose} {radius} in"
        f" step {n.step}"
    )


def _placed_text(simulation: Simulation, n: Notice, count: int, speed: float) -> str:
    others = count - 1
    more = f" (and {checks.counted(others, 'other overlap')} of more than 5%)" if others else ""
    how_fast = f" at a speed of {speed:.3g}" if speed > 0 else ""
    or_bond = ", or bond them" if n.kind == n.other_kind == SPHERE else ""
    return (
        f"{_overlap(simulation, n)}, where they were put{more}: they will fly apart{how_fast};"
        f" move them apart{or_bond}"
    )


def _deep_text(simulation: Simulation, n: Notice) -> str:
    return (
        f"{_overlap(simulation, n)}, but laws of contact mean a few percent: it is pressed too hard"
        " for its law, moves too fast, or the step is too long"
    )


_TEXTS = {"fast": _fast_text, "deep": _deep_text}
