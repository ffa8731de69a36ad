/* Which facets may touch a sphere here. */
#include "bins.h"

#include <float.h>

#include "../base/memory.h"
#include "tolerance.h"

/* Cells of one facet: 3 x 3 x 3. */
enum { CELL_LIMIT = 27 };

/* Cells are numbered exactly up to this power of two from the origin. */
enum { CELL_NUMBER_BITS = 40 };

/* Exponents of doubles, and so of cells. */
enum { EXPONENT_LOW = -1200, EXPONENT_COUNT = 2400 };

/* Entries culled in one go. */
enum { CULL_BLOCK = 64 };

/* Mix a cell's numbers so that neighbors spread over the buckets (the finalizer of SplitMix64). */
static uint64_t cell_hash(int64_t x, int64_t y, int64_t z)
{
    uint64_t h = (uint64_t)x * 0x9E3779B97F4A7C15u + (uint64_t)y * 0xC2B2AE3D27D4EB4Fu +
                 (uint64_t)z * 0x165667B19E3779F9u;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    return h ^ (h >> 31);
}

static int64_t cell_number(double x, double inv_cell)
{
    return (int64_t)floor(x * inv_cell);
}

/* ---- a facet's cells ---- */

/* The box grown by the reach and by what rounding may lose. */
static box grow(const box *b, double reach)
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

static double farthest_coordinate(const box *b)
{
    double low = vec3_max_abs(vec3_load(b->low)), high = vec3_max_abs(vec3_load(b->high));
    return low > high ? low : high;
}

/* The cell's exponent: extent in [cell, 2 cell), or more cell where numbers would not be exact. */
static int cell_exponent(const box *grown)
{
    int by_size = ilogb(box_extent(grown));
    int by_place = ilogb(farthest_coordinate(grown)) - CELL_NUMBER_BITS;
    return by_size > by_place ? by_size : by_place;
}

/* Whether a cube of half side `half` around `middle` is farther than `reach` from the triangle's
 * plane. One without an inside has no plane that could say so. */
static bool is_off_plane(const triangle *t, vec3 middle, double half, double reach)
{
    vec3 from = vec3_sub(middle, t->corner[0]);
    double limit = reach + half * (fabs(t->normal.x) + fabs(t->normal.y) + fabs(t->normal.z));
    double slack = CULL_SLACK * (limit + vec3_max_abs(from) + vec3_max_abs(middle));
    return fabs(vec3_dot(t->normal, from)) > limit + slack;
}

static bool is_off_facet(const abut_mesh *mesh, abut_index facet, vec3 middle, double half,
                         double reach)
{
    for (int32_t k = mesh->fans[facet]; k < mesh->fans[facet + 1]; k++) {
        if (!is_off_plane(&mesh->triangles[k], middle, half, reach)) {
            return false;
        }
    }
    return true;
}

static int32_t add_once(uint64_t *list, int32_t count, uint64_t item)
{
    for (int32_t i = 0; i < count; i++) {
        if (list[i] == item) {
            return count;
        }
    }
    list[count] = item;
    return count + 1;
}

/* The buckets of one facet, each once though cells may share it. Returns how many. */
static int32_t facet_buckets(const abut_mesh *mesh, abut_index facet, const bin_level *level,
                             double reach, uint64_t *buckets)
{
    box grown = grow(&mesh->boxes[facet], reach);
    double side = ldexp(1.0, level->exponent);
    int64_t low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = cell_number(grown.low[axis], level->inv_cell);
        high[axis] = cell_number(grown.high[axis], level->inv_cell);
    }
    int32_t count = 0;
    for (int64_t z = low[2]; z <= high[2]; z++) {
        for (int64_t y = low[1]; y <= high[1]; y++) {
            for (int64_t x = low[0]; x <= high[0]; x++) {
                vec3 middle = {((double)x + 0.5) * side, ((double)y + 0.5) * side,
                               ((double)z + 0.5) * side};
                if (!is_off_facet(mesh, facet, middle, 0.5 * side, reach)) {
                    count = add_once(buckets, count, cell_hash(x, y, z) & level->bucket_mask);
                }
            }
        }
    }
    return count;
}

/* ---- building ---- */

/* A set on its way. */
typedef struct builder {
    const abut_mesh *mesh;
    double reach;
    bins *set;
    int32_t *level_of; /* each facet's level */
} builder;

static bin_level make_level(int exponent)
{
    return (bin_level){
        .exponent = exponent, .inv_cell = ldexp(1.0, -exponent), .bounds = box_empty()};
}

/* The levels that there are facets for, with their bounds. */
static bool build_levels(builder *b)
{
    int32_t number[EXPONENT_COUNT] = {0}; /* 1 + the level of an exponent */
    abut_index facets = b->mesh->view.facet_count;
    for (abut_index f = 0; f < facets; f++) {
        box grown = grow(&b->mesh->boxes[f], b->reach);
        b->level_of[f] = cell_exponent(&grown) - EXPONENT_LOW;
        number[b->level_of[f]] = 1;
    }
    for (int e = 0; e < EXPONENT_COUNT; e++) {
        if (number[e]) {
            number[e] = ++b->set->level_count;
        }
    }
    b->set->levels = memory_alloc(b->set->level_count, sizeof *b->set->levels);
    if (!b->set->levels) {
        return false;
    }
    for (int e = 0; e < EXPONENT_COUNT; e++) {
        if (number[e]) {
            b->set->levels[number[e] - 1] = make_level(e + EXPONENT_LOW);
        }
    }
    for (abut_index f = 0; f < facets; f++) {
        box grown = grow(&b->mesh->boxes[f], b->reach);
        b->level_of[f] = number[b->level_of[f]] - 1;
        box_include(&b->set->levels[b->level_of[f]].bounds, &grown);
    }
    return true;
}

/* The largest power of two up to the level's entries. */
static uint64_t bucket_count(uint64_t entries)
{
    uint64_t buckets = 1;
    while (2 * buckets <= entries) {
        buckets *= 2;
    }
    return buckets;
}

/* Count the entries while every bucket is its own, then give each level its
 * buckets. Returns all of them. */
static abut_index choose_buckets(builder *b)
{
    uint64_t scratch[CELL_LIMIT];
    abut_index total = 0;
    for (int32_t k = 0; k < b->set->level_count; k++) {
        b->set->levels[k].bucket_mask = UINT64_MAX;
    }
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        bin_level *level = &b->set->levels[b->level_of[f]];
        level->entry_count += (uint64_t)facet_buckets(b->mesh, f, level, b->reach, scratch);
    }
    for (int32_t k = 0; k < b->set->level_count; k++) {
        bin_level *level = &b->set->levels[k];
        level->origin =
            vec3_scale(vec3_add(vec3_load(level->bounds.low), vec3_load(level->bounds.high)), 0.5);
        level->first = total;
        level->bucket_mask = bucket_count(level->entry_count) - 1;
        total += (abut_index)level->bucket_mask + 1;
    }
    return total;
}

static bool allocate_entries(bin_entries *entries, abut_index count)
{
    entries->facet = memory_alloc(count, sizeof *entries->facet);
    bool whole = entries->facet != NULL;
    for (int axis = 0; axis < 3; axis++) {
        entries->middle[axis] = memory_alloc(count, sizeof(float));
        entries->half[axis] = memory_alloc(count, sizeof(float));
        whole = whole && entries->middle[axis] && entries->half[axis];
    }
    return whole;
}

/* The box in cells from the level's origin. Numbers are no larger than half the bounds, in
 * the box and for the centers that it is tested with, so single precision rounds by as
 * many of its units in all. */
static void set_entry(bin_entries *entries, int64_t entry, const bin_level *level, const box *own,
                      int32_t facet)
{
    const double origin[3] = {level->origin.x, level->origin.y, level->origin.z};
    entries->facet[entry] = facet;
    for (int axis = 0; axis < 3; axis++) {
        double low = (own->low[axis] - origin[axis]) * level->inv_cell;
        double high = (own->high[axis] - origin[axis]) * level->inv_cell;
        double span = (level->bounds.high[axis] - level->bounds.low[axis]) * level->inv_cell;
        entries->middle[axis][entry] = (float)(0.5 * (low + high));
        entries->half[axis][entry] =
            (float)(0.5 * (high - low) * (1.0 + FLT_EPSILON) + 2.0 * FLT_EPSILON * span);
    }
}

/* Counting sort of the facets by bucket: count, sum, fill. */
static bool fill_buckets(builder *b, abut_index buckets)
{
    bins *set = b->set;
    uint64_t own[CELL_LIMIT];
    set->begins = memory_alloc_zeroed(buckets + 1, sizeof *set->begins);
    if (!set->begins) {
        return false;
    }
    int64_t *ends = set->begins + 1, total = 0;
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        const bin_level *level = &set->levels[b->level_of[f]];
        int32_t count = facet_buckets(b->mesh, f, level, b->reach, own);
        for (int32_t i = 0; i < count; i++) {
            ends[level->first + (abut_index)own[i]]++;
        }
    }
    for (abut_index bucket = 0; bucket < buckets; bucket++) {
        int64_t count = ends[bucket];
        ends[bucket] = total; /* where the bucket begins, until filling has moved it to its end */
        total += count;
    }
    if (!allocate_entries(&set->entries, total)) {
        return false;
    }
    for (abut_index f = 0; f < b->mesh->view.facet_count; f++) {
        const bin_level *level = &set->levels[b->level_of[f]];
        int32_t count = facet_buckets(b->mesh, f, level, b->reach, own);
        for (int32_t i = 0; i < count; i++) {
            int64_t entry = ends[level->first + (abut_index)own[i]]++;
            set_entry(&set->entries, entry, level, &b->mesh->boxes[f], (int32_t)f);
        }
    }
    return true;
}

bins *bins_build(const abut_mesh *mesh, double reach)
{
    builder b = {.mesh = mesh, .reach = reach};
    b.set = memory_alloc_zeroed(1, sizeof *b.set);
    b.level_of = memory_alloc(mesh->view.facet_count, sizeof *b.level_of);
    bool done = b.set && b.level_of && build_levels(&b) && fill_buckets(&b, choose_buckets(&b));
    memory_free(b.level_of);
    if (done) {
        return b.set;
    }
    bins_free(b.set);
    return NULL;
}

bins *bins_build_whole(const abut_mesh *mesh)
{
    static const box everywhere = {{-INFINITY, -INFINITY, -INFINITY},
                                   {INFINITY, INFINITY, INFINITY}};
    abut_index facets = mesh->view.facet_count;
    bins *set = memory_alloc_zeroed(1, sizeof *set);
    if (!set) {
        return NULL;
    }
    set->levels = memory_alloc_zeroed(1, sizeof *set->levels);
    set->begins = memory_alloc_zeroed(2, sizeof *set->begins);
    if (!set->levels || !set->begins || !allocate_entries(&set->entries, facets)) {
        bins_free(set);
        return NULL;
    }
    set->level_count = 1;
    set->levels[0].bounds = everywhere;
    set->begins[1] = facets;
    for (abut_index f = 0; f < facets; f++) {
        /* with inv_cell 0 every center is at 0, in every box */
        set->entries.facet[f] = (int32_t)f;
        for (int axis = 0; axis < 3; axis++) {
            set->entries.middle[axis][f] = set->entries.half[axis][f] = 0.0F;
        }
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
    memory_free(set->entries.facet);
    for (int axis = 0; axis < 3; axis++) {
        memory_free(set->entries.middle[axis]);
        memory_free(set->entries.half[axis]);
    }
    memory_free(set);
}

/* ---- looking ---- */

static bool is_within(const box *b, vec3 p)
{
    return p.x >= b->low[0] && p.x <= b->high[0] && p.y >= b->low[1] && p.y <= b->high[1] &&
           p.z >= b->low[2] && p.z <= b->high[2];
}

entry_range bins_look(const bins *set, int32_t level, vec3 center)
{
    const bin_level *l = &set->levels[level];
    if (!is_within(&l->bounds, center)) {
        return (entry_range){0, 0};
    }
    uint64_t hash =
        cell_hash(cell_number(center.x, l->inv_cell), cell_number(center.y, l->inv_cell),
                  cell_number(center.z, l->inv_cell));
    abut_index bucket = l->first + (abut_index)(hash & l->bucket_mask);
    return (entry_range){set->begins[bucket], set->begins[bucket + 1]};
}

/* How far x is outside of a box along one axis, squared. Halving e + |e| is max(e, 0) without a
 * branch, which compilers would have to keep. */
static float apart_sq(float x, float middle, float half)
{
    float e = fabsf(x - middle) - half;
    float apart = 0.5F * (e + fabsf(e));
    return apart * apart;
}

/* is_near[i]: whether the entry's box is within reach. A loop that compilers
 * turn into vector code. */
static void test_block(const bin_entries *entries, int64_t begin, int64_t count,
                       const float center[3], float reach_sq, int32_t *is_near)
{
    const float *mx = entries->middle[0] + begin, *my = entries->middle[1] + begin,
                *mz = entries->middle[2] + begin;
    const float *hx = entries->half[0] + begin, *hy = entries->half[1] + begin,
                *hz = entries->half[2] + begin;
    float x = center[0], y = center[1], z = center[2];
    for (int64_t i = 0; i < count; i++) {
        float sum =
            apart_sq(x, mx[i], hx[i]) + apart_sq(y, my[i], hy[i]) + apart_sq(z, mz[i], hz[i]);
        is_near[i] = sum <= reach_sq;
    }
}

int64_t bins_cull(const bins *set, int32_t level, entry_range range, vec3 center, double reach,
                  int32_t *near)
{
    const bin_level *l = &set->levels[level];
    vec3 place = vec3_scale(vec3_sub(center, l->origin), l->inv_cell);
    const float local[3] = {(float)place.x, (float)place.y, (float)place.z};
    double reach_in_cells = reach * l->inv_cell * (1.0 + 8.0 * FLT_EPSILON);
    int64_t count = 0;
    for (int64_t begin = range.begin; begin < range.end; begin += CULL_BLOCK) {
        int32_t is_near[CULL_BLOCK];
        int64_t block = range.end - begin < CULL_BLOCK ? range.end - begin : CULL_BLOCK;
        test_block(&set->entries, begin, block, local, (float)(reach_in_cells * reach_in_cells),
                   is_near);
        /* nothing branches on the outcome, which is as good as random */
        for (int64_t i = 0; i < block; i++) {
            near[count] = set->entries.facet[begin + i];
            count += is_near[i];
        }
    }
    return count;
}
