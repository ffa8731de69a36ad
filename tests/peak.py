"""Print the memory of a query: peak before and after it, and bytes of its input and output.

    python peak.py SCENE.npz RESOLUTION
    python peak.py SCENE.npz pairs

A process of its own, for `test_bounds.py` and `test_pair_finder.py`: it holds the arrays of the
scene and nothing else.
"""

import sys
from pathlib import Path

import numpy as np

import abut

COLUMNS = "sphere facet type feature point normal overlap offsets node weight node_offsets"


def peak():
    """This process's peak resident memory in bytes.

    On Linux a child's ru_maxrss begins with its parent's, so the kernel's own mark is read there.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if "VmHWM" in line)
        return 1024 * int(line.split()[1])
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def find_contacts(scene, resolution):
    mesh = abut.Mesh(scene["vertices"], (scene["indices"], scene["offsets"]))
    spheres = scene["centers"], scene["radii"]
    contacts = abut.find_contacts(*spheres, mesh, resolution=resolution, workers=2)
    return [getattr(contacts, name) for name in COLUMNS.split()]


def find_pairs(scene):
    period = scene["period"].tolist() or None
    pairs = abut.find_pairs(scene["centers"], scene["radii"], period=period, workers=2)
    return [column for column in vars(pairs).values() if isinstance(column, np.ndarray)]


def main(path, what):
    with np.load(path) as file:
        scene = dict(file)
    before = peak()
    columns = find_pairs(scene) if what == "pairs" else find_contacts(scene, what)
    after = peak()
    taken = sum(array.nbytes for array in scene.values())
    given = sum(column.nbytes for column in columns)
    print(before, after, taken, given)


if __name__ == "__main__":
    main(*sys.argv[1:])
