"""Joining the results of chunks of spheres."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..base.periods import same_period
from .contacts import Contacts
from .convex_contacts import ConvexContacts
from .pairs import Pairs
from .table import Table

_AnyTable = TypeVar("_AnyTable", Contacts, Pairs, ConvexContacts)

# Settings that may differ between the tables of chunks, and are joined.
_JOINED = ("meshes", "body_count", "_bodies", "_radii", "_other_radii")


def concatenate(tables: Iterable[_AnyTable]) -> _AnyTable:
    """Join the contacts or pairs of chunks of spheres or convex bodies.

    Parameters
    ----------
    tables : iterable of Contacts, of Pairs, or of ConvexContacts
        At least one table. The spheres of each table follow those of the table before. Pairs were
        searched either with the same others in all chunks, or among the spheres of each chunk.
        Contacts between convex bodies are those within each chunk.

    Returns
    -------
    Contacts, Pairs or ConvexContacts
        One table of all spheres, which are numbered through all chunks. This changes the columns
        `sphere` and `i`, and `j` unless the search had others. The table has meshes if all chunks
        have them. Chunks of convex bodies cannot be a ``before``, since their finder is unknown.

    Raises
    ------
    ValueError
        If there are no tables. If contacts have different meshes, poses, periods or flat_angle, or
        pairs have different periods, dimensions or numbers of others. If only some tables of convex
        bodies have walls, spots or offsets.
    TypeError
        If an item is not such a table, or not of the same kind as the first one.

    Examples
    --------
    >>> import abut
    >>> finder = abut.ContactFinder(abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    >>> chunks = [finder.find([[0.2, 0.2, z]], 1.0) for z in (0.5, 2.0, 0.75)]
    >>> abut.concatenate(chunks).sphere
    array([0, 2])

    Two chunks of spheres with the same three others:

    >>> others = [[1.5, 0, 0], [0, 1.5, 0], [0, 0, 9]], 1.0
    >>> chunks = [abut.find_pairs([[0, 0, z]], 1.0, others=others) for z in (0, 8)]
    >>> pairs = abut.concatenate(chunks)
    >>> pairs.i, pairs.j
    (array([0, 0, 1]), array([0, 1, 2]))
    """
    chunks = list(tables)
    if not chunks:
        raise ValueError("there are no tables to concatenate: give at least one")
    kind = _kind(chunks)
    settings = _common(chunks)
    columns = _joined_columns(chunks)
    _number_on(columns, chunks)
    return kind._build(columns, settings)


def _kind(chunks: Sequence[object]) -> type[Any]:
    """Return the class of all tables; raise if there are several."""
    if not isinstance(chunks[0], (Contacts, Pairs, ConvexContacts)):
        what = type(chunks[0]).__name__
        raise TypeError(f"tables[0] is neither Contacts nor Pairs, but {what}")
    kind = type(chunks[0])
    for k, table in enumerate(chunks):
        if not isinstance(table, kind):
            raise TypeError(f"tables[{k}] is {type(table).__name__}, but must be {kind.__name__}")
    return kind


def _common(chunks: Sequence[Table]) -> dict[str, Any]:
    """Return the settings of the searches; raise if they differ."""
    settings = chunks[0]._search()
    if "meshes" in settings:
        settings["meshes"] = _common_meshes(chunks)
    if "body_count" in settings:
        settings |= _joined_bodies(chunks)
    for name in (name for name in settings if name not in _JOINED):
        first, *rest = (getattr(table, name) for table in chunks)
        is_same = same_period if name == "period" else np.array_equal
        if not all(is_same(first, one) for one in rest):
            raise ValueError(f"the {chunks[0]._row}s have different {name}")
    if "_radii" in settings:
        settings |= _joined_radii(chunks)
    first, *others = (table.point.shape[1] for table in chunks)
    if any(one != first for one in others):
        raise ValueError(f"the {chunks[0]._row}s are in different dimensions")
    return settings


def _joined_bodies(chunks: Sequence[Any]) -> dict[str, int]:
    """Return the number of all bodies, and the finder's digest (0 if there are several chunks)."""
    first = chunks[0]
    for name in ("j", "spot", "offsets"):
        if any(
            (getattr(table, name) is None) != (getattr(first, name) is None) for table in chunks
        ):
            raise ValueError(f"some of the tables have {name}, and others do not")
    known = first._bodies if len(chunks) == 1 else 0
    return {"body_count": sum(table.body_count for table in chunks), "_bodies": known}


def _joined_radii(chunks: Sequence[Any]) -> dict[str, Any]:
    """Return the radii of all spheres and of the others; None if a chunk does not have them."""
    own, others = ([getattr(t, name) for t in chunks] for name in ("_radii", "_other_radii"))
    if any(radii is None for radii in own):
        return {"_radii": None, "_other_radii": None}
    if any(not np.array_equal(radii, others[0]) for radii in others):
        raise ValueError("the pairs have others of different radii")
    return {"_radii": np.concatenate(own), "_other_radii": others[0]}


def _common_meshes(chunks: Sequence[Any]) -> Any:
    known = [table.meshes for table in chunks if table.meshes is not None]
    if any(meshes != known[0] for meshes in known):
        raise ValueError("the contacts have different meshes")
    return known[0] if len(known) == len(chunks) else None


def _joined_columns(chunks: Sequence[Table]) -> dict[str, NDArray[Any]]:
    """Join the columns and the offsets of all chunks.

    A column with equal entries is omitted if no chunk has its array yet. An optional column is
    joined only if all chunks have it.
    """
    first = chunks[0]
    made = set().union(*map(vars, chunks))
    optional = (*first._further_columns, *first._hidden_columns)
    further = [name for name in optional if all(name in vars(table) for table in chunks)]
    columns = {
        name: np.concatenate([getattr(table, name) for table in chunks])
        for name in (*first._row_columns, *first._list_columns, *further)
        if name in made
    }
    return columns | {
        name: _joined([getattr(table, name) for table in chunks])
        for name in first._made(first._offset_columns)
    }


def _joined(offsets: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    counts = [np.diff(one) for one in offsets]
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))])


def _number_on(columns: dict[str, NDArray[Any]], chunks: Sequence[Any]) -> None:
    """Add to each chunk's sphere numbers the number of spheres in the chunks before it."""
    firsts = np.cumsum([0, *(len(table.counts) for table in chunks[:-1])])
    shifts = np.repeat(firsts, [len(table) for table in chunks])
    for name in _numbered(chunks[0]):
        columns[name] += shifts


def _numbered(table: Contacts | Pairs | ConvexContacts) -> tuple[str, ...]:
    """Return the names of columns with numbers of spheres or bodies, which must be shifted."""
    if isinstance(table, Contacts):
        return ("sphere",)
    if isinstance(table, ConvexContacts):
        return ("i",) if table.j is None else ("i", "j")
    return ("i", "j") if table.other_count is None else ("i",)
