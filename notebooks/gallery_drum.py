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
# # Drum: large grains move to the rim, small ones to the core
#
# In a rotating drum, grains flow down in a layer at the surface of the bed.
# Small grains fall into gaps between large ones and stop first. So small
# grains collect in the core of the bed and large ones at its rim. Dury and
# Ristow simulated this radial segregation in two dimensions (J. Phys. I
# France 7 (1997) 737).
#
# The number printed is the mean distance of the small grains from the
# middle of the bed, divided by that of the large ones: 1 is mixed, and less
# is segregated. The drum is thin, with smooth end walls, and half full.

# %%
import numpy as np

import abut
from abut.plot import render

SMALL, LARGE, DRUM, WIDTH, RATE = 2e-3, 4e-3, 0.05, 0.018, 3.0
grain, steel, glass = (
    abut.Material(density=2500, young=5e6),
    abut.Material(),
    abut.Material(2500),
)
sim = abut.Simulation(step=4.5e-5, gravity=(0, -9.81, 0), workers=1)
for other in (grain, steel):
    law = abut.Hertz(friction=0.5, restitution=0.5, rolling=0.02)
    sim.set_law(grain, other, law)
sim.set_law(grain, glass, abut.Hertz(restitution=0.5))
drum = sim.add_wall(abut.examples.cylinder(DRUM, 2 * WIDTH), steel)
for z in (0, WIDTH):
    sim.add_wall(
        abut.HalfSpace((0, 0, z), (0, 0, 1 if z == 0 else -1)), glass
    )

# equal volumes of both sizes at random places: one large or eight small
places = np.arange(-DRUM, DRUM, 2.02 * LARGE)
x, y, z = np.meshgrid(places, places, [0.25 * WIDTH, 0.75 * WIDTH])
cells = np.stack([x, y, z], -1).reshape(-1, 3)
cells = cells[(np.hypot(*cells[:, :2].T) < DRUM - 1.05 * LARGE)]
corners = (
    np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    * SMALL
    * 1.004
)
is_large = np.random.default_rng(3).random(len(cells)) < 0.5
small = (cells[~is_large][:, None] + corners).reshape(-1, 3)
sim.add_spheres(
    small[np.hypot(*small[:, :2].T) < DRUM - 1.05 * SMALL], SMALL, grain
)
sim.add_spheres(cells[is_large], LARGE, grain)


def core(s):
    """Mean distance of small grains from the middle, by that of large."""
    away = np.linalg.norm(
        s.centers[:, :2] - s.centers[:, :2].mean(axis=0), axis=1
    )
    return away[s.radii == SMALL].mean() / away[s.radii == LARGE].mean()


# %%
sim.run(0.3)
drum.motion = abut.Rotating((0, 0, 1), rate=RATE)
cores = sim.record(0.05, core)
sim.run(1.5 * 2 * np.pi / RATE)

turns = (cores.times - 0.3) * RATE / (2 * np.pi)
for turn in (0, 0.5, 1, 1.5):
    found = cores.values[np.argmin(abs(turns - turn))]
    print(f"{turn} turns: {found:.2f} (mixed: 1)")
look = {"view": (0, 0, 1), "up": (0, 1, 0), "cmap": "coolwarm"}
render(
    sim, "radius", walls=drum, label=None, title="after 1.5 turns", **look
)
