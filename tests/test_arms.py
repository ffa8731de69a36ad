"""Arms of pairs, and how surfaces move at their contact points."""

import copy

import numpy as np
import pytest

import abut

N = 40
PERIOD = {2: (1.0, None), 3: (1.0, None, 0.8)}


@pytest.fixture(scope="module")
def spheres(dimension):
    rng = np.random.default_rng(11)
    # some lie outside of the box that their world repeats
    return rng.uniform(-0.5, 1.5, (N, dimension)), rng.uniform(0.1, 0.25, N)


@pytest.fixture(scope="module")
def moving(dimension):
    rng = np.random.default_rng(12)
    shape = (N,) if dimension == 2 else (N, 3)
    return rng.normal(size=(N, dimension)), rng.normal(size=shape)


def cross(turning, arm):
    if np.ndim(turning) == 0:
        return turning * np.array([-arm[1], arm[0]])
    return np.cross(turning, arm)


def between(pairs, i, j, radii, other_radii):
    """The arms by normals and overlaps; the contact point is midway between the surfaces."""
    arm_i = -(radii[i] - pairs.overlap / 2)[:, None] * pairs.normal
    return arm_i, (other_radii[j] - pairs.overlap / 2)[:, None] * pairs.normal


@pytest.mark.parametrize("is_periodic", [False, True])
def test_arms(spheres, dimension, is_periodic):
    centers, radii = spheres
    pairs = abut.find_pairs(*spheres, period=PERIOD[dimension] if is_periodic else None, gap=0.01)
    assert len(pairs) > 10 and pairs.image.any() == is_periodic
    found = pairs.arms(centers)
    for arm, expected in zip(found, between(pairs, pairs.i, pairs.j, radii, radii), strict=True):
        assert arm.shape == pairs.point.shape and arm.dtype == np.float64
        np.testing.assert_allclose(arm, expected, rtol=0, atol=1e-14)


def test_arms_with_others(spheres, dimension):
    centers, radii = spheres
    others = centers[10:], radii[10:]
    for period in (None, PERIOD[dimension]):
        pairs = abut.find_pairs(centers[:10], radii[:10], others=others, period=period)
        expected = between(pairs, pairs.i, pairs.j, radii[:10], radii[10:])
        for arm, one in zip(pairs.arms(centers[:10], centers[10:]), expected, strict=True):
            np.testing.assert_allclose(arm, one, rtol=0, atol=1e-14)


def test_a_sphere_and_its_own_image():
    pairs = abut.find_pairs([[0.3, 0, 0]], 0.75, period=(1, None, None))
    arm_i, arm_j = pairs.arms([[0.3, 0, 0]])
    np.testing.assert_allclose(arm_i, [[-0.5, 0, 0]] * pairs.normal[:, :1], atol=1e-15)
    np.testing.assert_allclose(arm_j, -arm_i, atol=1e-15)


def test_relative_velocity(spheres, moving, dimension):
    centers, (velocities, turning) = spheres[0], moving
    pairs = abut.find_pairs(*spheres, period=PERIOD[dimension])
    arms = pairs.arms(centers)
    found = pairs.relative_velocity(centers, velocities, turning)
    for row, (i, j) in enumerate(zip(pairs.i, pairs.j, strict=True)):
        expected = velocities[i] + cross(turning[i], arms[0][row])
        expected = expected - velocities[j] - cross(turning[j], arms[1][row])
        np.testing.assert_allclose(found[row], expected, rtol=0, atol=1e-14)
    plain = pairs.relative_velocity(centers, velocities)
    assert np.array_equal(plain, velocities[pairs.i] - velocities[pairs.j])
    none = pairs.relative_velocity(centers, velocities, np.zeros_like(turning))
    np.testing.assert_array_equal(none, plain)


def test_what_moves_as_one_does_not_slide(spheres, dimension):
    centers, _ = spheres
    pairs = abut.find_pairs(*spheres)
    turn = 2.0 if dimension == 2 else np.array([1.0, -2.0, 0.5])
    velocities = np.array([cross(turn, center) for center in centers]) + 3
    turning = np.array([turn] * N)
    found = pairs.relative_velocity(centers, velocities, turning)
    np.testing.assert_allclose(found, 0, atol=1e-13)


def test_relative_velocity_with_others(spheres, moving):
    (centers, radii), (velocities, turning) = spheres, moving
    everything = abut.find_pairs(*spheres)
    across = everything[(everything.i < 10) & (everything.j >= 10)]
    pairs = abut.find_pairs(centers[:10], radii[:10], others=(centers[10:], radii[10:]))
    assert (pairs.j + 10).tolist() == across.j.tolist()
    for count in (2, 3):
        given = (centers, velocities, turning)[:count]
        own, others = ([one[part] for one in given] for part in (slice(10), slice(10, None)))
        found = pairs.relative_velocity(*own, others=tuple(others))
        np.testing.assert_allclose(found, across.relative_velocity(*given), atol=1e-14)


def test_what_is_no_arm(spheres, moving, dimension):
    centers, (velocities, turning) = spheres[0], moving
    pairs = abut.find_pairs(*spheres)
    with pytest.raises(ValueError, match=f"centers has 3 rows, but there are {N} spheres"):
        pairs.arms(centers[:3])
    with pytest.raises(ValueError, match=rf"centers has shape .*, but must be \(n, {dimension}\)"):
        pairs.arms(centers[:, :1])
    with pytest.raises(ValueError, match="others are given, but the search had none"):
        pairs.arms(centers, centers)
    with pytest.raises(ValueError, match=f"^velocities has 1 row, but there are {N} spheres"):
        pairs.relative_velocity(centers, velocities[:1])
    with pytest.raises(ValueError, match=r"^angular_velocities has"):
        pairs.relative_velocity(centers, velocities, turning[:1])
    with pytest.raises(TypeError, match="velocities is None"):
        pairs.relative_velocity(centers, None)
    changed = copy.deepcopy(pairs)
    changed.j[1] = N
    with pytest.raises(ValueError, match=rf"j\[1\] is {N}, but must be 0 to {N - 1}"):
        changed.arms(centers)


def test_what_is_no_arm_of_others(spheres, moving):
    centers, (velocities, turning) = spheres[0], moving
    pairs = abut.find_pairs(*spheres, others=(centers[:5], 0.1))
    with pytest.raises(ValueError, match="the search was for pairs with others: give others, too"):
        pairs.arms(centers)
    with pytest.raises(ValueError, match=f"others has {N} rows, but there are 5 others"):
        pairs.arms(centers, centers)
    with pytest.raises(ValueError, match="give others, too"):
        pairs.relative_velocity(centers, velocities)
    for others in ((centers[:5],), centers[:5], 3):
        with pytest.raises(TypeError, match=r"others must be \(centers, velocities\) or \(centers"):
            pairs.relative_velocity(centers, velocities, others=others)
    with pytest.raises(ValueError, match="others: velocities has 4 rows, but there are 5 others"):
        pairs.relative_velocity(centers, velocities, others=(centers[:5], velocities[:4]))
    with pytest.raises(ValueError, match="others: angular_velocities has"):
        given = (centers[:5], velocities[:5], turning[:4])
        pairs.relative_velocity(centers, velocities, others=given)
