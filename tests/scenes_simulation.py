"""Small simulations with all features, for tests of the Python package."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import abut

GRAIN = abut.Material(density=1000, young=1e6, poisson=0.3)
STEEL = abut.Material()
STEP = 1e-4

# what `everything` has of spheres
SPHERES = ("ids", "centers", "images", "radii", "masses", "material", "fixed", "velocities",
           "angular_velocities", "forces", "torques")  # fmt: skip

BOX = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def box(size=1.0):
    """The six sides of a cube with a corner at the origin."""
    corners = [[x, y, z] for x in (0, size) for y in (0, size) for z in (0, size)]
    return abut.Mesh(np.array(corners, float), BOX)


def plate(height=0.5):
    """A square around the middle of the box."""
    corners = [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]]
    return abut.Mesh([[x, y, height] for x, y in corners], [[0, 1, 2, 3]])


def floor():
    return abut.Mesh([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], [[0, 1, 2, 3]])


def laws(sim, grain=GRAIN, wall=STEEL, law=None):
    law = law or abut.Hertz(friction=0.5, restitution=0.4, rolling=0.01)
    sim.set_law(grain, grain, law)
    sim.set_law(grain, wall, law)


def grid(count, below=0.45):
    """Centers of count**2 * 3 spheres in the upper half of the box, which do not touch."""
    places = (np.indices((count, count, 3)).reshape(3, -1).T + 0.5) / [count, count, 3]
    return places * [1.0, 1.0, below] + [0.0, 0.0, 1 - below]


def busy(workers=1, motion=None, insertion=True, **options):
    """Spheres of three sizes and clusters, which fall into a box with a plate that turns."""
    sim = abut.Simulation(step=STEP, workers=workers, **options)
    laws(sim)
    sim.add_wall(box(), STEEL)
    turning = abut.Rotating(axis=(0, 0, 1), origin=(0.5, 0.5, 0), rate=5.0)
    sim.add_wall(plate(), STEEL, motion=turning if motion is None else motion)
    centers = grid(7)
    radii = np.random.default_rng(1).uniform(0.04, 0.07, len(centers))
    sim.add_spheres(centers, radii, GRAIN, velocities=(0.5, 0.2, -3.0))
    dumbbell = abut.Cluster([[0, 0, 0], [0.05, 0.02, 0]], 0.05)
    sim.add_clusters(dumbbell, [[0.3, 0.3, 0.2], [0.6, 0.6, 0.2]], GRAIN, velocities=(1, 0, 0))
    sim.add_spheres([[0.5, 0.5, 0.3]], 0.05, GRAIN)
    if insertion:
        feed = abut.Insertion([[0.1, 0.1, 0.05], [0.9, 0.9, 0.45]], (0.02, 0.03), 200, GRAIN)
        sim.add_insertion(feed)
    return sim


def state(sim):
    """All readable values of a simulation, as bytes."""
    columns = [getattr(sim, name) for name in SPHERES]
    names = ("numbers", "positions", "orientations", "velocities", "angular_momenta")
    columns += [getattr(sim.clusters, name) for name in names]
    columns += sim.bodies.to_dict().values()
    tables = [sim.contacts, sim.pairs, sim.bonds, sim.breakages]
    if len(sim.bodies.numbers):
        tables += [sim.body_contacts, sim.body_pairs, sim.body_sphere_pairs]
    for table in tables:
        columns += table.to_dict().values()
    columns += [np.array(sim.energy), np.array([sim.stable_step(), sim.time, sim.left])]
    for wall in sim.walls:
        columns += [wall.force, wall.torque, wall.power, wall.nodal_forces, wall.pose, wall.twist]
    return b"".join(np.ascontiguousarray(column).tobytes() for column in columns)


# ---- runs with a restart -------------------------------------------------------------------------


class Scene(NamedTuple):
    """A simulation, with its functions to run, restart and check it."""

    make: Callable[[], abut.Simulation]
    # of the simulation in the middle and at the end: whether the scene's purpose was met
    did: Callable[[abut.Simulation, abut.Simulation], Any]
    # arguments of `load_simulation` beside the meshes
    given: Mapping[str, Any] = {}
    # makes the callable that `every` calls after each step
    change: Callable[[], Callable[[abut.Simulation], None]] | None = None

    def begin(self):
        """Makes the simulation."""
        return self._call(self.make())

    def restart(self, sim, meshes):
        """Saves a simulation and loads it; `meshes` are those of the walls by number at first."""
        there = [meshes.get(wall.number, wall.mesh) for wall in sim.walls]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "middle.npz")
            sim.save(path)
            files = [mesh for mesh in there if isinstance(mesh, abut.Mesh)]
            return self._call(abut.load_simulation(path, files, **self.given))

    def _call(self, sim):
        if self.change:
            sim.every(sim.step, self.change())
        return sim


def meshes_of(sim):
    """The meshes of walls by number, as they are now."""
    return {wall.number: wall.mesh for wall in sim.walls}
