"""Half spaces: values that do not change."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.base.values import from_dict

numbers = st.floats(-1e300, 1e300)


def test_normal_is_made_a_unit_vector():
    floor = abut.HalfSpace([1, 2, 3], np.array([0.0, 3.0, 4.0], np.float32))
    assert floor.point == (1.0, 2.0, 3.0)
    assert floor.normal == (0.0, 0.6, 0.8)
    assert abut.HalfSpace((0, 0, 0), (0, 0, -5)).normal == (0.0, 0.0, -1.0)


@given(st.tuples(numbers, numbers, numbers).filter(any))
def test_normal_has_length_one_and_the_given_direction(normal):
    made = abut.HalfSpace((0, 0, 0), normal).normal
    assert math.isclose(math.hypot(*made), 1.0, rel_tol=1e-15)
    largest = max(range(3), key=lambda axis: abs(normal[axis]))
    for axis in range(3):
        expected = normal[axis] / abs(normal[largest]) * abs(made[largest])
        assert math.isclose(made[axis], expected, rel_tol=1e-14, abs_tol=1e-300)


@given(st.tuples(numbers, numbers, numbers).filter(any))
def test_an_equal_one_is_made_of_what_it_has(normal):
    plane = abut.HalfSpace((1, -2, 0.1), normal)
    assert abut.HalfSpace(plane.point, plane.normal) == plane
    assert from_dict(plane.to_dict()) == plane
    assert eval(repr(plane), {"HalfSpace": abut.HalfSpace}) == plane


def test_it_is_a_value():
    plane = abut.HalfSpace((0, 0, 1), (0, 0, 1))
    assert plane == abut.HalfSpace([0, 0, 1.0], [0, 0, 7])
    assert plane != abut.HalfSpace((0, 0, 1), (0, 0, -1)) and plane != abut.HalfSpace(
        (0, 0, 2), (0, 0, 1)
    )
    assert (
        len({plane, copy.copy(plane), copy.deepcopy(plane), pickle.loads(pickle.dumps(plane))}) == 1
    )
    with pytest.raises(AttributeError):
        plane.point = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("point", "normal", "error", "message"),
    [
        ((0, 0), (0, 0, 1), ValueError, "point has shape (2,), but must be (3,)"),
        ((0, np.nan, 0), (0, 0, 1), ValueError, "point[1] is nan, but must be finite"),
        ((0, 0, 0), (0, 0, np.inf), ValueError, "normal[2] is inf, but must be finite"),
        ((0, 0, 0), (0, 0, 0), ValueError, "normal is (0.0, 0.0, 0.0), which is no direction"),
        ((0, 0, 0), [[0, 0, 1]], ValueError, "normal has shape (1, 3), but must be (3,)"),
        ("origin", (0, 0, 1), TypeError, "point is 'origin', but must be real numbers"),
        ((0, 0, 0), None, TypeError, "normal is None, but must be real numbers"),
        (
            (True, False, True),
            (0, 0, 1),
            TypeError,
            "point has dtype bool, but must be real numbers",
        ),
    ],
)
def test_bad_input(point, normal, error, message):
    with pytest.raises(error) as caught:
        abut.HalfSpace(point, normal)
    assert message in str(caught.value)
