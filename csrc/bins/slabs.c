/* Slabs: bounds of entries along one more axis.
 *
 * The box of a sliver that is not along the axes is far wider than the sliver. So spheres near a
 * fan of slivers are near the boxes of many that they do not touch. In its plane, across its
 * longest edge, a sliver is narrow. */
#include "slabs.h"

#include "../base/memory.h"
#include "filling.h"

/* The axis is stored in 128ths. Rounding changes each component by at most a half, so an axis of
 * length 127 does not become longer than 128. */
#define ALONG_PARTS 128.0
#define ALONG_LONGEST 127.0

/* Positions along the axis are counted in steps of two units from the middle of the cell. */
#define STEPS_PER_CELL (0.5 * UNITS_PER_CELL)

/* Outward rounding, in steps: three for the products in culling, one for the sphere's units, one
 * for the bounds here, and one for rounding of the exact distance. */
#define SLAB_OUTWARD 6.0

/* The number of spheres with which slabs are tried, and the limit of entries that they read. */
enum { TRIALS = 64, TRIED_ENTRIES = 1 << 16 };

/* An exact test takes as long as the slabs of about 50 entries. Slabs must save more than twice
 * their cost, since they take memory as well. */
#define ENTRIES_PER_TEST 20.0

/* The bounds of a facet along an axis of its own. */
typedef struct slab {
    int8_t across[3];
    double low, high; /* bounds along the axis across / ALONG_PARTS */
} slab;

static vec3 slab_axis(const slab *s)
{
    const vec3 across = {s->across[0], s->across[1], s->across[2]};
    return vec3_scale(across, 1.0 / ALONG_PARTS);
}

/* Finds a facet's slab. If there is none, the axis is 0, which rules nothing out. The axis is at
 * most 1 long, so that no vertex moves farther along it than the slack. */
static slab find_slab(const triangle *t, double slack)
{
    const vec3 across = vec3_cross(t->normal, triangle_edge(t, triangle_longest_edge(t)));
    const double parts = ALONG_LONGEST / sqrt(vec3_norm_sq(across));
    slab s = {.low = INFINITY, .high = -INFINITY};
    if (!isfinite(parts)) {
        return (slab){.low = 0.0, .high = 0.0};
    }
    s.across[0] = (int8_t)rint(parts * across.x);
    s.across[1] = (int8_t)rint(parts * across.y);
    s.across[2] = (int8_t)rint(parts * across.z);
    const vec3 axis = slab_axis(&s);
    for (int k = 0; k < 3; k++) {
        const double at = vec3_dot(axis, t->corner[k]);
        s.low = at < s.low ? at : s.low;
        s.high = at > s.high ? at : s.high;
    }
    s.low -= slack, s.high += slack;
    return s;
}

/* ---- whether slabs save time ---- */

/* A sphere at the mesh, and the sums of all trials so far. */
typedef struct trial {
    vec3 center;
    double reach;
    uint32_t entries; /* number of entries read, in whole groups of ENTRIES_AT_ONCE */
    uint32_t saved;   /* number of exact tests that slabs save */
} trial;

/* Whether an entry's box is within reach of a position in units of its cell. */
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

static bool is_slab_near(const triangle *facet, double slack, const trial *t)
{
    const slab s = find_slab(facet, slack);
    const double at = vec3_dot(slab_axis(&s), t->center);
    return at >= s.low - t->reach && at <= s.high + t->reach;
}

/* Counts the exact tests that a bucket's slabs would save for the sphere, among its first
 * TRIED_ENTRIES entries. */
static void try_bucket(const bins *set, const abut_mesh *mesh, uint32_t bucket, const double at[3],
                       double reach, trial *t)
{
    const uint32_t begin = set->begins[bucket], count = set->begins[bucket + 1] - begin;
    const uint32_t tried = count < TRIED_ENTRIES ? count : TRIED_ENTRIES;
    t->entries += (tried + ENTRIES_AT_ONCE - 1) / ENTRIES_AT_ONCE * ENTRIES_AT_ONCE;
    if (set->plane && set->plane[bucket]) {
        return; /* in such a bucket only the few facets at a sphere's foot are searched */
    }
    for (uint32_t e = begin; e < begin + tried; e++) {
        const triangle *facet = &mesh->triangles[set->facet[e]];
        t->saved += is_box_near(set, e, at, reach) && !is_slab_near(facet, set->slack, t);
    }
}

static void try_level(const bins *set, const abut_mesh *mesh, const bin_level *level, trial *t)
{
    const double center[3] = {t->center.x, t->center.y, t->center.z};
    double cell[3], at[3];
    for (int axis = 0; axis < 3; axis++) {
        if (!(center[axis] >= level->low[axis] && center[axis] <= level->high[axis])) {
            return;
        }
        const double in_cells = center[axis] * level->inv_cell;
        cell[axis] = rint(in_cells);
        at[axis] = unit_at(in_cells - cell[axis]);
    }
    const double reach = t->reach * level->inv_cell * UNITS_PER_CELL;
    try_bucket(set, mesh, bins_bucket(level, cell), at, reach, t);
}

/* Whether slabs save more than they cost: tries spheres in the middle of some facets. */
static bool slabs_pay(const bins *set, const abut_mesh *mesh, double reach)
{
    const abut_index facets = mesh->view.facet_count, step = facets / TRIALS + 1;
    trial t = {.reach = reach};
    for (abut_index f = 0; f < facets && t.entries < TRIED_ENTRIES; f += step) {
        const vec3 *corner = mesh->triangles[f].corner;
        t.center = vec3_scale(vec3_add(vec3_add(corner[0], corner[1]), corner[2]), 1.0 / 3.0);
        for (int32_t k = 0; k < set->level_count; k++) {
            try_level(set, mesh, &set->levels[k], &t);
        }
    }
    return ENTRIES_PER_TEST * t.saved > t.entries;
}

/* ---- slabs of all entries ---- */

static int16_t clip(double x)
{
    return (int16_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

/* Writes the slab of an entry in the cell with these numbers along the axes. */
static void set_slab(bins *set, uint32_t entry, const slab *s, double inv_cell,
                     const double cell[3])
{
    const double middle = vec3_dot(slab_axis(s), vec3_load(cell));
    const double low = (s->low * inv_cell - middle) * STEPS_PER_CELL;
    const double high = (s->high * inv_cell - middle) * STEPS_PER_CELL;
    for (int axis = 0; axis < 3; axis++) {
        set->across[axis][entry] = s->across[axis];
    }
    set->slab_low[entry] = clip(floor(low) - SLAB_OUTWARD);
    set->slab_high[entry] = clip(ceil(high) + SLAB_OUTWARD);
}

static void set_cell(bins *set, const slab *slabs, const bin_level *level, const double cell[3])
{
    const uint32_t bucket = bins_bucket(level, cell);
    for (uint32_t e = set->begins[bucket]; e < set->begins[bucket + 1]; e++) {
        set_slab(set, e, &slabs[set->facet[e]], level->inv_cell, cell);
    }
}

static void set_level(bins *set, const slab *slabs, const bin_level *level)
{
    double begin[3], count[3];
    bins_find_cells(level, begin, count);
    for (double z = 0.0; z < count[2]; z += 1.0) {
        for (double y = 0.0; y < count[1]; y += 1.0) {
            for (double x = 0.0; x < count[0]; x += 1.0) {
                const double cell[3] = {begin[0] + x, begin[1] + y, begin[2] + z};
                set_cell(set, slabs, level, cell);
            }
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

bool bins_build_slabs(bins *set, const abut_mesh *mesh)
{
    slab *slabs = memory_alloc(mesh->view.facet_count, sizeof *slabs);
    const bool done = slabs && allocate_slabs(set);
    for (abut_index f = 0; done && f < mesh->view.facet_count; f++) {
        slabs[f] = find_slab(&mesh->triangles[f], set->slack);
    }
    for (int32_t k = 0; done && k < set->level_count; k++) {
        set_level(set, slabs, &set->levels[k]);
    }
    memory_free(slabs);
    return done;
}

/* Whether every cell has its own bucket, so that an entry's cell is known. */
static bool has_own_buckets(const bins *set)
{
    for (int32_t k = 0; k < set->level_count; k++) {
        if (set->levels[k].mask != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

bool bins_find_slabs(bins *set, const abut_mesh *mesh, double reach)
{
    const bool wanted =
        mesh_is_triangles(mesh) && has_own_buckets(set) && slabs_pay(set, mesh, reach);
    return !wanted || bins_build_slabs(set, mesh);
}
