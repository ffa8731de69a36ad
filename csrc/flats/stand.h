/* Chooses the facets on which a body stands. */
#ifndef FLATS_STAND_H
#define FLATS_STAND_H

#include "patch.h"
#include "../convex/convex_rows.h"

/* A contact of the body with a facet at a border of a wall, solved as a pair of bodies. */
typedef struct wall_link {
    solved result;
    vec3 on_wall;
    int32_t piece;
    int32_t first_spot; /* number of its first spot in stand_room.spots */
} wall_link;

/* The planes and links on which a body stands. The memory is used for one body after the other. */
typedef struct stand_room {
    patch_room patch;
    flat_shape flat;
    wall_link *links;
    convex_spot *spots, *scratch; /* spots of links, and scratch for them */
    int32_t *kept;                /* numbers of the planes that stay */
    int32_t *ranked;
    int32_t link_count, spot_count, kept_count;
    abut_index link_capacity, spot_capacity, scratch_capacity, kept_capacity, ranked_capacity;
} stand_room;

/* A body on walls, and how its links are solved. The walls are in the room's patch. */
typedef struct stand_task {
    patch_task standing;
    solve_task solving;
    double gap; /* the query's gap */
} stand_task;

/* Finds the planes on which the body stands, with their spots, and marks them `stays`. Finds the
 * links with facets at borders of other planes, deepest first. The walls are already loaded. */
abut_status stand_find(stand_room *room, const stand_task *task);

/* The distance from the centroid within which the body may be behind facets not loaded yet. */
double stand_reach(const stand_room *room, const stand_task *task);

void stand_free(stand_room *room);

#endif
