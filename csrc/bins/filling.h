/* Facets that are placed into bins: blocks of them as arrays, for vector code. */
#ifndef BINS_FILLING_H
#define BINS_FILLING_H

#include <stdint.h>
#include <string.h>

#include "../base/simd.h"
#include "../mesh/mesh_data.h"

/* Positions in a cell are counted in units of cell / 2^14, from one cell below the cell's lower
 * side. So 0 ... 65535 reaches from there to two cells above the cell, and a center is at 2^14 ...
 * 2^15. */
enum { UNIT_BITS = 14, UNITS_PER_CELL = 1 << UNIT_BITS };

/* The number of entries that are culled together. As many may be read after the last entry. */
enum { ENTRIES_AT_ONCE = 32, BINS_PADDING = ENTRIES_AT_ONCE };

/* The number of facets that are placed together. */
enum { FILLING_BLOCK = 64 };

/* The largest number of cells of an item, along an axis and in all. */
enum { CELL_SPAN = 3, ITEM_CELLS = CELL_SPAN * CELL_SPAN * CELL_SPAN };

/* Outward rounding of positions, in units: one for rounding to units, one to spare, and one for
 * rounding of the exact distance. */
enum { OUTWARD = 3 };

/* The grid of a level, as placing facets needs it. */
typedef struct level_scale {
    double inv_cell;
    double reach; /* reach in units, rounded up */
    double reach_in_cells;
    uint32_t stride[3], mask, first;
    uint32_t steps[ITEM_CELLS]; /* offset of each cell's bucket from that of the first cell, before
                                   the mask */
} level_scale;

/* Facets, or parts of facets, with at most CELL_SPAN cells along each axis. Unused places have
 * copies of the first facet. */
typedef struct facet_block {
    int32_t count;
    int32_t facet[FILLING_BLOCK];
    int32_t step[FILLING_BLOCK]; /* the part of the facet: bit k is set if this part begins
                                    CELL_SPAN cells after the facet's first cell along axis k */
    double low[3][FILLING_BLOCK], high[3][FILLING_BLOCK]; /* the facet's box */
    double normal[3][FILLING_BLOCK];                      /* of unit length, or 0 */
    double below[FILLING_BLOCK], above[FILLING_BLOCK];    /* bounds of the facet along the normal,
                                                             from the lower corner of its box */
} facet_block;

/* An item and its cells. Positions are in units, from one cell below the first cell's lower
 * side. */
typedef struct bin_item {
    uint16_t bounds[6]; /* the item's box: low x, y, z, high x, y, z */
    int32_t facet;
    uint32_t bucket; /* the first cell's bucket, before the mask is applied and the level's first
                        bucket is added */
    uint32_t cells;  /* bit 9 x + 3 z + y is set if the item is in the cell that is x, y, z cells
                        after the first */
} bin_item;

/* Entries to be filled. The facet and the box of an entry follow from its item and one of the
 * item's cells. The arrays are longer by BINS_PADDING. */
typedef struct entries_to_fill {
    int64_t count;
    const bin_item *items;
    int32_t *facet;             /* before filling: the entry's item; afterwards: its facet */
    uint16_t *low[3], *high[3]; /* low[0] before filling: the number of the cell's bit in `cells` */
} entries_to_fill;

/* Sets the boxes of a block's facets, in a mesh of triangles. */
typedef void filling_boxes_kernel(const triangle *triangles, facet_block *b);

/* Sets the boxes, the normals, and the bounds along the normals. */
typedef void filling_heights_kernel(const triangle *triangles, facet_block *b);

/* Finds the cells of a block's items. */
typedef void filling_place_kernel(const facet_block *b, const level_scale *scale, bin_item *items);

/* Writes the facet and the box of each entry. */
typedef void filling_finish_kernel(const entries_to_fill *entries);

/* Kernels of each instruction level, and their table. A build need not have all levels. */
#define FILLING_KERNELS(ENTRY)                                                                     \
    ENTRY(filling_boxes)                                                                           \
    ENTRY(filling_heights)                                                                         \
    ENTRY(filling_place)                                                                           \
    ENTRY(filling_finish)

FILLING_KERNELS(KERNEL_FUNCTIONS)

typedef struct filling_kernels {
    FILLING_KERNELS(KERNEL_POINTER)
} filling_kernels;

/* The kernels of the instruction level in use. */
const filling_kernels *filling_take(void);

/* The position, in units, of a point that is `from_center` cells from the middle of its cell. */
static inline uint16_t unit_at(double from_center)
{
    return (uint16_t)(int32_t)((from_center + 1.5) * UNITS_PER_CELL + 0.5);
}

/* Bit `bit` of bin_item.cells stands for a cell. Returns how many cells after the first one it is,
 * along an axis. */
static inline uint32_t cell_along(int bit, int axis)
{
    const int along[3] = {bit / 9, bit % 3, bit / 3 % 3};
    return (uint32_t)along[axis];
}

/* A double below 2^51 plus this number has the nearest whole number in its last bits. */
#define WHOLE 6755399441055744.0

static inline double nearest_whole(double x)
{
    return (x + WHOLE) - WHOLE;
}

/* The bits of x + WHOLE, of which the last 32 are those of the nearest whole number. */
static inline uint64_t whole_bits(double x)
{
    uint64_t bits;
    x += WHOLE;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Bounds of a facet in units, rounded outward. */
static inline double low_in_units(double low, const level_scale *scale)
{
    return nearest_whole(low * (scale->inv_cell * UNITS_PER_CELL)) - OUTWARD;
}

static inline double high_in_units(double high, const level_scale *scale)
{
    return nearest_whole(high * (scale->inv_cell * UNITS_PER_CELL)) + OUTWARD;
}

/* The numbers of the first and the last cell of a facet with these bounds in units. */
static inline double first_cell(double low, const level_scale *scale)
{
    return nearest_whole((low - scale->reach) * (1.0 / UNITS_PER_CELL));
}

static inline double last_cell(double high, const level_scale *scale)
{
    return nearest_whole((high + scale->reach) * (1.0 / UNITS_PER_CELL));
}

#endif
