"""The tables of many frames: how they are made of tasks, and who does these."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base import checks
from ..base.extras import import_extra
from ..io import Frames
from ..search.finder import read_meshes
from . import frame_rows
from .engine import dask, dataframe, delayed, pandas
from .parcels import Parcel
from .searches import ContactSearch, PairSearch
from .sources import Part, read_source
from .tasks import Job, run_delayed, run_part
from .trials import Trial, time_middle, try_frames

if TYPE_CHECKING:
    from dask.dataframe import DataFrame
    from distributed import Client
    from pandas import DataFrame as PandasFrame

    from ..options import Errors, OnTruncated


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
    search = ContactSearch({"workers": 1, **options})
    search.check(parcel)
    job = Job(search, reduce, checks.choice(errors, "errors", ERRORS))
    frames = read_source(source, columns, on_truncated)
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
    search = PairSearch({"workers": 1, **options})
    search.check()
    job = Job(search, reduce, checks.choice(errors, "errors", ERRORS))
    frames = read_source(source, columns, on_truncated)
    return _mapped(job, frames, None, _Wishes(client, block, meta))


# Seconds that a task should last, twice what it must at least: one frame's time tells that of
# others only roughly. A task costs Dask about 2 milliseconds.
TASK_SECONDS = 0.1

# Dask's processes scheduler hands out tasks in chunks of this many, unless chunksize= tells
# another number.
CHUNK_SIZE = 6
ERRORS: dict[Errors, bool] = {"raise": False, "skip": True}


class _Wishes(NamedTuple):
    """How the caller wants it done."""

    client: Any
    block: int | None
    meta: Any


def _mapped(job: Job, frames: Any, parcel: Parcel | None, wishes: _Wishes) -> Any:
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
        trial = Trial(job, frames, parcel, carried, client)
        meta, seconds = try_frames(trial, meta)
        if block is None:
            seconds = max(seconds, time_middle(trial))
    size = block or _block_size(seconds, len(frames), _worker_count(client))
    parts = [Part(frames[k : k + size], k) for k in range(0, len(frames), size)]
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


def _table(job: Job, parts: list[Part], carried: Any) -> Any:
    # strings stay what `reduce` made of them
    with dask.config.set({"dataframe.convert-string": False}):
        if isinstance(parts[0].frames, Frames):
            return dataframe.from_map(run_part, parts, job=job, parcel=carried, meta=job.meta)
        run = delayed.delayed(run_delayed, pure=False)
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
