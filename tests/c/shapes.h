/* Shapes that tests are made with: bodies with known facets, and hulls of random points. */
#ifndef ABUT_SHAPES_H
#define ABUT_SHAPES_H

#include "abut.h"
#include "base/vec3.h"
#include "convex/pair.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 64 };

/* The hull of points by looking at all planes through three of them: slow, and right where no four
 * are in one plane. */
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

/* Triangles of the hull, at most 2 * count; gives how many. */
static inline int find_hull(const double *points, int count, abut_index *indices)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            for (int k = i + 1; k < count; k++) {
                if (k != j && is_hull_facet(points, count, i, j, k)) {
                    indices[3 * found] = i, indices[3 * found + 1] = j;
                    indices[3 * found + 2] = k;
                    found++;
                }
            }
        }
    }
    return found;
}

/* The shape of triangles. */
static inline abut_status build_triangles(const double *points, int count,
                                          const abut_index *indices, int triangles, double radius,
                                          abut_shape **shape, abut_error *error)
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

/* Between -1 and 1. */
static inline double draw_signed(void)
{
    return 2.0 * draw_number() - 1.0;
}

static inline vec3 draw_direction(void)
{
    for (;;) {
        const vec3 d = {draw_signed(), draw_signed(), draw_signed()};
        const double sq = vec3_norm_sq(d);
        if (sq > 0.01 && sq < 1.0) {
            return vec3_scale(d, 1.0 / sqrt(sq));
        }
    }
}

/* The hull of so many points on an ellipsoid. */
static inline abut_shape *draw_hull(int count, vec3 axes)
{
    double points[3 * MOST_POINTS];
    abut_index indices[6 * MOST_POINTS];
    for (int k = 0; k < count; k++) {
        const vec3 d = draw_direction();
        points[3 * k] = axes.x * d.x, points[3 * k + 1] = axes.y * d.y;
        points[3 * k + 2] = axes.z * d.z;
    }
    abut_shape *shape = NULL;
    build_triangles(points, count, indices, find_hull(points, count, indices), 0.0, &shape, NULL);
    return shape;
}

/* A box about the origin; half its sides are given. */
static inline abut_shape *make_box(double x, double y, double z)
{
    double points[24];
    static const abut_index indices[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                           2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    static const abut_index offsets[7] = {0, 4, 8, 12, 16, 20, 24};
    for (int k = 0; k < 8; k++) {
        points[3 * k] = k % 2 ? x : -x, points[3 * k + 1] = k / 2 % 2 ? y : -y;
        points[3 * k + 2] = k / 4 ? z : -z;
    }
    const abut_shape_input input = {.dimension = 3,
                                    .vertex_count = 8,
                                    .facet_count = 6,
                                    .index_count = 24,
                                    .vertices = points,
                                    .indices = indices,
                                    .offsets = offsets};
    abut_shape *shape = NULL;
    abut_shape_build(&input, &shape, NULL);
    return shape;
}

/* A polygon of so many corners on a circle, at random angles. */
static inline abut_shape *draw_polygon(int count)
{
    double points[2 * MOST_POINTS];
    abut_index indices[2 * MOST_POINTS], offsets[MOST_POINTS + 1] = {0};
    for (int k = 0; k < count; k++) {
        const double angle = 2.0 * PI * (k + 0.8 * draw_number()) / count;
        points[2 * k] = cos(angle), points[2 * k + 1] = sin(angle);
        indices[2 * k] = k, indices[2 * k + 1] = (k + 1) % count;
        offsets[k + 1] = 2 * (k + 1);
    }
    const abut_shape_input input = {.dimension = 2,
                                    .vertex_count = count,
                                    .facet_count = count,
                                    .index_count = 2 * count,
                                    .vertices = points,
                                    .indices = indices,
                                    .offsets = offsets};
    abut_shape *shape = NULL;
    abut_shape_build(&input, &shape, NULL);
    return shape;
}

/* The rotation of a quaternion as rows. */
static inline void turn_rows(const double q[4], vec3 rows[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    rows[0] = (vec3){1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)};
    rows[1] = (vec3){2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)};
    rows[2] = (vec3){2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
}

/* A pair of shapes; B is turned about an axis and its origin is at `shift`. */
static inline convex_pair make_pair(const abut_shape *a, const abut_shape *b, vec3 axis,
                                    double angle, vec3 shift)
{
    const double s = sin(0.5 * angle);
    const double q[4] = {s * axis.x, s * axis.y, s * axis.z, cos(0.5 * angle)};
    convex_pair pair = {.a = {a, 1.0}, .b = {b, 1.0}, .shift = shift};
    turn_rows(q, pair.rows);
    pair.size = a->reach + b->reach;
    pair.tolerance = 1e-11 * pair.size;
    return pair;
}

#endif
