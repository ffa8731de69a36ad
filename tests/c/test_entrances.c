/* Entrances: invalid lists, the climb from one to a better one, and points and flat bodies. */
#include "abut.h"
#include "base/memory.h"
#include "convex/entrances.h"

#include "check.h"
#include "random.h"

#include "bodies.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- scenes ---- */

enum { SHAPE_COUNT = 8, PAIRS = 120 };

static void make_shapes(abut_shape *shapes[SHAPE_COUNT])
{
    const vec3 round = {1.0, 1.0, 1.0}, needle = {1.0, 0.05, 0.05}, plate = {1.0, 1.0, 0.03};
    shapes[0] = box_shape(1.0, 1.0, 1.0);
    shapes[1] = box_shape(1.0, 0.5, 0.1);
    shapes[2] = random_shape(4, round);
    shapes[3] = random_shape(6, round);
    shapes[4] = random_shape(12, round);
    shapes[5] = random_shape(40, round);
    shapes[6] = random_shape(10, needle);
    shapes[7] = random_shape(16, plate);
}

static void free_shapes(abut_shape *shapes[SHAPE_COUNT])
{
    for (int k = 0; k < SHAPE_COUNT; k++) {
        abut_shape_free(shapes[k]);
    }
}

static convex_pair draw_pair(abut_shape *const shapes[SHAPE_COUNT], double distance)
{
    const abut_shape *a = shapes[draw() % SHAPE_COUNT], *b = shapes[draw() % SHAPE_COUNT];
    const vec3 axis = draw_unit();
    const double angle = PI * draw_number();
    const vec3 way = draw_unit();
    return make_pair(a, b, axis, angle, vec3_scale(way, distance * draw_number()));
}

/* ---- one by one ---- */

/* Returns an entrance of features of two types. */
static entrance with_types(int32_t a, int32_t b)
{
    return (entrance){{{a, 0}, {b, 0}}, {0.0, 0.0, 0.0}, 0.0};
}

/* Returns how many feature pairs of these types are entrances. */
static int look(const convex_pair *pair, int32_t type_a, int32_t count_a, int32_t type_b,
                int32_t count_b)
{
    int count = 0;
    for (int32_t a = 0; a < count_a; a++) {
        for (int32_t b = 0; b < count_b; b++) {
            entrance e = with_types(type_a, type_b);
            e.ends[0].feature = a, e.ends[1].feature = b;
            if (entrance_read(pair, &e)) {
                /* its gap is that of both bodies' supports along its normal */
                const double gap = pair_support_gap(pair, e.normal).gap;
                CHECK_NEAR(vec3_length(e.normal), 1.0, 1e-14);
                CHECK_NEAR(e.gap, gap, 1e-12);
                count++;
            }
        }
    }
    return count;
}

static int look_at_all(const convex_pair *pair)
{
    const abut_shape *a = pair->a.shape, *b = pair->b.shape;
    return look(pair, ABUT_FACET, a->facet_count, ABUT_VERTEX, b->vertex_count) +
           look(pair, ABUT_EDGE, a->edge_count, ABUT_EDGE, b->edge_count) +
           look(pair, ABUT_VERTEX, a->vertex_count, ABUT_FACET, b->facet_count);
}

/* ---- all of them ---- */

enum { MOST_ENTRANCES = 40000 };

static entrance listed[MOST_ENTRANCES], updated[MOST_ENTRANCES];

static int entrances_differ(const entrance *a, const entrance *b)
{
    return memcmp(a->ends, b->ends, sizeof a->ends) != 0 || vec3_compare(a->normal, b->normal) ||
           a->gap != b->gap;
}

/* Every listed entrance is valid, and their number is that of a full count. */
static void check_listed(const convex_pair *pair, abut_index count)
{
    CHECK_INT(count, look_at_all(pair));
    CHECK(count <= entrances_limit(pair));
    for (abut_index k = 0; k < count; k++) {
        entrance e = listed[k];
        CHECK(entrance_read(pair, &e));
        CHECK_INT(entrances_differ(&e, &listed[k]), 0);
    }
}

/* A list that is updated from another one is the same to the bit. */
static void check_updated(const convex_pair *pair, const entrance *before, abut_index before_count,
                          abut_index count)
{
    CHECK_INT(entrances_all(pair, before, before_count, updated), count);
    int different = 0;
    for (abut_index k = 0; k < count; k++) {
        different += entrances_differ(&listed[k], &updated[k]);
    }
    CHECK_INT(different, 0);
}

/* Invalid lists of entrances do no harm. */
static void check_garbage(abut_shape *const shapes[SHAPE_COUNT])
{
    entrance garbage[64];
    const convex_pair pair = draw_pair(shapes, 2.0);
    const abut_index count = entrances_all(&pair, NULL, 0, listed);
    for (int k = 0; k < 200; k++) {
        for (int m = 0; m < 64; m++) {
            garbage[m] = with_types((int32_t)(draw() % 5) - 1, (int32_t)(draw() % 5) - 1);
            garbage[m].ends[0].feature = (int32_t)draw(), garbage[m].ends[1].feature = m - 3;
            garbage[m].normal.x = NAN;
        }
        check_updated(&pair, garbage, 64, count);
    }
}

/* ---- the climb ---- */

static bool has_vertex(const abut_shape *s, convex_end end, int32_t vertex)
{
    if (end.type == ABUT_VERTEX) {
        return end.feature == vertex;
    }
    if (end.type == ABUT_EDGE) {
        const int32_t *ends = s->edges[end.feature].vertices;
        return ends[0] == vertex || ends[1] == vertex;
    }
    bool is_there = false;
    for (int32_t k = 0; k < s->facets[end.feature].count; k++) {
        is_there |= s->corners[s->facets[end.feature].begin + k].vertex == vertex;
    }
    return is_there;
}

static bool share_vertex(const abut_shape *s, convex_end one, convex_end other)
{
    for (int32_t v = 0; v < s->vertex_count; v++) {
        if (has_vertex(s, one, v) && has_vertex(s, other, v)) {
            return true;
        }
    }
    return false;
}

/* The climb ends where no entrance that shares vertices on both bodies is better. */
static void check_top(const convex_pair *pair, entrance start, abut_index count)
{
    entrance top = start;
    entrances_climb(pair, &top);
    CHECK(top.gap >= start.gap);
    for (abut_index k = 0; k < count; k++) {
        if (share_vertex(pair->a.shape, listed[k].ends[0], top.ends[0]) &&
            share_vertex(pair->b.shape, listed[k].ends[1], top.ends[1])) {
            CHECK(listed[k].gap <= top.gap + 1e-13);
        }
    }
}

static void check_climb(abut_shape *const shapes[SHAPE_COUNT])
{
    int climbed = 0;
    for (int k = 0; k < PAIRS; k++) {
        const convex_pair pair = draw_pair(shapes, k % 2 ? 1.0 : 2.0);
        const abut_index count = entrances_all(&pair, NULL, 0, listed);
        const entrance start = listed[draw() % (uint64_t)count];
        entrance top = start, best;
        check_top(&pair, start, count);
        CHECK(entrances_best(&pair, &best));
        entrances_climb(&pair, &top);
        climbed += top.gap > start.gap;
        CHECK(top.gap <= best.gap + 1e-13);
    }
    CHECK(climbed > PAIRS / 2);
}

/* ---- the direct search ---- */

static abut_convex_options options_of_search(void)
{
    return (abut_convex_options){
        .method = ABUT_DIRECT_SEARCH, .patch_angle = 0.1, .iterations = 100};
}

/* Checks the bounds of a link; a climb may end at a local minimum of the overlap. */
static void check_link(const convex_pair *pair, const convex_link *link, bool is_global)
{
    const double exact = true_gap(pair), slack = 1e-14 * pair->size;
    CHECK(link->error <= pair->tolerance);
    CHECK(link->gap <= exact + slack);
    CHECK(link->status != ABUT_UNCONVERGED);
    CHECK_NEAR(pair_support_gap(pair, link->normal).gap, link->gap, slack);
    if (exact > 0.0 || is_global) {
        CHECK_NEAR(link->gap, exact, pair->tolerance);
    }
    const vec3 across = vec3_sub(pair_to_a(pair, link->q), link->p);
    CHECK_NEAR(vec3_length(across), fabs(link->gap), 2.0 * pair->tolerance);
}

/* Overlapping bodies slide; the climb from the previous step ends at a local minimum. */
static void check_slides(abut_shape *const shapes[SHAPE_COUNT])
{
    const abut_convex_options options = options_of_search();
    for (int k = 0; k < PAIRS; k++) {
        const abut_shape *a = shapes[k % 4], *b = shapes[k / 4 % 4];
        const vec3 axis = draw_unit(), way = vec3_scale(draw_unit(), 0.05);
        convex_pair pair = make_pair(a, b, axis, k, vec3_scale(draw_unit(), 0.5));
        convex_link link;
        entrances_find(&pair, NULL, &options, &link);
        for (int step = 0; step < 6; step++) {
            const convex_link before = link;
            pair.shift = vec3_add(pair.shift, way);
            entrances_find(&pair, &before, &options, &link);
            check_link(&pair, &link, false);
        }
    }
}

/* ---- polygons, points and flat bodies ---- */

static void check_climb_of_polygons(void)
{
    abut_shape *a = polygon_shape(7, 1.0, 0.2), *b = polygon_shape(4, 0.8, 0.0);
    for (int k = 0; k < PAIRS; k++) {
        const vec3 shift = {draw_between(-1.0, 1.0), draw_between(-1.0, 1.0), 0.0};
        const convex_pair pair = make_pair(a, b, (vec3){0.0, 0.0, 1.0}, k, shift);
        const abut_index count = entrances_all(&pair, NULL, 0, listed);
        check_listed(&pair, count);
        check_top(&pair, listed[draw() % (uint64_t)count], count);
    }
    abut_shape_free(a), abut_shape_free(b);
}

/* Checks a search without a previous step, and all entrances of a pair. */
static void check_pair(const convex_pair *pair)
{
    const abut_convex_options options = options_of_search();
    convex_link link;
    entrances_find(pair, NULL, &options, &link);
    check_link(pair, &link, true);
    check_listed(pair, entrances_all(pair, NULL, 0, listed));
}

/* A point has an entrance on each facet; the best entrance has the smallest depth. */
static void check_points(abut_shape *const shapes[SHAPE_COUNT])
{
    abut_shape *point = NULL;
    CHECK_INT(abut_shape_build_point(3, 0.5, &point, NULL), ABUT_OK);
    for (int k = 0; k < PAIRS; k++) {
        const abut_shape *shape = shapes[k % SHAPE_COUNT];
        const vec3 way = draw_unit();
        const vec3 shift = vec3_scale(way, 1.5 * draw_number()), axis = draw_unit();
        const convex_pair pair = make_pair(shape, point, axis, draw_number(), shift);
        const convex_pair swapped = pair_swapped(&pair);
        check_pair(&pair), check_pair(&swapped);
        CHECK_INT(entrances_all(&pair, NULL, 0, listed), shape->facet_count);
        CHECK_INT(entrances_all(&swapped, NULL, 0, listed), shape->facet_count);
    }
    convex_pair points = make_pair(point, point, draw_unit(), 1.0, (vec3){0.0, 3.0, 4.0});
    points.size = 5.0, points.tolerance = 1e-11 * points.size;
    entrance none;
    CHECK(!entrances_best(&points, &none));
    CHECK_INT(entrances_all(&points, NULL, 0, listed), 0);
    const abut_convex_options options = options_of_search();
    convex_link link;
    entrances_find(&points, NULL, &options, &link);
    CHECK_NEAR(link.gap, 5.0, 1e-14);
    CHECK_NEAR(link.normal.y, 0.6, 1e-15);
    abut_shape_free(point);
}

enum { FLAT_SIDES = 3 };

/* A triangle as a flat body, as in contacts with walls. */
typedef struct flat {
    abut_shape shape;
    double x[FLAT_SIDES], y[FLAT_SIDES], z[FLAT_SIDES];
    shape_facet facets[2];
    shape_corner corners[2 * FLAT_SIDES];
    shape_edge edges[FLAT_SIDES];
    shape_vertex vertices[FLAT_SIDES];
    int32_t facets_at[2 * FLAT_SIDES], edges_at[2 * FLAT_SIDES], neighbors[2 * FLAT_SIDES];
} flat;

static void place_flat(flat *f)
{
    f->shape = (abut_shape){.dimension = 3,
                            .is_flat = true,
                            .vertex_count = FLAT_SIDES,
                            .facet_count = 2,
                            .edge_count = FLAT_SIDES,
                            .corner_count = 2 * FLAT_SIDES,
                            .most_corners = FLAT_SIDES,
                            .x = f->x,
                            .y = f->y,
                            .z = f->z,
                            .facets = f->facets,
                            .corners = f->corners,
                            .edges = f->edges,
                            .vertices = f->vertices,
                            .facets_at = f->facets_at,
                            .edges_at = f->edges_at,
                            .neighbors = f->neighbors,
                            .reach = 2.0};
    for (int k = 0; k < FLAT_SIDES; k++) {
        const vec3 p = draw_unit();
        f->x[k] = p.x, f->y[k] = p.y, f->z[k] = p.z;
    }
}

static void fill_flat_edge(flat *f, int32_t k)
{
    const int32_t next = (k + 1) % FLAT_SIDES, before = (k + FLAT_SIDES - 1) % FLAT_SIDES;
    const vec3 from = shape_point(&f->shape, k), to = shape_point(&f->shape, next);
    const vec3 along = vec3_sub(to, from);
    const double length = vec3_length(along);
    const vec3 unit = vec3_scale(along, 1.0 / length);
    const vec3 outward = vec3_cross(unit, f->facets[0].normal);
    const double offset = vec3_dot(outward, from);
    f->edges[k] = (shape_edge){unit, length, {k, next}, {0, 1}};
    f->corners[k] = (shape_corner){outward, offset, k, k};
    f->corners[2 * FLAT_SIDES - 1 - k] = (shape_corner){outward, offset, next, k};
    f->vertices[k] = (shape_vertex){2 * k, 2, 2 * k, 2};
    f->facets_at[2 * k] = 0, f->facets_at[2 * k + 1] = 1;
    f->edges_at[2 * k] = k, f->edges_at[2 * k + 1] = before;
    f->neighbors[2 * k] = next, f->neighbors[2 * k + 1] = before;
}

static void fill_flat(flat *f)
{
    place_flat(f);
    const vec3 a = shape_point(&f->shape, 0);
    const vec3 u = vec3_sub(shape_point(&f->shape, 1), a);
    const vec3 area = vec3_cross(u, vec3_sub(shape_point(&f->shape, 2), a));
    const vec3 normal = vec3_scale(area, 1.0 / vec3_length(area));
    const double offset = vec3_dot(normal, a);
    f->facets[0] = (shape_facet){normal, offset, 0, FLAT_SIDES};
    f->facets[1] = (shape_facet){vec3_scale(normal, -1.0), -offset, FLAT_SIDES, FLAT_SIDES};
    f->shape.centroid = (vec3){0.0, 0.0, 0.0};
    for (int32_t k = 0; k < FLAT_SIDES; k++) {
        fill_flat_edge(f, k);
        const vec3 p = vec3_scale(shape_point(&f->shape, k), 1.0 / FLAT_SIDES);
        f->shape.centroid = vec3_add(f->shape.centroid, p);
    }
}

static void check_flat_bodies(abut_shape *const shapes[SHAPE_COUNT])
{
    for (int k = 0; k < PAIRS; k++) {
        flat f;
        fill_flat(&f);
        const vec3 shift = vec3_scale(draw_unit(), 2.0 * draw_number());
        const convex_pair pair =
            make_pair(shapes[k % 4], &f.shape, draw_unit(), PI * draw_number(), shift);
        const convex_pair swapped = pair_swapped(&pair);
        check_pair(&pair), check_pair(&swapped);
        CHECK_INT(entrances_all(&pair, NULL, 0, listed), entrances_all(&swapped, NULL, 0, updated));
    }
}

void test_entrances(void)
{
    abut_shape *shapes[SHAPE_COUNT];
    state = 19;
    make_shapes(shapes);
    check_garbage(shapes);
    check_climb(shapes);
    check_slides(shapes);
    check_climb_of_polygons();
    check_points(shapes);
    check_flat_bodies(shapes);
    free_shapes(shapes);
    CHECK_INT(memory_live_count(), 0);
}
