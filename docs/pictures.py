"""Draws the pictures of the README: ``python docs/pictures.py``, with the extras plot and view.

They show what the library finds, so that they cannot drift from what it does.
"""

from pathlib import Path

import matplotlib
import numpy as np
import pyvista
from matplotlib import pyplot as plt
from matplotlib.patches import Circle

import abut
from abut import examples
from abut.plot import COLORS, LINE_COLOR, TYPES

FOLDER = Path(__file__).parent
BED_COLOR = "#d9c9a3"
TIMES, CUT = (0.1, 1 / 3), -0.02  # of the simulation's pictures
KEPT, DROPPED = "#1b1f24", "#b9c0c7"


def main():
    matplotlib.use("Agg")
    draw_mixer(FOLDER / "mixer.png")
    draw_simulation(FOLDER / "simulation.png")
    draw_method(FOLDER / "method.png")


# ---- the mixer -----------------------------------------------------------------------------------


def draw_mixer(path):
    """To the left the bed, with the spheres that touch in color; to the right what they touch."""
    centers, radii, mesh = examples.mixer()
    contacts = abut.find_contacts(centers, radii, mesh)
    opened = opened_mixer(mesh)
    plotter = pyvista.Plotter(off_screen=True, shape=(1, 2), border=False, window_size=(1700, 720))
    plotter.subplot(0, 0)
    opened.plot(ax=plotter, alpha=1.0)
    add_bed(plotter, centers, contacts)
    plotter.subplot(0, 1)
    abut.find_contacts(centers, radii, opened).plot(ax=plotter, alpha=1.0, normals=False)
    for column in (0, 1):
        plotter.subplot(0, column)
        finish(plotter)
    plotter.screenshot(path)
    plotter.close()


def finish(plotter):
    plotter.set_background("white")
    plotter.enable_anti_aliasing("ssaa")
    plotter.remove_legend()
    plotter.hide_axes()
    plotter.camera_position = [(0.50, -0.80, 0.36), (-0.012, 0.0, -0.012), (0, 0, 1)]
    plotter.camera.zoom(1.22)


def opened_mixer(mesh):
    """The mixer without the parts of the drum that would hide its inside."""
    middles = np.add.reduceat(mesh.vertices[mesh.indices], mesh.offsets[:-1], axis=0)
    middles /= np.diff(mesh.offsets)[:, None]
    at_drum = np.hypot(middles[:, 1], middles[:, 2]) > 0.98 * examples.DRUM_RADIUS
    hides = at_drum & (middles[:, 1] < 0) | (middles[:, 0] > 0.499 * examples.LENGTH)
    facets = np.split(mesh.indices, mesh.offsets[1:-1])
    return abut.Mesh(mesh.vertices, [facets[k] for k in np.flatnonzero(~hides)])


def add_bed(plotter, centers, contacts):
    colors = np.full(len(centers), len(TYPES))
    # a sphere of several contacts takes the color of the rarest type
    colors[contacts.sphere] = -1
    np.maximum.at(colors, contacts.sphere, contacts.type)
    ball = pyvista.Sphere(radius=examples.RADIUS, theta_resolution=16, phi_resolution=16)
    for kind, color in enumerate((*COLORS, BED_COLOR)):
        chosen = centers[colors == kind]
        if len(chosen):
            spheres = pyvista.PolyData(chosen).glyph(geom=ball, scale=False, orient=False)
            plotter.add_mesh(spheres, color=color, smooth_shading=True)


# ---- the mixer at work ---------------------------------------------------------------------------


def draw_simulation(path):
    """The mixer after a tenth of a second and after a whole turn, the faster the brighter."""
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
    # those in front are left out, so that one sees into the bed
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


def draw_method(path):
    figure, axes = plt.subplots(1, 4, figsize=(15, 3.7), layout="constrained")
    for ax, panel in zip(axes, (draw_types, draw_all, draw_hierarchy, draw_weights), strict=True):
        panel(ax)
        ax.set(xlim=(-0.3, 2.75), ylim=(-0.9, 1.85), aspect="equal")
        ax.axis("off")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def strips(profile):
    """A mesh whose section at y = 0 is the polyline of points (x, z)."""
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
    ax.set_title("4  Nodal weights: force and moment are kept")


if __name__ == "__main__":
    main()
