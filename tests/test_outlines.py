"""Outlines of periodic cells, and the dumps and frames that have them."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut import cli
from abut.base.outlines import Plane, completed, fractions_of, outline_of
from abut.base.periods import read_period, vectors_of
from test_frames import listed, simulation, wall

SHEARED = [[2, 0, 0], [0.5, 1, 0], [0.25, -0.125, 3]]
TURNED = [[1, 1, 0], [-1, 1.5, 0.25], [0, 0.5, 2]]
LEFT = [[1, 1, 0], [0, 0.5, 2], [-1, 1.5, 0.25]]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def cells():
    """Strategy of cells, of which up to two vectors are zeros, and seeds."""
    return st.tuples(st.integers(0, 2**32), st.sets(st.integers(0, 2), max_size=2))


def cell_of(case):
    seed, lacking = case
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(3, 3)) + 2 * np.eye(3)[rng.permutation(3)]
    vectors[list(lacking)] = 0
    return vectors, rng


# ---- outlines ------------------------------------------------------------------------------------


@given(cells())
def test_vectors_are_completed_across_the_others(case):
    vectors, _ = cell_of(case)
    found = completed(vectors)
    lacking = ~vectors.any(axis=1)
    np.testing.assert_array_equal(found[~lacking], vectors[~lacking])
    for k in np.flatnonzero(lacking):
        products = found @ found[k] / np.linalg.norm(found, axis=1)
        np.testing.assert_allclose(products, np.arange(3) == k, rtol=0, atol=1e-13)
    np.testing.assert_allclose(fractions_of(found) @ found.T, np.eye(3), rtol=0, atol=1e-9)


def test_axes_are_completed_by_axes():
    for lengths in ((2, 3, None), (None, 3, 4), (2, None, 4), (None, 3, None), (2, None, None)):
        expected = np.diag([1.0 if one is None else one for one in lengths])
        np.testing.assert_array_equal(completed(vectors_of(lengths)), expected)


@given(cells())
def test_outlines_enclose_spheres_and_points_where_nothing_repeats(case):
    vectors, rng = cell_of(case)
    centers, points, origin = (rng.normal(size=(n, 3)) for n in (5, 2, 1))
    radii = rng.uniform(0, 0.5, 5)
    outline = outline_of(read_period(vectors), centers, radii, points, origin=origin[0])
    inverse = np.linalg.inv(outline.edges)
    for k in np.flatnonzero(~vectors.any(axis=1)):
        way = outline.edges[k] / np.linalg.norm(outline.edges[k])
        along = [centers @ way - radii, centers @ way + radii, points @ way]
        low = outline.origin @ way
        ends = [low, low + np.linalg.norm(outline.edges[k])]
        bounds = [np.concatenate(along).min(), np.concatenate(along).max()]
        np.testing.assert_allclose(ends, bounds, atol=1e-12)
    corner = (outline.origin - origin[0]) @ inverse
    np.testing.assert_allclose(corner[vectors.any(axis=1)], 0, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_lines_of_an_outline(d):
    cell = np.array(SHEARED)[:d, :d]
    outline = outline_of(read_period(cell, 2, 3), np.zeros((1, d)), np.ones(1))
    lines = outline.lines()
    corners = np.indices((2,) * d).reshape(d, -1).T @ cell
    expected = {
        tuple(sorted([tuple(a), tuple(b)]))
        for a in corners.tolist()
        for b in corners.tolist()
        if any(np.array_equal(np.subtract(b, a), row) for row in cell)
    }
    assert {tuple(sorted(map(tuple, line))) for line in lines.tolist()} == expected
    assert len(lines) == len(expected) == {2: 4, 3: 12}[d]
    for line, k in zip(lines, outline.repetitions(), strict=True):
        np.testing.assert_array_equal(line[1] - line[0], cell[k])


def test_planes_count_along_their_normals():
    planes = [Plane(np.array([0, 0, -2.0]), np.array([7, 8, -3.0]))]
    planes.append(Plane(np.array([0, 0.1, 1.0]), np.array([0, 0, 90.0])))
    outline = outline_of((1, None, None), np.zeros((1, 3)), np.ones(1), planes=planes)
    assert outline.origin.tolist() == [0, -1, -3]
    assert np.diagonal(outline.edges).tolist() == [1, 2, 4]


def test_an_outline_of_nothing_is_flat():
    outline = outline_of((1, None, 2), np.empty((0, 3)), np.empty(0))
    assert (outline.origin.tolist(), np.diagonal(outline.edges).tolist()) == ([0] * 3, [1, 0, 2])


# ---- dumps ---------------------------------------------------------------------------------------


def tilted(period, **options):
    return simulation(period=read_period(period), **options)


def run(line):
    return cli.main(line.split())


def written(sim, **options):
    abut.write_dump("run.dump", **options)(sim)
    names = ["vx", "vy", "vz", "omegax", "omegay", "omegaz", "fx", "fy", "fz"]
    return abut.read_frames("run.dump", columns=names)[0]


def columns_of(frame):
    return np.reshape([*frame.columns.values()], (3, 3, -1)).transpose(0, 2, 1)


def test_a_tilted_cell_is_written_as_it_is():
    sim = tilted(SHEARED)
    frame = written(sim, origin=(-1, 2, 0.5))
    lines = Path("run.dump").read_text().splitlines()
    assert lines[6:10] == [
        "ITEM: BOX BOUNDS xy xz yz pp pp pp",
        "-1.0 1.75 0.5",  # xhi + max(0, xy, xz, xy + xz)
        "1.875 3.0 0.25",  # ylo + min(0, yz)
        "0.5 3.5 -0.125",
    ]
    np.testing.assert_array_equal(frame.period, SHEARED)
    np.testing.assert_array_equal(frame.origin, (-1, 2, 0.5))
    np.testing.assert_array_equal(frame.centers, sim.centers)
    expected = [sim.velocities, sim.angular_velocities, sim.forces]
    np.testing.assert_array_equal(columns_of(frame), expected)


def check_rotated(sim, frame):
    """The dump has the same spheres in the same lattice, seen from another side."""
    vectors = np.array([sim.centers, sim.velocities, sim.angular_velocities, sim.forces])
    found = np.array([frame.centers, *columns_of(frame)])
    rotation = np.linalg.lstsq(vectors.reshape(-1, 3), found.reshape(-1, 3), rcond=None)[0]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(rotation) > 0
    np.testing.assert_allclose(vectors @ rotation, found, atol=1e-12)
    own = vectors_of(sim.period) @ rotation
    read = vectors_of(frame.period)
    signs = np.sign((own * read).sum(axis=1))
    np.testing.assert_allclose(read, own * signs[:, None], rtol=0, atol=1e-12)
    assert (np.triu(read, 1) == 0).all()
    return rotation, signs


@pytest.mark.parametrize("cell", [TURNED, LEFT, [[0, 1, 0], [0, 0, 2], [3, 0, 0]]])
def test_other_cells_are_rotated(cell):
    sim = tilted(cell)
    with pytest.warns(abut.SimulationWarning, match="run.dump: the cell and all positions, .* rot"):
        frame = written(sim, origin=(1, 2, 3))
    rotation, signs = check_rotated(sim, frame)
    corner = np.array([1, 2, 3]) + (vectors_of(sim.period) * (signs < 0)[:, None]).sum(axis=0)
    np.testing.assert_allclose(frame.origin, corner @ rotation, atol=1e-12)


@given(cells())
def test_dumps_of_all_cells(case):
    sim = tilted(cell_of(case)[0])
    with pytest.warns(abut.SimulationWarning, match="rotated"):
        check_rotated(sim, written(sim))


def test_pairs_are_those_of_the_simulation():
    """Overlaps do not depend on the rotation; images of a vector that changed its sign do."""
    centers = np.random.default_rng(0).random((30, 3)) @ LEFT
    sim = SimpleNamespace(**{**vars(tilted(LEFT)), "centers": centers, "radii": np.full(30, 0.25)})
    sim.ids = sim.material = np.arange(30)
    sim.velocities = sim.angular_velocities = sim.forces = np.zeros((30, 3))
    with pytest.warns(abut.SimulationWarning, match="rotated"):
        frame = written(sim)
    given = abut.find_pairs(centers, 0.25, period=sim.period)
    found = abut.find_pairs(frame.centers, frame.radii, period=frame.period)
    assert given.image.any(axis=1).sum() > 5
    np.testing.assert_array_equal(np.c_[found.i, found.j], np.c_[given.i, given.j])
    np.testing.assert_allclose(np.sort(found.overlap), np.sort(given.overlap), atol=1e-12)
    assert run("pairs run.dump -o pairs.csv") == 0
    assert len(Path("pairs.csv").read_text().splitlines()) == len(given) + 1


def test_a_run_is_warned_of_once(recwarn):
    write = abut.write_dump("run.dump")
    for step in (1, 2):
        write(tilted(TURNED, step=step))
    assert len(recwarn) == 1
    assert len(abut.read_frames("run.dump")) == 2


def test_cells_along_the_axes_are_boxes_along_the_axes():
    for period in (np.diag([1.0, 2, 3]), np.diag([1.0, 0, 3])):
        lengths = tuple(one or None for one in np.diagonal(period).tolist())
        texts = []
        for one in (period, lengths):
            abut.write_dump("run.dump")(simulation(period=read_period(one)))
            texts.append(Path("run.dump").read_text())
        assert texts[0] == texts[1]
        assert "xy" not in texts[0]


def test_vectors_that_lead_backwards_are_turned_round():
    frame = written(tilted(np.diag([-1.0, 2, -3])))
    assert frame.period == (1, 2, 3)
    assert frame.origin.tolist() == [-1, 0, -3]


def test_a_box_encloses_spheres_and_walls_where_nothing_repeats():
    sim = tilted([[2, 0, 0], [0.5, 1, 0], [0, 0, 0]])
    low, high = (sim.centers[:, 2] - sim.radii).min(), (sim.centers[:, 2] + sim.radii).max()
    frame = written(sim)
    assert frame.origin.tolist() == [0, 0, pytest.approx(low)]
    box = Path("run.dump").read_text().splitlines()[9]
    np.testing.assert_allclose([float(word) for word in box.split()], [low, high, 0], atol=1e-15)
    floor = wall(abut.HalfSpace((0, 0, -2), (0, 0, 1)), (0, 0, -1))
    assert written(tilted([[2, 0, 0], [0.5, 1, 0], [0, 0, 0]], walls=[floor])).origin[2] == -3


# ---- frames --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".vtp", ".npz"])
def test_frames_of_a_cell_that_deforms(ending):
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0), period=(1, 1, 1))
    sim.add_spheres([[0.5, 0.9, 0.5], [0.5, 0.1, 0.5]], 0.05, abut.Material(2500))
    sim.deform_cell([[0, 4, 0], [0, 0, 0], [0, 0, 0]])
    sim.every(0.1, abut.write_frames(f"out/{{step}}{ending}"))
    sim.every(0.1, abut.write_dump("run.dump"))
    cells = sim.record(0.1, lambda s: np.array([s.cell, s.deformation]))
    sim.run(0.3)
    frames = abut.read_frames("out")
    assert len(frames) == 3
    for frame, dumped, (cell, deformation) in zip(
        frames, abut.read_frames("run.dump"), cells.values, strict=True
    ):
        np.testing.assert_array_equal(frame.period, cell)
        np.testing.assert_array_equal(frame.deformation, deformation)
        np.testing.assert_allclose(dumped.period, cell, rtol=0, atol=1e-15)
        assert dumped.deformation is None
    # The first vectors were exchanged, since the cell was sheared by more than half its length.
    assert frames[2].deformation[0, 1] > 1
    assert abs(frames[2].period[1, 0]) < 0.6


@pytest.mark.parametrize("ending", [".vtp", ".npz"])
@pytest.mark.parametrize("cell", [SHEARED, TURNED, [[1, 1, 0], [0, 0, 0], [0, 0.5, 2]]])
def test_frames_keep_the_cell(ending, cell):
    abut.write_frames(f"out/{{step}}{ending}")(tilted(cell))
    (frame,) = abut.read_frames("out")
    np.testing.assert_array_equal(frame.period, cell)


def test_the_outline_lies_beside_a_frame():
    pyvista = pytest.importorskip("pyvista")
    sim = tilted([[1, 1, 0], [0, 0, 0], [0, 0.5, 2]])
    write = abut.write_frames("out/{step}.vtp")
    write(sim)
    assert listed("out-cell.pvd") == [(0.01, "out/100-cell.vtp")]
    outline = pyvista.read("out/100-cell.vtp")
    expected = outline_of(sim.period, sim.centers, sim.radii)
    ends = outline.points[outline.lines.reshape(-1, 3)[:, 1:]]
    np.testing.assert_array_equal(ends, expected.lines())
    assert outline.cell_data["vector"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert outline.cell_data["repeats"].tolist() == [1] * 4 + [0] * 4 + [1] * 4
    assert len(abut.read_frames("out")) == 1


@pytest.mark.parametrize(("period", "cell"), [(None, True), ((1, 1, None), False)])
def test_there_may_be_no_outline(period, cell):
    abut.write_frames("out/{step}.vtp", cell=cell)(simulation(period=period))
    assert not list(Path().rglob("*cell*"))
