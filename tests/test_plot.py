"""Pictures of meshes and contacts."""

import subprocess
import sys

import numpy as np
import pytest

import abut
from abut import examples, plot

VERTICES = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [2, 0, -1], [2, 2, -1]]
FACETS = [[0, 1, 2, 3], [1, 4, 5, 2]]
# over the quadrilateral, beside the edge at x = 2, beside the corner (0, 0, 0)
CENTERS = np.array([[1.0, 1.0, 0.4], [2.2, 1.0, 0.3], [-0.2, -0.2, 0.2]])


@pytest.fixture
def mesh():
    return abut.Mesh(VERTICES, FACETS)


@pytest.fixture
def contacts(mesh):
    return abut.find_contacts(CENTERS, 0.5, mesh)


@pytest.fixture
def axes():
    figure = pytest.importorskip("matplotlib.figure")
    return figure.Figure().add_subplot(projection="3d")


def drawn(axes, kind):
    return [artist for artist in axes.collections if type(artist).__name__ == kind]


def test_scene_has_one_contact_of_each_type(contacts):
    assert contacts.type.tolist() == [abut.FACET, abut.EDGE, abut.VERTEX]


def test_mesh_plot_draws_every_facet(mesh, axes):
    assert mesh.plot(ax=axes) is axes
    (facets,) = drawn(axes, "Poly3DCollection")
    axes.figure.canvas.draw()
    # shading gives each its own color
    assert len(facets.get_facecolor()) == 2
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()) == ("x", "y", "z")


def test_axes_have_one_scale(mesh, axes):
    mesh.plot(ax=axes)
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    sizes = np.ptp(limits, axis=1)
    np.testing.assert_allclose(axes._box_aspect / sizes, axes._box_aspect[0] / sizes[0])


def test_touched_features_are_what_the_contacts_lie_on(mesh, contacts):
    touched = plot._touched(contacts, 0, mesh)
    assert touched.facets.tolist() == [0]
    ends = sorted(touched.edges[0].tolist())
    assert len(touched.edges) == 1
    assert ends == [[2, 0, 0], [2, 2, 0]]
    np.testing.assert_array_equal(touched.vertices, [[0, 0, 0]])


def test_a_feature_that_many_touch_is_drawn_once(mesh):
    many = abut.find_contacts(np.repeat(CENTERS, 5, axis=0), 0.5, mesh)
    touched = plot._touched(many, 0, mesh)
    assert [len(part) for part in touched] == [1, 1, 1]


def test_contacts_plot_has_a_legend_with_counts(contacts, axes):
    assert contacts.plot(ax=axes) is axes
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["FACET (1)", "EDGE (1)", "VERTEX (1)"]


def test_arrows_follow_the_normals(contacts, mesh):
    spheres = (CENTERS, 0.5)
    points, vectors = plot._arrows(contacts, [mesh], spheres, 10)
    np.testing.assert_array_equal(points, contacts.point)
    np.testing.assert_allclose(vectors, 0.5 * contacts.normal)


def test_arrows_can_be_left_out(contacts, axes):
    contacts.plot(ax=axes, normals=False)
    before = len(axes.collections)
    contacts.plot(ax=axes)
    assert len(axes.collections) == 2 * before + 1


def test_large_tables_have_a_limited_number_of_arrows_and_spheres(mesh):
    rng = np.random.default_rng(0)
    centers = np.column_stack([rng.uniform(0, 2, (5000, 2)), np.full(5000, 0.4)])
    contacts = abut.find_contacts(centers, 0.5, mesh)
    points, _ = plot._arrows(contacts, [mesh], None, 500)
    assert len(points) == 500
    assert len(plot._touching(contacts, (centers, 0.5), 100)[0]) == 100


def test_spheres_that_touch_are_drawn(contacts, axes):
    contacts.plot(ax=axes, normals=False)
    before = len(axes.collections)
    contacts[:1].plot(ax=axes, normals=False, spheres=(CENTERS, 0.5))
    surfaces = axes.collections[before:]
    # facets, one touched facet, one sphere
    assert len(surfaces) == 3


def test_a_selection_draws_its_own_contacts_alone(contacts, axes):
    contacts[contacts.type == abut.EDGE].plot(ax=axes)
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["FACET (0)", "EDGE (1)", "VERTEX (0)"]


def test_nothing_can_be_drawn(mesh, axes):
    empty = abut.find_contacts(np.empty((0, 3)), 1.0, mesh)
    empty.plot(ax=axes)
    axes.figure.canvas.draw()


def test_contacts_without_their_mesh_want_it(contacts, mesh, tmp_path, axes):
    contacts.save(tmp_path / "contacts.npz")
    loaded = abut.load_contacts(tmp_path / "contacts.npz")
    with pytest.raises(ValueError, match="mesh="):
        loaded.plot(ax=axes)
    assert loaded.plot(ax=axes, mesh=mesh) is axes


def test_flat_axes_are_an_error(mesh):
    figure = pytest.importorskip("matplotlib.figure")
    with pytest.raises(TypeError, match="projection='3d'"):
        mesh.plot(ax=figure.Figure().add_subplot())


def test_unknown_backend_is_an_error(mesh):
    with pytest.raises(ValueError, match="'plotly'"):
        mesh.plot(backend="plotly")


def test_missing_library_is_named(mesh, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'abut\[plot\]'"):
        mesh.plot(backend="matplotlib")
    monkeypatch.setitem(sys.modules, "pyvista", None)
    with pytest.raises(ImportError, match=r"pip install 'abut\[view\]'"):
        mesh.plot(backend="pyvista")


def test_plotting_libraries_are_not_imported_before_they_are_asked_for():
    code = (
        "import sys, abut, abut.plot, abut.examples;"
        "print(sorted({'matplotlib', 'pyvista', 'mpl_toolkits'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_mixer_is_drawn_into_a_file(axes, tmp_path):
    centers, radii, mesh = examples.mixer()
    contacts = abut.find_contacts(centers, radii, mesh)
    contacts.plot(ax=axes)
    axes.figure.savefig(tmp_path / "mixer.png")
    assert (tmp_path / "mixer.png").stat().st_size > 20_000


def test_pyvista_draws_where_it_is_asked_for(mesh, contacts):
    pyvista = pytest.importorskip("pyvista")
    plotter = pyvista.Plotter(off_screen=True)
    assert contacts.plot(ax=plotter, spheres=(CENTERS, 0.5)) is plotter
    # facets, touched facet, edge, vertex, arrows, three spheres
    assert len(plotter.actors) >= 8
    plotter.close()
    surface = plot._surface(mesh, [1])
    assert surface.n_cells == 1
    assert surface.get_cell(0).point_ids == [1, 4, 5, 2]


# ---- spheres of a simulation ---------------------------------------------------------------------


def test_disks_are_as_wide_as_their_spheres():
    """The marker of a sphere, measured in pixels of the picture."""
    figure = pytest.importorskip("matplotlib.figure").Figure(figsize=(6, 5), layout="constrained")
    ax = figure.add_subplot(projection="3d")
    ax.view_init(elev=0, azim=-90)
    abut.Mesh([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], [[0, 1, 2, 3]]).plot(ax=ax)
    disks = plot.plot_spheres([[0.5, 0, 0], [-0.5, 0, 0]], [0.3, 0.1], ax).collections[-1]
    figure.draw_without_rendering()
    proj3d = pytest.importorskip("mpl_toolkits.mplot3d.proj3d")
    ends = [proj3d.proj_transform(x, 0, 0, ax.get_proj())[:2] for x in (0.2, 0.8)]
    pixels = np.ptp(ax.transData.transform(ends)[:, 0])
    # the size of a marker is the square of its width in points
    points = np.sqrt(sorted(disks.get_sizes()))
    assert points[1] == pytest.approx(pixels * 72 / figure.dpi, rel=0.02)
    assert points[0] == pytest.approx(points[1] / 3, rel=1e-6)


def test_spheres_have_colors_and_a_bar(tmp_path):
    pytest.importorskip("matplotlib")
    ax = plot.plot_spheres(np.eye(3), 0.2, values=[1, 2, 3], label="speed", limits=(0, 4))
    assert [one.get_ylabel() for one in ax.figure.axes if one is not ax] == ["speed"]
    assert ax.collections[-1].get_clim() == (0, 4)
    ax.figure.savefig(tmp_path / "spheres.png")
