"""What a law of your own reads and returns, and helpers that it may call.

All functions run in plain Python, one contact at a time, and also compiled by numba: use only what
numba supports. Sums have the order of the built-in laws, so that a law with the same formulas gives
the same bits.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, NoReturn

# type of a number: a float, or in compiled code a type of numba
Number = Any


def _refuse() -> NoReturn:
    raise TypeError(
        "vectors of a law have no + and *: write abut.laws.Vector(a.x + b.x, a.y + b.y, a.z + b.z)"
    )


class Vector(NamedTuple):
    """Three numbers along x, y and z.

    A field of a law's history that is a `Vector` is rotated with the contact from step to step, as
    the tangential springs of built-in laws are.

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

    # the + of tuples would make a tuple of six numbers, and * would repeat a tuple

    def __add__(self, other: object) -> NoReturn:  # type: ignore[override]
        _refuse()

    def __mul__(self, other: object) -> NoReturn:  # type: ignore[override]
        _refuse()

    def __rmul__(self, other: object) -> NoReturn:  # type: ignore[override]
        _refuse()


ZERO = Vector(0.0, 0.0, 0.0)


class Contact(NamedTuple):
    """The inputs of a law for one contact: see `law`."""

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
    """Force and moment of a contact on i, and its elastic energy: what `force` returns."""

    push: Number
    tangent: Any
    moment: Any
    stored: Number


def force(push: Number, tangent: Any = ZERO, moment: Any = ZERO, stored: Number = 0.0) -> Force:
    """Make what a law of your own returns.

    Parameters
    ----------
    push : float
        Force along the normal; positive if it repels.
    tangent : Vector or tuple of 3 floats, default 0
        Force on i in the tangent plane. The opposite of both forces acts on j.
    moment : Vector or tuple of 3 floats, default 0
        Moment on i in addition to the torque of the force. The opposite acts on j.
    stored : float, default 0
        Elastic energy of the contact, which ``sim.energy`` includes.

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
    """`vector` minus `factor` times `other`."""
    x, y, z = (
        vector[0] - other[0] * factor,
        vector[1] - other[1] * factor,
        vector[2] - other[2] * factor,
    )
    return Vector(x, y, z)


def _cut(vector: Vector, limit: Number) -> tuple[Vector, bool]:
    """The vector, shortened to a length of at most max(limit, 0), and whether it was longer."""
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
    """A spring and a damper in the tangent plane, up to a limit: friction for a law of your own.

    The limit is applied to the spring, then to spring and damper, so that no step gains energy.

    Parameters
    ----------
    contact : Contact
        Its sliding and step are used.
    spring : Vector
        Force of the spring in the step before, from the law's history.
    stiffness, damping : float
        Force per length, and per velocity; 0 or positive.
    limit : float
        The largest force, such as a coefficient of friction times the push; negative means 0.

    Returns
    -------
    tuple of Vector
        The force, and the spring for the history. docs/dem.md, section 2, has the formulas.

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
    """A spring and a damper against rolling, up to a limit: `RollingC` for a law of your own.

    Parameters
    ----------
    contact : Contact
        Its rolling and step are used.
    spring : Vector
        Moment of the spring in the step before, from the law's history.
    stiffness, damping : float
        Moment per angle, and per angular velocity; 0 or positive.
    limit : float
        The largest moment; negative means 0.

    Returns
    -------
    tuple of Vector
        The moment, and the spring for the history. docs/dem.md, section 2, has the formulas.
    """
    longer = _less(spring, contact.rolling, stiffness * contact.step)
    cut, is_cut = _cut(longer, limit)
    return cut if is_cut else _less(longer, contact.rolling, damping), cut


def hertz(contact: Contact, young: Number, damping: Number = 0.0) -> Number:
    """The push of Hertz' law, never below 0.

    Parameters
    ----------
    contact : Contact
        Its overlap, parting, radius and mass are used.
    young : float
        E*, a pressure: docs/dem.md, section 2.
    damping : float, default 0
        The damping ratio, as for `Hertz`: with 0.255 the restitution is 0.5.

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


# value of u, in docs/dem.md eq. 22, at which a neck snaps: u_0 = 4^(-1/3)
_FOLD = 0.6299605249474366


def _cube_root(x: Number) -> Number:
    """The cube root of x > 0, by square roots, which are rounded alike on every machine."""
    root = 1.0
    # the limit satisfies root^4 = root x; each round divides the error of log(root) by 4
    for _ in range(6):
        root = math.sqrt(math.sqrt(root)) * math.sqrt(math.sqrt(x))
    # each step of Newton's method doubles the number of right digits
    for _ in range(5):
        root = (2.0 * root + x / (root * root)) / 3.0
    return root


def jkr(contact: Contact, young: Number, work_of_adhesion: Number) -> Number:
    """The elastic force of a neck: the force of `JKR` without damping (docs/dem.md, section 2).

    Parameters
    ----------
    contact : Contact
        Its overlap and radius are used.
    young : float
        E*, a pressure.
    work_of_adhesion : float
        Energy per area, positive.

    Returns
    -------
    float
        Negative if it pulls; 0 beyond the gap at which the neck snaps. The law's history must
        store whether the two have touched: a neck pulls beyond touch only if they have.

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
