/* Pairs that vector code has found, until they are added to a list. */
#ifndef SPHERES_QUEUE_H
#define SPHERES_QUEUE_H

#include "grid.h"

/* Consecutive cells of the table that are searched for one sphere. */
typedef struct look_task {
    int32_t begin, end; /* indices of cells; later of spheres in the grid's order */
    int32_t number;     /* the sphere for which they are searched: see pair_queue.lookers */
} look_task;

/* The largest number of tasks that are collected. Meanwhile, what they will read is fetched into
 * the cache. */
enum { TASK_LIMIT = 384 };

typedef struct pair_queue pair_queue;

struct pair_queue {
    /* the sphere that was compared, and the sphere found, of each pair */
    int32_t *firsts, *seconds;
    int32_t count, capacity;
    abut_index distance_count; /* distances computed so far */
    look_task tasks[TASK_LIMIT];
    int32_t task_count;
    /* rows of the tasks' spheres; NULL: `number` is an index in the grid's order */
    const sphere_row *lookers;

    /* Moves all pairs to a list, and makes room for `room` more. False: the search must end, since
     * it has failed or was interrupted. */
    bool (*drain)(pair_queue *queue, abut_index room);
    void *context;
};

#endif
