/* Two bodies and their link, which all methods of this folder read and write.
 *
 * All is in A's frame and in the units of the world, unless it is noted otherwise: vertices and
 * offsets of a shape are multiplied by the body's scale when they are read. The normal n points
 * from A to B. The *support* of a body along a direction is its farthest vertex there. */
#ifndef CONVEX_PAIR_H
#define CONVEX_PAIR_H

#include "../base/pose.h"
#include "shape.h"

typedef struct convex_body {
    const abut_shape *shape;
    double scale;
} convex_body;

typedef struct convex_pair {
    convex_body a, b;
    vec3 rows[3]; /* B's rotation: row by row, from B's frame to A's */
    vec3 shift;   /* B's origin in A's frame */
    /* sum of both reaches, each times its scale; larger if the bodies are far apart or much rounded
     */
    double size;
    double tolerance; /* 1e-11 times size; distances below it count as 0 */
} convex_pair;

/* One end of a link: the feature on which it lies, by type and number. */
typedef struct convex_end {
    int32_t type; /* abut_type */
    int32_t feature;
} convex_end;

/* The result of a method, for bodies without rounding. The next query begins with it. */
typedef struct convex_link {
    convex_end ends[2];
    vec3 p;         /* end on A */
    vec3 q;         /* end on B, in B's frame */
    vec3 normal;    /* n: unit, from A to B */
    double gap;     /* distance from A's support to B's along n; < 0: overlap */
    double error;   /* the true gap is between gap and gap + error; NaN: unknown */
    int32_t status; /* abut_convex_status */
    int32_t iterations;
} convex_link;

/* A method, which finds the link of a pair. `before` is the link of the last step, or NULL. */
typedef void (*convex_method)(const convex_pair *pair, const convex_link *before,
                              const abut_convex_options *options, convex_link *link);

/* ---- reading bodies ---- */

static inline vec3 pair_turn(const convex_pair *pair, vec3 d)
{
    return rows_turn(pair->rows, d);
}

/* Converts a direction of A's frame to B's frame. */
static inline vec3 pair_turn_back(const convex_pair *pair, vec3 d)
{
    return rows_turn_back(pair->rows, d);
}

/* Converts a point of B's frame to A's frame. */
static inline vec3 pair_to_a(const convex_pair *pair, vec3 p)
{
    return vec3_add(pair_turn(pair, p), pair->shift);
}

/* Converts a point of A's frame to B's frame. */
static inline vec3 pair_to_b(const convex_pair *pair, vec3 p)
{
    return pair_turn_back(pair, vec3_sub(p, pair->shift));
}

static inline vec3 body_vertex(const convex_body *body, int32_t vertex)
{
    return vec3_scale(shape_point(body->shape, vertex), body->scale);
}

static inline vec3 body_centroid(const convex_body *body)
{
    return vec3_scale(body->shape->centroid, body->scale);
}

/* The radius by which a body is rounded. */
static inline double body_rounding(const convex_body *body)
{
    return body->shape->radius * body->scale;
}

/* The first corner of a feature, in the body's frame. */
vec3 body_point(const convex_body *body, convex_end end);

/* The vector from A's centroid to B's. */
static inline vec3 pair_centers(const convex_pair *pair)
{
    return vec3_sub(pair_to_a(pair, body_centroid(&pair->b)), body_centroid(&pair->a));
}

/* The abut_convex_status of a gap, which counts as 0 within the tolerance. */
static inline int32_t gap_status(double gap, double tolerance)
{
    if (fabs(gap) <= tolerance) {
        return ABUT_TOUCHING;
    }
    return gap > 0.0 ? ABUT_SEPARATED : ABUT_OVERLAPPING;
}

/* The pair with B as its first body. */
convex_pair pair_swapped(const convex_pair *pair);

/* The vertex of a body that is farthest along a direction of the body's frame, and its coordinate
 * along that direction. If several are equally far, it is the first of them. */
typedef struct support {
    double height;
    int32_t vertex;
} support;

support body_support(const convex_body *body, vec3 direction);

/* g(n): the distance along n from A's support to B's support along -n, and these vertices. */
typedef struct support_gap {
    double gap;
    int32_t a, b;
} support_gap;

support_gap pair_support_gap(const convex_pair *pair, vec3 n);

/* ---- from step to step ---- */

/* Writes a link as numbers, which the caller keeps until the next step. */
void link_pack(const convex_link *link, double state[ABUT_CONVEX_STATE]);

/* Reads a link that link_pack has written. Returns false if the numbers are no link of these
 * bodies; the search then begins without one. Otherwise features exist, points are finite and the
 * normal is a unit vector. Callers may have changed the numbers, so points may not be on their
 * features: project them before use. Gap and error are NaN. */
bool link_unpack(const double state[ABUT_CONVEX_STATE], const convex_pair *pair, convex_link *link);

/* Sets two unit vectors that are perpendicular to n and to each other. For polygons the first is in
 * their plane. */
static inline void pair_axes(const convex_pair *pair, vec3 n, vec3 axes[2])
{
    if (pair->a.shape->dimension == 2) {
        axes[0] = (vec3){-n.y, n.x, 0.0};
        axes[1] = (vec3){0.0, 0.0, 1.0};
        return;
    }
    /* T. Duff et al., "Building an orthonormal basis, revisited", JCGT 6 (2017) */
    const double sign = copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    axes[0] = (vec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    axes[1] = (vec3){b, sign + n.y * n.y * a, -n.y};
}

#endif
