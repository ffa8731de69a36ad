/* How rows go through the kernels of laws, block by block, whatever they are of: spheres on walls,
 * pairs of spheres, and spots of bodies differ in how a block is filled. */
#ifndef DEM_ROWS_H
#define DEM_ROWS_H

#include "row_laws.h"

/* ABUT_OK, or why the run is to end: ABUT_LAW_MISSING names the first row without a law. */
abut_status rows_apply(row_laws *r, const parallel_plan *plan, abut_error *error);

#endif
