"""What is given once and never changes: the base of materials, laws, motions and what inserts.

A value is a frozen dataclass whose fields are the arguments that make it. Its `to_dict` has nothing
but dicts, lists, strings, numbers and None, which JSON writes without loss, and `from_dict` makes
an equal value of that: so files of a simulation hold them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

# What an argument has in its metadata that earlier versions do not know. It is None by default, and
# then not in the dict, so that these read what they know.
NEW = "new"


class Value:
    """A frozen dataclass that goes into a dict and back."""

    _kinds: ClassVar[dict[str, type[Value]]] = {}

    def __init_subclass__(cls) -> None:
        Value._kinds[cls.__name__] = cls

    def to_dict(self) -> dict[str, Any]:
        """The name of its class as ``"kind"``, and its arguments, in what JSON knows.

        `from_dict` makes an equal one of it.

        Examples
        --------
        >>> import abut
        >>> abut.Material(density=2500.0).to_dict()
        {'kind': 'Material', 'density': 2500.0, 'young': None, 'poisson': 0.2}
        """
        known = {
            field.name: getattr(self, field.name)
            for field in fields(self)  # type: ignore[arg-type]
            if not (field.metadata.get(NEW) and getattr(self, field.name) is None)
        }
        return {"kind": type(self).__name__} | {
            name: _plain(entry) for name, entry in known.items()
        }

    def _settle(self, **read: Any) -> None:
        """Keep arguments as they were read, while the value is made."""
        for name, value in read.items():
            object.__setattr__(self, name, value)


def from_dict(stored: Mapping[str, Any]) -> Any:
    """The value that `Value.to_dict` stored; a ValueError where it is none."""
    arguments = dict(stored)
    kind = Value._kinds.get(arguments.pop("kind", None))  # type: ignore[arg-type]
    if kind is None:
        raise ValueError(f"there is no kind {stored.get('kind')!r} of value")
    try:
        return kind(**{name: _value(entry) for name, entry in arguments.items()})
    except TypeError as error:
        raise ValueError(f"{stored['kind']}: {error}") from None


def _plain(entry: Any) -> Any:
    if isinstance(entry, Value):
        return entry.to_dict()
    if isinstance(entry, tuple):
        return [_plain(item) for item in entry]
    return entry.tolist() if isinstance(entry, np.ndarray) else entry


def _value(entry: Any) -> Any:
    if isinstance(entry, list):
        return [_value(item) for item in entry]
    return from_dict(entry) if isinstance(entry, dict) else entry
