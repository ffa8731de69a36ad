/* Contact points.
 *
 * One feature of each body bears: it faces the other body within the patch angle, and has the
 * vertex that is farthest towards it. A facet is preferred to an edge, and an edge to a vertex.
 * Both features are projected along n to a polygon, a segment or a point. The spots are the corners
 * of the intersection of both projections:
 *
 *        +--------+ A          o  a corner of A over B's facet: (VERTEX, FACET)
 *        |    x---|----+       *  a corner of B under A's facet: (FACET, VERTEX)
 *        |    |   |    |       x  where two borders cross: (EDGE, EDGE)
 *        +----|---o    |
 *             +--------+ B
 *
 * A spot's overlap is that of the planes of both features at the spot. So it falls where a tilting
 * body rises, and becomes negative there. The name of a spot is its two features. It stays the same
 * while bodies slide and tilt a little.
 *
 * A corner that is on a border, within a tolerance for rounding, counts as inside. Two sides cross
 * if the ends of each are on different sides of the other one, and farther from it than the
 * tolerance. So nearly parallel sides give spots at their ends, never at some point along them.
 * Spots are within the tolerance of the exact corners.
 *
 * Two edges have a spot where they cross. If they are parallel within the patch angle, they have
 * spots at both ends of the length that they share, as sides of polygons do.
 *
 * The order of spots is: crossings (by B's side, then A's), corners of A, corners of B, each in the
 * order of its facet's corners. The spots of an edge on a facet are in the order of the edge's
 * ends, those of two parallel edges in the order of A's ends. */
#include "spots.h"

#include "../abut/contacts.h"
#include "../base/series.h"
#include "../mesh/tolerance.h"

/* A body, and the axes for its projection along n, in the body's frame. */
typedef struct seen_body {
    const convex_body *body;
    vec3 u, w, n;            /* n is the pair's, from A to B */
    double at_u, at_w, at_n; /* the body's origin in A's frame, along u, w and n */
    vec3 out;                /* unit vector towards the other body */
} seen_body;

/* The plane of a feature: its height along n on the line through A's origin, and its slopes. All
 * heights are relative to A's origin. */
typedef struct slope {
    double level, along_u, along_w;
} slope;

/* A bearing feature, projected along n. Its corners are stored as spots, with members of these
 * meanings:
 *
 *  - point.x and point.y: the place on the common plane;
 *  - point.z: not 0 if the corner is outside of the other feature;
 *  - ends[0] and ends[1]: the vertex, and the edge to the next corner;
 *  - gap: the tolerance for points on that edge, times the edge's length. */
typedef struct region {
    convex_end end;
    slope plane;
    convex_spot *corners;
    int32_t count;
    int which;      /* the body of the feature; 0: A; 1: B */
    double turning; /* order of the corners about n; 1: counter-clockwise; -1: clockwise */
} region;

typedef struct spot_list {
    convex_spot *spots; /* before `finish`, point.x and point.y are the place on the common plane */
    int32_t count, limit;
    double tolerance;
} spot_list;

int32_t spots_limit(const abut_shape *a, const abut_shape *b)
{
    /* all corners of both facets, and crossings: a side crosses the other border at most twice */
    const int32_t corners = a->most_corners + b->most_corners;
    return corners > 2 ? 2 * corners : 4;
}

/* ---- bearing features ---- */

static convex_end facing_facet(const abut_shape *s, const shape_vertex *at, vec3 out, double cosine)
{
    convex_end found = {ABUT_VERTEX, -1};
    for (int32_t k = 0; k < at->facet_count; k++) {
        const int32_t facet = s->facets_at[at->first_facet + k];
        const double facing = vec3_dot(s->facets[facet].normal, out);
        if (facing >= cosine) {
            cosine = facing;
            found = (convex_end){ABUT_FACET, facet};
        }
    }
    return found;
}

static convex_end facing_edge(const abut_shape *s, const shape_vertex *at, vec3 out, double sine)
{
    convex_end found = {ABUT_VERTEX, -1};
    for (int32_t k = 0; s->edge_count > 0 && k < at->edge_count; k++) {
        const int32_t edge = s->edges_at[at->first_edge + k];
        const double slant = fabs(vec3_dot(s->edges[edge].direction, out));
        if (slant <= sine) {
            sine = slant;
            found = (convex_end){ABUT_EDGE, edge};
        }
    }
    return found;
}

convex_end spots_bearing(const convex_body *body, vec3 out, double cosine)
{
    const abut_shape *s = body->shape;
    const int32_t vertex = body_support(body, out).vertex;
    const shape_vertex *at = &s->vertices[vertex];
    convex_end found = facing_facet(s, at, out, cosine);
    if (found.type == ABUT_VERTEX) {
        found = facing_edge(s, at, out, sqrt(1.0 - cosine * cosine));
    }
    return found.type == ABUT_VERTEX ? (convex_end){ABUT_VERTEX, vertex} : found;
}

/* ---- projections along n ---- */

static void project(const convex_pair *pair, vec3 n, seen_body views[2])
{
    vec3 axes[2];
    pair_axes(pair, n, axes);
    views[0] = (seen_body){&pair->a, axes[0], axes[1], n, 0.0, 0.0, 0.0, n};
    const vec3 n_b = pair_turn_back(pair, n);
    views[1] = (seen_body){&pair->b,
                           pair_turn_back(pair, axes[0]),
                           pair_turn_back(pair, axes[1]),
                           n_b,
                           vec3_dot(axes[0], pair->shift),
                           vec3_dot(axes[1], pair->shift),
                           vec3_dot(n, pair->shift),
                           vec3_scale(n_b, -1.0)};
}

/* The slope of a plane, which is given by normal . x = offset in the body's frame. */
static slope plane_slope(const seen_body *v, vec3 normal, double offset)
{
    const double inv = 1.0 / vec3_dot(normal, v->n);
    const double along_u = -vec3_dot(normal, v->u) * inv, along_w = -vec3_dot(normal, v->w) * inv;
    const double level = v->at_n + offset * inv - along_u * v->at_u - along_w * v->at_w;
    return (slope){level, along_u, along_w};
}

/* The plane of a feature. For a facet it is the facet's plane, for an edge the most level plane
 * through the edge, for a vertex the level plane through it. */
static slope feature_slope(const seen_body *v, convex_end end)
{
    const abut_shape *s = v->body->shape;
    if (end.type == ABUT_FACET) {
        const shape_facet *facet = &s->facets[end.feature];
        return plane_slope(v, facet->normal, facet->offset * v->body->scale);
    }
    int32_t vertex = end.feature;
    vec3 normal = v->n;
    if (end.type == ABUT_EDGE) {
        const shape_edge *edge = &s->edges[end.feature];
        vertex = edge->vertices[0];
        const double slant = vec3_dot(v->n, edge->direction);
        normal = vec3_sub(v->n, vec3_scale(edge->direction, slant));
    }
    return plane_slope(v, normal, vec3_dot(normal, body_vertex(v->body, vertex)));
}

static void place_corner(const seen_body *v, int32_t vertex, int32_t edge, convex_spot *corner)
{
    const vec3 at = body_vertex(v->body, vertex);
    corner->point = (vec3){vec3_dot(v->u, at) + v->at_u, vec3_dot(v->w, at) + v->at_w, 0.0};
    corner->ends[0] = (convex_end){ABUT_VERTEX, vertex};
    corner->ends[1] = (convex_end){ABUT_EDGE, edge};
}

static int32_t place_corners(const seen_body *v, convex_end end, convex_spot *corners)
{
    const abut_shape *s = v->body->shape;
    if (end.type == ABUT_VERTEX) {
        place_corner(v, end.feature, -1, corners);
        return 1;
    }
    if (end.type == ABUT_EDGE) {
        const shape_edge *edge = &s->edges[end.feature];
        place_corner(v, edge->vertices[0], end.feature, &corners[0]);
        place_corner(v, edge->vertices[1], end.feature, &corners[1]);
        return 2;
    }
    const shape_facet *facet = &s->facets[end.feature];
    for (int32_t k = 0; k < facet->count; k++) {
        const shape_corner *corner = &s->corners[facet->begin + k];
        place_corner(v, corner->vertex, corner->edge, &corners[k]);
    }
    return facet->count;
}

static int32_t next_corner(const region *r, int32_t k)
{
    return k + 1 < r->count ? k + 1 : 0;
}

static void set_limits(region *r, double tolerance)
{
    for (int32_t k = 0; k < r->count; k++) {
        const vec3 side = vec3_sub(r->corners[next_corner(r, k)].point, r->corners[k].point);
        r->corners[k].gap = tolerance * (fabs(side.x) + fabs(side.y));
    }
}

static region make_region(const seen_body *v, int which, double cosine, double tolerance,
                          convex_spot *corners)
{
    region r = {.which = which, .corners = corners, .turning = which ? -1.0 : 1.0};
    r.end = spots_bearing(v->body, v->out, cosine);
    r.plane = feature_slope(v, r.end);
    r.count = place_corners(v, r.end, corners);
    set_limits(&r, tolerance);
    return r;
}

/* ---- the intersection of both projections ---- */

static bool is_near(vec3 a, vec3 b, double tolerance)
{
    return fabs(a.x - b.x) <= tolerance && fabs(a.y - b.y) <= tolerance;
}

/* Adds a spot, unless there already is one at this place. */
static void add(spot_list *list, vec3 place, int which, convex_end own, convex_end other)
{
    for (int32_t k = 0; k < list->count; k++) {
        if (is_near(list->spots[k].point, place, list->tolerance)) {
            return;
        }
    }
    if (list->count < list->limit) {
        convex_spot *spot = &list->spots[list->count++];
        spot->point = place;
        spot->ends[which] = own;
        spot->ends[1 - which] = other;
    }
}

/* The distance of a place from side k, positive on the inner side, times the side's length. */
static double side_height(const region *r, int32_t k, vec3 place)
{
    const vec3 from = r->corners[k].point, to = r->corners[next_corner(r, k)].point;
    return r->turning *
           ((to.x - from.x) * (place.y - from.y) - (to.y - from.y) * (place.x - from.x));
}

static bool are_clear(double a, double b, double limit)
{
    return (a < -limit && b > limit) || (a > limit && b < -limit);
}

/* The point at height 0 on a line from height a to height b. */
static vec3 at_zero(vec3 from, vec3 to, double a, double b)
{
    const double part = a / (a - b);
    return (vec3){from.x + part * (to.x - from.x), from.y + part * (to.y - from.y), 0.0};
}

/* Adds the spot where side k of a region crosses side l of the other region, if they cross. The
 * ends of side k have the heights `from` and `to` over side l, on different sides of it and not
 * near it. The sides cross if the ends of side l are on different sides of side k, too. */
static void add_crossing(spot_list *list, const region *r, int32_t k, const region *other,
                         int32_t l, double from, double to)
{
    const vec3 first = other->corners[l].point, last = other->corners[next_corner(other, l)].point;
    if (are_clear(side_height(r, k, first), side_height(r, k, last), r->corners[k].gap)) {
        const vec3 place =
            at_zero(r->corners[k].point, r->corners[next_corner(r, k)].point, from, to);
        add(list, place, r->which, r->corners[k].ends[1], other->corners[l].ends[1]);
    }
}

/* Marks the corners of r that are outside of the other region's side l. */
static void mark_outside(region *r, const region *other, int32_t l)
{
    for (int32_t k = 0; k < r->count; k++) {
        convex_spot *corner = &r->corners[k];
        if (side_height(other, l, corner->point) < -other->corners[l].gap) {
            corner->point.z = 1.0;
        }
    }
}

static void add_crossings(spot_list *list, const region *r, const region *other, int32_t l)
{
    const double limit = other->corners[l].gap, first = side_height(other, l, r->corners[0].point);
    double from = first;
    for (int32_t k = 0; k < r->count; k++) {
        const bool is_last = k + 1 == r->count;
        const double to = is_last ? first : side_height(other, l, r->corners[k + 1].point);
        if (are_clear(from, to, limit)) {
            add_crossing(list, r, k, other, l, from, to);
        }
        from = to;
    }
}

static void add_corners(spot_list *list, const region *r, const region *other)
{
    for (int32_t k = 0; k < r->count; k++) {
        if (r->corners[k].point.z == 0.0) {
            add(list, r->corners[k].point, r->which, r->corners[k].ends[0], other->end);
        }
    }
}

static void clip_facets(spot_list *list, region *a, region *b)
{
    for (int32_t l = 0; l < b->count; l++) {
        mark_outside(a, b, l);
        add_crossings(list, a, b, l);
    }
    for (int32_t k = 0; k < a->count; k++) {
        mark_outside(b, a, k);
    }
    add_corners(list, a, b);
    add_corners(list, b, a);
}

/* The point where a segment enters or leaves the other feature: the fraction of the segment's
 * length, and the features of both bodies at a spot there. */
typedef struct cut {
    double part;
    convex_end own, other;
} cut;

static void add_cut(spot_list *list, const region *segment, const cut *at)
{
    const vec3 from = segment->corners[0].point, to = segment->corners[1].point;
    const vec3 place = {from.x + at->part * (to.x - from.x), from.y + at->part * (to.y - from.y),
                        0.0};
    add(list, place, segment->which, at->own, at->other);
}

static double segment_length(const region *segment)
{
    return vec3_length(vec3_sub(segment->corners[1].point, segment->corners[0].point));
}

/* Adds spots at both ends of a segment's remaining part. If they coincide, adds only one of them:
 * if possible, an end of the segment itself. */
static void add_cuts(spot_list *list, const region *segment, const cut *begin, const cut *end)
{
    const double length = (end->part - begin->part) * segment_length(segment);
    if (length > list->tolerance) {
        add_cut(list, segment, begin);
        add_cut(list, segment, end);
    } else if (length >= -list->tolerance) {
        add_cut(list, segment, begin->own.type == ABUT_VERTEX ? begin : end);
    }
}

/* Cuts off the part of a segment that is outside of side k. Returns false if nothing remains. */
static bool cut_side(const region *segment, const region *facet, int32_t k, cut *begin, cut *end)
{
    const double limit = facet->corners[k].gap;
    const double from = side_height(facet, k, segment->corners[0].point);
    const double to = side_height(facet, k, segment->corners[1].point);
    if (from < -limit && to < -limit) {
        return false;
    }
    const double part = from == to ? 0.0 : from / (from - to);
    const cut crossing = {part, segment->corners[0].ends[1], facet->corners[k].ends[1]};
    if (from < -limit && part > begin->part) {
        *begin = crossing;
    }
    if (to < -limit && part < end->part) {
        *end = crossing;
    }
    return true;
}

static void clip_segment(spot_list *list, const region *segment, const region *facet)
{
    cut begin = {0.0, segment->corners[0].ends[0], facet->end};
    cut end = {1.0, segment->corners[1].ends[0], facet->end};
    bool remains = true;
    for (int32_t k = 0; remains && k < facet->count; k++) {
        remains = cut_side(segment, facet, k, &begin, &end);
    }
    if (remains) {
        add_cuts(list, segment, &begin, &end);
    }
}

/* Sets the ends of segment b as cuts of segment a, in their order along a. */
static void mark_ends(const region *a, const region *b, cut ends[2])
{
    const vec3 from = a->corners[0].point, side = vec3_sub(a->corners[1].point, from);
    for (int k = 0; k < 2; k++) {
        const double part =
            vec3_dot(side, vec3_sub(b->corners[k].point, from)) / vec3_norm_sq(side);
        ends[k] = (cut){part, a->end, b->corners[k].ends[0]};
    }
    if (ends[0].part > ends[1].part) {
        const cut first = ends[1];
        ends[1] = ends[0], ends[0] = first;
    }
}

/* Adds the spots of two parallel segments: the ends of the length that both share. */
static void clip_parallel(spot_list *list, const region *a, const region *b)
{
    cut of_b[2], begin = {0.0, a->corners[0].ends[0], b->end};
    cut end = {1.0, a->corners[1].ends[0], b->end};
    mark_ends(a, b, of_b);
    const double near = list->tolerance / segment_length(a);
    begin = of_b[0].part > begin.part + near ? of_b[0] : begin;
    end = of_b[1].part < end.part - near ? of_b[1] : end;
    add_cuts(list, a, &begin, &end);
}

/* Whether a point of a segment's line is on the segment. `part` and the tolerance `near` are
 * fractions of the segment's length. */
static bool is_on(double part, double near)
{
    return part >= -near && part <= 1.0 + near;
}

static void clip_edges(spot_list *list, const region *a, const region *b, double sine)
{
    const vec3 of_a = vec3_sub(a->corners[1].point, a->corners[0].point);
    const vec3 of_b = vec3_sub(b->corners[1].point, b->corners[0].point);
    const vec3 from = vec3_sub(b->corners[0].point, a->corners[0].point);
    const double lengths = segment_length(a) * segment_length(b);
    const double area = of_a.x * of_b.y - of_a.y * of_b.x;
    if (fabs(area) <= sine * lengths) {
        clip_parallel(list, a, b);
        return;
    }
    const cut crossing = {(from.x * of_b.y - from.y * of_b.x) / area, a->end, b->end};
    const double on_b = (from.x * of_a.y - from.y * of_a.x) / area;
    if (is_on(crossing.part, list->tolerance / segment_length(a)) &&
        is_on(on_b, list->tolerance / segment_length(b))) {
        add_cut(list, a, &crossing);
    }
}

/* Adds the spot if a bearing feature is a vertex: at the vertex, or midway between two vertices. */
static void add_vertex(spot_list *list, const region *a, const region *b)
{
    vec3 place = a->end.type == ABUT_VERTEX ? a->corners[0].point : b->corners[0].point;
    if (a->end.type == ABUT_VERTEX && b->end.type == ABUT_VERTEX) {
        place = vec3_scale(vec3_add(a->corners[0].point, b->corners[0].point), 0.5);
    }
    add(list, place, 0, a->end, b->end);
}

static void intersect(spot_list *list, region *a, region *b, double cosine)
{
    if (a->end.type == ABUT_VERTEX || b->end.type == ABUT_VERTEX) {
        add_vertex(list, a, b);
    } else if (a->count > 2 && b->count > 2) {
        clip_facets(list, a, b);
    } else if (a->count > 2) {
        clip_segment(list, b, a);
    } else if (b->count > 2) {
        clip_segment(list, a, b);
    } else {
        clip_edges(list, a, b, sqrt(1.0 - cosine * cosine));
    }
}

/* ---- from places to spots ---- */

static double slope_height(const slope *s, vec3 place)
{
    return s->level + s->along_u * place.x + s->along_w * place.y;
}

static void finish(convex_spot *spot, const seen_body *of_a, const slope *a, const slope *b)
{
    const vec3 place = spot->point;
    const double low = slope_height(a, place), high = slope_height(b, place);
    spot->gap = high - low;
    const vec3 flat = vec3_add(vec3_scale(of_a->u, place.x), vec3_scale(of_a->w, place.y));
    spot->point = vec3_add(flat, vec3_scale(of_a->n, 0.5 * (low + high)));
}

static convex_spot link_spot(const convex_pair *pair, const convex_link *link)
{
    const vec3 q = pair_to_a(pair, link->q);
    return (convex_spot){
        vec3_scale(vec3_add(link->p, q), 0.5), link->gap, {link->ends[0], link->ends[1]}};
}

/* The distance within which places count as the same: a fraction of the smaller body's size, but at
 * least the rounding error of the larger body. */
static double place_tolerance(const convex_pair *pair)
{
    const double a = pair->a.shape->reach * pair->a.scale;
    const double b = pair->b.shape->reach * pair->b.scale;
    return larger(SPOT_TOGETHER * (a < b ? a : b), pair->tolerance);
}

int32_t spots_make(const convex_pair *pair, const convex_link *link, double patch_angle,
                   convex_spot *spots, convex_spot *room)
{
    seen_body views[2];
    project(pair, link->normal, views);
    const double cosine = series_turn(patch_angle).cosine, tolerance = place_tolerance(pair);
    region a = make_region(&views[0], 0, cosine, tolerance, room);
    region b = make_region(&views[1], 1, cosine, tolerance, room + a.count);
    spot_list list = {spots, 0, spots_limit(pair->a.shape, pair->b.shape), tolerance};
    intersect(&list, &a, &b, cosine);
    for (int32_t k = 0; k < list.count; k++) {
        finish(&spots[k], &views[0], &a.plane, &b.plane);
    }
    if (list.count == 0) {
        spots[0] = link_spot(pair, link);
    }
    return list.count > 0 ? list.count : 1;
}
