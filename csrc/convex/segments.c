/* Shortens a link before each walk (section 3.5.2 and appendix A of Nezami et al. 2006). The way
 * depends on the types of the two features:
 *
 *  - two facets: the link moves towards the line where their planes meet. If it stops before, at a
 *    side of one of the facets, it becomes a link of an edge and a facet;
 *  - an edge and a facet: the link moves along the edge. It stops at an end of the edge, or at a
 *    side of the facet. At a side it becomes a link of two edges;
 *  - two edges: they are closest where they cross, or at an end of one of them;
 *  - a vertex and a facet or edge: the vertex is projected again, since the bodies have moved. */
#include "segments.h"

#include "../mesh/tolerance.h"

span span_make(const convex_pair *pair, foot a, foot b)
{
    span s = {.a = a, .b = b};
    s.across = vec3_sub(pair_to_a(pair, b.point), a.point);
    s.length = vec3_length(s.across);
    return s;
}

/* ---- two segments ---- */

static inline void read_segment(const convex_body *body, convex_end end, segment *found)
{
    const abut_shape *s = body->shape;
    found->inside = end;
    if (end.type == ABUT_EDGE) {
        const shape_edge *e = &s->edges[end.feature];
        found->along = e->direction;
        found->length = e->length * body->scale;
        found->vertices[0] = e->vertices[0], found->vertices[1] = e->vertices[1];
    } else {
        const shape_corner *c = &s->corners[s->facets[end.feature].begin];
        found->along = c[1].outward;
        found->length = (c[0].offset + c[1].offset) * body->scale;
        found->vertices[0] = c[0].vertex, found->vertices[1] = c[1].vertex;
    }
    found->from = body_vertex(body, found->vertices[0]);
}

segment segment_read(const convex_body *body, convex_end end)
{
    segment found;
    read_segment(body, end, &found);
    return found;
}

static foot segment_foot(const convex_body *body, const segment *s, double at)
{
    if (at <= 0.0) {
        return foot_of_vertex(body, s->vertices[0]);
    }
    if (at >= s->length) {
        return foot_of_vertex(body, s->vertices[1]);
    }
    return (foot){s->inside, vec3_add(s->from, vec3_scale(s->along, at))};
}

/* The distance from a segment's first vertex to its point that is closest to p. */
static double segment_closest(const segment *s, vec3 p)
{
    const double at = vec3_dot(s->along, vec3_sub(p, s->from));
    return at < 0.0 ? 0.0 : at > s->length ? s->length : at;
}

crossing crossing_read(const convex_pair *pair, convex_end a, convex_end b)
{
    crossing c;
    read_segment(&pair->a, a, &c.a);
    read_segment(&pair->b, b, &c.b_own);
    c.b = c.b_own;
    c.b.from = pair_to_a(pair, c.b_own.from);
    c.b.along = pair_turn(pair, c.b_own.along);
    c.cross = vec3_cross_exact(c.a.along, c.b.along);
    c.sine_sq = vec3_norm_sq(c.cross);
    c.at_a = c.at_b = NAN;
    if (c.sine_sq > PARALLEL_SINE * PARALLEL_SINE) {
        const vec3 between = vec3_sub(c.b.from, c.a.from);
        c.at_a = vec3_dot(vec3_cross(between, c.b.along), c.cross) / c.sine_sq;
        c.at_b = vec3_dot(vec3_cross(between, c.a.along), c.cross) / c.sine_sq;
    }
    return c;
}

bool crossing_is_inside(const crossing *c)
{
    return c->at_a > 0.0 && c->at_a < c->a.length && c->at_b > 0.0 && c->at_b < c->b.length;
}

static span span_between(const convex_pair *pair, const crossing *c, double at_a, double at_b)
{
    return span_make(pair, segment_foot(&pair->a, &c->a, at_a),
                     segment_foot(&pair->b, &c->b_own, at_b));
}

span crossing_span(const convex_pair *pair, const crossing *c)
{
    return span_between(pair, c, c->at_a, c->at_b);
}

static double crossing_distance_sq(const crossing *c, double at_a, double at_b)
{
    const vec3 p = vec3_add(c->a.from, vec3_scale(c->a.along, at_a));
    const vec3 q = vec3_add(c->b.from, vec3_scale(c->b.along, at_b));
    return vec3_norm_sq(vec3_sub(q, p));
}

/* The shortest link from an end of one of the segments to the closest point of the other one. */
static span span_at_ends(const convex_pair *pair, const crossing *c)
{
    const vec3 a_end = vec3_add(c->a.from, vec3_scale(c->a.along, c->a.length));
    const vec3 b_end = vec3_add(c->b.from, vec3_scale(c->b.along, c->b.length));
    const double at[4][2] = {{segment_closest(&c->a, c->b.from), 0.0},
                             {segment_closest(&c->a, b_end), c->b.length},
                             {0.0, segment_closest(&c->b, c->a.from)},
                             {c->a.length, segment_closest(&c->b, a_end)}};
    int best = 0;
    double best_sq = INFINITY;
    for (int k = 0; k < 4; k++) {
        const double distance_sq = crossing_distance_sq(c, at[k][0], at[k][1]);
        best = distance_sq < best_sq ? k : best;
        best_sq = distance_sq < best_sq ? distance_sq : best_sq;
    }
    return span_between(pair, c, at[best][0], at[best][1]);
}

static span shorten_segments(const convex_pair *pair, const span *s)
{
    const crossing c = crossing_read(pair, s->a.end, s->b.end);
    return crossing_is_inside(&c) ? crossing_span(pair, &c) : span_at_ends(pair, &c);
}

/* ---- lines over facets ---- */

/* The part of a line that is over a facet, from distance `low` to `high` along the line. It ends at
 * the sides that begin at these corners; -1: at no side. */
typedef struct stretch {
    double low, high;
    int32_t low_corner, high_corner;
} stretch;

static void stretch_clip(stretch *s, const convex_body *body, int32_t facet, vec3 from, vec3 along)
{
    const shape_facet *f = &body->shape->facets[facet];
    for (int32_t k = f->begin; k < f->begin + f->count; k++) {
        const shape_corner *c = &body->shape->corners[k];
        const double rate = vec3_dot(c->outward, along);
        const double room = c->offset * body->scale - vec3_dot(c->outward, from);
        if (rate > 0.0 && room < rate * s->high) {
            s->high = room / rate, s->high_corner = k;
        } else if (rate < 0.0 && room < rate * s->low) {
            s->low = room / rate, s->low_corner = k;
        } else if (rate == 0.0 && room < 0.0) {
            s->high = -INFINITY;
        }
    }
}

/* Where an edge is closest to a facet: the distance along the edge, and the foot on the facet. */
typedef struct approach {
    double at;
    foot foot;
} approach;

/* Finds where an edge is lowest over a facet, or crosses it. The edge is in the frame of the
 * facet's body. Returns false if there is no such point over the facet. */
static bool edge_approach(const convex_body *body, int32_t facet, const segment *edge, approach *to)
{
    stretch s = {0.0, edge->length, -1, -1};
    stretch_clip(&s, body, facet, edge->from, edge->along);
    if (!(s.low <= s.high)) {
        return false;
    }
    const vec3 normal = body->shape->facets[facet].normal;
    const double slope = vec3_dot(normal, edge->along);
    const double base = body_height(body, facet, edge->from);
    to->at = slope >= 0.0 ? s.low : s.high;
    double height = base + slope * to->at;
    const int32_t corner = slope >= 0.0 ? s.low_corner : s.high_corner;
    to->foot.end = (convex_end){ABUT_FACET, facet};
    if (height < 0.0) {
        to->at = -base / slope;
        height = 0.0;
        if (!(to->at >= s.low && to->at <= s.high)) {
            return false;
        }
    } else if (corner >= 0) {
        to->foot.end = (convex_end){ABUT_EDGE, body->shape->corners[corner].edge};
    }
    const vec3 on_edge = vec3_add(edge->from, vec3_scale(edge->along, to->at));
    to->foot.point = vec3_sub(on_edge, vec3_scale(normal, height));
    return true;
}

static span shorten_edge_on_a(const convex_pair *pair, const span *s)
{
    const segment edge = segment_read(&pair->a, s->a.end);
    segment turned = edge;
    turned.from = pair_to_b(pair, edge.from);
    turned.along = pair_turn_back(pair, edge.along);
    approach to;
    if (!edge_approach(&pair->b, s->b.end.feature, &turned, &to)) {
        return *s;
    }
    return span_make(pair, segment_foot(&pair->a, &edge, to.at), to.foot);
}

static span shorten_edge_on_b(const convex_pair *pair, const span *s)
{
    const segment edge = segment_read(&pair->b, s->b.end);
    segment turned = edge;
    turned.from = pair_to_a(pair, edge.from);
    turned.along = pair_turn(pair, edge.along);
    approach to;
    if (!edge_approach(&pair->a, s->a.end.feature, &turned, &to)) {
        return *s;
    }
    return span_make(pair, to.foot, segment_foot(&pair->b, &edge, to.at));
}

/* Shortens a link between two facets. The end on A moves in A's plane, in the direction that leads
 * to B's plane fastest. It stops at B's plane, or at a side of one of the facets. */
static span shorten_facets(const convex_pair *pair, const span *s)
{
    const int32_t facet_a = s->a.end.feature, facet_b = s->b.end.feature;
    const vec3 normal_a = pair->a.shape->facets[facet_a].normal;
    const vec3 normal_b = pair->b.shape->facets[facet_b].normal;
    const vec3 down = vec3_scale(pair_turn(pair, normal_b), -1.0);
    const vec3 towards = less_along(down, normal_a);
    const double sine = vec3_length(towards);
    if (!(sine > PARALLEL_SINE)) {
        return *s;
    }
    /* the part along normal_a is removed twice: if the sine is small, rounding leaves some of it */
    const vec3 along = less_along(vec3_scale(towards, 1.0 / sine), normal_a);
    const vec3 along_b = pair_turn_back(pair, along), from_b = pair_to_b(pair, s->a.point);
    const double slope = vec3_dot(normal_b, along_b);
    const double base = body_height(&pair->b, facet_b, from_b);
    stretch way = {-INFINITY, -base / slope, -1, -1};
    stretch_clip(&way, &pair->a, facet_a, s->a.point, along);
    stretch over = {-INFINITY, way.high, -1, -1};
    stretch_clip(&over, &pair->b, facet_b, from_b, along_b);
    if (!(larger(way.low, over.low) <= over.high)) {
        return *s;
    }
    foot a = {s->a.end, vec3_add(s->a.point, vec3_scale(along, over.high))};
    const vec3 above = vec3_add(from_b, vec3_scale(along_b, over.high));
    foot b = {s->b.end, vec3_sub(above, vec3_scale(normal_b, base + slope * over.high))};
    if (over.high_corner >= 0) {
        b.end = (convex_end){ABUT_EDGE, pair->b.shape->corners[over.high_corner].edge};
    } else if (way.high_corner >= 0) {
        a.end = (convex_end){ABUT_EDGE, pair->a.shape->corners[way.high_corner].edge};
    }
    return span_make(pair, a, b);
}

/* ---- by the types of both ends ---- */

static span keep(const convex_pair *pair, const span *s)
{
    return span_make(pair, s->a, s->b);
}

static span project_on_a(const convex_pair *pair, const span *s)
{
    const vec3 q = pair_to_a(pair, s->b.point);
    return span_make(pair, closest_on_facet(&pair->a, s->a.end.feature, q), s->b);
}

static span project_on_b(const convex_pair *pair, const span *s)
{
    const vec3 p = pair_to_b(pair, s->a.point);
    return span_make(pair, s->a, closest_on_facet(&pair->b, s->b.end.feature, p));
}

static span project_on_edge_of_a(const convex_pair *pair, const span *s)
{
    const segment edge = segment_read(&pair->a, s->a.end);
    const double at = segment_closest(&edge, pair_to_a(pair, s->b.point));
    return span_make(pair, segment_foot(&pair->a, &edge, at), s->b);
}

static span project_on_edge_of_b(const convex_pair *pair, const span *s)
{
    const segment edge = segment_read(&pair->b, s->b.end);
    const double at = segment_closest(&edge, pair_to_b(pair, s->a.point));
    return span_make(pair, s->a, segment_foot(&pair->b, &edge, at));
}

typedef span (*shortening)(const convex_pair *pair, const span *s);

/* The functions that shorten a link in space, by the types of its ends (abut_type). */
static const shortening SPATIAL[3][3] = {
    {shorten_facets, shorten_edge_on_b, project_on_a},
    {shorten_edge_on_a, shorten_segments, project_on_edge_of_a},
    {project_on_b, project_on_edge_of_b, keep},
};

/* The functions that shorten a link of two polygons. Its ends are facets (sides) or vertices. */
static const shortening PLANE[3][3] = {
    {shorten_segments, keep, project_on_edge_of_a},
    {keep, keep, keep},
    {project_on_edge_of_b, keep, keep},
};

static bool has_ends_of(const span *s, const span *other)
{
    return s->a.end.type == other->a.end.type && s->b.end.type == other->b.end.type;
}

span segments_shorten(const convex_pair *pair, const span *s)
{
    const bool is_plane = pair->a.shape->dimension == 2;
    const shortening(*table)[3] = is_plane ? PLANE : SPATIAL;
    span best = span_make(pair, s->a, s->b);
    /* at most three steps: two facets, then an edge and a facet, then two edges */
    for (int step = 0; step < 3; step++) {
        const span next = table[best.a.end.type][best.b.end.type](pair, &best);
        if (!(next.length <= best.length)) {
            break;
        }
        const bool is_same = has_ends_of(&next, &best);
        best = next;
        if (is_same) {
            break;
        }
    }
    return best;
}
