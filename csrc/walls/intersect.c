/* Fast intersection test (paper, section 4): box, plane, then the exact closest point. */
#include "intersect.h"

#include "../base/memory.h"
#include "tolerance.h"

void touches_free(touches *list)
{
    memory_free(list->items);
    memory_free(list->near);
    *list = (touches){NULL, 0, 0, NULL, 0};
}

/* The closest point of a facet, the nearest of its triangles' (contact type
 * hierarchy, section 5.1). */
static closest facet_closest(const abut_mesh *mesh, int32_t facet, vec3 center, double reach,
                             const triangle **nearest)
{
    const triangle *t = mesh->triangles + mesh->fans[facet],
                   *end = mesh->triangles + mesh->fans[facet + 1];
    closest best = triangle_closest(t, center, reach);
    *nearest = t;
    for (t++; t < end; t++) {
        closest other = triangle_closest(t, center, reach);
        if (closest_is_nearer(&other, &best)) {
            best = other;
            *nearest = t;
        }
    }
    return best;
}

/* Adding 0 makes -0.0 and 0.0 one, so that equal contacts are equal to the bit. */
static touch make_touch(const triangle *t, const closest *c)
{
    static const vec3 zero = {0.0, 0.0, 0.0};
    touch made = {*c, sqrt(c->distance_sq), t->noise, t->normal_noise, t};
    made.closest.offset = vec3_add(c->offset, zero);
    return made;
}

static abut_status reserve_near(touches *list, abut_index count)
{
    int32_t *grown = memory_grow(list->near, count, &list->near_capacity, sizeof *grown);
    if (!grown) {
        return ABUT_NO_MEMORY;
    }
    list->near = grown;
    return ABUT_OK;
}

static abut_status reserve_items(touches *list, abut_index count)
{
    touch *grown = memory_grow(list->items, list->count + count, &list->capacity, sizeof *grown);
    if (!grown) {
        return ABUT_NO_MEMORY;
    }
    list->items = grown;
    return ABUT_OK;
}

/* The exact test of the facets that the boxes left; the list has room for all of them. */
static void test_near(const abut_mesh *mesh, abut_index near_count, vec3 center, double reach,
                      touches *list)
{
    double reach_sq = reach * reach * (1.0 + CULL_SLACK);
    for (abut_index i = 0; i < near_count; i++) {
        const triangle *nearest;
        closest c = facet_closest(mesh, list->near[i], center, reach, &nearest);
        if (c.distance_sq > reach_sq) {
            continue;
        }
        list->items[list->count] = make_touch(nearest, &c);
        list->count += list->items[list->count].distance <= reach;
    }
}

static abut_status test_level(const abut_mesh *mesh, const bins *set, int32_t level, vec3 center,
                              double reach, touches *list, parallel_job *job)
{
    entry_range range = bins_look(set, level, center);
    if (range.begin == range.end) {
        return ABUT_OK;
    }
    abut_status status = reserve_near(list, range.end - range.begin);
    if (status) {
        return status;
    }
    abut_index near_count = bins_cull(set, level, range, center, reach, list->near);
    status = reserve_items(list, near_count);
    if (status) {
        return status;
    }
    test_near(mesh, near_count, center, reach, list);
    return parallel_report(job, range.end - range.begin + 4 * near_count);
}

abut_status intersect_sphere(const abut_mesh *mesh, const bins *set, vec3 center, double reach,
                             touches *list, parallel_job *job)
{
    abut_status status = ABUT_OK;
    list->count = 0;
    for (int32_t level = 0; !status && level < set->level_count; level++) {
        status = test_level(mesh, set, level, center, reach, list, job);
    }
    return status;
}
