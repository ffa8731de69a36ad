"""Outlines of periodic cells, for files and pictures: a corner, and three edges from there.

Where nothing repeats, an edge is as long as the spheres and walls reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .arithmetic import dots, lengths
from .arrays import Doubles
from .periods import Period, repeats_along, vectors_of

# An axis at most this near to a vector, by the cosine of their angle, has a part across the vector
# with nearly all digits.
_NEAR = 0.9


# Entries of an edge that are at most this part of its length count as rounding.
_ROUNDING = 2.0**-50

# The largest sine of the angle between the normal of a plane and a direction along it counts.
_ALONG = 1e-9


class Plane(NamedTuple):
    """The plane of a half space."""

    normal: Doubles
    point: Doubles


class Outline(NamedTuple):
    """A cell with an edge where nothing repeats, too.

    Attributes
    ----------
    origin : (d,) ndarray
        The corner from which the edges begin.
    edges : (d, d) ndarray
        One in each row: the vectors of the period, and edges across these where nothing repeats.
    """

    origin: Doubles
    edges: Doubles

    def lines(self) -> Doubles:
        """Return all edges as lines: 12 in space, 4 in the plane, (n, 2, d)."""
        found: list[list[Doubles]] = []
        for edge, others in zip(self.edges, self._others(), strict=True):
            found += [[self.origin + begin, self.origin + begin + edge] for begin in others]
        return np.array(found)

    def repetitions(self) -> Sequence[int]:
        """Return the number of the edge that each line repeats."""
        count = 1 << (len(self.edges) - 1)
        return [k for k in range(len(self.edges)) for _ in range(count)]

    def _others(self) -> list[list[Doubles]]:
        """For each edge, the places where lines along it begin: sums of the other edges."""
        found: list[list[Doubles]] = []
        for k in range(len(self.edges)):
            sums = [np.zeros(len(self.edges))]
            for other in np.delete(self.edges, k, axis=0):
                sums += [begin + other for begin in sums]
            found.append(sums)
        return found


def outline_of(
    period: Period | None,
    centers: Doubles,
    radii: Doubles,
    points: Doubles | None = None,
    planes: Sequence[Plane] = (),
    origin: Doubles | float = 0.0,
) -> Outline:
    """Return the cell's outline, which encloses spheres and points along edges that do not repeat.

    planes: planes of half spaces, which count along edges that are normal to them. origin: the
    corner of the cell; where nothing repeats, the outline begins elsewhere.
    """
    d = centers.shape[1]
    edges = completed(vectors_of(period, d))
    corner: Doubles = np.zeros(d) + origin
    for k, across in enumerate(fractions_of(edges)):
        if not repeats_along(period, k):
            facing = [plane.point for plane in planes if _is_normal(plane, across)]
            more = np.concatenate(
                [points if points is not None else centers[:0], np.array(facing).reshape(-1, d)]
            )
            low, high = _ends(centers - corner, radii, across, more - corner)
            corner, edges[k] = corner + low * edges[k], (high - low) * edges[k]
    return Outline(corner, edges)


def _ends(places: Doubles, radii: Doubles, across: Doubles, points: Doubles) -> tuple[float, float]:
    """Return the smallest and the largest fraction of spheres and points; 0 if there are none."""
    middles = dots(places, across)
    reach = radii * lengths(across)
    inside = np.concatenate([middles - reach, middles + reach, dots(points, across)])
    # fmin and fmax skip NaN
    low, high = np.fmin.reduce(inside, initial=np.nan), np.fmax.reduce(inside, initial=np.nan)
    return (float(low), float(high)) if low <= high else (0.0, 0.0)


def _is_normal(plane: Plane, direction: Doubles) -> bool:
    beside = lengths(np.cross(plane.normal, direction))
    return bool(beside <= _ALONG * lengths(plane.normal) * lengths(direction))


def fractions_of(edges: Doubles) -> Doubles:
    """Return vectors, one in each row: their products with a place are its fractions of edges.

    They are the columns of the inverse matrix.
    """
    if len(edges) == 2:
        (a, b), (c, e) = edges
        return np.array([[e, -c], [-b, a]]) / (a * e - b * c)
    across = np.cross(np.roll(edges, -1, axis=0), np.roll(edges, -2, axis=0))
    inverse: Doubles = across / dots(edges[0], across[0])
    return inverse


def is_lower_triangular(edges: Doubles) -> bool:
    """Whether the first edge is along x, and the second in the plane of x and y, to rounding."""
    above = np.abs(np.triu(edges, 1))
    return bool((above <= _ROUNDING * lengths(edges)[:, None]).all())


def completed(vectors: Doubles) -> Doubles:
    """Return vectors with unit vectors in place of zeros, across all others.

    Along the axes these are the axes.
    """
    d = len(vectors)
    rows = np.eye(3)
    rows[:d, :d] = vectors
    lacking = [k for k in range(d) if not vectors[k].any()]
    if len(lacking) == d:
        return np.eye(d)
    if len(lacking) == 2 and d == 3:
        given = ({0, 1, 2} - set(lacking)).pop()
        rows[(given + 1) % 3] = _across(rows[given], (given + 1) % 3)
        lacking = [(given + 2) % 3]
    for k in lacking:
        across = np.cross(rows[(k + 1) % 3], rows[(k + 2) % 3])
        rows[k] = across / lengths(across)
    return rows[:d, :d].copy()


def _across(vector: Doubles, axis: int) -> Doubles:
    """Return a unit vector across a vector: as near to an axis as can be, or to the next one."""
    unit = vector / lengths(vector)
    if abs(unit[axis]) > _NEAR:
        axis = (axis + 1) % 3
    rest = np.eye(3)[axis] - unit[axis] * unit
    across: Doubles = rest / lengths(rest)
    return across
