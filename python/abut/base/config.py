"""Versions and settings of this installation."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from .. import _core
from .simd import level
from .threads import thread_count


def config() -> dict[str, str]:
    """The lines of `show_config`, by label."""
    return {
        "abut": version("abut"),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "NumPy": np.__version__,
        "OpenMP": _openmp(),
        "threads": _or_complaint(lambda: str(thread_count())),
        "instruction level": _or_complaint(lambda: f"{level()} of {platform.machine()}"),
        "platform": platform.platform(),
    }


def _openmp() -> str:
    if not _core.has_openmp():
        return "no: queries use one thread"
    policy = os.environ.get("OMP_WAIT_POLICY")
    return "yes, OMP_WAIT_POLICY " + (f"is {policy}" if policy else "is not set")


def _or_complaint(value: Callable[[], str]) -> str:
    # the table may be read because ABUT_NUM_THREADS or ABUT_SIMD is wrong
    try:
        return value()
    except ValueError as error:
        return str(error)


def show_config() -> None:
    """Print the versions, threads and instruction level in use, for an error report.

    Examples
    --------
    >>> import abut
    >>> abut.show_config()  # doctest: +ELLIPSIS
    abut               ...
    """
    for label, value in config().items():
        print(f"{label:<18} {value}")
