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
# # Drum: large grains go out, small ones in
#
# In the layer that flows down a turning bed, small grains fall between large ones and are first to
# stop. So they become the core of the bed (simulated by Dury and Ristow, J. Phys. I France 7 (1997)
# 737, in two dimensions). The drum is thin, its ends are smooth.

# %%
# %matplotlib inline
import numpy as np

import abut

SMALL, LARGE, DRUM, WIDTH, RATE = 2e-3, 4e-3, 0.05, 0.018, 3.0
grain, steel, glass = abut.Material(density=2500, young=5e6), abut.Material(), abut.Material(2500)
sim = abut.Simulation(step=4.5e-5, gravity=(0, -9.81, 0), workers=1)
for other in (grain, steel):
    sim.set_law(grain, other, abut.Hertz(friction=0.5, restitution=0.5, rolling=0.02))
sim.set_law(grain, glass, abut.Hertz(restitution=0.5))
drum = sim.add_wall(abut.examples.cylinder(DRUM, 2 * WIDTH), steel)
for z in (0, WIDTH):
    sim.add_wall(abut.HalfSpace((0, 0, z), (0, 0, 1 if z == 0 else -1)), glass)

# the drum is filled to a half, by as much of the large as of the small, at random
places = np.arange(-DRUM, DRUM, 2.02 * LARGE)
x, y, z = np.meshgrid(places, places, [0.25 * WIDTH, 0.75 * WIDTH])
cells = np.stack([x, y, z], -1).reshape(-1, 3)
cells = cells[(np.hypot(*cells[:, :2].T) < DRUM - 1.05 * LARGE)]
corners = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * SMALL * 1.004
is_large = np.random.default_rng(3).random(len(cells)) < 0.5
small = (cells[~is_large][:, None] + corners).reshape(-1, 3)
sim.add_spheres(small[np.hypot(*small[:, :2].T) < DRUM - 1.05 * SMALL], SMALL, grain)
sim.add_spheres(cells[is_large], LARGE, grain)


def core(s):
    """How far small grains are from the middle of the bed, by how far large ones are."""
    away = np.linalg.norm(s.centers[:, :2] - s.centers[:, :2].mean(axis=0), axis=1)
    return away[s.radii == SMALL].mean() / away[s.radii == LARGE].mean()


# %%
sim.run(0.3)
drum.motion = abut.Rotating((0, 0, 1), rate=RATE)
apart = sim.record(0.05, core)
sim.run(1.5 * 2 * np.pi / RATE)

turns = (apart.times - 0.3) * RATE / (2 * np.pi)
for turn in (0, 0.5, 1, 1.5):
    print(f"{turn} turns: {apart.values[np.argmin(abs(turns - turn))]:.2f} (mixed: 1)")
ax = sim.plot(sim.radii * 1e3, walls=[drum], cmap="coolwarm", label="radius in mm")
ax.view_init(elev=90, azim=-90)
_ = ax.set(zticks=[], zlabel="")
