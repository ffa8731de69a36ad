"""Walls that deform: what a simulation and a structure do to each other."""

import copy
from functools import partial

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import abut

STEP = 1e-4


def sheet(count, size=1.0):
    """A square of 2 count^2 triangles about the origin."""
    x, y = np.meshgrid(*[np.linspace(-size, size, count + 1)] * 2, indexing="ij")
    at = np.arange((count + 1) ** 2).reshape(count + 1, -1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1)
    vertices = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3)
    return abut.Mesh(vertices, quads.reshape(-1, 4), split="all")


def grains(sim, height=0.104, jitter=0.003, seed=1, side=3):
    """Some layers of balls above the sheet, none of which touches anything yet."""
    ball = abut.Material(density=1000, young=1e6, poisson=0.3)
    law = abut.Hertz(friction=0.4, restitution=0.4, rolling=abut.laws.RollingC(0.05))
    sim.set_law(ball, abut.Material(), law)
    sim.set_law(ball, ball, law)
    numbers = np.arange(-side, side + 1)
    lattice = np.stack(np.meshgrid(numbers, numbers, [0, 1], indexing="ij"), axis=-1)
    rng = np.random.default_rng(seed)
    centers = 0.21 * lattice.reshape(-1, 3) + [0, 0, height]
    sim.add_spheres(centers + rng.uniform(-jitter, jitter, centers.shape), 0.1, ball)
    return sim


class Membrane:
    """A net of springs between vertices of equal mass with a fixed rim. Central differences with
    the simulation's step move it."""

    def __init__(self, mesh, step=STEP, stiffness=3e4, mass=0.05, damping=0.0, held=None):
        edges = np.concatenate([mesh.indices.reshape(-1, 3)[:, [k, k - 1]] for k in range(3)])
        self.edges = np.unique(np.sort(edges, axis=1), axis=0)
        self.at, self.speed = mesh.vertices.copy(), np.zeros_like(mesh.vertices)
        ends = self.at[self.edges]
        self.lengths = 0.9 * np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        self.stiffness, self.mass, self.damping, self.step = stiffness, mass, damping, step
        rim = np.abs(self.at[:, :2]).max(axis=1) > np.abs(self.at).max() - 1e-9
        self.free = ~(rim if held is None else held)
        self.energies = []

    def stretch(self):
        ways = np.diff(self.at[self.edges], axis=1)[:, 0]
        lengths = np.linalg.norm(ways, axis=1)
        return ways, lengths, lengths - self.lengths

    def pulls(self):
        ways, lengths, stretch = self.stretch()
        pull = (self.stiffness * stretch / lengths)[:, None] * ways
        forces = np.zeros_like(self.at)
        np.add.at(forces, self.edges[:, 0], pull)
        np.add.at(forces, self.edges[:, 1], -pull)
        return forces

    def __call__(self, time, forces):
        pull = (forces + self.pulls()) / self.mass - self.damping * self.speed
        before, self.speed = self.speed, self.speed + self.step * pull * self.free[:, None]
        mean = 0.5 * (before + self.speed)
        stored = 0.5 * self.stiffness * (self.stretch()[2] ** 2).sum()
        self.energies.append(0.5 * self.mass * (mean**2).sum() + stored)
        self.at = self.at + self.step * self.speed
        return self.at, self.speed


def coupled(count=6, workers=None, **options):
    mesh = sheet(count)
    sim = grains(abut.Simulation(step=STEP, workers=workers))
    membrane = Membrane(mesh, **options)
    return sim, sim.add_wall(mesh, deform=membrane), membrane


# ---- against walls that move as a whole ----------------------------------------------------------


def pose_at(time):
    pose = np.eye(4)
    turn = Rotation.from_rotvec([0.3 * time, 0.2 * np.sin(3 * time), 0.5 * time])
    pose[:3, :3] = turn.as_matrix()
    pose[:3, 3] = 0.1 * np.sin(5 * time), 0.05 * time, 0.02 * np.sin(20 * time)
    return pose


def twist_at(time, ahead=1e-5):
    before, after = pose_at(time - ahead), pose_at(time + ahead)
    turn = Rotation.from_matrix(after[:3, :3] @ before[:3, :3].T).as_rotvec()
    return np.concatenate([after[:3, 3] - before[:3, 3], turn]) / (2 * ahead)


def test_rigid_motion_vertex_by_vertex_is_that_of_a_pose():
    """With friction and rolling: springs turn with the facets as they do with a pose."""
    mesh = sheet(6)

    def structure(time, forces):
        before, now = (
            mesh.vertices @ pose[:3, :3].T + pose[:3, 3]
            for pose in (pose_at(time - STEP), pose_at(time))
        )
        return now, (now - before) / STEP

    sims = [grains(abut.Simulation(step=STEP)) for _ in range(2)]
    walls = [
        sims[0].add_wall(mesh, motion=lambda time: (pose_at(time), twist_at(time))),
        sims[1].add_wall(mesh, deform=structure),
    ]
    largest, off = 0.0, 0.0
    for _ in range(100):
        for sim in sims:
            sim.run(steps=10)
        rigid, deforming = (wall.force for wall in walls)
        largest = max(largest, np.abs(rigid).max())
        off = max(off, np.abs(rigid - deforming).max())
    assert largest > 1000
    assert off < 1e-9 * largest
    np.testing.assert_allclose(sims[1].centers, sims[0].centers, atol=1e-12)
    np.testing.assert_allclose(walls[1].mesh.vertices, structure(0.1, None)[0], atol=1e-12)
    assert walls[1].pose.tolist() == np.eye(4).tolist()


@pytest.mark.parametrize("kind", ["mid-step velocities", "ways"])
def test_a_shaken_sheet_is_a_shaken_mesh(kind):
    """A sphere that is held above it; of a parabola the velocity in the middle of the step is the
    way over the step."""
    mesh, step, acceleration = sheet(2), 1e-3, np.array([10.0, 4.0, 0])

    def pose_of(time):
        return abut.Translating(0.5 * acceleration * time).pose(time)

    def structure(time, forces):
        way = pose_of(time)[:3, 3] - pose_of(time - step)[:3, 3]
        velocity = way / step if kind == "ways" else acceleration * (time - step / 2)
        return mesh.vertices + pose_of(time)[:3, 3], np.tile(velocity, (len(mesh.vertices), 1))

    def motion(time):
        return pose_of(time), np.concatenate([acceleration * time, np.zeros(3)])

    forces = []
    for how in ({"motion": motion}, {"deform": structure}):
        sim, stone, steel = abut.Simulation(step=step), abut.Material(1000, 1e6), abut.Material()
        sim.set_law(stone, steel, abut.Linear(1e4, 0.5, friction=100))
        sim.add_wall(mesh, steel, **how)
        sim.add_spheres([[0.02, 0.03, 0.0999]], 0.1, stone)
        sim.fixed = [True]
        sim.run(steps=20)
        forces.append(sim.contacts.force)
    np.testing.assert_allclose(*forces, rtol=1e-12)


# ---- forces and power ----------------------------------------------------------------------------


def test_power_to_nodes_is_power_from_grains():
    sim, wall, membrane = coupled(count=5)
    sim.set_law(sim.materials[0], sim.materials[1], abut.Hertz(friction=0.4, restitution=0.4))
    looked = 0
    for _ in range(60):
        before = membrane.speed
        sim.run(steps=1)
        power = (wall.nodal_forces * 0.5 * (before + membrane.speed)).sum()
        assert wall.power == pytest.approx(power, rel=1e-12, abs=1e-12)
        looked += wall.power != 0
        sim.run(steps=9)
    assert looked > 30


def test_contacts_are_on_the_mesh_of_their_step():
    sim, wall, _ = coupled()
    sim.run(0.05)
    contacts = sim.contacts
    assert len(contacts) > 10
    mesh = contacts.meshes[0]
    np.testing.assert_allclose(contacts.per_contact(mesh.vertices), contacts.point, atol=1e-14)
    assert np.abs(contacts.per_contact(wall.mesh.vertices) - contacts.point).max() > 1e-9
    assert wall.nodal_forces.tobytes() == contacts.per_vertex(-contacts.force).tobytes()
    np.testing.assert_allclose(wall.nodal_forces.sum(axis=0), wall.force, rtol=1e-12, atol=1e-9)


def test_surface_that_comes_to_spheres_at_rest():
    """Neighbor lists of walls depend on the velocities of vertices."""
    mesh = sheet(4)
    sim = abut.Simulation(step=STEP, gravity=(0, 0, 0))
    sim = grains(sim, height=0.3, jitter=0.0)
    # nothing has begun to move where the sheet arrives
    arrival, calls = [], []

    def structure(time, forces):
        calls.append(time)
        height = 0.19 * min(time / 0.01, 1.0) + 0.02 * max(time - 0.01, 0.0) / 0.01
        if np.abs(forces).max() > 0 and not arrival:
            arrival.append(time)
        return mesh.vertices + [0, 0, height], 0 * mesh.vertices

    sim.add_wall(mesh, deform=structure)
    sim.run(0.02)
    # forces belong to the beginning of a step, so they appear one step after touch
    assert arrival == [pytest.approx(0.01 + 0.005 + 2 * STEP, abs=1.01 * STEP)]
    np.testing.assert_allclose(calls, STEP * np.arange(1, 201))


# ---- energies ------------------------------------------------------------------------------------


def largest_change(step, duration, mesh, membrane, ball):
    """The largest relative change of the total energy."""
    glass = abut.Material(density=1000)
    sim = abut.Simulation(step=step, gravity=(0, 0, 0), resolution="sharing")
    sim.set_law(glass, abut.Material(), abut.Linear(4e4))
    sim.add_wall(mesh, deform=membrane)
    sim.add_spheres([ball[0]], 0.08, glass, velocities=[ball[1]])
    sums, most = [], 0
    for _ in range(round(duration / step)):
        sim.run(steps=1)
        energy = sim.energy
        sums.append(sum(energy[:4]) + membrane.energies[-1])
        most = max(most, len(sim.contacts))
    assert most > 0
    return np.abs(np.array(sums) / sums[0] - 1).max(), sim


def test_balance_closes_to_second_order_on_one_facet():
    triangle = abut.Mesh([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], [[0, 1, 2]])
    found = []
    for step in (4e-4, 2e-4, 1e-4):
        free = Membrane(triangle, step, stiffness=300.0, mass=0.5, held=np.zeros(3, bool))
        free.lengths /= 0.9
        ball = (0.0, -0.3, 0.09), (0.1, 0.05, -3.0)
        found.append(largest_change(step, 0.04, triangle, free, ball)[0])
    assert found[0] < 5e-3
    assert found[0] / found[1] == pytest.approx(4, abs=1)
    assert found[1] / found[2] == pytest.approx(4, abs=1)


def test_balance_over_many_facets():
    mesh = sheet(8)
    ball = (0.23, 0.11, 0.09), (0.4, 0.3, -3.0)
    membrane = Membrane(mesh, 1e-4, stiffness=2e3, mass=0.05)
    change, sim = largest_change(1e-4, 0.06, mesh, membrane, ball)
    assert change < 1e-3
    assert len(np.unique(np.flatnonzero(np.abs(membrane.at[:, 2]) > 1e-3))) > 20
    # the wall's work is the energy that the membrane has gained
    gained = membrane.energies[-1] - membrane.energies[0]
    assert gained > 5
    assert sim.energy.wall_work == pytest.approx(gained, rel=1e-4)
    assert abs(sim.energy.dissipated) < 1e-3 * gained


# ---- the same bits -------------------------------------------------------------------------------


def state_of(sim, wall):
    arrays = sim.centers, sim.velocities, sim.forces, wall.mesh.vertices, wall.nodal_forces
    return b"".join(array.tobytes() for array in arrays), sim.energy, wall.power


def test_copy_asks_another_structure():
    sim, wall, membrane = coupled()
    sim.run(steps=400)
    with pytest.raises(ValueError, match=r"a callable deforms wall 0: pass deform=\{0: ...\}"):
        sim.copy()
    branch = sim.copy(deform={0: copy.deepcopy(membrane)})
    for one in (sim, branch):
        one.run(steps=200)
    assert state_of(branch, branch.walls[0]) == state_of(sim, wall)
    assert branch.walls[0].mesh is not wall.mesh


def test_file_wants_its_callables(tmp_path):
    sim, _, membrane = coupled()
    path = tmp_path / "a.npz"
    sim.save(path)
    load = partial(abut.load_simulation, path, meshes=[sheet(6)])
    with pytest.raises(ValueError, match=r"a callable deforms wall 0: pass deform=\{0: ...\}"):
        load()
    with pytest.raises(ValueError, match="deform names wall 1, which did not deform"):
        load(deform={0: membrane, 1: membrane})
    with pytest.raises(TypeError, match=r"deform\[0\] is an int"):
        load(deform={0: 3})


def test_callable_that_fails_is_asked_again():
    """The simulation has completed the step; the structure continues where it failed."""
    expected, wall, _ = coupled()
    expected.run(0.05)
    mesh = sheet(6)
    sim, membrane, fails = grains(abut.Simulation(step=STEP)), Membrane(mesh), [True]

    def structure(time, forces):
        if time > 0.03005 and fails:
            fails.clear()
            raise RuntimeError("the solver did not converge")
        return membrane(time, forces)

    again = sim.add_wall(mesh, deform=structure)
    with pytest.raises(RuntimeError, match="did not converge"):
        sim.run(0.05)
    assert sim.step_count == 301
    assert len(sim.contacts)
    np.testing.assert_allclose(
        sim.contacts.per_contact(again.mesh.vertices), sim.contacts.point, atol=1e-14
    )
    sim.run(steps=500 - 301)
    assert state_of(sim, again) == state_of(expected, wall)


def test_file_of_a_step_that_the_structure_has_not_followed(tmp_path):
    expected, wall, _ = coupled()
    expected.run(0.05)
    sim, again, membrane = coupled()
    sim.run(steps=300)
    ask, membrane.__class__ = membrane.__class__, type("Failing", (), {"__call__": _fail})
    with pytest.raises(RuntimeError, match="not now"):
        sim.run(steps=1)
    membrane.__class__ = ask
    sim.save(tmp_path / "a.npz")
    loaded = abut.load_simulation(tmp_path / "a.npz", meshes=[sheet(6)], deform={0: membrane})
    assert state_of(loaded, loaded.walls[0]) == state_of(sim, again)
    loaded.run(steps=199)
    assert state_of(loaded, loaded.walls[0]) == state_of(expected, wall)


def _fail(self, time, forces):
    raise RuntimeError("not now")


# ---- what is wrong -------------------------------------------------------------------------------


WRONG = {
    "None": (lambda at: None, TypeError, r"returned a NoneType, but must return \(vertices"),
    "one": (lambda at: (at,), TypeError, "returned a tuple"),
    "shape": (lambda at: (at[:-1], 0 * at), ValueError, "vertices has 48 rows, but there are 49"),
    "speeds": (lambda at: (at, 0 * at[:-1]), ValueError, "velocities has 48 rows"),
    "words": (lambda at: ("there", 0 * at), TypeError, "vertices"),
    "nan": (lambda at: (at * np.nan, 0 * at), ValueError, r"vertices\[0, 0\] is nan"),
    "fast": (lambda at: (at, at / 0), ValueError, r"velocities\[0, 0\] is"),
    "line": (lambda at: (at * [1, 0, 0], 0 * at), ValueError, "facet 0 has no area with the new"),
    "over": (lambda at: (at * [1, -1, 1], 0 * at), ValueError, "facet 0 turns by a right angle"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_wrong_answers(name):
    answer, kind, text = WRONG[name]
    mesh, is_wrong = sheet(6), [True]
    sim = grains(abut.Simulation(step=STEP))

    def structure(time, forces):
        at = mesh.vertices.copy()
        return answer(at) if is_wrong else (at, 0 * at)

    wall = sim.add_wall(mesh, deform=structure)
    with pytest.raises(kind, match=f"deform of wall 0 at time 0.0001: .*{text}"):
        sim.run(0.01)
    assert sim.step_count == 1
    assert wall.mesh.vertices.tobytes() == mesh.vertices.tobytes()
    is_wrong.clear()
    sim.run(0.01)
    assert sim.step_count == 101


def test_what_does_not_deform():
    sim, mesh = abut.Simulation(step=STEP), sheet(2)
    with pytest.raises(ValueError, match="a wall takes either motion= or deform="):
        sim.add_wall(mesh, motion=abut.Translating((1, 0, 0)), deform=Membrane(mesh))
    with pytest.raises(TypeError, match="deform is an int"):
        sim.add_wall(mesh, deform=3)
    with pytest.raises(TypeError, match="a HalfSpace has no vertices"):
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), deform=Membrane(mesh))
    square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    with pytest.raises(ValueError, match='split="all"'):
        sim.add_wall(square, deform=Membrane(mesh))
    assert sim.walls == ()
    wall = sim.add_wall(mesh, deform=Membrane(mesh))
    with pytest.raises(ValueError, match="wall 0 deforms, and cannot have a motion"):
        wall.motion = abut.Translating((1, 0, 0))
    wall.motion = None


def test_bodies_do_not_touch_it():
    sim, mesh = abut.Simulation(step=STEP), sheet(2)
    wall = sim.add_wall(mesh, deform=Membrane(mesh))
    cube = abut.ConvexShape(np.stack(np.meshgrid(*[[-0.1, 0.1]] * 3), axis=-1).reshape(-1, 3))
    sim.add_bodies(cube, [[0, 0, 1]], abut.Material(1000, 1e6))
    with pytest.raises(ValueError, match="only spheres may touch such walls, but there is 1 body"):
        sim.run(steps=1)
    wall.active = False
    sim.run(steps=1)


def test_bodies_do_not_come_to_it_in_a_run():
    sim, mesh = abut.Simulation(step=STEP), sheet(2)
    sim.add_wall(mesh, deform=Membrane(mesh))
    cube = abut.ConvexShape(np.stack(np.meshgrid(*[[-0.1, 0.1]] * 3), axis=-1).reshape(-1, 3))
    grain = abut.Material(1000, 1e6)
    sim.every(STEP, lambda s: s.step_count == 3 and s.add_bodies(cube, [[0, 0, 1]], grain))
    with pytest.raises(ValueError, match="only spheres may touch such walls, but there is 1 body"):
        sim.run(steps=9)
    assert sim.step_count == 3


@pytest.mark.parametrize("goes", [True, False], ids=["removed", "switched off"])
def test_a_wall_may_go_while_it_is_asked(goes):
    sim, mesh = abut.Simulation(step=STEP), sheet(2)

    def structure(time, forces):
        if sim.step_count == 3 and goes:
            sim.remove_wall(sim.walls[0])
        elif sim.step_count == 3:
            sim.walls[0].active = False
        return mesh.vertices + [0, 0, time], np.zeros((len(mesh.vertices), 3))

    wall = sim.add_wall(mesh, deform=structure)
    sim.run(steps=9)
    assert sim.step_count == 9
    assert goes or wall.mesh.vertices[0, 2] == pytest.approx(mesh.vertices[0, 2] + 2 * STEP)


def test_velocities_are_no_larger_than_coordinates():
    sim, mesh = abut.Simulation(step=STEP), sheet(2)
    fast = np.zeros((len(mesh.vertices), 3))
    fast[1, 2] = 1e160
    sim.add_wall(mesh, deform=lambda time, forces: (mesh.vertices, fast))
    with pytest.raises(ValueError, match=r"wall 0 at time .*velocities\[1, 2\] is 1e\+160, but"):
        sim.run(steps=2)


def test_walls_of_lammps_do_not_deform():
    walls = pytest.importorskip("abut.lammps", exc_type=ImportError).Walls
    with pytest.raises(TypeError, match="deform"):
        walls(None, sheet(2), None, deform=Membrane(sheet(2)))


# ---- beside other walls, and in files ------------------------------------------------------------


def test_walls_come_and_go():
    """What a surface knows of the last step stays with it, whatever number the library gives it."""
    expected, wall, _ = coupled()
    expected.run(0.05)
    mesh, sim = sheet(6), grains(abut.Simulation(step=STEP))
    gate = sim.add_wall(abut.Mesh(mesh.vertices + [0, 0, 9], mesh.indices.reshape(-1, 3)))
    again = sim.add_wall(mesh, deform=Membrane(mesh))
    sim.run(0.02)
    sim.remove_wall(gate)
    sim.run(0.01)
    far = sim.add_wall(abut.HalfSpace((0, 0, -9), (0, 0, 1)))
    sim.run(0.01)
    far.active = False
    sim.run(0.01)
    assert state_of(sim, again) == state_of(expected, wall)


def test_wall_that_is_off_is_not_asked():
    calls, mesh = [], sheet(2)

    def structure(time, forces):
        calls.append(round(time / STEP))
        return mesh.vertices + [0, 0, 0.01 * time], 0 * mesh.vertices

    sim = abut.Simulation(step=STEP)
    wall = sim.add_wall(mesh, deform=structure)
    sim.run(steps=2)
    wall.active = False
    sim.run(steps=3)
    at = wall.mesh.vertices.copy()
    wall.active = True
    assert wall.mesh.vertices.tobytes() == at.tobytes()
    sim.run(steps=2)
    assert calls == [1, 2, 6, 7]


def test_frames_have_the_vertices_where_they_are(tmp_path):
    sim, wall, _ = coupled()
    sim.every(0.05, abut.write_frames(tmp_path / "{step}.vtp"))
    sim.run(0.05)
    (path,) = tmp_path.glob("*-walls.vtp")
    written = abut.read_mesh(path)
    assert written.vertices.tobytes() == wall.mesh.vertices.tobytes()
    assert written.vertices[:, 2].min() < -1e-4


# ---- a plate -------------------------------------------------------------------------------------


@pytest.mark.long
def test_ball_at_rest_on_a_clamped_plate():
    """Kirchhoff's plate by squares of Bogner, Fox and Schmit: under a force P in the middle of a
    clamped square of side a the deflection is 0.005612 P a^2 / D (Timoshenko and
    Woinowsky-Krieger, Theory of Plates and Shells, table 37).
    """
    skfem = pytest.importorskip("skfem")
    from skfem.helpers import dd, ddot, eye, trace

    young, poisson, thick, side = 2e9, 0.3, 0.01, 1.0
    stiff = young * thick**3 / 12 / (1 - poisson**2)
    grid = skfem.MeshQuad().refined(4)
    basis = skfem.Basis(grid, skfem.ElementQuadBFS())

    @skfem.BilinearForm
    def bending(u, v, _):
        curl = stiff * ((1 - poisson) * dd(u) + poisson * eye(trace(dd(u)), 2))
        return ddot(curl, dd(v))

    matrix = bending.assemble(basis)
    nodes, free = basis.nodal_dofs[0], basis.complement_dofs(basis.get_dofs())
    from scipy.sparse.linalg import splu

    solve = splu(matrix[free][:, free].tocsc()).solve
    flat = np.column_stack([grid.p.T * side - 0.5 * side, np.zeros(grid.p.shape[1])])
    mesh, sag = abut.Mesh(flat, grid.t.T, split="all"), np.zeros(matrix.shape[0])

    def structure(time, forces):
        load, target, before = np.zeros_like(sag), np.zeros_like(sag), sag[nodes].copy()
        load[nodes] = forces[:, 2]
        target[free] = solve(load[free])
        sag[:] += 2e-2 * (target - sag)  # it creeps to where the load of this step would have it
        moved = flat + sag[nodes][:, None] * [0, 0, 1]
        return moved, (sag[nodes] - before)[:, None] / 2e-4 * [0, 0, 1]

    sim = abut.Simulation(step=2e-4)
    ball = abut.Material(density=2000, young=1e7, poisson=0.3)
    sim.set_law(ball, abut.Material(), abut.Hertz())
    wall = sim.add_wall(mesh, deform=structure)
    sim.add_spheres([[0, 0, 0.05]], 0.05, ball)
    sim.run(0.5)
    weight = 9.81 * sim.masses[0]
    assert wall.force[2] == pytest.approx(-weight, rel=1e-3)
    assert -sag[nodes].min() == pytest.approx(0.005612 * weight * side**2 / stiff, rel=1e-2)
