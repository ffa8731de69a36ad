# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Convex bodies
#
# `abut` finds the contacts of convex polygons and polyhedra: their distance
# or overlap, the normal, and the contact points. This notebook draws these,
# and ends with a heap of grains that flows out of its box.
#
# There are four methods. The default is the shortest link method ("slm") of
# E. G. Nezami, Y. M. A. Hashash, D. Zhao and J. Ghaboussi
# ([doi:10.1002/nag.500](https://doi.org/10.1002/nag.500)), with changes
# that make it reliable. [docs/convex.md](../docs/convex.md) describes the
# changes, and when to use another method.
#
# Hulls need the extra `scipy`, curves the extra `plot`, and pictures of the
# heap the extra `view`.

# %%
# %matplotlib inline
import time

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from PIL import Image
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import abut
from abut.plot import render

# %% [markdown]
# ## Shapes
#
# A shape is the convex hull of points. Points inside are dropped, and
# triangles in one plane become one facet: a cube has six. Facets can also
# be given, and are then checked. Volume, centroid and inertia are those of
# a body of density 1.

# %%
corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
tips = 1.5 * np.concatenate([np.eye(3), -np.eye(3)])
shapes = {
    "tetrahedron": abut.ConvexShape(
        [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    ),
    "pyramid": abut.ConvexShape(
        [
            [1, 1, -0.5],
            [-1, 1, -0.5],
            [-1, -1, -0.5],
            [1, -1, -0.5],
            [0, 0, 1.5],
        ]
    ),
    "cube": abut.ConvexShape(corners),
    "14 vertices": abut.ConvexShape(np.concatenate([corners, tips])),
}
for name, shape in shapes.items():
    facets = len(shape.offsets) - 1
    print(
        f"{name:12} {len(shape.vertices):2} vertices, {len(shape.edges):2} "
        "edges, "
        f"{facets:2} facets, volume {shape.volume:.3f}"
    )

# %% [markdown]
# The pictures below draw facets as polygons by matplotlib.


# %%
def facets_of(shape, position=(0, 0, 0), turn=None, scale=1.0):
    """The corners of each facet, where the body is."""
    vertices = scale * shape.vertices
    vertices = np.asarray(position) + (
        vertices if turn is None else turn.apply(vertices)
    )
    loops = np.split(shape.indices, shape.offsets[1:-1])
    return [vertices[loop] for loop in loops]


def draw(ax, facets, color, alpha=0.3):
    ax.add_collection3d(
        Poly3DCollection(
            facets,
            facecolor=color,
            alpha=alpha,
            edgecolor="0.3",
            linewidth=0.6,
        )
    )


def frame(ax, low, high, **view):
    ax.set(
        xlim=(low[0], high[0]),
        ylim=(low[1], high[1]),
        zlim=(low[2], high[2]),
    )
    ax.set_box_aspect(np.subtract(high, low), zoom=1.2)
    ax.view_init(**view)
    ax.set_axis_off()


figure = plt.figure(figsize=(11, 3), layout="constrained")
for k, (name, shape) in enumerate(shapes.items()):
    ax = figure.add_subplot(1, 4, k + 1, projection="3d")
    draw(ax, facets_of(shape), f"C{k}", 0.6)
    frame(ax, [-1.3] * 3, [1.3] * 3, elev=20, azim=30)
    ax.set_title(name)

# %% [markdown]
# ## Two bodies
#
# A finder is made with the shape and the size of each body. A query gets
# the positions and orientations. Here a cube lies in front of a side of
# another one, slightly tilted.
#
# The result has a row for each pair. Its *link* is the shortest line
# between the bodies, and the *common plane* is at its middle. `normal`
# points from body j to body i. `overlap` is negative for bodies that are
# apart. Pairs that do not touch are returned if their distance is below
# `gap`.

# %%
finder = abut.ConvexFinder(
    [shapes["cube"]], shape=[0, 0], scales=[1.0, 0.7]
)
positions = np.array([[0, 0, 0], [2.15, 0.6, 0.5]])
turns = Rotation.from_euler("xyz", [[0, 0, 0], [25, 2, 3]], degrees=True)
contacts = finder.find(positions, turns, gap=1.0)
print("overlap", contacts.overlap, " normal", contacts.normal[0].round(4))
print(
    "the link's ends lie on types",
    contacts.type[0],
    "number",
    contacts.feature[0],
)

# %% [markdown]
# A single force at the link cannot hold a cube, which would roll about it.
# *Contact points* are where the features that bear meet, seen along the
# normal. Each has its own overlap. Forces at the points with a positive
# overlap hold a body as its side would. When the body tilts from side to
# edge, the force moves there without a jump.

# %%
figure = plt.figure(figsize=(10, 4.2), layout="constrained")
for k, shift in enumerate(([0.0, 0, 0], [-0.46, 0, 0])):
    ax = figure.add_subplot(1, 2, k + 1, projection="3d")
    places = positions + np.array([[0, 0, 0], shift])
    found = finder.find(places, turns, gap=1.0)
    for body, color in ((0, "C0"), (1, "C1")):
        facets = facets_of(
            shapes["cube"], places[body], turns[body], finder.scales[body]
        )
        draw(ax, facets, color, 0.15)
    ax.plot(*found.link[0].T, "k-o", markersize=3, label="link")
    ax.scatter(
        *found.spot.T, color="red", depthshade=False, label="contact points"
    )
    n = found.normal[0]
    across = np.linalg.svd(n[None])[2][1:]
    square = (
        found.point[0]
        + np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) @ across
    )
    ax.add_collection3d(
        Poly3DCollection([square], facecolor="0.6", alpha=0.25)
    )
    frame(ax, [-1.2, -1.3, -1.3], [3, 1.7, 1.7], elev=18, azim=-65)
    ax.set_title(f"overlap {found.overlap[0]:.3f}")
ax.legend()
print("overlaps of the contact points:", found.spot_overlap.round(4))

# %% [markdown]
# ## Entrances
#
# An *entrance* is a vertex of one body and a facet of the other, or two
# edges that cross, where the bodies can meet without overlapping. The fast
# direct search lists the entrances. Each is a face of one polyhedron, which
# contains all differences between a point of B and a point of A. The bodies
# overlap if the origin is inside. The face that is nearest to the origin
# gives the overlap and the normal along which the bodies part soonest.

# %%
pair = np.array([[0, 1]])
two = abut.ConvexFinder(
    [shapes["tetrahedron"], shapes["cube"]], shape=[0, 1], scales=[1.0, 0.8]
)
places = np.array([[0, 0, 0], [1.1, 0.6, 0.8]])
turned = Rotation.from_euler("xyz", [[0, 0, 0], [20, 35, 10]], degrees=True)
entrances = two.entrances(places, turned, pairs=pair)
names = {
    (2, 0): "vertex and facet",
    (0, 2): "facet and vertex",
    (1, 1): "two edges",
}
for kind, name in names.items():
    print(
        f"{name:17}",
        np.count_nonzero(np.all(entrances.type == kind, axis=1)),
    )
least = entrances.overlap.argmin()
print(
    "overlap",
    entrances.overlap[least].round(4),
    "along",
    entrances.normal[least].round(4),
)

# %%
bodies = [
    turned[k].apply(s * two.shapes[k].vertices) + places[k]
    for k, s in enumerate((1.0, 0.8))
]
difference = (bodies[1][:, None] - bodies[0]).reshape(-1, 3)
hull = ConvexHull(difference)
entrance = np.argmax(
    hull.equations[:, :3] @ entrances.normal.T, axis=1
)  # of each triangle
colors = dict(zip(names, ("C2", "C3", "C1"), strict=True))


def face_of(k):
    """The corners of an entrance's face, in order around its normal."""
    points = difference[np.unique(hull.simplices[entrance == k])]
    across = np.linalg.svd(entrances.normal[k][None])[2][1:]
    x, y = across @ (points - points.mean(0)).T
    return points[np.argsort(np.arctan2(y, x))]


figure = plt.figure(figsize=(10, 4.2), layout="constrained")
ax = figure.add_subplot(121, projection="3d")
for body, (name, color) in enumerate(
    (("tetrahedron", "C0"), ("cube", "C1"))
):
    draw(
        ax,
        facets_of(
            shapes[name], places[body], turned[body], (1.0, 0.8)[body]
        ),
        color,
        0.3,
    )
frame(ax, [-1, -1, -1], [2, 2, 2], elev=20, azim=-60)
ax.set_title("two bodies that overlap")
ax = figure.add_subplot(122, projection="3d")
faces = [face_of(k) for k in range(len(entrances))]
face_colors = [colors[tuple(kind)] for kind in entrances.type.tolist()]
draw(ax, faces, face_colors, 0.6)
for kind, color in colors.items():
    ax.scatter([], [], [], color=color, label=names[kind])
ax.scatter(0, 0, 0, color="k", label="origin")
frame(ax, difference.min(0), difference.max(0), elev=25, azim=60)
ax.set_title("and their entrances")
_ = ax.legend(loc="upper left", fontsize="small")

# %% [markdown]
# ## Step after step
#
# Bodies move little between steps. The table of the last step, passed as
# `before`, is the start of the next search. If its result is still right,
# only the proof remains. The pairs are passed, too, as in a code with a
# neighbor list.

# %%
rng = np.random.default_rng(1)
count = 3000
many = abut.ConvexFinder(
    list(shapes.values()), shape=rng.integers(4, size=count), scales=0.8
)
places = 2.4 * np.stack(
    np.unravel_index(np.arange(count), [15] * 3), axis=1
).astype(float)
turns = Rotation.random(count, random_state=rng)
before = many.find(places, turns, gap=0.1)
pairs = np.stack([before.i, before.j], axis=1)
seconds, iterations = {"cold": [], "warm": []}, {}
for _ in range(20):
    places += 1e-3 * rng.normal(size=places.shape)
    turns = (
        Rotation.from_rotvec(1e-3 * rng.normal(size=places.shape)) * turns
    )
    quaternions = turns.as_quat()
    for name in seconds:
        options = {
            "before": before if name == "warm" else None,
            "spots": False,
            "workers": 1,
        }
        start = time.process_time()
        found = many.find(places, quaternions, pairs=pairs, **options)
        seconds[name].append(time.process_time() - start)
        iterations[name] = np.bincount(found.iterations, minlength=6)[
            :6
        ] / len(found)
    before = found

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for k, (name, shares) in enumerate(iterations.items()):
    each = 1e9 * np.median(seconds[name]) / len(pairs)
    label = f"{name}, {each:.0f} ns a pair"
    ax.bar(np.arange(6) + 0.4 * k - 0.2, shares, 0.4, label=label)
ax.set(
    xlabel="iterations",
    ylabel="part of the pairs",
    title=f"{len(pairs):,} pairs",
)
_ = ax.legend()

# %% [markdown]
# ## Polygons
#
# Polygons in the plane work in the same way, with shapes of (v, 2) vertices
# and angles as orientations. The facets of a polygon are its sides.

# %%
angle = 2 * np.pi * np.arange(7) / 7
polygons = [
    abut.ConvexShape([[-1, -1], [1, -1], [1, 1], [-1, 1]]),
    abut.ConvexShape([[-1, -0.6], [1, -0.6], [0, 1.2]]),
    abut.ConvexShape(np.stack([np.cos(angle), np.sin(angle)], axis=1)),
]
kind = rng.integers(3, size=25)
disks = 1.9 * np.stack(np.unravel_index(np.arange(25), (5, 5)), axis=1)
angles = rng.uniform(0, 2 * np.pi, 25)
plane = abut.ConvexFinder(polygons, shape=kind)
found = plane.find(disks, angles, gap=0.6)

figure, ax = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
for body, (place, turn) in enumerate(zip(disks, angles, strict=True)):
    c, s = np.cos(turn), np.sin(turn)
    vertices = (
        polygons[kind[body]].vertices @ np.array([[c, s], [-s, c]]) + place
    )
    ax.fill(*vertices.T, facecolor="0.9", edgecolor="0.4")
for row in range(len(found)):
    ax.plot(
        *found.link[row].T,
        color="C3" if found.overlap[row] > 0 else "C0",
        linewidth=1.5,
    )
ax.plot(*found.spot.T, "k.", markersize=4)
ax.set_aspect("equal")
ax.set_axis_off()
_ = ax.set_title(
    "links of pairs apart (blue) and overlapping (red), contact points"
)

# %% [markdown]
# ## Rounded bodies
#
# With `radius=` a body consists of all points within that distance of its
# core. While the cores are apart, the contact of rounded bodies is the
# shortest link between the cores. Its normal turns where that of sharp
# bodies jumps. Here the tip of a cube slides over the edge of another one,
# with an overlap of 0.05. A sphere is a rounded point.

# %%
on_its_tip = Rotation.from_euler(
    "xy", [45, -np.degrees(np.arctan(np.sqrt(0.5)))], degrees=True
)
turn = Rotation.concatenate([Rotation.identity(), on_its_tip])
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for radius, name in (
    (0.0, "sharp"),
    (0.2, "rounded by a tenth of the edge"),
):
    cube = abut.ConvexShape((1 - radius) * np.array(corners), radius=radius)
    one = abut.ConvexFinder([cube], shape=[0, 0])
    height = 1 + np.sqrt(3) * (1 - radius) + radius - 0.05
    shifts, angles, row = np.linspace(0.6, 1.2, 300), [], None
    for shift in shifts:
        row = one.find(
            [[0, 0, 0], [shift, 0, height]],
            turn,
            pairs=[[0, 1]],
            before=row,
        )
        angles.append(
            np.degrees(np.arccos(-row.normal[0, 2]))
            if row.overlap[0] > 0
            else np.nan
        )
    ax.plot(shifts, angles, label=name)
ax.axvline(1, color="0.7", linewidth=0.8)
ax.set(
    xlabel="where the tip is; the edge is at 1",
    ylabel="normal, degrees from vertical",
)
_ = ax.legend()

# %% [markdown]
# ## A heap
#
# `Simulation.add_bodies` adds bodies that move. Each contact point has a
# normal force by its own overlap, and its own tangential spring. Grains of
# the four shapes, 3.5 to 5 cm, fall into a box of half spaces. Stiffness
# and friction are those of an example in the paper on the shortest link
# method. As in that paper, two walls are then removed.

# %%
GRAINS, SIDE = 128, 0.21
grain, wall = abut.Material(density=2600), abut.Material()
law = abut.Linear(
    130e3,
    tangential=102 / 130,
    friction=np.tan(np.radians(35)),
    restitution=0.3,
)
rng = np.random.default_rng(3)
sizes = 0.5 * rng.uniform(0.035, 0.05, GRAINS)  # circumscribed radii
cells = np.stack(
    np.unravel_index(rng.permutation(GRAINS), (GRAINS // 16, 4, 4)), axis=1
)
places = (cells[:, ::-1] + 0.5) * [SIDE / 4, SIDE / 4, 0.05]
turns = Rotation.random(GRAINS, random_state=rng).as_quat()
staying = [
    ((0, 0, 0), (0, 0, 1)),
    ((0, 0, 0), (1, 0, 0)),
    ((0, 0, 0), (0, 1, 0)),
]
going = [((SIDE, 0, 0), (-1, 0, 0)), ((0, SIDE, 0), (0, -1, 0))]


def simulation(walls):
    sim = abut.Simulation(step=1e-5, workers=1)
    sim.set_law(grain, grain, law)
    sim.set_law(grain, wall, law)
    for point, normal in walls:
        sim.add_wall(abut.HalfSpace(point, normal), wall)
    return sim


sim = simulation(staying + going)
for k, shape in enumerate(shapes.values()):
    rows = np.arange(k, GRAINS, 4)
    scales = sizes[rows] / shape.circumradius
    sim.add_bodies(
        shape, places[rows], grain, orientations=turns[rows], scales=scales
    )
sim.run(0.45)
sim

# %% [markdown]
# The heap, with a color for each shape:

# %%
corners = [[0, 0, 0], [0.4, 0, 0], [0.4, 0.4, 0], [0, 0.4, 0]]
floor = abut.Mesh(corners, [[0, 1, 2, 3]])


def picture(sim, size=(800, 600), title=""):
    look = {"view": (1, 0.9, 0.9), "cmap": "tab10", "limits": (0, 9)}
    look |= {"label": None, "size": size, "title": title}
    return render(sim, sim.bodies.shape, walls=floor, **look)


picture(sim)

# %% [markdown]
# Most contacts have one point. Sides that lie on each other have several.

# %%
touching = sim.body_pairs
points = np.diff(touching.spot_offsets)
kinds = {
    (2, 0): "vertex, facet",
    (0, 2): "vertex, facet",
    (1, 1): "two edges",
}
names = [kinds.get(tuple(kind), "others") for kind in touching.type]
for name in dict.fromkeys(kinds.values()):
    print(f"{name:14} {names.count(name):4}")
print("contact points of a pair:", np.bincount(points)[1:])

# %% [markdown]
# ## The flow
#
# Without the two walls the heap flows out, as fast as friction allows. A
# simulation can begin with bodies that move.

# %%
flow = simulation(staying)
heap = sim.bodies
for k, shape in enumerate(sim.shapes):
    rows = heap.shape == k
    flow.add_bodies(
        shape,
        heap.positions[rows],
        grain,
        orientations=heap.orientations[rows],
        scales=heap.scales[rows],
        velocities=heap.velocities[rows],
        angular_velocities=heap.angular_velocities[rows],
    )

pictures = []
for time_ahead in (0.0, 0.12, 0.18):
    flow.run(time_ahead)
    pictures.append(picture(flow, (400, 300), f"{flow.time:.2f} s"))
Image.fromarray(np.hstack(pictures))

# %% [markdown]
# ## Further steps
#
# * [docs/convex.md](../docs/convex.md) explains the methods, when to use
#   which, and how accurate they are.
# * `benchmarks/convex.py` compares their speed, also with another library.
# * `finder.find_walls` finds the contacts of bodies with meshes. In a
#   simulation bodies touch walls as spheres do.
