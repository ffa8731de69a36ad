"""The steps of a simulation, and the exceptions that end them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from .. import _core
from ..base import checks
from ..base.progress import Counts, Progress
from ..base.simd import level
from ..laws.probes import case_radius, case_text
from ..search.statistics import SimulationStatistics
from .cell_contents import cell_of
from .cell_stress import ask_targets, lost_cell
from .population import Part
from .watch import BODY, SPHERE, WALL, StableStep

if TYPE_CHECKING:
    from ..search.finder import ContactFinder

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
        self, duration: float | None = None, *, steps: int | None = None, progress: bool = False
    ) -> None:
        """Run the simulation.

        Parameters
        ----------
        duration : float, optional
            Time to simulate: ``round(duration / step)`` steps. If a callable assigns `step`, the
            remaining time is divided by the new one.
        steps : int, optional
            Number of steps, in place of a duration.
        progress : bool, default False
            Whether to write a line of progress on standard error, by tqdm if it is installed:
            spheres, contacts, nanoseconds per sphere and step, and the remaining time.

        Raises
        ------
        ValueError
            If the duration is negative, not finite, or above 0 and shorter than half a step. If two
            materials touch that have no law. If a convex body without rounding touches something
            under a law that needs a radius (`Hertz`, or any with rolling) and has no `curvature`.
            If a `LiquidBridge` has too much volume for the radii. If a particle leaves the bounds
            of ``set_bounds(on_leave="raise")``. If a callable returned something wrong.
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

        Notes
        -----
        Each kind of warning is given once, for the first case, even over several runs and restart
        files. Only overlaps of added particles are reported again.

        After an exception, the simulation is at the end of a step, and `run` continues from there.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> sim.run(1.0)
        >>> sim.run(steps=6)
        >>> sim.step_count, sim.time
        (10, 2.5)
        """
        count = self._read_steps(duration, steps)
        until = None if duration is None else self._sim.time + float(duration)
        level()  # raises a ValueError if the environment names an unknown level
        with self._core.lock(True), self._sim._clock.of("run"):
            self._prepare(count)
            meter, left = Progress(count, self._count) if progress else None, self._sim.left
            try:
                self._go_on(self._sim.step_count + count, until, meter)
            finally:
                if meter is not None:
                    meter.close()
            self._sim._leaving.warn_of_left(left)

    def _read_steps(self, duration: float | None, steps: int | None) -> int:
        if (duration is None) == (steps is None):
            raise TypeError("run takes either a duration or steps=")
        if duration is not None:
            return self._steps_within(checks.not_negative(duration, "duration"))
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

    def _go_on(self, end: int, until: float | None, meter: Progress | None) -> None:
        # first finish what Ctrl-C or an error left undone after the last step
        end = self._finish(end, until)
        if self._sim.step_count >= end:
            return
        self._sim._watch.begin(self._sim)
        while self._sim.step_count < end:
            self._advance(self._next_step(end, meter) - self._sim.step_count)
            self._sim._watch.look(self._sim)
            end = self._finish(end, until)
            if meter is not None:
                meter.update()

    def _finish(self, end: int, until: float | None) -> int:
        """Do what follows a step. Returns the last step of the run, by the present step length."""
        beat = self._sim._beat
        self._sim._events.finish_step()
        if until is None or self._sim._beat is beat:
            return end
        return self._sim.step_count + round(max(0.0, self._sim._beat.steps(until - self._sim.time)))

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

    def _count(self) -> Counts:
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
