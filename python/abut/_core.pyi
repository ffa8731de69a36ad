from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar, final, overload

import numpy as np
from numpy.typing import NDArray

_Doubles: TypeAlias = NDArray[np.float64]
_OwnLaw: TypeAlias = tuple[int, _Doubles, int, int, int, float]
_Indices: TypeAlias = NDArray[np.intp]
_Bytes: TypeAlias = NDArray[np.uint8]
_Columns: TypeAlias = dict[str, NDArray[Any]]
_T = TypeVar("_T")
# materials, starts, poses, offsets, motions, half spaces, number of walls that are off, vertices
_Walls: TypeAlias = tuple[_Indices, _Doubles, _Doubles, _Indices, _Doubles, _Doubles, int, _Indices]
_Statistics: TypeAlias = tuple[int, int, int, int, int, int, int, int, int, int]
_PairStatistics: TypeAlias = tuple[
    int, int, int, int, _Doubles, _Doubles, _Indices, _Indices, _Indices, _Indices, _Indices
]
_Notice: TypeAlias = tuple[int, int, int, int, int, float]
_WallLoad: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float], float]
_Step: TypeAlias = tuple[
    _Indices,
    _Indices | None,
    _Doubles,
    _Doubles,
    _Doubles,
    _Indices | None,
    _Indices,
    _Indices,
    _Doubles | None,
    _Doubles | None,
]
_PairStep: TypeAlias = (
    tuple[_Indices | int, _Indices, _Indices, _Doubles, _Indices | None, int, int]
    | tuple[int, _Indices, _Indices, _Doubles, _Indices | None, int, int, _Indices | None]
)

FACET: Final = 0
EDGE: Final = 1
VERTEX: Final = 2
HIERARCHY: Final = 0
ALL: Final = 1
SHARING: Final = 2
SPLIT_ALL: Final = 2
WACHSPRESS: Final = 0
ZHONG: Final = 1
TOP_DOWN: Final = 0
BOTTOM_UP: Final = 1
LEVEL_LIMIT: Final = 64
SHORTEST_LINK: Final = 0
FAST_COMMON_PLANE: Final = 1
COMMON_PLANE: Final = 2
DIRECT_SEARCH: Final = 3
TRACKED: Final = 0
GLOBAL: Final = 1
SEPARATED: Final = 0
TOUCHING: Final = 1
OVERLAPPING: Final = 2
UNCONVERGED: Final = 3
CONVEX_STATE: Final = 12
SLOT_LIMIT: Final = 32767
SLOT_KEYS: Final = 6
SLOT_STATES: Final = 15
# these numbers are internal to the library, and may change
LAW_MISSING: int
LAW_NOT_FINITE: int
LAW_RADIUS: int
SPHERE_LOST: int
BOND_ITSELF: int
BOND_TWICE: int
BOND_IN_CLUSTER: int
BOND_TOO_SHORT: int
BOND_STIFFNESS: int
BODY_LAW: int
BODY_CURVATURE: int
BODY_LOST: int
WALL_LOST: int
CELL_SMALL: int
CELL_LARGE: int
BODY_IMAGES: int
BODY_MANY_IMAGES: int
BODY_TOO_SMALL: int
TOO_MANY_IMAGES: int
DRIVE_NUMBERS: int
STEP_TERMS: int
CELL_NUMBERS: int
HOLD_NUMBERS: int
OUT_OF_BOUNDS: int
LAW_NUMBERS: Final[tuple[str, ...]]
LAW_INPUTS: Final[tuple[tuple[str, int], ...]]
LAW_OUTPUTS: Final[tuple[tuple[str, int], ...]]
LAW_BLOCK: Final[tuple[tuple[str, int], ...]]
LAW_ROWS: int
LAW_HISTORY: int
CLUSTERS: int
BODIES: int
SPHERES: int
BONDS: int
BREAKAGES: int
RESTS: int
GRAINS: int
HERTZ: int
LINEAR: int
USER_LAW: int
NO_ROLLING: int
ROLLING_A: int
ROLLING_C: int
NO_COHESION: int
JKR: int
DMT: int
LIQUID_BRIDGE: int
LUDING: int
BODY_WALL: int
BODY_BODY: int
BODY_SPHERE: int
SPHERE_WALL: int
SPHERE_SPHERE: int
COORDINATE_LIMIT: Final = 1e75

def columns(table: str, /) -> tuple[tuple[str, str, int, str, str, str, str], ...]: ...
def has_openmp() -> bool: ...
def simd() -> str: ...
def simd_levels() -> list[str]: ...
def set_simd(name: str | None, /) -> None: ...
def share(normals: _Doubles, overlaps: _Doubles, exponent: float, /) -> _Doubles: ...
def match(now: _Step, before: _Step, earlier: _Indices, workers: int, /) -> _Indices: ...
def carry(
    now: _Step, before: _Step, match: _Indices, tangent: _Doubles, workers: int, /
) -> _Doubles: ...
def match_pairs(
    now: _PairStep,
    before: _PairStep,
    earlier: _Indices | None,
    other_earlier: _Indices | None,
    workers: int,
    /,
) -> _Indices: ...
def carry_pairs(
    now: _PairStep,
    before: _PairStep,
    earlier: _Indices | None,
    other_earlier: _Indices | None,
    match: _Indices,
    tangent: _Doubles,
    workers: int,
    /,
) -> _Doubles: ...
def damping_ratio(restitution: float, /) -> float: ...
def law_reach(numbers: _Doubles, radius: float, /) -> tuple[float, float]: ...
def apply_law(
    law: _OwnLaw | _Doubles,
    step: float,
    count: int,
    inputs: _Doubles,
    history: _Doubles,
    repeats: int,
    /,
) -> tuple[_Doubles, _Doubles]: ...
def spots_match(
    now_offsets: _Indices,
    now_type: _Bytes,
    now_feature: _Indices,
    before_offsets: _Indices,
    before_type: _Bytes,
    before_feature: _Indices,
    row_match: _Indices,
    swapped: _Bytes | None,
    /,
) -> _Indices: ...

@final
class Mesh:
    def __new__(
        cls,
        vertices: _Doubles,
        indices: _Indices,
        offsets: _Indices,
        units: _Doubles | None,
        noise: _Doubles | None,
        normal_noise: _Doubles | None,
        drop_zero_area: bool,
        split: int,
        numbers: _Indices | None,
    ) -> Mesh: ...
    vertices: Final[_Doubles]
    indices: Final[_Indices]
    offsets: Final[_Indices]
    source: Final[_Indices]
    normals: Final[_Doubles]
    areas: Final[_Doubles]
    noise: Final[_Doubles]
    normal_noise: Final[_Doubles]
    noise_origin: Final[NDArray[np.uint8]]
    doubt: Final[tuple[int, int, int, float]]
    bytes: Final[int]
    def deviations(self) -> list[int]: ...
    def moved(self, vertices: _Doubles, workers: int, /) -> Mesh: ...

@final
class Finder:
    def __new__(cls, meshes: tuple[Mesh, ...]) -> Finder: ...
    def find(
        self,
        centers: _Doubles,
        radii: _Doubles,
        gap: float,
        flat_angle: float,
        resolution: int,
        exponent: float,
        keep_zero: bool,
        weights: int,
        half_spaces: _Doubles | None,
        poses: _Doubles | None,
        period: _Doubles | None,
        workers: int,
        /,
    ) -> _Columns: ...
    def update(self, number: int, mesh: Mesh, /) -> None: ...
    def prepare(self, reach: float, /) -> None: ...
    def statistics(self) -> _Statistics: ...

@final
class PairFinder:
    def __new__(
        cls,
        dimension: int,
        radii: _Doubles,
        gap: float,
        gaps: _Doubles | None,
        sizes: _Doubles | None,
        levels: int,
        search: int,
        period: _Doubles | None,
        workers: int,
        lender: PairFinder | None,
    ) -> PairFinder: ...
    def find(
        self,
        centers: _Doubles,
        other_centers: _Doubles | None,
        other_radii: _Doubles | None,
        other_gaps: _Doubles | None,
        workers: int,
        /,
    ) -> _Columns: ...
    def sizes(self) -> _Doubles: ...
    def statistics(self) -> _PairStatistics: ...

@final
class Lock:
    def __enter__(self) -> Lock: ...
    def __exit__(self, *error: object) -> None: ...

@final
class Simulation:
    def __new__(
        cls, step: float, gravity: _Doubles, period: _Doubles, resolution: int, workers: int
    ) -> Simulation: ...
    @property
    def known(self) -> Any: ...
    @property
    def change_count(self) -> int: ...
    def lock(self, is_of_run: bool, /) -> Lock: ...
    def lend(self, call: Callable[[], _T], /) -> _T: ...
    def note(self, known: object, /) -> None: ...
    def set_laws(
        self, materials: int, laws: _Doubles, own: tuple[_OwnLaw, ...], known: object, /
    ) -> None: ...
    def set_walls(
        self,
        finder: Finder | None,
        walls: _Walls,
        before: _Indices,
        placed: tuple[_Indices, _Doubles],
        driven: tuple[_Indices, _Doubles],
        known: object,
        /,
    ) -> None: ...
    def place(self, wall: int, state: _Doubles, /) -> None: ...
    def set_drive(self, wall: int, drive: _Doubles, /) -> None: ...
    def drive(self, wall: int, /) -> _Doubles: ...
    def wall(self, number: int, /) -> _Doubles: ...
    def wall_now(self, number: int, /) -> _Doubles: ...
    def deform(self, wall: int, mesh: Mesh, velocities: _Doubles, known: object, /) -> None: ...
    def nodal_forces(self, wall: int, vertices: int, /) -> _Doubles: ...
    def restore_surface(
        self, wall: int, before: _Doubles, velocities_before: _Doubles, velocities: _Doubles, /
    ) -> None: ...
    def load(self, wall: int, /) -> _WallLoad: ...
    def add(
        self, population: int, rows: _Columns, members: _Columns, known: object, /
    ) -> tuple[int, int, int, float] | None: ...
    def remove(self, population: int, is_gone: _Bytes, known: object, /) -> None: ...
    @overload
    def read(self, population: int, name: None = None, /) -> _Columns: ...
    @overload
    def read(self, population: int, name: str, /) -> NDArray[Any]: ...
    def assign(self, population: int, columns: _Columns, /) -> None: ...
    def apply(
        self, population: int, forces: _Doubles | None, torques: _Doubles | None, /
    ) -> None: ...
    def counts(self) -> tuple[int, int, int, int, int, int, int]: ...
    def stable_step(self, kind: int, /) -> tuple[float, int, int]: ...
    def set_shapes(self, shapes: tuple[Shape, ...], /) -> None: ...
    def restore_breakages(self, breakages: _Columns, rests: _Columns, /) -> None: ...
    def run(self, steps: int, /) -> tuple[int, int, int, float] | None: ...
    def interactions(self, kind: int, /) -> _Columns: ...
    def restore(
        self, steps: int, account: _Doubles, terms: _Doubles, walls: _Doubles, /
    ) -> None: ...
    def set_step(self, step: float, gravity: _Doubles | None, known: object, /) -> None: ...
    def clear_images(self, population: int, /) -> None: ...
    def set_workers(self, workers: int, /) -> int: ...
    def cell(self) -> _Doubles: ...
    def deform_cell(
        self, gradient: _Doubles, affine: bool, hold: _Doubles | None, known: object, /
    ) -> None: ...
    def set_targets(self, targets: _Doubles, largest_rate: float, /) -> None: ...
    def set_deformation(self, deformation: _Doubles, /) -> None: ...
    def restore_cell(self, cell: _Doubles, /) -> None: ...
    def terms(self) -> _Doubles: ...
    def set_bounds(self, bounds: _Doubles | None, stops: bool, known: object, /) -> None: ...
    def outside(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
    def touching(self, centers: _Doubles, radii: _Doubles, /) -> NDArray[np.uint8]: ...
    def left_count(self) -> int: ...
    def order(self) -> tuple[NDArray[np.intp], int]: ...
    def restore_order(self, order: NDArray[np.intp], step: int, /) -> None: ...
    def restore_interactions(self, kind: int, columns: _Columns, /) -> None: ...
    def law_case(self) -> tuple[int, _Doubles, _Doubles, _Doubles, _Doubles]: ...
    def account(self) -> _Doubles: ...
    def energy(self) -> tuple[float, float, float, float, float, float]: ...
    def notices(
        self,
    ) -> tuple[_Notice | None, _Notice | None, _Notice | None, int, float] | None: ...
    def statistics(self) -> dict[str, Any]: ...

@final
class Coupling:
    def __new__(
        cls,
        handle: int,
        functions: dict[str, int],
        meshes: tuple[Mesh, ...],
        material_count: int,
        laws: _Doubles,
        walls: _Walls,
        order: _Indices,
        name: str,
        group_bit: int,
        id_bytes: int,
        slots: int,
        resolution: int,
        on_step: Callable[[float], object] | None,
        on_sum: Callable[[memoryview], object] | None,
        on_error: Callable[[BaseException], object] | None,
    ) -> Coupling: ...
    callback: Final[int]
    pointer: Final[int]
    @property
    def period(self) -> tuple[float, float, float]: ...
    def place(self, wall: int, state: _Doubles, /) -> None: ...
    def wall(self, number: int, /) -> _Doubles: ...
    def wall_now(self, number: int, /) -> _Doubles: ...
    def set_walls(self, walls: _Walls, /) -> None: ...
    def now(self) -> float: ...
    def loads(self) -> _Doubles: ...
    def stable_step(self) -> float: ...
    def free_step(
        self, count: int, radii: _Doubles, masses: _Doubles, speeds: _Doubles, /
    ) -> float: ...
    def interactions(self, kind: int, /) -> _Columns: ...
    def ids(self) -> _Indices: ...
    def raise_error(self) -> None: ...
    def statistics(self) -> tuple[int, float, float, float, int, int, int]: ...

@final
class Shape:
    def __new__(
        cls, vertices: _Doubles, indices: _Indices, offsets: _Indices, radius: float
    ) -> Shape: ...
    dimension: Final[int]
    vertices: Final[_Doubles]
    indices: Final[_Indices]
    offsets: Final[_Indices]
    edges: Final[_Indices]
    edge_facets: Final[_Indices]
    normals: Final[_Doubles]
    source: Final[_Indices]
    radius: Final[float]
    centroid: Final[_Doubles]
    volume: Final[float]
    inertia: Final[_Doubles | float]
    circumradius: Final[float]

@final
class ConvexFinder:
    def __new__(
        cls,
        shapes: tuple[Shape, ...],
        body_count: int,
        numbers: _Indices | None,
        scales: _Doubles | None,
        method: int,
        patch_angle: float,
        cp_first: float,
        cp_last: float,
        iterations: int,
    ) -> ConvexFinder: ...
    def find(
        self,
        positions: _Doubles,
        orientations: _Doubles | None,
        i: _Indices | None,
        j: _Indices | None,
        all_rows: bool,
        gap: float,
        before: tuple[_Indices, _Indices, _Indices | None, _Doubles] | None,
        minimum: int,
        spots: bool,
        period: _Doubles | None,
        workers: int,
        /,
    ) -> _Columns: ...
    def find_walls(
        self,
        positions: _Doubles,
        orientations: _Doubles | None,
        gap: float,
        before: tuple[_Indices, _Indices, _Indices, _Doubles] | None,
        spots: bool,
        walls: tuple[Finder | None, _Doubles | None, _Doubles | None],
        workers: int,
        /,
    ) -> _Columns: ...
    def entrances(
        self,
        positions: _Doubles,
        orientations: _Doubles | None,
        i: _Indices,
        j: _Indices,
        before: tuple[_Indices, _Bytes, _Indices] | None,
        period: _Doubles | None,
        workers: int,
        /,
    ) -> _Columns: ...
