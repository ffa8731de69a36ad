"""Blocks of rows by pyarrow, where it is installed: ten times as fast as word by word in Python.

What it reads is the same to the bit, since it rounds correctly. It reads only what is written as
programs write it: one blank between words, and an end like that of the first row. Whatever else a
block has is left to who reads word by word, and names what is wrong.
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

# Blocks with fewer bytes are read sooner word by word: the first bound counts the call of pyarrow,
# the second one its import, too.
_FEW_BYTES, _FEW_TO_IMPORT = 1 << 13, 1 << 15

_BLANK = ord(" ")

# Blocks that hold one of these are read word by word: pyarrow takes "0x1f" for a whole number and
# "nan(1)" for a real one, which are errors here.
_FOREIGN = (b"x", b"X", b"(")

# pyarrow wants whole rows in what each thread reads, and rows have a few kilobytes at most
_BYTES_OF_A_THREAD = 1 << 20

# the name of the empty column behind a blank at the end of rows
_END = "end"


def read_block(block: bytes, line_count: int, columns: Columns) -> list[NDArray] | None:
    """The picked columns of rows; None where they are not as they should be, or without pyarrow."""
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
    """Whether one blank is between words, provided that rows are as wide as the first.

    width: how many blanks and ends a row has. doubled: of how many rows the end is after a blank.
    """
    is_blank = np.frombuffer(block, np.uint8) <= _BLANK
    return (
        not is_blank[0]
        and np.count_nonzero(is_blank) == line_count * width
        and np.count_nonzero(is_blank[1:] & is_blank[:-1]) == doubled
        and not any(letter in block for letter in _FOREIGN)
    )


def _read(csv: Any, block: bytes, columns: Columns, has_end: bool) -> Any:
    """A pyarrow table of the picked columns, each named by its number; None where it fails."""
    arrow = importlib.import_module("pyarrow")
    names = [str(number) for number in range(columns.column_count)]
    # text is read as bytes, so that what is no UTF-8 is replaced as where words are read one by one
    kinds = {"whole": arrow.int64(), "text": arrow.binary()}
    types = {str(one.number): kinds.get(one.kind, arrow.float64()) for one in columns.picks}
    if has_end:
        # a null column takes no words, so a row with more words than the others fails
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
    """The picked columns; None where words or rows are missing, or a sphere's number not finite."""
    picked = [table.column(str(one.number)) for one in columns.picks]
    if table.num_rows != line_count or any(one.null_count for one in picked):
        return None
    arrays = [
        read_texts(one.to_pylist()) if pick.kind == "text" else one.to_numpy()
        for pick, one in zip(columns.picks, picked, strict=True)
    ]
    finite = (k for k, one in enumerate(columns.picks) if one.kind == "finite")
    return arrays if all(np.isfinite(arrays[k]).all() for k in finite) else None
