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
# # A beam of spheres
#
# `sim.bond` bonds spheres. A bond is a beam between two centers. It resists
# stretching, shear, bending and torsion, and breaks when its stress reaches
# its strength. Many such bonds model rock, concrete or an agglomerate. Here
# they form a beam, for which theory gives the deflection and the load at
# which it breaks.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut

# %% [markdown]
# ## It bends as Timoshenko's theory predicts
#
# Twenty-one spheres form a row. The first one is so heavy that it does not
# move. A load acts on the last one. Drag brings the beam to rest, which
# otherwise would vibrate for long.

# %%
RADIUS, COUNT, YOUNG, POISSON = 0.01, 21, 1e7, 0.25
LENGTH = 2 * RADIUS * (COUNT - 1)


def beam(bond, step):
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    glass = abut.Material(density=2500, young=YOUNG, poisson=POISSON)
    sim.set_law(glass, glass, abut.Hertz(friction=0.5, restitution=0.5))
    ids = sim.add_spheres(
        [[2 * RADIUS * k, 0, 0] for k in range(COUNT)], RADIUS, glass
    )
    masses = sim.masses.copy()
    masses[0] = 1e9
    sim.masses = masses
    sim.bond(np.stack([ids[:-1], ids[1:]], axis=1), bond)
    return sim


bond = abut.Bond(young=YOUNG, poisson=POISSON, radius=0.8)
step = 0.6 * beam(bond, 1e-6).stable_step()
sim = beam(bond, step)
sim

# %% [markdown]
# The drag is critical for the slowest vibration of the beam: it decays
# without oscillating.

# %%
r = 0.8 * RADIUS
area, section = np.pi * r**2, np.pi * r**4 / 4
shear = YOUNG / (2 * (1 + POISSON))
part = 6 * (1 + POISSON) / (7 + 6 * POISSON)
load = 1e-3 * 3 * YOUNG * section / LENGTH**2
mass = sim.masses[1]
slowest = (
    1.875**2 * np.sqrt(YOUNG * section / (mass / (2 * RADIUS))) / LENGTH**2
)


def pull(s):
    forces = -2 * slowest * mass * s.velocities
    forces[0] = 0
    forces[-1, 2] -= load
    return forces


sim.add_force(pull)
sim.run(20 / slowest)

x = 2 * RADIUS * np.arange(COUNT)
bent = load / (YOUNG * section) * (
    LENGTH * x**2 / 2 - x**3 / 6
) + load * x / (part * shear * area)
print(f"tip {-sim.centers[-1, 2]:.6e} m, Timoshenko {bent[-1]:.6e} m")

# %%
fig, (top, bottom) = plt.subplots(2, 1, figsize=(7, 5), sharex=True)
fine = np.linspace(0, LENGTH, 200)
curve = load / (YOUNG * section) * (LENGTH * fine**2 / 2 - fine**3 / 6)
curve += load * fine / (part * shear * area)
top.plot(1e3 * fine, -1e3 * curve, color="0.6", label="Timoshenko")
top.plot(
    1e3 * sim.centers[:, 0], 1e3 * sim.centers[:, 2], ".", label="spheres"
)
top.set_ylabel("deflection (mm)")
top.legend()
middle = 1e3 * (x[:-1] + x[1:]) / 2
bottom.plot(
    1e3 * x,
    1e3 * load * (LENGTH - x),
    color="0.6",
    label="load times lever",
)
bottom.plot(
    middle,
    5e2 * (sim.bonds.moment - sim.bonds.moment_j)[:, 1],
    ".",
    label="bonds",
)
bottom.set_xlabel("x (mm)")
bottom.set_ylabel("moment (mN m)")
bottom.legend()
fig.tight_layout()

# %% [markdown]
# ## It breaks where the moment is largest
#
# The bending stress is the moment times $r / J$. It is largest at the
# clamped end, where a load $P$ causes $P L r / J$. The first bond breaks
# when this reaches the strength. The load now grows slowly.

# %%
strength = 4e4
glue = abut.Bond(
    YOUNG,
    POISSON,
    radius=0.8,
    tensile_strength=strength,
    shear_strength=strength,
)
sim = beam(glue, step)
least = strength * section / (r * LENGTH)
duration = 100 / slowest


def load_now(s):
    return 1.5 * least * s.time / duration


def push(s):
    forces = -2 * slowest * mass * s.velocities
    forces[0] = 0
    forces[-1, 2] -= load_now(s)
    return forces


sim.add_force(push)
shapes = {}


def look(s):
    if not len(s.breakages):
        shapes["before"] = s.centers
    elif len(shapes) < 3:
        shapes[f"{1e3 * (s.time - s.breakages.time[0]):.0f} ms after"] = (
            s.centers
        )


sim.every(1 / slowest, look)
sim.run(duration)
broken = sim.breakages
print(broken)
print(
    "between spheres",
    broken.i[0],
    "and",
    broken.j[0],
    "by",
    broken.cause[0],
)
at = 1.5 * least * broken.time[0] / duration
print(f"at {at:.4f} N; the closed load is {least:.4f} N")

# %%
fig, panels = plt.subplots(
    len(shapes), 1, figsize=(7, 4.5), sharex=True, sharey=True
)
for ax, (name, centers) in zip(panels, shapes.items(), strict=True):
    for x, z in 1e3 * centers[:, [0, 2]]:
        ax.add_patch(
            plt.Circle((x, z), 1e3 * RADIUS, color="tab:blue", alpha=0.5)
        )
    ax.set_aspect("equal")
    ax.set_title(name, fontsize="medium", loc="left")
    ax.set_ylabel("z (mm)")
    ax.autoscale_view()
panels[-1].set_xlabel("x (mm)")
fig.tight_layout()

# %% [markdown]
# The energy in the bond when it broke is dissipated. The sum of all
# energies, less the work of the load, is conserved. [The
# theory](../docs/dem.md) has the formulas, in section 12.

# %%
print(f"freed {broken.energy[0]:.3e} J")
