"""The table of contacts: selections, exports, copies, joins."""

import copy
import dataclasses
import pickle
import threading
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import abut
import scenes

pytestmark = pytest.mark.native

N = 200


@pytest.fixture(scope="module")
def mesh():
    return abut.Mesh(*scenes.unit_cube())


@pytest.fixture(scope="module")
def spheres():
    rng = np.random.default_rng(5)
    return rng.uniform(-0.5, 1.5, (N, 3)), rng.uniform(0.1, 0.5, N)


@pytest.fixture
def contacts(mesh, spheres):
    return abut.find_contacts(*spheres, mesh)


# ---- selections ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("points", "point"),
        ("normals", "normal"),
        ("overlaps", "overlap"),
        ("weights", "weight"),
        ("nodes", "node"),
        ("depth", "overlap"),
        ("penetration", "overlap"),
        ("faces", "facet"),
        ("to_panda", "to_pandas"),
    ],
)
def test_a_wrong_name_leads_to_the_right_one(contacts, name, there):
    with pytest.raises(AttributeError, match=f"^Contacts has no '{name}': there is '{there}'$"):
        getattr(contacts, name)
    assert not hasattr(contacts, name)


def test_a_name_that_is_like_no_column_shows_them_all(contacts):
    with pytest.raises(
        AttributeError, match=r"no 'energy'; its columns are sphere, facet, .*offsets"
    ):
        contacts.energy  # noqa: B018


def test_one_is_no_plural():
    mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    found = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
    assert repr(found) == "Contacts(1 of 1 sphere: 1 facet, 0 edge, 0 vertex)"
    assert repr(mesh) == "Mesh(1 facet, 3 vertices)"
    with pytest.raises(IndexError, match="there is no sphere 1: there is 1 sphere, from 0"):
        found.of(1)
    with pytest.raises(IndexError, match="there is no contact 7: there is 1 contact, from 0"):
        found[[7]]
    with pytest.raises(IndexError, match="there is no mesh 1: there is 1 mesh, from 0"):
        found.weight_matrix(1)


# ---- columns with equal entries ------------------------------------------------------------------


SAME = {"mesh": 0, "share": 1.0, "image": 0}


def made(contacts):
    """Return the columns that exist as arrays."""
    return [name for name in SAME if name in vars(contacts)]


@pytest.mark.parametrize("name", SAME)
def test_same_columns_are_made_when_they_are_asked_for(contacts, name):
    assert made(contacts) == []
    column = getattr(contacts, name)
    assert made(contacts) == [name]
    assert getattr(contacts, name) is column and (column == SAME[name]).all()
    assert column.dtype == (float if name == "share" else np.intp)
    assert column.shape == ((len(contacts), 3) if name == "image" else (len(contacts),))
    column[3] = 5
    assert (getattr(contacts, name)[3] == 5).all() and column.flags.owndata


def test_same_columns_are_not_made_in_vain(contacts, mesh, spheres):
    other = abut.find_contacts(*spheres, mesh)
    assert contacts == other and contacts != other[1:]
    copies = copy.deepcopy(contacts), pickle.loads(pickle.dumps(contacts))
    derived = *copies, contacts[2:9], contacts.of(3), abut.concatenate([contacts, other])
    for table in (contacts, other, *derived):
        assert made(table) == []
        assert (table.share == 1).all() and len(table.image) == len(table)


def test_same_column_of_many_threads_is_one(contacts):
    start = threading.Barrier(4)

    def ask():
        start.wait()
        columns.append(contacts.share)

    columns = []
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(column is contacts.share for column in columns) and len(columns) == 4


# ---- comparison, copies, pickles -----------------------------------------------------------------


def test_pickle_leaves_the_meshes_out(contacts):
    again = pickle.loads(pickle.dumps(contacts))
    assert again == contacts and again.meshes is None
    assert not again.offsets.flags.writeable
    assert len(pickle.dumps(contacts[:0])) < 10_000


# ---- views ---------------------------------------------------------------------------------------


def test_repr(contacts):
    facet, edge, vertex = np.bincount(contacts.type)
    expected = f"{len(contacts)} of {N} spheres: {facet} facet, {edge} edge, {vertex} vertex"
    assert repr(contacts) == f"Contacts({expected})"


# ---- exports -------------------------------------------------------------------------------------


def test_weight_matrix_of_a_selection(contacts):
    pytest.importorskip("scipy")
    mask = contacts.type == abut.FACET
    expected = contacts.weight_matrix().toarray()[mask]
    assert (contacts[mask].weight_matrix().toarray() == expected).all()
    assert contacts[:0].weight_matrix().shape == (0, 8)


def test_weight_matrix_is_a_copy(contacts):
    pytest.importorskip("scipy")
    before = copy.deepcopy(contacts)
    matrix = contacts.weight_matrix()
    matrix.sort_indices()
    matrix.data[:] = 5
    assert contacts == before


def test_weight_matrix_needs_the_mesh(contacts):
    pytest.importorskip("scipy")
    with pytest.raises(ValueError, match="the contacts have no mesh"):
        pickle.loads(pickle.dumps(contacts)).weight_matrix()


# ---- sums ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (3,), (6,), (0,)])
def test_sum(contacts, shape):
    values = np.random.default_rng(3).normal(size=(len(contacts), *shape))
    expected = np.zeros((N, *shape))
    np.add.at(expected, contacts.sphere, values)
    found = contacts.sum(values)
    assert found.shape == expected.shape and found.tobytes() == expected.tobytes()
    assert contacts[::2].sum(values[::2]).shape == expected.shape
    whole = np.arange(values.size).reshape(values.shape)
    assert contacts.sum(whole).tolist() == contacts.sum(whole.astype(float)).tolist()


def test_sum_refuses_other_shapes(contacts):
    count = len(contacts)
    for values in (1.0, np.ones(count - 1), np.ones((3, count)), np.ones((count, 3, 3))):
        message = rf"values has shape \(.*\), but must be \({count},\) or \({count}, k\)"
        with pytest.raises(ValueError, match=message):
            contacts.sum(values)
    with pytest.raises(TypeError, match="values has dtype complex128"):
        contacts.sum(np.ones(count, complex))


def test_sum_refuses_what_is_no_sphere(contacts):
    ones = np.ones(len(contacts))
    for number in (-1, N):
        changed = copy.deepcopy(contacts)
        changed.sphere[2] = number
        with pytest.raises(ValueError, match=rf"sphere\[2\] is {number}, but must be 0 to {N - 1}"):
            changed.sum(ones)
    fewer = dataclasses.replace(contacts, sphere=contacts.sphere[1:])
    with pytest.raises(ValueError, match=r"sphere has .* rows, but overlap has"):
        fewer.sum(ones)


# ---- joins ---------------------------------------------------------------------------------------


def test_concatenate_is_one_search(contacts, mesh, spheres):
    finder = abut.ContactFinder(mesh)
    cuts = (0, 1, 1, 90, 120, N)
    chunks = [finder.find(spheres[0][a:b], spheres[1][a:b]) for a, b in pairwise(cuts)]
    joined = abut.concatenate(iter(chunks))
    assert joined == contacts
    assert joined.meshes == (mesh,)
    assert not joined.offsets.flags.writeable


def test_concatenate_knows_meshes_if_all_do(contacts):
    unknown = pickle.loads(pickle.dumps(contacts))
    assert abut.concatenate([unknown, unknown]).meshes is None
    assert abut.concatenate([unknown, contacts]).meshes is None


def test_concatenate_refuses_different_meshes(contacts, spheres, mesh):
    other = abut.find_contacts(*spheres, mesh.scaled(2))
    with pytest.raises(ValueError, match="have different meshes"):
        abut.concatenate([contacts, other])


def test_concatenate_refuses_what_is_no_contacts(contacts):
    with pytest.raises(ValueError, match="no tables to concatenate"):
        abut.concatenate([])
    with pytest.raises(TypeError, match=r"tables\[1\] is SimpleNamespace, but must be C"):
        abut.concatenate([contacts, SimpleNamespace()])
    with pytest.raises(TypeError, match=r"tables\[0\] is neither Contacts nor Pairs, but list"):
        abut.concatenate([[], contacts])
    with pytest.raises(TypeError, match=r"tables\[1\] is Pairs, but must be Contacts"):
        abut.concatenate([contacts, abut.find_pairs([[0, 0, 0]], 1.0)])
