"""Maps on the mesh: what the contacts of each facet and vertex come to."""

import copy
import warnings

import numpy as np
import pytest

import abut
import scenes

REDUCED = {"sum": np.sum, "max": np.max, "mean": np.mean}


@pytest.fixture(scope="module")
def meshes():
    vertices, facets = scenes.unit_cube()
    return [abut.Mesh(vertices, facets), abut.Mesh(vertices * 0.5 + 0.75, facets)]


@pytest.fixture
def contacts(meshes):
    rng = np.random.default_rng(7)
    # nowhere near three of the first mesh's facets
    centers, radii = rng.uniform(0.3, 1.5, (200, 3)), rng.uniform(0.05, 0.2, 200)
    found = abut.find_contacts(centers, radii, meshes)
    assert (np.bincount(found.type, minlength=3) > 0).all() and found.mesh.any()
    return found


@pytest.fixture
def values(contacts):
    return np.random.default_rng(8).normal(size=(len(contacts), 3))


def reference(contacts, values, how, number, count):
    found = np.full((count, *values.shape[1:]), 0.0 if how == "sum" else np.nan)
    for facet in range(count):
        rows = values[(contacts.mesh == number) & (contacts.facet == facet)]
        if len(rows):
            found[facet] = REDUCED[how](rows, axis=0)
    return found


@pytest.mark.parametrize("how", REDUCED)
@pytest.mark.parametrize("number", [0, 1])
def test_per_facet(contacts, meshes, values, how, number):
    count = len(meshes[number])
    for given in (values, values[:, 0], values[:, :0]):
        expected = reference(contacts, given, how, number, count)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = contacts.per_facet(given, how, number)
        assert found.shape == expected.shape and found.dtype == np.float64
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


def test_nan_and_infinity_stay(contacts, values):
    values[:, 0] = np.nan
    values[:, 1] = -np.inf
    touched = np.unique(contacts.facet[contacts.mesh == 0])
    for how in REDUCED:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = contacts.per_facet(values, how)[touched]
        assert np.isnan(found[:, 0]).all() and (found[:, 1] == -np.inf).all()


@pytest.mark.parametrize("number", [0, 1])
def test_per_vertex_is_the_weight_matrix(contacts, meshes, values, number):
    pytest.importorskip("scipy")
    matrix = contacts.weight_matrix(number)
    for given in (values, values[:, 0]):
        expected = matrix.T @ given
        found = contacts.per_vertex(given, number)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)
    on_mesh = values[contacts.mesh == number].sum(axis=0)
    np.testing.assert_allclose(contacts.per_vertex(values, number).sum(axis=0), on_mesh, rtol=1e-12)


def test_stress(contacts, meshes, values):
    pressing = np.einsum("ij,ij->i", values, contacts.normal)
    for number, mesh in enumerate(meshes):
        expected = reference(contacts, pressing, "sum", number, len(mesh)) / mesh.areas
        np.testing.assert_allclose(contacts.stress(values, number), expected, rtol=1e-12)


@pytest.mark.parametrize("turned", [False, True])
def test_what_presses_on_either_side_is_positive(turned):
    corners = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]]
    floor = abut.Mesh(corners[::-1] if turned else corners, [[0, 1, 2, 3]])
    contacts = abut.find_contacts([[1, 1, 0.5], [1, 1, -0.5]], 1.0, floor)
    forces = 8 * contacts.normal + [3, 4, 0]
    assert contacts.stress(forces).tolist() == [4.0]
    assert contacts[:1].stress(forces[:1]).tolist() == [2.0]
    assert contacts.stress(-forces).tolist() == [-4.0]
    assert contacts.per_facet(-forces).tolist() == [[-6.0, -8.0, 0.0]]


def test_stress_in_poses(meshes):
    cube = meshes[0]
    quarter = np.array([[0, -1, 0, 5], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    centers = np.random.default_rng(2).uniform(0, 1, (30, 3))
    finder = abut.ContactFinder(cube)
    there = finder.find(centers, 0.2)
    turned = finder.find(centers @ quarter[:3, :3].T + quarter[:3, 3], 0.2, poses=quarter)
    stress = (one.stress(one.overlap[:, None] * one.normal) for one in (there, turned))
    np.testing.assert_allclose(*stress, rtol=1e-12, atol=1e-14)


def test_no_contacts(contacts, meshes):
    none, count = contacts[:0], len(meshes[0])
    assert none.per_facet([]).tolist() == [0.0] * count
    assert none.per_facet(np.empty((0, 3))).shape == (count, 3)
    assert np.isnan(none.per_facet([], "max")).all() and np.isnan(none.per_facet([], "mean")).all()
    assert none.per_vertex([]).dtype == np.float64 and not none.per_vertex([]).any()
    assert none.stress(np.empty((0, 3))).tolist() == [0.0] * count


@pytest.mark.parametrize("method", ["per_facet", "per_vertex", "stress"])
def test_the_mesh_must_be_known(contacts, values, tmp_path, method):
    with pytest.raises(IndexError, match="there is no mesh 2: there are 2 meshes, from 0"):
        getattr(contacts, method)(values, mesh=2)
    with pytest.raises(IndexError, match="there is no mesh -1"):
        getattr(contacts, method)(values, mesh=-1)
    with pytest.raises(TypeError, match=r"mesh is 1\.0, but must be an integer"):
        getattr(contacts, method)(values, mesh=1.0)
    contacts.save(tmp_path / "contacts.npz")
    loaded = abut.load_contacts(tmp_path / "contacts.npz")
    with pytest.raises(ValueError, match="the contacts have no mesh"):
        getattr(loaded, method)(values)
    with_meshes = abut.load_contacts(tmp_path / "contacts.npz", contacts.meshes)
    expected = getattr(contacts, method)(values)
    assert (getattr(with_meshes, method)(values) == expected).all()


def test_what_is_no_map(contacts, values):
    count = len(contacts)
    for method in (contacts.per_facet, contacts.per_vertex):
        with pytest.raises(ValueError, match=rf"values has shape \(3,\), but must be \({count},\)"):
            method([1, 2, 3])
        with pytest.raises(TypeError, match="values is None, but must be real numbers"):
            method(None)
    with pytest.raises(ValueError, match="how is 'min', but must be 'sum' or 'max' or 'mean'"):
        contacts.per_facet(values, "min")
    with pytest.raises(ValueError, match=rf"forces has 2 rows, but there are {count} contacts"):
        contacts.stress(values[:2])
    with pytest.raises(ValueError, match=r"forces has shape .*, but must be \(n, 3\)"):
        contacts.stress(values[:, 0])
    changed = copy.deepcopy(contacts)
    changed.facet[4], changed.mesh[4] = 77, 0
    with pytest.raises(ValueError, match=r"facet\[4\] is 77, but must be 0 to 5"):
        changed.per_facet(values)
    changed.node[0], changed.mesh[0] = -1, 0
    with pytest.raises(ValueError, match=r"node\[0\] is -1, but must be 0 to"):
        changed.per_vertex(values)
