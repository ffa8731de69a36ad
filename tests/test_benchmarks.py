"""The benchmark's scenes are what they say, its comparisons are right, and it runs."""

import csv
import json
import os
import shutil
from importlib.util import find_spec

import numpy as np
import pytest

import abut
from benchmark_modules import FOLDER, imported

pytestmark = pytest.mark.ci


NEED_SCIPY = (
    "convex", "convex_contestants", "convex_flow", "convex_scenes", "solving", "orders",
    "two_bodies",
)  # fmt: skip
NEED_LAMMPS = ("lammps_walls",)


@pytest.fixture(scope="module")
def benchmarks():
    """The benchmarks by name, imported beside the tests' own module `scenes`."""
    names = [path.stem for path in FOLDER.glob("*.py")]
    if find_spec("scipy") is None:
        names = [name for name in names if name not in NEED_SCIPY]
    if find_spec("lammps") is None or find_spec("mpi4py") is None:
        names = [name for name in names if name not in NEED_LAMMPS]
    with imported(names) as modules:
        yield modules


@pytest.fixture(scope="module")
def walls(benchmarks):
    return benchmarks["walls"]


@pytest.fixture(scope="module")
def scenes(benchmarks):
    return benchmarks["scenes"]


@pytest.fixture(scope="module")
def pair_scenes(benchmarks):
    return benchmarks["pair_scenes"]


@pytest.fixture(scope="module")
def pair_contestants(benchmarks):
    return benchmarks["pair_contestants"]


@pytest.mark.parametrize("name", ["wall", "far", "slivers", "mixer", "tubes", "duplicates"])
def test_scenes_are_seeded(scenes, name):
    for one, other in zip(scenes.make(name, 100), scenes.make(name, 100), strict=True):
        np.testing.assert_equal(one, other)


def test_the_wall_touches_as_many_facets_as_is_told(scenes):
    wall = scenes.make("wall", 5_000)
    mesh = abut.Mesh(wall.vertices, wall.facets)
    found = abut.find_contacts(wall.centers, wall.radii, mesh, resolution="all")
    assert len(found) == pytest.approx(4.8 * 5_000, rel=0.02)


@pytest.mark.parametrize(
    "name", ["omega-1000", "outlier-10", "thin-1", "clusters-10", "giants-10", "tilted-10"]
)
def test_scenes_of_pairs_are_seeded(pair_scenes, name):
    one, other = pair_scenes.make(name, 200), pair_scenes.make(name, 200)
    np.testing.assert_equal(tuple(one), tuple(other))


def test_the_third_call_counts_and_the_first_is_told(walls, tmp_path, capsys):
    table = tmp_path / "cpu.csv"
    arguments = ["--spheres", "50", "--repeats", "2", "--csv", str(table), "--outputs", "warm"]
    walls.main([*arguments, "--scene", "tubes,wall", "--contestants", "abut"])
    assert "first call, with building: " in capsys.readouterr().out
    with table.open(newline="") as file:
        tubes, wall = csv.DictReader(file)
    assert float(tubes["first_ns"]) > float(tubes["min_ns"]) > 0
    assert wall["first_ns"] == ""


def row(contestant, ns, threads=1, **columns):
    return {"contestant": contestant, "ns": ns, "threads": threads, "spheres": 10} | columns


def test_ratios_are_those_of_the_rounds(walls):
    abut_row, half, rival, closest = walls.rounds.compare(
        [
            row("abut", [10.0, 20.0, 30.0], outputs="warm", touching=20),
            row("abut", [5.0, 10.0, 15.0], 2, outputs="warm"),
            row("embree", [40.0, 60.0, 120.0]),
            row("libigl", [1.0, 1.0, 1.0]),
        ],
        walls.is_whole_rival,
    )
    assert (abut_row["min_ns"], abut_row["median_ns"], abut_row["ns_a_touching"]) == (10, 20, 10)
    assert abut_row["over_abut"] == 1
    assert (abut_row["fastest_rival"], abut_row["fastest_rival_over"]) == ("embree", 4)
    assert rival["over_abut"] == 4
    assert half["speed_up"] == 2
    assert closest["fastest_rival"] == "embree"  # one facet a sphere is not the same work


def test_older_rows_stay_when_columns_change(walls, tmp_path):
    path = tmp_path / "cpu.csv"
    path.write_text("scene,gone,kept\nwall,1,2\n")
    walls.rounds.append_csv([{"scene": "fill", "kept": 3}], path, walls.FIELDS)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == walls.FIELDS
    assert [(r["scene"], r["kept"]) for r in rows] == [("wall", "2"), ("fill", "3")]


def test_a_small_run(walls, tmp_path, capsys):
    pytest.importorskip("scipy")
    table, out = tmp_path / "cpu.csv", tmp_path / "out.json"
    arguments = ["--spheres", "50", "--repeats", "2", "--csv", str(table), "--json", str(out)]
    walls.main([*arguments, "--scene", "mixer", "--contestants", "abut,ckdtree,embree"])
    rows = json.loads(out.read_text())
    assert {"abut", "ckdtree"} <= {r["contestant"] for r in rows}
    assert all(r.get("difference", 0) == 0 for r in rows)
    assert len(table.read_text().splitlines()) == len(rows) + 1
    assert "(ns a " in capsys.readouterr().out


def test_what_was_measured_is_kept_when_a_later_scene_fails(walls, tmp_path, monkeypatch):
    measure = walls.measure

    def measure_or_fail(scene_name, *others):
        if scene_name == "fill":
            raise RuntimeError("out of luck")
        return measure(scene_name, *others)

    monkeypatch.setattr(walls, "measure", measure_or_fail)
    table, out = tmp_path / "cpu.csv", tmp_path / "out.json"
    arguments = ["--spheres", "50", "--repeats", "1", "--csv", str(table), "--json", str(out)]
    with pytest.raises(RuntimeError, match="out of luck"):
        walls.main([*arguments, "--scene", "large_facets,fill", "--contestants", "abut"])
    assert {row["scene"] for row in json.loads(out.read_text())} == {"large_facets"}
    assert len(table.read_text().splitlines()) == 3


def test_nothing_timed_is_an_error(benchmarks, monkeypatch, capsys):
    pairs = benchmarks["pairs"]
    monkeypatch.setattr(pairs.CONTESTANTS["vesin"], "missing", lambda: None)
    with pytest.raises(SystemExit, match="nothing was timed"):
        pairs.main(["--scene", "omega-10", "--contestants", "vesin"])
    assert "vesin is left out of omega-10: lists all pairs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("benchmark", "option", "text", "complaint"),
    [
        ("walls", "--repeats", "0", "0 is out of bounds; it must be at least 1"),
        ("walls", "--threads", "4096", "4096 is out of bounds; it must be 1 to 1024"),
        ("pairs", "--spheres", "10,-5", "-5 is out of bounds; it must be at least 1"),
        ("pairs", "--repeats", "many", "'many' is no whole number; it must be at least 1"),
        ("dem", "--scene", "bed", "'bed' is none of settled, moving, spheres-1, spheres-10"),
    ],
)
def test_options_out_of_bounds_are_named(benchmarks, benchmark, option, text, complaint, capsys):
    with pytest.raises(SystemExit):
        benchmarks[benchmark].main([option, text])
    assert f"argument {option}: {complaint}" in capsys.readouterr().err


# ---- pairs of spheres ----------------------------------------------------------------------------


def test_a_small_run_of_pairs(benchmarks, tmp_path, capsys):
    pytest.importorskip("scipy")
    table, out = tmp_path / "cpu.csv", tmp_path / "out.json"
    arguments = ["--spheres", "50", "--repeats", "2", "--csv", str(table), "--json", str(out)]
    chosen = ["--contestants", "abut,abut-finder,scipy,freud", "--threads", "1,2"]
    benchmarks["pairs"].main([*arguments, *chosen, "--scene", "omega-1"])
    rows = json.loads(out.read_text())
    assert {"abut", "abut-finder", "scipy"} <= {r["contestant"] for r in rows}
    assert all(r["difference"] == 0 for r in rows)
    assert len(table.read_text().splitlines()) == len(rows) + 1
    assert "(ns a sphere)" in capsys.readouterr().out


def test_scenes_that_are_too_much_for_a_rival_say_so(benchmarks, pair_contestants, capsys):
    options = type("Options", (), {"contestants": ["abut", "vesin", "freud"], "threads": [1]})
    contestants = pair_contestants.CONTESTANTS
    assert benchmarks["rounds"].admit("omega-10", options, contestants) == ["abut", "freud"]
    assert "vesin is left out of omega-10: lists all pairs" in capsys.readouterr().out
    assert "digits" in pair_contestants.Freud.reason_against("outlier-1", [1])
    assert "a minute" in pair_contestants.Lammps.reason_against("powder-10", [1])
    assert pair_contestants.LammpsMulti.reason_against("powder-10", [1]) is None


# ---- free cooling --------------------------------------------------------------------------------


def test_cooling_is_the_same_for_all_levels(benchmarks, tmp_path, capsys):
    table, out = tmp_path / "cpu.csv", tmp_path / "out.json"
    arguments = ["--steps", "40", "--particles", "300", "--csv", str(table), "--json", str(out)]
    benchmarks["cooling"].main(arguments)
    rows = json.loads(out.read_text())
    assert [(r["levels"], r["differing_steps"]) for r in rows] == [
        ("auto", 0),
        ("optimal", 0),
        ("1", 0),
    ]
    assert rows[0]["energy"] == rows[1]["energy"] == rows[2]["energy"]
    assert rows[1]["level_count"] == 5
    assert rows[2]["step_over_one"] == 1
    assert len(table.read_text().splitlines()) == 4
    assert "energy a disk" in capsys.readouterr().out


# ---- simulations ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """Where the states of small scenes are kept."""
    return tmp_path_factory.mktemp("states")


@pytest.mark.parametrize("scene", ["settled", "spheres-10", "seven", "box"])
def test_a_small_run_of_simulations(benchmarks, scene, states, tmp_path, capsys):
    table, out = tmp_path / "cpu.csv", tmp_path / "out.json"
    arguments = ["--spheres", "60", "--settle", "100", "--steps", "3", "--repeats", "2"]
    arguments += ["--threads", "1,2", "--states", str(states)]
    benchmarks["dem"].main([*arguments, "--scene", scene, "--csv", str(table), "--json", str(out)])
    rows = json.loads(out.read_text())
    own = [row for row in rows if row["contestant"] == "abut"]
    assert [row["threads"] for row in own] == [1, 2]
    assert own[0]["speed"] == own[1]["speed"] > 0
    assert own[1]["speed_up"] > 0 and own[0]["speed_up"] == ""
    parts = sum(own[0][name] for name in benchmarks["dem"].PARTS)
    assert parts == pytest.approx(100, abs=1)
    assert ("bytes_beside" in own[0]) == (scene == "box")
    with table.open(newline="") as file:
        assert [row["step_us"] for row in csv.DictReader(file)] == [str(r["step_us"]) for r in rows]
    assert "(ns a sphere and step)" in capsys.readouterr().out


def test_states_are_made_once(benchmarks, tmp_path, monkeypatch):
    made = benchmarks["dem_scenes"]
    first = made.make("moving", 40, 30, tmp_path)
    monkeypatch.setattr(made, "simulation", None)
    again = made.make("moving", 40, 30, tmp_path)
    for name in ("centers", "velocities", "spins"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert np.any(first.velocities)
    assert len(list(tmp_path.glob("*.npz"))) == 2


@pytest.mark.parametrize(
    ("rival", "scene"),
    [
        ("kratos", "settled"),
        ("lammps", "spheres-10"),
        ("lammps-multi", "spheres-100"),
    ],
)
def test_rivals_go_where_abut_goes(benchmarks, rival, scene, states):
    """Their laws differ a little, and they begin without springs alike."""
    contestants = benchmarks["dem_contestants"].CONTESTANTS
    if contestants[rival].missing():
        pytest.skip(contestants[rival].missing())
    begin = benchmarks["dem_scenes"].make(scene, 300, 1_000, states)
    own, other = (contestants[name](begin, 1) for name in ("abut", rival))
    own.step(20)
    other.step(20)
    moved = own.centers() - begin.centers
    apart = other.centers() - own.centers()
    if begin.period:
        moved, apart = (d - begin.period * np.round(d / begin.period) for d in (moved, apart))
    assert np.linalg.norm(apart) < 0.1 * np.linalg.norm(moved)


# ---- what a step takes beside its search ---------------------------------------------------------


def test_overhead(benchmarks, capsys):
    benchmarks["overhead"].main(["--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("20 spheres and a square: without a pose ")
    assert all(line.endswith(" µs") for line in lines)


def test_import_time(benchmarks, capsys):
    benchmarks["import_time"].main(["--rounds", "1"])
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("import numpy ") and lines[0].startswith("import abut ")
    assert all(line.endswith(" ms of the processor") for line in (first, *lines))


# ---- what frames take by Dask --------------------------------------------------------------------


def test_dask_frames(benchmarks, capsys):
    """Every entrant has a row, and the tables agree, or it would have ended."""
    pytest.importorskip("dask.dataframe")
    pytest.importorskip("distributed")
    few = ["--frames", "6", "--spheres", "50", "--facets", "200", "--rounds", "1"]
    benchmarks["dask_frames"].main([*few, "--workers", "1"])
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("6 frames of 50 spheres, 200 facets, 1 worker: the search is ")
    assert [row.split("  ")[1] for row in rows] == [
        "plain loop",
        "map_frames",
        "map_frames, a frame a task",
        "empty tasks",
        "mesh as an argument",
        "map_frames, first call",
    ]


# ---- frames of a dump ----------------------------------------------------------------------------


def test_frames(benchmarks, capsys):
    """A row for each number of digits and entrant."""
    pytest.importorskip("pandas")
    benchmarks["frames"].main(["--rows", "100", "--rounds", "1"])
    rows = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()[2:]]
    names = [(digits.strip(), name.strip(" `")) for digits, name, *_ in rows]
    entrants = ("abut", "loop", "spheres", "count", "pandas")
    assert names == [(digits, name) for digits in ("6", "17") for name in entrants]
    assert all(float(each) > 0 and float(ratio) > 0 for *_, each, ratio in rows)


# ---- what threads gain ---------------------------------------------------------------------------


def test_threads(benchmarks, capfd):
    """A row for each load and wait policy."""
    benchmarks["threads"].main(["--scene", "disks 10000", "--seconds", "0.01"])
    rows = [line.split() for line in capfd.readouterr().out.splitlines() if "disks" in line]
    assert len(rows) == 4
    for *_, one, two, mean_one, mean_two, best, mean in rows:
        assert float(best) == pytest.approx(float(one) / float(two), abs=0.02)
        assert float(mean) == pytest.approx(float(mean_one) / float(mean_two), abs=0.02)


# ---- how steps would scale -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threads", "worth", "seconds"),
    [
        (1, 9, 10.0),
        (2, 9, 6.0),  # 4 | 1, 3, 2
        (3, 9, 4.0),  # 4 | 1, 2 | 3
        (64, 2, 6.0),
        (64, 9, 4.0),
    ],
)
def test_the_next_free_thread_takes_the_next_chunk(benchmarks, threads, worth, seconds):
    scaling = benchmarks["scaling"]
    run = scaling.Run(worth, np.array([4.0, 1.0, 3.0, 2.0]))
    assert scaling.makespan(run, threads, hand_out=0.0) == seconds


def test_rows_of_chunks(benchmarks):
    """A run of three chunks, a run without chunks, and the time after the last run."""
    rows = np.array([[7, 0.5], [0, 1], [0, 2], [0, 3], [1, 0.25], [1, 0.125]])
    scaling = benchmarks["scaling"]
    serial, [run] = scaling.split_rows(rows)
    assert serial == 0.875
    assert run.threads == 7
    np.testing.assert_array_equal(run.chunks, [1, 2, 3])
    assert scaling.speed_up(serial, [run], 1) == 1.0
    assert scaling.speed_up(serial, [run], 2) == pytest.approx(6.875 / 4.875, rel=1e-5)


def test_scaling(benchmarks, tmp_path, capfd):
    """A line for each scene and number of threads; also of those that this machine lacks."""
    arguments = ["--scene", "settled,million", "--spheres", "300", "--steps", "2", "--settle", "10"]
    folders = ["--states", str(tmp_path / "states"), "--build", str(tmp_path / "build")]
    benchmarks["scaling"].main([*arguments, *folders, "--threads", "1,1024"])
    head, *lines = capfd.readouterr().out.splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    assert head.split() == ["scene", "threads", "scheduled", "measured"]
    assert [row[:2] for row in rows] == [
        [scene, threads] for scene in ("settled", "million") for threads in ("1", "1024")
    ]
    assert all(row[2:] == ["1.00", "1.00"] for row in rows[::2])
    assert all(float(row[2]) >= 1.0 and row[3] == "-" for row in rows[1::2])


@pytest.mark.parametrize("law", ["JKR", "again-C++"])
def test_laws_of_the_lattice(benchmarks, capsys, law):
    """Whatever the law, each grain keeps its three contacts."""
    if law == "again-C++" and shutil.which(os.environ.get("CXX", "c++")) is None:
        pytest.skip("there is no C++ compiler")
    benchmarks["laws"].main(["--side", "4", "--turns", "1", "--steps", "2", "--laws", law])
    _, *lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines]
    assert [row[0] for row in rows] == ["Hertz", law]
    assert rows[0][2] == "1.00"
    assert all(row[3] == "3.00" for row in rows)


# ---- convex bodies -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def with_convex(benchmarks):
    """The benchmarks, those of convex bodies among them."""
    pytest.importorskip("scipy")
    return benchmarks


def test_scenes_of_convex_bodies_are_seeded(with_convex, tmp_path):
    made = with_convex["convex_scenes"]
    for name in made.SCENES:
        one, other = made.make(name, 30, tmp_path), made.make(name, 30, tmp_path)
        np.testing.assert_equal(tuple(one)[1:], tuple(other)[1:])
        steps, count, dimension = one.positions.shape
        assert one.orientations.shape == (steps, count, 4)[: dimension if dimension == 3 else 2]
        assert len(one.solid) == len(one.scales) == count


CONVEX = {
    "polygons-1": {"slm", "fcp", "cp", "fds"},
    "mixed-3": {"slm", "slm-spots", "fcp", "cp", "fds"},
    "entrances-3d": {"initial", "updated", "exclusion"},
}


@pytest.mark.parametrize("scene", CONVEX)
def test_a_small_run_of_convex_bodies(with_convex, scene, tmp_path, capsys):
    table, out = tmp_path / "cpu.csv", tmp_path / "out.json"
    arguments = ["--count", "40", "--repeats", "2", "--csv", str(table), "--json", str(out)]
    arguments += ["--states", str(tmp_path), "--scene", scene]
    with_convex["convex"].main(arguments)
    rows = json.loads(out.read_text())
    assert CONVEX[scene] <= {row["contestant"] for row in rows}
    assert all(row["median_ns"] > 0 for row in rows)
    for row in rows:
        if row["contestant"].startswith("slm"):
            assert row["unconverged"] == 0
            assert row.get("differ", 0) == 0
        if row["contestant"] == "cp":
            assert row["cp_over"] == 1
    with table.open(newline="") as file:
        assert [row["pairs"] for row in csv.DictReader(file)] == [str(r["pairs"]) for r in rows]
    printed = capsys.readouterr().out
    assert "(ns a pair)" in printed
    directions = 2 if scene.startswith("polygons") else 4
    has_cp = f"cp: {directions} directions, 5 to 0.01 degrees, at most 100 times" in printed
    assert has_cp == ("cp" in CONVEX[scene])
