"""Forces of convex bodies at their spots: Hertz' law, friction and rolling of type C."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import abut
import reference_bodies
from test_dem_bodies import CUBE, TETRA, angular_momentum, cloud, momenta

RUBBER = abut.Material(density=1000, young=1e7, poisson=0.3)
WOOD = abut.Material(density=800, young=5e7, poisson=0.2)
FLOOR = abut.Material(young=1e8, poisson=0.25)
PLANE = abut.HalfSpace((0, 0, 0), (0, 0, 1))
HISTORY = ("roll", "moment")
FULL = {"friction": 0.4, "restitution": 0.6, "rolling": abut.laws.RollingC(0.05, 0.3)}


def world(law, kind=abut.Simulation, *, step=1e-5, **options):
    sim = kind(step=step, **options)
    for other in (RUBBER, WOOD, FLOOR):
        for own in (RUBBER, WOOD):
            sim.set_law(own, other, law)
    return sim


# ---- the reference -------------------------------------------------------------------------------

LAWS = {
    "Hertz, rolling": abut.Hertz(0.5, 0.5, abut.laws.RollingC(0.2, 0.4), curvature=0.1),
    "Hertz, elastic": abut.Hertz(0.3, curvature=0.2),
    "Linear, rolling": abut.Linear(1e6, 0.4, 0.5, 0.6, 0.1, curvature=0.15),
    "Linear": abut.Linear(1e6, friction=0.5, restitution=0.6),
}


def box(kind, law, seed):
    """Cubes and rounded tetrahedra that fall against a floor and two walls that move."""
    rng, sim = np.random.default_rng(seed), world(law, kind, step=1e-4)
    turning = abut.Rotating((0, 1, 0.2), (0, -3.5, 0), rate=2.0)
    shaking = abut.Oscillating((0.1, 0, 0), 3.0), abut.Rotating((0, 1, 0), (-4, 0, 0), 0.5)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0.1, 0, 1)), FLOOR)
    sim.add_wall(abut.HalfSpace((0, -3.5, 0), (0, 1, 0.2)), FLOOR, motion=turning)
    sim.add_wall(abut.HalfSpace((-4, 0, 0), (1, 0.2, 0.3)), FLOOR, motion=abut.Motions(shaking))
    rounded = abut.ConvexShape(0.7 * TETRA.vertices, radius=0.3)
    grid = np.array([[-3.0, -1.9, 1.1], [-3.0, -1.9, 3.2], [-0.9, -1.9, 1.2]])
    for k, (material, shape) in enumerate(((RUBBER, CUBE), (WOOD, rounded))):
        sim.add_bodies(
            shape,
            grid + [2.2 * k, 2.1 * k, 0] + rng.uniform(-0.1, 0.1, (3, 3)),
            material,
            orientations=Rotation.random(3, random_state=seed + k).as_quat(),
            scales=rng.uniform(0.9, 1.1, 3),
            velocities=rng.normal(size=(3, 3)) - [1, 1.5, 2],
            angular_velocities=rng.normal(size=(3, 3)),
        )
    return sim


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.ci)])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_as_the_reference(law, seed):
    sim, truth = box(abut.Simulation, law, seed), box(reference_bodies.Simulation, law, seed)
    rows = np.zeros(2, int)
    for _ in range(3):
        sim.run(steps=40)
        truth.run(40)
        rows += len(sim.body_pairs), len(sim.body_contacts)
        b = sim.bodies
        columns = b.centers, b.velocities, b.angular_velocities, b.angular_momenta
        for own, other in zip(columns, reference_bodies.columns_of(truth), strict=True):
            np.testing.assert_allclose(own, other, rtol=0, atol=1e-12 * np.abs(other).max())
        assert sim.energy.elastic == pytest.approx(truth.elastic, rel=1e-9, abs=1e-9)
        forces = [wall.force for wall in sim.walls]
        np.testing.assert_allclose(
            forces, truth.floor_loads[:, 0], rtol=1e-9, atol=1e-9 * np.abs(forces).max()
        )
    assert min(rows) > 3


# ---- a sphere ------------------------------------------------------------------------------------

RADIUS = 0.1
MASS = 1000 * 4 / 3 * np.pi * RADIUS**3
# A body with a tip down, so small that its rounding makes it a sphere to 3e-13 of the radius. This
# corner is the contact as long as the body has not turned far.
POINT = abut.ConvexShape(
    1e-14 * np.array([[0, 0, 0], [1, 0, 30], [-0.5, 0.8, 30], [-0.5, -0.8, 30]]), radius=RADIUS
)


def ball(sim, is_body, center, scale=1.0, **motion):
    """Add a sphere, or a body with the form of a sphere."""
    if is_body:
        sim.add_bodies(POINT, [center], RUBBER, masses=MASS * scale**3, scales=scale, **motion)
    else:
        sim.add_spheres([center], RADIUS * scale, RUBBER, **motion)


def state(sim):
    """Centers, velocities and spins of all spheres and bodies, the lower ones first."""
    b = sim.bodies
    columns = (
        (sim.centers, b.centers),
        (sim.velocities, b.velocities),
        (sim.angular_velocities, b.angular_velocities),
    )
    order = np.argsort(np.concatenate(columns[0])[:, 2])
    return np.concatenate([np.concatenate(both)[order] for both in columns])


def loads(sim):
    return np.concatenate([[*wall.force, *wall.torque, wall.power] for wall in sim.walls])


SPHERE_LAWS = {
    "Hertz": abut.Hertz(**FULL),
    "Hertz, elastic": abut.Hertz(friction=0.2),
    "Linear": abut.Linear(1e5, **FULL),
}
GROUNDS = {
    "plane": (PLANE, None),
    "facets": (abut.Mesh([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], [[0, 1, 2, 3]]), None),
    "moving": (
        PLANE,
        abut.Motions(
            [abut.Rotating((0, 0, 1), (0.2, 0, 0), 3), abut.Oscillating((0, 0, 1e-4), 50)]
        ),
    ),
}


def compare(alike, law, build, steps=4000):
    """Run scenes with spheres and with equal bodies; returns the difference of both."""
    sims = [build(world(law), is_body) for is_body in (False, True)]
    for sim in sims:
        sim.run(steps=1)
    worst, met = np.zeros(3), 0
    for _ in range(20):
        for sim in sims:
            sim.run(steps=steps // 20)
        a, b = sims
        met += len(b.body_contacts) > 0
        lengths = np.abs(state(a) - state(b)).max()
        forces = np.abs(loads(a) - loads(b)).max(initial=0.0)
        energies = np.abs(np.array(a.energy) - np.array(b.energy)).max()
        worst = np.maximum(worst, [lengths, forces, energies])
    assert (worst < alike).all(), worst
    assert met > 4


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("law", SPHERE_LAWS.values(), ids=SPHERE_LAWS)
def test_a_rounded_point_is_a_sphere_on_a_wall(law, ground):
    """It slides, rolls, spins and hops as the sphere does, and so presses the wall."""
    wall, motion = GROUNDS[ground]

    def build(sim, is_body):
        sim.add_wall(wall, FLOOR, motion=motion)
        ball(
            sim,
            is_body,
            (0, 0, 0.0999),
            velocities=(0.7, 0.1, -0.02),
            angular_velocities=(3, -8, 2),
        )
        return sim

    compare((1e-10, 1e-8, 1e-10), law, build)


@pytest.mark.parametrize("which", ["sphere on a body", "bodies"])
@pytest.mark.parametrize("law", SPHERE_LAWS.values(), ids=SPHERE_LAWS)
def test_a_rounded_point_is_a_sphere_under_another(law, which):
    """One that rolls, and another one, of another size, that falls on it."""

    def build(sim, is_body):
        sim.add_wall(PLANE, FLOOR)
        ball(sim, is_body, (0, 0, 0.0999), velocities=(0.3, 0, 0), angular_velocities=(0, 1, 2))
        ball(
            sim, is_body and which == "bodies", (0.03, 0.02, 0.2795), 0.8,
            velocities=(0.4, 0, -0.3), angular_velocities=(1, 2, 3),
        )  # fmt: skip
        return sim

    compare((1e-9, 1e-6, 1e-9), law, build, steps=2000)


@pytest.mark.parametrize(("kind", "restitution"), [("Hertz", 0.3), ("Linear", 0.6)])
def test_restitution(kind, restitution):
    """A rounded body that falls on its middle bounces like a sphere."""
    law = abut.Hertz(0, restitution) if kind == "Hertz" else abut.Linear(1e6, 0, 0, restitution)
    sim = world(law, step=2e-6, gravity=(0, 0, 0))
    sim.add_wall(PLANE, FLOOR)
    needle = abut.ConvexShape([[0, 0, 0], [1, 0, 2], [-0.5, 0.8, 2], [-0.5, -0.8, 2]], radius=0.5)
    # with its center of mass above the tip
    over = needle.centroid[:2]
    sim.add_bodies(needle, [[-over[0], -over[1], 0.5]], RUBBER, velocities=(0, 0, -0.5))
    sim.bodies.assign(orientations=upright(needle))
    tip = Rotation.from_quat(sim.bodies.orientations[0]).apply([0, 0, 0])
    sim.bodies.assign(positions=-tip[None] + [0, 0, 0.5])
    sim.run(steps=1)
    while len(sim.body_contacts):
        sim.run(steps=200)
    assert sim.bodies.velocities[0, 2] == pytest.approx(0.5 * restitution, rel=2e-3)


def upright(shape):
    """The turn that brings the center of mass over the origin."""
    turn, _ = Rotation.align_vectors([[0, 0, 1]], [np.asarray(shape.centroid)])
    return turn.as_quat()[None]


# ---- R* ------------------------------------------------------------------------------------------


def hertz_push(stiffness, radius, overlap):
    return 4 / 3 * stiffness * np.sqrt(radius) * overlap**1.5


@pytest.mark.parametrize("scale", [1.0, 0.5])
@pytest.mark.parametrize("curvature", [None, 0.3])
@pytest.mark.parametrize("other", ["wall", "body", "sphere"])
def test_radius_of_a_spot(other, curvature, scale):
    """A rounding, times the scale, or else the law's curvature, whatever the scale."""
    shape = CUBE if curvature else abut.ConvexShape(CUBE.vertices, radius=0.2)
    own = curvature or 0.2 * scale
    law, overlap = abut.Hertz(curvature=curvature), 1e-3 * scale
    half = (1.0 + shape.radius) * scale
    sim = world(law, gravity=(0, 0, 0))
    sim.add_bodies(shape, [[0, 0, half]], RUBBER, scales=scale)
    radius, stiffness = own / 2, law.numbers(RUBBER, RUBBER)["stiffness"]
    if other == "wall":
        sim.add_wall(abut.HalfSpace((0, 0, overlap), (0, 0, 1)), FLOOR)
        radius, stiffness = own, law.numbers(RUBBER, FLOOR)["stiffness"]
    elif other == "body":
        sim.add_bodies(shape, [[0, 0, 3 * half - overlap]], RUBBER, scales=scale)
    else:
        sim.add_spheres([[0, 0, 2 * half + 0.7 - overlap]], 0.7, RUBBER)
        radius = own * 0.7 / (own + 0.7)
    sim.run(steps=1)
    table = {"wall": sim.body_contacts, "body": sim.body_pairs, "sphere": sim.body_sphere_pairs}
    force = np.linalg.norm(table[other].spot_force, axis=1)
    assert len(force) == (1 if other == "sphere" else 4)
    np.testing.assert_allclose(force, hertz_push(stiffness, radius, overlap), rtol=1e-9)
    assert sim.energy.elastic == pytest.approx(0.4 * force.sum() * overlap, rel=1e-9)


# ---- what stays ----------------------------------------------------------------------------------


def test_momentum_stays():
    """Rolling moments on both bodies are opposite."""
    sim = cloud(abut.Linear(1e5, friction=0.5, restitution=0.5, rolling=0.3, curvature=0.2))
    before, turning = momenta(sim), angular_momentum(sim)
    met = sim.record(0.01, lambda s: (len(s.body_pairs), len(s.body_sphere_pairs)))
    sim.run(2.0)
    assert met.values.max(axis=0).min() > 0
    b = sim.bodies
    size = (b.masses[:, None] * np.abs(b.velocities)).sum()
    np.testing.assert_allclose(momenta(sim), before, atol=1e-12 * size)
    np.testing.assert_allclose(angular_momentum(sim), turning, atol=1e-10 * size)


BOX = CUBE.vertices * [0.6, 0.8, 1.0]
ROUNDED = abut.ConvexShape(BOX, radius=0.2)
POSES = {
    "flat": (0, 0, 0.4),
    "on an edge": (0, np.arctan2(0.6, 1.0), 0.3),
    "tilted": (0.5, 0.4, 0.1),
}


def lost_in_a_bounce(angles, step):
    """The relative loss of energy of a rounded box in a bounce on a floor without damping."""
    sim = world(abut.Hertz(), step=step)
    sim.add_wall(PLANE, FLOOR)
    turn = Rotation.from_euler("xyz", angles)
    low = turn.apply(BOX)[:, 2].min() - 0.2
    sim.add_bodies(ROUNDED, [[0, 0, 1e-4 - low]], RUBBER, orientations=turn.as_quat()[None],
                   velocities=(0.3, 0, -0.5))  # fmt: skip
    stored = sim.record(step, lambda s: s.energy.elastic)
    sim.run(steps=1)
    whole = sim.energy.kinetic + sim.energy.rotational
    sim.run(0.01)
    while len(sim.body_contacts):
        sim.run(20 * step)
    assert stored.values.max() > 0.05 * whole
    return abs(sim.energy.dissipated) / whole


@pytest.mark.parametrize("angles", POSES.values(), ids=POSES)
def test_bounces_keep_energy(angles):
    """To second order of the step, where the same spots bear all the time."""
    coarse, fine = (lost_in_a_bounce(angles, step) for step in (2e-3, 2.5e-4))
    assert coarse < 3e-5 and fine < coarse / 32


@pytest.mark.parametrize("is_body", [False, True])
def test_across_a_border(is_body):
    """Contacts across the border of a period are the same as in its middle."""
    found = []
    for start in (5.0, 9.9):
        sim = world(abut.Hertz(**FULL), step=1e-4, period=(10, None, None), gravity=(0, 0, 0))
        sim.add_bodies(
            TETRA, [[start, 0, 0]], RUBBER, velocities=(1, 0, 0), angular_velocities=(0, 0.5, 0.2)
        )
        there = [[(start + 2.29) % 10, 0.1, 0]]
        if is_body:
            sim.add_bodies(TETRA, there, RUBBER, angular_velocities=(0.4, 0, 1))
        else:
            sim.add_spheres(there, 1.24, RUBBER, angular_velocities=(0.4, 0, 1))
        met = sim.record(0.01, lambda s: len(s.body_pairs) + len(s.body_sphere_pairs))
        sim.run(0.2)
        assert met.values.any()
        b = sim.bodies
        found.append(np.concatenate([b.velocities, b.angular_velocities, sim.angular_velocities]))
    assert np.abs(found[0][0] - [1, 0, 0]).max() > 0.01
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-10)


# ---- how long a step may be ----------------------------------------------------------------------

SWINGS = {
    "Hertz": abut.Hertz(friction=100),
    "Hertz, rolling": abut.Hertz(100, 1.0, abut.laws.RollingC(10, 0.0)),
    "Hertz, damped": abut.Hertz(100, 0.5, abut.laws.RollingC(10, 0.3)),
    "Linear, rolling": abut.Linear(1e7, friction=100, rolling=abut.laws.RollingC(10, 0.0)),
}


def swung(law, step):
    """The longest stable step of a box that hardly moves on a floor, and its largest energy."""
    sim = world(law, step=step)
    sim.add_wall(PLANE, FLOOR)
    load = ROUNDED.volume * 1000 * 9.81 / 4
    stiffness = law.numbers(RUBBER, FLOOR)["stiffness"]
    pushed = load / stiffness
    if isinstance(law, abut.Hertz):
        pushed = (0.75 * pushed / np.sqrt(ROUNDED.radius)) ** (2 / 3)
    sim.add_bodies(
        ROUNDED, [[0, 0, 1.2 - pushed]], RUBBER,
        velocities=(1e-5, 2e-5, 1e-5), angular_velocities=(1e-5, 2e-5, 3e-5),
    )  # fmt: skip
    sim.run(steps=1)
    longest = sim.stable_step()
    energy = sim.record(10 * step, lambda s: s.energy.kinetic + s.energy.rotational)
    sim.run(steps=1500)
    return longest, energy.values.max()


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
@pytest.mark.parametrize("law", SWINGS.values(), ids=SWINGS)
def test_stable_step(law):
    """Below it swings stay as small as they begin, above they grow: springs across, and against
    rolling, count. What they end with depends on rounding, so that the largest is compared."""
    longest, _ = swung(law, 1e-6)
    assert swung(law, 0.97 * longest)[1] < 1e-5
    assert swung(law, 1.1 * longest)[1] > 1.0


def test_stable_step_of_what_touches_nothing():
    """The stable step assumes four spots, each with an overlap of a tenth of the radius."""
    law = abut.Hertz()
    sim = world(law)
    sim.add_bodies(ROUNDED, [[0, 0, 9]], RUBBER)
    stiffness = 2 * law.numbers(RUBBER, FLOOR)["stiffness"] * np.sqrt(0.1) * ROUNDED.radius
    mass, inertia = ROUNDED.volume * 1000, np.linalg.eigvalsh(ROUNDED.inertia).max() * 1000
    gives_way = 1 / mass + ROUNDED.circumradius**2 / (3 * inertia)
    assert sim.stable_step() == pytest.approx(2 / np.sqrt(4 * stiffness * gives_way), rel=1e-12)
    # a blow of its corners that presses four spots deeper than that
    speed, spin = 30.0, 4.0
    fast = speed + spin * ROUNDED.circumradius
    sim = world(law)
    sim.add_bodies(
        ROUNDED, [[0, 0, 9]], RUBBER, velocities=[0, 0, speed], angular_velocities=[0, 0, spin]
    )
    modulus = law.numbers(RUBBER, FLOOR)["stiffness"]
    deepest = (15 * mass / 4 * fast**2 / (16 * modulus * np.sqrt(ROUNDED.radius))) ** 0.4
    assert deepest > 0.1 * ROUNDED.radius
    stiffness = 2 * modulus * np.sqrt(ROUNDED.radius * deepest)
    assert sim.stable_step() == pytest.approx(2 / np.sqrt(4 * stiffness * gives_way), rel=1e-9)
    alone = world(law)
    alone.add_bodies(CUBE, [[0, 0, 9]], RUBBER)
    # without a radius there is no stable step
    assert alone.stable_step() == np.inf


# ---- bits ----------------------------------------------------------------------------------------


def heap(**options):
    """Rounded tetrahedra, cubes and spheres that fall into a box with a rotating floor."""
    law = abut.Hertz(**FULL, curvature=0.1)
    sim, rng = world(law, step=1e-4, **options), np.random.default_rng(3)
    sim.add_wall(PLANE, FLOOR, motion=abut.Rotating((0, 0, 1), (0.2, 0, 0), 0.5))
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        sim.add_wall(abut.HalfSpace((-1.6 * x, -1.6 * y, 0), (x, y, 0)), FLOOR)
    grid = 1.5 * (np.indices((2, 2, 3)).reshape(3, -1).T - [0.5, 0.5, -0.7])
    for k, shape in enumerate((CUBE, TETRA)):
        turns = rng.normal(size=(4, 4))
        sim.add_bodies(shape, grid[k::3], RUBBER, scales=0.7, orientations=turns)
    sim.add_spheres(grid[2::3], 0.7, WOOD)
    return sim


def everything(sim):
    tables = (sim.body_contacts, sim.body_pairs, sim.body_sphere_pairs)
    columns = [column for table in tables for column in table.to_dict().values()]
    return b"".join(
        np.ascontiguousarray(c).tobytes()
        for c in (*sim.bodies.to_dict().values(), *columns, sim.energy)
    )


def test_laws_that_begin_and_end_rolling():
    """Rolling springs begin at 0 with a new law, and are removed with the last one."""
    sim = heap()
    sim.run(0.03)
    assert sim._core.interactions(0)["roll"].any()
    for own in (RUBBER, WOOD):
        for other in (RUBBER, WOOD, FLOOR):
            sim.set_law(own, other, abut.Hertz(0.4, 0.6, curvature=0.1))
    sim.run(steps=1)
    assert not any(sim._core.interactions(k)[name].any() for k in range(3) for name in HISTORY)
    sim.set_law(RUBBER, FLOOR, abut.Hertz(**FULL, curvature=0.1))
    assert not sim._core.interactions(0)["roll"].any()
    sim.run(steps=5)
    assert sim._core.interactions(0)["roll"].any()


# ---- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "shown"),
    [(abut.Hertz(), "Hertz"), (abut.Linear(1e6, rolling=0.1), "Linear")],
    ids=["Hertz", "rolling"],
)
def test_no_radius(law, shown):
    """An error before anything moves, which names the body, both materials, law and remedies."""
    sim = world(law)
    sim.add_wall(PLANE, FLOOR)
    sim.add_bodies(TETRA, [[0, 0, 0.74]], RUBBER)
    sim.add_bodies(CUBE, [[5, 0, 5], [9, 0, 0.999]], RUBBER)
    sim.run(steps=0)
    before = everything(sim)
    message = (
        rf"^body 2 of Material\(density=1000.* touches Material\(density=None.* under {shown}\(.*"
        r"needs a radius of curvature: give the law curvature=, or the body a shape with radius="
    )
    with pytest.raises(ValueError, match=message):
        sim.run(steps=1)
    assert sim.step_count == 0 and everything(sim) == before
    sim.set_law(RUBBER, FLOOR, abut.Hertz(curvature=0.1))
    sim.run(steps=1)
    assert len(sim.body_contacts) == 2


def test_no_radius_of_the_second_body():
    sim = world(abut.Hertz(), gravity=(0, 0, 0))
    sim.add_bodies(TETRA, [[0, 0, 0]], RUBBER)
    sim.add_bodies(CUBE, [[0, 0, 9], [0, 0, 1.7]], WOOD)
    sim.remove_bodies([1])
    with pytest.raises(ValueError, match=r"^body 2 of Material\(density=800.* touches .*=1000"):
        sim.run(steps=1)


def test_linear_laws_ask_for_no_radius():
    """A curvature changes no bit of them; nor does rolling of others."""
    found = []
    for curvature, rolling in ((None, 0.0), (0.3, 0.0), (None, 0.1)):
        sim = abut.Simulation(step=1e-4)
        sim.set_law(RUBBER, FLOOR, abut.Linear(1e6, friction=0.3, curvature=curvature))
        sim.set_law(WOOD, WOOD, abut.Linear(1e6, rolling=rolling))
        sim.add_wall(PLANE, FLOOR)
        sim.add_bodies(CUBE, [[0, 0, 1.0]], RUBBER, velocities=(1, 0, 0))
        sim.run(0.1)
        found.append(everything(sim))
    assert found[0] == found[1] == found[2]
