"""Neighbor lists do not show: a run with lists that live for many steps has the bits of one that
makes its lists anew in each step, whatever happens to spheres and walls meanwhile.

CI runs this file in a build with ABUT_CHECK_LISTS, too, which searches for everything in each step.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
import scenes_dem as scenes
from scenes_bodies import CUBE
from tiers import examples

pytestmark = [
    pytest.mark.native,
    pytest.mark.filterwarnings("ignore::abut.SimulationWarning"),  # of scenes that are wild
]

SOFT = abut.Material(density=2500, young=5e6, poisson=0.25)
LAW = abut.Hertz(friction=0.5, restitution=0.5)


def forget(sim):
    """Invalidate all lists by assigning the current radii."""
    sim.radii = sim.radii


def state(sim):
    """The state as bytes, which must not depend on lists."""
    columns = [sim.centers, sim.velocities, sim.angular_velocities, sim.forces, sim.torques]
    tables = [sim.contacts, sim.pairs]
    if len(sim.bodies.masses):
        columns += sim.bodies.to_dict().values()
        tables += [sim.body_contacts, sim.body_pairs, sim.body_sphere_pairs]
    for table in tables:
        columns += table.to_dict().values()
    return [np.ascontiguousarray(column).tobytes() for column in columns]


def run_both(lives, anew, steps):
    """Two runs have the same bits, although one of them rebuilds its lists in every step."""
    lives.run(steps=steps)
    for _ in range(steps):
        forget(anew)
        anew.run(steps=1)
    assert state(lives) == state(anew)


def lattice_of(side, pitch, rng, jitter=0.05):
    """Places in rows and columns, a little off them."""
    places = np.array(list(itertools.product(range(side), repeat=3))) + 0.5
    return pitch * (places + rng.uniform(-jitter, jitter, places.shape))


def heap(period=(None, None, None), seed=1, side=6, radius=0.004, speed=0.2, step=2e-5):
    """Spheres that are thrown over a floor of facets."""
    rng = np.random.default_rng(seed)
    sim = abut.Simulation(step=step, period=period)
    sim.set_law(SOFT, SOFT, LAW)
    size = side * 2.1 * radius
    sim.add_wall(abut.Mesh(*scenes.grid(5, 5, (0, size), (0, size))), SOFT)
    centers = lattice_of(side, 2.1 * radius, rng)
    sim.add_spheres(centers, radius, SOFT, velocities=rng.normal(0, speed, centers.shape))
    return sim


def in_a_period(**options):
    return heap(period=(6 * 0.0084, 6 * 0.0084, None), **options)


def fast_projectile():
    """One sphere moves most of its radius in each step."""
    sim = heap(speed=0.01)
    sim.add_spheres([[0.02, 0.025, 0.08]], 0.003, SOFT, velocities=(20.0, 3.0, -100.0))
    return sim


def shots_out_of_overlaps():
    """Spheres that begin far inside of each other are driven apart at once."""
    rng = np.random.default_rng(3)
    sim = heap(speed=0.0)
    sim.add_spheres(rng.uniform(0.02, 0.03, (20, 3)), 0.004, SOFT)
    return sim


def very_different_sizes():
    """Radii of 1000:1, in a box with a period of a few of the largest radii."""
    rng = np.random.default_rng(4)
    sim = abut.Simulation(step=1e-6, period=(0.1, 0.1, 0.1), gravity=(0, 0, -9.81))
    sim.set_law(SOFT, SOFT, LAW)
    radii = np.append(4e-5 * 10 ** rng.uniform(0, 1, 300), [0.04, 0.024])
    large = np.array([[0.02, 0.03, 0.04], [0.075, 0.08, 0.085]])
    turns = rng.normal(size=(300, 3))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    on_it = large[0] + 0.0405 * turns  # close around the largest
    sim.add_spheres(np.append(on_it, large, 0), radii, SOFT, velocities=rng.normal(0, 1, (302, 3)))
    return sim


def own_images():
    """Spheres so large that they touch each other at several images, and their own ones."""
    sim = abut.Simulation(step=1e-6, period=(0.1, 0.1, None), gravity=(0, 0, 0))
    sim.set_law(SOFT, SOFT, LAW)
    centers = [[0.01, 0.02, 0.0], [0.06, 0.07, 0.055], [0.03, 0.09, 0.11]]
    speeds = [[3.0, 1.0, 5.0], [-2.0, 4.0, 0.0], [9.0, -7.0, -4.0]]
    sim.add_spheres(centers, [0.051, 0.04, 0.03], SOFT, velocities=speeds)
    return sim


SIDE = 6 * 0.0084
TILTED = SIDE * np.array([[1.0, 0.0, 0.0], [0.3, 1.0, 0.0], [-0.2, 0.3, 1.0]])


def in_a_tilted_cell(vectors=TILTED):
    """Spheres of two sizes in a tilted cell, some of which cross its borders."""
    rng = np.random.default_rng(5)
    sim = abut.Simulation(step=2e-5, period=vectors, gravity=(1.0, -2.0, 0.5))
    sim.set_law(SOFT, SOFT, LAW)
    centers = (lattice_of(6, 1 / 6, rng) - 0.5 / 6) @ TILTED
    radii = np.where(rng.random(len(centers)) < 0.1, 1.05, 0.97) * 0.004
    sim.add_spheres(centers, radii, SOFT, velocities=rng.normal(0, 0.2, centers.shape))
    return sim


def in_a_skewed_cell():
    """A tilted cell is given by other vectors, which are much longer."""
    return in_a_tilted_cell(np.array([[1, 0, 0], [4, 1, 0], [-2, 9, 1]]) @ TILTED)


def on_a_slope():
    """A half space is parallel to both vectors of a cell, and grains fall on it."""
    vectors = SIDE * np.array([[1.0, 0.0, 0.2], [0.2, 1.1, 0.0], [0.0, 0.0, 0.0]])
    normal = np.cross(vectors[0], vectors[1])
    normal /= np.linalg.norm(normal)
    rng = np.random.default_rng(6)
    sim = abut.Simulation(step=2e-5, period=vectors, gravity=-9.81 * normal)
    sim.set_law(SOFT, SOFT, LAW)
    sim.add_wall(abut.HalfSpace((0, 0, 0), normal), SOFT)
    centers = lattice_of(6, 1 / 6, rng) @ np.vstack([vectors[:2], SIDE * normal])
    sim.add_spheres(centers, 0.0041, SOFT, velocities=rng.normal(0, 0.2, centers.shape))
    return sim


def own_images_in_a_tilted_cell():
    """Spheres that touch each other at several images, and their own ones, in a thin cell."""
    vectors = 0.1 * np.array([[1.0, 0.1, 0.0], [0.6, 0.8, 0.1], [0.0, 0.5, 1.2]])
    sim = abut.Simulation(step=1e-6, period=vectors, gravity=(0, 0, 0))
    sim.set_law(SOFT, SOFT, LAW)
    centers = [[0.01, 0.02, 0.0], [0.06, 0.07, 0.055], [0.03, 0.09, 0.11]]
    speeds = [[3.0, 1.0, 5.0], [-2.0, 4.0, 0.0], [9.0, -7.0, -4.0]]
    sim.add_spheres(centers, [0.051, 0.04, 0.03], SOFT, velocities=speeds)
    return sim


def moving_walls():
    """A plate that turns, and one that hops."""
    sim = heap(speed=0.05)
    turning = abut.Rotating(axis=(0, 0, 1), origin=(0.025, 0.025, 0), rate=50.0)
    plate = abut.Mesh(*scenes.grid(2, 2, (0.0, 0.05), (0.0, 0.05)))
    sim.add_wall(
        plate.transformed(scenes.pose(scenes.turn_about((1, 0, 0), 1.2))), SOFT, motion=turning
    )

    def hops(time):
        return scenes.pose(shift=(0, 0, 0.06 - 0.002 * round(time * 4e3))), np.zeros(6)

    sim.add_wall(plate, SOFT, motion=hops)
    return sim


def half_spaces():
    """A tilting and a shaking half space, and spheres between them and a floor."""
    sim = heap(speed=0.05)
    tilting = abut.Rotating(axis=(0, 1, 0), rate=100.0)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (1, 0, 0)), SOFT, motion=tilting)
    shaking = abut.Oscillating((0.0, 0.002, 0.0), frequency=400.0)
    sim.add_wall(abut.HalfSpace((0, 0.051, 0), (0, -1, 0)), SOFT, motion=shaking)
    return sim


def pushed():
    """A force of the caller's that grows and turns."""
    sim = in_a_period(speed=0.05)
    sim.add_force(
        lambda s: 3.0 * np.sin(1e4 * s.time + np.arange(3 * len(s.centers))).reshape(-1, 3)
    )
    return sim


def clusters():
    rng = np.random.default_rng(7)
    sim = in_a_period(speed=0.3)
    scenes.add_dumbbells(sim, rng, 12, SOFT)
    return sim


def with_bodies():
    rng = np.random.default_rng(8)
    sim = abut.Simulation(step=2e-5, period=(0.06, None, None))
    sim.set_law(SOFT, SOFT, abut.Linear(5e4, friction=0.4, restitution=0.5))
    sim.add_wall(abut.Mesh(*scenes.grid(3, 3, (0, 0.06), (0, 0.06))), SOFT)
    places = lattice_of(4, 0.015, rng)
    turns = rng.normal(size=(32, 4))
    speeds = rng.normal(0, 0.5, (64, 3))
    sim.add_bodies(
        abut.ConvexShape(CUBE), places[:32], SOFT, orientations=turns, scales=0.004,
        velocities=speeds[:32],
    )  # fmt: skip
    sim.add_spheres(places[32:], 0.006, SOFT, velocities=speeds[32:])
    return sim


def body_projectile():
    """Bodies of which one goes most of its size in each step, through others and spheres."""
    sim = with_bodies()
    sim.add_bodies(
        abut.ConvexShape(CUBE), [[0.03, 0.03, 0.1]], SOFT, scales=0.003,
        velocities=[[10.0, 3.0, -100.0]],
    )  # fmt: skip
    return sim


def bodies_of_many_sizes():
    """1000:1, bodies and spheres, between walls that move."""
    rng = np.random.default_rng(9)
    sim = abut.Simulation(step=1e-6, period=(None, 0.3, None))
    sim.set_law(SOFT, SOFT, abut.Linear(1e3, friction=0.4, restitution=0.5))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), SOFT)
    lid = abut.Mesh(*scenes.grid(3, 3, (-0.1, 0.2), (0, 0.3)))
    sim.add_wall(lid, SOFT, motion=abut.Translating((0, 0, -20.0)))
    places = [[0, 0, 0.04], *rng.uniform((-0.06, -0.06, 0.0005), (0.06, 0.06, 0.003), (60, 3))]
    sim.add_bodies(
        abut.ConvexShape(CUBE), places, SOFT, orientations=rng.normal(size=(61, 4)),
        scales=[0.02, *rng.choice([2e-5, 3e-4], 60)], velocities=rng.normal(0, 3.0, (61, 3)),
    )  # fmt: skip
    radii = np.array([0.03, *rng.choice([5e-5, 1e-3], 60)])
    where = [[0.065, 0, 0.04], *rng.uniform((-0.05, -0.05, 0.01), (0.05, 0.05, 0.05), (60, 3))]
    sim.add_spheres(where, radii, SOFT, velocities=rng.normal(0, 3.0, (61, 3)))
    return sim


def bodies_and_moving_walls():
    """Most bodies are far from walls, until a plate hops among them and a half space sweeps in."""
    rng = np.random.default_rng(11)
    sim = abut.Simulation(step=2e-5)
    sim.set_law(SOFT, SOFT, abut.Linear(5e4, friction=0.4, restitution=0.5))
    plate = abut.Mesh(*scenes.grid(5, 5, (0, 0.06), (0, 0.06)))
    sim.add_wall(plate, SOFT)

    def hops(time):
        return scenes.pose(shift=(0, 0, 0.075 - 0.003 * round(time * 5e3))), np.zeros(6)

    sim.add_wall(plate, SOFT, motion=hops)
    sweeping = abut.Translating((5.0, 0, 0))
    sim.add_wall(abut.HalfSpace((-0.01, 0, 0), (1, 0, 0)), SOFT, motion=sweeping)
    places = lattice_of(5, 0.012, rng)
    sim.add_bodies(
        abut.ConvexShape(CUBE), places[:100], SOFT, orientations=rng.normal(size=(100, 4)),
        scales=0.0035, velocities=rng.normal(0, 0.3, (100, 3)),
    )  # fmt: skip
    sim.add_spheres(places[100:], 0.004, SOFT, velocities=[0, 0, -0.5])
    return sim


def bodies_that_touch_images():
    """Bodies so large in a period that two may touch at several images."""
    rng = np.random.default_rng(10)
    sim = abut.Simulation(step=2e-5, period=(0.024, None, None))
    sim.set_law(SOFT, SOFT, abut.Linear(5e4, friction=0.4, restitution=0.5))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), SOFT)
    places = lattice_of(2, 0.012, rng)
    sim.add_bodies(
        abut.ConvexShape(CUBE), places, SOFT, orientations=rng.normal(size=(8, 4)), scales=0.0045,
        velocities=rng.normal(0, 0.5, (8, 3)),
    )  # fmt: skip
    sim.add_spheres(places + [0, 0, 0.03], 0.001, SOFT, velocities=[0, 0, -2.0])
    return sim


# laws with forces beyond touch: anywhere within their reach, or only after touch
GLUES = {
    "necks": abut.Hertz(friction=0.5, restitution=0.5, cohesion=abut.laws.JKR(5.0)),
    "attraction": abut.Hertz(restitution=0.5, cohesion=abut.laws.DMT(0.5, distance=1e-5)),
    "bridges": abut.Linear(5e3, restitution=0.5, cohesion=abut.laws.LiquidBridge(6e-10, 0.07)),
}


def necks():
    sim = half_spaces()
    sim.set_law(SOFT, SOFT, GLUES["necks"])
    return sim


def attraction():
    sim = in_a_period(speed=0.05)
    sim.set_law(SOFT, SOFT, GLUES["attraction"])
    return sim


def two_chunks():
    """More spheres than one chunk has, so that rows of pairs are not consecutive."""
    sim = heap(period=(9 * 0.0084, 9 * 0.0084, None), side=9)
    sim.set_law(SOFT, SOFT, GLUES["attraction"])
    return sim


def bridges():
    sim = moving_walls()
    sim.set_law(SOFT, SOFT, GLUES["bridges"])
    return sim


def attracted_bodies():
    sim = bodies_and_moving_walls()
    law = abut.Linear(
        5e4, restitution=0.5, curvature=1e-3, cohesion=abut.laws.DMT(0.5, distance=1e-5)
    )
    sim.set_law(SOFT, SOFT, law)
    return sim


def magnet(contact, stiffness, pull):
    """A user law with its largest force in the middle of its reach."""
    overlap = contact.overlap
    return stiffness * overlap if overlap > 0.0 else pull * overlap * (overlap + 5e-4)


def magnets():
    pytest.importorskip("numba")
    sim = moving_walls()
    law = abut.laws.law(magnet, reach=5e-4)
    sim.set_law(SOFT, SOFT, law(stiffness=5e3, pull=1e6))
    return sim


SCENES = [
    heap, in_a_period, fast_projectile, shots_out_of_overlaps, very_different_sizes, own_images,
    moving_walls, half_spaces, pushed, clusters, with_bodies, body_projectile,
    bodies_of_many_sizes, bodies_and_moving_walls, bodies_that_touch_images, necks, attraction,
    bridges, attracted_bodies, magnets, in_a_tilted_cell, in_a_skewed_cell, on_a_slope,
    own_images_in_a_tilted_cell,
]  # fmt: skip

# scenes with forces without overlap
APART = [necks, attraction, bridges, attracted_bodies, magnets]


# scenes that may rebuild their lists in each step, too
WILD = [
    fast_projectile, own_images, own_images_in_a_tilted_cell, body_projectile, bodies_of_many_sizes,
]  # fmt: skip


# ---- whatever happens ----------------------------------------------------------------------------


@pytest.mark.parametrize("make", SCENES)
def test_lists_do_not_show(make):
    lives, anew = make(), make()
    gaps = 0
    for _ in range(4):
        run_both(lives, anew, 30)
        tables = lives.contacts, lives.pairs, lives.body_contacts, lives.body_pairs
        gaps += sum((table.overlap < 0.0).sum() for table in tables)
    assert gaps > 0 or make not in APART
    assert lives.statistics().lists_moved < 120 or make in WILD
    assert anew.statistics().lists_changed == 120


@pytest.mark.parametrize("make", [clusters, own_images, two_chunks])
def test_tables_between_any_two_steps(make):
    """Read by a callable after each step, they are those of lists that are made anew in each."""
    lives, anew = make(), make()
    read = []
    lives.every(lives.step, lambda sim: read.append(state(sim)))
    lives.run(steps=25)
    for tables in read:
        forget(anew)
        anew.run(steps=1)
        assert tables == state(anew)
    assert lives.statistics().lists_moved < 25


def test_materials_that_are_assigned_as_they_are():
    left, told = two_chunks(), two_chunks()
    for steps in (20, 5):
        for sim in (left, told):
            sim.run(steps=steps)
        told.material = told.material
        assert state(told) == state(left)


def test_kicks():
    """Velocities and centers that the caller assigns, while lists live."""
    lives, anew = in_a_period(), in_a_period()
    for kick in range(30):
        for sim in (lives, anew):
            rng = np.random.default_rng(kick)
            if kick % 3 == 0:
                sim.velocities = rng.normal(0, 3.0, sim.centers.shape)
            elif kick % 3 == 1:
                sim.centers = sim.centers[rng.permutation(len(sim.centers))]
        run_both(lives, anew, 1 + kick % 5)


def test_kicks_of_bodies():
    """Positions and velocities of bodies that the caller assigns, and forces, while lists live."""
    lives, anew = with_bodies(), with_bodies()
    for sim in (lives, anew):
        sim.add_body_force(lambda sim: 0.2 * np.sin(np.arange(96.0)).reshape(32, 3))
    for kick in range(20):
        for sim in (lives, anew):
            rng, b = np.random.default_rng(kick), sim.bodies
            if kick % 3 == 0:
                b.velocities = rng.normal(0, 3.0, b.velocities.shape)
            elif kick % 3 == 1:
                b.positions = b.positions[rng.permutation(32)]
        run_both(lives, anew, 1 + kick % 5)


def test_a_sphere_that_leaves_one_image_for_another():
    """A sphere touches one image in a step and another one in the next, never both. This is a new
    contact with its own spring, whether the list has both images or is rebuilt."""

    def make():
        sim = abut.Simulation(step=1e-5, period=(0.1, None, None), gravity=(0, 0, 0))
        sim.set_law(SOFT, SOFT, abut.Hertz(friction=50.0, restitution=1.0))
        centers = [[0.03, 0.0, 0.0], [0.0797, 0.049, 0.0]]
        sim.add_spheres(centers, 0.035, SOFT, velocities=[[0, 0, 0], [20.0, 0, 3.0]])
        return sim

    lives, anew = make(), make()
    images = []
    for _ in range(4):
        run_both(lives, anew, 1)
        images += lives.pairs.image[:, 0].tolist()
    assert images == [0, 0, -1, -1]
    assert lives.statistics().lists_moved == 0


def with_a_mote(period=(0.05, 0.05, None)):
    """A heap; its last sphere is so light that the caller's force makes it leave."""
    sim = heap(period)
    mote = abut.Material(density=1e-6, young=5e6, poisson=0.25)
    sim.set_law(mote, SOFT, LAW)
    sim.add_spheres([[0.01, 0.01, 1.0]], 0.003, mote)
    return sim


@pytest.mark.parametrize("forgets", [False, True])
def test_steps_that_are_not_done(forgets):
    """After failed steps the next step continues from the last completed one, whether they kept or
    rebuilt the list."""
    lost = False

    def push(sim):
        forces = np.zeros((len(sim.centers), 3))
        forces[6**3, 0] = 9e74 * lost
        return forces

    fails, whole = with_a_mote(), with_a_mote()
    for sim in (fails, whole):
        sim.add_force(push)
    for steps in (1, 2, 10, 30):
        fails.run(steps=steps)
        whole.run(steps=steps)
        lost = True
        for _ in range(3):
            if forgets:
                forget(fails)
            with pytest.raises(FloatingPointError, match="is lost"):
                fails.run(steps=1)
            assert state(fails) == state(whole)
            assert forgets or fails.energy == whole.energy  # what is assigned holds energies
        lost = False
        for sim in (fails, whole):
            sim.add_spheres([[0.01, 0.01 * steps, 1.1]], 0.003, SOFT)
    fails.run(steps=20)
    whole.run(steps=20)
    assert state(fails) == state(whole)


def bounded(sim):
    low, high = sim.centers[:, 2].min() - 1e-5, sim.centers[:, 2].max() + 1e-5
    sim.set_bounds([[-np.inf, -np.inf, low], [np.inf, np.inf, high]])
    return ValueError


def interrupted(sim):
    def press(sim):
        raise KeyboardInterrupt

    sim.every(17 * sim.step, press)
    return KeyboardInterrupt


def pushed_wrongly(sim):
    sim.add_force(lambda sim: np.zeros((len(sim.centers) - (sim.step_count == 19), 3)))
    return ValueError


@pytest.mark.parametrize("make", [in_a_period, two_chunks, with_bodies])
@pytest.mark.parametrize("begin", [bounded, interrupted, pushed_wrongly])
def test_tables_of_a_run_that_ended_early(make, begin, tmp_path):
    """Tables, stress and frames are those of a run that was to end there."""
    ends, whole = make(), make()
    with pytest.raises(begin(ends)):
        ends.run(steps=200)
    assert 1 < ends.step_count < 200
    whole.run(steps=ends.step_count)
    frames = []
    for name, sim in (("ends", ends), ("whole", whole)):
        abut.write_frames(tmp_path / name / "{step}.npz", contacts=True)(sim)
        frames.append([file.read_bytes() for file in sorted((tmp_path / name).iterdir())])
    assert frames[0] == frames[1] and len(frames[0]) > 1
    region = [[0.0] * 3, [0.05] * 3]
    assert np.array_equal(ends.stress(region), whole.stress(region))
    assert state(ends) == state(whole)


# ---- spheres that come while lists live ----------------------------------------------------------


def come(sim, rng):
    """A few spheres of many sizes, some on the move, at places where others may be."""
    count = rng.integers(1, 4)
    low, high = (0.0, 0.0, 0.0), (0.05, 0.05, 0.06)
    speeds = rng.choice([0.0, 0.3, 20.0], p=[0.5, 0.45, 0.05]) * rng.normal(size=(count, 3))
    sim.add_spheres(
        rng.uniform(low, high, (count, 3)), rng.choice([0.002, 0.003], count), SOFT,
        velocities=speeds,
    )  # fmt: skip


def resting(count=700):
    """Spheres at rest over a floor of facets, so that lists live long: more than a chunk."""
    sim = abut.Simulation(step=1e-5)
    sim.set_law(SOFT, SOFT, LAW)
    sim.add_wall(abut.Mesh(*scenes.grid(5, 5, (-0.1, 0.2), (-0.1, 0.2))), SOFT)
    places = np.stack(np.unravel_index(np.arange(count), (count // 100 + 1, 10, 10))[::-1], axis=1)
    sim.add_spheres(0.004 + 0.00799 * places, 0.004, SOFT)
    sim.run(steps=5)
    return sim


def test_few_lists_are_made_for_spheres_that_come():
    """Until one of them has used up its allowance."""
    sim = resting()
    before = sim.statistics().lists_changed
    for k in range(400):
        sim.add_spheres(
            [[0.002 * (k % 40), 0.002 * (k // 40), 0.068 + 0.01 * (k % 3)]], 0.0005, SOFT
        )
        sim.run(steps=1)
    after = sim.statistics()
    assert after.lists_changed == before
    assert after.lists_moved < 40
    assert len(sim.pairs) > 1000 and len(sim.ids) == 1100


def rising(speed=0.5):
    """A floor that rises below spheres that are held, far from it, without gravity."""
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    sim.set_law(SOFT, SOFT, LAW)
    floor = abut.Mesh(*scenes.grid(5, 5, (-0.1, 0.2), (-0.1, 0.2)))
    sim.add_wall(floor, SOFT, motion=abut.Translating((0, 0, speed)))
    sim.add_wall(
        abut.HalfSpace((0, 0, -0.1), (0, 0, 1)), SOFT, motion=abut.Translating((0, 0, 2.0))
    )
    places = lattice_of(6, 0.009, np.random.default_rng(12))
    sim.add_spheres(places + [0, 0, 0.05], 0.004, SOFT, fixed=True)
    sim.run(steps=10)
    return sim


@pytest.mark.parametrize("on", ["floor", "spheres"])
def test_what_spheres_that_come_will_touch_is_known_from_their_first_step(on):
    """Some spheres are so far away that they touch only when the list is nearly outdated."""
    lives, anew = rising(), rising()
    for k in range(60):
        gap = 4e-6 * (17 * k % 40)
        for sim in (lives, anew):
            if on == "floor":
                place = [0.01 * (k % 10), -0.05 - 0.01 * (k // 10), 0.5 * sim.time + 0.004 + gap]
                sim.add_spheres([place], 0.004, SOFT)
            else:
                place = sim.centers[5 + 6 * (k % 36)] + [0, 0, 0.008 + gap + 0.02 * (k // 36)]
                sim.add_spheres([place], 0.004, SOFT, velocities=[0, 0, -0.5])
        run_both(lives, anew, 3)
    assert len(lives.pairs) + len(lives.contacts) > 10


# ---- spheres that go while lists live ------------------------------------------------------------


def go(sim, rng):
    """A few spheres, the first ones, the last ones or any."""
    count = rng.integers(1, 4)
    free = np.array(sim.ids[: 6**3 - 50] if len(sim.clusters.numbers) else sim.ids)
    leavers = [free[:count], free[-count:], rng.permutation(free)[:count]]
    sim.remove_spheres(leavers[rng.integers(3)])
    sim.remove_clusters(sim.clusters.numbers[-1:])


CHANGING = [
    heap, in_a_period, very_different_sizes, own_images, moving_walls, half_spaces, clusters,
    with_bodies, necks, attraction, bridges, two_chunks,
]  # fmt: skip


@pytest.mark.parametrize("make", CHANGING)
def test_spheres_that_come_and_go_do_not_show(make):
    lives, anew = make(), make()
    for seed in range(30):
        for sim in (lives, anew):
            come(sim, np.random.default_rng(seed))
            if seed % 3:
                go(sim, np.random.default_rng(seed))
        run_both(lives, anew, 1 + seed % 4)


def test_many_spheres_that_go_at_once_do_not_show():
    """Spheres of two chunks are reduced to less than one, and some are added at the same time."""
    lives, anew = resting(1500), resting(1500)
    rng = np.random.default_rng(5)
    for part in (0.3, 0.01, 0.5, 0.4, 0.9, 1.0, 0.0):
        for sim in (lives, anew):
            come(sim, np.random.default_rng(6))
        gone = lives.ids[rng.random(len(lives.ids)) < part]
        for sim in (lives, anew):
            sim.remove_spheres(gone)
        run_both(lives, anew, 3)
    assert lives.statistics().lists_changed == 1


@pytest.mark.parametrize("bonded", [False, True])
def test_spheres_that_leave_bounds_do_not_show(bonded):
    """Spheres are removed during a run, one or several after a step, with their bonds."""
    lives, anew = two_chunks(), two_chunks()
    for sim in (lives, anew):
        if bonded:
            near = abut.find_pairs(sim.centers, sim.radii, gap=4e-4)
            sim.bond(near, abut.Bond(1e6, contact=True))
        sim.set_bounds([[-np.inf, -np.inf, 0.004], [np.inf, np.inf, 0.073]], on_leave="remove")
    for _ in range(10):
        run_both(lives, anew, 10)
    assert lives.left == anew.left > 20
    assert lives.statistics().lists_changed == 1


def test_few_lists_are_made_for_spheres_that_go():
    sim = resting(1100)
    before = sim.statistics().lists_changed
    for k in range(400):
        sim.remove_spheres(sim.ids[[17 * k % len(sim.ids)]])
        sim.run(steps=1)
    after = sim.statistics()
    assert after.lists_changed == before
    assert after.lists_moved < 40
    assert len(sim.pairs) > 500 and len(sim.ids) == 700


def lose_some(sim, seed):
    sim.remove_spheres(sim.ids[[0, 7 * seed, 300]])


@pytest.mark.parametrize("go_on", ["restart", "copy", "failing step", "other laws"])
@pytest.mark.parametrize("change", [come, lose_some])
def test_a_list_that_was_changed_does_not_show_afterwards(change, go_on, tmp_path):
    mote = abut.Material(density=1e-6, young=5e6, poisson=0.25)
    lost = [False]

    def begin():
        sim = resting()
        sim.set_law(mote, SOFT, LAW)
        sim.add_spheres([[0.0, 0.0, 0.3]], 0.003, mote)
        sim.add_force(push)
        sim.run(steps=1)
        return sim

    def push(sim):
        return 9e74 * lost[0] * (sim.radii == 0.003)[:, None] * [1.0, 0.0, 0.0]

    one, other = begin(), begin()
    for seed in range(12):
        for sim in (one, other):
            change(sim, np.random.default_rng(seed) if change is come else seed)
        if go_on == "failing step":
            lost[0] = True
            with pytest.raises(FloatingPointError, match="is lost"):
                one.run(steps=1)
            lost[0] = False
        elif go_on == "copy":
            one = one.copy()
        elif go_on == "other laws":
            for sim in (one, other):
                sim.set_law(SOFT, SOFT, abut.Hertz(friction=0.1 * (seed % 2), restitution=0.5))
        elif seed == 5:
            one.save(tmp_path / "a.npz")
            one = abut.load_simulation(tmp_path / "a.npz", [w.mesh for w in one.walls])
        one.run(steps=2)
        other.run(steps=2)
        assert state(one) == state(other) and one.energy == other.energy


def test_no_spheres_one_sphere_and_two():
    lives, anew = heap(), heap()
    for sim in (lives, anew):
        sim.run(steps=5)
        sim.remove_spheres(sim.ids)
        sim.run(steps=2)
    for x in (0.01, 0.0155, 0.021):
        for sim in (lives, anew):
            sim.add_spheres([[x, 0.01, 0.0029]], 0.003, SOFT)
        run_both(lives, anew, 4)
    assert len(lives.pairs) == 2
    assert len(lives.contacts) == 3


def test_bodies_that_come_and_go_in_each_step():
    lives, anew = with_bodies(), with_bodies()
    for k in range(30):
        for sim in (lives, anew):
            where = np.random.default_rng(k).uniform(0.01, 0.05, (2, 3)) + [0, 0, 0.04]
            sim.add_bodies(abut.ConvexShape(CUBE), where[:1], SOFT, scales=0.003)
            sim.remove_bodies(sim.bodies.numbers[[k % 7]])
            new = sim.add_spheres(where[1:], 0.002, SOFT)
            sim.remove_spheres([sim.ids[k % 9], *new[k % 2 :]])
        run_both(lives, anew, 1 + k % 3)


def test_bodies_alone():
    """Bodies have a list even without spheres. A body is added and removed to rebuild it."""

    def make():
        sim = with_bodies()
        sim.remove_spheres(sim.ids)
        return sim

    lives, anew = make(), make()
    lives.run(steps=60)
    for _ in range(60):
        anew.add_bodies(abut.ConvexShape(CUBE), [[0.03, 0.03, 1.0]], SOFT, scales=0.003)
        anew.remove_bodies(anew.bodies.numbers[-1:])
        anew.run(steps=1)
    assert state(lives) == state(anew)
    assert lives.statistics().lists_moved < 60
    assert len(lives.body_contacts) or len(lives.body_pairs)


@pytest.mark.parametrize("make", [in_a_period, with_bodies])
def test_restart_at_every_phase_of_a_list(tmp_path, make):
    whole = make()
    kept = []
    for _ in range(45):
        whole.run(steps=1)
        whole.save(tmp_path / f"{len(kept)}.npz")
        kept.append(whole.step_count)
    whole.run(steps=45)
    meshes = [wall.mesh for wall in whole.walls]
    for number, steps in enumerate(kept):
        again = abut.load_simulation(tmp_path / f"{number}.npz", meshes=meshes)
        again.run(steps=90 - steps)
        assert state(again) == state(whole)


def test_walls_that_come_while_a_list_lives():
    lives, anew = heap(), heap()
    for sim in (lives, anew):
        sim.run(steps=20)
        sim.add_wall(abut.Mesh(*scenes.grid(2, 2, (0.0, 0.05), (0.0, 0.05))), SOFT)
    run_both(lives, anew, 20)


@given(
    seed=st.integers(0, 2**32),
    speed=st.floats(0.0, 50.0),
    ratio=st.floats(1.0, 100.0),
    size=st.floats(0.02, 0.2),
    axes=st.integers(0, 7),
)
@examples(50)
def test_random_clouds(seed, speed, ratio, size, axes):
    def make():
        rng = np.random.default_rng(seed)
        period = [size if axes >> k & 1 else None for k in range(3)]
        sim = abut.Simulation(step=2e-6, period=period, gravity=rng.normal(0, 10, 3))
        sim.set_law(SOFT, SOFT, LAW)
        sim.add_wall(abut.Mesh(*scenes.grid(3, 3, (0, size), (0, size))), SOFT)
        radii = 0.01 * ratio ** rng.uniform(-1, 0, 60)
        spread = rng.normal(0, speed, (60, 3)) * rng.choice([0.01, 1.0], (60, 1))
        sim.add_spheres(rng.uniform(0, size, (60, 3)), radii, SOFT, velocities=spread)
        return sim

    lives, anew = make(), make()
    run_both(lives, anew, 40)


# ---- what they cost ------------------------------------------------------------------------------


def test_a_list_lives_for_many_steps():
    sim = heap(speed=0.05)
    sim.run(steps=300)
    found = sim.statistics()
    assert found.lists_changed == 1
    assert 300 / (found.lists_moved + 1) > 8
    assert found.candidates < 300 * 8 * len(sim.centers)


def test_fast_spheres_are_searched_for_in_each_step():
    """If lists would soon be invalid, their candidates are only the touching spheres."""
    sim = in_a_period(speed=300.0)
    touching = 0
    for _ in range(5):
        sim.run(steps=1)
        touching += len(sim.pairs)
    assert sim.statistics().candidates == touching


def test_all_part_while_others_come():
    """A list that is rebuilt for many more spheres keeps no old candidates."""
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    grain = abut.Material(density=1000, young=1e7)
    sim.set_law(grain, grain, abut.Hertz())
    sim.add_spheres([[0, 0, 0], [0.0019, 0, 0]], 1e-3, grain)
    sim.run(steps=2)
    assert len(sim.pairs) == 1
    for _ in range(3):
        sim.centers = sim.centers * 10.0
        first = len(sim.ids)
        rows = np.column_stack([np.arange(first, 40 * first), *np.ones((2, 39 * first))])
        sim.add_spheres(0.01 * rows, 1e-3, grain)
        sim.run(steps=3)
        assert len(sim.pairs) == 0
