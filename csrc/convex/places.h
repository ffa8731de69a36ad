/* The places of a query's bodies in the world. */
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

/* The places of all bodies of a query, and the centers of their circumscribed spheres. */
typedef struct convex_places {
    const placed_body *bodies;
    const double *centers; /* body_count x dimension */
    memory_block body_block, center_block;
} convex_places;

/* Reads the query's positions and orientations; the error names the first wrong one. Memory of
 * earlier places is used again. */
abut_status places_read(const abut_convex_finder *finder, const abut_convex_query *query,
                        convex_places *places, abut_error *error);

/* Computes the centers of bodies that were read. */
abut_status places_center(const abut_convex_finder *finder, const abut_convex_query *query,
                          convex_places *places, abut_error *error);

/* Reads the places and computes the centers. */
abut_status places_make(const abut_convex_finder *finder, const abut_convex_query *query,
                        convex_places *places, abut_error *error);
void places_free(convex_places *places);

/* Makes a pair, in A's frame, with B moved by `shift`. Every member is written once, in place: a
 * copy would wait for what was just written. */
void places_pair(const placed_body *a, const placed_body *b, vec3 shift, convex_pair *pair);

#endif
