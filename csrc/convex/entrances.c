/* Computes single entrances, and finds the best one. */
#include "entrances.h"

#include "../abut/contacts.h"
#include "../mesh/tolerance.h"

/* ---- facet and vertex ---- */

/* The direction from a vertex to its neighbor k. */
static vec3 direction_out(const abut_shape *s, int32_t vertex, int32_t k)
{
    const shape_vertex *v = &s->vertices[vertex];
    if (s->dimension == 2) { /* the outward vectors of a side's two corners are opposite */
        const shape_facet *side = &s->facets[s->facets_at[v->first_facet + k]];
        return s->corners[side->begin + 1 - k].outward;
    }
    const shape_edge *e = &s->edges[s->edges_at[v->first_edge + k]];
    return e->vertices[0] == vertex ? e->direction : vec3_scale(e->direction, -1.0);
}

double entrances_least_rise(const abut_shape *s, int32_t vertex, vec3 direction)
{
    double least = INFINITY;
    for (int32_t k = 0; k < s->vertices[vertex].edge_count; k++) {
        const double rise = vec3_dot(direction_out(s, vertex, k), direction);
        least = rise < least ? rise : least;
    }
    return least;
}

void entrances_read_facet(const convex_pair *pair, int32_t facet, int32_t vertex, entrance *e)
{
    const shape_facet *f = &pair->a.shape->facets[facet];
    const vec3 point = pair_to_a(pair, body_vertex(&pair->b, vertex));
    *e = (entrance){{{ABUT_FACET, facet}, {ABUT_VERTEX, vertex}},
                    f->normal,
                    vec3_dot(f->normal, point) - f->offset * pair->a.scale};
}

void entrances_mirror(const convex_pair *pair, entrance *e)
{
    const convex_end end = e->ends[0];
    e->ends[0] = e->ends[1], e->ends[1] = end;
    e->normal = vec3_scale(pair_turn(pair, e->normal), -1.0);
}

static bool read_facet(const convex_pair *pair, entrance *e)
{
    const int32_t facet = e->ends[0].feature, vertex = e->ends[1].feature;
    const vec3 normal = pair_turn_back(pair, pair->a.shape->facets[facet].normal);
    if (!(entrances_least_rise(pair->b.shape, vertex, normal) >= -SINE_ROUNDING)) {
        return false;
    }
    entrances_read_facet(pair, facet, vertex, e);
    return true;
}

/* ---- two edges ---- */

seen_arc entrances_see(const convex_pair *pair, int32_t edge)
{
    const abut_shape *a = pair->a.shape;
    const shape_edge *e = &a->edges[edge];
    return (seen_arc){pair_turn_back(pair, a->facets[e->facets[0]].normal),
                      pair_turn_back(pair, a->facets[e->facets[1]].normal),
                      pair_turn_back(pair, e->direction)};
}

/* The unit vector perpendicular to both edges, and the sine of their angle. If the sine is small,
 * the cross product has large rounding errors. Then its part along A's edge is removed, so that the
 * result is on the arc of A's edge. An error along this arc does no harm. */
static vec3 normal_across(vec3 along, vec3 other, int sign, double *sine)
{
    const vec3 product = vec3_scale(vec3_cross(along, other), sign);
    *sine = vec3_length(product);
    const vec3 unit = vec3_scale(product, 1.0 / *sine);
    if (*sine > CLEAR_SINE) {
        return unit;
    }
    const vec3 across = vec3_sub(unit, vec3_scale(along, vec3_dot(unit, along)));
    return vec3_scale(across, 1.0 / vec3_length(across));
}

void entrances_read_crossing(const convex_pair *pair, int32_t a, int32_t b, int sign, entrance *e)
{
    const shape_edge *edge_a = &pair->a.shape->edges[a], *edge_b = &pair->b.shape->edges[b];
    double sine;
    const vec3 n =
        normal_across(edge_a->direction, pair_turn(pair, edge_b->direction), sign, &sine);
    const vec3 from = body_vertex(&pair->a, edge_a->vertices[0]);
    const vec3 to = pair_to_a(pair, body_vertex(&pair->b, edge_b->vertices[0]));
    *e = (entrance){{{ABUT_EDGE, a}, {ABUT_EDGE, b}}, n, vec3_dot(n, vec3_sub(to, from))};
    if (sine < NEARLY_PARALLEL) {
        const double gap = pair_support_gap(pair, n).gap;
        e->gap = gap < e->gap ? gap : e->gap;
    }
}

static bool read_crossing(const convex_pair *pair, entrance *e)
{
    const seen_arc arc = entrances_see(pair, e->ends[0].feature);
    const int sign = entrances_cross(&arc, pair->b.shape, e->ends[1].feature, SINE_ROUNDING);
    if (sign != 0) {
        entrances_read_crossing(pair, e->ends[0].feature, e->ends[1].feature, sign, e);
    }
    return sign != 0;
}

bool entrance_read(const convex_pair *pair, entrance *e)
{
    const int32_t a = e->ends[0].type, b = e->ends[1].type;
    if (a == ABUT_FACET && b == ABUT_VERTEX) {
        return read_facet(pair, e);
    }
    if (a == ABUT_EDGE && b == ABUT_EDGE) {
        return read_crossing(pair, e);
    }
    if (a != ABUT_VERTEX || b != ABUT_FACET) {
        return false;
    }
    const convex_pair swapped = pair_swapped(pair);
    entrance mirrored = {{e->ends[1], e->ends[0]}, {0.0, 0.0, 0.0}, 0.0};
    if (!read_facet(&swapped, &mirrored)) {
        return false;
    }
    *e = mirrored;
    entrances_mirror(pair, e);
    return true;
}

/* ---- the best of A's facets ---- */

/* The height of B's centroid over a facet of A. No entrance with this facet has a larger gap, since
 * the centroid is a point of B. */
static double facet_bound(const convex_pair *pair, vec3 centroid, int32_t facet)
{
    const shape_facet *f = &pair->a.shape->facets[facet];
    return vec3_dot(f->normal, centroid) - f->offset * pair->a.scale;
}

static vec3 centroid_seen(const convex_pair *pair)
{
    return pair_to_a(pair, vec3_scale(pair->b.shape->centroid, pair->b.scale));
}

/* The vertex of B that is deepest behind a facet of A. */
static support deepest(const convex_pair *pair, int32_t facet)
{
    const vec3 normal = pair->a.shape->facets[facet].normal;
    return body_support(&pair->b, vec3_scale(pair_turn_back(pair, normal), -1.0));
}

static bool try_facet(const convex_pair *pair, int32_t facet, entrance *best)
{
    entrance e;
    entrances_read_facet(pair, facet, deepest(pair, facet).vertex, &e);
    if (e.gap > best->gap) {
        *best = e;
        return true;
    }
    return false;
}

/* Tries all facets of A. The facet with the largest bound is first, since its gap excludes most of
 * the others. Returns whether *best has become better. */
static bool try_facets(const convex_pair *pair, entrance *best)
{
    const int32_t count = pair->a.shape->facet_count;
    const vec3 centroid = centroid_seen(pair);
    double most = -INFINITY;
    int32_t first = 0;
    for (int32_t f = 0; f < count; f++) {
        const double bound = facet_bound(pair, centroid, f);
        first = bound > most ? f : first;
        most = larger(bound, most);
    }
    bool is_better = count > 0 && most > best->gap && try_facet(pair, first, best);
    for (int32_t f = 0; f < count; f++) {
        if (f != first && facet_bound(pair, centroid, f) > best->gap) {
            is_better |= try_facet(pair, f, best);
        }
    }
    return is_better;
}

/* ---- the best of the edges ---- */

int32_t entrances_leave(const seen_arc *a, const abut_shape *b, int32_t vertex, int32_t came,
                        double limit, int *sign)
{
    const shape_vertex *v = &b->vertices[vertex];
    for (int32_t k = 0; k < v->edge_count; k++) {
        const int32_t edge = b->edges_at[v->first_edge + k];
        *sign = edge == came ? 0 : entrances_cross(a, b, edge, limit);
        if (*sign != 0) {
            return edge;
        }
    }
    return -1;
}

/* Tries an edge of A with all edges of B. It is called if, because of rounding, it is not sure
 * which of them the edge's arc crosses. */
static void try_all_crossings(const convex_pair *pair, int32_t edge, const seen_arc *arc,
                              entrance *best)
{
    for (int32_t b = 0; b < pair->b.shape->edge_count; b++) {
        const int sign = entrances_cross(arc, pair->b.shape, b, SINE_ROUNDING);
        if (sign != 0) {
            entrances_try_crossing(pair, edge, b, sign, best);
        }
    }
}

/* Follows the arc of A's edge through the cells of B's vertices, from `from`, which has the left
 * normal in its cell, to `to`, which has the right one. Tries all edges of B that the arc
 * crosses. The arc is part of a great circle, so it passes each cell once. */
static void follow_arc(const convex_pair *pair, int32_t edge, int32_t from, int32_t to,
                       entrance *best)
{
    const abut_shape *b = pair->b.shape;
    const seen_arc arc = entrances_see(pair, edge);
    int32_t came = -1;
    for (int32_t steps = 0; from != to && steps < b->edge_count; steps++) {
        int sign;
        const int32_t next = entrances_leave(&arc, b, from, came, SINE_ROUNDING, &sign);
        if (next < 0) {
            break;
        }
        entrances_try_crossing(pair, edge, next, sign, best);
        from = b->edges[next].vertices[0] + b->edges[next].vertices[1] - from;
        came = next;
    }
    if (from != to) {
        try_all_crossings(pair, edge, &arc, best);
    }
}

static vec3 offset_from(const convex_pair *pair, int32_t edge, vec3 point)
{
    const int32_t vertex = pair->a.shape->edges[edge].vertices[0];
    return vec3_sub(point, body_vertex(&pair->a, vertex));
}

static void try_edge(const convex_pair *pair, int32_t edge, entrance *best)
{
    const shape_edge *e = &pair->a.shape->edges[edge];
    int32_t deep[2];
    for (int side = 0; side < 2; side++) {
        deep[side] = deepest(pair, e->facets[side]).vertex;
        const vec3 point = pair_to_a(pair, body_vertex(&pair->b, deep[side]));
        const vec3 offset = offset_from(pair, edge, point);
        if (entrances_rule_out(e, pair->a.shape, offset, best->gap)) {
            return;
        }
    }
    if (deep[0] != deep[1]) {
        follow_arc(pair, edge, deep[0], deep[1], best);
    }
}

static void try_edges(const convex_pair *pair, entrance *best)
{
    const abut_shape *a = pair->a.shape;
    const vec3 centroid = centroid_seen(pair);
    for (int32_t e = 0; e < a->edge_count; e++) {
        if (!entrances_rule_out(&a->edges[e], a, offset_from(pair, e, centroid), best->gap)) {
            try_edge(pair, e, best);
        }
    }
}

bool entrances_best(const convex_pair *pair, entrance *best)
{
    *best = (entrance){.gap = -INFINITY};
    try_facets(pair, best);
    const convex_pair swapped = pair_swapped(pair);
    if (try_facets(&swapped, best)) {
        entrances_mirror(pair, best);
    }
    try_edges(pair, best);
    return best->gap > -INFINITY;
}
