"""The double hierarchy method in plain Python: a slow and obvious reference for the library.

Every sphere is compared with every facet. Coordinates are read as the rational numbers that they
are (`rational.Rational`); closest points and squared distances of rational points are rational, so
every decision is exact and has no tolerance: what touches, which feature is closest, what comes
first, what is eliminated, which corner is flat. Roots are taken only for the numbers handed out.

The derivation is the most literal one: the closest point of a facet is the nearest of all its
candidates (perpendicular feet inside its triangles and on its edges, corners), and a tie goes to
the higher feature. Each sphere also gets a *clearance*: how far its closest decision is from its
tie, in units of what the library's rounding and, with ``noise=0``, its tolerance may explain. Well
above 1 the library must agree.

References
----------
M. Santasusana, J. Irazabal, E. Onate, J. M. Carbonell, "The Double Hierarchy Method", Computational
Particle Mechanics 3 (2016), doi:10.1007/s40571-016-0109-4. Equation numbers are this paper's.
"""

from itertools import pairwise, product
from math import inf, isqrt, sin, sqrt, ulp
from typing import NamedTuple

import numpy as np

from rational import Rational

FACET, EDGE, VERTEX = 0, 1, 2

# A facet with corners off its plane by more units in the last place has the weights of its fan of
# triangles. Rounding coordinates of a plane gives smaller errors.
BENT_ULPS = 4

# What rounding may explain of a distance, in units in the last place of the largest coordinate; of
# a point twice as much, times its facet's aspect ratio.
ROUNDING_ULPS = 16


# ---- vectors of rational numbers -----------------------------------------------------------------


def exact(row):
    """Three floats as the rational numbers that they are."""
    return tuple(Rational(float(x)) for x in row)


def minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def along(a, s, b):
    """The vector a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def root(square):
    """The square root of a rational number, exact where it is rational, else to 100 bits."""
    product = square.numerator * square.denominator
    bits = max(0, 100 - product.bit_length() // 2)
    return Rational(isqrt(product << (2 * bits)), square.denominator << bits)


def norm(a):
    return root(dot(a, a))


def unit(a):
    """The direction of `a` in floats, correct to the last bits."""
    length = norm(a)
    return tuple(float(x / length) for x in a)


# ---- one facet -----------------------------------------------------------------------------------


class Closest(NamedTuple):
    """A point of a facet that may be its closest to a center, exactly."""

    distance_sq: Rational
    type: int
    feature: int
    point: tuple


def smallest_first(corners):
    """The corners from the lexicographically smallest on, and the position of that corner."""
    start = min(range(len(corners)), key=lambda k: corners[k])
    return corners[start:] + corners[:start], start


def fan(corners):
    """The triangles of a facet: its fan from its lexicographically smallest corner."""
    ordered, _ = smallest_first(corners)
    return [(ordered[0], b, c) for b, c in pairwise(ordered[1:])]


def edges(corners):
    return list(zip(corners, corners[1:] + corners[:1], strict=True))


def triangle_normal(triangle):
    """Twice the triangle's area, along its normal by the right-hand rule."""
    a, b, c = triangle
    return cross(minus(b, a), minus(c, a))


def newell(corners):
    """Twice the polygon's area, along its normal by the right-hand rule (Newell's sum)."""
    origin = corners[0]
    total = (Rational(0),) * 3
    for a, b in edges(corners):
        total = along(total, 1, cross(minus(a, origin), minus(b, origin)))
    return total


def barycentric(triangle, point):
    """Weights (26) of a point in the plane of a triangle, negative outside of it."""
    a, b, c = triangle
    normal = triangle_normal(triangle)
    area_sq = dot(normal, normal)
    parts = [triangle_normal(t) for t in ((point, b, c), (a, point, c), (a, b, point))]
    return [dot(part, normal) / area_sq for part in parts]


def foot_on_plane(triangle, center):
    """Where the perpendicular from the center meets the triangle's plane (17)."""
    normal = triangle_normal(triangle)
    height = dot(minus(center, triangle[0]), normal) / dot(normal, normal)
    return along(center, -height, normal)


def foot_on_line(a, b, center):
    """Where the perpendicular from the center meets the line a b (20-24): eta and the point."""
    edge = minus(b, a)
    eta = dot(minus(center, a), edge) / dot(edge, edge)
    return eta, along(a, eta, edge)


def inner_diagonals(corners):
    """Diagonals of the fan that run inside; beside a flat corner one can lie on the border."""
    triangles = fan(corners)
    for left, right in pairwise(triangles):
        if any(triangle_normal(left)) and any(triangle_normal(right)):
            yield right[0], right[1]


def candidates(corners, center):
    """Every point of a facet that is closest to the center in some feature of it."""

    def candidate(kind, feature, point):
        vector = minus(center, point)
        return Closest(dot(vector, vector), kind, feature, point)

    for triangle in fan(corners):
        if any(triangle_normal(triangle)):
            point = foot_on_plane(triangle, center)
            if min(barycentric(triangle, point)) >= 0:
                yield candidate(FACET, 0, point)
    for a, b in inner_diagonals(corners):
        eta, point = foot_on_line(a, b, center)
        if 0 <= eta <= 1:
            yield candidate(FACET, 0, point)
    for k, (a, b) in enumerate(edges(corners)):
        eta, point = foot_on_line(a, b, center)
        if 0 <= eta <= 1:
            yield candidate(EDGE, k, point)
    for k, corner in enumerate(corners):
        yield candidate(VERTEX, k, corner)


def closest(corners, center):
    """The closest point of a facet; of features that share it the highest, then the first."""
    return min(candidates(corners, center), key=lambda c: c[:3])


# ---- nodal weights -------------------------------------------------------------------------------


def flat_corners(corners):
    """Positions of the corners that lie on the line between their neighbors."""
    n = len(corners)
    turns = [triangle_normal((corners[k - 1], corners[k], corners[(k + 1) % n])) for k in range(n)]
    return [k for k in range(n) if not any(turns[k])]


def is_bent(corners):
    """Whether the corners leave the facet's plane by more than rounding explains."""
    normal = newell(corners)
    middle = tuple(sum(axis) / len(corners) for axis in zip(*corners, strict=True))
    heights = [abs(dot(normal, minus(corner, middle))) for corner in corners]
    largest = max(abs(float(x)) for corner in corners for x in corner)
    return max(heights) > BENT_ULPS * Rational(ulp(largest)) * norm(normal)


def flattened(corners, point):
    """The corners and the point without the axis that the normal is longest along."""
    normal = newell(corners)
    longest = max(range(3), key=lambda axis: abs(normal[axis]))
    axes = [(longest + 1) % 3, (longest + 2) % 3]
    if normal[longest] < 0:
        axes.reverse()
    return [tuple(p[axis] for axis in axes) for p in (*corners, point)]


def area(a, b, c):
    """Twice the signed area of a triangle in the plane."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def wachspress(corners, point):
    """Wachspress' coordinates, equal to (32), in the form that holds on the border too."""
    *flat, point = flattened(corners, point)
    n = len(flat)
    sides = [area(point, flat[k], flat[(k + 1) % n]) for k in range(n)]
    raw = []
    for i in range(n):
        value = area(flat[i - 1], flat[i], flat[(i + 1) % n])
        for k in range(n):
            if k not in (i, (i - 1) % n):
                value *= sides[k]
        raw.append(value)
    return [value / sum(raw) for value in raw]


def zhong(corners, point):
    """Weights (28) of a quadrilateral."""
    *flat, point = flattened(corners, point)
    a1, a2, a3, a4 = (area(point, flat[k], flat[(k + 1) % 4]) for k in range(4))
    total = (a1 + a3) * (a2 + a4)
    return [a2 * a3 / total, a3 * a4 / total, a4 * a1 / total, a1 * a2 / total]


def fan_weights(corners, point):
    """Barycentric weights of the fan's triangle that holds the point; 0 for the other corners."""
    held = []
    for triangle in fan(corners):
        if any(triangle_normal(triangle)):
            weights = barycentric(triangle, point)
            off_plane = dot(minus(point, triangle[0]), triangle_normal(triangle))
            held.append((min(weights) < 0, abs(off_plane), triangle, weights))
    *_, triangle, weights = min(held, key=lambda h: h[:2])
    by_corner = dict(zip(triangle, weights, strict=True))
    return [by_corner.get(corner, Rational(0)) for corner in corners]


def facet_weights(corners, point, scheme):
    """Positions of the corners that carry a FACET contact, and their weights."""
    everywhere = list(range(len(corners)))
    if len(corners) > 3 and scheme == "wachspress" and is_bent(corners):
        return everywhere, fan_weights(corners, point)
    flat = flat_corners(corners)
    carriers = [k for k in everywhere if k not in flat]
    shape = [corners[k] for k in carriers]
    if len(shape) == 3:
        return carriers, barycentric(shape, point)
    return carriers, (zhong if scheme == "zhong" else wachspress)(shape, point)


def nodal_weights(corners, contact, scheme):
    """Positions of the corners that carry a contact, and their weights: (26), (28), (30), (32)."""
    if contact.type == VERTEX:
        return [contact.feature], [Rational(1)]
    if contact.type == EDGE:
        k, following = contact.feature, (contact.feature + 1) % len(corners)
        eta, _ = foot_on_line(corners[k], corners[following], contact.point)
        return [k, following], [1 - eta, eta]
    return facet_weights(corners, contact.point, scheme)


# ---- one half space ------------------------------------------------------------------------------


def foot_on_half_space(half_space, center):
    """The closest point of a half space: of its plane, on which there is no edge and no end.

    The distance is the height of the center over the plane. In the wall it is negative, and so is
    its square here: the order of the hierarchy is that of distances.
    """
    point, normal = half_space
    height = dot(minus(center, point), normal) / dot(normal, normal)
    return Closest(
        height * abs(height) * dot(normal, normal), FACET, 0, along(center, -height, normal)
    )


# ---- one sphere ----------------------------------------------------------------------------------


class Contact(NamedTuple):
    """A facet, or half space behind the facets, that touches the sphere, exactly; `vector` runs
    from the point to the center."""

    facet: int
    distance_sq: Rational
    type: int
    feature: int
    point: tuple
    vector: tuple
    direction: tuple  # along the contact's normal; the facet's own where the center lies on it


def touching(center, reach, facets, nearest, half_spaces=()):
    """The contacts of all facets and half spaces within reach, in the order of the distance
    hierarchy."""
    contacts = []
    for number, (corners, found) in enumerate(zip(facets, nearest, strict=True)):
        if found.distance_sq <= reach * reach:
            vector = minus(center, found.point)
            direction = vector if any(vector) else newell(corners)
            contacts.append(Contact(number, *found, vector, direction))
    for number, half_space in enumerate(half_spaces, len(facets)):
        found = foot_on_half_space(half_space, center)
        if found.distance_sq <= reach * reach:
            vector = minus(center, found.point)
            contacts.append(Contact(number, *found, vector, half_space[1]))
    return sorted(contacts, key=rank)


def distance_of(contact):
    """The signed distance of points from a half space, negative inside."""
    return signed_root(contact.distance_sq)


def signed_root(square):
    return root(square) if square >= 0 else -root(-square)


def rank(contact):
    """The canonical order: nearest, then highest feature, then what no numbering can change."""
    normal = unit(contact.direction)
    return contact.distance_sq, contact.type, contact.vector, normal, contact.facet


def rise(j, i):
    """How far i stands in front of the tangent plane of j, times the direction's length."""
    return dot(j.direction, minus(i.point, j.point))


def eliminates(j, i, tilt):
    """Whether j makes i redundant: V_i . V_j >= |V_j|^2 (31, table 4), up to the tilt."""
    step, height = minus(i.point, j.point), rise(j, i)
    if height <= 0:
        return True
    return height**2 <= tilt**2 * dot(j.direction, j.direction) * dot(step, step)


def hierarchy(contacts, tilt):
    """Keep a contact unless one that is already kept eliminates it."""
    kept = []
    for i in contacts:
        if not any(eliminates(j, i, tilt) for j in kept):
            kept.append(i)
    return kept


# ---- how near a decision is to its tie -----------------------------------------------------------


def rounding(center, reach, corners):
    """The error by rounding of a distance to a facet."""
    return ROUNDING_ULPS * ulp(max(abs(float(x)) for p in (*corners, center, (reach,)) for x in p))


def aspect(corners):
    """The longest diagonal, squared, over twice the smallest area in the fan: 1 if round."""
    longest_sq = max(dot(minus(a, b), minus(a, b)) for a in corners for b in corners)
    normals = [triangle_normal(triangle) for triangle in fan(corners)]
    return max(float(longest_sq / norm(normal)) for normal in normals if any(normal))


def feature_room(corners, center, contact):
    """How far the center may move before its closest point passes to another feature."""
    normal, n = newell(corners), len(corners)
    inward, start, end = [], [], []
    for a, b in edges(corners):
        edge, vector = minus(b, a), minus(center, a)
        inward.append(float(dot(cross(normal, edge), vector) / (norm(normal) * norm(edge))))
        start.append(float(dot(edge, vector) / norm(edge)))
        end.append(float(norm(edge)) - start[-1])
    k = contact.feature
    if contact.type == FACET:
        return min(inward)
    if contact.type == EDGE:
        return min(-inward[k], start[k], end[k])
    return min(-start[k], -end[(k - 1) % n])


def point_room(corners, center, contact):
    """How much farther the facet's next separate closest point is: a bent facet can have two."""
    if not is_bent(corners):
        return inf
    others = [
        c for c in candidates(corners, center) if c.type == FACET and c.point != contact.point
    ]
    gaps = [root(c.distance_sq) - root(contact.distance_sq) for c in others]
    return float(min(gaps, default=inf))


def order_room(contacts, kept):
    """The smallest step in distance between points in an order that matters: one is kept."""
    room, named = inf, {contact.point for contact in kept}
    for a, b in pairwise(contacts):
        if a.point != b.point and (a.point in named or b.point in named):
            room = min(room, float(distance_of(b) - distance_of(a)))
    return room


def elimination_room(j, i, center_ulp, tilt):
    """How far i is from where j begins to eliminate it, over the library's tolerance there."""
    step, distance = norm(minus(i.point, j.point)), float(distance_of(j))
    excess = float(rise(j, i) / norm(j.direction) - tilt * step)
    if excess <= 0:
        return -excess / center_ulp if rise(j, i) > 0 else inf
    # the normal of a half space does not turn
    turn = 0.0 if distance < 0 else 1.0
    if distance > 0:
        turn = min(1.0, max(2 * sqrt(center_ulp / distance), 4 * center_ulp / distance))
    return excess / (10 * center_ulp + max(0.0, turn - float(tilt)) * float(step))


def hierarchy_room(contacts, kept, center, tilt):
    """The smallest room of decisions that keep or, by the flat angle alone, eliminate."""
    center_ulp, room = max(ulp(float(x)) for x in center), inf
    for i in contacts:
        earlier = kept[: kept.index(i)] if i in kept else kept
        if i in kept or all(rise(j, i) > 0 for j in earlier):
            room = min([room, *(elimination_room(j, i, center_ulp, tilt) for j in earlier)])
    return room


def geometry_room(center, reach, facets, nearest):
    """The smallest room of what each facet decides by itself: whether it touches, and where."""
    room = inf
    for corners, found in zip(facets[: len(nearest)], nearest, strict=True):
        noise = rounding(center, reach, corners)
        room = min(room, abs(float(root(found.distance_sq) - reach)) / noise)
        if found.distance_sq <= reach * reach:
            feature = feature_room(corners, center, found) / (2 * noise * aspect(corners))
            room = min(room, feature, point_room(corners, center, found) / noise)
    return room


def half_space_room(center, reach, half_spaces):
    """The smallest room of whether a half space touches."""
    room = inf
    for half_space in half_spaces:
        found = foot_on_half_space(half_space, center)
        noise = rounding(center, reach, half_space)
        room = min(room, abs(float(signed_root(found.distance_sq) - reach)) / noise)
    return room


def clearance(center, reach, facets, nearest, contacts, kept, tilt):
    """The smallest room of all of a sphere's decisions: 1 is what tolerance may explain.
    `facets`: the corners of each, then the half spaces."""
    if not contacts:
        return geometry_room(center, reach, facets, nearest)
    noise = max(rounding(center, reach, facets[contact.facet]) for contact in contacts)
    return min(
        geometry_room(center, reach, facets, nearest),
        order_room(contacts, kept) / noise,
        hierarchy_room(contacts, kept, center, tilt) if tilt is not None else inf,
    )


# ---- all spheres ---------------------------------------------------------------------------------


class Result(NamedTuple):
    """The columns of the library's `Contacts`, and each sphere's clearance."""

    sphere: np.ndarray
    facet: np.ndarray
    type: np.ndarray
    feature: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    overlap: np.ndarray
    mesh: np.ndarray
    offsets: np.ndarray
    node: np.ndarray
    weight: np.ndarray
    node_offsets: np.ndarray
    clearance: np.ndarray


def half_space_row(sphere, contact, radius, number):
    """One contact with a half space in floats; its point is its only node."""
    normal, point = unit(contact.direction), [float(x) for x in contact.point]
    overlap = float(radius - distance_of(contact))
    return sphere, 0, FACET, 0, point, normal, overlap, [0], [1.0], number


def row(sphere, contact, radius, facet, corners, scheme):
    """One contact in floats."""
    carriers, weights = nodal_weights(corners, contact, scheme)
    return (
        sphere,
        contact.facet,
        contact.type,
        contact.feature,
        [float(x) for x in contact.point],
        unit(contact.direction),
        float(radius - root(contact.distance_sq)),
        [facet[k] for k in carriers],
        [float(w) for w in weights],
        0,
    )


def columns(rows, counts, clearances):
    """Rows as the arrays of a `Result`."""
    sphere, facet, kind, feature, point, normal, overlap, nodes, weights, mesh = (
        zip(*rows, strict=True) if rows else [()] * 10
    )
    return Result(
        np.array(sphere, np.intp),
        np.array(facet, np.intp),
        np.array(kind, np.uint8),
        np.array(feature, np.intp),
        np.array(point, float).reshape(-1, 3),
        np.array(normal, float).reshape(-1, 3),
        np.array(overlap, float),
        np.array(mesh, np.intp),
        np.cumsum([0, *counts]),
        np.array([node for list_ in nodes for node in list_], np.intp),
        np.array([weight for list_ in weights for weight in list_], float),
        np.cumsum([0, *map(len, nodes)]),
        np.array(clearances, float),
    )


def find_contacts(
    centers,
    radii,
    vertices,
    facets,
    *,
    resolution="hierarchy",
    flat_angle=0.0,
    gap=0.0,
    weights="wachspress",
    half_spaces=(),
):
    """What `abut.find_contacts` must find, with its keywords and columns.

    Parameters
    ----------
    centers, radii : (n, 3) and (n,) array_like
    vertices : (v, 3) array_like
    facets : sequence of index sequences
    resolution, flat_angle, gap, weights
        As the library's.
    half_spaces : sequence of (point, normal)
        Surfaces number 1, 2, ... behind the mesh.

    Returns
    -------
    Result
    """
    corners = [[exact(vertices[k]) for k in facet] for facet in facets]
    planes = [tuple(map(exact, half_space)) for half_space in half_spaces]
    tilt = Rational(sin(flat_angle / 2)) if resolution == "hierarchy" else None
    rows, counts, clearances = [], [], []
    for number, (center, radius) in enumerate(zip(centers, radii, strict=True)):
        center, radius = exact(center), Rational(float(radius))
        reach = radius + Rational(float(gap))
        nearest = [closest(facet, center) for facet in corners]
        contacts = touching(center, reach, corners, nearest, planes)
        kept = contacts if tilt is None else hierarchy(contacts, tilt)
        for contact in kept:
            k, surface = contact.facet, 1 + contact.facet - len(corners)
            rows.append(
                half_space_row(number, contact, radius, surface)
                if surface > 0
                else row(number, contact, radius, facets[k], corners[k], weights)
            )
        counts.append(len(kept))
        room = clearance(center, reach, corners + planes, nearest, contacts, kept, tilt)
        clearances.append(min(room, half_space_room(center, reach, planes)))
    return columns(rows, counts, clearances)


# ---- pairs of spheres ----------------------------------------------------------------------------


# How many distances are computed at once.
PAIRS_AT_ONCE = 1 << 20


class FoundPairs(NamedTuple):
    """The columns of the library's `Pairs`."""

    i: np.ndarray
    j: np.ndarray
    normal: np.ndarray
    overlap: np.ndarray
    point: np.ndarray
    image: np.ndarray
    offsets: np.ndarray


def wrapped(points, period):
    """Points in the box that begins at 0, and by how many periods each was moved."""
    wraps = np.zeros(points.shape, np.intp)
    inside = points.copy()
    for axis, length in enumerate(period):
        if length:
            x = points[:, axis]
            count = np.floor(x / length)
            w = x - length * count
            # the quotient was rounded up to a whole number
            below = w < 0
            w[below] += length
            # so little below 0 that rounding hides it
            above = w >= length
            w[above] -= length
            inside[:, axis] = w
            wraps[:, axis] = count - below + above
    return inside, wraps


def image_range(length, reach):
    """The images along an axis that may touch: all of which spheres inside the box see."""
    if not length:
        return range(1)
    # spheres in the box are less than a period apart, but for rounding
    count = int((1 + 1e-9) * (1 + reach / length))
    return range(-count, count + 1)


def images_of(period, reach):
    """All of a box, each a tuple of whole numbers."""
    return list(product(*(image_range(length, reach) for length in period)))


def squared(steps):
    """Squared lengths of (..., d) vectors, the sum from the first axis on."""
    total = steps[..., 0] * steps[..., 0]
    for axis in range(1, steps.shape[-1]):
        total = total + steps[..., axis] * steps[..., axis]
    return total


def is_counted(i, j, image, one_set):
    """Whether a pair of one set counts: once, not also from its other side."""
    if not one_set:
        return np.ones(np.broadcast_shapes(i.shape, j.shape), bool)
    first = next((k for k in image if k), 0)
    return (i < j) | ((i == j) & (first > 0))


def near(points, others, reach):
    """Numbers of the points that the others' bounding box, grown by the reach, has inside."""
    if not len(points) or not len(others):
        return np.zeros(0, np.intp)
    lengths = np.abs(points).max() + np.abs(others).max() + reach
    grown = reach + 1e-9 * lengths
    low, high = others.min(axis=0) - grown, others.max(axis=0) + grown
    return np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))


def touching_pairs(first, second, one_set, image, period):
    """The pairs of an image that touch, (i, j, step from j to i); sets are (points, reaches)."""
    shift = np.array(image) * period
    reach = first[1].max(initial=0) + second[1].max(initial=0)
    rows = near(first[0], second[0] + shift, reach)
    columns = near(second[0], first[0][rows] - shift, reach)
    block = max(1, PAIRS_AT_ONCE // max(1, len(columns)))
    for begin in range(0, len(rows), block):
        i, j = rows[begin : begin + block, None], columns
        step = (first[0][i] - second[0][j]) - shift
        reach = first[1][i] + second[1][j]
        hits = (squared(step) <= reach * reach) & is_counted(i, j, image, one_set)
        row, column = np.nonzero(hits)
        yield i[row, 0], j[column], step[row, column]


def pair_columns(i, j, step, image, centers, first_radii, second_radii):
    """Rows in order as the arrays of `FoundPairs`."""
    order = np.lexsort((*image.T[::-1], j, i))
    i, j, step, image = i[order], j[order], step[order], image[order]
    distance = np.sqrt(squared(step))
    overlap = (first_radii[i] + second_radii[j]) - distance
    normal = np.zeros_like(step)
    apart = distance > 0
    normal[apart] = step[apart] * (1 / distance[apart])[:, None]
    normal[~apart, 0] = 1
    point = centers[i] - normal * (first_radii[i] - 0.5 * overlap)[:, None]
    offsets = np.searchsorted(i, np.arange(len(centers) + 1))
    return FoundPairs(i, j, normal, overlap, point, image, offsets)


def find_pairs(centers, radii, *, gap=0.0, period=None, others=None):
    """What `abut.find_pairs` must find, to the bit: every sphere is compared with every other, in
    every image of the box that may touch.

    Parameters
    ----------
    centers, radii : (n, 2) or (n, 3) and (n,) array_like
    gap, period, others
        As the library's; a number for others' gaps is `gap`.

    Returns
    -------
    FoundPairs
    """
    centers, radii = np.array(centers, float), np.array(radii, float)
    period = np.array([length or 0.0 for length in period or [None] * centers.shape[1]])
    centers[:, period > 0] += 0.0  # no zero with a sign
    one_set = others is None
    other_centers, other_radii, *other_gaps = (centers, radii, gap) if one_set else others
    other_centers, other_radii = np.array(other_centers, float), np.array(other_radii, float)
    other_centers[:, period > 0] += 0.0
    reaches = radii + np.asarray(gap) / 2
    other_reaches = other_radii + np.asarray(other_gaps[0] if other_gaps else gap) / 2
    inside, wraps = wrapped(centers, period)
    other_inside, other_wraps = wrapped(other_centers, period)
    first, second = (inside, reaches), (other_inside, other_reaches)
    empty = np.zeros(0, np.intp)
    found = [(empty, empty, centers[:0], wraps[:0])]
    for k in images_of(period, reaches.max(initial=0) + other_reaches.max(initial=0)):
        for i, j, step in touching_pairs(first, second, one_set, k, period):
            found.append((i, j, step, np.array(k) + wraps[i] - other_wraps[j]))
    columns = (np.concatenate(column) for column in zip(*found, strict=True))
    return pair_columns(*columns, centers, radii, other_radii)


# ---- pairs of spheres in cells of any shape ------------------------------------------------------


# What rounding may explain of a distance, relative to all lengths that it is computed from.
CELL_ROUNDING = 1e-13


class PairsInCell(NamedTuple):
    """Pairs by `find_pairs_in_cell`; is_sure: rounding cannot hide that the two are near."""

    i: np.ndarray
    j: np.ndarray
    image: np.ndarray
    normal: np.ndarray
    overlap: np.ndarray
    point: np.ndarray
    is_sure: np.ndarray


def inverse_of(vectors):
    """The matrix (d, d) from points to fractions, exact but for the last bits; 0 for rows of 0."""
    rows = [exact(np.append(row, np.zeros(3 - len(row)))) for row in vectors]
    kept = [k for k, row in enumerate(rows) if any(row)]
    gram = [[dot(rows[a], rows[b]) for b in kept] for a in kept]
    inverse = np.zeros(vectors.shape)
    for column, k in enumerate(kept):
        unit_column = [Rational(float(row == column)) for row in range(len(kept))]
        numbers = solved(gram, unit_column)
        way = [sum((n * rows[a][x] for n, a in zip(numbers, kept, strict=True)), Rational(0.0))
               for x in range(len(vectors))]  # fmt: skip
        inverse[:, k] = [float(x) for x in way]
    return inverse


def solved(matrix, right):
    """Solves a system of one to three equations by Gauss."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k, pivot in enumerate(rows):
        for other in rows:
            if other is not pivot:
                factor = other[k] / pivot[k]
                other[:] = [a - factor * b for a, b in zip(other, pivot, strict=True)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def images_in_cell(inverse, fractions, reach):
    """Image 0 and all images (m, d) that may be near, by the fractions of all steps from j to i."""
    ranges = []
    for k, column in enumerate(inverse.T):
        inverse_width = np.linalg.norm(column)  # 0: nothing repeats
        low = fractions[..., k].min() - reach * inverse_width
        high = fractions[..., k].max() + reach * inverse_width
        margin = 1e-6 * (inverse_width > 0) * (1 + max(-low, high))
        first, last = np.ceil(low - margin), np.floor(high + margin)
        ranges.append(range(min(0, int(first)), max(0, int(last)) + 1))
    return np.array(list(product(*ranges)))


def find_pairs_in_cell(centers, radii, vectors, *, gap=0.0, others=None):
    """What `abut.find_pairs` must find in a cell of any shape, but for rounding.

    Every sphere is compared with every image of every other. Nothing is moved into the cell. There
    must be at least one sphere in each set.

    Parameters
    ----------
    centers, radii : (n, d) and (n,) array_like
    vectors : (d, d) array_like
        The cell's vectors; rows of zeros where nothing repeats.
    gap, others
        As the library's; a number for others' gaps is `gap`.

    Returns
    -------
    PairsInCell
        In the order of the library. It has also the pairs that rounding may have made near.
    """
    centers, radii, vectors = (np.array(given, float) for given in (centers, radii, vectors))
    one_set = others is None
    other_centers, other_radii, *other_gaps = (centers, radii, gap) if one_set else others
    reach = radii + np.asarray(gap) / 2
    other_reach = other_radii + np.asarray(other_gaps[0] if other_gaps else gap) / 2
    apart = centers[:, None] - np.asarray(other_centers, float)
    reaches = reach[:, None] + other_reach
    inverse = inverse_of(vectors)
    fractions = apart @ inverse
    # each pair begins at its own image, so that one range of images fits all
    begin = np.rint(fractions).astype(int)
    numbers = (np.arange(len(radii))[:, None], np.arange(len(other_radii)))
    found = []
    for image in images_in_cell(inverse, fractions - begin, reaches.max()):
        k = begin + image
        step = apart - k @ vectors
        lost = CELL_ROUNDING * (
            np.abs(apart).sum(axis=-1) + np.abs(centers).sum(axis=-1)[:, None]
            + (np.abs(k) @ np.abs(vectors)).sum(axis=-1) + reaches
        )  # fmt: skip
        rest = reaches - np.sqrt(squared(step))
        counts = rest >= -lost
        if one_set:
            first = np.take_along_axis(k, np.argmax(k != 0, axis=-1)[..., None], -1)[..., 0]
            counts &= (numbers[0] < numbers[1]) | ((numbers[0] == numbers[1]) & (first > 0))
        i, j = np.nonzero(counts)
        found.append((i, j, k[i, j], step[i, j], rest[i, j] > lost[i, j]))
    i, j, image, step, is_sure = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((*image.T[::-1], j, i))
    columns = pair_columns(i, j, step, image, centers, radii, np.asarray(other_radii, float))
    return PairsInCell(
        *(getattr(columns, name) for name in PairsInCell._fields[:-1]), is_sure[order]
    )
