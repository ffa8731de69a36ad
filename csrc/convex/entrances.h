/* The fast direct search: entrances, by which two bodies can meet without overlapping. */
#ifndef CONVEX_ENTRANCES_H
#define CONVEX_ENTRANCES_H

#include "pair.h"

/* Vertex and facet, facet and vertex, or two edges that cross. */
typedef struct entrance {
    convex_end ends[2];
    vec3 normal; /* n, unit, from A to B */
    double gap;  /* distance of the two planes along n */
} entrance;

/* Whether the two features are an entrance; fills in normal and gap then. Ends of other types are
 * none. */
bool entrance_read(const convex_pair *pair, entrance *e);

/* The valid entrance of largest gap: of bodies that overlap the exact minimum. False where rounding
 * leaves none. */
bool entrances_best(const convex_pair *pair, entrance *best);

/* Climb from a valid entrance over those whose features share a vertex with it, as far as the gap
 * grows. */
void entrances_climb(const convex_pair *pair, entrance *e);

/* How many entrances a pair has at most, and all of them, in order of types and features; returns
 * how many. `before`, of `before_count`, were those a step before: the set is the same without. */
abut_index entrances_limit(const convex_pair *pair);
abut_index entrances_all(const convex_pair *pair, const entrance *before, abut_index before_count,
                         entrance *all);

/* The method "fds"; a convex_method. */
void entrances_find(const convex_pair *pair, const convex_link *before,
                    const abut_convex_options *options, convex_link *link);

#endif
