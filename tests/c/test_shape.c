/* Shapes: what is refused, what is merged, the lists of what meets where, and the moments of
 * rounded bodies. */
#include "abut.h"
#include "base/memory.h"
#include "convex/shape.h"

#include "check.h"
#include "random.h"
#include "shapes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- what is refused ---- */

typedef struct bad_case {
    abut_shape_input input;
    abut_error expected;
} bad_case;

static void check_refused(const abut_shape_input *input, abut_error expected)
{
    abut_shape *shape = NULL;
    abut_error error;
    CHECK_INT(abut_shape_build(input, &shape, &error), expected.status);
    CHECK(shape == NULL);
    CHECK_INT(error.status, expected.status);
    CHECK_INT(error.index, expected.index);
    CHECK_INT(error.detail, expected.detail);
    CHECK_INT(memory_live_count(), 0);
}

static const double CUBE[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const abut_index SQUARES[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
static const abut_index BY_FOUR[7] = {0, 4, 8, 12, 16, 20, 24};

static abut_shape_input cube_input(const double *vertices, const abut_index *indices)
{
    return (abut_shape_input){.dimension = 3,
                              .vertex_count = 8,
                              .facet_count = 6,
                              .index_count = 24,
                              .vertices = vertices,
                              .indices = indices,
                              .offsets = BY_FOUR};
}

/* A cube with one number of its input changed. */
static void check_bad_cubes(void)
{
    double vertices[24];
    abut_index indices[24];
    memcpy(vertices, CUBE, sizeof vertices), memcpy(indices, SQUARES, sizeof indices);
    abut_shape_input in = cube_input(vertices, indices);
    in.radius = -1.0;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_BAD_RADIUS});
    in.radius = NAN;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_BAD_RADIUS});
    in.radius = 0.0, in.dimension = 4;
    check_refused(&in, (abut_error){.status = ABUT_BAD_DIMENSION, .index = 4});
    in = cube_input(vertices, indices), in.vertex_count = 3;
    check_refused(&in,
                  (abut_error){.status = ABUT_SHAPE_TOO_FEW_VERTICES, .index = 3, .detail = 4});
    in = cube_input(vertices, indices), in.facet_count = 3;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_TOO_FEW_FACETS, .index = 3, .detail = 4});
    in = cube_input(vertices, indices), in.facet_count = 5;
    check_refused(&in, (abut_error){.status = ABUT_BAD_LAST_OFFSET, .detail = 20});
    in = cube_input(vertices, indices);
    vertices[7] = NAN;
    check_refused(&in, (abut_error){.status = ABUT_VERTEX_NOT_FINITE, .index = 2, .detail = 1});
    vertices[7] = 1e80;
    check_refused(&in, (abut_error){.status = ABUT_VERTEX_TOO_FAR, .index = 2, .detail = 1});
    vertices[7] = 1.001;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_NOT_PLANAR, .index = 3, .detail = 2});
    vertices[7] = CUBE[7];
    indices[9] = 8;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_BAD_VERTEX, .index = 2, .detail = 8});
    indices[9] = -1;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_BAD_VERTEX, .index = 2, .detail = -1});
    indices[9] = 0;
    check_refused(&in, (abut_error){.status = ABUT_FACET_REPEATS_VERTEX, .index = 2});
    indices[9] = 1, indices[20] = 5, indices[21] = 7, indices[22] = 3, indices[23] = 1;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_INWARD, .index = 5, .detail = 3});
}

/* All facets of a cube look inward. */
static void check_inward(void)
{
    abut_index indices[24];
    for (int c = 0; c < 24; c++) {
        indices[c] = SQUARES[c / 4 * 4 + 3 - c % 4];
    }
    const abut_shape_input in = cube_input(CUBE, indices);
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_INWARD, .detail = 3});
}

static void check_open(void)
{
    const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0.2, -1};
    const abut_index tetra[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const abut_index thrice[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1};
    const abut_index dented[] = {0, 2, 4, 2, 1, 4, 1, 0, 4, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    abut_shape *shape = NULL;
    abut_error error;
    CHECK_INT(build_triangles(points, 4, tetra, 4, 0.0, &shape, &error), ABUT_OK);
    abut_shape_free(shape);
    CHECK_INT(build_triangles(points, 4, thrice, 5, 0.0, &shape, &error), ABUT_SHAPE_NOT_CLOSED);
    CHECK_INT(error.index, 0), CHECK_INT(error.detail, 2), CHECK_NEAR(error.value, 3.0, 0.0);
    CHECK_INT(build_triangles(points, 5, dented, 6, 0.0, &shape, &error), ABUT_OK);
    abut_shape_free(shape);
    double moved[15];
    memcpy(moved, points, sizeof moved);
    moved[14] = 0.2; /* the tip of the lower pyramid is in the upper one */
    CHECK_INT(build_triangles(moved, 5, dented, 6, 0.0, &shape, &error), ABUT_SHAPE_NOT_CONVEX);
    CHECK(shape == NULL);
}

static void check_flat(void)
{
    const double square[] = {0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    const abut_index indices[] = {0, 1, 2, 0, 2, 3, 0, 2, 1, 0, 3, 2};
    abut_shape *shape = NULL;
    abut_error error;
    CHECK_INT(build_triangles(square, 4, indices, 4, 0.0, &shape, &error), ABUT_SHAPE_FLAT);
    const double line[] = {0, 0, 1, 1, 2, 2};
    const abut_index sides[] = {0, 1, 1, 2, 2, 0}, offsets[] = {0, 2, 4, 6};
    const abut_shape_input in = {.dimension = 2,
                                 .vertex_count = 3,
                                 .facet_count = 3,
                                 .index_count = 6,
                                 .vertices = line,
                                 .indices = sides,
                                 .offsets = offsets};
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_FLAT, .index = 2});
}

static void check_bad_polygons(void)
{
    const double square[] = {0, 0, 1, 0, 1, 1, 0, 1};
    const abut_index sides[] = {0, 1, 1, 2, 2, 3, 3, 0}, inward[] = {1, 0, 2, 1, 3, 2, 0, 3};
    const abut_index open[] = {0, 1, 1, 2, 2, 3, 2, 3}, offsets[] = {0, 2, 4, 6, 8};
    const abut_index long_one[] = {0, 3, 4, 6, 8};
    abut_shape_input in = {.dimension = 2,
                           .vertex_count = 4,
                           .facet_count = 4,
                           .index_count = 8,
                           .vertices = square,
                           .indices = inward,
                           .offsets = offsets};
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_INWARD, .detail = 2});
    in.indices = open;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_NOT_CLOSED, .detail = -1});
    in.indices = sides, in.offsets = long_one;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_BAD_SIDE, .detail = 3});
    const double dart[] = {0, 0, 2, 0, 0.5, 0.5, 0, 2};
    in.vertices = dart, in.offsets = offsets;
    check_refused(&in, (abut_error){.status = ABUT_SHAPE_NOT_CONVEX, .index = 1, .detail = 3});
}

/* ---- lists ---- */

/* Each list is what the facets' corners say, whoever made them. */
static void check_facet_lists(const abut_shape *s)
{
    for (int32_t f = 0; f < s->facet_count; f++) {
        const shape_facet *facet = &s->facets[f];
        CHECK_NEAR(vec3_length(facet->normal), 1.0, 1e-15);
        for (int32_t v = 0; v < s->vertex_count; v++) {
            CHECK(vec3_dot(facet->normal, shape_point(s, v)) <= facet->offset);
        }
        for (int32_t k = 0; k < facet->count; k++) {
            const shape_corner *c = &s->corners[facet->begin + k];
            const vec3 p = shape_point(s, c->vertex);
            CHECK_NEAR(vec3_dot(facet->normal, p), facet->offset, 1e-11 * s->reach);
            CHECK_NEAR(vec3_dot(facet->normal, c->outward), 0.0, 1e-14);
            CHECK_NEAR(vec3_dot(c->outward, p), c->offset, 1e-11 * s->reach);
            for (int32_t m = 0; m < facet->count; m++) {
                const vec3 q = shape_point(s, s->corners[facet->begin + m].vertex);
                CHECK(vec3_dot(c->outward, q) <= c->offset);
            }
        }
    }
}

static void check_edge_lists(const abut_shape *s)
{
    for (int32_t e = 0; e < s->edge_count; e++) {
        const shape_edge *edge = &s->edges[e];
        const vec3 from = shape_point(s, edge->vertices[0]), to = shape_point(s, edge->vertices[1]);
        CHECK_NEAR(
            vec3_length(vec3_sub(vec3_sub(to, from), vec3_scale(edge->direction, edge->length))),
            0.0, 1e-14 * s->reach);
        const vec3 turn =
            vec3_cross(s->facets[edge->facets[0]].normal, s->facets[edge->facets[1]].normal);
        CHECK(vec3_dot(turn, edge->direction) > 0.0);
        int found = 0;
        for (int side = 0; side < 2; side++) {
            const shape_facet *f = &s->facets[edge->facets[side]];
            for (int32_t k = 0; k < f->count; k++) {
                const shape_corner *c = &s->corners[f->begin + k];
                found += c->edge == e && c->vertex == edge->vertices[side];
            }
        }
        CHECK_INT(found, 2);
    }
}

static int is_corner(const abut_shape *s, int32_t facet, int32_t vertex)
{
    int found = 0;
    for (int32_t k = 0; k < s->facets[facet].count; k++) {
        found += s->corners[s->facets[facet].begin + k].vertex == vertex;
    }
    return found;
}

static void check_vertex_lists(const abut_shape *s)
{
    int32_t listed = 0;
    for (int32_t v = 0; v < s->vertex_count; v++) {
        const shape_vertex *vertex = &s->vertices[v];
        listed += vertex->facet_count;
        CHECK(vertex->facet_count >= s->dimension);
        CHECK_INT(vertex->edge_count, vertex->facet_count);
        for (int32_t k = 0; k < vertex->facet_count; k++) {
            const int32_t facet = s->facets_at[vertex->first_facet + k];
            const int32_t neighbor = s->neighbors[vertex->first_edge + k];
            CHECK_INT(is_corner(s, facet, v), 1);
            CHECK_INT(is_corner(s, facet, neighbor), 1);
            if (s->dimension == 3) {
                const int32_t next = (k + 1) % vertex->edge_count;
                const shape_edge *e = &s->edges[s->edges_at[vertex->first_edge + k]];
                CHECK_INT(is_corner(s, facet, s->neighbors[vertex->first_edge + next]), 1);
                CHECK_INT(e->vertices[0] + e->vertices[1], v + neighbor);
                CHECK(e->vertices[0] == v || e->vertices[1] == v);
            }
        }
    }
    CHECK_INT(listed, s->corner_count);
}

static void check_lists(const abut_shape *s)
{
    check_facet_lists(s);
    check_edge_lists(s);
    check_vertex_lists(s);
    CHECK_INT(s->padded_count % 8, 0);
    for (int32_t v = s->vertex_count; v < s->padded_count; v++) {
        CHECK_INT(vec3_compare(shape_point(s, v), shape_point(s, s->vertex_count - 1)), 0);
    }
    const abut_index euler = s->vertex_count - s->edge_count + s->facet_count;
    CHECK_INT(euler, s->dimension == 3 ? 2 : 2 * s->vertex_count);
}

/* Twelve triangles of a cube, which is cut along other diagonals each time. */
static abut_shape *cube_of_triangles(unsigned diagonals, double radius)
{
    abut_index indices[36];
    for (int f = 0; f < 6; f++) {
        const abut_index *q = SQUARES + 4 * f;
        const int turn = diagonals >> f & 1;
        for (int k = 0; k < 2; k++) {
            abut_index *t = indices + 6 * f + 3 * k;
            t[0] = q[turn], t[1] = q[(turn + 1 + k) % 4], t[2] = q[(turn + 2 + k) % 4];
        }
    }
    abut_shape *shape = NULL;
    CHECK_INT(build_triangles(CUBE, 8, indices, 12, radius, &shape, NULL), ABUT_OK);
    return shape;
}

static void check_cube(void)
{
    for (unsigned diagonals = 0; diagonals < 64; diagonals++) {
        abut_shape *s = cube_of_triangles(diagonals, 0.0);
        const abut_shape_view view = abut_shape_inspect(s);
        CHECK_INT(view.vertex_count, 8), CHECK_INT(view.facet_count, 6);
        CHECK_INT(view.edge_count, 12), CHECK_INT(view.index_count, 24);
        CHECK_NEAR(view.volume, 8.0, 1e-14), CHECK_NEAR(view.inertia[0], 16.0 / 3.0, 1e-14);
        CHECK_NEAR(view.circumradius, sqrt(3.0), 1e-15), CHECK_NEAR(view.centroid[1], 0.0, 1e-15);
        check_lists(s);
        abut_shape_free(s);
    }
}

/* A cube with points on its edges, in its facets and in its inside: eight vertices are left. */
static void check_dropped(void)
{
    double points[27 * 3];
    int count = 0;
    for (int k = 0; k < 27; k++) {
        points[3 * k] = k % 3, points[3 * k + 1] = k / 3 % 3, points[3 * k + 2] = k / 9;
    }
    abut_index indices[48 * 3];
    for (int axis = 0; axis < 3; axis++) {
        const int steps[3] = {1, 3, 9};
        const int u = steps[(axis + 1) % 3], v = steps[(axis + 2) % 3];
        for (int cell = 0; cell < 8; cell++) {
            const int side = cell / 4;
            const int at = side * 2 * steps[axis] + cell % 2 * u + cell / 2 % 2 * v;
            const int quad[4] = {at, at + (side ? u : v), at + u + v, at + (side ? v : u)};
            for (int t = 0; t < 2; t++) {
                indices[count++] = quad[0];
                indices[count++] = quad[1 + t];
                indices[count++] = quad[2 + t];
            }
        }
    }
    abut_shape *s = NULL;
    CHECK_INT(build_triangles(points, 27, indices, 48, 0.0, &s, NULL), ABUT_OK);
    CHECK_INT(s->vertex_count, 8), CHECK_INT(s->facet_count, 6), CHECK_INT(s->edge_count, 12);
    for (int v = 0; v < 8; v++) {
        CHECK_INT(s->view.source[v], v % 2 * 2 + v / 2 % 2 * 6 + v / 4 * 18);
    }
    check_lists(s);
    abut_shape_free(s);
}

void test_shape(void)
{
    check_bad_cubes();
    check_inward();
    check_open();
    check_flat();
    check_bad_polygons();
    check_cube();
    check_dropped();
    CHECK_INT(memory_live_count(), 0);
}
