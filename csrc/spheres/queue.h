/* Pairs that a search has found, on their way from vector code to a list. */
#ifndef SPHERES_QUEUE_H
#define SPHERES_QUEUE_H

#include "grid.h"

/* Consecutive cells of the table that are searched for one sphere. */
typedef struct look_task {
    int32_t begin, end; /* of cells at first, later of spheres in the grid's order */
    int32_t number;     /* of the sphere that searches */
} look_task;

/* Tasks wait until there are this many; meanwhile memory delivers what they read. */
enum { TASK_LIMIT = 384 };

typedef struct pair_queue pair_queue;

struct pair_queue {
    int32_t *firsts, *seconds; /* the sphere that searched, and the one that it found */
    int32_t count, capacity;
    abut_index distance_count; /* distances computed so far */
    look_task tasks[TASK_LIMIT];
    int32_t task_count;
    const sphere_row *lookers; /* spheres that tasks' numbers count; NULL: in the grid's order */

    /* Takes all pairs, and makes room for `room` more. False: the search is to end. */
    bool (*drain)(pair_queue *queue, abut_index room);
    void *context;
};

#endif
