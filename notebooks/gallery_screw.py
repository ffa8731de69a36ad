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
# Grains that did not turn with the screw would go on by one pitch a turn: this is the speed that
# conveyors are laid out by. Some turn with it, so that it is less. The world repeats along the
# axis, after two pitches; so does the screw, as it turns (Owen and Cleary, Powder Technol. 193
# (2009) 274).

# %%
# %matplotlib inline
import numpy as np

import abut

R, SHAFT, BLADE, PITCH, TURNS, RATE = 1.75e-3, 0.008, 0.025, 0.04, 2, 2 * np.pi
LENGTH, CASE, COUNT = TURNS * PITCH, BLADE + 1e-3, 36 * TURNS
grain, steel = abut.Material(density=1400, young=1e6, poisson=0.25), abut.Material()
sim = abut.Simulation(step=5.5e-5, gravity=(0, -9.81, 0), period=(None, None, LENGTH), workers=1)
for other, friction in ((grain, 0.6), (steel, 0.3)):
    sim.set_law(grain, other, abut.Hertz(friction=friction, restitution=0.4, rolling=0.02))

# the blade is a helix of triangles between shaft and rim
angle = 2 * np.pi * TURNS * np.arange(COUNT + 1) / COUNT
around = np.column_stack([np.cos(angle), np.sin(angle)])
z = (LENGTH * np.arange(COUNT + 1) / COUNT)[:, None]
points = np.vstack([np.hstack([SHAFT * around, z]), np.hstack([BLADE * around, z])])
k = np.arange(COUNT)
inner, outer = k, COUNT + 1 + k
triangles = np.vstack(
    [np.column_stack([inner, outer, outer + 1]), np.column_stack([inner, outer + 1, inner + 1])]
)
up = np.eye(4)
up[2, 3] = LENGTH / 2  # the example's cylinders have their middle at 0
turning = abut.Rotating((0, 0, 1), rate=-RATE)
sim.add_wall(abut.examples.cylinder(CASE, LENGTH).transformed(up), steel)
sim.add_wall(abut.examples.cylinder(SHAFT, LENGTH, 24).transformed(up), steel, motion=turning)
sim.add_wall(abut.Mesh(points, triangles), steel, motion=turning)

# grains fall into the lower half, where the blade leaves room
x = np.arange(-CASE, CASE, 2.1 * R)
lattice = np.stack(np.meshgrid(x, x, np.arange(R, LENGTH - R, 2.1 * R)), -1).reshape(-1, 3)
radial = np.hypot(*lattice[:, :2].T)
lattice = lattice[(radial > SHAFT + 1.2 * R) & (radial < CASE - 1.1 * R) & (lattice[:, 1] < 0.004)]
blade = LENGTH / TURNS * (np.arctan2(lattice[:, 1], lattice[:, 0]) / (2 * np.pi))
gap = (lattice[:, 2] - blade + PITCH / 2) % PITCH - PITCH / 2
sim.add_spheres(lattice[abs(gap) > 2.2 * R], R, grain)

# %%
sim.run(0.6)
axial = sim.record(0.01, lambda s: s.velocities[:, 2].mean())
sim.run(0.6)
solid = len(sim.radii) * 4 / 3 * np.pi * R**3 / 0.6
fill = solid / (np.pi * (CASE**2 - SHAFT**2) * LENGTH)
ideal = PITCH * RATE / (2 * np.pi)
print(f"filled to {100 * fill:.0f} %: {axial.values.mean() / ideal:.2f} pitches a turn (ideal: 1)")
ax = sim.plot("speed", alpha=0.05, label="speed in m/s")
ax.view_init(elev=15, azim=-50, vertical_axis="y")
