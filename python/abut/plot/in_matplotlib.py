"""Pictures by matplotlib (extra ``plot``), in the plane or of small scenes in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .cells import draw_cell
from .drawn import FINE, edge_part, polygons
from .looks import (
    ARROWS,
    BACKGROUND,
    COLORS,
    FACET_COLOR,
    LIGHT,
    LINE_COLOR,
    MARKS,
    SPHERE_COLOR,
    SPHERES,
    TYPES,
    drawing_module,
)

if TYPE_CHECKING:
    from ..options import Backend


def axes_of(ax):
    if ax is None:
        figure = drawing_module("matplotlib.pyplot").figure(figsize=(8, 6), layout="constrained")
        ax = figure.add_subplot(projection="3d")
        ax.view_init(elev=24, azim=-58)
    if not hasattr(ax, "get_zlim"):
        raise TypeError("ax must be 3D axes: figure.add_subplot(projection='3d')")
    ax.computed_zorder = False
    return ax


def flat_axes(ax: Any, backend: Backend | None, what: str) -> Any:
    """The given axes in the plane, or new ones. what: the things that are drawn, for errors."""
    if backend not in (None, "matplotlib"):
        raise ValueError(f"backend is {backend!r}, but {what} are drawn by 'matplotlib'")
    if ax is None:
        ax = drawing_module("matplotlib.pyplot").figure(layout="constrained").add_subplot()
    if hasattr(ax, "get_zlim") or not hasattr(ax, "add_patch"):
        raise TypeError("ax must be axes in the plane: figure.add_subplot()")
    return ax


def set_flat_frame(ax):
    """Label axes in the plane, and set the same scale for both."""
    ax.set_aspect("equal")
    ax.set(xlabel="x", ylabel="y")


def draw_mesh(ax, mesh, painted, color, alpha):
    if painted is None:
        _draw_facets(ax, mesh, color, alpha)
    else:
        _draw_painted(ax, [mesh], painted)
    set_frame(ax, mesh.vertices[mesh.indices])
    return ax


def draw_contacts(ax, drawn):
    if drawn.painted is None:
        for mesh in drawn.meshes:
            _draw_facets(ax, mesh, FACET_COLOR, drawn.alpha)
        for mesh, features in zip(drawn.meshes, drawn.touched, strict=True):
            _draw_touched(ax, mesh, features)
        _legend(ax, drawn.counts)
    else:
        _draw_painted(ax, drawn.meshes, drawn.painted)
    if drawn.arrows is not None and len(drawn.arrows[0]):
        _draw_arrows(ax, *drawn.arrows)
    centers, radii = drawn.balls
    _draw_spheres(ax, centers, radii)
    draw_cell(ax, drawn.cell)
    shown = [drawn.cell.reshape(-1, 3), *(mesh.vertices[mesh.indices] for mesh in drawn.meshes)]
    set_frame(ax, np.concatenate([*shown, centers - radii[:, None], centers + radii[:, None]]))
    return ax


def _draw_facets(ax, mesh, color, alpha):
    colors = drawing_module("matplotlib.colors")
    _add_facets(ax, mesh, _shaded(mesh, colors.to_rgb(color), alpha), alpha)


def _draw_painted(ax, meshes, painted):
    rgb = drawing_module("matplotlib.colors").to_rgb(painted.color)
    for mesh, values in zip(meshes, painted.values, strict=True):
        colors = painted.scale.colors(values, _shaded(mesh, rgb, painted.alpha))
        colors[~np.isnan(values), 3] = painted.opacity
        _add_facets(ax, mesh, colors, painted.alpha)
    painted.scale.add_bar(ax)


def _add_facets(ax, mesh, facecolors, alpha):
    if len(mesh.areas) == 0:
        return
    part = edge_part(mesh)
    # thinner for smaller facets, so that lines cover the same part of them
    edges, width = LINE_COLOR, min(0.6, 15 * part)
    edgecolors: Any = drawing_module("matplotlib.colors").to_rgba(edges, max(alpha, 0.35))
    if part <= FINE:
        # between opaque facets, lines of their own colors close the gaps
        edgecolors, width = facecolors, 0.2 if alpha == 1.0 else 0.0
    facets = drawing_module("mpl_toolkits.mplot3d.art3d").Poly3DCollection(
        polygons(mesh),
        facecolors=facecolors,
        edgecolors=edgecolors,
        linewidths=width,
        zorder=BACKGROUND,
    )
    ax.add_collection3d(facets)


def _shaded(mesh, color, alpha):
    """A color for each facet: darker at grazing light, and equal on front and back."""
    light = np.array(LIGHT) / np.linalg.norm(LIGHT)
    brightness = 0.62 + 0.38 * np.abs(mesh.normals @ light)
    return np.column_stack([brightness[:, None] * color, np.full(len(mesh.areas), alpha)])


def _draw_touched(ax, mesh, touched):
    art3d = drawing_module("mpl_toolkits.mplot3d.art3d")
    if len(touched.facets):
        facets = art3d.Poly3DCollection(
            polygons(mesh, touched.facets), color=COLORS[0], linewidths=0.4, alpha=0.45
        )
        facets.set_zorder(MARKS)
        ax.add_collection3d(facets)
    if len(touched.edges):
        lines = art3d.Line3DCollection(touched.edges, colors=COLORS[1], linewidths=2.5)
        lines.set_zorder(MARKS)
        ax.add_collection3d(lines)
    if len(touched.vertices):
        x, y, z = touched.vertices.T
        ax.scatter(
            x, y, z, color=COLORS[2], s=36, depthshade=False, edgecolors="white", zorder=MARKS
        )


def _draw_arrows(ax, points, vectors):
    ax.quiver(
        *points.T, *vectors.T, color="#1b1f24", linewidths=0.9, arrow_length_ratio=0.22,
        zorder=ARROWS,
    )  # fmt: skip


def _draw_spheres(ax, centers, radii):
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 33), np.linspace(0, np.pi, 17))
    unit = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    for center, radius in zip(centers, radii, strict=True):
        surface = center[:, None, None] + radius * unit
        ax.plot_surface(*surface, color=SPHERE_COLOR, alpha=0.22, linewidth=0, zorder=SPHERES)


def _legend(ax, counts):
    """Draw the legend: the name, the color and the number of contacts of each type."""
    patches = drawing_module("matplotlib.patches")
    lines = drawing_module("matplotlib.lines")
    texts = [f"{name} ({count:,})" for name, count in zip(TYPES, counts, strict=True)]
    marks = [
        patches.Patch(color=COLORS[0], alpha=0.6, label=texts[0]),
        lines.Line2D([], [], color=COLORS[1], linewidth=2.5, label=texts[1]),
        lines.Line2D([], [], color=COLORS[2], marker="o", linestyle="", label=texts[2]),
    ]
    ax.legend(handles=marks, title="contacts", loc="upper left", frameon=False)


def set_frame(ax, points):
    """Label the axes, and set the same scale for all. A flat scene gets some height."""
    ax.set(xlabel="x", ylabel="y", zlabel="z")
    if len(points) == 0:
        return
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.maximum(high - low, 0.3 * (high - low).max())
    ends = (low + high) / 2 + np.array([[-0.5], [0.5]]) * size
    ax.auto_scale_xyz(*ends.T, had_data=False)
    ax.set_aspect("equal")
    null = drawing_module("matplotlib.ticker").NullLocator
    for axis, share in zip("xyz", size / size.max(), strict=True):
        # a flat view has no ticks along its axis
        if not isinstance(getattr(ax, f"{axis}axis").get_major_locator(), null):
            ax.locator_params(axis=axis, nbins=max(2, round(6 * share)))
