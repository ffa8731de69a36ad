"""Fields on a grid: values at points, spread by a kernel over the cells around them."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..base.arithmetic import lengths, matrix_product
from ..base.arrays import Doubles, Indices

# The largest number of weights that are in memory at once, 16 MiB.
_BATCH = 2**21

# A kernel may reach this many cells; their numbers take 100 MB.
_MOST_CELLS = 2**21

# The largest number of points on lines that are in memory at once.
_LINES = 2**18

# A kernel must reach the center of the nearest cell with this part of its range.
_REACH = 0.9


class Kernel(NamedTuple):
    """A weight that depends on the distance alone; the sum of weights is not 1 yet."""

    range: float  # in widths: beyond it the weight is 0
    points: float  # of an integral along a line, for each width
    weigh: Callable[[Doubles], Doubles]  # of squared distances in widths, which it overwrites


def _gauss(squares: Doubles) -> Doubles:
    return np.exp(np.multiply(squares, -0.5, out=squares), out=squares)


def _lucy(squares: Doubles) -> Doubles:
    # L. B. Lucy, Astron. J. 82 (1977) 1013: (1 + 3 q) (1 - q)^3 with q = distance / range
    q = np.sqrt(np.multiply(squares, 0.25, out=squares), out=squares)
    rest = 1.0 - q
    return (1.0 + 3.0 * q) * rest * rest * rest


# With these numbers of points the error of an integral along a line is below 1e-4 of its largest
# value for Gauss, and below 1e-3 for Lucy's function, which is less smooth.
KERNELS = {"gauss": Kernel(4.0, 1.5, _gauss), "lucy": Kernel(2.0, 3.0, _lucy)}


class Grid(NamedTuple):
    """Cells of equal shape that fill a box, or the cell of a period.

    Along an axis with a single cell nothing is resolved: distances along its vector do not count.
    """

    origin: Doubles  # (3,)
    vectors: Doubles  # (3, 3): edges of the box as rows
    counts: tuple[int, int, int]  # of cells along each vector
    wraps: tuple[bool, bool, bool]  # whether the last cell along a vector is next to the first

    @property
    def steps(self) -> Doubles:
        """The edges of a cell, as rows."""
        return self.vectors / np.array(self.counts)[:, None]

    @property
    def inverse(self) -> Doubles:
        """The matrix (3, 3) that makes numbers of cells of vectors from the origin."""
        return np.linalg.inv(self.steps).astype(np.float64)

    @property
    def volume(self) -> float:
        """The volume of a cell."""
        return abs(float(np.linalg.det(self.steps)))

    def centers(self) -> Doubles:
        """The centers of the cells, (nx, ny, nz, 3)."""
        numbers: Any = np.moveaxis(np.indices(self.counts), 0, -1).reshape(-1, 3) + 0.5
        return (matrix_product(numbers, self.steps) + self.origin).reshape(*self.counts, 3)

    def across(self) -> Doubles:
        """The matrix (3, 3) that removes from vectors their parts along axes with one cell."""
        alone = self.vectors[np.array(self.counts) == 1]
        rest = np.eye(3)
        if len(alone):
            base: Any = np.linalg.qr(alone.T)[0]
            rest = rest - matrix_product(base, base.T)
        return rest


class Spreading(NamedTuple):
    """A grid and a kernel, and which cells around a point the kernel can reach."""

    grid: Grid
    kernel: Kernel
    width: float
    offsets: Indices  # (k, 3): numbers of these cells, relative to the point's own cell
    ways: Doubles  # (k, 3): from the center of the point's own cell to theirs, in widths

    @property
    def margin(self) -> Indices:
        """By how many cells the kernel reaches out of the grid, along each axis."""
        return np.abs(self.offsets).max(axis=0)

    def spread(self, points: Doubles, values: Doubles) -> Doubles:
        """Spread values (n, c) at points (n, 3) over the cells: sums (nx, ny, nz, c).

        The weights of each point sum up to 1.
        """
        shape = np.array(self.grid.counts) + 2 * self.margin
        strides = np.array([shape[1] * shape[2], shape[2], 1])
        cells, rests = self._places(points)
        at = ((cells + self.margin) * strides).sum(axis=1)
        away = (self.offsets * strides).sum(axis=1)
        # Sums over neighbors take a third of the time, since they stay in the cache.
        order = np.argsort(at, kind="stable")
        sums = np.zeros((values.shape[1], math.prod(shape.tolist())))
        size = max(1, _BATCH // len(self.offsets))
        for begin in range(0, len(points), size):
            rows = order[begin : begin + size]
            index = np.add.outer(away, at[rows]).ravel()
            weights = self._weights(cells[rows], rests[rows])
            for k, column in enumerate(values[rows].T):
                # NumPy annotates the result as integers, but with weights bincount returns floats.
                parts = np.bincount(index, (weights * column).ravel(), sums.shape[1])
                sums[k] += parts  # type: ignore[misc]
        return self._folded(np.moveaxis(sums.reshape(-1, *shape), 0, -1))

    def _places(self, points: Doubles) -> tuple[Indices, Doubles]:
        """The cell (n, 3) of each point, and the way from its center to the point, in widths."""
        grid = self.grid
        numbers = matrix_product(points - grid.origin, grid.inverse)
        cells = np.floor(numbers).astype(np.intp)
        counts = np.array(grid.counts)
        # rounding may place a point of a box in the next cell
        inside = np.where(grid.wraps, cells % counts, np.clip(cells, 0, counts - 1))
        moved = np.where(grid.wraps, cells, inside)
        ways = matrix_product(numbers - moved - 0.5, grid.steps)
        return inside, matrix_product(ways, grid.across()) / self.width

    def _weights(self, cells: Indices, rests: Doubles) -> Doubles:
        """The weights (k, n) of each cell around each point; their sums are 1."""
        squares = np.zeros((len(self.ways), len(rests)))
        for way, rest in zip(self.ways.T, rests.T, strict=True):
            if way.any() or rest.any():
                apart = np.subtract.outer(way, rest)
                squares += np.multiply(apart, apart, out=apart)
        is_far = squares > self.kernel.range**2
        weights = self.kernel.weigh(squares)
        weights[is_far] = 0.0
        for axis, count in enumerate(self.grid.counts):
            if not self.grid.wraps[axis] and count > 1:
                numbers = np.add.outer(self.offsets[:, axis], cells[:, axis])
                weights[(numbers < 0) | (numbers >= count)] = 0.0
        weights /= weights.sum(axis=0)
        return weights

    def _folded(self, sums: Doubles) -> Doubles:
        """Add the cells outside of the grid to those that they are images of."""
        for axis, count in enumerate(self.grid.counts):
            margin, found = int(self.margin[axis]), None
            rows = np.moveaxis(sums, axis, 0)
            found = np.zeros((count, *rows.shape[1:]))
            for number, row in enumerate(rows):
                found[(number - margin) % count] += row
            sums = np.moveaxis(found, 0, axis)
        return np.ascontiguousarray(sums)


def spreading(grid: Grid, kernel: Kernel, width: float) -> Spreading:
    """Prepare a grid and a kernel; raise a ValueError if the cells are too large for the kernel."""
    steps = matrix_product(grid.steps, grid.across())
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    half = float(lengths(matrix_product(signs, steps)).max())
    sizes = lengths(steps) * (np.array(grid.counts) > 1)
    _check_width(grid, sizes, half, kernel, width)
    reach = kernel.range * width + half
    most = _most_cells(grid, reach)
    count = math.prod(2 * one + 1 for one in most)
    if count > _MOST_CELLS:
        raise ValueError(
            f"width is {width:g}, so that a kernel reaches {count} cells: give a smaller width, or"
            " fewer cells"
        )
    offsets = np.stack(np.meshgrid(*(np.arange(-m, m + 1) for m in most), indexing="ij"), axis=-1)
    offsets = offsets.reshape(-1, 3)
    ways = matrix_product(offsets.astype(np.float64), steps)
    near = lengths(ways) <= reach
    return Spreading(grid, kernel, width, offsets[near], ways[near] / width)


def _most_cells(grid: Grid, reach: float) -> list[int]:
    """The largest numbers of cells along each vector within a distance; 0 for a single cell."""
    if max(grid.counts) == 1:
        return [0, 0, 0]
    # The length of a column of the inverse is 1 / (distance between two planes of cells).
    inverse = matrix_product(grid.across(), grid.inverse)
    apart = lengths(inverse.T)
    return [
        math.ceil(reach * one) if count > 1 else 0
        for one, count in zip(apart.tolist(), grid.counts, strict=True)
    ]


def _check_width(grid: Grid, sizes: Doubles, half: float, kernel: Kernel, width: float) -> None:
    axis = int(sizes.argmax())
    if sizes[axis] > 2 * width or half > _REACH * kernel.range * width:
        least = max(sizes[axis] / 2, half / (_REACH * kernel.range))
        needs = math.ceil(grid.counts[axis] * least / width)
        raise ValueError(
            f"width is {width:g}, but cells are {sizes[axis]:g} long along axis {axis}: give a"
            f" width of at least {least:g}, or {needs} cells along this axis, or 1 for its mean"
        )


class Lines(NamedTuple):
    """Forces, and the lines from centers of grains on which they act."""

    starts: Doubles  # (m, 3)
    arms: Doubles  # (m, 3)
    forces: Doubles  # (m, 3): on the grain at the start


def spread_lines(spreading: Spreading, lines: Lines) -> Doubles:
    """Spread ``-outer(arm, force)`` evenly over each line: sums (nx, ny, nz, 3, 3)."""
    sums = np.zeros((*spreading.grid.counts, 9))
    ways = lengths(matrix_product(lines.arms, spreading.grid.across())) / spreading.width
    counts = np.ceil(1.0 + spreading.kernel.points * ways).astype(np.intp)
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        size = max(1, _LINES // count)
        for begin in range(0, len(rows), size):
            points, moments = _points_of(lines, rows[begin : begin + size], count)
            sums += spreading.spread(points, moments)
    return sums.reshape(*spreading.grid.counts, 3, 3)


def _points_of(lines: Lines, rows: Indices, count: int) -> tuple[Doubles, Doubles]:
    """Points (n, 3) on some lines, and the parts (n, 9) of ``-outer(arm, force)`` for each."""
    starts, arms, forces = (column[rows] for column in lines)
    moments = -(arms[:, :, None] * forces[:, None, :]).reshape(-1, 9)
    places, parts = _gauss_points(count)
    return (
        (starts + places[:, None, None] * arms).reshape(-1, 3),
        (parts[:, None, None] * moments).reshape(-1, 9),
    )


@functools.cache
def _gauss_points(count: int) -> tuple[Doubles, Doubles]:
    """The places in a line of length 1, and the weights, of the Gauss-Legendre quadrature."""
    places, parts = np.polynomial.legendre.leggauss(count)
    return 0.5 + 0.5 * places, 0.5 * parts
