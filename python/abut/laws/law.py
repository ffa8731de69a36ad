"""Contact laws that users write in Python."""

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

# largest number of floats in a contact's history; a vector counts as three
MOST_HISTORY = _core.LAW_HISTORY


def law(
    function: Callable[..., Any] | None = None,
    *,
    history: type[Any] | None = None,
    reach: float = 0.0,
    curvature: float | None = None,
    jumps: bool = False,
) -> Any:
    """Decorator that makes a contact law from a function of one contact.

    The function returns the force of one contact: ``function(contact, *parameters)``, or with a
    history ``function(contact, old, *parameters)``. numba (extra ``law``) compiles it into a loop
    over contacts without Python. It also runs in plain Python, for tests.

    ``contact`` has these numbers at the time when forces are computed, with docs/dem.md's signs:

    * ``overlap``: negative for a gap, if the law has a reach; ``normal``: unit vector towards i,
    * ``parting``, ``sliding``: relative velocity along the normal, positive when the two separate,
      and in the tangent plane,
    * ``rolling``, ``twisting``: relative spin in the tangent plane and along the normal,
    * ``radius``, ``mass``, ``inertia``: R*, m* and I*,
    * ``radius_i``, ``radius_j``: radii, infinite for a wall,
    * ``is_new``: 1.0 in the first step of a contact, else 0.0; ``step``: the time step.

    The function returns a number, the push along the normal, or what `force` makes; with a history
    a tuple of this and the new history. The library applies the opposite to the partner, computes
    torques, finds contacts again in the next step, and rotates vectors: a law always conserves
    momentum.

    Parameters
    ----------
    function : callable
        A function of one contact. Parameters after the contact and the history are floats, with or
        without defaults. It may call `math` and `numpy` functions of numbers, `force`, `slide`,
        `roll`, `hertz`, `jkr` and functions that numba compiled. It must not raise.
    history : type, optional
        Contact history: a `typing.NamedTuple` of fields that are ``float`` or `Vector`, with at
        most 32 numbers. Vectors are rotated with the contact. All numbers of a new contact are 0.
    reach : float, default 0
        A length, 0 or positive: the largest gap at which the law is evaluated.
    curvature : float, optional
        Radius of curvature of convex bodies without rounding, as for `Hertz`.
    jumps : bool, default False
        Whether the force may jump when a contact begins, at touch or at the reach.

    Returns
    -------
    callable
        It takes the parameters by name and returns the law that `Simulation.set_law` takes.

    Raises
    ------
    TypeError, ValueError
        If the function's arguments, its history or an option is wrong.

    Notes
    -----
    Results have the same bits for any number of threads. They are the same on any machine if a law
    uses only + - * / and square roots; exp, pow and trigonometric functions depend on the platform.

    Examples
    --------
    >>> import abut
    >>> @abut.laws.law
    ... def spring(contact, stiffness, damping=0.0):
    ...     return max(stiffness * contact.overlap - damping * contact.parting, 0.0)
    >>> spring(stiffness=1e3)
    spring(stiffness=1000.0, damping=0.0)
    """

    # a history's annotations may be strings, with names of the scope in which `law` is called
    names = sys._getframe(1).f_locals

    def make(given: Callable[..., Any]) -> LawFunction:
        return LawFunction(given, history, names, reach, curvature, jumps)

    return make if function is None else make(function)


class LawFunction:
    """What `law` makes: a callable that takes parameters and returns an `OwnLaw`."""

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
            raise TypeError(f"abut.laws.law got {kind}, but must get a function")
        self.function, self.history, self.jumps = function, history, bool(jumps)
        self.name = function.__name__
        self.reach = read_reach(reach)
        self.curvature = None if curvature is None else checks.positive(curvature, "curvature")
        self.kinds = _read_history(self.name, history, names)
        self.defaults = _read_parameters(self.name, function, history is not None)
        # this object replaces the function under its name, so that pickle finds it there
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
                raise TypeError(f"{self.name} needs {name}: give {self.name}({name}=...)")
            values[name] = read_parameter(value, name, self.name)
        return OwnLaw(self, values)

    def __repr__(self) -> str:
        return f"<law {self.name}({', '.join(self.defaults)})>"

    # ---- one contact, in plain Python ----

    def zero(self) -> Any:
        """The history of a new contact; None if the law has none."""
        if self.history is None:
            return None
        return self.history(**{n: ZERO if k is Vector else 0.0 for n, k in self.kinds.items()})

    # ---- compiled ----

    @cached_property
    def compiled(self) -> Any:
        """numba's function that evaluates a block; `address` is the address of its machine code."""
        from .compiling import compile_law

        return compile_law(self)

    @cached_property
    def source_hash(self) -> str:
        """A hash of the function's source, or of its bytecode if the source is not available."""
        try:
            text = inspect.getsource(self.function)
        except (OSError, TypeError):
            text = self.function.__code__.co_code.hex()
        return hashlib.sha256(text.encode()).hexdigest()


class OwnLaw:
    """A law of your own with its parameters: what a `law` returns when it is called.

    Attributes
    ----------
    name : str
    parameters : dict of str to float
    reach : float
    """

    def __init__(self, maker: LawFunction, values: dict[str, float]) -> None:
        self.maker, self._values = maker, values

    @property
    def name(self) -> str:
        return self.maker.name

    @property
    def parameters(self) -> dict[str, float]:
        return dict(self._values)

    @property
    def numbers(self) -> list[float]:
        return list(self._values.values())

    @property
    def reach(self) -> float:
        return self.maker.reach

    @property
    def curvature(self) -> float | None:
        return self.maker.curvature

    @property
    def jumps(self) -> bool:
        return self.maker.jumps

    @property
    def vectors(self) -> tuple[str, ...]:
        return self.maker.vectors

    @property
    def scalars(self) -> tuple[str, ...]:
        return self.maker.scalars

    @property
    def address(self) -> int:
        return int(self.maker.compiled.address)

    @property
    def source_hash(self) -> str:
        return self.maker.source_hash

    def once(self, contact: Contact, old: Any = None) -> Any:
        """The force of one contact in plain Python, as the function returns it."""
        if self.maker.history is None:
            return self.maker.function(contact, *self.numbers)
        return self.maker.function(contact, old, *self.numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OwnLaw):
            return NotImplemented
        return self.maker is other.maker and self._values == other._values

    def __hash__(self) -> int:
        return hash((id(self.maker), *self._values.values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self._values.items())
        return f"{self.name}({values})"


# ---- reading a function's signature and history --------------------------------------------------


def read_parameter(value: object, name: str, law: str) -> float:
    """Read a parameter of the law with this name; it may be infinite, for example as a limit."""
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
    """The fields of a history with their types; `names` resolves annotations that are strings."""
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
    # blocks have a history's vectors before its scalars
    ordered = sorted(history._fields, key=lambda field: kinds[field] is not Vector)
    count = sum(3 if kinds[field] is Vector else 1 for field in ordered)
    if count > MOST_HISTORY:
        raise ValueError(f"the history of {name} has {count} numbers, but may have {MOST_HISTORY}")
    return {field: kinds[field] for field in ordered}


def _read_parameters(
    name: str, function: Callable[..., Any], has_history: bool
) -> dict[str, float | None]:
    """Names of the parameters with their defaults, or None without a default."""
    given = list(inspect.signature(function).parameters.values())
    first = 2 if has_history else 1
    if len(given) < first:
        what = "the contact and its history" if has_history else "the contact"
        raise TypeError(f"{name} has {len(given)} arguments, but must take {what} first")
    defaults: dict[str, float | None] = {}
    for one in given[first:]:
        if one.kind not in (one.POSITIONAL_OR_KEYWORD,):
            raise TypeError(f"{name} has the argument {one}, but must have plain parameters only")
        is_given = one.default is not one.empty
        defaults[one.name] = read_parameter(one.default, one.name, name) if is_given else None
    return defaults
