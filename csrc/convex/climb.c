/* Climbs from an entrance to neighbors with larger gaps, up to a local maximum of the gap. */
#include "entrances.h"

#include "../abut/contacts.h"
#include "../mesh/tolerance.h"

typedef struct vertex_list {
    const abut_shape *s;
    convex_end end;
    int32_t count;
} vertex_list;

static vertex_list list_vertices(const abut_shape *s, convex_end end)
{
    switch ((abut_type)end.type) {
    case ABUT_FACET:
        return (vertex_list){s, end, s->facets[end.feature].count};
    case ABUT_EDGE:
        return (vertex_list){s, end, 2};
    case ABUT_VERTEX:
        break;
    }
    return (vertex_list){s, end, 1};
}

static int32_t vertex_of(const vertex_list *l, int32_t k)
{
    switch ((abut_type)l->end.type) {
    case ABUT_FACET:
        return l->s->corners[l->s->facets[l->end.feature].begin + k].vertex;
    case ABUT_EDGE:
        return l->s->edges[l->end.feature].vertices[k];
    case ABUT_VERTEX:
        break;
    }
    return l->end.feature;
}

/* A vertex of A and a vertex of B. All entrances that are tried for the pair have features with
 * these vertices. */
typedef struct corner_pair {
    int32_t a, b;
    vec3 offset;   /* from a to b; its dot product with a normal is the gap along that normal */
    vec3 offset_b; /* `offset` in B's frame */
} corner_pair;

static corner_pair corners_at(const convex_pair *pair, int32_t a, int32_t b)
{
    const vec3 to = pair_to_a(pair, body_vertex(&pair->b, b));
    const vec3 offset = vec3_sub(to, body_vertex(&pair->a, a));
    return (corner_pair){a, b, offset, pair_turn_back(pair, offset)};
}

static void try_entrance(const convex_pair *pair, convex_end a, convex_end b, entrance *best)
{
    entrance e = {{a, b}, {0.0, 0.0, 0.0}, 0.0};
    if (entrance_read(pair, &e) && e.gap > best->gap) {
        *best = e;
    }
}

/* Tries facets at a vertex of one body with a vertex of the other one. */
static void try_facets_at(const convex_pair *pair, const corner_pair *c, entrance *best)
{
    const abut_shape *a = pair->a.shape, *b = pair->b.shape;
    const shape_vertex *vertex_a = &a->vertices[c->a], *vertex_b = &b->vertices[c->b];
    const convex_end at_a = {ABUT_VERTEX, c->a}, at_b = {ABUT_VERTEX, c->b};
    for (int32_t k = 0; k < vertex_a->facet_count; k++) {
        const int32_t facet = a->facets_at[vertex_a->first_facet + k];
        if (vec3_dot(a->facets[facet].normal, c->offset) > best->gap) {
            try_entrance(pair, (convex_end){ABUT_FACET, facet}, at_b, best);
        }
    }
    for (int32_t k = 0; k < vertex_b->facet_count; k++) {
        const int32_t facet = b->facets_at[vertex_b->first_facet + k];
        if (-vec3_dot(b->facets[facet].normal, c->offset_b) > best->gap) {
            try_entrance(pair, at_a, (convex_end){ABUT_FACET, facet}, best);
        }
    }
}

/* Tries an edge of A with the edges at a vertex of B. */
static void try_edge(const convex_pair *pair, int32_t edge, int32_t vertex, entrance *best)
{
    const abut_shape *b = pair->b.shape;
    const shape_vertex *v = &b->vertices[vertex];
    const seen_arc arc = entrances_see(pair, edge);
    for (int32_t k = 0; k < v->edge_count; k++) {
        const int32_t other = b->edges_at[v->first_edge + k];
        const int sign = entrances_cross(&arc, b, other, SINE_ROUNDING);
        if (sign != 0) {
            entrances_try_crossing(pair, edge, other, sign, best);
        }
    }
}

static void try_edges_at(const convex_pair *pair, const corner_pair *c, entrance *best)
{
    const abut_shape *a = pair->a.shape;
    const shape_vertex *vertex = &a->vertices[c->a];
    for (int32_t k = 0; a->dimension == 3 && k < vertex->edge_count; k++) {
        const int32_t edge = a->edges_at[vertex->first_edge + k];
        if (!entrances_rule_out(&a->edges[edge], a, c->offset, best->gap)) {
            try_edge(pair, edge, c->b, best);
        }
    }
}

static void try_around(const convex_pair *pair, const entrance *from, entrance *best)
{
    const vertex_list a = list_vertices(pair->a.shape, from->ends[0]);
    const vertex_list b = list_vertices(pair->b.shape, from->ends[1]);
    for (int32_t k = 0; k < a.count; k++) {
        for (int32_t m = 0; m < b.count; m++) {
            const corner_pair c = corners_at(pair, vertex_of(&a, k), vertex_of(&b, m));
            try_facets_at(pair, &c, best);
            try_edges_at(pair, &c, best);
        }
    }
}

/* Climbs while the gap grows by more than rounding, so that the loop ends. */
void entrances_climb(const convex_pair *pair, entrance *e)
{
    for (;;) {
        entrance best = *e;
        best.gap += CLIMB_GAIN * pair->size;
        const double least = best.gap;
        try_around(pair, e, &best);
        if (!(best.gap > least)) {
            return;
        }
        *e = best;
    }
}
