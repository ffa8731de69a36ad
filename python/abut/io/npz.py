"""NumPy's npz files: contacts, pairs and spheres; numbers are restored with the same bits."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.checks import counted
from ..base.periods import Period, is_array, lengths_of, read_period
from ..results.contacts import Contacts
from ..results.pairs import Pairs
from . import writing
from .frame import Frame
from .npy import damage_as_value_error, read_array, read_header
from .npz_columns import check_kind, check_kinds, check_shapes, dimension_of, typed
from .spheres import Spheres, check_arrays, from_arrays

if TYPE_CHECKING:
    from ..results.table import Table
    from ..search.mesh import Mesh

# The version of the format. It changes when older versions of abut cannot read the new files.
FORMAT = 1

# Optional keys. Files of earlier versions, and of searches without poses or period, lack some.
_OF_CONTACTS = ("_tilt", "poses", "period", "flat_angle", "mesh_count", "force")
_OF_PAIRS = ("period", "other_count", "_radii", "_other_radii", "force")

# The keys of spheres, and the keys of `write_frames` for a frame's time and step.
_OF_SPHERES = ("centers", "radii", "ids")
_OF_FRAMES = {"time": np.float64, "step_count": np.intp}
DEFORMATION = "deformation"

# The search stores a mesh's number in 32 bits.
_MOST_MESHES = 2**31

# The largest number of bytes to which the method deflate can unpack one byte.
_UNPACKED = 1032

_Arrays = Mapping[str, NDArray]


def save(table: Table, path: Path, extra: Mapping[str, Any]) -> None:
    """Write all columns, the offsets, and the settings of the search, without compression."""
    hidden = [c.name for c in table._columns if c.name.startswith("_") and c.when == "always"]
    search = {name: getattr(table, name) for name in (*hidden, *table._settings)}
    if isinstance(table, Contacts):
        # The number of meshes is saved, but not the meshes themselves.
        search |= {"meshes": None, "mesh_count": table._mesh_count()}
    if search.get("period") is not None:
        search["period"] = saved_period(search["period"])
    known = {name: value for name, value in search.items() if value is not None}
    columns: dict[str, Any] = table.to_dict()
    with writing.opened(path) as file:
        np.savez(file, abut_format=FORMAT, **columns, **known, **extra)


def load_contacts(path: Path, meshes: tuple[Mesh, ...] | None) -> Contacts:
    """Read contacts that were saved."""
    arrays, columns = _read_table(path, Contacts, _OF_CONTACTS)
    search = _read_search(arrays)
    check_finite(columns)
    _check_numbers(columns)
    if meshes is not None:
        _check_meshes(columns, meshes)
    _check_poses(columns, meshes, search["poses"])
    _check_mesh_count(columns, _read_count(arrays, "mesh_count"))
    return Contacts._build(columns, {"meshes": meshes, **search})


def load_pairs(path: Path) -> Pairs:
    """Read pairs that were saved."""
    arrays, columns = _read_table(path, Pairs, _OF_PAIRS)
    other_count = _read_count(arrays, "other_count")
    period = read_saved_period(arrays, columns["point"].shape[1])
    check_finite(columns)
    _check_numbers_of_pairs(columns, other_count)
    sizes = _read_radii(arrays, len(columns["offsets"]) - 1, other_count)
    return Pairs._build(columns, {"period": period, "other_count": other_count, **sizes})


# ---- arrays of a table ---------------------------------------------------------------------------


def _read_table(
    path: Path, kind: type[Table], optional: Iterable[str]
) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """Read and check the arrays of a saved table. Unknown keys are ignored.

    Returns two dicts: all arrays, and the arrays that are columns of the table.
    """
    headers = read_saved(path, f"{kind._row}s", kind._public_columns(), optional)
    check_kinds(kind, headers)
    dimension = dimension_of(headers)
    check_shapes(kind, headers, dimension)
    _check_search_shapes(headers, dimension)
    arrays = typed(kind, read_arrays(path, headers))
    return arrays, _table_columns(arrays, kind)


def read_saved(
    path: Path, what: str, names: Iterable[str], optional: Iterable[str]
) -> dict[str, NDArray]:
    """Return the shapes and dtypes of the arrays of a saved table, without reading the arrays."""
    headers = read_headers(path, ("abut_format", *names, *optional))
    if "abut_format" not in headers:
        raise ValueError(f"it holds no {what}: it has no abut_format{hint_of(path)}")
    check_kind("abut_format", headers.pop("abut_format"), np.dtype(np.intp), 0)
    version = read_arrays(path, ("abut_format",))["abut_format"].tolist()
    if version != FORMAT:
        raise ValueError(f"it has abut_format {version}, but this version of abut reads {FORMAT}")
    for name in names:
        if name not in headers:
            raise ValueError(f"it has no column {name}")
    return headers


def sound_contacts(arrays: _Arrays, meshes: tuple[Mesh, ...]) -> dict[str, NDArray]:
    """Check columns of contacts from another kind of file, and convert them to a table's types."""
    check_kinds(Contacts, arrays)
    check_shapes(Contacts, arrays, 3)
    columns = typed(Contacts, arrays)
    check_finite(columns)
    _check_numbers(columns)
    _check_meshes(columns, meshes)
    return columns


def sound_pairs(arrays: _Arrays) -> dict[str, NDArray]:
    """Check columns of pairs from another kind of file, and convert them to a table's types."""
    check_kinds(Pairs, arrays)
    check_shapes(Pairs, arrays, dimension_of(arrays))
    columns = typed(Pairs, arrays)
    check_finite(columns)
    _check_numbers_of_pairs(columns, None)
    return columns


def _table_columns(arrays: _Arrays, kind: type[Table]) -> dict[str, NDArray]:
    """Return the arrays that are columns of a table of this kind, by their names."""
    optional = (*kind._hidden_columns, *kind._further_columns)
    there = [name for name in optional if name in arrays]
    return {name: arrays[name] for name in (*kind._public_columns(), *there)}


# ---- settings of the search ----------------------------------------------------------------------


def _read_search(arrays: _Arrays) -> dict[str, Any]:
    """Return the poses, period and flat_angle of a search; None, None or 0 if missing."""
    poses, flat_angle = arrays.get("poses"), arrays.get("flat_angle")
    for name, array in (("poses", poses), ("flat_angle", flat_angle)):
        if array is not None and not np.isfinite(array).all():
            raise ValueError(f"{name} is not finite")
    return {
        "poses": poses,
        "period": read_saved_period(arrays, 3),
        "flat_angle": 0.0 if flat_angle is None else float(flat_angle),
    }


def saved_period(period: Period | None) -> NDArray[np.float64]:
    """Return a period as files have it: as vectors if it was given so, or as lengths.

    In files, 0 stands for an axis without a period.
    """
    return period if is_array(period) else lengths_of(period)


def read_saved_period(arrays: _Arrays, dimension: int) -> Period | None:
    """Return the period of a file, in the form in which it was given."""
    if "period" not in arrays:
        return None
    saved = arrays["period"]
    if saved.ndim == 2:
        return read_period(saved, dimension)
    return read_period([length or None for length in saved.tolist()], dimension)


def _read_count(arrays: _Arrays, name: str) -> int | None:
    if name not in arrays:
        return None
    if arrays[name] < 0:
        raise ValueError(f"{name} is {arrays[name]}")
    return int(arrays[name])


# ---- columns -------------------------------------------------------------------------------------


def _check_search_shapes(headers: _Arrays, dimension: int) -> None:
    """Raise if the period or the poses of a search have the wrong shape."""
    if "period" in headers:
        check_period(headers["period"], dimension)
    if "poses" in headers and headers["poses"].shape[1:] != (4, 4):
        raise ValueError(f"poses has shape {headers['poses'].shape}")


def check_finite(columns: _Arrays) -> None:
    """Raise if a number is not finite; the message names the first."""
    for name, column in columns.items():
        checks.all_finite(column, name)


def check_offsets(name: str, steps: NDArray[np.intp], length: int) -> None:
    """Raise if offsets do not ascend from 0 to `length`."""
    # Offsets are compared, not subtracted, since a difference may exceed 64 bits.
    falls = (steps[1:] < steps[:-1]).any()
    if not len(steps) or steps[0] != 0 or steps[-1] != length or falls:
        raise ValueError(f"{name} does not ascend from 0 to {length}")


def check_firsts(columns: _Arrays, name: str) -> None:
    """Raise if column `name`, the sphere or body of each row, contradicts the offsets."""
    offsets = columns["offsets"]
    spheres = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    if not np.array_equal(columns[name], spheres):
        raise ValueError(f"{name} disagrees with offsets")


# ---- numbers of pairs ----


def _check_numbers_of_pairs(columns: _Arrays, other_count: int | None) -> None:
    """Raise if sphere numbers are out of range or not in order; `Pairs.match` relies on both."""
    i, j = columns["i"], columns["j"]
    check_offsets("offsets", columns["offsets"], len(i))
    check_firsts(columns, "i")
    count = len(columns["offsets"]) - 1 if other_count is None else other_count
    outside = (j < 0) | (j >= count)
    if other_count is None:
        outside |= j < i
    if outside.any():
        row = np.argmax(outside)
        raise ValueError(f"j[{row}] is {j[row]}, which is not a partner of sphere {i[row]}")
    falls = (np.diff(i) == 0) & (np.diff(j) < 0)
    if falls.any():
        raise ValueError(f"j[{np.argmax(falls) + 1}] is less than that of the row before")


def _read_radii(arrays: _Arrays, count: int, other_count: int | None) -> dict[str, Any]:
    """Return the radii of the spheres and of the others; None in files of earlier versions."""
    counts = {"_radii": count, "_other_radii": other_count or 0}
    for name in counts.keys() & arrays.keys():
        radii = checks.shaped(arrays[name], name, (counts[name],))
        checks.all_finite(radii, name)
        if (radii <= 0.0).any():
            raise ValueError(f"{name}[{np.argmax(radii <= 0.0)}] is not positive")
    return {name: arrays.get(name) for name in counts}


# ---- numbers of contacts ----


def _check_numbers(columns: _Arrays) -> None:
    check_offsets("offsets", columns["offsets"], len(columns["sphere"]))
    check_offsets("node_offsets", columns["node_offsets"], len(columns["node"]))
    check_firsts(columns, "sphere")
    for name in ("facet", "feature", "mesh", "node"):
        if (columns[name] < 0).any():
            raise ValueError(f"{name}[{np.argmax(columns[name] < 0)}] is negative")
    if (columns["type"] > 2).any():
        row = np.argmax(columns["type"] > 2)
        raise ValueError(f"type[{row}] is {columns['type'][row]}, but must be 0, 1 or 2")


def _check_mesh_count(columns: _Arrays, count: int | None) -> None:
    """Raise if a mesh's number is `count` or larger; None is for files of earlier versions."""
    most = _MOST_MESHES if count is None else count
    if columns["mesh"].max(initial=-1) >= most:
        row = np.argmax(columns["mesh"] >= most)
        searched = counted(most, "mesh was", "meshes were")
        raise ValueError(f"mesh[{row}] is {columns['mesh'][row]}, but {searched} searched")


def _check_meshes(columns: Mapping[str, NDArray], meshes: tuple[Mesh, ...]) -> None:
    """Raise if a mesh, facet or node does not exist, since other memory would be read."""
    mesh = columns["mesh"]
    if len(mesh) and mesh.max() >= len(meshes):
        raise ValueError(f"the contacts refer to mesh {mesh.max()}, but {_given(meshes)}")
    facet_counts = np.array([len(one) for one in meshes], np.intp)
    vertex_counts = np.array([len(one.vertices) for one in meshes], np.intp)
    node_mesh = np.repeat(mesh, np.diff(columns["node_offsets"]))
    if (columns["facet"] >= facet_counts[mesh]).any() or (
        columns["node"] >= vertex_counts[node_mesh]
    ).any():
        raise ValueError("the contacts refer to facets or vertices that the mesh does not have")


def _check_poses(
    columns: Mapping[str, NDArray], meshes: tuple[Mesh, ...] | None, poses: NDArray | None
) -> None:
    if poses is None:
        return
    if len(columns["mesh"]) and columns["mesh"].max() >= len(poses):
        raise ValueError(
            f"it refers to mesh {columns['mesh'].max()}, but has {counted(len(poses), 'pose')}"
        )
    if meshes is not None and len(meshes) != len(poses):
        raise ValueError(f"it has {counted(len(poses), 'pose')}, but {_given(meshes)}")


def _given(meshes: tuple[Mesh, ...]) -> str:
    return counted(len(meshes), "mesh is given", "meshes are given")


# ---- spheres and arrays ----


def read_spheres(path: Path) -> Spheres:
    """Read the keys centers (n, 3), radii (n,) or one number, and ids (n,) if it exists."""
    headers = read_headers(path, _OF_SPHERES)
    _check_spheres(path, headers)
    return from_arrays(**read_arrays(path, headers))


def _check_spheres(path: Path, headers: _Arrays) -> None:
    for name in ("centers", "radii"):
        if name not in headers:
            raise ValueError(
                f"it has no key {name}: it needs centers (n, 3) and radii{hint_of(path)}"
            )
    check_arrays(**{name: headers[name] for name in _OF_SPHERES if name in headers})


def read_frame(path: Path, names: Sequence[str]) -> Frame:
    """Read spheres, their time, step and period, and the further arrays `names`."""
    own = (*_OF_SPHERES, *_OF_FRAMES, "period", DEFORMATION)
    headers = read_headers(path, dict.fromkeys((*own, *names)))
    _check_spheres(path, headers)
    for name, dtype in _OF_FRAMES.items():
        if name in headers:
            check_kind(name, headers[name], np.dtype(dtype), 0)
    if "period" in headers:
        check_period(headers["period"])
    if DEFORMATION in headers:
        check_deformation(headers[DEFORMATION])
    for name in names:
        _check_column(path, name, headers)
    arrays = read_arrays(path, headers)
    period = read_saved_period(arrays, 3)
    spheres = from_arrays(arrays["centers"], arrays["radii"], arrays.get("ids"))
    return Frame(
        *spheres[:3],
        step=int(arrays["step_count"]) if "step_count" in arrays else None,
        time=float(arrays["time"]) if "time" in arrays else None,
        period=period,
        columns={name: arrays[name] for name in names},
        deformation=arrays.get(DEFORMATION),
    )


def check_deformation(header: NDArray) -> None:
    """Raise if the type or shape of a deformation gradient is wrong."""
    check_kind(DEFORMATION, header, np.dtype(np.float64), 2)
    if header.shape != (3, 3):
        raise ValueError(f"{DEFORMATION} has shape {header.shape}, but must be (3, 3)")


def check_period(header: NDArray, dimension: int = 3) -> None:
    """Raise if the type or shape of a period is wrong."""
    check_kind("period", header, np.dtype(np.float64), header.ndim)
    lengths, vectors = (dimension,), (dimension, dimension)
    if header.shape not in (lengths, vectors):
        raise ValueError(f"period has shape {header.shape}, but must be {lengths} or {vectors}")


def _check_column(path: Path, name: str, headers: _Arrays) -> None:
    length = len(headers["centers"])
    if name not in headers:
        there = ", ".join(read_column_names(path))
        raise ValueError(f"there is no column {name}; the columns are {there}")
    if headers[name].shape[:1] != (length,):
        raise ValueError(f"{name} has shape {headers[name].shape}, but must be ({length}, ...)")


def read_column_names(path: Path) -> list[str]:
    """Read the keys of an npz file."""
    with _opened(path) as archive:
        return [member.removesuffix(".npy") for member in archive.namelist()]


def hint_of(path: Path) -> str:
    """The end of a message: which function reads the file; empty if none of abut does."""
    with _opened(path) as archive:
        names = {name.removesuffix(".npy") for name in archive.namelist()}
    if "abut_simulation" in names:
        return "; this one is a restart file, which abut.load_simulation reads"
    if "abut_format" in names and "facet" in names:
        return "; this one holds contacts, which abut.load_contacts reads"
    if "abut_format" in names and {"i", "j"} <= names:
        return "; this one holds pairs, which abut.load_pairs reads"
    if {"centers", "radii"} <= names:
        return "; this one holds spheres, which abut.read_spheres and abut.read_frames read"
    return ""


def read_headers(path: Path, names: Iterable[str]) -> dict[str, NDArray]:
    """Return the shapes and dtypes of those named arrays that exist, without reading them."""
    size = path.stat().st_size
    with _opened(path) as archive:
        there = set(archive.namelist())
        return {name: _header_of(archive, name, size) for name in names if f"{name}.npy" in there}


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, NDArray]:
    """Read the named arrays of an npz file, after their headers have been checked."""
    with _opened(path) as archive:
        return {name: _read_array(archive, name) for name in names}


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    with open(path, "rb") as file, damage_as_value_error("npz"), zipfile.ZipFile(file) as archive:
        yield archive


def _header_of(archive: zipfile.ZipFile, name: str, archive_size: int) -> NDArray:
    info = archive.getinfo(f"{name}.npy")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is compressed by another method than NumPy's")
    # The size in a damaged file may be anything, but its bytes cannot unpack to more than this.
    most = _UNPACKED * min(info.compress_size, archive_size)
    with archive.open(info) as member:
        return read_header(member, min(info.file_size, most))


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray:
    with archive.open(f"{name}.npy") as member:
        return read_array(member)
