"""The eight impacts of Y. C. Chung, J. Y. Ooi, Granular Matter 13 (2011) 643: scenes and numbers.

`python tests/impacts.py` prints the points of its figures beside what abut has there. The points
are those that Kratos' DEMApplication keeps beside its tests (tests/DEM3D_chung_ooi_tests and
test_examples/basic_benchmarks/paper_data), read from the print; materials are those that its tests
and YADE's examples of the same paper have. Of tests 5, 6 and 8 neither has the second material.
"""

import math
from typing import NamedTuple

import numpy as np

import abut

STEPS = 1000  # of an elastic contact


class Stuff(NamedTuple):
    """Young's modulus in Pa, Poisson's ratio, density in kg/m3."""

    young: float
    poisson: float
    density: float

    @property
    def material(self):
        return abut.Material(density=self.density, young=self.young, poisson=self.poisson)


GLASS, LIMESTONE = Stuff(48e9, 0.20, 2800), Stuff(20e9, 0.25, 2500)
ALLOY_OF_TEST_2, MAGNESIUM = Stuff(70e9, 0.30, 2699), Stuff(40e9, 0.35, 1800)
OXIDE, IRON = Stuff(380e9, 0.23, 4000), Stuff(100e9, 0.25, 7000)
ALLOY, STEEL = Stuff(70e9, 0.33, 2700), Stuff(208e9, 0.30, 7850)

# ---- the paper's figures -------------------------------------------------------------------------

# test 1: overlap in µm and force in kN, while glass is pressed; time in µs and force
GLASS_PRESSED = np.array([
    (54.76, 0.968), (94.29, 2.184), (128.57, 3.422), (167.14, 5.066), (200.95, 6.709),
    (231.90, 8.285), (265.24, 10.176),
])  # fmt: skip
GLASS_IN_TIME = np.array([
    (6.244, 3.128), (10.622, 6.436), (16.507, 9.966), (20.455, 10.704), (25.191, 9.475),
    (31.220, 5.453), (35.813, 2.078),
])  # fmt: skip
# test 2: aluminum alloy
ALLOY_PRESSED = np.array([
    (12.01, 1.303), (21.03, 3.101), (28.96, 4.966), (34.97, 6.742), (40.98, 8.360),
    (44.98, 9.685), (49.99, 11.326),
])  # fmt: skip
ALLOY_IN_TIME = np.array([
    (129.1, 4.064), (209.0, 7.610), (283.2, 10.229), (355.6, 11.357), (463.9, 9.750),
    (539.5, 6.855), (621.0, 3.237),
])  # fmt: skip
# test 4: angle in degrees; part of the tangential velocity; spin in rad/s; angle of the rebound
OXIDE_OBLIQUE = np.array([
    (5, 0.9481, -19.27, 3.76), (10, 0.6870, -213.0, -1.56), (15, 0.6244, -377.8, -5.54),
    (20, 0.6161, -510.6, -7.54), (25, 0.6343, -599.4, -7.54), (30, 0.6837, -616.5, -3.55),
    (35, 0.7372, -582.3, 3.43), (40, 0.7809, -544.8, 11.57), (50, 0.8451, -457.0, 29.35),
    (60, 0.8929, -357.5, 47.79), (70, 0.9316, -246.2, 64.58), (80, 0.9662, -126.3, 78.70),
    (85, 0.9827, -63.15, 84.52),
])  # fmt: skip
# the same, measured (S. F. Foerster et al. and A. H. Kharaz et al., as the paper has them): two of
# each point, the angle and the part, the angle and the spin
MEASURED_PART = np.array([
    (9.84, 0.6755), (20.22, 0.5988), (30.36, 0.6903), (39.54, 0.7743), (49.60, 0.8476),
    (71.07, 0.9366), (79.23, 0.9695), (85.17, 0.9794),
])  # fmt: skip
MEASURED_SPIN = np.array([
    (10.87, -261.2), (21.12, -573.7), (31.14, -612.2), (38.95, -595.1), (50.24, -449.5),
    (60.10, -375.7), (69.96, -243.0), (78.56, -142.4), (84.32, -70.6),
])  # fmt: skip
# test 5: steel, tangential velocity by friction and normal velocity before and after; spin so
STEEL_SLIP = np.array([
    (0.332, -0.280), (0.671, -0.493), (1.009, -0.747), (1.335, -1.000), (1.662, -1.267),
    (2.000, -1.533), (2.350, -1.813), (2.991, -2.440), (3.341, -2.693), (4.006, -2.787),
    (4.997, -2.000), (6.000, -1.013), (9.988, 3.013), (12.961, 6.013),
])  # fmt: skip
STEEL_SPIN = np.array([
    (0.353, -0.430), (0.682, -0.820), (0.994, -1.250), (1.341, -1.664), (1.688, -2.094),
    (2.000, -2.524), (2.329, -2.978), (2.988, -3.904), (3.318, -4.293), (3.994, -4.837),
    (5.000, -5.007), (6.006, -5.006), (10.012, -5.004), (20.000, -4.991),
])  # fmt: skip
# finite elements (C.-Y. Wu, as the paper has them), the same two
ELEMENTS_SLIP = np.array([
    (0.586, -0.027), (1.190, -0.213), (1.915, -0.627), (2.785, -1.253), (3.970, -1.720),
    (4.755, -1.707), (5.758, -1.200), (7.124, 0.133), (9.118, 2.147), (12.356, 5.427),
])  # fmt: skip
# test 6, and test 8 with its two spheres: 3.5 mu (1 + e) vn / vs and the rotational restitution
ALLOY_SPUN = np.array([
    (0.176, -0.820), (0.352, -0.633), (0.551, -0.445), (0.771, -0.243), (0.969, -0.028),
    (1.189, 0.097), (1.454, 0.119), (1.740, 0.100), (2.093, 0.058), (2.489, 0.005),
    (2.996, -0.050), (3.634, -0.100), (4.515, -0.140), (5.749, -0.175), (7.819, -0.208),
    (11.894, -0.258), (24.009, -0.342),
])  # fmt: skip
ALLOY_SPUN_PAIR = np.array([
    (0.187, -0.815), (0.358, -0.626), (0.551, -0.439), (0.765, -0.238), (0.979, -0.017),
    (1.214, 0.096), (1.492, 0.111), (1.770, 0.090), (2.091, 0.058), (2.519, 0.006),
    (2.989, -0.049), (3.631, -0.103), (4.508, -0.139), (5.770, -0.162), (7.845, -0.204),
    (11.909, -0.248), (23.973, -0.318),
])  # fmt: skip

# ---- what Hertz and rigid bodies say -------------------------------------------------------------


def modulus(stuff, is_pair):
    """E* of two equal bodies, or of one body and a rigid one."""
    return stuff.young / (1 - stuff.poisson**2) / (2 if is_pair else 1)


def hertz(stuff, radius, speed, is_pair):
    """Largest overlap, largest force and duration of an elastic contact.

    `speed`: at which the two come together. S. P. Timoshenko, J. N. Goodier, Theory of Elasticity,
    section 125; the duration is 2.9432 overlaps a speed.
    """
    mass = 4 / 3 * np.pi * radius**3 * stuff.density / (2 if is_pair else 1)
    root = np.sqrt(radius / 2 if is_pair else radius)
    push = 4 / 3 * modulus(stuff, is_pair) * root
    overlap = (1.25 * mass * speed**2 / push) ** 0.4
    return overlap, push * overlap**1.5, 2.943275 * overlap / speed


def slid(slip, speed, friction, restitution):
    """Slip of the point of contact after an impact that slides all the way; rigid sphere."""
    return slip - 3.5 * friction * (1 + restitution) * speed


# ---- springs that the paper's codes have ---------------------------------------------------------


class Spring(NamedTuple):
    force: abut.laws.Vector


class Way(NamedTuple):
    shear: abut.laws.Vector


@abut.laws.law(history=Spring)
def added_up(contact, old, young, tangent, friction, damping=0.0):
    """Hertz' law with a spring to which each step adds, in loading and unloading alike: without the
    factor that docs/dem.md, section 2, names; `tangent`: its stiffness by the radius of contact."""
    push = abut.laws.hertz(contact, young, damping)
    stiffness = tangent * math.sqrt(contact.radius * contact.overlap)
    damper = 2 * damping * math.sqrt(5 / 6 * stiffness * contact.mass)
    slid, spring = abut.laws.slide(contact, old.force, stiffness, damper, friction * push)
    return abut.laws.force(push, slid), Spring(spring)


@abut.laws.law(history=Way)
def by_all_the_way(contact, old, young, tangent, friction, damping=0.0):
    """A spring with the current stiffness times the whole tangential displacement."""
    push = abut.laws.hertz(contact, young, damping)
    stiffness = tangent * math.sqrt(contact.radius * contact.overlap)
    damper = 2 * damping * math.sqrt(5 / 6 * stiffness * contact.mass)
    x, y, z = old.shear.x, old.shear.y, old.shear.z
    before = abut.laws.Vector(-stiffness * x, -stiffness * y, -stiffness * z)
    slid, spring = abut.laws.slide(contact, before, stiffness, damper, friction * push)
    softness = 1 / stiffness if stiffness > 0 else 0.0
    shear = abut.laws.Vector(-spring.x * softness, -spring.y * softness, -spring.z * softness)
    return abut.laws.force(push, slid), Way(shear)


def shear_modulus(stuff):
    """G* of a body and a rigid one."""
    return stuff.young / (2 * (1 + stuff.poisson)) / (2 - stuff.poisson)


def as_two_spheres():
    """The law of test 5's points.

    The tangential stiffness of two like spheres of radius R under the normal force F:
    2 (3 G^2 (1 - nu) R F)^(1/3) / (2 - nu) = 4 G a / (2 - nu), with the contact radius a. At a
    rigid plane a is the same. Mindlin's 8 G* a is twice as large, since only one side deforms.
    """
    return added_up(young=modulus(STEEL, False), tangent=4 * shear_modulus(STEEL), friction=0.3)


def all_the_way():
    """The law of test 4's points."""
    young, tangent = modulus(OXIDE, False), 8 * shear_modulus(OXIDE)
    damping = abut.laws.damping_ratio(0.98)
    return by_all_the_way(young=young, tangent=tangent, friction=0.092, damping=damping)


# ---- impacts -------------------------------------------------------------------------------------


class After(NamedTuple):
    """The velocities (n, 3) and spins (n, 3) of impacts on a plane with the normal z."""

    velocity: np.ndarray
    spin: np.ndarray

    def slip(self, radius):
        """The velocity of the lowest point along x."""
        return self.velocity[:, 0] - radius * self.spin[:, 1]


def onto_plane(stuff, radius, velocities, spins, law=None, steps=STEPS):
    """Spheres that begin to touch a rigid plane, far from each other; one row an impact."""
    velocities, spins = np.broadcast_arrays(velocities, spins)
    times = hertz(stuff, radius, -velocities[:, 2], is_pair=False)[2]
    sim = abut.Simulation(times.min() / steps, gravity=(0, 0, 0))
    plane = abut.Material()
    sim.set_law(stuff.material, stuff.material, abut.Hertz())
    sim.set_law(stuff.material, plane, law or abut.Hertz())
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), plane)
    places = np.zeros((len(velocities), 3))
    # so far apart that no spheres meet
    fastest = np.abs(velocities).max() * times.max()
    places[:, 1] = (4 * radius + 20 * fastest) * np.arange(len(places))
    places[:, 2] = radius
    sim.add_spheres(places, radius, stuff.material, velocities, spins)
    sim.run(3 * times.max())
    assert len(sim.contacts) == 0
    return After(sim.velocities, sim.angular_velocities)


def pressed(stuff, radius, speed, is_pair, steps=STEPS):
    """Times, overlaps and forces of an elastic impact; `speed`: of each sphere."""
    together = 2 * speed if is_pair else speed
    time = hertz(stuff, radius, together, is_pair)[2]
    sim, plane = abut.Simulation(time / steps, gravity=(0, 0, 0)), abut.Material()
    sim.set_law(stuff.material, stuff.material, abut.Hertz())
    sim.set_law(stuff.material, plane, abut.Hertz())
    if is_pair:
        places, velocities = [[-radius, 0, 0], [radius, 0, 0]], [[speed, 0, 0], [-speed, 0, 0]]
    else:
        sim.add_wall(abut.HalfSpace((0, 0, 0), (-1, 0, 0)), plane)
        places, velocities = [[-radius, 0, 0]], [[speed, 0, 0]]
    sim.add_spheres(places, radius, stuff.material, velocities)
    rows = []

    def look(s):
        table = s.pairs if is_pair else s.contacts
        if len(table):
            rows.append((s.time, table.overlap[0], np.linalg.norm(table.force[0])))

    sim.every(sim.step, look)
    sim.run(1.5 * time)
    return np.array(rows).T


def bounced(stuff, restitution, radius=2.5e-3, speed=3.9):
    """Test 3: the ratio of the speeds after and before the impact."""
    law = abut.Hertz(restitution=restitution)
    return onto_plane(stuff, radius, [[0, 0, -speed]], 0.0, law).velocity[0, 2] / speed


def oblique(stuff, degrees, law=None, radius=2.5e-3, speed=3.9):
    """Test 4: part of the tangential velocity, spin, angle at which the point of contact leaves."""
    angle = np.radians(degrees)
    across, down = speed * np.sin(angle), speed * np.cos(angle)
    velocities = np.column_stack([across, 0 * across, -down])
    law = law or abut.Hertz(friction=0.092, restitution=0.98)
    after = onto_plane(stuff, radius, velocities, 0.0, law)
    rebound = np.degrees(np.arctan2(after.slip(radius), after.velocity[:, 2]))
    # the paper turns the other way round
    return after.velocity[:, 0] / across, -after.spin[:, 1], rebound


def skimmed(slips, law=None, radius=1e-5, speed=5.0, friction=0.3):
    """Test 5: slip and spin after, by friction and normal velocity, as `slips` before."""
    across = friction * speed * np.asarray(slips)
    velocities = np.column_stack([across, 0 * across, np.full(len(across), -speed)])
    law = law or abut.Hertz(friction=friction)
    after = onto_plane(STEEL, radius, velocities, 0.0, law)
    slip = after.slip(radius) / (friction * after.velocity[:, 2])
    return slip, -radius * after.spin[:, 1] / (friction * speed)


SPUN = {"friction": 0.4, "restitution": 0.5}


def spun(abscissas, law=None, radius=0.1, speed=0.2):
    """Test 6: rotational restitution; the plane is met with a spin alone."""
    slip = slid(0, -speed, **SPUN) / np.asarray(abscissas)
    spins = np.column_stack([0 * slip, -slip / radius, 0 * slip])
    law = law or abut.Hertz(**SPUN)
    after = onto_plane(ALLOY, radius, [[0, 0, -speed]], spins, law)
    return -after.slip(radius) / slip


def spun_apart(spins, radius=0.1, speed=0.2):
    """Test 7: two like spheres come together with opposite spins, so that their points of contact
    go the same way: velocities (n, 2, 3) and spins (n, 2, 3) after."""
    spin = np.array([[0, 1.0, 0], [0, -1.0, 0]]) * np.asarray(spins)[:, None, None]
    return two(ALLOY, (radius, radius), ALLOY, [[speed, 0, 0], [-speed, 0, 0]], spin)


# test 8: five times as large, a thousand times as stiff and as dense as the first one
LARGE = Stuff(70e12, 0.33, 2.7e6)


def spun_pair(abscissas, moves, radius=0.1, speed=0.2):
    """Test 8: rotational restitution of one that meets a larger sphere; `moves`: which."""
    slip = slid(0, -speed, **SPUN) / np.asarray(abscissas)
    spin = np.zeros((len(slip), 2, 3))
    spin[:, 0, 1] = -slip / radius
    velocities = [[speed, 0, 0], [0, 0, 0]] if moves == "small" else [[0, 0, 0], [-speed, 0, 0]]
    velocity, spin = two(ALLOY, (radius, 5 * radius), LARGE, velocities, spin)
    # of the first one's point of contact, which is on its right
    after = velocity[:, 0, 2] - radius * spin[:, 0, 1]
    return -after / slip


def two(stuff, radii, other, velocities, spins):
    """Pairs along x that begin to touch at the origin; spins (n, 2, 3)."""
    count, radius = len(spins), radii[0]
    time = hertz(stuff, radius, 0.2, is_pair=False)[2]
    sim = abut.Simulation(time / STEPS, gravity=(0, 0, 0))
    materials = [one.material for one in (stuff, other)]
    for one in materials:
        for another in materials:
            sim.set_law(one, another, abut.Hertz(**SPUN))
    for k, (material, side) in enumerate(zip(materials, (-1, 1), strict=True)):
        places = np.zeros((count, 3))
        places[:, 0], places[:, 1] = side * radii[k], 20 * sum(radii) * np.arange(count)
        velocity = np.broadcast_to(velocities[k], (count, 3))
        sim.add_spheres(places, radii[k], material, velocity, spins[:, k])
    sim.run(6 * time)
    assert len(sim.pairs) == 0
    return tuple(
        np.stack([column[:count], column[count:]], axis=1)
        for column in (sim.velocities, sim.angular_velocities)
    )


# ---- print ---------------------------------------------------------------------------------------


def points():
    """For each figure: its name, the paper's points, and abut's results there."""
    pair = pressed(GLASS, 0.01, 10.0, is_pair=True)
    plane = pressed(ALLOY_OF_TEST_2, 0.1, 0.2, is_pair=False)
    yield "1: overlap/um, kN", GLASS_PRESSED, while_pressed(pair, GLASS_PRESSED)
    yield "1: time/us, kN", GLASS_IN_TIME, in_time(pair, GLASS_IN_TIME)
    yield "2: overlap/um, kN", ALLOY_PRESSED, while_pressed(plane, ALLOY_PRESSED)
    yield "2: time/us, kN", ALLOY_IN_TIME, in_time(plane, ALLOY_IN_TIME)
    found = np.column_stack(oblique(OXIDE, OXIDE_OBLIQUE[:, 0]))
    for k, name in enumerate(("part of the velocity", "spin", "rebound")):
        yield f"4: degrees, {name}", OXIDE_OBLIQUE[:, [0, k + 1]], found[:, k]
    yield "4: degrees, part, measured", MEASURED_PART, oblique(OXIDE, MEASURED_PART[:, 0])[0]
    yield "4: degrees, spin, measured", MEASURED_SPIN, oblique(OXIDE, MEASURED_SPIN[:, 0])[1]
    law = all_the_way()
    yield "4: by all the way", OXIDE_OBLIQUE[:, :2], oblique(OXIDE, OXIDE_OBLIQUE[:, 0], law)[0]
    yield "5: slip", STEEL_SLIP, skimmed(STEEL_SLIP[:, 0])[0]
    yield "5: slip, finite elements", ELEMENTS_SLIP, skimmed(ELEMENTS_SLIP[:, 0])[0]
    yield "5: spin", STEEL_SPIN, skimmed(STEEL_SPIN[:, 0])[1]
    yield "5: slip, as two spheres", STEEL_SLIP, skimmed(STEEL_SLIP[:, 0], as_two_spheres())[0]
    yield "5: spin, as two spheres", STEEL_SPIN, skimmed(STEEL_SPIN[:, 0], as_two_spheres())[1]
    yield "6: restitution", ALLOY_SPUN, spun(ALLOY_SPUN[:, 0])
    yield "8: restitution", ALLOY_SPUN_PAIR, spun_pair(ALLOY_SPUN_PAIR[:, 0], "small")


def while_pressed(impact, points):
    """kN at overlaps in µm."""
    _, overlaps, forces = impact
    deepest = overlaps.argmax() + 1
    return np.interp(1e-6 * points[:, 0], overlaps[:deepest], forces[:deepest]) / 1e3


def in_time(impact, points):
    """kN at times in µs."""
    times, _, forces = impact
    return np.interp(1e-6 * points[:, 0], times, forces) / 1e3


if __name__ == "__main__":
    for name, paper, found in points():
        print(f"{name}: largest difference {np.abs(found - paper[:, 1]).max():.3g}")
        for (x, y), ours in zip(paper, found, strict=True):
            print(f"  {x:8.2f} {y:9.4f} {ours:9.4f}")
