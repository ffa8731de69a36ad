"""Two convex bodies in plain Python: a slow and obvious reference for the library.

Coordinates are read as the rational numbers that they are (`rational.Rational`), and a pose is
applied without rounding: a quaternion of rational numbers turns by a matrix of rational numbers,
whatever its length. So every decision is exact: whether bodies are apart, which features are
closest, which entrances are valid. For speed two bodies are put on a common grid, on which all
coordinates are whole numbers. Roots are taken at the end, to 200 bits.

Nothing here searches. Features are tried in all pairs, and what is found proves itself:

* *Apart.* P of A and Q of B are the closest points iff no vertex of A is beyond P along PQ and none
  of B before Q (a necessary and sufficient condition). Pairs of features are tried by what floats
  take for their distance, until this holds; the order decides nothing but how long it takes.
* *Overlapping.* The directions in which one body leaves the other on the shortest way are among
  the normals of the faces of B - A, and these are the valid entrances: vertex on facet, facet on
  vertex, edge across edge. All are tried.

Here n is a vector from A to B, of any length, and its gap is how far the bodies are apart along it,

    g(n) = (min over B of n . x - max over A of n . x) / |n|,

negative where they overlap. Tables of the library have normal = -n and overlap = -gap.

References
----------
E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "Shortest link method for contact detection
in discrete element method", Int. J. Numer. Anal. Meth. Geomech. 30 (2006). "A fast direct search
algorithm for contact detection of convex polygonal or polyhedral particles", Computers and
Geotechnics 87 (2017).
"""

from functools import cached_property
from itertools import combinations, product
from math import isqrt, lcm
from typing import NamedTuple

import numpy as np

from rational import Rational

FACET, EDGE, VERTEX = 0, 1, 2

# Links with ends off their features by more than this part of the bodies' size, in floats, are
# tried last.
OUTSIDE = 1e-9

# Entrances with a deciding sine above minus this number are also reported.
NEAR = 1e-6


# ---- vectors of rational numbers -----------------------------------------------------------------


def exact(rows):
    """Numbers of any kind as an array of the rational numbers that they are."""
    return to_fractions(np.asarray(rows, dtype=object))


to_fractions = np.frompyfunc(lambda x: x if isinstance(x, Rational) else Rational(x), 1, 1)
to_float = np.frompyfunc(float, 1, 1)


def floats(rows):
    return to_float(rows).astype(float)


def cross(a, b):
    """The cross product of three numbers, or rows of three."""
    x, y, z = np.moveaxis(np.asarray(a), -1, 0)
    u, v, w = np.moveaxis(np.asarray(b), -1, 0)
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def root(square):
    """The square root of a rational number, exact where it is rational, else to 200 bits."""
    square = Rational(square)
    product = square.numerator * square.denominator
    bits = max(0, 200 - product.bit_length() // 2)
    return Rational(isqrt(product << (2 * bits)), square.denominator << bits)


def unit(vector):
    """The direction of a vector in floats, correct to the last bits."""
    return floats(exact(vector) / root((vector * vector).sum()))


def whole(*arrays):
    """Rational numbers as multiples of one unit, which comes last."""
    arrays = [exact(array) for array in arrays]
    size = lcm(*(x.denominator for array in arrays for x in array.ravel()))
    scaled = [np.frompyfunc(int, 1, 1)(array * size) for array in arrays]
    return *scaled, Rational(1, size)


def turn_matrix(quaternion):
    """The rotation of a quaternion x, y, z, w of any length but 0."""
    x, y, z, w = exact(quaternion)
    skew = np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])
    return exact(np.eye(3, dtype=int)) + 2 * (w * skew + skew @ skew) / (
        x * x + y * y + z * z + w * w
    )


def plane_turn_matrix(angle):
    """The rotation in the plane, with the cosine and sine that floats have."""
    cosine, sine = Rational(float(np.cos(angle))), Rational(float(np.sin(angle)))
    return np.array([[cosine, -sine], [sine, cosine]])


# ---- a body --------------------------------------------------------------------------------------


class Body:
    """A convex polygon or polyhedron.

    vertices : (v, d) numbers
    facets : loops of vertices, counter-clockwise from outside; in 2D the sides, of two vertices
    """

    def __init__(self, vertices, facets):
        self.vertices = exact(vertices)
        self.facets = [tuple(int(k) for k in facet) for facet in facets]

    @property
    def dimension(self):
        return self.vertices.shape[1]

    def placed(self, orientation=None, position=0, scale=1):
        """The body scaled, turned and moved without rounding; orientation: quaternion, or angle."""
        vertices = self.vertices * Rational(scale)
        if orientation is not None:
            turn = turn_matrix if self.dimension == 3 else plane_turn_matrix
            vertices = vertices @ turn(orientation).T
        return Body(vertices + exact(position), self.facets)

    @cached_property
    def edges(self):
        """(start, end, facet that goes this way, facet that goes back), in order of the loops."""
        if self.dimension == 2:
            return []
        ways = {way: f for f, facet in enumerate(self.facets) for way in ways_around(facet)}
        return [(a, b, f, ways[b, a]) for (a, b), f in ways.items() if a < b]

    @cached_property
    def neighbors(self):
        """For each vertex those with which it shares an edge, or in 2D a side."""
        found = [set() for _ in self.vertices]
        for facet in self.facets:
            for a, b in ways_around(facet):
                found[a].add(b)
                found[b].add(a)
        return [sorted(others) for others in found]

    @cached_property
    def normals(self):
        """The outward normals, of any length."""
        return np.array([self.outward(facet) for facet in self.facets])

    def outward(self, facet):
        corners = self.vertices[list(facet)]
        if self.dimension == 2:
            along = corners[1] - corners[0]
            return np.array([along[1], -along[0]], dtype=object)
        spans = corners[1:] - corners[0]
        return cross(spans[:-1], spans[1:]).sum(axis=0)

    @cached_property
    def offsets(self):
        """The offsets of the facets' planes along their normals."""
        first = [facet[0] for facet in self.facets]
        return (self.normals * self.vertices[first]).sum(axis=1)

    def is_convex(self):
        """Whether all corners are in the planes of their facets, and all vertices strictly behind
        the planes of the others."""
        heights = self.vertices @ self.normals.T - self.offsets
        on_plane = np.zeros(heights.shape, dtype=bool)
        for f, facet in enumerate(self.facets):
            on_plane[list(facet), f] = True
        return bool((heights[on_plane] == 0).all() and (heights[~on_plane] < 0).all())

    def holds(self, point):
        return bool((self.normals @ point <= self.offsets).all())


def ways_around(facet):
    if len(facet) == 2:
        return [tuple(facet)]
    return list(zip(facet, facet[1:] + facet[:1], strict=True))


def polygon(points):
    """The convex polygon of these corners, which go around counter-clockwise."""
    count = len(points)
    return Body(points, [(k, (k + 1) % count) for k in range(count)])


# ---- hulls ---------------------------------------------------------------------------------------


def hull(points):
    """The convex hull of points, exactly; facets in one plane are one."""
    points = exact(points)
    if points.shape[1] == 2:
        return polygon(points[loop_around(points, range(len(points)))])
    planes = {}
    for triangle in hull_triangles(points):
        planes.setdefault(plane_of(points[list(triangle)]), set()).update(triangle)
    loops = [loop_in_plane(points, normal, corners) for (normal, _), corners in planes.items()]
    kept = sorted(set().union(*loops))
    number = {k: new for new, k in enumerate(kept)}
    return Body(points[kept], [[number[k] for k in loop] for loop in loops])


def plane_of(corners):
    """A plane as its primitive normal and how far along it is."""
    scaled, _ = whole(cross(corners[1] - corners[0], corners[2] - corners[0]))
    normal = scaled // np.gcd.reduce(scaled)
    return tuple(normal), normal @ corners[0]


def loop_in_plane(points, normal, corners):
    """The corners of their hull in a plane, counter-clockwise from where its normal points."""
    corners = sorted(corners)
    axis = max(range(3), key=lambda k: abs(normal[k]))
    seen = points[corners][:, [k for k in range(3) if k != axis]]
    loop = [corners[k] for k in loop_around(seen, range(len(corners)))]
    return loop if (normal[axis] > 0) == (axis != 1) else loop[::-1]


def loop_around(points, rows):
    """The hull of points in the plane (Andrew's monotone chain), without corners of 180 degrees."""
    rows = sorted(rows, key=lambda k: tuple(points[k]))
    return half_loop(points, rows)[:-1] + half_loop(points, rows[::-1])[:-1]


def half_loop(points, rows):
    chain = []
    for k in rows:
        while len(chain) > 1 and not turns_left(*points[[chain[-2], chain[-1], k]]):
            chain.pop()
        chain.append(k)
    return chain


def turns_left(a, b, c):
    u, v = b - a, c - a
    return u[0] * v[1] - u[1] * v[0] > 0


def hull_triangles(points):
    """Triangles of the hull: points are added one by one, and see some of the triangles so far."""
    triangles = first_tetrahedron(points)
    for k, point in enumerate(points):
        seen = [t for t in triangles if height_over(points[list(t)], point) > 0]
        ways = {way for t in seen for way in ways_around(t)}
        rim = [(a, b) for a, b in ways if (b, a) not in ways]
        triangles = [t for t in triangles if t not in seen] + [(a, b, k) for a, b in rim]
    return triangles


def height_over(corners, point):
    """Positive where a triangle is seen counter-clockwise from the point."""
    return cross(corners[1] - corners[0], corners[2] - corners[0]) @ (point - corners[0])


def first_tetrahedron(points):
    count = len(points)
    a, b, c = next(t for t in combinations(range(count), 3) if span(points[list(t)]))
    heights = ((k, height_over(points[[a, b, c]], points[k])) for k in range(count))
    d, height = next((k, height) for k, height in heights if height)
    if height > 0:
        b, c = c, b
    return [(a, b, c), (a, c, d), (c, b, d), (b, a, d)]


def span(corners):
    return any(cross(corners[1] - corners[0], corners[2] - corners[0]))


# ---- two bodies ----------------------------------------------------------------------------------


class Entrance(NamedTuple):
    """A pair of features by which two bodies can meet without overlapping, or nearly one."""

    type: tuple  # of A's and of B's feature
    feature: tuple  # an edge: its row in Body.edges
    normal: np.ndarray  # from A to B, whole numbers
    gap_sq: Rational  # the square of the plane distance, negative where that is
    valid: bool
    margin: float  # the sine that decides: small where rounding may decide otherwise

    @property
    def gap(self):
        return -root(-self.gap_sq) if self.gap_sq < 0 else root(self.gap_sq)


class Link(NamedTuple):
    """Closest points of two bodies that are apart."""

    start: np.ndarray  # P on A, rational
    end: np.ndarray  # Q on B

    @property
    def length(self):
        between = self.end - self.start
        return root(between @ between)


class Pair:
    """Bodies A and B, on a common grid."""

    def __init__(self, a, b):
        first, second, self.unit = whole(a.vertices, b.vertices)
        self.a, self.b = on_grid(first, a.facets), on_grid(second, b.facets)

    @property
    def dimension(self):
        return self.a.dimension

    def moved(self, way):
        """The pair with B moved."""
        return Pair(
            Body(self.a.vertices * self.unit, self.a.facets),
            Body(self.b.vertices * self.unit + exact(way), self.b.facets),
        )

    def support_gap(self, normal):
        """g(n), rational, for a vector n of any length."""
        n, _ = whole(normal)
        return self.unit * (min(self.b.vertices @ n) - max(self.a.vertices @ n)) / root(n @ n)

    # entrances

    @cached_property
    def candidates(self):
        """The valid entrances, and those that rounding might take for valid."""
        found = [*self.facet_vertex(self.a, self.b, 1), *self.facet_vertex(self.b, self.a, -1)]
        return found + (list(self.crossing_edges()) if self.a.edges else [])

    @cached_property
    def entrances(self):
        return [e for e in self.candidates if e.valid]

    def facet_vertex(self, owner, other, sign):
        """Facets of the one with vertices of the other: valid iff no neighbor is deeper."""
        starts = [v for v, others in enumerate(other.neighbors) for _ in others]
        ends = [k for others in other.neighbors for k in others]
        rises = sines(owner.normals, other.vertices[ends] - other.vertices[starts])
        first = np.searchsorted(starts, range(len(other.vertices)))
        margins = np.minimum.reduceat(rises, first, axis=1)
        for f, v in np.argwhere(margins >= -NEAR):
            normal = owner.normals[f]
            height = normal @ other.vertices[v] - owner.offsets[f]
            kind, feature = (FACET, VERTEX)[::sign], (int(f), int(v))[::sign]
            valid, margin = bool(margins[f, v] >= 0), abs(margins[f, v])
            yield self.entrance(kind, feature, sign * normal, height, valid, margin)

    def crossing_edges(self):
        """The pairs of edges with crossing arcs of normals.

        A plane through both edges then separates the facets of one from those of the other. For
        n = u x w this follows from how edges rise over the facets; if all signs are opposite,
        n = w x u separates. An arc that ends on the other does not cross it, because a facet has
        the same plane there."""
        a, b = self.a, self.b
        left_a, right_a, left_b, right_b = (np.array(x.edges)[:, k] for x in (a, b) for k in (2, 3))
        on_a, on_b = sines(a.normals, directions(b)), sines(b.normals, directions(a))
        signs = np.stack([on_a[left_a], -on_a[right_a], on_b[left_b].T, -on_b[right_b].T])
        margins = np.maximum(signs.min(axis=0), (-signs).min(axis=0))
        for i, j in np.argwhere(margins >= -NEAR):
            sign = 1 if signs[:, i, j].min() > -signs[:, i, j].max() else -1
            normal = sign * cross(directions(a)[i], directions(b)[j])
            if any(normal):
                height = normal @ (b.vertices[b.edges[j][0]] - a.vertices[a.edges[i][0]])
                valid, margin = bool(margins[i, j] > 0), abs(margins[i, j])
                yield self.entrance((EDGE, EDGE), (int(i), int(j)), normal, height, valid, margin)

    def entrance(self, kind, feature, normal, height, valid, margin):
        square = Rational(int(height * abs(height)), int(normal @ normal)) * self.unit**2
        return Entrance(kind, feature, normal, square, valid, float(margin))

    # the answer

    @cached_property
    def best_entrance(self):
        return max(self.entrances, key=lambda e: e.gap_sq)

    @property
    def apart(self):
        return self.best_entrance.gap_sq > 0

    @cached_property
    def gap(self):
        """The distance of bodies that are apart, else minus the least penetration, rational."""
        return self.link.length if self.apart else self.best_entrance.gap

    @property
    def normal(self):
        """The direction that has this gap, in floats, from A to B."""
        if self.apart:
            return unit(self.link.end - self.link.start)
        return unit(self.best_entrance.normal)

    @cached_property
    def link(self):
        """The shortest link of bodies that are apart: of all pairs of features the one that proves
        to be it."""
        links = Links(self)
        for row in links.order():
            link = links.exact(row)
            if link and self.proves(link):
                return Link(link.start * self.unit, link.end * self.unit)
        raise ValueError("the bodies are not apart")

    def proves(self, link):
        """Whether both ends are in their bodies, and no vertex is closer along the link."""
        if not (self.a.holds(link.start) and self.b.holds(link.end)):
            return False
        n = link.end - link.start
        return (
            any(n)
            and max(self.a.vertices @ n) == n @ link.start
            and min(self.b.vertices @ n) == n @ link.end
        )

    def local_excess(self, normal, parted):
        """How much farther B is, once it has been moved along n until the bodies are `parted`, than
        the planes that are perpendicular to n: 0 iff n is a local minimum of the penetration.

        A move along n is the shortest of all moves in directions near n iff a condition holds: seen
        from outside, the foot of the origin's perpendicular is on a face of B - A. This does not
        depend on how far outside it is.
        """
        n = exact(normal)
        gap, length = self.support_gap(n), root(n @ n)
        away = max(Rational(parted) - gap, 0)
        link = self.moved(n * (away / length)).link
        return link.length - (gap + away)

    def stands(self, entrance):
        """Whether an entrance of overlapping bodies is a local minimum of the way apart: seen along
        n the vertex is over the facet, or both edges cross. That is, the foot of the origin's
        perpendicular on that face of B - A is on the face. Where features are parallel the face is
        larger than that: there only a True counts."""
        link = Links(self).exact((entrance.type, np.array(entrance.feature)))
        return self.a.holds(link.start) and self.b.holds(link.end)


def on_grid(vertices, facets):
    """A body of whole numbers, which stay such."""
    body = Body(vertices, facets)
    body.vertices = vertices
    return body


def directions(body):
    ends = np.array([edge[:2] for edge in body.edges])
    return body.vertices[ends[:, 1]] - body.vertices[ends[:, 0]]


def sines(normals, ways):
    """The sines of directions over planes, in floats with exact signs."""
    products = normals @ ways.T
    squares = np.multiply.outer((normals**2).sum(axis=1), (ways**2).sum(axis=1))
    # whole numbers of any size divide correctly rounded
    ratios = (products * np.abs(products) / squares).astype(float)
    return np.sign(ratios) * np.sqrt(np.abs(ratios))


# ---- links of all pairs of features --------------------------------------------------------------


class Links:
    """The shortest links of the planes, lines and points through all pairs of features."""

    def __init__(self, pair):
        self.pair = pair
        kinds = [(VERTEX, VERTEX), (FACET, VERTEX), (VERTEX, FACET)]
        if pair.dimension == 3:
            kinds += [(EDGE, VERTEX), (VERTEX, EDGE), (EDGE, EDGE)]
        self.blocks = [(kind, self.features(kind)) for kind in kinds]

    def features(self, kind):
        counts = [
            {FACET: len(body.facets), EDGE: len(body.edges), VERTEX: len(body.vertices)}[type]
            for body, type in zip((self.pair.a, self.pair.b), kind, strict=True)
        ]
        return np.array(list(product(*map(range, counts))))

    def order(self):
        """Kinds and features by their length in floats; links off their features come last."""
        a, b = in_floats(self.pair.a, self.pair.b)
        rows, lengths, leaves = [], [], []
        for kind, features in self.blocks:
            with np.errstate(divide="ignore", invalid="ignore"):
                start, end = closest(a, b, kind, features, np.divide)
                lengths.append(np.sqrt(dots(end - start, end - start)))
                leaves.append(~(holds_about(a, start) & holds_about(b, end)))
            rows += [(kind, feature) for feature in features]
        order = np.lexsort((np.concatenate(lengths), np.concatenate(leaves)))
        return (rows[k] for k in order)

    def exact(self, row):
        kind, feature = row
        try:
            start, end = closest(self.pair.a, self.pair.b, kind, feature[None], ratio)
        except ZeroDivisionError:
            return None  # parallel lines: links of their ends are as short
        return Link(start[0], end[0])


ratio = np.frompyfunc(Rational, 2, 1)


def dots(a, b):
    """Scalar products of rows."""
    return (a * b).sum(axis=-1)


class FloatBody(NamedTuple):
    """The data of a body for `closest` and `holds_about`."""

    vertices: np.ndarray
    edges: list
    normals: np.ndarray
    offsets: np.ndarray


def in_floats(a, b):
    """Both bodies about a common middle, the larger one of about 1."""
    middle = a.vertices[0]
    size = int(max(np.abs(body.vertices - middle).max() for body in (a, b)))
    return [in_float(body, middle, size) for body in (a, b)]


def in_float(body, middle, size):
    vertices = floats(exact(body.vertices - middle) / size)
    normals = np.array([unit(normal) for normal in body.normals])
    first = [facet[0] for facet in body.facets]
    return FloatBody(vertices, body.edges, normals, dots(normals, vertices[first]))


def holds_about(body, points):
    heights = points @ body.normals.T - body.offsets
    return heights.max(axis=1) <= OUTSIDE * np.ptp(body.vertices, axis=0).max()


def closest(a, b, kind, features, divide):
    """The closest points, on A and on B, of the planes, lines and points through features."""
    i, j = features.T
    if kind == (EDGE, EDGE):
        return closest_of_lines(*line(a, i), *line(b, j), divide)
    if kind[0] == VERTEX:
        point = a.vertices[i]
        return point, closest_to_points(b, kind[1], j, point, divide)
    point = b.vertices[j]
    return closest_to_points(a, kind[0], i, point, divide), point


def line(body, edges):
    start, end = np.array(body.edges)[edges, :2].T
    return body.vertices[start], body.vertices[end] - body.vertices[start]


def closest_to_points(body, kind, features, points, divide):
    if kind == VERTEX:
        return body.vertices[features]
    if kind == FACET:
        normals = body.normals[features]
        heights = dots(normals, points) - body.offsets[features]
        return points - divide(heights, dots(normals, normals))[:, None] * normals
    start, way = line(body, features)
    return start + divide(dots(points - start, way), dots(way, way))[:, None] * way


def closest_of_lines(a, u, b, w, divide):
    """P = a + s u, Q = b + t w, with PQ perpendicular to u and w."""
    r = b - a
    uu, uw, ww, ur, wr = dots(u, u), dots(u, w), dots(w, w), dots(u, r), dots(w, r)
    determinant = uu * ww - uw * uw
    s = divide(ur * ww - uw * wr, determinant)
    t = divide(uw * ur - uu * wr, determinant)
    return a + s[:, None] * u, b + t[:, None] * w
