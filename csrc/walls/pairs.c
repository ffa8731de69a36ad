/* A queue of pairs, a sphere and a triangle each. */
#include "pairs.h"

#include "../base/memory.h"

/* Of each pair: center, reach, distance, offset, code, noise, normal_noise. */
enum { DOUBLE_ARRAYS = 11, NUMBER_ARRAYS = 3 };

void pairs_free(pairs *p)
{
    memory_free((void *)p->of);
    memory_free(p->center[0]);
    memory_free(p->view);
    *p = (pairs){0};
}

static void place_arrays(pairs *p, double *numbers, int32_t *indices, abut_index room)
{
    double **of_doubles[DOUBLE_ARRAYS] = {
        &p->center[0], &p->center[1], &p->center[2], &p->reach, &p->distance, &p->offset[0],
        &p->offset[1], &p->offset[2], &p->code,      &p->noise, &p->normal_noise};
    int32_t **of_indices[NUMBER_ARRAYS] = {&p->view, &p->left, &p->spare};
    for (int i = 0; i < DOUBLE_ARRAYS; i++) {
        *of_doubles[i] = numbers + i * room;
    }
    for (int i = 0; i < NUMBER_ARRAYS; i++) {
        *of_indices[i] = indices + i * room;
    }
}

abut_status pairs_reserve(pairs *p, abut_index count)
{
    if (count <= p->capacity) {
        return ABUT_OK;
    }
    abut_index room = count + PAIR_PADDING;
    memory_free((void *)p->of);
    memory_free(p->center[0]);
    memory_free(p->view);
    p->capacity = 0;
    p->of = memory_alloc(room, sizeof *p->of);
    double *numbers = memory_alloc_zeroed(DOUBLE_ARRAYS * room, sizeof *numbers);
    int32_t *indices = memory_alloc_zeroed(NUMBER_ARRAYS * room, sizeof *indices);
    if (!p->of || !numbers || !indices) {
        memory_free((void *)p->of);
        memory_free(numbers);
        memory_free(indices);
        p->of = NULL, p->center[0] = NULL, p->view = NULL;
        return ABUT_NO_MEMORY;
    }
    place_arrays(p, numbers, indices, room);
    p->capacity = (int32_t)count;
    return ABUT_OK;
}
