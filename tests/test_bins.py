"""What the bins must not show in results: no contact lost or found twice, whatever is in them."""

import numpy as np
import pytest

import abut


def sliver_scene(seed):
    """A few small slivers far apart, and one that is in wider cells; spheres near its long edge."""
    rng = np.random.default_rng(seed)
    corners = []
    for _ in range(6 + seed % 3):
        corner = rng.uniform(0, 60, 3)
        corners += [corner, corner + [0, 0, 1.4], corner + [0.02, 0, 0.7]]
    origin = rng.uniform(20, 40, 3)
    ends = np.array([[1.2, 0, 0], [0, 0, 3.34], [0.61, 0, 1.69]])
    corners += list(origin + ends)
    mesh = abut.Mesh(corners, np.arange(len(corners)).reshape(-1, 3))
    along = rng.uniform(0, 1, (400, 1))
    centers = origin + ends[0] * (1 - along) + ends[1] * along
    return mesh, centers + rng.normal(size=(400, 3)) * 0.003


@pytest.mark.parametrize("resolution", ["all", "sharing"])
def test_facet_is_found_once(resolution):
    """Cells of a large facet do not share a bucket, however few there are."""
    for seed in range(40):
        mesh, centers = sliver_scene(seed)
        contacts = abut.find_contacts(centers, 0.02, mesh, resolution=resolution, keep_zero=True)
        pairs = contacts.sphere * len(mesh) + contacts.facet
        assert len(np.unique(pairs)) == len(pairs) > 0


@pytest.mark.parametrize("size", [1e-6, 1.0, 10.0, 1e6, 1e12])
def test_no_spheres(size):
    vertices = size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]])
    finder = abut.ContactFinder(abut.Mesh(vertices, [[0, 1, 2], [1, 3, 2]]))
    assert len(finder.find(np.zeros((0, 3)), np.zeros(0))) == 0
    assert finder.statistics().sets == 1
    assert len(finder.find(size * np.array([[0.2, 0.2, 0.1]]), size)) == 1


def test_no_facets_in_a_periodic_box():
    finder = abut.ContactFinder(abut.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)))
    assert len(finder.find([[0, 0, 0]], 1.0, period=(1.0, None, 2.0))) == 0


def test_candidates_are_counted_once():
    """Also where the queue of pairs was full and a sphere came again, whatever was asked before."""
    rng = np.random.default_rng(3)
    vertices = rng.uniform(0, 1, (900, 3))
    mesh = abut.Mesh(vertices, np.arange(900).reshape(-1, 3))
    centers = rng.uniform(0, 1, (300, 3))
    finder = abut.ContactFinder(mesh)
    finder.find(centers, 0.3)
    together = finder.statistics().candidates
    apart = 0
    for center in centers:
        finder.find(center[None], 0.3)
        apart += finder.statistics().candidates
    assert together == apart
    finder.find(centers[:1], 10.0)
    finder.find(centers, 0.3)
    assert finder.statistics().candidates == together
