/* Looks up the bucket of each level for spheres. Before that, finds which of the caller's spheres
 * have a bucket with entries: if most have none, only the others are copied into a batch. */
#include "../base/lanes_kernel.h"
#include "../base/prefetch.h"
#include "../base/simd.h"
#include "../bins/bins.h"
#include "../bins/filling.h"
#include "kernels.h"

/* ---- spheres of a batch ----
 *
 * Plain loops over arrays without branches, which compilers vectorize. */

/* Finds the buckets of a block's spheres. hit[i] is 1 if the view serves sphere i, and its bucket
 * has entries. */
static void find_buckets(const batch *b, const mesh_view *v, const bin_level *level, int32_t begin,
                         uint32_t *restrict bucket, uint32_t *restrict hit)
{
    const double *x = v->local[0] + begin, *y = v->local[1] + begin, *z = v->local[2] + begin;
    const double *reach = b->reach + begin;
    const uint32_t *restrict occupied = v->set->occupied;
    const bin_level copy = *level;
    const double *low = copy.low, *high = copy.high, inv_cell = copy.inv_cell;
    const double smallest = v->low, largest = v->high;
    for (int i = 0; i < BATCH_BLOCK; i++) {
        uint32_t at = bins_shared_bucket(&copy, whole_bits(x[i] * inv_cell),
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

/* Positions in the cells, in units. They have no meaning for spheres too far away for a bucket. */
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

/* The high 16 bits of the squared reaches in units, for culling: rounded outward, including the
 * rounding of positions. They have no meaning for spheres that other views serve. */
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

static uint64_t look(batch *b, const mesh_view *v, const bin_level *level, int64_t number,
                     int32_t begin)
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

void KERNEL(look_buckets)(batch *b, const mesh_view *v)
{
    for (int32_t k = 0; k < v->set->level_count; k++) {
        for (int32_t begin = 0; begin < b->count; begin += BATCH_BLOCK) {
            b->seen[begin / BATCH_BLOCK] |=
                look(b, v, &v->set->levels[k], v->first_look + k, begin);
        }
    }
}

/* ---- spheres in rows ----
 *
 * The functions below compute the same as those above, but from the caller's rows. They do so in
 * the same order, so that no sphere is left out that has a bucket above. Radii are not read:
 * waiting for their memory takes time, and with several bands only few more spheres are copied. */

LANES_INLINE lanes3 lanes3_set(vec3 a)
{
    return (lanes3){lanes_set(a.x), lanes_set(a.y), lanes_set(a.z)};
}

/* Centers in the frame of a view, as batch_see computes them. */
LANES_INLINE lanes3 to_mesh(const mesh_view *v, lanes3 center)
{
    const pose *p = v->pose;
    const lanes3 a = lanes3_sub(lanes3_sub(center, lanes3_set(v->shift)), lanes3_set(p->shift));
    if (!p->turns) {
        return a;
    }
    lanes3 xy = lanes3_add(lanes3_scale(lanes3_set(p->rows[0]), a.x),
                           lanes3_scale(lanes3_set(p->rows[1]), a.y));
    return lanes3_add(xy, lanes3_scale(lanes3_set(p->rows[2]), a.z));
}

/* Whether centers are within the bounds of the level. */
LANES_INLINE lanes_mask is_within(const bin_level *level, lanes3 center)
{
    const lanes along[3] = {center.x, center.y, center.z}, zero = lanes_set(0.0);
    lanes_mask may = lanes_equal(zero, zero);
    for (int axis = 0; axis < 3; axis++) {
        may = mask_and(may, lanes_no_more(lanes_set(level->low[axis]), along[axis]));
        may = mask_and(may, lanes_no_more(along[axis], lanes_set(level->high[axis])));
    }
    return may;
}

/* Which of these spheres have a bucket with entries; `places` are in units of cells. With AVX-512
 * the loop of the other levels would take 1.5 times as long for spheres that are far away. */
LANES_INLINE unsigned occupied_bits(const uint32_t *occupied, const bin_level *level,
                                    const lanes places[3], unsigned bits)
{
#if LANES == 8
    __m512i cell[3];
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = _mm512_castpd_si512(places[axis] + lanes_set(WHOLE));
    }
    __m512i row = _mm512_mul_epu32(cell[1], _mm512_set1_epi64(level->stride[1]));
    __m512i layer = _mm512_mul_epu32(cell[2], _mm512_set1_epi64(level->stride[2]));
    __m512i sum = _mm512_add_epi64(_mm512_add_epi64(cell[0], row), layer);
    sum = _mm512_and_epi64(sum, _mm512_set1_epi64(level->mask));
    __m256i bucket = _mm512_cvtepi64_epi32(_mm512_add_epi64(sum, _mm512_set1_epi64(level->first)));
    __m256i word = _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), (__mmask8)bits,
                                                _mm256_srli_epi32(bucket, 5), occupied, 4);
    __m256i at = _mm256_and_si256(bucket, _mm256_set1_epi32(31));
    return _mm256_test_epi32_mask(word, _mm256_sllv_epi32(_mm256_set1_epi32(1), at));
#else
    double along[3][LANES];
    unsigned found = 0;
    for (int axis = 0; axis < 3; axis++) {
        lanes_store(along[axis], places[axis]);
    }
    for (int i = 0; i < LANES; i++) {
        uint32_t bucket = bins_shared_bucket(level, whole_bits(along[0][i]),
                                             whole_bits(along[1][i]), whole_bits(along[2][i]));
        bucket = bits >> i & 1 ? bucket : 0;
        found |= (occupied[bucket >> 5] >> (bucket & 31) & bits >> i & 1) << i;
    }
    return found;
#endif
}

/* Whether the centers of a block are finite and not too far. */
static bool are_centers(const double *numbers)
{
    bool are = true;
    for (int i = 0; i < 3 * BATCH_BLOCK; i++) {
        are = are && fabs(numbers[i]) <= ABUT_COORDINATE_LIMIT;
    }
    return are;
}

/* Which spheres of a block have a bucket with entries in a level. `is_plain` is constant in each
 * call. */
LANES_INLINE uint64_t find_seen(const mesh_view *v, const bin_level *level, bool is_plain,
                                const double *centers, bool *is_good)
{
    const bin_level copy = *level;
    const lanes inv_cell = lanes_set(copy.inv_cell);
    lanes sum = lanes_set(0.0);
    uint64_t seen = 0;
    for (int i = 0; i < BATCH_BLOCK; i += LANES) {
        lanes columns[3];
        lanes_load_points(centers + 3 * i, columns);
        sum = sum + lanes_abs(columns[0]) + lanes_abs(columns[1]) + lanes_abs(columns[2]);
        lanes3 center = {columns[0], columns[1], columns[2]};
        center = is_plain ? center : to_mesh(v, center);
        const lanes places[3] = {center.x * inv_cell, center.y * inv_cell, center.z * inv_cell};
        const unsigned may = mask_bits(is_within(&copy, center));
        seen |= (uint64_t)occupied_bits(v->set->occupied, &copy, places, may) << i;
    }
    /* no coordinate is larger than this sum of absolute values */
    if (mask_bits(lanes_no_more(sum, lanes_set(ABUT_COORDINATE_LIMIT))) != LANES_ALL) {
        *is_good = *is_good && are_centers(centers);
    }
    return seen;
}

/* Which spheres of a block have a bucket with entries in some level of a view. */
static uint64_t seen_by(const mesh_view *v, const double *centers, bool *is_good)
{
    uint64_t seen = 0;
    for (int32_t k = 0; k < v->set->level_count; k++) {
        const bin_level *level = &v->set->levels[k];
        seen |= v->is_plain ? find_seen(v, level, true, centers, is_good)
                            : find_seen(v, level, false, centers, is_good);
    }
    return seen;
}

static uint64_t seen_by_any(const batch *b, const double *centers, bool *is_good)
{
    uint64_t seen = 0;
    for (abut_index k = 0; k < b->view_count; k++) {
        seen |= seen_by(&b->views[k], centers, is_good);
    }
    return seen;
}

/* ---- copying ----
 *
 * Copies are checked, since the caller's arrays may hold something else each time they are read. */

/* Whether these are valid radii. */
LANES_INLINE lanes_mask are_radii(lanes radius)
{
    return mask_and(lanes_less(lanes_set(0.0), radius),
                    lanes_no_more(radius, lanes_set(ABUT_COORDINATE_LIMIT)));
}

/* Prefetches as many rows as a vector has lanes, one batch ahead: during the other work the
 * processor no longer prefetches by itself. */
LANES_INLINE void fetch_ahead(const double *centers, const double *radii)
{
    for (int part = 0; part < 3; part++) {
        PREFETCH((uintptr_t)centers + (size_t)(3 * BATCH_SPHERES + part * LANES) * sizeof *centers);
    }
    PREFETCH((uintptr_t)radii + BATCH_SPHERES * sizeof *radii);
}

/* Appends as many spheres as a vector has lanes. Returns false if one is invalid. */
LANES_INLINE bool append_lanes(batch *b, const double *centers, const double *radii, double gap)
{
    const lanes limit = lanes_set(ABUT_COORDINATE_LIMIT), radius = lanes_load(radii);
    lanes_mask are_good = are_radii(radius);
    lanes columns[3];
    lanes_load_points(centers, columns);
    for (int axis = 0; axis < 3; axis++) {
        are_good = mask_and(are_good, lanes_no_more(lanes_abs(columns[axis]), limit));
        lanes_store(b->center[axis] + b->count, columns[axis]);
    }
    lanes_store(b->radius + b->count, radius);
    lanes_store(b->reach + b->count, radius + lanes_set(gap));
    return mask_bits(are_good) == LANES_ALL;
}

/* Appends one sphere. Returns false if it is invalid. */
static bool append(batch *b, const double *center, double radius, double gap)
{
    const int32_t i = b->count;
    bool is_good = (radius > 0.0) & (radius <= ABUT_COORDINATE_LIMIT);
    for (int axis = 0; axis < 3; axis++) {
        const double x = center[axis];
        is_good &= fabs(x) <= ABUT_COORDINATE_LIMIT;
        b->center[axis][i] = x;
    }
    b->radius[i] = radius;
    b->reach[i] = radius + gap;
    return is_good;
}

/* Appends the spheres of a block with a set bit. */
static bool append_seen(batch *b, const sphere_rows *rows, uint64_t seen)
{
    bool is_good = true;
    for (int i = 0; i < BATCH_BLOCK; i += LANES) {
        const double *centers = rows->centers + 3 * i, *radii = rows->radii + i;
        const unsigned bits = (unsigned)(seen >> i) & LANES_ALL;
        fetch_ahead(centers, radii);
        if (bits == LANES_ALL) {
            is_good &= append_lanes(b, centers, radii, rows->gap);
            for (int k = 0; k < LANES; k++) {
                b->number[b->count++] = (uint16_t)(i + k);
            }
            continue;
        }
        for (unsigned left = bits; left; left &= left - 1) {
            const int k = __builtin_ctz(left);
            is_good &= append(b, centers + 3 * k, radii[k], rows->gap);
            b->number[b->count++] = (uint16_t)(i + k);
        }
    }
    return is_good;
}

bool KERNEL(load_block)(batch *b, const sphere_rows *rows, int32_t count)
{
    bool is_good = true;
    uint64_t seen = count < BATCH_BLOCK ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    if (b->view_count + b->half_space_count == 0) {
        return are_centers(rows->centers);
    }
    /* half spaces are tested after loading: with half spaces all spheres are loaded */
    if (b->is_sparse && b->half_space_count == 0) {
        seen &= seen_by_any(b, rows->centers, &is_good);
    }
    return seen ? append_seen(b, rows, seen) && is_good : is_good;
}

/* ---- radii ---- */

bool KERNEL(query_radii)(abut_index count, const double *radii, double *smallest, double *largest)
{
    lanes low = lanes_set(INFINITY), high = lanes_set(0.0), zero = lanes_set(0.0);
    lanes_mask are_good = lanes_equal(zero, zero);
    abut_index i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes radius = lanes_load(radii + i);
        low = lanes_select(lanes_less(radius, low), radius, low);
        high = lanes_select(lanes_less(high, radius), radius, high);
        are_good = mask_and(are_good, are_radii(radius));
    }
    bool is_good = mask_bits(are_good) == LANES_ALL;
    *smallest = lanes_smallest(low);
    *largest = -lanes_smallest(zero - high);
    for (; i < count; i++) {
        const double radius = radii[i];
        *smallest = radius < *smallest ? radius : *smallest;
        *largest = radius > *largest ? radius : *largest;
        is_good = is_good && radius > 0.0 && radius <= ABUT_COORDINATE_LIMIT;
    }
    return is_good;
}
