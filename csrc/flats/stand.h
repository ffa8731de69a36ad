/* Which facets a body stands on. */
#ifndef FLATS_STAND_H
#define FLATS_STAND_H

#include "patch.h"
#include "../convex/convex_rows.h"

/* A facet that the body meets at a border of its wall, as two bodies. */
typedef struct wall_link {
    solved result;
    vec3 on_wall;
    int32_t piece;
    int32_t first_spot; /* in the room's link spots */
} wall_link;

/* What one body stands on; memory for one after the other. */
typedef struct stand_room {
    patch_room patch;
    flat_shape flat;
    wall_link *links;
    convex_spot *spots, *scratch; /* of links */
    int32_t *kept;                /* planes that stay */
    int32_t *ranked;
    int32_t link_count, spot_count, kept_count;
    abut_index link_capacity, spot_capacity, scratch_capacity, kept_capacity, ranked_capacity;
} stand_room;

/* A body whose pieces are in the room's patch. */
typedef struct stand_task {
    patch_task standing;
    solve_task solving;
    double gap; /* the query's */
} stand_task;

/* Find the planes that the body stands on, marked `stays`, with their spots; and the links with
 * facets that it meets at a border beside them, deepest first. Half spaces are in the room. */
abut_status stand_find(stand_room *room, const stand_task *task);

/* How far from its centroid there may be facets that the body, so deep in what it stands on, is
 * behind. */
double stand_reach(const stand_room *room, const stand_task *task);

void stand_free(stand_room *room);

#endif
