"""The command `abut`: its output, its files and its errors."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import abut
from abut import cli

SQUARE = """\
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
f 1 2 3 4
"""
LONG = 0.12345678901234568  # needs all 17 digits of a float64 number
SPHERES = "x,y,z,radius\n0.5,0.5,0.09,0.1\n0.5,0.5,2,0.1\n-0.05,0.5,0.05,0.1\n"
FRAME = """\
ITEM: TIMESTEP
{step}
ITEM: NUMBER OF ATOMS
1
ITEM: BOX BOUNDS ff ff ff
0 1
0 1
0 1
ITEM: ATOMS id x y z radius
7 0.5 0.5 {z} 0.1
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "square.obj").write_text(SQUARE)
    (tmp_path / "spheres.csv").write_text(SPHERES)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Return a function that runs a command line, and returns exit status, stdout and stderr."""

    def run(line):
        try:
            status = cli.main(line.split())
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run


def table(text):
    """Return the rows of a printed table, by their names."""
    return dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in text.splitlines())


def fails(done, *words):
    status, out, err = done
    assert status == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("abut")
    for word in words:
        assert word in err


# ---- contacts ------------------------------------------------------------------------------------


def test_contacts_are_those_of_the_library(run):
    status, out, err = run("contacts square.obj spheres.csv -o out.npz")
    assert (status, err) == (0, "")
    assert out == "2 contacts of 2 of 3 spheres written to out.npz\n"
    written = abut.load_contacts("out.npz")
    spheres = abut.read_spheres("spheres.csv")
    found = abut.find_contacts(spheres.centers, spheres.radii, abut.read_mesh("square.obj"))
    np.testing.assert_array_equal(written.point, found.point)
    np.testing.assert_array_equal(written.type, [abut.FACET, abut.EDGE])


def test_spheres_in_another_unit_than_the_mesh_give_a_warning(run, here):
    rows = "".join(f"{500 + 40 * k},500,30,20\n" for k in range(5))
    (here / "spheres_mm.csv").write_text("x,y,z,radius\n" + rows)
    status, out, err = run("contacts square.obj spheres_mm.csv -o out.csv")
    assert (status, out) == (0, "0 contacts of 0 of 5 spheres written to out.csv\n")
    assert err.startswith("abut: warning: nothing touches: ") and err.count("\n") == 1
    assert err.endswith("one unit? If not, use --scale 1e-3 for a mesh in millimeters\n")


def test_options_reach_the_library(run, here):
    (here / "ridge.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 .05\nv 2 1 .05\nf 1 2 3 4\nf 2 5 6 3\n"
    )
    (here / "one.csv").write_text("x,y,z,radius\n0.999,0.5,0.09,0.1\n")
    line = "contacts ridge.obj one.csv -o out.npz"
    assert run(line)[0] == 0
    hierarchy = len(abut.load_contacts("out.npz"))
    assert run(line + " --flat-angle 0.2")[0] == 0
    flat = len(abut.load_contacts("out.npz"))
    assert run(line + " --resolution all --weights zhong --workers 1")[0] == 0
    assert (hierarchy, flat, len(abut.load_contacts("out.npz"))) == (2, 1, 2)


def test_frames_of_a_dump(run, here):
    dump = "".join(FRAME.format(step=10 * k, z=z) for k, z in enumerate((0.09, 0.5, 0.08)))
    (here / "bed.dump").write_text(dump)
    line = "contacts square.obj bed.dump -o out.csv"
    assert run(line)[0] == 0
    last = (here / "out.csv").read_text().splitlines()
    assert run(line + " --frame 1")[0] == 0
    assert len((here / "out.csv").read_text().splitlines()) == 1
    assert run(line + " --frame all")[0] == 0
    header, *rows = (here / "out.csv").read_text().splitlines()
    column = header.split(",").index("frame")
    assert [row.split(",")[column] for row in rows] == ["0", "2"]
    assert len(last) == 2
    assert "frame" not in last[0].split(",")


def test_ids_of_the_spheres_are_written(run, here):
    (here / "bed.dump").write_text(FRAME.format(step=0, z=0.09))
    assert run("contacts square.obj bed.dump -o out.csv")[0] == 0
    header, row = (here / "out.csv").read_text().splitlines()
    assert dict(zip(header.split(","), row.split(","), strict=True))["id"] == "7"
    assert run("contacts square.obj spheres.csv -o out.csv")[0] == 0
    assert "id" not in (here / "out.csv").read_text().splitlines()[0].split(",")


# ---- frames --------------------------------------------------------------------------------------

BOX = """\
ITEM: TIMESTEP
{step}
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp pp ff
0 {size}
0 1
0 1
ITEM: ATOMS id x y z radius
7 0.05 0.5 0.09 0.1
9 {x} 0.5 0.09 0.1
"""


def write_run(path, heights=(0.09, 0.5, 0.08), steps=None):
    """Write a dump of one sphere that falls onto the square, bounces and falls again."""
    steps = steps or [10 * k for k in range(len(heights))]
    path.write_text("".join(FRAME.format(step=k, z=z) for k, z in zip(steps, heights, strict=True)))


def entries(path):
    """Return the times and files of a list."""
    found = re.findall(r'timestep="([^"]*)".*file="([^"]*)"', path.read_text())
    return [(float(time), name) for time, name in found]


def test_a_list_names_a_file_a_frame(pyvista, run, here):
    write_run(here / "bed.dump")
    status, out, err = run("contacts square.obj bed.dump --frame all -o out.pvd")
    assert (status, err) == (0, "")
    assert out == "2 contacts of 2 of 3 spheres in 3 frames written to out.pvd\n"
    # A frame without contacts has a file, too.
    names = [f"out/contacts-00000{k}.vtp" for k in range(3)]
    assert entries(here / "out.pvd") == list(zip([0, 10, 20], names, strict=True))
    reader = pyvista.get_reader(here / "out.pvd")
    assert reader.time_values == [0, 10, 20]
    for time, counts in zip(reader.time_values, (1, 0, 1), strict=True):
        reader.set_active_time_value(time)
        assert reader.read()[0].n_points == counts
    last = pyvista.read(here / names[2])
    assert last["id"].tolist() == [7]
    np.testing.assert_allclose(last["overlap"], 0.02)


@pytest.mark.parametrize(
    ("steps", "told"), [((0, 50, 50), "frame 2 is at 50, after 50"), ((9, 3, 4), "frame 1 is at 3")]
)
def test_steps_that_do_not_ascend(run, here, steps, told):
    write_run(here / "bed.dump", steps=steps)
    status, _, err = run("contacts square.obj bed.dump --frame all -o out.pvd")
    assert status == 0
    assert err.startswith(f"abut: warning: {told}") and err.count("\n") == 1
    assert [time for time, _ in entries(here / "out.pvd")] == [0, 1, 2]


def test_frames_of_a_simulation(run, here):
    simulation = abut.Simulation(step=1e-3)
    simulation.add_spheres([[0.5, 0.5, 0.09]], 0.1, abut.Material(density=1000, young=1e7))
    simulation.every(0.01, abut.write_frames("run/{step:04d}.vtp"))
    simulation.run(0.02)
    assert run("contacts square.obj run.pvd --frame all -o out.pvd")[0] == 0
    times = [time for time, _ in entries(here / "out.pvd")]
    assert times == [time for time, _ in entries(here / "run.pvd")]
    # The list that is read remains unchanged.
    fails(
        run("contacts square.obj run.pvd --frame all -o run.pvd"),
        "would overwrite the input run.pvd",
    )
    fails(run("contacts square.obj run --frame all -o run.pvd"), "would overwrite the input run:")
    assert [time for time, _ in entries(here / "run.pvd")] == times


def test_frames_are_listed(run, here):
    write_run(here / "bed.dump")
    status, out, err = run("frames bed.dump")
    head, *rows = [line.split() for line in out.splitlines()]
    frames = abut.read_frames("bed.dump")
    assert (status, err) == (0, "")
    assert head == ["frame", "step", "time", "spheres", "radii", "period"]
    assert [row[0] for row in rows] == ["0", "1", "2"]
    assert [row[1] for row in rows] == [str(frame.step) for frame in frames]
    assert {row[3] for row in rows} == {str(len(frames[0].radii))}
    assert run("frames spheres.csv")[1].splitlines()[1].split()[:3] == ["0", "-", "-"]
    fails(run("frames square.obj"), "square.obj")


def test_what_is_read_is_not_written_over(run, here):
    fails(
        run("contacts square.obj spheres.csv -o spheres.csv"),
        "would overwrite the input spheres.csv",
    )
    assert (here / "spheres.csv").read_text() == SPHERES


def test_broken_frame_is_named(run, here):
    write_run(here / "bed.dump")
    text = (here / "bed.dump").read_text()
    (here / "bed.dump").write_text(text.replace("0.08 0.1", "x 0.1"))
    fails(run("contacts square.obj bed.dump -o out.pvd --frame all"), "bed.dump", "frame 2")
    # The frames before it have been written.
    assert [time for time, _ in entries(here / "out.pvd")] == [0, 10]


@pytest.mark.parametrize("has_tqdm", [False, True])
def test_progress_is_told_where_stderr_is_a_terminal(run, here, monkeypatch, has_tqdm):
    if has_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    write_run(here / "bed.dump")
    line = "contacts square.obj bed.dump --frame all -o out.pvd"
    assert run(line)[2] == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    status, _, err = run(line)
    assert status == 0
    assert "100%" in err and "2 contacts" in err
    assert ("3 frames" in err) is not has_tqdm


# ---- standard output -----------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["contacts square.obj spheres.csv", "pairs spheres.csv --gap 9"])
def test_csv_goes_to_standard_output(run, here, line):
    assert run(f"{line} -o out.csv")[0] == 0
    status, out, err = run(f"{line} -o -")
    assert (status, err) == (0, "")
    assert out == (here / "out.csv").read_text()
    assert out.count("\n") > 2


# ---- pairs ---------------------------------------------------------------------------------------


def test_pairs_are_those_of_the_library(run, here):
    rng = np.random.default_rng(4)
    centers, radii = rng.random((60, 3)), rng.uniform(0.05, 0.1, 60)
    np.savez(here / "bed.npz", centers=centers, radii=radii)
    found = abut.find_pairs(centers, radii, gap=0.01, period=[1, None, 1])
    status, out, err = run("pairs bed.npz -o out.npz --gap 0.01 --period 1 0 1 --workers 1")
    assert (status, err) == (0, "")
    assert out == f"{len(found)} pairs of 60 spheres written to out.npz\n"
    assert abut.load_pairs("out.npz") == found
    assert len(abut.find_pairs(centers, radii, gap=0.01)) < len(found)


def rows_of(text):
    header, *rows = (line.split(",") for line in text.splitlines())
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.mark.parametrize(("radius", "count"), [("1", 1), ("1:0.5,2:1", 0)])
def test_radii_of_files_without(run, here, radius, count):
    rows = "ITEM: ATOMS id type x y z\n1 1 0 0 0\n2 2 1.75 0 0\n"
    Path("run.dump").write_text(f"ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\n{rows}")
    fails(run("pairs run.dump -o a.csv"), "Give --radius, such as 1e-3 or 1:0.5e-3,2:1e-3")
    status, out, _ = run(f"pairs run.dump --radius {radius} -o pairs.csv")
    assert (status, out[:6]) == (0, f"{count} pair")
    status, out, _ = run(f"frames run.dump --radius {radius}")
    assert ("0.5 to 1" in out) == (count == 0)


@pytest.mark.parametrize("radius", ["0", "1:2,3", "1:-1", "a:1", "nan"])
def test_radii_that_are_none(run, here, radius):
    status, _, err = run(f"frames run.dump --radius {radius}")
    assert status == 2
    assert "is not a radius above 0, nor radii by type such as 1:0.5e-3,2:1e-3" in err


@pytest.mark.parametrize("name", ["run.dump", "run.data", "spheres.csv", "run.xyz"])
def test_info_of_a_file_of_spheres_names_the_commands_for_it(run, here, name):
    texts = {
        "run.dump": FRAME.format(step=0, z=0.5),
        "run.data": "comment\n\n1 atoms\n\nAtoms # atomic\n\n1 1 0 0 0\n",
        "run.xyz": "1\n\nH 0 0 0\n",
    }
    if name in texts:
        Path(name).write_text(texts[name])
    fails(run(f"info {name}"), f"{name} has no known ending", "abut frames and abut pairs")
    fails(run("info none.dump"), "none.dump has no known ending")


def test_info_of_a_dump_local_names_its_reader(run, here):
    text = FRAME.format(step=0, z=0.5).replace("ATOMS", "ENTRIES")
    Path("local.dump").write_text(text)
    status, _, err = run("info local.dump")
    assert status == 2 and "abut.read_pairs(path, frame) reads contacts" in err
    assert "abut pairs" not in err


@pytest.mark.parametrize("line", ["frames run.dump", "pairs run.dump -o a.csv"])
def test_a_dump_of_contacts_names_its_reader(run, here, line):
    text = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ENTRIES\n0\nITEM: ENTRIES a b\n"
    Path("run.dump").write_text(text)
    fails(run(line), "those of a dump local, not spheres", "abut.read_pairs(path, frame)")


def test_the_period_of_a_dump_is_taken_but_where_another_is_given(run, here):
    (here / "two.dump").write_text(BOX.format(step=3, size=1, x=0.9))
    (row,) = rows_of(run("pairs two.dump -o -")[1])
    assert (row["id_i"], row["id_j"], row["image_x"]) == ("7", "9", "-1")
    assert float(row["overlap"]) == pytest.approx(0.05)
    assert rows_of(run("pairs two.dump -o - --period 0 0 0")[1]) == []
    (row,) = rows_of(run("pairs two.dump -o - --period 0.9 0 0")[1])
    assert float(row["overlap"]) == pytest.approx(0.15)


def test_a_mesh_does_not_repeat_in_a_dump_that_is_periodic(run, here):
    (here / "two.dump").write_text(BOX.format(step=3, size=5, x=5.05))
    mesh = abut.read_mesh("square.obj")
    frame = abut.read_frames("two.dump")[0]
    found = abut.find_contacts(frame.centers, frame.radii, mesh, period=frame.period)
    assert found.image[:, 0].any()
    assert len(rows_of(run("contacts square.obj two.dump -o -")[1])) < len(found)


def test_a_box_may_change_from_frame_to_frame(run, here):
    boxes = (1.0, 0.9), (1.05, 0.95)
    dump = "".join(BOX.format(step=k, size=size, x=x) for k, (size, x) in enumerate(boxes))
    (here / "two.dump").write_text(dump)
    status, out, err = run("pairs two.dump -o out.npz --frame all")
    assert (status, err) == (0, "")
    assert out == "2 pairs of 4 spheres in 2 frames written to out.npz\n"
    pairs = abut.load_pairs("out.npz")
    # Spheres are numbered through the frames, and pairs are only within a frame.
    assert (pairs.i.tolist(), pairs.j.tolist(), pairs.period) == ([0, 2], [1, 3], None)
    np.testing.assert_allclose(pairs.overlap, [0.05, 0.05])


@pytest.mark.parametrize("period", ["-1 0 0", "1 x 0", "1 nan 0", "1 inf 0"])
def test_periods_that_are_none(run, period):
    fails(run(f"pairs spheres.csv -o out.csv --period {period}"), "is not a length or 0")


CELL = ["1 0 0", "0 1 0", "0 0 1"]


def test_a_cell_is_given_by_its_vectors(run, here):
    rng = np.random.default_rng(4)
    np.savez(here / "bed.npz", centers=rng.random((60, 3)), radii=rng.uniform(0.05, 0.1, 60))
    assert run(f"pairs bed.npz -o cell.csv --cell {' '.join(CELL)}")[0] == 0
    assert run("pairs bed.npz -o lengths.csv --period 1 1 1")[0] == 0
    assert (here / "cell.csv").read_text() == (here / "lengths.csv").read_text()
    fails(run(f"pairs bed.npz -o a.csv --cell {' '.join(CELL)} --period 1 1 1"), "not allowed with")
    fails(run(f"pairs bed.npz -o a.csv --cell {' '.join(CELL[:2])} 0 0 inf"), "is not a finite")
    fails(run(f"pairs bed.npz -o a.csv --cell {' '.join(CELL[:2])} 0 1 0"), "lies in the plane")


def test_frames_of_tilted_boxes_list_their_vectors(run, here):
    box = "ITEM: BOX BOUNDS xy xz yz pp pp ff\n0 1.5 0.5\n0 1 0\n0 2 0\n"
    before, after = FRAME.index("ITEM: BOX"), FRAME.index("ITEM: ATOMS")
    text = FRAME[:before] + box + FRAME[after:]
    (here / "tilted.dump").write_text(text.format(step=0, z=0.09))
    assert run("frames tilted.dump")[1].splitlines()[1].endswith("1 0 0; 0.5 1 0; 0 0 0")


# ---- facets that are split -----------------------------------------------------------------------

DART = "v 0 0 0\nv 1 0 0\nv .25 .25 0\nv 0 1 0\nf 1 2 3 4\n"


def test_facets_that_are_not_convex(run, here):
    (here / "dart.obj").write_text(DART)
    line = "contacts dart.obj spheres.csv -o out.csv"
    fails(run(line), "facet 0 is not convex at its corner 2; --split triangulates it")
    assert run(line + " --split")[0] == 0
    rows = table(run("info dart.obj")[1])
    assert (rows["facets"], rows["not convex or not planar facets"]) == ("2", "1")


# ---- info ----------------------------------------------------------------------------------------


def test_info_describes_a_mesh(run):
    status, out, err = run("info square.obj")
    rows = table(out)
    assert (status, err) == (0, "")
    assert rows["facets"] == "1"
    assert rows["quadrilaterals"] == "1"
    assert rows["x"] == "0 to 1"
    assert rows["area"] == "1"
    assert rows["smallest angle"] == "90 degrees (facet 0)"
    assert rows["zero-area facets"] == "0"
    assert rows["duplicate facets"] == "0"
    assert rows["border edges"] == "4"
    assert rows["non-manifold edges"] == "0"
    assert rows["coordinate noise"] == "1.2e-07 (float32)"
    assert rows["neighbors off one plane"] == "none"


@pytest.mark.parametrize(
    ("z", "noise", "neighbors"),
    [
        ([0, 0, 0, 0], "1.2e-07 (float32)", "1e-17 or less: 1"),
        ([0, 0.123456, 0.654321, 0.530865], "1e-05 (decimals)", "1e-17 or less: 1"),
        ([0, LONG, 3 + LONG, 3 + 1e-7], "3.2e-08 (measured)", "1e-9: 1"),
        ([0, LONG, 3 + LONG, 3.5], "4.4e-16 (double)", "1e-2: 1"),
        ([0, 0, 0, 1], "1.2e-07 (float32)", "1e-1: 1"),
    ],
)
def test_info_tells_noise_and_what_it_follows_from(run, here, z, noise, neighbors):
    lines = [
        f"v {x} {y} {h!r}"
        for (x, y), h in zip([(0, 0), (1, 0), (1, 1), (0, 1)], map(float, z), strict=True)
    ]
    (here / "two.obj").write_text("\n".join([*lines, "f 1 2 3", "f 1 3 4\n"]))
    status, out, err = run("info two.obj")
    rows = table(out)
    assert (status, err) == (0, "")
    assert (rows["coordinate noise"], rows["neighbors off one plane"]) == (noise, neighbors)


def test_info_finds_what_is_wrong(run, here):
    (here / "bad.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nv 2 0 0\nv .3 .1 0\n"
        "f 1 2 3\nf 2 3 1\nf 1 2 4\nf 2 1 5\nf 1 2 6\nf 1 2 7\n"
    )
    status, out, err = run("info bad.obj")
    rows = table(out)
    assert status == 0
    assert rows["facets"] == "5"
    assert rows["triangles"] == "5"
    assert rows["zero-area facets"] == "1"
    assert rows["duplicate facets"] == "1"
    assert rows["non-manifold edges"] == "1"
    assert rows["smallest angle"].endswith("degrees (facet 5)")
    angle = np.degrees(np.arctan2(0.1, 0.7))
    assert float(rows["smallest angle"].split()[0]) == pytest.approx(angle, rel=1e-2)
    assert err.startswith("abut: warning:")


# ---- demo and doctor -----------------------------------------------------------------------------


def test_demo_prints_its_table_and_writes_two_files(run, here):
    status, out, err = run("demo")
    *lines, last = out.splitlines()
    rows = table("\n".join(lines))
    assert (status, err) == (0, "")
    assert rows["spheres"] == "29,559"
    assert rows["facets"] == "2,448"
    by_type = [int(rows[f"on {name}"].replace(",", "")) for name in ("FACET", "EDGE", "VERTEX")]
    assert sum(by_type) == int(rows["contacts"].replace(",", ""))
    assert min(by_type) > 0
    assert rows["time per sphere"].endswith(" ns")
    assert int(rows["threads"]) >= 1
    assert last == "written: abut-demo.vtp, abut-demo-mesh.vtp"
    assert (here / "abut-demo.vtp").stat().st_size > 10_000
    assert (here / "abut-demo-mesh.vtp").stat().st_size > 10_000


def test_demo_saves_a_picture(run, here):
    pytest.importorskip("matplotlib")
    status, out, _ = run("demo --plot mixer.png")
    assert status == 0
    assert "mixer.png" in out.splitlines()[-1]
    assert (here / "mixer.png").read_bytes().startswith(b"\x89PNG")


def test_demo_without_matplotlib_names_the_extra(run, monkeypatch, here):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    fails(run("demo --plot mixer.png"), "pip install 'abut[plot]'")
    assert not (here / "abut-demo.vtp").exists()


def test_demo_simulates(run, here):
    status, out, err = run("demo --simulate 0.001")
    head, _, parts = out.partition("SimulationStatistics(20 steps; 29559 spheres")
    rows = table(head)
    assert (status, err) == (0, "")
    assert (rows["spheres"], rows["facets"], rows["steps"]) == ("29,559", "2,448", "20")
    assert rows["time"] == "0.001 s"
    assert "pairs and their laws" in parts
    assert out.splitlines()[-1] == "written: abut-demo.pvd, abut-demo-walls.pvd"
    assert len(list(here.glob("abut-demo/*-walls.vtp"))) == 20
    assert (here / "abut-demo.pvd").read_text().count("<DataSet") == 20
    assert not (here / "abut-demo.vtp").exists()


@pytest.mark.parametrize("time", ["0", "-1", "nan", "inf", "long"])
def test_times_that_are_none(run, time):
    fails(run(f"demo --simulate={time}"), f"'{time}' is not a time above 0")


def test_demo_leaves_files_for_the_other_commands(run, here):
    status, out, err = run("demo --files")
    assert (status, out, err) == (0, "written: step.stl, spheres.csv\n", "")
    assert {path.name for path in here.iterdir()} == {"step.stl", "spheres.csv", "square.obj"}
    assert run("contacts step.stl spheres.csv -o out.npz")[0] == 0
    found = abut.find_contacts(*abut.examples.step())
    written = abut.load_contacts("out.npz")
    np.testing.assert_array_equal(written.type, found.type)
    np.testing.assert_allclose(written.point, found.point, atol=1e-15)
    fails(run("demo --files --plot mixer.png"), "--files draws nothing")
    fails(run("demo --files --simulate 1"), "not allowed with")


def test_doctor_lists_versions(run):
    status, out, _ = run("doctor")
    rows = table(out)
    assert status == 0
    assert rows["abut"] == abut.__version__
    assert rows["NumPy"] == np.__version__
    assert {"OpenMP", "threads", "instruction level", "scipy", "matplotlib"} <= set(rows)


def test_version(run):
    assert run("--version") == (0, f"abut {abut.__version__}\n", "")


@pytest.mark.parametrize("command", ["", "contacts", "pairs", "info", "demo", "doctor"])
def test_help_is_there(run, command):
    status, out, _ = run(f"{command} --help")
    assert status == 0
    assert out.startswith("usage: abut")
    assert max(len(line) for line in out.splitlines()) <= 100


# ---- errors --------------------------------------------------------------------------------------


def test_missing_file(run):
    fails(run("info nothing.obj"), "nothing.obj", "No such file")


def test_file_of_no_known_kind(run, here):
    (here / "mesh.step").write_text("hello")
    for line in ("info mesh.step", "pairs mesh.step -o out.csv"):
        done = run(line)
        fails(done, "mesh.step has no known ending")
        assert "abut." not in done[2] and "Mesh." not in done[2] and "(" not in done[2]


@pytest.mark.parametrize(
    ("hidden", "line", "told"),
    [
        ("trimesh", "info mesh.off", "this needs trimesh: pip install 'abut[io]'"),
        ("meshio.gmsh", "info mesh.msh", "this needs meshio: pip install 'abut[io]'"),
        ("pyarrow", "pairs none.csv -o out.parquet", "this needs pyarrow: pip install 'abut[io]'"),
    ],
)
def test_packages_that_are_missing_are_named_with_their_extra(
    run, here, monkeypatch, hidden, line, told
):
    (here / "mesh.off").write_text("OFF\n0 0 0\n")
    (here / "mesh.msh").write_text("$MeshFormat")
    monkeypatch.setitem(sys.modules, hidden, None)
    assert run(line) == (2, "", f"abut: error: {told}\n")


def test_files_in_each_others_place(run):
    done = run("contacts spheres.csv square.obj -o out.csv")
    fails(done, "square.obj is a mesh: give it first, as in abut contacts square.obj spheres.csv")
    Path("square.obj.gz").write_bytes(gzip.compress(SQUARE.encode()))
    fails(run("contacts spheres.csv square.obj.gz -o out.csv"), "square.obj.gz is a mesh")


@pytest.mark.parametrize("content", [bytes(range(256)), b"\x1b[31mx,\x1b]0;title\x07y,z\n1,2,3\n"])
def test_nothing_of_a_file_that_a_terminal_would_obey_is_shown(run, here, content):
    (here / "garbage.csv").write_bytes(content)
    done = run("contacts square.obj garbage.csv -o out.csv")
    fails(done, "not text, but must name the columns")
    assert done[2].rstrip("\n").isprintable()


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (MemoryError(), 2, "abut: error: out of memory"),
        (KeyboardInterrupt(), 130, "abut: interrupted"),
        (ValueError("two\nlines"), 2, "abut: error: two lines"),
        (KeyError("surprise"), 2, "abut: error: KeyError: 'surprise'"),
        (ImportError("this needs x"), 2, "abut: error: this needs x"),
    ],
)
def test_errors_are_one_line(run, monkeypatch, error, status, line):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(abut, "read_mesh", fail)
    assert run("info square.obj") == (status, "", line + "\n")


def test_module_runs_like_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "abut", "info", "nothing.obj"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == "abut: error: nothing.obj: No such file or directory\n"


@pytest.mark.parametrize(
    "line", ["info square.obj", "pairs spheres.csv -o - --gap 9", "contacts --help"]
)
def test_closed_pipe_is_no_error(line):
    child = subprocess.Popen(
        [sys.executable, "-m", "abut", *line.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    child.stdout.close()
    error = child.stderr.read()
    child.stderr.close()
    # argparse ignores an error if each letter is written at once.
    statuses = (0, 141) if line.endswith("--help") else (141,)
    assert child.wait() in statuses and error == b""
