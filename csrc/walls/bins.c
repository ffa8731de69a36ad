/* Which facets may touch a sphere here.
 *
 * Four passes: the sizes of the facets, from which levels and their grids follow; each facet's
 * cells, which are counted; facets into their buckets, where the counts say; and their boxes, in
 * the order of the buckets. New memory takes longer than the arithmetic, so what is kept of a
 * facet between the passes is small. */
#include "bins.h"

#include <string.h>

#include "../base/memory.h"
#include "tolerance.h"

/* Cells that a facet may be in along an axis, and in all. */
enum { CELL_SPAN = 3, CELL_LIMIT = CELL_SPAN * CELL_SPAN * CELL_SPAN };

/* Cells are numbered up to this power of two from the origin: a unit of a cell is then more than
 * what the exact distance rounds by. */
enum { CELL_NUMBER_BITS = 36 };

/* Exponents of cells: all that grown boxes can have but for tiny ones, whose inverse cell would
 * not be finite. */
enum { EXPONENT_LOW = -1000, EXPONENT_COUNT = 1300 };

/* Buckets of a level: 64 take too little to save. */
enum { BUCKETS_LOW = 64, BUCKETS_HIGH = 1 << 28 };

/* Buckets for each facet of a level, and beside, for all levels, a part of one for each facet of
 * the mesh, so that few facets in a wide level do not fill their buckets. A closed surface of one
 * facet a cell that is 100 cells long has a bucket for each cell of its bounds. */
enum { BUCKETS_PER_FACET = 24, FACETS_PER_BUCKET = 2 };

/* Cells in a row where they repeat, beside the cube root of the buckets. */
#define ROW_STRETCH 1.31

/* What a look at one level more takes, in candidates. */
#define LOOK_CANDIDATES 8.0

/* Outward rounding of positions, in units: one for truncation, one more than culling needs, one for
 * what the exact distance rounds by. */
enum { OUTWARD = 3 };

/* By how much a grown box is larger for this, beside its extent: cells have 2^14 units. */
#define GROWN_SLACK 0x1p-10

/* Facets whose grown boxes are as large as one cell. */
typedef struct size_class {
    abut_index count;
    double extent; /* sum of the grown boxes' */
    box bounds;
    int32_t level;
} size_class;

/* The cells of one facet. */
typedef struct facet_cells {
    uint64_t low, high; /* its box in units of the first cell, x, y and z in one (see triple) */
    uint32_t bucket;    /* of the first cell, but for the mask and the level's first bucket */
    uint32_t kept; /* bit 9 x + 3 z + y: whether it is in the cell that is so far from the first */
    int32_t level;
} facet_cells;

/* What a level's facets are placed with. */
typedef struct level_scale {
    double inv_cell, units_per_length;
    int64_t reach; /* in units, rounded up */
    double reach_in_cells;
    uint32_t stride[3], mask, first;
    uint32_t steps[CELL_LIMIT]; /* how far each cell is from the first, in buckets */
} level_scale;

/* A set on its way. */
typedef struct builder {
    const abut_mesh *mesh;
    double reach;
    bins *set;
    size_class *classes; /* EXPONENT_COUNT */
    facet_cells *cells;  /* facet_count */
    level_scale *scales; /* level_count */
} builder;

/* ---- sizes ---- */

/* ilogb without a call; of positive numbers. */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52) - 1023;
}

/* The class of a facet: its grown box has an extent in [cell, 2 cell), or the cell is larger where
 * numbers would be. */
static int class_of(const box *own, double extent)
{
    double farthest = fabs(own->low[0]) + fabs(own->low[1]) + fabs(own->low[2]) + extent;
    int by_size = exponent_of(extent + GROWN_SLACK * extent);
    int by_place = exponent_of(farthest) + 1 - CELL_NUMBER_BITS;
    int exponent = by_size > by_place ? by_size : by_place;
    return exponent > EXPONENT_LOW ? exponent - EXPONENT_LOW : 0;
}

static void measure_sizes(builder *b)
{
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        b->classes[k] = (size_class){.bounds = box_empty()};
    }
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        box own = mesh_box(b->mesh, f);
        double extent = box_extent(&own) + 2.0 * b->reach;
        int number = class_of(&own, extent);
        size_class *class = &b->classes[number];
        class->count++;
        class->extent += extent;
        box_include(&class->bounds, &own);
        b->cells[f].level = number;
    }
}

/* ---- levels ---- */

static double cell_of_class(int number)
{
    return ldexp(1.0, number + EXPONENT_LOW);
}

/* Whether facets are better off in the coarser cells of the next class.
 *
 * The cells of side c that a facet of extent e (grown) is in have an area of about (e + c)^2 on the
 * surface, so a sphere at the mesh has sum (e + c)^2 / area candidates. That is what coarser cells
 * cost; they save a look. */
static bool is_better_coarse(const size_class *fine, double cell, double coarse_cell, double area)
{
    double sum = 2.0 * fine->extent + (double)fine->count * (cell + coarse_cell);
    return (coarse_cell - cell) * sum <= LOOK_CANDIDATES * area;
}

static double mesh_area(const abut_mesh *mesh)
{
    double area = 0.0;
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        area += mesh->view.areas[f];
    }
    return area;
}

static void merge_classes(size_class *into, size_class *from)
{
    into->count += from->count;
    into->extent += from->extent;
    box_include(&into->bounds, &from->bounds);
    from->count = 0;
}

/* Merge classes from the finest on and number what is left: a class that was merged has the number
 * of the one that it is in. */
static void choose_levels(builder *b)
{
    double area = mesh_area(b->mesh);
    int32_t *count = &b->set->level_count;
    int last = -1;
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        if (b->classes[k].count == 0) {
            continue;
        }
        if (last >= 0 &&
            is_better_coarse(&b->classes[last], cell_of_class(last), cell_of_class(k), area)) {
            merge_classes(&b->classes[k], &b->classes[last]);
            --*count;
        }
        b->classes[k].level = (*count)++;
        last = k;
    }
}

/* As many buckets as cells, a power of two, but no more than the limit. */
static uint32_t choose_bucket_count(double cell_count, double limit)
{
    uint32_t buckets = BUCKETS_LOW;
    limit = limit < BUCKETS_HIGH ? limit : BUCKETS_HIGH;
    while (buckets < cell_count && 2.0 * buckets <= limit) {
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

/* Whether no two cells of a facet share a bucket. */
static bool are_cells_apart(const bin_level *level)
{
    for (int z = 1 - CELL_SPAN; z < CELL_SPAN; z++) {
        for (int y = 1 - CELL_SPAN; y < CELL_SPAN; y++) {
            for (int x = 1 - CELL_SPAN; x < CELL_SPAN; x++) {
                if ((x || y || z) && is_period(level, x, y, z)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* A bucket for each cell of the level's bounds, row by row, where that is not too many: then no two
 * cells share one. Else they repeat, and rows that are no round number of cells long keep walls
 * that face each other apart. */
static void choose_grid(bin_level *level, double bucket_limit)
{
    double cells[3];
    for (int axis = 0; axis < 3; axis++) {
        double first = rint(level->low[axis] * level->inv_cell);
        cells[axis] = rint(level->high[axis] * level->inv_cell) - first + 1.0;
        cells[axis] = cells[axis] > CELL_SPAN ? cells[axis] : CELL_SPAN;
    }
    double row = cells[0], layer = cells[0] * cells[1];
    uint32_t buckets = choose_bucket_count(layer * cells[2], bucket_limit);
    if (layer * cells[2] > buckets) {
        row = ROW_STRETCH * cbrt(buckets);
        layer = row * row;
    }
    level->mask = buckets - 1;
    level->stride[0] = 1;
    level->stride[1] = (uint32_t)row;
    level->stride[2] = (uint32_t)layer;
    for (int tries = 0; !are_cells_apart(level); tries++) {
        level->stride[1 + tries % 2]++;
    }
}

static bin_level make_level(const builder *b, const size_class *class, double cell)
{
    bin_level level = {.inv_cell = 1.0 / cell, .first = (uint32_t)b->set->bucket_count};
    for (int axis = 0; axis < 3; axis++) {
        double low = class->bounds.low[axis], high = class->bounds.high[axis];
        double slack = b->reach + CULL_SLACK * (b->reach + fabs(low) + fabs(high));
        level.low[axis] = low - slack;
        level.high[axis] = high + slack;
    }
    double all = (double)b->mesh->view.facet_count;
    choose_grid(&level, BUCKETS_PER_FACET * (double)class->count +
                            all / (FACETS_PER_BUCKET * b->set->level_count));
    return level;
}

static bool build_levels(builder *b)
{
    measure_sizes(b);
    choose_levels(b);
    bins *set = b->set;
    set->levels = memory_alloc(set->level_count, sizeof *set->levels);
    if (!set->levels) {
        return false;
    }
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        const size_class *class = &b->classes[k];
        if (class->count > 0) {
            set->levels[class->level] = make_level(b, class, cell_of_class(k));
            set->bucket_count += (int64_t)set->levels[class->level].mask + 1;
        }
    }
    return set->bucket_count < UINT32_MAX;
}

/* ---- a facet's cells ---- */

/* Three numbers in one of 21 bits each. Adding such numbers adds all three at once, as long as none
 * leaves 0 ... 2^21 - 1. The highest bit of each is kept as a sign: set where it is not negative.
 */
enum { TRIPLE_BITS = 21 };
#define TRIPLE_ONE (UINT64_C(1) | UINT64_C(1) << TRIPLE_BITS | UINT64_C(1) << 2 * TRIPLE_BITS)
#define TRIPLE_SIGN (TRIPLE_ONE << (TRIPLE_BITS - 1))

static inline uint64_t triple(int64_t a, int64_t b, int64_t c)
{
    return (uint64_t)a + ((uint64_t)b << TRIPLE_BITS) + ((uint64_t)c << 2 * TRIPLE_BITS);
}

/* The difference of each number of two triples of positive numbers, or 0 where it is negative. */
static inline uint64_t triple_excess(uint64_t a, uint64_t b)
{
    uint64_t difference = (a | TRIPLE_SIGN) - b, positive = difference & TRIPLE_SIGN;
    return difference & (positive - (positive >> (TRIPLE_BITS - 1)));
}

/* Where cell `bit` of facet_cells is, from the first. */
static inline int64_t cell_along(int bit, int axis)
{
    const int64_t along[3] = {bit / 9, bit % 3, bit / 3 % 3};
    return along[axis];
}

/* The cells of a block whose last is `last` cells from the first along each axis. */
static inline uint32_t cells_of_block(const int64_t last[3])
{
    static const uint32_t x[CELL_SPAN] = {1, 1 | 1 << 9, 1 | 1 << 9 | 1 << 18};
    static const uint32_t y[CELL_SPAN] = {1, 1 | 1 << 1, 1 | 1 << 1 | 1 << 2};
    static const uint32_t z[CELL_SPAN] = {1, 1 | 1 << 3, 1 | 1 << 3 | 1 << 6};
    return x[last[0]] * y[last[1]] * z[last[2]];
}

/* Parts of a cell that distances from planes are counted in. All their terms together are rounded
 * by less than PLANE_OUTWARD of them. */
#define PLANE_UNITS 32768.0
enum { PLANE_OUTWARD = 8 };

/* Those of 3 x 3 x 3 cells that are no farther than the reach from the triangle's plane.
 * `place`: corner 0 from the center of the first cell, in cells, as is the reach. */
static inline uint64_t cells_near_plane(const triangle *t, vec3 place, double reach)
{
    vec3 n = vec3_scale(t->normal, PLANE_UNITS);
    double half = 0.5 * (fabs(n.x) + fabs(n.y) + fabs(n.z));
    int64_t limit = (int64_t)(PLANE_UNITS * reach + half) + PLANE_OUTWARD;
    int64_t from = -(int64_t)vec3_dot(n, place), x = (int64_t)n.x;
    uint64_t y = (uint64_t)(int64_t)n.y * TRIPLE_ONE, z = (uint64_t)(int64_t)n.z * TRIPLE_ONE;
    /* how far the cells of a row along x are inside the limits on both sides */
    uint64_t front = TRIPLE_SIGN + TRIPLE_ONE * (uint64_t)(limit - from) - triple(0, x, 2 * x);
    uint64_t back = TRIPLE_SIGN + TRIPLE_ONE * (uint64_t)(limit + from) + triple(0, x, 2 * x);
    uint64_t near = 0;
    for (unsigned row = 0; row < CELL_SPAN * CELL_SPAN; row++) {
        uint64_t beside = row % CELL_SPAN * y + row / CELL_SPAN * z;
        near |= ((front - beside) & (back + beside) & TRIPLE_SIGN) >> (TRIPLE_BITS - 1 - row);
    }
    return (near & 0x1ff) | (near >> 12 & 0x1ff << 9) | (near >> 24 & 0x1ff << 18);
}

/* A facet is near where any of its triangles is. One without an inside has no plane that could say
 * so, but a normal of 0, which is near everything. */
static inline uint32_t cells_near_facet(const abut_mesh *mesh, abut_index facet,
                                        const level_scale *scale, vec3 first)
{
    uint64_t near = 0;
    for (int32_t k = mesh->fans[facet]; k < mesh->fans[facet + 1]; k++) {
        const triangle *t = &mesh->triangles[k];
        vec3 place = vec3_sub(vec3_scale(t->corner[0], scale->inv_cell), first);
        near |= cells_near_plane(t, place, scale->reach_in_cells);
    }
    return (uint32_t)near;
}

/* The number of the cell that a place is in, both in units. */
static inline int64_t cell_at(int64_t units)
{
    return (units + UNITS_PER_CELL / 2) >> UNIT_BITS;
}

/* Only whole units count from here on: a facet's box reaches less than two and a half cells beyond
 * the middle of the first, also where it is grown, so numbers fit. */
static inline void place_facet(const abut_mesh *mesh, abut_index facet, const level_scale *scale,
                               facet_cells *made)
{
    box own = mesh_box(mesh, facet);
    int64_t first[3], last[3], low[3], high[3];
    made->bucket = 0;
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = (int64_t)(own.low[axis] * scale->units_per_length) - OUTWARD;
        high[axis] = (int64_t)(own.high[axis] * scale->units_per_length) + OUTWARD;
        first[axis] = cell_at(low[axis] - scale->reach);
        last[axis] = cell_at(high[axis] + scale->reach) - first[axis];
        int64_t begin = first[axis] * UNITS_PER_CELL - 3 * UNITS_PER_CELL / 2;
        low[axis] -= begin;
        high[axis] -= begin;
        made->bucket += (uint32_t)first[axis] * scale->stride[axis];
    }
    made->low = triple(low[0], low[1], low[2]);
    made->high = triple(high[0], high[1], high[2]);
    vec3 from = {(double)first[0], (double)first[1], (double)first[2]};
    made->kept = cells_of_block(last) & cells_near_facet(mesh, facet, scale, from);
}

/* ---- entries ---- */

static inline int lowest_bit(uint32_t bits)
{
    return __builtin_ctz(bits);
}

static level_scale make_scale(const bin_level *level, double reach)
{
    level_scale scale = {.inv_cell = level->inv_cell,
                         .units_per_length = level->inv_cell * UNITS_PER_CELL,
                         .reach_in_cells = reach * level->inv_cell,
                         .mask = level->mask,
                         .first = level->first};
    scale.reach = (int64_t)(reach * scale.units_per_length) + 1;
    for (int axis = 0; axis < 3; axis++) {
        scale.stride[axis] = level->stride[axis];
        for (int bit = 0; bit < CELL_LIMIT; bit++) {
            scale.steps[bit] += (uint32_t)cell_along(bit, axis) * level->stride[axis];
        }
    }
    return scale;
}

static bool build_scales(builder *b)
{
    b->scales = memory_alloc(b->set->level_count, sizeof *b->scales);
    for (int32_t k = 0; b->scales && k < b->set->level_count; k++) {
        b->scales[k] = make_scale(&b->set->levels[k], b->reach);
    }
    return b->scales != NULL;
}

/* The bucket of the level for a facet's cell `bit`, from that of the first. */
static inline uint32_t bucket_at(const level_scale *scale, uint32_t first, int bit)
{
    return (first + scale->steps[bit]) & scale->mask;
}

/* ends[bucket]: its entries. */
static void count_entries(builder *b, uint32_t *ends)
{
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        facet_cells *cells = &b->cells[f];
        cells->level = b->classes[cells->level].level;
        const level_scale *scale = &b->scales[cells->level];
        place_facet(b->mesh, f, scale, cells);
        uint32_t *level_ends = ends + scale->first;
        for (uint32_t left = cells->kept; left; left &= left - 1) {
            level_ends[bucket_at(scale, cells->bucket, lowest_bit(left))]++;
        }
    }
}

/* Buckets of one word of bins.occupied. */
enum { WORD = 32 };

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

/* From counts to where each bucket begins, until filling has moved it to its end; and which are
 * occupied. Most words of buckets are empty: they are found and written by vector code. Returns all
 * entries. */
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

/* Each entry's facet, and in place of its first bound the cell that it is in. */
static void fill_facets(builder *b, uint32_t *ends)
{
    int32_t *facets = b->set->facet;
    uint16_t *bits = b->set->low[0];
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        const facet_cells *cells = &b->cells[f];
        const level_scale *scale = &b->scales[cells->level];
        uint32_t *level_ends = ends + scale->first;
        for (uint32_t left = cells->kept; left; left &= left - 1) {
            int bit = lowest_bit(left);
            uint32_t entry = level_ends[bucket_at(scale, cells->bucket, bit)]++;
            facets[entry] = (int32_t)f;
            bits[entry] = (uint16_t)bit;
        }
    }
}

static inline void split_triple(uint64_t numbers, uint16_t *x, uint16_t *y, uint16_t *z)
{
    *x = (uint16_t)numbers;
    *y = (uint16_t)(numbers >> TRIPLE_BITS);
    *z = (uint16_t)(numbers >> 2 * TRIPLE_BITS);
}

static void fill_boxes(const builder *b)
{
    const bins set = *b->set;
    uint64_t begins[CELL_LIMIT]; /* of the cells, in units from the first */
    for (int bit = 0; bit < CELL_LIMIT; bit++) {
        begins[bit] =
            UNITS_PER_CELL * triple(cell_along(bit, 0), cell_along(bit, 1), cell_along(bit, 2));
    }
    for (int64_t i = 0; i < set.entry_count; i++) {
        const facet_cells *cells = &b->cells[set.facet[i]];
        uint64_t begin = begins[set.low[0][i]];
        uint64_t low = triple_excess(cells->low, begin), high = triple_excess(cells->high, begin);
        split_triple(low, set.low[0] + i, set.low[1] + i, set.low[2] + i);
        split_triple(high, set.high[0] + i, set.high[1] + i, set.high[2] + i);
    }
}

/* The bounds are one array, so that they do not begin at the same place of their pages, which
 * caches would mix up. */
static bool allocate_entries(bins *set, int64_t count)
{
    int64_t room = count + BINS_PADDING;
    set->entry_count = count;
    set->facet = memory_alloc(room, sizeof *set->facet);
    uint16_t *bounds = memory_alloc(room, 6 * sizeof *bounds);
    set->low[0] = bounds;
    if (!set->facet || !bounds) {
        return false;
    }
    memset(set->facet + count, 0, BINS_PADDING * sizeof *set->facet);
    for (int axis = 0; axis < 3; axis++) {
        set->low[axis] = bounds + axis * room;
        set->high[axis] = bounds + (axis + 3) * room;
        memset(set->low[axis] + count, 0, BINS_PADDING * sizeof *bounds);
        memset(set->high[axis] + count, 0, BINS_PADDING * sizeof *bounds);
    }
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
    if (!build_scales(b) || !allocate_buckets(set, set->bucket_count)) {
        return false;
    }
    uint32_t *ends = set->begins + 1;
    count_entries(b, ends);
    int64_t total = sum_counts(set);
    if (total > UINT32_MAX || !allocate_entries(set, total)) {
        return false;
    }
    fill_facets(b, ends);
    fill_boxes(b);
    return true;
}

/* ---- sets ---- */

bins *bins_build(const abut_mesh *mesh, double reach)
{
    builder b = {.mesh = mesh, .reach = reach};
    b.set = memory_alloc_zeroed(1, sizeof *b.set);
    b.classes = memory_alloc(EXPONENT_COUNT, sizeof *b.classes);
    b.cells = memory_alloc(mesh->view.facet_count, sizeof *b.cells);
    bool done = b.set && b.classes && b.cells && build_levels(&b) && build_entries(&b);
    memory_free(b.classes);
    memory_free(b.cells);
    memory_free(b.scales);
    if (done) {
        return b.set;
    }
    bins_free(b.set);
    return NULL;
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
    memory_free(set->facet);
    memory_free(set->low[0]);
    memory_free(set);
}

int64_t bins_byte_count(const bins *set)
{
    int64_t buckets = set->bucket_count + 1, entries = set->entry_count + BINS_PADDING;
    int64_t words = set->bucket_count / WORD + 2;
    return (int64_t)sizeof *set + set->level_count * (int64_t)sizeof *set->levels +
           (buckets + words) * (int64_t)sizeof *set->begins +
           entries * (int64_t)(sizeof *set->facet + 6 * sizeof *set->low[0]);
}
