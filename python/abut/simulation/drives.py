"""Walls that forces move: servo-controlled walls (`Servo`) and free rigid bodies (`Free`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import dots, lengths, matrix_product, principal_axes, unit_and_length
from ..base.arrays import Doubles
from ..base.orientations import from_matrix
from ..base.poses import rotated
from ..base.values import NEW
from ..io.stl import fan_triangles
from ..results.columns import columns_of
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from .motions import (
    FREE,
    ROTATING,
    SERVO,
    Drive,
    Given,
    Motion,
    Motions,
    Part,
    read_motion,
    state_of,
)

if TYPE_CHECKING:
    from .simulation import Simulation

_Vector = tuple[float, float, float]

# two pairs of walls, by number: the area is between them
_Sides = tuple[tuple[int, int], ...]

# the library's numbers for what the load of a Servo is, abut_loaded_area; 0: the load is given
AREA_GIVEN, AREA_PROJECTED, AREA_BETWEEN = 1, 2, 3

# dtype of the library's row for a driven wall, abut_drive
DRIVE = np.dtype([(c.name, c.dtype, c.shape(3)) for c in columns_of("drives")])

# names of the degrees of freedom, in the library's order
WAYS = ("x", "y", "z", "rx", "ry", "rz")


class Placed(NamedTuple):
    """Place and velocity of a wall when its drive begins."""

    mesh: Mesh | HalfSpace
    pose: Doubles  # (4, 4)
    velocity: Doubles  # (3,): of the origin of the mesh's frame
    spin: Doubles  # (3,): angular velocity
    others: list[Part] = []  # noqa: RUF012 - motions that the wall has besides the drive


@dataclass(frozen=True)
class Servo(Drive):
    """A servo-controlled wall: it moves along a line until its contacts balance a load.

    Parameters
    ----------
    force : (3,) array_like, float or callable, optional
        Load with which the wall pushes. The wall moves along this direction. A number or a callable
        pushes along `normal`.
    pressure : float or callable, optional
        Load per area, along `normal`, in place of `force`.
    normal : (3,) array_like, optional
        Direction in which the wall pushes, unless `force` is a vector; its length does not matter.
    area : float, callable, or sequence of two pairs of walls, optional
        With `pressure`: the area on which it acts. By default it is the area of the mesh's
        projection along `normal`. ``((a, b), (c, d))`` is the product of the distances from wall a
        to b, and from c to d, such as the side walls of a cell that shrinks. They are half spaces
        that face each other, as `Wall` or by number. A callable takes the simulation and returns
        the area; it is called before each step, which takes longer.
    mass : float, optional
        Mass of the wall, if its inertia matters: load and contacts then accelerate it, without a
        limit of distance. By default it has no mass.
    speed : float, optional
        The largest speed of the wall, in place of the limit below. With a mass there is no limit by
        default.

    Raises
    ------
    ValueError, TypeError
        If the load is not from 1e-75 to 1e75; if the pressure, the area, the mass or the speed is
        not positive and finite; or if not exactly one of `force` and `pressure` is given. If
        `normal` is missing, or not two pairs of walls are given as the area.

    Notes
    -----
    A callable `force` or `pressure` takes the simulation time, and is called before each step. It
    returns a number that is 0 or positive; others end the run with a ValueError. With a load of 0,
    a wall without mass backs off until contacts do not push it any more, and stands still where
    nothing touches it. Restart files hold no callables: pass the `Servo` again to
    `load_simulation` as ``motions={number: servo}``.

    A wall without mass changes its velocity v along its load P in each step by (P - F - K dt v) /
    (C + K dt). F is the force of its contacts against the load. K and C are the stiffness and the
    damping of the contacts' normals along the load. This is a step of Newton's method for a plate
    without mass, which needs no gain. The speed is at most a tenth of sqrt(P d / M). P is here the
    largest load so far, d the mean diameter of all grains, and M the total mass of grains that are
    not fixed. If K and C are zero, because nothing touches the wall or all contacts are at its
    side, it moves at this speed. If it has moved by the size of its mesh without contacts, or a
    half space has left all grains, it stands still until contacts support its load, and the run
    warns. A plate that is held by friction alone, as in shear, needs a `mass`, or a `Servo` for the
    load and a given motion for the shear, together in `Motions`.

    The projected area is the sum over facets that face along `normal`, or against it, whichever is
    larger. It is computed anew in each step if another motion of `Motions` turns the mesh. Give
    `area` if facets hide each other.

    Examples
    --------
    A lid that presses a ball with 10 N:

    >>> import abut
    >>> lid = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 3, 2, 1]])
    >>> ball, steel = abut.Material(density=1000, young=1e6), abut.Material()
    >>> sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0))
    >>> sim.set_law(ball, steel, abut.Hertz(restitution=0.5))
    >>> floor = sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
    >>> lid = lid.transformed([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.21], [0, 0, 0, 1]])
    >>> wall = sim.add_wall(lid, steel, motion=abut.Servo(force=(0, 0, -10)))
    >>> _ = sim.add_spheres([[0, 0, 0.1]], 0.1, ball)
    >>> sim.run(1.0)
    >>> wall.force.round(6)
    array([ 0.,  0., 10.])

    The load grows by 20 N a second, and the lid is dragged at the same time:

    >>> wall.motion = abut.Motions([
    ...     abut.Servo(force=lambda t: 10 + 20 * (t - 1), normal=(0, 0, -1)),
    ...     abut.Translating((0.01, 0, 0)),
    ... ])
    >>> sim.run(1.0)
    >>> wall.force[2].round(1), wall.travel[0].round(6)
    (np.float64(30.0), np.float64(0.01))
    """

    force: _Vector | float | Callable[[float], float] | None = None
    pressure: float | Callable[[float], float] | None = None
    normal: _Vector | None = None
    area: float | Callable[[Simulation], float] | _Sides | None = None
    mass: float | None = None
    speed: float | None = field(default=None, metadata={NEW: True})

    kind = SERVO

    def __post_init__(self) -> None:
        if (self.force is None) == (self.pressure is None):
            raise TypeError("a Servo takes either force=, or pressure= with normal=")
        name = "force" if self.pressure is None else "pressure"
        if self.pressure is None and self.area is not None:
            raise TypeError("area= is for pressure=: a force acts as it is")
        if np.ndim(getattr(self, name)) and name == "force":
            self._read_vector()
        else:
            self._read_amount(name)
        if isinstance(self.area, list | tuple):
            self._settle(area=_read_sides(self.area))
        elif not callable(self.area):
            self._read_positive("area")
        self._read_positive("mass")
        self._read_positive("speed")

    def _read_positive(self, name: str) -> None:
        if getattr(self, name) is not None:
            self._settle(**{name: checks.positive(getattr(self, name), name)})

    def _read_vector(self) -> None:
        if self.normal is not None:
            raise TypeError(
                "normal= is for pressure=, and for a force that is a number or a callable: a"
                " vector has its own direction"
            )
        force = _direction(cast(ArrayLike, self.force), "force")
        self._settle(force=force)
        _check_load(unit_and_length(force)[1])

    def _read_amount(self, name: str) -> None:
        amount = getattr(self, name)
        if self.normal is None:
            what = "pressure=" if name == "pressure" else "a force that is no vector"
            raise TypeError(f"{what} needs normal=, the direction in which the wall pushes")
        self._settle(normal=_direction(self.normal, "normal"))
        if not callable(amount) or isinstance(amount, type):
            self._settle(**{name: checks.positive(amount, name)})
            if name == "force":
                _check_load(amount)

    @property
    def is_asked(self) -> bool:
        """Whether a callable returns the load, the pressure or the area before each step."""
        return any(map(callable, (self.force, self.pressure, self.area)))

    @property
    def sides(self) -> _Sides:
        """The numbers of the walls between which the area is, in pairs; empty without them."""
        return self.area if isinstance(self.area, tuple) else ()

    def asked(self, simulation: Simulation) -> dict[str, Any]:
        """The members of the library's row that callables set before a step."""
        amount = self._amount(simulation.time)
        if self.pressure is None:
            return {"load": amount}
        if not callable(self.area):
            return {"pressure": amount}
        area = checks.positive(self.area(simulation), "the area that the callable returned")
        axis, load = _axis_and_load(amount * area * self._axis())
        return {"axis": axis, "load": load} if load else {"load": 0.0}

    def _amount(self, time: float) -> float:
        name = "force" if self.pressure is None else "pressure"
        amount = getattr(self, name)
        if not callable(amount):
            return float(amount)
        return checks.not_negative(
            amount(time), f"the {name} that the callable returned at time {time:g}"
        )

    def _axis(self) -> Doubles:
        along = self.force if self.normal is None else self.normal
        return np.array(unit_and_length(cast(_Vector, along))[0])

    def area_of(self, placed: Placed) -> float:
        """The area on which a pressure acts when the motion begins, unless others determine it."""
        if isinstance(self.area, float):
            return self.area
        mesh = placed.mesh
        if isinstance(mesh, HalfSpace):
            raise ValueError(
                "a half space has no area: give its Servo area=, a number or two pairs of walls"
            )
        along = mesh.areas * dots(rotated(mesh.normals, placed.pose[:3, :3]), self._axis())
        area = max(float(along[along > 0].sum()), -float(along[along < 0].sum()))
        if area == 0:
            raise ValueError(f"no facet of the mesh faces along normal, {self.normal}: give area=")
        return area

    def row(self, placed: Placed) -> np.ndarray[Any, Any]:
        row = np.zeros((), DRIVE)
        axis = self._axis()
        row["axis"] = axis
        if not self.is_asked and not self.sides and self._is_constant(placed):
            row["axis"], row["load"] = _axis_and_load(self._constant(placed))
        elif self.pressure is not None and not callable(self.area):
            self._set_pressure(row, placed)
        row["mass"], row["limit"] = self.mass or 0.0, self.speed or 0.0
        row["size"] = _size(placed.mesh)
        if placed.velocity.any() or placed.spin.any():
            other_velocity = state_of(placed.others, placed.pose, 0.0)[1]
            row["speed"] = dots(placed.velocity - other_velocity, axis)
        return row

    def _is_constant(self, placed: Placed) -> bool:
        return self.pressure is None or self.area is not None or not self._turns(placed)

    def _constant(self, placed: Placed) -> Doubles:
        """The load of numbers only, as a vector."""
        if self.normal is None:
            return np.array(self.force)
        load = self._amount(0.0)
        if self.pressure is not None:
            load *= self.area_of(placed)
        _check_load(load)
        return load * self._axis()

    def _set_pressure(self, row: np.ndarray[Any, Any], placed: Placed) -> None:
        """Set the members from which the library computes the load in each step."""
        row["pressure"] = 0.0 if callable(self.pressure) else self.pressure
        if self.sides:
            row["loaded"] = AREA_BETWEEN
            return
        row["loaded"] = AREA_GIVEN if self._is_constant(placed) else AREA_PROJECTED
        row["area"] = self.area_of(placed)

    def _turns(self, placed: Placed) -> bool:
        """Whether other motions turn the wall so that its projection changes."""
        return any(
            part.kind == ROTATING and part.rate != 0.0 and np.cross(part.vector, self._axis()).any()
            for part in placed.others
        )


@dataclass(frozen=True)
class Free(Drive):
    """A wall that moves as a rigid body, by gravity, its contacts and applied forces.

    Parameters
    ----------
    mass : float
    inertia : (3,) or (3, 3) array_like, optional
        About the center of mass when the motion begins: moments of inertia about the axes of the
        world, or the tensor. By default the inertia of a shell: the facets with constant thickness.
    center : (3,) array_like, optional
        The center of mass in the world, when the motion begins. By default the shell's center.
    origin : (3,) array_like, optional
        Point that does not move if x, y and z are locked, such as a point of a hinge. By default
        the center of mass.
    locked : sequence of str, default ()
        Locked degrees of freedom: ``x``, ``y``, ``z`` are translations along the axes of the world,
        ``rx``, ``ry``, ``rz`` rotations about them. A string stands for its letters: ``"xyz"``.

    Raises
    ------
    ValueError, TypeError
        If the mass is not positive, no body can have this inertia, a name in `locked` is unknown,
        or `origin` is given without x, y and z locked.

    Notes
    -----
    The wall is integrated like a convex body (docs/dem.md, section 5). Contact laws use the masses
    of both partners. Walls do not touch each other. `Wall.applied_force` and `Wall.applied_torque`
    act in addition to gravity and contacts until other values are assigned.

    Examples
    --------
    A plate that falls:

    >>> import abut
    >>> plate = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
    >>> sim = abut.Simulation(step=1e-3, gravity=(0, 0, -10))
    >>> wall = sim.add_wall(plate, motion=abut.Free(mass=2.0))
    >>> sim.run(1.0)
    >>> wall.twist.round(2)
    array([  0.,   0., -10.,   0.,   0.,   0.])
    """

    mass: float
    inertia: Any = None
    center: _Vector | None = None
    origin: _Vector | None = None
    locked: tuple[str, ...] = ()

    kind = FREE

    def __post_init__(self) -> None:
        locked = _read_locked(self.locked)
        self._settle(mass=checks.positive(self.mass, "mass"), locked=locked)
        if self.inertia is not None:
            self._settle(inertia=_read_inertia(self.inertia))
        for name in ("center", "origin"):
            if getattr(self, name) is not None:
                self._settle(**{name: checks.vector(getattr(self, name), name)})
        if self.origin is not None and not {"x", "y", "z"} <= set(locked):
            raise ValueError('origin= needs x, y and z locked: give locked="xyz"')

    def row(self, placed: Placed) -> np.ndarray[Any, Any]:
        center, inertia = self._solid(placed)
        origin = center if self.origin is None else np.array(self.origin)
        arm = center - origin
        inertia = inertia + self.mass * (dots(arm, arm) * np.eye(3) - arm[:, None] * arm)
        moments, axes = principal_axes(inertia)
        is_locked = np.array([way in self.locked for way in WAYS])
        spin = np.where(is_locked[3:], 0.0, placed.spin)
        velocity = placed.velocity + np.cross(placed.spin, origin - placed.pose[:3, 3])
        row = np.zeros((), DRIVE)
        row["mass"], row["inertia"], row["arm"] = self.mass, moments, dots(axes.T, arm)
        row["locked"] = is_locked
        frame = np.c_[placed.pose[:3, :3], placed.pose[:3, 3] - origin]
        row["frame"] = matrix_product(axes.T, frame).ravel()
        row["position"] = origin
        row["velocity"] = np.where(is_locked[:3], 0.0, velocity)
        row["momentum"], row["spin"] = dots(inertia, spin), spin
        row["orientation"] = from_matrix(axes)
        return row

    def _solid(self, placed: Placed) -> tuple[Doubles, Doubles]:
        """The center of mass and the inertia about it, in the world."""
        if isinstance(placed.mesh, HalfSpace):
            raise TypeError("a half space has no inertia, and cannot be Free: give a mesh")
        shell_center, shell = _shell(placed.mesh.transformed(placed.pose))
        center = shell_center if self.center is None else np.array(self.center)
        inertia = self.mass * shell if self.inertia is None else np.array(self.inertia)
        if inertia.ndim == 1:
            inertia = np.diag(inertia)
        if not (principal_axes(inertia)[0] > 0).all():
            raise ValueError("the facets of the mesh have no inertia about an axis: give inertia=")
        return center, inertia


# ---- arguments -----------------------------------------------------------------------------------

# types of the argument `motion` of a wall
Moving = Motion | Drive | Given | None


def read_moving(value: object) -> Moving:
    """Read None, a motion, a drive or a callable of the time; a TypeError for anything else."""
    return value if isinstance(value, Drive) else read_motion(value)


def drive_of(motion: Moving) -> Drive | None:
    """The `Servo` or `Free` that a motion is or has."""
    if isinstance(motion, Motions):
        return motion.servo
    return motion if isinstance(motion, Drive) else None


def servo_of(motion: Moving) -> Servo | None:
    """The `Servo` that a motion is or has."""
    drive = drive_of(motion)
    return drive if isinstance(drive, Servo) else None


def others_of(motion: Moving) -> list[Part]:
    """The parts of a motion besides its `Servo`."""
    return motion.prescribed() if isinstance(motion, Motions) else []


def _direction(value: ArrayLike, name: str) -> _Vector:
    vector = checks.vector(value, name)
    if not any(vector):
        raise ValueError(f"{name} is {vector}, but must have a direction")
    return vector


def _axis_and_load(vector: Doubles) -> tuple[Doubles, float]:
    """The direction and the length of a load.

    The direction is rounded as the library did when it took the load as a vector.
    """
    load = math.sqrt(dots(vector, vector))
    return vector * (1.0 / load) if load else vector, load


def _check_load(load: float) -> None:
    """Raise a ValueError for a load that is so large or small that its square is inf or 0."""
    if not 1e-75 <= load <= 1e75:
        raise ValueError(f"load is {load:g}, but must be from 1e-75 to 1e75")


def _read_sides(value: Any) -> _Sides:
    """Read two pairs of walls, or of their numbers."""
    pairs = [list(pair) if isinstance(pair, list | tuple) else [] for pair in value]
    if [len(pair) for pair in pairs] != [2, 2]:
        raise ValueError(
            f"area is {value!r}, but must be a number, a callable, or two pairs of walls:"
            " ((left, right), (front, back))"
        )
    numbered = [[getattr(wall, "number", wall) for wall in pair] for pair in pairs]
    return tuple(
        (checks.whole(a, f"area[{k}][0]"), checks.whole(b, f"area[{k}][1]"))
        for k, (a, b) in enumerate(numbered)
    )


def _read_locked(value: object) -> tuple[str, ...]:
    names = list(value) if isinstance(value, str | Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise TypeError(f"locked is {value!r}, but must be a sequence of {', '.join(WAYS)}")
    for name in names:
        if name not in WAYS:
            raise ValueError(f"locked has {name!r}, but must be of {', '.join(WAYS)}")
    return tuple(name for name in WAYS if name in names)


def _read_inertia(value: ArrayLike) -> tuple[Any, ...]:
    inertia = checks.doubles(value, "inertia")
    if inertia.shape not in ((3,), (3, 3)):
        raise ValueError(f"inertia has shape {inertia.shape}, but must be (3,) or (3, 3)")
    if not np.isfinite(inertia).all():
        raise ValueError("inertia has an entry that is not finite")
    tensor = np.diag(inertia) if inertia.ndim == 1 else inertia
    if not np.allclose(tensor, tensor.T, rtol=1e-9, atol=0):
        raise ValueError("inertia is not symmetric")
    moments = principal_axes(tensor)[0]
    if not moments[0] > 0 or moments[2] > (moments[0] + moments[1]) * (1 + 1e-9):
        raise ValueError(f"inertia has the principal moments {moments}, which no body can have")
    return tuple(tuple(row) if np.ndim(row) else row for row in inertia.tolist())


def _size(mesh: Mesh | HalfSpace) -> float:
    """The distance after which a Servo without contacts stops: the diagonal of the mesh's box."""
    if isinstance(mesh, HalfSpace):
        return math.inf
    points = mesh.vertices
    if len(points) == 0:
        return 0.0
    return float(lengths(points.max(axis=0) - points.min(axis=0)))


def _shell(mesh: Mesh) -> tuple[Doubles, Doubles]:
    """The center of mass of a mesh as a thin shell, and its inertia about the center per mass.

    The mean of x x^T over a triangle with corners a, b, c is
    (a a^T + b b^T + c c^T + s s^T) / 12 with s = a + b + c.
    """
    corners = mesh.vertices[fan_triangles(mesh.vertices, mesh.indices, mesh.offsets)]
    a, b, c = corners.transpose(1, 0, 2)
    areas = lengths(np.cross(b - a, c - a))
    weights = areas / areas.sum()
    center = (weights[:, None] * corners.mean(axis=1)).sum(axis=0)
    corners = corners - center
    rows = np.concatenate([corners, corners.sum(axis=1, keepdims=True)], axis=1)
    columns = rows.transpose(2, 1, 0)
    second = np.array([[(weights * a * b).sum() for b in columns] for a in columns]) / 12
    return center, np.trace(second) * np.eye(3) - second


# ---- rows of driven walls ------------------------------------------------------------------------


def numbers(row: np.ndarray[Any, Any]) -> Doubles:
    """A driven wall's row as an array of doubles, the form that the library takes."""
    return np.ascontiguousarray(row).reshape(1).view(np.float64)


def members(row: Doubles) -> np.ndarray[Any, Any]:
    """A driven wall's row of doubles as a record with named members."""
    return row.view(DRIVE)[0]


def check_rows(rows: Doubles, drives: Iterable[Drive]) -> None:
    """Raise a ValueError if a restart file has a row with values that no drive can have."""
    size = DRIVE.fields["size"][1] // 8  # type: ignore[index]
    for row, drive in zip(rows, drives, strict=True):
        values = members(np.ascontiguousarray(row))
        finite = np.isfinite(np.delete(row, size)).all() and not np.isnan(values["size"])
        is_sound = _is_free_sound if drive.kind == FREE else _is_servo_sound
        if not (finite and is_sound(values, drive)):
            raise ValueError("drives has a row that cannot drive a wall")


def _is_free_sound(values: np.ndarray[Any, Any], drive: Drive) -> bool:
    return bool(
        values["mass"] > 0 and (values["inertia"] > 0).all() and values["orientation"].any()
    )


def _is_servo_sound(values: np.ndarray[Any, Any], drive: Drive) -> bool:
    assert isinstance(drive, Servo)
    least = min(values[name] for name in ("mass", "load", "pressure", "area", "limit", "peak"))
    is_between = values["loaded"] == AREA_BETWEEN
    return bool(
        values["axis"].any()
        and least >= 0
        and values["loaded"] in range(AREA_BETWEEN + 1)
        and is_between == (drive.sides != ())
    )
