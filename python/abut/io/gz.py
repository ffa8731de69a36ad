"""Mesh files that are compressed by gzip."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Unpack a file to a temporary file without the ending ``.gz``, which exists in the block."""
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder, path.stem)
        with open(path, "rb") as packed, open(inner, "wb") as file:
            try:
                shutil.copyfileobj(gzip.GzipFile(fileobj=packed), file)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise ValueError(f"it is not a gzip file, or was cut off: {error}") from None
        yield inner
