"""Laws of contact that users write in Python."""

from __future__ import annotations

import hashlib
import inspect
import math
import sys
import typing
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from .. import _core
from ..base import checks
from .contact import ZERO, Contact, Vector

# numbers that a contact keeps at most
MOST_HISTORY = _core.LAW_HISTORY


def law(
    function: Callable[..., Any] | None = None,
    *,
    history: type[Any] | None = None,
    reach: float = 0.0,
    curvature: float | None = None,
    jumps: bool = False,
) -> Any:
    """Make a law of contact of a function: a decorator.

    The function says what one contact exerts: ``function(contact, *parameters)``, or with a history
    ``function(contact, old, *parameters)``. The extra ``law`` brings numba, which compiles it into
    a loop over contacts that needs no Python; called by hand it runs in plain Python, too.

    ``contact`` has, of the moment at which forces are computed, with docs/dem.md's signs:

    * ``overlap`` (negative beyond touch, where the law has a reach), ``normal`` (to i),
    * ``parting``, ``sliding``: relative velocity along the normal, positive where the two part,
      and in the tangent plane; ``rolling``, ``twisting``: relative spin, in the tangent plane and
      along the normal,
    * ``radius``, ``mass``, ``inertia``: R*, m* and I*; ``radius_i``, ``radius_j``: of a wall
      infinite,
    * ``is_new``: 1.0 in the first step of a contact, else 0.0; ``step``: of time.

    It returns the push, a number, or what `force` makes; with a history a tuple of that and of the
    history that the contact keeps. The other one gets the opposite, and shares, arms, matching from
    step to step and the turning of vectors are the library's: a law cannot break momentum.

    Parameters
    ----------
    function : callable
        Of one contact. Parameters behind the contact, and the history, are floats, with defaults
        or without. It may call `math` and `numpy` functions of numbers, `force`, `slide`, `roll`,
        `hertz`, `jkr` and functions that numba compiled, and raises nothing.
    history : type, optional
        What a contact remembers: a `typing.NamedTuple` whose fields are ``float`` or `Vector`, at
        most 32 numbers. Vectors are turned with the contact. Of a new contact all of it is 0.
    reach : float, default 0
        A length, 0 or positive: the law is asked as far as the surfaces are no farther apart.
    curvature : float, optional
        The radius with which convex bodies that are not rounded count, as of `Hertz`.
    jumps : bool, default False
        Whether the force may jump where contacts begin, at touch or at the reach.

    Returns
    -------
    callable
        It takes the parameters by name and returns the law that `Simulation.set_law` takes.

    Raises
    ------
    TypeError, ValueError
        If the function's arguments, history or an option are wrong.

    Notes
    -----
    Results have the same bits for any number of threads. They have them on any machine as long as a
    law uses + - * / and square roots; exp, pow and trigonometry are the platform's.

    Examples
    --------
    >>> import abut
    >>> @abut.laws.law
    ... def spring(contact, stiffness, damping=0.0):
    ...     return max(stiffness * contact.overlap - damping * contact.parting, 0.0)
    >>> spring(stiffness=1e3)
    spring(stiffness=1000.0, damping=0.0)
    """

    # annotations of a history may be texts, of names that are known where it is decorated
    names = sys._getframe(1).f_locals

    def make(given: Callable[..., Any]) -> LawFunction:
        return LawFunction(given, history, names, reach, curvature, jumps)

    return make if function is None else make(function)


class LawFunction:
    """What `law` makes: takes parameters, and returns an `OwnLaw`."""

    def __init__(
        self,
        function: Callable[..., Any],
        history: type[Any] | None,
        names: Mapping[str, Any],
        reach: float,
        curvature: float | None,
        jumps: bool,
    ) -> None:
        if not inspect.isfunction(function):
            kind = checks.a_or_an(type(function).__name__)
            raise TypeError(f"abut.laws.law is given {kind}, but must be given a function")
        self.function, self.history, self.jumps = function, history, bool(jumps)
        self.name = function.__name__
        self.reach = read_reach(reach)
        self.curvature = None if curvature is None else checks.positive(curvature, "curvature")
        self.kinds = _read_history(self.name, history, names)
        self.defaults = _read_parameters(self.name, function, history is not None)
        # it stands where the function did, which pickle finds by these
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __reduce__(self) -> str:
        return self.__qualname__

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(self.defaults)

    @property
    def vectors(self) -> tuple[str, ...]:
        return tuple(name for name, kind in self.kinds.items() if kind is Vector)

    @property
    def scalars(self) -> tuple[str, ...]:
        return tuple(name for name, kind in self.kinds.items() if kind is float)

    def __call__(self, **parameters: float) -> OwnLaw:
        for name in parameters:
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "none"
                raise TypeError(f"{self.name} has no parameter {name}; its parameters are {known}")
        values: dict[str, float] = {}
        for name, value in {**self.defaults, **parameters}.items():
            if value is None:
                raise TypeError(f"{self.name} is not given {name}")
            values[name] = read_parameter(value, name, self.name)
        return OwnLaw(self, values)

    def __repr__(self) -> str:
        return f"<law {self.name}({', '.join(self.defaults)})>"

    # ---- one contact, in plain Python ----

    def zero(self) -> Any:
        """The history of a new contact; None where the law has none."""
        if self.history is None:
            return None
        return self.history(**{n: ZERO if k is Vector else 0.0 for n, k in self.kinds.items()})

    # ---- compiled ----

    @cached_property
    def compiled(self) -> Any:
        """numba's function over a block: `address` is that of the C function."""
        from .compiling import compile_law

        return compile_law(self)

    @cached_property
    def source_hash(self) -> str:
        """Of the function's text; where that is not to be had, of its bytecode."""
        try:
            text = inspect.getsource(self.function)
        except (OSError, TypeError):
            text = self.function.__code__.co_code.hex()
        return hashlib.sha256(text.encode()).hexdigest()


class OwnLaw:
    """A law of one's own with its parameters: what a `law` returns when it is called.

    Attributes
    ----------
    name : str
    parameters : dict of str to float
    reach : float
    """

    def __init__(self, of: LawFunction, values: dict[str, float]) -> None:
        self.of, self._values = of, values

    @property
    def name(self) -> str:
        return self.of.name

    @property
    def parameters(self) -> dict[str, float]:
        return dict(self._values)

    @property
    def numbers(self) -> list[float]:
        return list(self._values.values())

    @property
    def reach(self) -> float:
        return self.of.reach

    @property
    def curvature(self) -> float | None:
        return self.of.curvature

    @property
    def jumps(self) -> bool:
        return self.of.jumps

    @property
    def vectors(self) -> tuple[str, ...]:
        return self.of.vectors

    @property
    def scalars(self) -> tuple[str, ...]:
        return self.of.scalars

    @property
    def address(self) -> int:
        return int(self.of.compiled.address)

    @property
    def source_hash(self) -> str:
        return self.of.source_hash

    def once(self, contact: Contact, old: Any = None) -> Any:
        """What one contact exerts, by plain Python: as the function returns it."""
        if self.of.history is None:
            return self.of.function(contact, *self.numbers)
        return self.of.function(contact, old, *self.numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OwnLaw):
            return NotImplemented
        return self.of is other.of and self._values == other._values

    def __hash__(self) -> int:
        return hash((id(self.of), *self._values.values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self._values.items())
        return f"{self.name}({values})"


# ---- reading what a function says ----------------------------------------------------------------


def read_parameter(value: object, name: str, law: str) -> float:
    """A number of a law of this name; infinite where nothing is limited, say."""
    found = checks.number(value, f"{name} of {law}")
    if math.isnan(found):
        raise ValueError(f"{name} of {law} is nan, but must be a number")
    return found


def read_reach(value: object) -> float:
    found = checks.not_negative(value, "reach")
    if found > _core.COORDINATE_LIMIT:
        raise ValueError(f"reach is {found}, but must be at most {_core.COORDINATE_LIMIT}")
    return found


def _read_history(
    name: str, history: type[Any] | None, names: Mapping[str, Any]
) -> dict[str, type[Any]]:
    """The fields of a history, with their types: of texts by these names, too."""
    if history is None:
        return {}
    if not (isinstance(history, type) and issubclass(history, tuple)) or not hasattr(
        history, "_fields"
    ):
        raise TypeError(f"history of {name} is {history!r}, but must be a typing.NamedTuple")
    try:
        kinds = typing.get_type_hints(history, localns=dict(names))
    except NameError as error:
        raise TypeError(f"history of {name}: {error}") from None
    for field in history._fields:
        if kinds.get(field) not in (float, Vector):
            found = kinds.get(field, "of no type")
            raise TypeError(
                f"{field} of the history of {name} is {found}, but must be float or"
                " abut.laws.Vector"
            )
    # vectors first, as blocks have them
    ordered = sorted(history._fields, key=lambda field: kinds[field] is not Vector)
    count = sum(3 if kinds[field] is Vector else 1 for field in ordered)
    if count > MOST_HISTORY:
        raise ValueError(f"the history of {name} has {count} numbers, but {MOST_HISTORY} at most")
    return {field: kinds[field] for field in ordered}


def _read_parameters(
    name: str, function: Callable[..., Any], has_history: bool
) -> dict[str, float | None]:
    """Names of the parameters, with their defaults; None: there is none."""
    given = list(inspect.signature(function).parameters.values())
    first = 2 if has_history else 1
    if len(given) < first:
        what = "the contact and its history" if has_history else "the contact"
        raise TypeError(f"{name} has {len(given)} arguments, but begins with {what}")
    defaults: dict[str, float | None] = {}
    for one in given[first:]:
        if one.kind not in (one.POSITIONAL_OR_KEYWORD,):
            raise TypeError(f"{name} has the argument {one}, but parameters are plain ones")
        is_given = one.default is not one.empty
        defaults[one.name] = read_parameter(one.default, one.name, name) if is_given else None
    return defaults
