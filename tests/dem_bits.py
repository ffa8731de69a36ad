"""The guard of the step: hashes of simulations, which a change of the dem room must not alter.

    python tests/dem_bits.py > before.txt     # then change, build, and
    python tests/dem_bits.py --compare before.txt

    python tests/dem_bits.py --save before.npz    # where bits shall change: keep results
    python tests/dem_bits.py --near before.npz    # and see how far new ones are from them

`scenes_guard.py` has the scenes. A hash covers all that callers can read, after every few steps.
Each scene is run twice, and both runs must have the same hash: one has a restart from a file in
its middle, the other one has three threads and the baseline of instructions. Some scenes begin from
numbers of the machine's mathematical functions, so no test asserts their hashes: The scenes
of `python_golden.py` have the same hash on every machine.

Results are near if places, velocities and spins after 200 steps differ by at most 1e-11 of the
largest one. No scene is more chaotic than that: `--nudged` moves all grains by the last bit of
their places before the run, and `test_guard.py` checks the differences.
"""

import argparse
import hashlib
import sys
import warnings
from pathlib import Path

import numpy as np

import abut
from abut import _core
from scenes_guard import SCENES
from scenes_simulation import meshes_of, state

# steps from hash to hash before the restart, and after it
BEFORE, AFTER = (1, 2, 30, 7, 60), (1, 99, 400)
NEAR = 200
TOLERANCE = 1e-11


def run_hashed(sim, parts, digest):
    for steps in parts:
        sim.run(steps=steps)
        digest.update(state(sim))


def hash_of(scene, *, restart):
    """Returns the hash, and the simulation in the middle and at the end."""
    middle = scene.begin()
    meshes = meshes_of(middle)
    digest = hashlib.sha256(state(middle))
    run_hashed(middle, BEFORE, digest)
    end = scene.restart(middle, meshes) if restart else middle
    run_hashed(end, AFTER, digest)
    return digest.hexdigest()[:16], middle, end


def plain_hash(scene):
    """The hash of a run without a restart, on three threads, at the lowest instruction level."""
    abut.set_num_threads(3)
    _core.set_simd("baseline")
    try:
        return hash_of(scene, restart=False)[0]
    finally:
        _core.set_simd(None)
        abut.set_num_threads(None)


def guarded(name):
    """Returns the hash; checks that both runs have it, and that the scene met its purpose."""
    scene = SCENES[name]
    found, middle, end = hash_of(scene, restart=True)
    assert found == plain_hash(scene), f"{name}: a restart, threads or instruction levels show"
    assert scene.did(middle, end), f"{name}: it does not do what it is for"
    return found


# ---- where bits may change -----------------------------------------------------------------------


def nudge(sim):
    """Moves all grains by the last bit of their places."""
    sim.centers = np.nextafter(sim.centers, np.inf)
    for name in ("clusters", "bodies"):
        rows = getattr(sim, name)
        setattr(sim, name, rows._replace(positions=np.nextafter(rows.positions, np.inf)))


def columns_of(scene, *, nudged=False):
    """Returns places, velocities and spins of all grains after some steps."""
    sim = scene.begin()
    if nudged:
        nudge(sim)
    sim.run(steps=NEAR)
    period = np.array([length or 0.0 for length in sim.period or (None,) * 3])
    bodies = sim.bodies
    return {
        "places": np.concatenate([sim.centers + sim.images * period, bodies.positions]),
        "velocities": np.concatenate([sim.velocities, bodies.velocities]),
        "spins": np.concatenate([sim.angular_velocities, bodies.angular_velocities]),
    }


def difference(found, wanted):
    """Returns the largest difference, relative to the largest number of its column."""
    if any(found[name].shape != wanted[name].shape for name in wanted):
        return np.inf
    return max(abs(found[name] - wanted[name]).max() / abs(wanted[name]).max() for name in wanted)


def compare_near(path, *, nudged):
    """Prints the differences from a file of `--save`; returns the names of scenes too far off."""
    far = []
    with np.load(path) as kept:
        for name, scene in SCENES.items():
            found = columns_of(scene, nudged=nudged)
            largest = difference(found, {column: kept[f"{name}/{column}"] for column in found})
            print(f"{largest:8.1e}  {name}", flush=True)
            if not largest <= TOLERANCE:
                far.append(name)
    return far


def save(path):
    np.savez(
        path,
        **{
            f"{name}/{column}": values
            for name, scene in SCENES.items()
            for column, values in columns_of(scene).items()
        },
    )


def compare(path):
    """Prints the hashes; returns the names of scenes with another hash than in the file."""
    lines = []
    for name in SCENES:
        lines.append(f"{guarded(name)}  {name}")
        print(lines[-1], flush=True)
    others = set(lines) ^ set(path.read_text().splitlines()) if path else ()
    return sorted({line[18:] for line in others})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compare", type=Path, help="what an earlier run has printed")
    parser.add_argument("--save", type=Path, help="write results to this file")
    parser.add_argument("--near", type=Path, help="a file of --save that results must come near")
    parser.add_argument("--nudged", action="store_true", help="with places a bit off, --near")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.save:
        save(given.save)
        return
    others = compare_near(given.near, nudged=given.nudged) if given.near else compare(given.compare)
    if others:
        sys.exit("not the same: " + ", ".join(others))


if __name__ == "__main__":
    main()
