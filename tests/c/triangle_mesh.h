/* A mesh of triangles for tests. */
#ifndef TRIANGLE_MESH_H
#define TRIANGLE_MESH_H

#include "abut.h"
#include "base/vec3.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

/* Returns the point turned by `angle` radians about an axis that is skew to all others. */
static inline vec3 turn_point(vec3 p, double angle)
{
    const vec3 axis = {1.0 / sqrt(14.0), 2.0 / sqrt(14.0), 3.0 / sqrt(14.0)};
    const vec3 along = vec3_scale(axis, vec3_dot(axis, p) * (1.0 - cos(angle)));
    const vec3 across = vec3_scale(vec3_cross(axis, p), sin(angle));
    return vec3_add(vec3_add(vec3_scale(p, cos(angle)), across), along);
}

/* Returns a mesh of separate triangles, or NULL if a check fails. `noise`: one for each, or NULL.
 */
static inline abut_mesh *build_noisy_triangles(abut_index count, const double *vertices,
                                               const double *noise)
{
    abut_index *indices = calloc(3 * (size_t)count + 1, sizeof *indices);
    abut_index *offsets = calloc((size_t)count + 1, sizeof *offsets);
    for (abut_index i = 0; i < 3 * count; i++) {
        indices[i] = i;
        offsets[i / 3 + 1] = 3 * (i / 3 + 1);
    }
    abut_mesh_input input = {.vertex_count = 3 * count,
                             .facet_count = count,
                             .index_count = 3 * count,
                             .vertices = vertices,
                             .indices = indices,
                             .offsets = offsets,
                             .noise = noise};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    free(indices);
    free(offsets);
    return mesh;
}

static inline abut_mesh *build_triangles(abut_index count, const double *vertices)
{
    return build_noisy_triangles(count, vertices, NULL);
}

#endif
