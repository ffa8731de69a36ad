/* The closest point of a facet and the feature that it lies on, by table 3 of the paper. */
#include "mesh/facet.h"

#include "check.h"

#include <math.h>

/* A unit square in z = 0 as its fan of two triangles; its smallest corner is number 2. */
static const double VERTICES[] = {1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0};
static const abut_index CORNERS[] = {2, 0, 1, 3};

static closest closest_of_square(const triangle fan[2], vec3 center, const triangle **nearest)
{
    closest a, b;
    triangle_closest(&fan[0], center, 10.0, &a);
    triangle_closest(&fan[1], center, 10.0, &b);
    bool second = closest_is_nearer(&b, &a);
    *nearest = &fan[second];
    return second ? b : a;
}

static void make_square(triangle fan[2])
{
    const polygon p = {VERTICES, CORNERS, 4};
    const triangle common = {.facet = 7};
    uint8_t flat[4];
    facet_shape shape = facet_measure(&p);
    CHECK_INT(facet_mark_flat(&p, &shape, 0.0, flat), 4);
    CHECK_NEAR(shape.area, 1.0, 0.0);
    CHECK_NEAR(shape.diagonal, sqrt(2.0), 1e-15);
    CHECK_NEAR(shape.normal.z, 1.0, 0.0);
    facet_fan(&p, &shape, flat, &common, fan);
    CHECK_INT(fan[1].facet, 7);
}

typedef struct expected {
    vec3 center;
    abut_type type;
    int feature;
    vec3 point;
} expected;

static void check_features(void)
{
    const expected cases[] = {
        {{0.5, 0.25, 0.3}, ABUT_FACET, 0, {0.5, 0.25, 0.0}}, /* inside */
        {{0.5, 0.5, -0.3}, ABUT_FACET, 0, {0.5, 0.5, 0.0}},  /* on the diagonal, from behind */
        {{0.5, 0.5, 0.0}, ABUT_FACET, 0, {0.5, 0.5, 0.0}},   /* the center itself */
        {{0.5, 0.0, 0.3}, ABUT_FACET, 0, {0.5, 0.0, 0.0}},   /* over an edge: the facet is higher */
        {{0.5, -0.5, 0.3}, ABUT_EDGE, 0, {0.5, 0.0, 0.0}},   /* outside each edge */
        {{1.5, 0.25, 0.3}, ABUT_EDGE, 1, {1.0, 0.25, 0.0}},
        {{0.25, 1.5, 0.3}, ABUT_EDGE, 2, {0.25, 1.0, 0.0}},
        {{-0.5, 0.75, 0.3}, ABUT_EDGE, 3, {0.0, 0.75, 0.0}},
        {{-0.5, -0.5, 0.3}, ABUT_VERTEX, 0, {0.0, 0.0, 0.0}}, /* and each corner */
        {{1.5, -0.5, 0.0}, ABUT_VERTEX, 1, {1.0, 0.0, 0.0}},
        {{1.5, 1.5, 0.3}, ABUT_VERTEX, 2, {1.0, 1.0, 0.0}},
        {{-0.5, 1.5, 0.3}, ABUT_VERTEX, 3, {0.0, 1.0, 0.0}},
        {{0.0, -0.5, 0.3}, ABUT_EDGE, 0, {0.0, 0.0, 0.0}}, /* over an end: the edge is higher */
    };
    triangle fan[2];
    make_square(fan);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const triangle *nearest;
        closest c = closest_of_square(fan, cases[i].center, &nearest);
        vec3 point = triangle_point(nearest, &c, cases[i].center);
        CHECK_INT(c.type, cases[i].type);
        CHECK_INT(triangle_feature(nearest, &c), cases[i].feature);
        CHECK_INT(vec3_compare(point, cases[i].point), 0);
        CHECK_NEAR(c.distance_sq, vec3_norm_sq(vec3_sub(cases[i].center, point)), 1e-15);
    }
}

static void check_reach(void)
{
    triangle fan[2];
    make_square(fan);
    closest c;
    triangle_closest(&fan[0], (vec3){0.5, 0.25, 2.0}, 1.9, &c);
    CHECK(isinf(c.distance_sq));
    triangle_closest(&fan[0], (vec3){0.5, 0.25, 2.0}, 2.0, &c);
    CHECK_NEAR(c.distance_sq, 4.0, 0.0);
}

/* a b - c d where all but the last digit cancels: 2^-104, which plain arithmetic loses. */
static void check_exact_products(void)
{
    double x = 1.0 + ldexp(1.0, -52);
    CHECK_NEAR(difference_of_products(x, x, 1.0 + ldexp(1.0, -51), 1.0), ldexp(1.0, -104), 0.0);
    CHECK_NEAR(x * x - (1.0 + ldexp(1.0, -51)) * 1.0, 0.0, 0.0);
}

void test_facet(void)
{
    check_features();
    check_reach();
    check_exact_products();
}
