/* Queries of convex bodies that fail: by every allocation, by interruptions, and by bad input; and
 * steps without allocations. */
#include "base/memory.h"

#include "convex_scenes.h"

/* ---- allocations ---- */

/* Finds and writes columns, with the columns of the previous call as the previous step. */
static abut_status find_and_count(const abut_convex_finder *finder, const abut_convex_query *query,
                                  abut_index *rows)
{
    abut_convex_contacts *contacts = NULL;
    abut_error error;
    const abut_status status = abut_convex_find(finder, query, &contacts, &error);
    CHECK_INT(error.status, status);
    CHECK((contacts != NULL) == (status == ABUT_OK));
    if (!status) {
        *rows = abut_convex_contacts_count(contacts);
    }
    abut_convex_contacts_free(contacts);
    return status;
}

static abut_status enter_and_count(const abut_convex_finder *finder, const abut_convex_query *query,
                                   abut_index *rows)
{
    const abut_entrances_before none = {.pair_count = 0};
    abut_entrances *entrances = NULL;
    abut_error error;
    const abut_status status = abut_entrances_find(finder, query, &none, &entrances, &error);
    CHECK_INT(error.status, status);
    CHECK((entrances != NULL) == (status == ABUT_OK));
    if (!status) {
        *rows = abut_entrances_count(entrances);
    }
    abut_entrances_free(entrances);
    return status;
}

typedef abut_status (*counted_query)(const abut_convex_finder *finder,
                                     const abut_convex_query *query, abut_index *rows);

/* After a query fails, the finder still works for the next one. */
static abut_status build_and_count(const convex_scene *s, const abut_convex_query *query,
                                   counted_query count, abut_index *rows)
{
    const abut_convex_input input = input_of(s);
    abut_convex_finder *finder = NULL;
    abut_error error;
    abut_status status = abut_convex_finder_build(&input, &finder, &error);
    CHECK_INT(error.status, status);
    CHECK((finder != NULL) == (status == ABUT_OK));
    if (!status) {
        status = count(finder, query, rows);
        if (status) {
            memory_fail_at(0);
            CHECK_INT(count(finder, query, rows), ABUT_OK);
        }
    }
    abut_convex_finder_free(finder);
    return status;
}

static void fail_every_allocation(const convex_scene *s, const abut_convex_query *query,
                                  counted_query count, int least)
{
    const long live = memory_live_count();
    abut_index whole = -1, rows = -1;
    CHECK_INT(build_and_count(s, query, count, &whole), ABUT_OK);
    CHECK_INT(memory_live_count(), live);
    CHECK(whole > 10);
    abut_status status = ABUT_NO_MEMORY;
    int call = 0;
    while (status == ABUT_NO_MEMORY && call < 1000) {
        memory_fail_at(++call);
        status = build_and_count(s, query, count, &rows);
        CHECK_INT(memory_live_count(), live);
    }
    CHECK_INT(status, ABUT_OK);
    CHECK(!memory_has_failed());
    memory_fail_at(0);
    CHECK(call > least && call < 1000); /* allocations failed throughout the call */
    CHECK_INT(rows, whole);
}

static void reverse(convex_table *t)
{
    for (abut_index a = 0, b = t->rows - 1; a < b; a++, b--) {
        const abut_index i = t->columns.i[a], j = t->columns.j[a];
        t->columns.i[a] = t->columns.i[b], t->columns.j[a] = t->columns.j[b];
        t->columns.i[b] = i, t->columns.j[b] = j;
    }
}

static void check_allocations(convex_scene *s)
{
    abut_convex_query query = query_of(s);
    convex_table t = find_table(s, &query);
    reverse(&t); /* unsorted rows of the previous step */
    query.before = before_of(&t);
    query.before.image = NULL;
    query.period = vectors_along(s->period, s->dimension);
    fail_every_allocation(s, &query, find_and_count, 20);
    query.i = t.columns.i, query.j = t.columns.j, query.pair_count = t.rows;
    fail_every_allocation(s, &query, find_and_count, 15);
    fail_every_allocation(s, &query, enter_and_count, 10);
    free_table(&t);
}

/* ---- steps ---- */

enum { FIRST_STEPS = 40, STEPS = 20 };

/* With columns of the caller, later steps of a loop allocate nothing. */
static void check_steps(const convex_scene *s, abut_convex_query query)
{
    double *positions = malloc(sizeof s->positions);
    convex_table before = find_table(s, &query);
    query.positions = positions;
    query.before = before_of(&before);
    for (int step = 0; step < FIRST_STEPS + STEPS; step++) {
        for (int k = 0; k < s->dimension * s->count; k++) {
            positions[k] = s->positions[k] + draw_between(-0.01, 0.01);
        }
        if (step == FIRST_STEPS) {
            memory_fail_at(1);
        }
        abut_index rows = 0;
        CHECK_INT(find_and_count(s->finder, &query, &rows), ABUT_OK);
        CHECK(rows > 10);
    }
    CHECK(!memory_has_failed());
    memory_fail_at(0);
    free_table(&before);
    free(positions);
}

static void check_loops(const convex_scene *s)
{
    abut_convex_query query = query_of(s);
    check_steps(s, query);
    query.gap = 0.1;
    query.period = vectors_along(s->period, s->dimension);
    check_steps(s, query);
    convex_table t = find_table(s, &query);
    query.i = t.columns.i, query.j = t.columns.j, query.pair_count = t.rows, query.all_rows = 1;
    check_steps(s, query);
    free_table(&t);
}

/* ---- interruptions ---- */

static int interrupt(void *data)
{
    (*(int *)data)++;
    return 1;
}

static void check_interruption(const convex_scene *s)
{
    static abut_index i[250000], j[250000];
    int asked = 0;
    abut_index rows = 0;
    for (int k = 0; k < 250000; k++) {
        i[k] = 0, j[k] = 1;
    }
    abut_convex_query query = query_of(s);
    query.i = i, query.j = j, query.pair_count = 250000;
    query.interrupted = interrupt, query.interrupted_data = &asked;
    CHECK_INT(find_and_count(s->finder, &query, &rows), ABUT_INTERRUPTED);
    CHECK(asked > 0);
    query.pair_count = 40000;
    CHECK_INT(enter_and_count(s->finder, &query, &rows), ABUT_INTERRUPTED);
}

/* ---- bad input that Python cannot give; test_convex_finder.py has the other errors ---- */

static void check_bad_input(const convex_scene *s)
{
    abut_convex_input input = input_of(s);
    abut_convex_finder *finder = NULL;
    abut_error error;
    input.options.method = (abut_convex_method)4;
    CHECK_INT(abut_convex_finder_build(&input, &finder, &error), ABUT_BAD_METHOD);
    input.options.method = (abut_convex_method)-1;
    CHECK_INT(abut_convex_finder_build(&input, &finder, &error), ABUT_BAD_METHOD);
    CHECK_INT(error.index, -1);
    CHECK_INT(abut_convex_finder_build(&input, &finder, NULL), ABUT_BAD_METHOD);
    input = input_of(s), input.body_count = (abut_index)INT32_MAX + 1;
    CHECK_INT(abut_convex_finder_build(&input, &finder, &error), ABUT_TOO_MANY_BODIES);
    CHECK(finder == NULL && error.status == ABUT_TOO_MANY_BODIES);
    abut_convex_query query = query_of(s);
    abut_convex_contacts *contacts = NULL;
    query.minimum = (abut_minimum)2;
    CHECK_INT(abut_convex_find(s->finder, &query, &contacts, &error), ABUT_BAD_MINIMUM);
    CHECK_INT(abut_convex_find(s->finder, &query, &contacts, NULL), ABUT_BAD_MINIMUM);
    CHECK(contacts == NULL && error.status == ABUT_BAD_MINIMUM);
}

static void check_status(abut_convex_input input, abut_status status)
{
    abut_convex_finder *finder = NULL;
    abut_error error;
    CHECK_INT(abut_convex_finder_build(&input, &finder, &error), status);
    CHECK(finder == NULL && error.status == status);
}

static void check_query(const convex_scene *s, const abut_convex_query *query, abut_status status,
                        abut_index index, abut_index detail)
{
    abut_convex_contacts *contacts = NULL;
    abut_error error;
    CHECK_INT(abut_convex_find(s->finder, query, &contacts, &error), status);
    CHECK(contacts == NULL && error.status == status);
    CHECK(error.index == index && error.detail == detail);
}

/* Values of a body out of their range, one at a time, and NaN, which no range contains. */
static void check_bodies_refused(const convex_scene *s)
{
    static const struct {
        double scale;
        abut_status status;
    } cases[] = {{-1.0, ABUT_BAD_SCALE},
                 {2.0 * ABUT_COORDINATE_LIMIT, ABUT_BAD_SCALE},
                 {(double)NAN, ABUT_BAD_SCALE},
                 {1e-76, ABUT_BODY_TOO_SMALL},
                 {ABUT_COORDINATE_LIMIT, ABUT_BODY_TOO_LARGE}};
    double scales[MOST_BODIES];
    memcpy(scales, s->scales, sizeof scales);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        abut_convex_input input = input_of(s);
        abut_convex_finder *finder = NULL;
        abut_error error;
        scales[10] = cases[k].scale, input.scales = scales;
        CHECK_INT(abut_convex_finder_build(&input, &finder, &error), cases[k].status);
        CHECK(finder == NULL && error.index == 10 && error.status == cases[k].status);
    }
}

/* Invalid gaps, pairs and rows of the previous step; an error names the first of two. */
static void check_queries_refused(const convex_scene *s)
{
    static const double gaps[] = {-1.0, 2.0 * ABUT_COORDINATE_LIMIT, (double)NAN};
    static const abut_index wrong[] = {0, -1, MOST_BODIES}, right[] = {1, 2, 3}, none[] = {-1, -1};
    static const abut_index matches[] = {-1, 0, -2, 7}, rows[] = {-1, 0, 1};
    double begins_with[ABUT_CONVEX_STATE] = {0.0};
    abut_convex_query query = query_of(s);
    for (int k = 0; k < 3; k++) {
        query.gap = gaps[k];
        check_query(s, &query, ABUT_BAD_GAP, 0, 0);
    }
    query = query_of(s);
    query.i = wrong, query.j = right, query.pair_count = 3;
    check_query(s, &query, ABUT_BAD_I, 1, -1);
    query.i = right, query.j = wrong;
    check_query(s, &query, ABUT_BAD_J, 1, -1);
    query.j = right;
    check_query(s, &query, ABUT_SAME_BODY, 0, 1);
    query.i = (const abut_index[]){0, 1, 2};
    query.before = (abut_convex_before){
        .row_count = 1, .i = right, .j = right, .state = begins_with, .match = matches};
    check_query(s, &query, ABUT_BAD_MATCH, 2, -2);
    query.before.match = rows;
    check_query(s, &query, ABUT_BAD_MATCH, 2, 1);
    query.before.match = none, query.pair_count = 2;
    abut_index count = 0;
    CHECK_INT(find_and_count(s->finder, &query, &count), ABUT_OK);
}

/* Coordinates beyond the limit along each axis, and far from a periodic box. */
static void check_places_refused(convex_scene *s)
{
    static const abut_index i[] = {0, 5}, j[] = {1, 3};
    static const double short_period[] = {1.0, 1.0, 1.0};
    abut_convex_query query = query_of(s);
    for (int axis = 0; axis < 3; axis++) {
        double *x = &s->positions[9 + axis];
        const double was = *x;
        *x = 2.0 * ABUT_COORDINATE_LIMIT;
        query.i = NULL, query.period = NULL;
        check_query(s, &query, ABUT_POSITION_TOO_FAR, 3, axis);
        query.i = i, query.j = j, query.pair_count = 2,
        query.period = vectors_along(short_period, s->dimension), *x = 1e12;
        check_query(s, &query, ABUT_POSITION_FAR_PERIODS, 3, axis);
        query.i = j, query.j = i;
        check_query(s, &query, ABUT_POSITION_FAR_PERIODS, 3, axis);
        *x = was;
    }
}

/* Quaternions may have any length, even if its square overflows. */
static void check_long_quaternions(convex_scene *s)
{
    const abut_convex_query query = query_of(s);
    convex_table usual = find_table(s, &query);
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < 4 * s->count; k++) {
            s->orientations[k] *= turn ? 0x1p-600 : 0x1p600;
        }
        if (turn == 0) {
            convex_table t = find_table(s, &query);
            CHECK_INT(t.rows, usual.rows);
            for (abut_index row = 0; row < t.rows; row++) {
                CHECK_NEAR(t.columns.overlap[row], usual.columns.overlap[row], 1e-9);
            }
            free_table(&t);
        }
    }
    free_table(&usual);
}

/* Invalid options, which Python checks itself. */
static void check_options_refused(const convex_scene *s)
{
    abut_convex_input input = input_of(s);
    input.shape_count = 0;
    check_status(input, ABUT_NO_SHAPES);
    input = input_of(s), input.options.iterations = 0;
    check_status(input, ABUT_BAD_ITERATIONS);
    input = input_of(s), input.options.cp_first = 2.0;
    check_status(input, ABUT_BAD_CP_ANGLE);
}

/* Previous entrances for another number of pairs, and offsets that do not ascend. */
static void check_entrances_before(const convex_scene *s)
{
    const abut_index i[] = {0, 1}, j[] = {1, 2}, offsets[] = {0, 1, 0};
    abut_convex_query query = query_of(s);
    query.i = i, query.j = j, query.pair_count = 2;
    for (abut_index count = 1; count <= 2; count++) {
        const abut_entrances_before before = {.pair_count = count, .offsets = offsets};
        abut_entrances *entrances = NULL;
        abut_error error;
        CHECK_INT(abut_entrances_find(s->finder, &query, &before, &entrances, &error),
                  ABUT_BAD_ENTRANCE_ROWS);
        CHECK(entrances == NULL && error.detail == 2);
    }
    const abut_entrances_before rows_alone = {.row_count = 1};
    abut_entrances *entrances = NULL;
    CHECK_INT(abut_entrances_find(s->finder, &query, &rows_alone, &entrances, NULL),
              ABUT_BAD_ENTRANCE_ROWS);
}

void test_convex_failures(void)
{
    static convex_scene s;
    start_bodies(&s, 3, 60, 5.0);
    s.period[0] = s.period[1] = 12.0;
    build_finder(&s);
    check_allocations(&s);
    check_loops(&s);
    check_interruption(&s);
    check_bad_input(&s);
    check_options_refused(&s);
    check_bodies_refused(&s);
    check_queries_refused(&s);
    check_places_refused(&s);
    check_long_quaternions(&s);
    check_entrances_before(&s);
    end_bodies(&s);
}
