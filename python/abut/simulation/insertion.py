"""Insertion of spheres and clusters while a simulation runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arithmetic import lengths
from ..base.arrays import Doubles, Indices
from ..base.orientations import turned
from ..base.periods import Period
from ..base.values import Value
from ..laws.materials import Material
from ..search.pair_finder import find_pairs
from .clusters import Cluster

_Mask = NDArray[np.bool_]

# type of a callable that takes centers (n, 3) and radii (n,), and returns which of these spheres
# overlap a particle or a wall
Near = Callable[[Doubles, Doubles], _Mask]

# largest number of particles that are tried in a step; fewer if the box has no space for them
_MOST = 1 << 16

# largest number of places that are tried in a step, unless more particles wait
_PLACES = 1024

# number of orientations that are tried before a cluster counts as too large for the box
_TRIALS = 1000

# relative rounding error of the number of particles that are due
_ROUNDING = 4 * np.finfo(np.float64).eps


@dataclass
class InsertionState:
    """Progress of an `Insertion`; `Insertion.begin` makes it.

    Attributes
    ----------
    generator : numpy.random.Generator
    inserted : int
        Number of particles that were inserted so far.
    waiting : list of float
        Radii of the spheres that are due but have no place yet; 1 for each cluster.
    """

    generator: np.random.Generator
    inserted: int = 0
    waiting: list[float] = field(default_factory=list)

    def copy(self) -> InsertionState:
        """An independent copy."""
        generator = np.random.Generator(np.random.PCG64(0))
        generator.bit_generator.state = self.generator.bit_generator.state
        return InsertionState(generator, self.inserted, list(self.waiting))

    def to_dict(self) -> dict[str, Any]:
        """The state as JSON values, which `Insertion.state_from_dict` reads."""
        return {
            "generator": self.generator.bit_generator.state,
            "inserted": self.inserted,
            "waiting": list(self.waiting),
        }


@dataclass(frozen=True)
class Insertion(Value):
    """Inserts spheres or clusters into a box one by one, each where it overlaps nothing.

    `Simulation.add_insertion` starts it. Places and orientations are random, but the same for the
    same seed and simulation.

    Parameters
    ----------
    box : (2, 3) array_like
        Lower and upper corner. Particles are inserted wholly inside.
    radii : float or (low, high)
        Radius of all spheres, or the bounds of a uniform distribution. None for clusters, which
        have their own.
    rate : float
        Number of particles per unit of time, positive. A particle that finds no free place waits,
        keeps its radius, and is tried again. If many wait, the box is too full for the rate.
    material : Material
    seed : int, default 0
        Seed of the random numbers, 0 or positive.
    cluster : Cluster, optional
        Clusters to insert in place of spheres, in random orientations.

    Raises
    ------
    ValueError
        If a number is out of its range, the particles do not fit into the box, or the material has
        no density where one is needed.
    TypeError
        If an argument is of another type.

    Notes
    -----
    The radii of the inserted spheres have the given distribution: a waiting sphere is not replaced
    by a smaller one.

    While no particle waits, each particle is tried in the step in which it is due. If there is no
    place for it, the simulation tries again 1, 2, 4, ... 32 and 64 steps later, then every 64
    steps, until no particle waits. Particles that become due meanwhile are tried at the same times.
    Each particle is tried at as many places as there were steps since the last try, with at most
    1024 places for all together. Steps count from the first failure, so a run in parts or from a
    restart file has the same bits.

    Examples
    --------
    >>> import abut
    >>> grain = abut.Material(density=2500, young=1e7)
    >>> feed = abut.Insertion([[0, 0, 1], [1, 1, 1.2]], (1e-3, 2e-3), rate=2000, material=grain)
    >>> state = feed.begin()
    >>> centers, radii = feed.draw(state, 0.005, lambda centers, radii: radii > 1)
    >>> len(radii), state.inserted
    (10, 10)
    """

    box: checks.Box
    radii: float | tuple[float, float] | None
    rate: float
    material: Material
    seed: int = 0
    cluster: Cluster | None = None

    def __post_init__(self) -> None:
        self._settle(
            box=checks.box(self.box, "box"),
            rate=checks.positive(self.rate, "rate"),
            seed=_read_seed(self.seed),
        )
        if not isinstance(self.material, Material):
            raise TypeError(f"material is {self.material!r}, but must be a Material")
        if self.cluster is None:
            self._settle(radii=_read_radii(self.radii))
        elif not isinstance(self.cluster, Cluster):
            raise TypeError(f"cluster is {self.cluster!r}, but must be a Cluster")
        elif self.radii is not None:
            raise ValueError("radii must be None where clusters come: they have their own")
        self._check_density()
        self._check_box()

    def begin(self) -> InsertionState:
        """The state of an insertion that has inserted nothing."""
        return InsertionState(np.random.Generator(np.random.PCG64(self.seed)))

    @staticmethod
    def state_from_dict(stored: Mapping[str, Any]) -> InsertionState:
        """Read the state from what `InsertionState.to_dict` returned."""
        generator = np.random.Generator(np.random.PCG64())
        generator.bit_generator.state = stored["generator"]
        return InsertionState(generator, int(stored["inserted"]), list(stored["waiting"]))

    def due(self, time_elapsed: float) -> int:
        """The number of particles that are due in the time since the insertion began."""
        return math.floor(self.rate * time_elapsed * (1 + _ROUNDING))

    def draw(
        self,
        state: InsertionState,
        time_elapsed: float,
        near: Near,
        period: Period | None = None,
        tries: int = 1,
    ) -> tuple[Doubles, Doubles]:
        """Draw the particles to insert now: those that are due and for which there is a place.

        Parameters
        ----------
        state : InsertionState
            Progress of the insertion, which is updated.
        time_elapsed : float
            Time since the insertion began.
        near : callable
            Takes centers (n, 3) and radii (n,). Returns (n,) of bool: which of these spheres
            overlap a particle or a wall. It is not called if nothing is due.
        period : sequence of 3 (float or None) or (3, 3) ndarray, optional
            Period of the simulation.
        tries : int, default 1
            Largest number of places at which each particle is tried, until one has no overlap.

        Returns
        -------
        centers, radii : (n, 3) and (n,) ndarray of float64
            For clusters, the centers of mass and the orientations: quaternions (n, 4), x, y, z, w,
            from the frame in which the cluster was given to the world.
        """
        state.waiting += self._sizes(state, time_elapsed)
        count = len(state.waiting)
        rounds = max(1, min(tries, _PLACES // max(count, 1)))
        sizes = np.tile(np.array(state.waiting, np.float64), rounds)
        turns = self._turns(state, len(sizes))
        offsets, radii = self._bodies(sizes, turns)
        positions, fits = self._places(state, offsets, radii)
        centers = positions[:, None] + offsets
        rows = _first_free(_free(centers, radii, fits, near), rounds)
        rows = rows[_apart(centers[rows], radii[rows], period)]
        comes = np.zeros(count, bool)
        comes[rows % max(count, 1)] = True
        state.inserted += len(rows)
        state.waiting = sizes[:count][~comes].tolist()
        return positions[rows], sizes[rows] if self.cluster is None else turns[rows]

    # ---- what is inserted ----

    def _sizes(self, state: InsertionState, time_elapsed: float) -> list[float]:
        """Radii of the spheres that have become due; 1 for each cluster."""
        due = self.due(time_elapsed) - state.inserted
        count = max(min(due, self._capacity()) - len(state.waiting), 0)
        if isinstance(self.radii, tuple):
            low, high = self.radii
            return (low + (high - low) * state.generator.random(count)).tolist()
        return [1.0 if self.radii is None else self.radii] * count

    def _capacity(self) -> int:
        """An upper bound of the number of particles that fit into the box."""
        low, high = np.array(self.box)
        radius = self._largest() if not isinstance(self.radii, tuple) else self.radii[0]
        volume = 4 / 3 * np.pi * (radius * radius * radius)
        return int(min(np.prod(high - low) / volume + 1, _MOST))

    def _largest(self) -> float:
        """The largest radius of the spheres, or of the cluster's members."""
        if self.cluster is not None:
            return float(self.cluster.radii.max())
        return self.radii[1] if isinstance(self.radii, tuple) else self.radii or 0.0

    def _turns(self, state: InsertionState, count: int) -> Doubles:
        """Random orientations of clusters, quaternions (n, 4); an array (n, 0) for spheres."""
        if self.cluster is None:
            return np.empty((count, 0))
        return _orientations(state.generator, count)

    def _bodies(self, sizes: Doubles, turns: Doubles) -> tuple[Doubles, Doubles]:
        """Centers (n, k, 3) of bodies' spheres, relative to a body's position, and radii (n, k)."""
        if self.cluster is None:
            return np.zeros((len(sizes), 1, 3)), sizes[:, None]
        members = turned(turns[:, None], self.cluster.centers - self.cluster.offset)
        return members, np.tile(self.cluster.radii, (len(turns), 1))

    # ---- where it is inserted ----

    def _places(
        self, state: InsertionState, offsets: Doubles, radii: Doubles
    ) -> tuple[Doubles, _Mask]:
        """A random position of each body, and whether it fits into the box in its orientation."""
        low, high = self._bounds(offsets, radii)
        positions = low + state.generator.random(low.shape) * (high - low)
        return positions, np.all(low <= high, axis=1)

    def _bounds(self, offsets: Doubles, radii: Doubles) -> tuple[Doubles, Doubles]:
        """Lowest and highest positions, (n, 3) each, of bodies that are wholly inside the box."""
        low, high = np.array(self.box)
        reach = radii[..., None]
        return low - (offsets - reach).min(axis=1), high - (offsets + reach).max(axis=1)

    def _check_density(self) -> None:
        if self.cluster is not None:
            self.cluster.mass_for(self.material.density)
        elif self.material.density is None:
            raise ValueError(f"material is {self.material}, but needs a density for spheres")

    def _check_box(self) -> None:
        low, high = np.array(self.box)
        smallest = float((high - low).min())
        if 2 * self._largest() > smallest:
            raise ValueError(
                f"the box is {smallest:g} wide, but the spheres' diameter is"
                f" {2 * self._largest():g}: give a larger box or smaller radii"
            )
        turns = _orientations(np.random.default_rng(0), _TRIALS if self.cluster is not None else 0)
        offsets, radii = self._bodies(np.ones(len(turns)), turns)
        if len(turns) and not np.less_equal(*self._bounds(offsets, radii)).all(axis=1).any():
            raise ValueError("the cluster fits into the box in no orientation: give a larger box")


def _free(centers: Doubles, radii: Doubles, tried: _Mask, near: Near) -> _Mask:
    """Which bodies, of k spheres each, overlap no particle and no wall; False if not tried."""
    free = tried.copy()
    rows = np.flatnonzero(tried)
    if len(rows):
        taken = near(centers[rows].reshape(-1, 3), np.ascontiguousarray(radii[rows]).ravel())
        free[rows] = ~taken.reshape(len(rows), -1).any(axis=1)
    return free


def _first_free(free: _Mask, rounds: int) -> Indices:
    """The row in `free` of the first free place of each body that has a free place.

    Rows are those of all bodies in the first round, then of all bodies in the second, and so on.
    """
    of_rounds = free.reshape(rounds, -1)
    bodies = np.flatnonzero(of_rounds.any(axis=0))
    return bodies + of_rounds.shape[1] * of_rounds[:, bodies].argmax(axis=0)


def _apart(centers: Doubles, radii: Doubles, period: Period | None) -> _Mask:
    """Which of these bodies, of k spheres each, to insert: of two that overlap, only the first."""
    comes = np.ones(len(centers), bool)
    if not len(centers):
        return comes
    count = radii.shape[1]
    pairs = find_pairs(centers.reshape(-1, 3), radii.ravel(), period=period)
    bodies = np.unique(np.column_stack([pairs.i // count, pairs.j // count]), axis=0)
    for first, second in bodies[bodies[:, 0] != bodies[:, 1]].tolist():
        # pairs are sorted by `first`, so `comes[first]` does not change any more
        comes[second] &= not comes[first]
    return comes


def _orientations(generator: np.random.Generator, count: int) -> Doubles:
    """Random unit quaternions (n, 4), uniform over all orientations."""
    found = np.empty((0, 4))
    while len(found) < count:
        # of random points in a cube of four dimensions, keep those in the ball that fits into it
        points = 2.0 * generator.random((4 * (count - len(found)), 4)) - 1.0
        sizes = lengths(points)
        inside = (sizes > 0) & (sizes <= 1)
        found = np.concatenate([found, points[inside] / sizes[inside, None]])
    return found[:count]


# ---- arguments -----------------------------------------------------------------------------------


def _read_radii(value: object) -> float | tuple[float, float]:
    radii = checks.doubles(value, "radii")
    if radii.shape not in ((), (2,)):
        raise ValueError(f"radii has shape {radii.shape}, but must be a number or (low, high)")
    if not radii.ndim:
        return checks.positive(float(radii), "radii")
    low, high = (checks.positive(float(one), f"radii[{k}]") for k, one in enumerate(radii))
    if low > high:
        raise ValueError(f"radii is ({low}, {high}), but must be (low, high), low first")
    return low, high


def _read_seed(value: object) -> int:
    seed = checks.whole(value, "seed")
    if seed < 0:
        raise ValueError(f"seed is {seed}, but must be 0 or positive")
    return seed
