"""Legacy VTK files of points with arrays, such as spheres of LIGGGHTS (`dump custom/vtk`, LPP).

The format, in text or binary, is described in "VTK File Formats" of the VTK documentation. Meshes
in such files are read by other packages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from .errors import CutOff
from .frame import Frame
from .spheres import NOTHING, Given, Spheres, find_arrays, from_points
from .text import integers, numbers, reals, shown

_MARK = b"# vtk datafile"
_DATASETS = ("POLYDATA", "UNSTRUCTURED_GRID")

# The types of numbers. VTK writes its own index type with 32 bits.
_TYPES = {
    "float": "f4",
    "double": "f8",
    "char": "i1",
    "signed_char": "i1",
    "unsigned_char": "u1",
    "short": "i2",
    "unsigned_short": "u2",
    "int": "i4",
    "unsigned_int": "u4",
    "long": "i8",
    "unsigned_long": "u8",
    "vtkidtype": "i4",
    "vtktypeint64": "i8",
    "vtktypeuint64": "u8",
}

# The sections of cells, which are skipped, and the numbers of components of attributes.
_CELLS = ("VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS", "CELLS")
_WIDTHS = {"VECTORS": 3, "NORMALS": 3, "TENSORS": 9, "TENSORS6": 6}


def read_spheres(path: Path, given: Given = NOTHING) -> Spheres:
    """Read spheres, which are points with an array radius or diameter, and perhaps id."""
    return Spheres(*read_frame(path, (), given)[:3])


def read_frame(path: Path, names: Sequence[str], given: Given = NOTHING) -> Frame:
    """Read spheres and the further arrays `names`."""
    file = _File(path.read_bytes())
    found = file.arrays
    arrays = find_arrays(list(found), given)
    for name in names:
        if name not in found:
            raise ValueError(f"there is no column {name}; the columns are {', '.join(found)}")
    spheres = from_points(file.points, found, arrays, given)
    columns = {name: found[name] for name in names}
    return Frame(*spheres[:3], time=file.time, columns=columns)


def read_column_names(path: Path) -> list[str]:
    """Read the names of the arrays."""
    return list(_File(path.read_bytes()).arrays)


class _File:
    """A file that is read from its beginning to its end.

    Attributes
    ----------
    points : (n, 3) ndarray of float64
    arrays : dict of str to ndarray
        The arrays with an entry for each point, (n,) or (n, components).
    time : float or None
        The field TIME.
    """

    def __init__(self, data: bytes):
        self._data, self._at, self._is_text = data, 0, True
        self.points = np.empty((0, 3))
        self.arrays: dict[str, NDArray] = {}
        self.time: float | None = None
        self._row_count = 0  # of the current section of data
        self._is_of_points = False
        self._read_head()
        while words := self._words():
            self._read_section(words[0].upper(), words)

    def _read_head(self) -> None:
        if not self._data.lower().startswith(_MARK):
            raise ValueError("it does not begin with '# vtk DataFile'")
        self._take_line()
        self._take_line()  # a title
        storage = self._words()
        if storage not in (["ASCII"], ["BINARY"]):
            raise self._wrong(storage, "ASCII or BINARY")
        dataset = self._words()
        if dataset[:1] != ["DATASET"] or dataset[1:] not in [[name] for name in _DATASETS]:
            raise self._wrong(dataset, " or ".join(f"DATASET {name}" for name in _DATASETS))
        self._is_text = storage == ["ASCII"]

    # ---- sections ----

    def _read_section(self, title: str, words: list[str]) -> None:
        if title == "POINTS":
            count = self._count(words, 1)
            self.points = self._numbers(words, 2, 3 * count).reshape(-1, 3).astype(np.float64)
            self._check_points()
        elif title in _CELLS:
            self._skip_cells(words)
        elif title == "CELL_TYPES":
            self._take_numbers("int", self._count(words, 1))
        elif title in ("POINT_DATA", "CELL_DATA"):
            self._begin_data(title == "POINT_DATA", words)
        elif title == "FIELD":
            self._read_fields(words)
        elif title == "METADATA":
            while self._take_line().strip():
                pass
        else:
            self._read_attribute(title, words)

    def _check_points(self) -> None:
        wrong = np.argwhere(~np.isfinite(self.points))
        if len(wrong):
            row, axis = wrong[0]
            raise ValueError(f"row {row}: {'xyz'[axis]} is {self.points[row, axis]}")

    def _begin_data(self, is_of_points: bool, words: list[str]) -> None:
        self._is_of_points, self._row_count = is_of_points, self._count(words, 1)
        if is_of_points and self._row_count != len(self.points):
            there = f"{self._row_count} entries, but there are {len(self.points)} points"
            raise self._wrong(words, f"the number of points: it has {there}")

    def _skip_cells(self, words: list[str]) -> None:
        if not self._next_is(b"OFFSETS"):
            self._take_numbers("int", self._count(words, 2))
            return
        # since version 5.1 of the format
        for title, count in (("OFFSETS", self._count(words, 1)), ("", self._count(words, 2))):
            words = self._words()
            if words[:1] != [title or "CONNECTIVITY"]:
                raise self._wrong(words, "OFFSETS and CONNECTIVITY")
            self._numbers(words, 1, count)

    def _read_fields(self, words: list[str]) -> None:
        for _ in range(self._count(words, 2)):
            words = self._words()
            if words[:1] == ["METADATA"]:
                while self._take_line().strip():
                    pass
                words = self._words()
            width, count = self._count(words, 1), self._count(words, 2)
            values = self._numbers(words, 3, width * count)
            if words[0] == "TIME" and len(values) == 1:
                self.time = float(values[0])
            if self._is_of_points and count == self._row_count:
                self._keep(words[0], values, width)

    def _read_attribute(self, title: str, words: list[str]) -> None:
        """Read an attribute of points or cells, such as ``SCALARS radius float``."""
        letters = "float" if self._is_text else "unsigned_char"  # the type of colors
        if title == "LOOKUP_TABLE":
            self._take_numbers(letters, 4 * self._count(words, 2))
            return
        if title == "COLOR_SCALARS":
            width = self._count(words, 2)
            values = self._take_numbers(letters, width * self._row_count)
        elif title == "SCALARS":
            width = self._count(words, 3) if len(words) > 3 else 1
            if self._next_is(b"LOOKUP_TABLE"):
                self._words()
            values = self._numbers(words, 2, width * self._row_count)
        elif title == "TEXTURE_COORDINATES":
            width = self._count(words, 2)
            values = self._numbers(words, 3, width * self._row_count)
        elif title in _WIDTHS:
            width = _WIDTHS[title]
            values = self._numbers(words, 2, width * self._row_count)
        else:
            raise self._wrong(words, "the title of a section")
        self._keep(words[1], values, width)

    def _keep(self, name: str, values: NDArray, width: int) -> None:
        if self._is_of_points and width:
            shaped = values if width == 1 else values.reshape(-1, width)
            self.arrays[unquote(name)] = shaped

    # ---- words and numbers ----

    def _take_line(self) -> bytes:
        end = self._data.find(b"\n", self._at)
        end = len(self._data) if end < 0 else end
        line = self._data[self._at : end]
        self._at = end + 1
        return line

    def _words(self) -> list[str]:
        """Return the words of the next line that is not empty; none at the end."""
        while self._at < len(self._data):
            if words := self._take_line().split():
                return [word.decode("utf-8", "replace") for word in words]
        return []

    def _next_is(self, word: bytes) -> bool:
        return self._data[self._at : self._at + 80].lstrip().startswith(word)

    def _count(self, words: list[str], place: int) -> int:
        word = words[place] if place < len(words) else ""
        if not (word.isascii() and word.isdigit()):
            raise self._wrong(words, "a count as its word " + str(place + 1))
        return int(word)

    def _numbers(self, words: list[str], place: int, count: int) -> NDArray:
        """Return the next numbers; the word at `place` is their type."""
        kind = words[place].lower() if place < len(words) else ""
        if kind not in _TYPES:
            raise self._wrong(words, f"a type of numbers as its word {place + 1}")
        return self._take_numbers(kind, count)

    def _take_numbers(self, kind: str, count: int) -> NDArray:
        dtype = np.dtype(_TYPES[kind]).newbyteorder(">")
        # each number in text has a letter and a blank at least
        size = 2 * count - 1 if self._is_text else dtype.itemsize * count
        if size > len(self._data) - self._at:
            raise CutOff(
                f"{self._where()}: {count} numbers should follow, but the file ends before"
            )
        if self._is_text:
            return self._text_numbers(dtype.kind, count)
        found = np.frombuffer(self._data, dtype, count, self._at).astype(dtype.newbyteorder("="))
        self._at += size
        return found

    def _text_numbers(self, kind: str, count: int) -> NDArray:
        words: list[bytes] = []
        counts = [0]  # the number of words up to the end of each line
        first = self._line()
        while len(words) < count and self._at < len(self._data):
            words += self._take_line().split()
            counts.append(len(words))
        if len(words) != count:
            found = f"line {first}: {count} numbers should follow, but there are {len(words)}"
            raise (CutOff if len(words) < count else ValueError)(found)

        def place(k: int) -> str:
            return f"line {first + bisect_right(counts, k) - 1}"

        if kind in "iu":
            return integers(words, place)
        try:
            return reals(words)
        except ValueError:
            return numbers(words, place)

    def _line(self) -> int:
        """Return the number of the next line in a text file."""
        return self._data.count(b"\n", 0, self._at) + 1

    def _where(self) -> str:
        return f"line {self._line() - 1}" if self._is_text else f"byte {self._at}"

    def _wrong(self, words: list[str], wanted: str) -> ValueError:
        found = shown(" ".join(words)) if words else "the end of the file"
        return ValueError(f"{self._where()}: {found} stands where there should be {wanted}")
