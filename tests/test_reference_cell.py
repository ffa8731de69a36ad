"""The reference for cells that deform: by itself, against closed forms, and beside the library."""

import itertools

import numpy as np
import pytest

import abut
import reference_cell

MATERIAL = abut.Material(density=1000)
NAN = np.nan
SHEAR = np.array([[0, 2.0, 0], [0, 0, 0], [0, 0, 0]])
SQUEEZE = np.diag([-1.5, 0.6, -0.9])
GENERAL = np.array([[0.9, -1.8, 0.4], [1.1, -0.7, 2.0], [-0.5, 0.8, -0.6]])
RATES = pytest.mark.parametrize(
    "rate", [SHEAR, SQUEEZE, GENERAL], ids=["shear", "squeeze", "general"]
)
TILTED = np.array([[0.5, 0.02, 0], [0.2, 0.5, 0.1], [-0.1, 0.1, 0.45]])
CUBE = np.diag([0.5, 0.5, 0.5])


def build(make, cell=TILTED, count=10, seed=0, step=1e-4, gravity=(0, 0, 0), **law):
    """Grains that just do not touch, with random velocities and spins."""
    rng = np.random.default_rng(seed)
    sim = make(step=step, gravity=gravity, period=cell)
    sim.set_law(MATERIAL, MATERIAL, abut.Linear(1e4, **law))
    centers = rng.uniform(0, 1, (count, 3)) @ cell
    for _ in range(200):
        found = reference_cell.find_pairs(
            centers, np.full(count, 0.1), cell, 0, np.zeros((count, 3))
        )
        centers = centers + found.sum(0.5 * found.overlap[:, None] * found.normal)
    velocities, spins = rng.normal(0, 0.5, (count, 3)), rng.normal(0, 2, (count, 3))
    sim.add_spheres(centers, 0.1 * rng.uniform(0.8, 1, count), MATERIAL, velocities, spins)
    return sim


def free(cell, count, rate, seed=0, step=1e-3):
    """Points in random places of a cell that deforms, at rest in it."""
    rng = np.random.default_rng(seed)
    sim = reference_cell.Simulation(step, period=cell)
    sim.add_spheres(rng.uniform(0, 1, (count, 3)) @ cell, 1e-4, MATERIAL)
    sim.deform_cell(rate)
    return sim


# ---- the reference by itself ---------------------------------------------------------------------


@RATES
def test_free_points_follow_the_cell_through_its_borders(rate):
    sim = free(TILTED, 20, rate)
    start, middle = sim.centers, sim.center
    sim.run(steps=500)
    assert np.abs(sim.images).max() > 0
    expected = (start - middle) @ sim.deformation.T + middle
    # centers and images of the same lattice
    apart = (sim.centers - expected) @ np.linalg.inv(sim.cell)
    assert apart == pytest.approx(np.rint(apart), abs=1e-10)


def test_momentum_is_constant_in_shear():
    sim = build(reference_cell.Simulation, friction=0.5, restitution=0.5)
    sim.deform_cell(SHEAR)
    first, scale = sim.momentum(), sim.masses @ np.abs(sim.velocities)
    sim.run(steps=700)
    assert np.abs(sim.images).max() > 0
    assert sim.momentum() == pytest.approx(first, abs=1e-12 * scale.max())


@pytest.mark.cases(1)
@pytest.mark.parametrize("at", [(0, 0, 0), (0.25, 0, 0.25), (0.1, 0.49, 0.2), (0, 0.5, 0.5)])
@RATES
def test_two_spheres_collide_across_a_border_as_in_the_middle(rate, at):
    found = []
    for place in (np.array([0.25, 0.25, 0.25]), np.array(at)):
        sim = reference_cell.Simulation(1e-4, period=CUBE)
        sim.set_law(MATERIAL, MATERIAL, abut.Linear(1e4, friction=0.5, restitution=0.5))
        apart = np.array([0.05, 0.08, 0.02])
        centers = np.array([place + apart, place - apart])
        # where they are in the field does not matter, since the field has no place of its own
        sim.add_spheres(centers, 0.09, MATERIAL, angular_velocities=[[1, 2, 3], [0, -2, 1]])
        sim.center = sim.flight = np.zeros(3)
        sim.velocities = np.array([[-0.5, -0.8, -0.1], [0.5, 0.7, 0.2]])
        sim.velocities = sim.velocities + sim.centers @ reference_cell.rate_before(rate, 1e-4).T
        sim.deforms = True
        sim.set_rate(rate, affine=False)
        sim.run(steps=550)
        assert len(sim.pairs) == 0
        way = sim.centers[0] - sim.centers[1]
        count = np.rint(way @ np.linalg.inv(sim.cell))
        rates = sim.rate_of_cell(rate, sim.step, -1)
        turns = sim.velocities[0] - sim.velocities[1] - count @ rates
        found.append([way - count @ sim.cell, turns, *sim.angular_velocities])
    assert np.array(found[1]) == pytest.approx(np.array(found[0]), abs=1e-10)


@pytest.mark.cases(1)
@pytest.mark.parametrize("law", [{"restitution": 1.0}, {"friction": 0.5, "restitution": 0.5}])
@RATES
def test_energies_add_up_to_second_order(rate, law):
    errors = []
    for part in (1, 2):
        sim = build(reference_cell.Simulation, step=2e-4 / part, gravity=(1, 2, -9), **law)
        sim.run(steps=1)
        first = sum(sim.energy)
        sim.deform_cell(0.5 * rate)
        sim.run(steps=150 * part)
        errors.append(abs(sum(sim.energy) - first))
    assert errors[1] < 0.3 * errors[0] + 1e-12
    if law["restitution"] == 1.0:
        assert abs(sim.energy.dissipated) < 1e-4 * sim.energy.kinetic


@pytest.mark.ci
def test_free_points_stay_uniform_when_they_are_compressed_to_a_third():
    sim = free(CUBE, 200, -2.0 * np.eye(3) / 3)
    rng = np.random.default_rng(3)
    sim.velocities = sim.velocities + rng.normal(0, 0.2, sim.velocities.shape)
    volume = sim.volume
    while sim.volume > volume / 3:
        sim.run(steps=20)
    # cells move with their borders: the numbers in thirds scatter by noise alone
    fractions = sim.centers @ np.linalg.inv(sim.cell)
    counts = np.array([np.histogram(along, 3, (0, 1))[0] for along in fractions.T])
    assert (np.abs(counts - 200 / 3) < 4.5 * np.sqrt(200 * 2 / 9)).all()


@pytest.mark.ci
def test_its_control_reaches_its_targets():
    sim = reference_cell.Simulation(2e-4, period=CUBE)
    sim.set_law(MATERIAL, MATERIAL, abut.Linear(1e4, friction=0.5, restitution=0.3))
    sim.add_spheres(list(itertools.product((0.125, 0.375), repeat=3)), 0.12, MATERIAL)
    sim.deform_cell([[NAN, 0, 0], [0, NAN, 0], [0, 0, NAN]], [200, 300, 250], 0.5)
    sim.run(steps=2000)
    assert np.diag(sim.stress()) == pytest.approx([200, 300, 250], rel=1e-2)


# ---- beside the library --------------------------------------------------------------------------

CONTROLS = {
    "pressure": {"stress": 100.0},
    "lateral": {
        "stress": [100, NAN, 200],
        "rate": [[NAN, 2, 0], [0, -0.3, 0], [1, 0, NAN]],
    },
    "symmetric shear and creep": {
        "stress": [[100, 10, NAN], [10, 200, -20], [NAN, NAN, 200]],
        "rate": [[NAN, NAN, 0], [NAN, NAN, 0.1], [1, NAN, NAN]],
    },
}


def compare(sim, truth, starts=(0.0, 0.0)):
    """Compare all that both have; energies since those of the starts."""
    for name in ("centers", "velocities", "angular_velocities", "forces", "cell", "images"):
        ours, theirs = getattr(sim, name), getattr(truth, name)
        assert ours == pytest.approx(theirs, abs=1e-9 * max(1e-6, np.abs(theirs).max())), name
    rates = sim.velocity_gradient, truth.velocity_gradient
    assert rates[0] == pytest.approx(rates[1], abs=1e-9 * np.abs(rates[1]).max())
    stress = truth.stress()
    assert sim.stress(kinetic=True) == pytest.approx(stress, abs=1e-9 * np.abs(stress).max())
    ours, theirs = np.array(sim.energy) - starts[0], np.array(truth.energy) - starts[1]
    scale = np.abs(theirs).max()
    # powers of the border are means over a step in one of both, so they differ in second order
    assert ours[:4] == pytest.approx(theirs[:4], abs=1e-7 * scale)
    assert ours.sum() == pytest.approx(theirs.sum(), abs=1e-7 * scale)
    # the library counts a call of deform_cell to first order: half a step has the old rate
    assert ours == pytest.approx(theirs, abs=(1e-7 if np.ndim(starts[0]) == 0 else 0.03) * scale)


@pytest.mark.cases(2)
@pytest.mark.parametrize("gravity", [(0, 0, 0), (1, 2, -3)], ids=["free", "gravity"])
@RATES
def test_the_library_moves_as_the_reference_does(rate, gravity):
    touched = 0
    sims = [
        build(make, gravity=gravity, friction=0.5, restitution=0.6)
        for make in (abut.Simulation, reference_cell.Simulation)
    ]
    for sim in sims:
        sim.run(steps=20)
        sim.deform_cell(3 * rate)
    for _ in range(3):
        for sim in sims:
            sim.run(steps=100)
        compare(*sims)
        touched = max(touched, len(sims[0].pairs))
    assert touched > 2


@pytest.mark.parametrize("name", CONTROLS)
def test_the_library_holds_stress_as_the_reference_does(name):
    sims = [
        build(make, gravity=(1, 2, -3), friction=0.5, restitution=0.6)
        for make in (abut.Simulation, reference_cell.Simulation)
    ]
    for sim in sims:
        sim.run(steps=20)
        sim.deform_cell(**CONTROLS[name])
        sim.run(steps=300)
    compare(*sims)
    assert len(sims[0].pairs) > 2


@pytest.mark.parametrize(("part", "kept"), [(0.5, True), (2.0, True), (-1.0, False)])
def test_the_slow_mean_of_rates_goes_on_with_the_given_ones(part, kept):
    sims = [
        build(make, friction=0.5, restitution=0.6)
        for make in (abut.Simulation, reference_cell.Simulation)
    ]
    control = CONTROLS["lateral"]
    for sim in sims:
        sim.run(steps=20)
        sim.deform_cell(**control)
        sim.run(steps=120)
        sim.deform_cell(part * np.array(control["rate"]), stress=control["stress"])
    assert sims[1].steady.any() == kept
    for sim in sims:
        sim.run(steps=80)
    for name in ("centers", "velocities", "velocity_gradient"):
        ours, theirs = (getattr(sim, name) for sim in sims)
        assert ours == pytest.approx(theirs, abs=1e-9 * np.abs(theirs).max()), name


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_more_scenes_move_as_in_the_reference(seed):
    rng = np.random.default_rng(seed)
    cell = 0.5 * np.eye(3) + rng.normal(0, 0.1, (3, 3))
    law = {"friction": rng.uniform(0, 1), "restitution": rng.uniform(0.2, 1)}
    rate = rng.normal(0, 2, (3, 3))
    sims = [
        build(make, cell, 10, seed, gravity=(0, 1, -3), **law)
        for make in (abut.Simulation, reference_cell.Simulation)
    ]
    target = (None, 100.0, (50.0, 100.0, NAN))[seed % 3]
    starts = []
    for sim in sims:
        # some grains touch when they are added, which the balance begins with
        sim.run(steps=1)
        starts.append(np.array(sim.energy))
        sim.deform_cell(rate)
        sim.run(steps=100)
        if target is not None:
            sim.deform_cell(stress=target)
        sim.run(steps=100)
    compare(*sims, starts)
