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
# # Triaxial cell: strength and dilation
#
# `abut.triaxial` holds grains at 100 kPa between six walls, then two of
# them approach each other. A dense sample dilates as it yields. Bolton
# (Géotechnique 36, 65 (1986)) found for sands that the angle of friction
# at the peak exceeds the critical one by 10 degrees times the largest
# rate of dilation, $-d\varepsilon_v / d\varepsilon_1$.

# %%
# %matplotlib inline
# %config InlineBackend.print_figure_kwargs = {"bbox_inches": None}
import matplotlib.pyplot as plt
import numpy as np

import abut

N, R, PRESSURE, RATE = 8, 0.5e-3, 100e3, 8.0
side = 2.2 * R * N
sand = abut.Material(density=2500, young=5e8, poisson=0.2)
plate = abut.Material()
sim = abut.Simulation(step=7e-7, gravity=(0, 0, 0), workers=1)
sim.set_law(sand, sand, abut.Hertz(restitution=0.3))
sim.set_law(sand, plate, abut.Hertz(restitution=0.3))
rng = np.random.default_rng(1)
lattice = side / N * (np.argwhere(np.ones((N, N, N))) + 0.5)
stir = rng.normal(0, 0.5, lattice.shape)
radii = rng.uniform(0.8 * R, R, N**3)
sim.add_spheres(lattice, radii, sand, velocities=stir)
box = [[0, 0, 0], [side] * 3]
cell = abut.triaxial(
    sim, box, pressure=PRESSURE, material=plate, every=1e-4
)
sim.run(0.012)  # dense, since it comes to rest without friction
sim.set_law(sand, sand, abut.Hertz(friction=0.5, restitution=0.3))
cell.strain, start = 0, len(cell.record)
cell.compress(RATE)
sim.run(0.2 / RATE)

# %%
stress, strain = cell.record.stress[start:], cell.record.strain[start:]
least, largest = stress[:, :2].mean(axis=1), stress[:, 2]
angle = np.degrees(np.arcsin((largest - least) / (largest + least)))
axial, growth = strain[:, 2], -strain.sum(axis=1)
critical = angle[axial > 0.12].mean()
rise = (growth[30:] - growth[:-30]) / (axial[30:] - axial[:-30])
smooth = np.convolve(angle, np.ones(5) / 5, "valid")
found = (smooth.max() - critical) / rise.max()
print(f"friction: {smooth.max():.1f} degrees, at the end {critical:.1f}")
print(f"{found:.0f} degrees by rate of dilation (Bolton: 10)")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), dpi=100)
figure.subplots_adjust(bottom=0.14)
left.plot(100 * axial, angle)
left.set(xlabel="axial strain (%)", title="angle of friction (degrees)")
right.plot(100 * axial, 100 * growth)
_ = right.set(xlabel="axial strain (%)", title="volume strain (%)")
