/* Finds, for each pair, the pair of the step before that it continues. One match after the other
 * may use the same memory. */
#ifndef SPHERES_MATCH_PAIRS_H
#define SPHERES_MATCH_PAIRS_H

#include "ordered.h"

/* Memory for a match, which must be zero-initialized. */
typedef struct match_memory {
    ordered_step now, before;
    memory_block found;
    /* uint8_t, for each row of this step and of the step before: whether it is matched */
    memory_block done[2];
} match_memory;

/* Does what abut_pairs_match does, with the caller's memory. */
abut_status match_steps(const pair_steps *steps, int workers, match_memory *memory,
                        abut_index *match, abut_error *error);
void match_free(match_memory *memory);

#endif
