/* Nodal weights that preserve the moment. Section 4 of docs/method.md has the equations and names
 * the paper that numbers them.
 *
 * On an edge they are eq. 30, on a vertex 1. Inside they follow from areas in the plane. An area of
 * a sliver is a difference of nearly equal products, so rounding would make it inexact. A weight
 * with an error of 1e-9 moves the force by that part of the sliver's length. So the facet is
 * projected along the axis where its normal is largest. This changes no ratio of areas and rounds
 * nothing. The rounding errors of differences and products are added to each area. */
#include "weights.h"

typedef struct vec2 {
    double x, y;
} vec2;

/* A facet's plane seen without one coordinate; x and y are the axes of the other two: 0, 1 or 2. */
typedef struct plane_view {
    const double *vertices;
    int x, y;
} plane_view;

/* Drops the coordinate along which the normal is largest. */
static plane_view view_along(const abut_mesh *mesh, vec3 normal)
{
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    if (x >= y && x >= z) {
        return (plane_view){mesh->vertices, 1, 2};
    }
    return y >= z ? (plane_view){mesh->vertices, 2, 0} : (plane_view){mesh->vertices, 0, 1};
}

static vec2 view_point(plane_view v, vec3 p)
{
    double coordinates[3] = {p.x, p.y, p.z};
    return (vec2){coordinates[v.x], coordinates[v.y]};
}

static vec2 view_node(plane_view v, abut_index node)
{
    return (vec2){v.vertices[3 * node + v.x], v.vertices[3 * node + v.y]};
}

/* The rounding error of a - b (Knuth's two-sum). */
static double difference_error(double a, double b, double difference)
{
    double b_seen = a - difference, a_seen = difference + b_seen;
    return (a - a_seen) + (b_seen - b);
}

/* Twice the signed area of the triangle a, b, c, exact to a few units in the last place however
 * thin it is. Plain arithmetic is enough if fewer than four bits cancel. */
static double area(vec2 a, vec2 b, vec2 c)
{
    double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - a.x, vy = c.y - a.y;
    double first = ux * vy, second = uy * vx;
    if (16.0 * fabs(first - second) > fabs(first) + fabs(second)) {
        return first - second;
    }
    double ux_error = difference_error(b.x, a.x, ux), uy_error = difference_error(b.y, a.y, uy);
    double vx_error = difference_error(c.x, a.x, vx), vy_error = difference_error(c.y, a.y, vy);
    double correction = (ux_error * vy + ux * vy_error) - (uy_error * vx + uy * vx_error);
    return difference_of_products(ux, vy, uy, vx) + correction;
}

/* A polygon's corners and its contact point, projected. */
typedef struct outline {
    plane_view view;
    const abut_index *nodes;
    abut_index count;
    vec2 point;  /* the contact point */
    double sign; /* makes areas inside positive */
} outline;

static vec2 outline_corner(const outline *o, abut_index i)
{
    return view_node(o->view, o->nodes[i < o->count ? i : i - o->count]);
}

/* A_k: twice the area of the triangle of the contact point and edge k. */
static double edge_area(const outline *o, abut_index k)
{
    return o->sign * area(o->point, outline_corner(o, k), outline_corner(o, k + 1));
}

/* Twice the area of the triangle of corner k and its neighbors. */
static double corner_area(const outline *o, abut_index k)
{
    vec2 before = outline_corner(o, k > 0 ? k - 1 : o->count - 1);
    return o->sign * area(before, outline_corner(o, k), outline_corner(o, k + 1));
}

/* ---- on the border ---- */

/* Position of the point on the segment from a to b that is closest to p, 0 ... 1. */
static double along_segment(vec2 p, vec2 a, vec2 b)
{
    double x = b.x - a.x, y = b.y - a.y;
    double length_sq = x * x + y * y;
    double along = length_sq > 0.0 ? ((p.x - a.x) * x + (p.y - a.y) * y) / length_sq : 0.0;
    return along < 0.0 ? 0.0 : (along > 1.0 ? 1.0 : along);
}

static double distance_sq_to_segment(vec2 p, vec2 a, vec2 b)
{
    double along = along_segment(p, a, b);
    double x = a.x + along * (b.x - a.x) - p.x, y = a.y + along * (b.y - a.y) - p.y;
    return x * x + y * y;
}

/* Sets the weights of a point on the border, or past it by rounding: those of the nearest edge. */
static void fill_border(const outline *o, double *weights)
{
    abut_index border = 0;
    double nearest = INFINITY;
    for (abut_index k = 0; k < o->count; k++) {
        double distance_sq =
            distance_sq_to_segment(o->point, outline_corner(o, k), outline_corner(o, k + 1));
        if (distance_sq < nearest) {
            nearest = distance_sq;
            border = k;
        }
    }
    for (abut_index i = 0; i < o->count; i++) {
        weights[i] = 0.0;
    }
    double along =
        along_segment(o->point, outline_corner(o, border), outline_corner(o, border + 1));
    weights[border] = 1.0 - along;
    weights[border + 1 < o->count ? border + 1 : 0] = along;
}

/* ---- inside: `weights` has the areas A_k first, then weights that are not yet normalized ---- */

/* Eq. 26: N_i is the area of the triangle of the point and the edge opposite to corner i. */
static void barycentric(double *weights)
{
    double first = weights[0];
    weights[0] = weights[1];
    weights[1] = weights[2];
    weights[2] = first;
}

/* Eq. 32 in its area form (docs/method.md, section 4), divided by the product of all A_k, which are
 * positive inside: w_i = A(v_i-1, v_i, v_i+1) / (A_i-1 A_i). In a polygon no higher than its noise,
 * a corner may be reflex; its weight is 0. */
static void wachspress(const outline *o, double *weights)
{
    double before = weights[o->count - 1];
    double scale = before; /* a common factor against overflow; normalizing removes it */
    for (abut_index i = 0; i < o->count; i++) {
        double after = weights[i], corner = corner_area(o, i);
        weights[i] = corner > 0.0 ? corner / before * (scale / after) : 0.0;
        before = after;
    }
}

/* Eq. 28: N_i = A_i+1 A_i+2 / ((A_1 + A_3)(A_2 + A_4)). Normalizing divides by the denominator. */
static void zhong(double *weights)
{
    double areas[4] = {weights[0], weights[1], weights[2], weights[3]};
    double whole = areas[0] + areas[1] + areas[2] + areas[3]; /* against underflow */
    for (int i = 0; i < 4; i++) {
        weights[i] = areas[(i + 1) % 4] * (areas[(i + 2) % 4] / whole);
    }
}

/* Divides the weights by their sum. Then adds the rounding error, 1 minus all weights, to the
 * largest weight. Far from the origin, an error in the last digit of the sum would move the force
 * by several units in the last place of the coordinates. */
static void normalize(double *weights, abut_index count)
{
    double sum = 0.0, remaining = 1.0, lost = 0.0;
    abut_index largest = 0;
    for (abut_index i = 0; i < count; i++) {
        sum += weights[i];
    }
    for (abut_index i = 0; i < count; i++) {
        weights[i] /= sum;
        double left = remaining - weights[i];
        lost += difference_error(remaining, weights[i], left);
        remaining = left;
        largest = weights[i] > weights[largest] ? i : largest;
    }
    weights[largest] += remaining + lost;
}

/* Sets the weights of an outline's corners for its contact point. */
static void fill_outline(const outline *o, abut_weights kind, double *weights)
{
    bool inside = true;
    for (abut_index k = 0; k < o->count; k++) {
        weights[k] = edge_area(o, k);
        inside = inside && weights[k] > 0.0;
    }
    if (!inside) {
        fill_border(o, weights);
        return;
    }
    if (o->count == 3) {
        barycentric(weights);
    } else if (kind == ABUT_ZHONG) {
        zhong(weights);
    } else {
        wachspress(o, weights);
    }
    normalize(weights, o->count);
}

static outline make_outline(const abut_mesh *mesh, vec3 normal, vec3 point, const abut_index *nodes,
                            abut_index count)
{
    plane_view view = view_along(mesh, normal);
    double components[3] = {normal.x, normal.y, normal.z};
    double sign = components[3 - view.x - view.y] < 0.0 ? -1.0 : 1.0;
    return (outline){view, nodes, count, view_point(view, point), sign};
}

/* ---- the three types of contact ---- */

/* A bent polygon acts as its fan: a force acts only on the corners of the triangle with the
 * point. */
static void fill_bent(const abut_mesh *mesh, const force_point *at, abut_weights kind,
                      const abut_index *nodes, double *weights)
{
    const triangle *t = mesh->triangles + at->triangle;
    abut_index corners[3];
    double parts[3];
    for (int i = 0; i < 3; i++) {
        corners[i] = nodes[triangle_corner_number(t, i)];
    }
    outline o = make_outline(mesh, t->normal, at->point, corners, 3);
    fill_outline(&o, kind, parts);
    for (abut_index i = 0; i < mesh->kept[at->facet]; i++) {
        weights[i] = 0.0;
    }
    for (int i = 0; i < 3; i++) {
        weights[triangle_corner_number(t, i)] = parts[i];
    }
}

static void fill_facet(const abut_mesh *mesh, const force_point *at, abut_weights kind,
                       const abut_index *nodes, abut_index count, double *weights)
{
    if (mesh->bent[at->facet] && kind == ABUT_WACHSPRESS) {
        fill_bent(mesh, at, kind, nodes, weights);
        return;
    }
    vec3 normal = vec3_load(mesh->normals + 3 * (abut_index)at->facet);
    outline o = make_outline(mesh, normal, at->point, nodes, count);
    fill_outline(&o, kind, weights);
}

/* ---- nodes ---- */

static abut_index list_corners(const abut_mesh *mesh, abut_index facet, abut_index *nodes)
{
    const polygon p = mesh_polygon(mesh, facet);
    const uint8_t *flat = mesh->flat + mesh->offsets[facet];
    abut_index count = 0;
    for (abut_index i = 0; i < p.count; i++) {
        if (!flat[i]) {
            nodes[count++] = p.indices[i];
        }
    }
    return count;
}

abut_index weights_list_nodes(const abut_mesh *mesh, abut_index facet, abut_type type,
                              abut_index feature, abut_index *nodes)
{
    const polygon p = mesh_polygon(mesh, facet);
    switch (type) {
    case ABUT_FACET:
        return list_corners(mesh, facet, nodes);
    case ABUT_EDGE:
        nodes[0] = p.indices[feature];
        nodes[1] = p.indices[feature + 1 < p.count ? feature + 1 : 0];
        return 2;
    case ABUT_VERTEX:
        break;
    }
    nodes[0] = p.indices[feature];
    return 1;
}

void weights_fill(const abut_mesh *mesh, const force_point *at, abut_weights kind,
                  abut_index *nodes, double *weights)
{
    const abut_type type = (abut_type)at->type;
    const abut_index count = weights_list_nodes(mesh, at->facet, type, at->feature, nodes);
    switch (type) {
    case ABUT_FACET:
        fill_facet(mesh, at, kind, nodes, count, weights);
        break;
    case ABUT_EDGE: /* eq. 30 */
        weights[0] = 1.0 - at->along;
        weights[1] = at->along;
        break;
    case ABUT_VERTEX:
        weights[0] = 1.0;
        break;
    }
}
