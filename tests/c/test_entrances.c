/* Entrances: what is one, the best one, all of them, and the direct search. */
#include "abut.h"
#include "base/memory.h"
#include "convex/entrances.h"

#include "check.h"
#include "random.h"
#include "shapes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- scenes ---- */

enum { SHAPE_COUNT = 8, PAIRS = 400 };

static void make_shapes(abut_shape *shapes[SHAPE_COUNT])
{
    const vec3 round = {1.0, 1.0, 1.0}, needle = {1.0, 0.05, 0.05}, plate = {1.0, 1.0, 0.03};
    shapes[0] = make_box(1.0, 1.0, 1.0);
    shapes[1] = make_box(1.0, 0.5, 0.1);
    shapes[2] = draw_hull(4, round);
    shapes[3] = draw_hull(6, round);
    shapes[4] = draw_hull(12, round);
    shapes[5] = draw_hull(40, round);
    shapes[6] = draw_hull(10, needle);
    shapes[7] = draw_hull(16, plate);
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
    const vec3 axis = draw_direction();
    const double angle = PI * draw_number();
    return make_pair(a, b, axis, angle, vec3_scale(draw_direction(), distance * draw_number()));
}

/* ---- one by one ---- */

/* Each of two types, by features. */
static entrance with_types(int32_t a, int32_t b)
{
    return (entrance){{{a, 0}, {b, 0}}, {0.0, 0.0, 0.0}, 0.0};
}

typedef struct found {
    int count;
    double widest;
} found;

static void look(const convex_pair *pair, int32_t type_a, int32_t count_a, int32_t type_b,
                 int32_t count_b, found *f)
{
    for (int32_t a = 0; a < count_a; a++) {
        for (int32_t b = 0; b < count_b; b++) {
            entrance e = with_types(type_a, type_b);
            e.ends[0].feature = a, e.ends[1].feature = b;
            if (entrance_read(pair, &e)) {
                /* its plane has both bodies on its sides */
                const double gap = pair_support_gap(pair, e.normal).gap;
                CHECK_NEAR(vec3_length(e.normal), 1.0, 1e-14);
                CHECK_NEAR(e.gap, gap, 1e-12);
                f->count++;
                f->widest = larger(f->widest, e.gap);
            }
        }
    }
}

static found look_at_all(const convex_pair *pair)
{
    const abut_shape *a = pair->a.shape, *b = pair->b.shape;
    found f = {0, -INFINITY};
    look(pair, ABUT_FACET, a->facet_count, ABUT_VERTEX, b->vertex_count, &f);
    look(pair, ABUT_EDGE, a->edge_count, ABUT_EDGE, b->edge_count, &f);
    look(pair, ABUT_VERTEX, a->vertex_count, ABUT_FACET, b->facet_count, &f);
    return f;
}

/* The best one is the widest of all; it is as wide as its supports say, and no direction among many
 * has wider ones where bodies overlap. */
static void check_best(abut_shape *const shapes[SHAPE_COUNT])
{
    int overlapping = 0;
    for (int k = 0; k < PAIRS; k++) {
        const convex_pair pair = draw_pair(shapes, k % 2 ? 1.0 : 3.0);
        const found f = look_at_all(&pair);
        entrance best;
        CHECK(entrances_best(&pair, &best));
        CHECK_NEAR(best.gap, f.widest, 1e-14);
        CHECK_NEAR(pair_support_gap(&pair, best.normal).gap, best.gap, 1e-14);
        CHECK(entrance_read(&pair, &best));
        overlapping += best.gap < 0.0;
        for (int d = 0; best.gap < 0.0 && d < 100; d++) {
            CHECK(pair_support_gap(&pair, draw_direction()).gap <= best.gap + 1e-14);
        }
    }
    CHECK(overlapping > PAIRS / 4), CHECK(overlapping < PAIRS);
}

void test_entrances(void)
{
    abut_shape *shapes[SHAPE_COUNT];
    state = 19;
    make_shapes(shapes);
    check_best(shapes);
    free_shapes(shapes);
    CHECK_INT(memory_live_count(), 0);
}
