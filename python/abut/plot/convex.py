"""Pictures of convex bodies and contacts, by matplotlib (extra ``plot``) or pyvista (``view``).

Neither is imported before a picture is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.arrays import Doubles
from ..base.orientations import turned
from .drawn import Placed
from .in_matplotlib import axes_of, draw_arrows, draw_facets, flat_axes, set_frame
from .in_pyvista import draw_facets_in_pyvista, plotter_of
from .looks import (
    ARROWS,
    COLORS,
    FACET_COLOR,
    LINE_COLOR,
    MARKS,
    backend_of,
    drawing_module,
    evenly,
)
from .meshes import plot_mesh

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
) -> Any:
    """Draw what `ConvexShape.plot` tells."""
    if shape.dimension == 2:
        return _draw_polygons(flat_axes(ax, backend, "polygons"), [_loop(shape)], [color], alpha)
    return plot_mesh(shape.to_mesh(), ax, backend=backend, color=color, alpha=alpha)


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
) -> Any:
    """Draw what `ConvexFinder.plot` tells."""
    placed = finder._read_placed(positions, orientations, None)
    chosen = range(len(placed.positions)) if numbers is None else np.asarray(numbers).tolist()
    shades = [color if colors is None else colors[body] for body in chosen]
    bodies = [_placed(finder, placed, body) for body in chosen]
    if finder.dimension == 2:
        return _draw_polygons(
            flat_axes(ax, backend, "polygons"), [loop for loop, _ in bodies], shades, alpha
        )
    if backend_of(backend, ax) == "pyvista":
        return _pyvista_bodies(plotter_of(ax), bodies, shades, alpha)
    return _matplotlib_bodies(axes_of(ax), bodies, shades, alpha)


def plot_convex_contacts(
    contacts: ConvexContacts,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    bodies: tuple[Any, ...] | None = None,
    normals: bool = True,
    body_count: int = 500,
    arrow_count: int = 500,
    alpha: float = 0.25,
) -> Any:
    """Draw what `ConvexContacts.plot` tells."""
    is_flat = contacts.point.shape[1] == 2
    name = "matplotlib" if is_flat else backend_of(backend, ax)
    if is_flat:
        ax = flat_axes(ax, backend, "polygons")
    if bodies is not None:
        ax = _draw_touching(contacts, ax, name, bodies, body_count, alpha)
    rows = evenly(len(contacts), arrow_count if normals else 0)
    arrows = contacts.point[rows], contacts.normal[rows] * _arrow_length(contacts, bodies)
    if is_flat:
        return _flat_contacts(ax, contacts, arrows)
    if name == "pyvista":
        return _pyvista_contacts(plotter_of(ax), contacts, arrows)
    return _matplotlib_contacts(axes_of(ax), contacts, arrows, bodies is not None)


# ---- what is drawn -------------------------------------------------------------------------------


def _loop(shape: ConvexShape) -> Doubles:
    """The vertices of a polygon in their order around it."""
    loop: Doubles = shape.vertices[shape.indices[shape.offsets[:-1]]]
    return loop


def _placed(finder: ConvexFinder, placed: Any, body: int) -> tuple[Doubles, ConvexShape]:
    """A body's vertices where it is, of a polygon in their order, and its shape."""
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


def _draw_touching(contacts, ax, name, bodies, count, alpha):
    """The bodies that have a contact, at most `count`."""
    numbers = contacts.i if contacts.j is None else np.concatenate([contacts.i, contacts.j])
    numbers = np.unique(numbers)
    chosen = numbers[evenly(len(numbers), count)]
    finder, positions, *orientations = bodies
    turns = orientations[0] if orientations else None
    return plot_bodies(finder, positions, turns, ax, backend=name, alpha=alpha, numbers=chosen)


def _arrow_length(contacts, bodies):
    """About half as long as a body is large; without bodies as the spots are apart."""
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
    ax.set_aspect("equal")
    ax.set(xlabel="x", ylabel="y")
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
    ax.set_aspect("equal")
    ax.set(xlabel="x", ylabel="y")
    return ax


# ---- matplotlib ----------------------------------------------------------------------------------


def _matplotlib_bodies(ax, bodies, colors, alpha):
    for color, mesh in _meshes(bodies, colors):
        draw_facets(ax, mesh, color, alpha)
    set_frame(ax, np.concatenate([vertices for vertices, _ in bodies] or [np.empty((0, 3))]))
    return ax


def _meshes(bodies, colors):
    """Each color with all facets of that color: libraries take long for each thing they draw."""
    of_color: dict[Any, list[Any]] = {}
    for body, color in zip(bodies, colors, strict=True):
        of_color.setdefault(color if isinstance(color, str) else tuple(color), []).append(body)
    for color, bodies_of_it in of_color.items():
        some = [_mesh(*body) for body in bodies_of_it]
        firsts = np.cumsum([0, *(len(mesh.vertices) for mesh in some)])
        starts = np.cumsum([0, *(mesh.offsets[-1] for mesh in some)])
        shifted = [
            mesh._replace(indices=mesh.indices + first, offsets=mesh.offsets[:-1] + start)
            for mesh, first, start in zip(some, firsts, starts, strict=False)
        ]
        joined = Placed(*map(np.concatenate, zip(*shifted, strict=True)))
        yield color, joined._replace(offsets=np.append(joined.offsets, starts[-1]))


def _mesh(vertices, shape):
    """What `plot` draws of a mesh."""
    corners = vertices[shape.indices]
    arms = corners - np.repeat(corners[shape.offsets[:-1]], np.diff(shape.offsets), axis=0)
    normals = np.add.reduceat(np.cross(arms, np.roll(arms, -1, axis=0)), shape.offsets[:-1])
    areas = np.linalg.norm(normals, axis=1)
    return Placed(vertices, shape.indices, shape.offsets, normals / areas[:, None], areas)


def _matplotlib_contacts(ax, contacts, arrows, is_framed):
    if len(contacts) == 0:
        return ax
    art3d = drawing_module("mpl_toolkits.mplot3d.art3d")
    links = art3d.Line3DCollection(contacts.link, colors=LINK_COLOR, linewidths=2.5)
    links.set_zorder(MARKS)
    ax.add_collection3d(links)
    if contacts.spot is not None:
        ax.scatter(
            *contacts.spot.T, color=SPOT_COLOR, s=30, depthshade=False, edgecolors="white",
            zorder=ARROWS,
        )  # fmt: skip
    if len(arrows[0]):
        draw_arrows(ax, *arrows)
    if not is_framed:
        set_frame(ax, contacts.link.reshape(-1, 3))
    return ax


# ---- pyvista -------------------------------------------------------------------------------------


def _pyvista_bodies(plotter, bodies, colors, alpha):
    for color, mesh in _meshes(bodies, colors):
        draw_facets_in_pyvista(plotter, mesh, np.arange(len(mesh.areas)), color, alpha)
    plotter.show_axes()
    return plotter


def _pyvista_contacts(plotter, contacts, arrows):
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
