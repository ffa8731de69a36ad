/* Candidates: their memory, and as many of them as one sphere may have. */
#include "candidates.h"

#include "../base/memory.h"
#include "kernels.h"

/* More candidates of one sphere than this are beyond what is counted. */
#define CANDIDATE_LIMIT (INT32_MAX / 2)

/* Arrays of a candidate: triangle, seen, facet; and of a seen sphere: center, reach, largest,
 * radius, doubt; and view. */
enum { CANDIDATE_NUMBERS = 3, SEEN_DOUBLES = 7 };

void candidates_free(candidates *c)
{
    memory_free(c->block);
    *c = (candidates){0};
}

/* Each array of doubles begins a cache line: rooms are multiples of what is in one. */
static void place_arrays(candidates *c, abut_index room, abut_index seen_room)
{
    seen_spheres *of = &c->of;
    double *next = memory_first_line(c->block);
    double **doubles[SEEN_DOUBLES] = {&of->center[0], &of->center[1], &of->center[2], &of->reach,
                                      &of->largest,   &of->radius,    &of->doubt};
    for (int i = 0; i < SEEN_DOUBLES; i++, next += seen_room) {
        *doubles[i] = next;
    }
    int32_t *numbers = (int32_t *)(void *)next;
    int32_t **of_candidates[CANDIDATE_NUMBERS] = {&c->triangle, &c->seen, &c->facet};
    for (int i = 0; i < CANDIDATE_NUMBERS; i++, numbers += room) {
        *of_candidates[i] = numbers;
    }
    of->view = numbers;
}

static abut_index padded(abut_index count)
{
    return (count / CANDIDATE_PADDING + 2) * CANDIDATE_PADDING;
}

/* What the arrays hold is lost. */
static abut_status reserve(candidates *c, abut_index count)
{
    const abut_index views = c->batch->view_count;
    count = count > c->capacity ? count : c->capacity;
    /* each has a candidate */
    const abut_index seen = views < count / BATCH_SPHERES ? views * BATCH_SPHERES : count;
    if (count <= c->capacity && seen <= c->of.capacity) {
        return ABUT_OK;
    }
    const abut_index room = padded(count), seen_room = padded(seen);
    const abut_index numbers = CANDIDATE_NUMBERS * room + seen_room;
    memory_free(c->block);
    c->capacity = c->of.capacity = 0;
    c->block =
        memory_alloc_zeroed(SEEN_DOUBLES * seen_room + numbers / 2 + MEMORY_LINE, sizeof(double));
    if (!c->block) {
        return ABUT_NO_MEMORY;
    }
    place_arrays(c, room, seen_room);
    c->capacity = (int32_t)count;
    c->of.capacity = (int32_t)seen;
    return ABUT_OK;
}

abut_status candidates_collect(candidates *c, const uint64_t *spheres, int32_t from, int32_t *next)
{
    abut_status status = reserve(c, CANDIDATE_ROOM);
    while (!status) {
        *next = kernels_take()->collect(c, spheres, from);
        bool is_stuck = c->sphere_count == 0 && *next < c->batch->count;
        if (!is_stuck || *next > from) {
            break;
        }
        /* one sphere alone has more candidates than there is room for */
        status = c->capacity < CANDIDATE_LIMIT ? reserve(c, 2 * (abut_index)c->capacity)
                                               : ABUT_NO_MEMORY;
    }
    return status;
}
