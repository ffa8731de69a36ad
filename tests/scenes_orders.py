"""Scenes for the order of accuracy in the time step. `benchmarks/orders.py` prints the orders;
`test_orders.py` checks the orders in docs/dem.md.

A scene is a function of the step that returns the state at a fixed time. Steps are halved, as in
GROMACS' physical validation. The order of a quantity is log2 of the ratio that its changes by two
halvings have. The order of an energy drift is log2 of the ratio that two drifts have.
"""

import warnings
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import abut
from scenes_dem import quad

GRAIN, OTHER = abut.Material(1000, young=1e6, poisson=0.3), abut.Material(1000, 2e6, 0.2)
PLANE = abut.Material()
RADIUS = 0.01
MASS = 1000 * 4 / 3 * np.pi * RADIUS**3
TIME = 4e-3  # of a contact some 1e-2: half of it, or a bounce and a half


class Found(NamedTuple):
    places: np.ndarray  # and spins and turns, as lengths
    drift: float  # of the sum of energies, by what it is


def of_spheres(sim, drift):
    """The state of spheres; spins at the end of a step are means of two neighboring half steps."""
    before, centers = sim.angular_velocities, sim.centers
    sim.run(steps=1)
    spins = 0.5 * (before + sim.angular_velocities)
    return Found(np.concatenate([centers.ravel(), 1e-3 * RADIUS * spins.ravel()]), drift)


def begun(make, step):
    """A simulation with velocities of half a step earlier, for the forces at its start.

    The forces depend slightly on velocities; this effect has the order of the step and is ignored.
    """
    sim = make(step)
    velocities, spins = sim.velocities, sim.angular_velocities
    probe = make(step)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.SimulationWarning)
        probe.run(steps=1)
    masses = 1000 * 4 / 3 * np.pi * sim.radii**3
    inertias = 0.4 * masses * sim.radii**2
    kick = probe.forces / masses[:, None] + probe.gravity
    sim.velocities = velocities - 0.5 * step * kick
    sim.angular_velocities = spins - 0.5 * step * probe.torques / inertias[:, None]
    return sim


PARTS = 20


def ran(sim, time):
    """The simulation after that time, and how far the sum of energies came off."""
    steps, sums = round(time / sim.step), []
    assert steps % PARTS == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.SimulationWarning)
        for _ in range(PARTS):
            sim.run(steps=steps // PARTS)
            sums.append(sum(sim.energy))
    return sim, np.ptp(sums) / np.abs(sums).max()


# ---- contacts ------------------------------------------------------------------------------------


def on_plane(law, velocity=(0, 0, -0.1), spin=(0, 0, 0), height=RADIUS, time=TIME, pull=(0, 0, 0)):
    """A sphere on a plane, pulled by a force."""

    def make(step):
        sim = abut.Simulation(step, gravity=np.array(pull) / MASS)
        sim.set_law(GRAIN, PLANE, law)
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), PLANE)
        sim.add_spheres([[0, 0, height]], RADIUS, GRAIN, [velocity], [spin])
        return sim

    return lambda step: of_spheres(*ran(begun(make, step), time))


def of_pair(law, velocity=(-0.1, 0.03, 0.02), spin=(0, 0, 0), gap=0.0, time=TIME):
    """Two spheres of two sizes, the larger one at rest."""

    def make(step):
        sim = abut.Simulation(step, gravity=(0, 0, 0))
        sim.set_law(GRAIN, GRAIN, law)
        where = [[0, 0, 0], [2.5 * RADIUS + gap, 0, 0]]
        radii = [1.5 * RADIUS, RADIUS]
        sim.add_spheres(where, radii, GRAIN, [[0, 0, 0], velocity], [[0, 0, 0], spin])
        return sim

    return lambda step: of_spheres(*ran(begun(make, step), time))


@abut.laws.law
def spring(contact, stiffness):
    return max(stiffness * contact.overlap, 0.0)


SLANTED, TURNING = (0.05, 0.03, -0.1), (3.0, -5.0, 2.0)
PRESSED = RADIUS - 1e-4
LINEAR = abut.Linear(500.0)
STICKY = {"height": PRESSED, "velocity": (0, 0, 0.01)}
SHORT = STICKY | {"time": 1.6e-3}
BRIDGE = abut.Linear(500.0, cohesion=abut.laws.LiquidBridge(1e-9, 0.07))
OBLIQUE = {"velocity": SLANTED, "spin": TURNING}
# A sphere that is pressed on a plane all the time, pulled along it from rest: what touches at the
# start has a spring that counts the way of the step before.
WEIGHT = np.array([0.3, 0.1, -1.0])
RUBBING = {"velocity": (0, 0, 0.02), "height": PRESSED, "pull": 0.05 * WEIGHT}
ROLLING = {"spin": (0, 10, 0), "velocity": (0.1, 0, 0), "height": PRESSED, "time": 2e-3}
# a weight in equilibrium, so that the constant overlap
LINEAR_BEARS = 500.0 * (RADIUS - PRESSED)
HERTZ_BEARS = 4 / 3 * 1e6 / (1 - 0.3**2) * np.sqrt(RADIUS) * (RADIUS - PRESSED) ** 1.5
BEARING = {"velocity": (0, 0, 0), "height": PRESSED}
LAWS = {
    "Hertz": on_plane(abut.Hertz()),
    "Hertz, through the whole bounce": on_plane(abut.Hertz(), time=2e-2),
    "Hertz, two spheres": of_pair(abut.Hertz(), time=8e-3),
    "Hertz, restitution 0.5": on_plane(abut.Hertz(restitution=0.5)),
    "Hertz, sticking": on_plane(abut.Hertz(friction=1e3), **OBLIQUE),
    "Hertz, sticking, constant overlap": on_plane(
        abut.Hertz(friction=1e3), pull=HERTZ_BEARS * WEIGHT, **BEARING
    ),
    "Hertz, sliding": on_plane(abut.Hertz(friction=0.1), **RUBBING),
    "Hertz, friction 0.3, two spheres": of_pair(abut.Hertz(friction=0.3), spin=TURNING),
    "linear": on_plane(LINEAR),
    "linear, restitution 0.5": on_plane(abut.Linear(500.0, restitution=0.5)),
    "linear, sticking": on_plane(abut.Linear(500.0, friction=1e3), **OBLIQUE),
    "linear, sticking, constant overlap": on_plane(
        abut.Linear(500.0, friction=1e3), pull=LINEAR_BEARS * WEIGHT, **BEARING
    ),
    "linear, sliding": on_plane(abut.Linear(500.0, friction=0.1), **RUBBING),
    "linear, two spheres, sticking": of_pair(abut.Linear(500.0, friction=1e3), spin=TURNING),
    "rolling A": on_plane(abut.Linear(500.0, rolling=abut.laws.RollingA(0.01)), **ROLLING),
    "rolling C, its spring": on_plane(
        abut.Linear(500.0, friction=1e3, rolling=abut.laws.RollingC(1e3, damping=0.0)), **OBLIQUE
    ),
    "rolling C, its damper": on_plane(
        abut.Linear(500.0, friction=1e3, rolling=abut.laws.RollingC(1e3, damping=0.3)), **OBLIQUE
    ),
    "JKR, during adhesion": on_plane(abut.Hertz(cohesion=abut.laws.JKR(0.1)), **SHORT),
    "JKR, past the separation": on_plane(abut.Hertz(cohesion=abut.laws.JKR(0.1)), **STICKY),
    "DMT, in contact": on_plane(abut.Hertz(cohesion=abut.laws.DMT(0.1)), **SHORT),
    "DMT, past the separation": on_plane(abut.Hertz(cohesion=abut.laws.DMT(0.1)), **STICKY),
    "liquid bridge": on_plane(BRIDGE, height=PRESSED, velocity=(0, 0, 0.05)),
    "a user-defined law": on_plane(spring(stiffness=500.0)),
}  # fmt: skip


# ---- bonds ---------------------------------------------------------------------------------------


def bonded(damping=0.0):
    """Two spheres with a bond that is stretched, bent and twisted."""

    def make(step):
        sim = abut.Simulation(step, gravity=(0, 0, 0))
        sim.set_law(GRAIN, GRAIN, LINEAR)
        velocities, spins = [[0, 0, 0], [0.1, 0.2, -0.1]], [[3, 2, 1], [-4, 1, 5]]
        ids = sim.add_spheres([[0, 0, 0], [0.02, 0, 0]], RADIUS, GRAIN, velocities, spins)
        sim.bond([ids], abut.Bond(young=1e6, radius=0.5, damping=damping))
        return sim

    return lambda step: of_spheres(*ran(begun(make, step), 8e-3))


BONDS = {"bond": bonded(), "bond, damped": bonded(0.1)}

# ---- walls that move -----------------------------------------------------------------------------

TURN = abut.Rotating((0.2, 1, 0.1), (0.0, 0, -0.1), rate=3.0)
SHAKE = abut.Oscillating((0, 0, 2e-4), 40.0)
GLIDE = abut.Translating((0.1, 0.05, 0.02))


def lifted(time):
    pose = np.eye(4)
    pose[2, 3] = 2e-4 * np.sin(250 * time)
    return pose, np.array([0, 0, 0.05 * np.cos(250 * time), 0, 0, 0])


def on_moving(motion, law=LINEAR, velocity=(0, 0, 0)):
    """A sphere that is pressed on a moving plate, and pulled along it."""

    def make(step):
        sim = abut.Simulation(step, gravity=(3, 1, -9.81))
        sim.set_law(GRAIN, PLANE, law)
        mesh = quad(0.1)
        if motion is GLIDE:
            # motions begin at rest: the sphere comes after a step, onto a wall that moves already
            back = np.eye(4)
            back[:3, 3] = -step * np.array(GLIDE.velocity)
            sim.add_wall(mesh.transformed(back), PLANE, motion=motion)
            sim.run(steps=1)
        else:
            sim.add_wall(mesh, PLANE, motion=motion)
        sim.add_spheres([[0, 0, PRESSED]], RADIUS, GRAIN, [velocity])
        return sim

    return lambda step: of_spheres(*ran(begun(make, step), 4e-3))


def under_plate(drive):
    """A plate on a sphere on the floor, in equilibrium but for the sphere's velocity."""

    def computed(step):
        sim = abut.Simulation(step, gravity=(0, 0, 0))
        sim.set_law(GRAIN, PLANE, LINEAR)
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), PLANE)
        corners = quad(0.1).vertices + [0, 0, PRESSED + RADIUS - 1e-4]
        wall = sim.add_wall(abut.Mesh(corners, [[3, 2, 1, 0]]), PLANE, motion=drive)
        sim.add_spheres([[0, 0, PRESSED]], RADIUS, GRAIN, [[0, 0, 0.02]])
        sim, drift = ran(sim, 8e-3)
        return Found(np.append(sim.centers.ravel(), wall.pose[2, 3]), drift)

    return computed


def on_springs(step):
    """A sphere that falls on a sheet that moves as one, on a spring, by central differences."""
    speed, sag = np.zeros(3), np.zeros(3)

    def sheet(time, forces):
        nonlocal speed, sag
        speed = speed + step / MASS * (forces.sum(axis=0) - 200.0 * sag)
        sag = sag + step * speed
        return quad(0.1).vertices + sag, np.broadcast_to(speed, (4, 3))

    sim = abut.Simulation(step, gravity=(0, 0, 0))
    sim.set_law(GRAIN, PLANE, LINEAR)
    facets = [[0, 1, 2], [0, 2, 3]]
    sim.add_wall(abut.Mesh(quad(0.1).vertices, facets), PLANE, deform=sheet)
    sim.add_spheres([[0.01, 0, RADIUS]], RADIUS, GRAIN, [[0, 0, -0.2]])
    sim, drift = ran(sim, 8e-3)
    return Found(np.append(sim.centers.ravel(), sag), drift)


MOTIONS = {
    "translating": on_moving(GLIDE),
    "translating, sticking": on_moving(
        GLIDE, abut.Linear(500.0, friction=1e3), velocity=(0.1, 0.05, 0.02)
    ),
    "rotating": on_moving(TURN),
    "oscillating": on_moving(SHAKE),
    "two motions": on_moving(abut.Motions([SHAKE, TURN])),
    "a callable": on_moving(lifted),
    "servo with mass": under_plate(abut.Servo(force=(0, 0, -0.05), mass=2e-3)),
    "servo without mass": under_plate(abut.Servo(force=(0, 0, -0.05))),
    "a sheet on a spring": on_springs,
}

# ---- bodies --------------------------------------------------------------------------------------


def falling_plate(step):
    """A wall that is a rigid body, tilted, on a sphere that rests on the floor."""
    sim = abut.Simulation(step, gravity=(0, 0, 0))
    sim.set_law(GRAIN, PLANE, LINEAR)
    plate = abut.Mesh(quad(0.1).vertices + [0.03, 0.02, 0.02], [[3, 2, 1, 0]])
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), PLANE)
    wall = sim.add_wall(plate, PLANE, motion=abut.Free(mass=5e-3, inertia=(1e-5, 2e-5, 3e-5)))
    sim.add_spheres([[0, 0, RADIUS]], RADIUS, GRAIN, [[0, 0, 0.2]])
    sim, drift = ran(sim, 8e-3)
    return Found(np.append(wall.pose.ravel(), sim.centers.ravel()), drift)


def whole(found):
    """Places and turns of what is rigid; of two quaternions that are the same turn one."""
    turns = found.orientations
    signs = np.sign(np.take_along_axis(turns, np.abs(turns).argmax(axis=1)[:, None], axis=1))
    return np.concatenate([found.positions.ravel(), (RADIUS * signs * turns).ravel()])


def freely(add, part):
    """A body that turns about no axis of its own, and touches nothing."""

    def computed(step):
        sim = abut.Simulation(step, gravity=(0, 0, 0))
        add(sim, height=1.0, spin=SPIN)
        sim, drift = ran(sim, 1.0)
        return Found(whole(getattr(sim, part)), drift)

    return computed


def bounced(add, part, height, law):
    """One that meets a plane, tilted; it begins to touch it at the start."""

    def computed(step):
        sim = abut.Simulation(step, gravity=(0, 0, 0))
        sim.set_law(GRAIN, PLANE, law)
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), PLANE)
        add(sim, height=height, velocity=(0.05, 0.02, -0.1))
        sim, drift = ran(sim, 1.2e-2)
        return Found(whole(getattr(sim, part)), drift)

    return computed


ROD = abut.Cluster([[0, 0, 0], [0.03, 0, 0], [0, 0.015, 0]], RADIUS)
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1.5, 1.5) for z in (-2, 2)])
BRICK = abut.ConvexShape(RADIUS * CORNERS).rounded(0.5 * RADIUS)
SPIN = (1.0, 2.0, 3.0)
TILTED = Rotation.from_rotvec([0.3, 0.5, 0.2])


def add_rod(sim, height, velocity=(0, 0, 0), spin=(0, 0, 0)):
    place, turn = [[0, 0, height]], TILTED.as_quat()[None]
    sim.add_clusters(ROD, place, GRAIN, turn, [velocity], [spin])


def add_brick(sim, height, velocity=(0, 0, 0), spin=(0, 0, 0)):
    rest = {"velocities": [velocity], "angular_velocities": [spin]}
    sim.add_bodies(BRICK, [[0, 0, height]], GRAIN, orientations=TILTED.as_quat()[None], **rest)


def lowest(points, reach):
    """At which height of its origin a body begins to touch."""
    return reach - TILTED.apply(points)[:, 2].min()


ROD_HEIGHT = lowest(np.array(ROD.centers) - ROD.offset, RADIUS)
BRICK_HEIGHT = lowest(RADIUS * CORNERS, 0.5 * RADIUS)
STICKING = abut.Linear(500.0, friction=1e3)
BODIES = {
    "cluster, free": freely(add_rod, "clusters"),
    "cluster, bounce": bounced(add_rod, "clusters", ROD_HEIGHT, LINEAR),
    "cluster, bounce, sticking": bounced(add_rod, "clusters", ROD_HEIGHT, STICKING),
    "convex body, free": freely(add_brick, "bodies"),
    "convex body, bounce": bounced(add_brick, "bodies", BRICK_HEIGHT, LINEAR),
    "convex body, bounce, sticking": bounced(add_brick, "bodies", BRICK_HEIGHT, STICKING),
    "a free wall": falling_plate,
}

# ---- orders --------------------------------------------------------------------------------------

# the longest step of each group
GROUPS = {
    "laws": (LAWS, 1e-5),
    "bonds": (BONDS, 2e-5),
    "motions": (MOTIONS, 2e-5),
    "bodies": (BODIES, 2e-5),
}


def longest_step(name, group):
    """A free body turns for long."""
    return GROUPS[group][1] * (50 if name.endswith("free") else 1)


def halved(scene, step, halvings):
    """What each halving changes of places, by the norm, and drifts of energy, a step each."""
    found = [scene(step / 2**k) for k in range(halvings + 1)]
    changed = [np.linalg.norm(a.places - b.places) for a, b in pairwise(found)]
    return np.array(changed), np.array([one.drift for one in found])


def order(errors):
    """The order over all halvings."""
    return np.log2(errors[0] / errors[-1]) / (len(errors) - 1)


# of places, where it is 1, and why: docs/validation.md
FIRST = {
    "a damper reads a velocity of half a step before": (
        "Hertz, restitution 0.5", "linear, restitution 0.5", "rolling C, its damper",
        "bond, damped", "servo without mass",
    ),
    "a spring along the surface grows by the stiffness and the arm of the step's end": (
        "Hertz, sticking", "Hertz, sliding", "Hertz, friction 0.3, two spheres",
        "linear, sticking", "linear, two spheres, sticking", "rolling C, its spring",
        "cluster, bounce, sticking", "convex body, bounce, sticking",
    ),
    "it parts with a jump": ("JKR, past the separation", "DMT, past the separation"),
}  # fmt: skip
EXPECTED = {name: 2 for scenes, _ in GROUPS.values() for name in scenes}
EXPECTED |= {name: 1 for names in FIRST.values() for name in names}
