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
# # Wet grains: a column that stands, and one that does not
#
# Liquid bridges hold sand castles together. By Rumpf's equation, contacts
# with the force $F$ give a packing the tensile strength
# $\sigma = \phi Z F / (\pi d^2)$, with the solid fraction $\phi$ and $Z$
# contacts of each grain.
# Agglomerates of wet grains yield at such a stress (Vo et al., Mech. Res.
# Commun. 92 (2018) 1).
#
# A soil with the cohesion $c = \sigma \tan \varphi$ stands as a vertical
# wall up to the height
# $4 c \tan(45° + \varphi / 2) / (\rho g)$ (Terzaghi). This wet column is
# lower, and should stand. The friction angle $\varphi$ of 25 degrees is a
# guess.

# %%
import numpy as np
from PIL import Image

import abut
from abut.plot import render

R, TUBE, HEIGHT, TENSION = 0.5e-3, 8e-3, 0.012, 0.07
water = abut.laws.LiquidBridge(volume=0.01 * R**3, surface_tension=TENSION)


def column(cohesion):
    grain = abut.Material(density=2500, young=1e6, poisson=0.25)
    steel = abut.Material()
    sim = abut.Simulation(step=1.5e-5, workers=1)
    law = abut.Hertz(
        friction=0.5, restitution=0.5, rolling=0.1, cohesion=cohesion
    )
    sim.set_law(grain, grain, law)
    sim.set_law(
        grain, steel, abut.Hertz(friction=0.5, restitution=0.5, rolling=0.1)
    )
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
    tube = sim.add_wall(abut.examples.cylinder(TUBE, 0.1), steel)
    x = np.arange(-TUBE, TUBE, 2.1 * R)
    lattice = np.stack(
        np.meshgrid(x, x, np.arange(R, 1.1 * HEIGHT, 2.1 * R)), -1
    ).reshape(-1, 3)
    lattice = lattice[np.hypot(*lattice[:, :2].T) < TUBE - 1.1 * R]
    jitter = np.random.default_rng(1).uniform(-0.04, 0.04, lattice.shape)
    sim.add_spheres(lattice + jitter * R, R, grain)
    sim.run(0.06)
    before = sim.centers[:, 2].mean()
    sim.remove_wall(tube)
    sim.run(0.12)
    return sim, sim.centers[:, 2].mean() / before


# %%
pictures = []
for name, cohesion in {"dry": None, "wet": water}.items():
    sim, kept = column(cohesion)
    pictures.append(
        render(sim, "z", label=None, title=name, size=(400, 600))
    )
    print(
        f"{name}: the center of mass keeps {100 * kept:.0f} % of its height"
    )
touching = 2 * len(sim.pairs) / len(sim.radii)
strength = 0.6 * touching * 2 * np.pi * R * TENSION / (np.pi * (2 * R) ** 2)
angle = np.radians(25)
stands = (
    4
    * strength
    * np.tan(angle)
    * np.tan(np.pi / 4 + angle / 2)
    / (0.6 * 2500 * 9.81)
)
print(f"Rumpf and Terzaghi: stands up to {1e3 * stands:.0f} mm")
Image.fromarray(np.hstack(pictures))
