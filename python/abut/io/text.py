"""Lines and words of text files, and arrays of their numbers; errors name the first wrong word.

Files are read as bytes, since a wrong byte in a comment must not be an error. ``float`` and ``int``
accept bytes.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, TypeVar

import numpy as np

# The number of rows after which words are converted to arrays, which take far less memory.
BLOCK = 1 << 15

# The largest number of bytes of a line, since its words may take fifty times its memory.
LINE_BYTES = 1 << 24

# The number of bytes that are read from a file at once.
_READ_BYTES = 1 << 16

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")

Word = bytes | str
_AnyWord = TypeVar("_AnyWord", bytes, str)

# A function that returns the place of a block's n-th word for errors, such as "line 17".
Place = Callable[[int], str]


def check_encoding(head: bytes) -> None:
    """Raise if the first bytes mark text in UTF-16."""
    if head.startswith(_UTF_16_MARKS):
        raise ValueError("it is text in UTF-16: save it as UTF-8 or ASCII")


class Lines:
    """The lines of a file from its current position, numbered from 1, without their ends.

    Lines end in a line feed, in a carriage return (on old Macs), or in both. A line of more than
    LINE_BYTES raises a ValueError before it is read completely. A second loop continues where the
    first one stopped.

    Parameters
    ----------
    file : binary file
    label : str
        The text before a line's number in errors: ``"line "``.
    """

    def __init__(self, file: BinaryIO, label: str = "line "):
        self._file, self._label = file, label
        self._ahead: list[bytes] = []  # lines that were read, but not returned, in reverse order
        self._rest = b""  # the beginning of the next line
        self._taken = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        while self._ahead or self._read():
            while self._ahead:
                line = self._ahead.pop()
                self._taken += 1
                yield self._taken, line

    def _read(self) -> bool:
        """Read more lines; return False at the file's end."""
        # A long line is read in pieces that double: joining equal pieces takes quadratic time.
        block = self._file.read(max(_READ_BYTES, len(self._rest)))
        if b"\r" in block:
            if block.endswith(b"\r"):
                block += self._file.read(1)  # a line feed may follow
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not block and not self._rest:
            return False
        # The last line may have no end.
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


def with_points(words: list[_AnyWord]) -> list[_AnyWord]:
    """Return words with decimal points in place of decimal commas, as in ``1,5``."""
    if not words:
        return words
    comma, point = (b",", b".") if isinstance(words[0], bytes) else (",", ".")
    if comma not in words[0][:0].join(words):
        return words
    return [
        word.replace(comma, point) if word.count(comma) == 1 and point not in word else word
        for word in words
    ]


def numbers(words: Sequence[Word], place: Place) -> np.ndarray:
    """Convert words to float64 numbers; a ValueError names the first word that is not finite."""
    try:
        values = reals(words)
    except ValueError:
        bad = next(i for i, word in enumerate(words) if not _is_number(word))
    else:
        finite = np.isfinite(values)
        if finite.all():
            return values
        bad = int(np.argmin(finite))
    raise ValueError(f"{place(bad)}: {shown(words[bad])} is not a finite number")


def reals(words: Sequence[Word]) -> np.ndarray:
    """Convert words to float64 numbers, which may be infinite or NaN, or raise a ValueError."""
    _check_written(words)
    return np.fromiter(map(float, words), np.float64, len(words))


def _is_number(word: Word) -> bool:
    try:
        return math.isfinite(reals([word])[0])
    except ValueError:
        return False


def _check_written(words: Sequence[Word]) -> None:
    """Raise for 1_0 and digits of other scripts, which are numbers in Python, but not elsewhere."""
    text = words[0][:0].join(words) if words else b""  # type: ignore[arg-type]
    if not text.isascii() or b"_" in (text.encode() if isinstance(text, str) else text):
        raise ValueError("not a number in ASCII")


def integers(words: Sequence[bytes], place: Place) -> np.ndarray:
    """Convert words to integers (intp); a ValueError names the first word that is no integer."""
    try:
        return np.array(wholes(words), np.intp)
    except ValueError:
        bad = next(i for i, word in enumerate(words) if not _is_integer(word))
    raise ValueError(f"{place(bad)}: {shown(words[bad])} is not a whole number")


def _is_integer(word: bytes) -> bool:
    try:
        wholes([word])
    except ValueError:
        return False
    return True


def wholes(words: Sequence[Word]) -> array[int]:
    """Convert words to integers; raise a ValueError if one is no integer or exceeds 64 bits."""
    _check_written(words)
    try:
        return array("q", map(int, words))
    except OverflowError:
        raise ValueError("beyond 64 bits") from None


def shown(word: Word) -> str:
    """Return a word in quotes for an error message, without its end if it is long."""
    text = word.decode("utf-8", "replace") if isinstance(word, bytes) else word
    return repr(text if len(text) <= 40 else text[:37] + "...")


def gathered(blocks: list[np.ndarray], dtype: Any = np.intp) -> np.ndarray:
    """Join blocks to one array; an empty list becomes an empty array of this dtype."""
    return np.concatenate(blocks) if blocks else np.empty(0, dtype)
