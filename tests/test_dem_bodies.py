"""Convex bodies in simulations: against each other, spheres and walls."""

import warnings

import numpy as np
import pytest

import abut
from scenes_dem import GRAVITY
from test_frames import arrays as frame_arrays

STIFFNESS = 1e5
CUBE = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
TETRA = abut.ConvexShape([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], radius=0.05)
WOOD, RIGID = abut.Material(density=1.0), abut.Material()
NO_FRICTION = abut.Linear(STIFFNESS)


def world(law=NO_FRICTION, *, step=2e-4, **options):
    sim = abut.Simulation(step=step, **options)
    for other in (WOOD, RIGID):
        sim.set_law(WOOD, other, law)
    return sim


def floor(sim, height=0.0):
    return sim.add_wall(abut.HalfSpace((0, 0, height), (0, 0, 1)), RIGID)


def turned(angles):
    """Quaternions of rotations about x, then y, then z."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler("xyz", angles).as_quat()


def momenta(sim):
    """The total momentum of bodies and spheres."""
    b = sim.bodies
    linear = (b.masses[:, None] * b.velocities).sum(axis=0)
    linear += (sim.masses[:, None] * sim.velocities).sum(axis=0)
    return linear


# ---- what a body is ------------------------------------------------------------------------------


def test_new_bodies_move_with_the_cell_at_their_center_of_mass():
    corner = abut.ConvexShape(CUBE.vertices + [3.0, 1.0, 0.0])
    sim = world(period=(20.0, 20.0, 20.0))
    sim.deform_cell([[0, 0.5, 0], [0, 0, 0.25], [0, 0, 0]])
    sim.add_bodies(
        [CUBE, corner], [[5, 5, 5], [9, 9, 9]], WOOD, shape=[0, 1], scales=[1, 2],
        orientations=turned([[0, 0, 0], [0, 0, 1]]),
    )  # fmt: skip
    sim.add_spheres(sim.bodies.centers, 0.1, WOOD)
    np.testing.assert_allclose(sim.bodies.velocities, sim.velocities, atol=1e-14)
    assert np.abs(sim.bodies.centers[1] - sim.bodies.positions[1]).max() > 1


def test_several_shapes_in_one_call_are_those_of_calls_one_by_one():
    shapes, numbers = [CUBE, TETRA, CUBE.rounded(0.1)], [2, 1, 1, 0, 2]
    places = 5.0 * np.arange(15).reshape(5, 3)
    sizes, turns = [1.0, 0.5, 2.0, 1.5, 0.7], turned(np.arange(15).reshape(5, 3))
    together, apart = world(), world()
    for sim in (together, apart):
        sim.add_bodies(TETRA, [[-9, -9, -9]], WOOD)
    ids = together.add_bodies(
        shapes, places, WOOD, shape=numbers, scales=sizes, orientations=turns,
        angular_velocities=(1, 2, 3),
    )  # fmt: skip
    assert ids.tolist() == [1, 2, 3, 4, 5]
    for number, place, size, turn in zip(numbers, places, sizes, turns, strict=True):
        apart.add_bodies(
            shapes[number], [place], WOOD, scales=size, orientations=turn,
            angular_velocities=(1, 2, 3),
        )  # fmt: skip
    for sim in (together, apart):
        sim.run(steps=3)
    known, found = apart.bodies.to_dict(), together.bodies.to_dict()
    seen = [[sim.shapes[k] for k in sim.bodies.shape] for sim in (together, apart)]
    assert seen[0] == seen[1] and together.shapes == (TETRA, CUBE, shapes[2])
    assert all(np.array_equal(found[name], known[name]) for name in known if name != "shape")


@pytest.mark.parametrize(
    ("shape", "error", "message"),
    [
        (None, ValueError, "there are 2 shapes: give shape=, the number of each body's"),
        ([0], ValueError, "shape has 1 entry, but there are 2 positions"),
        ([0, 2], ValueError, r"shape\[1\] is 2, but must be 0 to 1"),
        ([-1, 0], ValueError, r"shape\[0\] is -1, but must be 0 to 1"),
        ([0.0, 1.0], TypeError, "shape has dtype float64, but must be integers"),
    ],
)
def test_wrong_numbers_of_shapes(shape, error, message):
    sim = world()
    with pytest.raises(error, match=message):
        sim.add_bodies([CUBE, TETRA], [[0, 0, 0], [9, 9, 9]], WOOD, shape=shape)
    assert len(sim.bodies.numbers) == 0 and sim.shapes == ()


def test_columns():
    sim = world()
    numbers = sim.add_bodies(
        TETRA, [[0, 0, 0], [5, 0, 0]], WOOD, scales=[1, 2], orientations=turned([[0, 0, 1]] * 2),
        velocities=(1, 2, 3), angular_velocities=[[0, 0, 1], [0, 0, 2]],
    )  # fmt: skip
    b = sim.bodies
    assert numbers.tolist() == b.numbers.tolist() == [0, 1]
    np.testing.assert_allclose(b.masses, TETRA.volume * np.array([1, 8]))
    np.testing.assert_allclose(b.positions, [[0, 0, 0], [5, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(b.orientations, turned([[0, 0, 1]] * 2), atol=1e-15)
    np.testing.assert_allclose(b.angular_velocities, [[0, 0, 1], [0, 0, 2]], atol=1e-14)
    inertia = TETRA.inertia[0, 0] * np.array([1, 32])
    np.testing.assert_allclose(b.angular_momenta[:, 2], inertia * [1, 2], rtol=1e-12)
    assert sim.shapes == (TETRA,) and repr(sim).startswith("Simulation(0 spheres, 2 bodies")


def test_positions_are_those_of_the_frame():
    """The simulation has the contacts that a finder finds for its positions and orientations."""
    off = abut.ConvexShape(CUBE.vertices + [3, 2, 1])
    sim = world(gravity=(0, 0, 0))
    sim.add_bodies(
        off, [[0, 0, 0], [0.3, 0.2, 1.95]], WOOD, orientations=turned([[0, 0.01, 0.3]] * 2)
    )
    np.testing.assert_allclose(sim.bodies.centers[0], turn_vector(sim, [3, 2, 1]), atol=1e-12)
    where = sim.bodies.positions, sim.bodies.orientations
    sim.run(steps=1)
    found = abut.ConvexFinder(off).find(*where)
    np.testing.assert_array_equal(sim.body_pairs.overlap, found.overlap)
    np.testing.assert_array_equal(sim.body_pairs.spot, found.spot)
    assert len(found) == 1 and sim.body_pairs.force.shape == (1, 3)


def turn_vector(sim, vector):
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(sim.bodies.orientations[0]).apply(vector)


def test_masses_are_given():
    sim = world()
    sim.add_bodies(CUBE, [[0, 0, 0]], RIGID, masses=3.0, angular_velocities=(1, 0, 0))
    np.testing.assert_allclose(sim.bodies.angular_momenta, [[3.0 * 4 / 6, 0, 0]])
    with pytest.raises(ValueError, match="has no density"):
        sim.add_bodies(CUBE, [[0, 0, 0]], RIGID)


def test_bodies_are_assigned():
    sim = world(gravity=(0, 0, 0))
    sim.add_bodies(TETRA, [[0, 0, 0], [9, 0, 0]], WOOD, angular_velocities=(0, 1, 0))
    sim.bodies.assign(
        positions=sim.bodies.positions + 1,
        velocities=np.ones((2, 3)),
        angular_momenta=np.zeros((2, 3)),
    )
    sim.run(0.1)
    np.testing.assert_allclose(sim.bodies.positions, [[1.1, 1.1, 1.1], [10.1, 1.1, 1.1]])
    assert not sim.bodies.angular_velocities.any()
    with pytest.raises(AttributeError, match="masses of bodies cannot be assigned"):
        sim.bodies.assign(masses=np.ones(2))


# ---- motion --------------------------------------------------------------------------------------


def test_free_rotation():
    """Without forces angular momentum is kept to the bit, energy to second order of the step."""
    brick = abut.ConvexShape(CUBE.vertices * [1, 2, 3])
    sim = world(gravity=(0, 0, 0), step=1e-3)
    sim.add_bodies(brick, [[1, 2, 3]], WOOD, angular_velocities=(0.1, 2, 0.3))
    sim.run(steps=1)
    before, energy = sim.bodies.angular_momenta.copy(), sim.energy
    sim.run(5.0)
    np.testing.assert_array_equal(sim.bodies.angular_momenta, before)
    assert sim.energy.rotational == pytest.approx(energy.rotational, rel=1e-5)
    assert sim.energy.dissipated == 0.0


def test_pushed():
    sim = world(gravity=(0, 0, 0))
    sim.add_bodies(CUBE, [[0, 0, 0], [9, 0, 0]], WOOD)
    sim.add_body_force(lambda s: ([[8, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 16 / 3, 0]]))
    sim.run(1.0)
    np.testing.assert_allclose(sim.bodies.velocities, [[1, 0, 0], [0, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(sim.bodies.angular_velocities, [[0, 0, 0], [0, 1, 0]], atol=1e-9)
    assert sim.energy.dissipated == 0.0
    np.testing.assert_allclose(sim.bodies.forces, [[8, 0, 0], [0, 0, 0]])
    sim.add_body_force(lambda s: [[1, 2]])
    with pytest.raises(ValueError, match="callable 1 of add_body_force"):
        sim.run(1.0)


# ---- walls ---------------------------------------------------------------------------------------


def test_rests_on_a_half_space():
    sim = world(abut.Linear(STIFFNESS, friction=0.5, restitution=0.2))
    wall = floor(sim)
    weight = 8 * GRAVITY
    sim.add_bodies(CUBE, [[0.5, 0.25, 1.001]], WOOD)
    sim.run(3.0)
    np.testing.assert_allclose(wall.force, [0, 0, -weight], atol=1e-9)
    np.testing.assert_allclose(wall.torque, [-weight / 4, weight / 2, 0], atol=1e-8)
    where = [0.5, 0.25, 1 - weight / (4 * STIFFNESS)]
    np.testing.assert_allclose(sim.bodies.positions, [where], atol=1e-10)
    np.testing.assert_allclose(sim.bodies.torques, 0, atol=1e-8)
    found = sim.body_contacts
    assert found.i.tolist() == [0] and found.mesh.tolist() == [0] and len(found.spot) == 4
    np.testing.assert_allclose(found.spot_force.sum(axis=0), -wall.force)
    np.testing.assert_allclose(found.force, [-wall.force])


@pytest.mark.parametrize(("tangent", "slides"), [(0.48, False), (0.52, True)])
def test_slope(tangent, slides):
    """Friction 0.5 holds on slopes below its angle, and slows down by as much above."""
    scale = GRAVITY / np.hypot(1, tangent)
    law = abut.Linear(STIFFNESS, friction=0.5, restitution=0.2)
    sim = world(law, gravity=(scale * tangent, 0, -scale))
    floor(sim)
    sim.add_bodies(CUBE, [[0, 0, 1 - 8 * scale / (4 * STIFFNESS)]], WOOD)
    sim.run(1.0)
    before = sim.bodies.velocities[0, 0]
    sim.run(1.0)
    gained = sim.bodies.velocities[0, 0] - before
    assert gained == pytest.approx(slides * scale * (tangent - 0.5), abs=1e-6)
    assert (before > 0.01) == slides


@pytest.mark.parametrize("restitution", [1.0, 0.5, 0.2])
def test_flat_blow(restitution):
    """Four corners give back what one would."""
    sim = world(abut.Linear(1e4, restitution=restitution), gravity=(0, 0, 0))
    floor(sim)
    sim.add_bodies(CUBE, [[0, 0, 1.001]], WOOD, velocities=(0, 0, -1))
    sim.run(0.3)
    assert sim.bodies.velocities[0, 2] == pytest.approx(restitution, abs=0.01)
    lost = 0.5 * 8 * (1 - sim.bodies.velocities[0, 2] ** 2)
    assert sim.energy.dissipated == pytest.approx(lost, abs=1e-6)


def fan(count, seed):
    """A square of triangles about a point that is not its middle."""
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0, 2 * np.pi, count))
    rim = 9 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
    facets = [[0, 1 + k, 1 + (k + 1) % count] for k in range(count)]
    return abut.Mesh([[0.13, 0.21, 0], *rim], facets)


QUAD = abut.Mesh([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], [[0, 1, 2, 3]])


@pytest.mark.parametrize("mesh", [QUAD, fan(11, 0), fan(23, 1)])
def test_meshed_planes_are_half_spaces(mesh):
    """A cube that falls flat, slides slowly over the edges inside and comes to rest: as on a half
    space, whatever the facets, with the same loss, friction and springs."""
    found = []
    for surface in (abut.HalfSpace((0, 0, 0), (0, 0, 1)), mesh):
        sim = world(
            abut.Linear(STIFFNESS, friction=0.5, restitution=0.5), gravity=(4.91, 0.1, -9.81)
        )
        wall = sim.add_wall(surface, RIGID)
        sim.add_bodies(CUBE, [[-0.3, 0, 1.01]], WOOD, orientations=turned([0, 0, 0.2]))
        sim.run(2.0)
        found.append((sim.bodies.positions, sim.bodies.velocities, wall.force, wall.torque))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-4)
    assert found[0][0][0, 0] > -0.29


def test_springs_go_on_from_facet_to_facet():
    """A cube that slides so slowly that its springs, if they began anew, would hold it less."""
    ends = [[x, y, 0] for x in (-9, 1.005, 9) for y in (-9, 9)]
    halves = abut.Mesh(np.array(ends), [[0, 2, 3, 1], [2, 4, 5, 3]])
    found = []
    for surface in (abut.HalfSpace((0, 0, 0), (0, 0, 1)), halves):
        law = abut.Linear(STIFFNESS, friction=0.5, restitution=0.2)
        sim = world(law, gravity=(0.502 * GRAVITY, 0, -GRAVITY))
        sim.add_wall(surface, RIGID)
        sim.add_bodies(CUBE, [[0, 0, 1 - 8 * GRAVITY / (4 * STIFFNESS)]], WOOD)
        sim.run(1.5)
        found.append((sim.bodies.positions, sim.bodies.velocities))
    assert found[0][0][0, 0] > 0.006
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6, atol=1e-9)


def test_across_edges_of_a_mesh():
    """Tetrahedra and cubes that tumble in a meshed box stay in it, and their weight is borne."""
    rng = np.random.default_rng(0)
    sim = world(abut.Linear(STIFFNESS, friction=0.4, restitution=0.3))
    corners = [[x, y, z] for x in (0, 6) for y in (0, 6) for z in (0, 6)]
    sides = [[0, 2, 6, 4], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]]
    wall = sim.add_wall(abut.Mesh(np.array(corners, float), sides), RIGID)
    places = (np.indices((2, 2, 2)).reshape(3, -1).T + 0.5) * 3
    for shape, shift in ((CUBE, 0.0), (TETRA, 6.0)):
        sim.add_bodies(
            shape, places + [0, 0, shift], WOOD, scales=0.6, orientations=rng.normal(size=(8, 4))
        )
    sim.run(2.0)
    push = sim.record(2e-3, lambda s: wall.force[2])
    sim.run(2.0)
    centers = sim.bodies.centers
    assert centers.min() > 0 and centers[:, :2].max() < 6
    # on average, since some bodies still rock at the end
    assert push.values.mean() == pytest.approx(-sim.bodies.masses.sum() * GRAVITY, rel=0.05)


def test_moving_half_space():
    """A lift carries a cube up, and does its work; a belt takes it along by friction."""
    sim = world(abut.Linear(STIFFNESS, friction=0.5, restitution=0.2))
    wall = floor(sim)
    sim.add_bodies(CUBE, [[0, 0, 1]], WOOD)
    sim.run(1.0)
    wall.motion = abut.Translating((0.3, 0, 0.2))
    sim.run(3.0)
    np.testing.assert_allclose(sim.bodies.velocities, [[0.3, 0, 0.2]], atol=1e-6)
    assert wall.power == pytest.approx(-8 * GRAVITY * 0.2, rel=1e-6)
    energy = sim.energy
    kinetic = 0.5 * 8 * (0.3**2 + 0.2**2)
    assert energy.kinetic == pytest.approx(kinetic, rel=1e-5)
    assert -energy.wall_work > 8 * GRAVITY * 0.2 * 2.9


def test_spheres_on_a_half_space_as_on_a_mesh():
    """With Hertz' law, friction and rolling: a half space is a plane without an end."""
    found = []
    for surface in (abut.HalfSpace((0, 0, 0), (0, 0, 1)), abut.examples.plane()):
        sim = abut.Simulation(step=1e-5)
        rubber = abut.Material(density=1000, young=1e6)
        sim.set_law(rubber, RIGID, abut.Hertz(friction=0.3, restitution=0.6, rolling=0.01))
        wall = sim.add_wall(surface)
        sim.add_spheres([[0.5, 0.5, 0.05]], 0.05, rubber, velocities=(0.5, 0.1, -0.3))
        sim.run(0.2)
        moved = sim.centers, sim.velocities, sim.angular_velocities
        found.append((*moved, wall.force, wall.torque, sim.energy))
        assert wall.nodal_forces.sum(axis=0) == pytest.approx(wall.force)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


def test_walls_of_both_kinds():
    """Half spaces and meshes in any order keep their numbers, contacts and springs."""
    sim = world(abut.Linear(STIFFNESS, friction=0.5, restitution=0.3))
    ground = floor(sim)
    grain = sim.add_spheres([[0, 0, 0.3]], 0.3, WOOD, velocities=(0.1, 0, 0))
    sim.run(steps=100)
    before = sim.contacts.mesh.tolist(), sim.contacts.force.copy()
    lid = sim.add_wall(abut.Mesh([[-9, -9, 5], [9, -9, 5], [0, 9, 5]], [[0, 1, 2]]), RIGID)
    side = sim.add_wall(abut.HalfSpace((3, 0, 0), (-1, 0, 0)), RIGID)
    assert [wall.number for wall in (ground, lid, side)] == [0, 1, 2] and len(grain) == 1
    assert (sim.contacts.mesh.tolist(), sim.contacts.force.tolist()) == (
        before[0],
        before[1].tolist(),
    )
    sim.run(3.0)
    assert ground.force[2] == pytest.approx(-sim.masses[0] * GRAVITY, rel=1e-6)
    assert not lid.force.any() and isinstance(lid.mesh, abut.Mesh)
    assert side.mesh == abut.HalfSpace((3, 0, 0), (-1, 0, 0))


def test_corner_of_half_spaces():
    """Rows of a sphere are there for each wall, the deepest first."""
    sim = world()
    floor(sim)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (1, 0, 0)), RIGID)
    sim.add_spheres([[0.97, 5, 0.98], [3, 3, 0.9]], 1.0, WOOD)
    sim.run(steps=1)
    assert sim.contacts.sphere.tolist() == [0, 0, 1] and sim.contacts.mesh.tolist() == [1, 0, 0]
    np.testing.assert_allclose(sim.contacts.overlap, [0.03, 0.02, 0.1])
    np.testing.assert_allclose(
        sim.contacts.point, [[0, 5, 0.98], [0.97, 5, 0], [3, 3, 0]], atol=1e-15
    )


# ---- each other ----------------------------------------------------------------------------------


def test_head_on():
    """Two cubes meet face to face: momentum is kept, and the speeds follow the restitution."""
    sim = world(abut.Linear(1e4, restitution=0.6), gravity=(0, 0, 0))
    sim.add_bodies(CUBE, [[0, 0, 0], [2.001, 0.3, 0.2]], WOOD, velocities=[[1, 0, 0], [-0.5, 0, 0]])
    sim.run(0.3)
    velocities = sim.bodies.velocities
    np.testing.assert_allclose(momenta(sim), [4, 0, 0], atol=1e-12)
    # off center they turn: what parts is slower at the middles
    assert 0.3 < velocities[1, 0] - velocities[0, 0] < 0.95


def test_head_on_centered():
    sim = world(abut.Linear(1e4, restitution=0.6), gravity=(0, 0, 0))
    sim.add_bodies(CUBE, [[0, 0, 0], [2.001, 0, 0]], WOOD, velocities=[[1, 0, 0], [-0.5, 0, 0]])
    sim.run(0.3)
    velocities = sim.bodies.velocities
    assert velocities[1, 0] - velocities[0, 0] == pytest.approx(0.6 * 1.5, abs=0.01)
    np.testing.assert_allclose(momenta(sim), [4, 0, 0], atol=1e-12)


def cloud(law, seed=0, **options):
    """Bodies and spheres that fly at each other."""
    rng = np.random.default_rng(seed)
    sim = world(law, gravity=(0, 0, 0), **options)
    grid = 2.6 * (np.indices((3, 3, 3)).reshape(3, -1).T - 1.0)
    turns = rng.normal(size=(27, 4))
    for k, shape in enumerate((CUBE, TETRA)):
        rows = slice(k, None, 2)
        sim.add_bodies(
            shape, grid[rows], WOOD, orientations=turns[rows], scales=0.7,
            velocities=-grid[rows] + rng.normal(size=(len(grid[rows]), 3)),
            angular_velocities=rng.normal(size=(len(grid[rows]), 3)),
        )  # fmt: skip
    sim.add_spheres([[9, 0, 0], [0, 9, 0], [0, 0, 9]], 0.5, WOOD, velocities=-6 * np.eye(3))
    return sim


def angular_momentum(sim):
    b = sim.bodies
    arms = b.masses[:, None] * np.cross(b.centers, b.velocities) + b.angular_momenta
    inertia = 0.4 * sim.masses * sim.radii**2
    of_spheres = sim.masses[:, None] * np.cross(sim.centers, sim.velocities)
    return arms.sum(axis=0) + (of_spheres + inertia[:, None] * sim.angular_velocities).sum(axis=0)


def test_momentum_stays():
    """With friction and loss: forces are opposite, and act along one line."""
    sim = cloud(abut.Linear(STIFFNESS, friction=0.5, restitution=0.5))
    before, turning = momenta(sim), angular_momentum(sim)
    met = sim.record(0.01, lambda s: (len(s.body_pairs), len(s.body_sphere_pairs)))
    sim.run(2.0)
    assert met.values.max(axis=0).min() > 0
    b = sim.bodies
    size = (b.masses[:, None] * np.abs(b.velocities)).sum()
    np.testing.assert_allclose(momenta(sim), before, atol=1e-12 * size)
    # v and x are half a step apart, which m v x v / 2 does not show
    np.testing.assert_allclose(angular_momentum(sim), turning, atol=1e-10 * size)


def test_energy_without_loss():
    """No friction, no loss: what is dissipated falls with the step."""
    lost = []
    for step in (1e-4, 5e-5):
        sim = cloud(abut.Linear(STIFFNESS), step=step)
        sim.run(steps=1)
        before = sum(sim.energy)
        sim.run(1.0)
        assert sum(sim.energy) == pytest.approx(before, rel=1e-3)
        lost.append(abs(sim.energy.dissipated) / before)
    assert max(lost) < 0.02


def test_stack_stays():
    sim = world(abut.Linear(STIFFNESS, friction=0.5, restitution=0.2))
    wall = floor(sim)
    heights = [1 - 1e-3 + (2 - 1e-3) * k for k in range(4)]
    sim.add_bodies(CUBE, [[0, 0, z] for z in heights], WOOD)
    sim.run(3.0)
    np.testing.assert_allclose(sim.bodies.positions[:, :2], 0, atol=1e-4)
    np.testing.assert_allclose(wall.force, [0, 0, -4 * 8 * GRAVITY], rtol=1e-4, atol=1e-3)
    assert np.abs(sim.bodies.velocities).max() < 1e-4
    weights = [8 * GRAVITY * k for k in (3, 2, 1)]
    np.testing.assert_allclose(-sim.body_pairs.force[:, 2], weights, rtol=1e-3)


def heap(**options):
    """Cubes, tetrahedra and spheres that fall into a box of half spaces."""
    rng = np.random.default_rng(4)
    sim = world(abut.Linear(STIFFNESS, friction=0.4, restitution=0.4), **options)
    floor(sim)
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        sim.add_wall(abut.HalfSpace((-3 * x, -3 * y, 0), (x, y, 0)), RIGID)
    grid = (np.indices((3, 3, 4)).reshape(3, -1).T - [1, 1, -0.7]) * 1.8
    turns = rng.normal(size=(36, 4))
    for k, shape in enumerate((CUBE, TETRA)):
        rows = slice(k, 36, 3)
        sim.add_bodies(shape, grid[rows], WOOD, scales=0.5, orientations=turns[rows])
    sim.add_spheres(grid[2::3], 0.4, WOOD)
    return sim


def met(**options):
    """A heap in which bodies touch bodies, walls and spheres."""
    sim = heap(**options)
    sim.run(0.6)
    for _ in range(20):
        sim.run(0.05)
        if len(sim.body_pairs) and len(sim.body_contacts) and len(sim.body_sphere_pairs):
            return sim
    raise AssertionError("no such moment in a second")


# ---- bits ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The arrays of a file."""
    path = tmp_path_factory.mktemp("bodies") / "a.npz"
    met().save(path)
    return dict(np.load(path))


@pytest.mark.native
@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("bodies.shapes", lambda a: a + 9, "body 0 has the number 9"),
        ("bodies.began", lambda a: a[:, 1:], r"bodies.began has shape \(24, 9\)"),
        ("bodies.images", lambda a: a + 2**30 + 9, "body 0 has the number .* in its column images"),
        ("with_bodies.j", lambda a: a + 99, r"j\[0\] is"),
        ("with_walls.mesh", lambda a: a - 9, r"mesh\[0\] is"),
        ("with_bodies.spot_offsets", lambda a: a + 1, "offsets do not ascend"),
        ("with_spheres.spring", lambda a: a * np.nan, "with_spheres.spring is not finite"),
        ("body_numbers", lambda a: a[::-1], "body_numbers does not ascend"),
    ],
)
def test_damaged_files(stored, tmp_path, name, change, message):
    arrays = dict(stored)
    np.savez(tmp_path / "b.npz", **arrays | {name: np.ascontiguousarray(change(arrays[name]))})
    with pytest.raises(ValueError, match=message):
        abut.load_simulation(tmp_path / "b.npz")
    del arrays[name]
    np.savez(tmp_path / "c.npz", **arrays)
    with pytest.raises(ValueError, match=f"it has no {name}"):
        abut.load_simulation(tmp_path / "c.npz")


@pytest.mark.native
def test_come_and_go():
    """Removing bodies does not change the others or their springs."""
    law = abut.Linear(STIFFNESS, friction=0.5, restitution=0.2)
    sims = []
    for count in (2, 3):
        sim = world(law, gravity=(3, 0, -GRAVITY))
        floor(sim)
        far = [[0, 9 * k, 0.999] for k in range(3)]
        sim.add_bodies(CUBE, far[:count], WOOD)
        sim.run(0.2)
        if count == 3:
            sim.remove_bodies([0])
            assert sim.bodies.numbers.tolist() == [1, 2]
        sim.run(0.2)
        sims.append(sim)
    np.testing.assert_array_equal(sims[0].bodies.velocities[1], sims[1].bodies.velocities[0])
    with pytest.raises(ValueError, match="there is no body 0"):
        sims[1].remove_bodies([0])
    sims[1].add_spheres([[50, 50, 0.5]], 0.5, WOOD)
    sims[1].run(0.1)
    sims[1].remove_spheres([0])
    sims[1].run(0.1)
    assert sims[1].add_bodies(TETRA, [[0, 99, 5]], WOOD).tolist() == [3]


def test_energy_goes_on_where_bodies_go():
    sim = heap()
    sim.run(0.5)
    before = sim.energy.dissipated
    sim.remove_bodies(sim.bodies.numbers[::2])
    sim.run(steps=1)
    assert sim.energy.dissipated == pytest.approx(before, rel=1e-2)


# ---- periods -------------------------------------------------------------------------------------


def test_across_a_period():
    """Over the end of a periodic box a cube slides, and two touch, as in an open world."""
    law = abut.Linear(STIFFNESS, friction=0.3, restitution=0.3)
    found = []
    for period in (None, (9.0, None, None)):
        sim = world(law, period=period)
        floor(sim)
        sim.add_bodies(
            CUBE, [[7.5, 0, 0.9995], [10.5, 0, 0.9995]], WOOD, velocities=[[3, 0, 0], [0, 0, 0]]
        )
        sim.run(1.0)
        found.append((sim.bodies.positions, sim.bodies.velocities))
    (open_at, open_fast), (inside, fast) = found
    assert open_at[0, 0] > 8 and (inside[:, 0] < 9).all()
    np.testing.assert_allclose(np.mod(open_at[:, 0], 9), inside[:, 0], atol=1e-6)
    np.testing.assert_allclose(fast, open_fast, atol=1e-6)
    assert open_fast[1, 0] > 0.1 or open_at[1, 0] > 10.5


# ---- errors --------------------------------------------------------------------------------------


def test_errors():
    sim = world()
    square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
    with pytest.raises(TypeError, match=r"shapes\[0\] is a list, but must be a ConvexShape"):
        sim.add_bodies([[0, 0, 0]], [[0, 0, 0]], WOOD)
    with pytest.raises(ValueError, match="shapes is a polygon"):
        sim.add_bodies(square, [[0, 0, 0]], WOOD)
    with pytest.raises(ValueError, match=r"shapes\[1\] is a polygon"):
        sim.add_bodies([CUBE, square], [[0, 0, 0]], WOOD, shape=[0])
    with pytest.raises(ValueError, match=r"scales\[1\] is 0"):
        sim.add_bodies(CUBE, [[0, 0, 0], [9, 9, 9]], WOOD, scales=[1, 0])
    with pytest.raises(ValueError, match=r"positions\[0, 1\] is nan"):
        sim.add_bodies(CUBE, [[0, np.nan, 0]], WOOD)
    with pytest.raises(ValueError, match=r"masses\[0\] is -1"):
        sim.add_bodies(CUBE, [[0, 0, 0]], WOOD, masses=-1)
    assert len(sim.bodies.numbers) == 0


def test_laws_that_bodies_cannot_have():
    glass, steel = abut.Material(2500, 6e10), abut.Material(young=2e11)
    sim = abut.Simulation(step=1e-6)
    sim.set_law(glass, steel, abut.Hertz(rolling=abut.laws.RollingA(0.1)))
    names_both = (
        r"bodies cannot have RollingA, as Material\(density=2500.* with Material\(density=N"
    )
    with pytest.raises(ValueError, match=names_both):
        sim.add_bodies(CUBE, [[0, 0, 0]], glass)
    sim.set_law(glass, steel, abut.Linear(1e4))
    sim.add_bodies(CUBE, [[0, 0, 0]], glass)
    with pytest.raises(ValueError, match=names_both):
        sim.set_law(steel, glass, abut.Linear(1e4, rolling=abut.laws.RollingA(0.1)))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), RIGID)
    with pytest.raises(ValueError, match=r"body 0 of Material\(density=2500.* touches .* no law"):
        sim.run(steps=1)


def test_half_spaces_that_do_not_fit():
    with pytest.raises(ValueError, match="must be 0 along z"):
        abut.Simulation(step=1, period=(1, None, 1)).add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
    # one that stands along a period when it is added, and then turns
    sim = abut.Simulation(step=0.1, period=(1, None, None))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WOOD, abut.Rotating((0, 1, 0), rate=1.0))
    sim.add_spheres([[0, 0, 0.5]], 0.1, WOOD)
    with pytest.raises(
        ValueError, match=r"half space 0 is not parallel to vector 0 of the period: its"
    ):
        sim.run(steps=2)


@pytest.mark.native
def test_lost_body():
    sim = abut.Simulation(step=20)
    sim.add_bodies(CUBE, [[0, 0, 0]], WOOD, velocities=(1e74, 0, 0))
    with pytest.raises(FloatingPointError, match="body 0 is lost in step 0"):
        sim.run(steps=10)


@pytest.mark.native
@pytest.mark.parametrize("axis", range(3))
def test_sphere_at_two_images(axis):
    along = np.eye(3)[axis]
    sim = world(period=[2.2 if k == axis else None for k in range(3)])
    sim.add_bodies(CUBE, [1.1 * along], WOOD)
    sim.add_spheres([2.2 * along], 0.3, WOOD)
    with pytest.raises(ValueError, match="body 0 touches sphere 0 at more than one periodic image"):
        sim.run(steps=1)


def wide(size):
    """A strip along x."""
    corners = [[-size, -1, 0], [size, -1, 0], [size, 1, 0], [-size, 1, 0]]
    return abut.Mesh(corners, [[0, 1, 2, 3]])


@pytest.mark.native
@pytest.mark.parametrize("kind", ["body", "sphere"])
@pytest.mark.parametrize(
    ("size", "motion"), [(1e7, None), (1.0, abut.Translating((1e308, 0, 0)))], ids=["wide", "far"]
)
def test_too_many_images_of_a_wall_name_who_was_searched(size, motion, kind):
    sim = world(period=(4.0, None, None))
    centers = [[0, 0, 9 + 3 * k] for k in range(3)]
    if kind == "body":
        sim.add_bodies(CUBE, centers, WOOD)
        sim.remove_bodies([0, 1])
    else:
        sim.add_spheres(centers, 1.0, WOOD)
        sim.remove_spheres([0, 1])
    sim.add_wall(wide(size), WOOD, motion=motion)
    with pytest.raises(
        ValueError, match=f"^{kind} 2 may touch more than a million periodic images"
    ):
        sim.run(steps=3)
    assert sim.step_count == (motion is not None)


@pytest.mark.native
def test_other_errors_of_a_search_name_bodies():
    sim = world(period=(4.0, None, None))
    sim.add_bodies(CUBE, [[0, 0, 0], [0, 0, 5]], WOOD, scales=(1, 1e-80), masses=1)
    sim.remove_bodies([0])
    with pytest.raises(ValueError, match=r"^body 1 has the circumscribed radius 1.7\d+e-80"):
        sim.run(steps=1)
    sim.remove_bodies([1])
    sim.add_bodies(CUBE, [[0, 0, 0]], WOOD, scales=1e8, masses=1)
    with pytest.raises(ValueError, match=r"^the cell is only 4 wide along period\[0\], so bodies"):
        sim.run(steps=1)


def test_warns_of_long_steps():
    sim = world(abut.Linear(STIFFNESS, restitution=0.5), step=0.1)
    sim.add_bodies(CUBE, [[0, 0, 5]], WOOD)
    with pytest.warns(abut.SimulationWarning, match="times the longest stable one"):
        sim.run(steps=1)


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_a_tiny_body_in_a_large_one_has_a_stable_step():
    """Its arm is 1e12 times its size, and so is the damping ratio of its turning."""
    sim = world(abut.Linear(STIFFNESS, restitution=0.5), step=1e-12)
    sim.add_bodies(CUBE, [[0, 0, 0], [0.2, 0.4, 0.8]], WOOD, scales=[1, 1e-12])
    sim.run(steps=1)
    assert len(sim.body_pairs) == 1 and 0 < sim.stable_step() < 1e-30
    sim.run(steps=1)


@pytest.mark.native
def test_statistics_and_memory():
    sim = heap()
    sim.run(1.0)
    found = sim.statistics()
    assert found.bodies == 24 and found.body_contacts > 5 and found.find_bodies > 0
    assert "laws of bodies" in repr(found) and found.bytes > 1000


def test_frames(tmp_path):
    """Polygons of all bodies where they are, in files beside those of spheres and walls."""
    sim = world()
    floor(sim)
    sim.add_bodies(TETRA, [[0, 0, 5]], WOOD, scales=2.0, orientations=turned([0.1, 0.2, 0.3]))
    sim.add_bodies(CUBE, [[9, 0, 5]], WOOD, velocities=(1, 2, 3))
    sim.run(steps=1)
    abut.write_frames(tmp_path / "out/{step}.vtp", contacts=True)(sim)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["1-bodies.vtp", "1-contacts.vtp", "1-pairs.vtp", "1.vtp"]
    found = frame_arrays(tmp_path / "out/1-bodies.vtp")
    np.testing.assert_array_equal(found["body"], [0] * 4 + [1] * 6)
    np.testing.assert_array_equal(found["offsets"], [*range(3, 13, 3), *range(16, 37, 4)])
    np.testing.assert_array_equal(
        found["velocity"][4:], np.repeat(sim.bodies.velocities[1:], 6, axis=0)
    )
    np.testing.assert_allclose(found["Points"][4:].mean(axis=0), sim.bodies.centers[1])
    np.testing.assert_allclose(found["Points"][:4].mean(axis=0), sim.bodies.centers[0], atol=1e-12)


def test_insertion_keeps_away_from_bodies():
    sim = world()
    sim.add_bodies(CUBE, [[0, 0, 0]], WOOD)
    feed = abut.Insertion([[-1, -1, -1], [1, 1, 1]], 0.1, rate=1e6, material=WOOD)
    sim.add_insertion(feed, until=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim.run(steps=10)
    assert len(sim.ids) == 0
