"""Scenes of the discrete element method. `make` builds either a simulation of the library or one of
`reference_dem`.

Sections are those of the paper (docs/method.md names it). Its spheres are soft, so that overlaps
are large.
"""

from types import SimpleNamespace

import numpy as np
from scipy.spatial.transform import Rotation

import abut
from reference_dem import rotation

GRAVITY = 9.81
UP = np.array([0.0, 0, 1])


def rigid():
    """The material of rigid walls."""
    return abut.Material()


# ---- meshes --------------------------------------------------------------------------------------


def quad(half=1.0, middle=(0, 0, 0)):
    """A square floor of one facet."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
    return abut.Mesh(middle + half * corners, [[0, 1, 2, 3]])


def grid(across, along, x, y):
    """Triangles over a rectangle; x, y: from and to."""
    places = np.meshgrid(np.linspace(*x, across + 1), np.linspace(*y, along + 1), indexing="ij")
    vertices = np.stack([*places, np.zeros((across + 1, along + 1))], axis=-1).reshape(-1, 3)
    corner = np.arange(across)[:, None] * (along + 1) + np.arange(along)
    a, b = corner.ravel(), corner.ravel() + along + 1
    return vertices, np.concatenate([np.stack([a, b, b + 1], 1), np.stack([a, b + 1, a + 1], 1)])


def fan(heights, middle, top=0.0, size=1.0):
    """Triangles around a vertex, with the rim at these heights."""
    angles = 0.3 + 2 * np.pi * np.arange(len(heights)) / len(heights)
    rim = np.column_stack([size * np.cos(angles), size * np.sin(angles), heights])
    vertices = np.concatenate([[[0, 0, top]], rim]) + middle
    count = len(heights)
    return vertices, [[0, 1 + k, 1 + (k + 1) % count] for k in range(count)]


def roof(drop, middle):
    """Two quads that meet in a ridge along y at the height 0."""
    x, y, z = [-1, -1, 0, 0, 1, 1], [-1, 1, -1, 1, -1, 1], [-drop, -drop, 0, 0, -drop, -drop]
    return np.column_stack([x, y, z]) + middle, [[0, 2, 3, 1], [2, 4, 5, 3]]


def joined(parts):
    """One mesh of several lists of vertices and facets."""
    vertices, facets, first = [], [], 0
    for points, polygons in parts:
        facets += [[first + int(k) for k in polygon] for polygon in polygons]
        vertices.append(points)
        first += len(points)
    return abut.Mesh(np.concatenate(vertices), facets)


def plate_with_hole(sides, reach, middle, half=1.5):
    """A square plate with a regular hole of so many sides, `reach` from its middle to each."""
    angles = np.pi / 2 + 2 * np.pi * np.arange(sides) / sides
    # where rays through the hole's corners and the plate's leave the hole and the plate
    rays = np.sort(np.concatenate([angles % (2 * np.pi), np.pi / 4 + np.pi / 2 * np.arange(4)]))
    rays = rays[np.append(True, np.diff(rays) > 1e-9)]
    around = np.column_stack([np.cos(rays), np.sin(rays)])
    border = half * around / np.abs(around).max(axis=1, keepdims=True)
    across = np.cos(rays[:, None] - angles - np.pi / sides).max(axis=1, keepdims=True)
    inner = reach * around / across
    count, flat = len(rays), np.zeros((2 * len(rays), 1))
    vertices = np.hstack([np.concatenate([inner, border]), flat]) + middle
    facets = []
    for k in range(count):
        after = (k + 1) % count
        facets += [[k, count + k, count + after], [k, count + after, after]]
    return vertices, facets


def box(half):
    """A cube, its sides seen from either."""
    corners = half * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return abut.Mesh(corners, sides)


def turn_about(axis, angle):
    return rotation(np.asarray(axis) / np.linalg.norm(axis), angle)


def pose(turn=None, shift=(0, 0, 0)):
    made = np.eye(4)
    made[:3, :3] = np.eye(3) if turn is None else turn
    made[:3, 3] = shift
    return made


TILT = turn_about([1, 2, -0.5], 0.7)

# ---- section 6.1: one sphere of radius 0.3 -------------------------------------------------------

RADIUS = 0.3
PLACES = ("facet", "edge", "vertex", "ridge", "apex")


def soft():
    """Table 6."""
    return abut.Material(density=100, young=1e5, poisson=0.2)


def stiffer():
    """Table 7."""
    return abut.Material(density=100, young=1e6, poisson=0.2)


def falling(make, resolution="hierarchy", step=1e-5):
    """6.1.1: five spheres fall from 1 m, onto a facet, an edge, a vertex, a ridge and an apex."""
    parts = [
        fan([0.0] * 3, (0.13, 0.08, 0)),
        ([[3, -1, 0], [5, -1, 0], [5, 1, 0], [3, 1, 0]], [[0, 1, 2], [0, 2, 3]]),
        fan([0.0] * 7, (8, 0, 0)),
        roof(0.8, (12, 0, 0)),
        fan([-0.9] * 5, (16, 0, 0)),
    ]
    # the first stands over the inside of a facet
    inside = np.array(parts[0][0])[[0, 1, 2]].mean(axis=0)
    mesh = joined([(np.asarray(points, float), facets) for points, facets in parts])
    sim, ball = make(step=step, resolution=resolution), soft()
    sim.set_law(ball, rigid(), abut.Hertz(friction=0.3))
    sim.add_wall(mesh, rigid())
    sim.add_spheres([inside + UP, [4.2, 0.2, 1], [8, 0, 1], [12, 0.1, 1], [16, 0, 1]], RADIUS, ball)
    return sim


def around_a_corner(make, cells=1, turn=None, resolution="hierarchy"):
    """6.1.2: centers of a sphere that is led around a right angle at an overlap of 0.01 m."""
    turn = np.eye(3) if turn is None else turn
    top, sheet = grid(cells, cells, (-4, 0), (-2, 2))
    side = top @ turn_about([0, 1, 0], -np.pi / 2).T
    mesh = joined([(top @ turn.T, sheet), (side @ turn.T, sheet[:, ::-1])])
    sim, ball = make(step=1e-5, gravity=(0, 0, 0), resolution=resolution), soft()
    sim.set_law(ball, rigid(), abut.Hertz())
    sim.add_wall(mesh, rigid())
    angle = np.concatenate([np.zeros(60), np.linspace(0, np.pi / 2, 61), np.full(60, np.pi / 2)])
    way = np.concatenate([np.linspace(-1, 0, 60), np.zeros(61), np.linspace(0, -1, 60)])
    normals = np.column_stack([np.sin(angle), 0.1 * 0 * angle, np.cos(angle)])
    feet = np.column_stack(
        [np.where(angle < 1, way, 0), 0.3 + 0.2 * way, np.where(angle > 1, way, 0)]
    )
    centers = (feet + (RADIUS - 0.01) * normals) @ turn.T
    sim.add_spheres(centers[:1], RADIUS, ball)
    return SimpleNamespace(sim=sim, centers=centers, normals=normals @ turn.T)


def holes(make, resolution="hierarchy", step=1e-5):
    """6.1.3: three spheres fall into a square, a triangular and a round hole, not quite in the
    middle; the paper does not say how large the holes are."""
    shapes = ((4, 0.25), (3, 0.25), (24, 0.22))
    plates = [plate_with_hole(*shape, (4.0 * k, 0, 0)) for k, shape in enumerate(shapes)]
    sim, ball = make(step=step, resolution=resolution), stiffer()
    sim.set_law(ball, rigid(), abut.Hertz(friction=0.3, restitution=0.4))
    sim.add_wall(joined(plates), rigid())
    sim.add_spheres([[4.0 * k + 0.02, 0.01, 1] for k in range(3)], RADIUS, ball)
    return sim


def sliding(make, wall="rigid", cells=0, turn=None, velocity=(0, 0, 0), step=1e-5):
    """6.1.4: a sphere in equilibrium on a plane begins to slide at 5 m/s along x.

    The plane, gravity and what moves may be turned, and all of it may move at a velocity.
    """
    turn = np.eye(3) if turn is None else turn
    ball, friction = stiffer(), 0.3
    plate = ball if wall == "like the ball" else rigid()
    mesh = quad(6.0) if cells == 0 else joined([grid(cells, 4, (-6, 6), (-6, 6))])
    vertices = mesh.vertices @ turn.T
    mesh = abut.Mesh(vertices, (mesh.indices, mesh.offsets))
    sim = make(step=step, gravity=turn @ [0, 0, -GRAVITY])
    sim.set_law(ball, plate, abut.Hertz(friction=friction, restitution=0.4))
    velocity = np.array(velocity, float)
    motion = abut.Translating(velocity) if velocity.any() else None
    sim.add_wall(mesh, plate, motion=motion)
    sim.run(steps=1)  # a motion begins at rest: from now on the wall has come some way
    overlap = resting_overlap(ball, plate, RADIUS)
    start = turn @ [0.1, 0.05, RADIUS - overlap] + step * velocity
    sim.add_spheres([start], RADIUS, ball, velocities=[turn @ [5.0, 0, 0] + velocity])
    return SimpleNamespace(sim=sim, start=start, overlap=overlap, turn=turn, velocity=velocity)


def contact_modulus(*materials):
    """The effective Young's modulus E*."""
    soft_ones = [one for one in materials if one.young is not None]
    return 1 / sum((1 - one.poisson**2) / one.young for one in soft_ones)


def shear_modulus(*materials):
    """The effective shear modulus G*."""
    soft_ones = [one for one in materials if one.young is not None]
    return 1 / sum((2 - one.poisson) * 2 * (1 + one.poisson) / one.young for one in soft_ones)


def ball_mass(material, radius):
    return material.density * 4 / 3 * np.pi * radius**3


def resting_overlap(ball, plate, radius):
    """The overlap of a sphere under its own weight, by Hertz."""
    weight = ball_mass(ball, radius) * GRAVITY
    return (weight / (4 / 3 * contact_modulus(ball, plate) * np.sqrt(radius))) ** (2 / 3)


def lead(sim, centers, velocities=None, angular_velocities=None):
    """Where the spheres begin the next step, which is done."""
    sim.centers = np.array(centers, float)
    zeros = np.zeros((len(centers), 3))
    sim.velocities = zeros if velocities is None else zeros + velocities
    sim.angular_velocities = zeros if angular_velocities is None else zeros + angular_velocities
    sim.run(steps=1)


# ---- section 7 -----------------------------------------------------------------------------------


def concave(make, degrees, law, resolution="hierarchy"):
    """7.1: a floor that ends at x = 0 in a plane that rises by an angle."""
    rise = 4 * np.tan(np.deg2rad(degrees))
    x, y, z = [-4, 0, 4, -4, 0, 4], [-4, -4, -4, 4, 4, 4], [0, 0, rise, 0, 0, rise]
    mesh = abut.Mesh(np.column_stack([x, y, z]), [[0, 1, 4, 3], [1, 2, 5, 4]])
    sim = make(step=1e-6, gravity=(0, 0, 0), resolution=resolution)
    ball = abut.Material(density=1000, young=1e6, poisson=0.2)
    sim.set_law(ball, rigid(), law)
    sim.add_wall(mesh, rigid())
    sim.add_spheres([[-1.0, 0, 2]], 1.0, ball)
    return sim


def dragged(make, cells, friction=0.3, stiffness=1e4):
    """7.2: a sphere of radius 1 on a strip of quads of length 1, by a linear law."""
    x = np.arange(cells + 1.0)
    vertices = np.concatenate([np.column_stack([x, 0 * x + y, 0 * x]) for y in (-2, 2)])
    facets = [[k, k + 1, cells + k + 2, cells + k + 1] for k in range(cells)]
    sim = make(step=1e-4, gravity=(0, 0, 0))
    ball = abut.Material(density=1000, young=1e6, poisson=0.2)
    sim.set_law(ball, rigid(), abut.Linear(stiffness, friction=friction))
    sim.add_wall(abut.Mesh(vertices, facets), rigid())
    sim.add_spheres([[0.5, 0, 0.75]], 1.0, ball)
    return sim


# ---- two that meet -------------------------------------------------------------------------------


def grain(density=2500.0):
    return abut.Material(density=density, young=1e7, poisson=0.25)


LAWS = {
    "hertz": lambda **options: abut.Hertz(**options),
    "linear": lambda **options: abut.Linear(1e4, **options),
}


def onto_a_wall(make, law, step, speed=1.0, radius=0.01):
    """A sphere that flies straight onto a wall, without gravity."""
    sim = make(step=step, gravity=(0, 0, 0))
    sim.set_law(grain(), rigid(), law)
    sim.add_wall(quad(), rigid())
    sim.add_spheres([[0.1, 0.2, 1.001 * radius]], radius, grain(), velocities=[[0, 0, -speed]])
    return sim


def onto_each_other(make, law, step, speed=1.0, radii=(0.01, 0.03)):
    """Two spheres of different sizes that meet on the line of their centers."""
    line = np.array([0.6, 0.0, 0.8])
    sim = make(step=step, gravity=(0, 0, 0))
    sim.set_law(grain(), grain(), law)
    sim.add_spheres(
        [1.001 * sum(radii) * line, [0, 0, 0]], radii, grain(), [-speed * line, [0, 0, 0]]
    )
    return sim


# ---- on slopes -----------------------------------------------------------------------------------


def on_a_slope(make, law, tangent, velocity=0.0, step=1e-5, radius=0.01):
    """A sphere at rest on a plane, or one that rolls along x; gravity leans by tangent."""
    lean = np.array([tangent, 0, -1.0]) / np.hypot(tangent, 1)
    material = grain()
    overlap = resting_overlap(material, rigid(), radius) * (-lean[2]) ** (2 / 3)
    sim = make(step=step, gravity=GRAVITY * lean)
    sim.set_law(material, rigid(), law)
    sim.add_wall(quad(100.0), rigid())
    arm = radius - overlap
    spin = [[0, velocity / arm, 0]]
    sim.add_spheres([[0, 0, arm]], radius, material, [[velocity, 0, 0]], spin)
    return sim


# ---- many ----------------------------------------------------------------------------------------


def cloud(make, law, seed=0, count=60, step=2e-6, density=2500.0, clusters=0):
    """Spheres that fly at each other from all sides, without gravity and walls."""
    rng = np.random.default_rng(seed)
    material = grain(density)
    sim = make(step=step, gravity=(0, 0, 0))
    sim.set_law(material, material, law)
    radii = rng.uniform(0.004, 0.009, count)
    centers = spread(rng, radii, 0.03)
    velocities = -60 * (centers - centers.mean(axis=0)) + rng.normal(0, 0.3, (count, 3))
    sim.add_spheres(centers, radii, material, velocities, rng.normal(0, 50, (count, 3)))
    if clusters:
        add_dumbbells(sim, rng, clusters, material)
    return sim


def spread(rng, radii, half):
    """Centers in a box without overlaps."""
    centers = []
    for radius in radii:
        while True:
            center = rng.uniform(-half, half, 3)
            away = [
                np.linalg.norm(center - c) - radius - r
                for c, r in zip(centers, radii, strict=False)
            ]
            if min(away, default=1) > 0:
                centers.append(center)
                break
    return np.array(centers)


def dumbbell(density=2000.0, radius=0.01, apart=0.015):
    """Two spheres that overlap, with the mass and inertia of two whole ones."""
    mass = 2 * density * 4 / 3 * np.pi * radius**3
    along = 0.4 * mass * radius**2
    across = along + mass * (apart / 2) ** 2
    centers = [[-apart / 2, 0, 0], [apart / 2, 0, 0]]
    return abut.Cluster(centers, radius, mass=mass, inertia=(along, across, across))


def add_dumbbells(sim, rng, count, material):
    places = np.array([[0.06, 0.04 * (k - count / 2), 0.01] for k in range(count)])
    turns = random_turns(rng, count)
    velocities = np.array([-3.0, 0, 0]) + rng.normal(0, 0.1, (count, 3))
    spins = rng.normal(0, 20, (count, 3))
    sim.add_clusters(dumbbell(), places, material, turns, velocities, spins)


def random_turns(rng, count):
    return Rotation.from_quat(rng.normal(size=(count, 4)))
