"""Bonds again, slow and plain: spheres of any masses with beams between them, and nothing else.

docs/dem.md, section 12. Orientations are rotation matrices, turned by Rodrigues' formula.
"""

import numpy as np


def turned(matrices, spins, step):
    """Each matrix after its spin has turned it for a step."""
    angles = np.linalg.norm(spins, axis=1) * step
    axes = spins / np.where(angles, angles / step, 1.0)[:, None]
    sine, cosine = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    cross = np.zeros((len(spins), 3, 3))
    cross[:, [2, 0, 1], [1, 2, 0]] = axes
    cross[:, [1, 2, 0], [2, 0, 1]] = -axes
    turns = np.eye(3) + sine * cross + (1.0 - cosine) * cross @ cross
    return turns @ matrices


class Beams:
    """Bonds of spheres at these centers."""

    def __init__(
        self, centers, pairs, young, poisson, radius, damping=0.0, masses=1.0, inertias=1.0
    ):
        self.i, self.j = np.array(pairs, int).T
        way = centers[self.j] - centers[self.i]
        count = len(self.i)
        young, poisson, r = (np.broadcast_to(x, count) for x in (young, poisson, radius))
        self.radius = r
        self.length = length = np.linalg.norm(way, axis=1)
        self.area, self.section = np.pi * r**2, np.pi * r**4 / 4.0
        shear = young / 2.0 / (1.0 + poisson)
        part = 6.0 * (1.0 + poisson) / (7.0 + 6.0 * poisson)
        bending = young * self.section
        phi = 12.0 * bending / (part * shear * self.area * length**2)
        self.stretch, self.bend = young * self.area / length, bending / length
        self.b2 = 12.0 * bending / (length * (1.0 + phi))
        self.b4 = 2.0 * shear * self.section / length
        self.b3 = self.bend - self.b2 / 4.0 - self.b4 / 2.0
        masses, inertias = (np.broadcast_to(x, len(centers)) for x in (masses, inertias))
        mass = 1.0 / (1.0 / masses[self.i] + 1.0 / masses[self.j])
        inertia = 1.0 / (1.0 / inertias[self.i] + 1.0 / inertias[self.j])
        self.dampers = [
            2.0 * damping * np.sqrt(k * m)
            for k, m in (
                (self.stretch, mass),
                (self.b2 / length**2, mass),
                (self.bend, inertia),
                (self.b4, inertia),
            )
        ]
        e = way / length[:, None]
        b = np.cross(e, np.where(abs(e[:, :1]) < 0.6, [[1.0, 0, 0]], [[0, 1.0, 0]]))
        b /= np.linalg.norm(b, axis=1)[:, None]
        self.axes = np.stack([e, b, np.cross(e, b)], 1)

    def exert(self, centers, turns, velocities, spins):
        """Forces on j, moments on i and on j, energies, and both stresses (2, m)."""
        own = np.einsum("nab,nkb->nka", turns[self.i], self.axes)
        other = np.einsum("nab,nkb->nka", turns[self.j], self.axes)
        way = centers[self.j] - centers[self.i]
        now = np.linalg.norm(way, axis=1)[:, None]
        e, both = way / now, own[:, 0] + other[:, 0]
        pull = self.stretch[:, None] * (now - self.length[:, None])
        slide = self.b2[:, None] / (2.0 * now) * (both - dot(both, e) * e)
        bend = self.b3[:, None] * np.cross(own[:, 0], other[:, 0]) + self.b4[:, None] / 2.0 * (
            np.cross(own[:, 1], other[:, 1]) + np.cross(own[:, 2], other[:, 2])
        )
        half = self.b2[:, None] / 2.0
        first = half * np.cross(own[:, 0], e) + bend
        second = half * np.cross(other[:, 0], e) - bend
        energy = (
            0.5 * self.stretch * (now[:, 0] - self.length) ** 2
            + self.b2 * (1.0 - 0.5 * dot(both, e)[:, 0])
            + self.b3 * (1.0 - dot(own[:, 0], other[:, 0])[:, 0])
            + self.b4 * (1.0 - 0.5 * (own[:, 1:] * other[:, 1:]).sum((1, 2)))
        )
        bends = [np.linalg.norm(m - dot(m, e) * e, axis=1) for m in (first, second)]
        twist = abs(dot(first, e)[:, 0])
        stresses = np.array(
            [
                pull[:, 0] / self.area + np.maximum(*bends) * self.radius / self.section,
                np.linalg.norm(slide, axis=1) / self.area
                + twist * self.radius / (2.0 * self.section),
            ]
        )
        force = -pull * e + slide
        return *self._damped(e, way, velocities, spins, force, first, second), energy, stresses

    def _damped(self, e, way, velocities, spins, force, first, second):
        along, across, bending, twisting = (c[:, None] for c in self.dampers)
        parting = velocities[self.j] - velocities[self.i]
        normal = dot(parting, e) * e
        mean = 0.5 * (spins[self.i] + spins[self.j])
        slide = -across * (parting - normal - np.cross(mean, way))
        turning = spins[self.j] - spins[self.i]
        twist = dot(turning, e) * e
        torque = twisting * twist + bending * (turning - twist)
        couple = -0.5 * np.cross(way, slide)
        return (
            force - along * normal + slide,
            first + couple + torque,
            second + couple - torque,
        )


class Chain:
    """Spheres with beams, which move by themselves and by a load."""

    def __init__(self, centers, masses, inertias, beams, step):
        self.centers, self.masses, self.inertias = centers.copy(), masses, inertias
        self.beams, self.step = beams, step
        self.velocities, self.spins = np.zeros_like(centers), np.zeros_like(centers)
        self.turns = np.tile(np.eye(3), (len(centers), 1, 1))

    def run(self, steps):
        i, j = self.beams.i, self.beams.j
        for _ in range(steps):
            force, first, second, _, _ = self.beams.exert(
                self.centers, self.turns, self.velocities, self.spins
            )
            forces, torques = np.zeros_like(self.centers), np.zeros_like(self.centers)
            np.add.at(forces, j, force)
            np.add.at(forces, i, -force)
            np.add.at(torques, i, first)
            np.add.at(torques, j, second)
            self.velocities = self.velocities + self.step * forces / self.masses[:, None]
            self.spins = self.spins + self.step * torques / self.inertias[:, None]
            self.centers = self.centers + self.step * self.velocities
            self.turns = turned(self.turns, self.spins, self.step)


def dot(a, b):
    return (a * b).sum(-1, keepdims=True)
