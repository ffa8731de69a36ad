/* Methods that the shortest link is compared with: Cundall's common plane, and the fast one. */
#ifndef CONVEX_COMMON_PLANE_H
#define CONVEX_COMMON_PLANE_H

#include "pair.h"

/* The methods "cp" and "fcp", of type convex_method. Errors are NaN. */
void common_plane_find(const convex_pair *pair, const convex_link *before,
                       const abut_convex_options *options, convex_link *link);
void fast_plane_find(const convex_pair *pair, const convex_link *before,
                     const abut_convex_options *options, convex_link *link);

#endif
