"""Columns of a simulation's spheres, as attributes that are assigned whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Never, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks

if TYPE_CHECKING:
    from .sphere_part import SpherePart


S = TypeVar("S", bound=np.generic)


class Column(Generic[S]):
    """A read-only array with an entry for each sphere, under the name that the library has for it.

    It is read when it is first asked for after something has changed.
    """

    def __init__(self, stored: str) -> None:
        self._stored = stored

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, simulation: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, simulation: SpherePart, owner: type | None = None) -> NDArray[S]: ...

    def __get__(self, simulation: SpherePart | None, owner: type | None = None) -> Any:
        if simulation is None:
            return self
        return simulation._once(self._name, lambda: simulation._core.read(self._stored))

    def __set__(self, simulation: SpherePart, value: Never) -> None:
        raise AttributeError(f"{self._name} is what a step makes, and is not assigned")


class AssignedColumn(Column[S]):
    """Likewise, but another array of the same shape may be assigned."""

    def __set__(self, simulation: SpherePart, value: ArrayLike) -> None:
        with simulation._core.lock(False):
            now: NDArray[Any] = self.__get__(simulation)
            read = checks.indices if now.dtype.kind == "i" else checks.doubles
            array = read(value, self._name)
            if array.shape != now.shape:
                raise ValueError(
                    f"{self._name} has shape {array.shape}, but must be {now.shape}: columns are"
                    " assigned whole"
                )
            simulation._assign(self._stored, array)
