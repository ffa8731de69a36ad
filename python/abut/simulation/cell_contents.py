"""The state of a periodic cell, and what it does to particles and walls that are added to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.arithmetic import matrix_product
from ..base.arrays import Doubles

if TYPE_CHECKING:
    from .simulation import Simulation
    from .state import State


_MATRICES = (
    ("vectors", "gradient", "deformation")  # now
    + ("began", "numbers", "back", "rates", "pull")  # of the last step
)

# dtype of the library's abut_cell_hold
HOLD = np.dtype(
    [
        *((name, np.float64, (3, 3)) for name in ("targets", "is_held", "steady")),
        *((name, np.float64) for name in ("largest_rate", "first_volume")),
    ]
)

# dtype of the library's abut_cell
CELL = np.dtype(
    [
        *((name, np.float64, (3, 3)) for name in _MATRICES),
        *((name, np.float64, (3,)) for name in ("center", "center_velocity", "center_began")),
        *((name, np.float64) for name in ("pending", "deforms", "has_moved")),
        ("hold", HOLD),
    ]
)


def cell_of(simulation: State) -> np.void:
    """The state of a simulation's cell, with the members of abut_cell."""
    found: np.void = simulation._once("cell", lambda: simulation._core.cell().view(CELL)[0])
    return found


def resting(simulation: Simulation, places: Doubles) -> Doubles:
    """The velocities (n, 3) of particles at rest relative to the cell: 0 if it does not deform."""
    if simulation._period is None:
        return np.zeros_like(places)
    cell = cell_of(simulation)
    if not cell["deforms"]:
        return np.zeros_like(places)
    return matrix_product(places - cell["center"], cell["gradient"].T)


def check_fixed(simulation: Simulation, fixed: NDArray[Any], item: str, numbers: Any) -> None:
    """Raise a ValueError if a particle is to be fixed in a cell that deforms.

    ``item.format(number)`` names the particle.
    """
    if fixed.any() and cell_of(simulation)["deforms"]:
        name = item.format(numbers[int(np.argmax(fixed))])
        raise ValueError(
            f"{name} cannot be fixed, because the cell deforms: its images would move. Call"
            " sim.deform_cell with zeros first"
        )


def check_new_wall(simulation: Simulation) -> None:
    """Raise a ValueError if a wall is added to a cell that deforms."""
    if cell_of(simulation)["deforms"]:
        raise ValueError(
            "a wall cannot be added, because the cell deforms, and the wall would not: call"
            " sim.deform_cell with zeros first"
        )
