/* One facet: its shape, its fan of triangles, and the closest point on a triangle. */
#include "facet.h"

#include <float.h>

#include "../base/error.h"
#include "tolerance.h"

/* The longest diagonal is searched from at most this many corners. These are all corners of a usual
 * polygon. For a polygon with 1e5 corners they limit the time. */
enum { DIAGONAL_STARTS = 32 };

static const int NEXT[3] = {1, 2, 0};

/* ---- shape ---- */

static double vec3_norm(vec3 a)
{
    /* scaled, so that products of tiny or huge coordinates neither vanish nor overflow */
    double largest = vec3_max_abs(a);
    return largest == 0.0 ? 0.0 : largest * sqrt(vec3_norm_sq(vec3_scale(a, 1.0 / largest)));
}

static vec3 vec3_unit(vec3 a)
{
    double largest = vec3_max_abs(a);
    if (largest < DBL_MIN) {
        return (vec3){0.0, 0.0, 0.0};
    }
    vec3 b = vec3_scale(a, 1.0 / largest);
    return vec3_scale(b, 1.0 / sqrt(vec3_norm_sq(b)));
}

static abut_index polygon_wrap(const polygon *p, abut_index i)
{
    return i < p->count ? i : i - p->count;
}

/* The lexicographically smallest corner; if neighbors coincide there, the first of them. */
static abut_index smallest_corner(const polygon *p)
{
    abut_index smallest = 0;
    for (abut_index i = 1; i < p->count; i++) {
        if (vec3_compare(polygon_corner(p, i), polygon_corner(p, smallest)) < 0) {
            smallest = i;
        }
    }
    if (smallest == 0) {
        for (abut_index i = p->count - 1; i > 0; i--) {
            if (vec3_compare(polygon_corner(p, i), polygon_corner(p, 0)) != 0) {
                break;
            }
            smallest = i;
        }
    }
    return smallest;
}

/* Twice the area as a vector along the normal (Newell). Coordinates are taken relative to the start
 * corner, so that few digits are lost. */
static vec3 area_vector(const polygon *p, abut_index start)
{
    vec3 origin = polygon_corner(p, start), sum = {0.0, 0.0, 0.0};
    for (abut_index k = 1; k + 1 < p->count; k++) {
        vec3 a = vec3_sub(polygon_corner(p, polygon_wrap(p, start + k)), origin);
        vec3 b = vec3_sub(polygon_corner(p, polygon_wrap(p, start + k + 1)), origin);
        sum = vec3_add(sum, vec3_cross_exact(a, b));
    }
    return sum;
}

static double longest_edge(const polygon *p)
{
    double longest = 0.0;
    for (abut_index i = 0; i < p->count; i++) {
        vec3 edge = vec3_sub(polygon_corner(p, polygon_wrap(p, i + 1)), polygon_corner(p, i));
        double length = vec3_norm(edge);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static double longest_diagonal(const polygon *p)
{
    if (p->count == 3) {
        return longest_edge(p);
    }
    abut_index stride = (p->count + DIAGONAL_STARTS - 1) / DIAGONAL_STARTS;
    double longest = 0.0;
    for (abut_index i = 0; i < p->count; i += stride) {
        for (abut_index j = 0; j < p->count; j++) {
            double length = vec3_norm(vec3_sub(polygon_corner(p, j), polygon_corner(p, i)));
            longest = length > longest ? length : longest;
        }
    }
    return longest;
}

/* Sets off_plane, the largest distance of a corner from the mean plane, and off_plane_corner. */
static void measure_off_plane(const polygon *p, facet_shape *shape)
{
    vec3 origin = polygon_corner(p, shape->start);
    double mean = 0.0;
    for (abut_index i = 0; i < p->count; i++) {
        mean += vec3_dot(shape->normal, vec3_sub(polygon_corner(p, i), origin)) / (double)p->count;
    }
    for (abut_index i = 0; i < p->count; i++) {
        double height = vec3_dot(shape->normal, vec3_sub(polygon_corner(p, i), origin)) - mean;
        if (fabs(height) > shape->off_plane) {
            shape->off_plane = fabs(height);
            shape->off_plane_corner = i;
        }
    }
}

facet_shape facet_measure(const polygon *p)
{
    facet_shape shape = {.start = smallest_corner(p)};
    vec3 area = area_vector(p, shape.start);
    shape.normal = vec3_one_zero(vec3_unit(area));
    shape.area = 0.5 * vec3_norm(area);
    shape.diagonal = longest_diagonal(p);
    if (p->count > 3) {
        measure_off_plane(p, &shape);
    }
    return shape;
}

/* ---- validity ---- */

static double largest_ulp(const polygon *p)
{
    double largest = 0.0;
    for (abut_index i = 0; i < p->count; i++) {
        double x = vec3_max_abs(polygon_corner(p, i));
        largest = x > largest ? x : largest;
    }
    return ulp_double(largest);
}

/* The noise with which shapes are checked: at least the rounding of coordinates. */
static double shape_noise(const polygon *p, double noise)
{
    double rounding = largest_ulp(p);
    return noise > rounding ? noise : rounding;
}

double facet_reflex_limit(const polygon *p, double noise)
{
    return REFLEX_NOISES * shape_noise(p, noise);
}

bool facet_is_thin(const polygon *p, const facet_shape *shape, double noise)
{
    return 2.0 * shape->area <= facet_reflex_limit(p, noise) * shape->diagonal;
}

/* The edge that ends at corner 0, from the last corner that does not coincide with it. A polygon
 * with an area has such a corner. */
static vec3 edge_into_first(const polygon *p)
{
    vec3 first = polygon_corner(p, 0), edge = {0.0, 0.0, 0.0};
    for (abut_index i = p->count - 1; vec3_max_abs(edge) == 0.0; i--) {
        edge = vec3_sub(first, polygon_corner(p, i));
    }
    return edge;
}

/* Checks that no corner is reflex by more than noise, and that the outline winds once. A pentagram
 * winds twice, but has no reflex corner. */
static abut_status check_convex(const polygon *p, const facet_shape *shape, double limit,
                                abut_error *error)
{
    vec3 before = edge_into_first(p);
    double turning = 0.0;
    for (abut_index i = 0; i < p->count; i++) {
        vec3 edge = vec3_sub(polygon_corner(p, polygon_wrap(p, i + 1)), polygon_corner(p, i));
        if (vec3_max_abs(edge) == 0.0) {
            continue;
        }
        double turn = vec3_dot(shape->normal, vec3_cross(before, edge));
        if (-turn > limit * vec3_norm(vec3_add(before, edge))) {
            return error_set(error, ABUT_FACET_NOT_CONVEX, 0, i, 0.0);
        }
        turning += atan2(turn, vec3_dot(before, edge));
        before = edge;
    }
    if (fabs(turning - 2.0 * PI) > TURNING_LIMIT) {
        return error_set(error, ABUT_FACET_NOT_CONVEX, 0, -1, 0.0);
    }
    return ABUT_OK;
}

abut_status facet_check(const polygon *p, const facet_shape *shape, double noise, abut_error *error)
{
    if (2.0 * shape->area <= ZERO_HEIGHT_ULPS * largest_ulp(p) * shape->diagonal) {
        return error_set_status(error, ABUT_FACET_ZERO_AREA);
    }
    if (p->count == 3) {
        return ABUT_OK;
    }
    if (shape->off_plane > PLANAR_LIMIT * shape->diagonal) {
        return error_set(error, ABUT_FACET_NOT_PLANAR, 0, shape->off_plane_corner,
                         shape->off_plane / shape->diagonal);
    }
    return check_convex(p, shape, facet_reflex_limit(p, noise), error);
}

bool facet_is_bent(const polygon *p, const facet_shape *shape, double noise)
{
    return shape->off_plane > 0.0 && shape->off_plane > FLAT_NOISES * shape_noise(p, noise);
}

/* ---- the fan ---- */

/* Whether a corner is flat: outside the chord of its neighbors by at most `limit`, or inside.
 * Across the plane it may be off the chord by twice the limit, since corner and chord have noise. A
 * corner that is farther off bends the polygon, and the fan needs it. */
static bool is_flat(vec3 normal, vec3 from, vec3 corner, vec3 to, double limit)
{
    double length = vec3_norm(vec3_sub(to, from));
    vec3 area = vec3_cross_exact(vec3_sub(corner, from), vec3_sub(to, corner));
    double out = vec3_dot(normal, area);
    vec3 across = vec3_sub(area, vec3_scale(normal, out));
    return out <= limit * length && vec3_norm(across) <= 2.0 * limit * length;
}

abut_index facet_mark_flat(const polygon *p, const facet_shape *shape, double noise, uint8_t *flat)
{
    abut_index kept = p->count;
    for (abut_index i = 0; i < p->count; i++) {
        flat[i] = 0;
    }
    if (p->count == 3) {
        return kept;
    }
    double limit = FLAT_NOISES * shape_noise(p, noise);
    vec3 before = polygon_corner(p, shape->start);
    for (abut_index k = 1; k < p->count; k++) {
        abut_index i = polygon_wrap(p, shape->start + k);
        vec3 corner = polygon_corner(p, i);
        vec3 after = polygon_corner(p, polygon_wrap(p, i + 1));
        if (is_flat(shape->normal, before, corner, after, limit)) {
            flat[i] = 1, kept--;
        } else {
            before = corner;
        }
    }
    if (kept >= 3) {
        return kept;
    }
    /* the polygon is as thin as its noise: without flat corners no triangle would remain */
    for (abut_index i = 0; i < p->count; i++) {
        flat[i] = 0;
    }
    return p->count;
}

/* The first (step 1) or last (step -1) corner of the fan that is not flat, counted from the start.
 *
 * Flat corners next to the start make triangles without an inside. Their diagonals lie on the
 * border:
 *
 *     start --- flat --- 2 --- ...      triangle (start, flat, 2) is a line, start-2 is border */
static abut_index fan_limit(const polygon *p, const facet_shape *shape, const uint8_t *flat,
                            abut_index step)
{
    abut_index k = step > 0 ? 1 : p->count - 1;
    while (flat[polygon_wrap(p, shape->start + k)]) {
        k += step;
    }
    return k;
}

/* The mark of the edge from fan corner k to the start corner, which is no edge of the facet. */
static uint32_t spoke_mark(abut_index k, abut_index first, abut_index last, int edge)
{
    bool is_ignored = k <= first || k >= last;
    if (edge == 0) {
        return is_ignored ? MARK_EDGE_0_IGNORED : MARK_EDGE_0_DIAGONAL;
    }
    return is_ignored ? MARK_EDGE_2_IGNORED : MARK_EDGE_2_DIAGONAL;
}

/* Marks of triangle k, with the fan's corners 0, k and k + 1. */
static uint32_t fan_marks(const polygon *p, const triangle *t, abut_index k, abut_index first,
                          abut_index last)
{
    uint32_t marks = vec3_max_abs(t->normal) > 0.0 ? MARK_INSIDE : 0;
    marks |= k == 1 ? 0 : spoke_mark(k, first, last, 0);
    marks |= k + 2 == p->count ? 0 : spoke_mark(k + 1, first, last, 2);
    marks |= vec3_compare(t->corner[2], t->corner[1]) < 0 ? MARK_EDGE_1_FROM_END : 0;
    marks |= vec3_compare(t->corner[0], t->corner[2]) < 0 ? 0 : MARK_EDGE_2_FROM_START;
    return marks;
}

static vec3 triangle_normal(const triangle *t)
{
    return vec3_unit(vec3_cross_exact(vec3_sub(t->corner[1], t->corner[0]),
                                      vec3_sub(t->corner[2], t->corner[0])));
}

void facet_fan(const polygon *p, const facet_shape *shape, const uint8_t *flat,
               const triangle *common, triangle *triangles)
{
    abut_index first = fan_limit(p, shape, flat, 1), last = fan_limit(p, shape, flat, -1);
    for (abut_index k = 1; k + 1 < p->count; k++) {
        triangle *t = triangles + k - 1;
        *t = *common;
        abut_index corners[3] = {shape->start, polygon_wrap(p, shape->start + k),
                                 polygon_wrap(p, shape->start + k + 1)};
        for (int i = 0; i < 3; i++) {
            t->corner[i] = vec3_one_zero(polygon_corner(p, corners[i]));
        }
        t->start = (int32_t)corners[0];
        t->second = (int32_t)corners[1];
        t->normal = p->count == 3 ? shape->normal : triangle_normal(t);
        if (k < first || k >= last) {
            t->normal = (vec3){0.0, 0.0, 0.0};
        }
        t->marks = fan_marks(p, t, k, first, last) | (corners[2] == 0 ? MARK_THIRD_IS_FIRST : 0);
    }
}

/* ---- the contact point ---- */

vec3 triangle_point(const triangle *t, const closest *c, vec3 center)
{
    if (c->type == ABUT_VERTEX) {
        return t->corner[c->local];
    }
    if (c->type == ABUT_EDGE) {
        int k = c->local;
        bool from_end = triangle_edge_from_end(t, k);
        vec3 from = t->corner[from_end ? NEXT[k] : k], to = t->corner[from_end ? k : NEXT[k]];
        return c->along < 1.0 ? vec3_add(from, vec3_scale(vec3_sub(to, from), c->along)) : to;
    }
    /* removes the point's distance from the plane: a rounding error, larger for larger spheres */
    vec3 point = vec3_sub(center, c->offset);
    double height = vec3_dot(t->normal, vec3_sub(point, t->corner[0]));
    return vec3_one_zero(vec3_sub(point, vec3_scale(t->normal, height)));
}

double triangle_along(const triangle *t, int k, vec3 center)
{
    bool from_end = triangle_edge_from_end(t, k);
    vec3 from = t->corner[from_end ? NEXT[k] : k], to = t->corner[from_end ? k : NEXT[k]];
    vec3 edge = vec3_sub(to, from);
    double p = vec3_dot(vec3_sub(center, from), edge), length_sq = vec3_norm_sq(edge);
    return p < 0.0 || p > length_sq || length_sq == 0.0 ? 0.0 : p / length_sq;
}

int32_t triangle_feature(const triangle *t, const closest *c)
{
    if (c->type == ABUT_FACET) {
        return 0;
    }
    return c->type == ABUT_EDGE ? triangle_edge_number(t, c->local)
                                : triangle_corner_number(t, c->local);
}
