"""Spheres in no order, which are searched by place, get the rows of those that are in order."""

import numpy as np
import pytest

import abut
import scenes

pytestmark = pytest.mark.native

# Enough spheres that the cost model sorts them: see csrc/walls/search_order.c.
SIDE = 96
SPHERE_COUNT = 20_000

COLUMNS = ["facet", "type", "feature", "point", "normal", "overlap", "share", "mesh", "image"]


def sheet(rng):
    """A rough sheet over the unit square: 2 x SIDE x SIDE triangles."""
    return scenes.sheet(SIDE, rng.uniform(0.0, 0.2 / SIDE, (SIDE + 1, SIDE + 1)))


@pytest.fixture(scope="module")
def scene():
    """A sheet, spheres at it row by row, and a permutation of them."""
    rng = np.random.default_rng(7)
    mesh = abut.Mesh(*sheet(rng))
    radii = rng.uniform(0.2, 0.6, SPHERE_COUNT) / SIDE
    centers = rng.uniform(0.0, 1.0, (SPHERE_COUNT, 3)) * [1.0, 1.0, 1.0 / SIDE]
    cells = np.floor(centers * 16).astype(int)
    order = np.lexsort((cells[:, 0], cells[:, 1]))
    return mesh, centers[order], radii[order], rng.permutation(SPHERE_COUNT)


def rows_of(contacts, spheres):
    """The rows of spheres, one sphere after the other."""
    return np.concatenate([np.arange(*contacts.offsets[i : i + 2]) for i in spheres])


def check_rows(found, expected, permutation):
    rows = rows_of(expected, permutation)
    assert len(found) == len(rows) > SPHERE_COUNT / 4
    counts = np.diff(expected.offsets)[permutation]
    np.testing.assert_array_equal(np.diff(found.offsets), counts)
    np.testing.assert_array_equal(found.sphere, np.repeat(np.arange(SPHERE_COUNT), counts))
    for column in COLUMNS:
        assert getattr(found, column).tobytes() == getattr(expected, column)[rows].tobytes(), column
    bounds = zip(expected.node_offsets[rows], expected.node_offsets[rows + 1], strict=True)
    nodes = np.concatenate([np.arange(*pair) for pair in bounds])
    np.testing.assert_array_equal(found.node, expected.node[nodes])
    assert found.weight.tobytes() == expected.weight[nodes].tobytes()


TILTED = np.array([[1, 0, 0, 0.1], [0, 0.8, -0.6, 0.2], [0, 0.6, 0.8, -0.1], [0, 0, 0, 1.0]])


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"resolution": "all", "gap": 0.1 / SIDE},
        {"resolution": "sharing"},
        {"poses": [np.eye(4), TILTED], "flat_angle": 0.1},
        {"poses": [np.eye(4), TILTED], "period": (1.0, 0.9, None)},
    ],
    ids=["hierarchy", "all", "sharing", "poses", "period"],
)
def test_rows_do_not_depend_on_the_order(scene, options, workers):
    mesh, centers, radii, permutation = scene
    finder = abut.ContactFinder([mesh] * len(options.get("poses", [None])))
    expected = finder.find(centers, radii, **options)
    found = finder.find(centers[permutation], radii[permutation], workers=workers, **options)
    check_rows(found, expected, permutation)


def test_a_finder_may_be_asked_in_any_order(scene):
    mesh, centers, radii, permutation = scene
    finder = abut.ContactFinder(mesh)
    expected = finder.find(centers, radii)
    for _ in range(2):
        check_rows(finder.find(centers[permutation], radii[permutation]), expected, permutation)
        assert finder.find(centers, radii).point.tobytes() == expected.point.tobytes()
    few = finder.find(centers[:100], radii[:100])
    assert few.point.tobytes() == expected.point[: len(few)].tobytes()


def test_errors_name_the_callers_sphere(scene):
    mesh, centers, radii, permutation = scene
    centers = centers[permutation]
    centers[12_345, 2] = np.nan
    with pytest.raises(ValueError, match=r"12345"):
        abut.find_contacts(centers, radii[permutation], mesh)
