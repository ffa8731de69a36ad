"""The model of the work of a search for pairs, with sums over the diameters of spheres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base import checks

Array = NDArray[np.float64]
Places = NDArray[np.intp]


DIMENSIONS = {2: math.pi, 3: 4 * math.pi / 3}  # the volume of a sphere of radius 1, by dimension
CANDIDATES = 192  # the number of sizes, and of quantiles, that `Model.candidates` uses


@dataclass(frozen=True, repr=False)
class Work:
    """The expected work of a search for pairs, per sphere, as `expected_work` returns it.

    The unit of work is the test of one pair.

    Attributes
    ----------
    sizes : (L,) ndarray
        Cell sizes of the levels, ascending; a sphere is on the first level with a size of at least
        its diameter.
    fractions : (L,) ndarray
        The part of the spheres on each level.
    per_cell : (L,) ndarray
        Number of spheres in a cell of each level.
    pair_tests_by_level : (L, L) ndarray
        Entry (h, j): number of pairs that are tested when spheres of level h search level j,
        divided by the number of all spheres.
    cell_accesses_by_level : (L, L) ndarray
        Entry (h, j): number of cells that spheres of level h access on level j, divided by the
        number of all spheres.
    overhead : float
        Work of one access to a cell, as a multiple of the work of testing one pair.

    Examples
    --------
    >>> import abut
    >>> abut.grid.expected_work([1, 1, 2, 8], [4, 16])
    Work(20.77 per sphere: 7.172 pair tests + 0.2 x 68 cell accesses, 2 levels)
    """

    sizes: Array
    fractions: Array
    per_cell: Array
    pair_tests_by_level: Array
    cell_accesses_by_level: Array
    overhead: float

    @property
    def pair_tests(self) -> float:
        """Tested pairs per sphere."""
        return float(self.pair_tests_by_level.sum())

    @property
    def cell_accesses(self) -> float:
        """Accesses to cells per sphere."""
        return float(self.cell_accesses_by_level.sum())

    @property
    def total(self) -> float:
        """Total work per sphere: pair_tests + overhead * cell_accesses."""
        return self.pair_tests + self.overhead * self.cell_accesses

    def __repr__(self) -> str:
        return (
            f"Work({self.total:.4g} per sphere: {self.pair_tests:.4g} pair tests"
            f" + {self.overhead:g} x {self.cell_accesses:.4g} cell accesses,"
            f" {checks.counted(len(self.sizes), 'level')})"
        )


@dataclass(frozen=True)
class Spectrum:
    """Diameters in ascending order, and partial sums over them; a level's sum is a difference.

    The terms are probability times (diameter / largest)^k, k = 0 ... dimension. They are summed up
    from the smallest and also from the largest diameter. With only one of both, the sum of a level
    with few spheres might be a difference of large numbers.
    """

    diameters: Array
    below: Array  # (dimension + 1, n + 1): entry i is the sum over the first i diameters
    above: Array  # (dimension + 1, n + 1): entry i is the sum over all diameters after these

    @classmethod
    def of(cls, radii: Array, probability: Array | None, dimension: int) -> Spectrum:
        order = np.argsort(radii)
        diameters = 2 * radii[order]
        weights = np.full(len(radii), 1 / len(radii)) if probability is None else probability[order]
        below = np.zeros((dimension + 1, len(radii) + 1))
        above = np.zeros_like(below)
        term = weights.copy()
        for power in range(dimension + 1):
            np.cumsum(term, out=below[power, 1:])
            np.cumsum(term[::-1], out=above[power, :-1][::-1])
            term *= diameters / diameters[-1]
        return cls(diameters, below, above)

    @property
    def smallest(self) -> float:
        return float(self.diameters[0])

    @property
    def largest(self) -> float:
        return float(self.diameters[-1])

    @property
    def dimension(self) -> int:
        return len(self.below) - 1

    @cached_property
    def volumes(self) -> Array:
        return (self.diameters / self.largest) ** self.dimension

    def places(self, sizes: Array) -> Places:
        """Return, for each of these sizes, the number of diameters that are not larger."""
        return np.searchsorted(self.diameters, sizes, side="right")

    def between(self, lower: Any, upper: Any) -> Array:
        """Return the sums over the sorted diameters with numbers lower to upper - 1."""
        lower, upper = np.broadcast_arrays(lower, upper)
        from_below = self.below[:, upper] - self.below[:, lower]
        from_above = self.above[:, lower] - self.above[:, upper]
        return np.where(self.below[:, upper] < self.above[:, lower], from_below, from_above)

    def fraction(self, lower: int, upper: int) -> float:
        """Return the sum `between` for k = 0 and scalar arguments: a fraction of all spheres."""
        if self.below[0, upper] < self.above[0, lower]:
            return float(self.below[0, upper] - self.below[0, lower])
        return float(self.above[0, lower] - self.above[0, upper])


@dataclass(frozen=True)
class Model:
    """The work per sphere, in units of a pair test; the unit of length is the largest diameter."""

    spectrum: Spectrum
    dimension: int
    volume_fraction: float
    search: int
    overhead: float

    @cached_property
    def density(self) -> float:
        """The number of spheres in a cube with an edge of the largest diameter."""
        volume = DIMENSIONS[self.dimension] * self.spectrum.below[-1, -1] / 2**self.dimension
        return float(self.volume_fraction / volume)

    def work(self, sizes: Array, lengths: Array) -> Work:
        """Return the work with levels of `sizes` (L,) and cells of `lengths` (dimension, L)."""
        largest = self.spectrum.largest
        places = self.spectrum.places(sizes)
        sums = self.spectrum.between(np.append(0, places[:-1]), places)
        window = _window(lengths / largest)
        volumes = np.prod(lengths / largest, axis=0)
        reached = np.einsum("kj,kh->hj", window, sums)
        tests = reached * sums[0] * self.density
        accesses = np.where(sums[0] > 0, reached / _divisor(volumes), 0)
        own_tests, own_accesses = self._own(sums[0], volumes)
        for matrix, own in ((tests, own_tests), (accesses, own_accesses)):
            looks = np.tril(matrix, -1) if self.search == _core.TOP_DOWN else np.triu(matrix, 1)
            matrix[:] = looks + np.diag(own)
        per_cell = sums[0] * volumes * self.density
        return Work(sizes, sums[0].copy(), per_cell, tests, accesses, self.overhead)

    def total(self, sizes: Array) -> float:
        """Return the total work with levels of these sizes."""
        places = self.spectrum.places(sizes)
        return float(self.level(np.append(0, places[:-1]), places, sizes).sum())

    def level(self, lower: Any, upper: Any, size: Any) -> Any:
        """Return the work of levels with cells of `size`, for diameters lower to upper - 1.

        This includes the search among the level's spheres, and the search on this level for all
        spheres of the levels above (bottom-up: below). This part does not depend on the levels of
        these spheres, so the total work is a sum over levels.
        """
        count = len(self.spectrum.diameters)
        seekers = (upper, count) if self.search == _core.TOP_DOWN else (0, lower)
        cell = np.asarray(size) / self.spectrum.largest
        window = _window(np.array([cell] * self.dimension))
        volume = cell**self.dimension
        fraction = self.spectrum.between(lower, upper)[0]
        reached = (window * self.spectrum.between(*seekers)).sum(axis=0)
        own_tests, own_accesses = self._own(fraction, volume)
        tests = own_tests + reached * fraction * self.density
        accesses = own_accesses + np.where(fraction > 0, reached / _divisor(volume), 0)
        return tests + self.overhead * accesses

    @cached_property
    def candidates(self) -> tuple[Array, Array]:
        """Candidate sizes (c,), and the work (c + 1, c) of a level between two of these sizes.

        Row 0 has the work of first levels, row a + 1 the work of levels after a level of size a.
        The columns are the sizes of the levels. Levels without spheres have infinite work.
        """
        diameters = self.spectrum.diameters
        count = len(diameters)
        even = np.geomspace(diameters[0], diameters[-1], CANDIDATES)
        near = np.clip(self.spectrum.places(even) - 1, 0, count - 1)
        quantiles = np.linspace(0, count - 1, CANDIDATES).astype(int)
        # If diameters lie far apart, sizes between them are also candidates: for few spheres, cells
        # that are larger than necessary may be better.
        between = even[(diameters[near] < even) & (even < diameters[-1])]
        sizes = np.unique(np.concatenate([between, diameters[near], diameters[quantiles]]))
        upper = self.spectrum.places(sizes)
        lower = np.append(0, upper)[:, None]
        fractions = self.spectrum.between(lower, upper)[0]
        work = self.level(*np.broadcast_arrays(lower, upper, sizes))
        return sizes, np.where((lower < upper) & (fractions > 0), work, math.inf)

    def _own(self, fraction: Array, volume: Array) -> tuple[Array, Array]:
        """Return pair tests and accesses on the spheres' own level, in half of the 3^d cells."""
        cells = 3**self.dimension
        return cells / 2 * fraction**2 * volume * self.density, (cells + 1) / 2 * fraction


def _window(lengths: Array) -> Array:
    """Return the mean volume of the cells that a sphere accesses, as a polynomial in its diameter.

    Along each axis the total length of these cells is 2 length + diameter: a box that extends from
    the center by radius + length / 2 to both sides overlaps 2 + diameter / length cells on average.
    """
    window = [np.ones_like(lengths[0])]
    for length in lengths:
        window = [
            2 * length * same + lower
            for same, lower in zip(window + [0.0], [0.0] + window, strict=True)
        ]
    return np.array(window)


def _divisor(volume: Array) -> Array:
    # A volume may underflow to 0, which would give 0 / 0. It is replaced by a tiny number.
    return np.maximum(volume, np.finfo(float).tiny)
