"""Cundall's and the fast common plane: they never exceed the gap, and sometimes fall short."""

import numpy as np
import pytest
from hypothesis import given

import convex_checks as checks
import scenes_convex as scenes
from convex_checks import Truth, ask, finder_of, shapes_of
from tiers import examples

PLANES = ("fcp", "cp")
FOUR = ("tetrahedron", "pyramid", "cube", "fourteen")


@pytest.mark.parametrize("method", PLANES)
@given(scene=scenes.ANY)
@examples(40)
def test_never_more_than_the_gap(method, scene):
    """They return the gap along their normal, which is at most the largest gap."""
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    found = ask(scene, finder_of(scene, shapes, method=method))
    assert np.isnan(found.error).all()
    slack = checks.ROUNDING * truth.size
    assert abs(float(truth.gap_along(found.normal[0])) + found.overlap[0]) <= slack
    assert -found.overlap[0] <= float(truth.gap) + slack
    assert abs(np.linalg.norm(found.normal[0]) - 1) < 2e-15


def misses(method, shapes, gaps, count=100, **options):
    """Return the missing part of the gap, in sizes, and the error of the normal in degrees."""
    rng = np.random.default_rng(20)
    short, off = [], []
    for _ in range(count):
        gap = 10 ** rng.uniform(*np.log10(gaps))
        scene = apart(rng, tuple(rng.choice(shapes, 2)), gap)
        own = shapes_of(scene)
        truth = Truth(scene, own)
        found = ask(scene, finder_of(scene, own, method=method, **options))
        short.append((float(truth.gap) + found.overlap[0]) / truth.size)
        cosine = -found.normal[0] @ truth.pair.normal
        off.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    return np.array(short), np.array(off)


def apart(rng, kinds, gap):
    makers = scenes.SOLIDS if kinds[0] in scenes.SOLIDS else scenes.POLYGONS
    shapes = [makers[kind](rng) for kind in kinds]
    return scenes.facing(rng, shapes, [1.0, 1.0], gap=gap)


@pytest.mark.parametrize("gaps", [(1e-3, 1e-2), (0.1, 0.5)])
def test_fast_common_plane_misses_few(gaps):
    """docs/convex.md, section 3: it sometimes stops before the widest gap."""
    short, _ = misses("fcp", FOUR, gaps)
    assert 0 <= (short > 1e-9).mean() <= 0.05
    assert short.max() < 0.2


def test_common_plane_stalls_in_space():
    """In three dimensions, a tenth of cold pairs stop at ridges of the gap, far off."""
    _, off = misses("cp", FOUR, (1e-3, 0.5))
    assert (off > 16).mean() <= 0.2
    assert np.median(off) < 1


def test_common_plane_in_the_plane():
    """In the plane, its error is at most its last step."""
    short, off = misses("cp", tuple(scenes.POLYGONS), (1e-2, 0.5))
    assert short.max() < 1e-3
    assert off.max() < 1
