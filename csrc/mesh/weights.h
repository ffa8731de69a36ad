/* Nodal weights: the part of a contact's force that acts on each vertex of its facet. */
#ifndef MESH_WEIGHTS_H
#define MESH_WEIGHTS_H

#include "mesh_data.h"

/* The facet, feature and point that a force acts on. */
typedef struct force_point {
    vec3 point;
    double along; /* EDGE: 0 ... 1 from the facet's corner `feature` to the next */
    int32_t facet;
    int32_t feature;
    int32_t triangle; /* number in mesh->triangles of the triangle with the point */
    uint8_t type;     /* abut_type */
} force_point;

/* Lists the vertices on which the force of a contact with this feature acts, in the facet's order:
 * all corners that are not flat for FACET, two for EDGE, one for VERTEX. Returns their number. */
abut_index weights_list_nodes(const abut_mesh *mesh, abut_index facet, abut_type type,
                              abut_index feature, abut_index *nodes);

/* Fills nodes, as weights_list_nodes does, and their weights. */
void weights_fill(const abut_mesh *mesh, const force_point *at, abut_weights kind,
                  abut_index *nodes, double *weights);

/* FACET contacts on triangular facets. Input rows have three numbers; a fourth one is ignored. */
typedef struct triangle_points {
    const abut_mesh *mesh;
    const triangle *const *triangle;
    const double *const *center; /* rows: the sphere's center, in the mesh's frame */
    const double *const *offset; /* rows: center - point, in the mesh's frame */
    double *point;               /* output, rows of three: as from triangle_point */
    double *weight; /* output, rows of three: weights of the facet's corners 0, 1 and 2, as from
                       weights_fill */
} triangle_points;

typedef void weights_triangles_kernel(abut_index count, const triangle_points *points);

/* Gives the same bits as triangle_point and weights_fill. */
weights_triangles_kernel weights_triangles_baseline, weights_triangles_v3, weights_triangles_v4;

#endif
