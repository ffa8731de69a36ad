"""Pictures of simulations as pixels: pyvista draws the scene, matplotlib the bar and the texts."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from ..search.mesh import Mesh
from .cells import cell_lines, draw_cell_in_pyvista
from .drawn import FINE, Placed, edge_part, placed
from .in_pyvista import facets_in_pyvista
from .looks import FACET_COLOR, LINE_COLOR, drawing_module, opacity
from .simulations import (
    Scene,
    colors_of,
    ends_of,
    is_mesh,
    is_wall,
    scene_of,
    several,
    walls_of,
)
from .views import axes_of_view, read_view

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..simulation.simulation import Simulation
    from ..simulation.walls import Wall

INK = "#1b1f24"
# The pixels of the scene for each pixel of the picture along each axis; their mean smooths edges.
SAMPLES = 2
SCENE_WIDTH = 0.84  # the scene's part of the picture's width if there is a color bar
FILLED = 0.9  # the part of the scene's frame that its contents fill
AMBIENT = 0.4
DOTS_PER_INCH = 100
# The direction to the light in the camera's frame: left, above, and towards the camera (+z).
LIGHT = (-0.6, 0.9, 1.0)


def render(
    simulation: Simulation,
    color: Any = None,
    *,
    view: Any = (1.0, -1.8, 0.9),
    up: Any = None,
    size: tuple[int, int] = (800, 600),
    walls: bool | Wall | Mesh | Iterable[Wall | Mesh] = True,
    cell: bool = True,
    images: bool = False,
    alpha: float = 0.3,
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
    title: str = "",
) -> Image:
    """Draw a simulation off screen by pyvista (extra ``view``), as pixels of a chosen size.

    The projection is parallel, and the scene fills the frame. A line in the lower left corner shows
    the scale, if lengths are in meters. The color bar is to the right of the scene. Walls are
    transparent, and a half space is a square. Jupyter shows the picture.

    Parameters
    ----------
    simulation : Simulation
    color : str or (n,) array_like, optional
        As for `Simulation.plot`.
    view : {"x", "-x", "y", "-y", "z", "-z"} or (3,) array_like
        The direction from the scene to the camera: "-y" shows x to the right and z upwards, "z"
        shows x to the right and y upwards.
    up : (3,) array_like, optional
        The direction that points up in the picture, by default z, or y for the views "z" and "-z".
    size : (int, int)
        Width and height in pixels.
    walls : bool, Wall, Mesh or iterable of these
        The walls to draw: True for all, False for none, or a list. A mesh is drawn where its
        vertices are.
    cell : bool, default True
        Whether to draw the edges of the periodic cell.
    images : bool, default False
        Whether to draw the periodic images of particles that reach into the cell.
    alpha : float
        Opacity of the walls, 0 to 1.
    cmap : str or matplotlib.colors.Colormap
        Colors of the numbers.
    limits : (low, high), optional
        Numbers of the first and the last color, by default the smallest and the largest number.
    label : str or None
        Label of the color bar, by default the name in `color`; None leaves the bar out.
    title : str
        Text in the upper left corner.

    Returns
    -------
    PIL.Image.Image

    Raises
    ------
    ImportError
        If pyvista is not installed.
    ValueError, TypeError
        If an argument is wrong; the message names it.

    See Also
    --------
    abut.Simulation.plot : Draws on axes or a plotter, with a view that can be turned.

    Examples
    --------
    >>> import abut
    >>> from abut.plot import render
    >>> sim = abut.examples.mixer_simulation()  # doctest: +SKIP
    >>> render(sim, "speed", label="speed in m/s").save("mixer.png")  # doctest: +SKIP
    """
    alpha, axes = opacity(alpha), axes_of_view(read_view(view, up))
    width, height = _pixels(size)
    colors, chosen = colors_of(simulation, color, cmap, limits, label), _chosen_walls(walls)
    bar = colors.scale if colors.scale is not None and colors.scale.label is not None else None
    shown = round(width * (1.0 if bar is None else SCENE_WIDTH))
    plotter = drawing_module("pyvista").Plotter(
        off_screen=True, window_size=(SAMPLES * shown, SAMPLES * height), lighting="none"
    )
    try:
        scene = scene_of(simulation, colors.without_bar(), images)
        meshes = _placed_walls(simulation, chosen, ends_of(*scene.spheres, scene.bodies.vertices))
        unit = _draw(plotter, scene, meshes, alpha)
        ends = np.concatenate(
            [scene.bodies.vertices, *(mesh.vertices[mesh.indices] for mesh in meshes)]
        )
        if cell:
            edges = cell_lines(simulation.period, *_balls(simulation), ends)
            draw_cell_in_pyvista(plotter, edges / unit, SAMPLES)
            ends = np.concatenate([ends, edges.reshape(-1, 3)])
        seen = _seen(scene, ends, axes) / unit
        length = unit * _aim(plotter, seen, axes, shown / height)
        pixels = plotter.screenshot(return_img=True)
    finally:
        plotter.close()
    return _composed(pixels, (width, height), shown, length, bar, title)


def _balls(simulation: Simulation) -> tuple[Doubles, Doubles]:
    return simulation.centers, simulation.radii


def _pixels(size: Any) -> tuple[int, int]:
    width, height = (checks.whole(one, "size") for one in size)
    if min(width, height) < 100:
        raise ValueError(f"size is {size}, but must be at least 100 pixels each way")
    return width, height


def _draw(plotter: Any, scene: Scene, meshes: list[Placed], alpha: float) -> float:
    """Draw the particles and walls; return the unit of length."""
    centers, radii = scene.spheres
    # The unit is the mean radius, since the shader of spheres takes very small lengths as zero.
    unit = float(radii.mean()) if len(radii) else 1.0
    for mesh in meshes:
        _draw_wall(plotter, mesh, unit, alpha)
    if len(radii):
        _draw_spheres(plotter, centers / unit, radii / unit, scene.colors.rgba())
    if len(scene.bodies.areas):
        surface = facets_in_pyvista(scene.bodies, np.arange(len(scene.bodies.areas)))
        surface = surface.scale(1 / unit)
        look = {"color": scene.colors.plain}
        if scene.painted is not None:
            surface.cell_data["values"] = scene.painted.values[0]
            look = {"scalars": "values", **scene.painted.scale.options()}
        plotter.add_mesh(
            surface,
            show_edges=edge_part(scene.bodies) > FINE,
            edge_color=INK,
            edge_opacity=0.4,
            ambient=AMBIENT,
            **look,
        )
    return unit


def _seen(scene: Scene, ends: Doubles, axes: Doubles) -> Doubles:
    """Points that must be inside the picture: ends of spheres, and `ends`, in the view's frame."""
    middles, radii = scene.spheres[0] @ axes.T, scene.spheres[1][:, None]
    seen = np.concatenate([middles - radii, middles + radii, ends @ axes.T])
    return seen if len(seen) else np.zeros((1, 3))


def _chosen_walls(walls: Any) -> bool | list[Any]:
    """True for all walls, False for none, or a list of walls and meshes."""
    if isinstance(walls, bool):
        return walls
    wanted = "True, False, a wall of the simulation, a Mesh, or a list of these"
    return several(walls, lambda one: is_mesh(one) or is_wall(one), wanted)


def _placed_walls(simulation: Simulation, walls: bool | list[Any], ends: Doubles) -> list[Placed]:
    """The meshes to draw: the meshes of given walls in their poses, and given meshes."""
    if isinstance(walls, bool):
        return walls_of(simulation, walls, ends)
    meshes = [placed(one, None) for one in walls if is_mesh(one)]
    return walls_of(simulation, [one for one in walls if is_wall(one)], ends) + meshes


def _draw_spheres(plotter: Any, centers: Doubles, radii: Doubles, color: Any) -> None:
    """Draw spheres by a shader, which is smoother and faster than triangles."""
    shades = drawing_module("matplotlib.colors").to_rgba_array(color)[:, :3]
    points = drawing_module("pyvista").PolyData(centers)
    # The mapper crashes if radii are in double precision.
    points["radius"] = radii.astype(np.float32)
    points["color"] = np.zeros((len(radii), 3), np.uint8) + np.rint(255 * shades).astype(np.uint8)
    mapper = drawing_module("vtkmodules.vtkRenderingOpenGL2").vtkOpenGLSphereMapper()
    mapper.SetInputData(points)
    mapper.SetScaleArray("radius")
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("color")
    actor = drawing_module("vtkmodules.vtkRenderingCore").vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(AMBIENT)
    plotter.add_actor(actor)


def _draw_wall(plotter: Any, mesh: Any, unit: float, alpha: float) -> None:
    surface = facets_in_pyvista(mesh, np.arange(len(mesh.areas))).scale(1 / unit)
    plotter.add_mesh(surface, color=FACET_COLOR, opacity=alpha, ambient=0.5, diffuse=0.5)
    edges = surface.extract_feature_edges(30.0)
    if edges.n_cells:
        plotter.add_mesh(edges, color=LINE_COLOR, line_width=SAMPLES, lighting=False)


def _aim(plotter: Any, seen: Doubles, axes: Doubles, aspect: float) -> float:
    """Aim the camera so that these points fill the frame; return the height of the frame.

    seen: the points, along the axes of the view. aspect: width divided by height of the frame.
    """
    low, high = seen.min(axis=0), seen.max(axis=0)
    half = (high - low) / 2 / FILLED
    height = 2 * max(half[0] / aspect, half[1]) or 1.0
    middle, away = (low + high) / 2 @ axes, np.ptp(seen[:, 2]) + height
    plotter.set_background("white")
    plotter.enable_parallel_projection()
    plotter.camera_position = [middle + 2 * away * axes[2], middle, axes[1]]
    plotter.camera.parallel_scale = height / 2
    plotter.reset_camera_clipping_range()
    pyvista = drawing_module("pyvista")
    plotter.add_light(pyvista.Light(position=LIGHT, light_type="camera light", intensity=1.0))
    return float(height)


def _composed(
    scene: Any, size: tuple[int, int], shown: int, length: float, bar: Any, title: str
) -> Image:
    """The picture: the scene, a line that shows the scale of lengths, the title, and the bar."""
    figures = drawing_module("matplotlib.figure")
    width, height = size
    figure = figures.Figure(figsize=(width / DOTS_PER_INCH, height / DOTS_PER_INCH))
    ax = figure.add_axes((0.0, 0.0, shown / width, 1.0))
    ax.imshow(_halved(scene), extent=(0, shown, 0, height), interpolation="nearest")
    ax.set_axis_off()
    _add_scale(ax, length / height, shown)
    ax.text(14, height - 14, title, va="top", fontsize=12, color=INK)
    if bar is not None:
        place = figure.add_axes((SCENE_WIDTH + 0.02, 0.2, 0.022, 0.6))
        figure.colorbar(bar.mappable, cax=place, label=bar.label)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH)
    picture = drawing_module("PIL.Image").open(file)
    picture.load()
    return picture.convert("RGB")


def _halved(scene: Any) -> Any:
    """A smaller picture, in which each pixel is the mean of SAMPLES x SAMPLES pixels."""
    rows, columns = scene.shape[0] // SAMPLES, scene.shape[1] // SAMPLES
    squares = scene[: rows * SAMPLES, : columns * SAMPLES, :3].astype(float)
    squares = squares.reshape(rows, SAMPLES, columns, SAMPLES, 3)
    return np.rint(squares.mean(axis=(1, 3))).astype(np.uint8)


def _add_scale(ax: Any, length: float, shown: int) -> None:
    """Draw a line of a round length, at most a fifth of the width; length: of one pixel."""
    longest = 0.2 * shown * length
    power = 10.0 ** np.floor(np.log10(longest))
    nice = max(part * power for part in (1, 2, 5) if part * power <= longest)
    ax.plot([16, 16 + nice / length], [16, 16], color=INK, linewidth=2, solid_capstyle="butt")
    ax.text(16 + nice / length / 2, 21, _named(nice), ha="center", fontsize=10, color=INK)
    ax.set_xlim(0, shown)


def _named(length: float) -> str:
    """The text for a length, given in meters, in a fitting unit: 5 mm."""
    for unit, name in ((1.0, "m"), (1e-2, "cm"), (1e-3, "mm"), (1e-6, "µm")):
        if length >= 0.999 * unit:
            return f"{length / unit:.3g} {name}"
    return f"{length:.3g} m"
