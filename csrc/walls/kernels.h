/* Vector code of this room: a table of functions for each instruction level.
 *
 * Each file named *_kernel.c is compiled once for each level; KERNEL(name) makes the names of its
 * functions unique. All levels give the same bits. */
#ifndef WALLS_KERNELS_H
#define WALLS_KERNELS_H

#include "../base/simd.h"
#include "../mesh/weights.h"
#include "candidates.h"

/* Columns of consecutive contacts, from the first one on. */
typedef struct measures {
    double *normal, *overlap, *tilt;
    double flat_angle; /* the smallest tilt */
} measures;

/* Appends the first `count` spheres of a block of rows to the batch, with their numbers in the
 * block. If the batch is sparse, only those for which its views may have candidates are appended.
 * Returns false if a center that was read is not finite or too far, or a radius is invalid. */
typedef bool load_block_kernel(batch *b, const sphere_rows *block, int32_t count);

/* Finds the smallest and the largest radius. Returns false if a radius is not valid. */
typedef bool query_radii_kernel(abut_index count, const double *radii, double *smallest,
                                double *largest);

/* Looks up the buckets of a batch's spheres in a view's bins. */
typedef void look_buckets_kernel(batch *b, const mesh_view *v);

/* Makes those spheres narrow for which all facets of their buckets lie in one plane of this view.
 * Spheres beyond reach of that plane are no longer seen. */
typedef void look_feet_kernel(batch *b, const mesh_view *v);

/* Collects the candidates of those spheres of the batch, from number `from` on, that have their bit
 * set in `spheres`. Returns the first sphere that did not fit, or the batch's count. */
typedef int32_t collect_kernel(candidates *c, const uint64_t *spheres, int32_t from);

/* Finds the closest points of all candidates. has_fans: some facets are several triangles. */
typedef void closest_kernel(closest_points *p, bool has_fans);

/* Keeps, for each sphere, the candidates that the nearest one does not surely eliminate. */
typedef void strike_kernel(kept *k);

/* Computes normals, overlaps and tilts of contacts. Returns false if a center is on its facet, so
 * that the facet's normal must be written. */
typedef bool rows_measure_kernel(const contact *items, abut_index count, const measures *to);

/* Kernels of each instruction level, and their table. A build need not have all levels. Points and
 * weights of FACET contacts on triangles are declared in mesh/weights.h. */
#define WALLS_KERNELS(ENTRY)                                                                       \
    ENTRY(load_block)                                                                              \
    ENTRY(query_radii)                                                                             \
    ENTRY(look_buckets)                                                                            \
    ENTRY(look_feet)                                                                               \
    ENTRY(collect)                                                                                 \
    ENTRY(closest)                                                                                 \
    ENTRY(strike)                                                                                  \
    ENTRY(rows_measure)                                                                            \
    ENTRY(weights_triangles)

WALLS_KERNELS(KERNEL_FUNCTIONS)

typedef struct kernels {
    WALLS_KERNELS(KERNEL_POINTER)
} kernels;

/* The kernels of the instruction level in use. */
const kernels *kernels_take(void);

#endif
