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
# # Silo of graded gravel: from a sieve curve to a discharge rate
#
# A stream of gravel fills a silo through a face at its top. The grains
# follow a sieve curve by mass. Then the hole in the bottom is opened.
# Beverloo's law $W = C \rho_b \sqrt{g}\, (D - k d)^{5/2}$ with $C$ of 0.55
# to 0.65 and $k$ = 1.4 was found for grains of one size (Mankoc et al.,
# Granular Matter (2007), doi:10.1007/s10035-007-0062-2). Here $d$ is the
# median $d_{50}$ of the sieve curve. The few coarse grains come as evenly
# as the fine ones, so a hundred grains have the curve already.
# What is discharged follows it, too: most of it is mixed as it came.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut

SIEVES, PASSING = np.array([3.2, 4.0, 5.0, 6.3]), [0, 0.3, 0.75, 1]
SILO, HOLE, CORNERS = 0.026, 0.023, 48
gravel = abut.Material(density=2500, young=1e7, poisson=0.25)
steel = abut.Material()
sim = abut.Simulation(step=1.6e-5, workers=1)
for other in (gravel, steel):
    sim.set_law(gravel, other, abut.Hertz(friction=0.35, restitution=0.4))
sim.add_wall(abut.examples.cylinder(SILO, 0.2), steel)  # z = -0.1 to 0.1

# the bottom is a ring and a plug, which is removed later
k, angle = np.arange(CORNERS), 2 * np.pi * np.arange(CORNERS) / CORNERS
circle = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
rim, after = HOLE / 2 * circle, (k + 1) % CORNERS
quads = np.column_stack([k, CORNERS + k, CORNERS + after, after])
sim.add_wall(abut.Mesh(np.vstack([rim, SILO * circle]), quads), steel)
plug = sim.add_wall(abut.Mesh(rim, [k]), steel)

# %%
side = 0.66 * SILO
top = [[-side, -side, 0.08], [side, side, 0.08]]
sizes = abut.Sizes.sieve(1e-3 * SIEVES, PASSING)
feed = abut.Insertion(
    top, sizes, material=gravel, mass_rate=0.65, direction="-z",
    velocity=[[-0.1, -0.1, -0.7], [0.1, 0.1, -0.5]],
)  # fmt: skip
sim.add_insertion(feed, until=0.22)
sim.run(0.3)

# %%
is_low = abs(sim.centers[:, 2] - 0.02) < 0.015
bulk = sim.masses[is_low].sum() / (np.pi * SILO**2 * 0.03)
sim.remove_wall(plug)
out = sim.record(2e-3, lambda s: s.masses[s.centers[:, 2] < 0].sum())
sim.run(0.4)
flows = out.times > 0.4
rate = np.polyfit(out.times[flows], out.values[flows], 1)[0]
d50 = 1e-3 * np.interp(0.5, PASSING, SIEVES)
C = rate / bulk / np.sqrt(9.81) / (HOLE - 1.4 * d50) ** 2.5
print(f"{1e3 * rate:.0f} g/s, C = {C:.2f} (0.55 to 0.65)")

sets = {"first hundred": sim.ids < 100, "discharged": sim.centers[:, 2] < 0}
for label, some in sets.items():
    radii = np.sort(sim.radii[some])
    mass = np.cumsum(radii**3)
    plt.step(2e3 * radii, mass / mass[-1], where="post", label=label)
plt.plot(SIEVES, PASSING, "ko--", label="sieve curve")
plt.xlabel("opening in mm")
plt.ylabel("part of the mass that passes")
plt.legend()
plt.show()
