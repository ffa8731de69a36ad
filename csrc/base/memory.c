#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise in <sys/mman.h> */
#endif

#include "memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* The smallest capacity of an array that grows. A smaller capacity would save few bytes, and the
 * array would soon have to grow again. */
#define SMALLEST_GROWN_COUNT 16

#ifdef ABUT_TESTING
#include <stdatomic.h>

static atomic_long calls_until_failure;
static atomic_int has_failed;
static atomic_long live_count;

void memory_fail_at(long call)
{
    atomic_store(&has_failed, 0);
    atomic_store(&calls_until_failure, call);
}

int memory_has_failed(void)
{
    return atomic_load(&has_failed);
}

long memory_live_count(void)
{
    return atomic_load(&live_count);
}

/* Whether this allocation must fail, since a test wants it to. */
static int must_fail(void)
{
    int fails = atomic_fetch_sub(&calls_until_failure, 1) == 1;
    if (fails) {
        atomic_store(&has_failed, 1);
    }
    return fails;
}

static void count_live(long change)
{
    atomic_fetch_add(&live_count, change);
}
#else
static int must_fail(void)
{
    return 0;
}

static void count_live(long change)
{
    (void)change;
}
#endif

/* The size of an array in bytes, at least 1. Returns 0 if `count` is negative or the size
 * overflows. */
static size_t byte_count(abut_index count, size_t size)
{
    if (count < 0 || (size > 0 && (size_t)count > (size_t)PTRDIFF_MAX / size)) {
        return 0;
    }
    size_t bytes = (size_t)count * size;
    return bytes > 0 ? bytes : 1;
}

/* The smallest block for which huge pages are requested. To provide a page at its first use takes
 * the system longer than most searches take to fill it. */
#define LARGE_BYTES ((size_t)1 << 22)

/* Requests huge pages, a hint that the system may ignore. */
static void ask_for_huge_pages(void *block, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    const uintptr_t page = 4096;
    if (block != NULL && bytes >= LARGE_BYTES) {
        uintptr_t first = ((uintptr_t)block + page - 1) / page * page;
        madvise((void *)first, bytes - (first - (uintptr_t)block), MADV_HUGEPAGE);
    }
#else
    (void)block, (void)bytes;
#endif
}

/* Resizes an array, which may move it. NULL: there is no memory, and the array is unchanged. */
static void *resize(void *array, abut_index count, size_t size)
{
    size_t bytes = byte_count(count, size);
    if (bytes == 0 || must_fail()) {
        return NULL;
    }
    int is_new = array == NULL;
    void *resized = realloc(array, bytes);
    count_live(is_new && resized != NULL);
    ask_for_huge_pages(resized, bytes);
    return resized;
}

void *memory_alloc(abut_index count, size_t size)
{
    return resize(NULL, count, size);
}

void *memory_alloc_zeroed(abut_index count, size_t size)
{
    size_t bytes = byte_count(count, size);
    if (bytes == 0 || must_fail()) {
        return NULL;
    }
    void *array = calloc(bytes, 1);
    ask_for_huge_pages(array, bytes);
    count_live(array != NULL);
    return array;
}

void *memory_grow(void *array, abut_index count, abut_index *capacity, size_t size)
{
    if (array != NULL && count <= *capacity) {
        return array;
    }
    abut_index doubled = *capacity <= PTRDIFF_MAX / 2 ? 2 * *capacity : PTRDIFF_MAX;
    abut_index wanted = doubled > SMALLEST_GROWN_COUNT ? doubled : SMALLEST_GROWN_COUNT;
    wanted = wanted > count ? wanted : count;
    void *grown = resize(array, wanted, size);
    if (grown != NULL) {
        *capacity = wanted;
    }
    return grown;
}

abut_status memory_fit(void *at, abut_index count, abut_index *capacity, size_t size)
{
    void *array;
    memcpy(&array, at, sizeof array);
    array = memory_grow(array, count, capacity, size);
    if (array == NULL) {
        return ABUT_NO_MEMORY;
    }
    memcpy(at, &array, sizeof array);
    return ABUT_OK;
}

abut_status memory_fit_zeroed(void *at, abut_index count, abut_index *capacity, size_t size)
{
    const abut_index before = *capacity;
    const abut_status status = memory_fit(at, count, capacity, size);
    if (status == ABUT_OK) {
        char *array;
        memcpy(&array, at, sizeof array);
        memset(array + (size_t)before * size, 0, (size_t)(*capacity - before) * size);
    }
    return status;
}

void memory_free(void *array)
{
    count_live(array == NULL ? 0 : -1);
    free(array);
}

void *memory_reserve(memory_block *block, abut_index count, size_t size)
{
    const abut_index bytes = (abut_index)byte_count(count, size);
    const bool is_spare = bytes > 0 && block->byte_count / MEMORY_SPARE_FACTOR > bytes;
    if (block->data != NULL && bytes > 0 && block->byte_count >= bytes && !is_spare) {
        return block->data;
    }
    /* a block that was too small once may soon be too small again */
    const bool grows = block->data != NULL && !is_spare;
    const abut_index room = grows && count < PTRDIFF_MAX / 2 ? count + count / 8 : count;
    memory_free(block->data);
    block->data = memory_alloc(room, size);
    block->byte_count = block->data != NULL ? (abut_index)byte_count(room, size) : 0;
    return block->data;
}

void *memory_extend(memory_block *block, abut_index count, size_t size)
{
    const abut_index bytes = (abut_index)byte_count(count, size);
    if (block->data != NULL && bytes > 0 && block->byte_count >= bytes) {
        return block->data;
    }
    const abut_index room = count < PTRDIFF_MAX / 2 ? count + count / 8 : count;
    void *grown = resize(block->data, room, size);
    if (grown != NULL) {
        block->data = grown;
        block->byte_count = (abut_index)byte_count(room, size);
    }
    return grown;
}

void memory_free_blocks(memory_block *blocks, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        memory_free(blocks[k].data);
        blocks[k] = (memory_block){.data = NULL};
    }
}

abut_index memory_count_bytes(const memory_block *blocks, size_t count)
{
    abut_index sum = 0;
    for (size_t k = 0; k < count; k++) {
        sum += blocks[k].byte_count;
    }
    return sum;
}
