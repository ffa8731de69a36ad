/* Compares the nearest contact of each sphere with its other contacts, which decides most spheres.
 *
 * The nearest contact is kept. Contacts that it eliminates with its own noise alone are dropped:
 * hierarchy.c would drop them, too, since it only adds noise. hierarchy.c decides about the
 * remaining contacts. It decides about all contacts of a sphere if two are equally near: only a
 * kept contact eliminates others, and which of the two comes first is not known here. */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "../mesh/tolerance.h"
#include "kernels.h"

static const double LANE_NUMBERS[8] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

/* ---- the nearest ---- */

/* Squared distances of candidates from number `i` on; infinite from `end` on. */
LANES_INLINE lanes load_distances(const closest_points *p, int32_t i, int32_t end)
{
    lanes_mask is_in = lanes_less(lanes_load(LANE_NUMBERS), lanes_set(end - i));
    return lanes_select(is_in, lanes_load(p->distance_sq + i), lanes_set(INFINITY));
}

LANES_INLINE double nearest_sq(const closest_points *p, int32_t begin, int32_t end)
{
    lanes nearest = load_distances(p, begin, end);
    for (int32_t i = begin + LANES; i < end; i += LANES) {
        nearest = lanes_smaller(load_distances(p, i, end), nearest);
    }
    return lanes_smallest(nearest);
}

/* The first candidate at that distance. */
LANES_INLINE int32_t find_first(const closest_points *p, int32_t begin, double distance_sq)
{
    lanes wanted = lanes_set(distance_sq);
    unsigned bits = mask_bits(lanes_equal(lanes_load(p->distance_sq + begin), wanted));
    while (!bits) {
        begin += LANES;
        bits = mask_bits(lanes_equal(lanes_load(p->distance_sq + begin), wanted));
    }
    return begin + __builtin_ctz(bits);
}

/* Stores the nearest candidate of a seen sphere. */
LANES_INLINE void note_nearest(const tangents *to, const candidates *c, const closest_points *p,
                               int32_t seen, int32_t j)
{
    to->distance_sq[seen] = p->distance_sq[j];
    to->offset[0][seen] = p->offset[0][j];
    to->offset[1][seen] = p->offset[1][j];
    to->offset[2][seen] = p->offset[2][j];
    to->largest[seen] = c->seen_spheres.largest[c->seen[j]];
    to->normal_noise[seen] = candidate_triangle(c, j)->normal_noise;
}

static void find_nearest(kept *k)
{
    const candidates *c = k->candidates;
    const closest_points p = *k->closest;
    const tangents to = k->tangents;
    for (int32_t n = 0; n < c->sphere_count; n++) {
        int32_t begin = c->first[n], end = c->first[n + 1];
        int32_t j = find_first(&p, begin, nearest_sq(&p, begin, end));
        for (int32_t seen = c->seen[begin]; seen <= c->seen[end - 1]; seen++) {
            note_nearest(&to, c, &p, seen, j);
        }
    }
}

/* Stores the rows of LANES seen spheres, given by columns. */
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

/* Computes the records of the nearest contacts, and the limits at their tangent planes. */
static void measure_nearest(kept *k)
{
    tangents *t = &k->tangents;
    const seen_spheres *spheres = &k->candidates->seen_spheres;
    for (int32_t s = 0; s < spheres->count; s += LANES) {
        lanes distance = lanes_sqrt(lanes_load(t->distance_sq + s));
        lanes digit = lanes_keep_bits(lanes_load(t->largest + s), EXPONENT_BITS);
        lanes noise = lanes_load(t->normal_noise + s) + digit * lanes_set(DOUBLE_EPS);
        /* on the facet itself the tangent plane is the facet's, and nothing is sure here */
        lanes_mask is_at_center = lanes_less(distance, lanes_set(AT_CENTER));
        lanes limit = lanes_set(FRONT_NOISES) * noise * distance;
        lanes_store(t->limit + s, lanes_select(is_at_center, lanes_set(-INFINITY), limit));
        lanes columns[CONTACT_DOUBLES] = {[CONTACT_DISTANCE] = distance,
                                          [CONTACT_OVERLAP] =
                                              lanes_load(spheres->radius + s) - distance,
                                          [CONTACT_NOISE] = noise};
        for (int axis = 0; axis < 3; axis++) {
            columns[CONTACT_OFFSET + axis] = lanes_load(t->offset[axis] + s);
        }
        store_records(t->rows + s * CONTACT_DOUBLES, columns);
    }
}

/* Makes spheres near half spaces keep all candidates that touch. The distance of a center inside a
 * solid is negative, but only squares of distances are compared here. */
static void keep_beside(kept *k)
{
    const candidates *c = k->candidates;
    for (int32_t n = 0; n < c->sphere_count; n++) {
        if (batch_is_beside(c->batch, c->sphere[n])) {
            for (int32_t i = c->first[n]; i < c->first[n + 1]; i++) {
                k->tangents.limit[c->seen[i]] = -INFINITY;
            }
            k->has_rivals = true;
        }
    }
}

/* ---- the other contacts ---- */

/* Bits of candidates from number i on, compared with the nearest of their spheres. */
typedef struct verdict {
    unsigned touching, left; /* the candidate touches; it is not surely eliminated */
    unsigned rivals;         /* it is another contact, as near as the nearest */
} verdict;

LANES_INLINE verdict strike(const closest_points *p, const tangents *t, const int32_t *seen_of,
                            int32_t i)
{
    lanes_steps seen = lanes_find_steps(seen_of + i);
    lanes distance_sq = lanes_load(p->distance_sq + i);
    lanes3 other = {lanes_load(p->offset[0] + i), lanes_load(p->offset[1] + i),
                    lanes_load(p->offset[2] + i)};
    lanes3 nearest = {lanes_pick(t->offset[0], seen), lanes_pick(t->offset[1], seen),
                      lanes_pick(t->offset[2], seen)};
    lanes in_front = lanes3_dot(nearest, lanes3_sub(nearest, other));
    /* squared distances that may have the same root */
    lanes same_root = lanes_pick(t->distance_sq, seen) * lanes_set(1.0 + SAME_ROOT);
    lanes_mask is_as_near = lanes_no_more(distance_sq, same_root);
    lanes_mask is_behind = lanes_no_more(in_front, lanes_pick(t->limit, seen));
    unsigned touches = mask_bits(lanes_less(distance_sq, lanes_set(INFINITY)));
    unsigned as_near = mask_bits(is_as_near) & touches;
    return (verdict){touches, (~mask_bits(is_behind) & touches) | as_near,
                     as_near & ~mask_bits(lanes3_equal(other, nearest))};
}

/* Makes spheres with rivals keep all that touch: which contact is nearest, and may eliminate, is
 * decided by the canonical order. */
static void mark_rivals(kept *k, int32_t i, unsigned rivals)
{
    for (; rivals; rivals &= rivals - 1) {
        k->tangents.limit[k->candidates->seen[i + __builtin_ctz(rivals)]] = -INFINITY;
        k->has_rivals = true;
    }
}

/* Writes the remaining candidates to `spare`, sphere by sphere. */
static void strike_all(kept *k)
{
    /* copies, so that compilers see that pointers do not change */
    const closest_points p = *k->closest;
    const tangents t = k->tangents;
    const int32_t *seen = k->candidates->seen, all = k->candidates->count;
    int32_t *spare = k->spare, count = 0, touch_count = 0;
    for (int32_t i = 0; i < all; i += LANES) {
        verdict v = strike(&p, &t, seen, i);
        unsigned there = lanes_first_bits(all - i);
        touch_count += __builtin_popcount(v.touching & there);
        count += lanes_append_bits(spare + count, i, v.left & there);
        if (v.rivals & there) {
            mark_rivals(k, i, v.rivals & there);
        }
    }
    spare[count] = INT32_MAX;
    k->touch_count += touch_count;
}

/* Whether the sphere with candidates `begin` ... `end` - 1 keeps all that touch. */
LANES_INLINE bool keeps_all(const kept *k, int32_t begin, int32_t end)
{
    const int32_t *seen = k->candidates->seen;
    bool keeps = false;
    for (int32_t s = seen[begin]; k->has_rivals && s <= seen[end - 1]; s++) {
        keeps = keeps || k->tangents.limit[s] == -INFINITY;
    }
    return keeps;
}

LANES_INLINE int32_t take_touching(const closest_points *p, int32_t begin, int32_t end,
                                   int32_t *items)
{
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        items[count] = i;
        count += p->distance_sq[i] < INFINITY;
    }
    return count;
}

/* Copies the remaining candidates, sphere by sphere, to the kept ones. */
static void take_left(kept *k)
{
    const candidates *c = k->candidates;
    const int32_t *item = k->spare;
    int32_t count = 0;
    for (int32_t n = 0; n < c->sphere_count; n++) {
        const int32_t begin = c->first[n], end = c->first[n + 1], first = count;
        k->first[n] = first;
        for (; *item < end; item++) {
            k->items[count++] = *item;
        }
        if (keeps_all(k, begin, end)) {
            count = first + take_touching(k->closest, begin, end, k->items + first);
        }
    }
    k->first[c->sphere_count] = count;
}

void KERNEL(strike)(kept *k)
{
    find_nearest(k);
    measure_nearest(k);
    k->has_rivals = false;
    if (k->candidates->batch->has_beside) {
        keep_beside(k);
    }
    strike_all(k);
    take_left(k);
}
