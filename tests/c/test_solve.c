/* One pair from its method to the rounded bodies. */
#include "convex/solve.h"

#include "bodies.h"
#include "check.h"

enum { ROOM = 64 };

static solve_task task_of(abut_convex_method method, abut_minimum minimum)
{
    solve_task task = {abut_convex_options_default(), minimum, true};
    task.options.method = method;
    return task;
}

static solved solve(const convex_pair *pair, const solve_task *task, convex_spot spots[ROOM])
{
    convex_spot room[ROOM];
    solved result;
    CHECK(spots_limit(pair->a.shape, pair->b.shape) <= ROOM);
    solve_pair(pair, NULL, task, &result, spots, room);
    return result;
}

/* The same corners as `core`, rounded. */
static abut_shape *rounded(abut_shape *core, double radius)
{
    const abut_shape_view view = abut_shape_inspect(core);
    const abut_shape_input input = {.dimension = view.dimension,
                                    .vertex_count = view.vertex_count,
                                    .facet_count = view.facet_count,
                                    .index_count = view.index_count,
                                    .vertices = view.vertices,
                                    .indices = view.indices,
                                    .offsets = view.offsets,
                                    .radius = radius};
    abut_shape *shape = NULL;
    CHECK_INT(abut_shape_build(&input, &shape, NULL), ABUT_OK);
    return shape;
}

/* Corner to corner: what the radii leave of the gap is the overlap, and the ends are moved. */
static void check_rounding(void)
{
    abut_shape *cube = box_shape(1, 1, 1), *round = rounded(cube, 0.25);
    const convex_body a = {round, 2.0}, b = {cube, 1.0};
    const double at = 3.0 + 0.4 / sqrt(3.0);
    const convex_pair pair = pair_of(a, b, (vec3){0, 0, 1}, 0.0, (vec3){at, at, at});
    const solve_task task = task_of(ABUT_SHORTEST_LINK, ABUT_TRACKED);
    convex_spot spots[ROOM];
    const solved s = solve(&pair, &task, spots);
    CHECK_NEAR(s.core.gap, 0.4, 1e-14);
    CHECK_NEAR(s.gap, -0.1, 1e-14);
    CHECK_INT(s.status, ABUT_OVERLAPPING);
    CHECK_NEAR(vec3_dot(s.core.normal, vec3_sub(s.q, s.p)), s.gap, 1e-14);
    CHECK_NEAR(s.p.x, 2.0 + 0.5 / sqrt(3.0), 1e-14);
    CHECK_NEAR(s.q.x, at - 1.0, 1e-14);
    CHECK_INT(s.spot_count, 1);
    CHECK_NEAR(spots[0].gap, s.gap, 1e-14);
    CHECK_NEAR(spots[0].point.x, 0.5 * (s.p.x + s.q.x), 1e-14);
    abut_shape_free(cube), abut_shape_free(round);
}

/* Spots of a cube on a rounded one are on the common plane of the rounded bodies. */
static void check_rounded_spots(void)
{
    abut_shape *cube = box_shape(1, 1, 1), *round = rounded(cube, 0.25);
    const convex_pair pair = make_pair(round, cube, (vec3){0, 0, 1}, 0.3, (vec3){0.2, 0.1, 2.2});
    const solve_task task = task_of(ABUT_SHORTEST_LINK, ABUT_TRACKED);
    convex_spot spots[ROOM];
    const solved s = solve(&pair, &task, spots);
    CHECK_NEAR(s.gap, -0.05, 1e-14);
    CHECK(s.spot_count >= 4);
    for (int k = 0; k < s.spot_count; k++) {
        CHECK_NEAR(spots[k].gap, -0.05, 1e-14);
        CHECK_NEAR(spots[k].point.z, 1.225, 1e-14);
    }
    abut_shape_free(cube), abut_shape_free(round);
}

/* Spheres: apart, touching, overlapping, and with one center, where n is along x. */
static void check_spheres(void)
{
    static const double distances[] = {3.5, 3.0, 2.5, 0.0};
    static const int statuses[] = {ABUT_SEPARATED, ABUT_TOUCHING, ABUT_OVERLAPPING,
                                   ABUT_OVERLAPPING};
    abut_shape *sphere = NULL;
    CHECK_INT(abut_shape_build_point(3, 1.0, &sphere, NULL), ABUT_OK);
    for (int k = 0; k < 4; k++) {
        const convex_body a = {sphere, 1.0}, b = {sphere, 2.0};
        const convex_pair pair = pair_of(a, b, draw_unit(), 1.0, (vec3){distances[k], 0, 0});
        const solve_task task = task_of(ABUT_SHORTEST_LINK, k % 2 ? ABUT_GLOBAL : ABUT_TRACKED);
        convex_spot spots[ROOM];
        const solved s = solve(&pair, &task, spots);
        CHECK_NEAR(s.gap, distances[k] - 3.0, 1e-15);
        CHECK_NEAR(s.core.normal.x, 1.0, 0.0);
        CHECK_NEAR(s.p.x, 1.0, 0.0);
        CHECK_NEAR(s.q.x, distances[k] - 2.0, 1e-15);
        CHECK_INT(s.status, statuses[k]);
        CHECK(s.error <= 1e-15);
    }
    abut_shape_free(sphere);
}

/* The least way apart, whatever the method; and no spots where none are asked for. */
static void check_global(void)
{
    abut_shape *shape = random_shape(12, (vec3){1, 0.6, 0.3});
    for (int k = 0; k < 60; k++) {
        solve_task task = task_of((abut_convex_method)(k % 4), ABUT_GLOBAL);
        const convex_pair pair =
            draw_placed((convex_body){shape, 1.0}, (convex_body){shape, 1.0}, 0.0, 0.7);
        const double exact = true_gap(&pair);
        task.wants_spots = false;
        const solved s = solve(&pair, &task, NULL);
        if (exact < 0.0) {
            CHECK_NEAR(s.gap, exact, pair.tolerance);
            CHECK_INT(s.status, ABUT_OVERLAPPING);
        }
        CHECK_INT(s.spot_count, 0);
    }
    abut_shape_free(shape);
}

/* Within rounding of each other, on either side. */
static void check_touching(void)
{
    static const double gaps[] = {1e-13, 0.0, -1e-13, 1e-9, -1e-9};
    static const int statuses[] = {ABUT_TOUCHING, ABUT_TOUCHING, ABUT_TOUCHING, ABUT_SEPARATED,
                                   ABUT_OVERLAPPING};
    abut_shape *cube = box_shape(1, 1, 1);
    const solve_task task = task_of(ABUT_SHORTEST_LINK, ABUT_TRACKED);
    for (int k = 0; k < 5; k++) {
        const convex_pair pair =
            make_pair(cube, cube, (vec3){0, 0, 1}, 0.5, (vec3){0.3, 0.2, 2.0 + gaps[k]});
        convex_spot spots[ROOM];
        CHECK_INT(solve(&pair, &task, spots).status, statuses[k]);
    }
    abut_shape_free(cube);
}

void test_solve(void)
{
    state = 29;
    check_rounding();
    check_rounded_spots();
    check_spheres();
    check_global();
    check_touching();
}
