/* A finder of pairs: repeated use, invalid input that Python cannot pass, and statistics. */
#include "base/memory.h"
#include "base/parallel.h"

#include "pair_scenes.h"

/* ---- repeated use ---- */

static void find_again(const scene *s, const abut_pair_finder *finder, abut_index least)
{
    table expected = compare_all(s);
    CHECK(expected.count >= least);
    check_finder(s, finder, &expected);
    free_table(&expected);
}

/* Moves the spheres to other places. */
static void place_again(scene *s, double side)
{
    for (abut_index k = 0; k < s->dimension * s->own.count; k++) {
        s->own.centers[k] = draw_between(-side, side);
    }
}

/* The statistics of a failed search are zero. */
static void find_wrong_centers(const scene *s, const abut_pair_finder *finder)
{
    static scene wrong;
    wrong = *s;
    wrong.own.centers[100] = NAN;
    abut_pair_query query = query_of(&wrong);
    abut_pairs *pairs = NULL;
    abut_pair_statistics statistics;
    abut_pair_level levels[ABUT_LEVEL_LIMIT];
    CHECK_INT(abut_pairs_find(finder, &query, &pairs, NULL), ABUT_CENTER_NOT_FINITE);
    CHECK(pairs == NULL);
    abut_pair_finder_inspect(finder, &statistics, levels);
    CHECK_INT(statistics.pair_count, 0);
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

/* ---- errors: test_pair_finder.py has those that Python can make ---- */

static void check_build_error(const abut_pair_input *input, abut_status status, abut_index index)
{
    const long live = memory_live_count();
    abut_pair_finder *finder = (abut_pair_finder *)&state; /* must become NULL */
    abut_error error;
    CHECK_INT(abut_pair_finder_build(input, &finder, &error), status);
    CHECK(finder == NULL && error.status == status && error.index == index);
    CHECK_INT(abut_pair_finder_build(input, &finder, NULL), status);
    CHECK_INT(memory_live_count(), live);
}

/* Invalid dimensions: with 4, the period would not fit into the finder. */
static void check_bad_numbers(void)
{
    static const double radii[] = {1.0, 2.0, 3.0},
                        period[16] = {9.0, [5] = 9.0, [10] = 9.0, [15] = 9.0};
    static const int bad[] = {-1, 0, 1, 4};
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = 3, input.radii = radii, input.period = period;
    for (int k = 0; k < 4; k++) {
        input.dimension = bad[k];
        check_build_error(&input, ABUT_BAD_DIMENSION, bad[k]);
    }
    input.dimension = 3, input.sphere_count = (abut_index)1 << 31;
    check_build_error(&input, ABUT_TOO_MANY_SPHERES, (abut_index)1 << 31);
    static const double sizes[] = {1.0, 4.0};
    input.sphere_count = 3, input.sizes = sizes, input.level_count = 2;
    check_build_error(&input, ABUT_SIZE_TOO_SMALL, 2);
    static const double wrong[][2] = {{0.0, 6.0}, {7.0, 6.0},   {7.0, 7.0},
                                      {7.0, NAN}, {1e-80, 7.0}, {7.0, 1e80}};
    static const int places[] = {0, 1, 1, 1, 0, 1};
    for (int k = 0; k < 6; k++) {
        input.sizes = wrong[k];
        check_build_error(&input, ABUT_BAD_SIZE, places[k]);
    }
}

/* Without given levels, the finder chooses them. */
static void check_sizes_of_no_level(void)
{
    static const double radii[] = {1.0, 2.0, 3.0};
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = 3, input.radii = radii, input.sizes = radii, input.level_count = 0;
    abut_pair_finder *finder = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    CHECK(abut_pair_level_count(finder) > 0);
    abut_pair_finder_free(finder);
}

/* ---- statistics ---- */

/* A scene with the bounds of its centers. */
typedef struct bounded {
    const scene *scene;
    double low[3], high[3];
} bounded;

static bounded find_bounds(const scene *s)
{
    bounded found = {.scene = s};
    for (abut_index k = 0; k < s->own.count * s->dimension; k++) {
        const int axis = (int)(k % s->dimension);
        const double x = s->own.centers[k];
        found.low[axis] = k < s->dimension || x < found.low[axis] ? x : found.low[axis];
        found.high[axis] = k < s->dimension || x > found.high[axis] ? x : found.high[axis];
    }
    return found;
}

/* A coordinate of a sphere's center, in cells of a level from the low corner of all centers. */
static double in_cells(const bounded *b, const abut_pair_level *level, abut_index sphere, int axis)
{
    const double x = b->scene->own.centers[b->scene->dimension * sphere + axis];
    return (x - b->low[axis]) / level->lengths[axis];
}

/* Counts the cells of a level along each axis, from their lengths. */
static void count_cells(const bounded *b, const abut_pair_level *level, int counts[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const double extent = b->high[axis] - b->low[axis];
        counts[axis] = (int)floor(extent / level->lengths[axis]) + 1;
    }
}

/* Returns whether a cell overlaps place - half ... place + half; in cells. */
static bool is_reached(int cell, double place, double half)
{
    return cell <= place + half && cell + 1.0 > place - half;
}

static int level_of(const scene *s, abut_index sphere)
{
    int h = 0;
    while (s->sizes[h] < 2.0 * s->own.radii[sphere] + s->gap) {
        h++;
    }
    return h;
}

/* Half of the width of the box that sphere i searches on a level, in cells. */
static double half_of(const scene *s, const abut_pair_level *level, abut_index i, int axis,
                      bool is_own)
{
    return is_own ? 1.0 : (s->own.radii[i] + 0.5 * s->gap) / level->lengths[axis] + 0.5;
}

/* Returns whether sphere i searches the cell of sphere j of a level, by the definition of T_cd. */
static bool looks_at(const bounded *b, const abut_pair_level *level, abut_index i, abut_index j,
                     bool is_own)
{
    bool reached = true;
    for (int axis = 0; axis < b->scene->dimension; axis++) {
        const int cell = (int)floor(in_cells(b, level, j, axis));
        const double half = half_of(b->scene, level, i, axis, is_own);
        reached &= is_reached(cell, in_cells(b, level, i, axis), half);
    }
    return reached;
}

/* Returns the number of cells of a level that sphere i searches. */
static abut_index count_looks(const bounded *b, const abut_pair_level *level, abut_index i,
                              bool is_own)
{
    int counts[3];
    abut_index product = 1;
    count_cells(b, level, counts);
    for (int axis = 0; axis < b->scene->dimension; axis++) {
        const double half = half_of(b->scene, level, i, axis, is_own);
        abut_index along = 0;
        for (int cell = 0; cell < counts[axis]; cell++) {
            along += is_reached(cell, in_cells(b, level, i, axis), half);
        }
        product *= along;
    }
    return product;
}

/* Counts T_cd and T_ca of each level, sphere by sphere. A sphere's own cell counts in full, and the
 * others of its level by half, since each pair of cells is searched once. */
static void count_slowly(const bounded *b, abut_search search, const abut_pair_level *levels,
                         abut_index tests[], abut_index accesses[])
{
    const scene *s = b->scene;
    abut_index near[8] = {0};
    for (abut_index i = 0; i < s->own.count; i++) {
        const int own = level_of(s, i);
        near[own] += count_looks(b, &levels[own], i, true) + 1;
        for (abut_index j = 0; j < s->own.count; j++) {
            const int other = level_of(s, j);
            const bool looks = search == ABUT_TOP_DOWN ? other < own : other > own;
            const bool is_near = own == other && i < j;
            tests[own] += (is_near || looks) && looks_at(b, &levels[other], i, j, is_near);
        }
        for (int h = 0; h < s->level_count; h++) {
            const bool looks = search == ABUT_TOP_DOWN ? h < own : h > own;
            accesses[own] += looks ? count_looks(b, &levels[h], i, false) : 0;
        }
    }
    for (int h = 0; h < s->level_count; h++) {
        accesses[h] += near[h] / 2;
    }
}

static void check_work(const scene *s, abut_search search, const abut_pair_statistics *statistics,
                       const abut_pair_level *levels)
{
    abut_index tests[8] = {0}, accesses[8] = {0}, spheres = 0, sum = 0;
    const bounded b = find_bounds(s);
    count_slowly(&b, search, levels, tests, accesses);
    for (int h = 0; h < s->level_count; h++) {
        int counts[3];
        count_cells(&b, &levels[h], counts);
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
        s.gap = 0.1;
        s.has_sizes = true, s.level_count = 4;
        memcpy(s.sizes, sizes, sizeof sizes);
        check_counts(&s, ABUT_TOP_DOWN);
        check_counts(&s, ABUT_BOTTOM_UP);
    }
}

/* A search for others without any others does no work. */
static void check_that_none_are_counted(void)
{
    static scene s;
    start(&s, 3);
    add(&s, &s.own, (const double[]){0.0, 0.0, 0.0}, 1.0);
    s.has_others = true;
    abut_pair_finder *finder = NULL;
    abut_pairs_free(find_pairs(&s, &finder));
    abut_pair_statistics statistics;
    abut_pair_level levels[ABUT_LEVEL_LIMIT];
    abut_pair_finder_inspect(finder, &statistics, levels);
    CHECK_INT(statistics.sphere_count, 1);
    CHECK_INT(statistics.pair_count + levels[0].test_count, 0);
    abut_pair_finder_free(finder);
}

/* ---- memory that one finder lends to others ---- */

/* The statistics of a finder that lends or borrows memory are zero. */
static void check_that_no_query_is_counted(const abut_pair_finder *finder)
{
    abut_pair_statistics statistics;
    abut_pair_level levels[ABUT_LEVEL_LIMIT];
    abut_pair_finder_inspect(finder, &statistics, levels);
    CHECK_INT(statistics.sphere_count, 0);
    CHECK_INT(statistics.byte_count, 0);
    CHECK_INT(statistics.level_count, abut_pair_level_count(finder));
}

/* Makes a finder for a single query with borrowed memory. */
static void find_in_lent_memory(int sphere_count, const abut_pair_finder *lender)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, sphere_count, 5.0, 0.05, 0.7);
    abut_pair_input input = input_of(&s);
    input.lender = lender;
    abut_pair_finder *finder = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    table expected = compare_all(&s);
    CHECK(find_and_compare(&s, finder, 1, &expected));
    free_table(&expected);
    check_that_no_query_is_counted(finder);
    abut_pair_finder_free(finder);
}

static void check_lent_memory(void)
{
    const long before = memory_live_count();
    const abut_pair_input none = abut_pair_input_default();
    abut_pair_finder *lender = NULL;
    CHECK_INT(abut_pair_finder_build(&none, &lender, NULL), ABUT_OK);
    const long alone = memory_live_count();
    find_in_lent_memory(300, lender);
    const long lent = memory_live_count();
    CHECK(lent > alone);
    for (int k = 0; k < 5; k++) {
        find_in_lent_memory(300 - k, lender);
        CHECK_INT(memory_live_count(), lent);
        check_that_no_query_is_counted(lender);
    }
    abut_pair_finder_free(lender);
    CHECK_INT(memory_live_count(), before);
}

void test_pair_finder(void)
{
    const long live = memory_live_count();
    state = 2;
    check_that_a_finder_serves_again();
    check_bad_numbers();
    check_sizes_of_no_level();
    check_statistics();
    check_that_none_are_counted();
    check_lent_memory();
    CHECK_INT(memory_live_count(), live);
}
