/* The boxes of candidates against spheres, then the closest points of the triangles that are
 * left (docs/method.md, section 1; triangle_closest in mesh/facet.c is the same for one triangle).
 */
#include "../base/lanes_kernel.h"
#include "../base/prefetch.h"
#include "../base/simd.h"
#include "../mesh/tolerance.h"
#include "culling_kernel.h"
#include "kernels.h"

/* ---- the queue ---- */

/* Pairs of a sight that are marked in one go: few have more. */
enum { SIGHTS_STORED = 16 };
_Static_assert((int)SIGHTS_STORED <= (int)PAIR_PADDING, "arrays have room behind their last pair");

#if LANES == 8

LANES_INLINE int32_t append_sixteen(int32_t *list, const int32_t *facet, __mmask16 near)
{
    _mm512_storeu_si512(list, _mm512_maskz_compress_epi32(near, _mm512_loadu_si512(facet)));
    return __builtin_popcount(near);
}

/* Write the facets whose bits are set to the list, and to what lies behind; returns how many. */
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

/* Write the facets of a bucket's entries that are near to the list; returns how many. Whether the
 * set has slabs is known where this is called from, as are fans below: the loop is there twice. */
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

/* Add the facets of one bucket that are near, as if each were the triangle of its number. False
 * where there is no room. */
LANES_INLINE bool collect_bucket(pairs *p, const entries *set, bool has_slabs, uint32_t bucket,
                                 const uint16_t *units)
{
    uint32_t begin = set->begins[bucket], end = set->begins[bucket + 1];
    if ((int64_t)p->capacity - p->count < (int64_t)(end - begin) + ENTRIES_AT_ONCE) {
        return false;
    }
    p->candidate_count += end - begin;
    p->count += append_near(p->triangle + p->count, set, has_slabs, begin, end, units);
    return true;
}

/* The facets from number `first` on become their triangles. False where there is no room. */
static bool expand_fans(pairs *p, const abut_mesh *mesh, int32_t first)
{
    int32_t facet_count = p->count - first, count = first;
    memcpy(p->spare, p->triangle + first, (size_t)facet_count * sizeof *p->spare);
    for (int32_t i = 0; i < facet_count; i++) {
        int32_t begin = mesh->fans[p->spare[i]], end = mesh->fans[p->spare[i] + 1];
        if (end - begin > p->capacity - count) {
            return false;
        }
        for (int32_t k = begin; k < end; k++) {
            p->triangle[count++] = k;
        }
    }
    p->count = count;
    return true;
}

/* Note what the view sees of the sphere beside its pairs, those from number `first` on. */
LANES_INLINE void add_sight(pairs *p, int32_t number, int32_t sphere, int32_t first, int32_t end)
{
    const view *v = &p->batch->views[number];
    const int32_t sight = p->sight_count;
    for (int axis = 0; axis < 3; axis++) {
        p->center[axis][sight] = v->local[axis][sphere];
    }
    p->reach[sight] = p->batch->reach[sphere];
    p->radius[sight] = p->batch->radius[sphere];
    p->largest[sight] = batch_largest(p->batch, v, sphere);
    if (p->batch->has_narrow) {
        p->doubt[sight] = batch_is_narrow(p->batch, sphere) ? v->set->doubt : INFINITY;
    }
    p->view[sight] = number;
    for (int32_t i = first; i < end; i += SIGHTS_STORED) {
        for (int k = 0; k < SIGHTS_STORED; k += LANES) {
            lanes_store_number(p->sight + i + k, sight);
        }
    }
    p->sight_count += end > first;
}

/* Add the facets near a sphere of all buckets that it looks at in a view. False where there is no
 * room. */
LANES_INLINE bool collect_looks(pairs *p, const view *v, int32_t sphere, bool has_slabs)
{
    const entries set = entries_of(v->set);
    for (int32_t k = 0; k < v->set->level_count; k++) {
        const int64_t look = v->first_look + k;
        const uint32_t bucket = batch_buckets(p->batch, look)[sphere];
        const uint16_t *units = batch_units(p->batch, look, 0) + sphere;
        if (bucket != NO_BUCKET && !collect_bucket(p, &set, has_slabs, bucket, units)) {
            return false;
        }
    }
    return true;
}

/* Whether triangles are not at hand when they are tested: most are not in the cache, or few spheres
 * that find facets are close to each other, where most find none. */
static inline bool fetches_ahead(const batch *b, const view *v)
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

/* Add the pairs of a sphere and one view. False where there is no room. */
static bool collect_view(pairs *p, int32_t number, int32_t sphere)
{
    const view *v = &p->batch->views[number];
    const int32_t first = p->count;
    const bool has_room =
        v->set->slab_low ? collect_looks(p, v, sphere, true) : collect_looks(p, v, sphere, false);
    if (!has_room) {
        return false;
    }
    if (!v->is_triangles && !expand_fans(p, v->mesh, first)) {
        return false;
    }
    if (fetches_ahead(p->batch, v)) {
        fetch_triangles(v->mesh, p->triangle + first, p->count - first);
    }
    add_sight(p, number, sphere, first, p->count);
    return true;
}

LANES_INLINE void end_sphere(pairs *p, int32_t sphere)
{
    p->sphere[p->sphere_count] = sphere;
    p->sphere_count += p->count > p->first[p->sphere_count];
    p->first[p->sphere_count] = p->count;
}

/* Spheres that looks found something for, one after the other. */
typedef struct seen_spheres {
    const uint64_t *words;
    uint64_t bits; /* of those that are left of word `word` */
    int32_t word;
} seen_spheres;

LANES_INLINE seen_spheres seen_from(const batch *b, int32_t from)
{
    return (seen_spheres){b->seen, b->seen[from / 64] & (UINT64_MAX << (from % 64)), from / 64};
}

/* The next, or a number beyond the last. */
LANES_INLINE int32_t seen_next(seen_spheres *s)
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

/* The pairs of one view of triangles in one level of cells, as most batches have it. */
LANES_INLINE int32_t collect_plainly(pairs *p, int32_t from, bool has_slabs)
{
    const batch *b = p->batch;
    const entries set = entries_of(b->views[0].set);
    const uint32_t *buckets = batch_buckets(b, 0);
    const uint16_t *units = batch_units(b, 0, 0);
    const bool is_fetching = fetches_ahead(b, &b->views[0]);
    int32_t *const list = p->triangle, count = 0, spheres = 0;
    abut_index candidates = 0;
    int32_t sphere;
    seen_spheres seen = seen_from(b, from);
    while ((sphere = seen_next(&seen)) < b->count) {
        const uint32_t *begins = set.begins + buckets[sphere];
        const uint32_t begin = begins[0], end = begins[1];
        if (p->capacity - count < (int64_t)(end - begin) + ENTRIES_AT_ONCE) {
            break;
        }
        candidates += end - begin;
        int32_t found = append_near(list + count, &set, has_slabs, begin, end, units + sphere);
        if (is_fetching) {
            fetch_triangles(b->views[0].mesh, list + count, found);
        }
        count += found;
        p->sphere[spheres] = sphere;
        spheres += found > 0;
        p->first[spheres] = count;
    }
    p->candidate_count += candidates;
    p->count = count;
    p->sphere_count = spheres;
    return sphere < b->count ? sphere : b->count;
}

static void add_sights(pairs *p)
{
    for (int32_t k = 0; k < p->sphere_count; k++) {
        add_sight(p, 0, p->sphere[k], p->first[k], p->first[k + 1]);
    }
}

static int32_t collect_views(pairs *p, int32_t from)
{
    const batch *b = p->batch;
    seen_spheres seen = seen_from(b, from);
    for (int32_t sphere = seen_next(&seen); sphere < b->count; sphere = seen_next(&seen)) {
        abut_index candidates = p->candidate_count;
        int32_t sights = p->sight_count;
        for (int32_t number = 0; number < b->view_count; number++) {
            if (!collect_view(p, number, sphere)) {
                p->candidate_count = candidates; /* the sphere will come again */
                p->count = p->first[p->sphere_count];
                p->sight_count = sights;
                return sphere;
            }
        }
        end_sphere(p, sphere);
    }
    return b->count;
}

/* Bits from number `from` on. */
LANES_INLINE uint64_t bits_from(int32_t from)
{
    return from <= 0 ? UINT64_MAX : from >= 64 ? 0 : UINT64_MAX << from;
}

/* Refuse the narrow ones of spheres `from` ... `next` - 1 that found no facet at their foot. */
static void refuse_lost(pairs *p, int32_t from, int32_t next)
{
    const batch *b = p->batch;
    uint64_t found[BATCH_SPHERES / 64] = {0};
    for (int32_t k = 0; k < p->sphere_count; k++) {
        found[p->sphere[k] / 64] |= UINT64_C(1) << (p->sphere[k] % 64);
    }
    for (int32_t k = 0; k < BATCH_SPHERES / 64; k++) {
        const uint64_t searched = bits_from(from - 64 * k) & ~bits_from(next - 64 * k);
        p->refused[k] = b->narrow[k] & b->seen[k] & ~found[k] & searched;
        p->has_refused |= p->refused[k] != 0;
    }
}

int32_t KERNEL(intersect_collect)(pairs *p, int32_t from)
{
    const batch *b = p->batch;
    int32_t next;
    p->count = p->sphere_count = p->sight_count = 0;
    p->first[0] = 0;
    p->has_refused = false;
    if (b->look_count == 1 && b->views[0].is_triangles) {
        next = b->views[0].set->slab_low ? collect_plainly(p, from, true)
                                         : collect_plainly(p, from, false);
        add_sights(p);
    } else {
        next = collect_views(p, from);
    }
    if (b->has_narrow) {
        refuse_lost(p, from, next);
    }
    return next;
}

/* ---- closest points ---- */

/* Records of triangles, side by side. */
typedef struct triangles {
    lanes3 corner[3], normal;
    lanes marks; /* second and marks of the record, as bits */
} triangles;

LANES_INLINE void load_triangles(const pairs *p, int32_t first, const triangle *base, triangles *t)
{
    const double *rows[LANES];
    lanes columns[16];
    for (int i = 0; i < LANES; i++) {
        const triangle *of = base ? base + p->triangle[first + i] : pair_triangle(p, first + i);
        rows[i] = (const double *)(const void *)of;
    }
    lanes_transpose_all(rows, 16, columns);
    for (int i = 0; i < 3; i++) {
        t->corner[i] = (lanes3){columns[3 * i], columns[3 * i + 1], columns[3 * i + 2]};
    }
    t->normal = (lanes3){columns[9], columns[10], columns[11]};
    t->marks = columns[15];
}

/* Corners and normals alone, which take less. */
LANES_INLINE void load_insides(const pairs *p, int32_t first, const triangle *base, triangles *t)
{
    const double *rows[LANES], *rest[LANES];
    lanes columns[12];
    for (int i = 0; i < LANES; i++) {
        rows[i] = (const double *)(const void *)(base + p->triangle[first + i]);
        rest[i] = rows[i] + 8;
    }
    lanes_transpose_all(rows, 8, columns);
    lanes_load_rows(rest, columns + 8);
    for (int i = 0; i < 3; i++) {
        t->corner[i] = (lanes3){columns[3 * i], columns[3 * i + 1], columns[3 * i + 2]};
    }
    t->normal = (lanes3){columns[9], columns[10], columns[11]};
}

LANES_INLINE lanes_mask has_mark(const triangles *t, uint32_t mark)
{
    return lanes_have_bits(t->marks, (uint64_t)mark << 32);
}

/* The nearest so far of each lane; the code is that of pairs.h. Zeros may have a sign. */
typedef struct nearest {
    lanes3 offset;
    lanes distance_sq, code;
    lanes_mask is_vertex;
} nearest;

LANES_INLINE nearest nearest_select(lanes_mask mask, const nearest *yes, const nearest *no)
{
    return (nearest){
        lanes3_select(mask, yes->offset, no->offset),
        lanes_select(mask, yes->distance_sq, no->distance_sq),
        lanes_select(mask, yes->code, no->code),
        mask_or(mask_and(mask, yes->is_vertex), mask_and(mask_not(mask), no->is_vertex))};
}

/* Triangles as seen from centers: what their edges have in common. */
typedef struct surroundings {
    lanes3 offset[3]; /* center - corner */
    lanes3 vector[3]; /* of edge k, from its corner with the lower number */
    lanes_mask has_inside;
} surroundings;

LANES_INLINE surroundings look_around(const triangles *t, lanes3 center)
{
    surroundings s;
    for (int k = 0; k < 3; k++) {
        s.offset[k] = lanes3_sub(center, t->corner[k]);
        s.vector[k] = k < 2 ? lanes3_sub(t->corner[k + 1], t->corner[k])
                            : lanes3_sub(t->corner[2], t->corner[0]);
    }
    s.has_inside = has_mark(t, MARK_INSIDE);
    return s;
}

/* How far the center is over the inner side of edge k, times its length. */
LANES_INLINE lanes edge_height(const triangles *t, const surroundings *s, int k)
{
    lanes height = lanes3_dot(lanes3_cross(t->normal, s->vector[k]), s->offset[k]);
    /* the last edge runs from corner 2 to corner 0 around the triangle */
    if (k == 2) {
        height = -height;
    }
    return height;
}

/* Whether the center is over the inner side of edge k. */
LANES_INLINE lanes_mask is_inside(const triangles *t, const surroundings *s, int k)
{
    return lanes_no_more(lanes_set(0.0), edge_height(t, s, k));
}

/* An edge as it is evaluated: from the lexicographically smaller end, which may be its second. */
typedef struct edge {
    lanes3 from, to; /* center - end */
    lanes3 vector;   /* from the first end to the other */
    lanes from_code, to_code, code;
    lanes_mask is_diagonal;
} edge;

LANES_INLINE lanes code_of(abut_type type, double local)
{
    return lanes_set(CODES_PER_TYPE * (double)type + local);
}

/* Edges 0 and 2 begin in corner 0, which is the smallest. */
LANES_INLINE edge make_edge(const triangles *t, const surroundings *s, int k)
{
    edge e = {.from = s->offset[0], .vector = s->vector[k], .code = code_of(ABUT_EDGE, k)};
    if (k == 1) {
        lanes one = code_of(ABUT_VERTEX, 1), two = code_of(ABUT_VERTEX, 2);
        lanes_mask is_turned = has_mark(t, MARK_EDGE_1_FROM_END);
        e.from = lanes3_select(is_turned, s->offset[2], s->offset[1]);
        e.to = lanes3_select(is_turned, s->offset[1], s->offset[2]);
        e.vector = lanes3_flip(is_turned, e.vector);
        e.from_code = lanes_select(is_turned, two, one);
        e.to_code = lanes_select(is_turned, one, two);
        return e;
    }
    e.to = s->offset[k == 0 ? 1 : 2];
    e.from_code = code_of(ABUT_VERTEX, 0);
    e.to_code = code_of(ABUT_VERTEX, k == 0 ? 1 : 2);
    return e;
}

/* Diagonals, and edges without a length, which facets that are triangles do not have. */
LANES_INLINE edge mark_edge(const triangles *t, edge e, int k)
{
    if (k == 2) {
        lanes_mask from_start = has_mark(t, MARK_EDGE_2_FROM_START);
        e.from_code = lanes_select(from_start, code_of(ABUT_VERTEX, 2), e.from_code);
        e.to_code = lanes_select(from_start, code_of(ABUT_VERTEX, 0), e.to_code);
    }
    uint32_t diagonal = k == 0 ? MARK_EDGE_0_DIAGONAL : k == 2 ? MARK_EDGE_2_DIAGONAL : 0;
    e.is_diagonal = has_mark(t, diagonal);
    e.code = lanes_select(e.is_diagonal, code_of(ABUT_FACET, k), e.code);
    return e;
}

/* on_edge of mesh/facet.c. Turning the edge changes signs alone, and multiplying with 0 in the
 * place of `along` leaves the offset of the first end. */
LANES_INLINE nearest on_edge(const edge *e, bool has_fans)
{
    lanes zero = lanes_set(0.0);
    lanes p = lanes3_dot(e->from, e->vector);
    lanes length_sq = lanes3_dot(e->vector, e->vector), along = p / length_sq;
    lanes_mask at_from = mask_or(lanes_less(p, zero), lanes_equal(length_sq, zero));
    lanes_mask at_to = lanes_less(length_sq, p);
    if (has_fans) {
        at_from = mask_or(at_from, mask_and(e->is_diagonal, lanes_equal(p, zero)));
        at_to = mask_or(at_to, mask_and(e->is_diagonal, lanes_equal(p, length_sq)));
    }
    /* also where the part of the edge rounds to all of it */
    lanes_mask is_to = lanes_no_more(lanes_set(1.0), along);
    along = lanes_select(at_from, zero, along);
    lanes3 offset = lanes3_sub(e->from, lanes3_scale(e->vector, along));
    offset = lanes3_select(is_to, e->to, offset);
    lanes code = lanes_select(at_to, e->to_code, e->code);
    return (nearest){offset, lanes3_dot(offset, offset), lanes_select(at_from, e->from_code, code),
                     mask_or(at_from, at_to)};
}

/* Whether what was found is nearer, or as near and higher in the contact type hierarchy. */
LANES_INLINE lanes_mask is_nearer(const nearest *found, const nearest *best, bool has_fans)
{
    lanes_mask is_less = lanes_less(found->distance_sq, best->distance_sq);
    lanes_mask is_equal = lanes_equal(found->distance_sq, best->distance_sq);
    lanes_mask is_higher = mask_and(mask_not(found->is_vertex), best->is_vertex);
    if (has_fans) {
        lanes limit = lanes_set(CODES_PER_TYPE * ABUT_EDGE);
        lanes_mask facet_before = mask_not(lanes_less(best->code, limit));
        is_higher = mask_or(is_higher, mask_and(lanes_less(found->code, limit), facet_before));
    }
    return mask_or(is_less, mask_and(is_equal, is_higher));
}

/* Edge k, where the center is over its outer side; `is_over` loses the lanes where it is. Edge 0
 * comes first. */
LANES_INLINE nearest consider_edge(const triangles *t, const surroundings *s, int k, bool has_fans,
                                   lanes_mask *is_over, nearest best)
{
    lanes_mask inside = is_inside(t, s, k);
    edge e = make_edge(t, s, k);
    if (has_fans) {
        inside = mask_and(inside, s->has_inside);
        e = mark_edge(t, e, k);
    }
    *is_over = mask_and(*is_over, inside);
    nearest found = on_edge(&e, has_fans);
    lanes_mask counts = mask_not(inside);
    if (has_fans && k != 1) {
        uint32_t ignored = k == 0 ? MARK_EDGE_0_IGNORED : MARK_EDGE_2_IGNORED;
        counts = mask_and(counts, mask_not(has_mark(t, ignored)));
    }
    if (k == 0) {
        found.distance_sq = lanes_select(counts, found.distance_sq, lanes_set(INFINITY));
        found.is_vertex = mask_or(found.is_vertex, mask_not(counts));
        return found;
    }
    counts = mask_and(counts, is_nearer(&found, &best, has_fans));
    return nearest_select(counts, &found, &best);
}

/* Eqs. 16-25 in the order of table 3. Without fans every facet is a triangle: then no edge is a
 * diagonal, and all have an inside. */
LANES_INLINE nearest closest_points(const triangles *t, lanes3 center, bool has_fans)
{
    surroundings s = look_around(t, center);
    lanes zero = lanes_set(0.0);
    lanes_mask is_over = lanes_equal(zero, zero);
    nearest best = {.distance_sq = zero};
    best = consider_edge(t, &s, 0, has_fans, &is_over, best);
    best = consider_edge(t, &s, 1, has_fans, &is_over, best);
    best = consider_edge(t, &s, 2, has_fans, &is_over, best);
    lanes3 offset = lanes3_scale(t->normal, lanes3_dot(t->normal, s.offset[0]));
    nearest over = {offset, lanes3_dot(offset, offset), code_of(ABUT_FACET, LOCAL_INSIDE),
                    best.is_vertex};
    best = nearest_select(is_over, &over, &best);
    best.offset = lanes3_one_zero(best.offset);
    return best;
}

/* Where feet are, as far as it is sure. */
typedef struct standing {
    lanes_mask is_over;  /* inside of all edges */
    lanes_mask is_aside; /* outside of one */
    lanes3 offset;       /* from the foot to the center */
} standing;

LANES_INLINE standing stand(const triangles *t, lanes3 center, lanes doubt)
{
    surroundings s = look_around(t, center);
    lanes zero = lanes_set(0.0), outside = -doubt;
    standing found = {.is_over = lanes_equal(zero, zero), .is_aside = lanes_less(zero, zero)};
    for (int k = 0; k < 3; k++) {
        lanes height = edge_height(t, &s, k);
        found.is_over = mask_and(found.is_over, lanes_no_more(doubt, height));
        found.is_aside = mask_or(found.is_aside, lanes_no_more(height, outside));
    }
    found.offset = lanes3_scale(t->normal, lanes3_dot(t->normal, s.offset[0]));
    return found;
}

/* Of narrow spheres: triangles whose contact is not the nearest are left out where that is sure,
 * and the long way is gone where it is not. Of others `doubt` is infinite. */
LANES_INLINE nearest closest_below(const pairs *p, int32_t first, const triangle *base,
                                   lanes3 center, lanes doubt)
{
    triangles t;
    load_insides(p, first, base, &t);
    standing at = stand(&t, center, doubt);
    lanes infinity = lanes_set(INFINITY);
    nearest found = {.offset = lanes3_one_zero(at.offset),
                     .code = code_of(ABUT_FACET, LOCAL_INSIDE)};
    found.distance_sq = lanes3_dot(found.offset, found.offset);
    if (mask_bits(mask_or(at.is_over, at.is_aside)) != LANES_ALL) {
        load_triangles(p, first, base, &t);
        found = closest_points(&t, center, false);
    }
    found.distance_sq = lanes_select(at.is_aside, infinity, found.distance_sq);
    return found;
}

/* Squares of distances that count: infinite where the triangle is out of reach. The root decides
 * only where the squares are too close to. */
LANES_INLINE lanes touching_sq(lanes distance_sq, lanes reach)
{
    lanes reach_sq = reach * reach;
    lanes_mask touches = lanes_less(distance_sq, reach_sq * lanes_set(1.0 - CULL_SLACK));
    lanes_mask may = lanes_no_more(distance_sq, reach_sq * lanes_set(1.0 + CULL_SLACK));
    if (mask_bits(may) != mask_bits(touches)) {
        lanes_mask does = lanes_no_more(lanes_sqrt(distance_sq), reach);
        touches = mask_or(touches, mask_and(may, does));
    }
    return lanes_select(touches, distance_sq, lanes_set(INFINITY));
}

/* base: the triangles of the only mesh, or NULL where there are several. has_narrow: some spheres
 * are. */
LANES_INLINE void find_closest(pairs *p, const triangle *base, bool has_fans, bool has_narrow)
{
    for (int32_t i = 0; i < p->count; i += LANES) {
        lanes_steps steps = lanes_find_steps(p->sight + i);
        lanes3 center = {lanes_pick(p->center[0], steps), lanes_pick(p->center[1], steps),
                         lanes_pick(p->center[2], steps)};
        lanes doubt = has_narrow ? lanes_pick(p->doubt, steps) : lanes_set(INFINITY);
        nearest found;
        if (has_narrow && mask_bits(lanes_less(doubt, lanes_set(INFINITY)))) {
            found = closest_below(p, i, base, center, doubt);
        } else {
            triangles t;
            load_triangles(p, i, base, &t);
            found = closest_points(&t, center, has_fans);
        }
        lanes reach = lanes_pick(p->reach, steps);
        lanes_store(p->distance_sq + i, touching_sq(found.distance_sq, reach));
        lanes_store(p->offset[0] + i, found.offset.x);
        lanes_store(p->offset[1] + i, found.offset.y);
        lanes_store(p->offset[2] + i, found.offset.z);
        lanes_store_whole(p->code + i, found.code);
    }
}

/* The triangles of the mesh that all views are of, or NULL. */
static const triangle *only_triangles(const batch *b)
{
    const abut_mesh *mesh = b->views[0].mesh;
    for (abut_index k = 1; k < b->view_count; k++) {
        mesh = b->views[k].mesh == mesh ? mesh : NULL;
    }
    return mesh ? mesh->triangles : NULL;
}

void KERNEL(intersect_exact)(pairs *p, bool has_fans)
{
    for (int32_t i = p->count; i < p->count + LANES - 1; i++) {
        /* what is read beyond the end has to be some triangle, of the mesh that the sight has */
        p->triangle[i] = p->triangle[p->count - 1];
        p->sight[i] = p->sight_count - 1;
    }
    const triangle *base = only_triangles(p->batch);
    if (has_fans) {
        find_closest(p, NULL, true, false);
    } else if (!base) {
        find_closest(p, NULL, false, false);
    } else if (p->batch->has_narrow) {
        find_closest(p, base, false, true);
    } else {
        find_closest(p, base, false, false);
    }
}
