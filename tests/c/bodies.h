/* Convex bodies and pairs of them that tests are made with. */
#ifndef ABUT_BODIES_H
#define ABUT_BODIES_H

#include "convex/pair.h"
#include "shapes.h"

enum { MOST_SIDES = 32 };

/* A right prism over a regular polygon, or over any other: corners x, y, counter-clockwise. */
static inline abut_shape *build_prism(int sides, const double *corners, double height)
{
    double vertices[6 * MOST_SIDES];
    abut_index indices[6 * MOST_SIDES], offsets[MOST_SIDES + 3] = {0};
    for (int k = 0; k < sides; k++) {
        const int next = (k + 1) % sides;
        vec3_store(vertices + 3 * k, (vec3){corners[2 * k], corners[2 * k + 1], -0.5 * height});
        vec3_store(vertices + 3 * (sides + k),
                   (vec3){corners[2 * k], corners[2 * k + 1], 0.5 * height});
        indices[k] = sides - 1 - k, indices[sides + k] = sides + k;
        const abut_index side[4] = {k, next, sides + next, sides + k};
        memcpy(indices + 2 * sides + 4 * k, side, sizeof side);
        offsets[k + 3] = 2 * sides + 4 * (k + 1);
    }
    offsets[1] = sides, offsets[2] = 2 * sides;
    const abut_shape_input input = {.dimension = 3,
                                    .vertex_count = 2 * sides,
                                    .facet_count = sides + 2,
                                    .index_count = 6 * sides,
                                    .vertices = vertices,
                                    .indices = indices,
                                    .offsets = offsets};
    abut_shape *shape = NULL;
    return abut_shape_build(&input, &shape, NULL) ? NULL : shape;
}

static inline abut_shape *build_box(double x, double y, double z)
{
    const double corners[8] = {-x, -y, x, -y, x, y, -x, y};
    return build_prism(4, corners, 2.0 * z);
}

static inline abut_shape *build_polygon(int sides, const double *corners)
{
    abut_index indices[2 * MOST_SIDES], offsets[MOST_SIDES + 1] = {0};
    for (int k = 0; k < sides; k++) {
        indices[2 * k] = k, indices[2 * k + 1] = (k + 1) % sides, offsets[k + 1] = 2 * k + 2;
    }
    const abut_shape_input input = {.dimension = 2,
                                    .vertex_count = sides,
                                    .facet_count = sides,
                                    .index_count = 2 * sides,
                                    .vertices = corners,
                                    .indices = indices,
                                    .offsets = offsets};
    abut_shape *shape = NULL;
    return abut_shape_build(&input, &shape, NULL) ? NULL : shape;
}

static inline vec3 draw_vector(double size)
{
    const double x = draw_number(), y = draw_number(), z = draw_number();
    return vec3_scale((vec3){2.0 * x - 1.0, 2.0 * y - 1.0, 2.0 * z - 1.0}, size);
}

/* The hull of random points on a sphere. */
static inline abut_shape *draw_hull(int count)
{
    double points[3 * MOST_POINTS];
    abut_index indices[12 * MOST_POINTS];
    for (int k = 0; k < count; k++) {
        const vec3 at = draw_vector(1.0);
        vec3_store(points + 3 * k, vec3_scale(at, 1.0 / vec3_length(at)));
    }
    const int triangles = find_hull(points, count, indices);
    abut_shape *shape = NULL;
    abut_error error;
    return build_triangles(points, count, indices, triangles, 0.0, &shape, &error) ? NULL : shape;
}

/* The rows of a turn by an angle about a unit axis (Rodrigues). */
static inline void turn_rows(vec3 axis, double angle, vec3 rows[3])
{
    const vec3 unit[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; k++) {
        const vec3 along = vec3_scale(axis, vec3_dot(axis, unit[k]) * (1.0 - cos(angle)));
        const vec3 across = vec3_scale(vec3_cross(axis, unit[k]), -sin(angle));
        rows[k] = vec3_add(vec3_add(vec3_scale(unit[k], cos(angle)), along), across);
    }
}

/* B is turned by an angle about a unit axis, and shifted. */
static inline convex_pair make_pair(const abut_shape *a, const abut_shape *b, vec3 axis,
                                    double angle, vec3 shift)
{
    convex_pair pair = {.a = {a, 1.0}, .b = {b, 1.0}, .shift = shift};
    turn_rows(axis, angle, pair.rows);
    pair.size = a->reach + b->reach;
    pair.tolerance = 1e-11 * pair.size;
    return pair;
}

#endif
