/* Bodies that overlap are set apart by s along a normal n0, and the normal of the shortest link
 * then is the next n0: the paper's way, but repeated. It is a proximal step: apart by s, the gap
 * along n is g(n) + s n.n0, and the shortest link's normal maximizes that, so g never falls. Where
 * n0 stays, g has a local maximum there, which the link certifies.
 *
 * One thing more is needed: where two vertices are closest, or a vertex and an edge, g has a
 * minimum at n0, or a saddle, where bodies stand symmetrically. From there the best of the normals
 * goes on that the features around have. */
#include "link.h"

#include "entrances.h"

#include "../mesh/tolerance.h"

typedef struct separation {
    const convex_pair *pair;
    int iterations; /* of a link, at most */
    int done;
    parting at; /* n0 */
    double distance;
    convex_link apart; /* the link of the bodies that are set apart */
} separation;

static convex_pair pair_apart(const convex_pair *pair, vec3 normal, double distance)
{
    convex_pair apart = *pair;
    apart.shift = vec3_add(pair->shift, vec3_scale(normal, distance));
    return apart;
}

/* The proximal step, from the features of `before`. */
static void separate(separation *s, const convex_link *before)
{
    const double size = s->pair->size;
    s->distance = larger(2.0 * fabs(s->at.gap), LEAST_SEPARATION * size);
    for (;;) {
        const convex_pair apart = pair_apart(s->pair, s->at.normal, s->distance);
        link_find_apart(&apart, before, s->iterations, &s->apart);
        s->done += s->apart.iterations;
        if (s->apart.status != ABUT_OVERLAPPING || s->distance > MOST_SEPARATION * size) {
            return;
        }
        s->distance *= 2.0;
    }
}

/* ---- normals of the features around an end ---- */

typedef struct around {
    const int32_t *facets, *edges;
    int32_t facet_count, edge_count;
} around;

static around look_around(const abut_shape *s, const convex_end *end)
{
    if (end->type == ABUT_EDGE) {
        return (around){s->edges[end->feature].facets, &end->feature, 2, 1};
    }
    const shape_vertex *v = &s->vertices[end->feature];
    return (around){s->facets_at + v->first_facet, s->edges_at + v->first_edge, v->facet_count,
                    s->dimension == 3 ? v->edge_count : 0};
}

static void try_normal(separation *s, vec3 normal)
{
    const parting plane = parting_along(s->pair, normal);
    s->at = plane.gap > s->at.gap ? plane : s->at;
}

static void try_facets(separation *s, const around *a, const around *b)
{
    const convex_pair *pair = s->pair;
    for (int32_t k = 0; k < a->facet_count; k++) {
        try_normal(s, pair->a.shape->facets[a->facets[k]].normal);
    }
    for (int32_t k = 0; k < b->facet_count; k++) {
        const vec3 normal = pair->b.shape->facets[b->facets[k]].normal;
        try_normal(s, vec3_scale(pair_turn(pair, normal), -1.0));
    }
}

/* Both directions: which is the one between the bodies their gap tells. */
static void try_edges(separation *s, int32_t edge_a, int32_t edge_b)
{
    const vec3 a = s->pair->a.shape->edges[edge_a].direction;
    const vec3 b = pair_turn(s->pair, s->pair->b.shape->edges[edge_b].direction);
    const vec3 cross = vec3_cross_exact(a, b);
    const double sine = vec3_length(cross);
    if (sine > CROSSING_SINE) {
        try_normal(s, vec3_scale(cross, 1.0 / sine));
        try_normal(s, vec3_scale(cross, -1.0 / sine));
    }
}

/* Whether one of them has a larger gap, which is where to go on then. */
static bool step_aside(separation *s)
{
    const convex_end *ends = s->apart.ends;
    if (ends[0].type == ABUT_FACET || ends[1].type == ABUT_FACET) {
        return false;
    }
    const double gap = s->at.gap;
    const around a = look_around(s->pair->a.shape, &ends[0]);
    const around b = look_around(s->pair->b.shape, &ends[1]);
    try_facets(s, &a, &b);
    for (int32_t k = 0; k < a.edge_count; k++) {
        for (int32_t m = 0; m < b.edge_count; m++) {
            try_edges(s, a.edges[k], b.edges[m]);
        }
    }
    return s->at.gap > gap + s->pair->tolerance;
}

/* ---- steps ---- */

static span separated_span(const separation *s)
{
    const convex_link *apart = &s->apart;
    return span_make(s->pair, (foot){apart->ends[0], apart->p}, (foot){apart->ends[1], apart->q});
}

/* Where the normal stays: how far another one near it may be above. Of bodies that are apart after
 * all the link is the bound. */
static void write_minimum(const separation *s, double rest, convex_link *link)
{
    const span at = separated_span(s);
    const bool is_apart = s->at.gap > s->pair->tolerance;
    link_write(s->pair, &at, &s->at, is_apart ? at.length - s->at.gap : rest, link);
}

/* One step. True where the link is written. */
static bool overlap_step(separation *s, const convex_link *before, convex_link *link)
{
    separate(s, before);
    if (link_stands(s->pair, &s->apart, link)) {
        return true;
    }
    const double rest = s->apart.gap + s->apart.error - (s->distance + s->at.gap);
    const parting next = parting_along(s->pair, s->apart.normal);
    const bool has_gained = next.gap > s->at.gap;
    s->at = has_gained ? next : s->at;
    if (rest > s->pair->tolerance && has_gained) {
        return false;
    }
    if (s->at.gap < -s->pair->tolerance && step_aside(s)) {
        return false;
    }
    write_minimum(s, rest, link);
    return true;
}

static void overlap_run(separation *s, const convex_link *before, convex_link *link)
{
    const convex_link *from = before;
    convex_link last;
    for (int k = 0; k < s->iterations; k++) {
        if (overlap_step(s, from, link)) {
            return;
        }
        last = s->apart;
        from = &last;
    }
    write_minimum(s, INFINITY, link);
}

void link_find_overlap(const convex_pair *pair, const convex_link *before, int iterations,
                       convex_link *link)
{
    if (before && link_stands(pair, before, link)) {
        return;
    }
    const vec3 normal = before ? before->normal : link_centers(pair);
    separation s = {.pair = pair, .iterations = iterations, .at = parting_along(pair, normal)};
    overlap_run(&s, before, link);
    link->iterations = s.done;
    if (link->status == ABUT_UNCONVERGED) {
        link->error = larger(-link->gap, 0.0);
        link_find_global(pair, iterations, link);
    }
}

/* ---- of all minima the least ---- */

static void write_entrance(const convex_pair *pair, const entrance *best, const parting *plane,
                           convex_link *link)
{
    const int32_t iterations = link->iterations;
    span s = link_of_entrance(pair, best->ends);
    parting again;
    if (!parting_stands(pair, &s, &again)) {
        s = segments_shorten(pair, &s);
    }
    link_write(pair, &s, plane, best->gap - plane->gap, link);
    link->iterations = iterations;
}

void link_find_global(const convex_pair *pair, int iterations, convex_link *link)
{
    entrance best;
    if (!entrances_best(pair, &best)) {
        return;
    }
    const parting plane = parting_along(pair, best.normal);
    if (plane.gap > link->gap + pair->tolerance) {
        write_entrance(pair, &best, &plane, link);
    } else if (best.gap - link->gap <= pair->tolerance) {
        link->error = larger(best.gap - link->gap, 0.0);
        link->status = link->gap < -pair->tolerance ? ABUT_OVERLAPPING : ABUT_TOUCHING;
    }
    if (link->gap > pair->tolerance) {
        const convex_link start = *link;
        link_find_apart(pair, &start, iterations, link);
    }
}
