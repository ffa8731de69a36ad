"""The order of facets, corners, spheres and threads does not change a contact."""

import itertools

import numpy as np
import pytest
from hypothesis import given

import abut
import scenes

pytestmark = pytest.mark.native

COLUMNS = ("sphere", "facet", "type", "feature", "point", "normal", "overlap", "offsets")
NODE_COLUMNS = ("node", "weight", "node_offsets")

# What no order may change, to the bit.
ORDERLESS = ("sphere", "type", "point", "normal", "overlap", "offsets")


def rows_with_points(contacts, facets):
    """Each contact's sphere, facet and point, to the bit."""
    points = [point.tobytes() for point in contacts.point]
    return list(zip(contacts.sphere.tolist(), facets.tolist(), points, strict=True))


def assert_same_contacts(scene, again, order, **options):
    """The contacts of a scene, and of one whose facet k is its facet order[k], are the same."""
    mesh = abut.Mesh(scene.vertices, scenes.flat_lists(scene.facets))
    other = abut.Mesh(again.vertices, scenes.flat_lists(again.facets))
    expected = abut.find_contacts(scene.centers, scene.radii, mesh, **options)
    found = abut.find_contacts(again.centers, again.radii, other, **options)
    scenes.assert_same_bits(found, expected, ORDERLESS)
    facets = order[found.facet]
    mapped = facets == expected.facet
    apart = abs(found.weight_matrix() - expected.weight_matrix())[mapped]
    assert apart.nnz == 0 or apart.max() <= 1e-14
    ulps = np.spacing(np.abs(scene.vertices).max())
    moved = (found.weight_matrix() - expected.weight_matrix()) @ scene.vertices
    size = np.ptp(scene.vertices, axis=0).max()
    assert np.all(np.abs(moved) <= 1e-12 * size + 8 * ulps)
    every = abut.find_contacts(scene.centers, scene.radii, mesh, resolution="all")
    assert set(rows_with_points(found, facets)) <= set(rows_with_points(every, every.facet))
    return len(found)


def assert_orderless(rng, scene, **options):
    facets, order = scenes.shuffled(rng, scene.facets)
    return assert_same_contacts(scene, scene._replace(facets=facets), order, **options)


def lattice_scene(rng, spacing, part):
    """A lattice's corner of three walls, some facets twice; spheres of its own symmetry."""
    cells = 3
    mesh = scenes.duplicated(rng, scenes.lattice(rng, cells, spacing, part))
    return scenes.Scene(*mesh, *scenes.lattice_spheres(cells, spacing))


@pytest.mark.parametrize("resolution", ["hierarchy", "all"])
@pytest.mark.parametrize("part", [0, 0.5, 1], ids=["quads", "mixed", "triangles"])
@pytest.mark.parametrize("spacing", [1.0, 0.1])
def test_facets_of_a_lattice(spacing, part, resolution):
    rng = np.random.default_rng([int(10 * part), int(10 * spacing)])
    for _ in range(5):
        scene = lattice_scene(rng, spacing, part)
        assert assert_orderless(rng, scene, resolution=resolution) > len(scene.centers) / 2


@given(scenes.scenes())
def test_facets_of_random_scenes(scene):
    rng = np.random.default_rng(len(scene.facets))
    for _ in range(3):
        assert_orderless(rng, scene)
        assert_orderless(rng, scene, resolution="all")


@pytest.mark.parametrize("kind", scenes.FLAT_MESHES)
@pytest.mark.parametrize("turn", ["none", "in space"])
def test_facets_of_a_plane(kind, turn):
    rng = np.random.default_rng([len(kind), len(turn)])
    flat, facets = scenes.FLAT_MESHES[kind](rng, 8)
    frame = scenes.frame(rng, turn=turn, shift=100)
    vertices = scenes.rounded(frame.place(flat * 8), float)
    spheres = scenes.spheres_near(rng, vertices, facets, 200, 1.5)
    scene = scenes.Scene(vertices, facets, *spheres)
    assert assert_orderless(rng, scene) >= 150
    assert assert_orderless(rng, scene, flat_angle=0.1) >= 150


@pytest.mark.parametrize("name", ["drum.stl", "casing.stl", "hourglass.obj", "vessel.obj"])
def test_facets_of_real_meshes(cad_meshes, name):
    rng = np.random.default_rng(len(name))
    mesh = abut.read_mesh(cad_meshes / name)
    facets = np.split(mesh.indices, mesh.offsets[1:-1])
    facets = [facet.tolist() for facet in facets]
    radius = 0.005 * np.ptp(mesh.bounds, axis=0).max()
    spheres = scenes.spheres_near(rng, mesh.vertices, facets, 2000, radius)
    assert assert_orderless(rng, scenes.Scene(mesh.vertices, facets, *spheres)) > 1000


def test_facets_that_share_an_edge_share_its_contact():
    """Both compute it from the same end, so that their points are equal to the bit."""
    rng, shared = np.random.default_rng(6), 0
    for _ in range(200):
        a, b, c, d = rng.normal(size=(4, 3))
        mesh = abut.Mesh([a, b, c, d], [[0, 1, 2], [1, 0, 3]])
        # on the outer side of the ridge, where the edge is closest to it
        away = (a + b) / 2 - (c + d) / 2
        center = a + rng.random() * (b - a) + 0.1 * away / np.linalg.norm(away)
        contacts = abut.find_contacts([center], [10.0], mesh, resolution="all")
        if contacts.type.tolist() == [abut.EDGE, abut.EDGE] and not contacts.feature.any():
            shared += 1
            assert contacts.point[0].tobytes() == contacts.point[1].tobytes()
            assert contacts.overlap[0] == contacts.overlap[1]
            assert len(abut.find_contacts([center], [10.0], mesh)) == 1
    assert shared > 50


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_contacts_that_are_one_are_as_noisy_as_the_noisiest(order):
    """A floor twice, once with noise that explains the ramp beside it, once without."""
    vertices = [[-1, -1, 0], [0, -1, 0], [0, 1, 0], [-1, 1, 0], [1, -1, 0.02], [1, 1, 0.02]]
    facets = np.array([[0, 1, 2, 3], [1, 2, 3, 0], [1, 4, 5, 2]])[list(order)]
    sphere = [[-0.012, 0, 1.0]], [1.1]
    for noise, count in (([0, 0, 0], 2), ([0, 0.01, 0], 1), ([0.01, 0, 0], 1)):
        mesh = abut.Mesh(vertices, facets, noise=np.array(noise)[list(order)])
        assert len(abut.find_contacts(*sphere, mesh)) == count


def big_scene():
    """A rough surface under enough spheres for many chunks of work."""
    rng = np.random.default_rng(7)
    flat, facets = scenes.mixed(rng, 30)
    facets = scenes.split_quads(rng, facets, part=1)
    vertices = np.column_stack([30 * flat, rng.normal(size=len(flat)) / 3])
    return scenes.Scene(vertices, facets, *scenes.spheres_near(rng, vertices, facets, 20_000, 0.7))


def test_spheres():
    scene = big_scene()
    mesh = abut.Mesh(scene.vertices, scene.facets)
    expected = abut.find_contacts(scene.centers, scene.radii, mesh)
    order = np.random.default_rng(8).permutation(len(scene.centers))
    found = abut.find_contacts(scene.centers[order], scene.radii[order], mesh)
    np.testing.assert_array_equal(found.counts, expected.counts[order])
    starts = np.repeat(expected.offsets[order] - found.offsets[:-1], found.counts)
    rows = starts + np.arange(len(found))
    for name in COLUMNS[1:-1]:
        assert getattr(found, name).tobytes() == getattr(expected, name)[rows].tobytes(), name
    apart = abs(found.weight_matrix() - expected.weight_matrix()[rows])
    assert apart.max() == 0


@pytest.mark.parametrize("resolution", ["hierarchy", "all"])
def test_threads(resolution):
    scene = big_scene()
    mesh = abut.Mesh(scene.vertices, scene.facets)
    one, *more = (
        abut.find_contacts(scene.centers, scene.radii, mesh, resolution=resolution, workers=workers)
        for workers in (1, 2, 3)
    )
    assert len(one) > 20_000
    for contacts in more:
        scenes.assert_same_bits(contacts, one, COLUMNS + NODE_COLUMNS)


def test_a_sphere_alone_has_the_contacts_that_it_has_among_others():
    scene = big_scene()
    mesh = abut.Mesh(scene.vertices, scene.facets)
    together = abut.find_contacts(scene.centers, scene.radii, mesh)
    finder = abut.ContactFinder(mesh)
    for k in range(0, 20_000, 500):
        alone = finder.find(scene.centers[k : k + 1], scene.radii[k : k + 1])
        scenes.assert_same_bits(
            alone, together.of(k), ("facet", "type", "point", "normal", "overlap")
        )
        np.testing.assert_array_equal(alone.weight, together.of(k).weight)


def test_signs_of_zero_are_one():
    """A vertex that is written once with 0 and once with -0 is one point, whichever is named."""
    one = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    other = [[-0.0, -0.0, -0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]
    first = abut.Mesh(one + other, [[0, 1, 2], [3, 4, 5]])
    second = abut.Mesh(other + one, [[0, 1, 2], [3, 4, 5]])
    spheres = [[0.0, 0.0, 1.0], [-0.0, -0.0, 0.5]], [2.0, 2.0]
    found = [abut.find_contacts(*spheres, mesh) for mesh in (first, second)]
    scenes.assert_same_bits(*found, ORDERLESS)
    assert not np.signbit(found[0].point).any()


def groove(angle):
    """Two walls, symmetric about x = 0, that differ from flat by `angle`."""
    x, y = np.array([0.0, 0.3, 0.6, 0.9, 1.2]), np.array([-1.0, 0.5, 1.0])
    columns = np.repeat(x, len(y))
    wall = np.column_stack([columns, np.tile(y, len(x)), columns * np.tan(angle / 2)])
    corner = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).reshape(-1, 1)
    halves = np.array([[0, 1, len(y)], [1, len(y) + 1, len(y)]])
    facets = (corner[:, :, None] + halves).reshape(-1, 3)
    return np.concatenate([wall, wall * [-1, 1, 1]]), np.concatenate([facets, facets + len(wall)])


@pytest.mark.parametrize(("angle", "flat_angle"), [(0.25, 0.3), (5e-8, 0.0)])
def test_two_walls_that_are_as_near(angle, flat_angle):
    """Only the wall that comes first in the canonical order eliminates."""
    rng = np.random.default_rng(0)
    vertices, facets = groove(angle)
    heights = rng.uniform(0.3, 2.0, 2000)
    centers = np.column_stack([np.zeros(2000), rng.uniform(-0.9, 0.9, 2000), heights])
    found = []
    for seed in range(6):
        order = rng.permutation(len(facets)) if seed else np.arange(len(facets))
        mesh = abut.Mesh(vertices, facets[order])
        found.append(abut.find_contacts(centers, heights + 0.1, mesh, flat_angle=flat_angle))
    for contacts in found[1:]:
        assert np.array_equal(contacts.offsets, found[0].offsets)
        assert np.array_equal(contacts.normal, found[0].normal)
        assert np.array_equal(contacts.overlap, found[0].overlap)
