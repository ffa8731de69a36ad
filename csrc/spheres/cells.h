/* Spheres into the cells of a grid. */
#ifndef SPHERES_CELLS_H
#define SPHERES_CELLS_H

#include "grid.h"

/* Lay out a grid and fill it. ABUT_OK, ABUT_NO_MEMORY or ABUT_INTERRUPTED. The memory of the grid
 * before is used again; zero-initialize the first. */
abut_status cells_fill(grid *g, const grid_plan *plan);

#endif
