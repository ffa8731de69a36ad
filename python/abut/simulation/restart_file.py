"""Restart files: their arrays, with types and shapes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io import npz
from ..results.columns import columns_of
from ..results.contacts import Contacts
from ..results.pairs import Pairs
from ..search.mesh import Mesh
from .walls import Walls

_Arrays = Mapping[str, NDArray[Any]]


# Version of the format. It changes when the readers of the version before would misread a file.
# Readers refuse all versions but their own.
FORMAT = 5

# the columns of each population, which csrc/abut.h defines
_RIGIDS = columns_of("rigids")
STATES = {
    "spheres": columns_of("spheres"),
    "clusters": tuple(column for column in _RIGIDS if column.when != "shapes"),
    "bodies": tuple(column for column in _RIGIDS if column.when != "members"),
    **{name: columns_of(name) for name in ("bonds", "breakages", "rests")},
}

# kinds of partners that convex bodies touch, in the library's order
MEETINGS = ("walls", "bodies", "spheres")

# columns of contacts and pairs that the next step needs: forces and contact history
CARRIED = ("force", "moment", "spring", "roll")

# name of the column with further contact history, which some laws need
HISTORY = "history"

# rows and images are 32-bit numbers in the library: they are below this number
_MOST_ROWS = 2**31

# arrays of integers that may be larger: lasting numbers, and numbers of steps
_LASTING = (
    "ids",
    "cluster_numbers",
    "body_numbers",
    "bonds.ids",
    "breakages.ids",
    "breakages.step",
)

# number of columns in the array `surfaces`, which has a row for each vertex of a wall that deforms
SURFACE = 12

# WALL_STATE: number of members of abut_wall_state. ACCOUNT: length of the array `account`.
WALL_STATE, ACCOUNT = 25, 7


def _types_of(*prefixes: str) -> dict[str, type[Any]]:
    return {f"{k}.{column.name}": column.dtype.type for k in prefixes for column in STATES[k]}


_TYPES: dict[str, type[Any]] = {
    "ids": np.intp,
    "cluster_numbers": np.intp,
    "frames": np.float64,
    "account": np.float64,
    "walls": np.float64,
    "spheres.order": np.intp,
    **_types_of("spheres", "clusters"),
}
TABLE_KEYS = tuple(
    f"{prefix}.{name}"
    for prefix, kind in (("contacts", Contacts), ("pairs", Pairs))
    for name in (*kind._public_columns(), *kind._hidden_columns, *CARRIED)
)

# columns of body contacts that files do not have
_NOT_SAVED = ("_before", "offsets")

# types of the other columns of body contacts, which have an entry for each row or for each spot
_SPOT_ROWS: dict[str, type[Any]] = {
    **{c.name: c.dtype.type for c in columns_of("convex") if c.name not in _NOT_SAVED},
    "spot_force": np.float64,
    "spring": np.float64,
    "moment": np.float64,
    "roll": np.float64,
}
_ABSENT = {"walls": ("j",), "bodies": ("mesh", "facet"), "spheres": ("mesh", "facet")}
_BODY_TYPES: dict[str, type[Any]] = {
    "body_numbers": np.intp,
    **_types_of("bodies"),
    **{
        f"with_{meeting}.{name}": kind
        for meeting in MEETINGS
        for name, kind in _SPOT_ROWS.items()
        if name not in _ABSENT[meeting]
    },
}
_BOND_TYPES = _types_of("bonds", "breakages", "rests")

# arrays that only files of simulations with a period have
_PERIODIC = tuple(f"with_{meeting}.image" for meeting in MEETINGS)
# types of the arrays with further contact history, which only some laws have
_OWN_TYPES: dict[str, type[Any]] = {
    f"{table}.{HISTORY}": np.float64
    for table in ("contacts", "pairs", *(f"with_{meeting}" for meeting in MEETINGS))
}

# endings of arrays that may hold NaN: unknown error bounds, and states of pairs (bit patterns)
_MAY_BE_NAN = (".error", ".state")

# endings of arrays that may hold infinity: bond strengths, and distances that a Servo may move
_MAY_BE_INFINITE = (".tensile_strength", ".shear_strength", "drives")


# types of the arrays for driven walls and for walls that deform, in the walls' order, and for a
# periodic cell that has deformed
_DRIVING_TYPES: dict[str, type[Any]] = {
    "drives": np.float64,
    "surfaces": np.float64,
    "cell": np.float64,
}

# ---- reading -------------------------------------------------------------------------------------


def read_file(path: Path) -> dict[str, NDArray[Any]]:
    """The known arrays of the file, converted to their types; unknown arrays are ignored."""
    known = ("abut_simulation", "setup", *_TYPES, *TABLE_KEYS)
    headers = npz.read_headers(
        path, (*known, *_BODY_TYPES, *_BOND_TYPES, *_OWN_TYPES, *_DRIVING_TYPES)
    )
    if "abut_simulation" not in headers:
        raise ValueError("it holds no simulation: the array abut_simulation is missing")
    version = npz.read_arrays(path, ("abut_simulation",))["abut_simulation"].tolist()
    if version != FORMAT:
        raise ValueError(
            f"it has abut_simulation {version}, but this version of abut reads {FORMAT} only:"
            " continue with the version that wrote it, or run the simulation again"
        )
    groups = [_BODY_TYPES, _BOND_TYPES]  # in files of simulations with bodies, or with bonds
    present = [group for group in groups if not headers.keys().isdisjoint(group)]
    needed = [*known, *(name for group in present for name in group)]
    for name in needed:
        if name not in headers and name not in _PERIODIC:
            raise ValueError(f"it has no {name}")
    return typed_arrays(npz.read_arrays(path, headers))


def typed_arrays(arrays: _Arrays) -> dict[str, NDArray[Any]]:
    """The arrays converted to their types; a ValueError names the first one with wrong values."""
    all_types = _TYPES | _BODY_TYPES | _BOND_TYPES | _OWN_TYPES | _DRIVING_TYPES
    types = {name: kind for name, kind in all_types.items() if name in arrays}
    return {**arrays} | {name: _typed(name, arrays[name], kind) for name, kind in types.items()}


def sound_tables(
    arrays: _Arrays, meshes: tuple[Mesh, ...], stored: NDArray[np.intp]
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Contacts and pairs of the last step; `stored` are the library's numbers of walls, or -1."""
    contacts, pairs = (
        columns_under(arrays, prefix, [name.split(".")[1] for name in TABLE_KEYS if prefix in name])
        for prefix in ("contacts", "pairs")
    )
    sound = npz.sound_contacts(contacts, meshes)
    walls = stored[sound["mesh"]]
    if (walls < 0).any():
        number = sound["mesh"][walls < 0][0]
        raise ValueError(f"contacts.mesh names wall {number}, which was removed")
    return sound | {"mesh": walls}, npz.sound_pairs(pairs)


def check_readable(arrays: _Arrays, setup: bytes, walls: Walls) -> None:
    """Raise a ValueError if a reader would reject the file. Only quick checks are made."""
    typed = typed_arrays(arrays)
    read_setup(np.frombuffer(setup, np.uint8))
    state_columns(typed, "spheres", len(typed["ids"]))
    check_shape(typed, "walls", len(walls.order), WALL_STATE)
    sound_tables(typed, walls.meshes, walls.derived.stored)
    for prefix in ("bonds", "breakages", "rests"):
        bond_columns(typed, prefix)


def _typed(name: str, array: NDArray[Any], kind: type[Any]) -> NDArray[Any]:
    if not np.can_cast(array.dtype, kind, "same_kind"):
        raise ValueError(f"{name} has dtype {array.dtype}")
    typed = np.require(array, kind, ["C", "A"])
    is_sound = ~np.isnan(typed) if name.endswith(_MAY_BE_INFINITE) else np.isfinite(typed)
    if not is_sound.all() and not name.endswith(_MAY_BE_NAN):
        at = np.argwhere(~is_sound)[0].tolist()
        raise ValueError(f"{name} is not finite: entry {at} is {typed[tuple(at)]}")
    if kind is np.intp and name not in _LASTING and _are_beyond(typed):
        raise ValueError(f"{name} holds numbers beyond 32 bits")
    return typed


def _are_beyond(numbers: NDArray[np.intp]) -> bool:
    return bool(((numbers >= _MOST_ROWS) | (numbers <= -_MOST_ROWS)).any())


def state_columns(
    arrays: _Arrays, prefix: str, count: int, entries: int = 0
) -> dict[str, NDArray[Any]]:
    """The columns of a population of `count` items, with shapes checked."""
    for column in STATES[prefix]:
        rows = entries if column.per == "entry" else count
        check_shape(arrays, f"{prefix}.{column.name}", rows, *column.shape(3))
    return columns_under(arrays, prefix, (column.name for column in STATES[prefix]))


def bond_columns(arrays: _Arrays, prefix: str) -> dict[str, NDArray[Any]] | None:
    """Columns of bonds, breakages or rests, by the `prefix`; None if the file lacks them."""
    first = arrays.get(f"{prefix}.{STATES[prefix][0].name}")
    if first is None:
        return None
    return state_columns(arrays, prefix, len(first) if first.ndim else 0)


def read_setup(array: NDArray[Any]) -> dict[str, Any]:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"setup has dtype {array.dtype} and shape {array.shape}")
    setup = json.loads(array.tobytes())
    if not isinstance(setup, dict):
        raise ValueError("its setup is not a JSON object")
    return setup


def columns_under(arrays: _Arrays, prefix: str, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    return {name: arrays[f"{prefix}.{name}"] for name in names}


def check_shape(arrays: _Arrays, name: str, *shape: int) -> None:
    if name not in arrays:
        raise ValueError(f"it has no {name}")
    if arrays[name].shape != shape:
        raise ValueError(f"{name} has shape {arrays[name].shape}, but must be {shape}")
