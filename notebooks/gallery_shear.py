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
# # Plane shear: how friction grows with the inertial number
#
# A periodic cell is sheared at a constant rate, without walls or gravity.
# Such flows are described by the inertial number
# $I = \dot\gamma d / \sqrt{p / \rho}$. It determines the friction
# $\mu = -\sigma_{yx} / p$ and the solid fraction $\phi$. Here $\phi$ is
# given, and the pressure $p$ and the friction are measured.
#
# The curves are fits to simulations of spheres with friction 0.5, also in
# cells that are sheared (Chialvo, Sun and Sundaresan, Phys. Rev. E 85
# (2012) 021305):
# $\mu = 0.382 + 0.37 / ((0.32 / I)^{1.5} + 1)$ and
# $\phi = 0.587 - 0.145\,I$. The dashed one is a fit to glass beads on a
# heap, $\mu = 0.38 + 0.26 / (1 + 0.279 / I)$ (Jop et al., Nature 441
# (2006) 727). All constants were written down from memory.
#
# Below I = 0.4 the cell follows the first two fits. Above, $\phi$ falls less
# than the line, which is meant for dense flows. The beads are another
# material and flow beside walls. At the largest $\phi$ grains press each
# other even at rest, so I depends on their stiffness: a fourfold one makes
# 0.03 of 0.05. Radii differ by up to 10 %, so that layers do not form.

# %%
# %matplotlib inline
# %config InlineBackend.print_figure_kwargs = {"bbox_inches": None}
import matplotlib.pyplot as plt
import numpy as np

import abut
from abut.plot import render

N, R, RATE, DENSITY = 8, 0.5e-3, 100.0, 2500
rng = np.random.default_rng(1)
radii = rng.uniform(0.9 * R, 1.1 * R, N**3)
solid = (4 / 3 * np.pi * radii**3).sum()
side = (solid / 0.38) ** (1 / 3)
grain = abut.Material(density=DENSITY, young=1e8, poisson=0.25)
sim = abut.Simulation(
    step=3.5e-6, gravity=(0, 0, 0), period=(side,) * 3, workers=1
)
sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.7))
lattice = side / N * (np.argwhere(np.ones((N, N, N))) + 0.5)
stir = rng.normal(0, RATE * R, lattice.shape)
sim.add_spheres(lattice, radii, grain, velocities=stir)
shear = RATE * np.outer([1, 0, 0], [0, 1, 0])

# %%
fractions = np.array([0.5, 0.52, 0.54, 0.555, 0.57, 0.58, 0.587])
inertial, friction = [], []
for fraction in fractions:  # strains: 1 to compress, 2 to settle, 5
    strain = np.log(fraction * np.linalg.det(sim.cell) / solid) / 3
    sim.deform_cell(shear - strain * RATE * np.eye(3))
    sim.run(1 / RATE)
    sim.deform_cell(shear)
    sim.run(2 / RATE)
    record = sim.record(0.02 / RATE, lambda s: s.stress(kinetic=True))
    sim.run(5 / RATE)
    record.remove()
    stress = np.mean(record.values, axis=0)
    pressure = np.trace(stress) / 3
    inertial.append(RATE * 2 * R * np.sqrt(DENSITY / pressure))
    friction.append(-stress[1, 0] / pressure)


def fits(x):
    return 0.382 + 0.37 / ((0.32 / x) ** 1.5 + 1), 0.587 - 0.145 * x


x = np.array(inertial)
off = np.abs(np.subtract(fits(x), [friction, fractions]))[:, x < 0.4]
print(f"friction {friction[-1]:.2f} at I = {x[-1]:.2f}, ", end="")
print(f"{friction[0]:.2f} at I = {x[0]:.2f}")
print(f"below I = 0.4 friction is within {off[0].max():.3f} of the fit,")
print(f"and the solid fraction within {off[1].max():.3f}")

figure, axes = plt.subplots(1, 3, figsize=(9, 3.6), dpi=100)
figure.subplots_adjust(0.01, 0.14, 0.98, 0.88, wspace=0.2)
speeds = sim.velocities[:, 0]
axes[0].imshow(render(sim, speeds, label=None, size=(400, 400)))
axes[0].set_title("velocity along the shear")
axes[0].axis("off")
fine = np.geomspace(0.02, 1, 99)
beads = 0.38 + 0.26 / (1 + 0.279 / fine)
axes[1].semilogx(x, friction, "o", label="this cell")
axes[1].semilogx(fine, fits(fine)[0], label="spheres, 2012")
axes[1].semilogx(fine, beads, "k--", label="glass beads, 2006")
axes[1].set(xlabel="inertial number", title="friction")
axes[1].legend()
axes[2].semilogx(x, fractions, "o", fine, fits(fine)[1])
_ = axes[2].set(xlabel="inertial number", title="solid fraction")
