"""Meshes that travel to other processes, and finders of them that stay there."""

from __future__ import annotations

import hashlib
import pickle
import sys
import threading
from functools import lru_cache
from typing import Any

from ..search.finder import ContactFinder
from ..search.mesh import Mesh

# Finders that a process keeps: each holds its meshes and their bins, some hundred bytes a facet.
KEPT_FINDERS = 2


class Parcel:
    """Meshes, packed when they are pickled and unpacked when a finder of them is first needed.

    Who has a finder of the same content already never unpacks them: building a mesh again takes
    longer than to receive its arrays. Equal content makes equal parcels.
    """

    def __init__(self, meshes: tuple[Mesh, ...]):
        self._meshes: tuple[Mesh, ...] | None = meshes
        self._packed: tuple[Any, ...] = ()
        hashes = "".join(mesh._content_hash for mesh in meshes)
        self.token = hashlib.blake2b(hashes.encode(), digest_size=16).hexdigest()
        self._size = sum(map(sys.getsizeof, meshes))

    def meshes(self) -> tuple[Mesh, ...]:
        """Unpacked; not by two threads at once."""
        if self._meshes is None:
            data, *buffers = self._packed
            self._meshes = pickle.loads(data, buffers=buffers)
            self._packed = ()
        return self._meshes

    def _pack(self) -> tuple[Any, ...]:
        """The pickled meshes, and then their arrays."""
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
        # of packed meshes, too: a worker that weighs them when they arrive will unpack them soon
        return object.__sizeof__(self) + self._size


def _unpickle(token: str, size: int, *packed: Any) -> Parcel:
    parcel = object.__new__(Parcel)
    parcel.token, parcel._size, parcel._meshes, parcel._packed = token, size, None, packed
    return parcel


# the second thread of a worker waits until the first one has unpacked the meshes
_UNPACKING = threading.Lock()


def finder_of(parcel: Parcel) -> ContactFinder:
    """The finder of these meshes that this process has, made where it has none."""
    with _UNPACKING:
        return _make_finder(parcel)


@lru_cache(maxsize=KEPT_FINDERS)
def _make_finder(parcel: Parcel) -> ContactFinder:
    return ContactFinder(parcel.meshes())
