"""The cases of Dosta and others, Computer Physics Communications 296 (2024) 109066.

Materials, friction, restitution and steps are those of YADE's decks (`examples/DEM2020Benchmark` of
Debian's package `yade`). The decks download particles and walls; here they are constructed, with
some dimensions marked as chosen. abut settles each bed once, with a seed; all codes begin with it.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

import abut
import dem_scenes

# density, Young's modulus and Poisson's ratio
MATERIALS = {
    "M1": (2500.0, 1.0e9, 0.2),
    "M2": (2000.0, 0.5e9, 0.2),
    "steel": (7200.0, 210e9, 0.2),
}
RESTITUTION = {"M1 M1": 0.5, "M1 M2": 0.45, "M2 M2": 0.4}
FRICTION = {"M1 M1": 0.3, "M1 M2": 0.2, "M2 M2": 0.4}
STEEL_RESTITUTION, STEEL_FRICTION = 0.4, 0.2  # for contacts of steel with any material
GRAVITY = 9.81
GRAIN, LARGE_GRAIN = 2e-3, 3e-3  # m, radii; from the decks for the silo and M2, else chosen
BALL, SPEED = 10e-3, 5.0  # m and m/s: the large sphere's radius (chosen) and its speed
TURNING = 2.0  # rad/s
SETTLING = 0.4  # s
SOLID = 0.6  # estimated volume fraction of a bed, to size its walls
SIDES = 128  # sides of the polygons that approximate circles
ROUND = 0.5 + 0.5 * np.cos(np.pi / SIDES)  # mean of such a polygon's inner and outer radius


class Case(NamedTuple):
    """Spheres between walls of steel; codes record their state after each sample."""

    name: str
    centers: np.ndarray  # (n, 3)
    velocities: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n,)
    kinds: np.ndarray  # (n,) numbers of the spheres' materials
    materials: tuple  # names of materials; the last one is steel, the material of the walls
    mesh: abut.Mesh
    size: dict  # lengths that determine the walls
    softness: float  # divisor of Young's moduli
    step: float
    steps: int  # steps from one sample to the next
    samples: int
    rate: float = 0.0  # rad/s of the walls about y, clockwise when seen along y

    @property
    def masses(self):
        densities = np.array([MATERIALS[name][0] for name in self.materials])
        return densities[self.kinds] * 4.0 / 3.0 * np.pi * self.radii**3


class Run(NamedTuple):
    """The results of a code at the start and after each sample."""

    centers: np.ndarray  # (s, n, 3)
    velocities: np.ndarray  # (s, n, 3)
    seconds: float  # processor time of all steps


def young(case):
    """Young's modulus of each material."""
    return [MATERIALS[name][1] / case.softness for name in case.materials]


def pair_numbers(case):
    """Friction and restitution of each pair of materials, two arrays (m, m)."""
    tables = (FRICTION, STEEL_FRICTION), (RESTITUTION, STEEL_RESTITUTION)
    names = case.materials
    return tuple(
        np.array([[known.get(" ".join(sorted((a, b))), steel) for b in names] for a in names])
        for known, steel in tables
    )


# ---- abut's simulation ---------------------------------------------------------------------------


def simulation(case, workers=1):
    materials = [
        abut.Material(MATERIALS[name][0], modulus, MATERIALS[name][2])
        for name, modulus in zip(case.materials, young(case), strict=True)
    ]
    friction, restitution = pair_numbers(case)
    sim = abut.Simulation(case.step, gravity=(0.0, 0.0, -GRAVITY), workers=workers)
    for i, one in enumerate(materials):
        for j, other in enumerate(materials[i:], i):
            law = abut.Hertz(float(friction[i, j]), float(restitution[i, j]))
            sim.set_law(one, other, law)
    turning = abut.Rotating((0, 1, 0), rate=case.rate) if case.rate else None
    sim.add_wall(case.mesh, materials[-1], motion=turning)
    with dem_scenes.quietly():
        for kind, material in enumerate(materials):
            own = case.kinds == kind
            sim.add_spheres(case.centers[own], case.radii[own], material, case.velocities[own])
    return sim


def settled(case):
    """The centers of the case's spheres at rest; hard spheres settle in stages of stiffness."""
    centers = case.centers
    hard = case.softness < 100.0
    stages = [(100.0, 2e-5, SETTLING), (10.0, 5e-6, 0.05), (1.0, 1e-6, 0.005)]
    for softness, step, duration in stages if hard else stages[:1]:
        soft = case._replace(centers=centers, rate=0.0, softness=softness, step=step)
        sim = simulation(soft)
        with dem_scenes.quietly():
            sim.run(duration)
        centers = in_order(case, sim.centers)
    return {"centers": centers}


def in_order(case, rows):
    """Rows of a simulation, which has spheres kind by kind, in the order of the case."""
    ordered = np.empty_like(rows)
    ordered[np.argsort(case.kinds, kind="stable")] = rows
    return ordered


def lattice(low, high, spacing, seed=7):
    """Places of a slightly disturbed lattice in a box, the lowest first."""
    axes = [np.arange(a, b, spacing) for a, b in zip(low, high, strict=True)]
    z, y, x = np.meshgrid(*axes[::-1], indexing="ij")
    places = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    return places + np.random.default_rng(seed).uniform(-0.02, 0.02, places.shape) * spacing


# ---- walls ---------------------------------------------------------------------------------------


def pit(side, height):
    """A box without a lid, with one corner at the origin."""
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * side
    vertices = [[*corner, z] for z in (0.0, height) for corner in corners]
    around = [[k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k] for k in range(4)]
    return triangles(vertices, [[0, 1, 2, 3], *around])


def rings(radii, heights, axis):
    """Vertices and quadrangles of a surface of revolution through circles."""
    angle = 2.0 * np.pi / SIDES * np.arange(SIDES)
    across = [k for k in range(3) if k != axis]
    vertices = np.zeros((len(radii), SIDES, 3))
    for ring, radius, height in zip(vertices, radii, heights, strict=True):
        ring[:, across[0]], ring[:, across[1]] = radius * np.cos(angle), radius * np.sin(angle)
        ring[:, axis] = height
    first = np.arange(SIDES)
    after = (first + 1) % SIDES
    bands = [
        np.column_stack([first, after, after + SIDES, first + SIDES]) + SIDES * k
        for k in range(len(radii) - 1)
    ]
    return vertices.reshape(-1, 3), np.concatenate(bands).tolist()


def triangles(vertices, quads):
    facets = [[q[0], q[k], q[k + 1]] for q in quads for k in (1, 2)]
    return abut.Mesh(vertices, facets)


def drum_mesh(radius, length):
    vertices, quads = rings([radius, radius], [-length / 2, length / 2], axis=1)
    center = len(vertices) + np.arange(2)
    fans = [
        [center[end], SIDES * end + k, SIDES * end + (k + 1) % SIDES]
        for end in range(2)
        for k in range(SIDES)
    ]
    sides = [[q[0], q[k], q[k + 1]] for q in quads for k in (1, 2)]
    ends = [[0.0, -length / 2, 0.0], [0.0, length / 2, 0.0]]
    return abut.Mesh(np.concatenate([vertices, ends]), sides + fans)


def silo_mesh(radius, orifice, height):
    """A tube above z = 0 and a cone below it at 45 degrees."""
    return triangles(*rings([radius, radius, orifice], [height, 0.0, orifice - radius], axis=2))


# ---- the cases -----------------------------------------------------------------------------------


def volume(radius):
    return 4.0 / 3.0 * np.pi * radius**3


def impact(grains, softness, folder):
    """A steel ball hits a bed of M1 at 5 m/s; the bed's depth is two thirds of its width."""
    grains = grains or 2_000
    side = float(np.cbrt(1.5 * grains * volume(GRAIN) / SOLID))
    if side <= 2.0 * BALL:
        raise ValueError(f"{grains} grains need a box narrower than the ball")
    low, high = 1.2 * GRAIN, side - GRAIN
    places = lattice([low] * 3, [high, high, 10 * side], 2.2 * GRAIN)[:grains]
    bed = Case(
        "impact", places, np.zeros_like(places), np.full(grains, GRAIN), np.zeros(grains, int),
        ("M1", "steel"), pit(side, 10 * side), {"side": side}, softness or 1.0,
        5e-7 * np.sqrt(softness or 1.0), 1_000, 20,
    )  # fmt: skip
    name = f"impact-{grains}-{bed.softness:g}"
    bed = bed._replace(**dem_scenes.kept(folder, name, partial(settled, bed)))
    # the height at which the ball first touches the middle of the bed
    away = np.sum((bed.centers[:, :2] - side / 2) ** 2, axis=1)
    reach = np.maximum((GRAIN + BALL) ** 2 - away, 0.0)
    height = np.max(np.where(reach > 0, bed.centers[:, 2] + np.sqrt(reach), 0.0))
    return bed._replace(
        centers=np.concatenate([bed.centers, [[side / 2, side / 2, height]]]),
        velocities=np.concatenate([bed.velocities, [[0.0, 0.0, -SPEED]]]),
        radii=np.append(bed.radii, BALL),
        kinds=np.append(bed.kinds, 1),
    )


def drum(grains, softness, folder):
    """Half of the grains are M1, in front at first, and half M2; they fill a third of the drum."""
    grains, softness = grains or 1_000, softness or 100.0
    solid = 0.5 * grains * (volume(LARGE_GRAIN) + volume(GRAIN)) / SOLID
    radius = float(np.cbrt(3.0 * solid / (0.6 * np.pi)))
    length = 0.6 * radius
    room = radius - 1.1 * LARGE_GRAIN
    ends = 0.5 * length - 1.1 * LARGE_GRAIN
    places = lattice([-room, -ends, -room], [room, ends, room], 2.04 * LARGE_GRAIN)
    places = places[np.hypot(places[:, 0], places[:, 2]) < room][:grains]
    if len(places) < grains:
        raise ValueError(f"{grains} grains do not fit into the drum before they settle")
    kinds = (places[:, 0] > np.median(places[:, 0])).astype(int)
    case = Case(
        "drum", places, np.zeros_like(places), np.where(kinds == 0, LARGE_GRAIN, GRAIN), kinds,
        ("M1", "M2", "steel"), drum_mesh(radius, length), {"radius": radius, "length": length},
        softness, 8e-7 * np.sqrt(softness), round(2.5e4 / np.sqrt(softness)), 16, TURNING,
    )  # fmt: skip
    name = f"drum-{grains}-{softness:g}"
    return case._replace(**dem_scenes.kept(folder, name, partial(settled, case)))


def silo(grains, softness, folder):
    """A tube of M1 above a cone; the orifice, closed while grains settle, opens at the start."""
    grains, softness = grains or 2_000, softness or 100.0
    radius = float(np.cbrt(grains * volume(GRAIN) / (SOLID * 2.5 * np.pi)))
    orifice = max(0.3 * radius, 6.0 * GRAIN)
    if radius <= orifice:
        raise ValueError(f"{grains} grains need a silo no wider than its orifice")
    height = 20.0 * radius
    places = lattice([-radius, -radius, 0.0], [radius, radius, height], 2.2 * GRAIN)
    places = places[np.hypot(places[:, 0], places[:, 1]) < radius - 1.1 * GRAIN][:grains]
    case = Case(
        "silo", places, np.zeros_like(places), np.full(grains, GRAIN), np.zeros(grains, int),
        ("M1", "steel"), silo_mesh(radius, orifice, height),
        {"radius": radius, "orifice": orifice, "height": height, "bottom": orifice - radius},
        softness, 1.5e-6 * np.sqrt(softness), round(2e4 / np.sqrt(softness)), 10,
    )  # fmt: skip
    shut = case._replace(mesh=shut_silo(case))
    name = f"silo-{grains}-{softness:g}"
    return case._replace(**dem_scenes.kept(folder, name, partial(settled, shut)))


def shut_silo(case):
    """The silo's mesh, and a plate that covers its orifice."""
    mesh, wide, z = case.mesh, case.size["radius"], case.size["bottom"]
    plate = [[x, y, z] for x, y in ((-wide, -wide), (wide, -wide), (wide, wide), (-wide, wide))]
    count = len(mesh.vertices)
    facets = [*mesh.indices.reshape(-1, 3).tolist(), [count, count + 1, count + 2]]
    facets.append([count, count + 2, count + 3])
    return abut.Mesh(np.concatenate([mesh.vertices, plate]), facets)


CASES = {"impact": impact, "drum": drum, "silo": silo}


def make(name, grains, softness, folder):
    """The case of that name; None means its default number of grains or softness."""
    return CASES[name](grains, softness, folder)


# ---- what is compared ----------------------------------------------------------------------------


def times(case):
    return case.step * case.steps * np.arange(case.samples + 1)


def impact_quantities(case, run):
    height = run.centers[:, -1, 2]
    return {
        "depth of the ball, mm": 1e3 * (height[0] - height),
        "its speed, m/s": -run.velocities[:, -1, 2],
    }


def drum_quantities(case, run):
    x, z = run.centers[..., 0], run.centers[..., 2]
    speeds = np.linalg.norm(run.velocities, axis=2)
    return {
        "slope of the surface, degrees": np.array([slope(case, one) for one in run.centers]),
        "mean speed, mm/s": 1e3 * speeds.mean(axis=1),
        "M2 below in front, % of it": 100.0 * share(case, (x > 0) & (z < 0)),
    }


def share(case, there):
    """The share of the second material's grains that are in a region."""
    own = case.kinds == 1
    return np.mean(there[:, own], axis=1)


def slope(case, centers):
    """The slope of a line through the highest grains of twelve strips in the drum's middle."""
    half = 0.6 * case.size["radius"]
    edges = np.linspace(-half, half, 13)
    strips = np.digitize(centers[:, 0], edges)
    tops = [centers[strips == k, 2].max(initial=-np.inf) for k in range(1, 13)]
    middles, tops = 0.5 * (edges[:-1] + edges[1:]), np.array(tops)
    seen = np.isfinite(tops)
    return float(np.degrees(np.arctan(np.polyfit(middles[seen], tops[seen], 1)[0])))


def silo_quantities(case, run):
    inside = run.centers[..., 2] > case.size["bottom"]
    return {"mass in the silo, g": 1e3 * inside @ case.masses}


QUANTITIES = {"impact": impact_quantities, "drum": drum_quantities, "silo": silo_quantities}


def quantities(case, run):
    """The compared quantities by name, each (s,): at the start and after each sample."""
    return QUANTITIES[case.name](case, run)
