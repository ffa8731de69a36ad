/* Sorts pairs by first sphere, block by block, so that the pairs of a block stay in the cache. A
 * block is a range of first spheres. search.c has sorted each chunk's pairs by block. */
#include <string.h>

#include "../base/parallel.h"
#include "query_pairs.h"

/* The largest number of blocks, and the smallest number of spheres in a block as an exponent of 2.
 * Counts for each chunk and block, and for each sphere of a block, should stay in the caches. */
enum { BLOCK_LIMIT = 512, BLOCK_SHIFT = 11 };

/* Working memory of a thread: a block's pairs, and its lists before they are sorted. */
typedef struct list_maker {
    pooled pooled;
    memory_block runs;           /* keyed_run: the block's pairs in each chunk */
    memory_block unsorted, ends; /* int32_t: the block's second spheres, and ends of lists */
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

/* The index at which a block's pairs begin among those of a chunk. */
static abut_index block_begin(const pair_chunk *chunk, abut_index block)
{
    const abut_index *ends = chunk->ends.data;
    return block > 0 ? ends[block - 1] : 0;
}

/* The index at which a block's pairs end among those of a chunk. */
static abut_index block_end(const pair_chunk *chunk, abut_index block)
{
    return ((const abut_index *)chunk->ends.data)[block];
}

/* Lists a block's pairs in each chunk that has any. Returns the number of these chunks. */
static abut_index list_runs(const abut_pairs *pairs, abut_index block, keyed_run *runs)
{
    abut_index count = 0;
    for (abut_index c = 0; c < pairs->chunk_count; c++) {
        const pair_chunk *chunk = &pairs->memory->chunks[c];
        const abut_index begin = block_begin(chunk, block);
        const int_pair *from = (const int_pair *)chunk->pairs.data + begin;
        runs[count] = (keyed_run){.keys = &from->first,
                                  .items = &from->second,
                                  .count = block_end(chunk, block) - begin,
                                  .step = sizeof *from / sizeof from->first};
        count += runs[count].count > 0;
    }
    return count;
}

/* Makes a block's lists: sorts pairs by first sphere, and then the second spheres of each. */
static void fill_lists(const abut_pairs *pairs, abut_index block, const list_maker *maker)
{
    const abut_index begin = block << pairs->block_shift, after = (block + 1) << pairs->block_shift;
    const abut_index end = after < pairs->own.count ? after : pairs->own.count;
    const abut_index before = ((const abut_index *)pairs->memory->blocks[PAIR_SUMS].data)[block];
    const key_block spheres = {.first_key = begin, .key_count = end - begin};
    int32_t *ends = maker->ends.data, *unsorted = maker->unsorted.data;
    const abut_index run_count = list_runs(pairs, block, maker->runs.data);
    sort_block(&spheres, maker->runs.data, run_count, ends, unsorted);
    for (abut_index i = begin; i < end; i++) {
        pairs->offsets[i + 1] = before + ends[i - begin];
    }
    pair_kernels_take()->lists_sort(unsorted, pairs->offsets + 1 + begin, end - begin, before,
                                    pairs->seconds + before);
}

static void list_maker_destroy(pooled *self)
{
    list_maker *maker = (list_maker *)self;
    memory_free(maker->runs.data);
    memory_free(maker->unsorted.data);
    memory_free(maker->ends.data);
    memory_free(maker);
}

/* Reserves memory for the largest block. False: there is no memory, or the block has more than
 * INT32_MAX pairs. */
static bool reserve_room(const abut_pairs *pairs, list_maker *maker)
{
    const abut_index spheres = (abut_index)1 << pairs->block_shift;
    return pairs->largest_block <= INT32_MAX &&
           memory_reserve(&maker->runs, pairs->chunk_count, sizeof(keyed_run)) &&
           memory_reserve(&maker->unsorted, pairs->largest_block, sizeof(int32_t)) &&
           memory_reserve(&maker->ends, spheres, sizeof(int32_t));
}

static abut_status make_lists(void *context, abut_index block, parallel_job *job)
{
    const abut_pairs *pairs = context;
    const abut_index *sums = pairs->memory->blocks[PAIR_SUMS].data;
    list_maker *maker =
        pool_provide(&pairs->finder->leftovers->list_makers, sizeof *maker, list_maker_destroy);
    if (!maker) {
        return ABUT_NO_MEMORY;
    }
    const bool has_room = reserve_room(pairs, maker);
    if (has_room) {
        fill_lists(pairs, block, maker);
    }
    pool_give(&pairs->finder->leftovers->list_makers, &maker->pooled);
    const abut_index work = ((abut_index)1 << pairs->block_shift) + sums[block + 1] - sums[block];
    return has_room ? parallel_report(job, work) : ABUT_NO_MEMORY;
}

/* ---- all blocks ---- */

/* Sets counts[b] to the number of pairs in the blocks before b. Returns the number of pairs in the
 * largest block. */
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
    abut_index *counts =
        memory_reserve(&pairs->memory->blocks[PAIR_SUMS], pairs->block_count + 1, sizeof *counts);
    pairs->offsets = memory_reserve(&pairs->memory->blocks[PAIR_OFFSETS], pairs->own.count + 1,
                                    sizeof *pairs->offsets);
    if (!counts || !pairs->offsets) {
        return ABUT_NO_MEMORY;
    }
    pairs->largest_block = count_blocks(pairs, counts);
    pairs->count = counts[pairs->block_count];
    pairs->offsets[0] = 0;
    pairs->seconds = memory_reserve(&pairs->memory->blocks[PAIR_SECONDS],
                                    pairs->count + GRID_PADDING, sizeof *pairs->seconds);
    if (!pairs->seconds) {
        return ABUT_NO_MEMORY;
    }
    const parallel_plan plan =
        pairs_plan(pairs, pairs->block_count, pairs->own.count + pairs->count);
    return parallel_run(&plan, make_lists, pairs);
}
