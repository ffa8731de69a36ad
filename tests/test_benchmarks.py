"""The benchmark's scenes are what they say, its comparisons are right, and it runs."""

import csv
import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import abut

FOLDER = Path(__file__).parents[1] / "benchmarks"
QUICK = [
    "wall",
    "wall_rotated",
    "unsorted",
    "fill",
    "far",
    "beyond",
    "ratio_10",
    "ratio_100",
    "large_facets",
    "facets_1k",
    "slivers",
    "mixer",
    "one_call",
]


@pytest.fixture(scope="module")
def walls():
    """The benchmark, imported beside the tests' own module `scenes`."""
    names = ("scenes", "contestants", "walls")
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(FOLDER))
    try:
        yield importlib.import_module("walls")
    finally:
        sys.path.remove(str(FOLDER))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(others)


@pytest.fixture(scope="module")
def scenes(walls):
    return walls.scenes


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
    abut_row, half, rival, closest = walls.compare(
        [
            row("abut", [10.0, 20.0, 30.0], outputs="warm", touching=20),
            row("abut", [5.0, 10.0, 15.0], 2, outputs="warm"),
            row("embree", [40.0, 60.0, 120.0]),
            row("libigl", [1.0, 1.0, 1.0]),
        ]
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
    walls.append_csv([{"scene": "fill", "kept": 3}], path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == walls.FIELDS
    assert [(r["scene"], r["kept"]) for r in rows] == [("wall", "2"), ("fill", "3")]


@pytest.mark.parametrize("scene", ["large_facets", "mixer", "one_call", "build"])
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
    assert walls.leave_out_missing(["coal", "abut"]) == ["abut"]
    assert "coal is left out: No module named 'no_such_module'" in capsys.readouterr().out
