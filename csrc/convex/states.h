/* Finds the row of the step before that a pair of bodies continues. */
#ifndef CONVEX_STATES_H
#define CONVEX_STATES_H

#include "../spheres/match_pairs.h"
#include "body_pairs.h"

/* Rows of the step before that pairs continue. */
typedef struct earlier_rows {
    const abut_index *match; /* each pair's row in the step before, or -1; NULL: no rows */
    memory_block match_block;
    match_memory memory;
} earlier_rows;

/* Matches pairs as spheres/match_pairs.c does without normals, which are not known yet. The rows
 * before are checked; the error names the first wrong number. */
abut_status states_match(const abut_convex_finder *finder, const abut_convex_query *query,
                         const body_pairs *now, earlier_rows *earlier, abut_error *error);

/* Uses the rows that the query gives for its pairs, without checks. */
void states_take(const abut_convex_query *query, earlier_rows *earlier);
void states_free(earlier_rows *earlier);

#endif
