"""Built-in contact laws: `Hertz`, `Linear` and `Luding`, with friction and rolling resistance.

docs/dem.md has the equations. A law holds parameters only; the C library computes its forces.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from .. import _core
from ..base import checks
from ..base.values import NEW, Value
from .cohesion import Cohesion, cohesion_numbers, read_cohesion
from .materials import Material

# numbers of a law, by the names of ABUT_LAW_NUMBERS
Numbers = dict[str, float]


@dataclass(frozen=True)
class RollingA(Value):
    """Rolling resistance of type A: a torque against the spin of a sphere with contacts.

    The torque is coefficient x radius x normal force, summed over the contacts of a sphere, and
    never reverses the spin (Santasusana et al. 2016). It also stops a sphere that spins in place.
    It does not conserve angular momentum, because no opposite torque acts on the partner. Spheres
    of clusters, and convex bodies, cannot have it.

    Parameters
    ----------
    coefficient : float
        0 or positive, without unit: about the tangent of the slope on which a sphere stays at rest.

    Raises
    ------
    ValueError, TypeError
        If the coefficient is negative, not finite or not a number.

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
    """Rolling resistance of type C: a spring and a damper against rolling, limited like friction.

    It conserves angular momentum, holds a sphere on a slope, and does not act on a sphere that
    spins in place. Each contact point of a convex body has such a spring and damper.

    Parameters
    ----------
    coefficient : float
        0 or positive, without unit: the torque is at most coefficient x radius x normal force. The
        radius is R*, with 1 / R* = 1 / R + 1 / R' of the two, or R at a wall; that of a convex body
        is as for `Hertz`.
    damping : float, default 0.3
        Fraction of critical damping of the spring, 0 or positive.

    Raises
    ------
    ValueError, TypeError
        If an argument is negative, not finite or not a number.

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
    """The base of all built-in contact laws."""

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

    def numbers(self, a: Material, b: Material) -> Numbers:
        """The numbers of this law, for two materials, that the library takes."""
        raise NotImplementedError


@dataclass(frozen=True)
class Hertz(Frictional):
    """Elastic contact: Hertz along the normal, Mindlin in the tangent plane, with friction.

    The stiffness follows from both materials and both radii of curvature: a sphere has its radius,
    a wall is flat. A convex body has the radius by which its shape is rounded, times its scale, or
    without rounding the law's `curvature`.

    Parameters
    ----------
    friction : float, default 0
        Coefficient of Coulomb friction, 0 or positive.
    restitution : float, default 1
        Coefficient of restitution of a head-on impact, above 0 and at most 1.
    rolling : float, RollingC or RollingA, default 0
        Rolling resistance; a number is a `RollingC`.
    curvature : float, optional
        Radius of curvature of convex bodies without rounding, a positive length. It is the same at
        all facets, edges and corners, and for all scales. If it is missing, the run ends when such
        a body touches something under this law. Rounded bodies and spheres do not use it.
    cohesion : JKR, DMT or LiquidBridge, optional
        Attraction of the two. `restitution` is that of the law without cohesion; with cohesion the
        two separate at a lower speed. The pull presses the surfaces on each other, so friction can
        exceed friction x normal force. Its limit is friction x (normal force + 2 x greatest pull)
        with `JKR` and `DMT`, and friction x (normal force without the pull) with a `LiquidBridge`.
        The same holds for rolling.

    Raises
    ------
    ValueError, TypeError
        If a number is out of its range, or `rolling` or `cohesion` is of another type.

    Examples
    --------
    >>> import abut
    >>> abut.Hertz(friction=0.5, restitution=0.4, rolling=0.001).rolling
    RollingC(coefficient=0.001, damping=0.3)

    Cubes of some millimeters with edges and corners that are worn to a tenth of a millimeter:

    >>> abut.Hertz(friction=0.5, curvature=1e-4).curvature
    0.0001
    """

    friction: float = 0.0
    restitution: float = 1.0
    rolling: float | RollingA | RollingC = 0.0
    curvature: float | None = field(default=None, kw_only=True, metadata={NEW: True})
    cohesion: Cohesion | None = field(default=None, kw_only=True, metadata={NEW: True})

    def numbers(self, a: Material, b: Material) -> Numbers:
        """The library's numbers of this law between two materials; at most one may be rigid."""
        if a.young is None and b.young is None:
            raise ValueError(
                f"Hertz' law between {a} and {b}: both are rigid; give one of them young="
            )
        normal = _compliance(a) + _compliance(b)
        tangential = _shear_compliance(a) + _shear_compliance(b)
        return _numbers(self, _core.HERTZ, 1.0 / normal, 1.0 / tangential)


@dataclass(frozen=True)
class Linear(Frictional):
    """A spring and a damper along the normal and in the tangent plane, with friction.

    Parameters
    ----------
    stiffness : float
        Force per overlap, positive, the same for all sizes.
    tangential : float, default 2/7
        Tangential stiffness over normal stiffness, 0 or positive. With 2/7 both oscillations of two
        spheres have the same period.
    friction, restitution, rolling
        As for `Hertz`.
    curvature : float, optional
        As for `Hertz`, but only rolling and cohesion need it.
    cohesion : DMT or LiquidBridge, optional
        As for `Hertz`.

    Raises
    ------
    ValueError, TypeError
        As for `Hertz`, or if a stiffness is not positive, or the cohesion is a `JKR`.

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
        """The library's numbers of this law, which are the same for all materials."""
        return _numbers(self, _core.LINEAR, self.stiffness, self.tangential * self.stiffness)


@dataclass(frozen=True)
class Luding(Frictional):
    """An elastoplastic spring: it keeps a dent where it was pressed, and sticks when it separates.

    The hysteretic force of S. Luding, Cohesive, frictional powders: contact models for tension,
    Granular Matter 10 (2008) 235. d is the overlap, and D its largest value in this contact. The
    force along the normal, positive if it repels, is ``max(k (d - d_0), -k_c d)`` with
    ``d_0 = (1 - k_1 / k) D``:

    - loading for the first time, it is ``k_1 d``;
    - unloading and reloading follow a line with the slope k;
    - the pull is at most ``k_c d``; while it has this value, D falls, and reloading starts there.

    The slope grows with the dent, ``k = k_1 + (k_2 - k_1) D / D_f``, up to k_2. From ``D_f = k_2 /
    (k_2 - k_1) phi_f 2 R*`` on nothing yields, and D is constant: the paper's limit branch. R* is
    as for `Hertz`. A contact that has ended begins again without a dent.

    Parameters
    ----------
    loading : float
        k_1, a force per overlap, positive.
    unloading : float
        k_2, a force per overlap, above `loading`.
    tensile : float, default 0
        k_c, a force per overlap, 0 or positive. With 0 it never pulls.
    depth : float, default 0.05
        phi_f, above 0 and at most 1, without unit: the deepest dent over 2 R*, the radius of two
        like spheres.
    tangential : float, default 2/7
        Tangential stiffness over `loading`, 0 or positive.
    friction, restitution, rolling
        As for `Linear`. The damper is that of a spring k_1 without a dent, so two separate with
        less than `restitution`. Friction holds up to friction x (normal force + k_c d), as in the
        paper, and so does rolling.
    curvature : float, optional
        As for `Hertz`.

    Raises
    ------
    ValueError, TypeError
        If a number is out of its range, or `rolling` is of another type.

    Examples
    --------
    >>> import abut
    >>> abut.laws.Luding(1e3, 5e3, tensile=1e3, friction=0.3).depth
    0.05

    At higher speeds the dent is deeper and the restitution lower; without a pull it is
    sqrt(k_1 / k):

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

    cohesion: ClassVar[None] = None  # type: ignore[misc]  # not an argument of this law

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
        """The library's numbers of this law, which are the same for all materials."""
        numbers = _numbers(self, _core.LINEAR, self.loading, self.tangential * self.loading)
        own = {"unloading": self.unloading, "tensile": self.tensile, "depth": self.depth}
        return numbers | own | {"cohesion": _core.LUDING}


def built_in_laws() -> list[str]:
    """Names of all built-in laws with their article, for messages."""
    return [checks.a_or_an(law.__name__) for law in Frictional.__subclasses__()]


def damping_ratio(restitution: float) -> float:
    """The damping ratio for a coefficient of restitution, under a force that never pulls.

    `Hertz` and `Linear` use this ratio. The function is for laws of your own.

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
        If the restitution is out of its range, or not a number.

    Examples
    --------
    >>> import abut
    >>> round(abut.laws.damping_ratio(0.5), 5)
    0.25528
    """
    return _core.damping_ratio(_read_restitution(restitution))


def _compliance(material: Material) -> float:
    """The summand of one material in 1 / E*."""
    if material.young is None:
        return 0.0
    return (1.0 - material.poisson * material.poisson) / material.young


def _shear_compliance(material: Material) -> float:
    """The summand of one material in 1 / G*."""
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
