/* Queries of many convex bodies: each row depends on its own pair and state alone. */
#include "base/columns.h"

#include "columns.h"
#include "convex_scenes.h"

/* ---- dependence of rows ---- */

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

/* Shuffles the rows of a table. */
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

/* Swaps the two bodies of every row. */
static void turn_rows_around(convex_table *t)
{
    for (abut_index row = 0; row < t->rows; row += 3) {
        const abut_index i = t->columns.i[row];
        t->columns.i[row] = t->columns.j[row], t->columns.j[row] = i;
    }
}

/* The order of previous rows does not matter, nor the order of the two bodies of a row. */
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

/* Pairs without a previous row start cold; other pairs are not affected. */
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

/* ---- columns ---- */

/* A column that is written alone is the same as when all columns are written. */
static void check_columns_alone(const convex_scene *s, const abut_convex_query *query)
{
    convex_table all = find_table(s, query);
    convex_table one = make_table(all.rows, all.spots, s->dimension, s->count);
    abut_convex_contacts *contacts = NULL;
    abut_index count;
    CHECK_INT(abut_convex_find(s->finder, query, &contacts, NULL), ABUT_OK);
    const abut_column *columns = abut_table_columns(ABUT_CONVEX_TABLE, &count);
    for (abut_index k = 0; k < count; k++) {
        abut_convex_columns own = {0};
        take_column(&columns[k], &one.columns, &own);
        abut_convex_contacts_write(contacts, &own);
    }
    CHECK(is_same_table(&all, &one));
    CHECK(all.rows > s->count && all.spots > 0);
    abut_convex_contacts_free(contacts);
    free_table(&all), free_table(&one);
}

static abut_entrances *enter(const convex_scene *s, const abut_convex_query *query,
                             const abut_entrances_before *before)
{
    abut_entrances *entrances = NULL;
    CHECK_INT(abut_entrances_find(s->finder, query, before, &entrances, NULL), ABUT_OK);
    return entrances;
}

/* Checks that two tables of entrances are the same. */
static void check_same_entrances(const abut_entrance_columns *a, const abut_entrance_columns *b,
                                 column_counts n)
{
    bool same = true;
    ABUT_ENTRANCE_COLUMNS(COMPARE_COLUMN)
    CHECK(same);
}

/* Previous entrances with invalid features of either body are ignored. */
static void check_broken_entrances(const convex_scene *s, const abut_convex_query *query,
                                   const abut_entrance_columns *all, column_counts n)
{
    static const uint8_t types[] = {3, ABUT_EDGE, ABUT_VERTEX, 255, ABUT_FACET};
    static const abut_index features[] = {0, -1, 1000, 0, -1};
    abut_entrance_columns other = {ABUT_ENTRANCE_COLUMNS(ALLOCATE_COLUMN)};
    const abut_entrances_before before = {.pair_count = query->pair_count,
                                          .row_count = n.ROWS,
                                          .offsets = all->offsets,
                                          .type = other.type,
                                          .feature = other.feature};
    memcpy(other.type, all->type, 2 * (size_t)n.ROWS);
    memcpy(other.feature, all->feature, 2 * (size_t)n.ROWS * sizeof *all->feature);
    for (abut_index row = 0; row < n.ROWS; row += 3) {
        other.type[2 * row + row % 2] = types[row % 5];
        other.feature[2 * row + row % 2] = features[row % 5];
    }
    abut_entrances *entrances = enter(s, query, &before);
    CHECK_INT(abut_entrances_count(entrances), n.ROWS);
    abut_entrances_write(entrances, &other);
    check_same_entrances(all, &other, n);
    abut_entrances_free(entrances);
    abut_entrance_columns *c = &other;
    ABUT_ENTRANCE_COLUMNS(FREE_COLUMN)
}

/* Checks columns of entrances one by one; without pairs there are no entrances. */
static void check_entrance_columns(const convex_scene *s)
{
    const abut_entrances_before none = {0};
    abut_convex_query query = query_of(s);
    abut_entrances *entrances = enter(s, &query, &none);
    CHECK_INT(abut_entrances_count(entrances), 0);
    abut_entrances_free(entrances);
    convex_table t = find_table(s, &query);
    query.i = t.columns.i, query.j = t.columns.j, query.pair_count = t.rows;
    entrances = enter(s, &query, &none);
    const column_counts n = {
        .ROWS = abut_entrances_count(entrances), .OFFSETS = t.rows + 1, .dimension = s->dimension};
    abut_entrance_columns all = {ABUT_ENTRANCE_COLUMNS(ALLOCATE_COLUMN)};
    abut_entrance_columns one = {ABUT_ENTRANCE_COLUMNS(ALLOCATE_COLUMN)}, *c = &all;
    abut_index count;
    const abut_column *columns = abut_table_columns(ABUT_ENTRANCE_TABLE, &count);
    abut_entrances_write(entrances, &all);
    for (abut_index k = 0; k < count; k++) {
        abut_entrance_columns own = {0};
        take_column(&columns[k], &one, &own);
        abut_entrances_write(entrances, &own);
    }
    CHECK(n.ROWS > t.rows && all.offsets[t.rows] == n.ROWS);
    check_same_entrances(&all, &one, n);
    abut_entrances_free(entrances);
    check_broken_entrances(s, &query, &all, n);
    ABUT_ENTRANCE_COLUMNS(FREE_COLUMN)
    c = &one;
    ABUT_ENTRANCE_COLUMNS(FREE_COLUMN)
    free_table(&t);
}

/* A column that is missing on either side is not copied. */
static void check_copies(void)
{
    const column_counts n = {.ROWS = 2, .OFFSETS = 2, .dimension = 3};
    const abut_index counts[] = {[ABUT_COLUMN_ROWS] = 2,
                                 [ABUT_COLUMN_ENTRIES] = 0,
                                 [ABUT_COLUMN_ENTRY_OFFSETS] = 0,
                                 [ABUT_COLUMN_OFFSETS] = 2};
    double overlap[] = {1.0, 2.0};
    abut_index feature[] = {1, 2, 3, 4};
    abut_entrance_columns to = {ABUT_ENTRANCE_COLUMNS(ALLOCATE_COLUMN)}, *c = &to;
    abut_index *pair = to.pair;
    to.pair = NULL;
    const abut_entrance_columns from = {.pair = feature, .overlap = overlap};
    columns_copy(ABUT_ENTRANCE_TABLE, &to, &from, counts);
    CHECK(to.overlap[0] == 1.0 && to.overlap[1] == 2.0);
    CHECK(to.feature[0] == 0 && pair[0] == 0);
    to.pair = pair;
    ABUT_ENTRANCE_COLUMNS(FREE_COLUMN)
}

/* ---- periodic space ---- */

/* Previous rows for a list of pairs: the same pairs, without images, with images but no period now,
 * and with one different number each. Overlaps are the same in all cases. */
static void check_lists_before(const convex_scene *s)
{
    abut_convex_query query = query_of(s);
    convex_table pairs = find_table(s, &query);
    query.i = pairs.columns.i, query.j = pairs.columns.j, query.pair_count = pairs.rows;
    query.all_rows = 1;
    for (int k = 0; k < 10; k++) {
        query.before = (abut_convex_before){0};
        query.period = k % 2 ? vectors_along(s->period, s->dimension) : NULL;
        convex_table cold = find_table(s, &query);
        query.before = before_of(&cold);
        cold.columns.i[0] += k / 2 == 1 ? 1 : 0;
        cold.columns.j[0] += k / 2 == 2 ? 1 : 0;
        cold.columns.image[0] += k / 2 == 3 ? 1 : 0;
        if (k / 2 == 4) {
            query.before.image = NULL;
        }
        convex_table warm = find_table(s, &query);
        for (abut_index row = 0; row < cold.rows; row++) {
            CHECK_NEAR(warm.columns.overlap[row], cold.columns.overlap[row], 1e-9);
        }
        CHECK_INT(warm.rows, cold.rows);
        free_table(&warm), free_table(&cold);
    }
    free_table(&pairs);
}

/* A body touches its own image. */
static void check_own_image(const convex_scene *s)
{
    const abut_index both[] = {4};
    const double period[3] = {0.0, 0.5, 0.6};
    abut_convex_query query = query_of(s);
    query.i = query.j = both, query.pair_count = 1, query.all_rows = 1;
    query.period = vectors_along(period, s->dimension);
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
    const abut_index wrong[] = {0, 2, -1}, below[] = {0, 1, -2};
    CHECK_INT(abut_spots_match(&now, &before, wrong, NULL, match, &error), ABUT_BAD_SPOT_MATCH);
    CHECK(error.index == 1 && error.detail == 2 && error.value == 2.0);
    CHECK_INT(abut_spots_match(&now, &before, below, NULL, match, &error), ABUT_BAD_SPOT_MATCH);
    CHECK(error.index == 2 && error.detail == -2);
    const abut_spot_step broken = {2, 2, before_offsets, before_types, before_features};
    CHECK_INT(abut_spots_match(&now, &broken, rows, NULL, match, &error), ABUT_BAD_SPOT_ROWS);
    CHECK_INT(error.of_before, 1);
    CHECK_INT(abut_spots_match(&broken, &before, rows, NULL, match, NULL), ABUT_BAD_SPOT_ROWS);
    const abut_index nowhere[] = {-1, -1, -1};
    CHECK_INT(abut_spots_match(&now, &(abut_spot_step){0}, nowhere, NULL, match, NULL), ABUT_OK);
    CHECK_INT(match[0], -1);
}

static void check_dimension(int dimension, double side)
{
    static convex_scene s;
    start_bodies(&s, dimension, 300, side);
    build_finder(&s);
    check_states(&s);
    check_missing_states(&s);
    s.period[0] = s.period[1] = side;
    check_own_image(&s);
    check_lists_before(&s);
    abut_convex_query query = query_of(&s);
    check_columns_alone(&s, &query);
    query.period = vectors_along(s.period, s.dimension);
    check_columns_alone(&s, &query);
    check_entrance_columns(&s);
    end_bodies(&s);
}

void test_convex_find(void)
{
    check_dimension(2, 25.0);
    check_dimension(3, 9.0);
    check_spots_match();
    check_copies();
}
