"""Tables of bonds in a simulation, and of its broken bonds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arrays import Columns, Doubles, Indices, locked
from ..base.extras import import_extra
from ..base.periods import Period, shifts_of
from .table import flattened

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..options import View


class _Rows:
    """The base of both tables, which are frozen dataclasses of columns."""

    def __len__(self) -> int:
        return len(self.to_dict()["energy"])

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return all columns by their names."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}

    def to_pandas(self) -> DataFrame:
        """Return a pandas DataFrame, with a column for each component of vectors: force_x etc."""
        return import_extra("pandas", "io").DataFrame(flattened(self.to_dict()))


@dataclass(frozen=True, eq=False, repr=False)
class Bonds(_Rows):
    """The bonds of a `Simulation`, at the beginning of the last step; arrays are read-only.

    Attributes
    ----------
    i, j : (m,) ndarray of intp
        Rows of the spheres, in the order of the simulation's `ids`; i < j. Bonds are sorted by i,
        then j.
    force : (m, 3) ndarray of float64
        Force of the bond on i; the opposite acts on j.
    moment, moment_j : (m, 3) ndarray of float64
        Moments on i and on j, about their centers.
    energy : (m,) ndarray of float64
        Elastic energy of the bond.
    tension, shear : (m,) ndarray of float64
        Tensile and shear stress as parts of the strengths: a bond breaks at 1. In compression the
        tension is 0.
    length, radius : (m,) ndarray of float64
        Length and radius of the beam without force.
    young, poisson, tensile_strength, shear_strength, damping : (m,) ndarray of float64
        As for `Bond`.
    contact : (m,) ndarray of bool
        As for `Bond`.
    image : (m, 3) ndarray of intp
        The current image of j: the bond ends at ``centers[j] + image * period``, or
        ``centers[j] + image @ period`` for a period with vectors.
    period : tuple of 3 (float or None), (3, 3) ndarray, or None
        Period of the simulation: lengths, or vectors as rows.

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
        """Return both ends of each bond, from i to the image of j, (m, 2, 3).

        Parameters
        ----------
        centers : (n, 3) array_like
            Current centers of the spheres, ``sim.centers``.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5, period=(1, None, None))
        >>> _ = sim.add_spheres([[0.01, 0, 0], [0.99, 0, 0]], 0.01, abut.Material(density=2500))
        >>> sim.bond([[0, 1]], abut.Bond(young=1e7))
        >>> (sim.bonds.lines(sim.centers)[0, :, 0].round(6) + 0.0).tolist()
        [0.01, -0.01]
        """
        places = checks.points(checks.doubles(centers, "centers"), "centers")
        count = int(max(self.j.max(initial=-1), self.i.max(initial=-1))) + 1
        if len(places) < count:
            raise ValueError(f"centers has {len(places)} rows, but bonds have {count} spheres")
        end = places[self.j] + shifts_of(self.image, self.period)
        lines: Doubles = np.stack([places[self.i], end], axis=1)
        return lines

    def plot(
        self,
        centers: ArrayLike,
        values: str | ArrayLike | None = None,
        ax: Any = None,
        *,
        width: float | None = None,
        cell: bool = True,
        cmap: Any = "viridis",
        limits: tuple[float, float] | None = None,
        label: str | None = "",
        view: View | None = None,
    ) -> Any:
        """Draw the bonds as tubes in space, with pyvista (extra ``view``).

        Parameters
        ----------
        centers : (n, 3) array_like
            Current centers of the spheres, ``sim.centers``.
        values : str or (m,) array_like, optional
            Values for the tubes' colors and widths, or a column; by default ``"tension"``.
        ax : pyvista.Plotter, optional
        width : float, optional
            Width of the thickest tube; by default a fifth of the bonds' median length.
        cell : bool, default True
            Whether to draw the edges of the periodic cell.
        cmap, limits, label, view
            As for `Pairs.plot`.

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
            self,
            centers,
            values,
            ax,
            width=width,
            cell=cell,
            cmap=cmap,
            limits=limits,
            label=label,
            view=view,
        )

    def __repr__(self) -> str:
        most = [float(part.max(initial=0.0)) for part in (self.tension, self.shear)]
        return (
            f"Bonds({checks.counted(len(self), 'bond')}; tension up to {most[0]:.3g}, shear up to"
            f" {most[1]:.3g})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Breakages(_Rows):
    """The broken bonds of a `Simulation`, in the order of breaking; arrays are read-only.

    Bonds that broke in one step are sorted by i, then j, as in `Bonds`.

    Attributes
    ----------
    time : (m,) ndarray of float64
        Time at the beginning of the step in which the bond broke and had no force any more.
    i, j : (m,) ndarray of intp
        Ids of the spheres. Some of these may have been removed since.
    point : (m, 3) ndarray of float64
        Midpoint between both centers.
    cause : (m,) ndarray of str
        ``"tension"`` or ``"shear"``: the stress that was the larger part of its strength.
    energy : (m,) ndarray of float64
        Elastic energy of the bond, which is dissipated.

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
    """Make the table from the library's columns; images: the image of each sphere."""
    found = {field.name: columns[field.name] for field in fields(Bonds) if field.name in columns}
    moments = columns["moments"]
    found |= {"moment": locked(moments[:, :3]), "moment_j": locked(moments[:, 3:])}
    found["contact"] = locked(columns["contact"] != 0)
    image = columns["shift"] + images[columns["j"]] - images[columns["i"]]
    return Bonds(**found, image=locked(image), period=period)


def breakages_of(columns: Columns, times: Doubles) -> Breakages:
    causes = np.array(["tension", "shear"])[columns["of_shear"]]
    return Breakages(
        locked(times),
        locked(columns["ids"][:, 0]),
        locked(columns["ids"][:, 1]),
        columns["point"],
        locked(causes),
        columns["energy"],
    )
