/* Divides the search into chunks. */
#include "../base/memory.h"
#include "../base/parallel.h"
#include "query_pairs.h"

/* The largest and the smallest number of spheres in a chunk, if only their own level is searched.
 * There should be at least USUAL_CHUNKS chunks, so that threads share them evenly. */
enum { CHUNK_SPHERES = 8192, SMALLEST_CHUNK = 64, USUAL_CHUNKS = 16 };

/* Searching this many rows of cells takes as long as searching a sphere's own level. */
#define ROWS_PER_SPHERE 16.0

level_range chunks_other_levels(const abut_pairs *pairs, int32_t level)
{
    if (level < 0) {
        return (level_range){0, pairs->memory->grid.level_count};
    }
    return pairs->finder->search == ABUT_TOP_DOWN
               ? (level_range){0, level}
               : (level_range){level + 1, pairs->memory->grid.level_count};
}

/* The first of the cells `cell` ... `last` that begins at sphere `sphere` of the grid's order or
 * after it. */
static int32_t cell_of(const grid *g, int32_t cell, int32_t last, abut_index sphere)
{
    while (cell < last) {
        const int32_t middle = cell + (last - cell) / 2;
        if (g->begins[middle] >= sphere) {
            last = middle;
        } else {
            cell = middle + 1;
        }
    }
    return cell;
}

/* The number of spheres in a chunk: smaller if many rows of cells are searched for each sphere. */
static abut_index chunk_spheres(const abut_pairs *pairs, int32_t level, double reach)
{
    const level_range levels = chunks_other_levels(pairs, level);
    double work = 1.0;
    for (int32_t h = levels.begin; h < levels.end; h++) {
        const grid_level *other = &pairs->memory->grid.levels[h];
        double rows = 1.0;
        for (int axis = 1; axis < 3; axis++) {
            const grid_axis *at = &other->axes[axis];
            const double window = 2.0 * (reach + other->reach) * at->inv_length + 1.0;
            rows *= window < at->count ? window : at->count;
        }
        work += rows / ROWS_PER_SPHERE;
    }
    const abut_index share = pairs->own.count / USUAL_CHUNKS;
    const double count = (double)(share < CHUNK_SPHERES ? share : CHUNK_SPHERES) / work;
    return count > SMALLEST_CHUNK ? (abut_index)count : SMALLEST_CHUNK;
}

static abut_status add_chunk(abut_pairs *pairs, pair_chunk chunk)
{
    if (chunk.begin == chunk.end) {
        return ABUT_OK;
    }
    pair_memory *memory = pairs->memory;
    if (memory_fit_zeroed(&memory->chunks, pairs->chunk_count + 1, &memory->chunk_capacity,
                          sizeof *memory->chunks)) {
        return ABUT_NO_MEMORY;
    }
    pair_chunk *added = &memory->chunks[pairs->chunk_count++];
    added->level = chunk.level, added->begin = chunk.begin, added->end = chunk.end;
    return ABUT_OK;
}

static abut_status add_level_chunks(abut_pairs *pairs, int32_t h)
{
    const grid *g = &pairs->memory->grid;
    const grid_level *level = &g->levels[h];
    const int32_t last = level->first_cell + level->cell_count;
    const abut_index step = chunk_spheres(pairs, h, level->reach), end = g->begins[last];
    int32_t cell = level->first_cell;
    abut_status status = ABUT_OK;
    for (abut_index k = g->begins[cell]; !status && k < end; k += step) {
        const int32_t next = k + step < end ? cell_of(g, cell, last, k + step) : last;
        status = add_chunk(pairs, (pair_chunk){.level = h, .begin = cell, .end = next});
        cell = next;
    }
    return status;
}

/* Adds chunks of items of the query's own set, which are compared with those in the grid: all of
 * them, or the copies alone. */
static abut_status add_item_chunks(abut_pairs *pairs, abut_index first)
{
    const level_set *levels = &pairs->finder->levels;
    const abut_index step = chunk_spheres(pairs, -1, levels->reaches[levels->count - 1]);
    abut_status status = ABUT_OK;
    for (abut_index k = first; !status && k < pairs->own.item_count; k += step) {
        const abut_index end = parallel_chunk_end(k, step, pairs->own.item_count);
        status =
            add_chunk(pairs, (pair_chunk){.level = -1, .begin = (int32_t)k, .end = (int32_t)end});
    }
    return status;
}

/* Levels of large spheres come first, since their search may take long. */
abut_status chunks_make(abut_pairs *pairs)
{
    pairs->chunk_count = 0;
    if (pairs->second_set == &pairs->others) {
        return add_item_chunks(pairs, 0);
    }
    abut_status status = add_item_chunks(pairs, pairs->own.count);
    for (int32_t h = pairs->memory->grid.level_count - 1; !status && h >= 0; h--) {
        status = add_level_chunks(pairs, h);
    }
    return status;
}
