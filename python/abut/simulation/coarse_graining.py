"""Coarse graining: fields of density, velocity, stress and temperature on a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import matrix_product
from ..base.arrays import Doubles, Indices
from ..base.periods import (
    Period,
    is_along_axes,
    is_array,
    lengths_of,
    read_period,
    same_period,
    text_of,
    vectors_of,
)
from ..results.arms import pair_arms
from ..results.coarse import KERNELS, Grid, Lines, Spreading, spread_lines, spreading
from ..results.coarse_fields import CoarseFields
from ..results.contacts import Contacts
from ..results.means import read_forces
from ..results.pairs import Pairs
from ..results.sums import numbers_of
from .cell import period_then
from .measures import Region, check_whole, grains_of, halves_of, parts_between, read_region

if TYPE_CHECKING:
    from ..io.frame import Frame
    from ..io.spheres import Spheres
    from ..options import CoarseKernel
    from .simulation import Simulation

# A region that is a period wide up to rounding repeats along this axis.
_ROUNDING = 1e-12

# In the plane all is in a layer of this thickness, so that an area is a volume.
_LAYER = (-0.5, 0.5)


def coarse_grain(
    spheres: Simulation | Frame | Spheres,
    cells: Sequence[int],
    width: float,
    *,
    region: ArrayLike | None = None,
    kernel: CoarseKernel = "gauss",
    density: ArrayLike | None = None,
    velocities: ArrayLike | None = None,
    pairs: Pairs | None = None,
    forces: ArrayLike | None = None,
    walls: tuple[Contacts, ArrayLike] | None = None,
) -> CoarseFields:
    """Compute fields of density, velocity, stress and granular temperature on a grid.

    Parameters
    ----------
    spheres : Simulation, Frame or Spheres
        Of a simulation the state at the beginning of its last step counts, with all grains,
        contacts and bonds; fixed grains have the mass of their material. Of a frame of
        `read_frames`, or any object with ``centers`` (n, 3) or (n, 2) and ``radii`` (n,), the
        spheres count, and `density` is required.
    cells : sequence of 3 (or 2) int
        Numbers of cells along the axes of the region, or along the vectors of the period. Along an
        axis with one cell the fields are means: ``(1, 1, 40)`` gives profiles along z.
    width : float
        Width of the kernel: the standard deviation of the Gaussian, or half of the distance at
        which Lucy's function ends. At least half the size of a cell; about a mean diameter for
        smooth fields, and a tenth of it to see layers.
    region : (2, 3) array_like, optional
        Lower and upper corner of a box, (2, 2) in the plane. It may not be longer than a period.
        Grains with their center in it count, and the parts of lines in it. Where it is one period
        long, kernels go on across the border. By default the cell of the period, from `origin` of
        a frame or from 0; then the world must repeat along all vectors.
    kernel : {"gauss", "lucy"}
        The Gaussian, cut off at 4 widths, or Lucy's function (1977), which is 0 from 2 widths on.
    density : float or (n,) array_like, optional
        Density of the material of a frame's spheres, mass per volume (in the plane per area).
    velocities : (n, 3) array_like, optional
        Velocities of a frame's spheres. By default its columns ``velocity`` or ``velocities``, or
        ``vx``, ``vy`` and ``vz``, if ``columns=`` of `read_frames` has named them.
    pairs : Pairs, optional
        Pairs of a frame's spheres.
    forces : (m, 3) array_like, optional
        Force of each pair on i. By default the column `force` of the pairs.
    walls : tuple of Contacts and (k, 3) array_like, optional
        Contacts of a frame's spheres with walls, and the forces on the spheres.

    Returns
    -------
    CoarseFields
        With `density`, `momentum`, `velocity`, `temperature`, `contact_stress`, `kinetic_stress`
        and `stress` at `points`. For means over many frames add up fields:
        ``sum(abut.coarse_grain(frame, ...) for frame in frames)``.

    Raises
    ------
    ValueError
        If a shape or a number is wrong, the width is less than half a cell, the region is not
        valid, as for `Simulation.stress`, or is missing without a period. If pairs have another
        period than the frame, or have others. If arguments for frames are given with a simulation,
        or `density` is missing for a frame.
    TypeError
        If an argument is of another type.

    See Also
    --------
    Simulation.stress, Pairs.stress : One mean over a region.

    Notes
    -----
    These are the fields of I. Goldhirsch (Granular Matter 12 (2010) 239): with the kernel phi,

    - density: sum of m phi(r - x) over grains,
    - momentum: sum of m v phi(r - x),
    - contact stress: sum of -arm (x) F times the mean of phi over the line from the center of a
      grain to the contact point, over the contacts of each grain. The two lines of two spheres are
      one line from center to center. Lines to walls are as in T. Weinhart et al. (Granular Matter
      14 (2012) 289),
    - kinetic stress: sum of m v' (x) v' phi(r - x), with v' = v - velocity(r),
    - temperature: the mean of v'^2, weighted by mass, divided by d.

    The weights of a grain at the centers of all cells are scaled so that their sum is 1. So mass,
    momentum and stress sum up exactly to those of the region: the mean of the contact stress is
    `Simulation.stress`. At the borders of a region without a period, a kernel has no part outside.

    If a cell deforms, v' is relative to its linear velocity field. Where velocity changes over a
    width in another way, v' includes this change: use a small width across shear.
    docs/dem.md, section 15, has more.

    Examples
    --------
    Two grains in a periodic cell, profiles along x:

    >>> import abut
    >>> frame = abut.Frame([[1, 2, 2], [2.5, 2, 2]], [1.0, 1.0], period=(4, 4, 4))
    >>> pairs = abut.find_pairs(frame.centers, frame.radii, period=frame.period)
    >>> forces = 100 * pairs.overlap[:, None] * pairs.normal
    >>> speeds = [[1, 0, 0], [-1, 0, 0]]
    >>> fields = abut.coarse_grain(
    ...     frame, (8, 1, 1), 0.5, density=2.0, velocities=speeds, pairs=pairs, forces=forces
    ... )
    >>> fields
    CoarseFields(8 x 1 x 1 cells, 1 frame, gauss, width 0.5)
    >>> (fields.density.sum() * fields.volume).round(6)  # twice 4/3 pi times 2
    np.float64(16.755161)
    >>> fields.velocity[:, 0, 0, 0].round(2) + 0.0
    array([ 0.99,  1.  ,  0.91,  0.  , -0.91, -1.  , -0.99,  0.  ])
    >>> (fields.contact_stress.mean(axis=(0, 1, 2)) - pairs.stress(forces, 64)).round(9).any()
    np.False_
    """
    chosen = checks.choice(kernel, "kernel", KERNELS)
    given = _Given(density, velocities, pairs, forces, walls)
    matter = _matter_of(spheres, given)
    counts = _read_cells(cells, matter.dimension)
    size = checks.positive(width, "width")
    box, grid = _read_grid(region, matter, counts)
    spread = spreading(grid, chosen, size)
    fields = _fields(matter, box, spread)
    return CoarseFields(**fields, frames=1, kernel=kernel, width=size)


class _Given(NamedTuple):
    """The arguments for frames."""

    density: ArrayLike | None
    velocities: ArrayLike | None
    pairs: Pairs | None
    forces: ArrayLike | None
    walls: tuple[Contacts, ArrayLike] | None


class _Matter(NamedTuple):
    """Grains and the lines on which forces act, in space."""

    centers: Doubles  # (n, 3)
    masses: Doubles  # (n,)
    velocities: Doubles | None  # (n, 3)
    lines: list[Lines] | None
    period: Period | None
    origin: Doubles  # (3,): of the cell of the period
    gradient: Doubles  # (3, 3): the velocity gradient of the cell
    dimension: int


# ---- what is given -------------------------------------------------------------------------------


def _matter_of(spheres: Any, given: _Given) -> _Matter:
    from .simulation import Simulation

    if isinstance(spheres, Simulation):
        for name, value in given._asdict().items():
            if value is not None:
                raise ValueError(f"{name} is given, but is for frames: a simulation has its own")
        return _matter_of_simulation(spheres)
    if not (hasattr(spheres, "centers") and hasattr(spheres, "radii")):
        raise TypeError(
            f"spheres is {checks.a_or_an(type(spheres).__name__)}, but must be a Simulation, or a"
            " frame with centers and radii. For many frames add up fields: sum(coarse_grain(frame,"
            " ...) for frame in frames)"
        )
    return _matter_of_frame(spheres, given)


def _matter_of_simulation(simulation: Simulation) -> _Matter:
    grains = grains_of(simulation)
    return _Matter(
        grains.centers,
        grains.masses,
        grains.velocities,
        [Lines(*halves) for halves in halves_of(simulation, grains)],
        period_then(simulation),
        np.zeros(3),
        simulation.velocity_gradient,
        3,
    )


def _matter_of_frame(frame: Any, given: _Given) -> _Matter:
    centers = checks.points(frame.centers, "centers", (3, 2))
    checks.all_finite(centers, "centers")
    count, dimension = centers.shape
    radii = checks.lengths(frame.radii, "radii", count, "center")
    _check_positive(radii, "radii")
    period = read_period(getattr(frame, "period", None), dimension)
    if given.density is None:
        raise ValueError("density is missing: give the density of the material, density=")
    densities = checks.lengths(given.density, "density", count, "sphere")
    _check_positive(densities, "density")
    volumes = np.pi * radii * radii if dimension == 2 else 4 / 3 * np.pi * radii * radii * radii
    velocities = _velocities_of(frame, given.velocities, count, dimension)
    origin = getattr(frame, "origin", None)
    return _Matter(
        _in_space(centers),
        densities * volumes,
        None if velocities is None else _in_space(velocities),
        _lines_of(period, centers, given),
        period,
        np.zeros(3) if origin is None else _in_space(np.array(origin)[None])[0],
        np.zeros((3, 3)),
        dimension,
    )


def _check_positive(numbers: Doubles, name: str) -> None:
    is_valid = (numbers > 0.0) & (numbers < np.inf)
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        raise ValueError(f"{name}[{row}] is {numbers[row]}, but must be positive and finite")


def _in_space(vectors: Doubles) -> Doubles:
    """Vectors (n, 3) of vectors (n, 2) or (n, 3)."""
    return np.pad(vectors, ((0, 0), (0, 3 - vectors.shape[1])))


def _velocities_of(
    frame: Any, velocities: ArrayLike | None, count: int, dimension: int
) -> Doubles | None:
    if velocities is None:
        columns = getattr(frame, "columns", None) or {}
        axes = [f"v{along}" for along in "xyz"[:dimension]]
        for name in ("velocity", "velocities"):
            velocities = columns.get(name) if velocities is None else velocities
        if velocities is None and all(name in columns for name in axes):
            velocities = np.stack([columns[name] for name in axes], axis=1)
    if velocities is None:
        return None
    found = checks.points_each(velocities, "velocities", count, "sphere", dimensions=(dimension,))
    checks.all_finite(found, "velocities")
    return found


def _lines_of(period: Period | None, centers: Doubles, given: _Given) -> list[Lines] | None:
    if given.pairs is None and given.forces is not None:
        raise ValueError("forces is given, but pairs is missing: give the pairs, too")
    lines = []
    if given.pairs is not None:
        lines.append(_lines_of_pairs(period, centers, given.pairs, given.forces))
    if given.walls is not None:
        lines.append(_lines_of_walls(centers, given.walls))
    return lines or None


def _lines_of_pairs(
    period: Period | None, centers: Doubles, pairs: object, forces: ArrayLike | None
) -> Lines:
    if not isinstance(pairs, Pairs):
        raise TypeError(f"pairs is {checks.a_or_an(type(pairs).__name__)}, but must be Pairs")
    if pairs.other_count is not None:
        raise ValueError("pairs is of a search with others, but must be of the frame's spheres")
    if not same_period(pairs.period, period):
        raise ValueError(
            f"pairs has the period {text_of(pairs.period)}, but the frame {text_of(period)}: give"
            " period=frame.period to find_pairs"
        )
    if forces is None:
        if "force" not in vars(pairs):
            raise ValueError("forces is missing: pairs of a search have no forces")
        forces = pairs.force
    arm_i, arm_j = pair_arms(pairs, centers, None)
    pushes = read_forces(pairs, forces)
    starts = centers[numbers_of(pairs, "i", len(centers))]
    return Lines(_in_space(starts), _in_space(arm_i - arm_j), _in_space(pushes))


def _lines_of_walls(centers: Doubles, walls: Any) -> Lines:
    if not isinstance(walls, (tuple, list)) or len(walls) != 2:
        raise TypeError("walls must be (contacts, forces)")
    contacts, forces = walls
    if not isinstance(contacts, Contacts):
        raise TypeError(f"walls[0] is {checks.a_or_an(type(contacts).__name__)}, not Contacts")
    if centers.shape[1] == 2:
        raise ValueError(
            "walls is given, but the centers are in the plane, where walls have no contacts"
        )
    count = len(contacts.offsets) - 1
    if count != len(centers):
        spheres = checks.counted(count, "sphere")
        raise ValueError(f"walls has contacts of {spheres}, but the frame has {len(centers)}")
    starts = centers[numbers_of(contacts, "sphere", count)]
    return Lines(starts, contacts.point - starts, read_forces(contacts, forces))


def _read_cells(cells: Any, dimension: int) -> tuple[int, int, int]:
    try:
        items = list(cells)
    except TypeError:
        items = []
    if len(items) != dimension:
        raise ValueError(
            f"cells is {cells!r}, but must be {dimension} numbers, one for each axis, since centers"
            f" have {dimension} coordinates"
        )
    counts = [checks.whole(item, f"cells[{k}]") for k, item in enumerate(items)]
    for k, count in enumerate(counts):
        if count < 1:
            raise ValueError(f"cells[{k}] is {count}, but must be at least 1")
    x, y, z = (*counts, 1)[:3]
    return x, y, z


# ---- the grid ------------------------------------------------------------------------------------


def _read_grid(
    region: ArrayLike | None, matter: _Matter, counts: tuple[int, int, int]
) -> tuple[Region | None, Grid]:
    period = _period_in_space(matter)
    if region is None:
        check_whole(matter.period, "the box of the grid", matter.dimension)
        vectors = vectors_of(period)
        origin = matter.origin
        if matter.dimension == 2:
            vectors[2, 2] = 1.0
        return None, Grid(origin, vectors, counts, (True, True, matter.dimension == 3))
    box = read_region(_region_in_space(region, matter.dimension), period)
    assert box is not None
    sizes = box.high - box.low
    is_whole = np.zeros(3, bool)
    if is_along_axes(period):
        periods = lengths_of(period) if period is not None else np.zeros(3)
        is_whole = (periods > 0) & (sizes >= periods * (1 - _ROUNDING))
    x, y, z = is_whole.tolist()
    return box, Grid(box.low, np.diag(sizes), counts, (x, y, z))


def _period_in_space(matter: _Matter) -> Period | None:
    period = matter.period
    if period is None or matter.dimension == 3:
        return period
    if is_array(period):
        return np.pad(period, (0, 1))
    return (*period, None)


def _region_in_space(region: ArrayLike, dimension: int) -> ArrayLike:
    if dimension == 3:
        return region
    corners = checks.doubles(region, "region")
    checks.shaped(corners, "region", (2, 2))
    return np.column_stack([corners, _LAYER])


def _grains_in(centers: Doubles, box: Region | None) -> tuple[Doubles, Indices]:
    """The centers of grains in the box, moved to the image that is in it, and their rows."""
    if box is None:
        return centers, np.arange(len(centers))
    found = [(centers[is_in] - shift, is_in) for shift, is_in in box.images(centers, centers)]
    rows = [np.flatnonzero(is_in) for _, is_in in found]
    return (
        np.concatenate([np.empty((0, 3)), *(places for places, _ in found)]),
        np.concatenate([np.empty(0, np.intp), *rows]),
    )


def _lines_in(lines: Lines, box: Region | None) -> Iterator[Lines]:
    """The parts of lines in the box, moved to the image that is in it."""
    if box is None:
        yield lines
        return
    starts, arms, forces = lines
    ends = starts + arms
    for shift, meets in box.images(np.minimum(starts, ends), np.maximum(starts, ends)):
        rows = np.flatnonzero(meets)
        low, high = box.low + shift, box.high + shift
        enters, parts = parts_between(starts[rows], arms[rows], low, high)
        first = starts[rows] + enters[:, None] * arms[rows] - shift
        inside = parts > 0.0
        inner = parts[:, None] * arms[rows]
        yield Lines(first[inside], inner[inside], forces[rows][inside])


# ---- fields --------------------------------------------------------------------------------------


def _fields(matter: _Matter, box: Region | None, spread: Spreading) -> dict[str, Any]:
    dimension, grid = matter.dimension, spread.grid
    points = grid.centers()
    centers, rows = _grains_in(matter.centers, box)
    masses = matter.masses[rows]
    moving = None
    if matter.velocities is not None:
        moving = matter.velocities[rows] - matrix_product(matter.centers[rows], matter.gradient.T)
    density, momentum, kinetic = _of_grains(spread, centers, masses, moving)
    if momentum is not None:
        flow = matrix_product(points.reshape(-1, 3), matter.gradient.T).reshape(points.shape)
        momentum += density[..., None] * flow
    contact = None
    if matter.lines is not None:
        sums = [spread_lines(spread, one) for all in matter.lines for one in _lines_in(all, box)]
        contact = sum(sums, np.zeros((*grid.counts, 3, 3))) / grid.volume
    return {
        "points": _in_plane(points, 1, dimension),
        "volume": grid.volume,
        "density": _in_plane(density, 0, dimension),
        "_momentum": _in_plane(momentum, 1, dimension),
        "_contact": _in_plane(contact, 2, dimension),
        "_kinetic": _in_plane(kinetic, 2, dimension),
        "_edges": grid.steps,
    }


def _of_grains(
    spread: Spreading, centers: Doubles, masses: Doubles, velocities: Doubles | None
) -> tuple[Doubles, Doubles | None, Doubles | None]:
    """The density, momentum and kinetic stress of grains."""
    volume = spread.grid.volume
    if velocities is None:
        return spread.spread(centers, masses[:, None])[..., 0] / volume, None, None
    whole = masses.sum()
    # Velocities relative to their mean keep the digits of fluctuations in a fast flow.
    mean = (masses[:, None] * velocities).sum(axis=0) / whole if whole else np.zeros(3)
    apart = velocities - mean
    squares = (apart[:, :, None] * apart[:, None, :]).reshape(-1, 9)
    values = masses[:, None] * np.column_stack([np.ones(len(masses)), apart, squares])
    sums = spread.spread(centers, values) / volume
    density, rest, flux = sums[..., 0], sums[..., 1:4], sums[..., 4:]
    inverse = np.divide(1.0, density, out=np.zeros_like(density), where=density > 0.0)
    of_mean = (inverse[..., None] * rest)[..., :, None] * rest[..., None, :]
    kinetic = flux.reshape(of_mean.shape) - of_mean
    return density, rest + density[..., None] * mean, kinetic


def _in_plane(field: Doubles | None, axes: int, dimension: int) -> Doubles | None:
    """A field without its third axis if the grains are in the plane; axes: those of its entries."""
    if field is None or dimension == 3:
        return field
    flat = field[:, :, 0]
    for axis in range(axes):
        flat = flat.take((0, 1), axis=2 + axis)
    return flat
