"""Parts of a simulation, and populations: spheres, clusters, bodies, bonds and walls."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, update_wrapper, wraps
from types import FunctionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    ParamSpec,
    TypeVar,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Columns, Doubles, Indices
from ..base.warnings import warn
from .cell_contents import check_fixed, resting
from .column_input import check_still, find, read_forces, read_vectors
from .columns import Column
from .handle import Handle
from .python_side import changes

if TYPE_CHECKING:
    from .simulation import Simulation

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Part = TypeVar("_Part", bound="Part")


class Part:
    """An object with the methods of a simulation for one topic. It has no state of its own."""

    __slots__ = ("_sim",)

    def __init__(self, simulation: Simulation) -> None:
        self._sim = simulation

    @property
    def _core(self) -> _core.Simulation:
        return self._sim._core


class Population(Part):
    """The spheres, clusters, bodies, bonds or walls of a simulation.

    Columns are read-only arrays of the current state. Most columns that `add` takes can be
    assigned, as a whole.
    """

    __slots__ = ()

    noun: ClassVar[str]
    nouns: ClassVar[str]
    kind: ClassVar[int]
    moves: ClassVar[bool] = True

    @property
    def numbers(self) -> Indices:
        """The items' lasting numbers, in the order in which items were added."""
        raise NotImplementedError

    if TYPE_CHECKING:

        @property
        def fixed(self) -> Any:
            """Which items are fixed."""

    def assign(self, **columns: Any) -> None:
        """Assign several columns at once: all of them, or none if one is wrong.

        Parameters
        ----------
        **columns : array_like
            Columns by their names.

        Raises
        ------
        AttributeError
            If a column does not exist, or cannot be assigned.
        ValueError, TypeError
            If a shape, a type or a number is wrong; the message names the first wrong one.
        """
        with self._core.lock(False):
            given = {}
            for name, value in columns.items():
                column = getattr(type(self), name, None)
                if not isinstance(column, Column):
                    raise AttributeError(f"{self.nouns} have no column {name!r} to assign")
                given[column.stored] = column.from_user(self, value)
            self._assign(given)

    def _assign(self, given: Columns) -> None:
        if self.moves:
            fixed = given["fixed"] != 0 if "fixed" in given else np.asarray(self.fixed)
            check_still(given, fixed, self.noun + " {}", self.numbers)
            check_fixed(self._sim, fixed, self.noun + " {}", self.numbers)
        self._core.assign(self.kind, given)

    def _velocities(self, given: Any, places: Doubles) -> Doubles:
        """Read velocities of new particles (n, 3); by default they are at rest in the cell."""
        if given is None:
            return resting(self._sim, places)
        return read_vectors(given, "velocities", len(places))

    def _replace(self, **columns: Any) -> dict[str, Any]:
        name = f"sim.{self.nouns}"
        warn(f"{name}._replace(...) is deprecated: use {name}.assign(...)", DeprecationWarning)
        return columns

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """All columns of the current state, by their names."""
        names = {"numbers": None} | {
            name: None
            for part in reversed(type(self).__mro__)
            for name, value in vars(part).items()
            if isinstance(value, Column)
        }
        return {name: getattr(self, name) for name in names}

    def add_force(self, call: Callable[[Simulation], Any]) -> Handle:
        """Add forces of your own, one for each item, as `Simulation.add_force` does for spheres.

        Forces on clusters act at the centers of mass. Forces on bonds act on i, the opposites on j.
        Forces on walls that are `Free` replace `Wall.applied_force` and `Wall.applied_torque`.
        Restart files hold the number of these callables and those of `Simulation.add_force`
        together.
        """
        with self._core.lock(False):
            entry = partial(_pushed, type(self), read_call(call))
            return self._enlist(self._sim._forces, call, entry, f"{self.nouns}.add_force")

    def _enlist(self, calls: list[Any], call: Any, entry: Any, adder: str) -> Handle:
        calls.append(entry)
        return Handle(f"{adder}: {name_of(call)}", partial(_drop, self._sim, calls, entry))

    def _spread(self, forces: Doubles, torques: Doubles) -> tuple[Doubles, Doubles]:
        """Forces and torques on spheres that are equivalent to the given ones on the items."""
        raise NotImplementedError

    def _find(self, numbers: ArrayLike, named: str = "numbers") -> Indices:
        """The rows of the items with these lasting numbers."""
        source = f"sim.{self.nouns}.numbers"
        return find(self.numbers, numbers, self.noun, named, source)

    def _marks(self, rows: Indices) -> NDArray[np.uint8]:
        """A mask of the population: 1 for these rows, else 0."""
        are_there = np.zeros(len(self), np.uint8)
        are_there[rows] = 1
        return are_there

    def _read(self, column: Column[Any]) -> NDArray[Any]:
        found: NDArray[Any] = self._core.read(self.kind, column.stored)
        return found

    def _once(self, name: str, make: Callable[[], _T]) -> _T:
        return self._sim._once(f"{self.noun} {name}", make)

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({checks.counted(len(self), self.noun, self.nouns)})"


def _pushed(population: type[Population], call: Any, simulation: Simulation) -> Any:
    items = population(simulation)
    returned = call(simulation)
    return items._spread(
        *read_forces(returned, len(items), f"a callable of {items.nouns}.add_force")
    )


@changes
def _drop(simulation: Simulation, calls: list[Any], entry: object) -> None:
    calls[:] = [other for other in calls if other is not entry]


def name_of(call: Any) -> str:
    """The name of a callable, for messages."""
    return getattr(call, "__qualname__", None) or repr(call)


def read_call(call: Any) -> Callable[..., Any]:
    if not callable(call):
        kind = checks.a_or_an(type(call).__name__)
        raise TypeError(f"call is {kind}, but must be a callable that takes the simulation")
    called: Callable[..., Any] = call
    return called


# ---- short forms ---------------------------------------------------------------------------------


def short_form(
    part: type[_Part], method: Callable[Concatenate[_Part, _P], _T]
) -> Callable[Concatenate[Simulation, _P], _T]:
    """Make a part's method a method of the simulation, with its signature and docstring."""
    inner: Any = inspect.unwrap(method)
    # copy the function, because the simulation's method has another name in Python's errors
    copy = FunctionType(
        inner.__code__, inner.__globals__, inner.__name__, inner.__defaults__, inner.__closure__
    )
    copy.__kwdefaults__ = inner.__kwdefaults__
    update_wrapper(copy, inner)
    del copy.__wrapped__  # type: ignore[attr-defined]
    called: Any = copy if method is inner else changes(copy)

    @wraps(copy)
    def short(simulation: Simulation, /, *arguments: Any, **keywords: Any) -> Any:
        return called(part(simulation), *arguments, **keywords)

    return short
