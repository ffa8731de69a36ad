/* The only place that allocates. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "../abut/base.h"

/* An array of `count` elements of `size` bytes, or NULL where there is no memory for it, `count` is
 * negative or the product overflows. An array of no elements is not NULL. */
void *memory_alloc(abut_index count, size_t size);

/* Likewise, all bytes 0. */
void *memory_alloc_zeroed(abut_index count, size_t size);

/* The array with room for `count` elements at least, maybe moved; NULL where there is no memory:
 * then `array` is as it was and still the caller's. `array` may be NULL. Does nothing where
 * *capacity >= count, else at least doubles *capacity, so that an array may grow piece by piece.
 *
 *     double *grown = memory_grow(list->values, list->count + 1, &list->capacity, sizeof *grown);
 *     if (!grown) {
 *         return ABUT_NO_MEMORY;
 *     }
 *     list->values = grown;
 */
void *memory_grow(void *array, abut_index count, abut_index *capacity, size_t size);

/* Does the same to an array, given where its pointer is stored. Returns ABUT_OK, or ABUT_NO_MEMORY
 * and changes nothing. New elements have any value; memory_fit_zeroed sets them to 0.
 *
 *     abut_status status = memory_fit(&list->values, count, &list->capacity, sizeof *list->values);
 */
abut_status memory_fit(void *at, abut_index count, abut_index *capacity, size_t size);
abut_status memory_fit_zeroed(void *at, abut_index count, abut_index *capacity, size_t size);

/* The first byte of a cache line in a block that has MEMORY_LINE bytes more than are needed.
 * Vectors and records that lie across two lines take twice as long to read. */
enum { MEMORY_LINE = 64 };

static inline void *memory_first_line(void *block)
{
    uintptr_t remainder = (uintptr_t)block % MEMORY_LINE;
    return (char *)block + (remainder ? MEMORY_LINE - remainder : 0);
}

/* Accepts NULL. */
void memory_free(void *array);

/* Memory that serves one array after the other. Zero-initialize, free `data` in the end. */
typedef struct memory_block {
    void *data;
    abut_index byte_count;
} memory_block;

/* Memory of more than so many times what is needed is given back. */
enum { MEMORY_SPARE_FACTOR = 8 };

/* The block as an array of `count` elements, whose bytes may be any; NULL where there is no memory:
 * then the block is empty. A block that is far too large is exchanged for a smaller one; one that
 * is too small for one that is larger by an eighth than asked for, so that needs which go up and
 * down from step to step soon allocate nothing. */
void *memory_reserve(memory_block *block, abut_index count, size_t size);

/* The same, but the array keeps its contents and never becomes smaller. If there is no memory, this
 * returns NULL, and the block is as it was. */
void *memory_extend(memory_block *block, abut_index count, size_t size);

/* Of several blocks: free what they have, and tell how many bytes that is. */
void memory_free_blocks(memory_block *blocks, size_t count);
abut_index memory_count_bytes(const memory_block *blocks, size_t count);

/* ---- of a build for tests, ABUT_TESTING ---- */

/* Let the call-th allocation from now on fail, once: 1 is the next one, 0 none. */
void memory_fail_at(long call);

/* Whether the failure that was asked for has happened. */
int memory_has_failed(void);

/* Arrays that are allocated and not yet freed. */
long memory_live_count(void);

#endif
