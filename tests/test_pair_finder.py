"""The search for pairs, against the reference and with different settings."""

import copy
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
import reference
import scenes
from abut import _core

pytestmark = pytest.mark.native

SEARCHES = ["top-down", "bottom-up"]
COLUMNS = ("i", "j", "normal", "overlap", "point", "image", "offsets")


def assert_same(found, expected, columns=COLUMNS):
    """Check that the pairs are equal, bit by bit."""
    assert len(found.i) == len(expected.i)
    for name in columns:
        column, other = getattr(found, name), getattr(expected, name)
        assert column.shape == other.shape and column.dtype == other.dtype, name
        assert column.tobytes() == other.tobytes(), name


def largest(radii, gap):
    """Return the smallest possible size of the last level."""
    return scenes.largest(2 * radii + gap)


@st.composite
def levels(draw, top):
    """Draw levels in any form; the last size is `top`."""
    kind = draw(st.sampled_from(["auto", "number", "sizes"]), label="levels")
    if kind == "auto":
        return "auto"
    count = draw(st.integers(1, 6), label="number of levels")
    if kind == "number":
        return count
    lower = draw(st.lists(st.floats(-5, -0.01), max_size=5, unique=True), label="lower levels")
    return np.array([*(top * 10.0**power for power in sorted(lower)), top])


def expected_pairs(cloud, others=None):
    return reference.find_pairs(*cloud[:2], gap=cloud.gap, period=cloud.period, others=others)


# ---- against the reference -----------------------------------------------------------------------


@given(scenes.clouds(), st.sampled_from(SEARCHES), st.data())
def test_pairs_are_those_of_the_reference(scene, search, data):
    _, cloud = scene
    centers, radii, gap, period = cloud
    options = {"gap": gap, "period": period, "search": search}
    options["levels"] = data.draw(levels(largest(radii, gap)))
    found = abut.find_pairs(centers, radii, **options)
    assert_same(found, expected_pairs(cloud))
    finder = abut.PairFinder(radii, **options)
    assert finder.find(centers) == found
    # The positions have changed; now they change back.
    finder.find(centers[::-1].copy())
    assert_same(finder.find(centers, workers=2), found)


def others_near(rng, cloud, radii):
    """Draw spheres of similar sizes near those of the cloud, with gaps if these have some."""
    count, scale = len(radii), scenes.largest(cloud.radii)
    centers = scale * rng.normal(size=(count, cloud.centers.shape[1]))
    if len(cloud.radii):
        centers += cloud.centers[rng.integers(len(cloud.radii), size=count)]
    radii = radii * (rng.uniform(0.1, 1.5) * scale / scenes.largest(radii))
    if np.ndim(cloud.gap) == 0 and rng.random() < 0.5:
        return centers, radii
    return centers, radii, rng.random(count) * radii


@given(scenes.clouds(), scenes.clouds(), st.sampled_from(SEARCHES), st.data())
def test_pairs_with_others_are_those_of_the_reference(scene, second, search, data):
    _, cloud = scene
    rng, (_, radii, _, _) = second
    others = others_near(rng, cloud, radii)
    other_gap = others[2] if len(others) > 2 else cloud.gap
    top = max(largest(cloud.radii, cloud.gap), largest(others[1], other_gap))
    found = abut.find_pairs(
        *cloud[:2],
        gap=cloud.gap,
        period=cloud.period,
        others=others,
        search=search,
        levels=data.draw(levels(top)),
    )
    assert_same(found, expected_pairs(cloud, others))
    assert found.other_count == len(radii)


# ---- spheres of very different sizes -------------------------------------------------------------


def test_dust_in_a_corner():
    """If sizes depend on places, there is a level for each octave; the pairs are the same."""
    rng = np.random.default_rng(5)
    stones, radii, side = scenes.random_cloud(rng, 5000, 20, 3)
    dust = side / 20 * rng.uniform(0, 1, (20_000, 3))
    centers = np.concatenate([stones, dust])
    radii = np.concatenate([radii, np.full(len(dust), side / 20 / 60)])
    radii[len(stones) :] = min(radii[len(stones)], 0.02 * radii.min())
    finder = abut.PairFinder(radii)
    assert len(finder.sizes) < 5
    first, second = finder.find(centers), finder.find(centers)
    assert finder.statistics().distances / len(centers) < 200
    assert len(finder.statistics().sizes) > 8
    assert first == second == abut.find_pairs(centers, radii, levels=1)


# ---- threads, instruction levels, order ----------------------------------------------------------


@pytest.fixture(scope="module", params=[(2, None), (3, None), (2, 1.0), (3, 1.0)])
def many(request):
    """Return spheres of all sizes, more than the threads take at once."""
    dimension, factor = request.param
    rng = np.random.default_rng(dimension)
    centers, radii, side = scenes.random_cloud(rng, 20_000, 100, dimension)
    period = None if factor is None else (factor * side,) * dimension
    return scenes.Cloud(centers, radii, 0.2, period)


def find(cloud, **options):
    return abut.find_pairs(*cloud[:2], gap=cloud.gap, period=cloud.period, **options)


def test_any_number_of_workers(many):
    expected = find(many, workers=1)
    for workers in (2, 3, -1):
        assert_same(find(many, workers=workers), expected)


def test_any_instruction_level(many):
    before = _core.simd()
    try:
        expected, *others = (find_at(level, many) for level in _core.simd_levels())
        for found in others:
            assert_same(found, expected)
    finally:
        _core.set_simd(before)


def find_at(level, cloud):
    _core.set_simd(level)
    return find(cloud, workers=1)


def test_any_order_of_the_spheres(many):
    expected, found_first = find(many), np.random.default_rng(1).permutation(len(many.radii))
    found = find(many._replace(centers=many.centers[found_first], radii=many.radii[found_first]))
    i, j = found_first[found.i], found_first[found.j]
    order = np.lexsort((np.maximum(i, j), np.minimum(i, j)))
    assert (np.minimum(i, j)[order] == expected.i).all()
    assert (np.maximum(i, j)[order] == expected.j).all()
    assert found.overlap[order].tobytes() == expected.overlap.tobytes()


# ---- statistics ----------------------------------------------------------------------------------


def test_statistics_of_a_few_spheres():
    finder = abut.PairFinder([1.0, 1.0, 0.5], levels=[1.0, 2.0])
    nothing = finder.statistics()
    assert (nothing.spheres, nothing.pairs, nothing.distances) == (0, 0, 0)
    assert nothing.sizes.tolist() == [1, 2] == finder.sizes.tolist()
    pairs = finder.find([[0, 0, 0], [1.5, 0, 0], [1.5, 1, 0]])
    found = finder.statistics()
    assert (found.spheres, found.pairs) == (3, len(pairs)) == (3, 2)
    assert found.level_spheres.tolist() == [1, 2] and found.lengths.shape == (2, 3)
    assert (found.lengths >= found.sizes[:, None]).all() and found.bytes > 0
    assert (found.occupied >= 1).all() and (found.occupied <= found.level_spheres).all()
    assert (found.cells >= found.occupied).all()
    assert found.pairs <= found.distances <= found.pair_tests.sum()
    expected = found.level_spheres / found.cells
    assert found.spheres_per_cell.tolist() == expected.tolist()
    assert found.pair_tests_per_sphere == found.pair_tests.sum() / 3
    assert repr(found).startswith("PairStatistics(3 spheres; cell accesses ")
    assert "2 levels" in repr(found) and len(repr(found).splitlines()) == 2


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("dimension", "ratio", "count", "levels"),
    [(2, 1, 20_000, 1), (2, 20, 60_000, 5), (3, 1, 40_000, 1), (3, 10, 200_000, 3)],
)
def test_work_is_as_expected(dimension, ratio, count, levels, search):
    """In a periodic box with random positions, the assumptions of the model hold."""
    rng = np.random.default_rng([dimension, ratio])
    centers, radii, side = scenes.random_cloud(rng, count, ratio, dimension, 0.4)
    sizes = abut.grid.cell_sizes(radii, levels=levels, dimension=dimension, volume_fraction=0.4)
    finder = abut.PairFinder(radii, levels=sizes, search=search, period=(side,) * dimension)
    pairs = finder.find(centers)
    found = finder.statistics()
    expected = abut.grid.expected_work(
        radii,
        found.sizes,
        search=search,
        dimension=dimension,
        volume_fraction=0.4,
        lengths=found.lengths,
    )
    assert found.pairs == len(pairs)
    # copies of spheres across the border search a little more than the spheres in the box
    assert found.pair_tests_per_sphere == pytest.approx(expected.pair_tests, rel=0.05)
    assert found.cell_accesses_per_sphere == pytest.approx(expected.cell_accesses, rel=0.1)
    if search == "top-down":  # levels below a copy's own count its work, as the model does
        by_level = expected.pair_tests_by_level.sum(axis=1) * count
        most = 0.05 * by_level + 5 * np.sqrt(by_level)
        assert (np.abs(found.pair_tests - by_level) <= most).all()
        by_level = expected.cell_accesses_by_level.sum(axis=1) * count
        np.testing.assert_allclose(found.cell_accesses, by_level, rtol=0.1)


@pytest.mark.parametrize(("dimension", "ratio"), [(2, 20), (3, 10), (3, 100)])
@pytest.mark.parametrize("search", SEARCHES)
def test_levels_that_are_chosen_are_those_of_the_model(dimension, ratio, search):
    """The finder assumes that an access to a cell takes as long as seven pair tests."""
    rng = np.random.default_rng([dimension, ratio])
    radii = scenes.power_law(rng, 50_000, ratio)
    period = (scenes.box_side(radii, dimension, 0.4),) * dimension  # does not matter
    finder = abut.PairFinder(radii, search=search, period=period)
    model = {"search": search, "overhead": 7, "dimension": dimension}
    chosen = abut.grid.expected_work(radii, finder.sizes, **model)
    best = abut.grid.expected_work(radii, abut.grid.cell_sizes(radii, **model), **model)
    assert chosen.total <= 1.02 * best.total


# ---- the finder ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def few():
    rng = np.random.default_rng(8)
    centers, radii, _ = scenes.random_cloud(rng, 300, 5, 3)
    return centers, radii


def test_finder_tells_what_it_was_made_with(few):
    radii = few[1].copy()
    finder = abut.PairFinder(radii, search="bottom-up", period=(9, None, 8), levels=2)
    assert finder.search == "bottom-up" and finder.period == (9, None, 8)
    assert len(finder.sizes) == 2 and finder.sizes[-1] >= 2 * radii.max()
    assert repr(finder) == "PairFinder(300 spheres, 2 levels)"
    assert not finder.radii.flags.writeable
    radii[:] = 1
    assert (finder.radii == few[1]).all()
    with pytest.raises(AttributeError):
        finder.radii = radii


@pytest.mark.parametrize("gap", [0.5, "each"])
@pytest.mark.parametrize("levels", ["auto", 2, "sizes"])
def test_copies_find_the_same(few, gap, levels):
    gap = few[1] / 2 if gap == "each" else gap
    levels = [1.0, 20.0] if levels == "sizes" else levels
    finder = abut.PairFinder(few[1], gap=gap, levels=levels, period=(30, None, 20))
    expected = finder.find(few[0])
    for again in (copy.copy(finder), copy.deepcopy(finder), pickle.loads(pickle.dumps(finder))):
        assert_same(again.find(few[0]), expected)
        assert again.sizes.tolist() == finder.sizes.tolist() and repr(again) == repr(finder)


def test_plane_and_space_in_turns(few):
    centers, radii = few
    finder = abut.PairFinder(radii)
    for _ in range(2):
        assert_same(finder.find(centers), abut.find_pairs(centers, radii))
        assert finder.statistics().lengths.shape[1] == 3
        flat = finder.find(centers[:, :2])
        assert_same(flat, abut.find_pairs(centers[:, :2], radii))
        assert flat.point.shape[1] == 2 and finder.statistics().lengths.shape[1] == 2
    in_space = finder.find(centers * [1, 1, 0])
    assert_same(flat, in_space, ("i", "j", "overlap", "offsets"))


def test_many_threads_ask_one_finder(many):
    finder = abut.PairFinder(many.radii, gap=many.gap, period=many.period)
    shifted = [many.centers + shift for shift in (0.0, 1.0, 2.5, 7.0)]
    found = {}

    def ask(number):
        found[number] = finder.find(shifted[number], workers=2)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, centers in enumerate(shifted):
        assert_same(found[number], find(many._replace(centers=centers)))


def test_dropped_memory_is_used_again(many):
    finder = abut.PairFinder(many.radii, gap=many.gap, period=many.period)

    def places():
        columns = finder.find(many.centers).to_dict()
        return {name: columns[name].__array_interface__["data"][0] for name in COLUMNS[:5]}

    first = places()
    assert set(places().values()) == set(first.values())


def test_memory_of_calls_before_is_used_again():
    """find_pairs reuses memory for any spheres, also after a call that failed."""
    cloud = scenes.random_cloud(np.random.default_rng(3), 50_000, 3, 3)[:2]
    few = cloud[0][:4000], cloud[1][:4000]
    expected, expected_few = abut.find_pairs(*cloud), abut.find_pairs(*few)
    addresses = set()
    for _ in range(6):
        pairs = abut.find_pairs(*cloud, workers=2)
        addresses.add(pairs.normal.ctypes.data)
        assert pairs == expected
        with pytest.raises(ValueError, match=r"centers\[1, 0\] is nan"):
            abut.find_pairs([[0, 0, 0], [np.nan, 0, 0]], 1.0)
        assert abut.find_pairs(*few) == expected_few
        del pairs
    assert len(addresses) < 6


def test_many_threads_call_find_pairs():
    """The finders of these calls share memory."""
    rng = np.random.default_rng(4)
    clouds = [scenes.random_cloud(rng, 3_000 * (k + 1), 3, 3)[:2] for k in range(4)]
    expected = [abut.find_pairs(*cloud, workers=1) for cloud in clouds]
    wrong = []

    def ask(number):
        for k in range(20):
            turn = (number + k) % len(clouds)
            if abut.find_pairs(*clouds[turn], workers=1 + k % 2) != expected[turn]:
                wrong.append(turn)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_interrupt():
    script = """
        import signal, sys
        import numpy as np
        import abut
        rng = np.random.default_rng(0)
        n = 300_000
        centers = rng.random((n, 3))
        finder = abut.PairFinder(np.full(n, 1e-4), levels=[0.2])
        print("ready", flush=True)
        try:
            finder.find(centers, workers=1)
            print("the query ran to its end")
        except KeyboardInterrupt:
            print("interrupted")
        print(len(abut.PairFinder([1.0, 1.0]).find([[0, 0], [1, 0]])))
    """
    if sys.platform == "win32":
        pytest.skip("no SIGINT to a child on this system")
    command = [sys.executable, "-c", textwrap.dedent(script)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    pressed = time.monotonic()
    child.send_signal(signal.SIGINT)
    try:
        assert child.communicate(timeout=60)[0].split() == ["interrupted", "1"]
    finally:
        child.kill()
    assert time.monotonic() - pressed < 5


# ---- errors --------------------------------------------------------------------------------------

POINTS = np.arange(12.0).reshape(4, 3)
NAN = np.where(np.arange(12).reshape(4, 3) == 7, np.nan, POINTS)

BAD = {
    "nan": ((NAN, 1.0), {}, ValueError, "centers[2, 1] is nan"),
    "radius": ((POINTS, [1, 2, -1, 1]), {}, ValueError, "radii[2] is -1; radii must be positive"),
    "shape": (
        (np.zeros((5, 4)), 1),
        {},
        ValueError,
        "centers has shape (5, 4), but must be (n, 3)",
    ),
    "gap": ((POINTS, 1), {"gap": -0.5}, ValueError, "gap is -0.5"),
    "gaps": (
        (POINTS, 1),
        {"gap": [0, 1]},
        ValueError,
        "gap has 2 entries, but there are 4 spheres",
    ),
    "a gap": ((POINTS, 1), {"gap": [0, 1, -1, 0]}, ValueError, "gap[2] is -1"),
    "no level": ((POINTS, 1), {"levels": 0}, ValueError, "levels is 0, but must be 1 to 64"),
    "levels": ((POINTS, 1), {"levels": 65}, ValueError, "levels is 65, but must be 1 to 64"),
    "word": ((POINTS, 1), {"levels": "best"}, ValueError, "levels is 'best', but must be 'auto'"),
    "empty": ((POINTS, 1), {"levels": []}, ValueError, "levels has shape (0,), but must be (L,)"),
    "many": ((POINTS, 1), {"levels": np.arange(1.0, 70)}, ValueError, "69"),
    "descending": ((POINTS, 1), {"levels": [2, 1, 3]}, ValueError, "levels[1] is 1"),
    "too small": (
        (POINTS, [1, 2, 9, 1]),
        {"levels": [1, 2]},
        ValueError,
        "sphere 1 has the diameter 4, with its gap, which is more than levels[1], the last",
    ),
    "ragged": ((POINTS, 1), {"levels": [[1], [2, 3]]}, ValueError, "levels is ragged"),
    "search": ((POINTS, 1), {"search": "up"}, ValueError, "search is 'up', but must be 'top-down'"),
    "one period": ((POINTS, 1), {"period": 2.0}, TypeError, "period is 2.0, but must be 3 or 2"),
    "periods": ((POINTS, 1), {"period": (1,) * 4}, ValueError, "period has 4 items"),
    "2 periods": ((POINTS, 1), {"period": (1, 1)}, ValueError, "period has 2 items"),
    "3 periods": ((POINTS[:, :2], 1), {"period": (1, 1, 1)}, ValueError, "period has 3 items"),
    "far box": ((POINTS * 1e30, 1), {"period": (1, 1, 1)}, ValueError, "1"),
    "others": ((POINTS, 1), {"others": POINTS}, TypeError, "others must be (centers, radii) or"),
    "other nan": ((POINTS, 1), {"others": (NAN, 1.0)}, ValueError, "others: centers[2, 1] is nan"),
    "other gap": ((POINTS, 1), {"others": (POINTS, 1.0, -1)}, ValueError, "others: gaps[0] is -1"),
    "other plane": ((POINTS, 1), {"others": (POINTS[:, :2], 1)}, ValueError, "must be (n, 3)"),
    "no other gaps": (
        (POINTS, 1),
        {"gap": np.ones(4), "others": (POINTS, 1.0)},
        ValueError,
        "the others have none: give others=(centers, radii, gaps)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_errors_name_the_first_offender(name):
    given, keywords, error, message = BAD[name]
    with np.errstate(all="ignore"), pytest.raises(error) as caught:
        abut.find_pairs(*given, **keywords)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("workers", [1, 2])
def test_first_offender_of_many(workers):
    """Several threads copy the numbers, and the error is still for the first wrong one."""
    n = 200_000
    centers, radii, gap = np.zeros((n, 3)), np.ones(n), np.zeros(n)
    gap[[70_000, n - 1]] = np.inf, -1.0
    with pytest.raises(ValueError, match=r"gap\[70000\] is inf"):
        abut.find_pairs(centers, radii, gap=gap, workers=workers)
    radii[[150_000, n - 1]] = np.nan, -1.0
    with pytest.raises(ValueError, match=r"radii\[150000\] is nan"):
        abut.find_pairs(centers, radii, gap=gap, workers=workers)


def test_errors_of_a_finder():
    with pytest.raises(ValueError, match=r"\(n,\): one for each sphere; find_pairs takes a number"):
        abut.PairFinder(1.0)
    with pytest.raises(ValueError, match=r"radii\[1\] is nan"):
        abut.PairFinder([1, np.nan])
    finder = abut.PairFinder([1.0, 1.0])
    for centers in (POINTS, [[0, 0, 0]], []):
        with pytest.raises(ValueError, match=r"centers has \d rows?, but there are 2 radii"):
            finder.find(centers)
    with pytest.raises(ValueError, match=r"centers\[1, 2\] is nan"):
        finder.find([[0, 0, 0], [1, 0, np.nan]])
    assert len(finder.find([[0, 0, 0], [1, 0, 0]])) == 1
