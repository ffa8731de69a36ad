"""Half spaces: values that do not change."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.base.values import from_dict

numbers = st.floats(-1e300, 1e300)


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
        ((0, 0, 0), (0, 0, 0), ValueError, "normal is (0.0, 0.0, 0.0), which has no direction"),
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


# ---- in a search ---------------------------------------------------------------------------------

SQUARE = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
FLOOR = abut.HalfSpace((0, 0, 0), (0, 0, 1))
SIDE = abut.HalfSpace((0.1, 0, 0), (1, 0, 0))
BALL = [[0.5, 0.5, 0.4]], 0.5


def test_alone():
    for surfaces in (SIDE, [SIDE]):
        contacts = abut.find_contacts([[0.5, 7, 9], [3, 0, 0]], 0.5, surfaces)
        assert contacts.sphere.tolist() == contacts.mesh.tolist() == contacts.facet.tolist() == [0]
        assert contacts.type.tolist() == [abut.FACET] and contacts.share.tolist() == [1.0]
        np.testing.assert_allclose(contacts.overlap, [0.1], rtol=1e-14)
        np.testing.assert_allclose(contacts.point, [[0.1, 7, 9]], rtol=1e-14)
        assert contacts.node.tolist() == [0] and contacts.weight.tolist() == [1.0]


def test_center_in_the_wall_is_pushed_out():
    contacts = abut.find_contacts([[-2.9, 0, 0]], 0.5, SIDE)
    np.testing.assert_allclose(contacts.overlap, [3.5], rtol=1e-14)
    assert contacts.normal.tolist() == [[1, 0, 0]]
    np.testing.assert_allclose(contacts.point, [[0.1, 0, 0]], atol=1e-14)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_numbers_are_those_of_the_list(order):
    lid = abut.HalfSpace((0, 0, 0.8), (0, 0, -1))
    away = abut.Mesh(SQUARE.vertices + [0.5, 0, 0.35], SQUARE.indices.reshape(1, 4))
    surfaces = [SQUARE, SIDE, lid, away]
    contacts = abut.find_contacts(*BALL, [surfaces[k] for k in order], resolution="all")
    assert len(contacts) == 4
    named = np.array(order)[contacts.mesh]
    expected = {0: [0, 0, 1], 1: [1, 0, 0], 2: [0, 0, -1]}
    for row, surface in enumerate(named):
        if surface in expected:
            assert contacts.normal[row].tolist() == expected[surface]
    assert sorted(named) == [0, 1, 2, 3]
    finder = abut.ContactFinder([surfaces[k] for k in order])
    again = pickle.loads(pickle.dumps(finder))
    assert again.find(*BALL, resolution="all") == contacts
    assert [type(one) for one in again.meshes] == [type(surfaces[k]) for k in order]


def test_corner_of_a_mesh_and_a_half_space():
    """Both push, as with two meshes; in the floor's plane there is one contact."""
    corner = abut.find_contacts(*BALL, [SQUARE, SIDE])
    assert corner.mesh.tolist() == [0, 1]
    assert corner.normal.tolist() == [[0, 0, 1], [1, 0, 0]]
    rng = np.random.default_rng(1)
    centers = rng.uniform([-1, -1, 0.01], [2, 2, 0.6], (500, 3))
    alone = abut.find_contacts(centers, 0.5, FLOOR)
    for surfaces in ([SQUARE, FLOOR], [FLOOR, FLOOR], [FLOOR, SQUARE, SQUARE]):
        both = abut.find_contacts(centers, 0.5, surfaces)
        assert (both.counts == alone.counts).all()
        np.testing.assert_allclose(both.normal, alone.normal, atol=1e-15)
        np.testing.assert_allclose(both.overlap, alone.overlap, rtol=1e-14)
        # outside of the square its edges share contacts, too
        over = (abs(centers[:, :2] - 0.5) < 0.5).all(axis=1)
        shared = abut.find_contacts(centers[over], 0.5, surfaces, resolution="sharing")
        force = shared.sum(shared.share * shared.overlap**1.5)
        np.testing.assert_allclose(force, alone.sum(alone.overlap**1.5)[over], rtol=1e-12)


def test_edge_and_plane_that_face_one_way():
    """The edge of a table in the wall does not push; a wall behind an edge does not, either."""
    center = [[-0.3, 0.5, 0.0]]
    behind = abut.find_contacts(center, 0.5, [SQUARE, abut.HalfSpace((-0.1, 0, 0), (-1, 0, 0))])
    before = abut.find_contacts(center, 0.5, [SQUARE, abut.HalfSpace((0.1, 0, 0), (-1, 0, 0))])
    assert behind.mesh.tolist() == [1] and behind.type.tolist() == [abut.FACET]
    assert before.mesh.tolist() == [0] and before.type.tolist() == [abut.EDGE]
    # in the wall, beside an edge that stands out of it
    wall = abut.HalfSpace((0, -0.05, 0), (0, 1, 0))
    inside = abut.find_contacts([[0.3, -0.1, 0]], 0.5, [SQUARE, wall])
    assert inside.mesh.tolist() == [1, 0] and inside.overlap[0] == 0.55
    assert inside.normal.tolist() == [[0, 1, 0], [0, -1, 0]]


def test_pose_turns_and_shifts_it():
    rng = np.random.default_rng(2)
    centers = rng.uniform(-1, 1, (300, 3))
    pose = np.eye(4)
    pose[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    pose[:3, :3] *= np.sign(np.linalg.det(pose[:3, :3]))
    pose[:3, 3] = 0.1, -0.2, 0.3
    plane = abut.HalfSpace((0.2, 0, 0.1), (1, 2, 3))
    moved = abut.HalfSpace(pose[:3, :3] @ plane.point + pose[:3, 3], pose[:3, :3] @ plane.normal)
    finder = abut.ContactFinder([plane, SQUARE])
    found = finder.find(centers, 0.3, poses=[pose, None], gap=0.1)
    expected = abut.find_contacts(centers, 0.3, [moved, SQUARE], gap=0.1)
    assert len(found) > 50 and (found.mesh == expected.mesh).all()
    for column in ("sphere", "type", "offsets"):
        np.testing.assert_array_equal(getattr(found, column), getattr(expected, column))
    np.testing.assert_allclose(found.overlap, expected.overlap, atol=1e-14)
    np.testing.assert_allclose(found.normal, expected.normal, atol=1e-14)
    assert found.overlap.min() < 0


def test_rows_go_on():
    """A sphere that slides on a half space keeps its row; springs turn as the half space does."""
    finder = abut.ContactFinder([FLOOR, SQUARE])
    before = finder.find([[-3, 0, 0.4], [0.5, 0.5, 0.4]], 0.5)
    now = finder.find([[9, 5, 0.45], [0.6, 0.5, 0.4]], 0.5)
    assert now.match(before).tolist() == [0, 1]
    angle = 0.1
    turned = np.array([[1, 0, 0, 0], [0, math.cos(angle), -math.sin(angle), 0],
                       [0, math.sin(angle), math.cos(angle), 0], [0, 0, 0, 1]])  # fmt: skip
    after = finder.find([[-3, 0, 0.4], [0.5, 0.5, 0.4]], 0.5, poses=[turned, None])
    spring = after.carry([[0, 1.0, 0], [0, 0, 0]], before)[:1]
    np.testing.assert_allclose(spring, [[0, math.cos(angle), math.sin(angle)]], atol=1e-14)
    # of another finder of equal half spaces, too
    again = abut.find_contacts([[-3, 0, 0.4]], 0.5, abut.HalfSpace((0, 0, 0), (0, 0, 2)))
    assert again.match(abut.find_contacts([[-3, 0, 0.4]], 0.5, FLOOR)).tolist() == [0]


def test_errors_of_a_search():
    with pytest.raises(
        ValueError, match=r"half space 1 is not parallel to vector 0 of the period: its"
    ):
        abut.find_contacts(*BALL, [FLOOR, SQUARE, SIDE], period=(3, None, None))
    assert len(abut.find_contacts(*BALL, [FLOOR], period=(3, 3, None))) == 1
    with pytest.raises(ValueError, match=r"meshes\[1\]: point\[2\] is 1e\+80; coordinates must"):
        abut.find_contacts(*BALL, [SQUARE, abut.HalfSpace((0, 0, 1e80), (0, 0, 1))])
    with pytest.raises(TypeError, match=r"meshes\[1\]: a mesh cannot be made of"):
        abut.ContactFinder([FLOOR, None])
    with pytest.raises(ValueError, match="poses"):
        abut.find_contacts(*BALL, [FLOOR, SQUARE], poses=[np.eye(4)])
    finder = abut.ConvexFinder([abut.ConvexShape(np.eye(3, 4).T)], [0])
    with pytest.raises(ValueError, match=r"walls\[0\] is a ContactFinder that has half spaces"):
        finder.find_walls([[0, 0, 0]], [[0, 0, 0, 1]], walls=abut.ContactFinder([SQUARE, FLOOR]))
