"""Entrances of convex bodies: every way to find them gives the exact set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import convex_checks as checks
import scenes_convex as scenes
from convex_checks import Truth, finder_of, shapes_of
from reference_convex import EDGE, FACET, VERTEX
from tiers import examples


def entrances(scene, finder, before=None):
    return finder.entrances(scene.positions, scene.orientations, pairs=[[0, 1]], before=before)


def columns(found):
    names = ("pair", "type", "feature", "normal", "overlap", "offsets")
    return {name: getattr(found, name) for name in names}


def assert_same(found, other):
    for name, column in columns(found).items():
        np.testing.assert_array_equal(column, getattr(other, name), name)


@given(scene=scenes.ANY)
@examples(50)
def test_the_set_is_the_exact_one(scene):
    check_set(scene)


@pytest.mark.long
@given(scene=scenes.ANY)
@settings(max_examples=3000)
def test_more_sets_are_the_exact_ones(scene):
    check_set(scene)


def check_set(scene):
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    finder = finder_of(scene, shapes)
    found = entrances(scene, finder)
    checks.check_entrances(truth, found)
    # The start is the set itself, or rows that are not entrances.
    assert_same(found, entrances(scene, finder, before=found))


@given(scene=scenes.ANY, seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-3, 1e-2, 0.1, 1]))
@examples(50)
def test_updated_is_initial(scene, seed, size):
    """After small and large steps, an update gives the same rows as a new search, bit by bit."""
    finder = finder_of(scene)
    before = None
    for now in scenes.walk(np.random.default_rng(seed), scene, 6, size):
        before = entrances(now, finder, before)
        assert_same(before, entrances(now, finder))


def test_batches_and_their_offsets():
    """Rows are sorted by pair, and equal to those of each pair alone."""
    scene, pairs = scenes.many(np.random.default_rng(3), 40)
    finder = finder_of(scene)
    found = finder.entrances(scene.positions, scene.orientations, pairs=pairs)
    np.testing.assert_array_equal(np.repeat(np.arange(40), np.diff(found.offsets)), found.pair)
    for k, pair in enumerate(pairs):
        alone = finder.entrances(scene.positions, scene.orientations, pairs=[pair])
        rows = slice(found.offsets[k], found.offsets[k + 1])
        for name in ("type", "feature", "normal", "overlap"):
            np.testing.assert_array_equal(getattr(found, name)[rows], getattr(alone, name), name)


def test_kinds():
    """The kinds of features are as defined for space and for the plane."""
    rng = np.random.default_rng(4)
    solid = scenes.draw(rng.integers(2**32), ("few", "few"))
    kinds = set(map(tuple, entrances(solid, finder_of(solid)).type.tolist()))
    assert kinds == {(FACET, VERTEX), (VERTEX, FACET), (EDGE, EDGE)}
    flat = scenes.draw(rng.integers(2**32), ("polygon", "polygon"))
    kinds = set(map(tuple, entrances(flat, finder_of(flat)).type.tolist()))
    assert kinds == {(FACET, VERTEX), (VERTEX, FACET)}


@given(scene=scenes.ANY)
@examples(50)
def test_swapped(scene):
    """With the bodies swapped, feature pairs are the same, swapped, with opposite normals."""
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    finder = finder_of(scene, shapes)
    one, other = (
        finder.entrances(scene.positions, scene.orientations, pairs=[pair])
        for pair in ([0, 1], [1, 0])
    )
    rows, swapped = checks.listed(one), checks.listed(other)
    exact = checks.named(truth.pair.candidates)
    sure = {name for name in rows if exact[name].margin > checks.DOUBTFUL}
    for kind, feature in sure:
        row, mirror = rows[kind, feature], swapped[kind[::-1], feature[::-1]]
        off = checks.ROUNDING / checks.crossing_sine(truth.pair, exact[kind, feature])
        assert np.abs(one.normal[row] + other.normal[mirror]).max() <= off
        assert abs(one.overlap[row] - other.overlap[mirror]) <= off * truth.size
