"""Grains that flow out of a box: section 5.2.1 of the paper on the shortest link method.

Its figure 14 and its text give shapes, sizes, stiffnesses, friction and the box. Density, damping
and the way grains are dropped are chosen here. The time step is an eighth of the paper's 0.13 ms,
because each contact point has the stiffness that a whole pair has in the paper.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import abut

STEP = 1.65e-5
STEPS_A_POSE = 8  # recorded poses are 0.13 ms apart
SETTLING = 0.2  # s to settle after the last grain has fallen
BEFORE = 0.05  # s of flow before the recording
SIDE = 0.3  # m, the side of the box for 500 grains; boxes for more grow with their heap
SIZES = (0.02, 0.044, 0.05)  # m, diameters: smallest, most likely, largest; the mean is 3.8 cm
NEAR = 0.05  # recorded pairs have gaps below this part of the mean size

GRAIN = abut.Material(density=7800.0)
WALL = abut.Material()
LAW = abut.Linear(130e3, tangential=102 / 130, friction=np.tan(np.radians(35)), restitution=0.3)


def draw(count):
    """Random grains: the numbers of their solids, and their circumscribed radii."""
    rng = np.random.default_rng(19)
    return np.arange(count) % 4, 0.5 * rng.triangular(*SIZES, count)


def side_of(count):
    return SIDE * np.cbrt(count / 500)


def walls_of(side):
    """The floor, the two walls that remain, and the two that are removed."""
    x, y, z = np.eye(3)
    staying = [((0, 0, 0), z), ((0, 0, 0), x), ((0, 0, 0), y)]
    return staying, [((side, 0, 0), -x), ((0, side, 0), -y)]


def simulation(shapes, solid, scales, state, walls):
    """A simulation of grains in a given state between walls."""
    sim = abut.Simulation(STEP, workers=1)
    sim.set_law(GRAIN, GRAIN, LAW)
    sim.set_law(GRAIN, WALL, LAW)
    for point, normal in walls:
        sim.add_wall(abut.HalfSpace(point, normal), WALL)
    for number, shape in enumerate(shapes):
        rows = np.flatnonzero(solid == number)
        columns = {name: column[rows] for name, column in state.items()}
        sim.add_bodies(shape, material=GRAIN, scales=scales[rows], **columns)
    return sim


def state_of(sim):
    """The state of all bodies, solid by solid, in the order of `simulation`."""
    bodies = sim.bodies
    names = ("positions", "orientations", "velocities", "angular_velocities")
    return {name: np.array(getattr(bodies, name)) for name in names}


def dropped(count):
    """Grains in random orientations on a lattice above the floor, spaced for the largest."""
    rng = np.random.default_rng(20)
    spacing = 1.01 * SIZES[-1]
    across = int(side_of(count) / spacing)
    cells = np.stack(np.unravel_index(np.arange(count), (count, across, across)), 1)[:, ::-1]
    return {
        "positions": (cells + 0.5) * [side_of(count) / across, side_of(count) / across, spacing],
        "orientations": Rotation.random(count, random_state=rng).as_quat(),
    }


def record(shapes, count, poses, settling=SETTLING, before=BEFORE):
    """Positions and orientations (poses + 1, n, ...) of the flow, and the pairs (m, 2)."""
    solid, scales = draw(count)
    staying, going = walls_of(side_of(count))
    state = dropped(count)
    filled = simulation(shapes, solid, scales, state, staying + going)
    filled.run(settling + np.sqrt(2.0 * state["positions"][:, 2].max() / 9.81))
    # the simulation returns bodies solid by solid
    order = np.argsort(solid, kind="stable")
    solid, scales = solid[order], scales[order]
    flow = simulation(shapes, solid, scales, state_of(filled), staying)
    flow.run(before)
    seen = [state_of(flow)]
    for _ in range(poses):
        flow.run(steps=STEPS_A_POSE)
        seen.append(state_of(flow))
    positions, orientations = (
        np.array([state[name] for state in seen]) for name in ("positions", "orientations")
    )
    pairs = near_pairs(shapes, solid, scales, positions, orientations)
    return {
        "solid": solid,
        "scales": scales,
        "positions": positions,
        "orientations": orientations,
        "pairs": pairs,
    }


def near_pairs(shapes, solid, scales, positions, orientations):
    """The pairs that are near each other in the first, the middle or the last pose."""
    finder = abut.ConvexFinder(shapes, shape=solid, scales=scales)
    gap, found = NEAR * 2.0 * scales.mean(), []
    for k in (0, len(positions) // 2, -1):
        contacts = finder.find(positions[k], orientations[k], gap=gap, spots=False)
        found.append(np.stack([contacts.i, contacts.j], axis=1))
    return np.unique(np.concatenate(found), axis=0)
