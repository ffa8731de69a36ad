/* Finds the row of the last step that each pair of bodies continues. */
#ifndef CONVEX_STATES_H
#define CONVEX_STATES_H

#include "../spheres/match_pairs.h"
#include "body_pairs.h"

/* The rows of the last step that pairs continue. */
typedef struct earlier_rows {
    const abut_index *match; /* each pair's row in the last step, or -1; NULL: no rows */
    memory_block match_block;
    match_memory memory;
} earlier_rows;

/* Matches pairs with rows of the last step as spheres/match_pairs.c does, without normals, which
 * are not known yet. If the query has pairs and their match, uses that match. Checks the rows or
 * the match. The error has the first wrong number. */
abut_status states_match(const abut_convex_finder *finder, const abut_convex_query *query,
                         const body_pairs *now, earlier_rows *earlier, abut_error *error);

/* Uses the match that the query gives for its pairs, without checks. */
void states_take(const abut_convex_query *query, earlier_rows *earlier);
void states_free(earlier_rows *earlier);

#endif
