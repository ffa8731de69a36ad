"""The table of contacts of convex bodies: selections, exports, copies, files, contact history."""

import copy
import csv
import itertools
import pickle

import numpy as np
import pytest

import abut
from scenes_bodies import COUNT, CUBE, PERIOD, finder_of, heap_of
from test_npz import FALLING

SPOT_COLUMNS = abut.ConvexContacts._list_columns
ROWS = tuple(name for name in abut.ConvexContacts._row_columns if name not in ("mesh", "facet"))
OFFSETS = ("offsets", "spot_offsets")


@pytest.fixture(scope="module")
def finder(dimension):
    return finder_of(dimension)


@pytest.fixture
def contacts(finder, dimension):
    return finder.find(*heap_of(dimension), gap=0.25)


@pytest.fixture
def periodic(finder, dimension):
    found = finder.find(*heap_of(dimension), period=PERIOD[dimension])
    assert found.image.any()
    return found


@pytest.fixture
def given_pairs(finder, dimension):
    """Return contacts of given pairs in any order, with i before or after j."""
    rng = np.random.default_rng(6)
    pairs = np.array([rng.permutation(COUNT)[:2] for _ in range(60)])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    pairs = rng.permutation(np.where(rng.random(len(pairs))[:, None] < 0.5, pairs, pairs[:, ::-1]))
    return finder.find(*heap_of(dimension), pairs=pairs)


@pytest.fixture
def path(periodic, tmp_path):
    periodic.save(tmp_path / "contacts.npz")
    return tmp_path / "contacts.npz"


# ---- columns -------------------------------------------------------------------------------------


def test_columns(periodic, dimension):
    m, k, d = len(periodic), len(periodic.spot), dimension
    shapes = {
        "type": (m, 2), "feature": (m, 2), "normal": (m, d), "link": (m, 2, d), "point": (m, d),
        "state": (m, 12), "image": (m, d), "offsets": (COUNT + 1,), "spot": (k, d),
        "spot_overlap": (k,), "spot_type": (k, 2), "spot_feature": (k, 2), "spot_offsets": (m + 1,),
    }  # fmt: skip
    indices = ("i", "j", "feature", "iterations", "image", "spot_feature", *OFFSETS)
    assert tuple(periodic.to_dict()) == (*ROWS, *SPOT_COLUMNS, *OFFSETS)
    for name, column in periodic.to_dict().items():
        assert column.shape == shapes.get(name, (m,)), name
        kind = np.intp if name in indices else np.float64
        kind = np.uint8 if name in ("status", "type", "spot_type") else kind
        assert column.dtype == kind, name
        assert column.flags.c_contiguous and column.flags.writeable == (name not in OFFSETS), name
    assert periodic.mesh is None and periodic.facet is None


def test_columns_fit_together(contacts, dimension):
    np.testing.assert_allclose(np.linalg.norm(contacts.normal, axis=1), 1.0)
    link = contacts.link[:, 0] - contacts.link[:, 1]
    apart = contacts.status == abut.SEPARATED
    assert apart.any() and not apart.all()
    np.testing.assert_allclose(np.linalg.norm(link, axis=1)[apart], -contacts.overlap[apart])
    np.testing.assert_allclose(
        (link[apart] * contacts.normal[apart]).sum(axis=1), -contacts.overlap[apart]
    )
    assert (np.diff(contacts.spot_offsets) >= 1).all()
    rows = contacts.spot_row
    assert np.array_equal(rows, np.repeat(np.arange(len(contacts)), np.diff(contacts.spot_offsets)))
    names = np.column_stack([rows, contacts.spot_type, contacts.spot_feature])
    assert len(np.unique(names, axis=0)) == len(names)


def test_image_is_made_when_it_is_asked_for(contacts, dimension):
    assert "image" not in vars(contacts)
    for table in (copy.deepcopy(contacts), pickle.loads(pickle.dumps(contacts)), contacts[3:]):
        assert "image" not in vars(table)
    assert contacts.image.shape == (len(contacts), dimension) and not contacts.image.any()
    assert copy.copy(contacts).image is contacts.image


# ---- exports -------------------------------------------------------------------------------------


def test_to_pandas(periodic, dimension):
    pytest.importorskip("pandas")
    frame = periodic.to_pandas()
    axes = "xyz"[:dimension]
    both = ["type_i", "type_j", "feature_i", "feature_j"]
    vectors = [
        f"{name}_{axis}" for name in ("normal", "link_i", "link_j", "point") for axis in axes
    ]
    plain = ["i", "j", "status", "overlap", "error", "iterations"]
    images = [f"image_{axis}" for axis in axes]
    assert sorted(frame.columns) == sorted([*plain, *both, *vectors, *images])
    assert np.array_equal(frame.type_j, periodic.type[:, 1])
    assert np.array_equal(frame.link_j_y, periodic.link[:, 1, 1])
    frame.loc[0, "overlap"] = 77
    assert periodic.overlap[0] != 77


# ---- npz -----------------------------------------------------------------------------------------


def test_files_hold_all_columns(finder, contacts, periodic, given_pairs, dimension, tmp_path):
    planes = finder_of(dimension, method="fcp").find(*heap_of(dimension))
    without_spots = finder.find(*heap_of(dimension), spots=False)
    for table in (contacts, periodic, given_pairs, planes, without_spots, contacts[4:9]):
        table.save(tmp_path / "table.npz")
        found = abut.load_convex_contacts(tmp_path / "table.npz")
        assert found == table and found._search() == table._search()
        for name, column in table.to_dict().items():
            again = getattr(found, name)
            assert again.tobytes() == column.tobytes() and again.dtype == column.dtype, name
            assert again.flags.writeable == (name not in OFFSETS)
        assert found.to_dict().keys() == table.to_dict().keys()


def test_a_file_is_a_step_before(finder, dimension, tmp_path):
    before = finder.find(*heap_of(dimension))
    before.save(tmp_path / "before.npz")
    found = abut.load_convex_contacts(tmp_path / "before.npz")
    moved = heap_of(dimension, 1)
    assert finder.find(*moved, before=found) == finder.find(*moved, before=before)
    other = abut.ConvexFinder(finder.shapes, finder.shape)
    with pytest.raises(ValueError, match="before is of another finder"):
        other.find(*moved, before=found)


def changed(path, **columns):
    with np.load(path) as file:
        arrays = dict(file)
    kept = {name: array for name, array in (arrays | columns).items() if array is not None}
    np.savez(path, **kept)


def edited(path, name, *where_and_value):
    *where, value = where_and_value
    with np.load(path) as file:
        column = file[name].copy()
    column[tuple(where)] = value
    changed(path, **{name: column})


@pytest.mark.parametrize(
    ("name", "where", "value", "message"),
    [
        ("i", (3,), 40, r"i\[3\] is 40, but must be 0 to 39"),
        ("i", (0,), 39, "i disagrees with offsets"),
        ("status", (2,), 4, r"status\[2\] is 4, but must be 0 to 3"),
        ("type", (2, 1), 3, r"type\[2, 1\] is 3, but must be 0 to 2"),
        ("feature", (1, 0), -1, r"feature\[1, 0\] is -1, but must be 0 or more"),
        ("overlap", (5,), np.nan, r"overlap\[5\] is nan"),
        ("spot", (5, 1), np.nan, r"spot\[5, 1\] is nan"),
        ("spot_offsets", (1,), -1, "spot_offsets does not ascend from 0"),
    ],
)
def test_files_with_wrong_numbers(path, name, where, value, message):
    edited(path, name, *where, value)
    with pytest.raises(ValueError, match=message):
        abut.load_convex_contacts(path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"overlap": None}, "has no column overlap"),
        ({"j": None}, "it has no column j"),
        ({"spot_type": None}, "it has no column spot_type"),
        ({"abut_format": None}, "holds no contacts of convex bodies: it has no abut_format"),
        ({"mesh": np.zeros(1, int)}, "it has no column facet"),
        ({"state": np.zeros((1, 12))}, "state has 1 entries"),
        ({"spot_offsets": np.array(FALLING)}, "spot_offsets has 3 entries"),
    ],
)
def test_broken_files(path, columns, message):
    changed(path, **columns)
    with pytest.raises(ValueError, match=message):
        abut.load_convex_contacts(path)


def test_files_of_others(contacts, dimension, tmp_path):
    pairs = abut.find_pairs(heap_of(dimension)[0], 0.5)
    pairs.save(tmp_path / "pairs.npz")
    with pytest.raises(ValueError, match="has no column status"):
        abut.load_convex_contacts(tmp_path / "pairs.npz")
    contacts.save(tmp_path / "contacts.csv")
    with pytest.raises(ValueError, match=r"load_convex_contacts reads \.npz files"):
        abut.load_convex_contacts(tmp_path / "contacts.csv")
    with pytest.raises(OSError):
        abut.load_convex_contacts(tmp_path / "nothing.npz")


# ---- sums ----------------------------------------------------------------------------------------


def test_sum(contacts, given_pairs, dimension):
    rng = np.random.default_rng(8)
    for table in (contacts, given_pairs):
        forces = rng.normal(size=(len(table), dimension))
        expected = np.zeros((COUNT, dimension))
        np.add.at(expected, table.i, forces)
        np.add.at(expected, table.j, -forces)
        np.testing.assert_allclose(table.sum(forces), expected, atol=1e-12)
        ones = np.ones(len(table))
        both = np.bincount(table.i, minlength=COUNT) + np.bincount(table.j, minlength=COUNT)
        assert table.sum(ones, ones).tolist() == both.tolist()
    with pytest.raises(ValueError, match="on_i has shape"):
        contacts.sum(np.ones(3))


def test_loads_are_in_balance(periodic, dimension):
    """The sums of forces and torques are 0 about any point, except for shifts by images."""
    positions, _ = heap_of(dimension)
    rng = np.random.default_rng(9)
    push = rng.normal(size=(len(periodic.spot), dimension))
    forces, torques = periodic.loads(push, positions)
    assert forces.shape == (COUNT, dimension)
    assert torques.shape == ((COUNT,) if dimension == 2 else (COUNT, 3))
    np.testing.assert_allclose(forces, periodic.sum(row_sums(periodic, push)), atol=1e-12)
    lengths = np.array([length or 0 for length in periodic.period])
    rows = periodic.spot_row
    shifts = periodic.image[rows] * lengths
    about_zero = cross(positions, forces).sum(axis=0) + torques.sum(axis=0)
    # The force on j acts at the spot, shifted by the image.
    np.testing.assert_allclose(about_zero, cross(shifts, push).sum(axis=0), atol=1e-9)


def row_sums(table, values):
    return np.add.reduceat(values, table.spot_offsets[:-1])


def cross(a, b):
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] if a.shape[1] == 2 else np.cross(a, b)


def test_bad_loads(contacts, dimension):
    positions, _ = heap_of(dimension)
    push = np.zeros((len(contacts.spot), dimension))
    for forces, places, message in (
        (push[:-1], positions, "forces has .* rows?, but there are"),
        (push, positions[:-1], "positions has 39 rows, but there are 40 bodies"),
        (push[:, :1], positions, "forces has shape"),
    ):
        with pytest.raises(ValueError, match=message):
            contacts.loads(forces, places)


# ---- from step to step ---------------------------------------------------------------------------


def expected_match(now, before, earlier=None):
    """Return the match by the two bodies and the image, row by row."""
    earlier = np.arange(now.body_count) if earlier is None else earlier
    known = {}
    for row in range(len(before)):
        image = tuple(before.image[row])
        known[before.i[row], before.j[row], image] = row
        known[before.j[row], before.i[row], tuple(-x for x in image)] = row
    keys = zip(earlier[now.i], earlier[now.j], map(tuple, now.image), strict=True)
    return [known.get(key, -1) for key in keys]


def test_match_by_ids(finder, contacts, dimension):
    """With the bodies in another order, i and j of some pairs are swapped."""
    rng = np.random.default_rng(10)
    order = rng.permutation(COUNT)
    positions, turns = heap_of(dimension)
    other = abut.ConvexFinder(finder.shapes, finder.shape[order], scales=finder.scales[order])
    now = other.find(positions[order], turns[order], gap=0.25)
    ids, previous_ids = 7 * order, 7 * np.arange(COUNT)
    rows = now.match(contacts, ids, previous_ids)
    assert rows.tolist() == expected_match(now, contacts, order)
    assert sorted(rows) == list(range(len(contacts)))
    np.testing.assert_allclose(now.overlap, contacts.overlap[rows], atol=1e-9)
    swapped = order[now.i] != contacts.i[rows]
    assert swapped.any() and not swapped.all()
    tangent = contacts.normal.copy()
    carried = now.carry(tangent, contacts, rows, ids, previous_ids)
    apart = contacts.status[rows] == abut.SEPARATED
    # The force on i is the same as before.
    np.testing.assert_allclose(carried[apart], now.normal[apart], atol=1e-9)
    spots = now.match_spots(contacts, rows, ids, previous_ids)
    assert (spots >= 0).mean() > 0.8
    there = np.flatnonzero(spots >= 0)
    names = contacts.spot_type[spots[there]]
    turned = swapped[now.spot_row[there]]
    assert np.array_equal(np.where(turned[:, None], names[:, ::-1], names), now.spot_type[there])
    with pytest.raises(ValueError, match="is a contact of other bodies: give ids"):
        now.carry(tangent, contacts, rows)


def test_spots_continue_those_of_their_name(finder, contacts, dimension):
    now = finder.find(*heap_of(dimension, 5), gap=0.25)
    rows, found = now.match(contacts), now.match_spots(contacts)
    names = {}
    for spot, row in enumerate(contacts.spot_row):
        name = (*contacts.spot_type[spot], *contacts.spot_feature[spot])
        names[row, name] = spot
    expected = [
        names.get((rows[row], (*now.spot_type[spot], *now.spot_feature[spot])), -1)
        for spot, row in enumerate(now.spot_row)
    ]
    assert found.tolist() == expected and (found >= 0).mean() > 0.5
    assert np.array_equal(now.match_spots(contacts, rows), found)
    assert (now.match_spots(None) == -1).all()


def test_spots_carry(finder, contacts, dimension):
    now = finder.find(*heap_of(dimension, 5), gap=0.25)
    found, rows = now.match_spots(contacts), now.match(contacts)
    tangent = np.random.default_rng(3).normal(size=contacts.spot.shape)
    carried = now.carry_spots(tangent, contacts)
    assert not carried[found < 0].any()
    # Vectors of spots turn like vectors of contacts.
    for spot in np.flatnonzero(found >= 0)[:30]:
        row = now.spot_row[spot]
        of_rows = np.zeros(contacts.normal.shape)
        of_rows[rows[row]] = tangent[found[spot]]
        expected = now.carry(of_rows, contacts, rows)[row]
        assert np.array_equal(carried[spot], expected)
    assert contacts.carry_spots(tangent, contacts).tobytes() == tangent.tobytes()
    assert now.carry_spots(None, None).shape == now.spot.shape


def test_what_does_not_continue(finder, contacts, dimension):
    few = abut.ConvexFinder(finder.shapes[0]).find(heap_of(dimension)[0][:5])
    with pytest.raises(ValueError, match="there are 40 bodies, but previous has 5: give ids"):
        contacts.match_spots(few)
    with pytest.raises(ValueError, match=r"tangent has .* but there are .* previous spots"):
        contacts.carry_spots(contacts.normal[:1], contacts)


# ---- with walls ----------------------------------------------------------------------------------

FLOOR = [[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0], [4, -4, 4], [4, 4, 4]]
PLACES = [[0, 0, 0.875], [3.125, 0, 0.9375], [0, 0, 2], [0, 0, 3.25]]


@pytest.fixture(scope="module")
def walls():
    """Return a floor that meets a wall, and a half space above."""
    mesh = abut.Mesh(FLOOR, [[0, 1, 2, 3], [1, 4, 5, 2]])
    return [abut.ContactFinder(mesh), abut.HalfSpace((0, 0, 4), (0, 0, -1))]


@pytest.fixture(scope="module")
def cubes():
    return abut.ConvexFinder(abut.ConvexShape(CUBE))


@pytest.fixture
def standing(cubes, walls):
    """Return contacts of cubes on the floor, in the corner, in free space, below the ceiling."""
    return cubes.find_walls(PLACES, None, walls, gap=0.01)


def test_rows_of_walls(standing):
    assert standing.i.tolist() == [0, 1, 1, 3] and standing.j is None
    assert standing.mesh.tolist() == [0, 0, 0, 1]
    assert standing.facet.tolist() == [0, 0, 1, 0]
    np.testing.assert_allclose(standing.overlap, [0.125, 0.0625, 0.125, 0.25])
    normals = [[0, 0, 1], [0, 0, 1], [-1, 0, 0], [0, 0, -1]]
    np.testing.assert_allclose(standing.normal, normals, atol=1e-15)
    assert standing.offsets.tolist() == [0, 1, 3, 3, 4] and standing.counts.tolist() == [1, 2, 0, 1]
    assert np.diff(standing.spot_offsets).tolist() == [4, 4, 4, 4]
    assert "j" not in standing.to_dict() and "4 bodies with walls" in repr(standing)


def test_tables_of_walls(standing, tmp_path):
    for again in (standing[:], copy.deepcopy(standing), pickle.loads(pickle.dumps(standing))):
        assert again == standing and again.j is None
    standing.save(tmp_path / "walls.npz")
    assert abut.load_convex_contacts(tmp_path / "walls.npz") == standing
    assert standing[1:3].mesh.tolist() == [0, 0] and standing.of(1).facet[1] == 1
    both = abut.concatenate([standing, standing])
    assert both.i[4:].tolist() == (standing.i + 4).tolist()
    standing.save(tmp_path / "walls.csv")
    with open(tmp_path / "walls.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["mesh"]) for row in rows] == standing.mesh.tolist()
    assert {"type_i", "type_wall", "link_wall_x"} <= rows[0].keys()


def test_sums_of_walls(standing):
    assert standing.sum(np.ones(4)).tolist() == [1, 2, 0, 1]
    with pytest.raises(ValueError, match="there is no j"):
        standing.sum(np.ones(4), np.ones(4))
    push = standing.spot_overlap[:, None] * standing.normal[standing.spot_row]
    forces, torques = standing.loads(push, PLACES)
    expected = [[0, 0, 0.5], [-0.5, 0, 0.25], [0, 0, 0], [0, 0, -1]]
    np.testing.assert_allclose(forces, expected, atol=1e-15)
    # The wall begins at the floor, and the cube reaches 1/16 into the floor.
    np.testing.assert_allclose(torques[[0, 2, 3]], 0, atol=1e-15)


def test_rows_of_walls_continue(cubes, walls, standing):
    moved = [[0, 0.5, 0.875], [3.125, -2.5, 0.9375], [0, 0, 0.9], [0, 0, 2]]
    now = cubes.find_walls(moved, None, walls, gap=0.01, before=standing)
    assert now.i.tolist() == [0, 1, 1, 2]
    assert now.match(standing).tolist() == [0, 1, 2, -1]
    spots = now.match_spots(standing)
    assert sorted(spots[:12]) == list(range(12)) and (spots[12:] == -1).all()
    assert now.carry(np.ones((4, 3)), standing).tolist() == [[1, 1, 1]] * 3 + [[0, 0, 0]]
    shuffled = cubes.find_walls(moved[::-1], None, walls, gap=0.01)
    rows = shuffled.match(standing, [3, 2, 1, 0], [0, 1, 2, 3])
    assert rows.tolist() == [-1, 1, 2, 0]
    with pytest.raises(ValueError, match="one table has contacts with walls"):
        now.match(cubes.find([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]))


def test_spots_slide_from_facet_to_facet():
    """A body slides over a floor of triangles, in a direction that no edge has."""
    block = abut.ConvexFinder(abut.ConvexShape(CUBE * [0.9, 0.7, 1]))
    # A facet may have none of the four corners, or several.
    points = np.array([[x, y, 0] for x in range(-8, 9, 4) for y in range(-8, 9, 4)])
    corners = np.array([[5 * a + b for a, b in ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))]
                        for x in range(4) for y in range(4)])  # fmt: skip
    floor = abut.ContactFinder(abut.Mesh(points, [*corners[:, :3], *corners[:, [0, 2, 3]]]))
    steps = [block.find_walls([[0.013 * k, 0.007 * k, 0.875]], None, floor) for k in range(200)]
    vectors = None
    for before, now in itertools.pairwise([None, *steps]):
        vectors = now.carry_spots(vectors, before)
        corner = now.spot_type[:, 0] == abut.VERTEX
        fresh = np.flatnonzero(corner & ~vectors.any(axis=1))
        assert len(fresh) == (4 if before is None else 0)
        vectors[fresh] = [0.25, 0, 0]
    assert corner.sum() == 4 and vectors[corner].tolist() == [[0.25, 0, 0]] * 4
    assert len({tuple(sorted(set(step.facet.tolist()))) for step in steps}) == 4


def test_before_of_walls(cubes, walls, standing):
    positions = np.zeros((4, 3))
    pairs = cubes.find(positions)
    for call, before, message in (
        (cubes.find, standing, "before is of another finder"),
        (lambda *p, before: cubes.find_walls(*p, None, walls, before=before), pairs, "another"),
        (lambda *p, before: cubes.find_walls(*p, None, walls[1], before=before), standing, "anot"),
    ):
        with pytest.raises(ValueError, match=message):
            call(positions, before=before)
    with pytest.raises(ValueError, match="pairs has contacts with walls"):
        cubes.find(positions, pairs=standing)


def test_walls_in_any_form(cubes, walls, standing):
    mesh = walls[0].meshes[0]
    for given in ((mesh, walls[1]), [np.array(FLOOR)[[[0, 1, 2, 3], [1, 4, 5, 2]]], walls[1]]):
        found = cubes.find_walls(PLACES, None, given, gap=0.01)
        assert found.mesh.tolist() == standing.mesh.tolist()
        np.testing.assert_allclose(found.overlap, standing.overlap)
    alone = cubes.find_walls(PLACES, None, walls[1])
    assert alone.i.tolist() == [3] and alone.mesh.tolist() == [0]
    empty = cubes.find_walls(np.zeros((0, 3)), None, walls)
    assert len(empty) == 0 and empty.mesh.dtype == np.intp


def test_walls_that_have_moved(cubes, walls):
    pose = np.eye(4)
    pose[:3, 3] = 0, 0, -0.5
    positions = [[0, 0, 0.375]]
    found = cubes.find_walls(positions, None, walls[0], poses=pose)
    np.testing.assert_allclose(found.overlap, [0.125])
    found = cubes.find_walls(positions, None, walls, poses=[pose])
    np.testing.assert_allclose(found.overlap, [0.125])
    with pytest.raises(ValueError, match="poses has 2 items, but there is 1 mesh"):
        cubes.find_walls(positions, None, walls, poses=[pose, pose])
    with pytest.raises(ValueError, match="not rigid"):
        cubes.find_walls(positions, None, walls, poses=2 * pose)


# ---- chunks --------------------------------------------------------------------------------------


def test_concatenate(finder, contacts, dimension):
    again = finder.find(*heap_of(dimension, 3), gap=0.25)
    both = abut.concatenate([contacts, again])
    m = len(contacts)
    assert both.body_count == 2 * COUNT and len(both) == m + len(again)
    assert np.array_equal(both.i[m:], again.i + COUNT) and np.array_equal(
        both.j[m:], again.j + COUNT
    )
    assert np.array_equal(both.spot[len(contacts.spot) :], again.spot)
    assert np.array_equal(np.diff(both.offsets), np.concatenate([contacts.counts, again.counts]))
    assert abut.concatenate([contacts]) == contacts
    assert abut.concatenate([contacts])._bodies == contacts._bodies
    with pytest.raises(ValueError, match="before is of another finder"):
        finder.find(*heap_of(dimension), before=both)
    with pytest.raises(ValueError, match="some of the tables have spot, and others do"):
        abut.concatenate([contacts, finder.find(*heap_of(dimension), spots=False)])
    with pytest.raises(TypeError, match=r"tables\[1\] is Pairs, but must be ConvexContacts"):
        abut.concatenate([contacts, abut.find_pairs(heap_of(dimension)[0], 0.5)])


# ---- pictures ------------------------------------------------------------------------------------


@pytest.fixture
def canvas(dimension):
    """Return 2D axes or a plotter."""
    if dimension == 2:
        yield pytest.importorskip("matplotlib.figure").Figure().add_subplot()
    else:
        plotter = pytest.importorskip("pyvista").Plotter(off_screen=True)
        yield plotter
        plotter.close()


def cells_of(plotter):
    """Return the numbers of lines, points or facets of each drawn object, without axes' names."""
    solids = [actor for actor in plotter.actors.values() if actor.IsA("vtkActor")]
    return [actor.GetMapper().GetInput().GetNumberOfCells() for actor in solids]


@pytest.mark.pyvista
def test_plot(finder, contacts, dimension, canvas):
    assert contacts.plot(canvas, bodies=(finder, *heap_of(dimension))) is canvas
    bodies = np.unique([contacts.i, contacts.j])
    if dimension == 2:
        canvas.figure.canvas.draw()
        assert len(canvas.patches) == len(bodies)
    else:
        facets = sum(len(finder.shapes[finder.shape[body]]) for body in bodies)
        assert cells_of(canvas)[0] == facets
    other = abut.ConvexFinder(finder.shapes[0]).find(heap_of(dimension)[0])
    for table in (contacts[:0], contacts[:1], other):
        assert table.plot(canvas) is canvas


@pytest.mark.pyvista
def test_links_spots_and_normals_are_drawn(contacts, dimension, canvas):
    contacts.plot(canvas)
    if dimension == 2:
        assert len(canvas.lines) == len(contacts)
        spots, arrows = canvas.collections
        assert len(spots.get_offsets()) == len(contacts.spot)
        assert len(arrows.get_offsets()) == len(contacts)
        canvas.figure.canvas.draw()
    else:
        links, spots, arrows = cells_of(canvas)
        assert (links, spots) == (len(contacts), len(contacts.spot))
        assert arrows > 0 and arrows % len(contacts) == 0
    before = len(canvas.collections if dimension == 2 else canvas.actors)
    contacts.plot(canvas, normals=False)
    added = len(canvas.collections if dimension == 2 else canvas.actors) - before
    assert added == dimension - 1
