"""Motion in time: walls and bodies, the steps, and what is inserted, watched and written."""
