"""Simulations in a tilted cell move as in another basis of the same lattice, with any grains."""

import itertools

import numpy as np
import pytest

import abut
import scenes_cells as cells
from scenes_bodies import CUBE, TETRA

pytestmark = [
    pytest.mark.native,
    pytest.mark.filterwarnings("ignore::abut.SimulationWarning"),
]

GRAIN = abut.Material(density=2500, young=1e6, poisson=0.25)
HERTZ = abut.Hertz(friction=0.5, restitution=0.6, rolling=0.02)
CELL = np.array([[1.0, 0.1, -0.05], [0.3, 0.9, 0.1], [-0.2, 0.25, 1.1]])
RADIUS = 0.1
STEPS = 60


def places_of(count, cell, rng, jitter=0.02):
    """Places in rows, columns and layers, a little off them; the first ones are at borders."""
    places = np.array(list(itertools.product(range(count), repeat=3))) / count
    return (places + rng.uniform(-jitter, jitter, places.shape)) @ cell


def world(period, law=HERTZ, gravity=(1.0, -2.0, 0.5)):
    sim = abut.Simulation(step=2e-4, gravity=gravity, period=period)
    sim.set_law(GRAIN, GRAIN, law)
    return sim


def add_spheres(sim, rng, count=5, radius=RADIUS):
    centers = places_of(count, CELL, rng)
    radii = radius * rng.uniform(0.9, 1.1, len(centers))
    return sim.add_spheres(centers, radii, GRAIN, velocities=rng.normal(0, 0.5, centers.shape))


def friction(period):
    sim = world(period)
    add_spheres(sim, np.random.default_rng(1))
    return sim


def cohesion(period):
    sim = world(period, abut.Hertz(friction=0.5, restitution=0.6, cohesion=abut.laws.JKR(0.5)))
    add_spheres(sim, np.random.default_rng(2))
    return sim


def bonds(period):
    """Bonds that break, also of spheres that are not near by rounding."""
    rng = np.random.default_rng(3)
    sim = world(period)
    add_spheres(sim, rng)
    near = abut.find_pairs(sim.centers, sim.radii, gap=0.03, period=period)
    ends = np.unique(np.column_stack([near.i, near.j]), axis=0)[::3]
    strengths = rng.uniform(1.0, 30.0, len(ends))
    sim.bond(ends, abut.Bond(young=1e5, damping=0.05), strengths, strengths)
    return sim


def clusters(period):
    rng = np.random.default_rng(4)
    sim = world(period)
    add_spheres(sim, rng, 4)
    dumbbell = abut.Cluster([[0, 0, 0], [0.12, 0.05, 0]], 0.08)
    places, turns = places_of(3, CELL, rng), rng.normal(size=(27, 4))
    sim.add_clusters(
        dumbbell, places, GRAIN, orientations=turns, velocities=rng.normal(0, 0.5, (27, 3))
    )
    return sim


def bodies(period):
    rng = np.random.default_rng(5)
    sim = world(period, abut.Linear(1e3, friction=0.4, restitution=0.5))
    places, shapes = places_of(3, CELL, rng), (abut.ConvexShape(CUBE), abut.ConvexShape(TETRA))
    for shape, part in zip(shapes, (slice(0, 14), slice(14, 27)), strict=True):
        some = places[part]
        sim.add_bodies(
            shape, some, GRAIN, orientations=rng.normal(size=(len(some), 4)), scales=0.1,
            velocities=rng.normal(0, 0.5, some.shape),
        )  # fmt: skip
    add_spheres(sim, rng, 3, 0.08)
    return sim


def several_images(period):
    """Spheres that touch each other at several images, and images of themselves."""
    rng = np.random.default_rng(6)
    sim = world(period)
    centers = rng.random((4, 3)) @ CELL
    sim.add_spheres(centers, [0.52, 0.3, 0.2, 0.4], GRAIN, velocities=rng.normal(0, 1, (4, 3)))
    return sim


def users_law(period):
    pytest.importorskip("numba")
    from laws_again import hertz_as

    sim = world(period, hertz_as(abut.Hertz(friction=0.5, restitution=0.6), GRAIN, GRAIN))
    add_spheres(sim, np.random.default_rng(7))
    return sim


def state_of(sim):
    """Places without periods, motion and forces."""
    unwrapped = sim.centers + sim.images @ sim.period
    bodies = sim.bodies
    return {
        "centers": unwrapped,
        "velocities": sim.velocities,
        "spins": sim.angular_velocities,
        "forces": sim.forces,
        "torques": sim.torques,
        "velocities of clusters": sim.clusters.velocities,
        "orientations of clusters": sim.clusters.orientations,
        "velocities of bodies": bodies.velocities,
        "spins of bodies": bodies.angular_velocities,
        "orientations of bodies": bodies.orientations,
        "energy": np.array(list(sim.energy)),
        "stress": sim.stress(kinetic=True),
    }


def assert_near(found, wanted, tolerance):
    for name, column in wanted.items():
        size = np.abs(column).max(initial=0.0)
        np.testing.assert_allclose(found[name], column, 0, tolerance * size, err_msg=name)


def rows_of(table):
    """The rows as (i, j, overlap), in an order that images do not change."""
    rows = np.column_stack([table.i, table.j, table.overlap])
    return rows[np.lexsort(rows.T[::-1])]


KINDS = [friction, cohesion, bonds, clusters, bodies, several_images, users_law]


@pytest.mark.parametrize(
    "seed", [1, 2, *(pytest.param(k, marks=pytest.mark.long) for k in range(3, 20))]
)
@pytest.mark.parametrize("make", KINDS)
def test_another_basis_has_the_same_trajectories(make, seed):
    vectors, _ = cells.other_basis(np.random.default_rng(seed), CELL, most=2)
    one, other = make(CELL), make(vectors)
    assert_near(state_of(other), state_of(one), 1e-12)
    began = one.images
    for sim in (one, other):
        sim.run(steps=STEPS)
    assert (one.images != began).any() or not began.any()
    assert len(one.pairs) + len(one.body_pairs) > 0
    assert_near(state_of(other), state_of(one), 1e-12)
    for name in ("pairs", "body_pairs", "body_sphere_pairs"):
        rows = rows_of(getattr(other, name)), rows_of(getattr(one, name))
        np.testing.assert_allclose(*rows, 0, 1e-12)
    assert len(one.bonds) == len(other.bonds) and len(one.breakages) == len(other.breakages)


def wild_cell(rng, radius, images):
    """A random cell in two bases; None if spheres of this radius have more images than these."""
    vectors = cells.KINDS[rng.integers(len(cells.KINDS))](rng, 3)
    rank, spacing = cells.density(vectors)
    vectors = vectors * rng.choice([0.5, 1, 2, 4]) * spacing ** (1 / rank)
    if cells.image_count(vectors, 2 * radius) > images:
        return None
    return vectors, cells.other_basis(rng, vectors, most=2)[0]


def wild_spheres(seed):
    """Spheres in a random cell, which may be narrower than they are, in two bases."""
    rng = np.random.default_rng([77, seed])
    count = int(rng.integers(2, 60))
    radii = 0.3 * 10 ** rng.uniform(-rng.uniform(0, 1.5), 0, count)
    bases = wild_cell(rng, radii.max(), 500) or []
    speed = rng.choice([0.1, 3.0, 30.0])
    sims = [world(period, abut.Linear(1e2, friction=0.4, restitution=0.5)) for period in bases]
    if sims:
        centers = cells.places_in(rng, bases[0], count, rng.choice([1.0, 3.0]))
        velocities = rng.normal(0, speed, centers.shape)
    for sim in sims:
        sim.add_spheres(centers, radii, GRAIN, velocities=velocities)
    return sims


def wild_bodies(seed):
    """Bodies that may touch each other at several images, and overlap deeply, in two bases."""
    rng = np.random.default_rng([78, seed])
    count = int(rng.integers(2, 12))
    bases = wild_cell(rng, 0.5, 300) or []
    shape = abut.ConvexShape(CUBE if seed % 2 else TETRA)
    sims = [world(period, abut.Linear(1e2, friction=0.4, restitution=0.5)) for period in bases]
    if sims:
        centers = cells.places_in(rng, bases[0], count, 1.0)
        velocities = rng.normal(0, rng.choice([0.1, 3.0, 10.0]), centers.shape)
        turns, scale = rng.normal(size=(count, 4)), rng.choice([0.05, 0.2])
    for sim in sims:
        sim.add_bodies(
            shape, centers, GRAIN, orientations=turns, scales=scale, velocities=velocities
        )
    return sims


def motion_of(sim):
    """Unwrapped places and velocities of spheres and bodies."""
    return {
        f"{column} of {name}": values
        for name, grains in (("spheres", sim), ("bodies", sim.bodies))
        for column, values in (
            ("centers", grains.centers + grains.images @ sim.period),
            ("velocities", grains.velocities),
            ("spins", grains.angular_velocities),
        )
    }


@pytest.mark.parametrize(
    ("make", "seed"),
    [
        # with these seeds springs or normals once went to another image
        *((wild_spheres, seed) for seed in (26, 62, 80, 83)),
        *((wild_bodies, seed) for seed in (157, 165, 169, 175)),
        *itertools.product([wild_spheres, wild_bodies], range(10)),
        *(
            pytest.param(make, seed, marks=pytest.mark.long)
            for make in (wild_spheres, wild_bodies)
            for seed in range(10, 1000)
        ),
    ],
)
def test_histories_stay_with_their_images(make, seed):
    """When grains cross a border, springs and normals go on at the image that they belong to."""
    sims = make(seed)
    for sim in sims:
        sim.run(steps=30)
    if sims:
        assert_near(motion_of(sims[1]), motion_of(sims[0]), 1e-9)
