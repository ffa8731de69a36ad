"""Lines and words of text files, and arrays of them, with errors that name the first offender.

Files are read as bytes: a stray byte in a comment must not stop a reader, and ``float`` and ``int``
take bytes.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

# After so many rows words become arrays, since as Python objects they take far more memory.
BLOCK = 1 << 15

# No text has longer lines. Split into words such a line would take fifty times its memory.
LINE_BYTES = 1 << 24

# so many bytes are read from a file at once
_READ_BYTES = 1 << 16

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")

Word = bytes | str

# a function that tells where the n-th word of a block stands, as "line 17"
Place = Callable[[int], str]


def check_encoding(head: bytes) -> None:
    """Complain of a file whose first bytes say that it is text in UTF-16."""
    if head.startswith(_UTF_16_MARKS):
        raise ValueError("it is text in UTF-16: save it as UTF-8 or ASCII")


class Lines:
    """The lines of a file from where it stands, without their ends, and their numbers from 1.

    They end in a line feed, in a carriage return, as on old Macs, or in both.

    Loops over it, which may be several, one after the other, go on where the last one ended.

    Parameters
    ----------
    file : binary file
    label : str
        What is said of a line before its number in errors: ``"line "``.

    A line of more than LINE_BYTES raises a ValueError, before it is read whole.
    """

    def __init__(self, file: BinaryIO, label: str = "line "):
        self._file, self._label = file, label
        self._ahead: list[bytes] = []  # lines that are read, but not taken; the next one is last
        self._rest = b""  # the beginning of the line after them
        self._taken = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        while self._ahead or self._read():
            while self._ahead:
                line = self._ahead.pop()
                self._taken += 1
                yield self._taken, line

    def _read(self) -> bool:
        """Read on; False at the end of the file."""
        # pieces of a long line double, or joining them would take time by its length squared
        block = self._file.read(max(_READ_BYTES, len(self._rest)))
        if b"\r" in block:
            if block.endswith(b"\r"):
                block += self._file.read(1)  # a line feed may follow
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not block and not self._rest:
            return False
        # the last line may have no end
        lines = (self._rest + (block or b"\n")).split(b"\n")
        self._rest = lines.pop()
        if not self._taken and lines:
            lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
        if max(map(len, lines), default=0) > LINE_BYTES or len(self._rest) > LINE_BYTES:
            raise self._too_long([*lines, self._rest])
        lines.reverse()
        self._ahead = lines
        return True

    def _too_long(self, lines: Sequence[bytes]) -> ValueError:
        first = next(i for i, line in enumerate(lines) if len(line) > LINE_BYTES)
        number = self._taken + 1 + first
        return ValueError(f"{self._label}{number} has more than {LINE_BYTES} bytes")


def numbers(words: Sequence[Word], place: Place) -> np.ndarray:
    """Finite float64 numbers; a ValueError names the first word that is none."""
    try:
        values = reals(words)
    except ValueError:
        bad = next(i for i, word in enumerate(words) if not _is_number(word))
    else:
        finite = np.isfinite(values)
        if finite.all():
            return values
        bad = int(np.argmin(finite))
    raise ValueError(f"{place(bad)}: {shown(words[bad])} is no finite number")


def reals(words: Sequence[Word]) -> np.ndarray:
    """Numbers (float64), which may be infinite or NaN; a ValueError where a word is none."""
    _check_written(words)
    return np.fromiter(map(float, words), np.float64, len(words))


def _is_number(word: Word) -> bool:
    try:
        return math.isfinite(reals([word])[0])
    except ValueError:
        return False


def _check_written(words: Sequence[Word]) -> None:
    """Python takes 1_0 and, in text, digits of any script for numbers; other programs do not."""
    text = words[0][:0].join(words) if words else b""  # type: ignore[arg-type]
    if not text.isascii() or b"_" in (text.encode() if isinstance(text, str) else text):
        raise ValueError("no number in ASCII")


def integers(words: Sequence[bytes], place: Place) -> np.ndarray:
    """Whole numbers (intp); a ValueError names the first word that is none."""
    try:
        return np.array(wholes(words), np.intp)
    except ValueError:
        bad = next(i for i, word in enumerate(words) if not _is_integer(word))
    raise ValueError(f"{place(bad)}: {shown(words[bad])} is no whole number")


def _is_integer(word: bytes) -> bool:
    try:
        wholes([word])
    except ValueError:
        return False
    return True


def wholes(words: Sequence[Word]) -> array[int]:
    """Whole numbers; a ValueError where a word is none, or beyond 64 bits."""
    _check_written(words)
    try:
        return array("q", map(int, words))
    except OverflowError:
        raise ValueError("beyond 64 bits") from None


def shown(word: Word) -> str:
    """A word as an error message quotes it: readable and short."""
    text = word.decode("utf-8", "replace") if isinstance(word, bytes) else word
    return repr(text if len(text) <= 40 else text[:37] + "...")


def gathered(blocks: list[np.ndarray], dtype: Any = np.intp) -> np.ndarray:
    """Blocks joined to one array of the type; an empty list to an empty one."""
    return np.concatenate(blocks) if blocks else np.empty(0, dtype)
