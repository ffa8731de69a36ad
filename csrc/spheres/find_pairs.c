/* Finds pairs. The stages are checks, rows, grid, search and lists. */
#include "../base/error.h"
#include "../base/parallel.h"
#include "cells.h"
#include "copies.h"
#include "query_pairs.h"

/* The smallest work for a sphere, in the units of parallel_report. */
enum { WORK_OF_SPHERE = 5 };

abut_pair_query abut_pair_query_default(void)
{
    return (abut_pair_query){.workers = 1};
}

/* ---- making and freeing ---- */

static void destroy(pooled *self)
{
    pair_memory *memory = (pair_memory *)self;
    memory_free_blocks(memory->own.blocks, ROW_BLOCKS);
    memory_free_blocks(memory->others.blocks, ROW_BLOCKS);
    level_memory_free(&memory->levels);
    grid_free(&memory->grid);
    for (abut_index k = 0; k < memory->chunk_capacity; k++) {
        memory_free(memory->chunks[k].pairs.data);
        memory_free(memory->chunks[k].ends.data);
    }
    memory_free(memory->chunks);
    memory_free_blocks(memory->blocks, PAIR_BLOCKS);
    memory_free(memory);
}

static abut_pairs *make_pairs(const abut_pair_finder *finder, const abut_pair_query *query)
{
    pair_memory *memory = pool_provide(&finder->leftovers->results, sizeof *memory, destroy);
    if (!memory) {
        return NULL;
    }
    abut_pairs *pairs = &memory->pairs;
    *pairs = (abut_pairs){.memory = memory, .finder = finder, .query = *query};
    pairs->own = (row_set){.memory = &memory->own,
                           .centers = query->centers,
                           .radii = finder->radii,
                           .reaches = finder->reaches,
                           .count = finder->sphere_count};
    pairs->others = (row_set){.memory = &memory->others,
                              .centers = query->other_centers,
                              .count = query->other_centers ? query->other_count : 0};
    pairs->second_set = query->other_centers ? &pairs->others : &pairs->own;
    pairs->width = lattice_width(&finder->lattice);
    return pairs;
}

void abut_pairs_free(abut_pairs *pairs)
{
    if (pairs) {
        pool_give(&pairs->finder->leftovers->results, &pairs->memory->pooled);
    }
}

abut_index abut_pairs_count(const abut_pairs *pairs)
{
    return pairs->count;
}

/* ---- the other spheres ---- */

static abut_status copy_sizes(abut_pairs *pairs, abut_error *error)
{
    row_set *set = &pairs->others;
    const abut_pair_query *query = &pairs->query;
    double *radii = memory_reserve(&set->memory->blocks[SET_RADII], set->count, sizeof *radii),
           *reaches = radii;
    if (query->other_gaps || pairs->finder->gap > 0.0) {
        reaches = memory_reserve(&set->memory->blocks[SET_REACHES], set->count, sizeof *reaches);
    }
    if (!radii || !reaches) {
        return ABUT_NO_MEMORY;
    }
    set->radii = radii, set->reaches = reaches;
    const sphere_sizes sizes = {.radii = query->other_radii,
                                .gaps = query->other_gaps,
                                .gap = pairs->finder->gap,
                                .count = set->count,
                                .workers = query->workers,
                                .to_radii = radii,
                                .to_reaches = reaches};
    const abut_status status = finder_copy_sizes(&sizes, error);
    error->of_others = status != ABUT_OK && status != ABUT_NO_MEMORY;
    return status;
}

/* The input for choosing the levels of spheres, or of images. */
static level_input level_input_of(const abut_pairs *pairs, const double *reaches, abut_index count)
{
    return (level_input){.reaches = reaches,
                         .count = count,
                         .workers = pairs->query.workers,
                         .memory = &pairs->memory->levels};
}

/* Sets the levels for the spheres in the grid. These are the query's own spheres, or else the
 * others. */
static abut_status set_levels(abut_pairs *pairs, abut_error *error)
{
    const row_set *set = pairs->second_set;
    if (set == &pairs->own) {
        pairs->levels = pairs->finder->levels;
        return ABUT_OK;
    }
    abut_index index = 0;
    const level_input input = level_input_of(pairs, set->reaches, set->count);
    abut_status status = finder_set_levels(pairs->finder, &input, &pairs->levels, &index);
    if (status == ABUT_SIZE_TOO_SMALL) {
        finder_report_size(error, status, index, set->reaches[index], &pairs->levels);
        error->of_others = 1;
    }
    return status;
}

static abut_status read_others(abut_pairs *pairs, abut_error *error)
{
    if (pairs->second_set == &pairs->own) {
        return set_levels(pairs, error);
    }
    if (pairs->others.count > INT32_MAX) {
        return error_set(error, ABUT_TOO_MANY_SPHERES, pairs->others.count, 0, 0.0);
    }
    const abut_status status = copy_sizes(pairs, error);
    return status ? status : set_levels(pairs, error);
}

/* ---- the grid ---- */

static grid_plan plan_grid(const abut_pairs *pairs)
{
    const row_set *set = pairs->second_set;
    const bool is_own = set == &pairs->own;
    const row_bounds *bounds = is_own ? &set->bounds : &set->item_bounds;
    grid_plan plan = {.rows = set->rows,
                      .count = pairs->grid_count,
                      .sizes = pairs->levels.sizes,
                      .reaches = pairs->levels.reaches,
                      .populations = pairs->levels.populations,
                      .level_count = pairs->levels.count,
                      .has_lookers =
                          pairs->levels.count > 1 || !is_own || set->item_count > set->count,
                      .workers = pairs->query.workers,
                      .interrupted = pairs->query.interrupted,
                      .interrupted_data = pairs->query.interrupted_data};
    const row_bounds *own = &pairs->own.item_bounds;
    for (int axis = 0; axis < 3; axis++) {
        const double low = bounds->low[axis], high = bounds->high[axis];
        plan.low[axis] = low, plan.high[axis] = high;
        plan.all_low[axis] = low < own->low[axis] ? low : own->low[axis];
        plan.all_high[axis] = high > own->high[axis] ? high : own->high[axis];
    }
    const double own_reach = levels_reach(&pairs->finder->levels);
    const double reach = levels_reach(&pairs->levels);
    plan.all_reach = own_reach > reach ? own_reach : reach;
    return plan;
}

/* Sets levels for the items in the grid, if these include copies. Copies are a little larger than
 * their spheres, and may be too large for the last level. */
static abut_status set_item_levels(abut_pairs *pairs)
{
    row_set *set = &pairs->others;
    double *reaches =
        memory_reserve(&set->memory->blocks[SET_ITEM_REACHES], set->item_count, sizeof *reaches);
    if (!reaches) {
        return ABUT_NO_MEMORY;
    }
    double largest = 0.0;
    for (abut_index k = 0; k < set->item_count; k++) {
        reaches[k] = set->rows[k].reach;
        largest = larger(largest, reaches[k]);
    }
    pairs->grid_reaches = reaches;
    level_input input = level_input_of(pairs, reaches, set->item_count);
    return finder_widen_levels(pairs->finder, &input, 2.0 * largest, &pairs->levels);
}

static void find_least(const void *context, abut_index begin, abut_index end, void *part)
{
    const double *reaches = context;
    double *least = part;
    for (abut_index k = begin; k < end; k++) {
        *least = smaller(*least, reaches[k]);
    }
}

static void join_least(void *total, const void *part)
{
    *(double *)total = smaller(*(double *)total, *(const double *)part);
}

/* Sets the bounds of the reaches of all spheres; `most` is the largest one. */
static void bound_reaches(abut_pairs *pairs, double most)
{
    pairs->most_reach = pairs->least_reach = most;
    pairs->inv_most_reach = (1.0 - 0x1p-50) / most;
    const row_set *sets[2] = {&pairs->own, &pairs->others};
    for (int k = 0; k < 2; k++) {
        const parallel_folding folding = {find_least, join_least, sets[k]->reaches, &most,
                                          sizeof most};
        double least = most;
        parallel_fold(pairs->query.workers, sets[k]->count, sets[k]->count / 8, &folding, &least);
        pairs->least_reach = smaller(least, pairs->least_reach);
    }
}

/* Makes the copies of all spheres. The grid holds those of the others, since pairs of the query's
 * own spheres are found by the copies of one of both. */
static abut_status make_copies(abut_pairs *pairs, abut_error *error)
{
    const double own = levels_reach(&pairs->finder->levels), second = levels_reach(&pairs->levels);
    if (!pairs->finder->lattice.is_periodic) {
        return ABUT_OK;
    }
    if (pairs_may_touch_twice(pairs, own + second)) {
        pairs->image_pair_limit = copies_pair_limit(pairs);
    }
    bound_reaches(pairs, larger(own, second));
    abut_status status = copies_make(pairs, &pairs->own, error);
    if (!status && pairs->second_set == &pairs->others) {
        status = copies_make(pairs, &pairs->others, error);
        pairs->grid_count = pairs->others.item_count;
        status = status ? status : set_item_levels(pairs);
    }
    return status;
}

/* Sets a level for each octave of sizes of the grid's items. */
static void set_octaves(abut_pairs *pairs)
{
    finder_set_octaves(pairs->grid_reaches, pairs->grid_count, &pairs->levels);
}

static abut_status fill_grid(abut_pairs *pairs)
{
    const grid_plan plan = plan_grid(pairs);
    return cells_fill(&pairs->memory->grid, &plan);
}

/* Above this occupancy (see grid.h), cells are too crowded: the work model of grid_levels.c expects
 * far fewer spheres in a cell. */
#define MOST_OCCUPANCY 64.0

/* After a query with crowded cells, this many queries begin with a level for each octave. */
enum { OCTAVE_QUERIES = 64 };

/* Whether this query uses a level for each octave from the start. Counts such queries down. */
static bool takes_octaves(pair_leftovers *leftovers)
{
    int left = atomic_load(&leftovers->octave_queries);
    while (left > 0) {
        if (atomic_compare_exchange_weak(&leftovers->octave_queries, &left, left - 1)) {
            return true;
        }
    }
    return false;
}

/* Fills the grid with a level for each octave of sizes. This is for sizes that vary from place to
 * place, such as dust in one corner. Then cells hold few spheres on average, but far too many
 * there. */
static abut_status refine_levels(abut_pairs *pairs)
{
    const level_set before = pairs->levels;
    set_octaves(pairs);
    if (pairs->levels.count <= before.count) {
        pairs->levels = before; /* the grid has as many levels already */
        return ABUT_OK;
    }
    atomic_store(&pairs->finder->leftovers->octave_queries, OCTAVE_QUERIES);
    return fill_grid(pairs);
}

/* Fills the grid. If its cells are too crowded, fills it again with a level for each octave. */
static abut_status build_grid(abut_pairs *pairs, abut_error *error)
{
    const abut_pair_finder *finder = pairs->finder;
    const bool may_choose = !finder->has_sizes && finder->wanted_levels == 0;
    const bool has_octaves = may_choose && takes_octaves(finder->leftovers);
    pairs->grid_reaches = pairs->second_set->reaches;
    pairs->grid_count = pairs->second_set->count;
    abut_status status = make_copies(pairs, error);
    if (!status && has_octaves) {
        set_octaves(pairs);
    }
    status = status ? status : fill_grid(pairs);
    const bool is_overfull = !status && pairs->memory->grid.occupancy > MOST_OCCUPANCY;
    return is_overfull && may_choose && !has_octaves ? refine_levels(pairs) : status;
}

static abut_status find_pairs(abut_pairs *pairs, abut_error *error)
{
    abut_status status = read_others(pairs, error);
    status = status ? status : gather_rows(pairs, error);
    lists_choose_blocks(pairs);
    if (!status && pairs->own.count > 0 && pairs->second_set->count > 0) {
        status = build_grid(pairs, error);
        status = status ? status : search_grid(pairs);
        if (status == ABUT_PERIOD_TOO_SHORT) {
            status = copies_report_many(pairs, error);
        }
        pairs->is_searched = !status;
    }
    status = status ? status : lists_make(pairs);
    pairs->is_done = !status;
    return status;
}

/* The arguments and the result of find_pairs, for parallel_together. */
typedef struct finding {
    abut_pairs *pairs;
    abut_error *error;
    abut_status status;
} finding;

static void find_together(void *context)
{
    finding *f = context;
    f->status = find_pairs(f->pairs, f->error);
}

abut_status abut_pairs_find(const abut_pair_finder *finder, const abut_pair_query *query,
                            abut_pairs **pairs, abut_error *error)
{
    abut_error found = {.status = ABUT_OK};
    *pairs = NULL;
    abut_pairs *made = make_pairs(finder, query);
    finding f = {.pairs = made, .error = &found, .status = ABUT_NO_MEMORY};
    if (made) {
        const abut_index spheres = made->own.count + made->others.count;
        parallel_together(query->workers, spheres * WORK_OF_SPHERE, find_together, &f);
    }
    const abut_status status = f.status;
    if (status) {
        found.status = status;
        abut_pairs_free(made);
    } else {
        *pairs = made;
    }
    if (error) {
        *error = found;
    }
    return status;
}
