"""With any mesh of a surface, a sphere on it has one contact with the surface's overlap.

The reference is the surface with unrounded vertices; `scenes.Fine` computes its distance. The
tolerance is twice the noise of the facet's coordinates, plus the rounding of a distance from the
center. The noise is a unit in the last place of the largest coordinate in the stored precision.
"""

import itertools
import warnings

import numpy as np
import pytest

import abut
import scenes

# Spheres on each of the meshes; there are 600 flat ones, so this makes 10^5 spheres in all.
SPHERES = 170

# Facets from far smaller than a sphere to far larger, in radii.
SIZES = [0.03, 0.3, 1.0, 10.0, 1e4]

TURNS = ["none", "in plane", "in space"]

PLACES = list(itertools.product(TURNS, [0, 1000], [np.float64, np.float32]))


@pytest.fixture(params=[1, pytest.param(20, marks=pytest.mark.long)], ids=["short", "long"])
def spheres(request):
    """How many spheres a mesh gets."""
    return SPHERES * request.param


def build(vertices, facets, dtype):
    """A mesh; what float32 makes of slivers and tiny facets is split or dropped if need be."""
    if dtype is np.float64:
        return abut.Mesh(vertices, scenes.flat_lists(facets))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.MeshWarning)
        return abut.Mesh(vertices, scenes.flat_lists(facets), split=True, on_degenerate="drop")


def overlaps(rng, count, radius, ulps):
    """Overlaps from a little more than noise to nearly the radius, all magnitudes alike."""
    least = 8 * (ulps.max() + np.spacing(radius)) / (0.9 * radius)
    return 0.9 * radius * least ** rng.random(count)


def feet(rng, flat, facets, count, radius):
    """Points in the middle of a flat mesh: anywhere, near vertices, exactly on them, on edges."""
    low, high = 0.3 * flat.max(), 0.7 * flat.max()
    inside = np.flatnonzero(np.all((flat > low) & (flat < high), axis=1))
    anywhere = rng.uniform(low, high, (count, 2))
    on = flat[rng.choice(inside, count)] if len(inside) else anywhere
    near = on + rng.normal(size=on.shape) * radius * 10 ** rng.uniform(-9, 0, (count, 1))
    edges = [facets[k][:2] for k in rng.integers(len(facets), size=count)]
    a, b = flat[np.transpose(edges)]
    edge = a + rng.random((count, 1)) * (b - a)
    kind = rng.integers(4, size=(count, 1))
    return np.clip(np.choose(kind, [anywhere, on, near, edge]), low, high)


def assert_one_contact_each(mesh, ulps, centers, radius, distances):
    """Check that each sphere has one contact with the surface's overlap, up to twice the noise."""
    contacts = abut.find_contacts(centers, np.full(len(centers), radius), mesh)
    np.testing.assert_array_equal(contacts.counts, 1)
    expected = np.asarray(radius - distances, float)
    rounding = np.spacing(np.maximum(np.abs(centers).max(axis=1), radius))
    limit = 2 * ulps[mesh.source[contacts.facet]] + 4 * rounding
    assert np.all(np.abs(contacts.overlap - expected) <= limit)


@pytest.mark.parametrize("slope", [1.0, 3.0, 12.0, 45.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_ramp_beside_a_large_floor_stays(dtype, slope):
    """A floor along the axes is off in its plane only: its noise hides no wall beside it."""
    far, angle = 1e4, np.deg2rad(slope)
    floor = [[-far, -far, 0], [0, -far, 0], [0, far, 0], [-far, far, 0]]
    ramp = [[np.cos(angle), -1, np.sin(angle)], [np.cos(angle), 1, np.sin(angle)]]
    foot = [[0, -1, 0], [0, 1, 0]]
    vertices = scenes.rounded(np.array(floor + foot + ramp), dtype)
    mesh = abut.Mesh(vertices, [[0, 1, 2, 3], [4, 6, 7, 5]])
    # above both, and nearer to the floor
    center = [-1.2 * np.tan(angle / 2), 0.1, 1.0]
    contacts = abut.find_contacts([center], [1.5], mesh)
    assert contacts.facet.tolist() == [0, 1]
    assert contacts.type.tolist() == [abut.FACET, abut.FACET]


@pytest.mark.cases(25)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", scenes.FLAT_MESHES)
def test_plane(kind, size, spheres):
    rng = np.random.default_rng([len(kind), ord(kind[0]), int(100 * size)])
    cells = max(5, int(np.ceil(3 / size)))
    square, facets = scenes.FLAT_MESHES[kind](rng, cells)
    for turn, shift, dtype in PLACES:
        radius = 10 ** rng.uniform(-3, 1)
        flat = square * cells * size * radius
        frame = scenes.frame(rng, turn=turn, shift=shift * radius)
        vertices = scenes.rounded(frame.place(flat), dtype)
        ulps = scenes.facet_ulps(vertices, facets, dtype)
        height = radius - overlaps(rng, spheres, radius, ulps)
        height *= rng.choice([-1, 1], spheres)
        points = np.column_stack([feet(rng, flat, facets, spheres, radius), height])
        centers = scenes.rounded(frame.place(points), float)
        distances = np.abs(frame.locate(centers)[:, 2])
        mesh = build(vertices, facets, dtype)
        assert_one_contact_each(mesh, ulps, centers, radius, distances)


def around(rng, strips, count, height):
    """Points at a height above a prism of radius 1 and length 6, often above one of its ridges."""
    angle = rng.integers(strips, size=count) + rng.choice([0, 1], count) * rng.random(count)
    angle = angle * (2 * np.pi / strips)
    return np.column_stack(
        [
            (1 + height) * np.cos(angle),
            (1 + height) * np.sin(angle),
            rng.uniform(-1, 1, count),
        ]
    )


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("cuts", [(1, 1), (1, 60), (5, 9)], ids=["coarse", "rings", "fine"])
@pytest.mark.parametrize("strips", [5, 12, 48])
def test_outside_of_a_cylinder(strips, cuts, size, spheres):
    """A cylinder of plane strips; its radius is `size` times the spheres'."""
    rng = np.random.default_rng([strips, *cuts, int(10 * size)])
    unit, facets = scenes.cylinder(rng, strips, cuts[0], 6, cuts[1])
    for turn, shift, dtype in PLACES:
        radius = 10 ** rng.uniform(-3, 1)
        scale = size * radius
        frame = scenes.frame(rng, turn=turn, shift=shift * radius)
        vertices = scenes.rounded(frame.place(unit * scale), dtype)
        ulps = scenes.facet_ulps(vertices, facets, dtype)
        height = (radius - overlaps(rng, spheres, radius, ulps)) / scale
        points = around(rng, strips, spheres, height) * scale
        centers = scenes.rounded(frame.place(points), float)
        distances = scenes.ring_distance(strips, frame.locate(centers)[:, :2] / scale) * scale
        touching = distances < radius - 4 * (ulps.max() + np.spacing(radius))
        mesh = build(vertices, facets, dtype)
        assert_one_contact_each(mesh, ulps, centers[touching], radius, distances[touching])
