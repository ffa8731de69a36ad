"""Compare how abut's reader and VTK's handle damaged VTP and VTU files.

    python benchmarks/damaged_vtk.py              # 640 files, about a minute; needs pyvista
    python benchmarks/damaged_vtk.py --each 40    # five times as many

VTK writes a sphere of triangles as text, base64 and raw. Each file is then damaged: it is cut off,
bytes or digits of its head are changed, or bytes are dropped or repeated. Each file is read in its
own process, because VTK may end the process. For this reason abut has its own reader of VTK files.
"""

import argparse
import collections
import itertools
import multiprocessing
import random
import tempfile
from pathlib import Path

import numpy as np

import abut.io

MODES = {"ascii": (0, False), "binary": (1, False), "appended": (2, True), "raw": (2, False)}
HEAD = 1500  # bytes at the beginning with the counts, types and offsets
PATIENCE = 30  # seconds until a reader counts as hanging


def written(folder):
    """The paths of the sphere's files: both kinds, all modes, with and without compression."""
    import pyvista
    import vtk

    mesh = pyvista.Sphere(theta_resolution=12, phi_resolution=9)
    writers = {
        "vtp": (vtk.vtkXMLPolyDataWriter, mesh),
        "vtu": (vtk.vtkXMLUnstructuredGridWriter, mesh.cast_to_unstructured_grid()),
    }
    for ending, mode, packed in itertools.product(writers, MODES, (False, True)):
        make, data = writers[ending]
        writer, (number, is_encoded) = make(), MODES[mode]
        path = folder / f"{mode}{'-packed' * packed}.{ending}"
        writer.SetFileName(str(path))
        writer.SetInputData(data)
        writer.SetDataMode(number)
        writer.SetEncodeAppendedData(is_encoded)
        if not packed:
            writer.SetCompressorTypeToNone()
        writer.Write()
        yield path


# ---- damages -------------------------------------------------------------------------------------


def cut_off(data, rng):
    return data[: rng.randrange(len(data))]


def with_bytes_changed(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 4))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def with_a_digit_changed(data, rng):
    data = bytearray(data)
    place = rng.choice([i for i, byte in enumerate(data[:HEAD]) if chr(byte).isdigit()])
    data[place] = rng.choice(b"0123456789")
    return bytes(data)


def with_bytes_dropped(data, rng):
    begin = rng.randrange(len(data))
    return data[:begin] + data[begin + rng.randrange(1, 40) :]


def with_bytes_repeated(data, rng):
    begin = rng.randrange(len(data))
    return data[: begin + rng.randrange(1, 40)] + data[begin:]


DAMAGES = {
    "cut off": cut_off,
    "bytes changed": with_bytes_changed,
    "a digit changed": with_a_digit_changed,
    "bytes dropped": with_bytes_dropped,
    "bytes repeated": with_bytes_repeated,
}


# ---- readers -------------------------------------------------------------------------------------


def by_abut(path):
    facets = abut.io.read_facets(path)
    return facets.vertices, facets.indices


def by_vtk(path):
    """Read a file by pyvista; whatever VTK reports becomes an exception."""
    import pyvista

    with pyvista.VtkErrorCatcher(raise_errors=True, emit_warnings=False):
        data = pyvista.read(path)
    cells = data.faces if isinstance(data, pyvista.PolyData) else data.cells
    triangles = np.asarray(cells).reshape(-1, 4)
    # `abut.Mesh` would refuse such arrays, too
    if not np.isfinite(data.points).all() or np.any(triangles[:, 1:] >= data.n_points):
        raise ValueError
    return np.asarray(data.points, float), triangles[:, 1:].ravel()


READERS = {"abut": by_abut, "VTK": by_vtk}


def tell(pipe, read, path, truth):
    try:
        found = read(path)
    except Exception:
        pipe.send("error")
        return
    is_same = all(map(np.array_equal, found, truth))
    pipe.send("whole" if is_same else "other" if len(found[1]) else "empty")


def outcome(read, path, truth):
    """ "error", "whole" (the right mesh), "other" (another one), "empty", "crash" or "hangs"."""
    processes = multiprocessing.get_context("fork")
    mine, its = processes.Pipe(duplex=False)
    process = processes.Process(target=tell, args=(its, read, path, truth))
    process.start()
    its.close()
    try:
        return mine.recv() if mine.poll(PATIENCE) else "hangs"
    except EOFError:
        return "crash"
    finally:
        process.kill()
        process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=8, help="files of each damage")
    each = parser.parse_args().each
    rng = random.Random(1)
    counts = {name: collections.Counter() for name in READERS}
    with tempfile.TemporaryDirectory() as folder:
        for path in list(written(Path(folder))):
            truth, data = by_abut(path), path.read_bytes()
            for damage in itertools.chain.from_iterable([d] * each for d in DAMAGES.values()):
                broken = path.with_stem("broken")
                broken.write_bytes(damage(data, rng))
                for name, read in READERS.items():
                    counts[name][outcome(read, broken, truth)] += 1
    for name, found in counts.items():
        print(f"{name:5}", ", ".join(f"{what} {count}" for what, count in sorted(found.items())))


if __name__ == "__main__":
    main()
