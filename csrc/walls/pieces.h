/* Large facets in pieces: the box of a long facet says little of where it is, the boxes of its
 * pieces say more. */
#ifndef WALLS_PIECES_H
#define WALLS_PIECES_H

#include "mesh.h"

/* Pieces that one facet may have. */
enum { PIECE_LIMIT = 64 };

/* Write the boxes of pieces that cover a facet: none has an extent above `length` where `limit`
 * pieces will do. Returns how many; 1 <= limit <= PIECE_LIMIT. */
int32_t facet_pieces(const abut_mesh *mesh, abut_index facet, double length, int32_t limit,
                     box *pieces);

#endif
