/* The data of a mesh that follow from its vertices, when it is built and when its vertices move. */
#ifndef MESH_DERIVE_H
#define MESH_DERIVE_H

#include "mesh_data.h"

/* Numbers of things that a mesh has, or has room for. */
typedef struct mesh_counts {
    abut_index vertices, facets, indices, triangles;
} mesh_counts;

/* Allocates all arrays of a mesh but its vertices. Returns false if there is no memory. */
bool derive_allocate(abut_mesh *mesh, mesh_counts room);

/* Copies the vertices and checks the copy, so that what is checked is what is used. */
abut_status derive_vertices(abut_mesh *mesh, const double *vertices, abut_index count,
                            abut_error *error);

/* Sets all that queries need of a facet. Its corners, noises and place among the fans must be
 * there. All corners of a bent polygon are needed: none is marked as flat. */
void derive_facet(abut_mesh *mesh, abut_index facet, const polygon *p, const facet_shape *shape);

/* Sets the view of a mesh with these counts, except its byte count. */
void derive_view(abut_mesh *mesh, mesh_counts counts);

/* The bytes that abut_mesh_free releases, of a mesh with that room. */
abut_index derive_bytes(const abut_mesh *mesh, mesh_counts room);

#endif
