"""Welding: vertices that coincide become one, and corners of facets that then repeat are removed.

Facets share nodes only where they share vertices. STL files have no shared vertices, and other
files may repeat vertices along seams.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from ..search.facets import Facets
from .facets import offsets_of

# The reason in messages for a dropped facet.
FEW_CORNERS = "fewer than three different corners"

# The edge of an inner cell, as a multiple of the distance. The cell's diagonal is 0.99 of the
# distance, so two vertices in one cell are always within the distance.
_INNER_CELL = 0.57

# The edge of an outer cell, as a multiple of the distance. With eight grids that are shifted by
# half a cell, two vertices within the distance share a cell of at least one grid.
_OUTER_CELL = 4.0

# The largest number of pairs of vertices that are compared, which takes a few seconds. With more
# pairs the distance spans many facets, and welding would destroy the mesh.
_PAIRS = 50_000_000


def weld(facets: Facets, distance: float = 0.0) -> tuple[Facets, np.ndarray]:
    """Weld vertices, remove corners that then repeat, drop facets with fewer than three corners.

    Vertices are welded if they have the same coordinates (-0.0 is 0.0) or lie within the distance.
    If a and b are welded, and b and c, then a and c are welded, too. The first of the welded
    vertices remains, with its coordinates. A corner is removed if the corner before it is the same
    vertex, or if the vertices before and after it are the same.

    Parameters
    ----------
    facets : Facets
    distance : float
        In the unit of the coordinates; not negative.

    Returns
    -------
    facets : Facets
        Its `source` has each facet's number before welding. Its `vertex_source` has the number
        after welding of each vertex before welding.
    dropped : ndarray of intp
        The numbers, before welding, of the facets that were dropped.
    """
    vertices = facets.vertices
    first = coinciding(vertices)
    if distance > 0.0:
        first = _join_near(vertices, first, distance)
    kept = first == np.arange(len(first))
    number = np.cumsum(kept) - 1
    units = None if facets.units is None else facets.units[kept]
    # Adding 0.0 turns -0.0 into 0.0.
    became = number[first]
    welded, dropped = _clean(
        Facets(vertices[kept] + 0.0, became[facets.indices], facets.offsets, units)
    )
    return welded._replace(vertex_source=became), dropped


def coinciding(points: np.ndarray) -> np.ndarray:
    """Return, for each point, the number of the first point that equals it."""
    order = np.lexsort(points.T[::-1])
    new = np.ones(len(points), bool)
    for axis in points.T:
        values = axis[order]
        new[1:] &= values[1:] == values[:-1]
    new[1:] = ~new[1:]
    # The sort is stable, so the first of equal points has the smallest number.
    first = np.empty(len(points), np.intp)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


# ---- vertices within a distance ----


def _join_near(points: np.ndarray, root: np.ndarray, distance: float) -> np.ndarray:
    """Join the groups of equal points that lie within the distance.

    root: the first point of each point's group; the result has the first point of the new groups.
    """
    lone = np.flatnonzero(root == np.arange(len(root)))
    near = _components(points[lone], distance)
    root = root.copy()
    root[lone] = lone[near]
    return root[root]


def _components(points: np.ndarray, distance: float) -> np.ndarray:
    root = np.arange(len(points))
    for cell in _cells(points, _INNER_CELL * distance):
        near = _are_near(points, np.arange(len(points)), cell, distance)
        root = _join(root, np.flatnonzero(near), cell[near])
    for cell in _cells(points, _OUTER_CELL * distance):
        root = _join_within(cell, points, root, distance)
    return root


def _cells(points: np.ndarray, size: float) -> Iterator[np.ndarray]:
    """Yield the first point in each point's cell, for eight grids shifted by half a cell."""
    for shift in itertools.product((0.0, 0.5), repeat=3):
        # If the distance is far below the last digit of the coordinates, the quotient overflows.
        # Then no points are near enough to be joined.
        with np.errstate(all="ignore"):
            cells = np.floor(points / size + shift)
        yield coinciding(cells)


def _join_within(
    cell: np.ndarray, points: np.ndarray, root: np.ndarray, distance: float
) -> np.ndarray:
    """Join the groups of points that lie in the same cell and within the distance."""
    members = _undecided(cell, root)
    _check_work(cell[members], distance)
    groups, group = np.unique(root[members], return_inverse=True)
    joined = np.arange(len(groups))
    for a, b in _pairs(cell[members]):
        apart = joined[group[a]] != joined[group[b]]
        a, b = a[apart], b[apart]
        near = _are_near(points, members[a], members[b], distance)
        joined = _join(joined, group[a[near]], group[b[near]])
    return _join(root, groups, groups[joined])


def _undecided(cell: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Return the points in cells that contain points of several groups, sorted by cell."""
    mixed = np.zeros(len(cell), bool)
    mixed[cell[root != root[cell]]] = True
    members = np.flatnonzero(mixed[cell])
    return members[np.argsort(cell[members], kind="stable")]


def _check_work(label: np.ndarray, distance: float) -> None:
    counts = np.unique(label, return_counts=True)[1]
    if (counts * (counts - 1.0)).sum() > 2 * _PAIRS:
        raise ValueError(
            f"weld={distance} is too far for this mesh: {counts.max()} different vertices lie"
            " within a few times that distance. Use a smaller weld="
        )


def _pairs(label: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield all pairs of indices with the same label; equal labels must be consecutive."""
    active, step = np.arange(len(label)), 1
    while len(active):
        active = active[: np.searchsorted(active, len(label) - step)]
        active = active[label[active] == label[active + step]]
        yield active, active + step
        step += 1


def _are_near(points: np.ndarray, a: np.ndarray, b: np.ndarray, distance: float) -> np.ndarray:
    # Squares of coordinates may overflow or underflow, but np.hypot does not.
    x, y, z = (points[a] - points[b]).T
    return np.hypot(np.hypot(x, y), z) <= distance


def _join(root: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Join the groups of points a[i] and b[i]."""
    root = root.copy()
    while True:
        low, high = np.minimum(root[a], root[b]), np.maximum(root[a], root[b])
        apart = low != high
        if not apart.any():
            return root
        a, b = a[apart], b[apart]
        np.minimum.at(root, high[apart], low[apart])
        while (root[root] != root).any():
            root = root[root]


# ---- facets of welded vertices ----


def _clean(facets: Facets) -> tuple[Facets, np.ndarray]:
    """Remove repeated corners; return the facets, and the numbers of facets that were dropped."""
    counts = np.diff(facets.offsets)
    owner = np.repeat(np.arange(len(counts)), counts)
    kept = np.ones(len(owner), bool)
    for facet in np.unique(owner[_repeats(facets.indices, facets.offsets)]):
        begin, end = facets.offsets[facet : facet + 2]
        kept[begin:end] = False
        kept[begin + np.array(_outline(facets.indices[begin:end].tolist()), np.intp)] = True
    counts = np.bincount(owner[kept], minlength=len(counts))
    is_facet = counts >= 3
    cleaned = facets._replace(
        indices=facets.indices[kept & is_facet[owner]],
        offsets=offsets_of(counts[is_facet]),
        source=np.flatnonzero(is_facet),
    )
    return cleaned, np.flatnonzero(~is_facet)


def _repeats(indices: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return, for each corner, whether one of the facet's next two corners is the same vertex."""
    following = _next(np.arange(len(indices)), offsets)
    after = following[following]
    return (indices == indices[following]) | (indices == indices[after])


def _next(places: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return, for each corner's index, the index of the next corner of its facet."""
    begin, end = offsets[:-1], offsets[1:]
    has_corners = begin < end
    following = places + 1
    following[end[has_corners] - 1] = begin[has_corners]
    return following


def _outline(corners: list[int]) -> list[int]:
    """Return the places of corners that remain without repeats (a a) and spikes (a b a)."""
    stack: list[int] = []
    for place, corner in enumerate(corners):
        if stack and corners[stack[-1]] == corner:
            continue
        if len(stack) > 1 and corners[stack[-2]] == corner:
            stack.pop()
            continue
        stack.append(place)
    return _close(stack, corners)


def _close(stack: list[int], corners: list[int]) -> list[int]:
    """Remove repeats and spikes where the outline closes; return the other corners' places."""
    low, high = 0, len(stack) - 1
    while high - low >= 1:
        if corners[stack[low]] == corners[stack[high]]:
            high -= 1
        elif high - low >= 2 and corners[stack[low]] == corners[stack[high - 1]]:
            high -= 2
        elif high - low >= 2 and corners[stack[low + 1]] == corners[stack[high]]:
            low, high = low + 1, high - 1
        else:
            break
    return stack[low : high + 1]
