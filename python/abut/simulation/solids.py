"""Solids that closed meshes enclose: volume, moments, and which points are inside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.arithmetic import dots
from ..base.arrays import Doubles, Indices
from ..search.mesh import Mesh
from .unions import Moments

# largest number of pairs of a triangle and a point that are compared at once
_AT_ONCE = 1 << 21


class Solid:
    """What a closed mesh encloses. An error calls the mesh by `name`.

    `triangles` (t, 3) are the facets as fans, `facets` (t,) the facet of each, `corners` (t, 3, 3)
    their coordinates. `volume` is negative if the fronts of the facets are inside.
    """

    def __init__(self, mesh: Mesh, name: str) -> None:
        self.triangles, self.facets = _triangles(mesh)
        _check_closed(mesh, name)
        self.corners = mesh.vertices[self.triangles]
        self._middle = 0.5 * (mesh.bounds[0] + mesh.bounds[1]) if len(mesh) else np.zeros(3)
        self._volumes = self._tetrahedra()
        self.volume = float(self._volumes.sum()) / 6.0
        if not abs(self.volume) > 0.0:
            raise ValueError(f"{name} is a mesh that encloses no volume")

    def moments(self) -> tuple[Moments, Doubles]:
        """Volume and moments about the middle of the bounds, and this middle.

        By the divergence theorem, they are sums over tetrahedra between the middle and the
        triangles (Mirtich, Journal of Graphics Tools 1996). The sums are exact.
        """
        parts = self._volumes / 6.0 * np.sign(self.volume)
        arms = self.corners - self._middle
        sums = arms.sum(axis=1)
        first = (parts[:, None] * sums).sum(axis=0) / 4.0
        ends = np.concatenate([arms, sums[:, None]], axis=1)
        second = np.empty((3, 3))
        for i in range(3):
            for j in range(3):
                second[i, j] = (parts * (ends[:, :, i] * ends[:, :, j]).sum(axis=1)).sum() / 20.0
        return Moments(abs(self.volume), first, second), self._middle

    def _tetrahedra(self) -> Doubles:
        """Six times the signed volumes between the middle and the triangles."""
        a, b, c = np.moveaxis(self.corners - self._middle, 1, 0)
        return dots(a, np.cross(b, c))

    def outside(self, centers: Doubles) -> NDArray[np.bool_]:
        """Which points have a winding number of 0: the mesh does not surround them."""
        return self.windings(centers) == 0

    def windings(self, centers: Doubles) -> Indices:
        """Winding numbers of points: how often the mesh surrounds them.

        It is the sum over all triangles above a point; the front of a triangle counts as 1, its
        back as -1. Two neighbors decide by the same numbers on which side of their edge a point is.
        """
        order = np.argsort(centers[:, 0], kind="stable")
        sums = np.zeros(len(centers), np.intp)
        for triangles, points in self._columns(centers[order, 0]):
            sums += self._crossings(triangles, order[points], centers)
        return sums

    def _columns(self, sorted_x: Doubles) -> Any:
        """Yield triangles, and the points in the same range of x, in parts of bounded size."""
        along = self.corners[:, :, 0]
        begin = np.searchsorted(sorted_x, along.min(axis=1), side="left")
        end = np.searchsorted(sorted_x, along.max(axis=1), side="right")
        totals = np.cumsum(end - begin)
        first = 0
        while first < len(totals):
            before = totals[first - 1] if first else 0
            last = max(int(np.searchsorted(totals, before + _AT_ONCE)), first + 1)
            counts = (end - begin)[first:last]
            rows = np.repeat(np.arange(first, first + len(counts)), counts)
            starts = np.repeat(np.cumsum(counts) - counts - begin[first:last], counts)
            yield rows, np.arange(len(rows)) - starts
            first = last

    def _crossings(self, rows: Indices, points: Indices, centers: Doubles) -> Indices:
        """How often each center's way up goes through these triangles, with signs."""
        heights = self.corners[:, :, 1]
        y = centers[points, 1]
        near = (heights.min(axis=1)[rows] <= y) & (y <= heights.max(axis=1)[rows])
        rows, points = rows[near], points[near]
        parts = [self._side(rows, k, centers[points]) for k in range(3)]
        is_left = np.stack([part > 0 for part in parts])
        sign = np.where(is_left.all(axis=0), 1, np.where(is_left.any(axis=0), 0, -1))
        # a triangle of no area in the plane is crossed nowhere
        area = sum(np.abs(part) for part in parts)
        opposite = (self.corners[rows, (k + 2) % 3, 2] for k in range(3))
        level = sum(np.abs(part) * z for part, z in zip(parts, opposite, strict=True))
        above = level > area * centers[points, 2]
        return np.bincount(points, sign * above, len(centers)).astype(np.intp)

    def _side(self, rows: Indices, side: int, points: Doubles) -> Doubles:
        """Twice the area between an edge and points in the plane, positive on the left.

        It is computed from the vertex with the smaller number. On the edge itself it is a tiny
        number with the sign of the left side of that direction, so that a neighbor has the other.
        """
        ends = self.triangles[rows][:, [side, (side + 1) % 3]]
        turned = ends[:, 0] > ends[:, 1]
        corners = self.corners[rows]
        first, second = corners[:, side], corners[:, (side + 1) % 3]
        low = np.where(turned[:, None], second, first)
        way = np.where(turned[:, None], first, second) - low
        offset = points - low
        found = way[:, 0] * offset[:, 1] - way[:, 1] * offset[:, 0]
        found = np.where(found == 0.0, np.finfo(float).tiny, found)
        return np.where(turned, -found, found)


def _triangles(mesh: Mesh) -> tuple[Indices, Indices]:
    """The facets as fans of triangles (t, 3), and the facet of each triangle."""
    counts = np.diff(mesh.offsets)
    facets = np.repeat(np.arange(len(counts)), counts - 2)
    place = np.arange(len(facets)) - np.repeat(np.cumsum(counts - 2) - (counts - 2), counts - 2)
    first = mesh.offsets[:-1][facets]
    rows = (first, first + place + 1, first + place + 2)
    return np.stack([mesh.indices[row] for row in rows], axis=1), facets


def _check_closed(mesh: Mesh, name: str) -> None:
    """Raise unless each edge has a facet on either side, which runs along it the other way."""
    counts = np.diff(mesh.offsets)
    facet = np.repeat(np.arange(len(counts)), counts)
    following = np.arange(len(facet)) + 1
    following[mesh.offsets[1:] - 1] = mesh.offsets[:-1]
    begin, end = mesh.indices, mesh.indices[following]
    size = len(mesh.vertices)
    codes, back = begin * size + end, end * size + begin
    if np.array_equal(np.sort(codes), np.sort(back)):
        return
    numbers, turns = np.unique(np.concatenate([codes, back]), return_inverse=True)
    excess = np.bincount(turns[: len(codes)], minlength=len(numbers))
    excess -= np.bincount(turns[len(codes) :], minlength=len(numbers))
    row = int(np.flatnonzero(excess[turns[: len(codes)]] > 0)[0])
    alike = np.flatnonzero(codes == codes[row])
    edge = f"the edge from vertex {begin[row]} to vertex {end[row]}"
    if len(alike) > 1:
        raise ValueError(
            f"{name} is a mesh with facets {_first_two(facet, alike)} that both run along {edge}:"
            " turn the corners of one of them, so that all fronts are on one side"
        )
    raise ValueError(
        f"{name} is a mesh that is not closed: {edge} belongs to facet {facet[row]} alone. Close"
        " the mesh, or weld its vertices"
    )


def _first_two(facet: Indices, rows: Indices) -> str:
    """The first two of these facets, as text."""
    return f"{facet[rows[0]]} and {facet[rows[1]]}"
