/* Entrances: what is one, the best one, all of them, and the direct search. */
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

enum { SHAPE_COUNT = 8, PAIRS = 400 };

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
    return make_pair(a, b, axis, angle, vec3_scale(draw_unit(), distance * draw_number()));
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
            CHECK(pair_support_gap(&pair, draw_unit()).gap <= best.gap + 1e-14);
        }
    }
    CHECK(overlapping > PAIRS / 4), CHECK(overlapping < PAIRS);
}

/* ---- all of them ---- */

enum { MOST_ENTRANCES = 40000 };

static entrance listed[MOST_ENTRANCES], updated[MOST_ENTRANCES];

static int entrances_differ(const entrance *a, const entrance *b)
{
    return memcmp(a->ends, b->ends, sizeof a->ends) != 0 || vec3_compare(a->normal, b->normal) ||
           a->gap != b->gap;
}

/* Each that is listed is one, and there are as many as there are. */
static void check_listed(const convex_pair *pair, abut_index count)
{
    const found f = look_at_all(pair);
    CHECK_INT(count, f.count);
    CHECK(count <= entrances_limit(pair));
    for (abut_index k = 0; k < count; k++) {
        entrance e = listed[k];
        CHECK(entrance_read(pair, &e));
        CHECK_INT(entrances_differ(&e, &listed[k]), 0);
    }
}

/* The list that begins with another one is the same to the bit. */
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

/* Bodies move by small steps and by large ones, and stay parallel in some. */
static void check_all(abut_shape *const shapes[SHAPE_COUNT])
{
    static entrance before[MOST_ENTRANCES];
    const vec3 up = {0.0, 0.0, 1.0};
    abut_index before_count = 0;
    for (int k = 0; k < PAIRS; k++) {
        const abut_shape *a = shapes[k / 8 % SHAPE_COUNT], *b = shapes[k / 64 % SHAPE_COUNT];
        const bool is_parallel = k % 5 == 0;
        const double angle = is_parallel ? PI / 2.0 * (k % 3) : PI * draw_number();
        const vec3 axis = is_parallel ? up : draw_unit();
        convex_pair pair = make_pair(a, b, axis, angle, vec3_scale(draw_unit(), 1.5));
        for (int step = 0; step < 3; step++) {
            const abut_index count = entrances_all(&pair, NULL, 0, listed);
            check_listed(&pair, count);
            check_updated(&pair, before, before_count, count);
            memcpy(before, listed, (size_t)count * sizeof *before);
            before_count = count;
            check_updated(&pair, before, before_count, count);
            pair.shift = vec3_add(pair.shift, vec3_scale(draw_unit(), 0.01));
        }
    }
}

/* What is no list of entrances does no harm. */
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

/* Aligned boxes: four corners before each facet, and no edges that cross. */
static void check_aligned(abut_shape *const shapes[SHAPE_COUNT])
{
    const vec3 up = {0.0, 0.0, 1.0};
    const convex_pair pair = make_pair(shapes[0], shapes[1], up, 0.0, (vec3){3.0, 0.0, 0.0});
    CHECK_INT(entrances_all(&pair, NULL, 0, listed), 48);
    CHECK_INT(listed[47].ends[0].type, ABUT_VERTEX);
    entrance best;
    CHECK(entrances_best(&pair, &best));
    CHECK_NEAR(best.gap, 1.0, 1e-15);
}

void test_entrances(void)
{
    abut_shape *shapes[SHAPE_COUNT];
    state = 19;
    make_shapes(shapes);
    check_best(shapes);
    check_all(shapes);
    check_garbage(shapes);
    check_aligned(shapes);
    free_shapes(shapes);
    CHECK_INT(memory_live_count(), 0);
}
