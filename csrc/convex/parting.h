/* Planes between two bodies that the features of a link give. */
#ifndef CONVEX_PARTING_H
#define CONVEX_PARTING_H

#include "segments.h"

/* A plane's normal, and the support gap along it: no more than the true gap, whatever the normal.
 */
typedef struct parting {
    vec3 normal; /* n: unit, from A to B */
    double gap;  /* g(n) */
} parting;

parting parting_along(const convex_pair *pair, vec3 normal);

/* The normal of a link's features; false where they give none. */
bool parting_normal(const convex_pair *pair, const span *s, vec3 *normal);

/* The plane along it. */
bool parting_read(const convex_pair *pair, const span *s, parting *plane);

/* Whether a facet of the link with the vertex of the other body that supports it, or two edges that
 * cross, are a face of all vectors from A to B, with the origin's foot inside of it: the shortest
 * link then, or of bodies that overlap a local minimum of the way apart. The link is set to it.
 * The plane is there either way where the ends are a facet or two edges; else its gap is
 * -infinity. */
bool parting_stands(const convex_pair *pair, span *s, parting *plane);

/* The same of ends alone, whose feet need not be there; where they do not stand, the plane may be
 * any. */
bool parting_still_stands(const convex_pair *pair, span *s, parting *plane);

#endif
