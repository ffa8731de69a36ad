"""Contact points (spots) of convex bodies: their places, their names, and their forces from step to
step."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import abut
import convex_checks as checks
import scenes_convex as scenes
from convex_checks import Truth, ask, finder_of, shapes_of
from rational import Rational
from reference_convex import EDGE, FACET, VERTEX
from tiers import examples

LARGE, SMALL = 3.0, 1.0
PATCH_ANGLE = np.radians(5)  # the default


def names(found, k=0):
    rows = range(found.spot_offsets[k], found.spot_offsets[k + 1])
    return [(*found.spot_type[r].tolist(), *found.spot_feature[r].tolist()) for r in rows]


# ---- any pair ------------------------------------------------------------------------------------


@given(scene=scenes.ANY)
@examples(50)
def test_spots_are_on_their_features(scene):
    check_spots(scene)


@pytest.mark.long
@given(scene=scenes.ANY)
@settings(max_examples=3000)
def test_more_spots_are_on_their_features(scene):
    check_spots(scene)


def check_spots(scene):
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    finder = finder_of(scene, shapes)
    found = ask(scene, finder)
    assert found.spot_offsets.tolist() == [0, len(found.spot)]
    assert len(found.spot) >= 1
    assert len(set(names(found))) == len(found.spot)
    assert found.spot_overlap.max() <= found.overlap[0] + slack(truth)
    for k in range(len(found.spot)):
        check_spot(truth, found, k)
    without = ask(scene, finder, spots=False)
    assert without.spot is None
    assert without.normal.tobytes() == found.normal.tobytes()


def slack(truth):
    # Corners within 1e-8 sizes of each other, or of a border, are merged. Slanted features, and
    # nearby vertices of both bodies, multiply this error.
    return 1e-7 * truth.size


def check_spot(truth, found, k):
    """Check a spot: the planes of both features are half the overlap away, along the normal in both
    directions, and a vertex is itself at this place."""
    half = 0.5 * found.spot_overlap[k] * found.normal[0]
    ends = found.spot[k] - half, found.spot[k] + half
    kinds = found.spot_type[k]
    room = checks.ROUNDING * truth.reach + slack(truth)
    if sorted(kinds) == [EDGE, VERTEX]:
        # Two edges are parallel within the patch angle: the spot is on one, beside the other.
        room = np.sin(PATCH_ANGLE) * truth.size
    for body, end, kind, feature in zip(
        truth.bodies, ends, kinds, found.spot_feature[k], strict=True
    ):
        assert checks.off_feature(body, kind, feature, end) <= room


@given(scene=scenes.ANY)
@examples(50)
def test_swapped(scene):
    """Swapped bodies have the same points, with swapped names."""
    shapes = shapes_of(scene)
    truth = Truth(scene, shapes)
    if not truth.pair.apart or truth.gap < 1e-6 * truth.size:
        return
    finder = finder_of(scene, shapes)
    one, other = (
        finder.find(scene.positions, scene.orientations, pairs=[pair]) for pair in ([0, 1], [1, 0])
    )
    if np.abs(one.normal + other.normal).max() > 1e-12:
        return
    swapped = [(b, a, other_feature, feature) for a, b, feature, other_feature in names(other)]
    assert len(swapped) == len(names(one))
    order = [swapped.index(name) for name in names(one) if name in swapped]
    kept = [k for k, name in enumerate(names(one)) if name in swapped]
    np.testing.assert_allclose(one.spot[kept], other.spot[order], atol=slack(truth))


# ---- known in closed form ------------------------------------------------------------------------


@cache
def box_finder(size, **options):
    return abut.ConvexFinder(abut.ConvexShape(scenes.cube()), scales=[LARGE, size], **options)


def boxes(height, turn=None, size=SMALL, shift=(0, 0), before=None, **options):
    """Return contacts of a cube on a large one, with its lowest point at `height` over the top."""
    turn = Rotation.identity() if turn is None else turn
    low = (size * turn.apply(scenes.cube()))[:, 2].min()
    positions = [[0, 0, -LARGE / 2], [*shift, height - low]]
    orientations = [[0, 0, 0, 1], turn.as_quat()]
    finder = box_finder(size, **options)
    return finder.find(positions, orientations, pairs=[[0, 1]], before=before)


def test_box_on_box():
    found = boxes(-0.01)
    assert sorted(map(tuple, np.round(found.spot, 12).tolist())) == [
        (x, y, -0.005) for x in (-0.5, 0.5) for y in (-0.5, 0.5)
    ]
    np.testing.assert_allclose(found.spot_overlap, 0.01, atol=1e-15)
    assert found.spot_type.tolist() == [[FACET, VERTEX]] * 4


def test_equal_boxes_turned_by_an_eighth():
    """The intersection of both squares is an octagon."""
    turn = Rotation.from_euler("z", 45, degrees=True)
    found = boxes(-0.01, turn, size=LARGE)
    assert found.spot_type.tolist() == [[EDGE, EDGE]] * 8
    radii = np.linalg.norm(found.spot[:, :2], axis=1)
    np.testing.assert_allclose(radii, LARGE / 2 / np.cos(np.pi / 8), atol=1e-14)


def test_edges_that_cross():
    """Two boxes stand on edges that cross."""
    cube = abut.ConvexShape(scenes.cube())
    turns = Rotation.from_euler("xyz", [[45, 0, 0], [0, 45, 0]], degrees=True).as_quat()
    finder = abut.ConvexFinder(cube, scales=[1.0, 1.0])
    found = finder.find([[0, 0, 0], [0.1, 0.2, 1.4]], turns, pairs=[[0, 1]])
    assert found.spot_type.tolist() == [[EDGE, EDGE]]
    np.testing.assert_allclose(found.spot, [[0.1, 0, 0.7]], atol=1e-14)


def test_sides_of_polygons():
    square = abut.ConvexShape(scenes.square())
    finder = abut.ConvexFinder(square, scales=[LARGE, SMALL])
    found = finder.find([[0, 0], [0.5, 1.99]], pairs=[[0, 1]])
    np.testing.assert_allclose(found.spot[np.argsort(found.spot[:, 0])], [[0, 1.495], [1, 1.495]])
    assert found.spot_type.tolist() == [[FACET, VERTEX]] * 2
    beside = finder.find([[0, 0], [1.5, 1.99]], pairs=[[0, 1]])
    kinds = sorted(map(tuple, beside.spot_type.tolist()))
    assert kinds == [(FACET, VERTEX), (VERTEX, FACET)]


# ---- against the intersection of polygons --------------------------------------------------------


def seen(body, facet):
    """Return the corners of a horizontal facet, as seen from above."""
    return body.vertices[list(body.facets[facet])][:, :2]


def on_left(point, a, b):
    u, v = b - a, point - a
    return u[0] * v[1] - u[1] * v[0]


def inside(point, loop):
    signs = [on_left(point, a, b) for a, b in zip(loop, np.roll(loop, -1, axis=0), strict=True)]
    return all(x >= 0 for x in signs) or all(x <= 0 for x in signs)


def crossings(one, other):
    for a, b in zip(one, np.roll(one, -1, axis=0), strict=True):
        for c, d in zip(other, np.roll(other, -1, axis=0), strict=True):
            signs = on_left(c, a, b), on_left(d, a, b), on_left(a, c, d), on_left(b, c, d)
            if signs[0] * signs[1] < 0 and signs[2] * signs[3] < 0:
                yield c + Rational(signs[0], signs[0] - signs[1]) * (d - c)


@pytest.mark.parametrize("seed", range(40))
def test_intersections_of_facets(seed):
    """Upright prisms on each other have all corners of their polygons' intersection as spots."""
    rng = np.random.default_rng(seed)
    shapes = [abut.ConvexShape(scenes.prism(rng, height=0.5)) for _ in (0, 1)]
    turns = [[0, 0, z, 1] for z in rng.integers(-8, 9, 2) / 4]
    shift = rng.integers(-8, 9, 2) / 8
    gap = rng.choice([-0.02, 0.0, 0.05])
    scene = scenes.Scene(
        [shape.vertices for shape in shapes],
        np.arange(2),
        np.array([1.0, rng.choice([0.25, 1.0])]),
        np.array(turns, dtype=float),
        np.array([[0, 0, 0], [*shift, 0]]),
    )
    scene.positions[1, 2] = 0.5 + 0.5 * scene.scales[1] + gap
    truth = Truth(scene, shapes)
    found = ask(scene, finder_of(scene, shapes))
    expected = corners_in_common(truth)
    if not expected or abs(found.normal[0, 2]) < 1 - 1e-12:
        return
    assert len(found.spot) == len(expected)
    apart = np.linalg.norm(found.spot[:, None, :2] - np.array(expected, dtype=float), axis=-1)
    assert (apart.min(axis=1) < 1e-12).all() and (apart.min(axis=0) < 1e-12).all()


def corners_in_common(truth):
    a, b = truth.bodies
    top = next(f for f, n in enumerate(a.normals) if not any(n[:2]) and n[2] > 0)
    bottom = next(f for f, n in enumerate(b.normals) if not any(n[:2]) and n[2] < 0)
    one, other = seen(a, top), seen(b, bottom)
    corners = [p for p in one if inside(p, other)] + [p for p in other if inside(p, one)]
    corners += list(crossings(one, other))
    return [list(p) for p in {tuple(p) for p in corners}]


# ---- from step to step ---------------------------------------------------------------------------


def turned_boxes(angle, tilt, sideways):
    turn = Rotation.from_rotvec([tilt, 0, 0]) * Rotation.from_rotvec([0, 0, angle])
    return turn, (0.3 * sideways, sideways)


def test_names_stay():
    """A box slides, turns and tilts on another: its four points keep their names, and carried
    vectors do not depend on their order."""
    before, tangents = None, None
    for step in range(200):
        turn, shift = turned_boxes(2e-3 * step, 1e-4 * np.sin(0.1 * step), 1e-3 * step)
        found = boxes(-0.01, turn, shift=shift, before=before)
        assert len(found.spot) == 4
        if before is not None:
            rows = found.match_spots(before)
            assert sorted(rows.tolist()) == [0, 1, 2, 3]
            assert names(found) == [names(before)[row] for row in rows]
            assert np.abs(found.spot - before.spot[rows]).max() < 5e-3
            tangents = found.carry_spots(tangents, before)
        else:
            tangents = found.spot - [0, 0, -0.005]
        before = found
        np.testing.assert_allclose(np.linalg.norm(tangents, axis=1), np.sqrt(0.5), rtol=1e-12)


@given(scene=scenes.ANY, seed=st.integers(0, 2**32 - 1))
@examples(40)
def test_what_is_matched_has_the_same_name(scene, seed):
    finder = finder_of(scene)
    before = None
    for now in scenes.walk(np.random.default_rng(seed), scene, 4, 1e-2):
        found = ask(now, finder, before=before)
        if before is not None:
            expected = [
                names(before).index(name) if name in names(before) else -1 for name in names(found)
            ]
            assert found.match_spots(before).tolist() == expected
        before = found


def center_of_force(found):
    weights = np.maximum(found.spot_overlap, 0)
    return weights @ found.spot / weights.sum()


def tilted_centers(depth, degrees, axis, **options):
    """Return centers of force of a box that tilts on another, with its lowest point at `depth`."""
    before, centers = None, []
    for angle in np.radians(degrees):
        turn = Rotation.from_rotvec(angle * np.asarray(axis) / np.linalg.norm(axis))
        before = boxes(-depth, turn, shift=(0.1, 0.2), before=before, **options)
        centers.append(center_of_force(before))
    return np.array(centers)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -1, 0), (1, 1, 0), (3, 1, 0)])
@pytest.mark.parametrize("depth", [0.01, 0.04])
def test_center_of_force_is_continuous(depth, axis):
    """The center moves continuously while the overlap is below face extent times angle."""
    fine = tilted_centers(depth, np.linspace(-9, 9, 1801), axis)
    # The largest speed is that of the points' weights: a few extents per depth / extent.
    assert np.abs(np.diff(fine, axis=0)).max() < 2e-2
    # The center moves from one side to the other.
    assert np.ptp(fine, axis=0)[:2].max() > 0.8


def test_a_patch_angle_that_is_too_small_jumps():
    """docs/convex.md describes this jump."""
    rows = tilted_centers(0.04, np.linspace(-9, 9, 1801), (1, 0, 0), patch_angle=np.radians(0.5))
    assert np.abs(np.diff(rows, axis=0)).max() > 0.2


def test_center_of_force_is_continuous_in_the_plane():
    square = abut.ConvexShape(scenes.square())
    finder = abut.ConvexFinder(square, scales=[LARGE, SMALL])
    before, centers = None, []
    for angle in np.radians(np.linspace(-9, 9, 1801)):
        middle = np.array([0.1, -0.04]) + 0.5 * np.array([-np.sin(angle), np.cos(angle)])
        before = finder.find([[0, -1.5], middle], [0, angle], pairs=[[0, 1]], before=before)
        centers.append(center_of_force(before))
    assert np.abs(np.diff(centers, axis=0)).max() < 1e-2
    assert np.ptp(centers, axis=0)[0] > 0.8
