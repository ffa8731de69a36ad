/* Searches of pairs in which each allocation fails once, or which are interrupted at each question,
 * return an error and leak nothing. The finder works for the next search. Scenes have spheres of
 * all sizes, others, images, giants and dust. */
#include "base/memory.h"
#include "spheres/query_pairs.h"

#include "failing.h"
#include "pair_scenes.h"

/* ---- scenes ---- */

static void set_sizes(scene *s)
{
    start(s, 3);
    scatter_in_cube(s, &s->own, 300, 4.0, 0.01, 1.0);
    s->gap = 0.01;
}

static void set_others(scene *s)
{
    set_sizes(s);
    s->has_others = true;
    scatter_in_cube(s, &s->others, 200, 5.0, 0.001, 0.5);
}

/* Spheres that touch others at several images. */
static void set_images(scene *s)
{
    start(s, 3);
    s->has_others = true;
    scatter_in_cube(s, &s->own, 4, 1.0, 0.5, 1.0);
    scatter_in_cube(s, &s->others, 5, 1.0, 0.5, 1.0);
    set_period(s, 5, 0.31);
    s->level_count = ABUT_LEVEL_LIMIT; /* giants have no level */
}

/* More pairs than a queue holds, some of them across the border. */
static void set_many(scene *s)
{
    start(s, 3);
    scatter_in_cube(s, &s->own, 1500, 1.0, 0.02, 0.05);
    set_period(s, 7, 1.0);
}

/* Large spheres search more rows of cells than the list of tasks holds. */
static void set_tasks(scene *s)
{
    start(s, 3);
    scatter_in_cube(s, &s->own, 1000, 30.0, 0.05, 0.1);
    scatter_in_cube(s, &s->own, 4, 30.0, 3.0, 20.0);
}

/* A box that is not much wider than the largest spheres. */
static void set_giants(scene *s)
{
    start(s, 3);
    scatter_in_cube(s, &s->own, 400, 1.0, 0.004, 0.03);
    scatter_in_cube(s, &s->own, 6, 1.0, 0.3, 0.6);
    set_period(s, 7, 1.0);
}

/* Dust in a corner between stones: each cell of its level has too many spheres. */
static void set_dust(scene *s)
{
    start(s, 3);
    scatter_in_cube(s, &s->own, 1000, 0.01, 1e-4, 4e-4);
    scatter_in_cube(s, &s->own, 50, 1.0, 0.01, 0.05);
}

/* Dust so fine that there are more octaves than levels. */
static void set_finest_dust(scene *s)
{
    set_dust(s);
    scatter_in_cube(s, &s->own, 1, 1.0, 1e-30, 1e-30);
}

static void set_dust_and_giants(scene *s)
{
    set_dust(s);
    scatter_in_cube(s, &s->own, 3, 1.0, 0.3, 0.6);
    set_period(s, 7, 1.0);
}

static void (*const SCENES[])(scene *s) = {
    set_sizes, set_others,      set_images,          set_many, set_tasks, set_giants,
    set_dust,  set_finest_dust, set_dust_and_giants,
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES, FIRST_DUST = SCENE_COUNT - 3 };

/* ---- searches ---- */

static abut_status search(const abut_pair_finder *finder, const scene *s,
                          const abut_pair_query *query, table *found)
{
    abut_pairs *pairs = NULL;
    abut_error error = {.status = ABUT_OK};
    const abut_status status = abut_pairs_find(finder, query, &pairs, &error);
    CHECK_INT(error.status, status);
    CHECK((pairs != NULL) == (status == ABUT_OK));
    if (!status) {
        write_table(s, pairs, found);
    }
    abut_pairs_free(pairs);
    return status;
}

/* Runs two searches with one finder; the second uses memory of the first. After a failure the
 * finder works for the next search. */
static abut_status search_twice(const scene *s, const abut_pair_query *query, table *found)
{
    const abut_pair_input input = input_of(s);
    abut_pair_query again = *query;
    abut_pair_finder *finder = NULL;
    abut_error error = {.status = ABUT_OK};
    abut_status status = abut_pair_finder_build(&input, &finder, &error);
    CHECK_INT(error.status, status);
    CHECK((finder != NULL) == (status == ABUT_OK));
    for (int k = 0; !status && k < 2; k++) {
        status = search(finder, s, query, found);
    }
    if (finder && status) {
        again.interrupted = NULL;
        CHECK_INT(search(finder, s, &again, found), ABUT_OK);
    }
    abut_pair_finder_free(finder);
    return status;
}

static void check_failures(const scene *s, const table *expected)
{
    const abut_pair_query query = query_of(s);
    table found = start_table(s);
    failures f = {0};
    while (fail_next(&f)) {
        f.status = search_twice(s, &query, &found);
    }
    CHECK(f.count > 10);
    CHECK(is_same_table(s, &found, expected));
    free_table(&found);
}

static void check_interruptions(const scene *s, const table *expected, int workers)
{
    abut_pair_query query = query_of(s);
    table found = start_table(s);
    interruptions i = {0};
    query.workers = workers;
    query.interrupted = interrupt_now, query.interrupted_data = &i;
    while (interrupt_next(&i)) {
        i.status = search_twice(s, &query, &found);
    }
    CHECK(i.count > 3);
    CHECK(is_same_table(s, &found, expected));
    free_table(&found);
}

/* ---- dust ---- */

/* Returns whether a search finds crowded cells and uses a level for each octave. */
static bool takes_octaves(const scene *s)
{
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = find_pairs(s, &finder);
    const bool takes = finder->leftovers->octave_queries > 0;
    abut_pairs_free(pairs);
    abut_pair_finder_free(finder);
    return takes;
}

void test_pair_failures(void)
{
    static scene s;
    state = 3;
    for (int k = 0; k < SCENE_COUNT; k++) {
        SCENES[k](&s);
        table expected = compare_all(&s);
        CHECK(expected.count > 20);
        CHECK_INT(takes_octaves(&s), k >= FIRST_DUST);
        check_failures(&s, &expected);
        check_interruptions(&s, &expected, 1 + k % 2);
        free_table(&expected);
    }
    CHECK_INT(memory_live_count(), 0);
}
