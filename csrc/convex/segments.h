/* Links between two features: what the walks of the shortest link method do not find, or slowly. */
#ifndef CONVEX_SEGMENTS_H
#define CONVEX_SEGMENTS_H

#include "closest.h"

/* A link on its way: a foot on each body, each in its body's frame. */
typedef struct span {
    foot a, b;
    vec3 across; /* from a to b, in A's frame */
    double length;
} span;

span span_make(const convex_pair *pair, foot a, foot b);

/* A vector less its part along a unit one. */
static inline vec3 less_along(vec3 a, vec3 along)
{
    return vec3_sub(a, vec3_scale(along, vec3_dot(along, a)));
}

/* A straight piece of a body's surface: an edge, or a side of a polygon. */
typedef struct segment {
    vec3 from, along; /* its first vertex; unit */
    double length;
    int32_t vertices[2];
    convex_end inside; /* what lies between them */
} segment;

segment segment_read(const convex_body *body, convex_end end);

/* Two segments in A's frame, and how they cross. */
typedef struct crossing {
    segment a, b;
    segment b_own; /* in B's frame */
    vec3 cross;    /* along a x along b: its length is their angle's sine */
    double sine_sq;
    double at_a, at_b; /* where their lines are closest, from the first vertices; NaN: parallel */
} crossing;

crossing crossing_read(const convex_pair *pair, convex_end a, convex_end b);

/* Whether the lines are closest between the ends of both segments. */
bool crossing_is_inside(const crossing *c);

/* The link there. */
span crossing_span(const convex_pair *pair, const crossing *c);

/* The shortest link between the features of a link, or one that is no longer and between features
 * that lie on these; the link itself where that is not shorter. */
span segments_shorten(const convex_pair *pair, const span *s);

#endif
