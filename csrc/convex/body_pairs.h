/* The pairs of bodies of a query: the caller's pairs, or all pairs of bodies with circumscribed
 * spheres that are nearer to each other than the gap. */
#ifndef CONVEX_BODY_PAIRS_H
#define CONVEX_BODY_PAIRS_H

#include "../abut/pairs.h"
#include "../base/lattice.h"
#include "places.h"

/* The search for pairs of circumscribed spheres. It is kept while gap and period stay the same. */
typedef struct candidate_search {
    abut_pair_finder *finder; /* NULL: none yet */
    double gap;
    lattice lattice;
} candidate_search;

typedef struct body_pairs {
    const abut_index *i, *j; /* first and second bodies, `count` each */
    const abut_index *image; /* images of second bodies, `count` x dimension; NULL: no period */
    abut_index count;
    memory_block i_block, j_block, image_block;
    candidate_search search;
    lattice lattice;
} body_pairs;

/* Checks a query's gap, period and pairs, and lists its pairs. Zero-initialize `pairs` before the
 * first query; later queries use its memory again. */
abut_status candidates_make(const abut_convex_finder *finder, const abut_convex_query *query,
                            const convex_places *places, body_pairs *pairs, abut_error *error);

/* Uses the caller's pairs, unchecked and not copied. Fails if a body is too many periods away. */
abut_status candidates_take(const abut_convex_finder *finder, const abut_convex_query *query,
                            const convex_places *places, body_pairs *pairs, abut_error *error);
void candidates_free(body_pairs *pairs);

/* The vector from a pair's second body to its image. */
vec3 candidates_shift(const body_pairs *pairs, abut_index row, int dimension);

#endif
