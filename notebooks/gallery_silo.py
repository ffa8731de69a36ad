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
# # Silo: how fast grains run out of a hole
#
# Unlike that of water, the discharge rate of grains does not depend on the
# height of the fill. The grains behave as if the hole were narrower by
# about 1.4 grain diameters. Beverloo's law is
# $W = C \rho_b \sqrt{g}\, (D - k d)^{5/2}$, with the bulk density $\rho_b$
# and the diameters $D$ of the hole and $d$ of the grains. Experiments give
# $C$ of 0.55 to 0.65 and $k$ near 1.4 (Mankoc et al., Granular Matter
# (2007), doi:10.1007/s10035-007-0062-2).
#
# Both numbers are fitted here by a line of $W^{2/5}$ against $D$. $C$ is a
# little smaller than in experiments. The fit has three holes only, which
# are 4.5 to 6.5 grains wide.

# %%
from itertools import pairwise

import numpy as np

import abut
from abut.plot import render

R, SILO, HOLES, CORNERS = 2e-3, 0.035, (0.018, 0.022, 0.026), 48
grain = abut.Material(density=2500, young=5e6, poisson=0.25)
steel = abut.Material()
sim = abut.Simulation(step=4e-5, workers=1)
for other in (grain, steel):
    sim.set_law(grain, other, abut.Hertz(friction=0.5, restitution=0.6))
angle = 2 * np.pi * np.arange(CORNERS) / CORNERS
circle = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
sim.add_wall(
    abut.examples.cylinder(SILO, 0.16), steel
)  # from z = -0.08 to 0.08

sim.set_bounds([[-1, -1, -0.06], [1, 1, 1]], on_leave="remove")

# the bottom is a plug and rings: removing some of them opens a hole
edges = [*(hole / 2 for hole in HOLES), SILO]
parts = [
    sim.add_wall(abut.Mesh(edges[0] * circle, [range(CORNERS)]), steel)
]
k = np.arange(CORNERS)
quads = np.column_stack(
    [k, CORNERS + k, CORNERS + (k + 1) % CORNERS, (k + 1) % CORNERS]
)
for inner, outer in pairwise(edges):
    parts.append(
        sim.add_wall(
            abut.Mesh(np.vstack([inner * circle, outer * circle]), quads),
            steel,
        )
    )

x = np.arange(-SILO, SILO, 2.15 * R)
lattice = np.stack(
    np.meshgrid(x, x, np.arange(1.1 * R, 0.075, 2.15 * R)), -1
).reshape(-1, 3)
lattice = lattice[np.hypot(*lattice[:, :2].T) < SILO - 1.2 * R]
jitter = np.random.default_rng(1).uniform(-0.07, 0.07, lattice.shape)
sim.add_spheres(lattice + jitter * R, R, grain)
sim.run(0.2)
is_low = (sim.centers[:, 2] > 0.005) & (sim.centers[:, 2] < 0.035)
bulk = sim.masses[is_low].sum() / (np.pi * SILO**2 * 0.03)

# %%
rates = []
for count in range(1, len(HOLES) + 1):
    branch = sim.copy()  # each hole begins with the same fill
    for part in branch.walls[1 : 1 + count]:
        branch.remove_wall(part)
    out = branch.record(
        2e-3, lambda s: -s.masses[s.centers[:, 2] > 0].sum()
    )
    branch.run(0.25)
    flows = out.times > 0.3
    rates.append(np.polyfit(out.times[flows], out.values[flows], 1)[0])
    print(
        f"hole {1e3 * HOLES[count - 1]:.0f} mm: {1e3 * rates[-1]:5.1f} g/s"
    )
slope, offset = np.polyfit(HOLES, np.array(rates) ** 0.4, 1)
C, k = slope**2.5 / bulk / np.sqrt(9.81), -offset / slope / (2 * R)
print(f"C = {C:.2f} (0.55 to 0.65), k = {k:.1f} (1.4)")
render(branch, "speed", label="speed in m/s", title="hole of 26 mm")
