/* Sorts rows of a step, which may be in any order, for match_pairs.c. */
#ifndef SPHERES_ORDERED_H
#define SPHERES_ORDERED_H

#include "../base/memory.h"
#include "steps.h"

enum { ORDERED_BLOCKS = 10 };

typedef struct ordered_step {
    abut_pair_step step; /* rows sorted by i, then j; the caller's own columns if they are sorted */
    const int32_t *order; /* the caller's row for each sorted row; NULL: the same rows */
    memory_block blocks[ORDERED_BLOCKS];
} ordered_step;

/* Sorts a step's rows if they may be in any order. Their numbers must have been checked. Rows with
 * `done` set are skipped; if `done` is NULL, none are. Returns ABUT_OK or ABUT_NO_MEMORY.
 * Zero-initialize `ordered` before its first use; later calls use its memory again. */
abut_status ordered_make(const abut_pair_step *given, const uint8_t *done, ordered_step *ordered);
void ordered_free(ordered_step *ordered);

#endif
