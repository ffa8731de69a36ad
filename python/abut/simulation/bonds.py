"""Bonds: beams between two spheres, which hold them until they break.

docs/dem.md, section 7, has the equations. A bond holds constants alone; the library evaluates it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Columns, Doubles, Indices
from ..base.extras import import_extra
from ..base.poses import Period, lengths_of
from ..base.values import Value
from ..results.pairs import Pairs
from .bodies import Numbers, find, locked, read_points
from .materials import POISSON_BOUNDS

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Bond(Value):
    """A round beam that holds two spheres from center to center, until it breaks.

    It resists being stretched, sheared, bent and twisted, as a Timoshenko beam does as far as
    angles are small, from how its spheres lie and are turned when they are bonded; there it exerts
    nothing.

    Parameters
    ----------
    young : float
        Young's modulus of the beam, a pressure.
    poisson : float, default 0.2
        Poisson's ratio of the beam, above -1 and below 0.5.
    radius : float, default 1
        Of the beam, as a part of the smaller sphere's.
    tensile_strength, shear_strength : float, default infinite
        Pressures, 0 or positive. A bond breaks where its largest tensile stress, by the force along
        it and by bending, or its largest shear stress, by the force across it and by twisting,
        comes up to its strength. By default it never breaks.
    damping : float, default 0
        Part of the critical damping of each of the four ways to move, 0 or positive.
    contact : bool, default False
        Whether the law of both materials acts beside the bond. By default it does not, as long as
        the bond holds; then of the spheres' overlap does not count what there was when they were
        bonded, until they have parted.

    Raises
    ------
    ValueError
        If a number is out of its range, or not finite where it must be.
    TypeError
        If one is no real number.

    Notes
    -----
    Bonds are between spheres, also such as are members of different clusters: these turn as their
    clusters do, and masses are those of clusters. There is none between two members of one cluster,
    and convex bodies have none.

    Stress is that of springs alone, without damping.

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
        poisson = checks.number(self.poisson, "poisson")
        low, high = POISSON_BOUNDS
        if not low < poisson < high:
            raise ValueError(f"poisson is {poisson}, but must be above {low} and below {high}")
        if not isinstance(self.contact, bool | np.bool_):
            kind = checks.a_or_an(type(self.contact).__name__)
            raise TypeError(f"contact is {kind}, but must be True or False")
        self._settle(
            young=checks.positive(self.young, "young"),
            poisson=poisson,
            radius=checks.positive(self.radius, "radius"),
            tensile_strength=_read_strength(self.tensile_strength, "tensile_strength"),
            shear_strength=_read_strength(self.shear_strength, "shear_strength"),
            damping=checks.not_negative(self.damping, "damping"),
            contact=bool(self.contact),
        )


def _read_strength(value: object, name: str) -> float:
    strength = checks.number(value, name)
    if not strength >= 0.0:
        raise ValueError(f"{name} is {strength}, but must be 0 or positive")
    return strength


# ---- tables --------------------------------------------------------------------------------------


class _Rows:
    """Columns with an entry for each row, of frozen dataclasses."""

    def __len__(self) -> int:
        return len(self.to_dict()["energy"])

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """All columns by their names."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}

    def to_pandas(self) -> DataFrame:
        """A table of pandas, with a column for each part of a vector: force_x and so on."""
        pandas = import_extra("pandas", "to_pandas")
        columns: dict[str, NDArray[Any]] = {}
        for name, column in self.to_dict().items():
            if column.ndim == 1:
                columns[name] = column
            else:
                columns |= {f"{name}_{axis}": column[:, k] for k, axis in enumerate("xyz")}
        return pandas.DataFrame(columns)


@dataclass(frozen=True, eq=False, repr=False)
class Bonds(_Rows):
    """The bonds of a `Simulation`, at the beginning of the last step; arrays are read-only.

    Attributes
    ----------
    i, j : (m,) ndarray of intp
        Rows of the spheres, in the order of the simulation's `ids`; i < j. Bonds are sorted by i,
        then j.
    force : (m, 3) ndarray of float64
        What each exerts on i; on j the opposite acts.
    moment, moment_j : (m, 3) ndarray of float64
        On i, and on j, about their centers.
    energy : (m,) ndarray of float64
        What each stores.
    tension, shear : (m,) ndarray of float64
        Tensile and shear stress, as parts of the strength: a bond breaks at 1. Compression is a
        tension of 0.
    length, radius : (m,) ndarray of float64
        Of the beam, without force.
    young, poisson, tensile_strength, shear_strength, damping : (m,) ndarray of float64
        As of `Bond`.
    contact : (m,) ndarray of bool
    image : (m, 3) ndarray of intp
        At which image of j, now: ``centers[j] + image * period`` is the bond's end.
    period : tuple of 3 (float or None), or None
        That of the simulation.

    Examples
    --------
    >>> import abut
    >>> glue = abut.Bond(young=1e7, tensile_strength=1e6)
    >>> sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    >>> _ = sim.add_spheres([[0, 0, 0], [0.02, 0, 0]], 0.01, abut.Material(density=2500))
    >>> sim.bond([[0, 1]], glue)
    >>> sim.centers = [[0, 0, 0], [0.0201, 0, 0]]
    >>> sim.run(steps=1)
    >>> sim.bonds
    Bonds(1 bond; tension up to 0.05, shear up to 0)
    >>> sim.bonds.force.round(3)
    array([[15.708,  0.   ,  0.   ]])
    """

    i: Indices
    j: Indices
    force: Doubles
    moment: Doubles
    moment_j: Doubles
    energy: Doubles
    tension: Doubles
    shear: Doubles
    length: Doubles
    radius: Doubles
    young: Doubles
    poisson: Doubles
    tensile_strength: Doubles
    shear_strength: Doubles
    damping: Doubles
    contact: NDArray[np.bool_]
    image: Indices
    period: Period | None

    def lines(self, centers: ArrayLike) -> Doubles:
        """Both ends of each bond, from i to the image of j, (m, 2, 3).

        Parameters
        ----------
        centers : (n, 3) array_like
            Of the spheres now, ``sim.centers``.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5, period=(1, None, None))
        >>> _ = sim.add_spheres([[0.01, 0, 0], [0.99, 0, 0]], 0.01, abut.Material(density=2500))
        >>> sim.bond([[0, 1]], abut.Bond(young=1e7))
        >>> (sim.bonds.lines(sim.centers)[0, :, 0].round(6) + 0.0).tolist()
        [0.01, -0.01]
        """
        places = read_points(centers, "centers")
        count = int(max(self.j.max(initial=-1), self.i.max(initial=-1))) + 1
        if len(places) < count:
            raise ValueError(f"centers has {len(places)} rows, but bonds are of {count} spheres")
        end = places[self.j] + self.image * lengths_of(self.period)
        lines: Doubles = np.stack([places[self.i], end], axis=1)
        return lines

    def plot(
        self,
        centers: ArrayLike,
        values: str | ArrayLike | None = None,
        ax: Any = None,
        *,
        width: float | None = None,
        cmap: Any = "viridis",
        limits: tuple[float, float] | None = None,
        label: str | None = "",
    ) -> Any:
        """Draw the bonds as tubes, in space by pyvista (extra ``view``).

        Parameters
        ----------
        centers : (n, 3) array_like
            Of the spheres now, ``sim.centers``.
        values : str or (m,) array_like, optional
            By which tubes are colored, and how thick they are: a column, by default ``"tension"``.
        ax : pyvista.Plotter, optional
        width : float, optional
            Of the thickest; by default a fifth of the bonds' median length.
        cmap, limits, label
            As of `Pairs.plot`.

        Returns
        -------
        pyvista.Plotter

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> _ = sim.add_spheres([[0, 0, 0], [0.02, 0, 0]], 0.01, abut.Material(density=2500))
        >>> sim.bond([[0, 1]], abut.Bond(young=1e7))
        >>> sim.bonds.plot(sim.centers).show()  # doctest: +SKIP
        """
        from ..plot.pairs import plot_bonds

        return plot_bonds(
            self, centers, values, ax, width=width, cmap=cmap, limits=limits, label=label
        )

    def __repr__(self) -> str:
        most = [float(part.max(initial=0.0)) for part in (self.tension, self.shear)]
        return (
            f"Bonds({checks.counted(len(self), 'bond')}; tension up to {most[0]:.3g}, shear up to"
            f" {most[1]:.3g})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Breakages(_Rows):
    """The bonds of a `Simulation` that have broken, in their order; arrays are read-only.

    Those of one step are sorted as the bonds were.

    Attributes
    ----------
    time : (m,) ndarray of float64
        Of the beginning of the step in which each broke; it exerted nothing in that step.
    i, j : (m,) ndarray of intp
        Ids of the spheres, which last: some may be gone since.
    point : (m, 3) ndarray of float64
        Midway between both centers.
    cause : (m,) ndarray of str
        ``"tension"`` or ``"shear"``: of both the stress that was the larger part of its strength.
    energy : (m,) ndarray of float64
        What each stored: it is dissipated.

    Examples
    --------
    >>> import abut
    >>> sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    >>> _ = sim.add_spheres([[0, 0, 0], [0.02, 0, 0]], 0.01, abut.Material(density=2500))
    >>> sim.bond([[0, 1]], abut.Bond(young=1e7, tensile_strength=1e6))
    >>> sim.centers = [[0, 0, 0], [0.0225, 0, 0]]
    >>> sim.run(steps=1)
    >>> sim.breakages, len(sim.bonds)
    (Breakages(1 broken: 1 by tension, 0 by shear), 0)
    """

    time: Doubles
    i: Indices
    j: Indices
    point: Doubles
    cause: NDArray[np.str_]
    energy: Doubles

    def __repr__(self) -> str:
        pulled = int(np.count_nonzero(self.cause == "tension"))
        return f"Breakages({len(self)} broken: {pulled} by tension, {len(self) - pulled} by shear)"


def bonds_of(columns: Columns, images: Indices, period: Period | None) -> Bonds:
    """The table of what the library returned; `images`: of the spheres."""
    own = {field.name: columns[field.name] for field in fields(Bonds) if field.name in columns}
    moments = columns["moments"]
    own |= {"moment": locked(moments[:, :3]), "moment_j": locked(moments[:, 3:])}
    own["contact"] = locked(columns["contact"] != 0)
    image = columns["shift"] + images[columns["j"]] - images[columns["i"]]
    return Bonds(**own, image=locked(image), period=period)


def breakages_of(columns: Columns, step: float) -> Breakages:
    causes = np.array(["tension", "shear"])[columns["of_shear"]]
    return Breakages(
        locked(columns["step"] * step),
        locked(columns["ids"][:, 0]),
        locked(columns["ids"][:, 1]),
        columns["point"],
        locked(causes),
        columns["energy"],
    )


# ---- arguments -----------------------------------------------------------------------------------


def read_partners(pairs: Any, numbers: Numbers) -> tuple[Indices, Indices]:
    """The rows of both spheres of each bond."""
    if isinstance(pairs, Pairs):
        rows = np.stack([pairs.i, pairs.j], axis=1)
        if len(rows) and int(rows.max()) >= len(numbers.ids):
            raise ValueError(
                f"pairs has sphere {int(rows.max())}, but there are {len(numbers.ids)}: its rows"
                " count spheres in the order of sim.ids"
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
    """One for each bond, or one for all."""
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
    """New bonds, as the library takes them."""
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


# why two spheres cannot be bonded
_REFUSALS = {
    _core.BOND_ITSELF: "pairs[{row}] is sphere {i} and itself",
    _core.BOND_TWICE: "pairs[{row}]: spheres {i} and {j} are bonded already",
    _core.BOND_IN_CLUSTER: (
        "pairs[{row}]: spheres {i} and {j} are members of one cluster, which is rigid"
    ),
    _core.BOND_TOO_SHORT: (
        "pairs[{row}]: the center of one of spheres {i} and {j} lies inside of the other: there is"
        " no beam between them"
    ),
}


def refusal(status: int, row: int, i: int, j: int) -> ValueError:
    return ValueError(_REFUSALS[status].format(row=row, i=i, j=j))
