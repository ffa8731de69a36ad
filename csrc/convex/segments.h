/* Shortens links between two features. Walks (closest.h) shorten them slowly or not at all. */
#ifndef CONVEX_SEGMENTS_H
#define CONVEX_SEGMENTS_H

#include "closest.h"

/* A link during a search: a foot on each body, in that body's frame. */
typedef struct span {
    foot a, b;
    vec3 across; /* from a to b, in A's frame */
    double length;
} span;

span span_make(const convex_pair *pair, foot a, foot b);

/* A vector without its part along a unit vector. */
static inline vec3 less_along(vec3 a, vec3 along)
{
    return vec3_sub(a, vec3_scale(along, vec3_dot(along, a)));
}

/* A straight piece of a body's surface: an edge, or a side of a polygon. */
typedef struct segment {
    vec3 from, along; /* first vertex; unit direction */
    double length;
    int32_t vertices[2];
    convex_end inside; /* the edge or side itself */
} segment;

segment segment_read(const convex_body *body, convex_end end);

/* Two segments in A's frame, and where their lines are closest. */
typedef struct crossing {
    segment a, b;
    segment b_own; /* segment b in B's frame */
    vec3 cross;    /* a.along x b.along; sine_sq: its length, squared */
    double sine_sq;
    double at_a, at_b; /* distances of the closest points from the first vertices; NaN: parallel */
} crossing;

crossing crossing_read(const convex_pair *pair, convex_end a, convex_end b);

/* Whether the closest points of both lines are inside of the segments. */
bool crossing_is_inside(const crossing *c);

/* The link between the closest points of both lines. */
span crossing_span(const convex_pair *pair, const crossing *c);

/* Returns a link that is at most as long as the given one. It is between the same features, or
 * between edges and vertices of these, and it is often the shortest such link. */
span segments_shorten(const convex_pair *pair, const span *s);

#endif
