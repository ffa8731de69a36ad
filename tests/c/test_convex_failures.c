/* Queries of convex bodies that fail: every allocation once, whoever ends them, and bad input; and
 * steps that allocate nothing. */
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

/* ---- bad input that Python cannot give; test_convex_finder.py has the other errors ---- */

static void check_bad_input(const convex_scene *s)
{
    abut_convex_input input = input_of(s);
    abut_convex_finder *finder = NULL;
    abut_error error;
    input.options.method = (abut_convex_method)4;
    CHECK_INT(abut_convex_finder_build(&input, &finder, &error), ABUT_BAD_METHOD);
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

/* What Python sees to itself. */
static void check_limits(convex_scene *s)
{
    abut_convex_input input = input_of(s);
    double scales[MOST_BODIES];
    for (int k = 0; k < s->count; k++) {
        scales[k] = 1e75;
    }
    input.shape_count = 0;
    check_status(input, ABUT_NO_SHAPES);
    input = input_of(s), input.scales = scales;
    check_status(input, ABUT_BODY_TOO_LARGE);
    input = input_of(s), input.options.iterations = 0;
    check_status(input, ABUT_BAD_ITERATIONS);
    input = input_of(s), input.options.cp_first = 2.0;
    check_status(input, ABUT_BAD_CP_ANGLE);
    const double short_period[] = {1.0, 0.0, 0.0};
    const abut_index i[] = {0, 0}, j[] = {3, MOST_BODIES};
    abut_convex_query query = query_of(s);
    const double was = s->positions[9];
    s->positions[9] = 1e12;
    query.period = short_period, query.i = i, query.j = j, query.pair_count = 1;
    abut_convex_contacts *contacts = NULL;
    abut_error error;
    CHECK_INT(abut_convex_find(s->finder, &query, &contacts, &error), ABUT_POSITION_FAR_PERIODS);
    CHECK(error.index == 3 && error.detail == 0);
    s->positions[9] = was;
    query.period = NULL, query.pair_count = 2;
    CHECK_INT(abut_convex_find(s->finder, &query, &contacts, &error), ABUT_BAD_J);
    query.i = j, query.j = i;
    CHECK_INT(abut_convex_find(s->finder, &query, &contacts, &error), ABUT_BAD_I);
    CHECK(contacts == NULL && error.index == 1);
}

/* Entrances before of another number of pairs, and offsets that do not ascend. */
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
    check_limits(&s);
    check_entrances_before(&s);
    end_bodies(&s);
}
