"""The periodic cell of a simulation, which may deform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arithmetic import lengths, matrix_product
from ..base.arrays import Doubles, locked
from ..base.periods import Period, read_period, repeats_along, vectors_of
from .cell_contents import CELL, cell_of
from .population import Part
from .python_side import changes

if TYPE_CHECKING:
    from .simulation import Simulation
    from .state import State


def current_period(simulation: State) -> Period | None:
    """The period now: as it was given, unless the cell has deformed."""
    return _as_given(simulation._period, cell_of(simulation)["vectors"])


def period_then(simulation: State) -> Period | None:
    """The period at the beginning of the last step."""
    cell = cell_of(simulation)
    return _as_given(simulation._period, cell["began" if cell["has_moved"] else "vectors"])


def images_then(simulation: State, images: Doubles) -> Doubles:
    """The names that images (m, 3) had at the beginning of the last step."""
    cell = cell_of(simulation)
    return matrix_product(images, cell["numbers"]) if cell["has_moved"] else images


def _as_given(period: Period | None, vectors: Doubles) -> Period | None:
    if np.array_equal(vectors_of(period), vectors):
        return period
    return locked(vectors.copy())


class Cells(Part):
    """The periodic cell of a `Simulation`."""

    __slots__ = ()

    @changes
    def deform_cell(self, rate: ArrayLike, *, affine: bool = True) -> None:
        """Deform the periodic cell at a rate: shear it, compress it, or both.

        Parameters
        ----------
        rate : (3, 3) array_like
            The velocity gradient L in 1/s. Entry [a, b] is the change of velocity a along b:
            ``rate[0, 1]`` is the rate of simple shear v_x = rate y, and a negative ``rate[2, 2]``
            compresses along z. Each vector h of the cell moves by dh/dt = L h. Zeros end the
            deformation.
        affine : bool, default True
            Whether the change of the linear field L (x - c) is added to all velocities at once. c
            is the center of mass when the cell begins to deform, and moves on with the mean
            velocity. Otherwise waves run in from the borders.

        Raises
        ------
        ValueError
            If the world has no period, or does not repeat along a direction in which the rate
            changes velocities. If there are walls or fixed particles, or a border would move by
            more than the smallest radius in a step. If a number is not finite.
        TypeError
            If the rate is not an array of numbers.

        Notes
        -----
        This is the method of Lees and Edwards (1972). Particles have their true velocities. An
        image of a particle moves with the particle's velocity plus ``image @ rates``, where `rates`
        are those of the cell's vectors; contact laws, bonds and cohesion read it. A particle that
        leaves through a border is replaced by its image, with the image's velocity. Angular
        velocities do not change with L.

        Beside its forces, each particle is accelerated by L^2 (x - c), which is 0 in simple shear.
        So images obey the same law as their particles, and it does not matter which one is stored.

        When a vector of the cell becomes shorter by adding others to it, it is exchanged, so cells
        under shear do not become flat. `images` are renamed with it. `deformation` is the
        deformation gradient, which is not affected.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0), period=(1, 1, 1))
        >>> _ = sim.add_spheres([[0.5, 0.9, 0.5], [0.5, 0.1, 0.5]], 0.05, abut.Material(2500))
        >>> sim.deform_cell([[0, 0.5, 0], [0, 0, 0], [0, 0, 0]])
        >>> sim.run(0.2)
        >>> sim.velocities.round(3) + 0.0
        array([[ 0.2,  0. ,  0. ],
               [-0.2,  0. ,  0. ]])
        >>> sim.cell.round(3)
        array([[1. , 0. , 0. ],
               [0.1, 1. , 0. ],
               [0. , 0. , 1. ]])
        """
        gradient = _read_matrix(rate, "rate")
        if gradient.any():
            self._check_rate(gradient)
        self._core.deform_cell(gradient, bool(affine), self._sim._known)

    def _check_rate(self, gradient: Doubles) -> None:
        sim = self._sim
        if sim._period is None:
            raise ValueError("the world has no period, so there is no cell to deform: give period=")
        self._check_repeats(gradient)
        self.check_contents()
        ways = lengths(sim.step * matrix_product(cell_of(sim)["vectors"], gradient.T))
        way, smallest = float(ways.max()), float(sim.radii.min(initial=np.inf))
        if way > smallest:
            raise ValueError(
                f"with this rate a border of the cell moves by {way:g} in a step, but may move by"
                f" the smallest radius, {smallest:g}: choose a smaller rate, or a shorter step"
            )

    def _check_repeats(self, gradient: Doubles) -> None:
        """Raise a ValueError unless velocities change only along vectors that repeat."""
        period = self._sim._period
        vectors = vectors_of(period)
        for number in range(3):
            if repeats_along(period, number):
                continue
            axis = _completed(vectors)[number]
            changed, moved = (
                np.abs(matrix_product(m, axis[:, None])).max() for m in (gradient, gradient.T)
            )
            if max(changed, moved) > 1e-12 * np.abs(gradient).max():
                raise ValueError(
                    f"rate changes velocities along {'xyz'[number]}, where the world does not"
                    " repeat: give a period there, or leave those entries 0"
                )

    def check_contents(self) -> None:
        """Raise a ValueError if there are walls or fixed particles, which a cell cannot move."""
        sim = self._sim
        if len(sim.walls):
            raise ValueError(
                "the cell deforms, but there are walls, which would not move with it: remove them,"
                " or move walls in place of the cell"
            )
        for name, population in (("sphere", sim.spheres), ("body", sim.bodies)):
            if population.fixed.any():
                number = population.numbers[np.argmax(population.fixed)]
                raise ValueError(
                    f"the cell deforms, but {name} {number} is fixed. A fixed particle would have"
                    " images that move, so it cannot stay where it is: release it first"
                )


def _completed(vectors: Doubles) -> Doubles:
    """The vectors, with a perpendicular one of length 1 in place of each that is 0."""
    found = vectors.copy()
    for number in np.flatnonzero(~vectors.any(axis=1)):
        one, two = found[(number + 1) % 3], found[(number + 2) % 3]
        if not one.any() or not two.any():
            # one of them is 0, too, or both
            other = one if one.any() else two
            axis = np.eye(3)[np.argmin(np.abs(other))]
            one, two = (other, axis) if other.any() else (np.eye(3)[1], np.eye(3)[2])
        across = np.cross(one, two)
        found[number] = across / lengths(across)
    return found


def _read_matrix(values: ArrayLike, name: str) -> Doubles:
    matrix = np.array(checks.doubles(values, name))
    if matrix.shape != (3, 3):
        raise ValueError(f"{name} has shape {matrix.shape}, but must be (3, 3)")
    if not np.isfinite(matrix).all():
        a, b = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise ValueError(f"{name}[{a}, {b}] is {matrix[a, b]}, but must be finite")
    return matrix


def read_deformation(values: ArrayLike) -> Doubles:
    """Read a deformation gradient (3, 3); 1 stands for the identity."""
    if np.ndim(values) == 0 and values == 1:
        return np.eye(3)
    return _read_matrix(values, "deformation")


def restore_cell(simulation: Simulation, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Restore the cell from a restart file, if it has deformed."""
    numbers = arrays.get("cell")
    if numbers is None:
        return
    if numbers.shape != (_core.CELL_NUMBERS,):
        raise ValueError(f"cell has shape {numbers.shape}, but must be {(_core.CELL_NUMBERS,)}")
    cell = numbers.view(CELL)[0]
    for name in ("vectors", "began"):
        try:
            read_period(cell[name])
        except ValueError as error:
            raise ValueError(f"cell is damaged: {error}") from None
    numbers_of_images, back = cell["numbers"], cell["back"]
    is_basis = np.array_equal(matrix_product(numbers_of_images, back), np.eye(3))
    if cell["has_moved"] and not (is_basis and np.array_equal(back, np.rint(back))):
        raise ValueError("cell is damaged: its exchanged vectors are not those of one lattice")
    simulation._core.restore_cell(numbers)
