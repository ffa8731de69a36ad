/* Contact points (spots): where the features that bear meet on the common plane. */
#ifndef CONVEX_SPOTS_H
#define CONVEX_SPOTS_H

#include "pair.h"

typedef struct convex_spot {
    vec3 point; /* midway between both feature planes along n, in A's frame */
    double gap; /* between both feature planes along n there */
    convex_end ends[2];
} convex_spot;

/* The most spots of a pair, and the most corners for which spots_make needs room. */
int32_t spots_limit(const abut_shape *a, const abut_shape *b);

/* The feature of a body that bears in a direction of its frame: it has a farthest vertex and faces
 * the direction within the angle of this cosine. A facet comes before an edge, this before a
 * vertex. */
convex_end spots_bearing(const convex_body *body, vec3 out, double cosine);

/* Finds the spots of a link, for bodies without their rounding. Returns how many, at least 1.
 * `room` has spots_limit entries for scratch. */
int32_t spots_make(const convex_pair *pair, const convex_link *link, double patch_angle,
                   convex_spot *spots, convex_spot *room);

#endif
