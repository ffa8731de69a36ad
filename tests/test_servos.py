"""Walls under loads that vary, with other motions, limits of speed, and areas of the library."""

import math
import warnings

import numpy as np
import pytest

import abut
from reference_drives import dragged, greatest_speed, hertz_press, settled_speed, shadow
from test_drives import DOWN, GRAIN, STEEL, a_box, bed, raised

LATERAL = abut.Oscillating((0.02, 0, 0), frequency=3)


def loaded(servo, steps, *, step=1e-3, before=()):
    """A wall with mass 1 that touches nothing; returns the accelerations along z, which are loads.

    The walls `before` come first: pairs of a surface and a motion.
    """
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    for surface, motion in before:
        sim.add_wall(surface, STEEL, motion=motion)
    wall = sim.add_wall(DOWN, STEEL, motion=servo)
    speeds = [wall.twist[2]]
    for _ in range(steps):
        sim.run(steps=1)
        speeds.append(wall.twist[2])
    return np.diff(speeds) / step


# ---- loads that vary -----------------------------------------------------------------------------


def test_a_load_is_that_of_the_time_at_which_a_step_begins():
    times = 1e-3 * np.arange(6)
    servo = abut.Servo(force=lambda t: 3 + 100 * t, normal=(0, 0, 2), mass=1.0)
    np.testing.assert_allclose(loaded(servo, 6), 3 + 100 * times)
    servo = abut.Servo(pressure=lambda t: 100 * t, normal=(0, 0, -1), mass=1.0)
    np.testing.assert_allclose(loaded(servo, 6), -4 * 100 * times, atol=1e-12)
    servo = abut.Servo(
        pressure=lambda t: 100 * t, normal=(0, 0, 1), area=lambda s: 1 + s.time, mass=1.0
    )
    np.testing.assert_allclose(loaded(servo, 6), (1 + times) * 100 * times, atol=1e-12)
    servo = abut.Servo(pressure=lambda t: 100 * t, normal=(0, 0, 1), area=0.5, mass=1.0)
    np.testing.assert_allclose(loaded(servo, 6), 0.5 * 100 * times, atol=1e-12)
    servo = abut.Servo(force=7.0, normal=(0, 0, 1), mass=1.0)
    np.testing.assert_allclose(loaded(servo, 3), 7.0)


def cyclic(load, period):
    """A load that vanishes for a part of each period."""
    return lambda t: load * max(0.0, math.sin(2 * math.pi * t / period) - 0.3)


def test_each_step_under_a_load_that_varies_is_one_of_newtons():
    sim, lid, load = bed(None, ratio=1e4, friction=0.0)
    sim.run(steps=600)
    call = cyclic(load, 400 * sim.step)
    lid.motion = abut.Servo(force=call, normal=(0, 0, -1))
    axis, speed, loads = np.array([0.0, 0.0, -1.0]), -lid.twist[2], []
    kinds = set()
    for _ in range(1000):
        loads.append(call(sim.time))
        sim.run(steps=1)
        press = hertz_press(sim, lid, axis, 1e4, 0.2, 0.3)
        most = greatest_speed(sim, loads, press[0])
        speed = settled_speed(speed, loads[-1], press, sim.step, most)
        assert lid.twist[2] == pytest.approx(-speed, rel=1e-9, abs=1e-12 * most)
        kinds.add((loads[-1] > 0, press[1] > 0))
    assert kinds == {(False, False), (True, False), (True, True), (False, True)}


def test_a_load_of_zero_backs_off_and_stands_still():
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0))
    sim.set_law(GRAIN, STEEL, abut.Linear(stiffness=1e4, restitution=0.3))
    lid = sim.add_wall(raised(DOWN, 0.2), STEEL, motion=abut.Servo(force=(0, 0, -5.0)))
    sim.add_spheres([[0, 0, 0.1]], 0.1, GRAIN, fixed=True)
    sim.run(0.5)
    assert lid.travel[2] == pytest.approx(-5e-4, rel=1e-6)
    lid.motion = abut.Servo(force=lambda t: 0.0, normal=(0, 0, -1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(1.0)
    assert lid.force[2] == pytest.approx(0.0, abs=1e-6)
    assert lid.pose[2, 3] == pytest.approx(0.0, abs=1e-9)
    lid.motion = None
    lid.motion = abut.Servo(pressure=lambda t: 0.0, normal=(0, 0, 1), area=1.0)
    sim.run(0.1)
    assert lid.travel.tolist() == [0, 0, 0]


def test_a_ramp_is_followed():
    sim, lid, load = bed(None, ratio=1e4)
    sim.run(steps=5000)
    begin, end = sim.time, sim.time + 3000 * sim.step
    lid.motion = abut.Servo(
        pressure=lambda t: 1 + (t - begin) / (end - begin), normal=(0, 0, -1), area=load
    )
    forces = sim.record(sim.step, lambda s: lid.force[2])
    sim.run(steps=3000)
    wanted = load * (1 + (forces.times - begin) / (end - begin))
    assert np.sqrt(np.mean((forces.values / wanted - 1)[500:] ** 2)) < 5e-3


@pytest.mark.parametrize("value", [-2.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["force", "pressure"])
def test_a_load_that_is_negative_or_not_finite_ends_the_run(name, value):
    sim = abut.Simulation(step=0.25)
    wall = sim.add_wall(DOWN, STEEL)
    wall.motion = abut.Servo(**{name: lambda t: value if t == 0.5 else 1.0}, normal=(0, 0, 1))
    with pytest.raises(ValueError, match=f"the {name} that the callable returned at time 0.5 is"):
        sim.run(1.0)
    assert sim.step_count == 2


# ---- with other motions --------------------------------------------------------------------------


def on_a_ball(motion, *, friction=0.3, height=0.2):
    """A lid on a ball that is held; the lid begins at this height."""
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0))
    sim.set_law(GRAIN, STEEL, abut.Linear(stiffness=1e4, restitution=0.3, friction=friction))
    lid = sim.add_wall(raised(DOWN, height), STEEL, motion=motion)
    sim.add_spheres([[0.3, 0, 0.1]], 0.1, GRAIN, fixed=True)
    return sim, lid


def test_a_plate_is_pressed_and_dragged():
    press = abut.Servo(force=(0, 0, -5.0))
    sim, lid = on_a_ball(abut.Motions([press, abut.Translating((0.5, 0, 0))]))
    sim.run(0.5)
    np.testing.assert_allclose(lid.force, [-0.3 * 5, 0, 5], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(lid.travel, [0.25, 0, -5e-4], rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(lid.twist, [0.5, 0, 0, 0, 0, 0], atol=1e-6)
    assert lid.power == pytest.approx(-0.3 * 5 * 0.5, rel=1e-5)
    assert sim.energy.wall_work == pytest.approx(-0.3 * 5 * 0.25 - 5 * 5e-4, rel=0.02)


def test_a_lid_turns_under_its_load():
    """As in ring shear: the torque about the axis is the arm times Coulomb's force."""
    turn = abut.Rotating(axis=(0, 0, 1), rate=-2.0)
    sim, lid = on_a_ball(abut.Motions([turn, abut.Servo(force=(0, 0, -5.0))]))
    sim.run(0.5)
    # the spring's direction lags by a part of a step
    np.testing.assert_allclose(lid.force, [0, 0.3 * 5, 5], rtol=1e-6, atol=0.3 * 5 * 2.0 * 1e-4)
    assert lid.torque[2] == pytest.approx(0.3 * 0.3 * 5, rel=1e-6)
    corner = dragged([[1, -1, 0.2]], 0.5, -2.0, (0, 0, 1), (0, 0, 0), (0, 0, -5e-4))
    np.testing.assert_allclose(lid.pose[:3, :3] @ [1, -1, 0.2] + lid.pose[:3, 3], corner[0])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_axis_stays_in_the_world_at_any_place_of_the_list(place):
    motions = [
        abut.Rotating((0, 1, 1), (0.2, 0, 0), 3.0),
        abut.Motions([abut.Translating((0.1, 0, 0.3))]),
    ]
    motions.insert(place, abut.Servo(force=(0, 0, 2.0), mass=1.0))
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    wall = sim.add_wall(DOWN, STEEL, motion=abut.Motions(motions))
    alone = sim.add_wall(DOWN, STEEL, motion=abut.Servo(force=(0, 0, 2.0), mass=1.0))
    sim.run(steps=700)
    way = np.array([0.07, 0, 0.21]) + alone.travel
    points = wall.mesh.vertices @ wall.pose[:3, :3].T + wall.pose[:3, 3]
    wanted = dragged(wall.mesh.vertices, 0.7, 3.0, (0, 1, 1), (0.2, 0, 0), way)
    np.testing.assert_allclose(points, wanted, atol=1e-12)
    # another load begins with the present speed
    speed = wall.twist[2]
    wall.motion = abut.Motions([
        abut.Rotating((0, 1, 1), wall.travel + [0.2, 0, 0], 3.0),
        abut.Servo(force=(0, 0, 1e-6), mass=1.0),
    ])  # fmt: skip
    sim.run(steps=1)
    assert wall.twist[2] == pytest.approx(speed, abs=3.0 * 3.0 * 1e-3)


def dissipated(motion, halved):
    """By balls without damping that bounce on a wall which gives way and is moved: the root of the
    mean square over balls that hit it at different times within a step."""
    found = []
    for number in range(4):
        sim = abut.Simulation(step=2e-4 / halved, gravity=(0, 0, -1.0))
        sim.set_law(GRAIN, STEEL, abut.Hertz(restitution=1.0))
        sim.add_wall(DOWN, STEEL, motion=motion)
        height = 0.15 + number * 5.4e-5
        sim.add_spheres([[0.2, 0.1, height]], 0.1, GRAIN, velocities=[[0.1, 0, -1.0]])
        sim.run(0.1)
        assert sim.velocities[0, 2] > -0.9 and not len(sim.contacts)
        found.append(sim.energy.dissipated / (0.5 * sim.masses[0]))
    return math.sqrt(np.mean(np.square(found)))


@pytest.mark.parametrize(
    "other",
    [LATERAL, abut.Oscillating((0, 0, 0.02), 3), abut.Rotating((0, 1, 0), rate=0.5)],
    ids=["along", "across", "turning"],
)
def test_the_ledger_closes_to_second_order_of_the_step(other):
    motion = abut.Motions([other, abut.Servo(force=(0, 0, 50.0), mass=5.0)])
    coarse, fine = dissipated(motion, 1), dissipated(motion, 4)
    assert coarse < 1e-3
    assert fine < coarse / 8


def test_motions_with_a_servo_have_no_pose_as_a_function_of_time():
    motion = abut.Motions([abut.Motions([abut.Servo(force=(0, 0, 1))]), LATERAL])
    for call in (motion.pose, motion.twist):
        with pytest.raises(ValueError, match="the displacement of a Servo follows from forces"):
            call(0.0)


# ---- areas ---------------------------------------------------------------------------------------


def test_the_projection_turns_with_the_mesh():
    pytest.importorskip("scipy", reason="needs scipy")
    corners, facets = a_box((1.0, 2.0, 0.3))
    box = abut.Mesh(corners, facets)
    sim = abut.Simulation(step=1e-2, gravity=(0, 0, 0))
    press = abut.Servo(pressure=3.0, normal=(0, 1, 2), mass=1.0)
    wall = sim.add_wall(
        box, STEEL, motion=abut.Motions([abut.Rotating((1, 0, 0), rate=5.0), press])
    )
    axis, speed = np.array([0, 1, 2]) / math.sqrt(5), 0.0
    for _ in range(50):
        points = box.vertices @ wall.pose[:3, :3].T
        sim.run(steps=1)
        # the shell's middle is on the axis, so the velocity is that of the servo
        gained, speed = wall.twist[:3] @ axis - speed, wall.twist[:3] @ axis
        assert gained == pytest.approx(1e-2 * 3.0 * shadow(points, axis), rel=1e-9)
    wall.active = False
    before = wall.twist[:3] @ axis
    sim.run(steps=1)
    assert wall.twist[:3] @ axis - before == pytest.approx(gained, rel=1e-9)


SIDES = [
    (abut.HalfSpace((-1, 0, 0), (1, 0, 0)), None),
    (abut.HalfSpace((1, 0, 5), (-1, 0, 0)), abut.Translating((-50, 0, 0))),
    (abut.HalfSpace((0, -3, 0), (0, 1, 0)), abut.Translating((0, 20, 7))),
    (abut.HalfSpace((0, 3, 0), (0, -1, 0)), None),
]


def area_then(times):
    return (2 - 50 * times) * (6 - 20 * times)


def test_an_area_between_walls_is_that_of_each_step():
    servo = abut.Servo(pressure=10.0, normal=(0, 0, 1), area=((0, 1), (3, 2)), mass=1.0)
    times = 1e-3 * np.arange(5)
    np.testing.assert_allclose(loaded(servo, 5, before=SIDES), 10 * area_then(times))
    servo = abut.Servo(
        pressure=lambda t: 100 * t, normal=(0, 0, 1), area=((0, 1), (3, 2)), mass=1.0
    )
    wanted = 100 * times * area_then(times)
    np.testing.assert_allclose(loaded(servo, 5, before=SIDES), wanted, atol=1e-12)


def test_walls_that_have_passed_each_other_leave_no_load():
    servo = abut.Servo(pressure=10.0, normal=(0, 0, 1), area=((0, 1), (2, 3)), mass=1.0)
    found = loaded(servo, 60, before=SIDES)
    assert found[39] > 0
    assert not found[41:].any()


def cell():
    """Four sides, a lid with a mass between them, and walls of other numbers around."""
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    gate = sim.add_wall(abut.HalfSpace((0, 0, -9), (0, 0, 1)), STEEL)
    walls = [sim.add_wall(surface, STEEL, motion=motion) for surface, motion in SIDES]
    area = (walls[:2], walls[2:])
    motion = abut.Servo(pressure=10.0, normal=(0, 0, 1), area=area, mass=1.0)
    lid = sim.add_wall(DOWN, STEEL)
    lid.motion = abut.Motions([motion, abut.Translating((1, 0, 0))])
    assert motion.area == ((1, 2), (3, 4))
    return sim, gate, lid


def test_an_area_follows_its_walls_where_others_come_and_go(tmp_path):
    sim, gate, lid = cell()
    sim.run(steps=2)
    sim.remove_wall(gate)
    sim.run(steps=2)
    plate = sim.add_wall(raised(DOWN, 9.0), STEEL)
    sim.run(steps=2)
    plate.active = False
    sim.run(steps=2)
    speeds = 1e-3 * np.cumsum(10 * area_then(1e-3 * np.arange(10)))
    assert lid.twist[2] == pytest.approx(speeds[7])
    sim.save(tmp_path / "a.npz")
    loads = [sim, sim.copy(), abut.load_simulation(tmp_path / "a.npz", meshes=[DOWN, plate.mesh])]
    for one in loads:
        one.run(steps=2)
        assert one.walls[4].twist.tolist() == sim.walls[4].twist.tolist()
    assert lid.twist[2] == pytest.approx(speeds[9])


def test_walls_around_an_area_are_kept():
    sim, _, lid = cell()
    side = sim.walls[1]
    for change in (lambda: sim.remove_wall(side), lambda: setattr(side, "active", False)):
        with pytest.raises(
            ValueError, match=r"wall 1 bounds the area of wall 5's Servo: give wall 5"
        ):
            change()
    with pytest.raises(ValueError, match="wall 1 bounds the area"):
        sim.remove_wall([0, 1])
    assert side.active
    assert len(sim.walls) == 6
    branch = sim.copy()
    branch.remove_wall([1, 2, 5])
    assert branch.walls.numbers.tolist() == [0, 3, 4]
    lid.motion = None
    sim.remove_wall(side)


@pytest.mark.parametrize(
    ("area", "message"),
    [
        (((0, 1), (2, 9)), "area has wall 9, but there is no such wall"),
        (((0, 1), (2, -1)), "area has wall -1, but there is no such wall"),
        (((0, 1), (2, 4)), "area has wall 4, which is a mesh: give half spaces"),
        (((0, 1), (2, 5)), "area has wall 5, which is switched off"),
        (((0, 1), (2, 6)), "area has wall 6, but there is no such wall"),
        (((0, 1), (2, 2)), r"area\[1\] has the walls 2 and 2, which do not face each other"),
        (((0, 2), (1, 3)), r"area\[0\] has the walls 0 and 2, which do not face each other"),
    ],
)
def test_walls_that_bound_no_area_are_named(area, message):
    sim = abut.Simulation(step=1e-3)
    for surface, motion in SIDES:
        sim.add_wall(surface, STEEL, motion=motion)
    lid = sim.add_wall(DOWN, STEEL)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), STEEL).active = False
    sim.remove_wall(sim.add_wall(DOWN, STEEL))
    with pytest.raises(ValueError, match=message):
        lid.motion = abut.Servo(pressure=1.0, normal=(0, 0, 1), area=area)
    assert lid.motion is None


# ---- limits of speed -----------------------------------------------------------------------------


def test_a_limit_of_speed_replaces_that_of_the_load():
    for speed in (1e-3, 0.7):
        sim, lid = on_a_ball(abut.Servo(force=(0, 0, -5.0), speed=speed), height=1.5)
        sim.run(steps=10)
        assert lid.twist[2] == -speed
    # a wall that is pushed back is limited, too
    sim, lid = on_a_ball(abut.Servo(force=(0, 0, -5.0), speed=1e-3), height=0.19)
    sim.run(steps=10)
    assert lid.twist[2] == 1e-3
    sim.run(20.0)
    assert lid.force[2] == pytest.approx(5.0, rel=1e-6)


def test_a_wall_with_mass_has_a_limit_of_speed_if_given():
    servo = abut.Servo(force=(0, 0, -5.0), mass=1.0, speed=0.0125)
    np.testing.assert_allclose(loaded(servo, 4), [-5.0, -5.0, -2.5, 0.0])


# ---- half spaces ---------------------------------------------------------------------------------


def test_a_half_space_that_is_pressed_away_stops_while_another_motion_goes_on():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    sim.set_law(GRAIN, STEEL, abut.Linear(1e3))
    press = abut.Servo(force=(0, 0, -10.0))
    wall = sim.add_wall(
        abut.HalfSpace((0, 0, 0), (0, 0, 1)),
        STEEL,
        motion=abut.Motions([abut.Translating((0.1, 0, 0)), press]),
    )
    sim.add_spheres([[0, 0, 0.2]], 0.1, GRAIN)
    with pytest.warns(
        abut.SimulationWarning, match="wall 0 has left all grains with its Servo, and"
    ):
        sim.run(1.0)
    np.testing.assert_allclose(wall.travel, [0.1, 0, 0], atol=1e-12)


def test_a_half_space_without_load_does_not_warn():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    sim.set_law(GRAIN, STEEL, abut.Linear(1e4, restitution=0.3))
    press = abut.Servo(force=lambda t: 5.0 if t > 0.5 else 0.0, normal=(0, 0, -1))
    wall = sim.add_wall(abut.HalfSpace((0, 0, 0.21), (0, 0, -1)), STEEL, motion=press)
    sim.add_spheres([[0, 0, 0.1]], 0.1, GRAIN, fixed=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(0.4)
        assert wall.travel.tolist() == [0, 0, 0]
        sim.run(3.0)
    assert wall.force[2] == pytest.approx(5.0, rel=1e-6)


# ---- the same bits -------------------------------------------------------------------------------


def sheared(workers=1):
    """A bed under a lid that is dragged with a load that varies."""
    sim, lid, load = bed(None, ratio=1e3, workers=workers)
    press = abut.Servo(force=cyclic(3 * load, 200 * sim.step), normal=(0, 0, -1), speed=0.05)
    lid.motion = abut.Motions([press, abut.Translating((0.01, 0, 0))])
    sim.run(steps=800)
    return sim


def test_a_restart_and_a_copy_continue_with_the_same_bits(tmp_path):
    sim = sheared()
    sim.save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"a callable returns the load of wall 5: pass motions="):
        abut.load_simulation(tmp_path / "a.npz")
    motion = sim.walls[5].motion
    others = [sim.copy(), abut.load_simulation(tmp_path / "a.npz", motions={5: motion})]
    sim.run(steps=300)
    for other in others:
        other.run(steps=300)
        assert other.centers.tolist() == sim.centers.tolist()
        assert other.walls[5].pose.tolist() == sim.walls[5].pose.tolist()
        assert other.energy == sim.energy
    assert sim.walls[5].force[2] > 0


def test_threads_make_no_difference():
    one, three = sheared(), sheared(workers=3)
    assert one.centers.tolist() == three.centers.tolist()
    assert one.walls[5].pose.tolist() == three.walls[5].pose.tolist()


def test_a_damaged_row_is_refused(tmp_path):
    sim, _, _ = cell()
    sim.save(tmp_path / "a.npz")
    arrays = dict(np.load(tmp_path / "a.npz"))
    for name, value in (("loaded", 1.0), ("loaded", 7.0), ("pressure", -1.0), ("axis", 0.0)):
        from abut.simulation.drives import members

        drives = arrays["drives"].copy()
        members(drives[0])[name] = value
        np.savez(tmp_path / "b.npz", **(arrays | {"drives": drives}))
        with pytest.raises(ValueError, match="cannot drive a wall"):
            abut.load_simulation(tmp_path / "b.npz", meshes=[DOWN])


def test_they_go_into_a_dict_and_back():
    from abut.base.values import from_dict

    servo = abut.Servo(pressure=1.0, normal=(0, 0, 1), area=((0, 1), (2, 3)), speed=2.0)
    for motion in (servo, abut.Servo(force=2.0, normal=(0, 0, 1)), abut.Motions([servo, LATERAL])):
        assert from_dict(motion.to_dict()) == motion


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (TypeError, "a force that is no vector needs normal=", {"force": 3.0}),
        (TypeError, "a force that is no vector needs normal=", {"force": math.sin}),
        (TypeError, "pressure= needs normal=", {"pressure": math.sin}),
        (ValueError, "force is -3", {"force": -3, "normal": (0, 0, 1)}),
        (ValueError, "load is 1e-200", {"force": 1e-200, "normal": (0, 0, 1)}),
        (ValueError, "normal is .*, but must have a direction", {"force": 1, "normal": (0, 0, 0)}),
        (TypeError, "pressure", {"pressure": float, "normal": (0, 0, 1)}),
        (ValueError, "speed is 0", {"force": (0, 0, 1), "speed": 0}),
        (TypeError, "mass", {"force": (0, 0, 1), "mass": math.sin}),
        (TypeError, "speed", {"force": (0, 0, 1), "speed": math.sin}),
        (ValueError, "area is .*two pairs", {"pressure": 1, "normal": (0, 0, 1), "area": (1, 2)}),
        (
            ValueError,
            "area is .*two pairs",
            {"pressure": 1, "normal": (0, 0, 1), "area": ((1, 2), (3,))},
        ),
        (
            TypeError,
            r"area\[1\]\[0\] is 2.5",
            {"pressure": 1, "normal": (0, 0, 1), "area": ((1, 2), (2.5, 3))},
        ),
    ],
)
def test_a_servo_names_what_is_wrong(error, message, arguments):
    with pytest.raises(error, match=message):
        abut.Servo(**arguments)


def test_motions_take_one_servo_and_nothing_free():
    servo = abut.Servo(force=(0, 0, 1))
    with pytest.raises(ValueError, match="motions has 2 Servos, but a wall has one load"):
        abut.Motions([servo, abut.Motions([servo])])
    with pytest.raises(
        TypeError, match=r"motions\[1\] is a Free, which moves a wall by its forces"
    ):
        abut.Motions([servo, abut.Free(mass=1.0)])


def test_walls_of_lammps_refuse_motions_with_a_servo():
    pytest.importorskip("mpi4py", reason="needs the extra lammps")
    from abut.lammps.arguments import read_motions

    with pytest.raises(TypeError, match="motion is a Servo, but walls of L"):
        read_motions([abut.Motions([LATERAL, abut.Servo(force=(0, 0, 1))])])
