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
# `coarse_grain` makes the profiles, a mean over 120 times. The depth is
# that of a layer with the weight that the stress bears. The ratio of shear
# to normal stress must be the tangent of the slope. Three layers of grains
# at the surface and three at the plane are left out: at the surface the
# shear rate is larger than by Bagnold's law. The domain is periodic along
# and across the flow.

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
box, fields = [[0, 0, 0], [LENGTH, WIDTH, 50 * R]], []
sim.every(
    5e-3,
    lambda s: fields.append(
        abut.coarse_grain(s, (1, 1, 100), width=R, region=box)
    ),
)
sim.run(0.6)

mean = sum(fields)
z = mean.points[0, 0, :, 2]
rows = (z > 6 * R) & (z < 20 * R)
v, stress = mean.velocity[0, 0, rows, 0], mean.stress[0, 0, rows]
solid = mean.density[0, 0, rows] / 2500
depth = stress[:, 2, 2] / (-2500 * gravity[2] * solid.mean())
powers = np.arange(0.5, 2.5, 0.01)
fits = [np.polyfit(depth**p, v, 1, full=True)[1][0] for p in powers]
power = powers[np.argmin(fits)]
print(f"velocity falls with depth to the power {power:.2f} (Bagnold: 1.5)")
print(f"solid fraction {solid.mean():.3f}, spread {solid.std():.3f}")
friction = (-stress[:, 2, 0] / stress[:, 2, 2]).mean()
print(f"friction {friction:.3f}, tangent {np.tan(ANGLE):.3f}")
rate = np.gradient(v, z[rows])
heat = mean.temperature[0, 0, rows] / (2 * R * rate) ** 2
print(f"temperature {heat.mean():.2f} (rate d)^2, spread {heat.std():.2f}")
render(
    sim,
    "speed",
    label="speed in m/s",
    title="27 degrees, flows to the right",
)
