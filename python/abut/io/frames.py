"""Frames of a simulation, read one at a time; `abut.frames` writes them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.periods import is_array, read_period
from . import csv, data_file, dump, gsd, npy, npz, pvd, vtk_legacy, vtp, xyz
from .errors import errors_naming
from .frame import Frame
from .rows import Place
from .spheres import NOTHING, Given, Spheres, read_radius, scaled, split_names

if TYPE_CHECKING:
    from ..options import OnTruncated

_Pathlike = str | os.PathLike[str]

# The endings of files that hold one frame each, with their readers.
_READERS: dict[str, Callable[..., Frame]] = {
    ".npz": npz.read_frame,
    ".vtp": vtp.read_frame,
    ".csv": csv.read_frame,
    ".npy": npy.read_frame,
    ".vtk": vtk_legacy.read_frame,
    # data files of LAMMPS, which have no certain ending
    "data": data_file.read_frame,
}
_LIST = ".pvd"
# The kinds of files that the folder of a run may have beside its frames: the data file from which
# LAMMPS begins, and meshes of LIGGGHTS. Only where a folder has nothing else are they frames.
_BESIDE = ("data", ".vtk")
_DUMP, _DATA = "dump", "data"
# The kinds of files that allow other names of columns, and radii that are given.
_WITH_COLUMNS = (".vtp", ".csv", ".vtk", _DATA)
# The kinds of files with several frames, with the modules that read them.
_SERIES: dict[str, Any] = {_DUMP: dump, xyz.ENDINGS[0]: xyz, gsd.ENDING: gsd}
_NAMES: dict[str, Callable[[Path], list[str]]] = {
    ".npz": npz.read_column_names,
    ".vtp": vtp.read_column_names,
    ".csv": csv.read_column_names,
    ".npy": npy.read_column_names,
    ".vtk": vtk_legacy.read_column_names,
    _DATA: data_file.read_column_names,
    **{kind: module.read_column_names for kind, module in _SERIES.items()},
}

# The kinds of files with frames, for error messages.
_ENDINGS = [kind for kind in (*_READERS, *xyz.ENDINGS, gsd.ENDING, _LIST) if kind[0] == "."]
_KINDS = f"{', '.join(_ENDINGS)}; a dump begins with 'ITEM:', a data file has a line 'N atoms'"

# The ends of the names of files that `write_frames` and LIGGGHTS write next to a file of spheres.
# They are not frames.
_PARTS = ("-contacts", "-pairs", "-walls", "-bodies", "-bonds", "-cell", "_boundingBox")


class _File(NamedTuple):
    """A file with one frame, or a dump with several."""

    path: Path
    kind: str  # an ending, or "dump"; empty if unknown
    time: float | None = None  # the time in a pvd list


class _Index(NamedTuple):
    """Where each of the n frames is stored: arrays (n,)."""

    file: NDArray[np.int64]
    offset: NDArray[np.int64]
    line: NDArray[np.int64]
    number: NDArray[np.int64]  # the frame's number in its file


class _Options(NamedTuple):
    columns: tuple[str, ...]  # the file's names of further columns
    drop: bool
    given: Given = NOTHING
    names: tuple[str, ...] = ()  # the names of these columns in frames
    scale: float = 1.0


def read_frames(
    path: _Pathlike | Iterable[_Pathlike],
    columns: Sequence[str] | Mapping[str, str] | None = None,
    on_truncated: OnTruncated = "raise",
    *,
    scale: float = 1.0,
    radius: float | Mapping[int, float] | None = None,
) -> Frames:
    """Read the frames of a simulation one at a time.

    At first only the beginnings of files are read. Each frame is read when it is indexed, or when
    a loop reaches it, and only this frame is in memory.

    Parameters
    ----------
    path : str, path-like, or list of these
        One of

        - a dump of LAMMPS or LIGGGHTS with any number of frames, recognized by its first line
          ``ITEM:``. It may be compressed by gzip or zstd (zstd needs Python 3.14 or the package
          ``zstandard``). Its columns are described at `read_spheres`;
        - an extended XYZ file, ``.xyz`` or ``.extxyz``, with any number of frames. It may be
          compressed, too: ``.xyz.gz``. ``Lattice``, ``Origin`` and ``pbc`` describe the box;
        - a ``.gsd`` file of HOOMD-blue with any number of frames (extra ``gsd``). Its box is around
          0. The radius of a particle is half its ``diameter``, which is 1 unless the file has it;
        - a ``.pvd`` list of files and times that `write_frames` wrote;
        - a ``.npz``, ``.vtp``, ``.vtk``, ``.csv`` or ``.npy`` file, or a data file of LAMMPS, with
          one frame, written by `write_frames` or in a form that `read_spheres` reads. A data file
          does not have the boundaries of its run: its box counts as periodic along all edges, as
          in LAMMPS by default. ``frame._replace(period=None)`` is the frame without;
        - a list of such files, in the given order;
        - a folder: its files, without subfolders and files with names that begin with a dot;
        - a pattern with ``*``, ``?``, ``[...]`` or ``**``, as in Python's `glob`.

        The files of a folder or pattern are sorted by their names, with whole numbers in the names
        sorted by value: ``run.20`` before ``run.100``. They must all be of one kind. Skipped are
        the contacts, pairs, walls, bodies, bonds and cell of a frame (``100-walls.vtp`` next to
        ``100.vtp``) and LIGGGHTS' ``_boundingBox.vtk``, and files of a folder that hold no spheres.
    columns : sequence of str, or mapping of str to str, optional
        Names of further columns in the files, such as ``("vx", "type")``: columns of a dump, data
        or csv file, keys of an npz file, point data of a vtp or vtk file, entries of
        ``Properties`` in an xyz file, or quantities of particles in a gsd file. ``frames.columns``
        lists them. A dict has the file's names by names of your choice: ``{"speed": "v_speed"}``.
        Its keys x, y, z, radius, diameter and id are the columns of the spheres, as for
        `read_spheres`.
    on_truncated : {"raise", "drop"}
        What to do with a dump or xyz file that ends inside a frame, for example because it is still
        being written. By default this frame is included, and reading it is an error that names the
        frame and the file; ``"drop"`` leaves it out. A last row without a line feed counts as cut
        off.
    scale : float, default 1
        Factor for centers, radii, period and origin: 1e-3 converts millimeters to meters. Further
        columns stay as they are.
    radius : float or dict of int to float, optional
        The radius of all spheres, in the file's unit, or one for each number in the column
        ``type``, as for `read_spheres`: ``{1: 0.5e-3, 2: 1e-3}``.

    Returns
    -------
    Frames
        A sequence of `Frame`.

    Raises
    ------
    ValueError
        If there are no files, or all are of unknown kinds; if the files of a folder or a pattern
        are of several kinds, or their order is not clear. When a frame is read: if it is broken or
        cut off, lacks a column, or has a box without volume that repeats.
    OSError
        If a file does not exist or cannot be read.

    Notes
    -----
    Reading a broken frame is an error that names the frame; all other frames can still be read by
    their numbers. A frame may have too few or too many rows, or stop where a run was restarted: the
    next frame begins at the next ``ITEM: TIMESTEP`` (or ``TIME`` or ``UNITS``, which LAMMPS may
    write before it). After a damaged place in a compressed file nothing can be read, nor after a
    broken frame of an xyz file, in which nothing marks where a frame begins.

    Examples
    --------
    >>> import abut, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "run.dump")
    >>> head = "ITEM: TIMESTEP\\n{}\\nITEM: NUMBER OF ATOMS\\n1\\nITEM: BOX BOUNDS pp pp ff\\n"
    >>> head += "0 1\\n0 2\\n0 9\\nITEM: ATOMS id x y z radius vx\\n"
    >>> rows = "7 0.5 1 2 0.25 -1\\n", "7 0.25 1 2 0.25 -2\\n"
    >>> _ = path.write_text(head.format(0) + rows[0] + head.format(50) + rows[1])
    >>> frames = abut.read_frames(path, columns=["vx"])
    >>> len(frames)
    2
    >>> frames[-1].step, frames[-1].centers, frames[-1].period
    (50, array([[0.25, 1.  , 2.  ]]), (1.0, 2.0, None))
    >>> [frame.columns["vx"].tolist() for frame in frames]
    [[-1.0], [-2.0]]
    >>> frames.columns
    ('id', 'x', 'y', 'z', 'radius', 'vx')
    """
    words: dict[OnTruncated, bool] = {"raise": False, "drop": True}
    drop = checks.choice(on_truncated, "on_truncated", words)
    factor = checks.positive(scale, "scale")
    called, further = _read_columns(columns)
    given = Given(called, read_radius(radius))
    options = _Options(tuple(further.values()), drop, given, tuple(further), factor)
    files = tuple(_find_files(path, options.drop))
    for file in files:
        if given != NOTHING and file.kind not in ("", *_SERIES, *_WITH_COLUMNS):
            what = "a name in columns=" if called else "radius="
            raise ValueError(
                f"{file.path}: leave out {what}{_OF_SPHERES if called else ''}, which npz and npy"
                " files do not need"
            )
    return Frames._of(files, options)


_OF_SPHERES = " for x, y, z, radius, diameter or id"


def _read_columns(columns: Any) -> tuple[dict[str, str], dict[str, str]]:
    """Return the file's names of the columns of spheres, and of further columns, by our names."""
    if isinstance(columns, Mapping):
        return split_names(columns)
    return {}, {name: name for name in _names(columns)}


def _names(columns: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(columns, str):
        raise TypeError(f"columns is {columns!r}, but must be a sequence of names: ({columns!r},)")
    names = tuple(() if columns is None else columns)
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"columns[{k}] is {name!r}, but must be a name")
    return names


class Frames(Sequence[Frame]):
    """The frames of files, as `read_frames` returns them; each frame is read when it is used.

    An immutable sequence: ``len(frames)``, ``frames[k]`` with k from 0, or negative from the end,
    and ``frames[a:b]``, which is a `Frames` again. A loop ``for frame in frames`` reads one frame
    after the other, and each file once from its beginning to its end.

    The first use of a length, an index or a slice reads a whole dump once, to find where its frames
    begin. Loops do not need this, but ``list(frames)`` uses the length, and so reads the file
    twice. In a compressed dump, ``frames[k]`` unpacks all frames before k: loops over all frames or
    over slices are faster.

    Pickles hold the files' absolute paths and the places of the frames, but neither open files nor
    their contents.

    Attributes
    ----------
    columns : tuple of str
        All column names of the first file, including the centers, radii and ids.
        ``read_frames(columns=...)`` takes any of them. For an npz file these are the keys, for a
        vtp file the names of the point data; an npy file has none. Each use reads the file again.
    """

    _files: tuple[_File, ...]
    _options: _Options
    _index: _Index | None

    __slots__ = ("_files", "_index", "_options")

    def __init__(self) -> None:
        raise TypeError("use abut.read_frames to make Frames")

    @classmethod
    def _of(
        cls, files: tuple[_File, ...], options: _Options, index: _Index | None = None
    ) -> Frames:
        self = object.__new__(cls)
        self._files, self._options, self._index = files, options, index
        return self

    def __len__(self) -> int:
        return len(self._places().file)

    @overload
    def __getitem__(self, key: int) -> Frame: ...

    @overload
    def __getitem__(self, key: slice) -> Frames: ...

    def __getitem__(self, key: int | slice) -> Frame | Frames:
        places = self._places()
        if isinstance(key, slice):
            return self._part(key)
        number = checks.whole(key, "the number of a frame")
        count = len(places.file)
        if not -count <= number < count:
            raise IndexError(f"{checks.there_are(count, 'frame')}, but no frame {number}")
        number %= count
        return next(iter(self._part(slice(number, number + 1))))

    def __iter__(self) -> Iterator[Frame]:
        if self._index is None:
            for file in self._files:
                yield from _frames_of(file, self._options)
            return
        rows = zip(*(column.tolist() for column in self._index), strict=True)
        for number, places in groupby(rows, key=lambda row: row[0]):
            places_there = (place[1:] for place in places)
            yield from _frames_at(self._files[number], places_there, self._options)

    @property
    def columns(self) -> tuple[str, ...]:
        if not self._files:
            return ()
        first = self._files[0]
        if first.kind not in _NAMES:
            raise _unknown(first.path)
        with errors_naming(first.path):
            return tuple(_NAMES[first.kind](first.path))

    def __repr__(self) -> str:
        files = self._files
        where = files[0].path.name if len(files) == 1 else checks.counted(len(files), "file")
        if self._index is None:
            return f"Frames(of {where}, not yet counted)"
        return f"Frames({checks.counted(len(self), 'frame')} of {where})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Frames._of, (self._files, self._options, self._index)

    def _places(self) -> _Index:
        if self._index is None:
            self._index = _make_index(self._files, self._options.drop)
        return self._index

    def _part(self, key: slice) -> Frames:
        """Return the frames of a slice, with only the files that hold them."""
        index = _Index(*(column[key] for column in self._places()))
        numbers, file = np.unique(index.file, return_inverse=True)
        files = tuple(self._files[number] for number in numbers.tolist())
        # The columns are copied, since pickling a view would pickle its whole base array.
        columns = (np.ascontiguousarray(column).copy() for column in index[1:])
        return Frames._of(files, self._options, _Index(file.astype(np.int64), *columns))


# ---- frames of files -----------------------------------------------------------------------------


def _make_index(files: tuple[_File, ...], drop: bool) -> _Index:
    places = [_places_of(file, drop) for file in files]
    numbers = np.repeat(np.arange(len(files), dtype=np.int64), [len(part) for part in places])
    table = np.array([place for part in places for place in part], np.int64).reshape(-1, 3)
    return _Index(numbers, *(column.copy() for column in table.T))


def _places_of(file: _File, drop: bool) -> list[Place]:
    only = [Place(0, 0, 0)]
    if file.kind not in _SERIES:
        return only
    try:
        return list(_SERIES[file.kind].find_places(file.path, drop))
    except OSError:
        return only  # an unreadable file counts as one frame; reading the frame raises the error


def _frames_of(file: _File, options: _Options) -> Iterator[Frame]:
    """Read all frames of a file."""
    if file.kind in _SERIES:
        read = _SERIES[file.kind].read_frames
        frames = read(file.path, options.columns, options.drop, options.given)
        yield from (_finished(frame, file, options) for frame in frames)
    else:
        yield _read_one(file, options)


def _frames_at(
    file: _File, places: Iterable[tuple[int, int, int]], options: _Options
) -> Iterator[Frame]:
    """Read the frames of a file that begin at these places."""
    if file.kind in _SERIES:
        begins = (Place(*place) for place in places)
        read = _SERIES[file.kind].read_places
        frames = read(file.path, options.columns, begins, options.given)
        yield from (_finished(frame, file, options) for frame in frames)
    else:
        yield from (_read_one(file, options) for _ in places)


def _read_one(file: _File, options: _Options) -> Frame:
    if file.kind not in _READERS:
        raise _unknown(file.path)
    given = (options.given,) if file.kind in _WITH_COLUMNS else ()
    with errors_naming(file.path):
        frame = _READERS[file.kind](file.path, options.columns, *given)
    return _finished(frame, file, options)


def _finished(frame: Frame, file: _File, options: _Options) -> Frame:
    """Return a frame with the time of a pvd list, our names of columns, and the scale."""
    if file.time is not None:
        frame = frame._replace(time=file.time)
    if options.names != options.columns:
        columns = frame.columns or {}
        names = zip(options.names, options.columns, strict=True)
        frame = frame._replace(columns={name: columns[called] for name, called in names})
    if options.scale == 1.0:
        return frame
    with errors_naming(file.path):
        spheres = scaled(Spheres(frame.centers, frame.radii), options.scale)
    period = frame.period
    if period is not None:
        period = read_period(
            period * options.scale
            if is_array(period)
            else [None if length is None else length * options.scale for length in period]
        )
    origin = None if frame.origin is None else frame.origin * options.scale
    return frame._replace(
        centers=spheres.centers, radii=spheres.radii, period=period, origin=origin
    )


def _unknown(path: Path) -> ValueError:
    return ValueError(f"{path} has no known ending: files of frames end in {_KINDS}")


# ---- finding files -------------------------------------------------------------------------------


def _find_files(path: Any, drop: bool) -> list[_File]:
    """Return the files that hold the frames, in order."""
    if not isinstance(path, (str, os.PathLike)):
        return _all_known([file for one in _listed(path) for file in _expanded(one, drop)])
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"path is {path!r}, but must be a str, path-like, or a list of these")
    if glob.has_magic(name) and not os.path.lexists(name):
        found = [Path(one).absolute() for one in glob.glob(name, recursive=True)]
        return _of_one_kind(name, [one for one in found if not one.is_dir()], drop, False)
    file = Path(name).absolute()
    if file.is_dir():
        inside = [one for one in file.iterdir() if not one.is_dir() and one.name[0] != "."]
        return _of_one_kind(name, inside, drop, True)
    return _all_known(_expanded(file, drop))


def _listed(paths: Any) -> list[Path]:
    try:
        items = list(paths)
    except TypeError:
        raise TypeError(
            f"path is {checks.a_or_an(type(paths).__name__)}, but must be a str, path-like, or a"
            " list of these"
        ) from None
    for k, item in enumerate(items):
        if not isinstance(item, (str, os.PathLike)):
            raise TypeError(
                f"path[{k}] is {checks.a_or_an(type(item).__name__)}, but must be a str or"
                " path-like"
            )
    return [Path(item).absolute() for item in items]


def _expanded(path: Path, drop: bool) -> list[_File]:
    """Return the file, or the files of a pvd list."""
    kind = _kind_of(path)
    if kind == _LIST:
        with errors_naming(path):
            entries = pvd.read(path)
        return [_File(entry.path, _ending_of(entry.path), entry.time) for entry in entries]
    if not kind and drop and dump.may_become_dump(path):
        kind = _DUMP
    return [_File(path, kind)]


def _kind_of(path: Path) -> str:
    """Return the file's ending, "dump", or "" if unknown; raise OSError if it does not exist."""
    os.stat(path)
    if ending := _ending_of(path):
        return ending
    return _DUMP if dump.is_dump(path) else _DATA if data_file.is_data(path) else ""


def _ending_of(path: Path) -> str:
    ending = xyz.ENDINGS[0] if xyz.is_xyz(path) else path.suffix.lower()
    return ending if ending in _ENDINGS else ""


def _all_known(files: list[_File]) -> list[_File]:
    """Return the files; raise a ValueError if all of them are of unknown kinds."""
    if files and not any(file.kind for file in files):
        raise _unknown(files[0].path)
    return files


def _of_one_kind(name: str, paths: list[Path], drop: bool, is_folder: bool) -> list[_File]:
    """Return the files of a folder or pattern, in order; they must all be of one kind."""
    there = {str(path) for path in paths}
    paths = [path for path in paths if not _is_part(path, there)]
    kinds = {path: _kind_of(path) for path in paths}
    known = [path for path in paths if kinds[path]]
    if is_folder:
        known = [path for path in known if kinds[path] not in _BESIDE] or known
    if not known:
        raise ValueError(f"{name}: there are no files of frames: {_KINDS}")
    _check_kinds(name, known, kinds)
    if is_folder:
        alike = {_unnumbered(path) for path in known}
        paths = [path for path in paths if _unnumbered(path) in alike]
    return [file for path in _in_order(name, paths) for file in _expanded(path, drop)]


def _is_part(path: Path, there: set[str]) -> bool:
    """Return whether a file has the walls, contacts, etc. of a frame with a file in `there`."""
    part = next((part for part in _PARTS if path.stem.endswith(part)), "")
    whole = path.with_name(path.stem.removesuffix(part) + path.suffix)
    return bool(part) and str(whole) in there


def _check_kinds(name: str, known: list[Path], kinds: dict[Path, str]) -> None:
    firsts = {kinds[path]: path.name for path in sorted(known, reverse=True)}
    if len(firsts) > 1:
        shown = ", ".join(f"{kind} ({first})" for kind, first in sorted(firsts.items()))
        raise ValueError(
            f"{name}: there are files of several kinds, {shown}: give a pattern or a list that has"
            " one kind"
        )


def _unnumbered(path: Path) -> str:
    return re.sub(r"\d+", "0", path.name)


def _in_order(name: str, paths: list[Path]) -> list[Path]:
    """Sort files by the numbers in their names; raise if the order is not clear.

    It is clear if reading the numbers as whole or as decimal numbers gives the same order.
    """
    ordered = sorted(paths, key=lambda path: _pieces(_WHOLE, path))
    decimal = sorted(paths, key=lambda path: _pieces(_DECIMAL, path))
    for whole, other in zip(ordered, decimal, strict=True):
        if whole != other:
            raise ValueError(
                f"{name}: it is not clear whether {whole.name} or {other.name} comes first, since"
                " numbers in names may be whole or decimal: give a list of the files in their order"
            )
    return ordered


_WHOLE = re.compile(r"(\d+)")
_DECIMAL = re.compile(r"(\d+(?:\.\d+)?(?:[eE][-+]\d+)?)")


def _pieces(number: re.Pattern[str], path: Path) -> tuple[list[Any], str]:
    """Return the sorting key of a path: its text and numbers alternating, then the path."""
    pieces: list[Any] = number.split(str(path))
    pieces[1::2] = map(float if number is _DECIMAL else int, pieces[1::2])
    return pieces, str(path)
