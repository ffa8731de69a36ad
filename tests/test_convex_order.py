"""Results for convex bodies do not depend on order, place, units, the form of shapes, the number of
threads or the instruction level."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
import convex_checks as checks
import scenes_convex as scenes
from abut import _core
from convex_checks import Truth, ask, finder_of, shapes_of
from tiers import examples

PROVEN = ("slm", "fds")
METHODS = ("slm", "fcp", "cp", "fds")
COLUMNS = (
    "i", "j", "status", "type", "feature", "normal", "overlap", "error", "link", "point",
    "iterations", "state", "spot", "spot_overlap", "spot_type", "spot_feature", "spot_offsets",
)  # fmt: skip


def assert_same_bits(found, expected, columns=COLUMNS):
    for name in columns:
        one, other = getattr(found, name), getattr(expected, name)
        if one is None or other is None:
            assert one is other
            continue
        assert one.shape == other.shape, name
        assert one.tobytes() == other.tobytes(), name


# ---- swap, motion, scale -------------------------------------------------------------------------


@given(scene=scenes.ANY)
@examples(40)
def test_swapped(scene):
    """Swapped bodies have the opposite normal and the same overlap."""
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    for method in PROVEN:
        finder = finder_of(scene, shapes, method=method)
        for minimum in ("tracked", "global"):
            one, other = (
                finder.find(scene.positions, scene.orientations, pairs=[pair], minimum=minimum)
                for pair in ([0, 1], [1, 0])
            )
            assert_alike(truth, one, other, -1, minimum == "global")


def assert_alike(truth, one, other, sign, is_global=False):
    """Check rows of one pair in two forms: equal up to rounding, or each right by itself."""
    slack = checks.ROUNDING * truth.size + one.error[0] + other.error[0]
    if truth.pair.apart or is_global:
        assert abs(one.overlap[0] - other.overlap[0]) <= 2 * slack
    if truth.pair.apart and abs(one.overlap[0]) > 1e3 * slack:
        off = 1e-14 + 2 * np.sqrt(2 * slack / abs(one.overlap[0]))
        np.testing.assert_allclose(one.normal, sign * other.normal, atol=off)


@given(scene=scenes.ANY, seed=st.integers(0, 2**32 - 1))
@examples(40)
def test_moved_and_turned_together(scene, seed):
    rng = np.random.default_rng(seed)
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    turn = scenes.any_orientation(rng, scene.dimension)
    way = rng.normal(size=scene.dimension) * scene.sizes.max()
    other_scene = scene.turned_by(turn).moved(way)
    # Poses are rounded at their new place.
    rounded = Truth(other_scene, shapes)
    off = abs(float(rounded.gap - truth.gap)) + checks.ROUNDING * truth.size
    for method in PROVEN:
        finder = finder_of(scene, shapes, method=method)
        one, other = ask(scene, finder), ask(other_scene, finder)
        if truth.pair.apart and rounded.pair.apart:
            assert abs(one.overlap[0] - other.overlap[0]) <= off + one.error[0] + other.error[0]
            if -one.overlap[0] > 1e-3 * truth.size:
                turned = one.normal @ scenes.turn_matrix(turn).T
                np.testing.assert_allclose(other.normal, turned, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
@given(scene=scenes.ANY, power=st.integers(-20, 20))
@examples(30)
def test_scaled_by_powers_of_two(method, scene, power):
    """Powers of two change no digit of any number, since there are no absolute tolerances."""
    shapes = shapes_of(scene)
    one = ask(scene, finder_of(scene, shapes, method=method))
    large = scene.scaled(2.0**power)
    other = ask(large, finder_of(large, shapes, method=method))
    same = ("status", "type", "feature", "normal", "iterations", "spot_type", "spot_feature")
    assert_same_bits(other, one, same)
    for name in ("overlap", "error", "link", "point", "spot", "spot_overlap"):
        np.testing.assert_array_equal(getattr(other, name), 2.0**power * getattr(one, name), name)


@pytest.mark.parametrize("way", [1.0, 0.1, 1e4])
def test_quaternions_of_any_length(way):
    rng = np.random.default_rng(2)
    scene = scenes.draw(rng.integers(2**32), ("few", "box"))
    one = ask(scene)
    longer = scenes.replace(scene, orientations=way * scene.orientations)
    other = ask(longer)
    np.testing.assert_allclose(other.overlap, one.overlap, atol=1e-15 * scene.sizes.sum())


# ---- how shapes are given ------------------------------------------------------------------------


@given(scene=scenes.ANY, seed=st.integers(0, 2**32 - 1))
@examples(60)
def test_order_of_vertices(scene, seed):
    rng = np.random.default_rng(seed)
    truth = Truth(scene)
    other_scene = scenes.replace(scene, shapes=[rng.permutation(x) for x in scene.shapes])
    assert_alike(truth, ask(scene), ask(other_scene), 1)
    least, other = (ask(x, minimum="global") for x in (scene, other_scene))
    assert_alike(truth, least, other, 1, is_global=True)


def triangles(shape):
    """Return the facets of a shape as fans of triangles."""
    fans = [[(loop[0], b, c) for b, c in pairwise(loop[1:])] for loop in checks.loops(shape)]
    return [triangle for fan in fans for triangle in fan]


@pytest.mark.cases(2)
@pytest.mark.parametrize("kind", ["cube", "box", "prism", "fourteen", "lattice", "plate"])
def test_triangles_are_facets(kind):
    """12 triangles become 6 squares; all numbers are the same except the order of facets."""
    rng = np.random.default_rng(12)
    shape = abut.ConvexShape(scenes.SOLIDS[kind](rng))
    cut = abut.ConvexShape(shape.vertices, triangles(shape))
    assert len(cut.offsets) == len(shape.offsets)
    np.testing.assert_array_equal(cut.vertices, shape.vertices)
    assert {frozenset(loop) for loop in checks.loops(cut)} == {
        frozenset(loop) for loop in checks.loops(shape)
    }
    for seed in range(20):
        scene = scenes.draw(seed, (kind, kind), "parallel")
        scene = scenes.replace(scene, shapes=[shape.vertices], shape=np.zeros(2, dtype=int))
        truth = Truth(scene, [shape])
        found = ask(scene, finder_of(scene, [cut]))
        checks.check_row(Truth(scene, [cut]), found)
        assert_alike(truth, found, ask(scene, finder_of(scene, [shape])), 1)


# ---- threads and instructions --------------------------------------------------------------------


@pytest.fixture
def level_before():
    before = _core.simd()
    yield
    _core.set_simd(before)


@pytest.mark.parametrize("method", METHODS)
def test_same_bits_for_any_number_of_threads(method):
    for shapes in (scenes.SOLIDS, scenes.POLYGONS):
        scene, pairs = scenes.many(np.random.default_rng(13), 700, shapes)
        finder = finder_of(scene, method=method)
        asked = (scene.positions, scene.orientations)
        one = finder.find(*asked, pairs=pairs, workers=1)
        for workers in (2, 3):
            assert_same_bits(finder.find(*asked, pairs=pairs, workers=workers), one)
        warm = finder.find(*asked, pairs=pairs, before=one, workers=1)
        assert_same_bits(finder.find(*asked, pairs=pairs, before=one, workers=3), warm)


def test_same_entrances_for_any_number_of_threads():
    scene, pairs = scenes.many(np.random.default_rng(15), 300)
    finder = finder_of(scene)
    one, two, three = (
        finder.entrances(scene.positions, scene.orientations, pairs=pairs, workers=workers)
        for workers in (1, 2, 3)
    )
    for other in (two, three):
        assert_same_bits(other, one, ("pair", "type", "feature", "normal", "overlap", "offsets"))


@pytest.mark.parametrize("method", METHODS)
def test_same_bits_at_every_instruction_level(method, level_before):
    scene, pairs = scenes.many(np.random.default_rng(16), 400)
    finder = finder_of(scene, method=method)
    rows = []
    for level in _core.simd_levels():
        _core.set_simd(level)
        rows.append(finder.find(scene.positions, scene.orientations, pairs=pairs))
    for other in rows[1:]:
        assert_same_bits(other, rows[0])
