"""What a law does between two materials, tried before a simulation has it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..base import checks
from ..base.warnings import warn
from ..own_laws.check import LawCheck, check, lone
from ..own_laws.contacts import BuiltIn, Contacts
from ..own_laws.probes import only_pulls, try_law
from .cohesion import DMT, JKR
from .law_table import Law, Own, no_law, pulling
from .laws import Frictional, Hertz
from .placement import SimulationWarning

if TYPE_CHECKING:
    from .materials import Material

# of surfaces that touch, in meters: what Tabor's number is told with where a law has no distance
_ATOMS = 1.65e-10


def check_law(
    law: Law, a: Material, b: Material, *, radius: float, other_radius: float | None = None
) -> LawCheck:
    """Try a law on two spheres, or a sphere and a wall: what it does, before it is used.

    Parameters
    ----------
    law : Hertz, Linear, or a law of one's own
    a, b : Material
        Of the sphere, which needs a density, and of what it meets: a sphere, or where it has no
        density a wall.
    radius : float
        Of the sphere.
    other_radius : float, optional
        Of the other sphere; by default the same.

    Returns
    -------
    LawCheck
        Restitution over speed, pull-off force and work, energy gained round closed loops and by
        oblique collisions, slopes, the longest stable step, reach and jump, and what a contact
        costs. Its text is a table.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, or as `Simulation.set_law`.

    Warns
    -----
    SimulationWarning
        If the law pulls at every overlap that is tried, and never pushes.

    Examples
    --------
    >>> import abut
    >>> glass = abut.Material(density=2500, young=1e7)
    >>> found = abut.check_law(abut.Hertz(restitution=0.5), glass, glass, radius=1e-3)
    >>> found.restitution.round(2)
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    if not isinstance(law, Law):
        raise no_law(law)
    if a.density is None:
        raise ValueError("a has no density: a sphere of it has no mass")
    own = checks.positive(radius, "radius")
    mass = _mass(a.density, own)
    if b.density is None:
        like = lone(own, mass)
    else:
        other = own if other_radius is None else checks.positive(other_radius, "other_radius")
        like = _pair(own, mass, other, _mass(b.density, other))
    asked: Own | BuiltIn
    tabor = None
    if isinstance(law, Own):
        try_law(law)
        asked = law
    else:
        numbers = law.numbers(a, b)
        asked = BuiltIn(repr(law), numbers, like["radius"])
        tabor = _tabor(law, numbers["stiffness"], like["radius"])
    if only_pulls(asked, Contacts(1, 1e-6, is_new=1.0, **like)):
        warn(pulling(law), SimulationWarning)
    return check(asked, like, mass, tabor)


def _mass(density: float, radius: float) -> float:
    return density * 4.0 / 3.0 * math.pi * radius**3


def _pair(radius: float, mass: float, other: float, other_mass: float) -> dict[str, float]:
    inertia, other_inertia = 0.4 * mass * radius**2, 0.4 * other_mass * other**2
    return {
        "radius": radius * other / (radius + other),
        "mass": mass * other_mass / (mass + other_mass),
        "inertia": inertia * other_inertia / (inertia + other_inertia),
        "radius_i": radius,
        "radius_j": other,
    }


def _tabor(law: Frictional, stiffness: float, radius: float) -> float | None:
    cohesion = law.cohesion
    if not isinstance(cohesion, JKR | DMT) or not isinstance(law, Hertz):
        return None
    distance = (cohesion.distance or _ATOMS) if isinstance(cohesion, DMT) else _ATOMS
    pull: float = radius * cohesion.work_of_adhesion**2 / (stiffness**2 * distance**3)
    return pull ** (1.0 / 3.0)
