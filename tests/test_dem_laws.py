"""What two bodies do that touch: one sphere and a wall, or two spheres, against what follows from
the laws by hand."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest

import abut
import scenes_dem as scenes
from reference_dem import damping_ratio


def unit(vector):
    return vector / np.linalg.norm(vector)


# ---- how much of the speed comes back ------------------------------------------------------------

RESTITUTIONS = (0.1, 0.3, 0.5, 0.7, 0.9)


def duration(kind, mass, radius, speed):
    """How long a contact takes without damping."""
    if kind == "linear":
        return np.pi * np.sqrt(mass / 1e4)
    stiffness = 4 / 3 * scenes.contact_modulus(scenes.grain()) * np.sqrt(radius)
    return 2.9432 * (mass**2 / (stiffness**2 * speed)) ** 0.2 * (25 / 16) ** 0.2


def returned(sim, speed, direction, steps=3000):
    """The part of the speed that comes back, and whether a force ever pulled."""
    pulls = []

    def look(s):
        for table in (s.contacts, s.pairs):
            pulls.extend((table.force * table.normal).sum(axis=1))

    sim.every(sim.step, look)
    sim.run(steps=steps)
    velocities = sim.velocities
    relative = velocities[0] - (velocities[1] if len(velocities) > 1 else 0)
    touching = len(sim.contacts) + len(sim.pairs)
    assert touching == 0 and max(pulls) > 0
    return relative @ direction / speed, min(pulls)


@pytest.mark.cases(5)
@pytest.mark.parametrize("kind", scenes.LAWS)
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_restitution_at_a_wall(kind, restitution):
    mass = scenes.ball_mass(scenes.grain(), 0.01)
    step = duration(kind, mass, 0.01, 1.0) / 1000
    law = scenes.LAWS[kind](restitution=restitution)
    sim = scenes.onto_a_wall(abut.Simulation, law, step)
    found, least = returned(sim, 1.0, scenes.UP)
    assert found == pytest.approx(restitution, abs=2e-3)
    assert least >= 0


@pytest.mark.cases(3)
@pytest.mark.parametrize("kind", scenes.LAWS)
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_restitution_of_two_of_different_size(kind, restitution):
    small, large = (scenes.ball_mass(scenes.grain(), radius) for radius in (0.01, 0.03))
    mass, radius = small * large / (small + large), 0.0075
    step = duration(kind, mass, radius, 1.0) / 1000
    law = scenes.LAWS[kind](restitution=restitution)
    sim = scenes.onto_each_other(abut.Simulation, law, step)
    found, least = returned(sim, 1.0, unit(np.array([0.6, 0, 0.8])))
    assert found == pytest.approx(restitution, abs=2e-3)
    assert least >= 0


@pytest.mark.parametrize(
    ("restitution", "ratio"), [(0.1, 1.24319), (0.4, 0.35451), (0.5, 0.25528), (0.9, 0.03427)]
)
def test_damping_ratio(restitution, ratio):
    assert damping_ratio(restitution) == pytest.approx(ratio, abs=5e-6)


# ---- friction ------------------------------------------------------------------------------------


def pressed(law, overlap=2e-4, radius=0.01, step=1e-6):
    """A sphere on a floor, led by hand."""
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    sim.set_law(scenes.grain(), scenes.rigid(), law)
    sim.add_wall(scenes.quad(), scenes.rigid())
    sim.add_spheres([[0, 0, radius - overlap]], radius, scenes.grain())
    return sim


def lead_along(sim, places):
    """Lead the only sphere along places; what the wall's contact exerts at each of them."""
    forces, before = [], np.array(places[0])
    for place in np.array(places):
        scenes.lead(sim, [place], velocities=(place - before) / sim.step)
        forces.append(sim.contacts.force[0])
        before = place
    return np.array(forces)


def loop_work(law, deep, shallow, way, count=600):
    """The tangential work round press - shear - lift - shear back."""
    height, back = (0.01 - overlap for overlap in (deep, shallow))
    forth = np.linspace(0, way, count + 1)
    lift = np.linspace(height, back, count + 1)
    places = [[x, 0, height] for x in forth]
    places += [[way, 0, z] for z in lift[1:]]
    places += [[x, 0, back] for x in forth[::-1][1:]]
    forces = lead_along(pressed(law), places)
    steps = np.diff([place[0] for place in places])
    means = 0.5 * (forces[1:, 0] + forces[:-1, 0])
    return means @ steps, forces


def test_thorntons_loop():
    """A contact that is sheared, lifted and sheared back loses what the springs differ by; without
    the factor it would gain as much."""
    deep, shallow, way = 2e-4, 5e-5, 1e-6
    shear = 8 * scenes.shear_modulus(scenes.grain())
    stiff, weak = (shear * np.sqrt(0.01 * overlap) for overlap in (deep, shallow))
    work, forces = loop_work(abut.Hertz(friction=100.0), deep, shallow, way)
    assert work == pytest.approx(-0.5 * (stiff - weak) * way**2, rel=1e-3)
    # at its end the spring is as long as before
    assert abs(forces[-1, 0]) < 5e-3 * stiff * way


def test_loop_of_rolling():
    """The spring of type C has that factor, too: a contact that is pressed, rolled, lifted and
    rolled back loses what both stiffnesses differ by."""
    deep, shallow, angle, count = 2e-4, 5e-5, 1e-4, 500
    turns = angle / count * np.concatenate([np.ones(count), np.zeros(count), -np.ones(count)])
    heights = 0.01 - np.concatenate([np.full(count, deep), np.linspace(deep, shallow, count)])
    heights = np.append(heights, np.full(count, 0.01 - shallow))
    sim = pressed(abut.Hertz(rolling=abut.laws.RollingC(100.0, damping=0.0)))
    moments = [0.0]
    for height, turn in zip(heights, turns, strict=True):
        spin = [0, turn / sim.step, 0]
        scenes.lead(sim, [[0, 0, height]], angular_velocities=[spin])
        moments.append(sim.torques[0, 1])
    means = 0.5 * (np.array(moments[1:]) + moments[:-1])
    shear = 8 * scenes.shear_modulus(scenes.grain())
    stiff, weak = (shear * np.sqrt(0.01 * overlap) * 0.01**2 for overlap in (deep, shallow))
    assert means @ turns == pytest.approx(-0.5 * (stiff - weak) * angle**2, rel=1e-3)


def test_loop_of_a_linear_law_is_closed():
    law = abut.Linear(1e5, tangential=0.8, friction=100.0)
    work, _ = loop_work(law, 2e-4, 5e-5, 1e-6)
    assert abs(work) < 1e-3 * 0.5 * 0.8e5 * 1e-12


@pytest.mark.parametrize("kind", scenes.LAWS)
def test_sliding_is_cut_at_coulombs_limit(kind):
    law = scenes.LAWS[kind](friction=0.4, restitution=0.7)
    forces = lead_along(pressed(law), [[1e-7 * k, 2e-7 * k, 0.0098] for k in range(3000)])
    taut = forces[-1000:]
    np.testing.assert_allclose(np.hypot(*taut[:, :2].T), 0.4 * taut[:, 2], rtol=1e-12)
    np.testing.assert_allclose(taut[:, 1] / taut[:, 0], 2, rtol=1e-9)
    assert (taut[:, 0] < 0).all()


def test_spring_of_two_that_spin_alike_turns_with_them():
    """Two that touch are sheared, then spin together about their normal by 90 degrees."""
    law = abut.Hertz(friction=100.0)
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    sim.set_law(scenes.grain(), scenes.grain(), law)
    centers = np.array([[0, 0, 0.0199], [0, 0, 0]])
    sim.add_spheres(centers, 0.01, scenes.grain())
    for k in range(100):
        shift = np.array([1e-8 * (k + 1), 0, 0])
        scenes.lead(sim, centers + [shift, -shift], [[1e-3, 0, 0], [-1e-3, 0, 0]])
    centers = centers + [shift, -shift]
    scenes.lead(sim, centers)
    sheared = sim.pairs.force[0].copy()
    assert sheared[0] < 0 and abs(sheared[1]) < 1e-12 * abs(sheared[0])
    count = 1000
    spin = np.pi / 2 / (count * sim.step)
    normal = sim.pairs.normal[0].copy()
    for _ in range(count):
        scenes.lead(sim, centers, angular_velocities=spin * normal)
    turned = scenes.turn_about(normal, np.pi / 2) @ sheared
    along = turned @ normal * normal
    assert np.linalg.norm(sim.pairs.force[0] - turned) < 1e-5 * np.linalg.norm(turned - along)


def test_normal_force_on_a_way_around_a_larger_sphere():
    """The last step's displacement is across the normal between: a small sphere that is led
    around a larger one feels no damper, however large the steps are."""
    law = abut.Hertz(restitution=0.1)
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0))
    sim.set_law(scenes.grain(), scenes.grain(), law)
    reach = 1.01 - 1e-4
    angles = 0.02 * np.arange(50)
    around = reach * np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    sim.add_spheres([around[0], [0, 0, 0]], [0.01, 1.0], scenes.grain())
    zero = np.zeros(3)
    forces = []
    for before, place in pairwise(around):
        scenes.lead(sim, [place, zero], [(place - before) / sim.step, zero])
        forces.append((sim.pairs.force[0] * sim.pairs.normal[0]).sum())
    modulus = scenes.contact_modulus(scenes.grain(), scenes.grain())
    expected = 4 / 3 * modulus * np.sqrt(0.01 / 1.01) * 1e-4**1.5
    # the first contact is new
    np.testing.assert_allclose(forces[1:], expected, rtol=1e-9)


# ---- walls that move -----------------------------------------------------------------------------

SHAKER, DISK = abut.Oscillating((0.01, 0, 0), frequency=7.0), abut.Rotating((0, 0, 1), rate=30.0)


def parabola(time):
    pose, twist = np.eye(4), np.zeros(6)
    pose[0, 3], twist[0] = 5 * time**2, 10 * time
    return pose, twist


def as_callable(motion):
    return lambda time: (motion.pose(time), motion.twist(time))


FLOOR = abut.HalfSpace((0, 0, 0), (0, 0, 1))


def held_on(step, motion, floor=FLOOR):
    """A sphere that is held over (0.3, 0, 0) of a floor that moves."""
    sim, stone, steel = abut.Simulation(step=step), abut.Material(1000, 1e6), abut.Material()
    sim.set_law(stone, steel, abut.Linear(1e4, 1.0, friction=1e9))
    sim.add_spheres([[0.3, 0, 0.0999]], 0.1, stone)
    sim.fixed = [True]
    return sim, sim.add_wall(floor, steel, motion=motion)


@pytest.mark.parametrize("steps", [10, 20, 40])
@pytest.mark.parametrize(
    "motion",
    [parabola, SHAKER, DISK, abut.Motions([DISK, SHAKER]), as_callable(SHAKER), as_callable(DISK)],
    ids=["parabola", "shaker", "disk", "both", "callable shaker", "callable disk"],
)
def test_the_spring_is_the_way_of_the_wall(motion, steps):
    """The spring is right for steps of any length, so no error is of first order in the step."""
    sim, wall = held_on(0.01 / steps, motion)
    sim.run(steps=steps + 1)
    pose, twist = motion(0.01) if callable(motion) else as_callable(motion)(0.01)
    contacts = sim.contacts
    way = pose @ [0.3, 0, 0, 1] - [0.3, 0, 0, 1]
    np.testing.assert_allclose(contacts.force[0, :2], 1e4 * way[:2], rtol=1e-9, atol=1e-10)
    power = -(contacts.force[0] * contacts.velocity(twist)[0]).sum()
    np.testing.assert_allclose(wall.power, power, rtol=1e-12)


@pytest.mark.parametrize(
    "motion",
    [abut.Servo(force=(50, 0, 0), mass=2.0), abut.Free(2.0, locked=("z", "rx", "ry", "rz"))],
)
def test_the_spring_is_the_way_of_a_driven_wall(motion):
    """Its velocities are those of half a step before already."""
    floor = abut.examples.plane().transformed(abut.Translating((-0.5, -0.5, 0)).pose(1.0))
    sim, wall = held_on(1e-3, motion, floor)
    if isinstance(motion, abut.Free):
        wall.applied_force = (50, 0, 0)
    sim.run(steps=10)
    way = wall.travel
    sim.run(steps=1)
    assert way[0] > 1e-3
    np.testing.assert_allclose(sim.contacts.force[0, 0], 1e4 * way[0], rtol=1e-12)


def test_a_wall_that_is_placed_does_not_hit_what_is_there():
    """The pose with which a callable begins is no way from where the mesh was."""
    sim, wall = held_on(1e-3, None)
    wall.motion = lambda time: (abut.Translating((0, 0, 1e-4)).pose(1.0), np.zeros(6))
    sim.run(steps=1)
    np.testing.assert_allclose(sim.contacts.force[0], (0, 0, 2.0), rtol=1e-9)


# ---- slopes --------------------------------------------------------------------------------------


def test_sphere_rolls_down_a_slope_without_resistance():
    sim = scenes.on_a_slope(abut.Simulation, abut.Hertz(friction=0.3, restitution=0.5), 0.2)
    sim.run(0.2)
    lean = scenes.GRAVITY * 0.2 / np.hypot(0.2, 1)
    assert sim.velocities[0, 0] == pytest.approx(5 / 7 * lean * 0.2, rel=1e-3)
    assert sim.angular_velocities[0, 1] * 0.01 == pytest.approx(5 / 7 * lean * 0.2, rel=2e-3)


def test_sphere_slides_down_a_steep_slope():
    tangent, friction = 1.0, 0.2
    law = abut.Hertz(friction=friction, restitution=0.5)
    sim = scenes.on_a_slope(abut.Simulation, law, tangent)
    sim.run(0.1)
    down = scenes.GRAVITY / np.hypot(tangent, 1)
    assert sim.velocities[0, 0] == pytest.approx((tangent - friction) * down * 0.1, rel=1e-3)
    spun = 2.5 * friction * down * 0.1
    assert sim.angular_velocities[0, 1] * 0.01 == pytest.approx(spun, rel=5e-3)


ROLLING = {
    "A": lambda x: abut.laws.RollingA(x),
    "C": lambda x: abut.laws.RollingC(x),
    "number": lambda x: x,
}


@pytest.mark.parametrize("kind", ROLLING)
def test_rolling_slows_down(kind):
    """5/7 mu_r g."""
    law = abut.Hertz(friction=0.5, restitution=0.5, rolling=ROLLING[kind](0.05))
    sim = scenes.on_a_slope(abut.Simulation, law, 0.0, velocity=0.3)
    # after what type C's spring takes to stretch
    sim.run(0.1)
    before = sim.velocities[0, 0]
    sim.run(0.4)
    found = (before - sim.velocities[0, 0]) / 0.4
    assert found == pytest.approx(5 / 7 * 0.05 * scenes.GRAVITY, rel=2e-3)


@pytest.mark.parametrize("kind", ROLLING)
def test_rolling_rests_on_a_gentle_slope(kind):
    law = abut.Hertz(friction=0.5, restitution=0.5, rolling=ROLLING[kind](0.05))
    sim = scenes.on_a_slope(abut.Simulation, law, 0.04)
    sim.run(0.3)
    middle = sim.centers[0, 0]
    sim.run(0.3)
    assert abs(sim.velocities[0, 0]) < 1e-4
    assert abs(sim.centers[0, 0] - middle) < 1e-6


@pytest.mark.parametrize("kind", ROLLING)
def test_rolling_gives_way_on_a_steeper_slope(kind):
    law = abut.Hertz(friction=0.5, restitution=0.5, rolling=ROLLING[kind](0.05))
    sim = scenes.on_a_slope(abut.Simulation, law, 0.1)
    sim.run(0.1)
    before = sim.velocities[0, 0]
    sim.run(0.2)
    down = scenes.GRAVITY / np.hypot(0.1, 1)
    found = (sim.velocities[0, 0] - before) / 0.2
    assert found == pytest.approx(5 / 7 * (0.1 - 0.05) * down, rel=5e-3)


def test_type_a_never_reverses_a_spin():
    """A spinning top on a floor stops, and stays so: type A brakes spins about the normal, too."""
    law = abut.Hertz(friction=0.5, restitution=0.5, rolling=abut.laws.RollingA(0.5))
    sim = scenes.on_a_slope(abut.Simulation, law, 0.0)
    sim.angular_velocities = np.array([[0, 0, 5.0]])
    spins = sim.record(1e-4, lambda s: s.angular_velocities[0, 2])
    sim.run(0.2)
    assert min(spins.values) == 0 == sim.angular_velocities[0, 2]
    # I = 2/5 m R^2; the moment is mu_r R m g
    assert spins.values[9] == pytest.approx(5 - 2.5 * 0.5 * scenes.GRAVITY / 0.01 * 1e-3, rel=1e-3)


# ---- the longest step ----------------------------------------------------------------------------


def amplitude(sim, column, last, count=4000):
    """The largest displacement per step of the sphere's lowest point, in the last steps."""
    arm = [0, 0, -sim.radii[0]]
    ways = sim.record(sim.step, lambda s: s.velocities[0] + np.cross(s.angular_velocities[0], arm))
    sim.run(steps=count)
    return sim.step * np.abs(np.array(ways.values)[-last:, column]).max()


def on_a_spring(factor, restitution, tangential):
    """A sphere that rests on a linear wall, pushed a little; the step in parts of the limit."""
    stiffness, radius = 1e4, 0.01
    mass, zeta = scenes.ball_mass(scenes.grain(), radius), damping_ratio(restitution)
    frequency_sq = stiffness * max(1, 3.5 * tangential) / mass
    zeta = zeta * (np.sqrt(3.5) if tangential else 1)
    limit = 2 / np.sqrt(frequency_sq) / (np.sqrt(1 + zeta * zeta) + zeta)
    law = abut.Linear(stiffness, tangential=tangential, friction=100.0, restitution=restitution)
    gravity = stiffness * 1e-3 * radius / mass
    sim = abut.Simulation(step=factor * limit, gravity=(0, 0, -gravity))
    sim.set_law(scenes.grain(), scenes.rigid(), law)
    sim.add_wall(scenes.quad(), scenes.rigid())
    push = [0, 0, 1e-9 / sim.step] if not tangential else [1e-9 / sim.step, 0, 0]
    sim.add_spheres([[0, 0, radius * (1 - 1e-3)]], radius, scenes.grain(), [push])
    return sim


@pytest.mark.cases(2)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("restitution", [0.9, 0.5])
@pytest.mark.parametrize(("tangential", "column"), [(0.0, 2), (1.0, 0)])
def test_limit_of_stability(restitution, tangential, column):
    """Oscillations of one contact with a wall decay below the limit and grow above it."""
    below = amplitude(on_a_spring(0.997, restitution, tangential), column, 40)
    above = amplitude(on_a_spring(1.003, restitution, tangential), column, 4000)
    assert below < 1e-11
    assert above > 1e-7


def test_stable_step_of_what_touches():
    """Three spheres in a row on a wall: the middle one has two contacts with spheres."""
    law = abut.Hertz(friction=0.5, restitution=0.5)
    sim = abut.Simulation(step=1e-7, gravity=(0, 0, 0))
    material, overlap = scenes.grain(), 1e-4
    sim.set_law(material, material, law)
    sim.set_law(material, scenes.rigid(), law)
    sim.add_wall(scenes.quad(), scenes.rigid())
    heights = [0.01 - overlap, 0.03 - 2 * overlap, 0.05 - 3 * overlap]
    sim.add_spheres([[0, 0, z] for z in heights], 0.01, material)
    sim.run(steps=1)

    def stiffest(young, shear, radius):
        root = np.sqrt(radius * overlap)
        return max(2 * young * root, 3.5 * 8 * shear * root)

    pair = stiffest(
        scenes.contact_modulus(material, material), scenes.shear_modulus(material, material), 0.005
    )
    wall = stiffest(scenes.contact_modulus(material), scenes.shear_modulus(material), 0.01)
    zeta = damping_ratio(0.5)
    mass = scenes.ball_mass(material, 0.01)
    root = np.sqrt(2 * mass / max(2 * pair, pair + wall))
    expected = root / (np.sqrt(1 + 3.5 * zeta**2) + np.sqrt(3.5) * zeta)
    assert sim.stable_step() == pytest.approx(expected, rel=1e-9)


def test_stable_step_is_above_0_however_strong_the_damping_is():
    """Where 1 is nothing beside the damping ratio; then a step was too long by no ratio."""
    sim = abut.Simulation(step=1e-20, gravity=(0, 0, 0))
    material = scenes.grain()
    sim.set_law(material, material, abut.Linear(1e4, restitution=1e-16))
    sim.add_spheres([[0, 0, 0], [0, 0, 0.0199]], 0.01, material)
    sim.run(steps=1)
    zeta = np.sqrt(3.5) * damping_ratio(1e-16)
    limit = np.sqrt(2 * scenes.ball_mass(material, 0.01) / 1e4) / (np.sqrt(1 + zeta**2) + zeta)
    assert sim.stable_step() == pytest.approx(limit, rel=1e-9)
    sim.run(steps=1)


def first_step(law, a, b, radius, speed=0.0, count=4):
    """The stable step of a sphere of material a without contacts. It assumes four contacts with an
    overlap of 1 % of the radius, or with the depth of an impact by Hertz' law without damping."""
    mass, numbers = scenes.ball_mass(a, radius), law.numbers(a, b)
    normal, shear = numbers["stiffness"], numbers["shear"]
    if isinstance(law, abut.Hertz):
        blow = (15 * mass * speed**2 / (16 * normal * np.sqrt(radius))) ** 0.4
        root = np.sqrt(radius * max(0.01 * radius, blow))
        normal, shear = 2 * normal * root, 8 * shear * root
    zeta = np.sqrt(3.5) * damping_ratio(law.restitution)
    longest = np.sqrt(2 * mass / (count * max(normal, 3.5 * shear)))
    return longest * (np.sqrt(1 + zeta**2) - zeta)


FIRST_LAWS = [
    abut.Hertz(),
    abut.Hertz(restitution=0.1),
    abut.Linear(1e4, restitution=0.5),
    abut.Linear(1e4, tangential=1.0, restitution=0.1),
]


@pytest.mark.parametrize("speed", [0.0, 2.0])
@pytest.mark.parametrize("law", FIRST_LAWS)
def test_stable_step_of_what_is_free(law, speed):
    """The smallest sphere sets it, and the stiffest law that it may come under."""
    sim = abut.Simulation(step=1e-7)
    material, rigid = scenes.grain(), scenes.rigid()
    sim.set_law(material, rigid, law)
    sim.add_spheres([[0, 0, 0], [1, 0, 0]], [0.01, 0.02], material, velocities=[0, 0, speed])
    expected = first_step(law, material, rigid, 0.01, speed)
    assert sim.stable_step() == pytest.approx(expected, rel=1e-9)
    stiff = abut.Linear(1e9)
    sim.set_law(material, material, stiff)
    assert sim.stable_step() == pytest.approx(first_step(stiff, material, material, 0.01), rel=1e-9)


def test_stable_step_of_clusters_that_are_free():
    """A member counts with its part of the mass."""
    law, material = abut.Linear(1e4, restitution=0.5), scenes.grain()
    sim = abut.Simulation(step=1e-7)
    sim.set_law(material, material, law)
    pair = abut.Cluster([[-0.01, 0, 0], [0.01, 0, 0]], 0.01)
    sim.add_clusters(pair, [[0, 0, 0]], material)
    assert sim.stable_step() == pytest.approx(first_step(law, material, material, 0.01), rel=1e-9)


@pytest.mark.parametrize("speed", [0.1, 1.0])
@pytest.mark.parametrize("restitution", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("law", [abut.Hertz(), abut.Linear(1e4)], ids=["Hertz", "linear"])
def test_a_first_contact_holds_by_the_step_of_what_is_free(law, restitution, speed):
    """A sphere never leaves a wall faster than it came, wherever in a step the contact begins."""
    law = dataclasses.replace(law, restitution=restitution)
    material, fastest = scenes.grain(), 0.0
    for part in (0.0, 0.3, 0.6):
        sim = abut.Simulation(step=1e-9, gravity=(0, 0, 0))
        sim.set_law(material, scenes.rigid(), law)
        sim.add_wall(scenes.quad(), scenes.rigid())
        sim.add_spheres([[0, 0, 1]], 0.01, material, velocities=[0, 0, -speed])
        sim.step = 0.9 * sim.stable_step()
        sim.centers = [[0, 0, 0.01 + (1 - part) * sim.step * speed]]
        sim.run(steps=60)
        fastest = max(fastest, sim.velocities[0, 2])
    assert 0 < fastest < speed


def pressed_cell(side, pressure):
    """A box of half spaces, of which three are pressed in, as in a triaxial test."""
    material, radius = abut.Material(density=2600, young=4e6, poisson=0.2), 0.5e-3
    sim = abut.Simulation(step=1e-9, gravity=(0, 0, 0))
    for other, friction in ((material, 0.5), (abut.Material(), 0.0)):
        sim.set_law(material, other, abut.Hertz(friction=friction, restitution=0.3))
    length = side * 2.15 * radius
    for axis in np.eye(3):
        sim.add_wall(abut.HalfSpace((0, 0, 0), axis))
        press = abut.Servo(pressure=pressure, normal=-axis, area=length**2)
        sim.add_wall(abut.HalfSpace(length * axis, -axis), motion=press)
    lattice = (np.arange(side) + 0.5) * 2.15 * radius
    centers = np.stack(np.meshgrid(lattice, lattice, lattice), axis=-1).reshape(-1, 3)
    rng = np.random.default_rng(1)
    centers += rng.uniform(-0.07, 0.07, centers.shape) * radius
    sim.add_spheres(centers, radius * rng.uniform(0.8, 1.0, len(centers)), material)
    return sim


def turned_drum():
    """A drum of ten sides, a third full."""
    material, radius = abut.Material(density=2500, young=5e6, poisson=0.2), 3e-3
    sim = abut.Simulation(step=1e-9)
    sim.set_law(material, material, abut.Hertz(friction=0.5, restitution=0.5))
    angles = np.linspace(0, 2 * np.pi, 10, endpoint=False)
    rim = 8 * radius * np.stack([np.cos(angles), np.sin(angles)], 1)
    ends = [np.column_stack([rim[:, 0], np.full(10, y), rim[:, 1]]) for y in (0, 6 * radius)]
    sides = [[k, (k + 1) % 10, 10 + (k + 1) % 10, 10 + k] for k in range(10)]
    mesh = abut.Mesh(np.concatenate(ends), [*sides, [*range(10)], [*range(10, 20)]])
    sim.add_wall(mesh, material, motion=abut.Rotating((0, 1, 0), rate=6.0))
    lattice = radius * np.stack(np.meshgrid(
        np.arange(-4, 4.1, 2.1), [1.5, 4.5], np.arange(-5, 2, 2.1)
    ), axis=-1).reshape(-1, 3)  # fmt: skip
    sim.add_spheres(lattice, radius, material, velocities=(0, 0, -0.5))
    return sim


@pytest.mark.parametrize(
    ("sim", "duration"), [(pressed_cell(3, 1e3), 0.03), (turned_drum(), 0.3)],
    ids=["triaxial", "drum"],
)  # fmt: skip
def test_four_contacts_stand_for_those_of_a_bed(sim, duration):
    """A step that is chosen before grains touch stays below the one that gives a warning."""
    free = sim.stable_step()
    sim.step = 0.5 * free
    found = sim.record(duration / 40, lambda s: (s.stable_step(), len(s.pairs) + len(s.contacts)))
    sim.run(duration)
    steps, contacts = found.values.T
    assert contacts.max() > 20
    assert free < 1.5 * steps.min()
