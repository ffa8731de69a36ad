/* Shapes: merged facets, lists of adjacent features, and the moments of rounded bodies. */
#include "abut.h"
#include "base/memory.h"
#include "convex/shape.h"

#include "check.h"
#include "failing.h"
#include "random.h"
#include "shapes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

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

/* ---- lists ---- */

/* Each list follows from the corners of the facets. */
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
    const abut_index euler = s->vertex_count - s->edge_count + s->facet_count;
    CHECK_INT(euler, s->dimension == 3 ? 2 : 2 * s->vertex_count);
}

/* Returns a cube of twelve triangles; bits of `diagonals` choose how each side is cut. */
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
    CHECK_INT(build_shape(CUBE, 8, indices, 12, radius, &shape, NULL), ABUT_OK);
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
        CHECK_NEAR(view.inradius, 1.0, 1e-15);
        check_lists(s);
        abut_shape_free(s);
    }
}

/* ---- rounded bodies ---- */

static double distance_to_segment(vec3 p, vec3 a, vec3 b)
{
    const vec3 along = vec3_sub(b, a);
    const double t = vec3_dot(vec3_sub(p, a), along) / vec3_norm_sq(along);
    const double at = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return vec3_length(vec3_sub(p, vec3_add(a, vec3_scale(along, at))));
}

static bool is_over_facet(const abut_shape *s, const shape_facet *f, vec3 p)
{
    for (int32_t k = f->begin; k < f->begin + f->count; k++) {
        if (vec3_dot(s->corners[k].outward, p) > s->corners[k].offset) {
            return false;
        }
    }
    return true;
}

/* Returns the distance of a point from a polyhedron: from its facets, edges and vertices. */
static double distance_to_shape(const abut_shape *s, vec3 p)
{
    double best = INFINITY, highest = -INFINITY;
    for (int32_t f = 0; f < s->facet_count; f++) {
        const double height = vec3_dot(s->facets[f].normal, p) - s->facets[f].offset;
        highest = larger(highest, height);
        if (height >= 0.0 && is_over_facet(s, &s->facets[f], p)) {
            best = fmin(best, height);
        }
    }
    for (int32_t e = 0; e < s->edge_count; e++) {
        best = fmin(best, distance_to_segment(p, shape_point(s, s->edges[e].vertices[0]),
                                              shape_point(s, s->edges[e].vertices[1])));
    }
    return highest <= 0.0 ? 0.0 : best;
}

/* Moments by random points: mass, first, and second about the centroid. */
typedef struct sampled {
    double mass, first[3], second[9];
} sampled;

static void sample(sampled *sum, vec3 p, double weight)
{
    double x[3];
    vec3_store(x, p);
    sum->mass += weight;
    for (int k = 0; k < 9; k++) {
        sum->first[k % 3] += k < 3 ? weight * x[k] : 0.0;
        sum->second[k] += weight * x[k / 3] * x[k % 3];
    }
}

/* Compares moments with sums over a million random points, one per cell of a grid; such sums are
 * exact to a thousandth. */
static void check_sampled(const abut_shape *s, bool is_in(const abut_shape *, vec3))
{
    const int side = s->dimension == 3 ? 100 : 1000, layers = s->dimension == 3 ? side : 1;
    const vec3 center = vec3_load(s->view.centroid);
    const double r = s->view.circumradius, cell = 2.0 * r / side;
    const double weight = s->dimension == 3 ? cell * cell * cell : cell * cell;
    sampled sum = {0};
    for (int k = 0; k < side * side * layers; k++) {
        const double x = k % side + draw_number(), y = k / side % side + draw_number();
        const double z = layers > 1 ? cell * (k / side / side + draw_number()) - r : 0.0;
        const vec3 p = {cell * x - r, cell * y - r, z};
        if (is_in(s, vec3_add(p, center))) {
            sample(&sum, p, weight);
        }
    }
    const double v = s->view.volume, *m = sum.second;
    CHECK_NEAR(sum.mass, v, 4e-3 * v);
    for (int axis = 0; axis < 3; axis++) {
        CHECK_NEAR(sum.first[axis] / v, 0.0, 4e-3 * r);
    }
    const double trace = m[0] + m[4] + m[8];
    for (int k = 0; k < 9 && s->dimension == 3; k++) {
        CHECK_NEAR(s->view.inertia[k], (k % 4 == 0 ? trace : 0.0) - m[k], 4e-3 * v * r * r);
    }
    if (s->dimension == 2) {
        CHECK_NEAR(s->view.inertia[0], trace, 4e-3 * v * r * r);
    }
}

static bool is_in_polyhedron(const abut_shape *s, vec3 p)
{
    return distance_to_shape(s, p) <= s->radius;
}

static bool is_in_polygon(const abut_shape *s, vec3 p)
{
    double best = INFINITY, highest = -INFINITY;
    for (int32_t f = 0; f < s->facet_count; f++) {
        const shape_corner *c = &s->corners[s->facets[f].begin];
        highest = larger(highest, vec3_dot(s->facets[f].normal, p) - s->facets[f].offset);
        best = fmin(
            best, distance_to_segment(p, shape_point(s, c[0].vertex), shape_point(s, c[1].vertex)));
    }
    return highest <= 0.0 || best <= s->radius;
}

static void check_rounded(void)
{
    const double points[] = {0.1, 0.2, 0, 1, 0, 0.1, 0.3, 1.2, 0, 0.2, 0.4, 0.7};
    const abut_index tetra[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const double radii[] = {0.0, 0.02, 0.5};
    for (int k = 0; k < 3; k++) {
        abut_shape *s = NULL;
        CHECK_INT(build_shape(points, 4, tetra, 4, radii[k], &s, NULL), ABUT_OK);
        check_sampled(s, is_in_polyhedron);
        abut_shape_free(s);
    }
}

static abut_shape *make_triangle(double x, double radius)
{
    const double points[] = {0, 0, x, 0.2, 0.3, 0.9};
    const abut_index sides[] = {0, 1, 1, 2, 2, 0}, offsets[] = {0, 2, 4, 6};
    const abut_shape_input in = {.dimension = 2,
                                 .vertex_count = 3,
                                 .facet_count = 3,
                                 .index_count = 6,
                                 .vertices = points,
                                 .indices = sides,
                                 .offsets = offsets,
                                 .radius = radius};
    abut_shape *s = NULL;
    CHECK_INT(abut_shape_build(&in, &s, NULL), ABUT_OK);
    return s;
}

static void check_polygon(void)
{
    for (int k = 0; k < 2; k++) {
        abut_shape *s = make_triangle(2.0, 0.4 * k);
        check_lists(s);
        check_sampled(s, is_in_polygon);
        abut_shape_free(s);
    }
}

/* A tiny body with a rounding radius approaches a sphere or a disk; a needle approaches a capsule.
 */
static void check_limits(void)
{
    const double tiny[] = {0, 0, 0, 1e-9, 0, 0, 0, 1e-9, 0, 0, 0, 1e-9};
    const double needle[] = {0, 0, 0, 2, 0, 0, 0, 1e-8, 0, 0, 0, 1e-8};
    const abut_index tetra[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const double ball = 4.0 / 3.0 * PI;
    abut_shape *s = NULL;
    CHECK_INT(abut_shape_build_point(3, 1.0, &s, NULL), ABUT_OK);
    CHECK_NEAR(s->view.volume, ball, 1e-15), CHECK_NEAR(s->view.inertia[4], 0.4 * ball, 1e-15);
    CHECK_NEAR(s->view.circumradius, 1.0, 0.0), CHECK_NEAR(s->reach, 0.0, 0.0);
    CHECK_INT(s->vertex_count, 1), CHECK_INT(s->facet_count, 0), CHECK_INT(s->edge_count, 0);
    abut_shape_free(s);
    CHECK_INT(abut_shape_build_point(2, 2.0, &s, NULL), ABUT_OK);
    CHECK_NEAR(s->view.volume, 4.0 * PI, 1e-14), CHECK_NEAR(s->view.inertia[0], 8.0 * PI, 1e-14);
    abut_shape_free(s);
    CHECK_INT(build_shape(tiny, 4, tetra, 4, 1.0, &s, NULL), ABUT_OK);
    CHECK_NEAR(s->view.volume, ball, 1e-8), CHECK_NEAR(s->view.inertia[0], 0.4 * ball, 1e-8);
    abut_shape_free(s);
    CHECK_INT(build_shape(needle, 4, tetra, 4, 1.0, &s, NULL), ABUT_OK);
    CHECK_NEAR(s->view.volume, ball + 2.0 * PI, 1e-7);
    CHECK_NEAR(s->view.inertia[0], 0.4 * ball + PI, 1e-7);
    CHECK_NEAR(s->view.centroid[0], 1.0, 1e-8);
    abut_shape_free(s);
}

/* ---- memory ---- */

static void check_failures(void)
{
    const abut_shape_input in = cube_input(CUBE, SQUARES);
    abut_shape *s = NULL;
    abut_error error;
    failures f = {0};
    while (fail_next(&f)) {
        f.status = abut_shape_build(&in, &s, &error);
        CHECK_INT(error.status, f.status);
        CHECK((s == NULL) == (f.status != ABUT_OK));
        abut_shape_free(s);
    }
    CHECK(f.count > 15);
    f = (failures){0};
    while (fail_next(&f)) {
        f.status = abut_shape_build_point(3, 1.0, &s, &error);
        CHECK_INT(error.status, f.status);
        CHECK((s == NULL) == (f.status != ABUT_OK));
        abut_shape_free(s);
    }
    CHECK_INT(f.count, 3);
    CHECK_INT(abut_shape_build(&(abut_shape_input){.dimension = 1}, &s, &error),
              ABUT_BAD_DIMENSION);
    CHECK(s == NULL && error.index == 1);
    abut_shape_free(NULL);
}

static void check_refused(abut_shape_input input, abut_status status, abut_index detail)
{
    abut_shape *shape = NULL;
    abut_error error;
    CHECK_INT(abut_shape_build(&input, &shape, &error), status);
    CHECK(shape == NULL && error.status == status && error.detail == detail);
}

/* Spheres and disks that are refused. */
static void check_points_refused(void)
{
    static const struct {
        int dimension;
        double radius;
        abut_status status;
    } cases[] = {{1, 1.0, ABUT_BAD_DIMENSION},
                 {4, 1.0, ABUT_BAD_DIMENSION},
                 {3, -1.0, ABUT_SHAPE_BAD_RADIUS},
                 {2, 2.0 * ABUT_COORDINATE_LIMIT, ABUT_SHAPE_BAD_RADIUS},
                 {2, (double)NAN, ABUT_SHAPE_BAD_RADIUS}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        abut_shape *s = NULL;
        abut_error error;
        CHECK_INT(abut_shape_build_point(cases[k].dimension, cases[k].radius, &s, &error),
                  cases[k].status);
        CHECK(s == NULL && error.status == cases[k].status);
        CHECK(error.index == (k < 2 ? cases[k].dimension : 0));
    }
}

/* Counts beyond the limit of numbers; this error comes before any data are read. */
static void check_too_many(void)
{
    abut_shape_input inputs[3];
    for (int k = 0; k < 3; k++) {
        inputs[k] = cube_input(CUBE, SQUARES);
    }
    inputs[0].vertex_count = inputs[1].index_count = inputs[2].facet_count = INT32_MAX;
    for (int k = 0; k < 3; k++) {
        check_refused(inputs[k], ABUT_TOO_MANY_FACETS, 0);
    }
}

/* Offsets must ascend without gaps, and facets must have corners. */
static void check_offsets_refused(void)
{
    static const struct {
        int place;
        abut_index offset;
        abut_status status;
        abut_index detail;
    } cases[] = {{0, 1, ABUT_BAD_OFFSETS, 0},
                 {2, 3, ABUT_BAD_OFFSETS, 0},
                 {6, 25, ABUT_BAD_OFFSETS, 0},
                 {1, 2, ABUT_FACET_TOO_FEW_CORNERS, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        abut_index offsets[7];
        memcpy(offsets, BY_FOUR, sizeof offsets);
        offsets[cases[k].place] = cases[k].offset;
        abut_shape_input in = cube_input(CUBE, SQUARES);
        in.offsets = offsets;
        check_refused(in, cases[k].status, cases[k].detail);
    }
}

/* Bodies hardly thicker than the tolerance: all corners are in the plane of one facet, or on the
 * line of one side. */
static void check_hardly_thick(void)
{
    const double low[] = {0, -4.7e-13, 0.5, -4.7e-13, 1, -4.7e-13, 0.97, 2.5e-13, 0.95, 0, 0.05, 0};
    const abut_index sides[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0};
    const abut_index twos[] = {0, 2, 4, 6, 8, 10, 12};
    check_refused((abut_shape_input){2, 6, 6, 12, low, sides, twos, 0.0}, ABUT_SHAPE_NOT_CONVEX, 0);
    const double z = 6e-13;
    const double thin[] = {0,    0,    -z, 1,    0,    -z, 0,    1,    -z, 0.3, 0.3,   -z,
                           0.02, 0.02, 0,  0.96, 0.02, 0,  0.02, 0.96, 0,  0.5, 0.005, 0.4 * z};
    const abut_index corners[] = {0, 3, 1, 1, 3, 2, 2, 3, 0, 4, 5, 6, 0, 1, 7, 1, 4, 7,
                                  4, 0, 7, 1, 5, 4, 1, 2, 5, 2, 6, 5, 2, 0, 6, 0, 4, 6};
    abut_shape *shape = NULL;
    abut_error error;
    CHECK_INT(build_shape(thin, 8, corners, 12, 0.0, &shape, &error), ABUT_SHAPE_FLAT);
    CHECK(shape == NULL && error.index == 3);
}

/* A triangle without area on an edge is merged with its neighbor. Two halves of a polygon's side,
 * the second one first, are merged into one side. */
static void check_merged(void)
{
    const double tetra[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0};
    const abut_index facets[] = {0, 2, 4, 4, 2, 1, 0, 4, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    abut_shape *s = NULL;
    CHECK_INT(build_shape(tetra, 5, facets, 6, 0.0, &s, NULL), ABUT_OK);
    CHECK_INT(s->vertex_count, 4), CHECK_INT(s->facet_count, 4);
    CHECK_NEAR(s->view.volume, 8.0 / 6.0, 1e-15);
    check_lists(s);
    abut_shape_free(s);
    const double triangle[] = {0, 0, 2, 0, 1, 2, 1, 0};
    const abut_index sides[] = {3, 1, 1, 2, 2, 0, 0, 3}, offsets[] = {0, 2, 4, 6, 8};
    s = shape_of(2, 4, triangle, 4, sides, offsets, 0.0);
    CHECK_INT(s->vertex_count, 3), CHECK_INT(s->facet_count, 3);
    CHECK_NEAR(s->view.volume, 2.0, 1e-15);
    check_lists(s);
    abut_shape_free(s);
}

/* Invalid facets, which Python cannot pass, because it computes the facets. */
static void check_errors(void)
{
    const double plane[24] = {-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0,
                              -2, -2, 0, 2, -2, 0, -2, 2, 0, 2, 2, 0};
    abut_index indices[24];
    memcpy(indices, SQUARES, sizeof indices);
    indices[9] = indices[8];
    check_refused(cube_input(CUBE, indices), ABUT_FACET_REPEATS_VERTEX, 0);
    abut_shape_input in = cube_input(CUBE, SQUARES);
    in.vertex_count = 3;
    check_refused(in, ABUT_SHAPE_TOO_FEW_VERTICES, 4);
    in = cube_input(CUBE, SQUARES), in.facet_count = 3, in.index_count = 12;
    check_refused(in, ABUT_SHAPE_TOO_FEW_FACETS, 4);
    in = cube_input(CUBE, SQUARES), in.facet_count = 5;
    check_refused(in, ABUT_BAD_LAST_OFFSET, 20);
    check_refused(cube_input(plane, SQUARES), ABUT_SHAPE_FLAT, 0);
}

void test_shape(void)
{
    state = 2026;
    check_rounded();
    check_polygon();
    check_limits();
    check_failures();
    check_errors();
    check_points_refused();
    check_too_many();
    check_offsets_refused();
    check_hardly_thick();
    check_merged();
    check_cube();
    CHECK_INT(memory_live_count(), 0);
}
