/* Common planes: Cundall's, and the fast one. */
#ifndef CONVEX_COMMON_PLANE_H
#define CONVEX_COMMON_PLANE_H

#include "pair.h"

/* The methods "cp" (common_plane.c) and "fcp" (fast_plane.c); convex_methods. Errors are NaN. */
void common_plane_find(const convex_pair *pair, const convex_link *before,
                       const abut_convex_options *options, convex_link *link);
void fast_plane_find(const convex_pair *pair, const convex_link *before,
                     const abut_convex_options *options, convex_link *link);

/* A plane across a direction, which is tried, with the vertices that are nearest to it. */
typedef struct tried_plane {
    vec3 normal;
    support_gap at;
    convex_end ends[2]; /* what the direction was taken from: of the fast common plane */
} tried_plane;

/* That which the search begins with: the last one, or across the line of the centroids. Its ends
 * are the nearest vertices. */
tried_plane plane_begin(const convex_pair *pair, const convex_link *before);

/* Two directions on a plane, perpendicular to each other; of polygons the first is in theirs. */
static inline void plane_axes(const convex_pair *pair, vec3 n, vec3 axes[2])
{
    if (pair->a.shape->dimension == 2) {
        axes[0] = (vec3){-n.y, n.x, 0.0};
        axes[1] = (vec3){0.0, 0.0, 1.0};
        return;
    }
    /* T. Duff et al., "Building an orthonormal basis, revisited", JCGT 6 (2017) */
    const double sign = copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    axes[0] = (vec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    axes[1] = (vec3){b, sign + n.y * n.y * a, -n.y};
}

/* Whether a gap is one, none or less, where the search has ended. */
static inline int32_t plane_status(const convex_pair *pair, double gap)
{
    if (fabs(gap) <= pair->tolerance) {
        return ABUT_TOUCHING;
    }
    return gap > 0.0 ? ABUT_SEPARATED : ABUT_OVERLAPPING;
}

#endif
