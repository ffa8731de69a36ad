/* The fast direct search for entrances: features by which two bodies can meet without overlap.
 *
 * They are the faces of the Minkowski difference B - A. On the sphere of directions a facet is a
 * point, its normal; an edge is an arc between two such points; a vertex is the cell of all
 * directions in which it is the farthest vertex. B's directions are negated. A vertex and a facet
 * are an entrance if the point is in the cell, two edges if their arcs cross. */
#ifndef CONVEX_ENTRANCES_H
#define CONVEX_ENTRANCES_H

#include "pair.h"

/* A vertex and a facet, a facet and a vertex, or two edges that cross. */
typedef struct entrance {
    convex_end ends[2];
    vec3 normal; /* n, unit, from A to B */
    double gap;  /* distance of the two planes along n */
} entrance;

/* Whether the two features are an entrance; sets normal and gap if so. Ends of other types are
 * none. */
bool entrance_read(const convex_pair *pair, entrance *e);

/* Finds the entrance with the largest gap; for bodies that overlap this is the least way apart.
 * False: there is none, as between two points. */
bool entrances_best(const convex_pair *pair, entrance *best);

/* Climbs from an entrance over entrances that share a vertex of each body with it, as long as the
 * gap grows (climb.c). */
void entrances_climb(const convex_pair *pair, entrance *e);

/* The most entrances of a pair, and a list of all of them; returns how many (all_entrances.c).
 * Their order: A's facets with vertices, edges with edges, vertices with B's facets. Each group is
 * sorted by the first feature's number and then the second's, the last group by the facet's first.
 * `before` has `before_count` entrances of the step before; these may be wrong: they only save
 * time. */
abut_index entrances_limit(const convex_pair *pair);
abut_index entrances_all(const convex_pair *pair, const entrance *before, abut_index before_count,
                         entrance *all);

/* The method "fds", of type convex_method (direct_search.c). */
void entrances_find(const convex_pair *pair, const convex_link *before,
                    const abut_convex_options *options, convex_link *link);

/* ---- shared by the searches ---- */

/* The arc of an edge of A in B's frame: the normals at its ends, and the axis about which it turns,
 * which is the edge's direction. */
typedef struct seen_arc {
    vec3 left, right, along;
} seen_arc;

seen_arc entrances_see(const convex_pair *pair, int32_t edge);

/* Whether the arc crosses the negated arc of an edge of B. 0: no; 1: yes, with n along (A's edge x
 * B's edge); -1: yes, with the opposite n. Sines must be beyond `limit`, at least SINE_ROUNDING. */
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

/* Sets the entrance of two edges that cross with this sign. */
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

/* Whether no plane of an edge's arc has a gap above `gap`. It is so if a point of B, `offset` from
 * the edge, is behind both planes at the arc's ends, and no higher over them than `gap`. A flat
 * body's arc is half a circle, for which this is never true. */
static inline bool entrances_rule_out(const shape_edge *e, const abut_shape *a, vec3 offset,
                                      double gap)
{
    const double left = vec3_dot(a->facets[e->facets[0]].normal, offset);
    const double right = vec3_dot(a->facets[e->facets[1]].normal, offset);
    return left < 0.0 && right < 0.0 && left <= gap && right <= gap;
}

/* The edge of B by which the arc leaves the cell of a vertex, other than edge `came`, by which it
 * came (-1: none). Returns -1 if no edge is sure. */
int32_t entrances_leave(const seen_arc *a, const abut_shape *b, int32_t vertex, int32_t came,
                        double limit, int *sign);

/* The least sine by which edges of a vertex rise along a direction; INFINITY for a point. If none
 * falls, the vertex's cell contains the opposite direction. */
double entrances_least_rise(const abut_shape *s, int32_t vertex, vec3 direction);

/* Sets the entrance of A's facet and B's vertex. */
void entrances_read_facet(const convex_pair *pair, int32_t facet, int32_t vertex, entrance *e);

/* Converts an entrance of the swapped pair to one of the pair. */
void entrances_mirror(const convex_pair *pair, entrance *e);

#endif
