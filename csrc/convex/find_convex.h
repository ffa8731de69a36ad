/* Finds the contacts of pairs of convex bodies, without checks. */
#ifndef CONVEX_FIND_CONVEX_H
#define CONVEX_FIND_CONVEX_H

#include "../abut/convex.h"

/* Does what abut_convex_find does, for given pairs. Rows of the step before are used only if
 * `match` gives the row that each pair continues. The query's columns must stay until the contacts
 * are freed. */
abut_status convex_find_given(const abut_convex_finder *finder, const abut_convex_query *query,
                              abut_convex_contacts **contacts, abut_error *error);

#endif
