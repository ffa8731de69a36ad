"""Parquet: contacts as a flat table whose nodal weights are lists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import NDArray

from ..contacts import NODE_COLUMNS
from ..extras import import_extra
from .npz import FORMAT

if TYPE_CHECKING:
    from ..contacts import Contacts


def save(contacts: Contacts, path: Path, extra: Mapping[str, NDArray]) -> None:
    """Write all columns; needs pyarrow, the extra ``io``."""
    pyarrow = import_extra("pyarrow", "io")
    parquet = import_extra("pyarrow.parquet", "io")
    columns = {name: pyarrow.array(c) for name, c in (contacts._flat() | dict(extra)).items()}
    for name in NODE_COLUMNS:
        columns[name] = pyarrow.LargeListArray.from_arrays(
            pyarrow.array(contacts.node_offsets), pyarrow.array(getattr(contacts, name))
        )
    table = pyarrow.table(columns, metadata={"abut_format": str(FORMAT)})
    with open(path, "wb") as file:
        parquet.write_table(table, file)
