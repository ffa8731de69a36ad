/* The order in which spheres are searched: the caller's, if neighbors are near each other in it;
 * otherwise by place.
 *
 * Consecutive spheres should touch the same facets, which then are in the cache. Spheres of a
 * simulation mostly do. Otherwise spheres are copied, cell by cell of a coarse grid, and the copies
 * are searched. No result depends on that order, and rows are written in the caller's order. */
#ifndef WALLS_SEARCH_ORDER_H
#define WALLS_SEARCH_ORDER_H

#include "../base/sort.h"
#include "scene.h"

/* Where a sphere's contacts are: their chunk, the first of them in the chunk's records, and the
 * numbers of contacts and nodes. */
typedef struct location {
    int32_t chunk, first, count, node_count;
} location;

typedef struct sphere_order {
    sphere_rows rows;       /* in the order of search: the caller's rows, or copies */
    bool is_by_place;       /* false: the order is the caller's, and the members below are not
                               set */
    const int32_t *spheres; /* the caller's number of each sphere, in the order of search */
    location *locations;    /* by the caller's numbers of spheres; zeros before the search */
    sorted_items sorted;    /* memory of `spheres` */
    memory_block location_block, center_block, radius_block;
} sphere_order;

/* Uses the caller's order. */
void order_keep(sphere_order *order, const abut_query *query);

/* Chooses the order for a query with the largest reach `largest`, and sorts by place if that saves
 * time. Zero-initialize `order`, free it with order_free. Returns ABUT_OK or the status that ends
 * the query. */
abut_status order_choose(sphere_order *order, const abut_query *query, const scene *s,
                         double largest);
void order_free(sphere_order *order);

/* Only in a build for tests, ABUT_TESTING: whether to sort always. */
void order_force(bool is_forced);

#endif
