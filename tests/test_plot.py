"""Pictures of meshes and contacts."""

import sys

import numpy as np
import pytest

import abut
from abut import plot
from abut.plot import in_pyvista
from abut.plot.drawn import arrows_of, touched_of, touching_of

VERTICES = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [2, 0, -1], [2, 2, -1]]
FACETS = [[0, 1, 2, 3], [1, 4, 5, 2]]
# Above the quadrilateral, beside the edge at x = 2, and beside the corner (0, 0, 0).
CENTERS = np.array([[1.0, 1.0, 0.4], [2.2, 1.0, 0.3], [-0.2, -0.2, 0.2]])


@pytest.fixture
def mesh():
    return abut.Mesh(VERTICES, FACETS)


@pytest.fixture
def contacts(mesh):
    return abut.find_contacts(CENTERS, 0.5, mesh)


def drawn(axes, kind):
    return [artist for artist in axes.collections if type(artist).__name__ == kind]


def test_mesh_plot_draws_every_facet(mesh, axes):
    assert mesh.plot(ax=axes) is axes
    (facets,) = drawn(axes, "Poly3DCollection")
    axes.figure.canvas.draw()
    # Shading gives each facet its own color.
    assert len(facets.get_facecolor()) == 2
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()) == ("x", "y", "z")


def test_axes_have_one_scale(mesh, axes):
    mesh.plot(ax=axes)
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    sizes = np.ptp(limits, axis=1)
    np.testing.assert_allclose(axes._box_aspect / sizes, axes._box_aspect[0] / sizes[0])


def test_touched_features_are_what_the_contacts_lie_on(mesh, contacts):
    touched = touched_of(contacts, 0, mesh)
    assert touched.facets.tolist() == [0]
    ends = sorted(touched.edges[0].tolist())
    assert len(touched.edges) == 1
    assert ends == [[2, 0, 0], [2, 2, 0]]
    np.testing.assert_array_equal(touched.vertices, [[0, 0, 0]])


def test_arrows_follow_the_normals(contacts, mesh):
    spheres = CENTERS, np.full(3, 0.5)
    points, vectors = arrows_of(contacts, [mesh], spheres, 10)
    np.testing.assert_array_equal(points, contacts.point)
    np.testing.assert_allclose(vectors, 0.5 * contacts.normal)


def test_large_tables_have_a_limited_number_of_arrows_and_spheres(mesh):
    rng = np.random.default_rng(0)
    centers = np.column_stack([rng.uniform(0, 2, (5000, 2)), np.full(5000, 0.4)])
    contacts = abut.find_contacts(centers, 0.5, mesh)
    points, _ = arrows_of(contacts, [mesh], None, 500)
    assert len(points) == 500
    assert len(touching_of(contacts, (centers, np.full(5000, 0.5)), 100)[0]) == 100


def test_spheres_that_touch_are_drawn(contacts, axes):
    contacts.plot(ax=axes, normals=False)
    before = len(axes.collections)
    contacts[:1].plot(ax=axes, normals=False, spheres=(CENTERS, 0.5))
    surfaces = axes.collections[before:]
    # one collection for facets, one for a touched facet, one for a sphere
    assert len(surfaces) == 3


def test_nothing_can_be_drawn(mesh, axes):
    empty = abut.find_contacts(np.empty((0, 3)), 1.0, mesh)
    assert empty.plot(ax=axes) is axes
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


def test_pyvista_draws_where_it_is_asked_for(pyvista, mesh, contacts):
    plotter = pyvista.Plotter(off_screen=True)
    assert contacts.plot(ax=plotter, spheres=(CENTERS, 0.5)) is plotter
    # The actors of facets, a touched facet, an edge, a vertex, arrows and three spheres.
    assert len(plotter.actors) >= 8
    plotter.close()
    surface = in_pyvista.facets_in_pyvista(mesh, [1])
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
    # The size of a marker is the square of its width in points.
    points = np.sqrt(sorted(disks.get_sizes()))
    assert points[1] == pytest.approx(pixels * 72 / figure.dpi, rel=0.02)
    assert points[0] == pytest.approx(points[1] / 3, rel=1e-6)


@pytest.mark.parametrize(
    ("spheres", "values", "message"),
    [
        (([[0, 0, 0], [0, np.nan, 0]], 1), None, r"centers\[1, 1\] is nan"),
        (([[0, 0, 0]], [np.inf]), None, r"radii\[0\] is inf"),
        ((np.eye(3), [0, 1, -1]), None, r"radii\[2\] is -1.0, but must be 0 or positive"),
        (([0, 0, 0], 1), None, r"centers has shape \(3,\)"),
        ((np.eye(3), [1, 2]), None, "radii has 2 entries, but there are 3 centers"),
        ((np.eye(3), 1), [1, 2], "values has 2 entries, but there are 3 centers"),
    ],
)
def test_wrong_spheres_are_errors(axes, spheres, values, message):
    with pytest.raises(ValueError, match=message):
        plot.plot_spheres(*spheres, axes, values=values)
    assert not axes.collections


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"arrow_count": -1}, ValueError, "arrow_count is -1, but must be 0 or positive"),
        ({"sphere_count": "x"}, TypeError, "sphere_count is 'x', but must be an integer"),
        ({"spheres": (CENTERS[:2], 0.5)}, ValueError, "centers has 2 rows, but there are 3"),
        ({"spheres": (CENTERS, [0.5, np.nan, 1])}, ValueError, r"radii\[1\] is nan"),
        ({"spheres": CENTERS}, TypeError, r"spheres must be \(centers, radii\)"),
    ],
)
def test_wrong_options_of_contacts_are_errors(contacts, axes, options, error, message):
    with pytest.raises(error, match=message):
        contacts.plot(axes, **options)
    assert not axes.collections


@pytest.mark.parametrize(("alpha", "message"), [(2, "alpha is 2.0"), (np.nan, "alpha is nan")])
def test_opacities_are_checked(mesh, contacts, alpha, message):
    square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
    finder = abut.ConvexFinder(square)
    found = finder.find([[0, 0], [0.5, 0]])
    for draw in (mesh.plot, contacts.plot, square.plot, found.plot):
        with pytest.raises(ValueError, match=message):
            draw(alpha=alpha)
    with pytest.raises(ValueError, match=message):
        finder.plot([[0, 0]], alpha=alpha)


def test_spheres_have_colors_and_a_bar(tmp_path):
    pytest.importorskip("matplotlib")
    ax = plot.plot_spheres(np.eye(3), 0.2, values=[1, 2, 3], label="speed", limits=(0, 4))
    assert [one.get_ylabel() for one in ax.figure.axes if one is not ax] == ["speed"]
    assert ax.collections[-1].get_clim() == (0, 4)
    ax.figure.savefig(tmp_path / "spheres.png")


# ---- colors by numbers ---------------------------------------------------------------------------


def bars(axes):
    return [one.get_ylabel() for one in axes.figure.axes if one is not axes]


def color_of(value, low, high, cmap="viridis"):
    matplotlib = pytest.importorskip("matplotlib")
    return matplotlib.colormaps[cmap]((value - low) / (high - low))


def facet_colors(axes):
    (facets,) = drawn(axes, "Poly3DCollection")
    # In the order in which they were added, not by depth.
    return facets._facecolor3d


def test_facets_have_the_colors_of_their_scalars(mesh, axes):
    mesh.plot(ax=axes, scalars=[3, 7], label="wear")
    np.testing.assert_allclose(facet_colors(axes), [color_of(3, 3, 7), color_of(7, 3, 7)])
    assert bars(axes) == ["wear"]


def test_scalars_of_vertices_want_pyvista(mesh, axes):
    for where in ({"ax": axes}, {"backend": "matplotlib"}):
        with pytest.raises(ValueError, match=r"of vertices .*backend='pyvista', .*extra view"):
            mesh.plot(scalars=np.arange(6), **where)


@pytest.fixture
def tetrahedron():
    return abut.Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    )


def test_as_many_facets_as_vertices_want_a_word(tetrahedron, axes):
    with pytest.raises(ValueError, match="give at='facet' or at='vertex'"):
        tetrahedron.plot(ax=axes, scalars=[1, 2, 3, 4])
    tetrahedron.plot(ax=axes, scalars=[1, 2, 3, 4], at="facet", limits=(0, 4))
    np.testing.assert_allclose(facet_colors(axes)[0], color_of(1, 0, 4))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scalars": [1, 2, 3]}, ValueError, r"shape \(3,\).*\(2,\), one a facet or \(6,\), one a"),
        ({"scalars": [1, np.inf]}, ValueError, r"scalars\[1\] is inf"),
        ({"scalars": ["a", "b"]}, TypeError, "scalars has dtype"),
        ({"scalars": [1, 2], "at": "vertex"}, ValueError, r"must be \(6,\), one a vertex"),
        ({"scalars": [1, 2], "at": "node"}, ValueError, "at is 'node', but must be 'facet' or"),
        ({"scalars": [1, 2], "limits": (3, 1)}, ValueError, r"limits is \(3, 1\), but must be"),
        ({"scalars": [1, 2], "label": 3}, TypeError, "label is 3"),
    ],
)
def test_wrong_scalars_of_a_mesh_are_errors(mesh, axes, options, error, message):
    with pytest.raises(error, match=message):
        mesh.plot(ax=axes, **options)


@pytest.fixture
def loaded(mesh):
    """Three contacts with the first facet, and none with the second."""
    centers = [[0.5, 0.5, 0.4], [1, 1, 0.3], [0.5, 1.5, 0.45]]
    return abut.find_contacts(centers, 0.5, mesh)


@pytest.mark.parametrize(("how", "value"), [("max", 6), ("sum", 9), ("mean", 3)])
def test_facet_with_several_contacts_has_what_is_asked_for(loaded, axes, how, value):
    loaded.plot(ax=axes, scalars=[2, 6, 1], how=how, limits=(0, 9))
    touched, plain = facet_colors(axes)
    np.testing.assert_allclose(touched, color_of(value, 0, 9))
    assert plain[3] == 0.25


def test_column_is_known_by_its_name(loaded, axes):
    loaded.plot(ax=axes, scalars="overlap", limits=(0, 0.4))
    np.testing.assert_allclose(facet_colors(axes)[0], color_of(0.2, 0, 0.4))
    assert bars(axes) == ["overlap"]


def test_scalars_take_the_place_of_marks_and_arrows(contacts, axes):
    contacts.plot(ax=axes, scalars="overlap")
    assert [type(one).__name__ for one in axes.collections] == ["Poly3DCollection"]
    assert axes.get_legend() is None
    contacts.plot(ax=axes, scalars="overlap", normals=True, label=None)
    assert len(axes.collections) == 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scalars": [1, 2]}, ValueError, r"must be \(3,\), as there are 3 contacts"),
        ({"scalars": np.ones((3, 3))}, ValueError, "give their lengths"),
        ({"scalars": [1, np.nan, 3]}, ValueError, r"scalars\[1\] is nan"),
        ({"scalars": "depth"}, ValueError, "scalars is 'depth', but must be 'sphere' or 'facet'"),
        ({"scalars": [1, 2, 3], "how": "min"}, ValueError, "how is 'min', but must be 'sum' or"),
    ],
)
def test_wrong_scalars_of_contacts_are_errors(loaded, axes, options, error, message):
    with pytest.raises(error, match=message):
        loaded.plot(ax=axes, **options)


def drawn_by_scalars(plotter):
    """The mappers of surfaces with scalars. A plotter's axes have another kind of mapper."""
    mappers = [getattr(actor, "mapper", None) for actor in plotter.actors.values()]
    return [one for one in mappers if hasattr(one, "dataset") and one.scalar_visibility]


def test_pyvista_colors_facets(mesh, plotter):
    assert mesh.plot(ax=plotter, scalars=[np.nan, 7], limits=(0, 8), label="wear") is plotter
    (mapper,) = drawn_by_scalars(plotter)
    assert mapper.dataset["values"].tolist() == [7]
    assert mapper.scalar_range == (0, 8)
    (bar,) = dict(plotter.scalar_bars.items())
    assert bar.strip() == "wear"


def test_pyvista_colors_vertices(mesh, plotter):
    mesh.plot(ax=plotter, scalars=[1, 2, 3, np.nan, 5, 6], label=None)
    (mapper,) = drawn_by_scalars(plotter)
    np.testing.assert_array_equal(mapper.dataset["values"], [1, 2, 3, np.nan, 5, 6])
    assert mapper.scalar_range == (1, 6)
    assert len(plotter.scalar_bars) == 0


def test_pyvista_colors_touched_facets(loaded, plotter):
    loaded.plot(ax=plotter, scalars=[2, 6, 1], how="sum", limits=(0, 9))
    (mapper,) = drawn_by_scalars(plotter)
    assert mapper.dataset["values"].tolist() == [9]


# ---- pairs ---------------------------------------------------------------------------------------

ROW = np.array([[0.0, 0, 0], [0.9, 0, 0], [0.9, 0.7, 0]])
DISKS = ROW[:, :2]


@pytest.fixture
def plane():
    return pytest.importorskip("matplotlib.figure").Figure().add_subplot()


def lines_of(plane):
    """Ends and widths of the lines that were drawn last."""
    lines = plane.collections[-1]
    return np.array(lines.get_segments()), np.array(lines.get_linewidths())


def test_lines_of_pairs_are_as_thick_as_their_numbers(plane):
    pairs = abut.find_pairs(DISKS, 0.5)
    assert pairs.plot(DISKS, [-1, 4], plane) is plane
    ends, widths = lines_of(plane)
    np.testing.assert_allclose(ends, DISKS[[[0, 1], [1, 2]]], atol=1e-15)
    np.testing.assert_allclose(widths, [1.5, 6])
    colors = plane.collections[-1].get_colors()
    np.testing.assert_allclose(colors, [color_of(-1, -1, 4), color_of(4, -1, 4)])
    assert (plane.get_xlabel(), plane.get_ylabel(), plane.get_aspect()) == ("x", "y", 1)


@pytest.mark.parametrize("shift", [0, 3])
def test_lines_do_not_cross_a_periodic_box(plane, shift):
    """A sphere is inside the box, or outside it by one period."""
    centers = np.array([[0.1 + shift, 1], [2.9, 1]])
    pairs = abut.find_pairs(centers, 0.5, period=(3, None))
    pairs.plot(centers, ax=plane)
    ends, _ = lines_of(plane)
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum() == pytest.approx(0.2)
    if shift:
        assert len(ends) == 1
    else:
        np.testing.assert_allclose(np.sort(ends[..., 0], axis=None), [0, 0.1, 2.9, 3], atol=1e-12)


def test_pairs_are_drawn_by_the_library_of_their_dimension(axes, plane, monkeypatch):
    flat, solid = abut.find_pairs(DISKS, 0.5), abut.find_pairs(ROW, 0.5)
    with pytest.raises(TypeError, match="axes in the plane"):
        flat.plot(DISKS, ax=axes)
    with pytest.raises(ValueError, match="disks are drawn by 'matplotlib'"):
        flat.plot(DISKS, backend="pyvista")
    for ax in (axes, plane):
        with pytest.raises(TypeError, match=r"pairs in space .* backend='pyvista', .* extra view"):
            solid.plot(ROW, ax=ax)
    with pytest.raises(ValueError, match=r"'matplotlib', but pairs in space .*backend='pyvista'"):
        solid.plot(ROW, backend="matplotlib")
    monkeypatch.setitem(sys.modules, "pyvista", None)
    with pytest.raises(ImportError, match=r"pip install 'abut\[view\]'"):
        solid.plot(ROW)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((ROW[:2],), {}, "centers has 2 rows, but there are 3 spheres"),
        ((ROW[:, :2],), {}, r"centers has shape \(3, 2\)"),
        (([[0, 0, 0], [0, np.nan, 0], [0, 0, 0]],), {}, r"centers\[1, 1\] is nan"),
        (
            (ROW, [1, 2, 3]),
            {},
            r"values has shape \(3,\), but must be \(2,\), as there are 2 pairs",
        ),
        ((ROW, [1, np.nan]), {}, r"values\[1\] is nan"),
        ((ROW, "forc"), {}, "values is 'forc', but must be 'i' or 'j'"),
        ((ROW,), {"others": ROW}, "others are given, but the search had none"),
        ((ROW,), {"width": 0}, "width is 0.0, but must be positive"),
    ],
)
def test_wrong_arguments_of_pairs_are_errors(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        abut.find_pairs(ROW, 0.5).plot(*arguments, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numbers": [0, 2]}, r"numbers\[1\] is 2, but there are 2 bodies"),
        ({"numbers": [-1]}, r"numbers\[0\] is -1, but there are 2 bodies"),
        ({"colors": ["red"]}, "colors has 1 entry, but there are 2 bodies"),
    ],
)
def test_bodies_that_are_not_there_are_errors(plane, options, message):
    finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
    with pytest.raises(ValueError, match=message):
        finder.plot([[0, 0], [3, 0]], ax=plane, **options)
    finder.plot([[0, 0], [3, 0]], ax=plane, numbers=[1], colors=["red", "blue"])
    assert len(plane.patches) + len(plane.collections) > 0


def test_chains_are_tubes_in_pyvista(plotter):
    abut.find_pairs(ROW, 0.5).plot(ROW, [1, 4], plotter, width=0.2)
    (mapper,) = drawn_by_scalars(plotter)
    tubes = mapper.dataset
    assert set(tubes["values"]) == {1, 4}
    assert mapper.scalar_range == (1, 4)
    # Half of the width on each side of the second line, which is along y.
    about = tubes.points[np.abs(tubes.points[:, 1] - 0.7) < 1e-6]
    assert np.abs(about[:, 2]).max() == pytest.approx(0.1, rel=0.05)
