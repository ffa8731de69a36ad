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
# # Mixer: how well paddles mix
#
# Grains get a color by the half of the mixer in which they start, and the mixer is cut into cells.
# By Lacey (J. Appl. Chem. 4 (1954) 257) it is mixed to $(s_0^2 - s^2) / (s_0^2 - s_r^2)$, with the
# variance $s^2$ of the part of a color among the cells, at first $s_0^2 = p (1 - p)$, and of the
# best mixture $s_r^2 = p (1 - p) / n$ with $n$ grains a cell: 0 is apart, 1 is mixed at random.

# %%
# %matplotlib inline
import numpy as np

import abut

R, PAN, RATE = 2.5e-3, 0.04, 6.0
grain, steel = abut.Material(density=2000, young=1.2e7, poisson=0.25), abut.Material()
sim = abut.Simulation(step=2.8e-5, workers=1)
for other in (grain, steel):
    sim.set_law(grain, other, abut.Hertz(friction=0.4, restitution=0.4, rolling=0.01))
sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
sim.add_wall(abut.examples.cylinder(PAN, 0.16), steel)
half = np.array([0.028, 0.003, 0.018])  # of a paddle that stirs, clear of wall and floor
corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
paddle = abut.ConvexShape(corners * half).to_mesh()
lifted = np.eye(4)
lifted[2, 3] = half[2] + 6 * R
stir = sim.add_wall(paddle.transformed(lifted), steel)

x = np.arange(-PAN, PAN, 2.1 * R)
bed = np.stack(np.meshgrid(x, x, np.arange(R, 0.055, 2.1 * R)), -1).reshape(-1, 3)
bed = bed[np.hypot(*bed[:, :2].T) < PAN - 1.1 * R]
bed = bed[abut.find_contacts(bed, 1.1 * R, stir.mesh).counts == 0]
jitter = np.random.default_rng(1).uniform(-0.04, 0.04, bed.shape)
sim.add_spheres(bed + jitter * R, R, grain)
sim.run(0.15)
stir.motion = abut.Rotating((0, 0, 1), rate=RATE)
color = (sim.centers[:, 0] > 0).astype(float)
low, high = sim.centers.min(axis=0), sim.centers.max(axis=0)
CELLS = np.array([4, 4, 3])


def lacey(s):
    place = np.clip(((s.centers - low) / (high - low) * CELLS).astype(int), 0, CELLS - 1)
    cell = np.ravel_multi_index(place.T, CELLS)
    counts = np.bincount(cell, minlength=CELLS.prod())
    parts = np.bincount(cell, color, CELLS.prod())[counts > 10] / counts[counts > 10]
    counts, p = counts[counts > 10], color.mean()
    variance = np.average((parts - p) ** 2, weights=counts)
    best = p * (1 - p) / np.average(counts)
    return (p * (1 - p) - variance) / (p * (1 - p) - best)


# %%
mixed = sim.record(0.05, lacey)
sim.run(2 * 2 * np.pi / RATE)
first, last = mixed.values[0], mixed.values[-1]
print(f"after two turns {last:.2f}, at first {first:.2f} (0: apart, 1: at random)")
ax = sim.plot(color, walls=[stir], cmap="coolwarm", label=None)
