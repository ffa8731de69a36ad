#include "base/memory.h"
#include "base/pool.h"

#include "check.h"

#include <stdint.h>
#include <string.h>

static void check_that_impossible_arrays_are_refused(void)
{
    CHECK(memory_alloc(-1, 8) == NULL);
    CHECK(memory_alloc(PTRDIFF_MAX, 2) == NULL);
    CHECK(memory_alloc(PTRDIFF_MAX / 8 + 1, 8) == NULL);
    CHECK(memory_alloc_zeroed(PTRDIFF_MAX, 16) == NULL);
}

static void check_that_empty_arrays_exist(void)
{
    void *none = memory_alloc(0, 8);
    CHECK(none != NULL);
    memory_free(none);
    memory_free(NULL);
}

static void check_that_zeroed_is_zero(void)
{
    static const char zeros[64];
    char *array = memory_alloc_zeroed(8, 8);
    if (CHECK(array != NULL)) {
        CHECK_INT(memcmp(array, zeros, sizeof zeros), 0);
    }
    memory_free(array);
}

static void check_that_growing_keeps_what_is_there(void)
{
    int *values = NULL;
    abut_index capacity = 0;
    int moves = 0;
    for (int i = 0; i < 10000; i++) {
        abut_index before = capacity;
        int *grown = memory_grow(values, i + 1, &capacity, sizeof *grown);
        if (!CHECK(grown != NULL)) {
            break;
        }
        values = grown;
        values[i] = i;
        moves += capacity != before;
    }
    CHECK(capacity >= 10000);
    CHECK(moves < 15);
    CHECK_INT(values[0], 0);
    CHECK_INT(values[9999], 9999);
    memory_free(values);
}

static void check_that_a_failed_growth_loses_nothing(void)
{
    abut_index capacity = 0;
    int *values = memory_grow(NULL, 4, &capacity, sizeof *values);
    abut_index before = capacity;
    values[3] = 42;
    memory_fail_at(1);
    CHECK(memory_grow(values, before + 1, &capacity, sizeof *values) == NULL);
    CHECK(memory_has_failed());
    CHECK_INT(capacity, before);
    CHECK(memory_grow(values, PTRDIFF_MAX, &capacity, sizeof *values) == NULL);
    CHECK_INT(capacity, before);
    CHECK_INT(values[3], 42);
    memory_free(values);
}

static void check_that_the_named_call_fails_once(void)
{
    memory_fail_at(2);
    void *first = memory_alloc(1, 1);
    CHECK(!memory_has_failed());
    void *second = memory_alloc_zeroed(1, 1);
    void *third = memory_alloc(1, 1);
    CHECK(first != NULL && second == NULL && third != NULL);
    memory_free(first), memory_free(second), memory_free(third);
    memory_fail_at(0);
}

static void check_that_live_arrays_are_counted(void)
{
    long before = memory_live_count();
    abut_index capacity = 3;
    void *array = memory_alloc(capacity, 8);
    CHECK_INT(memory_live_count(), before + 1);
    array = memory_grow(array, 3000, &capacity, 8);
    CHECK_INT(memory_live_count(), before + 1);
    memory_free(array);
    CHECK_INT(memory_live_count(), before);
}

static void check_that_a_block_serves_again(void)
{
    const long live = memory_live_count();
    memory_block block = {0};
    char *first = memory_reserve(&block, 1000, 8);
    if (CHECK(first != NULL)) {
        memset(first, 0x55, 8000);
    }
    CHECK_INT(block.byte_count, 8000);
    CHECK(memory_reserve(&block, 2000, 4) == first); /* the same number of bytes */
    CHECK(memory_reserve(&block, 1000, 1) == first); /* an eighth of the bytes */
    CHECK_INT(block.byte_count, 8000);
    char *larger = memory_reserve(&block, 1001, 8);
    CHECK(larger != NULL && block.data == larger);
    CHECK_INT(block.byte_count, 9008); /* and an eighth more */
    CHECK_INT(memory_live_count(), live + 1);
    memory_free(block.data);
}

static void check_that_a_block_too_large_is_given_back(void)
{
    memory_block block = {0};
    CHECK(memory_reserve(&block, 1 << 20, 1) != NULL);
    CHECK(memory_reserve(&block, 10, 1) != NULL);
    CHECK_INT(block.byte_count, 10);
    CHECK(memory_reserve(&block, 0, 8) != NULL); /* an array of no elements is one */
    CHECK(memory_reserve(&block, 3, 0) != NULL);
    memory_free(block.data);
}

static void check_that_a_block_that_fails_is_empty(void)
{
    const long live = memory_live_count();
    memory_block block = {0};
    CHECK(memory_reserve(&block, 10, 1) != NULL);
    memory_fail_at(1);
    CHECK(memory_reserve(&block, 1000, 1) == NULL);
    CHECK(memory_has_failed());
    memory_fail_at(0);
    CHECK(block.data == NULL && block.byte_count == 0);
    CHECK(memory_reserve(&block, 10, 1) != NULL);
    CHECK(memory_reserve(&block, -1, 8) == NULL);
    CHECK(block.data == NULL && block.byte_count == 0);
    CHECK(memory_reserve(&block, PTRDIFF_MAX, 8) == NULL);
    CHECK(memory_reserve(&block, 10, 1) != NULL);
    memory_free(block.data);
    CHECK_INT(memory_live_count(), live);
}

static void check_first_lines(void)
{
    char *bytes = memory_alloc(3 * MEMORY_LINE, 1);
    for (int k = 0; k < MEMORY_LINE; k++) {
        char *line = memory_first_line(bytes + k);
        CHECK_INT((uintptr_t)line % MEMORY_LINE, 0);
        CHECK(line >= bytes + k && line - (bytes + k) < MEMORY_LINE);
    }
    memory_free(bytes);
}

/* ---- pools of reused objects ---- */

static int destroyed;

static void count_destroyed(pooled *self)
{
    (void)self;
    destroyed++;
}

/* A full pool destroys further objects. */
static void check_that_a_pool_keeps_what_it_has_room_for(void)
{
    static pool p;
    static pooled items[POOL_SLOTS + 1];
    for (int k = 0; k <= POOL_SLOTS; k++) {
        items[k].destroy = count_destroyed;
        pool_give(&p, &items[k]);
    }
    CHECK_INT(destroyed, 1);
    CHECK(pool_take(&p) == &items[0]);
    pool_empty(&p);
    CHECK_INT(destroyed, POOL_SLOTS);
    CHECK(pool_take(&p) == NULL);
}

void test_memory(void)
{
    check_that_impossible_arrays_are_refused();
    check_that_empty_arrays_exist();
    check_that_zeroed_is_zero();
    check_that_growing_keeps_what_is_there();
    check_that_a_failed_growth_loses_nothing();
    check_that_the_named_call_fails_once();
    check_that_live_arrays_are_counted();
    check_that_a_block_serves_again();
    check_that_a_block_too_large_is_given_back();
    check_that_a_block_that_fails_is_empty();
    check_first_lines();
    check_that_a_pool_keeps_what_it_has_room_for();
}
