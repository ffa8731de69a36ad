"""Hashes of eight simulations, which a change of the dem room leaves as they are.

    python tests/dem_bits.py > before.txt     # then change, build, and
    python tests/dem_bits.py --compare before.txt

A hash is of all spheres, bodies, contacts, energies and loads after every few steps. Some of these
scenes begin from numbers of the machine's mathematical functions, so no test asserts their hashes:
that is what `python_golden.py` is for.
"""

import argparse
import hashlib
import itertools
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import abut
import scenes_dem as scenes
from scenes_bodies import CUBE, TETRA
from scenes_simulation import busy, everything

LAW = {"friction": 0.5, "restitution": 0.5, "rolling": 0.05}
SOFT = abut.Material(density=2500, young=5e6, poisson=0.25)


# ---- the eight -----------------------------------------------------------------------------------


def bed(law=None, period=(0.1, 0.1, None), ratio=1.3, count=5000, **options):
    """Spheres that fall on each other and on a floor of facets, with two half spaces beside it."""
    rng = np.random.default_rng(5)
    sim = abut.Simulation(step=1e-5, period=period, **options)
    law = law or abut.Hertz(**LAW)
    sim.set_law(SOFT, SOFT, law)
    side = round((count / 4) ** 0.5)
    number = np.arange(count)
    places = np.column_stack([number % side, number // side % side, number // side**2]) + 0.5
    pitch = 0.1 / side
    radii = 0.5 * pitch * ratio ** rng.uniform(-0.5, 0.5, count)
    centers = pitch * places + rng.uniform(-0.05, 0.05, (count, 3)) * pitch
    sim.add_wall(abut.Mesh(*scenes.grid(9, 9, (0, 0.1), (0, 0.1))), SOFT)
    if period[0] is None and "resolution" not in options:
        sim.add_wall(abut.HalfSpace((0, 0, 0), (1, 0, 0)), SOFT)
        sim.add_wall(abut.HalfSpace((0, 0.1, 0), (0, -1, 0)), SOFT)
    sim.add_spheres(centers, radii, SOFT, velocities=rng.normal(0, 0.3, (count, 3)))
    return sim


def large_and_small():
    """Sizes 100:1 in a box whose period is a few of the largest."""
    rng = np.random.default_rng(6)
    sim = abut.Simulation(step=2e-6, period=(0.1, 0.1, 0.1), gravity=(0, 0, -9.81))
    sim.set_law(SOFT, SOFT, abut.Hertz(**LAW))
    radii = np.append(rng.uniform(2.5e-4, 5e-4, 4000), [0.02, 0.025])
    centers = np.append(rng.uniform(0, 0.1, (4000, 3)), [[0.02, 0.03, 0.04], [0.07, 0.07, 0.08]], 0)
    sim.add_spheres(centers, radii, SOFT, velocities=rng.normal(0, 0.5, (4002, 3)))
    return sim


def mixer():
    """A box with a plate that turns, clusters, and spheres that come."""
    return busy()


def dumbbells():
    rng = np.random.default_rng(7)
    sim = bed(count=400)
    scenes.add_dumbbells(sim, rng, 30, SOFT)
    return sim


def blocks():
    """Convex bodies and spheres on a mesh and half spaces."""
    rng = np.random.default_rng(8)
    sim = abut.Simulation(step=1e-5, period=(0.3, None, None))
    sim.set_law(SOFT, SOFT, abut.Linear(5e4, friction=0.4, restitution=0.5))
    sim.add_wall(abut.Mesh(*scenes.grid(5, 5, (0, 0.3), (0, 0.3))), SOFT)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 1, 0)), SOFT)
    sim.add_wall(abut.HalfSpace((0, 0.3, 0), (0, -1, 0)), SOFT)
    places = 0.06 * (np.array(list(itertools.product(range(5), range(5), range(4)))) + 0.4)
    for shape, part in ((CUBE, slice(0, 40)), (TETRA, slice(40, 80))):
        turns = rng.normal(size=(40, 4))
        sim.add_bodies(
            abut.ConvexShape(shape), places[part], SOFT, orientations=turns, scales=0.018
        )
    sim.add_spheres(places[80:], 0.025, SOFT, velocities=(0.2, 0.1, -0.3))
    return sim


def shared():
    return bed(period=(None, None, None), resolution="sharing", count=1000)


def rolling():
    return bed(
        abut.Linear(5e3, friction=0.4, restitution=0.5, rolling=abut.RollingC(0.1)), count=1000
    )


def restarted():
    """A run that is kept in its middle, and goes on from the file."""
    sim = bed(count=1000, period=(None, None, None))
    sim.run(steps=37)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "middle.npz")
        sim.save(path)
        return abut.load_simulation(
            path, meshes=[abut.Mesh(*scenes.grid(9, 9, (0, 0.1), (0, 0.1)))]
        )


RUNS = {
    "bed": bed,
    "moving mixer": mixer,
    "100:1 in a period": large_and_small,
    "clusters": dumbbells,
    "bodies on a mesh": blocks,
    "sharing": shared,
    "rolling C": rolling,
    "restart in the middle": restarted,
}


def hash_of(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = make()
        digest = hashlib.sha256()
        for steps in (1, 2, 30, 7, 60, 500):
            sim.run(steps=steps)
            digest.update(everything(sim))
    return digest.hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compare", type=Path, help="what an earlier run has printed")
    before = parser.parse_args().compare
    lines = [f"{hash_of(make)}  {name}" for name, make in RUNS.items()]
    print("\n".join(lines))
    if before and (others := set(lines) ^ set(before.read_text().splitlines())):
        sys.exit("not the same: " + ", ".join(sorted({line[18:] for line in others})))


if __name__ == "__main__":
    main()
