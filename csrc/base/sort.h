/* Sorts items by counting their keys, on several threads. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>

#include "memory.h"

/* The largest number of keys. Each key has one place where its next item is written. The cache
 * lines of all these places should stay in the second-level cache. */
enum { SORT_KEY_LIMIT = 4096 };

/* The smallest and the largest number of items in a stretch, which one thread takes. In a smaller
 * stretch, the counts of all keys would take longer than the items. Larger stretches would be too
 * few for all threads. */
enum { SORT_SHORTEST = 4 * SORT_KEY_LIMIT, SORT_STRETCH = 16 * SORT_KEY_LIMIT };

/* Writes the keys of items begin ... end - 1: keys[k] is the key of item begin + k. Keys must be
 * from 0 to key_count - 1. */
typedef void (*sort_fill)(void *context, abut_index begin, abut_index end, uint16_t *keys);

typedef struct sort_task {
    abut_index count;  /* at most INT32_MAX */
    int32_t key_count; /* at most SORT_KEY_LIMIT */
    sort_fill fill;
    void *context;
    int workers;
    abut_interrupted interrupted;
    void *interrupted_data;
} sort_task;

enum { SORTED_BLOCKS = 4 };

/* The numbers 0 ... count - 1, sorted by key; items of one key ascend. */
typedef struct sorted_items {
    const int32_t *items;      /* the sorted numbers, count */
    const int32_t *key_begins; /* key_count + 1: where the items of each key begin */
    memory_block blocks[SORTED_BLOCKS];
} sorted_items;

/* Sorts items by key. Returns ABUT_OK, ABUT_NO_MEMORY or ABUT_INTERRUPTED. Zero-initialize `sorted`
 * before its first use; later sorts use its memory again. */
abut_status sort_by_key(sorted_items *sorted, const sort_task *task);
void sorted_free(sorted_items *sorted);

/* Some items of a block of consecutive keys, and their keys. More than SORT_KEY_LIMIT keys are
 * sorted in two steps: all items by block, then each block by key, while it is in the cache. */
typedef struct keyed_run {
    const int32_t *keys, *items;
    abut_index count;
    abut_index step; /* from one key or item to the next: 2 where keys and items alternate */
} keyed_run;

/* The keys of a block. `begin` is the number of items in all blocks before it. */
typedef struct key_block {
    abut_index first_key, key_count;
    int32_t begin;
} key_block;

/* Writes a block's items, sorted by key, from items[begin] on. Items of one key stay in the order
 * of the runs. ends[k] becomes the index behind the last item of key first_key + k. */
void sort_block(const key_block *block, const keyed_run *runs, abut_index run_count, int32_t *ends,
                int32_t *items);

/* Whether item a goes before item b. */
typedef bool (*sort_is_before)(const void *context, abut_index a, abut_index b);

/* Sorts items by comparing them, stably. `room` must have memory for `count` items. */
void sort_by_merging(abut_index *items, abut_index *room, abut_index count,
                     sort_is_before is_before, const void *context);

/* Replaces each count by the sum of all counts before it; counts[count] becomes the sum of all. */
void sort_sum_up(abut_index *counts, abut_index count);

#endif
