/* Pairs of spheres against two loops over all of them, bit by bit. */
#include "abut.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "spheres/pairs.h"

#include "check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Spheres, and others, of a scene at most. */
enum { MOST = 12000 };

static const char *const SIMD_LEVELS[] = {"baseline", "v3", "v4"};

/* ---- random numbers (splitmix64) ---- */

static uint64_t state;

static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 <= x < 1 */
static double draw_number(void)
{
    return (double)(draw() >> 11) * 0x1p-53;
}

static double draw_between(double low, double high)
{
    return low + (high - low) * draw_number();
}

/* As many of each order of magnitude. */
static double draw_scale(double low, double high)
{
    return low * pow(high / low, draw_number());
}

static int draw_below(int count)
{
    return (int)(draw() % (uint64_t)count);
}

/* ---- scenes ---- */

/* Some spheres, with or without a gap each. */
typedef struct sphere_list {
    abut_index count;
    bool has_gaps;
    double centers[3 * MOST], radii[MOST], gaps[MOST];
} sphere_list;

typedef struct scene {
    int dimension;
    sphere_list own, others;
    bool has_others;
    double gap, period[3], sizes[ABUT_LEVEL_LIMIT];
    abut_index level_count;
    bool has_sizes;
} scene;

static void start(scene *s, int dimension)
{
    s->dimension = dimension;
    s->own.count = s->others.count = s->level_count = 0;
    s->own.has_gaps = s->others.has_gaps = s->has_others = s->has_sizes = false;
    s->gap = s->period[0] = s->period[1] = s->period[2] = 0.0;
}

static void add(const scene *s, sphere_list *to, const double center[3], double radius)
{
    memcpy(to->centers + s->dimension * to->count, center, (size_t)s->dimension * sizeof *center);
    to->gaps[to->count] = 0.0;
    to->radii[to->count++] = radius;
}

/* Spheres of many sizes in a box. */
static void scatter(const scene *s, sphere_list *to, int count, const double low[3],
                    const double high[3], const double radii[2])
{
    for (int k = 0; k < count; k++) {
        double center[3];
        for (int axis = 0; axis < 3; axis++) {
            center[axis] = draw_between(low[axis], high[axis]);
        }
        add(s, to, center, draw_scale(radii[0], radii[1]));
    }
}

static void scatter_in_cube(const scene *s, sphere_list *to, int count, double side, double least,
                            double most)
{
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {side, side, side};
    scatter(s, to, count, low, high, (const double[]){least, most});
}

static bool is_periodic(const scene *s)
{
    return s->period[0] > 0.0 || s->period[1] > 0.0 || s->period[2] > 0.0;
}

static abut_pair_input input_of(const scene *s)
{
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = s->own.count;
    input.dimension = s->dimension;
    input.radii = s->own.radii;
    input.gap = s->gap;
    input.gaps = s->own.has_gaps ? s->own.gaps : NULL;
    input.sizes = s->has_sizes ? s->sizes : NULL;
    input.level_count = s->level_count;
    input.period = is_periodic(s) ? s->period : NULL;
    return input;
}

static abut_pair_query query_of(const scene *s)
{
    abut_pair_query query = abut_pair_query_default();
    query.centers = s->own.centers;
    if (s->has_others) {
        query.other_centers = s->others.centers;
        query.other_radii = s->others.radii;
        query.other_gaps = s->others.has_gaps ? s->others.gaps : NULL;
        query.other_count = s->others.count;
    }
    return query;
}

/* ---- pairs as columns ---- */

typedef struct table {
    abut_index count, capacity, offset_count;
    abut_pair_columns columns;
} table;

static void free_table(table *t)
{
    abut_pair_columns *c = &t->columns;
    free(c->i), free(c->j), free(c->normal), free(c->overlap), free(c->point);
    free(c->image), free(c->offsets);
    *t = (table){0};
}

static void make_room(table *t, abut_index count)
{
    if (count <= t->capacity) {
        return;
    }
    const size_t m = (size_t)(2 * count);
    abut_pair_columns *c = &t->columns;
    c->i = realloc(c->i, m * sizeof *c->i);
    c->j = realloc(c->j, m * sizeof *c->j);
    c->normal = realloc(c->normal, 3 * m * sizeof *c->normal);
    c->overlap = realloc(c->overlap, m * sizeof *c->overlap);
    c->point = realloc(c->point, 3 * m * sizeof *c->point);
    c->image = realloc(c->image, 3 * m * sizeof *c->image);
    t->capacity = (abut_index)m;
}

static table start_table(const scene *s)
{
    table t = {.offset_count = s->own.count + 1};
    t.columns.offsets = calloc((size_t)t.offset_count, sizeof *t.columns.offsets);
    make_room(&t, 16);
    return t;
}

/* ---- two loops ---- */

/* A sphere as the loops see it. */
typedef struct ball {
    double place[3], wraps[3], center[3];
    double radius, reach;
} ball;

static ball ball_of(const scene *s, const sphere_list *list, abut_index number)
{
    const double gap = list->has_gaps ? list->gaps[number] : s->gap;
    ball b = {.radius = list->radii[number], .reach = list->radii[number] + gap / 2.0};
    for (int axis = 0; axis < s->dimension; axis++) {
        const double x = list->centers[s->dimension * number + axis], period = s->period[axis];
        b.center[axis] = b.place[axis] = x;
        if (period > 0.0 && !(x >= 0.0 && x < period)) {
            b.wraps[axis] = floor(x / period);
            b.place[axis] = x - period * b.wraps[axis];
            if (b.place[axis] < 0.0) {
                b.place[axis] += period;
                b.wraps[axis] -= 1.0;
            }
            if (b.place[axis] >= period) {
                b.place[axis] -= period;
                b.wraps[axis] += 1.0;
            }
        }
    }
    return b;
}

static void add_pair(const scene *s, table *t, const ball *i, const ball *j, const double d[3],
                     const double image[3])
{
    make_room(t, t->count + 1);
    const abut_index row = t->count++, at = s->dimension * row;
    const double distance = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    const double overlap = (i->radius + j->radius) - distance, inverse = 1.0 / distance;
    t->columns.overlap[row] = overlap;
    for (int axis = 0; axis < s->dimension; axis++) {
        const double along = axis == 0 ? 1.0 : 0.0;
        const double normal = distance == 0.0 ? along : d[axis] * inverse;
        t->columns.normal[at + axis] = normal;
        t->columns.point[at + axis] = i->center[axis] - normal * (i->radius - 0.5 * overlap);
        t->columns.image[at + axis] = (abut_index)(image[axis] + i->wraps[axis] - j->wraps[axis]);
    }
}

/* Numbers of images along an axis that may touch, and some more. */
typedef struct image_span {
    double first, last;
} image_span;

static image_span span_of(double difference, double reach, double period)
{
    if (period == 0.0) {
        return (image_span){0.0, 0.0};
    }
    return (image_span){floor((difference - reach) / period) - 1.0,
                        ceil((difference + reach) / period) + 1.0};
}

/* Of two that say the same, the image whose first number other than 0 is positive. */
static bool is_first(const double image[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (image[axis] != 0.0) {
            return image[axis] > 0.0;
        }
    }
    return false;
}

/* All images of a pair from an axis on; those of the axes before it are chosen. */
static void compare(const scene *s, table *t, const ball *i, const ball *j, int axis, double d[3],
                    double image[3], bool is_same)
{
    const double reach = i->reach + j->reach;
    if (axis == 3) {
        const double distance_sq = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        if (distance_sq <= reach * reach && (!is_same || is_first(image))) {
            add_pair(s, t, i, j, d, image);
        }
        return;
    }
    const double difference = i->place[axis] - j->place[axis];
    const image_span span = span_of(difference, reach, s->period[axis]);
    for (double k = span.first; k <= span.last; k += 1.0) {
        image[axis] = k;
        d[axis] = difference - k * s->period[axis];
        if (d[axis] * d[axis] <= reach * reach) {
            compare(s, t, i, j, axis + 1, d, image, is_same);
        }
    }
}

static table compare_all(const scene *s)
{
    table t = start_table(s);
    const sphere_list *seconds = s->has_others ? &s->others : &s->own;
    for (abut_index i = 0; i < s->own.count; i++) {
        const ball first = ball_of(s, &s->own, i);
        for (abut_index j = s->has_others ? 0 : i; j < seconds->count; j++) {
            const ball second = ball_of(s, seconds, j);
            double d[3], image[3];
            const abut_index before = t.count;
            compare(s, &t, &first, &second, 0, d, image, !s->has_others && i == j);
            for (abut_index row = before; row < t.count; row++) {
                t.columns.i[row] = i, t.columns.j[row] = j;
            }
        }
        t.columns.offsets[i + 1] = t.count;
    }
    return t;
}

/* ---- the library's pairs ---- */

static void write_table(const scene *s, const abut_pairs *pairs, table *t)
{
    t->count = abut_pairs_count(pairs);
    make_room(t, t->count);
    const size_t numbers = (size_t)t->count * 3;
    memset(t->columns.image, is_periodic(s) ? 0x55 : 0, numbers * sizeof *t->columns.image);
    abut_pairs_write(pairs, &t->columns);
}

/* Whether all rows are the same to the bit. */
static bool is_same_table(const scene *s, const table *a, const table *b)
{
    if (!CHECK_INT(a->count, b->count)) {
        return false;
    }
    const size_t m = (size_t)a->count, vectors = m * (size_t)s->dimension * sizeof(double);
    const abut_pair_columns *x = &a->columns, *y = &b->columns;
    bool is_same = CHECK_INT(memcmp(x->i, y->i, m * sizeof *x->i), 0);
    is_same &= CHECK_INT(memcmp(x->j, y->j, m * sizeof *x->j), 0);
    is_same &= CHECK_INT(memcmp(x->normal, y->normal, vectors), 0);
    is_same &= CHECK_INT(memcmp(x->overlap, y->overlap, m * sizeof *x->overlap), 0);
    is_same &= CHECK_INT(memcmp(x->point, y->point, vectors), 0);
    is_same &=
        CHECK_INT(memcmp(x->image, y->image, m * (size_t)s->dimension * sizeof *x->image), 0);
    is_same &=
        CHECK_INT(memcmp(x->offsets, y->offsets, (size_t)a->offset_count * sizeof *x->offsets), 0);
    return is_same;
}

static bool find_and_compare(const scene *s, const abut_pair_finder *finder, int workers,
                             const table *expected)
{
    abut_pair_query query = query_of(s);
    abut_pairs *pairs = NULL;
    abut_error error;
    query.workers = workers;
    bool is_same = CHECK_INT(abut_pairs_find(finder, &query, &pairs, &error), ABUT_OK);
    if (is_same) {
        table found = start_table(s);
        write_table(s, pairs, &found);
        is_same = is_same_table(s, &found, expected);
        free_table(&found);
    }
    abut_pairs_free(pairs);
    return is_same;
}

/* Every instruction level, one thread and four. */
static bool check_finder(const scene *s, const abut_pair_finder *finder, const table *expected)
{
    bool is_same = true;
    for (size_t k = 0; k < sizeof SIMD_LEVELS / sizeof *SIMD_LEVELS; k++) {
        if (abut_simd_choose(SIMD_LEVELS[k]) == ABUT_OK) {
            is_same &= find_and_compare(s, finder, 1, expected);
            is_same &= find_and_compare(s, finder, 4, expected);
        }
    }
    abut_simd_choose(NULL);
    return is_same;
}

/* Both searches find what two loops find; gives how many pairs, -1: they do not. */
static abut_index check_scene(const scene *s)
{
    abut_pair_input input = input_of(s);
    table expected = compare_all(s);
    const abut_index count = expected.count;
    bool is_same = true;
    for (int search = 0; search < 2; search++) {
        abut_pair_finder *finder = NULL;
        input.search = search == 0 ? ABUT_TOP_DOWN : ABUT_BOTTOM_UP;
        if (CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK)) {
            is_same &= check_finder(s, finder, &expected);
        }
        abut_pair_finder_free(finder);
    }
    free_table(&expected);
    return is_same ? count : -1;
}

/* ---- sizes ---- */

static void check_sizes(void)
{
    static const double ratios[] = {1.0, 10.0, 1e4};
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int k = 0; k < 3; k++) {
            static scene s;
            start(&s, dimension);
            scatter_in_cube(&s, &s.own, 500, dimension == 2 ? 12.0 : 5.0, 1.0 / ratios[k], 1.0);
            CHECK(check_scene(&s) > 20);
        }
    }
}

static void check_few(void)
{
    static scene s;
    for (int count = 0; count <= 2; count++) {
        start(&s, 2 + count % 2);
        scatter_in_cube(&s, &s.own, count, 1.0, 1.0, 2.0);
        CHECK_INT(check_scene(&s), count / 2);
        s.has_others = true; /* but there are none */
        CHECK_INT(check_scene(&s), 0);
        scatter_in_cube(&s, &s.others, 1, 1.0, 1.0, 2.0);
        CHECK_INT(check_scene(&s), count);
    }
}

static void check_that_same_centers_are_pairs(void)
{
    static scene s;
    start(&s, 3);
    for (int k = 0; k < 300; k++) {
        add(&s, &s.own, (const double[]){0.1, -7.0, 1e5}, draw_scale(1e-3, 1.0));
    }
    CHECK_INT(check_scene(&s), 300 * 299 / 2);
}

static void check_that_one_cell_will_do(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 300, 1.0, 0.02, 0.05);
    add(&s, &s.own, (const double[]){0.5, 0.5, 0.5}, 10.0);
    s.has_sizes = true, s.level_count = 1, s.sizes[0] = 20.0;
    CHECK(check_scene(&s) > 300);
}

/* ---- to the last bit ---- */

static double move(double x, int units)
{
    for (; units != 0; units += units < 0 ? 1 : -1) {
        x = nextafter(x, units < 0 ? -INFINITY : INFINITY);
    }
    return x;
}

/* Two spheres whose distance is the sum of their reaches but for some units in the last place. */
static void add_kiss(scene *s, const double base[3], double shrink)
{
    const double radii[2] = {draw_between(0.3, 0.5), draw_between(0.3, 0.5)};
    double direction[3], center[3], length_sq = 0.0;
    const bool is_along = draw_below(2);
    for (int axis = 0; axis < s->dimension; axis++) {
        direction[axis] = is_along ? 0.0 : draw_between(-1.0, 1.0);
        length_sq += direction[axis] * direction[axis];
    }
    if (is_along) {
        direction[draw_below(s->dimension)] = length_sq = 1.0;
    }
    const double distance = (radii[0] + radii[1]) * shrink;
    for (int axis = 0; axis < s->dimension; axis++) {
        center[axis] = base[axis] + direction[axis] / sqrt(length_sq) * distance;
        center[axis] = move(center[axis], draw_below(5) - 2);
    }
    add(s, &s->own, base, radii[0]);
    add(s, &s->own, center, radii[1]);
}

static void check_kisses(int dimension, double shift, double gap, bool periodic)
{
    static scene s;
    start(&s, dimension);
    enum { SIDE = 7 };
    s.gap = gap;
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        const double base[3] = {shift + 3.0 * (k % SIDE), shift + 3.0 * (k / SIDE % SIDE),
                                shift + 3.0 * (k / SIDE / SIDE) * (dimension - 2)};
        if (dimension == 3 || k < SIDE * SIDE) {
            add_kiss(&s, base, 1.0 + gap);
        }
    }
    for (int axis = 0; periodic && axis < dimension; axis++) {
        s.period[axis] = 3.0 * SIDE;
    }
    const abut_index count = check_scene(&s);
    CHECK(count > s.own.count / 10 && count < s.own.count * 4 / 10);
}

static void check_the_last_bit(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int periodic = 0; periodic < 2; periodic++) {
            check_kisses(dimension, 0.0, 0.0, periodic);
            check_kisses(dimension, 1.3, 0.0, periodic);
            check_kisses(dimension, -100.0, 0.0, periodic);
        }
    }
    check_kisses(3, 1e6, 0.0, false);
    check_kisses(3, 1e9, 0.0, false);
}

/* ---- gaps ---- */

static void draw_gaps(sphere_list *list, double most)
{
    list->has_gaps = true;
    for (abut_index k = 0; k < list->count; k++) {
        list->gaps[k] = draw_below(3) == 0 ? 0.0 : draw_between(0.0, most);
    }
}

static void check_gaps(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 400, dimension == 2 ? 20.0 : 7.0, 0.1, 0.6);
        const abut_index touching = check_scene(&s);
        s.gap = 0.5;
        const abut_index near = check_scene(&s);
        CHECK(near > touching + 20);
        draw_gaps(&s.own, 1.0);
        CHECK(check_scene(&s) > touching);
        s.gap = 1e3;
        s.own.has_gaps = false;
        CHECK_INT(check_scene(&s), 400 * 399 / 2);
    }
}

/* ---- periods ---- */

/* Move some spheres by whole periods and a little to either side of the box's border. */
static void move_out(scene *s, sphere_list *list)
{
    for (abut_index k = 0; k < list->count; k++) {
        for (int axis = 0; axis < s->dimension; axis++) {
            const double period = s->period[axis];
            double *x = &list->centers[s->dimension * k + axis];
            if (period > 0.0 && draw_below(3) == 0) {
                *x += period * (draw_below(7) - 3);
            }
            if (period > 0.0 && draw_below(8) == 0) {
                *x = move(period * (draw_below(3) - 1), draw_below(3) - 1) + 0.0;
            }
        }
    }
}

static void set_period(scene *s, int axes, double shortest)
{
    for (int axis = 0; axis < s->dimension; axis++) {
        s->period[axis] = axes >> axis & 1 ? shortest * (1.0 + 0.3 * axis) : 0.0;
    }
}

static void check_large_boxes(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int axes = 1; axes < 1 << dimension; axes++) {
            start(&s, dimension);
            scatter_in_cube(&s, &s.own, 300, 10.0, 0.05, dimension == 2 ? 0.5 : 1.2);
            set_period(&s, axes, 9.0);
            move_out(&s, &s.own);
            CHECK(check_scene(&s) > 20);
            s.gap = 0.2;
            s.has_others = true;
            scatter_in_cube(&s, &s.others, 200, 10.0, 0.05, 0.7);
            move_out(&s, &s.others);
            CHECK(check_scene(&s) > 20);
        }
    }
}

/* Boxes that are not much larger than a sphere, or smaller. */
static void check_small_boxes(void)
{
    static const double sides[] = {4.1, 3.0, 2.0, 0.9, 0.31};
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int axes = 1; axes < 1 << dimension; axes++) {
            for (int k = 0; k < 5; k++) {
                const double side = sides[k];
                start(&s, dimension);
                scatter_in_cube(&s, &s.own, side < 1.0 ? 4 : 30, side, 0.1, 1.0);
                set_period(&s, axes, side);
                move_out(&s, &s.own);
                CHECK(check_scene(&s) >= 0);
                s.has_others = true;
                scatter_in_cube(&s, &s.others, 10, side, 0.1, 0.5);
                CHECK(check_scene(&s) >= 0);
            }
        }
    }
}

/* Touching itself at the last bit: a box as wide as a sphere. */
static void check_that_a_sphere_touches_itself(void)
{
    static scene s;
    for (int units = -2; units <= 2; units++) {
        start(&s, 2);
        add(&s, &s.own, (const double[]){0.3, 0.7, 0.0}, 0.5 * 1.1);
        s.period[1] = move(1.1, units);
        CHECK_INT(check_scene(&s), units <= 0);
    }
}

/* Where coordinates are so many periods away that their place in the box is rounded, some to less
 * than 0. */
static void check_far_periods(void)
{
    static scene s;
    const double period = 12.358401054308333, radius = 0.88274293245054503;
    start(&s, 3);
    s.period[0] = period;
    add(&s, &s.own, (const double[]){471213.47379972239, 0.0, 0.0}, radius);
    add(&s, &s.own, (const double[]){10.592915189349043, 0.0, 0.0}, radius);
    CHECK_INT(check_scene(&s), 1);
    for (int k = 0; k < 300; k++) {
        const double x = move(period * floor(draw_scale(1.0, 2e9)), draw_below(5) - 2);
        const double y = draw_between(0.0, 4.0);
        add(&s, &s.own, (const double[]){x, y, 0.0}, radius);
        add(&s, &s.own, (const double[]){period - 2.0 * radius * draw_number(), y, 0.0}, radius);
    }
    CHECK(check_scene(&s) > 1000);
}

/* A center so little below 0 that it is moved nowhere, and its point with it. */
static void check_the_border(void)
{
    static scene s;
    start(&s, 3);
    set_period(&s, 7, 10.0);
    add(&s, &s.own, (const double[]){-1e-20, 5.0, 5.0}, 1.0);
    add(&s, &s.own, (const double[]){-1e-20, 5.5, 5.0}, 1.0);
    add(&s, &s.own, (const double[]){9.5, 5.0, 5.0}, 1.0);
    CHECK_INT(check_scene(&s), 3);
}

/* ---- others ---- */

static void check_others(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        s.has_others = true;
        scatter_in_cube(&s, &s.own, 300, 6.0, 0.01, 1.0);
        scatter_in_cube(&s, &s.others, 400, 5.0, 0.001, 0.5);
        const abut_index touching = check_scene(&s);
        s.gap = 0.2;
        CHECK(check_scene(&s) > touching);
        draw_gaps(&s.others, 0.5);
        CHECK(check_scene(&s) > touching);
        draw_gaps(&s.own, 0.5);
        CHECK(check_scene(&s) > touching);
        s.has_sizes = true, s.level_count = 3;
        s.sizes[0] = 0.4, s.sizes[1] = 1.0, s.sizes[2] = 3.0;
        CHECK(check_scene(&s) > touching);
    }
}

/* Who looks is far larger than the others, and far from them: no floats tell which touch. */
static void check_large_lookers(void)
{
    static scene s;
    for (int k = 0; k < 4; k++) {
        const double far = (const double[]){1e3, 1e6, 1e12, 1e40}[k];
        start(&s, 3);
        s.has_others = true;
        for (int i = 0; i < 100; i++) {
            const double center[3] = {far + draw_number(), draw_number(), draw_number()};
            add(&s, &s.own, center, far - 0.5 + 0.01 * i);
        }
        add(&s, &s.own, (const double[]){2.0 * far, 0.0, 0.0}, far);
        scatter_in_cube(&s, &s.others, 100, 1.0, 0.01, 0.02);
        CHECK(check_scene(&s) > 0);
    }
}

/* ---- levels ---- */

static void set_geometric(scene *s, int count, double least, double most)
{
    s->has_sizes = true, s->level_count = count;
    for (int h = 0; h < count; h++) {
        s->sizes[h] = h + 1 < count ? least * pow(most / least, h / (count - 1.0)) : most;
    }
}

static void check_levels_by_hand(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 300, 5.0, 0.01, 0.9);
        const abut_index count = check_scene(&s);
        set_geometric(&s, ABUT_LEVEL_LIMIT, 0.02, 1.8); /* many levels */
        CHECK_INT(check_scene(&s), count);
        set_geometric(&s, 5, 3.0, 1e5); /* far larger than spheres, and empty */
        CHECK_INT(check_scene(&s), count);
        set_geometric(&s, 7, 1e-60, 1e60); /* empty ones below, too */
        CHECK_INT(check_scene(&s), count);
        s.has_sizes = false;
        for (s.level_count = 1; s.level_count <= 64; s.level_count += 9) {
            CHECK_INT(check_scene(&s), count);
        }
    }
}

/* Of a periodic box: the sizes, not the spheres, make it too small for one image. */
static void check_levels_in_a_box(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 200, 5.0, 0.01, 0.7);
    set_period(&s, 7, 5.0);
    const abut_index count = check_scene(&s);
    set_geometric(&s, 6, 0.3, 1.6);
    CHECK_INT(check_scene(&s), count);
    set_geometric(&s, 3, 1.0, 40.0);
    CHECK_INT(check_scene(&s), count);
}

/* ---- what the grid's table does ---- */

typedef struct grid_facts {
    bool has_floats, is_clipped, is_folded, has_images;
} grid_facts;

static bool is_folded(const grid *g)
{
    bool folded = false;
    for (int32_t h = 0; h < g->level_count; h++) {
        for (int axis = 0; axis < 3; axis++) {
            folded |= g->levels[h].axes[axis].inv_fold > 0.0;
        }
    }
    return folded;
}

static grid_facts facts_of(const scene *s)
{
    grid_facts facts = {false, false, false, false};
    abut_pair_input input = input_of(s);
    abut_pair_query query = query_of(s);
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    if (CHECK_INT(abut_pairs_find(finder, &query, &pairs, NULL), ABUT_OK)) {
        const grid *g = &pairs->grid;
        facts.has_floats = g->near_reach != NULL;
        facts.has_images = pairs->images != NULL;
        facts.is_folded = is_folded(g);
        for (int axis = 0; axis < 3; axis++) {
            const row_bounds *bounds = &pairs->second_set->bounds;
            const bool is_open = s->period[axis] == 0.0;
            facts.is_clipped |=
                is_open && (g->low[axis] > bounds->low[axis] || g->high[axis] < bounds->high[axis]);
        }
    }
    abut_pairs_free(pairs);
    abut_pair_finder_free(finder);
    return facts;
}

static void check_that_dense_boxes_use_floats(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 400, 6.0, 0.3, 0.6);
    grid_facts facts = facts_of(&s);
    CHECK(facts.has_floats && !facts.is_folded && !facts.is_clipped && !facts.has_images);
    CHECK(check_scene(&s) > 100);
    set_period(&s, 7, 6.0);
    facts = facts_of(&s);
    CHECK(facts.has_floats && !facts.is_folded && !facts.has_images);
    CHECK(check_scene(&s) > 100);
}

/* Clusters far from each other: cells are shared by what is far apart. */
static void scatter_clusters(scene *s, int count, double far, double size)
{
    for (int k = 0; k < count; k++) {
        double low[3], high[3];
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = floor(draw_between(-far, far));
            high[axis] = low[axis] + 3.0 * size;
        }
        scatter(s, &s->own, 10, low, high, (const double[]){0.1 * size, size});
    }
}

static void check_clusters(void)
{
    static scene s;
    static const double fars[] = {50.0, 3e3, 1e6, 1e11, 1e15};
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int k = 0; k < 5; k++) {
            start(&s, dimension);
            scatter_clusters(&s, 40, fars[k], 1.0);
            const grid_facts facts = facts_of(&s);
            CHECK(k == 0 || facts.is_folded);
            CHECK(facts.has_floats == (fars[k] < 1e4));
            CHECK(facts.is_clipped == (fars[k] > 1e12));
            CHECK(check_scene(&s) > 100);
        }
    }
}

static void check_clusters_in_a_box(void)
{
    static scene s;
    for (int axes = 1; axes < 8; axes++) {
        for (int k = 0; k < 3; k++) {
            const double far = (const double[]){300.0, 1e5, 1e9}[k];
            start(&s, 3);
            scatter_clusters(&s, 40, far, 1.0);
            set_period(&s, axes, 1.1 * far);
            move_out(&s, &s.own);
            CHECK(facts_of(&s).is_folded);
            CHECK(check_scene(&s) > 50);
        }
    }
}

static void check_outliers(void)
{
    static scene s;
    static const double fars[] = {1e9, 1e30, 1e74};
    for (int k = 0; k < 3; k++) {
        for (int out = 1; out <= 3; out++) {
            start(&s, 3);
            scatter_in_cube(&s, &s.own, 200, 5.0, 0.1, 0.5);
            for (int i = 0; i < 20; i++) {
                double center[3] = {draw_number(), draw_number(), draw_number()};
                center[i % out] = i % 2 ? fars[k] : -fars[k] * draw_below(3);
                add(&s, &s.own, center, 0.5);
            }
            const grid_facts facts = facts_of(&s);
            CHECK(!facts.has_floats && facts.is_clipped == (k > 0));
            CHECK(check_scene(&s) > 50);
        }
    }
}

/* Most spheres are so far out that the box around them has no extent. */
static void check_that_most_are_outliers(void)
{
    static scene s;
    static const double fars[] = {1e20, 1e30, 1e74};
    for (int k = 0; k < 3; k++) {
        const double far = fars[k], less = 0.1 * far;
        start(&s, 3);
        for (int i = 0; i < 5; i++) {
            add(&s, &s.own, (const double[]){far, 0.0, 0.5 * i}, 1.0);
        }
        for (int i = 0; i < 20; i++) {
            add(&s, &s.own, (const double[]){move(less, i % 2), 0.0, 0.7 * i}, 1.0);
            add(&s, &s.own, (const double[]){0.0, 0.0, 0.7 * i}, 1.0);
        }
        CHECK(check_scene(&s) > 50);
    }
}

static void check_thin_boxes(void)
{
    static scene s;
    static const double sides[][3] = {{1e5, 1e-3, 1e-3},
                                      {1e-3, 1e5, 1.0},
                                      {1.0, 1e-9, 1e5},
                                      {300.0, 300.0, 0.0},
                                      {0.0, 0.0, 99.0}};
    for (int k = 0; k < 5; k++) {
        start(&s, 3);
        scatter(&s, &s.own, 400, (const double[]){0.0, 0.0, 0.0}, sides[k],
                (const double[]){0.1, 20.0});
        CHECK(check_scene(&s) > 0);
        set_period(&s, 2, 100.0);
        CHECK(check_scene(&s) > 0);
    }
}

/* Units do not matter: neither to floats nor to doubles. */
static void check_units(void)
{
    static scene s;
    static const double units[] = {1e-70, 1e-30, 1e-12, 1e12, 1e30, 1e70};
    for (int k = 0; k < 6; k++) {
        start(&s, 3);
        scatter_in_cube(&s, &s.own, 300, 6.0 * units[k], 0.01 * units[k], units[k]);
        CHECK(check_scene(&s) > 100);
        set_period(&s, 5, 6.0 * units[k]);
        CHECK(check_scene(&s) > 100);
    }
}

/* ---- limits ---- */

static void check_a_sphere_with_many_neighbors(void)
{
    static scene s;
    start(&s, 3);
    add(&s, &s.own, (const double[]){50.0, 50.0, 50.0}, 100.0);
    scatter_in_cube(&s, &s.own, 10500, 100.0, 0.3, 0.5);
    CHECK(check_scene(&s) > 10500);
}

/* Far more tasks than wait at once: large spheres over many small cells. */
static void check_many_tasks(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 2000, 30.0, 0.05, 0.1);
    scatter_in_cube(&s, &s.own, 10, 30.0, 3.0, 20.0);
    CHECK(check_scene(&s) > 1000);
    set_period(&s, 7, 90.0);
    CHECK(check_scene(&s) > 1000);
}

/* ---- a finder that is used again ---- */

static void find_again(const scene *s, const abut_pair_finder *finder, abut_index least)
{
    table expected = compare_all(s);
    CHECK(expected.count >= least);
    check_finder(s, finder, &expected);
    free_table(&expected);
}

/* Other places for the same spheres. */
static void place_again(scene *s, double side)
{
    for (abut_index k = 0; k < s->dimension * s->own.count; k++) {
        s->own.centers[k] = draw_between(-side, side);
    }
}

static void find_wrong_centers(const scene *s, const abut_pair_finder *finder)
{
    static scene wrong;
    wrong = *s;
    wrong.own.centers[100] = NAN;
    abut_pair_query query = query_of(&wrong);
    abut_pairs *pairs = NULL;
    CHECK_INT(abut_pairs_find(finder, &query, &pairs, NULL), ABUT_CENTER_NOT_FINITE);
    CHECK(pairs == NULL);
}

static void use_again(scene *s)
{
    static const double sides[] = {30.0, 4.0, 1e7, 0.1, 1e40, 5.0};
    abut_pair_input input = input_of(s);
    abut_pair_finder *finder = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    for (int k = 0; k < 6; k++) {
        place_again(s, is_periodic(s) ? fmin(sides[k], 30.0) : sides[k]);
        s->has_others = false;
        find_again(s, finder, 0);
        s->others.count = 0;
        s->has_others = true;
        scatter_in_cube(s, &s->others, k % 2 ? 400 : 3, 5.0, 0.01, 0.5);
        find_again(s, finder, 0);
        find_wrong_centers(s, finder);
    }
    abut_pair_finder_free(finder);
}

static void check_that_a_finder_serves_again(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 200, 5.0, 0.05, 0.7);
    use_again(&s);
    set_period(&s, 5, 4.0);
    use_again(&s);
}

/* Two results at once, of one finder. */
static void check_that_results_stay(void)
{
    static scene s, moved;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 300, 5.0, 0.05, 0.7);
    moved = s;
    place_again(&moved, 3.0);
    abut_pair_input input = input_of(&s);
    abut_pair_query query = query_of(&s), later = query_of(&moved);
    abut_pair_finder *finder = NULL;
    abut_pairs *first = NULL, *second = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    CHECK_INT(abut_pairs_find(finder, &query, &first, NULL), ABUT_OK);
    CHECK_INT(abut_pairs_find(finder, &later, &second, NULL), ABUT_OK);
    table expected = compare_all(&s), found = start_table(&s);
    write_table(&s, first, &found);
    is_same_table(&s, &found, &expected);
    free_table(&expected), free_table(&found);
    abut_pairs_free(first), abut_pairs_free(second);
    abut_pair_finder_free(finder);
}

/* Queries of one finder from several threads. */
typedef struct shared_finder {
    const scene *scene;
    const abut_pair_finder *finder;
    abut_index count;
} shared_finder;

static abut_status find_shared(void *context, abut_index chunk, parallel_job *job)
{
    const shared_finder *shared = context;
    abut_pair_query query = query_of(shared->scene);
    abut_pairs *pairs = NULL;
    abut_status status = abut_pairs_find(shared->finder, &query, &pairs, NULL);
    if (!status && abut_pairs_count(pairs) != shared->count) {
        status = ABUT_BAD_RADIUS;
    }
    if (chunk % 4 == 0) {
        abut_pair_statistics statistics;
        abut_pair_level levels[ABUT_LEVEL_LIMIT];
        abut_pair_finder_inspect(shared->finder, &statistics, levels);
    }
    abut_pairs_free(pairs);
    return status ? status : parallel_report(job, 1);
}

static void check_that_threads_share_a_finder(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 300, 5.0, 0.05, 0.7);
    abut_pair_input input = input_of(&s);
    abut_pair_finder *finder = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    table expected = compare_all(&s);
    shared_finder shared = {&s, finder, expected.count};
    CHECK_INT(parallel_run(40, 4, find_shared, &shared, NULL, NULL), ABUT_OK);
    free_table(&expected);
    abut_pair_finder_free(finder);
}

/* ---- interruption ---- */

typedef struct countdown {
    int left; /* calls until it says yes */
} countdown;

static int count_down(void *data)
{
    countdown *c = data;
    return c->left-- == 0;
}

/* Interrupted at every call in turn, and then not. */
static void check_interruption(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 4500, 1.0, 1.0, 2.0);
    abut_pair_input input = input_of(&s);
    abut_pair_query query = query_of(&s);
    abut_pair_finder *finder = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    abut_status status = ABUT_INTERRUPTED;
    int calls = 0;
    for (; status == ABUT_INTERRUPTED && calls < 100; calls++) {
        countdown c = {calls};
        abut_pairs *pairs = NULL;
        query.interrupted = count_down, query.interrupted_data = &c;
        query.workers = 1 + calls % 3;
        status = abut_pairs_find(finder, &query, &pairs, NULL);
        CHECK((pairs != NULL) == (status == ABUT_OK));
        abut_pairs_free(pairs);
    }
    CHECK_INT(status, ABUT_OK);
    CHECK(calls > 2);
    abut_pair_finder_free(finder);
}

/* ---- errors ---- */

/* Three spheres, of which everything is right. */
static const double good_centers[] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};
static const double good_radii[] = {1.0, 2.0, 3.0};
static const double good_sizes[] = {2.0, 4.0, 6.0};

static abut_pair_input good_input(void)
{
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = 3;
    input.radii = good_radii;
    return input;
}

static abut_pair_query good_query(void)
{
    abut_pair_query query = abut_pair_query_default();
    query.centers = good_centers;
    return query;
}

static void check_error(const abut_error *error, abut_status status, abut_index index,
                        abut_index detail, double value)
{
    CHECK_INT(error->status, status);
    CHECK_INT(error->index, index);
    CHECK_INT(error->detail, detail);
    CHECK(error->value == value || (isnan(error->value) && isnan(value)));
}

static void check_build_error(const abut_pair_input *input, abut_status status, abut_index index,
                              double value)
{
    const long live = memory_live_count();
    abut_pair_finder *finder = (abut_pair_finder *)&state; /* becomes NULL */
    abut_error error;
    CHECK_INT(abut_pair_finder_build(input, &finder, &error), status);
    CHECK(finder == NULL);
    check_error(&error, status, index, 0, value);
    CHECK_INT(abut_pair_finder_build(input, &finder, NULL), status);
    CHECK_INT(memory_live_count(), live);
}

/* Numbers that are neither positive nor lengths. */
static const double bad_lengths[] = {0.0, -1.0, NAN, INFINITY, 1.1e75};
enum { BAD_COUNT = 5 };

static void check_bad_lengths(void)
{
    for (int k = 0; k < BAD_COUNT; k++) {
        const double bad = bad_lengths[k], numbers[3] = {1.0, bad, bad};
        abut_pair_input input = good_input();
        input.radii = numbers;
        check_build_error(&input, ABUT_BAD_RADIUS, 1, bad);
        input = good_input();
        input.period = numbers;
        if (bad != 0.0) {
            check_build_error(&input, ABUT_BAD_PERIOD, 1, bad);
            input = good_input();
            input.gap = bad;
            check_build_error(&input, ABUT_BAD_GAP, 0, bad);
            input.gap = 0.0;
            input.gaps = numbers;
            check_build_error(&input, ABUT_BAD_SPHERE_GAP, 1, bad);
        }
    }
}

static void check_bad_sizes(void)
{
    static const double bad[][3] = {
        {0.0, 4.0, 6.0}, {2.0, NAN, 6.0}, {2.0, 4.0, 4.0}, {2.0, 1.0, 6.0}, {2.0, 4.0, 1.1e76}};
    static const abut_index index[] = {0, 1, 2, 1, 2};
    for (int k = 0; k < 5; k++) {
        abut_pair_input input = good_input();
        input.sizes = bad[k], input.level_count = 3;
        check_build_error(&input, ABUT_BAD_SIZE, index[k], bad[k][index[k]]);
    }
    abut_pair_input input = good_input();
    input.sizes = good_sizes, input.level_count = 2;
    check_build_error(&input, ABUT_SIZE_TOO_SMALL, 2, 6.0);
    input.level_count = 3, input.gap = 0.5;
    check_build_error(&input, ABUT_SIZE_TOO_SMALL, 2, 6.5);
}

static void check_bad_numbers(void)
{
    abut_pair_input input = good_input();
    input.level_count = ABUT_LEVEL_LIMIT + 1;
    check_build_error(&input, ABUT_TOO_MANY_LEVELS, ABUT_LEVEL_LIMIT + 1, 0.0);
    input = good_input();
    input.sphere_count = (abut_index)1 << 31;
    check_build_error(&input, ABUT_TOO_MANY_SPHERES, (abut_index)1 << 31, 0.0);
}

static void check_find_error(const abut_pair_input *input, const abut_pair_query *query,
                             const abut_error *expected)
{
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = (abut_pairs *)&state; /* becomes NULL */
    abut_error error;
    CHECK_INT(abut_pair_finder_build(input, &finder, NULL), ABUT_OK);
    CHECK_INT(abut_pairs_find(finder, query, &pairs, &error), expected->status);
    CHECK(pairs == NULL);
    check_error(&error, expected->status, expected->index, expected->detail, expected->value);
    CHECK_INT(abut_pairs_find(finder, query, &pairs, NULL), expected->status);
    const abut_pair_query good = good_query();
    CHECK_INT(abut_pairs_find(finder, &good, &pairs, &error), ABUT_OK);
    check_error(&error, ABUT_OK, 0, 0, 0.0);
    abut_pairs_free(pairs);
    abut_pair_finder_free(finder);
}

/* A coordinate that is wrong, of the spheres and of the others; a later one is wrong, too. */
static void check_bad_center(double bad, const double *period, const abut_status statuses[2])
{
    double centers[9];
    memcpy(centers, good_centers, sizeof centers);
    centers[5] = centers[7] = bad;
    abut_pair_input input = good_input();
    input.period = period;
    abut_pair_query query = good_query();
    query.centers = centers;
    check_find_error(&input, &query, &(abut_error){statuses[0], 1, 2, bad});
    query.centers = good_centers, query.other_centers = centers;
    query.other_radii = good_radii, query.other_count = 3;
    check_find_error(&input, &query, &(abut_error){statuses[1], 1, 2, bad});
}

static void check_bad_centers(void)
{
    const abut_status not_finite[2] = {ABUT_CENTER_NOT_FINITE, ABUT_OTHER_NOT_FINITE};
    const abut_status too_far[2] = {ABUT_CENTER_TOO_FAR, ABUT_OTHER_TOO_FAR};
    const abut_status many[2] = {ABUT_TOO_MANY_PERIODS, ABUT_OTHER_TOO_MANY_PERIODS};
    static const double period[3] = {20.0, 20.0, 20.0};
    for (int k = 0; k < 2; k++) {
        const double *of = k == 0 ? NULL : period;
        check_bad_center(NAN, of, not_finite);
        check_bad_center(-INFINITY, of, not_finite);
        check_bad_center(-1.1e75, of, too_far);
    }
    check_bad_center(20.0 * 0x1.1p31, period, many);
    check_bad_center(-20.0 * 0x1.1p31, period, many);
}

static void check_bad_others(void)
{
    abut_pair_input input = good_input();
    for (int k = 0; k < BAD_COUNT; k++) {
        const double bad = bad_lengths[k], numbers[3] = {1.0, bad, bad};
        abut_pair_query query = good_query();
        query.other_centers = good_centers, query.other_count = 3;
        query.other_radii = numbers;
        check_find_error(&input, &query, &(abut_error){ABUT_BAD_OTHER_RADIUS, 1, 0, bad});
        query.other_radii = good_radii, query.other_gaps = numbers;
        if (bad != 0.0) {
            check_find_error(&input, &query, &(abut_error){ABUT_BAD_OTHER_GAP, 1, 0, bad});
        }
    }
    abut_pair_query query = good_query();
    query.other_centers = good_centers, query.other_radii = good_radii;
    query.other_count = (abut_index)1 << 31;
    check_find_error(&input, &query,
                     &(abut_error){ABUT_TOO_MANY_SPHERES, query.other_count, 0, 0.0});
    static const double large[] = {1.0, 3.25};
    query.other_count = 2, query.other_radii = large;
    input.sizes = good_sizes, input.level_count = 3;
    check_find_error(&input, &query, &(abut_error){ABUT_OTHER_SIZE_TOO_SMALL, 1, 0, 6.5});
}

static void check_too_many_images(void)
{
    static const double tiny[3] = {0.0, 1e-7, 0.0}, centers[9] = {0.0};
    abut_pair_input input = good_input();
    input.period = tiny;
    abut_pair_query query = good_query();
    query.centers = centers;
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = NULL;
    abut_error error;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    CHECK_INT(abut_pairs_find(finder, &query, &pairs, &error), ABUT_TOO_MANY_IMAGES);
    check_error(&error, ABUT_TOO_MANY_IMAGES, 0, 0, 0.0);
    abut_pair_finder_free(finder);
}

static void check_errors(void)
{
    check_bad_lengths();
    check_bad_sizes();
    check_bad_numbers();
    check_bad_centers();
    check_bad_others();
    check_too_many_images();
}

/* ---- statistics ---- */

/* The number of cells of a level along each axis of a periodic box, from their lengths. */
static void count_cells(const scene *s, const abut_pair_level *level, int counts[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const double period = s->period[axis];
        counts[axis] = period > 0.0 ? (int)rint(period / level->lengths[axis]) : 1;
    }
}

static int cell_of(double place, double period, int count)
{
    return period > 0.0 ? (int)floor(place / period * count) : 0;
}

/* Whether a cell, or an image of it, has a part of place - half ... place + half; in cells. */
static bool is_reached(int cell, double place, double half, int count)
{
    bool reached = count == 1;
    for (int image = -1; image <= 1; image++) {
        const double begin = cell + image * count;
        reached |= begin <= place + half && begin + 1.0 > place - half;
    }
    return reached;
}

static int level_of(const scene *s, abut_index sphere)
{
    int h = 0;
    while (s->sizes[h] < 2.0 * s->own.radii[sphere] + s->gap) {
        h++;
    }
    return h;
}

/* Whether sphere i looks into the cell of sphere j of a level, by the definition of T_cd. */
static bool looks_at(const scene *s, const abut_pair_level *level, abut_index i, abut_index j,
                     bool is_own)
{
    int counts[3];
    bool reached = true;
    count_cells(s, level, counts);
    for (int axis = 0; axis < s->dimension; axis++) {
        const double period = s->period[axis];
        const double place = s->own.centers[s->dimension * i + axis] / period * counts[axis];
        const double reach = s->own.radii[i] + 0.5 * s->gap;
        const int cell = cell_of(s->own.centers[s->dimension * j + axis], period, counts[axis]);
        const double half = is_own ? 1.0 : reach / period * counts[axis] + 0.5;
        reached &= is_reached(cell, place, half, counts[axis]);
    }
    return reached;
}

/* The cells that sphere i looks into, of a level. */
static abut_index count_looks(const scene *s, const abut_pair_level *level, abut_index i)
{
    int counts[3];
    abut_index product = 1;
    count_cells(s, level, counts);
    for (int axis = 0; axis < s->dimension; axis++) {
        const double period = s->period[axis];
        const double place = s->own.centers[s->dimension * i + axis] / period * counts[axis];
        const double half = (s->own.radii[i] + 0.5 * s->gap) / period * counts[axis] + 0.5;
        abut_index along = 0;
        for (int cell = 0; cell < counts[axis]; cell++) {
            along += is_reached(cell, place, half, counts[axis]);
        }
        product *= along;
    }
    return product;
}

/* T_cd and T_ca of each level, sphere by sphere. */
static void count_slowly(const scene *s, abut_search search, const abut_pair_level *levels,
                         abut_index tests[], abut_index accesses[])
{
    const abut_index around = s->dimension == 3 ? 14 : 5;
    for (abut_index i = 0; i < s->own.count; i++) {
        const int own = level_of(s, i);
        accesses[own] += around;
        for (abut_index j = 0; j < s->own.count; j++) {
            const int other = level_of(s, j);
            const bool looks = search == ABUT_TOP_DOWN ? other < own : other > own;
            const bool is_near = own == other && i < j;
            tests[own] += (is_near || looks) && looks_at(s, &levels[other], i, j, is_near);
        }
        for (int h = 0; h < s->level_count; h++) {
            const bool looks = search == ABUT_TOP_DOWN ? h < own : h > own;
            accesses[own] += looks ? count_looks(s, &levels[h], i) : 0;
        }
    }
}

static void check_work(const scene *s, abut_search search, const abut_pair_statistics *statistics,
                       const abut_pair_level *levels)
{
    abut_index tests[8] = {0}, accesses[8] = {0}, spheres = 0, sum = 0;
    count_slowly(s, search, levels, tests, accesses);
    for (int h = 0; h < s->level_count; h++) {
        int counts[3];
        count_cells(s, &levels[h], counts);
        CHECK(levels[h].size == s->sizes[h]);
        CHECK_INT(levels[h].cell_count, counts[0] * counts[1] * counts[2]);
        CHECK(levels[h].occupied_count <= levels[h].sphere_count);
        CHECK_INT(levels[h].test_count, tests[h]);
        CHECK_INT(levels[h].access_count, accesses[h]);
        spheres += levels[h].sphere_count;
        sum += tests[h];
    }
    CHECK_INT(statistics->sphere_count, s->own.count);
    CHECK_INT(statistics->level_count, s->level_count);
    CHECK_INT(spheres, s->own.count);
    CHECK(statistics->pair_count > 0 && statistics->pair_count <= statistics->distance_count);
    CHECK(statistics->distance_count <= sum);
    CHECK(statistics->byte_count > 32 * s->own.count);
}

static void check_that_nothing_is_counted_yet(const scene *s, const abut_pair_finder *finder)
{
    abut_pair_statistics statistics;
    abut_pair_level levels[ABUT_LEVEL_LIMIT];
    abut_pair_finder_inspect(finder, &statistics, levels);
    CHECK_INT(statistics.sphere_count, 0);
    CHECK_INT(statistics.pair_count, 0);
    CHECK_INT(statistics.level_count, s->level_count);
    CHECK_INT(abut_pair_level_count(finder), s->level_count);
    for (int h = 0; h < s->level_count; h++) {
        CHECK(levels[h].size == s->sizes[h] && abut_pair_level_sizes(finder)[h] == s->sizes[h]);
        CHECK_INT(levels[h].test_count + levels[h].access_count, 0);
    }
}

static void check_counts(const scene *s, abut_search search)
{
    abut_pair_input input = input_of(s);
    abut_pair_query query = query_of(s);
    input.search = search;
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    check_that_nothing_is_counted_yet(s, finder);
    CHECK_INT(abut_pairs_find(finder, &query, &pairs, NULL), ABUT_OK);
    const abut_index count = abut_pairs_count(pairs);
    abut_pairs_free(pairs);
    abut_pair_statistics statistics;
    abut_pair_level levels[ABUT_LEVEL_LIMIT];
    abut_pair_finder_inspect(finder, &statistics, levels);
    CHECK_INT(statistics.pair_count, count);
    check_work(s, search, &statistics, levels);
    abut_pair_finder_free(finder);
}

static void check_statistics(void)
{
    static scene s;
    static const double sizes[] = {0.8, 1.5, 2.4, 3.9};
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 1500, 12.0, 0.1, 1.9);
        set_period(&s, 7, 12.0);
        s.gap = 0.1;
        s.has_sizes = true, s.level_count = 4;
        memcpy(s.sizes, sizes, sizeof sizes);
        check_counts(&s, ABUT_TOP_DOWN);
        check_counts(&s, ABUT_BOTTOM_UP);
    }
}

static void check_all_scenes(void)
{
    check_sizes();
    check_few();
    check_that_same_centers_are_pairs();
    check_that_one_cell_will_do();
    check_the_last_bit();
    check_gaps();
    check_large_boxes();
    check_small_boxes();
    check_that_a_sphere_touches_itself();
    check_far_periods();
    check_the_border();
    check_others();
    check_large_lookers();
    check_levels_by_hand();
    check_levels_in_a_box();
    check_that_dense_boxes_use_floats();
    check_clusters();
    check_clusters_in_a_box();
    check_outliers();
    check_that_most_are_outliers();
    check_thin_boxes();
    check_units();
}

void test_pairs(void)
{
    const long live = memory_live_count();
    state = 1;
    check_all_scenes();
    check_a_sphere_with_many_neighbors();
    check_many_tasks();
    check_that_a_finder_serves_again();
    check_that_results_stay();
    check_that_threads_share_a_finder();
    check_interruption();
    check_errors();
    check_statistics();
    CHECK_INT(memory_live_count(), live);
}
