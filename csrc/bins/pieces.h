/* Cuts large facets into pieces for bins. The box of a facet far larger than a sphere is mostly
 * empty; the boxes of its pieces are less so. */
#ifndef BINS_PIECES_H
#define BINS_PIECES_H

#include "../mesh/mesh_data.h"

/* Triangles that cover the facets of a mesh, those of a facet side by side, in the order of facets.
 * Only their corners, normal, facet and `noise` have a meaning. `noise` is the largest extent among
 * the pieces of the facet. */
typedef struct pieces {
    triangle *items;
    abut_index count, capacity;
} pieces;

/* About how many pieces facets would be cut into for spheres of this reach. Returns 0 if large
 * facets are less than half of the mesh's area, or pieces would take too much memory, or the mesh
 * is too far from the origin. */
double pieces_expected(const abut_mesh *mesh, double reach);

/* Cuts the facets. Zero-initialize `p`, and free p->items with memory_free. Returns ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status pieces_build(pieces *p, const abut_mesh *mesh, double reach);

#endif
