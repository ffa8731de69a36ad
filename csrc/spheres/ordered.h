/* Sorts rows of a step, which may be in any order, for match_pairs.c. */
#ifndef SPHERES_ORDERED_H
#define SPHERES_ORDERED_H

#include "../base/memory.h"
#include "steps.h"

enum { ORDERED_BLOCKS = 10 };

typedef struct ordered_step {
    abut_pair_step
        step; /* by i, then j, with i < j; the caller's own columns if these are sorted */
    const int32_t *order; /* the caller's row of each; NULL: the same */
    memory_block blocks[ORDERED_BLOCKS];
} ordered_step;

/* Sorts a step's rows if they may be in any order; their numbers must have been checked. Rows with
 * `done` set are skipped; NULL: none. Returns ABUT_OK or ABUT_NO_MEMORY. Zero-initialize `ordered`;
 * its memory is used again. */
abut_status ordered_make(const abut_pair_step *given, const uint8_t *done, ordered_step *ordered);
void ordered_free(ordered_step *ordered);

#endif
