"""Bad input raises an error that names the first wrong value, and changes nothing."""

import itertools
import math
import re

import numpy as np
import pytest

import abut
from abut.search.facets import Facets

pytestmark = pytest.mark.native

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
CENTERS = np.array([[0.5, 0.5, 0.3], [0.2, 0.2, 0.4], [9, 9, 9]])
RADII = np.array([0.5, 0.5, 0.5])


@pytest.fixture(scope="module")
def finder():
    return abut.ContactFinder(abut.Mesh(SQUARE, [[0, 1, 2, 3]]))


def changed(array, *where_and_value):
    array = np.array(array, float)
    *where, value = where_and_value
    array[tuple(where)] = value
    return array


def bytes_of(values):
    return [value.tobytes() for value in values if isinstance(value, np.ndarray)]


def assert_fails(call, error, message, *inputs):
    """Check that the call raises this message, and leaves its inputs unchanged."""
    before = bytes_of(inputs)
    with pytest.raises(error) as caught:
        call(*inputs)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert bytes_of(inputs) == before


# ---- spheres -------------------------------------------------------------------------------------

BAD_SPHERES = {
    "nan center": (changed(CENTERS, 1, 2, np.nan), RADII, ValueError, "centers[1, 2] is nan"),
    "first offender": (np.full((3, 3), -np.inf), RADII, ValueError, "centers[0, 0] is -inf"),
    "center too far": (
        changed(CENTERS, 0, 1, 1e76),
        RADII,
        ValueError,
        "centers[0, 1] is 1e+76; coordinates must lie within 1e75 of 0",
    ),
    "nan radius": (CENTERS, changed(RADII, 1, np.nan), ValueError, "radii[1] is nan"),
    "negative radius": (CENTERS, changed(RADII, 2, -0.5), ValueError, "radii[2] is -0.5"),
    "zero radius": (
        CENTERS,
        changed(RADII, 0, 0),
        ValueError,
        "radii[0] is 0; radii must be positive and at most 1e75",
    ),
    "one center": (
        CENTERS[0],
        0.5,
        ValueError,
        "centers has shape (3,), but must be (n, 3): give one point as [[x, y, z]]",
    ),
    "transposed": (
        np.zeros((3, 7)),
        0.5,
        ValueError,
        "centers has shape (3, 7), but must be (n, 3): give its transpose",
    ),
    "in the plane": (
        np.zeros((7, 2)),
        0.5,
        ValueError,
        "centers has shape (7, 2), but must be (n, 3): points in the plane need z = 0",
    ),
    "with radii": (
        np.zeros((7, 4)),
        0.5,
        ValueError,
        "centers has shape (7, 4), but must be (n, 3): give its first three columns, if these are",
    ),
    "some object": (object(), 0.5, TypeError, "centers is an object, but must be real numbers"),
    "column of radii": (
        CENTERS,
        RADII[:, None],
        ValueError,
        "radii has shape (3, 1), but must be a number or (3,): give radii.ravel()",
    ),
    "too few radii": (
        CENTERS,
        RADII[:2],
        ValueError,
        "radii has 2 entries, but there are 3 centers",
    ),
    "ragged": (
        [[0, 0, 0], [1, 1]],
        0.5,
        ValueError,
        "centers is ragged: its rows have different lengths",
    ),
    "bool centers": (CENTERS > 1, 0.5, TypeError, "centers has dtype bool, but must be real"),
    "bool radius": (CENTERS, True, TypeError, "radii has dtype bool, but must be real numbers"),
    "complex centers": (CENTERS + 0j, 0.5, TypeError, "centers has dtype complex128"),
    "strings": (CENTERS.astype(str), 0.5, TypeError, "centers has dtype <U"),
    "string radius": (CENTERS, "0.5", TypeError, "radii is '0.5', but must be real"),
    "objects": (CENTERS.astype(object), 0.5, TypeError, "centers has dtype object"),
    "none": (None, 0.5, TypeError, "centers is None, but must be real numbers"),
    "masked centers": (
        np.ma.masked_greater(CENTERS, 1),
        0.5,
        TypeError,
        "centers has masked entries: leave them out, or fill them, first",
    ),
}


@pytest.mark.parametrize("name", BAD_SPHERES)
def test_spheres(finder, name):
    centers, radii, error, message = BAD_SPHERES[name]
    before = finder.find(CENTERS, RADII)
    assert_fails(finder.find, error, message, centers, radii)
    # The finder still works.
    assert finder.find(CENTERS, RADII) == before


def test_offender_is_the_first_whatever_the_threads(finder):
    centers, radii = np.full((100_000, 3), 0.25), np.full(100_000, 0.5)
    centers[[70_000, 99_999]] = np.nan
    for workers in (1, 2, 3):
        with pytest.raises(ValueError, match=r"centers\[70000, 0\] is nan"):
            finder.find(centers, radii, workers=workers)
    centers[:] = 0.25
    radii[[40_017, 99_999]] = -1, np.nan
    for workers in (1, 2, 3):
        with pytest.raises(ValueError, match=r"radii\[40017\] is -1"):
            finder.find(centers, radii, workers=workers)


# ---- keywords ------------------------------------------------------------------------------------

BAD_KEYWORDS = [
    ({"gap": -0.1}, ValueError, "gap is -0.1; it must be at least 0 and at most 1e75"),
    ({"gap": np.inf}, ValueError, "gap is inf"),
    ({"gap": "0.1"}, TypeError, "gap is '0.1', but must be real numbers"),
    ({"gap": None}, TypeError, "gap is None, but must be real numbers"),
    ({"flat_angle": -0.1}, ValueError, "flat_angle is -0.1; it must be at least 0"),
    ({"flat_angle": math.pi / 2}, ValueError, "flat_angle is 1.57079632679489"),
    ({"flat_angle": 90}, ValueError, "less than pi/2 (radians)"),
    ({"resolution": "nearest"}, ValueError, "'nearest', but must be 'hierarchy' or 'sharing' or"),
    ({"resolution": 0}, TypeError, "resolution is 0, but must be 'hierarchy' or 'sharing' or"),
    ({"weights": "mean"}, ValueError, "weights is 'mean', but must be 'wachspress' or 'zhong'"),
    ({"workers": 0}, ValueError, "workers is 0, but must be 1 to 1024, or -1 for all cores"),
    ({"workers": 10**6}, ValueError, "workers is 1000000"),
    ({"workers": 2.0}, TypeError, "workers is 2.0, but must be an integer"),
    ({"exponent": 0}, ValueError, "exponent is 0; it must be positive"),
    ({"exponent": -1.5}, ValueError, "exponent is -1.5; it must be positive"),
    ({"exponent": np.inf}, ValueError, "exponent is inf"),
    ({"period": (1, 0, None)}, ValueError, "period[1] is 0, but must be positive, or None"),
    ({"period": (1, 1, np.nan)}, ValueError, "period[2] is nan, but must be positive"),
    ({"period": (1, 1)}, ValueError, "period has 2 items, but must have 3"),
    (
        {"period": np.ones((3, 3))},
        ValueError,
        "period[1] lies on the line of the vectors before it",
    ),
    ({"period": 1.0}, TypeError, "period is 1.0, but must be 3 lengths, a (3, 3) array or None"),
    (
        {"period": (1e-7, 1, None)},
        ValueError,
        "sphere 0 reaches over more than a million periodic images",
    ),
    ({"tolerance": 1}, TypeError, "tolerance"),
]


def test_pairs_of_a_period_that_is_far_too_short():
    """There are two million images of all spheres, but each sphere has fewer."""
    centers = np.c_[np.zeros(50), np.arange(50), np.zeros(50)]
    message = (
        "the cell is only 1e-06 wide along period[0], so spheres reach over too many periodic"
        " images; radii and the period must be in one unit"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        abut.find_pairs(centers, 0.01, period=(1e-6, None, 1.0))
    with pytest.raises(ValueError, match=r"^the cell is only 1e-300 wide along period\[1\]"):
        abut.find_pairs(np.zeros((2, 3)), 0.01, period=(None, 1e-300, 1.0))


def test_the_smallest_radius_of_pairs():
    assert len(abut.find_pairs([[0, 0, 0]], 1e-75)) == 0
    assert (
        len(abut.find_pairs([[0, 0, 0], [1.5e-75, 0, 0]], 1e-75, others=([[0, 0, 0]], 1e-75))) == 2
    )
    with pytest.raises(
        ValueError, match=r"radii\[0\] is 9.99e-76; radii of pairs must be at least"
    ):
        abut.find_pairs([[0, 0, 0]], 9.99e-76)


def test_sizes_of_others():
    """Errors say whether a size is a sphere's or an other's."""
    with pytest.raises(ValueError, match=r"others: radii\[0\] is 1e-80; radii of pairs must be"):
        abut.find_pairs([[0, 0, 0]], 1.0, others=([[0, 0, 0]], 1e-80))
    with pytest.raises(ValueError, match=r"others: sphere 0 has the diameter.* than levels\[0\]"):
        abut.find_pairs([[0, 0, 0]], 1.0, levels=[3.0], others=([[0, 0, 0]], 2.0))


@pytest.mark.parametrize(("keywords", "error", "message"), BAD_KEYWORDS)
def test_keywords(finder, keywords, error, message):
    def find(centers, radii):
        return finder.find(centers, radii, **keywords)

    assert_fails(find, error, message, CENTERS, RADII)
    assert len(finder.find(CENTERS, RADII)) == 2


def pose_with(*where_and_value):
    return changed(np.eye(4), *where_and_value)


BAD_POSES = [
    (
        [None, pose_with(0, 0, math.sqrt(1.1))],
        ValueError,
        "poses[1] is not rigid: its rotation times its transpose is off 1 by 0.1",
    ),
    ([pose_with(0, 1, 1e-4), None], ValueError, "poses[0] is not rigid: its rotation times its"),
    (np.zeros((2, 4, 4)), ValueError, "poses[0] is not rigid: its last row is [0. 0. 0. 0.]"),
    ([None, pose_with(2, 2, -1)], ValueError, "poses[1] is not rigid: it mirrors"),
    ([None, pose_with(0, 3, np.nan)], ValueError, "poses[1] has an entry that is not finite"),
    (
        [None, pose_with(1, 3, -1e80)],
        ValueError,
        "poses[1] moves by 1e+80, but may move by at most 1e75",
    ),
    ([None, np.eye(3)], ValueError, "poses[1] has shape (3, 3), but must be (4, 4)"),
    ([None], ValueError, "poses has 1 item, but there are 2 meshes"),
    (np.eye(4), ValueError, "poses has 1 item, but there are 2 meshes"),
    (np.eye(3), ValueError, "poses has shape (3, 3), but must be (2, 4, 4)"),
    ([np.eye(4), np.eye(3)], ValueError, "poses is ragged"),
    ([None, "b"], TypeError, "poses[1] is 'b', but must be real numbers"),
]


@pytest.mark.parametrize(("poses", "error", "message"), BAD_POSES)
def test_poses(poses, error, message):
    square = abut.Mesh(SQUARE, [[0, 1, 2, 3]])
    both = abut.ContactFinder([square, square])

    def find(centers, radii, given):
        return both.find(centers, radii, poses=given)

    assert_fails(find, error, message, CENTERS, RADII, poses)
    assert len(both.find(CENTERS, RADII)) == 2


def test_zhong_weights_of_a_pentagon():
    angles = np.arange(5) * 2 * np.pi / 5
    pentagon = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(5)])
    vertices = np.vstack([SQUARE, pentagon])
    mesh = abut.Mesh(vertices, [[0, 1, 2, 3], [4, 5, 6, 7, 8]])
    message = 'facet 1 of mesh 0 has 5 corners, but weights="zhong" is for 3 or 4'
    with pytest.raises(ValueError, match=message):
        abut.find_contacts(CENTERS, RADII, mesh, weights="zhong")


# ---- meshes --------------------------------------------------------------------------------------


def pentagram():
    angles = np.arange(5) * 4 * np.pi / 5
    return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(5)])


ARROW = [[0, 0, 0], [2, 0, 0], [0.5, 0.5, 0], [0, 2, 0]]
BENT = [[0, 0, 0], [1, 0, 0], [1, 1, 0.1], [0, 1, 0]]
LINE = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
FLAT_VTK = [3, 0, 1, 2, 3, 0, 2, 3]

BAD_MESHES = {
    "nan vertex": (changed(SQUARE, 3, 1, np.nan), [[0, 1, 2]], ValueError, "vertices[3, 1] is nan"),
    "infinite vertex": (
        changed(SQUARE, 0, 2, -np.inf),
        [[0, 1, 2]],
        ValueError,
        "vertices[0, 2] is -inf",
    ),
    "vertex too far": (
        changed(SQUARE, 1, 0, 1e80),
        [[0, 1, 2]],
        ValueError,
        "vertices[1, 0] is 1e+80; coordinates must lie within 1e75 of 0",
    ),
    "in the plane": (
        [[0, 0], [1, 0], [1, 1]],
        [[0, 1, 2]],
        ValueError,
        "vertices has shape (3, 2), but must be (n, 3): points in the plane need z = 0 as a third",
    ),
    "a path": ("drum.stl", None, TypeError, "vertices is 'drum.stl', but must be real numbers"),
    "index out of range": (
        SQUARE,
        [[0, 1, 2], [0, 2, 4]],
        ValueError,
        "facet 1 names vertex 4, but the mesh has 4 vertices",
    ),
    "negative index": (SQUARE, [[0, -1, 2]], ValueError, "facet 0 names vertex -1, but the mesh"),
    "huge index": (
        SQUARE,
        np.array([[0, 1, 2**64 - 1]], np.uint64),
        ValueError,
        "facets holds 18446744073709551615, but indices must be less than 2^63",
    ),
    "two corners": (
        SQUARE,
        [[0, 1, 2], [0, 1]],
        ValueError,
        "facet 1 has 2 corners, but needs at least 3",
    ),
    "repeated vertex": (
        SQUARE,
        [[0, 1, 2, 3], [0, 1, 2, 0]],
        ValueError,
        "facet 1 names vertex 0 twice",
    ),
    "not convex": (
        ARROW,
        [[0, 1, 2, 3]],
        ValueError,
        "facet 0 is not convex at its corner 2; split=True triangulates it",
    ),
    "pentagram": (
        pentagram(),
        [[0, 1, 2, 3, 4]],
        ValueError,
        "facet 0 crosses itself or winds around more than once",
    ),
    "not planar": (BENT, [[0, 1, 2, 3]], ValueError, "facet 0 is not planar: its corner"),
    "no area": (
        LINE,
        [[0, 1, 2]],
        ValueError,
        'facet 0 has no area; on_degenerate="drop" leaves such facets out',
    ),
    "bool facets": (SQUARE, np.ones((2, 3), bool), TypeError, "facets has dtype bool"),
    "float facets": (
        SQUARE,
        np.zeros((2, 3)),
        TypeError,
        "facets has dtype float64, but must be integers",
    ),
    "none": (SQUARE, None, TypeError, "facets is None, but must be integers"),
    "a number among lists": (
        SQUARE,
        [[0, 1, 2], 3],
        TypeError,
        "facets[1] is 3, but must be a sequence of vertex numbers",
    ),
    "flat VTK array": (
        SQUARE,
        np.array(FLAT_VTK),
        ValueError,
        "a flat VTK array, [3, a, b, c, 4, ...], is not read; use Mesh.from_any with the",
    ),
    "one facet": (SQUARE, [0, 1, 2], ValueError, "give one facet as [[a, b, c]]"),
    "padding": (
        SQUARE,
        [[0, 1, 2, 3], [0, 1, 2, -1]],
        ValueError,
        "facets[1] has a corner -1: padding is not read; give a list, [row[row >= 0] for row in",
    ),
    "tuple of two facets": (
        SQUARE,
        ([[0, 1, 2]], [[0, 2, 3]]),
        ValueError,
        "its indices have shape (1, 3), but must be one-dimensional: give two facets as a list",
    ),
    "offsets that descend": (
        SQUARE,
        ([0, 1, 2, 3], [0, 5, 4]),
        ValueError,
        "the offsets of facet 0 do not ascend from 0 to the number of indices",
    ),
    "offsets that end early": (
        SQUARE,
        ([0, 1, 2, 3], [0, 3]),
        ValueError,
        "the offsets end at 3, but there are 4 indices",
    ),
    "no offsets": (SQUARE, ([0, 1, 2], []), ValueError, "its offsets are empty: begin with 0"),
}


def build(vertices, facets, *more):
    # A tuple of facets was passed as separate arguments, so that its arrays are compared, too.
    return abut.Mesh(vertices, (facets, *more) if more else facets)


@pytest.mark.parametrize("name", BAD_MESHES)
def test_meshes(name):
    vertices, facets, error, message = BAD_MESHES[name]
    parts = facets if isinstance(facets, tuple) else (facets,)
    assert_fails(build, error, message, vertices, *parts)


BAD_MESH_KEYWORDS = [
    ({"noise": -1}, ValueError, "noise[0] is -1; noise must be at least 0 and at most 1e75"),
    ({"noise": [0, np.nan]}, ValueError, "noise[1] is nan"),
    ({"noise": np.inf}, ValueError, "noise[0] is inf"),
    ({"noise": [0, 0, 0]}, ValueError, "noise has 3 entries, but there are 2 facets"),
    ({"noise": [[0], [0]]}, ValueError, "noise has shape (2, 1), but must be a number or (2,)"),
    ({"noise": "0.1"}, TypeError, "noise is '0.1', but must be real numbers"),
    ({"noise": True}, TypeError, "noise has dtype bool"),
    ({"on_degenerate": "keep"}, ValueError, "on_degenerate is 'keep', but must be 'raise' or"),
    ({"on_degenerate": False}, TypeError, "on_degenerate is False, but must be 'raise' or 'drop'"),
    ({"scale": 2}, TypeError, "scale"),
]


@pytest.mark.parametrize(("keywords", "error", "message"), BAD_MESH_KEYWORDS)
def test_mesh_keywords(keywords, error, message):
    def make(vertices, facets):
        return abut.Mesh(vertices, facets, **keywords)

    assert_fails(make, error, message, np.array(SQUARE, float), np.array([[0, 1, 2], [0, 2, 3]]))


def test_facets_of_readers_are_named_as_in_their_file():
    facets = np.array([0, 1, 2, 0, 2, 9]), np.array([0, 3, 6])
    with pytest.raises(ValueError, match="facet 17 names vertex 9"):
        abut.Mesh._build(Facets(np.array(SQUARE, float), *facets, source=np.array([4, 17])))


@pytest.mark.parametrize("mesh", ["drum.stl", None, 3, SQUARE])
def test_no_mesh(mesh):
    with pytest.raises((TypeError, ValueError), match="mesh"):
        abut.find_contacts(CENTERS, RADII, mesh)


def test_sequences_that_hold_no_mesh():
    square = abut.Mesh(SQUARE, [[0, 1, 2, 3]])
    for meshes, error, message in (
        ([], ValueError, "the sequence of meshes is empty: give at least one"),
        ([square, "lid.stl"], TypeError, r"meshes\[1\]: a path is not a mesh: use abut.read_mesh"),
        (["drum.stl"], TypeError, r"meshes\[0\]: a path is not a mesh"),
        ([square, None], TypeError, r"meshes\[1\]: a mesh cannot be made of NoneType"),
        ((square, SQUARE), ValueError, r"meshes\[1\]: mesh has shape \(4, 3\)"),
        ([[square, 3]], TypeError, r"meshes\[0\]: mesh\[1\]: a mesh cannot be made of int"),
    ):
        with pytest.raises(error, match=message):
            abut.ContactFinder(meshes)


# ---- arguments in the wrong order ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda c, r, m: (m, c, r), TypeError, "centers is a Mesh"),
        (lambda c, r, m: (c, m, r), TypeError, "radii is a Mesh"),
        (lambda c, r, m: (m, c, 0.5), TypeError, "centers is a Mesh"),
        (lambda c, r, m: (c, m, 0.5), TypeError, "radii is a Mesh"),
        (lambda c, r, m: (c, [m], 0.5), TypeError, "mesh is a number"),
        (lambda c, r, m: (c, r, r), TypeError, "mesh is a list of numbers"),
        (lambda c, r, m: (c, r, 0.5), TypeError, "mesh is a number"),
        (lambda c, r, m: (r, c, m), ValueError, "radii has shape (3, 3), as centers have"),
    ],
)
def test_order_of_the_arguments(change, error, message):
    arguments = change(CENTERS, RADII, abut.Mesh(SQUARE, [[0, 1, 2, 3]]))
    message += ": the order is find_contacts(centers, radii, mesh)"
    assert_fails(abut.find_contacts, error, message, *arguments)


TETRAHEDRON = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize(
    "pair",
    [
        (SQUARE, [[0, 1, 2, 3]]),
        [np.array(SQUARE), np.array([[0, 1, 2]])],
        (SQUARE, [[0, 1, 2], [0, 1, 2, 3]]),
        # As many facets as vertices: this is not an array of the corners of two facets.
        (np.array(SQUARE, float), np.array(TETRAHEDRON)),
    ],
)
def test_vertices_and_facets_are_no_mesh_yet(pair):
    message = r"vertices and facets are not a mesh yet: use abut\.Mesh\(vertices, facets\)"
    for take in (abut.ContactFinder, abut.Mesh.from_any):
        with pytest.raises(TypeError, match=message):
            take(pair)
    with pytest.raises(TypeError, match=message):
        abut.find_contacts(CENTERS, RADII, pair)


# ---- nothing crashes -----------------------------------------------------------------------------

ODD = [
    0, -1, 2**31, 2**63 - 1, -(2**63), 1e308, 5e-324, np.nan, np.inf, True, None, "x", b"x", 1j,
    [], [[]], [[[]]], [[0, 0, 0]], [[0, 1, 2]], ([0, 1, 2], [0, 3]), ((), ()),
    {}, {0, 1, 2}, object(),
    np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((2, 3), np.float16), np.array("x"), np.array(None),
    range(3), iter([]), lambda: 0, np.zeros(3)[::-1], np.broadcast_to(1.0, (5, 3)),
]  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["vertices", "facets", "centers", "radii", "mesh", "meshes", "noise", "poses", "period"]
)
def test_odd_arguments_give_an_error_or_a_result(finder, kind):
    calls = {
        "vertices": lambda odd: abut.Mesh(odd, [[0, 1, 2]]),
        "facets": lambda odd: abut.Mesh(SQUARE, odd),
        "centers": lambda odd: finder.find(odd, 1.0),
        "radii": lambda odd: finder.find(CENTERS, odd),
        "mesh": lambda odd: abut.ContactFinder(odd),
        "meshes": lambda odd: abut.ContactFinder([finder.meshes[0], odd]),
        "noise": lambda odd: abut.Mesh(SQUARE, [[0, 1, 2]], noise=odd),
        "poses": lambda odd: finder.find(CENTERS, RADII, poses=odd),
        "period": lambda odd: finder.find(CENTERS, RADII, period=odd),
    }
    outcomes = [outcome(calls[kind], odd) for odd in ODD]
    assert "error" in outcomes and outcomes.count("error") > len(ODD) / 2


def outcome(call, odd):
    try:
        call(odd)
    except (TypeError, ValueError) as error:
        assert str(error)
        return "error"
    return "result"


def test_numbers_at_the_ends_of_their_range():
    """All combinations of tiny and huge coordinates, radii and gaps give no crash and no NaN."""
    sizes = (5e-324, 1e-200, 1e-75, 1.0, 1e74)
    for size, radius, gap in itertools.product(sizes, sizes, (0, *sizes)):
        vertices = np.array(SQUARE) * size
        try:
            mesh = abut.Mesh(vertices, [[0, 1, 2, 3]])
        except ValueError as error:
            assert size < 1e-100 and "has no area" in str(error)
            continue
        found = abut.find_contacts([[size / 2, size / 4, radius / 2]], radius, mesh, gap=gap)
        for column in (found.point, found.normal, found.overlap, found.weight):
            assert np.isfinite(column).all()
