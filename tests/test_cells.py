"""Searches in periodic cells of any shape, against loops over all images and over copies."""

import numpy as np
import pytest

import abut
import reference
import scenes_cells as cells
from test_pair_finder import assert_same

pytestmark = pytest.mark.native

# each seed stands for this many scenes
SCENES = 25
SEEDS = [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 400))]


# ---- spheres -------------------------------------------------------------------------------------


def keys_of(table):
    """The tuple (i, j, *image) of each row."""
    return list(map(tuple, np.column_stack([table.i, table.j, table.image]).tolist()))


def steps_of(table, radii, other_radii, rows=slice(None)):
    """The vectors from the center of j, in its image, to that of i; both of some rows."""
    lengths = radii[table.i[rows]] + other_radii[table.j[rows]] - table.overlap[rows]
    return table.normal[rows] * lengths[:, None]


def check_pairs(found, scene, others=None):
    """Checks that the pairs are those of the reference, in its order, with its columns."""
    centers, radii, gap, vectors = scene
    wanted = reference.find_pairs_in_cell(centers, radii, vectors, gap=gap, others=others)
    other_centers, other_radii = (centers, radii) if others is None else others[:2]
    keys, known = keys_of(found), {key: row for row, key in enumerate(keys_of(wanted))}
    assert keys == sorted(set(keys))
    sure = {key for key, row in known.items() if wanted.is_sure[row]}
    assert sure <= set(keys) <= set(known)
    rows = [known[key] for key in keys]
    size = np.abs(np.append(centers, other_centers)).max() + (radii.max() + other_radii.max())
    tolerance = 1e-14 * (size + np.abs(found.image @ vectors).max(initial=0))
    np.testing.assert_allclose(found.overlap, wanted.overlap[rows], 0, tolerance)
    steps = [steps_of(found, radii, other_radii), steps_of(wanted, radii, other_radii, rows)]
    np.testing.assert_allclose(*steps, 0, 4 * tolerance)
    middles = centers[found.i] - found.normal * (radii[found.i] - found.overlap / 2)[:, None]
    np.testing.assert_allclose(found.point, middles, 0, 4 * tolerance)
    assert (found.offsets == np.searchsorted(found.i, np.arange(len(radii) + 1))).all()


def levels_for(rng, scene, others=None):
    """Levels in any form, of which the last is for the largest spheres."""
    count = int(rng.integers(1, 5))
    top = (2 * scene.radii + scene.gap).max()
    if others is not None:
        top = max(top, (2 * others[1] + (others[2] if len(others) > 2 else scene.gap)).max())
    sizes = np.append(top * np.sort(10.0 ** -rng.uniform(0.01, 3, count)), top)
    return ["auto", count, sizes][rng.integers(3)]


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_are_those_of_the_reference(seed):
    """Sizes go to 1:1000, and cells may be smaller than spheres."""
    rng = np.random.default_rng([50, seed])
    for _ in range(SCENES):
        scene = cells.random_scene(rng)
        options = {"gap": scene.gap, "period": scene.vectors, "levels": levels_for(rng, scene)}
        found = abut.find_pairs(*scene[:2], search="top-down", **options)
        check_pairs(found, scene)
        again = abut.find_pairs(*scene[:2], search="bottom-up", workers=2, **options)
        assert_same(again, found)


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_with_others_are_those_of_the_reference(seed):
    rng = np.random.default_rng([51, seed])
    for _ in range(SCENES):
        scene = cells.random_scene(rng)
        others = cells.others_of(rng, scene)
        options = {"gap": scene.gap, "period": scene.vectors, "others": others}
        options["levels"] = levels_for(rng, scene, others)
        found = abut.find_pairs(*scene[:2], search="top-down", **options)
        check_pairs(found, scene, others)
        again = abut.find_pairs(*scene[:2], search="bottom-up", workers=2, **options)
        assert_same(again, found)


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_another_basis_has_the_same_pairs(seed):
    rng = np.random.default_rng([52, seed])
    for _ in range(SCENES):
        scene = cells.random_scene(rng)
        vectors, numbers = cells.other_basis(rng, scene.vectors)
        found = abut.find_pairs(*scene[:2], gap=scene.gap, period=scene.vectors)
        other = abut.find_pairs(*scene[:2], gap=scene.gap, period=vectors)
        image = other.image @ numbers
        first = np.take_along_axis(image, np.argmax(image != 0, axis=1)[:, None], 1)
        image[(other.i == other.j) & (first[:, 0] < 0)] *= -1  # one of each opposite pair is a row
        order = np.lexsort((*image.T[::-1], other.j, other.i))
        keys = np.column_stack([other.i, other.j, image])[order]
        assert list(map(tuple, keys.tolist())) == keys_of(found)
        tolerance = 1e-13 * (np.abs(scene.centers).max() + 10 * scene.radii.max())
        np.testing.assert_allclose(other.overlap[order], found.overlap, 0, tolerance)


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("dimension", [2, 3])
def test_cells_along_the_axes_have_the_bits_of_lengths(seed, dimension):
    rng = np.random.default_rng([53, seed])
    for _ in range(SCENES):
        radii = rng.uniform(0.1, 2.0, 30)
        lengths = rng.uniform(1.0, 5.0, dimension) * (rng.random(dimension) < 0.8)
        lengths[0] = lengths[0] or 1.0
        centers = rng.uniform(-4, 4, (30, dimension))
        period = tuple(length or None for length in lengths.tolist())
        found = abut.find_pairs(centers, radii, period=period)
        assert_same(abut.find_pairs(centers, radii, period=np.diag(lengths)), found)
