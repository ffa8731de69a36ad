/* In which order spheres are searched: the caller's, or by place where the caller's has none.
 *
 * Spheres that follow one another should touch the same facets, which then are in the cache. Those
 * of a simulation mostly do; where they do not, they are searched cell by cell of a coarse grid. No
 * result depends on the order, and rows are written in the caller's. */
#ifndef WALLS_ORDER_H
#define WALLS_ORDER_H

#include "../base/sort.h"
#include "kernels.h"
#include "place.h"

/* Where a sphere's contacts are: in which chunk's buffer, from which on. */
typedef struct location {
    int32_t chunk, first, count, node_count;
} location;

typedef struct sphere_order {
    bool is_by_place;       /* else in the caller's order, and the arrays say nothing */
    const int32_t *spheres; /* the caller's numbers in the order of search */
    location *locations;    /* by the caller's numbers; zeros until the search fills them */
    sorted_items sorted;    /* holds spheres */
    memory_block location_block;
} sphere_order;

/* Choose the order for a query, `largest` its largest reach, and sort where it is by place;
 * `sample` is scratch. ABUT_OK, or why the query is to end. Zero-initialize, free with order_free.
 */
abut_status order_choose(sphere_order *order, const abut_query *query, const placement *p,
                         double largest, batch *sample);
void order_free(sphere_order *order);

#ifdef ABUT_TESTING
/* Sort whenever there are two spheres at least, or ask the cost model again. */
void order_force(bool is_forced);
#endif

#endif
