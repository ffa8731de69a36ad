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
# # Column collapse: how far a column of grains runs out
#
# A tube filled with grains is removed at once. How far the grains run out
# depends on the aspect ratio $a = h / r$ of the column, its height by its
# radius. In experiments the front comes to rest at the distance
# $r + 1.24\,a\,r$ for $a < 1.7$, and at $r + 1.6\,a^{1/2}\,r$ above (Lube
# et al., J. Fluid Mech. 508 (2004) 175).
#
# Here the fronts run 5 to 10 % less far. The result depends on friction,
# which is a guess. Without rolling friction the fronts run 0.95, 1.55 and
# 2.45 r. With five times the present rolling friction they run 0.65, 1.10
# and 1.85 r. The front is measured in rings 0.15 r wide. The circle in the
# picture is the front of Lube et al.

# %%
import numpy as np

import abut
from abut.plot import render

R, TUBE = 1.5e-3, 0.02


def collapsed(aspect):
    grain = abut.Material(density=2500, young=2e6, poisson=0.25)
    steel = abut.Material()
    sim = abut.Simulation(step=4e-5, workers=1)
    for other in (grain, steel):
        law = abut.Hertz(friction=0.5, restitution=0.5, rolling=0.02)
        sim.set_law(grain, other, law)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
    # single grains roll on for long: they are removed out there
    sim.set_bounds([[-0.07, -0.07, -1], [0.07, 0.07, 1]], on_leave="remove")
    tube = sim.add_wall(abut.examples.cylinder(TUBE, 0.2), steel)
    x = np.arange(-TUBE, TUBE, 2.1 * R)
    height = 1.15 * aspect * TUBE  # the fill settles by this much
    lattice = np.stack(
        np.meshgrid(x, x, np.arange(R, height, 2.1 * R)), -1
    ).reshape(-1, 3)
    lattice = lattice[np.hypot(*lattice[:, :2].T) < TUBE - 1.1 * R]
    jitter = np.random.default_rng(1).uniform(-0.04, 0.04, lattice.shape)
    sim.add_spheres(lattice + jitter * R, R, grain)
    sim.run(0.1)
    before = np.quantile(sim.centers[:, 2], 0.99) + R
    sim.remove_wall(tube)
    sim.run(0.3)
    return sim, before / TUBE


def front(sim):
    """The outer radius of the last ring of which grains cover a third."""
    distance = np.hypot(*sim.centers[:, :2].T)
    rings = np.arange(0, distance.max() + 4 * R, 2 * R)
    area = np.pi * (rings[1:] ** 2 - rings[:-1] ** 2)
    covered = np.histogram(distance, rings)[0] * np.pi * R**2 / area
    return rings[1:][covered > 1 / 3][-1]


# %%
for aspect in (0.8, 1.4, 2.6):
    sim, a = collapsed(aspect)
    law = 1.24 * a if a < 1.7 else 1.6 * np.sqrt(a)
    ran = front(sim) / TUBE - 1
    print(
        f"a = {a:.2f}: the front runs {ran:.2f} r (Lube et al. {law:.2f} r)"
    )
circle = abut.examples.cylinder(TUBE * (1 + law), 2 * R)
look = {"view": (1, -1.8, 2), "title": f"a = {a:.1f}"}
render(sim, "z", walls=[*sim.walls, circle], label="height in m", **look)
