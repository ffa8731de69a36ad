"""What this installation is made of."""

from __future__ import annotations

import platform
from importlib.metadata import version

import numpy as np

from . import _core
from .threads import worker_count


def config() -> dict[str, str]:
    """What `show_config` prints, by its labels."""
    return {
        "abut": version("abut"),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "NumPy": np.__version__,
        "OpenMP": "yes" if _core.has_openmp() else "no: one thread, whatever is asked",
        "threads": _threads(),
        "instruction level": f"{_core.simd()} of {platform.machine()}",
        "platform": platform.platform(),
    }


def _threads() -> str:
    # a wrong ABUT_NUM_THREADS is what a reader of this table may be looking for
    try:
        return str(worker_count(None))
    except ValueError as error:
        return str(error)


def show_config() -> None:
    """Print the versions, threads and instruction level in use, for a report of an error.

    Examples
    --------
    >>> import abut
    >>> abut.show_config()  # doctest: +ELLIPSIS
    abut               ...
    """
    for label, value in config().items():
        print(f"{label:<18} {value}")
