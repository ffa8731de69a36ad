/* Pairs of bodies that a query looks at: those whose circumscribed spheres are near, or the
 * caller's. */
#ifndef CONVEX_BODY_PAIRS_H
#define CONVEX_BODY_PAIRS_H

#include "../abut/pairs.h"
#include "../base/lattice.h"
#include "places.h"

/* The search for pairs of circumscribed spheres, which is kept while gap and period stay. */
typedef struct candidate_search {
    abut_pair_finder *finder; /* NULL: none yet */
    double gap;
    lattice lattice;
} candidate_search;

typedef struct body_pairs {
    const abut_index *i, *j; /* count; checked */
    const abut_index *image; /* count x dimension; NULL: there is no period */
    abut_index count;
    memory_block i_block, j_block, image_block;
    candidate_search search;
    lattice lattice;
} body_pairs;

/* Zero-initialize `pairs`; their memory is used again. The error names what is wrong with the
 * caller's pairs, the gap or the period. */
abut_status candidates_make(const abut_convex_finder *finder, const abut_convex_query *query,
                            const convex_places *places, body_pairs *pairs, abut_error *error);

/* Take the pairs of a query as they are, without checks, and in its memory; the error names a body
 * that is too far away to count its periods. */
abut_status candidates_take(const abut_convex_finder *finder, const abut_convex_query *query,
                            const convex_places *places, body_pairs *pairs, abut_error *error);
void candidates_free(body_pairs *pairs);

/* Where the second body of a pair is met: by how much it is shifted. */
vec3 candidates_shift(const body_pairs *pairs, abut_index row, int dimension);

#endif
