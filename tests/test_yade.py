"""Triaxial tests against YADE, where that is installed (Debian's package `yade`)."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import abut

SCRIPT = Path(__file__).parent / "yade_triaxial.py"
YOUNG, DENSITY, FRICTION, RESTITUTION = 4e7, 2600.0, 0.5, 0.3
PRESSURE, RATE, STEP, STRAIN = 1e4, 3.0, 2e-6, 0.08
RADIUS, COUNT = 0.5e-3, 6
SIDE = 2.15 * RADIUS * COUNT
SEEDS = range(5)
NEEDS_YADE = pytest.mark.skipif(shutil.which("yade") is None, reason="needs yade")


class Walls:
    """Six half spaces; the last three are pressed, or the lid comes down at a given speed."""

    @staticmethod
    def made():
        sim = abut.Simulation(step=STEP, gravity=(0, 0, 0))
        for axis in np.eye(3):
            sim.add_wall(abut.HalfSpace((0, 0, 0), axis))
        for axis in np.eye(3):
            sim.add_wall(abut.HalfSpace(SIDE * axis, -axis))
        return sim

    @staticmethod
    def sides(sim):
        return np.array([wall.pose[k, 3] + SIDE for k, wall in enumerate(sim.walls[3:])])

    @classmethod
    def press(cls, sim):
        for axis, wall in enumerate(sim.walls[3:]):
            others = [k for k in range(3) if k != axis]
            wall.motion = abut.Servo(
                pressure=PRESSURE,
                normal=-np.eye(3)[axis],
                area=lambda s, others=others: cls.sides(s)[others].prod(),
            )

    @classmethod
    def shorten(cls, sim):
        sim.walls[5].motion = abut.Translating((0, 0, -RATE * cls.sides(sim)[2]))

    @classmethod
    def stress(cls, sim):
        return sim.stress(((0, 0, 0), cls.sides(sim)))


class Cell:
    """A periodic cell; its sides follow the pressure, or its height a given rate."""

    @staticmethod
    def made():
        return abut.Simulation(step=STEP, gravity=(0, 0, 0), period=(SIDE, SIDE, SIDE))

    @staticmethod
    def sides(sim):
        return np.diag(sim.cell)

    @staticmethod
    def press(sim):
        sim.deform_cell(stress=PRESSURE)

    @staticmethod
    def shorten(sim):
        rate, target = np.diag([np.nan, np.nan, -RATE]), np.full((3, 3), np.nan)
        target[0, 0] = target[1, 1] = PRESSURE
        sim.deform_cell(rate, stress=target)

    @staticmethod
    def stress(sim):
        return sim.stress()


def packed(box, seed):
    """Grains without friction, at rest under the same pressure all around."""
    grain = abut.Material(density=DENSITY, young=YOUNG, poisson=0.2)
    sim = box.made()
    for other in (grain, abut.Material()):
        sim.set_law(grain, other, abut.Hertz(restitution=RESTITUTION))
    rng = np.random.default_rng(seed)
    lattice = (np.arange(COUNT) + 0.5) * SIDE / COUNT
    centers = np.stack(np.meshgrid(lattice, lattice, lattice), axis=-1).reshape(-1, 3)
    centers += rng.uniform(-0.07, 0.07, centers.shape) * RADIUS
    sim.add_spheres(centers, RADIUS * rng.uniform(0.8, 1.0, len(centers)), grain)
    box.press(sim)
    sim.run(0.05)
    return sim


def sheared(box, sim):
    """Strain and stresses (n, 4), while the height shrinks."""
    grain = next(material for material in sim.materials if material.young)
    sim.set_law(grain, grain, abut.Hertz(friction=FRICTION, restitution=RESTITUTION))
    height, rows = box.sides(sim)[2], []
    box.shorten(sim)
    while not rows or rows[-1][0] < STRAIN:
        sim.run(steps=50)
        rows.append((np.log(height / box.sides(sim)[2]), *np.diag(box.stress(sim))))
    return np.array(rows)


def sheared_by_yade(box, sim, folder):
    start, end = folder / "start.npz", folder / "end.npy"
    np.savez(
        start, centers=sim.centers, radii=sim.radii, sides=box.sides(sim), periodic=box is Cell,
        grain=[YOUNG, DENSITY, FRICTION, RESTITUTION], test=[PRESSURE, RATE, STEP, STRAIN],
    )  # fmt: skip
    names = {"ABUT_YADE_START": str(start), "ABUT_YADE_END": str(end)}
    subprocess.run(
        ["yade", "-n", "-x", str(SCRIPT)], check=True, env=os.environ | names, capture_output=True
    )
    return np.load(end)


def ratio(rows):
    """The ratio of the largest to the mean of the other stresses."""
    return rows[:, 3] / rows[:, 1:3].mean(axis=1)


def strength(rows):
    """The mean ratio of stresses, once the bed yields."""
    return ratio(rows)[rows[:, 0] > 0.02].mean()


def curve(rows):
    """The ratio of stresses at eight strains up to the largest one."""
    return np.interp(np.linspace(0.01, STRAIN, 8), rows[:, 0], ratio(rows))


def both(box, folder):
    """The rows of YADE for the first packing, and of abut for all."""
    beds = [packed(box, seed) for seed in SEEDS]
    return sheared_by_yade(box, beds[0], folder), [sheared(box, bed) for bed in beds]


@pytest.mark.long
@NEEDS_YADE
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_walls_press_the_same_packing_within_the_spread_of_packings(tmp_path):
    theirs, ours = both(Walls, tmp_path)
    strengths = [strength(rows) for rows in ours]
    assert 2 < strength(theirs) < 3.5
    assert abs(strength(theirs) - strengths[0]) < np.ptp(strengths)


@pytest.mark.long
@NEEDS_YADE
def test_a_periodic_cell_has_the_same_curve_within_the_spread_of_packings(tmp_path):
    theirs, ours = both(Cell, tmp_path)
    spread = np.ptp([curve(rows) for rows in ours], axis=0)
    assert 3 < strength(theirs) < 4.5
    assert (abs(curve(theirs) - curve(ours[0])) < spread).all()
    assert abs(ours[0][:, 1:3].mean() / PRESSURE - 1) < 0.1
