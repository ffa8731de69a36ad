"""Columns of populations: attributes with an entry for each sphere, body or bond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arrays import Doubles, locked
from ..base.orientations import read_orientations
from .column_input import read_mask

if TYPE_CHECKING:
    from .population import Population
    from .simulation import Simulation


S = TypeVar("S", bound=np.generic)


class Column(Generic[S]):
    """A read-only array with an entry for each item; `stored` is its name in the library.

    The array is read from the library on its first use after a change of the simulation.
    """

    is_assigned = False

    def __init__(self, stored: str = "") -> None:
        self.stored = stored

    def __set_name__(self, owner: type, name: str) -> None:
        self.stored = self.stored or name
        if not hasattr(self, "name"):
            # the same object later becomes an attribute of Simulation, which is not its owner
            self.name, self._owner = name, owner

    def _population(self, instance: Population | Simulation) -> Population:
        found: Any = instance if isinstance(instance, self._owner) else self._owner(instance)
        population: Population = found
        return population

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(
        self, instance: Population | Simulation, owner: type | None = None
    ) -> NDArray[S]: ...

    def __get__(self, instance: Population | Simulation | None, owner: type | None = None) -> Any:
        if instance is None:
            return self
        population = self._population(instance)
        return population._once(self.name, lambda: self.to_user(population, population._read(self)))

    def __set__(self, instance: Population | Simulation, value: Any) -> None:
        self._population(instance).assign(**{self.name: value})

    def to_user(self, population: Population, stored: NDArray[Any]) -> NDArray[Any]:
        """Convert the library's array to the array that users see."""
        return stored

    def from_user(self, population: Population, value: Any) -> NDArray[Any]:
        """Convert a user's value to the library's array."""
        raise AttributeError(f"{self.name} of {population.nouns} cannot be assigned")


class AssignedColumn(Column[S]):
    """A column that can be assigned an array of the same shape."""

    is_assigned = True

    def from_user(self, population: Population, value: Any) -> NDArray[Any]:
        """Convert a value to an array with the column's shape and type of numbers."""
        now: NDArray[Any] = self.__get__(population)
        read = checks.indices if now.dtype.kind == "i" else checks.doubles
        array = read(value, self.name)
        if array.shape != now.shape:
            raise ValueError(
                f"{self.name} has shape {array.shape}, but must be {now.shape}: assign the whole"
                " column"
            )
        return np.ascontiguousarray(array)


class MaskColumn(AssignedColumn[np.bool_]):
    """A column of True and False, which can be assigned one value for all."""

    def to_user(self, population: Population, stored: NDArray[Any]) -> NDArray[Any]:
        """Convert the library's integers 0 and 1 to truth values."""
        return locked(stored != 0)

    def from_user(self, population: Population, value: Any) -> NDArray[Any]:
        """Convert truth values, or one value for all items, to integers 0 and 1."""
        return read_mask(value, len(population), self.name)


class OrientationColumn(AssignedColumn[np.float64]):
    """A column of unit quaternions x, y, z, w, which can be assigned SciPy's rotations."""

    def from_user(self, population: Population, value: Any) -> Doubles:
        """Convert orientations to an array of unit quaternions."""
        return read_orientations(value, len(population), self.name)


class ImagesColumn(Column[np.intp]):
    """The images of particles, which can be assigned 0: then they are counted anew."""

    is_assigned = True

    def __set__(self, instance: Population | Simulation, value: Any) -> None:
        if np.ndim(value) != 0 or value != 0:
            raise ValueError("images can be assigned 0, which counts anew, and nothing else")
        population = self._population(instance)
        with population._core.lock(False):
            population._core.clear_images(population.kind)

    def from_user(self, population: Population, value: Any) -> NDArray[Any]:
        """Reject images among other columns, because only 0 can be assigned."""
        raise AttributeError(
            f"images of {population.nouns} cannot be assigned with other columns: images = 0"
            " counts them anew"
        )
