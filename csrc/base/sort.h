/* Sorting by counting, over threads. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>

#include "memory.h"

/* As many keys as there are lines of the second cache that items can be scattered over. */
enum { SORT_KEY_LIMIT = 4096 };

/* The fewest and the most items that are counted and sorted in one go: of few a key's counts would
 * take long, and many could not be shared by threads. */
enum { SORT_SHORTEST = 4 * SORT_KEY_LIMIT, SORT_STRETCH = 16 * SORT_KEY_LIMIT };

/* Write the keys, less than key_count, of the items begin ... end - 1: keys[0] is that of begin. */
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

/* The numbers 0 ... count - 1 by key; those of one key ascend. */
typedef struct sorted_items {
    const int32_t *items;      /* count */
    const int32_t *key_begins; /* key_count + 1: where the items of each key begin */
    memory_block blocks[SORTED_BLOCKS];
} sorted_items;

/* ABUT_OK, ABUT_NO_MEMORY or ABUT_INTERRUPTED. Zero-initialize; the memory of the sort before is
 * used again. */
abut_status sort_by_key(sorted_items *sorted, const sort_task *task);
void sorted_free(sorted_items *sorted);

/* More keys than that are sorted in two steps: first by block of keys that follow one another, then
 * each block by itself, while it is in the cache. Some of a block's items: */
typedef struct keyed_run {
    const int32_t *keys, *items;
    abut_index count;
    abut_index
        step; /* from a key to the next, and from an item to the next: 2 where they take turns */
} keyed_run;

/* The keys of a block, and how many items are in the blocks before. */
typedef struct key_block {
    abut_index first_key, key_count;
    int32_t begin;
} key_block;

/* Put a block's items by key to items[begin] and so on; those of one key stay in the order of the
 * runs. ends[k]: how many items of all blocks have a key up to first_key + k. */
void sort_block(const key_block *block, const keyed_run *runs, abut_index run_count, int32_t *ends,
                int32_t *items);

/* Whether item a goes before item b. */
typedef bool (*sort_is_before)(const void *context, abut_index a, abut_index b);

/* Sort items by comparing them; those of which none goes before the other stay in their order.
 * room: as many. */
void sort_by_merging(abut_index *items, abut_index *room, abut_index count,
                     sort_is_before is_before, const void *context);

/* The sum of all counts before, instead of each; counts[count] becomes the sum of all. */
void sort_sum_up(abut_index *counts, abut_index count);

#endif
