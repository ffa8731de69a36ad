"""Print what a query takes: peak memory before it, after it, bytes of its input and of its output.

    python peak.py SCENE.npz RESOLUTION

A process of its own, for `test_bounds.py`: it holds the arrays of the scene and nothing else.
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


def main(path, resolution):
    with np.load(path) as file:
        scene = dict(file)
    before = peak()
    mesh = abut.Mesh(scene["vertices"], (scene["indices"], scene["offsets"]))
    spheres = scene["centers"], scene["radii"]
    contacts = abut.find_contacts(*spheres, mesh, resolution=resolution, workers=2)
    after = peak()
    taken = sum(array.nbytes for array in scene.values())
    given = sum(getattr(contacts, name).nbytes for name in COLUMNS.split())
    print(before, after, taken, given)


if __name__ == "__main__":
    main(*sys.argv[1:])
