"""Searches of many frames of a simulation by Dask, with one table of results.

This needs the extra ``dask``: ``pip install 'abut[dask]'``. Results are Dask DataFrames. Before
they are computed, only a few frames are searched.

This is fast because little data moves between processes:

- Each task reads its own frames, and enough of them to last longer than Dask's overhead.
- Meshes are sent to each worker once, and the worker keeps a finder for them for all its tasks.
- Only the rows of results are sent back.
"""

from .mapping import map_frames, map_pairs

__all__ = ["map_frames", "map_pairs"]
