"""Several meshes, where their poses and the period have them: the same as one mesh at rest."""

import copy
import math
import pickle
import sys
import time
from functools import partial

import numpy as np
import pytest

import abut
import scenes
from abut.base.poses import read_pose, read_poses, rotated

COLUMNS = ("sphere", "mesh", "facet", "type", "feature", "point", "normal", "overlap", "share")
EXACT = (*COLUMNS, "image", "offsets", "node", "weight", "node_offsets")

# What no order of facets or meshes may change, to the bit.
ORDERLESS = ("sphere", "type", "point", "normal", "overlap", "image", "offsets")

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


@pytest.fixture(scope="module")
def square():
    return abut.Mesh(SQUARE, [[0, 1, 2, 3]])


def turn(angle, axis=2, shift=(0, 0, 0)):
    pose = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    pose[[i, j], [i, j]] = math.cos(angle)
    pose[[j, i], [i, j]] = math.sin(angle), -math.sin(angle)
    pose[:3, 3] = shift
    return pose


def moved_by(shift):
    return turn(0, shift=shift)


def random_pose(rng, reach):
    pose = np.eye(4)
    pose[:3, :3] = scenes.rotation(rng)
    pose[:3, 3] = rng.uniform(-reach, reach, 3)
    return pose


# ---- a mesh in pieces ----------------------------------------------------------------------------


def surface(kind, rng):
    """A mesh of size about 1 with shared vertices."""
    if kind == "terrain":
        points, facets = scenes.terrain(rng, 6)
    elif kind == "folded":
        points, facets = scenes.folded(rng, 6, 4)
    elif kind == "cylinder":
        points, facets = scenes.cylinder(rng, 12, 2, 2.0, 4)
    else:
        flat, facets = scenes.mixed(rng, 5)
        points = scenes.frame(rng, turn="in space", shift=0.5).place(flat)
    points = np.asarray(points, float)
    return points / np.ptp(points, axis=0).max(), facets


def cut(rng, points, facets, count):
    """The facets dealt out to meshes with random frames; the poses, and the facets of each."""
    owner = rng.integers(count, size=len(facets))
    meshes, poses, numbers = [], [], []
    for k in range(count):
        pose = random_pose(rng, 1.0)
        fine = np.asarray(points, scenes.Fine) - pose[:3, 3]
        local = (fine @ np.asarray(pose[:3, :3], scenes.Fine)).astype(float)
        numbers.append(rng.permutation(np.flatnonzero(owner == k)))
        meshes.append(abut.Mesh(local, [facets[f] for f in numbers[k]]))
        poses.append(pose)
    return meshes, np.array(poses), numbers


def spheres_on(rng, points, facets, count=150):
    centers, _ = scenes.spheres_near(rng, points, facets, count, 1.0)
    on_mesh = points[[facets[k][0] for k in rng.integers(len(facets), size=count)]]
    radii = 10 ** rng.uniform(-1.5, -0.3, count)
    return on_mesh + (centers - centers.mean(axis=0)) * radii[:, None] * 0.5, radii


def assert_close(found, expected, radii, size):
    """Check that contacts are equal up to rounding."""
    assert found.counts.tolist() == expected.counts.tolist()
    assert found.type.tolist() == expected.type.tolist()
    near = 1e-12 * size + 4 * np.spacing(size)
    np.testing.assert_allclose(found.point, expected.point, rtol=0, atol=near)
    np.testing.assert_allclose(found.overlap, expected.overlap, rtol=0, atol=near)
    distance = radii[expected.sphere] - expected.overlap
    apart = np.abs(found.normal - expected.normal).max(axis=1, initial=0)
    assert (apart * np.minimum(distance, 1) <= near).all()


@pytest.mark.parametrize("kind", ["terrain", "folded", "cylinder", "plane"])
@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_pieces_are_the_whole(kind, count):
    rng = np.random.default_rng(count)
    points, facets = surface(kind, rng)
    centers, radii = spheres_on(rng, points, facets)
    meshes, poses, numbers = cut(rng, points, facets, count)
    whole = abut.find_contacts(centers, radii, abut.Mesh(points, facets))
    found = abut.ContactFinder(meshes).find(centers, radii, poses=poses)
    assert len(whole) > 100
    assert_close(found, whole, radii, 4.0)
    on_facet = found.type == abut.FACET
    pairs = zip(found.mesh[on_facet], found.facet[on_facet], strict=True)
    assert [numbers[k][f] for k, f in pairs] == whole.facet[on_facet].tolist()


@pytest.mark.parametrize("order", ["mesh by mesh", "in any order"])
@pytest.mark.parametrize("period", [None, (None, 9.0, None)])
def test_many_meshes_apart_are_each_alone(order, period):
    """Meshes far from all spheres of a batch are not searched."""
    rng = np.random.default_rng(5)
    points, facets = surface("folded", rng)
    mesh, count = abut.Mesh(points, facets), 40
    poses = np.array([random_pose(rng, 0.0) for _ in range(count)])
    poses[:, :3, 3] = 3 * np.stack(np.unravel_index(np.arange(count), (5, 2, 4)), axis=1)
    near, radii = spheres_on(rng, points, facets, 60 * count)
    radii = np.minimum(radii, 0.5)
    whose = np.repeat(np.arange(count), 60)
    if order == "in any order":
        whose = rng.permutation(whose)
    turned = np.einsum("nij,nj->ni", poses[whose, :3, :3], near)
    centers = turned + poses[whose, :3, 3]
    found = abut.find_contacts(centers, radii, [mesh] * count, poses=poses, period=period)
    alone = [
        abut.find_contacts(centers, radii, mesh, poses=poses[k : k + 1], period=period)
        for k in range(count)
    ]
    assert len(found) == sum(map(len, alone)) > 2000
    for k in range(count):
        own = found.mesh == k
        assert found.sphere[own].tolist() == alone[k].sphere.tolist()
        assert found.facet[own].tolist() == alone[k].facet.tolist()
        assert (found.point[own] == alone[k].point).all()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100))
def test_more_pieces_are_the_whole(seed):
    rng = np.random.default_rng([1, seed])
    points, facets = surface(["terrain", "folded", "cylinder", "plane"][seed % 4], rng)
    centers, radii = spheres_on(rng, points, facets, 1000)
    meshes, poses, _ = cut(rng, points, facets, int(rng.integers(1, 25)))
    whole = abut.find_contacts(centers, radii, abut.Mesh(points, facets))
    assert_close(abut.find_contacts(centers, radii, meshes, poses=poses), whole, radii, 4.0)


@pytest.fixture(scope="module")
def scene():
    """Spheres on a rough surface in four pieces: (centers, radii), meshes, poses, and the whole."""
    rng = np.random.default_rng(11)
    points, facets = surface("terrain", rng)
    spheres = spheres_on(rng, points, facets, 300)
    meshes, poses, _ = cut(rng, points, facets, 4)
    return spheres, meshes, poses, abut.find_contacts(*spheres, abut.Mesh(points, facets))


def test_shares_do_not_see_pieces(scene):
    spheres, meshes, poses, whole = scene
    options = {"resolution": "sharing", "exponent": 1.0, "keep_zero": True}
    found = abut.find_contacts(*spheres, meshes, poses=poses, **options)
    expected = abut.find_contacts(*spheres, whole.meshes, **options)
    assert (found.share < 1).any() and (found.share >= 0).all() and (found.share <= 1).all()

    def forces(contacts):
        each = (contacts.share * contacts.overlap)[:, None] * contacts.normal
        total = np.zeros((len(spheres[0]), 3))
        np.add.at(total, contacts.sphere, each)
        return total

    # deep overlaps from all round have several solutions: few spheres, if any
    apart = np.abs(forces(found) - forces(expected)).max(axis=1)
    assert np.mean(apart > 1e-9) < 0.02


def test_weights_are_of_each_mesh(scene):
    pytest.importorskip("scipy")
    spheres, meshes, poses, whole = scene
    found = abut.find_contacts(*spheres, meshes, poses=poses)
    parts = [found.weight_matrix(mesh=k) for k in range(4)]
    for k, part in enumerate(parts):
        assert part.shape == (len(found), len(meshes[k].vertices))
        filled = np.diff(part.indptr) > 0
        assert (filled == (found.mesh == k)).all() and filled.any()
    # the pieces number the vertices as the whole does
    np.testing.assert_allclose(sum(parts).toarray(), whole.weight_matrix().toarray(), atol=1e-9)
    assert (found.weight_matrix() != parts[0]).nnz == 0


@pytest.mark.parametrize("period", [None, (0.9, 1.1, None)])
def test_order_of_facets_and_meshes(scene, period):
    spheres, meshes, poses, _ = scene
    rng = np.random.default_rng(5)
    order = rng.permutation(4)
    shuffled = []
    for k in order:
        facets = np.split(meshes[k].indices, meshes[k].offsets[1:-1])
        shuffled.append(
            abut.Mesh(meshes[k].vertices, [facets[f] for f in rng.permutation(len(facets))])
        )
    expected = abut.find_contacts(*spheres, meshes, poses=poses, period=period)
    found = abut.find_contacts(*spheres, shuffled, poses=poses[order], period=period)
    scenes.assert_same_bits(found, expected, ORDERLESS if period is None else ORDERLESS[:-2])


# ---- poses ---------------------------------------------------------------------------------------


def test_identity_is_no_pose(scene):
    spheres, _, _, whole = scene
    finder = abut.ContactFinder(whole.meshes[0])
    for poses in (None, np.eye(4), np.eye(4)[None], [None], [np.eye(4)], np.eye(4).tolist()):
        scenes.assert_same_bits(finder.find(*spheres, poses=poses), whole, EXACT)


def test_contacts_keep_the_poses(square):
    pose = turn(0.3, shift=(0, 0, 0.125))
    found = abut.find_contacts([[0.1, 0.5, 0.5]], 0.5, square, poses=pose, flat_angle=0.25)
    assert found.poses.shape == (1, 4, 4) and not found.poses.flags.writeable
    np.testing.assert_allclose(found.poses[0], pose, atol=1e-15)
    expected = found.poses[0].copy()
    pose[:] = 0
    again = pickle.loads(pickle.dumps(found))
    for kept in (found, found[:0], found.of(0), copy.copy(found), copy.deepcopy(found), again):
        assert kept.poses[0].tolist() == expected.tolist() and not kept.poses.flags.writeable
        assert kept.period is None and kept.flat_angle == 0.25
        assert len(kept._tilt) == len(kept) and (kept._tilt == 0.25).all()


def as_scipy(name, pose):
    transform = pytest.importorskip("scipy.spatial.transform")
    if name == "Rotation":
        return transform.Rotation.from_matrix(pose[..., :3, :3])
    if not hasattr(transform, "RigidTransform"):
        pytest.skip("SciPy has no RigidTransform")
    return transform.RigidTransform.from_matrix(pose)


@pytest.mark.parametrize("name", ["Rotation", "RigidTransform"])
def test_scipy_transforms(scene, name):
    spheres, meshes, poses, _ = scene
    poses = poses.copy()
    if name == "Rotation":
        poses[:, :3, 3] = 0
    each = [as_scipy(name, pose) for pose in poses]
    expected = abut.find_contacts(*spheres, meshes, poses=poses)
    for given in (each, tuple(each), [each[0], poses[1], *each[2:]], as_scipy(name, poses)):
        found = abut.find_contacts(*spheres, meshes, poses=given)
        np.testing.assert_allclose(found.poses, expected.poses, atol=1e-15)
        assert len(found) == len(expected)
        np.testing.assert_allclose(found.point, expected.point, atol=1e-13)
    alone = abut.find_contacts(*spheres, meshes[0], poses=each[0])
    assert alone.poses.shape == (1, 4, 4)
    assert meshes[0].transformed(each[0]).vertices == pytest.approx(
        meshes[0].transformed(poses[0]).vertices, abs=1e-15
    )


def test_orthonormal_to_the_bit(scene):
    """One step of Newton's method, every product summed up in the order of its columns."""
    rng = np.random.default_rng(5)
    for pose in [*scene[2], *(random_pose(rng, 3.0) for _ in range(50))]:
        skew = pose.copy()
        skew[:3, :3] += 1e-7 * rng.uniform(-1, 1, (3, 3))
        rotation = skew[:3, :3]
        gram = rotated(rotation.T, rotation.T)
        expected = skew.copy()
        expected[:3, :3] = rotated(rotation, 3 * np.eye(3) - gram) / 2
        assert read_pose(skew, "pose").tobytes() == expected.tobytes()


@pytest.mark.parametrize("given", [np.eye(4), np.eye(4)[None]], ids=["one", "stack"])
def test_reading_a_pose_takes_few_calls(given):
    """A small query takes no longer than forty calls of NumPy on small arrays do."""
    calls = []
    sys.setprofile(lambda frame, event, what: calls.append(event))
    try:
        read_poses(given, 1)
    finally:
        sys.setprofile(None)
    assert sum(event in ("call", "c_call") for event in calls) < 40


def test_moving_builds_nothing_anew():
    rng = np.random.default_rng(2)
    points, facets = scenes.terrain(rng, 220)
    mesh = abut.Mesh(points, facets)
    sphere = points.mean(axis=0)[None], 0.5

    def seconds(call):
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin

    finder = abut.ContactFinder(mesh)
    first = seconds(partial(finder.find, *sphere))
    moves = [turn(angle, shift=(angle, 0, 0)) for angle in np.linspace(0, 1, 9)]
    moved = min(seconds(partial(finder.find, *sphere, poses=pose)) for pose in moves)
    assert moved < first / 5


# ---- velocity ------------------------------------------------------------------------------------


def rolled(pose, time, twist):
    """Where a pose is after a time of constant twist."""
    speed = np.linalg.norm(twist[3:])
    x, y, z = twist[3:] / speed
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = speed * time
    turned = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    after = np.eye(4)
    after[:3, :3] = turned @ pose[:3, :3]
    after[:3, 3] = pose[:3, 3] + twist[:3] * time
    return after


def test_velocity_by_finite_differences(scene):
    spheres, meshes, poses, _ = scene
    twists = np.random.default_rng(8).normal(size=(4, 6))
    found = abut.find_contacts(*spheres, meshes, poses=poses, period=(0.9, None, 2.0))
    assert found.image.any() and set(found.mesh) == {0, 1, 2, 3}
    shift = found.image * [0.9, 0, 2.0]

    def places(time):
        """The places of the mesh points on which contacts lie."""
        later = [rolled(pose, time, twist) for pose, twist in zip(poses, twists, strict=True)]
        after, now = np.array(later)[found.mesh], poses[found.mesh]
        arm = np.einsum("mji,mj->mi", now[:, :3, :3], found.point - shift - now[:, :3, 3])
        return np.einsum("mij,mj->mi", after[:, :3, :3], arm) + after[:, :3, 3] + shift

    difference = (places(1e-5) - places(-1e-5)) / 2e-5
    np.testing.assert_allclose(found.velocity(twists), difference, atol=1e-8)


@pytest.mark.parametrize(
    ("twists", "error", "message"),
    [
        (np.zeros(6), ValueError, r"twists has shape \(6,\), but must be \(2, 6\)"),
        (np.zeros((1, 6)), ValueError, r"twists has shape \(1, 6\), but must be \(2, 6\)"),
        (np.zeros((3, 6)), ValueError, r"twists has shape \(3, 6\), but must be \(2, 6\)"),
        (np.zeros((2, 3)), ValueError, r"twists has shape \(2, 3\)"),
        (np.zeros((1, 2, 6)), ValueError, r"twists has shape \(1, 2, 6\)"),
        (3.0, ValueError, r"twists has shape \(\)"),
        ([[0] * 6, [0, 0, np.nan, 0, 0, 0]], ValueError, r"twists\[1, 2\] is nan"),
        ([["x"] * 6] * 2, TypeError, "twists has dtype <U1"),
        (None, TypeError, "twists is None, but must be real numbers"),
    ],
)
def test_bad_twists(square, twists, error, message):
    found = abut.find_contacts([[0.25, 0.5, 0.25]], 0.5, [square, square])
    with pytest.raises(error, match=message):
        found.velocity(twists)


# ---- periods -------------------------------------------------------------------------------------


def repeated(mesh, pose, period, reach):
    """The mesh's poses at all images up to `reach`, and the images."""
    counts = [range(-reach, reach + 1) if one else (0,) for one in period]
    images = np.stack(np.meshgrid(*counts, indexing="ij"), -1).reshape(-1, 3)
    poses = np.tile(pose, (len(images), 1, 1))
    poses[:, :3, 3] += images * [one or 0 for one in period]
    return [mesh] * len(images), poses, images


@pytest.mark.parametrize("resolution", ["hierarchy", "all"])
@pytest.mark.parametrize("period", [(1.3, None, None), (0.75, 1.1, None), (0.9, 1.2, 1.7)])
def test_periodic_meshes_are_repeated_meshes(period, resolution):
    rng = np.random.default_rng(21)
    points, facets = surface("terrain", rng)
    mesh = abut.Mesh(points, facets)
    pose = random_pose(rng, 2.0)
    # in the box and beyond it, smaller than it and larger
    centers, _ = spheres_on(rng, points, facets)
    images = rng.integers(-2, 3, (len(centers), 3))
    centers = centers @ pose[:3, :3].T + pose[:3, 3] + images * [one or 0 for one in period]
    radii = rng.choice([0.05, 0.3, 1.0], len(centers))
    meshes, poses, images = repeated(mesh, pose, period, 5)
    found = abut.find_contacts(
        centers, radii, mesh, poses=pose, period=period, resolution=resolution
    )
    expected = abut.find_contacts(centers, radii, meshes, poses=poses, resolution=resolution)
    assert len(found) > 150 and found.period == period
    assert found.image.min() < 0 < found.image.max()
    assert_close(found, expected, radii, 8.0)
    on_facet = found.type == abut.FACET
    assert (found.image[on_facet] == images[expected.mesh[on_facet]]).all()
    assert (found.facet[on_facet] == expected.facet[on_facet]).all()


@pytest.mark.parametrize("x", [-0.25, 0.0, 1e-9, 0.5, 1 - 1e-9, 1.0, 7.3])
def test_floor_of_tiles_gives_one_contact(square, x):
    found = abut.find_contacts([[x, 0.5, 0.4]], 0.5, square, period=(1, 1, None))
    assert len(found) == 1
    np.testing.assert_allclose(found.point, [[x, 0.5, 0]], atol=1e-15)
    np.testing.assert_allclose(found.overlap, 0.1, atol=1e-15)
    assert found.image[0, 0] in (math.floor(x), math.ceil(x) - 1)
    assert found.image[0, 1:].tolist() == [0, 0]


def test_spheres_larger_than_the_box():
    wall = abut.Mesh([[0, -9, -9], [0, 9, -9], [0, 9, 9], [0, -9, 9]], [[0, 1, 2, 3]])
    period = (1, None, None)
    found = abut.find_contacts([[0.4, 0, 0]], 0.7, wall, period=period)
    assert found.image[:, 0].tolist() == [0, 1]
    np.testing.assert_allclose(found.overlap, [0.3, 0.1])
    np.testing.assert_allclose(found.normal[:, 0], [1, -1])
    large = abut.find_contacts([[0.4, 0, 0]], 2.5, wall, period=period, resolution="all")
    assert sorted(large.image[:, 0]) == [-2, -1, 0, 1, 2]
    # of those on one side, the nearest stands for the others
    assert len(abut.find_contacts([[0.4, 0, 0]], 2.5, wall, period=period)) == 2


# ---- tables --------------------------------------------------------------------------------------


def test_concatenate_wants_one_search(square):
    finder = abut.ContactFinder(square)

    def find(**options):
        return finder.find([[0.5, 0.5, 0.4]], 0.5, **options)

    pose = moved_by((0, 0, 0.1))
    joined = abut.concatenate([find(poses=pose, flat_angle=0.1), find(poses=pose, flat_angle=0.1)])
    assert joined.poses[0].tolist() == pose.tolist() and joined.flat_angle == 0.1
    assert joined._tilt.tolist() == [0.1, 0.1]
    for name, options in {
        "poses": {"poses": pose},
        "period": {"period": (1, None, None)},
        "flat_angle": {"flat_angle": 0.2},
    }.items():
        with pytest.raises(ValueError, match=f"the contacts have different {name}"):
            abut.concatenate([find(), find(**options)])
