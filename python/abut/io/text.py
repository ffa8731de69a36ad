"""Words of text files into arrays, with errors that name the first offender.

Files are read as bytes: a stray byte in a comment must not stop a reader, and ``float`` and ``int``
take bytes.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

# rows that are read before they become arrays: bounds what Python objects take on top of the arrays
BLOCK = 1 << 15

Word = bytes | str

# what is said of the n-th word of a block: "drum.obj, line 17"
Place = Callable[[int], str]


def numbers(words: Sequence[Word], place: Place) -> np.ndarray:
    """Finite float64 numbers; a ValueError names the first word that is none."""
    try:
        values = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        bad = next(i for i, word in enumerate(words) if not _is_number(word))
    else:
        finite = np.isfinite(values)
        if finite.all():
            return values
        bad = int(np.argmin(finite))
    raise ValueError(f"{place(bad)}: {shown(words[bad])} is no finite number")


def _is_number(word: Word) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def integers(words: Sequence[Word], place: Place) -> np.ndarray:
    """Whole numbers (intp); a ValueError names the first word that is none."""
    try:
        return np.fromiter(map(int, words), np.intp, len(words))
    except (OverflowError, ValueError):
        bad = next(i for i, word in enumerate(words) if not _is_integer(word))
    raise ValueError(f"{place(bad)}: {shown(words[bad])} is no whole number")


def _is_integer(word: Word) -> bool:
    try:
        return abs(int(word)) <= np.iinfo(np.intp).max
    except ValueError:
        return False


def shown(word: Word) -> str:
    """A word as an error message quotes it: readable and short."""
    text = word.decode("utf-8", "replace") if isinstance(word, bytes) else word
    return repr(text if len(text) <= 40 else text[:37] + "...")


def numbered_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers from 1; a byte order mark is left out."""
    for number, line in enumerate(lines, 1):
        yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def gathered(blocks: list[np.ndarray], dtype: Any = np.intp) -> np.ndarray:
    """Blocks joined to one array of the type; an empty list to an empty one."""
    return np.concatenate(blocks) if blocks else np.empty(0, dtype)
