"""What pulls two that touch together: surface energy, or a liquid between them.

docs/dem.md has the equations. A cohesion is part of a law, and holds constants alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, get_args

from .. import _core
from ..base import checks
from ..base.values import Value

# Willett's fits are of contact angles up to this one
_LARGEST_ANGLE = math.radians(50.0)


@dataclass(frozen=True)
class JKR(Value):
    """Surfaces that stick where they touch, soft and strong: pulled apart they form a neck.

    The contact's radius a follows from the overlap by ``overlap = a^2 / R* - sqrt(2 pi w a / E*)``,
    and the force is ``4 E* a^3 / (3 R*) - sqrt(8 pi w E* a^3)``: K. L. Johnson, K. Kendall, A. D.
    Roberts, Proc. R. Soc. A 324 (1971) 301. The contact begins where two touch. It pulls with 4/3
    pi w R* at once, with up to 3/2 pi w R*, and still with 5/6 pi w R* when it snaps, at an overlap
    of -0.4725 (4 pi^2 w^2 R* / E*^2)^(1/3). To part two that touch takes the work 7.0922 (w^5 R*^4
    / E*^2)^(1/3). Only `Hertz` can have it.

    It is right where Tabor's number (R* w^2 / (E*^2 z^3))^(1/3), with the range z of the forces
    between atoms (some 0.3 nm), is above some 5. Where it is below some 0.1 `DMT` is.

    Parameters
    ----------
    work_of_adhesion : float
        w, an energy an area, positive: what parting flat surfaces takes, twice the surface energy
        of one of two like materials.

    Raises
    ------
    ValueError, TypeError
        If it is not positive, not finite or no number.

    Examples
    --------
    >>> import abut
    >>> abut.Hertz(friction=0.5, restitution=0.5, cohesion=abut.laws.JKR(0.05)).cohesion
    JKR(work_of_adhesion=0.05)

    It pulls with up to 3/2 pi w R*, here at a wall:

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
        """What the library takes of it, beside its kind."""
        return {"adhesion": self.work_of_adhesion}


@dataclass(frozen=True)
class DMT(Value):
    """Surfaces that attract each other over a short distance, hard and small.

    The law's own force less ``2 pi w R*`` where two touch: B. V. Derjaguin, V. M. Muller, Y. P.
    Toporov, J. Colloid Interface Sci. 53 (1975) 314. Beyond touch, at the gap s, it is ``2 pi w R*
    (s_0 / (s_0 + s))^2`` with the distance s_0, as of Hamaker's forces with A = 12 pi w s_0^2, up
    to where that is a thousandth of what it is at touch, at 30.62 s_0. Without a distance nothing
    pulls beyond touch.

    Parameters
    ----------
    work_of_adhesion : float
        w, an energy an area, positive.
    distance : float, optional
        s_0, a length, positive. By default nothing pulls beyond touch.

    Raises
    ------
    ValueError, TypeError
        If one is not positive, not finite or no number.

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
        """What the library takes of it, beside its kind."""
        return {"adhesion": self.work_of_adhesion, "distance": self.distance or 0.0}


@dataclass(frozen=True)
class LiquidBridge(Value):
    """A little liquid between two, of the same volume in each contact.

    It forms where two touch, and pulls until they are ``(1 + angle / 2) (V^(1/3) + V^(2/3) / (10
    R))`` apart, with R = 2 R*, the radius of two like spheres: C. D. Willett, M. J. Adams, S. A.
    Johnson, J. P. K. Seville, Langmuir 16 (2000) 9396. Its force is nearly ``2 pi gamma R
    cos(angle)`` at touch, also where two overlap; docs/dem.md has their fits for the gap. Nothing
    flows from bridge to bridge, and no viscosity brakes.

    Parameters
    ----------
    volume : float
        V, positive, at most 0.1 R^3 of any two that meet: where two with less meet, the run ends.
    surface_tension : float
        gamma, a force a length, positive.
    contact_angle : float, default 0
        In radians, from 0 to 50 degrees.

    Raises
    ------
    ValueError, TypeError
        If one is out of its range, not finite or no number.

    Examples
    --------
    Of water, a thousandth of a cubic millimeter:

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
        """What the library takes of it, beside its kind."""
        return {
            "volume": self.volume,
            "surface_tension": self.surface_tension,
            "contact_angle": self.contact_angle,
        }


# what a law may have
Cohesion = JKR | DMT | LiquidBridge


def read_cohesion(value: object, law: str, is_hertz: bool) -> Cohesion | None:
    """The cohesion of a law of this name; None: there is none."""
    if value is not None and not isinstance(value, Cohesion):
        kind = checks.a_or_an(type(value).__name__)
        *names, last = (checks.a_or_an(one.__name__) for one in get_args(Cohesion))
        raise TypeError(f"cohesion is {kind}, but must be {', '.join(names)} or {last}")
    if value is not None and value.needs_hertz and not is_hertz:
        name = type(value).__name__
        raise ValueError(
            f"{law} cannot have {name}, whose contact radius follows from Hertz' stiffness:"
            " give Hertz, or DMT"
        )
    return value


def cohesion_numbers(cohesion: Cohesion | None) -> dict[str, float]:
    """What the library takes of a law's cohesion; other numbers are 0."""
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
