"""Sources of frames: files that tasks read, or delayed objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..base import checks
from ..io import Frame, Frames, read_frames
from .engine import delayed

if TYPE_CHECKING:
    from ..options import OnTruncated


@dataclass(frozen=True)
class Part:
    """The frames of one task. `start` is the number of the first one in the source."""

    frames: Any
    start: int

    def __dask_tokenize__(self) -> int:
        # This need not depend on the files' contents, which may change: Dask's key of a task also
        # contains the token of the job, which is unique to a table.
        return self.start


def read_source(source: Any, columns: Any, on_truncated: OnTruncated) -> Any:
    """Return the caller's source as `Frames`, or as a list of delayed objects."""
    if isinstance(source, Frames) or _has_delayed(source):
        if columns is not None or on_truncated != "raise":
            raise ValueError(
                "columns= and on_truncated= are for paths of files: give them to read_frames"
                " instead, or where the delayed frames are made"
            )
        return source if isinstance(source, Frames) else _read_delayed(source)
    return read_frames(source, columns=columns, on_truncated=on_truncated)


def _has_delayed(source: Any) -> bool:
    return isinstance(source, (list, tuple)) and any(
        isinstance(item, delayed.Delayed) for item in source
    )


def _read_delayed(source: Sequence[Any]) -> list[Any]:
    for k, item in enumerate(source):
        if not isinstance(item, delayed.Delayed):
            raise TypeError(
                f"source[{k}] is {checks.a_or_an(type(item).__name__)}, but must be Delayed, as"
                " others are"
            )
    return list(source)


class Items(list[Any]):
    """The values of delayed objects, which are converted to frames when they are used."""

    def __iter__(self) -> Iterator[Any]:
        return map(_frame_of, super().__iter__())

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Items(found) if isinstance(key, slice) else _frame_of(found)


def _frame_of(item: Any) -> Any:
    if hasattr(item, "centers") and hasattr(item, "radii"):
        return item
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return Frame(*item)
    raise TypeError(
        f"a delayed frame is {checks.a_or_an(type(item).__name__)}, but must have centers and"
        " radii, or be a tuple of these two"
    )


def opened(frames: Any) -> Iterator[tuple[int, Any]]:
    """Yield the number of each frame, with the frame or the error that reading it raised."""
    k = 0
    while k < len(frames):
        try:
            # A slice is read, since an index would unpack a compressed file from its beginning.
            for frame in frames[k:]:
                yield k, frame
                k += 1
        except Exception as error:
            yield k, error
            k += 1
