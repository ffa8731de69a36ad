/* Bodies that overlap are set apart by s along a normal n0, and the normal of the shortest link
 * then is the next n0: the paper's way, but repeated. It is a proximal step: apart by s, the gap
 * along n is g(n) + s n.n0, and the shortest link's normal maximizes that, so g never falls. Where
 * n0 stays, g has a local maximum there, which the link certifies.
 *
 * But where two vertices are closest, or a vertex and an edge, n0 stays since bodies stand
 * symmetrically: g has a minimum there, or a saddle. No way is better than the others, and the
 * least of all is taken. */
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
    s->distance = larger(1.05 * fabs(s->at.gap), LEAST_SEPARATION * size);
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

static bool has_facet(const convex_link *link)
{
    return link->ends[0].type == ABUT_FACET || link->ends[1].type == ABUT_FACET;
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
    write_minimum(s, rest, link);
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
