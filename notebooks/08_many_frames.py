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
# A simulation has run, here or on another machine, and left its frames in files: a dump of LAMMPS
# or LIGGGHTS, or what `abut.write_dump` and `abut.write_frames` write. Now questions come up that
# nobody thought of before it ran. How hard did the grains press on the walls? How many neighbors
# did they have?
#
# Frames know nothing of each other, so all cores can look at them at once. `abut.dask` hands them
# to the workers of [Dask](https://www.dask.org), of this machine or of a cluster, and gives back a
# table. It is an extra: `pip install 'abut[dask]'`.

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
    print(f"{error}. Until then a plain loop makes the tables of this notebook.")
    has_dask = False
else:
    has_dask = True

# %% [markdown]
# ## A silo is filled
#
# Grains with radii of 4 to 5 mm rain into a cylinder 80 mm wide, with a flat bottom. Wall and
# bottom are two meshes, so that contacts tell which of them is touched. The simulation writes a
# frame each 10 milliseconds, all into one file; beside it we keep the walls' forces, to compare
# with later. The grains are so soft that the run warns of overlaps of more than a tenth of the
# radius: those at the bottom are hit by all that fall upon them.

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
layer = [(x, y) for x in range(-3, 4) for y in range(-3, 4) if x * x + y * y <= 9]
places = np.array([(x, y, z) for z in range(80) for x, y in layer], float)
places += rng.uniform(-0.04, 0.04, places.shape)
centers = 0.011 * places + [0, 0, -0.24]
sim.add_spheres(centers, rng.uniform(0.004, 0.005, len(centers)), grain, velocities=(0, 0, -1))

dump = Path(tempfile.mkdtemp(), "silo.dump")
sim.every(0.01, abut.write_dump(dump))
recorded = sim.record(0.01, lambda s: [one.force[2] for one in walls])
sim.run(0.6)
weight = 9.81 * sim.masses.sum()
print(sim)
print(f"{dump.name}: {dump.stat().st_size / 1e6:.0f} MB")

# %% [markdown]
# `abut.read_frames` finds out where each frame begins and reads one when it is asked for. A frame
# has `centers`, `radii`, `ids`, `step`, the `period` of its box, and further columns by their names
# in the file.

# %%
frames = abut.read_frames(dump, columns=["vz"])
print(frames)
last = frames[-1]
print(last.step, last.centers.shape, last.period, f"vz: {last.columns['vz'].mean():.1e} m/s")

# %% [markdown]
# ## Forces on the walls
#
# What a frame comes to is a function of the frame and its contacts, `reduce`. This one takes the
# overlaps to Hertz's force, 4/3 E* √R δ^1.5 on a rigid wall, and sums what is vertical on the
# bottom, and what is normal to the cylinder. `abut.dask.map_frames` calls it for every frame. So
# does the loop below, where Dask is not installed: it tells what `map_frames` does.

# %%
stiffness = 4 / 3 * grain.young / (1 - grain.poisson**2)


def wall_forces(frame, contacts):
    """A row of the table: what presses on the bottom, and on the cylinder."""
    forces = stiffness * np.sqrt(frame.radii[contacts.sphere]) * contacts.overlap**1.5
    on_bottom = contacts.mesh == 0
    return {
        "time": STEP * frame.step,
        "bottom": (forces * contacts.normal[:, 2])[on_bottom].sum(),
        "cylinder": forces[~on_bottom].sum(),  # normal to it, all around
        "touching": len(contacts),
    }


def plain_loop(frames, meshes, reduce):
    finder, rows = abut.ContactFinder(meshes), []
    for number, frame in enumerate(frames):
        contacts = finder.find(frame.centers, frame.radii, period=frame.period, workers=1)
        rows.append({"frame": number, **reduce(frame, contacts)})
    return pd.DataFrame(rows)


meshes = [bottom, wall]
forces = plain_loop(frames, meshes, wall_forces)
forces.tail(3)

# %% [markdown]
# The same by a worker of Dask, a process with one thread. `map_frames` looks at two frames only:
# from the first it learns which columns the table has, from this one and that of the middle how
# long a frame takes, and it gives each task as many as are worth its costs. The rest happens when
# the table is asked for, by `compute()`. The meshes travel to a worker once; it keeps a finder of
# them, and reads its frames itself.

# %%
if has_dask:
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    client = Client(cluster)
    table = abut.dask.map_frames(frames, meshes, wall_forces)
    print(f"{table.npartitions} tasks of {len(frames)} frames; columns {', '.join(table.columns)}")
    computed = table.compute().reset_index(drop=True)
    print("the same table as the loop's:", computed.equals(forces))

# %% [markdown]
# And by two, beside the loop. These frames are few and small, and most of the time goes into
# reading them. Where they are many, workers share them, on one machine or on all that see the
# files: only `Client("tcp://...")` changes.


# %%
def milliseconds(call):
    """A frame, the shorter one of two times."""
    taken = []
    for _ in range(2):
        start = time.perf_counter()
        call()
        taken.append(1e3 * (time.perf_counter() - start) / len(frames))
    return min(taken)


def mapped():
    return abut.dask.map_frames(frames, meshes, wall_forces).compute()


times = {"plain loop": milliseconds(lambda: plain_loop(frames, meshes, wall_forces))}
if has_dask:
    times["1 worker"] = milliseconds(mapped)
    cluster.scale(2)
    client.wait_for_workers(2)
    times["2 workers"] = milliseconds(mapped)
pd.Series(times, name="ms a frame").round(1)

# %% [markdown]
# While grains fall they hit the bottom and those that lie there; at rest the bottom carries less
# than their weight, since the cylinder holds the others by friction. The forces from the frames lie
# on those that the simulation kept, except for what frames do not tell: the damping of grains that
# are hitting the bottom.

# %%
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
ax.plot(forces["time"], forces["bottom"] / weight, "C0.", label="on the bottom, from the frames")
for k, place in enumerate(("bottom", "cylinder")):
    label = f"on the {place}, kept by the run"
    ax.plot(recorded.times, -recorded.values[:, k] / weight, f"C{2 * k}", alpha=0.6, label=label)
ax.axhline(1, color="0.7", linestyle=":")
ax.set(xlabel="time in s", ylabel="vertical force / weight of all grains")
_ = ax.legend(frameon=False)

# %% [markdown]
# ## Several rows a frame
#
# `reduce` may give a whole table for each frame. Here it is the pressure on the cylinder at each
# height: together they are a picture of how the silo was filled.

# %%
edges = np.linspace(-0.25, 0.25, 26)
areas = 2 * np.pi * 0.04 * np.diff(edges)


def pressures(frame, contacts):
    on_wall = contacts.mesh == 1
    forces = stiffness * np.sqrt(frame.radii[contacts.sphere]) * contacts.overlap**1.5
    heights = contacts.point[on_wall, 2]
    summed, _ = np.histogram(heights, edges, weights=forces[on_wall])
    return pd.DataFrame({"height": (edges[1:] + edges[:-1]) / 2, "pressure": summed / areas})


if has_dask:
    profile = abut.dask.map_frames(frames, meshes, pressures).compute()
else:
    finder = abut.ContactFinder(meshes)
    profile = pd.concat(
        pressures(frame, finder.find(frame.centers, frame.radii)).assign(frame=number)
        for number, frame in enumerate(frames)
    )

image = profile.pivot(index="height", columns="frame", values="pressure")
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
extent = [0, forces["time"].iloc[-1], 1e3 * edges[0], 1e3 * edges[-1]]
shown = ax.imshow(image, origin="lower", extent=extent, aspect="auto", vmax=4000, cmap="magma_r")
ax.set(xlabel="time in s", ylabel="height in mm")
_ = figure.colorbar(shown, label="pressure on the cylinder in Pa")

# %% [markdown]
# ## Neighbors
#
# `abut.dask.map_pairs` does the same for spheres that touch each other. The *coordination number*
# is how many contacts a grain has, on average; grains with fewer than two, which carry nothing but
# themselves, are left out here.


# %%
def coordination(frame, pairs):
    counts = np.bincount(np.concatenate([pairs.i, pairs.j]), minlength=len(frame.radii))
    carrying = counts >= 2
    return {
        "number": counts[carrying].mean() if carrying.any() else np.nan,
        "carrying": carrying.mean(),
    }


if has_dask:
    neighbors = abut.dask.map_pairs(frames, coordination).compute()
else:
    rows = [coordination(one, abut.find_pairs(one.centers, one.radii)) for one in frames]
    neighbors = pd.DataFrame(rows)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained")
left.plot(forces["time"], neighbors["number"])
left.set(xlabel="time in s", ylabel="contacts of a grain that has two", ylim=(0, None))
right.plot(forces["time"], 100 * neighbors["carrying"])
_ = right.set(xlabel="time in s", ylabel="% of grains that have two", ylim=(0, 100))

# %% [markdown]
# ## A frame that is broken
#
# A full disk, a job that was killed: one of ten thousand frames cannot be read. By default
# computing the table raises the error, which names the file and the frame. `errors="skip"` goes on
# and says so: a warning comes from the worker, and the table has a column `error` and a row for the
# frame. Here a line in the middle of the dump is lost; the frames behind it are there nevertheless.

# %%
lines = dump.read_bytes().splitlines(keepends=True)
del lines[len(lines) // 2]
dump.write_bytes(b"".join(lines))

if has_dask:
    skipped = abut.dask.map_frames(dump, meshes, wall_forces, errors="skip").compute()
    print(f"{skipped['error'].isna().sum()} of {len(frames)} frames have their rows")
    for row in skipped[skipped["error"].notna()].itertuples():
        print(f"{row.frame}: {row.error.replace(str(dump.parent), '...')}")

# %%
if has_dask:
    client.close()
    cluster.close()
