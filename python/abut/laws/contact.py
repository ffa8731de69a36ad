"""What a law of one's own reads and returns, and helpers that it may call.

All of it runs in plain Python, one contact at a time, and compiled by numba: nothing here may need
what numba does not know. Sums are in the order of the built-in laws, so that a law that says the
same as one of these has its bits.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, NoReturn

# numbers of a law's contact may be of numba's types, too
Number = Any


def _refuse() -> NoReturn:
    raise TypeError(
        "vectors of a law have no + and *: write abut.laws.Vector(a.x + b.x, a.y + b.y, a.z + b.z)"
    )


class Vector(NamedTuple):
    """Three numbers along x, y and z.

    In the history of a law a field that is a `Vector` is turned with the contact from step to step,
    as the tangential springs of built-in laws are.

    Parameters
    ----------
    x, y, z : float

    Examples
    --------
    >>> import abut
    >>> v = abut.laws.Vector(1.0, 2.0, 3.0)
    >>> v.x, v[2]
    (1.0, 3.0)
    """

    x: float
    y: float
    z: float

    # those of tuples would make six numbers of two vectors

    def __add__(self, other: object) -> NoReturn:  # type: ignore[override]
        _refuse()

    def __mul__(self, other: object) -> NoReturn:  # type: ignore[override]
        _refuse()

    def __rmul__(self, other: object) -> NoReturn:  # type: ignore[override]
        _refuse()


ZERO = Vector(0.0, 0.0, 0.0)


class Contact(NamedTuple):
    """What a law knows of a contact: see `law`."""

    overlap: Number
    normal: Vector
    parting: Number
    sliding: Vector
    rolling: Vector
    twisting: Number
    radius: Number
    mass: Number
    inertia: Number
    radius_i: Number
    radius_j: Number
    is_new: Number
    step: Number


class Force(NamedTuple):
    """What a contact exerts on i, as `force` makes it."""

    push: Number
    tangent: Any
    moment: Any
    stored: Number


def force(push: Number, tangent: Any = ZERO, moment: Any = ZERO, stored: Number = 0.0) -> Force:
    """What a law of one's own returns.

    Parameters
    ----------
    push : float
        Force along the normal; positive where it repels.
    tangent : Vector or tuple of 3 floats, default 0
        Force on i in the tangent plane. The other one gets the opposite of both.
    moment : Vector or tuple of 3 floats, default 0
        On i, beside the torque of the force; the other one gets the opposite.
    stored : float, default 0
        Elastic energy of the contact, which ``sim.energy`` counts.

    Returns
    -------
    Force
        A named tuple (push, tangent, moment, stored).

    Examples
    --------
    >>> import abut
    >>> abut.laws.force(2.0).push
    2.0
    """
    return Force(push, tangent, moment, stored)


def _less(vector: Any, other: Any, factor: Number) -> Vector:
    """A vector less another one times a factor."""
    x, y, z = (
        vector[0] - other[0] * factor,
        vector[1] - other[1] * factor,
        vector[2] - other[2] * factor,
    )
    return Vector(x, y, z)


def _cut(vector: Vector, limit: Number) -> tuple[Vector, bool]:
    """A vector that is no longer than the limit, 0 if that is negative, and whether it was."""
    limit = max(limit, 0.0)
    x, y, z = vector
    square = x * x + y * y + z * z
    if limit * limit < square:
        part = limit / math.sqrt(square)
        return Vector(x * part, y * part, z * part), True
    return vector, False


def slide(
    contact: Contact, spring: Any, stiffness: Number, damping: Number, limit: Number
) -> tuple[Vector, Vector]:
    """A spring and a damper across the normal, cut to a limit: friction of a law of one's own.

    The limit is for the spring first, then for spring and damper, so that no step gains energy.

    Parameters
    ----------
    contact : Contact
        Of which sliding and step are read.
    spring : Vector
        The spring's force in the step before, from the law's history.
    stiffness, damping : float
        Force by length, and by velocity; 0 or positive.
    limit : float
        The largest force, such as a coefficient of friction times the push; a negative one is 0.

    Returns
    -------
    tuple of Vector
        The force, and the spring to keep. docs/dem.md, section 2, has the formulas.

    Examples
    --------
    A contact that slides by 0.1 along x in a step, under a limit of 0.5:

    >>> import abut
    >>> zero = abut.laws.Vector(0, 0, 0)
    >>> contact = abut.laws.Contact(
    ...     overlap=0.1, normal=abut.laws.Vector(0, 0, 1), parting=0.0,
    ...     sliding=abut.laws.Vector(1, 0, 0), rolling=zero, twisting=0.0, radius=1.0, mass=1.0,
    ...     inertia=1.0, radius_i=1.0, radius_j=1.0, is_new=1.0, step=0.1)
    >>> force, spring = abut.laws.slide(contact, zero, 10.0, 0.0, 0.5)
    >>> float(force.x)
    -0.5
    """
    kept, _ = _cut(_less(spring, contact.sliding, stiffness * contact.step), limit)
    cut, _ = _cut(_less(kept, contact.sliding, damping), limit)
    return cut, kept


def roll(
    contact: Contact, spring: Any, stiffness: Number, damping: Number, limit: Number
) -> tuple[Vector, Vector]:
    """A spring and a damper against rolling, cut to a limit: type C for a law of one's own.

    Parameters
    ----------
    contact : Contact
        Of which rolling and step are read.
    spring : Vector
        The spring's moment in the step before, from the law's history.
    stiffness, damping : float
        Moment by angle, and by angular velocity; 0 or positive.
    limit : float
        The largest moment; a negative one is 0.

    Returns
    -------
    tuple of Vector
        The moment, and the spring to keep. docs/dem.md, section 2, has the formulas.
    """
    longer = _less(spring, contact.rolling, stiffness * contact.step)
    cut, is_cut = _cut(longer, limit)
    return cut if is_cut else _less(longer, contact.rolling, damping), cut


def hertz(contact: Contact, young: Number, damping: Number = 0.0) -> Number:
    """The push of Hertz' law, never below 0.

    Parameters
    ----------
    contact : Contact
        Of which overlap, parting, radius and mass are read.
    young : float
        E*, a pressure: see docs/dem.md, section 2.
    damping : float, default 0
        The damping ratio, as that of `Hertz`: 0.255 gives half of the speed back.

    Returns
    -------
    float

    Examples
    --------
    >>> import abut
    >>> @abut.laws.law
    ... def elastic(contact, young):
    ...     return abut.laws.hertz(contact, young)
    >>> elastic(young=1e6)
    elastic(young=1000000.0)
    """
    overlap = max(contact.overlap, 0.0)
    measure = math.sqrt(contact.radius * overlap)
    damper = 2.0 * damping * math.sqrt(5.0 / 6.0) * math.sqrt(2.0 * young)
    elastic = 4.0 / 3.0 * young * measure * overlap
    return max(elastic - damper * math.sqrt(measure * contact.mass) * contact.parting, 0.0)


# u_0 of a neck that snaps: its cube is 1/4
_FOLD = 0.6299605249474366


def _cube_root(x: Number) -> Number:
    """Of x > 0, by square roots, which are rounded alike on every machine."""
    root = 1.0
    # root^4 = root x in the end: each round leaves a quarter of the digits that are wrong
    for _ in range(6):
        root = math.sqrt(math.sqrt(root)) * math.sqrt(math.sqrt(x))
    # Newton's method doubles the right ones
    for _ in range(5):
        root = (2.0 * root + x / (root * root)) / 3.0
    return root


def jkr(contact: Contact, young: Number, work_of_adhesion: Number) -> Number:
    """The elastic force of a neck, as that of `JKR` without damping (docs/dem.md, section 2).

    Parameters
    ----------
    contact : Contact
        Of which overlap and radius are read.
    young : float
        E*, a pressure.
    work_of_adhesion : float
        Energy by area, positive.

    Returns
    -------
    float
        Negative where it pulls; 0 beyond the gap at which the neck snaps. That a neck begins at
        touch, and pulls beyond it then alone, is the law's to remember.

    Examples
    --------
    >>> import abut
    >>> import typing
    >>> class Neck(typing.NamedTuple):
    ...     holds: float
    >>> @abut.laws.law(history=Neck, reach=1e-6, jumps=True)
    ... def sticky(contact, old, young, work):
    ...     holds = 1.0 if contact.overlap >= 0.0 or old.holds > 0.0 else 0.0
    ...     pull = abut.laws.jkr(contact, young, work)
    ...     return holds * pull, Neck(holds if pull != 0.0 else 0.0)
    >>> sticky(young=1e7, work=0.05)
    sticky(young=10000000.0, work=0.05)
    """
    size = _cube_root(2.0 * math.pi * work_of_adhesion * contact.radius * contact.radius / young)
    above = contact.overlap * contact.radius / (size * size) + 0.75 * _FOLD
    if above < 0.0:
        return 0.0
    curved, root = 6.0 * _FOLD * _FOLD, math.sqrt(above)
    x = root / math.sqrt(curved + root)
    for _ in range(3):
        value = x * x * (curved + x * (4.0 * _FOLD + x)) - above
        slope = x * (2.0 * curved + x * (12.0 * _FOLD + 4.0 * x))
        bend = 2.0 * curved + x * (24.0 * _FOLD + 12.0 * x)
        below = 2.0 * slope * slope - value * bend
        x -= 2.0 * value * slope / below if below > 0.0 else 0.0
    cube = (_FOLD + x) * (_FOLD + x) * (_FOLD + x)
    return 2.0 * young * size * size * size / contact.radius * cube * (cube * 2.0 / 3.0 - 1.0)


HELPERS = (_less, _cut, _cube_root, force, slide, roll, hertz, jkr)
