"""Memory stays bounded by the input, whatever the scene.

Each scene is written to a file that a child process reads and queries; what the query took is the
difference of the child's peak resident memory after and before it. The bound is a number of bytes
for each byte of the mesh, the spheres and the contacts, and a few megabytes for what any query
touches (thread stacks, scratch). Beside these scenes stands what must not change in them.
"""

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import abut
import scenes

PEAK = Path(__file__).with_name("peak.py")

# The bound: what may be taken for each byte of input and output, and in any case.
BYTES_PER_BYTE = 8
BYTES_ANYWAY = 16 * 2**20

MILLIMETER = 1e-3


# ---- scenes --------------------------------------------------------------------------------------


@cache
def ground():
    """A rough ground of 20,000 triangles of a millimeter, as many spheres of a millimeter."""
    cells = 100
    rng = np.random.default_rng(1)
    flat, facets = scenes.triangles(rng, cells)
    height = rng.normal(size=len(flat)) / 4
    vertices = MILLIMETER * np.column_stack([cells * flat, height])
    spheres = scenes.spheres_near(rng, vertices, facets, 20_000, MILLIMETER)
    return scenes.Scene(vertices, facets, *spheres)


def with_facet(scene, corners):
    """A scene with one facet more, the last."""
    first = len(scene.vertices)
    vertices = np.concatenate([scene.vertices, corners])
    facets = [*scene.facets, [first + k for k in range(len(corners))]]
    return scene._replace(vertices=vertices, facets=facets)


def far_vertex():
    """One vertex at 1e9 among facets of a millimeter."""
    return with_facet(ground(), [[0.05, 0.05, 0.0], [0.051, 0.05, 0.0], [0.05, 0.05, 1e9]])


def large_facet():
    """One facet 10^6 times larger than the rest, just below them."""
    return with_facet(ground(), [[-500, -500, -0.0007], [500, -500, -0.0007], [0, 500, -0.0007]])


def radii_of_all_sizes():
    """Spheres of 0.1 mm to 10 cm, the largest of them as large as the ground."""
    scene = ground()
    rng = np.random.default_rng(2)
    large = scenes.spheres_near(rng, scene.vertices, scene.facets, 50, 100 * MILLIMETER)
    radii = np.full(len(scene.radii), 0.1 * MILLIMETER)
    small = scene.centers * [1, 1, 0.1]
    return scene._replace(
        centers=np.concatenate([small, large[0]]), radii=np.concatenate([radii, large[1]])
    )


def one_spot():
    """10^5 spheres at one point of the ground, above a vertex."""
    scene = ground()
    center = scene.vertices[5050] + [0, 0, 0.5 * MILLIMETER]
    return scene._replace(centers=np.tile(center, (100_000, 1)), radii=np.full(100_000, MILLIMETER))


def star():
    """10,000 facets that meet at one vertex, under one sphere."""
    angles = np.linspace(0, 2 * np.pi, 10_000, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.full(10_000, -0.25)])
    facets = [[0, 1 + k, 1 + (k + 1) % 10_000] for k in range(10_000)]
    vertices = np.concatenate([[[0, 0, 0]], ring])
    return scenes.Scene(vertices, facets, np.array([[0, 0, 0.5]]), np.array([0.75]))


def slivers():
    """60,000 triangles across a unit cube, 5,000 times as long as wide, and spheres of 3 mm."""
    rng = np.random.default_rng(3)
    corner, along = rng.uniform(0, 1, (60_000, 3)), rng.normal(size=(60_000, 3))
    along *= 0.5 / np.linalg.norm(along, axis=1, keepdims=True)
    third = corner + along / 2 + rng.normal(scale=1e-4, size=corner.shape)
    vertices = np.stack([corner, corner + along, third], 1).reshape(-1, 3)
    facets = np.arange(len(vertices)).reshape(-1, 3)
    return scenes.Scene(vertices, facets, rng.uniform(0, 1, (20_000, 3)), np.full(20_000, 0.003))


SCENES = {
    scene.__name__: scene
    for scene in (ground, far_vertex, large_facet, radii_of_all_sizes, one_spot, star, slivers)
}


def find(scene, **options):
    mesh = abut.Mesh(scene.vertices, scenes.flat_lists(scene.facets))
    return abut.find_contacts(scene.centers, scene.radii, mesh, workers=2, **options)


def write(scene, path):
    indices, offsets = scenes.flat_lists(scene.facets)
    np.savez(
        path,
        vertices=scene.vertices,
        indices=indices,
        offsets=offsets,
        centers=scene.centers,
        radii=scene.radii,
    )


# ---- peaks ---------------------------------------------------------------------------------------


def assert_bounded(path, question):
    """Check the memory of a query (a resolution, or "pairs") of a scene's file in a child."""
    command = [sys.executable, PEAK, path, question]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    before, after, taken, given = map(int, done.stdout.split())
    assert given > 0
    assert after - before <= BYTES_PER_BYTE * (taken + given) + BYTES_ANYWAY


@pytest.mark.cases(5)
@pytest.mark.parametrize("resolution", ["hierarchy", "all"])
@pytest.mark.parametrize("name", SCENES)
def test_memory(name, resolution, tmp_path):
    write(SCENES[name](), tmp_path / "scene.npz")
    assert_bounded(tmp_path / "scene.npz", resolution)


# ---- pairs --------------------------------------------------------------------------------------


def thin(rng, count):
    return rng.random((count, 3)) * [count, 1, 1], np.full(count, 0.4)


def clusters(rng, count):
    middles = rng.normal(size=(20, 3)) * 1e6
    spread = (count / 20) ** (1 / 3)
    places = middles[rng.integers(20, size=count)] + spread * rng.random((count, 3))
    return places, np.full(count, 0.4)


def far_sphere(rng, count):
    centers = count ** (1 / 3) * rng.random((count, 3))
    centers[0] = 1e9
    return centers, np.full(count, 0.4)


def one_huge(rng, count):
    """Spheres next to one that is 10^6 times as large."""
    centers = count ** (1 / 3) * rng.random((count, 3))
    radii = np.full(count, 0.4)
    centers[0], radii[0] = (-4e5, 0, 0), 4e5
    return centers, radii


@pytest.mark.cases(3)
@pytest.mark.parametrize("scene", [thin, clusters, far_sphere, one_huge])
@pytest.mark.parametrize("periodic", [False, True])
def test_memory_of_pairs_is_bounded_by_input_and_output(scene, periodic, tmp_path):
    centers, radii = scene(np.random.default_rng(7), 200_000)
    period = np.ptp(centers, axis=0) + 2 * radii.max() if periodic else np.zeros(0)
    np.savez(tmp_path / "scene.npz", centers=centers, radii=radii, period=period)
    assert_bounded(tmp_path / "scene.npz", "pairs")


# ---- bins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCENES)
def test_bins_are_bounded_by_the_facets(name):
    """Bytes an entry and a cell, and of these no more a facet, whatever the scene."""
    scene = SCENES[name]()
    finder = abut.ContactFinder(abut.Mesh(scene.vertices, scene.facets))
    finder.find(scene.centers, scene.radii)
    held = finder.statistics()
    facets = held.sets * len(scene.facets)
    assert held.bytes <= 24 * held.entries + 8 * held.cells + 8192 * held.sets
    assert held.entries <= 27 * facets
    assert held.cells <= 32 * facets + 2048 * held.sets


# ---- what must not change ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["far_vertex", "large_facet"])
def test_spheres_that_do_not_touch_the_odd_facet_have_the_same_contacts(name):
    plain, odd = find(ground()), find(SCENES[name]())
    every = find(SCENES[name](), resolution="all")
    beside = np.ones(len(plain.counts), bool)
    beside[every.sphere[every.facet == every.facet.max()]] = False
    assert beside.sum() > 1000
    assert every.facet.max() == len(ground().facets)
    expected, found = plain[beside[plain.sphere]], odd[beside[odd.sphere]]
    for column in ("sphere", "facet", "type", "point", "normal", "overlap", "node", "weight"):
        np.testing.assert_array_equal(getattr(found, column), getattr(expected, column))


def test_radii_of_all_sizes_give_what_each_size_gives():
    scene = radii_of_all_sizes()
    together = find(scene)
    for radius in np.unique(scene.radii):
        own = scene.radii == radius
        alone = find(scene._replace(centers=scene.centers[own], radii=scene.radii[own]))
        rows = own[together.sphere]
        for column in ("facet", "type", "point", "normal", "overlap"):
            np.testing.assert_array_equal(
                getattr(alone, column), getattr(together, column)[rows], column
            )


def test_spheres_at_one_spot_have_the_same_contacts():
    contacts = find(one_spot())
    assert np.unique(contacts.counts).tolist() == [contacts.counts[0]]
    assert contacts.counts[0] >= 1
    points = contacts.point.reshape(100_000, -1)
    np.testing.assert_array_equal(points, np.tile(points[0], (100_000, 1)))


def test_star_touches_in_every_facet_and_has_one_contact():
    every = find(star(), resolution="all")
    assert sorted(every.facet) == list(range(10_000))
    assert set(every.type) == {abut.VERTEX}
    contact = find(star())
    assert contact.point.tolist() == [[0, 0, 0]]
    assert contact.overlap.tolist() == [0.25]
