"""Meshes with moving vertices have the contacts of a newly built mesh, to the bit."""

import pickle
import threading

import numpy as np
import pytest

import abut
import scenes
from scenes import assert_same_bits

COLUMNS = (
    *("sphere", "facet", "type", "feature", "point", "normal", "overlap", "share", "mesh"),
    *("node", "weight", "offsets", "node_offsets"),
)


def grid(side, rng, jitter=0.2):
    """A sheet of 2 side^2 triangles in the unit square, of which none is like another."""
    vertices, facets = scenes.sheet(side)
    return vertices + rng.uniform(-jitter, jitter, vertices.shape) / side, facets


def strips(count, rng):
    """Long narrow triangles about a cylinder, which bins cut into slices."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False) + rng.uniform(0, 0.1 / count)
    rim = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    vertices = np.concatenate([rim, rim + [0.3, 0.2, 4]])
    k = np.arange(count)
    n = (k + 1) % count
    facets = [np.stack(three, 1) for three in ((k, n, n + count), (k, n + count, k + count))]
    return vertices, np.concatenate(facets)


def fan(count, rng):
    """Turned slivers about a point: bins build slabs for them, and cut large ones into pieces."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    rim = np.stack([np.cos(angle), np.sin(angle), 0.1 * np.sin(5 * angle)], axis=-1)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    vertices = np.concatenate([[[0, 0, 0]], rim]) @ turn
    k = np.arange(count)
    return vertices, np.stack([0 * k, 1 + k, 1 + (k + 1) % count], axis=1)


SCENES = {
    "grid": (lambda rng: grid(24, rng), 0.03),
    "coarse": (lambda rng: grid(3, rng), 0.02),  # facets far larger than spheres
    "flat": (lambda rng: grid(16, rng, jitter=0.0), 0.04),  # one plane at the start
    "strips": (lambda rng: strips(1200, rng), 0.1),
    "fan": (lambda rng: fan(600, rng), 0.02),
}


def anew(mesh, vertices):
    """A mesh that is built of these vertices, with the noises of another one."""
    facets = mesh._facets()._replace(vertices=vertices)
    return abut.Mesh._build(facets, noise=mesh.noise, normal_noise=mesh._core.normal_noise)


def waves(vertices, time, height):
    x, y, z = vertices.T
    wave = np.stack([np.sin(3 * y + time), np.cos(2 * z - time), np.sin(5 * x + 2 * time)], axis=1)
    return vertices + height * wave


def spheres_at(mesh, radius, count, rng):
    """Spheres that touch the mesh anywhere, and some that are far."""
    facet = rng.integers(0, len(mesh), count)
    corners = mesh.vertices[mesh.indices.reshape(-1, 3)[facet]]
    at = np.einsum("nk,nkx->nx", rng.dirichlet([1, 1, 1], count), corners)
    away = rng.normal(size=(count, 3))
    away *= rng.uniform(0, 1.2, (count, 1)) / np.linalg.norm(away, axis=1, keepdims=True)
    return at + away * radius, radius * rng.uniform(0.3, 1, count)


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize("name", SCENES)
def test_contacts_are_those_of_a_mesh_built_anew(name, fine):
    """Through many updates, within the slack of bins and beyond it, and whatever set serves."""
    rng = np.random.default_rng(7)
    build, radius = SCENES[name]
    vertices, facets = build(rng)
    mesh = abut.Mesh(vertices, facets)
    finder, touching = abut.ContactFinder(mesh), 0
    for step in range(12):
        # small ways, which bins allow for, and now and then a large one
        height = 0.002 + 0.05 * (step // 4)
        moved = waves(vertices, 0.07 * step, height)
        finder.update(0, moved, workers=1 + step % 3)
        if fine:
            finder.prepare(radius)
        now = finder.meshes[0]
        expected_mesh = anew(mesh, moved)
        assert_same_bits(now, expected_mesh, ["vertices", "normals", "areas", "noise", "indices"])
        centers, radii = spheres_at(now, radius, 600, rng)
        for options in ({}, {"resolution": "sharing"}, {"resolution": "all", "gap": radius / 4}):
            expected = abut.find_contacts(centers, radii, expected_mesh, **options)
            found = finder.find(centers, radii, workers=2, **options)
            assert_same_bits(found, expected, COLUMNS)
            touching += len(found)
    assert touching > 5000


@pytest.mark.parametrize("spread", [0.02, 1.0, 2.5])
def test_facets_of_any_size_among_cells(spread):
    """Grown by the slack facets may be in one cell more, along each axis, in whatever level."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        size = 2.0 ** rng.uniform(0, spread, (150, 1, 1))
        turns = np.linalg.qr(rng.normal(size=(150, 3, 3)))[0]
        shape = [[0, 0, 0], [1, 0, 0], [rng.uniform(), 0.8, 0]]
        corners = rng.uniform(0, 12, (150, 1, 3)) + size * (shape @ turns)
        mesh = abut.Mesh.from_any(corners)
        finder, radius = abut.ContactFinder(mesh), 2.0 ** rng.uniform(-3, 1)
        finder.update(0, mesh.vertices)
        finder.find([[0, 0, 0]], radius)
        if seed % 2:
            finder.prepare(radius)
        way = rng.normal(size=mesh.vertices.shape)
        way *= 0.08 / np.linalg.norm(way, axis=1, keepdims=True)
        finder.update(0, mesh.vertices + way)
        assert finder.statistics().sets > 0
        centers, radii = spheres_at(finder.meshes[0], radius, 300, rng)
        expected = abut.find_contacts(centers, radii, finder.meshes[0], resolution="all")
        assert_same_bits(finder.find(centers, radii, resolution="all"), expected, COLUMNS)


def test_bins_stay_within_the_slack():
    """Bins are kept until a vertex moves farther than the slack, and are rebuilt after that."""
    vertices, facets = grid(20, np.random.default_rng(1))
    finder = abut.ContactFinder(abut.Mesh(vertices, facets))
    finder.update(0, vertices)
    finder.find([[0.5, 0.5, 0.02]], 0.03)
    assert finder.statistics().sets == 1
    for share in (0.2, 0.9, -0.9):
        finder.update(0, vertices + [0, 0, share * 0.125 * 0.04])
        assert finder.statistics().sets == 1
    finder.update(0, vertices + [0, 0, 2 * 0.125 * 0.05])
    assert finder.statistics().sets == 0


def test_sphere_that_only_the_moved_mesh_touches():
    """Bins that kept the mesh where it was would not find it."""
    vertices, facets = grid(10, np.random.default_rng(2), jitter=0.0)
    finder = abut.ContactFinder(abut.Mesh(vertices, facets))
    centers, radius = [[0.43, 0.52, 0.5]], 0.01
    assert len(finder.find(centers, radius)) == 0
    finder.update(0, vertices + [0, 0, 0.495])
    assert finder.find(centers, radius).overlap == pytest.approx([0.005])
    finder.update(0, vertices)
    assert len(finder.find(centers, radius)) == 0


def test_among_other_surfaces():
    """A half space is before the mesh, and another mesh behind it."""
    mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    plane = abut.HalfSpace((0, 0, -1), (0, 0, 1))
    finder = abut.ContactFinder([plane, mesh, mesh])
    finder.update(2, mesh.vertices + [0, 0, 0.25])
    contacts = finder.find([[0.25, 0.25, 0.5]], 0.5, resolution="all")
    assert contacts.mesh.tolist() == [2, 1]
    assert finder.meshes[1] is mesh
    assert pickle.loads(pickle.dumps(finder)).meshes[2].vertices[0, 2] == 0.25
    with pytest.raises(TypeError, match="mesh 0 is a half space"):
        finder.update(0, mesh.vertices)
    with pytest.raises(IndexError, match="there is no mesh 3"):
        finder.update(3, mesh.vertices)


def test_what_stays():
    source = [[0, 1, 2], [0, 2, 3]]
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    mesh = abut.Mesh.from_any(square[source])
    moved = mesh.moved(2 * mesh.vertices)
    assert moved.vertex_source.tolist() == mesh.vertex_source.tolist()
    assert_same_bits(moved, mesh, ["indices", "offsets", "source", "noise"])
    assert moved.areas.tolist() == [2, 2]
    again = pickle.loads(pickle.dumps(moved))
    assert_same_bits(again, moved, ["vertices", "normals", "areas", "noise"])
    assert moved.__sizeof__() > 0 and "2 facets" in repr(moved)


def test_errors_name_the_first_facet_and_leave_the_finder_as_it_was():
    vertices, facets = grid(40, np.random.default_rng(5))
    mesh = abut.Mesh(vertices, facets)
    finder = abut.ContactFinder(mesh)
    expected = finder.find([[0.5, 0.5, 0.01]], 0.03)
    first, second = facets[2100, 0], facets[900]
    collapsed, turned = vertices.copy(), vertices * [-1, 1, 1]
    collapsed[second[0]] = collapsed[second[1]]
    bad = np.flatnonzero((facets == second[0]).any(1) & (facets == second[1]).any(1))[0]
    with pytest.raises(ValueError, match=rf"^facet {bad} has no area with"):
        finder.update(0, collapsed, workers=3)
    with pytest.raises(ValueError, match=r"^facet 0 turns by a right angle"):
        finder.update(0, turned, workers=3)
    with pytest.raises(ValueError, match=rf"^vertices\[{first}, 1\] is nan"):
        vertices_with_nan = vertices.copy()
        vertices_with_nan[first, 1] = np.nan
        mesh.moved(vertices_with_nan)
    with pytest.raises(ValueError, match="vertices has 3 rows, but there are 1681 vertices"):
        mesh.moved(vertices[:3])
    assert finder.meshes == (mesh,)
    assert_same_bits(finder.find([[0.5, 0.5, 0.01]], 0.03), expected, COLUMNS)


def test_only_triangles_move():
    square = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    mesh = abut.Mesh([*square, [2, 0, 0]], [[1, 4, 2], [0, 1, 2, 3]])
    with pytest.raises(ValueError, match=r'facet 1 has 4 corners, .*split="all"'):
        mesh.moved(mesh.vertices)
    triangles = abut.Mesh(mesh.vertices, [[1, 4, 2], [0, 1, 2, 3]], split="all")
    assert triangles.source.tolist() == [0, 1, 1]
    assert triangles.areas.sum() == mesh.areas.sum()
    assert triangles.moved(2 * mesh.vertices).areas.sum() == 4 * mesh.areas.sum()
    with pytest.raises(ValueError, match="split is 'some'"):
        abut.Mesh(square, [[0, 1, 2, 3]], split="some")


def test_finder_that_is_in_use_is_not_updated():
    """The query of another thread either continues undisturbed or has ended before."""
    rng = np.random.default_rng(1)
    vertices, facets = grid(80, rng)
    finder = abut.ContactFinder(abut.Mesh(vertices, facets))
    centers, radii = spheres_at(finder.meshes[0], 0.05, 200_000, rng)
    refused, other = 0, threading.Thread(target=lambda: finder.find(centers, radii, workers=1))
    other.start()
    while other.is_alive():
        try:
            finder.update(0, vertices)
        except RuntimeError as error:
            assert "in use by another thread" in str(error)
            refused += 1
    other.join()
    assert refused > 0


# ---- from vertices to contacts -------------------------------------------------------------------


def test_per_contact_is_linear_and_does_the_same_work():
    rng = np.random.default_rng(4)
    vertices, facets = grid(8, rng)
    mesh = abut.Mesh(vertices, facets)
    other = abut.Mesh(vertices + [0, 0, 0.05], facets)
    centers, radii = spheres_at(mesh, 0.1, 300, rng)
    contacts = abut.find_contacts(centers, radii, [mesh, other], resolution="all")
    here = contacts.mesh == 0
    assert 0 < here.sum() < len(contacts)
    at = contacts.per_contact(vertices)
    np.testing.assert_allclose(at[here], contacts.point[here], atol=1e-14)
    assert not at[~here].any()
    velocities, forces = rng.normal(size=vertices.shape), rng.normal(size=(len(contacts), 3))
    power = (contacts.per_vertex(forces) * velocities).sum()
    assert power == pytest.approx((forces * contacts.per_contact(velocities)).sum(), rel=1e-12)
    of_one = contacts.per_contact(velocities[:, 1])
    assert of_one.tobytes() == contacts.per_contact(velocities)[:, 1].tobytes()
