/* The poses of a query's bodies. */
#ifndef CONVEX_PLACES_H
#define CONVEX_PLACES_H

#include "../base/memory.h"
#include "../base/pose.h"
#include "pair.h"

/* A body and its pose, in two cache lines. */
typedef struct placed_body {
    pose at;
    convex_body body;
} placed_body;

/* All bodies of a query with their poses, and the centers of their circumscribed spheres. */
typedef struct convex_places {
    const placed_body *bodies;
    const double *centers; /* `body_count` x dimension */
    memory_block body_block, center_block;
} convex_places;

/* Reads and checks the query's positions and orientations. The error has the first wrong number.
 * The memory of the last query is used again. */
abut_status places_read(const abut_convex_finder *finder, const abut_convex_query *query,
                        convex_places *places, abut_error *error);

/* Computes the centers of the circumscribed spheres. Call places_read before. */
abut_status places_center(const abut_convex_finder *finder, const abut_convex_query *query,
                          convex_places *places, abut_error *error);

/* Does places_read and places_center. */
abut_status places_make(const abut_convex_finder *finder, const abut_convex_query *query,
                        convex_places *places, abut_error *error);
void places_free(convex_places *places);

/* Makes a pair of two bodies, with B moved by `shift` in the world. Writes the members directly
 * to *pair. Copying a local struct would take longer, as the copy waits for its members. */
void places_pair(const placed_body *a, const placed_body *b, vec3 shift, convex_pair *pair);

#endif
