/* The shortest link of bodies with parallel edges, and a link with too few iterations. Python tests
 * compare other links with exact ones (test_convex_reference.py). */
#include "convex/common_plane.h"
#include "convex/link.h"

#include "bodies.h"
#include "check.h"

enum { ITERATIONS = 100 };

static const abut_convex_options OPTIONS = {ABUT_SHORTEST_LINK, 0.09, 0.09, 1e-4, ITERATIONS};

/* Returns the distance of a link's end from the feature that it names. */
static double off_feature(const convex_body *body, convex_end end, vec3 p)
{
    if (end.type == ABUT_VERTEX) {
        return vec3_length(vec3_sub(p, body_vertex(body, end.feature)));
    }
    if (end.type == ABUT_EDGE) {
        const segment e = segment_read(body, end);
        const vec3 d = vec3_sub(p, e.from);
        const double at = vec3_dot(d, e.along);
        return larger(vec3_length(less_along(d, e.along)), larger(-at, at - e.length));
    }
    const foot nearest = closest_on_facet(body, end.feature, p);
    return vec3_length(vec3_sub(p, nearest.point));
}

/* Checks a link with any previous step: its ends are on the bodies, its bounds hold, and if it is
 * certain, its normal is parallel to PQ. */
static void check_link(const convex_pair *pair, const convex_link *link, double exact)
{
    const double rounding = 1e-14 * pair->size;
    const vec3 across = vec3_sub(pair_to_a(pair, link->q), link->p);
    CHECK(off_feature(&pair->a, link->ends[0], link->p) <= rounding);
    CHECK(off_feature(&pair->b, link->ends[1], link->q) <= rounding);
    CHECK_NEAR(vec3_length(link->normal), 1.0, 1e-14);
    CHECK_NEAR(pair_support_gap(pair, link->normal).gap, link->gap, rounding);
    CHECK(exact >= link->gap - rounding && link->error >= 0.0);
    if (exact > pair->tolerance) {
        CHECK(exact <= link->gap + link->error + rounding);
        CHECK(vec3_length(across) >= exact - rounding);
    }
    if (link->status != ABUT_UNCONVERGED) {
        CHECK(link->error <= pair->tolerance);
        CHECK_NEAR(vec3_dot(across, link->normal), link->gap, 2.0 * pair->tolerance);
    }
}

static void check_apart(const convex_pair *pair, const convex_link *before, convex_link *link)
{
    const double exact = true_gap(pair);
    link_find(pair, before, &OPTIONS, link);
    check_link(pair, link, exact);
    if (exact > 0.0) {
        CHECK(link->status == ABUT_SEPARATED || link->status == ABUT_TOUCHING);
        CHECK_NEAR(link->gap, exact, 1.01 * pair->tolerance);
    }
}

/* ---- nearly parallel ---- */

/* Returns whether two edges of a box are parallel. */
static int are_parallel(const abut_shape *s, int32_t a, int32_t b)
{
    return vec3_length(vec3_cross(s->edges[a].direction, s->edges[b].direction)) < 1e-12;
}

/* A previous link between parallel edges is no final result, but a starting point. */
static void check_parallel_edges(const abut_shape *box)
{
    const convex_pair pair = make_pair(box, box, (vec3){0, 0, 1}, 0.0, (vec3){1.5, 1.25, 0.25});
    convex_link cold, link;
    check_apart(&pair, NULL, &cold);
    for (int32_t k = 0; k < box->edge_count * box->edge_count; k++) {
        const int32_t a = k / box->edge_count, b = k % box->edge_count;
        convex_link before = cold;
        before.ends[0] = (convex_end){ABUT_EDGE, a}, before.ends[1] = (convex_end){ABUT_EDGE, b};
        before.p = segment_read(&pair.a, before.ends[0]).from;
        before.q = segment_read(&pair.b, before.ends[1]).from;
        if (are_parallel(box, a, b)) {
            CHECK(!link_stands(&pair, &before, &link));
            check_apart(&pair, &before, &link);
            fast_plane_find(&pair, &before, &OPTIONS, &link);
            CHECK(link.gap > 0.0 && link.gap <= cold.gap + pair.tolerance);
        }
    }
}

/* ---- uncertain links ---- */

/* One iteration is not always enough, but the bounds of the link hold. */
static void check_short_of_iterations(void)
{
    abut_shape *shape = random_shape(30, (vec3){1.0, 0.5, 0.3});
    int left_open = 0;
    for (int k = 0; k < 60; k++) {
        const convex_pair pair =
            draw_placed((convex_body){shape, 1.0}, (convex_body){shape, 1.0}, 2.0, 4.0);
        convex_link link;
        link_find_apart(&pair, NULL, 1, &link);
        check_link(&pair, &link, true_gap(&pair));
        left_open += link.status == ABUT_UNCONVERGED;
        CHECK_INT(link.iterations, 1);
    }
    CHECK(left_open > 0);
    abut_shape_free(shape);
}

void test_link(void)
{
    abut_shape *box = box_shape(0.5, 0.5, 0.5);
    state = 7;
    check_parallel_edges(box);
    check_short_of_iterations();
    abut_shape_free(box);
}
