"""The sum of all energies through what a caller changes between steps: docs/dem.md, section 6."""

import numpy as np
import pytest

import abut
from scenes_simulation import GRAIN

LIGHT = abut.Material(density=500, young=3e6, poisson=0.3)
CUBE = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], radius=0.1)


def pressed(step):
    """Two spheres and two rounded cubes that collide without loss, stopped in contact."""
    sim = abut.Simulation(step=step, gravity=(0, 0, -9.81))
    for pair in ((GRAIN, GRAIN), (GRAIN, LIGHT), (LIGHT, LIGHT)):
        sim.set_law(*pair, abut.Hertz(curvature=0.1))
    toward = np.array([[0.3, 0, 0], [-0.3, 0, 0]])
    sim.add_spheres([[-0.0995, 0, 0], [0.0995, 0, 0]], 0.1, GRAIN, velocities=toward)
    centers = [[-0.1098, 5, 0], [0.1098, 5, 0]]
    sim.add_bodies(CUBE, centers, GRAIN, scales=0.1, velocities=toward)
    sim.run(8e-3)
    assert len(sim.pairs) == len(sim.body_pairs) == 1
    assert sim.energy.elastic > 0.1 * sim.energy.kinetic
    return sim


def bodies(**changed):
    def change(sim):
        now = sim.bodies
        now.assign(**{name: to(getattr(now, name)) for name, to in changed.items()})

    return change


# What is changed, and what becomes of the energies by it. True: contacts end, and what they held is
# dissipated. False: the change is work from outside. None: nothing.
CHANGES = {
    "law": (lambda s: s.set_law(GRAIN, GRAIN, abut.Linear(3e3)), False),
    "materials": (lambda s: setattr(s, "material", [1, 1]), False),
    "radii": (lambda s: setattr(s, "radii", 1.001 * s.radii), False),
    "centers": (lambda s: setattr(s, "centers", s.centers * [1.001, 1, 1]), False),
    "heights": (lambda s: setattr(s, "centers", s.centers + [0, 0, 0.1]), False),
    "masses": (lambda s: setattr(s, "masses", 2 * s.masses), False),
    "velocities": (lambda s: setattr(s, "velocities", 1.1 * s.velocities + [0, 1, 0]), False),
    "spins": (lambda s: setattr(s, "angular_velocities", s.angular_velocities + 9.0), False),
    "body positions": (bodies(positions=lambda x: x * [1.001, 1, 1]), False),
    "body velocities": (bodies(velocities=lambda v: 1.1 * v + [0, 1, 0]), False),
    "one fixed": (lambda s: setattr(s, "fixed", [True, False]), False),
    "both fixed": (lambda s: setattr(s, "fixed", [True, True]), True),
    "bodies fixed": (
        bodies(fixed=np.logical_not, velocities=np.zeros_like, angular_momenta=np.zeros_like),
        True,
    ),
    "bond": (lambda s: s.bond([[0, 1]], abut.Bond(young=1e5, contact=False)), True),
    "bond beside": (lambda s: s.bond([[0, 1]], abut.Bond(young=1e5, contact=True)), None),
    "step": (lambda s: setattr(s, "step", 0.7 * s.step), None),
    "gravity": (lambda s: setattr(s, "gravity", (3, 0, 1)), None),
}


def outcome(name, step):
    """What the sum, `dissipated` and `wall_work` changed by, in parts of the elastic energy, two
    milliseconds after a change; the first is the largest on the way."""
    sim, (change, _) = pressed(step), CHANGES[name]
    sim.set_law(LIGHT, LIGHT, abut.Hertz(curvature=0.1))  # has a number from now on
    before = sim.energy
    change(sim)
    worst = 0.0
    for _ in range(10):
        sim.run(2e-4)
        worst = max(worst, abs(sum(sim.energy) - sum(before)))
    after = sim.energy
    lost, done = after.dissipated - before.dissipated, after.wall_work - before.wall_work
    return np.array([worst, lost, done]) / before.elastic


@pytest.mark.parametrize("name", CHANGES)
def test_the_sum_stays_to_the_order_of_the_step(name):
    """Second order, but first where velocities jump."""
    coarse, fine = outcome(name, 1e-4)[0], outcome(name, 5e-5)[0]
    assert coarse < 1e-2
    jumps = "fixed" in name or "velocities" in name
    assert fine < (0.6 if jumps else 0.3) * coarse or fine < 1e-5


@pytest.mark.parametrize("name", [name for name in CHANGES if CHANGES[name][1]])
def test_what_contacts_held_that_end_is_dissipated(name):
    _, lost, _ = outcome(name, 5e-5)
    assert 0.1 < lost < 1.0


@pytest.mark.parametrize("name", [name for name in CHANGES if CHANGES[name][1] is False])
def test_what_is_assigned_is_work_from_outside(name):
    _, lost, done = outcome(name, 5e-5)
    assert abs(lost) < 1e-2 < abs(done)


@pytest.mark.parametrize("name", ["law", "velocities", "materials"])
def test_it_is_told_at_once_where_no_contacts_have_to_be_found(name):
    sim = pressed(5e-5)
    sim.set_law(LIGHT, LIGHT, abut.Hertz(curvature=0.1))
    before = sim.energy
    CHANGES[name][0](sim)
    after = sim.energy
    assert after.dissipated == pytest.approx(before.dissipated, abs=1e-12 * before.kinetic)
    assert sum(after) == pytest.approx(sum(before), rel=1e-12)
    assert after.wall_work != before.wall_work


def test_assigning_velocities_at_each_step_leaves_the_loss_of_contacts_to_them():
    """Damping by the caller's hand is work from outside; what dashpots take is still dissipated."""

    def bounced(change):
        sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
        sim.set_law(GRAIN, GRAIN, abut.Hertz(restitution=0.3))
        sim.add_spheres([[0, 0, 0], [0.2001, 0, 0]], 0.1, GRAIN, velocities=[[1, 0, 0], [0, 0, 0]])
        sim.every(1e-5, change)
        sim.run(0.05)
        assert len(sim.pairs) == 0
        return sim.energy

    plain = bounced(lambda s: None)
    again = bounced(lambda s: setattr(s, "velocities", s.velocities.copy()))
    assert again.dissipated == pytest.approx(plain.dissipated, rel=1e-9) and plain.dissipated > 0
    slowed = bounced(lambda s: setattr(s, "velocities", 0.9999 * s.velocities))
    assert sum(slowed) == pytest.approx(sum(plain), rel=1e-3)
    assert slowed.wall_work > 0.01 * sum(plain)


def test_spheres_that_touch_nothing_leave_the_loss_of_others():
    def bounced(comes):
        sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
        sim.set_law(GRAIN, GRAIN, abut.Hertz(restitution=0.3))
        sim.add_spheres([[0, 0, 0], [0.2001, 0, 0]], 0.1, GRAIN, velocities=[[1, 0, 0], [0, 0, 0]])
        for k in range(200):
            sim.run(steps=10)
            if comes:
                sim.add_spheres([[0.3 * k, 5, 0]], 0.1, GRAIN)
        return sim.energy.dissipated

    assert bounced(True) == bounced(False) > 0


def test_spheres_that_leave_without_contacts_leave_what_they_have_dissipated():
    """Two spheres meet, part and leave; the second one leaves during another collision."""

    def bounced(leaves):
        sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
        sim.set_law(GRAIN, GRAIN, abut.Hertz(restitution=0.3))
        sim.add_spheres(
            [[0, 5, 0], [0.2001, 5, 0], [0, 0, 0], [0.235, 0, 0]], 0.1, GRAIN,
            velocities=[[1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]],
        )  # fmt: skip
        lost = []
        for k in range(300):
            sim.run(steps=20)
            if k in (230, 250):
                lost.append(sim.energy.dissipated)
                if leaves:
                    sim.remove_spheres(sim.ids[:1])
                    assert sim.energy.dissipated == pytest.approx(lost[-1], rel=1e-14)
        assert 0 < lost[0] < lost[1] < 0.98 * sim.energy.dissipated
        return sim.energy.dissipated

    assert bounced(True) == pytest.approx(bounced(False), rel=1e-12)


@pytest.mark.parametrize("leaves", [0, 2])
def test_spheres_that_leave_others_take_along_what_their_contacts_hold(leaves):
    """Two spheres hit one between them, and one of the three leaves during the collision."""
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, abut.Hertz(restitution=1.0))
    velocities = [[0.3, 0, 0], [0, 0, 0], [-0.6, 0, 0]]
    sim.add_spheres([[-0.2, 0, 0], [0, 0, 0], [0.2, 0, 0]], 0.1, GRAIN, velocities=velocities)
    sim.run(steps=1000)
    before = sim.energy
    assert len(sim.pairs) == 2 and before.elastic > 0.1 * before.kinetic
    sim.remove_spheres(sim.ids[leaves : leaves + 1])
    assert sim.energy.dissipated == pytest.approx(before.dissipated, abs=1e-12 * before.kinetic)
    assert 0 < sim.energy.elastic < before.elastic
    sim.run(steps=5000)
    assert len(sim.pairs) == 0 and abs(sim.energy.dissipated) < 1e-6 * before.kinetic


@pytest.mark.parametrize("place", [(0, 3, 0), (0.05, 0.16, 0)])
def test_spheres_that_come_bring_their_energy_with_them(place, tmp_path):
    """This also holds for overlapping spheres, and after a restart before the next step."""
    sim = pressed(5e-5)
    before = sim.energy.dissipated
    sim.add_spheres([place], 0.1, GRAIN, velocities=(1, 2, 3))
    assert sim.energy.dissipated == before
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz")
    for one in (sim, again):
        one.run(steps=1)
    assert sim.energy == again.energy
    held = abs(sim.energy.dissipated - before) < 1e-12 * sim.energy.elastic
    assert held == (place[1] < 1)
    assert sim.energy.dissipated == pytest.approx(before, abs=1e-3 * sim.energy.elastic)


@pytest.mark.parametrize("name", ["radii", "velocities", "both fixed", "bond"])
def test_a_restart_keeps_the_ledger(name, tmp_path):
    sim = pressed(5e-5)
    CHANGES[name][0](sim)
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz")
    assert again.energy == sim.energy
    sim.run(steps=5)
    again.run(steps=5)
    assert again.energy == sim.energy
