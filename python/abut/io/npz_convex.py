"""Contacts of convex bodies in npz files: columns that not every table has are told by the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..results.convex_contacts import CONVEX_COLUMNS, SPOT_COLUMNS, STATE_LENGTH, ConvexContacts
from .npz import (
    check_finite,
    check_firsts,
    check_kind,
    check_length,
    check_offsets,
    read_arrays,
    read_saved,
    read_saved_period,
    told,
)

_Arrays = Mapping[str, NDArray[Any]]

# what a table of bodies has, what one of walls has, and what a search with spots has
_OF_BODIES, _OF_WALLS, _OF_SPOTS = ("j",), ("mesh", "facet"), (*SPOT_COLUMNS, "spot_offsets")
_NOT_ALWAYS = (*_OF_BODIES, *_OF_WALLS, *_OF_SPOTS, "offsets", "force", "period", "_bodies")
_ALWAYS = (*(name for name in CONVEX_COLUMNS if name not in _NOT_ALWAYS), "body_count")

_REAL = (
    "normal", "overlap", "error", "link", "point", "state", "spot", "spot_overlap", "force",
    "period",
)  # fmt: skip
_TYPES = dict.fromkeys(_REAL, np.float64) | dict.fromkeys(("status", "type", "spot_type"), np.uint8)

# columns with more than a number for each row or spot: how many, "d" as many as there are axes
_WIDTHS: dict[str, tuple[Any, ...]] = {
    "type": (2,), "feature": (2,), "normal": ("d",), "link": (2, "d"), "point": ("d",),
    "state": (STATE_LENGTH,), "image": ("d",), "force": ("d",), "spot": ("d",), "spot_type": (2,),
    "spot_feature": (2,),
}  # fmt: skip

# nan where a method does not know it; and what the library itself checks
_ANY_NUMBERS = ("error", "state")


def load_convex_contacts(path: Path) -> ConvexContacts:
    """Read contacts of convex bodies that were saved."""
    headers = read_saved(path, "contacts of convex bodies", _ALWAYS, _NOT_ALWAYS)
    with told(path):
        for name, header in headers.items():
            dimensions = 0 if name in ("body_count", "_bodies") else 1 + len(_WIDTHS.get(name, ()))
            check_kind(name, header, _type_of(name), dimensions)
        _check_groups(headers)
        _check_shapes(headers)
    read = read_arrays(path, headers)
    arrays = {name: np.require(a, _type_of(name), ["C", "A"]) for name, a in read.items()}
    with told(path):
        settings = _settings(arrays, headers["point"].shape[1])
        columns = {name: array for name, array in arrays.items() if name not in settings}
        _check_columns(columns, settings["body_count"])
    return ConvexContacts._build(columns, settings)


def _type_of(name: str) -> np.dtype:
    return np.dtype(_TYPES.get(name, np.intp))


def _settings(arrays: _Arrays, dimension: int) -> dict[str, Any]:
    return {
        "body_count": int(arrays["body_count"]),
        "period": read_saved_period(arrays, dimension),
        "_bodies": int(arrays.get("_bodies", 0)),
    }


# ---- what is there -------------------------------------------------------------------------------


def _check_groups(headers: _Arrays) -> None:
    """Columns that go together."""
    of_what = _OF_WALLS if "mesh" in headers else _OF_BODIES
    spots = _OF_SPOTS if "spot" in headers else ()
    for name in (*of_what, *spots):
        if name not in headers:
            raise ValueError(f"it has no column {name}")
    if "mesh" in headers and "j" in headers:
        raise ValueError("it has a column j, and of walls a column mesh")


def _check_shapes(headers: _Arrays) -> None:
    count, dimension = headers["point"].shape
    if dimension not in (2, 3):
        raise ValueError(f"point has shape {headers['point'].shape}")
    for name, width in _WIDTHS.items():
        wanted = tuple(dimension if part == "d" else part for part in width)
        if name in headers and headers[name].shape[1:] != wanted:
            raise ValueError(f"{name} has shape {headers[name].shape}")
    rows = [name for name in (*CONVEX_COLUMNS, "force") if name in headers]
    check_length(headers, rows, count)
    if "spot" in headers:
        check_length(headers, SPOT_COLUMNS, len(headers["spot"]))
        check_length(headers, ("spot_offsets",), count + 1)


# ---- numbers -------------------------------------------------------------------------------------


def _check_columns(columns: dict[str, NDArray[Any]], body_count: int) -> None:
    check_finite({name: c for name, c in columns.items() if name not in _ANY_NUMBERS})
    _check_range(columns, ("i", "j"), body_count)
    _check_range(columns, ("status",), 4)
    _check_range(columns, ("type", "spot_type"), 3)
    _check_range(columns, ("feature", "spot_feature", "mesh", "facet"), None)
    if "offsets" in columns:
        check_length(columns, ("offsets",), body_count + 1)
        check_offsets("offsets", columns["offsets"], len(columns["i"]))
        check_firsts(columns, "i")
    if "spot" in columns:
        check_offsets("spot_offsets", columns["spot_offsets"], len(columns["spot"]))


def _check_range(columns: _Arrays, names: Iterable[str], count: int | None) -> None:
    for name in (name for name in names if name in columns):
        column = columns[name]
        outside = column < 0 if count is None else (column < 0) | (column >= count)
        if outside.any():
            place = np.argwhere(outside)[0]
            where = ", ".join(map(str, place))
            wanted = "0 or more" if count is None else f"0 to {count - 1}"
            raise ValueError(f"{name}[{where}] is {column[tuple(place)]}, but must be {wanted}")
