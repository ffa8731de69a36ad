"""Once many spheres have asked there are finer bins, with facets far larger than the spheres cut
into pieces: no result depends on it."""

import os
from pathlib import Path

import numpy as np
import pytest

import abut

RESOLUTIONS = ("hierarchy", "all", "sharing")


def fan(corners, radius):
    """Slivers around a hub, and a square floor of two triangles below them."""
    angles = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    rim = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), 0.1 * angles])
    square = radius * np.array([[-1, -1, -0.3], [1, -1, -0.3], [1, 1, -0.3], [-1, 1, -0.3]])
    hub = [[0.0, 0.0, 0.5]]
    k = np.arange(1, corners + 1)
    slivers = np.column_stack([np.zeros_like(k), k, np.roll(k, -1)])
    floor = corners + 1 + np.array([[0, 1, 2], [0, 2, 3]])
    return np.concatenate([hub, rim, square]), np.concatenate([slivers, floor])


def staircase(steps):
    """Large quadrilaterals: a polygon is cut, too."""
    x = np.repeat(np.arange(steps + 1.0), 2)[1:-1]
    z = np.repeat(np.arange(steps), 2).astype(float)
    profile = np.column_stack([x, np.zeros_like(x), z])
    vertices = np.concatenate([profile, profile + [0.0, 5.0, 0.0]])
    k = np.arange(len(profile) - 1)
    return vertices, np.column_stack([k, k + 1, k + 1 + len(profile), k + len(profile)])


def spheres_near(mesh, count, radius, seed=0):
    rng = np.random.default_rng(seed)
    low, high = mesh.bounds
    centers = rng.uniform(low - radius, high + radius, (count, 3))
    return centers, rng.uniform(0.3, 1.0, count) * radius


def query_until_fine(finder, radius):
    """Queries of many spheres, far from the mesh, until there is one set of bins more."""
    sets = finder.statistics().sets
    far = np.full((2_000_000, 3), 1e3)
    for _ in range(10):
        finder.find(far, radius)
        if finder.statistics().sets > sets:
            return True
    return False


def check_mesh(mesh, radius, count=20_000):
    centers, radii = spheres_near(mesh, count, radius)
    radii[0] = radius  # the same step of sets serves all queries
    whole = [abut.ContactFinder(mesh).find(centers, radii, resolution=r) for r in RESOLUTIONS]
    assert len(whole[1]) > 100
    finder = abut.ContactFinder(mesh)
    finder.find(centers[:1], radii[0])
    assert query_until_fine(finder, radius)
    for resolution, expected in zip(RESOLUTIONS, whole, strict=True):
        assert finder.find(centers, radii, resolution=resolution) == expected


@pytest.mark.parametrize("corners", [40, 400])
def test_slivers(corners):
    check_mesh(abut.Mesh(*fan(corners, 10.0)), 0.2)


def test_facets_as_small_as_spheres():
    check_mesh(abut.Mesh(*fan(60, 1.0)), 0.5)


def test_quadrilaterals():
    check_mesh(abut.Mesh(*staircase(6)), 0.15)


def test_far_from_the_origin():
    vertices, facets = fan(60, 10.0)
    check_mesh(abut.Mesh(vertices + 4096.0, facets), 0.25)


@pytest.mark.parametrize("name", ["vessel.obj", "hourglass.obj", "internal_mixer.obj"])
def test_real_meshes(name):
    folder = os.environ.get("ABUT_TEST_MESHES")
    if not folder:
        pytest.skip("ABUT_TEST_MESHES names no folder")
    mesh = abut.read_mesh(Path(folder) / name, on_degenerate="drop", split=True)
    size = np.ptp(mesh.bounds, axis=0).max()
    check_mesh(mesh, 0.005 * size, count=200_000)
