/* Slabs: bounds of entries along one more axis, for slivers, which hardly fill their boxes. */
#ifndef BINS_SLABS_H
#define BINS_SLABS_H

#include "bins.h"

/* Adds slabs to the entries of a set for spheres of up to that reach, if they save enough exact
 * tests. Returns false if there is no memory. */
bool bins_find_slabs(bins *set, const abut_mesh *mesh, double reach);

/* Adds slabs in any case, to a set of triangles where each cell has its own bucket. */
bool bins_build_slabs(bins *set, const abut_mesh *mesh);

#endif
