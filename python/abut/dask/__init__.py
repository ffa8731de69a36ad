"""Many frames of a simulation, one after the other, by Dask: a table of what each came to.

Needs the extra ``dask``: ``pip install 'abut[dask]'``. Results are Dask DataFrames: nothing is
searched before they are asked for, but for the first frame and one of the middle.

What makes it fast is that hardly anything travels. Frames are read where they are searched; a task
takes so many of them that it lasts longer than what a task costs; meshes go to each worker once,
which keeps a finder of them from task to task; back come the rows.
"""

from __future__ import annotations

import inspect
import math
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.extras import import_extra
from ..io import Frame, Frames, read_frames
from ..search.finder import ContactFinder, read_meshes
from ..search.mesh import Mesh
from ..search.pair_finder import find_pairs
from .parcels import Parcel, finder_of

if TYPE_CHECKING:
    from dask.dataframe import DataFrame
    from distributed import Client
    from pandas import DataFrame as PandasFrame

    from ..options import Errors, OnTruncated

dask = import_extra("dask", "dask")
# dask.dataframe asks for these without naming an extra
pandas, _ = import_extra("pandas", "dask"), import_extra("pyarrow", "dask")
dataframe = import_extra("dask.dataframe", "dask")
delayed = import_extra("dask.delayed", "dask")
frame_rows = import_extra("abut.dask.frame_rows", "dask")

__all__ = ["map_frames", "map_pairs"]

# Seconds that a task should last, twice what it must at least: one frame's time tells that of
# others only roughly. A task costs Dask about 2 milliseconds.
TASK_SECONDS = 0.1

# Dask's processes scheduler hands out tasks in chunks of this many, unless chunksize= tells
# another number.
CHUNK_SIZE = 6

ERRORS: dict[Errors, bool] = {"raise": False, "skip": True}


def map_frames(
    source: Any,
    meshes: Any,
    reduce: Callable[..., Any],
    *,
    client: Client | None = None,
    block: int | None = None,
    meta: dict[str, Any] | PandasFrame | None = None,
    errors: Errors = "raise",
    columns: Sequence[str] | None = None,
    on_truncated: OnTruncated = "raise",
    **options: Any,
) -> DataFrame:
    """Find the contacts of every frame with meshes, and make a table of what they come to.

    It is this loop, done by Dask's workers::

        finder = abut.ContactFinder(meshes)
        for number, frame in enumerate(abut.read_frames(source)):
            contacts = finder.find(frame.centers, frame.radii, period=frame.period, **options)
            rows.append({"frame": number, **reduce(frame, contacts)})

    Parameters
    ----------
    source : path, list of paths, Frames, or list of dask.delayed.Delayed
        What `read_frames` takes, or returned: each task reads its own frames, so workers must see
        the files. Or delayed objects: a `Frame`, another object with ``centers`` and ``radii``, or
        a tuple of these two, each.
    meshes : Mesh, or whatever `Mesh.from_any` takes, or a list or tuple of these
        The facets, as `ContactFinder` takes them.
    reduce : callable
        ``reduce(frame, contacts)`` with a `Frame` and its `Contacts` returns a dict or a pandas
        Series: a row of the table; a pandas DataFrame, or a dict with lists or arrays of one
        length: several rows, or none; or None: no row. It should do nothing else: Dask may call it
        again for a frame whose rows were lost. It is sent to the workers with each task.
    client : distributed.Client, optional
        Whose workers do it; by default the current client's, where there is one, else Dask's
        threads or processes, whatever ``table.compute`` is told. A client that is not the current
        one computes the table by ``client.compute(table).result()``.
    block : int, optional
        Frames a task. By default so many that a task lasts about a tenth of a second, as the slower
        one of the first frame and the one of the middle tells, but few enough for every worker to
        get a task. Where others take far longer than these two, give a smaller one.
    meta : dict, or pandas.DataFrame, optional
        Names and dtypes of the table's columns: ``{"force": float}``. By default those that the
        first frame's rows have, or the first that has rows of some that are tried.
    errors : {"raise", "skip"}
        What happens where a frame cannot be read or searched, where `reduce` fails, or where what
        it gives has no place in the table: other columns than it has, or a value that a column's
        dtype cannot hold. "raise": computing the table raises the error, with a note of which frame
        it was, and of which file. "skip": the table has a further column ``error`` with the
        message, a row for the frame with nothing else in it, and a warning tells of it; integers
        and bools become pandas' ``Int64`` and ``boolean``, which may be missing. A delayed object
        that fails raises its error in either case.
    columns : sequence of str, optional
        Further columns of the frames, as for `read_frames`.
    on_truncated : {"raise", "drop"}
        As for `read_frames`.
    **options
        Those of `ContactFinder.find`: ``resolution``, ``gap``, ``flat_angle``, ``poses`` and so on.
        ``poses`` may also be a function of the frame, for walls that move:
        ``poses=lambda frame: drum.pose(frame.time)``, where ``drum`` is an `abut.Rotating`.
        ``period`` is the frame's by default: of a box that is periodic the meshes are repeated, as
        in a `Simulation`; None repeats nothing. ``workers`` is 1 by default, since Dask's workers
        are as many as there are cores already.

    Returns
    -------
    dask.dataframe.DataFrame
        The rows of all frames in their order, with the column ``frame``, the number of the frame in
        the source from 0, before those of `reduce`. A partition has the frames of a task, and an
        index of its own, from 0.

    Raises
    ------
    ValueError, TypeError
        As `ContactFinder.find` and `read_frames` for what is given; if there are no frames; or if
        no frame of those that are tried has a row, and `meta` is not given. When the table is
        computed, if a frame's rows have other columns than the table, or values that their
        dtypes cannot hold; the message, or its note, names the frame.
    RuntimeError
        If the client has no workers yet.
    OSError
        If a file is not there or cannot be read.

    Warns
    -----
    UserWarning
        Of each frame that is skipped, from the worker through to the client.

    See Also
    --------
    map_pairs : The same of spheres with each other.

    Notes
    -----
    The first frame and the one of the middle are read, searched and reduced at once, here or, if
    they are delayed, by a worker: the first for `meta` and `block`, the other one for `block`.
    Meshes are scattered to all workers of the client, once for all tables that need them, and each
    worker makes a finder of them once. When all workers that hold them have died,
    ``table.compute()`` raises Dask's ``FutureCancelledError``: call `map_frames` again. Dask's
    processes without a client (``scheduler="processes"``) get the meshes' arrays with each task,
    and take six tasks at a time, but for ``chunksize=1``: with a client of a LocalCluster they are
    faster. Of a dump that is compressed each task unpacks all that stands before its frames: better
    have it plain, or in several files.

    Examples
    --------
    >>> import abut, abut.dask, numpy as np, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for k, height in enumerate([0.25, 0.125, 0.0625]):
    ...     np.savez(folder / f"{k}.npz", centers=[[0.5, 0.5, height]], radii=[0.2])
    >>> square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    >>> def reduce(frame, contacts):
    ...     return {"contacts": len(contacts), "overlap": contacts.overlap.sum()}
    >>> table = abut.dask.map_frames(folder, square, reduce)
    >>> table.compute(scheduler="threads").round(3).to_dict("list")
    {'frame': [0, 1, 2], 'contacts': [0, 1, 1], 'overlap': [0.0, 0.075, 0.138]}
    """
    parcel = Parcel(read_meshes(meshes))
    search = _ContactSearch({"workers": 1, **options})
    search.check(parcel)
    job = _Job(search, reduce, checks.choice(errors, "errors", ERRORS))
    frames = _read_source(source, columns, on_truncated)
    return _mapped(job, frames, parcel, _Wishes(client, block, meta))


def map_pairs(
    source: Any,
    reduce: Callable[..., Any],
    *,
    client: Client | None = None,
    block: int | None = None,
    meta: dict[str, Any] | PandasFrame | None = None,
    errors: Errors = "raise",
    columns: Sequence[str] | None = None,
    on_truncated: OnTruncated = "raise",
    **options: Any,
) -> DataFrame:
    """Find the pairs of spheres that touch in every frame, and make a table of what they come to.

    Parameters
    ----------
    source, client, block, meta, errors, columns, on_truncated
        As for `map_frames`.
    reduce : callable
        ``reduce(frame, pairs)`` with a `Frame` and its `Pairs`, as for `map_frames`.
    **options
        Those of `find_pairs`: ``gap``, ``levels`` and so on. ``period`` is the frame's by default,
        None repeats nothing; ``workers`` is 1 by default.

    Returns
    -------
    dask.dataframe.DataFrame
        As of `map_frames`.

    Raises
    ------
    ValueError, TypeError, RuntimeError, OSError
        As `map_frames`, and `find_pairs` for the options.

    Warns
    -----
    UserWarning
        Of each frame that is skipped.

    Examples
    --------
    >>> import abut.dask, numpy as np, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for k, x in enumerate([1.5, 2.5]):
    ...     np.savez(folder / f"{k}.npz", centers=[[0, 0, 0], [x, 0, 0]], radii=[1.0, 1.0])
    >>> def coordination(frame, pairs):
    ...     return {"mean": 2 * len(pairs) / len(frame.radii)}
    >>> table = abut.dask.map_pairs(folder, coordination)
    >>> table.compute(scheduler="threads").to_dict("list")
    {'frame': [0, 1], 'mean': [1.0, 0.0]}
    """
    search = _PairSearch({"workers": 1, **options})
    search.check()
    job = _Job(search, reduce, checks.choice(errors, "errors", ERRORS))
    frames = _read_source(source, columns, on_truncated)
    return _mapped(job, frames, None, _Wishes(client, block, meta))


class _Wishes(NamedTuple):
    """How the caller wants it done."""

    client: Any
    block: int | None
    meta: Any


def _mapped(job: _Job, frames: Any, parcel: Parcel | None, wishes: _Wishes) -> Any:
    if not callable(job.reduce):
        raise TypeError(f"reduce is {job.reduce!r}, but must be a function of a frame and a table")
    if not len(frames):
        raise ValueError("source has no frames")
    block = _read_block(wishes.block)
    client = _read_client(wishes.client)
    if client is not None:
        _check_workers(client)
    carried = parcel if client is None or parcel is None else _scattered(client, parcel)
    meta, seconds = _read_meta(wishes.meta), 0.0
    if meta is None or block is None:
        trial = _Trial(job, frames, parcel, carried, client)
        meta, seconds = _try_frames(trial, meta)
        if block is None:
            seconds = max(seconds, _time_middle(trial))
    size = block or _block_size(seconds, len(frames), _worker_count(client))
    parts = [_Part(frames[k : k + size], k) for k in range(0, len(frames), size)]
    return _table(job.settled(meta), parts, carried)


def _read_block(block: int | None) -> int | None:
    if block is None:
        return None
    size = checks.whole(block, "block")
    if size < 1:
        raise ValueError(f"block is {size}, but must be 1 or more")
    return size


def _read_meta(meta: Any) -> Any:
    """An empty table with the caller's columns behind that of the frames' numbers."""
    if meta is None:
        return None
    table = dataframe.utils.make_meta(meta)
    if not isinstance(table, pandas.DataFrame):
        raise TypeError(f"meta is {meta!r}, but must be a dict of dtypes or a DataFrame")
    frame_rows.check_unique(table.columns, "meta has")
    return frame_rows.numbered(table.drop(columns=frame_rows.FRAME, errors="ignore"), 0)


def _block_size(seconds: float, frame_count: int, worker_count: int) -> int:
    """Frames a task: worth what a task costs, but no worker shall be left without."""
    lasting = math.ceil(TASK_SECONDS / seconds) if seconds else frame_count
    return max(1, min(lasting, math.ceil(frame_count / worker_count)))


def _table(job: _Job, parts: list[_Part], carried: Any) -> Any:
    # strings stay what `reduce` made of them
    with dask.config.set({"dataframe.convert-string": False}):
        if isinstance(parts[0].frames, Frames):
            return dataframe.from_map(_run, parts, job=job, parcel=carried, meta=job.meta)
        run = delayed.delayed(_run_delayed, pure=False)
        tasks = [run(part.frames, part.start, job, carried) for part in parts]
        return dataframe.from_delayed(tasks, meta=job.meta, verify_meta=False)


# ---- who does it ---------------------------------------------------------------------------------


def _read_client(client: Any) -> Any:
    """The client whose workers do it, or None."""
    if client is None:
        found = getattr(dask.base.get_scheduler(), "__self__", None)
        return found if _is_client(found) else None
    if not _is_client(client):
        kind = checks.a_or_an(type(client).__name__)
        raise TypeError(f"client is {kind}, but must be a distributed.Client, as Client(cluster)")
    if client.asynchronous:
        raise ValueError("client is asynchronous: give one that is not")
    return client


def _check_workers(client: Any) -> None:
    """Dask itself would wait for half a minute, and then complain of other things."""
    if not client.nthreads():
        raise RuntimeError("client has no workers yet: client.wait_for_workers(1) waits for one")


def _is_client(value: Any) -> bool:
    # there is none where distributed was not imported
    return "distributed" in sys.modules and isinstance(value, sys.modules["distributed"].Client)


def _scattered(client: Any, parcel: Parcel) -> Any:
    """The parcel in all workers' memory, where it may be already."""
    key = f"abut-meshes-{parcel.token}"
    if key in client.futures:
        future = import_extra("distributed", "dask").Future(key, client)
        if future.status == "finished":
            return future
    return client.scatter({key: parcel}, broadcast=True)[key]


def _worker_count(client: Any) -> int:
    """Tasks that can run at once, or that it takes until all workers have one."""
    if client is not None:
        return max(1, sum(client.nthreads().values()))
    count = dask.config.get("num_workers", None) or dask.system.CPU_COUNT
    if dask.base.get_scheduler() is dask.base.named_schedulers.get("processes"):
        count *= dask.config.get("chunksize", None) or CHUNK_SIZE
    return count


# ---- frames that are tried -----------------------------------------------------------------------


class _Trial(NamedTuple):
    """What it takes to try a frame."""

    job: _Job
    frames: Any
    parcel: Parcel | None
    carried: Any
    client: Any

    def timed(self, number: int) -> _Timed:
        if isinstance(self.frames, Frames):
            return _timed(_Part(self.frames[number : number + 1], number), self.job, self.parcel)
        task = delayed.delayed(_timed_delayed, pure=False)
        asked = task([self.frames[number]], number, self.job, self.carried)
        if self.client is None:
            return asked.compute()
        return self.client.compute(asked).result()


class _Timed(NamedTuple):
    """What one frame came to."""

    seconds: float
    meta: Any  # an empty table; None: without a row it tells nothing of the table
    is_sure: bool  # whether every column has a value that tells its dtype


def _timed(part: _Part, job: _Job, parcel: Parcel | None) -> _Timed:
    with _noted(part, 0):
        # The first search with a finder sorts its facets, which later ones use: it is not timed.
        job.search(part.frames[0], parcel)
        start = time.perf_counter()
        rows = job.rows(part.frames[0], part.start, parcel)
        seconds = time.perf_counter() - start
    return _Timed(seconds, *frame_rows.columns_of(rows))


def _timed_delayed(items: list[Any], number: int, job: _Job, parcel: Any) -> _Timed:
    return _timed(_Part(_Items(items), number), job, parcel)


def _try_frames(trial: _Trial, meta: Any) -> tuple[Any, float]:
    """Find the table's columns, unless they are known, and what a frame takes.

    Where the first frame has no row, later ones are looked at, ever farther from each other.
    """
    seconds, failure, is_known = 0.0, None, meta is not None
    for number in _picks(len(trial.frames)):
        try:
            timed = trial.timed(number)
        except Exception as error:
            if not trial.job.skips:
                raise
            failure = failure or error
            continue
        seconds = seconds or timed.seconds
        if not is_known:
            is_known = timed.is_sure
            meta = timed.meta if is_known or meta is None else meta
        if is_known:
            break
    if meta is None:
        raise ValueError(
            "no frame of those tried has a row that tells the table's columns: give meta=, as in"
            f" meta={{'force': float}}{_because(failure)}"
        ) from failure
    return meta, seconds


def _because(failure: Exception | None) -> str:
    """Of the first frame that failed, what it failed of."""
    return "" if failure is None else f". It failed: {type(failure).__name__}: {failure}"


def _time_middle(trial: _Trial) -> float:
    """What a frame takes there: a simulation's first one often has hardly a sphere."""
    count = len(trial.frames)
    if count == 1:
        return 0.0
    try:
        return trial.timed(count // 2).seconds
    except Exception:
        return 0.0  # it fails again when the table is computed, and is told then


def _picks(count: int) -> Iterator[int]:
    """Of so many frames the first one, then as many more as it takes to come to the last."""
    number = 0
    while number < count - 1:
        yield number
        number = 2 * number + 1
    yield count - 1


# ---- where frames come from ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """Frames of one task, of which the first has the number `start`."""

    frames: Any
    start: int

    def __dask_tokenize__(self) -> int:
        # Dask makes a task's key of this and of the job's token, which no other table has. So it
        # does not have to tell what the files hold, which may change.
        return self.start


def _read_source(source: Any, columns: Any, on_truncated: OnTruncated) -> Any:
    """`Frames`, or a list of delayed objects."""
    if isinstance(source, Frames) or _has_delayed(source):
        if columns is not None or on_truncated != "raise":
            raise ValueError(
                "columns and on_truncated are for files that are read here: give them to"
                " read_frames, or where the delayed frames are made"
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
                f"source[{k}] is {checks.a_or_an(type(item).__name__)}, but others are Delayed"
            )
    return list(source)


class _Items(list[Any]):
    """What delayed objects came to, as frames."""

    def __iter__(self) -> Iterator[Any]:
        return map(_frame_of, super().__iter__())

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return _Items(found) if isinstance(key, slice) else _frame_of(found)


def _frame_of(item: Any) -> Any:
    if hasattr(item, "centers") and hasattr(item, "radii"):
        return item
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return Frame(*item)
    raise TypeError(
        f"a delayed frame came to {checks.a_or_an(type(item).__name__)}, but must have centers and"
        " radii, or be a tuple of these two"
    )


def _opened(frames: Any) -> Iterator[tuple[int, Any]]:
    """All frames, one after the other, or in place of one the error that reading it is."""
    k = 0
    while k < len(frames):
        try:
            # not one by one: a compressed file would be unpacked up to each of them
            for frame in frames[k:]:
                yield k, frame
                k += 1
        except Exception as error:
            yield k, error
            k += 1


# ---- the search of one frame ---------------------------------------------------------------------


class _ContactSearch(NamedTuple):
    options: dict[str, Any]

    def check(self, parcel: Parcel) -> None:
        """Complain of what every frame would."""
        _check_names(self.options, ContactFinder.find, "ContactFinder.find")
        known = {k: v for k, v in self.options.items() if k != "poses" or not callable(v)}
        _checking_finder(parcel, known).find(np.empty((0, 3)), np.empty(0), **known)

    def __call__(self, frame: Any, parcel: Parcel) -> Any:
        options = {**_of_frame(frame), **self.options}
        if callable(options.get("poses")):
            options["poses"] = options["poses"](frame)
        return finder_of(parcel).find(frame.centers, frame.radii, **options)


def _checking_finder(parcel: Parcel, options: dict[str, Any]) -> ContactFinder:
    """A finder that complains of options as that of the meshes would, and is made at once."""
    if str(options.get("weights")) == "zhong":  # facets may have too many corners for these
        return finder_of(parcel)
    triangle = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    return ContactFinder([triangle] * len(parcel.meshes()))


class _PairSearch(NamedTuple):
    options: dict[str, Any]

    def check(self) -> None:
        """Complain of what every frame would."""
        _check_names(self.options, find_pairs, "find_pairs")
        if np.ndim(self.options.get("gap", 0.0)) == 0:  # else it fits some number of spheres
            find_pairs(np.empty((0, 3)), np.empty(0), **self.options)

    def __call__(self, frame: Any, parcel: None) -> Any:
        return find_pairs(frame.centers, frame.radii, **{**_of_frame(frame), **self.options})


def _check_names(options: dict[str, Any], function: Callable[..., Any], whose: str) -> None:
    """Python's own complaint would come from a worker, and of a frame."""
    parameters = inspect.signature(function).parameters.values()
    known = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise TypeError(f"{name!r} is no option: those of {whose} are {', '.join(known)}")


def _of_frame(frame: Any) -> dict[str, Any]:
    """Options that a frame tells, where the caller says nothing else."""
    return {"period": getattr(frame, "period", None)}


# ---- tasks ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Job:
    """What is done with each frame, and how the table looks."""

    search: Any
    reduce: Callable[..., Any]
    skips: bool
    meta: Any = None  # an empty table
    token: str = ""

    def settled(self, meta: Any) -> _Job:
        # A new token each time, since files may have changed, and tasks with the same key have one
        # result for Dask.
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

    def results(self, part: _Part, parcel: Any) -> Iterator[tuple[int, Any]]:
        """The number and the rows of each frame, or why it has none."""
        names = self.names()
        for k, frame in _opened(part.frames):
            number = part.start + k
            try:
                with _noted(part, k):
                    rows = self.rows(_read(frame), number, parcel, names)
                    rows = frame_rows.fit(rows, number, self.meta)
            except Exception as error:
                if not self.skips:
                    raise
                rows = frame_rows.Failed(f"{type(error).__name__}: {error}")
                _warn(f"frame {number} is skipped: {rows.message}")
            yield number, rows


def _run(part: _Part, job: _Job, parcel: Any) -> Any:
    """The rows of a task."""
    return frame_rows.table_of(job.results(part, parcel), job.meta)


def _run_delayed(items: list[Any], start: int, job: _Job, parcel: Any) -> Any:
    return _run(_Part(_Items(items), start), job, parcel)


def _read(frame: Any) -> Any:
    if isinstance(frame, Exception):
        raise frame
    return frame


@contextmanager
def _noted(part: _Part, k: int) -> Iterator[None]:
    """Errors in the block tell which frame it was: the part's k-th."""
    try:
        yield
    except Exception as error:
        of = f", of {_file_of(part.frames, k)}" if isinstance(part.frames, Frames) else ""
        error.add_note(f"This was frame {part.start + k} of those that are mapped{of}.")
        raise


def _file_of(frames: Frames, k: int) -> str:
    (file,) = frames[k : k + 1]._files
    return str(file.path)


def _warn(message: str) -> None:
    """Of a task: a warning that comes to the client, too."""
    if "distributed" in sys.modules:
        sys.modules["distributed"].worker.warn(message)
    else:
        warnings.warn(message, stacklevel=2)
