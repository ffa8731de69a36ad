/* Counts grains outside of the bounds. The centers of mass decide for clusters and bodies. */
#include "parts.h"

#include <string.h>

abut_status abut_simulation_set_bounds(abut_simulation *s, const double low[3],
                                       const double high[3], int stops, abut_error *error)
{
    for (int axis = 0; low && axis < 3; axis++) {
        if (!(low[axis] < high[axis])) {
            return error_set(error, ABUT_BAD_BOUNDS, axis, 0, low[axis]);
        }
    }
    s->bounds = (world_bounds){.is_set = low != NULL, .stops = low && stops};
    if (low) {
        memcpy(s->bounds.low, low, sizeof s->bounds.low);
        memcpy(s->bounds.high, high, sizeof s->bounds.high);
    }
    return ABUT_OK;
}

static bool is_beyond(const world_bounds *b, const double center[3])
{
    bool is_within = true;
    for (int axis = 0; axis < 3; axis++) {
        is_within &= center[axis] >= b->low[axis] && center[axis] <= b->high[axis];
    }
    return !is_within;
}

static bool is_rigid_beyond(const world_bounds *b, vec3 position)
{
    const double center[3] = {position.x, position.y, position.z};
    return is_beyond(b, center);
}

/* ---- after a step ---- */

/* Counts the spheres outside, and those of them that were inside when the step began. */
static void count_spheres(const void *context, abut_index begin, abut_index end, void *part)
{
    const abut_simulation *s = context;
    double *counts = part;
    for (abut_index place = begin; place < end; place++) {
        if (!simulation_is_member(s, place) &&
            is_beyond(&s->bounds, s->store.centers + 3 * place)) {
            counts[0]++;
            counts[1] += !is_beyond(&s->bounds, s->store.began + 3 * place);
        }
    }
}

static void count_rigids(const world_bounds *b, const rigid_set *set, double counts[2])
{
    for (abut_index k = 0; k < set->count; k++) {
        const rigid *r = &set->bodies[k].rigid;
        if (is_rigid_beyond(b, r->position)) {
            counts[0]++;
            counts[1] += !is_rigid_beyond(b, r->began);
        }
    }
}

void bounds_count(abut_simulation *s)
{
    double counts[2] = {0.0, 0.0};
    const parallel_folding all = {.add = count_spheres, .context = s, .size = sizeof counts};
    parallel_fold(s->input.workers, s->store.count, s->store.count / 4, &all, counts);
    count_rigids(&s->bounds, &s->clusters, counts);
    count_rigids(&s->bounds, &s->solids, counts);
    s->bounds.outside = (abut_index)counts[0];
    s->bounds.left += (abut_index)counts[1];
}

/* ---- results ---- */

abut_index abut_simulation_left_count(const abut_simulation *s)
{
    return s->bounds.left;
}

void abut_simulation_find_outside(const abut_simulation *s, uint8_t *spheres, uint8_t *bodies)
{
    const world_bounds *b = &s->bounds;
    for (abut_index row = 0; row < s->store.count; row++) {
        const abut_index place = s->store.places[row];
        if (!b->is_set) {
            spheres[row] = 0;
        } else if (simulation_is_member(s, place)) {
            const rigid_body *cluster = &s->clusters.bodies[s->store.clusters[place]];
            spheres[row] = is_rigid_beyond(b, cluster->rigid.position);
        } else {
            spheres[row] = is_beyond(b, s->store.centers + 3 * place);
        }
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        bodies[k] = b->is_set && is_rigid_beyond(b, s->solids.bodies[k].rigid.position);
    }
}
