"""Cohesion: forces that attract two touching things, by surface energy or a liquid bridge.

docs/dem.md has the equations. A cohesion is part of a law, and holds parameters only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, get_args

from .. import _core
from ..base import checks
from ..base.values import Value

# largest contact angle, in radians, for which Willett's fits hold
_LARGEST_ANGLE = math.radians(50.0)


@dataclass(frozen=True)
class JKR(Value):
    """Adhesion of soft, strongly sticking surfaces, which form a neck when they are pulled apart.

    The contact radius a follows from the overlap by ``overlap = a^2 / R* - sqrt(2 pi w a / E*)``.
    The force is ``4 E* a^3 / (3 R*) - sqrt(8 pi w E* a^3)``: K. L. Johnson, K. Kendall, A. D.
    Roberts, Proc. R. Soc. A 324 (1971) 301. The contact begins when the two touch. It then pulls
    with 4/3 pi w R*, and later with up to 3/2 pi w R*. The neck snaps at an overlap of
    -0.4725 (4 pi^2 w^2 R* / E*^2)^(1/3), where the pull is 5/6 pi w R*. Separating the two takes
    the work 7.0922 (w^5 R*^4 / E*^2)^(1/3). Only a `Hertz` law can have this cohesion.

    JKR is valid if Tabor's number (R* w^2 / (E*^2 z^3))^(1/3), with the range z of the forces
    between atoms (about 0.3 nm), is above about 5. Below about 0.1, `DMT` is valid.

    Parameters
    ----------
    work_of_adhesion : float
        w, an energy per area, positive: the work of separating flat surfaces. For two like
        materials it is twice the surface energy.

    Raises
    ------
    ValueError, TypeError
        If it is not positive, not finite or not a number.

    Examples
    --------
    >>> import abut
    >>> abut.Hertz(friction=0.5, restitution=0.5, cohesion=abut.laws.JKR(0.05)).cohesion
    JKR(work_of_adhesion=0.05)

    Powder that sticks to a wall:

    >>> powder = abut.Material(density=1500, young=1e7)
    >>> sim = abut.Simulation(step=1e-7)
    >>> sim.set_law(powder, abut.Material(), abut.Hertz(cohesion=abut.laws.JKR(0.05)))
    >>> len(sim.materials)
    2
    """

    work_of_adhesion: float

    kind: ClassVar[int] = _core.JKR
    needs_hertz: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._settle(work_of_adhesion=_read_adhesion(self.work_of_adhesion))

    def numbers(self) -> dict[str, float]:
        """The parameters by the library's names, without the kind of cohesion."""
        return {"adhesion": self.work_of_adhesion}


@dataclass(frozen=True)
class DMT(Value):
    """Adhesion of hard, small particles by attraction of their surfaces over a short distance.

    At touch and in overlaps, the law's own force is reduced by ``2 pi w R*``: B. V. Derjaguin,
    V. M. Muller, Y. P. Toporov, J. Colloid Interface Sci. 53 (1975) 314. Beyond touch, at the gap
    s, the pull is ``2 pi w R* (s_0 / (s_0 + s))^2`` with the distance s_0, as that of Hamaker's
    forces with A = 12 pi w s_0^2. The pull ends at a gap of 30.62 s_0, where it is a thousandth of
    that at touch. Without a distance there is no pull beyond touch.

    Parameters
    ----------
    work_of_adhesion : float
        w, an energy per area, positive.
    distance : float, optional
        s_0, a length, positive. By default there is no pull beyond touch.

    Raises
    ------
    ValueError, TypeError
        If an argument is not positive, not finite or not a number.

    Examples
    --------
    >>> import abut
    >>> abut.Hertz(cohesion=abut.laws.DMT(0.02)).cohesion
    DMT(work_of_adhesion=0.02, distance=None)
    >>> abut.Linear(1e4, cohesion=abut.laws.DMT(0.02, distance=4e-10)).cohesion.distance
    4e-10
    """

    work_of_adhesion: float
    distance: float | None = None

    kind: ClassVar[int] = _core.DMT
    needs_hertz: ClassVar[bool] = False

    def __post_init__(self) -> None:
        distance = self.distance
        self._settle(
            work_of_adhesion=_read_adhesion(self.work_of_adhesion),
            distance=None if distance is None else checks.positive(distance, "distance"),
        )

    def numbers(self) -> dict[str, float]:
        """The parameters by the library's names, without the kind of cohesion."""
        return {"adhesion": self.work_of_adhesion, "distance": self.distance or 0.0}


@dataclass(frozen=True)
class LiquidBridge(Value):
    """A liquid bridge between two surfaces, with the same volume in each contact.

    It forms when two touch, and pulls up to a gap of ``(1 + angle / 2) (V^(1/3) + V^(2/3) / (10
    R))``, with R = 2 R*, the radius of two like spheres: C. D. Willett, M. J. Adams, S. A. Johnson,
    J. P. K. Seville, Langmuir 16 (2000) 9396. At touch and in overlaps its force is nearly ``2 pi
    gamma R cos(angle)``; docs/dem.md has the fits of this paper for the gap. Liquid does not flow
    between bridges, and there is no viscous force.

    Parameters
    ----------
    volume : float
        V, positive, at most 0.1 R^3 for any two that touch: otherwise the run ends with an error.
    surface_tension : float
        gamma, a force per length, positive.
    contact_angle : float, default 0
        In radians, from 0 to 50 degrees.

    Raises
    ------
    ValueError, TypeError
        If an argument is out of its range, not finite or not a number.

    Examples
    --------
    A thousandth of a cubic millimeter of water:

    >>> import abut
    >>> water = abut.laws.LiquidBridge(volume=1e-12, surface_tension=0.072, contact_angle=0.35)
    >>> abut.Linear(1e4, friction=0.5, cohesion=water).cohesion
    LiquidBridge(volume=1e-12, surface_tension=0.072, contact_angle=0.35)
    """

    volume: float
    surface_tension: float
    contact_angle: float = 0.0

    kind: ClassVar[int] = _core.LIQUID_BRIDGE
    needs_hertz: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._settle(
            volume=checks.positive(self.volume, "volume"),
            surface_tension=checks.positive(self.surface_tension, "surface_tension"),
            contact_angle=_read_angle(self.contact_angle),
        )

    def numbers(self) -> dict[str, float]:
        """The parameters by the library's names, without the kind of cohesion."""
        return {
            "volume": self.volume,
            "surface_tension": self.surface_tension,
            "contact_angle": self.contact_angle,
        }


# all cohesions that a law can have
Cohesion = JKR | DMT | LiquidBridge


def read_cohesion(value: object, law: str, is_hertz: bool) -> Cohesion | None:
    """Read the cohesion of the law with this name; None stands for no cohesion."""
    if value is not None and not isinstance(value, Cohesion):
        kind = checks.a_or_an(type(value).__name__)
        *names, last = (checks.a_or_an(one.__name__) for one in get_args(Cohesion))
        raise TypeError(f"cohesion is {kind}, but must be {', '.join(names)} or {last}")
    if value is not None and value.needs_hertz and not is_hertz:
        name = type(value).__name__
        raise ValueError(
            f"{law} cannot have {name}, which needs Hertz' stiffness: use Hertz with {name}, or"
            f" {law} with DMT"
        )
    return value


def cohesion_numbers(cohesion: Cohesion | None) -> dict[str, float]:
    """The kind and the parameters of a cohesion, by the library's names."""
    if cohesion is None:
        return {"cohesion": _core.NO_COHESION}
    return {"cohesion": cohesion.kind} | cohesion.numbers()


def _read_adhesion(value: object) -> float:
    return checks.positive(value, "work_of_adhesion")


def _read_angle(value: object) -> float:
    found = checks.not_negative(value, "contact_angle")
    if found > _LARGEST_ANGLE:
        raise ValueError(
            f"contact_angle is {found}, but must be at most 50 degrees, {_LARGEST_ANGLE:.4f}"
        )
    return found
