"""PVD files: ParaView's list of files with their times, for animations."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from . import writing
from .vtk_xml import quoted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_ORDER = "LittleEndian" if sys.byteorder == "little" else "BigEndian"
_HEAD = (
    '<?xml version="1.0"?>\n'
    f'<VTKFile type="Collection" version="1.0" byte_order="{_ORDER}">\n<Collection>\n'
)
_FOOT = "</Collection>\n</VTKFile>\n"

_ENTRY = re.compile(r'<DataSet timestep="([^"]*)".*/>\n')


class Entry(NamedTuple):
    """A file in a list, with its time."""

    path: Path
    time: float


def read(path: Path) -> list[Entry]:
    """Read the files of a list, in its order."""
    # Imported only when needed, since this takes long.
    from xml.etree import ElementTree

    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from None
    if root.get("type") != "Collection":
        raise ValueError("it is not a list of files: its type is not Collection")
    entries = [_entry(path.parent, item) for item in root.iter("DataSet")]
    _check_times(entries)
    return entries


def _entry(folder: Path, item: Element) -> Entry:
    for name in ("timestep", "file"):
        if not item.get(name):
            raise ValueError(f"a DataSet has no {name}")
    return Entry(folder / item.attrib["file"], float(item.attrib["timestep"]))


def _check_times(entries: list[Entry]) -> None:
    """Raise if a time occurs twice: frames in several files cannot be read."""
    times: set[float] = set()
    for entry in entries:
        if entry.time in times:
            raise ValueError(f"it has more than one file for the time {entry.time!r}")
        times.add(entry.time)


class Collection:
    """A list that is written file by file; on disk it is valid after each added file.

    Parameters
    ----------
    path : Path
        The path of the list, which is written when the first file is added.
    append : bool
        Whether to keep those entries of an existing list that are earlier than the first file.
    """

    def __init__(self, path: Path, append: bool):
        self._path, self._append = path, append
        self._last = ""
        self._end = 0  # the byte at which the next entry is written

    def add(self, time: float, file: Path) -> None:
        """Add a file with its time, unless the last entry has the same file and time."""
        name = Path(os.path.relpath(file, self._path.parent)).as_posix()
        entry = f'<DataSet timestep="{time!r}" part="0" file={quoted(name)}/>\n'
        if entry == self._last:
            return
        head = "" if self._last else _HEAD + "".join(self._kept(time))
        data = (head + entry + _FOOT).encode()
        if head:
            with writing.opened(self._path) as list_file:
                list_file.write(data)
        else:
            writing.replace_end(self._path, self._end, data)
        self._end += len(data) - len(_FOOT)
        self._last = entry

    def _kept(self, time: float) -> list[str]:
        if not self._append or not self._path.exists():
            return []
        found = _ENTRY.finditer(self._path.read_text(encoding="utf-8"))
        return [match.group() for match in found if float(match.group(1)) < time]
