"""The reference of convex bodies against closed forms, and against other methods."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

import reference_convex as reference
import scenes_convex as scenes
from rational import Rational
from reference_convex import EDGE, FACET, VERTEX, Pair
from tiers import examples

CUBE = reference.hull(list(product((-1, 1), repeat=3)))
TETRA = reference.hull([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])


def bodies(scene):
    """Return the two bodies of a scene, without their rounding."""
    shapes = [reference.hull(points) for points in scene.shapes]
    return [
        shapes[number].placed(*pose)
        for number, *pose in zip(
            scene.shape, scene.orientations, scene.positions, scene.scales, strict=True
        )
    ]


def differences(pair):
    """Return the corners of B - A as floats."""
    a, b = (reference.floats(body.vertices * pair.unit) for body in (pair.a, pair.b))
    return (b[:, None] - a).reshape(-1, pair.dimension)


# ---- known in closed form ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "gap_sq"),
    [
        ((3, 0, 0), 1),  # facets
        ((3, 3, 0), 2),  # edges
        ((3, 3, 3), 3),  # vertices
        ((3, Rational(1, 3), 1), 1),
        ((5, 3, 4), 9 + 1 + 4),
        ((2, 2, 2), 0),
        ((2, 0, 0), 0),
        ((Rational(3, 2), 0, Rational(1, 5)), -Rational(1, 4)),
        ((0, 0, 0), -4),
    ],
)
def test_cubes(place, gap_sq):
    pair = Pair(CUBE, CUBE.placed(position=place))
    assert pair.gap * abs(pair.gap) == pytest.approx(gap_sq, abs=1e-30)
    assert pair.apart == (gap_sq > 0)


def test_tetrahedron_across():
    """Two edges cross at right angles, at their smallest distance."""
    pair = Pair(TETRA, TETRA.placed(position=(0, 0, Rational(5, 2))))
    assert pair.gap == pytest.approx(0.5)
    np.testing.assert_allclose(pair.normal, (0, 0, 1), atol=1e-15)
    best = pair.best_entrance
    assert best.type == (EDGE, EDGE)
    assert sorted(np.array(TETRA.edges[best.feature[0]])[:2]) == sorted(
        k for k, vertex in enumerate(TETRA.vertices) if vertex[2] == 1
    )


def test_entrances_of_aligned_cubes():
    """Each facet has entrances with the four corners of the opposite one; edges have none."""
    entrances = Pair(CUBE, CUBE.placed(position=(3, 0, 0))).entrances
    assert len(entrances) == 48
    assert all(e.margin == 0 and EDGE not in e.type for e in entrances)
    assert sorted({float(e.gap) for e in entrances}) == [-5, -2, 1]


def test_a_vertex_before_a_facet_is_an_entrance():
    other = TETRA.placed(position=(Rational(1, 3), 0, 4))
    found = [e for e in Pair(CUBE, other).entrances if e.type == (FACET, VERTEX)]
    up = next(k for k, n in enumerate(CUBE.normals) if n[2] > 0 and not n[0] and not n[1])
    low = {k for k, vertex in enumerate(other.vertices) if vertex[2] == 3}
    # An edge of the tetrahedron is parallel to the facet, so both its corners are entrances.
    assert {e.feature[1] for e in found if e.feature[0] == up} == low
    assert {e.gap for e in found if e.feature[0] == up} == {2}


# ---- against other methods -----------------------------------------------------------------------


@given(scene=scenes.scenes() | scenes.scenes(scenes.POLYGONS))
@examples(40)
def test_distance_by_least_distance_programming(scene):
    """The distance is the widest gap between parallel planes, by non-negative least squares."""
    pair = Pair(*bodies(scene))
    size = scene.sizes.max()
    assume(pair.gap > 1e-6 * size)
    rows = differences(pair) / size
    # C. L. Lawson, R. J. Hanson, Solving Least Squares Problems (1974), chapter 23: the shortest w
    # with rows . w >= 1
    matrix = np.vstack([rows.T, np.ones(len(rows))])
    target = np.append(np.zeros(pair.dimension), 1.0)
    residual = matrix @ nnls(matrix, target, maxiter=10_000)[0] - target
    shortest = -residual[:-1] / residual[-1]
    assert float(pair.gap) == pytest.approx(size / np.linalg.norm(shortest), abs=1e-9 * size)


@given(scene=scenes.scenes() | scenes.scenes(scenes.POLYGONS))
@examples(40)
def test_penetration_by_the_hull_of_differences(scene):
    """Inside B - A the least penetration is the distance to the nearest facet, and all facets are
    entrances."""
    pair = Pair(*bodies(scene))
    size = scene.sizes.max()
    assume(pair.gap < -1e-9 * size and scene.sizes.min() > 1e-2 * size)
    rows = differences(pair) / size
    distances = ConvexHull(rows).equations[:, -1]
    assert float(pair.gap) == pytest.approx(size * distances.max(), abs=1e-9 * size)


@given(scene=scenes.scenes(places=["anyhow"], units=["plain"]))
def test_entrances_are_the_facets_of_the_difference(scene):
    pair = Pair(*bodies(scene))
    assume(min(e.margin for e in pair.candidates) > 1e-4)
    equations = ConvexHull(differences(pair)).equations
    normals = -equations[:, :-1]  # pushing B along n moves the origin out of B - A
    ours = np.array([reference.unit(e.normal) for e in pair.entrances])
    cosines = ours @ normals.T
    assert (cosines.max(axis=0) > 1 - 1e-9).all()
    assert (cosines.max(axis=1) > 1 - 1e-9).all()
    gaps = np.array([float(e.gap) for e in pair.entrances])
    np.testing.assert_allclose(gaps, equations[cosines.argmax(axis=1), -1], atol=1e-9)


@given(scene=scenes.scenes() | scenes.scenes(scenes.POLYGONS))
@examples(40)
def test_no_normal_parts_wider(scene):
    """g(n) equals the gap for its own normal, and is smaller for all others."""
    pair = Pair(*bodies(scene))
    size = scene.sizes.max()
    assert abs(pair.support_gap(pair.normal) - pair.gap) < 1e-14 * size
    if pair.apart:
        rng = np.random.default_rng(0)
        for other in pair.normal + rng.choice([1e-3, 1], (10, 1)) * rng.normal(
            size=(10, pair.dimension)
        ):
            assert pair.support_gap(other) <= pair.gap
    else:
        assert abs(pair.local_excess(pair.normal, 1e-3 * size)) < 1e-12 * size


@given(scene=scenes.scenes() | scenes.scenes(scenes.POLYGONS))
@examples(40)
def test_shapes_are_exactly_convex(scene):
    """The corners of each facet in the scenes are exactly in one plane, even turned and moved."""
    assert all(body.is_convex() for body in bodies(scene))


def test_local_minima():
    """A small cube in a large one has a local minimum at each side, and none between."""
    inner = CUBE.placed(position=(Rational(1, 2), 0, 0), scale=Rational(1, 4))
    pair = Pair(CUBE, inner)
    assert pair.gap == -Rational(3, 4)
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, -1)):
        assert pair.local_excess(normal, 2) == 0
    for normal in ((1, 1, 0), (1, 1e-3, 0), (1, -2, 3)):
        assert pair.local_excess(normal, 2) > 0


@given(scene=scenes.scenes(places=["anyhow", "inside"]) | scenes.scenes(scenes.POLYGONS))
@examples(30)
def test_entrances_that_stand_are_local_minima(scene):
    """The test by the feature along n agrees with moving the bodies apart and searching for a
    shorter distance."""
    pair = Pair(*bodies(scene))
    size = scene.sizes.max()
    for entrance in pair.entrances[::7]:
        if entrance.gap < -1e-3 * size and entrance.margin > 0:
            excess = pair.local_excess(entrance.normal, size)
            assert (excess < 1e-40 * size) == pair.stands(entrance)


def test_scenes_are_what_they_say():
    """All kinds of places are apart, touching or overlapping, as their names say."""
    rng = np.random.default_rng(1)
    found = {}
    for shapes, place, _ in product((scenes.SOLIDS, scenes.POLYGONS), scenes.PLACES, range(25)):
        kinds = tuple(
            rng.choice(
                ["cube", "box", "tetrahedron"] if shapes is scenes.SOLIDS else list(shapes), 2
            )
        )
        pair = Pair(*bodies(scene := scenes.draw(rng.integers(2**32), kinds, place)))
        part = float(pair.gap) / scene.sizes.min()
        found.setdefault(place, []).append(0 if abs(part) < 1e-12 else np.sign(part))
    for place in ("anyhow", "facing", "parallel", "aligned"):
        assert {-1, 1} <= set(found[place])
    assert 0 in found["on_plane"]
    assert set(found["identical"]) == {-1}
    assert np.mean(found["inside"]) < -0.9
    assert VERTEX == 2
