"""Pictures of pairs and bonds: lines from center to center, with widths that show numbers.

matplotlib (extra ``plot``) draws in the plane, pyvista (extra ``view``) in space. Each is imported
when it is first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from ..base.periods import shifts_of
from ..results.arms import check_finite
from .cells import cell_lines_of_centers, draw_cell, draw_cell_in_pyvista
from .colors import ColorScale, color_scale, row_values
from .in_matplotlib import flat_axes, set_flat_frame
from .in_pyvista import plotter_of
from .looks import drawing_module
from .views import look_in_pyvista, read_optional

if TYPE_CHECKING:
    from ..options import Backend
    from ..results.bonds import Bonds
    from ..results.pairs import Pairs


LINE_WIDTH = 6.0  # the width of the thickest line, in typographic points (1/72 inch)
TUBE_PART = 0.2  # the width of the thickest tube, as a part of the lines' median length


class Chains(NamedTuple):
    """Lines (k, 2, d), each with a value and a relative width, 0 to 1; the thickest are last."""

    lines: Doubles
    values: Doubles
    widths: Doubles
    scale: ColorScale


def plot_pairs(
    pairs: Pairs,
    centers: Any,
    values: Any = None,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    others: Any = None,
    width: float | None = None,
    cell: bool = True,
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
    view: Any = None,
) -> Any:
    """Draw pairs, as `Pairs.plot` describes."""
    lines = _lines(pairs, centers, others)
    direction = read_optional(view, lines.shape[-1])
    values = "overlap" if values is None else values
    numbers = row_values(pairs, values, "values")
    chains = _chains(lines, pairs, numbers, color_scale([numbers], cmap, limits, label, values))
    width = None if width is None else checks.positive(width, "width")
    edges = cell_lines_of_centers(
        pairs.period if cell else None, checks.doubles(centers, "centers")
    )
    if lines.shape[-1] == 2:
        ax = flat_axes(ax, backend, "disks")
        draw_cell(ax, edges)
        return _draw_flat(ax, chains, width or LINE_WIDTH)
    plotter = plotter_of(ax, backend, "pairs in space")
    draw_cell_in_pyvista(plotter, edges)
    return _draw_tubes(plotter, chains, width, direction)


def plot_bonds(
    bonds: Bonds,
    centers: Any,
    values: Any = None,
    ax: Any = None,
    *,
    width: float | None = None,
    cell: bool = True,
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
    view: Any = None,
) -> Any:
    """Draw bonds, as `Bonds.plot` describes."""
    lines, direction = bonds.lines(centers), read_optional(view)
    values = "tension" if values is None else values
    numbers = _bond_values(bonds, values)
    shifts = np.stack(2 * [shifts_of(bonds.image, bonds.period)], axis=1)
    both = np.stack([lines, lines[:, ::-1] - shifts], axis=1)
    chains = _chains(both, bonds, numbers, color_scale([numbers], cmap, limits, label, values))
    width = None if width is None else checks.positive(width, "width")
    plotter = plotter_of(ax, None, "bonds in space")
    period = bonds.period if cell else None
    draw_cell_in_pyvista(plotter, cell_lines_of_centers(period, checks.doubles(centers, "centers")))
    return _draw_tubes(plotter, chains, width, direction)


def _bond_values(bonds: Bonds, values: Any) -> Doubles:
    """The number of each bond, given as an array or as a column's name."""
    columns = bonds.to_dict()
    if isinstance(values, str) and values not in columns:
        raise ValueError(f"bonds have no {values!r}: their columns are {', '.join(columns)}")
    numbers = checks.doubles(columns[values] if isinstance(values, str) else values, "values")
    return checks.shaped(numbers, "values", (len(bonds),))


# ---- lines ---------------------------------------------------------------------------------------


def _lines(pairs: Pairs, centers: Any, others: Any) -> Doubles:
    """For each pair, the lines from i to j's image and from j to i's image, (m, 2, 2, d)."""
    arm_i, arm_j = pairs.arms(centers, others)
    check_finite(centers, others)
    shifts = shifts_of(pairs.image, pairs.period)
    ends = np.stack([pairs.point - arm_i, pairs.point - arm_j], axis=1)
    return np.stack([ends, ends[:, ::-1] - np.stack([shifts, shifts], axis=1)], axis=1)


def _chains(both: Doubles, table: Pairs | Bonds, values: Doubles, scale: ColorScale) -> Chains:
    """The lines to draw: one for a pair inside the box, two half lines for one across a border."""
    is_image = (table.image != 0).any(axis=1)
    halves = both.copy()
    halves[:, :, 1] = both.mean(axis=2)
    lines = np.concatenate([both[~is_image, 0], halves[is_image].reshape(-1, *both.shape[2:])])
    numbers = np.concatenate([values[~is_image], np.repeat(values[is_image], 2)])
    widths = np.abs(numbers) / (max(abs(scale.low), abs(scale.high)) or 1.0)
    order = np.argsort(widths, kind="stable")
    return Chains(lines[order], numbers[order], np.minimum(widths[order], 1.0), scale)


# ---- drawing -------------------------------------------------------------------------------------


def _draw_flat(ax, chains, width):
    collections = drawing_module("matplotlib.collections")
    ax.add_collection(
        collections.LineCollection(
            chains.lines,
            linewidths=width * chains.widths,
            colors=chains.scale.mappable.to_rgba(chains.values),
            capstyle="round",
        )
    )
    chains.scale.add_bar(ax)
    ax.autoscale_view()
    set_flat_frame(ax)
    return ax


def _draw_tubes(plotter, chains, width, direction):
    plotter.show_axes()
    chosen = chains.widths > 0
    if not chosen.any():
        look_in_pyvista(plotter, direction)
        return plotter
    lines, values = chains.lines[chosen], np.repeat(chains.values[chosen], 2)
    if width is None:
        width = TUBE_PART * np.median(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1))
    ends = np.arange(2 * len(lines)).reshape(-1, 2)
    cells = np.column_stack([np.full(len(lines), 2), ends]).ravel()
    chain = drawing_module("pyvista").PolyData(lines.reshape(-1, 3), lines=cells)
    chain["radius"] = np.repeat(width / 2 * chains.widths[chosen], 2)
    chain["values"] = values
    tubes = chain.tube(scalars="radius", absolute=True, n_sides=12, capping=True)
    plotter.add_mesh(tubes, scalars="values", ambient=0.5, diffuse=0.5, **chains.scale.options())
    look_in_pyvista(plotter, direction)
    return plotter
