/* Which candidates stay contacts: their memory, and all that touch. */
#include "kept.h"

#include "../base/memory.h"
#include "../mesh/tolerance.h"

/* Arrays of a candidate: distance, noise, normal_noise; items, spare. Of a seen sphere: tangents
 * but for their rows. */
enum { KEPT_DOUBLES = 3, KEPT_NUMBERS = 2, TANGENT_DOUBLES = 7 };

void kept_free(kept *k)
{
    memory_free(k->block);
    *k = (kept){0};
}

static void place_arrays(kept *k, abut_index room, abut_index seen_room)
{
    tangents *t = &k->tangents;
    double *next = memory_first_line(k->block);
    double **of_seen[TANGENT_DOUBLES] = {&t->distance_sq, &t->offset[0], &t->offset[1],
                                         &t->offset[2],   &t->largest,   &t->normal_noise,
                                         &t->limit};
    double **of_candidates[KEPT_DOUBLES] = {&k->distance, &k->noise, &k->normal_noise};
    for (int i = 0; i < TANGENT_DOUBLES; i++, next += seen_room) {
        *of_seen[i] = next;
    }
    t->rows = next;
    next += CONTACT_DOUBLES * seen_room;
    for (int i = 0; i < KEPT_DOUBLES; i++, next += room) {
        *of_candidates[i] = next;
    }
    k->items = (int32_t *)(void *)next;
    k->spare = k->items + room;
}

abut_status kept_begin(kept *k, const candidates *c, const closest_points *p)
{
    k->candidates = c;
    k->closest = p;
    k->has_refused = false;
    k->refused_count = 0;
    if (c->capacity <= k->capacity && c->of.capacity <= k->seen_capacity) {
        return ABUT_OK;
    }
    const abut_index room = (c->capacity / CANDIDATE_PADDING + 2) * CANDIDATE_PADDING;
    const abut_index seen_room = (c->of.capacity / CANDIDATE_PADDING + 2) * CANDIDATE_PADDING;
    memory_free(k->block);
    k->capacity = k->seen_capacity = 0;
    k->block =
        memory_alloc_zeroed((KEPT_DOUBLES + KEPT_NUMBERS / 2) * room +
                                (TANGENT_DOUBLES + CONTACT_DOUBLES) * seen_room + MEMORY_LINE,
                            sizeof(double));
    if (!k->block) {
        return ABUT_NO_MEMORY;
    }
    place_arrays(k, room, seen_room);
    k->capacity = c->capacity;
    k->seen_capacity = c->of.capacity;
    return ABUT_OK;
}

void kept_take_all(kept *k)
{
    const candidates *c = k->candidates;
    int32_t count = 0;
    for (int32_t sphere = 0; sphere < c->sphere_count; sphere++) {
        k->first[sphere] = count;
        for (int32_t i = c->first[sphere]; i < c->first[sphere + 1]; i++) {
            if (k->closest->distance_sq[i] < INFINITY) {
                k->items[count++] = i;
            }
        }
    }
    k->first[c->sphere_count] = count;
    k->touch_count += count;
}

touching kept_of(kept *k, int32_t sphere)
{
    const candidates *c = k->candidates;
    const int32_t first = k->first[sphere], count = k->first[sphere + 1] - first;
    touching t = {k, k->items + first, count};
    for (int32_t n = 0; n < t.count; n++) {
        const int32_t i = t.items[n];
        const triangle *of = candidate_triangle(c, i);
        const double noise = ulp_double(c->of.largest[c->seen[i]]);
        k->distance[i] = sqrt(k->closest->distance_sq[i]);
        k->noise[i] = of->noise + noise;
        k->normal_noise[i] = of->normal_noise + noise;
    }
    return t;
}
