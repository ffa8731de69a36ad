/* The solution of one pair: spheres, and rounded bodies that touch. */
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

/* Spheres apart, touching, overlapping, and with the same center, where n is along x. */
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

/* Bodies that touch up to rounding, on either side. */
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
    check_spheres();
    check_touching();
}
