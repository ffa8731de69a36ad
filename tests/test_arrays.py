"""Arrays of other libraries, as arguments: what comes in is what NumPy's would be."""

import numpy as np
import pytest

import abut
from abut.base import checks

pytestmark = pytest.mark.native

CENTERS = np.array([[0.25, 0.25, 0.5], [0.5, 0.125, -0.25], [9, 9, 9]])
RADII = np.array([1.0, 0.5, 0.25])
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
FACETS = np.array([[0, 1, 2]])
MESH = abut.Mesh(CORNERS, FACETS)
EXPECTED = abut.find_contacts(CENTERS, RADII, MESH)
XYZ = list("xyz")


class Exchanged:
    """An array that has nothing but DLPack, as those of some extensions do."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Convertible:
    """An array that has nothing but to_numpy."""

    def __init__(self, array):
        self._array = array

    def to_numpy(self):
        return self._array


def exchanged(array):
    return Exchanged(np.array(array))


def jax(array):
    return pytest.importorskip("jax.numpy").asarray(array)


def strict(array):
    return pytest.importorskip("array_api_strict").asarray(array)


def torch(array):
    return pytest.importorskip("torch").asarray(array)


def columns(array):
    array = np.asarray(array)
    return {name: array[:, k] for k, name in enumerate(XYZ)} if array.ndim == 2 else array


def pandas(array, kind):
    library = pytest.importorskip("pandas")
    if kind == "pyarrow":
        pytest.importorskip("pyarrow")
    of = library.DataFrame if np.ndim(array) == 2 else library.Series
    return of(columns(array)).convert_dtypes(dtype_backend=kind)


def arrow_backed(array):
    return pandas(array, "pyarrow")


def nullable(array):
    return pandas(array, "numpy_nullable")


def index(array):
    library = pytest.importorskip("pandas")
    return library.Index(nullable(array)) if np.ndim(array) == 1 else nullable(array)


def polars(array):
    library = pytest.importorskip("polars")
    return (library.DataFrame if np.ndim(array) == 2 else library.Series)(columns(array))


def pyarrow(array):
    library = pytest.importorskip("pyarrow")
    return library.table(columns(array)) if np.ndim(array) == 2 else library.array(array)


KINDS = [
    exchanged, Convertible, jax, strict, torch, arrow_backed, nullable, index, polars, pyarrow,
]  # fmt: skip
kinds = pytest.mark.parametrize("given", KINDS, ids=lambda kind: kind.__name__)


@kinds
def test_spheres(given):
    assert abut.find_contacts(given(CENTERS), given(RADII), MESH) == EXPECTED
    ours = abut.find_pairs(CENTERS, RADII)
    assert abut.find_pairs(given(CENTERS), given(RADII)) == ours
    single = abut.find_contacts(CENTERS.astype(np.float32), RADII.astype(np.float32), MESH)
    assert single == EXPECTED


@kinds
def test_meshes(given):
    assert abut.find_contacts(CENTERS, RADII, abut.Mesh(given(CORNERS), given(FACETS))) == EXPECTED


@kinds
def test_ids_masks_and_values(given):
    before = EXPECTED
    ids = np.array([4, 7, 5])
    assert EXPECTED.match(before, given(ids), given(ids)).tolist() == [0, 1]
    assert EXPECTED[given(np.array([0, 1]))] == EXPECTED
    assert EXPECTED.sum(given(EXPECTED.overlap)).tolist() == [*EXPECTED.overlap, 0]


@pytest.mark.parametrize("given", [jax, strict, arrow_backed, nullable, polars, pyarrow])
def test_masks(given):
    mask = EXPECTED.overlap > 0.3
    assert 0 < mask.sum() < len(mask) and EXPECTED[given(mask)] == EXPECTED[mask]


@pytest.mark.parametrize("given", [exchanged, jax, strict, torch])
def test_poses(given):
    pose = np.eye(4)
    pose[2, 3] = 0.125
    finder = abut.ContactFinder(MESH)
    assert finder.find(CENTERS, RADII, poses=given(pose)) == finder.find(CENTERS, RADII, poses=pose)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_any_layout(order, dtype):
    array = np.arange(12).reshape(4, 3).astype(dtype, order=order)
    for one in (array, array[::-2], array.T):
        found = checks.doubles(Exchanged(one), "values")
        assert found.flags.c_contiguous and np.array_equal(found, one)


def test_the_callers_array_is_not_written():
    centers = CENTERS.copy()
    sim = abut.Simulation(step=1e-5)
    sim.add_spheres(Exchanged(centers), 0.1, abut.Material(density=1.0))
    sim.centers = Exchanged(centers)
    sim.run(steps=1)
    assert centers.tobytes() == CENTERS.tobytes()


def test_frames_of_columns_of_several_dtypes():
    library = pytest.importorskip("pandas")
    frame = library.DataFrame({"x": [1.5, 2.5], "y": [1, 2], "z": [0.5, 1]})
    expected = frame.to_numpy()
    mixed = frame.astype({"x": "Float64", "y": "Int32"})
    assert checks.doubles(mixed, "centers").tolist() == expected.tolist()
    for name, dtype in (("x", str), ("y", bool)):
        with pytest.raises(TypeError, match="centers has dtype object, but must be real numbers"):
            checks.doubles(mixed.astype({name: dtype}), "centers")


# ---- what misses values --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "double[pyarrow]", "int64[pyarrow]"])
def test_missing_values_of_pandas(dtype):
    library = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    series = library.Series([1, None, 1], dtype=dtype)
    with pytest.raises(TypeError, match="ids has missing values, but must be integers"):
        EXPECTED.match(EXPECTED, series, [1, 2, 3])
    with pytest.raises(ValueError, match=r"radii\[1\] is nan"):
        abut.find_contacts(CENTERS, series, MESH)
    frame = library.DataFrame(dict.fromkeys(XYZ, series))
    with pytest.raises(TypeError, match="centers has missing values, but must be real numbers"):
        abut.find_contacts(frame, RADII, MESH)


def test_missing_values_of_polars():
    library = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="ids has missing values, but must be integers"):
        EXPECTED.match(EXPECTED, library.Series([1, None, 2]), [1, 2, 3])
    with pytest.raises(ValueError, match=r"radii\[1\] is nan"):
        abut.find_contacts(CENTERS, library.Series([1.0, None, 2.0]), MESH)
    with pytest.raises(TypeError, match="indices has missing values"):
        EXPECTED[library.Series([True, None])]


def test_missing_values_of_pyarrow():
    library = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match="ids has missing values, but must be integers"):
        EXPECTED.match(EXPECTED, library.array([1, None, 2]), [1, 2, 3])


def test_lists_and_masks_of_pyarrow():
    library = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match="centers has dtype object, but must be real numbers"):
        abut.find_contacts(library.array(CENTERS.tolist()), RADII, MESH)
    with pytest.raises(TypeError, match="indices has missing values, but must be integers"):
        EXPECTED[library.array([True, None])]


# ---- what is no array of numbers here ------------------------------------------------------------


class OnDevice:
    """An array of cupy, as far as NumPy sees it: __array__ refuses."""

    @property
    def __cuda_array_interface__(self):
        return {"shape": (3,), "typestr": "<f8", "data": (0, True), "version": 3}

    def get(self):
        return RADII

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


def test_arrays_of_cupy():
    cupy = pytest.importorskip("cupy")
    try:
        radii = cupy.asarray(RADII)
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("there is no GPU")
    with pytest.raises(TypeError, match=r"radii is in the memory of a GPU: give radii\.get\(\)"):
        abut.find_contacts(CENTERS, radii, MESH)
    assert abut.find_contacts(CENTERS, radii.get(), MESH) == EXPECTED


def test_tensors_with_a_gradient():
    library = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"^radii: .*detach\(\)"):
        abut.find_contacts(CENTERS, library.tensor(RADII, requires_grad=True), MESH)


def test_strings_in_columns():
    library = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for dtype in ("string[pyarrow]", object, "string"):
        with pytest.raises(TypeError, match=r"radii has dtype .*, but must be real numbers"):
            abut.find_contacts(CENTERS, library.Series(["1", "2", "3"], dtype=dtype), MESH)
        with pytest.raises(TypeError, match=r"radii has dtype .*, but must be real numbers"):
            abut.find_contacts(CENTERS, library.Index(["1", "2", "3"], dtype=dtype), MESH)


@pytest.mark.parametrize("kind", [Exchanged, Convertible, np.ndarray, abut.Mesh, OnDevice])
def test_classes_are_no_arrays(kind):
    with pytest.raises(TypeError, match=r"radii is a type|radii has dtype"):
        abut.find_contacts(CENTERS, kind, MESH)


def test_numpys_own_arrays_are_taken_as_they_are():
    assert checks.doubles(CENTERS, "centers") is CENTERS
    assert checks.indices(FACETS, "facets") is FACETS
    assert np.shares_memory(checks.doubles(Exchanged(CENTERS), "centers"), CENTERS)
    masked = np.ma.MaskedArray(RADII, [False, True, False])
    with pytest.raises(TypeError, match="radii has masked entries"):
        abut.find_contacts(CENTERS, masked, MESH)
