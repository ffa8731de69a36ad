"""Tangential springs go along with the surface, whatever facets it is made of.

A spring is the displacement that friction has stored, a vector in the contact's tangent plane. In
each step it is carried from the contact that the new one continues, the step's displacement is
added, and Coulomb's limit shortens it. Beside it stands what is lost by a method that knows
contacts by their facets, as the paper's equation 43 has it.
"""

import numpy as np
import pytest

import abut
import scenes
from abut import examples

# the overlap of the spheres of radius 1, and the longest spring that friction allows
OVERLAP, LIMIT = 0.1, 0.2


def turned(axis, angle):
    """The matrix of a rotation (Rodrigues)."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


def pose(rotation, place):
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = rotation, place
    return made


def limited(springs, limit=LIMIT):
    size = np.linalg.norm(springs, axis=-1, keepdims=True)
    return springs * np.minimum(1, limit / np.where(size > 0, size, 1))


def lengths(vectors):
    return np.linalg.norm(vectors, axis=-1)


# ---- dragging over a plane -----------------------------------------------------------------------


def paths(rng, count, steps):
    """Curves within 4 radii of the plane's middle, (steps, count, 2), and what friction stores."""
    speeds = rng.normal(size=(steps, count, 2)).cumsum(axis=0)
    way = speeds.cumsum(axis=0)
    feet = rng.uniform(-1, 1, (count, 2)) + 3 * way / np.abs(way).max()
    springs = np.zeros_like(feet)
    for k in range(1, steps):
        springs[k] = limited(springs[k - 1] + feet[k] - feet[k - 1])
    return feet, springs


def in_space(points):
    """Points of the plane z = 0."""
    return np.concatenate([points, np.zeros((*points.shape[:-1], 1))], axis=-1)


def drag(mesh, feet, poses, **options):
    """Yield each step's springs in the mesh's own frame, (count, 3)."""
    finder, before, springs = abut.ContactFinder(mesh), None, None
    for k in range(len(feet)):
        rotation, place = poses[k][:3, :3], poses[k][:3, 3]
        centers = (in_space(feet[k]) + [0, 0, 1 - OVERLAP]) @ rotation.T + place
        now = finder.find(centers, 1.0, poses=poses[k], **options)
        assert np.all(now.counts == 1)
        if before is None:
            springs = np.zeros((len(now), 3))
        else:
            match = now.match(before)
            np.testing.assert_array_equal(match, np.arange(len(now)))
            step = in_space(feet[k] - feet[k - 1]) @ rotation.T
            springs = limited(now.carry(springs, before, match) + step)
        before = now
        yield springs @ rotation


def still(count):
    return np.tile(np.eye(4), (count, 1, 1))


def moving(rng, count):
    """A mesh that turns about an axis in space and goes its way: by 5 rotations and 30 radii."""
    axis, way = rng.normal(size=(2, 3))
    parts = np.linspace(0, 1, count)
    return np.array([pose(turned(axis, 10 * np.pi * t), 30 * t * way) for t in parts])


def centered(rng, kind, size=6):
    """A plane mesh around the origin with facets of about half a radius."""
    flat, facets = scenes.FLAT_MESHES[kind](rng, 2 * size)
    points = in_space(size * (2 * flat - 1))
    return points, facets


@pytest.mark.parametrize("motion", ["still", "moving"])
@pytest.mark.parametrize("kind", scenes.FLAT_MESHES)
def test_dragging_over_a_plane(kind, motion):
    """The spring is the analytic one however the plane is meshed and however it moves."""
    rng = np.random.default_rng([len(kind), ord(kind[0])])
    feet, springs = paths(rng, 20, 150)
    points, facets = centered(rng, kind)
    mesh = abut.Mesh(points, scenes.flat_lists(facets))
    poses = still(len(feet)) if motion == "still" else moving(rng, len(feet))
    for found, expected in zip(drag(mesh, feet, poses), springs, strict=True):
        assert np.all(lengths(found - in_space(expected)) <= 1e-12 * LIMIT)


@pytest.mark.parametrize("kind", ["quads", "triangles", "delaunay", "honeycomb", "t_junctions"])
def test_dragging_over_a_plane_whose_vertices_are_turned(kind):
    """Rounded vertices tilt the facets by their noise; what is seen along the plane's normal is the
    analytic spring all the same."""
    rng = np.random.default_rng([len(kind), ord(kind[0])])
    feet, springs = paths(rng, 20, 150)
    points, facets = centered(rng, kind)
    turn = turned(rng.normal(size=3), 1.0)
    mesh = abut.Mesh(points @ turn.T, scenes.flat_lists(facets))
    finder, before, carried = abut.ContactFinder(mesh), None, np.zeros((20, 3))
    for k in range(len(feet)):
        now = finder.find((in_space(feet[k]) + [0, 0, 1 - OVERLAP]) @ turn.T, 1.0)
        if before is not None:
            match = now.match(before)
            np.testing.assert_array_equal(match, np.arange(20))
            step = in_space(feet[k] - feet[k - 1]) @ turn.T
            carried = limited(now.carry(carried, before, match) + step)
        before = now
        apart = (carried @ turn)[:, :2] - springs[k]
        assert np.all(lengths(apart) <= 1e-12 * LIMIT)


# ---- the loss by equation 43 without carried springs ---------------------------------------------

# Kn / Kt and friction of the paper's example: 0.525 overlap / L
RATIO, FRICTION = 3.5, 0.3


def sliding_work(size, matched):
    """The work of friction over 12 facets of length `size`, as a part of friction times the way;
    the spring was taut at the start."""
    points = np.array([[size * k, y, 0.0] for y in (-2, 2) for k in range(13)])
    mesh = abut.Mesh(points, [[k, k + 1, k + 14, k + 13] for k in range(12)])
    finder, taut, count = abut.ContactFinder(mesh), FRICTION * OVERLAP * RATIO, 6_000
    step = np.array([12 * size / count, 0, 0])
    before = finder.find([0.5 * step + [0, 0, 1 - OVERLAP]], 1.0)
    spring, work = np.array([[taut, 0, 0]]), 0.0
    for k in range(1, count):
        now = finder.find([(k + 0.5) * step + [0, 0, 1 - OVERLAP]], 1.0)
        match = now.match(before) if matched else np.where(now.facet == before.facet, 0, -1)
        old = now.carry(spring, before, match)
        spring = limited(old + step, taut)
        # the force's mean over the step, by which it grew from the old spring
        work += min(0.5 * (old[0, 0] + spring[0, 0]), taut) * step[0]
        before = now
    return work / (taut * (count - 1) * step[0])


@pytest.mark.cases(1)
@pytest.mark.parametrize("size", [0.5, 2.0])
def test_loss_of_equation_43(size):
    """A spring that begins anew on each facet has the loss of the equation; a carried one none."""
    assert sliding_work(size, matched=True) == pytest.approx(1, rel=1e-12)
    # the taut spring is as long as eq. 43's mu delta Kn / Kt; 11 of 12 facets are entered
    taut = FRICTION * OVERLAP * RATIO
    kept = sliding_work(size, matched=False)
    lost = (1 - kept) * 12 / 11
    assert lost / (1 - lost) == pytest.approx(taut / (2 * size - taut), rel=0.01)
    assert lost > 0.4 * 0.525 * OVERLAP / size


# ---- rolling over edges --------------------------------------------------------------------------


def roof(rng, pieces):
    """A roof of 90 degrees about the x axis; its two planes are cut independently of each other,
    but for the ridge."""
    x = np.concatenate([[-3], np.sort(rng.uniform(-3, 3, pieces - 1)), [3]])
    ridge = np.column_stack([x, 0 * x, 0 * x])
    left, right = ridge + [0, -4, -4], ridge + [0, 4, -4]
    count = len(x)
    facets = [[k, k + 1, count + k + 1, count + k] for k in range(count - 1)]
    mirrored = [[k + 1, k, 2 * count + k, 2 * count + k + 1] for k in range(count - 1)]
    return np.concatenate([ridge, left, right]), scenes.split_quads(rng, facets + mirrored)


def over_the_ridge(steps):
    """Centers of a sphere that rolls up one plane, around the ridge and down the other, and the
    normals there."""
    slope = np.sqrt(0.5)
    angle = np.concatenate(
        [np.full(steps, -np.pi / 4), np.linspace(-np.pi / 4, np.pi / 4, steps), [np.pi / 4] * steps]
    )
    down = np.concatenate([np.linspace(1, 0, steps), np.zeros(steps), np.linspace(0, 1, steps)])
    normals = np.column_stack([0 * angle, np.sin(angle), np.cos(angle)])
    feet = np.column_stack([0.3 * np.sin(3 * angle), np.sign(angle) * slope * down, -slope * down])
    return feet + (1 - OVERLAP) * normals, normals


@pytest.mark.parametrize("pieces", [1, 7])
def test_rolling_over_a_convex_edge(pieces):
    """The spring's part along the edge stays, the part across turns with the normal."""
    vertices, facets = roof(np.random.default_rng(pieces), pieces)
    finder = abut.ContactFinder(abut.Mesh(vertices, scenes.flat_lists(facets)))
    centers, normals = over_the_ridge(60)
    along, across = np.array([1.0, 0, 0]), np.cross(normals, [1.0, 0, 0])
    before = finder.find(centers[:1], 1.0)
    spring = 0.03 * along + 0.04 * across[:1]
    kinds = set()
    for k in range(1, len(centers)):
        now = finder.find(centers[k : k + 1], 1.0)
        match = now.match(before)
        assert match.tolist() == [0]
        spring, before = now.carry(spring, before, match), now
        kinds.add(int(now.type[0]))
        assert lengths(spring - 0.03 * along - 0.04 * across[k]) <= 1e-12 * LIMIT
    assert {abut.FACET, abut.EDGE} <= kinds


@pytest.mark.parametrize("resolution", ["hierarchy", "sharing"])
def test_rolling_over_a_concave_edge(resolution):
    """From a floor up a wall: the wall's contact begins new, and stays when the floor's ends."""
    vertices = np.array([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0], [0, 0, 4], [0, 4, 4]])
    finder = abut.ContactFinder(abut.Mesh(vertices, [[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4]]))
    reach = 1 - OVERLAP
    toward, up = np.linspace(2, reach, 40), np.linspace(reach, 2, 40)
    centers = [[x, 1.7, reach] for x in toward] + [[reach, 1.7, z] for z in up]
    before = finder.find(centers[:1], 1.0, resolution=resolution)
    springs, walls = np.array([[0.0, 0.03, 0.0]]), 0
    for center in centers[1:]:
        now = finder.find([center], 1.0, resolution=resolution)
        match = now.match(before)
        springs, before = now.carry(springs, before, match), now
        for row, normal in enumerate(now.normal):
            on_floor = normal[2] > 0.5
            expected = [0, 0.03, 0] if on_floor else [0, 0.04, 0] if walls else [0, 0, 0]
            assert lengths(springs[row] - expected) <= 1e-12 * LIMIT
            if not on_floor and not walls:
                assert match[row] == -1
                springs[row], walls = [0, 0.04, 0], 1
    assert before.normal.tolist() == [[1, 0, 0]]
    np.testing.assert_allclose(springs, [[0, 0.04, 0]], rtol=1e-12, atol=1e-15)


# ---- appearing, vanishing, merging, splitting ----------------------------------------------------


def test_contacts_appear_and_vanish():
    finder = abut.ContactFinder(examples.plane())
    touching, away = [[0.5, 0.5, 0.15]], [[0.5, 0.5, 0.3]]
    before, between, after = (finder.find(c, 0.2) for c in (touching, away, touching))
    assert between.match(before).tolist() == []
    match = after.match(between)
    assert match.tolist() == [-1]
    assert after.carry(np.zeros((0, 3)), between, match).tolist() == [[0, 0, 0]]


def hinge():
    """Two plates that meet at the y axis, each in its own mesh."""
    left = abut.Mesh([[0, 0, 0], [0, 4, 0], [-4, 4, 0], [-4, 0, 0]], [[0, 1, 2, 3]])
    right = abut.Mesh([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2, 3]])
    return abut.ContactFinder([left, right])


def opened(finder, angle, height):
    """A sphere over the hinge; its plates rise by an angle to both sides."""
    poses = [pose(turned([0, 1, 0], turn), [0, 0, 0]) for turn in (angle, -angle)]
    return finder.find([[0.01, 2, height]], 1.0, poses=poses)


def test_two_facets_become_one_edge_and_two_again():
    """A valley opens to a ridge. One spring continues, that of the plate which the edge is named
    after. It turns with the plate and to the edge's normal."""
    finder = hinge()
    valley = opened(finder, 0.1, 0.9)
    ridge = opened(finder, -0.1, 0.9)
    assert valley.type.tolist() == [abut.FACET, abut.FACET]
    assert ridge.type.tolist() == [abut.EDGE]
    springs = np.array([[0, 0.03, 0], [0, 0.04, 0.0]])
    merged = ridge.match(valley)
    assert valley.mesh[merged].tolist() == ridge.mesh.tolist()
    spring = ridge.carry(springs, valley, merged)
    np.testing.assert_allclose(spring, springs[merged], rtol=0, atol=1e-15)
    split = valley.match(ridge)
    assert sorted(split.tolist()) == [-1, 0]
    assert valley.mesh[split == 0].tolist() == ridge.mesh.tolist()
    again = valley.carry(spring, ridge, split)
    np.testing.assert_allclose(again[split == 0], spring, rtol=0, atol=1e-15)
    assert not again[split == -1].any()
