"""NumPy's npz: contacts and pairs without loss, and spheres."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..checks import counted, doubles, whole
from ..contacts import NODE_COLUMNS, OFFSETS, ROW_COLUMNS, Contacts
from ..pairs import PAIR_COLUMNS, Pairs
from ..poses import Period, lengths_of, read_period
from .npy import DAMAGE, read_array
from .spheres import Spheres, from_arrays

if TYPE_CHECKING:
    from ..mesh import Mesh
    from ..table import Table

# Changes when readers of this version could no longer make sense of a file.
FORMAT = 1

# what a file of an earlier version, or a search without poses or period, does not have
_OPTIONAL = ("_tilt", "poses", "period", "flat_angle")

_VECTORS = ("point", "normal", "image")
_TYPES = dict.fromkeys(("point", "normal", "overlap", "share", "weight", "_tilt"), np.float64) | {
    "type": np.uint8
}


def save(table: Table, path: Path, extra: Mapping[str, NDArray]) -> None:
    """Write all columns and offsets, without compression, and how the search was made."""
    names = (*table._hidden_columns, *table._settings)
    search = {name: getattr(table, name) for name in names if name != "meshes"}
    if search["period"] is not None:
        search["period"] = lengths_of(search["period"])
    known = {name: value for name, value in search.items() if value is not None}
    with open(path, "wb") as file:
        np.savez(file, abut_format=FORMAT, **table.to_dict(), **known, **extra)


def _read_table(path: Path, kind: type[Table], optional: Iterable[str]) -> dict[str, NDArray]:
    """The arrays of a table that was saved; keys that are not known are passed over."""
    names = kind._public_columns()
    arrays = read_arrays(path, ("abut_format", *names, *optional))
    if "abut_format" not in arrays:
        raise ValueError(f"{path} holds no {kind._row}s: it has no abut_format")
    version = arrays.pop("abut_format").tolist()
    if version != FORMAT:
        raise ValueError(f"{path} has abut_format {version}; this abut reads {FORMAT}")
    for name in names:
        if name not in arrays:
            raise ValueError(f"{path} has no column {name}")
    return arrays


def load_contacts(path: Path, meshes: tuple[Mesh, ...] | None) -> Contacts:
    """Read contacts that were saved."""
    arrays = _read_table(path, Contacts, _OPTIONAL)
    there = (*Contacts._public_columns(), *(name for name in ("_tilt",) if name in arrays))
    try:
        columns = {name: _column(name, arrays.pop(name)) for name in there}
        search = _read_search(arrays)
        _check_lengths(columns)
        _check_numbers(columns)
        if meshes is not None:
            _check_meshes(columns, meshes)
        _check_poses(columns, meshes, search["poses"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
    return Contacts._build(columns, {"meshes": meshes, **search})


def load_pairs(path: Path) -> Pairs:
    """Read pairs that were saved."""
    arrays = _read_table(path, Pairs, ("period", "other_count"))
    try:
        columns = {name: _column(name, arrays.pop(name)) for name in Pairs._public_columns()}
        _check_pairs(columns, _dimension(columns))
        settings = {
            "period": _read_period(arrays.get("period"), _dimension(columns)),
            "other_count": _read_count(arrays.get("other_count")),
        }
        _check_numbers_of_pairs(columns, settings["other_count"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
    return Pairs._build(columns, settings)


def _read_search(arrays: Mapping[str, NDArray]) -> dict[str, Any]:
    """The poses, period and flat_angle of a search; None or 0 where the file does not tell."""
    poses, flat_angle = (_read_finite(arrays, name) for name in ("poses", "flat_angle"))
    if poses is not None and (poses.ndim != 3 or poses.shape[1:] != (4, 4)):
        raise ValueError(f"poses has shape {poses.shape}")
    if flat_angle is not None and flat_angle.ndim:
        raise ValueError(f"flat_angle has shape {flat_angle.shape}")
    return {
        "poses": poses,
        "period": _read_period(arrays.get("period"), 3),
        "flat_angle": 0.0 if flat_angle is None else float(flat_angle),
    }


def _read_finite(arrays: Mapping[str, NDArray], name: str) -> NDArray[np.float64] | None:
    if name not in arrays:
        return None
    array = doubles(arrays[name], name)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} is not finite")
    return array


def _read_period(given: NDArray | None, dimension: int) -> Period | None:
    """The period of a search; in the file it is 0 along an axis that has none."""
    if given is None:
        return None
    lengths = doubles(given, "period")
    if lengths.shape != (dimension,):
        raise ValueError(f"period has shape {lengths.shape}")
    return read_period([x or None for x in lengths.tolist()], dimension)


def _read_count(given: NDArray | None) -> int | None:
    return None if given is None else whole(given.tolist(), "other_count")


def _column(name: str, array: NDArray) -> NDArray:
    """A column in the type and shape that it has in the table."""
    dtype = np.dtype(_TYPES.get(name, np.intp))
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ValueError(f"{name} has dtype {array.dtype}, but must be {dtype}")
    if array.ndim != 1 + (name in _VECTORS):
        raise ValueError(f"{name} has shape {array.shape}")
    return np.ascontiguousarray(array, dtype)


def _check_vectors(columns: Mapping[str, NDArray], dimension: int) -> None:
    for name in _VECTORS:
        if columns[name].shape[1] != dimension:
            raise ValueError(f"{name} has shape {columns[name].shape}")


def _check_length(columns: Mapping[str, NDArray], names: Iterable[str], length: int) -> None:
    for name in names:
        if len(columns[name]) != length:
            raise ValueError(f"{name} has {len(columns[name])} entries, not {length}")


def _check_offsets(name: str, steps: NDArray[np.intp], length: int) -> None:
    if not len(steps) or steps[0] != 0 or steps[-1] != length or (np.diff(steps) < 0).any():
        raise ValueError(f"{name} does not ascend from 0 to {length}")


def _check_sphere(columns: Mapping[str, NDArray], name: str) -> None:
    offsets = columns["offsets"]
    spheres = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    if not np.array_equal(columns[name], spheres):
        raise ValueError(f"{name} does not agree with offsets")


# ---- pairs ----


def _dimension(columns: Mapping[str, NDArray]) -> int:
    return columns["point"].shape[1]


def _check_pairs(columns: Mapping[str, NDArray], dimension: int) -> None:
    if dimension not in (2, 3):
        raise ValueError(f"point has shape {columns['point'].shape}")
    _check_vectors(columns, dimension)
    _check_length(columns, PAIR_COLUMNS, len(columns["i"]))
    _check_offsets("offsets", columns["offsets"], len(columns["i"]))
    _check_sphere(columns, "i")


def _check_numbers_of_pairs(columns: Mapping[str, NDArray], other_count: int | None) -> None:
    """Numbers that there are, in their order: `match` relies on both."""
    i, j = columns["i"], columns["j"]
    count = len(columns["offsets"]) - 1 if other_count is None else other_count
    outside = (j < 0) | (j >= count)
    if other_count is None:
        outside |= j < i
    if outside.any():
        row = np.argmax(outside)
        raise ValueError(f"j[{row}] is {j[row]}, which is no sphere for {i[row]}")
    falls = (np.diff(i) == 0) & (np.diff(j) < 0)
    if falls.any():
        raise ValueError(f"j[{np.argmax(falls) + 1}] is less than that of the row before")


# ---- contacts ----


def _check_lengths(columns: Mapping[str, NDArray]) -> None:
    row_count, node_count = len(columns["sphere"]), len(columns["node"])
    _check_vectors(columns, 3)
    _check_length(columns, ROW_COLUMNS, row_count)
    _check_length(columns, NODE_COLUMNS, node_count)
    _check_length(columns, ("node_offsets",), row_count + 1)
    _check_length(columns, [name for name in ("_tilt",) if name in columns], row_count)
    for name, length in zip(OFFSETS, (row_count, node_count), strict=True):
        _check_offsets(name, columns[name], length)


def _check_numbers(columns: Mapping[str, NDArray]) -> None:
    _check_sphere(columns, "sphere")
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
        raise ValueError(f"the contacts name mesh {mesh.max()}, but {_given(meshes)}")
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
        raise ValueError(f"it has {counted(len(poses), 'pose')}, but {_given(meshes)}")


def _given(meshes: tuple[Mesh, ...]) -> str:
    return counted(len(meshes), "mesh is given", "meshes are given")


# ---- spheres and arrays ----


def read_spheres(path: Path) -> Spheres:
    """Read the keys centers (n, 3), radii (n,) or one number, and ids where they are there."""
    arrays = read_arrays(path, ("centers", "radii", "ids"))
    for name in ("centers", "radii"):
        if name not in arrays:
            raise ValueError(f"{path} has no key {name}: centers (n, 3) and radii are read")
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
