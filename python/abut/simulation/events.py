"""Events of a simulation: calls of users' functions, and insertions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Doubles
from ..base.warnings import SimulationWarning, warn
from .column_input import read_forces
from .grains import Grains
from .handle import Handle
from .insertion import Insertion
from .insertion_state import Arrival
from .population import Part, name_of, read_call
from .python_side import changes
from .record import Record
from .schedule import MOST_STEPS, Feed

if TYPE_CHECKING:
    from .simulation import Simulation


def touching(simulation: Simulation, centers: Doubles, radii: Doubles) -> NDArray[np.bool_]:
    """Which of these spheres touch a sphere, a wall, or the circumscribed sphere of a body."""
    return simulation._core.touching(centers, radii).view(np.bool_)


class Events(Part):
    """Callables and insertions of a `Simulation`."""

    __slots__ = ()

    @changes
    def every(self, interval: float, call: Callable[[Simulation], Any]) -> Handle:
        """Call a function at regular intervals of time.

        Parameters
        ----------
        interval : float
            Time between calls, rounded to a number n of steps, at least 1. Calls follow the steps
            n, 2 n, 3 n and so on. After `step` was assigned, they follow the steps that end nearest
            to multiples of the interval.
        call : callable
            Takes the simulation. Callables that are due after the same step are called in the order
            of their registration. There is no call at time 0. A call that Ctrl-C interrupts is
            repeated when the simulation continues.

        Returns
        -------
        Handle
            Its `remove()` ends the calls. An exception in the callable does not end them.

        Raises
        ------
        ValueError
            If `interval` is not positive.
        TypeError
            If `call` is not callable.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> clock = sim.every(0.5, lambda s: print(s.time))
        >>> sim.run(1.0)
        0.5
        1.0
        """
        remove = self._add_event(interval, partial(read_call(call), self._sim))
        return Handle(f"every {interval:g}: {name_of(call)}", remove)

    def record(self, interval: float, call: Callable[[Simulation], Any]) -> Record:
        """Record a number, or an array, at regular intervals of time.

        Parameters
        ----------
        interval : float
            Time between values, with steps as for `every`.
        call : callable
            Takes the simulation and returns the value.

        Returns
        -------
        Record
            It has `times` and `values`, and grows during runs until its `remove()`.

        Raises
        ------
        ValueError, TypeError
            If `interval` is not positive, or `call` is not callable. If it returns None, the run
            ends with a TypeError.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> counts = sim.record(0.5, lambda s: s.step_count)
        >>> sim.run(1.0)
        >>> counts.times, counts.values
        (array([0.5, 1. ]), array([2, 4]))
        """
        record = Record()
        self.record_into(record, interval, read_call(call))
        return record

    @changes
    def record_into(
        self, record: Record, interval: float, call: Callable[[Simulation], Any]
    ) -> None:
        """Add the values of a callable to a record, at regular intervals of time."""
        record._end = self._add_event(
            interval, lambda: record._add(self._sim.time, call(self._sim))
        )

    def _add_event(self, interval: float, call: Callable[[], object]) -> Callable[[], None]:
        time = checks.positive(interval, "interval")
        self.steps_of(time, "interval")
        self._sim._schedule.add(time, self._sim.step_count, call)
        return partial(self._drop_event, call)

    @changes
    def _drop_event(self, call: Callable[[], object]) -> None:
        self._sim._schedule.drop(call)

    def steps_of(self, time: float, name: str) -> int:
        steps = self._sim._beat.steps(time)
        if not steps < MOST_STEPS:
            raise ValueError(f"{name} is {time:g}, which is more than 2^53 steps")
        return round(steps)

    @changes
    def add_insertion(self, feed: Insertion, until: float | None = None) -> Handle:
        """Insert spheres, clusters or bodies from now on.

        Parameters
        ----------
        feed : Insertion
            What is inserted, where, and at which rate.
        until : float, optional
            Simulation time after which nothing more is inserted.

        Returns
        -------
        Handle
            Its `remove()` ends the insertion.

        Raises
        ------
        ValueError
            If `until` is not finite, or a law of a cluster's or body's material has `RollingA`.
        TypeError
            If `feed` is not an Insertion.

        Warns
        -----
        SimulationWarning
            If grains come in through a face, but neither a velocity nor gravity carries them away
            from it.

        Examples
        --------
        >>> import abut
        >>> grain = abut.Material(density=1000, young=1e7)
        >>> sim = abut.Simulation(step=1e-3)
        >>> box = [[0, 0, 0], [1, 1, 1]]
        >>> feed = abut.Insertion(box, 0.01, rate=100, material=grain)
        >>> handle = sim.add_insertion(feed, until=0.05)
        >>> sim.run(0.1)
        >>> len(sim.ids)
        5
        """
        if not isinstance(feed, Insertion):
            kind = checks.a_or_an(type(feed).__name__)
            raise TypeError(f"feed is {kind}, but must be an Insertion")
        end = None if until is None else checks.finite(until, "until")
        laws = self._sim._laws
        for kind in feed.kinds:
            laws, number = laws.numbered(kind.material)
            if kind.cluster is not None:
                laws.check_clusters([number])
            if kind.shape is not None:
                laws.check_bodies([number])
        self._check_stream(feed)
        begun = Feed(feed, feed.begin(), self._sim.time, end, self._sim.step_count)
        self._core.note(self._sim._changed(laws=laws, feeds=(*self._sim._known.feeds, begun)))
        rate = f"{feed.rate:g}" if feed.rate is not None else f"a mass of {feed.mass_rate:g}"
        return Handle(f"insertion of {rate} a unit of time", partial(self._end_feed, begun))

    def _check_stream(self, feed: Insertion) -> None:
        """Warn if grains would stay at the face through which they come in."""
        forces = self._sim._forces or self._sim._body_forces
        flows = feed.velocity is None and self._sim.velocity_gradient.any()
        if forces or flows or not feed.stays_at_face(self._sim.gravity):
            return
        gravity = tuple(map(float, self._sim.gravity))
        warn(
            f'grains come in along "{feed.direction}", but with no velocity in this direction, and'
            f" gravity is {gravity}: they would stay at the face and block it. Give velocity= in"
            " this direction, or assign sim.gravity before",
            SimulationWarning,
        )

    @changes
    def _end_feed(self, begun: Feed) -> None:
        feeds = tuple(feed for feed in self._sim._known.feeds if feed.key is not begun.key)
        self._core.note(self._sim._changed(feeds=feeds))

    # ---- between two steps ----

    def apply_forces(self) -> None:
        """Call the callables that return forces, and pass the sums to the library."""
        if self._sim._body_forces:
            count = len(self._sim._settled().bodies)
            summed = partial(self._sum_forces, self._sim._body_forces, count, "add_body_force")
            self._core.apply(_core.BODIES, *self._core.lend(summed))
        if self._sim._forces:
            summed = partial(self._sum_forces, self._sim._forces, len(self._sim.ids), "add_force")
            self._core.apply(_core.SPHERES, *self._core.lend(summed))

    def _sum_forces(
        self, calls: list[Callable[[Any], Any]], count: int, adder: str
    ) -> tuple[Doubles, Doubles]:
        """The sum of the forces that all callables return, and the sum of their torques."""
        forces, torques = np.zeros((2, count, 3))
        for k, call in enumerate(calls):
            force, torque = read_forces(call(self._sim), count, f"callable {k} of {adder}")
            forces += force
            torques += torque
        return forces, torques

    def finish_step(self) -> None:
        """Do what is not yet done after a step: deform walls, apply bounds, insert, and call."""
        now = self._sim.step_count
        if self._sim._walls.derived.has_deforming:
            with self._sim._clock.of("calls"):
                self._sim._walls.deform(self._sim.time)
        self._sim._leaving.leave()
        for number, feed in enumerate(self._sim._known.feeds):
            if feed.seen < now and feed.is_due(now, self._sim._beat):
                with self._sim._clock.of("insertion"):
                    self._insert(number, feed)
        self._sim._schedule.note(now, self._sim._beat)
        if self._sim._schedule.has_due:
            with self._sim._clock.of("calls"):
                self._core.lend(self._sim._schedule.call_due)

    def _insert(self, number: int, feed: Feed) -> None:
        """Insert the due particles for which there is a place. After an error they stay due."""
        insertion, since, now = feed.insertion, self._sim.time - feed.start, self._sim.step_count
        state, near = feed.state.copy(), partial(touching, self._sim)
        arrivals = insertion.arrive(state, since, near, self._sim.period, feed.tries(now))
        if not arrivals:
            self._core.note(self._sim._changed(**self._fed(number, feed.tried(now, state))))
        for k, arrival in enumerate(arrivals):
            # grains of later kinds still wait in this state, in case an error comes between
            left = arrivals[k + 1 :]
            then = feed.tried(now, state.without(left) if left else state)
            self._add(insertion.kinds[arrival.kind], arrival, self._fed(number, then))

    def _fed(self, number: int, feed: Feed) -> dict[str, Any]:
        """The part of the record `Known` with this feed."""
        feeds = [*self._sim._known.feeds]
        feeds[number] = feed
        return {"feeds": tuple(feeds)}

    def _add(self, kind: Grains, arrival: Arrival, parts: dict[str, Any]) -> None:
        """Add grains, and replace `parts` of the record `Known`."""
        number = self._sim._laws.numbered(kind.material)[1]
        places, fast = arrival.positions, arrival.velocities
        given = {} if fast is None else {"velocities": fast}
        if kind.shape is not None:
            bodies = self._sim.bodies
            columns = bodies._columns(kind.shape, kind.material, number, *arrival[1:4])
            bodies._put([kind.shape], columns | given, **parts)
        elif kind.cluster is not None:
            clusters, turns = self._sim.clusters, np.ascontiguousarray(arrival.turns)
            found, members = clusters._columns(kind.cluster, kind.material, number, places, turns)
            clusters._put(kind.cluster, found | given, members, **parts)
        else:
            spheres = self._sim.spheres
            columns = spheres._columns(places, arrival.sizes, kind.material, number)
            spheres._put(columns | given, **parts)
