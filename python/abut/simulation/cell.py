"""The periodic cell of a simulation, which may deform."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arithmetic import lengths, matrix_product
from ..base.arrays import Doubles, locked
from ..base.outlines import completed
from ..base.periods import Period, read_period, repeats_along, vectors_of
from .cell_contents import CELL, cell_of
from .cell_stress import Held, check_ruled_once, hold_of, largest_rate_for, read_targets
from .population import Part
from .python_side import changes

if TYPE_CHECKING:
    from .simulation import Simulation
    from .state import State


def current_period(simulation: State) -> Period | None:
    """The period now: as it was given, unless the cell has deformed."""
    if simulation._period is None:
        return None
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
    if period is None or np.array_equal(vectors_of(period), vectors):
        return period
    return locked(vectors.copy())


class Cells(Part):
    """The periodic cell of a `Simulation`."""

    __slots__ = ()

    @changes
    def deform_cell(
        self,
        rate: ArrayLike | None = None,
        *,
        stress: ArrayLike | Callable[[Simulation], ArrayLike] | None = None,
        largest_rate: float | None = None,
        affine: bool = True,
    ) -> None:
        """Deform the periodic cell at a rate, or so that its stress reaches a target, or both.

        Parameters
        ----------
        rate : (3, 3) array_like, optional
            The velocity gradient L in 1/s. Entry [a, b] is the change of velocity a along b:
            ``rate[0, 1]`` is the rate of simple shear v_x = rate y, and a negative ``rate[2, 2]``
            compresses along z. Each vector h of the cell moves by dh/dt = L h. Zeros end the
            deformation. With `stress`, give NaN where the stress is held; by default 0 elsewhere.
        stress : float, (3,) or (3, 3) array_like, or callable, optional
            Targets of the stress, indexed as ``sim.stress(kinetic=True)`` is, and positive in
            compression. A number is the target of all three diagonal components, three numbers are
            one for each. In an array (3, 3), entry [b, a] rules ``rate[a, b]``, and is NaN where
            the rate is given. A callable takes the simulation and returns any of these; it is
            called before each step, and must hold the same components each time.
        largest_rate : float, optional
            Limit of each component of L that follows from the stress, in 1/s. By default 0.03
            sqrt(p / rho) / d, an inertial number of 0.03, with p the largest target, rho the
            density of the particles, and d their mean diameter.
        affine : bool, default True
            Whether the change of the linear field L (x - c) is added to all velocities at once. c
            is the center of mass when the cell begins to deform, and moves on with the mean
            velocity. Otherwise waves run in from the borders.

        Raises
        ------
        ValueError
            If the world has no period, or does not repeat along a direction in which the rate
            changes velocities; a stress needs a period along x, y and z. If there are walls or
            fixed particles, or a border would move by more than the smallest radius in a step. If
            a number is not finite. If a component has both a rate and a target, or neither. If all
            targets are 0 and `largest_rate` is missing.
            A run ends with it if the cell gets smaller than its particles, or 8 times larger than
            at first without any contacts.
        TypeError
            If neither `rate` nor `stress` is given, or an argument is of another type.

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

        Stress is held without a gain: each component of L changes by a step of Newton's method
        with the stiffness and damping of the contacts (docs/dem.md, section 16). After a change of
        given rates it deviates for a while: by C tau L, with the cell's stiffness C, the time tau
        that a wave takes through it, and the rate L that follows. In a steady flow the mean stress
        is on its target. If the targets of
        both [a, b] and [b, a] are given, they must be equal, and L is symmetric there. A restart
        file has the targets of its last step; a callable must be given again.

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

        Eight balls on a lattice, compressed to a pressure of 50:

        >>> import itertools
        >>> rubber = abut.Material(density=1000)
        >>> sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0), period=(1, 1, 1))
        >>> sim.set_law(rubber, rubber, abut.Linear(1e3, restitution=0.3))
        >>> centers = list(itertools.product((0.25, 0.75), repeat=3))
        >>> _ = sim.add_spheres(centers, 0.24, rubber)
        >>> sim.deform_cell(stress=50)
        >>> sim.run(10.0)
        >>> sim.stress(kinetic=True).diagonal().round(1)
        array([50., 50., 50.])
        """
        if rate is None and stress is None:
            raise TypeError("deform_cell takes rate=, stress= or both")
        if stress is None:
            if largest_rate is not None:
                raise ValueError("largest_rate is a limit for stress=, which is missing")
            self._deform(_read_matrix(rate, "rate"), bool(affine))
        else:
            self._hold(rate, stress, largest_rate, bool(affine))

    def _deform(self, gradient: Doubles, affine: bool) -> None:
        if gradient.any():
            self._check_rate(gradient)
        known = self._sim._known._replace(held=None)
        self._core.deform_cell(gradient, affine, None, known)

    def _hold(self, rate: Any, stress: Any, largest_rate: float | None, affine: bool) -> None:
        sim, given = self._sim, stress(self._sim) if callable(stress) else stress
        targets = read_targets(given, "stress")
        is_held = ~np.isnan(targets)
        if rate is None:
            rates = np.where(is_held.T, np.nan, 0.0)
        else:
            rates = _read_matrix(rate, "rate", may_be_nan=True)
        check_ruled_once(rates, targets)
        largest = None if largest_rate is None else checks.positive(largest_rate, "largest_rate")
        most = largest or largest_rate_for(sim, targets)
        if most is None:
            raise ValueError("all targets of stress are 0: give largest_rate=, in 1/s")
        now = cell_of(sim)["gradient"]
        # two components under stress belong to a symmetric shear
        start = np.where(is_held & is_held.T, 0.5 * (now + now.T), now)
        gradient = np.where(is_held.T, start, rates)
        self._check_three_vectors()
        self._check_rate(gradient, np.where(is_held.T, most, np.abs(rates)))
        held = Held(stress, is_held, largest) if callable(stress) else None
        hold = hold_of(targets, most)
        self._core.deform_cell(gradient, affine, hold, sim._known._replace(held=held))

    def _check_three_vectors(self) -> None:
        period = self._sim._period
        for number, along in enumerate("xyz"):
            if period is not None and not repeats_along(period, number):
                raise ValueError(
                    f"the world does not repeat along {along}, so its stress is not defined: give"
                    " a period there"
                )

    def _check_rate(self, gradient: Doubles, most: Doubles | None = None) -> None:
        """Check a rate before it is set; `most` are the absolute values that it may get."""
        sim = self._sim
        if sim._period is None:
            raise ValueError("the world has no period, so there is no cell to deform: give period=")
        self._check_repeats(gradient)
        self.check_contents()
        vectors = cell_of(sim)["vectors"]
        ways = matrix_product(vectors, gradient.T)
        if most is not None:
            ways = matrix_product(np.abs(vectors), most.T)
        ways = lengths(sim.step * ways)
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
            axis = completed(vectors)[number]
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


def _read_matrix(values: Any, name: str, may_be_nan: bool = False) -> Doubles:
    matrix = np.array(checks.doubles(values, name))
    if matrix.shape != (3, 3):
        raise ValueError(f"{name} has shape {matrix.shape}, but must be (3, 3)")
    is_wrong = np.isinf(matrix) if may_be_nan else ~np.isfinite(matrix)
    if is_wrong.any():
        a, b = np.argwhere(is_wrong)[0].tolist()
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
