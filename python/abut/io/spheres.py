"""Spheres as files hold them: which columns they are, and what makes them sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import checks
from .text import BLOCK, Word, numbers, shown

# whole numbers that float64 holds exactly, as which the columns are read
_WHOLE_LIMIT = 2.0**53


class Spheres(NamedTuple):
    """Spheres of a file, as `read_spheres` returns them.

    Attributes
    ----------
    centers : (n, 3) ndarray of float64
    radii : (n,) ndarray of float64
    ids : (n,) ndarray of intp, or None
        The numbers that the file gives the spheres (column ``id``, key ``ids``); None where it
        gives none.
    frame : (n,) ndarray of intp, or None
        Which frame each sphere is of, from 0; None unless all frames were asked for.
    """

    centers: np.ndarray
    radii: np.ndarray
    ids: np.ndarray | None = None
    frame: np.ndarray | None = None


class Columns(NamedTuple):
    """Which columns of a table hold the spheres."""

    axes: tuple[int, ...]
    size: int
    size_name: str  # radius or diameter
    id: int | None
    column_count: int

    def wanted(self) -> list[int]:
        """The columns' numbers: centers, radius or diameter, id."""
        return [*self.axes, self.size, *([] if self.id is None else [self.id])]


def find_columns(
    names: Sequence[str], axes: Sequence[Sequence[str]] = (("x", "y", "z"),)
) -> Columns:
    """The columns of spheres among columns of these names; `axes` are the coordinates' names."""
    found = next((wanted for wanted in axes if set(wanted) <= set(names)), None)
    size = next((name for name in ("radius", "diameter") if name in names), None)
    missing = [*(axes[0] if found is None else ()), *(() if size else ("radius",))]
    missing = [name for name in missing if name not in names]
    if found is None or size is None:
        raise ValueError(f"there is no column {' or '.join(missing)}{_there_is(names)}")
    for name in (*found, size, "id"):
        if names.count(name) > 1:
            raise ValueError(f"there are {names.count(name)} columns {name}")
    number = names.index("id") if "id" in names else None
    return Columns(tuple(map(names.index, found)), names.index(size), size, number, len(names))


def _there_is(names: Sequence[str]) -> str:
    """What a header has instead of a missing column, as the end of a message."""
    text = "".join(names)
    if not text:
        return ": the first line is empty, but must name the columns"
    if "\ufffd" in text or not text.isprintable():
        return ": the first line is no text, but must name the columns"
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


def read_table(rows: Iterator[tuple[int, Sequence[Word]]], columns: Columns) -> np.ndarray:
    """The wanted columns (n, 4 or 5) of rows of words, each with its line's number."""
    wanted = columns.wanted()
    pick = itemgetter(*wanted)
    blocks: list[np.ndarray] = []
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
            blocks.append(_read_block(words, lines, len(wanted)))
            words, lines = [], []
    blocks.append(_read_block(words, lines, len(wanted)))
    return np.concatenate(blocks)


def _read_block(words: Sequence[Word], lines: Sequence[int], width: int) -> np.ndarray:
    return numbers(words, lambda i: f"line {lines[i // width]}").reshape(-1, width)


def from_table(table: np.ndarray, columns: Columns) -> Spheres:
    """Spheres of a table that holds the wanted columns; an error names the first unsound row."""
    centers, radii = np.ascontiguousarray(table[:, :3]), table[:, 3].copy()
    if columns.size_name == "diameter":
        radii /= 2.0
    check(centers, radii)
    return Spheres(centers, radii, None if columns.id is None else _whole(table[:, 4]))


def _whole(values: np.ndarray) -> np.ndarray:
    whole = (np.abs(values) <= _WHOLE_LIMIT) & (values == np.floor(values))
    if not whole.all():
        row = np.argmin(whole)
        raise ValueError(f"row {row}: id {values[row]} is no whole number")
    return values.astype(np.intp)


def check(centers: np.ndarray, radii: np.ndarray) -> None:
    """Coordinates must be finite, radii finite and positive."""
    finite = np.isfinite(centers)
    if not finite.all():
        row, axis = np.argwhere(~finite)[0]
        raise ValueError(f"row {row}: {'xyz'[axis]} is {centers[row, axis]}")
    sound = np.isfinite(radii) & (radii > 0)
    if not sound.all():
        row = np.argmin(sound)
        raise ValueError(f"row {row}: the radius is {radii[row]}")


def check_arrays(
    path: Path, centers: np.ndarray, radii: np.ndarray, ids: np.ndarray | None = None
) -> None:
    """Types and shapes of arrays of spheres; what they hold is not looked at, nor need be there."""
    try:
        checks.read(centers, "centers", checks.REAL, "real numbers")
        checks.read(radii, "radii", checks.REAL, "real numbers")
        if ids is not None:
            checks.read(ids, "ids", checks.WHOLE, "integers")
        _check_shapes(centers.shape, radii.shape, None if ids is None else ids.shape)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


_Shape = tuple[int, ...]


def _check_shapes(centers: _Shape, radii: _Shape, ids: _Shape | None) -> None:
    if centers != (0,) and (len(centers) != 2 or centers[1] != 3):
        raise ValueError(f"centers has shape {centers}, but must be (n, 3)")
    if radii not in ((), centers[:1]):
        raise ValueError(f"radii has shape {radii}, but must be a number or {centers[:1]}")
    if ids not in (None, centers[:1]):
        raise ValueError(f"ids has shape {ids}, but must be {centers[:1]}")


def from_arrays(
    path: Path, centers: np.ndarray, radii: np.ndarray, ids: np.ndarray | None = None
) -> Spheres:
    """Spheres of arrays that were checked; one radius is that of all."""
    try:
        centers = checks.points(centers, "centers")
        radii = checks.lengths(radii, "radii", len(centers), "center")
        ids = None if ids is None else checks.indices(ids, "ids")
        check(centers, radii)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return Spheres(centers, radii, ids)
