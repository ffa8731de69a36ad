"""The bonds of a simulation: how they are added, read and removed."""

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
from .population import Population
from .python_side import changes


class BondPopulation(Population):
    """The bonds of a `Simulation`: a table `Bonds` of the current state.

    It has all attributes and methods of this table. Strengths and damping can be assigned.
    """

    __slots__ = ()

    noun, nouns, kind = "bond", "bonds", _core.BONDS
    moves = False
    damping = AssignedColumn[np.float64]()
    tensile_strength = AssignedColumn[np.float64]()
    shear_strength = AssignedColumn[np.float64]()

    @property
    def table(self) -> Bonds:
        """The current bonds, with their forces at the beginning of the last step."""
        sim = self._sim
        return self._once(
            "table", lambda: bonds_of(self._core.read(self.kind), sim.images, sim.period)
        )

    @property
    def numbers(self) -> Indices:
        """The bonds' row numbers in the table. They change when bonds break or are removed."""
        return np.arange(len(self))

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """Whether both spheres of a bond are fixed."""
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
        """Bond spheres at their current positions.

        Parameters
        ----------
        pairs : (k, 2) array_like of int, or Pairs
            Ids of the spheres, as `add_spheres` returned them. Or a table of pairs, in which i and
            j are places in `ids`. Spheres need not touch: `Simulation.pairs` lists touching
            spheres, and `find_pairs` with a gap also finds close ones. With a period, each sphere
            is bonded to the nearest image of the other.
        bond : Bond
            Its radius is a fraction of the smaller sphere's radius.
        tensile_strength, shear_strength : (k,) array_like or float, optional
            Bond strengths in place of those of `bond`, for example drawn from a distribution.

        Raises
        ------
        ValueError
            If a sphere does not exist; if two spheres of a pair are the same, are bonded already,
            are members of one cluster, or overlap so far that one contains the other's center; if a
            strength is negative; or if the stiffness of a bond is 0 or infinite. No sphere is
            bonded then.
        TypeError
            If an argument is of another type.

        Notes
        -----
        `bonds` lists the bonds and their forces; `breakages` lists broken bonds. `stable_step`
        takes bonds into account. Bonded spheres that touch are in `pairs`, with a force of 0 unless
        ``bond.contact``. Removing bonded spheres needs ``break_bonds=True``.

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
        """Remove bonds. They do not count as `breakages`.

        Parameters
        ----------
        rows : (k,) array_like of int
            Row numbers of the bonds' table.

        Raises
        ------
        ValueError, TypeError
            If a row does not exist, or is not an integer.

        Notes
        -----
        The elastic energy of a removed bond counts as dissipated. An overlap that the spheres had
        when they were bonded exerts no force until they have separated, as after a breakage.

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
        """Forces and torques on all spheres: those of a bond on its i, the opposites on its j."""
        both, table = np.zeros((2, len(self._sim.ids), 3)), self.table
        for pushes, given in zip(both, (forces, torques), strict=True):
            np.add.at(pushes, table.i, given)
            np.add.at(pushes, table.j, -given)
        return both[0], both[1]

    def _check_free(self, rows: Indices, break_bonds: bool) -> None:
        """Raise a ValueError if a sphere of `rows` has a bond, unless bonds may be removed."""
        if break_bonds or not len(self):
            return
        bonds, ids = self.table, self._sim._settled().ids
        is_bonded = np.isin(bonds.i, rows) | np.isin(bonds.j, rows)
        if is_bonded.any():
            first = int(np.argmax(is_bonded))
            i, j = ids[bonds.i[first]], ids[bonds.j[first]]
            raise ValueError(
                f"spheres {i} and {j} are bonded: break_bonds=True removes the bond with the sphere"
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
