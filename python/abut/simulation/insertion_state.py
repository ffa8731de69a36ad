"""Progress of an insertion, and the grains that it inserts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.random.bit_generator import ISeedSequence

from ..base.arrays import Doubles


class _Zeros(ISeedSequence):
    """A seed for generators that get another state at once: a usual seed takes longer."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return np.zeros(n_words, dtype)


@dataclass
class KindState:
    """Progress of an `Insertion` with one kind of grain.

    Attributes
    ----------
    start : int
        Start of the sequence of places in a distribution; see `strata`.
    drawn : int
        Number of sizes that were drawn.
    mass : float
        Mass of the grains that became due.
    ahead : list of float
        Sizes that were drawn, of grains that are not due yet.
    """

    start: int
    drawn: int = 0
    mass: float = 0.0
    ahead: list[float] = field(default_factory=list)

    def copy(self) -> KindState:
        """An independent copy."""
        return KindState(self.start, self.drawn, self.mass, list(self.ahead))


@dataclass
class InsertionState:
    """Progress of an `Insertion`; `Insertion.begin` makes it.

    Attributes
    ----------
    generator : numpy.random.Generator
    inserted : int
        Number of grains that were inserted so far.
    waiting : list of float
        Radii of the spheres that are due but have no place yet; 1 for each cluster, and the scale
        of each body.
    kinds : list of KindState
        Progress with each kind of grain.
    waiting_kinds : list of int
        The kind of each grain that waits.
    """

    generator: np.random.Generator
    inserted: int = 0
    waiting: list[float] = field(default_factory=list)
    kinds: list[KindState] = field(default_factory=list)
    waiting_kinds: list[int] = field(default_factory=list)

    def copy(self) -> InsertionState:
        """An independent copy."""
        generator = np.random.Generator(np.random.PCG64(_Zeros()))  # type: ignore[arg-type]
        generator.bit_generator.state = self.generator.bit_generator.state
        kinds = [kind.copy() for kind in self.kinds]
        waiting, waiting_kinds = list(self.waiting), list(self.waiting_kinds)
        return InsertionState(generator, self.inserted, waiting, kinds, waiting_kinds)

    def to_dict(self) -> dict[str, Any]:
        """The state as JSON values, which `Insertion.state_from_dict` reads."""
        stored = {
            "generator": self.generator.bit_generator.state,
            "inserted": self.inserted,
            "waiting": list(self.waiting),
        }
        if not self.kinds:
            return stored
        kinds = [vars(kind.copy()) for kind in self.kinds]
        return stored | {"kinds": kinds, "waiting_kinds": list(self.waiting_kinds)}

    def without(self, arrivals: Sequence[Arrival]) -> InsertionState:
        """The state before these grains were inserted, which wait in it."""
        state = self.copy()
        for arrival in arrivals:
            state.inserted -= len(arrival.sizes)
            state.waiting += arrival.sizes.tolist()
            state.waiting_kinds += [arrival.kind] * len(arrival.sizes)
        return state


class Arrival(NamedTuple):
    """Grains of one kind that are inserted together.

    `turns` are orientations (n, 4), unused for spheres; `velocities` (n, 3), or None.
    """

    kind: int
    positions: Doubles
    sizes: Doubles
    turns: Doubles
    velocities: Doubles | None
