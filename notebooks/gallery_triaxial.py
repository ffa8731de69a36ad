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
# # Triaxial test: two packings, one critical state
#
# A periodic cell is compressed by 100 kPa from all sides. Then it is
# shortened along z at a given rate, and the pressure along x and y is held.
# There are no walls, so every grain is in the bulk.
#
# The dense packing came to rest without friction, the loose one with it;
# the test has friction 0.5 in both. The dense one has a peak of the stress
# ratio q / p, and its volume grows; the loose one has none, and shrinks.
# After 15 % strain both bear about the same: the critical state (Schofield
# and Wroth, Critical State Soil Mechanics, 1968).
#
# The angle of friction $\varphi$ follows from
# $\sin\varphi = 3\eta / (6 + \eta)$ with $\eta = q / p$. In slow plane
# shear of spheres with friction 0.5 the ratio of shear stress to pressure
# is 0.38 (Chialvo, Sun and Sundaresan, Phys. Rev. E 85 (2012) 021305, from
# memory). It is to be compared with $\sin\varphi$. 512 grains are few, so
# stresses scatter.

# %%
# %matplotlib inline
# %config InlineBackend.print_figure_kwargs = {"bbox_inches": None}
import matplotlib.pyplot as plt
import numpy as np

import abut
from abut.plot import render

N, R, PRESSURE, RATE = 8, 0.5e-3, 100e3, 6.0


def packed(friction):
    """Return grains that came to rest at PRESSURE, with that friction."""
    rng = np.random.default_rng(1)
    side = 2.2 * R * N
    grain = abut.Material(density=2500, young=5e8, poisson=0.2)
    sim = abut.Simulation(
        step=7e-7, gravity=(0, 0, 0), period=(side,) * 3, workers=1
    )
    law = abut.Hertz(friction=friction, restitution=0.3)
    sim.set_law(grain, grain, law)
    lattice = side / N * (np.argwhere(np.ones((N, N, N))) + 0.5)
    stir = rng.normal(0, 0.5, lattice.shape)
    radii = rng.uniform(0.8 * R, R, N**3)
    sim.add_spheres(lattice, radii, grain, velocities=stir)
    sim.deform_cell(stress=PRESSURE)
    sim.run(0.012)
    sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.3))
    return sim


def compressed(sim):
    """Return axial strain, ratio q / p and volume strain in rows."""
    rate = np.diag([np.nan, np.nan, -RATE])
    target = np.full((3, 3), np.nan)
    target[0, 0] = target[1, 1] = PRESSURE
    sim.deformation = np.eye(3)
    sim.deform_cell(rate, stress=target)
    rows = []
    for _ in range(60):
        sim.run(0.2 / RATE / 60)
        x, y, z = sim.stress().diagonal()
        q, p = z - (x + y) / 2, (x + y + z) / 3
        strains = np.log(sim.deformation.diagonal())
        rows.append((-strains[2], q / p, strains.sum()))
    return np.array(rows).T


# %%
figure, axes = plt.subplots(1, 3, figsize=(9, 3.6), dpi=100)
figure.subplots_adjust(0.01, 0.14, 0.98, 0.88, wspace=0.25)
for name, friction in ("dense", 0.0), ("loose", 0.5):
    sim = packed(friction)
    solid = (4 / 3 * np.pi * sim.radii**3).sum()
    fraction = solid / np.linalg.det(sim.cell)
    strain, ratio, growth = compressed(sim)
    last = ratio[strain > 0.15].mean()
    print(f"{name}: solid fraction {fraction:.3f}, largest q / p ", end="")
    print(f"{ratio.max():.2f}, at the end {last:.2f}, ", end="")
    print(f"sin(phi) {3 * last / (6 + last):.2f}")
    axes[1].plot(100 * strain, ratio, label=name)
    axes[2].plot(100 * strain, 100 * growth, label=name)
speeds = np.linalg.norm(sim.angular_velocities, axis=1)
axes[0].imshow(render(sim, speeds, label=None, size=(400, 400)))
axes[0].set_title("spins, loose packing")
axes[0].axis("off")
axes[1].set(xlabel="axial strain (%)", title="stress ratio q / p")
axes[1].legend()
_ = axes[2].set(xlabel="axial strain (%)", title="volume strain (%)")
