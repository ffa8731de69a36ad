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
# # Oedometer: how stiff a bed is under its load
#
# A lid presses grains in a box whose sides are rigid. Were the contacts at every load the same, the
# modulus would grow as the stiffness of Hertz' contacts does, with the stress to the power 1/3;
# that of beds grows faster, as loads close further contacts (Makse et al., Phys. Rev. Lett. 83
# (1999) 5070, of small strains). Here grains slide, too. Four seeds gave powers of 0.58 to 0.64.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut

R, SHAPE = 1e-3, np.array([7, 7, 14])
WIDE, _, HIGH = 2.1 * R * SHAPE
grain, steel = abut.Material(density=2500, young=1e9, poisson=0.2), abut.Material()
sim = abut.Simulation(step=8e-7, gravity=(0, 0, 0), workers=1)
for other in (grain, steel):  # without friction, so that it packs well
    sim.set_law(grain, other, abut.Hertz(restitution=0.2))
for axis, end in zip(np.eye(3), (WIDE, WIDE, HIGH), strict=True):
    sim.add_wall(abut.HalfSpace((0, 0, 0), axis), steel)
    sim.add_wall(abut.HalfSpace(end * axis, -axis), steel)
*_, floor, lid = sim.walls
lattice, rng = 2.1 * R * (np.argwhere(np.ones(SHAPE)) + 0.5), np.random.default_rng(1)
stirred = rng.normal(0, 0.5, lattice.shape)
sim.add_spheres(lattice, rng.uniform(0.8 * R, R, len(lattice)), grain, velocities=stirred)


def height_under(stress, time):
    lid.motion = abut.Servo(force=(0, 0, -stress * WIDE**2))
    sim.run(time)
    return HIGH + lid.pose[2, 3]


# %%
lid.motion = abut.Translating((0, 0, -1))
while -floor.force[2] < 64e3 * WIDE**2:
    sim.run(2e-4)
height_under(64e3, 0.006)
sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.2))
height_under(2e3, 0.01)  # what follows is the second time that it is loaded
stresses, heights, contacts = 2e3 * 2 ** np.arange(6), [], []
for stress in stresses:
    heights.append(height_under(stress, 0.003))
    contacts.append(round(2 * len(sim.pairs) / len(lattice), 1))
moduli = np.diff(stresses) / -np.diff(np.log(heights))
between = np.sqrt(stresses[1:] * stresses[:-1])
power = np.polyfit(np.log(between), np.log(moduli), 1)[0]
print(f"power {power:.2f} (the same contacts: 0.33); contacts a grain:", *contacts[::5])
figure, pairs = plt.figure(figsize=(10, 4), layout="constrained"), sim.pairs
forces = np.tile(np.linalg.norm(pairs.force, axis=1), 2)
borne = np.bincount(np.append(pairs.i, pairs.j), forces, len(lattice))
sim.plot(borne, figure.add_subplot(1, 2, 1, projection="3d"), label="forces on a grain in N")
ax = figure.add_subplot(1, 2, 2, xlabel="stress in kPa", ylabel="modulus in MPa")
ax.plot(between / 1e3, moduli / 1e6, "o-", label="bed")
hertz = moduli[0] / 1e6 * (between / between[0]) ** (1 / 3)
ax.plot(between / 1e3, hertz, "k--", label="power 1/3")
_ = ax.legend()
