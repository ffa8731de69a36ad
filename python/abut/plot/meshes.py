"""Pictures of meshes and contacts, by matplotlib (extra ``plot``) or pyvista (extra ``view``).

Neither is imported before a picture is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.extras import import_extra
from ..base.poses import rotated
from ..results.maps import REDUCTIONS, facets_of
from ..search.facets import vtk_cells
from .colors import ColorScale, color_scale, corner_means, mesh_values, row_values

if TYPE_CHECKING:
    from ..options import At, Backend, How
    from ..results.contacts import Contacts
    from ..search.mesh import Mesh

__all__ = ["plot_contacts", "plot_mesh", "plot_spheres"]

TYPES = ("FACET", "EDGE", "VERTEX")
# told apart by people who see few colors, too
COLORS = ("#0072b2", "#e69f00", "#d0196b")
FACET_COLOR = "#c9d3dc"
LINE_COLOR = "#5c6b7a"
SPHERE_COLOR = "#8c9a5b"
LIGHT = (1, -2, 3)  # where it comes from
EXTRAS = {"matplotlib": "plot", "mpl_toolkits": "plot", "pyvista": "view"}

# matplotlib does not hide what is behind: the order in which things are drawn
BACKGROUND, MARKS, ARROWS, SPHERES = 1, 2, 3, 4


class Touched(NamedTuple):
    """The features that contacts lie on: facets' numbers, edges' ends, vertices' coordinates."""

    facets: np.ndarray
    edges: np.ndarray
    vertices: np.ndarray


class Painted(NamedTuple):
    """Facets in the colors of their values, one array a mesh; NaN: they are plain.

    `color` and `alpha` are those of plain facets, `opacity` is that of the others.
    """

    values: list[np.ndarray]
    place: str
    scale: ColorScale
    color: Any
    alpha: float
    opacity: float


class Drawn(NamedTuple):
    """All that is drawn of contacts: the features that are touched, or facets that are painted."""

    meshes: list[Placed]
    touched: list[Touched] | None
    painted: Painted | None
    arrows: tuple[np.ndarray, np.ndarray] | None
    balls: tuple[np.ndarray, np.ndarray]
    counts: np.ndarray
    alpha: float


def plot_mesh(
    mesh: Mesh,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    color: Any = FACET_COLOR,
    alpha: float | None = None,
    scalars: Any = None,
    at: At | None = None,
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
) -> Any:
    """
    Draw the facets of a mesh, in one color or by numbers that they or the vertices have.

    Parameters
    ----------
    mesh : Mesh
        The facets.
    ax : matplotlib 3D axes or pyvista.Plotter, optional
        What is drawn on; made where it is not given.
    backend : {"matplotlib", "pyvista"}, optional
        By default matplotlib where it is installed, else pyvista. Matplotlib wants seconds for
        more than some 20,000 facets.
    color : color
        Of the facets, and of those that have no number.
    alpha : float, optional
        Opacity of the facets, 0 to 1. By default 0.9; with `scalars` 1, which keeps their colors.
    scalars : (m,) or (v,) array_like, optional
        A number for each facet, or for each vertex, that the facets are colored by. NaN: it has
        none. By those of vertices matplotlib gives a facet one color, that of its corners' mean.
    at : {"facet", "vertex"}, optional
        What `scalars` are for; it follows from their number but where there are as many facets as
        vertices.
    cmap : str or matplotlib.colors.Colormap
        Colors of the scalars.
    limits : (low, high), optional
        Numbers that the first and the last color stand for. By default the least and the largest.
    label : str or None
        Of the color bar, which is there where scalars are; None leaves it out.

    Returns
    -------
    matplotlib 3D axes or pyvista.Plotter
        What was drawn on, not shown yet.

    Raises
    ------
    ImportError
        If the library is not installed; the message names the extra.
    ValueError
        If an option's value is wrong: `scalars` are of another shape or infinite, say.
    """
    painted = None
    if alpha is None:
        alpha = 0.9 if scalars is None else 1.0
    if scalars is not None:
        values, place = mesh_values(scalars, len(mesh), len(mesh.vertices), at)
        scale = color_scale([values], cmap, limits, label)
        painted = Painted([values], place, scale, color, alpha, alpha)
    if _backend(backend, ax) == "pyvista":
        return _pyvista_mesh(_plotter(ax), mesh, painted, color, alpha)
    return _matplotlib_mesh(_axes(ax), mesh, painted, color, alpha)


def plot_contacts(
    contacts: Contacts,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    mesh: Mesh | Sequence[Mesh] | None = None,
    spheres: tuple[Any, Any] | None = None,
    normals: bool | None = None,
    arrow_count: int = 500,
    sphere_count: int = 100,
    alpha: float = 0.25,
    scalars: Any = None,
    how: How = "max",
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
) -> Any:
    """
    Draw the features that contacts lie on, and their normals, on the facets.

    Touched facets, edges and vertices have a color each; an arrow leads from each contact point
    along the normal, from the mesh to the sphere's center. With `scalars` the facets that contacts
    name are colored by the contacts' numbers instead, and the others are plain.

    Parameters
    ----------
    contacts : Contacts
        The contacts; a selection draws these alone.
    ax : matplotlib 3D axes or pyvista.Plotter, optional
        What is drawn on; made where it is not given.
    backend : {"matplotlib", "pyvista"}, optional
        By default matplotlib where it is installed, else pyvista.
    mesh : Mesh or sequence of Mesh, optional
        For contacts that do not know their meshes any more (read from a file). They are drawn where
        the contacts' poses have them; periodic images are not drawn, but arrows start there.
    spheres : (centers, radii), optional
        Draws the touching spheres too, and the arrows as long as their radii.
    normals : bool, optional
        Whether to draw the arrows; by default where there are no `scalars`, which they would hide.
    arrow_count, sphere_count : int
        At most so many arrows and spheres, taken evenly from the table: more of them hide
        the picture. Touched features are all drawn.
    alpha : float
        Opacity of the facets that are not touched, 0 to 1.
    scalars : (m,) array_like or str, optional
        A finite number for each contact, or a column's name, as "overlap"; of a column of vectors,
        as the "force" of a simulation, the lengths count. A contact on an edge or a vertex counts
        for the facet that its row names.
    how : {"max", "sum", "mean"}
        What the color of a facet with several contacts tells: the largest of their numbers, their
        sum, as for a wall's load, or their mean.
    cmap : str or matplotlib.colors.Colormap
        Colors of the numbers.
    limits : (low, high), optional
        Numbers that the first and the last color stand for. By default the least and the largest
        that a facet has.
    label : str or None
        Of the color bar; by default the column's name. None leaves the bar out.

    Returns
    -------
    matplotlib 3D axes or pyvista.Plotter
        What was drawn on, not shown yet.

    Raises
    ------
    ImportError
        If the library is not installed; the message names the extra.
    ValueError
        If the contacts do not know their mesh and none is given, or an option's value is wrong.
    """
    meshes = _meshes(contacts, mesh)
    touched = painted = None
    if scalars is None:
        touched = [_touched(contacts, k, one) for k, one in enumerate(meshes)]
    else:
        values = _facet_values(contacts, meshes, row_values(contacts, scalars, "scalars"), how)
        name = scalars if label == "" and isinstance(scalars, str) else label
        scale = color_scale(values, cmap, limits, name)
        painted = Painted(values, "facet", scale, FACET_COLOR, alpha, 1.0)
    shows_arrows = scalars is None if normals is None else normals
    arrows = _arrows(contacts, meshes, spheres, arrow_count) if shows_arrows else None
    balls = _touching(contacts, spheres, sphere_count)
    counts = np.bincount(contacts.type, minlength=len(TYPES))
    drawn = Drawn(meshes, touched, painted, arrows, balls, counts, alpha)
    if _backend(backend, ax) == "pyvista":
        return _pyvista_contacts(_plotter(ax), drawn)
    return _matplotlib_contacts(_axes(ax), drawn)


def plot_spheres(
    centers: Any,
    radii: Any,
    ax: Any = None,
    *,
    values: Any = None,
    label: str = "",
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
) -> Any:
    """
    Draw spheres as shaded disks, quickly, by matplotlib.

    Parameters
    ----------
    centers : (n, 3) array_like
    radii : float or (n,) array_like
    ax : matplotlib 3D axes, optional
        What is drawn on, as wide as the meshes that are there, or where nothing is, as the spheres;
        made where it is not given. Its projection becomes orthographic, and it should keep its size
        and view from now on: disks do not.
    values : (n,) array_like, optional
        Numbers that the spheres are colored by, with a bar that tells them where `label` is given.
    label : str
        Of the bar.
    cmap : str or matplotlib.colors.Colormap
        Colors of the values.
    limits : (low, high), optional
        Values that the first and the last color stand for.

    Returns
    -------
    matplotlib 3D axes
        What was drawn on, not shown yet.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    centers = np.asarray(centers, dtype=float)
    radii = np.broadcast_to(np.asarray(radii, dtype=float), len(centers))
    ax = _axes(ax)
    ax.set_proj_type("ortho")
    # of axes with nothing on them the view is still to come, and disks must know it
    if not ax.has_data():
        _frame(ax, np.concatenate([centers - radii[:, None], centers + radii[:, None]]))
    _draw_disks(ax, centers, radii, values, label, cmap, limits)
    return ax


# ---- what is drawn -------------------------------------------------------------------------------


class Placed(NamedTuple):
    """A mesh where its pose has it: what is drawn of a Mesh."""

    vertices: np.ndarray
    indices: np.ndarray
    offsets: np.ndarray
    normals: np.ndarray
    areas: np.ndarray


def _meshes(contacts, mesh):
    meshes = contacts.meshes if mesh is None else mesh
    if meshes is None:
        raise ValueError("these contacts do not know their mesh: give it as mesh=")
    meshes = tuple(meshes) if isinstance(meshes, (list, tuple)) else (meshes,)
    poses = (None,) * len(meshes) if contacts.poses is None else contacts.poses
    if len(poses) != len(meshes):
        raise ValueError(f"the contacts are of {len(poses)} meshes, but {len(meshes)} are given")
    return [_placed(one, pose) for one, pose in zip(meshes, poses, strict=True)]


def _placed(mesh, pose):
    vertices, normals = mesh.vertices, mesh.normals
    if pose is not None:
        vertices = rotated(vertices, pose[:3, :3]) + pose[:3, 3]
        normals = rotated(normals, pose[:3, :3])
    return Placed(vertices, mesh.indices, mesh.offsets, normals, mesh.areas)


def _polygons(mesh, facets=slice(None)):
    """The corners of facets, one array (k, 3) each."""
    starts, ends = mesh.offsets[:-1][facets], mesh.offsets[1:][facets]
    spans = zip(starts, ends, strict=True)
    return [mesh.vertices[mesh.indices[start:end]] for start, end in spans]


def _touched(contacts, number, mesh):
    """What the contacts of one mesh lie on, each feature once."""
    facets, edges, corners = (_of_type(contacts, number, kind) for kind in range(len(TYPES)))
    ends = np.column_stack([_vertex(mesh, *edges), _vertex(mesh, edges[0], edges[1] + 1)])
    return Touched(
        np.unique(facets[0]),
        mesh.vertices[np.unique(np.sort(ends, axis=1), axis=0)],
        mesh.vertices[np.unique(_vertex(mesh, *corners))],
    )


def _of_type(contacts, number, kind):
    """The facet and feature columns of one mesh's contacts of one type."""
    rows = (contacts.mesh == number) & (contacts.type == kind)
    return contacts.facet[rows], contacts.feature[rows]


def _vertex(mesh, facets, corners):
    """The vertex number of a corner of each facet; the corner after the last is the first."""
    first = mesh.offsets[facets]
    return mesh.indices[first + corners % (mesh.offsets[facets + 1] - first)]


def _facet_values(contacts, meshes, values, how):
    """What the facets of each mesh have of the contacts' values; NaN where nothing touches."""
    reduce = checks.choice(how, "how", REDUCTIONS)
    found = []
    for number, mesh in enumerate(meshes):
        count = len(mesh.areas)
        facets, here = facets_of(contacts, number, count)
        is_touched = np.bincount(facets, minlength=count) > 0
        found.append(np.where(is_touched, reduce(count, facets, values[here]), np.nan))
    return found


def _arrows(contacts, meshes, spheres, count):
    """Start points and vectors of the normals, at most `count`, evenly from the table."""
    rows = _evenly(len(contacts), count)
    if spheres is not None:
        radii = np.broadcast_to(np.asarray(spheres[1], dtype=float), len(spheres[0]))
        length = radii[contacts.sphere[rows]][:, None]
    else:
        length = _arrow_length(contacts, meshes)
    return contacts.point[rows], contacts.normal[rows] * length


def _arrow_length(contacts, meshes):
    """About as long as a touched facet is wide, at most a fifth of the picture."""
    corners = np.concatenate([mesh.vertices[mesh.indices] for mesh in meshes])
    areas = [
        mesh.areas[np.unique(contacts.facet[contacts.mesh == k])] for k, mesh in enumerate(meshes)
    ]
    if len(contacts) == 0:
        return 0.0
    largest = np.linalg.norm(np.ptp(corners, axis=0)) / 5
    return min(np.sqrt(np.median(np.concatenate(areas))), largest)


def _touching(contacts, spheres, count):
    """Centers and radii of the spheres that touch, at most `count`."""
    if spheres is None:
        return np.empty((0, 3)), np.empty(0)
    centers, radii = np.asarray(spheres[0], dtype=float), np.asarray(spheres[1], dtype=float)
    numbers = np.unique(contacts.sphere)
    numbers = numbers[_evenly(len(numbers), count)]
    return centers[numbers], np.broadcast_to(radii, len(centers))[numbers]


def _evenly(length, count):
    """At most `count` numbers below `length`, evenly spread."""
    return np.unique(np.linspace(0, length - 1, min(length, count)).astype(int))


# ---- which library -------------------------------------------------------------------------------


def _backend(name, ax):
    if name is None:
        name = _kind_of(ax) if ax is not None else _installed()
    if name not in ("matplotlib", "pyvista"):
        raise ValueError(f"backend must be 'matplotlib' or 'pyvista', not {name!r}")
    return name


def _kind_of(ax):
    return "pyvista" if type(ax).__module__.startswith("pyvista") else "matplotlib"


def _installed():
    has_matplotlib, has_pyvista = find_spec("matplotlib"), find_spec("pyvista")
    return "pyvista" if has_pyvista and not has_matplotlib else "matplotlib"


def _import(module):
    return import_extra(module, EXTRAS[module.partition(".")[0]])


# ---- matplotlib ----------------------------------------------------------------------------------


def _axes(ax):
    if ax is None:
        figure = _import("matplotlib.pyplot").figure(figsize=(8, 6), layout="constrained")
        ax = figure.add_subplot(projection="3d")
        ax.view_init(elev=24, azim=-58)
    if not hasattr(ax, "get_zlim"):
        raise TypeError("ax must be 3D axes: figure.add_subplot(projection='3d')")
    ax.computed_zorder = False
    return ax


def flat_axes(ax: Any, backend: Backend | None, what: str) -> Any:
    """Axes in the plane, made where none are given; an error says what wants them."""
    if backend not in (None, "matplotlib"):
        raise ValueError(f"backend is {backend!r}, but {what} are drawn by 'matplotlib'")
    if ax is None:
        ax = _import("matplotlib.pyplot").figure(layout="constrained").add_subplot()
    if hasattr(ax, "get_zlim") or not hasattr(ax, "add_patch"):
        raise TypeError("ax must be axes in the plane: figure.add_subplot()")
    return ax


def _matplotlib_mesh(ax, mesh, painted, color, alpha):
    if painted is None:
        _draw_facets(ax, mesh, color, alpha)
    else:
        _draw_painted(ax, [mesh], painted)
    _frame(ax, mesh.vertices[mesh.indices])
    return ax


def _matplotlib_contacts(ax, drawn):
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
    shown = [mesh.vertices[mesh.indices] for mesh in drawn.meshes]
    _frame(ax, np.concatenate([*shown, centers - radii[:, None], centers + radii[:, None]]))
    return ax


def _draw_facets(ax, mesh, color, alpha):
    colors = _import("matplotlib.colors")
    _add_facets(ax, mesh, _shaded(mesh, colors.to_rgb(color), alpha), alpha)


def _draw_painted(ax, meshes, painted):
    rgb = _import("matplotlib.colors").to_rgb(painted.color)
    for mesh, values in zip(meshes, painted.values, strict=True):
        if painted.place == "vertex":
            values = corner_means(values, mesh.indices, mesh.offsets)
        colors = painted.scale.colors(values, _shaded(mesh, rgb, painted.alpha))
        colors[~np.isnan(values), 3] = painted.opacity
        _add_facets(ax, mesh, colors, painted.alpha)
    painted.scale.add_bar(ax)


def _add_facets(ax, mesh, facecolors, alpha):
    if len(mesh.areas) == 0:
        return
    facets = _import("mpl_toolkits.mplot3d.art3d").Poly3DCollection(
        _polygons(mesh),
        facecolors=facecolors,
        edgecolors=_import("matplotlib.colors").to_rgba(LINE_COLOR, max(alpha, 0.35)),
        # where facets are small their outlines would cover them
        linewidths=0.6 if len(mesh.areas) < 500 else 0.2,
        zorder=BACKGROUND,
    )
    ax.add_collection3d(facets)


def _shaded(mesh, color, alpha):
    """A color for each facet, darker where light falls along it, whichever side is its front."""
    light = np.array(LIGHT) / np.linalg.norm(LIGHT)
    brightness = 0.62 + 0.38 * np.abs(mesh.normals @ light)
    return np.column_stack([brightness[:, None] * color, np.full(len(mesh.areas), alpha)])


def _draw_touched(ax, mesh, touched):
    art3d = _import("mpl_toolkits.mplot3d.art3d")
    if len(touched.facets):
        facets = art3d.Poly3DCollection(
            _polygons(mesh, touched.facets), color=COLORS[0], linewidths=0.4, alpha=0.45
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


def _draw_disks(ax, centers, radii, values, label, cmap, limits):
    low, high = (None, None) if limits is None else limits
    disks = ax.scatter(
        *centers.T,
        s=(2 * radii * _points_a_length(ax)) ** 2,
        c=SPHERE_COLOR if values is None else values,
        **({} if values is None else {"cmap": cmap, "vmin": low, "vmax": high}),
        edgecolors="#00000050",
        linewidths=0.2,
        depthshade=False,
        zorder=SPHERES,
    )
    if label:
        ax.figure.colorbar(disks, ax=ax, label=label, shrink=0.6)


def _points_a_length(ax):
    """How many points of the page a unit of length takes, across the view."""
    figure = ax.figure
    # the layout tells how large the axes are, and a drawing how it is seen
    figure.draw_without_rendering()
    proj3d = _import("mpl_toolkits.mplot3d.proj3d")
    middle = np.mean([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1)
    azimuth = np.radians(ax.azim)
    across = middle + np.ptp(ax.get_xlim()) * np.array([-np.sin(azimuth), np.cos(azimuth), 0])
    ends = [proj3d.proj_transform(*point, ax.get_proj())[:2] for point in (middle, across)]
    pixels = np.linalg.norm(np.diff(ax.transData.transform(ends), axis=0))
    return pixels / np.linalg.norm(across - middle) * 72 / figure.dpi


def _legend(ax, counts):
    """Names, colors and how many contacts there are of each type."""
    patches = _import("matplotlib.patches")
    lines = _import("matplotlib.lines")
    texts = [f"{name} ({count:,})" for name, count in zip(TYPES, counts, strict=True)]
    marks = [
        patches.Patch(color=COLORS[0], alpha=0.6, label=texts[0]),
        lines.Line2D([], [], color=COLORS[1], linewidth=2.5, label=texts[1]),
        lines.Line2D([], [], color=COLORS[2], marker="o", linestyle="", label=texts[2]),
    ]
    ax.legend(handles=marks, title="contacts", loc="upper left", frameon=False)


def _frame(ax, points):
    """Label the axes and give them one scale; a flat scene keeps some height."""
    ax.set(xlabel="x", ylabel="y", zlabel="z")
    if len(points) == 0:
        return
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.maximum(high - low, 0.3 * (high - low).max())
    ends = (low + high) / 2 + np.array([[-0.5], [0.5]]) * size
    ax.auto_scale_xyz(*ends.T, had_data=False)
    ax.set_aspect("equal")
    for axis, share in zip("xyz", size / size.max(), strict=True):
        ax.locator_params(axis=axis, nbins=max(2, round(6 * share)))


# ---- pyvista -------------------------------------------------------------------------------------


def _plotter(plotter):
    return _import("pyvista").Plotter() if plotter is None else plotter


def _surface(mesh, facets):
    """A pyvista.PolyData of some facets."""
    chosen = np.zeros(len(mesh.areas), dtype=bool)
    chosen[facets] = True
    entries = np.repeat(chosen, np.diff(mesh.offsets) + 1)
    cells = vtk_cells(mesh.indices, mesh.offsets)[entries]
    return _import("pyvista").PolyData(np.array(mesh.vertices), cells)


def _pyvista_facets(plotter, mesh, facets, color, alpha):
    if len(facets):
        plotter.add_mesh(
            _surface(mesh, facets),
            color=color,
            opacity=alpha,
            ambient=0.25,
            show_edges=True,
            edge_color=LINE_COLOR,
        )


def _pyvista_mesh(plotter, mesh, painted, color, alpha):
    if painted is None:
        _pyvista_facets(plotter, mesh, np.arange(len(mesh.areas)), color, alpha)
    else:
        _pyvista_painted(plotter, [mesh], painted)
    plotter.show_axes()
    return plotter


def _pyvista_painted(plotter, meshes, painted):
    for mesh, values in zip(meshes, painted.values, strict=True):
        is_colored = ~np.isnan(values)
        if painted.place == "vertex":
            # all facets: corners without a value get the plain color
            is_colored = np.ones(len(mesh.areas), dtype=bool)
        _pyvista_facets(plotter, mesh, np.flatnonzero(~is_colored), painted.color, painted.alpha)
        if not is_colored.any():
            continue
        surface = _surface(mesh, is_colored)
        if painted.place == "vertex":
            surface.point_data["values"] = values
        else:
            surface.cell_data["values"] = values[is_colored]
        _add_surface(plotter, surface, painted)


def _add_surface(plotter, surface, painted):
    plotter.add_mesh(
        surface,
        scalars="values",
        nan_color=painted.color,
        opacity=painted.opacity,
        # not much darker than in the bar
        ambient=0.5,
        diffuse=0.5,
        show_edges=True,
        edge_color=LINE_COLOR,
        edge_opacity=0.3,
        **painted.scale.options(),
    )


def _pyvista_contacts(plotter, drawn):
    if drawn.painted is None:
        for mesh, features in zip(drawn.meshes, drawn.touched, strict=True):
            _pyvista_touched(plotter, mesh, features, drawn.alpha)
        _pyvista_legend(plotter, drawn.counts)
    else:
        _pyvista_painted(plotter, drawn.meshes, drawn.painted)
    if drawn.arrows is not None and len(drawn.arrows[0]):
        plotter.add_arrows(*drawn.arrows, color="#1b1f24")
    pyvista = _import("pyvista")
    for center, radius in zip(*drawn.balls, strict=True):
        ball = pyvista.Sphere(radius=radius, center=center)
        plotter.add_mesh(ball, color=SPHERE_COLOR, opacity=0.3)
    plotter.show_axes()
    return plotter


def _pyvista_touched(plotter, mesh, features, alpha):
    # a touched facet would shine through one that is drawn at the same place
    others = np.setdiff1d(np.arange(len(mesh.areas)), features.facets)
    _pyvista_facets(plotter, mesh, others, FACET_COLOR, alpha)
    _pyvista_facets(plotter, mesh, features.facets, COLORS[0], max(alpha, 0.7))
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
