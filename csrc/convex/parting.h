/* Planes between two bodies, from the features of a link. */
#ifndef CONVEX_PARTING_H
#define CONVEX_PARTING_H

#include "segments.h"

/* A plane's normal, and the support gap along it: at most the true gap, whatever the normal. */
typedef struct parting {
    vec3 normal; /* n: unit, from A to B */
    double gap;  /* g(n) */
} parting;

parting parting_along(const convex_pair *pair, vec3 normal);

/* The normal that a link's features give. False: they give none. */
bool parting_normal(const convex_pair *pair, const span *s, vec3 *normal);

/* The plane with that normal. False: there is none. */
bool parting_read(const convex_pair *pair, const span *s, parting *plane);

/* Whether features of the link are a face of B - A that holds the foot of the origin: a facet with
 * the supporting vertex of the other body, or two crossing edges. Such a link is the shortest, or
 * for overlapping bodies a local minimum of the way apart, and *s is set to it. *plane is set in
 * any case if an end is a facet, or if both are edges at an angle; else its gap is -infinity. */
bool parting_stands(const convex_pair *pair, span *s, parting *plane);

/* Does parting_stands for a link with ends only, without feet. False: *plane is undefined. */
bool parting_still_stands(const convex_pair *pair, span *s, parting *plane);

#endif
