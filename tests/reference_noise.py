"""A slow reference for the measured noise of a mesh of triangles: docs/method.md, section 3.

One loop for each sentence there; nothing is shared with the library but the numbers in `LIMITS`.
"""

import itertools
import math
from collections import defaultdict
from types import SimpleNamespace

import numpy as np

LIMITS = SimpleNamespace(
    explained=4.0,  # noises along the normal
    nearly_flat=1e-3,  # of a height, or of a distance
    single=1e-6,  # of a coordinate
    rounded_flat=1e-2,  # of a distance
    rounding=2.0**-49,
    walk=3.0,  # heights
    growth=2.5,
    majority=3,
    enough=8,
    gap=3,  # powers of two
    spread=4.0,
)


def written(values):
    """(significant digits, decimals) of numbers that were rounded to decimals, else None.

    Numbers are printed as short as possible; numbers of few bits give None.
    """
    digits, decimals = 0, -400
    for value in np.abs(values):
        if math.frexp(value)[0] * 2**17 % 1 == 0:
            continue
        shortest = next(n for n in range(1, 18) if float(f"{value:.{n - 1}e}") == value)
        exponent = int(f"{value:.16e}".split("e")[1])
        digits = max(digits, shortest)
        decimals = max(decimals, shortest - 1 - exponent)
    return (digits, decimals) if digits <= 13 else None


def is_single(value):
    return float(np.float32(value)) == value


def last_place(value, bits):
    """The exponent of the last place of a number with so many bits."""
    return math.frexp(value)[1] - bits


def lowest_bit(value):
    """The exponent of the largest power of two that a number is a multiple of."""
    return next(k for k in itertools.count(last_place(value, 53)) if value % 2.0 ** (k + 1))


def unused_bits(values):
    """How many low bits no number uses as float32, of all that differ."""
    distinct = {abs(v) for v in values if v and is_single(v)}
    common = min(map(lowest_bit, distinct), default=0)
    return sum(max(0, common - last_place(v, 24)) for v in distinct)


def format_units(vertices, triangles):
    """One unit in the last place along each axis of each triangle, in float32 or float64."""
    axes = [np.asarray(vertices)[np.unique(triangles), k].tolist() for k in range(3)]
    evidence = [unused_bits(values) for values in axes]
    sure = [e >= 20 for e in evidence]
    other = [s or not all(map(is_single, values)) for s, values in zip(sure, axes, strict=True)]
    return [facet_units(np.asarray(vertices)[t], evidence, sure, other) for t in triangles]


def facet_units(corners, evidence, sure, other):
    size = np.ptp(corners, axis=0).max()
    single = [all(map(is_single, values)) for values in corners.T.tolist()]
    units = []
    for k, values in enumerate(corners.T.tolist()):
        largest = max(map(abs, values))
        long = any(math.frexp(v)[0] * 2**17 % 1 for v in values)
        unit = 2.0 ** last_place(largest, 24) if largest else 0.0
        disagree = other[k - 1] or other[k - 2]
        grid = sure[k] or (evidence[k] > 0 and disagree)
        exact = unit > LIMITS.single * size and (grid or (disagree and 32 * unit >= size))
        rounded = all(single) or (single[k] and long)
        units.append(unit if rounded and not exact else np.spacing(largest) * (largest > 0))
    return units


def deviation(points):
    """The least error of four points that puts all of them in one plane."""
    p = np.array(sorted(map(tuple, points)))
    a, b, c = p[1:] - p[0]
    area = sum(np.linalg.norm(np.cross(j - i, k - i)) for i, j, k in itertools.combinations(p, 3))
    lengths = math.prod(np.linalg.norm(edge) for edge in (a, b, c))
    volume = abs(np.dot(np.cross(a, b), c)) - LIMITS.rounding * lengths
    return volume / area if volume > 0 and area > 0 else 0.0


def edges_of(triangles):
    """The third corners of the triangles at each edge, which is a set of two points."""
    across = defaultdict(set)
    for corners in triangles:
        for k in range(3):
            across[frozenset((corners[k], corners[k - 1]))].add(corners[k - 2])
    return {edge: thirds for edge, thirds in across.items() if len(edge) == 2}


def power(part):
    return max(math.frexp(part)[1] - 1, -63) if part > 0 else -63


def height(point, edge):
    a, b = map(np.array, edge)
    return np.linalg.norm(np.cross(b - a, point - a)) / np.linalg.norm(b - a)


def measure_edge(edge, across, assumed):
    """The kind of an edge with two triangles."""
    points = [*edge, *across]
    longest = max(math.dist(p, q) for p, q in itertools.combinations(points, 2))
    found = SimpleNamespace(deviation=deviation(points))
    found.power = power(found.deviation / longest)
    found.explained = found.deviation <= LIMITS.explained * assumed
    flat = LIMITS.nearly_flat * min(height(np.array(p), edge) for p in across)
    found.flat = found.deviation <= flat
    found.tiny = found.deviation <= min(
        LIMITS.single * np.abs(points).max(), LIMITS.rounded_flat * longest
    )
    found.thin = found.deviation <= LIMITS.nearly_flat * longest
    found.coplanar = found.explained or found.flat or found.tiny
    found.asked = found.coplanar and not found.explained
    return found


def go(low, high, before, along, middle, start, after):
    """Behind a point: it takes the place of the edge's end on its side."""
    if np.dot(along, np.array(after) - start) < middle:
        return after, high, low
    return low, after, high


def walk(corners, side, across, measured, back=False):
    """Where a walk across a side arrives, or None, and the edges that it crosses.

    It goes out of the triangle, or back through it.
    """
    low, high = sorted((corners[side], corners[(side + 1) % 3]))
    before = corners[(side + 2) % 3]
    start = np.array(low)
    along = np.array(high) - start
    inside = np.array(before) - start
    out = along * np.dot(inside, along) / np.dot(along, along) - inside
    goal, middle = LIMITS.walk * np.dot(out, out), np.dot(along, along) / 2
    if back:
        out = -out
        low, high, before = go(low, high, before, along, middle, start, before)
    crossed, farthest, arrival = [], 0.0, None
    for _ in range(64):
        edge = frozenset((low, high))
        if len(across.get(edge, ())) != 2 or not measured[edge].coplanar or farthest >= 2 * goal:
            break
        crossed.append(measured[edge])
        (after,) = across[edge] - {before}
        far = np.dot(out, np.array(after) - start)
        if far > farthest:
            farthest, arrival = far, after
        low, high, before = go(low, high, before, along, middle, start, after)
    return (arrival if farthest >= goal else None), crossed


def judge(corners, across, measured):
    """The verdict of walks from a triangle, with its power of two: +1 noise, -1 shape, 0 none."""
    points, crossed, powers, exact, reached = list(corners), [], [], [], [0.0]
    for side in range(3):
        ends = corners[side], corners[(side + 1) % 3]
        own = measured.get(frozenset(ends))
        asked = own is not None and own.asked
        arrival, edges = walk(corners, side, across, measured)
        crossed += edges
        powers += [own.power] if asked else []
        if arrival is None:
            continue
        points.append(arrival)
        if asked:
            exact.append(
                not (own.tiny and own.flat)
                and sum(edge.explained for edge in edges) > 0.75 * len(edges)
            )
        behind, edges = walk(corners, side, across, measured, back=True)
        crossed += edges
        if behind:
            reached.append(deviation([*ends, arrival, behind]))
    if len(points) < 5 or not exact:
        return 0, 0
    reached += [deviation(four) for four in itertools.combinations(points, 4)]
    grows = max(reached) > LIMITS.growth * max(edge.deviation for edge in crossed)
    return (-1 if grows or any(exact) else 1), max(powers)


def is_gap(counts, end, below):
    return 10 * sum(counts[p] for p in range(end, end + LIMITS.gap)) <= below


def limits(verdicts, counts):
    """Noise is below the first power; from the second on it is shape."""
    score = defaultdict(int)
    for verdict, p in verdicts:
        score[p] += 1 if verdict > 0 else LIMITS.majority * verdict
    end, best = -63, LIMITS.enough - 1
    for p in range(-63, 1):
        below = sum(counts[q] for q in range(-63, p + 1))
        total = sum(score[q] for q in range(-63, p + 1))
        if total > best and is_gap(counts, p + 1, below):
            best, end = total, p + 1
    shape = end
    while shape <= 0 and sum(score[q] for q in range(end, shape + 1)) > -LIMITS.enough:
        shape += 1
    return end, shape


def clusters(counts, first):
    """The powers of deviations that stand apart from larger ones, cluster by cluster."""
    for p in range(first, 1):
        below = sum(counts[q] for q in range(first, p + 1))
        if below and is_gap(counts, p + 1, below):
            yield range(first, p + 1)
            first = p + 1


def are_small(edges, total):
    """Whether nearly all deviations of a cluster, and enough, are small enough for noise."""
    large = sum(not edge.tiny for edge in edges)
    enough = len(edges) >= 4 or 8 * len(edges) >= total
    flat = 2 * sum(edge.asked for edge in edges) >= len(edges)
    return enough and flat and 10 * large <= len(edges)


def measured_noise(vertices, triangles, assumed):
    """For each triangle the noise that is measured, 0 where digits explain all.

    `assumed`: each one's noise along its normal by its digits.
    """
    triangles = [[tuple((vertices[k] + 0.0).tolist()) for k in corners] for corners in triangles]
    across = edges_of(triangles)
    noise_at = defaultdict(float)
    for corners, noise in zip(triangles, assumed, strict=True):
        for k in range(3):
            edge = frozenset((corners[k], corners[k - 1]))
            noise_at[edge] = max(noise_at[edge], noise)
    measured = {
        edge: measure_edge(edge, thirds, noise_at[edge])
        for edge, thirds in across.items()
        if len(thirds) == 2
    }
    open_edges = [edge for edge in measured.values() if not edge.explained]
    counts = defaultdict(int)
    for edge in open_edges:
        counts[edge.power] += 1
    end, shape = limits([judge(t, across, measured) for t in triangles], counts)
    small = set()
    for powers in clusters(counts, end):
        members = [edge for edge in open_edges if edge.power in powers]
        if powers[-1] < shape and are_small(members, len(open_edges)):
            small |= set(powers)
    level = max((e.deviation for e in open_edges if e.coplanar and e.power < end), default=0.0)
    for edge in measured.values():
        edge.noise = not edge.explained and (
            ((edge.flat or edge.tiny) and edge.power < end)
            or (edge.tiny and edge.power in small)
            or (edge.thin and edge.deviation <= level)
        )
    return spread(triangles, measured)


def spread(triangles, measured):
    """Each triangle's own deviation that is noise, or its coplanar neighbors'.

    From there it spreads over edges with deviations that rounding to digits explains, at most seven
    steps.
    """
    sides = [[measured.get(frozenset((t[k], t[k - 1]))) for k in range(3)] for t in triangles]
    own = [max((e.deviation for e in side if e and e.noise), default=0.0) for side in sides]
    for hop in range(8):
        for edge in measured.values():
            edge.largest = 0.0
        for side, value in zip(sides, own, strict=True):
            for edge in side:
                if edge and (edge.explained or (hop == 0 and (edge.coplanar or edge.noise))):
                    edge.largest = max(edge.largest, value)
        own = [
            max([value, *(edge.largest for edge in side if edge)])
            for side, value in zip(sides, own, strict=True)
        ]
    return [LIMITS.spread * value for value in own]
