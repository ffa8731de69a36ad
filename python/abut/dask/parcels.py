"""Meshes that are sent to other processes, and the finders that each process keeps for them."""

from __future__ import annotations

import hashlib
import pickle
import sys
import threading
from functools import lru_cache
from typing import Any

from ..search.finder import ContactFinder
from ..search.mesh import Mesh

# The number of finders that a process keeps. A finder has meshes and bins, which take a few hundred
# bytes per facet.
KEPT_FINDERS = 2


class Parcel:
    """Meshes that stay pickled in another process until a finder for them is first needed.

    If that process has a finder for equal meshes, they are never unpickled: building a mesh takes
    longer than receiving its arrays. Parcels with equal meshes are equal.
    """

    def __init__(self, meshes: tuple[Mesh, ...]):
        self._meshes: tuple[Mesh, ...] | None = meshes
        self._packed: tuple[Any, ...] = ()
        hashes = "".join(mesh._content_hash for mesh in meshes)
        self.token = hashlib.blake2b(hashes.encode(), digest_size=16).hexdigest()
        self._size = sum(map(sys.getsizeof, meshes))

    def meshes(self) -> tuple[Mesh, ...]:
        """Return the meshes, after unpickling them. Two threads must not call this at once."""
        if self._meshes is None:
            data, *buffers = self._packed
            self._meshes = pickle.loads(data, buffers=buffers)
            self._packed = ()
        return self._meshes

    def _pack(self) -> tuple[Any, ...]:
        """Return the pickled meshes, followed by their arrays."""
        packed, meshes = self._packed, self._meshes
        if meshes is None:
            return packed
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(meshes, protocol=5, buffer_callback=buffers.append)
        return data, *buffers

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        data, *arrays = self._pack()
        form = pickle.PickleBuffer if protocol >= 5 else bytes
        return _unpickle, (self.token, self._size, data, *map(form, arrays))

    def __hash__(self) -> int:
        return hash(self.token)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parcel) and other.token == self.token

    def __dask_tokenize__(self) -> tuple[str, str]:
        return "abut.Parcel", self.token

    def __sizeof__(self) -> int:
        # The size includes the meshes even if they are still pickled: a worker measures them when
        # they arrive, and soon unpickles them.
        return object.__sizeof__(self) + self._size


def _unpickle(token: str, size: int, *packed: Any) -> Parcel:
    parcel = object.__new__(Parcel)
    parcel.token, parcel._size, parcel._meshes, parcel._packed = token, size, None, packed
    return parcel


# If several threads of a worker need the same meshes, only one thread unpickles them.
_UNPACKING = threading.Lock()


def finder_of(parcel: Parcel) -> ContactFinder:
    """Return this process's finder for these meshes; make one if there is none."""
    with _UNPACKING:
        return _make_finder(parcel)


@lru_cache(maxsize=KEPT_FINDERS)
def _make_finder(parcel: Parcel) -> ContactFinder:
    return ContactFinder(parcel.meshes())
