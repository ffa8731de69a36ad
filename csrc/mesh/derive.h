/* What of a mesh follows from its vertices, whether it is built or its vertices have moved. */
#ifndef MESH_DERIVE_H
#define MESH_DERIVE_H

#include "mesh_data.h"

/* How many a mesh has, or has room for. */
typedef struct mesh_counts {
    abut_index vertices, facets, indices, triangles;
} mesh_counts;

/* Room for all arrays of a mesh but its vertices. False: there is no memory. */
bool derive_allocate(abut_mesh *mesh, mesh_counts room);

/* Copy the vertices and check the copy: what is checked is what is used. */
abut_status derive_vertices(abut_mesh *mesh, const double *vertices, abut_index count,
                            abut_error *error);

/* All that queries need of a facet, whose corners, noises and place among the fans are there. A
 * bent polygon needs all its corners: none is called flat. */
void derive_facet(abut_mesh *mesh, abut_index facet, const polygon *p, const facet_shape *shape);

/* What a caller may read of a mesh of so many vertices, facets and corners, but for its bytes. */
void derive_view(abut_mesh *mesh, mesh_counts of);

/* The memory of everything that abut_mesh_free gives back, of a mesh with that room. */
abut_index derive_bytes(const abut_mesh *mesh, mesh_counts room);

#endif
