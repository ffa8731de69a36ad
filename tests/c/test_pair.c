/* Two bodies: supports, swapped bodies, and invalid states. */
#include "abut.h"
#include "base/memory.h"
#include "convex/pair.h"

#include "check.h"
#include "random.h"

#include "bodies.h"

#include <math.h>
#include <string.h>

/* The support is the first of the farthest vertices. */
static void check_support(const abut_shape *s)
{
    const convex_body body = {s, 0.5};
    const vec3 axis = {0.0, 0.0, 1.0};
    for (int k = 0; k < 200; k++) {
        const vec3 d = k == 0 ? axis : draw_unit();
        const support found = body_support(&body, d);
        CHECK_NEAR(found.height, vec3_dot(d, body_vertex(&body, found.vertex)), 1e-15);
        for (int32_t v = 0; v < s->vertex_count; v++) {
            const double height = vec3_dot(d, shape_point(s, v));
            CHECK(0.5 * height <= found.height);
            CHECK(v >= found.vertex || 0.5 * height < found.height);
        }
    }
    CHECK_INT(body_support(&body, (vec3){NAN, 0.0, 0.0}).vertex, 0);
}

static void check_same_point(vec3 a, vec3 b)
{
    CHECK_NEAR(vec3_length(vec3_sub(a, b)), 0.0, 1e-14);
}

/* Swapping the bodies gives the same result, seen from the other body. */
static void check_swapped(const abut_shape *a, const abut_shape *b)
{
    const convex_pair pair = make_pair(a, b, draw_unit(), 1.0, vec3_scale(draw_unit(), 3.0));
    const convex_pair swapped = pair_swapped(&pair), again = pair_swapped(&swapped);
    const vec3 p = draw_unit(), n = draw_unit();
    CHECK(swapped.a.shape == b), CHECK(swapped.b.shape == a);
    check_same_point(pair_to_b(&pair, p), pair_to_a(&swapped, p));
    check_same_point(pair_to_a(&pair, p), pair_to_b(&swapped, p));
    check_same_point(pair_to_b(&pair, pair_to_a(&pair, p)), p);
    check_same_point(again.shift, pair.shift), check_same_point(again.rows[1], pair.rows[1]);
    const support_gap one = pair_support_gap(&pair, n);
    const vec3 back = vec3_scale(pair_turn_back(&pair, n), -1.0);
    const support_gap other = pair_support_gap(&swapped, back);
    CHECK_NEAR(one.gap, other.gap, 1e-14);
    CHECK_INT(one.a, other.b), CHECK_INT(one.b, other.a);
}

static convex_link sample_link(void)
{
    return (convex_link){.ends = {{ABUT_FACET, 5}, {ABUT_EDGE, 3}},
                         .p = {1.0, 2.0, 3.0},
                         .q = {4.0, 5.0, 6.0},
                         .normal = draw_unit(),
                         .status = ABUT_UNCONVERGED,
                         .iterations = 7};
}

static void check_state(const convex_pair *pair)
{
    const convex_link link = sample_link();
    double packed[ABUT_CONVEX_STATE];
    convex_link read;
    link_pack(&link, packed);
    CHECK(link_unpack(packed, pair, &read));
    CHECK_INT(memcmp(read.ends, link.ends, sizeof link.ends), 0);
    CHECK_INT(vec3_compare(read.p, link.p), 0), CHECK_INT(vec3_compare(read.q, link.q), 0);
    CHECK_INT(vec3_compare(read.normal, link.normal), 0), CHECK_INT(read.status, link.status);
    for (int k = 0; k < ABUT_CONVEX_STATE; k++) {
        const double bad[] = {NAN, INFINITY, -INFINITY, -1.0, 1e300, 0.5};
        for (int m = 0; m < (k >= 3 && k < 9 ? 3 : 6); m++) {
            const double kept = packed[k];
            packed[k] = bad[m];
            CHECK(!link_unpack(packed, pair, &read));
            packed[k] = kept;
        }
    }
    memset(packed, 0, sizeof packed);
    CHECK(!link_unpack(packed, pair, &read));
}

/* Features that a shape does not have; a box has 6 facets, 12 edges and 8 vertices. */
static void check_features(const convex_pair *pair)
{
    const int32_t counts[] = {6, 12, 8, 0};
    for (int32_t type = 0; type < 4; type++) {
        for (int32_t feature = 0; feature < 14; feature++) {
            convex_link link = sample_link(), read;
            double packed[ABUT_CONVEX_STATE];
            link.ends[0] = (convex_end){type, feature};
            link_pack(&link, packed);
            CHECK_INT(link_unpack(packed, pair, &read), feature < counts[type]);
        }
    }
}

void test_pair(void)
{
    state = 7;
    abut_shape *box = box_shape(1.0, 1.0, 1.0);
    abut_shape *hull = random_shape(30, (vec3){1.0, 1.0, 1.0});
    check_support(box), check_support(hull);
    check_swapped(box, hull);
    const convex_pair pair = make_pair(box, box, draw_unit(), 1.0, (vec3){3.0, 0.0, 0.0});
    check_state(&pair);
    check_features(&pair);
    abut_shape_free(box), abut_shape_free(hull);
    CHECK_INT(memory_live_count(), 0);
}
