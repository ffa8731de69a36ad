"""Triaxial cells of six walls."""

import math

import numpy as np
import pytest

import abut
from test_drives import a_box

GRAIN, PLATE = abut.Material(density=2600.0, young=1e7, poisson=0.2), abut.Material()
SIDE, PRESSURE = 8.2e-3, 1e4
BOX = [[0, 0, 0], [SIDE] * 3]


def grains(friction=0.3, workers=1):
    """64 spheres on a disturbed lattice."""
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), workers=workers)
    sim.set_law(GRAIN, GRAIN, abut.Hertz(friction=friction, restitution=0.3))
    sim.set_law(GRAIN, PLATE, abut.Hertz(restitution=0.3))
    rng = np.random.default_rng(2)
    lattice = SIDE / 4 * (np.argwhere(np.ones((4, 4, 4))) + 0.5)
    lattice += rng.uniform(-5e-5, 5e-5, lattice.shape)
    sim.add_spheres(lattice, 1e-3 * rng.uniform(0.8, 0.95, 64), GRAIN)
    return sim


def pressed(pressure=PRESSURE, **options):
    sim = grains()
    return sim, abut.triaxial(sim, BOX, pressure=pressure, material=PLATE, **options)


def test_all_sides_bear_the_pressure_and_the_middle_stays():
    sim, cell = pressed()
    sim.run(0.15)
    np.testing.assert_allclose(cell.stress, PRESSURE, rtol=1e-3)
    # that of the walls is that of the grains inside
    middle = np.mean([wall.pose[:3, 3] for wall in cell.walls], axis=0)
    assert np.abs(middle).max() < 0.02 * SIDE
    low = [cell.walls[2 * k].pose[k, 3] for k in range(3)]
    inside = sim.stress((low, low + cell.sides))
    np.testing.assert_allclose(np.diag(inside), cell.stress, rtol=2e-3)
    assert cell.pressure == (PRESSURE,) * 3


def test_each_axis_has_its_pressure_and_may_stand_still():
    sim, cell = pressed((1e4, 2e4, None))
    assert cell.pressure == (1e4, 2e4, None)
    sim.run(0.1)
    np.testing.assert_allclose(cell.stress[:2], [1e4, 2e4], rtol=1e-3)
    assert cell.sides[2] == SIDE
    assert cell.strain[2] == 0
    cell.pressure = (math.nan, 1e4, 3e4)
    assert cell.pressure == (1e4, 1e4, 3e4)


def test_walls_bear_the_pressure_times_the_area_of_the_step():
    sim, cell = pressed()
    sim.run(0.02)
    for _ in range(20):
        low = cell.sides
        sim.run(steps=1)
        loads = [sim._walls.drive(wall.number)["load"] for wall in cell.walls]
        wanted = np.repeat(PRESSURE * low.prod() / low, 2)
        np.testing.assert_allclose(loads, wanted, rtol=1e-12)


def test_compression_has_its_rate_and_keeps_the_pressure_on_the_other_sides():
    sim, cell = pressed()
    sim.run(0.1)
    sides = cell.sides
    cell.strain = 0
    assert cell.strain.tolist() == [0, 0, 0]
    cell.compress(1.0)
    assert cell.pressure == (PRESSURE, PRESSURE, None)
    sim.run(0.05)
    assert cell.sides[2] == pytest.approx(0.95 * sides[2], rel=1e-9)
    np.testing.assert_allclose(cell.strain, np.log(sides / cell.sides), rtol=1e-12)
    assert cell.strain[2] == pytest.approx(-math.log(0.95))
    assert cell.strain[:2].max() < 0
    assert cell.stress[2] > 1.5 * PRESSURE
    np.testing.assert_allclose(cell.stress[:2], PRESSURE, rtol=0.2)
    middle = sum(wall.pose[2, 3] for wall in cell.walls[4:])
    cell.compress(0)
    before = cell.sides[2]
    sim.run(0.01)
    assert cell.sides[2] == before
    assert sum(wall.pose[2, 3] for wall in cell.walls[4:]) == pytest.approx(middle)
    cell.compress(-1.0, axis=0)
    sim.run(0.01)
    assert cell.strain[0] < -0.01


def test_the_pressure_may_be_a_function_of_time():
    sim, cell = pressed(lambda t: PRESSURE * min(1.0, t / 0.03))
    sim.run(0.06)
    np.testing.assert_allclose(cell.stress, PRESSURE, rtol=2e-3)
    cell.pressure = [lambda t: 2 * PRESSURE, None, None]
    sim.run(0.03)
    np.testing.assert_allclose(cell.stress, [2 * PRESSURE, PRESSURE, PRESSURE], rtol=5e-3)


def test_the_void_ratio_counts_all_grains():
    sim, cell = pressed()
    spheres = 4 / 3 * np.pi * (sim.radii**3).sum()
    assert cell.void_ratio == pytest.approx(SIDE**3 / spheres - 1)
    sim.add_bodies(abut.ConvexShape(*a_box((1, 2, 3))), [[1, 0, 0]], GRAIN, scales=1e-3)
    dumbbell = abut.Cluster([[-5e-4, 0, 0], [5e-4, 0, 0]], [1e-3, 1e-3])
    other = abut.Material(density=100.0, young=1e6)
    sim.add_clusters(dumbbell, [[2, 0, 0], [3, 0, 0]], other)
    solid = spheres + 6e-9 + 2 * dumbbell.mass_for(1.0)
    assert cell.void_ratio == pytest.approx(SIDE**3 / solid - 1)
    alone = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    assert abut.triaxial(alone, BOX, pressure=1.0).void_ratio == math.inf


def test_a_record_has_what_the_cell_had(tmp_path):
    sim, cell = pressed(every=1e-3)
    assert cell.record.stress.shape == (0, 3)
    rows = []
    sim.every(1e-3, lambda s: rows.append((cell.stress, cell.strain, cell.void_ratio)))
    sim.run(0.005)
    record = cell.record
    np.testing.assert_allclose(record.times, 1e-3 * np.arange(1, 6))
    for k, name in enumerate(("stress", "strain", "void_ratio")):
        assert getattr(record, name).tolist() == np.array([row[k] for row in rows]).tolist()
    record.save(tmp_path / "a.csv")
    names = (tmp_path / "a.csv").read_text().splitlines()[0].split(",")
    assert names[:3] == ["time", "stress_x", "stress_y"]
    assert names[7] == "void_ratio"
    record.remove()
    sim.run(0.002)
    assert len(record) == 5


def test_strain_goes_on_from_given_sides():
    sim, cell = pressed()
    np.testing.assert_array_equal(cell.first_sides, np.diff(BOX, axis=0)[0])
    sim.run(0.005)
    cell.strain = 0
    first = cell.first_sides
    assert (first == cell.sides).all() and (first != np.diff(BOX, axis=0)[0]).any()
    cell.compress(1.0)
    sim.run(0.005)
    other = sim.copy()
    again = abut.triaxial(other, walls=cell.walls, first_sides=first)
    assert again.strain.tolist() == cell.strain.tolist()
    again.first_sides = 2 * again.sides
    np.testing.assert_allclose(again.strain, np.log([2, 2, 2]), rtol=1e-12)
    for sides, message in (([1, 0, 1], r"\[1.0, 0.0, 1.0\], but must be positive"), ([1], "shape")):
        with pytest.raises(ValueError, match=f"first_sides .*{message}"):
            abut.triaxial(other, walls=cell.walls, first_sides=sides)


def test_a_cell_without_walls_names_itself():
    sim, cell = pressed(every=1e-4)
    sim.run(steps=20)
    part = abut.triaxial(sim.copy(), walls=cell.walls)
    for wall in part.walls:
        wall.motion = None
    part._sim.remove_wall(cell.walls[2].number)
    cell.remove()
    assert repr(cell) == repr(part) == "TriaxialCell(removed)"
    assert len(cell.record) == 2
    names = ("sides", "first_sides", "stress", "strain", "void_ratio", "pressure")
    for one, words in ((cell, "the walls of this triaxial cell were"), (part, "wall 2 of this")):
        calls = [lambda name=name, one=one: getattr(one, name) for name in names]
        calls += [one.remove, lambda one=one: one.compress(1.0)]
        calls += [lambda one=one, k=k: setattr(one, k, 1e4) for k in ("pressure", "strain")]
        for call in calls:
            with pytest.raises(ValueError, match=f"{words} .*make another one with abut.triaxial"):
                call()


def test_walls_go_and_the_record_ends():
    sim, cell = pressed(every=1e-4)
    gate = sim.add_wall(abut.HalfSpace((0, 0, -1), (0, 0, 1)))
    sim.run(steps=20)
    cell.remove()
    assert sim.walls == (gate,)
    sim.run(steps=20)
    assert len(cell.record) == 2


def test_a_copy_and_a_restart_continue_with_the_same_bits(tmp_path):
    sim, cell = pressed(speed=0.1)
    sim.run(0.02)
    cell.compress(0.5, axis=1)
    sim.run(0.01)
    before = cell.strain.tolist()
    assert before[1] > 4e-3
    sim.save(tmp_path / "a.npz")
    others = [sim.copy(), abut.load_simulation(tmp_path / "a.npz")]
    sim.run(0.01)
    for other in others:
        again = abut.triaxial(other, walls=cell.walls)
        assert again.strain.tolist() == before
        again.strain = [0.1, 0, 0]
        np.testing.assert_allclose(again.strain, [0.1, 0, 0], atol=1e-15)
        other.run(0.01)
        assert again.stress.tolist() == cell.stress.tolist()
        assert again.sides.tolist() == cell.sides.tolist()
        assert again.pressure == (PRESSURE, None, PRESSURE)
        again.pressure = 2e4
        assert again.walls[0].motion.speed == 0.1
    assert cell.pressure == (PRESSURE, None, PRESSURE)


def test_threads_make_no_difference():
    found = []
    for workers in (1, 3):
        sim = grains(workers=workers)
        cell = abut.triaxial(sim, BOX, pressure=PRESSURE, material=PLATE)
        sim.run(0.02)
        found.append((sim.centers.tolist(), cell.sides.tolist()))
    assert found[0] == found[1]


def unaccounted(step):
    """The energy that is missing without friction and damping, by the work of the walls."""
    sim = grains(friction=0.0)
    sim.step = step
    for other in (GRAIN, PLATE):
        sim.set_law(GRAIN, other, abut.Hertz(restitution=1.0))
    cell = abut.triaxial(sim, BOX, pressure=PRESSURE, material=PLATE)
    cell.compress(2.0)
    sim.run(0.02)
    assert sim.energy.wall_work < 0
    return abs(sim.energy.dissipated / sim.energy.wall_work)


def test_the_ledger_closes_to_first_order_of_the_step():
    """Walls without mass have this order (docs/validation.md)."""
    coarse, fine = unaccounted(1e-5), unaccounted(2.5e-6)
    assert coarse < 0.1
    assert fine < coarse / 2


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (TypeError, "either box=, or walls=", {"pressure": 1.0}),
        (TypeError, "either box=, or walls=", {"box": BOX, "walls": range(6), "pressure": 1.0}),
        (TypeError, "needs pressure=", {"box": BOX}),
        (TypeError, "material= is for box=", {"walls": range(6), "material": PLATE}),
        (ValueError, "pressure is 0", {"box": BOX, "pressure": 0}),
        (ValueError, "pressure has 2 entries", {"box": BOX, "pressure": (1, 2)}),
        (ValueError, r"pressure\[1\] is -1", {"box": BOX, "pressure": (1, -1, None)}),
        (
            ValueError,
            "box goes from 1 to 1 along y",
            {"box": [[0, 1, 0], [1, 1, 1]], "pressure": 1},
        ),
        (ValueError, "speed is 0", {"box": BOX, "pressure": 1.0, "speed": 0}),
        (ValueError, "every is -1", {"box": BOX, "pressure": 1.0, "every": -1}),
        (TypeError, "material", {"box": BOX, "pressure": 1.0, "material": "steel"}),
        (ValueError, "walls has 2 walls, but must have six", {"walls": (0, 1)}),
        (ValueError, r"walls\[0\] is 7, but there is no wall 7", {"walls": range(7, 13)}),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_added(error, message, arguments):
    sim = grains()
    with pytest.raises(error, match=message):
        abut.triaxial(sim, **arguments)
    assert sim.walls == ()


def test_worlds_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"gravity is \(0.0, 0.0, -9.81\), but walls"):
        abut.triaxial(abut.Simulation(step=1e-3), BOX, pressure=1.0)
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0), period=(None, None, 1.0))
    with pytest.raises(ValueError, match="has a period, but a triaxial cell has walls"):
        abut.triaxial(sim, BOX, pressure=1.0)
    sim, cell = pressed()
    sim.gravity = 0, 0, -1
    for change in (lambda: cell.compress(1.0), lambda: setattr(cell, "pressure", 2.0)):
        with pytest.raises(ValueError, match="gravity is"):
            change()


def test_a_cell_names_what_is_wrong():
    sim, cell = pressed()
    with pytest.raises(IndexError, match="there is no axis 3: there are 3 axes"):
        cell.compress(1.0, axis=3)
    with pytest.raises(ValueError, match="rate is nan"):
        cell.compress(math.nan)
    with pytest.raises(ValueError, match=r"strain has shape \(2,\)"):
        cell.strain = (1, 2)
    with pytest.raises(ValueError, match="this cell has no record: give every="):
        _ = cell.record
    swapped = [1, 0, 2, 3, 4, 5]
    with pytest.raises(ValueError, match=r"walls\[0\] is wall 1, which is no half space with"):
        abut.triaxial(sim, walls=swapped)
    with pytest.raises(ValueError, match="wall 0 bounds the area"):
        sim.remove_wall(0)
    with pytest.raises(AttributeError, match="presure"):
        cell.presure = 2.0
    with pytest.raises(TypeError, match="sim is an int, but must be a Simulation"):
        abut.triaxial(5, BOX, pressure=1.0)
