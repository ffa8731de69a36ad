"""A golden hash through Python: simulations of every kind of grain, wall and law, with a restart.

    python tests/python_golden.py      # prints the hash of this machine

`GOLDEN_HASH` below is the expected one; docs/install.md names it, too. The scenes are chaotic: one
bit that differs anywhere in what they begin from, or in a step, changes it. What they are made of
here is + - * /, square roots and `Generator.random`, so that nothing comes from the machine's
libraries.
"""

import hashlib
import warnings

import numpy as np

import abut
import scenes_simulation as scenes

GOLDEN_HASH = "107deeaa162d567151c9c141494382a0b341e579ea6b76c83e3a72827ebaa1fe"

GRAIN = abut.Material(density=1000, young=1e6, poisson=0.3)
STICKY = abut.Material(density=900, young=2e6, poisson=0.21)
WET = abut.Material(density=1100, young=5e5, poisson=0.4)
RIGID = abut.Material()

STEPS = 150  # before the restart, and after it


def shaken(t):
    """A pose and a twist at the time t: a wall that speeds up along a slanted line."""
    way, pose = np.array([0.3, -0.2, 0.7]), np.eye(4)
    pose[:3, 3] = way * (t * t)
    return pose, np.append(2.0 * t * way, [0.0, 0.0, 0.0])


class Membrane:
    """The motion of a sheet; its middle sinks at a constant speed."""

    def __init__(self, mesh):
        self.vertices = np.array(mesh.vertices)

    def __call__(self, t, forces):
        velocities = np.zeros(self.vertices.shape)
        velocities[len(velocities) // 2] = [0.01, 0.0, -0.3]
        return self.vertices + t * velocities, velocities


# ---- shapes --------------------------------------------------------------------------------------


def sheet(size, height, count=4):
    """Triangles of a square that is not quite even."""
    rng = np.random.default_rng(3)
    x, y = np.indices((count + 1, count + 1)).reshape(2, -1) / count
    vertices = size * np.column_stack([x, y, 0.03 * rng.random(len(x))]) + [0.0, 0.0, height]
    a = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).ravel()
    b = a + count + 1
    return abut.Mesh(
        vertices, np.concatenate([np.stack([a, b, b + 1], 1), np.stack([a, b + 1, a + 1], 1)])
    )


def wedge(x, y, z):
    """A closed mesh of a wall that moves freely."""
    corners = np.array([[0, 0, 0], [0.2, 0.01, 0], [0.03, 0.2, 0.02], [0.08, 0.07, 0.15]])
    return abut.Mesh(corners + [x, y, z], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def pebble():
    """A convex shape without symmetry."""
    around = [[1.0, 0.1, 0], [0, 1.1, 0.1], [-0.9, 0.2, 0.1], [0.1, -0.8, 0]]
    upper = [[k, (k + 1) % 4, 4] for k in range(4)]
    lower = [[(k + 1) % 4, k, 5] for k in range(4)]
    # facets are given, since SciPy finds those of a hull
    corners = [*around, [0, 0.2, 0.7], [0.1, 0, -0.6]]
    return abut.ConvexShape(corners, [*upper, *lower], radius=0.05)


def molecule():
    """Three spheres that overlap, and so unevenly that no axis is one of the frame's."""
    return abut.Cluster([[0, 0, 0], [0.05, 0.02, 0.01], [0.01, 0.06, 0.03]], [0.05, 0.04, 0.035])


# ---- three scenes --------------------------------------------------------------------------------


def mill():
    """A box with walls of all motions; spheres, clusters and bodies, of which some come later."""
    sim = abut.Simulation(step=1e-4, gravity=(0.3, -0.2, -9.81))
    hertz = abut.Hertz(friction=0.5, restitution=0.4, rolling=0.01)
    linear = abut.Linear(2e4, friction=0.3, restitution=0.6, rolling=abut.laws.RollingC(0.02))
    for a, b, law in [
        (GRAIN, GRAIN, hertz), (GRAIN, RIGID, hertz), (GRAIN, WET, linear), (WET, RIGID, linear),
        (WET, WET, linear), (STICKY, STICKY, hertz), (STICKY, GRAIN, linear),
        (STICKY, WET, hertz), (STICKY, RIGID, linear),
    ]:  # fmt: skip
        sim.set_law(a, b, law)
    sim.add_wall(scenes.box(), RIGID)
    rotating = abut.Rotating(axis=(0.2, 0.1, 1), origin=(0.5, 0.5, 0), rate=5.0)
    swinging = abut.Oscillating(amplitude=(0.01, 0.02, 0.05), frequency=7.0, phase=0.4)
    sim.add_wall(scenes.plate(0.3), RIGID, motion=abut.Motions([rotating, swinging]))
    sim.add_wall(scenes.plate(0.15), RIGID, motion=shaken)
    sim.add_wall(wedge(0.55, 0.15, 0.33), RIGID, motion=abut.Free(mass=3.0))
    down = abut.Servo(pressure=200.0, normal=(0.1, 0.2, -1))
    sim.add_wall(scenes.plate(1.0), RIGID, motion=down)
    hinge = abut.Free(
        mass=2.0, locked="xyz", origin=(0.15, 0.55, 0.33), inertia=np.diag([3, 4, 5.0])
    )
    sim.add_wall(wedge(0.15, 0.55, 0.33), RIGID, motion=hinge)
    sim.add_wall(abut.HalfSpace((0.97, 0, 0), (-1.0, 0.1, 0.2)), RIGID)
    fill_mill(sim)
    return sim


def fill_mill(sim):
    """Grains of all kinds."""
    rng = np.random.default_rng(1)
    centers = scenes.grid(6)
    count = len(centers)
    radii = 0.04 + 0.03 * rng.random(count)
    thirds = np.arange(count) % 3
    for k, material in enumerate((GRAIN, STICKY, WET)):
        there = thirds == k
        velocities = [0.0, 0.0, 0.6] + rng.random((int(there.sum()), 3)) * [1.0, 1.0, -4.0]
        sim.add_spheres(centers[there], radii[there], material, velocities=velocities)
    square = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    turns = rng.random((4, 4)) - 0.5
    places = np.column_stack([0.38 + 0.16 * square, np.full(4, 0.39)])
    sim.add_clusters(molecule(), places, GRAIN, orientations=turns, velocities=(0.5, 0, -4))
    places = np.column_stack([0.45 + 0.06 * square, np.full(4, 0.24)])
    scales = 0.03 + 0.01 * rng.random(4)
    sim.add_bodies(
        pebble(), places, STICKY, orientations=turns, scales=scales, velocities=(0.3, 0.2, -3)
    )
    sim.add_spheres(places - [0.01, 0.0, 0.055], 0.02, WET)
    feeds = [(0.1, {"radii": (0.02, 0.03)}), (0.5, {"radii": None, "cluster": molecule()})]
    for low, options in feeds:
        inside = [[low, low, 0.1], [low + 0.4, low + 0.4, 0.28]]
        sim.add_insertion(abut.Insertion(inside, rate=300, material=GRAIN, **options))


def bed():
    """Cohesive spheres in a periodic world, some of them bonded, with walls that share forces."""
    rng = np.random.default_rng(2)
    sim = abut.Simulation(step=1e-4, period=(1.0, None, None), resolution="sharing")
    sim.set_law(
        GRAIN, GRAIN, abut.Hertz(friction=0.4, restitution=0.5, cohesion=abut.laws.JKR(2.0))
    )
    sim.set_law(STICKY, STICKY, abut.Hertz(restitution=0.5, cohesion=abut.laws.DMT(1.0, 1e-3)))
    bridge = abut.laws.LiquidBridge(1e-6, 0.07, 0.3)
    sim.set_law(WET, WET, abut.Linear(1e4, friction=0.3, restitution=0.3, cohesion=bridge))
    for pair in ((GRAIN, STICKY), (GRAIN, WET), (STICKY, WET)):
        sim.set_law(
            *pair, abut.Hertz(friction=0.2, restitution=0.7, rolling=abut.laws.RollingA(0.01))
        )
    for material, cohesion in ((GRAIN, None), (STICKY, abut.laws.JKR(2.0)), (WET, bridge)):
        law = abut.Hertz(friction=0.5, restitution=0.5, cohesion=cohesion)
        sim.set_law(material, RIGID, law)
    floor = sheet(1.0, 0.0)
    sim.add_wall(floor, RIGID, deform=Membrane(floor))
    for point, normal in (((0, 0, 0), (0, 1, 0)), ((0, 1, 0), (0, -1, 0))):
        sim.add_wall(abut.HalfSpace(point, normal), RIGID)
    places = (np.indices((6, 6, 4)).reshape(3, -1).T + 0.5) / [6, 6, 7]
    for part, material in zip(np.split(places, 3), (GRAIN, STICKY, WET), strict=True):
        radii, speeds = 0.06 + 0.012 * rng.random(48), 4.0 * (rng.random((48, 3)) - 0.5)
        sim.add_spheres(part, radii, material, velocities=speeds)
    sim.bond(
        [[0, 1], [1, 2], [4, 5]], abut.Bond(1e6, radius=0.4, damping=0.1, tensile_strength=6e4)
    )
    return sim


def drag(sim):
    """A force given by a callable."""
    return -0.02 * sim.velocities


def yard():
    """Grains, some of them fixed; `change` turns walls off and on; some grains leave the bounds."""
    rng = np.random.default_rng(4)
    sim = abut.Simulation(step=1e-4, period=(None, 1.0, None))
    for other in (GRAIN, RIGID):
        law = abut.Hertz(friction=0.4, restitution=0.5, rolling=abut.laws.RollingC(0.02))
        sim.set_law(GRAIN, other, law)
    shaking = abut.Oscillating(amplitude=(0.01, 0.0, 0.02), frequency=9.0, phase=0.2)
    sim.add_wall(sheet(1.0, 0.0), RIGID, motion=shaking)
    sim.add_wall(scenes.plate(0.57), RIGID)
    for point, normal in (((0, 0, 0), (1, 0, 0)), ((0.985, 0, 0), (-1, 0, 0))):
        sim.add_wall(abut.HalfSpace(point, normal), RIGID)
    places = (np.indices((6, 6, 4)).reshape(3, -1).T + 0.5) / [6, 6, 7]
    radii, speeds = 0.06 + 0.012 * rng.random(144), 4.0 * (rng.random((144, 3)) - 0.5)
    held = places[:, 2] < 0.1
    speeds[held] = 0.0
    sim.add_spheres(places, radii, GRAIN, velocities=speeds, fixed=held)
    above = np.array([[0.3, 0.3, 0.67], [0.8, 0.6, 0.67]])
    rows = {
        "orientations": rng.random((2, 4)) - 0.5,
        "velocities": [[0.0, 0.0, 0.0], [0.2, 0.1, -4.0]],
        "fixed": [True, False],
    }
    sim.add_clusters(molecule(), above, GRAIN, **rows)
    sim.add_bodies(pebble(), above + [0.1, 0.2, 0.0], GRAIN, scales=0.05, **rows)
    sim.set_bounds([[0.075, 0, -0.2], [0.925, 1, 2]], on_leave="remove")
    sim.add_force(drag)
    return sim


def change(sim):
    """Changes the yard after some steps."""
    if sim.step_count in (30, 180):
        sim.walls[1].active = False
    elif sim.step_count in (100, 210):
        sim.walls[1].active = True
    elif sim.step_count == 60:
        sim.remove_wall(sim.walls[3])
    elif sim.step_count == 200:
        sim.step, sim.gravity = 7e-5, (1.0, 0.5, -9.0)
    elif sim.step_count == 230:
        sim.fixed, sim.radii = np.zeros(len(sim.ids), bool), 1.01 * sim.radii


def has_inserted(middle, end):
    return len(middle.ids) < len(end.ids)


def has_broken(middle, end):
    return 0 < len(middle.breakages) < len(end.breakages)


def has_let_go(middle, end):
    return 0 < middle.left < end.left and middle.fixed.any() and not end.fixed.any()


SCENES = {
    "mill": scenes.Scene(mill, has_inserted, {"motions": {2: shaken}}),
    "bed": scenes.Scene(bed, has_broken, {"deform": {0: Membrane(sheet(1.0, 0.0))}}),
    "yard": scenes.Scene(yard, has_let_go, {"forces": [drag]}, lambda: change),
}


# ---- the hash ------------------------------------------------------------------------------------


def golden_hash(*, restart=True):
    """Hashes all numbers of all scenes, in their middle and at their end."""
    digest = hashlib.sha256()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for scene in SCENES.values():
            middle = scene.begin()
            meshes = scenes.meshes_of(middle)
            middle.run(steps=STEPS)
            digest.update(scenes.state(middle))
            end = scene.restart(middle, meshes) if restart else middle
            end.run(steps=STEPS)
            digest.update(scenes.state(end))
            assert scene.did(middle, end) or not restart
    return digest.hexdigest()


if __name__ == "__main__":
    print(golden_hash())
