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
# # A rotating drum
#
# A turning drum lifts grains, which slide down again and mix. This notebook
# reads a drum from a CAD file, fills it and turns it. Then it measures
# three things: the torque, how fast the grains mix, and where the bed
# presses on the wall. Friction carries the bed, so the notebook first shows
# how friction works.
#
# The drum is from [MercuryDPM](data/README.md). The pictures need the
# extras `plot` and `view`: `pip install 'abut[plot,view]'`.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

import abut
from abut.plot import render

# %% [markdown]
# ## Friction has a memory
#
# The friction force of a contact depends on its history: on how far the
# surfaces have been dragged along each other. `abut` keeps a tangential
# spring for each contact (contact history). The spring slips when its force
# exceeds Coulomb's limit.
#
# The example is a tripod: three spheres that form one rigid body, so that
# it cannot roll. The tripod stands on a plate and is pushed with a growing
# force. The springs hold the tripod until the force is the friction
# coefficient times the weight. Then the tripod slips.

# %%
grain = abut.Material(density=2500, young=1e7, poisson=0.2)
steel = abut.Material()  # no modulus of its own: rigid
law = abut.Hertz(friction=0.5, restitution=0.5, rolling=0.01)

tripod = abut.Cluster(
    [[0.01, 0, 0], [-0.005, 0.00866, 0], [-0.005, -0.00866, 0]], 0.004
)
plate = abut.examples.plane()  # 1 m x 1 m, of irregular triangles

sim = abut.Simulation(step=2e-5, workers=1)
sim.set_law(grain, steel, law)
sim.add_wall(plate, steel)
sim.add_clusters(tripod, [[0.5, 0.5, 0.004]], grain)
sim.run(0.2)  # comes to rest


def push(s):
    """Forces (n, 3) along x, from 0 to three quarters of the weight."""
    return 1.5 * (s.time - 0.2) * 9.81 * s.masses[:, None] * [1, 0, 0]


sim.add_force(push)
held = sim.record(1e-3, lambda s: s.contacts.force[:, 0].sum())
moved = sim.record(1e-3, lambda s: s.clusters.positions[0, 0] - 0.5)
sim.run(0.5)

weight = 9.81 * sim.masses.sum()
pushed = 1.5 * (held.times - 0.2)  # push / weight
figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
left, right = axes
left.plot(pushed, -held.values / weight)
left.axhline(0.5, color="gray", linestyle=":")
left.set(xlabel="push / weight", ylabel="friction / weight")
right.semilogy(pushed, moved.values * 1e6)
_ = right.set(xlabel="push / weight", ylabel="moved by, in µm")
# %% [markdown]
# ## Fill the drum
#
# The axis of the drum is z. The file is in millimeters, and `scale=1e-3`
# converts them to meters. Gravity points along -y. An `Insertion` adds
# grains with radii of 3 to 3.5 mm inside a box above the bed, where they
# touch nothing.
#
# The fastest falling grains limit the time step: while the drum is filled,
# the longest stable step goes down to 3.2e-5 s. Computing a step with 2,000
# spheres takes a quarter of a millisecond. For so little work, a second
# thread saves no time.

# %%
drum = abut.read_mesh("data/drum.stl", scale=1e-3)
sim = abut.Simulation(step=3e-5, gravity=(0, -9.81, 0), workers=1)
sim.set_law(grain, grain, law)
sim.set_law(grain, steel, law)
wall = sim.add_wall(drum, steel)
box = [[-0.045, 0.016, 0.001], [0.045, 0.055, 0.084]]
sim.add_insertion(
    abut.Insertion(box, (0.003, 0.0035), rate=4000, material=grain),
    until=0.5,
)
sim.run(0.8)
sim

# %% [markdown]
# The grains are at rest. The potential energy that they lost is dissipated
# in the contacts, and almost no kinetic energy remains. A bed at rest
# allows a longer time step than falling grains.

# %%
for name, value in sim.energy._asdict().items():
    print(f"{name:14} {value:10.2e} J")
print(f"longest stable step {sim.stable_step():.1e} s")

# %% [markdown]
# ## Turn it
#
# Assigning `wall.motion` starts the rotation. During two turns we record
# the torque, the position of the bed, and a mixing index.
#
# For the mixing index, grains have one of two colors, by the side on which
# they start. The index is the fraction of touching pairs with two colors,
# divided by the same fraction in a random mixture. The index is 0 when the
# colors are apart, and 1 when they are mixed at random.
#
# During the second turn, `add_up` sums the forces on the wall in each cell
# of a grid of angle and z. The grid does not turn with the drum.

# %%
RATE = 4.0  # radians a second; clockwise, seen from +z
TURN = 2 * np.pi / RATE
color = np.where(sim.centers[:, 0] < np.median(sim.centers[:, 0]), 0, 1)


def mixing(s):
    part = color.mean()
    differ = color[s.pairs.i] != color[s.pairs.j]
    return differ.mean() / (2 * part * (1 - part))


force_sums, sum_count = np.zeros((36, 10)), 0


def add_up(s):
    global sum_count
    if s.time < TURN + 0.8:
        return
    x, y, z = s.contacts.point.T
    pressing = np.einsum("ij,ij->i", s.contacts.force, s.contacts.normal)
    at_wall = np.hypot(x, y) > 0.07
    angle = np.degrees(np.arctan2(y, x))[at_wall] % 360
    fields = [np.arange(0, 361, 10), np.linspace(0, 0.085, 11)]
    force_sums[:] += np.histogram2d(
        angle, z[at_wall], fields, weights=pressing[at_wall]
    )[0]
    sum_count += 1


pictures = []


def keep(s):
    look = {"view": (0, 0.25, 1), "up": (0, 1, 0), "cmap": "coolwarm"}
    title = f"{s.time - 0.8:.1f} s"
    look |= {"label": None, "size": (400, 400), "title": title}
    pictures.append(render(s, color, **look))


wall.motion = abut.Rotating(axis=(0, 0, 1), rate=-RATE)
torque = sim.record(0.01, lambda s: wall.torque[2])
offset = sim.record(0.01, lambda s: s.masses @ s.centers[:, 0])
mixed = sim.record(0.05, mixing)
sim.every(0.02, add_up)
keep(sim)
for _ in range(2):
    sim.run(TURN)
    keep(sim)

# %% [markdown]
# ## The drum at three moments
#
# The drum at the start and after each turn:

# %%
Image.fromarray(np.hstack(pictures))

# %% [markdown]
# ## How fast it mixes

# %%
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot((mixed.times - 0.8) / TURN, mixed.values)
ax.axhline(1, color="gray", linestyle=":")
_ = ax.set(xlabel="turns", ylabel="mixing index", ylim=(0, 1.1))
# %% [markdown]
# ## The torque of the motor
#
# The bed leans to the side to which the drum lifts it. The weight of the
# bed acts against the rotation. In steady flow the torque is the weight
# times the horizontal distance of the center of mass from the axis. The
# plot compares this product with the torque that is summed over the
# contacts.

# %%
by_place = -9.81 * offset.values
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
smooth = np.ones(10) / 10
ax.plot(
    torque.times[5:-4] - 0.8,
    np.convolve(torque.values, smooth, "valid"),
    label="torque of the contacts",
)
ax.plot(offset.times - 0.8, by_place, label="weight times distance")
ax.set(xlabel="time in s", ylabel="torque in N m")
ax.legend()
steady = torque.times > 0.8 + TURN
print("mean torque in the second turn")
print(f"of the contacts:       {torque.values[steady].mean():.4f} N m")
print(f"weight times distance: {by_place[steady].mean():.4f} N m")

# %% [markdown]
# The power of the motor, `-wall.power`, is this torque times the angular
# velocity. The contacts dissipate this power.

# %% [markdown]
# ## Where the bed presses
#
# The picture shows the mean pressure on the unrolled wall during the second
# turn. The bottom is at 270°. The drum turns clockwise, so the wall moves
# to the left.

# %%
area = 2 * np.pi * 0.075 / 36 * 0.0085
figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
image = ax.imshow(
    force_sums.T / sum_count / area,
    extent=(0, 360, 0, 85),
    origin="lower",
    aspect="auto",
)
ax.set(xlabel="angle in degrees", ylabel="z in mm")
_ = figure.colorbar(image, label="pressure in Pa")

# %% [markdown]
# `wall.force` is the total force at any time. `wall.nodal_forces` is the
# force on each vertex of the mesh, for example for a finite element model
# of the drum.
#
# ## Further steps
#
# * `sim.save("drum.npz")` writes a restart file.
#   `abut.load_simulation("drum.npz", meshes=[drum])` continues the run with
#   exactly the same numbers.
# * `sim.every(0.01, abut.write_frames("out/{step:08d}.vtp"))` writes frames
#   that ParaView plays.
# * [docs/dem.md](../docs/dem.md) has the equations.
