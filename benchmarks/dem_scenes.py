"""Scenes of simulations that the benchmarks time: `make(name, sphere_count, settle, folder)`.

Scenes have fixed seeds and are the same on every machine, except for the last bits of settled
states. abut computes these states once and keeps them in a folder.
"""

import warnings
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import abut
import scenes
from pair_scenes import power_law

SPEED = 18.85  # rad/s of the mixer's rotor
MOVING_STEPS = 6_000  # 0.3 s
VOLUME_FRACTION = 0.55
FLOW = 0.8  # m/s, amplitude along each axis without walls; its mean square is the mixer's
BOULDERS = 2  # number of largest spheres in the scene spheres-100


class Wall(NamedTuple):
    """A mesh, and its speed of rotation about x."""

    mesh: abut.Mesh
    rate: float = 0.0


class Chute(NamedTuple):
    """The numbers of LAMMPS' bench/in.chute, in its units: diameters, masses and gravity of 1.

    A plane replaces its floor of frozen spheres, for abut and for LAMMPS. Both use these numbers
    for law and floor; abut also damps sliding.
    """

    stiffness: float = 2000.0
    damping: float = 50.0  # per reduced mass
    friction: float = 0.5
    steepness: float = np.radians(26.0)
    floor: tuple = (40, 20)  # squares along x and y; each layer has one sphere per square
    mass: float = np.pi / 6.0

    @property
    def gravity(self):
        return (float(np.sin(self.steepness)), 0.0, -float(np.cos(self.steepness)))

    def law(self, mass):
        """The contact law for this reduced mass."""
        ratio = 0.5 * self.damping * np.sqrt(mass / self.stiffness)
        loss = 2.0 * ratio * np.arccos(ratio) / np.sqrt(1.0 - ratio**2)
        return abut.Linear(self.stiffness, friction=self.friction, restitution=np.exp(-loss))


class DemScene(NamedTuple):
    """Spheres of one material, SI units; `period` is a cube's side, or None."""

    centers: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n,)
    velocities: np.ndarray  # (n, 3)
    spins: np.ndarray  # (n, 3)
    step: float
    steps: int  # steps in each round
    walls: tuple = ()
    period: float | None = None
    rolling: float = 0.0
    skin: float = 0.0  # the best skin for neighbor lists
    chute: Chute | None = None  # if given, material and laws follow from it


GRAIN = abut.Material(density=1000.0, young=1e7, poisson=0.2)
STEEL = abut.Material()
FRICTION, WALL_FRICTION, RESTITUTION, ROLLING = 0.5, 0.75, 0.4, 0.001
STEP = 5e-5
RADIUS = abut.examples.RADIUS  # of the smallest spheres


def simulation(scene, workers=1):
    """Abut's own simulation of a scene."""
    if scene.chute:
        return chute_simulation(scene, workers)
    falls = bool(scene.walls)
    sim = abut.Simulation(
        scene.step,
        gravity=(0.0, 0.0, -9.81 if falls else 0.0),
        period=None if scene.period is None else [scene.period] * 3,
        workers=workers,
    )
    sim.set_law(GRAIN, GRAIN, abut.Hertz(FRICTION, RESTITUTION, scene.rolling))
    rolling = abut.laws.RollingA(scene.rolling)
    sim.set_law(GRAIN, STEEL, abut.Hertz(WALL_FRICTION, RESTITUTION, rolling))
    for wall in scene.walls:
        sim.add_wall(wall.mesh, STEEL, motion=turning(wall.rate) if wall.rate else None)
    add_spheres(sim, scene)
    return sim


def chute_simulation(scene, workers):
    of, grain, floor = scene.chute, abut.Material(density=1.0), abut.Material(density=2.0)
    sim = abut.Simulation(scene.step, of.gravity, period=(*of.floor, None), workers=workers)
    sim.set_law(grain, grain, of.law(0.5 * of.mass))
    sim.set_law(grain, floor, of.law(of.mass))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), floor)
    add_spheres(sim, scene, grain)
    return sim


def quietly():
    """Context without warnings: the mixer's step is long, and touching spheres may overlap."""
    return warnings.catch_warnings(action="ignore", category=abut.SimulationWarning)


def turning(rate):
    return abut.Rotating(axis=(1, 0, 0), rate=rate)


def add_spheres(sim, scene, material=GRAIN):
    with quietly():
        sim.add_spheres(scene.centers, scene.radii, material, scene.velocities, scene.spins)


def at_rest(centers, radii, step, steps, **others):
    still = np.zeros((2, *np.shape(centers)))
    return DemScene(
        np.asarray(centers, float), np.asarray(radii, float), *still, step, steps, **others
    )


# ---- settled states ------------------------------------------------------------------------------


def kept(folder, name, make):
    """The arrays that `make` returns, computed at the first call and kept in the folder."""
    path = Path(folder) / f"{name}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez(part, **make())
        part.replace(path)
    with np.load(path) as file:
        return dict(file)


def after(scene, steps):
    """The state of the spheres after a number of steps."""
    sim = simulation(scene, workers=None)
    with quietly():
        sim.run(steps=steps)
    return {"centers": sim.centers, "velocities": sim.velocities, "spins": sim.angular_velocities}


def settled(sphere_count, settle, folder):
    """The lowest spheres of the rotary mixer's bed, at rest."""
    centers, radii, mesh = abut.examples.mixer()
    count = sphere_count or len(centers)
    lowest = np.sort(np.argsort(centers[:, 2], kind="stable")[:count])
    bed = at_rest(centers[lowest], radii[lowest], STEP, 50, walls=(Wall(mesh),), rolling=ROLLING)
    return bed._replace(**kept(folder, f"settled-{count}-{settle}", partial(after, bed, settle)))


def moving(sphere_count, settle, folder):
    """The mixer's bed after 0.3 s of rotation, or fewer steps if the bed settled for fewer."""
    drum, rotor = abut.examples.mixer_meshes()
    bed = settled(sphere_count, settle, folder)._replace(walls=(Wall(drum), Wall(rotor, SPEED)))
    steps = min(MOVING_STEPS, settle + settle // 5)
    state = kept(folder, f"moving-{len(bed.radii)}-{settle}", partial(after, bed, steps))
    turned = rotor.transformed(turning(SPEED).pose(STEP * steps))
    return bed._replace(walls=(Wall(drum), Wall(turned, SPEED)), **state)


# ---- spheres without walls -----------------------------------------------------------------------


def packed(sphere_count, settle, folder, ratio, exponent, skin, boulders=0):
    """Spheres in a periodic cube, at random places without overlaps.

    They flow past each other: the velocity along each axis is a wave along the next axis.
    """
    radii = sizes(np.random.default_rng(5), sphere_count or 100_000, ratio, exponent, boulders)
    side = float(np.cbrt(4.0 / 3.0 * np.pi * np.sum(radii**3) / VOLUME_FRACTION))
    state = kept(folder, f"packed-{ratio}-{len(radii)}", partial(pack, radii, side))
    still = at_rest(state["centers"], radii, STEP / 2, 50, period=side, skin=skin * RADIUS)
    waves = FLOW * np.sin(2.0 * np.pi / side * np.roll(still.centers, 1, axis=1))
    return still._replace(velocities=waves)


def pack(radii, side):
    box = [[0.0] * 3, [side] * 3]
    return {"centers": abut.pack(box, radii, VOLUME_FRACTION, period=True)[0]}


def sizes(rng, count, ratio, exponent, boulders):
    """Radii from RADIUS to `ratio` times RADIUS, density as r**exponent; boulders are largest."""
    radii = RADIUS * power_law(rng, count, ratio, exponent)
    radii[:boulders] = RADIUS * ratio
    return radii


# ---- down a slope --------------------------------------------------------------------------------


def chute(sphere_count, settle, folder):
    """LAMMPS' benchmark of chute flow, rebuilt: layers of spheres that slide and settle."""
    of, count = Chute(), sphere_count or 32_000
    rng = np.random.default_rng(5)
    x, y, layer = np.unravel_index(np.arange(count), (*of.floor, -(-count // 800)), order="F")
    places = np.stack([x, y, layer], axis=1) + 0.5 + rng.uniform(-0.02, 0.02, (count, 3))
    flow = at_rest(places, np.full(count, 0.5), 1e-4, 100, skin=0.1, chute=of)
    return flow._replace(**kept(folder, f"chute-{count}-{settle}", partial(after, flow, settle)))


# ---- few spheres, and many -----------------------------------------------------------------------


def on_plane(sphere_count, settle, folder, count):
    """One sphere on a plane, or one surrounded by six."""
    return few(count, np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]), [[0, 1, 2, 3]])


def in_pit(sphere_count, settle, folder):
    """One sphere surrounded by six, in a flat pit of six facets that holds them together."""
    angle = np.pi / 3 * np.arange(6)
    rim = np.stack([np.cos(angle), np.sin(angle), np.full(6, 0.05)], axis=1)
    return few(7, [*rim, [0, 0, 0]], [[k, (k + 1) % 6, 6] for k in range(6)])


def few(count, vertices, facets):
    angle = np.pi / 3 * np.arange(6)
    ring = 1.99 * RADIUS * np.stack([np.cos(angle), np.sin(angle), np.full(6, 0.05)], axis=1)
    centers = np.concatenate([np.zeros((1, 3)), ring])[:count]
    walls = (Wall(abut.Mesh(vertices, facets)),)
    # they start above the ground and come to rest in the first round, which does not count
    return at_rest(
        centers + [0.0, 0.0, 1.01 * RADIUS],
        np.full(count, RADIUS),
        STEP,
        20_000,
        walls=walls,
        rolling=ROLLING,
    )


def box(sphere_count, settle, folder):
    """A unit box of 120,000 facets, full of spheres that touch their neighbors."""
    around = scenes.make("wall", 1)
    across = int(np.ceil(np.cbrt(sphere_count or 1_000_000)))
    count, spacing = sphere_count or 1_000_000, 1.0 / across
    rng = np.random.default_rng(5)
    cells = np.stack(np.unravel_index(np.arange(count), [across] * 3), axis=1)
    centers = spacing * (cells + 0.5 + rng.uniform(-0.005, 0.005, (count, 3)))
    walls = (Wall(abut.Mesh(around.vertices, around.facets)),)
    return at_rest(centers, np.full(count, 0.51 * spacing), STEP, 5, walls=walls, rolling=ROLLING)


SCENES = {
    "settled": settled,
    "moving": moving,
    "spheres-1": partial(packed, ratio=1, exponent=-3.0, skin=0.2),
    "spheres-10": partial(packed, ratio=10, exponent=-4.0, skin=1.6),
    "spheres-100": partial(packed, ratio=100, exponent=-5.0, skin=0.8, boulders=BOULDERS),
    "one": partial(on_plane, count=1),
    "seven": partial(on_plane, count=7),
    "pit": in_pit,
    "box": box,
    "chute": chute,
}


def make(name, sphere_count, settle, folder):
    """The scene of that name; `settle` is the number of steps that its spheres settle for."""
    return SCENES[name](sphere_count, settle, folder)
