/* Memory of candidates, their closest points and those that are kept. */
#include "candidates.h"

#include "../base/memory.h"
#include "../mesh/tolerance.h"
#include "half_spaces.h"

/* How many arrays of doubles and of int32_t there are for candidates, and of doubles for seen
 * spheres. */
enum { DOUBLES = 7, NUMBERS = 6, SEEN_DOUBLES = 13 };

void line_begin(line *l, const batch *b, bool is_wide)
{
    l->candidates.batch = b;
    l->candidates.is_wide = is_wide;
    l->closest.candidates = l->kept.candidates = &l->candidates;
    l->kept.closest = &l->closest;
}

void line_free(line *l)
{
    memory_free(l->block);
    *l = (line){.block = NULL};
}

/* Places the arrays in the block. Each array begins at a cache line, since all lengths are
 * multiples of a line. */
static void place_arrays(line *l, abut_index room, abut_index seen_room)
{
    seen_spheres *spheres = &l->candidates.seen_spheres;
    closest_points *p = &l->closest;
    kept *k = &l->kept;
    tangents *t = &k->tangents;
    double **seen_doubles[SEEN_DOUBLES] = {&spheres->center[0],
                                           &spheres->center[1],
                                           &spheres->center[2],
                                           &spheres->reach,
                                           &spheres->largest,
                                           &spheres->radius,
                                           &t->distance_sq,
                                           &t->offset[0],
                                           &t->offset[1],
                                           &t->offset[2],
                                           &t->largest,
                                           &t->normal_noise,
                                           &t->limit};
    double **doubles[DOUBLES] = {&p->distance_sq, &p->offset[0], &p->offset[1],   &p->offset[2],
                                 &k->distance,    &k->noise,     &k->normal_noise};
    int32_t **numbers[NUMBERS] = {&l->candidates.triangle,
                                  &l->candidates.seen,
                                  &l->candidates.facet,
                                  &p->code,
                                  &k->items,
                                  &k->spare};
    double *next = memory_first_line(l->block);
    for (int i = 0; i < SEEN_DOUBLES; i++, next += seen_room) {
        *seen_doubles[i] = next;
    }
    for (int i = 0; i < DOUBLES; i++, next += room) {
        *doubles[i] = next;
    }
    t->rows = next;
    next += CONTACT_DOUBLES * seen_room;
    for (int i = 0; i < NUMBERS; i++, next += room / 2) {
        *numbers[i] = (int32_t *)(void *)next;
    }
    spheres->view = (int32_t *)(void *)next;
}

static abut_index padded(abut_index count)
{
    return (count / CANDIDATE_PADDING + 2) * CANDIDATE_PADDING;
}

abut_status line_reserve(line *l, abut_index count)
{
    candidates *c = &l->candidates;
    const abut_index views = c->batch->view_count + c->batch->half_space_count;
    count = count > c->capacity ? count : c->capacity;
    /* there are no more seen spheres than candidates */
    const abut_index seen = views < count / BATCH_SPHERES ? views * BATCH_SPHERES : count;
    if (count <= c->capacity && seen <= c->seen_spheres.capacity) {
        return ABUT_OK;
    }
    const abut_index room = padded(count), seen_room = padded(seen);
    memory_free(l->block);
    c->capacity = c->seen_spheres.capacity = 0;
    l->block =
        memory_alloc_zeroed((DOUBLES + NUMBERS / 2) * room +
                                (SEEN_DOUBLES + CONTACT_DOUBLES + 1) * seen_room + MEMORY_LINE,
                            sizeof(double));
    if (!l->block) {
        return ABUT_NO_MEMORY;
    }
    place_arrays(l, room, seen_room);
    c->capacity = (int32_t)count;
    c->seen_spheres.capacity = (int32_t)seen;
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

/* The distance of candidate i from its center; for a half space the height. */
static double find_distance(const kept *k, int32_t i)
{
    const candidates *c = k->candidates;
    const half_space *wall = candidate_half_space(c, i);
    return wall ? half_space_height(wall, candidate_center(c, i))
                : sqrt(k->closest->distance_sq[i]);
}

touching kept_of(kept *k, int32_t sphere)
{
    const candidates *c = k->candidates;
    const int32_t first = k->first[sphere], count = k->first[sphere + 1] - first;
    touching found = {k, k->items + first, count};
    for (int32_t n = 0; n < found.count; n++) {
        const int32_t i = found.items[n];
        const triangle *t = candidate_triangle(c, i);
        const double noise = ulp_double(c->seen_spheres.largest[c->seen[i]]);
        k->distance[i] = find_distance(k, i);
        k->noise[i] = t->noise + noise;
        k->normal_noise[i] = t->normal_noise + noise;
    }
    return found;
}
