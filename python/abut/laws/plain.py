"""How the force of a contact follows from how far, how fast and how long two things overlap.

docs/dem.md has the equations. A law holds constants alone; the library evaluates it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from .. import _core
from ..base import checks
from ..base.values import NEW, Value
from .cohesion import Cohesion, cohesion_numbers, read_cohesion
from .materials import Material

# by the names of ABUT_LAW_NUMBERS
Numbers = dict[str, float]


@dataclass(frozen=True)
class RollingA(Value):
    """A torque against the spin of a sphere that is pressed on something: the paper's.

    It is coefficient x radius x normal force, summed over the contacts of a sphere, and never
    reverses the spin. It also stops a sphere that spins in place, and does not keep angular
    momentum: what it takes from a sphere nothing else gets. Spheres of clusters, and convex bodies,
    cannot have it.

    Parameters
    ----------
    coefficient : float
        0 or positive, without unit: about the tangent of the slope on which a sphere comes to rest.

    Raises
    ------
    ValueError, TypeError
        If the coefficient is negative, not finite or no number.

    Examples
    --------
    >>> import abut
    >>> abut.Hertz(friction=0.5, rolling=abut.laws.RollingA(0.01)).rolling
    RollingA(coefficient=0.01)
    """

    coefficient: float

    kind: ClassVar[int] = _core.ROLLING_A
    damping: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        self._settle(coefficient=_read_coefficient(self.coefficient))


@dataclass(frozen=True)
class RollingC(Value):
    """A spring and a damper between two that roll on each other, cut like friction.

    It keeps angular momentum, lets a sphere rest on a slope, and leaves alone what spins in place.
    At a convex body each contact point has such a spring and damper.

    Parameters
    ----------
    coefficient : float
        0 or positive, without unit: the torque is at most coefficient x radius x normal force. The
        radius is R*, by 1 / R* = 1 / R + 1 / R' of the two, at a wall R; that of a body is as of
        `Hertz`.
    damping : float, default 0.3
        Part of the critical damping of the spring, 0 or positive.

    Raises
    ------
    ValueError, TypeError
        If one is negative, not finite or no number.

    Examples
    --------
    >>> import abut
    >>> abut.Hertz(rolling=0.01) == abut.Hertz(rolling=abut.laws.RollingC(0.01))
    True
    """

    coefficient: float
    damping: float = 0.3

    kind: ClassVar[int] = _core.ROLLING_C

    def __post_init__(self) -> None:
        damping = checks.not_negative(self.damping, "damping")
        self._settle(coefficient=_read_coefficient(self.coefficient), damping=damping)


class Frictional(Value):
    """What laws of contact have in common: the base of `Hertz`, `Linear` and `Luding`."""

    friction: float
    restitution: float
    rolling: float | RollingA | RollingC
    curvature: float | None
    cohesion: Cohesion | None

    def __post_init__(self) -> None:
        self._settle(
            friction=checks.not_negative(self.friction, "friction"),
            restitution=_read_restitution(self.restitution),
            rolling=_read_rolling(self.rolling),
            curvature=_read_curvature(self.curvature),
            cohesion=read_cohesion(self.cohesion, type(self).__name__, isinstance(self, Hertz)),
        )


@dataclass(frozen=True)
class Hertz(Frictional):
    """Elastic bodies: Hertz along the normal, Mindlin across it, with friction.

    The stiffness follows from both materials, and from how curved both are where they touch: for a
    sphere by its radius, a wall is flat. A convex body counts with the radius by which its shape is
    rounded, times its scale, or else with the law's `curvature`.

    Parameters
    ----------
    friction : float, default 0
        Coefficient of Coulomb's friction, 0 or positive.
    restitution : float, default 1
        Speed after a head-on impact by that before it, above 0 and at most 1.
    rolling : float, RollingC or RollingA, default 0
        Resistance to rolling; a number is a `RollingC`.
    curvature : float, optional
        A length, positive: the radius of curvature of convex bodies that are not rounded, the same
        at all their facets, edges and corners, and for all their sizes. Without it such a body ends
        the run where it touches something with this law. Rounded bodies and spheres have radii of
        their own, whatever this is.
    cohesion : JKR, DMT or LiquidBridge, optional
        What pulls the two together. `restitution` is that of the law without it: the more two
        stick, the less speed they keep. Friction holds more than the force presses, since the pull
        presses the surfaces on each other, too: up to friction x (normal force + 2 x greatest pull)
        with `JKR` and `DMT`; with a `LiquidBridge` up to friction x what presses without it. So
        does rolling.

    Raises
    ------
    ValueError, TypeError
        If a number is out of its range, or `rolling` or `cohesion` is something else.

    Examples
    --------
    >>> import abut
    >>> abut.Hertz(friction=0.5, restitution=0.4, rolling=0.001).rolling
    RollingC(coefficient=0.001, damping=0.3)

    Of cubes of some millimeters, whose edges and corners are worn to a tenth of one:

    >>> abut.Hertz(friction=0.5, curvature=1e-4).curvature
    0.0001
    """

    friction: float = 0.0
    restitution: float = 1.0
    rolling: float | RollingA | RollingC = 0.0
    curvature: float | None = field(default=None, kw_only=True, metadata={NEW: True})
    cohesion: Cohesion | None = field(default=None, kw_only=True, metadata={NEW: True})

    def numbers(self, a: Material, b: Material) -> Numbers:
        """What the library takes of this law between two materials; at most one may be rigid."""
        if a.young is None and b.young is None:
            raise ValueError(
                f"Hertz' law between {a} and {b}: both are rigid; give one of them young="
            )
        normal = _compliance(a) + _compliance(b)
        tangential = _shear_compliance(a) + _shear_compliance(b)
        return _numbers(self, _core.HERTZ, 1.0 / normal, 1.0 / tangential)


@dataclass(frozen=True)
class Linear(Frictional):
    """A spring and a damper along the normal and across it, with friction.

    Parameters
    ----------
    stiffness : float
        Force an overlap, positive, the same between all sizes.
    tangential : float, default 2/7
        Stiffness across the normal by that along it, 0 or positive. With 2/7 both swing alike.
    friction, restitution, rolling
        As for `Hertz`.
    curvature : float, optional
        As for `Hertz`, but for rolling and cohesion alone: without these, no radius is asked for.
    cohesion : DMT or LiquidBridge, optional
        As for `Hertz`.

    Raises
    ------
    ValueError, TypeError
        As of `Hertz`, or if a stiffness is not positive, or the cohesion is a `JKR`.

    Examples
    --------
    >>> import abut
    >>> abut.Linear(1e4, friction=0.5).stiffness
    10000.0
    """

    stiffness: float
    tangential: float = 2.0 / 7.0
    friction: float = 0.0
    restitution: float = 1.0
    rolling: float | RollingA | RollingC = 0.0
    curvature: float | None = field(default=None, kw_only=True, metadata={NEW: True})
    cohesion: Cohesion | None = field(default=None, kw_only=True, metadata={NEW: True})

    def __post_init__(self) -> None:
        self._settle(
            stiffness=checks.positive(self.stiffness, "stiffness"),
            tangential=checks.not_negative(self.tangential, "tangential"),
        )
        super().__post_init__()

    def numbers(self, a: Material, b: Material) -> Numbers:
        """What the library takes of this law; the materials may be any."""
        return _numbers(self, _core.LINEAR, self.stiffness, self.tangential * self.stiffness)


@dataclass(frozen=True)
class Luding(Frictional):
    """A spring that yields: it keeps a dent where it was pressed, and sticks as it parts.

    The hysteretic force of S. Luding, Cohesive, frictional powders: contact models for tension,
    Granular Matter 10 (2008) 235. With the overlap d, and the largest one of the contact's life D,
    the force along the normal, positive where it repels, is ``max(k (d - d_0), -k_c d)``: ``k_1 d``
    while it is pressed, since ``d_0 = (1 - k_1 / k) D``; along a line of the slope k when it is
    less pressed, or again; and down to a pull of ``k_c d``, with which it parts where two no longer
    touch. While it pulls so, D falls: two that are pressed again go up such a line from there. The
    slope grows with the dent, ``k = k_1 + (k_2 - k_1) D / D_f``, up to k_2. From ``D_f =
    k_2 / (k_2 - k_1) phi_f 2 R*`` on nothing yields any more, and D stays: that is the paper's
    limit branch. R* is as of `Hertz`. A contact that has ended begins anew, without a dent.

    Parameters
    ----------
    loading : float
        k_1, a force an overlap, positive.
    unloading : float
        k_2, a force an overlap, above `loading`.
    tensile : float, default 0
        k_c, a force an overlap, 0 or positive: 0: it never pulls.
    depth : float, default 0.05
        phi_f, above 0 and at most 1, without unit: the deepest dent by 2 R*, the radius of two like
        spheres.
    tangential : float, default 2/7
        Stiffness across the normal by `loading`, 0 or positive.
    friction, restitution, rolling
        As for `Linear`: the damper is that of a spring k_1 without a dent, so that two part with
        less than `restitution`. Friction holds up to friction x (normal force + k_c d), as in
        the paper, and so does rolling.
    curvature : float, optional
        As for `Hertz`.

    Raises
    ------
    ValueError, TypeError
        If a number is out of its range, or `rolling` is something else.

    Examples
    --------
    >>> import abut
    >>> abut.laws.Luding(1e3, 5e3, tensile=1e3, friction=0.3).depth
    0.05

    The faster two meet, the deeper the dent, and the less of their speed they keep, which without
    a pull is sqrt(k_1 / k):

    >>> powder = abut.Material(density=1500)
    >>> law = abut.laws.Luding(1e3, 5e3)
    >>> abut.laws.check_law(law, powder, powder, radius=1e-3).restitution.round(2)
    array([1.  , 1.  , 1.  , 0.99, 0.98, 0.95, 0.86])
    """

    loading: float
    unloading: float
    tensile: float = 0.0
    depth: float = 0.05
    tangential: float = 2.0 / 7.0
    friction: float = 0.0
    restitution: float = 1.0
    rolling: float | RollingA | RollingC = 0.0
    curvature: float | None = field(default=None, kw_only=True)

    cohesion: ClassVar[None] = None  # type: ignore[misc]  # no argument of it

    def __post_init__(self) -> None:
        loading = checks.positive(self.loading, "loading")
        unloading = checks.positive(self.unloading, "unloading")
        depth = checks.positive(self.depth, "depth")
        if not unloading > loading:
            raise ValueError(f"unloading is {unloading}, but must be above loading, {loading}")
        if depth > 1.0:
            raise ValueError(f"depth is {depth}, but must be at most 1")
        self._settle(
            loading=loading,
            unloading=unloading,
            tensile=checks.not_negative(self.tensile, "tensile"),
            depth=depth,
            tangential=checks.not_negative(self.tangential, "tangential"),
        )
        super().__post_init__()

    def numbers(self, a: Material, b: Material) -> Numbers:
        """What the library takes of this law; the materials may be any."""
        numbers = _numbers(self, _core.LINEAR, self.loading, self.tangential * self.loading)
        own = {"unloading": self.unloading, "tensile": self.tensile, "depth": self.depth}
        return numbers | own | {"cohesion": _core.LUDING}


def damping_ratio(restitution: float) -> float:
    """The damping ratio with which two part with this part of their speed, under a force that never
    pulls: what `Hertz` and `Linear` make of their restitution, for laws of one's own.

    Parameters
    ----------
    restitution : float
        Above 0 and at most 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        If it is out of its range, or no number.

    Examples
    --------
    >>> import abut
    >>> round(abut.laws.damping_ratio(0.5), 5)
    0.25528
    """
    return _core.damping_ratio(_read_restitution(restitution))


def _compliance(material: Material) -> float:
    """What the material adds to 1 / E*."""
    if material.young is None:
        return 0.0
    return (1.0 - material.poisson * material.poisson) / material.young


def _shear_compliance(material: Material) -> float:
    """What the material adds to 1 / G*."""
    return 0.0 if material.shear is None else (2.0 - material.poisson) / material.shear


def _numbers(law: Frictional, kind: int, stiffness: float, shear: float) -> Numbers:
    rolling = law.rolling
    assert isinstance(rolling, RollingA | RollingC)  # since the law was made
    return {
        "kind": kind,
        "stiffness": stiffness,
        "shear": shear,
        "friction": law.friction,
        "restitution": law.restitution,
        "rolling": rolling.kind if rolling.coefficient else _core.NO_ROLLING,
        "rolling_friction": rolling.coefficient,
        "rolling_damping": rolling.damping,
        "curvature": law.curvature or 0.0,
    } | cohesion_numbers(law.cohesion)


def _read_coefficient(value: object) -> float:
    return checks.not_negative(value, "coefficient")


def _read_rolling(value: object) -> RollingA | RollingC:
    if isinstance(value, RollingA | RollingC):
        return value
    return RollingC(checks.not_negative(value, "rolling"))


def _read_curvature(value: object) -> float | None:
    return None if value is None else checks.positive(value, "curvature")


def _read_restitution(value: object) -> float:
    found = checks.number(value, "restitution")
    if not 0.0 < found <= 1.0:
        raise ValueError(f"restitution is {found}, but must be above 0 and at most 1")
    return found
