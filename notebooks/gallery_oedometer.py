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
# # Oedometer: how stiffness grows with load
#
# A lid presses grains in a box with rigid sides. Were the contacts the same
# at every load, the modulus would grow as the stiffness of Hertz contacts
# does: with the stress to the power 1/3. Real packings stiffen faster, with
# powers of 0.4 to 0.6, because loading closes more contacts (Goddard, Proc.
# R. Soc. Lond. A 430 (1990) 105; Makse et al., Phys. Rev. Lett. 83 (1999)
# 5070). For sand in an oedometer the usual power is 0.5 (Janbu, Proc.
# ECSMFE Wiesbaden 1 (1963) 19).
#
# This bed is at the upper end of the range: four seeds gave 0.58 to 0.64.
# Its grains gain contacts, and they slide, too.

# %%
# %matplotlib inline
# %config InlineBackend.print_figure_kwargs = {"bbox_inches": None}
import matplotlib.pyplot as plt
import numpy as np

import abut
from abut.plot import render

R, SHAPE = 1e-3, np.array([7, 7, 14])
WIDE, _, HIGH = 2.1 * R * SHAPE
grain = abut.Material(density=2500, young=1e9, poisson=0.2)
steel = abut.Material()
sim = abut.Simulation(step=8e-7, gravity=(0, 0, 0), workers=1)
for other in (grain, steel):  # no friction at first: the bed gets dense
    sim.set_law(grain, other, abut.Hertz(restitution=0.2))
for axis, end in zip(np.eye(3), (WIDE, WIDE, HIGH), strict=True):
    sim.add_wall(abut.HalfSpace((0, 0, 0), axis), steel)
    sim.add_wall(abut.HalfSpace(end * axis, -axis), steel)
*_, floor, lid = sim.walls
lattice = 2.1 * R * (np.argwhere(np.ones(SHAPE)) + 0.5)
rng = np.random.default_rng(1)
stirred = rng.normal(0, 0.5, lattice.shape)
radii = rng.uniform(0.8 * R, R, len(lattice))
sim.add_spheres(lattice, radii, grain, velocities=stirred)


def height_under(stress, time):
    lid.motion = abut.Servo(force=(0, 0, -stress * WIDE**2))
    sim.run(time)
    return HIGH + lid.pose[2, 3]


# %%
lid.motion = abut.Translating((0, 0, -1))
pressed = 64e3 * WIDE**2
sim.run(0.1, until=lambda s: -floor.force[2] >= pressed, every=2e-4)
height_under(64e3, 0.006)
sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.2))
height_under(2e3, 0.01)  # unloads; the bed is then loaded again
stresses, heights, contacts = 2e3 * 2 ** np.arange(6), [], []
for stress in stresses:
    heights.append(height_under(stress, 0.003))
    contacts.append(round(2 * len(sim.pairs) / len(lattice), 1))
moduli = np.diff(stresses) / -np.diff(np.log(heights))
between = np.sqrt(stresses[1:] * stresses[:-1])
power = np.polyfit(np.log(between), np.log(moduli), 1)[0]
print(f"power {power:.2f} (packings: 0.4 to 0.6, fixed contacts: 0.33)")
print(
    f"contacts of a grain: {contacts[0]} at 2 kPa, {contacts[-1]} at 64 kPa"
)

pairs = sim.pairs
forces = np.tile(np.linalg.norm(pairs.force, axis=1), 2)
borne = np.bincount(np.append(pairs.i, pairs.j), forces, len(lattice))
figure, (left, ax) = plt.subplots(1, 2, figsize=(8, 6), dpi=100)
figure.subplots_adjust(0.01, 0.2, 0.97, 0.85, wspace=0.15)
left.imshow(render(sim, borne, walls=False, label=None, size=(400, 400)))
left.set_title("bright grains bear large forces")
left.axis("off")
kPa, ratio = between / 1e3, between / between[0]
ax.loglog(kPa, moduli / 1e6, "o-", label=f"this bed: power {power:.2f}")
low, high, fixed = (moduli[0] / 1e6 * ratio**p for p in (0.4, 0.6, 1 / 3))
ax.fill_between(kPa, low, high, color="0.85", label="packings: 0.4 to 0.6")
ax.loglog(kPa, fixed, "k--", label="fixed contacts: 1/3")
ax.minorticks_off()
ax.set_xticks([5, 10, 20, 40], ["5", "10", "20", "40"])
ax.set_yticks([2, 5, 10], ["2", "5", "10"])
ax.set(xlabel="stress in kPa", title="modulus in MPa")
_ = ax.legend()
