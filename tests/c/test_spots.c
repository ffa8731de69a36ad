/* Contact points of aligned or nearly aligned facets: the same names, each corner once; and contact
 * points of features that hardly overlap. */
#include "convex/spots.h"

#include "bodies.h"
#include "check.h"

static const vec3 UP = {0.0, 0.0, 1.0};
static const double PATCH = 5.0 * PI / 180.0;

enum { ROOM = 4 * MOST_SIDES };

typedef struct made {
    convex_spot spots[ROOM], room[ROOM];
    int32_t count;
} made;

/* Computes the spots of a pair with this normal; the link in the call is a dummy. */
static made make(const convex_pair *pair, vec3 normal)
{
    static made m;
    const convex_link link = {.normal = normal,
                              .p = {1.0, 2.0, 3.0},
                              .q = pair_to_b(pair, (vec3){1.0, 2.0, 5.0}),
                              .gap = 2.0,
                              .ends = {{ABUT_VERTEX, 0}, {ABUT_VERTEX, 0}}};
    CHECK(spots_limit(pair->a.shape, pair->b.shape) <= ROOM);
    m.count = spots_make(pair, &link, PATCH, m.spots, m.room);
    return m;
}

static bool same_ends(const convex_spot *s, const convex_spot *t)
{
    return s->ends[0].type == t->ends[0].type && s->ends[0].feature == t->ends[0].feature &&
           s->ends[1].type == t->ends[1].type && s->ends[1].feature == t->ends[1].feature;
}

static void check_unique(const made *m)
{
    for (int32_t k = 0; k < m->count; k++) {
        for (int32_t l = 0; l < k; l++) {
            CHECK(!same_ends(&m->spots[k], &m->spots[l]));
        }
    }
}

static int count_types(const made *m, int32_t a, int32_t b)
{
    int count = 0;
    for (int32_t k = 0; k < m->count; k++) {
        count += m->spots[k].ends[0].type == a && m->spots[k].ends[1].type == b;
    }
    return count;
}

/* Returns whether there is a spot at this place with this gap. */
static bool has_spot(const made *m, vec3 at, double gap)
{
    for (int32_t k = 0; k < m->count; k++) {
        if (vec3_max_abs(vec3_sub(m->spots[k].point, at)) < 1e-12 &&
            fabs(m->spots[k].gap - gap) < 1e-12) {
            return true;
        }
    }
    return false;
}

/* ---- known scenes ---- */

/* Cubes aligned exactly, or up to noise far below the tolerance of spots, have the same four names.
 */
static void check_aligned_cubes(void)
{
    abut_shape *cube = box_shape(1.0, 1.0, 1.0);
    const convex_pair pair = make_pair(cube, cube, UP, 0.0, (vec3){0.0, 0.0, 2.0});
    const made aligned = make(&pair, UP);
    CHECK_INT(aligned.count, 4);
    CHECK_INT(count_types(&aligned, ABUT_VERTEX, ABUT_FACET), 4);
    for (int k = 0; k < 200; k++) {
        vec3 shift = draw_vector(1e-10);
        shift.z = 2.0;
        const convex_pair noisy = make_pair(cube, cube, UP, 1e-10 * draw_number(), shift);
        const made m = make(&noisy, UP);
        CHECK_INT(m.count, 4);
        for (int32_t n = 0; n < m.count; n++) {
            CHECK(same_ends(&m.spots[n], &aligned.spots[n]));
        }
    }
    abut_shape_free(cube);
}

/* A vertex, two points, and features that face each other without overlap. */
static void check_few(void)
{
    abut_shape *cube = box_shape(1.0, 1.0, 1.0), *point = NULL;
    CHECK_INT(abut_shape_build_point(3, 0.5, &point, NULL), ABUT_OK);
    convex_pair pair = make_pair(cube, point, UP, 0.0, (vec3){0.5, 0.5, 1.25});
    made m = make(&pair, UP);
    CHECK_INT(m.count, 1);
    CHECK_INT(count_types(&m, ABUT_FACET, ABUT_VERTEX), 1);
    CHECK(has_spot(&m, (vec3){0.5, 0.5, 1.125}, 0.25));
    pair = make_pair(point, point, UP, 0.0, (vec3){0.0, 0.0, 2.0});
    m = make(&pair, UP);
    CHECK_INT(m.count, 1);
    CHECK(has_spot(&m, UP, 2.0));
    pair = make_pair(cube, cube, UP, 0.0, (vec3){2.5, 0.0, 2.0});
    m = make(&pair, UP);
    CHECK_INT(m.count, 1);
    CHECK(has_spot(&m, (vec3){1.0, 2.0, 4.0}, 2.0));
    abut_shape_free(cube), abut_shape_free(point);
}

/* ---- random facets ---- */

/* Draws the corners of a convex polygon on an ellipse, counter-clockwise. */
static int draw_corners(double *corners)
{
    const int sides = 3 + (int)(draw() % 8);
    const double width = 0.2 + draw_number(), turn = 2.0 * PI * draw_number();
    for (int k = 0; k < sides; k++) {
        const double angle = turn + 2.0 * PI * (k + 0.8 * draw_number()) / sides;
        corners[2 * k] = width * cos(angle), corners[2 * k + 1] = sin(angle);
    }
    return sides;
}

/* Returns how far a place is inside a counter-clockwise convex polygon. */
static double depth_inside(int sides, const double *corners, double x, double y)
{
    double depth = INFINITY;
    for (int k = 0; k < sides; k++) {
        const double *from = corners + 2 * k, *to = corners + 2 * ((k + 1) % sides);
        const double side_x = to[0] - from[0], side_y = to[1] - from[1];
        const double cross = side_x * (y - from[1]) - side_y * (x - from[0]);
        depth = fmin(depth, cross / sqrt(side_x * side_x + side_y * side_y));
    }
    return depth;
}

/* Clips a polygon by a side of another (Sutherland and Hodgman); returns its number of corners. */
static int cut_polygon(int count, double *corners, const double *from, const double *to)
{
    double cut[4 * MOST_SIDES];
    int found = 0;
    for (int k = 0; k < count; k++) {
        const double *p = corners + 2 * k, *q = corners + 2 * ((k + 1) % count);
        const double x = to[0] - from[0], y = to[1] - from[1];
        const double at_p = x * (p[1] - from[1]) - y * (p[0] - from[0]);
        const double at_q = x * (q[1] - from[1]) - y * (q[0] - from[0]);
        if (at_p >= 0.0) {
            cut[2 * found] = p[0], cut[2 * found + 1] = p[1], found++;
        }
        if ((at_p >= 0.0) != (at_q >= 0.0)) {
            const double part = at_p / (at_p - at_q);
            cut[2 * found] = p[0] + part * (q[0] - p[0]);
            cut[2 * found + 1] = p[1] + part * (q[1] - p[1]), found++;
        }
    }
    memcpy(corners, cut, sizeof *cut * 2 * (size_t)found);
    return found;
}

/* Returns whether there is a spot within a distance of a place. */
static bool is_covered(const made *m, const double *place, double within)
{
    for (int32_t k = 0; k < m->count; k++) {
        if (hypot(m->spots[k].point.x - place[0], m->spots[k].point.y - place[1]) <= within) {
            return true;
        }
    }
    return false;
}

typedef struct outlines {
    double a[2 * MOST_SIDES], b[2 * MOST_SIDES], common[4 * MOST_SIDES];
    int a_count, b_count, common_count;
} outlines;

/* Turns and moves polygon b, and computes its intersection with a. */
static void intersect_outlines(outlines *o, double angle, vec3 shift)
{
    for (int k = 0; k < o->b_count; k++) {
        const double x = o->b[2 * k], y = o->b[2 * k + 1];
        o->b[2 * k] = x * cos(angle) - y * sin(angle) + shift.x;
        o->b[2 * k + 1] = x * sin(angle) + y * cos(angle) + shift.y;
    }
    memcpy(o->common, o->a, sizeof o->a);
    o->common_count = o->a_count;
    for (int k = 0; o->common_count > 0 && k < o->b_count; k++) {
        o->common_count = cut_polygon(o->common_count, o->common, o->b + 2 * k,
                                      o->b + 2 * ((k + 1) % o->b_count));
    }
}

/* Checks that spots are inside both outlines and apart from each other. */
static void check_inside(const made *m, const outlines *o)
{
    for (int32_t k = 0; k < m->count; k++) {
        const vec3 at = m->spots[k].point;
        CHECK(depth_inside(o->a_count, o->a, at.x, at.y) >= -1e-7);
        CHECK(depth_inside(o->b_count, o->b, at.x, at.y) >= -1e-7);
        for (int32_t l = 0; l < k; l++) {
            CHECK(vec3_max_abs(vec3_sub(at, m->spots[l].point)) > 1e-9);
        }
    }
    check_unique(m);
}

/* Two equal outlines, one turned by a tiny angle: no corner is lost, none appears twice. */
static void check_parallel_sides(void)
{
    for (int k = 0; k < 2000; k++) {
        outlines o;
        o.a_count = o.b_count = draw_corners(o.a);
        memcpy(o.b, o.a, sizeof o.a);
        const double angle = pow(10.0, -2.0 - 12.0 * draw_number());
        vec3 shift = draw_vector(pow(10.0, -2.0 - 12.0 * draw_number()));
        shift.z = 1.0;
        abut_shape *a = build_prism(o.a_count, o.a, 1.0);
        const convex_pair pair = make_pair(a, a, UP, angle, shift);
        const made m = make(&pair, UP);
        CHECK(m.count >= o.a_count && m.count <= 2 * o.a_count);
        intersect_outlines(&o, angle, shift);
        check_inside(&m, &o);
        for (int c = 0; c < o.a_count; c++) {
            CHECK(is_covered(&m, o.a + 2 * c, 0.5));
        }
        abut_shape_free(a);
    }
}

void test_spots(void)
{
    state = 1;
    check_aligned_cubes();
    check_few();
    check_parallel_sides();
}
