/* From an entrance to the best one around: a local minimum of the way apart. */
#include "entrances.h"

#include "../mesh/tolerance.h"

/* The vertices of a feature. */
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

static void try_entrance(const convex_pair *pair, convex_end a, convex_end b, entrance *best)
{
    entrance e = {{a, b}, {0.0, 0.0, 0.0}, 0.0};
    if (entrance_read(pair, &e) && e.gap > best->gap) {
        *best = e;
    }
}

/* Facets at a vertex of the one with a vertex of the other. */
static void try_facets_at(const convex_pair *pair, int32_t a, int32_t b, entrance *best)
{
    const shape_vertex *own = &pair->a.shape->vertices[a], *other = &pair->b.shape->vertices[b];
    const convex_end at_a = {ABUT_VERTEX, a}, at_b = {ABUT_VERTEX, b};
    for (int32_t k = 0; k < own->facet_count; k++) {
        const int32_t facet = pair->a.shape->facets_at[own->first_facet + k];
        try_entrance(pair, (convex_end){ABUT_FACET, facet}, at_b, best);
    }
    for (int32_t k = 0; k < other->facet_count; k++) {
        const int32_t facet = pair->b.shape->facets_at[other->first_facet + k];
        try_entrance(pair, at_a, (convex_end){ABUT_FACET, facet}, best);
    }
}

static void try_edges_at(const convex_pair *pair, int32_t a, int32_t b, entrance *best)
{
    if (pair->a.shape->dimension == 2) {
        return;
    }
    const shape_vertex *own = &pair->a.shape->vertices[a], *other = &pair->b.shape->vertices[b];
    for (int32_t k = 0; k < own->edge_count; k++) {
        const convex_end edge = {ABUT_EDGE, pair->a.shape->edges_at[own->first_edge + k]};
        for (int32_t m = 0; m < other->edge_count; m++) {
            const int32_t facing = pair->b.shape->edges_at[other->first_edge + m];
            try_entrance(pair, edge, (convex_end){ABUT_EDGE, facing}, best);
        }
    }
}

static void try_around(const convex_pair *pair, const entrance *from, entrance *best)
{
    const vertex_list a = list_vertices(pair->a.shape, from->ends[0]);
    const vertex_list b = list_vertices(pair->b.shape, from->ends[1]);
    for (int32_t k = 0; k < a.count; k++) {
        for (int32_t m = 0; m < b.count; m++) {
            try_facets_at(pair, vertex_of(&a, k), vertex_of(&b, m), best);
            try_edges_at(pair, vertex_of(&a, k), vertex_of(&b, m), best);
        }
    }
}

/* The gap grows with each step, by more than rounding, so that it ends. */
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
