/* Rows whose laws are functions of users. */
#ifndef DEM_OWN_ROWS_H
#define DEM_OWN_ROWS_H

#include "row_laws.h"

/* Apply a law to a block of its rows, which is filled up. Returns whether an overlap is to be
 * watched. */
bool own_rows_apply(row_laws *r, row_block *block);

/* Keep what the law of a row, which a block has alone, says of it: abut_law_case. */
void own_rows_keep_case(abut_simulation *s, const law_block *alone);

#endif
