/* Sorts spheres into the cells of a grid. */
#ifndef SPHERES_CELLS_H
#define SPHERES_CELLS_H

#include "grid.h"

/* Lays out a grid and fills it. Returns ABUT_OK, ABUT_NO_MEMORY or ABUT_INTERRUPTED.
 * Zero-initialize the grid before its first filling; later fillings use its memory again. */
abut_status cells_fill(grid *g, const grid_plan *plan);

#endif
