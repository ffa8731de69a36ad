"""Liquid bridges between two equal spheres by the Young-Laplace equation, as a reference for
Willett's fits.

Radius and surface tension are 1. The meridian y(x) of the liquid, from its neck y_0 to a sphere,
has a constant mean curvature H, so that the force F along the axis is the same in every section
(F. M. Orr, L. E. Scriven, A. P. Rivas, J. Fluid Mech. 67 (1975) 723):

    y cos(psi) - H y^2 = F / (2 pi)

with the slope's angle psi, 0 at the neck. The liquid wets a sphere up to the filling angle b, where
y is sin b and cos(psi) is sin(b + theta), with the contact angle theta. Neck and
filling angle determine H; gap and volume are integrals over y.
"""

import numpy as np
from scipy.optimize import brentq, root

NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)
NODES, WEIGHTS = 0.5 * (NODES + 1), 0.5 * WEIGHTS


def bridge(filling, neck, angle):
    """(gap, volume, force), the force of 2 pi; None where no meridian goes from neck to sphere."""
    rim = np.sin(filling)
    curvature = (rim * np.sin(filling + angle) - neck) / (rim**2 - neck**2)
    force = neck - curvature * neck**2
    # y = neck + (rim - neck) t^2: at the neck dx / dy has a root in its denominator
    y = neck + (rim - neck) * NODES**2
    cosine = (force + curvature * y**2) / y
    # 1 - cosine, without the factor y - neck
    rest = (1 - curvature * (y + neck)) / y
    if (rest * (1 + cosine) <= 0).any():
        return None
    dx = WEIGHTS * 2 * np.sqrt(rim - neck) * cosine / np.sqrt(rest * (1 + cosine))
    height = 1 - np.cos(filling)
    cap = np.pi * height**2 * (3 - height) / 3
    return 2 * (dx.sum() - height), 2 * (np.pi * (y**2 * dx).sum() - cap), force


def necks(volume, filling, angle):
    """All necks with which a bridge of this volume wets spheres up to this angle."""
    tried = np.sin(filling) * (1 - np.geomspace(1e-7, 0.999, 200))

    def excess(neck):
        found = bridge(filling, neck, angle)
        return np.nan if found is None else found[1] - volume

    off = np.array([excess(neck) for neck in tried])
    changes = np.flatnonzero(off[1:] * off[:-1] < 0)
    return [brentq(excess, tried[k + 1], tried[k], xtol=1e-15) for k in changes]


def stable_rows(volume, angle, count=60):
    """Rows of filling angle, neck, gap and force, by ascending gap, from about 0 to the largest gap
    of a bridge. The stable one of two bridges of the same gap pulls more."""
    if volume > 5e-3:
        fillings = np.linspace(0.5, 0.05, count)
    else:
        fillings = np.minimum(np.geomspace(3, 0.25, count) * volume**0.25, 1.2)
    pairs = [(f, neck) for f in fillings for neck in necks(volume, f, angle)]
    rows = np.array([(*pair, *np.array(bridge(*pair, angle))[[0, 2]]) for pair in pairs])
    rows = rows[rows[:, 2] > -1e-2]
    rows = rows[rows[:, 3] >= rows[rows[:, 2].argmax(), 3]]
    return rows[np.argsort(rows[:, 2])]


def force_at(volume, angle, gap, rows):
    """The force of 2 pi at a gap, from the `stable_rows` next to it."""
    guess = [np.interp(gap, rows[:, 2], column) for column in rows[:, :2].T]

    def off(unknown):
        found = bridge(*unknown, angle)
        return (1.0, 1.0) if found is None else (found[0] / gap - 1, found[1] / volume - 1)

    found = root(off, guess, tol=1e-12)
    assert found.success
    return bridge(*found.x, angle)[2]
