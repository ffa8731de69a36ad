/* Searches the grid: threads take chunks of cells, and each chunk has its own pairs. */
#include <string.h>

#include "../base/parallel.h"
#include "../base/prefetch.h"
#include "copies.h"

/* The smallest capacity of a queue of pairs: as many pairs stay in the first-level cache. */
enum { QUEUE_CAPACITY = 1024 };

/* Working memory of a thread. */
typedef struct searcher {
    pooled pooled;
    pair_queue queue;
    memory_block firsts, seconds;
    int_pair *found; /* pairs, in the order in which they are found */
    abut_index found_count, found_capacity;
    const abut_pairs *pairs;
    struct search *search;
    parallel_job *job;
    abut_status status;
    bool has_copies; /* of a pair in the queue, a sphere may be a copy */
} searcher;

typedef struct search {
    abut_pairs *pairs;
    abut_index most_before; /* the largest number of pairs for which a chunk has memory */
    _Atomic abut_index distance_count;
    /* the number of pairs of all threads, counted only if it is limited */
    _Atomic abut_index image_pair_count;
} search;

/* ---- from queued numbers to pairs ---- */

/* A pair of items: their spheres, the image of the second one relative to the first one, and
 * whether each is a copy. */
typedef struct item_pair {
    int32_t first, second;
    vec3 image;
    bool has_first, has_second;
} item_pair;

/* A pair of two spheres: i < j if both are the query's own. */
static int_pair order_pair(const abut_pairs *pairs, int32_t a, int32_t b)
{
    const bool is_in_order = a < b || pairs->second_set == &pairs->others;
    return is_in_order ? (int_pair){a, b} : (int_pair){b, a};
}

/* Converts queued numbers of spheres to pairs. */
static int32_t convert_spheres(const abut_pairs *pairs, const pair_queue *queue, int_pair *to)
{
    for (int32_t k = 0; k < queue->count; k++) {
        to[k] = order_pair(pairs, queue->firsts[k], queue->seconds[k]);
    }
    return queue->count;
}

/* Whether two items are a pair of the query: at most one of them is a copy, it is the one that
 * finds the pair, and their spheres touch. */
static bool is_pair(const abut_pairs *pairs, const item_pair *p)
{
    const sphere_row *first = &pairs->own.rows[p->first];
    const sphere_row *second = &pairs->second_set->rows[p->second];
    const bool has_two = p->has_first && p->has_second, has_none = !p->has_first && !p->has_second;
    return !has_two &&
           (has_none || p->has_first == copies_are_of_first(pairs, first, second, p->image)) &&
           grid_touches(&pairs->finder->lattice, first, second, p->image);
}

/* Converts queued numbers to pairs of items, at least one of which may be a copy. Drops pairs that
 * do not touch, and those that another copy finds. Returns how many remain. */
static int32_t convert_items(const abut_pairs *pairs, const pair_queue *queue, int_pair *to)
{
    const row_set *own = &pairs->own, *second = pairs->second_set;
    int32_t count = 0;
    for (int32_t k = 0; k < queue->count; k++) {
        const int32_t a = queue->firsts[k], b = queue->seconds[k];
        const item_pair p = {.first = copies_sphere(own, a),
                             .second = copies_sphere(second, b),
                             .image = vec3_sub(copies_image(second, b), copies_image(own, a)),
                             .has_first = copies_has(own, a),
                             .has_second = copies_has(second, b)};
        if (is_pair(pairs, &p)) {
            to[count++] = order_pair(pairs, p.first, p.second);
        }
    }
    return count;
}

/* Sets the status of the search. Returns false if it is a failure. */
static bool set_status(searcher *s, abut_status status)
{
    s->status = status;
    return status == ABUT_OK;
}

/* Adds `count` to the number of pairs that all threads have found. False: it is above the limit. */
static bool has_pairs_left(const searcher *s, abut_index count)
{
    return atomic_fetch_add(&s->search->image_pair_count, count) + count <=
           s->pairs->image_pair_limit;
}

/* Moves pairs from the queue to the list, and makes room for `room` more. False: the search must
 * end. */
static bool drain(pair_queue *queue, abut_index room)
{
    searcher *s = queue->context;
    const abut_pairs *pairs = s->pairs;
    if (memory_fit(&s->found, s->found_count + queue->count, &s->found_capacity,
                   sizeof *s->found)) {
        return set_status(s, ABUT_NO_MEMORY);
    }
    int_pair *found = s->found;
    const int32_t count = s->has_copies ? convert_items(pairs, queue, found + s->found_count)
                                        : convert_spheres(pairs, queue, found + s->found_count);
    if (pairs->image_pair_limit > 0 && !has_pairs_left(s, count)) {
        return set_status(s, ABUT_PERIOD_TOO_SHORT);
    }
    s->found_count += count;
    queue->count = 0;
    if (room + GRID_PADDING > queue->capacity) {
        const abut_index wanted = room + GRID_PADDING + QUEUE_CAPACITY;
        const abut_index capacity = wanted < INT32_MAX ? wanted : INT32_MAX;
        queue->firsts = memory_reserve(&s->firsts, capacity, sizeof *queue->firsts);
        queue->seconds = memory_reserve(&s->seconds, capacity, sizeof *queue->seconds);
        queue->capacity = queue->firsts && queue->seconds ? (int32_t)capacity : 0;
    }
    if (queue->capacity == 0) {
        return set_status(s, ABUT_NO_MEMORY);
    }
    return set_status(s, parallel_report(s->job, count + room));
}

/* How many distances are computed in one unit of work. */
enum { DISTANCES_PER_WORK = 8 };

/* Reports computed distances as work. False: the search must end. */
static bool report_work(searcher *s, abut_index distances)
{
    return set_status(s, parallel_report(s->job, distances / DISTANCES_PER_WORK));
}

/* ---- one level ---- */

/* The number of a neighboring row or layer, `at`, in the table; -1: there is none. */
static int32_t beside(const grid_axis *axis, int32_t at)
{
    if (at >= 0 && at < axis->count) {
        return at;
    }
    return !axis->wraps ? -1 : at < 0 ? axis->count - 1 : 0;
}

/* Adds row y of layer z to the rows ahead, if it exists. */
static void add_ahead(row_task *task, int32_t y, int32_t z)
{
    const grid_axis *axes = task->level->axes;
    y = beside(&axes[1], y), z = beside(&axes[2], z);
    if (y >= 0 && z >= 0) {
        task->ahead[task->ahead_count++] =
            task->level->first_cell + (z * axes[1].count + y) * axes[0].count;
    }
}

/* Lists the rows ahead of row y of layer z: half of those around it, so each pair is found once. */
static void list_ahead(row_task *task, int32_t y, int32_t z)
{
    task->ahead_count = 0;
    add_ahead(task, y + 1, z);
    for (int32_t step = -1; step <= 1; step++) {
        add_ahead(task, y + step, z + 1);
    }
}

/* Searches cells begin ... end - 1 of the table, all of one level, for pairs on that level. */
static bool search_cells(searcher *s, const grid_level *level, int32_t begin, int32_t end)
{
    const grid *g = &s->pairs->memory->grid;
    const int32_t count = level->axes[0].count, rows = level->axes[1].count;
    const pair_kernels *kernels = pair_kernels_take();
    row_task task = {.level = level};
    for (int32_t cell = begin; cell < end; cell = task.row + task.end) {
        const int32_t row = (cell - level->first_cell) / count;
        task.row = level->first_cell + row * count;
        task.begin = cell - task.row;
        task.end = end - task.row < count ? end - task.row : count;
        if (g->begins[cell] == g->begins[task.row + task.end]) {
            continue;
        }
        list_ahead(&task, row % rows, row / rows);
        const abut_index before = s->queue.distance_count;
        if (!kernels->near_row(g, &task, &s->queue) ||
            !report_work(s, s->queue.distance_count - before)) {
            return false;
        }
    }
    return true;
}

/* ---- other levels ---- */

/* Compares one sphere with the spheres of some levels; `number` is as in look_task. */
static bool search_levels(searcher *s, const sphere_row *from, int32_t number, level_range levels)
{
    const pair_kernels *kernels = pair_kernels_take();
    const abut_pairs *pairs = s->pairs;
    const grid *g = &pairs->memory->grid;
    for (int32_t h = levels.begin; h < levels.end; h++) {
        if (pairs->levels.populations[h] > 0 &&
            !kernels->across_level(g, &g->levels[h], from, number, &s->queue)) {
            return false;
        }
    }
    return true;
}

/* Rows are fetched into the cache this many spheres before they are read. */
enum { FETCHED_AHEAD = 8 };

/* Compares spheres begin ... end - 1 of the grid's order with the spheres of other levels. */
static bool search_from_grid(searcher *s, int32_t begin, int32_t end, level_range levels)
{
    const grid *g = &s->pairs->memory->grid;
    s->queue.lookers = NULL;
    for (int32_t k = begin; levels.begin < levels.end && k < end; k++) {
        PREFETCH(&g->rows[g->ids[k + FETCHED_AHEAD < end ? k + FETCHED_AHEAD : end - 1]]);
        const abut_index before = s->queue.distance_count;
        if (!search_levels(s, &g->rows[g->ids[k]], k, levels) ||
            !report_work(s, s->queue.distance_count - before)) {
            return false;
        }
    }
    return pair_kernels_take()->across_finish(g, &s->queue);
}

/* The levels that an item is compared with. For a copy, these have no level on which all spheres
 * are too large for the pairs that the copy finds. */
static level_range levels_of_item(const abut_pairs *pairs, int32_t item, level_range levels)
{
    const row_set *own = &pairs->own;
    if (copies_has(own, item) && levels.end > 1) {
        const double reach = own->rows[copies_sphere(own, item)].reach;
        const double most = copies_partner_reach(pairs, reach, copies_image(own, item));
        while (levels.end > 1 && pairs->levels.sizes[levels.end - 2] >= 2.0 * most) {
            levels.end--;
        }
    }
    return levels;
}

/* Compares items begin ... end - 1 of the query's own set with those in the grid. The former are
 * not in the grid themselves. */
static bool search_from_items(searcher *s, int32_t begin, int32_t end, level_range levels)
{
    const sphere_row *rows = s->pairs->own.rows;
    s->queue.lookers = rows;
    for (int32_t i = begin; i < end; i++) {
        const abut_index before = s->queue.distance_count;
        if (!search_levels(s, &rows[i], i, levels_of_item(s->pairs, i, levels)) ||
            !report_work(s, s->queue.distance_count - before)) {
            return false;
        }
    }
    return pair_kernels_take()->across_finish(&s->pairs->memory->grid, &s->queue);
}

/* ---- chunks ---- */

/* The smallest number of pairs for which a chunk gets memory. In small chunks, the number of pairs
 * varies much from query to query. */
enum { USUAL_PAIRS = 128 };

/* Copies the pairs that were found into the chunk, sorted by block of first spheres. */
static abut_status keep_pairs(const searcher *s, pair_chunk *chunk)
{
    const int shift = s->pairs->block_shift;
    const abut_index blocks = s->pairs->block_count;
    abut_index *next = memory_reserve(&chunk->ends, blocks + 1, sizeof *next);
    const abut_index room = s->found_count > USUAL_PAIRS ? s->found_count : USUAL_PAIRS;
    int_pair *pairs = memory_reserve(&chunk->pairs, room, sizeof *pairs);
    if (!next || !pairs) {
        return ABUT_NO_MEMORY;
    }
    memset(next, 0, (size_t)blocks * sizeof *next);
    for (abut_index k = 0; k < s->found_count; k++) {
        next[s->found[k].first >> shift]++;
    }
    sort_sum_up(next, blocks);
    for (abut_index k = 0; k < s->found_count; k++) {
        pairs[next[s->found[k].first >> shift]++] = s->found[k];
    }
    return ABUT_OK;
}

static void searcher_destroy(pooled *self)
{
    searcher *s = (searcher *)self;
    memory_free(s->firsts.data);
    memory_free(s->seconds.data);
    memory_free(s->found);
    memory_free(s);
}

/* Gives a searcher back to the pool. Frees its memory for pairs if that is much more than this
 * chunk and those of earlier queries needed. */
static void give_searcher(const search *all, searcher *s)
{
    const abut_pairs *pairs = all->pairs;
    abut_index used = s->found_count > QUEUE_CAPACITY ? s->found_count : QUEUE_CAPACITY;
    used = used > all->most_before ? used : all->most_before;
    if (s->found_capacity / MEMORY_SPARE_FACTOR > used) {
        memory_free(s->found);
        s->found = NULL;
        s->found_capacity = 0;
    }
    pool_give(&pairs->finder->leftovers->searches, &s->pooled);
}

static searcher *take_searcher(search *all, parallel_job *job)
{
    const abut_pairs *pairs = all->pairs;
    searcher *s = pool_provide(&pairs->finder->leftovers->searches, sizeof *s, searcher_destroy);
    if (s) {
        s->search = all, s->pairs = pairs, s->job = job, s->status = ABUT_OK;
        s->found_count = 0;
        s->queue.count = s->queue.task_count = 0;
        s->queue.distance_count = 0;
        s->queue.drain = drain, s->queue.context = s;
    }
    return s;
}

static bool search_cells_and_levels(searcher *s, const pair_chunk *chunk, level_range levels)
{
    const grid *g = &s->pairs->memory->grid;
    return search_cells(s, &g->levels[chunk->level], chunk->begin, chunk->end) &&
           search_from_grid(s, g->begins[chunk->begin], g->begins[chunk->end], levels);
}

/* Finds the pairs of a chunk. */
static abut_status search_all(searcher *s, const pair_chunk *chunk)
{
    const level_range levels = chunks_other_levels(s->pairs, chunk->level);
    s->has_copies = chunk->level < 0 && s->pairs->finder->lattice.is_periodic;
    const bool is_done = chunk->level < 0 ? search_from_items(s, chunk->begin, chunk->end, levels)
                                          : search_cells_and_levels(s, chunk, levels);
    return is_done && drain(&s->queue, 0) ? ABUT_OK : s->status;
}

static abut_status search_chunk(void *context, abut_index number, parallel_job *job)
{
    search *all = context;
    pair_chunk *chunk = &all->pairs->memory->chunks[number];
    searcher *s = take_searcher(all, job);
    if (!s) {
        return ABUT_NO_MEMORY;
    }
    abut_status status = search_all(s, chunk);
    status = status ? status : keep_pairs(s, chunk);
    status = status ? status : parallel_report(job, s->found_count);
    atomic_fetch_add(&all->distance_count, s->queue.distance_count);
    give_searcher(all, s);
    return status;
}

/* The work of the search, in the units of parallel_report: two for each sphere, and about one for
 * each sphere in its cell. */
static abut_index work_of_search(const abut_pairs *pairs)
{
    return (abut_index)((2.0 + pairs->memory->grid.occupancy) * (double)pairs->own.count);
}

/* The largest number of pairs for which a chunk has memory from earlier queries. */
static abut_index most_kept(const pair_memory *memory)
{
    abut_index bytes = 0;
    for (abut_index k = 0; k < memory->chunk_capacity; k++) {
        const abut_index kept = memory->chunks[k].pairs.byte_count;
        bytes = kept > bytes ? kept : bytes;
    }
    return bytes / (abut_index)sizeof(int_pair);
}

abut_status search_grid(abut_pairs *pairs)
{
    search all = {.pairs = pairs, .most_before = most_kept(pairs->memory)};
    abut_status status = chunks_make(pairs);
    if (!status) {
        const parallel_plan plan = pairs_plan(pairs, pairs->chunk_count, work_of_search(pairs));
        status = parallel_run(&plan, search_chunk, &all);
    }
    pairs->distance_count = atomic_load(&all.distance_count);
    return status;
}
