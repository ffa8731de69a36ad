/* Shapes for tests: bodies with known facets, and hulls of random points. */
#ifndef ABUT_SHAPES_H
#define ABUT_SHAPES_H

#include "abut.h"
#include "base/vec3.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 64 };

/* Returns whether three points form a facet of the hull. No four points may be in one plane. */
static inline int is_hull_facet(const double *points, int count, int i, int j, int k)
{
    const vec3 a = vec3_load(points + 3 * i);
    const vec3 u = vec3_sub(vec3_load(points + 3 * j), a);
    const vec3 v = vec3_sub(vec3_load(points + 3 * k), a);
    const vec3 normal = vec3_cross(u, v);
    for (int m = 0; m < count; m++) {
        const vec3 w = vec3_sub(vec3_load(points + 3 * m), a);
        if (m != i && m != j && m != k && vec3_dot(normal, w) > 0.0) {
            return 0;
        }
    }
    return 1;
}

/* Finds the triangles of the hull, at most 2 * count; returns their number. */
static inline int find_hull(const double *points, int count, abut_index *indices)
{
    int triangles = 0;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            for (int k = i + 1; k < count; k++) {
                if (k != j && is_hull_facet(points, count, i, j, k)) {
                    indices[3 * triangles] = i, indices[3 * triangles + 1] = j;
                    indices[3 * triangles + 2] = k;
                    triangles++;
                }
            }
        }
    }
    return triangles;
}

/* Returns the shape with these facets, or NULL if it is refused. */
static inline abut_shape *shape_of(int dimension, abut_index vertex_count, const double *vertices,
                                   abut_index facet_count, const abut_index *indices,
                                   const abut_index *offsets, double radius)
{
    const abut_shape_input input = {.dimension = dimension,
                                    .vertex_count = vertex_count,
                                    .facet_count = facet_count,
                                    .index_count = offsets[facet_count],
                                    .vertices = vertices,
                                    .indices = indices,
                                    .offsets = offsets,
                                    .radius = radius};
    abut_shape *shape = NULL;
    abut_shape_build(&input, &shape, NULL);
    return shape;
}

/* Builds the shape with these triangles. */
static inline abut_status build_shape(const double *points, int count, const abut_index *indices,
                                      int triangles, double radius, abut_shape **shape,
                                      abut_error *error)
{
    abut_index offsets[2 * MOST_POINTS * 4 + 1];
    for (int f = 0; f <= triangles; f++) {
        offsets[f] = 3 * f;
    }
    const abut_shape_input input = {.dimension = 3,
                                    .vertex_count = count,
                                    .facet_count = triangles,
                                    .index_count = 3 * triangles,
                                    .vertices = points,
                                    .indices = indices,
                                    .offsets = offsets,
                                    .radius = radius};
    return abut_shape_build(&input, shape, error);
}

#endif
