/* Cundall's common plane and the fast one: planes of points, stops at the maximum number of
 * iterations, and features that remain from step to step. */
#include "convex/common_plane.h"

#include "bodies.h"
#include "check.h"

static const vec3 ROUND = {1.0, 1.0, 1.0};

static const vec3 UP = {0.0, 0.0, 1.0};

static abut_convex_options usual(void)
{
    return (abut_convex_options){.patch_angle = 0.1,
                                 .cp_first = 5.0 * PI / 180.0,
                                 .cp_last = 0.01 * PI / 180.0,
                                 .iterations = 100};
}

/* Checks a link of either method: its gap is that of the supports along its unit normal. */
static void check_link(const convex_pair *pair, const convex_link *link)
{
    CHECK_NEAR(vec3_length(link->normal), 1.0, 1e-14);
    CHECK_NEAR(link->gap, pair_support_gap(pair, link->normal).gap, pair->tolerance);
    CHECK(isnan(link->error));
    CHECK(link->status == ABUT_UNCONVERGED ||
          (link->gap > pair->tolerance) == (link->status == ABUT_SEPARATED));
}

static convex_link find(convex_method method, const convex_pair *pair, const convex_link *before)
{
    const abut_convex_options options = usual();
    convex_link link;
    method(pair, before, &options, &link);
    check_link(pair, &link);
    CHECK(link.iterations <= options.iterations);
    return link;
}

static void check_points(convex_method method)
{
    abut_shape *point = NULL;
    CHECK_INT(abut_shape_build_point(3, 0.5, &point, NULL), ABUT_OK);
    convex_pair pair = make_pair(point, point, UP, 0.0, (vec3){0.0, 3.0, 4.0});
    pair.size = 1.0, pair.tolerance = 1e-11;
    CHECK_NEAR(find(method, &pair, NULL).gap, 5.0, 1e-14);
    pair.shift = (vec3){0.0, 0.0, 0.0};
    CHECK_INT(find(method, &pair, NULL).status, ABUT_TOUCHING);
    abut_shape_free(point);
}

/* One iteration is not enough, and the link reports this. */
static void check_cap(convex_method method)
{
    abut_shape *needle = box_shape(0.01, 0.01, 1.0);
    abut_convex_options options = usual();
    options.iterations = 1;
    const vec3 axis = {0.6, 0.8, 0.0};
    for (int k = 0; k < 50; k++) {
        const convex_pair pair =
            make_pair(needle, needle, axis, PI * draw_number(), draw_vector(1.0));
        convex_link link;
        method(&pair, NULL, &options, &link);
        check_link(&pair, &link);
        CHECK_INT(link.iterations, 1);
        CHECK_INT(link.status, ABUT_UNCONVERGED);
    }
    abut_shape_free(needle);
}

static vec3 draw_axis(void)
{
    const vec3 at = draw_vector(1.0);
    return vec3_scale(at, 1.0 / vec3_length(at));
}

enum { PAIRS = 300, STEPS = 8 };

/* Along a motion the fast plane's cached features mostly remain valid. Its gap is then as good as
 * that of a new search. */
static void check_motion(void)
{
    int stood = 0, worse = 0;
    for (int k = 0; k < PAIRS; k++) {
        abut_shape *a = random_shape(8, ROUND), *b = random_shape(8, ROUND);
        const vec3 axis = draw_axis(), line = draw_axis();
        const double way = k % 2 ? 1.6 : 2.2;
        convex_link before;
        for (int step = 0; step < STEPS; step++) {
            const convex_pair pair =
                make_pair(a, b, axis, k + 1e-4 * step, vec3_scale(line, way + 1e-4 * step));
            const convex_link link = find(fast_plane_find, &pair, step ? &before : NULL);
            stood += step > 0 && link.iterations == 0;
            worse += link.gap < find(fast_plane_find, &pair, NULL).gap - 1e-3;
            before = link;
        }
        abut_shape_free(a), abut_shape_free(b);
    }
    CHECK(stood >= 9 * PAIRS * (STEPS - 1) / 10);
    CHECK(worse <= PAIRS * STEPS / 50);
}

void test_common_plane(void)
{
    state = 2;
    check_points(common_plane_find);
    check_points(fast_plane_find);
    check_cap(common_plane_find);
    check_cap(fast_plane_find);
    check_motion();
}
