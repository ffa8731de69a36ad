"""Names in error messages: public names, and a hint if another code's argument was used."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

_P = ParamSpec("_P")
_S = TypeVar("_S")
_C = TypeVar("_C", bound=type)

# names that other codes have for arguments and attributes of a Simulation
_MEANT = {
    "dt": "step",
    "timestep": "step",
    "time_step": "step",
    "box": "period",
    "cell": "period",
    "periodic": "period",
    "g": "gravity",
    "threads": "workers",
    "n_jobs": "workers",
}


def nearest_name(name: str, public: list[str]) -> str | None:
    """The public name that a wrong one stands for: another code's word, or a misspelled name."""
    close = difflib.get_close_matches(name, public, 1)
    meant = _MEANT.get(name, close[0] if close else None)
    return meant if meant in public else None


def names_what_was_meant(
    method: Callable[Concatenate[_S, _P], None],
) -> Callable[Concatenate[_S, _P], None]:
    """Make a method raise a TypeError with abut's keyword if another code's name was used."""
    known = inspect.signature(method).parameters

    @wraps(method)
    def named(self: _S, /, *arguments: _P.args, **keywords: _P.kwargs) -> None:
        for name in keywords:
            if name not in known and name in _MEANT:
                raise TypeError(
                    f"{type(self).__name__} has no argument {name!r}: use {_MEANT[name]}="
                )
        method(self, *arguments, **keywords)

    return named


def with_public_names(cls: _C) -> _C:
    """Put the name of this class into the names of inherited methods, for Python's errors."""
    for part in cls.__mro__[:-1]:
        for name, method in vars(part).items():
            _rename(method, f"{cls.__name__}.{name}")
    return cls


def _rename(method: Any, name: str) -> None:
    while inspect.isfunction(method):
        method.__qualname__, method.__name__ = name, name.rpartition(".")[2]
        method = getattr(method, "__wrapped__", None)
