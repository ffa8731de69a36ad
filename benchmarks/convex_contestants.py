"""Ways to find the contacts of convex bodies: one class each, abut's methods and its rivals.

Only `step` is timed; the constructor and the first step are not. README.md describes what each
class returns.
"""

import ctypes
import functools
import importlib.metadata
import importlib.util
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import abut
import compiled
import convex_scenes
from contestants import Contestant

CP_ANGLES = (np.radians(5.0), np.radians(0.01))  # first and last tilt of the common plane
CP_CAP = 100  # maximum number of iterations
STARTS = ("warm", "cold")
PAIRS = ("pairs", "polygons", "heap")  # kinds of scenes that list their pairs


class Stepper(Contestant):
    """A contestant that computes the contacts of a stream, step after step."""

    starts = STARTS  # warm uses the result of the last step, cold does not
    kinds = PAIRS  # kinds of scenes that it runs on

    def __init__(self, stream, threads, start):
        self.stream, self.is_warm = stream, start == "warm"

    def begin(self):
        """Compute the first step; `step` computes the others."""
        raise NotImplementedError

    def prepare(self, number):
        """Prepare a step, outside of the timing."""

    def step(self, number):
        raise NotImplementedError

    def overlaps(self):
        """The overlaps (m,) of the last step, negative for bodies apart."""
        raise NotImplementedError

    def counts(self):
        """The counts of the last step, by column."""
        return {}

    @classmethod
    def reason_against(cls, scene_name, threads):
        if convex_scenes.kind_of(scene_name) not in cls.kinds:
            return "it is for other scenes"
        return super().reason_against(scene_name, threads)


# ---- abut ----------------------------------------------------------------------------------------


class Method(Stepper):
    """A method of abut, without contact points."""

    module = package = "abut"
    method, spots = "slm", False
    kinds = (*PAIRS, "cubes")

    def __init__(self, stream, threads, start):
        super().__init__(stream, threads, start)
        shapes = [shape_of(solid) for solid in stream.solids]
        options = {"method": self.method, "cp_angles": CP_ANGLES, "iterations": CP_CAP}
        bodies = {"shape": stream.solid, "scales": stream.scales}
        self.finder = abut.ConvexFinder(shapes, **bodies, **options)
        self.options = {"pairs": stream.pairs, "gap": stream.gap, "spots": self.spots}
        self.options["workers"] = threads

    def begin(self):
        self.found = self.find(0, None)

    def step(self, number):
        self.found = self.find(number, self.found if self.is_warm else None)

    def find(self, number, before):
        poses = self.stream.positions[number], self.stream.orientations[number]
        return self.finder.find(*poses, before=before, **self.options)

    def overlaps(self):
        return self.found.overlap

    def counts(self):
        found = self.found
        told = {
            "within_two": np.count_nonzero(found.iterations <= 2),
            "unconverged": np.count_nonzero(found.status == abut.UNCONVERGED),
            "touching": np.count_nonzero(found.overlap >= 0),
        }
        return told | ({"spots": len(found.spot)} if self.spots else {})


def shape_of(solid):
    if solid.facets:
        return abut.ConvexShape(solid.vertices, solid.facets)
    return abut.ConvexShape(solid.vertices)


class WithSpots(Method):
    spots = True


class FastCommonPlane(Method):
    method, kinds = "fcp", PAIRS


class CommonPlane(Method):
    """Cundall's common-plane method, the reference of both papers."""

    method, kinds = "cp", PAIRS

    def counts(self):
        """The counts, with the pairs that reached the maximum number of iterations."""
        told = super().counts()
        told["capped"] = np.count_nonzero(self.found.iterations >= CP_CAP)
        return told


class DirectSearch(Method):
    method, kinds = "fds", PAIRS


class Initial(Method):
    """All entrances of each pair, without the step before."""

    kinds = ("entrances",)
    starts = ("cold",)

    def find(self, number, before):
        poses = self.stream.positions[number], self.stream.orientations[number]
        options = {"pairs": self.stream.pairs, "workers": self.options["workers"]}
        return self.finder.entrances(*poses, before=before, **options)

    def overlaps(self):
        """The overlaps by the plane that separates a pair farthest."""
        return np.minimum.reduceat(self.found.overlap, self.found.offsets[:-1])

    def counts(self):
        return {"entrances": len(self.found.overlap)}


class Updated(Initial):
    """All entrances of each pair, starting from those of the step before."""

    starts = ("warm",)


class Exclusion(DirectSearch):
    """Tests the plane of the step before: bodies that it still separates are done."""

    kinds = ("entrances",)
    starts = ("warm",)


# ---- Coal ----------------------------------------------------------------------------------------


class Coal(Stepper):
    """Coal: GJK, and EPA where bodies overlap, with its default tolerances of 1e-6 (pairs.cpp)."""

    kinds = ("pairs", "heap")
    max_threads = 1

    def __init__(self, stream, threads, start):
        super().__init__(stream, threads, start)
        self.library = coal_library()
        self.made = self.library.stream_new()
        self.add_bodies(stream)
        matrices = Rotation.from_quat(stream.orientations.reshape(-1, 4)).as_matrix()
        arrays = [as_doubles(stream.positions), as_doubles(matrices)]
        self.library.stream_add_poses(self.made, *map(address, arrays), len(matrices))
        self.distances, self.spots = np.empty(len(stream.pairs)), 0

    def add_bodies(self, stream):
        """Add a shape for each size, because Coal's bodies have no scale."""
        kinds = np.stack([stream.solid, stream.scales], axis=1)
        unique, shapes = np.unique(kinds, axis=0, return_inverse=True)
        for solid, scale in unique:
            vertices = as_doubles(scale * stream.solids[int(solid)].vertices)
            triangles = triangles_of(stream.solids[int(solid)])
            sizes = len(vertices), address(triangles), len(triangles)
            self.library.stream_add_shape(self.made, address(vertices), *sizes)
        shapes, pairs = np.array(shapes, np.uintp).ravel(), np.array(stream.pairs, np.uintp)
        self.library.stream_set_bodies(
            self.made, address(shapes), len(shapes), address(pairs), len(pairs)
        )

    def __del__(self):
        if hasattr(self, "made"):
            self.library.stream_free(self.made)

    def begin(self):
        self.library.stream_cool(self.made)
        self.search(0)

    def prepare(self, number):
        if not self.is_warm:
            self.library.stream_cool(self.made)

    def step(self, number):
        self.search(number)

    def search(self, number):
        self.library.stream_distances(self.made, number, address(self.distances))

    def overlaps(self):
        return -self.distances

    @classmethod
    def missing(cls):
        return compiled.reason_of(coal_library)

    @classmethod
    def version(cls):
        return coal_library().coal_version().decode()


class CoalPatches(Coal):
    """Coal with contact points: its contact patches."""

    def search(self, number):
        self.spots = self.library.stream_patches(self.made, number, address(self.distances))

    def counts(self):
        return {"spots": self.spots}


def as_doubles(array):
    return np.ascontiguousarray(array, np.float64)


def address(array):
    return array.ctypes.data


def triangles_of(solid):
    """The triangles of a solid: each facet as a fan."""
    fans = [(f[0], f[k], f[k + 1]) for f in solid.facets for k in range(1, len(f) - 1)]
    return np.array(fans, np.uintp)


@functools.cache
def coal_library():
    """The shared library of coal_pairs/pairs.cpp, linked with the Coal that pip installed."""
    found = importlib.util.find_spec("coal")
    if not found:
        raise ImportError("No module named 'coal'")
    prefix = Path(found.origin).parents[
        4
    ]  # the prefix of cmeel, which contains Python's packages, too
    options = [f"-I{prefix}/include", f"-I{prefix}/include/eigen3", f"-L{prefix}/lib", "-lcoal"]
    library = compiled.library(
        Path(__file__).parent / "coal_pairs/pairs.cpp", [*options, f"-Wl,-rpath,{prefix}/lib"]
    )
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    types = {
        "coal_version": (ctypes.c_char_p, []),
        "stream_new": (pointer, []),
        "stream_add_shape": (None, [pointer, pointer, size, pointer, size]),
        "stream_set_bodies": (None, [pointer, pointer, size, pointer, size]),
        "stream_add_poses": (None, [pointer, pointer, pointer, size]),
        "stream_free": (None, [pointer]),
        "stream_cool": (None, [pointer]),
        "stream_distances": (None, [pointer, size, pointer]),
        "stream_patches": (size, [pointer, size, pointer]),
    }
    return compiled.declare(library, types)


CONTESTANTS = {
    "slm": Method,
    "slm-spots": WithSpots,
    "fcp": FastCommonPlane,
    "cp": CommonPlane,
    "fds": DirectSearch,
    "coal": Coal,
    "coal-patches": CoalPatches,
    "initial": Initial,
    "updated": Updated,
    "exclusion": Exclusion,
}
