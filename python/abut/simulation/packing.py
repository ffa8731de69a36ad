"""Random packings of spheres and discs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import dots, lengths, logarithm, matrix_product, power_of_e
from ..base.arrays import Doubles, Indices
from ..base.periods import PeriodLike, vectors_of
from ..search.mesh import Mesh
from ..search.pair_finder import PairFinder
from .given_sizes import read_radii
from .packing_regions import Region, read_region

# The solid fraction may differ by this much before radii of their own are scaled, and by at most
# this factor.
_TOLERANCE, _LARGEST_SCALING = 2e-3, 1.03

# Radii are larger by this part while spheres are pushed apart, and their overlaps then become less
# than that, as parts of the smaller radius. So the spheres themselves do not overlap.
_MARGIN = 5e-4

# overlaps, as parts of the smaller radius, with which a packing may end
_ENOUGH = 1e-3

# Parts of the radii of the first descents, which leave overlaps of up to _ROUGH of a radius.
_SIZES, _ROUGH, _ROUGH_STEPS = (0.5, 0.75, 0.9), 0.1, 200

# Spheres that stay in each other are squeezed by larger radii and released again. At least _FEWEST
# of at most _MOST rounds are made. They end when the overlaps are not less than _GAIN times those
# two rounds before.
_SQUEEZE, _SQUEEZE_STEPS, _STEPS = 1.03, 300, 400
_FEWEST, _MOST, _GAIN = 4, 12, 0.75

# Parts of the overlaps by which radii are decreased to find the solid fraction that was reached.
_PARTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)

# Candidates for pairs are looked for in this part of the radii around each sphere.
_SKIN = 0.5

# FIRE's numbers (Bitzek et al. 2006, table I), and the steps in units of the shortest period of
# oscillation, about.
_DOWNHILL, _FASTER, _SLOWER, _TURN, _FADING = 5, 1.1, 0.5, 0.1, 0.99
_FIRST_STEP, _LONGEST_STEP = 0.1, 0.5

# No sphere moves by more than this part of its radius in a step.
_LARGEST_MOVE = 0.3

# Mean number of contacts that a mass of 1 has.
_CONTACTS = 12.0

# more spheres than this are a mistake in units
_LIMIT = 10_000_000

# number of radii that are drawn at first
_DRAWN = 1000


def pack(
    region: Mesh | ArrayLike | None,
    radii: Any,
    solid: float = 0.6,
    *,
    seed: int = 0,
    period: PeriodLike | bool = None,
) -> tuple[Doubles, Doubles]:
    """Fill a box, a periodic cell or a closed mesh with a random packing of spheres.

    The spheres are in random places, wholly inside the walls, and do not overlap. They are ready
    for `Simulation.add_spheres`, and nearly touch if `solid` is near the densest packing.

    Parameters
    ----------
    region : (2, 3) array_like, Mesh, or None
        Two corners of a box, the lower one first, or a closed mesh, or what `Mesh.from_any` makes
        one from; its fronts may be inside or outside. Several closed meshes in a list must not
        overlap. (2, 2) corners are a rectangle, which discs fill. None for a whole periodic cell
        with a corner at the origin.
    radii : float, (low, high), (n,) array_like, Sizes, distribution of SciPy, or callable
        A number: all spheres have this radius, and there are as many as reach `solid`. A
        distribution: as many radii are drawn from it. It may be a tuple of two numbers, the bounds
        of a uniform distribution, an `abut.Sizes`, a frozen distribution of ``scipy.stats``, or a
        callable ``f(generator, count)`` that returns radii (count,). If no whole number of spheres
        comes within 0.002 of `solid`, all radii are scaled by the same factor, by at most 3 %. An
        array or a list: the relative sizes of n spheres, all of which are scaled by the factor that
        reaches `solid`.
    solid : float, default 0.6
        The solid fraction: the volume of the spheres divided by that of the region; of discs,
        the area. Random packings of equal spheres reach 0.64, less between walls, more with a wide
        distribution.
    seed : int, default 0
        The packing is the same for the same seed, with any number of threads.
    period : True, sequence of floats or None, or (3, 3) array_like, optional
        True: the box is periodic. Lengths along the axes, None where the box has walls; or the
        vectors of a tilted cell, one in each row, zeros where it has walls. The cell's corner is
        the lower corner of the box, and its vectors must be as long along their axes as the box.
        By default there are walls on all sides.

    Returns
    -------
    centers : (n, 3) ndarray of float64
        In the periodic cell. (n, 2) for discs.
    radii : (n,) ndarray of float64

    Raises
    ------
    ValueError
        If random packings of these sizes do not reach `solid` in this region; the message has the
        fraction that was reached. If the mesh is not closed, a sphere is larger than the region,
        or there would be more than ten million spheres.
    TypeError
        If an argument is of a wrong type.

    Notes
    -----
    Spheres at random places repel each other by their overlaps, and their energy is minimized by
    FIRE [1]_, with radii that grow. The packing is jammed where the energy stays above 0 [2]_.
    Before that is an error, the spheres are squeezed and released some times. 10,000 spheres at
    0.6 take a few seconds on one core. The bits are the same for every number of threads and every
    instruction level.

    References
    ----------
    .. [1] E. Bitzek, P. Koskinen, F. Gähler, M. Moseler, P. Gumbsch, "Structural relaxation made
       simple", Physical Review Letters 97 (2006) 170201, :doi:`10.1103/PhysRevLett.97.170201`.
    .. [2] C. S. O'Hern, L. E. Silbert, A. J. Liu, S. R. Nagel, "Jamming at zero temperature and
       zero applied stress", Physical Review E 68 (2003) 011306,
       :doi:`10.1103/PhysRevE.68.011306`.

    See Also
    --------
    Insertion : Spheres that come in during a run.

    Examples
    --------
    >>> import abut
    >>> centers, radii = abut.pack([[0, 0, 0], [1, 1, 1]], 0.08, 0.55)
    >>> len(radii), len(abut.find_pairs(centers, radii))
    (256, 0)

    Sizes from 1 to 3 in a periodic box:

    >>> centers, radii = abut.pack([[0, 0, 0], [1, 1, 1]], (0.02, 0.06), period=True)
    >>> sim = abut.Simulation(step=1e-5, period=(1, 1, 1))
    >>> ids = sim.add_spheres(centers, radii, abut.Material(density=2500))
    """
    space = read_region(region, period)
    fraction = _read_solid(solid)
    generator = np.random.default_rng(_read_seed(seed))
    sizes = _radii(radii, generator, fraction, space)
    space.check_radius(float(sizes.max()))
    centers = space.scatter(generator, sizes)
    # neighbors in space have neighboring rows, which is faster
    rows = _along_cells(centers, sizes)
    centers[rows] = _packed(_Spheres(centers[rows], sizes[rows]), space, generator, fraction)
    return space.folded(centers), sizes


# ---- how spheres are pushed apart ----------------------------------------------------------------


class _Spheres(NamedTuple):
    centers: Doubles
    radii: Doubles

    def scaled(self, factor: float) -> _Spheres:
        return _Spheres(self.centers, factor * self.radii)


def _packed(
    spheres: _Spheres, region: Region, generator: np.random.Generator, solid: float
) -> Doubles:
    """The centers of the spheres after they were pushed apart."""
    radii, worst = spheres.radii, [math.inf]
    for size in _SIZES:
        found = _pushed(spheres.scaled(size), region, _ROUGH, _ROUGH_STEPS)
        spheres = _returned(_Spheres(found.centers, radii), region, generator)
    while True:
        found = _pushed(spheres.scaled(1.0 + _MARGIN), region, _MARGIN, _STEPS)
        inside = _returned(_Spheres(found.centers, radii), region, generator)
        is_inside = inside.centers is found.centers
        worst.append(found.worst if is_inside else math.inf)
        if worst[-1] <= _MARGIN or _ends(worst):
            break
        found = _pushed(inside.scaled(_SQUEEZE), region, 0.0, _SQUEEZE_STEPS)
        spheres = _returned(_Spheres(found.centers, radii), region, generator)
    if worst[-1] > _ENOUGH:
        raise ValueError(_too_dense(inside, worst[-1], region, solid))
    return inside.centers


def _ends(worst: list[float]) -> bool:
    """Whether further rounds would not decrease the largest overlaps of all rounds, or hardly."""
    rounds = len(worst) - 1
    return rounds >= _MOST or (rounds >= _FEWEST and worst[-1] > _GAIN * worst[-3])


def _returned(spheres: _Spheres, region: Region, generator: np.random.Generator) -> _Spheres:
    """The spheres, with new random places for those that have slipped through a wall."""
    lost = np.flatnonzero(region.outside(spheres.centers))
    if not len(lost):
        return spheres
    centers = spheres.centers.copy()
    centers[lost] = region.scatter(generator, spheres.radii[lost])
    return _Spheres(centers, spheres.radii)


class _Found(NamedTuple):
    """Centers, and the largest overlap with a sphere or a wall, divided by the smaller radius."""

    centers: Doubles
    worst: float


def _pushed(spheres: _Spheres, region: Region, tolerance: float, steps: int) -> _Found:
    """Minimize the energy of overlaps until these are below a tolerance, or for some steps."""
    centers, near, descent = spheres.centers, _Neighbors(spheres, region), _Descent()
    for step in range(steps):
        if near.is_outdated(centers):
            near.look(centers)
        found = near.forces(centers)
        if found.worst <= tolerance or step == steps - 1:
            break
        centers = centers + descent.move(found.forces / near.masses[:, None], spheres.radii)
    return _Found(centers, found.worst)


class _Forces(NamedTuple):
    forces: Doubles
    worst: float


class _Neighbors:
    """The neighbor list: pairs that may overlap, and spheres near walls, until one moves far."""

    def __init__(self, spheres: _Spheres, region: Region) -> None:
        self._radii, self._region = spheres.radii, region
        self._skin = _SKIN * spheres.radii
        self._finder = PairFinder(spheres.radii, gap=self._skin, period=region.period)
        self._vectors = vectors_of(region.period, region.dimension)
        self.look(spheres.centers)

    def is_outdated(self, centers: Doubles) -> bool:
        moved = centers - self._start
        return bool((4.0 * dots(moved, moved) > self._skin * self._skin).any())

    def look(self, centers: Doubles) -> None:
        """Find candidates anew."""
        pairs = self._finder.find(centers)
        # no sphere is larger than a period, so none overlaps its own image
        pairs = pairs[pairs.i != pairs.j]
        self._start, self._i, self._j = centers, pairs.i, pairs.j
        self._shifts = matrix_product(pairs.image.astype(float), self._vectors)
        self._reach = self._radii[pairs.i] + self._radii[pairs.j]
        self._walls = self._region.near_walls(centers, self._radii + self._skin)
        count = len(centers)
        degree = np.bincount(pairs.i, minlength=count) + np.bincount(pairs.j, minlength=count)
        # the stiffness of a sphere is the sum of its contacts', so masses give all one frequency
        self.masses = np.maximum(degree, 0.5 * _CONTACTS) / _CONTACTS

    def forces(self, centers: Doubles) -> _Forces:
        """Forces that are equal to the overlaps."""
        away = centers[self._i] - centers[self._j] - self._shifts
        square = dots(away, away)
        rows = np.flatnonzero(square < self._reach * self._reach)
        i, j, distance = self._i[rows], self._j[rows], np.sqrt(square[rows])
        overlap = self._reach[rows] - distance
        worst = (overlap / np.minimum(self._radii[i], self._radii[j])).max(initial=0.0)
        # two spheres in one place have no direction
        part = np.divide(overlap, distance, out=np.zeros(len(rows)), where=distance > 0)
        forces = _sums(i, j, part[:, None] * away[rows], len(centers))
        if len(self._walls):
            push = self._region.push(centers[self._walls], self._radii[self._walls])
            forces[self._walls] += push.forces
            worst = max(worst, push.worst)
        return _Forces(forces, float(worst))


def _sums(i: Indices, j: Indices, forces: Doubles, count: int) -> Doubles:
    """The sums of forces on i, and of the opposite ones on j."""
    axes = range(forces.shape[1])
    on_i = [np.bincount(i, forces[:, axis], count) for axis in axes]
    on_j = [np.bincount(j, forces[:, axis], count) for axis in axes]
    # bincount of nothing returns integers
    return np.stack(on_i, axis=1).astype(float) - np.stack(on_j, axis=1)


class _Descent:
    """FIRE: velocities turn downhill, and steps become longer while the way leads downhill."""

    def __init__(self) -> None:
        self._velocities: Any = 0.0
        self._restart(_FIRST_STEP)

    def _restart(self, step: float) -> None:
        self._step, self._turn, self._downhill = step, _TURN, 0

    def move(self, acceleration: Doubles, radii: Doubles) -> Doubles:
        """The displacements of the next step."""
        v = self._velocities
        if (acceleration * v).sum() > 0.0:
            speed = math.sqrt((v * v).sum() / (acceleration * acceleration).sum())
            v = (1.0 - self._turn) * v + self._turn * speed * acceleration
            self._downhill += 1
            if self._downhill > _DOWNHILL:
                self._step = min(_FASTER * self._step, _LONGEST_STEP)
                self._turn *= _FADING
        else:
            v = 0.0
            self._restart(_SLOWER * self._step)
        self._velocities = v + self._step * acceleration
        move = self._step * self._velocities
        way = lengths(move)
        farthest = _LARGEST_MOVE * radii
        return move * np.divide(farthest, way, out=np.ones(len(way)), where=way > farthest)[:, None]


def _along_cells(centers: Doubles, radii: Doubles) -> Indices:
    """An order of the rows in which spheres of one cell of a grid follow each other."""
    size = 4.0 * radii.mean()
    cells = np.floor((centers - centers.min(axis=0)) / size)
    return np.lexsort(cells.T)


def _too_dense(spheres: _Spheres, worst: float, region: Region, solid: float) -> str:
    """The text that spheres do not fit, and which solid fraction they have reached."""
    text = f"solid is {solid:g}, but random packings of these sizes in this region reach "
    # two spheres overlap by less if their radii are less by half of this part
    for part in _PARTS if worst < 1.0 else ():
        factor = 1.0 - 0.5 * part * worst
        found = _pushed(spheres.scaled(factor), region, _MARGIN, _STEPS)
        if found.worst <= _ENOUGH and not region.outside(found.centers).any():
            reached = solid
            for _ in range(region.dimension):
                reached *= factor
            return f"{text}about {reached:.3f}: give less, or a wider distribution of sizes"
        spheres = _Spheres(found.centers, spheres.radii)
    return f"{text}much less: give less, or smaller radii"


# ---- sizes ---------------------------------------------------------------------------------------


def _radii(given: Any, generator: np.random.Generator, solid: float, region: Region) -> Doubles:
    """Read or draw radii, and scale them to the solid fraction if they must be scaled."""
    wanted = solid * region.volume
    draw = _drawn_by(given)
    if draw is not None:
        radii = _drawn(draw, generator, wanted, region)
    elif np.ndim(given) == 0:
        radius = checks.positive(given, "radii")
        count = max(int(_count(wanted / _content(np.array([radius]), region)[0])), 1)
        radii = np.full(count, radius)
    else:
        relative = _checked(checks.doubles(given, "radii"), "radii", None)
        return relative * _factor(relative, wanted, region)
    region.check_radius(float(radii.max()))
    factor = _factor(radii, wanted, region)
    reached = solid * float(_content(radii, region).sum()) / wanted
    if abs(reached - solid) <= _TOLERANCE:
        return radii
    if not 1.0 / _LARGEST_SCALING <= factor <= _LARGEST_SCALING:
        raise ValueError(
            f"solid is {solid:g}, but {checks.counted(len(radii), 'sphere')} of these radii would"
            f" be a solid fraction of {reached:.4g}, and no other number comes nearer: give another"
            " solid, smaller radii, or an array of radii, which are scaled"
        )
    return radii * factor


def _factor(radii: Doubles, wanted: float, region: Region) -> float:
    """The factor of radii that reaches the wanted volume."""
    ratio = wanted / float(_content(radii, region).sum())
    return float(power_of_e(logarithm(np.array(ratio)) / region.dimension))


def _drawn_by(given: Any) -> Callable[[np.random.Generator, int], Any] | None:
    """How a distribution draws radii; None for a number or an array."""
    if given is None or isinstance(given, (str, bool)):
        raise TypeError(
            f"radii is {given!r}, but must be a number, (low, high), an array, a distribution such"
            " as abut.Sizes.normal(mean, deviation), or f(generator, count)"
        )
    if isinstance(given, tuple) and len(given) == 2:
        low, high = read_radii(given)  # type: ignore[misc]
        return lambda generator, count: low + (high - low) * generator.random(count)
    # distributions of SciPy are read as for an insertion
    draw: Any = read_radii(given) if hasattr(given, "support") else given
    return draw if callable(draw) else None


def _drawn(
    draw: Callable[[np.random.Generator, int], Any],
    generator: np.random.Generator,
    wanted: float,
    region: Region,
) -> Doubles:
    """As many radii of a distribution as come nearest to the wanted volume."""
    found, count = np.empty(0), _DRAWN
    while True:
        one = np.asarray(draw(generator, count))
        more = _checked(checks.doubles(one, "radii"), "the distribution's radii", count)
        found = np.concatenate([found, more])
        sums = np.cumsum(_content(found, region))
        if sums[-1] > wanted:
            break
        needed = _count(1.05 * len(found) * (wanted / sums[-1]) - len(found))
        count = max(int(needed), _DRAWN)
    most = int(np.searchsorted(sums, wanted))
    is_less = most > 0 and wanted - sums[most - 1] < sums[most] - wanted
    return found[: most + (not is_less)]


def _checked(radii: Doubles, name: str, count: int | None) -> Doubles:
    """Radii (n,), positive."""
    if radii.ndim != 1 or not len(radii) or count not in (None, len(radii)):
        wanted = "a number or (n,)" if count is None else f"({count},)"
        raise ValueError(f"{name} has shape {radii.shape}, but must be {wanted}")
    wrong = np.flatnonzero(~((radii > 0.0) & (radii < np.inf)))
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(f"{name}[{row}] is {radii[row]:g}, but must be positive and finite")
    return radii


def _content(radii: Doubles, region: Region) -> Doubles:
    """The volumes of spheres, or the areas of discs."""
    if region.dimension == 2:
        return math.pi * (radii * radii)
    return 4.0 / 3.0 * math.pi * (radii * radii * radii)


def _count(number: float) -> float:
    """The nearest whole number of spheres."""
    if number > _LIMIT:
        raise ValueError(
            f"radii and solid ask for {number:.2g} spheres, but at most 1e7 are packed: give larger"
            " radii, or all lengths in one unit"
        )
    return round(number)


def _read_solid(value: object) -> float:
    solid = checks.positive(value, "solid")
    if solid >= 1.0:
        remedy = ": divide percent by 100" if solid > 1.0 else ""
        raise ValueError(f"solid is {solid:g}, but must be less than 1{remedy}")
    return solid


def _read_seed(value: object) -> int:
    seed = checks.whole(value, "seed")
    if seed < 0:
        raise ValueError(f"seed is {seed}, but must be 0 or positive")
    return seed
