/* Pairs by first sphere: blocks of spheres, each sorted by itself, while it is in the cache. */
#include <string.h>

#include "../base/parallel.h"
#include "pairs.h"

/* Blocks at most, and spheres of one at least: what is counted for each chunk and block, and for
 * each sphere of a block, should stay in the caches. */
enum { BLOCK_LIMIT = 512, BLOCK_SHIFT = 11 };

/* A thread's scratch: the lists of a block before they are sorted. */
typedef struct list_maker {
    pooled pooled;
    memory_block unsorted;
} list_maker;

void lists_choose_blocks(abut_pairs *pairs)
{
    pairs->block_shift = BLOCK_SHIFT;
    while (pairs->own.count >> pairs->block_shift >= BLOCK_LIMIT) {
        pairs->block_shift++;
    }
    pairs->block_count = (pairs->own.count >> pairs->block_shift) + 1;
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
        const int_pair *from = pairs->memory->chunks[c].pairs.data;
        const abut_index end = block_end(&pairs->memory->chunks[c], block);
        for (abut_index k = block_begin(&pairs->memory->chunks[c], block); k < end; k++) {
            next[from[k].first]++;
        }
    }
}

/* `begin`: the number of the block's first pair. */
static void place_pairs(const abut_pairs *pairs, abut_index block, abut_index begin,
                        abut_index *next, int32_t *seconds)
{
    for (abut_index c = 0; c < pairs->chunk_count; c++) {
        const int_pair *from = pairs->memory->chunks[c].pairs.data;
        const abut_index end = block_end(&pairs->memory->chunks[c], block);
        for (abut_index k = block_begin(&pairs->memory->chunks[c], block); k < end; k++) {
            seconds[next[from[k].first]++ - begin] = from[k].second;
        }
    }
}

static void fill_lists(const abut_pairs *pairs, abut_index block, int32_t *unsorted)
{
    const abut_index *firsts = pairs->memory->sums.data;
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
    place_pairs(pairs, block, firsts[block], next, unsorted);
    pair_kernels_take()->lists_sort(unsorted, next + begin, end - begin, firsts[block],
                                    pairs->seconds + firsts[block]);
}

static void list_maker_destroy(pooled *self)
{
    memory_free(((list_maker *)self)->unsorted.data);
    memory_free(self);
}

static list_maker *take_list_maker(const abut_pairs *pairs)
{
    list_maker *maker = (list_maker *)pool_take(&pairs->finder->leftovers->list_makers);
    if (!maker) {
        maker = memory_alloc_zeroed(1, sizeof *maker);
    }
    if (maker) {
        maker->pooled.destroy = list_maker_destroy;
    }
    return maker;
}

static abut_status make_lists(void *context, abut_index block, parallel_job *job)
{
    const abut_pairs *pairs = context;
    const abut_index *firsts = pairs->memory->sums.data;
    const abut_index count = firsts[block + 1] - firsts[block];
    const abut_index most_spheres = (abut_index)1 << pairs->block_shift;
    list_maker *maker = take_list_maker(pairs);
    if (!maker) {
        return ABUT_NO_MEMORY;
    }
    int32_t *unsorted = memory_reserve(&maker->unsorted, pairs->largest_block, sizeof *unsorted);
    if (unsorted) {
        fill_lists(pairs, block, unsorted);
    }
    pool_give(&pairs->finder->leftovers->list_makers, &maker->pooled);
    return unsorted ? parallel_report(job, most_spheres + count) : ABUT_NO_MEMORY;
}

/* ---- all ---- */

/* The pairs of each block, and before each; returns how many the largest has. */
static abut_index count_blocks(const abut_pairs *pairs, abut_index *counts)
{
    memset(counts, 0, (size_t)pairs->block_count * sizeof *counts);
    for (abut_index c = 0; c < pairs->chunk_count; c++) {
        for (abut_index block = 0; block < pairs->block_count; block++) {
            counts[block] += block_end(&pairs->memory->chunks[c], block) -
                             block_begin(&pairs->memory->chunks[c], block);
        }
    }
    abut_index largest = 0;
    for (abut_index block = 0; block < pairs->block_count; block++) {
        largest = counts[block] > largest ? counts[block] : largest;
    }
    sort_sum_up(counts, pairs->block_count);
    return largest;
}

abut_status lists_make(abut_pairs *pairs)
{
    const abut_pair_query *query = &pairs->query;
    abut_index *counts =
        memory_reserve(&pairs->memory->sums, pairs->block_count + 1, sizeof *counts);
    pairs->offsets =
        memory_reserve(&pairs->memory->offsets, pairs->own.count + 1, sizeof *pairs->offsets);
    if (!counts || !pairs->offsets) {
        return ABUT_NO_MEMORY;
    }
    pairs->largest_block = count_blocks(pairs, counts);
    pairs->count = counts[pairs->block_count];
    pairs->offsets[0] = 0;
    pairs->seconds = memory_reserve(&pairs->memory->seconds, pairs->count + GRID_PADDING,
                                    sizeof *pairs->seconds);
    if (!pairs->seconds) {
        return ABUT_NO_MEMORY;
    }
    return parallel_run(pairs->block_count, query->workers, make_lists, pairs, query->interrupted,
                        query->interrupted_data);
}
