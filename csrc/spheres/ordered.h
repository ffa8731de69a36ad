/* Rows of a step that may be in any order, as match_pairs.c reads them. */
#ifndef SPHERES_ORDERED_H
#define SPHERES_ORDERED_H

#include "../base/memory.h"
#include "steps.h"

enum { ORDERED_BLOCKS = 10 };

typedef struct ordered_step {
    abut_pair_step step;  /* by i, then j, where i < j; columns are the caller's where that holds */
    const int32_t *order; /* which row of the caller's each is; NULL: the same */
    memory_block blocks[ORDERED_BLOCKS];
} ordered_step;

/* Sort a step's rows, whose numbers were checked, where they are in any order; `done` tells which
 * are left out, NULL: none. ABUT_OK or ABUT_NO_MEMORY. Zero-initialize `ordered`; its memory is
 * used again. */
abut_status ordered_make(const abut_pair_step *given, const uint8_t *done, ordered_step *ordered);
void ordered_free(ordered_step *ordered);

#endif
