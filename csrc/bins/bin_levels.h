/* A set of bins on its way, and its first half: the sizes of the facets, from which levels and
 * their grids follow. */
#ifndef BINS_BIN_LEVELS_H
#define BINS_BIN_LEVELS_H

#include "bins.h"
#include "filling.h"
#include "pieces.h"
#include "slices.h"

/* What a look at one level more takes, in candidates; and where small cells save exact tests beside
 * them. */
#define LOOK_CANDIDATES 40.0
#define FINE_LOOK_CANDIDATES 24.0

/* Cells twice as large are better where they cost a sphere at the mesh no more candidates than
 * this: fewer entries stay closer to the processor and are built faster. No more than a look takes,
 * or levels would not be merged that have the same cells then. Where a set is used so much that its
 * build does not count, no candidate is spent on that. */
#define COARSE_CANDIDATES 40.0
#define FINE_CANDIDATES 0.0

/* Classes: exponents of cells, all that grown boxes can have but for tiny ones, whose inverse cell
 * would not be finite. */
enum { EXPONENT_LOW = -1000, EXPONENT_COUNT = 1300 };

/* In place of a class: the facet is not near, and in no bin. */
enum { FAR_AWAY = EXPONENT_COUNT };

/* Facets whose grown boxes are as large as one cell. */
typedef struct size_class {
    abut_index count, facet_count; /* count: each slice of a long facet is one */
    double extent;                 /* sum of the grown boxes' */
    double area;                   /* sum of the facets' */
    double share; /* mean area of a facet; of merged classes, the least of these means */
    box bounds;
    int32_t level;
    abut_index wide_count; /* facets of the next class that are in it, too */
    double cell;           /* of its level */
    bool is_wide;          /* it is in the class before, whose cells are half as large */
} size_class;

/* The facets of a level and where they are. */
typedef struct level_plan {
    level_scale scale;
    abut_index first_item, item_count;
} level_plan;

/* A set on its way. */
typedef struct builder {
    const abut_mesh *mesh;
    const vicinity *near;
    abut_index near_count; /* facets, or their pieces, that are near */
    double reach;
    double margin;                             /* reach, and the slack that facets are grown by */
    double look_candidates, coarse_candidates; /* what it spends on fewer levels, on fewer cells */
    pieces pieces;   /* what stands for the facets where they are cut; numbers are
                        theirs then */
    slicing slicing; /* else how they are sliced: then each is several items */
    const filling_kernels *kernels;
    bins *set;
    size_class *classes; /* EXPONENT_COUNT */
    uint16_t *numbers;   /* facet_count: of their classes, or FAR_AWAY */
    level_plan *plans;   /* level_count */
    bin_item *items;     /* those of a level side by side, in the order of facets */
    facet_block *blocks; /* level_count: facets that wait to be placed together */
} builder;

/* ---- facets, or their pieces ---- */

static inline abut_index source_count(const builder *b)
{
    return b->pieces.items ? b->pieces.count : b->mesh->view.facet_count;
}

/* The triangles of facets, which have the same numbers; NULL where facets are polygons. */
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

static inline void block_set_box(facet_block *block, int i, const box *own)
{
    for (int axis = 0; axis < 3; axis++) {
        block->low[axis][i] = own->low[axis];
        block->high[axis][i] = own->high[axis];
    }
}

/* Buckets of a level: with fewer, which take too little to save, cells of one facet may meet where
 * they repeat. */
enum { BUCKETS_LOW = 256, BUCKETS_HIGH = 1 << 28 };

/* Cells repeat after so many buckets, a power of two from BUCKETS_LOW to BUCKETS_HIGH. No two cells
 * in which a center may be near one facet share one: those of wide facets are up to CELL_SPAN
 * apart, farther ones are not both within the facet's grown box. */
void bins_repeat_cells(bin_level *level, uint32_t buckets);

/* Choose the set's levels and their grids: which class is in which level, and how many buckets
 * there are. False where there is no memory, or 2^32 buckets. */
bool bins_build_levels(builder *b);

#endif
