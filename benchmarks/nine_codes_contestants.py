"""Codes that compute the cases of nine_codes_scenes.py: a function each, from a case to a `Run`.

Each code has one thread, its own Hertz-Mindlin law and its own neighbor lists. YADE and LIGGGHTS
use abut's mesh. LAMMPS has no meshes and uses planes, cylinders and cones instead.
"""

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import abut
import dem_scenes
import nine_codes_scenes as scenes
from nine_codes_scenes import GRAVITY, MATERIALS, Run
from pair_contestants import lammps_missing, lammps_module

YADE_SCRIPT = Path(__file__).parent / "nine_codes" / "yade_run.py"


# ---- abut ----------------------------------------------------------------------------------------


def run_abut(case):
    sim, seconds = scenes.simulation(case), 0.0
    told = [told_by(case, sim)]
    for _ in range(case.samples):
        before = time.process_time()
        with dem_scenes.quietly():
            sim.run(steps=case.steps)
        seconds += time.process_time() - before
        told.append(told_by(case, sim))
    return Run(*map(np.array, zip(*told, strict=True)), seconds)


def told_by(case, sim):
    return scenes.in_order(case, sim.centers), scenes.in_order(case, sim.velocities)


# ---- YADE ----------------------------------------------------------------------------------------


def run_yade(case):
    with tempfile.TemporaryDirectory() as folder:
        start, end = Path(folder) / "start.npz", Path(folder) / "end.npz"
        friction, restitution = scenes.pair_numbers(case)
        materials = [MATERIALS[name] for name in case.materials]
        np.savez(
            start, centers=case.centers, velocities=case.velocities, radii=case.radii,
            kinds=case.kinds, materials=materials, young=scenes.young(case), friction=friction,
            restitution=restitution, corners=corners(case.mesh), gravity=GRAVITY, step=case.step,
            steps=case.steps, samples=case.samples, rate=case.rate,
        )  # fmt: skip
        names = {"ABUT_YADE_START": str(start), "ABUT_YADE_END": str(end)}
        call(["yade", "-n", "-x", "-j1", str(YADE_SCRIPT)], folder, names)
        with np.load(end) as told:
            return Run(told["centers"], told["velocities"], float(told["seconds"]))


def corners(mesh):
    """The corners of all triangles, (m, 3, 3)."""
    return mesh.vertices[mesh.indices.reshape(-1, 3)]


def call(command, folder, names=None):
    """Run a program; if it fails, the error has the end of its output."""
    ended = subprocess.run(
        command, cwd=folder, env=os.environ | (names or {}), capture_output=True, text=True,
        check=False, errors="replace",
    )  # fmt: skip
    if ended.returncode:
        tail = " ".join((ended.stdout + ended.stderr).split()[-40:])
        raise RuntimeError(f"{command[0]} ends with {ended.returncode}: {tail}")


# ---- LIGGGHTS ------------------------------------------------------------------------------------


def run_liggghts(case):
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        (where / "start.data").write_text(liggghts_data(case))
        case.mesh.save(where / "wall.stl")
        (where / "in.case").write_text(liggghts_input(case))
        before = child_seconds()
        call(["liggghts", "-in", "in.case"], folder)
        seconds = child_seconds() - before
        return read_dump(case, where / "out.dump", seconds)


def child_seconds():
    """Processor seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_dump(case, path, seconds):
    """The run in LIGGGHTS' dump; rows of lost spheres are nan."""
    frames = list(abut.read_frames(path, columns=["id", "vx", "vy", "vz"]))
    if len(frames) != case.samples + 1:
        raise RuntimeError(f"liggghts wrote {len(frames)} of {case.samples + 1} samples")
    shape = (len(frames), *case.centers.shape)
    run = Run(np.full(shape, np.nan), np.full(shape, np.nan), seconds)
    for k, frame in enumerate(frames):
        rows = np.asarray(frame.columns["id"]).astype(int) - 1
        run.centers[k, rows] = frame.centers
        velocity = [frame.columns[name] for name in ("vx", "vy", "vz")]
        run.velocities[k, rows] = np.column_stack(velocity)
    return run


def bounds(case):
    """A box around walls and spheres; spheres below it are lost, as in the silo's deck."""
    low, high = (f(case.mesh.vertices, axis=0) for f in (np.min, np.max))
    margin = 5 * case.radii.max()
    return low - margin, np.maximum(high, case.centers.max(axis=0)) + margin


def liggghts_data(case):
    low, high = bounds(case)
    lines = ["spheres", "", f"{len(case.radii)} atoms", f"{len(case.materials)} atom types", ""]
    for axis, a, b in zip("xyz", low, high, strict=True):
        lines.append(f"{float(a)!r} {float(b)!r} {axis}lo {axis}hi")
    densities = [MATERIALS[case.materials[kind]][0] for kind in case.kinds]
    rows = zip(case.kinds, case.radii, densities, case.centers, strict=True)
    lines += ["", "Atoms", ""]
    for number, (kind, radius, density, center) in enumerate(rows, 1):
        place = " ".join(map(repr, center.tolist()))
        lines.append(f"{number} {kind + 1} {2 * float(radius)!r} {density!r} {place}")
    lines += ["", "Velocities", ""]
    for number, velocity in enumerate(case.velocities, 1):
        lines.append(f"{number} {' '.join(map(repr, velocity.tolist()))} 0 0 0")
    return "\n".join(lines) + "\n"


def liggghts_input(case):
    friction, restitution = scenes.pair_numbers(case)
    count = len(case.materials)
    return LIGGGHTS.format(
        young=words(scenes.young(case)),
        poisson=words([MATERIALS[name][2] for name in case.materials]),
        restitution=f"{count} {words(restitution.ravel().tolist())}",
        friction=f"{count} {words(friction.ravel().tolist())}",
        skin=skin_of(case),
        step=float(case.step),
        gravity=GRAVITY,
        wall=count,
        turn=f"fix turn all move/mesh mesh cad rotate origin 0 0 0 axis 0 1 0 "
        f"period {2 * np.pi / case.rate!r}"
        if case.rate
        else "",
        steps=case.steps,
        all_steps=case.steps * case.samples,
    )


def skin_of(case):
    return 0.25 * float(case.radii.min())


def words(numbers):
    return " ".join(repr(float(one)) for one in numbers)


LIGGGHTS = """units si
hard_particles yes
atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
read_data start.data
neighbor {skin!r} bin
neigh_modify delay 0
fix m1 all property/global youngsModulus peratomtype {young}
fix m2 all property/global poissonsRatio peratomtype {poisson}
fix m3 all property/global coefficientRestitution peratomtypepair {restitution}
fix m4 all property/global coefficientFriction peratomtypepair {friction}
pair_style gran model hertz tangential history
pair_coeff * *
timestep {step!r}
fix fall all gravity {gravity} vector 0 0 -1
fix cad all mesh/surface file wall.stl type {wall} curvature 1e-5
{turn}
fix walls all wall/gran model hertz tangential history mesh n_meshes 1 meshes cad
fix move all nve/sphere
thermo {steps}
thermo_modify lost ignore
dump out all custom {steps} out.dump id x y z radius vx vy vz
dump_modify out sort id format "%d %.15g %.15g %.15g %.15g %.15g %.15g %.15g"
run {all_steps}
"""


# ---- LAMMPS --------------------------------------------------------------------------------------


def run_lammps(case):
    engine = lammps_module().lammps(cmdargs=["-screen", "none", "-log", "none"])
    try:
        engine.commands_string(lammps_box(case))
        count = len(case.radii)
        types = (case.kinds + 1).tolist()
        velocities = case.velocities.ravel().tolist()
        engine.create_atoms(count, None, types, case.centers.ravel().tolist(), velocities)
        numbers = engine.numpy.extract_atom("id")[:count] - 1
        engine.numpy.extract_atom("radius")[:count] = case.radii[numbers]
        engine.numpy.extract_atom("rmass")[:count] = case.masses[numbers]
        engine.commands_string(lammps_laws(case))
        engine.command("run 0 post no")
        told, seconds = [told_by_lammps(case, engine)], 0.0
        for _ in range(case.samples):
            before = time.process_time()
            engine.command(f"run {case.steps} pre no post no")
            seconds += time.process_time() - before
            told.append(told_by_lammps(case, engine))
    finally:
        engine.close()
    return Run(*map(np.array, zip(*told, strict=True)), seconds)


def told_by_lammps(case, engine):
    found = np.full((2, *case.centers.shape), np.nan)
    count = engine.extract_global("nlocal")
    numbers = engine.numpy.extract_atom("id")[:count] - 1
    for rows, name in zip(found, ("x", "v"), strict=True):
        rows[numbers] = engine.numpy.extract_atom(name)[:count]
    return found


def lammps_box(case):
    low, high = bounds(case)
    edges = words(np.column_stack([low, high]).ravel())
    return f"""units si
atom_style sphere
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
neighbor {skin_of(case)!r} bin
region box block {edges} units box
create_box {len(case.materials)} box
"""


def lammps_laws(case):
    friction, restitution = scenes.pair_numbers(case)
    count = len(case.materials)
    lines = ["pair_style granular"]
    for i in range(count):
        for j in range(i, count):
            law = lammps_law(case, i, j, friction[i, j], restitution[i, j])
            lines.append(f"pair_coeff {i + 1} {j + 1} {law}")
    lines += [f"timestep {float(case.step)!r}", f"fix fall all gravity {GRAVITY} vector 0 0 -1"]
    turning = " rotate v_turned 0 0 0 0 1 0" if case.rate else ""
    lines += [f"variable turned equal {case.rate!r}*time"] if case.rate else []
    regions, walls = LAMMPS_WALLS[case.name]
    size = case.size | {"round": float(scenes.ROUND) * case.size.get("radius", 0.0)}
    lines += [region.format(turning=turning, **size) for region in regions]
    for kind in np.unique(case.kinds):
        law = lammps_law(case, kind, count - 1, friction[kind, -1], restitution[kind, -1])
        lines.append(f"group kind{kind} type {kind + 1}")
        for k, wall in enumerate(walls):
            place = wall.format(**size)
            style = "wall/gran/region" if place.startswith("region") else "wall/gran"
            lines.append(f"fix wall{kind}{k} kind{kind} {style} granular {law} {place}")
    return "\n".join([*lines, "fix move all nve/sphere", "thermo 1000000", LOST, ""])


def lammps_law(case, i, j, friction, restitution):
    """LAMMPS' arguments for a contact of two materials."""
    modulus = scenes.young(case)
    poisson = [MATERIALS[name][2] for name in case.materials]
    compliance = sum((1 - poisson[k] ** 2) / modulus[k] for k in (i, j))
    shear = sum(2 * (2 - poisson[k]) * (1 + poisson[k]) / modulus[k] for k in (i, j))
    return (
        f"hertz {4 / 3 / compliance!r} {float(restitution)!r} tangential mindlin_rescale "
        f"{8 / shear!r} 1.0 {float(friction)!r} damping coeff_restitution limit_damping"
    )


LOST = "thermo_modify lost ignore"

# LAMMPS regions that form the walls of each case, from its lengths
LAMMPS_WALLS = {
    "impact": ((), ("xplane 0 {side!r}", "yplane 0 {side!r}", "zplane 0 NULL")),
    "drum": (
        (
            "variable half equal 0.5*{length!r}",
            "region drum cylinder y 0 0 {round!r} $(-v_half) ${{half}} units box{turning}",
        ),
        ("region drum",),
    ),
    "silo": (
        (
            "region tube cylinder z 0 0 {round!r} 0 {height!r} units box open 1 open 2",
            "region cone cone z 0 0 {orifice!r} {radius!r} {bottom!r} 0 units box open 1 open 2",
        ),
        ("region tube", "region cone"),
    ),
}


# ---- the codes and their programs ----------------------------------------------------------------


def missing_program(name):
    return None if shutil.which(name) else f"there is no program {name}"


class Contestant(NamedTuple):
    run: Callable  # computes a case and returns a Run
    missing: Callable  # returns why the code cannot run, or None


CONTESTANTS = {
    "abut": Contestant(run_abut, lambda: None),
    "yade": Contestant(run_yade, lambda: missing_program("yade")),
    "liggghts": Contestant(run_liggghts, lambda: missing_program("liggghts")),
    "lammps": Contestant(run_lammps, lammps_missing),
}
