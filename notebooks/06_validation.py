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
# # Validation
#
# The paper on the double hierarchy (Santasusana et al. 2016, "the paper",
# sections 6 and 7) has examples in which other methods fail. This notebook
# repeats them, with the numbers of the paper beside those of abut. It
# compares both ways to resolve contacts: the hierarchy, and sharing. The
# spheres are soft on purpose: they overlap by up to a third of their
# radius.

# %%
# %matplotlib inline
import time
import warnings

import matplotlib.pyplot as plt
import numpy as np

import abut

warnings.simplefilter(
    "ignore", abut.SimulationWarning
)  # overlaps are large on purpose
GRAVITY, RADIUS = 9.81, 0.3
COLORS = {"hierarchy": "tab:red", "sharing": "tab:blue"}
WIDTHS = {"hierarchy": 4, "sharing": 1}  # wide lines show below narrow ones
rigid = abut.Material()


def square(half=1.0, middle=(0, 0, 0)):
    corners = np.array(
        [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float
    )
    return np.asarray(middle) + half * corners


def joined(*parts):
    """One mesh of several (vertices, facets)."""
    vertices = np.concatenate([points for points, _ in parts])
    starts = np.cumsum([0, *(len(points) for points, _ in parts)])
    facets = [
        [start + k for k in facet]
        for start, (_, facets) in zip(starts, parts, strict=False)
        for facet in facets
    ]
    return abut.Mesh(vertices, facets)


# %% [markdown]
# ## 6.1.1 Facet, edge and vertex
#
# Five spheres of radius 0.3 m fall from 1 m, without damping: onto a facet,
# an edge and a vertex of planes, onto a ridge, and onto the tip of a
# pyramid. Each must feel one contact, whatever the mesh below it, and
# return to 1 m.


# %%
def fan(count, rim, middle):
    """Triangles around a vertex whose neighbors are at the height `rim`."""
    angles = 0.3 + 2 * np.pi * np.arange(count) / count
    around = np.column_stack(
        [np.cos(angles), np.sin(angles), np.full(count, rim)]
    )
    facets = [[0, 1 + k, 1 + (k + 1) % count] for k in range(count)]
    return np.concatenate([[[0, 0, 0]], around]) + middle, facets


x, z = (
    np.array([-1, -1, 0, 0, 1, 1.0]),
    np.array([-0.8, -0.8, 0, 0, -0.8, -0.8]),
)
ridge = (
    np.column_stack([12 + x, np.tile([-1, 1], 3), z]),
    [[0, 2, 3, 1], [2, 4, 5, 3]],
)
ground = joined(
    (square(1, (0, 0, 0)), [[0, 1, 2, 3]]),
    (square(1, (4, 0, 0)), [[0, 1, 2], [0, 2, 3]]),
    fan(7, 0.0, (8, 0, 0)),
    ridge,
    fan(5, -0.9, (16, 0, 0)),
)
places = ["facet", "edge", "vertex", "ridge", "tip"]
soft = abut.Material(density=100, young=1e5, poisson=0.2)  # table 6


def falling(resolution):
    sim = abut.Simulation(step=1e-5, resolution=resolution)
    sim.set_law(soft, rigid, abut.Hertz(friction=0.3))
    sim.add_wall(ground, rigid)
    sim.add_spheres(
        [[4 * k, 0.1 * (k in (0, 3)), 1] for k in range(5)], RADIUS, soft
    )
    heights = sim.record(1e-3, lambda s: s.centers[:, 2].copy())
    forces = sim.record(1e-3, lambda s: s.contacts.sum(s.contacts.force))
    sim.run(2.0)
    return (
        np.array(heights.times),
        np.array(heights.values),
        np.array(forces.values),
    )


figure, axes = plt.subplots(1, 2, figsize=(11, 3.5), layout="constrained")
for resolution, color in COLORS.items():
    times, heights, forces = falling(resolution)
    axes[0].plot(times, forces[..., 2], color=color, lw=WIDTHS[resolution])
    axes[1].plot(times, heights, color=color, lw=WIDTHS[resolution])
    back = heights[times > 0.5].max(axis=0)
    print(
        f"{resolution:10} largest force "
        f"{forces[..., 2].max(axis=0).round(0)}"
    )
    print(f"{'':10} sideways      {np.abs(forces[..., :2]).max():.1e}")
    print(f"{'':10} back at 1 m - {(1 - back).max():.1e}")
axes[0].set(xlabel="time, s", title="force on each sphere, N (fig. 19a)")
_ = axes[1].set(
    xlabel="time, s", title="height of each center, m (fig. 19b)"
)

# %% [markdown]
# Each picture has ten curves that coincide. The wide ones are those of the
# hierarchy.
#
# ## 6.1.2 Continuity of contact
#
# A sphere is moved around a right angle at an overlap of 1 cm. Its force
# must keep its size and turn with the surface. The law of Hertz gives
# 76.0726 N; the paper has 76.063 N.

# %%
edge = np.array(
    [
        [-4, -2, 0],
        [0, -2, 0],
        [0, 2, 0],
        [-4, 2, 0],
        [0, -2, -4],
        [0, 2, -4.0],
    ]
)
corner = abut.Mesh(edge, [[0, 1, 2, 3], [1, 4, 5, 2]])
turns = np.clip(np.linspace(-0.5, 1.5, 241), 0, 1) * np.pi / 2
normals = np.column_stack([np.sin(turns), 0 * turns, np.cos(turns)])
way = np.linspace(-1, 3, 241)
feet = np.column_stack(
    [np.minimum(way, 0), 0 * way, np.minimum(2 - way, 0)]
)

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for resolution, color in COLORS.items():
    sim = abut.Simulation(
        step=1e-5, gravity=(0, 0, 0), resolution=resolution
    )
    sim.set_law(soft, rigid, abut.Hertz())
    sim.add_wall(corner, rigid)
    sim.add_spheres(feet[:1] + (RADIUS - 0.01) * normals[:1], RADIUS, soft)
    forces = []
    for foot, normal in zip(feet, normals, strict=True):
        sim.centers = [foot + (RADIUS - 0.01) * normal]
        sim.velocities = [[0, 0, 0]]
        sim.run(steps=1)
        forces.append(sim.contacts.force.sum(axis=0))
    sizes = np.linalg.norm(forces, axis=1)
    print(f"{resolution:10} {sizes.min():.6f} to {sizes.max():.6f} N")
    ax.plot(
        way, np.array(forces)[:, [0, 2]], color=color, lw=WIDTHS[resolution]
    )
_ = ax.set(
    xlabel="way along the surface, m", title="force across and upwards, N"
)

# %% [markdown]
# ## 6.1.3 Multiple contact
#
# Three spheres fall into a square, a triangular and a round hole of a
# plate, slightly off center, with damping and friction (table 7). The paper
# does not give the size of its holes. Here the inscribed circles have radii
# of 0.25, 0.25 and 0.22 m.


# %%
def plate(sides, reach, middle, half=1.5):
    """A square plate with a regular hole."""
    angles = np.pi / 2 + 2 * np.pi * np.arange(sides) / sides
    rays = np.unique(
        np.append(
            angles % (2 * np.pi), np.pi / 4 + np.pi / 2 * np.arange(4)
        ).round(12)
    )
    around = np.column_stack([np.cos(rays), np.sin(rays)])
    border = half * around / np.abs(around).max(axis=1, keepdims=True)
    across = np.cos(rays[:, None] - angles - np.pi / sides).max(
        axis=1, keepdims=True
    )
    points = np.concatenate([reach * around / across, border])
    count = len(rays)
    facets = [
        [k, count + k, count + (k + 1) % count, (k + 1) % count]
        for k in range(count)
    ]
    return np.column_stack([points, np.zeros(2 * count)]) + middle, facets


stiff = abut.Material(density=100, young=1e6, poisson=0.2)  # table 7
holes = joined(
    *(
        plate(n, r, (4 * k, 0, 0))
        for k, (n, r) in enumerate([(4, 0.25), (3, 0.25), (24, 0.22)])
    )
)
figure, axes = plt.subplots(
    1, 2, figsize=(11, 3.2), sharey=True, layout="constrained"
)
for ax, resolution in zip(axes, COLORS, strict=True):
    sim = abut.Simulation(step=2e-5, resolution=resolution)
    sim.set_law(stiff, rigid, abut.Hertz(friction=0.3, restitution=0.4))
    sim.add_wall(holes, rigid)
    sim.add_spheres(
        [[4 * k + 0.02, 0.01, 1] for k in range(3)], RADIUS, stiff
    )
    speeds = sim.record(
        5e-3, lambda s: np.linalg.norm(s.velocities, axis=1)
    )
    sim.run(2.5)
    print(
        f"{resolution:10} at 2.5 s {speeds.values[-1]} m/s, contacts "
        f"{sim.contacts.counts}"
    )
    ax.plot(
        speeds.times,
        np.array(speeds.values),
        label=["square", "triangle", "round"],
    )
    ax.set(xlabel="time, s", title=f"speed, m/s: {resolution} (fig. 23)")
_ = axes[0].legend()

# %% [markdown]
# The hierarchy keeps all edges of a hole, and each pushes with its full
# force. With sharing, edges that push in the same direction share the
# force. The contact is softer, and in the round hole the sphere comes to
# rest later, within 10 s.
#
# ## 6.1.4 Mesh independence
#
# A sphere begins to slide at 5 m/s, and ends rolling with v = v0 / (1 + 0.4
# R² / (R - overlap)²). The analytic column of the paper neglects the
# overlap. The wall has the material of the sphere. (The paper's error of
# 0.0062 % for the angular velocity is 0.62 %.)


# %%
def resting(wall):
    """The overlap of a sphere under its own weight."""
    modulus = 1 / ((1 - 0.2**2) / 1e6 * (1 if wall.young is None else 2))
    weight = 100 * 4 / 3 * np.pi * RADIUS**3 * GRAVITY
    return (weight / (4 / 3 * modulus * np.sqrt(RADIUS))) ** (2 / 3)


def sliding(mesh, wall):
    sim = abut.Simulation(step=1e-5)
    sim.set_law(stiff, wall, abut.Hertz(friction=0.3, restitution=0.4))
    sim.add_wall(mesh, wall)
    sim.add_spheres(
        [[0, 0, RADIUS - resting(wall)]],
        RADIUS,
        stiff,
        velocities=[[5, 0, 0]],
    )
    track = sim.record(
        0.01,
        lambda s: (
            s.centers[0, 0],
            s.velocities[0, 0],
            s.angular_velocities[0, 1],
        ),
    )
    sim.run(1.0)
    return np.array(track.times), np.array(track.values)


one_quad = abut.Mesh(square(6), [[0, 1, 2, 3]])
triangles = (
    abut.examples.plane(cells=8)
    .scaled(12)
    .transformed(
        np.array(
            [[1, 0, 0, -6], [0, 1, 0, -6], [0, 0, 1, 0], [0, 0, 0, 1.0]]
        )
    )
)
print(f"{'':34}      x, m   v, m/s    w, rad/s")
for name, wall in (("wall like the sphere", stiff), ("rigid wall", rigid)):
    for kind, mesh in (
        ("one quadrilateral", one_quad),
        (f"{len(triangles)} triangles", triangles),
    ):
        times, track = sliding(mesh, wall)
        print(
            f"{name:22}{kind:18}",
            *(f"{number:9.5f}" for number in track[-1]),
        )
    arm = RADIUS - resting(wall)
    end = 5 / (1 + 0.4 * RADIUS**2 / arm**2)
    print(
        f"{'':22}{'rolling, analytic':18} {'':9} {end:9.5f} "
        f"{end / arm:9.5f}"
    )
print(
    f"{'paper, table 8':22}{'quadrilateral':18}    3.9021    3.5410   "
    "11.9788"
)
print(f"{'':22}{'triangles':18}    3.9022    3.5410   11.9788")
print(f"{'':22}{'analytic':18}    3.9182    3.5714   11.9048")
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(times, track, label=["x", "v", "angular velocity"])
ax.set(xlabel="time, s", title="sliding, then rolling (fig. 25)")
_ = ax.legend()

# %% [markdown]
# ## 6.2 The rotary mixer
#
# The mixer has 29,559 spheres in a drum with a rotor of paddles at 18.85
# rad/s (table 9). This notebook runs the first 0.05 s. The tests run it to
# 0.3 s: the walls then carry the weight of the bed, and no sphere has left
# the drum.
#
# The paper's table 10 has the time of each part of a step. A step took 264
# ms on one core of a Xeon E5-2670 (105,630 s for 400,000 steps): half of it
# for pairs, a fifth for walls. In abut one pass finds the pairs of a list
# and applies their laws. Its time is in the last row.

# %%
bed, (drum, rotor) = abut.examples.mixer(), abut.examples.mixer_meshes()
grain = abut.Material(density=1000, young=1e7, poisson=0.2)


def mixer(workers, duration):
    sim = abut.Simulation(step=5e-5, workers=workers)
    sim.set_law(
        grain,
        grain,
        abut.Hertz(friction=0.5, restitution=0.4, rolling=0.001),
    )
    sim.set_law(
        grain,
        rigid,
        abut.Hertz(friction=0.75, restitution=0.4, rolling=0.001),
    )
    sim.add_wall(drum, rigid)
    sim.add_wall(
        rotor, rigid, motion=abut.Rotating(axis=(1, 0, 0), rate=18.85)
    )
    sim.add_spheres(bed.centers, bed.radii, grain)
    began = time.perf_counter()
    sim.run(duration)
    return sim, (time.perf_counter() - began) / sim.step_count


sim, each = mixer(1, 0.05)
fastest = np.linalg.norm(sim.velocities, axis=1).max()
print(f"{1e3 * each:.1f} ms a step; fastest sphere {fastest:.2f} m/s")
took = sim.statistics()
parts = {
    "pairs: lists (search)": (took.neighbors, 53.9),
    "walls: search": (took.find_walls, 20.7),
    "all else": (
        took.wall_laws
        + took.pair_laws
        + took.sums
        + took.move
        + took.order,
        25.4,
    ),
}
print(f"{'part of a step':22}{'ns a sphere':>12}{'%':>8}{'paper, %':>10}")
for name, (seconds, paper) in parts.items():
    each_sphere = 1e9 * seconds / took.sphere_steps
    print(
        f"{name:22}"
        f"{each_sphere:12.0f}"
        f"{100 * seconds / took.seconds:8.1f}{paper:10.1f}"
    )

# %% [markdown]
# The paper's figure 29 is the speed with several threads. Its figure 30
# counts the facets that are near a sphere, touch it, and are kept. (More
# threads are no faster where other programs keep the cores busy.)

# %%
import os

most = (
    len(os.sched_getaffinity(0))
    if hasattr(os, "sched_getaffinity")
    else os.cpu_count()
)
threads = [count for count in (1, 2, 4, 8) if count <= most]
per_step = [
    min(mixer(count, 0.005)[1] for _ in range(2)) for count in threads
]
finder = abut.ContactFinder([drum, rotor])
finder.find(sim.centers, sim.radii, poses=[wall.pose for wall in sim.walls])
found = finder.statistics()
counts = {
    "near\n(potential)": found.candidates,
    "tested": found.tests,
    "touching": found.touching,
    "contacts": found.contacts,
}
figure, axes = plt.subplots(1, 2, figsize=(11, 3.2), layout="constrained")
axes[0].plot(
    threads, np.divide(per_step[0], per_step), "o-", label="measured here"
)
axes[0].plot(threads, threads, ":", color="gray", label="ideal")
axes[0].set(
    xlabel="threads", title="times as fast (fig. 29)", xticks=threads
)
axes[0].legend()
axes[1].bar(counts.keys(), np.array(list(counts.values())) / found.spheres)
_ = axes[1].set(yscale="log", title="facets a sphere (fig. 30)")

# %% [markdown]
# In the paper there are 30 potential neighbors for each one that touches.
# abut excludes most of its candidates in blocks, without a test.
#
# ## 7.1 Normal force in concave transitions
#
# Where a floor ends in a plane that rises by an angle, the second contact
# of the hierarchy appears with an overlap. The force jumps by xi, relative
# to the force of the floor (equation 42). Where the contact with the floor
# vanishes, its whole force vanishes, which the equation does not include. A
# sphere is moved across at a constant height:


# %%
def across(degrees, overlap, xs, resolution, law=None):
    """Forces on a sphere of radius 1 there, relative to the floor's."""
    rise = 4 * np.tan(np.deg2rad(degrees))
    x, y, z = [-4, 0, 4] * 2, [-4] * 3 + [4] * 3, [0, 0, rise] * 2
    sim = abut.Simulation(
        step=1e-6, gravity=(0, 0, 0), resolution=resolution
    )
    sim.set_law(stiff, rigid, law or abut.Hertz())
    sim.add_wall(
        abut.Mesh(
            np.column_stack([x, y, z]).astype(float),
            [[0, 1, 4, 3], [1, 2, 5, 4]],
        ),
        rigid,
    )
    sim.add_spheres([[-3, 0, 1 - overlap]], 1.0, stiff)
    forces = []
    for place in [-2, *xs]:
        sim.centers = [[place, 0, 1 - overlap]]
        sim.velocities = [[0, 0, 0]]
        sim.run(steps=1)
        forces.append(sim.contacts.force.sum(axis=0))
    return np.array(forces[1:]) / forces[0][2]


def xi(degrees, overlap, exponent=1.5):
    cosine = np.cos(np.deg2rad(degrees))
    return (
        np.maximum(0, (cosine + overlap - 1) / (overlap * cosine))
        ** exponent
    )


figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
angles = np.linspace(0.5, 90, 300)
for overlap in (0.01, 0.033, 0.1, 0.25, 0.5):
    (line,) = axes[0].plot(
        angles, xi(angles, overlap), label=f"overlap {overlap} R"
    )
    for degrees in np.degrees(np.arccos(1 - overlap)) * np.array(
        [0.2, 0.5, 0.8]
    ):
        edge_at = -(1 - overlap) * np.tan(np.deg2rad(degrees))
        steps = across(
            degrees, overlap, edge_at + np.array([-1e-5, 1e-5]), "hierarchy"
        )
        jump = np.linalg.norm(np.diff(steps, axis=0))
        axes[0].plot(degrees, jump, "o", color=line.get_color())
        assert abs(jump - xi(degrees, overlap)) < 1e-3
axes[0].set(
    xlabel="change of angle, degrees",
    title="jump: equation 42 and measured (fig. 32)",
)
axes[0].legend()
places_along = np.linspace(-0.25, 0.05, 1501)
for resolution, color in COLORS.items():
    total = np.linalg.norm(
        across(10, 0.033, places_along, resolution), axis=1
    )
    axes[1].plot(
        places_along,
        total,
        color=color,
        lw=WIDTHS[resolution],
        label=resolution,
    )
axes[1].set(xlabel="x / R", title="force at 10 degrees, overlap 3.3 %")
_ = axes[1].legend()
for degrees, overlap in ((10, 0.033), (2, 0.05)):
    print(
        f"{degrees:2} degrees, overlap {overlap}: xi "
        f"{xi(degrees, overlap):.3f}"
    )
middle, reach = -0.1, 0.15
for spacing in (1e-4, 1e-5):
    xs = np.arange(middle - reach, middle + reach, spacing)
    steps = np.linalg.norm(
        np.diff(across(10, 0.033, xs, "sharing"), axis=0), axis=1
    )
    middle, reach = xs[steps.argmax()], 100 * spacing
    print(
        f"sharing, places {spacing:g} R apart: largest step "
        f"{steps.max():.1e}"
    )

# %% [markdown]
# With sharing there is no jump: the largest change between two positions
# decreases with their spacing.
#
# ## 7.2 Tangential force across facets
#
# A sphere slides over facets of length L with an overlap of L / 4 and a
# linear law. A method that starts a new spring on each facet loses 13 % of
# the work of friction (equation 43). Here the spring (contact history) is
# kept from facet to facet.

# %%
facets = 6
strip = np.array([[x, y, 0.0] for y in (-2, 2) for x in range(facets + 1)])
quads = [[k, k + 1, facets + k + 2, facets + k + 1] for k in range(facets)]
sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0))
sim.set_law(stiff, rigid, abut.Linear(1e4, tangential=2 / 7, friction=0.3))
sim.add_wall(abut.Mesh(strip, quads), rigid)
sim.add_spheres([[0.5, 0, 0.75]], 1.0, stiff)
way = np.linspace(0.5, facets - 0.5, 5000)
ratio = []
for x in way:
    sim.centers, sim.velocities = (
        [[x, 0, 0.75]],
        [[(way[1] - way[0]) / sim.step, 0, 0]],
    )
    sim.angular_velocities = [[0, 0, 0]]
    sim.run(steps=1)
    force = sim.contacts.force.sum(axis=0)
    ratio.append(-force[0] / force[2] / 0.3)
# a spring that starts anew on each facet: k_t x, up to the limit
anew = np.minimum(1, (way % 1) * (2 / 7) / (0.3 * 0.25))
first = np.minimum(1, (way - 0.5) * (2 / 7) / (0.3 * 0.25))
anew = np.where(way < 1, first, anew)
figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(way, anew, color="gray", label="anew on each facet (equation 43)")
ax.plot(way, ratio, color="tab:blue", label="abut")
ax.set(
    xlabel="way / L",
    ylim=(0, 1.1),
    title="tangential force / friction x normal force (fig. 33)",
)
_ = ax.legend(loc="lower right")
inside = (way > 1) & (way < facets - 1)  # whole facets
for name, values in (("abut", ratio), ("anew", anew)):
    print(
        f"{name}: {100 * (1 - np.array(values)[inside].mean()):.4f} % of "
        "the work lost"
    )
