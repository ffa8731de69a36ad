/* All bodies and, behind them, some spheres, which are points that are rounded: as finders and
 * queries of convex bodies want them. */
#ifndef DEM_FINDER_BODIES_H
#define DEM_FINDER_BODIES_H

#include "../abut/convex.h"
#include "../base/memory.h"

typedef struct rigid_set rigid_set; /* rigid_set.h */
typedef struct store store;         /* store.h */

enum { FINDER_BODIES_BLOCKS = 4 };

/* Zero-initialize. All its memory is in blocks. */
typedef struct finder_bodies {
    abut_index count;
    abut_index *shapes;
    double *scales, *positions, *orientations; /* where their shapes' frames are */
    memory_block blocks[FINDER_BODIES_BLOCKS];
} finder_bodies;

/* Gather where all bodies and the spheres of these rows are. ABUT_OK or ABUT_NO_MEMORY. */
abut_status finder_bodies_gather(finder_bodies *c, const rigid_set *bodies, const store *spheres,
                                 const int32_t *rows, abut_index row_count, int workers);

/* Make a finder of the first `count` of them. */
abut_status finder_bodies_build(const finder_bodies *c, const rigid_set *bodies, abut_index count,
                                abut_convex_finder **finder, abut_error *error);

#endif
