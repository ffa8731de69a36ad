/* Pairs of spheres with many equal sizes, distances and periods, compared with two loops to the
 * bit. */
#include "bytes.h"
#include "pair_scenes.h"

#include "base/memory.h"

enum { SPHERES = 40 };

static void take_spheres(scene *s, sphere_list *list, bytes *b, double steps)
{
    const int count = 1 + take_below(b, SPHERES);
    list->has_gaps = take_below(b, 4) == 3;
    for (int k = 0; k < count; k++) {
        double center[3] = {0.0, 0.0, 0.0};
        for (int axis = 0; axis < s->dimension; axis++) {
            center[axis] = take_step(b, steps);
        }
        add(s, list, center, (1.0 + take_below(b, 24)) / 8.0);
        list->gaps[k] = list->has_gaps ? take_below(b, 8) / 8.0 : 0.0;
    }
}

/* Takes ascending sizes of levels; the last is as large as the largest sphere. */
static void take_sizes(scene *s, bytes *b)
{
    double size = 0.0;
    s->level_count = take_below(b, 6);
    s->has_sizes = s->level_count > 0 && take_below(b, 2);
    for (abut_index k = 0; k < s->level_count; k++) {
        size += (1.0 + take_below(b, 12)) / 8.0;
        s->sizes[k] = k + 1 == s->level_count ? size + 8.0 : size;
    }
}

static void take_scene(scene *s, bytes *b)
{
    static const double steps[] = {1.0, 4.0, 16.0, 7.0};
    start(s, 2 + take_below(b, 2));
    const double step = steps[take_below(b, 4)];
    s->gap = take_below(b, 4) / 8.0;
    for (int axis = 0; axis < s->dimension; axis++) {
        const int period = take_below(b, 64);
        s->period[axis] = period < 12 ? 0.0 : period / 4.0;
    }
    take_sizes(s, b);
    s->has_others = take_below(b, 3) == 2;
    take_spheres(s, &s->own, b, step);
    if (s->has_others) {
        take_spheres(s, &s->others, b, step);
    }
}

/* Checks two queries, because the second uses memory of the first. */
static void check_search(const scene *s, abut_search search, const table *expected)
{
    abut_pair_input input = input_of(s);
    abut_pair_finder *finder = NULL;
    input.search = search;
    if (CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK)) {
        find_and_compare(s, finder, 1, expected);
        find_and_compare(s, finder, 2, expected);
    }
    abut_pair_finder_free(finder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static scene s;
    bytes b = {data, size};
    const size_t level = (size_t)take_below(&b, SIMD_LEVEL_COUNT);
    abut_simd_choose(SIMD_LEVELS[level]); /* no change if the machine does not have this level */
    take_scene(&s, &b);
    table expected = compare_all(&s);
    check_search(&s, ABUT_TOP_DOWN, &expected);
    check_search(&s, ABUT_BOTTOM_UP, &expected);
    free_table(&expected);
    abut_simd_choose(NULL);
    CHECK_INT(memory_live_count(), 0);
    return 0;
}
