"""Views along axes, periodic images, and edges of fine meshes in pictures."""

import itertools

import numpy as np
import pytest

import abut
from abut.plot import plot_spheres, render
from abut.plot.cells import images_in_cell
from abut.plot.views import axes_of_view, read_view

GRAIN = abut.Material(density=2500, young=1e7)
CELL = np.array([[1, 0, 0], [0.25, 1, 0], [0, 0.5, 2]])
VIEWS = ["x", "-x", "y", "-y", "z", "-z"]
CENTERS, RADII = np.array([[0.05, 0.5, 0.5], [0.5, 0.5, 0.5]]), np.array([0.125, 0.25])


@pytest.fixture
def sim():
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=(1, 1, None))
    sim.add_spheres(CENTERS, RADII, GRAIN)
    return sim


@pytest.fixture
def floor():
    return abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])


def grid(count):
    """A square of count x count facets."""
    places = np.linspace(0, 1, count + 1)
    x, y = np.meshgrid(places, places, indexing="ij")
    first = np.add.outer((count + 1) * np.arange(count), np.arange(count)).ravel()
    facets = np.column_stack([first, first + count + 1, first + count + 2, first + 1])
    return abut.Mesh(np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()]), facets)


def of_kind(axes, kind):
    return [one for one in axes.collections if type(one).__name__ == kind]


# ---- views ---------------------------------------------------------------------------------------


def test_views_along_axes_have_x_or_y_to_the_right():
    expected = {"x": "yz", "-x": "-yz", "y": "-xz", "-y": "xz", "z": "xy", "-z": "-xy"}
    for name, words in expected.items():
        right, up, back = axes_of_view(read_view(name))
        for row, word in ((right, words[:-1]), (up, words[-1]), (back, name)):
            sign = -1 if word.startswith("-") else 1
            np.testing.assert_array_equal(row, sign * np.eye(3)["xyz".index(word[-1])], name)


def drawers(sim, floor):
    contacts = abut.find_contacts(CENTERS, 0.6, floor)
    return {
        "simulation": sim.plot,
        "mesh": floor.plot,
        "contacts": contacts.plot,
        "spheres": lambda ax, **options: plot_spheres(CENTERS, RADII, ax, **options),
    }


@pytest.mark.parametrize(
    ("kind", "view"),
    [("mesh", view) for view in VIEWS]
    + [("simulation", "-y"), ("contacts", "z"), ("spheres", "x"), ("spheres", "-z")],
)
def test_matplotlib_shows_flat_pictures(sim, floor, axes, kind, view):
    drawers(sim, floor)[kind](ax=axes, view=view)
    axes.figure.draw_without_rendering()
    proj3d = pytest.importorskip("mpl_toolkits.mplot3d.proj3d")
    rows = axes_of_view(read_view(view))
    middle = np.array([0.5, 0.5, 0.1])
    places = [
        proj3d.proj_transform(*(middle + way), axes.get_proj())[:2]
        for way in (0 * middle, *(0.1 * rows))
    ]
    right, up, back = np.array(places[1:]) - places[0]
    length = right[0]
    assert length > 0
    np.testing.assert_allclose(
        [*right, *up, *back], length * np.array([1, 0, 0, 1, 0, 0]), atol=1e-9
    )
    # the third axis has neither ticks nor a label, which would cross those of the others
    for number, axis in enumerate((axes.xaxis, axes.yaxis, axes.zaxis)):
        is_shown = number != "xyz".index(view[-1])
        assert (len(axis.get_majorticklocs()) > 1) == is_shown
        assert axis.label.get_visible() == is_shown


def test_axes_with_spheres_alone_have_one_scale(axes):
    plot_spheres(CENTERS, RADII, axes)
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    sizes = np.ptp(limits, axis=1)
    np.testing.assert_allclose(axes._box_aspect / sizes, axes._box_aspect[0] / sizes[0])
    assert (limits[:, 0] <= (CENTERS - RADII[:, None]).min(axis=0)).all()
    assert (limits[:, 1] >= (CENTERS + RADII[:, None]).max(axis=0)).all()


def test_flat_axes_can_be_drawn_on_again(sim, floor, axes, recwarn):
    floor.plot(ax=axes, view="z")
    sim.plot(ax=axes, view="z")
    assert not recwarn.list


@pytest.mark.parametrize("view", VIEWS)
def test_pyvista_looks_along_an_axis(sim, floor, plotter, view):
    rows = axes_of_view(read_view(view))
    sim.plot(ax=plotter, view=view)
    assert plotter.camera.parallel_projection
    np.testing.assert_allclose(plotter.camera.direction, -rows[2], atol=1e-12)
    np.testing.assert_allclose(plotter.camera.up, rows[1], atol=1e-12)


def test_other_plots_of_pyvista_have_views(sim, floor, plotter):
    frame = abut.Frame(CENTERS, RADII)
    contacts = abut.find_contacts(CENTERS, 0.6, floor)
    for draw in (
        floor.plot,
        contacts.plot,
        lambda ax, view: abut.view([frame], None, ax, view=view),
    ):
        plotter.camera_position = "xy"
        draw(plotter, view="x")
        np.testing.assert_allclose(plotter.camera.direction, [-1, 0, 0], atol=1e-12)


def test_pairs_bonds_and_bodies_have_views(sim, plotter):
    pairs = abut.find_pairs([[0, 0, 0], [0.5, 0, 0]], 0.3)
    sim.bond([[0, 1]], abut.Bond(young=1e7))
    cube = abut.ConvexShape(np.indices((2, 2, 2)).reshape(3, -1).T)
    finder, places = abut.ConvexFinder(cube), [[0, 0, 0], [0.9, 0, 0]]
    for draw in (
        lambda **given: pairs.plot([[0, 0, 0], [0.5, 0, 0]], **given),
        lambda **given: pairs.plot([[0, 0, 0], [0.5, 0, 0]], [0.0], **given),
        lambda **given: sim.bonds.plot(sim.centers, [1.0], **given),
        cube.plot,
        lambda **given: finder.plot(places, **given),
        finder.find(places).plot,
    ):
        plotter.camera_position = "xy"
        draw(ax=plotter, view="-y")
        np.testing.assert_allclose(plotter.camera.direction, [0, 1, 0], atol=1e-12)


def test_pictures_in_the_plane_have_no_view():
    square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
    finder, places = abut.ConvexFinder(square), [[0, 0], [0.9, 0]]
    pairs = abut.find_pairs(places, 0.5)
    for draw in (
        square.plot,
        finder.find(places).plot,
        lambda **given: finder.plot(places, **given),
        lambda **given: pairs.plot(places, **given),
    ):
        with pytest.raises(ValueError, match="view is 'x', but a picture of two dimensions has"):
            draw(view="x")


def test_a_direction_turns_the_picture(floor, axes, plotter):
    floor.plot(ax=axes, view=(1, 1, np.sqrt(2)))
    assert (axes.elev, axes.azim) == pytest.approx((45, 45))
    assert len(axes.xaxis.get_majorticklocs()) > 1
    floor.plot(ax=plotter, view=(0, -3, 4))
    np.testing.assert_allclose(plotter.camera.direction, [0, 0.6, -0.8], atol=1e-12)
    assert not plotter.camera.parallel_projection


def test_pixels_have_views(pyvista, sim):
    for name, view, up in (("-y", (0, -1, 0), (0, 0, 1)), ("z", (0, 0, 2), (0, 1, 0))):
        pictures = [render(sim, "x", view=name, size=(120, 120))]
        pictures.append(render(sim, "x", view=view, up=up, size=(120, 120)))
        assert (np.asarray(pictures[0]) == np.asarray(pictures[1])).all()
    with pytest.raises(ValueError, match="view and up are parallel"):
        render(sim, view="z", up=(0, 0, 1))


@pytest.mark.parametrize(
    ("view", "error", "message"),
    [
        ("top", ValueError, "view is 'top', but must be 'x', '-x', 'y', .* or the direction"),
        ("X", ValueError, r"view is 'X', .*, such as \(1, -1, 0.5\)"),
        ((0, 1), ValueError, r"view is \(0, 1\), but must be three finite numbers"),
        ((0, 0, 0), ValueError, r"view is \(0, 0, 0\), but must not be 0"),
        ((0, np.inf, 0), ValueError, "three finite numbers"),
        (True, TypeError, "view"),
    ],
)
def test_wrong_views_are_named(sim, floor, axes, view, error, message):
    for draw in drawers(sim, floor).values():
        with pytest.raises(error, match=message):
            draw(ax=axes, view=view)
    assert not axes.collections
    with pytest.raises(error, match=message):
        render(sim, view=view)
    with pytest.raises(error, match=message):
        abut.view([abut.Frame(CENTERS, RADII)], view=view)


# ---- images --------------------------------------------------------------------------------------


@pytest.mark.parametrize("vectors", [CELL, CELL * [[1], [0], [1]], CELL[[1, 0, 2]]])
@pytest.mark.parametrize("origin", [0.0, np.array([0.3, -2.0, 5.0])])
def test_images_are_those_that_reach_into_the_cell(vectors, origin):
    rng = np.random.default_rng(0)
    centers = rng.uniform(-1, 2, (60, 3)) @ CELL + origin
    radii = rng.uniform(0, 0.6, 60)
    found = images_in_cell(vectors, centers, radii, origin)
    full = CELL if (vectors == 0).any() else vectors
    if (vectors == 0).all(axis=1).any():
        # where nothing repeats, the cell has no end
        normal = np.cross(vectors[2], vectors[0])
        full = np.array([vectors[0], normal / np.linalg.norm(normal), vectors[2]])
    inverse = np.linalg.inv(full)
    reach = radii[:, None] * np.linalg.norm(inverse, axis=0)
    repeats = vectors.any(axis=1)
    expected = set()
    for number in itertools.product(range(-5, 6), repeat=3):
        if not any(number) or np.array(number)[~repeats].any():
            continue
        places = (centers - origin) @ inverse + number
        inside = ((places + reach > 0) & (places - reach < 1))[:, repeats].all(axis=1)
        expected |= {(row, *number) for row in np.flatnonzero(inside).tolist()}
    numbers = np.rint(found.ways @ inverse).astype(int)
    np.testing.assert_allclose(numbers @ full, found.ways, atol=1e-12)
    assert {
        (row, *k) for row, k in zip(found.rows.tolist(), numbers.tolist(), strict=True)
    } == expected
    assert len(found.rows) == len(expected) > 60


def test_images_of_spheres_are_drawn_on_demand(sim, axes, plotter):
    sim.plot("radius", axes, images=True)
    (disks,) = of_kind(axes, "Path3DCollection")
    places = np.array(disks._offsets3d).T
    np.testing.assert_allclose(places, [*CENTERS, CENTERS[0] + [1, 0, 0]])
    colors = disks._facecolors
    assert (colors[2] == colors[0]).all()
    assert (colors[1] != colors[0]).any()
    for images, high in ((False, 0.75), (True, 1.175)):
        sim.plot("radius", plotter, images=images)
        assert plotter.actors["spheres"].bounds[1] == pytest.approx(high, abs=0.01)


def test_images_of_bodies_have_their_colors(axes, plotter):
    cube = abut.ConvexShape(0.2 * (np.indices((2, 2, 2)).reshape(3, -1).T - 0.5))
    sim = abut.Simulation(step=1e-5, period=(1, 1, 1))
    sim.add_bodies(cube, [[0.5, 0.5, 0.5], [0.5, 0.5, 0.02]], GRAIN)
    sim.plot([1, 2], axes, images=True)
    (facets,) = of_kind(axes, "Poly3DCollection")
    assert len(facets._faces) == 18
    tops = np.array([np.asarray(one)[:, 2].max() for one in facets._faces])
    assert tops.max() == pytest.approx(1.12)
    sim.plot(ax=plotter, images=False)
    assert plotter.bounds[5] == pytest.approx(1.0)
    sim.plot(ax=plotter, images=True)
    assert plotter.bounds[5] == pytest.approx(1.12)


def test_frames_and_pixels_have_images(pyvista, sim, plotter):
    frame = abut.Frame(CENTERS + 7, RADII, period=(1, 1, None), origin=np.full(3, 7.0))
    for images, high in ((False, 7.75), (True, 8.175)):
        abut.view([frame], "radius", plotter, images=images)
        assert plotter.actors["spheres"].bounds[1] == pytest.approx(high, abs=0.01)
    red = []
    for images in (False, True):
        options = {"cell": False, "view": "z", "size": (200, 200)}
        pixels = np.asarray(render(sim, "#ff0000", images=images, **options)).astype(int)
        columns = np.flatnonzero((pixels[..., 0] - pixels[..., 1] > 30).any(axis=0))
        red.append((np.diff(columns) > 1).sum())
    # gaps between the spheres, which the image has, too
    assert red == [1, 2]


# ---- contacts ------------------------------------------------------------------------------------


@pytest.fixture
def across(floor):
    """Contacts of two spheres, one of which touches an image of the wall at x = 0."""
    wall = abut.Mesh([[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]], [[0, 1, 2, 3]])
    centers = np.array([[0.95, 0.5, 0.5], [0.5, 0.5, 0.1]])
    return abut.find_contacts(centers, 0.125, [wall, floor], period=(1, 1, None)), centers


def test_images_of_meshes_are_drawn_where_they_are_touched(across, axes, plotter):
    contacts, _ = across
    assert contacts.image.tolist() == [[1, 0, 0], [0, 0, 0]]
    for images, counts in ((False, [1, 1, 1, 1]), (True, [1, 1, 1, 1, 1])):
        axes.clear()
        contacts.plot(axes, images=images, cell=False, normals=False)
        drawn = of_kind(axes, "Poly3DCollection")
        assert [len(one._faces) for one in drawn] == counts
    touched = np.array([np.asarray(one._faces[0]) for one in drawn[3:]])
    assert (touched[0][:, 0] == 1).all()
    assert (touched[1][:, 2] == 0).all()
    contacts.plot(plotter, images=True, cell=False, scalars="overlap")
    assert plotter.bounds[1] == 1.0


@pytest.mark.parametrize("spheres", [False, True])
def test_contacts_have_their_cell_drawn(across, axes, plotter, spheres):
    contacts, centers = across
    options = {"spheres": (centers, 0.125)} if spheres else {}
    contacts.plot(axes, **options)
    lines = np.array(of_kind(axes, "Line3DCollection")[-1]._segments3d)
    low = [0, 0, -0.025 if spheres else 0]
    np.testing.assert_allclose([lines.min(axis=(0, 1)), lines.max(axis=(0, 1))], [low, [1, 1, 1]])
    contacts.plot(plotter, **options)
    bounds = np.reshape(plotter.actors["cell"].bounds, (3, 2)).T
    np.testing.assert_allclose(bounds, [low, [1, 1, 1]])
    contacts.plot(plotter, cell=False, **options)
    assert "cell" not in plotter.actors


# ---- fine meshes ---------------------------------------------------------------------------------


def surfaces_in(plotter):
    """The actors of a plotter, without its axes."""
    return [actor for actor in plotter.actors.values() if hasattr(actor, "prop")]


def test_edges_of_fine_meshes_do_not_hide_colors(axes, plotter):
    for count in (10, 30, 80):
        mesh = grid(count)
        axes.clear()
        mesh.plot(ax=axes, scalars=np.arange(len(mesh)))
        (facets,) = of_kind(axes, "Poly3DCollection")
        colors, edges = facets.get_facecolor(), facets.get_edgecolor()
        if count == 80:
            np.testing.assert_array_equal(edges, colors)
        else:
            # the lines cover at most a tenth of the width of facets in a picture of 200 points
            assert len(edges) == 1
            assert 0 < facets.get_linewidth()[0] <= 0.1 * 200 / count
        plotter.clear()
        mesh.plot(ax=plotter, scalars=np.arange(len(mesh)))
        (surface,) = surfaces_in(plotter)
        assert surface.prop.show_edges == (count < 80)


def test_fine_meshes_in_one_color_have_their_borders(plotter):
    grid(80).plot(ax=plotter)
    surface, borders = surfaces_in(plotter)
    assert not surface.prop.show_edges
    assert borders.mapper.dataset.n_cells == 320
