"""Radii of grains as users give them: numbers, bounds, distributions, and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arrays import Doubles
from ..base.extras import import_extra
from .sizes import TAIL, Sizes

# a function of a random generator and a number n, which returns n radii
SizeFunction = Callable[[np.random.Generator, int], ArrayLike]

# a radius, the bounds of a uniform distribution, or a distribution
Radii = float | tuple[float, float] | Sizes


class _QuantileSizes(Sizes):
    """A distribution with a function of quantiles; what has no end above 0 is cut at its tails."""

    @property
    def _distribution(self) -> Any:
        """An object of SciPy with `ppf` or `icdf`, and `support`."""
        raise NotImplementedError

    def _radii_at(self, places: Doubles) -> Doubles:
        low, high = self._ends
        inside = low + places * (high - low)
        known = self._distribution
        quantiles = known.ppf if hasattr(known, "ppf") else known.icdf
        return np.asarray(quantiles(inside), np.float64)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        low, high = self._distribution.support()
        return 0.0 if low > 0.0 else TAIL, 1.0 if high < np.inf else 1.0 - TAIL

    def _check(self) -> None:
        """Raise a ValueError unless all radii are positive and finite."""
        low, high = self.bounds
        if not 0.0 < low <= high < np.inf:
            raise ValueError(
                f"radii is {self}, which has radii from {low:g} to {high:g}, but they must be"
                " positive: give a distribution with a support above 0"
            )


@dataclass(frozen=True, repr=False)
class FrozenSizes(_QuantileSizes):
    """A frozen distribution of ``scipy.stats``, by its name and parameters.

    Restart files hold these. The last bits of its numbers depend on SciPy and the machine.
    """

    name: str
    arguments: tuple[float, ...]
    keywords: tuple[tuple[str, float], ...]

    def __post_init__(self) -> None:
        # lists come from restart files
        keywords = tuple((str(name), float(value)) for name, value in self.keywords)
        self._settle(arguments=tuple(map(float, self.arguments)), keywords=keywords)
        self._check()

    @cached_property
    def _distribution(self) -> Any:
        maker = getattr(import_extra("scipy.stats", "scipy"), self.name)
        return maker(*self.arguments, **dict(self.keywords))

    def __repr__(self) -> str:
        named = [f"{name}={value:g}" for name, value in self.keywords]
        return (
            f"scipy.stats.{self.name}({', '.join([*map('{:g}'.format, self.arguments), *named])})"
        )


@dataclass(frozen=True, repr=False)
class NamedSizes(_QuantileSizes):
    """A function, or a distribution that is not one of ``scipy.stats``.

    Restart files hold its name alone; `load_simulation` takes the object.
    """

    name: str
    given: Any = None

    def __post_init__(self) -> None:
        if hasattr(self.given, "support"):
            self._check()

    @property
    def _distribution(self) -> Any:
        return self.given

    @property
    def bounds(self) -> tuple[float, float]:
        # those of a function are not known
        return super().bounds if hasattr(self.given, "support") else (0.0, 0.0)

    def _drawn(self, generator: np.random.Generator, places: Doubles) -> Doubles:
        if hasattr(self.given, "support"):
            return super()._drawn(generator, places)
        name, count = f"the array that {self.name} returned", len(places)
        radii = checks.shaped(checks.doubles(self.given(generator, count), name), name, (count,))
        wrong = np.flatnonzero(~((radii > 0) & (radii < np.inf)))
        if len(wrong):
            raise ValueError(
                f"entry {wrong[0]} of {name} is {radii[wrong[0]]}, but radii must be positive and"
                " finite"
            )
        return radii

    def with_given(self, sizes: Mapping[str, Any]) -> NamedSizes:
        """Take the function or distribution of this name from `sizes`."""
        if self.name not in sizes:
            raise ValueError(
                f"an insertion has radii of your own, {self.name}, and the file has no code: pass"
                f" sizes={{{self.name!r}: ...}}"
            )
        return NamedSizes(self.name, sizes[self.name])

    def to_dict(self) -> dict[str, Any]:
        return {"kind": type(self).__name__, "name": self.name}

    def __repr__(self) -> str:
        return self.name


def read_radii(value: Any, name: str = "radii") -> Radii:
    """Read a radius, the bounds (low, high) of a uniform distribution, or a distribution.

    A distribution is one of `Sizes`, a frozen one of SciPy, or a function f(generator, n).
    """
    if isinstance(value, Sizes):
        return value
    if callable(value) or hasattr(value, "support"):
        return _read_distribution(value, name)
    radii = checks.doubles(value, name)
    if radii.shape not in ((), (2,)):
        raise ValueError(f"{name} has shape {radii.shape}, but must be a number or (low, high)")
    if not radii.ndim:
        return checks.positive(float(radii), name)
    low, high = (checks.positive(float(one), f"{name}[{k}]") for k, one in enumerate(radii))
    if low > high:
        raise ValueError(f"{name} is ({low}, {high}), but must be (low, high), low first")
    return low, high


def read_given_sizes(sizes: object) -> dict[str, Any]:
    """Read the argument `sizes` of `load_simulation`."""
    if sizes is None:
        return {}
    if not isinstance(sizes, Mapping):
        kind = checks.a_or_an(type(sizes).__name__)
        raise TypeError(f"sizes is {kind}, but must be a dict of names to functions")
    for name, given in sizes.items():
        _read_distribution(given, f"sizes[{name!r}]")
    return dict(sizes)


def _read_distribution(value: Any, name: str) -> Sizes:
    if isinstance(value, Sizes):
        return value
    if hasattr(value, "ppf") and not hasattr(value, "dist"):
        raise TypeError(
            f"{name} is a distribution without parameters: freeze it, as scipy.stats.norm(mean,"
            " deviation) does"
        )
    if not hasattr(value, "support"):
        if not callable(value):
            kind = checks.a_or_an(type(value).__name__)
            raise TypeError(f"{name} is {kind}, but must be a distribution or f(generator, n)")
        return NamedSizes(getattr(value, "__qualname__", type(value).__name__), value)
    known = getattr(value, "dist", None)
    word = getattr(known, "name", type(value).__name__)
    numbers = [*getattr(value, "args", ()), *getattr(value, "kwds", {}).values()]
    if _is_of_scipy(known) and all(np.ndim(number) == 0 for number in numbers):
        return FrozenSizes(word, value.args, tuple(value.kwds.items()))
    return NamedSizes(word, value)


def _is_of_scipy(known: Any) -> bool:
    """Whether `scipy.stats` has this distribution under its own name."""
    if not type(known).__module__.startswith("scipy.stats"):
        return False
    stats = import_extra("scipy.stats", "scipy")
    return type(getattr(stats, known.name, None)) is type(known)
