"""The model of the work of a search for pairs: sums over diameters, from which levels follow."""

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


DIMENSIONS = {2: math.pi, 3: 4 * math.pi / 3}  # with the volume of a sphere of radius 1 in each
CANDIDATES = 192  # sizes among which the optimum is looked for first, and as many quantiles


@dataclass(frozen=True, repr=False)
class Work:
    """The work of one search for pairs, as a model expects it, a sphere.

    Made by `expected_work`. A unit of work is the test of one pair.

    Attributes
    ----------
    sizes : (L,) ndarray
        Cell sizes of the levels, ascending; a sphere is on the first level that is at least as
        large as its diameter.
    fractions : (L,) ndarray
        Which part of the spheres is on each level.
    per_cell : (L,) ndarray
        Spheres in a cell of each level.
    pair_tests_by_level : (L, L) ndarray
        Entry (h, j): pairs of a sphere on level h and one on level j that are tested when level h
        looks into level j, divided by the number of all spheres.
    cell_accesses_by_level : (L, L) ndarray
        Likewise the cells of level j that are looked into.
    overhead : float
        Work of one look into a cell.

    Examples
    --------
    >>> import abut
    >>> abut.grid.expected_work([1, 1, 2, 8], [4, 16])
    Work(20.77 a sphere: 7.172 pair tests + 0.2 x 68 cell accesses, 2 levels)
    """

    sizes: Array
    fractions: Array
    per_cell: Array
    pair_tests_by_level: Array
    cell_accesses_by_level: Array
    overhead: float

    @property
    def pair_tests(self) -> float:
        """Pairs that are tested, a sphere."""
        return float(self.pair_tests_by_level.sum())

    @property
    def cell_accesses(self) -> float:
        """Cells that are looked into, a sphere."""
        return float(self.cell_accesses_by_level.sum())

    @property
    def total(self) -> float:
        """Work of both, a sphere."""
        return self.pair_tests + self.overhead * self.cell_accesses

    def __repr__(self) -> str:
        return (
            f"Work({self.total:.4g} a sphere: {self.pair_tests:.4g} pair tests"
            f" + {self.overhead:g} x {self.cell_accesses:.4g} cell accesses,"
            f" {checks.counted(len(self.sizes), 'level')})"
        )


@dataclass(frozen=True)
class Spectrum:
    """Diameters in ascending order and sums over them, from which levels are differences.

    Sums are of probability times (diameter / largest)^k, k = 0 ... dimension. Those over the
    smallest diameters are summed from below and those over the largest from above, so that a level
    of few spheres is no difference of large numbers.
    """

    diameters: Array
    below: Array  # (dimension + 1, n + 1): entry i sums over the first i diameters
    above: Array  # likewise, but over all behind the first i diameters

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
        """How many diameters are at most these sizes."""
        return np.searchsorted(self.diameters, sizes, side="right")

    def between(self, lower: Any, upper: Any) -> Array:
        """Sums over the diameters from place `lower` to before place `upper`."""
        lower, upper = np.broadcast_arrays(lower, upper)
        from_below = self.below[:, upper] - self.below[:, lower]
        from_above = self.above[:, lower] - self.above[:, upper]
        return np.where(self.below[:, upper] < self.above[:, lower], from_below, from_above)

    def fraction(self, lower: int, upper: int) -> float:
        """The first of these sums, at one place."""
        if self.below[0, upper] < self.above[0, lower]:
            return float(self.below[0, upper] - self.below[0, lower])
        return float(self.above[0, lower] - self.above[0, upper])


@dataclass(frozen=True)
class Model:
    """Work in units of a pair test, a sphere; inside, lengths are parts of the largest diameter."""

    spectrum: Spectrum
    dimension: int
    volume_fraction: float
    search: int
    overhead: float

    @cached_property
    def density(self) -> float:
        """Spheres in a cube whose edge is the largest diameter."""
        volume = DIMENSIONS[self.dimension] * self.spectrum.below[-1, -1] / 2**self.dimension
        return float(self.volume_fraction / volume)

    def work(self, sizes: Array, lengths: Array) -> Work:
        """All levels of `sizes` (L,), whose cells are as long as `lengths` (dimension, L)."""
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
        """Work with levels of these sizes."""
        places = self.spectrum.places(sizes)
        return float(self.level(np.append(0, places[:-1]), places, sizes).sum())

    def level(self, lower: Any, upper: Any, size: Any) -> Any:
        """
        Work of and in levels of which each has cells of its size and holds the diameters from place
        `lower` to before place `upper`.

        That is the search on the level itself, and the search in it by all spheres above, or below:
        which does not depend on the levels that these are on. So the work is a sum over the levels.
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
        """
        Sizes (c,) to choose from, and the work (c + 1, c) of a level from the one before,
        or from none, to each; infinite where that is no level.
        """
        diameters = self.spectrum.diameters
        count = len(diameters)
        even = np.geomspace(diameters[0], diameters[-1], CANDIDATES)
        near = np.clip(self.spectrum.places(even) - 1, 0, count - 1)
        quantiles = np.linspace(0, count - 1, CANDIDATES).astype(int)
        # where diameters lie far apart, sizes between them are tried, too: few spheres are better
        # in cells that are larger than they need
        between = even[(diameters[near] < even) & (even < diameters[-1])]
        sizes = np.unique(np.concatenate([between, diameters[near], diameters[quantiles]]))
        upper = self.spectrum.places(sizes)
        lower = np.append(0, upper)[:, None]
        fractions = self.spectrum.between(lower, upper)[0]
        work = self.level(*np.broadcast_arrays(lower, upper, sizes))
        return sizes, np.where((lower < upper) & (fractions > 0), work, math.inf)

    def _own(self, fraction: Array, volume: Array) -> tuple[Array, Array]:
        """Tests and looks into cells on a sphere's own level: half of the 3^d cells around it."""
        cells = 3**self.dimension
        return cells / 2 * fraction**2 * volume * self.density, (cells + 1) / 2 * fraction


def _window(lengths: Array) -> Array:
    """
    Coefficients, by power of a sphere's diameter, of the mean volume of the cells that it looks
    into on a level: along each axis 2 length + diameter, since a box of half the width radius +
    length / 2 reaches into 2 + diameter / length cells.
    """
    window = [np.ones_like(lengths[0])]
    for length in lengths:
        window = [
            2 * length * same + lower
            for same, lower in zip(window + [0.0], [0.0] + window, strict=True)
        ]
    return np.array(window)


def _divisor(volume: Array) -> Array:
    # a volume that underflows to 0 would make 0 / 0; so it becomes a number of cells beyond count
    return np.maximum(volume, np.finfo(float).tiny)
