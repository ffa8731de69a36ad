"""The facets of convex hulls of points, by SciPy's Qhull."""

from __future__ import annotations

from itertools import chain

import numpy as np

from ..base.arithmetic import dots
from ..base.arrays import Doubles, Indices
from ..base.extras import import_extra
from .facets import Corners, regular


def hull_facets(vertices: Doubles) -> Corners:
    """Return the facets of the hull of finite points (v, 2 | 3), counter-clockwise from outside."""
    spatial = import_extra("scipy.spatial", "scipy")
    dimension = vertices.shape[1]
    try:
        hull = spatial.ConvexHull(_normalized(vertices))
    except spatial.QhullError:
        place = "in one plane" if dimension == 3 else "on one line"
        raise ValueError(f"the shape is flat: all vertices lie {place}") from None
    if dimension == 2:
        # In the plane, Qhull returns the vertices in order around the hull.
        loop = hull.vertices.astype(np.intp)
        return np.column_stack([loop, np.roll(loop, -1)]).ravel(), regular(len(loop), 2)
    loops = _loops(hull.simplices.astype(np.intp), hull.equations, hull.points)
    counts = [len(loop) for loop in loops]
    indices = np.fromiter(chain.from_iterable(loops), np.intp, sum(counts))
    return indices, np.concatenate([[0], np.cumsum(counts, dtype=np.intp)])


def _normalized(vertices: Doubles) -> Doubles:
    """Move points to about 0 and scale them to about 1.

    Qhull's tolerance is relative to the distance from 0, not to the size of the hull.
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    # Both are halved before they are added, since their sum may overflow.
    points = vertices - (low / 2 + high / 2)
    size = np.abs(points).max()
    return np.ldexp(points, -np.frexp(size)[1])


def _loops(triangles: Indices, equations: Doubles, points: Doubles) -> list[list[int]]:
    """Return the corners of each facet, in order around it.

    Qhull splits a facet into triangles with equal equations.
    """
    _, facet_of = np.unique(equations, axis=0, return_inverse=True)
    facet_of = facet_of.ravel()
    order = np.argsort(facet_of, kind="stable")
    starts = np.searchsorted(facet_of[order], np.arange(1, facet_of.max() + 1))
    loops = []
    for rows in np.split(order, starts):
        loop = _loop(triangles[rows])
        is_inward = dots(_area(points[loop]), equations[rows[0], :3]) < 0.0
        loops.append(loop[::-1] if is_inward else loop)
    return loops


def _loop(triangles: Indices) -> list[int]:
    """Return the vertices around a polygon that is split into triangles."""
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    sides, counts = np.unique(sides, axis=0, return_counts=True)
    beside: dict[int, list[int]] = {}
    # A side that two triangles share lies inside the polygon.
    for a, b in sides[counts == 1].tolist():
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    loop = [next(iter(beside))]
    while len(loop) < len(beside):
        first, second = beside[loop[-1]]
        loop.append(second if len(loop) > 1 and first == loop[-2] else first)
    return loop


def _area(corners: Doubles) -> Doubles:
    """Return twice the area of a polygon, as a vector along its normal."""
    arms = corners - corners[0]
    area: Doubles = np.cross(arms[1:-1], arms[2:]).sum(axis=0)
    return area
