"""Distributions of the radii of grains: normal, lognormal, Weibull, and sieve curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import logarithm, power_of_e
from ..base.arrays import Doubles
from ..base.values import Value

# The fraction of grains beyond 4 standard deviations of a normal distribution, at either end
# (a probability of 3.2e-5). Distributions without ends are cut there.
TAIL = 1.0 - 0.999968328758167

# largest rounding error of the end of a sieve curve
_ROUNDING = 1e-9

# 2^64 divided by the golden ratio: multiples of it, modulo 2^64, fill the circle evenly
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

# Rational approximation of quantiles of the normal distribution, with a relative error of 1e-16:
# algorithm AS 241, Wichura, Applied Statistics 37 (1988) 477. Coefficients of numerator and
# denominator, highest power first: near the median, in the tails, and far out in the tails.
_MIDDLE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.3871328727963666080),
    (5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867,
     5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1.0),
)  # fmt: skip
TAILS = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.241780725177450611770,
     1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055,
     4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
     0.148103976427480074590, 0.689767334985100004550, 1.6763848301838038494,
     2.05319162663775882187, 1.0),
)  # fmt: skip
_FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     0.0265321895265761230930, 0.296560571828504891230, 1.78482653991729133580,
     5.46378491116411436990, 6.65790464350110377720),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 0.0148753612908506148525, 0.136929880922735805310,
     0.599832206555887937690, 1.0),
)  # fmt: skip


class Sizes(Value):
    """Distribution of radii, for `radii` of an `Insertion`.

    `Sizes.normal`, `Sizes.lognormal` and `Sizes.weibull` have parameters that are radii.
    `Sizes.sieve` has openings of sieves, which are diameters.

    ``sizes(generator, count)`` returns radii (count,). They are not independent: they are spread
    evenly over the distribution, so that a few of them have its shares already. The seed shifts
    them all together. The numbers are the same on every machine.

    Notes
    -----
    Grain k has the radius that a fraction u_k = (u_0 + k φ) mod 1 of all grains does not reach.
    Here φ = (√5 - 1) / 2, and u_0 is random. In any interval of radii, the number of grains differs
    from its expectation by one or two; with independent grains, by its square root. So the few
    coarse grains, which may have most of the mass, come at an even rate. See Niederreiter, Random
    Number Generation and Quasi-Monte Carlo Methods (1992), chapter 3.

    Examples
    --------
    >>> import abut, numpy as np
    >>> sand = abut.Sizes.sieve([0.5e-3, 1e-3, 2e-3], [0, 0.4, 1])
    >>> sand.bounds
    (0.00025, 0.001)
    >>> radii = sand(np.random.default_rng(0), 1000)
    >>> masses = radii**3
    >>> float((masses[radii < 0.5e-3].sum() / masses.sum()).round(2))
    0.4
    """

    def __init__(self, *given: Any) -> None:
        raise TypeError("Sizes takes no numbers: use Sizes.normal, lognormal, weibull or sieve")

    @staticmethod
    def normal(
        mean: float, deviation: float, *, low: float | None = None, high: float | None = None
    ) -> Sizes:
        """Radii with a normal distribution.

        Parameters
        ----------
        mean : float
            Mean radius, positive.
        deviation : float
            Standard deviation of the radii.
        low, high : float, optional
            Smallest and largest radius. By default the tails beyond 4 deviations are cut off: at
            either end 3 of 100,000 grains.

        Raises
        ------
        ValueError
            If a number is out of its range, or radii would not be positive.
        TypeError
            If an argument is not a number.

        Examples
        --------
        >>> import abut
        >>> tuple(round(end, 3) for end in abut.Sizes.normal(1.0, 0.1).bounds)
        (0.6, 1.4)
        """
        return NormalSizes(mean, deviation, low, high)

    @staticmethod
    def lognormal(
        median: float, sigma: float, *, low: float | None = None, high: float | None = None
    ) -> Sizes:
        """Radii with a lognormal distribution: their logarithms have a normal distribution.

        Parameters
        ----------
        median : float
            Median radius, positive: half of the grains are smaller.
        sigma : float
            Standard deviation of the natural logarithm of the radii.
        low, high : float, optional
            Smallest and largest radius; by default as for `normal`.

        Raises
        ------
        ValueError, TypeError
            As for `normal`.

        Examples
        --------
        >>> import abut
        >>> tuple(round(end, 3) for end in abut.Sizes.lognormal(1.0, 0.25).bounds)
        (0.368, 2.718)
        """
        return LognormalSizes(median, sigma, low, high)

    @staticmethod
    def weibull(
        scale: float, shape: float, *, low: float | None = None, high: float | None = None
    ) -> Sizes:
        """Radii with a Weibull distribution: a fraction exp(-(r / scale)^shape) is above r.

        Parameters
        ----------
        scale : float
            Radius, positive, which 1 / e of the grains exceed.
        shape : float
            Exponent, positive. The larger it is, the less the radii differ.
        low, high : float, optional
            Smallest and largest radius. By default the smallest and the largest 3 of 100,000 grains
            are cut off.

        Raises
        ------
        ValueError, TypeError
            As for `normal`.

        Examples
        --------
        >>> import abut
        >>> tuple(round(end, 3) for end in abut.Sizes.weibull(1.0, 5.0).bounds)
        (0.126, 1.596)
        """
        return WeibullSizes(scale, shape, low, high)

    @staticmethod
    def sieve(
        openings: ArrayLike, passing: ArrayLike, by: Literal["mass", "number"] = "mass"
    ) -> Sizes:
        """Radii that follow a sieve curve (grading curve, cumulative distribution).

        Parameters
        ----------
        openings : (k,) array_like
            Openings of the sieves, ascending or descending: diameters, not radii.
        passing : (k,) array_like
            The part that passes each opening, from 0 at the smallest to 1 at the largest one. It is
            linear in the diameter between two openings. If one opening stands twice, grains of
            this diameter make up the step.
        by : "mass" or "number", default "mass"
            Whether parts are those of the mass, as laboratories measure them, or of the number of
            grains.

        Raises
        ------
        ValueError
            If the curve does not rise from 0 to 1, or an opening is not positive.
        TypeError
            If an argument is not an array of real numbers.

        Examples
        --------
        >>> import abut
        >>> abut.Sizes.sieve([1e-3, 2e-3, 4e-3], [0, 0.5, 1]).bounds
        (0.0005, 0.002)
        """
        return SieveSizes(*_read_curve(openings, passing), by)

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest radius."""
        low, high = self.radii([0.0, 1.0]).tolist()
        return low, high

    def __call__(self, generator: np.random.Generator, count: int) -> Doubles:
        """Draw radii (count,)."""
        if not isinstance(generator, np.random.Generator):
            raise TypeError(f"generator is {generator!r}, but must be np.random.default_rng(seed)")
        if (total := checks.whole(count, "count")) < 0:
            raise ValueError(f"count is {total}, but must be 0 or positive")
        return self._drawn(generator, strata(start_of(generator), 0, total))

    def radii(self, places: ArrayLike) -> Doubles:
        """The radii (n,) at places (n,) from 0 to 1: the fraction of grains that are smaller."""
        given = checks.doubles(places, "places")
        is_valid = (given >= 0.0) & (given <= 1.0)
        if not is_valid.all():
            wrong = given[~is_valid].flat[0]
            raise ValueError(f"places has {wrong:g}, but places are fractions from 0 to 1")
        return self._radii_at(given)

    def _radii_at(self, places: Doubles) -> Doubles:
        """The radii at places that were checked."""
        raise NotImplementedError

    def _drawn(self, generator: np.random.Generator, places: Doubles) -> Doubles:
        """Radii at places that fill 0 to 1 evenly; `generator` is for functions of users."""
        return self._radii_at(places)

    def __repr__(self) -> str:
        given = [(one.name, getattr(self, one.name)) for one in fields(self)]  # type: ignore[arg-type]
        shown = ", ".join(f"{name}={value!r}" for name, value in given if value is not None)
        return f"Sizes.{type(self).__name__.removesuffix('Sizes').lower()}({shown})"


def start_of(generator: np.random.Generator) -> int:
    """The random start of a sequence of places, for `strata`."""
    return int(generator.random() * 2.0**53) << 11


def strata(start: int, first: int, count: int) -> Doubles:
    """Members `first` to `first + count - 1` of a sequence of places that fill 0 to 1 evenly."""
    turns = np.arange(first, first + count, dtype=np.uint64) * _GOLDEN + np.uint64(start)
    # 52 bits and a half, so that no place is 0 or 1
    return ((turns >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


# ---- the distributions ---------------------------------------------------------------------------


class _Tailed(Sizes):
    """A distribution without ends, cut at `low` and `high` or where its tails begin."""

    low: float | None
    high: float | None

    def _read_ends(self) -> None:
        """Check `low` and `high`, and that all radii are positive."""
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                self._settle(**{name: checks.positive(getattr(self, name), name)})
        smallest, largest = self.bounds
        if not smallest > 0.0:
            raise ValueError(
                f"{self} goes down to a radius of {smallest:g}, but radii must be positive: give a"
                " smaller deviation, or low="
            )
        if not smallest <= largest < np.inf:
            raise ValueError(f"{self} has no radius between {smallest:g} and {largest:g}")

    def _radii_at(self, places: Doubles) -> Doubles:
        low, high = self._ends
        inside = low + places * (high - low)
        found = np.asarray(self._quantiles(inside))
        return np.clip(found, self.low, self.high) if self._is_cut else found

    @property
    def bounds(self) -> tuple[float, float]:
        low, high = super().bounds
        return self.low or low, self.high or high

    @property
    def _is_cut(self) -> bool:
        return self.low is not None or self.high is not None

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The places of the ends in the whole distribution."""
        low = TAIL if self.low is None else self._place(self.low)
        return low, 1.0 - TAIL if self.high is None else self._place(self.high)

    def _place(self, radius: float) -> float:
        """The fraction of grains that are smaller than this radius, by bisection."""
        low, high = 2.0**-53, 1.0 - 2.0**-53
        while low < (middle := 0.5 * (low + high)) < high:
            if self._quantiles(np.float64(middle)) < radius:
                low = middle
            else:
                high = middle
        return high

    def _quantiles(self, places: Any) -> Any:
        """The radii below which there are these fractions of the whole distribution."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class NormalSizes(_Tailed):
    """See `Sizes.normal`."""

    mean: float
    deviation: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        self._settle(
            mean=checks.positive(self.mean, "mean"),
            deviation=checks.not_negative(self.deviation, "deviation"),
        )
        self._read_ends()

    def _quantiles(self, places: Any) -> Any:
        return self.mean + self.deviation * normal_quantiles(places)


@dataclass(frozen=True, repr=False)
class LognormalSizes(_Tailed):
    """See `Sizes.lognormal`."""

    median: float
    sigma: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        self._settle(
            median=checks.positive(self.median, "median"),
            sigma=checks.not_negative(self.sigma, "sigma"),
        )
        if self.sigma > 10.0:
            raise ValueError(
                f"sigma is {self.sigma:g}, but is the deviation of the natural logarithm of the"
                " radii, at most 10"
            )
        self._read_ends()

    def _quantiles(self, places: Any) -> Any:
        return self.median * power_of_e(self.sigma * normal_quantiles(places))


@dataclass(frozen=True, repr=False)
class WeibullSizes(_Tailed):
    """See `Sizes.weibull`."""

    scale: float
    shape: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        self._settle(
            scale=checks.positive(self.scale, "scale"),
            shape=checks.positive(self.shape, "shape"),
        )
        if self.shape < 0.1:
            raise ValueError(f"shape is {self.shape:g}, but must be at least 0.1")
        self._read_ends()

    def _quantiles(self, places: Any) -> Any:
        # (-ln(1 - u))^(1 / shape)
        return self.scale * power_of_e(logarithm(-logarithm(1.0 - places)) / self.shape)


@dataclass(frozen=True, repr=False)
class SieveSizes(Sizes):
    """See `Sizes.sieve`."""

    openings: tuple[float, ...]
    passing: tuple[float, ...]
    by: Literal["mass", "number"] = "mass"

    def __post_init__(self) -> None:
        checks.choice(self.by, "by", {"mass": True, "number": False})
        # lists come from restart files
        self._settle(openings=tuple(self.openings), passing=tuple(self.passing))

    def _radii_at(self, places: Doubles) -> Doubles:
        starts, edges = self._numbers, np.array(self.openings)
        rows = np.clip(np.searchsorted(starts, places, side="right") - 1, 0, len(edges) - 2)
        widths = np.diff(starts)[rows]
        part = np.divide(
            places - starts[rows], widths, out=np.zeros(places.shape), where=widths > 0
        )
        part = np.clip(part, 0.0, 1.0)
        low, high = edges[rows], edges[rows + 1]
        if self.by == "number":
            return 0.5 * (low + part * (high - low))
        # A mass that is even in the diameter d is a number of grains as 1 / d^3, so 1 / d^2 is even
        # in the number. In terms of low / d nothing overflows.
        ratio = low / high
        inverse = np.sqrt(1.0 - part * (1.0 - ratio * ratio))
        return 0.5 * np.clip(low / inverse, low, high)

    @cached_property
    def _numbers(self) -> Doubles:
        """The fraction of grains, by number, that pass each opening."""
        edges, parts = np.array(self.openings), np.diff(self.passing)
        if self.by == "mass":
            # the number of grains of a part is its mass times the mean of 1 / d^3
            low, high = edges[:-1] / edges[-1], edges[1:] / edges[-1]
            parts = parts * (low + high) / (2.0 * (low * low) * (high * high))
        numbers = np.concatenate([[0.0], np.cumsum(parts)])
        return np.asarray(numbers / numbers[-1])


def normal_quantiles(places: ArrayLike) -> Any:
    """Quantiles of the standard normal distribution, at places above 0 and below 1."""
    places = np.asarray(places, np.float64)
    middle = places - 0.5
    square = 0.180625 - middle * middle
    tail = np.sqrt(-logarithm(np.minimum(places, 1.0 - places)))
    far = np.where(tail > 5.0, _ratio(_FAR, tail - 5.0), _ratio(TAILS, tail - 1.6))
    return np.where(square >= 0, middle * _ratio(_MIDDLE, square), np.copysign(far, middle))


def _ratio(coefficients: tuple[tuple[float, ...], ...], x: Doubles) -> Any:
    """A polynomial divided by another one."""
    above, below = (np.zeros(()), np.zeros(()))
    for over, under in zip(*coefficients, strict=True):
        above, below = above * x + over, below * x + under
    return above / below


# ---- arguments -----------------------------------------------------------------------------------


def _read_curve(
    openings: ArrayLike, passing: ArrayLike
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Openings, ascending, and what passes them."""
    sieves, parts = checks.doubles(openings, "openings"), checks.doubles(passing, "passing")
    if sieves.ndim != 1 or len(sieves) < 2:
        raise ValueError(f"openings has shape {sieves.shape}, but must be (k,), with two or more")
    checks.shaped(parts, "passing", sieves.shape)
    for array, name in ((sieves, "openings"), (parts, "passing")):
        checks.all_finite(array, name)
    if sieves[0] > sieves[-1]:
        sieves, parts = sieves[::-1], parts[::-1]
    _check_rise(sieves, "openings")
    _check_rise(parts, "passing")
    if sieves[0] <= 0.0:
        raise ValueError(f"openings has {sieves[0]:g}, but openings are positive diameters")
    if parts[0] != 0.0:
        raise ValueError(
            f"passing is {parts[0]:g} at the smallest opening, {sieves[0]:g}, but must be 0 there:"
            " add the diameter of the smallest grains"
        )
    if abs(parts[-1] - 1.0) > _ROUNDING:
        remedy = ": divide percent by 100" if parts[-1] == 100.0 else ""
        raise ValueError(
            f"passing is {parts[-1]:g} at the largest opening, {sieves[-1]:g}, but must end at 1"
            f"{remedy or ': add the diameter of the largest grains'}"
        )
    return tuple(sieves.tolist()), (*parts[:-1].clip(max=1.0).tolist(), 1.0)


def _check_rise(numbers: Sequence[float] | Doubles, name: str) -> None:
    falls = np.flatnonzero(np.diff(numbers) < 0)
    if len(falls):
        k = int(falls[0])
        raise ValueError(
            f"{name} goes from {numbers[k]:g} to {numbers[k + 1]:g}, but must rise with the"
            " diameter"
        )
