"""Pictures of meshes, bodies, spheres and their contacts.

matplotlib (extra ``plot``) draws pictures in the plane, and small scenes of meshes and their
contacts. pyvista (extra ``view``) draws scenes in space. Each is imported when it is first needed.
"""

from .looks import COLORS, LINE_COLOR, TYPES
from .meshes import plot_contacts, plot_mesh
from .rendering import render
from .spheres import plot_spheres

__all__ = ["COLORS", "LINE_COLOR", "TYPES", "plot_contacts", "plot_mesh", "plot_spheres", "render"]
