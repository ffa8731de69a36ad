"""Clusters from meshes: spheres inside, mass and inertia of the mesh, distances, simulations."""

import pickle
import warnings

import numpy as np
import pytest

import abut
from scenes import prism

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
L_SHAPE = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]])
SAND = abut.Material(density=2000.0, young=1e7)


def tube(points, turn=1, shift=(0.0, 0.0, 0.0)):
    """A mesh of quads through a grid of points (m, n, 3), which is closed both ways."""
    m, n = points.shape[:2]
    number = np.arange(m * n).reshape(m, n)
    after = np.roll(number, -1, axis=0)
    quads = np.stack(
        [number, after, np.roll(after, -1, axis=1), np.roll(number, -1, axis=1)], axis=-1
    )
    quads = quads.reshape(-1, 4)[:, ::turn]
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return abut.Mesh(points.reshape(-1, 3) + shift, triangles)


def torus(m=32, n=16, **rest):
    """Around z, with the radii 1 and 0.3."""
    u, v = np.meshgrid(2 * np.pi * np.arange(m) / m, 2 * np.pi * np.arange(n) / n, indexing="ij")
    across = 1.0 + 0.3 * np.cos(v)
    points = np.stack([across * np.cos(u), across * np.sin(u), 0.3 * np.sin(v)], axis=-1)
    return tube(points, **rest)


def ball(rounds=3):
    """A unit sphere: an octahedron, of which each triangle is cut into four in each round."""
    corners = np.concatenate([np.eye(3), -np.eye(3)])
    facets = [[i, j, k] for i in (0, 3) for j in (1, 4) for k in (2, 5)]
    facets = [f if np.linalg.det(corners[f]) > 0 else f[::-1] for f in facets]
    triangles = corners[facets]
    for _ in range(rounds):
        a, b, c = np.moveaxis(triangles, 1, 0)
        d, e, f = a + b, b + c, c + a
        triangles = np.concatenate(
            [np.stack(part, axis=1) for part in ((a, d, f), (d, b, e), (f, e, c), (d, e, f))]
        )
        triangles /= np.linalg.norm(triangles, axis=2, keepdims=True)
    return abut.Mesh.from_any(triangles)


def check_inside(cluster, mesh):
    """All spheres touch the mesh, and none crosses it."""
    low, high = mesh.bounds
    assert ((cluster.centers > low) & (cluster.centers < high)).all()
    contacts = abut.find_contacts(cluster.centers, cluster.radii * (1 + 1e-6), mesh)
    assert (contacts.overlap < 2e-6 * cluster.radii[contacts.sphere]).all()
    assert set(contacts.sphere) == set(range(len(cluster.radii)))


# ---- spheres -------------------------------------------------------------------------------------


def test_a_ball_is_one_sphere():
    mesh = ball(4)
    cluster = abut.Cluster.from_mesh(mesh)
    assert len(cluster.radii) == 1
    np.testing.assert_allclose(cluster.centers, 0.0, atol=0.003)
    assert cluster.radii[0] == pytest.approx(1.0, abs=0.01)
    assert cluster.volume == pytest.approx(4 / 3 * np.pi, rel=0.02)
    assert cluster.distance.to_spheres.largest < 0.02
    check_inside(cluster, mesh)


def test_a_cube_has_a_sphere_of_its_width():
    cluster = abut.Cluster.from_mesh(prism(SQUARE), 1)
    np.testing.assert_allclose(cluster.centers, 0.5, atol=0.002)
    assert cluster.radii[0] == pytest.approx(0.5, abs=0.001)
    mean, largest = cluster.distance.to_spheres
    # by quadrature: the mean distance of a face's points from the center is 0.6404
    assert mean == pytest.approx(0.1404, abs=0.002)
    assert largest == pytest.approx(np.sqrt(0.75) - 0.5, abs=0.003)
    # the sphere's points are nearest to the faces, and farthest below the corners
    assert cluster.distance.to_mesh.largest == pytest.approx(0.5 - np.sqrt(1 / 12), abs=0.01)


def test_one_sphere_in_an_l_says_where_it_is_bare():
    """The largest sphere touches the inner corner and the faces on the other side."""
    bare = r"mesh are bare: with 1 sphere, the point \(3, [01], [03]\) is .* Give more spheres"
    with pytest.warns(abut.SimulationWarning, match=bare):
        cluster = abut.Cluster.from_mesh(prism(L_SHAPE, 3.0), 1)
    radius = np.sqrt(2) / (1 + np.sqrt(2))
    assert cluster.radii[0] == pytest.approx(radius, abs=0.002)
    np.testing.assert_allclose(cluster.centers[0, :2], radius, atol=0.005)
    farthest = np.sqrt((3 - radius) ** 2 + radius**2 + 1.5**2) - radius
    assert cluster.distance.to_spheres.largest == pytest.approx(farthest, abs=0.3)


@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_more_spheres_come_nearer():
    mesh = prism(L_SHAPE)
    means = []
    for count in (2, 7, 20):
        cluster = abut.Cluster.from_mesh(mesh, count)
        assert len(cluster.radii) == count
        assert (np.diff(cluster.radii) <= 0).all()
        check_inside(cluster, mesh)
        means.append(cluster.distance.to_spheres.mean)
    assert means[1] < 0.65 * means[0]
    assert means[2] < 0.65 * means[1]
    assert "20 spheres, volume=4, 0.0" in repr(cluster)


def test_no_sphere_is_in_the_hole_of_a_torus():
    mesh = torus()
    cluster = abut.Cluster.from_mesh(mesh, 14)
    check_inside(cluster, mesh)
    around = np.hypot(*cluster.centers[:, :2].T)
    np.testing.assert_allclose(around, 1.0, atol=0.03)
    # the spheres are spread evenly: none of the gaps between them is twice the mean one
    angles = np.sort(np.arctan2(cluster.centers[:, 1], cluster.centers[:, 0]))
    gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
    assert gaps.max() < 2 * 2 * np.pi / len(angles)


@pytest.mark.cases(1)
@pytest.mark.parametrize("height", [1e-3, 0.05])
def test_thin_plates_have_spheres_of_their_thickness(height):
    mesh = prism(SQUARE, height)
    with pytest.warns(abut.SimulationWarning, match="mesh are bare: with 5 spheres"):
        cluster = abut.Cluster.from_mesh(mesh, 5)
    np.testing.assert_allclose(cluster.radii, height / 2, rtol=1e-3)
    check_inside(cluster, mesh)


@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_spheres_end_at_a_length():
    few = abut.Cluster.from_mesh(prism(SQUARE), 30, smooth=0.08)
    assert 1 < len(few.radii) < 30
    assert few.distance.to_spheres.mean < 0.08
    with pytest.warns(abut.SimulationWarning, match="with 2 spheres, the mean .* smooth is 1e-05"):
        abut.Cluster.from_mesh(ball(), 2, smooth=1e-5)


# ---- mass and inertia ----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_mass_and_inertia_of_a_box():
    mesh = prism(SQUARE * [1.0, 2.0], 3.0, shift=(7.0, 8.0, 9.0))
    cluster = abut.Cluster.from_mesh(mesh, 5)
    assert cluster.mass_for(2000.0) == pytest.approx(12000.0, rel=1e-13)
    np.testing.assert_allclose(cluster.inertia_for(2000.0), [5000.0, 10000.0, 13000.0], rtol=1e-13)
    np.testing.assert_allclose(cluster.offset, [7.5, 9.0, 10.5], rtol=1e-14)


@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_mass_and_inertia_of_an_l():
    """Two boxes with their centers at (1.5, 0.5) and (0.5, 1.5)."""
    cluster = abut.Cluster.from_mesh(prism(L_SHAPE), 8)
    assert cluster.volume == pytest.approx(4.0, rel=1e-13)
    np.testing.assert_allclose(cluster.offset, [1.25, 0.75, 0.5], rtol=1e-13)
    xx = 3 * (9 / 12 + 0.25**2) + 1 / 12 + 0.75**2
    yy = 3 * (1 / 12 + 0.25**2) + 1 / 12 + 0.75**2
    xy = 3 * 0.25 * -0.25 - 0.75 * 0.75
    expected = [[yy + 4 / 12, -xy, 0], [-xy, xx + 4 / 12, 0], [0, 0, xx + yy]]
    np.testing.assert_allclose(cluster.inertia, expected, atol=1e-13)


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_a_cavity_has_no_mass():
    outer, inner = ball(2), ball(2).scaled(0.5)
    facets = inner.indices.reshape(-1, 3)[:, ::-1]
    hollow = [outer, abut.Mesh(inner.vertices, facets)]
    cluster = abut.Cluster.from_mesh(hollow, 6)
    solid = abut.Cluster.from_mesh(outer, 1)
    assert cluster.volume == pytest.approx(solid.volume * (1 - 1 / 8), rel=1e-12)
    np.testing.assert_allclose(cluster.inertia, solid.inertia * (1 - 1 / 32), atol=1e-12)
    assert (np.linalg.norm(cluster.centers, axis=1) > 0.5).all()
    check_inside(cluster, abut.Mesh.from_any(hollow))


# ---- places, units, fronts -----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_a_cluster_does_not_depend_on_place_and_unit():
    """The shift and the scale are powers of 2, so that coordinates do not change by rounding."""
    mesh = torus(16, 8)
    exact = abut.Mesh(np.round(mesh.vertices * 2.0**20) / 2.0**20, mesh.indices.reshape(-1, 3))
    shift = np.array([2.0**20, -(2.0**21), 2.0**19])
    one = abut.Cluster.from_mesh(exact, 3)
    far = abut.Cluster.from_mesh(abut.Mesh(exact.vertices + shift, exact.indices.reshape(-1, 3)), 3)
    np.testing.assert_allclose(far.centers - shift, one.centers, atol=1e-9)
    np.testing.assert_allclose(far.radii, one.radii, rtol=1e-9)
    np.testing.assert_allclose(far.offset - shift, one.offset, atol=1e-9)
    np.testing.assert_allclose(far.inertia, one.inertia, atol=1e-12)
    small = abut.Cluster.from_mesh(exact.scaled(2.0**-30), 3)
    np.testing.assert_array_equal(small.centers * 2.0**30, one.centers)
    assert small.distance.to_mesh.mean * 2.0**30 == one.distance.to_mesh.mean
    again = abut.Cluster.from_mesh(exact, 3)
    assert again == one
    assert again.distance == one.distance


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_fronts_may_be_inside():
    one, other = (abut.Cluster.from_mesh(torus(16, 8, turn=turn), 3) for turn in (1, -1))
    assert other.volume == pytest.approx(one.volume, rel=1e-13)
    assert other.distance.to_spheres.mean == pytest.approx(one.distance.to_spheres.mean, rel=0.2)
    check_inside(other, torus(16, 8))


def test_a_real_mesh(cad_meshes):
    mesh = abut.read_mesh(cad_meshes / "drum.stl")
    cluster = abut.Cluster.from_mesh(mesh, 8)
    check_inside(cluster, mesh)
    size = cluster.volume ** (1 / 3)
    assert cluster.distance.to_spheres.mean < 0.12 * size
    with pytest.raises(ValueError, match="not closed: the edge from vertex"):
        abut.Cluster.from_mesh(abut.read_mesh(cad_meshes / "hourglass.obj"))


# ---- simulations ---------------------------------------------------------------------------------


def test_it_falls_and_turns_as_the_mesh_would():
    """Under a couple, the spin about a principal axis grows with the mesh's inertia."""
    cluster = abut.Cluster.from_mesh(prism(SQUARE * [1.0, 2.0], 3.0), 8)
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, -10.0))
    sim.add_clusters(cluster, [[0, 0, 100.0]], SAND)
    couple = cluster.axes @ [0, 0, 130.0]
    sim.clusters.add_force(lambda s: (np.zeros((1, 3)), couple[None]))
    sim.run(0.1)
    assert sim.clusters.masses[0] == pytest.approx(12000.0)
    assert sim.clusters.velocities[0, 2] == pytest.approx(-1.0, rel=0.002)
    spin = np.linalg.norm(sim.clusters.angular_velocities[0])
    assert spin == pytest.approx(130.0 * 0.1 / 13000.0, rel=0.002)


def test_it_comes_to_rest_on_its_spheres():
    """A cube falls on a floor, which then carries its weight, and lies as high as its lowest."""
    cluster = abut.Cluster.from_mesh(prism(0.1 * SQUARE, 0.1), 9)
    sim = abut.Simulation(step=2e-5)
    sim.set_law(SAND, SAND, abut.Hertz(friction=0.5, restitution=0.3))
    floor = sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), SAND)
    sim.add_clusters(cluster, [[0, 0, 0.051]], SAND)
    sim.run(0.5)
    weight = 2000.0 * 1e-3 * 9.81
    assert -floor.force[2] == pytest.approx(weight, rel=0.02)
    assert 0.0 < sim.clusters.positions[0, 2] < 0.051
    assert np.linalg.norm(sim.clusters.velocities[0]) < 1e-3


# ---- copies and errors ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_copies_keep_the_distance():
    cluster = abut.Cluster.from_mesh(torus(16, 8), 3)
    copy = pickle.loads(pickle.dumps(cluster))
    assert copy == cluster
    assert copy.distance == cluster.distance
    assert repr(copy) == repr(cluster)
    assert abut.Cluster([[0, 0, 0]], 1.0).distance is None


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"spheres": 0}, ValueError, "spheres is 0, but must be from 1 to 1000"),
        ({"spheres": 1001}, ValueError, "spheres is 1001, but must be from 1 to 1000"),
        ({"spheres": 2.5}, TypeError, "spheres is 2.5, but must be an integer"),
        ({"smooth": 0.0}, ValueError, r"smooth is 0\.0, but must be positive"),
        ({"smooth": "fine"}, TypeError, "smooth"),
        ({"mesh": "stone.stl"}, TypeError, "read_mesh"),
        ({"mesh": abut.Mesh(np.eye(3), [[0, 1, 2]])}, ValueError, "edge from vertex 0 to vertex 1"),
        ({"mesh": abut.Mesh(np.eye(3), [[0, 1, 2], [0, 2, 1]])}, ValueError, "encloses no volume"),
    ],
)
def test_what_is_wrong_is_named(change, error, message):
    with pytest.raises(error, match=message):
        abut.Cluster.from_mesh(**{"mesh": prism(SQUARE)} | change)


def test_an_edge_that_is_open_is_named():
    whole = torus(16, 8)
    facets = whole.indices.reshape(-1, 3)
    with pytest.raises(ValueError, match=r"mesh is a mesh that is not closed: the edge from"):
        abut.Cluster.from_mesh(abut.Mesh(whole.vertices, facets[1:]))


@pytest.mark.filterwarnings("ignore:parts of the mesh are bare")
def test_parts_that_overlap_or_differ_are_named():
    cube, place = prism(SQUARE), (3.0, 0.0, 0.0)
    with pytest.raises(ValueError, match=r"fronts outside; facet (8|9|1\d) is not as most are"):
        abut.Cluster.from_mesh([cube, prism(SQUARE, 0.5, -1, place)])
    with pytest.raises(ValueError, match=r"parts that overlap, at facet \d"):
        abut.Cluster.from_mesh([cube, prism(SQUARE, 0.5, 1, (0.2, 0.2, 0.2))])
    both = abut.Cluster.from_mesh([cube, prism(SQUARE, 0.5, 1, place)], 4)
    assert both.volume == pytest.approx(1.5, rel=1e-12)


@pytest.mark.ci
def test_no_warning_without_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        abut.Cluster.from_mesh(torus(16, 8), 8)
