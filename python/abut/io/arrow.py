"""Reads blocks of rows by pyarrow, if it is installed: ten times as fast as reading in Python.

The numbers are the same, bit by bit, since pyarrow rounds correctly. It only reads blocks in the
form that programs write: one blank between words, and the same line ends in all rows. Python reads
other blocks word by word, and its errors name what is wrong.
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.threads import worker_count
from .spheres import Columns, read_texts

_CSV = "pyarrow.csv"

# Python reads blocks with fewer bytes faster than pyarrow. The first bound is for when pyarrow is
# imported already, the second one includes the time of its import.
_FEW_BYTES, _FEW_TO_IMPORT = 1 << 13, 1 << 15

_BLANK = ord(" ")

# Blocks with one of these letters are read word by word: pyarrow would read "0x1f" as a whole
# number and "nan(1)" as a real number, but both are errors here.
_FOREIGN = (b"x", b"X", b"(")

# The bytes that each thread of pyarrow reads: many rows, since a row has a few kilobytes at most.
_BYTES_OF_A_THREAD = 1 << 20

# The name of the empty column that a blank at the end of rows makes.
_END = "end"


def read_block(block: bytes, line_count: int, columns: Columns) -> list[NDArray] | None:
    """Return the picked columns of rows; None if the rows must be read word by word."""
    if len(block) < (_FEW_BYTES if _CSV in sys.modules else _FEW_TO_IMPORT):
        return None
    if b"\r\n" in block[: block.find(b"\n") + 1]:
        block = block.replace(b"\r\n", b"\n")
    has_end = block[: block.find(b"\n")].endswith(b" ")
    if not _is_plain(block, line_count, columns.column_count + has_end, line_count * has_end):
        return None
    csv = _import_csv()
    table = None if csv is None else _read(csv, block, columns, has_end)
    return None if table is None else _arrays(table, line_count, columns)


@cache
def _import_csv() -> Any:
    try:
        return importlib.import_module(_CSV)
    except ImportError:
        return None


def _is_plain(block: bytes, line_count: int, width: int, doubled: int) -> bool:
    """Return whether single blanks separate the words, and no letter is in _FOREIGN.

    This is certain only if all rows have as many words as the first. width: number of blanks and
    line ends in a row. doubled: number of rows that end in a blank.
    """
    is_blank = np.frombuffer(block, np.uint8) <= _BLANK
    return (
        not is_blank[0]
        and np.count_nonzero(is_blank) == line_count * width
        and np.count_nonzero(is_blank[1:] & is_blank[:-1]) == doubled
        and not any(letter in block for letter in _FOREIGN)
    )


def _read(csv: Any, block: bytes, columns: Columns, has_end: bool) -> Any:
    """Return a pyarrow table of the picked columns, named by their numbers; None if it fails."""
    arrow = importlib.import_module("pyarrow")
    names = [str(number) for number in range(columns.column_count)]
    # Text is read as bytes, since it may not be UTF-8: such bytes are replaced later.
    kinds = {"whole": arrow.int64(), "text": arrow.binary()}
    types = {str(one.number): kinds.get(one.kind, arrow.float64()) for one in columns.picks}
    if has_end:
        # This column accepts no words, so a row with more words than the others is an error.
        names.append(_END)
        types[_END] = arrow.null()
    reading = csv.ReadOptions(
        column_names=names, block_size=_BYTES_OF_A_THREAD, use_threads=worker_count(None) > 1
    )
    parsing = csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False)
    converting = csv.ConvertOptions(
        include_columns=list(types), column_types=types, null_values=[""], check_utf8=False
    )
    try:
        return csv.read_csv(arrow.BufferReader(block), reading, parsing, converting)
    except arrow.ArrowInvalid:
        return None


def _arrays(table: Any, line_count: int, columns: Columns) -> list[NDArray] | None:
    """Return the picked columns; None if words or rows are missing, or numbers are not finite."""
    picked = [table.column(str(one.number)) for one in columns.picks]
    if table.num_rows != line_count or any(one.null_count for one in picked):
        return None
    arrays = [
        read_texts(one.to_pylist()) if pick.kind == "text" else one.to_numpy()
        for pick, one in zip(columns.picks, picked, strict=True)
    ]
    finite = (k for k, one in enumerate(columns.picks) if one.kind == "finite")
    return arrays if all(np.isfinite(arrays[k]).all() for k in finite) else None
