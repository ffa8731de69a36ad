"""Contacts of convex bodies in npz files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..results.convex_contacts import ConvexContacts
from .npz import (
    check_finite,
    check_firsts,
    check_offsets,
    check_period,
    read_arrays,
    read_saved,
    read_saved_period,
)
from .npz_columns import check_kinds, check_length, check_shapes, dimension_of, typed

_Arrays = Mapping[str, NDArray[Any]]


def _columns_with(*when: str) -> tuple[str, ...]:
    return tuple(c.name for c in ConvexContacts._columns if c.when in when)


_NOT_ALWAYS = (*_columns_with("bodies", "walls", "spots", "order"), "force", "period", "_bodies")
_ALWAYS = (*_columns_with("always", "period"), "body_count")

# Columns in which numbers may be infinite or NaN. `error` is NaN if the method does not estimate
# it. The library checks `state` itself.
_ANY_NUMBERS = ("error", "state")


def load_convex_contacts(path: Path) -> ConvexContacts:
    """Read contacts of convex bodies that were saved."""
    headers = read_saved(path, "contacts of convex bodies", _ALWAYS, _NOT_ALWAYS)
    check_kinds(ConvexContacts, headers)
    _check_groups(headers)
    check_shapes(ConvexContacts, headers, dimension_of(headers))
    if "period" in headers:
        check_period(headers["period"], dimension_of(headers))
    arrays = typed(ConvexContacts, read_arrays(path, headers))
    settings = _settings(arrays, dimension_of(headers))
    columns = {name: array for name, array in arrays.items() if name not in settings}
    _check_columns(columns, settings["body_count"])
    return ConvexContacts._build(columns, settings)


def _settings(arrays: _Arrays, dimension: int) -> dict[str, Any]:
    return {
        "body_count": int(arrays["body_count"]),
        "period": read_saved_period(arrays, dimension),
        "_bodies": int(arrays.get("_bodies", 0)),
    }


# ---- groups of columns ---------------------------------------------------------------------------


def _check_groups(headers: _Arrays) -> None:
    """Raise if a column is missing, or if both `j` (bodies) and `mesh` (walls) exist."""
    partner = "walls" if "mesh" in headers else "bodies"
    for name in _columns_with(partner, *(["spots"] if "spot" in headers else [])):
        if name not in headers:
            raise ValueError(f"it has no column {name}")
    if "mesh" in headers and "j" in headers:
        raise ValueError("it has both a column j, of bodies, and a column mesh, of walls")


# ---- numbers -------------------------------------------------------------------------------------


def _check_columns(columns: dict[str, NDArray[Any]], body_count: int) -> None:
    check_finite({name: c for name, c in columns.items() if name not in _ANY_NUMBERS})
    _check_range(columns, ("i", "j"), body_count)
    _check_range(columns, ("status",), 4)
    _check_range(columns, ("type", "spot_type"), 3)
    _check_range(columns, ("feature", "spot_feature", "mesh", "facet"), None)
    if "offsets" in columns:
        check_length("offsets", columns["offsets"], body_count + 1)
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
