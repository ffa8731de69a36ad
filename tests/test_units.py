"""A warning where nothing touches and spheres and mesh look as if they had different units."""

import warnings

import numpy as np
import pytest

import abut

SQUARE = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
UNIT = r"; are all lengths in one unit\? If not, use read_mesh\(\.\.\., scale=1e-3\), or --scale"


def warned(centers, radii, mesh=SQUARE, **options):
    """The warning for a search without contacts, or nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(abut.find_contacts(centers, radii, mesh, **options)) == 0
    assert all(one.category is abut.MeshWarning for one in caught)
    return [str(one.message) for one in caught]


# ---- sizes ---------------------------------------------------------------------------------------


def test_spheres_that_are_too_small():
    """The square's diagonal is 1.414, which is 300 times 0.004714."""
    with pytest.warns(abut.MeshWarning, match="the mesh is 1,400 times as large as the l.*" + UNIT):
        abut.find_contacts([[0.5, 0.5, 0.1]], 1e-3, SQUARE)
    above_and_below = [[0.5, 0.5, 0.005], [0.5, 0.5, -0.005]]
    assert "the largest radius" in warned(above_and_below, [0.0047, 0.001])[0]
    assert warned(above_and_below, [0.00475, 0.001]) == []


def test_spheres_that_are_too_large():
    """A ring in millimeters around a square in meters: 820 wide and as deep, with its spheres."""
    angle = np.linspace(0, 2 * np.pi, 20)
    ring = 400 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    message = "the spheres' box is 820 times as large as the mesh" + UNIT
    with pytest.warns(abut.MeshWarning, match=message):
        abut.find_contacts(ring, 10.0, SQUARE)
    assert warned(ring / 4, 10.0) == []


def test_a_common_unit_is_no_reason_to_warn():
    """In a box that meets the mesh's, with sizes that are like it."""
    assert warned([[0.5, 0.5, 0.2], [0.5, 0.5, -0.2]], 0.1) == []


def test_a_sphere_that_holds_a_mesh():
    """Deep inside: one that rests on a small mesh is as it should be."""
    words = r"sphere 1 contains all of mesh 0: are all lengths in one unit\?"
    centers = [[0.5, 0.5, 0.4], [0.2, 0.2, 3]]
    with pytest.warns(abut.MeshWarning, match=words):
        abut.find_contacts(centers, [0.5, 1000], SQUARE)
    shift = np.eye(4)
    shift[:3, 3] = 0, 0, -996
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(abut.find_contacts(centers[1:], 1000, SQUARE, poses=[shift])) == 1


# ---- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("center", "axis"), [([3, 0.5, 0], "x"), ([0.5, -3, 0], "y"), ([0.5, 0.5, 2], "z")]
)
def test_boxes_that_do_not_meet(center, axis):
    (message,) = warned([center], 0.5)
    assert message.startswith(f"nothing touches: along {axis} the spheres' box does not meet the")
    assert "\n" not in message


def test_gap_makes_the_spheres_box_larger():
    """(1.7, 1.7, 0) is 0.99 from the square's corner, and 0.7 from its box along x and y."""
    assert warned([[1.7, 1.7, 0]], 0.5, gap=0.1)
    assert warned([[1.7, 1.7, 0]], 0.5, gap=0.3) == []


def test_poses_move_the_mesh():
    pose = np.array([[0, 0, 1, 9], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    near, far = [[8, 0.5, 0.5], [10, 0.5, 0.5]], [[0.5, 0.5, 1]]
    assert warned(near, 0.5, poses=pose) == []
    assert "along x" in warned(far, 0.5, poses=pose)[0]


def test_an_axis_with_a_period_has_no_end():
    assert "along x" in warned([[7.5, 0.5, 0.3]], 0.2)[0]
    between = [[7.5, 0.5, 0.3], [7.5, 0.5, -0.3]]
    assert warned(between, 0.2, period=(2, None, None)) == []
    assert "along y" in warned([[7.5, 9, 0]], 0.2, period=(2, None, None))[0]


# ---- when nobody asks ----------------------------------------------------------------------------


def test_a_finder_that_is_asked_in_every_step_says_nothing():
    finder = abut.ContactFinder(SQUARE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for height in (9.0, 8.0, 7.0):
            assert len(finder.find([[0.5, 0.5, height]], 1e-3)) == 0
