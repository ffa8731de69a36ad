"""What a simulation warns of while it runs, of each thing once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import checks
from .mesh import warn
from .placement import SimulationWarning

if TYPE_CHECKING:
    from .simulation import Simulation

# Multiples of the longest stable step, and how many of so many measured scenes got restless, and
# flew apart, with them: the table of docs/dem.md, section 2.
_SCENES = 11
_MEASURED = (
    (1.5, 2, 0),
    (1.75, 5, 0),
    (2.0, 6, 0),
    (2.5, 5, 2),
    (3.0, 4, 4),
    (3.5, 3, 6),
    (4.0, 2, 8),
    (5.0, 1, 9),
    (6.0, 1, 10),
    (8.0, 0, 11),
)

# After so many steps it is asked anew, and after the first so many: asking takes a fifth of a step.
_OFTEN, _SOON = 200, 2

# the library's numbers of who touches
_SPHERE, _BODY, _WALL = range(3)


class StableStep(NamedTuple):
    """The longest stable step, and who sets it."""

    step: float
    who: str


class Watch:
    """What was warned of, and what is next looked at.

    The library notices the first sphere that moves too fast, and the first overlap that grows too
    large, in whichever step that is; the longest stable step is asked now and then.
    """

    def __init__(self) -> None:
        self.said: set[str] = set()
        self.due = 0  # the step after which it is looked next
        self._noticed: list[tuple[str, str]] = []

    def tell(self, kind: str, message: str) -> None:
        """Give a warning, of a kind that was not given before."""
        if kind not in self.said:
            self.said.add(kind)
            warn(message, SimulationWarning)

    def begin(self, simulation: Simulation) -> None:
        """Look where a run begins, and once more when contacts were found."""
        self._look_at_step(simulation)
        self.due = simulation.step_count + _SOON

    def take(self, simulation: Simulation) -> None:
        """Take what the library has noticed, while numbers are those of its steps."""
        for kind, notice in zip(("fast", "deep"), simulation._core.notices(), strict=True):
            if notice is not None and kind not in self.said:
                self._noticed.append((kind, _TEXTS[kind](simulation, *notice)))

    def look(self, simulation: Simulation) -> None:
        """Tell what was noticed, and look at the step where that is due."""
        self.give()
        now = simulation.step_count
        if now >= self.due:
            self._look_at_step(simulation)
            self.due = now - now % _OFTEN + _OFTEN

    def give(self) -> None:
        """Tell what was noticed."""
        while self._noticed:
            self.tell(*self._noticed.pop(0))

    def _look_at_step(self, simulation: Simulation) -> None:
        if "step" in self.said:
            return
        longest = simulation._longest_step()
        if simulation.step > _MEASURED[0][0] * longest.step:
            self.tell("step", _step_text(simulation, longest))


# ---- what warnings say ---------------------------------------------------------------------------


def _step_text(simulation: Simulation, longest: StableStep) -> str:
    ratio = simulation.step / longest.step if longest.step else float("inf")
    factor, restless, apart = [row for row in _MEASURED if row[0] <= ratio][-1]
    return (
        f"step is {simulation.step:g}, {ratio:.2g} times the longest stable one,"
        f" {longest.step:.3g}, which {longest.who} sets after step {simulation.step_count}: with"
        f" {factor:g} times, {restless} of {_SCENES} measured scenes got restless, and {apart} flew"
        " apart"
    )


def who_sets(name: str, contacts: int, noun: str) -> str:
    """Who sets the longest stable step, and by what."""
    if contacts:
        return f"{name} with its {checks.counted(contacts, noun)}"
    return f"{name}, which touches nothing,"


def _name(simulation: Simulation, kind: int, number: int) -> str:
    if kind == _WALL:
        return f"wall {simulation._walls.order[number]}"
    known = simulation._settled()
    return f"body {known.bodies[number]}" if kind == _BODY else f"sphere {known.ids[number]}"


def _fast_text(
    simulation: Simulation, step: int, kind: int, _: int, number: int, __: int, ratio: float
) -> str:
    radius = "radius" if kind == _SPHERE else "inner radius"
    return (
        f"{_name(simulation, kind, number)} moves by {ratio:.3g} times its {radius} in step {step}:"
        " it may pass through walls and others without touching them; a shorter step helps"
    )


def _deep_text(
    simulation: Simulation, step: int, kind: int, other: int, number: int, second: int, ratio: float
) -> str:
    radius = "its radius" if other == _WALL else "the smaller radius"
    if _BODY in (kind, other):
        radius = radius.replace("radius", "inner radius")
    return (
        f"{_name(simulation, kind, number)} overlaps {_name(simulation, other, second)} by"
        f" {ratio:.0%} of {radius} in step {step}, but laws of contact mean a few percent: it is"
        " pressed too hard for its law, moves too fast, or the step is too long"
    )


_TEXTS = {"fast": _fast_text, "deep": _deep_text}
