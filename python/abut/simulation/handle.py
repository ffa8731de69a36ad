"""Handles: they remove a callable or an insertion from a simulation."""

from __future__ import annotations

from collections.abc import Callable


class Handle:
    """Ends calls or an insertion: `add_force`, `every`, `add_insertion` and others return it.

    Examples
    --------
    >>> import abut
    >>> sim = abut.Simulation(step=0.25)
    >>> clock = sim.every(0.5, lambda s: print(s.time))
    >>> sim.run(0.5)
    0.5
    >>> clock.remove()
    >>> sim.run(0.5)
    """

    __slots__ = ("_remove", "_what")

    def __init__(self, what: str, remove: Callable[[], None]) -> None:
        self._what, self._remove = what, remove

    def remove(self) -> None:
        """End the calls, or the insertion.

        In a callable, it takes effect from the next call on. A second `remove` has no effect.

        Raises
        ------
        RuntimeError
            If another thread runs the simulation.
        """
        self._remove()

    def __repr__(self) -> str:
        return f"Handle({self._what})"
