/* Which facets may touch a sphere here.
 *
 * Five passes: the sizes of the facets, from which levels and their grids
 * follow; each facet's cells, or those of its slices; how many entries each
 * bucket gets; facets into their buckets, where the counts say; and the
 * entries' boxes, in the order of the buckets. New memory takes longer than the arithmetic, so what
 * is kept of a facet between the passes is small. */
#include "bins.h"

#include <string.h>

#include "../base/memory.h"
#include "../mesh/tolerance.h"
#include "pieces.h"
#include "slices.h"

/* Cells are numbered up to this power of two from the origin: a unit of a cell
 * is then more than what the exact distance rounds by. */
enum { CELL_NUMBER_BITS = 36 };

/* Exponents of cells: all that grown boxes can have but for tiny ones, whose
 * inverse cell would not be finite. */
enum { EXPONENT_LOW = -1000, EXPONENT_COUNT = 1300 };

/* Buckets of a level: with fewer, which take too little to save, cells of one facet may meet where
 * they repeat. */
enum { BUCKETS_LOW = 256, BUCKETS_HIGH = 1 << 28 };

/* Buckets of one word of bins.occupied: levels have whole words. */
enum { WORD = 32 };

/* Buckets for each facet of a level, and beside, for all levels, a part of one
 * for each facet of the mesh, so that few facets in a wide level do not fill
 * their buckets. A closed surface of one facet a cell that is 100 cells long
 * has a bucket for each cell of its bounds. */
enum { BUCKETS_PER_FACET = 24, FACETS_PER_BUCKET = 2 };

/* Cells in a row where they repeat, beside the cube root of the buckets. */
#define ROW_STRETCH 1.31

/* What a look at one level more takes, in candidates; and where small cells save exact tests beside
 * them. */
#define LOOK_CANDIDATES 40.0
#define FINE_LOOK_CANDIDATES 24.0

/* Cells twice as large are better where they cost a sphere at the mesh no more candidates than
 * this: fewer entries stay closer to the processor and are built faster. No more than a look takes,
 * or levels would not be merged that have the same cells then. Where a set is used so much that its
 * build does not count, no candidate is spent on that. */
#define COARSE_CANDIDATES 40.0
#define FINE_CANDIDATES 0.0

/* Where large facets make up most of a mesh, cells for spheres anywhere on it are cells for those
 * at the large ones; but all may be at the small ones. So no sphere at the facets of a level that
 * is merged has more candidates than this for it, nor at those whose cells become twice as large.
 */
#define MERGED_CANDIDATES 1024.0
#define DOUBLED_CANDIDATES 128.0

/* An entry's facet and box. */
enum { ENTRY_BYTES = sizeof(int32_t) + 6 * sizeof(uint16_t) };

/* Items that a facet which is in smaller cells may be; and the part of a
 * level's entries that such facets may have. */
enum { WIDE_PARTS = 8 };
#define WIDE_ENTRIES 0.5

/* By how much a grown box is larger for this, beside its extent: cells have
 * 2^14 units. */
#define GROWN_SLACK 0x1p-10

/* Facets whose grown boxes are as large as one cell. */
typedef struct size_class {
    abut_index count, facet_count; /* slices count one by one, but where facets do */
    double extent;                 /* sum of the grown boxes' */
    double area;                   /* sum of the facets' */
    double share;                  /* the mean area of one; of classes that were merged the least */
    box bounds;
    int32_t level;
    abut_index wide_count; /* facets of the next class that are in it, too */
    double cell;           /* of its level */
    bool is_wide;          /* it is in the class before, whose cells are half as large */
} size_class;

/* The facets of a level and where they are. */
typedef struct level_plan {
    level_scale scale;
    abut_index first_item, item_count;
} level_plan;

/* A set on its way. */
typedef struct builder {
    const abut_mesh *mesh;
    double reach;
    double look_candidates, coarse_candidates; /* what it spends on fewer levels, on fewer cells */
    pieces pieces;   /* what stands for the facets where they are cut; numbers are
                        theirs then */
    slicing slicing; /* else how they are sliced: then each is several items */
    const filling_kernels *kernels;
    bins *set;
    size_class *classes; /* EXPONENT_COUNT */
    uint16_t *numbers;   /* facet_count: of their classes */
    level_plan *plans;   /* level_count */
    bin_item *items;     /* those of a level side by side, in the order of facets */
    facet_block *blocks; /* level_count: facets that wait to be placed together */
} builder;

/* ---- facets, or their pieces ---- */

static abut_index source_count(const builder *b)
{
    return b->pieces.items ? b->pieces.count : b->mesh->view.facet_count;
}

/* One for each number; NULL where facets are polygons. */
static const triangle *source_triangles(const builder *b)
{
    if (b->pieces.items) {
        return b->pieces.items;
    }
    return mesh_is_triangles(b->mesh) ? b->mesh->triangles : NULL;
}

static box source_box(const builder *b, abut_index number)
{
    return b->pieces.items ? triangle_box(&b->pieces.items[number]) : mesh_box(b->mesh, number);
}

static double source_area(const builder *b, abut_index number)
{
    return b->pieces.items ? triangle_area(&b->pieces.items[number]) : b->mesh->view.areas[number];
}

/* All pieces of a facet are as large as the largest: they have to be in one
 * level, which names the facet once. */
static double source_extent(const builder *b, abut_index number, const box *own)
{
    return b->pieces.items ? b->pieces.items[number].noise : box_extent(own);
}

static int32_t source_facet(const builder *b, int32_t number)
{
    return b->pieces.items ? b->pieces.items[number].facet : number;
}

/* ---- sizes ---- */

/* ilogb without a call; of positive numbers. */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52) - 1023;
}

/* The class of a facet: its grown box has an extent in [cell, 2 cell), or the
 * cell is larger where numbers would be. */
static int class_of(double extent, double farthest)
{
    int by_size = exponent_of(extent + GROWN_SLACK * extent);
    int by_place = exponent_of(farthest) + 1 - CELL_NUMBER_BITS;
    int exponent = by_size > by_place ? by_size : by_place;
    return exponent > EXPONENT_LOW ? exponent - EXPONENT_LOW : 0;
}

static box box_of(const facet_block *block, int i)
{
    return (box){{block->low[0][i], block->low[1][i], block->low[2][i]},
                 {block->high[0][i], block->high[1][i], block->high[2][i]}};
}

static void measure_item(builder *b, const facet_block *block, int i)
{
    box own = box_of(block, i);
    const double whole = source_extent(b, block->facet[i], &own);
    const int32_t parts = slices_count(&b->slicing, b->mesh, block->facet[i], whole);
    double extent = slices_extent(b->mesh, block->facet[i], whole, parts) + 2.0 * b->reach;
    double farthest = fabs(own.low[0]) + fabs(own.low[1]) + fabs(own.low[2]) + extent;
    int number = class_of(extent, farthest);
    size_class *class = &b->classes[number];
    class->facet_count++;
    class->count += parts;
    class->extent += extent * parts;
    class->area += source_area(b, block->facet[i]);
    box_include(&class->bounds, &own);
    b->numbers[block->facet[i]] = (uint16_t)number;
}

static void set_box(facet_block *block, int i, const box *own)
{
    for (int axis = 0; axis < 3; axis++) {
        block->low[axis][i] = own->low[axis];
        block->high[axis][i] = own->high[axis];
    }
}

static void find_boxes(const builder *b, facet_block *block)
{
    if (source_triangles(b)) {
        b->kernels->boxes(source_triangles(b), block);
        return;
    }
    for (int i = 0; i < block->count; i++) {
        box own = source_box(b, block->facet[i]);
        set_box(block, i, &own);
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

/* What coarser cells cost spheres, in candidates times area.
 *
 * The cells of side c that a facet of extent e (grown) is in have an area of
 * about (e + c)^2 on the surface, so a sphere at the mesh has sum (e + c)^2 /
 * area candidates: the whole mesh's area for any sphere, the class' own for
 * those at its facets. */
static double coarse_cost(const size_class *fine, double cell, double coarse_cell)
{
    double sum = 2.0 * fine->extent + (double)fine->count * (cell + coarse_cell);
    return (coarse_cell - cell) * sum;
}

/* Whether the class is better off in the next one's cells. Its facets alone can be candidates. */
static bool is_better_merged(const size_class *fine, double cell, double coarse_cell, double area,
                             double candidates)
{
    const double cost = coarse_cost(fine, cell, coarse_cell), count = (double)fine->count;
    return cost <= candidates * area &&
           (count <= MERGED_CANDIDATES || cost <= MERGED_CANDIDATES * fine->share * count);
}

/* Whether cells twice as large are better. Of slices fewer are in one cell each then. */
static bool is_better_doubled(const size_class *class, double cell, double area, double candidates)
{
    const double cost = coarse_cost(class, cell, 2.0 * cell);
    return class->count > class->facet_count ||
           (cost <= candidates * area &&
            cost <= DOUBLED_CANDIDATES * class->share * (double)class->count);
}

static void merge_classes(size_class *into, size_class *from)
{
    into->count += from->count;
    into->facet_count += from->facet_count;
    into->extent += from->extent;
    into->area += from->area;
    into->share = from->share < into->share ? from->share : into->share;
    box_include(&into->bounds, &from->bounds);
    into->wide_count += from->wide_count;
    from->count = 0;
}

/* Whether the facets of the next class, which are no more than 4 cells of this
 * one large, are better off in its cells: they take a look less for entries
 * that are few beside the others. */
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
               WIDE_ENTRIES * fine_side * fine_side * (double)coarse->count;
}

/* Merge classes from the finest on and number what is left: a class that was
 * merged has the number of the one that it is in. */
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
        } else if (last == k - 1 && last >= 0 && b->slicing.most == 0 &&
                   is_better_fine(fine, class, cell_of_class(last))) {
            fine->wide_count += class->count;
            class->is_wide = true;
            class->level = fine->level;
            merge_classes(fine, class);
            continue;
        }
        class->level = (*count)++;
        last = k;
    }
}

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

/* The largest power of two within the limit. */
static uint32_t choose_bucket_count(double limit)
{
    uint32_t buckets = BUCKETS_LOW;
    limit = limit < BUCKETS_HIGH ? limit : BUCKETS_HIGH;
    while (2.0 * buckets <= limit) {
        buckets *= 2;
    }
    return buckets;
}

/* Whether cells that are so far apart share a bucket. */
static bool is_period(const bin_level *level, int x, int y, int z)
{
    uint32_t sum = (uint32_t)x * level->stride[0] + (uint32_t)y * level->stride[1] +
                   (uint32_t)z * level->stride[2];
    return (sum & level->mask) == 0;
}

/* Whether no two cells in which a center may be near one facet share a bucket: those of wide facets
 * are up to CELL_SPAN apart, farther ones are not both within the facet's grown box. */
static bool are_cells_apart(const bin_level *level)
{
    for (int z = -CELL_SPAN; z <= CELL_SPAN; z++) {
        for (int y = -CELL_SPAN; y <= CELL_SPAN; y++) {
            for (int x = -CELL_SPAN; x <= CELL_SPAN; x++) {
                if ((x || y || z) && is_period(level, x, y, z)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Cells repeat after so many buckets, and rows that are no round number of
 * cells long keep walls that face each other apart. */
static void repeat_cells(bin_level *level, uint32_t buckets)
{
    double row = ROW_STRETCH * cbrt(buckets);
    level->mask = buckets - 1;
    level->stride[0] = 1;
    level->stride[1] = (uint32_t)row;
    level->stride[2] = (uint32_t)(row * row);
    for (int tries = 0; !are_cells_apart(level); tries++) {
        level->stride[1 + tries % 2]++;
    }
}

void bins_find_cells(const bin_level *level, double begin[3], double count[3])
{
    const double outward = 2.0 * OUTWARD / UNITS_PER_CELL;
    for (int axis = 0; axis < 3; axis++) {
        begin[axis] = rint(level->low[axis] * level->inv_cell - outward);
        count[axis] = rint(level->high[axis] * level->inv_cell + outward) - begin[axis] + 1.0;
    }
}

/* A bucket for each cell of the level's bounds, row by row, where that is not
 * too many: then no two cells share one. Else they repeat. Returns how many
 * buckets there are, of which the level's first is number `first`. */
static uint32_t choose_grid(bin_level *level, uint32_t first, double bucket_limit)
{
    double begin[3], cells[3];
    bins_find_cells(level, begin, cells);
    double all = cells[0] * cells[1] * cells[2];
    level->first = first;
    if (!(all <= BUCKETS_LOW || (all <= bucket_limit && all <= BUCKETS_HIGH))) {
        repeat_cells(level, choose_bucket_count(bucket_limit));
        return level->mask + 1;
    }
    level->mask = UINT32_MAX;
    level->stride[0] = 1;
    level->stride[1] = (uint32_t)cells[0];
    level->stride[2] = (uint32_t)(cells[0] * cells[1]);
    for (int axis = 0; axis < 3; axis++) {
        level->first -= (uint32_t)(int64_t)begin[axis] * level->stride[axis];
    }
    return ((uint32_t)all + WORD - 1) / WORD * WORD;
}

/* Append the level of a class to the set. */
static void add_level(const builder *b, const size_class *class)
{
    bin_level level = {.inv_cell = 1.0 / class->cell};
    for (int axis = 0; axis < 3; axis++) {
        double low = class->bounds.low[axis], high = class->bounds.high[axis];
        double slack = b->reach + CULL_SLACK * (b->reach + fabs(low) + fabs(high));
        level.low[axis] = low - slack;
        level.high[axis] = high + slack;
    }
    double all = (double)source_count(b);
    double limit = BUCKETS_PER_FACET * (double)class->facet_count +
                   all / (FACETS_PER_BUCKET * b->set->level_count);
    b->set->bucket_count += choose_grid(&level, (uint32_t)b->set->bucket_count, limit);
    b->set->levels[class->level] = level;
}

/* The area of all classes; each one's share is known then, too. */
static double sum_areas(builder *b)
{
    double area = 0.0;
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        size_class *class = &b->classes[k];
        area += class->area;
        class->share = class->count > 0 ? class->area / (double)class->count : 0.0;
    }
    return area;
}

static bool build_levels(builder *b)
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

/* Where the facet lies along its normal, from the lower corner of the box that the block has. A
 * normal of 0 says that it may be anywhere in it. */
static void set_heights(const abut_mesh *mesh, facet_block *block, int i)
{
    abut_index facet = block->facet[i];
    const box own = box_of(block, i);
    vec3 normal = mesh_normal(mesh, facet), low = vec3_load(own.low);
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

/* Slices bring their boxes with them. */
static void find_heights(const builder *b, facet_block *block)
{
    const bool is_sliced = b->slicing.most > 0;
    if (source_triangles(b) && !is_sliced) {
        b->kernels->heights(source_triangles(b), block);
        return;
    }
    for (int i = 0; i < block->count; i++) {
        if (!is_sliced) {
            const box own = mesh_box(b->mesh, block->facet[i]);
            set_box(block, i, &own);
        }
        set_heights(b->mesh, block, i);
    }
}

/* Place the facets that wait. */
static void flush(builder *b, int32_t level)
{
    facet_block *block = &b->blocks[level];
    level_plan *plan = &b->plans[level];
    for (int i = block->count; i < FILLING_BLOCK; i++) {
        block->facet[i] = block->facet[0];
        block->step[i] = 0;
    }
    find_heights(b, block);
    b->kernels->place(block, &plan->scale, b->items + plan->first_item + plan->item_count);
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

/* A facet with more cells than an item may have along an axis is two items
 * there, one beside the other: no cell is in both. */
static void add_wide(builder *b, int32_t level, abut_index facet)
{
    const level_scale *scale = &b->plans[level].scale;
    box own = source_box(b, facet);
    int32_t wide = 0;
    for (int axis = 0; axis < 3; axis++) {
        double first = first_cell(low_in_units(own.low[axis], scale), scale);
        double last = last_cell(high_in_units(own.high[axis], scale), scale);
        wide |= (last - first >= CELL_SPAN) << axis;
    }
    for (int32_t step = 0; step < WIDE_PARTS; step++) {
        if ((step & ~wide) == 0) {
            add_part(b, level, facet, step);
        }
    }
}

static void add_slices(builder *b, int32_t level, abut_index facet)
{
    const box own = mesh_box(b->mesh, facet);
    const int32_t count = slices_count(&b->slicing, b->mesh, facet, box_extent(&own));
    for (int32_t k = 0; k < count; k++) {
        const box slice = slices_box(b->mesh, facet, count, k);
        set_box(&b->blocks[level], b->blocks[level].count, &slice);
        add_part(b, level, facet, 0);
    }
}

static void place_facets(builder *b)
{
    for (abut_index f = 0; f < source_count(b); f++) {
        const size_class *class = &b->classes[b->numbers[f]];
        if (b->slicing.most > 0) {
            add_slices(b, class->level, f);
        } else if (class->is_wide) {
            add_wide(b, class->level, f);
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

/* Where each level's items begin: there is room for a facet's parts. */
static abut_index plan_items(builder *b)
{
    abut_index all = 0;
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        const size_class *class = &b->classes[k];
        if (class->count > 0) {
            level_plan *plan = &b->plans[class->level];
            plan->scale = make_scale(&b->set->levels[class->level], b->reach);
            plan->first_item = all;
            all += class->count + (WIDE_PARTS - 1) * class->wide_count;
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

/* The bucket for an item's cell `bit`, from that of the first. */
static inline uint32_t bucket_at(const level_scale *scale, uint32_t first, int bit)
{
    return scale->first + ((first + scale->steps[bit]) & scale->mask);
}

/* ends[bucket]: its entries. */
static void count_entries(const builder *b, int32_t level, uint32_t *ends)
{
    const level_plan *plan = &b->plans[level];
    const level_scale scale = plan->scale;
    const bin_item *item = b->items + plan->first_item, *end = item + plan->item_count;
    for (; item < end; item++) {
        for (uint32_t left = item->kept; left; left &= left - 1) {
            ends[bucket_at(&scale, item->bucket, lowest_bit(left))]++;
        }
    }
}

static uint32_t sum_word(uint32_t *ends, int64_t *total)
{
    uint32_t bits = 0;
    for (int i = 0; i < WORD; i++) {
        uint32_t count = ends[i];
        bits |= (uint32_t)(count > 0) << i;
        ends[i] = (uint32_t)*total;
        *total += count;
    }
    return bits;
}

/* From counts to where each bucket begins, until filling has moved it to its
 * end; and which are occupied. Most words of buckets are empty: they are found
 * and written by vector code. Returns all entries. */
static int64_t sum_counts(bins *set)
{
    uint32_t *ends = set->begins + 1;
    int64_t total = 0;
    for (int64_t begin = 0; begin < set->bucket_count; begin += WORD) {
        uint32_t any = 0, sum = (uint32_t)total;
        for (int i = 0; i < WORD; i++) {
            any |= ends[begin + i];
        }
        if (any) {
            set->occupied[begin / WORD] = sum_word(ends + begin, &total);
            continue;
        }
        for (int i = 0; i < WORD; i++) {
            ends[begin + i] = sum;
        }
    }
    return total;
}

/* Each entry's item, and in place of its first bound the cell of the item that
 * it is in. */
static void fill_entries(const builder *b, int32_t level, uint32_t *ends)
{
    const level_plan *plan = &b->plans[level];
    const level_scale scale = plan->scale;
    int32_t *items = b->set->facet;
    uint16_t *cells = b->set->low[0];
    for (abut_index k = plan->first_item; k < plan->first_item + plan->item_count; k++) {
        uint32_t bucket = b->items[k].bucket;
        for (uint32_t left = b->items[k].kept; left; left &= left - 1) {
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
    b->kernels->finish(&entries);
}

/* All is one block: large blocks are worth huge pages, and arrays that do not
 * begin at the same place of their pages do not get into each other's way in
 * caches. */
static bool allocate_entries(bins *set, int64_t count)
{
    int64_t room = count + BINS_PADDING;
    set->entry_count = count;
    set->facet = memory_alloc(room, ENTRY_BYTES);
    if (!set->facet) {
        return false;
    }
    memset(set->facet + count, 0, BINS_PADDING * sizeof *set->facet);
    uint16_t *bounds = (uint16_t *)(set->facet + room);
    for (int axis = 0; axis < 3; axis++) {
        set->low[axis] = bounds + axis * room;
        set->high[axis] = bounds + (axis + 3) * room;
        memset(set->low[axis] + count, 0, BINS_PADDING * sizeof *bounds);
        memset(set->high[axis] + count, 0, BINS_PADDING * sizeof *bounds);
    }
    return true;
}

/* Entry `to` takes what entry `from` says: its facet, or more of the same
 * facet. */
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

/* Pieces become their facets, and pieces or slices of one facet in a bucket, which are
 * neighbors, one entry. Returns how many entries are left. */
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

/* Give back what more than `count` entries take. */
static bool shrink_entries(bins *set, int64_t count)
{
    const bins large = *set;
    if (!allocate_entries(set, count)) {
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

static bool allocate_buckets(bins *set, int64_t count)
{
    set->bucket_count = count;
    set->begins = memory_alloc_zeroed(count + 1, sizeof *set->begins);
    set->occupied = memory_alloc_zeroed(count / WORD + 2, sizeof *set->occupied);
    return set->begins && set->occupied;
}

/* Counting sort of the facets by bucket. */
static bool build_entries(builder *b)
{
    bins *set = b->set;
    if (!allocate_buckets(set, set->bucket_count)) {
        return false;
    }
    uint32_t *ends = set->begins + 1;
    for (int32_t level = 0; level < set->level_count; level++) {
        count_entries(b, level, ends);
    }
    int64_t total = sum_counts(set);
    if (total > UINT32_MAX || !allocate_entries(set, total)) {
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
    return b->set && b->classes && b->numbers && b->blocks;
}

/* What was built; frees all that led to it. */
static bins *build(builder *b)
{
    bool done = allocate_builder(b) && build_levels(b) && build_items(b) && build_entries(b);
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

bins *bins_build(const abut_mesh *mesh, double reach)
{
    builder b = {.mesh = mesh, .reach = reach, .kernels = filling_take()};
    b.look_candidates = LOOK_CANDIDATES;
    b.coarse_candidates = COARSE_CANDIDATES;
    b.slicing = slices_choose(mesh, reach);
    return build(&b);
}

bins *bins_build_fine(const abut_mesh *mesh, double reach)
{
    builder b = {.mesh = mesh, .reach = reach, .kernels = filling_take()};
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

bins *bins_build_whole(const abut_mesh *mesh)
{
    abut_index facets = mesh->view.facet_count;
    bins *set = memory_alloc_zeroed(1, sizeof *set);
    if (!set) {
        return NULL;
    }
    set->levels = memory_alloc_zeroed(1, sizeof *set->levels);
    if (!set->levels || !allocate_buckets(set, 1) || !allocate_entries(set, facets)) {
        bins_free(set);
        return NULL;
    }
    /* with inv_cell 0 every center is at 0, in every box */
    set->level_count = 1;
    set->begins[1] = (uint32_t)facets;
    set->occupied[0] = facets > 0;
    for (int axis = 0; axis < 3; axis++) {
        set->levels[0].low[axis] = -INFINITY;
        set->levels[0].high[axis] = INFINITY;
        memset(set->low[axis], 0, (size_t)facets * sizeof *set->low[axis]);
        memset(set->high[axis], 0xff, (size_t)facets * sizeof *set->high[axis]);
    }
    for (abut_index f = 0; f < facets; f++) {
        set->facet[f] = (int32_t)f;
    }
    return set;
}

void bins_free(bins *set)
{
    if (!set) {
        return;
    }
    memory_free(set->levels);
    memory_free(set->begins);
    memory_free(set->occupied);
    memory_free(set->plane);
    memory_free(set->facet);
    memory_free(set->slab_low);
    memory_free(set);
}

int64_t bins_occupied_count(const bins *set)
{
    int64_t count = 0;
    for (int64_t bucket = 0; bucket < set->bucket_count; bucket++) {
        count += set->begins[bucket] < set->begins[bucket + 1];
    }
    return count;
}

int64_t bins_byte_count(const bins *set)
{
    int64_t buckets = set->bucket_count + 1, entries = set->entry_count + BINS_PADDING;
    int64_t words = set->bucket_count / WORD + 2;
    return (int64_t)sizeof *set + set->level_count * (int64_t)sizeof *set->levels +
           (buckets + words) * (int64_t)sizeof *set->begins + entries * ENTRY_BYTES +
           (set->plane ? set->bucket_count * (int64_t)sizeof *set->plane : 0) +
           (set->slab_low ? entries * SLAB_BYTES : 0);
}
