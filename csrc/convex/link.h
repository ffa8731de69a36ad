/* The shortest link method. */
#ifndef CONVEX_LINK_H
#define CONVEX_LINK_H

#include "pair.h"

/* The method "slm"; a convex_method. */
void link_find(const convex_pair *pair, const convex_link *before,
               const abut_convex_options *options, convex_link *link);

/* The link of bodies that are apart. Where they are not, or it does not get that far, the status is
 * OVERLAPPING or UNCONVERGED, with true bounds. */
void link_find_apart(const convex_pair *pair, const convex_link *before, int iterations,
                     convex_link *link);

/* Overlapping bodies (overlap.c): a local minimum of the way apart, which is that of `before` where
 * it still is one. */
void link_find_overlap(const convex_pair *pair, const convex_link *before, int iterations,
                       convex_link *link);

/* Bodies that overlap: the least way apart of all (overlap.c). */
void link_find_global(const convex_pair *pair, convex_link *link);

#endif
