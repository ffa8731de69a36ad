"""Columns of populations: attributes with an entry for each sphere, body or bond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arrays import Doubles, locked
from ..base.orientations import read_orientations
from .bodies import read_mask

if TYPE_CHECKING:
    from .population import Population
    from .simulation import Simulation


S = TypeVar("S", bound=np.generic)


class Column(Generic[S]):
    """A read-only array with an entry for each, under the name that the library has for it.

    It is read when it is first asked for after something has changed.
    """

    is_assigned = False

    def __init__(self, stored: str = "") -> None:
        self.stored = stored

    def __set_name__(self, owner: type, name: str) -> None:
        self.stored = self.stored or name
        if not hasattr(self, "name"):
            # a simulation has it under the same name
            self.name, self._owner = name, owner

    def _population(self, of: Population | Simulation) -> Population:
        found: Any = of if isinstance(of, self._owner) else self._owner(of)
        population: Population = found
        return population

    @overload
    def __get__(self, of: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, of: Population | Simulation, owner: type | None = None) -> NDArray[S]: ...

    def __get__(self, of: Population | Simulation | None, owner: type | None = None) -> Any:
        if of is None:
            return self
        population = self._population(of)
        return population._once(self.name, lambda: self.told(population, population._read(self)))

    def __set__(self, of: Population | Simulation, value: Any) -> None:
        self._population(of).assign(**{self.name: value})

    def told(self, population: Population, stored: NDArray[Any]) -> NDArray[Any]:
        """What users see of the library's numbers."""
        return stored

    def given(self, population: Population, value: Any) -> NDArray[Any]:
        """What the library takes of a user's."""
        raise AttributeError(f"{self.name} of {population.nouns} cannot be assigned")


class AssignedColumn(Column[S]):
    """A column that takes another array of the same shape."""

    is_assigned = True

    def given(self, population: Population, value: Any) -> NDArray[Any]:
        """The array, of the right shape and kind."""
        now: NDArray[Any] = self.__get__(population)
        read = checks.indices if now.dtype.kind == "i" else checks.doubles
        array = read(value, self.name)
        if array.shape != now.shape:
            raise ValueError(
                f"{self.name} has shape {array.shape}, but must be {now.shape}: columns are"
                " assigned whole"
            )
        return np.ascontiguousarray(array)


class MaskColumn(AssignedColumn[np.bool_]):
    """A column of True and False, which takes one answer for all, too."""

    def told(self, population: Population, stored: NDArray[Any]) -> NDArray[Any]:
        """As truth values."""
        return locked(stored != 0)

    def given(self, population: Population, value: Any) -> NDArray[Any]:
        """As integers."""
        return read_mask(value, len(population), self.name)


class OrientationColumn(AssignedColumn[np.float64]):
    """Quaternions x, y, z, w, or what SciPy has for them."""

    def given(self, population: Population, value: Any) -> Doubles:
        """Unit quaternions."""
        return read_orientations(value, len(population), self.name)
