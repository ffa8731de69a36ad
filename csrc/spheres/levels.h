/* Which levels a grid has for spheres of these sizes. */
#ifndef SPHERES_LEVELS_H
#define SPHERES_LEVELS_H

#include "../abut.h"

/* Sizes of levels whose cells hold as many spheres each: section 5.2.3 of D. Krijgsman, V. Ogarko,
 * S. Luding, "Optimal parameters for a hierarchical grid data structure", Computational Particle
 * Mechanics 1 (2014), doi:10.1007/s40571-014-0020-9.
 *
 * reaches: half of the diameters, gap included, > 0; volume_fraction: of the spheres in space, > 0;
 * overhead: work of a look into a cell, where the test of a pair is 1; wanted: the number of
 * levels, or 0 for that of which the least work is expected.
 *
 * Fills sizes, which has room for ABUT_LEVEL_LIMIT, in ascending order; the last is the largest
 * diameter. There are fewer levels than wanted where there are not as many different sizes; one of
 * size 1 where there are no spheres. The order of the spheres does not matter. ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status levels_choose(const double *reaches, abut_index count, int dimension,
                          double volume_fraction, abut_search search, double overhead,
                          abut_index wanted, double *sizes, abut_index *level_count);

#endif
