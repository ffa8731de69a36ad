"""CSV: spheres, contacts and pairs as flat tables."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import NDArray

from .spheres import Spheres, find_columns, from_table, read_table
from .text import BLOCK

if TYPE_CHECKING:
    from ..table import Table


# of these the header has the most
_DELIMITERS = ",;\t"


def read_spheres(path: Path) -> Spheres:
    """Read a table with a header that names x, y, z and radius or diameter, in any order."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        header = file.readline()
        delimiter = max(_DELIMITERS, key=header.count)
        reader = csv.reader(chain([header], file), delimiter=delimiter)
        try:
            columns = find_columns([field.strip().lower() for field in next(reader, [])])
            rows = ((reader.line_num, row) for row in reader if "".join(row).strip())
            return from_table(read_table(rows, columns), columns)
        except (ValueError, csv.Error) as error:
            raise ValueError(f"{path}: {error}") from None


def save(table: Table, path: Path, extra: Mapping[str, NDArray]) -> None:
    """Write all columns but the nodal weights; numbers in as many digits as give them back."""
    columns = table._flat() | dict(extra)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for start in range(0, len(table), BLOCK):
            rows = slice(start, start + BLOCK)
            writer.writerows(zip(*(c[rows].tolist() for c in columns.values()), strict=True))
