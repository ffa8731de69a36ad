"""Walls under load, and walls that are free bodies."""

import math
import warnings

import numpy as np
import pytest

import abut
from abut.simulation.drives import Placed, members
from reference_drives import hertz_press, settled_speed, swing, tumble

GRAIN, STEEL = abut.Material(density=2500.0, young=1e7, poisson=0.2), abut.Material()
SQUARE = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
WAYS_OF_A_HINGE = ("x", "y", "z", "rx", "rz")
DOWN = abut.Mesh(SQUARE, [[0, 3, 2, 1]])


def raised(mesh, height):
    pose = np.eye(4)
    pose[2, 3] = height
    return mesh.transformed(pose)


def a_box(size, divided=False):
    """A box of quadrilaterals about the origin, counter-clockwise from outside."""
    x, y, z = np.array(size) / 2
    corners = [[i * x, j * y, k * z] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    facets = [
        [0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3],
    ]  # fmt: skip
    return corners, facets


def bed(
    servo, *, ratio=1e3, restitution=0.3, friction=0.3, count=3, workers=1, lid=None, **options
):
    """Spheres in a box of half spaces, and a lid above them under a load; the load is 1 Pa by the
    box's area, the grains as many times stiffer."""
    radius, length = 0.01, count * 0.0202
    load = length**2
    grain = abut.Material(density=2500.0, young=ratio, poisson=0.2)
    radii = radius * np.random.default_rng(3).uniform(0.8, 1.0, count**3)
    lattice = (np.arange(count) + 0.5) * 0.0202
    centers = np.stack(np.meshgrid(lattice, lattice, lattice, indexing="ij"), -1).reshape(-1, 3)
    deepest = (3 * load / count**2 / (2 * ratio / 0.96 * math.sqrt(radius / 2))) ** (2 / 3)
    stiffness = 2 * ratio / 0.96 * math.sqrt(radius * deepest)
    least = 2500 * 4 / 3 * math.pi * radii.min() ** 3
    step = 0.28 * math.sqrt(2 * least / (6 * stiffness))
    sim = abut.Simulation(step=step, gravity=(0, 0, 0), workers=workers, **options)
    for other in (grain, STEEL):
        sim.set_law(grain, other, abut.Hertz(friction=friction, restitution=restitution))
    for point, normal in (
        ((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (1, 0, 0)), ((length, 0, 0), (-1, 0, 0)),
        ((0, 0, 0), (0, 1, 0)), ((0, length, 0), (0, -1, 0)),
    ):  # fmt: skip
        sim.add_wall(abut.HalfSpace(point, normal), STEEL)
    plane = abut.HalfSpace((0, 0, count * 0.0202 + 0.002), (0, 0, -1)) if lid is None else lid
    wall = sim.add_wall(plane, STEEL, motion=servo or abut.Servo(force=(0, 0, -load)))
    sim.add_spheres(centers, radii, grain)
    return sim, wall, load


# ---- walls under load ----------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", [0.3, 0.9])
@pytest.mark.parametrize("ratio", [1e2, 1e4, 1e6])
def test_a_lid_settles_to_its_load_whatever_the_stiffness(ratio, restitution):
    sim, lid, load = bed(None, ratio=ratio, restitution=restitution)
    parts = []
    sim.every(sim.step, lambda s: parts.append(lid.force[2] / load))
    with warnings.catch_warnings():
        # of soft beds the grains are pressed deep
        warnings.simplefilter("ignore", abut.SimulationWarning)
        sim.run(steps=int(2500 * (ratio / 1e3) ** (1 / 3)) + 1500)
    assert np.sqrt(np.mean((np.array(parts[-500:]) - 1) ** 2)) <= 5e-3
    assert max(parts) <= 1.6


def test_each_step_is_one_of_newtons():
    """Each step is a step of Newton's method with the forces and stiffnesses of contacts."""
    sim, lid, load = bed(None, ratio=1e4, friction=0.0)
    most = 0.1 * math.sqrt(load * 2 * sim.radii.mean() / sim.masses.sum())
    axis, speeds = np.array([0.0, 0.0, -1.0]), [0.0]
    touched = 0
    for _ in range(1800):
        sim.run(steps=1)
        press = hertz_press(sim, lid, axis, 1e4, 0.2, 0.3)
        speeds.append(settled_speed(speeds[-1], load, press, sim.step, most))
        assert lid.twist[2] == pytest.approx(-speeds[-1], rel=1e-9, abs=1e-12 * most)
        touched += press[1] > 0
    assert touched > 200
    assert lid.travel[2] == pytest.approx(-sim.step * sum(speeds), rel=1e-12)


def test_it_holds_a_convex_body_and_a_mesh_lid_too():
    body = abut.ConvexShape(*a_box((0.2, 0.2, 0.2)))
    sim = abut.Simulation(step=2e-5, gravity=(0, 0, 0))
    linear = abut.Linear(stiffness=1e5, restitution=0.3)
    sim.set_law(GRAIN, STEEL, linear)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), STEEL)
    lid = sim.add_wall(raised(DOWN, 0.201), STEEL, motion=abut.Servo(force=(0, 0, -50.0)))
    sim.add_bodies(body, [[0, 0, 0.1]], GRAIN)
    sim.run(steps=20_000)
    assert lid.force[2] == pytest.approx(50.0, rel=1e-6)
    # its four corners bear it below, and above: both give way by P / 4 k
    assert lid.travel[2] == pytest.approx(-0.001 - 2 * 50 / 4 / 1e5, rel=1e-5)


def test_a_pressure_acts_on_the_projection_of_the_mesh():
    plate = DOWN.transformed([[1, 0, 0, 0], [0, 0.6, -0.8, 0], [0, 0.8, 0.6, 0], [0, 0, 0, 1]])
    servo = abut.Servo(pressure=3.0, normal=(0, 0, -2))

    def placed(mesh):
        return Placed(mesh, np.eye(4), np.zeros(3), np.zeros(3))

    assert servo.area_of(placed(DOWN)) == pytest.approx(4.0)
    assert servo.area_of(placed(plate)) == pytest.approx(4 * 0.6)
    assert servo.area_of(placed(abut.Mesh(*a_box((1, 2, 3))))) == pytest.approx(2.0)
    assert servo.row(placed(DOWN))["load"] == pytest.approx(12)
    assert servo.row(placed(DOWN))["axis"].tolist() == [0, 0, -1]
    of_cell = abut.Servo(pressure=3.0, normal=(0, 0, -2), area=0.5)
    assert of_cell.row(placed(DOWN))["load"] == pytest.approx(1.5)


def test_the_projection_is_that_of_the_mesh_as_it_stands():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    wall = sim.add_wall(DOWN, STEEL, motion=abut.Rotating((1, 0, 0), rate=math.pi / 2))
    sim.run(1.0)
    wall.motion = abut.Servo(pressure=3.0, normal=(0, 1, 0), mass=1.0)
    before = wall.twist[1]
    sim.run(steps=1)
    assert wall.twist[1] - before == pytest.approx(1e-3 * 3 * 4)


def test_a_load_that_begins_between_steps_is_asked_for_before_the_next():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    wall = sim.add_wall(DOWN, STEEL)

    def press(s):
        if s.step_count == 3:
            wall.motion = abut.Servo(pressure=50.0, normal=(0, 0, 1), area=lambda s: 2.0, mass=1.0)

    sim.every(1e-3, press)
    sim.run(steps=10)
    assert wall.twist[2] == pytest.approx(7 * 1e-3 * 100)


def test_a_callable_tells_the_area_before_each_step():
    calls = []

    def area(sim):
        calls.append(sim.step_count)
        return 1.0 + sim.step_count

    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    motion = abut.Servo(pressure=2.0, normal=(0, 0, -1), area=area, mass=1.0)
    wall = sim.add_wall(DOWN, STEEL, motion=motion)
    sim.run(steps=4)
    assert calls == [0, 1, 2, 3]
    assert wall.twist[2] == pytest.approx(-1e-3 * 2 * (1 + 2 + 3 + 4))
    motion = abut.Servo(pressure=2.0, normal=(0, 0, -1), area=lambda s: -1.0)
    wall.motion = motion
    with pytest.raises(ValueError, match=r"the area that the callable returned is -1\.0"):
        sim.run(steps=1)


def test_what_touches_nothing_stands_still_after_the_meshs_size():
    sim = abut.Simulation(step=1e-2, gravity=(0, 0, 0))
    wall = sim.add_wall(raised(DOWN, 1.0), STEEL, motion=abut.Servo(force=(0, 0, 1e4)))
    sim.add_spheres([[0, 0, 0.0]], 0.1, abut.Material(density=2500.0, young=1e5))
    with pytest.warns(abut.SimulationWarning, match="wall 0 has moved by .* touches nothing that"):
        sim.run(10.0)
    gone = wall.travel[2]
    assert 2 * math.sqrt(2) <= gone < 2 * math.sqrt(2) + 0.2
    assert wall.twist.tolist() == [0] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(1.0)
    assert wall.travel[2] == gone


@pytest.mark.parametrize("grain", ["sphere", "body"])
@pytest.mark.parametrize("height", [0.0999, 0.2])
def test_a_half_space_stands_still_once_it_has_left_the_grains(height, grain):
    sim, rubber = abut.Simulation(step=1e-3, gravity=(0, 0, 0)), abut.Material(2500.0, 1e5)
    sim.set_law(rubber, STEEL, abut.Linear(1e3))
    floor = abut.HalfSpace((0, 0, 0), (0, 0, 1))
    wall = sim.add_wall(floor, STEEL, motion=abut.Servo(force=(0, 0, -10.0)))
    if grain == "sphere":
        sim.add_spheres([[0, 0, height]], 0.1, rubber)
    else:
        cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        sim.add_bodies(cube, [[0, 0, height]], rubber, scales=0.1)
    with pytest.warns(
        abut.SimulationWarning, match="wall 0 has left all grains with its Servo, and"
    ):
        sim.run(3.0)
    gone = wall.travel[2]
    assert -0.1 < gone <= 0
    assert wall.twist.tolist() == [0] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(0.1)
    assert wall.travel[2] == gone


def test_a_half_space_moves_on_towards_grains_and_where_grains_come_to_it():
    sim, rubber = abut.Simulation(step=1e-3, gravity=(0, 0, 0)), abut.Material(2500.0, 1e5)
    sim.set_law(rubber, STEEL, abut.Linear(1e4, 0.3))
    lid = abut.HalfSpace((0, 0, 0.21), (0, 0, -1))
    wall = sim.add_wall(lid, STEEL, motion=abut.Servo(force=(0, 0, -10.0)))
    sim.add_spheres([[0, 0, 0.1]], 0.1, rubber)
    sim.fixed = [True]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(3.0)
    np.testing.assert_allclose(wall.force[2], 10.0, rtol=1e-6)


def test_a_plate_with_mass_goes_on_however_far():
    sim = abut.Simulation(step=1e-2, gravity=(0, 0, 0))
    wall = sim.add_wall(DOWN, STEEL, motion=abut.Servo(force=(0, 0, 1), mass=1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(10.0)
    assert wall.travel[2] == pytest.approx(50.05)


def test_it_settles_on_grains_that_are_all_held():
    sim = abut.Simulation(step=1e-4)
    sim.set_law(GRAIN, STEEL, abut.Linear(stiffness=1e4, restitution=0.3))
    lid = sim.add_wall(raised(DOWN, 0.201), STEEL, motion=abut.Servo(force=(0, 0, -5.0)))
    sim.add_spheres([[0, 0, 0.1]], 0.1, GRAIN, fixed=True)
    sim.run(1.0)
    assert lid.force[2] == pytest.approx(5.0, rel=1e-6)
    assert lid.travel[2] == pytest.approx(-0.001 - 5e-4, rel=1e-6)


def test_held_bodies_count_as_held_spheres_do():
    """For the speed with which a wall approaches."""
    speeds = []
    for add in ("spheres", "bodies"):
        sim = abut.Simulation(step=1e-4)
        wall = sim.add_wall(raised(DOWN, 9.0), STEEL, motion=abut.Servo(force=(0, 0, -5.0)))
        if add == "spheres":
            sim.add_spheres([[0, 0, 0], [2, 0, 0]], 0.1, GRAIN, fixed=[True, False])
            size, mass = 0.2, sim.masses[1]
        else:
            cube = abut.ConvexShape(*a_box((0.2, 0.2, 0.2)))
            sim.add_bodies(cube, [[0, 0, 0], [2, 0, 0]], GRAIN, fixed=[True, False])
            size, mass = 0.1 + 0.1 * math.sqrt(3), 2500 * 0.2**3
        sim.run(steps=1)
        speeds.append(wall.twist[2] / -0.1 / math.sqrt(5.0 * size / mass))
    assert speeds == pytest.approx([1.0, 1.0])


def test_a_mesh_without_facets_stands_still():
    sim = abut.Simulation(step=1e-2)
    empty = abut.Mesh(np.empty((0, 3)), np.empty((0, 3), int))
    wall = sim.add_wall(empty, STEEL, motion=abut.Servo(force=(0, 0, 1)))
    sim.add_spheres([[0, 0, 0]], 0.1, GRAIN)
    sim.run(steps=3)
    assert wall.travel.tolist() == [0, 0, 0]


def test_without_grains_it_does_not_move():
    sim = abut.Simulation(step=1e-2)
    wall = sim.add_wall(DOWN, STEEL, motion=abut.Servo(force=(0, 0, 1)))
    sim.run(steps=3)
    assert wall.travel.tolist() == [0, 0, 0]


def test_another_load_goes_on_with_the_speed():
    sim = abut.Simulation(step=1e-3)
    wall = sim.add_wall(DOWN, STEEL, motion=abut.Translating((0, 0, -2.0)))
    sim.run(steps=5)
    wall.motion = abut.Servo(force=(0, 0, -1e-9), mass=1.0)
    sim.run(steps=10)
    assert wall.twist[2] == pytest.approx(-2.0)
    assert wall.pose[2, 3] == pytest.approx(-2.0 * 15e-3)
    assert wall.travel[2] == pytest.approx(-2.0 * 10e-3)
    wall.motion = None
    sim.run(steps=1)
    assert wall.pose[2, 3] == pytest.approx(-2.0 * 15e-3)


def dissipated(motion, halved):
    """By a ball without damping that bounces on a wall which gives way."""
    sim = abut.Simulation(step=2e-4 / halved, gravity=(0, 0, -1.0))
    sim.set_law(GRAIN, STEEL, abut.Hertz(restitution=1.0))
    wall = sim.add_wall(DOWN, STEEL, motion=motion)
    sim.add_spheres([[0.2, 0.1, 0.15]], 0.1, GRAIN, velocities=[[0.1, 0, -1.0]])
    sim.run(0.4)
    assert wall.travel[2] != 0
    return sim.energy.dissipated / (0.5 * sim.masses[0])


@pytest.mark.parametrize(
    "motion",
    [abut.Servo(force=(0, 0, 50.0), mass=5.0), abut.Free(mass=5.0, inertia=(1.0, 2.0, 2.5))],
    ids=["servo", "free"],
)
def test_the_ledger_closes_to_second_order_of_the_step(motion):
    coarse, fine = dissipated(motion, 1), dissipated(motion, 4)
    assert abs(coarse) < 2e-3
    assert abs(fine) < abs(coarse) / 8


# ---- free walls ----------------------------------------------------------------------------------


def test_a_lid_settles_to_its_weight():
    sim = abut.Simulation(step=5e-5)
    sim.set_law(GRAIN, STEEL, abut.Linear(stiffness=1e3, restitution=0.2))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), STEEL)
    sim.add_spheres(0.01 * np.array([[1, 0, 1], [-1, 2, 1], [-1, -2, 1]]), 0.01, GRAIN)
    locked = ("x", "y", "rx", "ry", "rz")
    lid = sim.add_wall(raised(DOWN, 0.0205), STEEL, motion=abut.Free(mass=0.05, locked=locked))
    sim.run(1.0)
    np.testing.assert_allclose(lid.force, [0, 0, 0.05 * 9.81], atol=1e-6 * 0.05 * 9.81)


def box_on_ball(make):
    """A box that falls on a ball which is far heavier, and turns away; `make` adds the box."""
    corners, facets = a_box((0.2, 0.3, 0.1))
    heavy = abut.Material(density=1e9, young=1e7)
    box = abut.Material(density=1000.0, young=1e7)
    sim = abut.Simulation(step=6e-7, gravity=(0, 0, 0))
    sim.set_law(heavy, box, abut.Linear(stiffness=1e7, restitution=0.6, friction=0.2))
    sim.add_spheres([[0.04, 0.03, -0.16]], 0.1, heavy)
    return make(sim, corners, facets, box)


def test_a_box_of_facets_moves_as_the_same_convex_body():
    def as_wall(sim, corners, facets, material):
        inertia = 6 / 12 * np.array([0.3**2 + 0.1**2, 0.2**2 + 0.1**2, 0.2**2 + 0.3**2])
        motion = abut.Translating((0, 0, -1.0))
        wall = sim.add_wall(abut.Mesh(corners, facets), material, motion=motion)
        wall.motion = abut.Free(mass=6.0, inertia=inertia, center=(0, 0, 0))
        sim.run(0.064)
        return wall.pose, wall.twist

    def as_body(sim, corners, facets, material):
        shape = abut.ConvexShape(corners, facets)
        sim.add_bodies(shape, [[0, 0, 0]], material, velocities=[[0, 0, -1.0]])
        sim.run(0.064)
        pose = np.eye(4)
        rotation = pytest.importorskip("scipy.spatial.transform").Rotation
        pose[:3, :3] = rotation.from_quat(sim.bodies.orientations[0]).as_matrix()
        pose[:3, 3] = sim.bodies.positions[0]
        return pose, np.concatenate([sim.bodies.velocities[0], sim.bodies.angular_velocities[0]])

    pose, twist = box_on_ball(as_wall)
    body_pose, body_twist = box_on_ball(as_body)
    assert twist[2] > -0.5  # it has bounced
    assert np.linalg.norm(twist[3:]) > 1  # and turns
    np.testing.assert_allclose(pose, body_pose, atol=1e-3)
    np.testing.assert_allclose(twist, body_twist, atol=1e-3 * np.abs(twist).max())


def test_a_flap_swings_as_a_pendulum():
    flap = abut.Mesh([[0, 0, 0], [0, 0.2, 0], [0.5, 0.2, 0], [0.5, 0, 0]], [[0, 1, 2, 3]])
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, -10.0))
    wall = sim.add_wall(flap, motion=abut.Free(0.4, origin=(0, 0, 0), locked=WAYS_OF_A_HINGE))
    sim.run(0.7)
    # a plate about its edge has m l^2 / 3, and its center of mass hangs half of that below
    # the wall was at rest half a step before the start: velocities belong to half steps
    angle = swing(0.4 * 0.5**2 / 3, 0.4 * 0.25, 10.0, math.pi / 2, 0.7 + 0.5e-4)
    far = wall.pose @ [0.5, 0, 0, 1]
    np.testing.assert_allclose(far[:3], 0.5 * np.array([math.sin(angle), 0, -math.cos(angle)]),
                               atol=2e-6)  # fmt: skip
    np.testing.assert_allclose((wall.pose @ [0, 0.2, 0, 1])[:3], [0, 0.2, 0], atol=1e-12)


@pytest.mark.parametrize("locked", [(), ("rz",), ("rx",), ("rx", "ry")], ids=str)
def test_it_tumbles_as_a_rigid_body(locked):
    sim = abut.Simulation(step=2e-4, gravity=(0, 0, 0))
    inertia = np.array([[1.0, 0.1, 0.05], [0.1, 2.0, -0.1], [0.05, -0.1, 2.5]])
    mask = np.array([way in locked for way in ("rx", "ry", "rz")])
    spin = np.where(mask, 0.0, [0.3, 2.0, 1.0])
    box = abut.Mesh(*a_box((1, 1, 1)))
    axis, rate = spin / np.linalg.norm(spin), np.linalg.norm(spin)
    wall = sim.add_wall(box, motion=abut.Rotating(axis, rate=rate))
    wall.motion = abut.Free(mass=1.0, inertia=inertia, locked=locked)
    sim.run(3.0)
    rotation, last = tumble(inertia, spin, 3.0, mask)
    np.testing.assert_allclose(wall.pose[:3, :3], rotation, atol=2e-6)
    np.testing.assert_allclose(wall.twist[3:], last, atol=5e-4)
    assert (wall.twist[3:][mask] == 0).all()


def test_what_is_applied_acts_until_it_is_assigned_anew():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    wall = sim.add_wall(abut.Mesh(*a_box((1, 1, 1))), motion=abut.Free(2.0, (1, 1, 1), locked="y"))
    wall.applied_force, wall.applied_torque = (1.0, 5.0, 0), (0, 0, 3.0)
    sim.run(steps=100)
    np.testing.assert_allclose(wall.twist, [0.05, 0, 0, 0, 0, 0.3], atol=1e-12)
    wall.applied_force = (0, 0, 0)
    sim.run(steps=100)
    np.testing.assert_allclose(wall.twist, [0.05, 0, 0, 0, 0, 0.6], atol=1e-12)
    assert wall.applied_torque.tolist() == [0, 0, 3]
    with pytest.raises(ValueError, match="applied_force"):
        wall.applied_force = (math.nan, 0, 0)
    wall.motion = None
    with pytest.raises(ValueError, match="wall 0 is not Free"):
        wall.applied_force = (1, 0, 0)


def test_a_light_wall_sets_the_stable_step():
    sim = abut.Simulation(step=3e-5)
    sim.set_law(GRAIN, STEEL, abut.Linear(stiffness=1e4, restitution=1.0))
    sim.add_spheres([[0, 0, 0]], 0.1, GRAIN)
    locked = ("x", "y", "rx", "ry", "rz")
    sim.add_wall(raised(DOWN, 0.099), STEEL, motion=abut.Free(mass=1e-5, locked=locked))
    sim.run(steps=1)
    assert sim.stable_step() == pytest.approx(2 * math.sqrt(1e-5 / 1e4))
    with pytest.warns(abut.SimulationWarning, match="Wall 0 with its 1 contact sets"):
        sim.step = 1e-4


def test_ways_that_are_locked_do_not_limit_the_step():
    steps = []
    for locked in ((), ("x", "y", "z"), ("x", "y", "z", "rx", "ry", "rz")):
        sim = abut.Simulation(step=1e-7)
        sim.set_law(GRAIN, STEEL, abut.Linear(stiffness=1e4, friction=0.5))
        sim.add_spheres([[0.3, 0.2, 0]], 0.1, GRAIN)
        sim.add_wall(raised(DOWN, 0.099), STEEL, motion=abut.Free(1e-5, (1e-5,) * 3, locked=locked))
        sim.run(steps=1)
        steps.append(sim.stable_step())
    assert steps[0] < steps[1] < steps[2]


@pytest.mark.parametrize("motion", [
    abut.Free(mass=1e-5, inertia=(2e-5,) * 3, center=(0, 0, 0)),
    abut.Servo(force=(0, 0, -1), mass=1e-5),
], ids=["free", "servo"])  # fmt: skip
def test_a_light_wall_that_touches_nothing_has_its_first_contacts_ahead(motion):
    """Four with the grain that makes it swing fastest; a wall that turns gives way more."""
    law = abut.Linear(stiffness=1e4, restitution=0.5)
    sim = abut.Simulation(step=1e-9)
    sim.set_law(GRAIN, STEEL, law)
    wall = sim.add_wall(raised(DOWN, 0.3), STEEL, motion=motion)
    sim.add_spheres([[0, 0, 0]], 0.1, GRAIN)
    gives_way = 1e5 if isinstance(motion, abut.Servo) else 2e5
    frequency = math.sqrt(4e4 * gives_way)
    mass = sim.masses[0] if isinstance(motion, abut.Servo) else 1 / (1 / sim.masses[0] + 1e5)
    zeta = abut.laws.damping_ratio(0.5) * math.sqrt(mass / 1e4) * frequency
    limit = 2 / frequency * (math.sqrt(1 + zeta**2) - zeta)
    assert sim.stable_step() == pytest.approx(limit, rel=1e-9)
    with pytest.warns(abut.SimulationWarning, match="Wall 0, which touches nothing, sets"):
        sim.step = 2 * limit
    wall.active = False
    assert sim.stable_step() > 2 * limit


def test_a_wall_that_is_lost_ends_the_run():
    sim = abut.Simulation(step=1.0)
    wall = sim.add_wall(DOWN, motion=abut.Free(mass=1.0))
    wall.applied_force = (1e140, 0, 0)
    before = wall.pose
    with pytest.raises(FloatingPointError, match="wall 0 is lost in step 0"):
        sim.run(steps=2)
    assert sim.step_count == 0
    assert (wall.pose == before).all()


def test_steps_of_another_length_go_on():
    """Free fall, and a plate with mass: exact for constant accelerations."""
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, -10.0))
    free = sim.add_wall(DOWN, motion=abut.Free(mass=2.0))
    servo = sim.add_wall(DOWN, motion=abut.Servo(force=(4.0, 0, 0), mass=2.0))
    sim.add_spheres([[5, 5, 5]], 0.1, GRAIN)
    sim.run(steps=50)
    sim.step = 5e-4
    sim.run(steps=100)
    np.testing.assert_allclose(free.twist[2], sim.velocities[0, 2], rtol=1e-12)
    np.testing.assert_allclose(free.travel[2], sim.centers[0, 2] - 5, rtol=1e-9)
    np.testing.assert_allclose(servo.twist[0], -sim.velocities[0, 2] / 5, rtol=1e-12)
    np.testing.assert_allclose(servo.travel[0], (5 - sim.centers[0, 2]) / 5, rtol=1e-9)


def test_they_go_on_where_others_go_and_while_they_are_switched_off():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, -1))
    gate = sim.add_wall(DOWN)
    free = sim.add_wall(DOWN, motion=abut.Free(mass=1.0))
    plane = sim.add_wall(
        abut.HalfSpace((0, 0, 9), (0, 0, 1)), motion=abut.Servo(force=(0, 0, 2), mass=1.0)
    )
    sim.run(steps=100)
    sim.remove_wall(gate)
    free.active = False
    sim.run(steps=100)
    free.active = True
    sim.add_wall(DOWN)
    sim.run(steps=100)
    assert free.twist[2] == pytest.approx(-0.3)
    assert plane.twist[2] == pytest.approx(0.6)
    assert free.travel[2] == pytest.approx(-plane.travel[2] / 2) == pytest.approx(-0.04515)


# ---- the same bits -------------------------------------------------------------------------------


def test_a_restart_asks_for_the_callable_of_an_area(tmp_path):
    sim = abut.Simulation(step=1e-3)
    motion = abut.Servo(pressure=1.0, normal=(0, 0, 1), area=lambda s: 2.0)
    sim.add_wall(DOWN, motion=motion)
    sim.save(tmp_path / "a.npz")
    with pytest.raises(
        ValueError, match=r"a callable returns the load of wall 0: pass motions=\{0: \.\.\.\}"
    ):
        abut.load_simulation(tmp_path / "a.npz", meshes=[DOWN])
    again = abut.load_simulation(tmp_path / "a.npz", meshes=[DOWN], motions={0: motion})
    assert again.walls[0].motion is motion


def test_a_restart_names_what_is_damaged(tmp_path):
    sim = abut.Simulation(step=1e-3)
    sim.add_wall(DOWN, motion=abut.Free(mass=1.0))
    sim.save(tmp_path / "a.npz")
    arrays = dict(np.load(tmp_path / "a.npz"))
    for change, message in (
        (lambda d: d[:, :3], "drives has shape"),
        (lambda d: np.where(np.arange(d.shape[1]) == 0, -1.0, d), "cannot drive a wall"),
        (lambda d: np.where(np.arange(d.shape[1]) == 12, np.nan, d), "drives is not finite"),
    ):
        np.savez(tmp_path / "b.npz", **(arrays | {"drives": change(arrays["drives"])}))
        with pytest.raises(ValueError, match=message):
            abut.load_simulation(tmp_path / "b.npz", meshes=[DOWN])
    sim = abut.Simulation(step=1e-3)
    sim.add_wall(DOWN, motion=abut.Servo(force=(0, 0, 1)))
    sim.save(tmp_path / "a.npz")
    arrays = dict(np.load(tmp_path / "a.npz"))
    members(arrays["drives"][0])["axis"] = 0
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(ValueError, match="cannot drive a wall"):
        abut.load_simulation(tmp_path / "b.npz", meshes=[DOWN])
    del arrays["drives"]
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(ValueError, match="it has no drives"):
        abut.load_simulation(tmp_path / "b.npz", meshes=[DOWN])


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (TypeError, "a Servo takes either force=", {}),
        (TypeError, "a Servo takes either force=", {"force": (0, 0, 1), "pressure": 1.0}),
        (TypeError, "normal= is for pressure=", {"force": (0, 0, 1), "normal": (0, 0, 1)}),
        (TypeError, "area= is for pressure=", {"force": (0, 0, 1), "area": 1.0}),
        (TypeError, "pressure= needs normal=", {"pressure": 1.0}),
        (ValueError, "force is .*, but must have a direction", {"force": (0, 0, 0)}),
        (ValueError, "force", {"force": (0, math.nan, 0)}),
        (ValueError, "load is 1e-200, but must be from", {"force": (0, 0, 1e-200)}),
        (ValueError, "load is 1e\\+200, but must be from", {"force": (0, 1e200, 0)}),
        (ValueError, "pressure is 0", {"pressure": 0, "normal": (0, 0, 1)}),
        (ValueError, "area is -1", {"pressure": 1, "normal": (0, 0, 1), "area": -1}),
        (ValueError, "mass is 0", {"force": (0, 0, 1), "mass": 0}),
    ],
)
def test_a_servo_names_what_is_wrong(error, message, arguments):
    with pytest.raises(error, match=message):
        abut.Servo(**arguments)


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ValueError, "mass is 0", {"mass": 0}),
        (ValueError, "inertia has shape", {"mass": 1, "inertia": (1, 2)}),
        (
            ValueError,
            "inertia is not symmetric",
            {"mass": 1, "inertia": np.eye(3) + np.eye(3, k=1)},
        ),
        (ValueError, "which no body can have", {"mass": 1, "inertia": (1, 1, 3)}),
        (ValueError, "which no body can have", {"mass": 1, "inertia": (0, 1, 1)}),
        (ValueError, "inertia has an entry", {"mass": 1, "inertia": (math.nan, 1, 1)}),
        (ValueError, "locked has 'r'", {"mass": 1, "locked": "xr"}),
        (TypeError, "locked is 3", {"mass": 1, "locked": 3}),
        (
            ValueError,
            "origin= needs x, y and z locked",
            {"mass": 1, "origin": (0, 0, 0), "locked": "xy"},
        ),
        (ValueError, "center", {"mass": 1, "center": (0, math.inf, 0)}),
    ],
)
def test_a_free_motion_names_what_is_wrong(error, message, arguments):
    with pytest.raises(error, match=message):
        abut.Free(**arguments)


def test_a_wall_does_not_take_what_it_cannot_have():
    sim = abut.Simulation(step=1e-3)
    plane = abut.HalfSpace((0, 0, 0), (0, 0, 1))
    with pytest.raises(TypeError, match="a half space has no inertia"):
        sim.add_wall(plane, motion=abut.Free(mass=1.0))
    with pytest.raises(ValueError, match="a half space has no area"):
        sim.add_wall(plane, motion=abut.Servo(pressure=1.0, normal=(0, 0, 1)))
    with pytest.raises(ValueError, match="no facet of the mesh faces along normal"):
        sim.add_wall(DOWN, motion=abut.Servo(pressure=1.0, normal=(1, 0, 0)))
    with pytest.raises(ValueError, match="load is 0, but must be from"):
        sim.add_wall(DOWN, motion=abut.Servo(pressure=1e-200, normal=(0, 0, 1), area=1e-200))
    with pytest.raises(TypeError, match="motion is the class Servo"):
        sim.add_wall(DOWN, motion=abut.Servo)
    assert sim.walls == ()


def test_walls_of_lammps_refuse_them_by_name():
    pytest.importorskip("mpi4py", reason="needs the extra lammps")
    from abut.lammps.arguments import read_motions

    for motion in (abut.Servo(force=(0, 0, 1)), abut.Free(mass=1.0)):
        with pytest.raises(TypeError, match=f"motion is a {type(motion).__name__}, but walls of L"):
            read_motions([motion])


def test_they_go_into_a_dict_and_back():
    from abut.base.values import from_dict

    for motion in (
        abut.Servo(pressure=1.0, normal=(0, 0, 1), area=2.0, mass=3.0),
        abut.Free(1.0, np.diag([1, 2, 2.5]), (0, 0, 1), (1, 0, 0), "xyz"),
    ):
        assert from_dict(motion.to_dict()) == motion
