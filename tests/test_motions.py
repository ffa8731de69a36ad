"""Motions: poses and twists against each other, and what walls may be given."""

import json
import math
import pickle

import numpy as np
import pytest

import abut
from abut.base.values import from_dict
from abut.simulation.motions import Motion, call_given, check_given, read_motion

ROTATING = abut.Rotating(axis=(1, 2, 2), origin=(0.3, -0.2, 0.5), rate=-3.0)
TRANSLATING = abut.Translating((0.1, -0.2, 0.3))
OSCILLATING = abut.Oscillating((0.01, 0.0, 0.02), frequency=5.0, phase=0.7)
MOTIONS = [
    ROTATING,
    TRANSLATING,
    OSCILLATING,
    abut.Motions([ROTATING, TRANSLATING]),
    abut.Motions([TRANSLATING, abut.Motions([ROTATING, OSCILLATING]), ROTATING]),
]


def turned(axis, angle):
    """A rotation by SciPy."""
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    return rotation.from_rotvec(angle * np.asarray(axis) / np.linalg.norm(axis)).as_matrix()


@pytest.mark.parametrize("motion", MOTIONS, ids=repr)
def test_it_begins_where_things_are(motion):
    np.testing.assert_allclose(motion.pose(0.0), np.eye(4), atol=1e-15)


@pytest.mark.parametrize("motion", MOTIONS, ids=repr)
@pytest.mark.parametrize("t", [0.0, 0.37, 12.5])
def test_a_twist_is_the_change_of_the_pose(motion, t):
    h = 1e-5
    rate = (motion.pose(t + h) - motion.pose(t - h)) / (2 * h)
    spin = rate[:3, :3] @ motion.pose(t)[:3, :3].T
    found = [*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]]
    np.testing.assert_allclose(motion.twist(t), found, atol=1e-7)


def test_rotating():
    pose = ROTATING.pose(0.25)
    rotation = turned((1, 2, 2), -0.75)
    np.testing.assert_allclose(pose[:3, :3], rotation, atol=1e-15)
    point = [0.3, -0.2, 0.5, 1.0]  # of the axis
    np.testing.assert_allclose(pose @ point, point, atol=1e-15)
    assert pose[3].tolist() == [0, 0, 0, 1]


def test_many_turns_keep_the_pose_rigid():
    rotation = abut.Rotating((1, 1, 1), rate=100.0).pose(1e4)[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("length", [1e-300, 1.0, 1e300])
def test_the_axis_may_have_any_length(length):
    (part,) = abut.Rotating((0, 3 * length, 4 * length), rate=2.0).parts()
    np.testing.assert_allclose(part.vector, (0, 0.6, 0.8), rtol=1e-15)
    assert part == (0, part.vector, (0, 0, 0), 2.0, 0.0)


def test_oscillating():
    shift = math.sin(2 * math.pi * 5 * 0.03 + 0.7) - math.sin(0.7)
    np.testing.assert_allclose(OSCILLATING.pose(0.03)[:3, 3], [0.01 * shift, 0, 0.02 * shift])
    assert OSCILLATING.parts() == [(2, (0.01, 0, 0.02), (0, 0, 0), 5.0, 0.7)]
    assert TRANSLATING.parts() == [(1, (0.1, -0.2, 0.3), (0, 0, 0), 0.0, 0.0)]


def test_the_first_motion_moves_the_wall_and_the_next_one_its_axis():
    spin = abut.Rotating((0, 0, 1), origin=(1, 0, 0), rate=2.0)
    orbit = abut.Rotating((0, 0, 1), rate=0.5)
    pose = abut.Motions([spin, orbit]).pose(math.pi)
    np.testing.assert_allclose(pose @ [1, 0, 0, 1], [0, 1, 0, 1], atol=1e-15)  # a quarter round
    np.testing.assert_allclose(pose[:3, :3], turned((0, 0, 1), 2.5 * math.pi), atol=1e-15)


def test_motions_are_flat():
    nested = abut.Motions([TRANSLATING, abut.Motions([ROTATING, OSCILLATING])])
    assert nested.parts() == [*TRANSLATING.parts(), *ROTATING.parts(), *OSCILLATING.parts()]
    assert abut.Motions([]).parts() == []


@pytest.mark.parametrize("motion", MOTIONS, ids=repr)
def test_copies(motion):
    assert pickle.loads(pickle.dumps(motion)) == motion
    assert from_dict(json.loads(json.dumps(motion.to_dict()))) == motion
    assert eval(repr(motion), vars(abut)) == motion
    assert isinstance(motion, Motion)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: abut.Rotating((0, 0, 0)), r"axis is \(0.0, 0.0, 0.0\), but must have a direction"),
        (lambda: abut.Rotating((0, np.nan, 0)), r"axis\[1\] is nan, but must be finite"),
        (lambda: abut.Rotating((1, 0)), r"axis has shape \(2,\), but must be \(3,\)"),
        (lambda: abut.Rotating((1, 0, 0), origin=(0, 0, np.inf)), r"origin\[2\] is inf"),
        (lambda: abut.Rotating((1, 0, 0), rate=np.nan), "rate is nan"),
        (lambda: abut.Translating((np.nan, 0, 0)), r"velocity\[0\] is nan"),
        (lambda: abut.Oscillating((0, 0, np.inf), 1.0), r"amplitude\[2\] is inf"),
        (lambda: abut.Oscillating((0, 0, 1), -1.0), "frequency is -1.0"),
        (lambda: abut.Oscillating((0, 0, 1), 1.0, phase=np.nan), "phase is nan"),
    ],
)
def test_what_is_no_motion(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: abut.Rotating("x"), "axis is 'x'"),
        (lambda: abut.Rotating((1, 0, 0), rate=True), "rate has dtype bool"),
        (lambda: abut.Translating(None), "velocity is None"),
        (lambda: abut.Motions(ROTATING), "motions is a Rotating, but must be a list of motions"),
        (lambda: abut.Motions([ROTATING, None]), r"motions\[1\] is None, but must be a Rotating"),
        (lambda: abut.Motions([lambda t: None]), r"motions\[0\] is a function"),
    ],
)
def test_what_is_no_number(make, message):
    with pytest.raises(TypeError, match=message):
        make()


# ---- what walls are given ----


def test_what_a_wall_may_be_given():
    def call(t):
        return np.eye(4), np.zeros(6)

    assert [read_motion(value) for value in (None, ROTATING, call)] == [None, ROTATING, call]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.eye(4), "motion is an ndarray, which is a pose, not a motion"),
        ("spin", "motion is 'spin', but must be a Rotating"),
        (18.85, "motion is 18.85"),
        (abut.Rotating, r"motion is the class Rotating.*: give Rotating\(\.\.\.\)"),
        ([ROTATING], r"motion is a list.*: give Motions\(\[\.\.\.\]\)"),
    ],
)
def test_what_moves_no_wall(value, message):
    with pytest.raises(TypeError, match=message):
        read_motion(value)


def test_a_rotation_of_scipy_is_a_pose():
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    with pytest.raises(TypeError, match=r"is a pose, not a motion: mesh\.transformed\(pose\)"):
        read_motion(rotation.from_rotvec([0, 0, 1]))


@pytest.mark.parametrize("motion", MOTIONS, ids=repr)
@pytest.mark.parametrize("t", [0.0, 0.37])
def test_a_callable_that_agrees_with_itself(motion, t):
    pose, twist = check_given(lambda t: (motion.pose(t), motion.twist(t)), t, 5e-5, 0.2)
    np.testing.assert_allclose(pose, motion.pose(t), atol=1e-15)
    np.testing.assert_array_equal(twist, motion.twist(t))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_motion_agrees_in_any_unit_of_length(scale):
    motion = abut.Motions([
        abut.Rotating((1, 1, 1), origin=(scale, -scale, scale), rate=2.0),
        abut.Translating((1e-3 * scale, 0, 0)),
    ])  # fmt: skip
    check_given(lambda t: (motion.pose(t), motion.twist(t)), 3.0, 1e-5, scale)


def test_a_callable_may_begin_to_move():
    def ramp(t):
        moved = abut.Rotating((0, 0, 1), rate=4.0)
        return moved.pose(max(t - 1.0, 0.0)), moved.twist(0.0) * (t >= 1.0)

    for t in (0.99995, 0.99997, 1.0, 1.00001):
        check_given(ramp, t, 5e-5, 1.0)


def wrong(change):
    """A callable with a twist that does not fit its pose."""
    motion = abut.Rotating((0, 0, 1), origin=(0.1, 0, 0), rate=2.0)
    return lambda t: (motion.pose(t), change(motion.twist(t)))


@pytest.mark.parametrize(
    "change",
    [
        lambda twist: -twist,
        lambda twist: np.roll(twist, 3),
        lambda twist: np.degrees(twist),
        lambda twist: 1.05 * twist,
        lambda twist: twist * [0, 0, 0, 1, 1, 1],
        lambda twist: twist * 0,
        lambda twist: twist + [0, 0, 0.1, 0, 0, 0],
    ],
)
def test_a_twist_that_is_not_the_pose_s(change):
    with pytest.raises(ValueError, match=r"pose and twist at time 0.5 do not agree: .* twist is"):
        check_given(wrong(change), 0.5, 5e-5, 0.2)


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (None, TypeError, "the motion returned None at time 2, but must return a pose"),
        (np.eye(4), TypeError, "the motion returned an ndarray"),
        ((np.eye(4),), TypeError, "the motion returned a tuple"),
        ((np.eye(3), np.zeros(6)), ValueError, r"pose at time 2 has shape \(3, 3\)"),
        ((2 * np.eye(4), np.zeros(6)), ValueError, "pose at time 2 is not rigid"),
        ((np.full((4, 4), np.nan), np.zeros(6)), ValueError, "pose at time 2 has an entry that"),
        ((np.eye(4), np.zeros(3)), ValueError, r"twist at time 2 has shape \(3,\)"),
        ((np.eye(4), np.full(6, np.nan)), ValueError, "twist at time 2 has an entry that is not"),
        ((np.eye(4), "fast"), TypeError, "twist at time 2 is 'fast'"),
    ],
)
def test_what_a_callable_may_not_return(returned, error, message):
    with pytest.raises(error, match=message):
        call_given(lambda t: returned, 2.0)


def test_a_callable_s_own_exception_comes_out():
    with pytest.raises(ZeroDivisionError):
        check_given(lambda t: 1 / 0, 0.0, 1.0, 1.0)


# ---- walls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("motion", MOTIONS, ids=repr)
def test_walls_move_as_motions_say(motion):
    """The library computes poses itself."""
    ball, steel = abut.Material(density=1000, young=1e5), abut.Material()
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0), workers=1)
    sim.set_law(ball, steel, abut.Linear(1.0))
    wall = sim.add_wall(abut.examples.plane(cells=2), steel, motion=motion)
    sim.run(steps=370)
    np.testing.assert_allclose(wall.pose, motion.pose(sim.time), atol=1e-14)
    # a second motion begins where the first one has led
    before, wall.motion = wall.pose, ROTATING
    sim.run(steps=130)
    np.testing.assert_allclose(wall.pose, ROTATING.pose(0.13) @ before, atol=1e-14)


@pytest.mark.parametrize("motion", MOTIONS, ids=repr)
def test_a_callable_moves_a_wall_alike(motion):
    """Forces and torques on a wall that rubs along a ball, by twists of either kind."""

    def ran(motion):
        ball, steel = abut.Material(density=1e6, young=1e5), abut.Material()
        sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0), workers=1)
        sim.set_law(ball, steel, abut.Linear(1.0, friction=0.5))
        wall = sim.add_wall(abut.examples.plane(cells=2), steel, motion=motion)
        sim.add_spheres([[0.5, 0.5, 0.19]], 0.2, ball)
        sim.run(steps=20)
        return wall.force, sim.centers

    def call(t):
        return motion.pose(t), motion.twist(t)

    force, centers = ran(motion)
    assert np.linalg.norm(force[:2]) > 0
    for found, expected in zip(ran(call), (force, centers), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)
