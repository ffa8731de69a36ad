/* Computes volume, center and inertia of a rounded body exactly. It consists of the polyhedron, a
 * prism over each facet, a sector of a cylinder along each edge, and a piece of a sphere at each
 * vertex (Steiner). A rounded polygon has the same parts in one dimension less. */
#ifndef CONVEX_MOMENTS_H
#define CONVEX_MOMENTS_H

#include "shape.h"

/* A symmetric matrix. */
typedef struct matrix3 {
    double xx, yy, zz, xy, xz, yz;
} matrix3;

/* Integrals of 1, x and x x' over a body; x is relative to a point given where they are made. */
typedef struct moments {
    double mass;
    vec3 first;
    matrix3 second;
} moments;

/* The moments of the body without its rounding, and those that its rounding adds; x is relative to
 * `about`. */
moments moments_of_core(const abut_shape *s, vec3 about);
moments moments_of_rounding(const abut_shape *s, vec3 about);
moments moments_add(moments a, moments b);

/* The center of mass, relative to the same point as x, and the inertia about it, row by row. For a
 * polygon inertia[0] is the polar moment. */
vec3 moments_center(const moments *m);
void moments_inertia(const moments *m, int dimension, double inertia[9]);

#endif
