"""The library against the reference, and the reference against what is known in closed form."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import abut
import reference
import scenes
from rational import Rational
from reference import EDGE, FACET, VERTEX

# Decisions closer to ties than this are not checked. The reference only estimates the library's
# tolerance, and its error bounds are sharp only up to a small factor.
CLEAR = 4.0


# ---- comparison ----------------------------------------------------------------------------------


def ask(scene, **options):
    mesh = abut.Mesh(scene.vertices, scene.facets, noise=0)
    return abut.find_contacts(scene.centers, scene.radii, mesh, **options)


def corners_of(scene, facet):
    return scene.vertices[scene.facets[facet]]


def sharpness(scene, facet):
    """The facet's longest diagonal and how many times that is longer than its height."""
    corners = corners_of(scene, facet)
    longest = np.linalg.norm(corners[:, None] - corners, axis=-1).max()
    return longest, reference.aspect([reference.exact(corner) for corner in corners])


def facet_alone(scene, sphere, facet, options):
    """The row that a facet has where it is the only one."""
    one = slice(sphere, sphere + 1)
    mesh = scene.vertices, [scene.facets[facet]]
    return reference.find_contacts(scene.centers[one], scene.radii[one], *mesh, **options)


def assert_named(scene, found, expected, k, options):
    """Row k names a facet that has exactly the expected point, and that facet's own feature."""
    alone = facet_alone(scene, expected.sphere[k], found.facet[k], options)
    np.testing.assert_array_equal(alone.point, expected.point[k : k + 1])
    assert alone.type[0] == found.type[k]
    assert alone.feature[0] == found.feature[k]
    return alone.node, alone.weight


def assert_same_row(scene, found, expected, k, options):
    """Row k of both, within what rounding may do to a facet of that shape."""
    center, radius = scene.centers[expected.sphere[k]], scene.radii[expected.sphere[k]]
    corners = corners_of(scene, found.facet[k])
    longest, aspect = sharpness(scene, found.facet[k])
    ulp = np.spacing(max(np.abs(corners).max(), np.abs(center).max(), radius))
    point_error = 32 * ulp * aspect
    normal_error = point_error / max(radius - expected.overlap[k], point_error)
    assert abs(found.overlap[k] - expected.overlap[k]) <= 8 * ulp
    assert np.abs(found.point[k] - expected.point[k]).max() <= point_error
    assert np.abs(found.normal[k] - expected.normal[k]).max() <= normal_error
    node, weight = assert_named(scene, found, expected, k, options)
    nodes = slice(*found.node_offsets[k : k + 2])
    np.testing.assert_array_equal(found.node[nodes], node)
    assert np.abs(found.weight[nodes] - weight).max() <= 1e-13 + point_error * aspect / longest


def assert_agree(scene, found, expected, options):
    for column in ("offsets", "sphere", "type"):
        np.testing.assert_array_equal(getattr(found, column), getattr(expected, column), column)
    if options.get("resolution") == "all":
        order = np.lexsort((expected.facet, expected.sphere))
        again = np.lexsort((found.facet, found.sphere))
        np.testing.assert_array_equal(found.facet[again], expected.facet[order])
    for k in range(len(expected.sphere)):
        assert_same_row(scene, found, expected, k, options)


def ask_reference(scene, **options):
    mesh = scene.vertices, scene.facets
    return reference.find_contacts(scene.centers, scene.radii, *mesh, **options)


def compare_scenes(strategy, options):
    """Compare many scenes; count all decisions, and those away from ties."""
    tally = {"drawn": 0, "clear": 0, "contacts": 0, "several": 0}

    @given(strategy, options)
    def compare(scene, chosen):
        expected = ask_reference(scene, **chosen)
        clear = expected.clearance > CLEAR
        tally["drawn"] += len(clear)
        tally["clear"] += clear.sum()
        assume(clear.any())
        if not clear.all():
            scene = scene._replace(centers=scene.centers[clear], radii=scene.radii[clear])
            expected = ask_reference(scene, **chosen)
        tally["contacts"] += len(expected.sphere)
        tally["several"] += (np.diff(expected.offsets) > 1).sum()
        assert_agree(scene, ask(scene, **chosen), expected, chosen)

    compare()
    return tally


def few_left_out(tally):
    return tally["clear"] >= 0.95 * tally["drawn"] and tally["contacts"] > tally["drawn"]


# ---- the library against the reference -----------------------------------------------------------


def test_random_scenes():
    tally = compare_scenes(scenes.scenes(), st.just({}))
    assert few_left_out(tally), tally
    assert tally["several"] > 0.1 * tally["drawn"], tally


def test_random_scenes_with_nothing_eliminated():
    tally = compare_scenes(scenes.scenes(), st.just({"resolution": "all"}))
    assert few_left_out(tally), tally


def test_random_scenes_with_a_flat_angle():
    angles = st.floats(0.01, 1.5).map(lambda angle: {"flat_angle": angle})
    tally = compare_scenes(scenes.scenes(), angles)
    assert few_left_out(tally), tally


def test_random_scenes_with_a_gap():
    gaps = st.floats(0.01, 1.0).map(lambda gap: {"gap": gap, "resolution": "all"})
    tally = compare_scenes(scenes.scenes(), gaps)
    assert few_left_out(tally), tally


@st.composite
def quads_and_triangles(draw):
    """A soup for weights that are not defined for other polygons."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sides = draw(st.lists(st.integers(3, 4), min_size=1, max_size=6))
    vertices, facets = scenes.soup(rng, ["plane"] * len(sides), sides)
    spheres = scenes.spheres_near(rng, vertices, facets, 3, draw(st.floats(0.1, 3)))
    return scenes.Scene(vertices, facets, *spheres)


def test_random_quads_with_the_weights_of_zhong():
    tally = compare_scenes(quads_and_triangles(), st.just({"weights": "zhong"}))
    assert few_left_out(tally), tally


# Hand-made scenes: a name, vertices, facets, centers, radii, and for each sphere the types of its
# contacts, nearest first. All numbers are dyadic, so that ties are ties in the library too.
SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
FAN = [*SQUARE, [0.5, 0.5, 0]]
AROUND = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
ROOF = [[-1, -1, 0], [0, -1, 0], [0, 1, 0], [-1, 1, 0], [1, -1, -0.75], [1, 1, -0.75]]
GUTTER = [[-1, -1, 0], [0, -1, 0], [0, 1, 0], [-1, 1, 0], [1, -1, 0.75], [1, 1, 0.75]]
TWO_QUADS = [[0, 1, 2, 3], [1, 4, 5, 2]]
THIN = [[0, 0, 0], [1, 0, 0], [0.5, 2**-20, 0]]
BOX = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]]
THREE_WALLS = [[0, 1, 2, 3], [0, 4, 5, 1], [0, 3, 6, 4]]
HALF_GUTTER = [[-1, -1, 0.75], [0, -1, 0], [0, 1, 0], [-1, 1, 0.75], [1, -1, 0], [1, 1, 0]]
TIP_AT_EDGE = [*SQUARE, [0.5, 0, 0], [-1, 0, -1], [0.75, 0, -1]]

HAND_MADE = {
    "interior": (SQUARE, [[0, 1, 2, 3]], [[0.25, 0.5, 0.5]], [0.75], [[FACET]]),
    "interior from behind": (SQUARE, [[0, 1, 2, 3]], [[0.25, 0.5, -0.5]], [0.75], [[FACET]]),
    "on the diagonal": (SQUARE, [[0, 1, 2, 3]], [[0.5, 0.5, 0.5]], [0.75], [[FACET]]),
    "edge": (SQUARE, [[0, 1, 2, 3]], [[1.25, 0.5, 0.25]], [0.5], [[EDGE]]),
    "vertex": (SQUARE, [[0, 1, 2, 3]], [[1.25, 1.25, 0.25]], [0.5], [[VERTEX]]),
    "above a border": (SQUARE, [[0, 1, 2, 3]], [[0.5, 0, 0.5]], [1], [[FACET]]),
    "above a corner": (SQUARE, [[0, 1, 2, 3]], [[0, 0, 0.5]], [1], [[FACET]]),
    "beside an end": (SQUARE, [[0, 1, 2, 3]], [[1.25, 0, 0]], [1], [[EDGE]]),
    "ridge": (ROOF, TWO_QUADS, [[0.125, 0, 0.5]], [1], [[EDGE]]),
    "ridge, one slope": (ROOF, TWO_QUADS, [[0.625, 0, 0]], [1], [[FACET]]),
    "valley": (GUTTER, TWO_QUADS, [[-0.125, 0, 0.625]], [1], [[FACET, FACET]]),
    "corner of a box": (
        BOX,
        THREE_WALLS,
        [[0.25, 0.375, 0.5]],
        [0.75],
        [[FACET, FACET, FACET]],
    ),
    "same distance from three walls": (
        BOX,
        THREE_WALLS[::-1],
        [[0.25, 0.25, 0.25]],
        [0.5],
        [[FACET, FACET, FACET]],
    ),
    "edge and vertex in one point": (
        TIP_AT_EDGE,
        [[4, 5, 6], [0, 1, 2, 3]],
        [[0.5, -0.25, 0.25]],
        [0.5],
        [[EDGE]],
    ),
    "center on two walls": (HALF_GUTTER, TWO_QUADS, [[0, 0, 0]], [0.5], [[FACET]]),
    "coplanar fan": (FAN, AROUND, [[0.5, 0.5, 0.5], [0.5, 0.25, 0.25]], [1, 1], [[FACET]] * 2),
    "sliver": (
        THIN,
        [[0, 1, 2]],
        [[0.5, 2**-21, 0.25], [0.5, -0.25, 0.25], [-0.25, 0, 0.25]],
        [0.5] * 3,
        [[FACET], [EDGE], [VERTEX]],
    ),
    "much larger sphere": (FAN, AROUND, [[0.5, 0.25, 4096]], [4096.5], [[FACET]]),
    "much smaller sphere": (FAN, AROUND, [[0.5, 0.25, 2**-13]], [2**-12], [[FACET]]),
    "center on the surface": (SQUARE, [[0, 1, 2, 3]], [[0.25, 0.5, 0]], [0.5], [[FACET]]),
    "center on an edge": (SQUARE, [[0, 1, 2, 3]], [[0.25, 0, 0]], [0.5], [[FACET]]),
    "center on a vertex": (SQUARE, [[0, 1, 2, 3]], [[1, 0, 0]], [0.5], [[FACET]]),
    "center on a coplanar fan": (FAN, AROUND, [[0.5, 0.5, 0]], [0.25], [[FACET]]),
    "touching exactly": (SQUARE, [[0, 1, 2, 3]], [[0.25, 0.5, 0.5]], [0.5], [[FACET]]),
    "touching an edge exactly": (SQUARE, [[0, 1, 2, 3]], [[1.375, 0.5, 0.5]], [0.625], [[EDGE]]),
    "touching a vertex exactly": (SQUARE, [[0, 1, 2, 3]], [[2, 3, 2]], [3], [[VERTEX]]),
    "not quite touching": (
        SQUARE,
        [[0, 1, 2, 3]],
        [[0.25, 0.5, 0.5]],
        [np.nextafter(0.5, 0)],
        [[]],
    ),
    "no contact": (SQUARE, [[0, 1, 2, 3]], [[5, 5, 5]], [1], [[]]),
    "no sphere": (SQUARE, [[0, 1, 2, 3]], [], [], []),
    "no facet": (SQUARE, [], [[0, 0, 0]], [1], [[]]),
    "nothing": ([], [], [], [], []),
    "flat corner": (
        [*SQUARE, [0.5, 0, 0]],
        [[0, 4, 1, 2, 3]],
        [[0.25, 0.5, 0.5], [0.25, -0.25, 0.25], [0.75, -0.25, 0.25]],
        [0.75] * 3,
        [[FACET], [EDGE], [EDGE]],
    ),
    "duplicates": (
        SQUARE,
        [[0, 1, 2, 3], [1, 2, 3, 0], [3, 2, 1, 0]],
        [[0.25, 0.5, 0.5], [1.25, 0.5, 0.25]],
        [0.75, 0.5],
        [[FACET], [EDGE]],
    ),
}


def hand_made(name):
    vertices, facets, centers, radii, types = HAND_MADE[name]
    centers, radii = np.reshape(centers, (-1, 3)).astype(float), np.array(radii, float)
    return scenes.Scene(np.reshape(vertices, (-1, 3)).astype(float), facets, centers, radii), types


def types_of(contacts):
    return [
        contacts.type[start:end].tolist()
        for start, end in zip(contacts.offsets[:-1], contacts.offsets[1:], strict=True)
    ]


@pytest.mark.parametrize("name", HAND_MADE)
def test_hand_made_scenes(name):
    scene, types = hand_made(name)
    found = ask(scene)
    assert types_of(found) == types
    assert_agree(scene, found, ask_reference(scene), {})
    every = {"resolution": "all"}
    assert_agree(scene, ask(scene, **every), ask_reference(scene, **every), every)


# ---- half spaces ---------------------------------------------------------------------------------


@st.composite
def scenes_with_half_spaces(draw):
    """Spheres near a mesh and up to three half spaces, some along axes, some in the wall."""
    scene = draw(scenes.scenes())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    planes = []
    for along_axis in draw(st.lists(st.booleans(), min_size=1, max_size=3)):
        normal = rng.normal(size=3)
        normal = np.sign(normal) * np.eye(3)[rng.integers(3)] if along_axis else normal
        near = rng.integers(len(scene.centers))
        depth = rng.uniform(-0.5, 1.2) * scene.radii[near]
        plane = abut.HalfSpace(scene.centers[near], normal)
        point = np.array(plane.point) - depth * np.array(plane.normal)
        planes.append(abut.HalfSpace(point, plane.normal))
    return scene, planes


def assert_same_half_space_row(scene, planes, found, expected, k):
    center, radius = scene.centers[expected.sphere[k]], scene.radii[expected.sphere[k]]
    plane = planes[expected.mesh[k] - 1]
    ulp = np.spacing(max(np.abs([*plane.point, *center]).max(), radius))
    assert (found.facet[k], found.type[k], found.feature[k]) == (0, FACET, 0)
    assert abs(found.overlap[k] - expected.overlap[k]) <= 8 * ulp
    assert np.abs(found.point[k] - expected.point[k]).max() <= 32 * ulp
    np.testing.assert_array_equal(found.normal[k], plane.normal)
    nodes = slice(*found.node_offsets[k : k + 2])
    assert found.node[nodes].tolist() == [0] and found.weight[nodes].tolist() == [1.0]


@pytest.mark.parametrize("options", [{}, {"resolution": "all", "gap": 0.3}, {"flat_angle": 0.3}])
def test_random_scenes_with_half_spaces(options):
    tally = {"drawn": 0, "clear": 0, "on planes": 0, "behind": 0, "eliminated": 0, "several": 0}

    @given(scenes_with_half_spaces())
    def compare(drawn):
        scene, planes = drawn
        pairs = [(plane.point, plane.normal) for plane in planes]
        expected = ask_reference(scene, half_spaces=pairs, **options)
        clear = expected.clearance > CLEAR
        tally["drawn"] += len(clear)
        tally["clear"] += clear.sum()
        assume(clear.any())
        scene = scene._replace(centers=scene.centers[clear], radii=scene.radii[clear])
        expected = ask_reference(scene, half_spaces=pairs, **options)
        mesh = abut.Mesh(scene.vertices, scene.facets, noise=0)
        found = abut.find_contacts(scene.centers, scene.radii, [mesh, *planes], **options)
        for column in ("offsets", "sphere", "type", "mesh"):
            np.testing.assert_array_equal(getattr(found, column), getattr(expected, column), column)
        for k in range(len(expected.sphere)):
            if expected.mesh[k] > 0:
                assert_same_half_space_row(scene, planes, found, expected, k)
            else:
                assert_same_row(scene, found, expected, k, options)
        touched = ask_reference(scene, half_spaces=pairs, **options | {"resolution": "all"})
        radii = scene.radii[expected.sphere]
        tally["on planes"] += (expected.mesh > 0).sum()
        tally["behind"] += (expected.overlap > radii).sum()
        tally["eliminated"] += (touched.mesh > 0).sum() - (expected.mesh > 0).sum()
        tally["several"] += (np.diff(expected.offsets) > 1).sum()

    compare()
    assert tally["clear"] >= 0.95 * tally["drawn"], tally
    assert min(tally["on planes"], tally["behind"], tally["several"]) > 0.1 * tally["drawn"], tally
    assert tally["eliminated"] > 0 or options.get("resolution") == "all", tally


def test_half_space_is_a_facet_that_never_ends():
    """With a facet of a million radii in its place, all columns but node and weight are the same
    as far as rounding goes, while centers are in front."""
    rng = np.random.default_rng(3)
    scene = scenes.Scene(*scenes.terrain(rng, 6), rng.uniform([1, 1, 0], [5, 5, 2], (200, 3)), 0.6)
    mesh = abut.Mesh(scene.vertices, scene.facets)
    planes = [abut.HalfSpace((0, 0, 0.3), (0, 0, 1)), abut.HalfSpace((3, 0, 0), (1, 0, 1))]
    large = []
    for plane in planes:
        across = np.linalg.svd(np.array([plane.normal]))[2][1:]
        across *= np.sign(np.linalg.det([*across, plane.normal]))
        across = across if np.linalg.det([*across, plane.normal]) > 0 else across[::-1]
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 1e6 @ across
        large.append(abut.Mesh(np.array(plane.point) + corners, [[0, 1, 2, 3]], noise=0))
    in_front = np.all(
        [(scene.centers - plane.point) @ plane.normal > 0.01 for plane in planes], axis=0
    )
    assert in_front.sum() > 50
    centers = scene.centers[in_front]
    for resolution in ("hierarchy", "sharing", "all"):
        found = abut.find_contacts(centers, 0.6, [mesh, *planes], resolution=resolution)
        expected = abut.find_contacts(centers, 0.6, [mesh, *large], resolution=resolution)
        assert (found.mesh > 0).sum() > 20
        for column in ("sphere", "mesh", "facet", "type", "feature"):
            np.testing.assert_array_equal(getattr(found, column), getattr(expected, column))
        for column in ("point", "normal", "overlap", "share"):
            np.testing.assert_allclose(
                getattr(found, column), getattr(expected, column), rtol=0, atol=1e-8
            )


# ---- the reference against closed forms ----------------------------------------------------------


def test_reference_hand_made_types():
    for name in HAND_MADE:
        scene, types = hand_made(name)
        assert types_of(ask_reference(scene)) == types, name


def test_root():
    assert reference.root(Rational(9, 16)) == Rational(3, 4)
    assert reference.root(Rational(0)) == 0
    for square in (Rational(2), Rational(1, 3), Rational(2) ** -900, Rational(10) ** 300 + 1):
        assert abs(reference.root(square) ** 2 / square - 1) < Rational(1, 2**90)


@given(scenes.meshes(), st.floats(0.1, 3))
def test_closest_point_is_the_closest(mesh, size):
    """No corner of a plane convex facet lies beyond the plane through its closest point."""
    rng, (vertices, facets) = mesh
    for facet in facets:
        corners = [reference.exact(vertices[k]) for k in facet]
        normal = reference.newell(corners)
        if any(reference.dot(normal, reference.minus(c, corners[0])) for c in corners):
            continue
        center = reference.exact(
            vertices[facet].mean(axis=0)
            + size * np.ptp(vertices, axis=0).max() * rng.normal(size=3)
        )
        found = reference.closest(corners, center)
        vector = reference.minus(center, found.point)
        for corner in corners:
            assert reference.dot(vector, reference.minus(corner, found.point)) <= 0


@given(scenes.meshes(), st.floats(0.1, 3))
def test_reference_weights_keep_the_moment_exactly(mesh, size):
    rng, (vertices, facets) = mesh
    for facet in facets:
        corners = [reference.exact(vertices[k]) for k in facet]
        center = reference.exact(
            vertices[facet].mean(axis=0)
            + size * np.ptp(vertices, axis=0).max() * rng.normal(size=3)
        )
        found = reference.closest(corners, center)
        carriers, weights = reference.nodal_weights(corners, found, "wachspress")
        assert sum(weights) == 1
        moment = [
            sum(weight * corners[k][axis] for k, weight in zip(carriers, weights, strict=True))
            for axis in range(3)
        ]
        normal = reference.newell(corners)
        if not any(reference.dot(normal, reference.minus(c, corners[0])) for c in corners):
            assert tuple(moment) == found.point
            assert min(weights) >= 0


def test_zhong_is_wachspress_on_a_parallelogram_and_loses_the_moment_on_a_kite():
    point = reference.exact([1, 0.75, 0])
    corners = [reference.exact(row) for row in ([0, 0, 0], [4, 1, 0], [5, 3, 0], [1, 2, 0])]
    assert reference.zhong(corners, point) == reference.wachspress(corners, point)
    corners = [reference.exact(row) for row in ([0, 0, 0], [3, 1, 0], [3, 3, 0], [1, 3, 0])]
    weights = reference.zhong(corners, point)
    moment = [sum(w * c[axis] for w, c in zip(weights, corners, strict=True)) for axis in (0, 1)]
    assert sum(weights) == 1
    assert max(abs(moment[axis] - point[axis]) for axis in (0, 1)) > Rational(1, 100)


def test_canonical_order_where_elimination_is_not_transitive():
    """V = (1, 0), (1, 1), (0.5, 1.5): the first removes the second, which would the third."""
    vectors = [[1, 0, 0], [1, 1, 0], [0.5, 1.5, 0]]
    contacts = []
    for number, vector in enumerate(map(reference.exact, vectors)):
        point = reference.minus((0, 0, 0), vector)
        square = reference.dot(vector, vector)
        contacts.append(reference.Contact(number, square, VERTEX, 0, point, vector, vector))
    first, second, third = contacts
    assert reference.eliminates(first, second, 0)
    assert reference.eliminates(second, third, 0)
    assert not reference.eliminates(first, third, 0)
    assert reference.hierarchy(contacts, 0) == [first, third]


@pytest.mark.parametrize("cells", [2, 4])
def test_reference_on_a_plane(cells):
    """However a plane is meshed: one contact, with the exact overlap."""
    rng = np.random.default_rng(cells)
    for build in scenes.FLAT_MESHES.values():
        flat, facets = build(rng, cells)
        vertices = np.column_stack([flat, np.zeros(len(flat))])
        centers = np.column_stack([rng.uniform(0.4, 0.6, (2, 2)), [0.25, -0.3]])
        found = reference.find_contacts(centers, [0.5, 0.35], vertices, facets)
        assert found.offsets.tolist() == [0, 1, 2]
        np.testing.assert_array_equal(found.overlap, [0.5 - 0.25, 0.35 - 0.3])
        np.testing.assert_array_equal(found.normal, [[0, 0, 1], [0, 0, -1]])


def test_flat_angle_merges_walls_that_differ_by_less():
    """A valley of dihedral 2a: the sphere keeps one contact where the angle allows it."""
    slope = np.tan(0.1)
    vertices = [[-1, -1, slope], [0, -1, 0], [0, 1, 0], [-1, 1, slope]]
    vertices += [[1, -1, slope], [1, 1, slope]]
    for angle, count in ((0.0, 2), (0.19, 2), (0.21, 1)):
        found = reference.find_contacts(
            [[0.001, 0, 0.4]], [0.5], vertices, TWO_QUADS, flat_angle=angle
        )
        assert len(found.sphere) == count


def test_clearance_falls_to_zero_at_a_tie():
    square = np.array(SQUARE, float), [[0, 1, 2, 3]]
    above = reference.find_contacts([[0.5, 0.25, 0.5], [0.5, 0, 0.5]], [0.75, 0.75], *square)
    assert above.clearance[0] > 1e12
    assert above.clearance[1] == 0
    beside = reference.find_contacts([[0.5, 0.25, 0.5]], [0.5], *square)
    assert beside.clearance[0] == 0


def test_corner_that_is_flat_in_plan_alone():
    """A rectangle bent up in the middle of two sides: no corner may be left out of its fan."""
    lift = 1e-3
    plan = [[0, 0, 0], [1, 0, lift], [2, 0, 0], [2, 2, 0], [1, 2, lift], [0, 2, 0]]
    centers = np.array([[0.25, -0.1, -0.05], [1, -0.1, -0.1], [1, -0.1, -0.3], [1.7, 2.1, -0.2]])
    mesh = np.array(plan), [list(range(6))]
    expected = reference.find_contacts(centers, np.ones(4), *mesh)
    found = abut.find_contacts(centers, np.ones(4), abut.Mesh(*mesh, noise=0))
    assert found.type.tolist() == expected.type.tolist()
    np.testing.assert_allclose(found.overlap, expected.overlap, rtol=1e-14)
    np.testing.assert_allclose(found.point, expected.point, atol=1e-14)
