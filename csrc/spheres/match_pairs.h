/* Finds the pair of the step before that a pair continues. Calls share their memory. */
#ifndef SPHERES_MATCH_PAIRS_H
#define SPHERES_MATCH_PAIRS_H

#include "ordered.h"

/* Zero-initialize. */
typedef struct match_memory {
    ordered_step now, before;
    memory_block found;
    memory_block done[2]; /* uint8_t: matched rows of this step, and of before */
} match_memory;

/* Does what abut_pairs_match does, with the caller's memory. */
abut_status match_steps(const pair_steps *steps, int workers, match_memory *memory,
                        abut_index *match, abut_error *error);
void match_free(match_memory *memory);

#endif
