"""Pictures of convex bodies and contacts.

matplotlib (extra ``plot``) draws polygons, pyvista (extra ``view``) polyhedra. Each is imported
when it is first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from ..base.orientations import turned
from ..search.facets import vtk_cells
from .cells import cell_lines_of_centers, draw_cell, draw_cell_in_pyvista
from .in_matplotlib import flat_axes, set_flat_frame
from .in_pyvista import draw_mesh_in_pyvista, draw_surface_in_pyvista, plotter_of
from .looks import COLORS, FACET_COLOR, LINE_COLOR, drawing_module, evenly, most, opacity
from .views import look_in_pyvista, read_optional

if TYPE_CHECKING:
    from ..options import Backend
    from ..results.convex_contacts import ConvexContacts
    from ..search.convex_finder import ConvexFinder
    from ..search.shape import ConvexShape


BODY_COLOR = FACET_COLOR
LINK_COLOR, SPOT_COLOR, _ = COLORS


def plot_shape(
    shape: ConvexShape,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    color: Any = BODY_COLOR,
    alpha: float = 0.9,
    view: Any = None,
) -> Any:
    """Draw a shape, as `ConvexShape.plot` describes."""
    alpha, direction = opacity(alpha), read_optional(view, shape.dimension)
    ax = _canvas(shape.dimension, ax, backend)
    if shape.dimension == 2:
        return _draw_polygons(ax, [_loop(shape)], [color], alpha)
    draw_mesh_in_pyvista(ax, shape.to_mesh(), None, color, alpha)
    look_in_pyvista(ax, direction)
    return ax


def plot_bodies(
    finder: ConvexFinder,
    positions: Any,
    orientations: Any = None,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    color: Any = BODY_COLOR,
    colors: Any = None,
    alpha: float = 0.9,
    numbers: Any = None,
    view: Any = None,
) -> Any:
    """Draw bodies, as `ConvexFinder.plot` describes."""
    alpha, direction = opacity(alpha), read_optional(view, finder.dimension)
    placed = finder._read_placed(positions, orientations, None)
    count = len(placed.positions)
    chosen = range(count) if numbers is None else _bodies_given(numbers, count)
    there = checks.there_are(count, "body", "bodies")
    if colors is not None and len(colors) != count:
        given = checks.counted(len(colors), "entry", "entries")
        raise ValueError(f"colors has {given}, but {there}")
    shades = [color if colors is None else colors[body] for body in chosen]
    bodies = [_placed(finder, placed, body) for body in chosen]
    ax = _canvas(finder.dimension, ax, backend)
    if finder.dimension == 2:
        return _draw_polygons(ax, [loop for loop, _ in bodies], shades, alpha)
    _draw_polyhedra(ax, bodies, shades, alpha)
    look_in_pyvista(ax, direction)
    return ax


def plot_convex_contacts(
    contacts: ConvexContacts,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    bodies: tuple[Any, ...] | None = None,
    normals: bool = True,
    cell: bool = True,
    body_count: int = 500,
    arrow_count: int = 500,
    alpha: float = 0.25,
    view: Any = None,
) -> Any:
    """Draw contacts of bodies, as `ConvexContacts.plot` describes."""
    alpha, direction = opacity(alpha), read_optional(view, contacts.point.shape[1])
    body_count, arrow_count = most(body_count, "body_count"), most(arrow_count, "arrow_count")
    is_flat = contacts.point.shape[1] == 2
    ax = _canvas(contacts.point.shape[1], ax, backend)
    if bodies is not None:
        _draw_touching(contacts, ax, bodies, body_count, alpha)
    if cell:
        centers = contacts.point if bodies is None else checks.doubles(bodies[1], "positions")
        edges = cell_lines_of_centers(contacts.period, centers)
        (draw_cell if is_flat else draw_cell_in_pyvista)(ax, edges)
    rows = evenly(len(contacts), arrow_count if normals else 0)
    arrows = contacts.point[rows], contacts.normal[rows] * _arrow_length(contacts, bodies)
    if is_flat:
        return _flat_contacts(ax, contacts, arrows)
    _contacts_in_space(ax, contacts, arrows)
    look_in_pyvista(ax, direction)
    return ax


def _canvas(dimension: int, ax: Any, backend: Backend | None) -> Any:
    """The axes for polygons, or the plotter for polyhedra; by default new ones."""
    if dimension == 2:
        return flat_axes(ax, backend, "polygons")
    return plotter_of(ax, backend, "polyhedra")


def _bodies_given(numbers: Any, count: int) -> list[int]:
    """Read the numbers of the bodies to draw; raise if they are not 0 to count - 1."""
    given: list[int] = checks.indices(numbers, "numbers").reshape(-1).tolist()
    for place, body in enumerate(given):
        if not 0 <= body < count:
            there = checks.there_are(count, "body", "bodies")
            raise ValueError(f"numbers[{place}] is {body}, but {there}")
    return given


# ---- bodies --------------------------------------------------------------------------------------


def _loop(shape: ConvexShape) -> Doubles:
    """The vertices of a polygon, in order around it."""
    loop: Doubles = shape.vertices[shape.indices[shape.offsets[:-1]]]
    return loop


def _placed(finder: ConvexFinder, placed: Any, body: int) -> tuple[Doubles, ConvexShape]:
    """A body's vertices in space (for a polygon in order around it), and its shape."""
    numbers, scales = finder.shape, finder.scales
    shape = finder.shapes[0 if numbers is None else numbers[body]]
    scale = scales if isinstance(scales, float) else scales[body]
    vertices = scale * (_loop(shape) if shape.dimension == 2 else shape.vertices)
    if placed.turns is not None:
        vertices = _turned(vertices, placed.turns[body])
    return vertices + placed.positions[body], shape


def _turned(vertices: Doubles, turn: Any) -> Doubles:
    if vertices.shape[1] == 3:
        return turned(turn / np.linalg.norm(turn), vertices)
    c, s = np.cos(turn), np.sin(turn)
    x, y = vertices.T
    return np.column_stack([c * x - s * y, s * x + c * y])


def _draw_touching(contacts, ax, bodies, count, alpha):
    """Draw the bodies that have a contact, at most `count`."""
    numbers = contacts.i if contacts.j is None else np.concatenate([contacts.i, contacts.j])
    numbers = np.unique(numbers)
    chosen = numbers[evenly(len(numbers), count)]
    finder, positions, *orientations = bodies
    turns = orientations[0] if orientations else None
    plot_bodies(finder, positions, turns, ax, alpha=alpha, numbers=chosen)


def _arrow_length(contacts, bodies):
    """The length of arrows: half a typical radius of bodies, or a tenth of the points' extent."""
    if bodies is not None:
        finder = bodies[0]
        sizes = [shape.circumradius for shape in finder.shapes]
        return 0.5 * np.median(sizes) * np.median(finder.scales)
    points = contacts.point
    return 0.1 * np.linalg.norm(np.ptp(points, axis=0)) if len(points) > 1 else 1.0


# ---- the plane -----------------------------------------------------------------------------------


def _draw_polygons(ax, loops, colors, alpha):
    patches = drawing_module("matplotlib.patches")
    rgb = drawing_module("matplotlib.colors").to_rgb
    for loop, color in zip(loops, colors, strict=True):
        face = (*rgb(color), alpha)
        ax.add_patch(patches.Polygon(loop, facecolor=face, edgecolor=LINE_COLOR, zorder=1))
    ax.autoscale_view()
    set_flat_frame(ax)
    return ax


def _flat_contacts(ax, contacts, arrows):
    ax.plot(*contacts.link.transpose(2, 1, 0), color=LINK_COLOR, linewidth=2, zorder=2)
    if contacts.spot is not None:
        ax.scatter(*contacts.spot.T, color=SPOT_COLOR, s=30, edgecolors="white", zorder=4)
    if len(arrows[0]):
        ax.quiver(
            *arrows[0].T, *arrows[1].T, angles="xy", scale_units="xy", scale=1, width=0.004,
            color="#1b1f24", zorder=3,
        )  # fmt: skip
    set_flat_frame(ax)
    return ax


# ---- space ---------------------------------------------------------------------------------------


def _draw_polyhedra(plotter, bodies, colors, alpha):
    """Draw all bodies of one color as one surface, since each surface takes pyvista long."""
    of_color: dict[Any, list[Any]] = {}
    for body, color in zip(bodies, colors, strict=True):
        of_color.setdefault(color if isinstance(color, str) else tuple(color), []).append(body)
    for color, some in of_color.items():
        firsts = np.cumsum([0, *(len(vertices) for vertices, _ in some)])
        cells = [
            vtk_cells(shape.indices + first, shape.offsets)
            for (_, shape), first in zip(some, firsts, strict=False)
        ]
        points = np.concatenate([vertices for vertices, _ in some])
        surface = drawing_module("pyvista").PolyData(points, np.concatenate(cells))
        draw_surface_in_pyvista(plotter, surface, color, alpha)
    plotter.show_axes()
    return plotter


def _contacts_in_space(plotter, contacts, arrows):
    plotter.show_axes()
    if len(contacts) == 0:
        return plotter
    plotter.add_lines(contacts.link.reshape(-1, 3), color=LINK_COLOR, width=5)
    if contacts.spot is not None:
        plotter.add_points(
            contacts.spot, color=SPOT_COLOR, point_size=12, render_points_as_spheres=True
        )
    if len(arrows[0]):
        plotter.add_arrows(*arrows, color="#1b1f24")
    return plotter
