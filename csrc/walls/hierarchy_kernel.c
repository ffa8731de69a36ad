/* The nearest contact of each sphere against all others of the sphere: most end here.
 *
 * The nearest is kept, and what it eliminates by its own noise alone it eliminates by the rules of
 * hierarchy.c, too, where noise can only be more. The others are left to those rules. So are all
 * where another contact is as near: only what is kept eliminates, and which of the two comes first
 * is not seen here. */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "kernels.h"
#include "tolerance.h"

static const double LANE_NUMBERS[8] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

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
        lanes distance_sq = load_distances(p, i, end);
        nearest = lanes_select(lanes_less(distance_sq, nearest), distance_sq, nearest);
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

/* What is in front of the nearest contact of a sphere by no more than `limit`, times its distance,
 * is behind its tangent plane for sure. */
typedef struct tangent {
    lanes3 offset; /* of the nearest contact */
    lanes limit;
    lanes as_near; /* squares of distances that may have the same root */
} tangent;

/* Distance and noise of pair j, which is its sphere's nearest. */
LANES_INLINE void measure_nearest(pairs *p, int32_t sphere, int32_t j)
{
    const triangle *t = pair_triangle(p, j);
    double noise = batch_noise(p->batch, pair_view(p, j), sphere);
    p->distance[j] = sqrt(p->distance_sq[j]);
    p->noise[j] = t->noise + noise;
    p->normal_noise[j] = t->normal_noise + noise;
}

LANES_INLINE tangent tangent_of(const pairs *p, int32_t j)
{
    double distance = p->distance[j];
    /* on the facet itself the tangent plane is the facet's, and nothing is sure here */
    double limit = distance < AT_CENTER ? -INFINITY : FRONT_NOISES * p->normal_noise[j] * distance;
    return (tangent){
        {lanes_set(p->offset[0][j]), lanes_set(p->offset[1][j]), lanes_set(p->offset[2][j])},
        lanes_set(limit),
        lanes_set(p->distance_sq[j] * (1.0 + SAME_ROOT))};
}

/* The pairs of one sphere that its nearest one does not surely eliminate. Returns how many; rivals:
 * not 0 where another contact is as near. */
LANES_INLINE int32_t strike(const pairs *p, int32_t begin, int32_t end, const tangent *t,
                            int32_t *left, int32_t *touching_count, unsigned *rivals)
{
    int32_t count = 0;
    for (int32_t i = begin; i < end; i += LANES) {
        lanes distance_sq = load_distances(p, i, end);
        lanes3 other = {lanes_load(p->offset[0] + i), lanes_load(p->offset[1] + i),
                        lanes_load(p->offset[2] + i)};
        lanes in_front = lanes3_dot(t->offset, lanes3_sub(t->offset, other));
        lanes_mask is_as_near = lanes_no_more(distance_sq, t->as_near);
        lanes_mask stays = mask_or(mask_not(lanes_no_more(in_front, t->limit)), is_as_near);
        *rivals |= mask_bits(mask_and(is_as_near, mask_not(lanes3_equal(other, t->offset))));
        unsigned touching = mask_bits(lanes_less(distance_sq, lanes_set(INFINITY)));
        *touching_count += __builtin_popcount(touching);
        count += lanes_append_bits(left + count, i, mask_bits(stays) & touching);
    }
    return count;
}

void KERNEL(hierarchy_strike)(pairs *p)
{
    int32_t count = 0, touching_count = 0;
    for (int32_t k = 0; k < p->sphere_count; k++) {
        int32_t begin = p->first[k], end = p->first[k + 1];
        p->first_left[k] = count;
        double distance_sq = nearest_sq(p, begin, end);
        if (distance_sq < INFINITY) {
            int32_t j = find_pair(p, begin, distance_sq);
            measure_nearest(p, p->sphere[k], j);
            tangent t = tangent_of(p, j);
            unsigned rivals = 0;
            int32_t touching = 0,
                    left = strike(p, begin, end, &t, p->left + count, &touching, &rivals);
            if (rivals) {
                /* which of them is nearest, and may eliminate, the canonical order decides */
                t.limit = lanes_set(-INFINITY);
                touching = 0;
                left = strike(p, begin, end, &t, p->left + count, &touching, &rivals);
            }
            count += left;
            touching_count += touching;
        }
    }
    p->first_left[p->sphere_count] = count;
    p->touch_count += touching_count;
    p->is_nearest_known = true;
}
