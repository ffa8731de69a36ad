/* Pairs of convex bodies for tests, and their exact distances: all features of one body against all
 * features of the other, in long double. */
#ifndef ABUT_BODIES_H
#define ABUT_BODIES_H

#include "shapes.h"

#include "convex/pair.h"

/* ---- shapes ---- */

static inline abut_shape *hull_shape(const double *points, int count)
{
    abut_index indices[3 * 4 * MOST_POINTS];
    abut_shape *shape = NULL;
    const int triangles = find_hull(points, count, indices);
    build_shape(points, count, indices, triangles, 0.0, &shape, NULL);
    return shape;
}

/* Returns a random unit vector, uniform over the sphere. */
static inline vec3 draw_unit(void)
{
    for (;;) {
        const vec3 p = {draw_between(-1, 1), draw_between(-1, 1), draw_between(-1, 1)};
        const double length = vec3_length(p);
        if (length > 0.1 && length <= 1.0) {
            return vec3_scale(p, 1.0 / length);
        }
    }
}

/* Returns a box with these half sides. */
static inline abut_shape *box_shape(double x, double y, double z)
{
    double p[24];
    static const abut_index quads[] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    static const abut_index offsets[] = {0, 4, 8, 12, 16, 20, 24};
    for (int k = 0; k < 8; k++) {
        vec3_store(p + 3 * k, (vec3){k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z});
    }
    return shape_of(3, 8, p, 6, quads, offsets, 0.0);
}

/* Returns a regular polygon about the origin, turned by an angle. */
static inline abut_shape *polygon_shape(int count, double radius, double turn)
{
    double p[2 * MOST_POINTS];
    abut_index indices[2 * MOST_POINTS], offsets[MOST_POINTS + 1];
    for (int k = 0; k < count; k++) {
        p[2 * k] = radius * cos(turn + 2.0 * PI * k / count);
        p[2 * k + 1] = radius * sin(turn + 2.0 * PI * k / count);
        indices[2 * k] = k, indices[2 * k + 1] = (k + 1) % count;
        offsets[k] = 2 * k;
    }
    offsets[count] = 2 * count;
    return shape_of(2, count, p, count, indices, offsets, 0.0);
}

/* Returns the hull of random points on an ellipsoid. */
static inline abut_shape *random_shape(int count, vec3 axes)
{
    double p[3 * MOST_POINTS];
    for (int k = 0; k < count; k++) {
        const vec3 u = draw_unit();
        vec3_store(p + 3 * k, (vec3){u.x * axes.x, u.y * axes.y, u.z * axes.z});
    }
    return hull_shape(p, count);
}

/* ---- pairs ---- */

static inline double body_reach(const convex_body *body)
{
    double most = 0.0;
    for (int32_t v = 0; v < body->shape->vertex_count; v++) {
        most = larger(most, vec3_length(body_vertex(body, v)));
    }
    return most;
}

/* Returns a pair in which B is turned by an angle about an axis, then shifted. */
static inline convex_pair pair_of(convex_body a, convex_body b, vec3 axis, double angle, vec3 shift)
{
    const double c = cos(angle), s = sin(angle), d = 1.0 - c;
    const vec3 u = vec3_scale(axis, 1.0 / vec3_length(axis));
    convex_pair pair = {.a = a, .b = b, .shift = shift};
    pair.rows[0] = (vec3){c + d * u.x * u.x, d * u.x * u.y - s * u.z, d * u.x * u.z + s * u.y};
    pair.rows[1] = (vec3){d * u.x * u.y + s * u.z, c + d * u.y * u.y, d * u.y * u.z - s * u.x};
    pair.rows[2] = (vec3){d * u.x * u.z - s * u.y, d * u.y * u.z + s * u.x, c + d * u.z * u.z};
    pair.size = body_reach(&a) + body_reach(&b);
    pair.tolerance = 1e-11 * pair.size;
    return pair;
}

/* Returns a pair of unscaled shapes, B turned by an angle about an axis, then shifted. */
static inline convex_pair make_pair(const abut_shape *a, const abut_shape *b, vec3 axis,
                                    double angle, vec3 shift)
{
    return pair_of((convex_body){a, 1.0}, (convex_body){b, 1.0}, axis, angle, shift);
}

/* Returns a pair with B turned and shifted at random, by a distance from `low` to `high`. Numbers
 * are drawn in separate statements, because compilers evaluate arguments in any order. */
static inline convex_pair draw_placed(convex_body a, convex_body b, double low, double high)
{
    const vec3 axis = draw_unit();
    const double angle = draw_between(0, 6);
    const vec3 way = draw_unit();
    return pair_of(a, b, axis, angle, vec3_scale(way, draw_between(low, high)));
}

enum { MOST_SIDES = 32 };

/* Returns a right prism over a regular polygon, or over given counter-clockwise corners x, y. */
static inline abut_shape *build_prism(int sides, const double *corners, double height)
{
    double vertices[6 * MOST_SIDES];
    abut_index indices[6 * MOST_SIDES], offsets[MOST_SIDES + 3] = {0};
    for (int k = 0; k < sides; k++) {
        const int next = (k + 1) % sides;
        vec3_store(vertices + 3 * k, (vec3){corners[2 * k], corners[2 * k + 1], -0.5 * height});
        vec3_store(vertices + 3 * (sides + k),
                   (vec3){corners[2 * k], corners[2 * k + 1], 0.5 * height});
        indices[k] = sides - 1 - k, indices[sides + k] = sides + k;
        const abut_index side[4] = {k, next, sides + next, sides + k};
        memcpy(indices + 2 * sides + 4 * k, side, sizeof side);
        offsets[k + 3] = 2 * sides + 4 * (k + 1);
    }
    offsets[1] = sides, offsets[2] = 2 * sides;
    return shape_of(3, 2 * sides, vertices, sides + 2, indices, offsets, 0.0);
}

static inline vec3 draw_vector(double size)
{
    const double x = draw_number(), y = draw_number(), z = draw_number();
    return vec3_scale((vec3){2.0 * x - 1.0, 2.0 * y - 1.0, 2.0 * z - 1.0}, size);
}

/* ---- exact distances ---- */

typedef struct real3 {
    long double x, y, z;
} real3;

static inline real3 real_sub(real3 a, real3 b)
{
    return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline real3 real_add(real3 a, real3 b, long double s)
{
    return (real3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline long double real_dot(real3 a, real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline real3 real_cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The vertices of both bodies in A's frame. */
typedef struct truth {
    const abut_shape *shapes[2];
    real3 points[2][MOST_POINTS];
    long double gap; /* the largest support gap of all normals tried */
    long double distance;
} truth;

static inline real3 real_of(vec3 a)
{
    return (real3){a.x, a.y, a.z};
}

static inline void truth_read(truth *t, const convex_pair *pair)
{
    t->shapes[0] = pair->a.shape, t->shapes[1] = pair->b.shape;
    t->gap = -INFINITY, t->distance = INFINITY;
    for (int32_t v = 0; v < pair->a.shape->vertex_count; v++) {
        t->points[0][v] = real_of(body_vertex(&pair->a, v));
    }
    for (int32_t v = 0; v < pair->b.shape->vertex_count; v++) {
        const real3 p = real_of(body_vertex(&pair->b, v));
        t->points[1][v] = (real3){real_dot(real_of(pair->rows[0]), p) + pair->shift.x,
                                  real_dot(real_of(pair->rows[1]), p) + pair->shift.y,
                                  real_dot(real_of(pair->rows[2]), p) + pair->shift.z};
    }
}

static inline long double truth_support(const truth *t, int body, real3 n, int sign)
{
    long double most = -INFINITY;
    for (int32_t v = 0; v < t->shapes[body]->vertex_count; v++) {
        most = fmaxl(most, sign * real_dot(n, t->points[body][v]));
    }
    return most;
}

/* Tries the gaps along n and -n; n may have any length. */
static inline void truth_try(truth *t, real3 n)
{
    const long double length = sqrtl(real_dot(n, n));
    if (length > 0.0L) {
        const long double along = -truth_support(t, 1, n, -1) - truth_support(t, 0, n, 1);
        const long double back = -truth_support(t, 1, n, 1) - truth_support(t, 0, n, -1);
        t->gap = fmaxl(t->gap, fmaxl(along, back) / length);
    }
}

/* Returns the number of a body's segments: its edges, or the sides of a polygon. */
static inline int truth_segments(const abut_shape *s)
{
    return s->dimension == 3 ? s->edge_count : s->facet_count;
}

static inline void truth_segment(const truth *t, int body, int k, real3 *from, real3 *to)
{
    const abut_shape *s = t->shapes[body];
    const shape_corner *c = s->dimension == 2 ? &s->corners[s->facets[k].begin] : NULL;
    *from = t->points[body][c ? c[0].vertex : s->edges[k].vertices[0]];
    *to = t->points[body][c ? c[1].vertex : s->edges[k].vertices[1]];
}

static inline real3 truth_facet_normal(const truth *t, int body, int facet)
{
    const abut_shape *s = t->shapes[body];
    const shape_corner *c = &s->corners[s->facets[facet].begin];
    const real3 u = real_sub(t->points[body][c[1].vertex], t->points[body][c[0].vertex]);
    if (s->dimension == 2) {
        return (real3){u.y, -u.x, 0.0L};
    }
    return real_cross(u, real_sub(t->points[body][c[2].vertex], t->points[body][c[0].vertex]));
}

static inline void truth_segment_pair(truth *t, int k, int m)
{
    real3 a, a_end, b, b_end;
    truth_segment(t, 0, k, &a, &a_end), truth_segment(t, 1, m, &b, &b_end);
    const real3 u = real_sub(a_end, a), v = real_sub(b_end, b), w = real_sub(b, a);
    const real3 n = real_cross(u, v);
    const long double square = real_dot(n, n);
    if (square <= 1e-26L * real_dot(u, u) * real_dot(v, v)) {
        return; /* parallel segments: their ends are tried elsewhere */
    }
    if (t->shapes[0]->dimension == 3) {
        truth_try(t, n); /* perpendicular to a polygon's plane, where all gaps are 0 */
    }
    const long double x = real_dot(real_cross(w, v), n) / square;
    const long double y = real_dot(real_cross(w, u), n) / square;
    if (x >= 0.0L && x <= 1.0L && y >= 0.0L && y <= 1.0L) {
        const real3 d = real_sub(real_add(b, v, y), real_add(a, u, x));
        t->distance = fminl(t->distance, sqrtl(real_dot(d, d)));
    }
}

/* Returns whether a point is over a facet: inside all planes through its sides along its normal. */
static inline int truth_is_over(const truth *t, int body, int facet, real3 n, real3 p)
{
    const abut_shape *s = t->shapes[body];
    const shape_facet *f = &s->facets[facet];
    for (int32_t k = 0; k < f->count; k++) {
        const real3 from = t->points[body][s->corners[f->begin + k].vertex];
        const real3 to = t->points[body][s->corners[f->begin + (k + 1) % f->count].vertex];
        if (real_dot(real_cross(n, real_sub(to, from)), real_sub(p, from)) < 0.0L) {
            return 0;
        }
    }
    return 1;
}

/* Tries every vertex of one body against a facet of the other. */
static inline void truth_facet(truth *t, int body, int other, int facet)
{
    const abut_shape *s = t->shapes[body];
    const real3 n = truth_facet_normal(t, body, facet);
    const real3 corner = t->points[body][s->corners[s->facets[facet].begin].vertex];
    truth_try(t, n);
    for (int32_t v = 0; v < t->shapes[other]->vertex_count && s->dimension == 3; v++) {
        const real3 p = t->points[other][v];
        if (truth_is_over(t, body, facet, n, p)) {
            const long double height = real_dot(n, real_sub(p, corner)) / sqrtl(real_dot(n, n));
            t->distance = fminl(t->distance, fabsl(height));
        }
    }
}

/* Tries every vertex of one body against every segment and facet of the other. */
static inline void truth_vertices(truth *t, int body, int other)
{
    for (int k = 0; k < truth_segments(t->shapes[body]); k++) {
        real3 from, to;
        truth_segment(t, body, k, &from, &to);
        const real3 u = real_sub(to, from);
        for (int32_t v = 0; v < t->shapes[other]->vertex_count; v++) {
            const real3 p = t->points[other][v];
            const long double at = real_dot(u, real_sub(p, from)) / real_dot(u, u);
            const real3 d = real_sub(p, real_add(from, u, fminl(1.0L, fmaxl(0.0L, at))));
            t->distance = fminl(t->distance, sqrtl(real_dot(d, d)));
        }
    }
    for (int32_t f = 0; f < t->shapes[body]->facet_count; f++) {
        truth_facet(t, body, other, f);
    }
}

/* Returns the distance of separate bodies, or the negative penetration depth. */
static inline double true_gap(const convex_pair *pair)
{
    truth t;
    truth_read(&t, pair);
    truth_vertices(&t, 0, 1), truth_vertices(&t, 1, 0);
    for (int k = 0; k < truth_segments(t.shapes[0]); k++) {
        for (int m = 0; m < truth_segments(t.shapes[1]); m++) {
            truth_segment_pair(&t, k, m);
        }
    }
    return (double)(t.gap <= 0.0L ? t.gap : t.distance);
}

#endif
