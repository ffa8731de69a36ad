/* Contact points: where the features that bear meet on the common plane. */
#ifndef CONVEX_SPOTS_H
#define CONVEX_SPOTS_H

#include "pair.h"

typedef struct convex_spot {
    vec3 point; /* midway between both feature planes along n, in A's frame */
    double gap; /* between both feature planes along n there */
    convex_end ends[2];
} convex_spot;

/* How many spots a pair has at most; and how many corners spots_make needs room for. */
int32_t spots_limit(const abut_shape *a, const abut_shape *b);

/* The feature of a body that faces a direction of its frame within the angle of this cosine and has
 * a vertex that is farthest along it: a facet before an edge before the vertex. */
convex_end spots_bearing(const convex_body *body, vec3 out, double cosine);

/* The spots of a link; returns how many, 1 at least. `room` has spots_limit entries more, for what
 * is computed on the way. Of bodies without their rounding. */
int32_t spots_make(const convex_pair *pair, const convex_link *link, double patch_angle,
                   convex_spot *spots, convex_spot *room);

#endif
