/* The only file that allocates memory. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "../abut/base.h"

/* Allocates an array of `count` elements of `size` bytes. NULL if there is no memory, `count` is
 * negative, or the product overflows. An array of no elements is not NULL. */
void *memory_alloc(abut_index count, size_t size);

/* Allocates an array with all bytes 0. */
void *memory_alloc_zeroed(abut_index count, size_t size);

/* Grows an array to at least `count` elements, maybe moving it. NULL: there is no memory, and
 * `array` is unchanged and still the caller's. `array` may be NULL. Does nothing if *capacity >=
 * count, else at least doubles *capacity, so that an array may grow piece by piece.
 *
 *     double *grown = memory_grow(list->values, list->count + 1, &list->capacity, sizeof *grown);
 *     if (!grown) {
 *         return ABUT_NO_MEMORY;
 *     }
 *     list->values = grown;
 */
void *memory_grow(void *array, abut_index count, abut_index *capacity, size_t size);

/* Grows an array as memory_grow does; `at` is where its pointer is stored. Returns ABUT_OK, or
 * ABUT_NO_MEMORY and changes nothing. New elements have any value; with memory_fit_zeroed 0.
 *
 *     abut_status status = memory_fit(&list->values, count, &list->capacity, sizeof *list->values);
 */
abut_status memory_fit(void *at, abut_index count, abut_index *capacity, size_t size);
abut_status memory_fit_zeroed(void *at, abut_index count, abut_index *capacity, size_t size);

/* The first byte of a cache line in a block, which must have MEMORY_LINE bytes more than are
 * needed. Vectors and records that cross a cache line take twice as long to read. */
enum { MEMORY_LINE = 64 };

static inline void *memory_first_line(void *block)
{
    uintptr_t remainder = (uintptr_t)block % MEMORY_LINE;
    return (char *)block + (remainder ? MEMORY_LINE - remainder : 0);
}

/* Accepts NULL. */
void memory_free(void *array);

/* Memory that one array after the other uses. Zero-initialize it, and free `data` in the end. */
typedef struct memory_block {
    void *data;
    abut_index byte_count;
} memory_block;

/* A block is replaced by a smaller one if it is this many times larger than needed. */
enum { MEMORY_SPARE_FACTOR = 8 };

/* Returns the block's memory as an array of `count` elements with undefined contents. NULL if there
 * is no memory; the block is then empty. A block that is far too large is replaced by a smaller
 * one. One that is too small is replaced by one an eighth larger than needed: so needs that vary
 * from step to step soon allocate nothing. */
void *memory_reserve(memory_block *block, abut_index count, size_t size);

/* Returns the block's memory as memory_reserve does, but keeps the contents and never shrinks the
 * block. NULL if there is no memory; the block is then unchanged. */
void *memory_extend(memory_block *block, abut_index count, size_t size);

/* Free the memory of several blocks, and count its bytes. */
void memory_free_blocks(memory_block *blocks, size_t count);
abut_index memory_count_bytes(const memory_block *blocks, size_t count);

/* ---- builds for tests (ABUT_TESTING) only ---- */

/* Makes the call-th allocation from now on fail, once: 1 is the next one, 0 none. */
void memory_fail_at(long call);

/* Whether the allocation that was to fail has failed. */
int memory_has_failed(void);

/* The number of arrays that are allocated and not yet freed. */
long memory_live_count(void);

#endif
