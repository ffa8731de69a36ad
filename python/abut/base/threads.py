"""How many threads a query runs on."""

from __future__ import annotations

import os
import sys

from .. import _core
from . import checks

# More threads than a machine has cores only cost; far more, a slip such as workers=1_000_000,
# cannot be started.
MAX_THREADS = 1024

# The library hands spheres out to threads by that many: no second thread has work in a query of
# fewer. To ask for the cores takes about as long as the search of one sphere.
FEW_SPHERES = 1024

_chosen: int | None = None


def set_num_threads(n: int | None) -> None:
    """Set how many threads queries use where they are not told by ``workers=``.

    Parameters
    ----------
    n : int or None
        1 to 1024 threads; -1 for all cores that this process may use; None for the default again:
        the environment variable ``ABUT_NUM_THREADS``, else ``OMP_NUM_THREADS``, else all cores that
        this process may use. A query uses as many of them as its work is worth. The results are
        the same to the bit for any number.

    Raises
    ------
    ValueError
        If `n` is 0, below -1, or above 1024.
    TypeError
        If `n` is no integer.

    See Also
    --------
    show_config : Prints the number in use.

    Notes
    -----
    The threads are OpenMP's. After a query they look for work for some milliseconds, which slows
    down queries where other programs keep the cores busy; with ``OMP_WAIT_POLICY=passive`` in the
    environment before Python starts, they sleep instead.

    Of OpenMP's ``OMP_NUM_THREADS`` the first number counts; a value that is none is ignored, as
    OpenMP does. A value of ``ABUT_NUM_THREADS`` that is none of the above is an error when a query
    starts.

    Examples
    --------
    >>> import abut
    >>> abut.set_num_threads(1)
    >>> abut.set_num_threads(None)
    """
    global _chosen
    _chosen = None if n is None else _threads(checks.whole(n, "n"), "n")


def worker_count(workers: object, sphere_count: int = sys.maxsize) -> int:
    """The most threads that a query with this ``workers=`` runs on."""
    if workers is not None:
        return _threads(checks.whole(workers, "workers"), "workers")
    if _chosen is not None:
        return _chosen
    named = _abut_num_threads()
    if named is not None or sphere_count <= FEW_SPHERES:
        return named or 1
    return _omp_num_threads() or _cores()


def thread_count() -> int:
    """The most threads of a query that is not told; one where the library was built without."""
    asked = worker_count(None)  # complains about what the environment says in any build
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
    # "4,2" gives a number for each level of nested parallelism; there is one level here
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
