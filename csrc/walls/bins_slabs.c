/* Entries' bounds along one axis more.
 *
 * The box of a sliver that is not along the axes is far wider than the sliver: spheres near a fan
 * of them are near the boxes of many more than they touch. In its own plane, across its longest
 * edge, a sliver is narrow. */
#include "bins_slabs.h"

#include "../base/memory.h"

/* The axis is kept in 128ths. Each of its numbers is rounded by half of one at most, so one of
 * length 127 does not become longer than 128. */
#define ALONG_PARTS 128.0
#define ALONG_LONGEST 127.0

/* Positions along the axis are counted in halves of a unit from the middle of the cell. */
#define HALF_UNITS (0.5 * UNITS_PER_CELL)

/* Outward rounding, in halves of a unit: three for the culling's products, one for its units, one
 * for the bounds here, two for what the exact distance rounds by. */
#define SLAB_OUTWARD 7.0

/* Spheres that are tried, to see whether slabs pay. */
enum { TRIALS = 64 };

/* An exact test takes as long as the slabs of about 50 entries; less than half of that, since slabs
 * take memory, too. */
#define ENTRIES_PER_TEST 20.0

/* A facet along an axis of its own. */
typedef struct slab {
    int8_t across[3];
    double low, high; /* along across / ALONG_PARTS */
} slab;

static vec3 slab_axis(const slab *s)
{
    const vec3 across = {s->across[0], s->across[1], s->across[2]};
    return vec3_scale(across, 1.0 / ALONG_PARTS);
}

static vec3 longest_edge(const triangle *t)
{
    vec3 longest = vec3_sub(t->corner[1], t->corner[0]);
    for (int k = 1; k < 3; k++) {
        const vec3 edge = vec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
        longest = vec3_norm_sq(edge) > vec3_norm_sq(longest) ? edge : longest;
    }
    return longest;
}

/* An axis of 0, where there is none, says that the facet may be anywhere. */
static slab find_slab(const triangle *t)
{
    const vec3 across = vec3_cross(t->normal, longest_edge(t));
    const double parts = ALONG_LONGEST / sqrt(vec3_norm_sq(across));
    slab s = {.low = INFINITY, .high = -INFINITY};
    if (!isfinite(parts)) {
        return (slab){.low = 0.0, .high = 0.0};
    }
    s.across[0] = (int8_t)rint(parts * across.x);
    s.across[1] = (int8_t)rint(parts * across.y);
    s.across[2] = (int8_t)rint(parts * across.z);
    for (int k = 0; k < 3; k++) {
        const double at = vec3_dot(slab_axis(&s), t->corner[k]);
        s.low = at < s.low ? at : s.low;
        s.high = at > s.high ? at : s.high;
    }
    return s;
}

/* ---- whether it pays ---- */

/* A sphere at the mesh, and what it tests. */
typedef struct trial {
    vec3 center;
    double reach;
    double culled, saved; /* entries, and tests, of all so far */
} trial;

/* Whether an entry's box is in reach of a place in units of its cell. */
static bool is_box_near(const bins *set, uint32_t entry, const double at[3], double reach)
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double below = set->low[axis][entry] - at[axis];
        const double above = at[axis] - set->high[axis][entry];
        const double apart = below > above ? below : above;
        sum += apart > 0.0 ? apart * apart : 0.0;
    }
    return sum <= reach * reach;
}

static bool is_slab_near(const triangle *of, const trial *t)
{
    const slab s = find_slab(of);
    const double at = vec3_dot(slab_axis(&s), t->center);
    return at >= s.low - t->reach && at <= s.high + t->reach;
}

/* What slabs save where the sphere looks for the facets at its foot alone is little. */
static void try_level(const bins *set, const abut_mesh *mesh, const bin_level *level, trial *t)
{
    const double center[3] = {t->center.x, t->center.y, t->center.z};
    double at[3];
    uint32_t bucket = level->first;
    for (int axis = 0; axis < 3; axis++) {
        const double in_cells = center[axis] * level->inv_cell, cell = rint(in_cells);
        at[axis] = (in_cells - cell + 1.5) * UNITS_PER_CELL;
        bucket += (uint32_t)(int64_t)cell * level->stride[axis];
    }
    const bool is_narrow = set->plane && set->plane[bucket];
    const double reach = t->reach * level->inv_cell * UNITS_PER_CELL;
    for (uint32_t e = set->begins[bucket]; e < set->begins[bucket + 1]; e++) {
        t->culled += (e - set->begins[bucket]) % ENTRIES_AT_ONCE == 0 ? ENTRIES_AT_ONCE : 0.0;
        t->saved += !is_narrow && is_box_near(set, e, at, reach) &&
                    !is_slab_near(&mesh->triangles[set->facet[e]], t);
    }
}

static bool is_within(const bin_level *level, vec3 center)
{
    return center.x >= level->low[0] && center.x <= level->high[0] && //
           center.y >= level->low[1] && center.y <= level->high[1] && //
           center.z >= level->low[2] && center.z <= level->high[2];
}

/* Spheres in the middle of some facets. */
static bool slabs_pay(const bins *set, const abut_mesh *mesh, double reach)
{
    const abut_index facets = mesh->view.facet_count, step = facets / TRIALS + 1;
    trial t = {.reach = reach};
    for (abut_index f = 0; f < facets; f += step) {
        const vec3 *corner = mesh->triangles[f].corner;
        t.center = vec3_scale(vec3_add(vec3_add(corner[0], corner[1]), corner[2]), 1.0 / 3.0);
        for (int32_t k = 0; k < set->level_count; k++) {
            if (is_within(&set->levels[k], t.center)) {
                try_level(set, mesh, &set->levels[k], &t);
            }
        }
    }
    return ENTRIES_PER_TEST * t.saved > t.culled;
}

/* ---- all entries ---- */

static int16_t clip(double x)
{
    return (int16_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

static void set_slab(bins *set, uint32_t entry, const slab *s, double inv_cell, vec3 cell)
{
    const double middle = vec3_dot(slab_axis(s), cell);
    for (int axis = 0; axis < 3; axis++) {
        set->across[axis][entry] = s->across[axis];
    }
    set->slab_low[entry] = clip(floor((s->low * inv_cell - middle) * HALF_UNITS) - SLAB_OUTWARD);
    set->slab_high[entry] = clip(ceil((s->high * inv_cell - middle) * HALF_UNITS) + SLAB_OUTWARD);
}

static void set_row(bins *set, const slab *slabs, const bin_level *level, vec3 cell, double count)
{
    uint32_t bucket = level->first + (uint32_t)(int64_t)cell.x * level->stride[0] +
                      (uint32_t)(int64_t)cell.y * level->stride[1] +
                      (uint32_t)(int64_t)cell.z * level->stride[2];
    for (double x = 0.0; x < count; x += 1.0, cell.x += 1.0, bucket++) {
        for (uint32_t e = set->begins[bucket]; e < set->begins[bucket + 1]; e++) {
            set_slab(set, e, &slabs[set->facet[e]], level->inv_cell, cell);
        }
    }
}

static void set_level(bins *set, const slab *slabs, const bin_level *level)
{
    double begin[3], count[3];
    bins_find_cells(level, begin, count);
    for (double z = 0.0; z < count[2]; z += 1.0) {
        for (double y = 0.0; y < count[1]; y += 1.0) {
            const vec3 first = {begin[0], begin[1] + y, begin[2] + z};
            set_row(set, slabs, level, first, count[0]);
        }
    }
}

static bool allocate_slabs(bins *set)
{
    const int64_t room = set->entry_count + BINS_PADDING;
    set->slab_low = memory_alloc_zeroed(room, SLAB_BYTES);
    if (!set->slab_low) {
        return false;
    }
    set->slab_high = set->slab_low + room;
    int8_t *across = (int8_t *)(set->slab_high + room);
    for (int axis = 0; axis < 3; axis++) {
        set->across[axis] = across + axis * room;
    }
    return true;
}

static bool build_slabs(bins *set, const abut_mesh *mesh)
{
    slab *slabs = memory_alloc(mesh->view.facet_count, sizeof *slabs);
    const bool done = slabs && allocate_slabs(set);
    for (abut_index f = 0; done && f < mesh->view.facet_count; f++) {
        slabs[f] = find_slab(&mesh->triangles[f]);
    }
    for (int32_t k = 0; done && k < set->level_count; k++) {
        set_level(set, slabs, &set->levels[k]);
    }
    memory_free(slabs);
    return done;
}

/* Whether every cell has a bucket of its own, so that it is known which cell an entry is in. */
static bool has_own_buckets(const bins *set)
{
    bool has = true;
    for (int32_t k = 0; k < set->level_count; k++) {
        has = has && set->levels[k].mask == UINT32_MAX;
    }
    return has;
}

bool bins_find_slabs(bins *set, const abut_mesh *mesh, double reach)
{
    const bool wanted =
        mesh_is_triangles(mesh) && has_own_buckets(set) && slabs_pay(set, mesh, reach);
    return !wanted || build_slabs(set, mesh);
}
