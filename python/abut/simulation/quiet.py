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
from .measures import Grains, grains_of

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
        energy = simulation.energy
        rotational = max(0.0, energy.rotational - _free_spin_energy(simulation))
        moving = _kinetic(simulation, energy.kinetic) + rotational
        return moving < self.kinetic * abs(energy.elastic)

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
        Spins that no contact can stop do not count: see Notes. None: energies are not compared,
        for laws of your own that report no energy.
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

    The velocities of grains that touch nothing do count. Without gravity they may float for ever,
    so that `kinetic` is never reached: pass ``kinetic=None``.

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


def _kinetic(simulation: Simulation, kinetic: float) -> float:
    """The kinetic energy; in a cell that deforms, that of velocities relative to the cell."""
    cell = cell_of(simulation)
    if not cell["deforms"]:
        return kinetic
    grains = grains_of(simulation)
    arms = grains.centers - cell["center_began"]
    own = grains.velocities - matrix_product(arms, cell["gradient"].T)
    return float(0.5 * (grains.masses[:, None] * own * own).sum())


def _free_spin_energy(simulation: Simulation) -> float:
    """The energy of spins of single spheres which no contact resists."""
    spheres, bonds = simulation.spheres, simulation.bonds
    products, counts = _normal_products(simulation)
    # 0 if all normals of a sphere are parallel: the second invariant of the sum of n n^T
    squares = (products * products).sum(axis=(1, 2))
    is_free = counts * counts - squares <= _PARALLEL * counts * counts
    is_free &= spheres.cluster < 0
    is_free[np.concatenate([bonds.i, bonds.j])] = False
    spins, counts = spheres.angular_velocities[is_free], counts[is_free]
    along = (products[is_free] * spins[:, None]).sum(axis=2) / np.maximum(counts, 1)[:, None]
    along[counts == 0] = spins[counts == 0]
    masses, radii = spheres.masses[is_free], spheres.radii[is_free]
    return float((0.2 * masses * radii * radii * dots(along, along)).sum())


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
