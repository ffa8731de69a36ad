"""Errors of files that are read. Each names its file and, where possible, the line or facet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class CutOff(ValueError):
    """A file ends too early: it was cut off, or another program is still writing it."""


@contextmanager
def errors_naming(path: Path) -> Iterator[None]:
    """Add the file's path to the beginning of the message of any ValueError in the block."""
    try:
        yield
    except ValueError as error:
        kind = CutOff if isinstance(error, CutOff) else ValueError
        raise kind(f"{path}: {error}") from None
