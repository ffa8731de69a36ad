"""Coordinates in text: their values, and the unit of the last written digit.

A program that writes six digits of a coordinate moves it by up to half a unit of the sixth digit.
Facets of one plane then no longer lie in one plane. With the unit, searches distinguish such noise
from shape.
"""

from collections.abc import Sequence

import numpy as np

from .text import BLOCK, numbers, with_points

# 17 significant digits restore a float64 number exactly: the writer has not rounded it.
_DOUBLE_DIGITS = 17

# With this many digits or more, the text shows whether the numbers were float32 before writing:
# neighboring float32 numbers are farther apart than a unit of the last digit.
_SINGLE_DIGITS = 8
_SINGLE_BITS = 24

# C, C++ and programs built on them write six significant digits by default. If no coordinate has
# six, the numbers are exact, not rounded: "1 0 0.25" is the corner of a box that somebody drew.
# If 0.25 counted as rounded to 0.01, the tolerance would be as large as whole walls.
_USUAL_DIGITS = 6

# If no number uses the low bits of float32, the numbers were not rounded to float32. With this many
# unused bits it is certain: the probability of chance is 2^-20, as in csrc/mesh/precision.c.
_EVIDENCE_BITS = 20

# If all numbers have the same number of decimals ("0.333 1.250"), numbers with this many digits
# count as rounded. With fewer they are exact: no mesh is rounded to a hundredth of its size.
_FIXED_DIGITS = 4

# The first exponent in the table of powers of ten, far below the smallest float64. The table is
# used instead of logarithms, since their rounding depends on the machine.
_LEAST_POWER = -400
_TENS = np.array([float(f"1e{power}") for power in range(_LEAST_POWER, 309)])


class Coordinates:
    """Vertices that are read from text, three words for each vertex.

    Parameters
    ----------
    label : str
        The text before the number of a vertex's line (or vertex) in errors: ``"line "``.
    """

    def __init__(self, label: str = "line "):
        self._label = label
        self._words: list[bytes] = []
        self._places: list[int] = []
        self._blocks: list[np.ndarray] = []
        self._digits = _Digits()

    def add(self, words: Sequence[bytes], place: int) -> None:
        """Add the vertex with these three words as coordinates."""
        self._words += words
        self._places.append(place)
        if len(self._places) >= BLOCK:
            self._flush()

    def _flush(self) -> None:
        words, places = self._words, self._places
        self._words, self._places = [], []
        if words:
            words = with_points(words)
            values = numbers(words, lambda i: f"{self._label}{places[i // 3]}")
            self._blocks.append(values.reshape(-1, 3))
            self._digits.add(words)

    def finish(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Return all vertices (v, 3), and their units (v, 3), or None if all are exact."""
        self._flush()
        blocks, self._blocks = self._blocks, []
        vertices = np.concatenate(blocks) if blocks else np.empty((0, 3))
        return vertices, self._digits.units(vertices)


class _Digits:
    """The largest numbers of digits in a file's coordinates, along each axis."""

    def __init__(self) -> None:
        self.decimals = np.zeros(3, int)  # after the point, exponent applied: 4 in 1e-4
        self.significant = np.zeros(3, int)  # digits from the first one that is not 0
        self.whole = np.ones(3, bool)  # whether all numbers are written as whole numbers
        self.written: set[int] = set()  # digits after the point as written: 1 in 1.5e-3

    def add(self, words: Sequence[bytes]) -> None:
        counts = (count.reshape(-1, 3) for count in count_digits(words))
        decimals, significant, exponents = counts
        self.written.update(np.unique(decimals).tolist())
        self.whole &= ((decimals == 0) & (exponents == 0)).all(axis=0)
        np.maximum(self.decimals, (decimals - exponents).max(axis=0), out=self.decimals)
        np.maximum(self.significant, significant.max(axis=0), out=self.significant)

    def units(self, vertices: np.ndarray) -> np.ndarray | None:
        sizes = np.abs(vertices)
        # Long whole numbers are exact: they are multiples of a unit, such as a grid's.
        counted = self.whole & (
            sizes.max(axis=0, initial=0) >= _TENS[_USUAL_DIGITS - 1 - _LEAST_POWER]
        )
        significant = int(self.significant.max(where=~counted, initial=0))
        if self._exact(significant):
            return None
        units = self._decimal_units(sizes, significant)
        units[:, counted] = np.spacing(sizes[:, counted])
        if significant >= _SINGLE_DIGITS and _were_single(sizes, units):
            single = ~(counted | _are_grids(sizes))
            units[:, single] = np.maximum(units, _single_ulp(sizes))[:, single]
        return units

    def _exact(self, significant: int) -> bool:
        fixed = len(self.written) == 1 and self.written != {0}
        short = _FIXED_DIGITS if fixed else _USUAL_DIGITS
        return not short <= significant < _DOUBLE_DIGITS

    def _decimal_units(self, sizes: np.ndarray, significant: int) -> np.ndarray:
        powers = np.searchsorted(_TENS, sizes, side="right") - significant + _LEAST_POWER
        least = max(-int(self.decimals.max()), _LEAST_POWER)
        return _TENS[np.maximum(powers, least) - _LEAST_POWER]


def count_digits(words: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the number of decimals, of significant digits, and the exponent of each word.

    Parameters
    ----------
    words : sequence of bytes
        Words that ``float`` can convert.

    Returns
    -------
    decimals, significant, exponents : ndarray of int
        ``-0.0150e2`` has four decimals, three significant digits and the exponent 2.
    """
    text = np.frombuffer(b" ".join(words) + b" ", np.uint8)
    ends = np.flatnonzero(text == ord(" "))
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends + 1 - starts

    def seen(mask: np.ndarray) -> np.ndarray:
        """Return for each letter whether the mask is set there or earlier in the same word."""
        before = np.cumsum(mask, dtype=np.int32)
        return before > np.repeat(before[starts] - mask[starts], lengths)

    digit = text - ord("0") < 10  # bytes are unsigned: letters below "0" wrap to large numbers
    in_exponent = seen((text | 32) == ord("e"))
    mantissa = digit & ~in_exponent
    decimals = np.add.reduceat(mantissa & seen(text == ord(".")), starts, dtype=np.intp)
    counts = mantissa & seen(mantissa & (text != ord("0")))
    significant = np.add.reduceat(counts, starts, dtype=np.intp)
    return decimals, significant, _exponents(text, digit & in_exponent, starts, ends, lengths)


def _exponents(
    text: np.ndarray, digit: np.ndarray, starts: np.ndarray, ends: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    """Return the exponents of words; `digit` marks the digits of the exponents."""
    if not digit.any():
        return np.zeros(len(starts), np.intp)
    at = np.flatnonzero(digit)
    word = np.searchsorted(ends, at)
    # A float64's exponent has at most three digits, but zeros may precede them.
    places = np.minimum(ends[word] - 1 - at, 6)
    values = (text[at] - ord("0")) * _TENS[places - _LEAST_POWER]
    exponents = np.bincount(word, values, len(starts)).astype(np.intp)
    sign = np.zeros(len(starts), bool)
    first = at[np.concatenate(([True], word[1:] != word[:-1]))]
    sign[np.unique(word)] = text[first - 1] == ord("-")
    return np.where(sign, -exponents, exponents)


def _were_single(sizes: np.ndarray, units: np.ndarray) -> bool:
    """Return whether each size is within half a written unit of a float32 number."""
    with np.errstate(over="ignore"):
        single = sizes.astype(np.float32).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return bool((np.abs(single - sizes) <= 0.5 * units).all())


def _are_grids(sizes: np.ndarray) -> np.ndarray:
    """Return whether the numbers of each axis were not rounded to float32, by unused bits."""
    evidence = np.array([_unused_bits(axis) for axis in sizes.T])
    grids = evidence >= _EVIDENCE_BITS
    return grids | ((evidence > 0) & grids.any())


def _unused_bits(sizes: np.ndarray) -> int:
    """Return the number of unused low bits, summed over the different float32 numbers.

    A bit is unused if it is lower than every bit that is set in any of the numbers.
    """
    single = np.unique(sizes.astype(np.float32))
    significands, exponents = np.frexp(single[single > 0].astype(np.float64))
    whole = np.ldexp(significands, _SINGLE_BITS).astype(np.int64)
    unused = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    lasts = exponents - _SINGLE_BITS
    lowest = (lasts + unused).min(initial=np.iinfo(np.int32).max)
    return int(np.maximum(lowest - lasts, 0).sum())


def _single_ulp(sizes: np.ndarray) -> np.ndarray:
    return np.spacing(sizes.astype(np.float32)).astype(np.float64)
