"""How walls move: poses and twists as functions of time.

The time of a motion begins at 0, with the identity as its pose, when it is assigned to a wall. Axes
and origins are in the world. Runs use the poses that the library computes from `parts`; `pose` and
`twist` here are for users and tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import (
    arc_tangent,
    dots,
    lengths,
    matrix_product,
    sine_cosine,
    unit_and_length,
)
from ..base.arrays import Doubles
from ..base.poses import read_pose, rotated
from ..base.values import Value

if TYPE_CHECKING:
    from .drives import Placed

_Vector = tuple[float, float, float]

# a callable of the time that returns a pose (4, 4) and a twist (6,)
Given = Callable[[float], tuple[ArrayLike, ArrayLike]]

# the library's numbers for kinds of motions
ROTATING, TRANSLATING, OSCILLATING, SERVO, FREE = 0, 1, 2, 4, 5

# Largest accepted relative difference between the change of a pose in a step and the mean of the
# twists before and after it. If a wall turns by the angle a in a step, the mean has the relative
# error a^2 / 12, which is below 1e-2 up to a third of a radian. Walls turn less in a step. A twist
# in other units, with another sign or about another point differs by far more.
_AGREEMENT = 1e-2

# rounding error of the difference of two poses, as a fraction of the lengths in them
_ROUNDING = 1e-12


class Part(NamedTuple):
    """An elementary motion: the members of abut_motion in their order."""

    kind: int
    vector: _Vector
    origin: _Vector
    rate: float
    phase: float


class Motion(Value):
    """The base of `Rotating`, `Translating`, `Oscillating` and `Motions`."""

    def parts(self) -> list[Part]:
        """The elementary motions in order; each one also moves the axes of all before it."""
        raise NotImplementedError

    def pose(self, t: float) -> Doubles:
        """The pose (4, 4) at the time t; it is the identity at time 0."""
        return self._state(t)[0]

    def twist(self, t: float) -> Doubles:
        """Velocity of the point that was the origin at time 0, and angular velocity, (6,)."""
        return np.concatenate(self._state(t)[1:])

    def _state(self, t: float) -> tuple[Doubles, Doubles, Doubles]:
        """Pose, velocity of the frame's origin, and angular velocity."""
        return state_of(self.parts(), np.eye(4), t)


class Drive(Value):
    """The base class of `Servo` and `Free`, which move walls by the forces on them."""

    kind: int

    def row(self, placed: Placed) -> np.ndarray[Any, Any]:
        """The row (abut_drive) of a wall with a drive that begins at this place."""
        raise NotImplementedError


@dataclass(frozen=True)
class Rotating(Motion):
    """A rotation about a fixed axis.

    Parameters
    ----------
    axis : (3,) array_like
        Direction of the axis; its length does not matter. Seen along it, the wall turns clockwise.
    origin : (3,) array_like, default (0, 0, 0)
        A point of the axis. The wall's torque is about this point.
    rate : float, default 0
        Angular velocity, in radians per time. A negative rate turns the other way.

    Raises
    ------
    ValueError, TypeError
        If an argument is not finite, or the axis is (0, 0, 0).

    Examples
    --------
    >>> import abut
    >>> drum = abut.Rotating(axis=(1, 0, 0), rate=18.85)  # 180 turns a minute
    >>> drum.twist(0.0)
    array([ 0.  ,  0.  ,  0.  , 18.85,  0.  ,  0.  ])
    """

    axis: _Vector
    origin: _Vector = (0.0, 0.0, 0.0)
    rate: float = 0.0

    def __post_init__(self) -> None:
        axis = checks.vector(self.axis, "axis")
        if not any(axis):
            raise ValueError(f"axis is {axis}, but must have a direction")
        self._settle(
            axis=axis,
            origin=checks.vector(self.origin, "origin"),
            rate=checks.finite(self.rate, "rate"),
        )

    def parts(self) -> list[Part]:
        """The rotation as its only part, with an axis of unit length."""
        return [Part(ROTATING, unit_and_length(self.axis)[0], self.origin, self.rate, 0.0)]


@dataclass(frozen=True)
class Translating(Motion):
    """A motion along a straight line, with constant velocity.

    Parameters
    ----------
    velocity : (3,) array_like

    Raises
    ------
    ValueError, TypeError
        If the velocity is not three finite numbers.

    Examples
    --------
    >>> import abut
    >>> abut.Translating((0, 0, -0.1)).pose(2.0)[:3, 3]
    array([ 0. ,  0. , -0.2])
    """

    velocity: _Vector

    def __post_init__(self) -> None:
        self._settle(velocity=checks.vector(self.velocity, "velocity"))

    def parts(self) -> list[Part]:
        """The motion as its only part."""
        return [Part(TRANSLATING, self.velocity, (0.0, 0.0, 0.0), 0.0, 0.0)]


@dataclass(frozen=True)
class Oscillating(Motion):
    """An oscillation along a line by the vector amplitude (sin(2 pi f t + phase) - sin phase).

    Parameters
    ----------
    amplitude : (3,) array_like
        Vector from the middle of the oscillation to its turning point.
    frequency : float
        Oscillations per unit of time, 0 or positive.
    phase : float, default 0
        Phase at the beginning, in radians: 0 is the middle, pi / 2 the turning point.

    Raises
    ------
    ValueError, TypeError
        If an argument is not finite, or the frequency is negative.

    Examples
    --------
    >>> import abut
    >>> shaker = abut.Oscillating((0, 0, 0.001), frequency=50)
    >>> shaker.pose(0.005)[:3, 3]
    array([0.   , 0.   , 0.001])
    """

    amplitude: _Vector
    frequency: float
    phase: float = 0.0

    def __post_init__(self) -> None:
        self._settle(
            amplitude=checks.vector(self.amplitude, "amplitude"),
            frequency=checks.not_negative(self.frequency, "frequency"),
            phase=checks.finite(self.phase, "phase"),
        )

    def parts(self) -> list[Part]:
        """The motion as its only part."""
        return [Part(OSCILLATING, self.amplitude, (0.0, 0.0, 0.0), self.frequency, self.phase)]


@dataclass(frozen=True)
class Motions(Motion):
    """Several motions at once; each one also moves the axes of those before it.

    Parameters
    ----------
    motions : sequence of Rotating, Translating, Oscillating, Motions or Servo
        The first one moves the wall, the second one moves the wall and the first one's axis, and
        so on. The torque of the wall is about the origin of the first rotation, which later motions
        move. One of them may be a `Servo`, at any place. It moves the wall after all others: its
        axis does not turn with them, and it moves their axes along.

    Raises
    ------
    TypeError
        If an item is not such a motion. A callable or a `Free` cannot be combined with others.
    ValueError
        If there are several `Servo`.

    Examples
    --------
    A planet that turns about its own axis, which moves around the axis of the sun:

    >>> import abut
    >>> spin = abut.Rotating(axis=(0, 0, 1), origin=(1, 0, 0), rate=10)
    >>> planet = abut.Motions([spin, abut.Rotating(axis=(0, 0, 1), rate=1)])
    >>> planet.twist(0.0)[3:]
    array([ 0.,  0., 11.])

    The lid of a ring shear cell, which turns and bears 50 N:

    >>> turning = abut.Rotating(axis=(0, 0, 1), rate=0.5)
    >>> lid = abut.Motions([turning, abut.Servo(force=(0, 0, -50))])
    """

    motions: tuple[Motion | Drive, ...]

    def __post_init__(self) -> None:
        motions = self.motions
        if not isinstance(motions, list | tuple):
            raise TypeError(f"motions is {_what(motions)}, but must be a list of motions")
        for k, motion in enumerate(motions):
            if not isinstance(motion, Motion | Drive):
                raise TypeError(f"motions[{k}] is {_what(motion)}, but must be {_KINDS} or Servo")
            if isinstance(motion, Drive) and motion.kind != SERVO:
                raise TypeError(
                    f"motions[{k}] is {_what(motion)}, which moves a wall by its forces alone: use"
                    " it without other motions"
                )
        self._settle(motions=tuple(motions))
        count = len(self._servos())
        if count > 1:
            raise ValueError(f"motions has {count} Servos, but a wall has one load: give one Servo")

    def _servos(self) -> list[Drive]:
        found: list[Drive] = []
        for motion in self.motions:
            if isinstance(motion, Motions):
                found += motion._servos()
            elif isinstance(motion, Drive):
                found.append(motion)
        return found

    @property
    def servo(self) -> Drive | None:
        """The `Servo`, if one of the motions is one or has one."""
        return next(iter(self._servos()), None)

    def prescribed(self) -> list[Part]:
        """The parts of all motions but the `Servo`, one after the other."""
        lists = [m.prescribed() if isinstance(m, Motions) else m.parts() for m in self._others()]
        return [part for parts in lists for part in parts]

    def _others(self) -> list[Motion]:
        return [motion for motion in self.motions if isinstance(motion, Motion)]

    def parts(self) -> list[Part]:
        """The parts of all motions, one after the other; that of a `Servo` comes last."""
        nothing = (0.0, 0.0, 0.0)
        servos = [Part(servo.kind, nothing, nothing, 0.0, 0.0) for servo in self._servos()]
        return self.prescribed() + servos

    def _state(self, t: float) -> tuple[Doubles, Doubles, Doubles]:
        if self.servo is not None:
            raise ValueError(
                "the displacement of a Servo follows from forces, not from the time: see the wall's"
                " pose and twist"
            )
        return super()._state(t)


_KINDS = "a Rotating, Translating, Oscillating, Motions"


# ---- what users give -----------------------------------------------------------------------------


def read_motion(value: object) -> Motion | Given | None:
    """Read None, a motion or a callable of the time; a TypeError for anything else."""
    if value is None or isinstance(value, Motion):
        return value
    if hasattr(value, "as_matrix") or isinstance(value, np.ndarray):
        raise TypeError(
            f"motion is {_what(value)}, which is a pose, not a motion: mesh.transformed(pose) puts"
            f" a mesh there; a motion is {_KINDS}, or a callable of the time"
        )
    if isinstance(value, type) or not callable(value):
        raise TypeError(
            f"motion is {_what(value)}, but must be {_KINDS}, Servo or Free, a callable of the"
            f" time, or None{_hint(value)}"
        )
    return value


def _hint(value: object) -> str:
    if isinstance(value, type):
        return f": give {value.__name__}(...)"
    return ": give Motions([...])" if isinstance(value, list | tuple) else ""


def call_given(call: Given, t: float) -> tuple[Doubles, Doubles]:
    """The rigid pose (4, 4) and the twist (6,) that a callable returns at the time t."""
    returned: Any = call(t)
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        raise TypeError(
            f"the motion returned {_what(returned)} at time {t:g}, but must return a pose (4, 4)"
            " and a twist (6,)"
        )
    pose = read_pose(returned[0], f"the motion's pose at time {t:g}")
    twist = checks.doubles(returned[1], f"the motion's twist at time {t:g}")
    if twist.shape != (6,):
        raise ValueError(
            f"the motion's twist at time {t:g} has shape {twist.shape}, but must be (6,):"
            " velocity of the frame's origin, then angular velocity"
        )
    if not np.isfinite(twist).all():
        raise ValueError(f"the motion's twist at time {t:g} has an entry that is not finite")
    return pose, twist


def check_given(call: Given, t: float, step: float, size: float) -> tuple[Doubles, Doubles]:
    """The pose and twist of a callable at the time t, which must agree with each other.

    Parameters
    ----------
    call : callable
        It takes the time, and is called three times: at t, and one and two steps later.
    t, step : float
        Time and time step of the simulation.
    size : float
        Largest distance of the mesh's points from the origin of its frame, by which differences
        of angular velocities are multiplied.

    Returns
    -------
    pose : (4, 4) ndarray of float64
    twist : (6,) ndarray of float64

    Raises
    ------
    TypeError, ValueError
        If the callable does not return a rigid pose and a finite twist. If pose and twist disagree
        both in the first and in the second step after t. In one of these steps they may disagree,
        because the motion may begin or end in it.
    """
    states = [call_given(call, t + k * step) for k in range(3)]
    if not any(_agree(states[k], states[k + 1], step, size) for k in range(2)):
        velocity, spin = _mean_twist(states[0][0], states[1][0], step)
        raise ValueError(
            f"the motion's pose and twist at time {t:g} do not agree: its pose moves the frame's"
            f" origin with {_shown(velocity)} and turns with {_shown(spin)}, but the twist is"
            f" {_shown(states[0][1])}"
        )
    return states[0]


_State = tuple[Doubles, Doubles]


def _agree(before: _State, after: _State, step: float, size: float) -> bool:
    velocity, spin = _mean_twist(before[0], after[0], step)
    given = (before[1] + after[1]) / 2
    off = lengths(velocity - given[:3]) + size * lengths(spin - given[3:])
    speeds = [lengths(twist[:3]) + size * lengths(twist[3:]) for _, twist in (before, after)]
    extent = size + np.abs([before[0][:3, 3], after[0][:3, 3]]).max()
    return bool(off <= _AGREEMENT * max(speeds) + _ROUNDING * extent / step)


def _mean_twist(before: Doubles, after: Doubles, step: float) -> tuple[Doubles, Doubles]:
    """The velocity and the angular velocity that lead from one pose to the other in a step."""
    velocity = (after[:3, 3] - before[:3, 3]) / step
    return velocity, _rotation_vector(matrix_product(after[:3, :3], before[:3, :3].T)) / step


def _rotation_vector(rotation: Doubles) -> Doubles:
    """The rotation's axis, a unit vector, times its angle in radians."""
    twice_sine = np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    sine, cosine = lengths(twice_sine) / 2, (np.trace(rotation) - 1) / 2
    # the sine of 180 degrees is 0 and gives no axis, but no wall turns that far in a step
    return twice_sine / 2 * (arc_tangent(sine, cosine) / sine if sine else 1.0)


def _shown(numbers: Doubles) -> str:
    return f"({', '.join(f'{number:.6g}' for number in numbers)})"


def _what(value: object) -> str:
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return checks.a_or_an(type(value).__name__)


# ---- poses and twists of parts -------------------------------------------------------------------


def state_of(parts: list[Part], pose: Doubles, t: float) -> tuple[Doubles, Doubles, Doubles]:
    """Pose, velocity of the frame's origin, and angular velocity, with this pose at time 0."""
    velocity, spin = np.zeros(3), np.zeros(3)
    for part in parts:
        move = _pose_of(part, t)
        pose = matrix_product(move, pose)
        own_velocity, own_spin = _twist_of(part, t, pose[:3, 3])
        velocity = dots(move[:3, :3], velocity) + own_velocity
        spin = dots(move[:3, :3], spin) + own_spin
    return pose, velocity, spin


def _pose_of(part: Part, t: float) -> Doubles:
    pose = np.eye(4)
    if part.kind == ROTATING:
        pose[:3, :3] = _rotation(part.vector, part.rate * t)
        origin = np.array([part.origin])
        pose[:3, 3] = (origin - rotated(origin, pose[:3, :3]))[0]
    elif part.kind == TRANSLATING:
        pose[:3, 3] = np.array(part.vector) * t
    else:
        angle = 2 * math.pi * part.rate * t + part.phase
        pose[:3, 3] = np.array(part.vector) * (sine_cosine(angle)[0] - sine_cosine(part.phase)[0])
    return pose


def _rotation(axis: _Vector, angle: float) -> Doubles:
    """The rotation matrix about an axis of unit length, by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # 2 sin^2 of half the angle equals 1 - cos of the angle, but no digits cancel
    sine, half = sine_cosine(angle)[0], sine_cosine(angle / 2)[0]
    return np.eye(3) + sine * cross + 2 * (half * half) * matrix_product(cross, cross)


def _twist_of(part: Part, t: float, point: Doubles) -> tuple[Doubles, Doubles]:
    """The velocity that a part gives to the point, and the angular velocity of the part."""
    vector = np.array(part.vector)
    if part.kind == ROTATING:
        spin = part.rate * vector
        return np.cross(spin, point - part.origin), spin
    if part.kind == TRANSLATING:
        return vector, np.zeros(3)
    angle = 2 * math.pi * part.rate * t + part.phase
    return vector * (2 * math.pi * part.rate * sine_cosine(angle)[1]), np.zeros(3)
