/* Rows whose laws are functions of users. */
#ifndef DEM_OWN_ROWS_H
#define DEM_OWN_ROWS_H

#include "row_laws.h"

/* Apply one law to rows of a block that have it alone, as they are in the table at `where`; the
 * block is filled up. Returns whether an overlap is to be watched. */
bool own_rows_apply(row_laws *r, law_block *of, const abut_own_law *l, const abut_index *where);

/* Keep what the law of a row, which a block has alone, says of it: abut_law_case. */
void own_rows_keep_case(const row_laws *r, const row_block *rows, abut_index bad);

#endif
