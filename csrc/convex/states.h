/* Which row of the step before a pair of bodies continues. */
#ifndef CONVEX_STATES_H
#define CONVEX_STATES_H

#include "../spheres/match_pairs.h"
#include "body_pairs.h"

/* Rows of the step before as they are looked up. */
typedef struct earlier_rows {
    const abut_index *match; /* of each pair now: its row before, or -1; NULL: there are no rows */
    memory_block match_block;
    match_memory memory;
} earlier_rows;

/* Match pairs as spheres/match_pairs.c does where normals are not known yet. The numbers of the
 * rows before are checked; error names the first that is wrong. */
abut_status states_match(const abut_convex_finder *finder, const abut_convex_query *query,
                         const body_pairs *now, earlier_rows *earlier, abut_error *error);

/* Take the rows that a query says its pairs continue, which are not checked. */
void states_take(const abut_convex_query *query, earlier_rows *earlier);
void states_free(earlier_rows *earlier);

#endif
