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
# # Dice: how densely cubes pack
#
# Random packings of plastic dice fill between 54 % (loosest) and 67 %
# (densest) of the space (Baker and Kudrolli, Phys. Rev. E 82 (2010)
# 061304). Dice that are poured should lie between.
#
# The bodies are exact convex polyhedra, not clumps of spheres. The domain
# is periodic in x and y.

# %%
import numpy as np

import abut
from abut.plot import render

HALF, ACROSS, LAYERS = 5e-3, 5, 10
APART = 2.0 * np.sqrt(3) * HALF
SIDE = ACROSS * APART
cube = abut.ConvexShape(
    [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
)
grain, table = abut.Material(density=1200, young=1e6), abut.Material()
sim = abut.Simulation(step=2.2e-5, period=(SIDE, SIDE, None), workers=1)
for other in (grain, table):
    law = abut.Linear(stiffness=2e3, friction=0.2, restitution=0.3)
    sim.set_law(grain, other, law)
sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), table)
rng = np.random.default_rng(2)
k = (np.arange(max(ACROSS, LAYERS)) + 0.5) * APART
places = np.stack(
    np.meshgrid(k[:ACROSS], k[:ACROSS], k[:LAYERS]), -1
).reshape(-1, 3)
turns = rng.normal(size=(len(places), 4))
turns /= np.linalg.norm(turns, axis=1)[:, None]
stirred = rng.normal(0, 0.3, places.shape)  # breaks up the columns
sim.add_bodies(
    cube, places, grain, scales=HALF, orientations=turns, velocities=stirred
)

# %%
sim.run(0.5)
z = np.sort(sim.bodies.centers[:, 2])
# the volume of dice below each center, by the area of the floor
heaped = np.arange(len(z)) * cube.volume * HALF**3 / SIDE**2
middle = slice(len(z) // 5, -len(z) // 5)
solid = np.polyfit(z[middle], heaped[middle], 1)[0]
print(f"solid fraction {solid:.2f} (Baker and Kudrolli: 0.54 to 0.67)")
render(sim, "z", walls=False, label="height in m")
