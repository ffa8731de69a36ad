/* Which facets may touch a sphere here: one look a level, whatever the scene.
 *
 * A facet's box, grown by the reach of the largest sphere of the set, goes into
 * all cells that it overlaps and its plane comes near. Cells are powers of two
 * about as large as the grown boxes: a facet is in at most 3 x 3 x 3, but for a
 * few larger ones that share the cells of the others, and for long narrow ones,
 * whose slices (slices.h) are each in as many. A sphere reads the one
 * cell of each level that its center is in.
 *
 * A compact mesh has a bucket for each cell of its bounds, row by row. In a
 * level that would have more of them than its facets allow, they repeat modulo
 * a power of two: two cells in one bucket only mean more candidates. */
#ifndef BINS_BINS_H
#define BINS_BINS_H

#include "../abut/mesh.h"
#include "../base/box.h"
#include "../base/lattice.h"

/* Facets of similar size and the cells that they are in. Cells are centered on
 * whole numbers: x is in cell rint(x * inv_cell), ties to even, which adding
 * and subtracting 1.5 * 2^52 rounds to. */
typedef struct bin_level {
    double inv_cell;        /* a power of two: x * inv_cell is exact, and so is the
                               distance from the cell's center. Cells are no smaller than
                               the set's reach */
    double low[3], high[3]; /* of the grown boxes: a center outside touches none
                               of its facets */
    uint32_t stride[3];     /* bucket = first + (sum over axes of cell * stride,
                               modulo mask + 1), modulo 2^32 */
    uint32_t mask;          /* a power of two minus 1: its buckets - 1, or 2^32 - 1 where
                               every cell has a bucket of its own */
    uint32_t first;         /* bucket of cell 0, 0, 0, which need not be there */
} bin_level;

typedef struct bins {
    bin_level *levels;
    int32_t level_count; /* at least 1 */
    uint32_t *begins;    /* bucket_count + 1: bucket b has the entries begins[b] ...
                            begins[b + 1] - 1, facets increasing */
    uint32_t *occupied;  /* bit b & 31 of word b >> 5: whether bucket b has
                            entries; one word more */
    uint16_t *plane; /* bucket_count: 1 + the number of the plane that surely holds all facets of
                        a bucket (mesh/planes.h), or 0; NULL where few have one */
    double off;      /* the largest `off` of these planes */
    double slack; /* boxes, heights and slabs of facets are grown by it: so far vertices may go */
    int64_t bucket_count, entry_count;

    /* entry_count + BINS_PADDING each */
    int32_t *facet;
    uint16_t *low[3], *high[3]; /* the facet's box, not grown, in units of the entry's own cell,
                                   outward by one unit more than rounding needs, clipped to what
                                   the units count */

    /* likewise, NULL where boxes tell enough: the facet along an axis of its own, see slabs.h */
    int16_t *slab_low, *slab_high; /* in steps of two units from the middle of the entry's own
                                      cell, outward by all that is rounded, clipped to 16 bits */
    int8_t *across[3];             /* the axis in 128ths, no longer than 1 */
} bins;

/* The bucket of a cell in a level where each has one of its own. */
static inline uint32_t bins_bucket(const bin_level *level, const double cell[3])
{
    uint32_t bucket = level->first;
    for (int axis = 0; axis < 3; axis++) {
        bucket += (uint32_t)(int64_t)cell[axis] * level->stride[axis];
    }
    return bucket;
}

/* Likewise in any level, of a cell whose numbers whole_bits tells. */
static inline uint32_t bins_shared_bucket(const bin_level *level, uint64_t x, uint64_t y,
                                          uint64_t z)
{
    /* the last 32 bits of a cell's number are all that the mask leaves */
    const uint64_t sum =
        x + (y & UINT32_MAX) * level->stride[1] + (z & UINT32_MAX) * level->stride[2];
    return (uint32_t)(level->first + (sum & level->mask));
}

/* Buckets of one word of `occupied`: levels have whole words. */
enum { BINS_WORD = 32 };

/* What an entry takes more where it has a slab. */
enum { SLAB_BYTES = 2 * sizeof(int16_t) + 3 * sizeof(int8_t) };

/* Which part of a mesh bins are made of: the facets whose boxes, or images of them by whole
 * periods, touch a box; and by how much facets are grown, since their vertices may go so far until
 * bins are made anew. */
typedef struct vicinity {
    box bounds; /* in the mesh's frame */
    lattice lattice;
    double slack;
} vicinity;

/* The whole of a mesh. */
static inline vicinity vicinity_of_all(void)
{
    return (vicinity){
        .bounds = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}};
}

/* Whether the facet, grown by the slack, is near. */
bool vicinity_has(const vicinity *near, const box *facet);

/* Bins for spheres whose radius plus gap is at most `reach`, of the facets that are near; NULL
 * where there is no memory, or 2^32 entries. */
bins *bins_build(const abut_mesh *mesh, double reach, const vicinity *near);

/* Likewise, for many spheres: fewer candidates for a longer build. Cells are as small as they may
 * be, and facets far larger than the spheres are cut into pieces where that pays. */
bins *bins_build_fine(const abut_mesh *mesh, double reach, const vicinity *near);

/* One cell with every facet that is near, for spheres as large as the mesh. */
bins *bins_build_whole(const abut_mesh *mesh, const vicinity *near);

void bins_free(bins *set);

/* Room for so many buckets, all of them empty, and for so many entries. False where there is no
 * memory. */
bool bins_allocate_buckets(bins *set, int64_t count);
bool bins_allocate_entries(bins *set, int64_t count);

/* The cells of a level that spheres may be in: the number of the first along each axis, and how
 * many there are. */
void bins_find_cells(const bin_level *level, double begin[3], double count[3]);

/* How many buckets have entries. */
int64_t bins_occupied_count(const bins *set);

/* The memory that a set takes, in bytes. */
int64_t bins_byte_count(const bins *set);

#endif
