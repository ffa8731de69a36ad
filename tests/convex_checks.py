"""Checks of rows of convex bodies against the reference."""

import numpy as np

import abut
import reference_convex as reference
from rational import Rational
from reference_convex import EDGE, VERTEX

# what two bodies are known to, in sums of their circumradii: the library's tolerance
TOLERANCE = 1e-11

# bodies that overlap are moved apart by their depth and at least this, likewise
MOVED_APART = 1e-3

# what rounding explains, likewise: poses in doubles turn corners to some 1e-16, and a support or a
# foot is a sum of three products or a few more
ROUNDING = 4e-15


# ---- bodies, asked and exact ---------------------------------------------------------------------


def shapes_of(scene, **options):
    return [abut.ConvexShape(points, **options) for points in scene.shapes]


def finder_of(scene, shapes=None, **options):
    shapes = shapes_of(scene) if shapes is None else shapes
    return abut.ConvexFinder(shapes, scene.shape, scales=scene.scales, **options)


def ask(scene, finder=None, **options):
    """The one row of the scene's first two bodies."""
    finder = finder_of(scene) if finder is None else finder
    return finder.find(scene.positions, scene.orientations, pairs=[[0, 1]], **options)


def loops(shape):
    return np.split(shape.indices, shape.offsets[1:-1])


def exact_body(shape):
    """The polygon or polyhedron of a shape, with its own numbers of features."""
    body = reference.Body(shape.vertices, loops(shape))
    assert body.is_convex()
    if shape.dimension == 3:
        ways = {edge[:2]: edge for edge in body.edges}
        ways |= {(b, a): (b, a, right, left) for a, b, left, right in body.edges}
        body.edges = [ways[int(a), int(b)] for a, b in shape.edges]
        assert len(body.edges) == len(ways) / 2
    return body


class Truth:
    """The scene's first two bodies without rounding."""

    def __init__(self, scene, shapes=None):
        shapes = shapes_of(scene) if shapes is None else shapes
        own = [exact_body(shape) for shape in shapes]
        self.bodies = []
        for k in (0, 1):
            body = own[scene.shape[k]]
            placed = body.placed(scene.orientations[k], scene.positions[k], scene.scales[k])
            placed.edges = body.edges
            self.bodies.append(placed)
        self.pair = reference.Pair(*self.bodies)
        self.pair.a.edges, self.pair.b.edges = (body.edges for body in self.bodies)
        radii = [shapes[scene.shape[k]].circumradius * scene.scales[k] for k in (0, 1)]
        self.size = sum(radii)
        # of the positions in the world: a table's points are there
        self.reach = self.size + np.abs(scene.positions).max()

    @property
    def gap(self):
        return self.pair.gap

    @property
    def surely_apart(self):
        """By more than what the library takes for touching."""
        return self.gap > TOLERANCE * self.size

    def gap_along(self, normal):
        """g(n) for a table's normal, which is -n."""
        return self.pair.support_gap(-reference.exact(normal))

    def local_gap(self, normal):
        """The local maximum of g at a table's normal is g there and at most this much more."""
        return self.pair.local_excess(-reference.exact(normal), 0.1 * self.size)


# ---- one row -------------------------------------------------------------------------------------


def check_row(truth, found, k=0, minimum="tracked"):
    """Row k of a table by SLM or FDS is right: gap, bounds, status, normal, link."""
    size = truth.size
    slack = Rational(ROUNDING * size)
    overlap, error = Rational(found.overlap[k]), Rational(found.error[k])
    assert error >= 0
    assert abs(truth.gap_along(found.normal[k]) + overlap) <= slack
    check_bounds(truth, found, k, minimum, slack)
    check_status(found, k, truth)
    check_normal(truth, found, k, minimum)
    check_link(truth, found, k)


def check_bounds(truth, found, k, minimum, slack):
    overlap, error = Rational(found.overlap[k]), Rational(found.error[k])
    if truth.surely_apart or minimum == "global":
        true = -truth.gap
    elif overlap - error > slack:
        # along its own normal: the bodies come apart by this, and not by less close by
        true = overlap - truth.local_gap(found.normal[k])
    else:
        true = min(overlap, -truth.gap)
    assert overlap - error - slack <= true <= overlap + slack


def check_status(found, k, truth):
    status, overlap = found.status[k], found.overlap[k]
    tolerance = TOLERANCE * truth.size
    # sizes are rounded, too
    if status != abut.UNCONVERGED:
        assert found.error[k] <= tolerance * (1 + 1e-9)
    if status == abut.SEPARATED:
        assert overlap < -tolerance * (1 - 1e-9)
    if status == abut.TOUCHING:
        assert abs(overlap) <= tolerance * (1 + 1e-9)
    if status == abut.OVERLAPPING:
        assert overlap > tolerance * (1 - 1e-9)


def check_normal(truth, found, k, minimum):
    normal = found.normal[k]
    assert abs(np.linalg.norm(normal) - 1) < 2e-15
    if truth.surely_apart and found.status[k] != abut.UNCONVERGED:
        # n is perpendicular to B - A at its point closest to the origin, which is that far
        error = float(found.error[k]) + ROUNDING * truth.size
        off = np.linalg.norm(normal + truth.pair.normal)
        assert off <= 1e-15 + np.sqrt(2 * error / float(truth.gap))


def check_link(truth, found, k):
    """Both ends are on the features that are named, and the link goes along the normal."""
    slack = ROUNDING * truth.reach
    ends, normal = found.link[k], found.normal[k]
    overlap, error = found.overlap[k], found.error[k]
    for body, end, kind, feature in zip(
        truth.bodies, ends, found.type[k], found.feature[k], strict=True
    ):
        assert off_feature(body, kind, feature, end) <= slack
    between = ends[1] - ends[0]
    along = between @ -normal
    # within the tolerance two directions are possible: the link of one, the plane of the other
    off = max(error, TOLERANCE * truth.size) + slack
    assert abs(along + overlap) <= off
    if found.status[k] != abut.UNCONVERGED:
        # a link this long that ends less than `off` before a plane is this far off its normal; of
        # bodies that overlap it is that of the bodies moved apart (docs/convex.md, section 2)
        length = abs(overlap) + off
        if found.status[k] != abut.SEPARATED:
            length += MOVED_APART * truth.size
        sideways = np.linalg.norm(between + along * normal)
        assert sideways <= slack + np.sqrt(2 * off * length)
    assert np.abs(found.point[k] - ends.mean(axis=0)).max() <= slack


def off_feature(body, kind, feature, end):
    """The approximate distance of a point from a feature: from its planes or lines, and sides."""
    end = reference.exact(end)
    if kind == VERTEX:
        return distance(end - body.vertices[feature])
    if kind == EDGE:
        start, stop = (body.vertices[corner] for corner in body.edges[feature][:2])
        return off_segment(end, start, stop)
    return off_facet(body, feature, end)


def distance(way):
    return float(reference.root((way * way).sum()))


def off_segment(point, start, stop):
    way = stop - start
    part = min(max(Rational((point - start) @ way, way @ way), 0), 1)
    return distance(point - start - part * way)


def off_facet(body, facet, point):
    if body.dimension == 2:
        return off_segment(point, *body.vertices[list(body.facets[facet])])
    normal = body.normals[facet]
    height = Rational(normal @ point - body.offsets[facet], normal @ normal)
    foot = point - height * normal
    corners = body.vertices[list(body.facets[facet])]
    inside = all(
        reference.cross(b - a, foot - a) @ normal >= 0
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    )
    if inside:
        return distance(point - foot)
    return min(
        off_segment(point, a, b) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    )


# ---- entrances -----------------------------------------------------------------------------------

# sines of this size may come out as 0, or of the other sign
DOUBTFUL = 1e-12


def named(entrances):
    return {(e.type, e.feature): e for e in entrances}


def listed(found, k=0):
    """The entrances of pair k in a table, by types and features."""
    rows = range(found.offsets[k], found.offsets[k + 1])
    return {(tuple(found.type[r].tolist()), tuple(found.feature[r].tolist())): r for r in rows}


def check_entrances(truth, found, k=0):
    """Check that the set is the exact one, except for entrances that rounding may decide."""
    rows = listed(found, k)
    assert len(rows) == found.offsets[k + 1] - found.offsets[k]
    exact = named(truth.pair.candidates)
    sure = {name for name, e in exact.items() if e.valid and e.margin > DOUBTFUL}
    possible = {name for name, e in exact.items() if e.valid or e.margin <= DOUBTFUL}
    assert sure <= set(rows) <= possible
    for name, row in rows.items():
        check_entrance(truth, exact[name], found, row)
    widest = max(-found.overlap[row] for row in rows.values())
    best = truth.pair.best_entrance
    off = ROUNDING / crossing_sine(truth.pair, best) * truth.size
    assert abs(widest - float(best.gap)) <= off + 1e-12 * abs(float(best.gap))


def check_entrance(truth, entrance, found, row):
    normal = -reference.unit(entrance.normal)
    # where edges are nearly parallel their cross product is known to rounding over its sine
    off = ROUNDING / crossing_sine(truth.pair, entrance)
    assert np.abs(found.normal[row] - normal).max() <= off
    assert abs(found.overlap[row] + float(entrance.gap)) <= off * truth.size


def crossing_sine(pair, entrance):
    if entrance.type != (EDGE, EDGE):
        return 1.0
    u, w = (
        reference.unit(reference.directions(body)[k])
        for body, k in zip((pair.a, pair.b), entrance.feature, strict=True)
    )
    return np.linalg.norm(np.cross(u, w))
