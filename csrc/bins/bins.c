/* The memory of a set of bins. */
#include "bins.h"

#include <string.h>

#include "../base/memory.h"
#include "filling.h"

/* Bytes of an entry's facet and box. */
enum { ENTRY_BYTES = sizeof(int32_t) + 6 * sizeof(uint16_t) };

void bins_find_cells(const bin_level *level, double begin[3], double count[3])
{
    const double outward = 2.0 * OUTWARD / UNITS_PER_CELL;
    for (int axis = 0; axis < 3; axis++) {
        begin[axis] = rint(level->low[axis] * level->inv_cell - outward);
        count[axis] = rint(level->high[axis] * level->inv_cell + outward) - begin[axis] + 1.0;
    }
}

bool bins_allocate_buckets(bins *set, int64_t count)
{
    set->bucket_count = count;
    set->begins = memory_alloc_zeroed(count + 1, sizeof *set->begins);
    set->occupied = memory_alloc_zeroed(count / BINS_WORD + 2, sizeof *set->occupied);
    return set->begins && set->occupied;
}

/* Allocates one block for all arrays: large blocks can have huge pages, and arrays that begin at
 * different places of their pages do not evict each other from caches. */
bool bins_allocate_entries(bins *set, int64_t count)
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

bool vicinity_has(const vicinity *near, const box *facet)
{
    for (int axis = 0; axis < 3; axis++) {
        const double period = near->lattice.widths[axis];
        double low = facet->low[axis] - near->slack, high = facet->high[axis] + near->slack;
        if (period > 0.0) {
            /* the last image that begins at or before the end of the bounds, however the quotient
             * is rounded */
            double shift = floor((near->bounds.high[axis] - low) / period) * period;
            shift -= low + shift > near->bounds.high[axis] ? period : 0.0;
            low += shift, high += shift;
        }
        if (!(low <= near->bounds.high[axis] && high >= near->bounds.low[axis])) {
            return false;
        }
    }
    return true;
}

static abut_index count_near(const abut_mesh *mesh, const vicinity *near)
{
    abut_index count = 0;
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        const box bounds = mesh_box(mesh, f);
        count += vicinity_has(near, &bounds);
    }
    return count;
}

static void list_near(const abut_mesh *mesh, const vicinity *near, int32_t *facets)
{
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        const box bounds = mesh_box(mesh, f);
        if (vicinity_has(near, &bounds)) {
            *facets++ = (int32_t)f;
        }
    }
}

bins *bins_build_whole(const abut_mesh *mesh, const vicinity *near)
{
    const abut_index facets = count_near(mesh, near);
    bins *set = memory_alloc_zeroed(1, sizeof *set);
    if (!set) {
        return NULL;
    }
    set->levels = memory_alloc_zeroed(1, sizeof *set->levels);
    if (!set->levels || !bins_allocate_buckets(set, 1) || !bins_allocate_entries(set, facets)) {
        bins_free(set);
        return NULL;
    }
    /* with inv_cell 0 every center is at 0, in every box */
    set->slack = near->slack;
    set->level_count = 1;
    set->begins[1] = (uint32_t)facets;
    set->occupied[0] = facets > 0;
    for (int axis = 0; axis < 3; axis++) {
        set->levels[0].low[axis] = -INFINITY;
        set->levels[0].high[axis] = INFINITY;
        memset(set->low[axis], 0, (size_t)facets * sizeof *set->low[axis]);
        memset(set->high[axis], 0xff, (size_t)facets * sizeof *set->high[axis]);
    }
    list_near(mesh, near, set->facet);
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
    int64_t words = set->bucket_count / BINS_WORD + 2;
    return (int64_t)sizeof *set + set->level_count * (int64_t)sizeof *set->levels +
           (buckets + words) * (int64_t)sizeof *set->begins + entries * ENTRY_BYTES +
           (set->plane ? set->bucket_count * (int64_t)sizeof *set->plane : 0) +
           (set->slab_low ? entries * SLAB_BYTES : 0);
}
