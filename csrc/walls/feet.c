/* Narrow spheres: only the facets at their foot are searched. If that is not enough, they are
 * refused. */
#include "feet.h"

#include <string.h>

#include "../bins/bins.h"
#include "../mesh/tolerance.h"
#include "kernels.h"

/* With more looks, checking that a sphere has buckets in only one view costs more than it saves. */
enum { PLANE_LOOKS = 16 };

static bool has_planes(const mesh_view *v)
{
    return v->is_triangles && v->set->plane && v->pose->skew <= SKEW_LIMIT;
}

void feet_look(batch *b)
{
    for (abut_index k = 0; b->look_count <= PLANE_LOOKS && k < b->view_count; k++) {
        if (has_planes(&b->views[k])) {
            kernels_take()->look_feet(b, &b->views[k]);
        }
    }
}

/* Bits from number `from` on. */
static uint64_t bits_from(int32_t from)
{
    return from <= 0 ? UINT64_MAX : from >= 64 ? 0 : UINT64_MAX << from;
}

/* The bits, in one word, of those spheres `from` ... `next` - 1 that are narrow and seen. */
static uint64_t narrow_bits(const batch *b, int32_t word, int32_t from, int32_t next)
{
    const uint64_t searched = bits_from(from - 64 * word) & ~bits_from(next - 64 * word);
    return b->narrow[word] & b->seen[word] & searched;
}

/* Refuses narrow spheres without candidates. */
static void refuse_lost(kept *k, int32_t from, int32_t next)
{
    const candidates *c = k->candidates;
    uint64_t found[BATCH_SPHERES / 64] = {0};
    for (int32_t n = 0; n < c->sphere_count; n++) {
        found[c->sphere[n] / 64] |= UINT64_C(1) << (c->sphere[n] % 64);
    }
    for (int32_t word = 0; word < BATCH_SPHERES / 64; word++) {
        k->refused[word] |= narrow_bits(c->batch, word, from, next) & ~found[word];
    }
    k->has_refused = true;
}

/* Whether the nearest contact of a sphere is inside a facet; `n` is the sphere's number among those
 * with candidates. If several contacts are equally near, the first one decides. */
static bool is_over_facet(const kept *k, int32_t n)
{
    const closest_points *p = k->closest;
    const int32_t begin = k->first[n], end = k->first[n + 1];
    int32_t nearest = begin < end ? k->items[begin] : -1;
    for (int32_t m = begin + 1; m < end; m++) {
        const int32_t i = k->items[m];
        nearest = p->distance_sq[i] < p->distance_sq[nearest] ? i : nearest;
    }
    return nearest >= 0 && p->code[nearest] == CODES_PER_TYPE * ABUT_FACET + LOCAL_INSIDE;
}

/* Refuses sphere `n` of those with candidates. The facets found for it are no longer counted. */
static void refuse(kept *k, int32_t n)
{
    const candidates *c = k->candidates;
    k->refused[c->sphere[n] / 64] |= UINT64_C(1) << (c->sphere[n] % 64);
    k->has_refused = true;
    k->refused_count += c->first[n + 1] - c->first[n];
    for (int32_t i = c->first[n]; i < c->first[n + 1]; i++) {
        k->touch_count -= k->closest->distance_sq[i] < INFINITY;
    }
}

/* Whether a sphere has kept just one contact, inside a facet: the usual case. */
static inline bool is_all_one_facet(const kept *k, int32_t n)
{
    const int32_t begin = k->first[n];
    return k->first[n + 1] - begin == 1 &&
           k->closest->code[k->items[begin]] == CODES_PER_TYPE * ABUT_FACET + LOCAL_INSIDE;
}

void feet_refuse(kept *k, int32_t from, int32_t next)
{
    const candidates *c = k->candidates;
    int32_t lost = 0;
    memset(k->refused, 0, sizeof k->refused);
    k->refused_count = 0;
    for (int32_t word = 0; word < BATCH_SPHERES / 64; word++) {
        lost += __builtin_popcountll(narrow_bits(c->batch, word, from, next));
    }
    for (int32_t n = 0; n < c->sphere_count; n++) {
        const bool is_narrow = batch_is_narrow(c->batch, c->sphere[n]);
        lost -= is_narrow;
        if (is_narrow && !is_all_one_facet(k, n) && !is_over_facet(k, n)) {
            refuse(k, n);
        }
    }
    if (lost > 0) {
        refuse_lost(k, from, next);
    }
}

void feet_take_refused(kept *k, int32_t end, uint64_t *spheres)
{
    for (int32_t word = 0; word < BATCH_SPHERES / 64; word++) {
        spheres[word] = k->refused[word] & ~bits_from(end - 64 * word);
        k->refused[word] &= bits_from(end - 64 * word);
    }
}

int32_t feet_first_refused(const kept *k)
{
    int32_t word = 0;
    while (word < BATCH_SPHERES / 64 && k->refused[word] == 0) {
        word++;
    }
    return word < BATCH_SPHERES / 64 ? 64 * word + __builtin_ctzll(k->refused[word])
                                     : BATCH_SPHERES;
}
