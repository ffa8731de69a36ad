"""The edges of periodic cells in pictures."""

import numpy as np
import pytest

import abut
from abut.base.outlines import outline_of
from abut.plot import render
from abut.plot.cells import cell_lines_of_centers

GRAIN = abut.Material(density=2500, young=1e7)
CELL = [[1, 0, 0], [0.25, 1, 0], [0, 0.5, 2]]
FLAT = [[1, 0], [0.25, 1]]


@pytest.fixture
def sim():
    sim = abut.Simulation(step=1e-5, period=(1, None, 2))
    sim.add_spheres([[0.2, 0.25, 0.3], [0.75, 0.5, 1.5]], 0.125, GRAIN)
    return sim


@pytest.fixture
def figure():
    return pytest.importorskip("matplotlib.figure").Figure()


def edges_of(axes):
    """The lines of the one collection of edges in axes; None if there is none."""
    found = [one for one in axes.collections if type(one).__name__ == "Line3DCollection"]
    return np.array(found[0]._segments3d) if found else None


def drawn_in(plotter):
    """The bounds of the edges that a plotter has, or None."""
    actor = plotter.actors.get("cell")
    return None if actor is None else np.reshape(actor.bounds, (3, 2)).T


BOUNDS = [[0, 0.125, 0], [1, 0.625, 2]]  # where nothing repeats, the spheres are enclosed


def test_a_simulation_has_its_cell_drawn(sim, figure, plotter):
    lines = edges_of(sim.plot(ax=figure.add_subplot(projection="3d")))
    assert lines.shape == (12, 2, 3)
    np.testing.assert_allclose([lines.min(axis=(0, 1)), lines.max(axis=(0, 1))], BOUNDS)
    np.testing.assert_allclose(drawn_in(sim.plot(ax=plotter, backend="pyvista")), BOUNDS)


def test_the_cell_can_be_left_out(sim, figure, plotter):
    assert edges_of(sim.plot(ax=figure.add_subplot(projection="3d"), cell=False)) is None
    assert drawn_in(sim.plot(ax=plotter, backend="pyvista", cell=False)) is None


def test_worlds_without_period_have_no_cell(figure):
    open_sim = abut.Simulation(step=1e-5)
    open_sim.add_spheres([[0, 0, 0]], 1.0, GRAIN)
    assert edges_of(open_sim.plot(ax=figure.add_subplot(projection="3d"))) is None


def test_frames_have_their_cells_where_they_begin(pyvista, plotter):
    spheres = np.array([[0.0, 0, 0]]), np.array([0.5])
    frame = abut.Frame(*spheres, period=np.array(CELL), origin=np.array([-1, -2, -3]))
    np.testing.assert_allclose(
        drawn_in(abut.view([frame], plotter=plotter)), [[-1, -2, -3], [0.25, -0.5, -1]]
    )
    for frames, options in (([frame._replace(period=None)], {}), ([frame], {"cell": False})):
        assert drawn_in(abut.view(frames, plotter=plotter, **options)) is None


def test_pictures_have_edges(pyvista, sim):
    pictures = [render(sim, size=(200, 200), cell=cell) for cell in (True, False)]
    grays = [(np.ptp(np.asarray(one).astype(int), axis=2) < 40).sum() for one in pictures]
    white = [(np.asarray(one) == 255).all(axis=2).sum() for one in pictures]
    dark = [gray - blank for gray, blank in zip(grays, white, strict=True)]
    assert dark[0] > dark[1] + 300


@pytest.mark.parametrize("shift", [0.0, -0.5])
def test_pairs_in_the_plane(figure, shift):
    rng = np.random.default_rng(0)
    centers = rng.random((30, 2)) @ FLAT + shift * np.sum(FLAT, axis=0)
    pairs = abut.find_pairs(centers, 0.1, period=FLAT)
    axes = pairs.plot(centers, ax=figure.add_subplot())
    cell, lines = axes.collections
    corner = np.array(cell.get_segments()).min(axis=(0, 1))
    # Centers from -0.5 to 0.5 show where the cell begins, nearly.
    np.testing.assert_allclose(corner, shift * np.sum(FLAT, axis=0), atol=0.1 * -shift)
    across = (pairs.image != 0).any(axis=1).sum()
    assert len(cell.get_segments()) == 4
    assert len(lines.get_segments()) == len(pairs) + across > len(pairs)
    # The two half lines of a pair across the border are together as long as the whole.
    lengths = np.sort(np.linalg.norm(np.diff(lines.get_segments(), axis=1)[:, 0], axis=1))
    distances = 0.2 - pairs.overlap
    halves = np.where((pairs.image != 0).any(axis=1), distances / 2, distances)
    counts = np.where((pairs.image != 0).any(axis=1), 2, 1)
    np.testing.assert_allclose(lengths, np.sort(np.repeat(halves, counts)))
    others = pairs.plot(centers, ax=figure.add_subplot(), cell=False)
    assert len(others.collections) == 1


def test_pairs_and_bonds_in_space(plotter):
    centers = np.array([[0.1, 0.1, 0.1], [0.9, 0.1, 0.1], [0.5, 0.6, 0.1]])
    pairs = abut.find_pairs(centers, 0.15, period=CELL)
    np.testing.assert_allclose(drawn_in(pairs.plot(centers, ax=plotter)), [[0] * 3, [1.25, 1.5, 2]])
    assert drawn_in(pairs.plot(centers, ax=plotter, cell=False)) is None
    sim = abut.Simulation(step=1e-5, period=(1, 1, None))
    sim.add_spheres(centers, 0.15, GRAIN)
    sim.bond([[0, 1]], abut.Bond(young=1e7))
    np.testing.assert_allclose(
        drawn_in(sim.bonds.plot(sim.centers, ax=plotter))[:, :2], [[0, 0], [1, 1]]
    )


def test_contacts_of_polygons(figure):
    square = abut.ConvexShape([[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]])
    positions = [[0.05, 0.5], [0.9, 0.45]]
    finder = abut.ConvexFinder(square)
    contacts = finder.find(positions, period=(1, None))
    assert len(contacts) == 1

    def cells_in(axes):
        return [one for one in axes.collections if type(one).__name__ == "LineCollection"]

    drawn = cells_in(contacts.plot(figure.add_subplot(), bodies=(finder, positions)))
    assert np.ptp([*drawn[0].get_segments()], axis=(0, 1)).tolist() == pytest.approx([1, 0.05])
    left_out = contacts.plot(figure.add_subplot(), cell=False)
    assert len(cells_in(left_out)) == len(drawn) - 1


def test_contacts_of_polyhedra(plotter):
    cube = abut.ConvexShape(0.1 * (np.indices((2, 2, 2)).reshape(3, -1).T - 0.5))
    finder, positions = abut.ConvexFinder(cube), [[0.03, 0.5, 0.5], [0.95, 0.5, 0.5]]
    contacts = finder.find(positions, period=(1, 1, 1))
    assert len(contacts) == 1
    drawn = contacts.plot(plotter, bodies=(finder, positions))
    np.testing.assert_allclose(drawn_in(drawn), [[0, 0, 0], [1, 1, 1]])


def test_the_cell_lies_around_centers():
    cell = np.array(CELL)
    for centers, origin in (
        ([[0, 0, 0], [0.5, 0.5, 0.5]], [0, 0, 0]),
        ([[-0.5, 0, 0], [0.25, 0.5, 0.75]], [-0.625, 0, 0]),
        ([[4, 4, 4]], [3.5, 3.5, 3.5]),
    ):
        found = cell_lines_of_centers(cell, np.array(centers) @ cell)
        expected = outline_of(cell, np.zeros((1, 3)), np.zeros(1), origin=np.array(origin) @ cell)
        np.testing.assert_allclose(found, expected.lines(), atol=1e-14)
    assert not len(cell_lines_of_centers(None, np.zeros((2, 3))))
