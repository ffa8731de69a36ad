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
# # An agglomerate breaks
#
# A ball of bonded grains hits a wall. The damage is the fraction of the
# bonds that break. It is zero at low velocities. Above a threshold it grows
# with the logarithm of the impact energy, as in the simulations of Sator
# and Hietala in two dimensions (arXiv:0903.4868 (2009)).
#
# The grains form the densest regular lattice, so the ball breaks along
# lattice planes (Kafui and Thornton, Powder Technol. 109 (2000) 113).

# %%
import numpy as np

import abut
from abut.plot import render

R, BALL, STRENGTH = 1e-3, 9e-3, 4e5
grain = abut.Material(density=2500, young=1e8, poisson=0.25)
steel = abut.Material()
glue = abut.Bond(
    1e8,
    0.25,
    radius=0.6,
    tensile_strength=STRENGTH,
    shear_strength=STRENGTH,
)

# a ball cut from the densest lattice
k = np.arange(-8, 9)
cells = np.stack(np.meshgrid(k, k, k), -1).reshape(-1, 3)
lattice = np.sqrt(2) * R * cells[cells.sum(axis=1) % 2 == 0]
ball = lattice[np.linalg.norm(lattice, axis=1) < BALL]


def hit(speed):
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0), workers=1)
    for other in (grain, steel):
        sim.set_law(grain, other, abut.Hertz(friction=0.4, restitution=0.5))
    sim.add_wall(abut.HalfSpace((0, 0, -BALL - 0.5 * R), (0, 0, 1)), steel)
    ids = sim.add_spheres(ball, R, grain, velocities=(0, 0, -speed))
    near = abut.find_pairs(ball, 1.01 * R)
    sim.bond(np.stack([ids[near.i], ids[near.j]], axis=1), glue)
    sim.step = 0.5 * sim.stable_step()
    count = len(sim.bonds)
    sim.run(0.5 * R / speed + 0.004)
    return sim, 1 - len(sim.bonds) / count


# %%
speeds = np.array([0.5, 0.6, 0.8, 1.0, 1.3])
damages = []
for speed in speeds:
    sim, damage = hit(speed)
    damages.append(damage)
    print(f"{speed:4.2f} m/s: {100 * damage:4.1f} % of the bonds break")
damages = np.array(damages)
breaks = (damages > 0.01) & (damages < 0.9)
slope, offset = np.polyfit(np.log(speeds[breaks]), damages[breaks], 1)
onset = np.exp(-offset / slope)
print(f"damage = {slope:.2f} ln(v / v0), v0 = {onset:.2f} m/s")
print("(Sator and Hietala find such a line, too)")
render(sim, "speed", label="speed in m/s", title=f"hit at {speed} m/s")
