/* The data of a mesh that follow from its vertices, when it is built and when its vertices move. */
#ifndef MESH_DERIVE_H
#define MESH_DERIVE_H

#include "mesh_data.h"

/* Numbers of vertices, facets, corners (indices) and triangles: those in a mesh, or the largest
 * numbers for which its arrays have room. */
typedef struct mesh_counts {
    abut_index vertices, facets, indices, triangles;
} mesh_counts;

/* Allocates all arrays of a mesh but its vertices. Returns false if there is no memory. */
bool derive_allocate(abut_mesh *mesh, mesh_counts capacity);

/* Copies the vertices and checks the copy, so that the checked values are those that are used. */
abut_status derive_vertices(abut_mesh *mesh, const double *vertices, abut_index count,
                            abut_error *error);

/* Sets all data of a facet that queries need. The mesh must have the facet's corners, its noises,
 * and its triangles' place in mesh->fans. In a bent polygon no corner is marked as flat, since its
 * fan needs all of them. */
void derive_facet(abut_mesh *mesh, abut_index facet, const polygon *p, const facet_shape *shape);

/* Sets the view of a mesh with these counts, except its byte count. */
void derive_view(abut_mesh *mesh, mesh_counts counts);

/* The number of bytes that abut_mesh_free releases for a mesh with this capacity. */
abut_index derive_bytes(const abut_mesh *mesh, mesh_counts capacity);

#endif
