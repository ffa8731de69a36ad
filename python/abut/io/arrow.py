"""Reads blocks of rows by pyarrow, where it is installed: ten times as fast as words in Python.

The numbers are the same, bit by bit, since pyarrow rounds correctly. It reads only blocks as
programs write them: one blank between words, and the same line ends in all rows. Other blocks
are read word by word, with errors that name what is wrong.
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

# Blocks with fewer bytes are read faster word by word. The first bound counts the call of pyarrow,
# the second one its import, too.
_FEW_BYTES, _FEW_TO_IMPORT = 1 << 13, 1 << 15

_BLANK = ord(" ")

# Blocks that hold one of these are read word by word: pyarrow takes "0x1f" for a whole number and
# "nan(1)" for a real one, which are errors here.
_FOREIGN = (b"x", b"X", b"(")

# pyarrow needs whole rows in each thread's part, and a row has at most a few kilobytes.
_BYTES_OF_A_THREAD = 1 << 20

# The name of the empty column that a blank at the end of rows makes.
_END = "end"


def read_block(block: bytes, line_count: int, columns: Columns) -> list[NDArray] | None:
    """Return the picked columns of rows, or None: they must then be read word by word."""
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
    """Return whether single blanks separate the words, if all rows are as wide as the first.

    width: number of blanks and line ends in a row. doubled: number of rows that end in a blank.
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
    # Text is read as bytes: bytes that are not UTF-8 are replaced later, as in reading by words.
    kinds = {"whole": arrow.int64(), "text": arrow.binary()}
    types = {str(one.number): kinds.get(one.kind, arrow.float64()) for one in columns.picks}
    if has_end:
        # A null column takes no words, so a row with more words than the others fails.
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
