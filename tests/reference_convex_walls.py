"""What a convex body stands on, slow and obvious: each wall is one convex polygon, however meshed.

The contact with one wall is that with the half space behind it, as far as the polygon goes: the
corners of what the body's feature that faces the wall and the polygon have in common, each with its
own overlap along the wall's normal. A wall that has nothing in front of one that counts is left
out: those are asked first over which the body's centroid is, then those that are overlapped by
less.
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


def stand_on(shape, vertices, normals, centroid, wall, patch_angle=PATCH_ANGLE):
    """The contact with one wall, a convex polygon; None where they have nothing in common."""
    normal = unit(np.cross(wall[1] - wall[0], wall[2] - wall[0]))
    if normal @ (centroid - wall[0]) < 0:
        normal, wall = -normal, wall[::-1]
    feature, facet = bearing(shape, vertices, normals, -normal, patch_angle)
    u = unit(wall[1] - wall[0])
    axes = np.stack([u, np.cross(normal, u)])
    corners = clip(feature @ axes.T, wall @ axes.T)
    if not len(corners):
        return None
    heights = feature_heights(corners, feature, facet, axes, normal) - wall[0] @ normal
    on_wall = corners @ axes + (wall[0] @ normal) * normal
    points = on_wall + 0.5 * heights[:, None] * normal
    holds = is_inside(centroid @ axes.T, wall @ axes.T)
    return Standing(normal, points, -heights, on_wall, holds)


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


def clip(points, polygon):
    """Sutherland and Hodgman; coinciding corners once."""
    closed = len(points) > 2
    for k in range(len(polygon)):
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


def stand(shape, position, rotation, walls, gap=0.0):
    """What a body stands on, of walls that are convex polygons."""
    vertices = shape.vertices @ rotation.T + position
    normals = shape.normals @ rotation.T
    centroid = rotation @ shape.centroid + position
    met = [stand_on(shape, vertices, normals, centroid, wall) for wall in walls]
    met = [s for s in met if s is not None and s.overlaps.max() >= -gap]
    met.sort(key=lambda s: (not s.holds_centroid, s.overlaps.max() < 0, abs(s.overlaps.max())))
    kept = []
    for s in met:
        if all(((s.on_wall - k.on_wall[0]) @ k.normal).max() > 1e-6 for k in kept):
            kept.append(s)
    return kept
