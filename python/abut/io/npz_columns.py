"""Checks of the types and shapes of columns in npz files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..results.columns import Column
from ..results.table import Table

# Columns that exist only in tables and restart files of a simulation.
_OF_SIMULATIONS = tuple(
    Column(name, "float64", -1, "row", "simulation", "", "")
    for name in ("force", "moment", "spring", "roll")
)

# For each setting of a search, its type and its number of axes.
_SEARCH: dict[str, tuple[type[Any], int]] = {
    "poses": (np.float64, 3), "flat_angle": (np.float64, 0), "other_count": (np.intp, 0),
    "mesh_count": (np.intp, 0), "body_count": (np.intp, 0), "_bodies": (np.intp, 0),
    "_radii": (np.float64, 1), "_other_radii": (np.float64, 1),
}  # fmt: skip

_Arrays = Mapping[str, NDArray[Any]]


def _columns_in(table: type[Table], arrays: _Arrays) -> list[Column]:
    return [c for c in (*table._columns, *_OF_SIMULATIONS) if c.name in arrays]


def check_kinds(table: type[Table], arrays: _Arrays) -> None:
    """Raise if an array has the wrong type of numbers or the wrong number of axes."""
    for column in _columns_in(table, arrays):
        axes = 1 + len(column.shape(3))
        check_kind(column.name, arrays[column.name], column.dtype, axes)
    for name in arrays.keys() & _SEARCH.keys():
        dtype, axes = _SEARCH[name]
        check_kind(name, arrays[name], np.dtype(dtype), axes)


def check_kind(name: str, header: NDArray[Any], dtype: np.dtype, dimensions: int) -> None:
    """Raise if an array cannot be converted to `dtype`, or has another number of axes."""
    if not np.can_cast(header.dtype, dtype, "same_kind"):
        raise ValueError(f"{name} has dtype {header.dtype}, but must be {dtype}")
    if header.ndim != dimensions:
        raise ValueError(f"{name} has shape {header.shape}")


def dimension_of(arrays: _Arrays) -> int:
    """Return the dimension of the vectors: 2 or 3."""
    shape = arrays["point"].shape
    if shape[1] not in (2, 3):
        raise ValueError(f"point has shape {shape}")
    return int(shape[1])


def check_shapes(table: type[Table], arrays: _Arrays, dimension: int) -> None:
    """Raise if columns have the wrong width, or not all the same number of entries."""
    columns = _columns_in(table, arrays)
    lengths = _lengths(columns, arrays)
    for column in columns:
        array = arrays[column.name]
        if array.shape[1:] != column.shape(dimension):
            raise ValueError(f"{column.name} has shape {array.shape}")
    for column in columns:
        if column.per in lengths:
            check_length(column.name, arrays[column.name], lengths[column.per])


def check_length(name: str, array: NDArray[Any], length: int) -> None:
    """Raise if an array does not have `length` entries."""
    if len(array) != length:
        raise ValueError(f"{name} has {len(array)} entries, not {length}")


def _lengths(columns: list[Column], arrays: _Arrays) -> dict[str, int]:
    """Return the number of entries in the first column of each kind ("row", "spot", ...)."""
    firsts: dict[str, int] = {}
    for column in columns:
        firsts.setdefault(column.per, len(arrays[column.name]))
    firsts.pop("offsets", None)
    return firsts | {"entry offsets": firsts["row"] + 1}


def typed(table: type[Table], arrays: _Arrays) -> dict[str, NDArray[Any]]:
    """Convert the arrays to the types of a table's columns."""
    types = {name: np.dtype(dtype) for name, (dtype, _) in _SEARCH.items()}
    types |= {c.name: c.dtype for c in _columns_in(table, arrays)}
    types["period"] = np.dtype(np.float64)
    # A long double beyond the range of float64 becomes infinite, which `check_finite` reports.
    with np.errstate(over="ignore"):
        return {name: np.require(a, types[name], ["C", "A"]) for name, a in arrays.items()}
