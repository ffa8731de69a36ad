"""Input and output of one call; test_reference.py checks the results."""

import pickle
import threading

import numpy as np
import pytest

import abut

pytestmark = pytest.mark.native

COLUMNS = ("sphere", "facet", "type", "feature", "point", "normal", "overlap", "node", "weight")


@pytest.fixture(scope="module")
def roof():
    """Two squares that meet in a ridge along x, and a sphere's worth of room around."""
    vertices = [[0, 0, 0], [2, 0, 0], [2, 2, 1], [0, 2, 1], [2, 4, 0], [0, 4, 0]]
    return abut.Mesh(vertices, [[0, 1, 2, 3], [3, 2, 4, 5]])


@pytest.fixture(scope="module")
def spheres():
    rng = np.random.default_rng(3)
    return rng.uniform([-0.5, -0.5, 0], [2.5, 4.5, 1.5], (500, 3)), rng.uniform(0.1, 0.6, 500)


@pytest.fixture(scope="module")
def expected(roof, spheres):
    return abut.find_contacts(*spheres, roof)


def same_bytes(a, b):
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in COLUMNS)


def test_finder_finds_what_the_function_finds(roof, spheres, expected):
    finder = abut.ContactFinder(roof)
    assert finder.find(*spheres) == expected
    assert finder.meshes == (roof,) == expected.meshes
    assert repr(finder) == "ContactFinder(2 facets)"


# ---- arrays in -----------------------------------------------------------------------------------


def as_read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


class Subclass(np.ndarray):
    pass


FORMS = {
    "lists": lambda array: array.tolist(),
    "read-only": as_read_only,
    "strided": lambda array: np.repeat(array, 2, axis=0)[::2],
    "reversed": lambda array: array[::-1].copy()[::-1],
    "Fortran": np.asfortranarray,
    "big-endian": lambda array: array.astype(">f8"),
    "long double": lambda array: array.astype(np.longdouble),
    "subclass": lambda array: array.view(Subclass),
    "masked, without a mask": np.ma.masked_array,
    "unaligned": lambda array: (
        np.frombuffer(b"x" + array.tobytes(), np.uint8)[1:].view(np.float64).reshape(array.shape)
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_arrays(form, roof, spheres, expected):
    found = abut.find_contacts(*map(FORMS[form], spheres), roof)
    assert same_bytes(found, expected)
    assert type(found.point) is np.ndarray


def test_inputs_are_not_written(roof, spheres):
    centers, radii = (array.copy() for array in spheres)
    abut.find_contacts(centers, radii, roof, workers=2)
    assert centers.tobytes() == spheres[0].tobytes() and radii.tobytes() == spheres[1].tobytes()


@pytest.mark.parametrize("centers", [[], np.empty((0, 3)), np.empty((0, 3), int)])
@pytest.mark.parametrize("radii", [1.0, [], np.empty(0)])
def test_no_spheres(centers, radii, roof):
    found = abut.find_contacts(centers, radii, roof)
    assert len(found) == 0 and found.offsets.tolist() == [0] and found.node_offsets.tolist() == [0]


# ---- arrays out ----------------------------------------------------------------------------------


def test_columns_out(expected):
    m, k = len(expected), expected.node_offsets[-1]
    shapes = {"point": (m, 3), "normal": (m, 3), "image": (m, 3), "node": (k,), "weight": (k,)}
    floats = ("point", "normal", "overlap", "share", "weight")
    for name, column in expected.to_dict().items():
        if name not in ("offsets", "node_offsets"):
            assert column.shape == shapes.get(name, (m,)), name
            kind = np.float64 if name in floats else np.uint8 if name == "type" else np.intp
            assert column.dtype == kind, name
            assert column.flags.owndata and column.flags.writeable and column.flags.c_contiguous
    assert (expected.share == 1).all() and not expected.mesh.any() and not expected.image.any()


def test_rows_are_sorted(expected):
    assert (np.diff(expected.sphere) >= 0).all()
    same_sphere = np.diff(expected.sphere) == 0
    assert (np.diff(expected.overlap)[same_sphere] <= 0).all()
    assert (np.repeat(np.arange(500), expected.counts) == expected.sphere).all()


# ---- the finder ----------------------------------------------------------------------------------


def test_pickled_finder_of_several_meshes(roof, spheres):
    finder = abut.ContactFinder([roof, roof.scaled(2)])
    again = pickle.loads(pickle.dumps(finder))
    assert repr(again) == "ContactFinder(2 meshes, 4 facets)"
    assert again.find(*spheres) == finder.find(*spheres)


def test_forms_of_meshes(roof, spheres, expected):
    corners = roof.vertices[roof.indices.reshape(2, 4)]
    apart = list(corners[:, None])  # a mesh of one facet each, as (1, 4, 3) arrays
    one = [corners, corners.tolist(), list(corners), tuple(corners), [roof], (roof,), [corners]]
    for given in (*one, apart, [part.tolist() for part in apart]):
        found = abut.find_contacts(*spheres, given)
        assert found.point.tobytes() == expected.point.tobytes()
    assert len(abut.ContactFinder(apart).meshes) == 2
    assert len(abut.ContactFinder([corners[:1].tolist()]).meshes) == 1


def test_result_is_of_the_calling_thread(roof, spheres, expected):
    found = []
    thread = threading.Thread(target=lambda: found.append(abut.find_contacts(*spheres, roof)))
    thread.start()
    thread.join()
    assert found == [expected]


# With so many spheres a finder makes columns before it searches, for what its last query found.
MANY = 20_000

STEPS = {
    "the same": [1.0, 1.0, 1.0],
    "more": [0.2, 1.0],
    "far more nodes than room": [0.02, 1.0],
    "fewer": [1.0, 0.3],
    "none": [1.0, 0.0, 1.0],
}


@pytest.fixture(scope="module")
def crowd():
    rng = np.random.default_rng(5)
    return rng.uniform([-0.5, -0.5, 0], [2.5, 4.5, 1.5], (MANY, 3)), rng.uniform(0.1, 0.6, MANY)


def moved(crowd, part):
    """The first spheres stay where they are; the others are far away."""
    centers = crowd[0].copy()
    centers[int(part * MANY) :] += 100.0
    return centers, crowd[1]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("resolution", ["hierarchy", "sharing"])
def test_results_do_not_depend_on_the_query_before(step, workers, resolution, roof, crowd):
    finder = abut.ContactFinder([roof, roof])
    options = {"resolution": resolution, "period": (4.0, None, None), "workers": workers}
    for part in STEPS[step]:
        spheres = moved(crowd, part)
        found = finder.find(*spheres, **options)
        expected = abut.ContactFinder([roof, roof]).find(*spheres, **options)
        assert found == expected and same_bytes(found, expected)
        for name in (*COLUMNS, "mesh", "image", "share", "offsets", "node_offsets"):
            assert getattr(found, name).base is None


def test_a_query_that_fails_leaves_the_finder_as_it_was(roof, crowd):
    finder = abut.ContactFinder(roof)
    first = finder.find(*crowd)
    centers = crowd[0].copy()
    centers[MANY - 7, 1] = np.nan
    with pytest.raises(ValueError, match=f"centers\\[{MANY - 7}, 1\\]"):
        finder.find(centers, crowd[1])
    assert same_bytes(finder.find(*crowd), first)
