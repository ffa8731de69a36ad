"""Ways to find the facets that spheres touch: one class each, abut's and its rivals'.

Only `search` is timed; the constructor and `prepare`, which converts the spheres, are not.
README.md describes what each class returns.
"""

import contextlib
import ctypes
import functools
import importlib
import importlib.metadata
import os
import time
from pathlib import Path

import numpy as np

import abut
import compiled

CHUNK = 100_000  # spheres whose pairs are counted at once


class Contestant:
    """A search made ready for one mesh and one number of threads."""

    module = package = ""  # as imported, and as installed
    is_closest_only = False  # whether it finds one facet per sphere instead of all touched facets
    sphere_limit = None  # it searches at most this many of the scene's first spheres
    max_threads = None
    is_searched = True  # whether it runs on other scenes than `build`

    def __init__(self, scene, threads):
        raise NotImplementedError

    def prepare(self, centers, radii):
        """The spheres in the rival's own form, as `search` takes them."""
        return centers, radii

    def search(self, spheres):
        """The contacts, as the caller keeps them."""
        raise NotImplementedError

    def counts(self, spheres, result):
        """Number of touching facets of each sphere; 0 or 1 where only the closest is found."""
        raise NotImplementedError

    def renew(self):
        """Discard what searches have built; returns the seconds for building it anew, or None."""
        return None

    @classmethod
    def missing(cls):
        """Why the contestant cannot take part, or None."""
        try:
            importlib.import_module(cls.module)
        except (ImportError, OSError) as error:
            return str(error).splitlines()[0]
        return None

    @classmethod
    def reason_against(cls, scene_name, threads):
        """Why the contestant skips a scene with any of these numbers of threads, or None."""
        if not cls.is_searched and scene_name != "build":
            return "it finds nothing, and is for the scene build"
        if cls.max_threads and min(threads) > cls.max_threads:
            return f"it runs on {cls.max_threads} thread at most, not on {min(threads)}"
        return None

    @staticmethod
    def facet_count(scene):
        """The number of facets that the contestant searches."""
        return len(scene.facets)

    @classmethod
    def version(cls):
        return importlib.metadata.version(cls.package)

    @classmethod
    def build_seconds(cls, scene, threads):
        """Seconds of the constructor, plus the first search's time beyond the second's."""
        begin = time.perf_counter()
        made = cls(scene, threads)
        return time.perf_counter() - begin + first_search_seconds(made, scene)


def first_search_seconds(contestant, scene):
    spheres = contestant.prepare(scene.centers, scene.radii)
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        contestant.search(spheres)
        times.append(time.perf_counter() - begin)
    return times[0] - times[1]


class Abut(Contestant):
    """abut: all columns of the contacts that the double hierarchy keeps."""

    module = package = "abut"

    def __init__(self, scene, threads):
        facets = scene.facets if scene.polygons is None else scene.polygons
        self.mesh = abut.Mesh(scene.vertices, facets)
        self.triangles = scene.vertices, scene.facets
        self.finder = abut.ContactFinder(self.mesh)
        self.threads = threads

    def search(self, spheres):
        return self.finder.find(*spheres, workers=self.threads)

    def renew(self):
        """Make a new finder; searches build its bins."""
        begin = time.perf_counter()
        self.finder = abut.ContactFinder(self.mesh)
        return time.perf_counter() - begin

    @staticmethod
    def facet_count(scene):
        """The number of polygons; rivals search the triangles that these are cut into."""
        if scene.polygons is None:
            return len(scene.facets)
        _, offsets = scene.polygons
        return len(offsets) - 1

    @functools.cached_property
    def triangle_finder(self):
        """A finder for the mesh cut into triangles, to count touching facets as rivals do."""
        return abut.ContactFinder(abut.Mesh(*self.triangles))

    def counts(self, spheres, result):
        finder = self.triangle_finder
        counts = [np.empty(0, np.intp)]
        for begin in range(0, len(spheres[1]), CHUNK):
            some = [column[begin : begin + CHUNK] for column in spheres]
            counts.append(finder.find(*some, resolution="all", workers=-1).counts)
        return np.concatenate(counts)

    @classmethod
    def build_seconds(cls, scene, threads):
        """Seconds for building the bins; the mesh is already checked and welded."""
        made = cls(scene, threads)
        begin = time.perf_counter()
        made.finder = abut.ContactFinder(made.mesh)
        return time.perf_counter() - begin + first_search_seconds(made, scene)


class AbutMesh(Abut):
    """abut on the scene `build`: the mesh alone."""

    is_searched = False

    @classmethod
    def build_seconds(cls, scene, threads):
        begin = time.perf_counter()
        abut.Mesh(scene.vertices, scene.facets)
        return time.perf_counter() - begin


class Embree(Contestant):
    """Embree: numbers of touching facets, by a point query of constant radius (touching.cpp)."""

    def __init__(self, scene, threads):
        self.library, self.threads = embree_library(), threads
        vertices = np.ascontiguousarray(scene.vertices, np.float64)
        facets = np.ascontiguousarray(scene.facets, np.uint32)
        self.tree = self.library.tree_build(
            vertices.ctypes.data, len(vertices), facets.ctypes.data, len(facets), threads
        )

    def __del__(self):
        if hasattr(self, "tree"):
            self.library.tree_free(self.tree)

    def prepare(self, centers, radii):
        return np.ascontiguousarray(centers, np.float64), np.ascontiguousarray(radii, np.float64)

    def search(self, spheres):
        centers, radii = spheres
        return self.library.tree_search(
            self.tree, centers.ctypes.data, radii.ctypes.data, len(radii), self.threads
        )

    def renew(self):
        """Do nothing, because searches build nothing."""
        return self.library.tree_build_seconds(self.tree)

    def counts(self, spheres, result):
        counts = (ctypes.c_uint32 * len(spheres[1])).from_address(
            self.library.tree_counts(self.tree)
        )
        return np.array(counts, np.intp)

    @classmethod
    def missing(cls):
        return compiled.reason_of(embree_library)

    @classmethod
    def version(cls):
        number = embree_library().tree_version()
        return f"{number // 10_000}.{number // 100 % 100}.{number % 100}"

    @classmethod
    def build_seconds(cls, scene, threads):
        """Seconds for building the tree alone; Embree has the vertices and facets already."""
        made = cls(scene, threads)
        return made.library.tree_build_seconds(made.tree)


@functools.cache
def embree_library():
    """The shared library of embree/touching.cpp, linked with Embree 4, or else 3."""
    source = Path(__file__).parent / "embree/touching.cpp"
    pointer, size, count = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    types = {
        "tree_build": (pointer, [pointer, size, pointer, size, count]),
        "tree_build_seconds": (ctypes.c_double, [pointer]),
        "tree_counts": (pointer, [pointer]),
        "tree_free": (None, [pointer]),
        "tree_search": (size, [pointer, pointer, pointer, size, count]),
        "tree_version": (count, []),
    }
    return compiled.declare(compiled.library(source, ["-lembree4"], ["-lembree3"]), types)


class Warp(Contestant):
    """Warp: numbers of touching facets in single precision, by mesh_query_sphere on the CPU."""

    module, package = "warp", "warp-lang"
    max_threads = 1

    def __init__(self, scene, threads):
        wp = quiet_warp()
        self.kernel = warp_kernel()
        self.mesh = wp.Mesh(*warp_triangles(scene))
        self.numbers = wp.empty(1, dtype=int, device="cpu")
        self.cursor = wp.zeros(1, dtype=int, device="cpu")

    def prepare(self, centers, radii):
        """Single-precision spheres, and memory for the numbers of their facets."""
        import warp as wp

        spheres = [
            wp.array(centers.astype(np.float32), dtype=wp.vec3, device="cpu"),
            wp.array(radii.astype(np.float32), dtype=float, device="cpu"),
            wp.empty(len(radii), dtype=int, device="cpu"),
        ]
        needed = self.search(spheres)
        if needed > len(self.numbers):
            self.numbers = wp.zeros(needed, dtype=int, device="cpu")
        return spheres

    def search(self, spheres):
        import warp as wp

        self.cursor.zero_()
        inputs = [self.mesh.id, *spheres, self.numbers, self.cursor]
        wp.launch(self.kernel, dim=len(spheres[1]), inputs=inputs, device="cpu")
        return int(self.cursor.numpy()[0])

    def counts(self, spheres, result):
        return spheres[2].numpy().astype(np.intp)

    @classmethod
    def build_seconds(cls, scene, threads):
        wp = quiet_warp()
        triangles = warp_triangles(scene)
        begin = time.perf_counter()
        wp.Mesh(*triangles)
        return time.perf_counter() - begin


def warp_triangles(scene):
    import warp as wp

    vertices, corners = scene.vertices.astype(np.float32), scene.facets.astype(np.int32).ravel()
    return (
        wp.array(vertices, dtype=wp.vec3, device="cpu"),
        wp.array(corners, dtype=int, device="cpu"),
    )


@functools.cache
def quiet_warp():
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    return wp


@functools.cache
def warp_kernel():
    import warp as wp

    @wp.kernel
    def touching(
        mesh: wp.uint64,
        centers: wp.array(dtype=wp.vec3),
        radii: wp.array(dtype=float),
        counts: wp.array(dtype=int),
        numbers: wp.array(dtype=int),
        cursor: wp.array(dtype=int),
    ):
        sphere = wp.tid()
        facet = wp.int32(0)
        begin = cursor[0]  # needs no atomics: Warp has one thread on the CPU
        end = begin
        query = wp.mesh_query_sphere(mesh, centers[sphere], radii[sphere])
        while wp.mesh_query_next(query, facet):
            if end < numbers.shape[0]:
                numbers[end] = facet
            end += 1
        cursor[0] = end
        counts[sphere] = end - begin

    return touching


class CKDTree(Contestant):
    """SciPy: touching pairs, by a tree of facet centroids and exact distances in NumPy."""

    module = package = "scipy"
    sphere_limit = 20_000
    chunk = 2_000  # spheres per chunk; one long facet makes thousands of candidates per sphere

    def __init__(self, scene, threads):
        from scipy.spatial import cKDTree

        self.corners, self.threads = scene.vertices[scene.facets], threads
        centroids = self.corners.mean(1)
        self.reach = np.linalg.norm(self.corners - centroids[:, None], axis=2).max()
        self.tree = cKDTree(centroids)

    def search(self, spheres):
        centers, radii = spheres
        ranges = range(0, len(radii), self.chunk)
        return [
            self.touching(centers[b : b + self.chunk], radii[b : b + self.chunk], b) for b in ranges
        ]

    def touching(self, centers, radii, begin):
        near = self.tree.query_ball_point(
            centers, radii + self.reach, workers=self.threads, return_sorted=False
        )
        sphere = np.repeat(np.arange(len(near)), [len(facets) for facets in near])
        facet = np.concatenate(near).astype(np.intp)
        distance_sq = triangle_distance_sq(centers[sphere], self.corners[facet])
        is_touching = distance_sq <= radii[sphere] ** 2
        return sphere[is_touching] + begin, facet[is_touching]

    def counts(self, spheres, result):
        return np.bincount(np.concatenate([s for s, _ in result]), minlength=len(spheres[1]))


def dot(a, b):
    return np.einsum("ij,ij->i", a, b)


def triangle_distance_sq(points, corners):
    """Squared distance of each point (n, 3) from its triangle (n, 3, 3)."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    is_above = np.ones(len(points), bool)
    nearest = np.full(len(points), np.inf)
    for k in range(3):
        begin, edge = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        offset = points - begin
        is_above &= dot(np.cross(normals, edge), offset) >= 0
        along = np.clip(dot(offset, edge) / dot(edge, edge), 0.0, 1.0)
        from_edge = offset - along[:, None] * edge
        nearest = np.minimum(nearest, dot(from_edge, from_edge))
    height_sq = dot(points - corners[:, 0], normals) ** 2 / dot(normals, normals)
    return np.where(is_above, height_sq, nearest)


class Trimesh(Contestant):
    """trimesh: touching pairs, by its tree of boxes (rtree) and its exact distances."""

    module, package = "trimesh", "trimesh"
    sphere_limit = 5_000
    max_threads = 1

    def __init__(self, scene, threads):
        import trimesh

        self.mesh = trimesh.Trimesh(scene.vertices, scene.facets, process=False)
        self.tree, self.triangles = self.mesh.triangles_tree, self.mesh.triangles

    def search(self, spheres):
        from trimesh.triangles import closest_point

        centers, radii = spheres
        boxes = np.hstack([centers - radii[:, None], centers + radii[:, None]])
        near = [list(self.tree.intersection(box)) for box in boxes]
        sphere = np.repeat(np.arange(len(near)), [len(facets) for facets in near])
        facet = np.concatenate(near).astype(np.intp)
        if not len(facet):
            return sphere, facet
        offset = closest_point(self.triangles[facet], centers[sphere]) - centers[sphere]
        is_touching = dot(offset, offset) <= radii[sphere] ** 2
        return sphere[is_touching], facet[is_touching]

    def counts(self, spheres, result):
        return np.bincount(result[0], minlength=len(spheres[1]))

    @classmethod
    def missing(cls):
        try:
            importlib.import_module("rtree")
        except (ImportError, OSError) as error:
            return str(error).splitlines()[0]
        return super().missing()


class Coal(Contestant):
    """Coal: contacts of touching facets, by its bounding volumes; one Python call per sphere."""

    module = package = "coal"
    sphere_limit = 5_000
    max_threads = 1

    def __init__(self, scene, threads):
        import coal

        self.model = coal.BVHModelOBBRSS()
        self.model.beginModel(len(scene.facets), len(scene.vertices))
        self.model.addVertices(scene.vertices)
        self.model.addTriangles(scene.facets.astype(np.int64))
        self.model.endModel()
        self.request = coal.CollisionRequest(coal.CollisionRequestFlag.CONTACT, 1_000_000)

    def search(self, spheres):
        import coal

        at_origin, found = coal.Transform3s(), []
        for center, radius in zip(*spheres, strict=True):
            place, result = coal.Transform3s(np.eye(3), center), coal.CollisionResult()
            coal.collide(self.model, at_origin, coal.Sphere(radius), place, self.request, result)
            found.append(result)
        return found

    def counts(self, spheres, result):
        return np.array([found.numContacts() for found in result])


class Libigl(Contestant):
    """libigl: the closest facet and point of each center, by its tree of boxes."""

    module, package = "igl", "libigl"
    is_closest_only = True
    sphere_limit = 100_000
    max_threads = 1  # libigl reads the number from the environment only once per process

    def __init__(self, scene, threads):
        os.environ["IGL_NUM_THREADS"] = "1"
        import igl

        self.mesh = scene.vertices, np.ascontiguousarray(scene.facets, np.int64)
        self.tree = igl.AABB()
        self.tree.init(*self.mesh)

    def search(self, spheres):
        return self.tree.squared_distance(*self.mesh, spheres[0])

    def counts(self, spheres, result):
        return (result[0] <= spheres[1] ** 2).astype(np.intp)


class Fcpw(Contestant):
    """FCPW: the closest facet and point within the radius, in single precision."""

    module = package = "fcpw"
    is_closest_only = True
    sphere_limit = 100_000
    max_threads = 1  # FCPW uses all processors it finds, so it gets one

    def __init__(self, scene, threads):
        import fcpw

        self.scene = fcpw.scene_3D()
        self.scene.set_object_count(1)
        self.scene.set_object_vertices(np.asfortranarray(scene.vertices, np.float32), 0)
        self.scene.set_object_triangles(np.asfortranarray(scene.facets, np.int32), 0)
        self.scene.build(fcpw.aggregate_type.bvh_surface_area, True)

    def prepare(self, centers, radii):
        return np.asfortranarray(centers, np.float32), np.float32(radii**2)

    def search(self, spheres):
        import fcpw

        found = fcpw.interaction_3D_list()
        with one_processor():
            self.scene.find_closest_points(*spheres, found)
        return found

    def counts(self, spheres, result):
        distance = np.array([found.d for found in result], np.float32)
        return (distance <= np.sqrt(spheres[1])).astype(np.intp)


@contextlib.contextmanager
def one_processor():
    """Context in which all new threads share one processor."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


class Open3D(Contestant):
    """Open3D: the closest facet and point of each center, in single precision (by Embree)."""

    module = package = "open3d"
    is_closest_only = True

    def __init__(self, scene, threads):
        import open3d

        self.open3d, self.threads = open3d, threads
        self.scene = open3d.t.geometry.RaycastingScene(nthreads=threads)
        self.scene.add_triangles(
            open3d.core.Tensor(scene.vertices.astype(np.float32)),
            open3d.core.Tensor(scene.facets.astype(np.uint32)),
        )

    def prepare(self, centers, radii):
        return self.open3d.core.Tensor(centers.astype(np.float32)), centers, radii

    def search(self, spheres):
        return self.scene.compute_closest_points(spheres[0], nthreads=self.threads)

    def counts(self, spheres, result):
        offset = result["points"].numpy() - spheres[1]
        return (dot(offset, offset) <= spheres[2] ** 2).astype(np.intp)


CONTESTANTS = {
    "abut": Abut,
    "abut-mesh": AbutMesh,
    "embree": Embree,
    "warp": Warp,
    "ckdtree": CKDTree,
    "trimesh": Trimesh,
    "coal": Coal,
    "libigl": Libigl,
    "fcpw": Fcpw,
    "open3d": Open3D,
}
DEFAULT = ["abut", "embree", "warp", "ckdtree"]
