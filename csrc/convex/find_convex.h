/* Finds the contacts of pairs of convex bodies, without checks. */
#ifndef CONVEX_FIND_CONVEX_H
#define CONVEX_FIND_CONVEX_H

#include "../abut/convex.h"

/* Does what abut_convex_find does, for the query's pairs. Uses rows of the last step only if
 * `match` has each pair's row. The query's columns must stay until the contacts are freed. */
abut_status convex_find_given(const abut_convex_finder *finder, const abut_convex_query *query,
                              abut_convex_contacts **contacts, abut_error *error);

#endif
