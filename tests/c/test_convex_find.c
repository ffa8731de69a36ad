/* Queries of many convex bodies: which rows there are, where they begin, and that each depends on
 * its own pair and state alone. */
#include "convex_scenes.h"

/* ---- which rows ---- */

typedef struct all_pairs {
    abut_index i[MOST_BODIES * (MOST_BODIES - 1) / 2], j[MOST_BODIES * (MOST_BODIES - 1) / 2];
    abut_index count;
} all_pairs;

static void list_pairs(all_pairs *p, int bodies)
{
    p->count = 0;
    for (int i = 0; i < bodies; i++) {
        for (int j = i + 1; j < bodies; j++) {
            p->i[p->count] = i, p->j[p->count++] = j;
        }
    }
}

/* The search finds what looking at all pairs does, to the bit. */
static void check_search(const convex_scene *s, double gap)
{
    static all_pairs pairs;
    list_pairs(&pairs, s->count);
    abut_convex_query query = query_of(s);
    query.gap = gap;
    convex_table searched = find_table(s, &query);
    query.i = pairs.i, query.j = pairs.j, query.pair_count = pairs.count;
    convex_table given = find_table(s, &query);
    CHECK(searched.rows > s->count / 2);
    memcpy(given.columns.offsets, searched.columns.offsets, given.bytes[13]); /* has none */
    CHECK(is_same_table(&searched, &given));
    for (abut_index row = 0; row < searched.rows; row++) {
        CHECK(searched.columns.overlap[row] >= -gap);
    }
    free_table(&searched), free_table(&given);
}

static void check_offsets(const convex_scene *s)
{
    const abut_convex_query query = query_of(s);
    convex_table t = find_table(s, &query);
    const abut_convex_columns *c = &t.columns;
    CHECK_INT(c->offsets[0], 0);
    CHECK_INT(c->offsets[s->count], t.rows);
    CHECK_INT(c->spot_offsets[0], 0);
    CHECK_INT(c->spot_offsets[t.rows], t.spots);
    for (int i = 0; i < s->count; i++) {
        for (abut_index row = c->offsets[i]; row < c->offsets[i + 1]; row++) {
            CHECK_INT(c->i[row], i);
            CHECK(c->j[row] > i && c->spot_offsets[row] < c->spot_offsets[row + 1]);
            CHECK(row == c->offsets[i] || c->j[row - 1] <= c->j[row]);
        }
    }
    free_table(&t);
}

/* ---- what a row depends on ---- */

static void check_threads(const convex_scene *s, abut_convex_query query)
{
    query.workers = 1;
    convex_table one = find_table(s, &query);
    for (int workers = 2; workers <= 5; workers += 3) {
        query.workers = workers;
        convex_table more = find_table(s, &query);
        CHECK(is_same_table(&one, &more));
        free_table(&more);
    }
    free_table(&one);
}

static void shake(convex_scene *s, double amount)
{
    for (int k = 0; k < s->dimension * s->count; k++) {
        s->positions[k] += draw_between(-amount, amount);
    }
}

/* Rows of a table in any other order. */
static void shuffle_rows(convex_table *t)
{
    abut_convex_columns *c = &t->columns;
    for (abut_index row = t->rows - 1; row > 0; row--) {
        const abut_index other = (abut_index)(draw() % (uint64_t)(row + 1));
        abut_index *columns[] = {c->i, c->j};
        for (int k = 0; k < 2; k++) {
            const abut_index number = columns[k][row];
            columns[k][row] = columns[k][other], columns[k][other] = number;
        }
        double kept[ABUT_CONVEX_STATE];
        double *a = c->state + ABUT_CONVEX_STATE * row, *b = c->state + ABUT_CONVEX_STATE * other;
        memcpy(kept, a, sizeof kept), memcpy(a, b, sizeof kept), memcpy(b, kept, sizeof kept);
    }
}

/* Seen from the other body. */
static void turn_rows_around(convex_table *t)
{
    for (abut_index row = 0; row < t->rows; row += 3) {
        const abut_index i = t->columns.i[row];
        t->columns.i[row] = t->columns.j[row], t->columns.j[row] = i;
    }
}

/* The order of the rows before makes no difference, nor which of two bodies comes first. */
static void check_states(convex_scene *s)
{
    abut_convex_query query = query_of(s);
    query.gap = 0.1;
    convex_table before = find_table(s, &query);
    shake(s, 0.001);
    query.before = before_of(&before);
    query.before.image = NULL;
    convex_table warm = find_table(s, &query);
    shuffle_rows(&before);
    turn_rows_around(&before);
    convex_table shuffled = find_table(s, &query);
    CHECK(is_same_table(&warm, &shuffled));
    CHECK(warm.rows > s->count);
    check_threads(s, query);
    free_table(&before), free_table(&warm), free_table(&shuffled);
}

static bool is_same_row(const convex_table *a, abut_index row, const convex_table *b,
                        abut_index other, int dimension)
{
    const size_t d = (size_t)dimension * sizeof(double);
    const double *x = a->columns.state + ABUT_CONVEX_STATE * row;
    const double *y = b->columns.state + ABUT_CONVEX_STATE * other;
    return memcmp(x, y, ABUT_CONVEX_STATE * sizeof(double)) == 0 &&
           memcmp(a->columns.normal + dimension * row, b->columns.normal + dimension * other, d) ==
               0 &&
           a->columns.overlap[row] == b->columns.overlap[other];
}

/* Pairs whose rows before are left out begin anew, and the others are as with all of them. */
static void check_missing_states(const convex_scene *s)
{
    abut_convex_query query = query_of(s);
    convex_table cold = find_table(s, &query), half = find_table(s, &query);
    query.before = before_of(&cold);
    convex_table warm = find_table(s, &query);
    abut_convex_columns *c = &half.columns;
    for (abut_index row = 0; 2 * row + 1 < half.rows; row++) {
        c->i[row] = c->i[2 * row + 1], c->j[row] = c->j[2 * row + 1];
        memcpy(c->state + ABUT_CONVEX_STATE * row, c->state + ABUT_CONVEX_STATE * (2 * row + 1),
               ABUT_CONVEX_STATE * sizeof(double));
    }
    query.before = before_of(&half);
    query.before.row_count = half.rows / 2;
    convex_table mixed = find_table(s, &query);
    CHECK_INT(mixed.rows, cold.rows);
    for (abut_index row = 0; row < mixed.rows; row++) {
        CHECK(is_same_row(&mixed, row, row % 2 ? &warm : &cold, row, s->dimension));
    }
    free_table(&cold), free_table(&half), free_table(&warm), free_table(&mixed);
}

/* The caller's pairs, some twice, in any order, the first body behind the second or before it. */
static void check_swapped(const convex_scene *s)
{
    abut_convex_query query = query_of(s);
    convex_table t = find_table(s, &query);
    query.i = t.columns.j, query.j = t.columns.i;
    query.pair_count = t.rows, query.all_rows = 1;
    convex_table swapped = find_table(s, &query);
    const abut_convex_columns *a = &t.columns, *b = &swapped.columns;
    CHECK_INT(swapped.rows, t.rows);
    CHECK_INT(swapped.spots, t.spots);
    CHECK(memcmp(a->state, b->state, t.bytes[11]) == 0);
    CHECK(memcmp(a->overlap, b->overlap, t.bytes[6]) == 0);
    CHECK(memcmp(a->point, b->point, t.bytes[9]) == 0);
    for (abut_index k = 0; k < s->dimension * t.rows; k++) {
        CHECK(a->normal[k] == -b->normal[k]);
    }
    for (abut_index row = 0; row < t.rows; row++) {
        CHECK_INT(a->type[2 * row], b->type[2 * row + 1]);
        CHECK_INT(a->feature[2 * row + 1], b->feature[2 * row]);
    }
    for (abut_index spot = 0; spot < t.spots; spot++) {
        CHECK_INT(a->spot_type[2 * spot], b->spot_type[2 * spot + 1]);
        CHECK_INT(a->spot_feature[2 * spot + 1], b->spot_feature[2 * spot]);
    }
    free_table(&t), free_table(&swapped);
}

/* All rows are there, in the caller's order, where they are asked for. */
static void check_given(const convex_scene *s)
{
    const abut_index i[] = {5, 0, 5, 9, 1}, j[] = {0, 9, 0, 2, 3};
    abut_convex_query query = query_of(s);
    query.i = i, query.j = j, query.pair_count = 5, query.all_rows = 1;
    convex_table t = find_table(s, &query);
    CHECK_INT(t.rows, 5);
    CHECK(memcmp(t.columns.i, i, sizeof i) == 0 && memcmp(t.columns.j, j, sizeof j) == 0);
    CHECK(is_same_row(&t, 0, &t, 2, s->dimension));
    query.before = before_of(&t);
    check_threads(s, query);
    query.spots = 0;
    convex_table bare = find_table(s, &query);
    CHECK_INT(bare.spots, 0);
    CHECK_INT(bare.rows, 5);
    free_table(&t), free_table(&bare);
}

/* ---- space that repeats ---- */

/* Bodies that are moved by whole periods meet the same ones, at other images. */
static void check_moved(convex_scene *s)
{
    abut_convex_query query = query_of(s);
    query.period = s->period;
    convex_table t = find_table(s, &query);
    abut_index images = 0;
    for (abut_index k = 0; k < s->dimension * t.rows; k++) {
        images += t.columns.image[k] != 0;
    }
    CHECK(images > 5);
    for (int i = 0; i < s->count; i += 5) {
        s->positions[s->dimension * i] += 8.0 * (i % 3 - 1) * s->period[0];
    }
    convex_table moved = find_table(s, &query);
    CHECK_INT(moved.rows, t.rows);
    for (abut_index row = 0; row < t.rows; row++) {
        const abut_index i = t.columns.i[row], j = t.columns.j[row];
        const abut_index from = i % 5 ? 0 : 8 * (i % 3 - 1), to = j % 5 ? 0 : 8 * (j % 3 - 1);
        const abut_index at = s->dimension * row;
        CHECK_INT(moved.columns.j[row], j);
        CHECK_INT(moved.columns.image[at], t.columns.image[at] + from - to);
        CHECK_NEAR(moved.columns.overlap[row], t.columns.overlap[row], 1e-9);
    }
    check_threads(s, query);
    free_table(&t), free_table(&moved);
}

/* Of pairs that are given the nearest image counts, from either body. */
static void check_nearest(const convex_scene *s)
{
    abut_convex_query query = query_of(s);
    query.period = s->period;
    convex_table t = find_table(s, &query);
    query.i = t.columns.j, query.j = t.columns.i, query.pair_count = t.rows, query.all_rows = 1;
    convex_table given = find_table(s, &query);
    CHECK_INT(given.rows, t.rows);
    for (abut_index row = 0; row < t.rows; row++) {
        CHECK(is_same_row(&t, row, &t, row, s->dimension));
        CHECK_NEAR(given.columns.overlap[row], t.columns.overlap[row], 1e-12);
        const double *from = s->positions + s->dimension * t.columns.i[row];
        const double *link = given.columns.link + 2 * s->dimension * row + s->dimension;
        CHECK(fabs(given.columns.link[2 * s->dimension * row] - link[0]) < 3.0 && from[0] < 1e9);
        for (int axis = 0; axis < s->dimension; axis++) {
            const abut_index at = s->dimension * row + axis;
            CHECK_INT(given.columns.image[at], -t.columns.image[at]);
        }
    }
    free_table(&t), free_table(&given);
}

/* A body meets its own image. */
static void check_own_image(const convex_scene *s)
{
    const abut_index both[] = {4};
    const double period[3] = {0.0, 0.5, 0.6};
    abut_convex_query query = query_of(s);
    query.i = query.j = both, query.pair_count = 1, query.all_rows = 1;
    query.period = period;
    convex_table t = find_table(s, &query);
    CHECK_INT(t.rows, 1);
    CHECK_INT(t.columns.image[1], 1);
    CHECK_INT(t.columns.status[0], ABUT_OVERLAPPING);
    free_table(&t);
}

/* ---- spots from step to step ---- */

static void check_spots_match(void)
{
    const abut_index now_offsets[] = {0, 2, 3, 4}, before_offsets[] = {0, 1, 3};
    const uint8_t now_types[] = {0, 2, 1, 1, 2, 0, 0, 2}, before_types[] = {0, 2, 0, 2, 2, 0};
    const abut_index now_features[] = {3, 5, 7, 8, 4, 1, 3, 5},
                     before_features[] = {3, 5, 1, 4, 9, 9};
    const abut_spot_step now = {3, 4, now_offsets, now_types, now_features};
    const abut_spot_step before = {2, 3, before_offsets, before_types, before_features};
    const abut_index rows[] = {0, 1, -1};
    const uint8_t swapped[] = {0, 1, 0};
    abut_index match[4];
    abut_error error;
    CHECK_INT(abut_spots_match(&now, &before, rows, swapped, match, &error), ABUT_OK);
    CHECK_INT(match[0], 0);
    CHECK_INT(match[1], -1);
    CHECK_INT(match[2], 1);
    CHECK_INT(match[3], -1);
    CHECK_INT(abut_spots_match(&now, &before, rows, NULL, match, NULL), ABUT_OK);
    CHECK_INT(match[2], -1);
    const abut_index wrong[] = {0, 2, -1};
    CHECK_INT(abut_spots_match(&now, &before, wrong, NULL, match, &error), ABUT_BAD_SPOT_MATCH);
    CHECK_INT(error.index, 1);
    const abut_spot_step broken = {2, 2, before_offsets, before_types, before_features};
    CHECK_INT(abut_spots_match(&now, &broken, rows, NULL, match, &error), ABUT_BAD_SPOT_ROWS);
    CHECK_INT(error.of_before, 1);
    const abut_index nowhere[] = {-1, -1, -1};
    CHECK_INT(abut_spots_match(&now, &(abut_spot_step){0}, nowhere, NULL, match, NULL), ABUT_OK);
    CHECK_INT(match[0], -1);
}

static void check_dimension(int dimension, double side)
{
    static convex_scene s;
    start_bodies(&s, dimension, 300, side);
    build_finder(&s);
    check_search(&s, 0.0);
    check_search(&s, 0.3);
    check_offsets(&s);
    check_swapped(&s);
    check_given(&s);
    check_states(&s);
    check_missing_states(&s);
    s.period[0] = s.period[1] = side;
    check_moved(&s);
    check_nearest(&s);
    check_own_image(&s);
    end_bodies(&s);
}

void test_convex_find(void)
{
    check_dimension(2, 25.0);
    check_dimension(3, 9.0);
    check_spots_match();
}
