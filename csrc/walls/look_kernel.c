/* Which bucket of each level a sphere looks at. load_kernel.c asks the same of spheres that are in
 * no batch yet: what it finds nothing for must be what is found nothing for here.
 *
 * Plain loops over arrays without a branch, which compilers turn into vector code. */
#include "../base/simd.h"
#include "kernels.h"

/* hit[i]: whether the sphere is one of the view's and its bucket holds anything. */
static void find_buckets(const batch *b, const view *v, const bin_level *level, int32_t begin,
                         uint32_t *restrict bucket, uint32_t *restrict hit)
{
    const double *x = v->local[0] + begin, *y = v->local[1] + begin, *z = v->local[2] + begin;
    const double *reach = b->reach + begin;
    const uint32_t *restrict occupied = v->set->occupied;
    const bin_level own = *level;
    const double *low = own.low, *high = own.high, inv_cell = own.inv_cell;
    const double smallest = v->low, largest = v->high;
    for (int i = 0; i < BATCH_BLOCK; i++) {
        uint32_t at = bins_shared_bucket(&own, whole_bits(x[i] * inv_cell),
                                         whole_bits(y[i] * inv_cell), whole_bits(z[i] * inv_cell));
        int is_within = (x[i] >= low[0]) & (x[i] <= high[0]) & (y[i] >= low[1]) &
                        (y[i] <= high[1]) & (z[i] >= low[2]) & (z[i] <= high[2]) &
                        (reach[i] > smallest) & (reach[i] <= largest);
        hit[i] = (uint32_t)is_within;
        bucket[i] = is_within ? at : 0;
    }
    for (int i = 0; i < BATCH_BLOCK; i++) {
        hit[i] &= occupied[bucket[i] >> 5] >> (bucket[i] & 31);
        bucket[i] = hit[i] ? bucket[i] : NO_BUCKET;
    }
}

/* Positions in the cells, in units. Of spheres so far away that there is no cell for them, which no
 * bucket holds anything for, some number. */
static void find_units(const double *x, double inv_cell, uint16_t *units)
{
    for (int i = 0; i < BATCH_BLOCK; i++) {
        double in_cells = x[i] * inv_cell;
        double from_center = in_cells - ((in_cells + WHOLE) - WHOLE);
        from_center = from_center > -1.0 ? from_center : -1.0;
        from_center = from_center < 1.0 ? from_center : 1.0;
        units[i] = unit_at(from_center);
    }
}

/* Squares of the reaches, as the culling counts them: outward by rounding and what rounding the
 * positions may add. Spheres of other views get a number without a meaning. */
static void find_limits(const double *reach, double inv_cell, uint16_t *limits)
{
    double scale = inv_cell * UNITS_PER_CELL;
    for (int i = 0; i < BATCH_BLOCK; i++) {
        double in_units = reach[i] > 0.0 ? reach[i] * scale : 0.0;
        in_units = in_units < UNITS_PER_CELL ? in_units : UNITS_PER_CELL;
        uint32_t outward = (uint32_t)(int32_t)in_units + 2;
        limits[i] = (uint16_t)((outward * outward) >> 16);
    }
}

static uint64_t look(batch *b, const view *v, const bin_level *level, int64_t number, int32_t begin)
{
    uint32_t hit[BATCH_BLOCK];
    find_buckets(b, v, level, begin, batch_buckets(b, number) + begin, hit);
    uint64_t hits = 0;
    uint32_t any = 0;
    for (int i = 0; i < BATCH_BLOCK; i++) {
        any |= hit[i];
    }
    if (any) {
        for (int i = 0; i < BATCH_BLOCK; i++) {
            hits |= (uint64_t)hit[i] << i;
        }
        for (int axis = 0; axis < 3; axis++) {
            find_units(v->local[axis] + begin, level->inv_cell,
                       batch_units(b, number, axis) + begin);
        }
        find_limits(b->reach + begin, level->inv_cell, batch_units(b, number, 3) + begin);
    }
    return hits;
}

void KERNEL(look_buckets)(batch *b, const view *v)
{
    for (int32_t k = 0; k < v->set->level_count; k++) {
        for (int32_t begin = 0; begin < b->count; begin += BATCH_BLOCK) {
            b->seen[begin / BATCH_BLOCK] |=
                look(b, v, &v->set->levels[k], v->first_look + k, begin);
        }
    }
}
