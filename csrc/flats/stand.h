/* Chooses the facets on which a body stands. */
#ifndef FLATS_STAND_H
#define FLATS_STAND_H

#include "patch.h"
#include "../convex/convex_rows.h"

/* A contact with a facet at a border of its wall, solved as for two bodies. */
typedef struct wall_link {
    solved result;
    vec3 on_wall;
    int32_t piece;
    int32_t first_spot; /* in the room's spots of links */
} wall_link;

/* What a body stands on; memory that one body after the other uses. */
typedef struct stand_room {
    patch_room patch;
    flat_shape flat;
    wall_link *links;
    convex_spot *spots, *scratch; /* of links */
    int32_t *kept;                /* the planes that stay */
    int32_t *ranked;
    int32_t link_count, spot_count, kept_count;
    abut_index link_capacity, spot_capacity, scratch_capacity, kept_capacity, ranked_capacity;
} stand_room;

/* The body that stands on the pieces in the room's patch. */
typedef struct stand_task {
    patch_task standing;
    solve_task solving;
    double gap; /* the query's gap */
} stand_task;

/* Finds the planes on which the body stands, marked `stays`, with their spots, and the links with
 * facets at borders beside them, deepest first. Half spaces are in the room already. */
abut_status stand_find(stand_room *room, const stand_task *task);

/* How far from the body's centroid there may be facets that it is behind, since it is deep in
 * others. */
double stand_reach(const stand_room *room, const stand_task *task);

void stand_free(stand_room *room);

#endif
