/* Pairs that a search has found, on their way from vector code to a list. */
#ifndef SPHERES_QUEUE_H
#define SPHERES_QUEUE_H

#include "grid.h"

/* Cells of a row, one after the other in the table, that a sphere is to look into. */
typedef struct look_task {
    int32_t begin, end; /* at first of cells, then of spheres in the grid's order */
    int32_t number;     /* of the sphere that looks */
} look_task;

/* Tasks wait until there are so many: meanwhile memory delivers what they read. */
enum { TASK_LIMIT = 384 };

typedef struct pair_queue pair_queue;

struct pair_queue {
    int32_t *firsts, *seconds; /* who looked, and whom it found, by the caller's numbers */
    int32_t count, capacity;
    abut_index distance_count; /* distances computed so far */
    look_task tasks[TASK_LIMIT];
    int32_t task_count;
    const sphere_row *lookers; /* spheres that tasks count; NULL: they count places in the grid */

    /* Take what is there, and make room for `room` more; false: the search is to end. */
    bool (*drain)(pair_queue *queue, abut_index room);
    void *context;
};

#endif
