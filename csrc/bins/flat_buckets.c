/* Finds buckets with all facets in one plane. */
#include "flat_buckets.h"

#include "../base/memory.h"
#include "filling.h"

/* In buckets with fewer entries, searching only the facets at a sphere's foot saves little. */
enum { FEWEST_ENTRIES = 8 };

/* A set uses searches at feet only if at least 1 / FLAT_PARTS of its occupied buckets have a
 * plane. */
enum { FLAT_PARTS = 4 };

/* At a sphere's foot, boxes are searched as for a sphere of reach 0. Only the high halves of
 * squared distances, of 32 bits, are compared. These are 0 for distances below 2^8 units. So boxes
 * that are not found are farther from the foot than this number of units. */
enum { FOOT_MARGIN = (1 << 8) - 2 * OUTWARD };

/* FOOT_MARGIN as a length, in the smallest cells of the set. */
static double foot_margin(const bins *set)
{
    double finest = 0.0;
    for (int32_t k = 0; k < set->level_count; k++) {
        const double inv_cell = set->levels[k].inv_cell;
        finest = inv_cell > finest ? inv_cell : finest;
    }
    return FOOT_MARGIN / (UNITS_PER_CELL * finest);
}

/* The plane with all facets of a bucket, or NO_PLANE. */
static int32_t common_plane(const bins *set, const int32_t *plane_of, int64_t bucket)
{
    const uint32_t begin = set->begins[bucket], end = set->begins[bucket + 1];
    if (end - begin < FEWEST_ENTRIES) {
        return NO_PLANE;
    }
    const int32_t first = plane_of[set->facet[begin]];
    int32_t others = 0;
    for (uint32_t entry = begin; entry < end; entry++) {
        others |= plane_of[set->facet[entry]] ^ first;
    }
    return others ? NO_PLANE : first;
}

/* Sets the planes of all buckets that surely have one, and returns their number. Neighboring
 * buckets mostly have the same plane, which is then checked once. */
static int64_t set_planes(bins *set, const abut_mesh *mesh, double reach, double margin)
{
    int64_t count = 0;
    int32_t last = NO_PLANE;
    bool is_sure = false;
    for (int64_t bucket = 0; bucket < set->bucket_count; bucket++) {
        const int32_t number = common_plane(set, mesh->planes.plane_of, bucket);
        if (number == NO_PLANE || number >= UINT16_MAX) {
            continue;
        }
        const plane *common = &mesh->planes.planes[number];
        is_sure = number == last ? is_sure : plane_is_sure(common, reach, margin);
        last = number;
        if (is_sure) {
            set->plane[bucket] = (uint16_t)(number + 1);
            set->off = common->off > set->off ? common->off : set->off;
            count++;
        }
    }
    return count;
}

bool bins_find_planes(bins *set, const abut_mesh *mesh, double reach)
{
    if (mesh->planes.count == 0) {
        return true;
    }
    set->plane = memory_alloc_zeroed(set->bucket_count, sizeof *set->plane);
    if (!set->plane) {
        return false;
    }
    const int64_t flat = set_planes(set, mesh, reach, foot_margin(set));
    if (FLAT_PARTS * flat < bins_occupied_count(set)) {
        memory_free(set->plane);
        set->plane = NULL;
        set->off = 0.0;
    }
    return true;
}
