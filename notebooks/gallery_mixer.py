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
# # Mixer: how well a paddle mixes
#
# Grains have one of two colors, by the half of the mixer in which they
# start. The mixer is divided into cells, and $s^2$ is the variance of the
# fraction of one color among the cells. Lacey's index (J. Appl. Chem. 4
# (1954) 257) is $(s_0^2 - s^2) / (s_0^2 - s_r^2)$. Here $s_0^2 = p (1 - p)$
# is the variance of the unmixed state, $s_r^2 = p (1 - p) / n$ that of a
# random mixture with $n$ grains in a cell, and $p$ the overall fraction.
# The index is 0 when unmixed and 1 when randomly mixed.

# %%
import numpy as np

import abut
from abut.plot import render

R, PAN, RATE = 2.5e-3, 0.04, 6.0
grain = abut.Material(density=2000, young=1.2e7, poisson=0.25)
steel = abut.Material()
sim = abut.Simulation(step=2.8e-5, workers=1)
for other in (grain, steel):
    law = abut.Hertz(friction=0.4, restitution=0.4, rolling=0.01)
    sim.set_law(grain, other, law)
sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
sim.add_wall(abut.examples.cylinder(PAN, 0.16), steel)
# half the lengths of the paddle, which is clear of wall and floor
half = np.array([0.028, 0.003, 0.018])
corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
paddle = abut.ConvexShape(corners * half).to_mesh()
lifted = np.eye(4)
lifted[2, 3] = half[2] + 6 * R
stir = sim.add_wall(paddle.transformed(lifted), steel)

x = np.arange(-PAN, PAN, 2.1 * R)
bed = np.stack(np.meshgrid(x, x, np.arange(R, 0.055, 2.1 * R)), -1).reshape(
    -1, 3
)
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
    place = np.clip(
        ((s.centers - low) / (high - low) * CELLS).astype(int), 0, CELLS - 1
    )
    cell = np.ravel_multi_index(place.T, CELLS)
    counts = np.bincount(cell, minlength=CELLS.prod())
    parts = (
        np.bincount(cell, color, CELLS.prod())[counts > 10]
        / counts[counts > 10]
    )
    counts, p = counts[counts > 10], color.mean()
    variance = np.average((parts - p) ** 2, weights=counts)
    best = p * (1 - p) / np.average(counts)
    return (p * (1 - p) - variance) / (p * (1 - p) - best)


# %%
mixed = sim.record(0.05, lacey)
sim.run(2 * 2 * np.pi / RATE)
first, last = mixed.values[0], mixed.values[-1]
print(f"Lacey's index: {first:.2f} at first, {last:.2f} after two turns")
render(
    sim,
    color,
    walls=stir,
    cmap="coolwarm",
    label=None,
    title="after two turns",
)
