"""The complementarity problem of sharing, solved slowly: every active set is tried.

Of one sphere's contacts with normals n_i and forces F_i find f with

    f >= 0,  G f - F >= 0,  f . (G f - F) = 0,  G_ij = max(0, n_i . n_j).
"""

from itertools import chain, combinations

import numpy as np

# A force of this part of the largest is rounding.
ROUNDING = 1e-12


def matrix(normals):
    """G: the effect of a contact's force on another contact."""
    return np.maximum(0.0, np.asarray(normals) @ np.transpose(normals))


def forces(overlaps, exponent):
    """F: the force of the law for each contact alone, 1 for the largest."""
    return (np.asarray(overlaps) / np.max(overlaps)) ** exponent


def residual(g, loads, force):
    """The largest violation of the conditions, relative to the largest force."""
    spare = g @ loads - force
    return max(0.0, -loads.min(), -spare.min(), abs(loads @ spare))


def active_sets(count):
    """All subsets of range(count) except the empty one, small ones first."""
    return chain.from_iterable(combinations(range(count), k) for k in range(1, count + 1))


def loads_of(g, force, active):
    """Loads that satisfy the active contacts exactly, none on the others."""
    active = list(active)
    loads = np.zeros(len(force))
    loads[active] = np.linalg.solve(g[np.ix_(active, active)], force[active])
    return loads


def is_regular(g, active):
    return np.linalg.cond(g[np.ix_(active, active)]) < 1e10


def solutions(g, force):
    """All solutions with regular active sets: only one if G is positive definite."""
    found = []
    for active in active_sets(len(force)):
        if is_regular(g, active):
            loads = loads_of(g, force, active)
            is_new = all(np.abs(loads - other).max() > ROUNDING for other in found)
            if residual(g, loads, force) <= ROUNDING and is_new:
                found.append(loads)
    return found
