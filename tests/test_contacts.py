"""The table: selections, exports, copies, joins."""

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

ROWS = (
    "sphere",
    "facet",
    "type",
    "feature",
    "point",
    "normal",
    "overlap",
    "share",
    "mesh",
    "image",
)
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


def test_scene_has_contacts_of_every_type(contacts):
    assert (np.bincount(contacts.type, minlength=3) > 0).all()


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


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (3, TypeError, r"contacts\[i:i \+ 1\] is one row"),
        ("types", KeyError, "Contacts has no column 'types': there is 'type'"),
        (["type"], TypeError, "indices has dtype <U4, but must be integers"),
        ((slice(None), 0), TypeError, "selected by one index, but there are 2"),
        (None, TypeError, "not by None"),
        ([0.0, 1.0], TypeError, "indices has dtype float64"),
        ([2, 1], ValueError, r"columns take any order, as contacts\.overlap\[indices\]"),
        ([2, 2], ValueError, "indices of contacts must increase: their order stays, and each is"),
        ([[1, 2]], IndexError, r"the indices have shape \(1, 2\)"),
        ([0, 10**6], IndexError, "there is no contact 1000000"),
        ([-1], IndexError, "there is no contact -1"),
        ([True, False], IndexError, r"the mask has shape \(2,\), but must be"),
        (slice(None, None, -1), ValueError, r"positive step: .* as contacts\.overlap\[::-1\]"),
    ],
)
def test_what_selects_no_rows(contacts, rows, error, message):
    with pytest.raises(error, match=message):
        contacts[rows]


@pytest.mark.parametrize(
    ("i", "error", "message"),
    [
        (N, IndexError, f"there is no sphere {N}: there are {N} spheres, from 0"),
        (-1, IndexError, "there is no sphere -1"),
        (1.0, TypeError, "i is 1.0, but must be an integer"),
        (True, TypeError, "i is True, but must be an integer"),
    ],
)
def test_spheres_that_there_are_not(contacts, i, error, message):
    with pytest.raises(error, match=message):
        contacts.of(i)


# ---- what does not change ------------------------------------------------------------------------


def test_entries_are_the_callers_to_change(contacts, mesh, spheres):
    contacts.overlap[:] *= 2
    assert contacts.overlap.tolist() == (abut.find_contacts(*spheres, mesh).overlap * 2).tolist()


# ---- columns whose entries are all the same ------------------------------------------------------


SAME = {"mesh": 0, "share": 1.0, "image": 0}


def made(contacts):
    """Which of them are there."""
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


@pytest.mark.parametrize("name", SAME)
def test_same_columns_that_were_changed_go_along(contacts, name, mesh, spheres):
    other = abut.find_contacts(*spheres, mesh)
    getattr(contacts, name)[4] = 2
    assert contacts != other and other != contacts
    copies = copy.copy(contacts), copy.deepcopy(contacts), pickle.loads(pickle.dumps(contacts))
    for table in (*copies, contacts[:], abut.concatenate([contacts[:5], other[5:]])[:]):
        assert (getattr(table, name)[4] == 2).all()
    assert (abut.concatenate([other, contacts]).to_dict()[name][len(other) + 4] == 2).all()


def test_same_columns_of_a_shallow_copy_are_the_same(contacts):
    shallow = copy.copy(contacts)
    assert all(getattr(shallow, name) is getattr(contacts, name) for name in SAME)


def test_same_columns_as_dataclass_fields(contacts):
    fields = dataclasses.asdict(contacts)
    assert (fields["share"] == 1).all() and fields["image"].shape == (len(contacts), 3)
    again = dataclasses.replace(contacts, share=contacts.share / 2)
    assert (again.share == 0.5).all() and (contacts.share == 1).all()


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


def test_searches_that_need_the_columns_have_them(mesh, spheres):
    finder = abut.ContactFinder([mesh, mesh])
    assert made(finder.find(*spheres)) == ["mesh"]
    assert made(finder.find(*spheres, resolution="sharing")) == ["mesh", "share"]
    assert made(finder.find(*spheres, period=(None, 9, None))) == ["mesh", "image"]
    assert made(finder.find(*spheres, period=(None, None, None))) == ["mesh"]
    assert set(finder.find(*spheres, resolution="all").mesh) == {0, 1}


# ---- comparison, copies, pickles -----------------------------------------------------------------


def test_equality_counts_spheres(contacts, mesh, spheres):
    far = np.vstack([spheres[0], [[9, 9, 9]]]), np.append(spheres[1], 1)
    assert abut.find_contacts(*far, mesh) != contacts


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


def test_to_dict(contacts):
    columns = contacts.to_dict()
    assert tuple(columns) == (*ROWS, "node", "weight", "offsets", "node_offsets")
    assert all(columns[name] is getattr(contacts, name) for name in columns)


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
    with pytest.raises(ValueError, match="do not know their mesh"):
        pickle.loads(pickle.dumps(contacts)).weight_matrix()


def test_to_pandas(contacts):
    pytest.importorskip("pandas")
    table = contacts.to_pandas()
    assert len(table) == len(contacts)
    assert list(table)[:7] == [
        "sphere", "facet", "type", "feature", "point_x", "point_y", "point_z",
    ]  # fmt: skip
    assert (table["normal_y"].to_numpy() == contacts.normal[:, 1]).all()
    assert table["type"].dtype == np.uint8
    assert len(contacts[:0].to_pandas()) == 0


def test_to_pyvista(pyvista, contacts):
    cloud = contacts.to_pyvista()
    assert (np.asarray(cloud.points) == contacts.point).all()
    assert (np.asarray(cloud["normal"]) == contacts.normal).all()
    cloud["overlap"][:] = 9
    assert contacts.overlap.max() < 1
    assert contacts[:0].to_pyvista().n_points == 0


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


def test_sum_of_none(contacts):
    assert contacts[:0].sum([]).tolist() == [0.0] * N
    assert contacts[:0].sum(np.empty((0, 2))).tolist() == [[0.0, 0.0]] * N
    assert abut.find_contacts(np.empty((0, 3)), 1.0, contacts.meshes).sum([]).tolist() == []


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


def test_concatenate_selections(contacts):
    joined = abut.concatenate([contacts[:4], contacts[4:9]])
    assert joined.sphere.tolist() == [*contacts.sphere[:4], *(contacts.sphere[4:9] + N)]
    assert len(joined.counts) == 2 * N


def test_concatenate_knows_meshes_if_all_do(contacts):
    unknown = pickle.loads(pickle.dumps(contacts))
    assert abut.concatenate([unknown, unknown]).meshes is None
    assert abut.concatenate([unknown, contacts]).meshes is None


def test_concatenate_refuses_different_meshes(contacts, spheres, mesh):
    other = abut.find_contacts(*spheres, mesh.scaled(2))
    with pytest.raises(ValueError, match="of different meshes"):
        abut.concatenate([contacts, other])


def test_concatenate_refuses_what_is_no_contacts(contacts):
    with pytest.raises(ValueError, match="no contacts to concatenate"):
        abut.concatenate([])
    with pytest.raises(TypeError, match=r"tables\[1\] is no Contacts, but SimpleNamespace"):
        abut.concatenate([contacts, SimpleNamespace()])
    with pytest.raises(TypeError, match=r"tables\[0\] is neither Contacts nor Pairs, but list"):
        abut.concatenate([[], contacts])
    with pytest.raises(TypeError, match=r"tables\[1\] is no Contacts, but Pairs"):
        abut.concatenate([contacts, abut.find_pairs([[0, 0, 0]], 1.0)])
