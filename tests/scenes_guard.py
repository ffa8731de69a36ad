"""Small simulations, one for each kind of grain, force, wall and event: `dem_bits.py` runs them.

A function makes each scene. Another one returns whether its purpose was met, by the simulation in
the middle of a run and that at its end: bonds have broken, spheres have left.
"""

import itertools
from contextlib import suppress
from functools import partial

import numpy as np

import abut
import python_golden as golden
import scenes_dem as scenes
from laws_again import Spring, hertz_again, hertz_as, linear_again, linear_as
from scenes_bodies import CUBE, TETRA
from scenes_simulation import Scene, busy

GRAIN = abut.Material(density=2500, young=5e6, poisson=0.25)
OTHER = abut.Material(density=1500, young=3e6, poisson=0.3)
WALL = abut.Material()
LAW = {"friction": 0.5, "restitution": 0.5, "rolling": 0.05}
HERTZ = abut.Hertz(**LAW)
BRIDGE = abut.laws.LiquidBridge(3e-9, 0.3, 0.3)
STEP, RADIUS, PITCH = 2e-5, 0.004, 0.0081
NONE = (None, None, None)
ROD = abut.Cluster([[0, 0, 0], [0.003, 0.001, 0]], 0.003)


# ---- piles ---------------------------------------------------------------------------------------


def lattice(side, height=None):
    """Places in rows, columns and layers, a little off them."""
    places = np.array(list(itertools.product(range(side), range(side), range(height or side))))
    return PITCH * (places + 0.5 + np.random.default_rng(1).uniform(-0.05, 0.05, places.shape))


def pile(law=HERTZ, side=8, speed=0.1, motion=None, sides=True, **options):
    """Grains of many sizes that fly about on a floor of facets, close to each other."""
    rng = np.random.default_rng(2)
    sim = abut.Simulation(step=STEP, **options)
    for other in (GRAIN, WALL):
        sim.set_law(GRAIN, other, law)
    size = side * PITCH
    sim.add_wall(abut.Mesh(*scenes.grid(5, 5, (0, size), (0, size))), WALL, motion)
    for point, normal in (((0, 0, 0), (1, 0, 0)), ((size, 0, 0), (-1, 0, 0))) if sides else ():
        sim.add_wall(abut.HalfSpace(point, normal), WALL)
    centers = lattice(side)
    radii = RADIUS * rng.uniform(0.85, 1.0, len(centers))
    sim.add_spheres(centers, radii, GRAIN, velocities=rng.normal(0, speed, centers.shape))
    return sim


def bed(law=HERTZ, period=(0.1, 0.1, None), ratio=1.3, count=4000, **options):
    """Spheres that fall on each other and on a floor of facets, with two half spaces beside it."""
    rng = np.random.default_rng(5)
    sim = abut.Simulation(step=5e-6, period=period, **options)
    sim.set_law(GRAIN, GRAIN, law)
    side = round((count / 4) ** 0.5)
    number = np.arange(count)
    places = np.column_stack([number % side, number // side % side, number // side**2]) + 0.5
    pitch = 0.1 / side
    radii = 0.5 * pitch * ratio ** rng.uniform(-0.5, 0.5, count)
    centers = pitch * places + rng.uniform(-0.05, 0.05, (count, 3)) * pitch
    sim.add_wall(abut.Mesh(*scenes.grid(9, 9, (0, 0.1), (0, 0.1))), GRAIN)
    if period[0] is None and "resolution" not in options:
        sim.add_wall(abut.HalfSpace((0, 0, 0), (1, 0, 0)), GRAIN)
        sim.add_wall(abut.HalfSpace((0, 0.1, 0), (0, -1, 0)), GRAIN)
    sim.add_spheres(centers, radii, GRAIN, velocities=rng.normal(0, 0.3, (count, 3)))
    return sim


def large_and_small():
    """Sizes 100:1 in a period of a few of the largest, which grains hit from all sides."""
    rng = np.random.default_rng(6)
    sim = abut.Simulation(step=2e-6, period=(0.1, 0.1, 0.1))
    sim.set_law(GRAIN, GRAIN, HERTZ)
    large, middles = np.array([0.02, 0.025]), np.array([[0.02, 0.03, 0.04], [0.07, 0.07, 0.08]])
    heights = np.linspace(-0.9995, 0.9995, 2000)
    angles = np.pi * (3 - 5**0.5) * np.arange(2000)
    wide = np.sqrt(1 - heights**2)
    ways = np.column_stack([wide * np.cos(angles), wide * np.sin(angles), heights])
    for middle, radius in zip(middles, large, strict=True):
        radii = rng.uniform(2.5e-4, 5e-4, 2000)
        centers = middle + (radius + radii * rng.uniform(1, 1.5, 2000))[:, None] * ways
        sim.add_spheres(
            centers % 0.1, radii, GRAIN, velocities=rng.normal(0, 0.3, ways.shape) - ways
        )
    sim.add_spheres(middles, large, GRAIN)
    return sim


def dumbbells():
    sim = bed(count=400)
    scenes.add_dumbbells(sim, np.random.default_rng(7), 30, GRAIN)
    return sim


def blocks(law):
    """Convex bodies and spheres on a mesh and half spaces."""
    rng = np.random.default_rng(8)
    sim = abut.Simulation(step=1e-5, period=(0.3, None, None))
    sim.set_law(GRAIN, GRAIN, law)
    sim.add_wall(abut.Mesh(*scenes.grid(5, 5, (0, 0.3), (0, 0.3))), GRAIN)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 1, 0)), GRAIN)
    sim.add_wall(abut.HalfSpace((0, 0.3, 0), (0, -1, 0)), GRAIN)
    places = 0.06 * (np.array(list(itertools.product(range(5), range(5), range(4)))) + 0.4)
    for shape, part in ((CUBE, slice(0, 40)), (TETRA, slice(40, 80))):
        turns, velocities = rng.normal(size=(40, 4)), rng.normal(0, 2, (40, 3))
        sim.add_bodies(
            abut.ConvexShape(shape), places[part], GRAIN, orientations=turns, scales=0.018,
            velocities=velocities,
        )  # fmt: skip
    sim.add_spheres(places[80:], 0.025, GRAIN, velocities=(0.2, 0.1, -0.3))
    return sim


# ---- laws ----------------------------------------------------------------------------------------


@abut.laws.law(history=Spring, reach=5e-4)
def tether(contact, old, stiffness, pull):
    """Pulls within its reach, the more the deeper the overlap was before; has friction at touch."""
    deepest = max(old.overlap, contact.overlap)
    gap = 0.0 - contact.overlap
    push = stiffness * contact.overlap
    if gap > 0.0:
        push = 0.0 - pull * (1.0 + deepest / 1e-4) * gap * (1.0 - gap / 5e-4)
    most = 0.5 * max(push, 0.0)
    tangent, spring = abut.laws.slide(contact, old.spring, 0.5 * stiffness, 0.1, most)
    return abut.laws.force(push, tangent), Spring(spring, deepest)


OWN = {"hertz_again": hertz_again, "linear_again": linear_again, "tether": tether}


def user_laws():
    """Two materials, with user laws that have a history, and a built-in law."""
    sim = pile(period=(None, 8 * PITCH, None))
    half = len(sim.ids) // 2
    sim.set_law(GRAIN, GRAIN, hertz_as(HERTZ, GRAIN, GRAIN))
    linear = abut.Linear(4e3, friction=0.4, restitution=0.6, rolling=0.05)
    sim.set_law(GRAIN, OTHER, linear_as(linear, GRAIN, OTHER))
    sim.set_law(OTHER, OTHER, tether(stiffness=3e3, pull=40.0))
    sim.set_law(OTHER, WALL, tether(stiffness=3e3, pull=40.0))
    materials = sim.materials.index(GRAIN), sim.materials.index(OTHER)
    sim.material = np.repeat(materials, (half, len(sim.ids) - half))
    return sim


def glued(law, strength=6e4):
    """Spheres and clusters in a period, with bonds that break; half of the bonds have contacts."""
    rng = np.random.default_rng(3)
    size = 8 * PITCH
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=(size, None, None))
    sim.set_law(GRAIN, GRAIN, law)
    centers = lattice(8)
    sim.add_spheres(centers, 1.01 * RADIUS, GRAIN, velocities=rng.normal(0, 0.5, centers.shape))
    tops = lattice(8, 1)[::2] + [0.0, 0.0, 8.1 * PITCH]
    members = sim.add_clusters(ROD, tops, GRAIN, velocities=(0.1, 0.0, -0.5))
    assert len(members) == 32
    near = abut.find_pairs(sim.centers, sim.radii, gap=5e-4, period=sim.period)
    near = near[(near.j < 512) | (near.i < 512)]
    strengths = strength * rng.uniform(0.3, 3, len(near))
    for part, contact in ((slice(0, None, 2), False), (slice(1, None, 2), True)):
        bond = abut.Bond(young=1e6, contact=contact, damping=0.05)
        sim.bond(near[part], bond, strengths[part], strength)
    return sim


# ---- walls ---------------------------------------------------------------------------------------


def a_lid(height, size):
    return abut.Mesh(np.array([[0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 0, 1]]) * [size, size, height],
                     [[0, 1, 2, 3]])  # fmt: skip


def area(sim):
    """The area of a wall in a cell that becomes narrower with time."""
    return 0.004 * (1.0 - sim.time)


def pressed():
    """Walls under load, with and without a mass; a callable returns the area of one of them."""
    sim = pile(speed=0.3, resolution="sharing")
    size = 8 * PITCH
    sim.add_wall(a_lid(size, size), WALL, abut.Servo(force=(0, 0, -4.0)))
    left = abut.HalfSpace((0, 0, 0), (0, 1, 0))
    sim.add_wall(left, WALL, abut.Servo(pressure=1e3, normal=(0, 1, 0), area=0.004))
    right = abut.HalfSpace((0, size, 0), (0, -1, 0))
    push = abut.Servo(pressure=1e3, normal=(0, -1, 0), area=area, mass=0.2)
    sim.add_wall(right, WALL, push)
    return sim


def with_free_walls():
    """A wedge that falls among grains, and one that swings about a hinge."""
    sim = pile(speed=0.3)
    for x, options in ((0.02, {}), (0.045, {"locked": "xyz", "origin": (0.045, 0.02, 0.065)})):
        mesh = golden.wedge(0, 0, 0).scaled(0.1).transformed(scenes.pose(shift=(x, 0.02, 0.064)))
        wall = sim.add_wall(mesh, WALL, abut.Free(mass=0.01, **options))
        wall.applied_force = (0.1, 0.0, -3.0)
        wall.applied_torque = (0.003, 0.003, 0.0)
    return sim


SHEET = golden.sheet(8 * PITCH, -0.0015)


def on_a_membrane():
    sim = pile(sides=False, gravity=(0, 0, -100))
    sim.walls[0].active = False
    sim.add_wall(SHEET, WALL, deform=golden.Membrane(SHEET))
    return sim


def shaking(t):
    """A pose and a twist at the time t."""
    return scenes.pose(shift=(0.0, 0.0, -20.0 * t * t)), np.array([0.0, 0.0, -40.0 * t, 0, 0, 0])


def moving_walls():
    """A floor that oscillates, a plate that turns, one that a callable moves, one that shifts."""
    shake = abut.Oscillating((0, 1e-4, 3e-4), 200.0, 0.3)
    sim = pile(motion=shake, speed=0.3, gravity=(0, 0, -50))
    size = 8 * PITCH
    turning = abut.Rotating((0, 0, 1), (size / 2, size / 2, 0), 30.0)
    sim.add_wall(a_lid(0.5 * size, 0.8 * size), WALL, turning)
    sim.add_wall(a_lid(0.0652, size), WALL, shaking)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 1, 0)), WALL, abut.Translating((0, 0.2, 0)))
    return sim


# ---- events --------------------------------------------------------------------------------------


def drag(sim):
    return -0.01 * sim.velocities


def lift(sim):
    return 0.01 * sim.masses[:, None] * [0.0, 1.0, 900.0], 1e-7 * sim.centers


class Switches:
    """Turns walls and forces on and off at some steps; changes laws, radii, grains and the step."""

    def __call__(self, sim):
        change = getattr(self, f"after_{sim.step_count}", None)
        if change:
            change(sim)

    def after_10(self, sim):
        sim.walls[0].active = False
        self.lift = sim.add_force(lift)

    def after_60(self, sim):
        sim.walls[0].active = True
        sim.walls[1].motion = abut.Translating((0.2, 0, 0))
        self.lift.remove()

    def after_90(self, sim):
        sim.remove_wall(sim.walls[2])
        sim.add_wall(a_lid(0.06, 8 * PITCH), WALL, abut.Oscillating((0, 0, 1e-3), 100.0))

    def after_130(self, sim):
        self.lift = sim.add_force(lift)
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 1, 0)), WALL)
        sim.set_law(GRAIN, GRAIN, abut.Linear(4e3, friction=0.3, restitution=0.6))

    def after_180(self, sim):
        self.lift.remove()
        sim.radii = 1.02 * sim.radii

    def after_230(self, sim):
        sim.remove_spheres(sim.ids[5::7])
        sim.add_spheres([[0.03, 0.03, 0.068], [0.03, 0.038, 0.069]], 0.004, GRAIN)
        sim.centers = sim.centers + [0.0, 1e-4, 0.0]

    def after_280(self, sim):
        sim.walls[-2].active = False
        sim.step, sim.gravity = 0.7 * STEP, (1.0, 2.0, -9.0)

    def after_400(self, sim):
        sim.walls[-2].active = True
        sim.velocities = 0.5 * sim.velocities


def switched():
    sim = pile(speed=0.3)
    sim.add_force(drag)
    return sim


class Feeler:
    """Moves some fixed grains a little every ten steps, and releases all of them near the end."""

    def __call__(self, sim):
        if sim.step_count == 420:
            sim.fixed = np.zeros(len(sim.ids), bool)
            sim.bodies.assign(fixed=np.zeros(1, bool))
        elif sim.step_count % 10 == 0:
            alone = sim.fixed & (sim.centers[:, 0] > 0.03)
            sim.centers = sim.centers + 2e-5 * alone[:, None] * [0.0, 1.0, 0.5]


def held():
    """The lowest layer of spheres, a cluster and a body are fixed."""
    sim = pile(abut.Linear(4e3, friction=0.4, restitution=0.5, rolling=abut.laws.RollingC(0.05)))
    sim.fixed = sim.centers[:, 2] < PITCH
    places = [[0.02, 0.02, 0.069], [0.05, 0.02, 0.069]]
    sim.add_clusters(ROD, places, GRAIN, fixed=[True, False])
    sim.add_bodies(abut.ConvexShape(CUBE), [[0.035, 0.05, 0.069]], GRAIN, scales=0.004, fixed=True)
    return sim


def leaving():
    """Spheres, some of them bonded, clusters and bodies leave the bounds."""
    sim = pile(abut.Linear(4e3, friction=0.4, restitution=0.5), speed=1.0, sides=False)
    sim.add_clusters(ROD, lattice(8, 1)[::3] + [0, 0, 0.067], GRAIN, velocities=(0, 1.0, 0))
    places = lattice(8, 1)[::5] + [0, 0, 0.077]
    sim.add_bodies(abut.ConvexShape(TETRA), places, GRAIN, scales=0.003, velocities=(1.5, 0, 0))
    sim.bond(abut.find_pairs(sim.centers[:60], sim.radii[:60], gap=1e-3), abut.Bond(1e6))
    sim.set_bounds([[0, 0, -1], [0.0648, 0.0648, 1]], on_leave="remove")
    return sim


def ended():
    """One run ends by a failing force, another by a sphere that leaves the bounds."""
    sim = pile(speed=0.5, sides=False)
    # forces of another shape than the spheres have
    fails = sim.add_force(lambda s: np.zeros((len(s.ids) + (s.step_count == 23), 3)))
    with suppress(ValueError):
        sim.run(steps=100)
    fails.remove()
    sim.set_bounds([[-1e-3, -1e-3, -1], [0.0658, 0.0658, 1]])
    with suppress(ValueError):
        sim.run(steps=500)
    assert 23 < sim.step_count < 523
    sim.set_bounds(None)
    return sim


def fed():
    """Spheres and clusters are inserted one by one above a pile; its floor has a gap."""
    sim = pile(gravity=(0, 0, -300.0), period=(None, 8 * PITCH, None))
    sim.remove_wall(sim.walls[0])
    sim.add_wall(a_lid(0.0, 5 * PITCH), WALL)
    box = np.array([[0.003, 0.003, 0.07], [0.06, 0.06, 0.1]])
    sim.add_insertion(abut.Insertion(box, (0.002, 0.004), 0.3 / STEP, GRAIN))
    sim.add_insertion(abut.Insertion(box, None, 0.02 / STEP, GRAIN, 1, ROD), until=500 * STEP)
    sim.set_bounds([[-1, 0, -0.01], [1, 8 * PITCH, 1]], on_leave="remove")
    return sim


# ---- what must have happened ---------------------------------------------------------------------


def keys(pairs):
    """Pairs by the rows of their spheres."""
    return set(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))


def met(middle, end):
    """Check that some pairs began, and that walls were touched."""
    return keys(end.pairs) - keys(middle.pairs) and (len(end.contacts) or not end.walls)


def collided(middle, end):
    """Check that some pairs also ended."""
    return met(middle, end) and keys(middle.pairs) - keys(end.pairs)


def parted(middle, end):
    """Some pairs pulled each other beyond touch, and were torn apart."""
    apart = middle.pairs[middle.pairs.overlap < 0]
    return len(apart) and keys(apart) - keys(end.pairs) and collided(middle, end)


def bodies_met(middle, end):
    """Bodies hit each other and spheres, and some left walls."""
    before, after = keys(middle.body_pairs), keys(end.body_pairs)
    fewer = 0 < len(end.body_contacts) < len(middle.body_contacts)
    return after - before and len(end.body_sphere_pairs) and fewer


def broke(middle, end):
    """Bonds broke before and after the restart, also bonds of touching spheres."""
    broken = set(zip(end.breakages.i.tolist(), end.breakages.j.tolist(), strict=True))
    pairs = keys(middle.pairs) | keys(end.pairs)
    return 0 < len(middle.breakages) < len(broken) and len(end.bonds) and broken & pairs


def yielded(middle, end):
    """All walls but the first three have moved, and were touched."""
    walls = list(zip(middle.walls[3:], end.walls[3:], strict=True))
    return walls and all(
        (a.pose != b.pose).any() and (a.force.any() or b.force.any()) for a, b in walls
    )


def sagged(middle, end):
    return middle.walls[-1].nodal_forces.any() and end.walls[-1].nodal_forces.any()


def shook(middle, end):
    """Check that all walls were touched."""
    return all(a.force.any() or b.force.any() for a, b in zip(middle.walls, end.walls, strict=True))


def changed(middle, end):
    numbers = [[wall.number for wall in sim.walls] for sim in (middle, end)]
    return numbers == [[0, 1, 3], [0, 1, 3, 4]] and end.step < middle.step


def let_go(middle, end):
    return middle.fixed.any() and middle.bodies.fixed.all() and not end.fixed.any()


def left(middle, end):
    """Spheres, clusters, bodies and bonds have left after the restart, and something before it."""
    counts = [[len(s.ids), len(s.clusters.numbers), len(s.bodies.numbers), len(s.bonds)]
              for s in (middle, end)]  # fmt: skip
    return all(a > b > 0 for a, b in zip(*counts, strict=True)) and 0 < middle.left < end.left


def came(middle, end):
    """Spheres and clusters were inserted before and after the restart, and others left."""
    first = 8**3
    return (
        first < middle.ids[-1] < end.ids[-1]
        and 0 < len(middle.clusters.numbers) < len(end.clusters.numbers)
        and middle.left < end.left
    )


ROLLING_A = abut.Linear(5e3, friction=0.4, restitution=0.5, rolling=abut.laws.RollingA(0.1))
ROLLING_C = abut.Linear(5e3, friction=0.4, restitution=0.5, rolling=abut.laws.RollingC(0.1))
JKR = abut.Hertz(**LAW, cohesion=abut.laws.JKR(20.0))
DMT = abut.Hertz(**LAW, cohesion=abut.laws.DMT(5.0, 1e-5))
WET = abut.Hertz(**LAW, cohesion=BRIDGE)
STICKY = abut.Linear(5e4, friction=0.4, restitution=0.5, curvature=0.01, cohesion=BRIDGE)

SCENES = {
    "bed": Scene(bed, collided),
    "moving mixer": Scene(busy, met),
    "100:1 in a period": Scene(large_and_small, collided),
    "clusters": Scene(dumbbells, collided),
    "bodies on a mesh": Scene(
        partial(blocks, abut.Linear(5e4, friction=0.4, restitution=0.5)), bodies_met
    ),
    "sharing": Scene(partial(bed, period=NONE, resolution="sharing", count=1000), collided),
    "rolling A": Scene(partial(bed, ROLLING_A, count=1000), collided),
    "rolling C": Scene(partial(bed, ROLLING_C, count=1000), collided),
    "bed in a box": Scene(partial(bed, period=NONE, count=1000), collided),
    "JKR": Scene(partial(pile, JKR, speed=0.3), parted),
    "DMT": Scene(partial(pile, DMT, period=(None, 8 * PITCH, None)), parted),
    "bridges": Scene(partial(pile, WET), parted),
    "bodies with bridges": Scene(partial(blocks, STICKY), bodies_met),
    "laws of one's own": Scene(user_laws, parted, {"laws": OWN}),
    "bonds": Scene(partial(glued, HERTZ), broke),
    "bonds and JKR": Scene(partial(glued, JKR), broke),
    "bonds and a law of one's own": Scene(
        partial(glued, hertz_as(HERTZ, GRAIN, GRAIN)), broke, {"laws": OWN}
    ),
    "servo": Scene(
        pressed,
        yielded,
        {"motions": {5: abut.Servo(pressure=1e3, normal=(0, -1, 0), area=area, mass=0.2)}},
    ),
    "free walls": Scene(with_free_walls, yielded),
    "a wall that deforms": Scene(on_a_membrane, sagged, {"deform": {1: golden.Membrane(SHEET)}}),
    "moving walls": Scene(moving_walls, shook, {"motions": {4: shaking}}),
    "switched walls and forces": Scene(switched, changed, {"forces": [drag]}, Switches),
    "held grains": Scene(held, let_go, change=Feeler),
    "bounds": Scene(leaving, left),
    "runs that end": Scene(ended, collided),
    "insertion": Scene(fed, came),
}
SCENES |= {f"golden {name}": scene for name, scene in golden.SCENES.items()}
