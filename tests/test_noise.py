"""How far corners may be off: by digits, by what is measured, and what a plane makes of it."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import abut
import reference_noise
import scenes

ORIGINS = ("double", "float32", "decimals", "measured", "given")

# Spheres on each of some hundred planes: 10^5 in all, twenty times as many with --long.
SPHERES = 400


@pytest.fixture(params=[1, pytest.param(20, marks=pytest.mark.long)], ids=["short", "long"])
def spheres(request):
    return SPHERES * request.param


def plane(rng, kind, size, away):
    """A turned plane of triangles of a size in radii, at a distance: vertices, facets, and what
    gives so many centers of spheres of radius 1 with an overlap."""
    cells = max(6, round(4 / size))
    square, facets = scenes.FLAT_MESHES[kind](rng, cells)
    turn = Rotation.random(random_state=rng).as_matrix()
    shift = away * turn[0]
    points = np.column_stack([square * cells * size, np.zeros(len(square))])

    def place(at):
        return at @ turn.T + shift

    def centers(count, overlap):
        feet = rng.uniform(0.25, 0.75, (count, 2)) * cells * size
        return place(np.column_stack([feet, np.full(count, 1 - overlap)]))

    return place(points), np.array(facets), centers


def origin(mesh):
    return {ORIGINS[k] for k in mesh._noise_origin}


def digits_noise(vertices, facets):
    """One unit in the last place along each axis, and the noise along normals that follows."""
    corners = vertices[facets]
    units = np.array(reference_noise.format_units(vertices, facets))
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = area / np.linalg.norm(area, axis=1)[:, None]
    return units.max(axis=1), (np.abs(normals) * units).sum(axis=1)


def as_float(points):
    return scenes.rounded(points, np.float32)


# ---- planes that others moved --------------------------------------------------------------------

TURN = Rotation.from_rotvec([0.3, -0.5, 0.7]).as_matrix()
SHIFT = np.array([0.37, -2.11, 1.93])

# what is done to points, and to a radius of 1
MOVES = {
    "moved": (lambda p, _: p + SHIFT, 1),
    "centered": (lambda p, mean: p - mean, 1),
    "scaled": (lambda p, _: p * 1e-3, 1e-3),
    "both": (lambda p, mean: (p - mean) * 1e-3, 1e-3),
    "turned": (lambda p, _: p @ TURN.T, 1),
    "turned and scaled": (lambda p, mean: (p - mean) @ TURN.T * 1e-3, 1e-3),
}


def assert_one_each(mesh, move, mean, centers, spheres, away, radius):
    for overlap in (0.01, 0.05, 0.3):
        if overlap > 0.01 or away < 1000:
            contacts = abut.find_contacts(move(centers(spheres, overlap), mean), radius, mesh)
            np.testing.assert_array_equal(contacts.counts, 1)


@pytest.mark.parametrize("away", [0, 30, 1000])
@pytest.mark.parametrize("size", [0.1, 0.4, 2.0])
@pytest.mark.parametrize("kind", ["triangles", "delaunay"])
def test_a_float32_plane_that_was_moved_in_float64_is_one_plane(kind, size, away, spheres):
    rng = np.random.default_rng([len(kind), int(10 * size), away])
    vertices, facets, centers = plane(rng, kind, size, away)
    stored = as_float(vertices)
    mean = stored.mean(axis=0)
    for move, radius in MOVES.values():
        mesh = abut.Mesh(move(stored, mean), facets)
        assert origin(mesh) <= {"measured", "double"}
        assert_one_each(mesh, move, mean, centers, spheres, away, radius)


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(k, marks=pytest.mark.long) for k in range(40, 400))]
)
def test_a_grid_that_is_turned_about_one_of_its_axes(seed):
    """Its corners are off in rows: digits explain most of its deviations."""
    rng = np.random.default_rng(seed)
    cells, size, away = (
        rng.choice([4, 6, 12, 24]),
        rng.choice([0.2, 0.5, 2]),
        rng.choice([0, 10, 1000]),
    )
    square, facets = scenes.jittered_grid(rng, cells, 0), scenes.grid_quads(cells, cells)
    facets = [t for a, b, c, d in facets for t in ((a, b, c), (a, c, d))]
    turn = Rotation.from_rotvec(
        rng.choice([[0, 1, 0], [1, 0, 0]]) * rng.uniform(0, 1.57)
    ).as_matrix()
    shift = away * Rotation.random(random_state=rng).as_matrix()[0]
    stored = as_float(np.column_stack([square * cells * size, 0 * square[:, 0]]) @ turn.T + shift)
    mesh = abut.Mesh(stored + SHIFT, facets)
    feet = rng.uniform(0.1, 0.9, (2000, 2)) * cells * size
    centers = np.column_stack([feet, np.full(2000, 0.8)]) @ turn.T + shift + SHIFT
    assert (abut.find_contacts(centers, 1.0, mesh).counts == 1).all()


@pytest.mark.parametrize("kind", ["slivers", "fan", "t_junctions"])
def test_planes_that_are_meshed_badly(kind):
    rng = np.random.default_rng(9)
    vertices, facets, centers = plane(rng, "triangles", 0.5, 30)
    if kind != "t_junctions":
        vertices, facets, centers = plane(rng, kind, 0.5, 30)
    else:
        square, polygons = scenes.t_junctions(rng, 8)
        vertices = np.column_stack([square * 4, np.zeros(len(square))]) @ TURN.T + 30
        facets = polygons
    stored = as_float(vertices) + SHIFT
    mesh = abut.Mesh(stored, scenes.flat_lists(facets), split=True, on_degenerate="drop")
    at = rng.uniform(1, 3, (2000, 2))
    if kind == "t_junctions":
        points = np.column_stack([at, np.full(len(at), 0.9)]) @ TURN.T + 30 + SHIFT
    else:
        points = centers(2000, 0.1) + SHIFT
    assert (abut.find_contacts(points, 1.0, mesh).counts == 1).mean() > 0.999


def test_a_box_of_twelve_triangles():
    """Where too few facets are coplanar for walks, small deviations stand apart."""
    corners, quads = scenes.unit_cube()
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    moved = as_float(np.array(corners) @ TURN.T) + SHIFT
    mesh = abut.Mesh(moved, triangles)
    assert "measured" in origin(mesh)
    assert mesh.noise.max() < 1e-6
    exact = abut.Mesh(np.array(corners) @ TURN.T + SHIFT, triangles)
    assert origin(exact) == {"double"}


# ---- digits --------------------------------------------------------------------------------------


def heights(z):
    """Facets on points with these heights; x and y are short numbers."""
    count = len(z)
    x = np.arange(count) * 0.5
    points = np.column_stack([x, np.zeros(count), z])
    beside = np.column_stack([x, np.ones(count), z])
    quads = [[k, k + 1, count + k + 1, count + k] for k in range(count - 1)]
    return np.concatenate([points, beside]), quads


def test_an_axis_is_judged_by_itself():
    rng = np.random.default_rng(1)
    points = rng.uniform(1, 2, (30, 3))
    points[:, 0] = as_float(points[:, 0])
    mesh = abut.Mesh(points, rng.permutation(30).reshape(-1, 3))
    assert origin(mesh) == {"float32"}
    assert mesh.noise.tolist() == [2.0**-23] * 10
    exact = digits_noise(points[:, [1, 2, 1]], mesh.indices.reshape(-1, 3))[0]
    assert (exact == 2.0**-52).all()


@pytest.mark.parametrize("digits", range(6, 14))
def test_decimals_are_found(digits):
    rng = np.random.default_rng(digits)
    values = [float(f"{x:.{digits}g}") for x in rng.uniform(-50, 50, 90)]
    assert reference_noise.written(values)[0] == digits
    points = np.reshape(values, (30, 3))
    mesh = abut.Mesh(points, rng.permutation(30).reshape(-1, 3))
    assert origin(mesh) == {"decimals"}
    largest = np.abs(points[mesh.indices]).reshape(-1, 9).max(axis=1)
    unit = 10.0 ** (np.floor(np.log10(largest)) + 1 - digits)
    np.testing.assert_allclose(mesh.noise, unit)


@pytest.mark.parametrize(
    "z",
    [
        np.arange(20) * 0.00625,  # as many digits as rounded numbers, but steps
        1000.03 + np.arange(20) * 0.00625,
        np.arange(20) / 1024,  # few bits
        np.linspace(0, 0.1, 20),  # many digits
        np.arange(20) * 0.1,
        np.sqrt(np.arange(20)),
        np.array([0, 0.123456] * 10),  # a length that someone chose
        np.random.default_rng(1).integers(0, 10**7, 20).astype(float),  # whole numbers
    ],
)
def test_numbers_that_no_one_rounded(z):
    points, quads = heights(z)
    mesh = abut.Mesh(points, quads, split=True)
    corners = points[mesh.indices].reshape(len(mesh), -1)
    # what could be float32 counts as such
    double = (as_float(corners) != corners).any(axis=1)
    assert (mesh.noise[double] == np.spacing(np.abs(corners[double]).max(axis=1))).all()


@pytest.mark.parametrize("height", [0.0, 1e-4])
@pytest.mark.parametrize("large", [False, True])
def test_a_grid_of_units_of_the_last_digit(height, large):
    """Coordinates of 1 mm steps at 100 m need six digits, and nobody rounded them."""
    rng = np.random.default_rng(3)
    square, facets = scenes.jittered_grid(rng, 6, 0), scenes.grid_quads(6, 6)
    facets = [t for a, b, c, d in facets for t in ((a, b, c), (a, c, d))]
    steps = np.round(square * 6) * 1e-3
    fine = np.column_stack([steps, height * rng.random(len(steps))]) + [100, 100, 5]
    coarse = np.column_stack([200 * square, np.zeros(len(square))])
    parts = [(fine, facets)] + large * [(coarse, facets)]
    points, all_facets = scenes.join(parts)
    assert abut.Mesh(points, all_facets).noise.max() < 1e-4
    assert "decimals" not in origin(abut.Mesh(points, all_facets))


# ---- grids far from the origin -------------------------------------------------------------------


def raster(step, shape, at, heights):
    """Quads over a grid of points with these heights: vertices, facets."""
    rows, columns = shape
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(columns), np.arange(rows)))
    points = np.column_stack([at[0] + step * x, at[1] + step * y, heights(x, y)])
    return points, scenes.grid_quads(columns - 1, rows - 1)


def valleys(x, y):
    """Decimals that go up and down with y."""
    return np.where(y % 2, 1.4, 1.7) + 0 * x


GRIDS = {
    "three rows, one bit each": (1.0, (3, 2), (0, 5704680)),
    "many rows": (1.0, (30, 30), (500000, 5704680)),
    "seventeen bits": (1.0, (30, 30), (131072, 131072)),
    "short numbers": (1.0, (9, 9), (100000, 100000)),
    "steps of a float32's unit": (1.0, (30, 30), (8500000, 8500000)),
    "fine steps of a float32's unit": (0.5, (30, 30), (5704681.5, 5704681.5)),
    "coarse steps": (10.0, (9, 9), (500000, 5704680)),
}


@pytest.mark.parametrize("heights", [valleys, lambda x, y: as_float(valleys(x, y))])
@pytest.mark.parametrize("name", GRIDS)
def test_walls_of_a_grid_far_from_the_origin(name, heights):
    step, shape, at = GRIDS[name]
    points, quads = raster(step, shape, at, lambda x, y: step * heights(x, y))
    if heights is not valleys and "unit" in name:
        pytest.skip("nothing tells these from numbers that were rounded to float32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mesh = abut.Mesh(points, quads, split=True)
    center = [at[0] + step / 2, at[1] + step, 1.494 * step]
    assert len(abut.find_contacts([center], 0.1 * step, mesh)) == 2
    assert mesh.noise.max() < 1e-6 * step


def test_a_facet_at_sea_level_is_no_float32():
    """All its coordinates are float32 numbers, though those of the mesh are not."""
    points, quads = raster(1.0, (4, 3), (0, 5704680), lambda x, y: np.maximum(0, y - 1.5) * 0.3)
    assert abut.Mesh(points, quads, split=True).noise.max() < 1e-6


@pytest.mark.parametrize("name", GRIDS)
def test_units_of_grids_are_the_references(name):
    step, shape, at = GRIDS[name]
    rng = np.random.default_rng(len(name))
    for heights in (valleys, lambda x, y: as_float(rng.random(len(x))), lambda x, y: x % 2 / 4):
        points, quads = raster(step, shape, at, heights)
        triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", abut.MeshWarning)
            mesh = abut.Mesh(points, triangles)
        noise, along_normal = digits_noise(points, triangles)
        by_digits = ~np.isin(mesh._noise_origin, [2, 3])
        np.testing.assert_array_equal(mesh.noise[by_digits], noise[by_digits])
        np.testing.assert_allclose(
            mesh._core.normal_noise[by_digits], along_normal[by_digits], rtol=1e-9
        )


def test_noise_as_large_as_walls_is_told_once():
    """Float32 numbers far from the origin: there is nothing else that they could be."""
    rng = np.random.default_rng(17)
    points = as_float(np.column_stack([rng.uniform(0, 400, (60, 2)) + 3e6, rng.random(60)]))
    facets = rng.permutation(60).reshape(-1, 3)
    words = r"noise .* of \d+ facets of 20: it is 0\.25 at facet \d+, .*give noise=[35]e-10 "
    with pytest.warns(abut.MeshWarning, match=words) as found:
        mesh = abut.Mesh(points, facets)
    assert len(found) == 1 and found[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        abut.Mesh(points, facets, noise=0.25)
        mesh.scaled(2)


# ---- what is not noise ---------------------------------------------------------------------------


def ramp(angle):
    """A floor and a ramp of many facets each, turned."""
    square, facets = scenes.triangles(np.random.default_rng(5), 8)
    floor = np.column_stack([square - [1, 0], np.zeros(len(square))])
    slope = square[:, :1] * [np.cos(angle), 0, np.sin(angle)] + square[:, 1:] * [0, 1, 0]
    points, all_facets = scenes.join([(floor, facets), (slope, facets)])
    return points @ TURN.T, all_facets


def soft_ramp(angle):
    """A ramp with facets that do not end at the crease."""
    square, facets = scenes.triangles(np.random.default_rng(5), 8)
    height = np.tan(angle) * np.maximum(0, square[:, 0] - 0.5)
    return np.column_stack([square, height]) @ TURN.T, facets


def smooth(height):
    """A surface of saddles, pits and hills."""
    square, facets = scenes.triangles(np.random.default_rng(6), 24)
    z = height * np.sin(7 * square[:, 0]) * np.cos(9 * square[:, 1])
    return np.column_stack([square, z]) @ TURN.T, facets


def twisted(columns):
    """A saddle, z = x y, which is straight along x and along y."""
    points = scenes.jittered_grid(np.random.default_rng(6), 40, 0)[: 41 * (columns + 1)]
    facets = [t for a, b, c, d in scenes.grid_quads(40, columns) for t in ((a, b, c), (a, c, d))]
    return np.column_stack([points, 1e-2 * points[:, 0] * points[:, 1]]) @ TURN.T, facets


def strips(count, rings):
    points, polygons = scenes.cylinder(np.random.default_rng(7), count, 1, 6, rings)
    points = np.asarray(points, float) @ TURN.T
    return points, [(f[0], f[k], f[k + 1]) for f in polygons for k in range(1, len(f) - 1)]


SHAPES = {
    "plane": lambda: (plane(np.random.default_rng(8), "triangles", 0.5, 30)[0], None),
    "ramp of 1 degree": lambda: ramp(np.radians(1)),
    "ramp of 0.1 degrees": lambda: ramp(np.radians(0.1)),
    "soft ramp of 1 degree": lambda: soft_ramp(np.radians(1)),
    "soft ramp of 0.1 degrees": lambda: soft_ramp(np.radians(0.1)),
    "twisted plate": lambda: twisted(3),
    "48 strips": lambda: strips(48, 5),
    "1000 strips": lambda: strips(1000, 1),
    "5000 strips": lambda: strips(5000, 1),  # deviations of less than 1e-6 of the coordinates
    "smooth": lambda: smooth(1e-2),
    "far less than what six digits are rounded by": lambda: smooth(1e-6),
    "terrain": lambda: scenes.terrain(np.random.default_rng(9), 12),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape_is_no_noise(name):
    vertices, facets = SHAPES[name]()
    if facets is None:
        facets = scenes.triangles(np.random.default_rng(8), 8)[1]
    vertices, facets = np.asarray(vertices, float), np.array(facets)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mesh = abut.Mesh(vertices, facets)
    noise, along_normal = digits_noise(vertices, facets)
    np.testing.assert_array_equal(mesh.noise, noise)
    np.testing.assert_allclose(mesh._core.normal_noise, along_normal, rtol=1e-9)


def test_a_float32_mesh_as_it_was_stored_keeps_its_noise():
    for vertices, facets in (ramp(0.02), strips(48, 5), smooth(1e-2)):
        stored = as_float(vertices)
        mesh = abut.Mesh(stored, facets)
        np.testing.assert_array_equal(mesh.noise, digits_noise(stored, np.array(facets))[0])


def test_what_is_far_away_or_large_blinds_nobody():
    """Noise is measured where it is: a moved float32 plane leaves a ramp beside it as it is."""
    rng = np.random.default_rng(11)
    noisy, facets, _ = plane(rng, "triangles", 0.5, 1000)
    noisy = as_float(noisy)
    noisy = noisy - noisy.mean(axis=0)
    points, more = ramp(np.radians(1))
    vertices, all_facets = scenes.join([(noisy, facets.tolist()), (points + 100, more)])
    vertices = np.concatenate([vertices, [[1e9, 0, 0], [1e9, 1, 0], [1e9, 0, 1]]])
    mesh = abut.Mesh(vertices, [*all_facets, [len(vertices) - k for k in (3, 2, 1)]])
    assert mesh.noise[: len(facets)].min() > 1e-6
    assert mesh.noise[len(facets) : -1].max() < 1e-13


# ---- measured ------------------------------------------------------------------------------------


def noisy_scenes():
    rng = np.random.default_rng(12)
    for kind in ("triangles", "slivers", "delaunay", "fan", "doubled"):
        for away in (0, 100):
            square, facets = scenes.FLAT_MESHES[kind](rng, 7)
            points = np.column_stack([3 * square, 0 * square[:, 0]]) @ TURN.T + away
            facets = np.array([f[:3] for f in facets])
            stored = as_float(points)
            yield f"{kind}, {away} away", stored - stored.mean(axis=0) - 0.1, facets
    yield "cylinder", as_float(strips(12, 4)[0]) + SHIFT, strips(12, 4)[1]
    yield "smooth", as_float(smooth(1e-2)[0]) + SHIFT, smooth(1e-2)[1]
    yield "smoother", *smooth(1e-5)
    points, facets = smooth(0)
    yield "rough", points + rng.normal(scale=1e-3, size=points.shape), facets
    size = 10 ** rng.uniform(-9, -2, len(points))
    yield "of every size", points + rng.normal(size=points.shape) * size[:, None], facets


NOISY = {name: (vertices, facets) for name, vertices, facets in noisy_scenes()}


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", NOISY)
def test_as_the_reference_measures(name):
    vertices, facets = NOISY[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.MeshWarning)
        mesh = abut.Mesh(vertices, facets, on_degenerate="drop")
    triangles = mesh.indices.reshape(-1, 3)
    noise, along_normal = digits_noise(vertices, triangles)
    measured = np.array(reference_noise.measured_noise(vertices, triangles, along_normal))
    more = measured > along_normal
    assert [ORIGINS[k] == "measured" for k in mesh._noise_origin] == more.tolist()
    expected = np.where(more, measured, along_normal)
    np.testing.assert_allclose(mesh._core.normal_noise, expected, rtol=1e-6)
    np.testing.assert_allclose(mesh.noise, np.maximum(noise, measured), rtol=1e-6)


@pytest.mark.parametrize("welded", [True, False])
def test_noise_does_not_depend_on_the_order(welded):
    rng = np.random.default_rng(13)
    square, facets = scenes.slivers(rng, 10)
    points = as_float(np.column_stack([square, 0 * square[:, 0]]) @ TURN.T + 20) - 20
    facets = np.array(facets)
    order = rng.permutation(len(facets))
    number = rng.permutation(len(points))
    turned = np.array([np.roll(facet, rng.integers(3)) for facet in number[facets]])[order]
    shuffled = np.empty_like(points)
    shuffled[number] = points
    one = abut.Mesh(points, facets, on_degenerate="drop")
    if welded:
        two = abut.Mesh(shuffled, turned, on_degenerate="drop")
    else:
        corners = np.arange(3 * len(turned)).reshape(-1, 3)
        two = abut.Mesh(shuffled[turned].reshape(-1, 3), corners, on_degenerate="drop")
    assert origin(one) & {"measured"}
    back = np.empty(len(facets))
    back[order[two.source]] = two.noise
    np.testing.assert_array_equal(back[one.source], one.noise)


def test_polygons_have_the_noise_of_their_neighbors():
    rng = np.random.default_rng(14)
    square, quads = scenes.quads(rng, 8)
    points = as_float(np.column_stack([4 * square, 0 * square[:, 0]]) @ TURN.T + 30) + SHIFT
    mesh = abut.Mesh(points, quads)
    assert origin(mesh) == {"measured"}
    at = np.column_stack([rng.uniform(1, 3, (2000, 2)), np.full(2000, 0.9)])
    contacts = abut.find_contacts(at @ TURN.T + 30 + SHIFT, 1.0, mesh)
    assert (contacts.counts == 1).all()


def test_moving_and_pickling_keep_what_noise_follows_from():
    import pickle

    vertices, facets, _ = plane(np.random.default_rng(15), "triangles", 0.5, 0)
    mesh = abut.Mesh(as_float(vertices) + SHIFT, facets)
    for other in (mesh.scaled(2), mesh.transformed(np.eye(4)), pickle.loads(pickle.dumps(mesh))):
        assert other._noise_origin.tolist() == mesh._noise_origin.tolist()
    assert origin(abut.Mesh(vertices, facets, noise=1e-3)) == {"given"}


# ---- doubt ---------------------------------------------------------------------------------------


def test_a_warning_where_nothing_tells_noise_from_shape():
    """Panels of two triangles, folded by angles of every size, and nowhere room for a walk."""
    rng = np.random.default_rng(16)
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    places = rng.permutation(200)
    shifts = 3 * np.column_stack([places % 6, places // 6 % 6, places // 36])
    panels = square + shifts[:, None]
    panels[:, 2, 2] += 10 ** rng.uniform(-9, -0.5, 200)
    facets = np.arange(800).reshape(-1, 4)[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    vertices = panels.reshape(-1, 3) @ TURN.T
    words = r"1\d\d of 200 neighbors are almost coplanar.*the first is facet \d+.*noise="
    with pytest.warns(abut.MeshWarning, match=words) as found:
        abut.Mesh(vertices, facets)
    assert len(found) == 1 and found[0].filename == __file__
    given = float(str(found[0].message).partition("noise=")[2].partition(" ")[0])
    assert 1e-4 < given < 1e-2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        abut.Mesh(vertices, facets, noise=given)
    assert origin(abut.Mesh(vertices[:4], [[0, 1, 2], [0, 2, 3]])) <= {"double", "measured"}


@pytest.mark.parametrize("cells", [2, 4])
def test_a_warning_where_a_plane_is_too_small_for_walks(cells):
    square, facets = scenes.triangles(np.random.default_rng(1), cells)
    stored = as_float(np.column_stack([2.0 * cells * square, 0 * square[:, 0]]) @ TURN.T + 600)
    with pytest.warns(abut.MeshWarning, match="neighbors are almost coplanar"):
        abut.Mesh(stored - stored.mean(axis=0), facets)


def test_a_polygon_with_a_flat_corner_beside_a_wall():
    """The flat ear of its fan has no plane to walk in."""
    vertices = [
        [0, 0, 0], [0.5, -1e-10, 0], [1, 0, 0], [1e6, 1e6, 0], [0, 1e6, 0], [0.25, 0, -1],
    ]  # fmt: skip
    mesh = abut.Mesh(vertices, [[0, 1, 2, 3, 4], [0, 5, 1]])
    assert mesh.noise.max() < 1e-9


def test_coordinates_that_are_no_normal_numbers():
    points = np.array([[1.234567890123, 1e-308, 5e-324], [0.3, 1, 0], [0, 0.7, 2]])
    assert abut.Mesh(points, [[0, 1, 2]]).noise[0] <= np.spacing(2.0)
