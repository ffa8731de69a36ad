/* Which facets may touch a sphere here.
 *
 * Three passes: the sizes of the facets, from which levels and their grids follow; each facet's
 * cells, which are counted; and the entries, which go where the counts say. */
#include "bins.h"

#include <float.h>
#include <string.h>

#include "../base/memory.h"
#include "tolerance.h"

/* Cells that a facet may be in along an axis, and in all. */
enum { CELL_SPAN = 3, CELL_LIMIT = CELL_SPAN * CELL_SPAN * CELL_SPAN };

/* Cells are numbered exactly up to this power of two from the origin. */
enum { CELL_NUMBER_BITS = 40 };

/* Exponents of cells: all that grown boxes can have but for tiny ones, whose inverse cell would
 * not be finite. */
enum { EXPONENT_LOW = -1000, EXPONENT_COUNT = 1300 };

/* Buckets of a level and along an axis, as powers of two. With four along an axis no two of a
 * facet's cells share one, and 64 take too little to save. */
enum { AXIS_BITS_LOW = 2, BUCKET_BITS_LOW = 6, BUCKET_BITS_HIGH = 28 };

/* Buckets for each facet of a level, as a power of two. A closed surface of one facet a cell that
 * is 100 cells long has a bucket for each cell of its bounds. */
enum { BUCKET_BITS_PER_FACET = 5 };

/* What a look at one level more takes, in candidates. */
#define LOOK_CANDIDATES 8.0

/* Adding and subtracting this leaves the nearest whole number. */
#define WHOLE 6755399441055744.0

/* Positions in a facet's cells are counted from here, in units of its first cell: outward rounding
 * takes none below. */
enum { UNITS_BELOW = UNITS_PER_CELL - 4 };

/* Facets whose grown boxes are as large as one cell. */
typedef struct size_class {
    abut_index count;
    double extent; /* sum of the grown boxes' */
    box bounds;    /* of the grown boxes */
    int32_t level;
} size_class;

/* The cells of one facet. */
typedef struct facet_cells {
    int32_t level;
    uint32_t cell[3]; /* the first, on the level's torus */
    uint32_t kept; /* bit x + 3 y + 9 z: whether it is in the cell that is so far from the first */
    uint16_t low[3], high[3]; /* its box, in units from UNITS_BELOW, rounded outward */
} facet_cells;

/* A set on its way. */
typedef struct builder {
    const abut_mesh *mesh;
    double reach;
    bins *set;
    size_class *classes; /* EXPONENT_COUNT */
    facet_cells *cells;  /* facet_count */
} builder;

static double round_whole(double x)
{
    return (x + WHOLE) - WHOLE;
}

/* ---- sizes ---- */

/* The box grown by the reach and by what rounding may lose. */
static inline box grow(const box *b, double reach)
{
    box grown;
    for (int axis = 0; axis < 3; axis++) {
        double low = b->low[axis], high = b->high[axis];
        double slack = reach + CULL_SLACK * (reach + fabs(low) + fabs(high));
        grown.low[axis] = low - slack;
        grown.high[axis] = high + slack;
    }
    return grown;
}

/* ilogb without a call; of positive numbers. */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52) - 1023;
}

static double farthest_coordinate(const box *b)
{
    double low = vec3_max_abs(vec3_load(b->low)), high = vec3_max_abs(vec3_load(b->high));
    return low > high ? low : high;
}

/* The class of a grown box: its extent is in [cell, 2 cell), or the cell is larger where numbers
 * would not be exact. */
static int class_of(const box *grown, double extent)
{
    int by_size = exponent_of(extent);
    int by_place = exponent_of(farthest_coordinate(grown)) - CELL_NUMBER_BITS;
    int exponent = by_size > by_place ? by_size : by_place;
    return exponent > EXPONENT_LOW ? exponent - EXPONENT_LOW : 0;
}

static void measure_sizes(builder *b)
{
    for (int k = 0; k < EXPONENT_COUNT; k++) {
        b->classes[k] = (size_class){.bounds = box_empty()};
    }
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        box own = mesh_box(b->mesh, f), grown = grow(&own, b->reach);
        double extent = box_extent(&grown);
        int number = class_of(&grown, extent);
        size_class *class = &b->classes[number];
        class->count++;
        class->extent += extent;
        box_include(&class->bounds, &grown);
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

static int bits_for(double count)
{
    int bits = 0;
    while (bits < BUCKET_BITS_HIGH && ldexp(1.0, bits) < count) {
        bits++;
    }
    return bits;
}

static int largest_of(const int bits[3])
{
    int axis = bits[1] > bits[0] ? 1 : 0;
    return bits[2] > bits[axis] ? 2 : axis;
}

/* A bucket for each cell of the level's bounds where that is not too many, else shorter axes until
 * it is not. */
static void choose_grid(bin_level *level, abut_index facet_count)
{
    int limit = bits_for(0.5 * (double)(facet_count + 1)) + BUCKET_BITS_PER_FACET;
    limit = limit < BUCKET_BITS_HIGH ? limit : BUCKET_BITS_HIGH;
    limit = limit > BUCKET_BITS_LOW ? limit : BUCKET_BITS_LOW;
    int bits[3];
    for (int axis = 0; axis < 3; axis++) {
        double first = round_whole(level->low[axis] * level->inv_cell);
        bits[axis] = bits_for(round_whole(level->high[axis] * level->inv_cell) - first + 1.0);
        bits[axis] = bits[axis] > AXIS_BITS_LOW ? bits[axis] : AXIS_BITS_LOW;
    }
    while (bits[0] + bits[1] + bits[2] > limit) {
        bits[largest_of(bits)]--;
    }
    for (int axis = 0; axis < 3; axis++) {
        level->mask[axis] = ((int64_t)1 << bits[axis]) - 1;
        level->shift[axis] = axis == 0 ? 0 : level->shift[axis - 1] + bits[axis - 1];
    }
}

static bin_level make_level(const size_class *class, double cell, int64_t first)
{
    bin_level level = {.inv_cell = 1.0 / cell, .first = first};
    for (int axis = 0; axis < 3; axis++) {
        level.low[axis] = class->bounds.low[axis];
        level.high[axis] = class->bounds.high[axis];
    }
    choose_grid(&level, class->count);
    return level;
}

static int64_t level_bucket_count(const bin_level *level)
{
    return (level->mask[0] + 1) * (level->mask[1] + 1) * (level->mask[2] + 1);
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
            bin_level *level = &set->levels[class->level];
            *level = make_level(class, cell_of_class(k), set->bucket_count);
            set->bucket_count += level_bucket_count(level);
        }
    }
    return set->bucket_count < UINT32_MAX;
}

/* ---- a facet's cells ---- */

/* Those of 3 x 3 x 3 cells that are no farther than the reach from the triangle's plane, bit by bit
 * as in facet_cells. `place`: corner 0 from the center of the first cell, in cells, as the reach
 * is. Single precision rounds by less than the slack. */
static inline uint32_t cells_near_plane(const triangle *t, vec3 place, double reach)
{
    vec3 n = t->normal;
    float limit = (float)(reach + 0.5 * (fabs(n.x) + fabs(n.y) + fabs(n.z))) + 64.0F * FLT_EPSILON;
    float x = (float)n.x, y = (float)n.y, z = (float)n.z, from = (float)-vec3_dot(n, place);
    const float along_x[4] = {from, from + x, from + x + x, 0.0F};
    uint32_t near[4] = {0, 0, 0, 0};
    for (uint32_t row = 0; row < CELL_SPAN * CELL_SPAN; row++) {
        float across = y * (float)(row % CELL_SPAN) + z * (float)(row / CELL_SPAN);
        uint32_t bit = 1u << CELL_SPAN * row;
        for (int i = 0; i < 4; i++) {
            near[i] |= fabsf(along_x[i] + across) <= limit ? bit : 0;
        }
    }
    return near[0] | near[1] << 1 | near[2] << 2;
}

/* A facet is near where any of its triangles is. One without an inside has no plane that could say
 * so, but a normal of 0, which is near everything. */
static uint32_t cells_near_facet(const builder *b, abut_index facet, const double first[3],
                                 double inv_cell)
{
    uint32_t near = 0;
    for (int32_t k = b->mesh->fans[facet]; k < b->mesh->fans[facet + 1]; k++) {
        const triangle *t = &b->mesh->triangles[k];
        vec3 place = vec3_sub(vec3_scale(t->corner[0], inv_cell), vec3_load(first));
        near |= cells_near_plane(t, place, b->reach * inv_cell);
    }
    return near;
}

/* The cells of a block whose last is `last` cells from the first along each axis. */
static uint32_t cells_of_block(const int last[3])
{
    static const uint32_t rows[CELL_SPAN] = {1, 1 + 8, 1 + 8 + 64};
    static const uint32_t layers[CELL_SPAN] = {1, 1 + 512, 1 + 512 + 262144};
    return ((2u << last[0]) - 1u) * rows[last[1]] * layers[last[2]];
}

static void place_facet(const builder *b, abut_index facet, facet_cells *made)
{
    const bin_level *level = &b->set->levels[b->classes[made->level].level];
    box own = mesh_box(b->mesh, facet), grown = grow(&own, b->reach);
    double first[3], inv_cell = level->inv_cell;
    int last[3];
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = round_whole(grown.low[axis] * inv_cell);
        last[axis] = (int)(round_whole(grown.high[axis] * inv_cell) - first[axis]);
        made->cell[axis] = (uint32_t)((int64_t)first[axis] & level->mask[axis]);
        /* from the cell below the first; whole units by truncation, outward by one more */
        double low = own.low[axis] * inv_cell - first[axis] + 1.5;
        double high = own.high[axis] * inv_cell - first[axis] + 1.5;
        made->low[axis] = (uint16_t)((int)(low * UNITS_PER_CELL) - 1 - UNITS_BELOW);
        made->high[axis] = (uint16_t)((int)(high * UNITS_PER_CELL) + 2 - UNITS_BELOW);
    }
    made->kept = cells_of_block(last) & cells_near_facet(b, facet, first, inv_cell);
    made->level = b->classes[made->level].level;
}

/* ---- entries ---- */

/* Where the cells of a 3 x 3 x 3 block are. */
static const uint8_t along_x[CELL_LIMIT] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1,
                                            2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
static const uint8_t along_y[CELL_LIMIT] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 0, 1, 1,
                                            1, 2, 2, 2, 0, 0, 0, 1, 1, 1, 2, 2, 2};
static const uint8_t along_z[CELL_LIMIT] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1,
                                            1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2};

static int lowest_bit(uint32_t bits)
{
    return __builtin_ctz(bits);
}

/* The parts of a facet's buckets that each axis gives. */
typedef struct bucket_parts {
    int64_t x[CELL_SPAN], y[CELL_SPAN], z[CELL_SPAN];
} bucket_parts;

static inline int64_t part_along(const bin_level *level, const facet_cells *cells, int axis,
                                 int64_t i)
{
    return ((cells->cell[axis] + i) & level->mask[axis]) << level->shift[axis];
}

static inline bucket_parts find_parts(const bin_level *level, const facet_cells *cells)
{
    bucket_parts parts;
    for (int i = 0; i < CELL_SPAN; i++) {
        parts.x[i] = level->first + part_along(level, cells, 0, i);
        parts.y[i] = part_along(level, cells, 1, i);
        parts.z[i] = part_along(level, cells, 2, i);
    }
    return parts;
}

/* ends[bucket]: its entries. Returns all of them. */
static int64_t count_entries(builder *b, uint32_t *ends)
{
    int64_t total = 0;
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        facet_cells *cells = &b->cells[f];
        place_facet(b, f, cells);
        bucket_parts parts = find_parts(&b->set->levels[cells->level], cells);
        for (uint32_t left = cells->kept; left; left &= left - 1) {
            int i = lowest_bit(left);
            ends[parts.x[along_x[i]] + parts.y[along_y[i]] + parts.z[along_z[i]]]++;
            total++;
        }
    }
    return total;
}

/* From counts to where each bucket begins, until filling has moved it to its end; and which are
 * occupied. */
static void sum_counts(bins *set)
{
    uint32_t *ends = set->begins + 1, total = 0;
    for (int64_t bucket = 0; bucket < set->bucket_count; bucket++) {
        uint32_t count = ends[bucket];
        set->occupied[bucket >> 5] |= (uint32_t)(count > 0) << (bucket & 31);
        ends[bucket] = total;
        total += count;
    }
}

static uint16_t clip(int units)
{
    return (uint16_t)(units < 0 ? 0 : units > UINT16_MAX ? UINT16_MAX : units);
}

/* A facet's box in each of its cells, by how far the cell is from the first. */
typedef struct cell_boxes {
    uint16_t low[3][CELL_SPAN], high[3][CELL_SPAN];
} cell_boxes;

static inline cell_boxes find_boxes(const facet_cells *cells)
{
    cell_boxes boxes;
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < CELL_SPAN; i++) {
            int zero = UNITS_BELOW - i * UNITS_PER_CELL;
            boxes.low[axis][i] = clip(cells->low[axis] + zero);
            boxes.high[axis][i] = clip(cells->high[axis] + zero);
        }
    }
    return boxes;
}

static void fill_facet(bins *set, uint32_t *ends, const facet_cells *cells, int32_t facet)
{
    bucket_parts parts = find_parts(&set->levels[cells->level], cells);
    cell_boxes boxes = find_boxes(cells);
    for (uint32_t left = cells->kept; left; left &= left - 1) {
        int i = lowest_bit(left), x = along_x[i], y = along_y[i], z = along_z[i];
        uint32_t entry = ends[parts.x[x] + parts.y[y] + parts.z[z]]++;
        set->facet[entry] = facet;
        set->low[0][entry] = boxes.low[0][x];
        set->high[0][entry] = boxes.high[0][x];
        set->low[1][entry] = boxes.low[1][y];
        set->high[1][entry] = boxes.high[1][y];
        set->low[2][entry] = boxes.low[2][z];
        set->high[2][entry] = boxes.high[2][z];
    }
}

/* The arrays of boxes are one, so that they do not begin at the same place of their pages, which
 * caches would mix up. */
static bool allocate_entries(bins *set, int64_t count)
{
    int64_t room = count + BINS_PADDING;
    set->entry_count = count;
    set->facet = memory_alloc(room, sizeof *set->facet);
    uint16_t *boxes = memory_alloc(room, 6 * sizeof *boxes);
    set->low[0] = boxes;
    if (!set->facet || !boxes) {
        return false;
    }
    memset(set->facet + count, 0, BINS_PADDING * sizeof *set->facet);
    for (int k = 0; k < 6; k++) {
        *(k % 2 ? &set->high[k / 2] : &set->low[k / 2]) = boxes + k * room;
        memset(boxes + k * room + count, 0, BINS_PADDING * sizeof *boxes);
    }
    return true;
}

static bool allocate_buckets(bins *set, int64_t count)
{
    set->bucket_count = count;
    set->begins = memory_alloc_zeroed(count + 1, sizeof *set->begins);
    set->occupied = memory_alloc_zeroed(count / 32 + 2, sizeof *set->occupied);
    return set->begins && set->occupied;
}

/* Counting sort of the facets by bucket: count, sum, fill. */
static bool build_entries(builder *b)
{
    bins *set = b->set;
    if (!allocate_buckets(set, set->bucket_count)) {
        return false;
    }
    uint32_t *ends = set->begins + 1;
    int64_t total = count_entries(b, ends);
    if (total > UINT32_MAX || !allocate_entries(set, total)) {
        return false;
    }
    sum_counts(set);
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        fill_facet(set, ends, &b->cells[f], (int32_t)f);
    }
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
    int64_t words = set->bucket_count / 32 + 2;
    return (int64_t)sizeof *set + set->level_count * (int64_t)sizeof *set->levels +
           (buckets + words) * (int64_t)sizeof *set->begins +
           entries * (int64_t)(sizeof *set->facet + 6 * sizeof *set->low[0]);
}
