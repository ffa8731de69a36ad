/* The second half of building a set of bins: the entries.
 *
 * Four passes:
 *
 * - find the cells of each facet, or of its slices;
 * - count the entries of each bucket;
 * - place the facets into their buckets;
 * - write the entries' boxes, in the order of buckets.
 *
 * New memory takes longer than arithmetic, so little is stored of a facet between the passes. */
#include <string.h>

#include "../base/memory.h"
#include "bin_levels.h"

/* The largest number of items of one oversized facet. */
enum { OVERSIZED_PARTS = 8 };

/* ---- facets into cells ---- */

static level_scale make_scale(const bin_level *level, double reach)
{
    level_scale scale = {.inv_cell = level->inv_cell,
                         .reach_in_cells = reach * level->inv_cell,
                         .mask = level->mask,
                         .first = level->first};
    scale.reach = floor(reach * level->inv_cell * UNITS_PER_CELL) + 1.0;
    for (int axis = 0; axis < 3; axis++) {
        scale.stride[axis] = level->stride[axis];
        for (int bit = 0; bit < ITEM_CELLS; bit++) {
            scale.steps[bit] += cell_along(bit, axis) * level->stride[axis];
        }
    }
    return scale;
}

/* Sets the bounds of a facet along its normal, measured from the lower corner of its box in the
 * block. With a normal of 0 the facet may be anywhere in the box. */
static void set_heights(const abut_mesh *mesh, facet_block *block, int i)
{
    abut_index facet = block->facet[i];
    const box bounds = block_box(block, i);
    vec3 normal = mesh_normal(mesh, facet), low = vec3_load(bounds.low);
    block->normal[0][i] = normal.x, block->normal[1][i] = normal.y, block->normal[2][i] = normal.z;
    block->below[i] = INFINITY, block->above[i] = -INFINITY;
    for (int32_t k = mesh->fans[facet]; k < mesh->fans[facet + 1]; k++) {
        for (int corner = 0; corner < 3; corner++) {
            double height = vec3_dot(normal, vec3_sub(mesh->triangles[k].corner[corner], low));
            block->below[i] = height < block->below[i] ? height : block->below[i];
            block->above[i] = height > block->above[i] ? height : block->above[i];
        }
    }
}

/* Sets the boxes of a block, unless it has slices: their boxes are known. Sets the facets' bounds
 * along their normals. */
static void find_heights(const builder *b, facet_block *block)
{
    const bool is_sliced = b->slicing.most > 0;
    if (source_triangles(b) && !is_sliced) {
        b->kernels->filling_heights(source_triangles(b), block);
        return;
    }
    for (int i = 0; i < block->count; i++) {
        if (!is_sliced) {
            const box bounds = mesh_box(b->mesh, block->facet[i]);
            block_set_box(block, i, &bounds);
        }
        set_heights(b->mesh, block, i);
    }
}

/* Grows boxes and bounds, so that they hold the facets when vertices move by up to the slack.
 * Heights are measured from the boxes' lower corners, which move as well. */
static void grow_block(facet_block *block, double slack)
{
    for (int i = 0; i < FILLING_BLOCK; i++) {
        const double up = slack * (block->normal[0][i] + block->normal[1][i] + block->normal[2][i]);
        block->below[i] += up - slack, block->above[i] += up + slack;
        for (int axis = 0; axis < 3; axis++) {
            block->low[axis][i] -= slack, block->high[axis][i] += slack;
        }
    }
}

/* Places the facets that wait in a level's block. */
static void flush(builder *b, int32_t level)
{
    facet_block *block = &b->blocks[level];
    level_plan *plan = &b->plans[level];
    for (int i = block->count; i < FILLING_BLOCK; i++) {
        block->facet[i] = block->facet[0];
        block->step[i] = 0;
    }
    find_heights(b, block);
    if (b->set->slack > 0.0) {
        grow_block(block, b->set->slack);
    }
    b->kernels->filling_place(block, &plan->scale, b->items + plan->first_item + plan->item_count);
    plan->item_count += block->count;
    block->count = 0;
}

static inline void add_part(builder *b, int32_t level, abut_index facet, int32_t step)
{
    facet_block *block = &b->blocks[level];
    block->facet[block->count] = (int32_t)facet;
    block->step[block->count++] = step;
    if (block->count == FILLING_BLOCK) {
        flush(b, level);
    }
}

/* Adds a facet that may be in more cells along an axis than one item can have. Along such an axis
 * it becomes two items, side by side, without common cells. */
static void add_oversized(builder *b, int32_t level, abut_index facet)
{
    const level_scale *scale = &b->plans[level].scale;
    box bounds = source_box(b, facet);
    int32_t divided = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = bounds.low[axis] - b->set->slack, high = bounds.high[axis] + b->set->slack;
        double first = first_cell(low_in_units(low, scale), scale);
        double last = last_cell(high_in_units(high, scale), scale);
        divided |= (last - first >= CELL_SPAN) << axis;
    }
    for (int32_t step = 0; step < OVERSIZED_PARTS; step++) {
        if ((step & ~divided) == 0) {
            add_part(b, level, facet, step);
        }
    }
}

static void add_slices(builder *b, int32_t level, abut_index facet)
{
    const box bounds = mesh_box(b->mesh, facet);
    const int32_t count = slices_count(&b->slicing, b->mesh, facet, box_extent(&bounds));
    for (int32_t k = 0; k < count; k++) {
        const box slice = slices_box(b->mesh, facet, count, k);
        block_set_box(&b->blocks[level], b->blocks[level].count, &slice);
        add_part(b, level, facet, 0);
    }
}

static void place_facets(builder *b)
{
    for (abut_index f = 0; f < source_count(b); f++) {
        if (b->numbers[f] == FAR_AWAY) {
            continue;
        }
        const size_class *class = &b->classes[b->numbers[f]];
        if (b->slicing.most > 0) {
            add_slices(b, class->level, f);
        } else if (class->is_oversized) {
            add_oversized(b, class->level, f);
        } else {
            add_part(b, class->level, f, 0);
        }
    }
    for (int32_t level = 0; level < b->set->level_count; level++) {
        if (b->blocks[level].count > 0) {
            flush(b, level);
        }
    }
}

/* Plans where each level's items begin. Returns the largest possible number of items. */
static abut_index plan_items(builder *b)
{
    abut_index all = 0;
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        const size_class *class = &b->classes[k];
        if (class->count > 0) {
            level_plan *plan = &b->plans[class->level];
            plan->scale = make_scale(&b->set->levels[class->level], b->reach);
            plan->first_item = all;
            all += class->count + (OVERSIZED_PARTS - 1) * class->oversized_count;
        }
    }
    return all;
}

static bool build_items(builder *b)
{
    int32_t levels = b->set->level_count;
    memory_free(b->blocks);
    b->blocks = memory_alloc_zeroed(levels, sizeof *b->blocks);
    b->plans = memory_alloc_zeroed(levels, sizeof *b->plans);
    abut_index count = b->plans ? plan_items(b) : INT32_MAX;
    b->items = count < INT32_MAX ? memory_alloc(count, sizeof *b->items) : NULL;
    if (!b->blocks || !b->items) {
        return false;
    }
    place_facets(b);
    return true;
}

/* ---- entries ---- */

static inline int lowest_bit(uint32_t bits)
{
    return __builtin_ctz(bits);
}

/* The bucket of an item's cell `bit`, given that of its first cell. */
static inline uint32_t bucket_at(const level_scale *scale, uint32_t first, int bit)
{
    return scale->first + ((first + scale->steps[bit]) & scale->mask);
}

/* Counts how many entries each bucket of a level has, in ends[bucket]. */
static void count_entries(const builder *b, int32_t level, uint32_t *ends)
{
    const level_plan *plan = &b->plans[level];
    const level_scale scale = plan->scale;
    const bin_item *item = b->items + plan->first_item, *end = item + plan->item_count;
    for (; item < end; item++) {
        for (uint32_t left = item->cells; left; left &= left - 1) {
            ends[bucket_at(&scale, item->bucket, lowest_bit(left))]++;
        }
    }
}

/* Replaces the counts of BINS_WORD buckets by the numbers of their first entries, and adds the
 * counts to *total. Returns a bit for each bucket, set if it is occupied. */
static uint32_t sum_word(uint32_t *ends, int64_t *total)
{
    uint32_t bits = 0;
    for (int i = 0; i < BINS_WORD; i++) {
        uint32_t count = ends[i];
        bits |= (uint32_t)(count > 0) << i;
        ends[i] = (uint32_t)*total;
        *total += count;
    }
    return bits;
}

/* Replaces the count of each bucket by the number of its first entry, which fill_entries later
 * moves to the bucket's end. Marks occupied buckets. Most words of buckets are empty; vector code
 * finds and writes these. Returns the number of entries. */
static int64_t sum_counts(bins *set)
{
    uint32_t *ends = set->begins + 1;
    int64_t total = 0;
    for (int64_t begin = 0; begin < set->bucket_count; begin += BINS_WORD) {
        uint32_t any = 0, sum = (uint32_t)total;
        for (int i = 0; i < BINS_WORD; i++) {
            any |= ends[begin + i];
        }
        if (any) {
            set->occupied[begin / BINS_WORD] = sum_word(ends + begin, &total);
            continue;
        }
        for (int i = 0; i < BINS_WORD; i++) {
            ends[begin + i] = sum;
        }
    }
    return total;
}

/* Writes into each entry of a level the number of its item, and into low[0] the number of its
 * cell's bit in the item's `cells`. */
static void fill_entries(const builder *b, int32_t level, uint32_t *ends)
{
    const level_plan *plan = &b->plans[level];
    const level_scale scale = plan->scale;
    int32_t *items = b->set->facet;
    uint16_t *cells = b->set->low[0];
    for (abut_index k = plan->first_item; k < plan->first_item + plan->item_count; k++) {
        uint32_t bucket = b->items[k].bucket;
        for (uint32_t left = b->items[k].cells; left; left &= left - 1) {
            int bit = lowest_bit(left);
            uint32_t entry = ends[bucket_at(&scale, bucket, bit)]++;
            items[entry] = (int32_t)k;
            cells[entry] = (uint16_t)bit;
        }
    }
}

static void finish_entries(const builder *b)
{
    const bins *set = b->set;
    entries_to_fill entries = {.count = set->entry_count, .items = b->items, .facet = set->facet};
    for (int axis = 0; axis < 3; axis++) {
        entries.low[axis] = set->low[axis];
        entries.high[axis] = set->high[axis];
    }
    b->kernels->filling_finish(&entries);
}

/* Copies the box of entry `from` to entry `to`. If both are of the same facet, joins their
 * boxes. */
static void join_entry(bins *set, uint32_t to, uint32_t from, bool is_same)
{
    for (int axis = 0; axis < 3; axis++) {
        uint16_t low = set->low[axis][from], high = set->high[axis][from];
        if (is_same) {
            low = low < set->low[axis][to] ? low : set->low[axis][to];
            high = high > set->high[axis][to] ? high : set->high[axis][to];
        }
        set->low[axis][to] = low;
        set->high[axis][to] = high;
    }
}

/* Replaces pieces by their facets, and joins neighboring pieces or slices of one facet in a bucket
 * into one entry. Returns the number of entries that remain. */
static uint32_t join_parts(const builder *b)
{
    bins *set = b->set;
    uint32_t count = 0, from = 0;
    for (int64_t bucket = 0; bucket < set->bucket_count; bucket++) {
        uint32_t first = count, end = set->begins[bucket + 1];
        for (; from < end; from++) {
            int32_t facet = source_facet(b, set->facet[from]);
            bool is_same = count > first && set->facet[count - 1] == facet;
            join_entry(set, is_same ? count - 1 : count, from, is_same);
            count += !is_same;
            set->facet[count - 1] = facet;
        }
        set->begins[bucket + 1] = count;
    }
    return count;
}

/* Releases the memory of all but `count` entries. */
static bool shrink_entries(bins *set, int64_t count)
{
    const bins large = *set;
    if (!bins_allocate_entries(set, count)) {
        set->facet = large.facet;
        return false;
    }
    memcpy(set->facet, large.facet, (size_t)count * sizeof *set->facet);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(set->low[axis], large.low[axis], (size_t)count * sizeof *set->low[axis]);
        memcpy(set->high[axis], large.high[axis], (size_t)count * sizeof *set->high[axis]);
    }
    memory_free(large.facet);
    return true;
}

/* Makes the entries: a counting sort of the items by bucket. */
static bool build_entries(builder *b)
{
    bins *set = b->set;
    if (!bins_allocate_buckets(set, set->bucket_count)) {
        return false;
    }
    uint32_t *ends = set->begins + 1;
    for (int32_t level = 0; level < set->level_count; level++) {
        count_entries(b, level, ends);
    }
    int64_t total = sum_counts(set);
    if (total > UINT32_MAX || !bins_allocate_entries(set, total)) {
        return false;
    }
    for (int32_t level = 0; level < set->level_count; level++) {
        fill_entries(b, level, ends);
    }
    finish_entries(b);
    if (b->pieces.items || b->slicing.most > 0) {
        memory_free(b->items);
        b->items = NULL;
        return shrink_entries(set, join_parts(b));
    }
    return true;
}

/* ---- sets ---- */

static bool allocate_builder(builder *b)
{
    b->set = memory_alloc_zeroed(1, sizeof *b->set);
    b->classes = memory_alloc(EXPONENT_COUNT, sizeof *b->classes);
    b->numbers = memory_alloc(source_count(b), sizeof *b->numbers);
    b->blocks = memory_alloc(1, sizeof *b->blocks);
    if (b->set) {
        b->set->slack = b->near->slack;
    }
    return b->set && b->classes && b->numbers && b->blocks;
}

/* Builds the set and frees all other memory of the builder; NULL if there is no memory. */
static bins *build(builder *b)
{
    b->margin = b->reach + b->near->slack;
    bool done = allocate_builder(b) && bins_build_levels(b) && build_items(b) && build_entries(b);
    memory_free(b->pieces.items);
    memory_free(b->classes);
    memory_free(b->numbers);
    memory_free(b->plans);
    memory_free(b->items);
    memory_free(b->blocks);
    if (done) {
        return b->set;
    }
    bins_free(b->set);
    return NULL;
}

bins *bins_build(const abut_mesh *mesh, double reach, const vicinity *near)
{
    builder b = {.mesh = mesh, .near = near, .reach = reach, .kernels = filling_take()};
    b.look_candidates = LOOK_CANDIDATES;
    b.coarse_candidates = COARSE_CANDIDATES;
    b.slicing = slices_choose(mesh, reach);
    return build(&b);
}

bins *bins_build_fine(const abut_mesh *mesh, double reach, const vicinity *near)
{
    builder b = {.mesh = mesh, .near = near, .reach = reach, .kernels = filling_take()};
    b.look_candidates = FINE_LOOK_CANDIDATES;
    b.coarse_candidates = FINE_CANDIDATES;
    b.slicing = slices_choose(mesh, reach);
    if (b.slicing.most == 0 && pieces_expected(mesh, reach) > 0.0 &&
        pieces_build(&b.pieces, mesh, reach)) {
        memory_free(b.pieces.items);
        return NULL;
    }
    return build(&b);
}
