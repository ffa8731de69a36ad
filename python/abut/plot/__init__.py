"""Pictures of meshes, bodies, spheres and their contacts.

matplotlib (extra ``plot``) draws what is in the plane, and small scenes of meshes and contacts with
them; pyvista (extra ``view``) draws what is in space. Neither is imported before a picture is asked
for.
"""

from .looks import COLORS, LINE_COLOR, TYPES
from .meshes import plot_contacts, plot_mesh
from .spheres import plot_spheres

__all__ = ["COLORS", "LINE_COLOR", "TYPES", "plot_contacts", "plot_mesh", "plot_spheres"]
