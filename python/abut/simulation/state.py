"""The state of a simulation: the C side, the record of it, and cached values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.periods import Period, PeriodLike, read_period, vectors_of
from ..base.threads import worker_count
from ..laws.law_table import LawTable
from ..laws.materials import Material
from ..search.statistics import Clock
from .cell import current_period
from .column_input import Numbers
from .ending import Ending
from .naming import names_what_was_meant
from .python_side import Fresh, Known
from .schedule import Beat, Schedule
from .walls import RESOLUTIONS, KnownWalls
from .watch import Watch

if TYPE_CHECKING:
    from ..options import WallResolution
    from ..search.finder import ContactFinder

_T = TypeVar("_T")


class State:
    """The base class of `Simulation`, with the attributes that its parts use."""

    @names_what_was_meant
    def __init__(
        self,
        step: float,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        period: PeriodLike = None,
        resolution: WallResolution = "hierarchy",
        workers: int | None = None,
    ) -> None:
        beat, pull = Beat(checks.number(step, "step")), read_gravity(gravity)
        self._period = read_period(period)
        self._resolution = resolution
        self._workers = None if workers is None else checks.whole(workers, "workers")
        self._worker_count = worker_count(workers)
        self._core = _core.Simulation(
            beat.step,
            pull,
            vectors_of(self._period),
            checks.choice(resolution, "resolution", RESOLUTIONS),
            self._worker_count,
        )
        self._core.note(Known((beat,), pull))
        self._walls = KnownWalls(self._core)
        self._forces: list[Callable[[Any], Any]] = []
        self._body_forces: list[Callable[[Any], Any]] = []
        self._schedule = Schedule()
        self._fresh = Fresh(-1, {})
        self._watch = Watch()
        self._clock = Clock()
        self._ending: Ending | None = None  # of the run that is going on
        # a finder, and the radius of the largest spheres for which its bins were built in advance
        self._prepared: tuple[ContactFinder | None, float] = (None, 0.0)

    @property
    def period(self) -> Period | None:
        return current_period(self)

    @property
    def resolution(self) -> WallResolution:
        return self._resolution

    @property
    def step_count(self) -> int:
        return self._core.counts()[0]

    @property
    def time(self) -> float:
        return self._beat.time(self.step_count)

    @property
    def ids(self) -> Indices:
        return self._settled().ids

    @property
    def materials(self) -> tuple[Material, ...]:
        return tuple(self._laws.materials)

    def _once(self, name: str, make: Callable[[], _T]) -> _T:
        """Return a value that is made on its first use after a change, and then cached."""
        fresh, count = self._fresh, self._core.change_count
        if fresh.change_count != count:
            fresh = self._fresh = Fresh(count, {})
        if name not in fresh.values:
            made = make()
            if self._core.change_count != count:
                raise RuntimeError(
                    "the simulation is at work: another thread or a signal handler has changed it"
                    " while it was read"
                )
            fresh.values[name] = made
        value: _T = fresh.values[name]
        return value

    # ---- the record of the C side ----

    @property
    def _known(self) -> Known:
        known: Known = self._core.known
        return known

    def _settled(self) -> Numbers:
        """The lasting numbers of all spheres, clusters and bodies."""
        return self._known.numbers

    @property
    def _beat(self) -> Beat:
        return self._known.beats[-1]

    @property
    def _laws(self) -> LawTable:
        return self._known.laws

    def _changed(self, **parts: Any) -> Known:
        """A copy of the record with other `parts`. New materials and shapes are passed to the
        library, where nothing uses them yet."""
        now = self._known
        then = now._replace(**parts)
        if then.laws is not now.laws:
            self._core.set_laws(
                len(then.laws.materials), then.laws.numbers(), then.laws.own_columns(), now
            )
        if then.shapes is not now.shapes:
            self._core.set_shapes(tuple(shape._core for shape in then.shapes))
        return then


def read_gravity(gravity: ArrayLike) -> Doubles:
    found = np.array(checks.vector(gravity, "gravity"))
    found.flags.writeable = False
    return found
