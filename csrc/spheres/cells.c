#include "cells.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../base/parallel.h"
#include "../base/prefetch.h"
#include "kernels.h"

/* The data for filling a grid. A block is a range of cells. Spheres are sorted by block, then
 * within each block by cell. */
typedef struct filling {
    grid *g;
    const grid_plan *plan;
    int32_t *cells; /* the cell of each sphere, in the caller's order */
    int32_t *begins, *ids, *ordered_cells;
    int shift;                            /* block = cell >> shift */
    abut_index block_count, chunk_blocks; /* the number of blocks; how many of them a chunk has */
    _Atomic abut_index occupancy;         /* sum over cells of the squared number of spheres */
} filling;

/* Reserves an array for each coordinate and for reaches, in the order of cells. They are floats if
 * the grid has a margin for them, else doubles. */
static bool reserve_places(grid *g, abut_index stride)
{
    const size_t size = g->margin > 0.0f ? sizeof(float) : sizeof(double);
    char *values = memory_reserve(&g->blocks[GRID_PLACES], 4 * stride, size);
    for (int k = 0; values && k < 4; k++) {
        /* vector code reads these numbers behind the last sphere, without effect */
        memset(values + (size_t)((k + 1) * stride - GRID_PADDING) * size, 0, GRID_PADDING * size);
    }
    const float *singles = g->margin > 0.0f ? (const float *)(void *)values : NULL;
    const double *doubles = g->margin > 0.0f ? NULL : (const double *)(void *)values;
    for (int axis = 0; axis < 3; axis++) {
        g->near_place[axis] = singles ? singles + axis * stride : NULL;
        g->place[axis] = doubles ? doubles + axis * stride : NULL;
    }
    g->near_reach = singles ? singles + 3 * stride : NULL;
    g->reach = doubles ? doubles + 3 * stride : NULL;
    return values != NULL;
}

static abut_status reserve(filling *f)
{
    grid *g = f->g;
    const abut_index count = f->plan->count, stride = count + GRID_PADDING;
    f->cells = memory_reserve(&g->blocks[CELLS_OF_SPHERES], count, sizeof *f->cells);
    f->begins = memory_reserve(&g->blocks[GRID_BEGINS], g->cell_count + 1, sizeof *f->begins);
    f->ids = memory_reserve(&g->blocks[GRID_IDS], stride, sizeof *f->ids);
    f->ordered_cells = memory_reserve(&g->blocks[GRID_CELLS], stride, sizeof *f->ordered_cells);
    if (!f->cells || !f->begins || !f->ids || !f->ordered_cells || !reserve_places(g, stride)) {
        return ABUT_NO_MEMORY;
    }
    g->begins = f->begins;
    g->ids = f->ids;
    g->cells = f->ordered_cells;
    return ABUT_OK;
}

/* Finds the cells of some spheres, and writes the cells' blocks as keys to sort by. */
static void fill_blocks(void *context, abut_index begin, abut_index end, uint16_t *blocks)
{
    const filling *f = context;
    pair_kernels_take()->grid_find_cells(f->g, f->plan->rows, begin, end, f->cells + begin);
    for (abut_index i = begin; i < end; i++) {
        blocks[i - begin] = (uint16_t)(f->cells[i] >> f->shift);
    }
}

/* Lists the spheres of a block with their cells. The sorted cells will replace this list. */
static keyed_run list_block(const filling *f, int32_t begin, int32_t end)
{
    const int32_t *items = f->g->sorted.items;
    int32_t *cells = f->ordered_cells;
    for (int32_t k = begin; k < end; k++) {
        /* the coordinates of these rows are read soon after, in another order */
        PREFETCH(&f->g->rows[items[k]]);
        cells[k] = f->cells[items[k]];
    }
    return (keyed_run){
        .keys = cells + begin, .items = items + begin, .count = end - begin, .step = 1};
}

/* Writes each sphere's cell in the order of cells. Returns the sum over cells of n^2, where n is
 * the number of spheres in the cell. n^2 is the sum of the first n odd numbers, which are added. */
static abut_index write_cells(const filling *f, int32_t begin, int32_t end)
{
    abut_index occupancy = 0, odd = 1;
    int32_t before = -1;
    for (int32_t k = begin; k < end; k++) {
        const int32_t cell = f->cells[f->ids[k]];
        odd = cell == before ? odd + 2 : 1;
        occupancy += odd;
        f->ordered_cells[k] = before = cell;
    }
    return occupancy;
}

/* Sorts a block's spheres by cell, and gathers their coordinates. */
static abut_status fill_block(filling *f, abut_index block, parallel_job *job)
{
    const int32_t begin = f->g->sorted.key_begins[block], end = f->g->sorted.key_begins[block + 1];
    const abut_index first = block << f->shift, after = (block + 1) << f->shift;
    const abut_index last = after < f->g->cell_count ? after : f->g->cell_count;
    const key_block keys = {.first_key = first, .key_count = last - first, .begin = begin};
    const keyed_run spheres = list_block(f, begin, end);
    sort_block(&keys, &spheres, 1, f->begins + first + 1, f->ids);
    atomic_fetch_add(&f->occupancy, write_cells(f, begin, end));
    pair_kernels_take()->grid_gather(f->g, begin, end);
    return parallel_report(job, end - begin + (last - first) / 8);
}

/* Each thread should have CHUNKS_EACH chunks, so that no thread waits long for the last chunk. A
 * chunk has up to MOST_BLOCKS consecutive blocks: spheres of neighboring cells are mostly neighbors
 * in the caller's order, too, and share cache lines. */
enum { CHUNKS_EACH = 16, MOST_BLOCKS = 64 };

static abut_index blocks_of_chunk(abut_index blocks, int workers)
{
    const abut_index share = blocks / ((abut_index)CHUNKS_EACH * workers);
    const abut_index most = share < MOST_BLOCKS ? share : MOST_BLOCKS;
    return most > 1 ? most : 1;
}

static abut_status fill_chunk(void *context, abut_index chunk, parallel_job *job)
{
    filling *f = context;
    const abut_index begin = chunk * f->chunk_blocks;
    const abut_index end = parallel_chunk_end(begin, f->chunk_blocks, f->block_count);
    abut_status status = ABUT_OK;
    for (abut_index block = begin; !status && block < end; block++) {
        status = fill_block(f, block, job);
    }
    return status;
}

/* Finds the bounds of a level's spheres. Searches from other levels stay within these bounds. */
static void bound_level(const grid *g, grid_level *level)
{
    const abut_index begin = g->begins[level->first_cell];
    const abut_index end = g->begins[level->first_cell + level->cell_count];
    for (int axis = 0; axis < 3; axis++) {
        const grid_axis *at = &level->axes[axis];
        const double origin = g->near_reach ? g->low[axis] : 0.0, margin = (double)g->margin;
        double least, most;
        pair_kernels_take()->grid_bound(g, axis, begin, end, &least, &most);
        least += origin - margin, most += origin + margin;
        const double low = grid_distance(g, axis, least);
        const double high = grid_distance(g, axis, most);
        const double first = floor(low * at->inv_length - level->slack);
        const double last = floor(high * at->inv_length + level->slack);
        level->least[axis] = least, level->most[axis] = most;
        level->first[axis] = first > 0.0 ? first : 0.0;
        level->last[axis] = last < at->last ? last : at->last;
    }
}

static void bound_levels(grid *g, const grid_plan *plan)
{
    for (int32_t h = 0; plan->has_lookers && h < g->level_count; h++) {
        if (plan->populations[h] > 0) {
            bound_level(g, &g->levels[h]);
        }
    }
}

/* The smallest average number of spheres per block. With fewer spheres, the fixed cost of a block
 * would matter. */
enum { BLOCK_SPHERES = 64 };

static abut_status fill(filling *f)
{
    grid *g = f->g;
    const grid_plan *plan = f->plan;
    const abut_index worth = plan->count / BLOCK_SPHERES + 1;
    const abut_index most = worth < SORT_KEY_LIMIT ? worth : SORT_KEY_LIMIT;
    while ((g->cell_count - 1) >> f->shift >= most) {
        f->shift++;
    }
    f->block_count = ((g->cell_count - 1) >> f->shift) + 1;
    f->chunk_blocks = blocks_of_chunk(f->block_count, plan->workers);
    const abut_index chunks = (f->block_count + f->chunk_blocks - 1) / f->chunk_blocks;
    const sort_task task = {.count = plan->count,
                            .key_count = (int32_t)f->block_count,
                            .fill = fill_blocks,
                            .context = f,
                            .workers = plan->workers,
                            .interrupted = plan->interrupted,
                            .interrupted_data = plan->interrupted_data};
    f->begins[0] = 0;
    const parallel_plan filling_plan = {.chunk_count = chunks,
                                        .work = plan->count + g->cell_count / 8,
                                        .workers = plan->workers,
                                        .interrupted = plan->interrupted,
                                        .interrupted_data = plan->interrupted_data};
    abut_status status = sort_by_key(&g->sorted, &task);
    return status ? status : parallel_run(&filling_plan, fill_chunk, f);
}

abut_status cells_fill(grid *g, const grid_plan *plan)
{
    filling f = {.g = g, .plan = plan};
    grid_lay_out(g, plan);
    g->rows = plan->rows;
    abut_status status = reserve(&f);
    status = status ? status : fill(&f);
    if (!status) {
        bound_levels(g, plan);
        g->occupancy = (double)atomic_load(&f.occupancy) / (double)plan->count;
    }
    return status;
}
