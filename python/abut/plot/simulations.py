"""Pictures of simulations by matplotlib or pyvista, and of frames by pyvista."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arrays import Doubles
from ..base.orientations import turned
from ..base.periods import Period
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from .cells import cell_lines, draw_cell, draw_cell_in_pyvista, images_in_cell
from .colors import ColorScale, color_scale
from .drawn import Painted, Placed, placed
from .in_matplotlib import axes_of, draw_mesh, set_frame
from .in_pyvista import draw_mesh_in_pyvista, draw_spheres_in_pyvista, plotter_of
from .looks import FACET_COLOR, SPHERE_COLOR, backend_of, drawing_module, opacity
from .spheres import draw_disks
from .views import look_in_matplotlib, look_in_pyvista, read_optional

if TYPE_CHECKING:
    from ..io.frame import Frame
    from ..options import Backend
    from ..simulation.simulation import Simulation
    from ..simulation.walls import Wall


# For each number that can color spheres, the possible names of its vector's column in a frame, or
# of the columns of its components.
_OF_FRAMES = {
    "speed": ("velocity", "velocities", ("vx", "vy", "vz")),
    "spin": ("angular_velocity", "angular_velocities", ("omegax", "omegay", "omegaz")),
    "force": ("force", "forces", ("fx", "fy", "fz")),
    "torque": ("torque", "torques", ("tqx", "tqy", "tqz")),
}


class Colors(NamedTuple):
    """Either one color for all spheres and bodies, or a value for each and a color scale."""

    plain: Any
    values: Doubles | None = None
    scale: ColorScale | None = None

    def of(self, rows: NDArray[np.intp]) -> Colors:
        return self if self.values is None else self._replace(values=self.values[rows])

    def without_bar(self) -> Colors:
        return self if self.scale is None else self._replace(scale=self.scale._replace(label=None))

    def rgba(self) -> Any:
        if self.values is None or self.scale is None:
            return self.plain
        return self.scale.mappable.to_rgba(self.values)


def plot_simulation(
    simulation: Simulation,
    color: Any = None,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    walls: bool | Wall | Iterable[Wall] = True,
    cell: bool = True,
    images: bool = False,
    view: Any = None,
    alpha: float = 0.1,
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
) -> Any:
    """Draw a simulation, as `Simulation.plot` describes."""
    alpha, direction = opacity(alpha), read_optional(view)
    colors = colors_of(simulation, color, cmap, limits, label)
    scene = scene_of(simulation, colors, images)
    meshes = walls_of(simulation, walls, ends_of(*scene.spheres, scene.bodies.vertices))
    edges = cell_of(simulation) if cell else np.empty((0, 2, 3))
    if backend_of(backend, ax) == "pyvista":
        plotter = plotter_of(ax, "pyvista", "simulations")
        for mesh in meshes:
            draw_mesh_in_pyvista(plotter, mesh, None, FACET_COLOR, alpha)
        draw_cell_in_pyvista(plotter, edges)
        _draw_bodies(draw_mesh_in_pyvista, plotter, scene)
        draw_spheres_in_pyvista(plotter, *scene.spheres, scene.colors)
        look_in_pyvista(plotter, direction)
        return plotter
    ax = axes_of(ax)
    ax.set_proj_type("ortho")
    for mesh in meshes:
        draw_mesh(ax, mesh, None, FACET_COLOR, alpha)
    draw_cell(ax, edges)
    _draw_bodies(draw_mesh, ax, scene)
    if colors.scale is not None:
        colors.scale.add_bar(ax)
    more = [scene.bodies.vertices, edges.reshape(-1, 3), *(mesh.vertices for mesh in meshes)]
    set_frame(ax, ends_of(*scene.spheres, *more))
    look_in_matplotlib(ax, direction)
    draw_disks(ax, *scene.spheres, {"c": scene.colors.rgba()})
    return ax


def view(
    frames: Sequence[Frame],
    color: Any = None,
    plotter: Any = None,
    *,
    walls: Mesh | Iterable[Mesh] = (),
    cell: bool = True,
    images: bool = False,
    view: Any = None,
    alpha: float = 0.1,
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
) -> Any:
    """Show the frames of a simulation by pyvista (extra ``view``), with a slider.

    Parameters
    ----------
    frames : Frames or sequence of Frame
        As `read_frames` returns them. Each frame is read when the slider reaches it.
    color : str, optional
        A color for all spheres, such as "#8c9a5b"; or the numbers that color them: "radius", "id",
        "x", "y", "z", or the name of a column that ``read_frames(columns=...)`` has read; a column
        of vectors counts by their lengths. "speed", "spin", "force" and "torque" need the column
        with this vector.
    plotter : pyvista.Plotter, optional
        The plotter to draw on. By default a new one.
    walls : Mesh or list of Mesh
        Meshes to draw in all frames, where their vertices are.
    cell : bool, default True
        Whether to draw the edges of the periodic cell.
    images : bool, default False
        Whether to draw the periodic images of spheres that reach into the cell.
    view : {"x", "-x", "y", "-y", "z", "-z"} or (3,) array_like, optional
        The direction from the scene to the camera. For an axis the projection is parallel: "-y"
        shows x to the right and z upwards, "z" shows x to the right and y upwards.
    alpha : float, default 0.1
        Opacity of the walls, 0 to 1.
    cmap : str or matplotlib.colors.Colormap
        Colors of the numbers.
    limits : (low, high), optional
        Numbers of the first and the last color, in all frames. By default the smallest and the
        largest number in the first and the last frame.
    label : str or None
        Label of the color bar, by default the name of the numbers. None leaves the bar out.

    Returns
    -------
    pyvista.Plotter
        A plotter with the last frame, which ``plotter.show()`` shows.

    Raises
    ------
    ImportError
        If pyvista is not installed.
    ValueError
        If there are no frames, if `color` is neither a color nor a column of the frame, or if the
        value of an option is wrong.
    TypeError
        If an argument has a wrong type, such as a single frame. The message names it.

    See Also
    --------
    Simulation.plot : Draws a simulation.
    write_frames : Writes files for ParaView, with moving walls.

    Examples
    --------
    >>> import abut
    >>> frames = abut.read_frames("out/*.vtp", columns=["velocity"])  # doctest: +SKIP
    >>> abut.view(frames, "speed", walls=drum).show()  # doctest: +SKIP
    """
    _check_view(frames, color, plotter)
    meshes, alpha = several(walls, is_mesh, "a Mesh or a list of these"), opacity(alpha)
    last, direction = len(frames) - 1, read_optional(view)
    if limits is None:
        limits = _limits([_frame(frames, k) for k in sorted({0, last})], color)
    plotter = plotter_of(plotter, "pyvista", "frames")
    for mesh in meshes:
        draw_mesh_in_pyvista(plotter, mesh, None, FACET_COLOR, alpha)

    def draw(number: float) -> None:
        frame = _frame(frames, round(number))
        colors = _colors(color, _columns_of_frame(frame), cmap, limits, label)
        origin = 0.0 if frame.origin is None else frame.origin
        rows, centers = _with_images(frame.period if images else None, *_balls(frame), origin)
        draw_spheres_in_pyvista(plotter, centers, frame.radii[rows], colors.of(rows))
        draw_cell_in_pyvista(plotter, _cell_of_frame(frame if cell else None))

    draw(last)
    look_in_pyvista(plotter, direction)
    if last:
        plotter.add_slider_widget(draw, (0, last), value=last, title="frame", fmt="%.0f")
    return plotter


# ---- arguments -----------------------------------------------------------------------------------


def _wrong(name: str, given: Any, wanted: str) -> TypeError:
    kind = checks.a_or_an(type(given).__name__)
    return TypeError(f"{name} is {kind}, but must be {wanted}")


def _check_view(frames: Any, color: Any, plotter: Any) -> None:
    is_sequence = hasattr(frames, "__getitem__") and hasattr(frames, "__len__")
    if hasattr(frames, "radii") or isinstance(frames, str) or not is_sequence:
        raise _wrong("frames", frames, "a sequence of Frame, as read_frames returns")
    if not len(frames):
        raise ValueError("there are no frames")
    if not isinstance(color, (str, type(None))):
        raise _wrong("color", color, "a color or a column's name")
    if plotter is not None and not hasattr(plotter, "add_mesh"):
        raise _wrong("plotter", plotter, "a pyvista.Plotter")


def _frame(frames: Sequence[Frame], number: int) -> Frame:
    frame = frames[number]
    if not hasattr(frame, "radii"):
        raise _wrong(f"frames[{number}]", frame, "a Frame")
    return frame


def is_mesh(one: Any) -> bool:
    return isinstance(one, Mesh)


def is_wall(one: Any) -> bool:
    return hasattr(one, "mesh") and hasattr(one, "pose")


def several(walls: Any, fits: Callable[[Any], bool], wanted: str) -> list[Any]:
    """Return one or several walls as a list; raise if an entry is no wall."""
    if fits(walls):
        return [walls]
    if not isinstance(walls, Iterable):
        raise _wrong("walls", walls, wanted)
    found = list(walls)
    for k, one in enumerate(found):
        if not fits(one):
            raise _wrong(f"walls[{k}]", one, wanted)
    return found


def _balls(frame: Frame) -> tuple[Doubles, Doubles]:
    return frame.centers, frame.radii


def _cell_of_frame(frame: Frame | None) -> Doubles:
    if frame is None:
        return np.empty((0, 2, 3))
    origin = 0.0 if frame.origin is None else frame.origin
    return cell_lines(frame.period, frame.centers, frame.radii, origin=origin)


# ---- colors --------------------------------------------------------------------------------------


def _columns(simulation: Simulation) -> dict[str, Doubles]:
    """The columns by which particles can be colored: arrays (n,), spheres first, then bodies."""
    bodies = simulation.bodies
    circumradii = np.array([shape.circumradius for shape in simulation.shapes])
    sizes = circumradii[bodies.shape] * bodies.scales
    vectors = {
        "speed": (simulation.velocities, bodies.velocities),
        "spin": (simulation.angular_velocities, bodies.angular_velocities),
        "force": (simulation.forces, bodies.forces),
        "torque": (simulation.torques, bodies.torques),
    }
    centers = np.concatenate([simulation.centers, bodies.centers])
    numbers = {
        "radius": (simulation.radii, sizes),
        "mass": (simulation.masses, bodies.masses),
        "material": (simulation.material, bodies.material),
        "id": (simulation.ids, bodies.numbers),
    }
    found = {name: np.linalg.norm(np.concatenate(both), axis=1) for name, both in vectors.items()}
    found |= {name: np.concatenate(both).astype(float) for name, both in numbers.items()}
    return found | dict(zip("xyz", centers.T, strict=True))


def colors_of(
    simulation: Simulation, color: Any, cmap: Any, limits: Any, label: str | None
) -> Colors:
    """The colors of all particles: spheres first, then bodies."""
    return _colors(color, _columns(simulation), cmap, limits, label)


def _columns_of_frame(frame: Frame) -> dict[str, Doubles]:
    there = frame.columns or {}
    found = {"radius": frame.radii, **dict(zip("xyz", frame.centers.T, strict=True))}
    if frame.ids is not None:
        found["id"] = frame.ids.astype(float)
    for name, (one, several, axes) in _OF_FRAMES.items():
        vector = next((there[key] for key in (one, several) if key in there), None)
        if vector is None and set(axes) <= there.keys():
            vector = np.column_stack([there[axis] for axis in axes])
        if vector is not None:
            found[name] = np.linalg.norm(vector, axis=1)
    for name, column in there.items():
        if column.dtype.kind in "biuf":
            numbers = column.astype(float)
            found[name] = np.linalg.norm(numbers, axis=1) if numbers.ndim == 2 else numbers
    return found


def _colors(
    color: Any, columns: dict[str, Doubles], cmap: Any, limits: Any, label: str | None
) -> Colors:
    """The colors by the argument `color`: a color for all, a column's name, or numbers."""
    if color is None:
        return Colors(SPHERE_COLOR)
    if isinstance(color, str) and color not in columns:
        colors = drawing_module("matplotlib.colors")
        if not colors.is_color_like(color):
            raise ValueError(
                f"color is {color!r}, which is neither a color nor one of {', '.join(columns)}"
            )
        # pyvista does not have all color names of matplotlib, so the name is converted.
        return Colors(colors.to_hex(color, keep_alpha=True))
    values = checks.doubles(columns[color] if isinstance(color, str) else color, "color")
    count = len(columns["x"])
    if values.shape != (count,):
        raise ValueError(f"color has shape {values.shape}, but must be ({count},): one a particle")
    checks.all_finite(values, "color")
    return Colors(SPHERE_COLOR, values, color_scale([values], cmap, limits, label, color))


def _limits(frames: Sequence[Frame], color: Any) -> tuple[float, float] | None:
    """The smallest and the largest value of `color` in these frames; None if it is one color."""
    scales = [_colors(color, _columns_of_frame(one), None, None, None).scale for one in frames]
    ends = [(scale.low, scale.high) for scale in scales if scale is not None]
    if not ends:
        return None
    return min(low for low, _ in ends), max(high for _, high in ends)


# ---- the scene -----------------------------------------------------------------------------------


def ends_of(centers: Doubles, radii: Doubles, *points: Doubles) -> Doubles:
    """Points that must be inside the picture: both ends of each sphere, and the given points."""
    reach = radii[:, None]
    return np.concatenate([centers - reach, centers + reach, *points])


def cell_of(simulation: Simulation) -> Doubles:
    """The edges of the cell of a simulation."""
    rows = np.arange(len(simulation.bodies.positions))
    surface = _surface_of_bodies(simulation, rows, simulation.bodies.positions)
    return cell_lines(simulation.period, simulation.centers, simulation.radii, surface.vertices)


class Scene(NamedTuple):
    """The particles that are drawn, with their images if these are wanted.

    `colors` are those of the spheres, `painted` those of the bodies; None for one color.
    """

    spheres: tuple[Doubles, Doubles]
    colors: Colors
    bodies: Placed
    painted: Painted | None


def scene_of(simulation: Simulation, colors: Colors, images: bool) -> Scene:
    """The particles of a simulation; colors: those of the spheres, then of the bodies."""
    period = simulation.period if images else None
    radii = simulation.radii
    spheres, centers = _with_images(period, simulation.centers, radii)
    bodies, positions = _with_images(period, simulation.bodies.positions, _reaches(simulation))
    surface = _surface_of_bodies(simulation, bodies, positions)
    painted = _painted(simulation, bodies, colors.of(len(radii) + bodies))
    return Scene((centers, radii[spheres]), colors.of(spheres), surface, painted)


def _with_images(
    period: Period | None, places: Doubles, radii: Doubles, origin: Doubles | float = 0.0
) -> tuple[NDArray[np.intp], Doubles]:
    """The rows and places of all particles, and of the images that reach into the cell."""
    rows = np.arange(len(places))
    if period is None:
        return rows, places
    images = images_in_cell(period, places, radii, origin)
    others = places[images.rows] + images.ways
    return np.concatenate([rows, images.rows]), np.concatenate([places, others])


def _reaches(simulation: Simulation) -> Doubles:
    """The largest distance of each body's vertices from its position."""
    reaches = [np.linalg.norm(shape.vertices, axis=1).max() for shape in simulation.shapes]
    found: Doubles = np.array(reaches)[simulation.bodies.shape] * simulation.bodies.scales
    return found


def _surface_of_bodies(
    simulation: Simulation, rows: NDArray[np.intp], positions: Doubles
) -> Placed:
    """The facets of the bodies in these rows in their places, without their rounding."""
    bodies = simulation.bodies
    turns = bodies.orientations[rows]
    shapes = [simulation.shapes[number] for number in bodies.shape[rows]]
    none, whole = np.empty((0, 3)), np.empty(0, np.intp)
    firsts = np.cumsum([0, *(len(shape.vertices) for shape in shapes)])
    sides = [np.diff(shape.offsets) for shape in shapes]
    every = zip(shapes, turns, bodies.scales[rows], positions, strict=True)
    vertices = [turned(turn, s * shape.vertices) + place for shape, turn, s, place in every]
    normals = [turned(turn, one.normals) for one, turn in zip(shapes, turns, strict=True)]
    facets = np.concatenate([whole, *sides])
    places = zip(shapes, firsts, strict=False)
    return Placed(
        vertices=np.concatenate([none, *vertices]),
        indices=np.concatenate([whole, *(one.indices + first for one, first in places)]),
        offsets=np.concatenate([[0], np.cumsum(facets)]).astype(np.intp),
        normals=np.concatenate([none, *normals]),
        areas=np.ones(len(facets)),
    )


def _painted(simulation: Simulation, rows: NDArray[np.intp], colors: Colors) -> Painted | None:
    if colors.values is None or colors.scale is None:
        return None
    counts = [len(simulation.shapes[number].normals) for number in simulation.bodies.shape[rows]]
    values = np.repeat(colors.values, counts)
    # There is no label, since spheres and bodies share one color bar, which is drawn elsewhere.
    scale = colors.scale._replace(label=None)
    return Painted([values], "facet", scale, SPHERE_COLOR, 1.0, 1.0)


def _draw_bodies(draw: Any, ax: Any, scene: Scene) -> None:
    if len(scene.bodies.areas):
        draw(ax, scene.bodies, scene.painted, scene.colors.plain, 1.0)


def walls_of(simulation: Simulation, walls: Any, points: Doubles) -> list[Placed]:
    """The walls in their poses; a half space is a square, slightly wider than the scene."""
    given = (simulation.walls if walls else ()) if isinstance(walls, bool) else walls
    chosen = several(given, is_wall, "a list of the simulation's walls, True or False")
    found = [placed(wall.mesh, wall.pose) for wall in chosen if isinstance(wall.mesh, Mesh)]
    planes = [_plane(wall) for wall in chosen if isinstance(wall.mesh, HalfSpace)]
    points = np.concatenate([points, *(one.vertices for one in found)])
    if planes and not len(points):
        points = np.array([point for _, point in planes])
    return found + [placed(_square(*plane, points), None) for plane in planes]


def _plane(wall: Any) -> tuple[Doubles, Doubles]:
    """The normal and a point of a half space, moved by its pose."""
    turn = wall.pose[:3, :3]
    return turn @ wall.mesh.normal, turn @ wall.mesh.point + wall.pose[:3, 3]


def _square(normal: Doubles, point: Doubles, points: Doubles) -> Mesh:
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    middle = middle - ((middle - point) @ normal) * normal
    # If the plane is normal to an axis, the square's sides are along the other axes.
    first = np.cross(normal, np.eye(3)[(int(np.argmax(np.abs(normal))) + 1) % 3])
    first /= np.linalg.norm(first)
    ways = np.array([first, np.cross(normal, first)]) * (0.55 * (high - low).max() or 0.5)
    return Mesh([middle + a * ways[0] + b * ways[1] for a, b in _CORNERS], [[0, 1, 2, 3]])


_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
