"""The statistics of a finder's last query and of its bins."""

import math

import numpy as np
import pytest

import abut
import scenes
from abut.search.statistics import Statistics


@pytest.fixture(scope="module")
def mesh():
    return abut.Mesh(*scenes.unit_cube())


@pytest.fixture(scope="module")
def spheres():
    rng = np.random.default_rng(5)
    return rng.uniform(-0.5, 1.5, (3000, 3)), rng.uniform(0.1, 0.5, 3000)


@pytest.mark.parametrize("resolution", ["hierarchy", "sharing", "all"])
@pytest.mark.parametrize("workers", [1, 2])
def test_counts_of_a_query(mesh, spheres, resolution, workers):
    finder = abut.ContactFinder([mesh, mesh.scaled(2)])
    contacts = finder.find(*spheres, resolution=resolution, workers=workers)
    touching = len(finder.find(*spheres, resolution="all"))
    finder.find(*spheres, resolution=resolution, workers=workers)
    found = finder.statistics()
    assert (found.spheres, found.touching, found.contacts) == (3000, touching, len(contacts))
    # two triangles of each square
    assert found.candidates >= found.touching and found.tests >= found.touching
    assert found.tests <= 2 * found.candidates
    assert found.facets == 12


def test_counts_are_of_the_last_query(mesh, spheres):
    finder = abut.ContactFinder(mesh)
    finder.find(*spheres)
    many = finder.statistics()
    finder.find([[9, 9, 9]], 0.1)
    few = finder.statistics()
    assert (few.spheres, few.touching, few.contacts) == (1, 0, 0)
    assert few.candidates < many.candidates and few.entries >= many.entries
    finder.find(*spheres)
    assert finder.statistics().candidates == many.candidates
    with pytest.raises(ValueError, match="radii"):
        finder.find(spheres[0], -1.0)
    assert finder.statistics().contacts == many.contacts


@pytest.mark.parametrize("resolution", ["hierarchy", "all"])
def test_a_few_giants_make_no_work_for_small_spheres(resolution):
    """Giants are so few that no sample of the radii has one."""
    rng, count = np.random.default_rng(1), 20_000
    floor = abut.examples.rough_plane(60, 1e-4, seed=2)
    small = np.column_stack([rng.uniform(0.1, 0.9, (count, 2)), rng.uniform(0, 0.01, count)])
    giants = np.array([[0.4, 0.5, 0.3], [0.5, 0.6, 0.3], [0.6, 0.4, 0.3]])
    places = [7, 1007, 12_007]
    finder = abut.ContactFinder(floor)

    def work(centers, radii):
        finder.find(centers, radii, resolution=resolution)
        return finder.statistics().candidates

    centers = np.insert(small, places, giants, axis=0)
    radii = np.insert(np.full(count, 0.01), places, 0.5)
    assert (radii == 0.5).sum() == 3 and (radii[:: len(radii) // 2048 + 1] < 0.1).all()
    apart = work(small, 0.01) + work(giants, 0.5)
    assert work(centers, radii) < 2 * apart


def test_what_the_bins_hold(mesh, spheres):
    finder = abut.ContactFinder(mesh)
    finder.find(spheres[0], 0.2)
    first = finder.statistics()
    assert first.sets >= 1 and 0 < first.occupied <= first.cells
    assert first.entries >= first.occupied and first.bytes > 4 * first.entries
    finder.find(spheres[0], 3.0)
    assert finder.statistics().sets > first.sets


def test_ratios_and_repr():
    found = Statistics(10, 120, 30, 24, 12, 1, 64, 20, 90, 4096, 30)
    assert found.candidates_per_sphere == 12
    assert found.tests_per_touching == 1.25
    assert found.entries_per_facet == 3
    assert "candidates 120 : tests 30 : touching 24 : contacts 12" in repr(found)
    assert "1 set of bins, 20 of 64 cells occupied, 90 entries of 30 facets" in repr(found)
    with pytest.raises(AttributeError):
        found.tests = 1
    assert math.isnan(Statistics(*[0] * 11).entries_per_facet)
