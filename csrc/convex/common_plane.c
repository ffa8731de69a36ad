#include "common_plane.h"

#include "../abut/contacts.h"
#include "../base/series.h"
#include "../mesh/tolerance.h"

/* A plane that is tried: its normal, and its gap with the vertices nearest to it. */
typedef struct tried_plane {
    vec3 normal;
    support_gap at;
    convex_end ends[2]; /* the features that gave the normal; only for "fcp" */
} tried_plane;

static vec3 centroid_line(const convex_pair *pair)
{
    const vec3 line = pair_centers(pair);
    const double length = vec3_length(line);
    return length > pair->tolerance ? vec3_scale(line, 1.0 / length) : (vec3){1.0, 0.0, 0.0};
}

/* The plane with which a search begins: that of the last step, or else the plane perpendicular to
 * the line of the centroids. Its ends are the nearest vertices. */
static tried_plane begin_plane(const convex_pair *pair, const convex_link *before)
{
    const vec3 normal = before ? before->normal : centroid_line(pair);
    const support_gap at = pair_support_gap(pair, normal);
    return (tried_plane){normal, at, {{ABUT_VERTEX, at.a}, {ABUT_VERTEX, at.b}}};
}

/* ---- Cundall's common plane ----
 *
 * A plane between two bodies is turned about two axes that lie in it, by an angle in both
 * directions. The turn that gives the largest gap is kept. If no turn enlarges the gap, the angle
 * is halved, until it is below cp_last. The common plane is then midway between both supports. P.
 * A. Cundall, International Journal of Rock Mechanics and Mining Sciences 25 (1988).
 *
 * In 3D the gap, as a function of the normal, has ridges. A ridge may rise in a direction between
 * the four turns. None of these then enlarges the gap, and the search ends below the maximum. In
 * one pair of ten it ends 16 degrees off or more, however small the angles. The method serves for
 * comparison. Its gap still is a lower bound. Polygons have one axis, and no ridge. */

static vec3 unit(vec3 a)
{
    return vec3_scale(a, 1.0 / vec3_length(a));
}

/* Tries the four turns by an angle (two for polygons), and keeps the plane with the largest gap.
 * Returns whether the gap has grown. */
static bool turn_best(const convex_pair *pair, double angle, tried_plane *best)
{
    vec3 axes[2];
    pair_axes(pair, best->normal, axes);
    const series_angle turn = series_turn(angle);
    const vec3 level = vec3_scale(best->normal, turn.cosine);
    const double sine = turn.sine, before = best->at.gap;
    const int axis_count = pair->a.shape->dimension - 1;
    for (int k = 0; k < 2 * axis_count; k++) {
        const vec3 lean = vec3_scale(axes[k / 2], k % 2 ? -sine : sine);
        const vec3 normal = unit(vec3_add(level, lean));
        const support_gap at = pair_support_gap(pair, normal);
        if (at.gap > best->at.gap) {
            best->normal = normal, best->at = at;
        }
    }
    return best->at.gap > before;
}

void common_plane_find(const convex_pair *pair, const convex_link *before,
                       const abut_convex_options *options, convex_link *link)
{
    tried_plane best = begin_plane(pair, before);
    double angle = options->cp_first;
    int32_t iterations = 0;
    for (; angle >= options->cp_last && iterations < options->iterations; iterations++) {
        angle = turn_best(pair, angle, &best) ? angle : 0.5 * angle;
    }
    const bool has_ended = angle < options->cp_last;
    *link = (convex_link){
        .ends = {{ABUT_VERTEX, best.at.a}, {ABUT_VERTEX, best.at.b}},
        .p = body_vertex(&pair->a, best.at.a),
        .q = body_vertex(&pair->b, best.at.b),
        .normal = best.normal,
        .gap = best.at.gap,
        .error = NAN,
        .status = has_ended ? gap_status(best.at.gap, pair->tolerance) : ABUT_UNCONVERGED,
        .iterations = iterations,
    };
}

/* ---- the fast common plane ----
 *
 * The common plane of bodies that are apart is determined by few features. The two vertices nearest
 * to a plane give some candidates for the next plane. The candidate with the largest gap is chosen,
 * which may have other nearest vertices. This is repeated until no candidate has a larger gap. E.
 * G. Nezami et al., Computers and Geotechnics 31 (2004). The normals of candidates are
 *
 *   - the direction from A's nearest vertex to B's;
 *   - the normals of the facets at either vertex;
 *   - the cross product of an edge at one vertex and an edge at the other;
 *   - the direction between the vertices without its part along an edge at one of them. Two
 *     parallel edges have this normal, too.
 *
 * A candidate's gap is at most the distance of the two vertices along its normal. With this exact
 * bound, few candidates need a search for supports. A better plane may exist although no candidate
 * is better. The search then ends too early, and in some percent of pairs the plane does not even
 * separate the bodies.
 *
 * Overlapping bodies are first moved apart along the present normal. The normal found there is used
 * for the bodies in place, where its gap is no smaller. This is repeated until the gap no longer
 * grows.
 *
 * The features of the last step are tried first. Their plane is still right if their closest points
 * lie in them, and their distance is the gap of the supports. */

static const shape_facet *facet_of(const convex_body *body, convex_end end)
{
    return &body->shape->facets[end.feature];
}

/* The direction of an edge, in the body's frame; 0 for other features. */
static vec3 end_direction(const convex_body *body, convex_end end)
{
    return end.type == ABUT_EDGE ? body->shape->edges[end.feature].direction
                                 : (vec3){0.0, 0.0, 0.0};
}

/* A line without its part along the edge; at most one of the ends is an edge. */
static vec3 less_edge(const convex_pair *pair, const convex_end ends[2], vec3 line)
{
    const vec3 edge = vec3_add(end_direction(&pair->a, ends[0]),
                               pair_turn(pair, end_direction(&pair->b, ends[1])));
    return vec3_sub(line, vec3_scale(edge, vec3_dot(edge, line)));
}

static vec3 crossing_normal(const convex_pair *pair, const convex_end ends[2], vec3 line)
{
    const vec3 cross = vec3_cross(end_direction(&pair->a, ends[0]),
                                  pair_turn(pair, end_direction(&pair->b, ends[1])));
    return vec3_dot(cross, line) < 0.0 ? vec3_scale(cross, -1.0) : cross;
}

/* Finds the normal of the plane that two features give, from A to B. `line` leads from A's feature
 * to B's. Returns false if they give none. */
static bool find_normal(const convex_pair *pair, const convex_end ends[2], vec3 line, vec3 *normal)
{
    if (ends[0].type == ABUT_FACET) {
        *normal = facet_of(&pair->a, ends[0])->normal;
        return true;
    }
    if (ends[1].type == ABUT_FACET) {
        *normal = vec3_scale(pair_turn(pair, facet_of(&pair->b, ends[1])->normal), -1.0);
        return true;
    }
    const bool cross = ends[0].type == ABUT_EDGE && ends[1].type == ABUT_EDGE;
    const vec3 across = cross ? crossing_normal(pair, ends, line) : less_edge(pair, ends, line);
    const double length = vec3_length(across);
    *normal = vec3_scale(across, 1.0 / length);
    return length > (cross ? CROSSING_SINE : pair->tolerance);
}

/* The distance from the first vertex of A's edge to its point nearest to the line of B's edge. */
static double crossing_part(const convex_pair *pair, const convex_end ends[2], vec3 line)
{
    const vec3 a = end_direction(&pair->a, ends[0]);
    const vec3 b = pair_turn(pair, end_direction(&pair->b, ends[1]));
    const double cosine = vec3_dot(a, b);
    return (vec3_dot(line, a) - cosine * vec3_dot(line, b)) / (1.0 - cosine * cosine);
}

/* Finds the closest points of two features, in A's frame, and returns their distance along n. */
static double find_points(const convex_pair *pair, const convex_end ends[2], vec3 normal, vec3 *p,
                          vec3 *q)
{
    *p = body_point(&pair->a, ends[0]);
    *q = pair_to_a(pair, body_point(&pair->b, ends[1]));
    const vec3 line = vec3_sub(*q, *p);
    const double distance = vec3_dot(line, normal);
    if (ends[0].type == ABUT_VERTEX && ends[1].type == ABUT_VERTEX) {
        return distance;
    }
    if (ends[0].type == ABUT_VERTEX) {
        *q = vec3_add(*p, vec3_scale(normal, distance));
    } else if (ends[1].type == ABUT_VERTEX) {
        *p = vec3_sub(*q, vec3_scale(normal, distance));
    } else {
        const double part = crossing_part(pair, ends, line);
        *p = vec3_add(*p, vec3_scale(end_direction(&pair->a, ends[0]), part));
        *q = vec3_add(*p, vec3_scale(normal, distance));
    }
    return distance;
}

static bool is_in_facet(const convex_body *body, convex_end end, vec3 point, double tolerance)
{
    const shape_facet *facet = facet_of(body, end);
    for (int32_t k = 0; k < facet->count; k++) {
        const shape_corner *corner = &body->shape->corners[facet->begin + k];
        if (vec3_dot(corner->outward, point) > corner->offset * body->scale + tolerance) {
            return false;
        }
    }
    return true;
}

/* Whether a point on the plane or line of a feature is in it. The point is in the body's frame. */
static bool is_in_feature(const convex_body *body, convex_end end, vec3 point, double tolerance)
{
    if (end.type == ABUT_FACET) {
        return is_in_facet(body, end, point, tolerance);
    }
    if (end.type == ABUT_EDGE) {
        const shape_edge *edge = &body->shape->edges[end.feature];
        const vec3 from = vec3_sub(point, body_vertex(body, edge->vertices[0]));
        const double along = vec3_dot(from, edge->direction);
        return along >= -tolerance && along <= edge->length * body->scale + tolerance;
    }
    return vec3_max_abs(vec3_sub(point, body_vertex(body, end.feature))) <= tolerance;
}

typedef struct plane_search {
    const convex_pair *pair;
    vec3 line; /* from A's nearest vertex to B's */
    tried_plane best;
} plane_search;

static void try_features(plane_search *search, convex_end of_a, convex_end of_b)
{
    tried_plane next = {.ends = {of_a, of_b}};
    if (!find_normal(search->pair, next.ends, search->line, &next.normal) ||
        vec3_dot(next.normal, search->line) <= search->best.at.gap) {
        return;
    }
    next.at = pair_support_gap(search->pair, next.normal);
    if (next.at.gap > search->best.at.gap) {
        search->best = next;
    }
}

static void try_facets(plane_search *search, int32_t a, int32_t b)
{
    const abut_shape *of_a = search->pair->a.shape, *of_b = search->pair->b.shape;
    const shape_vertex *at_a = &of_a->vertices[a], *at_b = &of_b->vertices[b];
    for (int32_t k = 0; k < at_a->facet_count; k++) {
        const int32_t facet = of_a->facets_at[at_a->first_facet + k];
        try_features(search, (convex_end){ABUT_FACET, facet}, (convex_end){ABUT_VERTEX, b});
    }
    for (int32_t k = 0; k < at_b->facet_count; k++) {
        const int32_t facet = of_b->facets_at[at_b->first_facet + k];
        try_features(search, (convex_end){ABUT_VERTEX, a}, (convex_end){ABUT_FACET, facet});
    }
}

static convex_end edge_at(const abut_shape *s, int32_t vertex, int32_t k)
{
    return (convex_end){ABUT_EDGE, s->edges_at[s->vertices[vertex].first_edge + k]};
}

static void try_edges(plane_search *search, int32_t a, int32_t b)
{
    const abut_shape *of_a = search->pair->a.shape, *of_b = search->pair->b.shape;
    const int32_t count_a = of_a->edge_count > 0 ? of_a->vertices[a].edge_count : 0;
    const int32_t count_b = of_b->edge_count > 0 ? of_b->vertices[b].edge_count : 0;
    for (int32_t k = 0; k < count_a; k++) {
        try_features(search, edge_at(of_a, a, k), (convex_end){ABUT_VERTEX, b});
    }
    for (int32_t k = 0; k < count_b; k++) {
        try_features(search, (convex_end){ABUT_VERTEX, a}, edge_at(of_b, b, k));
    }
    for (int32_t k = 0; k < count_a * count_b; k++) {
        try_features(search, edge_at(of_a, a, k / count_b), edge_at(of_b, b, k % count_b));
    }
}

/* The best candidate that a plane's nearest vertices give; if none is better, the plane itself. */
static tried_plane next_plane(const convex_pair *pair, const tried_plane *plane)
{
    const int32_t a = plane->at.a, b = plane->at.b;
    const vec3 on_b = pair_to_a(pair, body_vertex(&pair->b, b));
    plane_search search = {pair, vec3_sub(on_b, body_vertex(&pair->a, a)), *plane};
    try_features(&search, (convex_end){ABUT_VERTEX, a}, (convex_end){ABUT_VERTEX, b});
    try_facets(&search, a, b);
    try_edges(&search, a, b);
    return search.best;
}

/* Moves from plane to plane while the gap grows, at most `most` times. Returns the number of
 * iterations, or `most` if the gap may still grow. */
static int32_t climb(const convex_pair *pair, int32_t most, tried_plane *plane)
{
    bool gains = true;
    int32_t count = 0;
    for (; gains && count < most; count++) {
        const tried_plane next = next_plane(pair, plane);
        gains = next.at.gap > plane->at.gap + pair->tolerance;
        *plane = next;
    }
    return gains ? most : count;
}

/* Moves overlapping bodies apart along the plane's normal, and climbs there. Returns false if the
 * gap of the bodies in place has not grown. */
static bool climb_apart(const convex_pair *pair, int32_t most, tried_plane *plane,
                        int32_t *iterations)
{
    const vec3 along = plane->normal;
    const double gap = plane->at.gap;
    const double distance = larger(-2.0 * gap, LEAST_SEPARATION * pair->size);
    convex_pair moved = *pair;
    moved.shift = vec3_add(pair->shift, vec3_scale(along, distance));
    plane->at.gap = gap + distance;
    *iterations += climb(&moved, most - *iterations, plane);
    plane->at.gap -= distance * vec3_dot(plane->normal, along);
    return plane->at.gap > gap + pair->tolerance;
}

static int32_t find_plane(const convex_pair *pair, int32_t most, tried_plane *plane)
{
    int32_t iterations = 0;
    bool is_moving = plane->at.gap <= 0.0;
    while (is_moving && iterations < most) {
        is_moving = climb_apart(pair, most, plane, &iterations) && plane->at.gap <= 0.0;
    }
    if (plane->at.gap > 0.0) {
        iterations += climb(pair, most - iterations, plane);
    }
    return iterations;
}

/* Whether the features of the last step still give the plane, which is then set. For overlapping
 * bodies they must be a facet and a vertex, or two edges: others give no normal. */
static bool still_stands(const convex_pair *pair, const convex_link *before, tried_plane *plane)
{
    vec3 p, q;
    plane->ends[0] = before->ends[0], plane->ends[1] = before->ends[1];
    const vec3 line = vec3_sub(pair_to_a(pair, body_point(&pair->b, before->ends[1])),
                               body_point(&pair->a, before->ends[0]));
    const bool is_apart = vec3_dot(line, before->normal) > 0.0;
    const bool decides = before->ends[0].type == before->ends[1].type
                             ? before->ends[0].type == ABUT_EDGE
                             : before->ends[0].type + before->ends[1].type == ABUT_VERTEX;
    if ((!is_apart && !decides) ||
        !find_normal(pair, plane->ends, is_apart ? line : before->normal, &plane->normal)) {
        return false;
    }
    const double distance = find_points(pair, plane->ends, plane->normal, &p, &q);
    plane->at = pair_support_gap(pair, plane->normal);
    return distance - plane->at.gap <= pair->tolerance &&
           is_in_feature(&pair->a, plane->ends[0], p, pair->tolerance) &&
           is_in_feature(&pair->b, plane->ends[1], pair_to_b(pair, q), pair->tolerance);
}

void fast_plane_find(const convex_pair *pair, const convex_link *before,
                     const abut_convex_options *options, convex_link *link)
{
    tried_plane plane;
    int32_t iterations = 0;
    if (!before || !still_stands(pair, before, &plane)) {
        plane = begin_plane(pair, before);
        iterations = find_plane(pair, options->iterations, &plane);
    }
    *link = (convex_link){.ends = {plane.ends[0], plane.ends[1]},
                          .normal = plane.normal,
                          .gap = plane.at.gap,
                          .error = NAN,
                          .status = gap_status(plane.at.gap, pair->tolerance),
                          .iterations = iterations};
    find_points(pair, plane.ends, plane.normal, &link->p, &link->q);
    link->q = pair_to_b(pair, link->q);
    if (iterations >= options->iterations) {
        link->status = ABUT_UNCONVERGED;
    }
}
