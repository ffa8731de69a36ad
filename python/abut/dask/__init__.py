"""Searches of many frames of a simulation by Dask, with one table of results.

Needs the extra ``dask``: ``pip install 'abut[dask]'``. Results are Dask DataFrames: until they are
computed, only the first frame and one in the middle are searched.

This is fast because little data moves between processes:

- each task reads its own frames, and enough of them to last longer than a task's overhead;
- meshes go to each worker once, which keeps a finder for them from task to task;
- only the rows of results come back.
"""

from .mapping import map_frames, map_pairs

__all__ = ["map_frames", "map_pairs"]
