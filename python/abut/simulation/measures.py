"""Means over a region: stress, and the coordination number.

A grain is a sphere that is in no cluster, a cluster, or a convex body.
docs/dem.md, section 15, has the definitions and their sources.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arithmetic import matrix_product
from ..base.arrays import Doubles, Indices
from ..base.periods import (
    fractions_of,
    is_along_axes,
    lengths_of,
    repeats_along,
    shifts_of,
    volume,
)
from ..results.means import mean_count, products
from .cell import images_then, period_then

if TYPE_CHECKING:
    from ..base.periods import Period
    from ..results.bonds import Bonds
    from ..results.pairs import Pairs
    from .body_contacts import BodyContacts
    from .simulation import Simulation

_Mask = NDArray[np.bool_]

# relative rounding error by which a region may be longer than a period
_ROUNDING = 4 * np.finfo(np.float64).eps


class Region(NamedTuple):
    """A box, and all of its images in a periodic world."""

    low: Doubles
    high: Doubles
    period: Period | None

    @property
    def volume(self) -> float:
        return float(np.prod(self.high - self.low))

    def images(self, least: Doubles, most: Doubles) -> Iterator[tuple[Doubles, _Mask]]:
        """For each image of the region, yield its shift (3,) and which boxes (m,) meet it.

        The boxes have the corners `least` and `most`, (m, 3) each. A region contains the points of
        its lower sides, but not those of its upper sides.
        """
        if not is_along_axes(self.period):
            yield from self._tilted_images(least, most)
            return
        lengths = lengths_of(self.period)
        of_axes = [self._images_along(axis, lengths[axis], least, most) for axis in range(3)]
        for along_x, along_y, along_z in itertools.product(*of_axes):
            shift = np.array([along_x[0], along_y[0], along_z[0]])
            yield shift, along_x[1] & along_y[1] & along_z[1]

    def _images_along(
        self, axis: int, length: float, least: Doubles, most: Doubles
    ) -> Iterator[tuple[float, _Mask]]:
        low, high = self.low[axis], self.high[axis]
        starts, ends = least[:, axis], most[:, axis]
        first, last = 0.0, 0.0
        if length and len(starts):
            first = (starts.min() - high) / length
            last = (ends.max() - low) / length
        for number in range(math.floor(first), math.ceil(last) + 1):
            shift = number * length
            meets = (ends >= low + shift) & (starts < high + shift)
            if meets.any():
                yield shift, meets

    def _tilted_images(self, least: Doubles, most: Doubles) -> Iterator[tuple[Doubles, _Mask]]:
        if not len(least):
            return
        # the box of all differences between a point of a given box and a point of the region
        corners = np.stack([least.min(axis=0) - self.high, most.max(axis=0) - self.low])
        for shift in shifts_inside(corners, self.period):
            low, high = self.low + shift, self.high + shift
            meets: _Mask = np.all((most >= low) & (least < high), axis=1)
            if meets.any():
                yield shift, meets


def shifts_inside(corners: Doubles, period: Period | None) -> Iterator[Doubles]:
    """The shifts of images that are in a box, or close to it; in the order of the images."""
    picks = np.indices((2, 2, 2)).reshape(3, -1).T
    fractions = fractions_of(corners[picks, range(3)], period)
    first, last = np.floor(fractions.min(axis=0)), np.ceil(fractions.max(axis=0))
    ranges = [range(int(a), int(b) + 1) for a, b in zip(first, last, strict=True)]
    for image in itertools.product(*ranges):
        yield shifts_of(np.array([image]), period)[0]


def read_region(region: ArrayLike | None, period: Period | None) -> Region | None:
    """Read a box as a Region; None stands for the whole simulation."""
    if region is None:
        return None
    low, high = (np.array(corner) for corner in checks.box(region, "region"))
    if is_along_axes(period):
        _check_widths(low, high, lengths_of(period))
    else:
        _check_overlap(low, high, period)
    return Region(low, high, period)


def _check_widths(low: Doubles, high: Doubles, lengths: Doubles) -> None:
    """Raise a ValueError if a region is wider than a period along an axis."""
    for axis, along in enumerate("xyz"):
        size, most = high[axis] - low[axis], lengths[axis]
        if most and size > most + _rounding(low[axis], high[axis], most):
            raise ValueError(
                f"region is {size:g} wide along {along}, but may be one period wide, {most:g}"
            )


def _check_overlap(low: Doubles, high: Doubles, period: Period | None) -> None:
    """Raise a ValueError if a region overlaps one of its images in a tilted cell."""
    sizes = high - low
    for shift in shifts_inside(np.stack([-sizes, sizes]), period):
        slack = [_rounding(*ends) for ends in zip(low, high, shift, strict=True)]
        if shift.any() and (abs(shift) < sizes - slack).all():
            raise ValueError(
                f"region overlaps its image at {shift.tolist()}: give a region that is shorter"
                " along an axis, or None for the whole cell"
            )


def _rounding(*coordinates: float) -> float:
    return _ROUNDING * max(map(abs, coordinates))


# ---- grains, and half branches -------------------------------------------------------------------


class Grains(NamedTuple):
    """Grains at the beginning of the last step: spheres, then clusters, then convex bodies."""

    centers: Doubles  # (g, 3): centers of mass
    velocities: Doubles  # (g, 3): mean of the velocities half a step before and after
    masses: Doubles  # (g,)
    of_sphere: Indices  # (n,): the grain of each sphere
    first_body: int  # row of the first convex body

    def centers_of(self, rows: Indices) -> Doubles:
        """The centers of mass of the grains to which these rows of spheres belong."""
        return self.centers[self.of_sphere[rows]]

    def are_in(self, region: Region | None) -> _Mask:
        """Which grains have their center of mass in the region."""
        found = np.full(len(self.masses), region is None)
        if region is not None:
            for _, is_there in region.images(self.centers, self.centers):
                found |= is_there
        return found


def grains_of(simulation: Simulation) -> Grains:
    columns = simulation._core.read(_core.GRAINS)
    bodies = len(simulation._settled().bodies)
    return Grains(**columns, first_body=len(columns["masses"]) - bodies)


class Halves(NamedTuple):
    """Half branches: vectors from the center of mass of a grain to a point where a force acts."""

    centers: Doubles  # (m, 3): centers of mass
    arms: Doubles  # (m, 3): from the centers to the points
    forces: Doubles  # (m, 3): on the grains


def halves_of(simulation: Simulation, grains: Grains) -> Iterator[Halves]:
    """The half branches of all contacts and bonds."""
    contacts, pairs = simulation.contacts, simulation.pairs
    centers = grains.centers_of(contacts.sphere)
    yield Halves(centers, contacts.point - centers, contacts.force)
    shifts = shifts_of(pairs.image, pairs.period)
    of_i, of_j = grains.centers_of(pairs.i), grains.centers_of(pairs.j)
    yield from _both(of_i, of_j, pairs.point, shifts, pairs.force)
    yield from _of_bonds(simulation, grains, simulation.bonds.table)
    for table in (simulation.body_contacts, simulation.body_pairs, simulation.body_sphere_pairs):
        yield from _of_spots(simulation, grains, table)


def _both(
    of_i: Doubles, of_j: Doubles, points: Doubles, shifts: Doubles, forces: Doubles
) -> Iterator[Halves]:
    """Half branches of contacts on i and on j; forces act on i, shifts lead from j to its image."""
    yield Halves(of_i, points - of_i, forces)
    yield Halves(of_j, points - of_j - shifts, -forces)


def _of_bonds(simulation: Simulation, grains: Grains, bonds: Bonds) -> Iterator[Halves]:
    """Half branches of bonds to their middles; the sum of both halves is the same for any point."""
    if not len(bonds):
        return
    began = simulation._core.read(_core.SPHERES, "began")
    shifts = shifts_of(_bond_images(simulation, bonds), period_then(simulation))
    middles = 0.5 * (began[bonds.i] + began[bonds.j] + shifts)
    of_i, of_j = grains.centers_of(bonds.i), grains.centers_of(bonds.j)
    yield from _both(of_i, of_j, middles, shifts, bonds.force)


def _bond_images(simulation: Simulation, bonds: Bonds) -> Doubles:
    """The image (m, 3) of j that each bond connected at the beginning of the last step."""
    # a sphere that left the periodic box in the last step has entered it on the other side
    moved = simulation.centers - simulation._core.read(_core.SPHERES, "began")
    wraps: Doubles = np.rint(fractions_of(moved, simulation.period))
    return images_then(simulation, bonds.image + wraps[bonds.j] - wraps[bonds.i])


def _of_spots(simulation: Simulation, grains: Grains, table: BodyContacts) -> Iterator[Halves]:
    if not len(table):
        return
    rows, points = table.spot_row, table.spot
    assert points is not None and table.spot_overlap is not None
    of_i = grains.centers[grains.first_body + table.i[rows]]
    if table.j is None:
        # move spots from the middle of an overlap to the wall's surface, as for contacts of spheres
        points = points + 0.5 * table.spot_overlap[:, None] * table.normal[rows]
        yield Halves(of_i, points - of_i, table.spot_force)
        return
    of_j = grains.centers[_second(simulation, grains, table)[rows]]
    shifts = shifts_of(table.image, table.period)[rows]
    yield from _both(of_i, of_j, points, shifts, table.spot_force)


def _second(simulation: Simulation, grains: Grains, table: BodyContacts) -> Indices:
    """The second grain of each contact: a body, or the grain to which a sphere belongs."""
    assert table.j is not None
    if table is simulation.body_pairs:
        return grains.first_body + table.j
    return grains.of_sphere[table.j]


# ---- stress --------------------------------------------------------------------------------------


def stress(simulation: Simulation, region: Region | None, kinetic: bool) -> Doubles:
    """Compute `Simulation.stress`."""
    size = _volume(period_then(simulation)) if region is None else region.volume
    grains = grains_of(simulation)
    total = np.zeros((3, 3))
    for halves in halves_of(simulation, grains):
        forces = halves.forces
        if region is not None:
            forces = forces * _parts_inside(region, halves.centers, halves.arms)[:, None]
        total -= products(halves.arms, forces)
    if kinetic:
        total += _momentum_flux(grains, grains.are_in(region), simulation.velocity_gradient)
    return total / size


def _volume(period: Period | None) -> float:
    """The volume of the periodic cell."""
    check_whole(period, "whose volume the stress needs")
    return volume(period)


def check_whole(period: Period | None, reason: str, dimension: int = 3) -> None:
    """Raise a ValueError if the period is no cell; reason: why a region must be given then."""
    for k, along in enumerate("xyz"[:dimension]):
        if not repeats_along(period, k):
            missing = _no_period(period, k, along)
            raise ValueError(f"region is None, but {missing}: give region=, {reason}")


def _no_period(period: Period | None, vector: int, along: str) -> str:
    if is_along_axes(period):
        return f"the world has no period along {along}"
    return f"period[{vector}] is 0, so nothing repeats along it"


def _momentum_flux(grains: Grains, are_in: _Mask, gradient: Doubles) -> Doubles:
    """The sum of m dv dv over grains; dv is a velocity relative to the mean weighted by mass, and
    to the field of a velocity gradient."""
    masses, velocities = grains.masses[are_in, None], grains.velocities[are_in]
    if not len(masses):
        return np.zeros((3, 3))
    if gradient.any():
        velocities = velocities - matrix_product(grains.centers[are_in], gradient.T)
    velocities = velocities - (masses * velocities).sum(axis=0) / masses.sum()
    return products(masses * velocities, velocities)


def _parts_inside(region: Region, starts: Doubles, arms: Doubles) -> Doubles:
    """The fraction in the region of each segment from `starts` to `starts + arms`, (m, 3) each."""
    ends = starts + arms
    parts = np.zeros(len(arms))
    for shift, meets in region.images(np.minimum(starts, ends), np.maximum(starts, ends)):
        rows = np.flatnonzero(meets)
        low, high = region.low + shift, region.high + shift
        parts[rows] += parts_between(starts[rows], arms[rows], low, high)[1]
    return parts


def parts_between(
    starts: Doubles, arms: Doubles, low: Doubles, high: Doubles
) -> tuple[Doubles, Doubles]:
    """Where each segment enters a box, as a fraction of its length, and which fraction is inside.

    The bounding box of each segment meets the box.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        at_low, at_high = (low - starts) / arms, (high - starts) / arms
    # a segment normal to an axis lies between the box's two sides that are normal to the axis,
    # because the segment's bounding box meets the box
    enters = np.where(arms == 0.0, 0.0, np.minimum(at_low, at_high)).max(axis=1, initial=0.0)
    leaves = np.where(arms == 0.0, 1.0, np.maximum(at_low, at_high)).min(axis=1, initial=1.0)
    return enters, np.maximum(leaves - enters, 0.0)


# ---- coordination number -------------------------------------------------------------------------


def coordination(
    simulation: Simulation, region: Region | None, walls: bool, rattlers: bool
) -> float:
    """Compute `Simulation.coordination`."""
    grains = grains_of(simulation)
    touching = np.concatenate([*contacts_of_grains(simulation, grains, walls)])
    counts = np.bincount(touching, minlength=len(grains.masses))[grains.are_in(region)]
    return mean_count(counts, rattlers)


def contacts_of_grains(simulation: Simulation, grains: Grains, walls: bool) -> Iterator[Indices]:
    """Yield arrays of grains. Together they have each grain once for each of its contacts."""
    pairs, bonds, between = simulation.pairs, simulation.bonds.table, simulation.body_pairs
    bear = _bear(pairs.force)
    if len(bonds):
        bear &= ~_are_bonded(simulation, pairs, bonds)
    yield from (grains.of_sphere[rows] for rows in (pairs.i[bear], pairs.j[bear]))
    yield from (grains.of_sphere[rows] for rows in (bonds.i, bonds.j))
    for table in (between, simulation.body_sphere_pairs):
        bear = _bear(table.force)
        yield grains.first_body + table.i[bear]
        yield _second(simulation, grains, table)[bear]
    if walls:
        of_spheres, of_bodies = simulation.contacts, simulation.body_contacts
        yield grains.of_sphere[of_spheres.sphere[_bear(of_spheres.force)]]
        yield grains.first_body + of_bodies.i[_bear(of_bodies.force)]


def _are_bonded(simulation: Simulation, pairs: Pairs, bonds: Bonds) -> _Mask:
    """Which pairs are bonded, with j at the same image in the pair and in the bond."""
    count = len(simulation.ids)
    # bonds are sorted by i, then j, so `known` ascends
    keys, known = pairs.i * count + pairs.j, bonds.i * count + bonds.j
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    is_there: _Mask = (_bond_images(simulation, bonds)[at] == pairs.image).all(axis=1)
    return is_there & (known[at] == keys)


def _bear(forces: Doubles) -> _Mask:
    bear: _Mask = (forces != 0.0).any(axis=1)
    return bear
