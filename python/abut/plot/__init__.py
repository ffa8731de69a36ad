"""Pictures of meshes, contacts and spheres, by matplotlib (extra ``plot``) or pyvista (``view``).

Neither is imported before a picture is asked for.
"""

from .looks import COLORS, LINE_COLOR, TYPES
from .meshes import plot_contacts, plot_mesh
from .spheres import plot_spheres

__all__ = ["COLORS", "LINE_COLOR", "TYPES", "plot_contacts", "plot_mesh", "plot_spheres"]
