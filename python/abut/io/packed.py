"""Files that may be compressed, by gzip or zstd, read from their beginning on.

They are told by their first bytes, whatever their names.
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

# So many compressed bytes are unpacked at once. gzip may make a thousand times as much of a piece,
# zstd thirty thousand times, so pieces grow only until they unpack to _UNPACKED bytes.
_LEAST, _MOST = 1 << 6, 1 << 12
_UNPACKED = 1 << 16


class _Packing(NamedTuple):
    name: str
    magic: bytes
    begin: Callable[[], tuple[Any, type[Exception]]]  # makes an unpacker, and tells what it raises


def _begin_gzip() -> tuple[Any, type[Exception]]:
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16), zlib.error


def _begin_zstd() -> tuple[Any, type[Exception]]:
    """From Python's library since 3.14, before that from the package zstandard."""
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
    """What a file holds, unpacked where it is compressed; to be closed.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path):
        # large pieces are read at once, for which a buffer would only be one more copy
        self._file: BinaryIO = open(path, "rb", buffering=0)  # type: ignore[assignment] # noqa: SIM115
        begin = self._file.read(_MAGIC_BYTES)
        self._file.seek(0)
        self._packing = next((one for one in _PACKINGS if begin.startswith(one.magic)), None)
        self._stream: tuple[Any, type[Exception]] | None = None  # the stream that has not ended yet
        self._packed = b""  # bytes that are read, but not unpacked
        self._ahead = b""  # bytes that are unpacked, but not taken
        self._piece = _LEAST

    def __enter__(self) -> Unpacked:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """The next bytes, `size` or some more or fewer; none at the end.

        Raises
        ------
        CutOff
            If a compressed file ends before its stream does, when all before was taken.
        ValueError
            If it is damaged.
        ImportError
            If it is compressed by zstd, and nothing that unpacks this is there.
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
        """Go on `size` bytes without giving them back; to the end where there are fewer."""
        if self._packing is None:
            self._file.seek(size, 1)
            return
        while size > 0 and (block := self.read(_UNPACKED)):
            self._ahead = block[size:]
            size -= len(block) - len(self._ahead)

    def _has_more(self) -> bool:
        while not self._packed and (piece := self._file.read(self._piece)):
            # writers may fill the space between streams, or behind them, with zeros
            self._packed = piece if self._stream else piece.lstrip(b"\0")
        return bool(self._packed)

    def _unpack(self, packing: _Packing) -> bytes:
        self._stream = self._stream or packing.begin()
        stream, failure = self._stream
        packed, self._packed = self._packed, b""
        try:
            part: bytes = stream.decompress(packed)
        except failure as error:
            raise ValueError(f"it is no sound {packing.name} file: {error}") from None
        if stream.eof:
            self._packed, self._stream = stream.unused_data.lstrip(b"\0"), None
        right = _UNPACKED * len(packed) // max(len(part), 1)
        self._piece = max(_LEAST, min(right, 2 * self._piece, _MOST))
        return part
