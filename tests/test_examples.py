"""The scenes that the package makes itself."""

import numpy as np
import pytest

import abut
from abut import examples
from abut.examples import rotary_mixer

R = examples.RADIUS


@pytest.fixture(scope="module")
def mixer():
    return examples.mixer()


@pytest.fixture(scope="module")
def contacts(mixer):
    return abut.find_contacts(*mixer)


def corners(mesh, facet):
    return mesh.vertices[mesh.indices[mesh.offsets[facet] : mesh.offsets[facet + 1]]]


def test_mixer_has_the_paper_s_numbers(mixer):
    sides = np.bincount(np.diff(mixer.mesh.offsets))
    assert sides.tolist() == [0, 0, 0, 848, 1600]
    assert mixer.centers.shape == (29_559, 3)
    assert mixer.radii.shape == (29_559,)
    assert np.all(mixer.radii == 0.0035)


def test_mixer_has_the_paper_s_size_in_meters(mixer):
    low, high = mixer.mesh.bounds
    np.testing.assert_allclose(high - low, [0.350, 0.286, 0.286], rtol=1e-12)


def test_mixer_is_the_same_every_time_and_another_by_another_seed(mixer):
    again, other = examples.mixer(), examples.mixer(seed=1)
    np.testing.assert_array_equal(again.centers, mixer.centers)
    np.testing.assert_array_equal(again.mesh.vertices, mixer.mesh.vertices)
    assert other.centers.shape == mixer.centers.shape
    assert not np.array_equal(other.centers, mixer.centers)


def test_mixer_is_two_meshes_as_well(mixer):
    """Each facet of the mixer is in exactly one of the meshes; the drum contains the rotor."""
    parts = examples.mixer_meshes()

    def facets(*meshes):
        return sorted(corners(mesh, k).tolist() for mesh in meshes for k in range(len(mesh)))

    assert facets(*parts) == facets(mixer.mesh)
    assert [np.bincount(np.diff(part.offsets)).tolist()[3:] for part in parts] == [
        [288, 1280],
        [560, 320],
    ]
    (drum, rotor) = (np.linalg.norm(part.vertices[:, 1:], axis=1) for part in parts)
    assert drum.max() == pytest.approx(0.143) and rotor.max() < 0.135
    assert drum.min() == pytest.approx(0.030)  # the hole that the shaft is in


def test_what_turns_in_the_mixer_touches_no_drum(mixer):
    """At any angle."""
    drum, rotor = examples.mixer_meshes()
    inner = rotor.vertices[np.abs(rotor.vertices[:, 0]) < 0.17]
    assert len(abut.find_contacts(inner, 0.009, drum)) == 0
    assert len(abut.find_contacts(inner, 0.013, drum)) > 0


def test_every_edge_joins_two_facets_that_are_wound_alike(mixer):
    mesh = mixer.mesh
    after = np.arange(1, len(mesh.indices) + 1)
    after[mesh.offsets[1:] - 1] = mesh.offsets[:-1]
    edges = np.column_stack([mesh.indices, mesh.indices[after]])
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert set(map(tuple, edges.tolist())) == set(map(tuple, edges[:, ::-1].tolist()))


def test_facets_look_to_where_spheres_can_be(mixer):
    mesh = mixer.mesh
    volume = sum(
        np.linalg.det(corners(mesh, facet)[[0, k, k + 1]]) / 6
        for facet in range(len(mesh))
        for k in range(1, mesh.offsets[facet + 1] - mesh.offsets[facet] - 1)
    )
    # of the space between drum, shaft and paddles, from its outside: negative
    drum_section = 32 * 0.143**2 * np.sin(2 * np.pi / 64)
    shaft_section = 8 * 0.030**2 * np.sin(2 * np.pi / 16)
    boxes = sum(np.prod(np.ptp(box, axis=1)) for box in (rotary_mixer.ARM, rotary_mixer.BLADE))
    expected = 0.350 * (drum_section - shaft_section) - 20 * boxes
    assert volume == pytest.approx(-expected, rel=1e-12)


def test_spheres_do_not_overlap_each_other(mixer):
    spatial = pytest.importorskip("scipy.spatial")
    distance, _ = spatial.cKDTree(mixer.centers).query(mixer.centers, k=2)
    assert distance[:, 1].min() >= 2 * R * (1 - 1e-12)


def test_bed_is_inside_the_drum_and_outside_shaft_and_paddles(mixer):
    walls = rotary_mixer._walls()
    assert len(rotary_mixer._outside(mixer.centers, walls)) == len(mixer.centers)
    across = np.linalg.norm(mixer.centers[:, 1:], axis=1)
    assert across.max() < 0.143 - 0.98 * R
    assert across.min() > 0.030 - 0.98 * R
    assert np.abs(mixer.centers[:, 0]).max() < 0.175 - 0.98 * R + 1e-15


def test_library_and_scene_agree_on_who_touches(mixer, contacts):
    """The scene knows its walls as convex shapes; the library as facets."""
    nearest = np.full(len(mixer.centers), np.inf)
    for wall in rotary_mixer._walls():
        near, clearance = rotary_mixer._near(mixer.centers, wall)
        nearest[near] = np.minimum(nearest[near], clearance.distance)
    sure = np.abs(nearest - R) > 1e-12
    touching = contacts.counts > 0
    np.testing.assert_array_equal(touching[sure], (nearest < R)[sure])
    first = contacts.offsets[:-1][touching]
    np.testing.assert_allclose(contacts.overlap[first], R - nearest[touching], atol=1e-14)


def test_rough_plane_is_the_plane_with_heights():
    flat, rough = examples.plane(cells=5, seed=3), examples.rough_plane(cells=5, height=0.1, seed=3)
    np.testing.assert_array_equal(rough.indices, flat.indices)
    np.testing.assert_array_equal(rough.vertices[:, :2], flat.vertices[:, :2])
    assert 0.05 < rough.vertices[:, 2].std() < 0.2


def test_bowl_and_cylinder_are_round_and_look_inside():
    bowl, cylinder = examples.bowl(), examples.cylinder(across=3, along=4)
    assert (len(bowl), len(cylinder)) == (60, 48 * 12)
    np.testing.assert_allclose(np.linalg.norm(bowl.vertices[:, [0, 2]], axis=1), 3)
    for mesh, axis in ((bowl, 1), (cylinder, 2)):
        inward = -mesh.vertices[mesh.indices[mesh.offsets[:-1]]]
        inward[:, axis] = 0
        assert np.all(np.einsum("ij,ij->i", inward, mesh.normals) > 2.9)
    assert bowl.bounds[1, 2] == pytest.approx(0, abs=1e-12)
