/* Large facets in pieces, for bins: the box of a facet that is far larger than a sphere says little
 * of where it is, the boxes of its pieces say more. */
#ifndef BINS_PIECES_H
#define BINS_PIECES_H

#include "../mesh/mesh_data.h"

/* Triangles that cover the facets of a mesh, those of a facet side by side, in the order of facets.
 * Of each record corners, normal and facet are there, and as `noise` the largest extent of the
 * facet's pieces. */
typedef struct pieces {
    triangle *items;
    abut_index count, capacity;
} pieces;

/* About how many pieces facets would be cut into for spheres of this reach; 0 where that does not
 * pay: facets larger than spheres do not make up most of the mesh, or are so many that pieces would
 * take more memory than facets are worth. */
double pieces_expected(const abut_mesh *mesh, double reach);

/* Cut the facets; zero-initialize. ABUT_OK or ABUT_NO_MEMORY; free items with memory_free. */
abut_status pieces_build(pieces *p, const abut_mesh *mesh, double reach);

#endif
