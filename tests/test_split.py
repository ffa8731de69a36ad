"""split=True: the very triangles that looking at all corners, again and again, would find."""

import signal
import sys

import numpy as np
import pytest

import abut

pytestmark = pytest.mark.native

# csrc/mesh/tolerance.h: by how many noises an ear keeps clear of others
REFLEX_NOISES = 6.0


def area(a, b, c):
    """Twice the signed area, exact in whole numbers."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def doubled_area(plan):
    """Twice the polygon's area, positive if counter-clockwise."""
    x, y = plan.T
    return (x * np.roll(y, -1) - y * np.roll(x, -1)).sum()


def longest(a, b):
    return max(abs(b[0] - a[0]), abs(b[1] - a[1]))


def is_ear(ring, points, k, slack):
    corners = [points[ring[(k + step) % len(ring)]] for step in (-1, 0, 1)]
    edges = list(zip(corners, corners[1:] + corners[:1], strict=True))
    if area(*corners) < 0:
        return False
    others = [points[number] for number in ring if points[number] not in corners]
    return not any(all(area(a, b, q) >= -slack * longest(a, b) for a, b in edges) for q in others)


def is_thin(ring, points, k, slack):
    a, b, c = (points[ring[(k + step) % len(ring)]] for step in (-1, 0, 1))
    return abs(area(a, b, c)) <= slack * max(longest(a, b), longest(b, c))


def clip(points, noise):
    """All triangles, also flat ones; None if the remaining corners have no ear."""
    ring, found, slack = list(range(len(points))), [], REFLEX_NOISES * noise
    while len(ring) > 2:
        tests = [(is_ear, slack), (is_ear, 0), (is_thin, slack)]
        ear = next(
            (k for test, by in tests for k in range(len(ring)) if test(ring, points, k, by)), None
        )
        if ear is None:
            return None
        found.append([ring[(ear + step) % len(ring)] for step in (-1, 0, 1)])
        del ring[ear]
    return found


def whole_star(rng, count, size):
    """Around a point inside; corners may coincide or be on one line."""
    angles = np.sort(rng.random(count)) * 2 * np.pi
    radii = rng.uniform(0.2, 1, count) * size
    return np.rint(np.c_[radii * np.cos(angles), radii * np.sin(angles)]).astype(int)


def comb(rng, count, size):
    """Teeth over a straight line; their corners block each other's ears."""
    x = np.arange(count // 2)
    top = rng.integers(1, size, len(x))
    return np.r_[np.c_[x, 0 * x], np.c_[x, top][::-1]]


@pytest.mark.parametrize("shape", [whole_star, comb])
@pytest.mark.parametrize("noise", [None, 0.0, 0.25, 1.0])
def test_same_triangles_as_a_look_at_all_corners(shape, noise, request):
    rng, split = np.random.default_rng(1), 0
    for _ in range(1500 if request.config.getoption("--long") else 150):
        plan = shape(rng, rng.integers(4, 30), rng.integers(4, 40))
        vertices = np.c_[plan, np.zeros(len(plan))]
        try:
            mesh = abut.Mesh(vertices, [range(len(plan))], split=True, noise=noise)
        except ValueError:
            mesh = None
        if mesh is not None and len(mesh.offsets) == 2:
            continue  # convex: not split
        rounding = np.spacing(
            np.abs(plan).max(initial=1).astype(np.float32 if noise is None else float)
        )
        if mesh is None:
            continue
        # few corners may run clockwise: seen from behind they do not
        seen = plan * [np.sign(doubled_area(plan)), 1]
        expected = clip([tuple(map(int, row)) for row in seen], max(noise or 0, float(rounding)))
        corners = [tuple(plan[k] for k in triangle) for triangle in expected]
        heights = [triangle for triangle, at in zip(expected, corners, strict=True) if area(*at)]
        assert mesh.indices.reshape(-1, 3).tolist() == heights
        split += 1
    assert split > 20


@pytest.mark.parametrize("axes", [np.eye(3), np.linalg.qr(np.arange(9).reshape(3, 3) ** 2 + 1)[0]])
def test_star_of_many_corners(axes):
    count = 2000
    angles = np.arange(count) * 2 * np.pi / count
    radii = np.where(np.arange(count) % 2, 0.5, 1)
    plan = np.c_[radii * np.cos(angles), radii * np.sin(angles), np.zeros(count)]
    mesh = abut.Mesh(plan @ axes.T, [np.arange(count)], split=True)
    assert len(mesh) == count - 2
    assert mesh.areas.sum() == pytest.approx(doubled_area(plan[:, :2]) / 2, rel=1e-9)


def test_work_of_many_small_polygons():
    """Larger and smaller polygons use the same scratch memory one after the other."""
    arrow = np.array([[0, 0, 0], [4, 0, 0], [1, 1, 0], [0, 4, 0]])
    rng = np.random.default_rng(2)
    star = whole_star(rng, 500, 10**6)
    vertices = np.r_[arrow, np.c_[star, np.zeros(len(star))]]
    facets = [[0, 1, 2, 3], list(range(4, 504)), [3, 0, 1, 2]] * 5
    mesh = abut.Mesh(vertices, facets, split=True)
    assert np.bincount(mesh.source).tolist() == [2, 498, 2] * 5


@pytest.mark.ci
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGALRM on this system")
def test_signal_handlers_run_while_a_polygon_is_split():
    class Alarm(Exception):
        pass

    def handler(number, frame):
        raise Alarm

    # corners of a line, each in the way of all others: that takes minutes
    plan = comb(np.random.default_rng(1), 600_000, 9)
    vertices = np.c_[plan, np.zeros(len(plan))]
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        with pytest.raises(Alarm):
            abut.Mesh(vertices, [np.arange(len(plan))], split=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_polygon_that_rounding_made_cross_itself():
    """It is as thin as the noise of its corners: either pair of triangles will do."""
    corners = [
        [22.879690170288086, 12.562334060668945, -77.27632141113281],
        [22.87969207763672, 12.562334060668945, -77.27632904052734],
        [22.88141441345215, 12.561572074890137, -77.27477264404297],
        [22.88141441345215, 12.56157112121582, -77.27477264404297],
    ]
    mesh = abut.Mesh(corners, [[0, 1, 2, 3]], split=True, on_degenerate="drop")
    assert len(mesh) == 2
    wide = [[0, 0, 0], [2, 1, 0], [2, 0, 0], [0, 2, 0]]
    with pytest.raises(ValueError, match="crosses itself"):
        abut.Mesh(wide, [[0, 1, 2, 3]], split=True)
