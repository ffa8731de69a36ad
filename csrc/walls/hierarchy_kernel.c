/* The nearest contact of each sphere against all others of the sphere: most end here.
 *
 * The nearest is kept, and what it eliminates by its own noise alone it eliminates by the rules of
 * hierarchy.c, too, where noise can only be more. The others are left to those rules. So are all
 * where another contact is as near: only what is kept eliminates, and which of the two comes first
 * is not seen here. */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "../mesh/tolerance.h"
#include "kernels.h"

static const double LANE_NUMBERS[8] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

/* ---- the nearest ---- */

/* Squares of the distances of pairs from number `i` on; infinite from `end` on. */
LANES_INLINE lanes load_distances(const pairs *p, int32_t i, int32_t end)
{
    lanes_mask is_in = lanes_less(lanes_load(LANE_NUMBERS), lanes_set(end - i));
    return lanes_select(is_in, lanes_load(p->distance_sq + i), lanes_set(INFINITY));
}

LANES_INLINE double nearest_sq(const pairs *p, int32_t begin, int32_t end)
{
    lanes nearest = load_distances(p, begin, end);
    for (int32_t i = begin + LANES; i < end; i += LANES) {
        nearest = lanes_smaller(load_distances(p, i, end), nearest);
    }
    return lanes_smallest(nearest);
}

/* The first pair at that distance. */
LANES_INLINE int32_t find_pair(const pairs *p, int32_t begin, double distance_sq)
{
    lanes wanted = lanes_set(distance_sq);
    unsigned bits = mask_bits(lanes_equal(lanes_load(p->distance_sq + begin), wanted));
    while (!bits) {
        begin += LANES;
        bits = mask_bits(lanes_equal(lanes_load(p->distance_sq + begin), wanted));
    }
    return begin + __builtin_ctz(bits);
}

/* Write beside a sight which pair is the nearest of its sphere. */
LANES_INLINE void note_nearest(pairs *p, int32_t sight, int32_t j)
{
    const triangle *t = pair_triangle(p, j);
    tangents *to = &p->tangents;
    to->distance_sq[sight] = p->distance_sq[j];
    to->offset[0][sight] = p->offset[0][j];
    to->offset[1][sight] = p->offset[1][j];
    to->offset[2][sight] = p->offset[2][j];
    to->largest[sight] = p->largest[p->sight[j]];
    to->normal_noise[sight] = t->normal_noise;
}

/* Refuse sphere k if it looked for the facets at its foot alone, and is not over that of pair j,
 * the nearest of them. */
LANES_INLINE void check_narrow(pairs *p, int32_t k, int32_t j)
{
    const int32_t sphere = p->sphere[k];
    const bool is_over =
        p->distance_sq[j] < INFINITY && p->code[j] == CODES_PER_TYPE * ABUT_FACET + LOCAL_INSIDE;
    if (batch_is_narrow(p->batch, sphere) && !is_over) {
        p->refused[sphere / 64] |= UINT64_C(1) << (sphere % 64);
        p->has_refused = true;
    }
}

static void find_nearest(pairs *p)
{
    for (int32_t k = 0; k < p->sphere_count; k++) {
        int32_t begin = p->first[k], end = p->first[k + 1];
        int32_t j = find_pair(p, begin, nearest_sq(p, begin, end));
        for (int32_t sight = p->sight[begin]; sight <= p->sight[end - 1]; sight++) {
            note_nearest(p, sight, j);
        }
        if (p->batch->has_narrow) {
            check_narrow(p, k, j);
        }
    }
}

/* The rows of LANES sights from their columns. */
LANES_INLINE void store_records(double *rows, const lanes columns[CONTACT_DOUBLES])
{
    double stored[CONTACT_DOUBLES][LANES];
    for (int i = 0; i < CONTACT_DOUBLES; i++) {
        lanes_store(stored[i], columns[i]);
    }
    for (int part = 0; part < CONTACT_DOUBLES; part += LANES) {
        const double *from[LANES];
        lanes parts[LANES];
        for (int i = 0; i < LANES; i++) {
            from[i] = stored[part + i];
        }
        lanes_transpose(from, parts);
        for (int i = 0; i < LANES; i++) {
            lanes_store(rows + i * CONTACT_DOUBLES + part, parts[i]);
        }
    }
}

/* What contacts of the nearest measure, and where their tangent planes are: what is in front by no
 * more than `limit`, times the distance, is behind for sure. */
static void measure_nearest(pairs *p)
{
    tangents *t = &p->tangents;
    for (int32_t s = 0; s < p->sight_count; s += LANES) {
        lanes distance = lanes_sqrt(lanes_load(t->distance_sq + s));
        lanes digit = lanes_keep_bits(lanes_load(t->largest + s), EXPONENT_BITS);
        lanes noise = lanes_load(t->normal_noise + s) + digit * lanes_set(DOUBLE_EPS);
        /* on the facet itself the tangent plane is the facet's, and nothing is sure here */
        lanes_mask is_at_center = lanes_less(distance, lanes_set(AT_CENTER));
        lanes limit = lanes_set(FRONT_NOISES) * noise * distance;
        lanes_store(t->limit + s, lanes_select(is_at_center, lanes_set(-INFINITY), limit));
        lanes columns[CONTACT_DOUBLES] = {[CONTACT_DISTANCE] = distance,
                                          [CONTACT_OVERLAP] = lanes_load(p->radius + s) - distance,
                                          [CONTACT_NOISE] = noise};
        for (int axis = 0; axis < 3; axis++) {
            columns[CONTACT_OFFSET + axis] = lanes_load(t->offset[axis] + s);
        }
        store_records(t->rows + s * CONTACT_DOUBLES, columns);
    }
}

/* ---- all others ---- */

/* Pairs from number i on against the nearest of their spheres. */
typedef struct verdict {
    unsigned touching, left; /* bits: touches; and is not surely eliminated */
    unsigned rivals;         /* bits: another contact that is as near as the nearest */
} verdict;

LANES_INLINE verdict strike(const pairs *p, int32_t i)
{
    const tangents *t = &p->tangents;
    lanes_steps sight = lanes_find_steps(p->sight + i);
    lanes distance_sq = lanes_load(p->distance_sq + i);
    lanes3 other = {lanes_load(p->offset[0] + i), lanes_load(p->offset[1] + i),
                    lanes_load(p->offset[2] + i)};
    lanes3 nearest = {lanes_pick(t->offset[0], sight), lanes_pick(t->offset[1], sight),
                      lanes_pick(t->offset[2], sight)};
    lanes in_front = lanes3_dot(nearest, lanes3_sub(nearest, other));
    /* squares of distances that may have the same root */
    lanes same_root = lanes_pick(t->distance_sq, sight) * lanes_set(1.0 + SAME_ROOT);
    lanes_mask is_as_near = lanes_no_more(distance_sq, same_root);
    lanes_mask is_behind = lanes_no_more(in_front, lanes_pick(t->limit, sight));
    unsigned touching = mask_bits(lanes_less(distance_sq, lanes_set(INFINITY)));
    unsigned as_near = mask_bits(is_as_near) & touching;
    return (verdict){touching, (~mask_bits(is_behind) & touching) | as_near,
                     as_near & ~mask_bits(lanes3_equal(other, nearest))};
}

/* Which of several is nearest, and may eliminate, the canonical order decides: spheres that have
 * rivals keep all they touch. */
static void mark_rivals(pairs *p, int32_t i, unsigned rivals)
{
    for (; rivals; rivals &= rivals - 1) {
        p->tangents.limit[p->sight[i + __builtin_ctz(rivals)]] = -INFINITY;
        p->has_rivals = true;
    }
}

/* Write the pairs that are left to p->spare, one sphere after the other. */
static void strike_all(pairs *p)
{
    int32_t count = 0, touching = 0;
    p->has_rivals = false;
    for (int32_t i = 0; i < p->count; i += LANES) {
        verdict v = strike(p, i);
        unsigned there = lanes_first_bits(p->count - i);
        touching += __builtin_popcount(v.touching & there);
        count += lanes_append_bits(p->spare + count, i, v.left & there);
        if (v.rivals & there) {
            mark_rivals(p, i, v.rivals & there);
        }
    }
    p->spare[count] = INT32_MAX;
    p->touch_count += touching;
}

/* Whether the sphere of pair `begin` keeps all it touches. */
LANES_INLINE bool keeps_all(const pairs *p, int32_t begin, int32_t end)
{
    bool keeps = false;
    for (int32_t sight = p->sight[begin]; p->has_rivals && sight <= p->sight[end - 1]; sight++) {
        keeps = keeps || p->tangents.limit[sight] == -INFINITY;
    }
    return keeps;
}

LANES_INLINE int32_t take_touching(const pairs *p, int32_t begin, int32_t end, int32_t *left)
{
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        left[count] = i;
        count += p->distance_sq[i] < INFINITY;
    }
    return count;
}

/* Tell whose the pairs are that are left. */
static void sort_out(pairs *p)
{
    const int32_t *item = p->spare;
    int32_t count = 0;
    for (int32_t k = 0; k < p->sphere_count; k++) {
        const int32_t begin = p->first[k], end = p->first[k + 1], first = count;
        p->first_left[k] = first;
        for (; *item < end; item++) {
            p->left[count++] = *item;
        }
        if (keeps_all(p, begin, end)) {
            count = first + take_touching(p, begin, end, p->left + first);
        }
    }
    p->first_left[p->sphere_count] = count;
}

bool KERNEL(hierarchy_strike)(pairs *p)
{
    find_nearest(p);
    if (p->has_refused) {
        return false;
    }
    measure_nearest(p);
    strike_all(p);
    sort_out(p);
    return true;
}
