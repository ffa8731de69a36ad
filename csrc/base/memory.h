/* The only file that allocates memory. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "../abut/base.h"

/* Allocates an array of `count` elements of `size` bytes. Returns NULL if there is no memory,
 * `count` is negative, or the product overflows. An array without elements is not NULL. */
void *memory_alloc(abut_index count, size_t size);

/* Allocates an array as memory_alloc does, with all bytes 0. */
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

/* Grows an array as memory_grow does; `at` is the address of its pointer. Returns ABUT_OK, or
 * ABUT_NO_MEMORY and changes nothing. New elements have undefined values.
 *
 *     abut_status status = memory_fit(&list->values, count, &list->capacity, sizeof *list->values);
 */
abut_status memory_fit(void *at, abut_index count, abut_index *capacity, size_t size);

/* Does what memory_fit does, and sets new elements to 0. */
abut_status memory_fit_zeroed(void *at, abut_index count, abut_index *capacity, size_t size);

/* The size of a cache line in bytes. Vectors and records that cross the border of two cache lines
 * take twice as long to read. */
enum { MEMORY_LINE = 64 };

/* Returns the first address in a block at which a cache line begins. The block must have
 * MEMORY_LINE bytes more than are needed. */
static inline void *memory_first_line(void *block)
{
    uintptr_t remainder = (uintptr_t)block % MEMORY_LINE;
    return (char *)block + (remainder ? MEMORY_LINE - remainder : 0);
}

/* Frees an array. For NULL it does nothing. */
void memory_free(void *array);

/* Memory that one array after the other uses. Zero-initialize it. Free `data` in the end. */
typedef struct memory_block {
    void *data;
    abut_index byte_count;
} memory_block;

/* memory_reserve replaces a block that is more than this many times larger than needed. */
enum { MEMORY_SPARE_FACTOR = 8 };

/* Returns the block's memory as an array of `count` elements with undefined contents. NULL if there
 * is no memory; the block is then empty. A block that is far too large is replaced by a smaller
 * block. A block that is too small is replaced by a block an eighth larger than needed. So if the
 * needed size varies from step to step, soon nothing more is allocated. */
void *memory_reserve(memory_block *block, abut_index count, size_t size);

/* Returns the block's memory as memory_reserve does, but keeps the contents and never shrinks the
 * block. NULL if there is no memory; the block is then unchanged. */
void *memory_extend(memory_block *block, abut_index count, size_t size);

/* Frees the memory of several blocks. */
void memory_free_blocks(memory_block *blocks, size_t count);

/* Returns the total size of several blocks in bytes. */
abut_index memory_count_bytes(const memory_block *blocks, size_t count);

/* ---- functions of builds for tests (ABUT_TESTING) ---- */

/* Makes one later allocation fail: 1 is the next one, 2 the one after that; 0: none. */
void memory_fail_at(long call);

/* Whether the allocation that memory_fail_at has chosen has failed. */
int memory_has_failed(void);

/* The number of arrays that are allocated and not yet freed. */
long memory_live_count(void);

#endif
