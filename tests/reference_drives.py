"""Walls under load, and free ones, again in NumPy: slow, and by other means than the library."""

import numpy as np

from reference_dem import damping_ratio


def hertz_press(sim, wall, axis, young, poisson, restitution):
    """What pushes against a wall of a Hertz law with rigid material along an axis, how stiff it is
    and how damped, of spheres: F, K and C of docs/dem.md, section 9."""
    contacts = sim.contacts
    of = contacts.mesh == wall.number
    effective = young / (1 - poisson**2)
    along = (contacts.normal[of] @ axis) ** 2
    spheres = contacts.sphere[of]
    overlap = np.maximum(contacts.overlap[of], 0.0)
    stiffness = 2 * effective * np.sqrt(sim.radii[spheres] * overlap)
    damping = 2 * damping_ratio(restitution) * np.sqrt(5 / 6 * stiffness * sim.masses[spheres])
    force = contacts.force[of].sum(axis=0) @ axis
    return force, (stiffness * along).sum(), (damping * along).sum()


def settled_speed(speed, load, press, step, most):
    """The velocity after a step of a wall without mass."""
    force, stiffness, damping = press
    if stiffness == 0:
        return most if load > 0 else 0.0
    change = (load - force - stiffness * step * speed) / (damping + stiffness * step)
    return float(np.clip(speed + change, -most, most))


def greatest_speed(sim, loads, force):
    """The limit of a wall without mass, after these loads: that of the largest one, or of the force
    if there was none."""
    most = max(loads) or max(force, 0.0)
    return 0.1 * np.sqrt(most * 2 * sim.radii.mean() / sim.masses.sum())


def shadow(points, axis):
    """The area of a convex body's projection along an axis, by the hull of the projected points."""
    from scipy.spatial import ConvexHull

    axis = np.array(axis) / np.linalg.norm(axis)
    across = np.linalg.svd(axis[None])[2][1:]
    return ConvexHull(np.array(points) @ across.T).volume


def dragged(points, time, spin, axis, origin, way):
    """Where points are that turn about an axis and are then moved along a way."""
    from scipy.spatial.transform import Rotation

    axis = np.array(axis) / np.linalg.norm(axis)
    turned = Rotation.from_rotvec(spin * time * axis).apply(np.array(points) - origin)
    return turned + origin + way


def swing(moment, lever, gravity, angle, duration):
    """How far a pendulum swings that is let go at an angle: moment of inertia, mass times arm."""
    from scipy.integrate import solve_ivp

    def rates(_, state):
        return [state[1], -lever * gravity / moment * np.sin(state[0])]

    return solve_ivp(rates, (0, duration), [angle, 0.0], rtol=1e-11, atol=1e-12).y[0, -1]


def tumble(inertia, spin, duration, locked=(False, False, False)):
    """Orientation (3, 3) and spin after torque-free motion of a body with locked spins about axes
    of the world: the lock's torque is what keeps these spins zero."""
    from scipy.integrate import solve_ivp

    free = ~np.array(locked)

    def spin_of(rotation, momentum):
        world = rotation @ inertia @ rotation.T
        found = np.zeros(3)
        found[free] = np.linalg.solve(world[np.ix_(free, free)], momentum[free])
        return found

    def rates(_, state):
        rotation, momentum = state[:9].reshape(3, 3), state[9:]
        x, y, z = spin_of(rotation, momentum)
        turn = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.concatenate([(turn @ rotation).ravel(), np.zeros(3)])

    begin = np.concatenate([np.eye(3).ravel(), inertia @ spin])
    state = solve_ivp(rates, (0, duration), begin, rtol=1e-11, atol=1e-12).y[:, -1]
    rotation = state[:9].reshape(3, 3)
    return rotation, spin_of(rotation, state[9:])
