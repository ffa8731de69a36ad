/* In which order spheres are searched: the caller's, or by place where the caller's has none.
 *
 * Spheres that follow one another should touch the same facets, which then are in the cache. Those
 * of a simulation mostly do; where they do not, they are copied cell by cell of a coarse grid, and
 * the search is one of the copies. No result depends on the order, and rows are written in the
 * caller's.
 */
#ifndef WALLS_SEARCH_ORDER_H
#define WALLS_SEARCH_ORDER_H

#include "../base/sort.h"
#include "scene.h"

/* Where a sphere's contacts are: in which chunk's buffer, from which on. */
typedef struct location {
    int32_t chunk, first, count, node_count;
} location;

typedef struct sphere_order {
    sphere_rows rows;       /* in the order of search: the caller's, or copies */
    bool is_by_place;       /* false: in the caller's order, and what follows is not set */
    const int32_t *spheres; /* the caller's numbers in the order of search */
    location *locations;    /* by the caller's numbers; zeros until the search fills them */
    sorted_items sorted;    /* holds spheres */
    memory_block location_block, center_block, radius_block;
} sphere_order;

/* Have the caller's order. */
void order_keep(sphere_order *order, const abut_query *query);

/* Choose the order for a query, `largest` its largest reach, and sort where it is by place.
 * ABUT_OK, or why the query is to end. Zero-initialize, free with order_free. */
abut_status order_choose(sphere_order *order, const abut_query *query, const scene *s,
                         double largest);
void order_free(sphere_order *order);

/* Of a build for tests, ABUT_TESTING: sort whenever there are two spheres at least, or ask the cost
 * model again. */
void order_force(bool is_forced);

#endif
