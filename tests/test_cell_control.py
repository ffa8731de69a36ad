"""Periodic cells under stress: targets, energies, restarts, errors."""

import itertools

import numpy as np
import pytest

import abut

# soft grains make short tests
pytestmark = pytest.mark.filterwarnings("ignore:sphere .* overlaps:abut.SimulationWarning")

GRAIN = abut.Material(density=1000)
NAN = np.nan
EIGHT = list(itertools.product((0.25, 0.75), repeat=3))


def made(step=1e-3, period=(1, 1, 1), stiffness=1e4, **law):
    sim = abut.Simulation(step=step, gravity=(0, 0, 0), period=period)
    sim.set_law(GRAIN, GRAIN, abut.Linear(stiffness, **law))
    return sim


def lattice(**options):
    """Eight spheres on a cubic lattice, which do not touch yet."""
    sim = made(**({"restitution": 0.3, "friction": 0.5} | options))
    sim.add_spheres(EIGHT, 0.24, GRAIN)
    return sim


def loose(count, seed=0, speed=0.01, **law):
    """Spheres of several sizes in random places, a third of the volume."""
    rng = np.random.default_rng(seed)
    side = round(np.ceil(count ** (1 / 3) - 1e-9))
    sim = made(period=(1.1 * side,) * 3, stiffness=1e5, **law)
    sites = np.array(list(itertools.product(range(side), repeat=3)))[:count] + 0.5
    speeds = rng.normal(0, speed, (count, 3))
    sim.add_spheres(1.1 * sites, 0.5 * rng.uniform(0.8, 1, count), GRAIN, speeds)
    sim.step = 0.3 * sim.stable_step()
    return sim


def stress(sim):
    return sim.stress(kinetic=True)


# ---- targets are reached -------------------------------------------------------------------------


def test_each_axis_reaches_its_own_target():
    sim = lattice()
    sim.deform_cell(stress=[200, 300, 250])
    sim.run(steps=6000)
    assert stress(sim) == pytest.approx(np.diag([200, 300, 250]), abs=1e-3)
    assert sim.velocity_gradient == pytest.approx(0, abs=1e-6)


def test_a_rate_and_a_stress_rule_a_triaxial_path():
    sim = loose(64, friction=0.5, restitution=0.3)
    sim.deform_cell(stress=1e3)
    sim.run(steps=6000)
    sim.deform_cell(np.diag([NAN, NAN, -0.002]), stress=[1e3, 1e3, NAN])
    before = np.linalg.det(sim.cell)
    sim.run(steps=6000)
    found = stress(sim)
    assert sim.velocity_gradient[2, 2] == -0.002
    assert found.diagonal()[:2] == pytest.approx(1e3, rel=0.05)
    assert found[2, 2] > 1.3e3
    assert np.linalg.det(sim.cell) != before


def test_a_steady_flow_has_no_offset():
    # without the slow mean of rates the lateral stress is 20 % above its target
    sim = loose(64, friction=0.5, restitution=0.3)
    sim.deform_cell(stress=1e3)
    sim.run(steps=5000)
    sim.deform_cell(np.diag([NAN, NAN, -0.02]), stress=[1e3, 1e3, NAN])
    sim.run(steps=3000)
    lateral = []
    for _ in range(100):
        sim.run(steps=60)
        lateral.append(stress(sim).diagonal()[:2])
    assert sim.velocity_gradient[[0, 1], [0, 1]].mean() > 1e-3
    assert np.mean(lateral) == pytest.approx(1e3, rel=0.05)


def test_a_symmetric_shear_has_one_target():
    sim = loose(27, friction=0.5, restitution=0.3)
    targets = np.diag([1e4, 1e4, 1e4]).astype(float)
    targets[targets == 0] = NAN
    targets[0, 1] = targets[1, 0] = -1e3
    sim.deform_cell(stress=targets)
    for _ in range(20):
        sim.run(steps=200)
        gradient = sim.velocity_gradient
        assert gradient[0, 1] == gradient[1, 0]
        assert (gradient[[0, 2, 1, 2], [2, 0, 2, 1]] == 0).all()
    found = stress(sim)
    assert 0.5 * (found[0, 1] + found[1, 0]) == pytest.approx(-1e3, rel=0.05)
    assert found.diagonal() == pytest.approx(1e4, rel=0.02)
    assert sim.deformation[0, 1] > 0


def test_one_shear_stress_alone_is_creep():
    sim = loose(27, friction=0.5, restitution=0.3)
    targets = np.full((3, 3), NAN)
    np.fill_diagonal(targets, 1e4)
    targets[1, 0] = -1e3
    sim.deform_cell(stress=targets)
    sim.run(steps=4000)
    assert stress(sim)[1, 0] == pytest.approx(-1e3, rel=0.05)
    assert sim.deformation[0, 1] > 0
    assert sim.deformation[1, 0] == 0


def test_a_callable_ramps_the_target():
    sim = lattice()
    sim.deform_cell(stress=50)
    sim.run(10.0)
    sim.deform_cell(stress=lambda s: min(200.0, 50.0 + 10.0 * (s.time - 10.0)))
    for _ in range(5):
        sim.run(2.0)
        # the lag is about the time of a wave through the cell
        assert stress(sim).diagonal() == pytest.approx(50 + 10 * (sim.time - 10), abs=10)
    sim.run(10.0)
    assert stress(sim).diagonal() == pytest.approx(200, rel=1e-2)


def test_bonds_bear_tension():
    sim = made(restitution=0.3, step=2e-4)
    centers = np.array(list(itertools.product(range(3), repeat=3))) / 3
    sim.add_spheres(centers, 0.16, GRAIN)
    near = abut.find_pairs(centers, sim.radii, period=(1, 1, 1), gap=0.02)
    sim.bond(near, abut.Bond(young=1e5, damping=0.3, radius=0.5))
    assert len(sim.bonds) == 81
    sim.deform_cell(stress=[-50, -20, -30], largest_rate=0.05)
    sim.run(steps=8000)
    assert stress(sim).diagonal() == pytest.approx([-50, -20, -30], rel=1e-2)
    assert len(sim.bonds) == 81


def test_clusters_and_bodies_bear_a_stress():
    cube = abut.ConvexShape(list(itertools.product((-1, 1), repeat=3)))
    pair = abut.Cluster([[-0.05, 0, 0], [0.05, 0, 0]], 0.2)
    for kind in ("clusters", "bodies"):
        sim = made(restitution=0.3, friction=0.5)
        if kind == "clusters":
            sim.add_clusters(pair, EIGHT, GRAIN)
        else:
            sim.add_bodies(cube, EIGHT, GRAIN, scales=0.2)
        sim.deform_cell(stress=[300, 200, 250], largest_rate=0.2)
        sim.run(steps=8000)
        # that the stress is held shows that the step's own stress is that of `stress`
        assert stress(sim).diagonal() == pytest.approx([300, 200, 250], rel=0.01), kind


@pytest.mark.parametrize("pressure", [1e2, 1e3])
def test_a_chain_of_grains_with_few_contacts_bears_a_stress(pressure):
    sim = loose(8, friction=0.5, restitution=0.1)
    sim.deform_cell(stress=pressure)
    sim.run(steps=15_000)
    # two grains bear all of it, with three contacts each
    assert sim.coordination() < 4
    assert stress(sim).diagonal() == pytest.approx(pressure, rel=0.01)


# ---- energy, restarts, threads -------------------------------------------------------------------


def test_energies_add_up_while_the_rate_changes():
    errors, lost = [], []
    for part in (1, 2):
        sim = lattice(step=1e-3 / part, restitution=1.0, friction=0.0)
        sim.velocities = np.random.default_rng(0).normal(0, 0.05, (8, 3))
        sim.gravity = (0.3, 0.2, -0.5)
        sim.run(steps=1)
        first = sum(sim.energy)
        sim.deform_cell(stress=200, largest_rate=0.1)
        sim.run(steps=2500 * part)
        errors.append(abs(sum(sim.energy) - first))
        lost.append(abs(sim.energy.dissipated))
        scale = abs(sim.energy.wall_work) + sim.energy.kinetic + sim.energy.elastic
    assert np.abs(sim.images).max() > 0
    assert errors[1] < max(0.4 * errors[0], 1e-6 * scale)
    assert lost[1] < max(0.4 * lost[0], 1e-4 * scale)


@pytest.mark.parametrize("how", ["copy", "file"])
def test_a_run_in_parts_has_the_same_bits(how, tmp_path):
    sim = loose(27, friction=0.5, restitution=0.3)
    sim.deform_cell(np.diag([NAN, NAN, -0.1]), stress=[1e3, 2e3, NAN])
    sim.run(steps=700)
    if how == "copy":
        other = sim.copy()
    else:
        sim.save(tmp_path / "middle.npz")
        other = abut.load_simulation(tmp_path / "middle.npz")
    for one in (sim, other):
        one.run(steps=700)
    for name in ("centers", "velocities", "cell", "velocity_gradient"):
        assert getattr(sim, name).tobytes() == getattr(other, name).tobytes(), name
    assert sim.energy == other.energy


def test_threads_do_not_show():
    found = []
    for workers in (1, 3):
        sim = abut.Simulation(
            step=1e-3, gravity=(0, 0, 0), period=(14.3, 14.3, 14.3), workers=workers
        )
        sim.set_law(GRAIN, GRAIN, abut.Linear(1e5, friction=0.5, restitution=0.3))
        sites = np.array(list(itertools.product(range(13), repeat=3))) + 0.5
        speeds = np.random.default_rng(0).normal(0, 0.3, sites.shape)
        sim.add_spheres(1.1 * sites, 0.5, GRAIN, speeds)
        sim.deform_cell(stress=1e4, largest_rate=0.5)
        sim.run(steps=60)
        found.append((sim.centers.tobytes(), sim.velocity_gradient.tobytes()))
    assert found[0] == found[1]


def test_a_rate_alone_ends_the_control():
    sim = lattice()
    sim.deform_cell(stress=200)
    sim.run(steps=100)
    sim.deform_cell(np.zeros((3, 3)))
    cell = sim.cell
    sim.run(steps=10)
    assert (sim.cell == cell).all()


# ---- errors --------------------------------------------------------------------------------------


def diagonal(*numbers):
    return np.diag(numbers)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, TypeError, "rate=, stress= or both"),
        ({"rate": np.zeros((3, 3)), "largest_rate": 1.0}, ValueError, "limit for stress="),
        ({"stress": 0}, ValueError, "all targets of stress are 0"),
        ({"stress": [0, 0, 0]}, ValueError, "all targets of stress are 0"),
        ({"stress": NAN}, ValueError, "has no target"),
        ({"stress": np.inf}, ValueError, r"stress\[0, 0\] is inf"),
        ({"stress": [1, 2]}, ValueError, "has shape"),
        ({"stress": "1"}, TypeError, "stress"),
        ({"stress": 1, "largest_rate": 0}, ValueError, "largest_rate"),
        ({"stress": 1, "rate": np.zeros((3, 3))}, ValueError, r"rate\[0, 0\] is 0 and stress"),
        ({"stress": [1, NAN, 1], "rate": diagonal(NAN, NAN, NAN)}, ValueError, "are nan, but"),
        (
            {"stress": [[1, 2, NAN], [3, 1, NAN], [NAN, NAN, 1]]},
            ValueError,
            r"stress\[0, 1\] is 2, but stress\[1, 0\] is 3",
        ),
        ({"stress": 1, "largest_rate": 1e6}, ValueError, "border of the cell moves"),
    ],
)
def test_errors_name_the_component(options, error, message):
    sim = lattice()
    with pytest.raises(error, match=message):
        sim.deform_cell(**options)
    assert (sim.velocity_gradient == 0).all()


def test_stress_needs_a_cell_with_three_vectors_and_grains():
    with pytest.raises(ValueError, match="does not repeat along z"):
        lattice(period=(1, 1, None)).deform_cell(stress=1)
    with pytest.raises(ValueError, match="without particles"):
        made().deform_cell(stress=1)


def test_a_callable_must_hold_the_same_components():
    sim = lattice()
    sim.deform_cell(stress=lambda s: 100 if s.step_count < 5 else [100, NAN, 100])
    with pytest.raises(ValueError, match=r"stress\[1, 1\] nan, but must hold"):
        sim.run(steps=10)
    assert sim.step_count == 5


def test_grains_that_bear_nothing_end_the_run():
    alone = made()
    alone.add_spheres([[0.5, 0.5, 0.5]], 0.3, GRAIN)
    alone.deform_cell(stress=100, largest_rate=0.5)
    with pytest.raises(ValueError, match=r"less than its particles.* stress\[0, 0\] = 100"):
        alone.run(100.0)
    pulled = lattice()
    pulled.deform_cell(stress=-20, largest_rate=0.5)
    with pytest.raises(ValueError, match=r"8 times the first.* stress\[0, 0\] = -20"):
        pulled.run(100.0)


# ---- many packings -------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize(
    # dampers that are strong, and soft loads, need more time than a test has
    ("restitution", "pressure"),
    [(0.01, 1e-2), (0.01, 1e-3)]
    + [(0.1, pressure) for pressure in (1e-2, 1e-3, 1e-4)]
    + [(e, pressure) for e in (0.5, 0.9) for pressure in (1e-2, 1e-3, 1e-4, 1e-5)],
)
@pytest.mark.parametrize("count", [8, 27, 64])
def test_packings_reach_their_pressure(count, pressure, restitution, friction):
    sim = loose(count, friction=friction, restitution=restitution)
    target = pressure * 1e5
    sim.deform_cell(stress=target)
    errors = []
    for _ in range(400):
        sim.run(steps=1000)
        errors.append(np.abs(stress(sim).diagonal() / target - 1).max())
        if max(errors[-3:]) < 0.05 and len(errors) > 3:
            break
    assert max(errors[-3:]) < 0.05


@pytest.mark.long
@pytest.mark.parametrize(("pressure", "restitution"), [(1e-2, 0.1), (1e-3, 0.5), (1e-4, 0.9)])
def test_a_thousand_grains_reach_their_pressure(pressure, restitution):
    test_packings_reach_their_pressure(1000, pressure, restitution, 0.5)
