/* A queue of pairs, a sphere and a triangle each. */
#include "pairs.h"

#include "../base/memory.h"

/* Of each pair: distance_sq, offset, distance, noise, normal_noise; triangle, sight, code, left,
 * spare. Of each sight: center, reach, largest, radius, doubt, and tangents but for their rows;
 * view. */
enum { PAIR_DOUBLES = 7, PAIR_NUMBERS = 5, SIGHT_DOUBLES = 14 };

static void free_arrays(pairs *p)
{
    memory_free(p->block);
    memory_free(p->triangle);
    p->block = NULL;
    p->triangle = NULL;
    p->capacity = p->sight_capacity = 0;
}

void pairs_free(pairs *p)
{
    free_arrays(p);
    *p = (pairs){0};
}

/* Each array of doubles begins a cache line: rooms are multiples of what is in one. */
static void place_doubles(pairs *p, abut_index room, abut_index sights)
{
    double *next = memory_first_line(p->block);
    tangents *t = &p->tangents;
    double **of_pairs[PAIR_DOUBLES] = {&p->distance_sq, &p->offset[0], &p->offset[1],
                                       &p->offset[2],   &p->distance,  &p->noise,
                                       &p->normal_noise};
    double **of_sights[SIGHT_DOUBLES] = {
        &p->center[0], &p->center[1], &p->center[2],    &p->reach,     &p->largest,
        &p->radius,    &p->doubt,     &t->distance_sq,  &t->offset[0], &t->offset[1],
        &t->offset[2], &t->largest,   &t->normal_noise, &t->limit};
    for (int i = 0; i < PAIR_DOUBLES; i++, next += room) {
        *of_pairs[i] = next;
    }
    for (int i = 0; i < SIGHT_DOUBLES; i++, next += sights) {
        *of_sights[i] = next;
    }
    t->rows = next;
}

static void place_numbers(pairs *p, int32_t *numbers, abut_index room)
{
    int32_t **of_pairs[PAIR_NUMBERS] = {&p->triangle, &p->sight, &p->code, &p->left, &p->spare};
    for (int i = 0; i < PAIR_NUMBERS; i++) {
        *of_pairs[i] = numbers + i * room;
    }
    p->view = numbers + PAIR_NUMBERS * room;
}

static abut_index padded(abut_index count)
{
    return (count / PAIR_PADDING + 2) * PAIR_PADDING;
}

static abut_status allocate(pairs *p, abut_index count, abut_index sight_count)
{
    const abut_index room = padded(count), sights = padded(sight_count);
    int32_t *numbers = memory_alloc_zeroed(PAIR_NUMBERS * room + sights, sizeof *numbers);
    p->block = memory_alloc_zeroed(PAIR_DOUBLES * room +
                                       (SIGHT_DOUBLES + CONTACT_DOUBLES) * sights + MEMORY_LINE,
                                   sizeof *p->block);
    if (!p->block || !numbers) {
        memory_free(numbers);
        free_arrays(p);
        return ABUT_NO_MEMORY;
    }
    place_doubles(p, room, sights);
    place_numbers(p, numbers, room);
    p->capacity = (int32_t)count;
    p->sight_capacity = (int32_t)sight_count;
    return ABUT_OK;
}

abut_status pairs_reserve(pairs *p, abut_index count, abut_index views)
{
    count = count > p->capacity ? count : p->capacity;
    /* each has a pair */
    const abut_index sights = views < count / BATCH_SPHERES ? views * BATCH_SPHERES : count;
    if (count <= p->capacity && sights <= p->sight_capacity) {
        return ABUT_OK;
    }
    free_arrays(p);
    return allocate(p, count, sights);
}
