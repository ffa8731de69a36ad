"""Convex bodies against exact arithmetic: gap, bounds, status, normal and link of a pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import abut
import convex_checks as checks
import reference_convex as reference
import scenes_convex as scenes
from convex_checks import Truth, ask, finder_of, shapes_of
from tiers import examples

PROVEN = ("slm", "fds")


# ---- single queries ------------------------------------------------------------------------------


def check_scene(scene, methods=PROVEN):
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    for method in methods:
        finder = finder_of(scene, shapes, method=method)
        for minimum in ("tracked", "global"):
            found = ask(scene, finder, minimum=minimum)
            checks.check_row(truth, found, minimum=minimum)


@given(scene=scenes.ANY)
@examples(50)
def test_rows_are_right(scene):
    check_scene(scene)


@pytest.mark.long
@given(scene=scenes.ANY)
@settings(max_examples=4000)
def test_more_rows_are_right(scene):
    check_scene(scene)


@pytest.mark.parametrize("place", scenes.PLACES)
def test_rows_are_right_in_every_place(place):
    """All kinds of shapes are tested, near and far, large and small."""
    rng = np.random.default_rng(abs(hash_of(place)))
    for shapes in (scenes.SOLIDS, scenes.POLYGONS):
        for kind in shapes:
            kinds = (kind, rng.choice(list(shapes)))
            check_scene(scenes.draw(rng.integers(2**32), kinds, place, rng.choice(scenes.UNITS)))


def hash_of(word):
    """Return a number that is the same in every process."""
    return int.from_bytes(word.encode(), "little") % 2**32


@pytest.mark.cases(1)
@pytest.mark.parametrize("method", PROVEN)
def test_least_penetration_is_global(method):
    """A small body moves through a large one. The tracked minimum remains at the side of entry, the
    global one is always the least of all."""
    rng = np.random.default_rng(5)
    for kind in ("box", "cube", "plate"):
        scene = scenes.draw(rng.integers(2**32), (kind, "few"), "inside")
        shapes = shapes_of(scene)
        finder = finder_of(scene, shapes, method=method)
        way = rng.normal(size=3)
        deeper, tracked = 0, None
        for part in np.linspace(-0.5, 0.5, 21):
            now = scene.moved(np.array([[0, 0, 0], part * way / np.linalg.norm(way)]))
            truth = Truth(now, shapes)
            if truth.pair.apart:
                continue
            tracked = ask(now, finder, before=tracked)
            checks.check_row(truth, tracked)
            least = ask(now, finder, minimum="global", before=tracked).overlap[0]
            assert least == pytest.approx(-float(truth.gap), abs=checks.TOLERANCE * truth.size)
            deeper += tracked.overlap[0] > least + 1e-9 * truth.size
        assert deeper > 0


# ---- from step to step ---------------------------------------------------------------------------


@given(scene=scenes.ANY)
@examples(20)
def test_warm_global_is_the_least(scene):
    """The global minimum does not depend on the last step's normal."""
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    for method in PROVEN:
        finder = finder_of(scene, shapes, method=method)
        tracked = ask(scene, finder)
        found = ask(scene, finder, before=tracked, minimum="global")
        checks.check_row(truth, found, minimum="global")


@pytest.mark.cases(3)
@pytest.mark.parametrize("method", PROVEN)
@pytest.mark.parametrize("place", ["anyhow", "facing", "inside"])
@pytest.mark.parametrize("shapes", [scenes.SOLIDS, scenes.POLYGONS], ids=["solids", "polygons"])
def test_tracked_does_not_flip(shapes, place, method):
    """The entrance of the last step is kept while it is a local minimum."""
    rng = np.random.default_rng(7)
    stood = 0
    for _ in range(12):
        scene = scenes.draw(rng.integers(2**32), tuple(rng.choice(list(shapes), 2)), place)
        own = shapes_of(scene)
        finder = finder_of(scene, own, method=method)
        found = None
        for now in scenes.walk(rng, scene, 8):
            truth = Truth(now, own)
            expected = still_standing(truth, found)
            found = ask(now, finder, before=found)
            if expected is not None:
                stood += 1
                np.testing.assert_allclose(found.normal[0], -expected, atol=1e-12)
    assert stood > 10


def still_standing(truth, found):
    """Return the normal of the last row's entrance if it is certainly still a local minimum."""
    if found is None or found.status[0] != abut.OVERLAPPING or truth.pair.apart:
        return None
    name = tuple(found.type[0].tolist()), tuple(found.feature[0].tolist())
    entrance = checks.named(truth.pair.candidates).get(name)
    if entrance is None or not entrance.valid or entrance.margin < 1e-6:
        return None
    # In doubtful cases, a small shift one way or the other ends the minimum.
    for nudge in 1e-6 * truth.size * np.eye(truth.pair.dimension):
        if not all(truth.pair.moved(way).stands(entrance) for way in (nudge, -nudge)):
            return None
    return reference.unit(entrance.normal)


@given(scene=scenes.ANY, seed=st.integers(0, 2**32 - 1))
@examples(25)
def test_whatever_was_before(scene, seed):
    """The last step, at any place and with any state, only decides which local minimum is found."""
    rng = np.random.default_rng(seed)
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    elsewhere = scenes.replace(
        scene,
        positions=rng.permutation(scene.positions)
        + scene.sizes.max() * rng.normal(size=scene.dimension),
        orientations=np.array([scenes.any_orientation(rng, scene.dimension) for _ in (0, 1)]),
    )
    for method in PROVEN:
        finder = finder_of(scene, shapes, method=method)
        before = ask(elsewhere, finder)
        checks.check_row(truth, ask(scene, finder, before=before))
        spoil(rng, before.state)
        checks.check_row(truth, ask(scene, finder, before=before))


def spoil(rng, state):
    """Replace some numbers by others: of any size, whole, not finite, or with random bits."""
    for row in state:
        places = rng.random(row.size) < rng.choice([0.1, 0.5, 1])
        others = rng.choice([np.nan, np.inf, 0, -1, 1e300, 1e-300, 7, rng.normal()], row.size)
        row[places] = others[places]
        bits = rng.random(row.size) < 0.1
        row.view(np.uint64)[bits] ^= rng.integers(2**63, size=row.size, dtype=np.uint64)[bits]


# ---- batches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.0, 0.1])
@pytest.mark.parametrize("shapes", [scenes.SOLIDS, scenes.POLYGONS], ids=["solids", "polygons"])
def test_pairs_that_touch_are_found(shapes, gap):
    """All pairs of the reference are found, up to rounding, sorted by i, then j."""
    scene = scenes.heap(np.random.default_rng(8), 30, shapes)
    own = shapes_of(scene)
    found = finder_of(scene, own).find(scene.positions, scene.orientations, gap=gap)
    rows = list(zip(found.i.tolist(), found.j.tolist(), strict=True))
    assert rows == sorted(rows) and all(i < j for i, j in rows)
    reached = spheres_meet(scene, own, gap)
    assert set(rows) <= set(reached)
    for i, j in reached:
        truth = Truth(scenes.part(scene, [i, j]), own)
        if (i, j) in rows:
            checks.check_row(truth, found, rows.index((i, j)))
        else:
            assert float(truth.gap) > gap - checks.TOLERANCE * truth.size


def spheres_meet(scene, shapes, gap):
    """Return pairs with circumscribed spheres that are at most about the gap apart."""
    radii = np.array([shape.circumradius for shape in shapes])[scene.shape] * scene.scales
    turned = [scene.turned(k) @ shapes[s].centroid for k, s in enumerate(scene.shape)]
    middles = scene.positions + scene.scales[:, None] * np.array(turned)
    apart = np.linalg.norm(middles[:, None] - middles, axis=-1) - radii[:, None] - radii
    return [(int(i), int(j)) for i, j in np.argwhere(apart <= gap + 1e-9) if i < j]


@pytest.mark.parametrize("shapes", [scenes.SOLIDS, scenes.POLYGONS], ids=["solids", "polygons"])
def test_pairs_across_the_period(shapes):
    """Every image that touches is a row, with the reference's image."""
    rng = np.random.default_rng(18)
    scene = scenes.heap(rng, 14, shapes)
    period = 4.0
    scene.positions[:, 0] %= period
    own = shapes_of(scene)
    periods = [period] + [None] * (scene.dimension - 1)
    found = finder_of(scene, own).find(scene.positions, scene.orientations, period=periods)
    rows = {
        (i, j, shift): k
        for k, (i, j, shift) in enumerate(
            zip(found.i.tolist(), found.j.tolist(), found.image[:, 0].tolist(), strict=True)
        )
    }
    assert len(rows) == len(found)
    for shift in (-1, 0, 1):
        positions = np.concatenate([scene.positions, scene.positions])
        positions[14:, 0] += period * shift
        for i in range(14):
            for j in range(i + 1, 14):
                pair = scenes.part(scene, [i, j])
                truth = Truth(scenes.replace(pair, positions=positions[[i, 14 + j]]), own)
                if (i, j, shift) in rows:
                    checks.check_row(truth, found, rows[i, j, shift])
                else:
                    assert float(truth.gap) > -checks.TOLERANCE * truth.size
    assert {shift for _, _, shift in rows} - {0}


def test_a_row_depends_on_its_pair_alone():
    """In a batch, alone, and with other arguments, a row has the same bits."""
    scene, pairs = scenes.many(np.random.default_rng(9), 50)
    finder = finder_of(scene)
    batch = finder.find(scene.positions, scene.orientations, pairs=pairs)
    shuffled = np.random.default_rng(1).permutation(len(pairs))
    other = finder.find(scene.positions, scene.orientations, pairs=pairs[shuffled])
    for name in ("i", "j", "status", "type", "feature", "normal", "overlap", "error", "link"):
        columns = getattr(batch, name)[shuffled], getattr(other, name)
        np.testing.assert_array_equal(*columns, name)
    for k in range(0, len(pairs), 7):
        alone = finder.find(scene.positions, scene.orientations, pairs=pairs[k : k + 1])
        assert alone.normal.tobytes() == batch.normal[k].tobytes()
        assert alone.state.tobytes() == batch.state[k].tobytes()


# ---- known in closed form ------------------------------------------------------------------------


def test_rounded_bodies():
    """Rounding increases the overlap by the radii, along the same normal."""
    rng = np.random.default_rng(10)
    for _ in range(40):
        kinds = tuple(rng.choice(["cube", "tetrahedron", "few"], 2))
        scene = scenes.draw(rng.integers(2**32), kinds, "facing")
        core = ask(scene)
        radius = rng.uniform(0.01, 0.2)
        found = ask(scene, finder_of(scene, shapes_of(scene, radius=radius)))
        radii = radius * scene.scales
        size = scene.sizes.sum()
        assert found.overlap[0] == pytest.approx(core.overlap[0] + radii.sum(), abs=1e-14 * size)
        np.testing.assert_array_equal(found.normal, core.normal)
        ends = core.link[0] + np.array([[-1], [1]]) * radii[:, None] * found.normal[0]
        np.testing.assert_allclose(found.link[0], ends, atol=1e-14 * size)
