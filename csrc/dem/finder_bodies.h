/* Input of finders of convex bodies: all convex bodies, then some spheres as rounded points. */
#ifndef DEM_FINDER_BODIES_H
#define DEM_FINDER_BODIES_H

#include "../abut/convex.h"
#include "../base/memory.h"

typedef struct rigid_set rigid_set; /* defined in rigid_set.h */
typedef struct store store;         /* defined in store.h */

enum { FINDER_BODIES_BLOCKS = 4 };

/* Zero-initialize. All memory is in `blocks`. */
typedef struct finder_bodies {
    abut_index count;
    abut_index *shapes;
    double *scales, *positions, *orientations; /* scales, and poses of the shapes' frames */
    memory_block blocks[FINDER_BODIES_BLOCKS];
} finder_bodies;

/* Gathers all bodies, and the spheres with these rows. ABUT_OK or ABUT_NO_MEMORY. */
abut_status finder_bodies_gather(finder_bodies *c, const rigid_set *bodies, const store *spheres,
                                 const int32_t *rows, abut_index row_count, int workers);

/* Builds a finder for the first `count` of these bodies and spheres. */
abut_status finder_bodies_build(const finder_bodies *c, const rigid_set *bodies, abut_index count,
                                abut_convex_finder **finder, abut_error *error);

#endif
