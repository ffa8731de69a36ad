/* Bins: which facets may touch a sphere. All of these facets are in one bucket of each level, in
 * any scene.
 *
 * A facet's box is grown by the reach of the largest sphere of the set. The facet is in all cells
 * that overlap this box and are near the facet's plane. Cell sizes are powers of two, close to the
 * sizes of the grown boxes, so that a facet is in at most 3 x 3 x 3 cells. Two kinds of facets are
 * in more cells: a few larger facets that use the cells of smaller ones, and long narrow facets in
 * slices (slices.h). For a sphere, one cell of each level is read: the cell that contains its
 * center.
 *
 * A compact mesh has a bucket for each cell of its bounds, row by row. In a level with too many
 * cells for its facets, cells repeat modulo a power of two. If two cells share a bucket, spheres
 * there only have more candidates. */
#ifndef BINS_BINS_H
#define BINS_BINS_H

#include "../abut/mesh.h"
#include "../base/box.h"
#include "../base/lattice.h"

/* Facets of similar size and their cells. A cell's center is at its number times the cell size: x
 * is in cell rint(x * inv_cell), ties to even. Adding and subtracting 1.5 * 2^52 rounds in the same
 * way. */
typedef struct bin_level {
    double inv_cell;        /* 1 / cell size, a power of two: x * inv_cell is exact, and so is the
                               distance from the cell's center. Cells are at least as large as the
                               set's reach */
    double low[3], high[3]; /* bounds of grown boxes: spheres centered outside touch no facet */
    uint32_t stride[3];     /* bucket = first + (sum over axes of cell * stride, modulo mask + 1),
                               modulo 2^32 */
    uint32_t mask;  /* number of buckets, a power of two, minus 1; 2^32 - 1 if each cell has one */
    uint32_t first; /* bucket of cell 0, 0, 0, which need not exist */
} bin_level;

typedef struct bins {
    bin_level *levels;
    int32_t level_count; /* at least 1 */
    uint32_t *begins;    /* length bucket_count + 1: bucket b has the entries begins[b] ... begins[b
                            + 1] - 1, by increasing facet number */
    uint32_t *occupied;  /* bit b & 31 of word b >> 5 is set if bucket b has entries */
    uint16_t *plane;     /* length bucket_count: 1 + the number of the plane that surely holds all
                            facets of the bucket (mesh/planes.h), or 0; NULL if few buckets have a
                            plane */
    double off;   /* the largest distance of a facet's corner from its plane, over all planes in
                     `plane` */
    double slack; /* how far vertices may move; the boxes, heights and slabs of facets are enlarged
                     by it */
    int64_t bucket_count, entry_count;

    /* arrays of entry_count + BINS_PADDING (filling.h) elements */
    int32_t *facet;
    uint16_t *low[3], *high[3]; /* the facet's box, not grown, in units of the entry's own cell;
                                   rounded outward by one unit more than rounding needs, clipped to
                                   the range of units */

    /* The facet's bounds along an axis of its own (slabs.h), entry_count + BINS_PADDING each; NULL
     * if boxes are enough. */
    int16_t *slab_low, *slab_high; /* in steps of two units from the middle of the entry's own cell,
                                      rounded outward, clipped to 16 bits */
    int8_t *across[3];             /* components of the axis, in 128ths; its length is at most 1 */
} bins;

/* The bucket of a cell, in a level where each cell has its own. */
static inline uint32_t bins_bucket(const bin_level *level, const double cell[3])
{
    uint32_t bucket = level->first;
    for (int axis = 0; axis < 3; axis++) {
        bucket += (uint32_t)(int64_t)cell[axis] * level->stride[axis];
    }
    return bucket;
}

/* The bucket of a cell in any level. x, y and z are whole_bits (filling.h) of the cell's numbers
 * along the axes. */
static inline uint32_t bins_shared_bucket(const bin_level *level, uint64_t x, uint64_t y,
                                          uint64_t z)
{
    /* only the last 32 bits of x, y and z belong to the cell's numbers; the mask removes the
     * rest */
    const uint64_t sum =
        x + (y & UINT32_MAX) * level->stride[1] + (z & UINT32_MAX) * level->stride[2];
    return (uint32_t)(level->first + (sum & level->mask));
}

/* The number of buckets in one word of `occupied`. The buckets of a level fill whole words. */
enum { BINS_WORD = 32 };

/* Bytes that a slab adds to an entry. */
enum { SLAB_BYTES = 2 * sizeof(int16_t) + 3 * sizeof(int8_t) };

/* The part of a mesh that is in bins: facets that touch the box `bounds`, or have an image that
 * does. Boxes of facets are grown by the slack, by which vertices may move. */
typedef struct vicinity {
    box bounds; /* the box, in the mesh's frame */
    lattice lattice;
    double slack;
} vicinity;

/* The whole mesh. */
static inline vicinity vicinity_of_all(void)
{
    return (vicinity){
        .bounds = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}};
}

/* Whether the facet, grown by the slack, is in the vicinity. */
bool vicinity_has(const vicinity *near, const box *facet);

/* Builds bins of the facets in the vicinity, for spheres with a radius plus gap of at most `reach`.
 * Returns NULL if there is no memory, or if the set would have 2^32 entries or more. */
bins *bins_build(const abut_mesh *mesh, double reach, const vicinity *near);

/* Builds bins for many spheres: fewer candidates, at the cost of a longer build. Cells are as small
 * as possible. Facets far larger than the spheres are cut into pieces if that saves time. */
bins *bins_build_fine(const abut_mesh *mesh, double reach, const vicinity *near);

/* Builds one cell with all facets of the vicinity, for spheres as large as the mesh. */
bins *bins_build_whole(const abut_mesh *mesh, const vicinity *near);

void bins_free(bins *set);

/* Allocates `count` empty buckets, or entries. Returns false if there is no memory. */
bool bins_allocate_buckets(bins *set, int64_t count);
bool bins_allocate_entries(bins *set, int64_t count);

/* Finds the cells of a level that may have centers of spheres: along each axis the number of the
 * first cell, and how many there are. */
void bins_find_cells(const bin_level *level, double begin[3], double count[3]);

/* The number of buckets with entries. */
int64_t bins_occupied_count(const bins *set);

/* The memory of a set in bytes. */
int64_t bins_byte_count(const bins *set);

#endif
