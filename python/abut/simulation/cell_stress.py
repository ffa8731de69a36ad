"""Targets of the stress of a periodic cell, and the rates at which it may deform to reach them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Doubles
from .cell_contents import HOLD

if TYPE_CHECKING:
    from .simulation import Simulation

# The largest rate by default, as an inertial number: slower loading changes stresses little.
_INERTIAL_NUMBER = 0.03


class Held(NamedTuple):
    """A callable that returns targets of the stress before each step."""

    call: Callable[[Any], ArrayLike]
    is_held: NDArray[np.bool_]  # (3, 3): which components it held at first
    largest_rate: float | None  # None: by the targets


def read_targets(stress: Any, name: str = "stress") -> Doubles:
    """Read targets (3, 3), NaN where there is none. A number or three are the diagonal."""
    given = np.array(checks.doubles(stress, name))
    if given.shape not in ((), (3,), (3, 3)):
        raise ValueError(
            f"{name} has shape {given.shape}, but must be a number, or have the shape (3,) or"
            " (3, 3)"
        )
    targets = given
    if given.ndim < 2:
        targets = np.full((3, 3), np.nan)
        np.fill_diagonal(targets, given)
    wrong = np.argwhere(np.isinf(targets))
    if len(wrong):
        b, a = wrong[0].tolist()
        raise ValueError(f"{name}[{b}, {a}] is {targets[b, a]}, but must be finite, or nan")
    if np.isnan(targets).all():
        raise ValueError(f"{name} has no target: give a number where the stress is to be held")
    _check_symmetry(targets, name)
    return targets


def _check_symmetry(targets: Doubles, name: str) -> None:
    for a, b in ((0, 1), (0, 2), (1, 2)):
        if targets[a, b] != targets[b, a] and not np.isnan(targets[[a, b], [b, a]]).any():
            raise ValueError(
                f"{name}[{a}, {b}] is {targets[a, b]:g}, but {name}[{b}, {a}] is {targets[b, a]:g}:"
                " give equal targets, or nan for one of them"
            )


def check_ruled_once(rate: Doubles, targets: Doubles) -> None:
    """Raise a ValueError unless each component has either a rate or a target of the stress."""
    for a in range(3):
        for b in range(3):
            has_rate, has_target = not np.isnan(rate[a, b]), not np.isnan(targets[b, a])
            if has_rate and has_target:
                raise ValueError(
                    f"rate[{a}, {b}] is {rate[a, b]:g} and stress[{b}, {a}] is {targets[b, a]:g},"
                    " but only one of them can be held: give nan for the other"
                )
            if not has_rate and not has_target:
                raise ValueError(
                    f"rate[{a}, {b}] and stress[{b}, {a}] are nan, but one of them must be given"
                )


def largest_rate_for(simulation: Simulation, targets: Doubles) -> float | None:
    """The largest rate by default (docs/dem.md, section 16); None if all targets are 0."""
    pressure = float(np.nanmax(np.abs(targets)))
    if pressure == 0.0:
        return None
    masses, volumes = _grains_of(simulation)
    if not len(masses):
        raise ValueError("the stress of a cell without particles cannot be held: add some first")
    diameter = _cube_roots(6 / np.pi * volumes).mean()
    density = masses.sum() / volumes.sum()
    return float(_INERTIAL_NUMBER * np.sqrt(pressure / density) / diameter)


def _grains_of(simulation: Simulation) -> tuple[Doubles, Doubles]:
    """The masses and volumes of free spheres, clusters and bodies."""
    densities = np.array([one.density or np.nan for one in simulation.materials] or [np.nan])
    spheres, clusters, bodies = simulation.spheres, simulation.clusters, simulation.bodies
    free = spheres.cluster < 0
    radii = simulation.radii[free]
    _, first = np.unique(spheres.cluster[~free], return_index=True)
    of_clusters = simulation.material[~free][first]
    return (
        np.concatenate([simulation.masses[free], clusters.masses, bodies.masses]),
        np.concatenate(
            [
                4 / 3 * np.pi * (radii * radii * radii),
                clusters.masses / densities[of_clusters],
                bodies.masses / densities[bodies.material],
            ]
        ),
    )


def _cube_roots(values: Doubles) -> Doubles:
    """Cube roots of positive numbers, with the same bits on every machine."""
    parts, exponents = np.frexp(values)
    thirds = exponents // 3
    rest = np.ldexp(parts, exponents - 3 * thirds)
    roots = np.full_like(rest, 1.25)
    for _ in range(7):
        roots = roots - (roots - rest / (roots * roots)) / 3.0
    found: Doubles = np.ldexp(roots, thirds)
    return found


def hold_of(targets: Doubles, largest_rate: float) -> Doubles:
    """The numbers of abut_cell_hold."""
    hold = np.zeros((), HOLD)
    hold["targets"], hold["is_held"] = np.nan_to_num(targets), ~np.isnan(targets)
    hold["largest_rate"] = largest_rate
    return np.frombuffer(hold.tobytes())


def ask_targets(simulation: Simulation) -> None:
    """Set the targets that the callable returns."""
    held = simulation._known.held
    assert held is not None
    targets = read_targets(held.call(simulation), "the stress that the callable returned")
    if not np.array_equal(~np.isnan(targets), held.is_held):
        b, a = np.argwhere(~np.isnan(targets) != held.is_held)[0].tolist()
        raise ValueError(
            f"the callable returned the stress[{b}, {a}] {targets[b, a]:g}, but must hold the"
            " components that it held at first"
        )
    largest = held.largest_rate or largest_rate_for(simulation, targets)
    if largest is None:  # all targets are 0 at the moment
        largest = float(simulation._core.cell()[-2])
    simulation._core.set_targets(np.nan_to_num(targets), largest)


def lost_cell(simulation: Simulation, status: int, step: int, volume: float) -> ValueError:
    """Make the error for a cell in which particles do not bear the stress."""
    hold = np.frombuffer(simulation._core.cell().tobytes(), np.float64)[-_core.HOLD_NUMBERS :]
    found = hold.view(HOLD)[0]
    sizes = np.where(found["is_held"] > 0, np.abs(found["targets"]), -1.0)
    b, a = np.unravel_index(np.argmax(sizes), (3, 3))
    target = f"the target stress[{b}, {a}] = {found['targets'][b, a]:g}"
    if status == _core.CELL_SMALL:
        return ValueError(
            f"in step {step} the cell has the volume {volume:g}, less than its particles: they do"
            f" not bear {target}. Use more or stiffer particles, or a smaller pressure"
        )
    return ValueError(
        f"in step {step} the cell has the volume {volume:g}, more than 8 times the first one, and"
        f" nothing touches: {target} cannot be reached. Only cohesion bears tension"
    )
