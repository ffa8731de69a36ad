"""The rotary mixer: its facets, and the bed of spheres in it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..laws.materials import Material
from ..laws.plain import Hertz, RollingA
from ..search.mesh import Mesh
from ..simulation.motions import Rotating
from ..simulation.simulation import Simulation

# the rotary mixer, in meters; its axis is x, the origin its middle, and +z is up
RADIUS = 0.0035  # radius of the spheres
DRUM_RADIUS = 0.143
SHAFT_RADIUS = 0.030
LENGTH = 0.350
SPHERE_COUNT = 29_559

# numbers of facets around the drum, the middle ring of an end and the shaft, and along the axis
DRUM_SIDES, RING_SIDES, SHAFT_SIDES, STATIONS = 64, 32, 16, 20
RING_RADIUS = 0.085
PADDLE_COUNT = 20
PADDLE_SPAN = 0.280  # from the first paddle to the last, along the axis
PADDLE_TURNS = 1.5  # turns of the helix on which the paddles are fixed
PADDLE_TILT = np.pi / 4  # angle between a blade and the axis

# extents (from, to) of a paddle's parts along its own radial, width and thickness directions
ARM = np.array([[0.024, 0.092], [-0.005, 0.005], [-0.005, 0.005]])
BLADE = np.array([[0.086, 0.131], [-0.018, 0.018], [-0.003, 0.003]])

# corner n of a box is at the upper end of axis k where bit k of n is set
BOX_SIDES = np.array(
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
)

# the bed, loose enough that the jitter causes no overlaps
SPACING = 2.12 * RADIUS
JITTER = 0.04 * RADIUS
REACH = RADIUS  # outermost spheres this close to a wall are moved until they touch it
DEEPEST = 0.02 * RADIUS  # largest overlap with a wall


class Mixer(NamedTuple):
    """A packed bed of spheres in a rotary mixer."""

    centers: np.ndarray
    radii: np.ndarray
    mesh: Mesh


class MixerMeshes(NamedTuple):
    """The fixed and the rotating part of a rotary mixer."""

    drum: Mesh
    rotor: Mesh


class _Facets(NamedTuple):
    """The mixer's facets: indices (k, 4) or (k, 3) of its vertices (v, 3)."""

    vertices: np.ndarray
    drum: np.ndarray  # quadrilaterals
    shaft: np.ndarray  # quadrilaterals
    ends: np.ndarray  # triangles
    paddles: np.ndarray  # triangles


class Clearance(NamedTuple):
    """Distances of centers from a wall, and unit vectors from the wall to them."""

    distance: np.ndarray
    away: np.ndarray


def mixer(seed: int = 0) -> Mixer:
    """
    Make a horizontal rotary mixer with a packed bed of spheres at rest in it.

    The mixer is like the one in section 6.2 of [1]_ (fig. 26 and 27): a drum with a shaft and
    paddles, of 1,600 quadrilaterals and 848 triangles. The bed is made of jittered hexagonal
    layers; the outermost spheres overlap walls and paddles by up to 2 % of their radius.

    Parameters
    ----------
    seed : int
        Seed of the jitter. The same seed gives the same scene.

    Returns
    -------
    Mixer
        The named tuple ``(centers, radii, mesh)``: centers (29559, 3) and radii (29559,) in
        meters, and the `Mesh`. The drum's axis is x, up is +z, the origin its middle.

    References
    ----------
    .. [1] M. Santasusana, J. Irazabal, E. Onate, J. M. Carbonell, "The Double Hierarchy Method",
       Computational Particle Mechanics 3 (2016), doi:10.1007/s40571-016-0109-4.

    Examples
    --------
    >>> from abut import examples
    >>> centers, radii, mesh = examples.mixer()
    >>> centers.shape, len(mesh)
    ((29559, 3), 2448)
    """
    centers = _bed(np.random.default_rng(seed))
    facets = _mixer_facets()
    quads = np.concatenate([facets.drum, facets.shaft])
    triangles = np.concatenate([facets.ends, facets.paddles])
    mesh = _mesh_of(facets.vertices, quads, triangles)
    return Mixer(centers, np.full(SPHERE_COUNT, RADIUS), mesh)


def mixer_meshes() -> MixerMeshes:
    """
    Make the rotary mixer of `mixer` as two meshes, so that one can rotate.

    Returns
    -------
    MixerMeshes
        The named tuple ``(drum, rotor)``: the drum with its ends, and the shaft with its paddles,
        which turns about x. Together they have the facets of `mixer`.

    Examples
    --------
    >>> from abut import examples
    >>> drum, rotor = examples.mixer_meshes()
    >>> len(drum), len(rotor)
    (1568, 880)
    """
    facets = _mixer_facets()
    return MixerMeshes(
        _mesh_of(facets.vertices, facets.drum, facets.ends),
        _mesh_of(facets.vertices, facets.shaft, facets.paddles),
    )


def mixer_simulation(rate: float = 18.85, seed: int = 0) -> Simulation:
    """
    Make the rotary mixer of `mixer` ready to run.

    It is the mixer of section 6.2 of the paper that `mixer` names. Its grains are very soft, which
    allows long steps. The drum stands still, the shaft rotates.

    Parameters
    ----------
    rate : float
        Angular velocity of the shaft, in radians per second.
    seed : int
        Seed of the bed.

    Returns
    -------
    Simulation
        With two walls, the drum and the rotor, and 29,559 spheres, in meters, seconds and
        kilograms; a step is 5e-5 s.

    Notes
    -----
    Runs give two correct warnings. The grains are so soft that those hit by a blade overlap by a
    tenth to a third of their radius, whatever the step. And the paper's step is nearly three times
    the longest stable one of grains at that speed. With ``sim.step = 2e-5`` this warning does not
    appear. After 0.05 s, the kinetic energy then differs by 3 %, the work of the rotor by 2 %, and
    the elastic energy by a fifth.

    Examples
    --------
    >>> from abut import examples
    >>> sim = examples.mixer_simulation()
    >>> sim.run(0.001)
    >>> sim.step_count
    20
    """
    drum, rotor = mixer_meshes()
    grain, steel = Material(density=1000, young=1e7, poisson=0.2), Material()
    simulation = Simulation(step=5e-5)
    simulation.set_law(grain, grain, Hertz(friction=0.5, restitution=0.4, rolling=0.001))
    law = Hertz(friction=0.75, restitution=0.4, rolling=RollingA(0.001))
    simulation.set_law(grain, steel, law)
    simulation.add_wall(drum, steel)
    simulation.add_wall(rotor, steel, motion=Rotating(axis=(1, 0, 0), rate=rate))
    simulation.add_spheres(_bed(np.random.default_rng(seed)), RADIUS, grain)
    return simulation


# ---- facets --------------------------------------------------------------------------------------


def _mesh_of(vertices, quads, triangles):
    """The mesh of these facets, with only the vertices that they use."""
    corners = np.concatenate([quads.ravel(), triangles.ravel()])
    used, indices = np.unique(corners, return_inverse=True)
    sides = np.repeat([4, 3], [len(quads), len(triangles)])
    return Mesh(vertices[used], (indices, np.concatenate([[0], np.cumsum(sides)])))


def _mixer_facets():
    """All facets, 1,600 quadrilaterals and 848 triangles, as `_Facets`."""
    drum = _rings(DRUM_RADIUS, DRUM_SIDES, STATIONS + 1)
    shaft = _rings(SHAFT_RADIUS, SHAFT_SIDES, STATIONS + 1)
    middle = _rings(RING_RADIUS, RING_SIDES, 2)
    parts = [drum, shaft, middle]
    at_drum, at_shaft, at_middle = _numbered(parts)
    first = np.concatenate(
        [_annulus(at_drum[0], at_middle[0]), _annulus(at_middle[0], at_shaft[0])]
    )
    last = np.concatenate(
        [_annulus(at_drum[-1], at_middle[-1]), _annulus(at_middle[-1], at_shaft[-1])]
    )
    body = np.concatenate([part.reshape(-1, 3) for part in parts])
    paddle_vertices, paddle_triangles = _paddle_facets()
    return _Facets(
        np.concatenate([body, paddle_vertices]),
        tube(at_drum),
        tube(at_shaft)[:, ::-1],
        np.concatenate([first, last[:, ::-1]]),
        paddle_triangles + len(body),
    )


def _rings(radius, sides, count):
    """Vertices (count, sides, 3) of `count` equal rings along the axis."""
    angle = 2 * np.pi * np.arange(sides) / sides
    x = np.linspace(-LENGTH / 2, LENGTH / 2, count)
    points = np.empty((count, sides, 3))
    points[..., 0] = x[:, None]
    points[..., 1] = radius * np.cos(angle)
    points[..., 2] = radius * np.sin(angle)
    return points


def _numbered(parts):
    """The vertex numbers of each part, in the part's own layout."""
    sizes = [part.shape[0] * part.shape[1] for part in parts]
    numbers = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    return [n.reshape(part.shape[:2]) for n, part in zip(numbers, parts, strict=True)]


def grid_cells(numbers):
    """Quadrilaterals (k, 4) between the rows and columns of a grid of vertex numbers."""
    a, b = numbers[:-1, :-1], numbers[1:, :-1]
    c, d = numbers[1:, 1:], numbers[:-1, 1:]
    return np.stack([a, b, c, d], axis=-1).reshape(-1, 4)


def tube(numbers):
    """Quadrilaterals between rings; their front faces the axis."""
    return grid_cells(np.concatenate([numbers, numbers[:, :1]], axis=1))


def _annulus(outer, inner):
    """Triangles between a ring and one with half as many vertices; their front faces +x."""
    o0, o1, o2 = outer[::2], outer[1::2], np.roll(outer[::2], -1)
    i0, i1 = inner, np.roll(inner, -1)
    return np.stack([o0, o1, i0, o1, i1, i0, o1, o2, i1], axis=-1).reshape(-1, 3)


def _paddle_facets():
    """Vertices and triangles of the paddles: each a closed arm (12) and a closed blade (16)."""
    arm, blade = _box(ARM), _with_middles(_box(BLADE))
    vertices, triangles, count = [], [], 0
    for place, directions in _paddles():
        for local, facets in (arm, blade):
            vertices.append(place + local @ directions)
            triangles.append(facets + count)
            count += len(local)
    return np.concatenate(vertices), np.concatenate(triangles)


def _paddles():
    """Yield each paddle's place on the axis and its radial, width and thickness directions."""
    steps = np.linspace(0, 1, PADDLE_COUNT)
    for step in steps:
        angle = 2 * np.pi * PADDLE_TURNS * step - np.pi / 2
        radial = np.array([0.0, np.cos(angle), np.sin(angle)])
        around = np.array([0.0, -np.sin(angle), np.cos(angle)])
        along = np.array([1.0, 0.0, 0.0])
        width = np.cos(PADDLE_TILT) * along + np.sin(PADDLE_TILT) * around
        yield (step - 0.5) * PADDLE_SPAN * along, np.array([radial, width, np.cross(radial, width)])


def _box(limits):
    """The 8 vertices and 12 triangles of a box; fronts face outwards."""
    vertices = np.array([[limits[axis, n >> axis & 1] for axis in range(3)] for n in range(8)])
    return vertices, BOX_SIDES[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def _with_middles(box):
    """The box with its two widest sides divided into four triangles each, about their middles."""
    vertices, triangles = box
    wide = BOX_SIDES[4:]  # the sides normal to axis 2, the thickness
    middles = [vertices[corners].mean(axis=0) for corners in wide]
    fans = [
        [corners[k - 1], corners[k], 8 + side]
        for side, corners in enumerate(wide)
        for k in range(4)
    ]
    return np.concatenate([vertices, middles]), np.concatenate([triangles[:8], fans])


# ---- the bed -------------------------------------------------------------------------------------


def _bed(rng):
    """Centers (29559, 3): the lowest spheres of the lattice that overlap no wall."""
    walls = _walls()
    centers = _outside(_lattice(rng), walls)
    for wall in walls:
        _settle(centers, wall, rng)
    centers = _outside(centers, walls)
    lowest = np.sort(np.argsort(centers[:, 2], kind="stable")[:SPHERE_COUNT])
    return centers[lowest]


def _outside(centers, walls):
    """The centers of spheres that overlap no wall by more than 2 % of their radius."""
    outside = np.ones(len(centers), dtype=bool)
    for wall in walls:
        near, clearance = _near(centers, wall)
        outside[near] &= clearance.distance >= RADIUS - DEEPEST
    return centers[outside]


def _lattice(rng):
    """Jittered hexagonal layers in the drum's lower part; layers are horizontal, rows along x."""
    row_step, layer_step = SPACING * np.sqrt(3) / 2, SPACING * np.sqrt(2 / 3)
    layers = np.arange(int(1.1 * DRUM_RADIUS / layer_step))
    rows = np.arange(int(2 * DRUM_RADIUS / row_step))
    places = np.arange(int(LENGTH / SPACING))
    layer, row, place = (n.ravel() for n in np.meshgrid(layers, rows, places, indexing="ij"))
    shift = layer % 2
    x = RADIUS - LENGTH / 2 + SPACING * (place + ((row + shift) % 2) / 2)
    y = RADIUS - DRUM_RADIUS + row_step * (row + shift / 3)
    z = RADIUS - DRUM_RADIUS + layer_step * layer
    return np.column_stack([x, y, z]) + _in_ball(rng, len(x)) * JITTER


def _in_ball(rng, count):
    """Random points in the unit ball."""
    direction = rng.standard_normal((count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return direction * np.cbrt(rng.random((count, 1)))


def _settle(centers, wall, rng):
    """Move the spheres near a wall against it, unless they would overlap another sphere."""
    near, clearance = _near(centers, wall)
    places = centers[near]
    close = np.flatnonzero(clearance.distance <= RADIUS + REACH)
    overlap = DEEPEST * rng.random(len(close))
    steps = (clearance.distance[close] - RADIUS + overlap)[:, None] * clearance.away[close]
    for k, step in zip(close, steps, strict=True):
        others = places - (places[k] - step)
        others[k] = np.inf
        if np.einsum("ij,ij->i", others, others).min() >= 4 * RADIUS**2:
            places[k] -= step
    centers[near] = places


def _near(centers, wall):
    """Row numbers of the centers near a wall, and their clearance."""
    clearance_of, middle, size = wall
    reach = 4 * RADIUS + REACH
    offset = centers - middle
    near = np.flatnonzero(np.einsum("ij,ij->i", offset, offset) <= (size + reach) ** 2)
    clearance = clearance_of(centers[near])
    within = clearance.distance <= reach
    return near[within], Clearance(clearance.distance[within], clearance.away[within])


def _walls():
    """Each convex wall as (clearance function, middle, radius around it)."""
    whole = (np.zeros(3), LENGTH)
    walls: list[tuple[Any, ...]] = [
        (f, *whole) for f in (_clearance_of_drum, _clearance_of_ends, _clearance_of_shaft)
    ]
    for place, directions in _paddles():
        for limits in (ARM, BLADE):
            middle = place + limits.mean(axis=1) @ directions
            size = np.linalg.norm(np.ptp(limits, axis=1)) / 2
            walls.append((_clearance_of_box(place, directions, limits), middle, size))
    return walls


def _sector(centers, sides):
    """Normal and tangent, both unit vectors across the axis, of the side nearest to each center."""
    angle = np.arctan2(centers[:, 2], centers[:, 1])
    middle = (np.floor(angle * sides / (2 * np.pi)) + 0.5) * (2 * np.pi / sides)
    zero = np.zeros_like(middle)
    normal = np.column_stack([zero, np.cos(middle), np.sin(middle)])
    return normal, np.column_stack([zero, -np.sin(middle), np.cos(middle)])


def _clearance_of_drum(centers):
    normal, _ = _sector(centers, DRUM_SIDES)
    apothem = DRUM_RADIUS * np.cos(np.pi / DRUM_SIDES)
    return Clearance(apothem - np.einsum("ij,ij->i", centers, normal), -normal)


def _clearance_of_ends(centers):
    away = np.zeros_like(centers)
    away[:, 0] = -np.sign(centers[:, 0])
    return Clearance(LENGTH / 2 - np.abs(centers[:, 0]), away)


def _clearance_of_shaft(centers):
    normal, tangent = _sector(centers, SHAFT_SIDES)
    apothem = SHAFT_RADIUS * np.cos(np.pi / SHAFT_SIDES)
    half = SHAFT_RADIUS * np.sin(np.pi / SHAFT_SIDES)
    height = np.einsum("ij,ij->i", centers, normal) - apothem
    along = np.einsum("ij,ij->i", centers, tangent)
    beside = along - np.clip(along, -half, half)
    away = np.maximum(height, 0)[:, None] * normal + beside[:, None] * tangent
    return _clearance(away)


def _clearance_of_box(place, directions, limits):
    def clearance(centers):
        local = (centers - place) @ directions.T
        return _clearance((local - np.clip(local, *limits.T)) @ directions)

    return clearance


def _clearance(vectors):
    distance = np.linalg.norm(vectors, axis=1)
    return Clearance(distance, vectors / np.where(distance > 0, distance, 1)[:, None])
