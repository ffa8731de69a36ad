"""Tables of many frames: `map_frames` and `map_pairs`, and the division of work into tasks."""

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
    """Find the contacts of every frame with meshes, and reduce them to the rows of one table.

    The result is the same as that of this loop, but Dask's workers do the work::

        finder = abut.ContactFinder(meshes)
        for number, frame in enumerate(abut.read_frames(source)):
            contacts = finder.find(frame.centers, frame.radii, period=frame.period, **options)
            rows.append({"frame": number, **reduce(frame, contacts)})

    Parameters
    ----------
    source : path, list of paths, Frames, or list of dask.delayed.Delayed
        Files, as for `read_frames`, or `Frames`. Each task reads its own frames, so workers must be
        able to read the files. Or delayed objects: each becomes a `Frame`, another object with
        ``centers`` and ``radii``, or a tuple of these two.
    meshes : Mesh, or any object that `Mesh.from_any` takes, or a list or tuple of these
        The facets, as for `ContactFinder`.
    reduce : callable
        A function ``reduce(frame, contacts)`` of a `Frame` and its `Contacts`. It returns a dict or
        a pandas Series for one row of the table; a pandas DataFrame, or a dict with lists or arrays
        of one length, for any number of rows; or None for no row. It must have no side effects,
        since Dask may call it again if rows are lost. It is sent to the workers with each task.
    client : distributed.Client, optional
        The client with the workers. By default the current client; if there is none, the threads or
        processes of Dask that ``table.compute`` chooses. If it is not the current client, compute
        the table by ``client.compute(table).result()``.
    block : int, optional
        Number of frames in a task. By default a task lasts about a tenth of a second, and there is
        at least one for every worker. The time of the first and the middle frame determine this:
        give a smaller number if other frames take far longer.
    meta : dict, or pandas.DataFrame, optional
        Names and dtypes of the table's columns: ``{"force": float}``. By default they are those of
        the first frame with rows, among a few frames that are tried.
    errors : {"raise", "skip"}
        What to do if a frame cannot be read or searched, if `reduce` fails, or if its rows do not
        fit the table: other columns, or values that a dtype cannot hold. "raise": computing the
        table raises the error, with a note that names the frame and its file. "skip": a warning,
        and one row for the frame, with the message in a further column ``error``; integers and
        bools have the pandas dtypes ``Int64`` and ``boolean``, since they may be missing. A delayed
        object that fails raises its error in both cases.
    columns : sequence of str, optional
        Further columns of the frames, as for `read_frames`.
    on_truncated : {"raise", "drop"}
        As for `read_frames`.
    **options
        Options of `ContactFinder.find`: ``resolution``, ``gap``, ``flat_angle``, ``poses`` etc.
        For moving walls ``poses`` may also be a function of the frame:
        ``poses=lambda frame: drum.pose(frame.time)``, where ``drum`` is an `abut.Rotating`.
        ``period`` is the frame's period by default, in which meshes repeat as in a `Simulation`;
        it must be along the axes. None means that nothing repeats. ``workers`` is 1 by default,
        since Dask usually has one worker for each core.

    Returns
    -------
    dask.dataframe.DataFrame
        The rows of all frames in their order. The first column, ``frame``, is the frame's number in
        the source, from 0; all others come from `reduce`. A partition has the frames of one task;
        its index begins at 0.

    Raises
    ------
    ValueError, TypeError
        As `ContactFinder.find` and `read_frames` for their arguments; if there are no frames; or if
        `meta` is not given and no frame that is tried has rows. When the table is computed: if a
        frame's rows have other columns than the table, or values that a dtype cannot hold; the
        message, or its note, names the frame.
    RuntimeError
        If the client has no workers yet.
    OSError
        If a file does not exist or cannot be read.

    Warns
    -----
    UserWarning
        For each skipped frame; the client shows warnings of workers.

    See Also
    --------
    map_pairs : Pairs of touching spheres in every frame.

    Notes
    -----
    The call itself reads, searches and reduces the first frame, for `meta` and `block`, and the
    middle frame, for `block`. If frames are delayed objects, a worker does this. The client copies
    meshes to all its workers, once for all tables that use them, and each worker makes one finder.
    If all workers that have the meshes die, ``table.compute()`` raises Dask's
    ``FutureCancelledError``: call `map_frames` again.

    Without a client, processes of Dask (``scheduler="processes"``) receive the meshes' arrays with
    each task, and six tasks at a time unless ``chunksize=1``; a client of a LocalCluster is faster.
    In a compressed dump each task unpacks all data before its frames: unpack the dump first, or use
    several files.

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
    return _mapped(job, frames, parcel, _Settings(client, block, meta))


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
    """Find the pairs of touching spheres in every frame, and reduce them to rows of one table.

    Parameters
    ----------
    source, client, block, meta, errors, columns, on_truncated
        As for `map_frames`.
    reduce : callable
        ``reduce(frame, pairs)`` with a `Frame` and its `Pairs`, as for `map_frames`.
    **options
        Options of `find_pairs`: ``gap``, ``levels`` etc. ``period`` is the frame's period by
        default; None means no period. ``workers`` is 1 by default.

    Returns
    -------
    dask.dataframe.DataFrame
        As for `map_frames`.

    Raises
    ------
    ValueError, TypeError, RuntimeError, OSError
        As `map_frames`, and as `find_pairs` for the options.

    Warns
    -----
    UserWarning
        For each skipped frame.

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
    return _mapped(job, frames, None, _Settings(client, block, meta))


# The seconds that a task should last. Half of them would be enough, since Dask's overhead is about
# 2 milliseconds for a task. They are doubled, since the timed frames may be slower than others.
TASK_SECONDS = 0.1

# The number of tasks that Dask's processes get together, unless chunksize= is given.
CHUNK_SIZE = 6
ERRORS: dict[Errors, bool] = {"raise": False, "skip": True}


class _Settings(NamedTuple):
    """The caller's settings for the tasks."""

    client: Any
    block: int | None
    meta: Any


def _mapped(job: Job, frames: Any, parcel: Parcel | None, settings: _Settings) -> Any:
    if not callable(job.reduce):
        raise TypeError(f"reduce is {job.reduce!r}, but must be a function of a frame and a table")
    if not len(frames):
        raise ValueError("source has no frames")
    block = _read_block(settings.block)
    client = _read_client(settings.client)
    if client is not None:
        _check_workers(client)
    carried = parcel if client is None or parcel is None else _scattered(client, parcel)
    meta, seconds = _read_meta(settings.meta), 0.0
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
    """Return an empty table: a column for the frames' numbers, then the caller's columns."""
    if meta is None:
        return None
    table = dataframe.utils.make_meta(meta)
    if not isinstance(table, pandas.DataFrame):
        raise TypeError(f"meta is {meta!r}, but must be a dict of dtypes or a DataFrame")
    frame_rows.check_unique(table.columns, "meta has")
    return frame_rows.numbered(table.drop(columns=frame_rows.FRAME, errors="ignore"), 0)


def _block_size(seconds: float, frame_count: int, worker_count: int) -> int:
    """Return the frames in a task: TASK_SECONDS of work, or fewer if workers would have none."""
    enough = math.ceil(TASK_SECONDS / seconds) if seconds else frame_count
    return max(1, min(enough, math.ceil(frame_count / worker_count)))


def _table(job: Job, parts: list[Part], carried: Any) -> Any:
    # Strings keep the dtype that `reduce` gives them.
    with dask.config.set({"dataframe.convert-string": False}):
        if isinstance(parts[0].frames, Frames):
            return dataframe.from_map(run_part, parts, job=job, parcel=carried, meta=job.meta)
        run = delayed.delayed(run_delayed, pure=False)
        tasks = [run(part.frames, part.start, job, carried) for part in parts]
        return dataframe.from_delayed(tasks, meta=job.meta, verify_meta=False)


# ---- clients and workers -------------------------------------------------------------------------


def _read_client(client: Any) -> Any:
    """Return the given client; if none is given, the current one, or None if there is none."""
    if client is None:
        found = getattr(dask.base.get_scheduler(), "__self__", None)
        return found if _is_client(found) else None
    if not _is_client(client):
        kind = checks.a_or_an(type(client).__name__)
        raise TypeError(f"client is {kind}, but must be a distributed.Client, as Client(cluster)")
    if client.asynchronous:
        raise ValueError("client is asynchronous: make it with asynchronous=False")
    return client


def _check_workers(client: Any) -> None:
    """Raise if there are no workers: Dask would wait half a minute for a misleading error."""
    if not client.nthreads():
        raise RuntimeError("client has no workers yet: call client.wait_for_workers(1) first")


def _is_client(value: Any) -> bool:
    # A Client exists only if the package distributed has been imported.
    return "distributed" in sys.modules and isinstance(value, sys.modules["distributed"].Client)


def _scattered(client: Any, parcel: Parcel) -> Any:
    """Copy the parcel to all workers, unless they have it already; return its future."""
    key = f"abut-meshes-{parcel.token}"
    if key in client.futures:
        future = import_extra("distributed", "dask").Future(key, client)
        if future.status == "finished":
            return future
    return client.scatter({key: parcel}, broadcast=True)[key]


def _worker_count(client: Any) -> int:
    """Return the number of tasks with which every worker has at least one task."""
    if client is not None:
        return max(1, sum(client.nthreads().values()))
    count = dask.config.get("num_workers", None) or dask.system.CPU_COUNT
    if dask.base.get_scheduler() is dask.base.named_schedulers.get("processes"):
        count *= dask.config.get("chunksize", None) or CHUNK_SIZE
    return count
