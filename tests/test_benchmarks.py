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

# each takes a second: one that differs from another by numbers alone, or is made of it, is `long`
QUICK = [
    pytest.param("wall", marks=pytest.mark.long),
    pytest.param("wall_rotated", marks=pytest.mark.long),
    pytest.param("unsorted", marks=pytest.mark.long),
    pytest.param("fill", marks=pytest.mark.long),
    "far",
    pytest.param("beyond", marks=pytest.mark.long),
    pytest.param("ratio_10", marks=pytest.mark.long),
    pytest.param("ratio_100", marks=pytest.mark.long),
    "large_facets",
    pytest.param("facets_1k", marks=pytest.mark.long),
    "slivers",
    "mixer",
    pytest.param("one_call", marks=pytest.mark.long),
]


UNEVEN = {
    "mixed_30_12": 45_012,
    "mixed_1000_1000": 46_000,
    "mixed_100000_10000": 55_000,
    "two_parts": 57_600,
    "power_law": 60_000,
    "needles": 20_000,
    "terrain": 368_400,
    "duplicates": 54_000,
    "star": 40_000,
    "big_spheres": 45_000,
    "giants": 45_000,
    "tubes": 9_600,
}

NEED_SCIPY = (
    "convex", "convex_contestants", "convex_flow", "convex_scenes", "solving", "orders",
    "two_bodies",
)  # fmt: skip
NEED_LAMMPS = ("lammps_walls",)

PAIR_SCENES = [
    "omega-1",
    "omega-1000",
    "unsorted-10",
    "outlier-10",
    "thin-1",
    "clusters-10",
    "giants-10",
]


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


def touching(scene):
    mesh = abut.Mesh(scene.vertices, scene.facets)
    return abut.find_contacts(scene.centers, scene.radii, mesh, resolution="all").counts


@pytest.mark.parametrize("name", QUICK)
def test_scenes_are_seeded(scenes, name):
    for one, other in zip(scenes.make(name, 100), scenes.make(name, 100), strict=True):
        np.testing.assert_equal(one, other)


def test_wall_and_its_turned_twin_touch_as_many_facets(scenes):
    wall, turned = scenes.make("wall", 5_000), scenes.make("wall_rotated", 5_000)
    assert wall.facets.shape == (120_000, 3)
    depth = np.minimum(wall.centers, 1 - wall.centers).min(1)
    assert np.all((depth >= 0) & (depth <= wall.radii))
    assert touching(wall).sum() == touching(turned).sum() == pytest.approx(4.8 * 5_000, rel=0.02)
    normals = abut.Mesh(turned.vertices, turned.facets).normals
    assert np.abs(normals).max() < 0.95  # no facet lies across an axis


def test_other_scenes_of_the_box(scenes):
    assert touching(scenes.make("fill", 20_000)).mean() == pytest.approx(0.144, rel=0.1)
    assert not touching(scenes.make("far", 2_000)).any()
    assert not touching(scenes.make("beyond", 2_000)).any()
    wall, shuffled = scenes.make("wall", 500), scenes.make("unsorted", 500)
    assert not np.array_equal(wall.radii, shuffled.radii)
    np.testing.assert_array_equal(np.sort(wall.radii), np.sort(shuffled.radii))


@pytest.mark.parametrize(("name", "count"), [("facets_1k", 972), ("facets_10k", 10_092)])
def test_walls_of_other_meshes_touch_as_many_facets(scenes, name, count):
    scene = scenes.make(name, 20_000)
    assert len(scene.facets) == count
    assert touching(scene).mean() == pytest.approx(4.8, rel=0.06)


@pytest.mark.parametrize("ratio", [10, 100])
def test_radii_are_spread(scenes, ratio):
    radii = scenes.make(f"ratio_{ratio}", 5_000).radii
    assert 0.95 * ratio < radii.max() / radii.min() <= ratio
    assert np.median(radii) == pytest.approx(0.005, rel=0.1)


def test_slivers_are_thin_and_closed(scenes):
    scene = scenes.make("slivers", 10)
    sides = np.sort(np.stack([scene.facets, np.roll(scene.facets, 1, axis=1)], -1).reshape(-1, 2))
    assert np.all(np.unique(sides, axis=0, return_counts=True)[1] == 2)
    corners = scene.vertices[scene.facets]
    edges = np.sort(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2), axis=1)
    assert np.median(edges[:, 2] / edges[:, 0]) > 5


def test_spheres_near_a_surface_touch_it(scenes, cad_meshes, monkeypatch):
    monkeypatch.setenv("ABUT_TEST_MESHES", str(cad_meshes))
    scene = scenes.make("vessel", 1_000)
    assert touching(scene).min() >= 1
    assert scene.radii[0] == 0.005 * np.ptp(scene.vertices, axis=0).max()


@pytest.mark.parametrize("name", UNEVEN)
def test_scenes_of_uneven_facets(scenes, name):
    scene = scenes.make(name, 200)
    assert len(scene.facets) == UNEVEN[name] and len(scene.radii) == 200
    for one, other in zip(scene[:4], scenes.make(name, 200)[:4], strict=True):
        np.testing.assert_array_equal(one, other)
    if name not in ("power_law", "needles"):
        assert touching(scene).min() >= 1


def test_sizes_of_uneven_facets(scenes):
    def extents(name):
        corners = scenes.make(name, 1).vertices[scenes.make(name, 1).facets]
        return np.ptp(corners, axis=1).max(1)

    mixed, terrain, tubes = (extents(n) for n in ("mixed_1000_1000", "terrain", "tubes"))
    assert np.median(mixed[45_000:]) / np.median(mixed[:45_000]) == pytest.approx(1000, rel=0.2)
    assert np.median(terrain[:320_000]) > 500 * np.median(terrain[320_000:])
    areas = abut.Mesh(*scenes.make("tubes", 1)[2:4]).areas
    assert np.median(tubes**2 / areas) > 300
    assert touching(scenes.make("big_spheres", 20)).mean() > 1_000
    counts = touching(scenes.make("giants", 5_000))
    assert np.median(counts) < 50 and counts.max() > 40_000


def test_the_third_call_counts_and_the_first_is_told(walls, tmp_path, capsys):
    table = tmp_path / "cpu.csv"
    arguments = ["--spheres", "50", "--repeats", "2", "--csv", str(table), "--outputs", "warm"]
    walls.main([*arguments, "--scene", "tubes,wall", "--contestants", "abut"])
    assert "first call, with building: " in capsys.readouterr().out
    with table.open(newline="") as file:
        tubes, wall = csv.DictReader(file)
    assert float(tubes["first_ns"]) > float(tubes["min_ns"]) > 0
    assert wall["first_ns"] == ""


def test_calls_are_of_a_new_contestant(walls, scenes):
    scene = scenes.make("tubes", 10)
    entrant = walls.Entrant("abut", scene, 1, "warm")
    finders = []
    search = entrant.contestant.search
    entrant.contestant.search = lambda call: (
        finders.append(entrant.contestant.finder) or search(call)
    )
    walls.rounds.take_turns([entrant], 2)
    assert len(entrant.seconds) == 2 and len(entrant.firsts) == 3
    assert [finders.count(finder) for finder in finders] == [3] * 9


@pytest.mark.filterwarnings("error")
def test_scenes_of_one_sphere(scenes, pair_scenes):
    assert len(scenes.make("fill", 1).radii) == 1
    assert len(pair_scenes.make("powder-10", 1).radii) == 1


def test_polygons_are_cut_into_fans(scenes):
    vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 1, 0]]
    mesh = abut.Mesh(vertices, [[0, 1, 2, 3], [1, 4, 2]])
    assert scenes.cut(mesh).tolist() == [[0, 1, 2], [0, 2, 3], [1, 4, 2]]


def test_morton_codes_interleave_bits(scenes):
    cells = np.random.default_rng(0).integers(0, 2**21, (50, 3))
    expected = [
        sum(
            (int(cell[axis]) >> bit & 1) << (3 * bit + axis)
            for bit in range(21)
            for axis in range(3)
        )
        for cell in cells
    ]
    assert scenes.morton_codes(cells / 2**21).tolist() == expected


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


@pytest.mark.parametrize("scene", ["mixer", "one_call"])
def test_a_small_run(walls, scene, tmp_path, capsys):
    pytest.importorskip("scipy")
    table, out = tmp_path / "cpu.csv", tmp_path / "out.json"
    arguments = ["--spheres", "50", "--repeats", "2", "--csv", str(table), "--json", str(out)]
    walls.main([*arguments, "--scene", scene, "--contestants", "abut,ckdtree,embree"])
    rows = json.loads(out.read_text())
    assert {"abut", "ckdtree"} <= {r["contestant"] for r in rows}
    assert all(r.get("difference", 0) == 0 for r in rows)
    assert len(table.read_text().splitlines()) == len(rows) + 1
    assert "(ns a " in capsys.readouterr().out


def test_the_build_of_what_finds_the_closest_only(walls, tmp_path, monkeypatch, capsys):
    pytest.importorskip("scipy")
    monkeypatch.setattr(walls.CONTESTANTS["ckdtree"], "is_closest_only", True)
    arguments = ["--spheres", "50", "--repeats", "1", "--csv", str(tmp_path / "cpu.csv")]
    walls.main([*arguments, "--scene", "build", "--contestants", "ckdtree"])
    assert "ckdtree" in capsys.readouterr().out


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


def test_a_scene_without_contestants_is_left_out(walls, tmp_path, capsys):
    table = tmp_path / "cpu.csv"
    arguments = ["--spheres", "50", "--repeats", "1", "--csv", str(table)]
    walls.main([*arguments, "--scene", "wall,build", "--contestants", "abut-mesh"])
    out = capsys.readouterr().out
    assert "abut-mesh is left out of wall: it finds nothing" in out
    assert "wall is left out: no contestant is left" in out
    assert len(table.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("benchmark", "scene", "contestant", "reason"),
    [
        ("walls", "drum", "warp", "it runs on 1 thread at most, not on 2"),
        ("pairs", "omega-10", "vesin", "lists all pairs within the largest diameter"),
        ("pairs", "omega-1", "lammps", "it runs on 1 thread at most, not on 2"),
    ],
)
def test_nothing_timed_is_an_error(
    benchmarks, benchmark, scene, contestant, reason, monkeypatch, capsys
):
    entrant = benchmarks[benchmark].CONTESTANTS[contestant]
    monkeypatch.setattr(entrant, "missing", lambda: None)
    arguments = ["--scene", scene, "--contestants", contestant, "--threads", "2"]
    with pytest.raises(SystemExit, match="nothing was timed"):
        benchmarks[benchmark].main(arguments)
    assert f"{contestant} is left out of {scene}: {reason}" in capsys.readouterr().out


def test_no_contestant_installed_is_an_error(walls, monkeypatch, capsys):
    monkeypatch.setattr(walls.CONTESTANTS["coal"], "module", "no_such_module")
    with pytest.raises(SystemExit, match="nothing was timed"):
        walls.main(["--contestants", "coal"])
    assert "wall is left out: no contestant is left" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("benchmark", "option", "text", "complaint"),
    [
        ("walls", "--repeats", "0", "0 is out of bounds; it must be at least 1"),
        ("walls", "--threads", "1,0", "0 is out of bounds; it must be 1 to 1024"),
        ("walls", "--threads", "4096", "4096 is out of bounds; it must be 1 to 1024"),
        ("walls", "--spheres", "0", "0 is out of bounds; it must be at least 1"),
        ("pairs", "--spheres", "10,-5", "-5 is out of bounds; it must be at least 1"),
        ("pairs", "--repeats", "many", "'many' is no whole number; it must be at least 1"),
        ("cooling", "--steps", "3", "3 is out of bounds; it must be at least 10"),
        ("cooling", "--particles", "0", "0 is out of bounds; it must be at least 1"),
        ("dem", "--settle", "0", "0 is out of bounds; it must be at least 1"),
        ("dem", "--scene", "bed", "'bed' is none of settled, moving, spheres-1, spheres-10"),
    ],
)
def test_options_out_of_bounds_are_named(benchmarks, benchmark, option, text, complaint, capsys):
    with pytest.raises(SystemExit):
        benchmarks[benchmark].main([option, text])
    assert f"argument {option}: {complaint}" in capsys.readouterr().err


def test_facets_are_those_that_each_is_given(walls, tmp_path, capsys):
    pytest.importorskip("scipy")
    table = tmp_path / "cpu.csv"
    arguments = ["--spheres", "50", "--repeats", "1", "--csv", str(table), "--outputs", "warm"]
    walls.main([*arguments, "--scene", "mixer", "--contestants", "abut,ckdtree"])
    with table.open(newline="") as file:
        facets = {row["contestant"]: row["facets"] for row in csv.DictReader(file)}
    assert facets == {"abut": "2448", "ckdtree": "4048"}
    assert "50 spheres, 2,448 facets (to rivals 4,048 triangles)" in capsys.readouterr().out


def test_several_numbers_of_spheres(walls, tmp_path):
    table = tmp_path / "cpu.csv"
    walls.main(
        ["--spheres", "50,60", "--repeats", "1", "--csv", str(table), "--contestants", "abut"]
    )
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["spheres"], r["outputs"]) for r in rows] == [
        (count, outputs) for count in ("50", "60") for outputs in ("warm", "cold")
    ]
    assert {r["simd"] for r in rows} <= {"baseline", "v3", "v4"}


def test_a_contestant_that_is_missing_is_named(walls, monkeypatch, capsys):
    monkeypatch.setattr(walls.CONTESTANTS["coal"], "module", "no_such_module")
    present = walls.rounds.leave_out_missing(["coal", "abut"], walls.CONTESTANTS)
    assert present == ["abut"]
    assert "coal is left out: No module named 'no_such_module'" in capsys.readouterr().out


# ---- pairs of spheres ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIR_SCENES)
def test_scenes_of_pairs_are_seeded(pair_scenes, name):
    one, other = pair_scenes.make(name, 200), pair_scenes.make(name, 200)
    np.testing.assert_equal(tuple(one), tuple(other))
    assert len(one.radii) == len(one.centers) == 200


def test_sizes_follow_the_power_law(pair_scenes):
    scene = pair_scenes.make("omega-10", 20_000)
    assert 1 <= scene.radii.min() < scene.radii.max() <= 10
    # as many times fewer spheres beyond r as r**-2 says, but for what lies beyond 10
    assert np.mean(scene.radii > 2) == pytest.approx((0.25 - 0.01) / 0.99, rel=0.05)
    volume = np.prod(np.ptp(scene.centers, axis=0))
    assert 4 / 3 * np.pi * np.sum(scene.radii**3) / volume == pytest.approx(0.5, rel=0.01)
    assert np.all(pair_scenes.make("omega-1", 10).radii == 1)


def test_scenes_are_as_dense_as_their_bases(pair_scenes):
    def pairs_a_sphere(name):
        return len(abut.find_pairs(*pair_scenes.make(name, 20_000)[:2])) / 20_000

    assert pairs_a_sphere("unsorted-10") == pairs_a_sphere("omega-10")
    assert pairs_a_sphere("clusters-1") == pytest.approx(pairs_a_sphere("omega-1"), rel=0.1)
    names = ("omega-1", "omega-10", "thin-10", "giants-10")
    bases = [None, "omega-1", "omega-10", "loose-10"]
    assert [pair_scenes.base_of(name) for name in names] == bases


def test_rivals_find_the_same_pairs(pair_scenes, pair_contestants):
    for name in ("omega-1", "omega-100"):
        scene = pair_scenes.make(name, 300)
        expected = len(abut.find_pairs(*scene[:2]))
        for rival, contestant in pair_contestants.CONTESTANTS.items():
            if contestant.missing() or contestant.reason_against(name, [1]):
                continue
            made = contestant(scene, 1)
            assert made.pair_count(made.search()) == expected, rival


@pytest.mark.parametrize(
    "scene",
    [
        "omega-1",
        pytest.param("outlier-10", marks=pytest.mark.long),  # too much for a rival
        # they have bases, too
        pytest.param("unsorted-10", marks=pytest.mark.long),
        pytest.param("clusters-10", marks=pytest.mark.long),
    ],
)
def test_a_small_run_of_pairs(benchmarks, scene, tmp_path, capsys):
    pytest.importorskip("scipy")
    table, out = tmp_path / "cpu.csv", tmp_path / "out.json"
    arguments = ["--spheres", "50", "--repeats", "2", "--csv", str(table), "--json", str(out)]
    chosen = ["--contestants", "abut,abut-finder,scipy,freud", "--threads", "1,2"]
    benchmarks["pairs"].main([*arguments, *chosen, "--scene", scene])
    rows = json.loads(out.read_text())
    assert {"abut", "abut-finder", "scipy"} <= {r["contestant"] for r in rows}
    assert all(r["difference"] == 0 for r in rows)
    assert all((r["over_base"] > 0) == (scene != "omega-1") for r in rows if r.get("base"))
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


def test_one_distance_lists_more_pairs_the_more_sizes_differ(pair_contestants):
    reasons = [
        pair_contestants.Vesin.reason_against(name, [1])
        for name in ("omega-1", "omega-10", "omega-100", "omega-1000", "powder-10")
    ]
    assert reasons[0] is None
    assert len(set(reasons)) == 5


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


def test_two_disks_part_with_the_restitution(benchmarks):
    cooling = benchmarks["cooling"]
    for radii in ([1.0, 1.0], [1.0, 20.0]):
        radii = np.array(radii)
        gap = radii.sum() + 0.001
        centers = np.array([[50.0, 50.0], [50.0 + gap, 50.0]])
        velocities = np.array([[1.0, 0.0], [0.0, 0.0]])
        simulation = cooling.Simulation((centers, velocities, radii, 100.0), "auto")
        for _ in range(200):
            simulation.step()
        speed = np.diff(simulation.velocities[:, 0])[0]
        assert len(simulation.pairs) == 0
        assert speed == pytest.approx(cooling.RESTITUTION, rel=0.01)


# ---- simulations ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """Where the states of small scenes are kept."""
    return tmp_path_factory.mktemp("states")


DEM_SCENES = [
    "settled",
    "moving",
    "spheres-1",
    "spheres-10",
    "spheres-100",
    "one",
    "seven",
    "pit",
    "box",
]


@pytest.mark.parametrize("scene", DEM_SCENES)
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


def test_bytes_are_those_that_are_held(benchmarks):
    """Spheres in 120,000 facets: few, so that what the facets' bins take is most of it."""
    told = benchmarks["dem"].memory_of(1_000)
    rest = told["bytes_resident"] - told["bytes_counted"]
    assert rest == pytest.approx(told["bytes_beside"], abs=0.2)
    assert told["bytes_counted"] > 152  # the columns that a caller reads
    assert told["bytes_beside"] > 0


def test_states_are_made_once(benchmarks, tmp_path, monkeypatch):
    made = benchmarks["dem_scenes"]
    first = made.make("moving", 40, 30, tmp_path)
    monkeypatch.setattr(made, "simulation", None)
    again = made.make("moving", 40, 30, tmp_path)
    for name in ("centers", "velocities", "spins"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert np.any(first.velocities)
    assert len(list(tmp_path.glob("*.npz"))) == 2


def test_sizes_of_simulations(benchmarks, states):
    made = benchmarks["dem_scenes"]
    radii = made.sizes(np.random.default_rng(5), 100_000, 100, -5.0, 2)
    assert radii.max() / radii.min() == pytest.approx(100, rel=1e-3)
    assert np.sum(radii[:2] ** 3) / np.sum(radii**3) == pytest.approx(0.84, abs=0.01)
    scene = made.make("spheres-10", 60, 100, states)
    solid = 4 / 3 * np.pi * np.sum(scene.radii**3)
    assert solid / scene.period**3 == pytest.approx(0.55)


@pytest.mark.parametrize(
    ("rival", "scene"),
    [
        ("kratos", "settled"),
        ("kratos", "moving"),
        ("lammps", "spheres-10"),
        ("lammps-multi", "spheres-10"),
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


def test_threads_begin_one_after_another(benchmarks):
    scaling = benchmarks["scaling"]
    run = scaling.Run(9, np.ones(5))
    # the caller begins at 0, two helpers at 0.4 and 0.8
    assert scaling.makespan(run, 3, hand_out=0.4) == pytest.approx(2.4)
    run = scaling.Run(9, np.ones(4))
    assert scaling.makespan(run._replace(threads=1), 3, hand_out=0.4) == 4.0


def test_rows_of_chunks(benchmarks):
    """A run of three chunks, one of none, and what follows the last."""
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


@pytest.mark.parametrize("law", ["JKR", "DMT", "bridges", "small-bridges", "again-C++"])
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


def test_the_law_in_cpp_exerts_the_same(benchmarks):
    laws = benchmarks["laws"]
    if shutil.which(os.environ.get("CXX", "c++")) is None:
        pytest.skip("there is no C++ compiler")
    sims = [laws.lattice(4, laws.LAWS[name]()) for name in ("Hertz", "again-C++")]
    for sim in sims:
        sim.run(steps=100)
    moved = sims[0].centers - laws.lattice(4, laws.HERTZ).centers
    assert np.abs(moved).max() > 1e-8
    np.testing.assert_allclose(sims[1].centers, sims[0].centers, rtol=0, atol=1e-15)


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


def test_steps_of_pairs_are_as_long_as_they_say(with_convex, tmp_path):
    made = with_convex["convex_scenes"]
    for name, step in (("mixed-3", 1e-3), ("apart-4", 1e-4), ("entrances-v-v", 1e-3)):
        moved = np.diff(made.make(name, 50, tmp_path).positions, axis=0)
        lengths = np.linalg.norm(moved, axis=2)
        np.testing.assert_allclose(lengths[:, 1::2], step, rtol=1e-9)
        assert not lengths[:, ::2].any()


def test_features_are_those_of_the_solids(with_convex):
    made = with_convex["convex_scenes"]
    for solid, counts in zip(
        made.GRAINS, [(4, 6, 4), (5, 8, 5), (6, 12, 8), (24, 36, 14)], strict=True
    ):
        features = made.features_of(solid)
        assert tuple(map(len, features)) == counts
        for corners, normals in [*features.facet, *features.edge, *features.vertex]:
            heights = normals @ solid.vertices.T
            np.testing.assert_allclose(normals @ corners[0], heights.max(1), atol=1e-12)


@pytest.mark.parametrize("name", ["apart-3", "parallel-4", "overlapping-4"])
def test_pairs_are_as_far_apart_as_they_were_laid(with_convex, name, tmp_path):
    """By Coal; of pairs that overlap its normal may be another that parts them with less."""
    coal = with_convex["convex_contestants"].CONTESTANTS["coal"]
    if coal.missing():
        pytest.skip(coal.missing())
    stream = with_convex["convex_scenes"].make(name, 200, tmp_path)
    found = coal(stream, 1, "warm")
    found.begin()
    is_known = ~np.isnan(stream.gaps)
    difference = (-found.overlaps() - stream.gaps)[is_known]
    assert np.count_nonzero(is_known) > 80
    assert np.mean(np.abs(difference) < 1e-6) > 0.98


CONVEX = {
    "polygons-1": {"slm", "fcp", "cp", "fds"},
    "mixed-3": {"slm", "slm-spots", "fcp", "cp", "fds"},
    "flush-3": {"slm", "slm-spots", "fcp", "cp", "fds"},
    "jostle": {"slm", "fcp", "cp"},
    "flow-500": {"slm", "fcp", "cp"},
    "entrances-v-e": {"initial", "updated", "exclusion"},
    "entrances-3d": {"initial", "updated", "exclusion"},
    "cubes": {"slm", "slm-spots"},
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


def test_initial_and_updated_entrances_are_as_many(with_convex, tmp_path):
    contestants = with_convex["convex_contestants"].CONTESTANTS
    stream = with_convex["convex_scenes"].make("entrances-3d", 30, tmp_path)
    seen = [
        with_convex["convex"].Pass(contestants[name](stream, 1, start), stream)
        for name, start in (("initial", "cold"), ("updated", "warm"))
    ]
    assert seen[0].counts == seen[1].counts
    np.testing.assert_array_equal(seen[0].overlaps, seen[1].overlaps)


def test_what_rivals_differ_by_is_told(with_convex, tmp_path):
    """Coal finds the same distances of bodies apart."""
    contestants = with_convex["convex_contestants"].CONTESTANTS
    if contestants["coal"].missing():
        pytest.skip(contestants["coal"].missing())
    convex = with_convex["convex"]
    stream = with_convex["convex_scenes"].make("apart-3", 100, tmp_path)
    own, other = (
        convex.Pass(contestants[name](stream, 1, "warm"), stream) for name in ("slm", "coal")
    )
    told = convex.differences(other, own, stream)
    assert told["differ"] == 0
    other.overlaps[3][7] += 0.5  # parts of two sizes of 1
    told = convex.differences(other, own, stream)
    assert told["differ"] == pytest.approx(1 / 2000)
    assert told["deeper"] == pytest.approx(0.25, abs=1e-6)


def test_the_core_gets_the_same_pairs(with_convex, tmp_path):
    """What the program of solving.c reads: counts, and B's vertices where A sees them."""
    made = with_convex["convex_scenes"]
    stream = made.make("mixed-3", 20, tmp_path)
    arrays = with_convex["solving"].numbers(stream)
    assert arrays[0] == (len(made.GRAINS), 40, 20, len(stream.positions))
    matrices, shifts = np.split(arrays[-1].reshape(20, 12), [9], axis=1)
    np.testing.assert_allclose(np.linalg.det(matrices.reshape(-1, 3, 3)), 1.0)
    apart = stream.positions[-1, 1::2] - stream.positions[-1, ::2]
    np.testing.assert_allclose(np.linalg.norm(shifts, axis=1), np.linalg.norm(apart, axis=1))
