"""Culling may be coarse but loses no contact: a million pairs are compared with exact distances.

A facet's distance has two bounds for facets of any thinness: the distance of any of its points, and
the distance of a plane with the whole facet behind it. Floats give both bounds for all pairs of a
scene; rational numbers decide the remaining pairs.
"""

from typing import NamedTuple

import numpy as np
import pytest

import abut
import reference
from rational import Rational

FACETS, SPHERES = 500, 500

# What rounding may do to the bounds, beside the numbers that they are computed from: some dozen
# operations.
ROUNDING = 32 * np.finfo(float).eps

ULP = np.finfo(float).eps


class Scene(NamedTuple):
    """Triangles that share no vertex, and spheres among them."""

    corners: np.ndarray  # (m, 3, 3)
    centers: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n,)


# ---- scenes --------------------------------------------------------------------------------------


def unit_vectors(rng, *shape):
    vectors = rng.normal(size=(*shape, 3))
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def triangles(rng, thinnest):
    """Triangles of about edge 1 in a cube of edge 4, as high as 1 to `thinnest`, in all shapes."""
    place, along = rng.uniform(-2, 2, (FACETS, 3)), unit_vectors(rng, FACETS)
    across = np.cross(along, unit_vectors(rng, FACETS))
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    length = rng.uniform(0.5, 1.5, (FACETS, 1))
    height = length * thinnest ** rng.uniform(0, 1, (FACETS, 1))
    # where the apex is: needles have it at an end of the long edge, caps above its middle
    share = rng.choice([0.0, 0.5, 1.0, 1.1], (FACETS, 1))
    apex = place + share * length * along + height * across
    corners = np.stack([place, place + length * along, apex], axis=1)
    flat = rng.random(FACETS) < 0.2
    corners[flat, :, 2] = np.round(corners[flat, :1, 2], 1)
    return corners


def points_on(rng, corners, count):
    """Points of random facets: inside, on an edge, at a corner."""
    weights = rng.dirichlet([0.5, 0.5, 0.5], count)
    weights[rng.random((count, 3)) < 0.3] = 0.0
    weights[weights.sum(axis=1) == 0.0] = 1.0
    weights /= weights.sum(axis=1, keepdims=True)
    return np.einsum("nk,nka->na", weights, corners[rng.integers(0, FACETS, count)])


def scene(seed, thinnest=1e-2, far=0.0, smallest=0.02, largest=0.3):
    rng = np.random.default_rng(seed)
    corners = triangles(rng, thinnest) + far
    radii = smallest * (largest / smallest) ** rng.random(SPHERES)
    off = unit_vectors(rng, SPHERES) * (radii * rng.uniform(0, 2, SPHERES))[:, None]
    return Scene(corners, points_on(rng, corners, SPHERES) + off, radii)


DEGREE = np.pi / 180

SCENES = {
    "plain": scene(1),
    "slivers": scene(2, thinnest=1e-5 * DEGREE),
    "slivers far off": scene(3, thinnest=1e-3 * DEGREE, far=np.array([3e5, -1e5, 2e5])),
    "far off": scene(4, far=np.array([1e9, 1e9, -1e9]), thinnest=0.1),
    "radii 1000:1": scene(5, thinnest=1e-3, smallest=1e-3, largest=1.0),
}


# ---- distances -----------------------------------------------------------------------------------


def nearest_of_segment(center, a, b):
    """The point of each segment that is closest, to within rounding."""
    edge = b - a
    part = ((center - a) * edge).sum(-1) / (edge * edge).sum(-1)
    return a + np.clip(part, 0.0, 1.0)[..., None] * edge


def nearest_of_plane(center, a, b, c):
    """A point of each triangle: the foot on its plane where that is inside, to within rounding."""
    normal = np.cross(b - a, c - a)
    scale = (normal * normal).sum(-1)
    v = (np.cross(center - a, c - a) * normal).sum(-1) / scale
    w = (np.cross(b - a, center - a) * normal).sum(-1) / scale
    v, w = np.clip(v, 0.0, 1.0), np.clip(w, 0.0, 1.0)
    beyond = np.maximum(1.0, v + w)[..., None]
    return a + (v[..., None] * (b - a) + w[..., None] * (c - a)) / beyond


def distance_bounds(centers, corners):
    """Lower and upper bounds (n, m) of all distances, with what rounding may do to them."""
    # differences of neighbors lose nothing far from the origin
    center = centers[:, None] - corners[None, :, 0]
    a, b, c = np.moveaxis(corners - corners[:, :1], 1, 0)
    feet = [nearest_of_segment(center, *edge) for edge in ((a, b), (b, c), (c, a))]
    away = center - np.stack([*feet, nearest_of_plane(center, a, b, c)])
    distance = np.linalg.norm(away, axis=-1)
    best = distance.argmin(axis=0)[None, ..., None]
    upper = distance.min(axis=0)
    direction = np.take_along_axis(away, best, 0)[0] / np.maximum(upper, 1e-300)[..., None]
    lower = np.min([((center - corner) * direction).sum(-1) for corner in (a, b, c)], axis=0)
    # edges are shorter than 2
    slack = ROUNDING * (np.linalg.norm(center, axis=-1) + 2.0)
    return lower - slack, upper + slack


def exact_distance_sq(the, sphere, facet):
    corners = [reference.exact(corner) for corner in the.corners[facet]]
    return reference.closest(corners, reference.exact(the.centers[sphere])).distance_sq


def find(the, radii, **options):
    """Whether each sphere touches each facet (n, m), by the library."""
    mesh = abut.Mesh(the.corners.reshape(-1, 3), np.arange(3 * FACETS).reshape(-1, 3))
    found = abut.find_contacts(the.centers, radii, mesh, resolution="all", **options)
    touches = np.zeros((len(the.centers), FACETS), bool)
    is_touching = found.overlap >= 0.0
    touches[found.sphere[is_touching], found.facet[is_touching]] = True
    assert touches.sum() == is_touching.sum(), "a facet is found twice"
    return touches


def assert_right(the, radii, touches):
    """No contact is lost and none is made up, but by the rounding of a distance."""
    lower, upper = distance_bounds(the.centers, the.corners)
    radius = radii[:, None]
    assert touches[upper <= radius].all()
    assert not touches[lower > radius].any()
    largest = max(np.abs(the.centers).max(), np.abs(the.corners).max())
    room = Rational(reference.ROUNDING_ULPS * ULP * largest)
    open_pairs = np.argwhere((lower <= radius) & (upper > radius))
    assert len(open_pairs) <= 4 * len(radii)
    for sphere, facet in open_pairs:
        distance_sq, exact = exact_distance_sq(the, sphere, facet), Rational(radii[sphere])
        if distance_sq <= max(exact - room, 0) ** 2:
            assert touches[sphere, facet]
        if distance_sq > (exact + room) ** 2:
            assert not touches[sphere, facet]


# ---- tests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCENES)
def test_no_contact_is_lost(name):
    """250,000 pairs a scene."""
    the = SCENES[name]
    touches = find(the, the.radii)
    assert touches.sum() > SPHERES // 2
    assert_right(the, the.radii, touches)


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", SCENES)
def test_radii_that_end_at_a_facet(name):
    """Every radius is a facet's distance to within some units in the last place."""
    the = SCENES[name]
    lower, upper = distance_bounds(the.centers, the.corners)
    facet = np.abs(lower + upper - 2 * the.radii[:, None]).argmin(axis=1)
    radii = ((lower + upper) / 2)[np.arange(SPHERES), facet]
    radii = np.maximum(radii, 1e-3) * (1 + ULP * np.random.default_rng(9).integers(-3, 4, SPHERES))
    touches = find(the, radii)
    assert_right(the, radii, touches)
    # contacts are the same to the bit with more candidates, in other bins
    for gap in (1e-6, 0.3, 3.0):
        np.testing.assert_array_equal(find(the, radii, gap=gap), touches)


@pytest.mark.parametrize("scale", [1.0, 2.0**-20, 2.0**30])
@pytest.mark.parametrize("far", [0.0, 2.0**20, -(2.0**40)])
def test_a_sphere_that_just_touches(scale, far):
    """Distances that are floats: inside, 3 : 4 : 5 beside an edge, 2 : 3 : 6 beside a corner."""
    rng = np.random.default_rng(3)
    shift = rng.integers(-64, 64, (SPHERES, 3)) / 16 + far
    corners = np.array([[0, 0, 0], [0, 8, 0], [8, 0, 0]]) + 0.0
    off = np.array([[1, 1, 5], [-3, 4, 4], [2, -3, 4], [-2, -3, 6], [-6, -2, -3]]) / 8
    radii = np.array([5, 5, 5, 7, 7]) / 8
    kind = rng.integers(0, len(off), SPHERES)
    centers, radii = scale * (off[kind] + shift), scale * radii[kind]
    vertices = (scale * (corners + shift[:, None])).reshape(-1, 3)
    mesh = abut.Mesh(vertices, np.arange(3 * SPHERES).reshape(-1, 3))
    for radius, expected in ((radii, True), (np.nextafter(radii, 0), False)):
        found = abut.find_contacts(centers, radius, mesh, resolution="all")
        own = np.zeros(SPHERES, bool)
        own[found.sphere[found.sphere == found.facet]] = True
        np.testing.assert_array_equal(own, expected)
