"""Pairs from step to step: matches, carried vectors, and errors."""

import dataclasses

import numpy as np
import pytest

import abut
import reference_pairs
import scenes

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def steps(dimension):
    """Centers of two steps, a little apart, and radii."""
    rng = np.random.default_rng(dimension)
    centers, radii, _ = scenes.random_cloud(rng, 400, 4, dimension, alpha=0.0)
    return centers, centers + 0.2 * rng.normal(size=centers.shape), radii


@pytest.fixture(scope="module")
def tables(steps):
    return tuple(abut.find_pairs(centers, steps[2]) for centers in steps[:2])


# ---- match ---------------------------------------------------------------------------------------


def test_others_need_ids_of_both(steps):
    centers, _, radii = steps
    before = abut.find_pairs(centers[:150], radii[:150], others=(centers[150:], radii[150:]))
    now = abut.find_pairs(centers[:150], radii[:150], others=(centers[151:], radii[151:]))
    with pytest.raises(ValueError, match="there are 249 other spheres, but previous has 250"):
        now.match(before)
    with pytest.raises(ValueError, match="ids must be a tuple of two: for the spheres"):
        now.match(before, range(150), range(150))
    with pytest.raises(ValueError, match="one of the two searches had others"):
        now.match(abut.find_pairs(centers[:150], radii[:150]))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "offsets",
            np.array([0, 2, 1, 3]),
            "offsets do not ascend from 0 to the number of pairs, 3",
        ),
        ("offsets", np.array([0, 0, 0, 2]), "offsets do not ascend"),
        ("offsets", np.array([1, 1, 1, 3]), "offsets do not ascend"),
        ("offsets", np.empty(0, np.intp), "offsets do not ascend"),
        ("i", np.array([0, 0]), "i has 2 rows, but overlap has 3"),
        ("i", np.array([0, 0, 3]), r"i\[2\] is 3, but must be 0 to 2"),
        ("j", np.array([1, -1, 2]), r"j\[1\] is -1, but must be 0 to 2"),
        ("normal", np.ones((2, 3)), "normal has 2 rows"),
        ("image", np.zeros((4, 3), np.intp), "image has 4 rows"),
    ],
)
def test_columns_that_do_not_fit_together_are_an_error(name, value, message):
    """The tables are made by the caller."""
    pairs = abut.find_pairs([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 1.0)
    assert len(pairs) == 3
    broken = dataclasses.replace(pairs, **{name: value})
    ids = np.arange(len(broken.offsets) - 1)
    with pytest.raises(ValueError, match=f"^{message}"):
        broken.match(pairs, ids, [0, 1, 2])
    with pytest.raises(ValueError, match=f"^previous: {message}"):
        pairs.match(broken, [0, 1, 2], ids)
    with pytest.raises(ValueError, match=f"^previous: {message}"):
        pairs.carry(np.zeros((3, 3)), broken, [-1, -1, -1])


# ---- images --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [-1, 1, 3])
@pytest.mark.parametrize("sphere", [0, 1])
def test_sphere_that_comes_in_on_the_other_side(shift, sphere):
    """The sphere touches the other one on both sides; normals distinguish the contacts."""
    period = (1.0, None, None)
    centers = np.array([[0.1, 0, 0], [0.62, 0.05, 0]])
    before = abut.find_pairs(centers, 0.3, period=period)
    assert before.image[:, 0].tolist() == [-1, 0]
    centers[sphere, 0] += shift
    now = abut.find_pairs(centers, 0.3, period=period)
    match = now.match(before)
    assert match.tolist() == [0, 1]
    assert (now.image[:, 0] != before.image[match, 0]).all()
    np.testing.assert_allclose(now.normal, before.normal[match], atol=1e-12)


def test_image_that_is_new_is_no_other():
    period = (1.0, None, None)
    before = abut.find_pairs([[0.1, 0, 0], [0.55, 0, 0]], 0.25, period=period)
    now = abut.find_pairs([[0.1, 0, 0], [0.65, 0, 0]], 0.25, period=period)
    assert len(before) == len(now) == 1
    assert now.match(before).tolist() == [-1]


# ---- carry ---------------------------------------------------------------------------------------


def many_images(seed):
    """Two steps of two spheres that meet at hundreds of images, and their ids in both."""
    rng = np.random.default_rng(seed)
    dimension = 2 + seed % 2
    period = [1.0] * dimension
    radii = np.array([6.0, 5.0] if dimension == 2 else [2.6, 2.2])
    before = rng.random((2, dimension))
    moved = before + rng.choice([0.0, 0.01, 1.0]) * rng.normal(size=before.shape)
    order = np.array([0, 1] if seed % 4 < 2 else [1, 0])
    steps = [
        abut.find_pairs(moved[order], radii[order], period=period),
        abut.find_pairs(before, radii, period=period),
    ]
    return *steps, order, np.arange(2)


@pytest.mark.parametrize("seed", range(8))
def test_many_images(seed):
    now, before, *names = many_images(seed)
    # enough pairs that they are not all compared
    assert min(len(now), len(before)) > 2 * 256
    match = now.match(before, *names)
    assert match.tolist() == reference_pairs.match(now, before, *names).tolist()


def test_tens_of_thousands_of_images():
    """Comparing all with all, this takes half a minute."""
    images = abut.find_pairs([[0.1, 0.2, 0.3]], 14.0, period=(1.0, 1.0, 1.0))
    assert len(images) > 40_000
    assert images.match(images).tolist() == list(range(len(images)))


def tangents(pairs, seed=0):
    vectors = np.random.default_rng(seed).normal(size=pairs.normal.shape)
    return vectors - (vectors * pairs.normal).sum(axis=1, keepdims=True) * pairs.normal


def test_sign_changes_where_the_first_is_the_second(steps, tables):
    """A spring that acts on i acts on j with the other sign."""
    _, centers, radii = steps
    order = np.random.default_rng(3).permutation(len(radii))
    now = abut.find_pairs(centers[order], radii[order])
    names = order, np.arange(len(radii))
    match = now.match(tables[0], *names)
    tangent = tangents(tables[0])
    carried = now.carry(tangent, tables[0], match, *names)
    straight = tables[1].carry(tangent, tables[0], tables[1].match(tables[0]))
    row = {pair: k for k, pair in enumerate(zip(tables[1].i, tables[1].j, strict=True))}
    first, second = order[now.i], order[now.j]
    swapped = first > second
    assert 0.2 < swapped.mean() < 0.8
    pairs = zip(np.minimum(first, second), np.maximum(first, second), strict=True)
    expected = straight[[row[pair] for pair in pairs]] * np.where(swapped, -1, 1)[:, None]
    np.testing.assert_allclose(carried, expected, atol=1e-12)


def test_carry_wants_the_ids_of_match(steps, tables):
    _, centers, radii = steps
    order = np.arange(len(radii))[::-1]
    now = abut.find_pairs(centers[order], radii[order])
    match = now.match(tables[0], order, range(400))
    with pytest.raises(
        ValueError, match="is a pair of other spheres; give the same ids and previous_ids"
    ):
        now.carry(tangents(tables[0]), tables[0], match)


# ---- against the reference -----------------------------------------------------------------------


def random_steps(rng, dimension, is_periodic, has_others):
    """Tables of two steps, and ids of both; spheres come, go, jump and change their order."""
    n = int(rng.integers(1, 120))
    side = 1.0 if is_periodic and rng.random() < 0.5 else (0.7 * n) ** (1 / dimension)
    period = tuple(side * rng.uniform(1, 1.4, dimension)) if is_periodic else None
    centers = side * rng.random((n, dimension))
    later = centers + rng.normal(size=centers.shape) * rng.choice([0, 0.02, 0.3])
    if is_periodic:  # as callers do who keep spheres in the box
        later = later % period if rng.random() < 0.5 else later + side * rng.integers(-2, 3)
    radii = rng.uniform(0.3, 0.7, n) * (0.6 if side == 1.0 else 1.0)
    there, here = (np.sort(rng.permutation(n)[: rng.integers(n // 2, n + 1)]) for _ in range(2))
    here = rng.permutation(here)

    def found(centers, chosen):
        if not has_others:
            return abut.find_pairs(centers[chosen], radii[chosen], period=period), chosen
        own, others = chosen[::2], chosen[1::2]
        second = centers[others], radii[others]
        table = abut.find_pairs(centers[own], radii[own], others=second, period=period)
        return table, (own, others)

    return *found(later, here), *found(centers, there)


@pytest.mark.parametrize("has_others", [False, True])
@pytest.mark.parametrize("is_periodic", [False, True])
def test_random_scenes(dimension, is_periodic, has_others):
    """Rows to the bit, vectors to rounding; whatever the number of threads."""
    rng = np.random.default_rng([dimension, is_periodic, has_others])
    continued = several = 0
    for _ in range(150):
        now, ids, before, previous_ids = random_steps(rng, dimension, is_periodic, has_others)
        match = now.match(before, ids, previous_ids)
        assert match.tolist() == reference_pairs.match(now, before, ids, previous_ids).tolist()
        tangent = rng.uniform(-0.5, 0.5, size=before.normal.shape)
        carried = now.carry(tangent, before, match, ids, previous_ids)
        expected = reference_pairs.carry(tangent, now, before, match, ids, previous_ids)
        np.testing.assert_allclose(carried, expected, rtol=0, atol=1e-15)
        again = now.carry(tangent, before, ids=ids, previous_ids=previous_ids, workers=2)
        assert again.tobytes() == carried.tobytes()
        continued += (match >= 0).sum()
        several += len(now) - len(np.unique(now.i * (now.j.max(initial=0) + 1) + now.j))
    assert continued > 500 and (several > 500) == is_periodic


def test_many_pairs_on_several_threads():
    """More pairs than one chunk has, of spheres with several images."""
    rng = np.random.default_rng(7)
    centers, period = 12 * rng.random((3000, 3)), (12.0, None, 12.0)
    before = abut.find_pairs(centers, 0.6, period=period)
    large = abut.find_pairs(5 * rng.random((60, 2)), 4.5, period=(5.0, 6.0))
    now = abut.find_pairs(centers + 0.1 * rng.normal(size=centers.shape), 0.6, period=period)
    assert min(len(now), len(large)) > 3 * 4096
    for step, earlier in ((now, before), (large, large)):
        match, tangent = step.match(earlier, workers=1), rng.normal(size=earlier.normal.shape)
        assert match.tolist() == reference_pairs.match(step, earlier).tolist()
        carried = step.carry(tangent, earlier, workers=1)
        for workers in (2, 3, 5):
            assert step.match(earlier, workers=workers).tobytes() == match.tobytes()
            assert step.carry(tangent, earlier, workers=workers).tobytes() == carried.tobytes()
