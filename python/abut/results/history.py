"""What becomes of contacts from one step to the next: which goes on, and what it carries along."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.poses import lengths_of
from ..base.threads import worker_count

if TYPE_CHECKING:
    from .contact_table import ContactTable
    from .contacts import Contacts
    from .table import Table

# the ids of the spheres now, and in the step before
Ids = tuple[ArrayLike | None, ArrayLike | None]

# Ids that lie closer together than this, on average, are looked up in a table: that takes a tenth
# of what sorting them takes.
_TABLE_SLOTS = 4


def match(now: Contacts, before: Contacts, ids: Ids, workers: int | None) -> Indices:
    """What `Contacts.match` returns."""
    threads = worker_count(workers)
    check_same_search(now, before, "Contacts")
    _check_same_meshes(now, before)
    counts = len(now.offsets) - 1, len(before.offsets) - 1
    earlier = earlier_numbers(*counts, *ids)
    if now.period is not None:
        check_numbers(before.sphere, counts[1], "previous: sphere")
    return _core.match(_step(now), _step(before), earlier, threads)


def carry(
    tangent: ArrayLike | None,
    now: Contacts,
    before: Contacts,
    rows: ArrayLike | None,
    ids: Ids,
    workers: int | None,
) -> Doubles:
    """What `Contacts.carry` returns."""
    check_same_search(now, before, "Contacts")
    _check_same_meshes(now, before)
    vectors = read_tangent(tangent, before)
    if rows is None:
        rows = match(now, before, ids, workers)
    old = read_match(rows, now)
    return _core.carry(_step(now), _step(before), old, vectors, worker_count(workers))


def mesh_count(contacts: Contacts) -> int:
    """The number of meshes, as far as contacts that were read from a file know it."""
    if contacts.meshes is not None:
        return len(contacts.meshes)
    return int(contacts.mesh.max(initial=-1)) + 1 if contacts.poses is None else len(contacts.poses)


# ---- reading -------------------------------------------------------------------------------------


def check_same_search(now: ContactTable, before: ContactTable, kind: str) -> None:
    """Complain of tables that are of two kinds of searches; `kind`: what these are called."""
    if not isinstance(before, type(now)):
        raise TypeError(f"previous is no {kind}, but {type(before).__name__}")
    if now.point.shape[1] != before.point.shape[1]:
        raise ValueError(
            f"previous has {now._row}s in {before.point.shape[1]} dimensions,"
            f" but there are {now.point.shape[1]} now"
        )
    if now.period != before.period:
        raise ValueError(f"previous has the period {before.period}, but it is {now.period} now")


def _check_same_meshes(now: Contacts, before: Contacts) -> None:
    if now.meshes is not None and before.meshes is not None and now.meshes != before.meshes:
        raise ValueError("previous holds contacts with other meshes")
    count, previous_count = mesh_count(now), mesh_count(before)
    if max(count, previous_count) > min(_pose_count(now), _pose_count(before)):
        raise ValueError(
            f"previous holds contacts with {checks.counted(previous_count, 'mesh', 'meshes')},"
            f" but {checks.there_are(count, 'mesh', 'meshes')} now"
        )


def _pose_count(contacts: Contacts) -> int:
    return sys.maxsize if contacts.poses is None else len(contacts.poses)


def earlier_numbers(
    count: int,
    previous_count: int,
    ids: ArrayLike | None,
    previous_ids: ArrayLike | None,
    kind: str = "",
) -> Indices:
    """The number of each sphere in the step before, or -1."""
    if ids is None and previous_ids is None:
        if count != previous_count:
            raise ValueError(
                f"{checks.there_are(count, f'{kind}sphere')}, but previous has {previous_count}:"
                " give ids and previous_ids"
            )
        return np.arange(count)
    if ids is None or previous_ids is None:
        raise ValueError("ids and previous_ids go together: give both")
    wanted = _read_ids(ids, "ids", count)
    there = _read_ids(previous_ids, "previous_ids", previous_count)
    if previous_count == 0 or count == 0:
        return np.full(count, -1)
    low = min(int(wanted.min()), int(there.min()))
    span = max(int(wanted.max()), int(there.max())) - low + 1
    if span <= _TABLE_SLOTS * (count + previous_count):
        return _table(there - low, span)[wanted - low]
    order = np.argsort(there, kind="stable")
    place = np.searchsorted(there, wanted, sorter=order)
    found = order[np.minimum(place, previous_count - 1)]
    return np.where(there[found] == wanted, found, -1)


def _table(numbers: Indices, span: int) -> Indices:
    """Where each number below `span` stands among these, or -1: of equal ones the last."""
    table = np.full(span, -1)
    table[numbers] = np.arange(len(numbers))
    return table


def _read_ids(ids: ArrayLike, name: str, count: int) -> Indices:
    array = checks.indices(ids, name)
    if array.shape != (count,):
        raise ValueError(f"{name} has shape {array.shape}, but must be ({count},)")
    if not _are_distinct(array):
        order = np.argsort(array, kind="stable")
        first, second = order[np.flatnonzero(np.diff(array[order]) == 0)[0] + [0, 1]]
        raise ValueError(f"{name}[{first}] and {name}[{second}] are both {array[first]}")
    return array


def _are_distinct(numbers: Indices) -> bool:
    count = len(numbers)
    if count == 0:
        return True
    low = int(numbers.min())
    span = int(numbers.max()) - low + 1
    if span <= _TABLE_SLOTS * count:
        places = numbers - low
        return bool((_table(places, span)[places] == np.arange(count)).all())
    ordered = np.sort(numbers)
    return bool((ordered[1:] != ordered[:-1]).all())


def check_numbers(numbers: Indices, count: int, name: str) -> None:
    """Complain about a column that is to number `count` things and does not: tables can be made
    of any arrays."""
    outside = np.flatnonzero((numbers < 0) | (numbers >= count))
    if len(outside):
        row = outside[0]
        raise ValueError(f"{name}[{row}] is {numbers[row]}, but must be 0 to {count - 1}")


def read_tangent(tangent: ArrayLike | None, before: Table) -> Doubles:
    """A vector for each row of the step before."""
    vectors = checks.points(tangent, "tangent", before.point.shape[1:])
    if len(vectors) != len(before):
        raise ValueError(
            f"tangent has {checks.counted(len(vectors), 'row')},"
            f" but {checks.there_are(len(before), f'previous {before._row}')}"
        )
    return vectors


def read_match(rows: ArrayLike, now: Table) -> Indices:
    """A row of the step before for each row, which is not looked at yet."""
    array = checks.indices(rows, "match")
    if array.shape != (len(now),):
        raise ValueError(f"match has shape {array.shape}, but must be ({len(now)},)")
    return array


def _step(contacts: Contacts) -> _core._Step:
    """The columns of a step that the library reads; None stands for one whose entries are all 0."""
    columns, poses, period = vars(contacts), contacts.poses, contacts.period
    return (
        contacts.offsets, columns.get("mesh"), contacts.point, contacts.normal, contacts._tilt,
        columns.get("image"), contacts.node, contacts.node_offsets,
        None if poses is None else poses.reshape(-1, 16),
        None if period is None else lengths_of(period),
    )  # fmt: skip
