"""The bonds of a simulation: they come, are read, and break."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arrays import Indices
from ..results.bonds import Bonds, Breakages, bonds_of, breakages_of
from .body_part import BodyPart
from .bonds import Bond, bond_columns, read_partners, refusal
from .known import changes
from .schedule import times_of


class BondPart(BodyPart):
    """What a `Simulation` does with bonds."""

    @changes
    def bond(
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
        ids = self._settled().ids
        rows = read_partners(pairs, self._settled())
        strengths = (tensile_strength, shear_strength)
        radii = self._core.read("radii")
        stopped = self._core.add_bonds(bond_columns(bond, rows, ids, radii, strengths))
        if stopped is not None:
            status, row, first, second = stopped
            raise refusal(status, row, ids[first], ids[int(second)])

    @property
    def bonds(self) -> Bonds:
        return self._once("bonds", self._read_bonds)

    def _read_bonds(self) -> Bonds:
        return bonds_of(self._core.bonds(), self._core.read("images"), self._period)

    @property
    def breakages(self) -> Breakages:
        return self._once("breakages", self._read_breakages)

    def _read_breakages(self) -> Breakages:
        columns = self._core.breakages()
        return breakages_of(columns, times_of(self._known.beats, columns["step"]))

    def _check_bonds(self, rows: Indices, break_bonds: bool) -> None:
        """Complain of spheres that are to go, and have bonds."""
        if break_bonds or not self._core.bond_counts()[0]:
            return
        bonds, ids = self.bonds, self._settled().ids
        is_held = np.isin(bonds.i, rows) | np.isin(bonds.j, rows)
        if is_held.any():
            first = int(np.argmax(is_held))
            i, j = ids[bonds.i[first]], ids[bonds.j[first]]
            raise ValueError(
                f"spheres {i} and {j} have a bond: break_bonds=True lets it go with those that are"
                " removed"
            )
