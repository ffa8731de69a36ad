"""A slow and obvious reference for `Simulation.stress` and `Simulation.coordination`, by loops.

docs/dem.md, section 15, has the definitions. `Moment` is the state before the last step, recorded
at that time. Only forces, normals and overlaps come from the tables of the step.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

IMAGES = range(-3, 4)


class Moment(NamedTuple):
    """The state of a simulation before its last step."""

    centers: np.ndarray  # of spheres
    positions: np.ndarray  # of clusters
    bodies: np.ndarray  # their centers of mass
    velocities: tuple  # of the three, half a step before it


def look(sim):
    velocities = sim.velocities, sim.clusters.velocities, sim.bodies.velocities
    return Moment(sim.centers, sim.clusters.positions, sim.bodies.centers, velocities)


class Half(NamedTuple):
    """A force on a grain, and the way from its center of mass to where it acts."""

    center: np.ndarray
    arm: np.ndarray
    force: np.ndarray


class Grain(NamedTuple):
    center: np.ndarray
    velocity: np.ndarray
    mass: float


def lengths(sim):
    return np.array([length or 0.0 for length in sim.period or (None,) * 3])


def near(way, period):
    """The shortest of a way and those to other images."""
    return way - np.array(
        [p * round(w / p) if p else 0.0 for w, p in zip(way, period, strict=True)]
    )


# ---- contacts ------------------------------------------------------------------------------------


def center_of(sim, moment, sphere):
    """The center of mass of what a sphere belongs to."""
    cluster = sim.spheres.cluster[sphere]
    return moment.centers[sphere] if cluster < 0 else moment.positions[cluster]


def half_of(center, point, force, period):
    return Half(center, near(point - center, period), force)


def halves_of(sim, moment):
    """The half branches of all contacts and bonds."""
    period, radii, found = lengths(sim), sim.radii, []

    def add(center, point, force):
        found.append(half_of(center, point, force, period))

    c = sim.contacts
    for k, i in enumerate(c.sphere):
        point = moment.centers[i] - (radii[i] - c.overlap[k]) * c.normal[k]
        add(center_of(sim, moment, i), point, c.force[k])
    p = sim.pairs
    for k, (i, j) in enumerate(zip(p.i, p.j, strict=True)):
        point = moment.centers[i] - (radii[i] - p.overlap[k] / 2) * p.normal[k]
        add(center_of(sim, moment, i), point, p.force[k])
        add(center_of(sim, moment, j), point, -p.force[k])
    for i, j, force in zip(sim.bonds.i, sim.bonds.j, sim.bonds.force, strict=True):
        way = near(moment.centers[j] - moment.centers[i], period)
        add(center_of(sim, moment, i), moment.centers[i] + way / 2, force)
        add(center_of(sim, moment, j), moment.centers[i] + way / 2, -force)
    for table, others in (
        (sim.body_contacts, None),
        (sim.body_pairs, moment.bodies.__getitem__),
        (sim.body_sphere_pairs, lambda j: center_of(sim, moment, j)),
    ):
        for spot, k in enumerate(table.spot_row):
            point, force = table.spot[spot], table.spot_force[spot]
            if others is None:
                point = point + table.spot_overlap[spot] / 2 * table.normal[k]
            else:
                add(others(table.j[k]), point, -force)
            add(moment.bodies[table.i[k]], point, force)
    return found


# ---- grains --------------------------------------------------------------------------------------


def grains_of(sim, moment):
    """Velocities are the mean of those half a step before and after."""
    spheres, clusters, bodies = (
        (old + new) / 2 for old, new in zip(moment.velocities, look(sim).velocities, strict=True)
    )
    members = sim.spheres.cluster
    found = [
        Grain(moment.centers[k], spheres[k], sim.masses[k]) for k in np.flatnonzero(members < 0)
    ]
    for k, velocity in enumerate(clusters):
        found.append(Grain(moment.positions[k], velocity, sim.masses[members == k].sum()))
    for k, velocity in enumerate(bodies):
        found.append(Grain(moment.bodies[k], velocity, sim.bodies.masses[k]))
    return found


# ---- regions -------------------------------------------------------------------------------------


def is_inside(place, region, period):
    """Whether a place is in a box or in one of its images; the lower sides are inside."""
    low, high = np.asarray(region, float)
    for axis in range(3):
        images = IMAGES if period[axis] else (0,)
        shifts = [image * period[axis] for image in images]
        if not any(low[axis] + s <= place[axis] < high[axis] + s for s in shifts):
            return False
    return True


def part_inside(start, arm, region, period):
    """Which part of a way is inside: between each two places where it crosses a plane it is, or it
    is not."""
    cuts = {0.0, 1.0}
    for axis in np.flatnonzero(arm):
        for image in IMAGES if period[axis] else (0,):
            planes = np.asarray(region, float)[:, axis] + image * period[axis]
            cuts |= {(plane - start[axis]) / arm[axis] for plane in planes}
    cuts = sorted(cut for cut in cuts if 0 <= cut <= 1)
    return sum(
        end - begin
        for begin, end in pairwise(cuts)
        if is_inside(start + (begin + end) / 2 * arm, region, period)
    )


# ---- measures ------------------------------------------------------------------------------------


def stress(sim, moment, region, kinetic=False):
    period = lengths(sim)
    total = np.zeros((3, 3))
    for half in halves_of(sim, moment):
        part = part_inside(half.center, half.arm, region, period)
        total -= part * np.outer(half.arm, half.force)
    if kinetic:
        inside = [g for g in grains_of(sim, moment) if is_inside(g.center, region, period)]
        mean = sum(g.mass * g.velocity for g in inside) / sum(g.mass for g in inside)
        for g in inside:
            total += g.mass * np.outer(g.velocity - mean, g.velocity - mean)
    return total / np.prod(np.subtract(region[1], region[0]))


def coordination(sim, moment, region, walls=True, rattlers=True):
    """The coordination number, by counting the ends of contacts at each grain."""
    members = sim.spheres.cluster

    def of_sphere(i):
        return ("sphere", i) if members[i] < 0 else ("cluster", members[i])

    ends, bonded = [], {(i, j) for i, j in zip(sim.bonds.i, sim.bonds.j, strict=True)}
    for i, j in bonded:
        ends += [of_sphere(i), of_sphere(j)]
    for i, j, force in zip(sim.pairs.i, sim.pairs.j, sim.pairs.force, strict=True):
        ends += [of_sphere(i), of_sphere(j)] if force.any() and (i, j) not in bonded else []
    for table, other in (
        (sim.body_pairs, lambda j: ("body", j)),
        (sim.body_sphere_pairs, of_sphere),
    ):
        for i, j, force in zip(table.i, table.j, table.force, strict=True):
            ends += [("body", i), other(j)] if force.any() else []
    if walls:
        ends += [of_sphere(i) for i in sim.contacts.sphere[sim.contacts.force.any(1)]]
        ends += [("body", i) for i in sim.body_contacts.i[sim.body_contacts.force.any(1)]]
    places = {("sphere", k): moment.centers[k] for k in np.flatnonzero(members < 0)}
    places |= {("cluster", k): place for k, place in enumerate(moment.positions)}
    places |= {("body", k): place for k, place in enumerate(moment.bodies)}
    counts = [ends.count(g) for g, at in places.items() if is_inside(at, region, lengths(sim))]
    return np.mean([count for count in counts if rattlers or count >= 2])


# ---- rest ----------------------------------------------------------------------------------------


def unbalanced_force(sim):
    """The mean resultant of free grains by the mean force of their contacts and bonds."""
    members, bodies = sim.spheres.cluster, sim.bodies
    free, resultants = {}, []
    for k, cluster in enumerate(members):
        free["sphere", k] = not sim.fixed[k]
        if cluster < 0 and not sim.fixed[k]:
            resultants.append(sim.forces[k] + sim.masses[k] * sim.gravity)
    for k, force in enumerate(sim.clusters.forces):
        (rows,) = np.nonzero(members == k)
        if not sim.fixed[rows[0]]:
            resultants.append(force + sim.masses[rows].sum() * sim.gravity)
    for k, force in enumerate(bodies.forces):
        free["body", k] = not bodies.fixed[k]
        if not bodies.fixed[k]:
            resultants.append(force + bodies.masses[k] * sim.gravity)
    borne = []
    for table, first, second in (
        (sim.contacts, "sphere", None), (sim.pairs, "sphere", "sphere"),
        (sim.bonds.table, "sphere", "sphere"), (sim.body_contacts, "body", None),
        (sim.body_pairs, "body", "body"), (sim.body_sphere_pairs, "body", "sphere"),
    ):  # fmt: skip
        for k, force in enumerate(table.force):
            i = table.sphere[k] if table is sim.contacts else table.i[k]
            is_borne = free[first, i] or (second is not None and free[second, table.j[k]])
            if is_borne and force.any():
                borne.append(force)
    return np.mean(np.linalg.norm(resultants, axis=1)) / np.mean(np.linalg.norm(borne, axis=1))
