"""Spheres inside a closed mesh that together have nearly its surface.

Candidates are medial balls: the largest balls inside that touch the surface at given points
(Ferellec and McDowell 2010). Of these, the spheres are chosen one by one, each time the ball that
brings the mesh's surface nearest to the spheres, and are then moved to where they do so best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..base.arithmetic import dots, lengths, sine_cosine
from ..base.arrays import Doubles, Indices
from ..search.finder import ContactFinder
from ..search.mesh import Mesh
from .solids import Solid

# numbers of points on the surface, and of points with a candidate: at least, and for each sphere
_POINTS, _POINTS_EACH = 2048, 16
_CANDIDATES, _CANDIDATES_EACH = 512, 8

# Distances from the spheres to the mesh are measured at this number of points on all spheres, and
# at least at the second number on each.
_POINTS_ON_ALL, _POINTS_ON_EACH = 4096, 128

# largest number of distances that are computed together
_AT_ONCE = 1 << 20

# A ball of this relative accuracy touches the mesh and does not cross it. Rarely, it takes more
# than ten rounds to shrink one.
_TOUCHING, _ROUNDS = 1e-9, 50

# Candidates below this part of the mesh's diagonal are not used, as in sharp corners.
_SMALLEST = 1e-6

# A sphere is moved by this part of its radius at first, and no longer by less than the second part.
_FIRST_MOVE, _LAST_MOVE = 0.5, 1e-3

# In thin parts, spheres could move on for long without gaining much.
_MOST_MOVES = 40

# A move must improve what is sought by this part.
_GAIN = 1e-6

# The first sphere is sought among candidates with at least this part of the largest radius.
_LARGE = 0.98

# number of candidates that are compared again together
_BATCH = 32

# Each sphere is moved again so often, after all are chosen.
_SWEEPS = 2

# steps of a sequence that fills a square evenly, and of one that fills a circle (golden section)
_EVEN = (0.7548776662466927, 0.5698402909980532)
_GOLDEN = 0.6180339887498949

# Directions in which spheres are moved: to the sides and the corners of a cube. The first sphere is
# moved in this number of directions, since near edges few of them lead to larger spheres.
_WAYS = np.concatenate(
    [np.eye(3), -np.eye(3), (2.0 * np.indices((2, 2, 2)).reshape(3, -1).T - 1.0) / np.sqrt(3.0)]
)
_MANY_WAYS = 128


class Balls(NamedTuple):
    """Spheres: centers (k, 3) and radii (k,)."""

    centers: Doubles
    radii: Doubles


class Samples(NamedTuple):
    """Points on a surface, each for an equal area, their facets, and unit normals to the inside."""

    points: Doubles
    inward: Doubles
    facets: Indices


class MeanAndLargest(NamedTuple):
    """Mean and largest distance from points of one surface to another surface."""

    mean: float
    largest: float


class Distance(NamedTuple):
    """Distances between the surfaces of a mesh and of a cluster's spheres.

    Attributes
    ----------
    to_spheres : tuple (mean, largest)
        From points of the mesh to the nearest sphere: what the spheres leave out.
    to_mesh : tuple (mean, largest)
        From points on the outside of the spheres to the mesh.
    """

    to_spheres: MeanAndLargest
    to_mesh: MeanAndLargest


class Fit(NamedTuple):
    """Spheres in a mesh, their distances from it, and the point of the mesh farthest from them."""

    balls: Balls
    distance: Distance
    farthest: Doubles


def fit_spheres(mesh: Mesh, solid: Solid, count: int, smooth: float) -> Fit:
    """Choose at most `count` spheres inside the mesh, largest first."""
    inside = _Inside(mesh, solid, _POINTS + count * _POINTS_EACH)
    choice = _Choice(inside)
    choice.choose(inside.candidates(_CANDIDATES + count * _CANDIDATES_EACH), count, smooth)
    for _ in range(_SWEEPS):
        choice.sweep()
    order = np.argsort(-choice.radii, kind="stable")
    balls = Balls(choice.centers[order], choice.radii[order])
    ends = np.concatenate([inside.samples.points, mesh.vertices[np.unique(mesh.indices)]])
    apart = _nearest(ends, balls)
    count = len(inside.samples.points)
    to_spheres = MeanAndLargest(float(apart[:count].mean()), float(apart.max()))
    distance = Distance(to_spheres, inside.distance_of(balls))
    return Fit(balls, distance, ends[int(np.argmax(apart))])


# ---- balls inside a mesh -------------------------------------------------------------------------


class _Inside:
    """A mesh, points on it, and the distances of points from it."""

    def __init__(self, mesh: Mesh, solid: Solid, count: int) -> None:
        self._finder = ContactFinder(mesh)
        self._solid = solid
        self.longest = float(lengths(mesh.bounds[1] - mesh.bounds[0]))
        self.samples = _sample(solid, count)

    def candidates(self, count: int) -> Balls:
        """The largest balls inside that touch the surface at some of the points."""
        rows = np.arange(count) * len(self.samples.points) // count
        points, inward = self.samples.points[rows], self.samples.inward[rows]
        radii = self._empty(points, inward)
        for _ in range(_ROUNDS):
            centers = points + radii[:, None] * inward
            distances, feet = self._closest(centers, radii)
            ways = feet - points
            depths = dots(inward, ways)
            inner = (distances < (1.0 - _TOUCHING) * radii) & (depths > 0.0)
            if not inner.any():
                break
            radii[inner] = np.minimum(
                dots(ways[inner], ways[inner]) / (2.0 * depths[inner]), radii[inner]
            )
        centers = points + radii[:, None] * inward
        found = distances > _SMALLEST * self.longest
        self._check_windings(centers[found], self.samples.facets[rows[found]])
        return Balls(centers[found], distances[found])

    def _check_windings(self, centers: Doubles, facets: Indices) -> None:
        """Raise unless the mesh surrounds each center once; each ball touches one of `facets`."""
        windings = self._solid.windings(centers) * (1 if self._solid.volume > 0.0 else -1)
        wrong = np.flatnonzero(windings != 1)
        if not len(wrong):
            return
        facet = f"facet {facets[wrong[0]]}"
        if windings[wrong[0]] > 1:
            raise ValueError(
                f"mesh has parts that overlap, at {facet}, whose volume would count twice: give"
                " their union"
            )
        raise ValueError(
            f"mesh has parts with fronts inside and parts with fronts outside; {facet} is not as"
            " most are: turn the corners of its part"
        )

    def distances(self, centers: Doubles, limits: Doubles) -> Doubles:
        """Distances of points from the mesh, which are at most `limits`."""
        nearest = np.minimum(limits, _nearest(centers, Balls(self.samples.points, np.zeros(1))))
        return self._closest(centers, nearest)[0]

    def distance_of(self, balls: Balls) -> MeanAndLargest:
        """Distances from the outside of the spheres to the mesh, weighted by areas."""
        count = max(_POINTS_ON_ALL // len(balls.radii), _POINTS_ON_EACH)
        points = balls.radii[:, None, None] * _around(count)
        points = (points + balls.centers[:, None]).reshape(-1, 3)
        radii = np.repeat(balls.radii, count)
        areas = radii * radii
        is_outer = _nearest(points, balls) > -_TOUCHING * radii
        if not is_outer.any():
            return MeanAndLargest(0.0, 0.0)
        points, areas = points[is_outer], areas[is_outer]
        apart = self.distances(points, np.full(len(points), self.longest))
        return MeanAndLargest(float((areas * apart).sum() / areas.sum()), float(apart.max()))

    def _closest(self, centers: Doubles, limits: Doubles) -> tuple[Doubles, Doubles]:
        """Distances from the mesh and its closest points, where the distances are below limits."""
        # a margin, so that rounding hides no point at just this distance
        reaches = limits * (1.0 + 1e-12) + np.finfo(float).tiny
        distances, feet = limits.copy(), centers.copy()
        for begin in range(0, len(centers), 256):
            part = slice(begin, begin + 256)
            found = self._finder.find(centers[part], reaches[part], workers=1)
            touches = found.offsets[1:] > found.offsets[:-1]
            rows, first = begin + np.flatnonzero(touches), found.offsets[:-1][touches]
            distances[rows] = np.maximum(reaches[rows] - found.overlap[first], 0.0)
            feet[rows] = found.point[first]
        return distances, feet

    def _empty(self, points: Doubles, inward: Doubles) -> Doubles:
        """Radii of the largest balls that touch at `points` and have no sample inside."""
        radii = np.full(len(points), 0.5 * self.longest)
        samples = self.samples.points
        for part in _parts(len(points), len(samples)):
            depths, spans = np.zeros((2, len(points[part]), len(samples)))
            for axis in range(3):
                along = samples[:, axis] - points[part, axis, None]
                depths += inward[part, axis, None] * along
                spans += along * along
            with np.errstate(divide="ignore", invalid="ignore"):
                bounds = np.where(depths > 0.0, spans / (2.0 * depths), np.inf)
            bounds[spans == 0.0] = np.inf
            radii[part] = np.minimum(radii[part], bounds.min(axis=1))
        return radii


def _sample(solid: Solid, count: int) -> Samples:
    """Points on the triangles, each for an equal area, evenly spread, always the same."""
    first, second, third = np.moveaxis(solid.corners, 1, 0)
    areas = np.cross(second - first, third - first)
    sizes = lengths(areas)
    ends = np.cumsum(sizes)
    number = np.arange(count)
    rows = np.searchsorted(ends, (number + _GOLDEN) / count * ends[-1], side="right")
    rows = np.minimum(rows, len(sizes) - 1)
    x, y = ((number * step) % 1.0 for step in _EVEN)
    # mirror one half of the square onto the other
    over = x + y > 1.0
    x, y = np.where(over, 1.0 - x, x)[:, None], np.where(over, 1.0 - y, y)[:, None]
    points = first[rows] + x * (second - first)[rows] + y * (third - first)[rows]
    normals = areas[rows] / sizes[rows][:, None]
    inward = -normals if solid.volume > 0.0 else normals
    return Samples(points, inward, solid.facets[rows])


def _around(count: int) -> Doubles:
    """Points evenly spread over the unit sphere."""
    heights = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    sines, cosines = sine_cosine(2.0 * np.pi * ((np.arange(count) * _GOLDEN) % 1.0))
    widths = np.sqrt(1.0 - heights * heights)
    return np.column_stack([widths * cosines, widths * sines, heights])


def _nearest(points: Doubles, balls: Balls) -> Doubles:
    """Distances of points from the surface of the nearest ball, negative inside it."""
    found = np.empty(len(points))
    for part in _parts(len(points), len(balls.centers)):
        found[part] = (_ways(points[part], balls.centers) - balls.radii).min(axis=1)
    return found


def _ways(starts: Doubles, ends: Doubles) -> Doubles:
    """Distances (starts, ends) between points."""
    squares = np.zeros((len(starts), len(ends)))
    for axis in range(3):
        along = starts[:, axis, None] - ends[:, axis]
        squares += along * along
    return np.sqrt(squares)


def _parts(count: int, width: int) -> Iterator[slice]:
    """Yield ranges of rows, each with a bounded number of distances."""
    step = max(1, _AT_ONCE // max(width, 1))
    for begin in range(0, count, step):
        yield slice(begin, begin + step)


# ---- which balls ---------------------------------------------------------------------------------


class _Choice:
    """Spheres that are chosen one by one, to lower the mean square of distances from the mesh.

    The first one is the largest ball inside, and stays.
    """

    def __init__(self, inside: _Inside) -> None:
        self._inside = inside
        self._points = inside.samples.points
        self.centers, self.radii = np.empty((0, 3)), np.empty(0)
        self._apart = np.empty((0, len(self._points)))

    def choose(self, candidates: Balls, count: int, smooth: float) -> None:
        """Add spheres, until there are `count` or the mean distance is at most `smooth`."""
        longest = self._inside.longest
        rest = np.full(len(self._points), longest * longest)
        large = np.flatnonzero(candidates.radii >= _LARGE * candidates.radii.max())
        largest = Balls(candidates.centers[large], candidates.radii[large])
        first = int(np.argmax(self._gains(largest, rest)))
        self._add(*self._largest(largest.centers[first], largest.radii[first], rest))
        gains = np.full(len(candidates.radii), np.inf)
        while len(self.radii) < count:
            apart = self._apart.min(axis=0)
            rest = apart * apart
            best = self._best(candidates, gains, rest)
            if apart.mean() <= smooth or not gains[best] > 0.0:
                break
            self._add(*self._moved(candidates.centers[best], candidates.radii[best], rest))

    def sweep(self) -> None:
        """Move each sphere, while the others stay, to where it lowers the distances most."""
        for k in range(1, len(self.radii)):
            others = np.delete(self._apart, k, axis=0).min(axis=0)
            self.centers[k], self.radii[k] = self._moved(
                self.centers[k], self.radii[k], others * others
            )
            self._apart[k] = self._distances(self.centers[k][None], self.radii[k][None])[0]

    def _best(self, candidates: Balls, gains: Doubles, rest: Doubles) -> int:
        """The candidate that lowers the distances most; `gains` is updated.

        A gain only gets smaller as spheres are added, so old gains are bounds. They are computed
        anew in their order, until no bound is above the largest (Minoux 1978).
        """
        is_new = np.zeros(len(gains), bool)
        while True:
            best = int(np.argmax(gains))
            if is_new[best]:
                return best
            old = np.flatnonzero(~is_new)
            if np.isfinite(gains[best]):
                old = old[np.argsort(-gains[old], kind="stable")[:_BATCH]]
            gains[old] = self._gains(Balls(candidates.centers[old], candidates.radii[old]), rest)
            is_new[old] = True

    def _largest(self, center: Doubles, radius: float, rest: Doubles) -> tuple[Doubles, float]:
        """Move a ball to where it is largest; of balls as large, to the one that gains most."""
        ways = _around(_MANY_WAYS)
        center, radius = self._searched(center, radius, lambda balls: balls.radii, ways)
        least, total = (1.0 - _LAST_MOVE) * radius, rest.sum()

        def value(balls: Balls) -> Doubles:
            return np.where(balls.radii < least, -np.inf, self._gains(balls, rest) - total)

        return self._searched(center, radius, value, ways)

    def _moved(self, center: Doubles, radius: float, rest: Doubles) -> tuple[Doubles, float]:
        """Move a ball to where it lowers the squares `rest` most."""
        total = rest.sum()
        return self._searched(center, radius, lambda balls: self._gains(balls, rest) - total, _WAYS)

    def _searched(
        self, center: Doubles, radius: float, value: Callable[[Balls], Doubles], ways: Doubles
    ) -> tuple[Doubles, float]:
        """Move a ball inside the mesh, in ever shorter steps, to where its value is largest."""
        reached = float(value(Balls(center[None], np.array([radius])))[0])
        part = _FIRST_MOVE
        for _ in range(_MOST_MOVES):
            if part < _LAST_MOVE:
                break
            step = part * radius
            centers = center + step * ways
            radii = self._inside.distances(centers, np.full(len(ways), radius + step))
            values = value(Balls(centers, radii))
            best = int(np.argmax(values))
            if values[best] > reached + _GAIN * abs(reached):
                center, radius, reached = centers[best], float(radii[best]), float(values[best])
            else:
                part *= 0.5
        return center, radius

    def _gains(self, balls: Balls, rest: Doubles) -> Doubles:
        """By how much each ball alone lowers the sum of the squares `rest`."""
        gains = np.empty(len(balls.radii))
        for part in _parts(len(gains), len(rest)):
            apart = self._distances(balls.centers[part], balls.radii[part])
            gains[part] = np.maximum(rest - apart * apart, 0.0).sum(axis=1)
        return gains

    def _distances(self, centers: Doubles, radii: Doubles) -> Doubles:
        """Distances (k, points) of all points from each of the balls."""
        return np.maximum(_ways(centers, self._points) - radii[:, None], 0.0)

    def _add(self, center: Doubles, radius: float) -> None:
        self.centers = np.concatenate([self.centers, center[None]])
        self.radii = np.append(self.radii, radius)
        row = self._distances(center[None], np.array([radius]))
        self._apart = np.concatenate([self._apart, row])
