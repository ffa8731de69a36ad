/* Rows whose laws are functions of users. */
#ifndef DEM_OWN_ROWS_H
#define DEM_OWN_ROWS_H

#include "row_laws.h"

/* Apply one law to rows of a block that have it alone, as they are in the table at `where`; the
 * block is filled up. Returns whether an overlap is to be watched. */
bool own_rows_apply(row_laws *r, law_block *of, const abut_own_law *l, const abut_index *where);

/* Name the first row that exerts what is not finite, which a block has alone: ABUT_LAW_NOT_FINITE;
 * the simulation keeps its numbers. */
abut_status own_rows_name_bad(const row_laws *r, const row_block *rows, abut_error *error);

#endif
