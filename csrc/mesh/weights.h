/* Nodal weights: which part of a contact's force each vertex of its facet carries. */
#ifndef MESH_WEIGHTS_H
#define MESH_WEIGHTS_H

#include "mesh_data.h"

/* Where on which facet a force acts. */
typedef struct force_point {
    vec3 point;
    double along; /* EDGE: 0 ... 1 from the facet's corner `feature` to the next */
    int32_t facet;
    int32_t feature;
    int32_t triangle; /* number in mesh->triangles of the one that holds the point */
    uint8_t type;     /* abut_type */
} force_point;

/* The vertices that carry the force of a contact with this feature of a facet, in the facet's
 * order: all corners that are not flat for FACET, two for EDGE, one for VERTEX. Returns how many.
 */
abut_index weights_list_nodes(const abut_mesh *mesh, abut_index facet, abut_type type,
                              abut_index feature, abut_index *nodes);

/* Fill nodes, as weights_list_nodes has them, and weights. */
void weights_fill(const abut_mesh *mesh, const force_point *at, abut_weights kind,
                  abut_index *nodes, double *weights);

/* FACET contacts on facets that are triangles. Rows that are read have three numbers, and a fourth
 * that may be anything. */
typedef struct triangle_points {
    const abut_mesh *mesh;
    const triangle *const *of;
    const double *const *center; /* rows: the sphere's, in the mesh's frame */
    const double *const *offset; /* rows: center - point, likewise */
    double *point;               /* out, rows of three: triangle_point */
    double *weight; /* out, rows of three: of the facet's corners 0, 1 and 2, as weights_fill */
} triangle_points;

typedef void weights_triangles_kernel(abut_index count, const triangle_points *points);

/* The same bits as triangle_point and weights_fill. */
weights_triangles_kernel weights_triangles_baseline, weights_triangles_v3, weights_triangles_v4;

#endif
