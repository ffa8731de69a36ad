"""Spheres and clusters that come into a simulation while it runs."""

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
from ..base.poses import Period
from ..base.values import Value
from ..laws.materials import Material
from ..search.pair_finder import find_pairs
from .clusters import Cluster

_Mask = NDArray[np.bool_]

# which of these spheres, centers (n, 3) and radii (n,), overlap something that is there
Near = Callable[[Doubles, Doubles], _Mask]

# Of those that wait no more are tried in a step than would fill the box, nor than this.
_MOST = 1 << 16

# Where few wait, each is tried at several places of a look: so many all together.
_PLACES = 1024

# orientations that are tried before a box is said to be too small for a cluster
_TRIALS = 1000

# how much of the number that is due may be rounding
_ROUNDING = 4 * np.finfo(np.float64).eps


@dataclass
class InsertionState:
    """How far an `Insertion` has come; made by `Insertion.begin`.

    Attributes
    ----------
    generator : numpy.random.Generator
    inserted : int
        How many have come.
    waiting : list of float
        Of those that are due but have found no place yet the radius; 1 for clusters.
    """

    generator: np.random.Generator
    inserted: int = 0
    waiting: list[float] = field(default_factory=list)

    def copy(self) -> InsertionState:
        """The same state, which does not change with this one."""
        generator = np.random.Generator(np.random.PCG64(0))
        generator.bit_generator.state = self.generator.bit_generator.state
        return InsertionState(generator, self.inserted, list(self.waiting))

    def to_dict(self) -> dict[str, Any]:
        """The state in what JSON knows; `Insertion.state_from_dict` makes it again."""
        return {
            "generator": self.generator.bit_generator.state,
            "inserted": self.inserted,
            "waiting": list(self.waiting),
        }


@dataclass(frozen=True)
class Insertion(Value):
    """Spheres or clusters that come into a box one by one, each where it overlaps nothing.

    `Simulation.add_insertion` starts it. Places and orientations are random, but the same for the
    same seed and simulation.

    Parameters
    ----------
    box : (2, 3) array_like
        Lower and upper corner. What comes is wholly inside.
    radii : float or (low, high)
        Of spheres: all alike, or spread evenly from low to high. None for clusters, which have
        theirs.
    rate : float
        How many come in a unit of time, positive. What finds no place, since something is in the
        way wherever it was tried, waits with the radius that it has, and is tried again. Where many
        wait, the box is too full for the rate.
    material : Material
    seed : int, default 0
        0 or positive.
    cluster : Cluster, optional
        What comes, in all orientations, instead of spheres.

    Raises
    ------
    ValueError
        If a number is not sound, if what comes does not fit into the box, or if the material has
        no density where one is needed.
    TypeError
        If one of them is of another type.

    Notes
    -----
    The radii of those that have come are spread as they were asked for: one that waits does not
    make way for a smaller one.

    As long as none waits, each is tried in the step in which it is due. From the step on in which
    the first one finds no place, a simulation looks for places 1, 2, 4, ... 32 and 64 steps later,
    then every 64 steps, until none waits any more; what has become due meanwhile joins in. Each is
    then tried at as many places as steps have gone by since the last look, while all places
    together are no more than 1024. These steps count from when the box was full: a run in parts, or
    one that a restart file goes on with, has the same bits.

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
        """The state of an insertion that begins now."""
        return InsertionState(np.random.Generator(np.random.PCG64(self.seed)))

    @staticmethod
    def state_from_dict(stored: Mapping[str, Any]) -> InsertionState:
        """The state that `InsertionState.to_dict` stored."""
        generator = np.random.Generator(np.random.PCG64())
        generator.bit_generator.state = stored["generator"]
        return InsertionState(generator, int(stored["inserted"]), list(stored["waiting"]))

    def due(self, time_elapsed: float) -> int:
        """How many should have come in the time since it began."""
        return math.floor(self.rate * time_elapsed * (1 + _ROUNDING))

    def draw(
        self,
        state: InsertionState,
        time_elapsed: float,
        near: Near,
        period: Period | None = None,
        tries: int = 1,
    ) -> tuple[Doubles, Doubles]:
        """What comes now: those that are due and find a place.

        Parameters
        ----------
        state : InsertionState
            It is changed.
        time_elapsed : float
            Since the insertion began.
        near : callable
            Takes centers (n, 3) and radii (n,) and tells, (n,) of bool, which of these spheres
            overlap something that is there. Not called where nothing is due.
        period : sequence of 3 (float or None), optional
            Of the simulation.
        tries : int, default 1
            At how many places each is tried at most, of which the first one counts where nothing
            is in the way.

        Returns
        -------
        centers, radii : (n, 3) and (n,) ndarray of float64
            Of spheres that come; of clusters centers of mass and orientations: quaternions
            (n, 4), x, y, z, w, from the frame in which the cluster was given to the world.
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

    # ---- what comes ----

    def _sizes(self, state: InsertionState, time_elapsed: float) -> list[float]:
        """Of those that are due and not yet waiting the radii; 1 for clusters."""
        due = self.due(time_elapsed) - state.inserted
        count = max(min(due, self._capacity()) - len(state.waiting), 0)
        if isinstance(self.radii, tuple):
            low, high = self.radii
            return (low + (high - low) * state.generator.random(count)).tolist()
        return [1.0 if self.radii is None else self.radii] * count

    def _capacity(self) -> int:
        """More than fit into the box at once."""
        low, high = np.array(self.box)
        radius = self._largest() if not isinstance(self.radii, tuple) else self.radii[0]
        volume = 4 / 3 * np.pi * (radius * radius * radius)
        return int(min(np.prod(high - low) / volume + 1, _MOST))

    def _largest(self) -> float:
        """The largest radius."""
        if self.cluster is not None:
            return float(self.cluster.radii.max())
        return self.radii[1] if isinstance(self.radii, tuple) else self.radii or 0.0

    def _turns(self, state: InsertionState, count: int) -> Doubles:
        """Random orientations (n, 4), of clusters alone."""
        if self.cluster is None:
            return np.empty((count, 0))
        return _orientations(state.generator, count)

    def _bodies(self, sizes: Doubles, turns: Doubles) -> tuple[Doubles, Doubles]:
        """The spheres' centers from the body's position (n, k, 3), and their radii (n, k)."""
        if self.cluster is None:
            return np.zeros((len(sizes), 1, 3)), sizes[:, None]
        members = turned(turns[:, None], self.cluster.centers - self.cluster.offset)
        return members, np.tile(self.cluster.radii, (len(turns), 1))

    # ---- where it comes ----

    def _places(
        self, state: InsertionState, offsets: Doubles, radii: Doubles
    ) -> tuple[Doubles, _Mask]:
        """A random position of each body, and whether it fits into the box as it is turned."""
        low, high = self._bounds(offsets, radii)
        positions = low + state.generator.random(low.shape) * (high - low)
        return positions, np.all(low <= high, axis=1)

    def _bounds(self, offsets: Doubles, radii: Doubles) -> tuple[Doubles, Doubles]:
        """Between which positions, (n, 3) each, bodies are wholly inside the box."""
        low, high = np.array(self.box)
        reach = radii[..., None]
        return low - (offsets - reach).min(axis=1), high - (offsets + reach).max(axis=1)

    def _check_density(self) -> None:
        if self.cluster is not None:
            self.cluster.mass_for(self.material.density)
        elif self.material.density is None:
            raise ValueError(f"material is {self.material}, but spheres need a density")

    def _check_box(self) -> None:
        low, high = np.array(self.box)
        smallest = float((high - low).min())
        if 2 * self._largest() > smallest:
            raise ValueError(
                f"the box is {smallest:g} wide, but spheres of {2 * self._largest():g} are to come"
            )
        turns = _orientations(np.random.default_rng(0), _TRIALS if self.cluster is not None else 0)
        offsets, radii = self._bodies(np.ones(len(turns)), turns)
        if len(turns) and not np.less_equal(*self._bounds(offsets, radii)).all(axis=1).any():
            raise ValueError("the cluster does not fit into the box, however it is turned")


def _free(centers: Doubles, radii: Doubles, tried: _Mask, near: Near) -> _Mask:
    """Which of the bodies (n, k, 3) that are tried overlap nothing that is there."""
    free = tried.copy()
    rows = np.flatnonzero(tried)
    if len(rows):
        taken = near(centers[rows].reshape(-1, 3), np.ascontiguousarray(radii[rows]).ravel())
        free[rows] = ~taken.reshape(len(rows), -1).any(axis=1)
    return free


def _first_free(free: _Mask, rounds: int) -> Indices:
    """Of each body that is tried in several rounds, the row of the first that is free, if any."""
    of_rounds = free.reshape(rounds, -1)
    bodies = np.flatnonzero(of_rounds.any(axis=0))
    return bodies + of_rounds.shape[1] * of_rounds[:, bodies].argmax(axis=0)


def _apart(centers: Doubles, radii: Doubles, period: Period | None) -> _Mask:
    """Which of these bodies (n, k, 3) come: of two that overlap, the first one."""
    comes = np.ones(len(centers), bool)
    if not len(centers):
        return comes
    count = radii.shape[1]
    pairs = find_pairs(centers.reshape(-1, 3), radii.ravel(), period=period)
    bodies = np.unique(np.column_stack([pairs.i // count, pairs.j // count]), axis=0)
    for first, second in bodies[bodies[:, 0] != bodies[:, 1]].tolist():
        # sorted by the first: whether this one stays is known
        comes[second] &= not comes[first]
    return comes


def _orientations(generator: np.random.Generator, count: int) -> Doubles:
    """Unit quaternions (n, 4), all orientations alike."""
    found = np.empty((0, 4))
    while len(found) < count:
        # points of a cube, of which those in the ball about its middle are kept
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
        raise ValueError(f"radii is ({low}, {high}), but must be (low, high)")
    return low, high


def _read_seed(value: object) -> int:
    seed = checks.whole(value, "seed")
    if seed < 0:
        raise ValueError(f"seed is {seed}, but must be 0 or positive")
    return seed
