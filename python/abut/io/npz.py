"""NumPy's npz: contacts without loss, and spheres."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..checks import counted, doubles
from ..contacts import NODE_COLUMNS, OFFSETS, ROW_COLUMNS, Contacts
from ..poses import lengths_of, read_period
from .npy import DAMAGE, read_array
from .spheres import Spheres, from_arrays

if TYPE_CHECKING:
    from ..mesh import Mesh

# Changes when readers of this version could no longer make sense of a file.
FORMAT = 1

# what a file of an earlier version, or a search without poses or period, does not have
_SEARCH = ("poses", "period", "flat_angle")
_OPTIONAL = ("_tilt", *_SEARCH)

_VECTORS = ("point", "normal", "image")
_TYPES = dict.fromkeys(("point", "normal", "overlap", "share", "weight", "_tilt"), np.float64) | {
    "type": np.uint8
}


def save(contacts: Contacts, path: Path, extra: Mapping[str, NDArray]) -> None:
    """Write all columns and both offsets, without compression, and how the search was made."""
    search = {"_tilt": contacts._tilt, "flat_angle": contacts.flat_angle}
    if contacts.poses is not None:
        search["poses"] = contacts.poses
    if contacts.period is not None:
        search["period"] = lengths_of(contacts.period)
    with open(path, "wb") as file:
        np.savez(file, abut_format=FORMAT, **contacts.to_dict(), **search, **extra)


def load(path: Path, meshes: tuple[Mesh, ...] | None) -> Contacts:
    """Read contacts that were saved; keys that are not known are passed over."""
    names = (*ROW_COLUMNS, *NODE_COLUMNS, *OFFSETS)
    arrays = read_arrays(path, ("abut_format", *names, *_OPTIONAL))
    if "abut_format" not in arrays:
        raise ValueError(f"{path} holds no contacts: it has no abut_format")
    version = arrays.pop("abut_format").tolist()
    if version != FORMAT:
        raise ValueError(f"{path} has abut_format {version}; this abut reads {FORMAT}")
    for name in names:
        if name not in arrays:
            raise ValueError(f"{path} has no column {name}")
    try:
        there = (*names, *(name for name in ("_tilt",) if name in arrays))
        columns = {name: _column(name, arrays.pop(name)) for name in there}
        search = _read_search(arrays)
        _check_lengths(columns)
        _check_numbers(columns)
        if meshes is not None:
            _check_meshes(columns, meshes)
        _check_poses(columns, meshes, search["poses"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
    offsets, node_offsets = (columns.pop(name) for name in OFFSETS)
    return Contacts._build(columns, offsets, node_offsets, meshes, **search)


def _read_search(arrays: Mapping[str, NDArray]) -> dict[str, Any]:
    """The poses, period and flat_angle of a search; None or 0 where the file does not tell."""
    search = {name: doubles(arrays[name], name) for name in _SEARCH if name in arrays}
    shapes = {"period": (3,), "flat_angle": ()}
    for name, array in search.items():
        if array.shape != shapes.get(name, (len(array) if array.ndim else 0, 4, 4)):
            raise ValueError(f"{name} has shape {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} is not finite")
    period = search.get("period")
    return {
        "poses": search.get("poses"),
        "period": None if period is None else read_period([x or None for x in period.tolist()]),
        "flat_angle": float(search.get("flat_angle", 0.0)),
    }


def _column(name: str, array: NDArray) -> NDArray:
    """A column in the type and shape that it has in the table."""
    dtype = np.dtype(_TYPES.get(name, np.intp))
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ValueError(f"{name} has dtype {array.dtype}, but must be {dtype}")
    if array.ndim != 1 + (name in _VECTORS) or array.shape[1:] not in ((), (3,)):
        raise ValueError(f"{name} has shape {array.shape}")
    return np.ascontiguousarray(array, dtype)


def _check_lengths(columns: Mapping[str, NDArray]) -> None:
    row_count, node_count = len(columns["sphere"]), len(columns["node"])
    expected = dict.fromkeys(ROW_COLUMNS, row_count) | dict.fromkeys(NODE_COLUMNS, node_count)
    expected["node_offsets"] = row_count + 1
    expected |= {"_tilt": row_count} if "_tilt" in columns else {}
    for name, length in expected.items():
        if len(columns[name]) != length:
            raise ValueError(f"{name} has {len(columns[name])} entries, not {length}")
    for name, length in zip(OFFSETS, (row_count, node_count), strict=True):
        steps = columns[name]
        if not len(steps) or steps[0] != 0 or steps[-1] != length or (np.diff(steps) < 0).any():
            raise ValueError(f"{name} does not ascend from 0 to {length}")


def _check_numbers(columns: Mapping[str, NDArray]) -> None:
    offsets = columns["offsets"]
    spheres = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    if not np.array_equal(columns["sphere"], spheres):
        raise ValueError("sphere does not agree with offsets")
    for name in ("facet", "feature", "mesh", "node"):
        if (columns[name] < 0).any():
            raise ValueError(f"{name}[{np.argmax(columns[name] < 0)}] is negative")
    if (columns["type"] > 2).any():
        row = np.argmax(columns["type"] > 2)
        raise ValueError(f"type[{row}] is {columns['type'][row]}, which is no type")


def _check_meshes(columns: Mapping[str, NDArray], meshes: tuple[Mesh, ...]) -> None:
    """A node beyond its mesh would be read from memory that is not the mesh's."""
    mesh = columns["mesh"]
    if len(mesh) and mesh.max() >= len(meshes):
        raise ValueError(f"the contacts name mesh {mesh.max()}, but {len(meshes)} are given")
    facet_counts = np.array([len(one) for one in meshes], np.intp)
    vertex_counts = np.array([len(one.vertices) for one in meshes], np.intp)
    node_mesh = np.repeat(mesh, np.diff(columns["node_offsets"]))
    if (columns["facet"] >= facet_counts[mesh]).any() or (
        columns["node"] >= vertex_counts[node_mesh]
    ).any():
        raise ValueError("the contacts name facets or vertices that the mesh does not have")


def _check_poses(
    columns: Mapping[str, NDArray], meshes: tuple[Mesh, ...] | None, poses: NDArray | None
) -> None:
    if poses is None:
        return
    if len(columns["mesh"]) and columns["mesh"].max() >= len(poses):
        raise ValueError(
            f"it names mesh {columns['mesh'].max()}, but has {counted(len(poses), 'pose')}"
        )
    if meshes is not None and len(meshes) != len(poses):
        given = counted(len(meshes), "mesh is", "meshes are")
        raise ValueError(f"it has {counted(len(poses), 'pose')}, but {given} given")


# ---- spheres and arrays ----


def read_spheres(path: Path) -> Spheres:
    """Read the keys centers (n, 3), radii (n,) or one number, and ids where they are there."""
    arrays = read_arrays(path, ("centers", "radii", "ids"))
    for name in ("centers", "radii"):
        if name not in arrays:
            raise ValueError(f"{path} has no key {name}")
    return from_arrays(path, **arrays)


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, NDArray]:
    """Those of the named arrays that an npz file has."""
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                there = set(archive.namelist())
                names = [name for name in names if f"{name}.npy" in there]
                return {name: _read_member(archive, f"{name}.npy") for name in names}
        except DAMAGE as error:
            raise ValueError(f"{path} is no sound npz file: {error}") from None


def _read_member(archive: zipfile.ZipFile, name: str) -> NDArray:
    with archive.open(name) as member:
        return read_array(member, archive.getinfo(name).file_size)
