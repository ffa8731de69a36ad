/* A set of bins while it is built, and the first half of building: the sizes of the facets, from
 * which levels and their grids follow. */
#ifndef BINS_BIN_LEVELS_H
#define BINS_BIN_LEVELS_H

#include "bins.h"
#include "filling.h"
#include "pieces.h"
#include "slices.h"

/* The cost of a look at one more level, as a number of candidates. It is smaller in a fine set: one
 * level more means smaller cells, and these save exact tests, too. */
#define LOOK_CANDIDATES 40.0
#define FINE_LOOK_CANDIDATES 24.0

/* A level gets cells twice as large if a sphere at the mesh then has at most this many more
 * candidates: fewer entries fit caches better and are built faster. The limit is at most
 * LOOK_CANDIDATES, otherwise two levels could have cells of the same size. A fine set is used so
 * often that its build time does not matter, so its limit is 0. */
#define COARSE_CANDIDATES 40.0
#define FINE_CANDIDATES 0.0

/* The range of classes, which are exponents of cell sizes. It has all sizes of grown boxes; the
 * lowest class also has smaller boxes, since smaller cells would have no finite inverse. */
enum { EXPONENT_LOW = -1000, EXPONENT_COUNT = 1300 };

/* In place of a class: the facet is outside the vicinity and in no bin. */
enum { FAR_AWAY = EXPONENT_COUNT };

/* Facets with grown boxes in one octave of extents. A merged class also has the facets of other
 * octaves. */
typedef struct size_class {
    abut_index count, facet_count; /* count: number of items, each of which is a facet or a slice of
                                      a long facet */
    double extent;                 /* the sum of the grown boxes' extents */
    double area;                   /* the sum of the facets' areas */
    double mean_area;              /* mean area of an item; for merged classes, the smallest of
                                      their means */
    box bounds;
    int32_t level;
    abut_index oversized_count; /* number of facets taken over from the next class */
    double cell;                /* cell size of its level */
    bool is_oversized; /* whether the class is merged into the class before it, with cells half as
                          large */
} size_class;

/* The grid of a level, and which of the builder's items are in it. */
typedef struct level_plan {
    level_scale scale;
    abut_index first_item, item_count;
} level_plan;

/* A set of bins while it is built. */
typedef struct builder {
    const abut_mesh *mesh;
    const vicinity *near;
    abut_index near_count; /* number of facets, or of their pieces, in the vicinity */
    double reach;
    double margin;                             /* reach plus the slack that facets are grown by */
    double look_candidates, coarse_candidates; /* limits for merging levels and enlarging cells */
    pieces pieces; /* triangles that facets are cut into, and that then replace the facets; empty if
                      facets are not cut */
    slicing slicing; /* how facets are sliced if they are not cut; each slice is one item */
    const filling_kernels *kernels;
    bins *set;
    size_class *classes; /* EXPONENT_COUNT: one for each exponent of a cell size */
    uint16_t *numbers;   /* length source_count: the class of each facet or piece, or FAR_AWAY */
    level_plan *plans;   /* level_count: one for each level */
    bin_item *items;     /* the items of each level are contiguous, in the order of facets */
    facet_block *blocks; /* level_count blocks of facets that wait to be placed together; one block
                            while sizes are measured */
} builder;

/* ---- sources: facets, or the pieces that they are cut into ---- */

static inline abut_index source_count(const builder *b)
{
    return b->pieces.items ? b->pieces.count : b->mesh->view.facet_count;
}

/* The triangles of the sources. Triangle k is source k: a piece, or a facet. NULL if some facets
 * have more than three corners and are not cut. */
static inline const triangle *source_triangles(const builder *b)
{
    if (b->pieces.items) {
        return b->pieces.items;
    }
    return mesh_is_triangles(b->mesh) ? b->mesh->triangles : NULL;
}

static inline box source_box(const builder *b, abut_index number)
{
    return b->pieces.items ? triangle_box(&b->pieces.items[number]) : mesh_box(b->mesh, number);
}

static inline int32_t source_facet(const builder *b, int32_t number)
{
    return b->pieces.items ? b->pieces.items[number].facet : number;
}

/* ---- boxes of facets in a block ---- */

static inline box block_box(const facet_block *block, int i)
{
    return (box){{block->low[0][i], block->low[1][i], block->low[2][i]},
                 {block->high[0][i], block->high[1][i], block->high[2][i]}};
}

static inline void block_set_box(facet_block *block, int i, const box *bounds)
{
    for (int axis = 0; axis < 3; axis++) {
        block->low[axis][i] = bounds->low[axis];
        block->high[axis][i] = bounds->high[axis];
    }
}

/* Limits for the number of a level's buckets if cells repeat. With fewer buckets little memory is
 * saved, and two cells of one facet might share a bucket. */
enum { BUCKETS_LOW = 256, BUCKETS_HIGH = 1 << 28 };

/* Makes cells repeat after `buckets` buckets, a power of two from BUCKETS_LOW to BUCKETS_HIGH.
 * Cells share no bucket if their numbers differ by at most CELL_SPAN along each axis. An oversized
 * facet may also be in two cells with a difference of CELL_SPAN + 1. Its grown box is at most that
 * many cells long. So at a given position inside both cells, a center is near the facet in at most
 * one of them. */
void bins_repeat_cells(bin_level *level, uint32_t buckets);

/* Chooses the set's levels and their grids: the level of each class, and the number of buckets.
 * Returns false if there is no memory, or if 32 bits cannot count the buckets. */
bool bins_build_levels(builder *b);

#endif
