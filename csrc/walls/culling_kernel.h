/* Culling: compares 32 entries of bins together with a sphere, in the units of their cell. Rounding
 * is outward, so that no entry within reach is ruled out. */
#ifndef WALLS_CULLING_KERNEL_H
#define WALLS_CULLING_KERNEL_H

#include "../base/lanes_kernel.h"
#include "../bins/bins.h"
#include "../bins/filling.h"
#include "batch.h"

/* The unit in the middle of a cell, which slabs are counted from. */
enum { MIDDLE_UNIT = 3 * UNITS_PER_CELL / 2 };

/* The arrays of a set's entries: a copy, so that compilers see that the pointers do not change. */
typedef struct entries {
    const uint16_t *bounds; /* low x, y, z, high x, y, z: `stride` numbers of each */
    int64_t stride;
    const int16_t *slab_low, *slab_high; /* NULL where there are none */
    const int8_t *across[3];
    const int32_t *facet;
    const uint32_t *begins;
} entries;

LANES_INLINE entries entries_of(const bins *set)
{
    return (entries){.bounds = set->low[0],
                     .stride = set->low[1] - set->low[0],
                     .slab_low = set->slab_low,
                     .slab_high = set->slab_high,
                     .across = {set->across[0], set->across[1], set->across[2]},
                     .facet = set->facet,
                     .begins = set->begins};
}

/* Unit `axis` of a sphere: 0 to 2 are its position in its cell along x, y, z, and 3 is the high
 * half of its squared reach. The arrays are BATCH_ROOM apart. */
LANES_INLINE uint16_t unit(const uint16_t *units, int axis)
{
    return units[axis * BATCH_ROOM];
}

/* The unit along an axis, from the middle of the cell. */
LANES_INLINE int16_t unit_from_middle(const uint16_t *units, int axis)
{
    return (int16_t)(unit(units, axis) - MIDDLE_UNIT);
}

/* The square of the reach in steps of two units: a quarter of the square in units. */
LANES_INLINE uint16_t quarter_reach_sq(const uint16_t *units)
{
    return (uint16_t)(unit(units, 3) / 4);
}

#if LANES == 8

LANES_INLINE __m512i apart_sq(const uint16_t *low, const uint16_t *high, uint16_t center)
{
    __m512i c = _mm512_set1_epi16((short)center);
    __m512i apart = _mm512_or_si512(_mm512_subs_epu16(_mm512_loadu_si512(low), c),
                                    _mm512_subs_epu16(c, _mm512_loadu_si512(high)));
    return _mm512_mulhi_epu16(apart, apart);
}

/* Bit i: whether box `entry + i` is within reach. */
LANES_INLINE uint32_t boxes_near(const entries *set, uint32_t entry, const uint16_t *units)
{
    const uint16_t *low = set->bounds + entry, *high = low + 3 * set->stride;
    __m512i sum = apart_sq(low, high, unit(units, 0));
    sum = _mm512_adds_epu16(sum, apart_sq(low + set->stride, high + set->stride, unit(units, 1)));
    sum = _mm512_adds_epu16(
        sum, apart_sq(low + 2 * set->stride, high + 2 * set->stride, unit(units, 2)));
    return _mm512_cmple_epu16_mask(sum, _mm512_set1_epi16((short)unit(units, 3)));
}

/* One of the three terms of the position along a slab's axis, in steps of two units: the axis'
 * component (in 128ths) times the coordinate (in units), divided by 256 and rounded down. */
LANES_INLINE __m512i part_along(const int8_t *across, int16_t center)
{
    __m512i along = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)across));
    return _mm512_mulhi_epi16(_mm512_slli_epi16(along, 8), _mm512_set1_epi16(center));
}

/* Bit i: whether slab `entry + i` is within reach. */
LANES_INLINE uint32_t slabs_near(const entries *set, uint32_t entry, const uint16_t *units)
{
    __m512i at = part_along(set->across[0] + entry, unit_from_middle(units, 0));
    at = _mm512_add_epi16(at, part_along(set->across[1] + entry, unit_from_middle(units, 1)));
    at = _mm512_add_epi16(at, part_along(set->across[2] + entry, unit_from_middle(units, 2)));
    __m512i below = _mm512_subs_epi16(_mm512_loadu_si512(set->slab_low + entry), at);
    __m512i above = _mm512_subs_epi16(at, _mm512_loadu_si512(set->slab_high + entry));
    __m512i apart = _mm512_max_epi16(_mm512_max_epi16(below, above), _mm512_setzero_si512());
    return _mm512_cmple_epu16_mask(_mm512_mulhi_epu16(apart, apart),
                                   _mm512_set1_epi16((short)quarter_reach_sq(units)));
}

#elif LANES == 4

LANES_INLINE __m256i load_sixteen(const void *from)
{
    return _mm256_loadu_si256(from);
}

LANES_INLINE __m256i apart_sq(const uint16_t *low, const uint16_t *high, uint16_t center)
{
    __m256i c = _mm256_set1_epi16((short)center);
    __m256i below = _mm256_subs_epu16(load_sixteen(low), c);
    __m256i above = _mm256_subs_epu16(c, load_sixteen(high));
    __m256i apart = _mm256_or_si256(below, above);
    return _mm256_mulhi_epu16(apart, apart);
}

/* All bits are set where the square is at most the limit. */
LANES_INLINE __m256i is_within(__m256i square, uint16_t limit)
{
    __m256i beyond = _mm256_subs_epu16(square, _mm256_set1_epi16((short)limit));
    return _mm256_cmpeq_epi16(beyond, _mm256_setzero_si256());
}

/* The bits of 32 numbers, each of which is all ones or 0. */
LANES_INLINE uint32_t bits_of_both(__m256i first, __m256i second)
{
    __m256i bytes = _mm256_packs_epi16(first, second);
    /* packing works inside each half of the register */
    return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xd8));
}

LANES_INLINE __m256i sixteen_boxes_near(const entries *set, uint32_t entry, const uint16_t *units)
{
    const uint16_t *low = set->bounds + entry, *high = low + 3 * set->stride;
    __m256i sum = apart_sq(low, high, unit(units, 0));
    sum = _mm256_adds_epu16(sum, apart_sq(low + set->stride, high + set->stride, unit(units, 1)));
    sum = _mm256_adds_epu16(
        sum, apart_sq(low + 2 * set->stride, high + 2 * set->stride, unit(units, 2)));
    return is_within(sum, unit(units, 3));
}

LANES_INLINE uint32_t boxes_near(const entries *set, uint32_t entry, const uint16_t *units)
{
    return bits_of_both(sixteen_boxes_near(set, entry, units),
                        sixteen_boxes_near(set, entry + 16, units));
}

LANES_INLINE __m256i part_along(const int8_t *across, int16_t center)
{
    __m256i along = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)across));
    return _mm256_mulhi_epi16(_mm256_slli_epi16(along, 8), _mm256_set1_epi16(center));
}

LANES_INLINE __m256i sixteen_slabs_near(const entries *set, uint32_t entry, const uint16_t *units)
{
    __m256i at = part_along(set->across[0] + entry, unit_from_middle(units, 0));
    at = _mm256_add_epi16(at, part_along(set->across[1] + entry, unit_from_middle(units, 1)));
    at = _mm256_add_epi16(at, part_along(set->across[2] + entry, unit_from_middle(units, 2)));
    __m256i below = _mm256_subs_epi16(load_sixteen(set->slab_low + entry), at);
    __m256i above = _mm256_subs_epi16(at, load_sixteen(set->slab_high + entry));
    __m256i apart = _mm256_max_epi16(_mm256_max_epi16(below, above), _mm256_setzero_si256());
    return is_within(_mm256_mulhi_epu16(apart, apart), quarter_reach_sq(units));
}

LANES_INLINE uint32_t slabs_near(const entries *set, uint32_t entry, const uint16_t *units)
{
    return bits_of_both(sixteen_slabs_near(set, entry, units),
                        sixteen_slabs_near(set, entry + 16, units));
}

#else

LANES_INLINE uint32_t apart_sq(uint16_t low, uint16_t high, uint16_t center)
{
    uint32_t below = low > center ? (uint32_t)(low - center) : 0;
    uint32_t above = center > high ? (uint32_t)(center - high) : 0;
    return ((below | above) * (below | above)) >> 16;
}

LANES_INLINE uint32_t bits_of(const uint32_t is_near[ENTRIES_AT_ONCE])
{
    uint32_t bits = 0;
    for (int i = 0; i < ENTRIES_AT_ONCE; i++) {
        bits |= is_near[i] << i;
    }
    return bits;
}

LANES_INLINE uint32_t boxes_near(const entries *set, uint32_t entry, const uint16_t *units)
{
    uint32_t is_near[ENTRIES_AT_ONCE];
    for (int i = 0; i < ENTRIES_AT_ONCE; i++) {
        uint32_t sum = 0;
        for (int axis = 0; axis < 3; axis++) {
            const uint16_t *low = set->bounds + axis * set->stride + entry;
            sum += apart_sq(low[i], low[i + 3 * set->stride], unit(units, axis));
        }
        is_near[i] = sum <= unit(units, 3);
    }
    return bits_of(is_near);
}

/* Rounds down, since compilers shift negative numbers with their sign. */
LANES_INLINE int32_t part_along(int8_t across, int16_t center)
{
    return (across * 256 * center) >> 16;
}

LANES_INLINE uint32_t slabs_near(const entries *set, uint32_t entry, const uint16_t *units)
{
    uint32_t is_near[ENTRIES_AT_ONCE];
    for (int i = 0; i < ENTRIES_AT_ONCE; i++) {
        int32_t at = 0;
        for (int axis = 0; axis < 3; axis++) {
            at += part_along(set->across[axis][entry + (uint32_t)i], unit_from_middle(units, axis));
        }
        const int32_t below = set->slab_low[entry + (uint32_t)i] - at;
        const int32_t above = at - set->slab_high[entry + (uint32_t)i];
        const int32_t apart = below > above ? below : above;
        const int32_t clipped = apart < 0 ? 0 : apart > INT16_MAX ? INT16_MAX : apart;
        is_near[i] = (clipped * clipped) >> 16 <= quarter_reach_sq(units);
    }
    return bits_of(is_near);
}

#endif

#endif
