"""The command ``abut info``: the size of a mesh, and its possible faults."""

from __future__ import annotations

import warnings

import numpy as np

from ..io import read_facets
from .options import READING, add_command, read_mesh
from .printing import print_table

NOISE_ORIGINS = ("double", "float32", "decimals", "measured", "given")
SIDES = {3: "triangles", 4: "quadrilaterals"}

DESCRIPTION = """\
Describe a mesh: its facets, its size and its possible faults.

Zero-area facets do not count in the other rows. Facets that are not convex or not planar count
there as the triangles that --split makes of them. Duplicate facets have the same corners as another
facet. Border edges belong to one facet, non-manifold edges to three or more.

Coordinate noise is the error of the corners: walls that differ by less count as one wall. It
follows from the digits of the coordinates (double, float32, decimals). Where facets that are almost
coplanar differ by more, it is measured. "Neighbors off one plane" counts pairs of facets with a
common edge by the distance of their corners from one plane, relative to their coordinates. Noise
makes small distances, shape makes large ones. Without a gap between both, noise cannot be told
from shape."""


def add(commands):
    """Add the command to the parser."""
    add_command(commands, "info", _run, DESCRIPTION, ("mesh", *READING))


def _run(arguments):
    # The file is read twice, since a mesh does not have the number of facets that were left out.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the second reading gives the same warnings
        given = len(read_facets(arguments.mesh, arguments.part).offsets) - 1
    mesh = read_mesh(arguments, split=True)
    parts = np.unique(mesh.source, return_counts=True)[1]
    rows = _description(mesh)
    rows.append(("zero-area facets", given - len(parts)))
    rows.append(("not convex or not planar facets", np.count_nonzero(parts > 1)))
    print_table([*rows, *_flaw_rows(mesh)])


def _description(mesh):
    """Return rows (name, value) about a mesh."""
    sides = np.diff(mesh.offsets)
    rows = [("facets", len(mesh))]
    rows += [
        (f"  {SIDES.get(number, f'polygons of {number} sides')}", count)
        for number, count in zip(*np.unique(sides, return_counts=True), strict=True)
    ]
    rows.append(("vertices", len(mesh.vertices)))
    return rows + _size_rows(mesh) if len(mesh) else rows


def _size_rows(mesh):
    low, high = mesh.bounds
    angle, facet = _smallest_angle(mesh)
    return [
        *((axis, f"{a:.7g} to {b:.7g}") for axis, a, b in zip("xyz", low, high, strict=True)),
        ("area", f"{mesh.areas.sum():.7g}"),
        ("smallest angle", f"{angle:.3g} degrees (facet {mesh.source[facet]})"),
        ("coordinate noise", f"{_range(mesh.noise)} ({_origins(mesh)})"),
        ("neighbors off one plane", _deviations(mesh)),
    ]


def _range(values):
    """Return a text "smallest to largest"; only one number if both have the same two digits."""
    return " to ".join(dict.fromkeys(f"{value:.2g}" for value in (values.min(), values.max())))


def _origins(mesh):
    """Return how the noise of the facets was determined; with counts if there are several ways."""
    counts = np.bincount(mesh._noise_origin, minlength=len(NOISE_ORIGINS))
    found = [(name, n) for name, n in zip(NOISE_ORIGINS, counts, strict=True) if n]
    if len(found) == 1:
        return found[0][0]
    return ", ".join(f"{name} of {n:,}" for name, n in found)


def _deviations(mesh):
    """Return a text that counts neighbors by their distance from one plane.

    The distance is relative to the coordinates: "1e-k" counts those from 1e-k to 1e-(k - 1).
    """
    *decades, least = mesh._core.deviations()
    found = [(k + 1, n) for k, n in enumerate(decades) if n]
    words = [f"1e-{len(decades)} or less: {least:,}"] if least else []
    return "; ".join(words + [f"1e-{k}: {n:,}" for k, n in reversed(found)]) or "none"


def _flaw_rows(mesh):
    uses = _edge_uses(mesh)
    return [
        ("duplicate facets", len(mesh) - _distinct_facets(mesh)),
        ("non-manifold edges", np.count_nonzero(uses > 2)),
        ("border edges", np.count_nonzero(uses == 1)),
    ]


def _neighbors(mesh):
    """Return, for each entry of `mesh.indices`, the vertices before and after it in its facet."""
    entries = np.arange(len(mesh.indices))
    before, after = entries - 1, entries + 1
    before[mesh.offsets[:-1]] = mesh.offsets[1:] - 1
    after[mesh.offsets[1:] - 1] = mesh.offsets[:-1]
    return mesh.indices[before], mesh.indices[after]


def _smallest_angle(mesh):
    """Return the smallest angle at a corner, in degrees, and its facet."""
    before, after = _neighbors(mesh)
    here = mesh.vertices[mesh.indices]
    to_before, to_after = mesh.vertices[before] - here, mesh.vertices[after] - here
    # The arc tangent is also exact for very small angles, unlike the arc cosine.
    sine = np.linalg.norm(np.cross(to_before, to_after), axis=1)
    angles = np.arctan2(sine, np.einsum("ij,ij->i", to_before, to_after))
    entry = np.argmin(angles)
    return np.degrees(angles[entry]), np.searchsorted(mesh.offsets, entry, side="right") - 1


def _edge_uses(mesh):
    """Return, for each edge, the number of facets that have it."""
    _, after = _neighbors(mesh)
    edges = np.sort(np.column_stack([mesh.indices, after]), axis=1)
    return np.unique(edges, axis=0, return_counts=True)[1]


def _distinct_facets(mesh):
    """Return the number of facets; facets with the same corners, in any order, count once."""
    distinct = 0
    for sides in np.unique(np.diff(mesh.offsets)):
        starts = mesh.offsets[:-1][np.diff(mesh.offsets) == sides]
        corners = np.sort(mesh.indices[starts[:, None] + np.arange(sides)], axis=1)
        distinct += len(np.unique(corners, axis=0))
    return distinct
