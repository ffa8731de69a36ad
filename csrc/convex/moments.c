#include "moments.h"

#include "../base/rounded.h"

/* ---- sums ---- */

/* Adds factor (a b' + b a') / 2. */
static void add_product(matrix3 *m, double factor, vec3 a, vec3 b)
{
    m->xx += factor * a.x * b.x;
    m->yy += factor * a.y * b.y;
    m->zz += factor * a.z * b.z;
    m->xy += 0.5 * factor * (a.x * b.y + a.y * b.x);
    m->xz += 0.5 * factor * (a.x * b.z + a.z * b.x);
    m->yz += 0.5 * factor * (a.y * b.z + a.z * b.y);
}

static void add_matrix(matrix3 *m, double factor, const matrix3 *a)
{
    m->xx += factor * a->xx;
    m->yy += factor * a->yy;
    m->zz += factor * a->zz;
    m->xy += factor * a->xy;
    m->xz += factor * a->xz;
    m->yz += factor * a->yz;
}

static void add_vector(vec3 *to, double factor, vec3 a)
{
    *to = vec3_add(*to, vec3_scale(a, factor));
}

moments moments_add(moments a, moments b)
{
    a.mass += b.mass;
    add_vector(&a.first, 1.0, b.first);
    add_matrix(&a.second, 1.0, &b.second);
    return a;
}

/* ---- facets ---- */

static vec3 corner_at(const abut_shape *s, const shape_facet *f, int32_t k, vec3 about)
{
    return vec3_sub(shape_point(s, s->corners[f->begin + k].vertex), about);
}

/* Adds the moments of a segment from a to b with this mass. */
static void add_segment(moments *m, double mass, vec3 a, vec3 b)
{
    const vec3 middle = vec3_scale(vec3_add(a, b), 0.5), along = vec3_sub(b, a);
    m->mass += mass;
    add_vector(&m->first, mass, middle);
    add_product(&m->second, mass, middle, middle);
    add_product(&m->second, mass / 12.0, along, along);
}

static void add_triangle(moments *m, double area, const vec3 corners[3])
{
    const vec3 sum = vec3_add(corners[0], vec3_add(corners[1], corners[2]));
    m->mass += area;
    add_vector(&m->first, area / 3.0, sum);
    add_product(&m->second, area / 12.0, sum, sum);
    for (int k = 0; k < 3; k++) {
        add_product(&m->second, area / 12.0, corners[k], corners[k]);
    }
}

/* The moments of a facet as a plate without thickness, or of a polygon's side as a line. */
static moments facet_moments(const abut_shape *s, const shape_facet *f, vec3 about)
{
    moments m = {0};
    vec3 corners[3] = {corner_at(s, f, 0, about), corner_at(s, f, 1, about)};
    if (s->dimension == 2) {
        add_segment(&m, vec3_length(vec3_sub(corners[1], corners[0])), corners[0], corners[1]);
        return m;
    }
    for (int32_t k = 2; k < f->count; k++) {
        corners[2] = corner_at(s, f, k, about);
        const vec3 area =
            vec3_cross_exact(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0]));
        add_triangle(&m, 0.5 * vec3_dot(area, f->normal), corners);
        corners[1] = corners[2];
    }
    return m;
}

/* Adds the moments of the pyramid over a facet, with its tip at x = 0. */
static void add_pyramid(moments *m, const moments *facet, double height, int dimension)
{
    m->mass += height * facet->mass / dimension;
    add_vector(&m->first, height / (dimension + 1), facet->first);
    add_matrix(&m->second, height / (dimension + 2), &facet->second);
}

/* Adds the moments of the prism between a facet and the same facet moved outward by the radius. */
static void add_prism(moments *m, const moments *facet, vec3 normal, double radius)
{
    m->mass += radius * facet->mass;
    add_vector(&m->first, radius, facet->first);
    add_vector(&m->first, 0.5 * radius * radius * facet->mass, normal);
    add_matrix(&m->second, radius, &facet->second);
    add_product(&m->second, radius * radius, facet->first, normal);
    add_product(&m->second, radius * radius * radius / 3.0 * facet->mass, normal, normal);
}

/* ---- arcs of normals ---- */

/* The arc of unit vectors from one normal to another, counter-clockwise about an axis. `middle` is
 * the unit vector to the middle of the arc. `side` is the unit vector perpendicular to `middle` in
 * the arc's plane. */
typedef struct arc {
    double angle; /* in radians */
    vec3 middle, side;
} arc;

static vec3 unit(vec3 a)
{
    return vec3_scale(a, 1.0 / vec3_length(a));
}

/* Computes `middle` from the sum of both normals, or `side` from their difference if the normals
 * are 90 degrees or more apart. The sum vanishes for opposite normals, the difference for equal
 * ones. */
static arc arc_between(vec3 from, vec3 to, vec3 axis)
{
    const double cosine = vec3_dot(from, to);
    const double sine = vec3_dot(vec3_cross(from, to), axis);
    arc a = {.angle = rounded_atan2(sine, cosine)};
    if (cosine > 0.0) {
        a.middle = unit(vec3_add(from, to));
        a.side = vec3_cross(axis, a.middle);
    } else {
        a.side = unit(vec3_sub(to, from));
        a.middle = vec3_cross(a.side, axis);
    }
    return a;
}

/* The integral of the arc's unit vectors u along it. */
static vec3 arc_first(const arc *a)
{
    return vec3_scale(a->middle, 2.0 * rounded_sin(0.5 * a->angle));
}

/* Adds `factor` times the integral of u u' along the arc. */
static void add_arc_second(matrix3 *m, double factor, const arc *a)
{
    const double half = 0.5 * a->angle, swing = 0.5 * rounded_sin(a->angle);
    add_product(m, factor * (half + swing), a->middle, a->middle);
    add_product(m, factor * (half - swing), a->side, a->side);
}

static const vec3 OUT_OF_PLANE = {0.0, 0.0, 1.0};

static arc edge_arc(const abut_shape *s, int32_t edge)
{
    const shape_edge *e = &s->edges[edge];
    return arc_between(s->facets[e->facets[0]].normal, s->facets[e->facets[1]].normal,
                       e->direction);
}

static arc polygon_arc(const abut_shape *s, int32_t vertex)
{
    const shape_vertex *v = &s->vertices[vertex];
    if (v->facet_count == 0) {
        return (arc){2.0 * PI, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    }
    /* facets[0] is the side that begins at the vertex, facets[1] the side that ends there */
    const int32_t *facets = s->facets_at + v->first_facet;
    return arc_between(s->facets[facets[1]].normal, s->facets[facets[0]].normal, OUT_OF_PLANE);
}

/* ---- edges ---- */

/* Adds the moments of the sector of a cylinder about an edge. */
static void add_edge(moments *m, const abut_shape *s, int32_t edge, vec3 about)
{
    const shape_edge *e = &s->edges[edge];
    const vec3 from = vec3_sub(shape_point(s, e->vertices[0]), about);
    const vec3 to = vec3_sub(shape_point(s, e->vertices[1]), about);
    const vec3 middle = vec3_scale(vec3_add(from, to), 0.5);
    const arc a = edge_arc(s, edge);
    const double r = s->radius, cubed = r * r * r / 3.0;
    add_segment(m, 0.5 * r * r * a.angle * e->length, from, to);
    add_vector(&m->first, e->length * cubed, arc_first(&a));
    add_product(&m->second, 2.0 * e->length * cubed, middle, arc_first(&a));
    add_arc_second(&m->second, 0.25 * r * r * r * r * e->length, &a);
}

/* ---- vertices ---- */

/* Integrals of 1, u and u u' over the unit vectors u of a vertex's piece of the sphere. The piece
 * of a polyhedron's vertex is a polygon of arcs, one for each edge. Let b be the unit normal of
 * an arc's plane, towards the inside of the piece, and a the integral of u along the arc. Stokes'
 * theorem gives sums over the arcs:
 *
 *    solid angle = 2 pi - angles of the facets at the vertex;
 *    integral u = sum angle b / 2;
 *    integral u u' = (solid angle I + sum (a b' + b a') / 2) / 3. */
static moments polyhedron_directions(const abut_shape *s, int32_t vertex)
{
    const shape_vertex *v = &s->vertices[vertex];
    const vec3 at = shape_point(s, vertex);
    moments m = {.mass = v->edge_count > 0 ? 2.0 * PI : 4.0 * PI};
    for (int32_t k = 0; k < v->edge_count; k++) {
        const int32_t next = k + 1 < v->edge_count ? k + 1 : 0;
        const int32_t *neighbors = s->neighbors + v->first_edge;
        const vec3 out = unit(vec3_sub(shape_point(s, neighbors[k]), at));
        const vec3 after = unit(vec3_sub(shape_point(s, neighbors[next]), at));
        const arc a = edge_arc(s, s->edges_at[v->first_edge + k]);
        m.mass -= rounded_atan2(vec3_length(vec3_cross(out, after)), vec3_dot(out, after));
        add_vector(&m.first, -0.5 * a.angle, out);
        add_product(&m.second, -1.0 / 3.0, out, arc_first(&a));
    }
    const matrix3 one = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    add_matrix(&m.second, m.mass / 3.0, &one);
    return m;
}

static moments polygon_directions(const abut_shape *s, int32_t vertex)
{
    const arc a = polygon_arc(s, vertex);
    moments m = {.mass = a.angle, .first = arc_first(&a)};
    add_arc_second(&m.second, 1.0, &a);
    return m;
}

/* Adds the moments of a vertex's piece of a sphere: directions u at distances up to the radius. */
static void add_vertex(moments *m, const abut_shape *s, int32_t vertex, vec3 about)
{
    const moments u =
        s->dimension == 3 ? polyhedron_directions(s, vertex) : polygon_directions(s, vertex);
    const int d = s->dimension;
    const vec3 at = vec3_sub(shape_point(s, vertex), about);
    const double r = s->radius, power = d == 3 ? r * r * r : r * r;
    m->mass += power / d * u.mass;
    add_vector(&m->first, power / d * u.mass, at);
    add_vector(&m->first, power * r / (d + 1), u.first);
    add_product(&m->second, power / d * u.mass, at, at);
    add_product(&m->second, 2.0 * power * r / (d + 1), at, u.first);
    add_matrix(&m->second, power * r * r / (d + 2), &u.second);
}

/* ---- bodies ---- */

moments moments_of_core(const abut_shape *s, vec3 about)
{
    moments m = {0};
    for (int32_t f = 0; f < s->facet_count; f++) {
        const moments facet = facet_moments(s, &s->facets[f], about);
        const vec3 corner = corner_at(s, &s->facets[f], 0, about);
        add_pyramid(&m, &facet, vec3_dot(s->facets[f].normal, corner), s->dimension);
    }
    return m;
}

moments moments_of_rounding(const abut_shape *s, vec3 about)
{
    moments m = {0};
    for (int32_t f = 0; f < s->facet_count; f++) {
        const moments facet = facet_moments(s, &s->facets[f], about);
        add_prism(&m, &facet, s->facets[f].normal, s->radius);
    }
    for (int32_t e = 0; e < s->edge_count; e++) {
        add_edge(&m, s, e, about);
    }
    for (int32_t v = 0; v < s->vertex_count; v++) {
        add_vertex(&m, s, v, about);
    }
    return m;
}

vec3 moments_center(const moments *m)
{
    return m->mass > 0.0 ? vec3_scale(m->first, 1.0 / m->mass) : (vec3){0.0, 0.0, 0.0};
}

void moments_inertia(const moments *m, int dimension, double inertia[9])
{
    const vec3 center = moments_center(m);
    matrix3 s = m->second;
    add_product(&s, -m->mass, center, center);
    const double rows[9] = {s.yy + s.zz, -s.xy, -s.xz, -s.xy,      s.xx + s.zz,
                            -s.yz,       -s.xz, -s.yz, s.xx + s.yy};
    for (int k = 0; k < 9; k++) {
        inertia[k] = dimension == 3 ? rows[k] : 0.0;
    }
    if (dimension == 2) {
        inertia[0] = s.xx + s.yy;
    }
}
