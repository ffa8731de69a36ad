/* Bodies that overlap: the least way apart, and that it is kept from step to step. */
#include "convex/link.h"

#include "bodies.h"
#include "check.h"

static const abut_convex_options OPTIONS = {ABUT_SHORTEST_LINK, 0.09, 0.09, 1e-4, 100};

enum { SHAPES = 5 };

static void make_shapes(abut_shape *shapes[SHAPES])
{
    const double tetra[] = {0.6, 0.6, 0.6, 0.6, -0.6, -0.6, -0.6, 0.6, -0.6, -0.6, -0.6, 0.6};
    shapes[0] = box_shape(0.5, 0.5, 0.5);
    shapes[1] = box_shape(1.0, 0.7, 0.05);
    shapes[2] = hull_shape(tetra, 4);
    shapes[3] = random_shape(14, (vec3){1, 1, 1});
    shapes[4] = random_shape(8, (vec3){1.0, 0.3, 0.3});
}

static void free_shapes(abut_shape *shapes[SHAPES])
{
    for (int k = 0; k < SHAPES; k++) {
        abut_shape_free(shapes[k]);
    }
}

/* No normal nearby has a larger gap. */
static void check_local(const convex_pair *pair, const convex_link *link)
{
    for (int k = 0; k < 20; k++) {
        const vec3 u = draw_unit(), v = {u.x, u.y, pair->a.shape->dimension == 2 ? 0.0 : u.z};
        const vec3 n = vec3_add(link->normal, vec3_scale(v, 1e-4));
        const double gap = pair_support_gap(pair, vec3_scale(n, 1.0 / vec3_length(n))).gap;
        CHECK(gap <= link->gap + 2.0 * pair->tolerance);
    }
}

/* A certified minimum, and the least of all on demand. */
static void check_overlap(const convex_pair *pair, const convex_link *before, convex_link *link)
{
    const double exact = true_gap(pair);
    link_find(pair, before, &OPTIONS, link);
    CHECK(link->status != ABUT_UNCONVERGED);
    CHECK_INT(link->gap < -pair->tolerance, exact < -pair->tolerance);
    if (exact >= -pair->tolerance) {
        return;
    }
    const vec3 across = vec3_sub(pair_to_a(pair, link->q), link->p);
    CHECK_NEAR(vec3_dot(across, link->normal), link->gap, 2.0 * pair->tolerance);
    CHECK(link->gap <= exact + 1e-14 * pair->size);
    check_local(pair, link);
    convex_link least = *link;
    link_find_global(pair, 100, &least);
    CHECK_NEAR(least.gap, exact, pair->tolerance);
    CHECK_INT(least.status, ABUT_OVERLAPPING);
}

static void check_steps(convex_pair pair, convex_link link, double step)
{
    for (int k = 0; k < 5; k++) {
        const convex_link before = link;
        const vec3 u = draw_unit();
        const bool is_plane = pair.a.shape->dimension == 2;
        pair.shift = vec3_add(pair.shift, vec3_scale((vec3){u.x, u.y, is_plane ? 0.0 : u.z}, step));
        check_overlap(&pair, &before, &link);
    }
}

/* A body with itself, turned or not, and one inside another. */
static void check_inside(abut_shape *const shapes[SHAPES])
{
    for (int k = 0; k < 60; k++) {
        const abut_shape *shape = shapes[draw() % SHAPES];
        const convex_body a = {shape, 1.0}, b = {shape, k % 2 ? draw_between(0.1, 1.0) : 1.0};
        const double angle = k % 3 ? 0.5 * PI * (k % 4) : draw_between(0, 6);
        const convex_pair pair =
            pair_of(a, b, (vec3){0, 0, 1}, angle, vec3_scale(draw_unit(), k % 5 ? 0.05 : 0.0));
        convex_link link;
        check_overlap(&pair, NULL, &link);
        check_steps(pair, link, 1e-3);
    }
}

/* A cube deep in a plate, 0.6 through it: the way back is 0.6 + ..., the way on is shorter from the
 * middle on; what was the way apart stays that while it is a minimum. */
static void check_kept(void)
{
    abut_shape *plate = box_shape(4, 4, 0.5), *cube = box_shape(0.5, 0.5, 0.5);
    convex_pair pair = make_pair(plate, cube, (vec3){1, 2, 3}, 0.2, (vec3){0.1, 0.2, 1.2});
    convex_link link, least;
    link_find(&pair, NULL, &OPTIONS, &link);
    for (double z = 1.2; z > -0.5; z -= 1e-2) {
        const convex_link before = link;
        pair.shift.z = z;
        link_find(&pair, &before, &OPTIONS, &link);
        CHECK(link.normal.z > 0.9);
    }
    least = link;
    link_find_global(&pair, 100, &least);
    CHECK(least.normal.z < -0.9);
    abut_shape_free(plate), abut_shape_free(cube);
}

/* The tip of a pyramid goes through a plate and leaves it sideways: its minimum over the far side
 * is still one when they are apart. */
static void check_parted(void)
{
    abut_shape *plate = box_shape(1, 1, 0.05);
    const double corners[] = {0, 0, 0, 1, 1, 0.3, 1, -1, 0.3, 1, 0, -0.5};
    abut_shape *tip = hull_shape(corners, 4);
    convex_pair pair = make_pair(plate, tip, (vec3){0, 0, 1}, 0.0, (vec3){0.97, 0.0, -0.04});
    convex_link link;
    link_find(&pair, NULL, &OPTIONS, &link);
    for (int k = 0; k < 60; k++) {
        const convex_link before = link;
        pair.shift.x += 1e-3, pair.shift.z += k % 2 ? 1e-3 : -1e-3;
        check_overlap(&pair, &before, &link);
    }
    CHECK_INT(link.status, ABUT_SEPARATED);
    abut_shape_free(plate), abut_shape_free(tip);
}

/* The same where the cached minimum stands although nothing overlaps any more: a thin plate that
 * has passed a vertex by, in one step. */
static void check_passed(void)
{
    abut_shape *plate = box_shape(1, 1, 0.05), *cube = box_shape(0.5, 0.5, 0.5);
    const double up = sqrt(0.75);
    convex_pair pair = make_pair(plate, cube, (vec3){1, -1, 0}, acos(1.0 / sqrt(3.0)),
                                 (vec3){0.0, 0.0, up + 0.04});
    convex_link link;
    link_find(&pair, NULL, &OPTIONS, &link);
    CHECK_INT(link.status, ABUT_OVERLAPPING);
    const convex_link before = link;
    pair.shift.z = -up - 0.06;
    CHECK(link_stands(&pair, &before, &link));
    CHECK(link.gap < 0.0 && !link_overlaps(&pair, &link));
    link_find(&pair, &before, &OPTIONS, &link);
    CHECK_INT(link.status, ABUT_SEPARATED);
    CHECK_NEAR(link.gap, 0.01, 1e-13);
    abut_shape_free(plate), abut_shape_free(cube);
}

void test_overlap(void)
{
    abut_shape *shapes[SHAPES];
    state = 23;
    make_shapes(shapes);
    check_inside(shapes);
    check_kept();
    check_parted();
    check_passed();
    free_shapes(shapes);
}
