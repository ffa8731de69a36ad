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
# Grains in a drum that turns: they are lifted, slide down again, and mix. This notebook reads the
# drum from a CAD file, fills it, turns it, and looks at what people who build drums want to know:
# the torque, how fast it mixes, and where the bed presses. Before that, a word on friction, which
# carries the bed.
#
# The drum is from [MercuryDPM](data/README.md). Pictures need the extra `plot`.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut
from abut.plot import plot_spheres

# %% [markdown]
# ## Friction has a memory
#
# A contact does not know how hard it is pushed sideways from where the sphere is now, nor from
# how fast it moves: it must remember how far it has been dragged. `abut` keeps a spring for each
# contact, from step to step, and lets it slip where it would pull harder than Coulomb's friction.
#
# A tripod shows it, three spheres that are one rigid body so that it cannot roll. It stands on a
# plate and is pushed harder and harder. Up to friction times weight it leans into its springs and
# stays; then it slips.

# %%
grain = abut.Material(density=2500, young=1e7, poisson=0.2)
steel = abut.Material()  # no modulus of its own: rigid
law = abut.Hertz(friction=0.5, restitution=0.5, rolling=0.01)

tripod = abut.Cluster([[0.01, 0, 0], [-0.005, 0.00866, 0], [-0.005, -0.00866, 0]], 0.004)
plate = abut.examples.plane()  # 1 m x 1 m, of irregular triangles

sim = abut.Simulation(step=2e-5, workers=1)
sim.set_law(grain, steel, law)
sim.add_wall(plate, steel)
sim.add_clusters(tripod, [[0.5, 0.5, 0.004]], grain)
sim.run(0.2)  # it comes to rest


def push(s):
    """Along x, from 0 up to three quarters of the weight: (n, 3), a row for each sphere."""
    return 1.5 * (s.time - 0.2) * 9.81 * s.masses[:, None] * [1, 0, 0]


sim.add_force(push)
held = sim.record(1e-3, lambda s: s.contacts.force[:, 0].sum())
moved = sim.record(1e-3, lambda s: s.clusters.positions[0, 0] - 0.5)
sim.run(0.5)

weight = 9.81 * sim.masses.sum()
pushed = 1.5 * (held.times - 0.2)  # of the weight
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
left.plot(pushed, -held.values / weight)
left.axhline(0.5, color="gray", linestyle=":")
left.set(xlabel="push / weight", ylabel="friction / weight")
right.semilogy(pushed, moved.values * 1e6)
_ = right.set(xlabel="push / weight", ylabel="moved by, in µm")
# %% [markdown]
# ## Fill the drum
#
# Its axis is z and it is drawn in millimeters, `scale=1e-3` makes meters of them. Gravity is
# along -y. An `Insertion` rains grains of 3 to 3.5 mm into a box above the bed, each where it
# touches nothing.
#
# The fastest grains that fall limit the step: the shortest that `sim.stable_step()` names on the
# way is 3.2e-5 s. With 2,000 spheres a step takes a quarter of a millisecond, which is not worth a
# second thread.

# %%
drum = abut.read_mesh("data/drum.stl", scale=1e-3)
sim = abut.Simulation(step=3e-5, gravity=(0, -9.81, 0), workers=1)
sim.set_law(grain, grain, law)
sim.set_law(grain, steel, law)
wall = sim.add_wall(drum, steel)
box = [[-0.045, 0.016, 0.001], [0.045, 0.055, 0.084]]
sim.add_insertion(abut.Insertion(box, (0.003, 0.0035), rate=4000, material=grain), until=0.5)
sim.run(0.8)
sim

# %% [markdown]
# They lie still: what they lost in falling went into the contacts, and next to nothing is left of
# their motion. A bed at rest allows a longer step than the fall.

# %%
for name, value in sim.energy._asdict().items():
    print(f"{name:14} {value:10.2e} J")
print(f"longest stable step {sim.stable_step():.1e} s")

# %% [markdown]
# ## Turn it
#
# A motion that is assigned begins now. Two turns, of which we record the torque, where the bed
# is, and how mixed it is. Grains get a color by the side on which they start. Pairs of touching
# grains tell how mixed they are: the part of them that have two colors, by what it would be if
# colors were drawn at random. 0 is apart, 1 is mixed as well as chance mixes.
#
# Contacts have what the map of the forces needs: points and forces. `add_up` sums them over the
# second turn, in fields of the drum's wall as someone sees them who stands beside it.

# %%
RATE = 4.0  # radians a second; clockwise, seen from +z
TURN = 2 * np.pi / RATE
color = np.where(sim.centers[:, 0] < np.median(sim.centers[:, 0]), 0, 1)


def mixing(s):
    part = color.mean()
    return np.mean(color[s.pairs.i] != color[s.pairs.j]) / (2 * part * (1 - part))


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
    force_sums[:] += np.histogram2d(angle, z[at_wall], fields, weights=pressing[at_wall])[0]
    sum_count += 1


seen = {}


def keep(s):
    seen[s.time] = s.centers, wall.pose


wall.motion = abut.Rotating(axis=(0, 0, 1), rate=-RATE)
torque = sim.record(0.01, lambda s: wall.torque[2])
offset = sim.record(0.01, lambda s: np.average(s.centers[:, 0], weights=s.masses))
mixed = sim.record(0.05, mixing)
sim.every(0.02, add_up)
keep(sim)
for _ in range(2):
    sim.run(TURN)
    keep(sim)

# %% [markdown]
# ## At three times
#
# Seen from the front, at the start and after each turn:

# %%
figure = plt.figure(figsize=(12, 4.4), layout="constrained")
for k, (time, (centers, pose)) in enumerate(seen.items()):
    ax = figure.add_subplot(1, 3, k + 1, projection="3d")
    ax.view_init(elev=70, azim=-90)
    drum.transformed(pose).plot(ax=ax, alpha=0.06)
    ax.set_box_aspect((1, 1, 0.57), zoom=1.35)
    plot_spheres(centers, sim.radii, ax, values=color, cmap="coolwarm")
    ax.set_title(f"{time - 0.8:.1f} s")
    ax.set_axis_off()

# %% [markdown]
# ## How fast it mixes

# %%
figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot((mixed.times - 0.8) / TURN, mixed.values)
ax.axhline(1, color="gray", linestyle=":")
_ = ax.set(xlabel="turns", ylabel="mixing index", ylim=(0, 1.1))
# %% [markdown]
# ## What the motor feels
#
# The bed leans to the side to which the drum lifts it, and its weight wants to turn the drum
# back. Once it flows steadily, the torque is weight times distance of its center from the axis:
# so the torque that the contacts add up to can be checked against where the bed is.

# %%
weight = 9.81 * sim.masses.sum()
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
smooth = np.ones(10) / 10
ax.plot(torque.times[5:-4] - 0.8, np.convolve(torque.values, smooth, "valid"), label="wall.torque")
ax.plot(offset.times - 0.8, -weight * offset.values, label="weight times offset")
ax.set(xlabel="s", ylabel="torque in N m")
ax.legend()
steady = torque.times > 0.8 + TURN
print(f"in the second turn: {torque.values[steady].mean():.4f} N m by contacts,")
print(f"                    {-weight * offset.values[steady].mean():.4f} N m by the bed's place")

# %% [markdown]
# Times the rate that is the motor's power, which is `-wall.power`, and ends in the contacts as
# heat.

# %% [markdown]
# ## Where the bed presses
#
# The mean pressure on the drum's wall over the second turn, unrolled: 270° is the bottom, and
# what goes up with the clockwise drum is to its left.

# %%
area = 2 * np.pi * 0.075 / 36 * 0.0085
figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
image = ax.imshow(
    force_sums.T / sum_count / area, extent=(0, 360, 0, 85), origin="lower", aspect="auto"
)
ax.set(xlabel="angle in degrees", ylabel="z in mm")
_ = figure.colorbar(image, label="pressure in Pa")

# %% [markdown]
# Of the whole bed, this is what `wall.force` is at any time; `wall.nodal_forces` has it at each
# vertex of the mesh, for those who compute what bends.
#
# ## Go on
#
# `sim.save("drum.npz")` keeps all, and `abut.load_simulation("drum.npz", meshes=[drum])` goes on
# with the same bits. `sim.every(0.01, abut.write_frames("out/{step:08d}.vtp"))` writes what
# ParaView plays. [docs/dem.md](../docs/dem.md) has the equations.
