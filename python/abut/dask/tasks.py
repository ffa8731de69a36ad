"""The work of a task: each of its frames is searched and reduced."""

from __future__ import annotations

import sys
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..io import Frames
from . import frame_rows
from .sources import Items, Part, opened

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Job:
    """The search and the reduction of each frame, and the columns of the table."""

    search: Any
    reduce: Callable[..., Any]
    skips: bool
    meta: Any = None  # an empty table
    token: str = ""

    def settled(self, meta: Any) -> Job:
        # The token is always new, since Dask reuses results of equal keys, but files may change.
        whole = frame_rows.with_errors(meta) if self.skips else meta
        return replace(self, meta=whole, token=uuid.uuid4().hex)

    def __dask_tokenize__(self) -> str:
        return self.token

    def names(self) -> set[Any] | None:
        if self.meta is None:
            return None
        return set(self.meta) - {frame_rows.FRAME} - ({frame_rows.ERROR} if self.skips else set())

    def rows(self, frame: Any, number: int, parcel: Any, names: set[Any] | None = None) -> Any:
        given = self.reduce(frame, self.search(frame, parcel))
        return frame_rows.read_rows(given, number, names)

    def results(self, part: Part, parcel: Any) -> Iterator[tuple[int, Any]]:
        """Yield the number of each frame, and its rows, None if it has no rows, or `Failed`."""
        names = self.names()
        for k, frame in opened(part.frames):
            number = part.start + k
            try:
                with noted(part, k):
                    rows = self.rows(_read(frame), number, parcel, names)
                    rows = frame_rows.fit(rows, number, self.meta)
            except Exception as error:
                if not self.skips:
                    raise
                rows = frame_rows.Failed(f"{type(error).__name__}: {error}")
                _warn(f"frame {number} is skipped: {rows.message}")
            yield number, rows


def run_part(part: Part, job: Job, parcel: Any) -> Any:
    """Return the table with the rows of all frames of a task."""
    return frame_rows.table_of(job.results(part, parcel), job.meta)


def run_delayed(items: list[Any], start: int, job: Job, parcel: Any) -> Any:
    return run_part(Part(Items(items), start), job, parcel)


def _read(frame: Any) -> Any:
    if isinstance(frame, Exception):
        raise frame
    return frame


@contextmanager
def noted(part: Part, k: int) -> Iterator[None]:
    """Add a note to errors in the block that names the frame, which is the k-th of the part."""
    try:
        yield
    except Exception as error:
        file = f", in {_file_of(part.frames, k)}" if isinstance(part.frames, Frames) else ""
        error.add_note(f"This was frame {part.start + k} of the source{file}.")
        raise


def _file_of(frames: Frames, k: int) -> str:
    (file,) = frames[k : k + 1]._files
    return str(file.path)


def _warn(message: str) -> None:
    """Issue a warning in a task, so that the client also shows it."""
    if "distributed" in sys.modules:
        sys.modules["distributed"].worker.warn(message)
    else:
        warnings.warn(message, stacklevel=2)
