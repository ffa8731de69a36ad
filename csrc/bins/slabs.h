/* Entries' bounds along one axis more: what the boxes of slivers do not say. */
#ifndef BINS_SLABS_H
#define BINS_SLABS_H

#include "bins.h"

/* Give the entries of a set for spheres of up to that reach their slabs, where they save so many
 * exact tests that it pays. False where there is no memory. */
bool bins_find_slabs(bins *set, const abut_mesh *mesh, double reach);

/* Likewise in any case, in a set of triangles whose cells all have a bucket of their own. */
bool bins_build_slabs(bins *set, const abut_mesh *mesh);

#endif
