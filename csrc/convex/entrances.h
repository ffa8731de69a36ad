/* The fast direct search: entrances, by which two bodies can meet without overlapping.
 *
 * They are the faces of B - A. Seen on the sphere of directions: a facet is a point, its normal; an
 * edge is an arc between two of these; a vertex is the cell of all directions in which it is the
 * farthest one. With B's turned around, a vertex and a facet are an entrance where the point is in
 * the cell, and two edges where their arcs cross. */
#ifndef CONVEX_ENTRANCES_H
#define CONVEX_ENTRANCES_H

#include "pair.h"

/* Vertex and facet, facet and vertex, or two edges that cross. */
typedef struct entrance {
    convex_end ends[2];
    vec3 normal; /* n, unit, from A to B */
    double gap;  /* distance of the two planes along n */
} entrance;

/* Whether the two features are an entrance; fills in normal and gap then. Ends of other types are
 * none. */
bool entrance_read(const convex_pair *pair, entrance *e);

/* The valid entrance of largest gap: of bodies that overlap the exact minimum. False where there is
 * none, as between two points. */
bool entrances_best(const convex_pair *pair, entrance *best);

/* Climb from a valid entrance over those whose features share a vertex with it, as far as the gap
 * grows (climb.c). */
void entrances_climb(const convex_pair *pair, entrance *e);

/* How many entrances a pair has at most, and all of them: A's facets with vertices, edges with
 * edges, vertices with B's facets, each by the first one's (of the last the facet's) number and
 * then the other's; returns how many. `before`, of `before_count`, were those a step before, which
 * may be wrong altogether: the set is the same without (all_entrances.c). */
abut_index entrances_limit(const convex_pair *pair);
abut_index entrances_all(const convex_pair *pair, const entrance *before, abut_index before_count,
                         entrance *all);

/* The method "fds"; a convex_method (direct_search.c). */
void entrances_find(const convex_pair *pair, const convex_link *before,
                    const abut_convex_options *options, convex_link *link);

/* ---- what the searches share ---- */

/* An edge of A as its arc is seen from B: the normals at its ends and the axis about which it
 * turns, which is the edge, all in B's frame. */
typedef struct seen_arc {
    vec3 left, right, along;
} seen_arc;

seen_arc entrances_see(const convex_pair *pair, int32_t edge);

/* Whether the arc crosses that of an edge of B, turned around: 0, or 1 where n is along x other, -1
 * where it is other x along. Sines must be beyond `limit`, at least SINE_ROUNDING. */
static inline int entrances_cross(const seen_arc *a, const abut_shape *b, int32_t edge,
                                  double limit)
{
    const shape_edge *e = &b->edges[edge];
    const double left = vec3_dot(a->left, e->direction), right = vec3_dot(a->right, e->direction);
    const double sign = left > 0.0 ? 1.0 : -1.0;
    if (!(sign * left > limit && sign * right < -limit)) {
        return 0;
    }
    const double own_left = sign * vec3_dot(a->along, b->facets[e->facets[0]].normal);
    const double own_right = sign * vec3_dot(a->along, b->facets[e->facets[1]].normal);
    return own_left > limit && own_right < -limit ? (int)sign : 0;
}

/* The entrance of two edges that cross with this sign. */
void entrances_read_crossing(const convex_pair *pair, int32_t a, int32_t b, int sign, entrance *e);

static inline void entrances_try_crossing(const convex_pair *pair, int32_t a, int32_t b, int sign,
                                          entrance *best)
{
    entrance e;
    entrances_read_crossing(pair, a, b, sign, &e);
    if (e.gap > best->gap) {
        *best = e;
    }
}

/* Both planes at an edge of A have a point of B, `offset` from the edge, behind them, and by more
 * than a gap: so have all planes of the arc. Of a flat body, whose arc is half a circle, both never
 * are. */
static inline bool entrances_rule_out(const shape_edge *e, const abut_shape *a, vec3 offset,
                                      double gap)
{
    const double left = vec3_dot(a->facets[e->facets[0]].normal, offset);
    const double right = vec3_dot(a->facets[e->facets[1]].normal, offset);
    return left < 0.0 && right < 0.0 && left <= gap && right <= gap;
}

/* The edge of B by which the arc leaves the cell of a vertex, other than the one by which it came
 * (-1: none); -1: there is none for sure. */
int32_t entrances_leave(const seen_arc *a, const abut_shape *b, int32_t vertex, int32_t came,
                        double limit, int *sign);

/* The least sine by which edges rise from a vertex along a direction: the cell has the opposite
 * direction where none falls. INFINITY of a point. */
double entrances_least_rise(const abut_shape *s, int32_t vertex, vec3 direction);

/* Facet of A and vertex of B. */
void entrances_read_facet(const convex_pair *pair, int32_t facet, int32_t vertex, entrance *e);

/* An entrance of the swapped pair as one of the pair. */
void entrances_mirror(const convex_pair *pair, entrance *e);

#endif
