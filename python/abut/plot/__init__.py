"""Pictures of meshes, contacts and spheres, by matplotlib (``plot``) or pyvista (extra ``view``).

Neither is imported before a picture is asked for.
"""

from .meshes import COLORS, LINE_COLOR, TYPES, plot_contacts, plot_mesh, plot_spheres

__all__ = ["COLORS", "LINE_COLOR", "TYPES", "plot_contacts", "plot_mesh", "plot_spheres"]
