/* Collects candidates: entries of bins with boxes near a sphere become triangles to be tested. */
#include "../base/lanes_kernel.h"
#include "../base/prefetch.h"
#include "../base/simd.h"
#include "../mesh/tolerance.h"
#include "culling_kernel.h"
#include "facet_list.h"
#include "half_spaces.h"
#include "kernels.h"

/* The number of the seen sphere is written to this many candidates at a time. Few spheres have more
 * candidates. */
enum { MARKED_AT_ONCE = 16 };
_Static_assert((int)MARKED_AT_ONCE <= (int)CANDIDATE_PADDING, "arrays have room behind the last");

#if LANES == 8

LANES_INLINE int32_t append_sixteen(int32_t *list, const int32_t *facet, __mmask16 near)
{
    _mm512_storeu_si512(list, _mm512_maskz_compress_epi32(near, _mm512_loadu_si512(facet)));
    return __builtin_popcount(near);
}

/* Writes the facets with a set bit to the list, with space for 32. Returns their number. */
LANES_INLINE int32_t append_facets(int32_t *list, const int32_t *facet, uint32_t near)
{
    int32_t count = append_sixteen(list, facet, (__mmask16)near);
    return count + append_sixteen(list + count, facet + 16, (__mmask16)(near >> 16));
}

#else

LANES_INLINE int32_t append_facets(int32_t *list, const int32_t *facet, uint32_t near)
{
    int32_t count = 0;
    for (; near; near &= near - 1) {
        list[count++] = facet[__builtin_ctz(near)];
    }
    return count;
}

#endif

/* Writes the facets of a bucket's entries near the sphere to the list. Returns their number.
 * `has_slabs` is a constant in each call, so that the loop is compiled twice. */
LANES_INLINE int32_t append_near(int32_t *list, const entries *set, bool has_slabs, uint32_t begin,
                                 uint32_t end, const uint16_t *units)
{
    int32_t count = 0;
    for (uint32_t entry = begin; entry < end; entry += ENTRIES_AT_ONCE) {
        uint32_t near = boxes_near(set, entry, units);
        near &= has_slabs ? slabs_near(set, entry, units) : UINT32_MAX;
        near &= end - entry < ENTRIES_AT_ONCE ? (1u << (end - entry)) - 1u : UINT32_MAX;
        count += append_facets(list + count, set->facet + entry, near);
    }
    return count;
}

/* Adds the facets of one bucket near the sphere, as if their numbers were those of triangles
 * (expand_fans corrects this). Returns false if they do not fit. */
LANES_INLINE bool collect_bucket(candidates *c, const entries *set, bool has_slabs, uint32_t bucket,
                                 const uint16_t *units)
{
    uint32_t begin = set->begins[bucket], end = set->begins[bucket + 1];
    if ((int64_t)c->capacity - c->count < (int64_t)(end - begin) + ENTRIES_AT_ONCE) {
        return false;
    }
    c->entry_count += end - begin;
    c->count += append_near(c->triangle + c->count, set, has_slabs, begin, end, units);
    return true;
}

/* Replaces facets, from number `first` on, by their triangles. Returns false if they do not fit. */
static bool expand_fans(candidates *c, const abut_mesh *mesh, int32_t first)
{
    int32_t facet_count = c->count - first, count = first;
    memcpy(c->facet, c->triangle + first, (size_t)facet_count * sizeof *c->facet);
    for (int32_t i = 0; i < facet_count; i++) {
        int32_t begin = mesh->fans[c->facet[i]], end = mesh->fans[c->facet[i] + 1];
        if (end - begin > c->capacity - count) {
            return false;
        }
        for (int32_t k = begin; k < end; k++) {
            c->triangle[count++] = k;
        }
    }
    c->count = count;
    return true;
}

/* Adds a seen sphere: a sphere in the frame of a view, with candidates from number `first` on. */
LANES_INLINE void add_seen(candidates *c, int32_t number, int32_t sphere, int32_t first,
                           int32_t end)
{
    const mesh_view *v = &c->batch->views[number];
    seen_spheres *spheres = &c->seen_spheres;
    const int32_t seen = spheres->count;
    for (int axis = 0; axis < 3; axis++) {
        spheres->center[axis][seen] = v->local[axis][sphere];
    }
    spheres->reach[seen] = c->batch->reach[sphere];
    spheres->radius[seen] = c->batch->radius[sphere];
    spheres->largest[seen] = batch_largest(c->batch, v, sphere);
    spheres->view[seen] = number;
    for (int32_t i = first; i < end; i += MARKED_AT_ONCE) {
        for (int k = 0; k < MARKED_AT_ONCE; k += LANES) {
            lanes_store_number(c->seen + i + k, seen);
        }
    }
    spheres->count += end > first;
}

/* The units of a sphere in its cell or, if only its foot is searched, the units of the foot. */
LANES_INLINE const uint16_t *units_of(const candidates *c, int64_t look, int32_t sphere)
{
    const bool is_at_foot = batch_is_narrow(c->batch, sphere) & !c->is_wide;
    return batch_units(c->batch, look, FOOT_UNITS * is_at_foot) + sphere;
}

/* Adds the facets near a sphere from all its buckets in a view, or returns false if they do not
 * fit. */
LANES_INLINE bool collect_looks(candidates *c, const mesh_view *v, int32_t sphere, bool has_slabs)
{
    const entries set = entries_of(v->set);
    for (int32_t k = 0; k < v->set->level_count; k++) {
        const int64_t look = v->first_look + k;
        const uint32_t bucket = batch_buckets(c->batch, look)[sphere];
        const uint16_t *units = units_of(c, look, sphere);
        if (bucket != NO_BUCKET && !collect_bucket(c, &set, has_slabs, bucket, units)) {
            return false;
        }
    }
    return true;
}

/* Whether triangles must be prefetched for their test, since most are not in the cache: the mesh is
 * large, or spheres that find facets are few and far from each other. */
static inline bool fetches_ahead(const batch *b, const mesh_view *v)
{
    return b->is_sparse || v->mesh->fans[v->mesh->view.facet_count] > CACHED_TRIANGLES;
}

static inline void fetch_triangles(const abut_mesh *mesh, const int32_t *numbers, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        const triangle *t = mesh->triangles + numbers[k];
        PREFETCH(t);
        PREFETCH((const char *)(t + 1) - 1);
    }
}

/* Adds the candidates of a sphere in one view. Returns false if they do not fit. */
static bool collect_view(candidates *c, int32_t number, int32_t sphere)
{
    const mesh_view *v = &c->batch->views[number];
    const int32_t first = c->count;
    const bool has_room =
        v->set->slab_low ? collect_looks(c, v, sphere, true) : collect_looks(c, v, sphere, false);
    if (!has_room) {
        return false;
    }
    if (!v->is_triangles && !expand_fans(c, v->mesh, first)) {
        return false;
    }
    if (fetches_ahead(c->batch, v)) {
        fetch_triangles(v->mesh, c->triangle + first, c->count - first);
    }
    add_seen(c, number, sphere, first, c->count);
    return true;
}

LANES_INLINE void end_sphere(candidates *c, int32_t sphere)
{
    c->sphere[c->sphere_count] = sphere;
    c->sphere_count += c->count > c->first[c->sphere_count];
    c->first[c->sphere_count] = c->count;
}

/* Iterates over spheres with a set bit. */
typedef struct sphere_bits {
    const uint64_t *words;
    uint64_t bits; /* remaining bits of word `word` */
    int32_t word;
} sphere_bits;

LANES_INLINE sphere_bits bits_from(const uint64_t *spheres, int32_t from)
{
    return (sphere_bits){spheres, spheres[from / 64] & (UINT64_MAX << (from % 64)), from / 64};
}

/* The next sphere, or a number beyond the last. */
LANES_INLINE int32_t next_sphere(sphere_bits *s)
{
    while (s->bits == 0) {
        if (++s->word == BATCH_SPHERES / 64) {
            return BATCH_SPHERES;
        }
        s->bits = s->words[s->word];
    }
    int32_t sphere = 64 * s->word + __builtin_ctzll(s->bits);
    s->bits &= s->bits - 1;
    return sphere;
}

/* Collects the candidates of one view of triangles with one level, the usual case. `has_slabs` and
 * `has_narrow` are constants in each call. */
LANES_INLINE int32_t collect_plainly(candidates *c, sphere_bits spheres, bool has_slabs,
                                     bool has_narrow)
{
    const batch *b = c->batch;
    const entries set = entries_of(b->views[0].set);
    const uint32_t *buckets = batch_buckets(b, 0);
    const uint16_t *cell_units = batch_units(b, 0, 0);
    const bool is_fetching = fetches_ahead(b, &b->views[0]);
    int32_t *const list = c->triangle, count = 0, sphere_count = 0;
    abut_index compared = 0;
    int32_t sphere;
    while ((sphere = next_sphere(&spheres)) < b->count) {
        const uint32_t *begins = set.begins + buckets[sphere];
        const uint32_t begin = begins[0], end = begins[1];
        if (c->capacity - count < (int64_t)(end - begin) + ENTRIES_AT_ONCE) {
            break;
        }
        compared += end - begin;
        const int at_foot = has_narrow ? FOOT_UNITS * BATCH_ROOM * batch_is_narrow(b, sphere) : 0;
        const uint16_t *units = cell_units + at_foot + sphere;
        int32_t found = append_near(list + count, &set, has_slabs, begin, end, units);
        if (is_fetching) {
            fetch_triangles(b->views[0].mesh, list + count, found);
        }
        count += found;
        c->sphere[sphere_count] = sphere;
        sphere_count += found > 0;
        c->first[sphere_count] = count;
    }
    c->entry_count += compared;
    c->count = count;
    c->sphere_count = sphere_count;
    return sphere < b->count ? sphere : b->count;
}

/* Collects the candidates of one view, and adds the seen spheres. */
static int32_t collect_one_view(candidates *c, sphere_bits spheres)
{
    const bool has_slabs = c->batch->views[0].set->slab_low, has_narrow = candidates_at_feet(c);
    const int32_t next = has_slabs    ? collect_plainly(c, spheres, true, has_narrow)
                         : has_narrow ? collect_plainly(c, spheres, false, true)
                                      : collect_plainly(c, spheres, false, false);
    for (int32_t k = 0; k < c->sphere_count; k++) {
        add_seen(c, 0, c->sphere[k], c->first[k], c->first[k + 1]);
    }
    return next;
}

/* Adds the half spaces near a sphere. Returns false if they do not fit. */
static bool collect_half_spaces(candidates *c, int32_t sphere)
{
    const batch *b = c->batch;
    const vec3 center = {b->center[0][sphere], b->center[1][sphere], b->center[2][sphere]};
    for (abut_index k = 0; batch_is_beside(b, sphere) && k < b->half_space_count; k++) {
        if (!(half_space_height(batch_half_space(b, k), center) <= b->reach[sphere])) {
            continue;
        }
        if (c->count == c->capacity) {
            return false;
        }
        c->triangle[c->count] = 0;
        add_seen(c, (int32_t)(b->view_count + k), sphere, c->count, c->count + 1);
        c->count++;
    }
    return true;
}

/* Adds the facets that a list has for a sphere. Returns false if they do not fit. */
static bool collect_listed(candidates *c, int32_t sphere)
{
    const batch *b = c->batch;
    const int32_t *begins = b->list->begins + b->first + b->number[sphere];
    if (begins[1] - begins[0] > c->capacity - c->count) {
        return false;
    }
    for (int32_t k = begins[0]; k < begins[1];) {
        const int32_t number = b->list->items[k].mesh, first = c->count;
        const mesh_view *v = &b->views[number];
        for (; k < begins[1] && b->list->items[k].mesh == number; k++) {
            c->triangle[c->count++] = b->list->items[k].triangle;
        }
        if (!v->is_plain) {
            batch_turn(b, v, sphere);
        }
        if (fetches_ahead(b, v)) {
            fetch_triangles(v->mesh, c->triangle + first, c->count - first);
        }
        add_seen(c, number, sphere, first, c->count);
    }
    return true;
}

/* Adds the candidates of a sphere in all views of meshes. Returns false if they do not fit. */
static bool collect_meshes(candidates *c, int32_t sphere)
{
    for (int32_t number = 0; number < c->batch->view_count; number++) {
        if (!collect_view(c, number, sphere)) {
            return false;
        }
    }
    return true;
}

/* Adds all candidates of a sphere. If they do not fit, adds none and returns false. */
static bool collect_sphere(candidates *c, int32_t sphere)
{
    const abut_index compared = c->entry_count;
    const int32_t seen = c->seen_spheres.count;
    const bool has_room = c->batch->list ? collect_listed(c, sphere) : collect_meshes(c, sphere);
    if (!has_room || !collect_half_spaces(c, sphere)) {
        c->entry_count = compared;
        c->count = c->first[c->sphere_count];
        c->seen_spheres.count = seen;
        return false;
    }
    end_sphere(c, sphere);
    return true;
}

static int32_t collect_views(candidates *c, sphere_bits spheres)
{
    const int32_t count = c->batch->count;
    int32_t sphere = next_sphere(&spheres);
    while (sphere < count && collect_sphere(c, sphere)) {
        sphere = next_sphere(&spheres);
    }
    return sphere < count ? sphere : count;
}

/* Writes copies of the last candidate behind it, where kernels read. */
static void pad(candidates *c)
{
    for (int32_t i = c->count; c->count > 0 && i < c->count + LANES - 1; i++) {
        c->triangle[i] = c->triangle[c->count - 1];
        c->seen[i] = c->seen_spheres.count - 1;
    }
}

int32_t KERNEL(collect)(candidates *c, const uint64_t *spheres, int32_t from)
{
    const batch *b = c->batch;
    const sphere_bits wanted = bits_from(spheres, from);
    c->count = c->sphere_count = c->seen_spheres.count = 0;
    c->first[0] = 0;
    const bool is_plain = b->look_count == 1 && b->views[0].is_triangles && !b->has_beside;
    const int32_t next = is_plain ? collect_one_view(c, wanted) : collect_views(c, wanted);
    pad(c);
    return next;
}
