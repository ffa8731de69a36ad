"""Parquet files and Arrow tables of contacts and pairs; nodal weights are lists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ..base.extras import import_extra
from . import writing
from .npz import FORMAT

if TYPE_CHECKING:
    from ..results.table import Table


def arrow_table(table: Table, extra: Mapping[str, NDArray]) -> Any:
    """Return all columns as a pyarrow.Table, without copying them where this is possible."""
    pyarrow = import_extra("pyarrow", "io")
    columns = {name: pyarrow.array(c) for name, c in (table._flat() | dict(extra)).items()}
    for name, column in table._flat_lists().items():
        columns[name] = pyarrow.LargeListArray.from_arrays(
            pyarrow.array(getattr(table, table._list_offsets)), pyarrow.array(column)
        )
    return pyarrow.table(columns, metadata={"abut_format": str(FORMAT)})


def save(table: Table, path: Path, extra: Mapping[str, NDArray]) -> None:
    """Write all columns; needs pyarrow, the extra ``io``."""
    parquet = import_extra("pyarrow.parquet", "io")
    written = arrow_table(table, extra)
    with writing.opened(path) as file:
        parquet.write_table(written, file)
