"""Codes that step a simulation of spheres: one class each, abut's and its rivals'.

Only `step` is timed; the constructor is not. README.md describes how their laws differ.
"""

import contextlib
import importlib
import json
import os
import tempfile
from pathlib import Path
from types import MappingProxyType

import numpy as np

import dem_scenes
import kratos_files
from contestants import Contestant
from pair_contestants import lammps_missing, lammps_module

MIXER = ("settled", "moving")


class Stepper(Contestant):
    """A simulation in the initial state of a scene, for one number of threads."""

    scenes = ()  # the first words of the names of supported scenes
    reason = ""  # why other scenes are not supported

    def step(self, count):
        raise NotImplementedError

    def centers(self):
        """The spheres' centers in the order of the scene."""
        raise NotImplementedError

    def velocities(self):
        raise NotImplementedError

    def touching(self):
        """The number of touching pairs, each counted once, or None where it is not available."""
        return None

    def parts(self):
        """The parts of a step by name, in percent of its time, where they are available."""
        return {}

    @classmethod
    def reason_against(cls, scene_name, threads):
        if cls.scenes and scene_name.split("-")[0] not in cls.scenes:
            return cls.reason
        return super().reason_against(scene_name, threads)


class AbutSimulation(Stepper):
    """abut, which uses neighbor lists."""

    module = package = "abut"

    def __init__(self, scene, threads):
        self.simulation = dem_scenes.simulation(scene, threads)

    def step(self, count):
        with dem_scenes.quietly():
            self.simulation.run(steps=count)

    def centers(self):
        return self.simulation.centers

    def velocities(self):
        return self.simulation.velocities

    def touching(self):
        return len(self.simulation.pairs)

    def parts(self):
        """The parts of a step by name, in percent of their sum; without other work of `run`."""
        told = self.simulation.statistics()
        seconds = {name: getattr(told, name) for name in PARTS}
        all_seconds = sum(seconds.values())
        return {name: round(100.0 * own / all_seconds, 1) for name, own in seconds.items()}


PARTS = (
    "neighbors",
    "find_walls",
    "wall_laws",
    "pair_laws",
    "sums",
    "move",
    "order",
)


# ---- Kratos --------------------------------------------------------------------------------------


class Kratos(Stepper):
    """The DEM application of Kratos Multiphysics, set to search in every step."""

    module, package = "KratosMultiphysics.DEMApplication", "KratosDEMApplication"
    scenes = MIXER
    reason = "it is set up for the mixer only"

    def __init__(self, scene, threads):
        self.threads = threads
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        (folder / "caseDEM.mdpa").write_text(kratos_files.spheres_text(scene))
        (folder / "caseDEM_FEM_boundary.mdpa").write_text(kratos_files.walls_text(scene))
        (folder / "MaterialsDEM.json").write_text(json.dumps(kratos_files.materials(scene)))
        with quiet_kratos(folder):
            self.stage = kratos_stage(scene, threads)
        self.solver, self.time = self.stage._GetSolver(), 0.0

    def step(self, count):
        import KratosMultiphysics as KM

        KM.ParallelUtilities.SetNumThreads(self.threads)
        for _ in range(count):
            self.time = self.solver.AdvanceInTime(self.time)
            self.stage.InitializeSolutionStep()
            self.solver.Predict()
            self.solver.SolveSolutionStep()
            self.stage.FinalizeSolutionStep()

    def centers(self):
        return np.array([[node.X, node.Y, node.Z] for node in self.nodes()])

    def velocities(self):
        import KratosMultiphysics as KM

        return np.array([list(node.GetSolutionStepValue(KM.VELOCITY)) for node in self.nodes()])

    def nodes(self):
        return sorted(self.stage.spheres_model_part.Nodes, key=lambda node: node.Id)

    @classmethod
    def missing(cls):
        with quiet_kratos(tempfile.gettempdir()):
            return super().missing()


@contextlib.contextmanager
def quiet_kratos(folder):
    """Context in which Kratos runs in `folder`, without printing its banners."""
    before, out = os.getcwd(), os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.dup2(out, 1)
        os.close(out)


def kratos_stage(scene, threads):
    """The Kratos stage of the files in the working folder."""
    import KratosMultiphysics as KM

    KM.Logger.GetDefaultOutput().SetSeverity(KM.Logger.Severity.WARNING)
    KM.ParallelUtilities.SetNumThreads(threads)
    analysis = importlib.import_module("KratosMultiphysics.DEMApplication.DEM_analysis_stage")
    parameters = KM.Parameters(json.dumps(kratos_files.parameters(scene)))
    stage = analysis.DEMAnalysisStage(KM.Model(), parameters)
    stage.Initialize()
    return stage


# ---- LAMMPS --------------------------------------------------------------------------------------


class Lammps(Stepper):
    """LAMMPS with cells of one size; its neighbor lists are rebuilt once a sphere moves too far."""

    module = package = "lammps"
    max_threads = 1
    scenes = ("spheres", "chute")
    reason = "it is set up for spheres without walls, and the chute, only"
    style, mode = "bin", "single"

    def __init__(self, scene, threads):
        self.lammps = lammps_module().lammps(cmdargs=["-screen", "none", "-log", "none"])
        box, laws, shift, masses = self.commands(scene)
        count = len(scene.radii)
        self.lammps.commands_string(box)
        inside = (scene.centers + shift).ravel().tolist()
        velocities = scene.velocities.ravel().tolist()
        self.lammps.create_atoms(count, None, [1] * count, inside, velocities)
        self.numbers = self.lammps.numpy.extract_atom("id")[:count]
        self.lammps.numpy.extract_atom("radius")[:count] = scene.radii[self.numbers - 1]
        self.lammps.numpy.extract_atom("rmass")[:count] = masses[self.numbers - 1]
        self.lammps.commands_string(laws)
        self.lammps.command("run 0 post no")

    def commands(self, scene):
        """The commands for box and laws, the shift of centers into the box, and the masses."""
        how = {"style": self.style, "mode": self.mode, "skin": scene.skin}
        if scene.chute:
            of = scene.chute
            box = CHUTE_BOX.format(x=of.floor[0], y=of.floor[1], **how)
            degrees = np.degrees(of.steepness)
            laws = CHUTE_LAWS.format(step=scene.step, degrees=degrees, **of._asdict())
            return box, laws, np.zeros(3), np.full(len(scene.radii), of.mass)
        box = LAMMPS_BOX.format(side=repr(scene.period), **how)
        of = {"step": scene.step, "collections": self.collections(scene)}
        shift = scene.centers % scene.period - scene.centers
        masses = dem_scenes.GRAIN.density * 4.0 / 3.0 * np.pi * scene.radii**3
        return box, LAMMPS_LAWS.format(**of, **LAMMPS_MATERIAL), shift, masses

    def __del__(self):
        if hasattr(self, "lammps"):
            self.lammps.close()

    def step(self, count):
        self.lammps.command(f"run {count} pre no post no")

    def in_order(self, name):
        count = self.lammps.get_natoms()
        found = np.empty((count, 3))
        numbers = self.lammps.numpy.extract_atom("id")[:count]
        found[numbers - 1] = self.lammps.numpy.extract_atom(name)[:count]
        return found

    def centers(self):
        return self.in_order("x")

    def velocities(self):
        return self.in_order("v")

    def touching(self):
        """Half of LAMMPS' count, which has each pair twice."""
        self.lammps.commands_string(LAMMPS_COUNT)
        return round(self.lammps.extract_compute("total", 0, 0) / 2)

    def collections(self, scene):
        return ""

    @classmethod
    def missing(cls):
        return lammps_missing()

    @classmethod
    def reason_against(cls, scene_name, threads):
        slow = cls.style == "bin" and scene_name == "spheres-100"
        return "more than a minute a round" if slow else super().reason_against(scene_name, threads)


class LammpsMulti(Lammps):
    """LAMMPS with cells of four sizes, each for a range of radii that is set by hand."""

    style, mode = "multi", "multi"
    bounds = MappingProxyType({1: (), 10: (1.5, 2.5, 5.0), 100: (2.0, 5.0, 20.0)})

    def collections(self, scene):
        ratio = round(scene.radii.max() / scene.radii.min())
        nearest = min(self.bounds, key=lambda known: abs(known - ratio))
        diameters = [2.0 * dem_scenes.RADIUS * bound for bound in (*self.bounds[nearest], nearest)]
        if len(diameters) == 1:
            return ""
        return f"collection/interval {len(diameters)} {' '.join(map(repr, diameters))}"


LAMMPS_BOX = """units si
atom_style sphere
boundary p p p
newton on
neighbor {skin!r} {style}
comm_modify mode {mode} vel yes
region box block 0 {side} 0 {side} 0 {side} units box
create_box 1 box
"""
LAMMPS_LAWS = """pair_style granular
pair_coeff * * hertz/material {young} {restitution} {poisson} tangential mindlin_rescale NULL \
1.0 {friction} damping coeff_restitution limit_damping
neigh_modify delay 0 every 1 check yes one 100000 page 1000000 {collections}
timestep {step!r}
fix move all nve/sphere
thermo 1000000
"""
CHUTE_BOX = """units lj
atom_style sphere
boundary p p fs
newton off
neighbor {skin!r} {style}
comm_modify mode {mode} vel yes
region box block 0 {x} 0 {y} 0 100 units box
create_box 1 box
"""
CHUTE_LAWS = """pair_style gran/hooke/history {stiffness} NULL {damping} NULL {friction} 0
pair_coeff * *
neigh_modify every 1 delay 0
timestep {step!r}
fix fall all gravity 1.0 chute {degrees}
fix floor all wall/gran hooke/history {stiffness} NULL {damping} NULL {friction} 0 zplane 0 NULL
fix move all nve/sphere
thermo 1000000
"""
LAMMPS_COUNT = """compute touch all contact/atom
compute total all reduce sum c_touch
thermo_style custom step c_total
run 0
"""
LAMMPS_MATERIAL = MappingProxyType(
    {
        "young": dem_scenes.GRAIN.young,
        "poisson": dem_scenes.GRAIN.poisson,
        "restitution": dem_scenes.RESTITUTION,
        "friction": dem_scenes.FRICTION,
    }
)


CONTESTANTS = {
    "abut": AbutSimulation,
    "kratos": Kratos,
    "lammps": Lammps,
    "lammps-multi": LammpsMulti,
}
