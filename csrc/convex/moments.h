/* Computes volume, center and inertia of a rounded body exactly. The body consists of the
 * polyhedron, a prism over each facet, a sector of a cylinder along each edge, and a piece of a
 * sphere at each vertex (Steiner's formula). A rounded polygon has the same parts in one dimension
 * less. */
#ifndef CONVEX_MOMENTS_H
#define CONVEX_MOMENTS_H

#include "shape.h"

typedef struct matrix3 {
    double xx, yy, zz, xy, xz, yz;
} matrix3;

/* Integrals of 1, x and x x' over a body. The coordinates x are relative to the point `about` of
 * the functions that compute moments. */
typedef struct moments {
    double mass;
    vec3 first;
    matrix3 second;
} moments;

/* The moments of a shape without its rounding. */
moments moments_of_core(const abut_shape *s, vec3 about);

/* The moments of the parts that the rounding adds. */
moments moments_of_rounding(const abut_shape *s, vec3 about);

moments moments_add(moments a, moments b);

/* The center of mass, relative to `about`. */
vec3 moments_center(const moments *m);

/* Computes the inertia about the center of mass, row by row; for a polygon the polar moment
 * alone. */
void moments_inertia(const moments *m, int dimension, double inertia[9]);

#endif
