/* Counting sort, compared with a slow stable sort. */
#include "base/parallel.h"
#include "base/sort.h"

#include "check.h"
#include "random.h"

#include <stdlib.h>

/* The largest number of keys in a test: several blocks of SORT_STRETCH and a rest. */
enum { MOST = 3 * SORT_STRETCH + 17 };

static uint16_t keys[MOST];

/* The keys of the items, and the number of calls for each key. */
typedef struct key_source {
    const uint16_t *keys;
    uint8_t *asked;
} key_source;

static void fill_keys(void *context, abut_index begin, abut_index end, uint16_t *to)
{
    const key_source *from = context;
    for (abut_index i = begin; i < end; i++) {
        to[i - begin] = from->keys[i];
        from->asked[i]++;
    }
}

static void draw_keys(abut_index count, int32_t key_count)
{
    for (abut_index i = 0; i < count; i++) {
        keys[i] = (uint16_t)draw_below(key_count);
    }
}

static sort_task task_of(abut_index count, int32_t key_count, int workers, key_source *source)
{
    return (sort_task){.count = count,
                       .key_count = key_count,
                       .fill = fill_keys,
                       .context = source,
                       .workers = workers};
}

/* Checks that the items of each key are contiguous and in ascending order. */
static void check_order(const sorted_items *sorted, abut_index count, int32_t key_count)
{
    int32_t *sizes = calloc((size_t)key_count, sizeof *sizes);
    abut_index wrong = 0;
    for (abut_index i = 0; i < count; i++) {
        sizes[keys[i]]++;
    }
    CHECK_INT(sorted->key_begins[0], 0);
    for (int32_t key = 0; key < key_count; key++) {
        const int32_t begin = sorted->key_begins[key], end = sorted->key_begins[key + 1];
        wrong += end - begin != sizes[key];
        for (int32_t k = begin; k < end; k++) {
            wrong += keys[sorted->items[k]] != key;
            wrong += k > begin && sorted->items[k - 1] >= sorted->items[k];
        }
    }
    CHECK_INT(sorted->key_begins[key_count], count);
    CHECK_INT(wrong, 0);
    free(sizes);
}

/* Each item's key is read once. Then each key has the right number of items, all of its own and all
 * different, so none is missing. */
static void check_sort(sorted_items *sorted, abut_index count, int32_t key_count, int workers)
{
    key_source source = {keys, calloc((size_t)count + 1, 1)};
    const sort_task task = task_of(count, key_count, workers, &source);
    abut_index wrong = 0;
    if (CHECK_INT(sort_by_key(sorted, &task), ABUT_OK)) {
        check_order(sorted, count, key_count);
    }
    for (abut_index i = 0; i < count; i++) {
        wrong += source.asked[i] != 1;
    }
    CHECK_INT(wrong, 0);
    free(source.asked);
}

/* Sorts few items, many, and few again in the same memory. */
static void check_that_items_are_sorted(int workers)
{
    static const abut_index counts[] = {
        0, 1, 2, 1000, SORT_SHORTEST, SORT_SHORTEST + 1, SORT_STRETCH, MOST, 5, 0};
    static const int32_t key_counts[] = {1, 2, 37, SORT_KEY_LIMIT};
    sorted_items sorted = {0};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        for (size_t c = 0; c < sizeof key_counts / sizeof *key_counts; c++) {
            draw_keys(counts[k], key_counts[c]);
            check_sort(&sorted, counts[k], key_counts[c], workers);
        }
    }
    sorted_free(&sorted);
    CHECK(sorted.items == NULL && sorted.key_begins == NULL);
}

static void set_keys(abut_index count, uint16_t key)
{
    for (abut_index i = 0; i < count; i++) {
        keys[i] = key;
    }
}

static void check_that_one_key_keeps_the_order(int workers)
{
    sorted_items sorted = {0};
    set_keys(MOST, SORT_KEY_LIMIT - 1);
    check_sort(&sorted, MOST, SORT_KEY_LIMIT, workers);
    CHECK_INT(sorted.items[0], 0);
    CHECK_INT(sorted.items[MOST - 1], MOST - 1);
    set_keys(MOST, 0);
    check_sort(&sorted, MOST, SORT_KEY_LIMIT, workers);
    CHECK_INT(sorted.key_begins[1], MOST);
    sorted_free(&sorted);
}

static void check_that_descending_keys_turn_around(int workers)
{
    sorted_items sorted = {0};
    for (abut_index i = 0; i < SORT_KEY_LIMIT; i++) {
        keys[i] = (uint16_t)(SORT_KEY_LIMIT - 1 - i);
    }
    check_sort(&sorted, SORT_KEY_LIMIT, SORT_KEY_LIMIT, workers);
    CHECK_INT(sorted.items[0], SORT_KEY_LIMIT - 1);
    CHECK_INT(sorted.items[SORT_KEY_LIMIT - 1], 0);
    sorted_free(&sorted);
}

static int say_yes(void *data)
{
    ++*(int *)data;
    return 1;
}

static void fill_zeros(void *context, abut_index begin, abut_index end, uint16_t *to)
{
    (void)context;
    for (abut_index i = begin; i < end; i++) {
        to[i - begin] = 0;
    }
}

static void check_that_a_sort_is_interrupted(int workers)
{
    const abut_index count = 2 * PARALLEL_WORK_PER_CHECK;
    int asked = 0;
    sorted_items sorted = {0};
    sort_task task = task_of(count, 16, workers, NULL);
    task.fill = fill_zeros;
    task.interrupted = say_yes, task.interrupted_data = &asked;
    abut_status status = sort_by_key(&sorted, &task);
    CHECK_INT(status, asked ? ABUT_INTERRUPTED : ABUT_OK);
    CHECK(asked == 1 || workers > 1); /* other threads may end before the caller asks */
    draw_keys(1000, 16);
    check_sort(&sorted, 1000, 16, workers);
    sorted_free(&sorted);
}

/* Every allocation fails once, in a first sort and in a larger one with the same memory. */
static void check_that_failing_memory_is_reported(void)
{
    const long live = memory_live_count();
    for (int call = 1; call <= 8; call++) {
        sorted_items sorted = {0};
        key_source source = {keys, calloc(MOST, 1)};
        const sort_task small = task_of(100, 16, 1, &source);
        const sort_task large = task_of(MOST, SORT_KEY_LIMIT, 2, &source);
        draw_keys(MOST, 16);
        memory_fail_at(call);
        CHECK_INT(sort_by_key(&sorted, &small), call <= 4 ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK_INT(sort_by_key(&sorted, &large), call <= 4 ? ABUT_OK : ABUT_NO_MEMORY);
        CHECK(memory_has_failed());
        check_sort(&sorted, MOST, 16, 1);
        sorted_free(&sorted);
        free(source.asked);
        CHECK_INT(memory_live_count(), live);
    }
    memory_fail_at(0);
}

static void check_sums(void)
{
    abut_index counts[] = {3, 0, 4, 1, -99}, none[] = {-99};
    sort_sum_up(counts, 4);
    static const abut_index sums[] = {0, 3, 3, 7, 8};
    for (int k = 0; k < 5; k++) {
        CHECK_INT(counts[k], sums[k]);
    }
    sort_sum_up(none, 0);
    CHECK_INT(none[0], 0);
}

enum { BLOCK_ITEMS = 5000, MOST_RUNS = 7 };

/* The items of a block are in several runs, some of them empty; nothing is written behind the
 * block's range. */
static void check_block(int32_t key_count, abut_index run_count, abut_index count)
{
    static int32_t items[2 * BLOCK_ITEMS]; /* keys and items alternate */
    static int32_t ends[BLOCK_ITEMS], sorted[BLOCK_ITEMS + 100];
    const key_block block = {.first_key = 1000, .key_count = key_count, .begin = 50};
    keyed_run runs[MOST_RUNS];
    abut_index first = 0, wrong = 0;
    for (abut_index k = 0; k < count; k++) {
        const int32_t key = draw_below(key_count);
        items[2 * k] = key + 1000, items[2 * k + 1] = (int32_t)k;
    }
    for (abut_index r = 0; r < run_count; r++) {
        const abut_index rest = count - first, part = draw_below((int)rest + 1);
        runs[r] = (keyed_run){items + 2 * first, items + 2 * first + 1,
                              r == run_count - 1 ? rest : part, 2};
        first += runs[r].count;
    }
    for (abut_index k = 0; k < BLOCK_ITEMS + 100; k++) {
        sorted[k] = -1;
    }
    sort_block(&block, runs, run_count, ends, sorted);
    int32_t at = 50;
    for (int32_t key = 0; key < key_count; key++) { /* a pass for each key: slow and stable */
        for (abut_index k = 0; k < count; k++) {
            wrong += items[2 * k] == key + 1000 && sorted[at++] != items[2 * k + 1];
        }
        wrong += ends[key] != at;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(at, 50 + count);
    CHECK_INT(sorted[49], -1);
    CHECK_INT(sorted[at], -1);
}

static void check_blocks(void)
{
    static const int32_t key_counts[] = {1, 2, 300};
    for (int k = 0; k < 3; k++) {
        check_block(key_counts[k], 1, BLOCK_ITEMS);
        check_block(key_counts[k], MOST_RUNS, BLOCK_ITEMS);
        check_block(key_counts[k], 3, 10);
        check_block(key_counts[k], 1, 0);
        check_block(key_counts[k], 0, 0);
    }
}

void test_sort(void)
{
    const long live = memory_live_count();
    for (int workers = 1; workers <= 4; workers++) {
        check_that_items_are_sorted(workers);
        check_that_one_key_keeps_the_order(workers);
        check_that_descending_keys_turn_around(workers);
        check_that_a_sort_is_interrupted(workers);
    }
    check_that_failing_memory_is_reported();
    check_sums();
    CHECK_INT(memory_live_count(), live);
    check_blocks();
}
