/* Counts the work of a search in boxes of cells: eqs. 4, 5 of Krijgsman et al. (2014), see
 * grid_levels.h. */
#include <math.h>

#include "query_pairs.h"

/* The cells along an axis that are searched for a sphere: all that touch a box around it with a
 * half width of its reach plus half a cell. */
typedef struct cell_range {
    int32_t first, count;
} cell_range;

static cell_range range_along(const grid *g, const grid_axis *at, int axis, double place,
                              double reach)
{
    place = grid_distance(g, axis, place) * at->inv_length;
    /* at the end of the axis, the product may have been rounded up beyond the last cell */
    place = place < at->last + 1.0 ? place : at->last + 0.5;
    double low = floor(place - reach * at->inv_length - 0.5);
    double high = floor(place + reach * at->inv_length + 0.5);
    if (!at->wraps) {
        low = low > 0.0 ? low : 0.0;
        high = high < at->last ? high : at->last;
    }
    if (high - low + 1.0 >= at->count) {
        return (cell_range){0, at->count};
    }
    return (cell_range){grid_fold(at, low), high < low ? 0 : (int32_t)(high - low) + 1};
}

/* How many spheres are in cells x of a row of `count` cells, which may wrap around. */
static abut_index count_in_row(const int32_t *row, cell_range x, int32_t count)
{
    const int32_t end = x.first + x.count;
    if (end <= count) {
        return row[end] - row[x.first];
    }
    return (row[count] - row[x.first]) + (row[end - count] - row[0]);
}

/* How many spheres are in a box of a level's cells. */
static abut_index count_in_box(const grid *g, const grid_level *level, const cell_range range[3])
{
    const int32_t x_count = level->axes[0].count, y_count = level->axes[1].count;
    abut_index sum = 0;
    for (int32_t t = 0; t < range[2].count; t++) {
        const int32_t z = (range[2].first + t) % level->axes[2].count;
        for (int32_t s = 0; s < range[1].count; s++) {
            const int32_t y = (range[1].first + s) % y_count;
            const int32_t row = level->first_cell + (z * y_count + y) * x_count;
            sum += count_in_row(g->begins + row, range[0], x_count);
        }
    }
    return sum;
}

/* Counts the work of searching another level for a sphere. */
static void count_across(const grid *g, const grid_level *other, const double place[3],
                         double reach, abut_pair_level *work)
{
    cell_range range[3];
    abut_index cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        range[axis] = range_along(g, &other->axes[axis], axis, place[axis], reach);
        cells *= range[axis].count;
    }
    work->access_count += cells;
    work->test_count += count_in_box(g, other, range);
}

/* Counts the cells around a sphere on its own level, and the spheres in them. Each pair of spheres
 * is counted twice, so half of both numbers is the work. */
static void count_near(const grid *g, const grid_level *level, const double place[3],
                       abut_index *cells, abut_index *spheres)
{
    cell_range range[3];
    abut_index count = 1;
    for (int axis = 0; axis < 3; axis++) {
        range[axis] =
            range_along(g, &level->axes[axis], axis, place[axis], 0.5 * level->axes[axis].length);
        count *= range[axis].count;
    }
    *cells += count;
    *spheres += count_in_box(g, level, range);
}

/* Counts the work of a level's spheres, on their own level and on others. */
static void count_level(const abut_pairs *pairs, int32_t h, abut_pair_level *work)
{
    const grid *g = &pairs->memory->grid;
    const grid_level *level = &g->levels[h];
    const int32_t begin = g->begins[level->first_cell],
                  end = g->begins[level->first_cell + level->cell_count];
    const level_range range = chunks_other_levels(pairs, h);
    abut_index cells = 0, spheres = 0;
    for (int32_t k = begin; k < end; k++) {
        const sphere_row *row = &g->rows[g->ids[k]];
        count_near(g, level, row->place, &cells, &spheres);
        for (int32_t other = range.begin; other < range.end; other++) {
            if (pairs->levels.populations[other] > 0) {
                count_across(g, &g->levels[other], row->place, row->reach, work);
            }
        }
    }
    work->sphere_count = end - begin;
    /* a sphere's own cell counts in full, and the sphere is not compared with itself */
    work->access_count += (cells + work->sphere_count) / 2;
    work->test_count += (spheres - work->sphere_count) / 2;
}

static void describe_level(const grid *g, int32_t h, abut_pair_level *to)
{
    const grid_level *level = &g->levels[h];
    *to = (abut_pair_level){.size = level->size, .cell_count = level->cell_count};
    for (int axis = 0; axis < 3; axis++) {
        to->lengths[axis] = level->axes[axis].length;
    }
    for (int32_t cell = level->first_cell; cell < level->first_cell + level->cell_count; cell++) {
        to->occupied_count += g->begins[cell + 1] > g->begins[cell];
    }
}

/* Counts the work of searching all levels for items that are not in the grid, from `first` on. */
static void count_items(const abut_pairs *pairs, abut_index first, abut_pair_level *work)
{
    const grid *g = &pairs->memory->grid;
    for (abut_index i = first; i < pairs->own.item_count; i++) {
        for (int32_t h = 0; h < g->level_count; h++) {
            const sphere_row *row = &pairs->own.rows[i];
            count_across(g, &g->levels[h], row->place, row->reach, &work[h]);
        }
    }
}

static void count_work(const abut_pairs *pairs, abut_pair_level *levels)
{
    const bool is_own = pairs->second_set == &pairs->own;
    for (int32_t h = 0; h < pairs->memory->grid.level_count; h++) {
        describe_level(&pairs->memory->grid, h, &levels[h]);
        if (is_own) {
            count_level(pairs, h, &levels[h]);
        } else {
            levels[h].sphere_count = pairs->levels.populations[h];
        }
    }
    count_items(pairs, is_own ? pairs->own.count : 0, levels);
}

static abut_index bytes_of(const pair_memory *memory)
{
    abut_index sum = grid_bytes(&memory->grid) + memory_count_bytes(memory->blocks, PAIR_BLOCKS) +
                     memory_count_bytes(memory->own.blocks, ROW_BLOCKS) +
                     memory_count_bytes(memory->others.blocks, ROW_BLOCKS);
    for (abut_index c = 0; c < memory->chunk_capacity; c++) {
        sum += memory->chunks[c].pairs.byte_count + memory->chunks[c].ends.byte_count;
    }
    return sum;
}

/* Takes the result of the last query. NULL: there is none, or it belongs to another finder, which
 * may have been freed together with its spheres. */
static pair_memory *take_result(const abut_pair_finder *finder)
{
    pool *results = &finder->leftovers->results;
    pooled *last = finder->has_lender ? NULL : pool_take(results);
    pair_memory *memory = (pair_memory *)last;
    if (memory && memory->pairs.finder != finder) {
        pool_give(results, last);
        return NULL;
    }
    return memory;
}

void abut_pair_finder_inspect(const abut_pair_finder *finder, abut_pair_statistics *statistics,
                              abut_pair_level *levels)
{
    *statistics = (abut_pair_statistics){.level_count = finder->levels.count};
    for (int32_t h = 0; h < finder->levels.count; h++) {
        levels[h] = (abut_pair_level){.size = finder->levels.sizes[h],
                                      .sphere_count = finder->levels.populations[h]};
    }
    pair_memory *memory = take_result(finder);
    if (!memory) {
        return;
    }
    const abut_pairs *pairs = &memory->pairs;
    statistics->byte_count = bytes_of(memory);
    if (pairs->is_done) {
        statistics->sphere_count = pairs->own.count;
        statistics->pair_count = pairs->count;
        statistics->distance_count = pairs->distance_count;
    }
    if (pairs->is_done && pairs->is_searched) {
        statistics->level_count = pairs->memory->grid.level_count;
        count_work(pairs, levels);
    }
    abut_pairs_free(&memory->pairs);
}
