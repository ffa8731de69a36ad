"""Pictures in space by pyvista (extra ``view``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..search.facets import vtk_cells
from .cells import draw_cell_in_pyvista
from .drawn import FINE, edge_part
from .looks import COLORS, FACET_COLOR, LINE_COLOR, SPHERE_COLOR, TYPES, drawing_module

if TYPE_CHECKING:
    from ..options import Backend


def plotter_of(plotter: Any, backend: Backend | None, what: str) -> Any:
    """The given plotter, or a new one. what: the things that are drawn, for errors."""
    if backend not in (None, "pyvista"):
        raise ValueError(
            f"backend is {backend!r}, but {what} are drawn by 'pyvista': give backend='pyvista',"
            " which the extra view brings"
        )
    if plotter is None:
        return drawing_module("pyvista").Plotter()
    if not hasattr(plotter, "add_mesh"):
        raise TypeError(
            f"ax must be a pyvista.Plotter, since {what} are drawn by 'pyvista': leave out ax and"
            " give backend='pyvista', which the extra view brings"
        )
    return plotter


def facets_in_pyvista(mesh, facets):
    """A pyvista.PolyData of the facets with these numbers."""
    chosen = np.zeros(len(mesh.areas), dtype=bool)
    chosen[facets] = True
    entries = np.repeat(chosen, np.diff(mesh.offsets) + 1)
    cells = vtk_cells(mesh.indices, mesh.offsets)[entries]
    return drawing_module("pyvista").PolyData(np.array(mesh.vertices), cells)


def draw_surface_in_pyvista(plotter, surface, color, alpha, fine=False):
    """Draw a surface with the edges of its facets; of a fine one only its borders and creases."""
    plotter.add_mesh(
        surface,
        color=color,
        opacity=alpha,
        ambient=0.25,
        show_edges=not fine,
        edge_color=LINE_COLOR,
    )
    if fine:
        _draw_creases(plotter, surface)


def _draw_creases(plotter, surface):
    edges = surface.extract_feature_edges(30.0)
    if edges.n_cells:
        plotter.add_mesh(edges, color=LINE_COLOR, lighting=False)


def _draw_facets(plotter, mesh, facets, color, alpha):
    # pyvista does not accept an empty surface.
    if len(facets):
        surface, fine = facets_in_pyvista(mesh, facets), edge_part(mesh) <= FINE
        draw_surface_in_pyvista(plotter, surface, color, alpha, fine)


def draw_mesh_in_pyvista(plotter, mesh, painted, color, alpha):
    if painted is None:
        _draw_facets(plotter, mesh, np.arange(len(mesh.areas)), color, alpha)
    else:
        _pyvista_painted(plotter, [mesh], painted)
    plotter.show_axes()
    return plotter


def _pyvista_painted(plotter, meshes, painted):
    for mesh, values in zip(meshes, painted.values, strict=True):
        is_colored = ~np.isnan(values)
        if painted.place == "vertex":
            # All facets are colored; only corners without a value get `nan_color`.
            is_colored = np.ones(len(mesh.areas), dtype=bool)
        _draw_facets(plotter, mesh, np.flatnonzero(~is_colored), painted.color, painted.alpha)
        if not is_colored.any():
            continue
        surface = facets_in_pyvista(mesh, is_colored)
        if painted.place == "vertex":
            surface.point_data["values"] = values
        else:
            surface.cell_data["values"] = values[is_colored]
        _add_surface(plotter, surface, painted, edge_part(mesh) <= FINE)


def _add_surface(plotter, surface, painted, fine):
    plotter.add_mesh(
        surface,
        scalars="values",
        nan_color=painted.color,
        opacity=painted.opacity,
        # With much ambient light, the colors of facets are nearly those of the color bar.
        ambient=0.5,
        diffuse=0.5,
        show_edges=not fine,
        edge_color=LINE_COLOR,
        edge_opacity=0.3,
        **painted.scale.options(),
    )


def draw_spheres_in_pyvista(plotter, centers, radii, colors):
    """Draw spheres, and remove those that an earlier call has drawn."""
    pyvista = drawing_module("pyvista")
    plotter.show_axes()
    if not len(radii):
        plotter.remove_actor("spheres")
        return
    points = pyvista.PolyData(np.array(centers))
    points["diameter"] = 2 * radii
    ball = pyvista.Sphere(radius=0.5, theta_resolution=16, phi_resolution=16)
    look = {"color": colors.plain}
    if colors.values is not None:
        points["values"] = colors.values
        look = {"scalars": "values", **colors.scale.options()}
    balls = points.glyph(geom=ball, scale="diameter", orient=False)
    plotter.add_mesh(balls, name="spheres", smooth_shading=True, **look)


def draw_contacts_in_pyvista(plotter, drawn):
    if drawn.painted is None:
        for mesh, features in zip(drawn.meshes, drawn.touched, strict=True):
            _pyvista_touched(plotter, mesh, features, drawn.alpha)
        _pyvista_legend(plotter, drawn.counts)
    else:
        _pyvista_painted(plotter, drawn.meshes, drawn.painted)
    if drawn.arrows is not None and len(drawn.arrows[0]):
        plotter.add_arrows(*drawn.arrows, color="#1b1f24")
    pyvista = drawing_module("pyvista")
    for center, radius in zip(*drawn.balls, strict=True):
        ball = pyvista.Sphere(radius=radius, center=center)
        plotter.add_mesh(ball, color=SPHERE_COLOR, opacity=0.3)
    draw_cell_in_pyvista(plotter, drawn.cell)
    plotter.show_axes()
    return plotter


def _pyvista_touched(plotter, mesh, features, alpha):
    # A touched facet is drawn only once, since two facets in one place show through each other.
    others = np.setdiff1d(np.arange(len(mesh.areas)), features.facets)
    _draw_facets(plotter, mesh, others, FACET_COLOR, alpha)
    _draw_facets(plotter, mesh, features.facets, COLORS[0], max(alpha, 0.7))
    _pyvista_marks(plotter, features)


def _pyvista_legend(plotter, counts):
    texts = [f"{name} ({count:,})" for name, count in zip(TYPES, counts, strict=True)]
    labels = [list(pair) for pair in zip(texts, COLORS, strict=True)]
    plotter.add_legend(labels, face="rectangle", loc="upper left", size=(0.18, 0.14))


def _pyvista_marks(plotter, touched):
    if len(touched.edges):
        plotter.add_lines(touched.edges.reshape(-1, 3), color=COLORS[1], width=5)
    if len(touched.vertices):
        plotter.add_points(
            touched.vertices, color=COLORS[2], point_size=14, render_points_as_spheres=True
        )
