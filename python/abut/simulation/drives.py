"""Walls that forces move: servo-controlled walls (`Servo`) and free rigid bodies (`Free`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import dots, lengths, matrix_product, principal_axes, unit_and_length
from ..base.arrays import Doubles
from ..base.orientations import from_matrix
from ..base.poses import rotated
from ..base.values import Value
from ..io.stl import fan_triangles
from ..results.columns import columns_of
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from .motions import Given, Motion, read_motion

if TYPE_CHECKING:
    from .simulation import Simulation

_Vector = tuple[float, float, float]

# the library's numbers for these two kinds of motions
SERVO, FREE = 4, 5

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


class Drive(Value):
    """The base class of `Servo` and `Free`."""

    kind: int

    def row(self, placed: Placed) -> np.ndarray[Any, Any]:
        """The row (abut_drive) of a wall with a drive that begins at this place."""
        raise NotImplementedError


@dataclass(frozen=True)
class Servo(Drive):
    """A servo-controlled wall: it moves along a line until its contacts balance a load.

    Parameters
    ----------
    force : (3,) array_like, optional
        Load with which the wall pushes. The wall moves along this direction.
    pressure : float, optional
        Load per area, along `normal`, in place of `force`.
    normal : (3,) array_like, optional
        With `pressure`: direction in which the wall pushes; its length does not matter.
    area : float or callable, optional
        With `pressure`: the area on which it acts. By default it is the area of the mesh's
        projection along `normal` when the motion begins. For a cell with moving sides, give a
        callable that takes the simulation and returns the area; it is called before each step.
    mass : float, optional
        Mass of the wall, if its inertia matters: load and contacts then accelerate it, without a
        limit of speed or distance. By default it has no mass.

    Raises
    ------
    ValueError, TypeError
        If the load is not from 1e-75 to 1e75; if the pressure, the area or the mass is not positive
        and finite; or if not exactly one of `force` and `pressure` is given.

    Notes
    -----
    A wall without mass changes its velocity v along its load P in each step by
    (P - F - K dt v) / (C + K dt). F is the force of its contacts against the load. K and C are the
    stiffness and the damping of the contacts' normals along the load. This is a step of Newton's
    method for a plate without mass, which needs no gain. The speed is at most a tenth of
    sqrt(P d / M), with the mean diameter d of all grains and the total mass M of grains that are
    not fixed. If K and C are zero, because nothing touches the wall or all contacts are at its
    side, it moves at this speed. If it has moved by the size of its mesh without contacts, or a
    half space has left all grains, it stands still until contacts support its load, and the run
    warns. A plate that is held by friction alone, as in shear, needs a `mass`.

    The projected area is the sum over facets that face along `normal`, or against it, whichever is
    larger. Give `area` if facets hide each other.

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
    """

    force: _Vector | None = None
    pressure: float | None = None
    normal: _Vector | None = None
    area: float | Callable[[Simulation], float] | None = None
    mass: float | None = None

    kind = SERVO

    def __post_init__(self) -> None:
        if (self.force is None) == (self.pressure is None):
            raise TypeError("a Servo takes either force=, or pressure= with normal=")
        if self.force is not None:
            for name in ("normal", "area"):
                if getattr(self, name) is not None:
                    raise TypeError(f"{name}= is for pressure=: a force has its own direction")
            self._settle(force=_direction(self.force, "force"))
            _check_load(unit_and_length(self.force)[1])
        else:
            if self.normal is None:
                raise TypeError("pressure= needs normal=, the direction in which the wall pushes")
            self._settle(
                pressure=checks.positive(self.pressure, "pressure"),
                normal=_direction(self.normal, "normal"),
            )
        if self.area is not None and not callable(self.area):
            self._settle(area=checks.positive(self.area, "area"))
        if self.mass is not None:
            self._settle(mass=checks.positive(self.mass, "mass"))

    def load(self, area: float | None) -> Doubles:
        """The load vector; `area` is None if the load was given as a force."""
        if self.force is not None:
            return np.array(self.force)
        assert self.pressure is not None and area is not None
        load = self.pressure * area
        _check_load(load)
        return load * self._axis()

    def ask(self, simulation: Simulation) -> float:
        """The area that the callable returns."""
        assert callable(self.area)
        return checks.positive(self.area(simulation), "the area that the callable returned")

    def _axis(self) -> Doubles:
        along = self.normal if self.force is None else self.force
        assert along is not None
        return np.array(unit_and_length(along)[0])

    def area_of(self, placed: Placed) -> float | None:
        """The area on which a pressure acts; None with a force, and if a callable returns areas."""
        if self.pressure is None or callable(self.area):
            return None
        if self.area is not None:
            return self.area
        mesh = placed.mesh
        if isinstance(mesh, HalfSpace):
            raise ValueError("a half space has no area: give its Servo area=")
        along = mesh.areas * dots(rotated(mesh.normals, placed.pose[:3, :3]), self._axis())
        area = max(float(along[along > 0].sum()), -float(along[along < 0].sum()))
        if area == 0:
            raise ValueError(f"no facet of the mesh faces along normal, {self.normal}: give area=")
        return area

    def row(self, placed: Placed) -> np.ndarray[Any, Any]:
        row = np.zeros((), DRIVE)
        area = self.area_of(placed)
        # If a callable returns the area, this is only the direction, as a unit vector: `ask_loads`
        # sets the load before each step.
        row["force"] = self._axis() if callable(self.area) else self.load(area)
        row["mass"] = self.mass or 0.0
        row["size"] = _size(placed.mesh)
        row["speed"] = dots(placed.velocity, self._axis())
        return row


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


def _direction(value: ArrayLike, name: str) -> _Vector:
    vector = checks.vector(value, name)
    if not any(vector):
        raise ValueError(f"{name} is {vector}, but must have a direction")
    return vector


def _check_load(load: float) -> None:
    """Raise a ValueError for a load that is so large or small that its square is inf or 0."""
    if not 1e-75 <= load <= 1e75:
        raise ValueError(f"load is {load:g}, but must be from 1e-75 to 1e75")


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
    for row, drive in zip(rows, drives, strict=True):
        values = members(np.ascontiguousarray(row))
        is_free = drive.kind == FREE
        finite = np.isfinite(np.delete(row, 7)).all() and not np.isnan(values["size"])
        sound = finite and values["mass"] >= 0 and (values["mass"] > 0 or not is_free)
        if is_free:
            sound = sound and (values["inertia"] > 0).all() and values["orientation"].any()
        else:
            sound = sound and values["force"].any()
        if not sound:
            raise ValueError("drives has a row that cannot drive a wall")
