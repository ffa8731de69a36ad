"""Walls for LAMMPS: its spheres touch meshes, on any number of processes.

LAMMPS moves the spheres, lets them touch each other, and shares them out among MPI's processes;
`Walls` adds the forces of meshes, with the contacts and the laws of `abut.Simulation`. Importing
this module imports mpi4py, which LAMMPS' package needs to find its MPI library.
"""

from .engine import MPI, lammps
from .walls import Walls

__all__ = ["MPI", "Walls", "lammps"]
