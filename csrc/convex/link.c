/* The shortest link method: E. G. Nezami et al., "Shortest link method for contact detection in
 * discrete element method", International Journal for Numerical and Analytical Methods in
 * Geomechanics 30 (2006).
 *
 * The link PQ has an end P on A and an end Q on B. P walks to the point of A that is closest to Q,
 * then Q walks to the point of B that is closest to P, and so on. Differences from the paper:
 *
 *  - walks do not stop at facets that face away (closest.c);
 *  - links between two facets or edges are shortened before every walk (segments.c);
 *  - normals are computed from features, not from PQ (parting.c);
 *  - a certificate ends the search. |PQ| is at least the distance of the bodies, and the gap
 *    between both supports along any n is at most that distance. If both are equal, PQ is the
 *    shortest link;
 *  - where walks hardly shorten the link, as at nearly parallel facets, the search continues once
 *    from the best entrance of the direct search. */
#include "link.h"

#include "entrances.h"

#include "../mesh/tolerance.h"

/* A search: the present link, and the plane with the largest gap so far. */
typedef struct search {
    const convex_pair *pair;
    span now;
    span shortest; /* the link before the entrance was used */
    parting best;
    bool has_entrance;
} search;

/* GOES_ON: the search continues. IS_CERTAIN: the link is the shortest. MEETS: the bodies overlap or
 * touch. STUCK: the link no longer becomes shorter. */
typedef enum progress { GOES_ON, IS_CERTAIN, MEETS, STUCK } progress;

static foot foot_before(const convex_body *body, convex_end end, vec3 point)
{
    return end.type == ABUT_VERTEX ? foot_of_vertex(body, end.feature) : (foot){end, point};
}

/* The ends of the last step's link. Vector and length are not computed. */
static span span_before(const convex_pair *pair, const convex_link *before)
{
    return (span){.a = foot_before(&pair->a, before->ends[0], before->p),
                  .b = foot_before(&pair->b, before->ends[1], before->q)};
}

/* The link of the last step, or the link between the vertices that are nearest to each other along
 * the line of the centroids. */
static span search_begin(const convex_pair *pair, const convex_link *before)
{
    if (before) {
        const span s = span_before(pair, before);
        return span_make(pair, s.a, s.b);
    }
    const support_gap nearest = pair_support_gap(pair, link_direction(pair));
    return span_make(pair, foot_of_vertex(&pair->a, nearest.a),
                     foot_of_vertex(&pair->b, nearest.b));
}

static void search_improve(search *s, const parting *plane)
{
    s->best = plane->gap > s->best.gap ? *plane : s->best;
}

/* Whether the link is the shortest. Updates the best plane. */
static bool search_certify(search *s)
{
    parting plane;
    const bool stands = parting_stands(s->pair, &s->now, &plane);
    if (!stands && !(s->now.length - plane.gap <= s->pair->tolerance)) {
        const bool is_of_edges = s->now.a.end.type != ABUT_FACET && s->now.b.end.type != ABUT_FACET;
        if (is_of_edges && !parting_read(s->pair, &s->now, &plane)) {
            plane.gap = -INFINITY;
        }
    }
    search_improve(s, &plane);
    return s->now.length - s->best.gap <= s->pair->tolerance;
}

/* Makes one walk on each body. Returns MEETS if an end of the link is in the other body. */
static progress search_walk(search *s)
{
    const convex_pair *pair = s->pair;
    foot a = s->now.a, b = s->now.b;
    const bool parts_b = closest_walk(&pair->a, pair_to_a(pair, b.point), &a);
    if (!parts_b || !closest_walk(&pair->b, pair_to_b(pair, a.point), &b)) {
        return MEETS;
    }
    s->now = span_make(pair, a, b);
    return GOES_ON;
}

/* Continues from the entrance with the largest gap. For bodies that are apart this gap is their
 * distance, unless two vertices, or a vertex and an edge, are closest. */
static progress search_enter(search *s)
{
    entrance best;
    s->has_entrance = true;
    entrances_best(s->pair, &best); /* there is one, since one of the bodies has facets */
    const parting plane = parting_along(s->pair, best.normal);
    search_improve(s, &plane);
    if (best.gap <= GAP_ROUNDING * s->pair->size) {
        return MEETS;
    }
    const span at = link_of_entrance(s->pair, best.ends);
    s->shortest = s->now;
    s->now = segments_shorten(s->pair, &at);
    return search_certify(s) ? IS_CERTAIN : GOES_ON;
}

static bool facet_has(const abut_shape *s, int32_t facet, int32_t vertex)
{
    const shape_facet *f = &s->facets[facet];
    for (int32_t k = f->begin; k < f->begin + f->count; k++) {
        if (s->corners[k].vertex == vertex) {
            return true;
        }
    }
    return false;
}

/* The edge or facet that has two vertices of a body; if there is none, the first vertex itself. */
static convex_end vertex_wider(const abut_shape *s, int32_t vertex, int32_t other)
{
    const shape_vertex *v = &s->vertices[vertex];
    for (int32_t k = 0; k < v->edge_count && s->dimension == 3; k++) {
        const int32_t edge = s->edges_at[v->first_edge + k];
        if (s->edges[edge].vertices[0] == other || s->edges[edge].vertices[1] == other) {
            return (convex_end){ABUT_EDGE, edge};
        }
    }
    for (int32_t k = 0; k < v->facet_count; k++) {
        const int32_t facet = s->facets_at[v->first_facet + k];
        if (facet_has(s, facet, other)) {
            return (convex_end){ABUT_FACET, facet};
        }
    }
    return (convex_end){ABUT_VERTEX, vertex};
}

/* The facet that has an edge and a vertex; if there is none, the edge itself. */
static convex_end edge_wider(const abut_shape *s, int32_t edge, int32_t other)
{
    for (int k = 0; k < 2; k++) {
        const int32_t facet = s->edges[edge].facets[k];
        if (facet_has(s, facet, other)) {
            return (convex_end){ABUT_FACET, facet};
        }
    }
    return (convex_end){ABUT_EDGE, edge};
}

static convex_end end_wider(const abut_shape *s, convex_end end, int32_t other)
{
    if (end.type == ABUT_VERTEX && end.feature != other) {
        return vertex_wider(s, end.feature, other);
    }
    if (end.type == ABUT_EDGE && s->edges[end.feature].vertices[0] != other &&
        s->edges[end.feature].vertices[1] != other) {
        return edge_wider(s, end.feature, other);
    }
    return end;
}

/* Tries wider features: an edge instead of its vertex, a facet instead of its edge. The wider
 * feature is the one that has the end of the link and also the farthest vertex of its body along
 * the normal. At nearly parallel edges this shortens the link by less than rounding, but changes
 * the normal. Returns whether the wider link is certain; otherwise the link stays. */
static bool search_widen(search *s)
{
    vec3 normal;
    if (!parting_normal(s->pair, &s->now, &normal)) {
        return false;
    }
    const support_gap nearest = pair_support_gap(s->pair, normal);
    span wider = s->now;
    wider.a.end = end_wider(s->pair->a.shape, s->now.a.end, nearest.a);
    wider.b.end = end_wider(s->pair->b.shape, s->now.b.end, nearest.b);
    const span narrow = s->now;
    s->now = segments_shorten(s->pair, &wider);
    if (search_certify(s)) {
        return true;
    }
    s->now = narrow;
    return false;
}

/* The iteration in which a search counts as slow. Most searches end much earlier. */
enum { SLOW = 9 };

/* If the last round has hardly shortened the link (by `gain`), or the link is so short that
 * overlapping surfaces may meet there, tries wider features and then the best entrance. */
static progress search_help(search *s, int iteration, double gain)
{
    const bool is_near = s->now.length <= MEETING_LENGTH * s->pair->size && s->best.gap < 0.0;
    const bool is_slow = gain <= s->pair->tolerance || iteration == SLOW || is_near;
    if (!is_slow) {
        return GOES_ON;
    }
    if (search_widen(s)) {
        return IS_CERTAIN;
    }
    if (!s->has_entrance) {
        return search_enter(s);
    }
    return gain > 0.0 ? GOES_ON : STUCK;
}

static progress search_round(search *s, int iteration)
{
    const double length = s->now.length;
    s->now = segments_shorten(s->pair, &s->now);
    if (search_certify(s)) {
        return IS_CERTAIN;
    }
    if (search_walk(s) == MEETS) {
        return MEETS;
    }
    return search_certify(s) ? IS_CERTAIN : search_help(s, iteration, length - s->now.length);
}

/* Writes the link. If it is not certain, it is the shortest one found, with the plane of the
 * largest gap. Its length and this gap are bounds of the true gap. */
static void search_end(search *s, progress end, convex_link *link)
{
    if (s->shortest.length < s->now.length) {
        s->now = s->shortest;
    }
    link_write(s->pair, &s->now, &s->best, s->now.length - s->best.gap, link);
    if (end != IS_CERTAIN) {
        link->status = end == MEETS ? ABUT_OVERLAPPING : ABUT_UNCONVERGED;
    }
}

static void search_run(search *s, int iterations, convex_link *link)
{
    progress end = GOES_ON;
    int iteration = 0;
    while (end == GOES_ON && iteration < iterations) {
        end = search_round(s, ++iteration);
    }
    if (end == GOES_ON && !s->has_entrance) {
        end = search_enter(s); /* the gap of the entrance's plane is a lower bound */
    }
    if (!(s->best.gap > -INFINITY)) {
        s->best = parting_along(s->pair, link_direction(s->pair));
    }
    search_end(s, end, link);
    link->iterations = iteration;
}

/* Writes the link of two points. If they coincide, its direction is arbitrary. */
static void points_link(const convex_pair *pair, const span *s, convex_link *link)
{
    const parting plane = {link_direction(pair), s->length};
    link_write(pair, s, &plane, 0.0, link);
    link->iterations = 1;
}

void link_find_apart(const convex_pair *pair, const convex_link *before, int iterations,
                     convex_link *link)
{
    search s;
    s.now = search_begin(pair, before);
    if (pair->a.shape->facet_count + pair->b.shape->facet_count == 0) {
        points_link(pair, &s.now, link);
        return;
    }
    s.pair = pair, s.has_entrance = false;
    s.best.gap = -INFINITY, s.shortest.length = INFINITY;
    search_run(&s, iterations, link);
}

/* ---- shared with overlap.c ---- */

vec3 link_direction(const convex_pair *pair)
{
    const vec3 line = pair_centers(pair);
    const double length = vec3_length(line);
    return length > 0.0 ? vec3_scale(line, 1.0 / length) : (vec3){1.0, 0.0, 0.0};
}

void link_write(const convex_pair *pair, const span *s, const parting *plane, double error,
                convex_link *link)
{
    link->ends[0] = s->a.end, link->ends[1] = s->b.end;
    link->p = s->a.point, link->q = s->b.point;
    link->normal = plane->normal, link->gap = plane->gap;
    link->error = larger(error, 0.0);
    link->iterations = 0;
    const bool is_certain = error <= pair->tolerance;
    link->status = is_certain ? gap_status(plane->gap, pair->tolerance) : ABUT_UNCONVERGED;
}

span link_of_entrance(const convex_pair *pair, const convex_end ends[2])
{
    return span_make(pair, (foot){ends[0], body_point(&pair->a, ends[0])},
                     (foot){ends[1], body_point(&pair->b, ends[1])});
}

/* ---- from step to step ---- */

bool link_stands(const convex_pair *pair, const convex_link *before, convex_link *link)
{
    span s = span_before(pair, before);
    parting plane;
    if (!parting_still_stands(pair, &s, &plane)) {
        return false;
    }
    link_write(pair, &s, &plane, vec3_dot(s.across, plane.normal) - plane.gap, link);
    link->iterations = 1;
    return true;
}

/* Finds the link of bodies that overlapped in the last step. If they are apart now, the old
 * features may still look like a minimum of the depth. So this minimum is used only if the bodies
 * surely overlap, or if no link between separate bodies is found. */
static void find_again(const convex_pair *pair, const convex_link *before, int iterations,
                       convex_link *link)
{
    convex_link minimum;
    link_find_overlap(pair, before, iterations, &minimum);
    if (minimum.gap < 0.0 && link_overlaps(pair, &minimum)) {
        *link = minimum;
        return;
    }
    link_find_apart(pair, &minimum, iterations, link);
    if (link->status == ABUT_OVERLAPPING) {
        *link = minimum;
    }
}

void link_find(const convex_pair *pair, const convex_link *before,
               const abut_convex_options *options, convex_link *link)
{
    const int iterations = options->iterations;
    if (before && link_stands(pair, before, link) &&
        (link->gap >= 0.0 || link_overlaps(pair, link))) {
        return;
    }
    if (before && before->status == ABUT_OVERLAPPING) {
        find_again(pair, before, iterations, link);
        return;
    }
    link_find_apart(pair, before, iterations, link);
    if (link->status == ABUT_OVERLAPPING) {
        link_find_overlap(pair, before, iterations, link);
    }
}
