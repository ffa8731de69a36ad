"""Functions of base/arithmetic.py against those of `math` and NumPy."""

import math

import numpy as np
import pytest

from abut.base import arithmetic

SEED = np.random.default_rng(0)
ANGLES = np.concatenate(
    [SEED.uniform(-1e3, 1e3, 500), np.arange(-8, 9) * (math.pi / 4), [0.0, 1e-300, 1e6]]
)
TENSORS = {
    "a box": np.diag([3.0, 1.0, 2.0]),
    "a ball": np.eye(3),
    "a needle": np.array([[1.0, 1e-7, 0], [1e-7, 2e-14, 0], [0, 0, 1.0]]),
    "nothing": np.zeros((3, 3)),
    "two alike": np.array([[2.0, 1, 1], [1, 2, 1], [1, 1, 2]]),
    "huge": 1e200 * np.array([[4.0, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 5]]),
}


def test_angles_are_those_of_math():
    sines, cosines = arithmetic.sine_cosine(ANGLES)
    # one of both may be as small as what pi / 2 is rounded by
    assert sines == pytest.approx([math.sin(a) for a in ANGLES], rel=4e-16, abs=1e-25)
    assert cosines == pytest.approx([math.cos(a) for a in ANGLES], rel=4e-16, abs=1e-25)
    x, y = SEED.normal(size=(2, 500))
    found = arithmetic.arc_tangent(y, x)
    assert found == pytest.approx(list(map(math.atan2, y, x)), rel=1e-15)
    inside = np.tanh(3.0 * x)
    assert arithmetic.arc_cosine(inside) == pytest.approx(list(map(math.acos, inside)), rel=2e-15)


def test_logarithms_and_powers_are_those_of_math():
    positive = np.concatenate([2.0 ** SEED.uniform(-1022, 1023, 500), SEED.random(500), [1.0]])
    known = list(map(math.log, positive))
    assert arithmetic.logarithm(positive) == pytest.approx(known, rel=1e-15)
    exponents = SEED.uniform(-700, 700, 500)
    powers = arithmetic.power_of_e(exponents)
    assert powers == pytest.approx(list(map(math.exp, exponents)), rel=1e-15)
    assert (arithmetic.logarithm(1.0), arithmetic.power_of_e(0.0)) == (0.0, 1.0)


def test_angles_at_their_ends_are_exact():
    assert arithmetic.arc_cosine(np.array([1.0, -1.0])).tolist() == [0, math.pi]
    x, y = np.array([[1.0, 0, -1, 0, 0], [0.0, 1, 0, -1, 0]])
    assert arithmetic.arc_tangent(y, x).tolist() == [0, math.pi / 2, math.pi, -math.pi / 2, 0]
    assert [part.tolist() for part in arithmetic.sine_cosine(np.zeros(1))] == [[0.0], [1.0]]


def test_products_are_numpys():
    a, b = SEED.normal(size=(4, 3)), SEED.normal(size=(3, 5))
    assert arithmetic.matrix_product(a, b) == pytest.approx(a @ b, rel=1e-14, abs=1e-15)
    assert arithmetic.dots(a, b[:, 0]) == pytest.approx(a @ b[:, 0], rel=1e-14, abs=1e-15)
    assert arithmetic.lengths(a) == pytest.approx(np.linalg.norm(a, axis=1), rel=1e-15)


@pytest.mark.parametrize("vector", [(3.0, 0.0, -4.0), (1e300, 1e300, 0.0), (0.0, 3e-320, 0.0)])
def test_units_of_any_size(vector):
    unit, length = arithmetic.unit_and_length(vector)
    assert math.hypot(*unit) == pytest.approx(1.0, rel=1e-15)
    assert length == pytest.approx(math.hypot(*vector), rel=1e-15)


@pytest.mark.parametrize("tensor", TENSORS.values(), ids=TENSORS.keys())
def test_principal_axes(tensor):
    moments, axes = arithmetic.principal_axes(tensor)
    size = np.abs(tensor).max()
    assert (np.diff(moments) >= 0).all()
    assert (axes * moments) @ axes.T == pytest.approx(tensor, abs=2e-15 * size)
    assert axes.T @ axes == pytest.approx(np.eye(3), abs=2e-15)
    assert np.linalg.det(axes) == pytest.approx(1.0, abs=2e-15)
    assert (axes[np.abs(axes[:, :2]).argmax(axis=0), [0, 1]] > 0).all()


def test_the_least_moment_keeps_its_digits():
    """The smallest moment of a needle is 1e-14 of the others; the library's products lose it."""
    moments, _ = arithmetic.principal_axes(TENSORS["a needle"])
    # of [[1, e], [e, 2 e^2]]: (1 + 2 e^2 - sqrt(1 + 4 e^4)) / 2 = e^2 - e^4 + ...
    assert moments[0] == pytest.approx(1e-14, rel=1e-13)
