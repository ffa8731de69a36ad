/* The walk of section 3.4 of Nezami et al. (2006), with one more rule. From a vertex or an edge it
 * continues only over facets that face q, which means that q is in front of their planes. Without
 * this rule it may stop too early, at a facet that faces away from q.
 *
 * With the rule it stops at the closest point only. At any other point P of the body, the direction
 * in which the distance to q falls fastest is along a facet that faces q. The walk ends, since each
 * step is nearer to q. Once it is on a facet that faces q, it never leaves such facets. */
#include "closest.h"

/* A walk. Its coordinates are in the units of the shape, without the body's scale. */
typedef struct walk {
    const abut_shape *shape;
    vec3 q;
    foot place;
    double distance_sq;
} walk;

static double facet_height(const abut_shape *s, int32_t facet, vec3 q)
{
    return vec3_dot(s->facets[facet].normal, q) - s->facets[facet].offset;
}

static foot vertex_foot(const abut_shape *s, int32_t vertex)
{
    return (foot){{ABUT_VERTEX, vertex}, shape_point(s, vertex)};
}

static foot closest_on_edge(const abut_shape *s, int32_t edge, vec3 q)
{
    const shape_edge *e = &s->edges[edge];
    const vec3 from = shape_point(s, e->vertices[0]);
    const double along = vec3_dot(e->direction, vec3_sub(q, from));
    if (along <= 0.0) {
        return vertex_foot(s, e->vertices[0]);
    }
    if (along >= e->length) {
        return vertex_foot(s, e->vertices[1]);
    }
    return (foot){{ABUT_EDGE, edge}, vec3_add(from, vec3_scale(e->direction, along))};
}

/* The closest point of the facet's side that begins at a corner. A facet of a polygon is a segment
 * without sides, so that the point is the corner itself. */
static foot closest_on_side(const abut_shape *s, const shape_corner *c, vec3 q)
{
    return c->edge < 0 ? vertex_foot(s, c->vertex) : closest_on_edge(s, c->edge, q);
}

/* The point of a facet that is closest to q. If q is outside of some sides, the point is
 * on one of these sides. */
static foot foot_on_facet(const abut_shape *s, int32_t facet, vec3 q)
{
    const shape_facet *f = &s->facets[facet];
    const vec3 p = vec3_sub(q, vec3_scale(f->normal, facet_height(s, facet, q)));
    foot best = {{ABUT_FACET, facet}, p};
    double best_sq = INFINITY;
    for (int32_t k = f->begin; k < f->begin + f->count; k++) {
        const shape_corner *c = &s->corners[k];
        if (vec3_dot(c->outward, p) > c->offset) {
            const foot side = closest_on_side(s, c, p);
            const double side_sq = vec3_norm_sq(vec3_sub(p, side.point));
            best = side_sq < best_sq ? side : best;
            best_sq = side_sq < best_sq ? side_sq : best_sq;
        }
    }
    return best;
}

/* The facets that meet at the walk's present point. */
typedef struct facets_here {
    const int32_t *facets;
    int32_t count;
} facets_here;

static facets_here walk_facets(const walk *w)
{
    const abut_shape *s = w->shape;
    const convex_end *end = &w->place.end;
    if (end->type == ABUT_FACET) {
        return (facets_here){&end->feature, 1};
    }
    if (end->type == ABUT_EDGE) {
        return (facets_here){s->edges[end->feature].facets, 2};
    }
    const shape_vertex *v = &s->vertices[end->feature];
    return (facets_here){s->facets_at + v->first_facet, v->facet_count};
}

static void walk_look(walk *w, int32_t facet, walk *next)
{
    const foot found = foot_on_facet(w->shape, facet, w->q);
    const double distance_sq = vec3_norm_sq(vec3_sub(w->q, found.point));
    if (distance_sq < next->distance_sq) {
        next->place = found;
        next->distance_sq = distance_sq;
    }
}

/* Moves to the closest point of the present facets that face q. Returns false if none faces q. */
static bool walk_step(walk *w, bool *has_moved)
{
    const facets_here here = walk_facets(w);
    walk next = *w;
    bool is_seen = false;
    for (int32_t k = 0; k < here.count; k++) {
        if (facet_height(w->shape, here.facets[k], w->q) > 0.0) {
            is_seen = true;
            walk_look(w, here.facets[k], &next);
        }
    }
    *has_moved = next.distance_sq < w->distance_sq;
    *w = next;
    return is_seen;
}

/* Moves to the facet over which q is highest. Returns false if q is in front of no facet. */
static bool walk_restart(walk *w)
{
    int32_t best = -1;
    double best_height = 0.0;
    for (int32_t f = 0; f < w->shape->facet_count; f++) {
        const double height = facet_height(w->shape, f, w->q);
        best = height > best_height ? f : best;
        best_height = height > best_height ? height : best_height;
    }
    if (best < 0) {
        return false;
    }
    w->distance_sq = INFINITY;
    walk next = *w;
    walk_look(w, best, &next);
    *w = next;
    return true;
}

static bool walk_run(walk *w)
{
    bool has_moved = true;
    while (has_moved) {
        if (!walk_step(w, &has_moved)) {
            if (!walk_restart(w)) {
                return false;
            }
            has_moved = true;
        }
        if (w->place.end.type == ABUT_FACET) {
            return true; /* the facet faces q, and the point is straight below q */
        }
    }
    return true;
}

/* Finds the closest point of a flat shape (front and back). Returns false if q is in its facet. */
static bool walk_flat(walk *w)
{
    const int32_t facet = facet_height(w->shape, 0, w->q) >= 0.0 ? 0 : 1;
    w->distance_sq = INFINITY;
    walk next = *w;
    walk_look(w, facet, &next);
    *w = next;
    return w->distance_sq > 0.0;
}

bool closest_is_over(const convex_body *body, int32_t facet, vec3 q)
{
    const shape_facet *f = &body->shape->facets[facet];
    const shape_corner *corners = body->shape->corners + f->begin;
    double most = -INFINITY;
    for (int32_t k = 0; k < f->count; k++) {
        most = larger(most, vec3_dot(corners[k].outward, q) - corners[k].offset * body->scale);
    }
    return most <= 0.0;
}

foot closest_on_facet(const convex_body *body, int32_t facet, vec3 q)
{
    foot found = foot_on_facet(body->shape, facet, vec3_scale(q, 1.0 / body->scale));
    found.point = vec3_scale(found.point, body->scale);
    return found;
}

bool closest_walk(const convex_body *body, vec3 q, foot *place)
{
    const double inv_scale = 1.0 / body->scale;
    walk w = {body->shape, vec3_scale(q, inv_scale), *place, 0.0};
    w.place.point = vec3_scale(place->point, inv_scale);
    w.distance_sq = vec3_norm_sq(vec3_sub(w.q, w.place.point));
    if (body->shape->facet_count == 0) {
        return w.distance_sq > 0.0;
    }
    const bool is_outside = body->shape->is_flat ? walk_flat(&w) : walk_run(&w);
    *place = (foot){w.place.end, vec3_scale(w.place.point, body->scale)};
    return is_outside;
}
