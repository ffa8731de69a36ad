"""The contacts of convex bodies in a simulation: a table of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import locked
from ..base.periods import Period
from ..results.convex_contacts import ConvexContacts
from .column_input import HISTORY


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BodyContacts(ConvexContacts):
    """Contacts of the convex bodies of a `Simulation`: `ConvexContacts` with forces.

    `Simulation.body_contacts`, `body_pairs` and `body_sphere_pairs` are such tables. Rows of
    `body_contacts` are contacts with walls: `j` is None, and `mesh` is the wall's number.

    Attributes
    ----------
    force : (m, 3) ndarray of float64
        Force of each contact on body i. The opposite force acts on j or on the wall.
    spot_force : (k, 3) ndarray of float64
        Force of each spot on body i; `force` is the sum over the spots of a contact.

    Notes
    -----
    All other columns are those of `ConvexContacts`. In `Simulation.body_sphere_pairs`, j is a row
    of the spheres. A sphere counts as a point with rounding.

    Examples
    --------
    >>> import abut, numpy as np
    >>> cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    >>> wood = abut.Material(density=500)
    >>> sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    >>> sim.set_law(wood, wood, abut.Linear(1e6))
    >>> _ = sim.add_bodies(cube, [[0, 0, 0], [0, 0, 1.99]], wood)
    >>> sim.run(steps=1)
    >>> len(sim.body_pairs.spot_force), (sim.body_pairs.force.round(6) + 0.0).tolist()
    (4, [[0.0, 0.0, -40000.0]])
    """

    _list_columns: ClassVar = (*ConvexContacts._list_columns, "spot_force")

    spot_force: NDArray[np.float64]


def body_contacts(
    columns: dict[str, NDArray[Any]],
    walls: NDArray[np.intp],
    body_count: int,
    period: Period | None,
) -> BodyContacts:
    """Make a read-only table of library columns; `walls` are numbers in the library's order."""
    for name in HISTORY:
        del columns[name]
    if "mesh" in columns:
        columns["mesh"] = walls[columns["mesh"]]
    columns["offsets"] = np.searchsorted(columns["i"], np.arange(body_count + 1))
    columns["force"] = _row_sums(columns["spot_force"], columns["spot_offsets"])
    for column in columns.values():
        locked(column)
    return BodyContacts._found(columns, {"body_count": body_count, "period": period, "_bodies": 0})


def _row_sums(numbers: NDArray[np.float64], offsets: NDArray[np.intp]) -> NDArray[np.float64]:
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    sums = [np.bincount(rows, part, len(offsets) - 1) for part in numbers.T]
    return np.stack(sums, axis=-1)
