/* Finds the spot of the last step that each spot continues. Columns are not checked. */
#ifndef CONVEX_MATCH_SPOTS_H
#define CONVEX_MATCH_SPOTS_H

#include "../abut/convex.h"

/* The spots of this step and the last one. */
typedef struct spot_steps {
    const abut_spot_step *now, *before;
    const abut_index *row_match; /* for each row, its row in the last step; -1: the row is new */
    const uint8_t *swapped;      /* for each row, whether i and j are swapped; NULL: none are */
} spot_steps;

/* Does what abut_spots_match does, for one row. */
void spots_match_row(const spot_steps *s, abut_index row, abut_index *match);

#endif
