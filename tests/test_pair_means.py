"""Stress and coordination of pairs and contacts without a simulation, and the radii of pairs."""

import copy
import pickle
import zipfile

import numpy as np
import pytest

import abut

pytestmark = pytest.mark.filterwarnings("ignore::abut.SimulationWarning")

CELLS = {
    "free": None,
    "box": (0.9, 1.1, 1.0),
    "slab": (0.9, None, 1.0),
    "tilted": np.array([[0.9, 0, 0], [0.3, 1.1, 0], [0.1, -0.2, 1.0]]),
    "short": (0.25, 1.1, 1.0),
}


def cell_in(dimension, name):
    cell = CELLS[name]
    if isinstance(cell, np.ndarray):
        return cell[:dimension, :dimension]
    return cell and cell[:dimension]


def vectors_in(dimension, name):
    """The vectors of a cell as rows."""
    cell = cell_in(dimension, name)
    if isinstance(cell, np.ndarray):
        return cell
    return np.diag([length or 0.0 for length in cell or (None,) * dimension])


def bed(dimension, name, count=60, seed=4):
    """Centers, radii, pairs and random forces."""
    rng = np.random.default_rng(seed)
    centers = rng.random((count, dimension))
    radii = rng.uniform(0.08, 0.14, count)
    pairs = abut.find_pairs(centers, radii, period=cell_in(dimension, name))
    assert len(pairs) > 20
    return centers, radii, pairs, rng.normal(size=(len(pairs), dimension))


# ---- radii ---------------------------------------------------------------------------------------


def test_radii_are_those_of_the_search():
    centers, radii, pairs, _ = bed(3, "box")
    np.testing.assert_array_equal(pairs.radius_i, radii[pairs.i])
    np.testing.assert_array_equal(pairs.radius_j, radii[pairs.j])
    found = abut.PairFinder(radii, period=cell_in(3, "box")).find(centers)
    np.testing.assert_array_equal(found.radius_j, pairs.radius_j)
    alike = abut.find_pairs(centers, 0.1)
    assert len(alike) and (alike.radius_i == 0.1).all()
    kept = radii.copy()
    radii[:] = 7.0  # the caller's array may change
    np.testing.assert_array_equal(pairs.radius_i, kept[pairs.i])


def test_radii_of_others():
    rng = np.random.default_rng(2)
    sizes = rng.uniform(0.05, 0.2, 30)
    kept = sizes.copy()
    pairs = abut.find_pairs(rng.random((40, 3)), 0.1, others=(rng.random((30, 3)), sizes))
    sizes[:] = 7.0
    assert len(pairs) > 5 and (pairs.radius_i == 0.1).all()
    np.testing.assert_array_equal(pairs.radius_j, kept[pairs.j])


def test_radii_go_along(tmp_path):
    _, radii, pairs, _ = bed(3, "tilted")
    pairs.save(tmp_path / "pairs.npz")
    some = np.flatnonzero(pairs.overlap > 0.05)
    for table, rows in (
        (pairs[some], some),
        (copy.copy(pairs), slice(None)),
        (pairs.copy(), slice(None)),
        (pickle.loads(pickle.dumps(pairs)), slice(None)),
        (abut.load_pairs(tmp_path / "pairs.npz"), slice(None)),
    ):
        np.testing.assert_array_equal(table.radius_i, radii[pairs.i[rows]])
        np.testing.assert_array_equal(table.radius_j, radii[pairs.j[rows]])


@pytest.mark.parametrize("has_others", [False, True])
def test_radii_of_chunks(has_others):
    rng = np.random.default_rng(3)
    others = (rng.random((20, 3)), rng.uniform(0.1, 0.2, 20)) if has_others else None
    chunks = [rng.uniform(0.1, 0.2, 25) for _ in range(3)]
    tables = [abut.find_pairs(rng.random((25, 3)), radii, others=others) for radii in chunks]
    joined = abut.concatenate(tables)
    radii = np.concatenate(chunks)
    np.testing.assert_array_equal(joined.radius_i, radii[joined.i])
    np.testing.assert_array_equal(joined.radius_j, (others[1] if others else radii)[joined.j])


def test_chunks_with_others_of_different_radii():
    places = [[0, 0, 1.5]]
    tables = [abut.find_pairs([[0, 0, 0]], 1.0, others=(places, radius)) for radius in (1.0, 1.1)]
    with pytest.raises(ValueError, match="the pairs have others of different radii"):
        abut.concatenate(tables)


def without_radii(path):
    """A file as version 0.2 wrote it."""
    bed(3, "box")[2].save(path)
    arrays = {name: array for name, array in np.load(path).items() if "radii" not in name}
    np.savez(path, **arrays)


def test_files_of_earlier_versions_have_no_radii(tmp_path):
    path = tmp_path / "pairs.npz"
    without_radii(path)
    old, new = abut.load_pairs(path), bed(3, "box")[2]
    assert old == new
    for table in (old, abut.concatenate([new, old])):
        with pytest.raises(ValueError, match="the radii of these pairs are not known"):
            table.stress(np.zeros((len(table), 3)), 1.0)


@pytest.mark.parametrize(
    ("radii", "message"),
    [
        (np.ones(3), r"_radii has shape \(3,\), but must be \(60,\)"),
        (np.zeros(60), r"_radii\[0\] is not positive"),
        (np.full(60, np.nan), r"_radii\[0\] is nan"),
        (np.ones(60, complex), "_radii has dtype complex128"),
    ],
)
def test_damaged_radii_in_files(tmp_path, radii, message):
    path = tmp_path / "pairs.npz"
    without_radii(path)
    np.savez(path, **np.load(path), _radii=radii)
    assert "_radii.npy" in zipfile.ZipFile(path).namelist()
    with pytest.raises(ValueError, match=message):
        abut.load_pairs(path)


# ---- stress --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("name", CELLS)
def test_stress_of_pairs_is_the_sum_over_branches(dimension, name):
    centers, _, pairs, forces = bed(dimension, name)
    vectors = vectors_in(dimension, name)
    assert (name == "short") == bool((pairs.i == pairs.j).any())
    expected = np.zeros((dimension, dimension))
    for i, j, image, force in zip(pairs.i, pairs.j, pairs.image, forces, strict=True):
        expected += np.outer(centers[i] - (centers[j] + image @ vectors), force)
    found = pairs.stress(forces, 2.0)
    np.testing.assert_allclose(found, expected / 2.0, rtol=0, atol=1e-12 * abs(expected).max())
    assert (pairs[:0].stress(forces[:0], 2.0) == 0).all()


def test_parts_of_pairs_and_walls_are_the_stress_of_a_simulation():
    rng = np.random.default_rng(1)
    sim = abut.Simulation(step=1e-5, period=(0.5, 0.5, None))
    grain, steel = abut.Material(density=2500, young=1e7), abut.Material()
    for other in (grain, steel):
        sim.set_law(grain, other, abut.Hertz(friction=0.4))
    places = 0.1 * np.mgrid[0:5, 0:5, 0:4].reshape(3, -1).T + [0, 0, 0.05]
    places += rng.uniform(-0.002, 0.002, places.shape)
    sim.add_spheres(places, rng.uniform(0.05, 0.052, 100), grain)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
    sim.run(steps=3)
    began = sim.centers
    sim.run(steps=1)
    pairs, contacts, volume = sim.pairs, sim.contacts, 0.5 * 0.5 * 0.4
    assert min(len(pairs), len(contacts)) > 10
    found = pairs.stress(pairs.force, volume) + contacts.virial(contacts.force, began, volume)
    whole = sim.stress([[0, 0, -0.1], [0.5, 0.5, 0.5]]) * 0.5 * 0.5 * 0.6 / volume
    np.testing.assert_allclose(found, whole, rtol=0, atol=1e-12 * abs(whole).max())


BAD_NUMBERS = [
    ({"volume": 0.0}, ValueError, "volume is 0.0, but must be positive and finite"),
    ({"volume": None}, TypeError, "volume is None, but must be real numbers"),
    ({"forces": np.zeros((1, 3))}, ValueError, "forces has 1 row"),
    ({"forces": [[0, 0, 0], [0, np.inf, 0]]}, ValueError, r"forces\[1, 1\] is inf"),
    ({"forces": [["a", 0, 0], [0, 0, 0]]}, TypeError, "forces"),
]


@pytest.mark.parametrize(("wrong", "error", "message"), BAD_NUMBERS)
def test_stress_refuses(wrong, error, message):
    pairs = abut.find_pairs([[0, 0, 0], [1.5, 0, 0], [3, 0, 0]], 1.0)
    with pytest.raises(error, match=message):
        pairs.stress(**{"forces": np.zeros((2, 3)), "volume": 1.0} | wrong)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [*BAD_NUMBERS, ({"centers": [[0, 0, 0]]}, ValueError, "centers has 1 row")],
)
def test_virial_refuses(wrong, error, message):
    centers = [[0, 0, 0.9], [1, 0, 0.9]]
    floor = abut.Mesh([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    contacts = abut.find_contacts(centers, 1.0, floor)
    given = {"forces": np.zeros((2, 3)), "centers": centers, "volume": 1.0} | wrong
    with pytest.raises(error, match=message):
        contacts.virial(**given)


# ---- coordination --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("gap", [0.0, 0.05])
def test_coordination_counts_contacts_of_each_sphere(name, gap):
    centers, radii, *_ = bed(3, name)
    pairs = abut.find_pairs(centers, radii, gap=gap, period=cell_in(3, name))
    assert (gap > 0) == bool((pairs.overlap < 0).any())
    counts = np.zeros(60)
    for i, j, overlap in zip(pairs.i, pairs.j, pairs.overlap, strict=True):
        if overlap >= 0:
            counts[i] += 1
            counts[j] += 1
    assert pairs.coordination() == pytest.approx(counts.mean())
    assert pairs.coordination(rattlers=False) == pytest.approx(counts[counts >= 2].mean())


def test_spheres_that_touch_without_overlap_and_own_images():
    touching = abut.find_pairs([[0, 0, 0], [2, 0, 0]], 1.0)
    assert touching.coordination() == 1.0
    own = abut.find_pairs([[0, 0, 0]], 1.0, period=(1.5, None, None))
    assert (len(own), own.coordination()) == (1, 2.0)


def test_coordination_with_walls_and_with_others():
    centers = [[0, 0, 0.9], [1.5, 0, 0.9], [9, 0, 0.9], [9, 0, 9]]
    floor = abut.Mesh([[-9, -9, 0], [99, -9, 0], [0, 99, 0]], [[0, 1, 2]])
    contacts = abut.find_contacts(centers, 1.0, floor, gap=20.0)
    assert len(contacts) == 4
    pairs = abut.find_pairs(centers, 1.0)
    assert pairs.coordination(walls=contacts) == 5 / 4
    assert pairs.coordination(walls=contacts, rattlers=False) == 2.0
    mixed = abut.find_pairs(centers, 1.0, others=([[0, 0, 2], [0.5, 0, 2]], 1.0))
    assert mixed.coordination() == 1.0
    with pytest.raises(ValueError, match="walls has contacts of 2 spheres, but the pairs are of 4"):
        pairs.coordination(walls=abut.find_contacts(centers[:2], 1.0, floor))
    with pytest.raises(TypeError, match="walls is an ndarray, but must be Contacts"):
        pairs.coordination(walls=contacts.counts)


def test_coordination_of_nothing_is_nan():
    pairs = abut.find_pairs([[0, 0, 0], [9, 0, 0]], 1.0)
    assert pairs.coordination() == 0.0
    assert np.isnan(pairs.coordination(rattlers=False))
    assert np.isnan(abut.find_pairs(np.empty((0, 3)), 1.0).coordination())
