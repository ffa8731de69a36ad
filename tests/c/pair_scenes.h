/* Scenes of spheres for the tests of pairs, and a reference: two loops over all spheres. */
#ifndef ABUT_PAIR_SCENES_H
#define ABUT_PAIR_SCENES_H

#include "columns.h"
#include "periods.h"
#include "random.h"
#include "simd_levels.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of spheres, and of others, in a scene. */
enum { MOST = 12000 };

/* ---- more random numbers ---- */

/* Returns a random number with a uniform logarithm. */
static inline double draw_scale(double low, double high)
{
    return low * pow(high / low, draw_number());
}

/* ---- scenes ---- */

/* Spheres, with or without individual gaps. */
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

static inline void start(scene *s, int dimension)
{
    s->dimension = dimension;
    s->own.count = s->others.count = s->level_count = 0;
    s->own.has_gaps = s->others.has_gaps = s->has_others = s->has_sizes = false;
    s->gap = s->period[0] = s->period[1] = s->period[2] = 0.0;
}

static inline void add(const scene *s, sphere_list *to, const double center[3], double radius)
{
    memcpy(to->centers + s->dimension * to->count, center, (size_t)s->dimension * sizeof *center);
    to->gaps[to->count] = 0.0;
    to->radii[to->count++] = radius;
}

/* Adds spheres of many sizes at random places in a box. */
static inline void scatter(const scene *s, sphere_list *to, int count, const double low[3],
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

static inline void scatter_in_cube(const scene *s, sphere_list *to, int count, double side,
                                   double least, double most)
{
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {side, side, side};
    scatter(s, to, count, low, high, (const double[]){least, most});
}

static inline void set_period(scene *s, int axes, double shortest)
{
    for (int axis = 0; axis < s->dimension; axis++) {
        s->period[axis] = axes >> axis & 1 ? shortest * (1.0 + 0.3 * axis) : 0.0;
    }
}

static inline bool is_periodic(const scene *s)
{
    return s->period[0] > 0.0 || s->period[1] > 0.0 || s->period[2] > 0.0;
}

static inline abut_pair_input input_of(const scene *s)
{
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = s->own.count;
    input.dimension = s->dimension;
    input.radii = s->own.radii;
    input.gap = s->gap;
    input.gaps = s->own.has_gaps ? s->own.gaps : NULL;
    input.sizes = s->has_sizes ? s->sizes : NULL;
    input.level_count = s->level_count;
    input.period = is_periodic(s) ? vectors_along(s->period, s->dimension) : NULL;
    return input;
}

static inline abut_pair_query query_of(const scene *s)
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

/* Returns the pairs of a scene; the caller frees the finder after them. */
static inline abut_pairs *find_pairs(const scene *s, abut_pair_finder **finder)
{
    const abut_pair_input input = input_of(s);
    const abut_pair_query query = query_of(s);
    abut_pairs *pairs = NULL;
    CHECK_INT(abut_pair_finder_build(&input, finder, NULL), ABUT_OK);
    CHECK_INT(abut_pairs_find(*finder, &query, &pairs, NULL), ABUT_OK);
    return pairs;
}

/* ---- pairs as columns ---- */

typedef struct table {
    abut_index count, capacity, offset_count;
    abut_pair_columns columns;
} table;

static inline void free_table(table *t)
{
    abut_pair_columns *c = &t->columns;
    ABUT_PAIR_COLUMNS(FREE_COLUMN)
    *t = (table){0};
}

static inline void make_room(table *t, abut_index count)
{
    if (count > t->capacity) {
        abut_pair_columns *c = &t->columns;
        t->capacity = 2 * count;
        const column_counts n = {.ROWS = t->capacity, .OFFSETS = t->offset_count, .dimension = 3};
        ABUT_PAIR_COLUMNS(GROW_COLUMN)
    }
}

static inline table start_table(const scene *s)
{
    table t = {.offset_count = s->own.count + 1};
    t.columns.offsets = calloc((size_t)t.offset_count, sizeof *t.columns.offsets);
    make_room(&t, 16);
    return t;
}

/* ---- two loops ---- */

/* A sphere in the two loops. */
typedef struct ball {
    double place[3], wraps[3], center[3];
    double radius, reach;
} ball;

static inline ball ball_of(const scene *s, const sphere_list *list, abut_index number)
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

static inline void add_pair(const scene *s, table *t, const ball *i, const ball *j,
                            const double d[3], const double image[3])
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

/* A range of images along an axis that contains all images that may touch. */
typedef struct image_span {
    double first, last;
} image_span;

static inline image_span span_of(double difference, double reach, double period)
{
    if (period == 0.0) {
        return (image_span){0.0, 0.0};
    }
    return (image_span){floor((difference - reach) / period) - 1.0,
                        ceil((difference + reach) / period) + 1.0};
}

/* Returns whether the first number other than 0 is positive. Two opposite images of a sphere with
 * itself are one row, and this chooses which of them. */
static inline bool is_first(const double image[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (image[axis] != 0.0) {
            return image[axis] > 0.0;
        }
    }
    return false;
}

/* Compares all images of a pair from an axis on, with the images along earlier axes fixed. */
static inline void compare(const scene *s, table *t, const ball *i, const ball *j, int axis,
                           double d[3], double image[3], bool is_same)
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

static inline table compare_all(const scene *s)
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

static inline void write_table(const scene *s, const abut_pairs *pairs, table *t)
{
    t->count = abut_pairs_count(pairs);
    make_room(t, t->count);
    const size_t numbers = (size_t)t->count * 3;
    memset(t->columns.image, is_periodic(s) ? 0x55 : 0, numbers * sizeof *t->columns.image);
    abut_pairs_write(pairs, &t->columns);
}

/* Returns whether all rows are the same to the bit. */
static inline bool is_same_table(const scene *s, const table *found, const table *expected)
{
    if (!CHECK_INT(found->count, expected->count)) {
        return false;
    }
    const abut_pair_columns *a = &found->columns, *b = &expected->columns;
    const column_counts n = {
        .ROWS = found->count, .OFFSETS = found->offset_count, .dimension = s->dimension};
    int same = 1;
    ABUT_PAIR_COLUMNS(COMPARE_COLUMN)
    return same;
}

static inline bool find_and_compare(const scene *s, const abut_pair_finder *finder, int workers,
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

/* Checks every instruction level with one thread and four. */
static inline bool check_finder(const scene *s, const abut_pair_finder *finder,
                                const table *expected)
{
    bool is_same = true;
    for (size_t k = 0; choose_next_level(&k);) {
        is_same &= find_and_compare(s, finder, 1, expected);
        is_same &= find_and_compare(s, finder, 4, expected);
    }
    return is_same;
}

/* Checks both searches against the two loops. Returns the number of pairs, or -1 on a failure. */
static inline abut_index check_scene(const scene *s)
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

#endif
