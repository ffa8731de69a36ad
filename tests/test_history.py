"""Contact history: which contact continues, which vectors it carries, and errors."""

import contextlib
import dataclasses
import math
import pickle
import signal

import numpy as np
import pytest

import abut
import reference_history as reference
import scenes

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def finder():
    """Return a finder for a floor of two triangles and a wall on it."""
    floor = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    wall = abut.Mesh([[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]], [[0, 1, 2, 3]])
    return abut.ContactFinder([floor, wall])


CENTERS = np.array([[0.6, 0.56, 0.4], [0.2, 0.6, 0.15], [9, 9, 9], [0.5, 0.8, 0.3]])
RADII = np.array([0.5, 0.25, 0.5, 0.35])


@pytest.fixture(scope="module")
def before(finder):
    found = finder.find(CENTERS, RADII)
    assert found.counts.tolist() == [1, 2, 0, 1]
    return found


@pytest.fixture(scope="module")
def now(finder):
    # Far enough to the left that the wall is nearer to sphere 1 than the floor.
    return finder.find(CENTERS + [-0.06, 0.03, 0], RADII)


def turn(angle, shift=(0, 0, 0)):
    pose = np.eye(4)
    pose[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    pose[:3, 3] = shift
    return pose


# ---- match ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [1, 3, 10**6, 2**58])
def test_ids_far_apart_and_close_together(finder, spread):
    """Ids are looked up in a table or sorted, with the same result."""
    rng = np.random.default_rng(5)
    names = (rng.permutation(30) - 15) * spread
    centers, radii = rng.random((30, 3)) * [1, 1, 0.3], 0.2
    before = finder.find(centers, radii)
    order = rng.permutation(30)[:20]
    now = finder.find(centers[order], radii)
    match = now.match(before, names[order], names)
    assert (before.sphere[match] == order[now.sphere]).all() and (match >= 0).all()
    names[7] = names[21]
    with pytest.raises(ValueError, match=r"previous_ids\[7\] and previous_ids\[21\] are both"):
        now.match(before, np.arange(20) * spread, names)


def test_sphere_that_comes_in_on_the_other_side():
    """Both sides of a slot are images of one wall, which its normals distinguish."""
    wall = abut.Mesh([[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]], [[0, 1, 2, 3]])
    finder = abut.ContactFinder(wall)
    period = (1, None, None)
    before = finder.find([[0.49, 0.5, 0.5]], 0.6, period=period)
    for shift in (0, -1, 3):
        now = finder.find([[0.51 + shift, 0.5, 0.5]], 0.6, period=period)
        match = now.match(before)
        assert (now.normal == before.normal[match]).all()
        assert (now.image[:, 0] - before.image[match, 0] == shift).all()


BROKEN_OFFSETS = [
    [0, 1, 2, 3],
    [1, 1, 2, 3, 4],
    [0, -1, 2, 3, 4],
    [0, 1, 2, 2**62, 4],
    [0, 1, 2, 3, 3],
]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("offsets", BROKEN_OFFSETS)
def test_offsets_that_do_not_ascend_are_an_error(now, before, offsets, workers):
    """Callers can make tables of any arrays; each of these is wrong in another way."""
    broken = dataclasses.replace(now, offsets=np.array(offsets))
    with pytest.raises(ValueError, match=r"offsets of sphere|previous has"):
        broken.match(before, workers=workers)
    with pytest.raises(ValueError, match=r"offsets of sphere|previous has"):
        now.match(broken, workers=workers)


@pytest.mark.parametrize(
    ("row", "change"),
    [(0, -1), (1, -(2**62)), (1, 2**40), (-1, -1), (-1, 2**62)],
)
def test_node_offsets_that_do_not_ascend_are_an_error(now, before, row, change):
    offsets = now.node_offsets.copy()
    offsets[row] += change
    broken = dataclasses.replace(now, node_offsets=offsets)
    with pytest.raises(ValueError, match="node_offsets of contact"):
        broken.match(before)
    with pytest.raises(ValueError, match="node_offsets of contact"):
        before.match(broken)


def test_columns_of_other_lengths_are_an_error(now, before):
    for name in ("point", "normal", "_tilt", "node_offsets", "mesh"):
        broken = dataclasses.replace(now, **{name: getattr(now, name)[:-1].copy()})
        with pytest.raises(ValueError, match=r"wrong shape|offsets"):
            broken.match(before)
    fewer = dataclasses.replace(now, node=now.node[:-1].copy())
    with pytest.raises(ValueError, match="node_offsets of contact"):
        fewer.match(before)


@pytest.mark.parametrize("name", ["image", "normal", "mesh"])
def test_carry_of_columns_of_other_lengths_is_an_error(finder, name):
    period = (3, None, None)
    now, before = (finder.find(CENTERS, RADII, period=period) for _ in range(2))
    broken = dataclasses.replace(now, **{name: getattr(now, name)[:-1].copy()})
    for this, other in ((broken, before), (before, broken)):
        with pytest.raises(ValueError, match=f"{name} has the wrong shape"):
            this.carry(np.zeros((len(other), 3)), other, np.full(len(this), -1))


def test_numbers_of_no_mesh_and_no_sphere_are_an_error(finder, before):
    poses = [turn(0.5), turn(0.5)]
    now = finder.find(CENTERS, RADII, poses=poses)
    strange = dataclasses.replace(before, mesh=np.full(len(before), 2))
    with pytest.raises(ValueError, match=r"previous: mesh\[0\] is 2, but must be 0 to 1"):
        now.match(strange)
    with pytest.raises(ValueError, match=r"previous: mesh\[0\] is 2, but must be 0 to 1"):
        now.carry(np.zeros((len(before), 3)), strange, np.full(len(now), -1))
    now, before = (finder.find(CENTERS, RADII, period=(9, None, None)) for _ in range(2))
    strange = dataclasses.replace(before, sphere=np.full(len(before), -1))
    with pytest.raises(ValueError, match=r"previous: sphere\[0\] is -1, but must be 0 to 3"):
        now.match(strange)


# ---- carry ---------------------------------------------------------------------------------------


def test_vectors_turn_with_their_mesh(finder, before):
    poses = [turn(0.5, (2, 3, 4)), turn(0.5, (2, 3, 4))]
    rotation, shift = poses[0][:3, :3], poses[0][:3, 3]
    now = finder.find(CENTERS @ rotation.T + shift, RADII, poses=poses)
    tangent = np.cross(before.normal, [0.3, -0.2, 0.7])
    carried = now.carry(tangent, before, now.match(before))
    np.testing.assert_allclose(carried, tangent @ rotation.T, atol=1e-15)
    back = before.carry(carried, now, before.match(now))
    np.testing.assert_allclose(back, tangent, atol=1e-15)


# ---- random scenes against the reference ---------------------------------------------------------


def random_finder(rng):
    floor, facets = scenes.FLAT_MESHES["mixed"](rng, 5)
    ground = np.column_stack([floor, 0.05 * rng.random(len(floor))])
    wall = abut.Mesh(ground[:, [2, 0, 1]], scenes.flat_lists(facets), split=True)
    flat = abut.Mesh(np.column_stack([floor, np.zeros(len(floor))]), scenes.flat_lists(facets))
    return abut.ContactFinder([flat, wall, flat])


def random_pose(rng, size):
    """Return a pose with a small turn and shift, or one of them, or none."""
    axis = rng.integers(3)
    cosine, sine = np.cos(size), np.sin(size)
    pose = np.eye(4)
    if rng.random() < 0.7:
        first, second = (axis + 1) % 3, (axis + 2) % 3
        pose[first, [first, second]] = cosine, -sine
        pose[second, [first, second]] = sine, cosine
    if rng.random() < 0.7:
        pose[:3, 3] = rng.normal(size=3) * size
    return pose


# The number of spheres in a random scene.
COUNT = 150

PERIODS = [None, (1.25, None, None), (1.25, 1.5, None), (None, None, 0.75), (1.25, 1.5, 0.75)]


def random_steps(seed):
    """Return two steps of one scene, and each sphere's number in the first step."""
    rng = np.random.default_rng(seed)
    finder, period = random_finder(rng), PERIODS[seed % len(PERIODS)]
    centers, radii = rng.random((COUNT, 3)) * [1, 1, 0.4], rng.uniform(0.05, 0.25, COUNT)
    options = {
        "period": period,
        "resolution": ["hierarchy", "sharing", "all"][seed % 3],
        "flat_angle": [0.0, 0.1][seed % 2],
    }
    poses = [random_pose(rng, 0.5) for _ in range(3)] if seed % 4 else None
    before = finder.find(centers, radii, poses=poses, **options)
    if seed % 4 > 1:
        poses = [random_pose(rng, 0.02) @ pose for pose in poses]
    elif seed % 8 == 0:
        poses = [random_pose(rng, 0.02) for _ in range(3)]
    earlier = np.where(rng.random(COUNT) < 0.1, -1, rng.permutation(COUNT))
    steps = rng.normal(size=(COUNT, 3)) * rng.choice([0, 0.01, 0.05])
    wraps = rng.integers(-2, 3, (COUNT, 3)) * [length or 0 for length in period or (0, 0, 0)]
    moved = np.where(earlier[:, None] < 0, centers, centers[earlier]) + steps + wraps
    now = finder.find(moved, radii[earlier], poses=poses, **options)
    return now, before, earlier


@pytest.mark.parametrize("seed", range(24))
def test_random_scenes(seed):
    now, before, earlier = random_steps(seed)
    ids = np.where(earlier < 0, COUNT + np.arange(COUNT), earlier), np.arange(COUNT)
    expected = reference.match(now, before, earlier)
    assert (expected >= 0).sum() > 5
    vectors = np.cross(before.normal, np.random.default_rng(seed).normal(size=(len(before), 3)))
    carried = reference.carry(vectors, now, before, expected)
    for workers in (1, 3):
        match = now.match(before, *ids, workers=workers)
        assert match.tolist() == expected.tolist()
        found = now.carry(vectors, before, match, workers=workers)
        np.testing.assert_allclose(found, carried, rtol=0, atol=5e-15)
        assert now.carry(vectors, before, None, *ids, workers=workers).tobytes() == found.tobytes()


def many_spheres(seed, count):
    """Return two steps of `count` spheres on a turning floor, in a periodic box."""
    rng = np.random.default_rng(seed)
    finder = random_finder(rng)
    centers = rng.random((count, 3)) * [1, 1, 0.1]
    options = {"period": (1.25, 1.5, None), "resolution": "all"}
    before = finder.find(centers, 0.08, poses=[random_pose(rng, 0.3) for _ in range(3)], **options)
    now = finder.find(centers + 0.01, 0.08, **options)
    return now, before


def many_contacts(seed):
    """Return two steps of one sphere with hundreds of contacts, one for each facet it touches."""
    rng = np.random.default_rng(seed)
    kind = ["grid", "fan", "both", "twice"][seed % 4]
    angles = np.linspace(0, 2 * np.pi, 280, endpoint=False)
    rim = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    facets = [[280, k, (k + 1) % 280] for k in range(280)]
    fan = abut.Mesh(np.concatenate([rim, [[0, 0, 0.05]]]), facets)
    vertices, squares = scenes.FLAT_MESHES["mixed"](rng, 14)
    heights = rng.choice([0.0, 0.02]) * rng.random(len(vertices))
    ground = np.column_stack([2 * vertices - 1, heights])
    grid = abut.Mesh(ground, scenes.flat_lists(squares), split=True)
    meshes = {"grid": [grid], "fan": [fan], "both": [grid, fan], "twice": [grid, grid]}[kind]
    period = (3.0, None, None) if seed % 3 == 0 else None
    finder, options = abut.ContactFinder(meshes), {"resolution": "all", "period": period}
    size = rng.choice([0, 1e-3, 0.1])
    before = finder.find([[0, 0, 0.9]], 1.5, **options)
    center = [0, 0, 0.9] + size * rng.normal(size=3) + [3.0 if period else 0, 0, 0]
    poses = [random_pose(rng, 1e-3) for _ in meshes] if seed % 5 == 0 else None
    return finder.find([center], 1.5, poses=poses, **options), before


@pytest.mark.parametrize("seed", range(12))
def test_many_contacts_of_one_sphere(seed):
    now, before = many_contacts(seed)
    # There are so many contacts that the library matches them by its method for crowds.
    assert len(now) * len(before) > reference.CROWD_PAIRS
    expected = reference.match(now, before, np.arange(1))
    assert now.match(before).tolist() == expected.tolist()


def giant(cells):
    """Return all contacts of a sphere with a floor of squares, each split into two triangles."""
    vertices, facets = scenes.sheet(cells)
    floor = abut.Mesh(2 * vertices - [1, 1, 0], facets)
    return abut.ContactFinder(floor).find([[0, 0, 1.5]], 2.2, resolution="all")


def test_tens_of_thousands_of_contacts_of_one_sphere_match():
    """Without a faster method than comparing all pairs, this would take a minute."""
    contacts = giant(160)
    assert len(contacts) == 51_200
    assert contacts.match(contacts).tolist() == list(range(len(contacts)))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal")
def test_matching_one_sphere_is_interruptible():
    contacts = giant(160)
    asked = []

    def stop(*arguments):
        asked.append(1)
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises(KeyboardInterrupt):
            while True:
                signal.setitimer(signal.ITIMER_REAL, 1e-3)
                # NumPy turns an interrupt within a comparison into this error.
                with contextlib.suppress(TypeError):
                    contacts.match(contacts)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert asked


def test_the_same_bits_for_any_number_of_threads():
    now, before = many_spheres(3, 20_000)
    vectors = np.cross(before.normal, [0.3, -0.2, 0.7])
    match = now.match(before, workers=1)
    carried = now.carry(vectors, before, match, workers=1)
    assert (match >= 0).sum() > 20_000
    for workers in (2, 3):
        assert now.match(before, workers=workers).tobytes() == match.tobytes()
        assert now.carry(vectors, before, match, workers=workers).tobytes() == carried.tobytes()


# ---- errors --------------------------------------------------------------------------------------


def test_other_meshes(finder, now, before):
    other = abut.ContactFinder(list(finder.meshes)[::-1]).find(CENTERS, RADII)
    alone = abut.find_contacts(CENTERS, RADII, finder.meshes[0])
    for previous in (other, alone):
        with pytest.raises(ValueError, match="previous holds contacts with other meshes"):
            now.match(previous)
        with pytest.raises(ValueError, match="previous holds contacts with other meshes"):
            now.carry(np.zeros((len(previous), 3)), previous, np.full(len(now), -1))
    # Another finder with the same meshes is allowed.
    assert now.match(abut.ContactFinder(finder.meshes).find(CENTERS, RADII)).tolist() == (
        now.match(before).tolist()
    )


def test_other_number_of_poses(finder, now):
    posed = abut.find_contacts(CENTERS, RADII, finder.meshes[0], poses=np.eye(4))
    unknown = pickle.loads(pickle.dumps(posed))
    with pytest.raises(ValueError, match="previous holds contacts with 1 mesh, but there are 2"):
        now.match(unknown)
