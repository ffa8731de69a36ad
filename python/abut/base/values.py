"""The base of materials, laws, motions and insertions: values that never change.

A value is a frozen dataclass; its fields are its arguments. `to_dict` returns only dicts, lists,
strings, numbers and None, which JSON writes without loss, and `from_dict` makes an equal value of
them. Restart files hold values in this form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

# Key in the metadata of arguments that earlier versions do not have. Their default is None, and a
# dict leaves them out if they are None, so that earlier versions can read it.
NEW = "new"

# functions that return the arguments of objects of a class that is no `Value`
_STORES: dict[type[Any], Callable[[Any], dict[str, Any]]] = {}


class Value:
    """A frozen dataclass that can be converted to a dict and back."""

    _kinds: ClassVar[dict[str, Callable[..., Any]]] = {}

    def __init_subclass__(cls) -> None:
        Value._kinds[cls.__name__] = cls

    def to_dict(self) -> dict[str, Any]:
        """The name of the class as ``"kind"``, and all arguments, as JSON values.

        `from_dict` makes an equal value of it.

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
        """Store arguments in their final form, while the value is made."""
        for name, value in read.items():
            object.__setattr__(self, name, value)


def add_kind(
    kind: type[Any], store: Callable[[Any], dict[str, Any]], make: Callable[..., Any]
) -> None:
    """Let values hold objects of a class that is no `Value`.

    `store` returns the arguments of `make`, as JSON values.
    """
    Value._kinds[kind.__name__] = make
    _STORES[kind] = store


def from_dict(stored: Mapping[str, Any]) -> Any:
    """The value of a dict that `Value.to_dict` made; a ValueError for another dict."""
    arguments = dict(stored)
    kind = Value._kinds.get(arguments.pop("kind", None))  # type: ignore[arg-type]
    if kind is None:
        raise ValueError(f"{stored.get('kind')!r} is not the kind of a value")
    try:
        return kind(**{name: _value(entry) for name, entry in arguments.items()})
    except TypeError as error:
        raise ValueError(f"{stored['kind']}: {error}") from None


def _plain(entry: Any) -> Any:
    if isinstance(entry, Value):
        return entry.to_dict()
    if type(entry) in _STORES:
        return {"kind": type(entry).__name__} | _STORES[type(entry)](entry)
    if isinstance(entry, tuple):
        return [_plain(item) for item in entry]
    return entry.tolist() if isinstance(entry, np.ndarray) else entry


def _value(entry: Any) -> Any:
    if isinstance(entry, list):
        return [_value(item) for item in entry]
    return from_dict(entry) if isinstance(entry, dict) else entry
