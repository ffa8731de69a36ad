/* Contact points (spots): the corners of the area that two features share on the common plane. */
#ifndef CONVEX_SPOTS_H
#define CONVEX_SPOTS_H

#include "pair.h"

typedef struct convex_spot {
    vec3 point; /* midway between the planes of both features along n, in A's frame */
    double gap; /* distance of these planes along n at the point */
    convex_end ends[2];
} convex_spot;

/* The largest number of spots of a pair. spots_make needs scratch memory for as many corners. */
int32_t spots_limit(const abut_shape *a, const abut_shape *b);

/* The bearing feature of a body along a direction `out` of its frame: a facet, else an edge, else a
 * vertex. It contains the vertex that is farthest along `out`. A facet or edge faces `out` within
 * the angle that has this cosine. */
convex_end spots_bearing(const convex_body *body, vec3 out, double cosine);

/* Finds the spots of a link, for bodies without their rounding. Returns their number, which is at
 * least 1. `spots` and the scratch array `room` have spots_limit entries each. */
int32_t spots_make(const convex_pair *pair, const convex_link *link, double patch_angle,
                   convex_spot *spots, convex_spot *room);

#endif
