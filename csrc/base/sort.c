/* Sorts by counting. Items are divided into stretches: consecutive items that one thread takes.
 * First the keys of each stretch are counted. Sums of these counts give the index at which the
 * items of each key and stretch begin. Then each stretch's items are written there. */
#include "sort.h"

#include <string.h>

#include "parallel.h"

enum { USUAL_STRETCHES = 16 };

static abut_index choose_stretch(abut_index count)
{
    const abut_index size = parallel_chunk_count(count, USUAL_STRETCHES);
    const abut_index least = size < SORT_SHORTEST ? SORT_SHORTEST : size;
    return least < SORT_STRETCH ? least : SORT_STRETCH;
}

typedef struct sorting {
    const sort_task *task;
    abut_index size; /* items in a stretch */
    int32_t *items;
    uint16_t *keys;
    /* for each stretch and key: first the count, then the index of the next item */
    int32_t *begins;
    int32_t *key_begins;
    abut_index stretch_count;
} sorting;

static abut_index stretch_end(const sorting *s, abut_index stretch)
{
    return parallel_chunk_end(stretch * s->size, s->size, s->task->count);
}

static abut_status count_stretch(void *context, abut_index stretch, parallel_job *job)
{
    const sorting *s = context;
    int32_t *counts = s->begins + stretch * s->task->key_count;
    abut_index begin = stretch * s->size, end = stretch_end(s, stretch);
    memset(counts, 0, (size_t)s->task->key_count * sizeof *counts);
    s->task->fill(s->task->context, begin, end, s->keys + begin);
    for (abut_index i = begin; i < end; i++) {
        counts[s->keys[i]]++;
    }
    return parallel_report(job, end - begin);
}

/* Replaces each count of a stretch and key by the index at which its items begin. */
static void sum_counts(const sorting *s)
{
    int32_t sum = 0;
    for (int32_t key = 0; key < s->task->key_count; key++) {
        s->key_begins[key] = sum;
        for (abut_index stretch = 0; stretch < s->stretch_count; stretch++) {
            int32_t *begin = s->begins + stretch * s->task->key_count + key;
            int32_t count = *begin;
            *begin = sum;
            sum += count;
        }
    }
    s->key_begins[s->task->key_count] = sum;
}

/* Writes a stretch's items, each behind the earlier items of the same key. */
static abut_status place_stretch(void *context, abut_index stretch, parallel_job *job)
{
    const sorting *s = context;
    int32_t *begins = s->begins + stretch * s->task->key_count;
    abut_index begin = stretch * s->size, end = stretch_end(s, stretch);
    for (abut_index i = begin; i < end; i++) {
        s->items[begins[s->keys[i]]++] = (int32_t)i;
    }
    return parallel_report(job, end - begin);
}

static abut_status reserve(sorted_items *sorted, sorting *s)
{
    const abut_index keys = s->task->key_count;
    s->items = memory_reserve(&sorted->blocks[0], s->task->count, sizeof *s->items);
    s->keys = memory_reserve(&sorted->blocks[1], s->task->count, sizeof *s->keys);
    s->begins = memory_reserve(&sorted->blocks[2], s->stretch_count * keys, sizeof *s->begins);
    s->key_begins = memory_reserve(&sorted->blocks[3], keys + 1, sizeof *s->key_begins);
    sorted->items = s->items;
    sorted->key_begins = s->key_begins;
    return s->items && s->keys && s->begins && s->key_begins ? ABUT_OK : ABUT_NO_MEMORY;
}

abut_status sort_by_key(sorted_items *sorted, const sort_task *task)
{
    sorting s = {.task = task, .size = choose_stretch(task->count)};
    s.stretch_count = parallel_chunk_count(task->count, s.size);
    const parallel_plan plan = {.chunk_count = s.stretch_count,
                                .work = task->count,
                                .workers = task->workers,
                                .interrupted = task->interrupted,
                                .interrupted_data = task->interrupted_data};
    abut_status status = reserve(sorted, &s);
    status = status ? status : parallel_run(&plan, count_stretch, &s);
    if (!status) {
        sum_counts(&s);
        status = parallel_run(&plan, place_stretch, &s);
    }
    return status;
}

void sorted_free(sorted_items *sorted)
{
    memory_free_blocks(sorted->blocks, SORTED_BLOCKS);
    *sorted = (sorted_items){0};
}

static void count_run(const keyed_run *run, abut_index first_key, int32_t *counts)
{
    for (abut_index k = 0; k < run->count; k++) {
        counts[run->keys[k * run->step] - first_key]++;
    }
}

/* Writes a run's items. next[k] is the index for the next item of key first_key + k. */
static void place_run(const keyed_run *run, abut_index first_key, int32_t *next, int32_t *items)
{
    for (abut_index k = 0; k < run->count; k++) {
        items[next[run->keys[k * run->step] - first_key]++] = run->items[k * run->step];
    }
}

/* While items are written, ends[k] is the index at which the next item of key first_key + k is
 * written. It begins at the key's first item, and ends behind the last. */
void sort_block(const key_block *block, const keyed_run *runs, abut_index run_count, int32_t *ends,
                int32_t *items)
{
    int32_t sum = block->begin;
    memset(ends, 0, (size_t)block->key_count * sizeof *ends);
    for (abut_index r = 0; r < run_count; r++) {
        count_run(&runs[r], block->first_key, ends);
    }
    for (abut_index k = 0; k < block->key_count; k++) {
        const int32_t count = ends[k];
        ends[k] = sum;
        sum += count;
    }
    for (abut_index r = 0; r < run_count; r++) {
        place_run(&runs[r], block->first_key, ends, items);
    }
}

/* Merges two sorted runs, run[0] ... run[1] - 1 and run[1] ... run[2] - 1, into `to`. */
static void merge_runs(const abut_index *items, abut_index *to, const abut_index run[3],
                       sort_is_before is_before, const void *context)
{
    abut_index a = run[0], b = run[1];
    for (abut_index k = run[0]; k < run[2]; k++) {
        const bool is_second =
            b < run[2] && (a == run[1] || is_before(context, items[b], items[a]));
        to[k] = is_second ? items[b++] : items[a++];
    }
}

void sort_by_merging(abut_index *items, abut_index *room, abut_index count,
                     sort_is_before is_before, const void *context)
{
    abut_index *from = items, *to = room;
    for (abut_index width = 1; width < count; width *= 2) {
        for (abut_index k = 0; k < count; k += 2 * width) {
            const abut_index middle = k + width < count ? k + width : count;
            const abut_index run[3] = {k, middle, middle + width < count ? middle + width : count};
            merge_runs(from, to, run, is_before, context);
        }
        abut_index *const merged = to;
        to = from;
        from = merged;
    }
    if (from != items) {
        memcpy(items, from, (size_t)count * sizeof *items);
    }
}

void sort_sum_up(abut_index *counts, abut_index count)
{
    abut_index sum = 0;
    for (abut_index k = 0; k <= count; k++) {
        abut_index counted = k < count ? counts[k] : 0;
        counts[k] = sum;
        sum += counted;
    }
}
