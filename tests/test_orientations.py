"""Quaternions, beside SciPy's."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from abut.base.orientations import from_matrix, inverse, product, read_orientations, turned

TURNS = Rotation.concatenate(
    [
        Rotation.random(50, rng=1),
        Rotation.from_euler("xyz", [[90, 0, 0], [0, 180, 0], [180, 0, 90]], degrees=True),
        Rotation.identity(1),
    ]
)


def same(first, second):
    """Whether two quaternions describe the same rotation."""
    return np.abs(np.sum(first * second, axis=-1)).min() > 1 - 1e-14


def test_from_matrix():
    for turn in TURNS:
        found = from_matrix(turn.as_matrix())
        assert abs(np.linalg.norm(found) - 1) < 1e-15 and same(found, turn.as_quat())


def test_products_and_turns():
    first, second = TURNS.as_quat(), TURNS[::-1].as_quat()
    assert same(product(first, second), (TURNS * TURNS[::-1]).as_quat())
    assert same(product(first, inverse(first)), np.array([0, 0, 0, 1.0]))
    vectors = np.random.default_rng(2).normal(size=(len(first), 3))
    np.testing.assert_allclose(turned(first, vectors), TURNS.apply(vectors), atol=1e-14)


def test_reading():
    assert read_orientations(None, 2, "o").tolist() == [[0, 0, 0, 1]] * 2
    assert read_orientations([0, 0, 3, 0], 2, "o").tolist() == [[0, 0, 1, 0]] * 2
    np.testing.assert_allclose(read_orientations(TURNS, len(TURNS), "o"), TURNS.as_quat())
    with pytest.raises(ValueError, match=r"o has shape \(54, 4\), but must be \(2, 4\)"):
        read_orientations(TURNS, 2, "o")
    with pytest.raises(ValueError, match=r"o\[1\] is .* must be a quaternion"):
        read_orientations([[0, 0, 0, 1], [0, 0, 0, 0]], 2, "o")
