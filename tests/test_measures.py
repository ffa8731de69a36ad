"""Stress, fabric and coordination: against the reference, closed forms and walls at rest."""

import itertools

import numpy as np
import pytest

import abut
import reference_measures
from scenes_bodies import CUBE
from scenes_dem import random_turns

pytestmark = pytest.mark.filterwarnings("ignore::abut.SimulationWarning")

GRAIN = abut.Material(density=2500, young=1e7, poisson=0.25)
STEEL = abut.Material()
BOX = np.array([0.5, 0.6, 0.4])


def mixed(period, seed=1, workers=1, order=None):
    """Spheres, dumbbells and rounded cubes that overlap a little, some spheres in bonds, above a
    floor where the world has no period along z; order: that in which spheres come."""
    rng = np.random.default_rng(seed)
    sim = abut.Simulation(step=1e-5, gravity=(0.5, 0, -9.81), period=period, workers=workers)
    law = abut.Hertz(friction=0.4, restitution=0.5)
    for other in (GRAIN, STEEL):
        sim.set_law(GRAIN, other, law)
    places = 0.1 * (np.mgrid[0:5, 0:6, 0:4].reshape(3, -1).T + [0, 0, 0.5])
    places += rng.uniform(-0.004, 0.004, places.shape)
    # cubes last, in a corner
    places = places[np.argsort((places[:, 1] < 0.2) & (places[:, 2] < 0.2), kind="stable")]
    rng.shuffle(places[:100])
    velocities = rng.normal(size=places.shape)
    spheres = np.arange(80) if order is None else order
    radii = rng.uniform(0.046, 0.053, 80)
    ids = sim.add_spheres(places[spheres], radii[spheres], GRAIN, velocities[spheres])
    ids = ids[np.argsort(spheres)]
    turns = random_turns(rng, 40)
    dumbbell = abut.Cluster([[0, 0, 0], [0.03, 0, 0]], [0.04, 0.03])
    sim.add_clusters(dumbbell, places[80:100], GRAIN, turns[:20], velocities[80:100], [3, 9, 1])
    cube = abut.ConvexShape(CUBE, radius=0.2)
    cubes = {"scales": 0.036, "velocities": velocities[100:]}
    sim.add_bodies(cube, places[100:], GRAIN, orientations=turns[20:], **cubes)
    chosen = abut.find_pairs(places[:80], 0.07, period=period)
    chosen = chosen[(chosen.i < 20) | (chosen.image != 0).any(1)]
    sim.bond(np.stack([ids[chosen.i], ids[chosen.j]], 1)[:25], abut.Bond(young=1e6))
    if period[2] is None:
        sim.add_wall(abut.HalfSpace((0, 0, 0.01), (0, 0, 1)), STEEL)
        corners = [[-1, -1, 0.39], [-1, 2, 0.39], [2, 2, 0.39], [2, -1, 0.39]]
        sim.add_wall(abut.Mesh(corners, [[0, 1, 2, 3]]), STEEL)
    return sim


PERIODS = {"periodic": tuple(BOX), "with walls": (0.5, 0.6, None)}
REGIONS = (
    [[0, 0, 0], [0.5, 0.6, 0.4]],
    [[0.1, 0.15, 0.1], [0.3, 0.45, 0.35]],
    [[0.4, -0.1, 0.05], [0.7, 0.2, 0.2]],
    [[-0.2, 0.55, 0.0], [0.3, 1.1, 0.39]],
)


@pytest.fixture(scope="module", params=PERIODS)
def scene(request):
    """A simulation, and its state before the last step, in which a sphere with a bond came in
    on the other side."""
    sim = mixed(PERIODS[request.param])
    sim.run(steps=25)
    has_come_in = False
    while not has_come_in:
        before = reference_measures.look(sim)
        sim.run(steps=1)
        has_come_in = (abs(sim.centers - before.centers) > 0.2)[sim.bonds.i].any()
    tables = sim.pairs, sim.bonds, sim.body_pairs, sim.body_sphere_pairs
    assert min(map(len, tables)) > 9
    assert (sim.period[2] is None) == (min(len(sim.contacts), len(sim.body_contacts)) > 3)
    return sim, before


# ---- against the reference -----------------------------------------------------------------------


@pytest.mark.parametrize("region", REGIONS)
def test_stress_is_that_of_the_reference(scene, region):
    sim, before = scene
    scale = abs(sim.stress(REGIONS[0])).max()
    for kinetic in (False, True):
        expected = reference_measures.stress(sim, before, region, kinetic)
        found = sim.stress(region, kinetic=kinetic)
        assert abs(found - expected).max() < 1e-12 * scale
        assert abs(expected).max() > 1e-3 * scale


@pytest.mark.parametrize("region", REGIONS)
def test_coordination_is_that_of_the_reference(scene, region):
    sim, before = scene
    found = set()
    for walls, rattlers in itertools.product((True, False), repeat=2):
        expected = reference_measures.coordination(sim, before, region, walls, rattlers)
        assert sim.coordination(region, walls=walls, rattlers=rattlers) == expected
        found.add(expected)
    assert len(found) > 1


# ---- walls that stand still around grains at rest ------------------------------------------------

SOLIDS = {
    "spheres": lambda sim, places, rng: sim.add_spheres(
        places + rng.uniform(-0.004, 0.004, places.shape),
        rng.uniform(0.042, 0.05, len(places)),
        GRAIN,
    ),
    "clusters": lambda sim, places, rng: sim.add_clusters(
        abut.Cluster([[0, 0, 0], [0.03, 0, 0]], [0.045, 0.035]),
        places,
        GRAIN,
        random_turns(rng, len(places)),
    ),
}


def cell(kind, counts, pressed, friction, of_walls=0.0):
    """Grains in six walls, of which the upper three press them together by a part of the way
    between, and stand still then; drag brings all to rest."""
    sim, walls, size = abut.Simulation(step=1e-4, gravity=(0, 0, 0)), [], 0.1 * np.array(counts)
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e5, friction=friction, restitution=0.9))
    sim.set_law(GRAIN, STEEL, abut.Linear(1e5, friction=of_walls, restitution=0.9))
    for axis, side in itertools.product(range(3), (0, 1)):
        normal = (1 - 2 * side) * np.eye(3)[axis]
        walls.append(sim.add_wall(abut.HalfSpace(side * size * abs(normal), normal), STEEL))
    places = 0.1 * (np.indices(counts).reshape(3, -1).T + 0.5)
    SOLIDS[kind](sim, places, np.random.default_rng(1))
    sim.add_force(drag)
    inner = size * (1 - pressed * np.array([1, 0.8, 0.6]))
    for axis, wall in enumerate(walls[1::2]):
        wall.motion = abut.Translating((inner - size) * np.eye(3)[axis] / 0.1)
    sim.run(0.1)
    for wall in walls:
        wall.motion = None
    return sim, walls, inner


def drag(sim):
    """Forces, and torques, that bring spheres to rest."""
    masses = sim.masses[:, None]
    return -150 * masses * sim.velocities, -0.06 * masses * sim.angular_velocities


@pytest.mark.parametrize(
    ("kind", "counts", "pressed", "friction", "steps"),
    [
        ("spheres", (2, 3, 3), 0.15, 0.0, 3000),
        ("clusters", (2, 3, 3), 0.15, 0.3, 3500),
    ],
)
def test_at_rest_it_is_the_stress_on_smooth_walls(kind, counts, pressed, friction, steps):
    sim, walls, inner = cell(kind, counts, pressed, friction)
    sim.run(steps=steps)
    stress = sim.stress([[0, 0, 0], inner])
    areas = np.prod(inner) / inner
    for axis in range(3):
        low, high = (wall.force[axis] / areas[axis] for wall in walls[2 * axis : 2 * axis + 2])
        assert high > 0
        assert stress[axis, axis] == pytest.approx(high, rel=1e-6)
        assert stress[axis, axis] == pytest.approx(-low, rel=1e-6)
    off = stress - np.diag(stress.diagonal())
    assert abs(off - off.T).max() < 1e-6 * stress.max()


def test_at_rest_between_plates():
    """A cube, a dumbbell and two spheres on it, and a cube on these, between two walls."""
    sim, walls = abut.Simulation(step=2e-5, gravity=(0, 0, 0)), []
    for other in (GRAIN, STEEL):
        sim.set_law(GRAIN, other, abut.Hertz(friction=0.5, restitution=0.2))
    for height, normal in ((-0.12, 1), (0.12, -1)):
        walls.append(sim.add_wall(abut.HalfSpace((0, 0, height), (0, 0, normal)), STEEL))
    cube = abut.ConvexShape(CUBE, radius=0.25)
    sim.add_bodies(cube, [[0, 0, -0.07], [0.003, -0.002, 0.07]], GRAIN, scales=0.04)
    sim.add_spheres([[-0.02, 0.025, 0], [0.025, 0.02, 0]], 0.02, GRAIN)
    sim.add_clusters(abut.Cluster([[0, 0, 0], [0.04, 0, 0]], 0.02), [[0, -0.022, 0]], GRAIN)
    walls[1].motion = abut.Translating((0, 0, -0.05))
    sim.run(0.02)
    walls[1].motion = None
    sim.run(0.3)
    tables = sim.body_contacts, sim.body_sphere_pairs
    assert [len(table) for table in tables] == [2, 8]
    height = 0.24 - 0.05 * 0.02
    stress = sim.stress([[-0.1, -0.1, -0.12], [0.1, 0.1, height - 0.12]])
    assert stress[2, 2] == pytest.approx(walls[1].force[2] / 0.04, rel=1e-6)
    assert stress[2, 2] == pytest.approx(-walls[0].force[2] / 0.04, rel=1e-6)
    assert walls[1].force[2] > 5
    assert abs(stress - stress.T).max() < 1e-6 * stress[2, 2]


def test_at_rest_it_is_the_moment_of_the_forces_of_rough_walls():
    """Christoffersen et al.: the sum over the border alone."""
    sim, _, inner = cell("spheres", (2, 3, 3), 0.15, 0.3, of_walls=0.3)
    sim.run(steps=2500)
    border = -(sim.contacts.point.T @ sim.contacts.force) / np.prod(inner)
    stress = sim.stress([[0, 0, 0], inner])
    assert abs(stress - border).max() < 1e-6 * stress.max()
    assert abs(np.triu(stress, 1)).max() > 1e-3 * stress.max()


# ---- closed forms --------------------------------------------------------------------------------


def two(period=None, shift=0.0, moving=False):
    """Two spheres of different sizes that are pressed together along x, on both sides of x = 0."""
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=period)
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e5))
    velocities = [[1, 2, 0], [-1, 0, 4]] if moving else None
    sim.add_spheres([[-0.02 + shift, 0.1, 0.1], [0.009 + shift, 0.1, 0.1]], [0.02, 0.01], GRAIN)
    if moving:
        sim.velocities = velocities
    sim.run(steps=1)
    return sim


@pytest.mark.parametrize("period", [None, (0.5, None, None), (0.5, 0.2, 0.2)])
def test_two_spheres(period):
    sim = two(period)
    pressure = 100 * 0.029 / (0.1 * 0.2 * 0.2)
    whole = sim.stress([[-0.05, 0, 0], [0.05, 0.2, 0.2]])
    assert whole[0, 0] == pytest.approx(pressure, rel=1e-12)
    assert abs(whole).sum() == pytest.approx(whole[0, 0], rel=1e-12)
    # a force that goes through a region all along is the stress by its area
    within = sim.stress([[-0.01, 0, 0], [0.004, 0.2, 0.2]])
    assert within[0, 0] == pytest.approx(100 / 0.04, rel=1e-12)
    # two thirds of the way are before x = 0
    left = sim.stress([[-0.05, 0, 0], [0.0, 0.2, 0.2]])
    assert left[0, 0] == pytest.approx(100 * 0.02 / (0.05 * 0.04), rel=1e-12)
    assert (sim.stress([[-0.05, 0, 0], [0.05, 0.09, 0.2]]) == 0).all()


def test_branches_in_the_plane_between_regions_count_once():
    sim = two((0.5, 0.2, 0.2))
    halves = [sim.stress([[-0.05, low, 0], [0.05, low + 0.1, 0.2]]) for low in (0.0, 0.1)]
    assert halves[0][0, 0] == 0
    assert halves[1][0, 0] == pytest.approx(100 * 0.029 / (0.1 * 0.1 * 0.2), rel=1e-12)


def test_kinetic_part_of_two_spheres():
    sim = two(moving=True)
    region = [[-0.05, 0, 0], [0.05, 0.2, 0.2]]
    (first, second), velocities = sim.masses, np.array([[1.0, 2, 0], [-1, 0, 4]])
    # both velocities are the initial ones, up to half a step of their forces
    velocities += 0.5e-5 * sim.forces / sim.masses[:, None]
    apart = velocities[0] - velocities[1]
    expected = first * second / (first + second) * np.outer(apart, apart) / (0.1 * 0.2 * 0.2)
    found = sim.stress(region, kinetic=True) - sim.stress(region)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * expected.max())
    # one alone has no fluctuation, and none no stress
    alone = [[-0.05, 0, 0], [0.0, 0.2, 0.2]]
    assert (sim.stress(alone, kinetic=True) == sim.stress(alone)).all()
    assert (sim.stress([[1, 1, 1], [2, 2, 2]], kinetic=True) == 0).all()


def test_grains_that_are_held_have_no_velocity():
    sim = abut.Simulation(step=1e-5)
    sim.add_spheres([[0, 0, 0], [0.5, 0, 0]], 0.1, GRAIN, velocities=[0, 0, 3])
    sim.fixed = [True, False]
    sim.run(steps=1)
    # gravity has not slowed the other one down yet, but for half a step
    expected = sim.masses[0] / 2 * (3 - 9.81 * 0.5e-5) ** 2 / 2
    found = sim.stress([[-1, -0.5, -0.5], [1, 0.5, 0.5]], kinetic=True)
    assert found[2, 2] == pytest.approx(expected, rel=1e-12)
    assert abs(found).sum() == found[2, 2]


def test_kinetic_part_has_the_kinetic_energy(scene):
    sim, _ = scene
    region = [[0, 0, 0], [0.5, 0.6, 0.4]]
    masses = [sim.masses[sim.spheres.cluster < 0], sim.masses[-40:].reshape(20, 2).sum(1)]
    masses = np.concatenate([*masses, sim.bodies.masses])
    velocities = sim._core.read(abut._core.GRAINS)["velocities"]
    mean = (masses[:, None] * velocities).sum(0) / masses.sum()
    trace = np.trace(sim.stress(region, kinetic=True) - sim.stress(region)) * np.prod(BOX)
    expected = 2 * sim.energy.kinetic - masses.sum() * (mean**2).sum()
    assert trace == pytest.approx(expected, rel=1e-9)


# ---- regions -------------------------------------------------------------------------------------


def test_regions_that_fill_the_box_have_its_stress_for_their_mean(scene):
    sim, _ = scene
    planes = [np.array([-0.1, 0.07, 0.33, 0.4]), np.array([0, 0.1, 0.6]), np.array([0, 0.123, 0.4])]
    total = np.zeros((3, 3))
    for x, y, z in itertools.product(*map(itertools.pairwise, planes)):
        low, high = np.transpose([x, y, z])
        total += np.prod(high - low) * sim.stress([low, high])
    whole = sim.stress([[0, 0, 0], BOX])
    assert abs(total / np.prod(BOX) - whole).max() < 1e-12 * abs(whole).max()


def test_without_a_region_it_is_that_of_the_periodic_box():
    sim = mixed(PERIODS["periodic"])
    sim.run(steps=20)
    scale = abs(sim.stress()).max()
    for low in ([0, 0, 0], [-0.2, 0.3, 7.1]):
        region = [low, low + BOX]
        assert abs(sim.stress(region) - sim.stress()).max() < 1e-12 * scale
        both = [sim.stress(where, kinetic=True) for where in (region, None)]
        assert abs(both[0] - both[1]).max() < 1e-12 * scale
        assert sim.coordination(region) == sim.coordination()


@pytest.mark.parametrize(
    ("region", "message"),
    [
        ([0, 1], r"region has shape \(2,\), but must be \(2, 3\): two corners"),
        ([[0, 0, 0], [1, 0, 1]], "region goes from 0 to 0 along y"),
        ([[0, 0, 0], [1, np.nan, 1]], r"region\[1\]\[1\] is nan, but must be finite"),
        ([[0, 0, 0], [1, 0.3, 1]], "region is 0.3 wide along y, but may be one period wide, 0.2"),
    ],
)
def test_regions_that_are_none(region, message):
    sim = two((None, 0.2, None))
    for measure in (sim.stress, sim.coordination):
        with pytest.raises(ValueError, match=message):
            measure(region)
        with pytest.raises(TypeError, match="region is 'all', but must be real numbers"):
            measure("all")
    with pytest.raises(ValueError, match="region is None, but the world has no period along x"):
        sim.stress()


def test_before_the_first_step_and_without_grains():
    sim = abut.Simulation(step=1e-5, period=(1, 1, 1))
    assert (sim.stress(kinetic=True) == 0).all()
    assert np.isnan(sim.coordination())
    sim.add_spheres([[0, 0, 0], [0.01, 0, 0]], 0.01, GRAIN)
    assert (sim.stress() == 0).all()
    assert sim.coordination() == 0
    assert np.isnan(sim.coordination(rattlers=False))


# ---- order, threads, files -----------------------------------------------------------------------


def measured(sim):
    region = REGIONS[2]
    return np.concatenate(
        [
            sim.stress(region, kinetic=True).ravel(),
            sim.stress([[0, 0, 0], BOX]).ravel(),
            [sim.coordination(), sim.coordination(region, rattlers=False)],
            sim.pairs.fabric().ravel(),
        ]
    )


def test_threads_and_files_do_not_show(tmp_path):
    sims = [mixed(PERIODS["with walls"], workers=workers) for workers in (1, 3)]
    for sim in sims:
        sim.run(steps=30)
    np.testing.assert_array_equal(measured(sims[0]), measured(sims[1]))
    sims[0].save(tmp_path / "sim.npz")
    loaded = abut.load_simulation(tmp_path / "sim.npz", meshes=[sims[0].walls[1].mesh])
    np.testing.assert_array_equal(measured(loaded), measured(sims[0]))


def test_order_in_which_spheres_came_does_not_show():
    sims = [
        mixed(PERIODS["periodic"], order=order)
        for order in (None, np.random.default_rng(5).permutation(80))
    ]
    for sim in sims:
        sim.run(steps=1)
    assert len(sims[0].pairs) > 20
    first, second = map(measured, sims)
    np.testing.assert_allclose(second, first, rtol=1e-9, atol=1e-9 * abs(first).max())


def test_what_comes_and_goes_after_the_step():
    """Stress is that of the last step, of what is still there."""
    sim = two()
    region = [[-0.05, 0, 0], [0.05, 0.2, 0.2]]
    before = sim.stress(region)
    sim.add_spheres([[0, 0.1, 0.1]], 0.02, GRAIN)
    sim.centers = sim.centers + [0.0, 0.3, 0.0]
    np.testing.assert_array_equal(sim.stress(region), before)
    sim.remove_spheres([0])
    assert (sim.stress(region) == 0).all()


def test_a_step_and_a_gravity_to_come_change_nothing():
    sim = two(moving=True)
    region = [[-0.05, 0, 0], [0.05, 0.2, 0.2]]
    before = sim.stress(region, kinetic=True)
    sim.step, sim.gravity = 1e-3, (0, 0, 500)
    np.testing.assert_array_equal(sim.stress(region, kinetic=True), before)


# ---- fabric --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
def test_fabric_of_pairs(dimension):
    rng = np.random.default_rng(3)
    pairs = abut.find_pairs(rng.random((200, dimension)), 0.08)
    weights = rng.random(len(pairs))
    expected = sum(w * np.outer(n, n) for w, n in zip(weights, pairs.normal, strict=True))
    np.testing.assert_allclose(pairs.fabric(weights), expected / weights.sum(), rtol=1e-12)
    fabric = pairs.fabric()
    np.testing.assert_allclose(fabric, pairs.fabric(np.full(len(pairs), 3.0)), rtol=1e-12)
    assert fabric.shape == (dimension, dimension)
    assert (fabric == fabric.T).all()
    assert np.trace(fabric) == pytest.approx(1, rel=1e-12)
    assert abs(fabric - np.eye(dimension) / dimension).max() < 0.1


def test_fabric_of_other_tables(scene):
    sim, _ = scene
    for table in (sim.contacts, sim.body_contacts, sim.body_pairs, sim.body_sphere_pairs):
        if len(table):
            assert np.trace(table.fabric()) == pytest.approx(1, rel=1e-12)
    if len(sim.contacts):
        np.testing.assert_allclose(sim.contacts.fabric(), np.diag([0.0, 0, 1]), atol=1e-15)


def test_fabric_of_nothing_is_nan():
    pairs = two().pairs
    assert np.isnan(pairs[:0].fabric()).all()
    assert np.isnan(pairs.fabric([0.0])).all()


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1.0, 2.0], ValueError, r"weights has shape \(2,\), but must be \(1,\)"),
        ([-1.0], ValueError, r"weights\[0\] is -1.0, but must be 0 or positive, and finite"),
        ([np.nan], ValueError, r"weights\[0\] is nan"),
        ([np.inf], ValueError, r"weights\[0\] is inf"),
        (["a"], TypeError, "weights has dtype"),
    ],
)
def test_fabric_refuses(weights, error, message):
    with pytest.raises(error, match=message):
        two().pairs.fabric(weights)


# ---- coordination --------------------------------------------------------------------------------


def test_coordination_without_rattlers_is_thorntons():
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e5))
    sim.add_spheres(np.random.default_rng(2).random((150, 3)), 0.07, GRAIN)
    sim.run(steps=1)
    ones = np.ones(len(sim.pairs))
    of_each = sim.pairs.sum(ones, ones)
    none, one = ((of_each == count).sum() for count in (0, 1))
    assert min(none, one) > 5
    assert sim.coordination() == pytest.approx(2 * len(sim.pairs) / 150)
    expected = (2 * len(sim.pairs) - one) / (150 - none - one)
    assert sim.coordination(rattlers=False) == pytest.approx(expected)


def test_a_bond_is_a_contact_once():
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e5))
    ids = sim.add_spheres([[0, 0, 0], [0.019, 0, 0], [0.04, 0, 0]], 0.01, GRAIN)
    sim.bond([ids[:2], ids[1:]], abut.Bond(young=1e7, contact=True))
    sim.run(steps=1)
    assert len(sim.pairs) == 1
    assert sim.pairs.force.any()
    assert sim.coordination() == pytest.approx(4 / 3)
    assert sim.coordination(rattlers=False) == 2


def test_a_bond_and_a_contact_at_another_image_are_two():
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=(0.04, None, None))
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e5))
    ids = sim.add_spheres([[0.001, 0, 0], [0.0209, 0, 0]], 0.0105, GRAIN)
    sim.bond([ids], abut.Bond(young=1e7, contact=True))
    sim.run(steps=1)
    assert len(sim.pairs) == 2
    assert sim.pairs.force.any(1).all()
    assert sim.coordination() == 2


def test_a_region_far_away_is_one_of_its_images():
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=(1, 1, 1))
    grain = abut.Material(density=1000, young=1e6)
    sim.set_law(grain, grain, abut.Hertz())
    sim.add_spheres([[0.4, 0.5, 0.5], [0.59, 0.5, 0.5]], 0.1, grain)
    sim.run(steps=1)
    near = sim.stress([[0.25, 0.25, 0.25], [0.75, 0.75, 0.75]])
    far = sim.stress([[2**30 + 0.25, 0.25, 0.25], [2**30 + 0.75, 0.75, 0.75]])
    assert near[0, 0] > 0
    np.testing.assert_allclose(far, near, rtol=1e-6, atol=1e-9)
