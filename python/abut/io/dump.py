"""Dumps of LAMMPS and LIGGGHTS: frames of "ITEM:" sections.

They are read plain or compressed by gzip, and written plain.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .spheres import Spheres, find_columns, from_table, read_table
from .text import Lines, numbers, shown, wholes

# wrapped, unwrapped, scaled by the box, both: whichever all three axes have
_AXES = (("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ("xsu", "ysu", "zsu"))
_SCALED = ("xs", "xsu")

_GZIP = b"\x1f\x8b"
_ITEM = b"ITEM:"

# Heads have about ten lines, and rows a few hundred columns. The bounds matter since gzip packs a
# gigabyte of nothing into a megabyte.
_HEAD_LINES = 64
_LINE_BYTES = 1 << 16

# frames of few spheres take less memory as one: so many are joined
_JOINED_FRAMES = 1 << 10


class _Frame(NamedTuple):
    """What a frame says before its rows."""

    number: int
    sphere_count: int
    names: list[str]
    box: list[list[bytes]] | None  # the lines of BOX BOUNDS


def is_dump(path: Path) -> bool:
    """Whether a file begins as a dump does."""
    try:
        with _open(path) as file:
            return file.read(len(_ITEM)) == _ITEM
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return False


def read_spheres(path: Path, frame: int | str) -> Spheres:
    """Read one frame of a dump, from 0 or negative from the end, or "all"."""
    try:
        if isinstance(frame, str):
            return _all_of(path)
        count = _count_frames(path) if frame < 0 else 0
        if count + frame < 0:
            raise ValueError(f"there are {count} frames, but no frame {frame}")
        return _one_of(path, count + frame)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is no sound gzip file: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _open(path: Path) -> BinaryIO:
    with open(path, "rb") as file:
        packed = file.read(len(_GZIP)) == _GZIP
    return gzip.open(path, "rb") if packed else open(path, "rb")  # type: ignore[return-value]


def _one_of(path: Path, number: int) -> Spheres:
    with _open(path) as file:
        dump = _Dump(file)
        while frame := dump.next_frame():
            if frame.number == number:
                return dump.spheres(frame)
            dump.skip(frame)
    raise ValueError(f"there are {dump.frame_count} frames, but no frame {number}")


def _count_frames(path: Path) -> int:
    with _open(path) as file:
        dump = _Dump(file)
        while frame := dump.next_frame():
            dump.skip(frame)
    return dump.frame_count


def _all_of(path: Path) -> Spheres:
    blocks: list[Spheres] = []
    frames: list[Spheres] = []
    with _open(path) as file:
        dump = _Dump(file)
        while frame := dump.next_frame():
            spheres = dump.spheres(frame)
            number = np.full(len(spheres.radii), frame.number, np.intp)
            frames.append(spheres._replace(frame=number))
            if len(frames) == _JOINED_FRAMES:
                blocks.append(_joined(frames))
                frames = []
    return _joined([*blocks, *frames])


def _joined(parts: list[Spheres]) -> Spheres:
    centers, radii, ids, frame = zip(*parts, strict=True)
    return Spheres(
        np.concatenate(centers),
        np.concatenate(radii),
        None if any(one is None for one in ids) else np.concatenate(ids),
        np.concatenate(frame),
    )


class _Dump:
    """A dump that is read from its beginning on, frame by frame."""

    def __init__(self, file: BinaryIO):
        self._lines = Lines(file, "line ", _LINE_BYTES)
        self.frame_count = 0

    def next_frame(self) -> _Frame | None:
        """The next frame's head; then its rows must be read or skipped."""
        sections: dict[str, list[list[bytes]]] = {}
        title = None
        for line, text in self._head_lines():
            if text.startswith(_ITEM):
                title = text[len(_ITEM) :].decode("utf-8", "replace").strip()
                if title.startswith("ATOMS"):
                    self.frame_count += 1
                    return _read_head(self.frame_count - 1, title.split()[1:], sections)
                sections[title] = []
            elif words := text.split():
                if title is None:
                    raise ValueError(
                        f"line {line}: {shown(text.strip())} stands where 'ITEM:' should"
                    )
                sections[title].append(words)
        if title is not None:
            raise ValueError(
                f"the file ends in the head of frame {self.frame_count}: it was cut off"
            )
        return None

    def _head_lines(self) -> Iterator[tuple[int, bytes]]:
        yield from islice(self._lines, _HEAD_LINES)
        for line, _ in self._lines:
            raise ValueError(
                f"line {line}: the head of frame {self.frame_count} goes on after"
                f" {_HEAD_LINES} lines"
            )

    def skip(self, frame: _Frame) -> None:
        self._check_count(frame, self._lines.skip(frame.sphere_count))

    def spheres(self, frame: _Frame) -> Spheres:
        """The spheres of the frame whose head was read last."""
        columns = find_columns(frame.names, _AXES)
        lines = islice(self._lines, frame.sphere_count)
        table = read_table(((line, text.split()) for line, text in lines), columns)
        self._check_count(frame, len(table))
        if frame.names[columns.axes[0]] in _SCALED:
            table[:, :3] = _unscaled(table[:, :3], frame)
        return from_table(table, columns)

    def _check_count(self, frame: _Frame, rows: int) -> None:
        if rows < frame.sphere_count:
            raise ValueError(
                f"frame {frame.number} says that it has {frame.sphere_count} spheres,"
                f" but the file ends after {rows}"
            )


def _read_head(number: int, names: list[str], sections: dict[str, list[list[bytes]]]) -> _Frame:
    try:
        (count,) = wholes(sections["NUMBER OF ATOMS"][0][:1])
        if count < 0:
            raise ValueError
    except (IndexError, KeyError, ValueError):
        raise ValueError(f"frame {number} has no sound 'ITEM: NUMBER OF ATOMS'") from None
    box = next((lines for title, lines in sections.items() if title.startswith("BOX BOUNDS")), None)
    return _Frame(number, count, names, box)


def _unscaled(scaled: np.ndarray, frame: _Frame) -> np.ndarray:
    """Coordinates from parts of the box."""
    try:
        box = np.array([numbers(words, str) for words in frame.box])  # type: ignore[union-attr]
        origin, edges = _BOXES[box.shape](box)
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"frame {frame.number} has no sound 'ITEM: BOX BOUNDS'") from None
    # not a matrix product, whose last bit differs from one machine to another
    x, y, z = (scaled[:, k : k + 1] * edges[k] for k in range(3))
    return origin + x + y + z


_Box = tuple[np.ndarray, np.ndarray]


def _straight_box(box: np.ndarray) -> _Box:
    """Origin and edges from lines "low high"."""
    return box[:, 0], np.diag(box[:, 1] - box[:, 0])


def _tilted_box(box: np.ndarray) -> _Box:
    """From lines "low high tilt": bounds around a box that is tilted by xy, xz and yz."""
    xy, xz, yz = box[:, 2]
    low = box[:, 0] - [min(0.0, xy, xz, xy + xz), min(0.0, yz), 0.0]
    high = box[:, 1] - [max(0.0, xy, xz, xy + xz), max(0.0, yz), 0.0]
    edges = np.diag(high - low)
    edges[1, 0], edges[2, 0], edges[2, 1] = xy, xz, yz
    return low, edges


def _general_box(box: np.ndarray) -> _Box:
    """From lines "x y z origin", one an edge."""
    return box[:, 3], box[:, :3]


_BOXES = {(3, 2): _straight_box, (3, 3): _tilted_box, (3, 4): _general_box}


# ---- writing -------------------------------------------------------------------------------------


def save_frame(
    path: Path,
    step: int,
    bounds: np.ndarray,
    is_periodic: Sequence[bool],
    columns: Mapping[str, NDArray],
) -> None:
    """Write a frame at the end of a file; numbers in as many digits as give them back.

    bounds: (2, 3), of the box. columns: (n,) each.
    """
    kinds = " ".join("pp" if one else "ff" for one in is_periodic)
    rows = zip(*(map(repr, column.tolist()) for column in columns.values()), strict=True)
    lines = [
        f"ITEM: TIMESTEP\n{step}",
        f"ITEM: NUMBER OF ATOMS\n{len(next(iter(columns.values())))}",
        f"ITEM: BOX BOUNDS {kinds}",
        *(f"{low!r} {high!r}" for low, high in bounds.T.tolist()),
        f"ITEM: ATOMS {' '.join(columns)}",
        *map(" ".join, rows),
    ]
    with open(path, "a", encoding="ascii", newline="\n") as file:
        file.write("\n".join(lines) + "\n")


def cut_off(path: Path, step: int) -> None:
    """Drop the frames of a plain dump from the first one of this step, or a later one, on."""
    at = 0
    with open(path, "rb+") as file:
        begin, is_step = 0, False
        for line in file:
            if is_step and _step_of(path, line) >= step:
                file.truncate(begin)
                return
            is_step = line.startswith(_TIMESTEP)
            begin = at if is_step else begin
            at += len(line)


_TIMESTEP = b"ITEM: TIMESTEP"


def _step_of(path: Path, line: bytes) -> int:
    try:
        return int(line)
    except ValueError:
        raise ValueError(f"{path}: {shown(line.strip())} is no number of a step") from None
