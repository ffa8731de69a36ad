"""Find the multiples of `stable_step()` at which beds do not come to rest, or fly apart.

    python benchmarks/long_steps.py                    # all scenes, about ten minutes on one core
    python benchmarks/long_steps.py --scene drum,cubes

Each scene runs with half of its stable step until it is at rest or in steady motion. Then it runs
with multiples of the smallest `stable_step()` from then on. For each multiple the table has the
largest kinetic energy in the second half of the run, relative to the run with half of the stable
step. `apart` marks runs in which something is lost, or fast enough to jump out of the box.
docs/dem.md has the table; the warning of `Simulation.run` is based on it.
"""

import argparse
import itertools
import math
import os
import warnings

os.environ.setdefault("ABUT_NUM_THREADS", "1")

import numpy as np

import abut

FACTORS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0)
RADIUS = 0.005
BOX = 0.08
# the speed in m/s with which a sphere jumps out of the box
JUMP = math.sqrt(2 * 9.81 * BOX)
# seconds to settle, and seconds with each multiple
SETTLING, WATCHED = 0.6, 0.3
SOFT = abut.Material(density=2500, young=5e6, poisson=0.25)
STIFFNESS = 5e3
CUBE = abut.ConvexShape(list(itertools.product((-1, 1), repeat=3)))
RNG = np.random.default_rng(30)


# ---- scenes: each adds walls and particles to a simulation ---------------------------------------


def box(sim):
    """A box of half spaces, without a lid."""
    for point, normal in (
        ((0, 0, 0), (0, 0, 1)),
        ((0, 0, 0), (1, 0, 0)),
        ((BOX, 0, 0), (-1, 0, 0)),
        ((0, 0, 0), (0, 1, 0)),
        ((0, BOX, 0), (0, -1, 0)),
    ):
        sim.add_wall(abut.HalfSpace(point, normal), SOFT)


def mesh_box(sim):
    """A box made of a mesh, without a lid."""
    x, high = BOX, 3 * BOX
    corners = np.array([[a, b, c] for c in (0, high) for b in (0, x) for a in (0, x)], float)
    facets = [[0, 1, 3, 2], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
    sim.add_wall(abut.Mesh(corners, facets), SOFT)


def places(spacing, count):
    """Points of a grid in the box, from the lowest; no point is exactly above another one."""
    line = np.arange(spacing / 2, BOX - 0.4 * spacing, spacing)
    high = np.arange(0.6 * spacing, 100 * spacing, spacing)
    grid = np.stack(np.meshgrid(high, line, line, indexing="ij"), axis=-1).reshape(-1, 3)[:count]
    return grid[:, ::-1] + RNG.uniform(-0.03, 0.03, (count, 3)) * spacing


def spheres(law, ratio=1.0, count=300):
    def build(sim):
        sim.set_law(SOFT, SOFT, law)
        box(sim)
        radii = RADIUS * RNG.uniform(1 / ratio, 1, count)
        sim.add_spheres(places(2.1 * RADIUS, count), radii, SOFT)

    return build


def drum(sim):
    """A rotating drum of 64 sides, a third full."""
    angles = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    rim = np.stack([np.cos(angles), np.sin(angles)], 1) * BOX / 2
    ends = [np.column_stack([rim[:, 0], np.full(64, y), rim[:, 1]]) for y in (0.0, BOX / 2)]
    side = [[k, (k + 1) % 64, 64 + (k + 1) % 64, 64 + k] for k in range(64)]
    mesh = abut.Mesh(np.concatenate(ends), [*side, [*range(64)], [*range(64, 128)]])
    sim.set_law(SOFT, SOFT, abut.Hertz(friction=0.5, restitution=0.5))
    sim.add_wall(mesh, SOFT, motion=abut.Rotating((0, 1, 0), rate=2 * np.pi))
    line = np.arange(-BOX / 2, BOX / 2, 2.1 * RADIUS)
    y = np.arange(1.05 * RADIUS, BOX / 2 - RADIUS, 2.1 * RADIUS)
    points = np.stack(np.meshgrid(line, y, line, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = np.hypot(points[:, 0], points[:, 2]) < BOX / 2 - 1.05 * RADIUS
    points = points[inside & (points[:, 2] < 0.1 * BOX)]
    sim.add_spheres(points + RNG.uniform(-1e-4, 1e-4, points.shape), RADIUS, SOFT)


def pressed(sim):
    """A bed under a plate that presses with a hundred times the bed's weight."""
    spheres(abut.Hertz(friction=0.5, restitution=0.5))(sim)
    sim.add_force(
        lambda s: np.where(s.centers[:, 2:] > np.median(s.centers[:, 2]), [0, 0, -0.1], 0.0)
    )


def gas(sim):
    """Spheres that collide without gravity."""
    sim.set_law(SOFT, SOFT, abut.Hertz(friction=0.5, restitution=0.9))
    box(sim)
    sim.add_wall(abut.HalfSpace((0, 0, BOX), (0, 0, -1)), SOFT)
    points = places(4 * RADIUS, 64)
    sim.add_spheres(points, RADIUS, SOFT, velocities=RNG.normal(0, 1.0, points.shape))


def clusters(sim):
    sim.set_law(SOFT, SOFT, abut.Hertz(friction=0.5, restitution=0.5))
    mesh_box(sim)
    rod = abut.Cluster([[-RADIUS, 0, 0], [0, 0, 0], [RADIUS, 0, 0]], RADIUS)
    sim.add_clusters(rod, places(4.2 * RADIUS, 60), SOFT)


def cubes(walls):
    def build(sim):
        sim.set_law(SOFT, SOFT, abut.Linear(STIFFNESS, friction=0.5, restitution=0.3))
        walls(sim)
        points = places(3.6 * RADIUS, 100)
        turns = RNG.normal(size=(100, 4))
        sim.add_bodies(CUBE, points, SOFT, scales=RADIUS, orientations=turns)

    return build


HERTZ, DRY = abut.Hertz(friction=0.5, restitution=0.5), abut.Hertz(friction=0.5, restitution=0.9)
LINEAR = abut.Linear(STIFFNESS, friction=0.5, restitution=0.5)
SPRINGY = abut.Linear(STIFFNESS, friction=0.5, restitution=0.95)
DOWN = (0.0, 0.0, -9.81)
SCENES = {
    "bed, Hertz, restitution 0.5": (spheres(HERTZ), DOWN),
    "bed, Hertz, restitution 0.9": (spheres(DRY), DOWN),
    "bed, linear, restitution 0.5": (spheres(LINEAR), DOWN),
    "bed, linear, restitution 0.95": (spheres(SPRINGY), DOWN),
    "bed, radii 4:1": (spheres(HERTZ, 4.0), DOWN),
    "drum": (drum, DOWN),
    "pressed bed": (pressed, DOWN),
    "gas": (gas, (0, 0, 0)),
    "clusters": (clusters, DOWN),
    "cubes in half spaces": (cubes(box), DOWN),
    "cubes in a mesh": (cubes(mesh_box), DOWN),
}


# ---- runs with longer steps ----------------------------------------------------------------------


def made(build, gravity, step):
    global RNG
    RNG = np.random.default_rng(30)
    sim = abut.Simulation(step=step, gravity=gravity)
    build(sim)
    return sim


def longest(build, gravity):
    """The stable step of the scene in its initial state."""
    return made(build, gravity, 1e-9).stable_step()


def settled(build, gravity):
    """The scene after SETTLING, and its smallest stable step from then on."""
    step = 0.5 * longest(build, gravity)
    while True:
        sim = made(build, gravity, step)
        sim.run(SETTLING)
        asked = sim.record(20 * step, abut.Simulation.stable_step)
        sim.run(WATCHED)
        smallest = float(asked.values.min())
        if step <= 0.55 * smallest:
            return sim, smallest
        step = 0.5 * smallest


def carried_on(build, gravity, before, step):
    """The scene in the state of `before`, with another step."""
    sim = made(build, gravity, step)
    if len(before.bodies.numbers):
        names = ("positions", "orientations", "velocities", "angular_momenta")
        old = {name: getattr(before.bodies, name) for name in names}
        sim.bodies.assign(**old)
    elif len(before.clusters.numbers):
        names = ("positions", "orientations", "velocities", "angular_momenta")
        sim.clusters.assign(**{name: getattr(before.clusters, name) for name in names})
    else:
        sim.centers, sim.velocities = before.centers, before.velocities
        sim.angular_velocities = before.angular_velocities
    return sim


def speed(sim):
    parts = [sim.velocities, sim.bodies.velocities]
    return max(float(np.linalg.norm(part, axis=1).max(initial=0.0)) for part in parts)


def watched(sim):
    """The largest kinetic energy and speed in the second half; infinite if a run fails."""
    found = []
    try:
        sim.run(WATCHED / 2)
        sim.every(WATCHED / 100, lambda s: found.append((sum(s.energy[:2]), speed(s))))
        sim.run(WATCHED / 2)
    except (FloatingPointError, ValueError):
        return math.inf, math.inf
    energies, speeds = zip(*found, strict=True)
    return max(energies), max(speeds)


def report(name):
    build, gravity = SCENES[name]
    before, stable = settled(build, gravity)
    base, _ = watched(carried_on(build, gravity, before, 0.5 * stable))
    cells = []
    for factor in FACTORS:
        energy, most = watched(carried_on(build, gravity, before, factor * stable))
        cells.append(f"{energy / base:.2g}" if most < JUMP else "apart")
    print(f"{name:30}", *(f"{cell:>7}" for cell in cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", help="comma-separated beginnings of scene names; default: all")
    wanted = parser.parse_args().scene
    warnings.simplefilter("ignore", abut.SimulationWarning)
    print(f"{'':30}", *(f"{factor:7g}" for factor in FACTORS))
    for name in SCENES:
        if wanted is None or name.startswith(tuple(wanted.split(","))):
            report(name)


if __name__ == "__main__":
    main()
