"""Meshes, convex shapes and half spaces, and the finders of contacts and pairs."""
