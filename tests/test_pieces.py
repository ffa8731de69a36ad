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
    for _ in range(3):
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


# ---- prepared at once ----------------------------------------------------------------------------


def prepared(meshes, reach):
    finder = abut.ContactFinder(meshes)
    finder.prepare(reach)
    return finder


@pytest.mark.cases(2)
@pytest.mark.parametrize("gap", [0.0, 0.15])
@pytest.mark.parametrize("radius", [1e-6, 0.2, 3.0, 100.0])
def test_no_query_builds_bins_after_prepare(radius, gap):
    meshes = [abut.Mesh(*fan(40, 10.0)), abut.Mesh(*staircase(6))]
    finder = prepared(meshes, radius + gap)
    there = finder.statistics()
    assert there.sets == 2
    # the largest touch all facets
    centers, _ = spheres_near(meshes[0], 20_000 if radius < 100 else 2_000, radius)
    plain = abut.ContactFinder(meshes)
    for resolution in RESOLUTIONS:
        options = {"gap": gap, "resolution": resolution}
        assert finder.find(centers, radius, **options) == plain.find(centers, radius, **options)
    assert not query_until_fine(finder, radius)
    finder.prepare(radius + gap)
    after = finder.statistics()
    assert (after.sets, after.bytes) == (there.sets, there.bytes)


def test_the_prepared_bins_are_those_that_many_spheres_get():
    mesh = abut.Mesh(*fan(40, 10.0))
    finder = abut.ContactFinder(mesh)
    finder.find([[0, 0, 0.1]], 0.2)
    coarse = finder.statistics()
    assert query_until_fine(finder, 0.2)
    fine, ready = finder.statistics(), prepared(mesh, 0.2).statistics()
    assert ready.entries == fine.entries - coarse.entries > 0
    assert ready.bytes == fine.bytes - coarse.bytes
    # what is there already is used from then on
    finder = abut.ContactFinder(mesh)
    finder.find([[0, 0, 0.1]], 0.2)
    finder.prepare(0.2)
    assert finder.statistics().sets == 2


def test_prepare_without_facets():
    finder = prepared(abut.Mesh(np.empty((0, 3)), np.empty((0, 3), int)), 1.0)
    sets = finder.statistics().sets
    assert len(finder.find([[0, 0, 0]], 1.0)) == 0 and finder.statistics().sets == sets


@pytest.mark.parametrize(
    ("reach", "error", "message"),
    [
        (0, ValueError, "reach is 0; it must be positive and at most 2e75"),
        (-1.5, ValueError, r"reach is -1.5; it must be"),
        (np.nan, ValueError, "reach is nan"),
        (np.inf, ValueError, "reach is inf"),
        (3e75, ValueError, r"reach is 3e\+75"),
        ([0.5, 0.6], ValueError, r"reach has shape \(2,\), but must be one number"),
        ("wide", TypeError, "reach is 'wide', but must be real numbers"),
        (None, TypeError, "reach is None"),
        (True, TypeError, "reach has dtype bool"),
    ],
)
def test_prepare_refuses(reach, error, message):
    finder = abut.ContactFinder(abut.Mesh(*staircase(2)))
    with pytest.raises(error, match=message):
        finder.prepare(reach)
    assert finder.statistics().sets == 0
