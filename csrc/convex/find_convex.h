/* Finding the contacts of pairs of convex bodies that need no checks. */
#ifndef CONVEX_FIND_CONVEX_H
#define CONVEX_FIND_CONVEX_H

#include "../abut/convex.h"

/* What abut_convex_find does with a query whose pairs are given, and with rows of the step before
 * only if `match` says which of them each pair continues. The columns stay until the contacts are
 * freed. */
abut_status convex_find_given(const abut_convex_finder *finder, const abut_convex_query *query,
                              abut_convex_contacts **contacts, abut_error *error);

#endif
