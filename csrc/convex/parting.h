/* Planes between two bodies, from the features of a link. */
#ifndef CONVEX_PARTING_H
#define CONVEX_PARTING_H

#include "segments.h"

/* A plane between two bodies: its normal, and the gap between both supports along the normal. This
 * gap is at most the true gap. */
typedef struct parting {
    vec3 normal; /* n: unit, from A to B */
    double gap;  /* g(n) */
} parting;

parting parting_along(const convex_pair *pair, vec3 normal);

/* Computes the normal that a link's features give. Returns false if they give none. */
bool parting_normal(const convex_pair *pair, const span *s, vec3 *normal);

/* Computes the plane with the normal of parting_normal. Returns false if there is none. */
bool parting_read(const convex_pair *pair, const span *s, parting *plane);

/* Whether the features of the link are a face of B - A, the Minkowski difference (entrances.h),
 * that contains the projection of the origin. Such features are a facet and the vertex of the other
 * body that is lowest over it, or two crossing edges. Such a link is the shortest one or, for
 * overlapping bodies, a local minimum of the depth; *s is set to it. If an end is a facet, or if
 * both are edges at an angle, *plane is set in any case. Otherwise plane->gap is -infinity. */
bool parting_stands(const convex_pair *pair, span *s, parting *plane);

/* Does what parting_stands does, for a link of which only the ends are set. If the result is false,
 * *plane is undefined. */
bool parting_still_stands(const convex_pair *pair, span *s, parting *plane);

#endif
