/* The room's vector code, a table of functions for each instruction level.
 *
 * Every file named *_kernel.c is compiled once a level; KERNEL(name) gives its functions names of
 * their own. All levels give the same bits. */
#ifndef WALLS_KERNELS_H
#define WALLS_KERNELS_H

#include "../base/simd.h"
#include "../mesh/weights.h"
#include "contact.h"
#include "pairs.h"

/* Columns of contacts that follow one another, from the first of them on. */
typedef struct measures {
    double *normal, *overlap, *tilt;
    double flat_angle; /* no tilt is smaller */
} measures;

/* Copy spheres into the batch, which knows how many. False: a center is not finite, or too far. */
typedef bool batch_copy_kernel(batch *b, const sphere_rows *rows);

/* The smallest and the largest radius. False: one is not positive, not finite or too large. */
typedef bool batch_range_kernel(abut_index count, const double *radii, double *smallest,
                                double *largest);

/* Which of BATCH_BLOCK centers are where a view, whose image is 0, has something for spheres of
 * the radii that it serves. Clears `is_good` where a center is not finite, or too far. */
typedef uint64_t batch_find_seen_kernel(const view *v, const double *centers, bool *is_good);

/* Look up the spheres of a batch in a view's bins. */
typedef void bins_look_kernel(batch *b, const view *v);

/* Of the batch's spheres that may touch facets of one plane alone, as the looks of all views
 * say, and of a plane in this view, those that do not touch it are seen no more; the others
 * become narrow. */
typedef void planes_look_kernel(batch *b, const view *v);

/* Fill the queue with the pairs of p->batch from sphere `from` on; returns the first sphere
 * that there was no room for, or the batch's count. */
typedef int32_t intersect_collect_kernel(pairs *p, int32_t from);

/* The closest points of the queue's pairs; has_fans: not every facet is one triangle. */
typedef void intersect_exact_kernel(pairs *p, bool has_fans);

/* For each sphere the pairs that its nearest one does not surely eliminate, into p->left.
 * False, and nothing else: of spheres that p->refused tells all facets are to be tested. */
typedef bool hierarchy_strike_kernel(pairs *p);

/* What contacts measure. False: some center is on its facet, whose normal is to be written. */
typedef bool rows_measure_kernel(const contact *items, abut_index count, const measures *to);

/* The functions of each level, and their table; a build need not have all levels. Points and
 * weights of FACET contacts on triangles are those of mesh/weights.h. */
#define WALLS_KERNELS(ENTRY)                                                                       \
    ENTRY(batch_copy)                                                                              \
    ENTRY(batch_range)                                                                             \
    ENTRY(batch_find_seen)                                                                         \
    ENTRY(bins_look)                                                                               \
    ENTRY(planes_look)                                                                             \
    ENTRY(intersect_collect)                                                                       \
    ENTRY(intersect_exact)                                                                         \
    ENTRY(hierarchy_strike)                                                                        \
    ENTRY(rows_measure)                                                                            \
    ENTRY(weights_triangles)

WALLS_KERNELS(KERNEL_FUNCTIONS)

typedef struct kernels {
    WALLS_KERNELS(KERNEL_POINTER)
} kernels;

/* Of the level in use. */
const kernels *kernels_take(void);

#endif
