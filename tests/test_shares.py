"""Shares of contacts against every active set tried, SciPy's least squares, and closed forms."""

import numpy as np
import pytest

import shares
from abut import _core

pytestmark = pytest.mark.native

optimize = pytest.importorskip("scipy.optimize")


def unit(a):
    return a / np.linalg.norm(a, axis=-1, keepdims=True)


def any_normals(rng, count):
    return unit(rng.normal(size=(count, 3)))


def cone_normals(rng, count):
    return unit(np.array([0.0, 0.0, 1.0]) + 0.5 * rng.normal(size=(count, 3)))


def fan_normals(rng, count):
    """In one plane but for 1e-9: nearly coplanar facets side by side around an edge."""
    angles = rng.uniform(0, np.pi, count)
    flat = np.stack([np.cos(angles), np.sin(angles), 1e-9 * rng.normal(size=count)], axis=-1)
    return unit(flat)


def octagon_normals(rng, count):
    angles = np.pi / 4 * rng.permutation(8)[:count]
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=-1)


def repeated_normals(rng, count):
    return any_normals(rng, max(1, count // 2))[rng.integers(0, max(1, count // 2), count)]


KINDS = [any_normals, cone_normals, fan_normals, octagon_normals, repeated_normals]


def descending(rng, count):
    return 0.1 * np.sort(rng.uniform(0.2, 1.0, count))[::-1]


def loads_of(normals, overlaps, exponent):
    return _core.share(normals, overlaps, exponent) * shares.forces(overlaps, exponent)


def is_definite(g):
    return np.linalg.eigvalsh(g)[0] > 1e-3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.2])
def test_conditions_hold(kind, exponent):
    rng = np.random.default_rng(1)
    for _ in range(500):
        count = rng.integers(1, 9 if kind is octagon_normals else 61)
        normals, overlaps = kind(rng, count), descending(rng, count)
        found = _core.share(normals, overlaps, exponent)
        assert found.shape == (count,) and found.min() >= 0 and found.max() <= 1
        loads, force = loads_of(normals, overlaps, exponent), shares.forces(overlaps, exponent)
        assert shares.residual(shares.matrix(normals), loads, force) <= 1e-12


@pytest.mark.parametrize("kind", [any_normals, cone_normals, octagon_normals])
def test_every_active_set_tried(kind):
    """The shares are one of the solutions that there are; the only one where G is definite."""
    rng = np.random.default_rng(2)
    definite_count = 0
    for _ in range(60):
        count = rng.integers(1, 8)
        normals, overlaps = kind(rng, count), descending(rng, count)
        g, loads = shares.matrix(normals), loads_of(normals, overlaps, 1.5)
        known = shares.solutions(g, shares.forces(overlaps, 1.5))
        assert min(np.abs(loads - other).max() for other in known) <= 1e-9
        if is_definite(g):
            definite_count += 1
            assert len(known) == 1
    assert definite_count >= 10


@pytest.mark.parametrize("kind", [any_normals, cone_normals, fan_normals])
def test_least_squares_agrees(kind):
    """With G = L L^T the problem is: least |L^T f - L^-1 F| over f >= 0."""
    rng = np.random.default_rng(3)
    compared = 0
    for _ in range(400):
        count = rng.integers(1, 12)
        normals, overlaps = kind(rng, count), descending(rng, count)
        g, force = shares.matrix(normals), shares.forces(overlaps, 1.5)
        if not is_definite(g):
            continue
        compared += 1
        factor = np.linalg.cholesky(g)
        expected, _ = optimize.nnls(factor.T, np.linalg.solve(factor, force))
        assert loads_of(normals, overlaps, 1.5) == pytest.approx(expected, abs=1e-10)
    assert compared >= 40


def test_coplanar_contacts_share_one_force():
    rng = np.random.default_rng(4)
    normal = unit(rng.normal(size=3))
    found = _core.share(np.tile(normal, (30, 1)), np.full(30, 0.1), 1.5)
    assert found.sum() == pytest.approx(1.0, abs=1e-14)


def test_perpendicular_corner():
    """No contact pushes another's way, to the bit, however the corner is turned."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        assert (_core.share(turned, np.array([0.1, 0.03, 1e-13]), 1.5) == 1).all()


@pytest.mark.parametrize("ratio", [1.0, 0.8, 0.3])
def test_slot(ratio):
    normals = np.array([[0.6, 0.0, 0.8], [-0.6, 0.0, -0.8]])
    assert (_core.share(normals, np.array([0.1, 0.1 * ratio]), 1.0) == 1).all()


@pytest.mark.parametrize("degrees", [1, 30, 60, 89])
@pytest.mark.parametrize("ratio", [1.0, 0.95, 0.5])
def test_two_planes(degrees, ratio):
    """The second plane carries what the first leaves over of its force, F2 - F1 cos a, over
    1 - cos^2 a; both get 1/(1 + cos a) where the overlaps are equal."""
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    first, second = _core.share(
        np.array([[0.0, 0.0, 1.0], [sine, 0.0, cosine]]), np.array([0.1, 0.1 * ratio]), 1.5
    )
    load = max(0.0, (ratio**1.5 - cosine) / sine**2)
    assert second == pytest.approx(load / ratio**1.5, abs=1e-11)
    assert first == pytest.approx(1 - cosine * load, abs=1e-11)
    if ratio == 1.0:
        assert first == pytest.approx(1 / (1 + cosine), abs=1e-11)


@pytest.mark.parametrize("face_count", range(3, 9))
@pytest.mark.parametrize("degrees", [3, 20, 40])
def test_pyramid_tip(face_count, degrees):
    """In the tip of a blunt pyramid whose faces' normals are at angle b to its axis the total is
    1/cos b along the axis, and one of three faces has 1/(3 cos^2 b)."""
    angle, around = np.radians(degrees), 2 * np.pi * np.arange(face_count) / face_count
    across = np.sin(angle)
    up = np.full(face_count, np.cos(angle))
    normals = np.stack([across * np.cos(around), across * np.sin(around), up], axis=-1)
    found = _core.share(normals, np.full(face_count, 0.1), 1.5)
    assert found @ normals == pytest.approx([0, 0, 1 / np.cos(angle)], abs=1e-12)
    if face_count == 3:
        assert found == pytest.approx(np.full(3, 1 / (3 * np.cos(angle) ** 2)), abs=1e-12)


def test_contacts_that_do_not_touch_take_no_part():
    found = _core.share(np.eye(3), np.array([0.1, 0.0, -0.1]), 1.5)
    assert found.tolist() == [1, 0, 0]
    assert _core.share(np.empty((0, 3)), np.empty(0), 1.5).shape == (0,)
