"""Many frames of a simulation, one after the other, by Dask: a table of what each came to.

Needs the extra ``dask``: ``pip install 'abut[dask]'``. Results are Dask DataFrames: nothing is
searched before they are asked for, but for the first frame and one of the middle.

What makes it fast is that hardly anything travels. Frames are read where they are searched; a task
takes so many of them that it lasts longer than what a task costs; meshes go to each worker once,
which keeps a finder of them from task to task; back come the rows.
"""

from .mapping import map_frames, map_pairs

__all__ = ["map_frames", "map_pairs"]
