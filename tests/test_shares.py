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
    """Normals in one plane up to 1e-9, as of nearly coplanar facets around an edge."""
    angles = rng.uniform(0, np.pi, count)
    flat = np.stack([np.cos(angles), np.sin(angles), 1e-9 * rng.normal(size=count)], axis=-1)
    return unit(flat)


def octagon_normals(rng, count):
    angles = np.pi / 4 * rng.permutation(8)[:count]
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=-1)


def descending(rng, count):
    return 0.1 * np.sort(rng.uniform(0.2, 1.0, count))[::-1]


def loads_of(normals, overlaps, exponent):
    return _core.share(normals, overlaps, exponent) * shares.forces(overlaps, exponent)


def is_definite(g):
    return np.linalg.eigvalsh(g)[0] > 1e-3


@pytest.mark.parametrize("kind", [any_normals, cone_normals, fan_normals])
@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.2])
def test_conditions_hold(kind, exponent):
    """Also for sixty contacts, for which trying every active set takes too long."""
    rng = np.random.default_rng(1)
    for _ in range(500):
        count = rng.integers(1, 61)
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


def test_contacts_that_do_not_touch_take_no_part():
    found = _core.share(np.eye(3), np.array([0.1, 0.0, -0.1]), 1.5)
    assert found.tolist() == [1, 0, 0]
    assert _core.share(np.empty((0, 3)), np.empty(0), 1.5).shape == (0,)
