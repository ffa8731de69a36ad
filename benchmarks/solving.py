"""Time and count the solving of single pairs of convex bodies, by the program of solving.c.

    python benchmarks/solving.py BUILD/abut_solving --scene flush-3,parallel-4

CMake builds the program with ABUT_BUILD_TESTS. This script counts under valgrind the instructions
of a warm pair, without and with contact points, in all steps of a scene but the first. convex.py
measures the times.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation


def times(program, stream, rounds):
    """Nanoseconds per pair in each round, by (start, contestant)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream"
        np.concatenate(numbers(stream), dtype=float).tofile(path)
        command = [program, path, str(rounds)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for line in told.splitlines():
        start, contestant, nanoseconds = line.split()
        found.setdefault((start, contestant), []).append(float(nanoseconds))
    return found


def instructions(program, stream, contestant):
    """Instructions per warm pair: of all steps but the first, which is cold, without reading."""
    steps = len(stream.positions) - 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream"
        np.concatenate(numbers(stream), dtype=float).tofile(path)

        def count(rounds, start):
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
            command += [program, path, str(rounds), start, contestant]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
            return int(re.search(r"Collected : (\d+)", told)[1])

        reading = count(0, "warm")
        first = (count(1, "cold") - reading) / (steps + 1)
        return (count(1, "warm") - reading - first) / steps / len(stream.pairs)


def numbers(stream):
    """The stream as numbers, in the order in which solving.c reads them."""
    counts = len(stream.solids), len(stream.solid), len(stream.pairs), len(stream.positions)
    arrays = [counts]
    for solid in stream.solids:
        indices = np.concatenate(solid.facets)
        offsets = np.cumsum([0, *map(len, solid.facets)])
        arrays += [(len(solid.vertices), len(solid.facets), len(indices))]
        arrays += [solid.vertices.ravel(), indices, offsets]
    arrays += [np.stack([stream.solid, stream.scales], axis=1).ravel(), stream.pairs.ravel()]
    poses = zip(stream.positions, stream.orientations, strict=True)
    return arrays + [relative(*pose, *stream.pairs.T).ravel() for pose in poses]


def relative(positions, quaternions, i, j):
    """The poses of B in A's frame, (m, 12): a rotation matrix and a shift each."""
    turns = Rotation.from_quat(quaternions)
    back = turns[i].inv()
    matrices = (back * turns[j]).as_matrix().reshape(-1, 9)
    return np.concatenate([matrices, back.apply(positions[j] - positions[i])], axis=1)


def main(arguments=None):
    import convex_scenes

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", help="path of abut_solving, built by CMake")
    parser.add_argument("--scene", default="flush-3,parallel-4,apart-4,overlapping-4")
    parser.add_argument("--count", type=int, default=300)
    given = parser.parse_args(arguments)
    for name in given.scene.split(","):
        stream = convex_scenes.make(name, given.count)
        found = [instructions(given.program, stream, way) for way in ("slm", "slm-spots")]
        print(f"{name:<14} {found[0]:>7.0f} {found[1]:>7.0f}", flush=True)


if __name__ == "__main__":
    main()
