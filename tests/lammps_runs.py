"""Runs of LAMMPS with walls, each a program: python lammps_runs.py SCENE FILE [OPTION=VALUE]...

mpiexec starts them on one process or several; the first one writes what came of it to FILE (npz).
"""

import sys

import numpy as np
from mpi4py import MPI

import abut
import abut.lammps
from abut.lammps import lammps

GRAIN = abut.Material(density=2500, young=5e5, poisson=0.2)
STEEL = abut.Material(young=2e8, poisson=0.3)
FRICTION = abut.Hertz(friction=0.5, restitution=0.3)

# ---- LAMMPS --------------------------------------------------------------------------------------


def engine(
    box, boundary="f f f", step=2e-5, units="si", pair="zero 0.02", coefficients=("* *",),
    gravity=9.81, more="",
):  # fmt: skip
    """LAMMPS with a box, and nothing in it; the last of `coefficients` names the last type."""
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    low, high = np.array(box, float).tolist()
    sides = " ".join(f"{a!r} {b!r}" for a, b in zip(low, high, strict=True))
    types = coefficients[-1].split()[1].replace("*", "1")
    pairs = "\n".join(f"pair_coeff {one}" for one in coefficients)
    lmp.commands_string(f"""
        units {units}
        atom_style sphere
        atom_modify map array
        boundary {boundary}
        newton off
        processors * 1 1
        region box block {sides}
        create_box {types} box
        pair_style {pair}
        {pairs}
        timestep {step!r}
        neigh_modify every 1 delay 0 check yes
        {more}
        fix move all nve/sphere""")
    if gravity:
        lmp.command(f"fix gravity all gravity {gravity!r} vector 0 0 -1")
    return lmp


def granular_engine(box, coefficients, more="", **options):
    """LAMMPS with a box and its own granular contacts."""
    more = f"comm_modify vel yes\n{more}"
    return engine(box, pair="granular", coefficients=coefficients, more=more, **options)


def add_spheres(lmp, centers, radii, velocities, spins=(0.0, 0.0, 0.0), density=2500.0, first=1):
    """Add spheres with ids from `first` on."""
    count = len(centers)
    ids = list(range(first, first + count))
    lmp.create_atoms(count, ids, [1] * count, np.ravel(centers).tolist())
    own = lmp.numpy.extract_atom("id")[: lmp.extract_setting("nlocal")] - first
    rows = np.flatnonzero((own >= 0) & (own < count))
    radii = np.broadcast_to(radii, count)
    for name, values in {
        "radius": radii,
        "rmass": density * (4 / 3 * np.pi) * radii**3,
        "v": np.broadcast_to(velocities, (count, 3)),
        "omega": np.broadcast_to(spins, (count, 3)),
    }.items():
        lmp.numpy.extract_atom(name)[rows] = values[own[rows]]


def own_atoms(lmp, names=("id", "x", "v", "omega", "f", "torque", "radius", "rmass")):
    count = lmp.extract_setting("nlocal")
    return {name: np.array(lmp.numpy.extract_atom(name)[:count]) for name in names}


def all_atoms(lmp):
    """Values of the atoms of all processes, in the order of ids."""
    own = own_atoms(lmp)
    own["rank"] = np.full(len(own["id"]), MPI.COMM_WORLD.rank)
    parts = MPI.COMM_WORLD.allgather(own)
    columns = {name: np.concatenate([part[name] for part in parts]) for name in own}
    order = np.argsort(columns["id"])
    return {name: column[order] for name, column in columns.items()}


class Travelers:
    """Counts how often a sphere is found on another process, and how often while it touches."""

    def __init__(self, lmp, walls):
        self.lmp, self.walls, self.ranks = lmp, walls, {}
        self.changes = self.touching = 0

    def look(self, step):
        atoms = all_atoms(self.lmp)
        counts = self.lmp.numpy.extract_atom(f"i_{self.walls.name}_count")
        own = own_atoms(self.lmp, ("id",))["id"]
        found = MPI.COMM_WORLD.allgather(own[counts[: len(own)] != 0])
        touches = set(np.concatenate(found).tolist())
        ranks = dict(zip(atoms["id"].tolist(), atoms["rank"].tolist(), strict=True))
        gone = [i for i, rank in ranks.items() if self.ranks.get(i, rank) != rank]
        self.changes += len(gone)
        self.touching += len(touches.intersection(gone))
        self.ranks = ranks


# ---- scenes --------------------------------------------------------------------------------------


def drum_meshes(radius=0.1, length=0.1, sides=24, lifters=4):
    """A closed drum along y about the origin, and what lifts the grains in it."""
    angles = np.arange(sides) * (2 * np.pi / sides)
    ring = radius * np.column_stack([np.cos(angles), 0 * angles, np.sin(angles)])
    ends = [ring + [0, y, 0] for y in (-length / 2, length / 2)]
    k, after = np.arange(sides), (np.arange(sides) + 1) % sides
    shell = np.column_stack([k, after, sides + after, sides + k]).tolist()
    caps = [[*range(sides)], [*range(sides, 2 * sides)]]
    drum = abut.Mesh(np.concatenate(ends), [*shell, *caps])
    plates = [ends[e][n] * [s, 1, s] for n in range(0, sides, sides // lifters)
              for e, s in ((0, 1.0), (1, 1.0), (1, 0.7), (0, 0.7))]  # fmt: skip
    return [drum, abut.Mesh(plates, np.arange(4 * lifters).reshape(-1, 4))]


def drum_spheres(count, seed=0):
    """Places near the lower half of the shell, where spheres roll from side to side, and touch
    nothing yet; radii and velocities."""
    rng, many = np.random.default_rng(seed), 2 * count
    radii = rng.uniform(0.003, 0.006, many)
    angle, along = rng.uniform(-1.5, 1.5, many), rng.uniform(-0.04, 0.04, many)
    out = 0.0988 - radii - rng.uniform(0, 0.004, many)
    centers = np.column_stack([out * np.sin(angle), along, -out * np.cos(angle)])
    touching = abut.find_contacts(centers, radii, drum_meshes(), gap=1e-4).counts > 0
    free = np.flatnonzero(~touching)[:count]
    return centers[free], radii[free], rng.uniform(-0.5, 0.5, (count, 3))


ROLLING = {
    "none": FRICTION,
    "A": abut.Hertz(friction=0.5, restitution=0.3, rolling=abut.laws.RollingA(0.2)),
    "C": abut.Hertz(friction=0.5, restitution=0.3, rolling=0.2),
    "linear": abut.Linear(50.0, friction=0.5, restitution=0.3, rolling=0.1),
    "JKR": abut.Hertz(friction=0.5, restitution=0.3, rolling=0.1, cohesion=abut.laws.JKR(0.5)),
    "Luding": abut.laws.Luding(50.0, 150.0, 40.0, 0.02, friction=0.5, restitution=0.3, rolling=0.1),
    "bridge": abut.Linear(
        50.0, friction=0.5, restitution=0.3, cohesion=abut.laws.LiquidBridge(2e-9, 0.2, 0.3)
    ),
}
TURNING = abut.Rotating((0, 1, 0), rate=20.0)
BOX = [[-0.11] * 3, [0.11] * 3]
# of spheres with each other, as LAMMPS has it
GRANULAR = "hertz/material 5e5 0.5 0.2 tangential mindlin NULL 1.0 0.5 damping viscoelastic"


def drum_engine(count=500, granular=0, balance=0, sort=1000, boundary="f f f"):
    if granular:
        lmp = granular_engine(BOX, [f"* * {GRANULAR}"], boundary=boundary, step=1e-4)
    else:
        lmp = engine(BOX, boundary, step=1e-4, pair="zero 0.014")
    lmp.command(f"atom_modify sort {sort} 0.0")
    if balance:
        lmp.command(f"fix balance all balance {balance} 1.0 shift x 10 1.0")
    if count:
        add_spheres(lmp, *drum_spheres(count))
    return lmp


def drum_walls(lmp, law="none", moves="motion", ends=1, **options):
    """The drum with its lifters, of two materials; `moves`: which of `MOTIONS`."""
    motion = MOTIONS[moves]
    meshes = drum_meshes() if ends else endless_meshes()
    materials = [None, STEEL]
    return abut.lammps.Walls(
        lmp, meshes, ROLLING[law], GRAIN, materials, motion=[motion, motion], **options
    )  # fmt: skip


def endless_meshes():
    """The drum without its ends, as long as the box."""
    drum, lifters = drum_meshes(length=0.22)
    return [abut.Mesh(drum.vertices, drum.indices[: 4 * 24].reshape(-1, 4)), lifters]


def drum(steps=2000, every=20, **options):
    """Frictional spheres in a rotating drum; options let them touch each other."""
    named = {"law", "moves", "ends", "slots", "resolution"}
    lmp = drum_engine(**{name: x for name, x in options.items() if name not in named})
    ready = drum_walls(lmp, **{name: x for name, x in options.items() if name in named})
    seen = Travelers(lmp, ready)
    ready.run(steps, every=every, call=seen.look)
    return all_atoms(lmp) | {"changes": seen.changes, "touching": seen.touching} | loads(ready)


def turned(moves="assigned", steps=100):
    """A drum that stands still, then turns, then stands still: by motions that are assigned
    meanwhile, or by a callable."""
    lmp = drum_engine(200)
    ready = drum_walls(lmp, moves=moves)
    motions = {steps: [TURNING] * 2, 2 * steps: [None] * 2}

    def change(step):
        if moves == "assigned" and step in motions:
            ready.motion = motions[step]

    ready.run(3 * steps, every=steps // 2, call=change)
    return all_atoms(lmp) | loads(ready)


def for_a_while(time, begin=0.01):
    """What `turned` does with 100 steps of 1e-4. A step's forces are those of the motion before."""
    since = min(max(time - begin, 0.0), begin)
    turns = begin + 5e-5 < time < 2 * begin + 5e-5
    return TURNING.pose(since), TURNING.twist(since) * turns


MOTIONS = {
    "motion": TURNING,
    "callable": lambda time: (TURNING.pose(time), TURNING.twist(time)),
    "while": for_a_while,
    "assigned": None,
}


def told(path, steps=60):
    """The values of walls by LAMMPS' thermo and fix ave/time, and by the walls themselves."""
    lmp = drum_engine(300)
    ready = drum_walls(lmp)
    numbers = " ".join(f"f_abut[{k}]" for k in range(1, 15))
    lmp.commands_list(
        [f"thermo_style custom step {numbers}", "thermo 10",
         f"fix mean all ave/time 1 {steps} {steps} {numbers} file {path}"]
    )  # fmt: skip
    sums = []
    ready.run(7 * steps)
    ready.run(steps, 1, lambda step: sums.append(seven(ready)))
    thermo = lmp.last_thermo()
    return {
        "thermo": [thermo[f"f_abut[{k}]"] for k in range(1, 15)],
        "walls": seven(ready),
        "mean": np.mean(sums, axis=0),
    }


def seven(walls):
    """Force, torque and power of each wall, as the vector of the fix has them."""
    return np.column_stack([walls.force, walls.torque, walls.power]).ravel()


def loads(walls):
    """The forces on walls."""
    return {
        "wall_force": walls.force,
        "wall_torque": walls.torque,
        "wall_power": walls.power,
        "nodal_force": np.concatenate(walls.nodal_forces),
        "poses": walls.poses,
    }


def restart(path, steps=500):
    """The first half of a run, which ends with a restart file."""
    lmp = drum_engine()
    ready = drum_walls(lmp, "C")
    ready.run(steps)
    lmp.command(f"write_restart {path}")
    held = MPI.COMM_WORLD.allreduce(int((lmp.numpy.extract_atom("i_abut_count") != 0).sum()))
    ready.run(steps)
    return all_atoms(lmp) | {"held": held} | loads(ready)


def restarted(path, steps=500):
    """The second half of the run, from the restart file."""
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_list(
        [f"read_restart {path}", "neigh_modify every 1 delay 0 check yes",
         "fix move all nve/sphere", "fix gravity all gravity 9.81 vector 0 0 -1"]
    )  # fmt: skip
    ready = drum_walls(lmp, "C")
    ready.run(steps)
    return all_atoms(lmp) | loads(ready)


def coming_and_going(steps=200):
    """Spheres are removed and added between runs and during a run."""
    lmp = drum_engine(300)
    ready = drum_walls(lmp)
    ready.run(steps)
    lmp.command("group gone id 1:300:3")
    lmp.command("delete_atoms group gone compress no")
    centers, radii, velocities = drum_spheres(100, seed=1)
    add_spheres(lmp, centers, radii, velocities, first=1001)
    ready.run(steps)
    lmp.commands_list(
        ["region source block -0.05 0.05 -0.03 0.03 -0.02 0.02",
         "fix come all pour 40 1 12345 region source diam one 0.008 dens 2500 2500"
         " vol 0.1 100 vel -0.5 0.5 -0.5 0.5 -0.5"]
    )  # fmt: skip
    ready.run(2 * steps)
    return all_atoms(lmp) | loads(ready)


def units(steps=1000, system="si"):
    """Spheres that fall on a floor, in other units; results are converted to si."""
    length, mass = (100.0, 1000.0) if system == "cgs" else (1.0, 1.0)
    density, pressure = mass / length**3, mass / length
    low, high = np.array(BOX) * length
    lmp = engine([low, high], step=1e-4, units=system, pair=f"zero {0.014 * length}",
                 gravity=9.81 * length)  # fmt: skip
    centers, radii, velocities = drum_spheres(100)
    centers[:, :2] *= 0.5
    add_spheres(lmp, centers * length, radii * length, velocities * length, density=2500 * density)
    ground = [[-0.3, -0.3, -0.1], [0.3, -0.3, -0.1], [0.3, 0.3, -0.1], [-0.3, 0.3, -0.1]]
    floor = abut.Mesh(ground, [[0, 1, 2], [0, 2, 3]])
    grain = abut.Material(young=GRAIN.young * pressure, poisson=GRAIN.poisson)
    ready = abut.lammps.Walls(lmp, floor.scaled(length), ROLLING["C"], grain)
    ready.run(steps)
    found = all_atoms(lmp)
    scales = {
        "x": length,
        "v": length,
        "omega": 1.0,
        "f": mass * length,
        "torque": mass * length**2,
    }
    return {name: found[name] / scale for name, scale in scales.items()}


def fails(how="slots", steps=400):
    """Errors in a step that only one process detects."""
    lmp = drum_engine(50)
    given = {"slots": 1} if how == "slots" else {}
    ready = drum_walls(lmp, **given)
    ready.run(steps, every=100, call=lambda _: spoil(lmp, how), setup=how == "lammps")
    return {}


def spoil(lmp, how):
    row = np.flatnonzero(own_atoms(lmp, ("id",))["id"] == 7)
    if how in ("radius", "lammps"):
        # in the setup of a run LAMMPS itself complains of it
        lmp.numpy.extract_atom("radius")[row] = 0.0
    if how == "nan":
        lmp.numpy.extract_atom("v")[row] = np.nan


SCENES = {
    one.__name__: one
    for one in [drum, turned, told, restart, restarted, coming_and_going, units, fails]
}


def read_option(text):
    name, value = text.split("=", 1)
    return name, int(value) if value.lstrip("-").isdigit() else value


def main(scene, path, *options):
    found = SCENES[scene](**dict(map(read_option, options)))
    if MPI.COMM_WORLD.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
