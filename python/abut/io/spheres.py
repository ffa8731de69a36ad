"""Spheres in files: finding their columns, reading the numbers, and checking them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from .text import BLOCK, Word, numbers, reals, shown, wholes

# Our names of the columns of spheres.
_OWN = ("x", "y", "z", "radius", "diameter", "id")
_SIZES = {"radius", "diameter"}  # only one of them is read

# The largest integer that may be written as 7.0 or 1e3: such words are read as float64, which is
# exact up to this number.
_WHOLE_LIMIT = 2.0**53


# A radius that is used instead of the file's: one for all spheres, or one for each type.
Radius = float | dict[int, float] | None


class Given(NamedTuple):
    """What a caller gives for the columns of spheres in a file."""

    called: Mapping[str, str] = MappingProxyType({})  # by our names, the file's where they differ
    radius: Radius = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Given, (dict(self.called), self.radius)  # a mapping proxy cannot be pickled


NOTHING = Given()


class Spheres(NamedTuple):
    """The spheres of a file, as `read_spheres` returns them.

    Attributes
    ----------
    centers : (n, 3) ndarray of float64
    radii : (n,) ndarray of float64
    ids : (n,) ndarray of intp, or None
        The spheres' numbers in the file (column ``id``, key ``ids``); None if it has none.
    frame : (n,) ndarray of intp, or None
        The number of each sphere's frame, from 0; None unless all frames were read.
    """

    centers: np.ndarray
    radii: np.ndarray
    ids: np.ndarray | None = None
    frame: np.ndarray | None = None


class Pick(NamedTuple):
    """A column of a file's table that is read."""

    name: str
    number: int  # its index among the table's columns
    kind: str  # a key of _KINDS


class Columns(NamedTuple):
    """The columns of a file's table that are read."""

    picks: tuple[Pick, ...]  # coordinates, radius or diameter, id if it exists, further columns
    has_ids: bool
    column_count: int
    axes: tuple[str, ...]  # the names of the columns of coordinates
    radius: Radius = None  # used instead of the file's radii

    @property
    def first_of_more(self) -> int:
        return 5 if self.has_ids else 4


def _kind_of(name: str) -> str:
    return "whole" if name == "id" else "real"


def find_columns(
    names: Sequence[str],
    axes: Sequence[Sequence[str]] = (("x", "y", "z"),),
    more: Sequence[str] = (),
    kind_of: Callable[[str], str] = _kind_of,
    given: Given = NOTHING,
) -> Columns:
    """Find the columns of spheres, and further columns, in a table with these names of columns.

    axes: possible names of the three coordinates; the first three that all exist are used. more:
    the names of the further columns. kind_of: returns the kind of a column by its name.
    """
    names, radius = renamed(names, given.called), given.radius
    ours = {called: name for name, called in given.called.items()}
    found = next((wanted for wanted in axes if set(wanted) <= set(names)), None)
    sizes = _size_names(found, radius)
    size = next((name for name in sizes if name in names), None)
    missing = [*(axes[0] if found is None else ()), *(() if size else sizes[:1])]
    missing = [name for name in missing if name not in names]
    if found is None or size is None:
        cure = ". Give radius=, a number or a dict by type" if missing == ["radius"] else ""
        raise ValueError(f"there is no column {' or '.join(missing)}{_there_is(names)}{cure}")
    for name in more:
        if ours.get(name, name) not in names:
            raise ValueError(f"there is no column {_quoted(name)}{_there_is(names)}")
    for name in (*found, size, "id", *(ours.get(name, name) for name in more)):
        if names.count(name) > 1:
            raise ValueError(f"there are {names.count(name)} columns {name}")
    has_ids = "id" in names
    kinds = [(name, "finite") for name in found]
    kinds += [(size, "whole" if size == "type" else "finite")]
    kinds += [("id", "whole")] if has_ids else []
    picks = [Pick(name, names.index(name), kind) for name, kind in kinds]
    picks += [Pick(name, names.index(ours.get(name, name)), kind_of(name)) for name in more]
    return Columns(tuple(picks), has_ids, len(names), tuple(found), radius)


def _size_names(axes: Sequence[str] | None, radius: Radius) -> Sequence[str]:
    """Return possible names of the column of sizes; the first one that exists is read.

    A dict of radii needs the column `type`. One radius needs no column: then x is read instead.
    """
    if radius is None:
        return ("radius", "diameter")
    return ("type",) if isinstance(radius, dict) else (axes or ("x",))[:1]


def read_radius(radius: float | Mapping[int, float] | None) -> Radius:
    """Check the radius that is used instead of the file's: one for all, or one for each type."""
    if radius is None:
        return None
    if not isinstance(radius, Mapping):
        return checks.positive(radius, "radius")
    return {
        checks.whole(kind, "a type of radius"): checks.positive(one, f"radius[{kind}]")
        for kind, one in radius.items()
    }


def given_radii(radius: float | dict[int, float], types: NDArray) -> NDArray[np.float64]:
    """Return the radii by the argument `radius`, for spheres of these types."""
    if not isinstance(radius, dict):
        return np.full(len(types), radius)
    strangers = np.flatnonzero(~np.isin(types, list(radius)))
    if len(strangers):
        row = strangers[0]
        known = ", ".join(map(str, radius))
        raise ValueError(f"row {row} has type {types[row]}, but radius= has only {known}")
    return np.array([radius[kind] for kind in types.tolist()], np.float64)


def read_names(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Check the argument `columns`: our names of columns, and the file's names of them."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise TypeError(f"columns is {columns!r}, but must be a dict such as {{'x': 'X (mm)'}}")
    called, further = split_names(columns)
    for name in further:
        raise ValueError(f"columns has {name!r}, but its keys must be of {', '.join(_OWN)}")
    return called


def split_names(columns: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the file's names of the columns of spheres, and of further columns, by our names."""
    for name, called in columns.items():
        if not isinstance(name, str):
            raise TypeError(f"columns has the key {name!r}, but its keys must be names")
        if not isinstance(called, str):
            raise TypeError(f"columns[{name!r}] is {called!r}, but must be a column's name")
    if columns.keys() >= _SIZES:
        raise ValueError("columns has a radius and a diameter: leave out one of them")
    own = {name: called for name, called in columns.items() if name in _OWN}
    return own, {name: called for name, called in columns.items() if name not in _OWN}


def renamed(names: Sequence[str], columns: Mapping[str, str]) -> list[str]:
    """Return the names with ours in place of the file's: {"x": "X (mm)"} turns "X (mm)" into "x".

    Another column with the name "x" gets an empty name, so that it is not read. If `columns` has a
    radius or a diameter, other columns with either of these names get empty names.
    """
    for called in columns.values():
        if called not in names:
            raise ValueError(f"there is no column {_quoted(called)}{_there_is(names)}")
    meant = set(columns) | (_SIZES if _SIZES & columns.keys() else set())
    here: dict[str, str] = {}
    for name, called in columns.items():
        if called in here:
            raise ValueError(f"columns has {_quoted(called)} twice: {here[called]} and {name}")
        here[called] = name
    return [here.get(name, "" if name in meant else name) for name in names]


def _there_is(names: Sequence[str]) -> str:
    """Return the end of a message about a missing column: which columns there are."""
    text = "".join(names)
    if not text:
        return ": the first line is empty, but must name the columns"
    if "\ufffd" in text or not text.isprintable():
        return ": the first line is not text, but must name the columns"
    if _are_numbers(names):
        return ": the first line holds numbers, but must name the columns"
    return f"; the columns are {', '.join(map(_quoted, names))}"


def _are_numbers(names: Sequence[str]) -> bool:
    try:
        numbers(names, str)
    except ValueError:
        return False
    return True


def _quoted(name: str) -> str:
    return name if name.isidentifier() else shown(name)


def read_table(
    rows: Iterable[tuple[int, Sequence[Word]]], columns: Columns, first_row: int = 0
) -> list[NDArray]:
    """Read the picked columns of rows, which are pairs of a line's number and its words.

    first_row: the number of the first row, for errors.
    """
    pick = itemgetter(*(one.number for one in columns.picks))
    blocks: list[list[NDArray]] = []
    words: list[Word] = []
    lines: list[int] = []
    for line, row in rows:
        if len(row) != columns.column_count:
            raise ValueError(
                f"line {line} has {len(row)} words, but there are {columns.column_count} columns"
            )
        words += pick(row)
        lines.append(line)
        if len(lines) == BLOCK:
            blocks.append(_read_words(words, lines, columns.picks, first_row))
            first_row += len(lines)
            words, lines = [], []
    blocks.append(_read_words(words, lines, columns.picks, first_row))
    return joined(blocks)


def joined(blocks: Sequence[Sequence[NDArray]]) -> list[NDArray]:
    """Join the columns of a table that was read in several blocks."""
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def _read_words(
    words: Sequence[Word], lines: Sequence[int], picks: Sequence[Pick], first_row: int
) -> list[NDArray]:
    width = len(picks)
    try:
        parts = [_KINDS[one.kind](words[k::width]) for k, one in enumerate(picks)]
    except ValueError:
        raise _first_offender(words, lines, picks) from None
    for one, part in zip(picks, parts, strict=True):
        if one.kind == "whole" and part.dtype.kind == "f":
            _check_whole(part, one.name, first_row)
    return [
        part.astype(np.intp, copy=False) if one.kind == "whole" else part
        for one, part in zip(picks, parts, strict=True)
    ]


def _first_offender(
    words: Sequence[Word], lines: Sequence[int], picks: Sequence[Pick]
) -> ValueError:
    width = len(picks)
    for i, word in enumerate(words):
        kind = picks[i % width].kind
        try:
            _KINDS[kind]([word])
        except ValueError:
            wanted = "number" if kind == "real" else "finite number"
            return ValueError(f"line {lines[i // width]}: {shown(word)} is not a {wanted}")
    raise AssertionError("each word can be read, but not all together")


def _finite(words: Sequence[Word]) -> NDArray[np.float64]:
    return numbers(words, str)


def _wholes(words: Sequence[Word]) -> NDArray:
    """Convert words to integers; if one is written as 7.0 or 1e3, all to real numbers.

    `_check_whole` checks these real numbers.
    """
    try:
        return np.array(wholes(words), np.intp)
    except ValueError:
        return numbers(words, str)


def read_texts(words: Sequence[Word]) -> NDArray[np.str_]:
    """Convert words to strings; words of bytes are decoded as UTF-8."""
    plain = (word.decode("utf-8", "replace") if isinstance(word, bytes) else word for word in words)
    return np.array(list(plain), np.str_)


# For each kind of column, the function that converts words to an array, or raises a ValueError.
_KINDS: dict[str, Callable[[Sequence[Word]], NDArray]] = {
    "finite": _finite,
    "real": reals,
    "whole": _wholes,
    "text": read_texts,
}


def _check_whole(values: NDArray, name: str, first_row: int) -> None:
    whole = (np.abs(values) <= _WHOLE_LIMIT) & (values == np.floor(values))
    if not whole.all():
        row = np.argmin(whole)
        raise ValueError(f"row {first_row + row}: {name} {values[row]} is not a whole number")


def from_table(table: Sequence[NDArray], columns: Columns) -> Spheres:
    """Make spheres of the columns that were read; an error names the first invalid row."""
    centers, radii = np.stack(table[:3], axis=1), table[3]
    if columns.radius is not None:
        radii = given_radii(columns.radius, radii)
    elif columns.picks[3].name == "diameter":
        radii = radii / 2.0
    check(centers, radii)
    return Spheres(centers, radii, table[4] if columns.has_ids else None)


def more_of(table: Sequence[NDArray], columns: Columns) -> dict[str, NDArray]:
    """Return the further columns that were read, by their names."""
    first = columns.first_of_more
    return {
        one.name: column for one, column in zip(columns.picks[first:], table[first:], strict=True)
    }


def check(centers: np.ndarray, radii: np.ndarray) -> None:
    """Raise if a coordinate is not finite, or if a radius is not positive and finite."""
    finite = np.isfinite(centers)
    if not finite.all():
        row, axis = np.argwhere(~finite)[0]
        raise ValueError(f"row {row}: {'xyz'[axis]} is {centers[row, axis]}")
    valid = np.isfinite(radii) & (radii > 0)
    if not valid.all():
        row = np.argmin(valid)
        raise ValueError(f"row {row}: the radius is {radii[row]}")


def check_arrays(centers: np.ndarray, radii: np.ndarray, ids: np.ndarray | None = None) -> None:
    """Check the types and shapes of arrays of spheres; their values need not be read yet."""
    try:
        checks.read(centers, "centers", checks.REAL, "real numbers")
        checks.read(radii, "radii", checks.REAL, "real numbers")
        if ids is not None:
            checks.read(ids, "ids", checks.WHOLE, "integers")
    except TypeError as error:
        raise ValueError(str(error)) from None
    _check_shapes(centers.shape, radii.shape, None if ids is None else ids.shape)


_Shape = tuple[int, ...]


def _check_shapes(centers: _Shape, radii: _Shape, ids: _Shape | None) -> None:
    if centers != (0,) and (len(centers) != 2 or centers[1] != 3):
        raise ValueError(f"centers has shape {centers}, but must be (n, 3)")
    if radii not in ((), centers[:1]):
        raise ValueError(f"radii has shape {radii}, but must be a number or {centers[:1]}")
    if ids not in (None, centers[:1]):
        raise ValueError(f"ids has shape {ids}, but must be {centers[:1]}")


def from_arrays(centers: np.ndarray, radii: np.ndarray, ids: np.ndarray | None = None) -> Spheres:
    """Make spheres of arrays with checked shapes; one radius may be given for all spheres."""
    centers = checks.points(centers, "centers")
    radii = checks.lengths(radii, "radii", len(centers), "center")
    ids = None if ids is None else checks.indices(ids, "ids")
    check(centers, radii)
    return Spheres(centers, radii, ids)


class Arrays(NamedTuple):
    """The file's names of the arrays of spheres, in a file of points with arrays; None: none."""

    size: str | None
    kind: str  # of the size: radius, diameter, or type where radii are given by type
    ids: str | None


def find_arrays(names: Sequence[str], given: Given) -> Arrays:
    """Find the arrays of spheres among the point data with these names."""
    for axis in "xyz":
        if axis in given.called:
            raise ValueError(f"columns has {axis!r}, but the points of this file have no names")
    ours = renamed(names, given.called)
    kinds: tuple[str, ...] = ("radius", "diameter")
    if given.radius is not None:
        kinds = ("type",) if isinstance(given.radius, dict) else ()
    kind = next((kind for kind in kinds if kind in ours), None)
    if kinds and kind is None:
        cure = ". Give radius=, a number or a dict by type" if given.radius is None else ""
        there = _there_is(names) if names else ": the points have no data"
        raise ValueError(f"there is no column {kinds[0]}{there}{cure}")
    ids = names[ours.index("id")] if "id" in ours else None
    return Arrays(names[ours.index(kind)] if kind else None, kind or "", ids)


def from_points(
    points: NDArray, found: Mapping[str, NDArray], arrays: Arrays, given: Given
) -> Spheres:
    """Make spheres of points and the arrays of `find_arrays`; check shapes, types and values."""
    ids = None if arrays.ids is None else _as_whole(found[arrays.ids], "id")
    sizes = np.ones(len(points)) if arrays.size is None else found[arrays.size]
    check_arrays(points, sizes, ids)
    if given.radius is not None:
        sizes = given_radii(given.radius, _as_whole(sizes, "type"))
    elif arrays.kind == "diameter":
        sizes = sizes / 2.0
    return from_arrays(points, sizes, ids)


def _as_whole(values: NDArray, name: str) -> NDArray:
    """Convert real numbers that are all whole, as some programs write ids, to integers."""
    if values.dtype.kind != "f" or values.ndim != 1:
        return values
    _check_whole(values, name, 0)
    return values.astype(np.intp)


def scaled(spheres: Spheres, factor: float) -> Spheres:
    """Convert spheres to another unit; raise if they are no longer finite and positive."""
    with np.errstate(over="ignore", under="ignore"):
        centers, radii = spheres.centers * factor, spheres.radii * factor
    try:
        check(centers, radii)
    except ValueError as error:
        raise ValueError(f"multiplied by {factor}, {error}") from None
    return spheres._replace(centers=centers, radii=radii)
