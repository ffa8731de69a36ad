"""Data files of LAMMPS (`read_data`, `write_data`): a header, and sections such as ``Atoms``.

Their format is described at `read_data` in the manual of LAMMPS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import dump
from .boxes import Box
from .errors import CutOff
from .frame import Frame
from .packed import Unpacked
from .spheres import (
    NOTHING,
    Columns,
    Given,
    Spheres,
    find_columns,
    from_table,
    more_of,
    read_table,
)
from .text import Lines, integers, numbers, shown, wholes

# The columns of each atom style; image flags may follow them.
_STYLES = {
    "atomic": "id type x y z",
    "sphere": "id type diameter density x y z",
    "granular": "id type diameter density x y z",
    "bpm/sphere": "id mol type diameter density x y z",
    "charge": "id type q x y z",
    "dipole": "id type q x y z mux muy muz",
    "bond": "id mol type x y z",
    "angle": "id mol type x y z",
    "molecular": "id mol type x y z",
    "full": "id mol type q x y z",
    "ellipsoid": "id type ellipsoidflag density x y z",
    "body": "id type bodyflag mass x y z",
    "line": "id mol type lineflag density x y z",
    "tri": "id mol type triflag density x y z",
    "peri": "id type volume density x y z",
}
_IMAGES = ["ix", "iy", "iz"]
_VELOCITIES = ["vx", "vy", "vz"]
# Spheres also have angular velocities there.
_SPINS = ["omegax", "omegay", "omegaz"]

_WHOLE_NAMES = {"ellipsoidflag", "bodyflag", "lineflag", "triflag"}

# The number of bytes in which the header of a data file is looked for.
_HEAD_BYTES = 1 << 12
_ATOM_COUNT = re.compile(rb"^[ \t]*(\d+)[ \t]+atoms\b", re.MULTILINE)
_OTHER_LINE = re.compile(rb"^[ \t]*(?:\d+[ \t]+atom[ \t]+types|Atoms)\b|\bxlo xhi\b", re.MULTILINE)
_STEP = re.compile(rb"timestep *= *(\d{1,18})\b")

_Row = tuple[int, list[bytes]]


def is_data(path: Path) -> bool:
    """Return whether a file begins with a header as data files have, and logs do not.

    It has a line such as ``600 atoms``, and another one of a data file.
    """
    head = b""
    with Unpacked(path) as file:
        try:
            while len(head) < _HEAD_BYTES and (more := file.read(_HEAD_BYTES)):
                head += more
        except ValueError:
            pass
    begin = head.find(b"\n") + 1  # the first line is a comment
    found = (one.search(head, begin, _HEAD_BYTES) for one in (_ATOM_COUNT, _OTHER_LINE))
    return all(one is not None for one in found)


def read_spheres(path: Path, given: Given = NOTHING) -> Spheres:
    """Read the section Atoms."""
    return Spheres(*read_frame(path, (), given)[:3])


def read_frame(path: Path, names: Sequence[str], given: Given = NOTHING) -> Frame:
    """Read the section Atoms, and its further columns and velocities."""
    parts = _read_parts(path)
    box = _box_of(parts.header)
    atoms = parts.sections["Atoms"]
    columns_of_atoms = _names_of(atoms)
    speeds = _speed_names(parts.sections.get("Velocities"))
    of_atoms = [name for name in names if name not in speeds or name in columns_of_atoms]
    columns = find_columns(columns_of_atoms, more=of_atoms, kind_of=_kind_of, given=given)
    table = read_table(_numbered(atoms.rows, parts.labels, columns), columns)
    spheres = from_table(table, columns)
    more = more_of(table, columns)
    if wanted := [name for name in names if name not in more]:
        more |= _read_speeds(parts.sections["Velocities"], wanted, table, columns)
    return Frame(
        *spheres[:3],
        step=parts.step,
        period=None if box is None else box.period(),
        origin=None if box is None else box.origin,
        columns={name: more[name] for name in names},
    )


def read_column_names(path: Path) -> list[str]:
    """Read the column names for atoms, and those for velocities."""
    parts = _read_parts(path)
    return [*_names_of(parts.sections["Atoms"]), *_speed_names(parts.sections.get("Velocities"))]


def _kind_of(name: str) -> str:
    return "whole" if name in _WHOLE_NAMES else dump.kind_of(name)


# ---- parts of a file -----------------------------------------------------------------------------


class _Section(NamedTuple):
    """A section: its title, the comment after the title, and its rows with their lines."""

    title: str
    comment: str
    line: int
    rows: list[_Row]


class _Parts(NamedTuple):
    """The parts of a file that are read."""

    step: int | None
    header: list[_Row]
    sections: dict[str, _Section]
    labels: dict[bytes, bytes]  # the numbers of types by their labels


def _read_parts(path: Path) -> _Parts:
    with Unpacked(path) as file:
        lines = iter(Lines(file))  # type: ignore[arg-type]
        first = next(lines, (0, b""))[1]  # always a comment
        header, sections = _split(lines)
    step = _STEP.search(first)
    atoms = sections.get("Atoms")
    if atoms is None:
        raise CutOff("it has no section Atoms: it was cut off, or is not a data file of LAMMPS")
    count = _atom_count(header)
    for section in (atoms, sections.get("Velocities")):
        if section is not None and len(section.rows) != count:
            kind = CutOff if len(section.rows) < count else ValueError
            raise kind(
                f"line {section.line}: {section.title} should have {count} rows, as the line"
                f" 'atoms' of the header says, but has {len(section.rows)}"
            )
    labels = sections.get("Atom Type Labels")
    known = {words[1]: words[0] for _, words in labels.rows if len(words) > 1} if labels else {}
    return _Parts(int(step[1]) if step else None, header, sections, known)


def _split(lines: Iterator[tuple[int, bytes]]) -> tuple[list[_Row], dict[str, _Section]]:
    """Split lines into the rows of the header and those of sections, without comments."""
    header: list[_Row] = []
    sections: dict[str, _Section] = {}
    rows, is_after_blank = header, True
    for number, line in lines:
        text, _, comment = line.partition(b"#")
        words = text.split()
        if words and words[0][:1].isalpha() and is_after_blank:
            title = b" ".join(words).decode("utf-8", "replace")
            rows = []
            if title in sections:
                raise ValueError(f"line {number}: there is another section {title}")
            shown_comment = comment.decode("utf-8", "replace").strip()
            sections[title] = _Section(title, shown_comment, number, rows)
        elif words:
            rows.append((number, words))
        is_after_blank = not line.strip()
    return header, sections


def _atom_count(header: Iterable[_Row]) -> int:
    for number, words in header:
        if words[1:] == [b"atoms"]:
            try:
                (count,) = wholes(words[:1])
            except ValueError:
                raise ValueError(f"line {number}: {shown(words[0])} is not a number") from None
            return count
    raise ValueError("its header has no line such as '600 atoms'")


# ---- the box -------------------------------------------------------------------------------------

_ENDS = [[f"{axis}lo".encode(), f"{axis}hi".encode()] for axis in "xyz"]
_TILTS = [b"xy", b"xz", b"yz"]
_VECTORS = [[b"avec"], [b"bvec"], [b"cvec"], [b"abc", b"origin"]]


def _box_of(header: Iterable[_Row]) -> Box | None:
    """Return the box of a header, which repeats along all of its edges; None if there is none."""
    found: dict[int, NDArray[np.float64]] = {}
    for number, words in header:
        for k, (count, title) in enumerate(_BOX_LINES):
            if words[count:] == title:
                found[k] = numbers(words[:count], lambda _, line=number: f"line {line}")  # type: ignore[misc]
    vectors = [found[k] for k in (4, 5, 6, 7) if k in found]
    if len(vectors) == 4:
        return Box(vectors[3], np.array(vectors[:3]), (True, True, True))
    ends = [found[k] for k in (0, 1, 2) if k in found]
    if len(ends) < 3:
        return None
    low, high = np.array(ends).T
    edges = np.diag(high - low)
    if (high <= low).any():
        axis = "xyz"[int(np.argmax(high <= low))]
        raise ValueError(f"its header has {axis}lo that is not below {axis}hi")
    edges[[1, 2, 2], [0, 0, 1]] = found.get(3, np.zeros(3))
    return Box(low, edges, (True, True, True))


_BOX_LINES = [*((2, ends) for ends in _ENDS), (3, _TILTS), *((3, one) for one in _VECTORS)]


# ---- rows ----------------------------------------------------------------------------------------


def _names_of(atoms: _Section) -> list[str]:
    """Return the names of the columns of atoms, by the style in the comment after the title."""
    width = len(atoms.rows[0][1]) if atoms.rows else None
    style = atoms.comment.split()[0] if atoms.comment else ""
    if not style and width in (5, 8):
        style = "atomic"  # no other style has so few columns
    if style not in _STYLES:
        found = f"the style {shown(style)}" if style else "no style"
        raise ValueError(
            f"line {atoms.line}: Atoms has {found} in its comment: write 'Atoms # sphere' there, or"
            f" another of {', '.join(_STYLES)}"
        )
    names = _STYLES[style].split()
    if width in (None, len(names)):
        return names
    if width == len(names) + len(_IMAGES):
        return names + _IMAGES
    raise ValueError(
        f"line {atoms.rows[0][0]} has {width} words, but atoms of the style {style} have"
        f" {len(names)}, or {len(names) + len(_IMAGES)} with image flags"
    )


def _numbered(rows: Iterable[_Row], labels: dict[bytes, bytes], columns: Columns) -> Iterable[_Row]:
    """Return rows with numbers in place of the labels of types."""
    places = {one.number for one in columns.picks if one.name == "type"}
    if not labels or not places:
        return rows
    return (
        (line, [labels.get(word, word) if k in places else word for k, word in enumerate(words)])
        for line, words in rows
    )


def _speed_names(velocities: _Section | None) -> list[str]:
    if velocities is None or not velocities.rows:
        return []
    more = len(velocities.rows[0][1]) - 1 - len(_VELOCITIES)
    return [*_VELOCITIES, *_SPINS] if more == len(_SPINS) else _VELOCITIES


def _read_speeds(
    velocities: _Section, names: Sequence[str], table: Sequence[NDArray], columns: Columns
) -> dict[str, NDArray[np.float64]]:
    """Read velocities in the order of the atoms: the rows may have another order."""
    there = ["id", *_speed_names(velocities)]
    for number, words in velocities.rows:
        if len(words) < len(there):
            raise ValueError(f"line {number} has {len(words)} words, but needs {len(there)}")
    lines = [line for line, _ in velocities.rows]
    ids = integers([words[0] for _, words in velocities.rows], lambda k: f"line {lines[k]}")
    order = np.argsort(ids, kind="stable")
    own = table[4]
    place = np.searchsorted(ids[order], own)
    place = order[np.minimum(place, len(ids) - 1)]
    missing = np.flatnonzero(ids[place] != own)
    if len(missing):
        raise ValueError(f"Velocities has no row of the atom {own[missing[0]]}")
    return {name: _reals_of(velocities, there.index(name))[place] for name in names}


def _reals_of(section: _Section, column: int) -> NDArray[np.float64]:
    lines = [line for line, _ in section.rows]
    words = [row[column] for _, row in section.rows]
    return numbers(words, lambda k: f"line {lines[k]}")
