/* A mesh of triangles for tests. */
#ifndef TRIANGLE_MESH_H
#define TRIANGLE_MESH_H

#include "abut.h"

#include "check.h"

/* Of triangles that share no vertex; NULL where a check has failed. */
static inline abut_mesh *build_triangles(abut_index count, const double *vertices,
                                         const abut_index *indices, const abut_index *offsets)
{
    abut_mesh_input input = {.vertex_count = 3 * count,
                             .facet_count = count,
                             .index_count = 3 * count,
                             .vertices = vertices,
                             .indices = indices,
                             .offsets = offsets};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    return mesh;
}

#endif
