/* The closest point of a facet and the feature that it lies on, by table 3 of the paper. */
#include "mesh/facet.h"

#include "check.h"
#include "contact_columns.h"

#include <math.h>

/* A unit square in z = 0 as its fan of two triangles; its smallest corner is number 2. */
static const double VERTICES[] = {1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0};
static const abut_index CORNERS[] = {2, 0, 1, 3};

/* A finder of the square, which borrows the mesh. */
static abut_finder *build_square(abut_mesh **mesh)
{
    static const abut_index offsets[] = {0, 4};
    const abut_mesh_input input = {.vertex_count = 4,
                                   .facet_count = 1,
                                   .index_count = 4,
                                   .vertices = VERTICES,
                                   .indices = CORNERS,
                                   .offsets = offsets};
    abut_finder *finder = NULL;
    CHECK_INT(abut_mesh_build(&input, mesh, NULL), ABUT_OK);
    const abut_mesh *meshes[] = {*mesh};
    CHECK_INT(abut_finder_build(meshes, 1, &finder, NULL), ABUT_OK);
    return finder;
}

/* Returns the contacts of one sphere; the caller frees their columns. */
static found find_one(const abut_finder *finder, vec3 center, double radius)
{
    abut_query query = abut_query_default();
    query.sphere_count = 1, query.centers = &center.x, query.radii = &radius;
    return find_columns(finder, &query);
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
    abut_mesh *mesh = NULL;
    abut_finder *finder = build_square(&mesh);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        found f = find_one(finder, cases[i].center, 2.0);
        const vec3 point = vec3_load(f.columns.point);
        CHECK_INT(f.rows, 1);
        CHECK_INT(f.columns.type[0], cases[i].type);
        CHECK_INT(f.columns.feature[0], cases[i].feature);
        CHECK_INT(vec3_compare(point, cases[i].point), 0);
        const double distance = vec3_length(vec3_sub(cases[i].center, point));
        CHECK_NEAR(f.columns.overlap[0], 2.0 - distance, 1e-15);
        free_columns(&f.columns);
    }
    abut_finder_free(finder), abut_mesh_free(mesh);
}

/* a b - c d where all digits but the last cancel: 2^-104, which is 0 in plain arithmetic. */
static void check_exact_products(void)
{
    double x = 1.0 + ldexp(1.0, -52);
    CHECK_NEAR(difference_of_products(x, x, 1.0 + ldexp(1.0, -51), 1.0), ldexp(1.0, -104), 0.0);
    CHECK_NEAR(x * x - (1.0 + ldexp(1.0, -51)) * 1.0, 0.0, 0.0);
}

/* ---- weights of degenerate polygons ---- */

/* Returns the weights of a contact with a facet; the caller frees its columns. */
static found find_weights(abut_index count, const double *vertices, double noise,
                          abut_weights weights, vec3 center)
{
    const abut_index corners[] = {0, 1, 2, 3, 4}, offsets[] = {0, count};
    const abut_mesh_input input = {.vertex_count = count,
                                   .facet_count = 1,
                                   .index_count = count,
                                   .vertices = vertices,
                                   .indices = corners,
                                   .offsets = offsets,
                                   .noise = &noise};
    const double radius = 0.2;
    abut_mesh *mesh = NULL;
    abut_finder *finder = NULL;
    abut_query query = abut_query_default();
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    CHECK_INT(abut_finder_build((const abut_mesh *const[]){mesh}, 1, &finder, NULL), ABUT_OK);
    query.sphere_count = 1, query.centers = &center.x, query.radii = &radius;
    query.weights = weights;
    const found f = find_columns(finder, &query);
    CHECK(f.rows == 1 && f.columns.type[0] == ABUT_FACET && f.nodes == count);
    abut_finder_free(finder), abut_mesh_free(mesh);
    return f;
}

static double sum_of_weights(const found *f)
{
    double sum = 0.0;
    for (abut_index k = 0; k < f->nodes; k++) {
        CHECK(f->columns.weight[k] >= 0.0);
        sum += f->columns.weight[k];
    }
    return sum;
}

/* Zhong's weights of a bent polygon are those of its flat form. A corner that is reflex by noise
 * has weight 0. In a polygon as thin as its noise with a repeated corner, weights still sum to 1.
 */
static void check_weights(void)
{
    const double bent[] = {0, 0, 0, 2, 0, 0, 2, 2, 1e-3, 0, 2, 0};
    const double arrow[] = {0, 0, 0, 1, 0.002, 0, 2, 0, 0, 1, 0.003, 0};
    const double thin[] = {0, 0, 0, 2, 0, 0, 2, 0, 0, 1, 0.003, 0};
    found f = find_weights(4, bent, 0.0, ABUT_ZHONG, (vec3){1.0, 1.0, 0.1});
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(f.columns.weight[k], 0.25, 1e-3);
    }
    CHECK_NEAR(sum_of_weights(&f), 1.0, 1e-15);
    free_columns(&f.columns);
    f = find_weights(4, arrow, 0.01, ABUT_WACHSPRESS, (vec3){1.0, 0.0025, 0.1});
    CHECK(f.columns.weight[1] == 0.0);
    CHECK_NEAR(sum_of_weights(&f), 1.0, 1e-15);
    free_columns(&f.columns);
    f = find_weights(4, thin, 0.01, ABUT_WACHSPRESS, (vec3){1.0, 0.001, 0.1});
    CHECK_NEAR(sum_of_weights(&f), 1.0, 1e-15);
    free_columns(&f.columns);
}

void test_facet(void)
{
    check_weights();
    check_features();
    check_exact_products();
}
