/* The room's vector code, a table of functions for each instruction level.
 *
 * Every file named *_kernel.c is compiled once a level; KERNEL(name) gives its functions names of
 * their own. All levels give the same bits. */
#ifndef WALLS_KERNELS_H
#define WALLS_KERNELS_H

#include "../mesh/weights.h"
#include "contact.h"
#include "pairs.h"

/* Columns of contacts that follow one another, from the first of them on. */
typedef struct measures {
    double *normal, *overlap, *tilt;
    double flat_angle; /* no tilt is smaller */
} measures;

typedef struct kernels {
    /* Copy spheres into the batch, which knows how many. False: a center is not finite, or too far.
     */
    bool (*batch_copy)(batch *b, const sphere_rows *rows);

    /* The smallest and the largest radius. False: one is not positive, not finite or too large. */
    bool (*batch_range)(abut_index count, const double *radii, double *smallest, double *largest);

    /* Which of BATCH_BLOCK centers are where a view, whose image is 0, has something for spheres of
     * the radii that it serves. Clears `is_good` where a center is not finite, or too far. */
    uint64_t (*batch_find_seen)(const view *v, const double *centers, bool *is_good);

    /* Look up the spheres of a batch in a view's bins. */
    void (*bins_look)(batch *b, const view *v);

    /* Of the batch's spheres that may touch facets of one plane alone, as the looks of all views
     * say, and of a plane in this view, those that do not touch it are seen no more; the others
     * become narrow. */
    void (*planes_look)(batch *b, const view *v);

    /* Fill the queue with the pairs of p->batch from sphere `from` on; returns the first sphere
     * that there was no room for, or the batch's count. */
    int32_t (*intersect_collect)(pairs *p, int32_t from);

    /* The closest points of the queue's pairs; has_fans: not every facet is one triangle. */
    void (*intersect_exact)(pairs *p, bool has_fans);

    /* For each sphere the pairs that its nearest one does not surely eliminate, into p->left.
     * False, and nothing else: of spheres that p->refused tells all facets are to be tested. */
    bool (*hierarchy_strike)(pairs *p);

    /* What contacts measure. False: some center is on its facet, whose normal is to be written. */
    bool (*rows_measure)(const contact *items, abut_index count, const measures *to);

    /* Points and weights of FACET contacts on triangles. */
    void (*weights_triangles)(abut_index count, const triangle_points *points);
} kernels;

/* The functions of one level; a build need not have all levels. */
#define KERNELS_OF(level)                                                                          \
    bool batch_copy_##level(batch *b, const sphere_rows *rows);                                    \
    bool batch_range_##level(abut_index count, const double *radii, double *smallest,              \
                             double *largest);                                                     \
    uint64_t batch_find_seen_##level(const view *v, const double *centers, bool *is_good);         \
    void bins_look_##level(batch *b, const view *v);                                               \
    void planes_look_##level(batch *b, const view *v);                                             \
    int32_t intersect_collect_##level(pairs *p, int32_t from);                                     \
    void intersect_exact_##level(pairs *p, bool has_fans);                                         \
    bool hierarchy_strike_##level(pairs *p);                                                       \
    bool rows_measure_##level(const contact *items, abut_index count, const measures *to);

KERNELS_OF(baseline)
KERNELS_OF(v3)
KERNELS_OF(v4)

/* Of the level in use. */
const kernels *kernels_take(void);

#endif
