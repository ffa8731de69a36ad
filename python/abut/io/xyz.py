"""Extended XYZ files: frames of a count, a line of keys such as ``Lattice``, and rows.

The format is described at https://github.com/libAtoms/extxyz. Plain XYZ files, without keys, are
read as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import series
from .boxes import Box
from .errors import CutOff
from .series import Series
from .spheres import Columns, find_columns
from .text import numbers, shown, wholes

ENDINGS = (".xyz", ".extxyz")
_PACKED = (".gz", ".zst")

# key=value, where the value may have quotes, braces or brackets around several words.
_KEY = re.compile(
    r"""(?<!\S)([^\s="]+|"[^"]*")\s*=\s*("(?:\\.|[^"\\])*"|'[^']*'|\{[^}]*\}|\[[^=]*\]|\S+)"""
)
_WIDTH = re.compile("[1-9][0-9]{,4}")
_QUOTES = {'"': '"', "'": "'", "{": "}"}

# The columns of files without the key Properties.
_PLAIN = "species:S:1:pos:R:3"

# The largest number of columns: a line of more words would be too long to be read.
_MOST_COLUMNS = 1 << 15

# For the letter of a type in Properties, the kind of column that is read.
_KINDS = {"R": "real", "I": "whole", "S": "text", "L": "text"}
_TRUE, _FALSE = ("T", "True", "true", "TRUE"), ("F", "False", "false", "FALSE")

_POSITION, _AXES = "pos", ("x", "y", "z")
_TIMES, _STEPS = ("time",), ("step", "timestep")


class _Property(NamedTuple):
    """An entry of Properties."""

    name: str
    letter: str  # of its type
    width: int  # the number of its columns

    def columns(self) -> list[str]:
        """Return the names of its columns: those of ``velo:R:3`` are velo[0], velo[1], velo[2]."""
        if self.width == 1:
            return [self.name]
        if self.name == _POSITION and self.width == len(_AXES):
            return list(_AXES)
        return [f"{self.name}[{k}]" for k in range(self.width)]


class _Head(NamedTuple):
    """The head of a frame: its first two lines."""

    number: int
    sphere_count: int
    line: int  # the number of the second line
    values: Mapping[str, str]  # by the names of keys in lower case
    properties: tuple[_Property, ...]

    @property
    def names(self) -> list[str]:
        return [name for one in self.properties for name in one.columns()]

    def kinds(self) -> dict[str, str]:
        return {name: _KINDS[one.letter] for one in self.properties for name in one.columns()}

    def wrong(self, what: str) -> ValueError:
        return ValueError(f"line {self.line}: {what}")


def is_xyz(path: Path) -> bool:
    """Return whether a file's name has the ending of such a file, packed or not."""
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    if endings and endings[-1] in _PACKED:
        endings.pop()
    return bool(endings) and endings[-1] in ENDINGS


class Xyz(Series[_Head]):
    """An open file."""

    def next_head(self) -> _Head | None:
        while (text := self.text.take_line()) is not None and not text.strip():
            pass
        if text is None:
            return None
        count, line = _count(text, self.text.line, self.frame_count), self.text.line + 1
        keys = None if self.text.is_open else self.text.take_line()
        if keys is None or self.text.is_open:
            raise CutOff(f"the file ends in the head of frame {self.frame_count}: it was cut off")
        self.frame_count += 1
        found = _keys_of(keys.decode("utf-8", "replace"))
        properties = _properties_of(found.get("properties", _PLAIN), line)
        return _Head(self.frame_count - 1, count, line, found, properties)

    @staticmethod
    def column_names(head: _Head) -> list[str]:
        return [one.name for one in head.properties]

    def columns(self, head: _Head, names: Sequence[str]) -> Columns:
        wholes_of = {one.name: one.columns() for one in head.properties}
        more = [column for name in names for column in wholes_of.get(name, [name])]
        kinds = {**head.kinds(), "id": "whole"}
        return find_columns(head.names, self.axes, more, lambda name: kinds[name], self.given)

    def whole(self, head: _Head) -> dict[str, Any]:
        box = _box_of(head)
        try:
            period = None if box is None else box.period()
        except ValueError as error:
            raise head.wrong(f"Lattice and pbc make no period: {error}") from None
        return {
            "step": _first(head, _STEPS, lambda words: wholes(words)[0]),
            "time": _first(head, _TIMES, lambda words: float(numbers(words, str)[0])),
            "period": period,
            "origin": None if box is None else box.origin,
        }

    def further(
        self, head: _Head, names: Sequence[str], found: dict[str, NDArray]
    ) -> dict[str, NDArray]:
        known = {one.name: one for one in head.properties}
        return {
            name: _whole(known[name], found) if name in known else found[name] for name in names
        }


read_spheres = partial(series.read_spheres, Xyz)
find_places = partial(series.find_places, Xyz)
read_frames = partial(series.read_frames, Xyz)
read_places = partial(series.read_places, Xyz)
read_column_names = partial(series.read_column_names, Xyz)


# ---- heads ---------------------------------------------------------------------------------------


def _count(text: bytes, line: int, number: int) -> int:
    try:
        (count,) = wholes(text.split())
        if count < 0:
            raise ValueError
    except ValueError:
        raise ValueError(
            f"line {line}: {shown(text.strip())} stands where the number of spheres of frame"
            f" {number} should"
        ) from None
    return count


def _keys_of(text: str) -> dict[str, str]:
    """Return the values of a line of keys, without their quotes."""
    found = {}
    for key, value in _KEY.findall(text):
        if _QUOTES.get(value[0]) == value[-1] and len(value) > 1:
            value = value[1:-1]
        found[key.strip('"').lower()] = value
    return found


def _properties_of(text: str, line: int) -> tuple[_Property, ...]:
    words = text.split(":")
    found = []
    for k in range(0, len(words), 3):
        name, letter, width = (*words[k : k + 3], "", "")[:3]
        if not name or letter not in _KINDS or not _WIDTH.fullmatch(width):
            raise ValueError(
                f"line {line}: Properties has {shown(':'.join(words[k : k + 3]))}, but each entry"
                " is name:type:count, such as pos:R:3, with a type of R, I, S, L"
            )
        found.append(_Property(name, letter, int(width)))
    if (count := sum(one.width for one in found)) > _MOST_COLUMNS:
        raise ValueError(f"line {line}: Properties has {count} columns, more than {_MOST_COLUMNS}")
    return tuple(found)


def _box_of(head: _Head) -> Box | None:
    """Return the box that Lattice, Origin and pbc describe; None without Lattice."""
    repeats = _repeats(head)
    if "lattice" not in head.values:
        if repeats is not None and any(repeats):
            raise head.wrong(
                'pbc has T, but there is no Lattice="ax ay az bx by bz cx cy cz" that repeats'
            )
        return None
    edges = _numbers(head, "lattice", (3, 9))
    origin = _numbers(head, "origin", (3,)) if "origin" in head.values else np.zeros(3)
    edges = np.diag(edges) if len(edges) == 3 else edges.reshape(3, 3)
    return Box(origin, edges, repeats or (True, True, True))


def _repeats(head: _Head) -> tuple[bool, ...] | None:
    if "pbc" not in head.values:
        return None
    words = _words(head.values["pbc"])
    if len(words) != 3 or not {*words} <= {*_TRUE, *_FALSE}:
        raise head.wrong(f"pbc is {shown(head.values['pbc'])}, but must be three of T and F")
    return tuple(word in _TRUE for word in words)


def _numbers(head: _Head, name: str, counts: tuple[int, ...]) -> NDArray[np.float64]:
    words = _words(head.values[name])
    try:
        if len(words) in counts:
            return numbers(words, str)
    except ValueError:
        pass
    wanted = " or ".join(map(str, counts))
    raise head.wrong(f"{name} is {shown(head.values[name])}, but must be {wanted} finite numbers")


def _words(value: str) -> list[str]:
    """Return the words of a value, which may be a list in brackets with commas."""
    return re.sub(r"[\[\],{}]", " ", value).split()


def _first(head: _Head, names: Sequence[str], read: Callable[[list[str]], Any]) -> Any:
    """Read the first key of these names; None if there is none, or if it is no number.

    Such keys are not part of the format: each program has its own.
    """
    for name in names:
        try:
            return read([head.values[name]])
        except (KeyError, ValueError):
            pass
    return None


# ---- columns -------------------------------------------------------------------------------------


def _whole(one: _Property, found: Mapping[str, NDArray]) -> NDArray:
    """Return a property, (n,) or (n, count), made of its columns."""
    parts = [found[name] for name in one.columns()]
    joined = parts[0] if one.width == 1 else np.stack(parts, axis=1)
    return _logical(joined, one.name) if one.letter == "L" else joined


def _logical(words: NDArray, name: str) -> NDArray[np.bool_]:
    is_true = np.isin(words, _TRUE)
    wrong = np.argwhere(~is_true & ~np.isin(words, _FALSE))
    if len(wrong):
        row = wrong[0, 0]
        raise ValueError(f"row {row}: {name} is {words[tuple(wrong[0])]}, but must be T or F")
    return is_true
