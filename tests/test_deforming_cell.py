"""Periodic cells that deform: kinematics by closed forms, and the same physics wherever it is."""

import itertools

import numpy as np
import pytest

import abut
from abut import laws
from laws_again import linear_as

GRAIN = abut.Material(density=2500, young=1e7, poisson=0.25)
AT_REST = np.zeros((3, 3))
SHEAR = np.array([[0, 0.8, 0], [0, 0, 0], [0, 0, 0.0]])
SQUEEZE = np.diag([-0.5, 0.3, 0.1])
GENERAL = np.array([[-0.3, 0.5, 0.1], [0.2, 0.2, -0.4], [0.0, 0.3, 0.1]])
TILTED = np.array([[1, 0, 0], [0.3, 1.1, 0], [-0.2, 0.1, 0.9]])

LAWS = {
    "linear": abut.Linear(2e4, friction=0.4, restitution=0.5),
    "hertz": abut.Hertz(friction=0.5, restitution=0.6),
    "rolling": abut.Linear(2e4, friction=0.5, restitution=0.5, rolling=laws.RollingC(0.1)),
    "own": linear_as(abut.Linear(2e4, friction=0.4, restitution=0.5, rolling=0.05), GRAIN, GRAIN),
    "cohesion": abut.Hertz(friction=0.3, restitution=0.5, cohesion=laws.DMT(0.5)),
}


def made(period=(1, 1, 1), step=1e-3, law=None, gravity=(0, 0, 0), **options):
    sim = abut.Simulation(step=step, gravity=gravity, period=period, **options)
    if law is not None:
        sim.set_law(GRAIN, GRAIN, law)
    return sim


def exponential(a):
    """The exponential of a matrix, by its series after halving it 8 times."""
    small, term = np.asarray(a, float) / 2**8, np.eye(3)
    total = np.eye(3)
    for k in range(1, 20):
        term = term @ small / k
        total = total + term
    for _ in range(8):
        total = total @ total
    return total


def scattered(count, seed, period, radius=0.04, speed=1.0):
    rng = np.random.default_rng(seed)
    cell = np.diag(period) if np.ndim(period) == 1 else np.asarray(period)
    return {
        "centers": rng.random((count, 3)) @ cell,
        "radii": np.full(count, radius),
        "velocities": rng.normal(0, speed, (count, 3)),
    }


# ---- the cell ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [SHEAR, SQUEEZE, GENERAL], ids=["shear", "squeeze", "general"])
def test_vectors_follow_the_exponential(rate):
    sim = made()
    sim.deform_cell(rate)
    sim.run(steps=300)
    moved = exponential(0.3 * rate)
    assert sim.deformation == pytest.approx(moved, abs=1e-13)
    # the vectors may have been exchanged: they lead to the same lattice
    numbers = sim.cell @ np.linalg.inv(moved.T)
    assert numbers == pytest.approx(np.rint(numbers), abs=1e-12)
    assert abs(round(np.linalg.det(numbers))) == 1


def test_a_cell_at_rest_is_as_it_was_given():
    sim = made((1, 2, None))
    assert sim.period == (1, 2, None)
    assert sim.cell.tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 0]]
    assert sim.deformation.tolist() == np.eye(3).tolist()
    assert not sim.velocity_gradient.any()


def test_vectors_are_exchanged_before_the_cell_gets_flat():
    sim = made()
    sim.deform_cell(SHEAR)
    sim.run(steps=5000)  # a shear strain of 4
    assert sim.deformation[0, 1] == pytest.approx(4)
    lengths = np.linalg.norm(sim.cell, axis=1)
    assert lengths.max() < 1.2


BASES = [
    np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]]),
    np.array([[1, 2, -1], [0, 1, 3], [0, 0, 1]]),
    np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]),
]


@pytest.mark.parametrize("numbers", BASES)
@pytest.mark.parametrize("rate", [SHEAR, SQUEEZE, GENERAL], ids=["shear", "squeeze", "general"])
def test_any_basis_of_the_lattice_gives_the_same_paths(rate, numbers):
    sims = [gas(rate, law=LAWS["hertz"], period=period) for period in (np.eye(3), numbers * 1.0)]
    for _ in range(5):
        for sim in sims:
            sim.run(steps=100)
        first, other = sims
        # the centers of mass that the field is counted from differ, so all moves by one vector
        apart = (other.centers - first.centers) @ np.linalg.inv(first.cell)
        images = np.rint(apart - apart[0])
        assert apart - apart[0] == pytest.approx(images, abs=1e-10)
        rates = first.cell @ (np.eye(3) - exponential(-first.step * rate)).T / first.step
        faster = other.velocities - images @ rates - first.velocities
        assert faster == pytest.approx(np.tile(faster[0], (60, 1)), abs=1e-8)
        assert len(first.pairs) == len(other.pairs)
    assert len(first.pairs)


@pytest.mark.parametrize("law", LAWS)
def test_contacts_at_several_images_continue_when_vectors_are_exchanged(law):
    numbers = [np.eye(3), [[1, 2, 0], [0, 1, 0], [1, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 3, 1]]]
    sims = [made(0.3 * np.array(rows), 1e-4, LAWS[law]) for rows in numbers]
    rng = np.random.default_rng(2)
    centers, velocities = 0.3 * rng.random((3, 3)), rng.normal(0, 0.3, (3, 3))
    for sim in sims:
        sim.add_spheres(centers, [0.1, 0.12, 0.06], GRAIN, velocities=velocities)
        sim.deform_cell(5 * SHEAR)
    for _ in range(6):
        for sim in sims:
            sim.run(steps=500)
        energies = [np.array(sim.energy)[[1, 3, 4]] for sim in sims]
        assert np.array(energies) == pytest.approx(np.array([energies[0]] * 3), rel=1e-5)
        assert len({len(sim.pairs) for sim in sims}) == 1


def test_deformation_is_counted_anew():
    sim = made()
    sim.deform_cell(SHEAR)
    sim.run(steps=100)
    sim.deformation = 1
    sim.run(steps=50)
    assert sim.deformation == pytest.approx(exponential(0.05 * SHEAR))


def test_copies_keep_the_deformation():
    sim = made()
    sim.deformation = SHEAR
    assert (sim.copy().deformation == SHEAR).all()


def test_rates_can_change_and_end():
    sim = made()
    sim.deform_cell(SHEAR)
    sim.run(steps=10)
    sim.deform_cell(SQUEEZE)
    sim.run(steps=10)
    sim.deform_cell(AT_REST)
    cell = sim.cell
    sim.run(steps=10)
    assert (sim.cell == cell).all()
    assert sim.deformation == pytest.approx(exponential(0.01 * SQUEEZE) @ exponential(0.01 * SHEAR))


# ---- free flight ---------------------------------------------------------------------------------


def free_flight(rate, period, steps=4000):
    sim = made(period)
    start = scattered(8, 1, period, radius=1.5e-3, speed=0.7)
    sim.add_spheres(**start, material=GRAIN)
    sim.deform_cell(rate, affine=False)
    sim.run(steps=steps)
    return sim, start["centers"], start["velocities"]


@pytest.mark.parametrize("period", [(1, 1, 1), TILTED], ids=["axes", "tilted"])
def test_free_flight_in_shear_is_straight(period):
    sim, centers, velocities = free_flight(SHEAR, period)
    assert np.abs(sim.images).max() >= 3
    assert sim.centers + sim.images @ sim.cell == pytest.approx(
        centers + velocities * sim.time, abs=1e-11
    )
    inside = sim.centers @ np.linalg.inv(sim.cell)
    assert (inside > -1e-9).all() and (inside < 1 + 1e-9).all()


@pytest.mark.parametrize("rate", [SQUEEZE, GENERAL], ids=["squeeze", "general"])
def test_free_flight_obeys_the_law_of_images(rate):
    """x'' = L^2 (x - c). Steps give a sum of expm(t L) and expm(-t L) exactly."""
    sim, centers, velocities = free_flight(rate, (1, 1, 1), steps=1500)
    middle, drift = centers.mean(axis=0), velocities.mean(axis=0)
    there, back = exponential(sim.step * rate), exponential(-sim.step * rate)
    # places at the time 0, and a step before
    now, before = centers - middle, centers - middle - sim.step * (velocities - drift)
    growing = (now @ there.T - before) @ np.linalg.inv(there - back).T
    then = growing @ exponential(sim.time * rate).T
    then += (now - growing) @ exponential(-sim.time * rate).T
    assert np.abs(sim.images).max() >= 1
    free = middle + drift * sim.time + then
    assert sim.centers + sim.images @ sim.cell == pytest.approx(free, abs=1e-9)


def test_momentum_with_images_is_constant_in_shear():
    sim = made()
    sim.add_spheres(**scattered(30, 2, (1, 1, 1), radius=5e-3), material=GRAIN)
    sim.deform_cell(SHEAR)
    masses = sim.masses[:, None]

    def momentum():
        rates = sim.cell @ sim.velocity_gradient.T
        return (masses * (sim.velocities + sim.images @ rates)).sum(axis=0)

    start, size = momentum(), (masses * np.abs(sim.velocities)).sum()
    for _ in range(20):
        sim.run(steps=200)
        assert momentum() == pytest.approx(start, abs=1e-14 * size)


def test_the_linear_field_is_added_at_once():
    sim = made()
    start = scattered(30, 3, (1, 1, 1), radius=5e-3)
    sim.add_spheres(**start, material=GRAIN)
    sim.deform_cell(GENERAL)
    way = start["centers"] - start["centers"].mean(axis=0)
    half_a_step_ago = (np.eye(3) - exponential(-sim.step * GENERAL)) / sim.step
    assert half_a_step_ago == pytest.approx(GENERAL, abs=2e-4)
    assert sim.velocities == pytest.approx(start["velocities"] + way @ half_a_step_ago.T)
    sim.deform_cell(AT_REST)
    assert sim.velocities == pytest.approx(start["velocities"])
    sim.deform_cell(GENERAL, affine=False)
    assert sim.velocities == pytest.approx(start["velocities"])


# ---- the same everywhere -------------------------------------------------------------------------


def pair(rate, law, at, build):
    """Two grains about a point, with the velocities of the field there."""
    sim = made(law=law, step=2e-4)
    middle = np.array([0.5, 0.5, 0.5])
    build(sim, np.array(at), (np.array(at) - middle) @ rate.T)
    # grains that were moved into the cell are images: their velocities half a step ago
    rates = sim.cell @ (np.eye(3) - exponential(-sim.step * rate)).T / sim.step
    for grains in (
        (sim.clusters, sim.bodies) if len(sim.clusters) + len(sim.bodies) else (sim.spheres,)
    ):
        grains.velocities = grains.velocities - grains.images @ rates
    sim.deform_cell(rate, affine=False)
    return sim


def add_spheres(sim, at, drift):
    centers = at + [[-0.051, 0.004, 0.0], [0.051, -0.004, 0.01]]
    velocities = drift + [[0.3, 0.1, -0.1], [-0.3, 0.0, 0.2]]
    sim.add_spheres(centers, [0.05, 0.05], GRAIN, velocities=velocities)


def add_bonded(sim, at, drift):
    add_spheres(sim, at, drift)
    sim.bond([[0, 1]], abut.Bond(1e6, radius=0.5, damping=0.1))


def add_clusters(sim, at, drift):
    cluster = abut.Cluster([[0, -0.02, 0], [0, 0.03, 0.01]], 0.05)
    places = at + [[-0.06, 0, 0], [0.06, 0.01, 0]]
    velocities = drift + [[0.4, 0, 0], [-0.4, 0.1, 0]]
    sim.add_clusters(cluster, places, GRAIN, velocities=velocities)


def add_cubes(sim, at, drift):
    cube = abut.ConvexShape(np.array(list(itertools.product((-0.05, 0.05), repeat=3))))
    places = at + [[-0.055, 0, 0], [0.055, 0.02, 0.01]]
    velocities = drift + [[0.3, 0, 0], [-0.3, 0, 0]]
    sim.add_bodies(cube, places, GRAIN, velocities=velocities)


def relative(sim, kind):
    """Where the second grain is from the first, at its nearest image, and the spins of both."""
    grains = {"clusters": sim.clusters, "cubes": sim.bodies}.get(kind, sim.spheres)
    places = grains.positions if kind in ("clusters", "cubes") else sim.centers
    way = places[1] - places[0]
    images = np.rint(way @ np.linalg.inv(sim.cell))
    return np.array([way - images @ sim.cell, *(0.01 * grains.angular_velocities)])


GRAINS = {
    "spheres": (add_spheres, LAWS),
    "bonded": (add_bonded, {"linear": LAWS["linear"]}),
    "clusters": (add_clusters, LAWS),
    "cubes": (add_cubes, {"linear": LAWS["linear"]}),
}
CASES = [(kind, law) for kind, (_, laws) in GRAINS.items() for law in laws]
CORNERS = [(0.999, 0.5, 0.5), (0.5, 0.001, 0.5), (0.0, 1.0, 0.999)]


@pytest.mark.parametrize("rate", [SHEAR, SQUEEZE, GENERAL], ids=["shear", "squeeze", "general"])
@pytest.mark.parametrize(("kind", "law"), CASES)
def test_grains_collide_across_a_border_as_in_the_middle(kind, law, rate):
    build = GRAINS[kind][0]
    sims = [pair(rate, LAWS[law], at, build) for at in ((0.5, 0.5, 0.5), *CORNERS)]
    for _ in range(8):
        for sim in sims:
            sim.run(steps=50)
        expected = relative(sims[0], kind)
        for sim in sims[1:]:
            assert relative(sim, kind) == pytest.approx(expected, abs=1e-10)
        # what the border does is its own work, and is not lost in the contact
        lost = [sim.energy.dissipated for sim in sims]
        assert lost == pytest.approx([lost[0]] * len(lost), abs=1e-8)
    assert lost[0] > 1e-3


# ---- grains of all kinds -------------------------------------------------------------------------


def mixture(rate, count=4, seed=0, step=2e-4, law=LAWS["linear"], **options):
    """Bonded spheres, clusters and cubes, in a cell that deforms."""
    rng = np.random.default_rng(seed)
    sim = made(step=step, law=law, **options)
    axes = np.meshgrid(*[(np.arange(count) + 0.5) / count] * 3)
    places = rng.permutation(np.stack(axes, axis=-1).reshape(-1, 3))
    places, speeds = places @ sim.cell, rng.normal(0, 0.3, (len(places), 3))
    spheres, others = len(places) // 2, 3 * len(places) // 4
    radii = rng.uniform(0.25, 0.55, spheres) / count
    sim.add_spheres(places[:spheres], radii, GRAIN, velocities=speeds[:spheres])
    cluster = abut.Cluster(np.array([[0, -0.2, 0], [0, 0.25, 0.1]]) / count, 0.25 / count)
    some = slice(spheres, others)
    sim.add_clusters(cluster, places[some], GRAIN, velocities=speeds[some])
    corners = np.array(list(itertools.product((-0.3, 0.3), repeat=3))) / count
    cube = abut.ConvexShape(corners)
    sim.add_bodies(cube, places[others:], GRAIN, velocities=speeds[others:])
    near = abut.find_pairs(sim.centers[:spheres], radii, period=sim.period, gap=0.2 / count)
    bond = abut.Bond(1e6, radius=0.5, damping=0.1, tensile_strength=3e5, shear_strength=3e5)
    sim.bond(np.c_[near.i, near.j][::3], bond)
    sim.deform_cell(rate)
    return sim


FAST = 6 * np.array([[0, 0.8, 0], [0, 0, 0], [0.3, 0, 0]])
RATES = {"shear": SHEAR, "squeeze": SQUEEZE, "general": GENERAL, "fast": FAST}


@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
@pytest.mark.parametrize("count", [3, 5])
def test_lists_miss_nothing(count, rate):
    """Builds with ABUT_CHECK_LISTS compare the lists with a search of everything, each step."""
    sim = mixture(rate, count)
    sim.run(steps=1000)
    assert len(sim.pairs)


@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
def test_mixtures_continue_from_files_with_the_same_bits(rate, tmp_path):
    sim = mixture(AT_REST)
    sim.run(steps=20)
    sim.deform_cell(rate)
    for number in range(7):
        if number == 5:
            sim.deform_cell(AT_REST)  # and deforms again after some steps
        if number == 6:
            sim.deform_cell(rate)
        sim.save(tmp_path / "a.npz")
        others = (abut.load_simulation(tmp_path / "a.npz"), sim.copy())
        for other in others:
            check_same(sim, other)
        for each in (sim, *others):
            each.run(steps=7)
        for other in others:
            check_same(sim, other)
        sim.run(steps=97)


def test_files_of_the_step_of_an_exchange(tmp_path):
    sim, count = mixture(FAST), 0
    while count < 3:
        sim.run(steps=1)
        if not exchanged(sim):
            continue
        count += 1
        sim.save(tmp_path / "a.npz")
        other = abut.load_simulation(tmp_path / "a.npz")
        for _ in range(3):
            check_same(sim, other)
            for each in (sim, other):
                each.run(steps=1)


def exchanged(sim):
    """Whether a vector was exchanged in the last step, so it is not near one of before."""
    return np.abs(sim.cell - sim.pairs.period).max() > 0.1


@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
def test_mixtures_do_not_depend_on_threads(rate):
    sims = [mixture(rate, 6, workers=workers) for workers in (1, 3)]
    for sim in sims:
        sim.run(steps=300)
    check_same(*sims)


@pytest.mark.parametrize("gravity", [(0, 0, 0), (3, -2, -9.81)], ids=["free", "gravity"])
@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
def test_energies_of_mixtures_add_up_to_second_order(rate, gravity):
    errors = []
    for step in (2e-4, 1e-4):
        law = abut.Linear(2e4, restitution=0.9)
        sim = mixture(rate, step=step, law=law, gravity=gravity)
        sim.run(steps=1)
        start, worst = sum(sim.energy), 0.0
        for _ in range(10):
            sim.run(0.02)
            worst = max(worst, abs(sum(sim.energy) - start))
        errors.append(worst)
    assert errors[1] < 0.3 * errors[0]


def test_free_grains_stay_uniform_when_they_are_compressed():
    sim = made((1, 1, 1), step=1e-3)
    rng = np.random.default_rng(1)
    speeds = rng.normal(0, 0.1, (2000, 3))
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e-9))
    sim.add_spheres(rng.random((2000, 3)), 1e-3, GRAIN, velocities=speeds)
    sim.deform_cell(np.diag([-0.3, -0.1, 0.0]))
    sim.run(steps=2700)
    assert np.prod(np.diagonal(sim.cell)) == pytest.approx(1 / 3, rel=0.05)
    counts = np.histogram(sim.centers[:, 0] / sim.cell[0, 0], 10, (0, 1))[0]
    assert np.abs(counts - 200).max() < 4 * np.sqrt(200)


# ---- energy, stress, files -----------------------------------------------------------------------


def gas(rate, step=1e-3, law=LAWS["linear"], count=60, seed=5, **options):
    """Grains that collide in a cell that deforms."""
    sim = made(step=step, law=law, **options)
    start = scattered(count, seed, (1, 1, 1), radius=0.08, speed=0.3)
    # centers on a lattice, so that none overlap much
    places = np.stack(np.meshgrid(*[np.arange(4)] * 3), axis=-1).reshape(-1, 3)[:count]
    start["centers"] = 0.25 * (places + 0.5)
    sim.add_spheres(**start, material=GRAIN)
    sim.deform_cell(rate)
    return sim


def ledger(rate, step, gravity=(0, 0, 0)):
    """How far the sum of energies is from its first value, at equal times."""
    sim = gas(rate, step, abut.Linear(2e4, restitution=0.9), gravity=gravity)
    sim.run(steps=1)
    start = sum(sim.energy)
    worst = 0.0
    for _ in range(10):
        sim.run(0.02)
        worst = max(worst, abs(sum(sim.energy) - start))
    return worst, sim


@pytest.mark.parametrize("gravity", [(0, 0, 0), (3, -2, -9.81)], ids=["free", "gravity"])
@pytest.mark.parametrize("rate", [SQUEEZE, SHEAR, GENERAL], ids=["squeeze", "shear", "general"])
def test_energies_add_up_to_second_order(rate, gravity):
    coarse, sim = ledger(rate, 2e-4, gravity)
    fine, _ = ledger(rate, 1e-4, gravity)
    assert np.abs(sim.images).max() > 0
    assert fine < 0.3 * coarse
    assert fine < 1e-4 * sim.energy.kinetic


def test_a_change_of_the_rate_is_work_from_outside():
    sim = gas(SQUEEZE, 1e-4)
    sim.run(steps=200)
    total = sum(sim.energy)
    sim.deform_cell(-SQUEEZE)
    assert sum(sim.energy) == pytest.approx(total, rel=1e-12)
    sim.run(steps=1)
    assert sum(sim.energy) == pytest.approx(total, rel=1e-5)


def columns_of(sim):
    return {
        "centers": sim.centers,
        "velocities": sim.velocities,
        "spins": sim.angular_velocities,
        "images": sim.images,
        "cell": sim.cell,
        "deformation": sim.deformation,
        "energy": np.array(sim.energy),
        "stress": sim.stress(kinetic=True),
        "pairs": sim.pairs.image,
        "forces": sim.pairs.force,
        "bodies": sim.bodies.positions,
        "orientations": sim.bodies.orientations,
        "clusters": sim.clusters.positions,
        "images of clusters": sim.clusters.images,
        "bonds": sim.bonds.force,
    }


def check_same(one, other):
    for name, column in columns_of(one).items():
        assert column.tobytes() == columns_of(other)[name].tobytes(), name


@pytest.mark.parametrize("rate", [SQUEEZE, SHEAR, GENERAL], ids=["squeeze", "shear", "general"])
def test_restarts_and_copies_go_on_with_the_same_bits(rate, tmp_path):
    sim = gas(rate)
    for _ in range(4):
        sim.run(steps=173)
        sim.save(tmp_path / "a.npz")
        loaded, copied = abut.load_simulation(tmp_path / "a.npz"), sim.copy()
        for other in (loaded, copied):
            check_same(sim, other)
        for each in (sim, loaded, copied):
            each.run(steps=30)
        for other in (loaded, copied):
            check_same(sim, other)


@pytest.mark.parametrize("rate", [SQUEEZE, SHEAR, GENERAL], ids=["squeeze", "shear", "general"])
def test_any_number_of_threads_gives_the_same_bits(rate):
    sims = [gas(rate, workers=workers) for workers in (1, 4)]
    for sim in sims:
        sim.run(steps=400)
    check_same(*sims)


@pytest.mark.parametrize("rate", [SQUEEZE, SHEAR], ids=["squeeze", "shear"])
def test_stress_is_that_of_a_slow_sum(rate):
    sim = gas(rate)
    sim.run(steps=300)
    pairs = sim.pairs
    assert len(pairs)
    branch = pairs.normal * (sim.radii[pairs.i] + sim.radii[pairs.j] - pairs.overlap)[:, None]
    volume = abs(np.linalg.det(abut.base.periods.vectors_of(pairs.period)))
    assert sim.stress() == pytest.approx((branch.T @ pairs.force) / volume, rel=1e-9)


def test_the_kinetic_stress_takes_away_the_field():
    sim = made()
    sim.add_spheres(**scattered(50, 7, (1, 1, 1), radius=5e-3, speed=0.0), material=GRAIN)
    sim.deform_cell(SHEAR)
    sim.run(steps=1)
    assert sim.stress(kinetic=True) == pytest.approx(0, abs=1e-9)


# ---- errors --------------------------------------------------------------------------------------


def with_wall():
    sim = made((1, 1, None))
    sim.add_wall(abut.HalfSpace([0, 0, 0], [0, 0, 1]))
    return sim


def with_fixed():
    sim = made()
    sim.add_spheres([[0.5, 0.5, 0.5]], 0.1, GRAIN, fixed=True)
    return sim


def with_small():
    sim = made(step=0.1)
    sim.add_spheres([[0.5, 0.5, 0.5]], 0.01, GRAIN)
    return sim


STRETCH = np.diag([0.2, 0, 0])
ERRORS = [
    (lambda: made(None), STRETCH, "the world has no period"),
    (with_wall, STRETCH, "there are walls"),
    (with_fixed, STRETCH, "sphere 0 is fixed"),
    (with_small, STRETCH, r"moves by 0.02 in a step, but may move by the smallest radius, 0.01"),
    (lambda: made((1, 1, None)), np.diag([0, 0, 0.1]), "along z, where the world does not repeat"),
    (made, np.eye(2), r"rate has shape \(2, 2\)"),
    (made, np.diag([0, np.nan, 0]), r"rate\[1, 1\] is nan"),
]


@pytest.mark.parametrize(("make", "rate", "message"), ERRORS)
def test_a_rate_that_cannot_be_is_named(make, rate, message):
    sim = make()
    with pytest.raises(ValueError, match=message):
        sim.deform_cell(rate)
    assert not sim.velocity_gradient.any()


def test_walls_and_fixed_particles_cannot_be_added_to_a_cell_that_deforms():
    sim = made()
    sim.add_spheres([[0.5, 0.5, 0.5]], 0.1, GRAIN)
    sim.deform_cell(STRETCH)
    with pytest.raises(ValueError, match="sphere 0 cannot be fixed, because the cell deforms"):
        sim.fixed = True
    with pytest.raises(ValueError, match=r"centers\[1\] cannot be fixed"):
        sim.add_spheres(np.eye(3) / 2, 0.1, GRAIN, fixed=[False, True, False])
    with pytest.raises(ValueError, match="a wall cannot be added"):
        sim.add_wall(abut.HalfSpace([0, 0, 0], [0, 0, 1]))
    assert len(sim.ids) == 1
    assert not len(sim.walls)
    sim.deform_cell(AT_REST)
    sim.fixed = True


def test_newcomers_move_with_the_cell():
    sim = made(law=LAWS["linear"])
    sim.add_spheres([[0.5, 0.5, 0.5]], 0.01, GRAIN)
    sim.deform_cell(GENERAL)
    sim.run(steps=10)
    middle = sim.centers[0]
    places = np.array([[0.2, 0.7, 0.1], [0.9, 0.3, 0.4]])
    field = (places - middle) @ GENERAL.T
    sim.add_spheres(places, 0.01, GRAIN)
    assert sim.velocities[1:] == pytest.approx(field, abs=1e-12)
    sim.add_clusters(abut.Cluster([[0, 0, 0], [0.01, 0, 0]], 0.01), places + 0.05, GRAIN)
    expected = (sim.clusters.positions - middle) @ GENERAL.T
    assert sim.clusters.velocities == pytest.approx(expected, abs=1e-2)
    sim.add_spheres([[0.8, 0.8, 0.8]], 0.01, GRAIN, velocities=[[1, 2, 3]])
    assert sim.velocities[-1].tolist() == [1, 2, 3]


def test_newcomers_outside_of_the_cell_get_the_velocity_of_their_image():
    sim = made(law=LAWS["linear"])
    sim.add_spheres([[0.5, 0.5, 0.5]], 0.01, GRAIN)
    sim.deform_cell(GENERAL)
    sim.run(steps=10)
    places, image = np.array([[0.2, 0.7, 0.3]]), np.array([[1, -1, 2]])
    sim.add_spheres(places + image @ sim.cell, 0.01, GRAIN)
    assert sim.images[-1].tolist() == image[0].tolist()
    inside = sim.copy()
    half_a_step_ago = (np.eye(3) - exponential(-sim.step * GENERAL)) / sim.step
    velocity = (places + image @ sim.cell - sim.centers[0]) @ GENERAL.T
    velocity -= image @ sim.cell @ half_a_step_ago.T
    assert inside.velocities[-1] == pytest.approx(velocity[0], abs=1e-9)


def test_deformation_is_a_matrix():
    sim = made()
    with pytest.raises(ValueError, match=r"deformation has shape \(2,\)"):
        sim.deformation = [1, 2]
