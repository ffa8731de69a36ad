"""Draws the pictures of README and manual: ``python docs/pictures.py``, with extras plot and view.

The pictures are computed by the library, so they always show its present results.
"""

import json
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pyvista
from matplotlib import pyplot as plt
from matplotlib.colors import ListedColormap
from matplotlib.patches import Circle
from PIL import Image

import abut
from abut import examples
from abut.plot import COLORS, LINE_COLOR, TYPES, render

FOLDER = Path(__file__).parent
BED_COLOR = "#d9c9a3"
# Times of the pictures of the simulation; its grains in front of y = CUT are not drawn.
TIMES, CUT = (0.1, 1 / 3), -0.02
DRUM_FRAMES, DRUM_COLORS = 60, ListedColormap(["#0072b2", "#e69f00"])
KEPT, DROPPED = "#1b1f24", "#b9c0c7"


def main():
    matplotlib.use("Agg")
    draw_mixer(FOLDER / "mixer.png")
    draw_drum(FOLDER / "drum.gif")
    draw_simulation(FOLDER / "simulation.png")
    reduce_colors(FOLDER / "simulation.png")
    save(method_figure(), FOLDER / "method.png")
    save(sharing_figure(), FOLDER / "sharing.png")
    save(convex_figure(), FOLDER / "convex.png")
    save(nine_codes_figure(), FOLDER / "nine_codes.png")
    reduce_colors(FOLDER / "nine_codes.png")
    save(impacts_figure(), FOLDER / "impacts.png")
    reduce_colors(FOLDER / "impacts.png")
    save(laws_figure(), FOLDER / "laws.png")
    reduce_colors(FOLDER / "laws.png")


def save(figure, path):
    # The layout leaves no margin around titles.
    figure.savefig(path, dpi=110, bbox_inches="tight", pad_inches=0.12)
    plt.close(figure)


def reduce_colors(path):
    """Reduce the colors of a file: it looks the same at a quarter of the size."""
    with Image.open(path) as picture:
        reduced = picture.convert("RGB").quantize(128)
    reduced.save(path, optimize=True)


# ---- the mixer -----------------------------------------------------------------------------------


def draw_mixer(path):
    """Left: the bed, with touching spheres in color. Right: the features that they touch."""
    centers, radii, mesh = examples.mixer()
    contacts = abut.find_contacts(centers, radii, mesh)
    opened = opened_mixer(mesh)
    plotter = pyvista.Plotter(off_screen=True, shape=(1, 2), border=False, window_size=(1700, 720))
    plotter.subplot(0, 0)
    opened.plot(ax=plotter, alpha=1.0)
    add_bed(plotter, centers, contacts)
    finish(plotter)
    names = [*(f"touches: {name}" for name in TYPES), "touches no wall"]
    add_color_names(plotter, names, [*COLORS, BED_COLOR])
    plotter.subplot(0, 1)
    abut.find_contacts(centers, radii, opened).plot(ax=plotter, alpha=1.0, normals=False)
    finish(plotter)
    add_color_names(plotter, [f"touched: {name}" for name in TYPES], COLORS)
    plotter.screenshot(path)
    plotter.close()


def finish(plotter):
    plotter.set_background("white")
    plotter.enable_anti_aliasing("ssaa")
    plotter.remove_legend()
    plotter.hide_axes()
    plotter.camera_position = [(0.50, -0.80, 0.36), (-0.012, 0.0, -0.012), (0, 0, 1)]
    plotter.camera.zoom(1.22)


def add_color_names(plotter, names, colors):
    """Write the name of each color at the lower left, where nothing is drawn."""
    # The legend puts no space between a color and its name.
    labels = [[" " + name, color] for name, color in zip(names, colors, strict=True)]
    height = 0.045 * len(labels)
    plotter.add_legend(labels, face="circle", loc="lower left", size=(0.3, height))


def opened_mixer(mesh):
    """The mixer without the parts of the drum that hide its inside."""
    middles = np.add.reduceat(mesh.vertices[mesh.indices], mesh.offsets[:-1], axis=0)
    middles /= np.diff(mesh.offsets)[:, None]
    at_drum = np.hypot(middles[:, 1], middles[:, 2]) > 0.98 * examples.DRUM_RADIUS
    hides = at_drum & (middles[:, 1] < 0) | (middles[:, 0] > 0.499 * examples.LENGTH)
    facets = np.split(mesh.indices, mesh.offsets[1:-1])
    return abut.Mesh(mesh.vertices, [facets[k] for k in np.flatnonzero(~hides)])


def add_bed(plotter, centers, contacts):
    colors = np.full(len(centers), len(TYPES))
    # A sphere with several contacts gets the color of the rarest type.
    colors[contacts.sphere] = -1
    np.maximum.at(colors, contacts.sphere, contacts.type)
    ball = pyvista.Sphere(radius=examples.RADIUS, theta_resolution=16, phi_resolution=16)
    for kind, color in enumerate((*COLORS, BED_COLOR)):
        chosen = centers[colors == kind]
        if len(chosen):
            spheres = pyvista.PolyData(chosen).glyph(geom=ball, scale=False, orient=False)
            plotter.add_mesh(spheres, color=color, smooth_shading=True)


# ---- the animated drum ---------------------------------------------------------------------------


def draw_drum(path):
    """An animation: two turns of the gallery's drum, whose large grains move to the rim."""
    cells = Path(FOLDER.parent, "notebooks/gallery_drum.py").read_text().split("\n# %%\n")
    scene = {}
    exec(cells[1], scene)
    sim, drum = scene["sim"], scene["drum"]
    sim.run(0.3)
    turn = 2 * np.pi / scene["RATE"]
    drum.motion = abut.Rotating((0, 0, 1), rate=scene["RATE"])
    frames = []
    for _ in range(DRUM_FRAMES):
        frames.append(drum_frame(sim, drum))
        sim.run(2 * turn / DRUM_FRAMES)
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=80, loop=0)


def drum_frame(sim, drum):
    look = {"view": (0, 0, 1), "up": (0, 1, 0), "size": (320, 320), "label": None}
    picture = render(sim, "radius", walls=drum, cmap=DRUM_COLORS, **look)
    return picture.quantize(24, dither=Image.Dither.NONE)


# ---- the mixer at work ---------------------------------------------------------------------------


def draw_simulation(path):
    """The mixer after a tenth of a second and after a whole turn, colored by speed."""
    sim = examples.mixer_simulation()
    plotter = pyvista.Plotter(off_screen=True, shape=(1, 2), border=False, window_size=(1700, 720))
    for column, time in enumerate(TIMES):
        sim.run(time - sim.time)
        plotter.subplot(0, column)
        drum, rotor = (wall.mesh.transformed(wall.pose) for wall in sim.walls)
        opened_mixer(drum).plot(ax=plotter, alpha=1.0)
        rotor.plot(ax=plotter, alpha=1.0)
        add_moving(plotter, sim)
        plotter.add_text(f"{sim.time:.2g} s", position="upper_left", font_size=16, color=KEPT)
        finish(plotter)
    plotter.screenshot(path)
    plotter.close()


def add_moving(plotter, sim):
    # Grains in front are left out, so that the inside of the bed is seen.
    seen = sim.centers[:, 1] > CUT
    spheres = pyvista.PolyData(sim.centers[seen])
    spheres["speed in m/s"] = np.linalg.norm(sim.velocities[seen], axis=1)
    ball = pyvista.Sphere(radius=examples.RADIUS, theta_resolution=16, phi_resolution=16)
    plotter.add_mesh(
        spheres.glyph(geom=ball, scale=False, orient=False),
        scalars="speed in m/s",
        cmap="viridis",
        clim=(0, 2.5),
        smooth_shading=True,
        scalar_bar_args={
            "color": KEPT,
            "n_labels": 2,
            "fmt": "%.2g",
            "height": 0.08,
            "width": 0.3,
            "position_x": 0.6,
            "position_y": 0.02,
            "title_font_size": 18,
            "label_font_size": 16,
        },
    )


# ---- the method, in a section across the facets --------------------------------------------------


def method_figure():
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.7), layout="constrained")
    for ax, panel in zip(axes, (draw_types, draw_all, draw_hierarchy, draw_weights), strict=True):
        panel(ax)
        ax.set(xlim=(-0.3, 2.75), ylim=(-0.9, 1.85), aspect="equal")
        ax.axis("off")
    return figure


def strips(profile):
    """A mesh with the polyline of points (x, z) as its section at y = 0."""
    profile = np.asarray(profile, dtype=float)
    x, z = profile.T
    front = np.column_stack([x, np.full_like(x, -9), z])
    back = np.column_stack([x, np.full_like(x, 9), z])
    first = np.arange(len(x) - 1)
    count = len(x)
    facets = np.column_stack([first, first + 1, first + 1 + count, first + count])
    return abut.Mesh(np.concatenate([front, back]), facets)


def draw_profile(ax, profile):
    x, z = np.asarray(profile).T
    ax.plot(x, z, color=LINE_COLOR, linewidth=2.5, marker="o", markersize=5, zorder=2)


def draw_sphere(ax, x, z, radius):
    ax.add_patch(Circle((x, z), radius, facecolor="#eef1e2", edgecolor="#8c9a5b", zorder=1))
    ax.plot([x], [z], marker="+", color=KEPT, markersize=8, zorder=5)


def draw_contact(ax, center, point, color, style="-"):
    """The line from a contact point to the center, along the normal."""
    ax.plot(*zip(point, center, strict=True), color=color, linestyle=style, linewidth=1.6, zorder=3)
    ax.plot([point[0]], [point[1]], marker="o", color=color, markersize=7, zorder=6)


def draw_types(ax):
    profile = [(0, 0), (1.75, 0), (1.75, -0.8)]
    mesh, radius = strips(profile), 0.62
    draw_profile(ax, profile)
    for x, z in ((0.6, 0.5), (2.08, 0.4)):
        found = abut.find_contacts([[x, 0, z]], radius, mesh)
        draw_sphere(ax, x, z, radius)
        point, kind = found.point[0, [0, 2]], found.type[0]
        draw_contact(ax, (x, z), point, COLORS[kind])
        ax.annotate(TYPES[kind], (x, z + radius + 0.08), ha="center", color=COLORS[kind])
    ax.set_title("1  Type hierarchy: the closest point")


SCENE = [(-0.1, 0), (0.35, 0), (0.95, 0), (1.6, 0), (2.1, 0), (2.1, 0.45), (2.1, 1.5)]
CENTER, RADIUS = np.array([1.25, 0.75]), 0.95


def draw_scene(ax, resolution):
    found = abut.find_contacts(
        [[CENTER[0], 0, CENTER[1]]], RADIUS, strips(SCENE), resolution=resolution
    )
    draw_sphere(ax, *CENTER, RADIUS)
    draw_profile(ax, SCENE)
    return found.point[:, [0, 2]], found.type


def draw_all(ax):
    points, types = draw_scene(ax, "all")
    for point, kind in zip(points, types, strict=True):
        draw_contact(ax, CENTER, point, COLORS[kind])
    ax.set_title(f"2  {len(points)} facets touch, of two walls")


def draw_hierarchy(ax):
    every, _ = draw_scene(ax, "all")
    kept, types = draw_scene(ax, "hierarchy")
    for point in every:
        draw_contact(ax, CENTER, point, DROPPED, ":")
    for number, (point, kind) in enumerate(zip(kept, types, strict=True), 1):
        draw_contact(ax, CENTER, point, COLORS[kind])
        draw_tangent_plane(ax, point, COLORS[kind])
        ax.annotate(str(number), 0.5 * (point + CENTER) + (0.06, 0.06), color=COLORS[kind])
    ax.set_title("3  Distance hierarchy: one contact a wall")


def draw_tangent_plane(ax, point, color):
    away = CENTER - point
    along = np.array([-away[1], away[0]]) / np.linalg.norm(away)
    ends = np.transpose([point - along, point + along])
    ax.plot(*ends, color=color, linewidth=9, alpha=0.2, solid_capstyle="butt")


def draw_weights(ax):
    corners = np.array([[0.1, -0.1, 0], [2.3, -0.1, 0], [2.0, 1.2, 0], [0.4, 1.5, 0]])
    mesh = abut.Mesh(corners, [[0, 1, 2, 3]])
    found = abut.find_contacts([[1.45, 0.45, 0.5]], 0.6, mesh)
    ax.fill(*corners[:, :2].T, facecolor=COLORS[0], alpha=0.2, edgecolor=LINE_COLOR, linewidth=2)
    ax.plot(*found.point[0, :2], marker="o", color=COLORS[0], markersize=7)
    for node, weight in zip(found.node, found.weight, strict=True):
        x, y = corners[node, :2]
        ax.plot(*zip(found.point[0, :2], (x, y), strict=True), color=KEPT, lw=0.8, ls=":")
        ax.plot([x], [y], marker="o", color=KEPT, markersize=3 + 24 * weight, zorder=4)
        up = 1 if y > 0.5 else -1
        ax.annotate(f"{weight:.2f}", (x, y + 0.2 * up), ha="center", va="center")
    ax.set_title("4  Nodal weights keep force and moment")


# ---- the worked example of sharing ---------------------------------------------------------------

GROOVE = [(-2, 0), (-0.2625, 0), (0.475, 0), (1.675, 1.6)]
SLOPE = [(-2, 0), (0, 0), (1.92, 0.56)]
HEIGHT = 0.9  # height of the center over the floor; the radius is 1
LENGTH = 0.58  # length of the arrow of the floor's force


def sharing_figure():
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.7), layout="constrained")
    draw_groove(axes[0])
    draw_forces(axes[1], "hierarchy", "2  Hierarchy: two full forces")
    draw_forces(axes[2], "sharing", "3  Sharing: what is left over")
    draw_ramp(axes[3])
    for ax in axes[:3]:
        ax.set(xlim=(-1.2, 1.6), ylim=(-0.45, 2.15), aspect="equal")
        ax.axis("off")
    return figure


def hertz(found):
    """The forces of the contacts, relative to that of the floor."""
    return found.share * (found.overlap / (1 - HEIGHT)) ** 1.5


def find_in_groove(ax, resolution):
    draw_sphere(ax, 0, HEIGHT, 1)
    draw_profile(ax, GROOVE)
    return abut.find_contacts([[0, 0, HEIGHT]], 1.0, strips(GROOVE), resolution=resolution)


def draw_groove(ax):
    found = find_in_groove(ax, "all")
    places = ((0, -0.22), (0.1, -0.12), (-0.6, -0.4))  # positions of the labels, nearest first
    for number, (point, place) in enumerate(zip(found.point[:, [0, 2]], places, strict=True)):
        color = COLORS[found.type[number]]
        draw_contact(ax, (0, HEIGHT), point, color)
        label = f"{number}: \u03b4 = {found.overlap[number]:.4g}"
        ax.annotate(label, point + place, color=color)
    ax.set_title("1  Three facets touch, of two walls")


def draw_forces(ax, resolution, title):
    """The contacts' forces, from the center, and their sum."""
    found = find_in_groove(ax, resolution)
    center, normals = np.array([0, HEIGHT]), found.normal[:, [0, 2]]
    forces = hertz(found)
    total = forces @ normals
    draw_arrow(ax, center, center + LENGTH * total, KEPT)
    for number, (point, normal, force) in enumerate(
        zip(found.point[:, [0, 2]], normals, forces, strict=True)
    ):
        ax.plot(*point, marker="o", color=COLORS[0], markersize=7, zorder=6)
        draw_arrow(ax, point, point + LENGTH * force * normal, COLORS[0])
        ax.annotate(f"{force:.2f}", point + ((0.08, 0.15), (0.1, -0.12))[number], color=COLORS[0])
    ax.annotate(f"{np.linalg.norm(total):.2f}", center + LENGTH * total + (0.07, -0.1), color=KEPT)
    ax.set_title(title)


def draw_arrow(ax, begin, end, color):
    style = {"arrowstyle": "->", "color": color, "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, begin, arrowprops=style, zorder=7)


def draw_ramp(ax):
    """The force on a sphere that rolls from a floor onto a ramp."""
    x = np.linspace(-0.35, 0.1, 1801)
    centers = np.column_stack([x, np.zeros_like(x), np.full_like(x, HEIGHT)])
    for resolution, color in (("hierarchy", COLORS[1]), ("sharing", COLORS[0])):
        found = abut.find_contacts(centers, 1.0, strips(SLOPE), resolution=resolution)
        total = np.zeros_like(centers)
        np.add.at(total, found.sphere, hertz(found)[:, None] * found.normal)
        ax.plot(x, np.linalg.norm(total, axis=1), color=color, linewidth=2, label=resolution)
    ax.set(
        xlabel="x",
        ylabel="length of the total force",
        xticks=(-0.3, -0.2, -0.1, 0, 0.1),
        ylim=(0, 2.8),
    )
    ax.legend(loc="lower left")
    ax.set_title("4  From a floor onto a ramp")


# ---- convex bodies -------------------------------------------------------------------------------

FIRST, SECOND = COLORS[0], COLORS[2]
PENTAGON = [(-1.0, -0.7), (0.2, -0.9), (0.9, 0.1), (0.1, 0.8), (-0.9, 0.5)]
TRIANGLE = [(-0.6, -0.5), (0.8, -0.35), (0.1, 0.8)]
TILT = np.radians(4)


def convex_figure():
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.9), layout="constrained")
    for ax, panel in zip(axes, (draw_link, draw_gap, draw_entrances, draw_spots), strict=True):
        panel(ax)
    for ax in axes[[0, 2, 3]]:
        ax.set_aspect("equal", adjustable="datalim")
        ax.axis("off")
    return figure


def two_bodies(place, angle=0.0):
    """The corners of the pentagon and of the triangle at a place, and their contacts."""
    finder = abut.ConvexFinder(
        [abut.ConvexShape(PENTAGON), abut.ConvexShape(TRIANGLE)], np.arange(2)
    )
    positions, angles = np.array([[0, 0], place]), [0, angle]
    found = finder.find(positions, angles, pairs=[[0, 1]], minimum="global")
    entrances = finder.entrances(positions, angles, pairs=[[0, 1]])
    return np.array(PENTAGON), turned(TRIANGLE, angle) + place, found, entrances


def turned(points, angle):
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.asarray(points) @ [[cosine, sine], [-sine, cosine]]


def fill_body(ax, corners, color):
    ax.fill(*np.transpose(corners), facecolor=color, alpha=0.2, edgecolor=color, linewidth=2)


def draw_plane(ax, point, normal, reach=1.0):
    """The common plane through `point`, perpendicular to `normal`."""
    along = reach * np.array([-normal[1], normal[0]])
    ax.plot(*np.transpose([point - along, point + along]), color=KEPT, linestyle="--", linewidth=1)


APART, OVERLAPPING = (1.75, 0.75), (0.3, 0.05)


def draw_link(ax):
    first, second, found, _ = two_bodies(APART, 0.5)
    fill_body(ax, first, FIRST)
    fill_body(ax, second, SECOND)
    ends = found.link[0]
    ax.plot(*ends.T, color=KEPT, marker="o", markersize=5)
    for end, name, shift in zip(ends, "PQ", ((-0.18, -0.12), (0.08, -0.16)), strict=True):
        ax.annotate(name, end + shift)
    draw_plane(ax, found.point[0], found.normal[0])
    ax.annotate("A", (-0.2, -0.1), color=FIRST)
    ax.annotate("B", second.mean(axis=0), color=SECOND)
    ax.set_title("1  Shortest link and common plane")


def draw_gap(ax):
    degrees = np.linspace(-180, 180, 1441)
    normals = np.column_stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    for place, name in ((APART, "apart"), (OVERLAPPING, "overlapping")):
        first, second, found, _ = two_bodies(place, 0.5)
        gaps = (second @ normals.T).min(axis=0) - (first @ normals.T).max(axis=0)
        ax.plot(degrees, gaps, color=LINE_COLOR, linewidth=1.6)
        at = np.degrees(np.arctan2(*-found.normal[0, ::-1]))
        ax.plot([at], -found.overlap, marker="o", color=SECOND)
        ax.annotate(name, (at + 12, -found.overlap[0] + 0.05), color=SECOND)
    ax.axhline(0, color=DROPPED, linewidth=1)
    ax.set(xlabel="direction of n in degrees", ylabel="g(n)", xticks=range(-180, 181, 90))
    ax.margins(y=0.1)
    ax.set_title("2  Gap along n: apart, overlapping")


def draw_entrances(ax):
    first, second, found, entrances = two_bodies(OVERLAPPING, 0.5)
    corners = (second[:, None] - first).reshape(-1, 2)
    middle = corners.mean(axis=0)
    for normal, overlap, kind in zip(
        -entrances.normal, entrances.overlap, entrances.type, strict=True
    ):
        # The side of B - A at this distance from the origin.
        height = corners @ normal
        ends = corners[height <= height.min() + 1e-9]
        color = FIRST if kind[0] == abut.FACET else SECOND
        ax.plot(*ends[[0, -1]].T, color=color, linewidth=2.5)
        # A thin line shows the distance.
        ax.plot(*np.transpose([(0, 0), -overlap * normal]), color=DROPPED, linewidth=0.8)
    ax.plot(*np.transpose([(0, 0), found.overlap[0] * found.normal[0]]), color=KEPT, linewidth=2)
    ax.plot([0], [0], marker="o", color=KEPT)
    ax.annotate("0", (0.06, 0.06))
    ax.annotate("B - A", middle - (0, 0.8), ha="center")
    ax.set_title("3  Entrances: the sides of B - A")


def draw_spots(ax):
    """A box on a box: the overlap of each contact point is its weight."""
    shape = abut.ConvexShape([(-1, -0.6), (1, -0.6), (1, 0.6), (-1, 0.6)])
    place = np.array([0.5, 1.15])
    finder = abut.ConvexFinder(shape, scales=[1.0, 1.0])
    found = finder.find([[0, 0], place], [0, TILT], pairs=[[0, 1]])
    fill_body(ax, shape.vertices, FIRST)
    fill_body(ax, turned(shape.vertices, TILT) + place, SECOND)
    draw_plane(ax, found.point[0], found.normal[0], 1.7)
    for spot, overlap in zip(found.spot, found.spot_overlap, strict=True):
        ax.plot(*spot, marker="o", color=KEPT, markersize=4)
        ax.annotate(f"{overlap:+.2f}", spot + [0.1, 0.12])
    weights = np.maximum(found.spot_overlap, 0)
    center = weights @ found.spot / weights.sum()
    push = weights.sum() * found.normal[0]
    ax.annotate("", center - 4 * push, center, arrowprops={"arrowstyle": "->", "color": KEPT})
    ax.set_title("4  Contact points, each with its overlap")


# ---- the laws of contacts ------------------------------------------------------------------------

SOFT = abut.Material(density=1000, young=1e6, poisson=0.3)
BALL = 0.1


def laws_figure():
    figure, axes = plt.subplots(
        1, 3, figsize=(15, 4.2), width_ratios=(1.45, 1, 1), layout="constrained"
    )
    for ax, panel in zip(axes, (draw_arms, draw_collisions, draw_sliding), strict=True):
        panel(ax)
    return figure


def draw_arms(ax):
    """A sphere at a wall and two spheres, with the contacts that the library finds."""
    floor, center = [(-1.0, 0.0), (1.0, 0.0)], np.array([0.0, 0.6])
    found = abut.find_contacts([[0, 0, 0.6]], 0.8, strips(floor))
    point, normal = found.point[0, [0, 2]], found.normal[0, [0, 2]]
    draw_sphere(ax, *center, 0.8)
    draw_profile(ax, floor)
    draw_arm(ax, center, point, "i", -1)
    draw_normal_and_overlap(ax, point, normal, point, found.overlap[0])
    ax.annotate("P", point + (0.07, -0.2))

    centers, radii = np.array([[2.2, 0, 0.3], [3.4, 0, 0.75]]), np.array([0.85, 0.7])
    pair = abut.find_pairs(centers, radii)
    normal, overlap = pair.normal[0, [0, 2]], pair.overlap[0]
    surface = centers[1, [0, 2]] + radii[1] * normal
    # Both arms end in the middle of the overlap.
    point = surface - 0.5 * overlap * normal
    for middle, radius, name, side in zip(centers[:, [0, 2]], radii, "ij", (-1, -1), strict=True):
        draw_sphere(ax, *middle, radius)
        draw_arm(ax, middle, point, name, side)
    ax.add_patch(Circle(centers[0, [0, 2]], radii[0], fill=False, edgecolor="#8c9a5b"))
    draw_normal_and_overlap(ax, point, normal, surface, overlap)
    ax.margins(0.01)
    ax.set_aspect("equal", adjustable="datalim")
    ax.axis("off")
    ax.set_title("1  Normal, overlap and arms")


def draw_arm(ax, center, point, name, side):
    """The arm from a center to the contact point, with its name left (1) or right (-1) of it."""
    along = (point - center) / np.linalg.norm(point - center)
    beside = center + 0.3 * along + 0.13 * side * np.array([-along[1], along[0]])
    ax.annotate(f"$\\mathbf{{r}}_{name}$", beside, ha="center", va="center")
    ax.plot(*zip(center, point, strict=True), color=KEPT, linestyle=":", linewidth=1.5, zorder=3)
    ax.plot([point[0]], [point[1]], marker="o", color=KEPT, markersize=5, zorder=6)
    ax.annotate(name, center + (0, 0.14), ha="center", va="center", fontstyle="italic")


def draw_normal_and_overlap(ax, point, normal, surface, overlap):
    """The normal beside the arm, and the overlap from the surface of the other sphere."""
    across = np.array([-normal[1], normal[0]])
    tail = point - 0.14 * across
    arrow = {"color": COLORS[0], "arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "linewidth": 1.8}
    ax.annotate("", tail + 0.45 * normal, tail, arrowprops=arrow, zorder=7)
    beside = tail + 0.25 * normal - 0.1 * across
    ax.annotate("$\\mathbf{n}$", beside, color=COLORS[0], ha="center", va="center")
    ends = np.array([surface, surface - overlap * normal]) + 0.14 * across
    ax.plot(*ends.T, color=COLORS[2], marker="_", markersize=0, linewidth=3.5, zorder=7)
    beside = ends.mean(axis=0) + 0.13 * across
    ax.annotate("δ", beside, color=COLORS[2], ha="center", va="center")


def collide(law):
    """Overlap in mm and normal force in a collision with a wall, and the speed after it."""
    sim = abut.Simulation(step=2e-5, gravity=(0, 0, 0))
    sim.set_law(SOFT, abut.Material(), law)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
    sim.add_spheres([[0, 0, BALL]], BALL, SOFT, [[0, 0, -1]])
    record = sim.record(sim.step, lambda s: (s.contacts.overlap.sum(), s.forces[0, 2]))
    sim.run(0.06)
    overlaps, forces = np.array(record.values).T
    touches = overlaps > 0
    return 1e3 * overlaps[touches], forces[touches], sim.velocities[0, 2]


def draw_collisions(ax):
    laws = (("Hertz", abut.Hertz, {}), ("Linear", abut.Linear, {"stiffness": 4e4}))
    for (name, law, constants), color in zip(laws, COLORS[::2], strict=True):
        # Without damping, unloading follows the loading curve.
        overlaps, forces, _ = collide(law(**constants))
        way_in = np.argmax(overlaps)
        ax.plot(overlaps[:way_in], forces[:way_in], color=color, linestyle="--", linewidth=1)
        overlaps, forces, speed = collide(law(**constants, restitution=0.5))
        ax.plot(overlaps, forces, color=color, label=f"{name}: rebounds at {speed:.2f} m/s")
    ax.set(xlabel="overlap in mm", ylabel="normal force in N", xlim=(0, None), ylim=(0, None))
    ax.legend(loc="upper left", frameon=False)
    ax.set_title("2  Normal force in a collision at 1 m/s")


def draw_sliding(ax):
    for overlap, color in ((1.0, COLORS[0]), (0.6, COLORS[2])):
        ways, forces, limit = slide(1e-3 * overlap)
        ax.plot(1e3 * ways, forces, color=color, label=f"pressed in by {overlap:g} mm")
        for side in (-limit, limit):
            ax.axhline(side, color=color, linestyle=":", linewidth=1)
    ax.axhline(0, color=DROPPED, linewidth=1)
    ax.set(xlabel="displacement in mm", ylabel="tangential force in N")
    ax.margins(y=0.3)
    ax.legend(loc="lower right", frameon=False)
    ax.set_title("3  Tangential force, forward and back")


def slide(overlap):
    """Displacements and friction of a ball that is moved over a floor, and Coulomb's limit."""
    friction, there = 0.5, 1000
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0))
    sim.set_law(SOFT, abut.Material(), abut.Hertz(friction=friction))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
    sim.add_spheres([[0, 0, BALL - overlap]], BALL, SOFT)
    ways, forces = np.zeros(2 * there), np.zeros((2 * there, 3))
    for step in range(2 * there):
        # The velocities are prescribed: the ball neither rolls nor rises.
        sim.velocities = [[1.0 if step < there else -1.0, 0, 0]]
        sim.angular_velocities = [[0, 0, 0]]
        ways[step] = sim.centers[0, 0]
        sim.run(steps=1)
        forces[step] = sim.forces[0]
    return ways, -forces[:, 0], friction * forces[-1, 2]


# ---- the nine-code benchmark, from the results of benchmarks/nine_codes.py -----------------------

NINE_CODES = FOLDER.parent / "benchmarks" / "results" / "nine_codes"
NINE_PANELS = (
    ("impact", "depth of the ball, mm"),
    ("impact", "its speed, m/s"),
    ("drum", "slope of the surface, degrees"),
    ("silo", "mass in the silo, g"),
)
CODE_STYLES = {"abut": (KEPT, "-"), "yade": (COLORS[0], "--"), "liggghts": (COLORS[1], "-."),
               "lammps": (COLORS[2], ":")}  # fmt: skip


def nine_codes_figure():
    figure, axes = plt.subplots(1, len(NINE_PANELS), figsize=(15, 3.9), layout="constrained")
    for ax, (case, quantity) in zip(axes, NINE_PANELS, strict=True):
        kept = json.loads((NINE_CODES / f"{case}.json").read_text())
        for code, series in kept["series"].items():
            color, style = CODE_STYLES[code]
            times = [1e3 * time for time in kept["times"]]
            ax.plot(times, series[quantity], color=color, linestyle=style, linewidth=2, label=code)
        ax.set(title=f"{case.capitalize()}: {quantity}", xlabel="time, ms")
    axes[0].legend()
    return figure


# ---- the eight impacts ---------------------------------------------------------------------------


def impacts_figure():
    """Points of the paper, others' measurements, abut, and the springs of the paper in abut."""
    sys.path.append(str(FOLDER.parent / "tests"))
    import impacts

    figure, axes = plt.subplots(1, 3, figsize=(15, 3.9), layout="constrained")
    degrees, slips = np.linspace(2, 87, 60), np.linspace(0.1, 13, 60)
    own = {"color": KEPT, "linewidth": 2, "label": "abut"}
    theirs = {"color": COLORS[1], "linestyle": "--", "label": "the paper's spring"}
    points = {"color": COLORS[1], "linestyle": "", "marker": "o", "label": "the paper"}
    others = {"color": COLORS[2], "linestyle": "", "marker": "^", "markersize": 5}
    ax = axes[0]
    ax.plot(degrees, impacts.oblique(impacts.OXIDE, degrees)[0], **own)
    ax.plot(degrees, impacts.oblique(impacts.OXIDE, degrees, impacts.all_the_way())[0], **theirs)
    ax.plot(*impacts.OXIDE_OBLIQUE[:, :2].T, **points)
    ax.plot(*impacts.MEASURED_PART.T, **others, label="measured")
    ax.set(title="4: part of the velocity along the plane", xlabel="angle of incidence, degrees")
    ax = axes[1]
    ax.plot(slips, impacts.skimmed(slips)[0], **own)
    ax.plot(slips, impacts.skimmed(slips, impacts.as_two_spheres())[0], **theirs)
    ax.plot(*impacts.STEEL_SLIP.T, **points)
    ax.plot(*impacts.ELEMENTS_SLIP.T, **others, label="finite elements")
    ax.set(title="5: slip after the impact", xlabel=r"slip before, by $\mu v_n$")
    ax = axes[2]
    abscissas = np.geomspace(0.17, 24, 60)
    ax.semilogx(abscissas, impacts.spun(abscissas), **own)
    ax.semilogx(*impacts.ALLOY_SPUN.T, **points)
    ax.set(title="6: tangential restitution", xlabel=r"$3.5\, \mu (1 + e) v_n / v_s$")
    for ax in axes:
        ax.legend()
    return figure


if __name__ == "__main__":
    main()
