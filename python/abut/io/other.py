"""Mesh files that other packages read: legacy VTK, Gmsh, Fluent, OFF and glTF."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..base.extras import import_extra
from ..search.facets import Facets
from . import writing
from .text import Lines

_EXTRA = "io"

# Files of Gmsh and of Fluent both end in .msh. Their first letter shows which module reads them.
_MSH_READERS = {b"$": "meshio.gmsh", b"(": "meshio.ansys"}


def _vtk(path: Path) -> Any:
    if not _head(path).lower().startswith(b"# vtk"):
        raise ValueError("it does not begin with '# vtk DataFile'")
    if find_spec("pyvista"):
        return import_extra("pyvista", "view").read(path)
    try:
        return import_extra("meshio.vtk", _EXTRA).read(path)
    except ImportError:
        raise
    except Exception as error:
        remedy = "pyvista reads all legacy VTK files: pip install 'abut[view]'"
        raise ValueError(f"{str(error) or 'meshio does not read it'}; {remedy}") from error


def _msh(path: Path) -> Any:
    head = _head(path).lstrip()
    for mark, module in _MSH_READERS.items():
        if head.startswith(mark):
            return _read_msh(import_extra(module, _EXTRA).read, path)
    raise ValueError("it begins neither with '$', as files of Gmsh, nor with '(', as of Fluent")


def _read_msh(read: Callable[[Path], Any], path: Path) -> Any:
    try:
        return read(path)
    except ValueError as error:
        # meshio 5 cannot read MSH 4.1 if only some entities have physical groups. It can if the
        # section that lists the entities is removed.
        if "gmsh:physical" not in str(error):
            raise
    # Imported only when needed, since this takes long.
    from tempfile import TemporaryDirectory

    before, _, rest = path.read_bytes().partition(b"$Entities")
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        with writing.opened(copy) as file:
            file.write(before + rest.partition(b"$EndEntities")[2].lstrip())
        return read(copy)


def _trimesh(path: Path) -> Any:
    return import_extra("trimesh", _EXTRA).load(path, process=False)


def _off(path: Path) -> Any:
    """Read an OFF file; check first that it is whole, since trimesh does not check this."""
    with open(path, "rb") as file:
        _check_off(Lines(file))
    return _trimesh(path)


def _check_off(lines: Lines) -> None:
    """Raise if an ASCII file has fewer rows than the counts at its beginning require."""
    rows = (words for _, line in lines if (words := line.partition(b"#")[0].split()))
    words = next(rows, [])
    if not words or not words[0].upper().endswith(b"OFF") or b"BINARY" in words:
        return
    counts = words[1:] or next(rows, [])
    if len(counts) < 2:
        raise ValueError("it ends before the numbers of its vertices and facets")
    vertices, facets = (int(word) for word in counts[:2])
    for number in range(vertices):
        if len(next(rows, [])) < 3:
            raise ValueError(f"it should have {vertices} vertices, but ends in number {number}")
    for number in range(facets):
        row = next(rows, [])
        if not row or len(row) <= int(row[0]):
            raise ValueError(f"it should have {facets} facets, but ends in number {number}")


def _head(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(99)


_LOADERS: dict[str, Callable[[Path], Any]] = {
    ".vtk": _vtk,
    ".msh": _msh,
    ".off": _off,
    ".glb": _trimesh,
    ".gltf": _trimesh,
}
ENDINGS = tuple(_LOADERS)


def read(path: Path) -> Facets:
    """Read the facets of a file by another package."""
    # Imported here, since that module imports this package.
    from .foreign import read_surface

    with open(path, "rb"):
        pass  # raises an OSError for a missing file, for which packages raise various errors
    try:
        return read_surface(_LOADERS[path.suffix.lower()](path))
    except (ImportError, MemoryError):
        raise
    # Packages raise errors of any type for broken files.
    except Exception as error:
        raise ValueError(str(error) or "it is broken, or was cut off") from error
