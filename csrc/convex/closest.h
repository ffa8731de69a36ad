/* Finds the point of a body that is closest to another point, by a walk over the body's surface.
 * All coordinates are in the body's frame, in the units of the world. */
#ifndef CONVEX_CLOSEST_H
#define CONVEX_CLOSEST_H

#include "../abut/contacts.h"
#include "pair.h"

/* A point of a body's surface, and the feature that it lies on. */
typedef struct foot {
    convex_end end;
    vec3 point;
} foot;

static inline foot foot_of_vertex(const convex_body *body, int32_t vertex)
{
    return (foot){{ABUT_VERTEX, vertex}, body_vertex(body, vertex)};
}

/* The height of q over a facet's plane. */
static inline double body_height(const convex_body *body, int32_t facet, vec3 q)
{
    const shape_facet *f = &body->shape->facets[facet];
    return vec3_dot(f->normal, q) - f->offset * body->scale;
}

/* Whether the projection of q onto a facet's plane is in the facet. */
bool closest_is_over(const convex_body *body, int32_t facet, vec3 q);

/* The point of one facet that is closest to q. */
foot closest_on_facet(const convex_body *body, int32_t facet, vec3 q);

/* Walks from *place, a point of the surface, to the point that is closest to q, and sets *place to
 * it. Returns false if q is in the body or on it; *place is then some point of the surface. */
bool closest_walk(const convex_body *body, vec3 q, foot *place);

#endif
