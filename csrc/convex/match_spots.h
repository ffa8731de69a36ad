/* Finds the spot of the step before that a spot continues. Columns are not checked. */
#ifndef CONVEX_MATCH_SPOTS_H
#define CONVEX_MATCH_SPOTS_H

#include "../abut/convex.h"

/* The spots of two steps. */
typedef struct spot_steps {
    const abut_spot_step *now, *before;
    const abut_index *row_match; /* each row's row in the step before; -1: the row is new */
    const uint8_t *swapped;      /* whether i and j of a row are swapped; NULL: none are */
} spot_steps;

/* Does what abut_spots_match does, for one row. */
void spots_match_row(const spot_steps *s, abut_index row, abut_index *match);

#endif
