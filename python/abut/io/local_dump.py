"""Contacts in files of other codes: dumps of pairs, which LAMMPS' `dump local` writes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arithmetic import lengths
from ..base.periods import nearest_images, shifts_of
from ..results.pairs import Pairs
from .dump import Dump, Head, is_dump, label_of, step_of
from .errors import errors_naming
from .frame import Frame
from .packed import Unpacked
from .spheres import Columns, Pick

_Pathlike = str | os.PathLike[str]
_Names = str | Sequence[str]

_KEYS = ("i", "j", "force")


class _Wanted(NamedTuple):
    """The names of the columns to read."""

    i: str
    j: str
    force: tuple[str, ...]  # none, the normal force, or three components


def read_pairs(
    path: _Pathlike, frame: Frame, columns: Mapping[str, str | Sequence[str]] | None = None
) -> Pairs:
    """Read pairs of spheres that touch, with their forces, from a `dump local` of LAMMPS.

    So force chains and fabric of a run in LAMMPS or LIGGGHTS can be computed and drawn. In LAMMPS,
    these lines write the two ids, and then the normal and the tangential force of each contact::

        compute ids all property/local patom1 patom2 cutoff radius
        compute acts all pair/local fx fy fz p1 p2 p3 cutoff radius
        dump pairs all local 1000 pairs.dump c_ids[*] c_acts[*]

    Parameters
    ----------
    path : str or path-like
        A dump with the section ``ITEM: ENTRIES`` (or another label of ``dump_modify label``), plain
        or compressed by gzip or zstd. If it has several time steps, that of the frame is read.
    frame : Frame
        The spheres at the same time step, with ids: an item of `read_frames`.
    columns : mapping
        The file's names of columns: ``{"i": "c_ids[1]", "j": "c_ids[2]", "force": ("c_acts[1]",
        "c_acts[2]", "c_acts[3]")}``. Columns i and j have the ids of both spheres. The three
        columns of the force, in the file's unit, are its components on sphere i. One column alone,
        ``"force": "c_acts[1]"``, is the normal force, positive if it is repulsive. Without
        ``"force"`` the pairs have no forces.

    Returns
    -------
    Pairs
        As `find_pairs` makes it, with the column `force` (m, 3). Its `i` and `j` are rows of the
        frame, not ids, and i < j: where the file has them in the other order, the force changes its
        sign. `overlap`, `normal` and `point` follow from the frame, and `image` is the nearest one.
        All pairs of the file are kept, even with a negative overlap:
        ``pairs[pairs.overlap >= 0]`` selects those that touch. A pair that the file has twice, from
        both sides, with exactly opposite forces, is kept once.

    Raises
    ------
    ValueError
        If the file is no such dump, is broken or cut off, or has no entries of the frame's time
        step. If it lacks a column, or `columns` has wrong keys. If an id is not in the frame, or
        occurs there twice, or if the frame has no ids. If two rows have the same pair, as two
        spheres have that touch through several images: ids do not show which. The message names the
        file and the first wrong row or line.
    TypeError
        If `frame` is not a `Frame`, or names are not strings.
    OSError
        If the file does not exist or cannot be read.

    See Also
    --------
    find_pairs : Finds the pairs of a frame; a contact law then gives the forces.
    Pairs.plot : Draws force chains.

    Notes
    -----
    In LAMMPS, ``fx fy fz`` of a granular pair style is the normal force alone, with its damping,
    and ``p1 p2 p3`` the tangential force. Read both and add them: ``normal.force +
    tangential.force``. ``np.sum(pairs.force * pairs.normal, axis=1)`` is the normal force, and its
    mean is positive in compression. If it is negative, the file has the forces on j.

    Examples
    --------
    >>> import abut, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.dump")
    >>> rows = "ITEM: ENTRIES id1 id2 fx fy fz\\n7 4 -100 0 0\\n"
    >>> _ = path.write_text("ITEM: TIMESTEP\\n50\\nITEM: NUMBER OF ENTRIES\\n1\\n" + rows)
    >>> dump = path.with_name("spheres.dump")
    >>> rows = "ITEM: ATOMS id x y z radius\\n4 1.5 0 0 1\\n7 0 0 0 1\\n"
    >>> _ = dump.write_text("ITEM: TIMESTEP\\n50\\nITEM: NUMBER OF ATOMS\\n2\\n" + rows)
    >>> frame = abut.read_frames(dump)[0]
    >>> names = {"i": "id1", "j": "id2", "force": ("fx", "fy", "fz")}
    >>> pairs = abut.read_pairs(path, frame, columns=names)
    >>> pairs.i, pairs.j, pairs.overlap, pairs.force
    (array([0]), array([1]), array([0.5]), array([[100.,   0.,   0.]]))
    """
    if not isinstance(path, (str, os.PathLike)):
        what = checks.a_or_an(type(path).__name__)
        raise TypeError(f"path is {what}, but must be a str or path-like")
    if not isinstance(frame, Frame):
        what = checks.a_or_an(type(frame).__name__)
        raise TypeError(f"frame is {what}, but must be a Frame, such as abut.read_frames(path)[-1]")
    file, wanted = Path(path), _read_names(columns)
    with errors_naming(file):
        table = _read_table(file, frame.step, wanted)
        return _pairs_of(table, frame, len(wanted.force))


def _read_names(columns: Mapping[str, _Names] | None) -> _Wanted:
    """Check the argument `columns`."""
    example = '{"i": "c_1[1]", "j": "c_1[2]", "force": ("c_2[1]", "c_2[2]", "c_2[3]")}'
    if not isinstance(columns, Mapping):
        raise TypeError(f"columns is {columns!r}, but must be a dict such as {example}")
    for key in columns:
        if key not in _KEYS:
            raise ValueError(f"columns has {key!r}, but its keys must be of {', '.join(_KEYS)}")
    for key in ("i", "j"):
        if not isinstance(columns.get(key), str):
            given = repr(columns[key]) if key in columns else "missing"
            raise TypeError(f"columns[{key!r}] is {given}, but must be a column's name: {example}")
    force = columns.get("force", ())
    names = tuple(force) if isinstance(force, (list, tuple)) else (force,)
    if len(names) not in (0, 1, 3) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"columns['force'] is {force!r}, but must be three names of columns, of the components,"
            " or one, of the normal force"
        )
    return _Wanted(columns["i"], columns["j"], names)  # type: ignore[arg-type]


# ---- an open file --------------------------------------------------------------------------------


class _LocalDump(Dump):
    """An open dump of pairs; its heads are those of a dump of spheres, with another label."""

    noun = "entries"

    def begins_rows(self, title: str, sections: Mapping[str, Any]) -> bool:
        label = label_of(sections)
        if label == "ATOMS" or title.startswith(("ATOMS", "GRID CELLS")):
            shown = label if label == "ATOMS" else title
            raise ValueError(
                f"the rows below 'ITEM: {shown}' are not pairs: abut.read_frames reads dumps of"
                " spheres, and a 'dump local' in LAMMPS writes pairs"
            )
        return bool(label) and title.startswith(label)

    def placed(self, head: Head, columns: Columns, table: list[NDArray]) -> list[NDArray]:
        return table

    def table(self, head: Head, wanted: _Wanted) -> list[NDArray]:
        """Read the ids and the forces of a time step, after its head was read."""
        columns = _find(head.names, wanted)
        found = self._table(head, columns, self.text.take_rows(head.sphere_count))
        self.check_behind(head)
        return found


def _find(names: Sequence[str], wanted: _Wanted) -> Columns:
    picks: list[Pick] = []
    for name in (wanted.i, wanted.j, *wanted.force):
        if names.count(name) != 1:
            there = f"there are {names.count(name)} columns" if name in names else "there is no"
            word = "" if name in names else " column"
            raise ValueError(f"{there}{word} {name}; the columns are {', '.join(names)}")
        kind = "finite" if len(picks) > 1 else "whole"
        picks.append(Pick(name, names.index(name), kind))
    return Columns(tuple(picks), False, len(names), ())


def _read_table(path: Path, step: int | None, wanted: _Wanted) -> list[NDArray]:
    """Read the entries of a time step; of the only one if `step` is None."""
    if not is_dump(path):
        raise ValueError("it does not begin with 'ITEM:', as a 'dump local' of LAMMPS does")
    steps: list[int | None] = []
    found: list[NDArray] = []
    with Unpacked(path) as file:
        opened = _LocalDump(file)
        while head := opened.next_head():
            steps.append(step_of(head))
            if steps[-1] == step or (step is None and not found):
                found = opened.table(head, wanted)
                if step is not None:
                    return found
            else:
                opened.skip(head)
    if step is None and len(steps) == 1:
        return found
    raise ValueError(_lacks(step, steps))


def _lacks(step: int | None, steps: Sequence[int | None]) -> str:
    shown = ", ".join(map(str, steps[:5])) + (", ..." if len(steps) > 5 else "")
    there = f"it has {checks.counted(len(steps), 'time step')}: {shown}"
    if step is None:
        return f"the frame has no step, and {there}: give frame._replace(step=...)"
    return f"it has no entries of step {step}, which is that of the frame; {there}"


# ---- pairs ---------------------------------------------------------------------------------------


def _pairs_of(table: Sequence[NDArray], frame: Frame, width: int) -> Pairs:
    """Make pairs of ids and forces; width: the number of columns of the force."""
    first, second = _rows_of(table[:2], frame)
    forces = np.stack(table[2:], axis=1) if width else np.zeros((len(first), 0))
    is_turned = first > second
    i, j = np.minimum(first, second), np.maximum(first, second)
    if width == 3:
        # The sum turns -0 into 0.
        forces = np.where(is_turned[:, None], -forces, forces) + 0.0
    order = np.lexsort((j, i))
    order = order[_are_first(i[order], j[order], forces[order], order, table)]
    i, j, forces = i[order], j[order], forces[order]
    columns = _geometry(i, j, frame)
    if width:
        columns["force"] = forces if width == 3 else forces * columns["normal"]
    columns["offsets"] = np.searchsorted(i, np.arange(len(frame.radii) + 1))
    settings = {"period": frame.period, "other_count": None, "_radii": frame.radii.copy()}
    return Pairs._build(columns, settings)


def _rows_of(ids: Sequence[NDArray[np.intp]], frame: Frame) -> list[NDArray[np.intp]]:
    """Return the rows of the frame that have these ids; raise if one is missing."""
    if frame.ids is None:
        raise ValueError("the frame has no ids: read a file with a column id")
    order = np.argsort(frame.ids, kind="stable")
    known = frame.ids[order]
    twice = np.flatnonzero(known[1:] == known[:-1])
    if len(twice):
        raise ValueError(f"the frame has two spheres with the id {known[twice[0]]}")
    found = []
    for one in ids:
        place = np.minimum(np.searchsorted(known, one), max(len(known) - 1, 0))
        missing = np.flatnonzero(known[place] != one) if len(known) else np.arange(len(one))
        if len(missing):
            raise ValueError(
                f"row {missing[0]} has a sphere with the id {one[missing[0]]}, which is not in the"
                " frame: is it of the same time step?"
            )
        found.append(order[place] if len(known) else one)
    same = np.flatnonzero(found[0] == found[1])
    if len(same):
        raise ValueError(
            f"row {same[0]} is a pair of sphere {ids[0][same[0]]} with itself, through an image"
            " that ids do not show: leave it out"
        )
    return found


def _are_first(
    i: NDArray, j: NDArray, forces: NDArray, rows: NDArray, table: Sequence[NDArray]
) -> NDArray[np.bool_]:
    """Return which of the sorted pairs are to be kept: of equal ones, the first.

    Raises a ValueError if a pair occurs again with another force. rows: their rows in the file.
    """
    is_again = np.zeros(len(i), bool)
    is_again[1:] = (i[1:] == i[:-1]) & (j[1:] == j[:-1])
    is_other = np.zeros(len(i), bool)
    is_other[1:] = is_again[1:] & (forces[1:] != forces[:-1]).any(axis=1)
    wrong = np.flatnonzero(is_other)
    if len(wrong):
        row, before = rows[wrong[0]], rows[wrong[0] - 1]
        raise ValueError(
            f"rows {min(row, before)} and {max(row, before)} are both the pair of spheres"
            f" {table[0][row]} and {table[1][row]}, with different forces: if they touch through"
            " several images of a period, ids do not show which"
        )
    return ~is_again


def _geometry(i: NDArray[np.intp], j: NDArray[np.intp], frame: Frame) -> dict[str, NDArray[Any]]:
    """Return the columns of pairs that follow from the spheres of a frame."""
    between = frame.centers[i] - frame.centers[j]
    image = nearest_images(between, frame.period)
    between = between - shifts_of(image, frame.period)
    distance = lengths(between)
    # spheres with the same center have the normal +x
    normal = np.tile([1.0, 0.0, 0.0], (len(i), 1))
    apart = distance > 0.0
    normal[apart] = between[apart] / distance[apart, None]
    overlap = frame.radii[i] + frame.radii[j] - distance
    point = frame.centers[i] - (frame.radii[i] - 0.5 * overlap)[:, None] * normal
    columns = {"i": i, "j": j, "normal": normal, "overlap": overlap, "point": point}
    return columns if frame.period is None else columns | {"image": image}
