/* Where the bodies of a query stand. */
#ifndef CONVEX_PLACES_H
#define CONVEX_PLACES_H

#include "../base/memory.h"
#include "../base/pose.h"
#include "pair.h"

/* A body in the world: two cache lines. */
typedef struct placed_body {
    pose at;
    convex_body body;
} placed_body;

/* Where all bodies of a query stand, and the middles of their circumscribed spheres. */
typedef struct convex_places {
    const placed_body *bodies;
    const double *centers; /* body_count x dimension */
    memory_block body_block, center_block;
} convex_places;

/* Read the query's positions and orientations; error names the first that is wrong. The memory of
 * the places before is used again. */
abut_status places_read(const abut_convex_finder *finder, const abut_convex_query *query,
                        convex_places *places, abut_error *error);

/* Compute the centers of bodies that were read. */
abut_status places_center(const abut_convex_finder *finder, const abut_convex_query *query,
                          convex_places *places, abut_error *error);

/* Read the places and compute the centers. */
abut_status places_make(const abut_convex_finder *finder, const abut_convex_query *query,
                        convex_places *places, abut_error *error);
void places_free(convex_places *places);

/* Two bodies as methods see them: in A's frame, with B moved by `shift`. Every member is written
 * once, where it stays: a copy would wait for what was just written. */
void places_pair(const placed_body *a, const placed_body *b, vec3 shift, convex_pair *pair);

#endif
