/* The boxes of candidates against spheres, then the closest points of the triangles that are left
 * (contact.md, section 1; triangle_closest in facet.c is the same for one triangle). */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "kernels.h"
#include "tolerance.h"

/* ---- boxes: 32 at once, in 16-bit units of the cell ---- */

enum { BOXES = 32 };

/* A sphere in a cell. */
typedef struct cell_sphere {
    uint16_t center[3];
    uint16_t limit; /* upper half of the reach's square */
} cell_sphere;

#if LANES == 8

static inline __m512i apart_sq(const uint16_t *low, const uint16_t *high, uint16_t center)
{
    __m512i c = _mm512_set1_epi16((short)center);
    __m512i apart = _mm512_or_si512(_mm512_subs_epu16(_mm512_loadu_si512(low), c),
                                    _mm512_subs_epu16(c, _mm512_loadu_si512(high)));
    return _mm512_mulhi_epu16(apart, apart);
}

/* Bit i: whether box `entry + i` is within reach. */
static inline uint32_t boxes_near(const bins *set, uint32_t entry, const cell_sphere *s)
{
    __m512i sum = apart_sq(set->low[0] + entry, set->high[0] + entry, s->center[0]);
    sum = _mm512_adds_epu16(
        sum, apart_sq(set->low[1] + entry, set->high[1] + entry, s->center[1]));
    sum = _mm512_adds_epu16(
        sum, apart_sq(set->low[2] + entry, set->high[2] + entry, s->center[2]));
    return _mm512_cmple_epu16_mask(sum, _mm512_set1_epi16((short)s->limit));
}

#elif LANES == 4

static inline __m256i apart_sq(const uint16_t *low, const uint16_t *high, uint16_t center)
{
    __m256i c = _mm256_set1_epi16((short)center);
    __m256i below = _mm256_subs_epu16(_mm256_loadu_si256((const __m256i *)low), c);
    __m256i above = _mm256_subs_epu16(c, _mm256_loadu_si256((const __m256i *)high));
    __m256i apart = _mm256_or_si256(below, above);
    return _mm256_mulhi_epu16(apart, apart);
}

/* All ones where the box is within reach. */
static inline __m256i half_near(const bins *set, uint32_t entry, const cell_sphere *s)
{
    __m256i sum = apart_sq(set->low[0] + entry, set->high[0] + entry, s->center[0]);
    sum = _mm256_adds_epu16(
        sum, apart_sq(set->low[1] + entry, set->high[1] + entry, s->center[1]));
    sum = _mm256_adds_epu16(
        sum, apart_sq(set->low[2] + entry, set->high[2] + entry, s->center[2]));
    __m256i beyond = _mm256_subs_epu16(sum, _mm256_set1_epi16((short)s->limit));
    return _mm256_cmpeq_epi16(beyond, _mm256_setzero_si256());
}

static inline uint32_t boxes_near(const bins *set, uint32_t entry, const cell_sphere *s)
{
    __m256i bytes = _mm256_packs_epi16(half_near(set, entry, s), half_near(set, entry + 16, s));
    /* packing went on inside each half of the register */
    return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xd8));
}

#else

static inline uint32_t apart_sq(uint16_t low, uint16_t high, uint16_t center)
{
    uint32_t below = low > center ? (uint32_t)(low - center) : 0;
    uint32_t above = center > high ? (uint32_t)(center - high) : 0;
    return ((below | above) * (below | above)) >> 16;
}

static inline uint32_t boxes_near(const bins *set, uint32_t entry, const cell_sphere *s)
{
    uint32_t is_near[BOXES];
    for (int i = 0; i < BOXES; i++) {
        uint32_t sum = 0;
        for (int axis = 0; axis < 3; axis++) {
            sum += apart_sq(set->low[axis][entry + (uint32_t)i], set->high[axis][entry + (uint32_t)i],
                            s->center[axis]);
        }
        is_near[i] = sum <= s->limit;
    }
    uint32_t bits = 0;
    for (int i = 0; i < BOXES; i++) {
        bits |= is_near[i] << i;
    }
    return bits;
}

#endif

static inline int32_t count_bits(uint32_t bits)
{
    return __builtin_popcount(bits);
}

static inline int32_t lowest_bit(uint32_t bits)
{
    return __builtin_ctz(bits);
}

/* ---- the queue ---- */

#if LANES == 8

/* The triangles with the numbers of those of 16 facets that are near, where every facet is one
 * triangle. */
static inline int32_t append_sixteen(const triangle **of, const triangle *base,
                                     const int32_t *facet, __mmask16 near)
{
    __m512i numbers = _mm512_maskz_compress_epi32(near, _mm512_loadu_si512(facet));
    __m512i first = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(numbers));
    __m512i second = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(numbers, 1));
    __m512i begin = _mm512_set1_epi64((long long)(uintptr_t)base);
    _mm512_storeu_si512(of, _mm512_add_epi64(begin, _mm512_slli_epi64(first, 7)));
    _mm512_storeu_si512(of + 8, _mm512_add_epi64(begin, _mm512_slli_epi64(second, 7)));
    return count_bits(near);
}

_Static_assert(sizeof(triangle) == 128, "a triangle's address is its number shifted by 7");

static inline int32_t append_triangles(const triangle **of, const triangle *base,
                                       const int32_t *facet, uint32_t near)
{
    int32_t count = append_sixteen(of, base, facet, (__mmask16)near);
    return count + append_sixteen(of + count, base, facet + 16, (__mmask16)(near >> 16));
}

#else

static inline int32_t append_triangles(const triangle **of, const triangle *base,
                                       const int32_t *facet, uint32_t near)
{
    int32_t count = 0;
    for (; near; near &= near - 1) {
        of[count++] = base + facet[lowest_bit(near)];
    }
    return count;
}

#endif

/* All triangles of near facets that are polygons. Returns how many; -1 where there is no room. */
static int32_t append_fans(const triangle **of, int32_t room, const abut_mesh *mesh,
                           const int32_t *facet, uint32_t near)
{
    int32_t count = 0;
    for (; near; near &= near - 1) {
        int32_t number = facet[lowest_bit(near)];
        if (mesh->fans[number + 1] - mesh->fans[number] > room - count) {
            return -1;
        }
        for (int32_t k = mesh->fans[number]; k < mesh->fans[number + 1]; k++) {
            of[count++] = mesh->triangles + k;
        }
    }
    return count;
}

/* Add the pairs of one bucket. False where there is no room. */
static inline bool collect_bucket(pairs *p, const view *v, uint32_t bucket, const cell_sphere *s)
{
    const bins *set = v->set;
    uint32_t begin = set->begins[bucket], end = set->begins[bucket + 1];
    p->candidate_count += end - begin;
    for (uint32_t entry = begin; entry < end; entry += BOXES) {
        uint32_t near = boxes_near(set, entry, s);
        near &= end - entry < BOXES ? (1u << (end - entry)) - 1u : UINT32_MAX;
        if (p->capacity - p->count < BOXES) {
            return false;
        }
        int32_t added = v->is_triangles
                            ? append_triangles(p->of + p->count, v->mesh->triangles,
                                               set->facet + entry, near)
                            : append_fans(p->of + p->count, p->capacity - p->count, v->mesh,
                                          set->facet + entry, near);
        if (added < 0) {
            return false;
        }
        p->count += added;
    }
    return true;
}

/* The sphere beside each of its pairs from number `first` on. */
static inline void fill_spheres(pairs *p, const view *v, int32_t number, int32_t sphere,
                                int32_t first)
{
    lanes x = lanes_set(v->local[0][sphere]), y = lanes_set(v->local[1][sphere]),
          z = lanes_set(v->local[2][sphere]), reach = lanes_set(p->batch->reach[sphere]);
    for (int32_t i = first; i < p->count; i += LANES) {
        lanes_store(p->center[0] + i, x);
        lanes_store(p->center[1] + i, y);
        lanes_store(p->center[2] + i, z);
        lanes_store(p->reach + i, reach);
    }
    for (int32_t i = first; i < p->count; i++) {
        p->view[i] = number;
    }
}

/* Add the pairs of a sphere. False where there is no room. */
static inline bool collect_sphere(pairs *p, int32_t sphere)
{
    const batch *b = p->batch;
    for (int32_t number = 0; number < b->view_count; number++) {
        const view *v = &b->views[number];
        int32_t first = p->count;
        for (int32_t k = 0; k < v->set->level_count; k++) {
            int64_t look = v->first_look + k;
            uint32_t bucket = batch_buckets(b, look)[sphere];
            if (bucket == NO_BUCKET) {
                continue;
            }
            cell_sphere s;
            for (int axis = 0; axis < 3; axis++) {
                s.center[axis] = batch_units(b, look, axis)[sphere];
            }
            s.limit = batch_units(b, look, 3)[sphere];
            if (!collect_bucket(p, v, bucket, &s)) {
                return false;
            }
        }
        fill_spheres(p, v, number, sphere, first);
    }
    return true;
}

/* Number of the first sphere from `from` on that a look found something for; the batch's count
 * where there is none. */
static inline int32_t next_seen(const batch *b, int32_t from)
{
    for (int32_t word = from / 64; word < BATCH_SPHERES / 64; word++) {
        uint64_t bits = b->seen[word];
        bits &= word == from / 64 ? UINT64_MAX << (from % 64) : UINT64_MAX;
        if (bits) {
            return 64 * word + __builtin_ctzll(bits);
        }
    }
    return b->count;
}

int32_t KERNEL(intersect_collect)(pairs *p, int32_t from)
{
    p->count = p->sphere_count = 0;
    p->first[0] = 0;
    for (int32_t sphere = next_seen(p->batch, from); sphere < p->batch->count;
         sphere = next_seen(p->batch, sphere + 1)) {
        if (!collect_sphere(p, sphere)) {
            p->count = p->first[p->sphere_count];
            return sphere;
        }
        p->sphere[p->sphere_count] = sphere;
        p->sphere_count += p->count > p->first[p->sphere_count];
        p->first[p->sphere_count] = p->count;
    }
    return p->batch->count;
}

/* ---- closest points ---- */

/* Records of triangles, side by side. */
typedef struct triangles {
    lanes3 corner[3], normal;
    lanes marks; /* second and marks of the record, as bits */
} triangles;

LANES_INLINE void load_triangles(const triangle *const *of, triangles *t)
{
    const double *rows[LANES];
    lanes columns[16];
    for (int part = 0; part < 16; part += LANES) {
        for (int i = 0; i < LANES; i++) {
            rows[i] = (const double *)(const void *)of[i] + part;
        }
        lanes_transpose(rows, columns + part);
    }
    for (int i = 0; i < 3; i++) {
        t->corner[i] = (lanes3){columns[3 * i], columns[3 * i + 1], columns[3 * i + 2]};
    }
    t->normal = (lanes3){columns[9], columns[10], columns[11]};
    t->marks = columns[15];
}

LANES_INLINE lanes_mask has_mark(const triangles *t, uint32_t mark)
{
    return lanes_have_bits(t->marks, (uint64_t)mark << 32);
}

/* The nearest so far of each lane; the code is that of pairs.h. */
typedef struct nearest {
    lanes3 offset;
    lanes distance_sq, code;
} nearest;

LANES_INLINE nearest nearest_select(lanes_mask mask, const nearest *yes, const nearest *no)
{
    return (nearest){lanes3_select(mask, yes->offset, no->offset),
                     lanes_select(mask, yes->distance_sq, no->distance_sq),
                     lanes_select(mask, yes->code, no->code)};
}

/* An edge as it is evaluated: from the lexicographically smaller end. */
typedef struct edge {
    lanes3 from, to; /* center - end */
    lanes3 vector;
    lanes from_code, to_code; /* of its ends */
    lanes code;
    lanes_mask is_diagonal;
} edge;

LANES_INLINE lanes code_of(abut_type type, double local)
{
    return lanes_set(CODES_PER_TYPE * (double)type + local);
}

/* Edge 0, 1 or 2 of the triangles; offsets: center - corner. */
LANES_INLINE edge make_edge(const triangles *t, const lanes3 *offsets, int k)
{
    if (k == 1) {
        lanes_mask from_end = has_mark(t, MARK_EDGE_1_FROM_END);
        lanes3 from = lanes3_select(from_end, t->corner[2], t->corner[1]);
        lanes3 to = lanes3_select(from_end, t->corner[1], t->corner[2]);
        lanes one = code_of(ABUT_VERTEX, 1), two = code_of(ABUT_VERTEX, 2);
        return (edge){.from = lanes3_select(from_end, offsets[2], offsets[1]),
                      .to = lanes3_select(from_end, offsets[1], offsets[2]),
                      .vector = lanes3_sub(to, from),
                      .from_code = lanes_select(from_end, two, one),
                      .to_code = lanes_select(from_end, one, two),
                      .code = code_of(ABUT_EDGE, 1)};
    }
    int other = k == 0 ? 1 : 2;
    return (edge){.from = offsets[0],
                  .to = offsets[other],
                  .vector = lanes3_sub(t->corner[other], t->corner[0]),
                  .from_code = code_of(ABUT_VERTEX, 0),
                  .to_code = code_of(ABUT_VERTEX, other),
                  .code = code_of(ABUT_EDGE, k)};
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

/* on_edge of facet.c. Zeros may have a sign here. */
LANES_INLINE nearest on_edge(const edge *e, bool may_be_diagonal)
{
    lanes zero = lanes_set(0.0);
    lanes p = lanes3_dot(e->from, e->vector), length_sq = lanes3_dot(e->vector, e->vector);
    lanes along = p / length_sq;
    lanes_mask at_from = mask_or(lanes_less(p, zero), lanes_equal(length_sq, zero));
    lanes_mask at_to = lanes_less(length_sq, p);
    if (may_be_diagonal) {
        at_from = mask_or(at_from, mask_and(e->is_diagonal, lanes_equal(p, zero)));
        at_to = mask_or(at_to, mask_and(e->is_diagonal, lanes_equal(p, length_sq)));
    }
    /* the end's own offset, too, where the part of the edge rounds to all of it */
    lanes_mask is_to = mask_or(at_to, lanes_no_more(lanes_set(1.0), along));
    lanes3 offset = lanes3_sub(e->from, lanes3_scale(e->vector, along));
    offset = lanes3_select(is_to, e->to, offset);
    offset = lanes3_select(at_from, e->from, offset);
    lanes code = lanes_select(at_to, e->to_code, e->code);
    return (nearest){offset, lanes3_dot(offset, offset),
                     lanes_select(at_from, e->from_code, code)};
}

/* Whether the center is over the inner side of edge k. */
LANES_INLINE lanes_mask is_inside(const triangles *t, const lanes3 *offsets, int k)
{
    lanes3 vector = lanes3_sub(t->corner[k < 2 ? k + 1 : 0], t->corner[k]);
    lanes3 inward = lanes3_cross(t->normal, vector);
    return lanes_no_more(lanes_set(0.0), lanes3_dot(inward, offsets[k]));
}

/* Whether what was found is nearer, or as near and higher in the contact type hierarchy. */
LANES_INLINE lanes_mask is_nearer(const nearest *found, const nearest *best)
{
    lanes_mask is_less = lanes_less(found->distance_sq, best->distance_sq);
    lanes_mask is_equal = lanes_equal(found->distance_sq, best->distance_sq);
    lanes edge_limit = lanes_set(CODES_PER_TYPE * ABUT_EDGE);
    lanes vertex_limit = lanes_set(CODES_PER_TYPE * ABUT_VERTEX);
    lanes limit = lanes_select(lanes_less(found->code, edge_limit), edge_limit, vertex_limit);
    lanes_mask is_higher = mask_and(lanes_less(found->code, vertex_limit),
                                    lanes_no_more(limit, best->code));
    return mask_or(is_less, mask_and(is_equal, is_higher));
}

/* Edge k, where the center is over its outer side; `is_over` loses the lanes where it is. */
LANES_INLINE nearest consider_edge(const triangles *t, const lanes3 *offsets, int k,
                                   bool has_fans, lanes_mask *is_over, nearest best)
{
    lanes_mask inside = is_inside(t, offsets, k);
    edge e = make_edge(t, offsets, k);
    if (has_fans) {
        inside = mask_and(inside, has_mark(t, MARK_INSIDE));
        e = mark_edge(t, e, k);
    }
    *is_over = mask_and(*is_over, inside);
    nearest found = on_edge(&e, has_fans);
    lanes_mask counts = mask_and(mask_not(inside), is_nearer(&found, &best));
    if (has_fans && k != 1) {
        uint32_t ignored = k == 0 ? MARK_EDGE_0_IGNORED : MARK_EDGE_2_IGNORED;
        counts = mask_and(counts, mask_not(has_mark(t, ignored)));
    }
    return nearest_select(counts, &found, &best);
}

/* Eqs. 16-25 in the order of table 3. Without fans every facet is a triangle: then no edge is a
 * diagonal, and all have an inside. */
LANES_INLINE nearest closest_points(const triangles *t, lanes3 center, bool has_fans)
{
    const lanes3 offsets[3] = {lanes3_sub(center, t->corner[0]), lanes3_sub(center, t->corner[1]),
                               lanes3_sub(center, t->corner[2])};
    lanes zero = lanes_set(0.0);
    lanes_mask is_over = lanes_equal(zero, zero);
    nearest best = {{zero, zero, zero}, lanes_set(INFINITY), code_of(ABUT_VERTEX, 0)};
    best = consider_edge(t, offsets, 0, has_fans, &is_over, best);
    best = consider_edge(t, offsets, 1, has_fans, &is_over, best);
    best = consider_edge(t, offsets, 2, has_fans, &is_over, best);
    lanes3 offset = lanes3_scale(t->normal, lanes3_dot(t->normal, offsets[0]));
    nearest over = {offset, lanes3_dot(offset, offset), code_of(ABUT_FACET, LOCAL_INSIDE)};
    best = nearest_select(is_over, &over, &best);
    best.offset = lanes3_one_zero(best.offset);
    return best;
}

/* Distances that count: infinite where the triangle is out of reach. The root decides only where
 * the squares are too close to. */
LANES_INLINE lanes touching_distance(lanes distance_sq, lanes reach)
{
    lanes distance = lanes_sqrt(distance_sq), reach_sq = reach * reach;
    lanes_mask may = lanes_no_more(distance_sq, reach_sq * lanes_set(1.0 + CULL_SLACK));
    lanes_mask does = mask_or(lanes_less(distance_sq, reach_sq * lanes_set(1.0 - CULL_SLACK)),
                              lanes_no_more(distance, reach));
    return lanes_select(mask_and(may, does), distance, lanes_set(INFINITY));
}

LANES_INLINE void find_closest(pairs *p, bool has_fans)
{
    for (int32_t i = 0; i < p->count; i += LANES) {
        triangles t;
        load_triangles(p->of + i, &t);
        lanes3 center = {lanes_load(p->center[0] + i), lanes_load(p->center[1] + i),
                         lanes_load(p->center[2] + i)};
        nearest found = closest_points(&t, center, has_fans);
        lanes reach = lanes_load(p->reach + i);
        lanes_store(p->distance + i, touching_distance(found.distance_sq, reach));
        lanes_store(p->offset[0] + i, found.offset.x);
        lanes_store(p->offset[1] + i, found.offset.y);
        lanes_store(p->offset[2] + i, found.offset.z);
        lanes_store(p->code + i, found.code);
    }
}

void KERNEL(intersect_exact)(pairs *p, bool has_fans)
{
    for (int32_t i = p->count; i < p->count + LANES - 1; i++) {
        p->of[i] = p->of[0]; /* what is read beyond the end has to be some triangle */
    }
    if (has_fans) {
        find_closest(p, true);
    } else {
        find_closest(p, false);
    }
}
