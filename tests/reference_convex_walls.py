"""A slow and obvious reference for contacts of a convex body with walls (docs/convex.md §8).

Each wall is one convex polygon with any mesh; closed cracks between its facets do not count. The
contact with a wall is that with its half space, bounded by the polygon: the corners of the
intersection of the polygon and the body's feature that faces it. Each corner has its own overlap
along the normal. At a concave edge two walls rise in front of each other, and each extends behind
the other. A wall without a spot in front of an accepted wall is dropped, and no wall extends behind
it. Walls below the body's centroid are considered first, then walls by ascending overlap.
"""

from dataclasses import dataclass

import numpy as np

# Corners that are nearer to each other than this are one.
SAME = 1e-7

PATCH_ANGLE = np.radians(5)


@dataclass
class Standing:
    """Spots on one wall: where they are midway, their overlaps, and the wall's normal."""

    normal: np.ndarray
    points: np.ndarray
    overlaps: np.ndarray
    on_wall: np.ndarray
    holds_centroid: bool
    wall: np.ndarray

    def load(self, about):
        """Force and torque of springs of stiffness 1."""
        forces = np.maximum(self.overlaps, 0)[:, None] * self.normal
        return forces.sum(0), np.cross(self.points - about, forces).sum(0)


def bearing(shape, vertices, normals, out, patch_angle):
    """Corners of the feature that faces a direction: a facet, an edge or a vertex."""
    heights = vertices @ out
    support = int(np.argmax(heights))
    facets = [
        np.asarray(shape.indices[begin:end])
        for begin, end in zip(shape.offsets[:-1], shape.offsets[1:], strict=True)
    ]
    facing = normals @ out
    at_support = [f for f, corners in enumerate(facets) if support in corners]
    best = max(at_support, key=lambda f: facing[f])
    if facing[best] >= np.cos(patch_angle):
        return vertices[facets[best]], normals[best]
    edges = [e for e in np.asarray(shape.edges) if support in e]
    slants = [abs(np.dot(unit(vertices[b] - vertices[a]), out)) for a, b in edges]
    if min(slants) <= np.sin(patch_angle):
        return vertices[edges[int(np.argmin(slants))]], None
    return vertices[[support]], None


def unit(vector):
    return vector / np.linalg.norm(vector)


def facing(wall, centroid):
    """A wall, counter-clockwise as the centroid sees it, and its normal towards that."""
    normal = unit(np.cross(wall[1] - wall[0], wall[2] - wall[0]))
    return (wall, normal) if normal @ (centroid - wall[0]) >= 0 else (wall[::-1], -normal)


def axes_of(wall, normal):
    u = unit(wall[1] - wall[0])
    return np.stack([u, np.cross(normal, u)])


def covers(wall, normal, point):
    axes = axes_of(wall, normal)
    return is_inside(axes @ point, wall @ axes.T)


def is_concave(wall, normal, k, other, other_normal):
    """Whether both walls rise from side k of the first one, each in front of the other."""
    side = wall[[k, (k + 1) % len(wall)]]
    on_other = np.abs((side - other[0]) @ other_normal).max() <= SAME
    rises = ((wall - other[0]) @ other_normal).max() > SAME
    faces = ((other - wall[0]) @ normal).max() > SAME
    return on_other and rises and faces and covers(other, other_normal, side.mean(0))


def stand_on(shape, vertices, normals, centroid, wall, others, patch_angle=PATCH_ANGLE):
    """The contact with one wall, a convex polygon; None without an intersection. The wall extends
    behind other walls at concave edges."""
    wall, normal = facing(wall, centroid)
    feature, facet = bearing(shape, vertices, normals, -normal, patch_angle)
    axes = axes_of(wall, normal)
    others = [facing(other, centroid) for other in others]
    ends = [k for k in range(len(wall)) if not any(is_concave(wall, normal, k, *o) for o in others)]
    corners = clip(feature @ axes.T, wall @ axes.T, ends)
    if not len(corners):
        return None
    heights = feature_heights(corners, feature, facet, axes, normal) - wall[0] @ normal
    on_wall = corners @ axes + (wall[0] @ normal) * normal
    points = on_wall + 0.5 * heights[:, None] * normal
    holds = is_inside(centroid @ axes.T, wall @ axes.T)
    return Standing(normal, points, -heights, on_wall, holds, wall)


def feature_heights(corners, feature, facet, axes, normal):
    """How high the feature is over places on the plane."""
    if facet is not None:
        level = feature[0] @ facet - corners @ (axes @ facet)
        return level / (normal @ facet)
    flat, heights = feature @ axes.T, feature @ normal
    if len(feature) == 1:
        return np.repeat(heights, len(corners))
    way = flat[1] - flat[0]
    part = (corners - flat[0]) @ way / (way @ way)
    return heights[0] + part * (heights[1] - heights[0])


def is_inside(point, polygon):
    return all(side(polygon, k, point) >= -SAME for k in range(len(polygon)))


def side(polygon, k, point):
    """How far inside of side k of a polygon, counter-clockwise, a point is."""
    from_, to = polygon[k], polygon[(k + 1) % len(polygon)]
    way = unit(to - from_)
    return way[0] * (point[1] - from_[1]) - way[1] * (point[0] - from_[0])


def clip(points, polygon, sides):
    """Sutherland and Hodgman, by some of the polygon's sides; coinciding corners once."""
    closed = len(points) > 2
    for k in sides:
        if len(points):
            points = clip_by(points, [side(polygon, k, p) for p in points], closed)
    kept = []
    for p in points:
        if all(np.abs(p - q).max() > SAME for q in kept):
            kept.append(p)
    return np.array(kept)


def clip_by(points, inside, closed):
    kept = []
    for k, p in enumerate(points):
        if inside[k] >= -SAME:
            kept.append(p)
        n = (k + 1) % len(points)
        if (closed or k + 1 < len(points)) and (inside[k] < -SAME) != (inside[n] < -SAME):
            part = inside[k] / (inside[k] - inside[n])
            kept.append(p + part * (points[n] - p))
    return kept


def rises(s, kept):
    """Whether a wall has a spot in front of another one, or behind it at a concave edge: next to
    the spot, on the line of both planes, each wall extends in front of the other."""
    if ((s.on_wall - kept.on_wall[0]) @ kept.normal).max() > 1e-6:
        return True
    inward = kept.normal - (kept.normal @ s.normal) * s.normal
    if inward @ inward < 1e-9:
        return False
    back = s.normal - (kept.normal @ s.normal) * kept.normal
    for point in s.on_wall:
        edge = point - (point - kept.wall[0]) @ kept.normal / (inward @ inward) * inward
        if covers(s.wall, s.normal, edge + 1e-4 * inward) and covers(
            kept.wall, kept.normal, edge + 1e-4 * back
        ):
            return True
    return False


def stand(shape, position, rotation, walls, gap=0.0):
    """What a body stands on, of walls that are convex polygons."""
    vertices = shape.vertices @ rotation.T + position
    normals = shape.normals @ rotation.T
    centroid = rotation @ shape.centroid + position

    def touch(numbers, others):
        met = {}
        for k in numbers:
            beside = [walls[n] for n in others if n != k]
            met[k] = stand_on(shape, vertices, normals, centroid, walls[k], beside)
        return {k: s for k, s in met.items() if s is not None and s.overlaps.max() >= -gap}

    def rank(item):
        s = item[1]
        return not s.holds_centroid, s.overlaps.max() < 0, abs(s.overlaps.max())

    kept, dropped = {}, set()
    everywhere = range(len(walls))
    for k, s in sorted(touch(everywhere, everywhere).items(), key=rank):
        if all(rises(s, other) for other in kept.values()):
            kept[k] = s
        else:
            dropped.add(k)
    return list(touch(kept, set(everywhere) - dropped).values())
