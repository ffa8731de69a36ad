"""Cohesion of two spheres in NumPy: JKR, DMT and liquid bridges (docs/dem.md, section 2).

Arrays or numbers alike. `w` is the work of adhesion, `R` is R*, `E` is E*; an overlap is signed,
and negative beyond touch. Energies are 0 where a contact is born: at touch, of DMT with a distance
where its forces begin.
"""

from typing import NamedTuple

import numpy as np

NONE, JKR, DMT, BRIDGE, LUDING = range(5)

# DMT: where the pull is a thousandth of that at touch, (1 + s / s_0)^2 = 1000
DMT_REACH = np.sqrt(1000) - 1
# Willett: the least V / R^3 of the long fit
LONG_FIT = 1e-4


# ---- JKR -----------------------------------------------------------------------------------------

# of the neck when it snaps: u_0^3 = 1/4
FOLD = 0.25 ** (1 / 3)


def jkr_scales(w, R, E):
    """(a_s, d_s, F_0): radius, overlap and force in units of which the law has no numbers."""
    radius = np.cbrt(2 * np.pi * w * R**2 / E)
    return radius, radius**2 / R, 4 * np.pi * w * R


def jkr_root(x):
    """u of u^4 - u = x, the larger root; x at least that of the fold. Halley's steps in u - FOLD:
    near the fold nothing cancels."""
    above = np.maximum(x + 0.75 * FOLD, 0)
    c = 6 * FOLD**2
    y = np.sqrt(above) / np.sqrt(c + np.sqrt(above))
    for _ in range(6):
        f = y * y * (c + y * (4 * FOLD + y)) - above
        g = y * (2 * c + y * (12 * FOLD + 4 * y))
        h = 2 * c + y * (24 * FOLD + 12 * y)
        below = 2 * g * g - f * h
        y = y - np.where(below > 0, 2 * f * g / np.where(below > 0, below, 1), 0)
    return FOLD + y


def jkr_reach(w, R, E):
    return 0.75 * FOLD * jkr_scales(w, R, E)[1]


def jkr_radius(overlap, w, R, E):
    """a"""
    radius, length, _ = jkr_scales(w, R, E)
    return radius * jkr_root(overlap / length) ** 2


def jkr_force(overlap, w, R, E):
    _, length, force = jkr_scales(w, R, E)
    cube = jkr_root(overlap / length) ** 3
    return force * (2 / 3 * cube**2 - cube)


def jkr_energy(overlap, w, R, E):
    _, length, force = jkr_scales(w, R, E)
    u = jkr_root(overlap / length)
    # that of u = 1 is -3/20
    return force * length * (4 / 15 * u**10 - 2 / 3 * u**7 + u**4 / 4 + 3 / 20)


def jkr_slope(overlap, w, R, E):
    """d force / d overlap; infinite at the fold."""
    _, length, force = jkr_scales(w, R, E)
    u = jkr_root(overlap / length)
    with np.errstate(divide="ignore"):
        return force / length * (4 * u**5 - 3 * u**2) / (4 * u**3 - 1)


def jkr_work(w, R, E):
    """The force that separates two spheres in contact."""
    return jkr_energy(-jkr_reach(w, R, E), w, R, E)


# ---- DMT -----------------------------------------------------------------------------------------


def dmt_reach(distance):
    return DMT_REACH * distance


def dmt_pull(overlap, w, R, distance):
    """The attraction, positive; without a distance there is none beyond touch."""
    gap = np.maximum(-overlap, 0)
    part = np.where(distance > 0, over(distance, distance + gap), np.where(overlap > 0, 1.0, 0.0))
    return 2 * np.pi * w * R * part**2


def dmt_energy(overlap, w, R, distance):
    """The energy of the attraction alone."""
    pull, gap = 2 * np.pi * w * R, np.maximum(-overlap, 0)
    # the integral of (s_0 / (s_0 + s))^2 is -s_0^2 / (s_0 + s)
    end = over(distance, 1 + DMT_REACH)
    tail = end - over(distance * distance, distance + gap)
    return pull * (np.where(distance > 0, tail, 0) - np.maximum(overlap, 0))


# ---- bridges -------------------------------------------------------------------------------------


def bridge_reach(volume, angle, R):
    """s_c"""
    effective = 2 * R
    root = np.cbrt(volume)
    return (1 + angle / 2) * (root + root**2 / (10 * effective))


def bridge_pull(overlap, volume, tension, angle, R):
    """The attraction, positive; where two overlap that of touch."""
    effective, gap = 2 * R, np.maximum(-overlap, 0)
    part = volume / effective**3
    scale = 2 * np.pi * tension * effective
    long = long_fit(np.maximum(part, LONG_FIT), angle, gap / effective)
    return scale * np.where(part >= LONG_FIT, long, short_fit(part, angle, gap / effective))


def short_fit(volume, angle, gap):
    """Willett et al. 2000, the fit for little liquid, in units of R and 2 pi gamma R."""
    h = gap / np.sqrt(volume)
    return np.cos(angle) / (1 + 1.05 * h + 2.5 * h * h)


# Willett et al. 2000, the long fit: f_n = sum over powers of ln V of (a + b theta + c theta^2)
FITS = (
    (
        (-0.44507, 0.050832, -1.1466),
        (-0.1119, -0.000411, -0.1490),
        (-0.012101, -0.0036456, -0.01255),
        (-0.0005, -0.0003505, -0.00029076),
    ),
    ((1.9222, -0.57473, -1.2918), (-0.0668, -0.1201, -0.22574), (-0.0013375, -0.0068988, -0.01137)),
    (
        (1.268, -0.01396, -0.23566),
        (0.198, 0.092, -0.06418),
        (0.02232, 0.02238, -0.009853),
        (0.0008585, 0.001318, -0.00053),
    ),
    (
        (-0.010703, 0.073776, -0.34742),
        (0.03345, 0.04543, -0.09056),
        (0.0018574, 0.004456, -0.006257),
    ),
)


def long_fit(volume, angle, gap):
    """Its gap is half of the whole one: mind that that of the short fit is not."""
    logarithm = np.log(volume)
    f = [
        sum((a + b * angle + c * angle**2) * logarithm**k for k, (a, b, c) in enumerate(rows))
        for rows in FITS
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.log(0.5 * gap / np.sqrt(volume))
        inner = np.where(gap > 0, np.exp(f[2] * s + f[3] * s * s), 0)
    return np.exp(f[0] - f[1] * inner)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)
NODES, WEIGHTS = 0.5 * (NODES + 1), 0.5 * WEIGHTS


def bridge_energy(overlap, volume, tension, angle, R):
    """The energy of the attraction alone: its work from touch on."""
    numbers = np.broadcast_arrays(overlap, volume, tension, angle, R)
    overlap, *rest = (np.asarray(one, float)[..., None] for one in numbers)
    gap = np.maximum(-overlap, 0)
    # s = gap t^2: smooth where the long fit has a power of s
    pulls = bridge_pull(-gap * NODES**2, *rest)
    work = (WEIGHTS * 2 * NODES * gap * pulls).sum(axis=-1)
    return work - (np.maximum(overlap, 0) * bridge_pull(0.0, *rest))[..., 0]


def over(above, below):
    """above / below, 0 where `below` is 0."""
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    return np.divide(above, below, out=np.zeros(above.shape), where=below != 0)


# ---- any of them ---------------------------------------------------------------------------------


class Glue(NamedTuple):
    """The numbers of a law's cohesion, or arrays of these, one entry a contact."""

    cohesion: int
    adhesion: float
    distance: float
    volume: float
    tension: float
    angle: float
    # Luding's law; its k_1 is the linear stiffness
    unloading: float = 0.0
    tensile: float = 0.0
    depth: float = 0.0


def glue_of(law):
    """The numbers of a law, by its public face."""
    found = law.cohesion
    if type(law).__name__ == "Luding":
        return Glue(LUDING, 0.0, 0.0, 0.0, 0.0, 0.0, law.unloading, law.tensile, law.depth)
    if found is None:
        return Glue(NONE, 0.0, 0.0, 0.0, 0.0, 0.0)
    kind = {"JKR": JKR, "DMT": DMT, "LiquidBridge": BRIDGE}[type(found).__name__]
    if kind == BRIDGE:
        return Glue(kind, 0.0, 0.0, found.volume, found.surface_tension, found.contact_angle)
    distance = 0.0 if kind == JKR else found.distance or 0.0
    return Glue(kind, found.work_of_adhesion, distance, 0.0, 0.0, 0.0)


# ---- Luding --------------------------------------------------------------------------------------


def luding_line(law, loading, most, R):
    """The slope k of unloading, and the overlap delta_0 at which that line is without force: S.
    Luding, Granular Matter 10 (2008) 235."""
    limit = luding_limit(law, loading, R)
    k = loading + (law.unloading - loading) * most / limit
    return k, (1 - loading / k) * most


def luding_limit(law, loading, R):
    """delta*_max, from which on nothing yields any more."""
    return law.unloading / (law.unloading - loading) * law.depth * 2 * R


def luding_force(law, loading, overlap, most, R):
    """The force on the line of unloading or on the pulling line, whichever is larger."""
    k, rest = luding_line(law, loading, most, R)
    unloading, tensile = k * (overlap - rest), -law.tensile * overlap
    return np.where(tensile >= unloading, tensile, unloading)


def luding_most(law, loading, overlap, most, R):
    """What the largest overlap becomes: where it pulls by k_c, the branch is irreversible, and the
    line of unloading moves along, so that it ends at this overlap."""
    k, rest = luding_line(law, loading, most, R)
    limit = luding_limit(law, loading, R)
    pressed = np.maximum(overlap, 0)
    # k(most) (overlap - most) + k_1 most = -k_c overlap, with k(most) = k_1 + grow most
    grow = (law.unloading - loading) / limit
    last = (loading + law.tensile) * pressed / grow
    fallen = pressed / 2 + np.sqrt((pressed / 2) ** 2 + last)
    return np.where(k * (pressed - rest) < -law.tensile * pressed, fallen, most)


def luding_energy(law, loading, overlap, most, R):
    """The energy of a spring of the slope k."""
    k, _ = luding_line(law, loading, luding_most(law, loading, overlap, most, R), R)
    return luding_force(law, loading, overlap, most, R) ** 2 / (2 * k)


# ---- all of them ---------------------------------------------------------------------------------


def reach(law, R):
    """Beyond which gap a contact ends; `law` has the fields of Glue, and E* as `normal`."""
    return of_kinds(
        law,
        R,
        lambda: jkr_reach(law.adhesion, R, law.normal),
        lambda: dmt_reach(law.distance),
        lambda *wet: bridge_reach(wet[0], wet[2], wet[3]),
    )


def pull(law, overlap, R):
    """The attraction, positive, of DMT and bridges; 0 of others."""
    return of_kinds(
        law,
        R,
        lambda: 0,
        lambda: dmt_pull(overlap, law.adhesion, R, law.distance),
        lambda *wet: bridge_pull(overlap, *wet),
    )


def pull_energy(law, overlap, R):
    return of_kinds(
        law,
        R,
        lambda: 0,
        lambda: dmt_energy(overlap, law.adhesion, R, law.distance),
        lambda *wet: bridge_energy(overlap, *wet),
    )


def greatest_pull(law, R):
    """F_pull: of JKR 3/2 pi w R*, of DMT and bridges what they have at touch."""
    touch = np.finfo(float).tiny  # where without a distance DMT still pulls
    return of_kinds(
        law,
        R,
        lambda: 1.5 * np.pi * law.adhesion * R,
        lambda: dmt_pull(touch, law.adhesion, R, law.distance),
        lambda *wet: bridge_pull(touch, *wet),
    )


def of_kinds(law, R, of_jkr, of_dmt, of_bridge):
    """Each contact's number by its kind; that of bridges takes volume, tension, angle and R*."""
    kinds = np.asarray(law.cohesion, int)
    found = np.zeros(np.broadcast_shapes(kinds.shape, np.shape(R)))
    for kind, make in ((JKR, of_jkr), (DMT, of_dmt)):
        if (kinds == kind).any():
            found = np.where(kinds == kind, make(), found)
    is_wet = kinds == BRIDGE
    if is_wet.any():
        # any others where there is no bridge
        volume, radius = np.where(is_wet, law.volume, 1), np.where(is_wet, R, 1)
        found = np.where(is_wet, of_bridge(volume, law.tension, law.angle, radius), found)
    return found
