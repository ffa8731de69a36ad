/* Facets in cells: boxes of triangles, the cells near them, and entries' boxes. */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "filling.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* ---- triangles as arrays ---- */

/* Doubles that are read of a triangle: three corners, then the normal. */
enum { CORNER_NUMBERS = 9, NUMBERS = 12, NUMBERS_READ = (NUMBERS + LANES - 1) / LANES * LANES };

/* Loads LANES triangles: numbers[k] has number k of each. */
LANES_INLINE void load_triangles(const triangle *triangles, const int32_t *facet, int count,
                                 lanes numbers[NUMBERS_READ])
{
    const double *rows[LANES];
    for (int i = 0; i < LANES; i++) {
        rows[i] = &triangles[facet[i]].corner[0].x;
    }
    lanes_transpose_all(rows, count, numbers);
}

LANES_INLINE lanes lanes_low(lanes a, lanes b)
{
    return lanes_select(lanes_less(a, b), a, b);
}

LANES_INLINE lanes lanes_high(lanes a, lanes b)
{
    return lanes_select(lanes_less(a, b), b, a);
}

LANES_INLINE void store_boxes(facet_block *b, int begin, const lanes numbers[CORNER_NUMBERS])
{
    for (int axis = 0; axis < 3; axis++) {
        lanes p = numbers[axis], q = numbers[axis + 3], r = numbers[axis + 6];
        lanes_store(b->low[axis] + begin, lanes_low(lanes_low(p, q), r));
        lanes_store(b->high[axis] + begin, lanes_high(lanes_high(p, q), r));
    }
}

void KERNEL(filling_boxes)(const triangle *triangles, facet_block *b)
{
    for (int begin = 0; begin < b->count; begin += LANES) {
        lanes numbers[NUMBERS_READ];
        load_triangles(triangles, b->facet + begin, CORNER_NUMBERS, numbers);
        store_boxes(b, begin, numbers);
    }
}

LANES_INLINE lanes height(const lanes corner[3], lanes3 normal, lanes3 origin)
{
    lanes3 at = {corner[0], corner[1], corner[2]};
    return lanes3_dot(normal, lanes3_sub(at, origin));
}

void KERNEL(filling_heights)(const triangle *triangles, facet_block *b)
{
    for (int begin = 0; begin < b->count; begin += LANES) {
        lanes numbers[NUMBERS_READ];
        load_triangles(triangles, b->facet + begin, NUMBERS, numbers);
        store_boxes(b, begin, numbers);
        lanes3 normal = {numbers[9], numbers[10], numbers[11]};
        lanes3 low = {lanes_load(b->low[0] + begin), lanes_load(b->low[1] + begin),
                      lanes_load(b->low[2] + begin)};
        lanes first = height(numbers, normal, low), second = height(numbers + 3, normal, low),
              third = height(numbers + 6, normal, low);
        lanes_store(b->below + begin, lanes_low(lanes_low(first, second), third));
        lanes_store(b->above + begin, lanes_high(lanes_high(first, second), third));
        lanes_store(b->normal[0] + begin, normal.x);
        lanes_store(b->normal[1] + begin, normal.y);
        lanes_store(b->normal[2] + begin, normal.z);
    }
}

/* ---- cells ----
 *
 * Plain loops over arrays without branches, which compilers vectorize. */

/* Intermediate results for the items of a block. */
typedef struct cells_of_block {
    double place[3][FILLING_BLOCK]; /* center of the first cell, from the box's lower corner, in
                                       cells */
    uint16_t bounds[6][FILLING_BLOCK];
    uint32_t bucket[FILLING_BLOCK];
    uint32_t box_cells[FILLING_BLOCK]; /* all cells of the box, as bin_item.cells */
    uint64_t front[FILLING_BLOCK], back[FILLING_BLOCK]; /* see find_limits */
    uint64_t y[FILLING_BLOCK], z[FILLING_BLOCK];
    uint32_t cells[FILLING_BLOCK];
} cells_of_block;

/* The nearest whole number; negative ones modulo 2^64. */
LANES_INLINE uint64_t to_whole(double x)
{
    return whole_bits(x) - UINT64_C(0x4338000000000000);
}

/* ROW_CELLS[axis][n - 1]: bits of the first n cells along an axis. Cell x, y, z: bit 9 x + 3 z +
 * y. */
static const uint32_t ROW_CELLS[3][CELL_SPAN] = {{1, 1 | 1 << 9, 1 | 1 << 9 | 1 << 18},
                                                 {1, 1 | 1 << 1, 1 | 1 << 1 | 1 << 2},
                                                 {1, 1 | 1 << 3, 1 | 1 << 3 | 1 << 6}};

/* Finds the cells of a block's items along an axis, at most CELL_SPAN of each. Wider facets have
 * two items there. */
LANES_INLINE void find_cells_along(const facet_block *b, const level_scale *scale, int axis,
                                   cells_of_block *restrict c)
{
    const level_scale s = *scale;
    const double one_below = 1.5 * UNITS_PER_CELL, most = 65535.0;
    const uint32_t *row = ROW_CELLS[axis];
    const uint32_t one = row[0], two = row[1], three = row[2];
    for (int i = 0; i < FILLING_BLOCK; i++) {
        double low = low_in_units(b->low[axis][i], &s);
        double high = high_in_units(b->high[axis][i], &s);
        double first = first_cell(low, &s) + CELL_SPAN * (double)(b->step[i] >> axis & 1);
        double last = last_cell(high, &s) - first;
        double begin = first * UNITS_PER_CELL - one_below;
        low -= begin;
        high -= begin;
        low = low > 0.0 ? low : 0.0;
        high = high < most ? high : most;
        c->place[axis][i] = first - b->low[axis][i] * s.inv_cell;
        c->bounds[axis][i] = (uint16_t)(int32_t)low;
        c->bounds[axis + 3][i] = (uint16_t)(int32_t)high;
        c->bucket[i] += (uint32_t)whole_bits(first) * s.stride[axis];
        c->box_cells[i] *= last < 1.0 ? one : last < 2.0 ? two : three;
    }
}

/* Three numbers of 21 bits in one of 64 bits. One addition adds all three, as long as each stays in
 * 0 ... 2^21 - 1. The highest bit of each number is its sign: set if it is not negative. */
enum { TRIPLE_BITS = 21 };
#define TRIPLE_ONE (UINT64_C(1) | UINT64_C(1) << TRIPLE_BITS | UINT64_C(1) << 2 * TRIPLE_BITS)
#define TRIPLE_SIGN (TRIPLE_ONE << (TRIPLE_BITS - 1))

/* Heights over planes are counted in whole steps, PLANE_UNITS of them in a cell. The rounding of
 * all terms together is less than PLANE_OUTWARD steps. */
#define PLANE_UNITS 32768.0
#define PLANE_OUTWARD 8.0

/* Sets `front` and `back`: how far the centers of the first three cells along x are within two
 * limits, one in front of each facet's plane and one behind. The limits are the reach plus half a
 * cell away from the facet. `y` and `z` are the steps in height from a cell to the next one along
 * these axes. */
LANES_INLINE void find_limits(const facet_block *b, const level_scale *scale,
                              cells_of_block *restrict c)
{
    double reach = scale->reach_in_cells, inv_cell = scale->inv_cell;
    for (int i = 0; i < FILLING_BLOCK; i++) {
        double x = PLANE_UNITS * b->normal[0][i], y = PLANE_UNITS * b->normal[1][i],
               z = PLANE_UNITS * b->normal[2][i];
        double half = 0.5 * (fabs(x) + fabs(y) + fabs(z));
        double beyond = PLANE_UNITS * reach + half + PLANE_OUTWARD;
        double at = x * c->place[0][i] + y * c->place[1][i] + z * c->place[2][i];
        double front = PLANE_UNITS * inv_cell * b->above[i] + beyond - at;
        double back = at + beyond - PLANE_UNITS * inv_cell * b->below[i];
        uint64_t step = to_whole(x), row = (step << TRIPLE_BITS) + (step << (2 * TRIPLE_BITS + 1));
        c->front[i] = TRIPLE_SIGN + TRIPLE_ONE * to_whole(front) - row;
        c->back[i] = TRIPLE_SIGN + TRIPLE_ONE * to_whole(back) + row;
        c->y[i] = TRIPLE_ONE * to_whole(y);
        c->z[i] = TRIPLE_ONE * to_whole(z);
    }
}

/* Keeps the cells of each item's box that are within both limits. */
LANES_INLINE void keep_near_cells(cells_of_block *restrict c)
{
    for (int i = 0; i < FILLING_BLOCK; i++) {
        uint64_t near = 0, front = c->front[i], back = c->back[i];
        for (int z = 0; z < CELL_SPAN; z++) {
            uint64_t ahead = front, behind = back;
            for (int y = 0; y < CELL_SPAN; y++) {
                near |= (ahead & behind & TRIPLE_SIGN) >> (TRIPLE_BITS - 1 - 3 * z - y);
                ahead -= c->y[i];
                behind += c->y[i];
            }
            front -= c->z[i];
            back += c->z[i];
        }
        near = (near & 0x1ff) | (near >> 12 & 0x1ff << 9) | (near >> 24 & 0x1ff << 18);
        c->cells[i] = c->box_cells[i] & (uint32_t)near;
    }
}

void KERNEL(filling_place)(const facet_block *b, const level_scale *scale, bin_item *items)
{
    cells_of_block c;
    for (int i = 0; i < FILLING_BLOCK; i++) {
        c.bucket[i] = 0;
        c.box_cells[i] = 1;
    }
    for (int axis = 0; axis < 3; axis++) {
        find_cells_along(b, scale, axis, &c);
    }
    find_limits(b, scale, &c);
    keep_near_cells(&c);
    for (int i = 0; i < b->count; i++) {
        bin_item *item = &items[i];
        for (int k = 0; k < 6; k++) {
            item->bounds[k] = c.bounds[k][i];
        }
        item->facet = b->facet[i];
        item->bucket = c.bucket[i];
        item->cells = c.cells[i];
    }
}

/* ---- entries ---- */

/* The number of entries that are written together; at most BINS_PADDING, since the last ones may be
 * beyond the end. */
enum { ENTRIES = 8 };

/* The offset of each cell from the first, in units. It is in the order of an item's fields: bounds,
 * then the two halves of its facet's number. */
typedef struct cell_begins {
    uint16_t units[ITEM_CELLS][8];
} cell_begins;

static cell_begins find_begins(void)
{
    cell_begins begins;
    memset(&begins, 0, sizeof begins);
    for (int bit = 0; bit < ITEM_CELLS; bit++) {
        for (int axis = 0; axis < 3; axis++) {
            uint16_t begin = (uint16_t)(UNITS_PER_CELL * cell_along(bit, axis));
            begins.units[bit][axis] = begins.units[bit][axis + 3] = begin;
        }
    }
    return begins;
}

#if defined(__SSE2__)

/* Turns rows of 8 x 8 numbers into columns. */
LANES_INLINE void transpose_halves(__m128i r[8])
{
    __m128i s[8];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) {
            s[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
            s[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
        }
        memcpy(r, s, sizeof s);
    }
}

LANES_INLINE void finish_eight(const entries_to_fill *e, const cell_begins *begins, int64_t at)
{
    __m128i r[8];
    for (int i = 0; i < 8; i++) {
        const bin_item *item = &e->items[e->facet[at + i]];
        const uint16_t *begin = begins->units[e->low[0][at + i]];
        r[i] = _mm_subs_epu16(_mm_loadu_si128((const __m128i *)item),
                              _mm_loadu_si128((const __m128i *)begin));
    }
    transpose_halves(r);
    for (int axis = 0; axis < 3; axis++) {
        _mm_storeu_si128((__m128i *)(e->low[axis] + at), r[axis]);
        _mm_storeu_si128((__m128i *)(e->high[axis] + at), r[axis + 3]);
    }
    _mm_storeu_si128((__m128i *)(e->facet + at), _mm_unpacklo_epi16(r[6], r[7]));
    _mm_storeu_si128((__m128i *)(e->facet + at + 4), _mm_unpackhi_epi16(r[6], r[7]));
}

#else

static inline uint16_t excess(uint16_t a, uint16_t b)
{
    return (uint16_t)(a > b ? a - b : 0);
}

LANES_INLINE void finish_eight(const entries_to_fill *e, const cell_begins *begins, int64_t at)
{
    for (int64_t entry = at; entry < at + ENTRIES; entry++) {
        const bin_item *item = &e->items[e->facet[entry]];
        const uint16_t *begin = begins->units[e->low[0][entry]];
        for (int axis = 0; axis < 3; axis++) {
            e->low[axis][entry] = excess(item->bounds[axis], begin[axis]);
            e->high[axis][entry] = excess(item->bounds[axis + 3], begin[axis]);
        }
        e->facet[entry] = item->facet;
    }
}

#endif

void KERNEL(filling_finish)(const entries_to_fill *entries)
{
    const entries_to_fill copy = *entries;
    const cell_begins begins = find_begins();
    for (int64_t at = 0; at < copy.count; at += ENTRIES) {
        finish_eight(&copy, &begins, at);
    }
}
