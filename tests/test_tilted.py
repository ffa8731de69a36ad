"""Tilted cells from Python: another basis of a lattice gives the same contacts and forces."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import abut

GRAIN = abut.Material(density=2500, young=1e8)

# whole numbers that lead from one basis of a lattice to another; the last one is left-handed
BASES = [
    np.array([[1, 0, 0], [2, 1, 0], [-1, 3, 1]]),
    np.array([[1, -1, 0], [0, 1, 4], [1, 0, 5]]),
    np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]]),
]


def basis_in_the_plane(basis):
    return basis[:2, :2] if round(np.linalg.det(basis[:2, :2])) in (1, -1) else np.eye(2, dtype=int)


def named(table, basis):
    """The pairs and overlaps of a table, sorted, with the images as the first basis counts them."""
    images = table.image @ basis
    order = np.lexsort((*images.T[::-1], table.j, table.i))
    rows = np.column_stack([table.i, table.j, images])[order]
    return rows, table.overlap[order], table.point[order]


def one_sign(table, basis):
    """As `named`, but of a sphere and its own image with the sign that the first basis gives it."""
    images = table.image @ basis
    own = table.i == table.j
    first = images[np.arange(len(images)), (images != 0).argmax(axis=1)]
    images[own & (first < 0)] *= -1
    order = np.lexsort((*images.T[::-1], table.j, table.i))
    return np.column_stack([table.i, table.j, images])[order], table.overlap[order]


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("dimension", [2, 3])
def test_pairs_of_another_basis(basis, dimension):
    basis = basis if dimension == 3 else basis_in_the_plane(basis)
    rng = np.random.default_rng(1)
    cell = np.diag([1.0, 1.2, 0.9][:dimension])
    centers = rng.random((200, dimension)) * 2 - 0.5
    radii = 10 ** rng.uniform(-1.7, -0.25, 200)
    along, tilted = (abut.find_pairs(centers, radii, period=p) for p in (cell, basis @ cell))
    assert (along.i == along.j).any()
    rows, overlaps = one_sign(tilted, basis)
    expected = one_sign(along, np.eye(dimension, dtype=int))
    assert_array_equal(rows, expected[0])
    assert_allclose(overlaps, expected[1], atol=1e-12)
    # arms lead from the centers to one point, and are along the normal
    arm_i, arm_j = tilted.arms(centers)
    shifts = tilted.image @ (basis @ cell)
    apart = centers[tilted.i] - centers[tilted.j] - shifts
    assert_allclose(arm_j - arm_i, apart, atol=1e-12)
    assert_allclose(
        np.linalg.norm(apart, axis=1), radii[tilted.i] + radii[tilted.j] - tilted.overlap
    )


def test_pairs_with_others_in_a_tilted_cell():
    rng = np.random.default_rng(2)
    cell = np.array([[1.0, 0.1, 0.2], [0.3, 1.1, 0.0], [-0.4, 0.5, 0.9]])
    centers, others = rng.random((2, 30, 3)) @ cell
    pairs = abut.find_pairs(centers, 0.15, others=(others, 0.1), period=cell)
    expected = {
        (i, j, *image)
        for image in itertools.product((-1, 0, 1), repeat=3)
        for i, j in np.argwhere(
            np.linalg.norm(centers[:, None] - others - image @ cell, axis=2) <= 0.25
        ).tolist()
    }
    assert {*map(tuple, np.column_stack([pairs.i, pairs.j, pairs.image]).tolist())} == expected
    assert pairs.image.any()


def test_pairs_where_two_vectors_repeat():
    """A sheet that repeats along two slanted vectors, and has no end along its normal."""
    rng = np.random.default_rng(3)
    cell = np.array([[1.0, 0.2, 0.5], [0.0, 0.0, 0.0], [-0.3, 1.0, 0.4]])
    centers = rng.normal(size=(60, 3))
    pairs = abut.find_pairs(centers, 0.2, period=cell)
    numbers = range(-8, 9)
    expected = {
        (i, j, a, 0, b)
        for a, b in itertools.product(numbers, repeat=2)
        for i, j in np.argwhere(
            np.linalg.norm(centers[:, None] - centers - (a, 0, b) @ cell, axis=2) <= 0.4
        ).tolist()
        if i < j
    }
    assert {*map(tuple, np.column_stack([pairs.i, pairs.j, pairs.image]).tolist())} == expected


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("dimension", [2, 3])
def test_bodies_of_another_basis(basis, dimension):
    basis = basis if dimension == 3 else basis_in_the_plane(basis)
    rng = np.random.default_rng(4)
    finder = abut.ConvexFinder(abut.ConvexShape(rng.normal(size=(9, dimension)) * 0.06))
    cell = np.diag([1.0, 1.2, 0.9][:dimension])
    positions = rng.random((60, dimension)) * 2
    turns = rng.random(60) * 6 if dimension == 2 else rng.normal(size=(60, 4))
    along, tilted = (finder.find(positions, turns, period=p) for p in (cell, basis @ cell))
    assert along.image.any()
    rows, overlaps, points = named(tilted, basis)
    expected = named(along, np.eye(dimension, dtype=int))
    assert_array_equal(rows, expected[0])
    assert_allclose(overlaps, expected[1], atol=1e-9)
    forces = np.ones((len(tilted.spot), dimension))
    loads = tilted.loads(forces, positions)
    assert_allclose(loads[0].sum(axis=0), 0, atol=1e-9)
    assert len(points) == len(tilted)


@pytest.mark.parametrize("axis", [0, 1])
def test_polygons_repeat_along_each_axis(axis):
    square = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
    far = np.zeros((2, 2))
    far[1, axis] = 2.5
    period = [None, None]
    period[axis] = 3
    contacts = square.find(far, period=period)
    assert contacts.image.tolist() == [[-(axis == 0), -(axis == 1)]]
    assert contacts.overlap.tolist() == [0.5]


@pytest.mark.parametrize("basis", [np.array([[1, 0, 0], [3, 1, 0], [0, 0, 1]]), BASES[2]])
def test_half_spaces_of_another_basis(basis):
    cell = np.diag([1.0, 1.2, 0.0])
    centers = np.random.default_rng(5).normal(size=(40, 3)) * 3
    floor = abut.HalfSpace((0, 0, -1), (0, 0, 1))
    along, tilted = (
        abut.find_contacts(centers, 0.5, floor, period=p) for p in (cell, basis @ cell)
    )
    assert_array_equal(tilted.sphere, along.sphere)
    assert_array_equal(tilted.overlap, along.overlap)
    assert not tilted.image.any()


# ---- simulations ---------------------------------------------------------------------------------


def gas(period, material=GRAIN):
    """Grains that collide, some of them bonded, in a cell of 1 x 1.2 x 0.9."""
    sim = abut.Simulation(1e-4, gravity=(0, 0, 0), period=period)
    sim.set_law(material, material, abut.Hertz(restitution=0.7, friction=0.4))
    rng = np.random.default_rng(6)
    grid = np.stack(np.meshgrid(*[(np.arange(5) + 0.5) / 5] * 3), axis=-1).reshape(-1, 3)
    places = (grid + rng.uniform(-0.02, 0.02, grid.shape)) * (1.0, 1.2, 0.9)
    sim.add_spheres(places, 0.07, material, velocities=3 * rng.normal(size=places.shape))
    close = abut.find_pairs(places, 0.07, gap=0.04, period=period)
    sim.bond(np.column_stack([close.i, close.j])[::9], abut.Bond(young=1e6))
    return sim


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
@pytest.mark.parametrize("basis", BASES)
def test_trajectories_of_another_basis(basis):
    cell = np.diag([1.0, 1.2, 0.9])
    along, tilted = gas(cell), gas(basis @ cell)
    starts = [sim.centers + sim.images @ sim.period for sim in (along, tilted)]
    assert_allclose(starts[0], starts[1], atol=1e-14)
    for sim in along, tilted:
        sim.run(0.04)
    assert along.images.any() and tilted.images.any()
    assert len(along.pairs) == len(tilted.pairs) > 0
    ends = [sim.centers + sim.images @ sim.period for sim in (along, tilted)]
    assert_allclose(ends[0], ends[1], atol=1e-11)
    assert_allclose(along.velocities, tilted.velocities, atol=1e-9)
    assert_allclose(along.stress(kinetic=True), tilted.stress(kinetic=True), rtol=1e-8, atol=1e-6)
    assert along.coordination() == tilted.coordination()
    lengths = [np.diff(sim.bonds.lines(sim.centers), axis=1) for sim in (along, tilted)]
    assert_allclose(lengths[0], lengths[1], atol=1e-11)
    fractions = tilted.centers @ np.linalg.inv(basis @ cell)
    assert fractions.min() > -1e-12
    assert fractions.max() < 1 + 1e-12


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_a_box_that_holds_each_point_once_has_the_stress_of_the_cell():
    cell = np.array([[1.0, 0.0, 0.0], [0.3, 1.2, 0.0], [-0.2, 0.4, 0.9]])
    sim = gas(cell)
    sim.run(0.02)
    box = [[0.1, -0.3, 0.2], [1.1, 0.9, 1.1]]
    for kinetic in False, True:
        assert_allclose(
            sim.stress(box, kinetic=kinetic), sim.stress(kinetic=kinetic), rtol=1e-9, atol=1e-9
        )
    assert sim.coordination(box) == sim.coordination()
    # two halves of the box have the mean of the whole
    middle = [[0.1, -0.3, 0.2], [0.4, 0.9, 1.1]], [[0.4, -0.3, 0.2], [1.1, 0.9, 1.1]]
    parts = [sim.stress(half) for half in middle]
    assert_allclose(0.3 * parts[0] + 0.7 * parts[1], sim.stress(), rtol=1e-9, atol=1e-9)


def test_insertion_into_a_tilted_cell():
    cell = [[1.0, 0.0, 0.0], [0.4, 1.0, 0.0], [0.2, -0.3, 1.0]]
    sim = abut.Simulation(2e-5, gravity=(0, 0, 0), period=cell)
    sim.set_law(GRAIN, GRAIN, abut.Hertz(restitution=0.5))
    sim.add_insertion(abut.Insertion([[-0.2, 0.3, 0.5], [1, 1.2, 1.4]], 0.08, 1e6, GRAIN))
    sim.run(1e-4)
    assert len(sim.ids) > 50
    assert len(abut.find_pairs(sim.centers, sim.radii, period=cell)) == 0
    assert (sim.centers @ np.linalg.inv(cell) >= -1e-12).all()
    assert (sim.centers @ np.linalg.inv(cell) < 1 + 1e-12).all()


def test_clusters_and_bodies_in_a_tilted_cell():
    """Dumbbells and bodies collide across the border as in the middle of the cell."""
    cell = np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.3, 1.0]])
    found = []
    for start in (0.5, 0.5, 0.5), (0.0, 0.0, 0.0):
        sim = abut.Simulation(2e-4, gravity=(0, 0, 0), period=cell)
        sim.set_law(GRAIN, GRAIN, abut.Hertz(restitution=0.7, friction=0.4))
        origin = start @ cell
        dumbbell = abut.Cluster([[-0.05, 0, 0], [0.05, 0, 0]], 0.06)
        places, speeds = origin + [[-0.12, 0, 0], [0.12, 0.03, 0]], [[1, 0, 0], [-1, 0, 0]]
        sim.add_clusters(dumbbell, places, GRAIN, velocities=speeds)
        box = abut.ConvexShape([*itertools.product((-0.05, 0.05), repeat=3)], radius=0.01)
        places, speeds = origin + [[0, 0.3, -0.08], [0.02, 0.3, 0.08]], [[0, 0, 1], [0, 0, -1]]
        sim.add_bodies(box, places, GRAIN, velocities=speeds)
        sim.run(0.06)
        motion = sim.clusters.velocities, sim.bodies.velocities, sim.bodies.angular_velocities
        found.append(np.concatenate(motion))
    assert np.abs(found[0][:2, 0]).max() < 0.99
    assert np.abs(found[0][2:4, 2]).max() < 0.99
    assert_allclose(found[0], found[1], atol=1e-9)


def test_walls_and_bounds_fit_the_cell_of_now():
    sim = abut.Simulation(1e-3, gravity=(0, 0, 0), period=(1, 1, 1))
    sim.add_spheres([[0.5, 0.5, 0.5]], 0.1, GRAIN)
    sim.set_bounds([[0, 0, 0], [1, 1, 1]])
    sim.set_bounds(None)
    sim.deform_cell([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    sim.run(0.3)
    sim.deform_cell(np.zeros((3, 3)))
    assert_allclose(sim.period, [[1, 0, 0], [0.3, 1, 0], [0, 0, 1]], atol=1e-12)
    with pytest.raises(ValueError, match="along x, but the world is periodic there, from 0 to 1"):
        sim.set_bounds([[0, 0, 0], [1, 1, 1]])
    plate = abut.Mesh([[0, 0, 0.1], [1, 0, 0.1], [0, 1, 0.1]], [[0, 1, 2]])
    with pytest.raises(
        ValueError, match=r"the mesh of wall 0 can repeat along the axes alone, but"
    ):
        sim.add_wall(plate)
    with pytest.raises(ValueError, match=r"must be perpendicular to period\[1\]"):
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 1, 0)))
