"""Collisions of two, by abut, LAMMPS, LIGGGHTS and YADE, and a reference with the rule of each.

Everything is far from everything else, so that one simulation has them all.
`benchmarks/two_bodies.py` prints what comes of it, `test_two_bodies.py` checks it.
"""

import os
import subprocess
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

import abut
from reference_dem import column, cut, dot, length, ratio, spun

STEP, STEPS = 2e-6, 4000
APART = 0.1  # of collisions, along x and y
HEIGHT = 0.5  # of pairs above the plane that the others meet

# Young's modulus, Poisson's ratio, density
STUFFS = [(1e7, 0.2, 2500.0), (3e7, 0.3, 2500.0), (8e6, 0.4, 1200.0), (5e7, 0.25, 7800.0)]
FRICTIONS = np.array(
    [[0.5, 0.3, 0.2, 0.4], [0.3, 0.1, 0.6, 0.3], [0.2, 0.6, 0.8, 0.5], [0.4, 0.3, 0.5, 0.05]]
)
RESTITUTIONS = np.array(
    [[0.9, 0.5, 0.7, 0.6], [0.5, 0.3, 0.8, 0.4], [0.7, 0.8, 0.6, 0.95], [0.6, 0.4, 0.95, 0.8]]
)
LINEAR, TANGENTIAL = 2e4, 2 / 7


class Collisions(NamedTuple):
    """Collisions of i with j; if j is a plane, its rows are those of a body at rest below."""

    is_wall: np.ndarray
    stuff: np.ndarray  # (n, 2)
    radii: np.ndarray  # (n, 2)
    centers: np.ndarray  # (n, 2, 3)
    velocities: np.ndarray
    spins: np.ndarray

    @property
    def masses(self):
        density = np.array(STUFFS)[self.stuff, 2]
        masses = density * (4 / 3 * np.pi) * self.radii**3
        masses[self.is_wall, 1] = np.inf
        return masses

    @property
    def speeds(self):
        """The speed of approach."""
        return length(self.velocities[:, 0] - self.velocities[:, 1])


class After(NamedTuple):
    centers: np.ndarray  # (n, 2, 3), and so on
    velocities: np.ndarray
    spins: np.ndarray


def collisions(count=1000, seed=0, walls=0.4):
    """Sizes 3:1, speeds 10:1, from straight on to 80 degrees off, spins in all directions."""
    rng = np.random.default_rng(seed)
    is_wall = np.arange(count) < walls * count
    stuff = rng.integers(0, len(STUFFS), (count, 2))
    stuff[is_wall, 1] = stuff[is_wall, 0]
    radii = rng.uniform(0.003, 0.009, (count, 2))
    normal = rng.normal(size=(count, 3))
    normal /= column(length(normal))
    normal[is_wall] = [0, 0, 1]
    side = int(np.ceil(np.sqrt(count)))
    centers = np.zeros((count, 2, 3))
    centers[:, 1, 0] = APART * (np.arange(count) % side + 0.5)
    centers[:, 1, 1] = APART * (np.arange(count) // side + 0.5)
    centers[:, 1, 2] = np.where(is_wall, -radii[:, 1], HEIGHT)
    gap = rng.uniform(0, 2e-6, count)
    centers[:, 0] = centers[:, 1] + column(radii.sum(axis=1) + gap) * normal
    # with a component across the normal
    across = np.cross(normal, rng.normal(size=(count, 3)))
    across /= column(length(across))
    angle, speed = np.radians(rng.uniform(0, 80, count)), rng.uniform(0.2, 2, count)
    together = column(speed * np.sin(angle)) * across - column(speed * np.cos(angle)) * normal
    common = rng.normal(size=(count, 3)) * 0.3
    velocities = np.stack([together + common, common], axis=1)
    velocities[is_wall] = np.stack([together, 0 * together], axis=1)[is_wall]
    spins = rng.normal(size=(count, 2, 3)) * 30
    spins[is_wall, 1] = 0
    return Collisions(is_wall, stuff, radii, centers, velocities, spins)


def materials():
    return [abut.Material(density=rho, young=young, poisson=nu) for young, nu, rho in STUFFS]


# ---- laws ----------------------------------------------------------------------------------------


class Law(NamedTuple):
    """What the tests call a law: of Hertz or linear, with restitution and friction or without."""

    is_hertz: bool
    restitution: bool
    friction: bool


LAWS = {
    "Hertz, elastic": Law(True, False, False),
    "Hertz, restitution": Law(True, True, False),
    "Hertz, friction, elastic": Law(True, False, True),
    "Hertz, friction, restitution": Law(True, True, True),
    "linear, elastic": Law(False, False, False),
    "linear, friction, elastic": Law(False, False, True),
    "linear, friction, restitution": Law(False, True, True),
}


def is_in_all(law):
    """Whether all codes have a law; LIGGGHTS and YADE have no linear law with a damping ratio."""
    return law.is_hertz or not law.restitution


class Numbers(NamedTuple):
    """The constants of each collision. Hertz' law has F = normal a overlap and k_t = tangential a,
    with a = sqrt(R* overlap); a linear law has F = normal overlap and k_t = tangential."""

    normal: np.ndarray
    tangential: np.ndarray
    damping: np.ndarray  # ratio
    friction: np.ndarray


def moduli(first, second):
    """E* and G* of materials by number."""
    young, poisson, _ = np.array(STUFFS).T
    flat, shear = (1 - poisson**2) / young, 2 * (2 - poisson) * (1 + poisson) / young
    return 1 / (flat[first] + flat[second]), 1 / (shear[first] + shear[second])


def numbers(law, first, second):
    flat, shear = moduli(first, second)
    ratios = np.array([[abut.laws.damping_ratio(e) for e in row] for row in RESTITUTIONS])
    return Numbers(
        4 / 3 * flat if law.is_hertz else LINEAR + 0 * flat,
        8 * shear if law.is_hertz else TANGENTIAL * LINEAR + 0 * flat,
        ratios[first, second] if law.restitution else 0 * flat,
        FRICTIONS[first, second] if law.friction else 0 * flat,
    )


# ---- reference -----------------------------------------------------------------------------------


class Rule(NamedTuple):
    """Choices in which codes differ with the same stiffness, damping ratio and friction."""

    # whether velocities are split by the normal between the last step's and this one's
    halfway: bool = True
    # how the spring turns with the normal: by the smallest rotation; into the plane by projection,
    # stretched to its length or not; by the cross product of the normals, which is of first order
    turning: str = "smallest"
    # whether it turns about the normal by the mean spin
    twisting: bool = True
    # whether it shrinks with the radius of contact: while it is unloaded, never, or whenever that
    # changes, as where all of the way is kept and not the force
    shrinking: str = "unloaded"
    # the friction limit applies to the spring first and then to spring and damper; or to both at
    # once, and the spring keeps the limit less the damper; or to the spring alone, and the damper
    # does not act while it slides
    left: str = "of both"
    # arms of velocities: those of torques; radii; radii, with velocities stretched so that a pair
    # that turns as one does not shear
    arms: str = "torque"
    # by how much of the overlap the arm at a plane is shorter than the radius
    shorter: float = 1.0
    # damping across the normal: of its own stiffness, or as along it
    own_damper: bool = True
    # R* at a plane, by the radius
    plane: float = 1.0


ABUT = Rule()
LAMMPS = Rule(
    halfway=False, turning="projected", twisting=False, left="less the damper", arms="radii",
    shorter=0.0,
)  # fmt: skip
YADE = Rule(
    halfway=False, turning="first order", shrinking="never", left="of the spring", arms="stretched",
    plane=0.5,
)  # fmt: skip
LIGGGHTS = Rule(
    halfway=False, turning="shortened", twisting=False, shrinking="always", left="of the spring",
    shorter=0.5,
)  # fmt: skip


def reference(scene, law, rule=ABUT, steps=STEPS):
    """Step by step in NumPy, one row a collision."""
    given = numbers(law, *scene.stuff.T)
    places, speeds, spins = (np.array(x) for x in scene[3:])
    held = Held.none(len(places))
    inverse = column(1 / scene.masses)
    inertias = column(0.4 * scene.masses * scene.radii**2)
    for step in range(steps):
        if step % 100 == 0 and all_part(places, speeds, held):
            places += (steps - step) * STEP * speeds
            break
        places += STEP * speeds
        found = meet(scene, places, rule)
        force, drag, held = push(scene, law, rule, given, held, found, speeds, spins)
        total = np.stack([force + drag, -force - drag], axis=1)
        arms = torque_arms(scene, rule, found)
        torques = np.stack(
            [-column(arms[k]) * np.cross(found.normal, drag) for k in (0, 1)], axis=1
        )
        speeds += STEP * inverse * total
        spins += STEP * torques / inertias
    assert not held.touched.any()
    return After(places, speeds, spins)


def all_part(places, speeds, held):
    """Whether nothing will touch any more."""
    apart, together = places[:, 0] - places[:, 1], speeds[:, 0] - speeds[:, 1]
    return not held.touched.any() and bool((dot(apart, together) > 0).all())


class Found(NamedTuple):
    touches: np.ndarray
    overlap: np.ndarray
    normal: np.ndarray
    radius: np.ndarray


class Held(NamedTuple):
    """The contact history."""

    touched: np.ndarray
    overlap: np.ndarray
    normal: np.ndarray
    spring: np.ndarray

    @classmethod
    def none(cls, count):
        flat = np.zeros((count, 3))
        return cls(np.zeros(count, bool), np.zeros(count), flat, flat)


def meet(scene, places, rule):
    apart = places[:, 0] - places[:, 1]
    apart[scene.is_wall, :2] = 0
    distance = length(apart)
    overlap = scene.radii.sum(axis=1) - distance
    # of a plane: its height is 0
    overlap = np.where(scene.is_wall, scene.radii[:, 0] - places[:, 0, 2], overlap)
    normal = np.where(column(scene.is_wall), [0.0, 0, 1], apart / column(distance))
    radius = scene.radii.prod(axis=1) / scene.radii.sum(axis=1)
    radius = np.where(scene.is_wall, rule.plane * scene.radii[:, 0], radius)
    return Found(overlap > 0, np.maximum(overlap, 0), normal, radius)


def torque_arms(scene, rule, found):
    less = np.where(scene.is_wall, rule.shorter, 0.5) * found.overlap
    return scene.radii[:, 0] - less, np.where(scene.is_wall, 0, scene.radii[:, 1] - less)


def slip_of(scene, rule, found, held, speeds, spins):
    """Parting and sliding, the second one in the plane of the normal."""
    arms = torque_arms(scene, rule, found)
    radii = scene.radii[:, 0], np.where(scene.is_wall, 0, scene.radii[:, 1])
    if rule.arms != "torque":
        arms = radii
    between, rubs = speeds[:, 0] - speeds[:, 1], 1.0
    if rule.arms == "stretched":
        both = np.where(scene.is_wall, 2 * scene.radii[:, 0], scene.radii.sum(axis=1))
        rubs = column(both / (both - found.overlap))
    turning = np.cross(column(arms[0]) * spins[:, 0] + column(arms[1]) * spins[:, 1], found.normal)
    along = found.normal
    if rule.halfway:
        total = found.normal + held.normal
        along = np.where(column(held.touched), total / column(length(total)), found.normal)
    parting = dot(between - turning, along)
    sliding = rubs * between - turning
    sliding = sliding - column(dot(sliding, along)) * along
    return parting, smallest(sliding, along, found.normal)


def smallest(vectors, before, now):
    """Turned by the smallest rotation between two normals."""
    axis = np.cross(before, now)
    cosine = column(dot(before, now))
    return (
        cosine * vectors
        + np.cross(axis, vectors)
        + axis * column(dot(axis, vectors)) / np.maximum(1 + cosine, 1e-3)
    )


def turned(rule, found, held, spins, scene):
    spring, before, now = held.spring, held.normal, found.normal
    about = before if rule.turning == "first order" else now
    mean = 0.5 * dot(spins[:, 0] + spins[:, 1], about) * STEP
    # a plane does not spin, so springs on it do not turn about the normal
    mean = np.where(scene.is_wall & (rule.turning == "smallest"), 0, mean)
    if rule.turning == "first order":
        spring = spring - np.cross(spring, np.cross(before, now))
        return spring - np.cross(spring, column(mean) * about)
    if rule.turning == "projected":
        flat = spring - column(dot(spring, now)) * now
        return flat * column(ratio(length(spring), length(flat)))
    if rule.turning == "shortened":
        return spring - column(dot(spring, now)) * now
    if rule.twisting:
        spring = spun(spring, before, mean)
    return smallest(spring, before, now)


def push(scene, law, rule, given, held, found, speeds, spins):
    """Force along the normal, across it, and what is held."""
    mass = 1 / (1 / scene.masses).sum(axis=1)
    size = np.sqrt(found.radius * found.overlap) if law.is_hertz else 1.0
    stiffness = (1.5 if law.is_hertz else 1.0) * given.normal * size
    tangential = given.tangential * size
    factor = np.sqrt(5 / 6) if law.is_hertz else 1.0
    parting, sliding = slip_of(scene, rule, found, held, speeds, spins)
    damper = 2 * factor * given.damping * np.sqrt(stiffness * mass)
    force = np.maximum(given.normal * size * found.overlap - damper * parting, 0)
    force = np.where(found.touches, force, 0)
    if rule.own_damper:
        damper = 2 * factor * given.damping * np.sqrt(tangential * mass)
    spring = turned(rule, found, held, spins, scene)
    if law.is_hertz and rule.shrinking != "never":
        shrink = np.sqrt(ratio(found.overlap, held.overlap))
        most = 1 if rule.shrinking == "unloaded" else np.inf
        spring = spring * column(np.minimum(most, shrink))
    spring = np.where(column(held.touched), spring, 0) - column(tangential * STEP) * sliding
    drag, spring = limited(rule, spring, column(damper) * sliding, given.friction * force)
    touches = column(found.touches)
    spring, drag = np.where(touches, spring, 0), np.where(touches, drag, 0)
    normal = np.where(touches, found.normal, 0)
    return (
        column(force) * found.normal,
        drag,
        Held(found.touches, found.overlap, normal, spring),
    )


def limited(rule, spring, damped, limit):
    """The force across the normal, and the spring that is kept."""
    held, slides = cut(spring, limit)
    if rule.left == "of the spring":
        return np.where(slides, held, held - damped), held
    if rule.left == "of both":
        return cut(held - damped, limit)[0], held
    drag, slides = cut(spring - damped, limit)
    return drag, np.where(slides, drag + damped, spring)


# ---- abut ----------------------------------------------------------------------------------------


def by_abut(scene, law, steps=STEPS):
    sim = abut.Simulation(STEP, gravity=(0, 0, 0))
    stuffs = materials()
    for a, one in enumerate(stuffs):
        for b, other in enumerate(stuffs):
            sim.set_law(one, other, built_in(law, a, b))
    for k, stuff in enumerate(stuffs):
        sites = scene.centers[scene.is_wall & (scene.stuff[:, 0] == k), 1]
        if len(sites):
            square = 0.5 * APART * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            corners = np.zeros((len(sites), 4, 3))
            corners[:, :, :2] = sites[:, None, :2] + square
            facets = np.arange(4 * len(sites)).reshape(-1, 4)
            sim.add_wall(abut.Mesh(corners.reshape(-1, 3), facets), stuff)
    rows = []
    for k, stuff in enumerate(stuffs):
        for side in (0, 1):
            chosen = scene.stuff[:, side] == k
            if side == 1:
                chosen &= ~scene.is_wall
            row = np.flatnonzero(chosen)
            state = [x[row, side] for x in (scene.centers, scene.velocities, scene.spins)]
            sim.add_spheres(state[0], scene.radii[row, side], stuff, *state[1:])
            rows += [(r, side) for r in row]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.SimulationWarning)
        sim.run(steps=steps)
    assert len(sim.pairs) == len(sim.contacts) == 0
    found = sim.centers, sim.velocities, sim.angular_velocities
    return after(scene, np.array(rows), found)


def built_in(law, a, b):
    rest = {
        "friction": FRICTIONS[a, b] if law.friction else 0.0,
        "restitution": RESTITUTIONS[a, b] if law.restitution else 1.0,
    }
    return abut.Hertz(**rest) if law.is_hertz else abut.Linear(LINEAR, TANGENTIAL, **rest)


def after(scene, rows, columns):
    """The scene with new columns of spheres; `rows` has collision and side; planes do not move."""
    made = [np.array(x) for x in scene[3:]]
    for whole, part in zip(made, columns, strict=True):
        whole[rows[:, 0], rows[:, 1]] = part
    return After(*made)


def box_around(scene):
    side = APART * int(np.ceil(np.sqrt(len(scene.radii))))
    return [[0, 0, -0.1], [side, side, 2 * HEIGHT]]


# ---- LAMMPS --------------------------------------------------------------------------------------


def usual_restitution(damping):
    """The e of a damping ratio -ln e / sqrt(pi^2 + ln^2 e)."""
    return np.exp(-np.pi * damping / np.sqrt(1 - damping**2))


def granular(law, a, b):
    """The arguments of `pair granular`; k and e give the stiffness and damping ratio of abut."""
    given = Numbers(*(float(x) for x in numbers(law, a, b)))
    # of dampers: abut's across the normal is that of its own stiffness
    slope = (1.5 if law.is_hertz else 1.0) * given.normal
    across = float(np.sqrt(given.tangential / slope))
    restitution = float(usual_restitution(given.damping))
    normal = f"{'hertz' if law.is_hertz else 'hooke'} {given.normal!r} {restitution!r}"
    style = "mindlin_rescale/force" if law.is_hertz else "linear_history"
    tangential = f"tangential {style} {given.tangential!r} {across!r} {given.friction!r}"
    return f"{normal} {tangential} damping coeff_restitution limit_damping"


def by_lammps(scene, law, steps=STEPS):
    from lammps_runs import add_spheres, all_atoms, granular_engine

    stuffs = range(len(STUFFS))
    laws = [f"{a + 1} {b + 1} {granular(law, a, b)}" for a in stuffs for b in stuffs[a:]]
    lmp = granular_engine(box_around(scene), laws, "neighbor 2e-3 bin", step=STEP, gravity=0)
    rows = np.argwhere(np.stack([scene.radii[:, 0] > 0, ~scene.is_wall], axis=1))
    pick = rows[:, 0], rows[:, 1]
    state = [x[pick] for x in (scene.centers, scene.radii, scene.velocities, scene.spins)]
    add_spheres(lmp, *state)
    atoms = lmp.numpy.extract_atom("id")[: lmp.extract_setting("nlocal")] - 1
    lmp.numpy.extract_atom("type")[: len(atoms)] = scene.stuff[pick][atoms] + 1
    lmp.numpy.extract_atom("rmass")[: len(atoms)] = scene.masses[pick][atoms]
    for a in stuffs:
        lmp.command(f"group stuff{a} type {a + 1}")
        lmp.command(f"fix wall{a} stuff{a} wall/gran granular {granular(law, a, a)} zplane 0 NULL")
    lmp.command(f"run {steps}")
    found = all_atoms(lmp)
    return after(scene, rows, (found["x"], found["v"], found["omega"]))


# ---- YADE ----------------------------------------------------------------------------------------

SCRIPT = Path(__file__).parent / "yade_collisions.py"


def by_yade(scene, law, folder, steps=STEPS):
    start, end = Path(folder) / "start.npz", Path(folder) / "end.npz"
    stuffs = np.arange(len(STUFFS))
    first, second = (x.ravel() for x in np.meshgrid(stuffs, stuffs, indexing="ij"))
    given = numbers(law, first, second)
    np.savez(
        start, **scene._asdict(), stuffs=STUFFS, step=STEP, steps=steps,
        matches=np.column_stack([first, second, *given]), is_hertz=law.is_hertz,
    )  # fmt: skip
    names = {"ABUT_YADE_START": str(start), "ABUT_YADE_END": str(end)}
    subprocess.run(
        ["yade", "-n", "-x", str(SCRIPT)], check=True, env=os.environ | names, capture_output=True
    )
    with np.load(end) as found:
        return After(found["centers"], found["velocities"], found["spins"])


# ---- LIGGGHTS ------------------------------------------------------------------------------------

INPUT = """atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
units si
read_data {folder}/in.data
neighbor 2e-3 bin
neigh_modify every 1 delay 0 check yes
fix m1 all property/global youngsModulus peratomtype {young}
fix m2 all property/global poissonsRatio peratomtype {poisson}
fix m3 all property/global coefficientRestitution peratomtypepair {count} {restitution}
fix m4 all property/global coefficientFriction peratomtypepair {count} {friction}
fix m5 all property/global kn peratomtypepair {count} {normal}
fix m6 all property/global kt peratomtypepair {count} {tangential}
fix m7 all property/global gamman peratomtypepair {count} {damping}
fix m8 all property/global gammat peratomtypepair {count} {damping}
pair_style gran model {model} tangential history limitForce on
pair_coeff * *
timestep {step!r}
fix move all nve/sphere
{walls}
run {steps}
dump end all custom 1 {folder}/out.dump id x y z vx vy vz omegax omegay omegaz
dump_modify end format "%d %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g"
run 0
"""


def by_liggghts(scene, law, folder, steps=STEPS):
    """A damping ratio of 0 is a restitution of 1; linear laws have no damper."""
    stuffs = np.arange(len(STUFFS))
    first, second = (x.ravel() for x in np.meshgrid(stuffs, stuffs, indexing="ij"))
    given = numbers(law, first, second)
    rows = np.argwhere(np.stack([scene.radii[:, 0] > 0, ~scene.is_wall], axis=1))
    write_data(scene, rows, Path(folder) / "in.data")
    model = "hertz" if law.is_hertz else "hooke/stiffness"
    walls = [
        f"group stuff{k} type {k + 1}\nfix wall{k} stuff{k} wall/gran model {model} tangential "
        f"history primitive type {k + 1} zplane 0.0 limitForce on"
        for k in stuffs
    ]
    young, poisson, _ = np.array(STUFFS).T
    listed = given._asdict() | {
        "young": young, "poisson": poisson, "restitution": usual_restitution(given.damping),
    }  # fmt: skip
    texts = {name: " ".join(map(repr, x.tolist())) for name, x in listed.items()}
    text = INPUT.format(
        folder=folder, count=len(STUFFS), step=STEP, steps=steps, model=model,
        walls="\n".join(walls), **texts,
    )  # fmt: skip
    (Path(folder) / "in.two").write_text(text)
    command = ["liggghts", "-in", "in.two", "-screen", "none"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    table = np.loadtxt(Path(folder) / "out.dump", skiprows=9)
    table = table[np.argsort(table[:, 0]), 1:]
    return after(scene, rows, (table[:, :3], table[:, 3:6], table[:, 6:]))


def write_data(scene, rows, path):
    """Places, sizes, velocities of spheres, as a file of LAMMPS' and LIGGGHTS' `read_data`."""
    pick = rows[:, 0], rows[:, 1]
    stuff = scene.stuff[pick]
    columns = [stuff + 1, 2 * scene.radii[pick], np.array(STUFFS)[stuff, 2], *scene.centers[pick].T]
    speeds = [*scene.velocities[pick].T, *scene.spins[pick].T]
    lines = ["two", "", f"{len(rows)} atoms", f"{len(STUFFS)} atom types", ""]
    ends = zip("xyz", *box_around(scene), strict=True)
    lines += [*(f"{low} {high} {x}lo {x}hi" for x, low, high in ends), ""]
    for head, some in (("Atoms", columns), ("Velocities", speeds)):
        lines += [head, ""]
        each = zip(*(x.tolist() for x in some), strict=True)
        lines += [f"{k + 1} " + " ".join(map(repr, row)) for k, row in enumerate(each)]
        lines += [""]
    path.write_text("\n".join(lines))


# ---- differences ---------------------------------------------------------------------------------


# rules by their names in docs/other_codes_measured.md, and their fields
REASONS = {
    "normal that splits the velocities": "halfway",
    "how springs rotate with the normal": "turning",
    "whether springs rotate about the normal": "twisting",
    "when springs shrink with the radius of contact": "shrinking",
    "what Coulomb's limit bounds; the spring that remains": "left",
    "arms of velocities": "arms",
    "arms at planes": "shorter",
    "R* at planes": "plane",
}


def reasons(theirs):
    """abut's rule with one thing of theirs at a time."""
    for name, field in REASONS.items():
        if getattr(theirs, field) != getattr(ABUT, field):
            yield name, ABUT._replace(**{field: getattr(theirs, field)})


def differences(scene, one, other):
    """Differences of each collision: of velocities, also by spins, relative to the approach speed,
    and of places relative to the radius."""
    spins = column(scene.radii) * (one.spins - other.spins)
    return {
        "velocity": length(one.velocities - other.velocities).max(axis=1) / scene.speeds,
        "spin": length(spins).max(axis=1) / scene.speeds,
        "place": length(one.centers - other.centers).max(axis=1) / scene.radii[:, 0],
    }
