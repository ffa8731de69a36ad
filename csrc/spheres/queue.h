/* Pairs that a search has found, on their way from vector code to a list. */
#ifndef SPHERES_QUEUE_H
#define SPHERES_QUEUE_H

#include "grid.h"

/* Cells of a row, one after the other in the table, that a sphere is to look into. */
typedef struct look_task {
    int32_t begin, end; /* cells, and then spheres of the grid's order */
    int32_t number;     /* who looks */
} look_task;

/* Tasks wait until there are many: what they read comes from memory meanwhile. */
enum { TASK_LIMIT = 384 };

typedef struct pair_queue pair_queue;

struct pair_queue {
    int32_t *firsts, *seconds; /* who looked, and whom it found: the caller's numbers */
    int32_t count, capacity;
    abut_index distance_count; /* distances computed so far */
    look_task tasks[TASK_LIMIT];
    int32_t task_count;
    const sphere_row *lookers; /* the tasks' numbers count these; NULL: places in the grid */

    /* Take what is there, and make room for `room` more; false: the search is to end. */
    bool (*drain)(pair_queue *queue, abut_index room);
    void *context;
};

#endif
