/* The fast direct search for entrances. An entrance is a pair of features at which two bodies can
 * touch without overlap.
 *
 * Entrances are the faces of the Minkowski difference B - A. They are found on the unit sphere of
 * directions. A facet is a point there, its normal. An edge is the arc between the normals of its
 * two facets. A vertex is the cell of all directions in which it is the farthest vertex. B's
 * directions are negated. A vertex and a facet are an entrance if the facet's point is in the
 * vertex's cell. Two edges are an entrance if their arcs cross. */
#ifndef CONVEX_ENTRANCES_H
#define CONVEX_ENTRANCES_H

#include "pair.h"

/* A vertex and a facet, a facet and a vertex, or two edges that cross. */
typedef struct entrance {
    convex_end ends[2];
    vec3 normal; /* n, unit, from A to B */
    double gap;  /* distance from A's feature to B's along n */
} entrance;

/* Whether the features e->ends are an entrance. If so, sets its normal and gap. */
bool entrance_read(const convex_pair *pair, entrance *e);

/* Finds the entrance with the largest gap. For overlapping bodies its gap is minus the penetration
 * depth. Returns false if there is none, as between two points. */
bool entrances_best(const convex_pair *pair, entrance *best);

/* Climbs from entrance to entrance while the gap grows. An entrance and the next one have a
 * vertex of A and a vertex of B in common. */
void entrances_climb(const convex_pair *pair, entrance *e);

/* An upper limit for the number of a pair's entrances (all_entrances.c). */
abut_index entrances_limit(const convex_pair *pair);

/* Lists all entrances of a pair and returns their number (all_entrances.c). `before` has
 * `before_count` entrances of the last step, which may be wrong: they only save time. The order is:
 * A's facets with vertices, edges with edges, vertices with B's facets. In each group entrances are
 * sorted by A's feature and then by B's; in the last group by B's facet first. */
abut_index entrances_all(const convex_pair *pair, const entrance *before, abut_index before_count,
                         entrance *all);

/* The method "fds", of type convex_method (direct_search.c). */
void entrances_find(const convex_pair *pair, const convex_link *before,
                    const abut_convex_options *options, convex_link *link);

/* ---- shared by the searches ---- */

/* The arc of an edge of A, in B's frame: the normals at its ends, and the axis about which it
 * turns, which is the edge's direction. */
typedef struct seen_arc {
    vec3 left, right, along;
} seen_arc;

seen_arc entrances_see(const convex_pair *pair, int32_t edge);

/* Returns 0 if the arc of an edge of A does not cross the negated arc of an edge of B. Returns 1 if
 * it does and n is along (A's edge x B's edge), and -1 if n is opposite to that. Sines within
 * `limit` of 0 do not count as a crossing. `limit` is at least SINE_ROUNDING. */
static inline int entrances_cross(const seen_arc *a, const abut_shape *b, int32_t edge,
                                  double limit)
{
    const shape_edge *e = &b->edges[edge];
    const double left = vec3_dot(a->left, e->direction), right = vec3_dot(a->right, e->direction);
    const double sign = left > 0.0 ? 1.0 : -1.0;
    if (!(sign * left > limit && sign * right < -limit)) {
        return 0;
    }
    const double other_left = sign * vec3_dot(a->along, b->facets[e->facets[0]].normal);
    const double other_right = sign * vec3_dot(a->along, b->facets[e->facets[1]].normal);
    return other_left > limit && other_right < -limit ? (int)sign : 0;
}

/* Computes the entrance of edges a and b. Their arcs cross with the `sign` of entrances_cross. */
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

/* Whether no entrance with an edge of A can have a gap above `gap`. This is so if a point of B is
 * behind the planes of both facets at the edge, and no higher over them than `gap`. `offset` leads
 * from the edge to that point. For an edge of a flat body, the result is always false. */
static inline bool entrances_rule_out(const shape_edge *e, const abut_shape *a, vec3 offset,
                                      double gap)
{
    const double left = vec3_dot(a->facets[e->facets[0]].normal, offset);
    const double right = vec3_dot(a->facets[e->facets[1]].normal, offset);
    return left < 0.0 && right < 0.0 && left <= gap && right <= gap;
}

/* Returns the edge of B at which the arc leaves the cell of a vertex, and sets *sign as
 * entrances_cross returns it. The edge `came`, at which the arc has entered the cell, is not tried
 * (-1: none). Returns -1 if no crossing is beyond `limit`. */
int32_t entrances_leave(const seen_arc *a, const abut_shape *b, int32_t vertex, int32_t came,
                        double limit, int *sign);

/* The smallest sine by which the edges at a vertex rise along a direction; INFINITY without edges.
 * If the sine is not negative, the vertex is the lowest one along that direction. */
double entrances_least_rise(const abut_shape *s, int32_t vertex, vec3 direction);

/* Computes the entrance of A's facet and B's vertex. */
void entrances_read_facet(const convex_pair *pair, int32_t facet, int32_t vertex, entrance *e);

/* Converts an entrance of the swapped pair to one of the pair. */
void entrances_mirror(const convex_pair *pair, entrance *e);

#endif
