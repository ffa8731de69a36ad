/* Fast intersection test (paper, section 4): box, plane, then the exact closest point. */
#include "intersect.h"

#include "../base/memory.h"
#include "tolerance.h"

void touches_free(touches *list)
{
    memory_free(list->items);
    memory_free(list->views);
    memory_free(list->near);
    *list = (touches){0};
}

/* The closest point of a facet, the nearest of its triangles' (contact type hierarchy, section
 * 5.1). Written in place, and so is the rest: copying what was just written stalls. */
static void facet_closest(const sphere_view *view, int32_t facet, double reach, touch *touched)
{
    const triangle *t = view->mesh->triangles + view->mesh->fans[facet];
    const triangle *end = view->mesh->triangles + view->mesh->fans[facet + 1];
    triangle_closest(t, view->center, reach, &touched->closest);
    touched->triangle = t;
    for (t++; t < end; t++) {
        closest other;
        triangle_closest(t, view->center, reach, &other);
        if (closest_is_nearer(&other, &touched->closest)) {
            touched->closest = other;
            touched->triangle = t;
        }
    }
}

/* Whether the facet touches; then `touched` is complete. */
static bool test_facet(const sphere_view *view, int32_t facet, double reach, touch *touched)
{
    facet_closest(view, facet, reach, touched);
    double distance_sq = touched->closest.distance_sq, reach_sq = reach * reach;
    if (distance_sq > reach_sq * (1.0 + CULL_SLACK)) {
        return false;
    }
    touched->distance = sqrt(touched->closest.distance_sq);
    touched->closest.offset = pose_turn(view->pose, touched->closest.offset);
    touched->noise = touched->triangle->noise + view->noise;
    touched->normal_noise = touched->triangle->normal_noise + view->noise;
    touched->view = view;
    /* the root decides only where the squares are too close to */
    return distance_sq < reach_sq * (1.0 - CULL_SLACK) || touched->distance <= reach;
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

static abut_status test_level(const sphere_view *view, int32_t level, double reach, touches *list,
                              parallel_job *job)
{
    entry_range range = bins_look(view->set, level, view->center);
    if (range.begin == range.end) {
        return ABUT_OK;
    }
    abut_status status = reserve_near(list, range.end - range.begin);
    if (status) {
        return status;
    }
    abut_index near_count = bins_cull(view->set, level, range, view->center, reach, list->near);
    status = reserve_items(list, near_count);
    if (status) {
        return status;
    }
    for (abut_index i = 0; i < near_count; i++) {
        list->count += test_facet(view, list->near[i], reach, &list->items[list->count]);
    }
    return parallel_report(job, range.end - range.begin + 4 * near_count);
}

abut_status intersect_sphere(const sphere_view *view, double reach, touches *list,
                             parallel_job *job)
{
    abut_status status = ABUT_OK;
    for (int32_t level = 0; !status && level < view->set->level_count; level++) {
        status = test_level(view, level, reach, list, job);
    }
    return status;
}
