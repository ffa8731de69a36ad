"""The history from step to step in all tables: matched rows, and carried vectors."""

import copy
import pickle

import numpy as np
import pytest

import abut
import scenes
from scenes_bodies import finder_of, heap_of

pytestmark = pytest.mark.native

FLOOR = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
WALL = [[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]]
MESHES = [abut.Mesh(FLOOR, [[0, 1, 2], [0, 2, 3]]), abut.Mesh(WALL, [[0, 1, 2, 3]])]
CUBE = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
LOADERS = {
    abut.Contacts: abut.load_contacts,
    abut.Pairs: abut.load_pairs,
    abut.ConvexContacts: abut.load_convex_contacts,
}


def contacts(step):
    rng = np.random.default_rng(5)
    centers = rng.random((60, 3)) * [1, 1, 0.3] + 0.01 * step
    return abut.find_contacts(centers, 0.2, MESHES)


def cloud(dimension, step):
    rng = np.random.default_rng(dimension)
    centers, radii, _ = scenes.random_cloud(rng, 60, 4, dimension, alpha=0.0)
    return centers + 0.05 * step * rng.normal(size=centers.shape), radii


def pairs(step):
    return abut.find_pairs(*cloud(3, step))


def disks(step):
    return abut.find_pairs(*cloud(2, step))


def bodies(step):
    return finder_of(3).find(*heap_of(3, 5 * step), gap=0.25)


def polygons(step):
    return finder_of(2).find(*heap_of(2, 5 * step), gap=0.25)


def on_walls(step):
    cubes = abut.ConvexFinder(abut.ConvexShape(CUBE))
    floor = abut.Mesh(4 * np.array(FLOOR), [[0, 1, 2], [0, 2, 3]])
    places = np.array([[1, 1, 0.875], [3, 3, 0.9], [2, 1, 0.95]]) + 0.1 * step
    return cubes.find_walls(places, None, [floor, abut.HalfSpace((0, 0, 0), (1, 0, 0))], gap=0.5)


MAKERS = [contacts, pairs, disks, bodies, polygons, on_walls]


@pytest.fixture(scope="module", params=MAKERS, ids=lambda maker: maker.__name__)
def steps(request):
    now, before = request.param(1), request.param(0)
    assert (now.match(before) >= 0).mean() > 0.5
    return now, before


def count_of(table):
    return len(table.counts)


def springs_of(table):
    return np.random.default_rng(3).normal(size=table.normal.shape)


def test_no_step_before(steps):
    now, before = steps
    match = now.match(None)
    assert match.dtype == np.intp and match.tolist() == [-1] * len(now)
    # as a loop asks in its first step
    ids = np.arange(count_of(now))
    assert now.match(None, ids=ids, previous_ids=None).tolist() == match.tolist()
    for carried in (now.carry(None, None), now.carry(springs_of(before)[:0], None, match)):
        assert carried.dtype == float and carried.shape == now.normal.shape and not carried.any()
    with pytest.raises(ValueError, match="workers is 0"):
        now.match(None, workers=0)


def test_carry_matches_by_itself(steps):
    now, before = steps
    springs, match = springs_of(before), now.match(before)
    expected = now.carry(springs, before, match)
    for workers in (1, 2):
        assert now.match(before, workers=workers).tolist() == match.tolist()
        assert now.carry(springs, before, workers=workers).tobytes() == expected.tobytes()
    assert not expected[match < 0].any()
    lengths = np.linalg.norm(springs[match], axis=1)[match >= 0]
    np.testing.assert_allclose(np.linalg.norm(expected[match >= 0], axis=1), lengths)
    with pytest.raises(TypeError, match="tangent is None, but must be real numbers"):
        now.carry(None, before)


def test_vectors_stay_as_they_are_where_nothing_moves(steps):
    _, before = steps
    springs = springs_of(before)
    assert before.carry(springs, before).tobytes() == springs.tobytes()


def test_selections_files_and_pickles_go_on(steps, tmp_path):
    now, before = steps
    match = now.match(before)
    expected = [row - 2 if row >= 2 else -1 for row in match[1:]]
    assert now[1:].match(before[2:]).tolist() == expected
    assert now.match(before[:0]).tolist() == [-1] * len(now)
    before.save(tmp_path / "before.npz")
    again = LOADERS[type(before)](tmp_path / "before.npz")
    for one in (again, pickle.loads(pickle.dumps(before))):
        assert now.match(one).tolist() == match.tolist()


def test_inputs_are_not_written(steps):
    now, before = steps
    held, springs = (copy.deepcopy(now), copy.deepcopy(before)), np.ones(before.normal.shape)
    now.carry(springs, before, now.match(before))
    assert (now, before) == held and (springs == 1).all()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda n: (range(n), None), ValueError, "ids and previous_ids belong together"),
        (lambda n: (None, range(n)), ValueError, "ids and previous_ids belong together"),
        (lambda n: (range(n - 1), range(n)), ValueError, r"^ids has shape \(\d+,\), but must be"),
        (lambda n: (range(n), range(n + 1)), ValueError, r"previous_ids has shape \(\d+,\), but"),
        (lambda n: ([1, *range(n - 1)], range(n)), ValueError, r"ids\[0\] and ids\[2\] are both 1"),
        (lambda n: (range(n), [7] * n), ValueError, r"previous_ids\[0\] and previous_ids\[1\] are"),
        (lambda n: (np.ones(n), range(n)), TypeError, "ids has dtype float64, but must be integ"),
        (lambda n: (range(n), ["a"] * n), TypeError, "previous_ids has dtype <U1"),
    ],
)
def test_bad_ids(steps, change, error, message):
    now, before = steps
    with pytest.raises(error, match=message):
        now.match(before, *change(count_of(now)))


def test_what_is_no_step_before(steps):
    now, before = steps
    for previous in (3, "before", [1, 2]):
        for call in (now.match, lambda table: now.carry(springs_of(before), table)):
            with pytest.raises(TypeError, match=f"but must be {type(now).__name__}"):
                call(previous)


def test_another_number_of_spheres_or_bodies(steps):
    now, before = steps
    fewer = abut.concatenate([before, before])
    noun = r"(spheres|bodies)"
    with pytest.raises(ValueError, match=rf"there are \d+ {noun}, but previous has \d+: give ids"):
        now.match(fewer)


@pytest.mark.parametrize(
    ("number", "message"),
    [(0, "contacts in 2 dimensions"), (2, "pairs in 3 dim"), (4, "the period none, but it is")],
)
def test_other_searches(number, message):
    now = [
        finder_of(3).find(*heap_of(3)),
        finder_of(2).find(*heap_of(2)),
        disks(0),
        pairs(0),
        abut.find_pairs(*cloud(3, 0), period=(99, None, None)),
        pairs(0),
    ]
    with pytest.raises(ValueError, match=f"previous has {message}"):
        now[number].match(now[number + 1])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda t, m: (t[1:], m), ValueError, r"tangent has \d+ rows?, but there are \d+ previous"),
        (lambda t, m: (t[:, :1], m), ValueError, r"tangent has shape \(\d+, 1\)"),
        (lambda t, m: (t[0], m), ValueError, r"tangent has shape \(\d,\)"),
        (lambda t, m: (1j * t, m), TypeError, "tangent has dtype complex128"),
        (lambda t, m: (t, m[1:]), ValueError, r"match has shape \(\d+,\), but must be"),
        (lambda t, m: (t, 0 * m + len(t)), ValueError, r"match\[0\] is \d+, but (must|previous)"),
        (lambda t, m: (t, 0 * m - 2), ValueError, r"match\[0\] is -2"),
        (lambda t, m: (t, 1.0 * m), TypeError, "match has dtype float64"),
    ],
)
def test_bad_carry(steps, change, error, message):
    now, before = steps
    springs, match = change(springs_of(before), now.match(before))
    with pytest.raises(error, match=message):
        now.carry(springs, before, match)
