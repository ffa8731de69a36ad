/* Computes n from the features of a link. The direction of PQ is inaccurate for short links: its
 * error is the rounding error of P and Q divided by |PQ|. The normal of a facet or of two edges has
 * an error that does not depend on |PQ|. */
#include "parting.h"

#include "../mesh/tolerance.h"

parting parting_along(const convex_pair *pair, vec3 normal)
{
    return (parting){normal, pair_support_gap(pair, normal).gap};
}

/* ---- a facet and a vertex ---- */

/* The body of a facet, and the other body. */
typedef struct facet_side {
    const convex_body *own, *other;
    bool is_b; /* the facet is B's */
} facet_side;

static facet_side side_of(const convex_pair *pair, bool is_b)
{
    return is_b ? (facet_side){&pair->b, &pair->a, true} : (facet_side){&pair->a, &pair->b, false};
}

/* The plane of a facet, and the lowest vertex of the other body over it. */
static parting part_at(const convex_pair *pair, facet_side side, int32_t facet, int32_t *vertex)
{
    const shape_facet *f = &side.own->shape->facets[facet];
    const vec3 normal = side.is_b ? vec3_scale(pair_turn(pair, f->normal), -1.0) : f->normal;
    const vec3 back = side.is_b ? normal : vec3_scale(pair_turn_back(pair, normal), -1.0);
    const support farthest = body_support(side.other, back);
    *vertex = farthest.vertex;
    const double front = f->offset * side.own->scale;
    return (parting){normal, vec3_dot(normal, pair->shift) - farthest.height - front};
}

/* Whether a vertex of the other body is over the facet, and as low as the lowest one. If so, sets
 * the link from the vertex to the point below it on the facet. */
static bool stands_at(const convex_pair *pair, facet_side side, int32_t facet, int32_t vertex,
                      const parting *plane, span *s)
{
    const foot at = foot_of_vertex(side.other, vertex);
    const vec3 seen = side.is_b ? pair_to_b(pair, at.point) : pair_to_a(pair, at.point);
    const double height = body_height(side.own, facet, seen);
    if (height - plane->gap > pair->tolerance || !closest_is_over(side.own, facet, seen)) {
        return false;
    }
    const vec3 normal = side.own->shape->facets[facet].normal;
    const foot below = {{ABUT_FACET, facet}, vec3_sub(seen, vec3_scale(normal, height))};
    s->a = side.is_b ? at : below;
    s->b = side.is_b ? below : at;
    s->across = vec3_scale(plane->normal, height);
    s->length = fabs(height);
    return true;
}

/* Tries the plane of the facet at A's end of the link, or at B's end if `is_b`. If the link's
 * vertex is as low as the lowest one, the link keeps it. Returns whether the link is set. */
static bool try_at(const convex_pair *pair, bool is_b, span *s, parting *plane)
{
    const facet_side side = side_of(pair, is_b);
    const convex_end end = is_b ? s->b.end : s->a.end, other = is_b ? s->a.end : s->b.end;
    int32_t vertex;
    *plane = part_at(pair, side, end.feature, &vertex);
    return (other.type == ABUT_VERTEX &&
            stands_at(pair, side, end.feature, other.feature, plane, s)) ||
           stands_at(pair, side, end.feature, vertex, plane, s);
}

/* ---- two edges ---- */

/* A vector midway between both normals at an edge. For a flat body it points outward in the body's
 * plane. */
static vec3 edge_middle(const abut_shape *s, int32_t edge)
{
    const shape_edge *e = &s->edges[edge];
    const vec3 left = s->facets[e->facets[0]].normal, right = s->facets[e->facets[1]].normal;
    return vec3_add(vec3_add(left, right), vec3_cross(e->direction, vec3_sub(left, right)));
}

/* The unit cross product of both edges, pointing from A to B. */
static vec3 crossing_normal(const convex_pair *pair, const crossing *c)
{
    const vec3 a = edge_middle(pair->a.shape, c->a.inside.feature);
    const vec3 b = pair_turn(pair, edge_middle(pair->b.shape, c->b.inside.feature));
    const double length = sqrt(c->sine_sq);
    const bool is_along = vec3_dot(c->cross, vec3_sub(a, b)) >= 0.0;
    return vec3_scale(c->cross, is_along ? 1.0 / length : -1.0 / length);
}

static bool has_angle(const crossing *c)
{
    return c->sine_sq > CROSSING_SINE * CROSSING_SINE;
}

static bool stands_at_crossing(const convex_pair *pair, const crossing *c, span *s, parting *plane)
{
    *plane = parting_along(pair, crossing_normal(pair, c));
    const double height = vec3_dot(plane->normal, vec3_sub(c->b.from, c->a.from));
    if (height - plane->gap > pair->tolerance || !crossing_is_inside(c)) {
        return false;
    }
    *s = crossing_span(pair, c);
    return true;
}

static bool stands_across(const convex_pair *pair, span *s, parting *plane)
{
    const crossing c = crossing_read(pair, s->a.end, s->b.end);
    return has_angle(&c) && stands_at_crossing(pair, &c, s, plane);
}

static bool stands_on_either(const convex_pair *pair, span *s, parting *plane)
{
    parting other;
    if (try_at(pair, false, s, plane)) {
        return true;
    }
    const bool stands = try_at(pair, true, s, &other);
    *plane = stands || other.gap > plane->gap ? other : *plane;
    return stands;
}

bool parting_stands(const convex_pair *pair, span *s, parting *plane)
{
    const int32_t a = s->a.end.type, b = s->b.end.type;
    plane->gap = -INFINITY;
    if (a == ABUT_FACET) {
        return b == ABUT_FACET ? stands_on_either(pair, s, plane) : try_at(pair, false, s, plane);
    }
    if (b == ABUT_FACET) {
        return try_at(pair, true, s, plane);
    }
    return a == ABUT_EDGE && b == ABUT_EDGE && stands_across(pair, s, plane);
}

bool parting_still_stands(const convex_pair *pair, span *s, parting *plane)
{
    if (s->a.end.type != ABUT_EDGE || s->b.end.type != ABUT_EDGE) {
        return parting_stands(pair, s, plane);
    }
    /* for edges that do not cross, no plane is computed: its supports would double the time */
    const crossing c = crossing_read(pair, s->a.end, s->b.end);
    return has_angle(&c) && crossing_is_inside(&c) && stands_at_crossing(pair, &c, s, plane);
}

/* ---- normals of any two features ---- */

/* The normal of two edges. The smaller the sine of their angle, the larger is the error of their
 * cross product. If |PQ| / size is larger than the sine, PQ is more accurate. */
static vec3 edges_normal(const convex_pair *pair, const span *s)
{
    const crossing c = crossing_read(pair, s->a.end, s->b.end);
    if (c.sine_sq * pair->size * pair->size > s->length * s->length) {
        return crossing_normal(pair, &c);
    }
    return less_along(s->across, c.a.along);
}

/* The normal of any two features, not yet of unit length. For an edge and a vertex it is PQ without
 * its part along the edge. This part comes from rounding, or the link is not the shortest. */
static vec3 features_normal(const convex_pair *pair, const span *s)
{
    const convex_end a = s->a.end, b = s->b.end;
    if (a.type == ABUT_FACET) {
        return pair->a.shape->facets[a.feature].normal;
    }
    if (b.type == ABUT_FACET) {
        return vec3_scale(pair_turn(pair, pair->b.shape->facets[b.feature].normal), -1.0);
    }
    if (a.type == ABUT_EDGE && b.type == ABUT_EDGE) {
        return edges_normal(pair, s);
    }
    if (a.type == ABUT_EDGE) {
        return less_along(s->across, pair->a.shape->edges[a.feature].direction);
    }
    if (b.type == ABUT_EDGE) {
        const vec3 along = pair->b.shape->edges[b.feature].direction;
        return less_along(s->across, pair_turn(pair, along));
    }
    return s->across;
}

bool parting_normal(const convex_pair *pair, const span *s, vec3 *normal)
{
    const vec3 n = features_normal(pair, s);
    const double length = vec3_length(n);
    *normal = vec3_scale(n, 1.0 / length);
    return length > 0.0;
}

bool parting_read(const convex_pair *pair, const span *s, parting *plane)
{
    vec3 normal;
    if (!parting_normal(pair, s, &normal)) {
        return false;
    }
    *plane = parting_along(pair, normal);
    return true;
}
