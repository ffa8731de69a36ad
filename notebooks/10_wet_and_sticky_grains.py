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
# # Wet and sticky grains
#
# Fine powder sticks together, and so does wet sand. The argument `cohesion`
# of a law describes this. `JKR` is for soft surfaces that form a neck,
# `DMT` for hard ones that attract each other over a short distance, and
# `LiquidBridge` for a small amount of liquid between two grains.
#
# This notebook draws these forces, lets sticky balls collide, and lets
# columns of wet grains slump. The slope that remains depends on the Bond
# number: the pull-off force of a contact divided by the weight of a grain.
#
# [docs/dem.md](../docs/dem.md), section 2, has the formulas and their
# sources. The pictures need the extra `plot`.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut

# %% [markdown]
# ## Three kinds of attraction
#
# Two balls of 1 mm are moved apart and back again. The plot shows the force
# at each step. A JKR contact and a liquid bridge form when the balls touch.
# On the way out (solid) they still pull beyond touch, until the neck snaps
# or the bridge ruptures. On the way in (dotted) there is no force before
# touch. DMT forces are the same both ways. Their range here is much longer
# than the few tenths of a nanometer of real surfaces, so that it can be
# seen.

# %%
RADIUS = 1e-3
soft = abut.Material(density=1500, young=1e6, poisson=0.3)
laws = {
    "JKR": abut.Hertz(cohesion=abut.laws.JKR(work_of_adhesion=0.3)),
    "DMT": abut.Hertz(
        cohesion=abut.laws.DMT(work_of_adhesion=0.3, distance=1e-6)
    ),
    "bridge": abut.Hertz(
        cohesion=abut.laws.LiquidBridge(volume=1e-14, surface_tension=0.13)
    ),
    "without": abut.Hertz(),
}


def led(law, overlaps):
    """The force of two balls by their overlap; NaN without a contact."""
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0))
    sim.set_law(soft, soft, law)
    sim.add_spheres([[0, 0, 0], [1, 0, 0]], RADIUS, soft)
    forces = []
    for overlap in overlaps:
        sim.centers = np.array([[0, 0, 0], [2 * RADIUS - overlap, 0, 0]])
        sim.velocities = np.zeros((2, 3))
        sim.run(steps=1)
        forces.append(sim.forces[1, 0] if len(sim.pairs) else np.nan)
    return np.array(forces)


out = np.linspace(6e-6, -10e-6, 400)
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for k, (name, law) in enumerate(laws.items()):
    forces = led(law, np.concatenate([out, out[::-1]]))
    ax.plot(1e6 * out, 1e3 * forces[:400], f"C{k}", label=name)
    ax.plot(1e6 * out[::-1], 1e3 * forces[400:], f"C{k}:", linewidth=2.5)
ax.axhline(0, color="0.7", linewidth=0.8)
ax.axvline(0, color="0.7", linewidth=0.8)
ax.set(xlabel="overlap, µm", ylabel="force, mN", ylim=(-1.1, 0.4))
_ = ax.legend()

# %% [markdown]
# ## The sticking speed
#
# The energy that breaks a neck is lost. Balls slower than the sticking
# speed $v_s$ stay together. Faster ones rebound with
# $e = \sqrt{1 - v_s^2 / v^2}$, even if the law itself is elastic
# (`restitution=1`). With damping both lose more.

# %%
modulus, reduced = 1e6 / (1 - 0.3**2) / 2, RADIUS / 2
mass = 1500 * 4 / 3 * np.pi * RADIUS**3 / 2
work = 7.0922 * (0.3**5 * reduced**4 / modulus**2) ** (1 / 3)
sticking = np.sqrt(2 * work / mass)


def returned(law, speed):
    sim = abut.Simulation(step=5e-7, gravity=(0, 0, 0))
    sim.set_law(soft, soft, law)
    places = [[0, 0, 0], [2 * RADIUS + 1e-9, 0, 0]]
    sim.add_spheres(
        places, RADIUS, soft, [[speed / 2, 0, 0], [-speed / 2, 0, 0]]
    )
    if sim.run(6e-3, until=lambda s: not len(s.pairs), every=1e-4):
        return (sim.velocities[1, 0] - sim.velocities[0, 0]) / speed
    return 0.0


speeds = sticking * np.array([0.7, 0.95, 1.05, 1.2, 1.5, 2, 3, 5, 8])
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for restitution, mark in ((1.0, "o"), (0.8, "s")):
    sticky = abut.Hertz(
        restitution=restitution, cohesion=abut.laws.JKR(0.3)
    )
    ax.plot(
        speeds / sticking,
        [returned(sticky, speed) for speed in speeds],
        mark,
        label=f"restitution={restitution}",
    )
fine = np.linspace(1, 8, 400)
ax.plot(
    fine,
    np.sqrt(1 - fine**-2),
    "k",
    linewidth=0.8,
    label="without damping, closed",
)
ax.set(xlabel="speed by the sticking speed", ylabel="restitution")
ax.legend()
print(f"sticking speed {1e3 * sticking:.1f} mm/s")

# %% [markdown]
# ## Columns that slump
#
# A column of grains of 2 mm stands between two walls and a gate. The floor
# and the left wall are as rough and wet as the grains. The domain is
# periodic along y. Then the gate is removed.

# %%
GRAIN = 1e-3
sand, gate_stuff = abut.Material(density=2500), abut.Material()
weight = 2500 * 4 / 3 * np.pi * GRAIN**3 * 9.81


def column(bond):
    """Grains behind a gate, which is removed. `bond` is the Bond number."""
    cohesion = None
    if bond:
        tension = bond * weight / (2 * np.pi * GRAIN)
        cohesion = abut.laws.LiquidBridge(
            volume=1e-11, surface_tension=tension
        )
    rough = {"friction": 0.6, "restitution": 0.4, "rolling": 0.1}
    sim = abut.Simulation(step=5e-5, period=(None, 0.0075, None), workers=1)
    sim.set_law(sand, sand, abut.Linear(150.0, **rough, cohesion=cohesion))
    sim.set_law(sand, gate_stuff, abut.Linear(150.0, restitution=0.4))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), sand)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (1, 0, 0)), sand)
    gate = sim.add_wall(
        abut.HalfSpace((0.024, 0, 0), (-1, 0, 0)), gate_stuff
    )
    rng = np.random.default_rng(0)
    x, y, z = np.indices((10, 3, 14)).reshape(3, -1) + 0.5
    places = np.column_stack([x * 0.0024, y * 0.0025, z * 0.0024])
    places += rng.uniform(-1e-4, 1e-4, places.shape)
    sim.add_spheres(
        places, rng.uniform(0.9 * GRAIN, 1.1 * GRAIN, len(places)), sand
    )
    sim.run(0.15)
    gate.motion = abut.Translating((0.5, 0, 0))
    sim.run(0.35)
    return sim


def front(sim):
    """Heights, and the distance that grains reach at each."""
    centers = sim.centers
    heights = np.linspace(0.1, 0.9, 12) * np.quantile(centers[:, 2], 0.995)
    near = [
        np.abs(centers[:, 2] - height) < 1.2 * GRAIN for height in heights
    ]
    return heights, np.array([centers[one, 0].max() for one in near])


def slope(sim):
    """The angle of the slope in degrees."""
    heights, far = front(sim)
    return np.degrees(np.arctan2(1, -np.polyfit(heights, far, 1)[0]))


bonds = (0, 1, 2, 4, 8, 16)
columns = {bond: column(bond) for bond in bonds}
for bond, sim in columns.items():
    bridges = np.count_nonzero(sim.pairs.overlap < 0)
    print(
        f"Bond number {bond:2}: {slope(sim):5.1f} degrees, {bridges:3} "
        "bridges span a gap"
    )

# %% [markdown]
# ## What remains of them
#
# The dry column flows out until it is nearly flat, since its grains are
# fast. Wet columns stop earlier and are steeper. At Bond numbers of 8 and
# 16 the column stands, as a sand castle does. Red lines are bridges that
# span a gap.

# %%
figure, axes = plt.subplots(
    2, 3, figsize=(11, 5.2), layout="constrained", sharex=True, sharey=True
)
for ax, (bond, sim) in zip(axes.flat, columns.items(), strict=True):
    order = np.argsort(-sim.centers[:, 1])
    for (x, _, z), radius in zip(
        sim.centers[order], sim.radii[order], strict=True
    ):
        ax.add_patch(
            plt.Circle(
                (1e3 * x, 1e3 * z),
                1e3 * radius,
                fc="C0",
                ec="k",
                lw=0.3,
                alpha=0.7,
            )
        )
    apart = sim.pairs[sim.pairs.overlap < 0]
    for i, j in zip(apart.i, apart.j, strict=True):
        ends = 1e3 * sim.centers[[i, j]]
        if np.abs(ends[0, 1] - ends[1, 1]) < 4:  # not around the period
            ax.plot(ends[:, 0], ends[:, 2], "C3", linewidth=1)
    heights, far = front(sim)
    ax.plot(
        1e3 * np.poly1d(np.polyfit(heights, far, 1))(heights),
        1e3 * heights,
        "k--",
    )
    ax.set(
        aspect="equal",
        xlim=(0, 62),
        ylim=(0, 34),
        title=f"Bond number {bond}",
    )

# %%
figure, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
ax.plot(bonds, [slope(sim) for sim in columns.values()], "o-")
ax.set_xscale("symlog", linthresh=1)
ax.set_xticks(bonds, [str(bond) for bond in bonds])
_ = ax.set(
    xlabel="Bond number: pull by weight",
    ylabel="slope, degrees",
    ylim=(0, 100),
)

# %% [markdown]
# ## Further steps
#
# * Cohesion also works for walls, clusters and convex bodies, and for
#   [walls in LAMMPS](07_lammps.py).
# * The time step must be short where a neck snaps. Near the sticking speed
#   the rebound depends on the step.
# * The range `distance` of real surfaces is much shorter than the motion in
#   a usual step. Without `distance`, `DMT` pulls only at touch.
