"""A slow and obvious reference in NumPy for `abut.Simulation` with convex bodies and half spaces.

docs/dem.md, section 10, has the formulas. Contacts come from `abut.ConvexFinder`; the forces of
spots and the motion of bodies come from `reference_dem`.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import abut
import reference_dem
from reference_dem import (
    Constants,
    Touch,
    constants,
    dot,
    harmonic,
    respond,
    spun,
    still,
    tilt,
    turn_of,
)


class Solid(reference_dem.Body):
    """A convex body: what moves is its center of mass, and its principal axes."""

    def __init__(self, shape, scale, material, position, orientation, velocity, spin):
        self.shape, self.scale, self.material = shape, scale, material
        self.mass = material.density * shape.volume * scale**3
        moments, axes = np.linalg.eigh(np.asarray(shape.inertia))
        self.axes = axes * np.sign(np.linalg.det(axes))
        self.inertia = material.density * scale**5 * moments
        self.rounding = shape.radius * scale
        self.offset = scale * np.asarray(shape.centroid)
        turn = Rotation.from_quat(orientation).as_matrix()
        self.position = np.asarray(position, float) + turn @ self.offset
        self.orientation = Rotation.from_matrix(turn @ self.axes).as_quat()
        self.velocity, self.angular_velocity = np.array(velocity, float), np.array(spin, float)
        self.angular_momentum = turn @ self.axes @ (self.inertia * ((turn @ self.axes).T @ spin))
        self.members = np.zeros((0, 3))

    def frame(self):
        """The origin of the shape's frame, and its orientation."""
        turn = turn_of(self.orientation) @ self.axes.T
        return self.position - turn @ self.offset, Rotation.from_matrix(turn).as_quat()

    def velocity_at(self, point, surface, step):
        """The mean velocity of a point since the previous step; its arm without `surface` moves
        along a circle."""
        arm, spin = point - self.position, self.angular_velocity
        mean = arm - 0.5 * step * np.cross(spin, arm - surface)
        return self.velocity + np.cross(spin, mean)


class Floor(NamedTuple):
    """A half space with its motion."""

    half_space: abut.HalfSpace
    material: abut.Material
    motion: object

    def at(self, time):
        place = still(np.eye(4))
        for part in self.motion.parts() if self.motion else ():
            place = reference_dem.after(place, reference_dem.moved(part, time))
        return place

    def placed(self, time):
        place, plane = self.at(time), self.half_space
        point = place.turn @ np.asarray(plane.point) + place.origin
        return abut.HalfSpace(point, place.turn @ np.asarray(plane.normal))


class Memory(NamedTuple):
    """The contact history of a spot."""

    overlap: float
    spring: np.ndarray
    roll: np.ndarray
    most: float  # the largest overlap of all


class Simulation:
    """The public face of `abut.Simulation`, as far as tests of bodies need it."""

    def __init__(self, step, gravity=(0, 0, -9.81)):
        self.step, self.gravity = step, np.array(gravity, float)
        self.laws, self.solids, self.floors, self.step_count = {}, [], [], 0
        self.spots, self.normals = {}, {}
        self.before = [None, None]

    def set_law(self, a, b, law):
        self.laws[a, b] = self.laws[b, a] = constants(law, a, b), law.curvature

    def add_wall(self, half_space, material, motion=None):
        self.floors.append(Floor(half_space, material, motion))

    def add_bodies(
        self, shape, positions, material, orientations, scales, velocities, angular_velocities
    ):
        columns = positions, orientations, velocities, angular_velocities
        for scale, *state in zip(scales, *columns, strict=True):
            self.solids.append(Solid(shape, scale, material, *state))
        shapes = list({id(solid.shape): solid.shape for solid in self.solids}.values())
        numbers = [shapes.index(solid.shape) for solid in self.solids]
        scales = [solid.scale for solid in self.solids]
        self.finder = abut.ConvexFinder(shapes, numbers, scales=scales)

    def run(self, steps):
        for _ in range(steps):
            self.go_on()

    @property
    def time(self):
        return self.step_count * self.step

    def go_on(self):
        self.loads = np.zeros((len(self.solids), 2, 3))
        self.floor_loads = np.zeros((len(self.floors), 2, 3))
        self.elastic = 0.0
        spots, normals = self.spots, self.normals
        self.spots, self.normals = {}, {}
        for kind, found in enumerate(self.find()):
            for row in range(len(found)):
                self.touch(kind, found, row, spots, normals)
        for solid, (force, torque) in zip(self.solids, self.loads, strict=True):
            solid.move(force, torque, self.gravity, self.step, self.step)
        self.step_count += 1

    def find(self):
        """The contacts of bodies with bodies and floors."""
        frames = [
            np.array(column) for column in zip(*(s.frame() for s in self.solids), strict=True)
        ]
        of_bodies, of_floors = self.before
        planes = [floor.placed(self.time) for floor in self.floors]
        self.before = [
            self.finder.find(*frames, before=of_bodies),
            self.finder.find_walls(*frames, planes, before=of_floors),
        ]
        return self.before

    # ---- one row ----

    def touch(self, kind, found, row, spots, normals):
        own = self.solids[found.i[row]]
        number = found.mesh[row] if kind else found.j[row]
        other = self.floors[number] if kind else self.solids[number]
        law, curvature = self.laws[own.material, other.material]
        key = kind, int(found.i[row]), int(number)
        normal = found.normal[row]
        self.normals[key] = normal
        rows = slice(found.spot_offsets[row], found.spot_offsets[row + 1])
        bearing = found.spot_overlap[rows] > 0
        is_curved = law.is_hertz or law.rolling == "C"
        for spot in np.arange(rows.start, rows.stop)[bearing]:
            name = *key, *found.spot_type[spot].tolist(), *found.spot_feature[spot].tolist()
            overlap, point = found.spot_overlap[spot], found.spot[spot]
            if is_curved and kind:
                point = point + 0.5 * overlap * normal
            partners = own, other, point, normal, overlap
            touch = self.seen(kind, is_curved, curvature, bearing.sum(), partners)
            turn = self.turn_of_wall(number) if kind else self.spun_about(own, other, normal)
            touch = touch._replace(
                **remembered(touch, spots.get(name), normals.get(key), turn, is_wall=kind)
            )
            self.apply(key, name, respond(arrays(law), touch, self.step), overlap, point)

    def seen(self, kind, is_curved, curvature, count, partners):
        """The spot of two partners, without its history."""
        own, other, point, normal, overlap = partners
        # how much of the overlap is before the point where the force acts
        part = 1.0 if kind else 0.5
        surface = [
            sign * (body.rounding - part * overlap) * normal
            if is_curved and isinstance(body, Solid) and body.rounding
            else np.zeros(3)
            for sign, body in ((-1, own), (1, other))
        ]
        radius, mass, inertia = own.rounding or curvature, own.mass, own.inertia.min()
        velocity = own.velocity_at(point, surface[0], self.step)
        spin = own.angular_velocity
        if kind:
            before = other.at(max(self.time - self.step, 0.0))  # until then it stood
            way = reference_dem.way_between(before, other.at(self.time), self.step)
            velocity = way.turned @ (velocity - way.at(point))
            spin = 0.5 * (np.eye(3) + way.turned) @ (spin - way.spin)
        else:
            radius = radius and harmonic(radius, other.rounding or curvature)
            mass = harmonic(mass, other.mass)
            inertia = harmonic(inertia, other.inertia.min())
            velocity = velocity - other.velocity_at(point, surface[1], self.step)
            spin = spin - other.angular_velocity
        numbers = overlap, normal, radius if is_curved else 1.0, mass / count, inertia / count
        rest = (np.array([x]) for x in (*numbers, velocity, spin, 1.0, 1.0))
        return Touch(*rest, *[None] * 6)

    def turn_of_wall(self, number):
        """The rotation of a floor since the step before."""
        now, before = (self.floors[number].at(t) for t in (self.time, self.time - self.step))
        return now.turn @ before.turn.T

    def spun_about(self, own, other, normal):
        """The angle by which both bodies have turned on average about the normal."""
        spin = own.angular_velocity + other.angular_velocity
        return 2 * np.arctan(0.25 * self.step * dot(spin, normal))

    def apply(self, key, name, response, overlap, point):
        force, moment = response.force[0], response.moment[0]
        self.spots[name] = Memory(overlap, response.spring[0], response.roll[0], response.most[0])
        self.elastic += response.elastic[0]
        kind, i, number = key
        arm = point - self.solids[i].position
        self.loads[i] += force, np.cross(arm, force) + moment
        if kind:
            self.floor_loads[number] -= force, np.cross(point, force) + moment
        else:
            arm = point - self.solids[number].position
            self.loads[number] -= force, np.cross(arm, force) + moment


def remembered(touch, spot, old_normal, turn, is_wall):
    """The history of a spot, turned with the wall, or about the normal."""
    zero, is_new = np.zeros(3), old_normal is None
    overlap, spring, roll, most = spot or Memory(0.0, zero, zero, 0.0)
    normal = touch.normal[0] if is_new else old_normal
    if is_wall and not is_new:
        normal, spring, roll = turn @ normal, turn @ spring, turn @ roll
    elif not is_new:
        angle = np.array([turn])
        spring, roll = (spun(v[None], normal[None], angle)[0] for v in (spring, roll))
    history = tuple(np.array([x]) for x in (overlap, most, normal, spring, roll))
    tilted = tilt(touch.normal, np.array([-1 if is_new else 0]), history)
    return dict(zip(Touch._fields[-6:], tilted, strict=True))


def arrays(law):
    """Constants of one contact, as `respond` takes them."""
    return Constants(*(np.array([number]) for number in law))


def columns_of(sim):
    """Centers, velocities, spins and principal orientations of the reference's bodies."""
    return [
        np.array([getattr(solid, name) for solid in sim.solids])
        for name in ("position", "velocity", "angular_velocity", "angular_momentum")
    ]
