/* Facets on their way into bins: some of them as arrays, which vector code places in cells. */
#ifndef BINS_FILLING_H
#define BINS_FILLING_H

#include <stdint.h>
#include <string.h>

#include "../base/simd.h"
#include "../mesh/mesh_data.h"

/* Positions in a cell are counted in units of cell / 2^14 from one cell below the cell's lower
 * side, so that 0 ... 65535 reaches from one cell below to two cells above it: a center is at
 * 2^14 ... 2^15. */
enum { UNIT_BITS = 14, UNITS_PER_CELL = 1 << UNIT_BITS };

/* Entries that are culled in one go, and so entries behind the last that may be read. */
enum { ENTRIES_AT_ONCE = 32, BINS_PADDING = ENTRIES_AT_ONCE };

/* Facets that are placed in one go. */
enum { FILLING_BLOCK = 64 };

/* Cells that an item may be in along an axis, and in all. */
enum { CELL_SPAN = 3, ITEM_CELLS = CELL_SPAN * CELL_SPAN * CELL_SPAN };

/* Outward rounding of positions, in units: one for rounding, one more than culling needs, one for
 * what the exact distance rounds by. */
enum { OUTWARD = 3 };

/* What a level's facets are placed with. */
typedef struct level_scale {
    double inv_cell;
    double reach; /* in units, rounded up */
    double reach_in_cells;
    uint32_t stride[3], mask, first;
    uint32_t steps[ITEM_CELLS]; /* how far each cell is from the first, in buckets */
} level_scale;

/* Parts of facets with at most CELL_SPAN cells along each axis, nearly always the whole facet. All
 * arrays are filled up with copies of an item that is there. */
typedef struct facet_block {
    int32_t count;
    int32_t facet[FILLING_BLOCK];
    int32_t step[FILLING_BLOCK]; /* which part: CELL_SPAN times so many cells from the facet's
                                    first, bit k along axis k */
    double low[3][FILLING_BLOCK], high[3][FILLING_BLOCK]; /* the facet's box */
    double normal[3][FILLING_BLOCK];                      /* unit or 0 */
    double below[FILLING_BLOCK], above[FILLING_BLOCK];    /* where the facet lies along the normal,
                                                             from the lower corner of its box */
} facet_block;

/* An item and its cells. Positions are in units from one cell below the lower side of its first
 * cell. */
typedef struct bin_item {
    uint16_t bounds[6]; /* its box: low x, y, z, high x, y, z */
    int32_t facet;
    uint32_t bucket; /* of the first cell, but for the mask and the level's first bucket */
    uint32_t kept; /* bit 9 x + 3 z + y: whether it is in the cell that is so far from the first */
} bin_item;

/* What entries are filled with: of each its item and the cell of it, which give the facet and its
 * box. There is room for BINS_PADDING more. */
typedef struct entries_to_fill {
    int64_t count;
    const bin_item *items;
    int32_t *facet;             /* at first the item, then its facet */
    uint16_t *low[3], *high[3]; /* low[0] at first: the item's cell, as its bit of `kept` */
} entries_to_fill;

/* Boxes of the facets that a block names, of a mesh of triangles. */
typedef void filling_boxes_kernel(const triangle *triangles, facet_block *b);

/* Likewise, with normals and where the facets lie along them. */
typedef void filling_heights_kernel(const triangle *triangles, facet_block *b);

/* The cells of a block's items, one after the other. */
typedef void filling_place_kernel(const facet_block *b, const level_scale *scale, bin_item *items);

/* The facet and the box of each entry. */
typedef void filling_finish_kernel(const entries_to_fill *entries);

/* The functions of each level, and their table; a build need not have all levels. */
#define FILLING_KERNELS(ENTRY)                                                                     \
    ENTRY(filling_boxes)                                                                           \
    ENTRY(filling_heights)                                                                         \
    ENTRY(filling_place)                                                                           \
    ENTRY(filling_finish)

FILLING_KERNELS(KERNEL_FUNCTIONS)

typedef struct filling_kernels {
    FILLING_KERNELS(KERNEL_POINTER)
} filling_kernels;

/* The functions of the instruction level in use. */
const filling_kernels *filling_take(void);

/* The unit of what is `from_center` cells from the middle of its cell. */
static inline uint16_t unit_at(double from_center)
{
    return (uint16_t)(int32_t)((from_center + 1.5) * UNITS_PER_CELL + 0.5);
}

/* Where cell `bit` of `kept` is, from the first. */
static inline uint32_t cell_along(int bit, int axis)
{
    const int along[3] = {bit / 9, bit % 3, bit / 3 % 3};
    return (uint32_t)along[axis];
}

/* Added to a double below 2^51, this leaves the nearest whole number in its last bits. */
#define WHOLE 6755399441055744.0

static inline double nearest_whole(double x)
{
    return (x + WHOLE) - WHOLE;
}

/* The bits of x with that added: the last 32 are the last ones of the nearest whole number. */
static inline uint64_t whole_bits(double x)
{
    uint64_t bits;
    x += WHOLE;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A bound of a facet in units, rounded outwards. */
static inline double low_in_units(double low, const level_scale *scale)
{
    return nearest_whole(low * (scale->inv_cell * UNITS_PER_CELL)) - OUTWARD;
}

static inline double high_in_units(double high, const level_scale *scale)
{
    return nearest_whole(high * (scale->inv_cell * UNITS_PER_CELL)) + OUTWARD;
}

/* The numbers of the first and the last cell of a facet whose bounds are known in units. */
static inline double first_cell(double low, const level_scale *scale)
{
    return nearest_whole((low - scale->reach) * (1.0 / UNITS_PER_CELL));
}

static inline double last_cell(double high, const level_scale *scale)
{
    return nearest_whole((high + scale->reach) * (1.0 / UNITS_PER_CELL));
}

#endif
