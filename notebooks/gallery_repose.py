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
# # Angle of repose: a cylinder is lifted off
#
# What is left behind is a heap, whose slope tells how grains slide and roll on each other. Zhou et
# al. (Phys. Rev. E 64 (2001) 021301) found for spheres of one size that both frictions are why
# there is a heap at all, that its angle rises with either, and hardly depends on modulus and
# damping.

# %%
# %matplotlib inline
import numpy as np

import abut

R, TUBE = 2.5e-3, 0.026


def heap(rolling):
    grain, steel = abut.Material(density=2500, young=5e6, poisson=0.25), abut.Material()
    sim = abut.Simulation(step=5e-5, workers=1)
    for other in (grain, steel):
        sim.set_law(grain, other, abut.Hertz(friction=0.5, restitution=0.4, rolling=rolling))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
    lift = np.eye(4)
    lift[2, 3] = 0.04
    wall = sim.add_wall(abut.examples.cylinder(TUBE, 0.08).transformed(lift), steel)
    x = np.arange(-TUBE, TUBE, 2.1 * R)
    lattice = np.stack(np.meshgrid(x, x, np.arange(R, 0.075, 2.1 * R)), -1).reshape(-1, 3)
    lattice = lattice[np.hypot(*lattice[:, :2].T) < TUBE - 1.2 * R]
    jitter = np.random.default_rng(1).uniform(-0.04, 0.04, lattice.shape)
    sim.add_spheres(lattice + jitter * R, R, grain)
    sim.run(0.15)
    wall.motion = abut.Translating((0, 0, 0.1))
    sim.run(1.0)
    return sim


def slope(sim):
    """Of the line through the highest grains at each distance from the axis, in degrees."""
    x, y, z = (sim.centers - [*sim.centers[:, :2].mean(axis=0), 0]).T
    distance = np.hypot(x, y)
    rings = np.arange(0, np.quantile(distance, 0.9), 2 * R)
    tops = [np.sort(z[(distance >= r) & (distance < r + 2 * R)])[-3:].mean() for r in rings]
    return np.degrees(np.arctan(-np.polyfit(rings + R, tops, 1)[0]))


# %%
for rolling in (0.0, 0.1, 0.3):
    sim = heap(rolling)
    print(f"rolling friction {rolling}: {slope(sim):4.1f} degrees")
ax = sim.plot("z", walls=sim.walls[:1], label="height in m")
