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
# # Continuous contact
#
# The double hierarchy decides which of the touching facets have a contact.
# Such a decision is yes or no, so a force can jump while the sphere hardly
# moves. `resolution="sharing"` avoids the decision: each touching facet
# keeps its contact, and the contacts share the force.
#
# This notebook shows the jump, how sharing removes it, what this means for
# the energy of a sphere in a bowl, and the limits of sharing.

# %%
# %matplotlib inline
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import abut
from abut import examples

# %% [markdown]
# ## The jump
#
# A sphere of radius 1 is pulled across a groove of two planes at 150
# degrees, always at the same height. The law is that of Hertz: the force is
# overlap ** 1.5 along the normal, in units of the stiffness. With sharing,
# each force is multiplied by the column `share` of its contact, which is 1
# for the other resolutions.


# %%
def forces(contacts, exponent=1.5):
    """The total force on each sphere, (n, 3)."""
    size = contacts.share * contacts.overlap.clip(0) ** exponent
    return contacts.sum(size[:, None] * contacts.normal)


RESOLUTIONS = {"hierarchy": "tab:red", "sharing": "tab:blue"}

rise = np.tan(np.deg2rad(15))
groove = abut.Mesh(
    [
        [-3, -3, 3 * rise],
        [0, -3, 0],
        [3, -3, 3 * rise],
        [-3, 3, 3 * rise],
        [0, 3, 0],
        [3, 3, 3 * rise],
    ],
    [[0, 1, 4, 3], [1, 2, 5, 4]],
)
finder = abut.ContactFinder(groove)
x = np.linspace(-0.4, 0.4, 2001)
path = np.column_stack([x, np.zeros_like(x), np.full_like(x, 0.9)])
figure, (across, up) = plt.subplots(
    1, 2, figsize=(11, 4), layout="constrained"
)
for resolution, color in RESOLUTIONS.items():
    total = forces(finder.find(path, 1.0, resolution=resolution))
    across.plot(x, total[:, 0], color=color, label=resolution)
    up.plot(x, total[:, 2], color=color, label=resolution)
    largest = np.linalg.norm(np.diff(total, axis=0), axis=1).max()
    print(
        f"{resolution:10} largest step {largest:.4f}, force "
        f"{np.linalg.norm(total[1000]):.4f}"
    )
across.set(xlabel="x", ylabel="force", title="across the groove")
up.set(xlabel="x", ylabel="force", title="upwards")
_ = across.legend()

# %% [markdown]
# With the hierarchy, the second contact appears or vanishes while its
# overlap is not zero. With sharing, the second plane takes over gradually.
# It carries the part that the force of the first plane does not carry in
# its direction.

# %%
found = finder.find(path, 1.0, resolution="sharing", keep_zero=True)
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for facet, title in enumerate(("left plane", "right plane")):
    rows = found.facet == facet
    ax.plot(x[found.sphere[rows]], found.share[rows], label=title)
ax.set(xlabel="x", ylabel="share of the law's force", title="shares")
_ = ax.legend()

# %% [markdown]
# The shares are the solution of a small problem for each sphere. Let F be
# the full forces of the law, f the shared ones, and G the cosines between
# the normals of the contacts, with 0 for negative ones. Then f >= 0, G f >=
# F, and f = 0 wherever G f > F. Coplanar facets then carry one force
# together. Perpendicular walls carry a full force each. Between these cases
# the shares change continuously.
#
# A jump stays a jump at any magnification, and a steep slope does not. The
# next cell zooms in on the place of the largest change over a rough
# surface, ten times at each step:

# %%
rough = examples.rough_plane(cells=10, height=0.003)
finder = abut.ContactFinder(rough)
rng = np.random.default_rng(0)
count, radius = 3000, 0.1
begin = np.column_stack(
    [rng.uniform(0.3, 0.7, (count, 2)), rng.uniform(0.08, 0.1, count)]
)
angle = rng.uniform(0, 2 * np.pi, count)
along = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)])
spacings = radius * 10.0 ** -np.arange(2, 8)


def largest_steps(resolution):
    """The largest relative change between neighbors, at 20 % overlap."""
    at, largest = begin, []
    for spacing in spacings:
        centers = (
            at[:, None]
            + along[:, None] * (spacing * np.arange(11))[:, None]
        )
        total = forces(
            finder.find(
                centers.reshape(-1, 3), radius, resolution=resolution
            )
        )
        change = np.linalg.norm(
            np.diff(total.reshape(count, 11, 3), axis=1), axis=2
        )
        largest.append(change.max() / (0.2 * radius) ** 1.5)
        at = at + along * (spacing * change.argmax(axis=1))[:, None]
    return largest


figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for resolution, color in RESOLUTIONS.items():
    steps = largest_steps(resolution)
    ax.loglog(spacings / radius, steps, "o-", color=color, label=resolution)
    print(f"{resolution:10}", " ".join(f"{step:.1e}" for step in steps))
ax.set(xlabel="spacing / radius", ylabel="largest step / force")
_ = ax.legend()

# %% [markdown]
# ## A sphere in a bowl
#
# Jumps in the force change the energy over time. A sphere without friction,
# with radius 1 and mass 1, is released at 60 degrees in a bowl of radius 3
# with 60 flat facets. The stiffness is 1e4 and gravity is 9.81. The sphere
# slides for 30 seconds. The integrator is velocity Verlet with steps of
# 2e-4.

# %%
bowl = examples.bowl(radius=3, facets=60)
finder = abut.ContactFinder(bowl)
GRAVITY, STIFFNESS, STEP = 9.81, 1e4, 2e-4


def push_and_energy(place, resolution):
    """The acceleration, and the elastic energy of the contacts."""
    contacts = finder.find(
        place[None], 1.0, resolution=resolution, workers=1
    )
    size = STIFFNESS * contacts.share * contacts.overlap**1.5
    push = size @ contacts.normal
    push[2] -= GRAVITY
    return push, 0.4 * (size @ contacts.overlap)


def slide(resolution, seconds=30):
    """Energy above that at rest at the bottom, after each step."""
    place, velocity = (
        2 * np.array([np.sin(np.pi / 3), 0.0, -np.cos(np.pi / 3)]),
        np.zeros(3),
    )
    push, energies = push_and_energy(place, resolution)[0], []
    for _ in range(round(seconds / STEP)):
        velocity += 0.5 * STEP * push
        place = place + STEP * velocity
        push, stored = push_and_energy(place, resolution)
        velocity += 0.5 * STEP * push
        energies.append(
            0.5 * velocity @ velocity + GRAVITY * (place[2] + 2) + stored
        )
    return np.array(energies)


figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
start = GRAVITY * (2 - 2 * np.cos(np.pi / 3))
for ax, (resolution, color) in zip(axes, RESOLUTIONS.items(), strict=True):
    change = 100 * (slide(resolution) / start - 1)
    ax.plot(
        STEP * np.arange(len(change)), change, color=color, linewidth=0.5
    )
    ax.set(xlabel="time", ylabel="energy, change in %", title=resolution)
    print(
        f"{resolution:10} at the end {change[-1]:.4f} %, at most "
        f"{np.abs(change).max():.4f} %"
    )

# %% [markdown]
# The change that remains with sharing is mostly the error of the
# integrator: it decreases with half the step. The number for the hierarchy
# depends on where the sphere meets the jumps, and changes with step,
# stiffness and bowl.
#
# ## The same shape with another mesh
#
# A cylinder of 48 plane strips has one facet a strip in one mesh, and
# hundreds in others. The shape is the same, so the force should be the
# same, and nearly is. The table shows the largest difference, relative to
# the force, for growing overlaps of the sphere with the nearest strip.


# %%
def apart(mesh, other, centers, resolution):
    """The largest relative difference of the forces of two meshes."""
    one, two = (
        forces(
            abut.find_contacts(centers, 1.0, each, resolution=resolution)
        )
        for each in (mesh, other)
    )
    return (
        np.linalg.norm(one - two, axis=1) / np.linalg.norm(one, axis=1)
    ).max()


coarse = examples.cylinder(strips=48)
angle, height = rng.uniform(0, 2 * np.pi, 300), rng.uniform(-1, 1, 300)
normals = 2 * np.pi * (np.arange(48) + 0.5) / 48
toward = np.cos(angle[:, None] - normals).max(axis=1)
for across, along in ((8, 120), (6, 60)):
    fine = examples.cylinder(strips=48, across=across, along=along)
    print(f"{across} x {along} facets a strip:")
    for overlap in (0.01, 0.05, 0.1, 0.2):
        away = (3 * np.cos(np.pi / 48) - 1 + overlap) / toward
        centers = np.column_stack(
            [away * np.cos(angle), away * np.sin(angle), height]
        )
        found = [
            f"{name} {apart(coarse, fine, centers, name):7.1e}"
            for name in RESOLUTIONS
        ]
        print(f"  overlap {overlap:4.2f}: " + ", ".join(found))

# %% [markdown]
# ## Limits
#
# **Coarse and fine meshes of a concave surface** give forces that are close
# but not equal, as the cylinder shows. In a fine mesh, facets beside the
# contact point of a strip have contacts of their own. They push a little
# more sideways and take over a part of its force. Between two planes that
# meet at a concave edge the difference is larger. It grows with the angle
# and with the overlap:


# %%
def valley(degrees, cells):
    """Two planes that are turned up by half an angle, of quads."""
    x = np.linspace(-3, 3, 2 * cells + 1)
    grid = np.stack(np.meshgrid(x, x[::2], indexing="ij"), axis=-1).reshape(
        -1, 2
    )
    steep = np.tan(np.deg2rad(degrees) / 2)
    numbers = np.arange(len(grid)).reshape(2 * cells + 1, cells + 1)
    corners = [
        numbers[:-1, :-1],
        numbers[1:, :-1],
        numbers[1:, 1:],
        numbers[:-1, 1:],
    ]
    vertices = np.column_stack([grid, steep * np.abs(grid[:, 0])])
    return abut.Mesh(vertices, np.stack(corners, axis=-1).reshape(-1, 4))


degrees = np.array([2, 5, 10, 20, 30, 45, 60, 80])
figure, axes = plt.subplots(
    1, 2, figsize=(11, 4), sharey=True, layout="constrained"
)
for ax, overlap in zip(axes, (0.05, 0.2), strict=True):
    for resolution, color in RESOLUTIONS.items():
        parts = []
        for angle in degrees:
            tilt, x = np.deg2rad(angle) / 2, rng.uniform(-0.5, 0.5, 300)
            z = (1 - overlap) / np.cos(tilt) + np.abs(x) * np.tan(tilt)
            centers = np.column_stack([x, rng.uniform(-0.5, 0.5, 300), z])
            meshes = valley(angle, 1), valley(angle, 20)
            parts.append(100 * apart(*meshes, centers, resolution))
        ax.plot(degrees, parts, "o-", color=color, label=resolution)
        print(
            f"overlap {overlap}, {resolution:9}:",
            " ".join(f"{part:.2g}" for part in parts),
        )
    ax.set(xlabel="degrees between the planes", title=f"overlap {overlap}")
    ax.set_yscale("symlog", linthresh=0.01)
axes[0].set_ylabel("difference of the forces in %")
_ = axes[0].legend()

# %% [markdown]
# On planes, and over convex edges and vertices, sharing and hierarchy agree
# to rounding. This holds for overlaps up to 60 % of the radius with the law
# of Hertz, and 50 % with a linear law.
#
# **Steep concave corners.** The force is continuous as long as no two
# normals of a sphere are more than 90 degrees apart. It is then the
# shortest vector v with n . v >= F for each contact, which is unique.
# Otherwise several solutions may exist. The result is always the same for
# the same input, but the force may jump between two positions.
#
# Random paths measure this: 1000 in each of 120 scenes (rough planes,
# bowls, balls, and grooves of two planes that turn by 5 to 80 degrees).
#
# * At overlaps up to 10 % of the radius there were no jumps.
# * Up to 20 % there were jumps in 3 scenes, of up to 13 % of the force.
# * Grooves that turn by 85 to 90 degrees had jumps in 6 of 30 scenes at 5 %
#   overlap, of up to 2 %, and in 24 scenes at 20 %, of up to 12 %.
# * Pipes narrower than the sphere had jumps in 23 of 30 scenes, of up to 19
#   %.
#
# `python tests/paths.py` in the repository measures all of this.
#
# The smallest eigenvalue of G shows where this can happen. For normals in
# one plane at steps of 45 degrees:

# %%
for count in (2, 4, 8):
    turn = np.deg2rad(45) * np.arange(count)
    cosines = np.cos(turn[:, None] - turn).clip(0)
    print(
        f"{count} normals: smallest eigenvalue of G "
        f"{np.linalg.eigvalsh(cosines).min():.3f}"
    )

# %% [markdown]
# **Energy.** A shared force with the law of Hertz is not exactly
# conservative. The next cell presses a sphere into the middle of a groove,
# moves it along one plane until it leaves the other, lifts it off and
# returns it. The total work should be 0. The table shows it relative to the
# work of the first leg:


# %%
def work_round(degrees, exponent, resolution, count=20_000):
    tilt = np.deg2rad(degrees) / 2
    finder = abut.ContactFinder(valley(degrees, 1))
    up, along = (
        np.array([0, 0, 1 / np.cos(tilt)]),
        np.array([np.cos(tilt), 0, np.sin(tilt)]),
    )
    # with overlaps up to 20 % of the radius
    corners = [up, 0.8 * up, 0.8 * up + along, up + along, up]
    works = []
    for start, end in pairwise(corners):
        centers = (
            start
            + (end - start) * ((np.arange(count) + 0.5) / count)[:, None]
        )
        found = finder.find(
            centers, 1.0, resolution=resolution, exponent=exponent
        )
        works.append(forces(found, exponent).mean(axis=0) @ (end - start))
    return sum(works) / works[0]


for degrees in (45, 70):
    for exponent, resolution in (
        (1.5, "sharing"),
        (1.0, "sharing"),
        (1.5, "hierarchy"),
    ):
        part = 100 * work_round(degrees, exponent, resolution)
        print(
            f"{degrees} degrees, exponent {exponent}, {resolution:9}: "
            f"{part:.4f} %"
        )

# %% [markdown]
# Shares depend on the exponent of the law, not on its stiffness: use
# `exponent=1` for a linear law. Contacts with share 0 are not returned
# unless `keep_zero=True`. For tangential springs (contact history) see
# `contacts.match` and `contacts.carry`.
