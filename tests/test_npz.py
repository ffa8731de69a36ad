"""Contacts in npz files, without loss."""

import numpy as np
import pytest

import abut
from abut.io import save_table

pytestmark = pytest.mark.native

VERTICES = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0], [2, 1, 0]]
# as differences of 64 bits these ascend from 0, and to any number
FALLING = [2**62, -(2**63), -1]

OFFSETS = abut.Contacts._offset_columns
COLUMNS = abut.Contacts._public_columns()


@pytest.fixture(scope="module")
def mesh():
    return abut.Mesh(VERTICES, [[0, 1, 2, 3], [1, 4, 2], [4, 5, 2]])


@pytest.fixture(scope="module")
def contacts(mesh):
    centers = [[0.5, 0.5, 0.1], [9, 9, 9], [1.8, 0.9, -0.1], [-0.1, 0.5, 0], [2.1, 1.1, 0.1]]
    found = abut.find_contacts(centers, 0.3, mesh, resolution="all")
    assert set(found.type) == {abut.FACET, abut.EDGE, abut.VERTEX}
    return found


@pytest.fixture
def path(contacts, tmp_path):
    contacts.save(tmp_path / "contacts.npz")
    return tmp_path / "contacts.npz"


def arrays_of(path):
    with np.load(path) as file:
        return dict(file)


# ---- round trip ----------------------------------------------------------------------------------


def test_every_column_comes_back(contacts, path):
    found = abut.load_contacts(path)
    assert found == contacts
    assert found.meshes is None
    for name in COLUMNS:
        column, expected = getattr(found, name), getattr(contacts, name)
        assert column.dtype == expected.dtype
        assert column.tobytes() == expected.tobytes()
        assert column.flags.writeable == (name not in OFFSETS)


def test_meshes_are_told(contacts, path, mesh):
    found = abut.load_contacts(path, mesh)
    assert found.meshes == (mesh,)
    assert abut.load_contacts(path, [mesh]).meshes == (mesh,)
    expected = contacts.weight_matrix().toarray()
    np.testing.assert_array_equal(found.weight_matrix().toarray(), expected)


@pytest.mark.parametrize("rows", [slice(0, 0), slice(1, 3), [0, 2]])
def test_selections(contacts, tmp_path, rows):
    contacts[rows].save(tmp_path / "part.npz")
    found = abut.load_contacts(tmp_path / "part.npz")
    assert found == contacts[rows]
    assert len(found.offsets) == len(contacts.offsets)


def test_keys_that_are_not_known_are_passed_over(contacts, path):
    odd = np.array([{"an": "object"}], object)
    np.savez(path, **arrays_of(path), color=np.zeros(3), odd=odd)
    assert abut.load_contacts(path) == contacts


def test_more_columns(contacts, tmp_path):
    frames = np.arange(len(contacts))
    save_table(contacts, tmp_path / "more.npz", {"frame": frames})
    assert arrays_of(tmp_path / "more.npz")["frame"].tolist() == frames.tolist()
    assert abut.load_contacts(tmp_path / "more.npz") == contacts


@pytest.mark.parametrize(("name", "length"), [("frame", 1), ("facet", None), ("counts", None)])
def test_more_columns_that_do_not_fit(contacts, tmp_path, name, length):
    column = np.zeros(length or len(contacts))
    with pytest.raises(ValueError, match=f"extra column {name}"):
        save_table(contacts, tmp_path / "more.npz", {name: column})
    assert not (tmp_path / "more.npz").exists()


def test_other_types_of_the_same_kind(contacts, path):
    # as they come from a machine with other integers, or of the other byte order
    arrays = arrays_of(path)
    for name in COLUMNS:
        arrays[name] = arrays[name].astype(">f8" if arrays[name].dtype.kind == "f" else ">i4")
    np.savez(path, **arrays | {"type": arrays["type"].astype(np.uint8)})
    assert abut.load_contacts(path) == contacts


def test_files_of_earlier_versions(contacts, path):
    arrays = arrays_of(path)
    assert arrays.pop("mesh_count") == 1
    assert arrays.pop("_tilt").shape == (len(contacts),) and arrays.pop("flat_angle") == 0
    np.savez(path, **arrays)
    found = abut.load_contacts(path)
    assert found == contacts and found.poses is None and found.period is None
    assert found.flat_angle == 0 and (found._tilt == 0).all()
    assert (contacts._tilt > 0).all()
    assert contacts.match(found).tolist() == list(range(len(contacts)))


# ---- files that are broken -----------------------------------------------------------------------


def change(name, at, value):
    def apply(arrays):
        arrays[name][at] = value

    return apply


@pytest.mark.parametrize(
    ("apply", "message"),
    [
        (lambda a: a.pop("abut_format"), "holds no contacts: it has no abut_format"),
        (lambda a: a.update(abut_format=2), "has abut_format 2, but this version of abut reads 1"),
        (lambda a: a.pop("share"), "has no column share"),
        (lambda a: a.update(normal=a["normal"][:, :2]), r"normal has shape \(\d, 2\)"),
        (lambda a: a.update(sphere=a["sphere"] * 1.0), "sphere has dtype float64, but must be"),
        (lambda a: a.update(facet=a["facet"][1:]), r"facet has \d entries, not \d"),
        (lambda a: a.update(node_offsets=a["node_offsets"][1:]), r"node_offsets has \d+ entries"),
        (change("offsets", 0, 1), "offsets does not ascend"),
        (change("offsets", -1, 99), "offsets does not ascend"),
        (change("node_offsets", 1, 10**9), "node_offsets does not ascend"),
        (change("sphere", 0, 1), "sphere disagrees with offsets"),
        (change("facet", 1, -1), r"facet\[1\] is negative"),
        (change("node", 2, -1), r"node\[2\] is negative"),
        (change("type", 1, 3), r"type\[1\] is 3, but must be 0, 1 or 2"),
        (change("point", (1, 2), np.nan), r"point\[1, 2\] is nan"),
        (change("_tilt", 1, np.nan), r"_tilt\[1\] is nan"),
        (change("offsets", slice(1, 4), FALLING), "offsets does not ascend"),
        (change("mesh", 1, 1), r"mesh\[1\] is 1, but 1 mesh was searched"),
        (lambda a: a.update(mesh_count=-1), "mesh_count is -1"),
        (lambda a: a.update(mesh_count=0), "mesh.0. is 0, but 0 meshes were searched"),
        (lambda a: a.update(poses=np.eye(4)), r"poses has shape \(4, 4\)"),
        (lambda a: a.update(poses=np.full((1, 4, 4), np.nan)), "poses is not finite"),
        (lambda a: a.update(poses=np.zeros((0, 4, 4))), "refers to mesh 0, but has 0 poses"),
        (lambda a: a.update(period=np.ones(2)), r"period has shape \(2,\)"),
        (lambda a: a.update(period=np.array([1.0, 0, -1])), r"period\[2\] is -1, but must be"),
    ],
)
def test_what_is_broken_is_named(path, apply, message):
    arrays = arrays_of(path)
    apply(arrays)
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=rf"contacts\.npz.*{message}"):
        abut.load_contacts(path)


@pytest.mark.parametrize(
    ("name", "number"), [("node", 6), ("facet", 3), ("mesh", 1), ("node", 2**62)]
)
def test_what_the_mesh_does_not_have(path, mesh, name, number):
    arrays = arrays_of(path)
    arrays[name][0] = number
    del arrays["mesh_count"]
    np.savez(path, **arrays)
    assert getattr(abut.load_contacts(path), name)[0] == number
    with pytest.raises(ValueError, match=r"contacts\.npz: the contacts refer to"):
        abut.load_contacts(path, mesh)


def test_meshes_that_no_search_has(path):
    arrays = arrays_of(path)
    del arrays["mesh_count"]
    np.savez(path, **arrays | {"mesh": arrays["mesh"] + 2**31})
    with pytest.raises(
        ValueError, match=rf"contacts\.npz: mesh\[0\] is {2**31}, but {2**31} meshes"
    ):
        abut.load_contacts(path)


def test_as_many_poses_as_meshes(path, mesh):
    np.savez(path, **arrays_of(path), poses=np.tile(np.eye(4), (2, 1, 1)))
    assert abut.load_contacts(path, [mesh, mesh]).poses.shape == (2, 4, 4)
    with pytest.raises(ValueError, match="it has 2 poses, but 1 mesh is given"):
        abut.load_contacts(path, mesh)


def test_meshes_must_be_meshes(path):
    with pytest.raises(TypeError, match=r"meshes\[0\] is a list, but must be a Mesh"):
        abut.load_contacts(path, [VERTICES])


@pytest.mark.parametrize("ending", ["csv", "vtp"])
def test_only_npz_is_read_back(tmp_path, ending):
    mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    path = tmp_path / f"bed.{ending}"
    abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh).save(path)
    message = "cannot be read back: load_{0} reads .npz files, as {0}.save\\('bed.npz'\\) writes"
    for load, what in ((abut.load_contacts, "contacts"), (abut.load_pairs, "pairs")):
        with pytest.raises(ValueError, match=message.format(what)):
            load(path)
        with pytest.raises(FileNotFoundError):
            load(tmp_path / f"nothing.{ending}")
