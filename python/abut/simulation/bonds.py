"""Bonds: beams that connect two spheres until they break.

docs/dem.md, section 12, has the equations. A `Bond` holds parameters only; the C library computes
the forces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks
from ..base.arrays import Columns, Doubles, Indices
from ..base.values import Value
from ..laws.materials import read_poisson
from ..results.pairs import Pairs
from .column_input import Numbers, find


@dataclass(frozen=True)
class Bond(Value):
    """A round beam that connects the centers of two spheres until it breaks.

    It resists stretching, shear, bending and twisting as a Timoshenko beam does, for small angles.
    Its force is zero at the positions and orientations at which the spheres were bonded.

    Parameters
    ----------
    young : float
        Young's modulus of the beam, a pressure; 1e-75 to 1e75.
    poisson : float, default 0.2
        Poisson's ratio of the beam, above -1 and at most 0.5.
    radius : float, default 1
        Radius of the beam as a fraction of the smaller sphere's radius, 1e-75 to 1e75.
    tensile_strength, shear_strength : float, default infinite
        Bond strengths: pressures, 0 or positive. A bond breaks when its largest tensile stress, of
        axial force and bending, or its largest shear stress, of shear force and twisting, reaches
        the strength. By default it never breaks.
    damping : float, default 0
        Fraction of critical damping of stretching, shear, bending and twisting, 0 to 1e75.
    contact : bool, default False
        Whether the contact law of the two materials acts as well as the bond. By default the law
        acts only after the bond has broken, as in a new contact. The overlap that the spheres had
        when they were bonded does not count until they have separated.

    Raises
    ------
    ValueError
        If a number is out of its range.
    TypeError
        If an argument is not a real number.

    Notes
    -----
    Spheres of different clusters can be bonded. They turn with their clusters, and the bond uses
    the mass and the smallest moment of inertia of the clusters.
    Two members of one cluster cannot be bonded, nor can convex bodies.

    The stresses follow from the elastic forces and moments, without damping.

    Examples
    --------
    >>> import abut
    >>> abut.Bond(young=1e9, radius=0.8, tensile_strength=1e6, shear_strength=5e5)
    Bond(young=1000000000.0, poisson=0.2, radius=0.8, tensile_strength=1000000.0, \
shear_strength=500000.0, damping=0.0, contact=False)
    """

    young: float
    poisson: float = 0.2
    radius: float = 1.0
    tensile_strength: float = math.inf
    shear_strength: float = math.inf
    damping: float = 0.0
    contact: bool = False

    def __post_init__(self) -> None:
        poisson = read_poisson(self.poisson)
        if not isinstance(self.contact, bool | np.bool_):
            kind = checks.a_or_an(type(self.contact).__name__)
            raise TypeError(f"contact is {kind}, but must be True or False")
        self._settle(
            young=_read_size(self.young, "young", 1e-75),
            poisson=poisson,
            radius=_read_size(self.radius, "radius", 1e-75),
            tensile_strength=_read_strength(self.tensile_strength, "tensile_strength"),
            shear_strength=_read_strength(self.shear_strength, "shear_strength"),
            damping=_read_size(self.damping, "damping", 0.0),
            contact=bool(self.contact),
        )


def _read_size(value: object, name: str, least: float) -> float:
    """Read a number; a ValueError if it is below `least` or above 1e75, the library's limits."""
    size = checks.number(value, name)
    if not least <= size <= 1e75:
        raise ValueError(f"{name} is {size}, but must be {least:g} to 1e75")
    return size


def _read_strength(value: object, name: str) -> float:
    strength = checks.number(value, name)
    if not strength >= 0.0:
        raise ValueError(f"{name} is {strength}, but must be 0 or positive")
    return strength


# ---- arguments -----------------------------------------------------------------------------------


def read_partners(pairs: Any, numbers: Numbers) -> tuple[Indices, Indices]:
    """The row numbers of the spheres i, and those of the spheres j, of new bonds."""
    if isinstance(pairs, Pairs):
        rows = np.stack([pairs.i, pairs.j], axis=1)
        if len(rows) and int(rows.max()) >= len(numbers.ids):
            raise ValueError(
                f"pairs has sphere {int(rows.max())}, but there are {len(numbers.ids)} spheres:"
                " find pairs of sim.centers, in this order"
            )
        return rows[:, 0].copy(), rows[:, 1].copy()
    ids = np.asarray(checks.as_array(pairs, "pairs"))
    if ids.size == 0:
        ids = np.empty((0, 2), np.intp)
    if ids.ndim != 2 or ids.shape[1] != 2:
        raise ValueError(f"pairs has shape {ids.shape}, but must be (k, 2), or a table Pairs")
    rows = find(numbers.ids, ids.reshape(-1), "sphere", "pairs", "sim.ids").reshape(-1, 2)
    return rows[:, 0].copy(), rows[:, 1].copy()


def _read_strengths(value: ArrayLike | None, usual: float, name: str, count: int) -> Doubles:
    """Read bond strengths: an array with a strength for each bond, or one number for all bonds."""
    array = checks.doubles(usual if value is None else value, name)
    if array.shape not in ((), (count,)):
        raise ValueError(f"{name} has shape {array.shape}, but must be ({count},)")
    wrong = np.flatnonzero(~(np.atleast_1d(array) >= 0.0))
    if len(wrong):
        named = f"{name}[{wrong[0]}]" if array.ndim else name
        raise ValueError(f"{named} is {np.atleast_1d(array)[wrong[0]]}, but must be 0 or positive")
    return np.array(np.broadcast_to(array, (count,)), order="C")


def bond_columns(
    bond: Bond,
    rows: tuple[Indices, Indices],
    ids: Indices,
    radii: Doubles,
    strengths: tuple[ArrayLike | None, ArrayLike | None],
) -> Columns:
    """Columns of new bonds, in the form that the library takes."""
    i, j = rows
    count = len(i)
    tensile = _read_strengths(strengths[0], bond.tensile_strength, "tensile_strength", count)
    shear = _read_strengths(strengths[1], bond.shear_strength, "shear_strength", count)
    return {
        "i": i,
        "j": j,
        "ids": np.stack([ids[i], ids[j]], axis=1),
        "young": np.full(count, bond.young),
        "poisson": np.full(count, bond.poisson),
        "radius": bond.radius * np.minimum(radii[i], radii[j]),
        "damping": np.full(count, bond.damping),
        "tensile_strength": tensile,
        "shear_strength": shear,
        "contact": np.full(count, bond.contact, np.intp),
    }


# error texts for the statuses with which the library refuses to bond two spheres
_REFUSALS = {
    _core.BOND_ITSELF: "pairs[{row}] bonds sphere {i} to itself",
    _core.BOND_TWICE: "pairs[{row}]: spheres {i} and {j} are bonded already",
    _core.BOND_IN_CLUSTER: (
        "pairs[{row}]: spheres {i} and {j} are members of one cluster, which is rigid"
    ),
    _core.BOND_TOO_SHORT: (
        "pairs[{row}]: spheres {i} and {j} overlap so far that one contains the other's center:"
        " move them apart"
    ),
    _core.BOND_STIFFNESS: (
        "pairs[{row}]: the stiffness of the bond of spheres {i} and {j} is 0 or infinite: check"
        " the units of young and of the radii"
    ),
}


def refusal(status: int, row: int, i: int, j: int) -> ValueError:
    return ValueError(_REFUSALS[status].format(row=row, i=i, j=j))
