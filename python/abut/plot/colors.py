"""Colors of numbers in a picture, and the color bar.

NaN stands for a missing number, which gets a plain color that is not in the color bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from ..base.extras import import_extra

if TYPE_CHECKING:
    from ..options import At
    from ..results.table import Table


AT: dict[At, int] = {"facet": 0, "vertex": 1}


class ColorScale(NamedTuple):
    """The colors for numbers from `low` to `high`. Without a label there is no color bar."""

    cmap: Any
    low: float
    high: float
    label: str | None

    @property
    def mappable(self) -> Any:
        """The matplotlib object that converts values to colors, and from which a bar is made."""
        norm = import_extra("matplotlib.colors", "plot").Normalize(self.low, self.high)
        return import_extra("matplotlib.cm", "plot").ScalarMappable(norm, self.cmap)

    def colors(self, values: Doubles, plain: Doubles) -> Doubles:
        """The color (RGBA) of each value; for a value that is NaN, its row of `plain`."""
        shades: Doubles = self.mappable.to_rgba(values)
        return np.where(np.isnan(values)[:, None], plain, shades)

    def add_bar(self, ax: Any) -> None:
        if self.label is not None:
            ax.figure.colorbar(self.mappable, ax=ax, label=self.label, shrink=0.6, pad=0.1)

    def options(self) -> dict[str, Any]:
        """Options of pyvista's add_mesh for this scale."""
        # The line feed makes an empty line between the title and the topmost number.
        bar = {"title": f"{self.label or ''}\n", "vertical": True, "fmt": "%.3g"}
        bar |= {"position_x": 0.86, "position_y": 0.25, "height": 0.5}
        return {
            "cmap": self.cmap,
            "clim": (self.low, self.high),
            "show_scalar_bar": self.label is not None,
            "scalar_bar_args": bar,
        }


def color_scale(
    values: Sequence[Doubles], cmap: Any, limits: Any, label: Any, given: Any = None
) -> ColorScale:
    """The color scale of these values. By default it ranges from the smallest to the largest.

    given: the caller's argument for the values. If it is a name, it replaces an empty label.
    """
    if label == "" and isinstance(given, str):
        label = given
    if label is not None and not isinstance(label, str):
        raise TypeError(f"label is {label!r}, but must be a string, or None for no bar")
    if limits is not None:
        return ColorScale(cmap, *_read_limits(limits), label)
    there = np.concatenate([one[~np.isnan(one)] for one in values] or [np.empty(0)])
    low, high = (there.min(), there.max()) if len(there) else (0.0, 1.0)
    return ColorScale(cmap, float(low), float(high), label)


def _read_limits(limits: Any) -> tuple[float, float]:
    ends = checks.doubles(limits, "limits")
    if ends.shape != (2,) or not np.isfinite(ends).all() or ends[0] > ends[1]:
        raise ValueError(f"limits is {limits}, but must be (low, high), low at most high")
    low, high = ends.tolist()
    return low, high


# ---- the numbers ---------------------------------------------------------------------------------


def mesh_values(scalars: Any, facet_count: int, vertex_count: int, at: Any) -> tuple[Doubles, str]:
    """A number for each facet or each vertex of a mesh, and the word "facet" or "vertex"."""
    values = checks.doubles(scalars, "scalars")
    counts = {"facet": facet_count, "vertex": vertex_count}
    if at is not None:
        checks.choice(at, "at", AT)
        counts = {at: counts[at]}
    fitting = [place for place, count in counts.items() if values.shape == (count,)]
    if not fitting:
        shapes = " or ".join(f"({count},), one a {place}" for place, count in counts.items())
        raise ValueError(f"scalars has shape {values.shape}, but must be {shapes}")
    if len(fitting) == 2:
        raise ValueError(
            f"scalars has {facet_count} entries, and there are as many facets as vertices: give"
            " at='facet' or at='vertex'"
        )
    checks.all_finite(np.where(np.isnan(values), 0.0, values), "scalars")
    return values, fitting[0]


def row_values(table: Table, given: Any, name: str) -> Doubles:
    """A number for each row, from an array or a column's name; vectors count by their lengths."""
    if isinstance(given, str):
        columns = table._rows()
        given = checks.choice(given, name, {key: columns[key] for key in columns})
        given = np.linalg.norm(given, axis=1) if given.ndim == 2 else given
    values = checks.doubles(given, name)
    if values.shape != (len(table),):
        rows = checks.counted(len(table), table._row)
        hint = ": give their lengths" if values.shape[:1] == (len(table),) else ""
        raise ValueError(
            f"{name} has shape {values.shape}, but must be ({len(table)},), as there are {rows}"
            f"{hint}"
        )
    checks.all_finite(values, name)
    return values
