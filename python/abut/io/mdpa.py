"""Kratos mdpa files: nodes, and the conditions and elements that are facets."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base.warnings import warn
from ..search.facets import Facets
from .digits import Coordinates
from .facets import offsets_of
from .text import Lines, shown, wholes

_PART = "SubModelPart"

_SHOWN_NAMES = 30  # the largest number of parts or kinds in a message
_SHOWN_LETTERS = 80  # the largest number of letters of a full name in a message

_ENTITIES = ("Conditions", "Elements", "Geometries")

# The names of conditions and elements that are facets. 3D3N or 3D4N means three or four nodes in
# space. Such conditions are always surfaces, but an element 3D4N may be a tetrahedron.
_FACET_NAMES = {
    "Conditions": re.compile(r".*3D[34]N"),
    "Elements": re.compile(r".*(Shell|Membrane|RigidFace).*3D[34]N"),
}

_Words = list[bytes]
_Handler = Callable[[int, _Words], None]


def read(path: Path, part: str | None = None) -> Facets:
    """Read the facets of an mdpa file or of a single SubModelPart.

    Parameters
    ----------
    path : Path
    part : str, optional
        The SubModelPart to read, with all parts nested in it: its name if this is unique, otherwise
        the names from the outermost part to this one, joined by dots.
    """
    model = _Model()
    with open(path, "rb") as file:
        model.read(Lines(file))
    model.warn_of_others(path)
    return model.facets(part)


class _Block(NamedTuple):
    """An open block: its kind, the line where it begins, and the function that reads its lines."""

    kind: str
    line: int
    handler: _Handler


class _Model:
    """The contents of an mdpa file, read line by line."""

    def __init__(self) -> None:
        self._open: list[_Block] = []
        self._nodes, self._facets, self._parts = _Nodes(), _Facets(), _Parts()
        self._others: Counter[str] = Counter()

    def read(self, lines: Lines) -> None:
        for line, text in lines:
            words = text.partition(b"//")[0].split()
            if not words:
                continue
            if words[0] == b"Begin":
                self._begin(line, [_text(word) for word in words[1:3]])
            elif words[0] == b"End":
                self._end(line, [_text(word) for word in words[1:2]])
            elif self._open:
                self._open[-1].handler(line, words)
            else:
                raise _error(line, f"{shown(words[0])} stands where 'Begin' should")
        if self._open:
            block = self._open[-1]
            raise _error(block.line, f"'Begin {_shortened(block.kind)}' has no end")

    def _begin(self, line: int, words: list[str]) -> None:
        kind, name = [*words, "", ""][:2]
        if kind == _PART:
            self._parts.begin(name)
        self._open.append(_Block(kind, line, self._handler(kind, name)))

    def _handler(self, kind: str, name: str) -> _Handler:
        """Return the function that reads the lines of a block of this kind."""
        if kind == "Nodes":
            return self._nodes.add
        if kind in _ENTITIES:
            names = _FACET_NAMES.get(kind)
            if names and names.fullmatch(name):
                return partial(self._facets.add, kind, int(name[-2]))
            return partial(self._count_other, name or kind)
        if kind.startswith(_PART) and kind.removeprefix(_PART) in _FACET_NAMES:
            return partial(self._parts.add, kind.removeprefix(_PART))
        return _pass_over

    def _end(self, line: int, words: list[str]) -> None:
        if not self._open or words != [self._open[-1].kind]:
            last = f", but 'Begin {_shortened(self._open[-1].kind)}' is open" if self._open else ""
            ended = _shortened(" ".join(words))
            raise _error(line, f"'End {ended}' ends no open block{last}")
        if self._open.pop().kind == _PART:
            self._parts.end()

    def _count_other(self, name: str, line: int, words: _Words) -> None:
        self._others[name] += 1

    def warn_of_others(self, path: Path) -> None:
        """Issue one warning for all conditions, elements and geometries that are not facets."""
        if self._others:
            shown_kinds = islice(self._others.items(), _SHOWN_NAMES)
            kinds = [f"{count} {_shortened(name)}" for name, count in shown_kinds]
            rest = len(self._others) - len(kinds)
            more = f" and {rest} other kinds" if rest else ""
            warn(f"{path}: skipped entities that are not facets: {', '.join(kinds)}{more}")

    def facets(self, part: str | None) -> Facets:
        vertices, units = self._nodes.finish()
        if not len(vertices):
            raise ValueError("it holds no mesh: it has no nodes")
        indices, counts = self._facets.finish(self._nodes)
        facets = Facets(vertices, indices, offsets_of(counts), units)
        if part is None:
            return facets
        listed = self._facets.listed(self._parts.members(part))
        if not listed.any():
            raise ValueError(f"SubModelPart {part!r} lists no facets")
        return facets._replace(
            indices=indices[np.repeat(listed, counts)],
            offsets=offsets_of(counts[listed]),
            source=np.flatnonzero(listed),
        )


class _Part(NamedTuple):
    """A SubModelPart with the ids of its conditions and elements."""

    name: str
    outer: int  # the number of the part that contains it, or -1
    members: dict[str, array[int]]


class _Parts:
    """The SubModelParts; each comes after the part that contains it."""

    def __init__(self) -> None:
        self._parts: list[_Part] = []
        self._numbers: dict[tuple[int, str], int] = {}
        self._current = -1

    def begin(self, name: str) -> None:
        # A second part with the same name in the same outer part continues the first one.
        number = self._numbers.setdefault((self._current, name), len(self._parts))
        if number == len(self._parts):
            members = {kind: array("q") for kind in _FACET_NAMES}
            self._parts.append(_Part(name, self._current, members))
        self._current = number

    def end(self) -> None:
        self._current = self._parts[self._current].outer

    def add(self, kind: str, line: int, words: _Words) -> None:
        if self._current < 0:
            raise _error(line, f"'{_PART}{kind}' stands in no {_PART}")
        self._parts[self._current].members[kind].extend(_integers(line, words))

    def members(self, name: str) -> dict[str, np.ndarray]:
        """Return the ids of the conditions and elements of a part and all parts nested in it."""
        inside = {self._find(name)}
        for i, part in enumerate(self._parts):
            if part.outer in inside:
                inside.add(i)
        lists = [self._parts[i].members for i in inside]
        return {
            kind: np.concatenate([np.array(members[kind], np.int64) for members in lists])
            for kind in _FACET_NAMES
        }

    def _find(self, name: str) -> int:
        """Return the part with this full name, or the only part with a full name that ends so."""
        names = name.split(".")
        whole = self._whole(names)
        found = [whole] if whole is not None else self._ending(names)
        if len(found) == 1:
            return found[0]
        fault = f"stands for several {_PART}s" if found else f"is no {_PART}"
        listed = (found or range(len(self._parts)))[:_SHOWN_NAMES]
        known = ", ".join(_shortened(self._full_name(i)) for i in listed)
        raise ValueError(f"{name!r} {fault}: {known or 'none'}")

    def _whole(self, names: Sequence[str]) -> int | None:
        """Return the part with exactly this full name, or None."""
        number: int | None = -1
        for name in names:
            number = self._numbers.get((number, name)) if number is not None else None
        return number

    def _ending(self, names: Sequence[str]) -> list[int]:
        """Return the parts with full names that end with these names."""
        return [i for i in range(len(self._parts)) if self._ends_with(i, names)]

    def _ends_with(self, i: int, names: Sequence[str]) -> bool:
        """Return whether the full name of a part ends with these names."""
        for name in reversed(names):
            if i < 0 or self._parts[i].name != name:
                return False
            i = self._parts[i].outer
        return True

    def _full_name(self, i: int) -> str:
        """Return the names from the outermost part to this one, joined by dots."""
        names = []
        while i >= 0:
            names.append(self._parts[i].name)
            i = self._parts[i].outer
        return ".".join(reversed(names))


class _Nodes:
    """The nodes. Their ids may have any order and gaps."""

    def __init__(self) -> None:
        self._coordinates = Coordinates()
        self._ids, self._lines = array("q"), array("q")

    def add(self, line: int, words: _Words) -> None:
        if len(words) != 4:
            raise _error(line, f"a node has {len(words)} words, not 4: id x y z")
        self._ids.extend(_integers(line, words[:1]))
        self._lines.append(line)
        self._coordinates.add(words[1:], line)

    def finish(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Return all nodes (v, 3), and their units, or None if the numbers are exact."""
        ids = np.array(self._ids, np.int64)
        self._order = np.argsort(ids, kind="stable")
        self._sorted = ids[self._order]
        again = np.flatnonzero(self._sorted[1:] == self._sorted[:-1]) + 1
        if len(again):
            first = self._order[again].min()
            raise _error(self._lines[first], f"node {ids[first]} is defined a second time")
        return self._coordinates.finish()

    def places(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index of the node with each id, and whether it exists."""
        if not len(self._sorted):
            return np.zeros(len(ids), np.intp), np.zeros(len(ids), bool)
        at = np.minimum(np.searchsorted(self._sorted, ids), len(self._sorted) - 1)
        return self._order[at], self._sorted[at] == ids


class _Facets:
    """The conditions and elements that are facets, in the order of the file."""

    def __init__(self) -> None:
        self._kinds: list[str] = []
        self._ids, self._lines = array("q"), array("q")
        self._nodes, self._counts = array("q"), array("q")

    def add(self, kind: str, corners: int, line: int, words: _Words) -> None:
        if len(words) != corners + 2:
            raise _error(
                line,
                f"a facet has {len(words)} words, not {corners + 2}: id, property and nodes",
            )
        number, _, *nodes = _integers(line, words)
        self._kinds.append(kind)
        self._ids.append(number)
        self._lines.append(line)
        self._nodes.extend(nodes)
        self._counts.append(corners)

    def finish(self, nodes: _Nodes) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners as indices of nodes, and each facet's number of corners."""
        counts = np.array(self._counts, np.intp)
        ids = np.array(self._nodes, np.int64)
        indices, found = nodes.places(ids)
        if not found.all():
            bad = int(np.argmin(found))
            line = self._lines[int(np.searchsorted(np.cumsum(counts), bad, side="right"))]
            raise _error(line, f"a facet names node {ids[bad]}, which does not exist")
        return indices, counts

    def listed(self, members: dict[str, np.ndarray]) -> np.ndarray:
        """Return for each facet whether it is in these lists of conditions and elements."""
        ids, kinds = np.array(self._ids, np.int64), np.array(self._kinds, "U")
        chosen = np.zeros(len(ids), bool)
        for kind, numbers in members.items():
            chosen |= (kinds == kind) & np.isin(ids, numbers)
        return chosen


def _pass_over(line: int, words: _Words) -> None:
    pass


def _text(word: bytes) -> str:
    return word.decode("utf-8", "replace")


def _shortened(name: str) -> str:
    """Return the end of a long name, which is more specific than its beginning."""
    return name if len(name) <= _SHOWN_LETTERS else f"...{name[-_SHOWN_LETTERS:]}"


def _error(line: int, text: str) -> ValueError:
    return ValueError(f"line {line}: {text}")


def _integers(line: int, words: _Words) -> array[int]:
    try:
        return wholes(words)
    except ValueError:
        text = " ".join(shown(word) for word in words[:6])
        raise _error(line, f"{text} must be whole numbers") from None
