/* Cuts large facets into pieces for bins. The box of a facet far larger than a sphere is mostly
 * empty; the boxes of its pieces are less so. */
#ifndef BINS_PIECES_H
#define BINS_PIECES_H

#include "../mesh/mesh_data.h"

/* Triangles that cover the facets of a mesh, those of a facet side by side, in the order of facets.
 * Of each record only corners, normal and facet are set, and `noise`: the largest extent of the
 * facet's pieces. */
typedef struct pieces {
    triangle *items;
    abut_index count, capacity;
} pieces;

/* About how many pieces facets would be cut into for spheres of this reach. Returns 0 if large
 * facets are less than half of the mesh's area, or pieces would take too much memory. */
double pieces_expected(const abut_mesh *mesh, double reach);

/* Cuts the facets. Zero-initialize, free items with memory_free. Returns ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status pieces_build(pieces *p, const abut_mesh *mesh, double reach);

#endif
