"""The steps of a simulation, and the exceptions that end them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _core
from ..base import checks
from ..base.progress import Counts, Progress
from ..base.simd import level
from ..base.threads import worker_count
from ..laws.probes import case_radius, case_text
from ..search.statistics import SimulationStatistics
from .cell_contents import cell_of
from .cell_stress import ask_targets, lost_cell
from .ending import Ending
from .population import Part
from .schedule import MOST_STEPS
from .watch import BODY, SPHERE, WALL, StableStep

if TYPE_CHECKING:
    from ..search.finder import ContactFinder
    from .simulation import Simulation

# statuses of the library that are about a convex body: `row` is then the body's row
_OF_BODIES = (
    _core.BODY_LAW,
    _core.BODY_CURVATURE,
    _core.BODY_LOST,
    _core.BODY_IMAGES,
    _core.BODY_MANY_IMAGES,
    _core.BODY_TOO_SMALL,
)

# number of steps times spheres from which on a run builds bins for the largest sphere in advance
_MANY_QUERIES = 100_000


class Running(Part):
    """The steps of a `Simulation`."""

    __slots__ = ()

    def run(
        self,
        duration: float | None = None,
        *,
        steps: int | None = None,
        until: float | Callable[[Simulation], Any] | None = None,
        every: float | None = None,
        progress: bool = False,
        workers: int | None = None,
    ) -> bool | None:
        """Run the simulation.

        Parameters
        ----------
        duration : float, optional
            Time to simulate: ``round(duration / step)`` steps. If a callable assigns `step`, the
            remaining time is divided by the new one.
        steps : int, optional
            Number of steps, in place of a duration.
        until : callable or float, optional
            A callable takes the simulation, and the run ends where it returns True, or else after
            the duration. It is called after each step, after what `every` calls, and at the end of
            the run. A number is a time as in `time`: the run ends with the step that ends nearest
            to it, or makes no step if that is done. Then no duration is needed.
        every : float, optional
            Time between two calls of `until`, which follow the same steps as those of
            `Simulation.every`.
        progress : bool, default False
            Whether to write a line of progress on standard error, by tqdm if it is installed:
            spheres, contacts, nanoseconds per sphere and step, and the remaining time.
        workers : int, optional
            Greatest number of threads in this run, in place of that of the simulation.

        Returns
        -------
        bool or None
            With a callable, what it returned last; with a time, whether the run has reached it;
            None without `until`.

        Raises
        ------
        ValueError
            If the duration is negative, not finite, or above 0 and shorter than half a step. If two
            materials touch that have no law. If a convex body without rounding touches something
            under a law that needs a radius (`Hertz`, or any with rolling) and has no `curvature`.
            If a `LiquidBridge` has too much volume for the radii. If a particle leaves the bounds
            of ``set_bounds(on_leave="raise")``. If a callable returned something wrong.
        TypeError
            If both or none of `duration` and `steps` are given, but for a time in `until`. If
            `every` is given without a callable in `until`, or that returns None or an array.
        FloatingPointError
            If the center of a sphere, a body or a `Free` wall is not finite; the message names it
            and the step. If a law of your own returns a value that is not finite; the message names
            law, pair, step and inputs.
        KeyboardInterrupt
            On Ctrl-C.
        RuntimeError
            If the simulation is running already.

        Warns
        -----
        SimulationWarning
            If `step` is longer than 1.5 times the longest stable one. This is checked at the start
            (unless nothing has changed since the last run), after two steps, and then every 200
            steps. With fewer than 20 spheres and bodies, it is checked less often.
            If a sphere moves by more than its radius in a step, or a convex body by more than its
            inner radius: they may pass through a wall.
            If an overlap grows beyond 10 % of the radius (the smaller one in a pair). The radius
            of a convex body is that of the largest sphere inside it about its center of mass.
            If overlaps exceed 5 % of a radius in the first step after particles or walls were
            added, switched on, moved, resized or released. The message names the deepest overlap,
            and the speed at which it will drive its two partners apart.
            If a wall with a `Servo` without mass has moved by the size of its mesh, and no contact
            supports its load.

        See Also
        --------
        stop : End a run from within.
        quiet : A condition for `until`: grains have come to rest.

        Notes
        -----
        Each kind of warning is given once, for the first case, even over several runs and restart
        files. Only overlaps of added particles are reported again.

        After an exception, also one of a callable, the simulation is at the end of a step, and
        `run` continues from there.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> sim.run(1.0)
        >>> sim.run(steps=6)
        >>> sim.step_count, sim.time
        (10, 2.5)
        >>> sim.run(until=4.0)
        True

        A ball that falls until it is low:

        >>> sim = abut.Simulation(step=1e-3)
        >>> _ = sim.add_spheres([[0, 0, 1]], 0.1, abut.Material(density=1000))
        >>> sim.run(5.0, until=lambda s: s.centers[0, 2] < 0.2, every=0.01)
        True
        >>> round(sim.time, 3)
        0.41
        """
        usual = self._sim._worker_count
        threads = usual if workers is None else worker_count(workers)
        level()  # raises a ValueError if the environment names an unknown level
        with self._core.lock(True), self._sim._clock.of("run"):
            ending = self._read_ending(duration, steps, until, every)
            count, left, meter = ending.last - self._sim.step_count, self._sim.left, None
            try:
                self._sim._ending = ending
                self._core.set_workers(threads)
                self._prepare(count)
                meter = Progress(count, self.count) if progress else None
                self._go_on(ending, meter)
            finally:
                self._sim._ending = None
                self._core.set_workers(usual)
                if meter is not None:
                    meter.close()
            self._sim._leaving.warn_of_left(left)
            return ending.result(self._sim.step_count)

    def stop(self) -> None:
        """End the run after the present step. Call it in a callable that `run` calls.

        All callables that are due after this step are still called. Another thread and a signal
        handler can call `stop`, too; the run then ends at most some hundred steps later.

        Raises
        ------
        RuntimeError
            If no run is going on.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> _ = sim.every(0.5, lambda s: s.stop() if s.time > 1.2 else None)
        >>> sim.run(10.0)
        >>> sim.time
        1.5
        """
        ending = self._sim._ending
        if ending is None:
            raise RuntimeError("no run is going on: call stop() in a callable that run() calls")
        ending.is_stopped = True

    # ---- where a run ends ----

    def _read_ending(
        self, duration: float | None, steps: int | None, until: Any, every: float | None
    ) -> Ending:
        if every is not None and not callable(until):
            raise TypeError("every= is the time between two calls of until=, which is no callable")
        now, time = self._sim.step_count, self._sim.time
        ending = Ending(self._sim._beat, now + self._read_limit(duration, steps, until))
        if duration is not None:
            ending.limit_time = time + float(duration)
        if callable(until):
            ending.condition = until
        elif until is not None:
            ending.goal_time = checks.finite(until, "until")
            self._sim._events.steps_of(ending.goal_time - time, "until")
        if every is not None:
            ending.interval = checks.positive(every, "every")
            self._sim._events.steps_of(ending.interval, "every")
        ending.begin(now, time)
        return ending

    def _read_limit(self, duration: float | None, steps: int | None, until: Any) -> int:
        """The largest number of steps of a run."""
        if duration is not None and steps is not None:
            raise TypeError("run takes either a duration or steps=, not both")
        if duration is not None:
            return self._steps_within(checks.not_negative(duration, "duration"))
        if steps is None:
            if callable(until):
                raise TypeError(
                    "run with a callable as until= also needs the longest duration, or steps=:"
                    " without it, a run might never end"
                )
            if until is None:
                raise TypeError("run takes either a duration or steps=, or a time as until=")
            return int(MOST_STEPS)
        count = checks.whole(steps, "steps")
        if count < 0:
            raise ValueError(f"steps is {count}, but must be 0 or more")
        return count

    def _steps_within(self, duration: float) -> int:
        count = self._sim._events.steps_of(duration, "duration")
        # largest rounding error of a duration t - sim.time with a t that is a sum of many intervals
        rounding = 1e-9 * self._sim.step + 1e-12 * abs(self._sim.time)
        if count == 0 and duration > rounding:
            raise ValueError(
                f"duration is {duration:g}, shorter than half a step of {self._sim.step:g}: give a"
                " longer duration, or steps="
            )
        return count

    # ---- steps ----

    def _prepare(self, count: int) -> None:
        """Check laws and walls, and build bins, before the first step of a run."""
        if cell_of(self._sim)["deforms"]:
            self._sim._cells.check_contents()
        if self._sim._resolution == "sharing":
            self._sim._laws.check_sharing(
                self._sim._walls.entries[k].material for k in self._sim._walls.order
            )
        if self._sim._walls.derived.has_given:
            self._core.lend(partial(self._sim._walls.check_given, self._sim.time))
        finder = self._sim._walls.finder
        if finder is not None and count * len(self._sim.ids) >= _MANY_QUERIES:
            self._prepare_finder(finder)

    def _prepare_finder(self, finder: ContactFinder) -> None:
        """Build the bins that contacts of the largest sphere need, unless they exist."""
        largest = float(self._sim.radii.max(initial=0.0))
        prepared, radius = self._sim._prepared
        if largest > (radius if finder is prepared else 0.0):
            finder.prepare(largest)
            self._sim._prepared = finder, largest

    def _go_on(self, ending: Ending, meter: Progress | None) -> None:
        # first finish what Ctrl-C or an error left undone after the last step
        self._finish(ending)
        if ending.is_over(self._sim.step_count):
            return
        self._sim._watch.begin(self._sim)
        while not ending.is_over(self._sim.step_count):
            self._advance(self._next_step(ending.next_stop(), meter) - self._sim.step_count)
            self._sim._watch.look(self._sim)
            self._finish(ending)
            if meter is not None:
                meter.update(ending.last)

    def _finish(self, ending: Ending) -> None:
        """Do what follows a step, and check whether the run is over."""
        sim = self._sim
        sim._events.finish_step()
        ending.follow(sim.step_count, sim.time, sim._beat)
        if ending.condition is not None:
            with sim._clock.of("calls"):
                ending.check(sim)
            ending.follow(sim.step_count, sim.time, sim._beat)

    def _next_step(self, end: int, meter: Progress | None) -> int:
        """The number of the step up to which the library can run without a return to Python."""
        now = self._sim.step_count
        has_calls = self._sim._forces or self._sim._body_forces or self._sim._walls.asks
        if has_calls or self._sim._known.held is not None:
            return now + 1
        ahead = [feed.steps_ahead(now, self._sim._beat) for feed in self._sim._known.feeds]
        if meter is not None:
            ahead.append(meter.steps_ahead(now))
        ends = [now + steps for steps in ahead]
        return min(
            self._sim._schedule.next_step(now, end, self._sim._beat),
            *ends,
            self._sim._watch.due,
            end,
        )

    def _advance(self, steps: int) -> None:
        # a callable may have added a body after the last step
        if self._sim._walls.derived.has_deforming:
            self._sim._walls.check_bodies(len(self._sim._settled().bodies))
        if self._sim._forces or self._sim._body_forces:
            with self._sim._clock.of("calls"):
                self._sim._events.apply_forces()
        if self._sim._walls.derived.has_asked:
            with self._sim._clock.of("calls"):
                self._core.lend(partial(self._sim._walls.ask_loads, self._sim))
        if self._sim._known.held is not None:
            with self._sim._clock.of("calls"):
                self._core.lend(partial(ask_targets, self._sim))
        try:
            stopped = self._core.run(steps)
        finally:
            self._sim._watch.take(self._sim)
        if stopped is not None and stopped[0] != _core.OUT_OF_BOUNDS:
            self._sim._watch.give()
            raise self._error(*stopped)
        if self._sim._walls.derived.has_given:
            with self._sim._clock.of("calls"):
                self._core.lend(partial(self._sim._walls.place_given, self._sim.time))

    # ---- what ends a run ----

    def _error(self, status: int, row: int, detail: int, value: float) -> Exception:
        """The exception for the library's status that ended a run."""
        if status in _OF_BODIES:
            return self._body_error(status, row, detail, value)
        if status == _core.LAW_NOT_FINITE:
            return self._law_error(row, detail, int(value))
        if status == _core.LAW_RADIUS:
            return self._radius_error(row, detail, int(value))
        if status in (_core.CELL_SMALL, _core.CELL_LARGE):
            return lost_cell(self._sim, status, detail, value)
        if status == _core.WALL_LOST:
            return FloatingPointError(
                f"wall {self._sim._walls.order[row]} is lost in step {detail}: its position is not"
                f" finite, or too far away. {_SHORTER}"
            )
        sphere = self._sim.ids[row]
        if status == _core.TOO_MANY_IMAGES:
            return _images_error(f"sphere {sphere}")
        if status == _core.SPHERE_LOST:
            return FloatingPointError(
                f"sphere {sphere} is lost in step {detail}: its center is not finite, or too far"
                f" away. {_SHORTER}"
            )
        return ValueError(f"sphere {sphere} of {self._sim._laws.missing(detail, int(value))}")

    def _law_error(self, first: int, second: int, kind: int) -> Exception:
        """The exception for a user's law that returned a value that is not finite."""
        number, inputs, outputs, old, _ = self._core.law_case()
        law = self._sim._laws.own[number]
        return FloatingPointError(
            f"{law!r} returned a value that is not finite for"
            f" {self._two(first, second, kind)} in step"
            f" {self._sim.step_count}: {case_text(law, self._sim.step, inputs, outputs, old)}"
        )

    def _radius_error(self, first: int, second: int, kind: int) -> Exception:
        """The exception for a liquid bridge with more volume than its force law covers."""
        number, inputs, *_ = self._core.law_case()
        bridge, radius = self._sim._laws.cohesion_at(number), 2.0 * case_radius(inputs)
        most = 0.1 * radius * radius * radius
        return ValueError(
            f"{bridge} between {self._two(first, second, kind)} has too much liquid for R ="
            f" 2 R* = {radius:.4g}: its volume must be at most 0.1 R^3, {most:.4g}"
        )

    def _two(self, first: int, second: int, kind: int) -> str:
        """The names of the two partners of a contact."""
        bodies = self._sim._settled().bodies
        is_sphere = kind in (_core.SPHERE_WALL, _core.SPHERE_SPHERE)
        own = f"sphere {self._sim.ids[first]}" if is_sphere else f"body {bodies[first]}"
        if kind in (_core.SPHERE_WALL, _core.BODY_WALL):
            return f"{own} and wall {self._sim._walls.order[second]}"
        if kind == _core.BODY_BODY:
            return f"{own} and body {bodies[second]}"
        return f"{own} and sphere {self._sim.ids[second]}"

    def _body_error(self, status: int, row: int, detail: int, value: float) -> Exception:
        body = f"body {self._sim._settled().bodies[row]}"
        if status == _core.BODY_LOST:
            return FloatingPointError(
                f"{body} is lost in step {detail}: its position is not finite, or too far away."
                f" {_SHORTER}"
            )
        if status == _core.BODY_IMAGES:
            return ValueError(
                f"{body} touches sphere {self._sim.ids[detail]} at more than one periodic image:"
                " the period must be longer"
            )
        if status == _core.BODY_MANY_IMAGES:
            return _images_error(body)
        if status == _core.BODY_TOO_SMALL:
            return ValueError(
                f"{body} has the circumscribed radius {value}, but needs at least 1e-75"
            )
        if status == _core.BODY_CURVATURE:
            return ValueError(f"{body} of {self._sim._laws.without_radius(detail, int(value))}")
        return ValueError(f"{body} of {self._sim._laws.missing(detail, int(value))}")

    # ---- stable step and statistics ----

    def stable_step(self) -> float:
        """The longest stable time step.

        Returns
        -------
        float
            The smallest limit of all spheres, bodies, and walls with a `Servo` or a `Free`. It
            follows from the stiffness and damping of their contacts at the beginning of the last
            step. A sphere without contacts counts as if it had four; under Hertz' law their overlap
            is 1 % of the radius, or more if the sphere's speed leads to more. A body without
            contacts counts as if it had four spots. Infinite without spheres, bodies and laws.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> glass = abut.Material(density=2500, young=6e10)
        >>> sim.set_law(glass, glass, abut.Hertz())
        >>> _ = sim.add_spheres([[0, 0, 0]], 1e-3, glass)
        >>> f"{sim.stable_step():.3g}"
        '5.19e-07'
        """
        return self.longest_step().step

    def longest_step(self) -> StableStep:
        found = []
        for kind in (SPHERE, BODY, WALL):
            step, row, contacts = self._core.stable_step(kind)
            found.append(StableStep(step, kind, row, contacts))
        return min(found, key=lambda longest: longest.step)

    def count(self) -> Counts:
        """Count what a line of progress shows."""
        found = self.statistics()
        touching = found.contacts + found.pairs + found.body_contacts
        return Counts(found.steps, found.spheres + found.bodies, touching, found.sphere_steps)

    def statistics(self) -> SimulationStatistics:
        """Counts of the work in all steps so far, and the time that it took.

        Returns
        -------
        SimulationStatistics
            Counts and times; printed as a table of the parts of a step.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> sim.run(1.0)
        >>> sim.statistics().steps
        4
        """
        found = SimulationStatistics.of(self._core.statistics(), self._sim._clock.seconds())
        return replace(found, left=self._sim.left)


_SHORTER = "The step may be too long: sim.stable_step() is the longest stable one"


def _images_error(name: str) -> ValueError:
    return ValueError(
        f"{name} may touch more than a million periodic images of walls: its size, the walls and"
        " the period must be in one unit"
    )
