"""Bytes as files of every format that abut reads: errors are those that readers document, nothing else comes.

    python tests/fuzz/readers.py FOLDER... [OPTION...]    fuzz, as libFuzzer does, with the folders' files (atheris)
    python tests/fuzz/readers.py --replay FOLDER          run the files once; needs abut alone

The first byte of a file chooses the format.
"""

import os
import sys
import tempfile
import warnings
from contextlib import nullcontext
from pathlib import Path

REPLAY = "--replay"

if REPLAY in sys.argv:
    imports = nullcontext()
else:
    import atheris

    imports = atheris.instrument_imports(include=["abut"])
with imports:
    import abut
    import abut.io # which is imported when it is asked for, and would then not be traced

# Frames are read when they are asked for.
READERS = (
    *((ending, abut.read_mesh) for ending in (".stl", ".obj", ".ply", ".mdpa", ".vtp", ".vtu")),
    *((ending, abut.read_spheres) for ending in (".csv", ".npz", ".npy", ".dump")),
    *((".npz", load) for load in (abut.load_contacts, abut.load_pairs, abut.load_convex_contacts)),
    *((ending, lambda path: list(abut.read_frames(path))) for ending in (".csv", ".dump", ".vtp", ".pvd")),
    (".stl.gz", abut.read_mesh),
)

# on a file system in memory where there is one
FOLDER = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def run_one(data):
    ending, read = READERS[data[0] % len(READERS) if data else 0]
    path = Path(FOLDER, f"input{ending}")
    path.write_bytes(data[1:])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.MeshWarning)
        try:
            read(path)
        except (ValueError, OSError):
            pass


def replay(folder):
    paths = sorted(Path(folder).iterdir())
    for path in paths:
        try:
            run_one(path.read_bytes())
        except Exception as error:
            error.add_note(f"of the input {path}")
            raise
    return len(paths)


if __name__ == "__main__":
    if REPLAY in sys.argv:
        print(replay(sys.argv[sys.argv.index(REPLAY) + 1]), "files")
    else:
        atheris.Setup(sys.argv, run_one)
        atheris.Fuzz()
