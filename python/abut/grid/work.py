"""The expected work of a search for pairs, and the cell sizes with the smallest expected work.

The formulas are from the paper that `expected_work` cites; radii may be measured ones or a
distribution. A finder chooses its sizes in another way: csrc/spheres/grid_levels.c takes them from
a histogram of the spheres, and csrc/spheres/pair_finder.c makes no level larger than its largest
sphere.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.extras import import_extra
from ..search.pair_finder import SEARCHES
from .work_model import DIMENSIONS, Model, Spectrum, Work

if TYPE_CHECKING:
    from ..options import Family, Search

Array = NDArray[np.float64]


VOLUME_FRACTION = 0.6  # the solid fraction of a dense packing of spheres

# The largest number of levels that is tried. Only "linear" sizes gain from more, and with this many
# levels they still have the most work of all families.
LEVEL_SEARCH_LIMIT = 12
SUM_TOLERANCE = 1e-6  # more than the rounding error of a sum of probabilities


def expected_work(
    radii: ArrayLike,
    sizes: ArrayLike,
    *,
    search: Search = "top-down",
    overhead: float = 0.2,
    dimension: int = 3,
    volume_fraction: float = VOLUME_FRACTION,
    probability: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
) -> Work:
    """Estimate the work of a search for pairs in a hierarchical grid.

    This is the model of [1]_, section 3; docs/method.md, section 7, has the sums. It assumes that a
    sphere of any radius lies anywhere with the same probability, independently of all others. On
    its own level, a sphere is compared with the spheres in its cell and in half of the cells around
    it. On each level below (top-down search) or above (bottom-up search), it is compared with the
    spheres in all cells that it can reach. Levels without spheres are skipped.

    Parameters
    ----------
    radii : (n,) array_like
        Radii of the spheres; or, with `probability`, the radii at which a distribution is given.
        For a search with a gap, add half of the gap to each radius.
    sizes : (L,) array_like
        Cell sizes of the levels, as lengths in ascending order. A sphere is on the first level with
        a size of at least its diameter, so the last size must be at least the largest diameter.
    search : {"top-down", "bottom-up"}
        Whether a sphere is compared with the levels below its own level, or above it.
    overhead : float, default 0.2
        Work of one access to a cell, as a multiple of the work of testing one pair.
    dimension : {3, 2}
        Dimension of space.
    volume_fraction : float, default 0.6
        The part of space that spheres fill; in the plane, the part of the area that disks fill.
    probability : (n,) array_like, optional
        Probability of each radius, as in a quadrature over a distribution; the sum is 1. By
        default all probabilities are equal.
    lengths : (L,) or (L, dimension) array_like, optional
        The lengths of each level's cells along each axis. They exceed the level's size in a
        periodic box, where a whole number of cells fills a period. By default equal to `sizes`.

    Returns
    -------
    Work
        Its `total`, `pair_tests` and `cell_accesses`, all per sphere, and the parts of each level.

    Raises
    ------
    ValueError
        If a radius is not positive, sizes do not ascend or are too small, or another value or a
        shape is wrong. The message names the first wrong value.
    TypeError
        If an argument does not consist of real numbers.

    References
    ----------
    .. [1] D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a hierarchical grid data
       structure for contact detection in arbitrarily polydisperse particle systems",
       Computational Particle Mechanics 1 (2014), :doi:`10.1007/s40571-014-0020-9`.

    Examples
    --------
    A million small spheres for each large one, on one level and on two:

    >>> import abut
    >>> mixture = [1, 100], [1 - 1e-6, 1e-6]
    >>> one = abut.grid.expected_work(mixture[0], [200], probability=mixture[1])
    >>> two = abut.grid.expected_work(mixture[0], [2, 200], probability=mixture[1])
    >>> round(one.total / two.total)
    681180
    """
    model = _model(radii, probability, dimension, volume_fraction, search, overhead)
    ascending = _read_sizes(sizes, model.spectrum)
    return model.work(ascending, _read_lengths(lengths, ascending, model.dimension))


def cell_sizes(
    radii: ArrayLike,
    *,
    family: Family = "constant",
    levels: int | None = None,
    dimension: int = 3,
    volume_fraction: float | None = None,
    probability: ArrayLike | None = None,
    search: Search = "top-down",
    overhead: float = 0.2,
) -> Array:
    """Choose the cell sizes of a hierarchical grid for spheres of these radii.

    Parameters
    ----------
    radii : (n,) array_like
        As for `expected_work`.
    family : {"constant", "linear", "exponential", "optimal"}
        "constant": cells of all levels hold the same number of spheres. "linear", "exponential":
        sizes grow by the same length or factor, beginning at the smallest diameter. "optimal": the
        smallest expected work; needs SciPy. See section 5.2 of the paper in `expected_work`.
    levels : int, optional
        Number of levels, 1 to 64. The default is the number up to 12 with the smallest expected
        work; "linear" sizes may gain from more levels. The families "constant" and "optimal" make
        fewer levels if there are fewer different radii.
    dimension, volume_fraction, probability, search, overhead
        As for `expected_work`. The volume fraction is 0.6 by default.

    Returns
    -------
    (L,) ndarray
        The sizes, as lengths in ascending order; the last one is the largest diameter. If all radii
        are equal, there is one level.

    Raises
    ------
    ValueError, TypeError
        As `expected_work`.
    ImportError
        If SciPy, which "optimal" needs, is not installed.

    Examples
    --------
    >>> import abut
    >>> abut.grid.cell_sizes([1, 2, 4, 8], family="exponential", levels=3)
    array([ 4.,  8., 16.])
    """
    fraction = VOLUME_FRACTION if volume_fraction is None else volume_fraction
    make = checks.choice(family, "family", FAMILIES)
    model = _model(radii, probability, dimension, fraction, search, overhead)
    spectrum = model.spectrum
    if spectrum.smallest == spectrum.largest:
        _read_levels(levels)
        return np.array([spectrum.largest])
    if levels is None:
        sizes = _best(lambda count: make(model, count), model)
    else:
        sizes = make(model, _read_levels(levels))
    return _refined(model, sizes) if family == "optimal" else sizes


# ---- checks of arguments -------------------------------------------------------------------------


def _model(
    radii: ArrayLike,
    probability: ArrayLike | None,
    dimension: int,
    volume_fraction: float,
    search: Search,
    overhead: float,
) -> Model:
    if checks.whole(dimension, "dimension") not in DIMENSIONS:
        raise ValueError(f"dimension is {dimension}, but must be 2 or 3")
    fraction = checks.number(volume_fraction, "volume_fraction")
    if not 0 < fraction < math.inf:
        raise ValueError(f"volume_fraction is {fraction:.16g}; it must be positive")
    cost = checks.number(overhead, "overhead")
    if not 0 <= cost < math.inf:
        raise ValueError(f"overhead is {cost:.16g}; it must be at least 0")
    direction = checks.choice(search, "search", SEARCHES)
    spectrum = Spectrum.of(*_read_radii(radii, probability), int(dimension))
    return Model(spectrum, int(dimension), fraction, direction, cost)


def _read_radii(radii: ArrayLike, probability: ArrayLike | None) -> tuple[Array, Array | None]:
    found = _vector(radii, "radii")
    if not len(found):
        raise ValueError("radii is empty")
    wrong = ~((found > 0) & (found <= _core.COORDINATE_LIMIT))
    if wrong.any():
        first = int(wrong.argmax())
        raise ValueError(
            f"radii[{first}] is {found[first]:.16g}; radii must be positive and at most 1e75"
        )
    return found, None if probability is None else _read_probability(probability, len(found))


def _read_probability(probability: ArrayLike, count: int) -> Array:
    weights = checks.lengths(
        _vector(probability, "probability"), "probability", count, "radius", "radii"
    )
    wrong = ~(weights >= 0)
    if wrong.any():
        first = int(wrong.argmax())
        raise ValueError(f"probability[{first}] is {weights[first]:.16g}; it must be at least 0")
    total = math.fsum(weights)
    if not abs(total - 1) <= SUM_TOLERANCE:
        raise ValueError(f"probability sums to {total:.16g}, but must sum to 1")
    return weights


def _read_sizes(sizes: ArrayLike, spectrum: Spectrum) -> Array:
    found = _vector(sizes, "sizes").copy()
    if not 1 <= len(found) <= _core.LEVEL_LIMIT:
        raise ValueError(f"sizes has {len(found)} entries, but must have 1 to {_core.LEVEL_LIMIT}")
    wrong = ~((found > np.append(0.0, found[:-1])) & (found < math.inf))
    if wrong.any():
        first = int(wrong.argmax())
        raise ValueError(
            f"sizes[{first}] is {found[first]:.16g}; sizes must be positive and ascend"
        )
    if found[-1] < spectrum.largest:
        raise ValueError(
            f"sizes[{len(found) - 1}] is {found[-1]:.16g},"
            f" but the largest diameter is {spectrum.largest:.16g}"
        )
    return found


def _read_lengths(lengths: ArrayLike | None, sizes: Array, dimension: int) -> Array:
    """Return the lengths of cells as an array of shape (dimension, L)."""
    shape = (dimension, len(sizes))
    if lengths is None:
        return np.broadcast_to(sizes, shape)
    found = checks.doubles(lengths, "lengths")
    if found.shape not in (shape[1:], shape[::-1]):
        raise ValueError(
            f"lengths has shape {found.shape}, but must be ({shape[1]},) or {shape[::-1]}"
        )
    by_axis = np.broadcast_to(found.T, shape)
    wrong = ~((by_axis >= sizes) & (by_axis < math.inf)).T
    if wrong.any():
        level, axis = np.argwhere(wrong)[0]
        raise ValueError(
            f"lengths of level {level} include {by_axis[axis, level]:.16g};"
            f" they must be at least its size, {sizes[level]:.16g}"
        )
    return by_axis


def _read_levels(levels: int | None) -> int:
    count = 1 if levels is None else checks.whole(levels, "levels")
    if not 1 <= count <= _core.LEVEL_LIMIT:
        raise ValueError(f"levels is {count}, but must be 1 to {_core.LEVEL_LIMIT}")
    return count


def _vector(value: ArrayLike, name: str) -> Array:
    array = checks.doubles(value, name)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, but must be (n,)")
    return array


# ---- families of sizes ---------------------------------------------------------------------------


def _best(make: Callable[[int], Array], model: Model) -> Array:
    """Return the sizes with the smallest work; stop if two more levels in a row do not help."""
    best = make(1)
    least, worse = model.total(best), 0
    for count in range(2, LEVEL_SEARCH_LIMIT + 1):
        sizes = make(count)
        work = model.total(sizes)
        worse = 0 if work < least else worse + 1
        if worse == 2 or len(sizes) < count:
            return sizes if work < least else best
        if work < least:
            best, least = sizes, work
    return best


def _linear(model: Model, count: int) -> Array:
    spectrum = model.spectrum
    return _ended(np.linspace(spectrum.smallest, spectrum.largest, count + 1)[1:-1], spectrum)


def _exponential(model: Model, count: int) -> Array:
    spectrum = model.spectrum
    factor = spectrum.largest / spectrum.smallest
    steps = np.arange(1, count) / count
    return _ended(spectrum.smallest * factor**steps, spectrum)


def _ended(inner: Array, spectrum: Spectrum) -> Array:
    """Return the inner sizes that ascend, followed by the largest diameter."""
    kept = inner[(inner < spectrum.largest) & (np.diff(np.append(0.0, inner)) > 0)]
    return np.append(kept, spectrum.largest)


def _constant(model: Model, count: int) -> Array:
    """Return sizes with equal numbers of spheres in the cells of all levels.

    The logarithm of this number is found by bisection: with more spheres in the cells of all other
    levels, fewer spheres remain for the last level.
    """
    low, high = math.log(np.finfo(float).tiny), 0.0
    while low < (middle := (low + high) / 2) < high:
        per_cell = math.exp(middle)
        rest = _filled(model.spectrum, per_cell, count - 1)[1]
        low, high = (middle, high) if rest >= per_cell else (low, middle)
    sizes, _ = _filled(model.spectrum, math.exp(low), count - 1)
    return _ended(np.array(sizes), model.spectrum)


def _filled(spectrum: Spectrum, per_cell: float, count: int) -> tuple[list[float], float]:
    """Return `count` sizes with `per_cell` spheres in each cell, and the fraction of the rest.

    There are fewer sizes if no spheres remain. per_cell: it would be 1 if all spheres were on one
    level with cells as large as the largest diameter.
    """
    diameters, volumes = spectrum.diameters, spectrum.volumes
    sizes: list[float] = []
    first = 0

    def held(place: int) -> float:
        return float(volumes[place] * spectrum.fraction(first, place + 1))

    while len(sizes) < count:
        place = bisect_left(range(len(diameters)), per_cell, lo=first, key=held)
        if place == len(diameters):
            break
        size = diameters[place]
        before = spectrum.fraction(first, place)
        # If the spheres below this diameter fill the cells, the size is between two diameters.
        if before * volumes[place] >= per_cell:
            size = min(size, spectrum.largest * (per_cell / before) ** (1 / spectrum.dimension))
        sizes.append(float(size))
        first = bisect_right(diameters, size)
    return sizes, spectrum.fraction(first, len(diameters))


def _optimal(model: Model, count: int) -> Array:
    """Return the `count` candidate sizes with the smallest work, as a path of that many steps."""
    sizes, steps = model.candidates
    work, origins = steps[0], []
    for _ in range(count - 1):
        # Row a + 1 of `steps` has the work of the steps from candidate a to each other candidate.
        through = work[:, None] + steps[1:]
        work = through.min(axis=0)
        # The work is infinite if `count` exceeds the number of candidates with spheres.
        if math.isinf(work[-1]):
            break
        origins.append(through.argmin(axis=0))
    path = [len(sizes) - 1]
    for origin in reversed(origins):
        path.append(int(origin[path[-1]]))
    return _ended(sizes[path[:0:-1]], model.spectrum)


def _refined(model: Model, sizes: Array) -> Array:
    """Return better sizes, which may lie between the candidates, by Powell's method."""
    spectrum = model.spectrum
    minimize = import_extra("scipy.optimize", "scipy").minimize
    if len(sizes) == 1:
        return sizes

    def moved(logarithms: Array) -> Array:
        return _ended(np.sort(np.exp(logarithms)), spectrum)

    limits = [(math.log(spectrum.smallest), math.log(spectrum.largest))] * (len(sizes) - 1)
    found = minimize(
        lambda logarithms: model.total(moved(logarithms)),
        np.log(sizes[:-1]),
        method="Powell",
        bounds=limits,
        options={"ftol": 1e-9, "xtol": 1e-6},
    )
    better = moved(found.x)
    return better if model.total(better) < model.total(sizes) else sizes


FAMILIES: dict[Family, Callable[[Model, int], Array]] = {
    "constant": _constant,
    "linear": _linear,
    "exponential": _exponential,
    "optimal": _optimal,
}
