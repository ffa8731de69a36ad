"""Rows that continue: the rows that a search with `before` records, and their use in `match`."""

import itertools

import numpy as np
import pytest

import abut
from scenes_bodies import COUNT, CUBE, PERIOD, finder_of, heap_of

SEEDS = range(6)
TURNED = 0.5


@pytest.fixture(scope="module")
def finder(dimension):
    return finder_of(dimension)


def heaps_of(dimension, steps=5):
    """Return positions that change by small steps, and orientations."""
    rng = np.random.default_rng(dimension)
    positions, turns = heap_of(dimension)
    for _ in range(steps):
        yield positions.copy(), turns
        positions += rng.normal(scale=0.03, size=positions.shape)


def given_pairs():
    """Return half of all pairs, in any order."""
    pairs = np.array(list(itertools.combinations(range(COUNT), 2)))
    rng = np.random.default_rng(12)
    pairs = rng.permutation(pairs)[: len(pairs) // 2]
    return np.where(rng.random(len(pairs))[:, None] < 0.5, pairs, pairs[:, ::-1])


def unknowing(table):
    """Return a copy without the search's record of rows that continue."""
    table = table.copy()
    vars(table).pop("_before", None)
    return table


def rank_of(now, row, before, old):
    """Return the rank of a row as the successor of an old one: a number, then the normal's turn."""
    if {now.i[row], now.j[row]} != {before.i[old], before.j[old]}:
        return None
    sign = 1 if (now.i[row] > now.j[row]) == (before.i[old] > before.j[old]) else -1
    is_same = (now.image[row] == sign * before.image[old]).all()
    agreement = sign * sum(a * b for a, b in zip(now.normal[row], before.normal[old], strict=True))
    if agreement > TURNED:
        return (0, 0.0) if is_same else (1, -agreement)
    return (2, 0.0) if is_same else None


def expected_match(now, before):
    """Match the best ranks first, each row once."""
    ranks = {}
    for row, old in itertools.product(range(len(now)), range(len(before))):
        rank = rank_of(now, row, before, old)
        if rank is not None:
            ranks[row, old] = rank
    found = np.full(len(now), -1)
    for row, old in sorted(ranks, key=ranks.__getitem__):
        if found[row] < 0 and old not in found:
            found[row] = old
    return found.tolist()


# ---- the record of a search ----------------------------------------------------------------------


@pytest.mark.parametrize("pairs", [None, given_pairs()], ids=["found", "given"])
@pytest.mark.parametrize("is_periodic", [False, True])
def test_a_search_tells_which_row_goes_on(finder, dimension, is_periodic, pairs):
    period = PERIOD[dimension] if is_periodic else None
    before, went_on, came = None, 0, 0
    for places in heaps_of(dimension):
        now = finder.find(*places, gap=0.25, pairs=pairs, period=period, before=before)
        if before is None:
            assert now._before is None
        else:
            expected = expected_match(now, before)
            assert now._before.tolist() == expected == now.match(before).tolist()
            assert unknowing(now).match(before).tolist() == expected
            went_on, came = went_on + (now._before >= 0).sum(), came + (now._before < 0).sum()
        before = now
    assert went_on > 100 and came > 0


def test_a_body_that_leaves_the_box_goes_on_at_another_image(finder, dimension):
    """Without normals the search cannot record this row, but the match is right."""
    lengths = PERIOD[dimension]
    positions, turns = heap_of(dimension)
    before = finder.find(positions, turns, gap=0.25, period=lengths)
    axis = next(axis for axis, length in enumerate(lengths) if length)
    moved = positions.copy()
    moved[::3, axis] += lengths[axis]
    now = finder.find(moved, turns, gap=0.25, period=lengths, before=before)
    expected = expected_match(now, before)
    assert now.match(before).tolist() == expected and -1 not in expected
    assert unknowing(now).match(before).tolist() == expected
    # Two bodies that met at one image, and still do, start from the old row.
    assert (now._before[(now.image != before.image[expected]).any(axis=1)] >= 0).any()


def test_of_several_images_the_same_one_is_begun_with():
    """Two squares are near each other at two images, and one of these makes a row."""
    finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
    before = finder.find([[0, 0], [1.2, 0]], gap=0.5, period=[3, None])
    for periods, expected in ((0, [0]), (2, [-1])):
        places = [[0, 0], [1.2 + 3 * periods, 0]]
        now = finder.find(places, gap=0.5, period=[3, None], before=before)
        assert before.image.tolist() == [[0, 0]] and now.image.tolist() == [[-periods, 0]]
        assert now._before.tolist() == expected and now.match(before).tolist() == [0]


# ---- changed tables ------------------------------------------------------------------------------


def crowd_of(rng, dimension, count):
    """Return many different images of a few pairs, in any order, unlike those of a search."""
    table = finder_of(dimension).find(*heap_of(dimension), gap=2.0, period=PERIOD[dimension])[
        :count
    ]
    keys = list(itertools.product([(0, 1), (0, 2), (3, 1)], *[range(-2, 3)] * dimension))
    chosen = [keys[k] for k in rng.permutation(len(keys))[: len(table)]]
    for row, ((i, j), *image) in enumerate(chosen):
        sign = rng.choice([-1, 1])
        table.i[row], table.j[row] = (i, j)[::sign]
        table.image[row] = sign * np.array(image)
    normal = rng.normal(size=table.normal.shape)
    table.normal[:] = normal / np.linalg.norm(normal, axis=1)[:, None]
    return table


@pytest.mark.parametrize("seed", SEEDS)
def test_crowds(seed, dimension):
    rng = np.random.default_rng(seed)
    before, now = crowd_of(rng, dimension, 40), crowd_of(rng, dimension, 30)
    # Half of them have not moved.
    known = rng.permutation(min(len(now), len(before)))[: len(now) // 2]
    for row in known:
        for name in ("i", "j", "image", "normal"):
            getattr(now, name)[row] = getattr(before, name)[row]
    keys = [(*sorted([now.i[k], now.j[k]]), *(now.image[k] * (1 if now.i[k] < now.j[k] else -1)))
            for k in range(len(now))]  # fmt: skip
    now = now[np.sort([keys.index(key) for key in set(keys)])]
    expected = expected_match(now, before)
    assert now.match(before).tolist() == expected
    for guess in (expected, [-1] * len(now), rng.integers(-9, 60, len(now)), [2**62] * len(now)):
        vars(now)["_before"] = np.array(guess)
        assert now.match(before).tolist() == expected


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_periodic", [False, True])
def test_changed_tables(finder, dimension, seed, is_periodic):
    """The record of a search is checked again, since callers may change the entries."""
    rng = np.random.default_rng(seed)
    period = PERIOD[dimension] if is_periodic else None
    first, second = itertools.islice(heaps_of(dimension), 2)
    before = finder.find(*first, gap=0.25, period=period)
    now = finder.find(*second, gap=0.25, period=period, before=before)
    told = now.match(before)
    for table in rng.permutation([0, 1]):
        columns = vars((now, before)[table])
        order = rng.permutation(len(columns["i"]))[:6]
        for name in ("i", "j", "normal", "image") if is_periodic else ("i", "j", "normal"):
            columns[name][np.sort(order)] = columns[name][order]
        rows = rng.permutation(len(columns["i"]))[:6]
        columns["i"][rows], columns["j"][rows] = columns["j"][rows], columns["i"][rows].copy()
        assert now.match(before).tolist() == unknowing(now).match(before).tolist()
    assert (now.match(before) != told).any()


def test_other_tables(finder, dimension):
    """Match a selection, other numbers, and a table that was not the search's `before`."""
    first, second, third = itertools.islice(heaps_of(dimension), 3)
    before = finder.find(*first, gap=0.25)
    now = finder.find(*second, gap=0.25, before=before)
    other = finder.find(*third, gap=0.25)
    order = np.random.default_rng(3).permutation(COUNT)
    some = now[::2]
    assert some._before.tolist() == now._before[::2].tolist()
    for table, previous in ((now, other), (some, before), (some, other), (now, before[1::2])):
        assert table.match(previous).tolist() == expected_match(table, previous)
    rows = now.match(before, order, np.arange(COUNT))
    assert rows.tolist() == unknowing(now).match(before, order, np.arange(COUNT)).tolist()
    assert rows.tolist() != now.match(before).tolist()


# ---- walls ---------------------------------------------------------------------------------------


def test_walls_tell_nothing():
    """A search with walls records no rows; they are matched by wall, facet and normal."""
    cubes = abut.ConvexFinder(abut.ConvexShape(CUBE))
    mesh = abut.Mesh([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], [[0, 1, 2], [0, 2, 3]])
    before = cubes.find_walls([[0, 0, 0.9], [3, -5, 0.9]], None, mesh)
    now = cubes.find_walls([[0, 0.125, 0.9], [-3, 5, 0.9]], None, mesh, before=before)
    assert now._before is None
    # The second cube has moved from one facet to the other.
    assert before.facet.tolist() == [0, 1, 0] and now.facet.tolist() == [0, 1, 1]
    assert now.match(before).tolist() == [0, 1, 2]
    assert now.match(before, [1, 0], [0, 1]).tolist() == [2, -1, 1]
