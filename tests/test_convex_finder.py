"""The search for contacts of convex bodies: its arguments and its rows."""

import numpy as np
import pytest

import abut
from scenes_bodies import COUNT, CUBE, SQUARE, TETRA, finder_of, heap_of, shapes_of

pytestmark = pytest.mark.native

METHODS = ("slm", "fcp", "cp", "fds")


@pytest.fixture(scope="module")
def finder(dimension):
    return finder_of(dimension)


@pytest.fixture(scope="module")
def heap(dimension):
    return heap_of(dimension)


@pytest.fixture(scope="module")
def cubes():
    return abut.ConvexFinder(abut.ConvexShape(CUBE))


@pytest.fixture(scope="module")
def squares():
    return abut.ConvexFinder(abut.ConvexShape(SQUARE))


def all_pairs(count=COUNT):
    return np.column_stack(np.triu_indices(count, 1))


def close(found, expected, atol=1e-9):
    np.testing.assert_allclose(found, expected, atol=atol)


# ---- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_two_cubes(method):
    finder = abut.ConvexFinder(abut.ConvexShape(CUBE), method=method)
    contacts = finder.find([[0, 0, 0], [0.25, 0.5, 1.875], [9, 9, 9]])
    assert (contacts.i.tolist(), contacts.j.tolist()) == ([0], [1])
    assert contacts.status.tolist() == [abut.OVERLAPPING]
    # Cundall's plane stops when tilts are below 0.01 degrees.
    off = 1e-3 if method == "cp" else 1e-9
    close(contacts.overlap, [0.125], off)
    close(contacts.normal, [[0, 0, -1]], off)
    close(contacts.point[:, 2], [0.9375], off)
    assert contacts.offsets.tolist() == [0, 1, 1, 1] and contacts.body_count == 3
    corners = [[x, y, 0.9375] for x in (-0.75, 1) for y in (-0.5, 1)]
    close(sorted(contacts.spot.round(2).tolist()), np.round(sorted(corners), 2), off)
    close(contacts.spot_overlap, [0.125] * 4, 2 * off)
    assert contacts.spot_offsets.tolist() == [0, 4]


def test_pairs_keep_their_order(finder, heap):
    pairs = all_pairs()[[70, 3, 3, 11]]
    pairs[2] = pairs[2][::-1]
    contacts = finder.find(*heap, pairs=pairs)
    assert np.array_equal(np.column_stack([contacts.i, contacts.j]), pairs)
    close(contacts.overlap[1], contacts.overlap[2])
    close(contacts.normal[1], -contacts.normal[2])


def test_pairs_of_tables(finder, heap, dimension):
    spheres = abut.find_pairs(heap[0], 1.0)
    contacts = finder.find(*heap, pairs=spheres)
    assert len(contacts) == len(spheres) > 0
    assert np.array_equal(contacts.i, spheres.i) and np.array_equal(contacts.j, spheres.j)
    again = finder.find(*heap, pairs=contacts)
    assert again == contacts
    others = abut.find_pairs(heap[0], 1.0, others=(heap[0], 1.0))
    with pytest.raises(ValueError, match="pairs is of spheres and others"):
        finder.find(*heap, pairs=others)


def test_nothing(dimension):
    finder = abut.ConvexFinder(shapes_of(dimension)[0])
    empty = finder.find(np.zeros((0, dimension)))
    assert len(empty) == 0 and empty.body_count == 0 and empty.spot.shape == (0, dimension)
    assert len(finder.find([], [])) == 0
    one = finder.find(np.zeros((1, dimension)), pairs=np.zeros((0, 2), int))
    assert len(one) == 0 and one.offsets is None
    assert len(finder.find(np.zeros((1, dimension)), pairs=[])) == 0


# ---- orientations --------------------------------------------------------------------------------


def test_rotations(cubes):
    transform = pytest.importorskip("scipy.spatial.transform")
    rng = np.random.default_rng(4)
    quaternions = rng.normal(size=(2, 4))
    rotation = transform.Rotation.from_quat(quaternions)
    positions = [[0, 0, 0], [0, 0, 2]]
    expected = cubes.find(positions, quaternions)
    close(cubes.find(positions, rotation).overlap, expected.overlap)
    close(
        cubes.find(positions, rotation[0]).overlap,
        cubes.find(positions, quaternions[[0, 0]]).overlap,
    )


# ---- warm starts ---------------------------------------------------------------------------------


def test_before_changes_no_result_of_bodies_apart(finder, heap, dimension):
    before = finder.find(*heap, gap=1.0)
    moved = heap_of(dimension, 1)
    cold, warm = finder.find(*moved, gap=1.0), finder.find(*moved, gap=1.0, before=before)
    assert np.array_equal(cold.i, warm.i) and np.array_equal(cold.j, warm.j)
    apart = cold.status == abut.SEPARATED
    assert apart.sum() > 10
    close(cold.overlap[apart], warm.overlap[apart])
    close(cold.normal[apart], warm.normal[apart])
    # Polygons need one iteration anyway.
    assert warm.iterations.sum() < cold.iterations.sum() + (dimension == 2)


@pytest.mark.parametrize("change", ["shapes", "scales", "numbers", "count", "table"])
def test_before_of_another_finder(change, finder, heap, dimension):
    shapes, numbers, scales = finder.shapes, finder.shape, finder.scales
    positions, turns = heap
    if change == "shapes":
        shapes = [shapes[0].rounded(0.5), shapes[1]]
    if change == "scales":
        scales = scales * 2
    if change == "numbers":
        numbers = 1 - numbers
    if change == "count":
        shapes, numbers, scales = shapes[0], None, 1.0
        positions, turns = positions[1:], turns[1:]
    other = abut.ConvexFinder(shapes, numbers, scales=scales)
    before = other.find(positions, turns)
    if change == "table":
        with pytest.raises(TypeError, match="before is a Pairs, but must be"):
            finder.find(*heap, before=abut.find_pairs(heap[0], 1.0))
        return
    with pytest.raises(ValueError, match="before is of another finder"):
        finder.find(*heap, before=before)


def test_before_may_hold_anything(finder, heap):
    """Callers may change columns: wrong numbers cause a cold start or a clear error."""
    expected = finder.find(*heap)
    for value in (np.nan, 1e300, -1.0, 0.0):
        before = finder.find(*heap)
        before.state[:] = value
        found = finder.find(*heap, before=before)
        assert len(found) == len(expected)
        close(found.overlap[expected.overlap < 0], expected.overlap[expected.overlap < 0])
    for name, value in (("i", COUNT), ("j", -1)):
        before = finder.find(*heap)
        getattr(before, name)[2] = value
        with pytest.raises(ValueError, match=rf"{name}\[2\] is {value}, but must be 0 to 39"):
            finder.find(*heap, before=before)


# ---- queries and attributes ----------------------------------------------------------------------


def test_any_number_of_bodies(squares):
    for count in (2, 3, 2, 5):
        line = np.column_stack([np.arange(count) * 1.875, np.zeros(count)])
        assert len(squares.find(line)) == count - 1


def test_attributes_and_repr(finder, dimension):
    assert finder.dimension == dimension and finder.method == "slm"
    assert repr(finder) == "ConvexFinder(40 bodies of 2 shapes, 'slm')"
    for array in (finder.shape, finder.scales):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    free = abut.ConvexFinder(finder.shapes[0])
    assert repr(free) == "ConvexFinder(any bodies of 1 shape, 'slm')"
    assert free.shape is None and free.scales == 1.0


# ---- bad input -----------------------------------------------------------------------------------

CUBE_SHAPE, SQUARE_SHAPE, TETRA_SHAPE = map(abut.ConvexShape, (CUBE, SQUARE, TETRA))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([],), {}, ValueError, "the sequence of shapes is empty"),
        ((CUBE,), {}, TypeError, "shapes is an ndarray, but must be a ConvexShape"),
        (([CUBE_SHAPE, CUBE], [0, 1]), {}, TypeError, "shapes[1] is an ndarray"),
        (([CUBE_SHAPE, SQUARE_SHAPE], [0, 1]), {}, ValueError, "2 dimensions, but shape"),
        (([CUBE_SHAPE, TETRA_SHAPE],), {}, ValueError, "there are 2 shapes: give shape="),
        (([CUBE_SHAPE], [0, 1]), {}, ValueError, "shape[1] is 1, but must be 0 to 0"),
        (([CUBE_SHAPE], [[0]]), {}, ValueError, "shape has shape (1, 1), but must be (n,)"),
        (([CUBE_SHAPE], [0.0]), {}, TypeError, "shape has dtype float64, but must be integers"),
        ((CUBE_SHAPE,), {"scales": 0}, ValueError, "scales is 0.0, but must be positive"),
        ((CUBE_SHAPE,), {"scales": [1, -1]}, ValueError, "scales[1] is -1; scales must be"),
        (
            (CUBE_SHAPE, [0]),
            {"scales": [1, 1]},
            ValueError,
            "scales has 2 entries, but there is 1 body",
        ),
        ((CUBE_SHAPE,), {"method": "gjk"}, ValueError, "method is 'gjk', but must be 'slm' or"),
        ((CUBE_SHAPE,), {"patch_angle": 0}, ValueError, "patch_angle is 0"),
        ((CUBE_SHAPE,), {"cp_angles": (0.1, 0.2)}, ValueError, "cp_angles[1] is 0.2"),
        ((CUBE_SHAPE,), {"cp_angles": 0.1}, ValueError, "cp_angles has shape ()"),
        ((CUBE_SHAPE,), {"iterations": 0}, ValueError, "iterations is 0"),
    ],
)
def test_bad_finders(arguments, options, error, message):
    with pytest.raises(error) as caught:
        abut.ConvexFinder(*arguments, **options)
    assert message in str(caught.value)


PLACES = np.array([[0.0, 0, 0], [0, 0, 1.5], [9, 9, 9]])


def changed(array, *where_and_value):
    *where, value = where_and_value
    array = np.array(array, float)
    array[tuple(where)] = value
    return array


TURNS = np.tile([0.0, 0, 0, 1], (3, 1))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((changed(PLACES, 1, 2, np.nan),), {}, ValueError, "positions[1, 2] is nan"),
        ((PLACES[:2],), {}, ValueError, "positions has 2 rows, but there are 3 bodies"),
        ((PLACES[:, :2],), {}, ValueError, "positions has shape (3, 2), but must be (n, 3)"),
        ((PLACES, changed(TURNS, 1, 3, 0)), {}, ValueError, "orientations[1] has the length 0"),
        (
            (PLACES, changed(TURNS, 2, 3, np.nan)),
            {},
            ValueError,
            "orientations[2] has the length nan",
        ),
        ((PLACES, TURNS[:2]), {}, ValueError, "orientations has shape (2, 4), but must be (3, 4)"),
        (
            (PLACES, [0.0, 0.0, 0.0]),
            {},
            ValueError,
            "orientations has shape (3,), but must be (3, 4)",
        ),
        ((PLACES,), {"pairs": [[0, 3]]}, ValueError, "pairs[0, 1] is 3, but there are 3 bodies"),
        ((PLACES,), {"pairs": [[0, 1], [2, 2]]}, ValueError, "pair 1 has body 2 twice"),
        ((PLACES,), {"pairs": [0, 1]}, ValueError, "must be (m, 2): give one pair as [[i, j]]"),
        ((PLACES,), {"gap": -1}, ValueError, "gap is -1"),
        (
            (PLACES,),
            {"minimum": "least"},
            ValueError,
            "minimum is 'least', but must be 'tracked' or",
        ),
    ],
)
def test_bad_queries(arguments, options, error, message):
    finder = abut.ConvexFinder(CUBE_SHAPE, [0, 0, 0])
    with pytest.raises(error) as caught:
        finder.find(*arguments, **options)
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert len(finder.find(PLACES, TURNS)) == 1


@pytest.mark.parametrize(
    ("turns", "error", "message"),
    [
        ([0, np.nan], ValueError, "orientations[1] is nan"),
        ([0, 0, 0], ValueError, "orientations has 3 entries, but there are 2 bodies"),
        ([[0], [0]], ValueError, "orientations has shape (2, 1)"),
    ],
)
def test_bad_angles(squares, turns, error, message):
    with pytest.raises(error) as caught:
        squares.find([[0, 0], [1, 0]], turns)
    assert message in str(caught.value)


def test_walls_of_wrong_kinds(cubes, squares):
    plane, floor = abut.HalfSpace((0, 0, 0), (0, 0, 1)), abut.Mesh(np.eye(3), [[0, 1, 2]])
    places = [[0, 0, 0.5]]
    wrong = [
        ([], ValueError, "the sequence of walls is empty"),
        ([plane, floor], ValueError, r"walls\[0\] is a HalfSpace, but walls\[1\] is not"),
        ([abut.ContactFinder(floor), floor], ValueError, r"only half spaces may follow"),
        ([floor, abut.ContactFinder(floor)], ValueError, r"walls\[1\] is a ContactFinder"),
        (3, TypeError, r"walls\[0\]: a mesh cannot be made of int"),
    ]
    for walls, error, message in wrong:
        with pytest.raises(error, match=message):
            cubes.find_walls(places, None, walls)
    with pytest.raises(ValueError, match="polygons have no walls"):
        squares.find_walls([[0, 0]], None, plane)
