/* Finds the link of overlapping bodies.
 *
 * B is moved away from A by a distance s along a normal n0. The normal of the shortest link there
 * is the next n0. The paper (Nezami et al. 2006) does this once; here it is repeated. Each of
 * these steps is a proximal step: the gap of the moved bodies along n is g(n) + s n.n0, which is
 * largest for the normal of their shortest link. So g(n0) never becomes smaller. If n0 no longer
 * changes, g has a local maximum there, and the link is its certificate.
 *
 * If two vertices, or a vertex and an edge, are closest, n0 may stay the same by symmetry, although
 * g has a minimum or a saddle there. The global maximum of g is then computed instead. */
#include "link.h"

#include "entrances.h"

#include "../mesh/tolerance.h"

typedef struct separation {
    const convex_pair *pair;
    int iterations; /* the largest number of iterations for one link */
    int done;       /* iterations for all links so far */
    parting at;     /* n0, and the gap along it */
    double distance;
    convex_link apart; /* the link of the bodies after they are moved apart */
} separation;

static convex_pair pair_apart(const convex_pair *pair, vec3 normal, double distance)
{
    convex_pair apart = *pair;
    apart.shift = vec3_add(pair->shift, vec3_scale(normal, distance));
    return apart;
}

/* Takes the proximal step, beginning with the features of `before`. The step is longer than the
 * depth, so that the bodies are apart after it. */
static void separate(separation *s, const convex_link *before)
{
    const double size = s->pair->size, depth = fabs(s->at.gap);
    s->distance = depth + larger(DEPTH_SEPARATION * depth, LEAST_SEPARATION * size);
    const convex_pair apart = pair_apart(s->pair, s->at.normal, s->distance);
    link_find_apart(&apart, before, s->iterations, &s->apart);
    s->done += s->apart.iterations;
}

/* ---- steps ---- */

static span separated_span(const separation *s)
{
    const convex_link *apart = &s->apart;
    return span_make(s->pair, (foot){apart->ends[0], apart->p}, (foot){apart->ends[1], apart->q});
}

/* Writes the link at which the normal no longer changes. Along a normal nearby, the gap may be
 * larger by `remaining`, but not above 0. */
static void write_minimum(const separation *s, double remaining, convex_link *link)
{
    const span at = separated_span(s);
    const double gap = s->at.gap;
    const bool is_apart = gap > s->pair->tolerance;
    link_write(s->pair, &at, &s->at,
               is_apart ? at.length - gap : fmin(remaining, larger(-gap, 0.0)), link);
}

static bool has_facet(const convex_link *link)
{
    return link->ends[0].type == ABUT_FACET || link->ends[1].type == ABUT_FACET;
}

/* Takes one step. Returns true if it was the last one; the link is then written. */
static bool overlap_step(separation *s, const convex_link *before, convex_link *link)
{
    separate(s, before);
    if (link_stands(s->pair, &s->apart, link)) {
        return true;
    }
    const double remaining = s->apart.gap + s->apart.error - (s->distance + s->at.gap);
    const parting next = parting_along(s->pair, s->apart.normal);
    const double gap = s->at.gap;
    s->at = next.gap > gap ? next : s->at;
    if (next.gap > gap + GAP_ROUNDING * s->pair->size) {
        return false;
    }
    write_minimum(s, remaining, link);
    if (link->gap < -s->pair->tolerance && !has_facet(link)) {
        link_find_global(s->pair, s->iterations, link);
    }
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

/* Finds the penetration depth of bodies that overlap deeply and have no link of the last step.
 * Their depth has many local minima, and the line of their centroids is a poor start. The global
 * search is as fast as the local one. Returns false if it fails. */
static bool overlap_anew(const convex_pair *pair, int iterations, convex_link *link)
{
    *link = (convex_link){.gap = -INFINITY, .status = ABUT_UNCONVERGED, .iterations = 1};
    link_find_global(pair, iterations, link);
    return link->status != ABUT_UNCONVERGED;
}

void link_find_overlap(const convex_pair *pair, const convex_link *before, int iterations,
                       convex_link *link)
{
    if (before && link_stands(pair, before, link)) {
        return;
    }
    const vec3 normal = before ? before->normal : link_direction(pair);
    separation s = {.pair = pair, .iterations = iterations, .at = parting_along(pair, normal)};
    if (!before && s.at.gap < -DEEP * pair->size && overlap_anew(pair, iterations, link)) {
        return;
    }
    overlap_run(&s, before, link);
    link->iterations = s.done;
    if (link->status == ABUT_UNCONVERGED) {
        link->error = larger(-link->gap, 0.0);
        link_find_global(pair, iterations, link);
    }
}

/* ---- proofs of overlap ---- */

/* B - A, the Minkowski difference, is the set of all vectors from points in A to points in B. The
 * bodies overlap if B - A contains the origin. For an inner point of each body, B - A contains
 * every pyramid with a face as its base and its tip at the vector between the inner points.
 *
 * The functions below move B along that vector until the two features meet. They return whether the
 * features then meet in their interior. In this case the origin is in the pyramid. */
static bool overlaps_at_a(const convex_pair *pair, int32_t facet, vec3 q, vec3 inner)
{
    const double rate = vec3_dot(pair->a.shape->facets[facet].normal, inner);
    const double depth = -body_height(&pair->a, facet, q);
    return rate > 0.0 &&
           closest_is_over(&pair->a, facet, vec3_add(q, vec3_scale(inner, depth / rate)));
}

static bool overlaps_at_b(const convex_pair *pair, int32_t facet, vec3 p, vec3 inner)
{
    const double rate = -vec3_dot(pair->b.shape->facets[facet].normal, inner);
    const double depth = -body_height(&pair->b, facet, p);
    return rate > 0.0 &&
           closest_is_over(&pair->b, facet, vec3_sub(p, vec3_scale(inner, depth / rate)));
}

static bool overlaps_across(const convex_pair *pair, const convex_link *link, vec3 inner)
{
    const crossing c = crossing_read(pair, link->ends[0], link->ends[1]);
    const vec3 between = vec3_sub(c.b.from, c.a.from);
    const double whole = vec3_dot(c.cross, inner);
    const double at_a = vec3_dot(vec3_cross(between, c.b.along), inner) / whole;
    const double at_b = vec3_dot(vec3_cross(between, c.a.along), inner) / whole;
    return vec3_dot(link->normal, inner) > 0.0 && at_a > 0.0 && at_a < c.a.length && at_b > 0.0 &&
           at_b < c.b.length;
}

/* Whether the origin is in the pyramid over the link's features, with centroids as inner points. */
static bool overlaps_below(const convex_pair *pair, const convex_link *link)
{
    const vec3 inner = pair_centers(pair);
    const int32_t a = link->ends[0].type, b = link->ends[1].type;
    if (a == ABUT_FACET) {
        return overlaps_at_a(pair, link->ends[0].feature, pair_to_a(pair, link->q), inner);
    }
    if (b == ABUT_FACET) {
        return overlaps_at_b(pair, link->ends[1].feature, pair_to_b(pair, link->p),
                             pair_turn_back(pair, inner));
    }
    return a == ABUT_EDGE && b == ABUT_EDGE && overlaps_across(pair, link, inner);
}

static bool body_holds(const convex_body *body, vec3 p)
{
    for (int32_t f = 0; f < body->shape->facet_count; f++) {
        if (body_height(body, f, p) > 0.0) {
            return false;
        }
    }
    return body->shape->facet_count > 0;
}

bool link_overlaps(const convex_pair *pair, const convex_link *link)
{
    return overlaps_below(pair, link) || body_holds(&pair->a, pair_to_a(pair, link->q)) ||
           body_holds(&pair->b, pair_to_b(pair, link->p));
}

/* ---- the global minimum of the depth ---- */

/* Writes an entrance as a link. For parallel features, the entrance does not show where they are
 * closest. The ends are then those of the shortest link of the bodies moved apart. */
static void write_entrance(const convex_pair *pair, const entrance *best, const parting *plane,
                           int iterations, convex_link *link)
{
    const int32_t done = link->iterations;
    const double error = best->gap - plane->gap;
    span at = link_of_entrance(pair, best->ends);
    parting again;
    if (parting_stands(pair, &at, &again)) {
        link_write(pair, &at, &again, error, link);
        link->iterations = done;
        return;
    }
    separation s = {.pair = pair, .iterations = iterations, .at = *plane};
    separate(&s, NULL);
    at = separated_span(&s);
    link_write(pair, &at, plane, error, link);
    link->iterations = done + s.done;
}

void link_find_global(const convex_pair *pair, int iterations, convex_link *link)
{
    entrance best;
    if (!entrances_best(pair, &best)) {
        return;
    }
    const parting plane = parting_along(pair, best.normal);
    if (plane.gap > link->gap + pair->tolerance) {
        write_entrance(pair, &best, &plane, iterations, link);
    } else if (best.gap - link->gap <= pair->tolerance) {
        link->error = larger(best.gap - link->gap, 0.0);
        link->status = link->gap < -pair->tolerance ? ABUT_OVERLAPPING : ABUT_TOUCHING;
    }
    if (link->gap > 0.0) {
        const convex_link entrance_link = *link;
        link_find_apart(pair, &entrance_link, iterations, link);
        if (link->status == ABUT_OVERLAPPING) {
            *link = entrance_link;
        }
    }
}
