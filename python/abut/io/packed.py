"""Files that may be compressed by gzip or zstd, read from the beginning.

Their first bytes, not their names, show whether they are compressed.
"""

from __future__ import annotations

import importlib
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..base.extras import import_extra
from .errors import CutOff

# The smallest and the largest piece of a compressed file that is unpacked at once, in bytes. gzip
# may unpack a piece to a thousand times its size, zstd to thirty thousand times. So each piece is
# at most twice the last one, and no larger than what would unpack to about _UNPACKED bytes.
_LEAST, _MOST = 1 << 6, 1 << 12
_UNPACKED = 1 << 16


class _Packing(NamedTuple):
    name: str
    magic: bytes
    begin: Callable[[], tuple[Any, type[Exception]]]  # returns an unpacker and its error class


def _begin_gzip() -> tuple[Any, type[Exception]]:
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16), zlib.error


def _begin_zstd() -> tuple[Any, type[Exception]]:
    """Return an unpacker: from Python 3.14 on its own, otherwise one of the package zstandard."""
    if sys.version_info >= (3, 14):
        zstd = importlib.import_module("compression.zstd")
        return zstd.ZstdDecompressor(), zstd.ZstdError
    zstd = import_extra("zstandard", "io")
    return zstd.ZstdDecompressor().decompressobj(), zstd.ZstdError


_PACKINGS = (
    _Packing("gzip", b"\x1f\x8b", _begin_gzip),
    _Packing("zstd", b"\x28\xb5\x2f\xfd", _begin_zstd),
)
_MAGIC_BYTES = max(len(one.magic) for one in _PACKINGS)


class Unpacked:
    """The contents of a file, unpacked if it is compressed; close it after use.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path):
        # Without a buffer, which would only add a copy, since large pieces are read.
        self._file: BinaryIO = open(path, "rb", buffering=0)  # type: ignore[assignment] # noqa: SIM115
        begin = self._file.read(_MAGIC_BYTES)
        self._file.seek(0)
        self._packing = next((one for one in _PACKINGS if begin.startswith(one.magic)), None)
        self._stream: tuple[Any, type[Exception]] | None = None  # a stream that has not ended
        self._packed = b""  # bytes that were read, but not unpacked yet
        self._ahead = b""  # bytes that were unpacked, but not returned yet
        self._piece = _LEAST

    def __enter__(self) -> Unpacked:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Return about `size` bytes, the next ones of the contents; no bytes at the end.

        Raises
        ------
        CutOff
            If a compressed file ends too early, after all bytes before this end were returned.
        ValueError
            If it is damaged.
        ImportError
            If it is compressed by zstd, and no package to unpack it is installed.
        """
        if self._packing is None:
            return self._file.read(size)
        parts, length = [self._ahead], len(self._ahead)
        self._ahead = b""
        while length < size and self._has_more():
            parts.append(self._unpack(self._packing))
            length += len(parts[-1])
        if not length and self._stream:
            raise CutOff(f"its {self._packing.name} stream is cut off")
        return b"".join(parts)

    def pass_over(self, size: int) -> None:
        """Skip `size` bytes, or the rest if it is shorter."""
        if self._packing is None:
            self._file.seek(size, 1)
            return
        while size > 0 and (block := self.read(_UNPACKED)):
            self._ahead = block[size:]
            size -= len(block) - len(self._ahead)

    def _has_more(self) -> bool:
        while not self._packed and (piece := self._file.read(self._piece)):
            # Some programs write zeros between streams, or after the last stream.
            self._packed = piece if self._stream else piece.lstrip(b"\0")
        return bool(self._packed)

    def _unpack(self, packing: _Packing) -> bytes:
        self._stream = self._stream or packing.begin()
        stream, failure = self._stream
        packed, self._packed = self._packed, b""
        try:
            part: bytes = stream.decompress(packed)
        except failure as error:
            raise ValueError(f"it is not a valid {packing.name} file: {error}") from None
        if stream.eof:
            self._packed, self._stream = stream.unused_data.lstrip(b"\0"), None
        enough = _UNPACKED * len(packed) // max(len(part), 1)
        self._piece = max(_LEAST, min(enough, 2 * self._piece, _MOST))
        return part
