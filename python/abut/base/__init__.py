"""Common to all modules: checks of arguments, poses, orientations, threads and messages."""
