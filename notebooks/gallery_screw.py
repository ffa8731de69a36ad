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
# # Screw: how fast a conveyor conveys
#
# Grains that do not turn with the screw advance by one pitch a turn.
# Conveyors are designed by this ideal speed. In practice some grains turn
# with the screw, and the throughput is less (Owen and Cleary, Powder
# Technol. 193 (2009) 274). This slow screw is less than a third full, so
# that the bed stays at the bottom, and the speed is nearly ideal.
#
# The domain is periodic along the axis, after two pitches. The screw, which
# turns, repeats with it.

# %%
import numpy as np

import abut
from abut.plot import render

R, SHAFT, BLADE = 1.75e-3, 0.008, 0.025
PITCH, TURNS, RATE = 0.04, 2, 2 * np.pi
LENGTH, CASE, COUNT = TURNS * PITCH, BLADE + 1e-3, 36 * TURNS
grain = abut.Material(density=1400, young=1e6, poisson=0.25)
steel = abut.Material()
sim = abut.Simulation(
    step=5.5e-5,
    gravity=(0, -9.81, 0),
    period=(None, None, LENGTH),
    workers=1,
)
for other, friction in ((grain, 0.6), (steel, 0.3)):
    law = abut.Hertz(friction=friction, restitution=0.4, rolling=0.02)
    sim.set_law(grain, other, law)

# the blade is a helix of triangles between shaft and rim
angle = 2 * np.pi * TURNS * np.arange(COUNT + 1) / COUNT
around = np.column_stack([np.cos(angle), np.sin(angle)])
z = (LENGTH * np.arange(COUNT + 1) / COUNT)[:, None]
points = np.vstack(
    [np.hstack([SHAFT * around, z]), np.hstack([BLADE * around, z])]
)
k = np.arange(COUNT)
inner, outer = k, COUNT + 1 + k
triangles = np.vstack(
    [
        np.column_stack([inner, outer, outer + 1]),
        np.column_stack([inner, outer + 1, inner + 1]),
    ]
)
up = np.eye(4)
up[2, 3] = LENGTH / 2  # cylinders have their middle at z = 0
turning = abut.Rotating((0, 0, 1), rate=-RATE)
sim.add_wall(abut.examples.cylinder(CASE, LENGTH).transformed(up), steel)
sim.add_wall(
    abut.examples.cylinder(SHAFT, LENGTH, 24).transformed(up),
    steel,
    motion=turning,
)
sim.add_wall(abut.Mesh(points, triangles), steel, motion=turning)

# grains start in the lower half, clear of the blade
x = np.arange(-CASE, CASE, 2.1 * R)
lattice = np.stack(
    np.meshgrid(x, x, np.arange(R, LENGTH - R, 2.1 * R)), -1
).reshape(-1, 3)
radial = np.hypot(*lattice[:, :2].T)
lattice = lattice[
    (radial > SHAFT + 1.2 * R)
    & (radial < CASE - 1.1 * R)
    & (lattice[:, 1] < 0.004)
]
blade = PITCH / (2 * np.pi) * np.arctan2(lattice[:, 1], lattice[:, 0])
gap = (lattice[:, 2] - blade + PITCH / 2) % PITCH - PITCH / 2
sim.add_spheres(lattice[abs(gap) > 2.2 * R], R, grain)

# %%
sim.run(0.6)
axial = sim.record(0.01, lambda s: s.velocities[:, 2].mean())
sim.run(0.6)
solid = len(sim.radii) * 4 / 3 * np.pi * R**3 / 0.6
fill = solid / (np.pi * (CASE**2 - SHAFT**2) * LENGTH)
ideal = PITCH * RATE / (2 * np.pi)
speed = axial.values.mean() / ideal
print(
    f"filled to {100 * fill:.0f} %: {speed:.2f} pitches a turn (ideal: 1)"
)
view = {"view": (-1, 0.6, -1), "up": (0, 1, 0)}
render(sim, "speed", alpha=0.12, label="speed in m/s", **view)
