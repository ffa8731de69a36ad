"""Bytes as files of every format that abut reads: no errors come but those that are documented.

    python tests/fuzz/readers.py FOLDER... [OPTION...]

fuzzes with atheris, as libFuzzer does, beginning with the files in the folders; the first byte of
each chooses the format. `tests/test_fuzz.py` runs those of the corpus without.
"""

import sys
import tempfile
import warnings
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    import atheris

    imports = atheris.instrument_imports(include=["abut"])
else:
    imports = nullcontext()
with imports:
    import abut
    import abut.io


def read_all_frames(path):
    """Read every frame, because frames are read lazily."""
    return list(abut.read_frames(path))


def read_pairs(path):
    """Read pairs of two spheres, in the time step that the file has."""
    frame = abut.Frame(np.eye(2, 3), np.ones(2), ids=np.array([1, 2]))
    return abut.read_pairs(path, frame, {"i": "i", "j": "j", "force": ("x", "y", "z")})


READERS = (
    *((ending, abut.read_mesh) for ending in (".stl", ".obj", ".ply", ".mdpa", ".vtp", ".vtu")),
    *((ending, abut.read_spheres) for ending in (".csv", ".npz", ".npy", ".dump")),
    *((".npz", load) for load in (abut.load_contacts, abut.load_pairs, abut.load_convex_contacts)),
    *((ending, read_all_frames) for ending in (".csv", ".dump", ".vtp", ".pvd")),
    (".stl.gz", abut.read_mesh),
    (".xyz", read_all_frames),
    (".local.dump", read_pairs),
    *((ending, read_all_frames) for ending in (".vtk", ".data")),
)


def run_one(data, folder):
    ending, read = READERS[data[0] % len(READERS) if data else 0]
    path = Path(folder, f"input{ending}")
    path.write_bytes(data[1:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", abut.MeshWarning)
        with suppress(ValueError, OSError):
            read(path)


if __name__ == "__main__":
    folder = tempfile.mkdtemp()  # libFuzzer ends the process: it stays
    atheris.Setup(sys.argv, atheris.instrument_func(lambda data: run_one(data, folder)))
    atheris.Fuzz()
