"""What is searched, and what searches it: meshes, shapes, half spaces and the three finders."""
