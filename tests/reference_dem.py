"""The discrete element method in NumPy: a slow and obvious reference for `abut.Simulation`.

docs/dem.md has the formulas. A step takes the contacts at its beginning with the walls where they
are then, and the velocities of half a step before; it ends with centers at its end. `Simulation`
has the public face of the library's as far as the scenes of `scenes_dem.py` need it, so that these
build either.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import abut
import reference_cohesion as glue
import shares
from reference_history import tilted

HERTZ_EXPONENT, LINEAR_EXPONENT = 1.5, 1.0


class Energy(NamedTuple):
    kinetic: float
    rotational: float
    gravitational: float
    elastic: float
    dissipated: float
    wall_work: float


# ---- small mathematics ---------------------------------------------------------------------------


def dot(a, b):
    return (a * b).sum(axis=-1)


def length(vectors):
    return np.linalg.norm(vectors, axis=-1)


def column(numbers):
    return np.asarray(numbers)[..., None]


def rotation(axis, angle):
    """The matrix of a rotation about a unit vector (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


def spun(vectors, axes, angles):
    """Vectors turned about unit vectors, each by its angle."""
    sine, cosine = column(np.sin(angles)), column(np.cos(angles))
    along = column(dot(axes, vectors)) * axes
    return along + cosine * (vectors - along) + sine * np.cross(axes, vectors)


def ratio(above, below):
    """above / below, 0 where `below` is 0."""
    above, below = np.broadcast_arrays(above, below)
    return np.divide(above, below, out=np.zeros(above.shape), where=below != 0)


def logarithm_of_restitution(zeta):
    """-ln e of a contact that does not attract, with this damping ratio."""
    if zeta < 1:
        return 2 * zeta * np.arccos(zeta) / np.sqrt(1 - zeta * zeta)
    if zeta == 1:
        return 2.0
    return 2 * zeta * np.arccosh(zeta) / np.sqrt(zeta * zeta - 1)


def damping_ratio(restitution):
    """The damping ratio of this restitution, by bisection: e falls with it."""
    low, high = 0.0, 1.0
    while logarithm_of_restitution(high) < -np.log(restitution):
        high *= 2
    for _ in range(200):
        middle = 0.5 * (low + high)
        if logarithm_of_restitution(middle) < -np.log(restitution):
            low = middle
        else:
            high = middle
    return low if restitution < 1 else 0.0


# ---- laws ----------------------------------------------------------------------------------------


class Constants(NamedTuple):
    """The constants of a force between two materials, or arrays with one entry per contact."""

    is_hertz: bool
    normal: float  # Hertz: E*; linear: k_n
    tangential: float  # Hertz: G*; linear: k_t
    friction: float
    damping: float  # zeta
    rolling: str  # "", "A" or "C"
    rolling_friction: float
    rolling_damping: float
    # of reference_cohesion.Glue
    cohesion: int
    adhesion: float
    distance: float
    volume: float
    tension: float
    angle: float
    unloading: float
    tensile: float
    depth: float


TYPES = tuple(Constants.__annotations__.values())


def effective(numerator, a, b, modulus):
    """1 / (sum of numerator / modulus over those of two materials that are not rigid)."""
    soft = [material for material in (a, b) if material.young is not None]
    return 1 / sum(numerator(material) / modulus(material) for material in soft)


def constants(law, a, b):
    rolling, kind, rolling_damping = law.rolling, "C", 0.3
    if isinstance(rolling, abut.laws.RollingA):
        rolling, kind = rolling.coefficient, "A"
    elif isinstance(rolling, abut.laws.RollingC):
        rolling, rolling_damping = rolling.coefficient, rolling.damping
    kind = kind if rolling > 0 else ""
    rest = law.friction, damping_ratio(law.restitution), kind, rolling, rolling_damping
    rest += glue.glue_of(law)
    if isinstance(law, abut.laws.Luding):
        return Constants(False, law.loading, law.tangential * law.loading, *rest)
    if isinstance(law, abut.Linear):
        return Constants(False, law.stiffness, law.tangential * law.stiffness, *rest)
    young = effective(lambda m: 1 - m.poisson**2, a, b, lambda m: m.young)
    shear = effective(lambda m: 2 - m.poisson, a, b, lambda m: m.young / (2 + 2 * m.poisson))
    return Constants(True, young, shear, *rest)


class Touch(NamedTuple):
    """Contacts of one kind, of i with a wall or with j, one entry a row."""

    overlap: np.ndarray
    normal: np.ndarray
    radius: np.ndarray  # R*
    mass: np.ndarray  # m*
    inertia: np.ndarray  # I*
    velocity: np.ndarray  # of i against the other, where they touch
    spin: np.ndarray
    share: np.ndarray
    pulling: np.ndarray  # the share where it attracts
    # of the step before, turned into the tangent plane of now; 0 for new contacts
    is_new: np.ndarray
    old_overlap: np.ndarray
    old_normal: np.ndarray  # turned with the mesh
    spring: np.ndarray
    roll: np.ndarray
    old_most: np.ndarray  # the largest overlap of all


class Response(NamedTuple):
    """The forces and moments of contacts on i, and their history."""

    force: np.ndarray
    moment: np.ndarray
    resistance: np.ndarray  # A, the largest torque of type A
    elastic: np.ndarray
    spring: np.ndarray
    roll: np.ndarray
    most: np.ndarray  # the largest overlap of all


def measure(law, overlap, radius):
    """What stiffness grows with: the contact's radius a for Hertz, 1 for linear laws."""
    pressed = np.sqrt(radius * np.maximum(overlap, 0))
    pressed, is_jkr = np.where(law.is_hertz, pressed, 1), law.cohesion == glue.JKR
    if not is_jkr.any():
        return pressed
    adhesion = np.where(is_jkr, law.adhesion, 1)
    return np.where(is_jkr, glue.jkr_radius(overlap, adhesion, radius, law.normal), pressed)


def stiffnesses(law, touch):
    """(S_n, k_t)"""
    size = measure(law, touch.overlap, touch.radius)
    return (
        np.where(law.is_hertz, 2 * law.normal * size, law.normal),
        np.where(bears(law, touch), np.where(law.is_hertz, 8, 1) * law.tangential * size, 0),
    )


def bears(law, touch):
    """Whether bodies press on each other somewhere: no liquid, and no force over a gap, rubs."""
    return np.isin(law.cohesion, (glue.NONE, glue.JKR)) | (touch.overlap > 0)


def largest(law, touch):
    """The largest overlap of all, of what may still yield."""
    is_luding = law.cohesion == glue.LUDING
    limit = np.where(is_luding, 0.0, np.inf)
    if is_luding.any():
        soft = law._replace(unloading=np.where(is_luding, law.unloading, 2 * law.normal))
        limit = np.where(is_luding, glue.luding_limit(soft, law.normal, touch.radius), limit)
    old = 0.0 if touch.old_most is None else touch.old_most
    return np.minimum(np.maximum(touch.overlap, old), limit)


def yielding(law, touch):
    """The constants of the lines of Luding's law."""
    is_luding = law.cohesion == glue.LUDING
    soft = law._replace(unloading=np.where(is_luding, law.unloading, 2 * law.normal))
    soft = soft._replace(depth=np.where(is_luding, law.depth, 1))
    return soft, law.normal, np.maximum(touch.overlap, 0), largest(law, touch), touch.radius


def largest_after(law, touch):
    """What becomes of it."""
    is_luding = law.cohesion == glue.LUDING
    if not is_luding.any():
        return largest(law, touch)
    return np.where(is_luding, glue.luding_most(*yielding(law, touch)), largest(law, touch))


def conservative(law, touch):
    """Force and energy of overlap and cohesion."""
    overlap, radius = np.maximum(touch.overlap, 0), touch.radius
    # Hertz: (4/3) E* sqrt(R*) overlap^(3/2)
    slope = np.where(law.is_hertz, 4 / 3 * law.normal * np.sqrt(radius * overlap), law.normal)
    force = slope * overlap
    stored = np.where(law.is_hertz, 2 / 5, 1 / 2) * force * overlap
    force = force - glue.pull(law, touch.overlap, radius)
    stored = stored + glue.pull_energy(law, touch.overlap, radius)
    is_jkr, is_luding = law.cohesion == glue.JKR, law.cohesion == glue.LUDING
    if is_luding.any():
        lines = yielding(law, touch)
        force = np.where(is_luding, glue.luding_force(*lines), force)
        stored = np.where(is_luding, glue.luding_energy(*lines), stored)
    if not is_jkr.any():
        return force, stored
    stuck = touch.overlap, np.where(is_jkr, law.adhesion, 1), radius, law.normal
    return (
        np.where(is_jkr, glue.jkr_force(*stuck), force),
        np.where(is_jkr, glue.jkr_energy(*stuck), stored),
    )


def respond(law, touch, step):
    normal_stiffness, tangential_stiffness = stiffnesses(law, touch)
    elastic_force, stored = conservative(law, touch)
    damping = 2 * law.damping * np.where(law.is_hertz, np.sqrt(5 / 6), 1)

    between = halfway(touch)
    speed = dot(touch.velocity, between)
    slip = tilted(touch.velocity - column(speed) * between, between, touch.normal)
    # a damper never pulls harder than the contact can
    most, is_borne = glue.greatest_pull(law, touch.radius), bears(law, touch)
    brake = damping * np.sqrt(normal_stiffness * touch.mass) * speed
    # of Luding's law it is added to what repels, and what pulls is added to both
    pulling = np.minimum(0, elastic_force)
    push = np.where(
        law.cohesion == glue.LUDING,
        np.maximum(0, elastic_force - pulling - brake) + pulling,
        np.maximum(-most, elastic_force - brake),
    )
    push = np.where(is_borne, push, elastic_force)
    stuck = law.tensile * np.maximum(0, touch.overlap)
    shown = [push, push + 2 * most, push + 2 * most, push + most, push + stuck]
    pressed = np.choose(law.cohesion, shown)
    pressed = np.where(is_borne, np.maximum(0, pressed), 0)

    old_size = measure(law, touch.old_overlap, touch.radius)
    shrink = ratio(measure(law, touch.overlap, touch.radius), old_size)
    shrink = np.where(law.is_hertz & (old_size > 0), np.minimum(1, shrink), 1)
    spring = column(shrink) * touch.spring - column(tangential_stiffness * step) * slip
    # the limit is for the spring first, then for both: what slides gains no energy
    limit = law.friction * pressed
    spring, _ = cut(spring, limit)
    drag, _ = cut(
        spring - column(damping * np.sqrt(tangential_stiffness * touch.mass)) * slip, limit
    )

    roll, moment = resist(law, touch, shrink, tangential_stiffness, pressed, step)
    resistance = np.where(law.rolling == "A", law.rolling_friction * touch.radius * pressed, 0)
    share = np.where(push < 0, touch.pulling, touch.share)
    stored = stored + ratio(dot(spring, spring), 2 * tangential_stiffness)
    return Response(
        column(share * push) * touch.normal + column(touch.share) * drag,
        column(touch.share) * moment,
        touch.share * resistance,
        touch.share * stored,
        spring,
        roll,
        largest_after(law, touch),
    )


def cut(vectors, limit):
    """Vectors no longer than the limit, and which were."""
    is_cut = column(length(vectors) > limit)
    return np.where(is_cut, column(ratio(limit, length(vectors))) * vectors, vectors), is_cut


def halfway(touch):
    """The normal between those of the step before and of now."""
    total = touch.old_normal + touch.normal
    return np.where(column(touch.is_new), touch.normal, total / column(length(total)))


def resist(law, touch, shrink, tangential_stiffness, push, step):
    """Rolling of type C: the new spring, and the moment on i."""
    is_c = law.rolling == "C"
    stiffness = np.where(is_c, tangential_stiffness * touch.radius**2, 0)
    spin = touch.spin - column(dot(touch.spin, touch.normal)) * touch.normal
    roll = column(shrink) * touch.roll - column(stiffness * step) * spin
    limit = np.where(is_c, law.rolling_friction * touch.radius * push, 0)
    roll, is_cut = cut(roll, limit)
    damper = 2 * law.rolling_damping * np.sqrt(stiffness * touch.inertia)
    return roll, np.where(is_cut, roll, roll - column(damper) * spin)


# ---- motions of walls ----------------------------------------------------------------------------


class Place(NamedTuple):
    """The pose and velocity of a frame: its point x is at turn @ x + origin."""

    turn: np.ndarray
    origin: np.ndarray
    velocity: np.ndarray  # of the origin
    spin: np.ndarray
    center: np.ndarray  # about which a wall's torque is


def matrix(place):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = place.turn, place.origin
    return pose


def after(first, then):
    """A frame in `first`, all of which is carried by `then`."""
    arm = then.turn @ first.origin
    return Place(
        then.turn @ first.turn,
        then.origin + arm,
        then.velocity + np.cross(then.spin, arm) + then.turn @ first.velocity,
        then.spin + then.turn @ first.spin,
        then.center,
    )


def moved(part, time):
    """One part of a motion, which begins at time 0; center: None where it has no own."""
    kind, vector, origin, rate, phase = part
    vector, origin, zero = np.asarray(vector), np.asarray(origin), np.zeros(3)
    if kind == 0:
        turn, spin = rotation(vector, rate * time), rate * vector
        return Place(turn, origin - turn @ origin, np.cross(spin, -turn @ origin), spin, origin)
    if kind == 1:
        return Place(np.eye(3), vector * time, vector, zero, None)
    turns = 2 * np.pi * rate
    shift = vector * (np.sin(turns * time + phase) - np.sin(phase))
    velocity = vector * turns * np.cos(turns * time + phase)
    return Place(np.eye(3), shift, velocity, zero, None)


def still(pose):
    pose = np.asarray(pose, float)
    return Place(pose[:3, :3], pose[:3, 3], np.zeros(3), np.zeros(3), np.zeros(3))


class Way(NamedTuple):
    """The motion of a frame since the last step: x has velocity + turn @ (x - origin)."""

    velocity: np.ndarray
    turn: np.ndarray
    origin: np.ndarray
    spin: np.ndarray
    turned: np.ndarray  # the frame's turn, with which springs go

    def at(self, points):
        return self.velocity + (points - self.origin) @ self.turn.T


def in_frame(turns, vectors):
    return np.einsum("kab,kb->ka", turns, vectors)


def way_between(before, now, span):
    """The motion from one pose to another; for a step of length 0, the current velocity."""
    if span == 0:
        return Way(now.velocity, np.cross(now.spin, np.eye(3)).T, now.origin, now.spin, np.eye(3))
    turn = (now.turn - before.turn) @ now.turn.T
    turned = now.turn @ before.turn.T
    angles = Rotation.from_matrix(turned).as_rotvec()
    half = 0.5 * length(angles)
    spin = angles * (np.tan(half) / half if half else 1) / span
    return Way((now.origin - before.origin) / span, turn / span, now.origin, spin, turned)


class Wall:
    """A mesh with its motion, and what the spheres of the last step do to it."""

    def __init__(self, simulation, mesh, material, motion):
        self.simulation, self.mesh, self.material = simulation, mesh, material
        self.started, self.begin, self._motion = 0.0, np.eye(4), motion
        self.place = None  # in the last step
        self.force = self.torque = np.zeros(3)
        self.power, self.nodal_forces = 0.0, np.zeros((len(mesh.vertices), 3))

    @property
    def motion(self):
        return self._motion

    @motion.setter
    def motion(self, motion):
        now = self.simulation.time
        self.begin, self.started, self._motion = matrix(self.at(now)), now, motion

    @property
    def pose(self):
        return matrix(self.at(self.simulation.time))

    def at(self, time):
        if self._motion is None:
            return still(self.begin)
        if callable(self._motion):
            pose, twist = (np.asarray(one, float) for one in self._motion(time))
            return still(pose)._replace(velocity=twist[:3], spin=twist[3:], center=pose[:3, 3])
        place, center = still(self.begin), None
        for part in self._motion.parts():
            then = moved(part, time - self.started)
            place = after(place, then)
            # the first rotation's, which what comes after it carries along
            center = then.center if center is None else then.turn @ center + then.origin
        if all(part[0] != 0 for part in self._motion.parts()):
            center = place.origin - self.begin[:3, 3]
        return place._replace(center=center)

    def way(self, place, span):
        """The motion since the last step; a new wall has not moved."""
        before, self.place = self.place or place, place
        return way_between(before, place, span)

    def take(self, force, moment, arm, place, weights):
        """The load of a step: forces and moments of rolling, at arms from the frame's origin."""
        self.force, self.nodal_forces = force.sum(axis=0), weights.T @ force
        arm = arm - (place.center - place.origin)
        self.torque = (np.cross(arm, force) + moment).sum(axis=0)
        velocity = place.velocity + np.cross(place.spin, place.center - place.origin)
        self.power = dot(self.force, velocity) + dot(self.torque, place.spin)


# ---- clusters ------------------------------------------------------------------------------------


def turn_of(quaternion):
    """The matrix of a quaternion x, y, z, w."""
    x, y, z, w = quaternion
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def times(a, b):
    """The product of two quaternions."""
    return np.append(
        a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3]), a[3] * b[3] - dot(a[:3], b[:3])
    )


class Body:
    """A cluster of spheres: what moves it is its angular momentum in the world."""

    def __init__(self, cluster, density, position, orientation, velocity, spin):
        self.mass, self.inertia = cluster.mass_for(density), cluster.inertia_for(density)
        self.members, self.position = np.asarray(cluster.members), np.array(position, float)
        turn = orientation.as_matrix() @ cluster.axes
        self.orientation = Rotation.from_matrix(turn).as_quat()
        self.velocity, self.angular_velocity = np.array(velocity, float), np.array(spin, float)
        self.angular_momentum = turn @ (self.inertia * (turn.T @ spin))
        self.mean_arms, self.images = self.arms(), np.zeros(3)

    def spin_at(self, orientation):
        turn = turn_of(orientation)
        return turn @ ((turn.T @ self.angular_momentum) / self.inertia)

    def turned(self, orientation, step):
        """This cluster's orientation after a step with the angular velocity of another state."""
        rate = 0.5 * times(np.append(self.spin_at(orientation), 0), self.orientation)
        new = self.orientation + step * rate
        return new / length(new)

    def move(self, force, torque, gravity, kick, step):
        """Half a step's velocities become those of the next half step; so do places."""
        self.force, self.torque = force, torque
        self.velocity = self.velocity + kick * (gravity + force / self.mass)
        self.angular_momentum = self.angular_momentum + kick * torque
        half = self.turned(self.orientation, 0.5 * step)
        self.angular_velocity = self.spin_at(half)
        old_arms = self.arms()
        self.orientation = self.turned(half, step)
        self.position = self.position + step * self.velocity
        self.mean_arms = 0.5 * (old_arms + self.arms())

    def arms(self):
        return self.members @ turn_of(self.orientation).T


# ---- the simulation ------------------------------------------------------------------------------


class Forced:
    """The contacts or pairs of a step with their forces and what they carry along."""

    def __init__(self, table, ids, response):
        self.table, self.ids, self.force = table, ids, response.force
        self.spring, self.roll, self.most = response.spring, response.roll, response.most
        self.moment, self.elastic = response.moment, response.elastic

    def __len__(self):
        return len(self.table)

    def __getattr__(self, name):
        return getattr(self.table, name)


class Simulation:
    """The public face of `abut.Simulation`, as far as tests need it."""

    def __init__(
        self, step, gravity=(0, 0, -9.81), period=None, resolution="hierarchy", workers=None
    ):
        # the next step, and the last one: what they go by, and since when
        self.length, self.pull, self.lift = step, np.array(gravity, float), 0.0
        self.last, self.began = (step, self.pull), (0.0, 0)
        self.period, self.resolution = period, resolution
        self.materials, self.laws, self.walls, self.bodies = [], {}, [], []
        self.calls, self.repeated, self.step_count = [], [], 0
        self.ids = self.material = self.cluster = np.zeros(0, np.intp)
        self.held = np.zeros(0, bool)
        self.centers = self.velocities = self.angular_velocities = np.zeros((0, 3))
        self.forces = self.torques = self.images = np.zeros((0, 3))
        self.radii = self.masses = self.inertias = np.zeros(0)
        self.contacts = self.pairs = self.energy = None
        self.next_id = 0
        self.work = self.wall_work = 0.0
        # the dissipated energy, to continue from after spheres are added or removed
        self.settled = 0.0
        self.fresh = np.zeros(0, int)
        # the sum of all energies, where what is assigned is work from outside
        self.total = None

    @property
    def time(self):
        start, since = self.began
        return start + (self.step_count - since) * self.step

    @property
    def step(self):
        return self.length

    @step.setter
    def step(self, step):
        self.began, self.length = (self.time, self.step_count), step

    @property
    def gravity(self):
        return self.pull

    @gravity.setter
    def gravity(self, gravity):
        before = self.heights()
        self.pull = np.array(gravity, float)
        self.lift += before - self.heights()

    @property
    def span(self):
        """The time since the last step, over which springs have grown."""
        return self.last[0]

    @property
    def kick(self):
        """From the middle of the last step to that of this one."""
        return 0.5 * (self.span + self.step)

    @property
    def pulled(self):
        """The gravity of that time: half of each step has its own."""
        length, pull = self.last
        return (length * pull + self.step * self.gravity) / (length + self.step)

    # ---- what is there ----

    def number_of(self, material):
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def set_law(self, a, b, law):
        numbers = constants(law, a, b)
        first, second = self.number_of(a), self.number_of(b)
        self.laws[first, second] = self.laws[second, first] = numbers

    def add_wall(self, mesh, material=None, motion=None):
        wall = Wall(self, mesh, self.number_of(material or abut.Material()), motion)
        wall.started = self.time
        self.walls.append(wall)
        self.finder = abut.ContactFinder([wall.mesh for wall in self.walls])
        return wall

    def add_spheres(
        self,
        centers,
        radii,
        material,
        velocities=None,
        angular_velocities=None,
        fixed=False,
        body=-1,
    ):
        centers = np.array(centers, float)
        inside, images = self.wrapped(centers, 0 * centers)
        count, zeros = len(centers), np.zeros((len(centers), 3))
        radii = np.broadcast_to(np.asarray(radii, float), count)
        masses = (material.density or 0.0) * 4 / 3 * np.pi * radii**3
        added = {
            "ids": self.next_id + np.arange(count),
            "centers": inside,
            "images": images,
            "radii": radii,
            "masses": masses,
            "inertias": 0.4 * masses * radii**2,
            "velocities": zeros + (0 if velocities is None else velocities),
            "angular_velocities": zeros + (0 if angular_velocities is None else angular_velocities),
            "material": np.full(count, self.number_of(material)),
            "cluster": np.full(count, body),
            "held": np.zeros(count, bool) | fixed,
            "forces": zeros,
            "torques": zeros,
        }
        for name, values in added.items():
            setattr(self, name, np.concatenate([getattr(self, name), values]))
        self.next_id += count
        self.fresh = np.concatenate([self.fresh, added["ids"]])
        if body >= 0:
            self.settle()
        return added["ids"]

    @property
    def fixed(self):
        return self.held

    @fixed.setter
    def fixed(self, fixed):
        self.settle()
        self.total = sum(self.energy) if self.energy else None
        self.held = np.array(fixed)
        still = column(self.held)
        self.velocities = np.where(still, 0, self.velocities)
        self.angular_velocities = np.where(still, 0, self.angular_velocities)

    @property
    def moves(self):
        """The spheres that are neither fixed nor members of clusters."""
        return (self.cluster < 0) & ~self.held

    def settle(self):
        if self.settled is None:
            self.settled = self.energy.dissipated

    def touch(self, chosen):
        """Whether one of these, a mask, touched something in the last step."""
        if self.contacts is None:
            return False
        pairs = np.append(self.pairs.i, self.pairs.j)
        return chosen[self.contacts.sphere].any() or chosen[pairs].any()

    def remove_spheres(self, ids):
        stays = ~np.isin(self.ids, ids)
        if (self.cluster[~stays] >= 0).any() or (self.bodies and self.touch(~stays)):
            self.settle()
        elif self.settled is None and self.touch(~stays):
            self.end_contacts(~stays)
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray) and len(values) == len(stays) and name != "pull":
                setattr(self, name, values[stays])

    def end_contacts(self, gone):
        """What contacts of these hold goes along, and what they did in the last step is half done,
        on partners that stay, too."""
        first, second = gone[self.pairs.i], gone[self.pairs.j]
        here = gone[self.contacts.sphere]
        self.base += self.pairs.elastic[first | second].sum() + self.contacts.elastic[here].sum()
        self.base -= 0.5 * self.contacts.powers[here].sum() * self.span
        self.work -= 0.5 * self.last_work[gone].sum()
        self.work -= 0.5 * self.span * self.powers_on(self.pairs.i, -1)[second & ~first].sum()
        self.work -= 0.5 * self.span * self.powers_on(self.pairs.j, 1)[first & ~second].sum()

    def powers_on(self, sphere, sign):
        """The power of pairs on one of their spheres in the last step. The first one is at -1."""
        pull = self.last[1] + self.forces / column(self.masses)
        velocity = self.velocities - 0.5 * self.span * pull
        spin = self.angular_velocities - 0.5 * self.span * self.torques / column(self.inertias)
        arm = sign * column(self.radii[sphere] - self.pairs.overlap / 2) * self.pairs.normal
        moved = velocity[sphere] + np.cross(spin[sphere], arm)
        return -sign * (dot(self.pairs.force, moved) + dot(self.pairs.moment, spin[sphere]))

    def add_clusters(
        self,
        cluster,
        positions,
        material,
        orientations=None,
        velocities=None,
        angular_velocities=None,
    ):
        positions = np.array(positions, float)
        count, zeros = len(positions), np.zeros((len(positions), 3))
        velocities = zeros + (0 if velocities is None else velocities)
        spins = zeros + (0 if angular_velocities is None else angular_velocities)
        numbers = len(self.bodies) + np.arange(count)
        for k, number in enumerate(numbers):
            turn = Rotation.identity() if orientations is None else orientations[k]
            state = positions[k], turn, velocities[k], spins[k]
            body = Body(cluster, material.density, *state)
            body.position, body.images = self.wrapped(body.position, body.images)
            self.bodies.append(body)
            centers = body.position + body.arms()
            first = len(self.ids)
            self.add_spheres(centers, cluster.radii, material, body=number)
            self.masses[first:] = body.mass / len(centers)
            self.inertias[first:] = body.inertia.min()
            self.follow(body, number)
        return numbers

    def add_force(self, call):
        self.calls.append(call)

    def every(self, interval, call):
        self.repeated.append((max(1, round(interval / self.step)), call))

    def record(self, interval, call):
        record = Record(call)
        self.every(interval, record.look)
        return record

    # ---- running ----

    def run(self, duration=None, *, steps=None):
        for _ in range(round(duration / self.step) if steps is None else steps):
            self.go_on()
            for count, call in self.repeated:
                if self.step_count % count == 0:
                    call(self)

    def go_on(self):
        applied, twisted = self.applied()
        wall_force, wall_torque, wall_brake, wall_elastic = self.touch_walls()
        pair_force, pair_torque, pair_brake, pair_elastic = self.touch_spheres()
        force, torque = wall_force + pair_force, wall_torque + pair_torque
        self.forces, self.torques = force + applied, torque + twisted
        before = self.movers()
        gravitational = self.heights()
        self.move(wall_brake + pair_brake)
        elastic = wall_elastic + pair_elastic
        self.account(before, (force, torque, twisted), gravitational, elastic)
        self.last = (self.step, self.gravity)
        self.step_count += 1

    def applied(self):
        force, torque = np.zeros(self.centers.shape), np.zeros(self.centers.shape)
        for call in self.calls:
            given = call(self)
            both = given if isinstance(given, tuple) else (given, 0)
            force, torque = force + both[0], torque + both[1]
        return force, torque

    def law_of(self, first, second):
        """The constants of each pair of materials, as arrays."""
        rows = [self.laws[pair] for pair in zip(first.tolist(), second.tolist(), strict=True)]
        fields = zip(*rows, strict=True) if rows else [()] * len(TYPES)
        return Constants(*(np.array(x, kind) for x, kind in zip(fields, TYPES, strict=True)))

    def body_mass(self):
        """The mass in contacts of each sphere: its own, or its cluster's."""
        own = [body.mass for body in self.bodies] + [0.0]
        return np.where(self.cluster >= 0, np.array(own)[self.cluster], self.masses)

    # ---- contacts ----

    def gap(self):
        """The gap beyond which every contact ends."""
        found = [0.0]
        for law in self.laws.values():
            radii = np.array([self.radii.min(initial=np.inf) / 2, self.radii.max(initial=0.0)])
            here = Constants(*(np.array(x) for x in law))
            found += [] if not len(self.radii) else glue.reach(here, radii).tolist()
        return max(found)

    def touch_walls(self):
        zero = np.zeros(self.centers.shape)
        if not self.walls:
            return zero, zero, np.zeros(len(self.ids)), 0.0
        places = [wall.at(self.time) for wall in self.walls]
        found = self.finder.find(
            self.centers,
            self.radii,
            poses=[matrix(place) for place in places],
            resolution=self.resolution,
            period=self.period,
            exponent=self.exponent(),
            gap=self.gap(),
            keep_zero=True,
        )
        found, old = self.living_contacts(found)
        law, touch = self.read_contacts(found, places, old)
        response = respond(law, touch, self.span)
        self.contacts = Forced(found, self.ids, response)
        self.contacts.share = touch.share  # of what they pull, where they do
        self.contacts.powers = self.powers_of(found, places, response)
        arm = -column(self.radii[found.sphere] - found.overlap) * touch.normal
        self.load_walls(found, places, response)
        torque = np.cross(arm, response.force) + response.moment
        sums = found.sum(response.force), found.sum(torque), found.sum(response.resistance)
        return *sums, response.elastic.sum()

    def exponent(self):
        """The exponent of the walls' laws."""
        kinds = {wall.material for wall in self.walls}
        laws = [law for (a, b), law in self.laws.items() if a in kinds or b in kinds]
        return HERTZ_EXPONENT if any(law.is_hertz for law in laws) else LINEAR_EXPONENT

    def law_of_contacts(self, found):
        materials = np.array([wall.material for wall in self.walls], np.intp)
        return self.law_of(self.material[found.sphere], materials[found.mesh])

    def living_contacts(self, found):
        """Contacts that there are, and which of the step before they continue."""
        law, radius = self.law_of_contacts(found), self.radii[found.sphere]
        is_near = found.overlap >= -glue.reach(law, radius)
        carries = found.share > 0
        if self.resolution == "sharing":
            touches = found.overlap > 0
            pulls = self.pull_shares(found, np.where(touches, self.weight_of_pull(found), 0))
            carries |= (pulls > 0) & self.attracts(found)
        found = found[np.where(found.overlap > 0, carries, is_near)]
        old = continued(found, self.ids, self.contacts)
        lives = alive(self.law_of_contacts(found), found, self.radii[found.sphere], old)
        return found[lives], old[lives]

    def weight_of_pull(self, found):
        """How far contacts are within the reach, times the fourth root of the pull at that gap."""
        law, radius = self.law_of_contacts(found), self.radii[found.sphere]
        pull = glue.pull(law, np.minimum(found.overlap, np.finfo(float).tiny), radius)
        pull = np.where(law.cohesion == glue.JKR, glue.greatest_pull(law, radius), pull)
        # there is none over a gap: Luding's contacts share by their overlaps alone
        pull = np.where(law.cohesion == glue.LUDING, law.tensile * radius, pull)
        return (found.overlap + glue.reach(law, radius)) * pull**0.25

    def attracts(self, found):
        """Which contacts pull at rest, whatever the largest overlap was."""
        given = dict.fromkeys(Touch._fields)
        given |= {"overlap": found.overlap, "radius": self.radii[found.sphere]}
        law = self.law_of_contacts(found)
        return (law.cohesion != glue.LUDING) & (conservative(law, Touch(**given))[0] < 0)

    def pull_shares(self, found, weight):
        """The shares of pulls, sphere by sphere."""
        result = np.zeros(len(found))
        for sphere in np.unique(found.sphere[weight > 0]):
            rows = np.flatnonzero((found.sphere == sphere) & (weight > 0))
            force = shares.forces(weight[rows], 1.0)
            result[rows] = shares.solutions(shares.matrix(found.normal[rows]), force)[0] / force
        return result

    def read_contacts(self, found, places, old):
        before, sphere = self.contacts, found.sphere
        law = self.law_of_contacts(found)
        ways = [wall.way(place, self.span) for wall, place in zip(self.walls, places, strict=True)]
        of, points = found.mesh, self.points_on_walls(found)
        of_walls = np.array([ways[k].at(x) for k, x in zip(of, points, strict=True)])
        wall_spins, turned = (np.array(x) for x in zip(*(w[3:] for w in ways), strict=True))
        turned = turned[of]
        spins = self.angular_velocities[sphere]
        arm = -column(self.radii[sphere] - found.overlap) * found.normal
        velocity = self.velocities[sphere] + np.cross(spins, arm) - of_walls.reshape(-1, 3)
        history, share, pulling = remembered(found, before, old), found.share, found.share
        if self.resolution == "sharing":
            pulling = self.pull_shares(found, self.weight_of_pull(found))
            share = np.where((found.overlap <= 0) | self.attracts(found), pulling, share)
        if before is not None:
            turns = found.poses[:, :3, :3] @ before.poses[:, :3, :3].transpose(0, 2, 1)
            turns = turns[found.mesh]
            history = *history[:2], *(np.einsum("kab,kb->ka", turns, x) for x in history[2:])
        return law, Touch(
            found.overlap,
            found.normal,
            self.radii[sphere],
            self.body_mass()[sphere],
            self.inertias[sphere],
            in_frame(turned, velocity),
            in_frame(0.5 * (np.eye(3) + turned), spins - wall_spins[of]),
            share,
            pulling,
            *tilt(found.normal, old, history),
        )

    def points_on_walls(self, found):
        """Contact points where the walls are, not their images."""
        lengths = np.array([one or 0.0 for one in self.period or (None,) * 3])
        return found.point - found.image * lengths

    def powers_of(self, found, places, response):
        """The power of each contact on its wall."""
        points, powers = self.points_on_walls(found), np.zeros(len(found))
        for number, place in enumerate(places):
            velocity = place.velocity + np.cross(place.spin, points - place.origin)
            power = -dot(response.force, velocity) - dot(response.moment, place.spin)
            powers = np.where(found.mesh == number, power, powers)
        return powers

    def load_walls(self, found, places, response):
        points = self.points_on_walls(found)
        for number, (wall, place) in enumerate(zip(self.walls, places, strict=True)):
            here = found.mesh == number
            force = np.where(column(here), -response.force, 0)
            moment = np.where(column(here), -response.moment, 0)
            wall.take(force, moment, points - place.origin, place, found.weight_matrix(number))

    def find_pairs(self):
        return abut.find_pairs(self.centers, self.radii, period=self.period, gap=self.gap())

    def touch_spheres(self):
        found = self.find_pairs()
        together = (self.cluster[found.i] >= 0) & (self.cluster[found.i] == self.cluster[found.j])
        together |= self.held[found.i] & self.held[found.j]
        found = found[~together & (found.i != found.j)]
        law = self.law_of(self.material[found.i], self.material[found.j])
        radius = harmonic(self.radii[found.i], self.radii[found.j])
        found = found[alive(law, found, radius, continued(found, self.ids, self.pairs))]
        law, touch = self.read_pairs(found)
        response = respond(law, touch, self.span)
        self.pairs = Forced(found, self.ids, response)
        first = -column(self.radii[found.i] - found.overlap / 2) * found.normal
        second = column(self.radii[found.j] - found.overlap / 2) * found.normal
        force, moment = response.force, response.moment
        return (
            found.sum(force),
            found.sum(np.cross(first, force) + moment, np.cross(second, -force) - moment),
            found.sum(response.resistance, response.resistance),
            response.elastic.sum(),
        )

    def read_pairs(self, found):
        before, i, j = self.pairs, found.i, found.j
        law = self.law_of(self.material[i], self.material[j])
        old = continued(found, self.ids, before)
        # fixed particles have infinite mass
        mass, inertia = (
            np.where(self.held, 1e60, own) for own in (self.body_mass(), self.inertias)
        )
        spins = self.angular_velocities
        first = -column(self.radii[i] - found.overlap / 2) * found.normal
        second = column(self.radii[j] - found.overlap / 2) * found.normal
        velocity = self.velocities[i] + np.cross(spins[i], first)
        velocity = velocity - self.velocities[j] - np.cross(spins[j], second)
        overlap, most, normal, *vectors = remembered(found, before, old)
        angle = 0.5 * self.span * dot(spins[i] + spins[j], found.normal)
        # the half angle of this rotation has the tangent angle / 2
        vectors = [spun(vector, normal, 2 * np.arctan(angle / 2)) for vector in vectors]
        return law, Touch(
            found.overlap,
            found.normal,
            harmonic(self.radii[i], self.radii[j]),
            harmonic(mass[i], mass[j]),
            harmonic(inertia[i], inertia[j]),
            velocity,
            spins[i] - spins[j],
            np.ones(len(found)),
            np.ones(len(found)),
            *tilt(found.normal, old, (overlap, most, normal, *vectors)),
        )

    # ---- motion ----

    def move(self, brake):
        free = column(self.moves)
        mass, inertia = column(self.masses), column(self.inertias)
        velocities = self.velocities + self.kick * (self.pulled + self.forces / mass)
        spins = self.angular_velocities + self.kick * self.torques / inertia
        lost = ratio(brake * self.kick, self.inertias * length(spins))
        braked = spins * column(np.maximum(0, 1 - lost))
        self.torques = self.torques + np.where(free, inertia * (braked - spins) / self.kick, 0)
        self.velocities = np.where(free, velocities, self.velocities)
        self.angular_velocities = np.where(free, braked, self.angular_velocities)
        self.centers = np.where(free, self.centers + self.step * self.velocities, self.centers)
        for number, body in enumerate(self.bodies):
            here = self.cluster == number
            torque = np.cross(body.arms(), self.forces[here]) + self.torques[here]
            total = self.forces[here].sum(axis=0), torque.sum(axis=0)
            body.move(*total, self.pulled, self.kick, self.step)
            body.position, body.images = self.wrapped(body.position, body.images)
            self.follow(body, number)
        inside, images = self.wrapped(self.centers, self.images)
        own = column(self.cluster < 0)
        self.centers = np.where(own, inside, self.centers)
        self.images = np.where(own, images, 0)

    def follow(self, body, number):
        """Spheres go along with their cluster."""
        here, way = self.cluster == number, np.cross(body.angular_velocity, body.mean_arms)
        self.centers[here] = body.position + body.arms()
        self.velocities[here] = body.velocity + way
        self.angular_velocities[here] = body.angular_velocity

    def periods(self, centers):
        """By how many periods centers are outside of the box."""
        lengths = np.array([one or np.inf for one in self.period or (None,) * 3])
        return np.floor(np.where(np.isfinite(lengths), centers / lengths, 0))

    def wrapped(self, centers, images):
        """Centers in the box, and the periods by which they were moved so far."""
        crossed = self.periods(centers)
        lengths = np.array([one or 0.0 for one in self.period or (None,) * 3])
        return centers - crossed * lengths, images + crossed

    def heights(self):
        """The energy of gravity, of centers where they would be without periods."""
        lengths = np.array([one or 0.0 for one in self.period or (None,) * 3])
        free = self.cluster < 0
        at = (self.centers + self.images * lengths)[free] @ self.gravity
        bodies = [b.mass * ((b.position + b.images * lengths) @ self.gravity) for b in self.bodies]
        return self.lift - (self.masses[free] * at).sum() - sum(bodies)

    # ---- energy ----

    def movers(self):
        """What moves, at the half step: free spheres, and clusters with their orientations."""
        free = np.flatnonzero(self.moves)
        bodies = [
            (body.velocity, body.angular_momentum, body.angular_velocity, turn_of(body.orientation))
            for body in self.bodies
        ]
        return self.velocities[free], self.angular_velocities[free], bodies

    def account(self, before, loads, gravitational, elastic):
        """The energies at the beginning of the step, half a step before velocities."""
        parts = [self.account_spheres(before, loads)]
        parts += [self.account_body(k, before[2][k], loads) for k in range(len(self.bodies))]
        kinetic, rotational, work = np.sum(parts, axis=0)
        wall_work = self.kick * sum(wall.power for wall in self.walls)
        self.work, self.wall_work = self.work + work, self.wall_work + wall_work
        # this step's work is half done
        done, on_walls = self.work - 0.5 * work, self.wall_work - 0.5 * wall_work
        dissipated = -done - on_walls - elastic
        if self.touch(np.isin(self.ids, self.fresh)):
            self.settle()
        self.fresh = np.zeros(0, int)
        if self.settled is not None:
            # what new contacts hold, and what those that went have held, is no loss
            self.base, self.settled = dissipated - self.settled, None
        dissipated = dissipated - self.base
        self.energy = Energy(kinetic, rotational, gravitational, elastic, dissipated, on_walls)
        if self.total is not None:
            outside, self.total = sum(self.energy) - self.total, None
            self.wall_work, self.base = self.wall_work - outside, self.base + outside
            self.energy = self.energy._replace(wall_work=on_walls - outside)

    def account_spheres(self, before, loads):
        """Kinetic and rotational energy, and the work of contacts."""
        free, (force, torque, twisted) = np.flatnonzero(self.moves), loads
        mass, inertia = self.masses[free], self.inertias[free]
        old_spin, new_spin = before[1], self.angular_velocities[free]
        middle = 0.5 * (before[0] + self.velocities[free])
        unbraked = old_spin + self.kick * (torque + twisted)[free] / column(inertia)
        work = self.kick * dot(force[free], middle)
        work += self.kick * dot(torque[free], 0.5 * (old_spin + unbraked))
        work += 0.5 * inertia * (dot(new_spin, new_spin) - dot(unbraked, unbraked))
        pull = self.gravity + self.forces[free] / column(mass)
        velocity = self.velocities[free] - 0.5 * self.step * pull
        spin = new_spin - 0.5 * self.step * self.torques[free] / column(inertia)
        kinetic, rotational = mass * dot(velocity, velocity), inertia * dot(spin, spin)
        self.last_work = np.zeros(len(self.ids))
        self.last_work[free] = work
        return 0.5 * kinetic.sum(), 0.5 * rotational.sum(), work.sum()

    def account_body(self, number, before, loads):
        body, here = self.bodies[number], self.cluster == number
        old_velocity, _, old_spin, turn = before
        middle = 0.5 * (old_velocity + body.velocity)
        velocity = body.velocity - 0.5 * self.step * (self.gravity + body.force / body.mass)
        momentum = body.angular_momentum - 0.5 * self.step * body.torque
        spin = turn @ ((turn.T @ momentum) / body.inertia)
        force = loads[0][here]
        torque = loads[1][here] + np.cross(body.members @ turn.T, force)
        work = dot(force.sum(axis=0), middle)
        work += dot(torque.sum(axis=0), 0.5 * (old_spin + body.angular_velocity))
        kinetic, rotational = body.mass * dot(velocity, velocity), dot(momentum, spin)
        return 0.5 * kinetic, 0.5 * rotational, self.kick * work


def harmonic(a, b):
    """1 / (1 / a + 1 / b)"""
    return a * b / (a + b)


def continued(found, ids, before):
    """The row of the step before that each contact continues, or -1."""
    if before is None:
        return np.full(len(found), -1)
    return found.match(before.table, ids, before.ids)


def alive(law, found, radius, old):
    """The contacts: spheres that touch, spheres that have not separated since touch, and spheres
    within the distance of DMT's forces."""
    is_near = found.overlap >= -glue.reach(law, radius)
    return (found.overlap >= 0) | (is_near & ((old >= 0) | (law.distance > 0)))


def remembered(found, before, old):
    """Overlap, the largest one, normal, springs and moments of the contacts that go on, in a world
    at rest."""
    if before is None:
        zero = np.zeros((len(found), 3))
        return np.zeros(len(found)), np.zeros(len(found)), found.normal, zero, zero
    goes_on = old >= 0
    columns = before.overlap, before.most, before.normal, before.spring, before.roll
    picked = [
        np.concatenate([values, np.zeros((1, *values.shape[1:]))])[np.where(goes_on, old, -1)]
        for values in columns
    ]
    return picked


def tilt(normal, old, history):
    """What contacts remember, in the tangent plane of now: the last entries of `Touch`."""
    overlap, most, old_normal, spring, roll = history
    total = old_normal + normal
    is_new = (old < 0) | (dot(total, total) < 1)
    old_normal = np.where(column(is_new), normal, old_normal)
    spring, roll = (np.where(column(is_new), 0, vectors) for vectors in (spring, roll))
    return (
        is_new,
        np.where(is_new, 0, overlap),
        old_normal,
        tilted(spring, old_normal, normal),
        tilted(roll, old_normal, normal),
        np.where(is_new, 0, most),
    )


class Record:
    """The results of a call, with their times."""

    def __init__(self, call):
        self.call, self.times, self.values = call, [], []

    def look(self, sim):
        self.times.append(sim.time)
        self.values.append(self.call(sim))
