/* Sizes of levels in limiting cases; tests/test_pair_finder.py compares them with the cost model.
 */
#include "spheres/grid_levels.h"
#include "base/memory.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 20000 };

typedef struct grid_case {
    int dimension;
    double volume_fraction, overhead;
    abut_search search;
} grid_case;

static const grid_case SPACE = {3, 0.6, 0.2, ABUT_TOP_DOWN};

static abut_status choose_alone(const level_task *task, level_set *levels)
{
    level_memory memory = {0};
    const abut_status status = levels_choose(task, &memory, levels);
    level_memory_free(&memory);
    return status;
}

static level_task task_of(const grid_case *g, const double *reaches, abut_index count,
                          abut_index wanted)
{
    return (level_task){.reaches = reaches,
                        .count = count,
                        .dimension = g->dimension,
                        .volume_fraction = g->volume_fraction,
                        .search = g->search,
                        .overhead = g->overhead,
                        .wanted = wanted,
                        .workers = 1};
}

static level_set choose(const grid_case *g, const double *reaches, abut_index count,
                        abut_index wanted)
{
    const level_task task = task_of(g, reaches, count, wanted);
    level_set levels;
    CHECK_INT(choose_alone(&task, &levels), ABUT_OK);
    return levels;
}

static double *new_reaches(abut_index count)
{
    return memory_alloc(count, sizeof(double));
}

/* Returns the quantiles of a power law from 1 to `ratio`, exponent not -1, unsorted. */
static double *power_law(double exponent, double ratio, abut_index count)
{
    double *reaches = new_reaches(count), power = 1.0 + exponent;
    for (abut_index i = 0; i < count; i++) {
        double part = ((double)(i * 7919 % count) + 0.5) / (double)count;
        reaches[i] = pow(1.0 + part * (pow(ratio, power) - 1.0), 1.0 / power);
    }
    return reaches;
}

static abut_index level_of(const level_set *levels, double reach)
{
    abut_index level = 0;
    while (2.0 * reach > levels->sizes[level]) {
        level++;
    }
    return level;
}

static void check_ascending(const level_set *levels, double largest)
{
    for (abut_index l = 1; l < levels->count; l++) {
        CHECK(levels->sizes[l] > levels->sizes[l - 1]);
    }
    CHECK(levels->sizes[levels->count - 1] == largest);
}

static void check_no_spheres(void)
{
    level_set levels = choose(&SPACE, NULL, 0, 0);
    CHECK_INT(levels.count, 1);
    CHECK(levels.sizes[0] == 1.0);
}

static void check_equal_spheres(void)
{
    double reaches[5] = {0.3, 0.3, 0.3, 0.3, 0.3};
    for (abut_index count = 1; count <= 5; count++) {
        for (abut_index wanted = 0; wanted < 4; wanted++) {
            level_set levels = choose(&SPACE, reaches, count, wanted);
            CHECK_INT(levels.count, 1);
            CHECK(levels.sizes[0] == 0.6);
        }
    }
}

static void check_number_of_levels(void)
{
    double *reaches = power_law(-3.0, 30.0, COUNT), largest = 0.0;
    for (abut_index i = 0; i < COUNT; i++) {
        largest = reaches[i] > largest ? reaches[i] : largest;
    }
    for (abut_index wanted = 1; wanted <= ABUT_LEVEL_LIMIT; wanted += 3) {
        level_set levels = choose(&SPACE, reaches, COUNT, wanted);
        CHECK_INT(levels.count, wanted);
        check_ascending(&levels, 2.0 * largest);
    }
    memory_free(reaches);
}

/* There is a level for each different radius, and none is larger than necessary. */
static void check_few_sizes(void)
{
    double reaches[60];
    for (int i = 0; i < 60; i++) {
        reaches[i] = i < 40 ? 1.0 : i < 55 ? 1.5 : 3.25;
    }
    level_set levels = choose(&SPACE, reaches, 60, 9);
    CHECK_INT(levels.count, 3);
    CHECK(levels.sizes[0] == 2.0 && levels.sizes[1] == 3.0 && levels.sizes[2] == 6.5);
}

/* A cell of small spheres may hold several, because there is space between large spheres. */
static void check_gap_between_sizes(void)
{
    double reaches[10] = {1.0, 1.0, 1.0, 1.0, 1.0, 500.0, 500.0, 500.0, 500.0, 500.0};
    level_set levels = choose(&SPACE, reaches, 10, 2);
    CHECK_INT(levels.count, 2);
    CHECK(levels.sizes[0] > 100.0 && levels.sizes[0] < 1000.0);
    CHECK(levels.sizes[1] == 1000.0);
}

static void check_that_order_and_unit_do_not_matter(void)
{
    double *reaches = power_law(-3.0, 200.0, COUNT), *others = new_reaches(COUNT);
    for (abut_index i = 0; i < COUNT; i++) {
        others[COUNT - 1 - i] = 0x1p-100 * reaches[i];
    }
    level_set one = choose(&SPACE, reaches, COUNT, 0), other = choose(&SPACE, others, COUNT, 0);
    CHECK_INT(one.count, other.count);
    for (abut_index l = 0; l < one.count; l++) {
        CHECK(one.sizes[l] == 0x1p100 * other.sizes[l]);
    }
    memory_free(reaches);
    memory_free(others);
}

static void check_sizes_far_apart(void)
{
    const double reaches[4] = {1e75, 1e-300, 1.0, 5e-324};
    for (abut_index wanted = 0; wanted < 6; wanted++) {
        level_set levels = choose(&SPACE, reaches, 4, wanted);
        CHECK(levels.count >= 1 && levels.count <= 4);
        check_ascending(&levels, 2e75);
    }
}

/* Each sphere is on the first level that is large enough. */
static void check_what_levels_hold(const double *reaches, abut_index count, const level_set *levels)
{
    level_set held = {.count = levels->count};
    for (abut_index i = 0; i < count; i++) {
        const abut_index l = level_of(levels, reaches[i]);
        held.populations[l]++;
        held.reaches[l] = fmax(held.reaches[l], reaches[i]);
    }
    for (abut_index l = 0; l < levels->count; l++) {
        CHECK_INT(levels->populations[l], held.populations[l]);
        CHECK(levels->reaches[l] == held.reaches[l]);
    }
}

/* Spheres of several stretches, counted by several threads. */
static void check_workers(void)
{
    const abut_index count = 20 * COUNT;
    double *reaches = power_law(-3.0, 30.0, count);
    level_task task = task_of(&SPACE, reaches, count, 0);
    level_set alone, together;
    CHECK_INT(choose_alone(&task, &alone), ABUT_OK);
    task.workers = 4;
    CHECK_INT(choose_alone(&task, &together), ABUT_OK);
    CHECK(memcmp(&alone, &together, sizeof alone) == 0);
    check_what_levels_hold(reaches, count, &alone);
    memory_free(reaches);
}

static void check_that_memory_may_run_out(void)
{
    const double reaches[3] = {1.0, 2.0, 3.0};
    long live = memory_live_count();
    for (long call = 1; call <= 4; call++) {
        const level_task task = task_of(&SPACE, reaches, 3, 0);
        level_set levels;
        memory_fail_at(call);
        CHECK_INT(choose_alone(&task, &levels), ABUT_NO_MEMORY);
        CHECK(memory_has_failed());
    }
    memory_fail_at(0);
    CHECK_INT(memory_live_count(), live);
}

void test_levels(void)
{
    check_no_spheres();
    check_equal_spheres();
    check_number_of_levels();
    check_few_sizes();
    check_gap_between_sizes();
    check_that_order_and_unit_do_not_matter();
    check_sizes_far_apart();
    check_workers();
    check_that_memory_may_run_out();
}
