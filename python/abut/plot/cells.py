"""The edges of periodic cells in pictures."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arithmetic import dots, lengths, matrix_product
from ..base.arrays import Doubles
from ..base.outlines import completed, fractions_of, outline_of
from ..base.periods import Period, repeats_along, vectors_of
from .looks import BACKGROUND, LINE_COLOR, drawing_module

LINE_WIDTH = 0.8  # in typographic points (1/72 inch)
_NAME = "cell"  # of the actor in pyvista


def cell_lines(
    period: Period | None,
    centers: Doubles,
    radii: Doubles,
    points: Doubles | None = None,
    origin: Doubles | float = 0.0,
) -> Doubles:
    """The edges of the cell as lines (n, 2, d); none without a period.

    Along axes that are not periodic they enclose the spheres and points.
    """
    if period is None:
        return np.empty((0, 2, centers.shape[1]))
    return outline_of(period, centers, radii, points, origin=origin).lines()


def cell_lines_of_centers(period: Period | None, centers: Doubles) -> Doubles:
    """The edges of the cell around centers, which may lie anywhere.

    The cell begins at 0 along vectors for which it then holds all centers. Otherwise its middle is
    that of the centers.
    """
    if not len(centers):
        return np.empty((0, 2, centers.shape[1]))
    origin = origin_around(period, centers)
    return cell_lines(period, centers, np.zeros(len(centers)), origin=origin)


def origin_around(period: Period | None, centers: Doubles) -> Doubles:
    """The corner where the cell around centers begins: 0 if it then holds all of them."""
    origin = np.zeros(centers.shape[1])
    if period is None or not len(centers):
        return origin
    edges = completed(vectors_of(period, centers.shape[1]))
    for edge, across in zip(edges, fractions_of(edges), strict=True):
        places = dots(centers, across)
        low, high = places.min(), places.max()
        if low < 0.0 or high > 1.0:
            origin += ((low + high) / 2 - 0.5) * edge
    return origin


class Images(NamedTuple):
    """Images of particles: their rows (k,), and the ways (k, 3) from the particles to them."""

    rows: NDArray[np.intp]
    ways: Doubles


def images_in_cell(
    period: Period | None, centers: Doubles, radii: Doubles, origin: Doubles | float = 0.0
) -> Images:
    """Find the images of particles that reach into the cell; the particles are not among them."""
    edges = completed(vectors_of(period, centers.shape[1]))
    places = np.column_stack([dots(centers - origin, across) for across in fractions_of(edges)])
    reach = radii[:, None] * lengths(fractions_of(edges))
    repeats = np.array([repeats_along(period, k) for k in range(len(edges))])
    # numbers of images that begin at 0 for the one with its center in the cell
    wrapped = np.where(repeats, np.floor(places), 0.0)
    low = np.where(repeats, np.ceil(wrapped - places - reach), 0.0)
    high = np.where(repeats, np.floor(1.0 + wrapped - places + reach), 0.0)
    rows, numbers = [np.empty(0, np.intp)], [np.empty((0, len(edges)))]
    ends = zip(low.min(axis=0, initial=0.0), high.max(axis=0, initial=0.0), strict=True)
    for number in itertools.product(*(np.arange(first, last + 1.0) for first, last in ends)):
        found = np.flatnonzero(((low <= number) & (number <= high)).all(axis=1))
        rows.append(found)
        numbers.append(np.array(number) - wrapped[found])
    images = Images(np.concatenate(rows), np.concatenate(numbers))
    is_other = (images.ways != 0.0).any(axis=1)
    return Images(images.rows[is_other], matrix_product(images.ways[is_other], edges))


def draw_cell(ax: Any, lines: Doubles) -> None:
    """Draw edges by matplotlib, in the plane or in space."""
    if not len(lines):
        return
    if lines.shape[-1] == 2:
        collections = drawing_module("matplotlib.collections")
        drawn = collections.LineCollection(lines, linewidths=LINE_WIDTH, colors=LINE_COLOR)
        ax.add_collection(drawn)
        return
    art3d = drawing_module("mpl_toolkits.mplot3d.art3d")
    drawn = art3d.Line3DCollection(lines, linewidths=LINE_WIDTH, colors=LINE_COLOR)
    drawn.set_zorder(BACKGROUND)
    ax.add_collection3d(drawn)


def draw_cell_in_pyvista(plotter: Any, lines: Doubles, width: float = 1.0) -> None:
    """Draw edges by pyvista, and remove those that an earlier call has drawn."""
    if not len(lines):
        plotter.remove_actor(_NAME)
        return
    ends = np.arange(2 * len(lines)).reshape(-1, 2)
    cells = np.column_stack([np.full(len(lines), 2), ends]).ravel()
    edges = drawing_module("pyvista").PolyData(lines.reshape(-1, 3), lines=cells)
    plotter.add_mesh(edges, name=_NAME, color=LINE_COLOR, line_width=width, lighting=False)
