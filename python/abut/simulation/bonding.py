"""The bonds of a simulation: they come, are read, and go."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..results.bonds import Bonds, bonds_of
from ..results.pairs import Pairs
from .bonds import Bond, bond_columns, read_partners, refusal
from .columns import AssignedColumn
from .known import changes
from .population import Population


class BondPopulation(Population):
    """The bonds of a `Simulation`: a table `Bonds` of this moment, which knows where it is from.

    Its attributes and methods are those of the table. Strengths and damping can be assigned.
    """

    __slots__ = ()

    noun, nouns, kind = "bond", "bonds", _core.BONDS
    moves = False
    damping = AssignedColumn[np.float64]()
    tensile_strength = AssignedColumn[np.float64]()
    shear_strength = AssignedColumn[np.float64]()

    @property
    def table(self) -> Bonds:
        """What there is now, and what it exerted at the beginning of the last step."""
        sim = self._sim
        return self._once(
            "table", lambda: bonds_of(self._core.read(self.kind), sim.images, sim.period)
        )

    @property
    def numbers(self) -> Indices:
        """Rows of the table: those of bonds do not last."""
        return np.arange(len(self))

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """Whether both spheres are held; it follows from these."""
        held = self._sim.fixed
        return held[self.table.i] & held[self.table.j]

    @property
    def contacts(self) -> Pairs:
        """The pairs of bonded spheres that touched at the beginning of the last step."""
        pairs, count = self._sim.pairs, len(self._sim.ids)
        bonded = self.table.i * count + self.table.j
        return pairs[np.isin(pairs.i * count + pairs.j, bonded)]

    @changes
    def add(
        self,
        pairs: Any,
        bond: Bond,
        tensile_strength: ArrayLike | None = None,
        shear_strength: ArrayLike | None = None,
    ) -> None:
        """Bond spheres, from where they are now.

        Parameters
        ----------
        pairs : (k, 2) array_like of int, or Pairs
            Ids of the spheres, as `add_spheres` returned them; or a table of pairs, such as
            `pairs`, or what `find_pairs` finds of spheres that do not touch, with a gap: its rows
            count spheres in the order of `ids`. Spheres need not touch. In a world with a period
            each is bonded to the nearest image of the other.
        bond : Bond
            Its radius is a part of the smaller sphere's.
        tensile_strength, shear_strength : (k,) array_like or float, optional
            Instead of those of `bond`, such as drawn from a distribution.

        Raises
        ------
        ValueError
            If there is no such sphere, or two of a pair are the same, are bonded already, are
            members of one cluster, or lie so that the center of one is inside of the other; or a
            strength is negative, or the stiffness of a bond is 0 or infinite. Then nothing is
            bonded.
        TypeError
            If an argument is of another type.

        Notes
        -----
        Bonds and forces are listed in `bonds`, those that have broken in `breakages`. `stable_step`
        counts bonds in. Pairs of bonded spheres that touch stay in `pairs`, with a force of 0
        unless ``bond.contact``. Spheres that are removed need ``break_bonds=True``.

        Examples
        --------
        A chain of five, whose bonds break at different loads:

        >>> import abut
        >>> sim = abut.Simulation(step=2e-5, gravity=(0, 0, 0))
        >>> glass = abut.Material(density=2500, young=1e7)
        >>> ids = sim.add_spheres([[0.02 * k, 0, 0] for k in range(5)], 0.01, glass)
        >>> strengths = [4e4, 1e4, 3e4, 2e4]
        >>> sim.bond([[a, a + 1] for a in ids[:-1]], abut.Bond(young=1e6), strengths)
        >>> sim.velocities = [[k, 0, 0] for k in range(5)]
        >>> sim.run(0.001)
        >>> sim.breakages.i, sim.breakages.cause[0], len(sim.bonds)
        (array([1, 3, 2]), np.str_('tension'), 1)
        """
        if not isinstance(bond, Bond):
            kind = checks.a_or_an(type(bond).__name__)
            raise TypeError(f"bond is {kind}, but must be a Bond")
        ids = self._sim._settled().ids
        rows = read_partners(pairs, self._sim._settled())
        strengths = (tensile_strength, shear_strength)
        columns = bond_columns(bond, rows, ids, self._sim.radii, strengths)
        stopped = self._core.add(self.kind, columns, {}, self._sim._known)
        if stopped is not None:
            status, row, first, second = stopped
            raise refusal(status, row, ids[first], ids[int(second)])

    @changes
    def remove(self, rows: ArrayLike) -> None:
        """Take bonds away, which are no `breakages`.

        Parameters
        ----------
        rows : (k,) array_like of int
            Of the table.

        Raises
        ------
        ValueError, TypeError
            If there is no such row, or they are no integers.

        Notes
        -----
        What they stored counts as dissipated. Spheres that overlapped when they were bonded touch
        as after a breakage: what they overlapped then does not count until they have parted.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> ids = sim.add_spheres([[k, 0, 0] for k in range(3)], 0.5, abut.Material(2500))
        >>> sim.bonds.add([[0, 1], [1, 2]], abut.Bond(young=1e7))
        >>> sim.bonds.remove([0])
        >>> sim.bonds.i
        array([1])
        """
        marks = self._marks(self._find(rows, "rows"))
        self._core.remove(self.kind, marks, self._sim._known)

    def _spread(self, forces: Doubles, torques: Doubles) -> tuple[Doubles, Doubles]:
        """On i; the opposite on j."""
        both, of = np.zeros((2, len(self._sim.ids), 3)), self.table
        for pushes, given in zip(both, (forces, torques), strict=True):
            np.add.at(pushes, of.i, given)
            np.add.at(pushes, of.j, -given)
        return both[0], both[1]

    def _check_free(self, rows: Indices, break_bonds: bool) -> None:
        """Complain of spheres that are to go, and have bonds."""
        if break_bonds or not len(self):
            return
        bonds, ids = self.table, self._sim._settled().ids
        is_held = np.isin(bonds.i, rows) | np.isin(bonds.j, rows)
        if is_held.any():
            first = int(np.argmax(is_held))
            i, j = ids[bonds.i[first]], ids[bonds.j[first]]
            raise ValueError(
                f"spheres {i} and {j} have a bond: break_bonds=True lets it go with those that are"
                " removed"
            )

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """All columns of the table by their names."""
        return self.table.to_dict()

    def __len__(self) -> int:
        count: int = self._core.counts()[4]
        return count

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def __repr__(self) -> str:
        return repr(self.table)
