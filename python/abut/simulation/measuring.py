"""Results of the last step: contacts, energies, and means over grains."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from .. import _core
from ..base.arrays import Doubles
from ..results.bonds import Breakages, breakages_of
from ..results.contacts import Contacts
from ..results.pairs import Pairs
from . import measures
from .body_contacts import BodyContacts, body_contacts
from .cell import period_then
from .column_input import table_columns
from .population import Part
from .quiet import unbalanced_force
from .schedule import times_of


class Energy(NamedTuple):
    """Energies at the beginning of the last step; docs/dem.md has their balance."""

    kinetic: float
    rotational: float
    gravitational: float
    elastic: float
    dissipated: float
    wall_work: float


class Measures(Part):
    """Results of the last step of a `Simulation`."""

    __slots__ = ()

    def contacts(self) -> Contacts:
        """Returns contacts of spheres with walls."""
        return self._sim._walls.contacts(self._sim.period)

    def pairs(self) -> Pairs:
        """Returns pairs of spheres."""
        settings = {
            "period": period_then(self._sim),
            "other_count": None,
            "_radii": self._sim.radii,
        }
        return Pairs._found(table_columns(self._core.interactions(_core.SPHERE_SPHERE)), settings)

    def of_bodies(self, kind: int) -> BodyContacts:
        """Returns contacts of bodies with walls, bodies or spheres."""
        sim = self._sim
        columns, count = self._core.interactions(kind), len(sim._settled().bodies)
        return body_contacts(columns, sim._walls.order, count, period_then(sim))

    def breakages(self) -> Breakages:
        """Returns the bonds that have broken."""
        columns = self._core.read(_core.BREAKAGES)
        return breakages_of(columns, times_of(self._sim._known.beats, columns["step"]))

    def stress(self, region: ArrayLike | None = None, *, kinetic: bool = False) -> Doubles:
        """The mean stress in a region at the beginning of the last step, positive in compression.

        Parameters
        ----------
        region : (2, 3) array_like, optional
            Lower and upper corner of a box. In a periodic world it may cross the border of the
            periodic box, but must not be longer than a period, or overlap its images in a tilted
            cell. By default the whole cell; then the world must repeat along three vectors.
        kinetic : bool, default False
            Whether to add the momentum flux: 1/V times the sum of m dv dv over grains with their
            center of mass in the region. Velocities dv are relative to the mean weighted by mass.

        Returns
        -------
        (3, 3) ndarray of float64
            Force per area. Entry [a, b] is the mean force along b with which the material on the
            lower side of a plane normal to axis a pushes the material on its upper side. With the
            volume V of the region it is 1/V times the sum of branch times force (Love and Weber)
            over all bonds and all contacts of grains with each other and with walls. A branch leads
            from a grain's center of mass to the contact point, and on to the other grain's center.
            Its part inside the region counts. Clusters and convex bodies are grains, too.

        Raises
        ------
        ValueError
            If the region is empty, longer than a period, or overlaps its images. If it is None and
            the world repeats along fewer than three vectors.
        TypeError
            If an argument is of another type.

        See Also
        --------
        Contacts.stress : Normal stress on the facets of a mesh.

        Notes
        -----
        If regions fill a larger one, the mean of their stresses, weighted by volume, is the stress
        of the larger one. This does not hold for the kinetic part, because mean velocities differ.
        For grains at rest between walls, the stress is that on the walls. It is symmetric if
        angular velocities are constant and walls exert no rolling moments. Forces of `add_force`
        are not included. docs/dem.md, section 15, has the sources.

        Examples
        --------
        Two grains that are pressed together along x, in the middle of a box:

        >>> import abut
        >>> grain = abut.Material(density=2500)
        >>> sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
        >>> sim.set_law(grain, grain, abut.Linear(1e5))
        >>> _ = sim.add_spheres([[-0.0099, 0, 0], [0.0099, 0, 0]], 0.01, grain)
        >>> sim.run(steps=1)
        >>> sim.pairs.force.round(6) + 0.0
        array([[-20.,   0.,   0.]])
        >>> sim.stress([[-0.02, -0.01, -0.01], [0.02, 0.01, 0.01]]).round(3) + 0.0
        array([[24750.,     0.,     0.],
               [    0.,     0.,     0.],
               [    0.,     0.,     0.]])
        """
        return measures.stress(
            self._sim, measures.read_region(region, period_then(self._sim)), kinetic
        )

    def coordination(
        self, region: ArrayLike | None = None, *, walls: bool = True, rattlers: bool = True
    ) -> float:
        """The coordination number: mean contacts per grain at the beginning of the last step.

        Parameters
        ----------
        region : (2, 3) array_like, optional
            Lower and upper corner of a box, as for `stress`: grains with their center of mass in it
            count. By default all grains of the simulation count.
        walls : bool, default True
            Whether contacts with walls count.
        rattlers : bool, default True
            Whether grains with fewer than two contacts count. Without them it is the mechanical
            coordination number, (2 C - N1) / (N - N0 - N1) for C contacts between N grains of
            which N0 have none and N1 have one (Thornton 2000).

        Returns
        -------
        float
            The mean number of contacts; nan if no grain counts.

        Raises
        ------
        ValueError, TypeError
            As for `stress`, but a region is never needed.

        Notes
        -----
        A contact is a row of `pairs`, `contacts`, `body_pairs`, `body_sphere_pairs` or
        `body_contacts` that exerts a force. A sphere in a corner may have two contacts with one
        wall, and two clusters several with each other. A contact of bodies counts once, whatever
        its number of spots. A bond counts as one contact, whatever its force. If its spheres touch,
        bond and contact together count as one.

        Examples
        --------
        Three grains in a row, and one that touches nothing:

        >>> import abut
        >>> grain = abut.Material(density=2500)
        >>> sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
        >>> sim.set_law(grain, grain, abut.Linear(1e5))
        >>> _ = sim.add_spheres([[0.0198 * k, 0, 0] for k in (0, 1, 2, 9)], 0.01, grain)
        >>> sim.run(steps=1)
        >>> sim.coordination(), sim.coordination(rattlers=False)
        (1.0, 2.0)
        """
        return measures.coordination(
            self._sim, measures.read_region(region, period_then(self._sim)), walls, rattlers
        )

    def unbalanced_force(self) -> float:
        """The mean resultant force on grains, divided by the mean contact force.

        It tends to 0 when grains come to rest, and is of order 1 when they collide. YADE's function
        ``unbalancedForce`` is the same measure.

        Returns
        -------
        float
            At the beginning of the last step: the mean length of the sum of forces and weight over
            all grains that are not fixed, divided by the mean length of the forces of contacts and
            bonds on these grains. Grains are single spheres, clusters and convex bodies. A contact
            counts once; contacts and bonds without a force do not count. NaN if none has a force,
            or all grains are fixed.

        See Also
        --------
        quiet : A condition for `run` that compares it with a limit.

        Notes
        -----
        The weight is that of the current `gravity`. In a cell that deforms, the acceleration
        L^2 (x - c) is not included. Forces of `add_force` are included.

        Examples
        --------
        A ball that a floor bears, and one that falls onto it:

        >>> import abut
        >>> grain = abut.Material(density=2500)
        >>> sim = abut.Simulation(step=1e-5)
        >>> sim.set_law(grain, abut.Material(), abut.Linear(1e4))
        >>> wall = sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
        >>> overlap = 9.81 * 2500 * 4 / 3 * 3.141592653589793 * 0.01**3 / 1e4
        >>> _ = sim.add_spheres([[0, 0, 0.01 - overlap], [0.1, 0, 0.02]], 0.01, grain)
        >>> sim.run(steps=1)
        >>> round(sim.unbalanced_force(), 6)
        0.5
        """
        return unbalanced_force(self._sim)
