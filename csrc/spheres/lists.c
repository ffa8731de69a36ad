/* Pairs by first sphere: blocks of spheres, each sorted by itself, while it is in the cache. */
#include <string.h>

#include "../base/parallel.h"
#include "pairs.h"

/* Blocks at most, and spheres of one at least: what is counted for each chunk and block, and for
 * each sphere of a block, should stay in the caches. */
enum { BLOCK_LIMIT = 512, BLOCK_SHIFT = 11 };

/* Lists of up to so many numbers are sorted without a branch, longer ones by insertion, or in a
 * heap. */
enum { TINY_LIST = 4, SHORT_LIST = 24 };

void lists_choose_blocks(abut_pairs *pairs)
{
    pairs->block_shift = BLOCK_SHIFT;
    while (pairs->own.count >> pairs->block_shift >= BLOCK_LIMIT) {
        pairs->block_shift++;
    }
    pairs->block_count = (pairs->own.count >> pairs->block_shift) + 1;
}

/* ---- sorting a list ---- */

static void put_in_order(int32_t *a, int32_t *b)
{
    const int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low, *b = high;
}

/* Up to TINY_LIST numbers; those behind, which must be there, stay as they are. */
static void sort_tiny(int32_t *list, abut_index count)
{
    int32_t kept[TINY_LIST], a[TINY_LIST];
    for (int k = 0; k < TINY_LIST; k++) {
        kept[k] = list[k];
        a[k] = k < count ? kept[k] : INT32_MAX;
    }
    put_in_order(&a[0], &a[1]);
    put_in_order(&a[2], &a[3]);
    put_in_order(&a[0], &a[2]);
    put_in_order(&a[1], &a[3]);
    put_in_order(&a[1], &a[2]);
    for (int k = 0; k < TINY_LIST; k++) {
        list[k] = k < count ? a[k] : kept[k];
    }
}

static void sort_short(int32_t *list, abut_index count)
{
    for (abut_index k = 1; k < count; k++) {
        const int32_t value = list[k];
        abut_index at = k;
        for (; at > 0 && list[at - 1] > value; at--) {
            list[at] = list[at - 1];
        }
        list[at] = value;
    }
}

static void sift_down(int32_t *heap, abut_index at, abut_index count)
{
    const int32_t value = heap[at];
    for (abut_index child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[child] <= value) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

/* In place, so that it cannot fail; all numbers of a list differ. */
static void sort_long(int32_t *list, abut_index count)
{
    for (abut_index k = count / 2; k > 0; k--) {
        sift_down(list, k - 1, count);
    }
    for (abut_index last = count - 1; last > 0; last--) {
        const int32_t largest = list[0];
        list[0] = list[last];
        sift_down(list, 0, last);
        list[last] = largest;
    }
}

/* `room`: numbers from the list's begin on that are this thread's. */
static void sort_list(int32_t *list, abut_index count, abut_index room)
{
    if (count <= TINY_LIST && room >= TINY_LIST) {
        sort_tiny(list, count);
    } else if (count <= SHORT_LIST) {
        sort_short(list, count);
    } else {
        sort_long(list, count);
    }
}

/* ---- one block ---- */

static abut_index block_begin(const pair_chunk *chunk, abut_index block)
{
    const abut_index *ends = chunk->ends.data;
    return block > 0 ? ends[block - 1] : 0;
}

static abut_index block_end(const pair_chunk *chunk, abut_index block)
{
    return ((const abut_index *)chunk->ends.data)[block];
}

/* Until the lists are there, next[i] is where sphere i's next pair goes. */
static void count_pairs(const abut_pairs *pairs, abut_index block, abut_index *next)
{
    for (abut_index c = 0; c < pairs->chunk_count; c++) {
        const int_pair *from = pairs->chunks[c].pairs.data;
        const abut_index end = block_end(&pairs->chunks[c], block);
        for (abut_index k = block_begin(&pairs->chunks[c], block); k < end; k++) {
            next[from[k].first]++;
        }
    }
}

static void place_pairs(const abut_pairs *pairs, abut_index block, abut_index *next)
{
    for (abut_index c = 0; c < pairs->chunk_count; c++) {
        const int_pair *from = pairs->chunks[c].pairs.data;
        const abut_index end = block_end(&pairs->chunks[c], block);
        for (abut_index k = block_begin(&pairs->chunks[c], block); k < end; k++) {
            pairs->seconds[next[from[k].first]++] = from[k].second;
        }
    }
}

static abut_status make_lists(void *context, abut_index block, parallel_job *job)
{
    abut_pairs *pairs = context;
    const abut_index *firsts = pairs->sum_block.data;
    const abut_index begin = block << pairs->block_shift, after = (block + 1) << pairs->block_shift;
    const abut_index end = after < pairs->own.count ? after : pairs->own.count;
    abut_index *next = pairs->offsets + 1, sum = firsts[block];
    memset(next + begin, 0, (size_t)(end - begin) * sizeof *next);
    count_pairs(pairs, block, next);
    for (abut_index i = begin; i < end; i++) {
        const abut_index count = next[i];
        next[i] = sum;
        sum += count;
    }
    place_pairs(pairs, block, next);
    abut_index first = firsts[block];
    for (abut_index i = begin; i < end; i++) {
        const abut_index count = next[i] - first;
        sort_list(pairs->seconds + first, count, sum - first);
        first = next[i];
    }
    return parallel_report(job, (end - begin) + (firsts[block + 1] - firsts[block]));
}

/* ---- all ---- */

static void count_blocks(const abut_pairs *pairs, abut_index *counts)
{
    memset(counts, 0, (size_t)pairs->block_count * sizeof *counts);
    for (abut_index c = 0; c < pairs->chunk_count; c++) {
        for (abut_index block = 0; block < pairs->block_count; block++) {
            counts[block] +=
                block_end(&pairs->chunks[c], block) - block_begin(&pairs->chunks[c], block);
        }
    }
    sort_sum_up(counts, pairs->block_count);
}

abut_status lists_make(abut_pairs *pairs)
{
    const abut_pair_query *query = &pairs->query;
    abut_index *counts = memory_reserve(&pairs->sum_block, pairs->block_count + 1, sizeof *counts);
    pairs->offsets =
        memory_reserve(&pairs->offset_block, pairs->own.count + 1, sizeof *pairs->offsets);
    if (!counts || !pairs->offsets) {
        return ABUT_NO_MEMORY;
    }
    count_blocks(pairs, counts);
    pairs->count = counts[pairs->block_count];
    pairs->offsets[0] = 0;
    pairs->seconds =
        memory_reserve(&pairs->second_block, pairs->count + GRID_PADDING, sizeof *pairs->seconds);
    if (!pairs->seconds) {
        return ABUT_NO_MEMORY;
    }
    return parallel_run(pairs->block_count, query->workers, make_lists, pairs, query->interrupted,
                        query->interrupted_data);
}
