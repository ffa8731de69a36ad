"""Times of one pair alone, by the program that CMake builds of solving.c with ABUT_BUILD_TESTS."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation


def times(program, stream, rounds):
    """Nanoseconds a pair of each round, by (start, contestant)."""
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


def numbers(stream):
    """What solving.c reads, in its order."""
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
    """Where B is in A's frame: (m, 12), a matrix and a shift."""
    turns = Rotation.from_quat(quaternions)
    back = turns[i].inv()
    matrices = (back * turns[j]).as_matrix().reshape(-1, 9)
    return np.concatenate([matrices, back.apply(positions[j] - positions[i])], axis=1)
