/* Which row of the step before a pair of bodies continues. */
#ifndef CONVEX_STATES_H
#define CONVEX_STATES_H

#include "../base/sort.h"
#include "candidates.h"

/* Rows of the step before as they are looked up. */
typedef struct earlier_rows {
    const abut_index *match; /* of each pair now: its row before, or -1; NULL: there are no rows */
    memory_block match_block;
    memory_block key_blocks[2], item_blocks[2], end_block; /* of the sort */
} earlier_rows;

/* Match pairs by their two bodies, and several images of the same two by image. The numbers of the
 * rows before are checked; error names the first that is wrong. */
abut_status states_match(const abut_convex_finder *finder, const abut_convex_query *query,
                         const body_pairs *now, earlier_rows *earlier, abut_error *error);
void states_free(earlier_rows *earlier);

#endif
