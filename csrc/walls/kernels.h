/* The room's vector code, a table of functions for each instruction level.
 *
 * Every file named *_kernel.c is compiled once a level; KERNEL(name) gives its functions names of
 * their own. All levels give the same bits. */
#ifndef WALLS_KERNELS_H
#define WALLS_KERNELS_H

#include "../base/simd.h"
#include "../mesh/weights.h"
#include "candidates.h"

/* Columns of contacts that follow one another, from the first of them on. */
typedef struct measures {
    double *normal, *overlap, *tilt;
    double flat_angle; /* no tilt is smaller */
} measures;

/* Append to the batch those of a block of rows that its views may have something for, and where it
 * is not sparse others, with their numbers in the block; only the first `count` are some. False: a
 * center that was read is not finite, or too far, or a radius is none. */
typedef bool load_block_kernel(batch *b, const sphere_rows *block, int32_t count);

/* The smallest and the largest radius. False: one is not positive, not finite or too large. */
typedef bool query_radii_kernel(abut_index count, const double *radii, double *smallest,
                                double *largest);

/* Look up the spheres of a batch in a view's bins. */
typedef void look_buckets_kernel(batch *b, const mesh_view *v);

/* Of the batch's spheres that may touch facets of one plane alone, as the looks of all views say,
 * and of a plane in this view, those that do not touch it are seen no more; the others become
 * narrow. */
typedef void look_feet_kernel(batch *b, const mesh_view *v);

/* Replace the candidates by those of the batch's spheres from number `from` on whose bits are
 * set; returns the first sphere that there was no room for, or the batch's count. */
typedef int32_t collect_kernel(candidates *c, const uint64_t *spheres, int32_t from);

/* The closest points of all candidates; has_fans: not every facet is one triangle. */
typedef void closest_kernel(closest_points *p, bool has_fans);

/* For each sphere the candidates that its nearest one does not surely eliminate. */
typedef void strike_kernel(kept *k);

/* What contacts measure. False: some center is on its facet, whose normal is to be written. */
typedef bool rows_measure_kernel(const contact *items, abut_index count, const measures *to);

/* The functions of each level, and their table; a build need not have all levels. Points and
 * weights of FACET contacts on triangles are those of mesh/weights.h. */
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

/* The functions of the instruction level in use. */
const kernels *kernels_take(void);

#endif
