/* The closest points of triangles to the centers of their spheres (docs/method.md, section 1). */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "../mesh/tolerance.h"
#include "kernels.h"

/* Triangles side by side, one in each lane. */
typedef struct triangles {
    lanes3 corner[3], normal;
    lanes marks; /* the record's `second` and `marks`, as bits */
} triangles;

LANES_INLINE void load_triangles(const candidates *c, int32_t first, const triangle *base,
                                 triangles *t)
{
    const double *rows[LANES];
    lanes columns[16];
    for (int i = 0; i < LANES; i++) {
        const int32_t k = first + i;
        const triangle *t_k = base ? base + c->triangle[k] : candidate_triangle(c, k);
        rows[i] = (const double *)(const void *)t_k;
    }
    lanes_transpose_all(rows, 16, columns);
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

/* The nearest point so far in each lane, with its code (candidates.h). Zeros may have a sign. */
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

/* Corners and edges of triangles relative to centers. */
typedef struct surroundings {
    lanes3 offset[3]; /* center - corner */
    lanes3 vector[3]; /* edge k, from its corner with the lower number */
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

/* Whether the center is over the inner side of edge k. */
LANES_INLINE lanes_mask is_inside(const triangles *t, const surroundings *s, int k)
{
    lanes height = lanes3_dot(lanes3_cross(t->normal, s->vector[k]), s->offset[k]);
    /* edge 2 runs from corner 2 to corner 0, against its vector */
    if (k == 2) {
        height = -height;
    }
    return lanes_no_more(lanes_set(0.0), height);
}

/* An edge from its lexicographically smaller end. */
typedef struct edge {
    lanes3 from, to; /* center - first end, center - other end */
    lanes3 vector;   /* from the first end to the other */
    lanes from_code, to_code, code;
    lanes_mask is_diagonal;
} edge;

LANES_INLINE lanes code_of(abut_type type, double local)
{
    return lanes_set(CODES_PER_TYPE * (double)type + local);
}

/* Makes edge k. Corner 0 is the lexicographically smallest, so edges 0 and 2 begin there. */
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

/* Marks diagonals, and edges without a length, which triangular facets do not have. */
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

/* The closest point of an edge. An edge that make_edge has turned differs only in signs. If `along`
 * is 0, the offset is exactly that of the first end. */
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
    /* this includes edges where `along` rounds to 1 */
    lanes_mask is_to = lanes_no_more(lanes_set(1.0), along);
    along = lanes_select(at_from, zero, along);
    lanes3 offset = lanes3_sub(e->from, lanes3_scale(e->vector, along));
    offset = lanes3_select(is_to, e->to, offset);
    lanes code = lanes_select(at_to, e->to_code, e->code);
    return (nearest){offset, lanes3_dot(offset, offset), lanes_select(at_from, e->from_code, code),
                     mask_or(at_from, at_to)};
}

/* Whether `found` is nearer than `best`, or as near and higher in the contact type hierarchy. */
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

/* Compares edge k with the best so far, where the center is over the edge's outer side. Clears
 * `is_over` in those lanes. Edge 0 must come first. */
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

/* The closest points of triangles, by eqs. 16-25 of the paper in the order of table 3. Without fans
 * every facet is a triangle: no edge is a diagonal, and all triangles have an inside. */
LANES_INLINE nearest closest_points_of(const triangles *t, lanes3 center, bool has_fans)
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

/* Squared distances, infinite where the triangle is out of reach. The root decides only where
 * squares are too close to decide. */
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

/* Finds the closest points of all candidates. `base`: the triangles of the only mesh, or NULL if
 * there are several surfaces. */
LANES_INLINE void find_closest(closest_points *p, const triangle *base, bool has_fans)
{
    const candidates *c = p->candidates;
    const seen_spheres spheres = c->seen_spheres;
    for (int32_t i = 0; i < c->count; i += LANES) {
        lanes_steps steps = lanes_find_steps(c->seen + i);
        lanes3 center = {lanes_pick(spheres.center[0], steps), lanes_pick(spheres.center[1], steps),
                         lanes_pick(spheres.center[2], steps)};
        triangles t;
        load_triangles(c, i, base, &t);
        const nearest found = closest_points_of(&t, center, has_fans);
        lanes reach = lanes_pick(spheres.reach, steps);
        lanes_store(p->distance_sq + i, touching_sq(found.distance_sq, reach));
        lanes_store(p->offset[0] + i, found.offset.x);
        lanes_store(p->offset[1] + i, found.offset.y);
        lanes_store(p->offset[2] + i, found.offset.z);
        lanes_store_whole(p->code + i, found.code);
    }
}

/* The triangles of the only mesh; NULL if there are several meshes, or half spaces nearby. */
static const triangle *only_triangles(const batch *b)
{
    const abut_mesh *mesh = b->has_beside ? NULL : b->views[0].mesh;
    for (abut_index k = 1; k < b->view_count; k++) {
        mesh = b->views[k].mesh == mesh ? mesh : NULL;
    }
    return mesh ? mesh->triangles : NULL;
}

void KERNEL(closest)(closest_points *p, bool has_fans)
{
    const triangle *base = only_triangles(p->candidates->batch);
    if (has_fans) {
        find_closest(p, NULL, true);
    } else if (!base) {
        find_closest(p, NULL, false);
    } else {
        find_closest(p, base, false);
    }
}
