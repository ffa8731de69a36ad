"""The number of threads of queries and simulations."""

from __future__ import annotations

import os
import sys

from .. import _core
from . import checks

# More threads than cores slow a query down, and no machine can start the threads of a slip such as
# workers=1_000_000.
MAX_THREADS = 1024

# The library gives spheres to threads in blocks of this size, so a smaller query uses one thread.
# Counting the cores takes about as long as the search of one sphere.
FEW_SPHERES = 1024

_chosen: int | None = None


def set_num_threads(n: int | None) -> None:
    """Set how many threads queries use by default, without ``workers=``.

    Parameters
    ----------
    n : int or None
        1 to 1024 threads, or -1 for all cores that this process may use. None restores the default:
        the environment variable ``ABUT_NUM_THREADS``, else ``OMP_NUM_THREADS``, else all cores that
        this process may use. A query uses fewer threads if it has little work. Results are the same
        to the bit for any number.

    Raises
    ------
    ValueError
        If `n` is 0, below -1, or above 1024.
    TypeError
        If `n` is not an integer.

    See Also
    --------
    show_config : Print the number in use.

    Notes
    -----
    The threads are OpenMP's. After a query they wait actively for some milliseconds, which slows
    queries down if other programs use the cores. With ``OMP_WAIT_POLICY=passive`` in the
    environment before Python starts, they sleep instead.

    Only the first number of ``OMP_NUM_THREADS`` is used, and a wrong value is ignored, as in
    OpenMP. A wrong value of ``ABUT_NUM_THREADS`` is an error when a query starts.

    Examples
    --------
    >>> import abut
    >>> abut.set_num_threads(1)
    >>> abut.set_num_threads(None)
    """
    global _chosen
    _chosen = None if n is None else _threads(checks.whole(n, "n"), "n")


def worker_count(workers: object, sphere_count: int = sys.maxsize) -> int:
    """The greatest number of threads for a query with this ``workers=``."""
    if workers is not None:
        return _threads(checks.whole(workers, "workers"), "workers")
    if _chosen is not None:
        return _chosen
    named = _abut_num_threads()
    if named is not None or sphere_count <= FEW_SPHERES:
        return named or 1
    return _omp_num_threads() or _cores()


def thread_count() -> int:
    """The greatest number of threads without ``workers=``; 1 in a build without OpenMP."""
    asked = worker_count(None)  # checks the environment in any build
    return asked if _core.has_openmp() else 1


def _threads(n: int, name: str) -> int:
    if n == -1:
        return _cores()
    if 1 <= n <= MAX_THREADS:
        return n
    raise ValueError(f"{name} is {n}, but must be 1 to {MAX_THREADS}, or -1 for all cores")


def _abut_num_threads() -> int | None:
    text = os.environ.get("ABUT_NUM_THREADS", "").strip()
    if not text:
        return None
    try:
        n = int(text)
    except ValueError:
        raise ValueError(f"ABUT_NUM_THREADS is {text!r}, but must be an integer") from None
    return _threads(n, "ABUT_NUM_THREADS")


def _omp_num_threads() -> int | None:
    # "4,2" has a number for each level of nested parallelism; abut uses one level
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    n = int(text) if text.isdecimal() else 0
    return min(n, MAX_THREADS) or None


def _cores() -> int:
    if hasattr(os, "process_cpu_count"):
        count = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count()
    return min(count or 1, MAX_THREADS)
