/* The checked facets of a mesh with all that is derived from them. A built mesh never changes. */
#ifndef MESH_MESH_DATA_H
#define MESH_MESH_DATA_H

#include "../abut/mesh.h"
#include "../base/box.h"
#include "facet.h"
#include "planes.h"

struct abut_mesh {
    abut_mesh_view view; /* what a caller may read */

    /* the view's arrays, writable */
    double *vertices, *normals, *areas, *noise, *normal_noise;
    abut_index *indices, *offsets, *source;
    uint8_t *noise_origin;

    triangle *triangles; /* the fans of all facets, two cache lines each */
    void *triangle_block;
    int32_t *fans; /* facet_count + 1: facet f has the triangles fans[f] ... fans[f + 1] - 1 */
    uint8_t *flat; /* index_count: whether the corner is on its neighbors' chord */
    int32_t *kept; /* facet_count: number of corners that are not flat */
    uint8_t *bent; /* facet_count: whether a corner is off the facet's plane by more than noise; the
                      facet then acts as its fan of triangles */

    plane_set planes; /* only in a mesh of triangles */
};

/* With at most this many triangles, a mesh and its bins take a few megabytes. Waiting for this
 * memory then takes less time than sorting spheres or prefetching triangles. */
enum { CACHED_TRIANGLES = 16384 };

static inline polygon mesh_polygon(const abut_mesh *mesh, abut_index facet)
{
    abut_index first = mesh->offsets[facet];
    return (polygon){mesh->vertices, mesh->indices + first, mesh->offsets[facet + 1] - first};
}

static inline box triangle_box(const triangle *t)
{
    box bounds = box_empty();
    for (int i = 0; i < 3; i++) {
        box_include_point(&bounds, t->corner[i]);
    }
    return bounds;
}

static inline box mesh_box(const abut_mesh *mesh, abut_index facet)
{
    box bounds = triangle_box(&mesh->triangles[mesh->fans[facet]]);
    for (int32_t k = mesh->fans[facet] + 1; k < mesh->fans[facet + 1]; k++) {
        box part = triangle_box(&mesh->triangles[k]);
        box_include(&bounds, &part);
    }
    return bounds;
}

/* A facet's unit normal, by the right-hand rule. */
static inline vec3 mesh_normal(const abut_mesh *mesh, abut_index facet)
{
    return vec3_load(mesh->view.normals + 3 * facet);
}

/* Whether every facet is one triangle; facets and triangles then have the same numbers. */
static inline bool mesh_is_triangles(const abut_mesh *mesh)
{
    return mesh->fans[mesh->view.facet_count] == mesh->view.facet_count;
}

#endif
