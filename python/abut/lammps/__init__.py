"""Walls for LAMMPS: its spheres touch meshes, on any number of processes.

LAMMPS moves the spheres, computes their forces on each other, and distributes them over MPI's
processes. `Walls` adds the forces of meshes, with the contacts and laws of `abut.Simulation`. This
module imports mpi4py, which LAMMPS' package needs to find its MPI library.
"""

from .engine import MPI, lammps
from .walls import Walls

__all__ = ["MPI", "Walls", "lammps"]
