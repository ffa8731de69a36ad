/* Two methods to compare the shortest link with: Cundall's and the fast common plane. */
#ifndef CONVEX_COMMON_PLANE_H
#define CONVEX_COMMON_PLANE_H

#include "pair.h"

/* Cundall's common plane: the method "cp", of type convex_method. The link's error is NaN. */
void common_plane_find(const convex_pair *pair, const convex_link *before,
                       const abut_convex_options *options, convex_link *link);

/* The fast common plane: the method "fcp", of type convex_method. The link's error is NaN. */
void fast_plane_find(const convex_pair *pair, const convex_link *before,
                     const abut_convex_options *options, convex_link *link);

#endif
