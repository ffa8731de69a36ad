/* A queue of pairs, a sphere and a triangle each. */
#include "pairs.h"

#include "../base/memory.h"

/* Of each pair: distance_sq, offset, distance, noise, normal_noise; of each sight: center, reach,
 * largest, radius and tangents. */
enum { DOUBLE_ARRAYS = 21, NUMBER_ARRAYS = 6 };

static void free_arrays(pairs *p)
{
    memory_free(p->block);
    memory_free(p->triangle);
    p->block = NULL;
    p->triangle = NULL;
    p->capacity = 0;
}

void pairs_free(pairs *p)
{
    free_arrays(p);
    *p = (pairs){0};
}

/* Each array of doubles begins a cache line: `room` is a multiple of what is in one. */
static void place_arrays(pairs *p, int32_t *numbers, abut_index room)
{
    double *doubles = memory_first_line(p->block);
    tangents *t = &p->tangents;
    double **of_doubles[DOUBLE_ARRAYS] = {
        &p->center[0],   &p->center[1],    &p->center[2], &p->reach,        &p->largest,
        &p->distance_sq, &p->offset[0],    &p->offset[1], &p->offset[2],    &p->distance,
        &p->noise,       &p->normal_noise, &p->radius,    &t->distance_sq,  &t->offset[0],
        &t->offset[1],   &t->offset[2],    &t->largest,   &t->normal_noise, &t->limit,
        &t->as_near};
    int32_t **of_numbers[NUMBER_ARRAYS] = {&p->triangle, &p->sight, &p->code,
                                           &p->view,     &p->left,  &p->spare};
    for (int i = 0; i < DOUBLE_ARRAYS; i++) {
        *of_doubles[i] = doubles + i * room;
    }
    t->rows = doubles + DOUBLE_ARRAYS * room;
    for (int i = 0; i < NUMBER_ARRAYS; i++) {
        *of_numbers[i] = numbers + i * room;
    }
}

abut_status pairs_reserve(pairs *p, abut_index count)
{
    if (count <= p->capacity) {
        return ABUT_OK;
    }
    free_arrays(p);
    abut_index room = (count / PAIR_PADDING + 2) * PAIR_PADDING;
    int32_t *numbers = memory_alloc_zeroed(NUMBER_ARRAYS * room, sizeof *numbers);
    p->block = memory_alloc_zeroed((DOUBLE_ARRAYS + CONTACT_DOUBLES) * room + MEMORY_LINE,
                                   sizeof *p->block);
    if (!p->block || !numbers) {
        memory_free(numbers);
        free_arrays(p);
        return ABUT_NO_MEMORY;
    }
    place_arrays(p, numbers, room);
    p->capacity = (int32_t)count;
    return ABUT_OK;
}
