/* Rows whose laws are functions of users. */
#ifndef DEM_OWN_ROWS_H
#define DEM_OWN_ROWS_H

#include "rows.h"

/* Apply one law to rows of a block that have it alone, as they are in the table at `where`; the
 * block is filled up. Returns whether an overlap is to be watched. */
bool own_rows_apply(row_laws *r, law_block *of, const abut_own_law *l, const abut_index *where);

/* ABUT_OK; or ABUT_LAW_NOT_FINITE with the first row that exerts what is not finite, whose numbers
 * the simulation keeps. */
abut_status own_rows_check(row_laws *r, abut_error *error);

#endif
