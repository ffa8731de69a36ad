"""Warnings of a running simulation: too fast, overlaps too deep, steps too long."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import abut
from abut.simulation import watch
from scenes_simulation import GRAIN, STEEL

CUBE = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
ROD = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
STEP, STIFFNESS = 1e-4, 1e6


def floor(half=9.0, height=0.0):
    corners = [[-half, -half, height], [half, -half, height], [half, half, height]]
    return abut.Mesh([*corners, [-half, half, height]], [[0, 1, 2, 3]])


def world(*, step=STEP, **options):
    sim = abut.Simulation(step=step, gravity=(0, 0, 0), **options)
    for other in (GRAIN, STEEL):
        sim.set_law(GRAIN, other, abut.Linear(STIFFNESS))
    return sim


def told_by(sim, calls=4, steps=100):
    """The warnings of a loop of `run`."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(calls):
            sim.run(steps=steps)
    assert all(one.category is abut.SimulationWarning for one in told)
    assert all(one.filename == __file__ for one in told)
    return [str(one.message) for one in told]


# ---- what is too fast ----------------------------------------------------------------------------


def add_sphere(sim, place, velocity):
    return sim.add_spheres([place], 0.1, GRAIN, velocities=velocity)


def add_rod(sim, place, velocity):
    return sim.add_clusters(ROD, [place], GRAIN, velocities=velocity)


def add_cube(sim, place, velocity):
    return sim.add_bodies(CUBE, [place], GRAIN, scales=0.1, velocities=velocity)


@pytest.mark.parametrize(
    ("add", "name"),
    [
        (add_sphere, "sphere 1 moves by 1.3 times its radius"),
        (add_rod, "sphere 2 moves by 1.3 times its radius"),
        (add_cube, "body 1 moves by 1.3 times its inner radius"),
    ],
)
def test_what_moves_by_more_than_its_radius_is_told_once(add, name):
    sim = world()
    sim.add_wall(floor(height=-5.0), STEEL)
    add(sim, [0, 0, 1], (0, 0, 0.99 * 0.1 / STEP))
    assert told_by(sim, 3, 1) == []
    add(sim, [1, 0, 1], (0, 0, 0.13 / STEP))
    add(sim, [2, 0, 1], (0, 0, 0.14 / STEP))
    (told,) = told_by(sim, 3, 1)
    assert told.startswith(f"{name} in step 3: it may pass through walls")


def test_a_sphere_that_passes_through_a_wall_has_been_told():
    sim = world(workers=1)
    sim.add_wall(floor(), STEEL)
    sim.add_spheres([[0, 0, 0.5]], 0.1, GRAIN, velocities=(0, 0, -0.3 / STEP))
    (told,) = told_by(sim)
    assert "sphere 0 moves by 3 times" in told and sim.centers[0, 2] < 0 and not len(sim.contacts)


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_first_is_that_of_the_smallest_number(workers):
    """Wherever spheres are stored, and whichever thread comes first."""
    rng = np.random.default_rng(4)
    places = rng.permutation(np.stack(np.meshgrid(*[np.arange(18.0)] * 3), -1).reshape(-1, 3))
    velocities = np.zeros_like(places)
    sim = world(workers=workers)
    sim.add_spheres(places, 0.4, GRAIN)
    sim.run(steps=2)
    velocities[[31, 400, 2500, 5000], 0] = 10.0 / STEP, 0.41 / STEP, 10.0 / STEP, 10.0 / STEP
    sim.velocities = velocities
    sim.remove_spheres(np.arange(100))
    assert told_by(sim, 1, 1)[0].startswith("sphere 400 moves by 1.02 times")


# ---- what is too deep ----------------------------------------------------------------------------


def at_mesh(sim):
    sim.add_wall(floor(), STEEL)


def at_half_space(sim):
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), STEEL)


@pytest.mark.parametrize("wall", [at_mesh, at_half_space])
@pytest.mark.parametrize(
    ("add", "name", "radius"),
    [(add_sphere, "sphere", ""), (add_rod, "sphere", ""), (add_cube, "body", "inner ")],
)
def test_an_overlap_with_a_wall_that_grows_too_large_is_told_once(wall, add, name, radius):
    sim = world()
    sim.add_wall(floor(height=-5.0), STEEL)
    wall(sim)
    add(sim, [-3, 0, 0.11], (0, 0, 0))
    add(sim, [0, 0, 0.11], (0, 0, -20.0))
    first = 2 if add is add_rod else 1
    (told,) = told_by(sim)
    assert re.match(
        rf"{name} {first} overlaps wall 1 by 1\d\.\d% of its {radius}radius in step \d+, but", told
    )


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    ("adders", "text"),
    [
        ((add_sphere, add_sphere), "sphere 0 overlaps sphere 1 by 1...% of the smaller radius"),
        ((add_sphere, add_rod), "sphere 0 overlaps sphere 1 by 1...% of the smaller radius"),
        ((add_cube, add_cube), "body 0 overlaps body 1 by 1...% of the smaller inner radius"),
        ((add_sphere, add_cube), "body 0 overlaps sphere 0 by 1...% of the smaller inner radius"),
    ],
)
def test_an_overlap_of_two_that_grows_too_large_is_told_once(adders, text, workers):
    sim = world(workers=workers)
    for add, place, velocity in zip(adders, (0, 0.26), (20.0, -20.0), strict=True):
        add(sim, [place, 0, 0], (velocity, 0, 0))
    (told,) = told_by(sim)
    assert re.match(rf"{text} in step \d+, but", told)


def test_of_many_overlaps_the_first_numbers_are_told():
    """All overlaps grow in the same step."""
    count = 1500
    places = np.stack([np.arange(count) % 40, np.arange(count) // 40, np.zeros(count)], 1)
    texts = []
    for workers in (1, 3):
        sim = world(workers=workers)
        sim.add_wall(floor(half=100.0), STEEL)
        sim.add_spheres(places[::-1] + [0, 0, 0.11], 0.1, GRAIN, velocities=(0, 0, -20.0))
        texts += told_by(sim, 1, 60)
    assert texts[0] == texts[1] and texts[0].startswith("sphere 0 overlaps wall 0")


def test_an_overlap_that_grew_before_it_was_saved_is_not_told_again(tmp_path):
    sim = world()
    sim.add_wall(floor(), STEEL)
    sim.add_spheres([[0, 0, 0.11]], 0.1, GRAIN, velocities=(0, 0, -20.0))
    assert len(told_by(sim, 1, 30)) == 1
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz", meshes=[floor()])
    again.centers, again.velocities = [[0, 0, 0.11]], [[0, 0, -20.0]]
    assert told_by(again) == []


# ---- what overlaps where it was put --------------------------------------------------------------


def bodies_in_each_other():
    sim = world()
    sim.add_bodies(CUBE, [[0, 0, 0], [0, 0, 0.02]], GRAIN, scales=0.1)
    return sim


def bodies_in_a_wall():
    sim = world()
    sim.add_wall(floor(), STEEL)
    sim.add_bodies(CUBE, [[0, 0, 0.02]], GRAIN, scales=0.1)
    return sim


def bodies_in_a_half_space():
    sim = world()
    at_half_space(sim)
    sim.add_bodies(CUBE, [[0, 0, 0.02]], GRAIN, scales=0.1)
    return sim


def bodies_over_spheres():
    sim = world()
    sim.add_spheres([[0, 0, 0.08]], 0.05, GRAIN)
    sim.run(steps=1)
    sim.add_bodies(CUBE, [[0, 0, 0]], GRAIN, scales=0.1)
    return sim


def spheres_in_a_body():
    sim = world()
    sim.add_bodies(CUBE, [[0, 0, 0]], GRAIN, scales=0.1)
    sim.add_spheres([[0, 0, 0.08]], 0.05, GRAIN)
    return sim


def spheres_in_each_other():
    sim = world()
    sim.add_spheres([[5, 0, 0], [0, 0, 0], [0.19, 0, 0], [0, 0.05, 0]], 0.1, GRAIN)
    return sim


def clusters_in_each_other():
    sim = world()
    sim.add_clusters(ROD, [[0, 0, 0], [0.05, 0.05, 0]], GRAIN)
    return sim


def walls_through_spheres():
    sim = world()
    sim.add_spheres([[0, 0, 1], [0, 0, 0.02]], 0.1, GRAIN)
    sim.run(steps=1)
    sim.add_wall(floor(), STEEL)
    return sim


def walls_through_bodies():
    sim = world()
    sim.add_bodies(CUBE, [[0, 0, 0.02]], GRAIN, scales=0.1)
    sim.run(steps=1)
    at_half_space(sim)
    return sim


def walls_through_clusters():
    sim = world()
    sim.add_clusters(ROD, [[0, 0, 1], [0, 0, 0.02]], GRAIN)
    sim.run(steps=1)
    sim.add_wall(floor(), STEEL)
    return sim


def walls_that_are_switched_on():
    sim = world()
    wall = sim.add_wall(floor(), STEEL)
    wall.active = False
    sim.add_spheres([[0, 0, 0.02]], 0.1, GRAIN)
    sim.run(steps=1)
    wall.active = True
    return sim


def radii_that_are_assigned():
    """Radii are assigned to two touching spheres."""
    sim = world()
    sim.add_spheres([[0, 0, 0], [0.199, 0, 0]], 0.1, GRAIN)
    sim.run(steps=3)
    sim.radii = sim.radii * 1.5
    return sim


def centers_that_are_assigned():
    sim = world()
    sim.add_spheres([[0, 0, 0], [1, 0, 0]], 0.1, GRAIN)
    sim.run(steps=3)
    sim.centers = [[0, 0, 0], [0.1, 0, 0]]
    return sim


def bodies_that_are_moved():
    sim = world()
    sim.add_bodies(CUBE, [[0, 0, 0], [1, 0, 0]], GRAIN, scales=0.1)
    sim.run(steps=2)
    sim.bodies.positions = [[0, 0, 0], [0.15, 0, 0]]
    return sim


def bodies_that_are_turned():
    """By an eighth of a turn about z, two cubes side by side meet at their edges."""
    sim = world()
    sim.add_bodies(CUBE, [[0, 0, 0], [0.21, 0, 0]], GRAIN, scales=0.1)
    sim.run(steps=2)
    sim.bodies.orientations = [[0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)]] * 2
    return sim


def clusters_that_are_moved():
    sim = world()
    sim.add_clusters(ROD, [[0, 0, 0], [0, 1, 0]], GRAIN)
    sim.run(steps=2)
    sim.clusters.positions = [[0, 0, 0], [0.19, 0.0, 0]]
    return sim


def spheres_that_are_let_go():
    sim = world()
    sim.add_wall(floor(), STEEL)
    sim.add_spheres([[0, 0, 0.02]], 0.1, GRAIN, fixed=True)
    assert told_by(sim, 1, 2) == []
    sim.fixed = False
    return sim


def bodies_that_are_let_go():
    sim = world()
    sim.add_bodies(CUBE, [[0, 0, 0], [0, 0, 0.02]], GRAIN, scales=0.1, fixed=True)
    assert told_by(sim, 1, 2) == []
    sim.bodies.assign(fixed=[True, False])
    return sim


SPEED = r" at a speed of [\de.+]+. Move them apart"
WAYS_IN = [
    (
        bodies_in_each_other,
        "body 0 overlaps body 1 by 180.0% of the smaller inner radius in step 0",
    ),
    (bodies_in_a_wall, "body 0 overlaps wall 0 by 80.0% of its inner radius in step 0"),
    (bodies_in_a_half_space, "body 0 overlaps wall 0 by 80.0% of its inner radius in step 0"),
    (bodies_over_spheres, "body 0 overlaps sphere 0 by 140.0% .* inner radius in step 1"),
    (spheres_in_a_body, "body 0 overlaps sphere 0 by 140.0% of the smaller inner radius in step 0"),
    (spheres_in_each_other, "sphere 1 overlaps sphere 3 by 150.0% of the smaller radius in step 0"),
    (clusters_in_each_other, r"sphere \d overlaps sphere \d by .* of the smaller radius in step 0"),
    (walls_through_spheres, "sphere 1 overlaps wall 0 by 80.0% of its radius in step 1"),
    (walls_through_bodies, "body 0 overlaps wall 0 by 80.0% of its inner radius in step 1"),
    (walls_through_clusters, "sphere [23] overlaps wall 0 by 80.0% of its radius in step 1"),
    (walls_that_are_switched_on, "sphere 0 overlaps wall 0 by 80.0% of its radius in step 1"),
    (
        radii_that_are_assigned,
        "sphere 0 overlaps sphere 1 by 67..% of the smaller radius in step 3",
    ),
    (centers_that_are_assigned, "sphere 0 overlaps sphere 1 by 100.0% .* in step 3"),
    (bodies_that_are_moved, "body 0 overlaps body 1 by 50.0% .* in step 2"),
    (bodies_that_are_turned, "body 0 overlaps body 1 by 51.5% .* in step 2"),
    (clusters_that_are_moved, "sphere . overlaps sphere . by 110.0% .* in step 2"),
    (spheres_that_are_let_go, "sphere 0 overlaps wall 0 by 80.0% of its radius in step 2"),
    (bodies_that_are_let_go, "body 0 overlaps body 1 by 180.0% .* in step 2"),
]


@pytest.mark.parametrize(("way", "text"), WAYS_IN, ids=[way.__name__ for way, _ in WAYS_IN])
def test_what_overlaps_where_it_was_put_is_told_in_the_next_step(way, text, tmp_path):
    """The warning comes once, whatever is added. Restart files do not store released spheres."""
    sim = way()
    sim.save(tmp_path / "a.npz")
    meshes = [wall.mesh for wall in sim.walls if isinstance(wall.mesh, abut.Mesh)]
    again = abut.load_simulation(tmp_path / "a.npz", meshes=meshes)
    for one in (sim,) if "let_go" in way.__name__ else (sim, again):
        (told,) = (text for text in told_by(one, 2, 1) if "where they were placed" in text)
        cure = ", or bond them" if text.count("sphere") == 2 else ""
        assert re.match(
            rf"{text}, where they were placed.*: they will fly apart{SPEED}{cure}$", told
        )


def test_each_way_in_is_looked_at():
    sim = spheres_in_each_other()
    (told,) = told_by(sim, 2, 1)
    assert " (and 1 other overlap of more than 5%)" in told
    sim.add_spheres([[9, 0, 0], [9.1, 0, 0]], 0.1, GRAIN)
    (told,) = told_by(sim, 2, 1)
    assert told.startswith("sphere 4 overlaps sphere 5 by 100.0%") and "other" not in told


@pytest.mark.parametrize("law", [abut.Linear(STIFFNESS), abut.Hertz()])
@pytest.mark.parametrize("mass", [1.0, 9.0])
def test_the_speed_at_which_two_will_fly_apart(law, mass):
    """The predicted speed is the relative speed of both spheres without damping."""
    sim = world(step=1e-6)
    sim.set_law(GRAIN, GRAIN, law)
    sim.add_spheres([[0, 0, 0], [0.18, 0, 0]], 0.1, GRAIN)
    sim.masses = [1.0, mass]
    (told,) = told_by(sim, 1, 1)
    assert "20.0% of the smaller radius" in told
    sim.run(0.1)
    speed = float(sim.velocities[1, 0] - sim.velocities[0, 0])
    assert float(told.split("speed of ")[1].split(". ")[0]) == pytest.approx(speed, rel=0.05)


@abut.laws.law(curvature=0.1)
def silent(contact, k):
    """A law of one's own that does not say what it stores."""
    return k * max(contact.overlap, 0.0)


def test_a_restart_file_with_centers_of_another_code_is_looked_at(tmp_path):
    sim, path = world(), tmp_path / "a.npz"
    sim.add_spheres([[0, 0, 0], [1, 0, 0]], 0.1, GRAIN)
    sim.run(steps=3)
    sim.save(path)
    with np.load(path) as file:
        rows = dict(file)
    rows["spheres.centers"][1] = 0.1, 0, 0
    np.savez(path, **rows)
    (told,) = told_by(abut.load_simulation(path), 2, 1)
    assert told.startswith("sphere 0 overlaps sphere 1 by 100.0% of the smaller radius in step 3")


@pytest.mark.ci
def test_overlaps_under_a_law_of_ones_own_are_told_without_a_speed():
    sim = world()
    sim.set_law(GRAIN, GRAIN, silent(k=1e3))
    sim.add_spheres([[0, 0, 0], [0.18, 0, 0]], 0.1, GRAIN)
    (told,) = told_by(sim, 1, 1)
    assert "they will fly apart. Move them apart" in told


def test_what_is_not_told_where_it_is_put():
    """Up to 5 %, members of one cluster, two that are held, two with a bond, and what overlapped
    before others came in."""
    sim = world()
    sim.add_wall(floor(), STEEL)
    sim.add_spheres([[0, 0, 0.096], [3, 0, 1], [3, 0, 1.196]], 0.1, GRAIN)
    sim.add_bodies(CUBE, [[-3, 0, 0.096]], GRAIN, scales=0.1)
    sim.add_clusters(ROD, [[-1, 0, 0.5]], GRAIN)
    sim.add_spheres([[5, 0, 1], [5.1, 0, 1], [5, 5, 0.05]], 0.1, GRAIN, fixed=True)
    bonded = sim.add_spheres([[7, 0, 1], [7.15, 0, 1]], 0.1, GRAIN)
    sim.bond([bonded], abut.Bond(young=1e7, poisson=0.3))
    assert told_by(sim, 2, 1) == []
    deep = spheres_in_each_other()
    assert len(told_by(deep, 1, 1)) == 1
    deep.add_spheres([[0, 5, 0]], 0.1, GRAIN)
    assert told_by(deep, 1, 1) == []


@pytest.mark.parametrize("workers", [1, 3])
def test_the_deepest_does_not_depend_on_threads(workers):
    sim = world(workers=workers)
    places = np.stack(np.meshgrid(*[np.arange(0.0, 2.4, 0.185)] * 3), -1).reshape(-1, 3)
    places[700] += [0.02, 0, 0]
    sim.add_spheres(places, 0.1, GRAIN)
    (told,) = told_by(sim, 1, 1)
    first, second = sorted((700, 700 + 13))
    assert told.startswith(f"sphere {first} overlaps sphere {second} by 35.0%")


# ---- steps that are too long ---------------------------------------------------------------------


def closing():
    """Six that hardly move come to hold a seventh, after some 250 steps: 0.1 is its sqrt(m / k).
    Others look on."""
    sim = abut.Simulation(step=0.1, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, abut.Linear(100.0))
    around = np.concatenate([np.eye(3), -np.eye(3)])
    speed = 5e-5 / sim.step
    sim.add_spheres(0.2125 * around, 0.1, GRAIN, velocities=-speed * around)
    sim.add_spheres([[0, 0, 0]], 0.1, GRAIN)
    sim.add_spheres([[5, 5, k] for k in range(20)], 0.1, GRAIN)
    sim.masses = 6 * [1e6] + [1.0] + 20 * [1e6]
    return sim


@pytest.mark.parametrize(("calls", "steps"), [(1, 405), (81, 5)])
def test_step_that_gets_too_long_on_the_way_is_told_once(calls, steps):
    (told,) = told_by(closing(), calls, steps)
    assert "1.7 times the longest stable one" in told
    assert "Sphere 6 with its 6 contacts sets this limit after step " in told


@pytest.mark.parametrize(("calls", "steps"), [(1, 405), (405, 1)])
def test_step_is_looked_at_every_200_steps(calls, steps):
    (told,) = told_by(closing(), calls, steps)
    assert "grains may not come to rest. Use" in told and "after step 400" in told


def test_step_is_looked_at_in_the_run_after_a_change():
    sim = closing()
    assert not told_by(sim, 3, 1)
    sim.masses = 0.1 * sim.masses
    (told,) = told_by(sim, 1, 1)
    assert told.startswith("the step of ") and "after step 3" in told


def test_step_that_is_named_is_short_enough():
    sim = closing()
    (told,) = told_by(sim, 1, 405)
    sim.step = float(told.split("sim.step = ")[1].split()[0])
    assert told.startswith("the step of ") and 0.9 < sim.step / sim.stable_step() <= 1


def test_step_of_few_is_looked_at_less_often():
    sim = closing()
    sim.remove_spheres(sim.ids[7:])
    (told,) = (text for text in told_by(sim, 1, 605) if text.startswith("the step of "))
    assert "sets this limit after step 600" in told


def test_bodies_that_make_a_step_too_long_are_told():
    sim = world(step=0.05)
    sim.add_bodies(CUBE, [[0, 0, 0]], GRAIN, scales=0.1)
    (told,) = told_by(sim, 3, 1)
    assert (
        "grains may fly apart. Use sim.step = " in told
        and "Body 0, which touches nothing, sets this limit after step 0" in told
    )


def test_what_is_told_of_steps_is_what_docs_have():
    """The warning has the multiples of docs/dem.md at which scenes do not rest, or fly apart."""
    lines = Path(__file__).parents[1].joinpath("docs/dem.md").read_text().splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith("| times the longest"))
    head, _, *rows = (line.strip("|").split("|")[1:] for line in lines[begin : begin + 13])
    columns = dict(zip(map(float, head), zip(*rows, strict=True), strict=True))
    assert min(k for k, cells in columns.items() if any(map(str.strip, cells))) == watch.LONGEST
    apart = min(k for k, cells in columns.items() if "apart" in map(str.strip, cells))
    assert apart == watch._APART


# ---- once a simulation ---------------------------------------------------------------------------


def spoilt():
    sim = world(step=0.05)
    sim.add_spheres([[0, 0, 1]], 1e-3, GRAIN, velocities=(1, 0, 0))
    return sim


def test_a_warning_is_given_once_a_simulation_and_not_once_a_file(tmp_path):
    sim = spoilt()
    assert [text[:6] for text in told_by(sim, 3, 1)] == ["the st", "sphere"]
    sim.save(tmp_path / "a.npz")
    assert told_by(abut.load_simulation(tmp_path / "a.npz"), 3, 1) == []
    assert len(told_by(spoilt(), 3, 1)) == 2


def test_a_simulation_goes_on_where_warnings_are_errors():
    sim, quiet = spoilt(), spoilt()
    sim.every(0.05, lambda s: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in ("Use sim.step", "sphere 0 moves"):
            with pytest.raises(abut.SimulationWarning, match=text):
                sim.run(steps=3)
        sim.run(steps=3 - sim.step_count)
    told_by(quiet, 1, 3)
    assert sim.step_count == 3 and (sim.centers == quiet.centers).all()


def test_who_is_lost_has_been_told():
    sim = world(step=1.0)
    sim.add_spheres([[0, 0, 0]], 0.1, GRAIN, velocities=(1e74, 0, 0))
    with (
        pytest.warns(abut.SimulationWarning, match="sphere 0 moves by"),
        pytest.raises(FloatingPointError, match="sphere 0 is lost"),
    ):
        sim.run(steps=10**6)
