"""Bins must not affect results: no contact is lost or found twice, with any contents."""

import numpy as np
import pytest

import abut
import scenes


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


# ---- facets of very different sizes, and long ones -----------------------------------------------


def rough_sheet(rng, cells, edge):
    flat, facets = scenes.triangles(rng, cells)
    height = rng.normal(scale=0.1, size=len(flat))
    return edge * np.column_stack([cells * flat, height]), facets


def large_around_small(rng, ratio):
    """A sheet of 5,000 facets, and 500 that are `ratio` times as large, all around it."""
    sheet, facets = rough_sheet(rng, 50, 1.0)
    middle = rng.uniform(-2, 2, (500, 1, 3))
    large = ratio * (middle + rng.normal(scale=0.5, size=(500, 3, 3)))
    vertices = np.concatenate([sheet, large.reshape(-1, 3)])
    others = np.arange(len(sheet), len(vertices)).reshape(-1, 3)
    return vertices, np.concatenate([facets, others]), len(facets)


def part_on_a_plain(rng, ratio):
    """A plain, most of the facets, and over it a part of 5,000 that are far smaller."""
    part, facets = rough_sheet(rng, 50, 1.0)
    plain, others = rough_sheet(rng, 70, ratio)
    vertices = np.concatenate([part, plain - [35 * ratio, 35 * ratio, ratio]])
    return vertices, np.concatenate([facets, np.add(others, len(part))]), len(facets)


@pytest.mark.parametrize("ratio", [30, 1e3, 1e5])
@pytest.mark.parametrize("make", [large_around_small, part_on_a_plain])
def test_small_facets_beside_large_ones(make, ratio):
    """Spheres at the small ones are compared with those near them, as if there were no others."""
    rng = np.random.default_rng(1)
    vertices, facets, count = make(rng, ratio)
    spheres = scenes.spheres_near(rng, vertices, facets[:count], 1000, 1.0)
    alone, together = (
        abut.ContactFinder(abut.Mesh(vertices, part)) for part in (facets[:count], facets)
    )
    for finder in (alone, together):
        finder.find(*spheres)
    alone, together = alone.statistics(), together.statistics()
    assert together.touching >= alone.touching > 1000
    # the boxes of some large facets exclude few spheres
    assert together.candidates < 3 * alone.candidates + 1000 * 1000
    assert together.tests < 1.1 * alone.tests + 30 * 1000


def bed_of_tubes(rng, tubes, strips, length, sides):
    """Tubes side by side, not aligned with the axes, of strips in two triangles or in
    one piece; and each facet's tube."""
    angles = np.linspace(0, 2 * np.pi, strips, endpoint=False)
    ring = 0.08 * np.column_stack([np.cos(angles), np.sin(angles)])
    places = 0.2 * np.stack(np.divmod(np.arange(tubes), 10), -1)
    ends = [np.insert(places[:, None] + ring, 2, z, axis=-1) for z in (0, length)]
    vertices = np.concatenate(ends, axis=1).reshape(-1, 3) @ scenes.rotation(rng).T
    k, after = np.arange(strips), np.roll(np.arange(strips), -1)
    strip = np.column_stack([k, after, strips + after, strips + k])
    facets = strip if sides == 4 else np.concatenate([strip[:, [0, 1, 3]], strip[:, 1:]])
    first = 2 * strips * np.arange(tubes)
    all_facets = (first[:, None, None] + facets).reshape(-1, sides)
    return vertices, all_facets, np.repeat(np.arange(tubes), len(facets))


@pytest.mark.parametrize("sides", [3, 4])
def test_strips_hundreds_of_times_longer_than_wide(sides):
    rng = np.random.default_rng(2)
    vertices, facets, tube = bed_of_tubes(rng, 100, 48, 4.0, sides)
    mesh = abut.Mesh(vertices, facets)
    assert (mesh.areas < 0.05).all()
    spheres = scenes.spheres_near(rng, vertices, facets, 2000, 0.003)
    finder = abut.ContactFinder(mesh)
    found = finder.find(*spheres, resolution="all")
    work = finder.statistics()
    assert work.tests < 450 * work.touching > 450 * 2000
    assert work.candidates < 2000 * work.spheres
    assert work.entries <= 27 * len(mesh)
    # tubes alone are too few strips to be sliced
    for number in rng.integers(0, 100, 5):
        own = np.flatnonzero(tube == number)
        alone = abut.find_contacts(*spheres, abut.Mesh(vertices, facets[own]), resolution="all")
        rows = found[tube[found.facet] == number]
        assert len(alone) == len(rows) > 0
        for column in ("sphere", "type", "point", "overlap"):
            np.testing.assert_array_equal(getattr(alone, column), getattr(rows, column))
        np.testing.assert_array_equal(own[alone.facet], rows.facet)
