"""The reference of cohesion, held to closed numbers, fifty digits, and a bridge of liquid."""

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import reference_cohesion as glue
from young_laplace import bridge, force_at, necks, stable_rows

W, R, E = 0.05, 2e-3, 3e6
PULL = np.pi * W * R


# ---- JKR -----------------------------------------------------------------------------------------


def exact_root(x):
    """u of u^4 - u = x to fifty digits, by Newton's steps from above."""
    x = mpmath.mpf(float(x))
    u = mpmath.mpf(2) + abs(x) ** mpmath.mpf("0.25")
    for _ in range(300):
        u = u - (u**4 - u - x) / (4 * u**3 - 1)
    return u


def test_root_of_jkr():
    """All the way from the fold to contacts that hardly stick: the force to rounding."""
    fold = -0.75 * glue.FOLD
    near = fold + 10.0 ** np.linspace(-13, -0.5, 40)
    where = np.concatenate(
        [near, -(10.0 ** np.linspace(-16, -0.7, 30)), 10.0 ** np.linspace(-16, 12, 60)]
    )
    with mpmath.workdps(50):
        roots = [exact_root(x) for x in where]
        forces = np.array([float(2 * u**6 / 3 - u**3) for u in roots])
        energies = np.array([float(4 * u**10 / 15 - 2 * u**7 / 3 + u**4 / 4) for u in roots])
    found = glue.jkr_root(where)
    # near the fold the root itself is as sure as the root of half a digit of x
    size = np.maximum(np.abs(forces), 0.375)
    off = np.abs(2 / 3 * found**6 - found**3 - forces) / size
    assert off[where > fold + 1e-3].max() < 1e-14
    assert off.max() < 1e-8
    ours = 4 / 15 * found**10 - 2 / 3 * found**7 + found**4 / 4
    assert np.abs(ours - energies)[where < 1].max() < 1e-14


def test_jkr_is_that_of_the_paper():
    """F = 4 E a^3 / (3 R) - sqrt(8 pi w E a^3), overlap = a^2 / R - sqrt(2 pi w a / E)."""
    radius, length, _ = glue.jkr_scales(W, R, E)
    a = radius * np.linspace(glue.FOLD**2 * 1.01, 4, 50)
    overlap = a**2 / R - np.sqrt(2 * np.pi * W * a / E)
    np.testing.assert_allclose(glue.jkr_radius(overlap, W, R, E), a, rtol=1e-12)
    force = 4 * E * a**3 / (3 * R) - np.sqrt(8 * np.pi * W * E * a**3)
    np.testing.assert_allclose(glue.jkr_force(overlap, W, R, E), force, atol=1e-12 * PULL)
    # weak adhesion is Hertz' law
    deep = 1e5 * length
    hertz = 4 / 3 * E * np.sqrt(R) * deep**1.5
    assert glue.jkr_force(deep, W, R, E) == pytest.approx(hertz, rel=1e-6)


def test_closed_numbers_of_jkr():
    reach = glue.jkr_reach(W, R, E)
    assert glue.jkr_force(0.0, W, R, E) == pytest.approx(-4 / 3 * PULL, rel=1e-12)
    assert glue.jkr_force(-reach, W, R, E) == pytest.approx(-5 / 6 * PULL, rel=1e-9)
    overlap = np.linspace(-reach, reach, 200_001)
    assert glue.jkr_force(overlap, W, R, E).min() == pytest.approx(-3 / 2 * PULL, rel=1e-9)
    length = glue.jkr_scales(W, R, E)[1]
    rest = length * (1.5 ** (4 / 3) - 1.5 ** (1 / 3))
    assert abs(glue.jkr_force(rest, W, R, E)) < 1e-12 * PULL
    assert reach == pytest.approx(0.4725 * (4 * np.pi**2 * W**2 * R / E**2) ** (1 / 3), rel=1e-4)
    work = (W**5 * R**4 / E**2) ** (1 / 3)
    closed = 4 * np.pi * (2 * np.pi) ** (2 / 3) * (0.15 + 0.1 * 4 ** (-4 / 3))
    assert closed == pytest.approx(7.0922, abs=5e-5)
    assert glue.jkr_work(W, R, E) == pytest.approx(closed * work, rel=1e-12)


def derivative(call, x, step):
    """The derivative by Richardson's rule."""
    once, twice = ((call(x + h) - call(x - h)) / (2 * h) for h in (step, 2 * step))
    return (4 * once - twice) / 3


def test_energy_and_slope_of_jkr():
    reach = glue.jkr_reach(W, R, E)
    overlap = np.linspace(-0.9 * reach, 4 * reach, 30)
    numbers = W, R, E
    force = derivative(lambda x: glue.jkr_energy(x, *numbers), overlap, 1e-3 * reach)
    np.testing.assert_allclose(force, glue.jkr_force(overlap, *numbers), atol=1e-8 * PULL)
    slope = derivative(lambda x: glue.jkr_force(x, *numbers), overlap, 1e-3 * reach)
    np.testing.assert_allclose(slope, glue.jkr_slope(overlap, *numbers), rtol=1e-6)
    assert glue.jkr_energy(0.0, *numbers) == pytest.approx(0, abs=1e-15 * reach * PULL)
    # the Hertz part at the contact's radius bounds the slope where two are pressed
    pressed = np.linspace(reach, 100 * reach, 50)
    hertz = 2 * E * glue.jkr_radius(pressed, *numbers)
    assert (glue.jkr_slope(pressed, *numbers) < hertz).all()


# ---- DMT -----------------------------------------------------------------------------------------


def test_dmt():
    distance = 4e-10
    reach = glue.dmt_reach(distance)
    assert reach == pytest.approx(30.62 * distance, rel=1e-4)
    assert glue.dmt_pull(0.0, W, R, distance) == 2 * PULL
    assert glue.dmt_pull(1e-6, W, R, distance) == 2 * PULL
    assert glue.dmt_pull(-reach, W, R, distance) == pytest.approx(2e-3 * PULL, rel=1e-12)
    # Hamaker's force over a gap is A R / (6 s^2), far away
    hamaker = 12 * np.pi * W * distance**2
    far = 1e4 * distance
    assert glue.dmt_pull(-far, W, R, distance) == pytest.approx(
        hamaker * R / (6 * far**2), rel=3e-4
    )
    assert glue.dmt_energy(-reach, W, R, distance) == pytest.approx(0, abs=1e-12 * PULL * distance)
    overlap = distance * np.array([-20, -3, -0.5, 2.0])
    force = derivative(lambda x: glue.dmt_energy(x, W, R, distance), overlap, 1e-4 * distance)
    np.testing.assert_allclose(-force, glue.dmt_pull(overlap, W, R, distance), rtol=1e-7)


def test_dmt_without_a_distance():
    """There is no force beyond touch."""
    overlap = np.array([-1e-12, 0, 1e-12])
    np.testing.assert_array_equal(glue.dmt_pull(overlap, W, R, 0.0), [0, 0, 2 * PULL])
    np.testing.assert_allclose(
        glue.dmt_energy(overlap, W, R, 0.0), [0, 0, -2e-12 * PULL], rtol=1e-12
    )
    assert glue.dmt_reach(0.0) == 0


# ---- bridges -------------------------------------------------------------------------------------


def test_young_and_laplace():
    """The solver's meridian, once more: by its length, from the neck, with a constant curvature."""
    filling, angle, volume = 0.3, 0.3, 1e-3
    neck = max(necks(volume, filling, angle))
    gap, found, force = bridge(filling, neck, angle)
    assert found == pytest.approx(volume, rel=1e-9)
    mean = (neck - force) / neck**2

    def along(_, state):
        _, y, psi, _ = state
        return np.cos(psi), np.sin(psi), np.cos(psi) / y - 2 * mean, np.pi * y**2 * np.cos(psi)

    def rim(_, state):
        return state[1] - np.sin(filling)

    rim.terminal = True
    path = solve_ivp(along, (0, 3), (0, neck, 0, 0), events=rim, rtol=1e-11, atol=1e-14)
    ((x, _, psi, swept),) = path.y_events[0]
    height = 1 - np.cos(filling)
    assert x == pytest.approx(gap / 2 + height, rel=1e-8)
    assert psi == pytest.approx(np.pi / 2 - filling - angle, rel=1e-8)
    cap = np.pi * height**2 * (3 - height) / 3
    assert 2 * (swept - cap) == pytest.approx(volume, rel=1e-7)


@pytest.mark.cases(3)
@pytest.mark.parametrize("angle", np.radians([0, 20, 40]))
@pytest.mark.parametrize("volume", [1e-4, 1e-3, 1e-2])
def test_long_fit(volume, angle):
    rows = stable_rows(volume, angle)
    end = glue.bridge_reach(volume, angle, 0.5)
    gaps = end * np.array([0.02, 0.1, 0.25, 0.5, 0.75, 0.9])
    forces = np.array([force_at(volume, angle, gap, rows) for gap in gaps])
    off = np.abs(glue.long_fit(volume, angle, gaps) / forces - 1)
    assert off[:-1].max() < 0.035
    assert off[-1] < 0.13
    # where it ruptures
    assert rows[-1, 2] == pytest.approx(end, rel=0.05)


@pytest.mark.parametrize(("volume", "part"), [(1e-6, 0.016), (1e-4, 0.053)])
@pytest.mark.parametrize("angle", np.radians([0, 40]))
def test_short_fit(volume, part, angle):
    rows = stable_rows(volume, angle)
    gaps = glue.bridge_reach(volume, angle, 0.5) * np.array([0.02, 0.1, 0.25, 0.5, 0.75, 0.9])
    forces = np.array([force_at(volume, angle, gap, rows) for gap in gaps])
    off = np.abs(glue.short_fit(volume, angle, gaps) - forces)
    assert off.max() < part * forces.max()


def test_bridge():
    """R is 2 R*, and the force is 2 pi gamma R times a fit; both fits are nearly equal at the
    transition between them."""
    radius, tension, angle = 1e-3, 0.07, 0.3
    for part, fit in ((2e-4, glue.long_fit), (5e-5, glue.short_fit)):
        volume = part * (2 * radius) ** 3
        gap = 0.01 * radius
        pull = glue.bridge_pull(-gap, volume, tension, angle, radius)
        scale = 4 * np.pi * tension * radius
        assert pull == pytest.approx(scale * fit(part, angle, gap / (2 * radius)), rel=1e-14)
    least = glue.LONG_FIT
    for gap in (0, 0.01, 0.03):
        assert glue.long_fit(least, angle, gap) == pytest.approx(
            glue.short_fit(least, angle, gap), abs=0.06
        )
    assert glue.bridge_pull(1e-5, volume, tension, angle, radius) == glue.bridge_pull(
        0.0, volume, tension, angle, radius
    )


@pytest.mark.parametrize("part", [1e-6, 1e-3, 0.05])
def test_energy_of_a_bridge(part):
    radius, tension, angle = 1e-3, 0.07, 0.3
    numbers = part * (2 * radius) ** 3, tension, angle, radius
    end = glue.bridge_reach(numbers[0], angle, radius)
    for gap in (0.01 * end, 0.3 * end, end):
        work, _ = quad(lambda s: glue.bridge_pull(-s, *numbers), 0, gap, epsrel=1e-11)
        assert glue.bridge_energy(-gap, *numbers) == pytest.approx(work, rel=1e-8)
    touch = glue.bridge_pull(0.0, *numbers)
    assert glue.bridge_energy(1e-6, *numbers) == pytest.approx(-1e-6 * touch, rel=1e-12)
