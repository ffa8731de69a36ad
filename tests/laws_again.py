"""The built-in laws written as user laws, with the same order of sums."""

import math
import typing

import abut


class Spring(typing.NamedTuple):
    """The history of Hertz and Mindlin's law."""

    spring: abut.laws.Vector
    overlap: float


class Springs(typing.NamedTuple):
    """The history of a linear law with rolling resistance."""

    spring: abut.laws.Vector
    roll: abut.laws.Vector


@abut.laws.law(history=Spring)
def hertz_again(contact, old, young, shear, damping, friction):
    overlap = max(contact.overlap, 0.0)
    measure = math.sqrt(contact.radius * overlap)
    push = abut.laws.hertz(contact, young, damping)
    part = 1.0
    if contact.is_new == 0.0 and overlap < old.overlap:
        part = math.sqrt(overlap / old.overlap)
    spring = (old.spring[0] * part, old.spring[1] * part, old.spring[2] * part)
    stiffness = 8.0 * shear * measure
    damper = 2.0 * damping * math.sqrt(5.0 / 6.0) * math.sqrt(8.0 * shear)
    damper *= math.sqrt(measure * contact.mass)
    tangent, kept = abut.laws.slide(contact, spring, stiffness, damper, friction * push)
    stored = 0.4 * (4.0 / 3.0 * young) * measure * overlap * overlap
    if stiffness > 0.0:
        square = kept[0] * kept[0] + kept[1] * kept[1] + kept[2] * kept[2]
        stored += 0.5 * square / stiffness
    return abut.laws.force(push, tangent, stored=stored), Spring(kept, overlap)


@abut.laws.law(history=Springs)
def linear_again(contact, old, stiffness, shear, damping, friction, rolling, roll_damping):
    overlap = max(contact.overlap, 0.0)
    root = math.sqrt(contact.mass)
    damper = 2.0 * damping * math.sqrt(stiffness) * root
    push = max(stiffness * overlap - damper * contact.parting, 0.0)
    across = 2.0 * damping * math.sqrt(shear) * root
    tangent, spring = abut.laws.slide(contact, old.spring, shear, across, friction * push)
    of_roll = shear * contact.radius * contact.radius
    brake = 2.0 * roll_damping * math.sqrt(of_roll * contact.inertia)
    moment, roll = abut.laws.roll(
        contact, old.roll, of_roll, brake, rolling * contact.radius * push
    )
    return abut.laws.force(push, tangent, moment), Springs(spring, roll)


def hertz_as(law, a, b):
    """`hertz_again` with the numbers of a Hertz between two materials."""
    numbers = law.numbers(a, b)
    return hertz_again(
        young=numbers["stiffness"],
        shear=numbers["shear"],
        damping=abut.laws.damping_ratio(law.restitution),
        friction=law.friction,
    )


def linear_as(law, a, b):
    """`linear_again` with the numbers of a Linear."""
    numbers = law.numbers(a, b)
    return linear_again(
        stiffness=numbers["stiffness"],
        shear=numbers["shear"],
        damping=abut.laws.damping_ratio(law.restitution),
        friction=law.friction,
        rolling=numbers["rolling_friction"],
        roll_damping=numbers["rolling_damping"],
    )
