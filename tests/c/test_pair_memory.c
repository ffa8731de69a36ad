/* A loop of steps in C: its allocations, and columns that are not written. */
#include "base/memory.h"

#include "pair_scenes.h"

/* Steps until every array has its final size, and steps that are checked. */
enum { FIRST_STEPS = 60, STEPS = 60 };

/* Moves spheres at random about their first places. */
static void shake(sphere_list *spheres, const double *begin, int dimension, double amount)
{
    for (abut_index k = 0; k < spheres->count * dimension; k++) {
        spheres->centers[k] = begin[k] + draw_between(-amount, amount);
    }
}

/* Searches, writes only i and j, and matches; any allocation would fail. */
static abut_index step_once(const scene *s, const abut_pair_finder *finder, table *t)
{
    const abut_pair_query query = query_of(s);
    abut_pairs *pairs = NULL;
    if (!CHECK_INT(abut_pairs_find(finder, &query, &pairs, NULL), ABUT_OK)) {
        return 0;
    }
    t->count = abut_pairs_count(pairs);
    make_room(t, t->count);
    abut_pairs_write(pairs, &(abut_pair_columns){.i = t->columns.i, .j = t->columns.j});
    abut_pairs_free(pairs);
    return t->count;
}

static void check_loop(scene *s, double amount)
{
    const abut_pair_input input = input_of(s);
    abut_pair_finder *finder = NULL;
    table t = start_table(s);
    const size_t size = (size_t)(s->own.count * s->dimension) * sizeof(double);
    double *begin = memcpy(malloc(size), s->own.centers, size);
    abut_index least = INTPTR_MAX, most = 0;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    for (int step = 0; step < FIRST_STEPS + STEPS; step++) {
        if (step == FIRST_STEPS) {
            memory_fail_at(1);
        }
        const abut_index count = step_once(s, finder, &t);
        least = count < least ? count : least, most = count > most ? count : most;
        shake(&s->own, begin, s->dimension, amount);
    }
    CHECK(!memory_has_failed());
    memory_fail_at(0);
    CHECK(least > 300 && most > least + 10);
    abut_pair_finder_free(finder);
    free_table(&t);
    free(begin);
}

/* Checks spheres of different sizes, dense and empty places, others, and all images. */
static void check_that_steps_allocate_nothing(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 10000, 60.0, 0.05, 2.0);
        scatter_in_cube(&s, &s.own, 1500, 3.0, 0.05, 0.1);
        check_loop(&s, 0.01);
        s.has_others = true;
        scatter_in_cube(&s, &s.others, 3000, 60.0, 0.05, 2.0);
        check_loop(&s, 0.01);
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 40, 1.0, 0.5, 0.6);
        set_period(&s, 3, 1.0);
        check_loop(&s, 0.01);
    }
}

/* ---- columns that are not written ---- */

/* Members of abut_pair_columns: bits of a choice. */
enum { I = 1, J = 2, NORMAL = 4, OVERLAP = 8, POINT = 16, IMAGE = 32, OFFSETS = 64, ALL = 128 };

static abut_pair_columns leave_out(const abut_pair_columns *all, int chosen)
{
    return (abut_pair_columns){.i = chosen & I ? all->i : NULL,
                               .j = chosen & J ? all->j : NULL,
                               .normal = chosen & NORMAL ? all->normal : NULL,
                               .overlap = chosen & OVERLAP ? all->overlap : NULL,
                               .point = chosen & POINT ? all->point : NULL,
                               .image = chosen & IMAGE ? all->image : NULL,
                               .offsets = chosen & OFFSETS ? all->offsets : NULL};
}

/* Columns do not depend on which other columns are written. */
static void check_choice(const scene *s, const abut_pairs *pairs, const table *expected, int chosen)
{
    table t = start_table(s);
    make_room(&t, expected->count);
    t.count = expected->count;
    const column_counts n = {.ROWS = t.count, .OFFSETS = t.offset_count, .dimension = s->dimension};
    memset(t.columns.image, 0, COLUMN_BYTES(INDEX, ABUT_DIMENSION, ROWS));
    const abut_pair_columns columns = leave_out(&t.columns, chosen);
    const abut_pair_columns *a = &columns, *b = &expected->columns;
    abut_pairs_write(pairs, a);
    int same = 1;
    ABUT_PAIR_COLUMNS(COMPARE_COLUMN)
    CHECK(same);
    free_table(&t);
}

static void check_all_choices(const scene *s)
{
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = find_pairs(s, &finder);
    table expected = compare_all(s);
    CHECK(expected.count > 600);
    for (int chosen = 0; chosen < ALL; chosen++) {
        check_choice(s, pairs, &expected, chosen);
    }
    abut_pairs_free(pairs);
    abut_pair_finder_free(finder);
    free_table(&expected);
}

static void check_columns(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 800, dimension == 2 ? 20.0 : 8.0, 0.3, 0.9);
        check_all_choices(&s);
        set_period(&s, 1, 20.0);
        for (int k = 0; k < 30; k++) { /* the caller's centers may be outside of the box */
            s.own.centers[dimension * k] += 20.0 * (k % 5 - 2);
        }
        check_all_choices(&s);
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 30, 1.0, 0.6, 0.7);
        set_period(&s, 3, 1.0);
        check_all_choices(&s);
    }
}

void test_pair_memory(void)
{
    check_that_steps_allocate_nothing();
    check_columns();
}
