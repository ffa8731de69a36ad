/* Queries of convex bodies that fail: every allocation once, bad input of every kind, and whoever
 * ends them; and steps that allocate nothing. */
#include "base/memory.h"

#include "convex_scenes.h"

/* ---- allocations ---- */

/* Find and write, with the columns of the call before as the step before. */
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

/* Where a query fails, the finder still serves the next one. */
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
    CHECK(call > least && call < 1000); /* it did fail, all the way through */
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
    reverse(&t); /* rows before that must be sorted */
    query.before = before_of(&t);
    query.before.image = NULL;
    query.period = s->period;
    fail_every_allocation(s, &query, find_and_count, 20);
    query.i = t.columns.i, query.j = t.columns.j, query.pair_count = t.rows;
    fail_every_allocation(s, &query, find_and_count, 15);
    fail_every_allocation(s, &query, enter_and_count, 10);
    free_table(&t);
}

/* ---- steps ---- */

enum { FIRST_STEPS = 40, STEPS = 20 };

/* Columns are the caller's; from some step on a loop allocates nothing. */
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
    query.period = s->period;
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

/* ---- bad input ---- */

static abut_error error_of_input(abut_convex_input input)
{
    abut_convex_finder *finder = NULL;
    abut_error error;
    const abut_status status = abut_convex_finder_build(&input, &finder, &error);
    CHECK(status != ABUT_OK && finder == NULL);
    CHECK_INT(abut_convex_finder_build(&input, &finder, NULL), status);
    return error;
}

static void check_options(const convex_scene *s)
{
    abut_convex_input input = input_of(s);
    input.options.method = (abut_convex_method)4;
    CHECK_INT(error_of_input(input).status, ABUT_BAD_METHOD);
    input = input_of(s), input.options.patch_angle = 0.25 * PI;
    CHECK_INT(error_of_input(input).status, ABUT_BAD_PATCH_ANGLE);
    input = input_of(s), input.options.patch_angle = (double)NAN;
    CHECK_INT(error_of_input(input).status, ABUT_BAD_PATCH_ANGLE);
    input = input_of(s), input.options.cp_first = 0.0;
    CHECK_INT(error_of_input(input).status, ABUT_BAD_CP_ANGLE);
    input = input_of(s), input.options.cp_last = 2.0 * input.options.cp_first;
    CHECK_INT(error_of_input(input).index, 1);
    input = input_of(s), input.options.iterations = 0;
    CHECK_INT(error_of_input(input).status, ABUT_BAD_ITERATIONS);
}

static void check_bodies(const convex_scene *s)
{
    abut_convex_input input = input_of(s);
    abut_index numbers[MOST_BODIES] = {0};
    double scales[MOST_BODIES];
    for (int k = 0; k < s->count; k++) {
        scales[k] = 1.0;
    }
    numbers[3] = SHAPES, scales[5] = -1.0;
    input.shape_count = 0;
    CHECK_INT(error_of_input(input).status, ABUT_NO_SHAPES);
    input = input_of(s), input.shape = numbers;
    abut_error error = error_of_input(input);
    CHECK(error.status == ABUT_BAD_SHAPE_NUMBER && error.index == 3 && error.detail == SHAPES);
    input = input_of(s), input.scales = scales;
    error = error_of_input(input);
    CHECK(error.status == ABUT_BAD_SCALE && error.index == 5 && error.value == -1.0);
    scales[5] = 1e-76;
    CHECK_INT(error_of_input(input).status, ABUT_BODY_TOO_SMALL);
    scales[5] = 1e75, input.shape = NULL;
    input.shapes = (const abut_shape *const *)&s->shapes[2]; /* whose radius is more than 1 */
    input.shape_count = 1;
    CHECK_INT(error_of_input(input).status, ABUT_BODY_TOO_LARGE);
    input = input_of(s), input.body_count = (abut_index)INT32_MAX + 1;
    CHECK_INT(error_of_input(input).status, ABUT_TOO_MANY_BODIES);
}

static void check_dimensions(const convex_scene *s)
{
    abut_shape *flat = polygon_shape(4, 1.0, 0.0);
    const abut_shape *shapes[] = {s->shapes[0], flat};
    abut_convex_input input = input_of(s);
    input.shapes = shapes, input.shape_count = 2;
    const abut_error error = error_of_input(input);
    CHECK(error.status == ABUT_MIXED_SHAPES && error.index == 1 && error.detail == 2);
    abut_shape_free(flat);
}

static abut_error error_of(const convex_scene *s, const abut_convex_query *query)
{
    abut_convex_contacts *contacts = NULL;
    abut_error error;
    const abut_status status = abut_convex_find(s->finder, query, &contacts, &error);
    CHECK(status != ABUT_OK && contacts == NULL);
    CHECK_INT(abut_convex_find(s->finder, query, &contacts, NULL), status);
    CHECK_INT(error.status, status);
    return error;
}

static void check_positions(convex_scene *s)
{
    const abut_convex_query query = query_of(s);
    double *x = &s->positions[3 * 7 + 1], *q = &s->orientations[4 * 9];
    const double was = *x, turned[4] = {q[0], q[1], q[2], q[3]};
    *x = (double)NAN;
    abut_error error = error_of(s, &query);
    CHECK(error.status == ABUT_POSITION_NOT_FINITE && error.index == 7 && error.detail == 1);
    *x = -2e75;
    CHECK_INT(error_of(s, &query).status, ABUT_POSITION_TOO_FAR);
    *x = was;
    q[0] = q[1] = q[2] = q[3] = 0.0;
    error = error_of(s, &query);
    CHECK(error.status == ABUT_BAD_QUATERNION && error.index == 9 && error.value == 0.0);
    q[3] = (double)INFINITY;
    CHECK_INT(error_of(s, &query).status, ABUT_BAD_QUATERNION);
    q[3] = 1.0, q[1] = (double)NAN;
    CHECK_INT(error_of(s, &query).status, ABUT_BAD_QUATERNION);
    memcpy(q, turned, sizeof turned);
}

/* Lengths that are far from 1 make the same turns. */
static void check_lengths(convex_scene *s)
{
    const abut_convex_query query = query_of(s);
    convex_table t = find_table(s, &query);
    for (int i = 0; i < s->count; i++) {
        for (int k = 0; k < 4; k++) {
            s->orientations[4 * i + k] *= i % 2 ? 0x1p900 : 0x1p-900;
        }
    }
    convex_table same = find_table(s, &query);
    CHECK_INT(same.rows, t.rows);
    for (abut_index row = 0; row < t.rows; row++) {
        CHECK_NEAR(same.columns.overlap[row], t.columns.overlap[row], 1e-13);
    }
    free_table(&t), free_table(&same);
}

static void check_pairs(const convex_scene *s)
{
    abut_index i[] = {0, 1, s->count}, j[] = {1, 1, 0};
    abut_convex_query query = query_of(s);
    query.i = i, query.j = j, query.pair_count = 3;
    abut_error error = error_of(s, &query);
    CHECK(error.status == ABUT_SAME_BODY && error.index == 1 && error.detail == 1);
    j[1] = -1;
    error = error_of(s, &query);
    CHECK(error.status == ABUT_BAD_J && error.index == 1 && error.detail == -1);
    j[1] = 2;
    error = error_of(s, &query);
    CHECK(error.status == ABUT_BAD_I && error.index == 2 && error.value == s->count - 1);
}

static void check_numbers(const convex_scene *s)
{
    const double bad_period[] = {0.0, -1.0, 0.0};
    abut_convex_query query = query_of(s);
    query.gap = -1.0;
    CHECK_INT(error_of(s, &query).status, ABUT_BAD_GAP);
    query.gap = (double)NAN;
    CHECK_INT(error_of(s, &query).status, ABUT_BAD_GAP);
    query = query_of(s), query.period = bad_period;
    CHECK_INT(error_of(s, &query).status, ABUT_BAD_PERIOD);
    query = query_of(s), query.minimum = (abut_minimum)2;
    CHECK_INT(error_of(s, &query).status, ABUT_BAD_MINIMUM);
}

static void check_far_periods(convex_scene *s)
{
    const double short_period[] = {1.0, 0.0, 0.0};
    const abut_index i[] = {0}, j[] = {3};
    abut_convex_query query = query_of(s);
    const double was = s->positions[9];
    s->positions[9] = 1e12;
    query.period = short_period, query.i = i, query.j = j, query.pair_count = 1;
    const abut_error error = error_of(s, &query);
    CHECK(error.status == ABUT_POSITION_FAR_PERIODS && error.index == 3 && error.detail == 0);
    s->positions[9] = was;
}

static void check_before(const convex_scene *s)
{
    abut_convex_query query = query_of(s);
    convex_table t = find_table(s, &query);
    query.before = before_of(&t);
    t.columns.j[4] = s->count;
    abut_error error = error_of(s, &query);
    CHECK(error.status == ABUT_BAD_J && error.index == 4 && error.of_before == 1);
    t.columns.i[2] = -5;
    error = error_of(s, &query);
    CHECK(error.status == ABUT_BAD_I && error.index == 2 && error.detail == -5);
    free_table(&t);
}

/* States of other bodies, or of nothing, are passed over: the rows are those of a first step. */
static void check_strange_states(const convex_scene *s)
{
    abut_convex_query query = query_of(s);
    convex_table t = find_table(s, &query), before = find_table(s, &query);
    const double strange[] = {(double)NAN, -1.0, 1e300, 0.5, 1e9, 0.0};
    for (abut_index k = 0; k < ABUT_CONVEX_STATE * before.rows; k++) {
        before.columns.state[k] = strange[k % 6];
    }
    query.before = before_of(&before);
    convex_table same = find_table(s, &query);
    CHECK(is_same_table(&t, &same));
    free_table(&t), free_table(&before), free_table(&same);
}

static void check_texts(void)
{
    for (int status = ABUT_NO_SHAPES; status <= ABUT_BAD_ENTRANCE_ROWS; status++) {
        char text[256];
        const abut_error error = {.status = (abut_status)status, .index = 3, .detail = 2};
        abut_error_text(&error, text, sizeof text);
        CHECK(strlen(text) > 15 && strchr(text, '#') == NULL && strchr(text, '@') == NULL);
    }
}

static void check_bad_input(convex_scene *s)
{
    check_options(s);
    check_bodies(s);
    check_dimensions(s);
    check_positions(s);
    check_pairs(s);
    check_numbers(s);
    check_far_periods(s);
    check_before(s);
    check_strange_states(s);
    check_texts();
    check_lengths(s);
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
    end_bodies(&s);
}
