"""Clusters: mass, center and inertia of unions of spheres."""

import json
import pickle

import numpy as np
import pytest

import abut
from abut.base.values import from_dict
from abut.simulation import unions
from abut.simulation.unions import union_moments

pytestmark = pytest.mark.native

RNG = np.random.default_rng(20)
DUMBBELL = [[0, 0, 0], [1, 0, 0]]
# dem.md, section 5
DUMBBELL_INERTIA = [3.004147975, 5.213080310, 5.213080310]


def rotation(rng):
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q *= np.sign(np.diag(r))
    return q * np.linalg.det(q)


def heap(rng, count):
    return rng.standard_normal((count, 3)), rng.uniform(0.3, 1.0, count)


def flat(moments):
    """The numbers of moments in one unit: of the volume 1 and of the size 1."""
    size = moments.volume ** (1 / 3)
    first, second = moments.first / size**4, moments.second / size**5
    return np.concatenate([[moments.volume], first, second.ravel()])


def test_a_sphere():
    ball = abut.Cluster([[3.0, -2.0, 1.0]], 0.5)
    mass = 2000 * 4 / 3 * np.pi * 0.125
    assert ball.mass_for(2000.0) == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(ball.inertia_for(2000.0), 0.4 * mass * 0.25, rtol=1e-11)
    np.testing.assert_allclose(ball.offset, [3, -2, 1], rtol=1e-14)


@pytest.mark.parametrize("k", range(8))
def test_a_dumbbell(k):
    """Along x, y and z, where circles are at right angles to cuts or along them, and elsewhere."""
    direction = np.eye(3)[k] if k < 3 else rotation(np.random.default_rng(k))[0]
    dumbbell = abut.Cluster([[5, 5, 5], 5 + direction], 1.0)
    assert dumbbell.mass_for(1.0) == pytest.approx(9 * np.pi / 4, rel=1e-9)
    np.testing.assert_allclose(dumbbell.inertia_for(1.0), DUMBBELL_INERTIA, rtol=1e-9)
    np.testing.assert_allclose(dumbbell.offset, 5 + direction / 2, rtol=1e-10)
    assert abs(dumbbell.axes[:, 0] @ direction) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("distance", [1e-7, 1e-3, 0.3, 1.9, 2.0, 2.1])
@pytest.mark.parametrize("direction", [[1, 0, 0], [0, 1, 0], [0.6, 0.48, 0.64]])
def test_two_spheres_at_any_distance(distance, direction):
    """Against the lens that they share, by its formula."""
    centers = np.outer([0.0, distance], direction)
    lens = np.pi * (4 + distance) * max(2 - distance, 0) ** 2 / 12
    volume = union_moments(centers, np.ones(2)).volume
    assert volume == pytest.approx(8 * np.pi / 3 - lens, rel=1e-9)


@pytest.mark.parametrize("count", [2, 3, 5, 10, 30])
def test_unions_turn_and_shift(count):
    """The cuts of a turned union are others; its moments are the same, turned."""
    rng = np.random.default_rng(count)
    centers, radii = heap(rng, count)
    turn, shift = rotation(rng), rng.standard_normal(3)
    one, other = union_moments(centers, radii), union_moments(centers @ turn.T + shift, radii)
    assert other.volume == pytest.approx(one.volume, rel=1e-7)
    first = turn @ one.first
    np.testing.assert_allclose(other.first, first + one.volume * shift, atol=1e-7 * one.volume)
    second = turn @ one.second @ turn.T
    second += np.outer(first, shift) + np.outer(shift, first)
    second += one.volume * np.outer(shift, shift)
    np.testing.assert_allclose(other.second, second, atol=1e-7 * np.trace(second))


@pytest.mark.parametrize("seed", range(12))
def test_unions_against_a_finer_quadrature(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    centers, radii = heap(rng, rng.integers(2, 12))
    found = flat(union_moments(centers, radii))
    monkeypatch.setattr(unions, "_NODES", 150)
    np.testing.assert_allclose(found, flat(union_moments(centers, radii)), atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_unions_against_points_that_are_drawn(seed):
    rng = np.random.default_rng(seed)
    centers, radii = heap(rng, 7)
    low, high = (centers - radii[:, None]).min(axis=0), (centers + radii[:, None]).max(axis=0)
    points = rng.uniform(low, high, (200_000, 3))
    distance = np.linalg.norm(points[:, None] - centers, axis=2)
    inside = points[(distance < radii).any(axis=1)]
    cell = np.prod(high - low) / len(points)
    found = union_moments(centers, radii)
    assert found.volume == pytest.approx(len(inside) * cell, rel=0.01)
    np.testing.assert_allclose(found.first, inside.sum(axis=0) * cell, atol=0.02 * found.volume)
    size = np.trace(found.second)
    np.testing.assert_allclose(found.second, inside.T @ inside * cell, atol=0.02 * size)


def test_a_sphere_inside_another_adds_nothing():
    inner = [[0.2, 0.1, 0.0], [-0.5, 0.0, 0.0], [0, 0, 0], [0.3, 0, 0]]
    alone = union_moments(np.zeros((1, 3)), np.ones(1))
    nested = union_moments(np.array([[0, 0, 0], *inner]), np.array([1.0, 0.3, 0.5, 1.0, 0.7]))
    np.testing.assert_array_equal(flat(nested), flat(alone))


def test_a_sphere_that_others_cover_together_adds_nothing():
    around = 0.5 * np.vstack([np.eye(3), -np.eye(3)])
    covered = np.vstack([around, [[0.01, 0.02, 0.03]]])
    radii = np.ones(7)
    radii[-1] = 0.6
    one = flat(union_moments(around, radii[:6]))
    np.testing.assert_allclose(flat(union_moments(covered, radii)), one, atol=1e-12)


def test_parts_that_do_not_touch():
    centers = np.array([[0, 0, 0], [5.0, 0, 0]])
    found = union_moments(centers, np.array([1.0, 2.0]))
    volumes = 4 / 3 * np.pi * np.array([1.0, 8.0])
    assert found.volume == pytest.approx(volumes.sum(), rel=1e-12)
    np.testing.assert_allclose(found.first, [5 * volumes[1], 0, 0], atol=1e-10)


def test_spheres_that_coincide():
    rng = np.random.default_rng(3)
    centers, radii = heap(rng, 4)
    twice = union_moments(np.vstack([centers, centers]), np.tile(radii, 2))
    np.testing.assert_allclose(flat(twice), flat(union_moments(centers, radii)), atol=1e-13)


@pytest.mark.parametrize("spacing", [0.5, 1.0, 1.5, 2.0])
def test_spheres_on_a_grid(spacing):
    """Many circles coincide, and cross at one point."""
    centers = spacing * np.indices((3, 3, 3)).reshape(3, -1).T
    one = union_moments(centers, np.ones(27))
    turn = rotation(np.random.default_rng(1))
    other = union_moments(centers @ turn.T, np.ones(27))
    assert other.volume == pytest.approx(one.volume, rel=1e-8)
    assert np.trace(other.second) == pytest.approx(np.trace(one.second), rel=1e-8)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_any_unit_of_length(scale):
    centers, radii = heap(np.random.default_rng(4), 5)
    one, other = union_moments(centers, radii), union_moments(scale * centers, scale * radii)
    assert other.volume == pytest.approx(scale**3 * one.volume, rel=1e-9)


def test_frames():
    rng = np.random.default_rng(6)
    cluster = abut.Cluster(*heap(rng, 6))
    axes = cluster.axes
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert np.all(np.diff(cluster.inertia_for(1.0)) >= 0)
    np.testing.assert_allclose(
        cluster.members @ axes.T + cluster.offset, cluster.centers, atol=1e-14
    )


def test_in_its_own_frame_the_inertia_is_diagonal():
    cluster = abut.Cluster(*heap(np.random.default_rng(7), 6))
    aligned = abut.Cluster(cluster.members, cluster.radii)
    np.testing.assert_allclose(aligned.offset, 0, atol=1e-8)
    np.testing.assert_allclose(np.abs(aligned.axes), np.eye(3), atol=1e-6)
    np.testing.assert_allclose(aligned.inertia_for(1.0), cluster.inertia_for(1.0), rtol=1e-7)


def test_given_mass_and_moments():
    cluster = abut.Cluster([[1, 0, 0], [-1, 0, 0]], 1.5, mass=3.0, inertia=(2.0, 2.5, 1.0))
    assert cluster.mass_for(None) == cluster.mass_for(1000.0) == 3.0
    assert cluster.inertia_for(None).tolist() == [2.0, 2.5, 1.0]
    assert cluster.offset.tolist() == [0, 0, 0]
    assert cluster.axes.tolist() == np.eye(3).tolist()
    assert cluster.members.tolist() == cluster.centers.tolist()


def test_given_tensor():
    turn = rotation(np.random.default_rng(8))
    tensor = turn @ np.diag([1.0, 2.0, 2.5]) @ turn.T
    cluster = abut.Cluster([[1, 0, 0]], 1.0, mass=3.0, inertia=tensor)
    np.testing.assert_allclose(cluster.inertia_for(None), [1.0, 2.0, 2.5])
    np.testing.assert_allclose(cluster.members[0], cluster.axes[0], atol=1e-15)


def test_given_volume_and_center():
    """The material's density counts, and the center of mass is not the frame's origin."""
    cluster = abut.Cluster([[1, 2, 0]], 1.0, inertia=(1, 1, 1.5), volume=2.0, center=(1, 0, 0))
    assert cluster.mass_for(10.0) == 20.0
    assert cluster.inertia_for(10.0).tolist() == [10.0, 10.0, 15.0]
    assert cluster.offset.tolist() == [1, 0, 0]
    assert cluster.members.tolist() == [[0, 2, 0]]
    assert repr(cluster) == "Cluster(1 sphere, volume=2)"
    with pytest.raises(ValueError, match="has no mass and its material no density"):
        cluster.mass_for(None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"volume": 1.0}, "volume and inertia go together"),
        ({"volume": 0.0, "inertia": (1, 1, 1)}, r"volume is 0\.0, but must be positive"),
        ({"mass": 1.0, "volume": 1.0, "inertia": (1, 1, 1)}, "mass and volume are given"),
        ({"center": (0, 0, 0)}, "center is given without mass or volume"),
        ({"mass": 1.0, "inertia": (1, 1, 1), "center": (0, 0)}, "center has shape"),
        ({"mass": 1.0, "inertia": (1, 1, 1), "center": (0, 0, np.inf)}, r"center\[2\] is inf"),
    ],
)
def test_a_wrong_volume_or_center_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        abut.Cluster(DUMBBELL, 1.0, **arguments)


def test_a_density_is_needed():
    with pytest.raises(ValueError, match="has no mass and its material no density"):
        abut.Cluster(DUMBBELL, 1.0).mass_for(None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.empty((0, 3)), 1.0), "a cluster needs at least one sphere"),
        ((DUMBBELL, [1.0, 0.0]), r"radii\[1\] is 0.0, but must be positive and finite"),
        ((DUMBBELL, [np.nan, 1.0]), r"radii\[0\] is nan"),
        ((DUMBBELL, [1.0]), "radii has 1 entry, but there are 2 centers"),
        (([[0, 0, np.inf]], 1.0), r"centers\[0, 2\] is inf"),
        (([[0, 0]], 1.0), "centers has shape"),
        ((DUMBBELL, 1.0, 2.0), "mass and inertia go together"),
        ((DUMBBELL, 1.0, None, (1, 1, 1)), "mass and inertia go together"),
        ((DUMBBELL, 1.0, 0.0, (1, 1, 1)), "mass is 0.0"),
        ((DUMBBELL, 1.0, 1.0, (1, 1)), r"inertia has shape \(2,\)"),
        ((DUMBBELL, 1.0, 1.0, (1, 1, np.nan)), "inertia has an entry that is not finite"),
        ((DUMBBELL, 1.0, 1.0, (1, 1, 0)), "inertia has the moment 0"),
        ((DUMBBELL, 1.0, 1.0, (1, 1, 3)), "larger than the sum of the other two"),
        ((DUMBBELL, 1.0, 1.0, np.triu(np.ones((3, 3)))), "inertia is not symmetric"),
    ],
)
def test_what_is_no_cluster(arguments, message):
    with pytest.raises(ValueError, match=message):
        abut.Cluster(*arguments)


@pytest.mark.parametrize("arguments", [("a", 1.0), (DUMBBELL, True), (DUMBBELL, 1.0, "m", (1,))])
def test_what_is_no_number(arguments):
    with pytest.raises(TypeError):
        abut.Cluster(*arguments)


@pytest.mark.parametrize(
    "cluster",
    [
        abut.Cluster(DUMBBELL, [1.0, 0.9]),
        abut.Cluster([[0.1, 0.2, 0.3]], 1.0, mass=0.1 + 0.2, inertia=np.diag([1.0, 2.0, 2.0])),
        abut.Cluster(DUMBBELL, 0.5, inertia=(1.0, 2.0, 2.0), volume=0.3, center=(0.1, 0.2, 0.0)),
    ],
)
def test_copies(cluster):
    assert cluster.axes.shape == (3, 3)  # computed once, and not copied
    copies = (
        pickle.loads(pickle.dumps(cluster)),
        from_dict(json.loads(json.dumps(cluster.to_dict()))),
    )
    for copy in copies:
        assert copy == cluster
        assert hash(copy) == hash(cluster)
        assert copy.members.tolist() == cluster.members.tolist()
        assert not copy.centers.flags.writeable
    assert cluster != abut.Cluster(DUMBBELL, 1.0)


def test_it_does_not_change():
    centers = np.array(DUMBBELL, float)
    cluster = abut.Cluster(centers, 1.0)
    centers[0] = 7.0
    assert cluster.centers[0].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        cluster.centers[0] = 7.0
    assert repr(cluster) == "Cluster(2 spheres)"
