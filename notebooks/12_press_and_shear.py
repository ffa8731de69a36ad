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
# # Press and shear: oedometer and triaxial test
#
# How much does a bed of grains settle under a load, and what does it bear
# before it fails? Soil mechanics measures this in two machines. An
# oedometer presses a bed between stiff walls. A triaxial cell applies a
# pressure on all sides and then compresses along one axis.
#
# Here `abut.triaxial` puts six planes around the grains. Each of them is
# servo-controlled: it moves so that its contacts bear a given pressure on
# the area of the cell as it is. This works for any stiffness of the
# contacts and needs no gain to tune.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut

# %% [markdown]
# ## A box with walls that move
#
# The grains start on a loose, disturbed lattice.

# %%
RADIUS, COUNT = 0.5e-3, 6
SIDE = COUNT * 2.15 * RADIUS
BOX = [[0, 0, 0], [SIDE, SIDE, SIDE]]


def sample(friction, pressure, every=None):
    grain = abut.Material(density=2600, young=4e7, poisson=0.2)
    sim = abut.Simulation(step=2e-6, gravity=(0, 0, 0))
    sim.set_law(
        grain, grain, abut.Hertz(friction=friction, restitution=0.3)
    )
    sim.set_law(grain, abut.Material(), abut.Hertz(restitution=0.3))
    rng = np.random.default_rng(1)
    lattice = (np.arange(COUNT) + 0.5) * 2.15 * RADIUS
    centers = np.stack(
        np.meshgrid(lattice, lattice, lattice), axis=-1
    ).reshape(-1, 3)
    centers += rng.uniform(-0.07, 0.07, centers.shape) * RADIUS
    sim.add_spheres(
        centers, RADIUS * rng.uniform(0.8, 1.0, len(centers)), grain
    )
    return sim, abut.triaxial(sim, BOX, pressure=pressure, every=every)


# %% [markdown]
# ## Oedometer
#
# The lid and the floor are loaded in steps and then unloaded; the other
# walls stand still. The void ratio decreases with the logarithm of the
# pressure. After unloading the bed stays compacted, because grains have
# slid to other places.

# %%
pressures = [2e3, 4e3, 8e3, 16e3, 32e3, 16e3, 8e3, 4e3, 2e3]
sim, cell = sample(0.5, (None, None, pressures[0]))
settled = []
for pressure in pressures:
    cell.pressure = None, None, pressure
    sim.run(0.055 if not settled else 0.008)
    settled.append((cell.void_ratio, *cell.stress))
settled = np.array(settled)
print(
    "load of the contacts, by the given one:",
    *np.round(settled[:, 3] / pressures, 3),
)
print(
    "stress at the sides by that at the lid:",
    *np.round(settled[:, 1:3].mean(axis=1) / settled[:, 3], 2),
)

# %% [markdown]
# ## Triaxial test
#
# All walls press until the bed is at rest. Then lid and floor approach at
# a given rate while the sides keep 10 kPa. Grains that were compacted
# without friction form a dense bed. It bears more than the loose one at
# first, and less as it dilates.


# %%
def sheared(packing_friction):
    sim, cell = sample(packing_friction, 1e4, every=4e-4)
    sim.run(0.04)
    grain = sim.materials[0]
    sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.3))
    cell.strain, start = 0, len(cell.record)
    cell.compress(rate=3)
    sim.run(0.05)
    stress = cell.record.stress[start:] / 1e3
    strain = cell.record.strain[start:]
    radial = stress[:, :2].mean(axis=1)
    return strain[:, 2], stress[:, 2] - radial, radial, -strain.sum(axis=1)


dense = sheared(0.0)
print(
    "kPa at the sides, mean and spread:",
    dense[2].mean().round(2),
    dense[2].std().round(2),
)

# %%
loose = sheared(0.5)

# %%
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.6))
left.plot(np.log2(np.array(pressures) / 1e3), settled[:, 0], "o-")
left.set_xticks(range(1, 6), [2**k for k in range(1, 6)])
left.set(title="oedometer", xlabel="pressure / kPa", ylabel="void ratio")
for name, (strain, deviator, _, volume) in (
    ("dense", dense),
    ("loose", loose),
):
    middle.plot(strain, deviator, label=name)
    right.plot(strain, volume, label=name)
middle.set(
    title="triaxial test", xlabel="axial strain", ylabel="deviator / kPa"
)
right.set(
    title="and its volume",
    xlabel="axial strain",
    ylabel="volumetric strain",
)
middle.legend()
figure.tight_layout()
