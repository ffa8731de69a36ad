"""A slow and obvious reference for `match` and `carry` of contacts, by NumPy and loops over
spheres."""

from itertools import pairwise

import numpy as np

# from this product of the numbers of a sphere's contacts on those with the same nodes come first
CROWD_PAIRS = 65536


def match(now, before, earlier):
    """The row of `before` that each contact of `now` continues; earlier: each sphere's number."""
    point, normal = moved(now, before)
    if now.period is not None:
        point = point + wraps(now, before, earlier, point, normal)
    found = np.full(len(now), -1)
    nodes = node_sets(now), node_sets(before)
    for sphere, number in enumerate(earlier):
        if number < 0:
            continue
        rows = np.arange(now.offsets[sphere], now.offsets[sphere + 1])
        old_rows = np.arange(before.offsets[number], before.offsets[number + 1])
        i, k = (grid.ravel() for grid in np.meshgrid(rows, old_rows, indexing="ij"))
        may = agree(now, before, normal, i, k) | share_a_node(*nodes, i, k)
        i, k = i[may], k[may]
        is_crowd = len(rows) * len(old_rows) > CROWD_PAIRS
        others = [is_crowd and nodes[0][a] != nodes[1][b] for a, b in zip(i, k, strict=True)]
        order = np.lexsort([k, i, squared(now.point[i] - point[k]), others])
        taken = set()
        for row, old in zip(i[order].tolist(), k[order].tolist(), strict=True):
            if found[row] < 0 and old not in taken:
                found[row] = old
                taken.add(old)
    return found


def carry(tangent, now, before, rows):
    """The vectors of `before` for the contacts that continue theirs; 0 for others."""
    carried = np.zeros((len(now), 3))
    continued = np.flatnonzero(rows >= 0)
    old = rows[continued]
    turned = turns(now, before)[before.mesh[old]]
    carried[continued] = tilted(
        rotated(tangent[old], turned), rotated(before.normal[old], turned), now.normal[continued]
    )
    return carried


# ---- which contacts may be one -------------------------------------------------------------------


def squared(vectors):
    x, y, z = vectors.T
    return x * x + y * y + z * z


def agree(now, before, normal, i, k):
    tilt = np.maximum(now._tilt[i], before._tilt[k])
    return squared(now.normal[i] - normal[k]) <= (2 * np.sin(0.5 * np.minimum(tilt, np.pi))) ** 2


def share_a_node(here, there, i, k):
    pairs = zip(i.tolist(), k.tolist(), strict=True)
    return np.array([not here[a].isdisjoint(there[b]) for a, b in pairs], bool)


def node_sets(contacts):
    """The nodes of each contact, with their mesh."""
    mesh, offsets = contacts.mesh.tolist(), contacts.node_offsets
    parts = (contacts.node[a:b].tolist() for a, b in pairwise(offsets))
    return [{(m, node) for node in nodes} for m, nodes in zip(mesh, parts, strict=True)]


# ---- the meshes' motion --------------------------------------------------------------------------


def rotated(vectors, rotations):
    """(m, 3) vectors, each turned by its own of (m, 3, 3) rotations."""
    x, y, z = (vectors[:, k : k + 1] * rotations[..., k] for k in range(3))
    return x + y + z


def poses_of(contacts):
    count = len(contacts.meshes)
    return np.array([np.eye(4)] * count) if contacts.poses is None else contacts.poses


def turns(now, before):
    """How each mesh has turned since: the identity, to the bit, if it has not."""
    pairs = zip(poses_of(now)[:, :3, :3], poses_of(before)[:, :3, :3], strict=True)
    return np.array(
        [
            np.eye(3) if np.array_equal(new, old) else rotated(new, np.array([old] * 3))
            for new, old in pairs
        ]
    )


def lengths(period):
    return np.array([length or 0.0 for length in period or (None,) * 3])


def moved(now, before):
    """Points and normals of the step before, where the meshes have carried them since."""
    poses, previous, mesh = poses_of(now), poses_of(before), before.mesh
    shift = before.image * lengths(now.period)
    arm = before.point - previous[mesh, :3, 3] - shift
    point = rotated(arm, turns(now, before)[mesh]) + (poses[mesh, :3, 3] + shift)
    stands = (poses == previous).all(axis=(1, 2))[mesh]
    point[stands] = before.point[stands]
    return point, rotated(before.normal, turns(now, before)[mesh])


def wraps(now, before, earlier, point, normal):
    """By how many periods the caller has moved each earlier contact's sphere since, as lengths.

    The sphere's earlier contact with a mesh that decides is the one with the normal closest to
    that of its nearest contact now.
    """
    period = lengths(now.period)
    found = np.zeros_like(point)
    for sphere, number in enumerate(earlier):
        old_rows = np.flatnonzero(before.sphere == number)
        for mesh in np.unique(before.mesh[old_rows]):
            here = np.flatnonzero((now.sphere == sphere) & (now.mesh == mesh))
            if number < 0 or not len(here):
                continue
            group = old_rows[before.mesh[old_rows] == mesh]
            x, y, z = (normal[group] * now.normal[here[0]]).T
            apart = now.point[here[0]] - point[group[np.argmax(x + y + z)]]
            counts = [np.rint(a / p) if p > 0 else 0.0 for a, p in zip(apart, period, strict=True)]
            found[group] = counts * period
    return found


# ---- from one tangent plane into another ---------------------------------------------------------


def dot(a, b):
    return (a * b).sum(axis=1, keepdims=True)


def tilted(vectors, old, new):
    """Vectors turned by the smallest rotation that takes unit vectors `old` to `new`.

    Reflected across the plane of `old`, and then across that of the sum of both: the same as
    v - 2 (s.v) / (s.s) s + 2 (old.v) new, which leaves tangent vectors as they are, to the bit,
    where nothing turns.
    """
    middle = middles(old, new)
    along = 2 * dot(middle, vectors) / dot(middle, middle)
    return vectors - along * middle + 2 * dot(old, vectors) * new


def middles(old, new):
    """Vectors halfway between unit vectors; where these are opposite, one across them."""
    middle, apart = old + new, old - new
    # what rounding left of the difference would tilt a short sum
    short = np.flatnonzero(dot(middle, middle)[:, 0] < 1)
    across = apart[short] / np.sqrt(dot(apart[short], apart[short]))
    axis = np.eye(old.shape[1])[np.abs(across).argmin(axis=1)]
    sums = middle[short] - dot(middle[short], across) * across
    lost = dot(sums, sums) <= np.finfo(float).eps ** 2
    axis -= dot(axis, across) * across
    middle[short] = np.where(lost, axis, sums)
    return middle
