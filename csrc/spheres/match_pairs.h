/* Which pair of the step before a pair continues, with memory that one call after the other uses.
 */
#ifndef SPHERES_MATCH_PAIRS_H
#define SPHERES_MATCH_PAIRS_H

#include "ordered.h"

/* Zero-initialize. */
typedef struct match_memory {
    ordered_step now, before;
    memory_block found;
    memory_block done[2]; /* uint8_t: rows of now that are matched, rows of before that go on */
} match_memory;

/* What abut_pairs_match does. */
abut_status match_steps(const pair_steps *steps, int workers, match_memory *memory,
                        abut_index *match, abut_error *error);
void match_free(match_memory *memory);

#endif
