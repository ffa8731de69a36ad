"""Meshes, convex shapes and half spaces, and the three finders of contacts."""
