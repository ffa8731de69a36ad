"""Insertion of spheres, clusters and convex bodies while a simulation runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.periods import Period
from ..base.values import NEW, Value
from ..laws.materials import Material
from ..search.shape import ConvexShape
from .clusters import Cluster
from .given_sizes import NamedSizes, Radii
from .grains import Grains
from .insertion_input import (
    DIRECTIONS,
    read_box,
    read_direction,
    read_mix,
    read_optional,
    read_seed,
    read_velocity,
)
from .insertion_places import Near, Trial, bounds, choose, make_trial
from .insertion_state import Arrival, InsertionState, KindState
from .sizes import start_of, strata

# largest number of grains that are tried in a step; fewer if the box has no space for them
_MOST = 1 << 16

# largest number of places that are tried in a step, unless more grains wait
_PLACES = 1024

# number of sizes that are drawn ahead where the next grain depends on masses
_AHEAD = 64

# relative rounding error of the number of grains that are due, and of their mass
_ROUNDING = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Insertion(Value):
    """Inserts grains into a box one by one, each where it overlaps nothing.

    Grains are spheres, clusters or convex bodies, or a mixture of several kinds.
    `Simulation.add_insertion` starts it. Places and orientations are random, but the same for the
    same seed and simulation.

    Parameters
    ----------
    box : (2, 3) array_like
        Lower and upper corner. Grains are inserted wholly inside.
    radii : float, (low, high), Sizes, SciPy distribution or callable
        Radius of all spheres, the bounds of a uniform distribution, or a distribution: `Sizes` has
        normal, lognormal and Weibull distributions and sieve curves, and frozen ones of SciPy are
        taken too. A callable takes a ``numpy.random.Generator`` and a number n, and returns n
        radii. For bodies these are the radii of spheres of the same volume; by default bodies have
        the size of their shape. None for clusters, which have their own.
    rate : float
        Number of grains per unit of time, positive. A grain that finds no free place waits,
        keeps its radius, and is tried again. If many wait, the box is too full for the rate.
    material : Material
    seed : int, default 0
        Seed of the random numbers, 0 or positive.
    cluster : Cluster, optional
        Clusters to insert in place of spheres, in random orientations.
    mass_rate : float, optional
        Mass per unit of time, positive, in place of `rate`.
    velocity : (3,) or (2, 3) array_like, optional
        Velocity of all grains, or the lowest and the highest components of velocities that are
        spread uniformly. By default grains are at rest, or move with a cell that deforms.
    direction : str, optional
        "x", "-x", "y", "-y", "z" or "-z": grains come in through a face of the box and go in this
        direction. Each begins at a random place just inside this face, which it touches. The box
        may be flat in this direction. They need a velocity in this direction, or gravity.
    shape : ConvexShape, optional
        Polyhedra to insert in place of spheres, in random orientations.
    mix : sequence of dict, optional
        Kinds of grains to mix. Each dict has the keys ``"share"``, the part of the mass
        of this kind, and ``"material"``. It may have ``"radii"``, ``"cluster"`` and ``"shape"``.
        Shares may have any sum. The arguments of these names are then left out.

    Raises
    ------
    ValueError
        If a number is out of its range, the grains do not fit into the box, the material has
        no density where one is needed, or arguments exclude each other.
    TypeError
        If an argument is of another type.

    Notes
    -----
    The radii of the inserted spheres have the given distribution: a waiting sphere is not replaced
    by a smaller one. With a `mass_rate`, a grain is due when the mass that was to come by then
    reaches that of all grains up to it. In a mixture, the next grain is of the kind that is
    farthest behind its share: each kind has its share of the mass, up to one of its grains.

    While no grain waits, each grain is tried in the step in which it is due. If there is no
    place for it, the simulation tries again 1, 2, 4, ... 32 and 64 steps later, then every 64
    steps, until no grain waits. Grains that become due meanwhile are tried at the same times.
    Each grain is tried at as many places as there were steps since the last try, with at most
    1024 places for all together. Steps count from the first failure, so a run in parts or from a
    restart file has the same bits.

    A body is inserted where its circumscribed sphere overlaps nothing.

    Restart files hold everything but callables, and distributions that are not SciPy's own: give
    these to `load_simulation` again. The last bits of SciPy's numbers depend on the machine.

    Examples
    --------
    >>> import abut
    >>> grain = abut.Material(density=2500, young=1e7)
    >>> feed = abut.Insertion([[0, 0, 1], [1, 1, 1.2]], (1e-3, 2e-3), rate=2000, material=grain)
    >>> state = feed.begin()
    >>> centers, radii = feed.draw(state, 0.005, lambda centers, radii: radii > 1)
    >>> len(radii), state.inserted
    (10, 10)

    Half a kilogram a second of gravel from a sieve curve, which is thrown down through the upper
    face of the box:

    >>> gravel = abut.Sizes.sieve([4e-3, 8e-3, 16e-3], [0, 0.4, 1])
    >>> box = [[0, 0, 1], [0.2, 0.2, 1.02]]
    >>> feed = abut.Insertion(
    ...     box, gravel, material=grain, mass_rate=0.5, velocity=(0, 0, -1), direction="-z"
    ... )
    >>> sim = abut.Simulation(step=1e-3)
    >>> handle = sim.add_insertion(feed)
    >>> sim.run(1.0)
    >>> round(float(sim.masses.sum()), 2)
    0.5

    Spheres and cubes, three parts to one by mass:

    >>> corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    >>> kinds = [
    ...     {"share": 3, "radii": (2e-3, 3e-3), "material": grain},
    ...     {"share": 1, "radii": 3e-3, "shape": abut.ConvexShape(corners), "material": grain},
    ... ]
    >>> feed = abut.Insertion(box, rate=1000, mix=kinds)
    """

    box: checks.Box
    radii: Radii | None = None
    rate: float | None = None
    material: Material | None = None
    seed: int = 0
    cluster: Cluster | None = None
    mass_rate: float | None = field(default=None, kw_only=True, metadata={NEW: True})
    velocity: Any = field(default=None, kw_only=True, metadata={NEW: True})
    direction: str | None = field(default=None, kw_only=True, metadata={NEW: True})
    shape: ConvexShape | None = field(default=None, kw_only=True, metadata={NEW: True})
    mix: Any = field(default=None, kw_only=True, metadata={NEW: True})

    def __post_init__(self) -> None:
        self._settle(
            rate=None if self.rate is None else checks.positive(self.rate, "rate"),
            mass_rate=read_optional(self.mass_rate, "mass_rate"),
            seed=read_seed(self.seed),
            direction=read_direction(self.direction),
            velocity=read_velocity(self.velocity),
        )
        self._settle(box=read_box(self.box, self._across))
        if (self.rate is None) == (self.mass_rate is None):
            both = "are both given" if self.rate is not None else "are missing"
            raise ValueError(f"rate and mass_rate {both}: give one of them")
        self._read_kinds()
        self._check_velocity()
        low, high = np.array(self.box)
        for kind in self.kinds:
            kind.check_box(low, high, self._across)

    def _read_kinds(self) -> None:
        """Check the kinds of grains, and store what was read."""
        if self.mix is not None:
            for name in ("radii", "material", "cluster", "shape"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} and mix are both given: put {name} into mix")
            self._settle(mix=read_mix(self.mix))
            return
        kind = Grains(self.radii, self.material, self.cluster, self.shape)  # type: ignore[arg-type]
        self._settle(radii=kind.radii)

    def _check_velocity(self) -> None:
        """Raise a ValueError if grains go out of the face through which they come in."""
        if self.direction is None or self.velocity is None:
            return
        axis, sign = DIRECTIONS[self.direction]
        for row in np.reshape(self.velocity, (-1, 3)):
            if row[axis] * (-1.0 if sign else 1.0) < 0:
                raise ValueError(
                    f"velocity has a component of {row[axis]:g} along {'xyz'[axis]}, but grains"
                    f' come in along "{self.direction}"'
                )

    def stays_at_face(self, gravity: Doubles) -> bool:
        """Whether grains stay where they come in: with no velocity, and no gravity, inwards."""
        if self.direction is None:
            return False
        axis, sign = DIRECTIONS[self.direction]
        inwards = -1.0 if sign else 1.0
        speeds = np.zeros((1, 3)) if self.velocity is None else np.reshape(self.velocity, (-1, 3))
        return bool((inwards * speeds[:, axis]).max() <= 0.0 and inwards * gravity[axis] <= 0.0)

    @cached_property
    def kinds(self) -> tuple[Grains, ...]:
        """The kinds of grains that are inserted: those of `mix`, or one."""
        if self.mix is not None:
            return tuple(self.mix)
        return (Grains(self.radii, self.material, self.cluster, self.shape),)  # type: ignore[arg-type]

    @cached_property
    def _corners(self) -> tuple[Doubles, Doubles]:
        """The lowest and the highest corner of the box."""
        low, high = np.array(self.box)
        return low, high

    @cached_property
    def _is_simple(self) -> bool:
        """Whether there is one kind of grain, spheres at any place in the box."""
        return self.direction is None and len(self.kinds) == 1 and not self.kinds[0].turns

    @cached_property
    def _across(self) -> Indices:
        """The axes along which places are random."""
        axis = None if self.direction is None else DIRECTIONS[self.direction][0]
        return np.array([k for k in range(3) if k != axis])

    @property
    def _follows_masses(self) -> bool:
        """Whether the next grain depends on the masses of those before."""
        return self.mix is not None or self.mass_rate is not None

    # ---- progress ----

    def begin(self) -> InsertionState:
        """The state of an insertion that has inserted nothing."""
        state = InsertionState(np.random.Generator(np.random.PCG64(self.seed)))
        if self._follows_masses or any(kind.is_even for kind in self.kinds):
            starts = [start_of(state.generator) if kind.is_even else 0 for kind in self.kinds]
            state.kinds = [KindState(start) for start in starts]
        if self._follows_masses:
            for number in range(len(self.kinds)):
                self._draw_ahead(state, number)
        return state

    @staticmethod
    def state_from_dict(stored: Mapping[str, Any]) -> InsertionState:
        """Read the state from what `InsertionState.to_dict` returned."""
        generator = np.random.Generator(np.random.PCG64())
        generator.bit_generator.state = stored["generator"]
        kinds = [KindState(**kind) for kind in stored.get("kinds", ())]
        waiting, waiting_kinds = list(stored["waiting"]), list(stored.get("waiting_kinds", ()))
        return InsertionState(generator, int(stored["inserted"]), waiting, kinds, waiting_kinds)

    def due(self, time_elapsed: float) -> int:
        """The number of grains that are due in the time since the insertion began.

        A ValueError if there is a `mass_rate` in place of a `rate`.
        """
        if self.rate is None:
            raise ValueError("the number of grains that are due depends on their masses")
        return math.floor(self.rate * time_elapsed * (1 + _ROUNDING))

    def is_due(self, state: InsertionState, time_elapsed: float) -> bool:
        """Whether a grain is due, or waits."""
        if self.rate is not None:
            return self.due(time_elapsed) > state.inserted
        return bool(state.waiting) or self._comes(state, time_elapsed)

    def next_time(self, state: InsertionState) -> float:
        """The time since the beginning at which the next grain is due, if none waits."""
        if self.mass_rate is None:
            return (state.inserted + 1) / self.rate  # type: ignore[operator]
        number = self._next_kind(state)
        mass = self.kinds[number].mass(state.kinds[number].ahead[0])
        return (sum(kind.mass for kind in state.kinds) + mass) / self.mass_rate

    def _comes(self, state: InsertionState, time_elapsed: float) -> bool:
        return bool(self.next_time(state) <= time_elapsed * (1 + _ROUNDING))

    # ---- draws ----

    def draw(
        self,
        state: InsertionState,
        time_elapsed: float,
        near: Near,
        period: Period | None = None,
        tries: int = 1,
    ) -> tuple[Doubles, Doubles]:
        """Draw the grains to insert now: those that are due and for which there is a place.

        Parameters
        ----------
        state : InsertionState
            Progress of the insertion, which is updated.
        time_elapsed : float
            Time since the insertion began.
        near : callable
            Takes centers (n, 3) and radii (n,). Returns (n,) of bool: which of these spheres
            overlap a grain or a wall. It is not called if nothing is due.
        period : sequence of 3 (float or None) or (3, 3) ndarray, optional
            Period of the simulation.
        tries : int, default 1
            Largest number of places at which each grain is tried, until one has no overlap.

        Returns
        -------
        centers, radii : (n, 3) and (n,) ndarray of float64
            For clusters and bodies, the centers of mass and the orientations: quaternions (n, 4),
            x, y, z, w, from the frame in which they were given to the world.

        Raises
        ------
        ValueError
            If the insertion has a `mix`: use `arrive`.
        """
        if self.mix is not None:
            raise ValueError("draw is for one kind of grain, but there is a mix: use arrive")
        turns = self.kinds[0].turns
        for one in self.arrive(state, time_elapsed, near, period, tries):
            return one.positions, one.turns if turns else one.sizes
        return np.empty((0, 3)), np.empty((0, 4) if turns else 0)

    def arrive(
        self,
        state: InsertionState,
        time_elapsed: float,
        near: Near,
        period: Period | None = None,
        tries: int = 1,
    ) -> list[Arrival]:
        """Draw the grains to insert now, as `draw` does: one `Arrival` for each kind."""
        self._become_due(state, time_elapsed)
        count = len(state.waiting)
        if not count:
            return []
        if count == 1 == tries and self._is_simple:
            return self._arrive_alone(state, near)
        rounds = max(1, min(tries, _PLACES // count))
        trial = make_trial(self.kinds, state, rounds)
        positions, fits = self._places(state, trial)
        rows = choose(trial, positions, fits, near, rounds, period)
        if not len(rows):
            return []
        comes = np.zeros(count, bool)
        comes[rows % count] = True
        state.inserted += len(rows)
        state.waiting = trial.sizes[:count][~comes].tolist()
        if state.waiting_kinds:
            state.waiting_kinds = trial.kinds[:count][~comes].tolist()
        return self._arrivals(state, trial, positions, rows)

    def _arrive_alone(self, state: InsertionState, near: Near) -> list[Arrival]:
        """What `arrive` returns if one sphere waits, and is tried at one place.

        This is the most frequent case. It makes no arrays but those for `near`, because each array
        takes as long as all its arithmetic.
        """
        (radius,) = state.waiting
        drawn = state.generator.random(3).tolist()
        position = []
        for part, low, high in zip(drawn, *self._inner(radius), strict=True):
            if not low <= high:
                return []
            position.append(low + part * (high - low))
        positions, sizes = np.array([position]), np.array([radius])
        if near(positions, sizes)[0]:
            return []
        state.waiting, state.waiting_kinds = [], []
        state.inserted += 1
        return [Arrival(0, positions, sizes, np.zeros((1, 4)), self._velocities(state, 1))]

    def _inner(self, radius: float) -> tuple[list[float], list[float]]:
        """The lowest and the highest position of a sphere that is wholly inside the box."""
        low, high = self.box
        return [edge + radius for edge in low], [edge - radius for edge in high]

    def _arrivals(
        self, state: InsertionState, trial: Trial, positions: Doubles, rows: Indices
    ) -> list[Arrival]:
        """The grains in these rows of a trial, one `Arrival` for each kind."""
        velocities, kinds = self._velocities(state, len(rows)), trial.kinds[rows]
        if len(self.kinds) == 1:
            return [Arrival(0, positions[rows], trial.sizes[rows], trial.turns[rows], velocities)]
        found = []
        for kind in np.unique(kinds).tolist():
            some = rows[kinds == kind]
            fast = None if velocities is None else velocities[kinds == kind]
            found.append(Arrival(kind, positions[some], trial.sizes[some], trial.turns[some], fast))
        return found

    # ---- what is inserted ----

    def _become_due(self, state: InsertionState, time_elapsed: float) -> None:
        """Let the grains that have become due wait."""
        most = self._capacity(state)
        if self.rate is not None:
            most = min(self.due(time_elapsed) - state.inserted, most)
        count = max(most - len(state.waiting), 0)
        if not count:
            return
        if not self._follows_masses:
            state.waiting += self._drawn(state, 0, count).tolist()
            return
        for _ in range(count):
            if self.rate is None and not self._comes(state, time_elapsed):
                return
            self._take_next(state)

    def _take_next(self, state: InsertionState) -> None:
        """Let the next grain wait, which was drawn ahead."""
        number = self._next_kind(state)
        progress = state.kinds[number]
        size = progress.ahead.pop(0)
        progress.mass += self.kinds[number].mass(size)
        state.waiting.append(size)
        if self.mix is not None:
            state.waiting_kinds.append(number)
        if not progress.ahead:
            self._draw_ahead(state, number)

    def _next_kind(self, state: InsertionState) -> int:
        """The kind of the next grain: the one that is farthest behind its share of the mass."""
        if len(self.kinds) == 1:
            return 0
        middles = [
            (progress.mass + 0.5 * kind.mass(progress.ahead[0])) / kind.share
            for kind, progress in zip(self.kinds, state.kinds, strict=True)
        ]
        return middles.index(min(middles))

    def _draw_ahead(self, state: InsertionState, number: int) -> None:
        state.kinds[number].ahead = self._drawn(state, number, _AHEAD).tolist()

    def _drawn(self, state: InsertionState, number: int, count: int) -> Doubles:
        """Draw sizes (count,) of a kind of grain."""
        kind = self.kinds[number]
        if not state.kinds:
            return kind.sizes(state.generator, np.zeros(count))
        progress = state.kinds[number]
        places = strata(progress.start, progress.drawn, count)
        progress.drawn += count
        sizes = kind.sizes(state.generator, places)
        if kind.is_unknown and count:
            self._check_fit(kind, sizes)
        return sizes

    def _check_fit(self, kind: Grains, sizes: Doubles) -> None:
        low, high = np.array(self.box)
        smallest, largest = float((high - low)[self._across].min()), kind.radius(sizes.max())
        if 2 * largest > smallest:
            raise ValueError(
                f"{kind.radii} returned a radius for which a grain is {2 * largest:g} wide, but the"
                f" box is {smallest:g} wide: give a larger box or smaller radii"
            )

    def _capacity(self, state: InsertionState) -> int:
        """An upper bound of the number of grains that fit into the box."""
        if self._most is not None:
            return self._most
        # nothing is known of a user's function but the radii that it has returned
        return self._fitting([min(state.waiting, default=0.0)] * len(self.kinds))

    @cached_property
    def _most(self) -> int | None:
        """The bound of `_capacity`; None if a user's function draws radii."""
        sizes = [kind.extremes[0] for kind in self.kinds]
        return self._fitting(sizes) if all(sizes) else None

    def _fitting(self, sizes: list[float]) -> int:
        """How many grains of the smallest `sizes` of each kind may fit into the box."""
        if not all(sizes):
            return _MOST
        low, high = np.array(self.box)
        space = np.prod((high - low)[self._across])
        most = max(space / self._needs(*one) for one in zip(self.kinds, sizes, strict=True))
        return int(min(most + 1, _MOST))

    def _needs(self, kind: Grains, size: float) -> float:
        """The volume of a grain, or the area that it covers of a face."""
        if self.direction is None:
            return kind.volume(size)
        return math.pi * kind.radius(size) * kind.radius(size)

    def _velocities(self, state: InsertionState, count: int) -> Doubles | None:
        if self.velocity is None:
            return None
        bounds = np.reshape(self.velocity, (-1, 3))
        if len(bounds) == 1:
            return np.repeat(bounds, count, axis=0)
        low, high = bounds
        return np.asarray(low + (high - low) * state.generator.random((count, 3)))

    # ---- where it is inserted ----

    def _places(self, state: InsertionState, trial: Trial) -> tuple[Doubles, NDArray[np.bool_]]:
        """A random position of each grain, and whether it fits into the box in its orientation."""
        low, high = bounds(trial, *self._corners)
        positions = low + state.generator.random(low.shape) * (high - low)
        if self.direction is not None:
            axis, sign = DIRECTIONS[self.direction]
            positions[:, axis] = (high if sign else low)[:, axis]
        fits = low <= high
        return positions, np.all(fits if self.direction is None else fits[:, self._across], axis=1)

    # ---- radii that files do not hold ----

    def with_given(self, sizes: Mapping[str, Any]) -> Insertion:
        """Take radii of the user's own from `sizes`, by the names that a file holds."""

        def found(radii: Any) -> Any:
            return radii.with_given(sizes) if isinstance(radii, NamedSizes) else radii

        mix = self.mix and tuple(replace(kind, radii=found(kind.radii)) for kind in self.mix)
        return replace(self, radii=found(self.radii), mix=mix)

    @property
    def own_sizes(self) -> list[tuple[str, Any]]:
        """Names and objects of the user's own radii, which files do not hold."""
        radii = [kind.radii for kind in self.kinds]
        return [(one.name, one.given) for one in radii if isinstance(one, NamedSizes)]
