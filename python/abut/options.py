"""Types of options and other arguments, for annotations and editors.

>>> from abut.options import Resolution
>>> def average_overlap(centers, radii, mesh, resolution: Resolution = "sharing") -> float: ...
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar

from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from pyvista import Plotter

    from .search.mesh import Mesh
    from .simulation.walls import Wall

__all__ = [
    "At",
    "Backend",
    "Errors",
    "Family",
    "How",
    "Levels",
    "Method",
    "Minimum",
    "OnDegenerate",
    "OnTruncated",
    "Orientations",
    "Others",
    "Pose",
    "Poses",
    "Resolution",
    "Search",
    "Split",
    "View",
    "WallResolution",
    "Weights",
]

# ---- words ---------------------------------------------------------------------------------------

Resolution: TypeAlias = Literal["hierarchy", "sharing", "all"]
# resolutions of walls that exert forces: without shares, those of "all" would be too large
WallResolution: TypeAlias = Literal["hierarchy", "sharing"]
Weights: TypeAlias = Literal["wachspress", "zhong"]
OnDegenerate: TypeAlias = Literal["raise", "drop"]
OnTruncated: TypeAlias = Literal["raise", "drop"]
Split: TypeAlias = bool | Literal["all"]
Errors: TypeAlias = Literal["raise", "skip"]
Search: TypeAlias = Literal["top-down", "bottom-up"]
Family: TypeAlias = Literal["constant", "linear", "exponential", "optimal"]
Method: TypeAlias = Literal["slm", "fcp", "cp", "fds"]
Minimum: TypeAlias = Literal["tracked", "global"]
Matplotlib: TypeAlias = Literal["matplotlib"] | None
Pyvista: TypeAlias = Literal["pyvista"]
Backend: TypeAlias = Literal["matplotlib", "pyvista"]
How: TypeAlias = Literal["sum", "max", "mean"]
CoarseKernel: TypeAlias = Literal["gauss", "lucy"]
At: TypeAlias = Literal["facet", "vertex"]
View: TypeAlias = Literal["x", "-x", "y", "-y", "z", "-z"] | ArrayLike

# ---- other arguments -----------------------------------------------------------------------------


class _HasMatrix(Protocol):
    """An object with a matrix, such as SciPy's Rotation and RigidTransform."""

    def as_matrix(self) -> Any: ...


class _HasQuaternion(Protocol):
    """An object with a quaternion, such as SciPy's Rotation."""

    def as_quat(self) -> Any: ...


Pose: TypeAlias = ArrayLike | _HasMatrix
Poses: TypeAlias = Pose | Sequence[Pose | None]
Orientations: TypeAlias = ArrayLike | _HasQuaternion
Levels: TypeAlias = Literal["auto"] | int | Sequence[float] | NDArray[Any]
Others: TypeAlias = tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]

# ---- options of plots ----------------------------------------------------------------------------

# where to draw; the same object is returned
Canvas = TypeVar("Canvas", bound="Axes | Plotter")


class ColorOptions(TypedDict, total=False):
    """How numbers become colors."""

    cmap: str | Colormap
    limits: tuple[float, float] | None
    label: str | None


class MeshPlotOptions(ColorOptions, total=False):
    """Options of `Mesh.plot`."""

    color: Any
    alpha: float | None
    scalars: ArrayLike | None
    at: At | None
    view: View | None


class ContactsPlotOptions(ColorOptions, total=False):
    """Options of `Contacts.plot`."""

    mesh: Mesh | Sequence[Mesh] | None
    spheres: tuple[ArrayLike, ArrayLike] | None
    normals: bool | None
    arrow_count: int
    sphere_count: int
    alpha: float
    scalars: ArrayLike | None
    how: How
    cell: bool
    images: bool
    view: View | None


class BackendOption(TypedDict, total=False):
    """Which library draws; it may be named even if only one can."""

    backend: Backend | None


class PairsPlotOptions(BackendOption, ColorOptions, total=False):
    """Options of `Pairs.plot`."""

    others: ArrayLike | None
    width: float | None
    cell: bool
    view: View | None


class SimulationPlotOptions(BackendOption, ColorOptions, total=False):
    """Options of `Simulation.plot`."""

    walls: bool | Wall | Iterable[Wall]
    cell: bool
    images: bool
    view: View | None
    alpha: float


class ShapePlotOptions(BackendOption, total=False):
    """Options of `ConvexShape.plot`."""

    color: Any
    alpha: float
    view: View | None


class BodiesPlotOptions(ShapePlotOptions, total=False):
    """Options of `ConvexFinder.plot`."""

    colors: Any
    numbers: ArrayLike | None


class ConvexPlotOptions(BackendOption, total=False):
    """Options of `ConvexContacts.plot`."""

    bodies: tuple[Any, ...] | None
    normals: bool
    cell: bool
    body_count: int
    arrow_count: int
    alpha: float
    view: View | None
