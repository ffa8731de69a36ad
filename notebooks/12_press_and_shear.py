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
# Here the walls are planes, some of them servo-controlled: a `Servo` moves
# a wall so that its contacts bear a given load. It works for any stiffness
# of the contacts and needs no gain to tune.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut

# %% [markdown]
# ## A box with three walls that move
#
# The grains start on a loose, disturbed lattice. Walls 0 to 2 are fixed.
# Walls 3 to 5 face them and push along -x, -y and -z. A pressure acts on
# the present area of the cell, which a callable returns.

# %%
RADIUS, COUNT = 0.5e-3, 6
SIDE = COUNT * 2.15 * RADIUS


def sides(sim):
    return np.array(
        [wall.pose[k, 3] + SIDE for k, wall in enumerate(sim.walls[3:])]
    )


def pressed(axis, pressure):
    def area(sim):
        others = [
            sim.walls[3 + k].pose[k, 3] + SIDE
            for k in range(3)
            if k != axis
        ]
        return others[0] * others[1]

    return abut.Servo(pressure=pressure, normal=-np.eye(3)[axis], area=area)


def cell(friction, axes, pressure):
    grain = abut.Material(density=2600, young=4e7, poisson=0.2)
    sim = abut.Simulation(step=2e-6, gravity=(0, 0, 0))
    sim.set_law(
        grain, grain, abut.Hertz(friction=friction, restitution=0.3)
    )
    sim.set_law(grain, abut.Material(), abut.Hertz(restitution=0.3))
    for axis in np.eye(3):
        sim.add_wall(abut.HalfSpace((0, 0, 0), axis))
    for axis in range(3):
        motion = pressed(axis, pressure) if axis in axes else None
        sim.add_wall(
            abut.HalfSpace(SIDE * np.eye(3)[axis], -np.eye(3)[axis]),
            motion=motion,
        )
    rng = np.random.default_rng(1)
    lattice = (np.arange(COUNT) + 0.5) * 2.15 * RADIUS
    centers = np.stack(
        np.meshgrid(lattice, lattice, lattice), axis=-1
    ).reshape(-1, 3)
    centers += rng.uniform(-0.07, 0.07, centers.shape) * RADIUS
    sim.add_spheres(
        centers, RADIUS * rng.uniform(0.8, 1.0, len(centers)), grain
    )
    return sim


def voids(sim):
    solid = 4 / 3 * np.pi * (sim.radii**3).sum()
    return sides(sim).prod() / solid - 1


# %% [markdown]
# ## Oedometer
#
# The lid is loaded in steps and then unloaded. The void ratio decreases
# with the logarithm of the pressure. After unloading the bed stays
# compacted, because grains have slid to other places.

# %%
pressures = [2e3, 4e3, 8e3, 16e3, 32e3, 16e3, 8e3, 4e3, 2e3]
sim = cell(0.5, [], None)
settled = []
for pressure in pressures:
    sim.walls[5].motion = abut.Servo(force=(0, 0, -pressure * SIDE**2))
    sim.run(0.055 if not settled else 0.008)
    borne = [sim.walls[3 + k].force[k] for k in range(3)]
    settled.append(
        (
            voids(sim),
            borne[2] / SIDE**2,
            (borne[0] + borne[1]) / 2 / SIDE / sides(sim)[2],
        )
    )
settled = np.array(settled)
print(
    "load of the contacts, by the given one:",
    *np.round(settled[:, 1] / pressures, 3),
)
print(
    "stress at the sides by that at the lid:",
    *np.round(settled[:, 2] / settled[:, 1], 2),
)

# %% [markdown]
# ## Triaxial test
#
# All three walls press until the bed is at rest. Then the lid moves down at
# a given speed while the sides keep 10 kPa. Grains that were compacted
# without friction form a dense bed. It bears more than the loose one at
# first, and less as it dilates.


# %%
def sheared(packing_friction):
    sim = cell(packing_friction, [0, 1, 2], 1e4)
    sim.run(0.04)
    grain = sim.materials[0]
    sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.3))
    height, volume = sides(sim)[2], sides(sim).prod()
    sim.walls[5].motion = abut.Translating((0, 0, -3 * height))
    rows = []

    def note(sim):
        stress = np.array([sim.walls[3 + k].force[k] for k in range(3)])
        stress = stress * sides(sim) / sides(sim).prod()
        strain = np.log(height / sides(sim)[2])
        rows.append(
            (
                strain,
                stress[2] - stress[:2].mean(),
                stress[:2].mean(),
                sides(sim).prod(),
            )
        )

    sim.every(4e-4, note)
    sim.run(0.05)
    strain, deviator, radial, volumes = np.array(rows).T
    return strain, deviator / 1e3, radial / 1e3, volumes / volume - 1


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
