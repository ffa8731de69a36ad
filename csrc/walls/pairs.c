/* A queue of pairs, a sphere and a triangle each. */
#include "pairs.h"

#include "../base/memory.h"

/* Of each pair: center, reach, distance_sq, offset, code, distance, noise, normal_noise. */
enum { DOUBLE_ARRAYS = 12, NUMBER_ARRAYS = 4 };

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
    double **of_doubles[DOUBLE_ARRAYS] = {&p->center[0], &p->center[1],   &p->center[2],
                                          &p->reach,     &p->distance_sq, &p->offset[0],
                                          &p->offset[1], &p->offset[2],   &p->code,
                                          &p->distance,  &p->noise,       &p->normal_noise};
    int32_t **of_numbers[NUMBER_ARRAYS] = {&p->triangle, &p->view, &p->left, &p->spare};
    for (int i = 0; i < DOUBLE_ARRAYS; i++) {
        *of_doubles[i] = doubles + i * room;
    }
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
    p->block = memory_alloc_zeroed(DOUBLE_ARRAYS * room + MEMORY_LINE, sizeof *p->block);
    if (!p->block || !numbers) {
        memory_free(numbers);
        free_arrays(p);
        return ABUT_NO_MEMORY;
    }
    place_arrays(p, numbers, room);
    p->capacity = (int32_t)count;
    return ABUT_OK;
}
