"""CSV files: spheres, contacts and pairs as flat tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

from numpy.typing import NDArray

from . import writing
from .frame import Frame
from .spheres import NOTHING, Given, Spheres, find_columns, from_table, more_of, read_table
from .text import BLOCK, LINE_BYTES, with_points

if TYPE_CHECKING:
    from ..results.table import Table


# Possible delimiters. The one that occurs most often in a file's header is used.
_DELIMITERS = ",;\t"

# The names of coordinates: ours, and those that ParaView writes.
_AXES = (("x", "y", "z"), *(tuple(f"points{mark}{k}" for k in range(3)) for mark in ":_"))


def read_spheres(path: Path, given: Given = NOTHING) -> Spheres:
    """Read a table with a header that names x, y, z and radius or diameter, in any order.

    Case does not matter in the names that are given.
    """
    return _read(path, (), given)[0]


def read_frame(path: Path, names: Sequence[str], given: Given = NOTHING) -> Frame:
    """Read spheres and the further columns `names`; case does not matter."""
    spheres, more = _read(path, [name.lower() for name in names], given)
    return Frame(*spheres[:3], columns={name: more[name.lower()] for name in names})


def read_column_names(path: Path) -> list[str]:
    """Read the column names in the header."""
    with _opened(path) as reader:
        return [field.strip() for field in next(reader, [])]


def _read(path: Path, names: Sequence[str], given: Given) -> tuple[Spheres, dict[str, NDArray]]:
    given = given._replace(called={k: word.strip().lower() for k, word in given.called.items()})
    with _opened(path) as reader:
        there = [field.strip().lower() for field in next(reader, [])]
        columns = find_columns(there, _AXES, more=names, given=given)
        # In "1,234", a comma is a decimal comma only if other letters separate the columns.
        points = list if reader.dialect.delimiter == "," else with_points
        rows = ((reader.line_num, points(row)) for row in reader if "".join(row).strip())
        table = read_table(rows, columns)
        return from_table(table, columns), more_of(table, columns)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file and return a reader of its rows."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = _lines(file)
        try:
            header = next(lines, "")
            delimiter = max(_DELIMITERS, key=header.count)
            yield csv.reader(chain([header], lines), delimiter=delimiter)
        except csv.Error as error:
            raise ValueError(str(error)) from None


def _lines(file: TextIO) -> Iterator[str]:
    # The length is bounded, since a damaged file without line ends would fill the memory.
    while line := file.readline(LINE_BYTES):
        if len(line) == LINE_BYTES:
            raise ValueError(f"a line has more than {LINE_BYTES} letters")
        yield line


def save(table: Table, path: Path, extra: Mapping[str, NDArray]) -> None:
    """Write all columns except nodal weights, with digits that restore the same bits."""
    with writing.opened(path, "w", newline="", encoding="utf-8") as file:
        write(table, file, extra)


def write(table: Table, file: IO[str], extra: Mapping[str, NDArray]) -> None:
    """Write a table as `save` does, but to an open file such as standard output."""
    columns = table._flat() | dict(extra)
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for start in range(0, len(table), BLOCK):
        rows = slice(start, start + BLOCK)
        writer.writerows(zip(*(c[rows].tolist() for c in columns.values()), strict=True))
