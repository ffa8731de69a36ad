"""Spheres in a periodic cell of any shape that deforms, in NumPy: slow and obvious.

Rows of the cell are its vectors. Each vector h follows dh/dt = L h with the velocity gradient L, or
some components of the stress are held by the rule of docs/dem.md for cells under stress. Laws and
contact histories are those of `reference_dem`. Pairs are found by trying all images.
"""

import itertools
from typing import NamedTuple

import numpy as np

import reference_dem
from reference_dem import Energy, column, dot, length, stiffnesses

# An exchange of vectors shortens a square by more than this part: csrc/base/lattice_basis.c.
LEAST_GAIN = 2.0**-40

# Grains with fewer contacts do not count in the stiffness of the cell.
LEAST_CONTACTS = 4
STEADY_TIMES = 10
PART_OF_TARGET = 0.5

# The largest rate of a cell under stress, as an inertial number.
INERTIAL_NUMBER = 0.03


class Table:
    """Pairs of spheres: the distance x_i - x_j - image @ cell is at most both radii and the gap."""

    def __init__(self, count, i, j, image, overlap, normal, names):
        self.count, self.i, self.j, self.image = count, i, j, image
        self.overlap, self.normal = overlap, normal
        self.names = names  # the image of j that does not change where spheres are wrapped

    def __len__(self):
        return len(self.i)

    def __getitem__(self, rows):
        columns = self.i, self.j, self.image, self.overlap, self.normal, self.names
        return Table(self.count, *(values[rows] for values in columns))

    def sum(self, of_i, of_j=None):
        total = np.zeros((self.count, *of_i.shape[1:]))
        np.add.at(total, self.i, of_i)
        np.add.at(total, self.j, -of_i if of_j is None else of_j)
        return total

    def match(self, before, ids, old_ids):
        old = {key: row for row, key in enumerate(keys(before, old_ids))}
        return np.array([old.get(key, -1) for key in keys(self, ids)], np.intp)


def keys(table, ids):
    names = (tuple(name) for name in table.names.astype(int).tolist())
    return list(zip(ids[table.i].tolist(), ids[table.j].tolist(), names, strict=True))


def grown(matrix):
    """exp(matrix) - 1 of a small matrix, by its series, with all digits."""
    total, term = np.zeros((3, 3)), np.eye(3)
    for k in range(1, 20):
        term = term @ matrix / k
        total = total + term
    return total


def rate_before(gradient, step):
    """The velocity gradient half a step ago, of present places."""
    return -grown(-step * gradient) / step


def find_pairs(centers, radii, cell, gap, images):
    """All pairs of different spheres, at all images at which they touch."""
    reach = 2 * radii.max(initial=0.0) + gap
    inverse = np.linalg.inv(cell)
    # borders are at least this far apart, and the nearest image is at most half of that away
    widths = 1 / length(inverse.T)
    most = np.floor(reach / widths + 0.5 + 1e-9).astype(int)
    shifts = np.array(list(itertools.product(*(range(-k, k + 1) for k in most))), float)
    i, j = np.triu_indices(len(radii), 1)
    nearest = np.rint((centers[i] - centers[j]) @ inverse)
    image = (nearest[:, None] + shifts).reshape(-1, 3)
    i, j = np.repeat(i, len(shifts)), np.repeat(j, len(shifts))
    apart = centers[i] - centers[j] - image @ cell
    distance = length(apart)
    near = distance <= radii[i] + radii[j] + gap
    i, j, image, apart, distance = (x[near] for x in (i, j, image, apart, distance))
    overlap = radii[i] + radii[j] - distance
    names = image + images[i] - images[j]
    return Table(len(radii), i, j, image, overlap, apart / column(distance), names)


class Exchange(NamedTuple):
    """A vector and the multiples of the vectors, its own included, that replace it."""

    vector: int
    row: np.ndarray


def exchanges(cell):
    """The exchanges to try, in their order."""
    for a, b in itertools.permutations(range(3), 2):
        count = np.rint(cell[a] @ cell[b] / (cell[b] @ cell[b]))
        yield Exchange(a, np.eye(3)[a] - count * np.eye(3)[b])
    for a in range(3):
        b, c = (k for k in range(3) if k != a)
        for s, t in itertools.product((1, -1), repeat=2):
            yield Exchange(a, np.eye(3)[a] + s * np.eye(3)[b] + t * np.eye(3)[c])


def shorter_basis(cell):
    """Whole numbers N such that ``N @ cell`` has no vector that an exchange would shorten."""
    numbers = np.eye(3)
    found = True
    while found:
        found = False
        now = numbers @ cell
        for exchange in exchanges(now):
            new, old = exchange.row @ now, now[exchange.vector]
            if new @ new < (1 - LEAST_GAIN) * (old @ old):
                step = np.eye(3)
                step[exchange.vector] = exchange.row
                numbers, found = step @ numbers, True
                break
    return numbers


def next_rate(rate, steady, excess, drag, damping):
    if drag + damping == 0:
        return np.sign(excess) * np.inf if excess else 0.0
    return rate + (excess - drag * (rate - steady)) / (drag + damping)


class Control(NamedTuple):
    """What holds components of the stress."""

    targets: np.ndarray  # (3, 3) as `stress`; NaN where the rate rules
    largest_rate: float
    first_volume: float


class Loads(NamedTuple):
    """Stress of the cell (3, 3), indexed as `stress` is, with stiffness and damping.

    These are the resistance of [b, a] to a rate [a, b], (2, 3, 3), and are indexed as the rate is.
    The first is that of all contacts, the second of those of grains with LEAST_CONTACTS.
    """

    stress: np.ndarray
    all: np.ndarray
    firm: np.ndarray


class Simulation(reference_dem.Simulation):
    """Spheres without walls in a cell with three vectors."""

    def __init__(self, step, gravity=(0, 0, 0), period=None):
        super().__init__(step, gravity)
        self.period = self.cell = np.array(np.diag(period) if np.ndim(period) == 1 else period)
        self.cell = self.cell.astype(float)
        self.velocity_gradient = np.zeros((3, 3))
        self.rate_before = np.zeros((3, 3))  # L before the changes since the last forces
        self.jumps = None  # by which velocities have changed since then
        self.center = self.flight = None  # of the linear field, and its velocity
        self.fallen = 0.0
        self.control, self.deforms = None, False
        self.steady = np.zeros((3, 3))  # the slow mean of L where it is held
        self.deformation = np.eye(3)
        self.on_border = self.from_outside = self.flow = 0.0

    # ---- the cell ----

    @property
    def volume(self):
        return abs(np.linalg.det(self.cell))

    def periods(self, centers):
        return np.floor(centers @ np.linalg.inv(self.cell))

    def wrapped(self, centers, images):
        crossed = self.periods(centers)
        return centers - crossed @ self.cell, images + crossed

    def rate_of_cell(self, gradient, step, sign):
        """The velocity of the vectors, half a step ahead (sign 1) or ago (sign -1)."""
        return sign * self.cell @ grown(sign * step * gradient).T / step

    def deform_cell(self, rate=None, stress=None, largest_rate=None, affine=True):
        targets = targets_of(stress)
        ruled = ~np.isnan(targets.T)
        if rate is None:
            rate = np.where(ruled, np.nan, 0.0)
        rate = np.array(rate, float)
        assert (np.isnan(rate) == ruled).all(), "each component is ruled by one"
        kept = self.steady_share(rate, ruled)
        self.steady = np.where(ruled, kept * self.steady, 0.0)
        self.control = None
        if ruled.any():
            pressure = np.nanmax(np.abs(targets))
            largest = largest_rate or self.default_rate(pressure)
            self.control = Control(targets, largest, self.volume)
        if self.center is None:
            mass = self.masses.sum()
            self.center = self.masses @ self.centers / mass
            self.flight = self.masses @ self.velocities / mass
            self.fallen = self.heights()
        self.deforms = True
        self.set_rate(np.where(ruled, self.velocity_gradient, rate), affine)

    def steady_share(self, rate, ruled):
        """The share of the slow mean that is kept: the rates that are given may be others."""
        if self.control is None or (ruled != ~np.isnan(self.control.targets.T)).any():
            return 0.0
        new, old = rate[~ruled], self.velocity_gradient[~ruled]
        return np.clip(new @ old / (old @ old), 0, 1) if old.any() else 1.0

    def default_rate(self, pressure):
        density = self.masses.sum() / (4 / 3 * np.pi * self.radii**3).sum()
        return INERTIAL_NUMBER * np.sqrt(pressure / density) / (2 * self.radii.mean())

    def set_rate(self, gradient, affine=True):
        """Change L, and add the difference of both fields to the velocities."""
        old, new = (rate_before(one, self.span) for one in (self.velocity_gradient, gradient))
        change = new - old
        jump = (self.centers - self.center) @ change.T if affine else 0.0 * self.velocities
        self.velocities = self.velocities + jump
        self.velocity_gradient = gradient
        if self.step_count:
            self.jumps = jump if self.jumps is None else self.jumps + jump
        else:
            # before the first step there are no energies
            self.rate_before = gradient

    # ---- contacts ----

    def find_pairs(self):
        return find_pairs(self.centers, self.radii, self.cell, self.gap(), self.images)

    def read_pairs(self, found):
        law, touch = super().read_pairs(found)
        rate = self.rate_of_cell(self.velocity_gradient, self.span, -1)
        touch = touch._replace(velocity=touch.velocity - found.image @ rate)
        self.law, self.touching = law, touch
        return law, touch

    def branches(self):
        """From the image of j to i, at the beginning of the step."""
        pairs = self.pairs
        return column(self.radii[pairs.i] + self.radii[pairs.j] - pairs.overlap) * pairs.normal

    def static_stress(self):
        return self.branches().T @ self.pairs.force / self.volume

    def kinetic_stress(self, velocities):
        own = velocities - self.centers @ self.velocity_gradient.T
        own = own - self.masses @ own / self.masses.sum()
        return (column(self.masses) * own).T @ own / self.volume

    # ---- control of stress ----

    def loads(self):
        stress = self.kinetic_stress(self.velocities)
        # [a, b]: 3 s_aa for a = b, else s_bb, the momentum along b that crosses planes of b
        stiffness = np.outer(np.ones(3), np.diag(stress)) + 2 * np.diag(np.diag(stress))
        law, touch, pairs = self.law, self.touching, self.pairs
        counts = np.bincount(np.concatenate([pairs.i, pairs.j]), minlength=len(self.ids))
        counted = (counts[pairs.i] >= LEAST_CONTACTS) & (counts[pairs.j] >= LEAST_CONTACTS)
        normal, shear = stiffnesses(law, touch)
        shear = np.where(law.friction > 0, shear, 0.0)
        damping = 2 * law.damping * np.where(law.is_hertz, np.sqrt(5 / 6), 1)
        dampers = damping * np.sqrt(normal * touch.mass), damping * np.sqrt(shear * touch.mass)
        sums = [
            np.array([stiffness + self.resistance(normal, shear, k), self.resistance(*dampers, k)])
            for k in (np.ones(len(counted), bool), counted)
        ]
        return Loads(stress + self.static_stress(), *sums)

    def resistance(self, normal, shear, counted):
        """1/V sum over contacts of K_n (l_b n_a)² + K_t l_b² (1 - n_a²), indexed [a, b]."""
        n, branch = self.pairs.normal[counted], self.branches()[counted]
        normal, shear = normal[counted], shear[counted]
        along = np.einsum("k,ka,kb->ab", normal, n**2, branch**2)
        across = np.einsum("k,ka,kb->ab", shear, 1 - n**2, branch**2)
        return (along + across) / self.volume

    def hold_stress(self):
        loads, rate = self.loads(), self.velocity_gradient.copy()
        targets, largest = self.control.targets, self.control.largest_rate
        gives_way = ~np.isnan(targets.T) & np.eye(3, dtype=bool)  # pressures, which drive no flow
        drive = np.abs(self.velocity_gradient[~gives_way]).max()
        for a, b in itertools.product(range(3), repeat=2):
            if np.isnan(targets[b, a]):
                continue
            # one component, or a symmetric shear
            both = [(a, b)] if np.isnan(targets[a, b]) or a == b else [(a, b), (b, a)]
            stress = sum(loads.stress[k[::-1]] for k in both) / len(both)
            is_near = stress * targets[b, a] >= PART_OF_TARGET * targets[b, a] ** 2
            counted = loads.all if is_near else loads.firm
            stiffness, damping = sum(counted[:, k[0], k[1]] for k in both)
            rates, time = (self.velocity_gradient[a, b], self.steady[a, b]), self.answer(stiffness)
            found = next_rate(*rates, stress - targets[b, a], stiffness * time, damping)
            rate[a, b] = np.clip(found, -largest, largest)
            change = (rate[a, b] - self.steady[a, b]) * self.step / (STEADY_TIMES * time)
            self.steady[a, b] = np.clip(self.steady[a, b] + change, -drive, drive)
        self.set_rate(rate)

    def answer(self, stiffness):
        """The time in which the stress follows the rate."""
        time = 20 * self.step
        if stiffness > 0:
            density = self.masses.sum() / self.volume
            time = max(time, np.cbrt(self.volume) * np.sqrt(density / stiffness))
        return time

    def check_volume(self):
        if self.control is None:
            return
        solid = (4 / 3 * np.pi * self.radii**3).sum()
        if self.volume < solid:
            raise ValueError("cell is smaller than the grains in it")
        if self.volume > 8 * self.control.first_volume and len(self.pairs) == 0:
            raise ValueError("cell grows without contacts")

    # ---- a step ----

    def go_on(self):
        force, torque, brake, elastic = self.touch_spheres()
        self.forces, self.torques = force, torque
        if self.control is not None:
            self.hold_stress()
        before = self.velocities, self.angular_velocities, self.centers
        self.accelerate(brake)
        self.account_cell(before, (force, torque), elastic)
        self.advance()
        self.rate_before, self.jumps = self.velocity_gradient, None
        self.last = (self.step, self.gravity)
        self.step_count += 1
        self.check_volume()

    def pull_of_images(self):
        """The acceleration L² (x - c), as central differences see it."""
        if not self.deforms:
            return np.zeros(self.centers.shape)
        moved = self.step * self.velocity_gradient
        square = (grown(moved) + grown(-moved)) / self.step**2
        return (self.centers - self.center) @ square.T

    def accelerate(self, brake):
        mass, inertia = column(self.masses), column(self.inertias)
        self.extra = self.pull_of_images()
        pull = self.pulled + self.extra + self.forces / mass
        spins = self.angular_velocities + self.kick * self.torques / inertia
        lost = reference_dem.ratio(brake * self.kick, self.inertias * length(spins))
        braked = spins * column(np.maximum(0, 1 - lost))
        self.velocities = self.velocities + self.kick * pull
        self.torques = self.torques + inertia * (braked - spins) / self.kick
        self.angular_velocities = braked

    def advance(self):
        """Move spheres and the cell, exchange vectors, and wrap."""
        step, gradient = self.step, self.velocity_gradient
        moved = step * self.velocities
        if self.deforms:
            self.flight = self.flight + self.kick * self.pulled
            self.center = self.center + step * self.flight
            self.fallen = self.fallen - self.masses @ moved @ self.gravity
        rate = self.rate_of_cell(gradient, step, 1)
        growth = np.eye(3) + grown(step * gradient)
        self.centers = self.centers + moved
        if gradient.any():
            self.cell, self.deformation = self.cell @ growth.T, growth @ self.deformation
            numbers = shorter_basis(self.cell)
            self.cell, rate = numbers @ self.cell, numbers @ rate
            self.rename(np.rint(np.linalg.inv(numbers)))
        crossed = self.periods(self.centers)
        self.centers, self.images = self.wrapped(self.centers, self.images)
        # gravity has already had the whole step's displacement with the old velocity
        ahead = 0.5 * step * self.gravity
        old, new = self.velocities + ahead, self.velocities - crossed @ rate + ahead
        self.velocities = self.velocities - crossed @ rate
        gained = 0.5 * self.masses * (dot(new, new) - dot(old, old))
        self.from_outside += gained.sum()

    def rename(self, back):
        """Images in the new basis. `back` @ (new vectors) are the old ones."""
        self.images = self.images @ back
        table = self.pairs.table
        table.image, table.names = table.image @ back, table.names @ back

    # ---- energy ----

    def heights(self):
        if self.deforms:
            return self.fallen
        at = self.centers + self.images @ self.cell
        return self.lift - self.masses @ at @ self.gravity

    def account_cell(self, before, loads, elastic):
        """The energies at the beginning of the step.

        The work up to then has the velocities before the last change of L, that after it the new
        ones. So a change is an impulse between two halves of a step.
        """
        (velocity, spin, _), (force, torque) = before, loads
        mass, inertia = self.masses, self.inertias
        kick, jump = self.kick, 0.0 if self.jumps is None else self.jumps
        mean = 0.5 * (velocity + self.velocities)
        unbraked = spin + kick * torque / column(inertia)
        turning = kick * dot(torque, 0.5 * (spin + unbraked)).sum()
        new_spin = self.angular_velocities
        turning += 0.5 * (inertia * (dot(new_spin, new_spin) - dot(unbraked, unbraked))).sum()
        old_mean = mean - jump
        until, after = ((kick * force * v).sum() + turning for v in (old_mean, mean))
        self.work += 0.5 * until
        border_until, border_after = (
            kick * self.power_of_border(gradient)
            for gradient in (self.rate_before, self.velocity_gradient)
        )
        self.on_border += 0.5 * border_until
        push = column(mass) * self.extra
        self.flow += 0.5 * kick * (push * old_mean).sum()
        self.from_outside += 0.5 * (mass * (dot(mean, mean) - dot(old_mean, old_mean))).sum()
        dissipated = -self.work + self.on_border - elastic
        outside = self.on_border + self.flow + self.from_outside
        rotating = new_spin - 0.5 * self.step * self.torques / column(inertia)
        self.energy = Energy(
            0.5 * (mass * dot(mean, mean)).sum(),
            0.5 * (inertia * dot(rotating, rotating)).sum(),
            self.heights(),
            elastic,
            dissipated,
            -outside,
        )
        self.work += 0.5 * after
        self.on_border += 0.5 * border_after
        self.flow += 0.5 * kick * (push * mean).sum()
        self.mean_velocities = mean
        self.stress_now = self.static_stress() + self.kinetic_stress(mean)
        self.static_now = self.static_stress()

    def power_of_border(self, gradient):
        """The power of contacts at images of j, which the border brings in."""
        ago = self.rate_of_cell(gradient, self.span, -1)
        ahead = self.rate_of_cell(gradient, self.step, 1)
        moved = self.pairs.image @ (0.5 * (ago + ahead))
        return (self.pairs.force * moved).sum()

    def stress(self, kinetic=True):
        """The stress at the beginning of the last step, positive in compression."""
        return self.stress_now if kinetic else self.static_now

    def momentum(self):
        """∑ m (v + images @ rate)"""
        rate = self.rate_of_cell(self.velocity_gradient, self.span, -1)
        return self.masses @ (self.velocities + self.images @ rate)


def targets_of(stress):
    """Targets (3, 3), NaN where there is none."""
    if stress is None:
        return np.full((3, 3), np.nan)
    stress = np.array(stress, float)
    if stress.ndim == 2:
        return stress
    targets = np.full((3, 3), np.nan)
    np.fill_diagonal(targets, stress)
    return targets
