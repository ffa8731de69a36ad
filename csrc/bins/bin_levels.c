/* The levels of a set of bins and their grids.
 *
 * Facets of similar size share a level if their common cells cost a sphere less than another
 * look. */
#include "bin_levels.h"

#include <string.h>

#include "../base/memory.h"
#include "../mesh/tolerance.h"

/* Numbers of cells are at most 2^CELL_NUMBER_BITS. A unit of a cell is then larger than the
 * rounding of the exact distance. */
enum { CELL_NUMBER_BITS = 36 };

/* Buckets for each facet of a level. In addition, all levels together have one bucket for every
 * FACETS_PER_BUCKET facets of the mesh, so that buckets of a large level with few facets are not
 * full. A closed surface 100 cells long, with one facet a cell, has a bucket for each cell of its
 * bounds. */
enum { BUCKETS_PER_FACET = 24, FACETS_PER_BUCKET = 2 };

/* Length in cells of a row if cells repeat, divided by the cube root of the number of buckets. */
#define ROW_STRETCH 1.31

/* If large facets make up most of a mesh, most spheres are at large facets; but all spheres may be
 * at small ones. So for a sphere at the facets of a class, merging this class or doubling its cells
 * must not add more candidates than these limits. */
#define MERGED_CANDIDATES 1024.0
#define DOUBLED_CANDIDATES 128.0

/* Oversized facets are in smaller cells than their size needs. They must have at most this fraction
 * of the entries that the level's other facets have. */
#define OVERSIZED_ENTRIES 0.5

/* Extents are enlarged by this part before a cell is chosen, for rounding to units of the cell. */
#define GROWN_SLACK 0x1p-10

static double source_area(const builder *b, abut_index number)
{
    return b->pieces.items ? triangle_area(&b->pieces.items[number]) : b->mesh->view.areas[number];
}

/* The extent that decides a facet's level. All pieces of a facet count as large as its largest
 * piece (`noise` in pieces.h), so that all of them are in one level. A sphere then finds the facet
 * once. */
static double source_extent(const builder *b, abut_index number, const box *bounds)
{
    return b->pieces.items ? b->pieces.items[number].noise : box_extent(bounds);
}

/* ---- sizes ---- */

/* Equals ilogb for positive normal numbers, but calls no function. */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52) - 1023;
}

/* The class of a facet: its grown box has an extent in [cell, 2 cell). Far from the origin cells
 * are larger, so that their numbers have at most CELL_NUMBER_BITS bits. */
static int class_of(double extent, double farthest)
{
    int by_size = exponent_of(extent + GROWN_SLACK * extent);
    int by_place = exponent_of(farthest) + 1 - CELL_NUMBER_BITS;
    int exponent = by_size > by_place ? by_size : by_place;
    return exponent > EXPONENT_LOW ? exponent - EXPONENT_LOW : 0;
}

/* Adds facet i of a block to the class of its size. */
static void measure_item(builder *b, const facet_block *block, int i)
{
    box bounds = block_box(block, i);
    if (!vicinity_has(b->near, &bounds)) {
        b->numbers[block->facet[i]] = FAR_AWAY;
        return;
    }
    const double whole = source_extent(b, block->facet[i], &bounds);
    const int32_t parts = slices_count(&b->slicing, b->mesh, block->facet[i], whole);
    double extent = slices_extent(b->mesh, block->facet[i], whole, parts) + 2.0 * b->margin;
    double farthest =
        fabs(bounds.low[0]) + fabs(bounds.low[1]) + fabs(bounds.low[2]) + whole + 2.0 * b->margin;
    int number = class_of(extent, farthest);
    size_class *class = &b->classes[number];
    class->facet_count++;
    class->count += parts;
    class->extent += extent * parts;
    class->area += source_area(b, block->facet[i]);
    box_include(&class->bounds, &bounds);
    b->numbers[block->facet[i]] = (uint16_t)number;
    b->near_count++;
}

static void find_boxes(const builder *b, facet_block *block)
{
    if (source_triangles(b)) {
        b->kernels->filling_boxes(source_triangles(b), block);
        return;
    }
    for (int i = 0; i < block->count; i++) {
        box bounds = source_box(b, block->facet[i]);
        block_set_box(block, i, &bounds);
    }
}

static void measure_sizes(builder *b)
{
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        b->classes[k] = (size_class){.bounds = box_empty()};
    }
    facet_block *block = b->blocks;
    abut_index facets = source_count(b);
    for (abut_index first = 0; first < facets; first += FILLING_BLOCK) {
        abut_index left = facets - first;
        block->count = left < FILLING_BLOCK ? (int32_t)left : FILLING_BLOCK;
        for (int i = 0; i < FILLING_BLOCK; i++) {
            block->facet[i] = (int32_t)(first + (i < left ? i : 0));
        }
        find_boxes(b, block);
        for (int i = 0; i < block->count; i++) {
            measure_item(b, block, i);
        }
    }
}

/* ---- levels ---- */

static double cell_of_class(int number)
{
    return ldexp(1.0, number + EXPONENT_LOW);
}

/* The cost of coarser cells, in candidates times area.
 *
 * A facet with grown extent e is in cells of side c that cover about (e + c)^2 of the surface. So a
 * sphere at the mesh has about S / A candidates, where S is the sum of (e + c)^2 over the class. A
 * is the area of the mesh for a sphere anywhere, and that of the class for a sphere at its facets.
 * The cost is the growth of S. */
static double coarse_cost(const size_class *fine, double cell, double coarse_cell)
{
    double sum = 2.0 * fine->extent + (double)fine->count * (cell + coarse_cell);
    return (coarse_cell - cell) * sum;
}

/* Whether to merge a class into the next one's cells. A sphere gets at most as many candidates more
 * as the class has items. */
static bool is_better_merged(const size_class *fine, double cell, double coarse_cell, double area,
                             double candidates)
{
    const double cost = coarse_cost(fine, cell, coarse_cell), count = (double)fine->count;
    return cost <= candidates * area &&
           (count <= MERGED_CANDIDATES || cost <= MERGED_CANDIDATES * fine->mean_area * count);
}

/* Whether cells twice as large are better. For slices they always are: neighboring slices then
 * often become one entry. */
static bool is_better_doubled(const size_class *class, double cell, double area, double candidates)
{
    const double cost = coarse_cost(class, cell, 2.0 * cell);
    return class->count > class->facet_count ||
           (cost <= candidates * area &&
            cost <= DOUBLED_CANDIDATES * class->mean_area * (double)class->count);
}

static void merge_classes(size_class *into, size_class *from)
{
    into->count += from->count;
    into->facet_count += from->facet_count;
    into->extent += from->extent;
    into->mean_area = from->mean_area < into->mean_area ? from->mean_area : into->mean_area;
    box_include(&into->bounds, &from->bounds);
    into->oversized_count += from->oversized_count;
    from->count = 0;
}

/* Whether to put the facets of the next class into this class' cells. Each facet is at most 4 cells
 * long. Putting them there saves a look, and adds few entries. */
static bool is_better_fine(const size_class *fine, const size_class *coarse, double cell)
{
    double fine_side = fine->extent / cell + (double)fine->count;
    double coarse_side = coarse->extent / cell + (double)coarse->count;
    double farthest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        farthest = fmax(farthest, fmax(-coarse->bounds.low[axis], coarse->bounds.high[axis]));
    }
    return farthest <= ldexp(cell, CELL_NUMBER_BITS - 1) &&
           coarse_side * coarse_side * (double)fine->count <=
               OVERSIZED_ENTRIES * fine_side * fine_side * (double)coarse->count;
}

/* Merges classes, from the finest on, and numbers the levels. A class that is put into the cells of
 * another class has the same level. */
static void choose_levels(builder *b, double area)
{
    int32_t *count = &b->set->level_count;
    int last = -1;
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        size_class *class = &b->classes[k], *fine = &b->classes[last < 0 ? k : last];
        if (class->count == 0) {
            continue;
        }
        if (last >= 0 && is_better_merged(fine, cell_of_class(last), cell_of_class(k), area,
                                          b->look_candidates)) {
            merge_classes(class, fine);
            --*count;
        } else if (last >= 0 && last == k - 1 && b->slicing.most == 0 &&
                   is_better_fine(fine, class, cell_of_class(last))) {
            fine->oversized_count += class->count;
            class->is_oversized = true;
            class->level = fine->level;
            merge_classes(fine, class);
            continue;
        }
        class->level = (*count)++;
        last = k;
    }
}

/* Chooses the cell size of each level. */
static void choose_cells(builder *b, double area)
{
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        size_class *class = &b->classes[k];
        class->cell = cell_of_class(k);
        if (class->count > 0 && is_better_doubled(class, class->cell, area, b->coarse_candidates)) {
            class->cell *= 2.0;
        }
    }
}

/* The largest power of two within the limit, but at least BUCKETS_LOW and at most BUCKETS_HIGH. */
static uint32_t choose_bucket_count(double limit)
{
    uint32_t buckets = BUCKETS_LOW;
    limit = limit < BUCKETS_HIGH ? limit : BUCKETS_HIGH;
    while (2.0 * buckets <= limit) {
        buckets *= 2;
    }
    return buckets;
}

/* Rows are not a round number of cells long, so that opposite walls do not share buckets. */
void bins_repeat_cells(bin_level *level, uint32_t buckets)
{
    double row = ROW_STRETCH * cbrt(buckets);
    level->mask = buckets - 1;
    level->stride[0] = 1;
    level->stride[1] = (uint32_t)row;
    level->stride[2] = (uint32_t)(row * row);
}

/* Gives each cell of the level's bounds a bucket, row by row, if these are not too many. Otherwise
 * cells repeat. The level's buckets begin with number `first`; returns how many there are. */
static uint32_t choose_grid(bin_level *level, uint32_t first, double bucket_limit)
{
    double begin[3], cells[3];
    bins_find_cells(level, begin, cells);
    double all = cells[0] * cells[1] * cells[2];
    level->first = first;
    if (!(all <= BUCKETS_LOW || (all <= bucket_limit && all <= BUCKETS_HIGH))) {
        bins_repeat_cells(level, choose_bucket_count(bucket_limit));
        return level->mask + 1;
    }
    level->mask = UINT32_MAX;
    level->stride[0] = 1;
    level->stride[1] = (uint32_t)cells[0];
    level->stride[2] = (uint32_t)(cells[0] * cells[1]);
    for (int axis = 0; axis < 3; axis++) {
        level->first -= (uint32_t)(int64_t)begin[axis] * level->stride[axis];
    }
    return ((uint32_t)all + BINS_WORD - 1) / BINS_WORD * BINS_WORD;
}

/* Adds the level of a class to the set. */
static void add_level(const builder *b, const size_class *class)
{
    bin_level level = {.inv_cell = 1.0 / class->cell};
    for (int axis = 0; axis < 3; axis++) {
        double low = class->bounds.low[axis], high = class->bounds.high[axis];
        double slack = b->margin + CULL_SLACK * (b->margin + fabs(low) + fabs(high));
        level.low[axis] = low - slack;
        level.high[axis] = high + slack;
    }
    double all = (double)b->near_count;
    double limit = BUCKETS_PER_FACET * (double)class->facet_count +
                   all / (FACETS_PER_BUCKET * b->set->level_count);
    b->set->bucket_count += choose_grid(&level, (uint32_t)b->set->bucket_count, limit);
    b->set->levels[class->level] = level;
}

/* Returns the sum of the areas of all classes, and sets the mean area of an item of each class. */
static double sum_areas(builder *b)
{
    double area = 0.0;
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        size_class *class = &b->classes[k];
        area += class->area;
        class->mean_area = class->count > 0 ? class->area / (double)class->count : 0.0;
    }
    return area;
}

bool bins_build_levels(builder *b)
{
    measure_sizes(b);
    double area = sum_areas(b);
    choose_levels(b, area);
    choose_cells(b, area);
    bins *set = b->set;
    set->levels = memory_alloc(set->level_count, sizeof *set->levels);
    if (!set->levels) {
        return false;
    }
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        const size_class *class = &b->classes[k];
        if (class->count > 0) {
            add_level(b, class);
        }
    }
    return set->bucket_count < UINT32_MAX;
}
