"""Errors of files that are read: each names its file, and where it can, the line or facet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class CutOff(ValueError):
    """A file ends before what it began is whole: it was cut off, or is still being written."""


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Name the file in what is found to be wrong with it, which readers tell without its name."""
    try:
        yield
    except ValueError as error:
        kind = CutOff if isinstance(error, CutOff) else ValueError
        raise kind(f"{path}: {error}") from None
