"""STL files: triangles without topology, binary (float32) or ASCII."""

from __future__ import annotations

import mmap
import re
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from ..base.checks import counted
from ..search.facets import Facets
from . import writing
from .digits import Coordinates
from .facets import offsets_of
from .text import check_encoding, shown

if TYPE_CHECKING:
    from ..search.mesh import Mesh
    from .vtk_xml import ArraysByName

_HEAD = 84  # the bytes of a binary file's head: 80 of text, and 4 of the number of facets
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

# How many bytes are read to distinguish binary files from text. They include the head, and in it
# the count of facets, which has a zero byte if it is below 2^24. Text has no zero bytes.
_SAMPLE = 1024

_VERTEX = rb"\s+vertex\s+(\S+)\s+(\S+)\s+(\S+)"
_FACET = re.compile(
    rb"\s*facet(?:\s+normal\s+\S+\s+\S+\s+\S+)?\s+outer\s+loop"
    + 3 * _VERTEX
    + rb"\s+endloop\s+endfacet(?!\S)",
    re.IGNORECASE,
)
_SOLID = re.compile(rb"(?:\xef\xbb\xbf)?\s*(end[ \t]*)?solid(?!\S)[^\r\n]*", re.IGNORECASE)
_SPACE = re.compile(rb"\s*")

# The largest number of bytes of a wrong word that an error shows.
_SHOWN = 50


def read(path: Path) -> Facets:
    """Read an STL file. Its size shows if it is binary, since both kinds may begin with "solid"."""
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        head = file.read(_SAMPLE)
        count = int.from_bytes(head[_HEAD - 4 : _HEAD], "little")
        if size != _binary_size(count) and _SOLID.match(head) and b"\0" not in head:
            return _read_ascii(file)
    if size != _binary_size(count):
        check_encoding(head)
    _check_size(size, count)
    return _read_binary(path, count)


def _binary_size(count: int) -> int:
    return _HEAD + _RECORD.itemsize * count


def _check_size(size: int, count: int) -> None:
    """Raise if a file with `count` facets has another size; up to 49 more bytes are allowed."""
    if size < _HEAD:
        raise ValueError(
            f"it has {size} bytes: too few for a binary STL file, and it does not begin with"
            " 'solid' as ASCII files do"
        )
    needed = _binary_size(count)
    if not needed <= size < needed + _RECORD.itemsize:
        raise ValueError(
            f"it should have {counted(count, 'facet')}, which take {needed} bytes,"
            f" but it has {size} bytes"
        )


def _read_binary(path: Path, count: int) -> Facets:
    if count == 0:
        return _triangles(np.empty((0, 3)))
    records = np.memmap(path, _RECORD, "r", _HEAD, count)
    with np.errstate(invalid="ignore"):  # converting a signaling NaN raises this flag
        corners = records["corners"].astype(np.float64)
    finite = np.isfinite(corners).all(axis=(1, 2))
    if not finite.all():
        raise ValueError(f"facet {np.argmin(finite)} has a coordinate that is not finite")
    return _triangles(corners.reshape(-1, 3))


def _triangles(vertices: np.ndarray, units: np.ndarray | None = None) -> Facets:
    """Make facets of three vertices each; no two facets share a vertex."""
    indices = np.arange(len(vertices), dtype=np.intp)
    offsets = np.arange(0, len(vertices) + 1, 3, dtype=np.intp)
    return Facets(vertices, indices, offsets, units)


def _read_ascii(file: BinaryIO) -> Facets:
    coordinates = Coordinates("facet ")
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _walk(data, coordinates)
    return _triangles(*coordinates.finish())


def _walk(data: mmap.mmap, coordinates: Coordinates) -> None:
    """Read facets and lines "solid" or "endsolid"; raise if there is anything else."""
    position, facet, ended = 0, 0, False
    while True:
        if found := _FACET.match(data, position):
            words = found.groups()
            for corner in (0, 3, 6):
                coordinates.add(words[corner : corner + 3], facet)
            facet += 1
        elif found := _SOLID.match(data, position):
            ended = found.group(1) is not None
        else:
            break
        position = found.end()
    _check_end(data, position, facet, ended)


def _check_end(data: mmap.mmap, position: int, facet: int, ended: bool) -> None:
    start = _SPACE.match(data, position).end()  # type: ignore[union-attr]
    word = data[start : start + _SHOWN].partition(b"\n")[0]
    if not word and ended:
        return
    if not word:
        ends = f"ends after {counted(facet, 'facet')}"
        raise ValueError(f"it {ends} without 'endsolid': it was cut off")
    line = data[:start].count(b"\n") + 1
    if word.lower().startswith(b"facet"):
        raise ValueError(
            f"line {line}: facet {facet} is broken or cut off: it must have 'facet normal"
            " x y z', 'outer loop', three times 'vertex x y z', 'endloop' and 'endfacet'"
        )
    raise ValueError(f"line {line}: {shown(word)} stands where 'facet' or 'endsolid' should")


def save_mesh(mesh: Mesh, path: Path, of_facets: ArraysByName, of_vertices: ArraysByName) -> None:
    """Write a mesh as binary STL, with polygons as the fans of triangles that searches use."""
    for name in (*of_facets, *of_vertices):
        raise ValueError(f"STL files hold no columns: leave out {name!r}, or save as .vtp or .vtu")
    triangles = fan_triangles(mesh.vertices, mesh.indices, mesh.offsets)
    records = np.zeros(len(triangles), _RECORD)
    with np.errstate(over="ignore"):
        records["corners"] = mesh.vertices[triangles]
    records["normal"] = np.repeat(mesh.normals, np.diff(mesh.offsets) - 2, axis=0)
    finite = np.isfinite(records["corners"]).all(axis=(1, 2))
    if not finite.all():
        x, y, z = mesh.vertices[triangles[np.argmin(finite)]][0]
        raise ValueError(f"a facet at ({x}, {y}, {z}) exceeds float32, which STL files use")
    with writing.opened(path) as file:
        file.write(b"binary STL by abut".ljust(_HEAD - 4))
        file.write(len(records).to_bytes(4, "little"))
        file.write(records)


def fan_triangles(vertices: np.ndarray, indices: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Split each facet into a fan of triangles from its lexicographically smallest corner.

    Parameters
    ----------
    vertices : ndarray (v, 3)
    indices, offsets : ndarray of intp
        Facets of at least three corners.

    Returns
    -------
    ndarray (t, 3) of intp
        The vertices of each triangle, in the order of the facets.
    """
    counts = np.diff(offsets)
    facet = np.repeat(np.arange(len(counts)), counts - 2)
    # step: the number of each triangle in the fan of its facet
    step = np.arange(len(facet)) - offsets_of(counts - 2)[facet]
    first = _smallest_corners(vertices, indices, offsets)[facet]
    corners = np.stack([first, first + step + 1, first + step + 2], axis=1)
    return indices[offsets[facet, None] + corners % counts[facet, None]]


def _smallest_corners(vertices: np.ndarray, indices: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return, for each facet, which of its corners is lexicographically smallest."""
    if len(offsets) == 1:
        return np.empty(0, np.intp)
    rank = np.empty(len(vertices), np.intp)
    rank[np.lexsort(vertices.T[::-1])] = np.arange(len(vertices))
    ranks = rank[indices]
    smallest = np.minimum.reduceat(ranks, offsets[:-1])
    at = np.flatnonzero(ranks == np.repeat(smallest, np.diff(offsets)))
    return at - offsets[:-1]
