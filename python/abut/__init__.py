"""Contacts of spheres with meshes and with each other, and their motion in time (DEM).

>>> import abut, numpy as np
>>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
>>> centers = np.array([[0.5, 0.5, 0.09], [1.05, 0.5, 0.0], [0.5, 0.5, 0.3]])
>>> contacts = abut.find_contacts(centers, 0.1, mesh)
>>> contacts
Contacts(2 of 3 spheres: 1 facet, 1 edge, 0 vertex)

`abut.read_mesh("drum.stl", scale=1e-3)` reads a mesh from a file. The result is a table with a row
for each contact, sorted by sphere:

>>> contacts.sphere, contacts.facet
(array([0, 1]), array([0, 0]))
>>> contacts.type                         # abut.FACET, EDGE, VERTEX = 0, 1, 2
array([0, 1], dtype=uint8)
>>> contacts.overlap.round(9)             # radius - distance
array([0.01, 0.05])
>>> contacts.normal                       # from the mesh to the sphere's center
array([[0., 0., 1.],
       [1., 0., 0.]])
>>> contacts.offsets                      # the contacts of sphere i are offsets[i]:offsets[i + 1]
array([0, 1, 2, 2])

If ``forces`` are the contacts' forces on the spheres, those on the vertices are ``W.T @ -forces``
with ``W = contacts.weight_matrix()``. To query one mesh many times, build a finder once:

>>> finder = abut.ContactFinder(mesh)
>>> len(finder.find(centers, 0.1, resolution="all"))
2

`find_pairs` finds pairs of spheres of any sizes by a hierarchical grid, in space or in the plane.
The result is a table, too, sorted by i, then j. For many queries use a `PairFinder`:

>>> pairs = abut.find_pairs([[0, 0, 0], [0.19, 0, 0], [0.19, 0.12, 0]], [0.1, 0.1, 0.03])
>>> pairs.i, pairs.j, pairs.overlap.round(9)
(array([0, 1]), array([1, 2]), array([0.01, 0.01]))

`find_convex_contacts` finds contacts of convex polygons and polyhedra, in any number of shapes,
sizes and orientations. Forces act at their contact points:

>>> cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
>>> contacts = abut.find_convex_contacts(cube, [[0, 0, 0], [0.5, 0.5, 1.875]])
>>> contacts.overlap, len(contacts.spot), abut.VERTEX in contacts.spot_type
(array([0.125]), 4, True)

A `Simulation` moves spheres by contact laws, between walls. Here a sphere falls on the mesh and
comes to rest:

>>> grain, steel = abut.Material(density=2500, young=1e7), abut.Material()
>>> sim = abut.Simulation(step=1e-4)
>>> sim.set_law(grain, steel, abut.Hertz(friction=0.5, restitution=0.1))
>>> floor = sim.add_wall(mesh, steel)
>>> ids = sim.add_spheres([[0.5, 0.5, 0.11]], 0.1, grain)
>>> sim.run(1.0)
>>> floor.force.round(2), (-9.81 * sim.masses[0]).round(2)
(array([   0.  ,    0.  , -102.73]), np.float64(-102.73))

Vector code for AVX2 and AVX-512 is used if the machine has them. The environment variable
``ABUT_SIMD``, read at import, sets a lower level: ``baseline``, ``v3`` (AVX2) or ``v4`` (AVX-512).
Any other name is an error when a query starts.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from .base.simd import choose_level

# for type checkers and editors; at run time _NAMES has the same names
if TYPE_CHECKING:
    from . import examples, grid, laws
    from .base.config import show_config
    from .base.threads import set_num_threads
    from .base.warnings import MeshWarning, SimulationWarning
    from .io import load_contacts, load_convex_contacts, load_pairs, read_mesh, read_spheres
    from .io.frame import Frame
    from .io.frames import Frames, read_frames
    from .io.local_dump import read_pairs
    from .io.spheres import Spheres
    from .laws.materials import Material
    from .laws.plain import Hertz, Linear
    from .plot.simulations import view
    from .results.bonds import Bonds, Breakages
    from .results.chunks import concatenate
    from .results.contacts import EDGE, FACET, VERTEX, Contacts
    from .results.convex_contacts import (
        OVERLAPPING,
        SEPARATED,
        TOUCHING,
        UNCONVERGED,
        ConvexContacts,
    )
    from .results.entrances import Entrances
    from .results.pairs import Pairs
    from .search.convex_finder import ConvexFinder, find_convex_contacts
    from .search.finder import ContactFinder, find_contacts
    from .search.half_space import HalfSpace
    from .search.mesh import Mesh
    from .search.pair_finder import PairFinder, find_pairs
    from .search.shape import ConvexShape
    from .simulation.body_contacts import BodyContacts
    from .simulation.bonds import Bond
    from .simulation.clusters import Cluster
    from .simulation.coarse_graining import coarse_grain
    from .simulation.drives import Free, Servo
    from .simulation.frames import write_dump, write_frames
    from .simulation.handle import Handle
    from .simulation.insertion import Insertion
    from .simulation.motions import Motions, Oscillating, Rotating, Translating
    from .simulation.packing import pack
    from .simulation.quiet import quiet
    from .simulation.record import Record
    from .simulation.restart import load_simulation
    from .simulation.simulation import Simulation
    from .simulation.sizes import Sizes
    from .simulation.triaxial import triaxial
    from .simulation.walls import Wall

    __version__: str

choose_level()

__all__ = [
    "EDGE",
    "FACET",
    "OVERLAPPING",
    "SEPARATED",
    "TOUCHING",
    "UNCONVERGED",
    "VERTEX",
    "BodyContacts",
    "Bond",
    "Bonds",
    "Breakages",
    "Cluster",
    "ContactFinder",
    "Contacts",
    "ConvexContacts",
    "ConvexFinder",
    "ConvexShape",
    "Entrances",
    "Frame",
    "Frames",
    "Free",
    "HalfSpace",
    "Handle",
    "Hertz",
    "Insertion",
    "Linear",
    "Material",
    "Mesh",
    "MeshWarning",
    "Motions",
    "Oscillating",
    "PairFinder",
    "Pairs",
    "Record",
    "Rotating",
    "Servo",
    "Simulation",
    "SimulationWarning",
    "Sizes",
    "Spheres",
    "Translating",
    "Wall",
    "coarse_grain",
    "concatenate",
    "examples",
    "find_contacts",
    "find_convex_contacts",
    "find_pairs",
    "grid",
    "laws",
    "load_contacts",
    "load_convex_contacts",
    "load_pairs",
    "load_simulation",
    "pack",
    "quiet",
    "read_frames",
    "read_mesh",
    "read_pairs",
    "read_spheres",
    "set_num_threads",
    "show_config",
    "triaxial",
    "view",
    "write_dump",
    "write_frames",
]

# Public names by module. A module is imported when one of its names is first used, so `import abut`
# takes hardly longer than NumPy.
_NAMES = {
    "base.config": ("show_config",),
    "base.threads": ("set_num_threads",),
    "base.warnings": ("MeshWarning", "SimulationWarning"),
    "io": ("load_contacts", "load_convex_contacts", "load_pairs", "read_mesh", "read_spheres"),
    "io.frame": ("Frame",),
    "io.frames": ("Frames", "read_frames"),
    "io.local_dump": ("read_pairs",),
    "io.spheres": ("Spheres",),
    "laws.materials": ("Material",),
    "laws.plain": ("Hertz", "Linear"),
    "plot.simulations": ("view",),
    "results.bonds": ("Bonds", "Breakages"),
    "results.chunks": ("concatenate",),
    "results.contacts": ("EDGE", "FACET", "VERTEX", "Contacts"),
    "results.convex_contacts": (
        "OVERLAPPING",
        "SEPARATED",
        "TOUCHING",
        "UNCONVERGED",
        "ConvexContacts",
    ),
    "results.entrances": ("Entrances",),
    "results.pairs": ("Pairs",),
    "search.convex_finder": ("ConvexFinder", "find_convex_contacts"),
    "search.finder": ("ContactFinder", "find_contacts"),
    "search.half_space": ("HalfSpace",),
    "search.mesh": ("Mesh",),
    "search.pair_finder": ("PairFinder", "find_pairs"),
    "search.shape": ("ConvexShape",),
    "simulation.body_contacts": ("BodyContacts",),
    "simulation.bonds": ("Bond",),
    "simulation.clusters": ("Cluster",),
    "simulation.coarse_graining": ("coarse_grain",),
    "simulation.frames": ("write_dump", "write_frames"),
    "simulation.handle": ("Handle",),
    "simulation.insertion": ("Insertion",),
    "simulation.drives": ("Free", "Servo"),
    "simulation.motions": ("Motions", "Oscillating", "Rotating", "Translating"),
    "simulation.packing": ("pack",),
    "simulation.quiet": ("quiet",),
    "simulation.record": ("Record",),
    "simulation.restart": ("load_simulation",),
    "simulation.simulation": ("Simulation",),
    "simulation.triaxial": ("triaxial",),
    "simulation.sizes": ("Sizes",),
    "simulation.walls": ("Wall",),
}

_HOMES = {name: module for module, names in _NAMES.items() for name in names}

# new homes of names that were in this module up to version 0.2
_MOVED = {
    "grid": ("Work", "cell_sizes", "expected_work"),
    "laws": (
        *("CompiledLaw", "Contact", "DMT", "Force", "JKR", "LiquidBridge", "RollingA", "RollingC"),
        *("Vector", "check_law", "damping_ratio", "force", "get_include", "hertz", "jkr", "law"),
        *("roll", "slide"),
    ),
    "search.statistics": ("PairStatistics", "SimulationStatistics", "Statistics"),
}
_NEW_HOMES = {name: module for module, names in _MOVED.items() for name in names}

# hidden from type checkers, which would accept any name
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            found = getattr(import_module(f"abut.{_HOMES[name]}"), name)
        elif name in _NAMES or name in ("examples", "grid", "laws"):
            found = import_module(f"abut.{name}")
        elif name in _NEW_HOMES:
            # not cached, so that each use gives the warning
            return _moved(name, _NEW_HOMES[name])
        elif name == "__version__":
            found = import_module("importlib.metadata").version("abut")
        else:
            raise AttributeError(f"module 'abut' has no attribute {name!r}")
        globals()[name] = found
        return found


def _moved(name: str, module: str) -> Any:
    """A name that has moved to another module, with a warning that names its new home."""
    # stacklevel 3 is the caller of `__getattr__`
    warn(f"abut.{name} is deprecated: use abut.{module}.{name}", DeprecationWarning, stacklevel=3)
    return getattr(import_module(f"abut.{module}"), name)


def __dir__() -> list[str]:
    couplings = [name for name in ("dask", "lammps") if name in globals()]
    return sorted([*__all__, *couplings])
