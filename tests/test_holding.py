"""Changes during a run: steps and gravity, compared with the reference and exact solutions."""

import copy

import numpy as np
import pytest

import abut
import reference_dem
import scenes_dem as scenes
from scenes_simulation import GRAIN, STEEL, STEP, box, busy, floor, laws, plate, state
from test_dem_reference import build, compare

OPTIONS = {
    "law": "both",
    "rolling": "C",
    "resolution": "hierarchy",
    "motions": ("together", "given"),
    "period": (0.06, None, None),
    "clusters": 3,
    "pushed": True,
    "changed": False,
}


# ---- steps and gravity ---------------------------------------------------------------------------


@pytest.mark.parametrize("rolling", ["A", "C"])
@pytest.mark.parametrize("seed", [3, 4])
def test_other_steps_and_gravity_are_those_of_the_reference(seed, rolling):
    options = OPTIONS | {"rolling": rolling, "clusters": 0 if rolling == "A" else 3}
    both = [build(kind, seed, options) for kind in (abut.Simulation, reference_dem.Simulation)]
    for change in (
        lambda sim: None,
        lambda sim: setattr(sim, "step", 2e-6),
        lambda sim: setattr(sim, "gravity", (9.0, 1.0, -1.0)),
        lambda sim: (setattr(sim, "step", 4e-6), setattr(sim, "gravity", (-3.0, 0, -9))),
    ):
        for sim in both:
            change(sim)
        for _ in range(12):
            for sim in both:
                sim.run(steps=1)
            compare(*both)
        assert both[0].time == pytest.approx(both[1].time, rel=1e-15)


def falling(step=1e-3, gravity=(0, 0, -10.0)):
    sim = abut.Simulation(step=step, gravity=gravity)
    sim.add_spheres([[0, 0, 0]], 0.1, GRAIN)
    cluster = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
    sim.add_clusters(cluster, [[1.0, 0, 0]], GRAIN)
    cube = abut.ConvexShape([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    sim.add_bodies(cube, [[3.0, 0, 0]], GRAIN)
    sim.run(steps=1)
    return sim


def fallen(sim):
    return np.array(
        [sim.centers[0, 2], sim.clusters.positions[0, 2], sim.bodies.centers[0, 2] - 0.5]
    )


def test_a_fall_stays_on_its_parabola():
    sim = falling()
    for step, steps in ((1e-4, 700), (3e-3, 50), (7e-4, 31)):
        sim.step = step
        sim.run(steps=steps)
        # it was let go half a step of 1e-3 before
        at = sim.time + 0.5e-3
        assert fallen(sim) == pytest.approx(-5.0 * (at**2 - 0.25e-6), rel=1e-12)


def test_a_turn_of_gravity_counts_from_where_it_is():
    sim, total = falling(), 0.0
    sim.run(0.2)
    total = sum(sim.energy)
    for gravity in ((0, 0, 5.0), (3.0, -4.0, 0), (0, 0, 0)):
        sim.gravity = gravity
        before = sim.energy
        sim.run(steps=1)
        assert before.gravitational == pytest.approx(sim.energy.gravitational, rel=0.05)
        sim.run(0.1)
        assert sum(sim.energy) == pytest.approx(total, rel=1e-12)
        assert tuple(sim.gravity) == tuple(map(float, gravity))


def test_energies_told_after_a_change_are_those_of_the_last_step():
    sim = busy()
    sim.run(steps=40)
    before = sim.energy
    sim.gravity = (5.0, 0, 0)
    sim.step = 0.3 * STEP
    assert sim.energy == before


def test_the_ledger_closes_to_second_order():
    """A frictionless ball bounces, and the time step changes during contact."""

    def error(step):
        ball, plate = abut.Material(1000, 1e6, 0.3), abut.Material()
        sim = abut.Simulation(step=step)
        sim.set_law(ball, plate, abut.Hertz())
        sim.add_wall(scenes.quad(), plate)
        sim.add_spheres([[0, 0, 0.099]], 0.1, ball, [[0, 0, -0.5]])
        sim.run(2e-3)
        total, worst = sum(sim.energy), 0.0
        for factor in (0.5, 1.5, 1.0, 0.7):
            sim.step = factor * step
            sim.run(1e-3)
            worst = max(worst, abs(sim.energy.dissipated), abs(sum(sim.energy) - total))
        return worst / total

    errors = [error(step) for step in (1e-4, 5e-5, 2.5e-5)]
    assert errors[1] < 0.3 * errors[0]
    assert errors[2] < 0.3 * errors[1]


def test_an_assigned_step_before_the_first_one_is_as_if_it_were_given():
    sim, same = busy(), busy()
    sim.step, sim.gravity = 0.1 * STEP, (1.0, 0, 0)
    sim.step, sim.gravity = same.step, same.gravity
    sim.run(steps=30)
    same.run(steps=30)
    assert state(sim) == state(same)


def test_time_and_walls_go_on():
    sim = abut.Simulation(step=0.25)
    wall = sim.add_wall(floor(), STEEL, motion=abut.Translating((1.0, 0, 0)))
    shaken = sim.add_wall(floor(), STEEL, motion=abut.Oscillating((1.0, 0, 0), 0.01))
    sim.run(steps=3)
    before = wall.pose, shaken.pose
    sim.step = 0.5
    assert sim.time == 0.75
    assert np.array_equal(before, (wall.pose, shaken.pose))
    sim.run(1.0)
    assert (sim.step_count, sim.time) == (5, 1.75)
    assert wall.pose[0, 3] == 1.75
    assert shaken.pose[0, 3] == pytest.approx(np.sin(0.02 * np.pi * 1.75))


def test_events_keep_their_times():
    sim = abut.Simulation(step=0.25)
    half, fine, two = (sim.record(t, lambda s: s.step) for t in (0.5, 0.1, 2.0))
    sim.run(0.75)
    sim.step = 0.12
    sim.run(12 * 0.12)
    assert half.times == pytest.approx([0.5, 0.99, 1.47, 1.95])
    assert fine.times == pytest.approx([0.25, 0.5, *(0.75 + 0.12 * np.arange(13))])
    assert two.times == pytest.approx([1.95])


def test_a_run_takes_its_time_though_steps_change_on_the_way():
    sim = abut.Simulation(step=0.25)
    sim.every(0.5, lambda s: setattr(s, "step", s.step / 2))
    sim.run(1.0)
    assert sim.time == pytest.approx(1.0)
    assert sim.step < 0.25
    sim.run(steps=7)
    assert sim.step_count > 7


def test_what_comes_in_keeps_its_rate():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    feed = abut.Insertion([[0, 0, 0], [9, 9, 9]], 0.01, rate=100, material=GRAIN)
    sim.add_insertion(feed, until=0.3)
    sim.run(0.1)
    assert len(sim.ids) == 10
    sim.step = 1e-4
    sim.run(0.1)
    assert len(sim.ids) == 20
    sim.step = 1e-2
    sim.run(0.5)
    assert len(sim.ids) == 30


def test_a_step_that_is_assigned_is_looked_at_once():
    sim = busy()
    sim.run(steps=3)
    with pytest.warns(abut.SimulationWarning, match="times the longest stable one"):
        sim.step = 10 * sim.stable_step()
    with pytest.warns(abut.SimulationWarning, match="times the longest stable one"):
        sim.step = 8 * sim.stable_step()
    sim.step = STEP


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        ("step", 0.0, ValueError, "step is 0"),
        ("step", np.nan, ValueError, "step is nan"),
        ("step", "long", TypeError, "step"),
        ("gravity", (0, np.inf, 0), ValueError, r"gravity\[1\] is inf"),
        ("gravity", (0, 1), ValueError, r"gravity has shape \(2,\)"),
        ("gravity", None, TypeError, "gravity"),
    ],
)
def test_steps_and_gravity_that_are_none(name, value, error, text):
    sim = busy()
    sim.run(steps=5)
    before = state(sim)
    with pytest.raises(error, match=text):
        setattr(sim, name, value)
    assert state(sim) == before
    assert not sim.gravity.flags.writeable


def test_breakages_tell_their_times_where_steps_change():
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0))
    ids = sim.add_spheres([[0, 0, 0], [2, 0, 0], [0, 9, 0], [2, 9, 0]], 1.0, GRAIN)
    sim.bond(ids.reshape(2, 2), abut.Bond(1e6, 0.0, 0.5, tensile_strength=1e3))
    sim.run(steps=10)
    assert len(sim.breakages) == 0
    sim.step = 1e-5
    sim.run(steps=20)
    pulled = np.zeros((4, 3))
    pulled[:2, 0] = -5.0, 5.0
    sim.velocities = pulled
    sim.run(steps=30)
    sim.step = 2e-5
    pulled[2:] = pulled[:2]
    sim.velocities = pulled
    sim.run(steps=100)
    times = sim.breakages.time
    assert 1e-3 + 20e-5 < times[0] < 1e-3 + 50e-5 < times[1] < sim.time


def test_changes_go_through_a_file(tmp_path):
    sim = busy()
    for step, gravity in ((0.4, (0, 0, -9.81)), (0.4, (2.0, 0.5, -8.0)), (0.7, (0, 1.0, -9.0))):
        sim.run(steps=20)
        sim.step, sim.gravity = step * STEP, gravity
        sim.save(tmp_path / "a.npz")
        again = abut.load_simulation(tmp_path / "a.npz", [wall.mesh for wall in sim.walls])
        assert (again.step, again.time, again.energy) == (sim.step, sim.time, sim.energy)
        for one in (sim, again):
            one.run(steps=20)
        assert state(sim) == state(again)
        assert sim._known.beats == again._known.beats


# ---- walls that go, and that are switched off ----------------------------------------------------


def stand(gate=True):
    """A heap between a plate, a half space and a gate that moves."""
    sim = abut.Simulation(step=STEP)
    laws(sim)
    walls = [sim.add_wall(abut.HalfSpace((2e-3, 0, 0), (1, 0, 0)), STEEL)]
    if gate:
        walls.append(sim.add_wall(plate(0.397), STEEL, motion=abut.Rotating((0, 0, 1), rate=2.0)))
    walls.append(sim.add_wall(box(), STEEL))
    centers = (np.indices((5, 5, 3)).reshape(3, -1).T + 0.5) * 0.19
    sim.add_spheres(centers, 0.0945, GRAIN, (-0.3, -0.2, -0.5))
    return sim, walls


def test_a_wall_goes_and_others_keep_their_numbers():
    sim, (ground, gate, around) = stand()
    sim.run(steps=100)
    assert set(sim.contacts.mesh) == {0, 1, 2}
    rest = sim.contacts.mesh != 1
    force, points = sim.contacts.force[rest], sim.contacts.point[rest]
    sim.remove_wall(gate)
    assert np.array_equal(sim.contacts.force, force)
    assert np.array_equal(sim.contacts.point, points)
    assert set(sim.contacts.mesh) == {0, 2}
    assert sim.walls == (ground, around)
    before = around.force
    assert (before != 0).any()
    sim.run(steps=50)
    assert set(sim.contacts.mesh) == {0, 2}
    new = sim.add_wall(plate(0.9), STEEL)
    assert (new.number, sim.walls[-1]) == (3, new)
    sim.run(steps=5)


@pytest.mark.parametrize("kind", ["half space", "mesh"])
@pytest.mark.parametrize("goes", ["first", "between"])
def test_the_only_wall_that_is_left_keeps_its_number(tmp_path, kind, goes):
    """The library has no number of a wall that is alone."""
    sim = abut.Simulation(step=STEP)
    laws(sim, law=abut.Linear(1e4))
    heights = [-5.0, 0.0] if goes == "first" else [-5.0, -4.0, 0.0, -3.0]
    walls = [
        sim.add_wall(abut.HalfSpace((0, 0, z), (0, 0, 1)) if kind != "mesh" else plate(z), STEEL)
        for z in heights
    ]
    left = walls.pop(heights.index(0.0))
    sim.add_spheres([[0.3, 0.3, 0.0999]], 0.1, GRAIN)
    cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    sim.add_bodies(cube, [[0.7, 0.7, 0.0999]], GRAIN, scales=0.1)
    for wall in walls:
        sim.remove_wall(wall)
    sim.run(steps=3)
    meshes = [] if kind != "mesh" else [left.mesh]
    sim.save(tmp_path / "left.npz")
    for one in (sim, sim.copy(), abut.load_simulation(tmp_path / "left.npz", meshes=meshes)):
        assert one.contacts.mesh.tolist() == [left.number]
        assert one.body_contacts.mesh.tolist() == [left.number]
        one.run(steps=3)
    assert state(one) == state(sim)


def test_twists_of_the_walls_that_are_left():
    sim, (_, gate, around) = stand()
    sim.run(steps=100)
    sim.remove_wall(gate)
    around.motion = abut.Translating((0.1, 0.2, 0.3))
    contacts, twists = sim.contacts, [wall.twist for wall in sim.walls]
    all_twists = [twists[0], np.full(6, 9.0), twists[1]]
    velocities = contacts.velocity(twists)
    assert velocities[contacts.mesh == 2].tolist() == [[0.1, 0.2, 0.3]] * (contacts.mesh == 2).sum()
    np.testing.assert_array_equal(velocities, contacts.velocity(all_twists))
    with pytest.raises(ValueError, match=r"twists has shape \(1, 6\), but must be \(3, 6\)"):
        contacts.velocity(twists[:1])


def test_what_comes_in_sees_the_walls_that_are_there():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    shelf, gone = (sim.add_wall(plate(0.5), STEEL) for _ in range(2))
    ground = sim.add_wall(abut.HalfSpace((0, 0, 0.5), (0, 0, 1)), STEEL)
    box = [[0.2, 0.2, 0.3], [0.8, 0.8, 0.7]]
    sim.add_insertion(abut.Insertion(box, 0.15, rate=100, material=GRAIN, seed=1))
    sim.run(0.1)
    assert len(sim.ids) == 0
    sim.remove_wall(gone)
    shelf.active = ground.active = False
    sim.run(0.1)
    assert len(sim.ids) > 0


def test_a_wall_that_is_off_is_not_there_and_moves_on():
    sim, (_, gate, _) = stand()
    other, _ = stand(gate=False)
    gate.active = False
    assert (gate.active, gate.force.tolist()) == (False, [0, 0, 0])
    for one in (sim, other):
        one.run(steps=200)
    assert np.array_equal(sim.centers, other.centers)
    assert np.array_equal(gate.pose, abut.Rotating((0, 0, 1), rate=2.0).pose(sim.time))
    gate.active = True
    assert gate.active
    sim.run(steps=2)
    assert gate.force[2] < 0


@pytest.mark.parametrize("way", ["off", "gone"])
def test_what_a_wall_held_is_dissipated(way):
    ball, steel = abut.Material(1000, 1e6, 0.3), abut.Material()

    def drop(step):
        sim = abut.Simulation(step=step)
        sim.set_law(ball, steel, abut.Hertz())
        wall = sim.add_wall(scenes.quad(), steel)
        sim.add_spheres([[0, 0, 0.099]], 0.1, ball, [[0, 0, -0.5]])
        sim.run(2e-3)
        before = sim.energy
        if way == "off":
            wall.active = False
        else:
            sim.remove_wall(wall)
        after = sim.energy
        assert before.elastic > 0
        assert after.elastic == 0
        assert after.dissipated == pytest.approx(before.dissipated + before.elastic, rel=1e-12)
        assert sum(after) == pytest.approx(sum(before), rel=1e-12)
        sim.run(2e-3)
        return abs(sum(sim.energy) - sum(before)) / sum(before)

    errors = [drop(step) for step in (1e-4, 5e-5, 2.5e-5)]
    assert errors[1] < 0.3 * errors[0]
    assert errors[2] < 0.3 * errors[1]


def test_what_a_wall_held_is_dissipated_though_nothing_was_done_since_something_came():
    sim, (ground, _, _) = stand()
    sim.run(steps=100)
    sim.add_spheres([[0.5, 0.5, 0.9]], 0.05, GRAIN)
    before = sim.energy
    ground.active = False
    assert sum(sim.energy) == pytest.approx(sum(before), rel=1e-12)
    assert sim.energy.elastic < before.elastic


def test_bodies_lose_their_contacts_with_a_wall_that_goes():
    cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    wood = abut.Material(density=500)
    sim = abut.Simulation(step=2e-4)
    sim.set_law(wood, STEEL, abut.Linear(1e6, friction=0.5, restitution=0.2))
    low = sim.add_wall(abut.HalfSpace((0, 0, -1), (0, 0, 1)), STEEL)
    high = sim.add_wall(floor(), STEEL)
    sim.add_bodies(cube, [[0.5, 0.5, 0.0999]], wood, scales=0.1)
    sim.run(0.5)
    assert set(sim.body_contacts.mesh) == {1}
    sim.remove_wall(high)
    assert len(sim.body_contacts) == 0
    sim.run(1.0)
    assert set(sim.body_contacts.mesh) == {0}
    assert low.force[2] == pytest.approx(-500 * 0.008 * 9.81, rel=1e-6)


def test_walls_that_are_gone_are_errors():
    sim, (_, gate, around) = stand()
    _, walls = stand()
    sim.remove_wall(gate)
    for call in (
        lambda: sim.remove_wall(gate),
        lambda: gate.force,
        lambda: gate.pose,
        lambda: gate.mesh,
        lambda: gate.active,
        lambda: gate.nodal_forces,
        lambda: setattr(gate, "motion", None),
        lambda: setattr(gate, "active", True),
    ):
        with pytest.raises(ValueError, match="wall 1 was removed"):
            call()
    with pytest.raises(ValueError, match="another simulation"):
        sim.remove_wall(walls[0])
    with pytest.raises(TypeError, match="must be integers"):
        sim.remove_wall("gate")
    with pytest.raises(TypeError, match="active is a str"):
        around.active = "off"
    assert (gate.number, repr(gate)) == (1, "Wall(1: removed)")
    assert "off" not in repr(around)
    around.active = False
    assert repr(around).endswith("off)")


@pytest.mark.parametrize("resolution", ["hierarchy", "sharing"])
def test_walls_that_are_off_and_gone_go_through_a_file(tmp_path, resolution):
    def turned(time):
        return abut.Rotating((0, 0, 1), rate=3.0).pose(time), abut.Rotating(
            (0, 0, 1), rate=3.0
        ).twist(time)

    sim = abut.Simulation(step=STEP, resolution=resolution)
    laws(sim)
    walls = [sim.add_wall(mesh, STEEL) for mesh in (plate(0.4), floor(), plate(0.9), box())]
    walls.append(sim.add_wall(abut.HalfSpace((0, 0, -1), (0, 0, 1)), STEEL))
    walls.append(sim.add_wall(plate(0.2), STEEL, motion=turned))
    centers = (np.indices((5, 5, 3)).reshape(3, -1).T + 0.5) * 0.19
    sim.add_spheres(centers, 0.0945, GRAIN, (0.3, 0.2, -0.5))
    sim.run(steps=20)
    sim.remove_wall(walls[0])
    walls[2].active = walls[5].active = False
    walls[2].motion = abut.Translating((0, 0, 1.0))
    sim.run(steps=20)
    sim.save(tmp_path / "a.npz")
    meshes = [walls[k].mesh for k in (1, 2, 3, 5)]
    again = abut.load_simulation(tmp_path / "a.npz", meshes, motions={5: turned})
    assert [wall.number for wall in again.walls] == [1, 2, 3, 4, 5]
    assert [wall.active for wall in again.walls] == [True, False, True, True, False]
    for one in (sim, again):
        one.run(steps=10)
        one.walls[1].active = one.walls[4].active = True
        one.run(steps=20)
    assert state(sim) == state(again)
    assert sim.energy == again.energy
    for wall, other in zip(sim.walls, again.walls, strict=True):
        assert np.array_equal(wall.pose, other.pose)
    with pytest.raises(ValueError, match="wall 0 was removed"):
        again.walls._check(0)
    with pytest.raises(ValueError, match="4 walls"):
        abut.load_simulation(tmp_path / "a.npz", meshes[:3], motions={5: turned})


def test_frames_know_of_walls_that_are_gone(tmp_path):
    sim, (_, gate, _) = stand()
    sim.run(steps=20)
    sim.remove_wall(gate)
    abut.write_frames(tmp_path / "{step}.vtp")(sim)
    abut.write_frames(tmp_path / "{step}.npz")(sim)
    abut.write_dump(tmp_path / "a.dump")(sim)
    with np.load(tmp_path / "20.npz") as found:
        assert found["poses"].shape == (2, 4, 4)
    sim.contacts.save(tmp_path / "contacts.npz")
    again = abut.load_contacts(tmp_path / "contacts.npz", sim.contacts.meshes)
    assert np.array_equal(again.mesh, sim.contacts.mesh)


# ---- grains that are held ------------------------------------------------------------------------


def held_scene(make, seed, rolling):
    """Grains of several materials on a bed of which each third is held, on a moving floor."""
    rng = np.random.default_rng(seed)
    options = OPTIONS | {"clusters": 0, "rolling": rolling, "motions": ("still", "oscillating")}
    sim = build(make, seed, options)
    sim.fixed = np.arange(40) % 3 == 0
    sim.add_spheres(
        rng.uniform(-0.02, 0.02, (4, 3)) * [1, 1, 0] + [0, 0, 0.024],
        0.003,
        sim.materials[0],
        fixed=[True, False] * 2,
    )
    return sim


@pytest.mark.parametrize("rolling", ["A", "C"])
@pytest.mark.parametrize("seed", [5, 6])
def test_held_grains_are_those_of_the_reference(seed, rolling):
    both = [held_scene(kind, seed, rolling) for kind in (abut.Simulation, reference_dem.Simulation)]
    for step in range(60):
        if step == 40:
            for sim in both:
                sim.fixed = np.roll(sim.fixed, 1)
        for sim in both:
            sim.run(steps=1)
        compare(*both)
    sim = both[0]
    held = sim.fixed
    assert held[sim.pairs.i].any()
    assert not (held[sim.pairs.i] & held[sim.pairs.j]).any()
    assert held[sim.contacts.sphere].any()
    assert (sim.velocities[held] == 0).all()


def test_the_mass_of_what_is_held_is_infinite_to_the_bit():
    """As against a wall, m* is that of the other: so the mass of what is held does not show."""

    def hit(density):
        sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
        stone = abut.Material(density, 1e6, 0.3)
        sim.set_law(GRAIN, stone, abut.Hertz(friction=0.4, restitution=0.5, rolling=0.1))
        sim.add_spheres([[0, 0, 0]], 0.1, stone, fixed=True)
        sim.add_spheres([[0.05, 0, 0.19]], 0.1, GRAIN, [[0.1, 0.2, -1.0]])
        sim.run(steps=300)
        return sim.centers[1], sim.forces

    (one, force), (other, _) = hit(1.0), hit(1e9)
    assert np.array_equal(one, other)
    assert (force != 0).any()


def test_clusters_and_bodies_are_held_as_a_whole():
    cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    rod = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
    sim = abut.Simulation(step=1e-4)
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e5, friction=0.5, restitution=0.3))
    held = sim.add_clusters(rod, [[0, 0, 0], [0.25, 0, 0]], GRAIN, fixed=[True, False])
    sim.add_bodies(cube, [[0, 1, 0], [0, 1, 0.21]], GRAIN, scales=0.1, fixed=[True, False])
    sim.add_bodies(cube, [[0, 1.15, 0]], GRAIN, scales=0.1, fixed=True)
    sim.add_spheres([[0, 0, 0.19], [0, 1.21, 0.19]], 0.1, GRAIN)
    sim.add_spheres([[0, 1.34, 0]], 0.1, GRAIN, fixed=True)
    before = sim.clusters, sim.bodies
    sim.run(0.3)
    assert np.array_equal(sim.clusters.positions[0], before[0].positions[0])
    assert np.array_equal(sim.clusters.orientations[0], before[0].orientations[0])
    assert sim.clusters.positions[1, 2] < -0.3
    assert sim.fixed.tolist() == [True, True, False, False, False, False, True]
    assert sim.bodies.fixed.tolist() == [True, False, True]
    for k in (0, 2):
        assert np.array_equal(sim.bodies.positions[k], before[1].positions[k])
        assert not sim.bodies.velocities[k].any()
    assert sim.bodies.positions[1, 2] == pytest.approx(0.2, abs=2e-3)
    held_pairs = {(0, 2)}
    assert not held_pairs & set(zip(sim.body_pairs.i, sim.body_pairs.j, strict=True))
    assert len(sim.body_pairs) > 0
    assert 6 not in sim.body_sphere_pairs.j
    with pytest.raises(
        ValueError, match=f"sphere 1 is a member of cluster {held[0]}: all members need"
    ):
        sim.fixed = [True, False, False, False, False, False, True]
    sim.fixed = np.zeros(7, bool)
    sim.bodies.assign(fixed=np.zeros(3, bool))
    sim.run(0.2)
    assert sim.clusters.positions[0, 2] < -0.1
    assert (sim.bodies.positions[:, 2] < 0.1).all()


def test_what_is_held_takes_no_velocity():
    sim = abut.Simulation(step=1e-4)
    cluster = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
    cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    sim.add_spheres([[0, 0, 0], [0, 0, 1]], 0.1, GRAIN, fixed=[False, True])
    sim.add_clusters(cluster, [[3, 0, 0]], GRAIN, fixed=True)
    sim.add_bodies(cube, [[9, 0, 0]], GRAIN, fixed=True)
    before = state(sim)
    for call, text in (
        (
            lambda: setattr(sim, "velocities", np.ones((4, 3))),
            r"velocities\[1\] is .*sphere 1 is fixed",
        ),
        (lambda: setattr(sim, "angular_velocities", np.eye(4, 3)), r"angular_velocities\[1\]"),
        (
            lambda: sim.clusters.assign(velocities=[[0, 0, 1.0]]),
            "cluster 0",
        ),
        (lambda: sim.bodies.assign(velocities=[[0, 0, 1.0]]), "body 0"),
        (lambda: sim.add_spheres([[5, 0, 0]], 0.1, GRAIN, (1, 0, 0), fixed=True), "is fixed"),
        (lambda: setattr(sim, "fixed", [True]), r"fixed has shape \(1,\)"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(TypeError, match="fixed has dtype"):
        sim.fixed = [0, 1, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        sim.fixed[0] = True
    assert state(sim) == before
    sim.velocities = sim.velocities * 0.5


# ---- bounds --------------------------------------------------------------------------------------

ROOM = [[-1, -1, -1], [1, 1, 1]]


def going(workers=1):
    """Spheres, a cluster and a body that fly apart, and some that stay."""
    cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    rod = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0), workers=workers)
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e4))
    sim.add_spheres(
        [[0, 0, 0.5], [0.9, 0, 0], [0, -0.8, 0]], 0.05, GRAIN, [[0] * 3, [1, 0, 0], [0, -1, 0]]
    )
    sim.add_clusters(rod, [[0, 0.5, 0], [-0.5, 0, 0]], GRAIN, velocities=[[0, 2.0, 0], [0, 0, 0]])
    sim.add_bodies(
        cube,
        [[0.5, 0.5, 0.5], [-0.5, -0.5, 0]],
        GRAIN,
        scales=0.1,
        velocities=[[0] * 3, [-2.0, 0, 0]],
    )
    return sim


def test_who_leaves_is_removed():
    sim = going()
    sim.set_bounds(ROOM, on_leave="remove")
    seen = []
    sim.every(1e-3, lambda s: seen.append((len(s.ids), len(s.bodies.numbers), s.left)))
    sim.run(0.5)
    assert sim.ids.tolist() == [0, 5, 6]
    assert sim.clusters.numbers.tolist() == [1]
    assert sim.bodies.numbers.tolist() == [0]
    assert (sim.left, sim.statistics().left) == (4, 4)
    assert "4 left the bounds" in str(sim.statistics())
    # each was removed after the first step that ended outside of the bounds
    counts = [sum(1 for row in seen if row[0] == n) for n in (7, 6, 5, 3)]
    assert counts[0] == pytest.approx(100, abs=1)
    assert seen[-1] == (3, 1, 4)
    sim.run(0.5)
    assert sim.left == 4


def test_whoever_stays_has_the_bits_that_it_would_have():
    far, removed = busy(insertion=False), busy(insertion=False)
    for sim in (far, removed):
        sim.add_spheres([[9.5, 0.5, 5.0]], 0.1, GRAIN, [[20.0, 0, 0]])
    removed.set_bounds([[-1, -1, -1], [10, 9, 9]], on_leave="remove")
    for sim in (far, removed):
        sim.run(steps=600)
    assert removed.left == 1
    assert np.array_equal(far.centers[:-1], removed.centers)


def test_a_run_ends_where_one_leaves():
    sim = going()
    sim.set_bounds(ROOM)
    with pytest.raises(ValueError, match=r"sphere 1 has left the bounds.* after step 10[01]"):
        sim.run(1.0)
    steps = sim.step_count
    assert steps == pytest.approx(100, abs=1)
    assert (len(sim.ids), sim.left) == (7, 1)
    assert sim.centers[1, 0] > 1
    with pytest.raises(ValueError, match="sphere 1 has left"):
        sim.run(1.0)
    assert sim.step_count == steps
    sim.remove_spheres([1])
    with pytest.raises(ValueError, match="sphere 2 has left"):
        sim.run(1.0)
    sim.remove_spheres([2])
    with pytest.raises(ValueError, match=r"cluster 0 has left|body 1 has left"):
        sim.run(1.0)
    sim.set_bounds(None)
    sim.run(1.0)


def test_a_run_warns_once_of_all_that_leave():
    sim = going()
    sim.set_bounds(ROOM, on_leave="warn")
    with pytest.warns(
        abut.SimulationWarning, match="4 spheres, clusters or bodies have left"
    ) as told:
        sim.run(0.5)
    assert len(told) == 1
    assert (sim.left, len(sim.ids)) == (4, 7)
    sim.run(0.5)
    assert sim.left == 4
    sim.velocities = -sim.velocities
    sim.run(0.3)
    assert sim.left == 4


def test_what_goes_takes_its_energy_along():
    sim = going()
    sim.set_bounds(ROOM, on_leave="remove")
    sim.run(steps=2)
    parts = sim.energy
    sim.run(0.5)
    assert sim.energy.kinetic < parts.kinetic
    assert sim.energy.dissipated == parts.dissipated


def test_bonds_go_along_and_insertions_meet_bounds():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    ids = sim.add_spheres([[0.9, 0, 0], [0.7, 0, 0]], 0.1, GRAIN, (1, 0, 0))
    sim.bond([ids], abut.Bond(1e5, 0.3, 0.05))
    sim.add_insertion(abut.Insertion([[2, 2, 2], [9, 9, 9]], 0.01, rate=100, material=GRAIN))
    sim.set_bounds(ROOM, on_leave="remove")
    sim.run(0.2)
    assert (len(sim.bonds), len(sim.breakages)) == (0, 0)
    # the last one that came is looked at after the next step
    assert sim.ids.tolist() == [1, 21]
    assert sim.left == 20


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_bounds_go_through_a_file(tmp_path):
    sim = going()
    sim.set_bounds(ROOM, "warn")
    sim.run(0.15)
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz")
    assert (again.left, sim.left) == (1, 1)
    for one in (sim, again):
        one.run(0.35)
    assert (again.left, sim.left) == (4, 4)
    assert state(sim) == state(again)


@pytest.mark.parametrize(
    ("bounds", "on_leave", "text"),
    [
        ([[0, 0, 0], [1, 1]], "raise", "bounds"),
        ([[0, 0, 0]], "raise", r"shape \(1, 3\)"),
        ([[0, 1, 0], [2, 1, 1]], "raise", "from 1.0 to 1.0 along y"),
        ([[0, 0, np.nan], [2, 1, 1]], "raise", "from nan to 1.0 along z"),
        (
            [[0.1, 0, 0], [3, 1, 1]],
            "raise",
            "along x, but the world is periodic there, from 0 to 2.0",
        ),
        ([[-np.inf, 0, 0], [1.9, 1, 1]], "raise", "along x, but the world is periodic"),
        (ROOM, "delete", "on_leave"),
    ],
)
def test_bounds_that_are_none(bounds, on_leave, text):
    sim = abut.Simulation(step=1e-3, period=(2.0, None, None))
    sim.set_bounds([[-np.inf, -1, -1], [2.0, 1, np.inf]], "remove")
    before = sim._known
    with pytest.raises(ValueError, match=text):
        sim.set_bounds(bounds, on_leave)
    assert sim._known is before


# ---- copies --------------------------------------------------------------------------------------


def shaken(time):
    turning = abut.Rotating((0, 0, 1), rate=3.0)
    return turning.pose(time), turning.twist(time)


def everything():
    """With what a simulation may have: of all kinds, changed on the way."""
    cube = abut.ConvexShape(
        [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], radius=0.1
    )
    rod = abut.Cluster([[0, 0, 0], [0.05, 0, 0]], 0.05)
    sim = abut.Simulation(step=STEP, period=(None, 4.0, None))
    sim.set_law(GRAIN, GRAIN, abut.Hertz(friction=0.3, restitution=0.5, rolling=0.1))
    sim.set_law(GRAIN, STEEL, abut.Hertz(friction=0.3, restitution=0.5))
    gone = sim.add_wall(plate(0.2), STEEL)
    sim.add_wall(floor(), STEEL, motion=abut.Oscillating((0, 0, 1e-3), 30.0))
    sim.add_wall(abut.HalfSpace((0, 0, -0.01), (0, 0, 1)), STEEL)
    off = sim.add_wall(plate(0.9), STEEL, motion=shaken)
    lid = abut.Mesh([[0, 0, 0.6], [0, 1, 0.6], [1, 1, 0.6], [1, 0, 0.6]], [[0, 1, 2, 3]])
    sim.add_wall(lid, STEEL, motion=abut.Servo(force=(0, 0, -50.0)))
    centers = (np.indices((5, 5, 2)).reshape(3, -1).T + 0.5) * 0.19
    sim.add_spheres(centers, 0.094, GRAIN, fixed=centers[:, 0] < 0.1)
    sim.add_clusters(rod, [[0.3, 0.3, 0.45], [0.7, 0.7, 0.45]], GRAIN)
    sim.add_bodies(cube, [[0.5, 0.5, 0.5]], GRAIN, scales=0.05)
    ids = sim.add_spheres([[2, 2, 0.5], [2.15, 2, 0.5]], 0.08, GRAIN)
    sim.bond([ids], abut.Bond(1e5, 0.3, 0.05))
    sim.add_insertion(
        abut.Insertion([[0, 1, 0], [1, 3, 1]], 0.02, rate=300, material=GRAIN, seed=3)
    )
    sim.set_bounds([[-1, 0, -0.5], [3, 4, 2]], on_leave="remove")
    sim.run(steps=60)
    sim.remove_wall(gone)
    off.active = False
    sim.step, sim.gravity = 0.7 * STEP, (1.0, 0, -9.0)
    sim.run(steps=40)
    return sim


def test_a_copy_does_the_same_to_the_bit():
    sim = everything()
    before = state(sim), sim.energy, sim.time
    branch = sim.copy()
    assert (state(branch), branch.energy, branch.time) == before
    for _ in range(3):
        for one in (branch, sim):
            one.run(steps=50)
        assert state(branch) == state(sim)
        assert branch.energy == sim.energy
        assert branch.left == sim.left
    for one in (sim, branch):
        assert [wall.number for wall in one.walls] == [1, 2, 3, 4]
    for ours, theirs in zip(sim.walls, branch.walls, strict=True):
        assert np.array_equal(ours.pose, theirs.pose)
        assert ours.active == theirs.active


def test_a_copy_is_independent():
    sim = everything()
    before = state(sim)
    branch = sim.copy()
    branch.gravity = (0, 0, 9.0)
    branch.remove_spheres(branch.ids[:3])
    branch.walls[0].motion = None
    branch.run(steps=20)
    assert state(sim) == before
    assert len(sim.walls) == len(branch.walls)
    kept = sim.copy()
    del branch
    sim.run(steps=20)
    assert state(kept) == before


def test_a_copy_takes_laws_of_ones_own_along_and_nothing_that_is_called():
    @abut.laws.law
    def stiff(c, k):
        return abut.laws.force(k * c.overlap)

    sim = abut.Simulation(step=1e-4)
    sim.set_law(GRAIN, STEEL, stiff(k=1e5))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), STEEL)
    sim.add_spheres([[0, 0, 0.1]], 0.1, GRAIN)
    calls = []
    sim.add_force(lambda s: 0 * s.centers)
    sim.every(1e-3, calls.append)
    sim.run(steps=20)
    branch = sim.copy()
    count = len(calls)
    branch.run(steps=20)
    assert len(calls) == count
    sim.run(steps=20)
    assert np.array_equal(sim.centers, branch.centers)
    assert (sim.forces != 0).any()


def test_copies_are_made_before_the_first_step_and_within_callbacks():
    sim = busy()
    first, made = sim.copy(), []
    sim.every(5 * STEP, lambda s: made.append(s.copy()))
    sim.run(steps=12)
    first.run(steps=12)
    made[0].run(steps=7)
    assert len(made) == 2
    assert state(first) == state(sim) == state(made[0])
    with pytest.raises(TypeError, match=r"use save\(path\) or copy\(\)"):
        copy.copy(sim)


@pytest.mark.parametrize("first", ["warn", "raise"])
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_who_has_left_is_not_counted_again(first):
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    grain = abut.Material(density=1000)
    sim.add_spheres([[0, 0, 0], [0, 5, 0]], 0.1, grain, velocities=[[1, 0, 0], [0, 0, 0]])
    bounds = [[-1, -1, -1], [0.01, 9, 1]]
    sim.set_bounds(bounds, on_leave=first)
    try:
        sim.run(0.02)
    except ValueError:
        assert first == "raise"
    assert sim.left == 1
    sim.set_bounds(bounds, on_leave="remove")
    sim.run(0.02)
    assert sim.left == 1
    assert len(sim.ids) == 1
