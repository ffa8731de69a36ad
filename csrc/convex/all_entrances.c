/* Lists all entrances of a pair.
 *
 * The signs of dot products decide what is an entrance. list_by_signs computes them for every facet
 * with every vertex, and for every edge with every edge. For most pairs there is a faster way:
 *
 *  - If all edges at a vertex of B surely rise along a facet's normal, no other vertex is an
 *    entrance with that facet, since B is convex.
 *  - The arc of A's edge is part of a great circle, and the cells of B's vertices are convex. If
 *    the arc leads from one vertex's cell to another's, and surely crosses the edges between, it
 *    crosses no others.
 *
 * If no sign on this way is doubtful because of rounding, the result is the same as that of all
 * signs. Otherwise all signs are used. So the list does not depend on where the search begins, and
 * entrances of the last step only save time. */
#include "entrances.h"

#include "../abut/contacts.h"
#include "../mesh/tolerance.h"

typedef struct list {
    entrance *all;
    abut_index count;
} list;

abut_index entrances_limit(const convex_pair *pair)
{
    const abut_shape *a = pair->a.shape, *b = pair->b.shape;
    return (abut_index)a->facet_count * b->vertex_count +
           (abut_index)a->vertex_count * b->facet_count + (abut_index)a->edge_count * b->edge_count;
}

/* ---- by signs ---- */

static double least_rise(const convex_pair *pair, int32_t facet, int32_t vertex)
{
    const vec3 normal = pair->a.shape->facets[facet].normal;
    return entrances_least_rise(pair->b.shape, vertex, pair_turn_back(pair, normal));
}

/* The vertex of B that surely is an entrance with a facet of A; -1: no vertex is sure. */
static int32_t find_sure(const convex_pair *pair, int32_t facet)
{
    for (int32_t v = 0; v < pair->b.shape->vertex_count; v++) {
        if (least_rise(pair, facet, v) > SINE_SURE) {
            return v;
        }
    }
    return -1;
}

static void list_facet(const convex_pair *pair, int32_t facet, list *l)
{
    const int32_t sure = find_sure(pair, facet);
    if (sure >= 0) {
        entrances_read_facet(pair, facet, sure, &l->all[l->count++]);
        return;
    }
    for (int32_t v = 0; v < pair->b.shape->vertex_count; v++) {
        if (least_rise(pair, facet, v) >= -SINE_ROUNDING) {
            entrances_read_facet(pair, facet, v, &l->all[l->count++]);
        }
    }
}

static void list_edge(const convex_pair *pair, int32_t edge, list *l)
{
    const seen_arc arc = entrances_see(pair, edge);
    for (int32_t b = 0; b < pair->b.shape->edge_count; b++) {
        const int sign = entrances_cross(&arc, pair->b.shape, b, SINE_ROUNDING);
        if (sign != 0) {
            entrances_read_crossing(pair, edge, b, sign, &l->all[l->count++]);
        }
    }
}

static void mirror_from(const convex_pair *pair, list *l, abut_index begin)
{
    for (abut_index k = begin; k < l->count; k++) {
        entrances_mirror(pair, &l->all[k]);
    }
}

static void list_by_signs(const convex_pair *pair, const convex_pair *swapped, list *l)
{
    for (int32_t f = 0; f < pair->a.shape->facet_count; f++) {
        list_facet(pair, f, l);
    }
    for (int32_t e = 0; e < pair->a.shape->edge_count; e++) {
        list_edge(pair, e, l);
    }
    const abut_index begin = l->count;
    for (int32_t f = 0; f < swapped->a.shape->facet_count; f++) {
        list_facet(swapped, f, l);
    }
    mirror_from(pair, l, begin);
}

/* ---- entrances that are sure ---- */

/* Entrances of the last step that are not read yet, in their order. Some may no longer be
 * entrances. The facet of each is ends[facet_end]. */
typedef struct earlier {
    const entrance *next, *end;
    int facet_end;
} earlier;

/* The vertex that was an entrance with a facet in the last step; -1: not known. */
static int32_t earlier_vertex(earlier *e, const abut_shape *b, int32_t facet)
{
    const int side = e->facet_end;
    while (e->next < e->end &&
           (e->next->ends[side].type != ABUT_FACET || e->next->ends[side].feature < facet)) {
        e->next++;
    }
    if (e->next == e->end || e->next->ends[side].feature != facet) {
        return -1;
    }
    const convex_end other = e->next->ends[1 - side];
    const bool is_there = other.type == ABUT_VERTEX && other.feature >= 0;
    return is_there && other.feature < b->vertex_count ? other.feature : -1;
}

/* The vertex of B that is deepest behind a facet of A. */
static int32_t deepest_vertex(const convex_pair *pair, int32_t facet)
{
    const vec3 normal = pair->a.shape->facets[facet].normal;
    return body_support(&pair->b, vec3_scale(pair_turn_back(pair, normal), -1.0)).vertex;
}

/* Lists each facet of A with the vertex of B that is an entrance with it. Returns false if an
 * entrance is in doubt. */
static bool list_sure_facets(const convex_pair *pair, earlier before, list *l)
{
    for (int32_t f = 0; f < pair->a.shape->facet_count; f++) {
        int32_t vertex = earlier_vertex(&before, pair->b.shape, f);
        if (vertex < 0 || !(least_rise(pair, f, vertex) > SINE_SURE)) {
            vertex = deepest_vertex(pair, f);
            if (!(least_rise(pair, f, vertex) > SINE_SURE)) {
                return false;
            }
        }
        entrances_read_facet(pair, f, vertex, &l->all[l->count++]);
    }
    return true;
}

/* Sorts the crossings of one edge of A, which are few, by the numbers of B's edges. */
static void sort_crossings(entrance *all, abut_index count)
{
    for (abut_index k = 1; k < count; k++) {
        const entrance e = all[k];
        abut_index place = k;
        for (; place > 0 && all[place - 1].ends[1].feature > e.ends[1].feature; place--) {
            all[place] = all[place - 1];
        }
        all[place] = e;
    }
}

/* Lists the edges of B that the arc of A's edge crosses between the cells of vertices `from` and
 * `to`. Returns false if a crossing is in doubt. */
static bool list_sure_crossings(const convex_pair *pair, int32_t edge, int32_t from, int32_t to,
                                list *l)
{
    const abut_shape *b = pair->b.shape;
    const seen_arc arc = entrances_see(pair, edge);
    const abut_index begin = l->count;
    int32_t came = -1;
    for (int32_t steps = 0; from != to && steps < b->edge_count; steps++) {
        int sign;
        const int32_t next = entrances_leave(&arc, b, from, came, SINE_SURE, &sign);
        if (next < 0) {
            return false;
        }
        entrances_read_crossing(pair, edge, next, sign, &l->all[l->count++]);
        from = b->edges[next].vertices[0] + b->edges[next].vertices[1] - from;
        came = next;
    }
    sort_crossings(l->all + begin, l->count - begin);
    return from == to;
}

/* Lists the crossings of all edges of A. Entry f of the list is already the entrance of facet f.
 * Returns false if a crossing is in doubt. */
static bool list_sure_edges(const convex_pair *pair, list *l)
{
    const abut_shape *a = pair->a.shape;
    for (int32_t e = 0; e < a->edge_count; e++) {
        const int32_t *facets = a->edges[e].facets;
        const int32_t from = l->all[facets[0]].ends[1].feature;
        const int32_t to = l->all[facets[1]].ends[1].feature;
        if (from != to && !list_sure_crossings(pair, e, from, to, l)) {
            return false;
        }
    }
    return true;
}

/* Lists all entrances in the faster way. Returns false if an entrance is in doubt; the list is then
 * incomplete. */
static bool list_sure(const convex_pair *pair, const convex_pair *swapped, const entrance *before,
                      abut_index before_count, list *l)
{
    const entrance *end = before + before_count;
    if (!list_sure_facets(pair, (earlier){before, end, 0}, l) || !list_sure_edges(pair, l)) {
        return false;
    }
    const abut_index begin = l->count;
    while (before < end && before->ends[1].type != ABUT_FACET) {
        before++;
    }
    if (!list_sure_facets(swapped, (earlier){before, end, 1}, l)) {
        return false;
    }
    mirror_from(pair, l, begin);
    return true;
}

abut_index entrances_all(const convex_pair *pair, const entrance *before, abut_index before_count,
                         entrance *all)
{
    const convex_pair swapped = pair_swapped(pair);
    list l = {all, 0};
    if (!list_sure(pair, &swapped, before, before ? before_count : 0, &l)) {
        l.count = 0;
        list_by_signs(pair, &swapped, &l);
    }
    return l.count;
}
