"""Whether grains have come to rest: the unbalanced force, and the condition `quiet`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arithmetic import dots, lengths, matrix_product
from ..base.arrays import Doubles, Indices
from .cell_contents import cell_of
from .measures import Grains, contacts_of_grains, grains_of

if TYPE_CHECKING:
    from .simulation import Simulation

_Mask = NDArray[np.bool_]

# the square of the largest angle, in radians, between normals that count as parallel
_PARALLEL = 1e-6


# ---- unbalanced force ----------------------------------------------------------------------------


def unbalanced_force(simulation: Simulation) -> float:
    """Compute `Simulation.unbalanced_force`."""
    grains = grains_of(simulation)
    is_free = ~_of_grains(simulation, "fixed")
    weights = grains.masses[:, None] * simulation.gravity
    resultants = _of_grains(simulation, "forces") + weights
    borne = np.concatenate([lengths(part.borne_by(is_free)) for part in _parts(simulation, grains)])
    borne = borne[borne > 0.0]
    if not len(borne) or not is_free.any():
        return float("nan")
    return float(lengths(resultants[is_free]).mean() / borne.mean())


def _of_grains(simulation: Simulation, name: str) -> NDArray[Any]:
    """A column of spheres, clusters and bodies with an entry for each grain."""
    populations = simulation.spheres, simulation.clusters, simulation.bodies
    spheres, clusters, bodies = (getattr(one, name) for one in populations)
    return np.concatenate([spheres[simulation.spheres.cluster < 0], clusters, bodies])


class _Forces(NamedTuple):
    """Forces (m, 3) between grains; `second` is None if walls are the second partners."""

    first: Indices
    second: Indices | None
    forces: Doubles

    def borne_by(self, is_free: _Mask) -> Doubles:
        """The forces on grains that are free."""
        rows = is_free[self.first]
        if self.second is not None:
            rows = rows | is_free[self.second]
        found: Doubles = self.forces[rows]
        return found


def _parts(simulation: Simulation, grains: Grains) -> Iterator[_Forces]:
    """The forces of all contacts and bonds."""
    contacts, pairs, bonds = simulation.contacts, simulation.pairs, simulation.bonds.table
    yield _Forces(grains.of_sphere[contacts.sphere], None, contacts.force)
    for table in (pairs, bonds):
        yield _Forces(grains.of_sphere[table.i], grains.of_sphere[table.j], table.force)
    walls, between = simulation.body_contacts, simulation.body_pairs
    spheres = simulation.body_sphere_pairs
    assert between.j is not None and spheres.j is not None
    yield _Forces(grains.first_body + walls.i, None, walls.force)
    yield _Forces(grains.first_body + between.i, grains.first_body + between.j, between.force)
    yield _Forces(grains.first_body + spheres.i, grains.of_sphere[spheres.j], spheres.force)


# ---- rest ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Quiet:
    """The condition that `quiet` returns."""

    kinetic: float | None
    unbalanced: float | None

    def __call__(self, simulation: Simulation) -> bool:
        # the energies first, because they take less time
        return self._moves_little(simulation) and self._is_balanced(simulation)

    def _moves_little(self, simulation: Simulation) -> bool:
        if self.kinetic is None:
            return True
        return _moving(simulation) < self.kinetic * abs(simulation.energy.elastic)

    def _is_balanced(self, simulation: Simulation) -> bool:
        return self.unbalanced is None or unbalanced_force(simulation) < self.unbalanced

    def __repr__(self) -> str:
        return f"quiet(kinetic={self.kinetic}, unbalanced={self.unbalanced})"


def quiet(
    kinetic: float | None = 1e-6, unbalanced: float | None = 0.01
) -> Callable[[Simulation], bool]:
    """A condition that is true when grains have come to rest, for ``sim.run(..., until=quiet())``.

    Parameters
    ----------
    kinetic : float or None, default 1e-6
        The kinetic and rotational energy must be less than this part of the elastic energy. In a
        cell that deforms with the velocity gradient L about c, velocities v count as v - L (x - c).
        Rattlers, and spins that no contact can stop, do not count: see Notes. None: energies are
        not compared, for laws of your own that report no energy.
    unbalanced : float or None, default 0.01
        `Simulation.unbalanced_force` must be less than this. None: it is not computed.

    Returns
    -------
    callable
        It takes a simulation, and returns whether both hold: at the beginning of the last step. It
        returns False if nothing touches.

    Raises
    ------
    ValueError
        If a number is not positive, or both are None.
    TypeError
        If an argument is not a number.

    Notes
    -----
    A sphere on a plane may spin about the normal for ever, because friction at one point exerts no
    moment about it. So the spin of a single sphere does not count along an axis that all of its
    contact normals have in common, and not at all if it touches nothing.

    Without gravity and without `add_force`, grains that touch nothing may float for ever. So
    rattlers do not count there: grains without a bond and with fewer than two contacts that exert a
    force (Thornton 2000, docs/dem.md §15). No grain is in equilibrium with the force of one
    contact. If at least half of the grains that are not fixed have so few contacts, they are no
    packing but a gas, and all of them count. If there are no walls and no fixed grains either, the
    grains may drift together for ever: their mean velocity, weighted by mass, does not count.

    The elastic energy is negative where cohesion prevails; then its absolute value counts. A call
    takes the time of some steps, so give an interval: ``every=`` of `Simulation.run`.

    Examples
    --------
    >>> import abut
    >>> rubber = abut.Material(density=1000, young=1e6, poisson=0.4)
    >>> sim = abut.Simulation(step=1e-4)
    >>> sim.set_law(rubber, abut.Material(), abut.Hertz(friction=0.5, restitution=0.5))
    >>> wall = sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
    >>> _ = sim.add_spheres([[0, 0, 0.2]], 0.1, rubber)
    >>> sim.run(5.0, until=abut.quiet(), every=0.01)
    True
    >>> bool(sim.time < 2.0), bool(sim.unbalanced_force() < 0.01)
    (True, True)
    """
    if hasattr(kinetic, "step_count"):
        raise TypeError("quiet takes limits, not a simulation: give until=abut.quiet()")
    if kinetic is None and unbalanced is None:
        raise ValueError("kinetic and unbalanced are both None, so nothing would be compared")
    return _Quiet(
        None if kinetic is None else checks.positive(kinetic, "kinetic"),
        None if unbalanced is None else checks.positive(unbalanced, "unbalanced"),
    )


def _moving(simulation: Simulation) -> float:
    """The kinetic and rotational energy of the grains that count."""
    grains = grains_of(simulation)
    is_free = ~_of_grains(simulation, "fixed")
    counts = is_free if _is_driven(simulation) else is_free & ~_loose(simulation, grains, is_free)
    own = _own_velocities(simulation, grains, counts)
    energies = 0.5 * grains.masses * dots(own, own) + _spin_energies(simulation)
    return float(energies[counts].sum())


def _is_driven(simulation: Simulation) -> bool:
    """Whether grains that touch nothing have a weight, or other forces."""
    return bool(simulation.gravity.any() or simulation._forces or simulation._body_forces)


def _loose(simulation: Simulation, grains: Grains, is_free: _Mask) -> _Mask:
    """Rattlers: free grains with fewer than two contacts that bear a force, and without a bond.

    If half of the free grains have so few contacts they are no packing, and none is a rattler.
    """
    touching = np.concatenate([*contacts_of_grains(simulation, grains, walls=True)])
    few = is_free & (np.bincount(touching, minlength=len(is_free)) < 2)
    few[grains.of_sphere[np.concatenate([simulation.bonds.i, simulation.bonds.j])]] = False
    return few & (2 * few.sum() < is_free.sum())


def _own_velocities(simulation: Simulation, grains: Grains, counts: _Mask) -> Doubles:
    """Velocities relative to a cell that deforms, and to the drift of grains that nothing holds."""
    cell, own = cell_of(simulation), grains.velocities
    if cell["deforms"]:
        arms = grains.centers - cell["center_began"]
        own = own - matrix_product(arms, cell["gradient"].T)
    is_held = simulation.walls or _of_grains(simulation, "fixed").any()
    if is_held or _is_driven(simulation) or not counts.any():
        return own
    masses = grains.masses[counts]
    return own - (masses[:, None] * own[counts]).sum(axis=0) / masses.sum()


def _spin_energies(simulation: Simulation) -> Doubles:
    """The rotational energy of each grain, without spins that no contact resists."""
    spheres = simulation.spheres
    spins = spheres.angular_velocities
    free = _free_spins(simulation)
    rolling = dots(spins, spins) - dots(free, free)
    of_spheres = 0.2 * spheres.masses * spheres.radii * spheres.radii * np.maximum(rolling, 0.0)
    of_others = [
        0.5 * dots(others.angular_momenta, others.angular_velocities)
        for others in (simulation.clusters, simulation.bodies)
    ]
    return np.concatenate([of_spheres[spheres.cluster < 0], *of_others])


def _free_spins(simulation: Simulation) -> Doubles:
    """The parts of the spins of single spheres which no contact resists."""
    spheres, bonds = simulation.spheres, simulation.bonds
    products, counts = _normal_products(simulation)
    # 0 if all normals of a sphere are parallel: the second invariant of the sum of n n^T
    squares = (products * products).sum(axis=(1, 2))
    is_free = counts * counts - squares <= _PARALLEL * counts * counts
    is_free &= spheres.cluster < 0
    is_free[np.concatenate([bonds.i, bonds.j])] = False
    spins = spheres.angular_velocities
    along = (products * spins[:, None]).sum(axis=2) / np.maximum(counts, 1)[:, None]
    along[counts == 0] = spins[counts == 0]
    return np.where(is_free[:, None], along, 0.0)


def _normal_products(simulation: Simulation) -> tuple[Doubles, Doubles]:
    """The sum of n n^T over the contact normals of each sphere, (n, 3, 3), and their numbers."""
    walls, pairs, bodies = simulation.contacts, simulation.pairs, simulation.body_sphere_pairs
    assert bodies.j is not None
    rows = np.concatenate([walls.sphere, pairs.i, pairs.j, bodies.j])
    normals = np.concatenate([walls.normal, pairs.normal, pairs.normal, bodies.normal])
    size = len(simulation.ids)
    products = np.empty((size, 3, 3))
    for a, b in np.ndindex(3, 3):
        products[:, a, b] = np.bincount(rows, normals[:, a] * normals[:, b], size)
    return products, np.bincount(rows, minlength=size).astype(float)
