/* Which facets may touch a sphere here: one look a level, whatever the scene.
 *
 * A facet's box, grown by the reach of the largest sphere of the set, goes into all cells that it
 * overlaps and its plane comes near. The cell is a power of two no larger than the grown box and
 * larger than half of it, so a facet is in at most 3 x 3 x 3 cells. A sphere reads the one cell of
 * each level that its center is in.
 *
 * Cells have buckets row by row, modulo a power of two: a level has no more buckets than its facets
 * allow, wherever they are. A compact mesh has a bucket for each cell. Two cells in one bucket only
 * mean more candidates. */
#ifndef WALLS_BINS_H
#define WALLS_BINS_H

#include "mesh.h"

/* Positions in a cell are counted in units of cell / 2^14 from one cell below the cell's lower
 * side, so that 0 ... 65535 reaches from one cell below to two cells above it: a center is at
 * 2^14 ... 2^15. */
enum { UNIT_BITS = 14, UNITS_PER_CELL = 1 << UNIT_BITS };

/* Entries behind the last that may be read. */
enum { BINS_PADDING = 32 };

/* Facets of similar size and the cells that they are in. Cells are centered on whole numbers: x is
 * in cell rint(x * inv_cell), ties to even, which adding and subtracting 1.5 * 2^52 rounds to. */
typedef struct bin_level {
    double inv_cell;        /* a power of two: x * inv_cell is exact, and so is the distance from
                               the cell's center. Cells are no smaller than the set's reach */
    double low[3], high[3]; /* of the grown boxes: a center outside touches none of its facets */
    uint32_t stride[3];     /* bucket = first + (sum over axes of cell * stride, modulo mask + 1) */
    uint32_t mask;          /* its buckets - 1, a power of two minus 1 */
    uint32_t first;         /* its first bucket */
} bin_level;

typedef struct bins {
    bin_level *levels;
    int32_t level_count;
    uint32_t *begins; /* bucket_count + 1: bucket b has the entries begins[b] ... begins[b + 1] - 1,
                         facets increasing */
    uint32_t *occupied; /* bit b & 31 of word b >> 5: whether bucket b has entries; one word more */
    int64_t bucket_count, entry_count;

    /* entry_count + BINS_PADDING each */
    int32_t *facet;
    uint16_t *low[3], *high[3]; /* the facet's box, not grown, in units of the entry's own cell,
                                   outward by one unit more than rounding needs, clipped to what
                                   the units count */
} bins;

/* Bins for spheres whose radius plus gap is at most `reach`; NULL where there is no memory, or
 * 2^32 entries. */
bins *bins_build(const abut_mesh *mesh, double reach);

/* One cell with every facet, for spheres as large as the mesh. */
bins *bins_build_whole(const abut_mesh *mesh);

void bins_free(bins *set);

/* What the set takes. */
int64_t bins_byte_count(const bins *set);

#endif
