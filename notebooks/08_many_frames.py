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
# # Many frames
#
# A simulation has run, perhaps on another machine, and has written its
# frames to files: dumps of LAMMPS or LIGGGHTS, or the files of
# `abut.write_dump` and `abut.write_frames`. Later, new questions come up.
# How hard did the grains press on the walls? How many neighbors did they
# have?
#
# Frames are independent, so all cores can analyze them at the same time.
# `abut.dask` distributes them to the workers of
# [Dask](https://www.dask.org), on this machine or on a cluster, and returns
# a table. It is an extra: `pip install 'abut[dask]'`.

# %%
# %matplotlib inline
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import abut

try:
    from distributed import Client, LocalCluster

    import abut.dask
except ImportError as error:
    print(
        f"{error}. Until then a plain loop makes the tables of this "
        "notebook."
    )
    has_dask = False
else:
    has_dask = True

# %% [markdown]
# ## A silo is filled
#
# Grains with radii of 4 to 5 mm fall into a cylinder 80 mm wide with a flat
# bottom. Wall and bottom are two meshes, so that a contact shows which of
# them it belongs to. The simulation writes a frame each 10 milliseconds,
# all into one file. It also records the forces on the walls, for
# comparison. The grains are so soft that the run warns of overlaps above a
# tenth of the radius: grains at the bottom are hit by all that fall onto
# them.

# %%
wall = abut.examples.cylinder(radius=0.04, length=0.5, strips=36, along=24)
lowest = wall.vertices[np.isclose(wall.vertices[:, 2], -0.25)]
bottom = abut.Mesh(lowest, [list(range(len(lowest)))])

grain = abut.Material(density=2500, young=2e6, poisson=0.2)
steel = abut.Material()  # no modulus of its own: rigid
law = abut.Hertz(friction=0.5, restitution=0.3, rolling=0.01)

STEP = 5e-5
sim = abut.Simulation(step=STEP, workers=1)
sim.set_law(grain, grain, law)
sim.set_law(grain, steel, law)
walls = [sim.add_wall(bottom, steel), sim.add_wall(wall, steel)]

rng = np.random.default_rng(1)
layer = [
    (x, y) for x in range(-3, 4) for y in range(-3, 4) if x * x + y * y <= 9
]
places = np.array([(x, y, z) for z in range(80) for x, y in layer], float)
places += rng.uniform(-0.04, 0.04, places.shape)
centers = 0.011 * places + [0, 0, -0.24]
sim.add_spheres(
    centers,
    rng.uniform(0.004, 0.005, len(centers)),
    grain,
    velocities=(0, 0, -1),
)

dump = Path(tempfile.mkdtemp(), "silo.dump")
sim.every(0.01, abut.write_dump(dump))
recorded = sim.record(0.01, lambda s: [one.force[2] for one in walls])
sim.run(0.6)
weight = 9.81 * sim.masses.sum()
print(sim)
print(f"{dump.name}: {dump.stat().st_size / 1e6:.0f} MB")

# %% [markdown]
# `abut.read_frames` finds the beginning of each frame and reads a frame
# when it is used. A frame has `centers`, `radii`, `ids`, `step`, the
# `period` of its box, and further columns by their names in the file.

# %%
frames = abut.read_frames(dump, columns=["vz"])
print(frames)
last = frames[-1]
print(
    last.step,
    last.centers.shape,
    last.period,
    f"vz: {last.columns['vz'].mean():.1e} m/s",
)

# %% [markdown]
# ## Forces on the walls
#
# The analysis of a frame is a function `reduce` of the frame and its
# contacts. This one computes the force of Hertz from the overlaps, 4/3 E*
# √R δ^1.5 on a rigid wall. It sums the vertical forces on the bottom and
# the normal forces on the cylinder. `abut.dask.map_frames` calls it for
# each frame. The loop below does the same without Dask.

# %%
stiffness = 4 / 3 * grain.young / (1 - grain.poisson**2)


def wall_forces(frame, contacts):
    """A row of the table: the forces on the bottom and on the cylinder."""
    forces = (
        stiffness
        * np.sqrt(frame.radii[contacts.sphere])
        * contacts.overlap**1.5
    )
    on_bottom = contacts.mesh == 0
    return {
        "time": STEP * frame.step,
        "bottom": (forces * contacts.normal[:, 2])[on_bottom].sum(),
        "cylinder": forces[~on_bottom].sum(),  # normal to the wall
        "touching": len(contacts),
    }


def plain_loop(frames, meshes, reduce):
    finder, rows = abut.ContactFinder(meshes), []
    for number, frame in enumerate(frames):
        contacts = finder.find(
            frame.centers, frame.radii, period=frame.period, workers=1
        )
        rows.append({"frame": number, **reduce(frame, contacts)})
    return pd.DataFrame(rows)


meshes = [bottom, wall]
forces = plain_loop(frames, meshes, wall_forces)
forces.tail(3)

# %% [markdown]
# The next cell does the same with one worker of Dask, a process with one
# thread. `map_frames` reads two frames at once. The first shows which
# columns the table has. This one and the middle one show how long a frame
# takes, which sets the number of frames in each task. The rest is done by
# `compute()`. The meshes are sent to each worker once. A worker keeps a
# finder for them, and reads its frames itself.

# %%
if has_dask:
    cluster = LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0"
    )
    client = Client(cluster)
    table = abut.dask.map_frames(frames, meshes, wall_forces)
    print(
        f"{table.npartitions} tasks of {len(frames)} frames; columns "
        f"{', '.join(table.columns)}"
    )
    computed = table.compute().reset_index(drop=True)
    print("the same table as the loop's:", computed.equals(forces))

# %% [markdown]
# The next cell compares two workers with the loop. These frames are few and
# small, and reading them takes most of the time. Many frames are worth
# several workers, on one machine or on all that can read the files. Only
# `Client("tcp://...")` changes.


# %%
def milliseconds(call):
    """Time for each frame, the shorter of two measurements."""
    taken = []
    for _ in range(2):
        start = time.perf_counter()
        call()
        taken.append(1e3 * (time.perf_counter() - start) / len(frames))
    return min(taken)


def mapped():
    return abut.dask.map_frames(frames, meshes, wall_forces).compute()


times = {
    "plain loop": milliseconds(
        lambda: plain_loop(frames, meshes, wall_forces)
    )
}
if has_dask:
    times["1 worker"] = milliseconds(mapped)
    cluster.scale(2)
    client.wait_for_workers(2)
    times["2 workers"] = milliseconds(mapped)
pd.Series(times, name="ms a frame").round(1)

# %% [markdown]
# Falling grains hit the bottom and the grains on it. At rest the bottom
# carries less than the weight, since the cylinder holds part of it by
# friction. The forces from the frames agree with those of the simulation,
# except for the damping of grains that are hitting the bottom, which frames
# do not contain.

# %%
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
ax.plot(
    forces["time"],
    forces["bottom"] / weight,
    "C0.",
    label="on the bottom, from the frames",
)
for k, place in enumerate(("bottom", "cylinder")):
    label = f"on the {place}, kept by the run"
    ax.plot(
        recorded.times,
        -recorded.values[:, k] / weight,
        f"C{2 * k}",
        alpha=0.6,
        label=label,
    )
ax.axhline(1, color="0.7", linestyle=":")
ax.set(xlabel="time in s", ylabel="vertical force / weight of all grains")
_ = ax.legend(frameon=False)

# %% [markdown]
# ## Several rows for each frame
#
# `reduce` may return a whole table for each frame. Here it is the pressure
# on the cylinder at each height. Together the tables show how the silo was
# filled.

# %%
edges = np.linspace(-0.25, 0.25, 26)
areas = 2 * np.pi * 0.04 * np.diff(edges)


def pressures(frame, contacts):
    on_wall = contacts.mesh == 1
    forces = (
        stiffness
        * np.sqrt(frame.radii[contacts.sphere])
        * contacts.overlap**1.5
    )
    heights = contacts.point[on_wall, 2]
    summed, _ = np.histogram(heights, edges, weights=forces[on_wall])
    return pd.DataFrame(
        {"height": (edges[1:] + edges[:-1]) / 2, "pressure": summed / areas}
    )


if has_dask:
    profile = abut.dask.map_frames(frames, meshes, pressures).compute()
else:
    finder = abut.ContactFinder(meshes)
    profile = pd.concat(
        pressures(frame, finder.find(frame.centers, frame.radii)).assign(
            frame=number
        )
        for number, frame in enumerate(frames)
    )

image = profile.pivot(index="height", columns="frame", values="pressure")
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
extent = [0, forces["time"].iloc[-1], 1e3 * edges[0], 1e3 * edges[-1]]
shown = ax.imshow(
    image,
    origin="lower",
    extent=extent,
    aspect="auto",
    vmax=4000,
    cmap="magma_r",
)
ax.set(xlabel="time in s", ylabel="height in mm")
_ = figure.colorbar(shown, label="pressure on the cylinder in Pa")

# %% [markdown]
# ## Neighbors
#
# `abut.dask.map_pairs` does the same for pairs of spheres that touch. The
# *coordination number* is the mean number of contacts of a grain. Grains
# with fewer than two contacts carry no load and are excluded here.


# %%
def coordination(frame, pairs):
    counts = np.bincount(
        np.concatenate([pairs.i, pairs.j]), minlength=len(frame.radii)
    )
    carrying = counts >= 2
    return {
        "number": counts[carrying].mean() if carrying.any() else np.nan,
        "carrying": carrying.mean(),
    }


if has_dask:
    neighbors = abut.dask.map_pairs(frames, coordination).compute()
else:
    rows = [
        coordination(one, abut.find_pairs(one.centers, one.radii))
        for one in frames
    ]
    neighbors = pd.DataFrame(rows)

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.2), layout="constrained"
)
left.plot(forces["time"], neighbors["number"])
left.set(
    xlabel="time in s",
    ylabel="contacts of a grain that has two",
    ylim=(0, None),
)
right.plot(forces["time"], 100 * neighbors["carrying"])
_ = right.set(
    xlabel="time in s", ylabel="% of grains that have two", ylim=(0, 100)
)

# %% [markdown]
# ## A damaged frame
#
# A full disk or a killed job can leave one of ten thousand frames
# unreadable. By default `compute()` raises the error, which names the file
# and the frame. With `errors="skip"` it continues: the worker warns, and
# the table has a column `error` and a row for the frame. Here a line in the
# middle of the dump is missing. The frames after it are read.

# %%
lines = dump.read_bytes().splitlines(keepends=True)
del lines[len(lines) // 2]
dump.write_bytes(b"".join(lines))

if has_dask:
    skipped = abut.dask.map_frames(
        dump, meshes, wall_forces, errors="skip"
    ).compute()
    print(
        f"{skipped['error'].isna().sum()} of {len(frames)} frames have "
        "their rows"
    )
    for row in skipped[skipped["error"].notna()].itertuples():
        print(f"{row.frame}: {row.error.replace(str(dump.parent), '...')}")

# %%
if has_dask:
    client.close()
    cluster.close()
